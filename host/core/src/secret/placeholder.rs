//! Values that are not secrets although they are where one could be: `<token>`, `${VAR}`, `xxxx`, a type's name, a
//! lookup.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Whether a value only stands in for a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim_matches(|c| matches!(c, '"' | '\'' | '`' | '\\'));
    value.is_empty() || is_marked(value) || is_filler(value) || is_reference(value) || is_digest(value)
}

/// Whether a vendor's prefix is followed only by a filler.
pub(super) fn is_vendor_filler(value: &str) -> bool {
    let filling = value.rsplit(['-', '_']).find(|part| !part.is_empty()).unwrap_or(value);
    filling.len() >= 8 && filling.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.' | b'#'))
}

/// Parts of keys that vendors print in their manuals, or build into emulators that run on one's own machine. Each is
/// split, so that no file holds the whole.
const DOCUMENTED: [[&str; 2]; 9] = [
    // Stripe, <https://docs.stripe.com/keys>.
    ["4eC39HqLyj", "WDarjtT1zdp7dc"],
    ["BQokikJOvB", "iI2HlWgH4olfQ2"],
    ["tR3PYbcVNZ", "Z796tH88S4VQ2u"],
    ["26PHem9AhJ", "ZvU623DfE1x4sd"],
    // Azurite and the Cosmos DB emulator, <https://learn.microsoft.com/azure/storage/common/storage-use-azurite>.
    ["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1", "OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"],
    ["C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEH", "LM+4QDU5DEk2nQ9nDuVTqobD4b8mGGyP"],
    // Slack, <https://docs.slack.dev/authentication/tokens>.
    ["19874698323-", "pdFZKVeTuE8sk7oOcHrzqqgy"],
    // The UUID of RFC 9562's examples, as service manuals print it.
    ["123e4567-e89b-", "12d3-a456-426614174000"],
    ["01234567-89ab-", "cdef-0123-456789abcdef"],
];

/// Whether a value is a key that a vendor's manual prints, with no more around it than a prefix.
pub(super) fn is_documented(value: &str) -> bool {
    const AROUND: usize = 28;
    static WHOLE: LazyLock<AhoCorasick> = LazyLock::new(|| all_of(DOCUMENTED.map(|parts| parts.concat())));
    WHOLE.find(value).is_some_and(|key| value.len() <= key.len() + AROUND)
}

/// Finds any of these words.
fn all_of<const N: usize>(words: [impl AsRef<[u8]>; N]) -> AhoCorasick {
    AhoCorasick::new(words).expect("these few words are built in a test")
}

/// What manuals write where a password belongs, and the passwords that everybody knows because they are the default of
/// a local service.
const STAND_INS: [&str; 35] = [
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "secret",
    "token",
    "user",
    "username",
    "admin",
    "root",
    "guest",
    "postgres",
    "mysql",
    "minio",
    "minioadmin",
    "mongo",
    "redis",
    "rabbitmq",
    "string",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "value",
    "hidden",
    "prompt",
    "empty",
    "undefined",
    "bar",
    "foo",
    "baz",
    "anonymous",
    "sekrit",
];

/// Whether a value is a usual stand-in for a password, or code.
pub(super) fn is_stand_in(value: &str) -> bool {
    let value = value.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '!');
    let plain = value.trim_start_matches("my").trim_start_matches("the").trim_matches(['_', '-', '.']);
    let lookup = value.contains('.') && value.split('.').all(is_variable);
    value.len() < 3
        || lookup
        || is_expression(value)
        || STAND_INS.iter().any(|word| plain.eq_ignore_ascii_case(word))
        || value
            .split(['_', '-', ' '])
            .any(|word| STAND_INS.iter().take(7).any(|known| word.eq_ignore_ascii_case(known)))
}

/// Whether a value could be the name of a variable.
fn is_variable(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && is_name(value)
}

/// Names of algorithms, encodings and types that contain digits or dashes. They are not passwords.
const WORDS: [&str; 26] = [
    "base64",
    "sha1",
    "sha256",
    "sha512",
    "md5",
    "argon2",
    "argon2id",
    "argon2i",
    "pbkdf2",
    "oauth2",
    "utf8",
    "utf-8",
    "int32",
    "int64",
    "uint8",
    "float64",
    "ed25519",
    "aes256",
    "aes-256-gcm",
    "hs256",
    "rs256",
    "2fa",
    "p12",
    "x509",
    "pkcs12",
    "pkcs8",
];

/// Whether a value is only a word, a name or an expression.
pub(super) fn is_word(value: &str) -> bool {
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) || is_letters_only(value) || is_expression(value)
}

/// Whether a value is made of words without digits: a label, a field's name, a type. Four or more joined words are a
/// pass phrase, and letters that often switch case are a password.
fn is_letters_only(value: &str) -> bool {
    const NAMES: [&str; 16] = [
        "pass", "pwd", "secret", "token", "key", "user", "name", "field", "input", "hash", "value", "login", "auth",
        "cred", "reset", "confirm",
    ];
    let parts: Vec<&str> = value.split(['-', '_', '.', ' ', ':', '/', '#', ',']).collect();
    let letters = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte >= 0x80));
    if !letters {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let cases = value.as_bytes().windows(2);
    let switches =
        cases.filter(|pair| matches!(pair, [a, b] if a.is_ascii_uppercase() != b.is_ascii_uppercase())).count();
    NAMES.iter().any(|name| lower.contains(name)) || (parts.len() < 4 && switches * 2 < value.len())
}

/// Whether a value is code or a location: a call, a path, a format string.
fn is_expression(value: &str) -> bool {
    let call = value.find('(').is_some_and(|at| {
        at > 0
            && value.ends_with([')', ';', ','])
            && value.get(..at).is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "_.:".contains(c)))
    });
    let path = (value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../"))
        && value.trim_start_matches(['.', '~']).matches('/').count() > 1;
    let own = value.starts_with("__") && value.ends_with("__");
    // Laravel's validation rules for a field.
    let rule = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase()) && !part.contains(|c: char| c.is_ascii_uppercase())
    };
    let rules = value.contains('|') && value.split('|').all(rule);
    // A type or a constant of Rust, C++ or PHP.
    let scoped = value.contains("::") && value.split("::").all(|part| part.is_empty() || is_name(part));
    own || rules
        || scoped
        || call
        || path
        || value.contains("://")
        || value.contains("%s")
        || value.contains("{}")
        || value.contains("=>")
}

/// Whether a value is in brackets, or contains a word that marks a placeholder.
fn is_marked(value: &str) -> bool {
    const STARTS: [&str; 24] = [
        "your",
        "my-",
        "my_",
        "insert",
        "replace",
        "placeholder",
        "redacted",
        "[redacted",
        "test",
        "dummy",
        "fake",
        "mock",
        "sample",
        "example",
        "foo",
        "bar-",
        "bar_",
        "some-",
        "some_",
        "todo",
        "fixme",
        "enter-",
        "enter_",
        "not-a-",
    ];
    const WITHIN: [&str; 14] = [
        "…",
        "...",
        "changeme",
        "change-me",
        "change_me",
        "example",
        "placeholder",
        "dummy",
        "your-",
        "your_",
        "redacted",
        "goes-here",
        "goes_here",
        "not-real",
    ];
    static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| all_of(WITHIN));
    let lower = value.get(..value.floor_char_boundary(64)).unwrap_or_default().to_ascii_lowercase();
    let bracketed = [('<', '>'), ('[', ']'), ('{', '}')]
        .iter()
        .any(|(open, close)| value.starts_with(*open) && value.ends_with(*close));
    bracketed || STARTS.iter().any(|mark| lower.starts_with(mark)) || MARKS.is_match(&lower)
}

/// Whether a value consists only of characters that people use as fillers. `aaaa` is not a filler, because other tests
/// use it as a value.
fn is_filler(value: &str) -> bool {
    value.chars().all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-' | '_' | '#' | '?' | '0' | '•'))
}

/// Whether a value names where the secret is kept: a variable, an expression, a lookup.
fn is_reference(value: &str) -> bool {
    const LOOKUPS: [&str; 24] = [
        "process.env",
        "os.environ",
        "os.getenv",
        "getenv",
        "env.",
        "env(",
        "env[",
        "env:",
        "import.meta",
        "secrets.",
        "vault:",
        "config.",
        "settings.",
        "self.",
        "this.",
        "req.",
        "args.",
        "options.",
        "var.",
        "local.",
        "data.",
        "ssm:",
        "arn:",
        "op://",
    ];
    let variable = value.starts_with("${")
        || value.starts_with("$(")
        || value.starts_with("{{")
        || value.starts_with("%(")
        || value.starts_with("#{")
        || value.starts_with("!ref")
        || value.starts_with('&')
        || value.starts_with('@')
        || (value.starts_with('$') && value.get(1..).is_some_and(is_name))
        || (value.len() > 2 && value.starts_with('%') && value.ends_with('%'))
        || value.contains("${")
        || value.contains("{{")
        || value.contains("$(");
    variable || LOOKUPS.iter().any(|start| value.starts_with(start))
}

/// Whether a value is a digest: of a lock file, or of a hashed password.
fn is_digest(value: &str) -> bool {
    const KINDS: [&str; 15] = [
        "$2a$", "$2b$", "$2y$", "$argon2", "$5$", "$6$", "pbkdf2", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:",
        "sha512:", "sha1:", "md5:",
    ];
    KINDS.iter().any(|kind| value.starts_with(kind))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_places_are_no_passwords() {
        for value in [
            "password",
            "Passwort",
            "user_password",
            "string",
            "required",
            "new-password",
            "getUserPassword",
            "base64",
            "get_password()",
            "/run/secrets/db_1",
            "${DB_PASSWORD}",
            "<password>",
            "changeme1",
            "xxxxxxxx",
            "$PASSWORD",
            "your-password-1",
            "%s:%s",
            "test1234",
            "os.environ['X1']",
            "sha512-Ab1",
            "postgres://h1/x",
            "windows_sys::core::PWSTR",
            "::std::string::String",
            "letmein",
        ] {
            assert!(is_placeholder(value) || is_word(value), "{value}");
        }
        for value in ["hunter2", "s3cr3t", "Tr0ub4dor&3", "correct-horse-battery-staple", "aBxKqZmW", "pa$$w0rd"] {
            assert!(!is_placeholder(value) && !is_word(value), "{value}");
        }
    }
}

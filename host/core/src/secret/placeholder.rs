//! What stands where a secret would, and is none: `<token>`, `${VAR}`, `xxxx`, a type's name, a lookup.

/// Whether a value only marks the place of a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim_matches(|c| matches!(c, '"' | '\'' | '`' | '\\'));
    value.is_empty() || is_marked(value) || is_filler(value) || is_reference(value)
}

/// Words that stand for a value where only a name or a type is meant.
const WORDS: [&str; 34] = [
    "string",
    "password",
    "passwd",
    "secret",
    "token",
    "hidden",
    "required",
    "optional",
    "null",
    "none",
    "true",
    "false",
    "undefined",
    "default",
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "redacted",
    "removed",
    "dummy",
    "sample",
    "testing",
    "your-password",
    "yourpassword",
    "your_password",
    "text",
    "varchar",
    "integer",
    "boolean",
    "current-password",
    "new-password",
    "one-time-code",
];

/// Whether a value is only a word that people write for a password without meaning one.
pub(super) fn is_word(value: &str) -> bool {
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Brackets, or a word that says so.
fn is_marked(value: &str) -> bool {
    let lower = value.get(..value.floor_char_boundary(64)).unwrap_or_default().to_ascii_lowercase();
    let bracketed = (value.starts_with('<') && value.ends_with('>'))
        || (value.starts_with('[') && value.ends_with(']'))
        || (value.starts_with('{') && value.ends_with('}'));
    bracketed
        || lower.starts_with("[redacted")
        || [
            "your-",
            "your_",
            "my-secret",
            "<your",
            "insert-",
            "insert_",
            "replace-",
            "replace_",
            "placeholder",
            "redacted",
        ]
        .iter()
        .any(|mark| lower.starts_with(mark))
        || lower.contains("...")
        || lower.contains('…')
        || lower.contains("changeme")
}

/// One character over and over, of those that people fill with. `aaaa` is not one: tests of others use it as a value.
fn is_filler(value: &str) -> bool {
    value.chars().all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-' | '_' | '#' | '?' | '0' | '•'))
}

/// A variable, an expression, a lookup: what names the place where the secret is kept.
fn is_reference(value: &str) -> bool {
    const LOOKUPS: [&str; 18] = [
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
    ];
    let variable = value.starts_with("${")
        || value.starts_with("$(")
        || value.starts_with("{{")
        || value.starts_with("%(")
        || value.starts_with("#{")
        || value.starts_with('@')
        || (value.starts_with('$') && value.get(1..).is_some_and(is_name))
        || (value.len() > 2 && value.starts_with('%') && value.ends_with('%'))
        || (value.contains("${") && value.ends_with('}'));
    variable || LOOKUPS.iter().any(|start| value.starts_with(start))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a value is random enough to be a key: letters and digits mixed, few repeats, not words joined by dashes.
pub(super) fn looks_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    digits >= 2 && letters >= 2 && entropy(value) >= 2.5
}

/// Shannon entropy in bits a byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count = count.saturating_add(1);
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}

//! Names that a message has without quotes: `Requested setting A_B`.

use crate::output::line::{message, normal_hash};

/// How many words a message must have beside its names.
const LEAST_OTHER: usize = 3;
/// Words behind which a word tells errors apart, as a code or as the name of what failed.
const CODED: &str = "status code error errno reason signal exception type state kind class with by got test tests suite task \
     job step target recipe stage hook check rule lint command program script tool process service container package";
/// Words behind the name of what lacks something, where the name comes first: `API_KEY is not set`.
const SAID_OF_NAMES: [&str; 6] = ["is", "was", "must", "has", "does", "needs"];

/// The hash of a message in which each bare name of a variable is left out that a sentence is about: `Requested setting A_B`
/// and `Requested setting C` are one message. `None` if it has none, or consists of little else.
pub(crate) fn hash_beside_names(line: &str) -> Option<u64> {
    let words: Vec<&str> = message(line).split_whitespace().collect();
    let (mut kept, mut own, mut has_name) = (String::new(), 0, false);
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let is_told = before.bytes().all(|byte| byte.is_ascii_alphabetic()) && !before.is_empty() && !is_coded(before);
        let begins =
            (at == 0 || before.ends_with(':')) && words.get(at + 1).is_some_and(|next| SAID_OF_NAMES.contains(next));
        let name = word.trim_matches(['(', ')', ',', '.', ';', ':']);
        if (is_told || begins) && is_bare_name(name) {
            has_name = true;
            kept.push_str(" ``");
        } else {
            own += usize::from(word.contains(char::is_alphabetic));
            kept.extend([" ", word]);
        }
    }
    (has_name && own >= LEAST_OTHER).then(|| normal_hash(&kept))
}

/// Whether what stands behind a word tells errors apart.
pub(crate) fn is_coded(before: &str) -> bool {
    CODED.split(' ').any(|coded| before.eq_ignore_ascii_case(coded))
}

/// Whether a word is written as a name: in capitals, in `snake_case` or in `CamelCase`. The class of an error, a signal and the
/// code of a system call tell errors apart.
fn is_bare_name(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_word = bytes.len() > 2
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && bytes.iter().any(u8::is_ascii_alphabetic)
        && !bytes[0].is_ascii_digit();
    let has_parts = word.contains('_');
    let is_loud = !bytes.iter().any(u8::is_ascii_lowercase);
    let is_camel = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_code = is_loud
        && !has_parts
        && (word.starts_with('E') || word.starts_with("SIG") || word.ends_with(|c: char| c.is_ascii_digit()));
    let is_class = ["Error", "Exception", "Warning"].iter().any(|end| word.ends_with(end));
    is_word && (has_parts || is_loud || is_camel) && !is_code && !is_class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_in_a_sentence_does_not_tell_errors_apart() {
        let same = |one: &str, other: &str| {
            let hash = hash_beside_names(one);
            hash.is_some() && hash == hash_beside_names(other)
        };
        for (one, other) in [
            (
                "a.ImproperlyConfigured: Requested setting A_B, but none is set.",
                "a.ImproperlyConfigured: Requested setting DEBUG, but none is set.",
            ),
            ("Error: environment variable API_KEY must be set", "Error: environment variable DB_URL must be set"),
            ("API_KEY is not set", "DB_URL is not set"),
            ("ValueError: API_KEY is not configured here", "ValueError: DB_URL is not configured here"),
            ("ERROR: column user_id does not exist", "ERROR: column order_total does not exist"),
            ("Unknown field userName for this input type", "Unknown field orderId for this input type"),
            ("no value for parameter max_retries was given", "no value for parameter base_url was given"),
            ("Terraform: input variable db_host has no default", "Terraform: input variable db_port has no default"),
            ("cannot find symbol fooBar in this module", "cannot find symbol bazQux in this module"),
            (
                "line 3: HOME_DIR: unbound variable for this (API_KEY) step",
                "line 9: HOME_DIR: unbound variable for this (DB_URL) step",
            ),
        ] {
            assert!(same(one, other), "{one} | {other}");
        }
        for (one, other) in [
            ("NameError: fooBar", "NameError: bazQux"),
            ("undefined: fooBar", "undefined: bazQux"),
            ("unknown setting FOO_A", "unknown setting FOO_B"),
            (
                "the request failed with status NOT_FOUND again",
                "the request failed with status PERMISSION_DENIED again",
            ),
            ("the child was killed by signal SIGSEGV", "the child was killed by signal SIGKILL"),
            ("the read of the file gave EACCES", "the read of the file gave ENOENT"),
            ("your code raised a TypeError in the worker", "your code raised a ValueError in the worker"),
            ("the job build_docs failed after three tries", "the job run_tests failed after three tries"),
            ("test user_login did not pass this time", "test user_logout did not pass this time"),
            ("connect to the server: ECONNREFUSED was returned", "connect to the server: ETIMEDOUT was returned"),
            ("the server says: RESOURCE_EXHAUSTED for this key", "the server says: PERMISSION_DENIED for this key"),
            ("the file is not there at all", "the file is not here at all"),
            ("the compiler reports TS2304 in this file", "the compiler reports TS2551 in this file"),
        ] {
            assert!(!same(one, other), "{one} | {other}");
        }
    }
}

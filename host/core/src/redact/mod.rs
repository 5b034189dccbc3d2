//! Secrets and personal data out, placeholders in; and the clipping that comes after (invariant 12: per field, before clipping).
//!
//! Ids (session, call, tool) never pass through here: a placeholder in an id would pair calls that have nothing to
//! do with each other.

mod stream;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::secret::{Ruleset, SecretMatch};

pub use stream::RedactStream;

/// Most distinct secrets that get a number of their own; all further ones of a kind share `0`.
const MAX_DISTINCT: usize = 65_536;

/// Replaces secrets and personal data by `[REDACTED:kind:n]`, where `n` is the same for the same value within one
/// `Redactor`, so that a reader still sees which secret is which.
///
/// It keeps no value, only a hash of each.
#[derive(Debug, Default)]
pub struct Redactor {
    /// The operator's rules; the bundled ones without.
    rules: Option<Arc<Ruleset>>,
    numbers: HashMap<(String, u64), usize>,
    next: HashMap<String, usize>,
}

/// One replacement, without the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Id of the rule.
    pub kind: String,
    /// Its number among the values of the kind; 0 for those past the bound.
    pub number: usize,
    /// Byte of the text before at which the value began.
    pub at: usize,
}

impl Redactor {
    /// One that goes by an operator's rules.
    pub fn with_rules(rules: Arc<Ruleset>) -> Self {
        Self { rules: Some(rules), ..Self::default() }
    }

    /// The text without its secrets and personal data. Linear in its length; borrowed where there were none.
    pub fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.redact_listed(text).0
    }

    /// The same, with what was replaced, in order.
    pub fn redact_listed<'t>(&mut self, text: &'t str) -> (Cow<'t, str>, Vec<Redaction>) {
        let rules = self.rules.clone();
        let found = found(rules.as_deref(), text);
        if found.is_empty() {
            return (Cow::Borrowed(text), Vec::new());
        }
        let (clean, listed) = self.replaced(text, &found);
        (Cow::Owned(clean), listed)
    }

    fn replaced(&mut self, text: &str, found: &[SecretMatch<'_>]) -> (String, Vec<Redaction>) {
        let mut clean = String::with_capacity(text.len());
        let mut done = 0;
        let mut listed = Vec::with_capacity(found.len());
        for secret in found {
            let (Some(before), Some(value)) = (text.get(done..secret.range.start), text.get(secret.range.clone()))
            else {
                continue;
            };
            clean.push_str(before);
            let number = self.number(secret.kind, value);
            let _ = write!(clean, "[REDACTED:{}:{number}]", secret.kind);
            done = secret.range.end;
            listed.push(Redaction { kind: secret.kind.to_owned(), number, at: secret.range.start });
        }
        clean.push_str(text.get(done..).unwrap_or_default());
        (clean, listed)
    }

    fn number(&mut self, kind: &str, value: &str) -> usize {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let key = (kind.to_owned(), hasher.finish());
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        if self.numbers.len() >= MAX_DISTINCT {
            return 0;
        }
        let next = self.next.entry(kind.to_owned()).or_insert(0);
        *next += 1;
        self.numbers.insert(key, *next);
        *next
    }
}

fn found<'r>(rules: Option<&'r Ruleset>, text: &str) -> Vec<SecretMatch<'r>> {
    rules.unwrap_or_else(|| Ruleset::bundled()).secrets_and_personal(None, text)
}

/// The first `max_chars` characters; where any are left out, the last of them is `…`.
pub fn clip(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.len() <= max_chars || text.chars().nth(max_chars).is_none() {
        return Cow::Borrowed(text);
    }
    let mut clipped: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    if max_chars > 0 {
        clipped.push('…');
    }
    Cow::Owned(clipped)
}

/// At most `max_bytes` bytes: the first third and the last two, since what went wrong mostly stands at the end, with a
/// line between them that says how much is missing. A text that was clipped before keeps to its limit.
pub fn clip_middle(text: &str, max_bytes: usize) -> Cow<'_, str> {
    const MARKER_ROOM: usize = 48;
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let room = max_bytes.saturating_sub(MARKER_ROOM);
    let head_end = text.floor_char_boundary(room / 3);
    let tail_start = text.ceil_char_boundary(text.len().saturating_sub(room - room / 3));
    let (head, tail) = (text.get(..head_end).unwrap_or_default(), text.get(tail_start..).unwrap_or_default());
    let missing = tail_start.saturating_sub(head_end);
    let clipped = format!("{head}\n[… {missing} bytes left out …]\n{tail}");
    if clipped.len() <= max_bytes {
        return Cow::Owned(clipped);
    }
    // Too little room for a marker at all.
    Cow::Borrowed(text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn github(fill: &str) -> String {
        format!("{}{}", concat!("gh", "p_"), fill.repeat(36 / fill.len()))
    }

    #[test]
    fn the_same_value_keeps_its_number() {
        let (a, b) = (github("aB3x"), github("Zq90"));
        let mut redactor = Redactor::default();
        let clean = redactor.redact(&format!("{a} {b} {a}")).into_owned();
        assert_eq!(clean, "[REDACTED:github_token:1] [REDACTED:github_token:2] [REDACTED:github_token:1]");
        assert_eq!(redactor.redact(&b), "[REDACTED:github_token:2]");
        assert!(!format!("{redactor:?}").contains(&a));
    }

    #[test]
    fn ordinary_text_is_borrowed_and_placeholders_stay() {
        let mut redactor = Redactor::default();
        for text in ["", "the token count is 5", "password = \"[REDACTED:password:1]\""] {
            assert!(matches!(redactor.redact(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn clips_by_characters() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äö…");
        assert_eq!(clip("ab", 0), "");
    }

    #[test]
    fn a_tracebacks_last_lines_survive() {
        let text = format!("Traceback\n{}\nImportError: no", "  File x\n".repeat(10_000));
        let clipped = clip_middle(&text, 1024);
        assert!(clipped.len() <= 1024 && clipped.starts_with("Traceback") && clipped.ends_with("ImportError: no"));
        assert!(clipped.contains("bytes left out"));
    }

    proptest! {
        #[test]
        fn clipping_keeps_its_limits(text in "\\PC{0,200}", most in 0usize..200) {
            prop_assert!(clip_middle(&text, most).len() <= most);
            prop_assert!(clip(&text, most).chars().count() <= most);
            let once = clip(&text, most);
            prop_assert_eq!(&clip(&once, most), &once);
        }

        #[test]
        fn redacting_twice_changes_nothing(text in "\\PC{0,200}") {
            let mut redactor = Redactor::default();
            let once = redactor.redact(&text).into_owned();
            prop_assert_eq!(redactor.redact(&once), once.as_str());
        }
    }
}

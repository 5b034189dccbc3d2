//! Texts of assets, which are foreign data: clipped, in one line, without control characters.

use serde_json::{Map, Value};

use crate::text::{clip, without_controls};

/// The most characters of a quoted text.
const MAX_QUOTED: usize = 200;

/// Whether an asset came from elsewhere and was not taken over yet.
pub fn is_external(document: &Map<String, Value>) -> bool {
    let status = document.get("a2a").and_then(|sharing| sharing.get("status")).and_then(Value::as_str);
    status == Some("external_candidate")
}

/// The asset id that a document states; empty if it states none.
pub(super) fn asset_id(document: &Map<String, Value>) -> &str {
    document.get("asset_id").and_then(Value::as_str).unwrap_or_default()
}

/// A text as one line of at most [`MAX_QUOTED`] characters that cannot leave its quotes.
pub(super) fn quoted(text: &str, redact: &dyn Fn(&str) -> String) -> String {
    let line = redact(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let line = without_controls(&line).replace(['"', '`'], "'");
    clip(&line, MAX_QUOTED).into_owned()
}

/// The words of a text that name something: three or more letters, digits and `_`, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let parts = text.split(|c: char| !is_part(c)).map(str::to_lowercase);
    parts.filter(|word| word.chars().count() >= 3 && word.chars().count() <= 40 && !is_common(word)).collect()
}

/// Words that say nothing about a change.
fn is_common(word: &str) -> bool {
    const COMMON: &[&str] = &[
        "and", "the", "for", "from", "with", "that", "this", "into", "not", "are", "was", "has", "have", "when",
        "which", "its", "all", "any", "use", "used", "uses", "fix", "fixed", "make", "file", "files", "change",
        "changes", "repair", "error", "errors",
    ];
    COMMON.contains(&word) || word.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_one_short_line_without_quotes() {
        let secret = |text: &str| text.replace("hunter2", "[redacted]");
        let text = "a \"b\"\n\u{1b}[31m`rm`\u{202e} hunter2";
        assert_eq!(quoted(text, &secret), "a 'b' \u{fffd}[31m'rm'\u{fffd} [redacted]");
        assert_eq!(quoted(&"x".repeat(500), &secret).chars().count(), MAX_QUOTED);
    }

    #[test]
    fn words_name_something() {
        assert_eq!(
            words("Import `Mapping` from collections.abc (2 files)"),
            ["import", "mapping", "collections", "abc"]
        );
    }
}

//! How letters of patterns and paths are compared.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use super::confusable::lookalike;

/// How letters are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// As they are.
    Exact,
    /// Without letter case, and without the difference between letters that look alike.
    Folded,
}

/// The text as this case compares it. Folding replaces letters that look like ASCII ones, then removes letter case
/// ([`fold_case`]).
pub(super) fn fold(text: &str, case: Case) -> Cow<'_, str> {
    if case == Case::Exact {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() {
        return fold_case(text);
    }
    let plain: String = text.chars().map(|c| lookalike(c).unwrap_or(c)).collect();
    Cow::Owned(fold_case(&plain).chars().map(|c| lookalike(c).unwrap_or(c)).collect())
}

/// The text without letter case: compatibility form, then upper case (which unifies `ß` with `ss` and `ı` with `i`),
/// then lower case.
pub(crate) fn fold_case(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return Cow::Owned(text.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect());
    }
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

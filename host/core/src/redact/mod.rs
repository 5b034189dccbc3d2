//! Replaces secrets and personal data by placeholders, and clips texts. Each field is redacted before it is clipped
//! (invariant 12).
//!
//! Terminal sequences are left out first, so none is stored: a colour within a secret would hide it from the rules, and
//! from a reader that the secret is there.
//!
//! Ids (session, call, tool) are never redacted: if two ids became the same placeholder, unrelated calls would be
//! paired.

mod stream;
mod unnumbered;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::secret::{Plain, Ruleset, SecretMatch, Survey};
pub use crate::text::{clip, clip_middle};

pub use stream::RedactStream;
use unnumbered::Value;
pub(crate) use unnumbered::{Slot, Unnumbered};

/// Most distinct secrets that get their own number. Every further value gets the number 0. Numbers have at most
/// [`unnumbered::DIGITS`] digits.
const MAX_DISTINCT: usize = 65_536;

/// Replaces secrets and personal data by `[REDACTED:kind:n]`. Within one `Redactor` the same value always gets the same
/// `n`, so a reader can still tell secrets apart.
///
/// A `Redactor` keeps only a hash of each value.
#[derive(Debug, Default)]
pub struct Redactor {
    /// The operator's rules. If absent, the bundled rules are used.
    rules: Option<Arc<Ruleset>>,
    numbers: HashMap<Value, usize>,
    next: HashMap<Arc<str>, usize>,
}

/// One replacement. It does not hold the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Id of the rule.
    pub kind: String,
    /// Number of the value among values of the same kind; 0 if there were too many distinct values.
    pub number: usize,
    /// Offset in the original text where the value began.
    pub at: usize,
}

impl Redactor {
    /// A redactor that uses an operator's rules.
    pub fn with_rules(rules: Arc<Ruleset>) -> Self {
        Self { rules: Some(rules), ..Self::default() }
    }

    /// A redactor with the same rules that has seen no value yet.
    pub(crate) fn with_same_rules(&self) -> Self {
        Self { rules: self.rules.clone(), ..Self::default() }
    }

    /// The text without its secrets, personal data and terminal sequences. Takes linear time; borrows the text if it has
    /// none of them.
    pub fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.redact_listed(text).0
    }

    /// Like [`Self::redact`], with the list of replacements in order.
    pub fn redact_listed<'t>(&mut self, text: &'t str) -> (Cow<'t, str>, Vec<Redaction>) {
        let rules = self.rules.clone();
        let read = Read::of(rules.as_deref(), text);
        if read.found.is_empty() {
            return (read.text, Vec::new());
        }
        let (clean, mut listed) = self.replaced(&read.text, &read.found);
        for redaction in &mut listed {
            redaction.at = read.origin(redaction.at);
        }
        (Cow::Owned(clean), listed)
    }

    fn replaced(&mut self, text: &str, found: &[SecretMatch<'_>]) -> (String, Vec<Redaction>) {
        let redacted = Unnumbered::of(text, found);
        let numbers = self.numbers_of(&redacted.slots);
        let listed = found.iter().zip(&numbers);
        let listed = listed.map(|(secret, number)| Redaction {
            kind: secret.kind.to_owned(),
            number: *number,
            at: secret.range.start,
        });
        (unnumbered::fill(&redacted.text, &redacted.slots, &numbers), listed.collect())
    }

    /// The text without its secrets and personal data, clipped to at most `most` bytes as [`clip_middle`] does. The
    /// placeholders get their numbers later from [`Redactor::number`], of this redactor or of another.
    pub(crate) fn redact_unnumbered(&self, text: &str, most: usize) -> Unnumbered {
        let read = Read::of(self.rules.as_deref(), text);
        if read.found.is_empty() {
            return Unnumbered { text: clip_middle(&read.text, most).into_owned(), slots: Vec::new() };
        }
        Unnumbered::of(&read.text, &read.found).clipped(most)
    }

    /// Writes the placeholders' numbers into the text.
    pub(crate) fn number(&mut self, text: &mut String, slots: &[Slot]) {
        if !slots.is_empty() {
            *text = unnumbered::fill(text, slots, &self.numbers_of(slots));
        }
    }

    fn numbers_of(&mut self, slots: &[Slot]) -> Vec<usize> {
        slots.iter().map(|slot| self.number_of(&slot.value)).collect()
    }

    fn number_of(&mut self, value: &Value) -> usize {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        if self.numbers.len() >= MAX_DISTINCT {
            return 0;
        }
        let next = self.next.entry(value.kind.clone()).or_insert(0);
        *next += 1;
        self.numbers.insert(value.clone(), *next);
        *next
    }
}

/// A text without terminal sequences, and what is to be replaced in it.
struct Read<'t, 'r> {
    text: Cow<'t, str>,
    found: Vec<SecretMatch<'r>>,
    /// The offsets of the text before, if sequences were left out.
    plain: Option<Plain>,
}

impl<'t, 'r> Read<'t, 'r> {
    fn of(rules: Option<&'r Ruleset>, text: &'t str) -> Self {
        let rules = rules.unwrap_or_else(|| Ruleset::bundled());
        let survey = Survey::of(text);
        if !survey.terminal {
            return Self { text: Cow::Borrowed(text), found: rules.surveyed(None, text, &survey), plain: None };
        }
        let mut plain = Plain::of(text);
        let found = rules.without_sequences(text, &survey, &plain);
        Self { text: Cow::Owned(std::mem::take(&mut plain.text)), found, plain: Some(plain) }
    }

    /// Where a place of the text is in the text with its sequences.
    fn origin(&self, at: usize) -> usize {
        self.plain.as_ref().map_or(at, |plain| plain.origin(at))
    }
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

    proptest! {
        #[test]
        fn what_is_hidden_and_clipped_first_is_numbered_like_the_whole(
            words in proptest::collection::vec(0usize..5, 0..60), most in 0usize..400,
        ) {
            let mails = ["ann@corp.example", "bob@corp.example", "eve@corp.example"].map(|mail| mail.replace("corp", "acme"));
            let word = |at: usize| mails.get(at).map_or("wörter", String::as_str);
            let text = words.into_iter().map(word).collect::<Vec<_>>().join(" ");
            let mut redactor = Redactor::default();
            let redacted = redactor.redact_unnumbered(&text, most);
            let mut numbered = redacted.text.clone();
            redactor.number(&mut numbered, &redacted.slots);
            prop_assert!(numbered.len() <= most.max(redacted.text.len()) && redacted.text.len() <= most);
            for mail in &mails {
                prop_assert!(!numbered.contains(mail.as_str()));
            }
            if redacted.text.len() == redactor.redact_unnumbered(&text, usize::MAX).text.len() {
                prop_assert_eq!(&numbered, &Redactor::default().redact(&text).into_owned());
            }
            // Every number is complete.
            for after in numbered.split("[REDACTED:email:").skip(1) {
                let number: String = after.chars().take_while(char::is_ascii_digit).collect();
                prop_assert!(number.is_empty() || (1..=3).contains(&number.parse::<usize>().unwrap()), "{}", numbered);
            }
        }

        #[test]
        fn redacting_twice_changes_nothing(text in "\\PC{0,200}") {
            let mut redactor = Redactor::default();
            let once = redactor.redact(&text).into_owned();
            prop_assert_eq!(redactor.redact(&once), once.as_str());
        }
    }
}

//! Secrets and personal data out, placeholders in; and the clipping that comes after (invariant 12: per field, before clipping).
//!
//! Ids (session, call, tool) never pass through here: a placeholder in an id would pair calls that have nothing to
//! do with each other.

mod hidden;
mod stream;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::secret::{Ruleset, SecretMatch};
pub use crate::text::{clip, clip_middle};

use hidden::Value;
pub(crate) use hidden::{Hidden, Slot};
pub use stream::RedactStream;

/// Most distinct secrets that get a number of their own; all further ones of a kind share `0`. Numbers have
/// [`hidden::DIGITS`] digits at most.
const MAX_DISTINCT: usize = 65_536;

/// Replaces secrets and personal data by `[REDACTED:kind:n]`, where `n` is the same for the same value within one
/// `Redactor`, so that a reader still sees which secret is which.
///
/// It keeps no value, only a hash of each.
#[derive(Debug, Default)]
pub struct Redactor {
    /// The operator's rules; the bundled ones without.
    rules: Option<Arc<Ruleset>>,
    numbers: HashMap<Value, usize>,
    next: HashMap<Arc<str>, usize>,
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

    /// One with the same rules that knows no value yet.
    pub(crate) fn with_same_rules(&self) -> Self {
        Self { rules: self.rules.clone(), ..Self::default() }
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
        let hidden = Hidden::of(text, found);
        let numbers = self.numbers_of(&hidden.slots);
        let listed = found.iter().zip(&numbers);
        let listed = listed.map(|(secret, number)| Redaction {
            kind: secret.kind.to_owned(),
            number: *number,
            at: secret.range.start,
        });
        (hidden::fill(&hidden.text, &hidden.slots, &numbers), listed.collect())
    }

    /// The text without its secrets and personal data, in at most `most` bytes, as [`clip_middle`] clips. Its values get
    /// their numbers by [`Redactor::number`], of this redactor or another.
    pub(crate) fn hide(&self, text: &str, most: usize) -> Hidden {
        let found = found(self.rules.as_deref(), text);
        if found.is_empty() {
            return Hidden { text: clip_middle(text, most).into_owned(), slots: Vec::new() };
        }
        Hidden::of(text, &found).clipped(most)
    }

    /// Writes the numbers of a text's values into it.
    pub(crate) fn number(&mut self, text: &mut String, slots: &[Slot]) {
        if !slots.is_empty() {
            *text = hidden::fill(text, slots, &self.numbers_of(slots));
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

fn found<'r>(rules: Option<&'r Ruleset>, text: &str) -> Vec<SecretMatch<'r>> {
    rules.unwrap_or_else(|| Ruleset::bundled()).secrets_and_personal(None, text)
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
            let hidden = redactor.hide(&text, most);
            let mut numbered = hidden.text.clone();
            redactor.number(&mut numbered, &hidden.slots);
            prop_assert!(numbered.len() <= most.max(hidden.text.len()) && hidden.text.len() <= most);
            for mail in &mails {
                prop_assert!(!numbered.contains(mail.as_str()));
            }
            if hidden.text.len() == redactor.hide(&text, usize::MAX).text.len() {
                prop_assert_eq!(&numbered, &Redactor::default().redact(&text).into_owned());
            }
            // Every number is whole.
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

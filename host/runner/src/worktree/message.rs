//! The text and the identity of a commit.
//!
//! Title, body and trailer values come from genes and models. Nothing in them may start a line of its own: not a
//! second subject, not a header, not a trailer that names an approver who never was (F15).

use std::ffi::OsString;

use gephost_core::config::ApplyTable;
use jiff::Timestamp;

use super::Signer;

/// Characters of a subject, at most.
const MAX_SUBJECT: usize = 100;
/// Characters of a line of the body or of a trailer's value, at most.
const MAX_LINE: usize = 1000;
/// Lines of a body, at most.
const MAX_BODY_LINES: usize = 200;

/// A commit's message: a subject, a body that may be empty, and trailers as the last paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage(String);

impl CommitMessage {
    /// Makes each part safe and puts them together. Trailers with an empty value are left out; a key keeps its
    /// letters, digits and dashes.
    pub fn new(subject: &str, body: &str, trailers: &[(&str, &str)]) -> Self {
        let subject = Some(one_line(subject, MAX_SUBJECT)).filter(|line| !line.is_empty());
        let mut text = subject.unwrap_or_else(|| "Apply a proposal".to_owned());
        text.push('\n');
        let body = body_lines(body);
        if !body.is_empty() {
            text.push('\n');
            text.push_str(&body);
        }
        let trailers: Vec<String> = trailers.iter().filter_map(|(key, value)| trailer(key, value)).collect();
        if !trailers.is_empty() {
            text.push('\n');
            text.extend(trailers);
        }
        Self(text)
    }

    /// The whole text, ending in a newline.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Who makes a commit, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    name: String,
    email: String,
    at: Timestamp,
    signer: Option<Signer>,
}

/// A name or an address that git could not store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("git identity {text:?} has no letter or digit: set a name and an address")]
pub struct IdentityError {
    text: String,
}

impl Identity {
    /// Takes what would break a commit's header (`<`, `>`, line breaks) out of name and address. The time is written
    /// in UTC.
    pub fn new(name: &str, email: &str, at: Timestamp) -> Result<Self, IdentityError> {
        Ok(Self { name: identity_part(name)?, email: identity_part(email)?, at, signer: None })
    }

    /// Who the config says, signing if it says so; a signing program gets this environment and no other.
    pub fn of(
        table: &ApplyTable,
        signing_environment: &[(OsString, OsString)],
        at: Timestamp,
    ) -> Result<Self, IdentityError> {
        let signer = table.sign.as_ref().map(|signing| Signer::new(signing, signing_environment.to_vec()));
        Ok(Self::new(&table.author_name, &table.author_email, at)?.signed_by(signer))
    }

    /// The same, whose commits are signed.
    #[must_use]
    pub fn signed_by(self, signer: Option<Signer>) -> Self {
        Self { signer, ..self }
    }

    pub(super) fn signer(&self) -> Option<&Signer> {
        self.signer.as_ref()
    }

    /// As a line of a reflog has it.
    pub(super) fn reflog_form(&self) -> String {
        format!("{} <{}> {} +0000", self.name, self.email, self.at.as_second())
    }

    /// When.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    pub(super) fn signature(&self) -> Result<git2::Signature<'static>, git2::Error> {
        git2::Signature::new(&self.name, &self.email, &git2::Time::new(self.at.as_second(), 0))
    }
}

fn identity_part(text: &str) -> Result<String, IdentityError> {
    let part = one_line(&text.replace(['<', '>'], ""), MAX_SUBJECT);
    if part.chars().any(char::is_alphanumeric) { Ok(part) } else { Err(IdentityError { text: text.to_owned() }) }
}

fn body_lines(body: &str) -> String {
    let mut text = String::new();
    let mut lines = body.lines().map(|line| one_line(line, MAX_LINE)).take(MAX_BODY_LINES).peekable();
    while lines.next_if(String::is_empty).is_some() {}
    while let Some(line) = lines.next() {
        if line.is_empty() && lines.peek().is_none_or(String::is_empty) {
            continue;
        }
        if reads_as_trailer(&line) {
            text.push_str("    ");
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn trailer(key: &str, value: &str) -> Option<String> {
    let key: String = key.chars().filter(|&c| c.is_ascii_alphanumeric() || c == '-').collect();
    let value = one_line(value, MAX_LINE);
    (!key.is_empty() && !value.is_empty()).then(|| format!("{key}: {value}\n"))
}

/// git reads `Key: value` and `Key : value` as a trailer.
fn reads_as_trailer(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, _)| {
        let key = key.trim_end();
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// The text with every run of spaces, line breaks, control and invisible characters as one space, cut at a count of
/// characters.
fn one_line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c)) {
        if word.is_empty() {
            continue;
        }
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count == max_chars {
                line.push('…');
                return line;
            }
            line.push(c);
            count += 1;
        }
    }
    line
}

/// Characters that change how a line reads and show nothing themselves: zero-width ones, and those of text direction.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f15_a_newline_in_any_part_starts_no_line() {
        for newline in ["\n", "\r", "\r\n", "\n\n", "\u{2028}", "\u{2029}", "\u{85}", "\u{b}", "\u{c}", "\0"] {
            let message = CommitMessage::new(
                &format!("fix{newline}Approved-by: nobody"),
                "",
                &[("Gene", &format!("a{newline}Approved-by: nobody"))],
            );
            let expected = "fix Approved-by: nobody\n\nGene: a Approved-by: nobody\n";
            assert_eq!(message.as_str(), expected, "{newline:?}");
        }
    }

    #[test]
    fn a_body_cannot_pass_for_a_trailer() {
        let message = CommitMessage::new("s", "why\n\n\n\nApproved-by: x\nRisk : 0\n\n", &[("Risk", "9")]);
        assert_eq!(message.as_str(), "s\n\nwhy\n\n    Approved-by: x\n    Risk : 0\n\nRisk: 9\n");
    }

    #[test]
    fn empty_parts_are_left_out_and_a_subject_is_always_there() {
        assert_eq!(CommitMessage::new(" \n", "\n", &[("", "x"), ("K", "\t")]).as_str(), "Apply a proposal\n");
    }

    #[test]
    fn a_long_subject_is_cut_between_characters() {
        let message = CommitMessage::new(&"é".repeat(500), "", &[]);
        assert_eq!(message.as_str(), format!("{}…\n", "é".repeat(MAX_SUBJECT)));
    }

    #[test]
    fn identities_cannot_write_a_header() {
        let at = Timestamp::UNIX_EPOCH;
        let identity = Identity::new("a <b>\nparent 0", "c@d>\n", at).expect("has letters");
        assert_eq!((identity.name.as_str(), identity.email.as_str()), ("a b parent 0", "c@d"));
        for text in ["", "<>", "\n", "..."] {
            assert!(Identity::new(text, "a@b", at).is_err(), "{text:?}");
            assert!(Identity::new("a", text, at).is_err(), "{text:?}");
        }
    }
}

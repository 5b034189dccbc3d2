//! Messages in files, for nodes without a hub (`GEP.md`, section 7, "FileTransport").
//!
//! Owns a folder that the user names: `outbox/TYPE.jsonl`, which gephost appends to, and `inbox/*.jsonl`, which others fill.
//! What must stay true: a line that was appended is on disk, and nothing in the inbox is changed.

use std::io;

use serde_json::{Map, Value};

use crate::durable::{self, Access, Line};
use crate::place::Place;

/// Longest message in an inbox, in bytes: a bundle and its envelope.
const MAX_LINE: usize = 1 << 20;
/// Most files of an inbox.
const MAX_FILES: usize = 1000;

/// A folder with an outbox and an inbox.
#[derive(Debug, Clone)]
pub struct Mailbox {
    folder: Place,
}

/// A line of an inbox.
#[derive(Debug)]
pub struct Mail<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// The number of the line, from 1.
    pub number: u64,
    /// The line; `None` if it is too long to be read.
    pub text: Option<&'a [u8]>,
}

impl Mailbox {
    /// A folder. Touches nothing.
    pub fn new(folder: Place) -> Self {
        Self { folder }
    }

    /// Appends a message of a type to the outbox.
    pub fn send(&self, kind: &str, message: &Map<String, Value>) -> io::Result<()> {
        let outbox = self.folder.join("outbox");
        durable::create_folder(&outbox, Access::Shared)?;
        let place = outbox.join(format!("{kind}.jsonl"));
        let mut file = durable::open_to_append(&place, Access::Shared)?;
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        durable::append(&mut file, &place, &line)
    }

    /// Hands over every line of the inbox, files by name.
    pub fn receive(&self, mut each: impl FnMut(Mail<'_>)) -> io::Result<()> {
        let inbox = self.folder.join("inbox");
        if !inbox.exists()? {
            return Ok(());
        }
        let mut names: Vec<_> = inbox.files()?.into_iter().map(|(name, _)| name).collect();
        names.sort();
        for name in names.into_iter().take(MAX_FILES) {
            let shown = name.to_string_lossy();
            if !shown.ends_with(".jsonl") {
                continue;
            }
            let Some(mut file) = durable::open_to_read(&inbox.join(&name))? else { continue };
            let mut number = 0;
            durable::read_lines(&mut file, MAX_LINE, |line| {
                number += 1;
                let text = match line {
                    Line::Whole(text) | Line::Torn(text) => Some(text),
                    Line::TooLong => None,
                };
                each(Mail { file: &shown, number, text });
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_sent_is_appended_and_what_others_sent_is_read_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = Mailbox::new(Place::shared(folder.path()).join("a2a"));
        mailbox.receive(|_| panic!("nothing is there")).unwrap();
        let message = Map::from_iter([("a".to_owned(), Value::from(1))]);
        mailbox.send("publish", &message).unwrap();
        mailbox.send("publish", &message).unwrap();
        let sent = fs::read_to_string(folder.path().join("a2a/outbox/publish.jsonl")).unwrap();
        assert_eq!(sent, "{\"a\":1}\n{\"a\":1}\n");
        let inbox = folder.path().join("a2a/inbox");
        fs::create_dir(&inbox).unwrap();
        fs::write(inbox.join("b.jsonl"), format!("{}\nlast", "x".repeat(MAX_LINE + 1))).unwrap();
        fs::write(inbox.join("a.jsonl"), "first\n").unwrap();
        fs::write(inbox.join("notes.txt"), "no message\n").unwrap();
        let mut seen = Vec::new();
        let text = |text: Option<&[u8]>| text.map(|text| String::from_utf8_lossy(text).into_owned());
        mailbox.receive(|mail| seen.push((mail.file.to_owned(), mail.number, text(mail.text)))).unwrap();
        let expected = [("a.jsonl", 1, Some("first")), ("b.jsonl", 1, None), ("b.jsonl", 2, Some("last"))];
        assert_eq!(seen, expected.map(|(file, number, text)| (file.to_owned(), number, text.map(str::to_owned))));
    }
}

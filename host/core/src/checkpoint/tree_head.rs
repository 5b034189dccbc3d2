//! The text of a checkpoint.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::merkle::{Hash, Tree};
use super::note::{NoteError, SignedNote};

/// A length and a root of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log that it is of.
    pub origin: String,
    /// How many entries.
    pub size: u64,
    /// The root of their tree.
    pub root: Hash,
}

/// Why a note is no checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// It is no note.
    #[error("it is not a signed note: {0}")]
    Note(#[from] NoteError),
    /// Its text is not that of a checkpoint.
    #[error("it is a signed note, but not a checkpoint: {0}")]
    Body(&'static str),
}

impl Checkpoint {
    /// Of a whole tree.
    pub fn of(origin: &str, tree: &Tree) -> Self {
        Self { origin: origin.to_owned(), size: tree.size(), root: tree.root() }
    }

    /// The text that is signed.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root))
    }

    /// Reads the text of a note. Further lines are allowed and mean nothing.
    pub fn read(text: &str) -> Result<Self, CheckpointError> {
        let wrong = CheckpointError::Body;
        let text = text.strip_suffix('\n').ok_or(wrong("its last line has no end"))?;
        let mut lines = text.split('\n');
        let (Some(origin), Some(size), Some(root)) = (lines.next(), lines.next(), lines.next()) else {
            return Err(wrong("it has fewer than three lines"));
        };
        if origin.is_empty() || lines.any(str::is_empty) {
            return Err(wrong("a line is empty"));
        }
        let count = size.parse::<u64>().ok().filter(|count| count.to_string() == size);
        let count = count.ok_or(wrong("its second line is not a number of entries"))?;
        let root = STANDARD.decode(root).ok().and_then(|bytes| Hash::try_from(bytes).ok());
        let root = root.ok_or(wrong("its third line is not a SHA-256 in base64"))?;
        Ok(Self { origin: origin.to_owned(), size: count, root })
    }

    /// Reads a signed note. Its signatures are not checked yet.
    pub fn read_note(bytes: &[u8]) -> Result<(Self, SignedNote), CheckpointError> {
        let note = SignedNote::read(bytes)?;
        Ok((Self::read(&note.text)?, note))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_has_the_form_of_c2sp() {
        let checkpoint = Checkpoint::of("gephost-log/00", &Tree::default());
        assert_eq!(checkpoint.text(), "gephost-log/00\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n");
        assert_eq!(Checkpoint::read(&checkpoint.text()), Ok(checkpoint));
        // The example of the specification.
        let text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
        let read = Checkpoint::read(text).unwrap();
        assert_eq!((read.origin.as_str(), read.size), ("example.com/behind-the-sofa", 20_852_163));
        assert_eq!(read.text(), text);
        assert_eq!(Checkpoint::read(&format!("{text}more\n")), Ok(read));
    }

    #[test]
    fn what_is_no_checkpoint_is_refused() {
        let root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        for text in [
            String::new(),
            "a\n1\n".to_owned(),
            format!("a\n1\n{root}"),
            format!("\n1\n{root}\n"),
            format!("a\n01\n{root}\n"),
            format!("a\n+1\n{root}\n"),
            format!("a\n-1\n{root}\n"),
            format!("a\n99999999999999999999\n{root}\n"),
            "a\n1\nAAAA\n".to_owned(),
            format!("a\n1\n{root}\n\nb\n"),
        ] {
            assert!(Checkpoint::read(&text).is_err(), "{text:?}");
        }
    }
}

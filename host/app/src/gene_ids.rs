//! Which gene an id stands for. Capsules, grants, settings and the history name a gene by its id.
//!
//! What must stay true: no two genes of a cycle have the same id, wherever they come from. The same bytes in two places are
//! one gene.

use std::fmt;

use gephost_core::recording::Digest;
use gephost_runner::bundled::Bundled;

use crate::error::{AppError, printable};

/// Where a gene comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GeneSource {
    /// It is part of gephost.
    Bundled,
    /// A file that the config or the request names, by that name.
    File(String),
    /// The user added it, and `gephost.lock` pins it.
    Added,
    /// The assets folder.
    Assets,
}

impl fmt::Display for GeneSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundled => f.write_str("the bundled gene"),
            Self::File(name) => f.write_str(&printable(name)),
            Self::Added => f.write_str("the component that gephost.lock pins"),
            Self::Assets => f.write_str("the gene of the assets folder"),
        }
    }
}

/// What a gene consists of. The digest of a bundled gene is computed only if it is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    Bundled(&'static Bundled),
    Digest(Digest),
}

impl Content {
    pub(crate) fn digest(self) -> Digest {
        match self {
            Self::Bundled(bundled) => Digest::of(bundled.bytes),
            Self::Digest(digest) => digest,
        }
    }
}

/// The ids that are taken, and by whom.
#[derive(Debug, Default)]
pub(crate) struct GeneIds {
    taken: Vec<(String, GeneSource, Content)>,
}

impl GeneIds {
    /// Takes an id for a gene. Returns whether it is new; `false` says that this very gene has it already.
    pub(crate) fn take(&mut self, id: &str, source: &GeneSource, content: Content) -> Result<bool, AppError> {
        match self.taken.iter().find(|(taken, ..)| taken == id) {
            None => {
                self.taken.push((id.to_owned(), source.clone(), content));
                Ok(true)
            }
            Some((_, _, other)) if other.digest() == content.digest() => Ok(false),
            Some((_, first, other)) => Err(clash(id, (first, *other), (source, content))),
        }
    }

    /// The ids that are taken.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.taken.iter().map(|(id, ..)| id.as_str())
    }
}

/// Why neither of two genes runs.
pub(crate) fn clash(id: &str, first: (&GeneSource, Content), second: (&GeneSource, Content)) -> AppError {
    let named = |(source, content): (&GeneSource, Content)| format!("{source} (sha256:{})", content.digest().short());
    let message = format!("two genes have the id {id}: {} and {}", named(first), named(second));
    let bundled = if [first.0, second.0].contains(&&GeneSource::Bundled) {
        "; or leave the bundled genes out with `bundled = false` under `[genes]`"
    } else {
        ""
    };
    AppError::usage("gene_id", message).hint(format!("give one of them another id, or name only one of them{bundled}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stands_for_one_gene() {
        let file = |name: &str| GeneSource::File(name.to_owned());
        let content = |bytes: &[u8]| Content::Digest(Digest::of(bytes));
        let mut ids = GeneIds::default();
        assert!(ids.take("g", &file("a.wasm"), content(b"1")).expect("free"));
        assert!(!ids.take("g", &file("copy.wasm"), content(b"1")).expect("the same gene"));
        let error = ids.take("g", &file("b\u{202e}.wasm"), content(b"2")).expect_err("another gene");
        assert_eq!(error.code, "gene_id");
        assert!(error.message.starts_with("two genes have the id g: a.wasm (sha256:"), "{}", error.message);
        assert!(error.message.contains(" and b\u{fffd}.wasm (sha256:"), "{}", error.message);
        assert_eq!(ids.iter().collect::<Vec<_>>(), ["g"]);
    }
}

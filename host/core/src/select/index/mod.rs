//! An index over many genes that are not held in memory as documents, and over their capsules. It gives what
//! [`super::select`] gives for the first genes, without looking at every gene.
//!
//! Patterns are numbered. Plain patterns are found through their parts, error signatures through their hash, and
//! expressions through words that each of their matches has; an expression is then verified. Each pattern leads to its
//! genes and capsules.
//!
//! A pattern that a great many genes share leads to classes instead: all genes of a class have the same common patterns, the
//! same category and the same origin, so without anything else they have the same score, and the first few by id stand
//! for all. In the same way, capsules with the same common triggers form a group within a class, in the order of their
//! confidence.

mod build;
mod bytes;
mod forms;
mod literals;
mod matched;
mod search;
#[cfg(test)]
mod tests;
mod top;

use bytes::{Section, Sections};

pub use build::{Builder, CapsuleEntry, GeneEntry, Rank};
pub use search::{Found, FoundGene, Query, Searcher};

/// Most expressions that one selection verifies. Those after them are counted, and not asked.
pub const MAX_EXPRESSIONS: usize = 4096;

/// Where the document of a gene is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of the file, as whoever builds the index numbers them.
    pub file: u32,
    /// Byte that the document begins with.
    pub offset: u64,
    /// Its bytes.
    pub length: u32,
}

/// An index of genes and capsules.
#[derive(Debug)]
pub struct Index {
    sections: Sections,
}

impl Index {
    /// Reads what [`Builder::finish`] returned. `None` if the bytes are cut, or of another version. Whoever stores the bytes
    /// has to tell whether they were damaged: damaged ones give wrong genes, but no panic.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        Sections::read(bytes).map(|sections| Self { sections })
    }

    /// The bytes of the index.
    pub fn as_bytes(&self) -> &[u8] {
        self.sections.whole()
    }

    /// How many genes it has.
    pub fn genes(&self) -> usize {
        self.sections.numbers(Section::GeneClass).len()
    }

    /// How many capsules add something to a gene.
    pub fn capsules(&self) -> usize {
        self.sections.numbers(Section::CapsuleGene).len()
    }

    /// How many different patterns its genes and capsules have.
    pub fn patterns(&self) -> usize {
        self.sections.bytes(Section::Forms).len()
    }

    /// How many genes and capsules it had no room for.
    pub fn left_out(&self) -> u32 {
        self.sections.numbers(Section::LeftOut).at(0)
    }

    /// Whether it has a gene with this id.
    pub fn has(&self, id: &str) -> bool {
        self.gene_of(id).is_some()
    }

    /// Where the document of the gene with this id is.
    pub fn place_of(&self, id: &str) -> Option<Place> {
        self.gene_of(id).map(|gene| self.place(gene as usize))
    }

    /// The number of the gene with this id.
    fn gene_of(&self, id: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.genes());
        while low < high {
            let middle = low.midpoint(high);
            match self.gene_id(middle).cmp(id.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return u32::try_from(middle).ok(),
            }
        }
        None
    }

    fn gene_id(&self, gene: usize) -> &[u8] {
        self.sections.text((Section::GeneIds, Section::GeneIdStarts), gene)
    }

    fn place(&self, gene: usize) -> Place {
        let numbers = self.sections.numbers(Section::GenePlaces);
        let at = gene * 4;
        Place { file: numbers.at(at), offset: numbers.wide(at + 1), length: numbers.at(at + 3) }
    }

    fn pattern(&self, pattern: usize) -> &[u8] {
        self.sections.text((Section::Patterns, Section::PatternStarts), pattern)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

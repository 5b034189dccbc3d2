//! The bytes of an index: sections of numbers and texts. All numbers are little-endian, so the same genes give the same
//! bytes on every machine.
//!
//! What must stay true: no access panics, whatever the bytes are. A number that is not there reads as 0.

use std::ops::Range;

/// What an index begins with. The last digits are the version of the layout.
const MAGIC: &[u8; 8] = b"gphsel02";

/// One section of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Section {
    /// Ids of genes, sorted.
    GeneIds,
    GeneIdStarts,
    /// The class of each gene.
    GeneClass,
    /// The patterns of each gene, in its own order, each once.
    GenePatterns,
    GenePatternStarts,
    /// Where each gene's document is: file, offset (low, high), length.
    GenePlaces,
    /// The first capsule of each gene, and the end of the last one's.
    GeneCapsules,
    /// Which common triggers the capsules of each gene have.
    GeneTriggers,
    /// The greatest confidence of each gene's capsules, rounded up to an `f32`.
    GeneConfidence,
    /// Of each class: origin and category.
    Classes,
    /// The classes of each common pattern.
    CommonClasses,
    CommonClassStarts,
    ClassGenes,
    ClassGeneStarts,
    /// The groups of each class.
    ClassGroups,
    /// Texts of patterns, sorted.
    Patterns,
    PatternStarts,
    /// Form of each pattern.
    Forms,
    /// Genes of each pattern that is not common, each with its class.
    PatternGenes,
    PatternGeneStarts,
    /// Capsules of each pattern that is not a common trigger: gene, class of the gene, and confidence rounded up to an
    /// `f32`.
    PatternCapsules,
    PatternCapsuleStarts,
    /// Patterns that many genes share.
    CommonPatterns,
    /// Patterns that many capsules share.
    CommonTriggers,
    /// Hash and pattern of each error signature, sorted.
    Signatures,
    /// Expressions without a word.
    Always,
    /// Ids of capsules, sorted within each gene.
    CapsuleIds,
    CapsuleIdStarts,
    /// Capsules in the order of their ids.
    CapsuleOrder,
    CapsuleGene,
    CapsuleConfidence,
    CapsuleTriggers,
    CapsuleTriggerStarts,
    /// Of each group: its common triggers, the number of all triggers, and the greatest confidence, rounded up to an `f32`.
    Groups,
    GroupCapsules,
    GroupCapsuleStarts,
    /// Parts of plain patterns.
    PartTexts,
    PartStarts,
    PartParents,
    PartOwners,
    PartOwnerStarts,
    PartSlots,
    /// Words of expressions.
    WordTexts,
    WordStarts,
    WordParents,
    WordOwners,
    WordOwnerStarts,
    WordSlots,
    /// How many entries were left out.
    LeftOut,
}

/// How many sections there are.
const SECTIONS: usize = Section::LeftOut as usize + 1;
/// Bytes before the first section.
const HEADER: usize = MAGIC.len() + SECTIONS * 8;

/// The sections of an index that is written.
#[derive(Debug)]
pub(super) struct Writer {
    sections: Vec<Vec<u8>>,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self { sections: vec![Vec::new(); SECTIONS] }
    }

    pub(super) fn bytes(&mut self, section: Section, bytes: &[u8]) {
        if let Some(into) = self.sections.get_mut(section as usize) {
            into.extend_from_slice(bytes);
        }
    }

    pub(super) fn number(&mut self, section: Section, number: u32) {
        self.bytes(section, &number.to_le_bytes());
    }

    pub(super) fn numbers(&mut self, section: Section, numbers: impl IntoIterator<Item = u32>) {
        numbers.into_iter().for_each(|number| self.number(section, number));
    }

    /// Writes lists one after the other, and where each starts.
    pub(super) fn lists<I: IntoIterator<Item = u32>>(
        &mut self,
        (items, starts): (Section, Section),
        lists: impl IntoIterator<Item = I>,
    ) {
        let mut count = 0_u32;
        self.number(starts, 0);
        for list in lists {
            for item in list {
                self.number(items, item);
                count = count.saturating_add(1);
            }
            self.number(starts, count);
        }
    }

    /// Writes texts one after the other, and where each starts.
    pub(super) fn texts<'a>(&mut self, (heap, starts): (Section, Section), texts: impl IntoIterator<Item = &'a [u8]>) {
        let mut end = 0_usize;
        self.number(starts, 0);
        for text in texts {
            self.bytes(heap, text);
            end += text.len();
            self.number(starts, number(end));
        }
    }

    /// The whole index.
    pub(super) fn finish(self) -> Vec<u8> {
        let size = HEADER + self.sections.iter().map(Vec::len).sum::<usize>();
        let mut whole = Vec::with_capacity(size);
        whole.extend_from_slice(MAGIC);
        for section in &self.sections {
            whole.extend_from_slice(&(section.len() as u64).to_le_bytes());
        }
        for section in self.sections {
            whole.extend_from_slice(&section);
        }
        whole
    }
}

/// A count as it is written. The builder keeps every count and every length below 2^32.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The sections of an index that is read.
#[derive(Debug)]
pub(super) struct Sections {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Sections {
    /// `None` if the bytes do not begin like an index of this version, or have another length than they state.
    pub(super) fn read(bytes: Vec<u8>) -> Option<Self> {
        let lengths = bytes.strip_prefix(MAGIC)?.get(..SECTIONS * 8)?;
        let mut start = HEADER;
        let mut ranges = Vec::with_capacity(SECTIONS);
        for length in lengths.as_chunks::<8>().0 {
            let end = start.checked_add(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            ranges.push(start..end);
            start = end;
        }
        (start == bytes.len()).then_some(Self { bytes, ranges })
    }

    pub(super) fn whole(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn bytes(&self, section: Section) -> &[u8] {
        let range = self.ranges.get(section as usize).cloned().unwrap_or_default();
        self.bytes.get(range).unwrap_or_default()
    }

    pub(super) fn numbers(&self, section: Section) -> Numbers<'_> {
        Numbers(self.bytes(section).as_chunks::<4>().0)
    }

    /// The list with this number.
    pub(super) fn list(&self, (items, starts): (Section, Section), at: usize) -> Numbers<'_> {
        self.numbers(items).slice(self.numbers(starts).span(at))
    }

    /// The text with this number.
    pub(super) fn text(&self, (heap, starts): (Section, Section), at: usize) -> &[u8] {
        self.bytes(heap).get(self.numbers(starts).span(at)).unwrap_or_default()
    }
}

/// A list of numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<'a>(&'a [[u8; 4]]);

impl<'a> Numbers<'a> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(super) fn at(self, at: usize) -> u32 {
        self.0.get(at).copied().map_or(0, u32::from_le_bytes)
    }

    #[inline]
    pub(super) fn index(self, at: usize) -> usize {
        self.at(at) as usize
    }

    /// Where a list starts and ends, if these are starts.
    #[inline]
    pub(super) fn span(self, at: usize) -> Range<usize> {
        self.index(at)..self.index(at + 1)
    }

    fn slice(self, range: Range<usize>) -> Self {
        Self(self.0.get(range).unwrap_or_default())
    }

    /// The list in pairs.
    #[inline]
    pub(super) fn pairs(self) -> impl Iterator<Item = [u32; 2]> + 'a {
        self.0.as_chunks::<2>().0.iter().map(|pair| pair.map(u32::from_le_bytes))
    }

    /// The list in threes.
    #[inline]
    pub(super) fn threes(self) -> impl Iterator<Item = [u32; 3]> + 'a {
        self.0.as_chunks::<3>().0.iter().map(|three| three.map(u32::from_le_bytes))
    }

    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = u32> + 'a {
        self.0.iter().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// Two numbers as one of 64 bits, the low one first.
    #[inline]
    pub(super) fn wide(self, at: usize) -> u64 {
        u64::from(self.at(at)) | u64::from(self.at(at + 1)) << 32
    }
}

/// The halves of a number of 64 bits, the low one first.
pub(super) fn halves(wide: u64) -> [u32; 2] {
    #[expect(clippy::cast_possible_truncation, reason = "each half has 32 bits")]
    let halves = [wide as u32, (wide >> 32) as u32];
    halves
}

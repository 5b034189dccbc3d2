//! The files of an assets folder.

/// A file of assets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssetFile {
    /// Its name in the folder.
    pub name: &'static str,
    /// How assets stand in it.
    pub form: Form,
    /// The member `type` of its assets; empty if they have several.
    pub kind: &'static str,
    /// Its folder in an archive.
    pub(super) section: &'static str,
}

/// How assets stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON object with a list of this name, or the bare list.
    List(&'static str),
    /// One JSON object on each line. Such a file only grows.
    Lines,
}

/// What stands at one place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored<'a> {
    /// Something, as it is written.
    Text {
        /// The number of the item or line, from 1.
        number: u64,
        /// The text.
        text: &'a [u8],
    },
    /// A line that is longer than an asset may be. It was passed over.
    TooLong {
        /// Its number, from 1.
        number: u64,
    },
}

impl AssetFile {
    const fn list(section: &'static str, name: &'static str, key: &'static str, kind: &'static str) -> Self {
        Self { name, form: Form::List(key), kind, section }
    }

    const fn lines(section: &'static str, name: &'static str, kind: &'static str) -> Self {
        Self { name, form: Form::Lines, kind, section }
    }

    /// The name of its list; empty for a file of lines.
    pub(super) fn key(&self) -> &'static str {
        match self.form {
            Form::List(key) => key,
            Form::Lines => "",
        }
    }
}

pub(super) const GENES: AssetFile = AssetFile::list("genes", "genes.json", "genes", "Gene");
pub(super) const GENE_LINES: AssetFile = AssetFile::lines("genes", "genes.jsonl", "Gene");
pub(super) const CAPSULES: AssetFile = AssetFile::list("capsules", "capsules.json", "capsules", "Capsule");
pub(super) const CAPSULE_LINES: AssetFile = AssetFile::lines("capsules", "capsules.jsonl", "Capsule");
pub(super) const FAILED_CAPSULES: AssetFile =
    AssetFile::list("capsules", "failed_capsules.json", "failed_capsules", "Capsule");
pub(super) const EVENT_LINES: AssetFile = AssetFile::lines("events", "events.jsonl", "EvolutionEvent");
pub(super) const REPORT_LINES: AssetFile = AssetFile::lines("events", "validation_reports.jsonl", "ValidationReport");
pub(super) const EXTERNAL: AssetFile = AssetFile::lines("candidates", "external_candidates.jsonl", "");
/// What other tools remember of signals, genes and outcomes.
pub const MEMORY: AssetFile = AssetFile::lines("memory", "memory_graph.jsonl", "MemoryGraphEvent");

/// Every file of assets that gephost knows, in the order in which they are listed.
pub const FILES: &[AssetFile] = &[
    GENES,
    GENE_LINES,
    CAPSULES,
    CAPSULE_LINES,
    FAILED_CAPSULES,
    EVENT_LINES,
    REPORT_LINES,
    AssetFile::lines("candidates", "candidates.jsonl", ""),
    EXTERNAL,
    MEMORY,
    AssetFile::lines("distiller", "distiller_log.jsonl", ""),
];

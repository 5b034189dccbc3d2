//! `gephost gene pack`: makes a gene of what any compiler wrote.

use gephost_app::authoring::{Packed, PackingFiles, pack};
use gephost_author::pack::Encoding;
use gephost_core::gene::World;
use gephost_core::recording::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{EncodingWord, PackArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, grouped, printable};

pub(crate) fn run(environment: &Environment, arguments: &PackArguments) -> Result<Report, Failure> {
    let encoding = match arguments.strings {
        EncodingWord::Utf8 => Encoding::Utf8,
        EncodingWord::Utf16 => Encoding::Utf16,
    };
    let files = PackingFiles {
        manifest: &arguments.manifest,
        input: arguments.input.as_deref(),
        output: arguments.output.as_deref(),
        encoding,
    };
    let packed = pack(environment, &arguments.file, &files)?;
    Ok(Report::of(&GenePackPage { gene: PackedRow::of(&packed) }))
}

/// A gene that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GenePackPage {
    gene: PackedRow,
}

/// A gene that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PackedRow {
    /// The file.
    file: String,
    /// The gene's id.
    id: String,
    world: World,
    /// Bytes of the component.
    size: u64,
    /// Digest of the component.
    digest: Digest,
}

impl PackedRow {
    pub(super) fn of(packed: &Packed) -> Self {
        Self {
            file: packed.file.display().to_string(),
            id: packed.inspected.manifest.id().to_owned(),
            world: packed.inspected.manifest.world,
            size: packed.inspected.size,
            digest: packed.digest,
        }
    }

    pub(super) fn text(&self) -> String {
        let Self { file, id, world, size, digest } = self;
        let title = bold("Wrote");
        format!("{title}   {}: {id}, world {world}, {} bytes\n        {digest}\n", printable(file), grouped(*size))
    }
}

impl Page for GenePackPage {
    const KIND: &'static str = "gene-pack";

    fn text(&self) -> String {
        self.gene.text()
    }
}

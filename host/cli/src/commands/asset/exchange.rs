//! `gephost asset export|import`: takes the assets of a project along, and takes in what others made.

#![expect(clippy::disallowed_methods, reason = "the operator names the archive by its path")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::path::Path;

use gephost_app::Project;
use gephost_app::assets::Imported;
use schemars::JsonSchema;
use serde::Serialize;

use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, good, printable};
use crate::render::verdict::plural;

pub(crate) fn export(environment: &Environment, file: &Path, name: Option<&str>) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let path = environment.resolve(file);
    let folder = project.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let output =
        OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| {
            io(file, "create", &error).hint("an archive is a new file: name one that does not exist")
        })?;
    let written = project.export_assets(name.unwrap_or(&folder), &output);
    if let Err(error) = written {
        // Half an archive is of no use to anybody. That it cannot be removed is less important than the error.
        let _ = std::fs::remove_file(&path);
        return Err(error.into());
    }
    let bytes = output.metadata().map_err(|error| io(file, "read", &error))?.len();
    Ok(Report::of(&AssetExportPage { path: file.display().to_string(), bytes }))
}

/// An archive that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetExportPage {
    /// The archive.
    path: String,
    /// Its size in bytes.
    bytes: u64,
}

impl Page for AssetExportPage {
    const KIND: &'static str = "asset-export";

    fn text(&self) -> String {
        format!("Wrote {} ({} {}). Undo: rm {}\n", self.path, self.bytes, plural(self.bytes, "byte"), self.path)
    }
}

pub(crate) fn import(environment: &Environment, file: &Path, source: Option<&str>) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let imported = project.import_assets(file, source)?;
    Ok(Report::of(&AssetImportPage::of(imported)))
}

/// What was taken in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetImportPage {
    /// What is new in `external_candidates.jsonl`.
    received: Vec<ReceivedRow>,
    /// How many assets had been taken in before.
    known: u64,
    /// How many were refused.
    refused: u64,
    /// The first of those.
    refusals: Vec<RefusedRow>,
    /// How many assets of types that do not travel were passed over, by type.
    passed_over: BTreeMap<String, u64>,
}

/// An asset that was taken in.
#[derive(Debug, Serialize, JsonSchema)]
struct ReceivedRow {
    /// `Gene` or `Capsule`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Its member `id`.
    id: String,
    /// The asset id that its sender gave it.
    asset_id: String,
    /// Who signed the message that it came in: `unsigned`, or `verified by NODE`. Hubs and files carry no signature.
    signature: String,
}

/// An asset that was not taken in.
#[derive(Debug, Serialize, JsonSchema)]
struct RefusedRow {
    /// The name of its file within an archive; empty otherwise.
    file: &'static str,
    /// The number of the item or line, from 1.
    number: u64,
    /// Why.
    reason: String,
}

impl AssetImportPage {
    pub(crate) fn of(imported: Imported) -> Self {
        let received = imported.received.into_iter();
        let refusals = imported.refusals.into_iter();
        Self {
            received: received
                .map(|it| ReceivedRow { kind: it.kind, id: it.id, asset_id: it.asset_id, signature: it.signature })
                .collect(),
            known: imported.known,
            refused: imported.refused,
            refusals: refusals.map(|it| RefusedRow { file: it.file, number: it.number, reason: it.reason }).collect(),
            passed_over: imported.passed_over,
        }
    }
}

impl Page for AssetImportPage {
    const KIND: &'static str = "asset-import";

    fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.received {
            let (id, signature) = (printable(&row.id), printable(&row.signature));
            let _ = writeln!(text, "{} {} {id}  {}  {signature}", good("took in"), row.kind, row.asset_id);
        }
        for row in &self.refusals {
            let file = if row.file.is_empty() { String::new() } else { format!("{} ", row.file) };
            let _ = writeln!(text, "{} {file}number {}: {}", bad("refused"), row.number, printable(&row.reason));
        }
        let more = self.refused.saturating_sub(self.refusals.len() as u64);
        if more > 0 {
            let _ = writeln!(text, "{more} more were refused");
        }
        if self.known > 0 {
            let _ = writeln!(
                text,
                "{} {} here already",
                self.known,
                if self.known == 1 { "asset is" } else { "assets are" }
            );
        }
        for (kind, count) in &self.passed_over {
            let _ =
                writeln!(text, "passed over {count} of type {}: only genes and capsules are imported", printable(kind));
        }
        if self.received.is_empty() {
            text.push_str("Nothing new was taken in.\n");
        } else {
            text.push_str("They are candidates in external_candidates.jsonl, with lowered confidence. None of them runs by itself.\n");
        }
        text
    }
}

pub(crate) fn restore(environment: &Environment, file: &Path) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    Ok(Report::of(&AssetRestorePage { files: project.restore_assets(file)? }))
}

/// An archive that was put back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetRestorePage {
    /// How many files were written into the assets folder.
    files: u64,
}

impl Page for AssetRestorePage {
    const KIND: &'static str = "asset-restore";

    fn text(&self) -> String {
        format!("Put {} {} into the assets folder, as they were.\n", self.files, plural(self.files, "file"))
    }
}

//! `gephost log checkpoint`: a signed note of the log's length and root.

use std::path::Path;

use gephost_app::Project;
use schemars::JsonSchema;
use serde::Serialize;

use super::verify::count;
use crate::context::write_new;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::bold;

pub(crate) fn run(project: &Project, out: Option<&Path>) -> Result<Report, Failure> {
    let made = project.make_checkpoint()?;
    let file = out.map(|file| write_new(&project.environment, file, &made.note)).transpose()?;
    Ok(Report::of(&CheckpointPage {
        origin: made.checkpoint.origin,
        entries: made.checkpoint.size,
        note: made.note,
        key: made.key,
        file,
    }))
}

/// A checkpoint of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckpointPage {
    /// Which log it is of: made of the hash of its first entry.
    origin: String,
    /// How many entries it covers.
    entries: u64,
    /// The signed note (C2SP `tlog-checkpoint`).
    note: String,
    /// The key that others check the signature with (`NAME+HASH+BASE64`).
    key: String,
    /// The file that the note was written to.
    file: Option<String>,
}

impl Page for CheckpointPage {
    const KIND: &'static str = "log-checkpoint";

    fn text(&self) -> String {
        let key = format!("\nKey of the signature, for whoever keeps it:\n  {}\n", bold(&self.key));
        match &self.file {
            None => format!("Checkpoint of {}:\n\n{}{key}", count(self.entries), self.note),
            Some(file) => {
                let covered = count(self.entries);
                let later = format!("To compare the log with it later: gephost log verify --checkpoint {file}\n");
                format!("Wrote {file}: checkpoint of {covered}. Undo: rm {file}\n{key}\n{later}")
            }
        }
    }
}

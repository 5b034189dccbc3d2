//! `gephost log verify`: whether the log is intact, and whether it continues that of an earlier checkpoint.

use std::fmt::Write as _;
use std::path::Path;

use gephost_app::Project;
use gephost_app::checkpoints::Compared;
use gephost_core::checkpoint::{Continuity, MAX_NOTE_BYTES, Signed};
use gephost_core::event_log::Verification;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::read_input;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, dim, good, printable};
use crate::render::verdict::plural;

pub(crate) fn run(project: &Project, checkpoint: Option<&Path>, key: Option<&str>) -> Result<Report, Failure> {
    let note = checkpoint.map(|file| read_input(&project.environment, file, MAX_NOTE_BYTES as u64)).transpose()?;
    let mut page = VerifyPage::of(&project.verify_log()?);
    if let (Some(note), true) = (note, page.intact) {
        page.checkpoint = Some(CheckpointRow::of(&project.compare_checkpoint(&note, key)?));
    }
    Ok(Report::of(&page))
}

/// Whether the log is intact.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyPage {
    /// Whether the chain and its head agree.
    intact: bool,
    /// The entries before the fault, or all of them.
    entries: u64,
    /// Bytes at the end of an append that was cut short. They were never acknowledged.
    torn_bytes: u64,
    /// What is wrong.
    fault: Option<String>,
    /// The comparison with a checkpoint; null if none was named, or if the log is not intact.
    checkpoint: Option<CheckpointRow>,
}

/// A checkpoint beside the log.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckpointRow {
    /// Which log it is of.
    origin: String,
    /// How many entries it covers.
    entries: u64,
    /// `continues`, `rewritten`, `shorter` or `other_log`.
    log: &'static str,
    /// How many entries came after it; null unless the log continues.
    added: Option<u64>,
    /// Whether it is signed with the key: `valid`, `forged`, or `missing` if no signature is by that key.
    signature: &'static str,
}

impl VerifyPage {
    fn of(verification: &Verification) -> Self {
        let fault = verification.fault.as_ref().map(ToString::to_string);
        let (entries, torn_bytes) = (verification.head.entries, verification.torn_bytes as u64);
        Self { intact: fault.is_none(), entries, torn_bytes, fault, checkpoint: None }
    }
}

impl CheckpointRow {
    fn of(compared: &Compared) -> Self {
        let added = match compared.continuity {
            Continuity::Continues { added, .. } => Some(added),
            _ => None,
        };
        let signature = match compared.signed {
            Signed::Yes => "valid",
            Signed::Forged => "forged",
            Signed::No => "missing",
        };
        let (origin, entries) = (compared.checkpoint.origin.clone(), compared.checkpoint.size);
        Self { origin, entries, log: compared.continuity.as_str(), added, signature }
    }

    fn holds(&self) -> bool {
        self.added.is_some() && self.signature == "valid"
    }

    fn text(&self) -> String {
        let entries = count(self.entries);
        let log = match (self.log, self.added) {
            (_, Some(added)) => {
                format!(
                    "{} the log begins with the {entries} of the checkpoint; {} came after",
                    good("continues:"),
                    added
                )
            }
            ("shorter", _) => format!("{} the checkpoint covers {entries}, and the log has fewer", bad("shorter:")),
            ("rewritten", _) => {
                format!("{} an entry among the {entries} of the checkpoint is another one now", bad("rewritten:"))
            }
            _ => format!(
                "{} the checkpoint is of {}, which has another first entry than this log",
                bad("another log:"),
                printable(&self.origin)
            ),
        };
        let signature = match self.signature {
            "valid" => return log + "\n",
            "forged" => "the signature of the checkpoint is forged: its text is not what the key signed",
            _ => "the checkpoint has no signature by the key: name the key of whoever signed it with --key",
        };
        format!("{log}\n{} {signature}\n", bad("signature:"))
    }
}

/// A number of entries, in words.
pub(in crate::commands) fn count(entries: u64) -> String {
    format!("{entries} {}", if entries == 1 { "entry" } else { "entries" })
}

impl Page for VerifyPage {
    const KIND: &'static str = "log-verify";

    fn text(&self) -> String {
        let entries = count(self.entries);
        let mut text = match &self.fault {
            None => format!("{} {entries}; the chain and its head agree\n", good("intact:")),
            Some(fault) => format!("{} {fault}; the {entries} before it are sound\n", bad("fault:")),
        };
        if self.torn_bytes > 0 {
            let bytes = plural(self.torn_bytes, "byte");
            let torn = format!(
                "{} {bytes} of an interrupted append are at the end; they were never acknowledged",
                self.torn_bytes
            );
            let _ = writeln!(text, "{}", dim(torn));
        }
        text + &self.checkpoint.as_ref().map_or_else(String::new, CheckpointRow::text)
    }

    fn exit(&self) -> Exit {
        let holds = self.checkpoint.as_ref().is_none_or(CheckpointRow::holds);
        if self.intact && holds { Exit::Done } else { Exit::Failed }
    }
}

//! `gephost log prove` and `gephost log verify-proof`: what others can check without the log.

use std::path::Path;

use gephost_app::Project;
use gephost_app::checkpoints::check_proof;
use gephost_core::checkpoint::{EntryProof, GrowthProof, MAX_NOTE_BYTES, MAX_PROOF_BYTES, Proof};
use schemars::JsonSchema;
use serde::Serialize;

use super::verify::count;
use crate::args::ProveArguments;
use crate::context::{read_input, write_new};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Report, pretty};
use crate::page::{self, Page};
use crate::render::style::{bad, good, printable};

pub(crate) fn run(project: &Project, arguments: &ProveArguments) -> Result<Report, Failure> {
    let out = arguments.out.as_deref();
    match (&arguments.since, arguments.seq) {
        (Some(file), _) => {
            let earlier = read_input(&project.environment, file, MAX_NOTE_BYTES as u64)?;
            report(project, out, &LogGrowthPage(project.prove_growth(&earlier)?))
        }
        (None, seq) => report(project, out, &LogProofPage(project.prove_entry(seq.unwrap_or_default())?)),
    }
}

fn report<P: Page>(project: &Project, out: Option<&Path>, page: &P) -> Result<Report, Failure> {
    let mut report = Report::of(page);
    if let Some(file) = out {
        let name = write_new(&project.environment, file, &pretty(&page::document(page)))?;
        report.text =
            format!("Wrote {name}. Undo: rm {name}\nTo check it without the log: gephost log verify-proof {name}\n");
    }
    Ok(report)
}

pub(crate) fn check(environment: &Environment, file: &Path, key: Option<&str>) -> Result<Report, Failure> {
    let bytes = read_input(environment, file, MAX_PROOF_BYTES as u64)?;
    let (proof, checked) = check_proof(environment, &bytes, key)?;
    let (proves, seq) = match &proof {
        Proof::Entry(proof) => ("entry", Some(proof.seq)),
        Proof::Growth(_) => ("growth", None),
    };
    let (origin, entries) = (checked.origin, checked.size);
    Ok(Report::of(&ProofCheckPage {
        holds: checked.fault.is_none(),
        proves,
        seq,
        origin,
        entries,
        fault: checked.fault,
    }))
}

/// Proof that the log has an entry.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct LogProofPage(EntryProof);

impl Page for LogProofPage {
    const KIND: &'static str = "log-proof";

    fn text(&self) -> String {
        // A proof is for programs: its text is its document.
        pretty(&page::document(self))
    }
}

/// Proof that the log continues that of an earlier checkpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct LogGrowthPage(GrowthProof);

impl Page for LogGrowthPage {
    const KIND: &'static str = "log-growth";

    fn text(&self) -> String {
        pretty(&page::document(self))
    }
}

/// Whether a proof holds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProofCheckPage {
    /// Whether it holds: the hashes lead to the root of the checkpoint, and the key signed the checkpoint.
    holds: bool,
    /// What it proves: `entry`, that an entry is in the log, or `growth`, that the log continues that of an earlier
    /// checkpoint.
    proves: &'static str,
    /// The entry's number; null for `growth`.
    seq: Option<u64>,
    /// Which log the checkpoint is of; empty if the checkpoint cannot be read.
    origin: String,
    /// How many entries the checkpoint covers.
    entries: u64,
    /// Why it does not hold.
    fault: Option<String>,
}

impl Page for ProofCheckPage {
    const KIND: &'static str = "log-verify-proof";

    fn text(&self) -> String {
        let log = format!("{} ({})", printable(&self.origin), count(self.entries));
        match (&self.fault, self.seq) {
            (Some(fault), _) => format!("{} {}\n", bad("does not hold:"), printable(fault)),
            (None, Some(seq)) => format!("{} entry {seq} is in the log {log}\n", good("holds:")),
            (None, None) => format!("{} the log {log} continues that of the earlier checkpoint\n", good("holds:")),
        }
    }

    fn exit(&self) -> Exit {
        if self.holds { Exit::Done } else { Exit::Failed }
    }
}

//! What is kept of gene calls: recordings always, and every request in an audit file if one was asked for.

#![expect(clippy::disallowed_methods, reason = "the operator names the file of the audit")]

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use gephost_core::path::RepoPath;
use gephost_core::policy::Policy;
use gephost_runner::recording::{Keep, Store, Taken};
use serde_json::json;

use crate::error::AppError;
use crate::gene_call::GeneCall;
use crate::project::Project;
use crate::sink::Note;

/// The file that takes every request of every gene.
#[derive(Debug)]
pub(crate) struct Audit {
    path: PathBuf,
    file: File,
}

impl Audit {
    /// Creates the file now: a path that cannot be written should stop the run before a gene has run and not after.
    pub(crate) fn create(project: &Project, path: &Path) -> Result<Self, AppError> {
        let path = project.environment.resolve(path);
        let file = File::create(&path).map_err(|error| AppError::io(&path, "create", &error))?;
        Ok(Self { path, file })
    }
}

/// Keeps recordings of these calls, names in each call the recording that holds it, and writes the audit. A folder that
/// cannot be written costs the recordings and a warning, never the run.
pub(crate) fn keep(project: &Project, audit: Option<&Audit>, calls: &mut [GeneCall]) -> Result<(), AppError> {
    match record(project, calls) {
        Ok(ids) => {
            for (call, id) in calls.iter_mut().filter(|call| call.taken.is_some()).zip(ids) {
                call.recording = Some(id);
            }
        }
        Err(reason) => {
            project.environment.sink.note(Note::Warning(&format!("no recording is kept: {reason}")));
        }
    }
    for call in calls.iter_mut() {
        // It is on disk now; a run need not hold the files that its genes read.
        call.taken = None;
        call.audit.explain(|target| rule(&project.config.policy, target));
    }
    let Some(Audit { path, file }) = audit else { return Ok(()) };
    write_audit(file, calls).map_err(|error| AppError::io(path, "write", &error))
}

fn record(project: &Project, calls: &[GeneCall]) -> Result<Vec<String>, String> {
    let table = &project.config.file.recordings;
    let keep = Keep { recordings: usize::try_from(table.keep).unwrap_or(usize::MAX), bytes: table.max_mib << 20 };
    let taken: Vec<&Taken> = calls.iter().filter_map(|call| call.taken.as_ref()).collect();
    if taken.is_empty() || keep.recordings == 0 {
        return Ok(Vec::new());
    }
    project.create_state().map_err(|error| error.to_string())?;
    let store = Store::new(&project.state.recordings());
    store.write(&taken, project.environment.now(), keep).map_err(|error| error.to_string())
}

/// The rule that hides a path from genes.
fn rule(policy: &Policy, target: &str) -> Option<String> {
    let path = RepoPath::new(target.strip_prefix("./").unwrap_or(target)).ok()?;
    policy.denies(&path).then(|| policy.decide(&path).reason())
}

/// One JSON object a line: a request with its gene and function.
fn write_audit(file: &File, calls: &[GeneCall]) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    for call in calls {
        for entry in &call.audit.entries {
            let mut line = serde_json::to_value(entry)?;
            line["gene"] = call.gene.as_str().into();
            line["call"] = call.function.into();
            writeln!(out, "{line}")?;
        }
        if !call.audit.omitted.is_empty() {
            writeln!(out, "{}", json!({ "gene": call.gene, "call": call.function, "omitted": call.audit.omitted }))?;
        }
    }
    out.flush()
}

//! What is kept and shown of gene calls: recordings always, `--explain` and `--audit` where they were asked for.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use gephost_app::Project;
use gephost_core::path::RepoPath;
use gephost_core::policy::Policy;
use gephost_runner::cycle::GeneCall;
use gephost_runner::recording::{Keep, Store, Taken};
use serde_json::{Value, json};

use crate::args::CycleArguments;
use crate::environment::Environment;
use crate::error::{self, Failure};
use crate::output::Output;
use crate::render;

/// What the person asked for.
#[derive(Debug)]
pub(super) struct Traces {
    explain: bool,
    audit: Option<(PathBuf, File)>,
}

impl Traces {
    /// As the command line says. The audit's file is opened now: a path that cannot be written should stop the run
    /// before a gene has run and not after.
    pub(super) fn new(environment: &Environment, arguments: &CycleArguments) -> Result<Self, Failure> {
        let open = |path: &PathBuf| {
            let full = environment.resolve(path);
            let file = File::create(&full).map_err(|error| error::io(&full, "create", &error))?;
            Ok::<_, Failure>((full, file))
        };
        Ok(Self { explain: arguments.explain, audit: arguments.audit.as_ref().map(open).transpose()? })
    }

    /// Keeps recordings of these calls, says in each which one holds it, and writes the audit. A folder that cannot be
    /// written costs the recordings and a warning, never the run.
    pub(super) fn keep(&self, folder: &Project, output: Output, calls: &mut [GeneCall]) -> Result<(), Failure> {
        match record(folder, calls) {
            Ok(ids) => {
                for (call, id) in calls.iter_mut().filter(|call| call.taken.is_some()).zip(ids) {
                    call.recording = Some(id);
                }
            }
            Err(reason) => output.note(&format!("warning: no recording is kept: {reason}")),
        }
        for call in calls.iter_mut() {
            // It is on disk now; a run need not hold the files that its genes read.
            call.taken = None;
            call.audit.explain(|target| rule(&folder.config.policy, target));
        }
        let Some((path, file)) = &self.audit else { return Ok(()) };
        write_audit(file, calls).map_err(|error| error::io(path, "write", &error))
    }

    /// What genes read and were refused, for a person; empty where that was not asked for.
    pub(super) fn page<'a>(&self, calls: impl IntoIterator<Item = &'a GeneCall>) -> String {
        if self.explain { calls.into_iter().map(render::explain::call).collect() } else { String::new() }
    }

    /// The same in a document, as its member `explain`.
    pub(super) fn document<'a>(&self, document: &mut Value, calls: impl IntoIterator<Item = &'a GeneCall>) {
        if self.explain {
            let explain = |call: &GeneCall| {
                json!({
                    "gene": call.gene,
                    "function": call.function,
                    "recording": call.recording,
                    "requests": call.audit.entries,
                    "omitted": call.audit.omitted,
                })
            };
            document["explain"] = calls.into_iter().map(explain).collect();
        }
    }
}

fn record(folder: &Project, calls: &[GeneCall]) -> Result<Vec<String>, String> {
    let table = &folder.config.file.recordings;
    let keep = Keep { recordings: usize::try_from(table.keep).unwrap_or(usize::MAX), bytes: table.max_mib << 20 };
    let taken: Vec<&Taken> = calls.iter().filter_map(|call| call.taken.as_ref()).collect();
    if taken.is_empty() || keep.recordings == 0 {
        return Ok(Vec::new());
    }
    folder.create_state().map_err(|error| error.to_string())?;
    let store = Store::new(&folder.state.recordings());
    store.write(&taken, folder.environment.now(), keep).map_err(|error| error.to_string())
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

//! `gephost replay`: runs a recorded gene call again, goes through a conversation with a model again, lists both, exports
//! one. Needs no git, and reads nothing of the repository but the recording.

#![expect(clippy::disallowed_methods, reason = "the operator names the file of an export")]

mod pages;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use gephost_app::Project;
use gephost_core::recording::Blob;
use gephost_runner::exchange::{self, ExchangeError, Exchanges, Listed};
use gephost_runner::recording::{self, Blobs, MAX_BUNDLE_BYTES, Recording, ReplayError, Store, StoreError};
use gephost_runner::sandbox::{LoadError, MAX_COMPONENT_BYTES};

use pages::{Entry, ExchangeRow, RecordingRow, ToldRow, Unreadable};
pub(crate) use pages::{ExportPage, RecordingsPage, ReplayPage};

use crate::args::ReplayArguments;
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::{self, Failure};
use crate::exit_code::Exit;
use crate::output::{Output, Report};

pub(super) fn run(environment: &Environment, output: Output, arguments: &ReplayArguments) -> Result<Report, Failure> {
    let Some(name) = arguments.recording.as_deref().filter(|_| !arguments.list) else {
        return list(environment);
    };
    if name.starts_with(exchange::PREFIX) {
        return conversation(environment, output, name, arguments.export.as_deref());
    }
    let (recording, blobs) = read(environment, name)?;
    if let Some(file) = &arguments.export {
        return export(environment, &recording, &blobs, file);
    }
    let other = arguments.gene.as_deref().map(|file| other(environment, file)).transpose()?;
    again(environment, output, &recording, &blobs, other)
}

/// A recording by its name, or from a file.
fn read(environment: &Environment, name: &str) -> Result<(Recording, Arc<dyn Blobs>), Failure> {
    if name.starts_with("rec_") {
        let folder = Project::open(environment)?;
        return Store::new(&folder.state.recordings()).read(name).map_err(|error| store_failure(&error));
    }
    let bytes = read_input(environment, Path::new(name), MAX_BUNDLE_BYTES).map_err(|failure| {
        failure.hint("name a recording (`gephost replay --list`), or a file that `--export` wrote")
    })?;
    recording::unpack(&bytes).map_err(|error| unusable(format!("{name}: {error}")))
}

fn store_failure(error: &StoreError) -> Failure {
    match error {
        StoreError::Io { .. } => Failure::new(Exit::Failed, "io", error.to_string()),
        _ => unusable(error.to_string()),
    }
}

fn unusable(message: String) -> Failure {
    Failure::new(Exit::Usage, "recording", message)
}

/// The component of `--gene`.
fn other(environment: &Environment, file: &Path) -> Result<Blob, Failure> {
    read_input(environment, file, MAX_COMPONENT_BYTES).map(Blob::from)
}

fn again(
    environment: &Environment,
    output: Output,
    recording: &Recording,
    blobs: &Arc<dyn Blobs>,
    other: Option<Blob>,
) -> Result<Report, Failure> {
    let id = id(recording)?;
    // A recording from elsewhere runs under this folder's isolation too.
    let sandbox = Project::open(environment)?.sandbox()?;
    let replayed = recording::replay(&sandbox, recording, blobs, other).map_err(|error| match error {
        ReplayError::Load(LoadError::Inspect(error)) => unusable(format!("{id}: its component is refused: {error}")),
        error => unusable(format!("{id}: {error}")),
    })?;
    Ok(Report::of(&ReplayPage {
        recording: Some(RecordingRow::of(id, recording)),
        exchange: None,
        same: replayed.differences.is_empty(),
        told: replayed.differences.iter().map(ToString::to_string).collect(),
        differences: Some(replayed.differences),
        notes: Some(replayed.notes),
        outcome: None,
        requests: replayed.result.audit.len(),
        call: Some(ToldRow::of(replayed.told)),
        is_verbose: output.verbose(),
    }))
}

/// Goes through a conversation with a model again. Nobody is asked, and no model need be configured.
fn conversation(
    environment: &Environment,
    output: Output,
    name: &str,
    export: Option<&Path>,
) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    if export.is_some() {
        let exchanges = folder.state.exchanges();
        return Err(unusable(format!(
            "{name}: an exchange with a model is one file already: copy it from {}",
            exchanges.display()
        )));
    }
    let exchange = Exchanges::new(&folder.state.exchanges()).read(name).map_err(|error| exchange_failure(&error))?;
    let differences = exchange.replay();
    Ok(Report::of(&ReplayPage {
        recording: None,
        exchange: Some(ExchangeRow::of(exchange.id(), &exchange)),
        same: differences.is_empty(),
        differences: None,
        told: differences,
        notes: None,
        requests: exchange.requests() as u64,
        outcome: Some(exchange.outcome),
        call: None,
        is_verbose: output.verbose(),
    }))
}

fn exchange_failure(error: &ExchangeError) -> Failure {
    match error {
        ExchangeError::Io { .. } => Failure::new(Exit::Failed, "io", error.to_string()),
        _ => unusable(error.to_string()),
    }
}

fn export(
    environment: &Environment,
    recording: &Recording,
    blobs: &Arc<dyn Blobs>,
    file: &Path,
) -> Result<Report, Failure> {
    let id = id(recording)?;
    let bytes = recording::pack(recording, blobs.as_ref()).map_err(|error| unusable(format!("{id}: {error}")))?;
    let path = environment.resolve(file);
    fs::write(&path, &bytes).map_err(|error| error::io(&path, "write", &error))?;
    Ok(Report::of(&ExportPage {
        recording: id,
        file: path.display().to_string(),
        bytes: bytes.len(),
        named: file.display().to_string(),
    }))
}

fn list(environment: &Environment) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let listed = Store::new(&folder.state.recordings()).list().map_err(|error| store_failure(&error))?;
    let recordings = listed.into_iter().map(|entry| match entry.recording {
        Ok(recording) => Entry::Readable(RecordingRow::of(entry.id, &recording)),
        Err(unreadable) => Entry::Unreadable(Unreadable { id: entry.id, unreadable }),
    });
    let exchanges = Exchanges::new(&folder.state.exchanges()).list().map_err(|error| exchange_failure(&error))?;
    let exchanges = exchanges.into_iter().map(|Listed { id, exchange }| match exchange {
        Ok(exchange) => Entry::Readable(ExchangeRow::of(id, &exchange)),
        Err(error) => Entry::Unreadable(Unreadable { id, unreadable: error.to_string() }),
    });
    Ok(Report::of(&RecordingsPage { recordings: recordings.collect(), exchanges: exchanges.collect() }))
}

fn id(recording: &Recording) -> Result<String, Failure> {
    recording.id().map_err(|error| unusable(error.to_string()))
}

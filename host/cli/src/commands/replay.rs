//! `gephost replay`: runs a recorded gene call again, goes through a conversation with a model again, lists both, exports
//! one. Needs no git, and reads nothing of the repository but the recording.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gephost_app::Project;
use gephost_runner::exchange::{self, Exchange, ExchangeError, Exchanges, Listed};
use gephost_runner::recording::{self, Blobs, MAX_BUNDLE_BYTES, Recording, ReplayError, Store, StoreError};
use gephost_runner::sandbox::LoadError;
use serde_json::{Value, json};

use crate::args::ReplayArguments;
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::{self, Failure};
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, bold, dim, good, note, printable};

pub(super) fn run(environment: &Environment, arguments: &ReplayArguments) -> Result<Report, Failure> {
    let Some(name) = arguments.recording.as_deref().filter(|_| !arguments.list) else {
        return list(environment);
    };
    if name.starts_with(exchange::PREFIX) {
        return conversation(environment, name, arguments.export.as_deref());
    }
    let (recording, blobs) = read(environment, name)?;
    match &arguments.export {
        Some(file) => export(environment, &recording, &blobs, file),
        None => again(environment, &recording, &blobs),
    }
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

fn again(environment: &Environment, recording: &Recording, blobs: &Arc<dyn Blobs>) -> Result<Report, Failure> {
    let id = id(recording)?;
    // A recording from elsewhere runs under this folder's isolation too.
    let sandbox = Project::open(environment)?.sandbox()?;
    let replayed = recording::replay(&sandbox, recording, blobs).map_err(|error| match error {
        ReplayError::Load(LoadError::Inspect(error)) => unusable(format!("{id}: its component is refused: {error}")),
        error => unusable(format!("{id}: {error}")),
    })?;
    let same = replayed.differences.is_empty();
    let told: Vec<String> = replayed.differences.iter().map(ToString::to_string).collect();
    let mut text = header(&id, recording);
    for line in &replayed.notes {
        let _ = writeln!(text, "  {} {line}", note("note"));
    }
    let requests = replayed.came.audit.len();
    if same {
        let _ = writeln!(text, "  {}: {} requests, the outcome, the log and every count", good("the same"), requests);
    }
    for line in &told {
        let _ = writeln!(text, "  {} {}", bad("differs"), printable(line));
    }
    let document = json!({
        "schema": "gephost.replay/1",
        "recording": summary(&id, recording),
        "same": same,
        "differences": replayed.differences,
        "told": told,
        "notes": replayed.notes,
    });
    Ok(Report { exit: if same { Exit::Done } else { Exit::Failed }, document, text })
}

/// Goes through a conversation with a model again. Nobody is asked, and no model need be configured.
fn conversation(environment: &Environment, name: &str, export: Option<&Path>) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    if export.is_some() {
        let exchanges = folder.state.exchanges();
        return Err(unusable(format!(
            "{name}: an exchange with a model is one file already: copy it from {}",
            exchanges.display()
        )));
    }
    let exchange = Exchanges::new(&folder.state.exchanges()).read(name).map_err(|error| exchange_failure(&error))?;
    let id = exchange.id();
    let differences = exchange.replay();
    let same = differences.is_empty();
    let mut text = conversation_header(&id, &exchange);
    if same {
        let _ = writeln!(text, "  {}: {} requests, and the outcome", good("the same"), exchange.requests());
    }
    for line in &differences {
        let _ = writeln!(text, "  {} {}", bad("differs"), printable(line));
    }
    let document = json!({
        "schema": "gephost.replay/1",
        "exchange": conversation_summary(&id, &exchange),
        "same": same,
        "told": differences,
        "outcome": exchange.outcome,
    });
    Ok(Report { exit: if same { Exit::Done } else { Exit::Failed }, document, text })
}

fn exchange_failure(error: &ExchangeError) -> Failure {
    match error {
        ExchangeError::Io { .. } => Failure::new(Exit::Failed, "io", error.to_string()),
        _ => unusable(error.to_string()),
    }
}

fn conversation_header(id: &str, exchange: &Exchange) -> String {
    let no_op = exchange.outcome["no_op"]["reason"].as_str();
    format!(
        "{}  {}: {}  {}\n",
        bold(id),
        printable(&exchange.author),
        printable(no_op.unwrap_or("proposals")),
        dim(format!("{} requests, {}", exchange.requests(), printable(&exchange.at)))
    )
}

fn conversation_summary(id: &str, exchange: &Exchange) -> Value {
    json!({
        "id": id,
        "model": exchange.author,
        "requests": exchange.requests(),
        "at": exchange.at,
        "gephost": exchange.gephost,
    })
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
    let document = json!({ "schema": "gephost.export/1", "recording": id, "file": path, "bytes": bytes.len() });
    let text = format!("{id} is in {}, {} bytes; `gephost replay {0}` runs it anywhere\n", file.display(), bytes.len());
    Ok(Report { exit: Exit::Done, document, text })
}

fn list(environment: &Environment) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let listed = Store::new(&folder.state.recordings()).list().map_err(|error| store_failure(&error))?;
    let mut text = String::new();
    let mut documents = Vec::new();
    for entry in &listed {
        match &entry.recording {
            Ok(recording) => {
                text.push_str(&header(&entry.id, recording));
                documents.push(summary(&entry.id, recording));
            }
            Err(reason) => {
                let _ = writeln!(text, "{}  {} {}", bold(&entry.id), bad("unreadable"), printable(reason));
                documents.push(json!({ "id": entry.id, "unreadable": reason }));
            }
        }
    }
    let exchanges = Exchanges::new(&folder.state.exchanges()).list().map_err(|error| exchange_failure(&error))?;
    let mut asked = Vec::new();
    for Listed { id, exchange } in &exchanges {
        match exchange {
            Ok(exchange) => {
                text.push_str(&conversation_header(id, exchange));
                asked.push(conversation_summary(id, exchange));
            }
            Err(reason) => {
                let _ = writeln!(text, "{}  {} {}", bold(id), bad("unreadable"), printable(&reason.to_string()));
                asked.push(json!({ "id": id, "unreadable": reason.to_string() }));
            }
        }
    }
    if listed.is_empty() && exchanges.is_empty() {
        text.push_str("no recordings: `gephost run` keeps one of every gene call\n");
    }
    let document = json!({ "schema": "gephost.recordings/1", "recordings": documents, "exchanges": asked });
    Ok(Report { exit: Exit::Done, document, text })
}

fn id(recording: &Recording) -> Result<String, Failure> {
    recording.id().map_err(|error| unusable(error.to_string()))
}

fn header(id: &str, recording: &Recording) -> String {
    let requests = recording.came.audit.len();
    format!(
        "{}  {} {}: {}  {}\n",
        bold(id),
        printable(&recording.gene),
        recording.function,
        printable(&recording.came.outcome),
        dim(format!("{} requests, {}", requests, printable(&recording.measured.at)))
    )
}

fn summary(id: &str, recording: &Recording) -> Value {
    json!({
        "id": id,
        "gene": recording.gene,
        "function": recording.function,
        "component": recording.component,
        "outcome": recording.came.outcome,
        "requests": recording.came.audit.len(),
        "at": recording.measured.at,
        "gephost": recording.gephost,
        "engine": recording.engine,
        "replayable": recording.left_out.is_none(),
    })
}

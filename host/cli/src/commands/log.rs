//! `gephost log [show|verify]`: what gephost intended in this project and what came of it.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::event_log::Entry;
use serde_json::{Value, json};

use crate::args::{LogArguments, LogCommand};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, dim, good, printable};

pub(super) fn run(environment: &Environment, arguments: &LogArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    match arguments.command {
        None | Some(LogCommand::Show) => show(&folder),
        Some(LogCommand::Verify) => verify(&folder),
        Some(LogCommand::Accept) => accept(&folder),
    }
}

fn show(folder: &Project) -> Result<Report, Failure> {
    let entries = folder.entries()?;
    let mut text = String::new();
    let mut documents = Vec::new();
    for entry in entries.iter() {
        let body = serde_json::to_value(&entry.body).unwrap_or_default();
        let _ = writeln!(text, "{:>5}  {}  {}", entry.seq, dim(entry.at), line(&body));
        documents.push(document(entry, body));
    }
    if entries.is_empty() {
        text.push_str("The log is empty.\n");
    }
    Ok(Report { exit: Exit::Done, document: json!({ "schema": "gephost.log/1", "entries": documents }), text })
}

/// Accepts that the log, or its head, is gone.
fn accept(folder: &Project) -> Result<Report, Failure> {
    let accepted = folder.accept_log()?;
    let text = match &accepted {
        Some(what) => format!("Accepted: {what}.\n"),
        None => "The log and its head are both there, or neither is: there is nothing to accept.\n".to_owned(),
    };
    let document = json!({ "schema": "gephost.log-accept/1", "accepted": accepted });
    Ok(Report { exit: Exit::Done, document, text })
}

fn document(entry: &Entry, body: Value) -> Value {
    json!({ "seq": entry.seq, "at": entry.at.to_string(), "prev": entry.prev, "entry": body })
}

/// An entry as one line: its kind, then its other members.
fn line(body: &Value) -> String {
    let Some(members) = body.as_object() else { return String::new() };
    let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
    let rest = members.iter().filter(|(key, _)| *key != "kind").map(|(key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let short: String = value.chars().take(100).collect();
        format!("{key}={}", printable(&short))
    });
    format!("{kind}  {}", rest.collect::<Vec<_>>().join("  "))
}

fn verify(folder: &Project) -> Result<Report, Failure> {
    let verification = folder.verify_log()?;
    let entries = verification.head.entries;
    let mut text = String::new();
    let exit = match &verification.fault {
        None => {
            let _ = writeln!(text, "{} {entries} entries; the chain and its head agree", good("intact:"));
            Exit::Done
        }
        Some(fault) => {
            let _ = writeln!(text, "{} {fault}; the {entries} entries before it are sound", bad("fault:"));
            Exit::Failed
        }
    };
    if verification.torn_bytes > 0 {
        let _ = writeln!(
            text,
            "{}",
            dim(format!(
                "{} bytes of an append that was cut stand at the end; they were never acknowledged",
                verification.torn_bytes
            ))
        );
    }
    let document = json!({
        "schema": "gephost.log-verify/1",
        "intact": verification.fault.is_none(),
        "entries": entries,
        "torn_bytes": verification.torn_bytes,
        "fault": verification.fault.as_ref().map(ToString::to_string),
    });
    Ok(Report { exit, document, text })
}

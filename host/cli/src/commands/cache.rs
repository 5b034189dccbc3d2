//! `gephost cache verify|prune`: this user's compiled components.

use std::fmt::Write as _;
use std::time::Duration;

use gephost_runner::sandbox::{CompileCache, EntryReport, EntryState, Keep};
use serde_json::json;

use crate::args::{CacheCommand, PruneArguments};
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, dim, good, note, printable};

const DAY: Duration = Duration::from_hours(24);

pub(super) fn run(environment: &Environment, command: &CacheCommand) -> Result<Report, Failure> {
    let directory = environment.cache.join("components");
    let failed = |doing: &'static str| move |error: std::io::Error| (doing, error);
    let opened = CompileCache::open(&directory, &environment.cache_key).map_err(failed("open the cache"));
    let done = opened.and_then(|cache| match command {
        CacheCommand::Verify => cache.verify().map(verified).map_err(failed("verify the cache")),
        CacheCommand::Prune(arguments) => {
            cache.prune(keep(environment, arguments)).map(pruned).map_err(failed("prune the cache"))
        }
    });
    done.map_err(|(doing, error)| io(&directory, doing, &error))
}

fn keep(environment: &Environment, arguments: &PruneArguments) -> Keep {
    match (arguments.all, arguments.max_bytes) {
        (true, _) => Keep::Nothing,
        (false, Some(bytes)) => Keep::Bytes(bytes),
        (false, None) => Keep::UsedWithin { time: DAY.saturating_mul(arguments.keep), now: environment.now().into() },
    }
}

fn verified(entries: Vec<EntryReport>) -> Report {
    let mut text = String::new();
    for entry in &entries {
        let state = match entry.state {
            EntryState::Ok => good("ok"),
            EntryState::Quarantined => bad("does not verify: moved aside"),
            EntryState::Aside => note("moved aside before"),
            EntryState::Foreign => dim("no entry: never used"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}  {} bytes  {state}", printable(&entry.name), entry.bytes);
    }
    if entries.is_empty() {
        text.push_str("The cache is empty.\n");
    }
    let poisoned = entries.iter().any(|entry| entry.state == EntryState::Quarantined);
    let exit = if poisoned { Exit::Failed } else { Exit::Done };
    Report { exit, document: json!({ "schema": "gephost.cache-verify/1", "entries": entries }), text }
}

fn pruned(entries: Vec<EntryReport>) -> Report {
    let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let text = format!(
        "Removed {} files, {bytes} bytes. What was compiled is compiled again when it is needed.\n",
        entries.len()
    );
    Report { exit: Exit::Done, document: json!({ "schema": "gephost.cache-prune/1", "removed": entries }), text }
}

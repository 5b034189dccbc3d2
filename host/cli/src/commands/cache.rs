//! `gephost cache verify|prune`: this user's compiled components, and what else the cache folder remembers.

use std::fmt::Write as _;
use std::time::Duration;

use gephost_runner::place::Place;
use gephost_runner::remembered::{self, RemovedFile};
use gephost_runner::sandbox::{CompileCache, EntryReport, EntryState, Keep};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{CacheCommand, PruneArguments};
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, dim, good, note, printable};
use crate::render::verdict::plural;

const DAY: Duration = Duration::from_hours(24);

pub(super) fn run(environment: &Environment, command: &CacheCommand) -> Result<Report, Failure> {
    let directory = environment.cache.join("components");
    let failed = |doing: &'static str| move |error: std::io::Error| (doing, error);
    let opened = CompileCache::open(&directory, &environment.cache_key).map_err(failed("open the cache"));
    let done = opened.and_then(|cache| match command {
        CacheCommand::Verify => {
            cache.verify().map(|entries| Report::of(&CacheVerifyPage { entries })).map_err(failed("verify the cache"))
        }
        CacheCommand::Prune(arguments) => {
            let keep = keep(environment, arguments);
            let removed = cache.prune(keep).and_then(|removed| {
                let remembered = remembered::prune(&Place::own(&environment.cache), keep)?;
                Ok(Report::of(&CachePrunePage { removed, remembered }))
            });
            removed.map_err(failed("prune the cache"))
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

/// The files of the cache of compiled components.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CacheVerifyPage {
    /// Every file of it.
    entries: Vec<EntryReport>,
}

impl Page for CacheVerifyPage {
    const KIND: &'static str = "cache-verify";

    fn text(&self) -> String {
        if self.entries.is_empty() {
            return "The cache is empty.\n".to_owned();
        }
        let mut text = String::new();
        for entry in &self.entries {
            let state = match entry.state {
                EntryState::Ok => good("ok"),
                EntryState::Quarantined => bad("does not verify: moved aside"),
                EntryState::Aside => note("moved aside before"),
                EntryState::Foreign => dim("no entry: never used"),
            };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}  {} bytes  {state}", printable(&entry.name), entry.bytes);
        }
        text
    }

    fn exit(&self) -> Exit {
        let is_poisoned = self.entries.iter().any(|entry| entry.state == EntryState::Quarantined);
        if is_poisoned { Exit::Failed } else { Exit::Done }
    }
}

/// What was removed from the cache.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CachePrunePage {
    /// The compiled components that were removed.
    removed: Vec<EntryReport>,
    /// The indexes, summaries and outcomes of backtests that were removed.
    remembered: Vec<RemovedFile>,
}

impl Page for CachePrunePage {
    const KIND: &'static str = "cache-prune";

    fn text(&self) -> String {
        let sizes = || {
            let remembered = self.remembered.iter().map(|file| file.bytes);
            self.removed.iter().map(|entry| entry.bytes).chain(remembered)
        };
        let (files, bytes) = (sizes().count() as u64, sizes().sum::<u64>());
        format!(
            "Removed {files} {}, {bytes} {}. What was removed is made again when it is needed.\n",
            plural(files, "file"),
            plural(bytes, "byte")
        )
    }
}

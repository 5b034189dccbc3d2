//! The arguments of a cycle as plain values.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use gephost_app::Project;
use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::observe::LogOptions;

use super::super::{observe, own_sessions};
use super::again::command;
use crate::args::{CycleArguments, Diagnose, RunArguments, SelectArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Output;
use crate::render::reading::Unread;

/// What a cycle reads and runs, as plain values.
pub(super) fn options(environment: &Environment, arguments: &CycleArguments) -> Result<CycleOptions, Failure> {
    let since = observe::since(environment, arguments.since.as_deref())?;
    Ok(CycleOptions {
        genes: arguments.gene.clone(),
        logs: LogOptions { logs: arguments.log.clone(), since, max_events: arguments.max_events },
        model: arguments.diagnose == Diagnose::Model,
        audit: arguments.audit.clone(),
        ..CycleOptions::default()
    })
}

/// The same, for a command that selects.
pub(super) fn selecting(environment: &Environment, arguments: &SelectArguments) -> Result<CycleOptions, Failure> {
    Ok(CycleOptions { strategy: arguments.strategy.map(Into::into), ..options(environment, &arguments.cycle)? })
}

/// The same, for a command that may apply.
pub(in crate::commands) fn running(
    environment: &Environment,
    arguments: &RunArguments,
) -> Result<CycleOptions, Failure> {
    let tournament = arguments.candidates.and_then(|count| NonZeroUsize::new(count.into()));
    Ok(CycleOptions { tournament, ..selecting(environment, &arguments.select)? })
}

/// Whether and how to apply, as plain values.
pub(in crate::commands) fn apply_options(arguments: &RunArguments) -> ApplyOptions {
    ApplyOptions { apply: arguments.apply, land: arguments.land, why: arguments.why.clone() }
}

/// Settles whether the project's own sessions are read, if they are to be asked about.
pub(super) fn settle(
    output: Output,
    project: &Project,
    named: &[PathBuf],
    arguments: &CycleArguments,
    name: &str,
) -> Option<Unread> {
    own_sessions::settle(output, project, named, arguments.yes, &command(name, arguments, &[]))
}

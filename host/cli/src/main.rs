//! The `gephost` command: reads arguments and the environment, calls the library, prints.
//!
//! The only crate that parses arguments, prints, or reads the environment and the clock.

mod args;
mod commands;
mod context;
mod environment;
mod error;
mod exit_code;
mod jsonl;
mod output;
mod page;
mod progress;
#[cfg(test)]
mod reference;
mod render;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Arguments;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Output;

fn main() -> ExitCode {
    // A worker has no other argument. Describing all those that there are takes longer than its own start.
    if std::env::args_os().skip(1).eq(["gene-process"]) {
        return commands::worker::run();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    // Before anything is read of the environment, of which a worker has none.
    match &arguments.command {
        args::Command::Attempt { words } => return commands::worker::attempt(words),
        args::Command::GeneProcess => return commands::worker::run(),
        args::Command::Launch => return commands::worker::launch(),
        _ => {}
    }
    let output = Output::new(&arguments.global);
    let result = catch_unwind(AssertUnwindSafe(|| commands::run(arguments, output)));
    let result = result.unwrap_or_else(|_| {
        let bug = Failure::new(Exit::Bug, "bug", "a bug in gephost; nothing was published");
        Err(bug.hint("report it with the lines above and the command that you ran"))
    });
    match result {
        Ok(report) => output.report(&report),
        Err(failure) => output.failure(&failure),
    }
}

/// Prints clap's own text: help and version are results, everything else is an error of usage, which a program that
/// asked for JSON gets as JSON.
fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let failure = Failure::new(Exit::Usage, "usage", message).hint("`gephost --help` lists the commands");
        return Output::for_programs().failure(&failure);
    }
    if error.use_stderr() {
        Output::for_people().usage(&error.render().to_string());
        return Exit::Usage.into();
    }
    // Nothing is left to be done when the terminal is gone.
    let _ = error.print();
    Exit::Done.into()
}

//! One command a file. A new one: a file here, a variant in `args.rs`, an arm below.

mod apply;
mod asset;
mod cycle;
mod gate;
mod gene;
mod help;
mod log;
mod observe;
mod past;
mod publish;
mod record;

use crate::args::{Arguments, Command};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};

/// Turns what was typed into plain values, and does it.
pub(crate) fn run(arguments: Arguments, output: Output) -> Result<Report, Failure> {
    let mut environment = Environment::read()?;
    if let Some(directory) = &arguments.global.directory {
        environment.directory = environment.resolve(directory);
    }
    match arguments.command {
        Command::Run(arguments) => cycle::run(&environment, output, &arguments),
        Command::Observe(arguments) => observe::run(&environment, output, &arguments),
        Command::Diagnose(arguments) => cycle::diagnose(&environment, output, &arguments),
        Command::Select(arguments) => cycle::select(&environment, output, &arguments),
        Command::Propose(arguments) => cycle::propose(&environment, output, &arguments),
        Command::Gate(arguments) => gate::run(&environment, &arguments),
        Command::Apply(arguments) => apply::run(&environment, output, &arguments),
        Command::Record(arguments) => record::run(&environment, output, &arguments),
        Command::Log(arguments) => log::run(&environment, &arguments),
        Command::Asset(command) => asset::run(&environment, &command),
        Command::Gene(command) => gene::run(&environment, &command),
        Command::Help(arguments) => help::run(&arguments),
    }
}

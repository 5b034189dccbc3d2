//! One command a file. A new one: a file here, a variant in `args.rs`, an arm below.

mod apply;
mod asset;
mod cache;
mod cycle;
mod doctor;
mod gate;
mod gene;
mod help;
mod log;
mod observe;
mod past;
mod policy;
mod publish;
mod record;
mod redact;
mod replay;
mod scan;
mod traces;
pub(crate) mod worker;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::args::{Arguments, Command};
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::output::{Output, Report};

/// A file that the person named, or standard input for `-`, to be read line by line.
fn open_input(environment: &Environment, file: &Path) -> Result<Box<dyn Read>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let opened = File::open(environment.resolve(file)).map_err(|error| io(file, "open", &error))?;
    Ok(Box::new(opened))
}

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
        Command::Policy(command) => policy::run(&environment, &command),
        Command::Apply(arguments) => apply::run(&environment, output, &arguments),
        Command::Record(arguments) => record::run(&environment, output, &arguments),
        Command::Scan(arguments) => scan::run(&environment, &arguments),
        Command::Redact(arguments) => redact::run(&environment, output, &arguments),
        Command::Log(arguments) => log::run(&environment, &arguments),
        Command::Asset(command) => asset::run(&environment, &command),
        Command::Replay(arguments) => replay::run(&environment, &arguments),
        Command::Gene(command) => gene::run(&environment, &command),
        Command::Cache(command) => cache::run(&environment, &command),
        Command::Doctor => doctor::run(&environment),
        Command::Help(arguments) => help::run(&arguments),
        Command::Worker => Err(Failure::new(crate::exit_code::Exit::Bug, "bug", "main starts workers")),
    }
}

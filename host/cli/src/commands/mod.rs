//! One command a file. A new one: a file here, a variant in `args/mod.rs`, an arm below (CONTRIBUTING.md, "A command").

pub(crate) mod a2a;
pub(crate) mod apply;
pub(crate) mod approvals;
pub(crate) mod asset;
pub(crate) mod autopilot;
pub(crate) mod backtest;
pub(crate) mod cache;
pub(crate) mod cycle;
pub(crate) mod doctor;
pub(crate) mod gate;
pub(crate) mod gene;
pub(crate) mod help;
pub(crate) mod hook;
pub(crate) mod hub;
pub(crate) mod init;
mod lines;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod observe;
mod own_sessions;
pub(crate) mod policy;
pub(crate) mod record;
pub(crate) mod redact;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rollback;
pub(crate) mod scan;
pub(crate) mod schema;
pub(crate) mod state;
pub(crate) mod status;
pub(crate) mod trust;
pub(crate) mod worker;

use crate::args::{Arguments, Command};
use crate::environment;
use crate::error::Failure;
use crate::output::{Output, Report};

/// Turns what was typed into plain values, and does it.
pub(crate) fn run(arguments: Arguments, output: Output) -> Result<Report, Failure> {
    let mut environment = environment::read(output)?;
    if let Some(directory) = &arguments.global.directory {
        environment.directory = environment.resolve(directory);
    }
    if let Some(folder) = &arguments.global.state_folder {
        environment.state = environment.resolve(folder);
    }
    environment.offline = arguments.global.offline;
    match arguments.command {
        Command::Init(arguments) => init::run(&environment, output, &arguments),
        Command::Run(arguments) => cycle::run(&environment, output, &arguments),
        Command::Observe(arguments) => observe::run(&environment, output, &arguments),
        Command::Diagnose(arguments) => cycle::diagnose(&environment, output, &arguments),
        Command::Select(arguments) => cycle::select(&environment, output, &arguments),
        Command::Propose(arguments) => cycle::propose(&environment, output, &arguments),
        Command::Gate(arguments) => gate::run(&environment, &arguments),
        Command::Policy(command) => policy::run(&environment, &command),
        Command::Apply(arguments) => apply::run(&environment, &arguments),
        Command::Trust(arguments) => trust::run(&environment, &arguments),
        Command::Autopilot(arguments) => autopilot::run(&environment, output, &arguments),
        Command::Approve(arguments) => approvals::approve(&environment, &arguments),
        Command::Reject(arguments) => approvals::reject(&environment, &arguments),
        Command::Rollback(arguments) => rollback::run(&environment, &arguments),
        Command::Undo(options) => rollback::undo(&environment, &options),
        Command::Hook(arguments) => hook::run(&environment, output, &arguments),
        Command::Record(arguments) => record::run(&environment, output, &arguments),
        Command::Scan(arguments) => scan::run(&environment, &arguments),
        Command::Redact(arguments) => redact::run(&environment, output, &arguments),
        Command::Status => status::run(&environment),
        Command::Report(arguments) => report::run(&environment, &arguments),
        Command::Log(arguments) => log::run(&environment, &arguments),
        Command::Backtest(arguments) => backtest::run(&environment, &arguments),
        Command::Worker(arguments) => backtest::work(&environment, &arguments),
        Command::Memory(command) => memory::run(&environment, command),
        Command::State(command) => state::run(&environment, &command),
        Command::Asset(command) => asset::run(&environment, &command),
        Command::A2a(command) => a2a::run(&environment, output, &command),
        Command::Hub(command) => hub::run(&environment, output, &command),
        Command::Replay(arguments) => replay::run(&environment, output, &arguments),
        Command::Gene(command) => gene::run(&environment, output, &command),
        Command::Cache(command) => cache::run(&environment, &command),
        Command::Doctor => doctor::run(&environment),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Help(arguments) => help::run(&arguments),
        Command::GeneProcess | Command::Launch | Command::Attempt { .. } => {
            Err(Failure::new(crate::exit_code::Exit::Bug, "bug", "main starts workers"))
        }
    }
}

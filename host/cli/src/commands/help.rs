//! `gephost help`: a command's help, or the table of exit codes.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use gephost_app::COMPILE_BUDGET;
use gephost_runner::sandbox::Budget;
use serde_json::json;

use crate::args::{Arguments, HelpArguments};
use crate::error::Failure;
use crate::exit_code::{Exit, TABLE};
use crate::output::Report;

pub(super) fn run(arguments: &HelpArguments) -> Result<Report, Failure> {
    if arguments.topic.first().is_some_and(|topic| topic == "exit-codes") {
        return Ok(exit_codes());
    }
    let mut root = Arguments::command();
    root.build();
    let mut command = &mut root;
    for name in &arguments.topic {
        command = command.find_subcommand_mut(name).ok_or_else(|| {
            Failure::new(Exit::Usage, "unknown_topic", format!("there is no command or topic `{name}`"))
                .hint("`gephost --help` lists the commands; `gephost help exit-codes` the exit codes")
        })?;
    }
    let text = command.render_help().to_string();
    Ok(Report { exit: Exit::Done, document: json!({ "schema": "gephost.help/1", "text": text }), text })
}

fn exit_codes() -> Report {
    let mut text = String::new();
    for (code, meaning) in TABLE {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{code:>4}  {meaning}");
    }
    text.push_str("\nWith 7, the `code` of `--json` says which budget of `[budgets]` it was:\n");
    for budget in Budget::ALL {
        let _ = writeln!(text, "      {:<24} {budget}", budget.code());
    }
    let _ = writeln!(text, "      {COMPILE_BUDGET:<24} time and memory of compiling a gene, which no key changes");
    text.push_str(
        "Autopilot says in `stopped.code` which limit of its session it was: `max_wall_s` or `model_budget`.\n",
    );
    let codes: Vec<_> = TABLE.iter().map(|(code, meaning)| json!({ "code": code, "meaning": meaning })).collect();
    let budgets: Vec<_> = Budget::ALL
        .map(|budget| json!({ "error": budget.code(), "budget": budget.to_string(), "exit": Exit::Budget.code() }))
        .into();
    let document = json!({ "schema": "gephost.exit-codes/1", "exit_codes": codes, "budgets": budgets });
    Report { exit: Exit::Done, document, text }
}

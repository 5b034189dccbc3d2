//! `gephost help`: a command's help, or the table of exit codes.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use gephost_app::COMPILE_BUDGET;
use gephost_runner::sandbox::Budget;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{Arguments, HelpArguments};
use crate::error::Failure;
use crate::exit_code::{Exit, TABLE};
use crate::output::Report;
use crate::page::Page;

pub(super) fn run(arguments: &HelpArguments) -> Result<Report, Failure> {
    if arguments.topic.first().is_some_and(|topic| topic == "exit-codes") {
        return Ok(Report::of(&ExitCodesPage::of_table()));
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
    Ok(Report::of(&HelpPage { text: command.render_help().to_string() }))
}

/// The help of a command.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HelpPage {
    /// As `--help` prints it.
    text: String,
}

impl Page for HelpPage {
    const KIND: &'static str = "help";

    fn text(&self) -> String {
        self.text.clone()
    }
}

/// Every exit code.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExitCodesPage {
    /// In order.
    exit_codes: Vec<CodeRow>,
    /// The budgets that end a command with the exit code 7.
    budgets: Vec<BudgetRow>,
}

/// An exit code.
#[derive(Debug, Serialize, JsonSchema)]
struct CodeRow {
    code: u8,
    /// What it means.
    meaning: &'static str,
}

/// A budget of a gene call.
#[derive(Debug, Serialize, JsonSchema)]
struct BudgetRow {
    /// The `code` of the error.
    error: &'static str,
    /// The budget's name.
    budget: String,
    /// The exit code.
    exit: u8,
}

impl ExitCodesPage {
    fn of_table() -> Self {
        let row =
            |budget: Budget| BudgetRow { error: budget.code(), budget: budget.to_string(), exit: Exit::Budget.code() };
        Self {
            exit_codes: TABLE.iter().map(|&(code, meaning)| CodeRow { code, meaning }).collect(),
            budgets: Budget::ALL.map(row).into(),
        }
    }
}

impl Page for ExitCodesPage {
    const KIND: &'static str = "exit-codes";

    fn text(&self) -> String {
        let mut text = String::new();
        for CodeRow { code, meaning } in &self.exit_codes {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{code:>4}  {meaning}");
        }
        text.push_str("\nWith 7, the `code` of `--json` says which budget of `[budgets]` it was:\n");
        for BudgetRow { error, budget, .. } in &self.budgets {
            let _ = writeln!(text, "      {error:<24} {budget}");
        }
        let _ = writeln!(text, "      {COMPILE_BUDGET:<24} time and memory of compiling a gene, which no key changes");
        text.push_str(
            "Autopilot says in `stopped.code` which limit of its session it was: `max_wall_s` or `model_budget`.\n",
        );
        text
    }
}

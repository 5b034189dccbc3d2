//! The pages of the book that are made from the command line itself: every command with its options, and the exit codes.
//! `GEPHOST_BLESS=1 cargo test --release -p gephost reference` writes them.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _};
use gephost_app::COMPILE_BUDGET;
use gephost_runner::sandbox::Budget;

use crate::args::Arguments;
use crate::exit_code::TABLE;

const MADE: &str = "<!-- This page is made from the program: see host/cli/src/reference.rs. -->\n\n";

#[test]
fn the_page_of_commands_is_what_the_parser_knows() {
    let mut root = Arguments::command();
    root.build();
    let mut page = format!(
        "# Commands\n\n{MADE}The result of a command goes to standard output, everything else to standard error. With `--json` the \
         result is one JSON document with the key `schema`; errors are JSON too.\n\n| command | what it does |\n|---|---|\n"
    );
    let shown: Vec<&Command> = leaves(&root);
    for command in &shown {
        let (name, about) = (full_name(command), about(command));
        let _ = writeln!(page, "| [`{name}`](#{}) | {} |", name.replace(' ', "-"), cell(&about));
    }
    page.push_str("\n## Options of every command\n\n");
    options(&mut page, root.get_arguments().filter(|arg| arg.is_global_set()));
    for command in shown {
        section(&mut page, command);
    }
    holds_or_bless("commands.md", &page);
}

#[test]
fn the_page_of_exit_codes_is_the_table() {
    let mut page = format!("# Exit codes\n\n{MADE}| code | meaning |\n|---|---|\n");
    for (code, meaning) in TABLE {
        let _ = writeln!(page, "| {code} | {} |", cell(meaning));
    }
    page.push_str(
        "\n`gephost record` ends with the exit code of the command that it ran.\n\n## Budgets\n\nWith exit code 7, `code` in the \
         JSON error says which budget of a gene call ran out:\n\n| `code` | budget |\n|---|---|\n",
    );
    for budget in Budget::ALL {
        let _ = writeln!(page, "| `{}` | {budget} |", budget.code());
    }
    let _ = writeln!(page, "| `{COMPILE_BUDGET}` | time and memory of compiling a gene, which no key changes |");
    page.push_str("\nAutopilot names the limit of its session in `stopped.code`: `max_wall_s` or `model_budget`.\n");
    holds_or_bless("exit-codes.md", &page);
}

/// The commands that do something, in the order of the help; groups such as `policy` only hold others.
fn leaves(command: &Command) -> Vec<&Command> {
    let shown =
        command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help" || is_own_help(sub));
    let below = |sub| {
        let own = if Command::is_subcommand_required_set(sub) { Vec::new() } else { vec![sub] };
        own.into_iter().chain(leaves(sub)).collect::<Vec<_>>()
    };
    shown.flat_map(below).collect()
}

/// Whether this is gephost's own `help`, not the one that the parser adds to each group.
fn is_own_help(command: &Command) -> bool {
    full_name(command) == "gephost help"
}

fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn section(page: &mut String, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _ = write!(page, "\n## {}\n\n{}.\n\n```text\n{usage}\n```\n\n", full_name(command), about(command));
    options(page, command.get_arguments().filter(|arg| !arg.is_global_set()));
    if let Some(after) = command.get_after_help() {
        let _ = write!(page, "\n{after}\n");
    }
}

fn options<'a>(page: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let shown: Vec<&Arg> =
        arguments.filter(|arg| !arg.is_hide_set() && arg.get_id() != "help" && arg.get_id() != "version").collect();
    if shown.is_empty() {
        return;
    }
    page.push_str("| argument | meaning |\n|---|---|\n");
    for arg in shown {
        let _ = writeln!(
            page,
            "| `{}` | {}{} |",
            spelled(arg),
            cell(&arg.get_help().map(ToString::to_string).unwrap_or_default()),
            values(arg)
        );
    }
}

/// An argument as it is typed.
fn spelled(arg: &Arg) -> String {
    let name = arg.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str());
    let many = if matches!(arg.get_action(), clap::ArgAction::Append) { "…" } else { "" };
    let flags: Vec<String> = arg
        .get_short()
        .map(|short| format!("-{short}"))
        .into_iter()
        .chain(arg.get_long().map(|long| format!("--{long}")))
        .collect();
    let takes_value = arg.get_action().takes_values() && !flags.is_empty();
    let text = match (flags.is_empty(), takes_value) {
        (true, _) => format!("{name}{many}"),
        (false, true) => format!("{} {name}{many}", flags.join(", ")),
        (false, false) => flags.join(", "),
    };
    text.replace('|', "\\|")
}

/// The values that an argument knows, and its default.
fn values(arg: &Arg) -> String {
    let mut text = String::new();
    if arg.get_action().takes_values() {
        let names: Vec<String> =
            arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
        if !names.is_empty() {
            let _ = write!(text, "; one of {}", names.join(", "));
        }
        if let Some(default) = arg.get_default_values().first() {
            let _ = write!(text, " (default: `{}`)", default.display());
        }
    }
    text
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[expect(clippy::disallowed_methods, reason = "a test writes the page when its variable is set")]
fn holds_or_bless(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference").join(name);
    if std::env::var_os("GEPHOST_BLESS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == expected,
        "docs/src/reference/{name} is out of date: run this test with GEPHOST_BLESS=1 and commit it"
    );
}

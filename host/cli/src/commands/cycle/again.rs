//! The options of a command that a hint repeats, so that what it names reads the same logs with the same genes.

use std::path::PathBuf;

use gephost_core::command::quote;

use crate::args::CycleArguments;

/// The options that say what a command reads and runs, as they are typed: empty, or after a space. `logs` are those that
/// the user named, with `--log` or without; `since` is from when events count.
fn again(arguments: &CycleArguments, logs: &[PathBuf], since: Option<&str>) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
    for gene in &arguments.gene {
        option("--gene", gene);
    }
    for log in logs {
        option("--log", &log.to_string_lossy());
    }
    if let Some(since) = since {
        option("--since", since);
    }
    if let Some(most) = &arguments.max_events {
        option("--max-events", &most.to_string());
    }
    if words.is_empty() { String::new() } else { format!(" {}", quote(&words)) }
}

/// A command with those options after its name.
pub(super) fn command(name: &str, arguments: &CycleArguments, logs: &[PathBuf]) -> String {
    format!("{name}{}", again(arguments, logs, arguments.since.as_deref()))
}

/// The same, whatever `--since` says.
pub(super) fn anytime(name: &str, arguments: &CycleArguments, logs: &[PathBuf]) -> String {
    format!("{name}{}", again(arguments, logs, None))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Arguments, Command};

    #[test]
    fn what_the_user_named_is_repeated_as_a_shell_reads_it() {
        let typed =
            ["gephost", "run", "--gene", "my gene.wasm", "--gene", "g", "--log", "a.jsonl", "b's", "--since", "7d"];
        let Command::Run(run) = Arguments::try_parse_from(typed).unwrap().command else { panic!("it is `run`") };
        let cycle = &run.select.cycle;
        let expected = "gephost run --apply --gene 'my gene.wasm' --gene g --log a.jsonl --log 'b'\"'\"'s' --since 7d";
        assert_eq!(command("gephost run --apply", cycle, &cycle.log), expected);
        let expected = "gephost diagnose --gene 'my gene.wasm' --gene g --log a.jsonl --log 'b'\"'\"'s'";
        assert_eq!(anytime("gephost diagnose", cycle, &cycle.log), expected);
        let Command::Run(run) = Arguments::try_parse_from(["gephost", "run"]).unwrap().command else { panic!("`run`") };
        assert_eq!(command("gephost run", &run.select.cycle, &[]), "gephost run");
    }
}

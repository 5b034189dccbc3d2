//! Arguments of the commands that read what agents did.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// `observe`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ObserveArguments {
    /// Log files, directories or patterns; without any, those of the project and of `gephost record`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only events since then, as for `run`
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Read every file as this format, without looking at its content
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// List every tool call with its outcome
    #[arg(long, conflicts_with_all = ["store", "keep"])]
    pub(crate) calls: bool,
    /// Show event N in full; `gephost diagnose` prints the numbers
    #[arg(long, value_name = "N", value_parser = event_number)]
    #[arg(conflicts_with_all = ["calls", "store", "keep", "watch", "discover", "format"])]
    pub(crate) event: Option<u64>,
    /// Store what is new in FILE in the run store, as for the logs of the config
    #[arg(long)]
    pub(crate) store: bool,
    /// Remove run events older than DAYS days from the run store, and list the removed days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) keep: Option<u32>,
    /// Watch the logs until interrupted, and store new events in the run store as they are written
    #[arg(long, conflicts_with_all = ["since", "calls", "discover", "otlp"])]
    pub(crate) watch: bool,
    #[arg(
        long,
        requires = "watch",
        help = "With --watch: one JSON object a line on standard output, as something changes"
    )]
    pub(crate) jsonl: bool,
    /// List where agents keep their logs on this machine, and which of them are sessions of this project
    #[arg(long, conflicts_with_all = ["files", "otlp"])]
    pub(crate) discover: bool,
    /// Read this project's own sessions in the agents' folders from now on, without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// With --discover: forget whether this project's own sessions may be read
    #[arg(long, requires = "discover", conflicts_with = "yes")]
    pub(crate) forget: bool,
    /// Listen at ADDR for traces and logs over OTLP/HTTP, and store them, until interrupted: IP:PORT, or a port
    #[arg(long, value_name = "ADDR", conflicts_with_all = ["files", "since", "format", "calls", "store", "keep"])]
    pub(crate) otlp: Option<String>,
    /// Let --otlp listen at an address that other machines can reach; anyone who reaches it can write run events
    #[arg(long, requires = "otlp")]
    pub(crate) beyond_loopback: bool,
}

/// The number of an event, as it is printed or without the sign before it.
fn event_number(typed: &str) -> Result<u64, String> {
    let number = typed.strip_prefix('#').unwrap_or(typed);
    number.parse().map_err(|_| "the number of an event is expected, such as 12 or '#12'".to_owned())
}

/// `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The command and its arguments, after `--`
    #[arg(required = true, last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
    /// End the command after so many seconds, and record that it timed out
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=604_800))]
    pub(crate) timeout: Option<u32>,
}

/// How `hook` is used.
pub(super) const HOOK_HELP: &str = "Reads the agent's JSON from standard input, and uses `cwd` and `transcript_path`. At \
Stop, SubagentStop, PreCompact and SessionEnd, a process beside the agent stores what is new in the transcript, as \
`observe --store` does. It does so only if the project has a gephost.toml, or if gephost keeps state of it. Other events \
do nothing. The exit code is always 0, unless --strict is given.";

/// `hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// The agent's name of the event, such as Stop
    #[arg(value_name = "EVENT")]
    pub(crate) event: String,
    /// Fail if something is wrong, instead of exiting with 0
    #[arg(long)]
    pub(crate) strict: bool,
}

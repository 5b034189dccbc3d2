//! The command line as it is typed. [`crate::commands`] turns it into plain values.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Reads what an agent wrote about itself, finds what goes wrong again and again, and proposes small patches.
#[derive(Debug, Parser)]
#[command(name = "gephost", version, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// What applies to every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Work as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing but the result and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print also what genes wrote and used
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Colour the output
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub(crate) color: Color,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Observe, diagnose, select, propose and gate; with --apply also validate and publish a branch
    Run(RunArguments),
    /// Read agents' logs and say what is in them
    Observe(ObserveArguments),
    /// Observe, and say what goes wrong
    Diagnose(CycleArguments),
    /// Diagnose, and say which gene would be asked
    Select(CycleArguments),
    /// Select, and show what the gene proposes, gated
    Propose(CycleArguments),
    /// Judge a saved proposal or a bare diff
    Gate(GateArguments),
    /// Apply a saved proposal: gate, validate, publish a branch
    Apply(ApplyArguments),
    /// Run a command, and record it with its output and exit code
    Record(RecordArguments),
    /// Show or verify this repository's log
    Log(LogArguments),
    /// Compute and verify ids of GEP assets
    #[command(subcommand)]
    Asset(AssetCommand),
    /// Look at genes
    #[command(subcommand)]
    Gene(GeneCommand),
    /// Help on a topic, or on a command
    Help(HelpArguments),
}

/// What a cycle reads and runs.
#[derive(Debug, Args)]
pub(crate) struct CycleArguments {
    /// A component file, or the id of a bundled gene; may be given more than once
    #[arg(long, value_name = "FILE|ID")]
    pub(crate) gene: Vec<String>,
    /// A log file or directory to read, instead of those of the config
    #[arg(long, value_name = "PATH")]
    pub(crate) log: Vec<PathBuf>,
    /// Only events since then: a time (RFC 3339), or a span such as 24h, 7d, or hours as a number
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// The most events, over all sessions; the newest are kept
    #[arg(long, value_name = "N")]
    pub(crate) max_events: Option<usize>,
}

/// `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// What to read and run.
    #[command(flatten)]
    pub(crate) cycle: CycleArguments,
    /// Validate, and publish a branch; needs `apply.enabled = true` in gephost.toml too
    #[arg(long)]
    pub(crate) apply: bool,
}

/// `observe`.
#[derive(Debug, Args)]
pub(crate) struct ObserveArguments {
    /// Log files or directories; without any, those of the config and of `gephost record`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only events since then, as for `run`
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
}

/// `gate`.
#[derive(Debug, Args)]
pub(crate) struct GateArguments {
    /// A proposal (JSON) or a unified diff; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A policy file instead of the repository's gephost.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
}

/// `apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    /// A proposal (JSON) or a unified diff; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Really do it; needs `apply.enabled = true` in gephost.toml too
    #[arg(long)]
    pub(crate) apply: bool,
}

/// `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The command and its arguments, after `--`
    #[arg(required = true, last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// `log`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LogArguments {
    /// `show` where nothing is said.
    #[command(subcommand)]
    pub(crate) command: Option<LogCommand>,
}

/// `log` …
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum LogCommand {
    /// Show the entries
    Show,
    /// Check the hash chain and its head
    Verify,
}

/// `asset` …
#[derive(Debug, Subcommand)]
pub(crate) enum AssetCommand {
    /// Print the asset id of a JSON document
    Id(AssetArguments),
    /// Compare the asset id that a document states with the computed one
    Verify(AssetArguments),
}

/// `asset id`, `asset verify`.
#[derive(Debug, Args)]
pub(crate) struct AssetArguments {
    /// JSON documents; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// `gene` …
#[derive(Debug, Subcommand)]
pub(crate) enum GeneCommand {
    /// List the bundled genes and those of the config
    List,
    /// Say what a component is, without running it
    Inspect {
        /// The component
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArguments {
    /// A command, or `exit-codes`
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<String>,
}

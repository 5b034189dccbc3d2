//! Arguments of the commands that look at what gephost has: recordings, the log, assets, the cache.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `cache` …
#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Check the seal of every entry, and move entries aside that do not verify
    Verify,
    /// Remove compiled components and indexes that were not used lately, and what was moved aside
    Prune(PruneArguments),
}

/// `cache prune`.
#[derive(Debug, Args)]
pub(crate) struct PruneArguments {
    /// Keep entries that were used within the last DAYS days
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub(crate) keep: u32,
    /// Remove every entry
    #[arg(long, conflicts_with_all = ["keep", "max_bytes"])]
    pub(crate) all: bool,
    /// Keep the most recently used entries: components up to BYTES bytes, and indexes up to as many
    #[arg(long, value_name = "BYTES", conflicts_with = "keep")]
    pub(crate) max_bytes: Option<u64>,
}

/// Where a gene's chance and time come from.
pub(super) const REPLAY_HELP: &str = "Every gene gets the same random numbers in every run: their seed is the bytes \
`gephost1` as a number. Its clock starts at the newest event that was read. Both are in the recording, so a replay gives \
the same bytes on any machine.";

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// A recording's name or the beginning of it, or a file that `--export` wrote
    #[arg(value_name = "ID|FILE", required_unless_present = "list")]
    pub(crate) recording: Option<String>,
    /// Run this component instead of the recorded one, and show where its answer differs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "export"])]
    pub(crate) gene: Option<PathBuf>,
    /// List the recordings that are kept
    #[arg(long, conflicts_with_all = ["recording", "export"])]
    pub(crate) list: bool,
    /// Write the recording with everything that it needs into FILE, instead of running it
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
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
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum LogCommand {
    /// Show the entries
    Show,
    /// Check the hash chain and its head
    Verify {
        /// Also check that the log continues that of an earlier checkpoint (`gephost log checkpoint`)
        #[arg(long, value_name = "FILE")]
        checkpoint: Option<PathBuf>,
        /// The key that signed the checkpoint; without it, your own
        #[arg(long, value_name = "KEY", requires = "checkpoint")]
        key: Option<String>,
    },
    /// Sign how many entries the log has, and their hash, for others to keep
    Checkpoint {
        /// Write the signed note to FILE, which must not exist
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Prove that an entry is in the log, or that the log continues that of a checkpoint
    Prove(ProveArguments),
    /// Check a proof of `gephost log prove`, without the log
    VerifyProof {
        /// The proof; `-` is standard input
        file: PathBuf,
        /// The key that signed the checkpoints in it; without it, your own
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
    },
    /// Show the evolution events of the assets folder as a tree
    Graph {
        /// Print the tree as an SVG image
        #[arg(long)]
        svg: bool,
    },
    /// Begin a new log if the log was removed, or accept its entries as they are if its head is missing
    Accept,
}

/// `log prove`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProveArguments {
    /// The entry's number, from 0
    #[arg(value_name = "N", required_unless_present = "since")]
    pub(crate) seq: Option<u64>,
    /// Prove that the log continues that of this checkpoint
    #[arg(long, value_name = "FILE", conflicts_with = "seq")]
    pub(crate) since: Option<PathBuf>,
    /// Write the proof to FILE, which must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// `memory` …
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List how often each gene succeeded, by signals
    Show,
}

/// What `backtest` does and does not do.
pub(super) const BACKTEST_HELP: &str = "Commands run in copies, confined as in an apply. Nothing is published or logged. \
The commit of a finding is the newest one that is not newer than its last failure. Genes that search are not tried. Of a \
repair with several steps, only the first is tried.";

/// `backtest`.
#[derive(Debug, Args)]
pub(crate) struct BacktestArguments {
    /// A component file, the JSON file of a gene that is only text, or the id of a bundled gene; may be given more than once
    #[arg(long, value_name = "FILE|ID", required = true)]
    pub(crate) gene: Vec<String>,
    /// Findings of events since then: a day, a time (RFC 3339), or a span such as 12h, 7d, 2w
    #[arg(long, value_name = "WHEN", default_value = "90d")]
    pub(crate) since: String,
    /// Folders of the projects whose past is used; without any, this project
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub(crate) repos: Vec<PathBuf>,
    /// Compute every outcome again, also those that an earlier backtest found
    #[arg(long)]
    pub(crate) anew: bool,
    /// The queue from which workers take the cells (`gephost worker`): postgres://… or nats://…; without it, threads of this
    /// process run them
    #[arg(long, value_name = "URL")]
    pub(crate) queue: Option<String>,
}

/// `worker`.
#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    /// The queue: postgres://… or nats://…
    #[arg(long, value_name = "URL")]
    pub(crate) queue: String,
    /// Clones in which cells are run; without any, this project
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub(crate) repos: Vec<PathBuf>,
    /// Also run commands that someone else recorded, confined like every other; without it, only commands of a clone's config
    /// run, and commands of genes that fit the command grammar
    #[arg(long)]
    pub(crate) recorded: bool,
    /// Exit when the queue is empty
    #[arg(long)]
    pub(crate) until_empty: bool,
}

/// `state` …
#[derive(Debug, Subcommand)]
pub(crate) enum StateCommand {
    /// List the projects that gephost keeps state of
    List,
    /// Give this project the state of a clone that was moved here
    Adopt(AdoptArguments),
    /// Remove the state of a project: its log, runs, proposals and recordings
    Remove(RemoveArguments),
}

/// `state adopt`.
#[derive(Debug, Args)]
pub(crate) struct AdoptArguments {
    /// The state's id (`gephost state list`); without one, the state of the clone that was moved here
    pub(crate) id: Option<String>,
}

/// `state remove`.
#[derive(Debug, Args)]
pub(crate) struct RemoveArguments {
    /// The state's id (`gephost state list`)
    pub(crate) id: String,
}

/// `asset` …
#[derive(Debug, Subcommand)]
pub(crate) enum AssetCommand {
    /// Print the asset id of a JSON document
    Id(AssetArguments),
    /// Compare the asset id that a document states with the computed one
    Verify(AssetArguments),
    /// Show what is hashed, and name the mistake behind a wrong asset id
    Explain {
        /// A JSON document; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// List the assets of this project: genes, capsules, events, and what other tools left there
    List {
        /// Print one JSON line for each asset
        #[arg(long)]
        jsonl: bool,
    },
    /// Write all assets of this project to a portable archive (.gepx)
    Export {
        /// The new archive; it must not exist
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The agent's name in the archive; by default the name of the project's folder
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Import genes and capsules of others, as candidates with lowered confidence
    Import {
        /// An archive (.gepx), JSON lines (.jsonl), a list of assets, or one asset
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Where the assets come from; by default the name of the file
        #[arg(long, value_name = "TEXT", conflicts_with = "restore")]
        source: Option<String>,
        /// Put your own archive back into an empty assets folder, unchanged
        #[arg(long)]
        restore: bool,
    },
}

/// `asset id`, `asset verify`.
#[derive(Debug, Args)]
pub(crate) struct AssetArguments {
    /// JSON documents; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Read one document from each line of FILE, and print one JSON answer for each
    #[arg(long)]
    pub(crate) jsonl: bool,
}

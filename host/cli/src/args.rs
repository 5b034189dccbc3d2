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
    /// Keep what gephost knows of projects in DIR, instead of in your state folder
    #[arg(long = "state", value_name = "DIR", global = true)]
    pub(crate) state_folder: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing but the result and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print also what genes wrote and used
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Refuse the network, whatever the command
    #[arg(long, global = true)]
    pub(crate) offline: bool,
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

/// Who diagnoses and proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Diagnose {
    /// The genes.
    Genes,
    /// A model, about what the heuristic genes found.
    Model,
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
    /// Check a policy, explain what it decides, move on to its next phase
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Run cycles by itself, up to a risk; what is above waits for a person
    #[command(after_help = AUTOPILOT_HELP)]
    Autopilot(RunArguments),
    /// List what waits for a person, or apply one of it
    Approve(ApproveArguments),
    /// Say no to a proposal that waits
    Reject(RejectArguments),
    /// Apply a saved proposal: gate, validate, publish a branch
    Apply(ApplyArguments),
    /// Take back a change that was published: drop its branch, or undo it where it has landed
    Rollback(RollbackArguments),
    /// Take back the newest published change that stands
    Undo(RollbackOptions),
    /// Run a command, and record it with its output and exit code
    Record(RecordArguments),
    /// What an agent starts at its own moments: keeps what is new in its transcript, and never stops it
    #[command(after_help = HOOK_HELP)]
    Hook(HookArguments),
    /// Look for secrets, personal data and suspicious code in files, as the gate does in changes
    #[command(after_help = SCAN_EXIT)]
    Scan(ScanArguments),
    /// Copy text with its secrets and personal data replaced by [REDACTED:kind:n]
    Redact(RedactArguments),
    /// What is going on in this project, on one screen
    Status,
    /// Figures of all cycles, and what the published changes did; with an id, the story of one cycle
    Report(ReportArguments),
    /// Show or verify this repository's log
    Log(LogArguments),
    /// List, adopt or remove what gephost keeps of projects
    #[command(subcommand)]
    State(StateCommand),
    /// Compute and verify ids of GEP assets
    #[command(subcommand)]
    Asset(AssetCommand),
    /// Run a recorded gene call again, and say where it differs
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArguments),
    /// Look at genes
    #[command(subcommand)]
    Gene(GeneCommand),
    /// Look after this user's compiled components
    #[command(subcommand)]
    Cache(CacheCommand),
    /// Try everything that must be refused, and say what refuses it
    Doctor,
    /// Help on a topic, or on a command
    Help(HelpArguments),
    /// A process that compiles a component or runs a gene; gephost starts it itself
    #[command(hide = true)]
    Worker,
    /// A process that starts a validation command; gephost starts it itself
    #[command(hide = true)]
    Launch,
    /// Something that a validation command should not be able to do; `gephost doctor` runs it itself
    #[command(hide = true)]
    Attempt {
        /// What to try, and on what.
        words: Vec<String>,
    },
}

/// `cache` …
#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Check the seal of every entry; move those aside that do not verify
    Verify,
    /// Remove entries that were not used lately, and what was moved aside
    Prune(PruneArguments),
}

/// `cache prune`.
#[derive(Debug, Args)]
pub(crate) struct PruneArguments {
    /// Keep what was used within so many days
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub(crate) keep: u32,
    /// Keep nothing
    #[arg(long, conflicts_with_all = ["keep", "max_bytes"])]
    pub(crate) all: bool,
    /// Keep the most recently used entries, up to so many bytes together
    #[arg(long, value_name = "BYTES", conflicts_with = "keep")]
    pub(crate) max_bytes: Option<u64>,
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
    /// Who says why things fail, and proposes: the genes, or the model that the user's own config names
    #[arg(long, value_name = "WHO", default_value = "genes")]
    pub(crate) diagnose: Diagnose,
    /// Show what each gene read, and what it was refused and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write every request of every gene into FILE, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
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
    /// Why, for the log
    #[arg(long, value_name = "TEXT", requires = "apply")]
    pub(crate) why: Option<String>,
    /// Move the checked-out branch forward to what is published, if that touches no file with local edits
    #[arg(long, requires = "apply")]
    pub(crate) land: bool,
}

/// `observe`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ObserveArguments {
    /// Log files or directories; without any, those of the config and of `gephost record`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only events since then, as for `run`
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Read every file as this format, whatever it holds
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// List every tool call with what became of it
    #[arg(long, conflicts_with_all = ["store", "keep"])]
    pub(crate) calls: bool,
    /// Keep what is new in FILE in the run store, as for the logs of the config
    #[arg(long)]
    pub(crate) store: bool,
    /// Remove run events of days before the last DAYS from the run store, and say which
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) keep: Option<u32>,
    /// Go on until interrupted: what is new in the logs is kept in the run store as it is written
    #[arg(long, conflicts_with_all = ["since", "calls", "discover", "otlp"])]
    pub(crate) watch: bool,
    #[arg(
        long,
        requires = "watch",
        help = "With --watch: one JSON object a line on standard output, as something changes"
    )]
    pub(crate) jsonl: bool,
    /// List where agents keep their logs on this machine, and ask whether to read them
    #[arg(long, conflicts_with_all = ["files", "otlp"])]
    pub(crate) discover: bool,
    /// Do not ask: with --discover, read what is found
    #[arg(long, requires = "discover")]
    pub(crate) yes: bool,
    /// Listen at ADDR for traces and logs over OTLP/HTTP, and store them, until interrupted: IP:PORT, or a port
    #[arg(long, value_name = "ADDR", conflicts_with_all = ["files", "since", "format", "calls", "store", "keep"])]
    pub(crate) otlp: Option<String>,
    /// Let --otlp listen at an address that other machines reach; whoever reaches it can write run events
    #[arg(long, requires = "otlp")]
    pub(crate) beyond_loopback: bool,
}

/// `gate`.
#[derive(Debug, Args)]
pub(crate) struct GateArguments {
    /// A proposal (JSON) or a unified diff; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "jsonl")]
    pub(crate) file: Option<PathBuf>,
    /// A policy file instead of the repository's gephost.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    #[arg(
        long,
        help = "Judge many: one {\"id\",\"proposal\"} or {\"id\",\"unified_diff\"} a line, one verdict a line"
    )]
    pub(crate) jsonl: bool,
}

/// `policy` …
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say whether a policy file is valid, and what it means
    Check {
        /// A gephost.toml, or a file with its tables `[policy]` and `[validation]`; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Say whether files may change, and which rule decides
    Explain {
        /// Paths from the repository's root; with --jsonl, the file of questions instead
        #[arg(value_name = "PATH", required_unless_present = "jsonl")]
        paths: Vec<String>,
        /// How the policy is found, and how questions come.
        #[command(flatten)]
        asked: PolicyArguments,
    },
    /// Say whether a validation command may run, and as which words
    Command {
        /// The command as one word: quote it; with --jsonl, the file of questions instead
        #[arg(value_name = "CMD", required_unless_present = "jsonl")]
        command: Option<String>,
        /// How the policy is found, and how questions come.
        #[command(flatten)]
        asked: PolicyArguments,
    },
    /// Record that the policy moves to its next phase, if the governance checklist holds
    Promote(PromoteArguments),
}

/// Options of `policy explain` and `policy command`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// A policy file instead of the repository's gephost.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Answer many: one {"id", "path"} or {"id", "command"} a line, one answer a line
    #[arg(long)]
    pub(crate) jsonl: bool,
}

/// `policy promote`.
#[derive(Debug, Args)]
pub(crate) struct PromoteArguments {
    /// The phase to move to; without it, the next one
    #[arg(long, value_name = "PHASE")]
    pub(crate) to: Option<String>,
    /// Why the policy may open further
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// Who decides so, and has reviewed the earlier proposals
    #[arg(long, value_name = "NAME")]
    pub(crate) by: String,
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
    /// Why, for the log
    #[arg(long, value_name = "TEXT", requires = "apply")]
    pub(crate) why: Option<String>,
    /// Move the checked-out branch forward to what is published, if that touches no file with local edits
    #[arg(long, requires = "apply")]
    pub(crate) land: bool,
}

/// What `autopilot` can be told by a file.
const AUTOPILOT_HELP: &str = "Without --apply nothing is changed: it says what it would do. It stops, with exit code 8, \
at a proposal whose risk is above `[autopilot] max_risk`, and goes on when a person has approved or rejected that. A file \
.gephost/STOP stops it and every other apply before the next effect.";

/// `approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// The proposal's id, or the beginning of it; without one, all that waits is listed
    #[arg(value_name = "ID")]
    pub(crate) proposal: Option<String>,
    /// List what waits
    #[arg(long, conflicts_with_all = ["proposal", "apply", "by"])]
    pub(crate) list: bool,
    /// Record the approval and apply it; needs `apply.enabled = true` in gephost.toml too
    #[arg(long, requires = "proposal")]
    pub(crate) apply: bool,
    /// Who approves; without it, the user who runs gephost
    #[arg(long, value_name = "NAME", requires = "proposal")]
    pub(crate) by: Option<String>,
    /// Why, for the log
    #[arg(long, value_name = "TEXT", requires = "apply")]
    pub(crate) why: Option<String>,
    /// Move the checked-out branch forward to what is published, if that touches no file with local edits
    #[arg(long, requires = "apply")]
    pub(crate) land: bool,
}

/// `reject`.
#[derive(Debug, Args)]
pub(crate) struct RejectArguments {
    /// The proposal's id, or the beginning of it
    #[arg(value_name = "ID")]
    pub(crate) proposal: String,
    /// Why not
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// Who says so; without it, the user who runs gephost
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

/// `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A cycle, a proposal or a branch
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
}

/// `rollback`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArguments {
    /// The branch, or the id of its proposal, event or commit
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// How.
    #[command(flatten)]
    pub(crate) options: RollbackOptions,
}

/// `undo`, and options of `rollback`.
#[derive(Debug, Args)]
pub(crate) struct RollbackOptions {
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// Where the change has landed: move the checked-out branch forward to the commit that undoes it
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) land: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The command and its arguments, after `--`
    #[arg(required = true, last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// How `hook` is used.
const HOOK_HELP: &str = "Standard input is the agent's JSON; `cwd` and `transcript_path` are looked at. At Stop, \
SubagentStop, PreCompact and SessionEnd a process beside the agent reads what is new in the transcript, as `observe --store` \
does, in a project that has a gephost.toml or that gephost keeps state of; at other events there is nothing to do. Exits with 0 whatever \
comes, unless --strict is said.";

/// `hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// What the agent calls the event, such as Stop
    #[arg(value_name = "EVENT")]
    pub(crate) event: String,
    /// Fail where something is wrong, instead of exiting with 0
    #[arg(long)]
    pub(crate) strict: bool,
}

/// How `scan` ends.
const SCAN_EXIT: &str = "Exits with 1 where something was found that the gate rejects; personal data alone is only \
shown. With --jsonl the answers say what was found, and it exits with 0.";

/// `scan`.
#[derive(Debug, Args)]
pub(crate) struct ScanArguments {
    /// Files; `-`, or none, is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The name that standard input has: it says which language it is
    #[arg(long, value_name = "NAME")]
    pub(crate) path: Option<String>,
    /// Read one {"id","path","text"} a line, and answer one {"id","findings"} for each
    #[arg(long, conflicts_with_all = ["json", "path"])]
    pub(crate) jsonl: bool,
}

/// `redact`.
#[derive(Debug, Args)]
pub(crate) struct RedactArguments {
    /// A file; `-`, or none, is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Read one {"id","text"} a line, and answer one {"id","text","redactions"} for each; ids stay as they are
    #[arg(long, conflicts_with = "json")]
    pub(crate) jsonl: bool,
}

/// Where a gene's chance and time come from.
const REPLAY_HELP: &str = "A gene's randomness is made from one seed, the bytes `gephost1` as a number, in every run and for \
every gene; its clock starts at the newest event that was read. Both are in the recording, so that a replay gives the same \
bytes on any machine.";

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// A recording's name or the beginning of it, or a file that `--export` wrote
    #[arg(value_name = "ID|FILE", required_unless_present = "list")]
    pub(crate) recording: Option<String>,
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
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum LogCommand {
    /// Show the entries
    Show,
    /// Check the hash chain and its head
    Verify,
    /// Accept that the log was removed, and begin a new one; or that its head is missing, and count its entries as they are
    Accept,
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
        /// A component file, or the id of a bundled gene
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

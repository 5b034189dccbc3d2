//! The command line as it is typed, a group of commands a file. [`crate::commands`] turns it into plain values.

mod author;
mod cycle;
mod exchange;
mod gene;
mod inspect;
mod judge;
mod logs;
mod sharing;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use author::{
    BuildArguments, CheckArguments, EncodingWord, LanguageWord, NewArguments, PackArguments, RunGeneArguments,
    TestArguments, WitArguments, WorldWord,
};
use cycle::AUTOPILOT_HELP;
pub(crate) use cycle::{
    ApplyArguments, ApproveArguments, CycleArguments, Diagnose, DiagnoseArguments, DiagnosisForm, RejectArguments,
    ReportArguments, RollbackArguments, RollbackOptions, RunArguments, SelectArguments,
};
pub(crate) use exchange::{AddArguments, PullArguments, PushArguments, SignArguments};
pub(crate) use gene::{DistillArguments, GeneCommand};
pub(crate) use inspect::{
    AssetArguments, AssetCommand, BacktestArguments, CacheCommand, LogArguments, LogCommand, MemoryCommand,
    ProveArguments, PruneArguments, ReplayArguments, StateCommand, WorkerArguments,
};
use inspect::{BACKTEST_HELP, REPLAY_HELP};
pub(crate) use judge::{
    GateArguments, InitArguments, PolicyArguments, PolicyCommand, PromoteArguments, RedactArguments, ScanArguments,
    TrustArguments,
};
use judge::{SCAN_EXIT, TRUST_HELP};
use logs::HOOK_HELP;
pub(crate) use logs::{HookArguments, ObserveArguments, RecordArguments};
use sharing::A2A_HELP;
pub(crate) use sharing::{
    A2aCommand, Decision, DecisionArguments, FetchArguments, HubArguments, HubCommand, PublishArguments,
    ReportAssetArguments, RevokeArguments, ServeArguments, SyncArguments, ValidateArguments,
};

/// Reads the logs of AI agents, finds what goes wrong again and again, and proposes small patches.
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
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Work as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Keep the state of projects in DIR, instead of in your state folder
    #[arg(long = "state", value_name = "DIR", global = true)]
    pub(crate) state_folder: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print nothing but the result and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also print what genes wrote and used
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Never use the network, whatever the command
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// When to colour the output
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub(crate) color: Color,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Also into files and pipes.
    Always,
    /// Not even on a terminal.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at the project, and write the gephost.toml that fits
    Init(InitArguments),
    /// Observe, diagnose, select, propose and gate; with --apply also validate and publish a branch
    Run(RunArguments),
    /// Read agents' logs and summarise them
    Observe(ObserveArguments),
    /// Observe, and list what goes wrong
    Diagnose(DiagnoseArguments),
    /// Diagnose, and show which gene would be asked
    Select(SelectArguments),
    /// Select, and show what the gene proposes, gated
    Propose(SelectArguments),
    /// Judge a saved proposal or a bare diff
    Gate(GateArguments),
    /// Check a policy, explain its decisions, or move on to its next phase
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Trust this project's gephost.toml as it is, so that its keys that widen what gephost may do take effect
    #[command(after_help = TRUST_HELP)]
    Trust(TrustArguments),
    /// Run cycles without you, up to a risk limit; riskier proposals await approval
    #[command(after_help = AUTOPILOT_HELP)]
    Autopilot(RunArguments),
    /// List proposals awaiting approval, or apply one
    Approve(ApproveArguments),
    /// Reject a proposal that awaits approval
    Reject(RejectArguments),
    /// Apply a saved proposal: gate, validate, publish a branch
    Apply(ApplyArguments),
    /// Take back a published change: drop its branch or, if it has landed, publish a commit that undoes it
    Rollback(RollbackArguments),
    /// Take back the newest published change that is still in effect
    Undo(RollbackOptions),
    /// Run a command, and record it with its output and exit code
    Record(RecordArguments),
    /// Started by the hooks of an agent: stores what is new in its transcript, and never blocks the agent
    #[command(after_help = HOOK_HELP)]
    Hook(HookArguments),
    /// Look for secrets, personal data and suspicious code in files, as the gate does in changes
    #[command(after_help = SCAN_EXIT)]
    Scan(ScanArguments),
    /// Copy text, with secrets and personal data replaced by [REDACTED:kind:n]
    Redact(RedactArguments),
    /// Show the state of this project on one screen
    Status,
    /// Show figures of all cycles and the effect of published changes; with an id, show one cycle
    Report(ReportArguments),
    /// Show or verify this repository's log
    Log(LogArguments),
    /// Try genes on past findings, each at the commit of its time
    #[command(after_help = BACKTEST_HELP)]
    Backtest(BacktestArguments),
    /// Run the cells of backtests from a queue, in clones on this machine
    Worker(WorkerArguments),
    /// Show what selection remembers about genes
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// List, adopt or remove the state that gephost keeps of projects
    #[command(subcommand)]
    State(StateCommand),
    /// List, verify and exchange GEP assets: genes, capsules, events
    #[command(subcommand)]
    Asset(AssetCommand),
    /// Share genes and capsules over GEP-A2A
    #[command(subcommand, after_help = A2A_HELP)]
    A2a(A2aCommand),
    /// Run a hub of your own
    #[command(subcommand)]
    Hub(HubCommand),
    /// Run a recorded gene call again, and show where it differs
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArguments),
    /// List, write, test, sign and exchange genes
    #[command(subcommand)]
    Gene(GeneCommand),
    /// Verify or prune your cache of compiled components
    #[command(subcommand)]
    Cache(CacheCommand),
    /// Try everything that must be refused, and show what refuses it
    Doctor,
    /// Print the JSON Schema of a document that gephost prints
    Schema(SchemaArguments),
    /// Help on a topic, or on a command
    Help(HelpArguments),
    /// A process that compiles a component or runs a gene; gephost starts it itself
    #[command(hide = true)]
    GeneProcess,
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

/// `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// The kind of document, such as `status`; without it, list all kinds
    #[arg(value_name = "KIND")]
    pub(crate) kind: Option<String>,
}

/// `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArguments {
    /// A command, or `exit-codes`
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<String>,
}

//! Arguments of the commands that judge a text: a change, a policy, a file.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// More help on `trust`.
pub(super) const TRUST_HELP: &str = "gephost.toml is a file of the repository, so anyone who can write to the repository \
can change it. Keys that restrict take effect at once. Keys that widen what gephost may do take effect only after `gephost \
trust`, and only while the file stays exactly as it is. `gephost policy check` lists these keys. To trust all projects in \
a folder, write `[trust] folders = [\"/full/path\"]` in your own config.";

/// `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Write the file without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// Remove the file that `gephost init` wrote, if it was not changed since
    #[arg(long, conflicts_with = "yes")]
    pub(crate) undo: bool,
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
        help = "Judge many proposals: one {\"id\",\"proposal\"} or {\"id\",\"unified_diff\"} a line, one verdict a line"
    )]
    pub(crate) jsonl: bool,
}

/// `policy` …
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show whether a policy file is valid, what it means, and which of its keys need your trust
    Check {
        /// A gephost.toml, or a file with its tables `[policy]` and `[validation]`; `-` is standard input. Without it,
        /// the project's gephost.toml
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Show whether files may change, and which rule decides
    Explain {
        /// Paths from the repository's root; with --jsonl, the file of questions instead
        #[arg(value_name = "PATH", required_unless_present = "jsonl")]
        paths: Vec<String>,
        /// How the policy is found, and how questions come.
        #[command(flatten)]
        asked: PolicyArguments,
    },
    /// Show whether a validation command may run, and how it is split into words
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

/// `trust`.
#[derive(Debug, Args)]
pub(crate) struct TrustArguments {
    /// Trust no version of the project's gephost.toml any more
    #[arg(long)]
    pub(crate) revoke: bool,
}

/// Options of `policy explain` and `policy command`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// A policy file instead of the repository's gephost.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Answer many questions: one {"id", "path"} or {"id", "command"} a line, one answer a line
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
    /// Who decides this, and has reviewed the earlier proposals
    #[arg(long, value_name = "NAME")]
    pub(crate) by: String,
}

/// How `scan` ends.
pub(super) const SCAN_EXIT: &str = "Exits with 1 if it finds something that the gate rejects; personal data alone is only \
shown. With --jsonl the answers say what was found, and the exit code is 0.";

/// `scan`.
#[derive(Debug, Args)]
pub(crate) struct ScanArguments {
    /// Files; `-`, or none, is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The file name of standard input, which tells its language
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

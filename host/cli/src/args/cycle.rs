//! Arguments of the commands of a cycle: those that propose, apply, take back and report.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gephost_core::select::Strategy;

/// Who diagnoses and proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Diagnose {
    /// The genes.
    Genes,
    /// A model, about what the heuristic genes found.
    Model,
}

/// How much each category of genes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    /// Every category counts the same.
    Balanced,
    /// New things first.
    Innovate,
    /// Repairs and improvements first.
    Harden,
    /// Repairs alone.
    RepairOnly,
}

impl From<StrategyName> for Strategy {
    fn from(name: StrategyName) -> Self {
        match name {
            StrategyName::Balanced => Self::Balanced,
            StrategyName::Innovate => Self::Innovate,
            StrategyName::Harden => Self::Harden,
            StrategyName::RepairOnly => Self::RepairOnly,
        }
    }
}

/// `select` and `propose`.
#[derive(Debug, Args)]
pub(crate) struct SelectArguments {
    /// What to read and run.
    #[command(flatten)]
    pub(crate) cycle: CycleArguments,
    /// How much each category of genes counts, instead of `[select] strategy` of the config
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<StrategyName>,
}

/// What a cycle reads and runs.
#[derive(Debug, Args)]
pub(crate) struct CycleArguments {
    /// A component file, the JSON file of a gene that is only text, or the id of a bundled gene or of a text-only gene of the
    /// assets folder; may be given more than once
    #[arg(long, value_name = "FILE|ID")]
    pub(crate) gene: Vec<String>,
    /// Log files, directories or patterns to read, instead of those of the project
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) log: Vec<PathBuf>,
    /// Read this project's own sessions in the agents' folders from now on, without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// Only events since then: a day such as 2026-03-10 (UTC), a time (RFC 3339), or a span such as 12h, 7d, 2w, or hours
    /// as a number
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Read at most N events, over all sessions; the newest are kept
    #[arg(long, value_name = "N")]
    pub(crate) max_events: Option<usize>,
    /// Who diagnoses and proposes: the genes, or the model that your own config names
    #[arg(long, value_name = "WHO", default_value = "genes")]
    pub(crate) diagnose: Diagnose,
    /// Show what each gene read, what it was refused, and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write every request of every gene into FILE, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
}

/// The form of a diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosisForm {
    /// For a terminal.
    Text,
    /// One Markdown file.
    Markdown,
    /// One HTML file with its charts inside.
    Html,
}

/// `diagnose`.
#[derive(Debug, Args)]
pub(crate) struct DiagnoseArguments {
    /// Log files, directories or patterns to read, as for `observe`; without any, those of the project. A number is that
    /// of one finding, which is shown whole
    #[arg(value_name = "FILE|NUMBER")]
    pub(crate) what: Vec<PathBuf>,
    /// Show all findings
    #[arg(long, conflicts_with = "top")]
    pub(crate) all: bool,
    /// Show the first N findings; without it, 5
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Print the diagnosis as text for a terminal, or as a Markdown or HTML file
    #[arg(long = "as", value_name = "FORM", default_value = "text")]
    pub(crate) form: DiagnosisForm,
    /// What to read and run.
    #[command(flatten)]
    pub(crate) cycle: CycleArguments,
}

/// `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// What to read and run, and how to select.
    #[command(flatten)]
    pub(crate) select: SelectArguments,
    /// Ask the best N genes side by side, and validate their candidates in the order of expected worth; without it, the genes
    /// are asked one after another until one has candidates
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16), conflicts_with = "diagnose")]
    pub(crate) candidates: Option<u8>,
    /// Validate, and publish a branch; needs `apply.enabled = true` in gephost.toml too
    #[arg(long)]
    pub(crate) apply: bool,
    /// The reason, for the log
    #[arg(long, value_name = "TEXT", requires = "apply")]
    pub(crate) why: Option<String>,
    /// Move the checked-out branch forward to what is published, if that touches no file with local edits
    #[arg(long, requires = "apply")]
    pub(crate) land: bool,
}

/// What `autopilot` can be told by a file.
pub(super) const AUTOPILOT_HELP: &str = "Without --apply, autopilot changes nothing and prints what it would do. It stops with exit code 8 at a proposal whose \
risk is above `[autopilot] max_risk`; after you have approved or rejected it, `gephost autopilot` goes on. If the file \
.gephost/STOP exists, autopilot and every other apply stop before the next effect.";

/// `apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    /// A proposal (JSON) or a unified diff; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Apply it, instead of a dry run; needs `apply.enabled = true` in gephost.toml too
    #[arg(long)]
    pub(crate) apply: bool,
    /// The reason, for the log
    #[arg(long, value_name = "TEXT", requires = "apply")]
    pub(crate) why: Option<String>,
    /// Move the checked-out branch forward to what is published, if that touches no file with local edits
    #[arg(long, requires = "apply")]
    pub(crate) land: bool,
}

/// `approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// The proposal's id, or the beginning of it; without one, all waiting proposals are listed
    #[arg(value_name = "ID")]
    pub(crate) proposal: Option<String>,
    /// List the proposals that await approval
    #[arg(long, conflicts_with_all = ["proposal", "apply", "by"])]
    pub(crate) list: bool,
    /// Record the approval and apply it; needs `apply.enabled = true` in gephost.toml too
    #[arg(long, requires = "proposal")]
    pub(crate) apply: bool,
    /// Who approves; without it, the user who runs gephost
    #[arg(long, value_name = "NAME", requires = "proposal")]
    pub(crate) by: Option<String>,
    /// The reason, for the log
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
    /// The reason, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// Who rejects; without it, the user who runs gephost
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
    /// The reason, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// If the change has landed: move the checked-out branch forward to the commit that undoes it
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) land: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

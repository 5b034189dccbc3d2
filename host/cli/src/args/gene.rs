//! Arguments of `gene`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::author::{
    BuildArguments, CheckArguments, NewArguments, PackArguments, RunGeneArguments, TestArguments, WitArguments,
};
use super::exchange::{AddArguments, PullArguments, PushArguments, SignArguments};

/// `gene` …
#[derive(Debug, Subcommand)]
pub(crate) enum GeneCommand {
    /// List the bundled genes, those of the config and those that you added
    List,
    /// Describe a gene, without running it
    Inspect {
        /// A component file, the JSON file of a gene that is only text, or the id of a bundled or added gene
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Draft a gene from changes that held for the same signals
    Distill(DistillArguments),
    /// Start a gene: a new project that builds and passes its test
    New(NewArguments),
    /// Print the contract that genes are written against
    Wit(WitArguments),
    /// Build a project with the tools of its language
    Build(BuildArguments),
    /// Make a gene from a core module or a component
    Pack(PackArguments),
    /// List what should be corrected in a gene before you give it to others
    Check(CheckArguments),
    /// Run a gene on the fixtures of its project, and compare its answers
    Test(TestArguments),
    /// Run a gene once on a log and a folder, without a project, and show what it answers
    Run(RunGeneArguments),
    /// Sign a gene file with your own key, in FILE.dsse.json
    Sign(SignArguments),
    /// Show who vouches for a gene file
    Verify {
        /// A component file, the JSON file of a gene that is only text, or the id of an added gene
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Print the public key with which others check the genes that you sign
    Key,
    /// Look at a component from elsewhere, let it run in this clone, and pin it in gephost.lock
    Add(AddArguments),
    /// Remove a gene from this clone and from gephost.lock
    Remove {
        /// The gene's id
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Download a component and its signature into a file, without adding it
    Pull(PullArguments),
    /// Upload a component and its signature to a registry
    Push(PushArguments),
}

/// `gene distill`.
#[derive(Debug, Args)]
pub(crate) struct DistillArguments {
    /// How many successful capsules a draft must rest on
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub(crate) min: u16,
    /// Only capsules that this signal triggered; repeat it for more
    #[arg(long, value_name = "SIGNAL")]
    pub(crate) signal: Vec<String>,
    /// Also count external candidates; what comes from them is marked
    #[arg(long)]
    pub(crate) external: bool,
    /// Write the draft to FILE, which must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

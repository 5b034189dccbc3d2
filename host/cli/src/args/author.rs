//! Arguments of what a gene's author does: `gene new`, `wit`, `build`, `pack`, `check` and `test`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// A language of `gene new`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LanguageWord {
    Rust,
    Python,
    Js,
    Ts,
    Go,
    C,
    Cpp,
    Zig,
    Assemblyscript,
}

/// A world of `gene new`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WorldWord {
    /// A gene that proposes repairs
    Strategy,
    /// A gene that finds failures; there is a template in rust, python, js, ts and go
    Heuristic,
}

/// `gene new`.
#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The folder of the new project; its name is also the name of the gene
    #[arg(value_name = "NAME")]
    pub(crate) folder: PathBuf,
    /// The language that the gene is written in
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: LanguageWord,
    /// What the gene does
    #[arg(long, value_name = "WORLD", default_value = "strategy")]
    pub(crate) world: WorldWord,
}

/// `gene wit`.
#[derive(Debug, Args)]
pub(crate) struct WitArguments {
    /// Write the contract to gene.wit in DIR instead of printing it
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// `gene build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArguments {
    /// The folder of the project
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
}

/// How a module's strings are encoded.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EncodingWord {
    Utf8,
    Utf16,
}

/// `gene pack`.
#[derive(Debug, Args)]
pub(crate) struct PackArguments {
    /// A core module or a component
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The manifest: a GEP Gene with `world` and `capabilities`
    #[arg(long, value_name = "FILE", default_value = "gene.json")]
    pub(crate) manifest: PathBuf,
    /// A file that the gene reads as its standard input; without it, the gene keeps the one that FILE carries
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// The gene to write; by default FILE with the ending .gene.wasm
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How a core module's strings are encoded; AssemblyScript has utf16
    #[arg(long, value_name = "ENCODING", default_value = "utf8")]
    pub(crate) strings: EncodingWord,
}

/// `gene check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// A gene's file, a manifest, or the folder of a project that was built
    #[arg(value_name = "FILE|DIR", default_value = ".")]
    pub(crate) what: PathBuf,
}

/// `gene test`.
#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// The folder of the project
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Test this gene instead of build/gene.wasm
    #[arg(long, value_name = "FILE")]
    pub(crate) gene: Option<PathBuf>,
    /// Write the gene's answers to the golden files
    #[arg(long)]
    pub(crate) bless: bool,
    /// Build and test again after every save, until you interrupt it
    #[arg(long, conflicts_with_all = ["gene", "bless", "junit"])]
    pub(crate) watch: bool,
    /// Also write the results to FILE, as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

/// `gene run`.
#[derive(Debug, Args)]
pub(crate) struct RunGeneArguments {
    /// The component file
    #[arg(value_name = "FILE", default_value = "build/gene.wasm")]
    pub(crate) gene: PathBuf,
    /// A log of an agent, or a folder of logs; may be given several times
    #[arg(long = "log", value_name = "PATH", required = true)]
    pub(crate) logs: Vec<PathBuf>,
    /// The folder that the gene sees as the repository; without it, there are no files
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The config; without it, the gephost.toml of the workspace
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Also list every call of the gene to the host, with its arguments, the size of the answer and the time that it took
    #[arg(long)]
    pub(crate) trace: bool,
}

//! Arguments of the commands that sign genes, and that take them from elsewhere and to elsewhere.

use std::path::PathBuf;

use clap::Args;

/// `gene sign`.
#[derive(Debug, Args)]
pub(crate) struct SignArguments {
    /// A component file, or the JSON file of a gene that is only text
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Replace an earlier FILE.dsse.json
    #[arg(long)]
    pub(crate) replace: bool,
}

/// `gene add`.
#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// A file, `oci://HOST/NAME:TAG`, `oci://HOST/NAME@sha256:…` or `hub:…`
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Add the component even if it asks for more than the version before it
    #[arg(long)]
    pub(crate) accept: bool,
}

/// `gene pull`.
#[derive(Debug, Args)]
pub(crate) struct PullArguments {
    /// `oci://HOST/NAME:TAG`, `oci://HOST/NAME@sha256:…`, `hub:…` or a file
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Write the component to FILE, which must not exist, and its signature beside it; without it, to ID.wasm
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `gene push`.
#[derive(Debug, Args)]
pub(crate) struct PushArguments {
    /// A component file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// `oci://HOST/NAME:TAG` or `hub:…`
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
}

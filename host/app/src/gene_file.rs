//! Gene files: reads their bytes, and says why one is refused.

use std::path::Path;

use gephost_core::gene::{Gene, TextGene, World};
use gephost_runner::regular_file;
use gephost_runner::sandbox::{LoadError, MAX_COMPONENT_BYTES};

use crate::environment::Environment;
use crate::error::{AppError, COMPILE_BUDGET, ErrorKind};
use crate::files::read_bounded;

/// The component of a gene.
pub(crate) struct GeneBytes {
    pub(crate) bytes: Vec<u8>,
    /// Its DSSE envelope.
    pub(crate) envelope: Option<Vec<u8>>,
    /// The world of its manifest.
    pub(crate) world: World,
    /// The gene of its manifest.
    pub(crate) gene: Gene,
}

/// The text-only gene in the bytes of a file.
pub fn read_text(path: &Path, bytes: &[u8]) -> Result<TextGene, AppError> {
    TextGene::from_json(bytes).map_err(|error| {
        AppError::usage("gene_refused", format!("gene {}: {error}", path.display()))
            .hint("a gene is a component, or one GEP Gene as a JSON object")
    })
}

/// The bytes of a gene's file: a component, or the JSON of a gene that is only text.
pub fn read_gene(environment: &Environment, path: &Path) -> Result<Vec<u8>, AppError> {
    let file = regular_file::open(&environment.resolve(path)).map_err(|error| {
        let failure = AppError::io(path, "open gene", &error);
        match error.kind() {
            std::io::ErrorKind::NotFound => failure.hint(
                "name a component file, the JSON file of a gene, or the id of a bundled gene (`gephost gene list`)",
            ),
            std::io::ErrorKind::IsADirectory => failure.hint(name_the_file(path)),
            _ => failure,
        }
    })?;
    read_bounded(path, file, MAX_COMPONENT_BYTES)
}

/// What to do if a folder is named where a gene's file is wanted.
pub(crate) fn name_the_file(folder: &Path) -> String {
    format!("name the component's file: the gene of a project is {}", folder.join("build/gene.wasm").display())
}

/// Why a component is no gene.
pub(crate) fn refused(name: &Path, error: &LoadError) -> AppError {
    let (kind, code) = match error {
        LoadError::CompileBudget(_) => (ErrorKind::Budget, COMPILE_BUDGET),
        _ => (ErrorKind::Usage, "gene_refused"),
    };
    AppError::new(kind, code, format!("gene {}: {error}", name.display()))
}

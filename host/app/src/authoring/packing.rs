//! Makes a gene of what a compiler wrote.

use std::path::{Path, PathBuf};

use gephost_author::lines::Maps;
use gephost_author::pack::{self, Encoding, PackError, Packing};
use gephost_core::gene::{MAX_INPUT_BYTES, MAX_MANIFEST_BYTES, Manifest};
use gephost_core::recording::Digest;
use gephost_runner::regular_file;
use gephost_runner::sandbox::{Inspected, MAX_COMPONENT_BYTES, inspect, misfit};

use super::folder::{Folder, write_whole};
use crate::environment::Environment;
use crate::error::{AppError, printable};
use crate::files::read_bounded;

/// A gene that was written.
#[derive(Debug)]
pub struct Packed {
    /// The gene that was written.
    pub file: PathBuf,
    /// The component: what a host reads of it before it is compiled.
    pub inspected: Inspected,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
}

/// What a binary is packed with, as files.
#[derive(Debug, Clone, Copy)]
pub struct PackingFiles<'a> {
    /// The file of the manifest: a GEP Gene with `world` and `capabilities`.
    pub manifest: &'a Path,
    /// What the gene reads as its standard input.
    pub input: Option<&'a Path>,
    /// The gene to write; without, `NAME.gene.wasm` beside the binary.
    pub output: Option<&'a Path>,
    /// How the strings of a core module are encoded.
    pub encoding: Encoding,
}

/// Packs a module or a component, and writes the gene.
pub fn pack(environment: &Environment, binary: &Path, files: &PackingFiles<'_>) -> Result<Packed, AppError> {
    let bytes = read(environment, binary, MAX_COMPONENT_BYTES)?;
    let manifest = read_manifest(environment, files.manifest)?;
    let input = files.input.map(|file| read(environment, file, MAX_INPUT_BYTES as u64)).transpose()?;
    let root = folder_of(environment, files.manifest)?;
    let folder = root.path().to_string_lossy();
    let with = Packing {
        manifest: &manifest,
        input: input.as_deref(),
        encoding: files.encoding,
        folder: &folder,
        maps: &Maps::None,
    };
    let file = files.output.map_or_else(|| binary.with_extension("gene.wasm"), Path::to_owned);
    pack_bytes(environment, binary, &bytes, &with, &file)
}

/// The folder of a file.
fn folder_of(environment: &Environment, file: &Path) -> Result<Folder, AppError> {
    let whole = environment.resolve(file);
    Folder::open(whole.parent().unwrap_or(&whole))
}

/// What to do about an import of `env`.
const NO_ENV: &str = "a gene imports only the contract and WASI, and nothing gives it `env`: call the SDK instead, or link \
                      the function in; in AssemblyScript, `info` of the SDK stands for `console.log`";

/// The same for bytes that were read.
pub(super) fn pack_bytes(
    environment: &Environment,
    name: &Path,
    bytes: &[u8],
    with: &Packing<'_>,
    file: &Path,
) -> Result<Packed, AppError> {
    let refused =
        |problem: String| AppError::usage("not_packed", format!("{}: {}", name.display(), printable(&problem)));
    let packed = pack::pack(bytes, with).map_err(|error| {
        let refusal = refused(error.to_string());
        // Compilers leave to `env` what a browser or node.js would give.
        if refusal.message.contains("`env::") { refusal.hint(NO_ENV) } else { refusal }
    })?;
    let inspected = inspect(&packed).map_err(|error| refused(error.to_string()))?;
    if let Some(problem) = misfit(&packed, with.manifest.world) {
        return Err(refused(problem));
    }
    write_whole(&environment.resolve(file), &packed).map_err(|error| AppError::io(file, "write", &error))?;
    Ok(Packed { file: file.to_owned(), inspected, digest: Digest::of(&packed) })
}

/// The manifest in a file, without faults.
pub(super) fn read_manifest(environment: &Environment, file: &Path) -> Result<Manifest, AppError> {
    let bytes = read(environment, file, MAX_MANIFEST_BYTES as u64)?;
    pack::read_manifest(&bytes).map_err(|error| {
        let code = if matches!(error, PackError::Review(_)) { "manifest_faults" } else { "manifest" };
        AppError::usage(code, format!("{}: {}", file.display(), printable(&error.to_string())))
            .hint("`gephost schema gene-manifest` prints the JSON Schema of a manifest")
    })
}

/// A file that the author names.
pub(super) fn read(environment: &Environment, file: &Path, limit: u64) -> Result<Vec<u8>, AppError> {
    let opened = regular_file::open(&environment.resolve(file)).map_err(|error| AppError::io(file, "open", &error))?;
    read_bounded(file, opened, limit)
}

//! What is known of a component before it is compiled: its size, its manifest, its imports and exports, and the tools
//! that made it.
//!
//! Nothing here runs or compiles the guest. The size limit bounds memory, and parsing is one pass.
//!
//! | file | what |
//! |---|---|
//! | `outline`, `size` | the one pass, and the caps that it keeps |
//! | `producers` | which toolchain made it, with the evidence |
//! | `fit`, `core_module` | what to tell its author |

mod core_module;
mod error;
mod fit;
mod outline;
mod producers;
mod size;

use gephost_core::gene::{Capability, MAX_INPUT_BYTES, Manifest, World};

use error::{DIAGNOSIS, PROPOSALS};
pub use error::{InspectError, MAX_COMPONENT_BYTES};
use outline::Outline;
pub use producers::{Producer, Producers};
pub use size::Size;

const PACKAGE: &str = "gephost:gene/";
/// The interfaces of our package that a gene may import.
const IMPORTS: &[&str] =
    &["types", "run-log", "workspace", "history", "completion", "logging", "settings", "explanation", "coverage"];
/// Interfaces of WASI 0.2 that are linked: virtual clocks, seeded randomness and virtual files. The package for sockets
/// is linked too, but only refuses.
const WASI: &[&str] = &[
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:cli/terminal-stderr",
    "wasi:clocks/wall-clock",
    "wasi:clocks/monotonic-clock",
    "wasi:random/random",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:filesystem/types",
    "wasi:filesystem/preopens",
];
const SOCKETS: &str = "wasi:sockets/";

/// A component that passed all checks before compiling.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// The manifest: identity and requested capabilities.
    pub manifest: Manifest,
    /// Names of the imports, sorted.
    pub imports: Vec<String>,
    /// Names of the exports, sorted.
    pub exports: Vec<String>,
    /// Bytes of the component.
    pub size: u64,
    /// Bytes that the component carries for the gene's standard input.
    pub input: Option<usize>,
    /// Its parts, counted.
    pub parts: Size,
    /// The tools that made it.
    pub producers: Producers,
    /// Whether it has a section for signatures. gephost does not check it.
    pub has_signature: bool,
}

impl Inspected {
    /// Whether it imports our interface for a capability.
    pub fn imports_capability(&self, capability: Capability) -> bool {
        let interface = format!("{PACKAGE}{capability}");
        self.imports.iter().any(|import| unversioned(import) == interface)
    }

    /// Whether it imports `wasi:filesystem`, which also shows the workspace.
    pub fn imports_files(&self) -> bool {
        self.imports.iter().any(|import| import.starts_with("wasi:filesystem/"))
    }
}

/// Checks the bytes of a file, without compiling them.
pub fn inspect(bytes: &[u8]) -> Result<Inspected, InspectError> {
    let size = bytes.len() as u64;
    if size > MAX_COMPONENT_BYTES {
        return Err(InspectError::TooLarge { size });
    }
    if !bytes.starts_with(b"\0asm") {
        return Err(InspectError::NotWasm);
    }
    let outline = Outline::read(bytes)?;
    let world = world_of(&outline.exports)?;
    check_versions(&outline)?;
    if let Some(what) = outline.is_async {
        return Err(InspectError::Async { what });
    }
    check_imports(&outline)?;
    if outline.has_two_manifests {
        return Err(InspectError::TwoManifests);
    }
    if let Some(what) = outline.wrong_input {
        return Err(InspectError::Input(what));
    }
    let input = outline.input.map(<[u8]>::len);
    if let Some(large) = input.filter(|length| *length > MAX_INPUT_BYTES) {
        return Err(InspectError::LargeInput(large));
    }
    let manifest = Manifest::from_json(outline.manifest.ok_or(InspectError::NoManifest)?)?;
    if manifest.world != world {
        return Err(InspectError::WorldMismatch { stated: manifest.world, found: world });
    }
    Ok(Inspected {
        manifest,
        imports: outline.imports,
        exports: outline.exports,
        size,
        input,
        parts: outline.size,
        producers: outline.producers,
        has_signature: outline.has_signature,
    })
}

/// The manifest of a component whose other parts nobody looks at.
pub(super) fn manifest_of(bytes: &[u8]) -> Result<Manifest, InspectError> {
    Ok(Manifest::from_json(outline::manifest(bytes)?.ok_or(InspectError::NoManifest)?)?)
}

fn world_of(exports: &[String]) -> Result<World, InspectError> {
    let has = |interface: &str| exports.iter().any(|export| unversioned(export) == interface);
    match (has(DIAGNOSIS), has(PROPOSALS)) {
        (true, true) => Ok(World::Gene),
        (true, false) => Ok(World::Heuristic),
        (false, true) => Ok(World::Strategy),
        (false, false) => {
            let names = exports.iter().take(5).map(|export| format!("`{export}`")).collect::<Vec<_>>();
            let found = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            Err(InspectError::NotAGene { found, hint: fit::not_a_gene(exports) })
        }
    }
}

fn check_versions(outline: &Outline<'_>) -> Result<(), InspectError> {
    for name in outline.imports.iter().chain(&outline.exports) {
        let other = name.starts_with(PACKAGE).then(|| fit::other_version(name)).flatten();
        if let Some((made_for, remedy)) = other {
            return Err(InspectError::UnknownVersion { name: name.clone(), made_for, remedy });
        }
    }
    Ok(())
}

fn check_imports(outline: &Outline<'_>) -> Result<(), InspectError> {
    for import in &outline.imports {
        let interface = unversioned(import);
        let own = interface.strip_prefix(PACKAGE).is_some_and(|name| IMPORTS.contains(&name));
        let wasi = WASI.contains(&interface) || interface.starts_with(SOCKETS);
        let is_known = own || (wasi && fit::is_wasi_0_2(import));
        if !is_known {
            let hint = fit::hint(import, outline.producers.language());
            return Err(InspectError::UnknownImport { import: import.clone(), hint });
        }
    }
    Ok(())
}

fn unversioned(name: &str) -> &str {
    name.split_once('@').map_or(name, |(interface, _)| interface)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::BUNDLED;

    #[test]
    fn a_bundled_gene_passes_the_checks_that_its_loading_leaves_out() {
        for bundled in BUNDLED {
            let inspected = inspect(bundled.bytes).expect(bundled.id);
            assert_eq!(manifest_of(bundled.bytes).expect(bundled.id), inspected.manifest);
            assert_eq!(inspected.manifest.gene.id, bundled.id);
        }
    }

    #[test]
    fn a_component_without_a_manifest_or_of_which_a_part_is_missing_has_none() {
        let bytes = BUNDLED.first().expect("a bundled gene").bytes;
        for end in [0, 4, 8, 100, bytes.len() / 2] {
            assert!(manifest_of(&bytes[..end]).is_err(), "{end}");
        }
        assert!(matches!(manifest_of(b"\0asm\x0d\0\x01\0"), Err(InspectError::NoManifest)));
    }
}

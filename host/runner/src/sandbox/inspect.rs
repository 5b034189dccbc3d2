//! What can be said of a component before it is compiled: its size, its manifest, what it imports and exports.
//!
//! Nothing here runs or compiles the guest. Memory is bounded by the size cap; the parse is one pass.

use super::fit;
use super::logging::printable;
use gephost_core::gene::{Manifest, ManifestError, World};
use sha2::{Digest, Sha256};
use wasmparser::{ComponentExternName, Encoding, Parser, Payload};

/// The largest component that is looked at, in bytes (a Python gene has 18 MB).
pub const MAX_COMPONENT_BYTES: u64 = 64 << 20;
/// The most imports or exports that a component may have at its top level.
const MAX_EXTERNS: usize = 1000;
/// Name of the custom section that holds the manifest.
pub(super) const MANIFEST_SECTION: &str = "gephost:gene";

const PACKAGE: &str = "gephost:gene/";
const DIAGNOSIS: &str = "gephost:gene/diagnosis";
const PROPOSALS: &str = "gephost:gene/proposals";
/// Our own interfaces that a gene may import.
const IMPORTS: &[&str] = &["types", "run-log", "workspace", "history", "completion", "logging"];
/// WASI 0.2 packages that are linked: virtual clocks, seeded randomness, virtual files, and sockets that only refuse.
const WASI: &[&str] = &["wasi:io/", "wasi:cli/", "wasi:clocks/", "wasi:random/", "wasi:filesystem/", "wasi:sockets/"];

/// A component that passed every check that needs no compiler.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// `sha256:` and the lower-case hex digest of the bytes.
    pub digest: String,
    /// The gene's identity and what it asks for.
    pub manifest: Manifest,
    /// Names of the imports, sorted.
    pub imports: Vec<String>,
    /// Names of the exports, sorted.
    pub exports: Vec<String>,
    /// Bytes of the component.
    pub size: u64,
}

/// Why a file is no gene for this host. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// Over [`MAX_COMPONENT_BYTES`].
    #[error(
        "the file has {size} bytes and the limit is {MAX_COMPONENT_BYTES}: strip debug information from the component"
    )]
    TooLarge {
        /// Its size.
        size: u64,
    },
    /// No WebAssembly at all.
    #[error("not a WebAssembly component: the file does not begin with the bytes 00 61 73 6d (`\\0asm`)")]
    NotWasm,
    /// A core module.
    #[error(
        "this is a core WebAssembly module, not a component: build it for wasm32-wasip2, or wrap it with \
         `wasm-tools component new`"
    )]
    CoreModule,
    /// The bytes end early or are damaged.
    #[error("the component is truncated or damaged at byte {offset}: {message}; build it again")]
    Damaged {
        /// Where.
        offset: usize,
        /// The parser's words.
        message: String,
    },
    /// Too many names.
    #[error("the component has more than {MAX_EXTERNS} imports or exports")]
    TooManyExterns,
    /// It does not export what a gene must.
    #[error(
        "the component is no gene: it exports {found}, and none of `{DIAGNOSIS}@0.1.0` (world heuristic) and \
         `{PROPOSALS}@0.1.0` (world strategy); use the SDK's `gene!` macro or target a world of wit/v0.1"
    )]
    NotAGene {
        /// What it exports instead.
        found: String,
    },
    /// It imports what this host does not have.
    #[error("the component imports `{import}`, which genes do not get: {hint}")]
    UnknownImport {
        /// The import's full name.
        import: String,
        /// What to do.
        hint: String,
    },
    /// A version of our package that this host does not know.
    #[error("the component is made for gephost:gene {made_for} (`{name}`), and this host has 0.1: {remedy}")]
    UnknownVersion {
        /// The import or export.
        name: String,
        /// Its version, as major and minor.
        made_for: String,
        /// What to do.
        remedy: &'static str,
    },
    /// No manifest.
    #[error(
        "the component has no custom section `{MANIFEST_SECTION}`: the SDK's `gene!` macro writes it from gene.json"
    )]
    NoManifest,
    /// A manifest that cannot be used.
    #[error("the manifest in the custom section `{MANIFEST_SECTION}` is refused: {0}")]
    Manifest(#[from] ManifestError),
    /// The manifest says one world and the exports another.
    #[error(
        "the manifest says world `{stated}`, and the component exports that of `{found}`: correct `world` in gene.json"
    )]
    WorldMismatch {
        /// What the manifest says.
        stated: World,
        /// What the exports are.
        found: World,
    },
}

/// Checks a file's bytes, as far as that goes without compiling them.
pub fn inspect(bytes: &[u8]) -> Result<Inspected, InspectError> {
    let size = bytes.len() as u64;
    if size > MAX_COMPONENT_BYTES {
        return Err(InspectError::TooLarge { size });
    }
    if !bytes.starts_with(b"\0asm") {
        return Err(InspectError::NotWasm);
    }
    let outline = read_outline(bytes)?;
    let world = world_of(&outline.exports)?;
    check_versions(&outline)?;
    check_imports(&outline.imports)?;
    let manifest = Manifest::from_json(outline.manifest.ok_or(InspectError::NoManifest)?)?;
    if manifest.world != world {
        return Err(InspectError::WorldMismatch { stated: manifest.world, found: world });
    }
    let digest = format!("sha256:{:x}", HexDigest(Sha256::digest(bytes).into()));
    Ok(Inspected { digest, manifest, imports: outline.imports, exports: outline.exports, size })
}

/// Thirty-two bytes that print as hex.
struct HexDigest([u8; 32]);

impl std::fmt::LowerHex for HexDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

struct Outline<'a> {
    imports: Vec<String>,
    exports: Vec<String>,
    manifest: Option<&'a [u8]>,
}

/// Reads the top level's names, and the manifest at any depth: a linker leaves it in the core module.
fn read_outline(bytes: &[u8]) -> Result<Outline<'_>, InspectError> {
    let mut outline = Outline { imports: Vec::new(), exports: Vec::new(), manifest: None };
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(|error| damaged(&error))? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => return Err(InspectError::CoreModule),
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    outline.imports.push(name(import.map_err(|error| damaged(&error))?.name));
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    outline.exports.push(name(export.map_err(|error| damaged(&error))?.name));
                }
            }
            Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => {
                outline.manifest = outline.manifest.or(Some(section.data()));
            }
            _ => {}
        }
        if outline.imports.len().max(outline.exports.len()) > MAX_EXTERNS {
            return Err(InspectError::TooManyExterns);
        }
    }
    outline.imports.sort();
    outline.exports.sort();
    Ok(outline)
}

/// A name, fit to be shown: until the component is validated it may hold anything.
fn name(name: ComponentExternName<'_>) -> String {
    printable(name.name)
}

fn damaged(error: &wasmparser::BinaryReaderError) -> InspectError {
    InspectError::Damaged { offset: error.offset(), message: error.message().to_owned() }
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
            Err(InspectError::NotAGene { found })
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

fn check_imports(imports: &[String]) -> Result<(), InspectError> {
    for import in imports {
        let interface = unversioned(import);
        let own = interface.strip_prefix(PACKAGE).is_some_and(|interface| IMPORTS.contains(&interface));
        let wasi = WASI.iter().any(|package| interface.starts_with(package)) && import.contains("@0.2.");
        if !own && !wasi {
            return Err(InspectError::UnknownImport { import: import.clone(), hint: fit::hint(import) });
        }
    }
    Ok(())
}

fn unversioned(name: &str) -> &str {
    name.split_once('@').map_or(name, |(interface, _)| interface)
}

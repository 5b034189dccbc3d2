//! What can be said of a component before it is compiled: its size, its manifest, what it imports and exports, who made
//! it.
//!
//! Nothing here runs or compiles the guest. Memory is bounded by the size cap; the parse is one pass.
//!
//! | file | what |
//! |---|---|
//! | `outline`, `size` | the one pass, and the caps that it keeps |
//! | `producers` | which toolchain made it, with the evidence |
//! | `fit`, `core_module` | what to tell its author |

mod core_module;
mod fit;
mod outline;
mod producers;
mod size;

use gephost_core::gene::{Capability, Manifest, ManifestError, World};

use outline::{MAX_EXTERNS, Outline};
pub use producers::{Producer, Producers};
pub use size::Size;

/// The largest component that is looked at, in bytes (a Python gene has 18 MB).
pub const MAX_COMPONENT_BYTES: u64 = 64 << 20;
/// Name of the custom section that holds the manifest.
const MANIFEST_SECTION: &str = "gephost:gene";

const PACKAGE: &str = "gephost:gene/";
const DIAGNOSIS: &str = "gephost:gene/diagnosis";
const PROPOSALS: &str = "gephost:gene/proposals";
/// Our own interfaces that a gene may import.
const IMPORTS: &[&str] =
    &["types", "run-log", "workspace", "history", "completion", "logging", "settings", "explanation"];
/// Interfaces of WASI 0.2 that are linked: virtual clocks, seeded randomness, virtual files. Of the package for sockets
/// all are there, and only refuse.
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

/// A component that passed every check that needs no compiler.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// The gene's identity and what it asks for.
    pub manifest: Manifest,
    /// Names of the imports, sorted.
    pub imports: Vec<String>,
    /// Names of the exports, sorted.
    pub exports: Vec<String>,
    /// Bytes of the component.
    pub size: u64,
    /// What it consists of.
    pub parts: Size,
    /// Who made it.
    pub producers: Producers,
    /// Whether it has a section for signatures. Nothing here checks one.
    pub has_signature: bool,
}

impl Inspected {
    /// Whether it imports what a capability opens, by our own interface.
    pub fn imports_capability(&self, capability: Capability) -> bool {
        let interface = format!("{PACKAGE}{capability}");
        self.imports.iter().any(|import| unversioned(import) == interface)
    }

    /// Whether it imports `wasi:filesystem`, which shows the workspace too.
    pub fn imports_files(&self) -> bool {
        self.imports.iter().any(|import| import.starts_with("wasi:filesystem/"))
    }
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
    #[error("this is a core WebAssembly module, not a component: {hint}")]
    CoreModule {
        /// What to do.
        hint: String,
    },
    /// Over one of the caps, which are several times what the largest known genes have.
    #[error("the component has more {what} than {most}, which is the limit: no compiler is given so much")]
    TooMuch {
        /// What was counted.
        what: &'static str,
        /// The most of it.
        most: u64,
    },
    /// It uses the asynchronous ABI.
    #[error(
        "the component is asynchronous ({what}), and a gene is called and answers: build it without (`--sync` of \
         componentize-qjs, no `async` in wit-bindgen's options)"
    )]
    Async {
        /// What of it.
        what: &'static str,
    },
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
         `{PROPOSALS}@0.1.0` (world strategy); {hint}"
    )]
    NotAGene {
        /// What it exports instead.
        found: String,
        /// What to do.
        hint: &'static str,
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
    let outline = Outline::read(bytes)?;
    let world = world_of(&outline.exports)?;
    check_versions(&outline)?;
    if let Some(what) = outline.is_async {
        return Err(InspectError::Async { what });
    }
    check_imports(&outline)?;
    let manifest = Manifest::from_json(outline.manifest.ok_or(InspectError::NoManifest)?)?;
    if manifest.world != world {
        return Err(InspectError::WorldMismatch { stated: manifest.world, found: world });
    }
    Ok(Inspected {
        manifest,
        imports: outline.imports,
        exports: outline.exports,
        size,
        parts: outline.size,
        producers: outline.producers,
        has_signature: outline.has_signature,
    })
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

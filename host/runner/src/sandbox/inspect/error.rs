//! Why a file is no gene for this host.

use gephost_core::gene::{INPUT_SECTION, MANIFEST_SECTION, MAX_INPUT_BYTES, ManifestError, World};

/// The export of a heuristic gene.
pub(super) const DIAGNOSIS: &str = "gephost:gene/diagnosis";
/// The export of a strategy gene.
pub(super) const PROPOSALS: &str = "gephost:gene/proposals";
/// Largest component that is read, in bytes. A gene in Python has 18 MB.
pub const MAX_COMPONENT_BYTES: u64 = 64 << 20;
/// Most imports or exports at the top level of a component.
pub(super) const MAX_EXTERNS: usize = 1000;

/// Why a file is no gene for this host. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// Over [`MAX_COMPONENT_BYTES`].
    #[error(
        "the file has {size} bytes, but the limit is {MAX_COMPONENT_BYTES}: strip debug information from the component"
    )]
    TooLarge {
        /// Its size.
        size: u64,
    },
    /// Not WebAssembly.
    #[error("not a WebAssembly component: the file does not begin with the bytes 00 61 73 6d (`\\0asm`)")]
    NotWasm,
    /// A core module.
    #[error("this is a core WebAssembly module, not a component: {hint}")]
    CoreModule {
        /// What to do.
        hint: String,
    },
    /// It exceeds one of the limits, which are several times the size of the largest known genes.
    #[error("the component has more than {most} {what}, which is the limit")]
    TooMuch {
        /// What was counted.
        what: &'static str,
        /// The limit.
        most: u64,
    },
    /// It uses the asynchronous ABI.
    #[error(
        "the component is asynchronous ({what}), and a gene is called and answers: build it without (`--sync` of \
         componentize-qjs, no `async` in wit-bindgen's options)"
    )]
    Async {
        /// The feature that it uses.
        what: &'static str,
    },
    /// The bytes end early or are damaged.
    #[error("the component is truncated or damaged at byte {offset}: {message}; build it again")]
    Damaged {
        /// The offset.
        offset: usize,
        /// The error of the parser.
        message: String,
    },
    /// Too many imports or exports.
    #[error("the component has more than {MAX_EXTERNS} imports or exports")]
    TooManyExterns,
    /// It does not export an interface that a gene must have.
    #[error(
        "the component is not a gene: it exports {found}, and none of `{DIAGNOSIS}@0.1.0` (world heuristic) and \
         `{PROPOSALS}@0.1.0` (world strategy); {hint}"
    )]
    NotAGene {
        /// What it exports instead.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// It imports something that this host does not have.
    #[error("the component imports `{import}`, which genes do not get: {hint}")]
    UnknownImport {
        /// The import's full name.
        import: String,
        /// What to do.
        hint: String,
    },
    /// A version of our package that this host does not know.
    #[error("the component is made for gephost:gene {made_for} (`{name}`), but this host has 0.1: {remedy}")]
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
        "the component has no custom section `{MANIFEST_SECTION}`: `gephost gene pack FILE --manifest gene.json` writes it"
    )]
    NoManifest,
    /// Two manifests. Tools that read only one of them could read different ones.
    #[error(
        "the component has two custom sections `{MANIFEST_SECTION}`: `gephost gene pack FILE --manifest gene.json` leaves \
         one"
    )]
    TwoManifests,
    /// Two inputs, or one in a module of the component, where no gene reads it.
    #[error(
        "the component has {0}: `gephost gene pack FILE --manifest gene.json --input FILE` writes the one section \
         `{INPUT_SECTION}` that a component may have"
    )]
    Input(&'static str),
    /// An input over [`MAX_INPUT_BYTES`].
    #[error("the custom section `{INPUT_SECTION}` has {0} bytes, but the limit is {MAX_INPUT_BYTES}: carry less")]
    LargeInput(usize),
    /// A manifest that cannot be used.
    #[error("the manifest in the custom section `{MANIFEST_SECTION}` is refused: {0}")]
    Manifest(#[from] ManifestError),
    /// The world in the manifest is not the world of the exports.
    #[error(
        "the manifest says world `{stated}`, but the component exports world `{found}`: correct `world` in gene.json"
    )]
    WorldMismatch {
        /// The world in the manifest.
        stated: World,
        /// The world of the exports.
        found: World,
    },
}

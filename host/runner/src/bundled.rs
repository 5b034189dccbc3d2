//! The genes that come with gephost, as built components. `genes/build` writes them, and a test rebuilds each of them and
//! compares the bytes.

/// A bundled component.
#[derive(Debug, Clone, Copy)]
pub struct Bundled {
    /// The id in its manifest.
    pub id: &'static str,
    /// The component.
    pub bytes: &'static [u8],
    /// Whether it finds nothing in a log without events, so that it need not be called for one.
    pub needs_events: bool,
}

impl Bundled {
    /// A strategy, or a heuristic that reads more than the log.
    const fn new(id: &'static str, bytes: &'static [u8]) -> Self {
        Self { id, bytes, needs_events: false }
    }
}

/// All of them, in the order in which they run.
pub const BUNDLED: &[Bundled] = &[
    Bundled {
        needs_events: true,
        ..Bundled::new("gene_gephost_tool_failures", include_bytes!("../../../genes/dist/tool_failures.wasm"))
    },
    Bundled::new("gene_gep_agent_guidance", include_bytes!("../../../genes/dist/agent_guidance.wasm")),
    Bundled::new("gene_gep_mutate_and_test", include_bytes!("../../../genes/dist/mutate_and_test.wasm")),
    Bundled::new("gene_gep_repair_from_errors", include_bytes!("../../../genes/dist/repair_from_errors.wasm")),
    Bundled::new("gene_gep_repair_from_tools", include_bytes!("../../../genes/dist/repair_from_tools.wasm")),
    Bundled::new(STRATEGIST, include_bytes!("../../../genes/dist/strategist.wasm")),
];

/// The gene that carries out genes that are only text. It takes part in no cycle by itself.
pub const STRATEGIST: &str = "gene_gep_strategist";

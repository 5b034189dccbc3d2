//! The genes that come with gephost, as built components. `genes/build` writes them, and a test rebuilds each of them and
//! compares the bytes.

/// A bundled component.
#[derive(Debug, Clone, Copy)]
pub struct Bundled {
    /// The id in its manifest.
    pub id: &'static str,
    /// The component.
    pub bytes: &'static [u8],
}

/// All of them, in the order in which they run.
pub const BUNDLED: &[Bundled] = &[
    Bundled { id: "gene_gephost_tool_failures", bytes: include_bytes!("../../../genes/dist/tool_failures.wasm") },
    Bundled { id: "gene_gep_agent_guidance", bytes: include_bytes!("../../../genes/dist/agent_guidance.wasm") },
    Bundled { id: "gene_gep_mutate_and_test", bytes: include_bytes!("../../../genes/dist/mutate_and_test.wasm") },
    Bundled { id: "gene_gep_repair_from_errors", bytes: include_bytes!("../../../genes/dist/repair_from_errors.wasm") },
    Bundled { id: "gene_gep_repair_from_tools", bytes: include_bytes!("../../../genes/dist/repair_from_tools.wasm") },
    Bundled { id: STRATEGIST, bytes: include_bytes!("../../../genes/dist/strategist.wasm") },
];

/// The gene that carries out genes that are only text. It takes part in no cycle by itself.
pub const STRATEGIST: &str = "gene_gep_strategist";

//! Errors of the TypeScript compiler and of `ESLint`, with the edits that they suggest.

pub(crate) mod casing;
pub(crate) mod eslint;
mod imports;
pub(crate) mod old_node;
pub(crate) mod options;
pub(crate) mod tsc;
pub(crate) mod tsconfig;

/// Endings of the languages' files.
const ENDS: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
/// The files in which a suggestion's words are looked up.
const GLOB: &str = "**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}";

/// Whether a path is a source file of these languages.
fn is_script(path: &str) -> bool {
    ENDS.iter().any(|end| path.ends_with(end)) && !path.ends_with(".d.ts")
}

//! The custom sections of a component that gephost gives a meaning.

/// Name of the section that holds the manifest.
pub const MANIFEST_SECTION: &str = "gephost:gene";

/// Name of the section that a gene reads as its standard input. What a gene of a large interpreter needs beside the
/// interpreter, such as the source of the author, is here: the machine code of the component does not depend on it.
pub const INPUT_SECTION: &str = "gephost:input";

/// Name of the section with the [`Lines`](super::Lines) of a gene's author.
pub const LINES_SECTION: &str = "gephost:lines";

/// Largest input, in bytes.
pub const MAX_INPUT_BYTES: usize = 16 << 20;

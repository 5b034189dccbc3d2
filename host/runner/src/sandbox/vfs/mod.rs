//! `wasi:filesystem`: a virtual file system over the files that a gene may see ([`files`](super::files)).
//!
//! Owns no effect: everything that a gene writes stays in memory, in the overlay of the call. Only the difference
//! outlives the call.
//!
//! | file | what |
//! |---|---|
//! | `node`, `overlay`, `mutate` | one call's files and directories over the tree, and what changes them |
//! | `difference` | what the call wrote, as changes |
//! | `bindings`, `file_system`, `descriptor`, `streams` | `wasi:filesystem`: who gets it, what is open |
//! | `host`, `at_path`, `bytes`, `metadata` | its functions |

mod at_path;
mod bindings;
mod bytes;
mod descriptor;
mod difference;
mod file_system;
mod host;
mod metadata;
mod mutate;
mod node;
mod overlay;
mod streams;

pub(super) use bindings::wasi::filesystem;
pub(super) use bindings::{Descriptor, FileError, Listing};
pub(super) use file_system::{FileSystem, HasView, View};
pub(super) use mutate::ENTRY_BYTES;

#[cfg(test)]
mod tests;

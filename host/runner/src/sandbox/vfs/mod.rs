//! The files that a gene sees, behind both doors: one resolver, one tree of names, and for `wasi:filesystem` a virtual
//! file system over it.
//!
//! Owns no effect: bytes come through [`Files`], which is asked for names of its own listing only, and everything that a
//! gene writes is in memory, in the call's [`Overlay`], and gone with it but for its difference.
//!
//! | file | what |
//! |---|---|
//! | `path`, `walk` | a guest's path, and the resolver |
//! | `contents`, `tree` | the listing and its bytes; the names, shown and hidden |
//! | `node`, `overlay`, `mutate` | one call's files and directories over the tree, and what changes them |
//! | `difference` | what the call wrote, as changes |
//! | `bindings`, `door`, `descriptor`, `streams` | `wasi:filesystem`: who gets it, what is open |
//! | `host`, `at_path`, `bytes`, `metadata` | its functions |

mod at_path;
mod bindings;
mod bytes;
mod contents;
mod descriptor;
mod difference;
mod door;
mod host;
mod metadata;
mod mutate;
mod node;
mod overlay;
mod path;
mod streams;
mod tree;
mod walk;

pub use contents::{ContentError, FileKind, Files, Witnessed};
pub(super) use contents::{Contents, FileId};
pub(super) use door::{Door, link};
pub(super) use mutate::ENTRY_BYTES;
pub(super) use tree::{Taken, Tree};
pub(super) use walk::{Child, Names, walk};

#[cfg(test)]
mod tests;

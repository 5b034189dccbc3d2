//! The files that genes may see: a listing with its bytes, the tree of their names, and the resolver of a guest's paths.
//!
//! Owns no effect: bytes come through [`Files`], which is asked for names of its own listing only.
//!
//! | file | what |
//! |---|---|
//! | `path`, `walk` | a guest's path, and the resolver |
//! | `contents`, `tree` | the listing and its bytes; the names, shown and hidden |

mod contents;
mod path;
mod tree;
mod walk;

pub(super) use contents::{Ahead, Contents, FileId, MAX_AHEAD};
pub use contents::{ContentError, FileKind, Files, Witnessed};
pub(super) use path::WalkError;
pub(super) use tree::{DirectoryId, Tree};
#[cfg(test)]
pub(super) use walk::MAX_LINKS;
pub(super) use walk::{Child, Names, Place, walk};

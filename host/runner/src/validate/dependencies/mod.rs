//! Folders of dependencies that git does not track (`.venv`, `node_modules`, `vendor`): they are found in the operator's
//! checkout and shown in the work copy, where a command may read them and never change them.
//!
//! | file | what |
//! |---|---|
//! | `find` | which folders there are, and which caches of the home the project's tools need |
//! | `mirror` | shows one of them in the work copy |
//! | `venv` | what a virtual environment of Python says about its place |
//! | `rewrite` | texts that name the checkout name the work copy instead |
//! | `unseen` | which other folders hold what a command missed |
//!
//! What must stay true: a link in a shown folder that leads into the checkout's own sources leads to those of the work
//! copy, or else a command would test the wrong files; what the operator's policy denies is not shown; nothing is shown
//! in the place of a file that git tracks.

mod find;
mod mirror;
mod rewrite;
mod unseen;
mod venv;

pub(super) use find::{Found, find, hoisted};
pub(super) use mirror::{How, Mirror, Outside};
pub(super) use unseen::holders;
pub(super) use venv::{is_venv, names_folder, recorded_place};

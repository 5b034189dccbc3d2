//! Patterns of paths in gitignore's syntax: the one dialect of policies, grants, genes and the gate's own lists.

mod case;
mod confusable;
mod error;
mod glob;
mod set;
mod shape;

pub(crate) use case::{Case, fold_case};
pub(crate) use confusable::lookalike;
pub use error::PatternError;
pub(crate) use set::PatternSet;

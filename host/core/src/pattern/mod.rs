//! Patterns of paths: one dialect, gitignore's, wherever a user or a gene writes one.
//!
//! | in a segment | matches |
//! |---|---|
//! | `?` | one character |
//! | `*` | any number of characters |
//! | `[a-z]`, `[!a-z]`, `[[:alpha:]]` | one character of the class, or one that is not in it |
//! | `\\` | the next character is a letter |
//! | `**` as a whole segment | any number of segments; at the end, everything below |
//!
//! The dialect has two uses, which differ in what a pattern has to match:
//!
//! * A *rule* ([`PatternSet`]) says which paths a policy, a grant or a gene's manifest means. It covers a path and
//!   everything below it. Without a slash it holds at any depth, with one from the root; a trailing slash means
//!   folders only. Braces are letters, and `!` is refused, because deny always wins. Deny rules and a gene's forbidden
//!   paths ignore letter case and letters that look alike; allow rules and grants do not.
//! * A *glob* ([`PathGlob`]) lists files: `[observe] logs`, `--log`, and the `glob` and `search` of genes. It must match
//!   a whole path, and `{a,b}` stands for either.

mod braces;
mod case;
mod confusable;
mod error;
mod glob;
mod path_glob;
mod set;
mod shape;

pub(crate) use case::{Case, fold_case};
pub(crate) use confusable::lookalike;
pub use error::PatternError;
pub use path_glob::PathGlob;
pub(crate) use set::PatternSet;

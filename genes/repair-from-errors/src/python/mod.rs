//! Repairs of Python sources. Each repair is a function from a source, and the line that failed, to a new source.

pub(crate) mod bindings;
pub(crate) mod clauses;
pub(crate) mod coroutines;
pub(crate) mod file;
pub(crate) mod imports;
pub(crate) mod lexer;
pub(crate) mod lines;
pub(crate) mod methods;
pub(crate) mod modules;
pub(crate) mod moves;
pub(crate) mod print;
pub(crate) mod shape;
pub(crate) mod syntax;
pub(crate) mod table;
pub(crate) mod tokens;

//! Repairs of Python sources. Each repair is a function from a source, and the line that failed, to a new source.

mod bindings;
mod calls;
mod classes;
mod clauses;
mod coroutines;
mod encoding;
mod file;
mod imports;
mod insert;
mod lexer;
mod lines;
mod message;
mod methods;
mod modules;
mod moves;
mod names;
mod objects;
mod port;
mod print;
mod repair;
mod reserved;
mod resources;
mod shape;
mod shims;
mod siblings;
mod syntax;
mod table;
mod tabs;
mod tokens;
mod two;

pub(crate) use encoding::{Encoding, opened_file};
pub(crate) use file::expects_failure;
pub(crate) use names::defines;
pub(crate) use port::Port;
pub(crate) use repair::{Repair, lacking_module, missing_module};
pub(crate) use siblings::{Siblings, imported};

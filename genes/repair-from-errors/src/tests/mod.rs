//! Whole cases: an output from an agent's log and the files of a workspace in, the exact new file or nothing out.
//!
//! The outputs are those that Python 3.8 to 3.13, Node 20 and Rust 1.95 print.

mod cargo;
mod cases;
mod encoding;
mod exact;
mod hostile;
mod layout;
mod modules;
mod names;
mod node;
mod objects;
mod packages;
mod plan;
mod port;
mod python;
mod shims;
mod siblings;
mod syntax;
mod two;

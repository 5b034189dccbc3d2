//! Whole cases: an output from an agent's log and the files of a workspace in, the exact new file or nothing out.
//!
//! The outputs are those that Python 3.8 to 3.13 and Node 20 print.

mod callbacks;
mod cases;
mod classes;
mod encoding;
mod exact;
mod gone;
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
mod resources;
mod shims;
mod siblings;
mod streams;
mod syntax;
mod two;

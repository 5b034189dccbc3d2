//! Cases of the whole gene, on a workspace in memory. The outputs are those of real tools.

mod actions;
mod cargo;
mod cargo_manifest;
mod cases;
mod data;
mod go;
mod hostile;
mod plan;
mod rust;
mod rust_blocks;
mod rust_json;
mod rust_lints;
mod rust_loops;
mod rust_old;
mod script;
mod script_config;
mod script_options;
mod shell;
mod shell_scripts;

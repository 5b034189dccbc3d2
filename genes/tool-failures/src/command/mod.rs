//! What the command line of one call is about: its programs, the files that it writes, the shell that runs it.

pub(crate) mod chain;
pub(crate) mod hidden;
pub(crate) mod paths;
pub(crate) mod remote;
pub(crate) mod script;
pub(crate) mod server;
pub(crate) mod shell;
pub(crate) mod variables;

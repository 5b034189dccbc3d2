//! What the lines of one output say: which of them explains the failure, and which names stand in it. Pure text in, text out.

pub(crate) mod arity;
pub(crate) mod bare_name;
pub(crate) mod cause_line;
pub(crate) mod hooks;
pub(crate) mod host;
pub(crate) mod known;
pub(crate) mod line;
pub(crate) mod named;
pub(crate) mod names;
pub(crate) mod places;
pub(crate) mod position;
pub(crate) mod powershell;
pub(crate) mod printed;
pub(crate) mod progress;
pub(crate) mod provider;
pub(crate) mod refusals;
pub(crate) mod remedies;
pub(crate) mod removed;
pub(crate) mod sentences;
pub(crate) mod step;
pub(crate) mod suggestion;
pub(crate) mod test_errors;
pub(crate) mod usual;
pub(crate) mod versions;
pub(crate) mod vocabulary;
pub(crate) mod wrapped;

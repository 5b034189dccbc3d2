//! Where the functions of the host come from: in a component they are imports, in a native test they are those of
//! [`crate::testing`].

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::bindings::imports::gephost::gene::{
    completion, coverage, explanation, history, logging, run_log, settings, workspace,
};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use crate::testing::imports::{
    completion, coverage, explanation, history, logging, run_log, settings, workspace,
};

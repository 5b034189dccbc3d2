//! The effects of gephost on this machine.
//!
//! Which module owns which effect:
//!
//! | module | effect |
//! |---|---|
//! | [`sandbox`] | runs guests' machine code; reads and writes the compile cache |
//! | [`worktree`] | reads the repository; writes objects, one branch and work copies |
//! | [`validate`] | starts processes |
//! | [`observe`], [`run_store`] | reads logs; appends run events |
//! | [`event_log`], [`registry`] | append the hash-chained log and the assets |
//! | [`cycle`] | none of its own: calls the others in order |
//!
//! Decisions are `gephost-core`'s, in a module of the same name. Nothing here prints, reads the environment or the
//! clock, or uses the network.

pub mod bundled;
pub mod cycle;
mod durable;
pub mod event_log;
pub mod observe;
pub mod registry;
pub mod run_store;
pub mod sandbox;
pub mod state;
pub mod validate;
pub mod worktree;

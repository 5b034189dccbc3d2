//! The effects of gephost on this machine.
//!
//! Which module owns which effect:
//!
//! | module | effect |
//! |---|---|
//! | [`sandbox`] | runs guests' machine code; reads and writes the compile cache |
//! | [`worktree`] | reads the repository; writes objects, one branch and work copies |
//! | [`checkout`] | reads the files of the working tree |
//! | [`confine`] | takes authority from this process |
//! | `spawn` | starts processes, for [`validate`], [`background`] and the sandbox's workers |
//! | [`background`] | starts this program for work that nobody waits for |
//! | [`validate`] | runs commands |
//! | [`observe`], [`ingest`], [`run_store`] | reads logs; keeps how far each was read; appends run events |
//! | [`watch`] | has the kernel tell when logs change |
//! | [`recording`] | keeps gene calls, and runs them again |
//! | [`exchange`] | keeps what a model was asked and answered, and goes through it again |
//! | [`author_tool`] | runs a compiler on an author's own project |
//! | [`key_command`] | runs the program that prints a model's key |
//! | [`journal`] | holds the project's lock; keeps what is under way, and settles what a crash left |
//! | [`event_log`], [`registry`] | append the hash-chained log and the assets |
//! | [`remembered`] | removes from the cache what is not a component |
//! | [`place`] | reaches files from the folders that were handed over |
//! | [`state`] | makes, moves and removes states |
//! | [`instance`] | locks the state of a clone for one gephost |
//! | [`doctor`] | none of its own: has workers and genes try what must be refused |
//!
//! Decisions are `gephost-core`'s, in a module of the same name. Nothing here prints, reads the environment or the
//! clock, or uses the network.

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests make their own files, and measure time"))]

pub mod author_tool;
pub mod background;
mod beneath;
pub mod bundled;
pub mod checkout;
pub mod confine;
pub mod doctor;
mod durable;
pub mod event_log;
pub mod exchange;
mod frame;
mod git_pointer;
pub mod hubs;
pub mod ingest;
mod installation;
pub mod instance;
pub mod journal;
pub mod key_command;
pub mod mailbox;
pub mod monotonic;
pub mod observe;
pub mod place;
pub mod recording;
pub mod registry;
pub mod regular_file;
pub mod remembered;
pub mod run_store;
pub mod sandbox;
mod spawn;
pub mod state;
pub mod user_key;
pub mod validate;
pub mod watch;
pub mod worktree;

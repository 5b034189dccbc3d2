//! What a gene's author does: begin a project, build it, pack what any compiler wrote, check a gene, and test it on fixtures.
//! None of it needs a project of gephost.
//!
//! | file | what |
//! |---|---|
//! | `folder` | reads and writes the author's files |
//! | `begin` | writes a new project |
//! | `tools`, `build` | finds the tools of a language, and runs them |
//! | `built` | the gene that a project was built to |
//! | `sources` | the sources that an interpreter gets as data |
//! | `packing` | makes a gene of a module or a component |
//! | `check` | what should be corrected before a gene is given to anybody |
//! | `watch` | waits for the author to save |
//! | `alone` | runs a gene once, on files that the author names |
//! | `fixture`, `test` | runs a gene on fixtures, and compares what it answers |

mod alone;
mod begin;
mod build;
mod built;
mod check;
mod fixture;
mod folder;
mod packing;
mod sources;
mod test;
mod tools;
mod versions;
mod watch;

pub use alone::{Alone, AloneOptions, run_alone};
pub use begin::{Begun, begin, write_contract};
pub use build::{Built, UsedTool, build};
pub use check::{Checked, Fault, check};
pub use fixture::{Answer, AnsweredCandidate, AnsweredFinding};
pub use packing::{Packed, PackingFiles, pack};
pub use test::{FixtureResult, FixtureState, Fullest, Tested, test};
pub use watch::watch;

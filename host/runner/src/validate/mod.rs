//! Runs validation commands in a work copy of the base or of the changed project, and reports the result of each.
//! `gephost_core::evaluate` judges the results.
//!
//! | file | what |
//! |---|---|
//! | `validator` | the commands in one copy, one after another |
//! | `level` | which level of confinement works on this machine |
//! | `enclosure`, `readable`, `bubblewrap` | how a level confines one command |
//! | `machine`, `caches` | the operator's toolchains, and what was downloaded before |
//! | `dependencies` | the folders of dependencies beside the operator's sources |
//! | `prepare` | makes a work copy ready for commands |
//! | `process`, `end` | one command, from its start to its end |
//! | `launch`, `messages` | the processes between gephost and a command |
//! | `family` | ends every process that a command started |
//! | `groups` | a control group for each command, where the kernel has one |
//! | `watch`, `disk`, `memory`, `open_files`, `tasks`, `capture`, `stream` | what it takes and writes, within bounds |
//! | `probe` | tries what a command must not be able to do |
//! | `trace` | a copy in which commands run again and again, and which lines they execute |
//! | `reports` | the test reports that a command wrote |
//! | `record`, `terminal` | `gephost record`: the operator's own command, not confined, with a terminal if there is one |

mod bubblewrap;
mod caches;
mod capture;
mod dependencies;
mod disk;
mod enclosure;
mod end;
mod family;
mod groups;
mod launch;
mod level;
mod limits;
mod machine;
mod memory;
mod messages;
mod open_files;
mod prepare;
mod probe;
mod process;
mod readable;
mod record;
mod reports;
mod stream;
mod tasks;
mod terminal;
mod trace;
mod validator;
mod watch;

pub use bubblewrap::find as find_bubblewrap;
pub use capture::{CaptureLimit, Captured};
pub use enclosure::{Enclosure, Granted};
pub use end::End;
pub use groups::ControlGroups;
pub use launch::serve;
pub use level::{Chosen, NotHere, choose, works};
pub use limits::Limits;
pub use machine::{Machine, VARIABLES};
pub use memory::free_memory;
pub use probe::{PROBES, Probe, ProbeTargets, SystemVIds, attempt};
pub use process::{CommandRun, Invocation, Launcher, RunError, run};
pub use record::{Recorded, Sinks, run_recorded};
pub use trace::{Bench, Traced, TracedTest, Watching};
pub use validator::{Attempts, Ran, Validator};

/// Kills the running commands without waiting for their end, for a process that is about to exit.
pub fn kill_all() {
    family::kill_all();
}

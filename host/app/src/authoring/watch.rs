//! Waits for the author to save: looks again and again at the names, sizes and times of the project's files.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use super::built::WRITTEN;
use super::folder::{Folder, depth, seen};
use crate::environment::Environment;
use crate::error::AppError;

/// How often the files are looked at.
const TICK: Duration = Duration::from_millis(200);
/// Most files that are looked at.
const MAX_FILES: usize = 10_000;
const MAX_DEPTH: usize = 16;

/// What the files of a project look like: size and time by path.
type State = BTreeMap<String, (u64, Option<SystemTime>)>;

/// Does `round` at once, and again after each change, until the author interrupts it. A file that is saved during a round
/// begins another one.
pub fn watch(environment: &Environment, folder: &Path, mut round: impl FnMut()) -> Result<(), AppError> {
    let project = Folder::open(&environment.resolve(folder))?;
    let mut done: Option<State> = None;
    while !environment.is_interrupted() {
        let now = state(&project)?;
        if done.as_ref() == Some(&now) {
            thread::park_timeout(TICK);
        } else {
            round();
            done = Some(now);
        }
    }
    Ok(())
}

fn state(project: &Folder) -> Result<State, AppError> {
    let mut state = State::new();
    let enters =
        |below: &str, name: &str| depth(below) < MAX_DEPTH && !name.starts_with('.') && !WRITTEN.contains(&name);
    project.walk(&enters, &mut |path| {
        // A file that is removed meanwhile is a change that the next look sees.
        if let Some(found) = seen(&project.join(&path)) {
            state.insert(path, found);
        }
        if state.len() > MAX_FILES {
            let message = format!("{} has more than {MAX_FILES} files", project.path().display());
            return Err(AppError::usage("watch", message).hint("leave out `--watch`, or move what is not the gene's"));
        }
        Ok(())
    })?;
    Ok(state)
}

//! Tells what a repository brings from what is the user's own.
//!
//! Where the home folder of a user is a checkout, as in some containers, the repository's author chooses what lies in
//! the user's folders. What git tracks there is the repository's and counts for nothing.

#![expect(clippy::disallowed_methods, reason = "the user's folders are given by path")]

use std::path::{Path, PathBuf};

use gephost_runner::worktree;

use crate::error::AppError;

/// What the user owns and no repository may bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Own {
    /// The folder of state: the log, its head, the recorded commands, what the user trusts.
    State,
    /// The user's own config: trusted folders and keys, the model and the program that prints its key.
    Config,
}

/// Refuses a place of the user's in which git tracks a file, or which is behind a link that git tracks, in the repository
/// that holds `directory`. State is nowhere tracked, so all repositories around it are looked at. A config may be: in
/// the repository of a user's own dotfiles, around the project's.
pub(crate) fn refuse_tracked(place: &Path, own: Own, directory: &Path) -> Result<(), AppError> {
    let directory = directory.canonicalize().map_err(|error| AppError::io(directory, "open", &error))?;
    let linked = place.canonicalize().ok().filter(|linked| linked != place);
    let places = linked.iter().map(PathBuf::as_path).chain([place]);
    let tops = directory.ancestors().filter(|dir| dir.join(".git").exists());
    let tops: Vec<&Path> = tops.take(if own == Own::State { usize::MAX } else { 1 }).collect();
    for (place, top) in places.flat_map(|place| tops.iter().map(move |top| (place, *top))) {
        let Ok(within) = place.strip_prefix(top) else { continue };
        let links = within.ancestors().skip(1).filter(|name| top.join(name).is_symlink());
        let names: Vec<&str> = [within].into_iter().chain(links).filter_map(Path::to_str).collect();
        let tracked = worktree::is_tracked(top, "", &names);
        if tracked.map_err(|error| AppError::usage("repository", error.to_string()))? {
            return Err(refusal(place, own));
        }
    }
    Ok(())
}

fn refusal(place: &Path, own: Own) -> AppError {
    let place = place.display();
    match own {
        Own::State => {
            AppError::usage("state_tracked", format!("git tracks files in {place}, so it is not your own state"))
                .hint("name a folder that git does not track: --state DIR")
        }
        Own::Config => AppError::usage("config_tracked", format!("git tracks {place}, so it is not your own config"))
            .hint("set XDG_CONFIG_HOME to a folder outside of the repository"),
    }
}

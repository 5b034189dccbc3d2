//! A state's note of whose it is, with the mark that says that this installation made it.

use std::io;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::identity::Identity;
use super::user::UserFolders;
use crate::durable::{self, Access};
use crate::installation::Installation;
use crate::place::Place;

/// Its name, in the state's folder.
pub(super) const PROJECT_FILE: &str = "project.json";
/// The largest such file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;
/// The form that is written.
const FORMAT: u32 = 1;

/// A state's note of whose it is: a written form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectFile {
    v: u32,
    /// Made with this installation's key, over the id.
    mark: String,
    pub(super) clone: Identity,
    /// RFC 3339.
    pub(super) created: String,
}

fn mark(installation: &Installation, id: &str) -> String {
    installation.mark("project", &[id.as_bytes()])
}

/// Whether a folder has the mark that this installation made for the state with this id.
pub(super) fn is_marked(folder: &Place, user: &UserFolders, id: &str) -> io::Result<bool> {
    // What cannot be read has no mark.
    let Ok(Some(file)) = read(folder) else { return Ok(false) };
    Ok(file.mark == mark(&Installation::open(&user.state)?, id))
}

/// Whose a state is; `None` if nothing says so.
pub(super) fn read(state: &Place) -> io::Result<Option<ProjectFile>> {
    let text = durable::read_text(&state.join(PROJECT_FILE), MAX_BYTES)?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// Writes down, in a folder, that it is the state with this id of this clone. Afterwards that is on disk.
pub(super) fn write(folder: &Place, user: &UserFolders, id: &str, clone: &Identity, now: Timestamp) -> io::Result<()> {
    let mark = mark(&Installation::open(&user.state)?, id);
    let file = ProjectFile { v: FORMAT, mark, clone: clone.clone(), created: now.to_string() };
    let text = serde_json::to_string_pretty(&file)? + "\n";
    durable::replace(&folder.join(PROJECT_FILE), text.as_bytes(), Access::Private)
}

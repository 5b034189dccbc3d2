//! Files that were edited between a failed call and the same call that worked later: what mended it.
//!
//! Memory is bounded: [`MAX_OPEN`] failed calls wait for their success, with [`MAX_FILES`] files each, and [`MAX_MENDED`]
//! are kept.

use std::collections::BTreeMap;

use crate::call::Call;
use crate::names;

const MAX_OPEN: usize = 128;
const MAX_FILES: usize = 3;
const MAX_MENDED: usize = 1024;

/// A failed call that may still succeed.
#[derive(Debug)]
struct Open {
    session: u32,
    event: u64,
    files: Vec<String>,
}

/// What is known of all failed calls.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    /// By the identity of the call.
    open: BTreeMap<u64, Open>,
    /// The edited files, by the number of the failed call.
    files: BTreeMap<u64, Vec<String>>,
}

impl Mended {
    /// Adds a call that failed.
    pub(crate) fn fail(&mut self, call: &Call<'_>, identity: Option<u64>) {
        let Some(identity) = identity else { return };
        if self.open.len() < MAX_OPEN || self.open.contains_key(&identity) {
            self.open.insert(identity, Open { session: call.session, event: call.event, files: Vec::new() });
        }
    }

    /// Adds a call that succeeded.
    pub(crate) fn succeed(&mut self, call: &Call<'_>, identity: Option<u64>) {
        if self.open.is_empty() {
            return;
        }
        if let Some(open) = identity.and_then(|identity| self.open.remove(&identity))
            && open.session == call.session
            && !open.files.is_empty()
            && self.files.len() < MAX_MENDED
        {
            self.files.insert(open.event, open.files);
        }
        let is_edit = is_editor(call.name);
        let Some(file) = names::file(call.input).filter(|_| is_edit).and_then(names::shown) else { return };
        for open in self.open.values_mut().filter(|open| open.session == call.session) {
            if open.files.len() < MAX_FILES && !open.files.contains(&file) {
                open.files.push(file.clone());
            }
        }
    }

    /// The files that were edited before the same call worked; empty if nothing was, or if it never worked.
    pub(crate) fn files(&self, event: u64) -> &[String] {
        self.files.get(&event).map_or(&[], Vec::as_slice)
    }
}

/// Whether a tool edits files, judged by its name.
pub(crate) fn is_editor(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["edit", "replace", "patch", "write"].iter().any(|word| tool.contains(word))
}

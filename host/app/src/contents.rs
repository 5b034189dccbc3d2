//! What a change has in its files, in short: how two changes are recognised as the same.

use gephost_core::digest::sha256_hex;
use gephost_core::event_log::Contents;
use gephost_core::gate::{Approved, ApprovedChange, BlobState};

/// What a change has in its files before and after, by half a hash each: enough to see that it takes an earlier one back.
pub(crate) fn contents(approved: &Approved) -> Vec<Contents> {
    let digest = |state: &BlobState| {
        let mut hash = sha256_hex(&state.content);
        hash.truncate(32);
        hash
    };
    let change = |change: &ApprovedChange| Contents {
        path: change.path.to_string(),
        before: change.before.as_ref().map(digest),
        after: change.after.as_ref().map(digest),
    };
    approved.changes().iter().map(change).collect()
}

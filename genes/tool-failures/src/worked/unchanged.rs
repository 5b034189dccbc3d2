//! What helps without another form of the call: to make it again later, or in the folder that has what it needs.

use crate::cause::Cause;
use crate::worked::act::Worked;
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Longest time between two calls that is shown in seconds.
const MAX_SECONDS: i64 = 3600;
/// Only this many bytes of a listing are read.
const LISTED_BYTES: usize = 16_384;
/// Longest folder that is shown, in bytes.
const MAX_FOLDER: usize = 80;

/// The folder whose `node_modules` has the module that was missing, as a later call lists it.
pub(crate) fn in_node_modules(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let name = failed.names.first().filter(|_| matches!(failed.cause, Cause::Module | Cause::WrongModule))?;
    let output = worked.call.output;
    let path = format!("/node_modules/{name}");
    let at = output.get(..output.floor_char_boundary(LISTED_BYTES))?.find(&path)?;
    let is_whole =
        !output.get(at + path.len()..)?.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let before = output.get(..at)?;
    let folder = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ':' | '(')).next()?;
    // A module inside of another one is that one's own.
    let is_told = is_whole && folder.len() > 1 && folder.len() <= MAX_FOLDER && !folder.contains("node_modules");
    let folder = folder.trim_start_matches("./");
    is_told.then(|| Remedy::of(Way::Stated, format!("run it in `{folder}`, whose `node_modules` has `{name}`")))
}

/// The same call some time later, after a refusal that only time ends.
pub(crate) fn again(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let passes = matches!(
        failed.cause,
        Cause::RateLimit | Cause::Overload | Cause::Locked | Cause::Busy | Cause::ModelConnection
    );
    let is_same = failed.tool == worked.call.name && failed.input.trim() == worked.call.input.trim();
    if !passes || !is_same || failed.input.trim().is_empty() || !failed.between.is_empty() {
        return None;
    }
    let since =
        Some(worked.call.time).filter(|_| failed.time > i64::MIN).and_then(|time| time.checked_sub(failed.time));
    let seconds = since.map(|us| us / 1_000_000).filter(|seconds| (1..MAX_SECONDS).contains(seconds));
    Some(Remedy::of(Way::Again, seconds.map_or_else(String::new, |seconds| format!("{seconds} s "))))
}

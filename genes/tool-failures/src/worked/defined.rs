//! Variables that are given to `make` behind its name, and that made it work.

use crate::cause::Cause;
use crate::command::shell::Act;
use crate::worked::act::{Worked, of_failure};
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Longest definition that is shown, in bytes.
const MAX_DEFINITION: usize = 80;

/// The variable to which a later `make` gave another value, or a value at all, where a program or a path had not been found.
pub(crate) fn defined(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if !matches!(failed.cause, Cause::Path | Cause::Program | Cause::Error | Cause::Folder)
        || !worked.acts.iter().any(|act| is_make(act) && !split(act).1.is_empty())
    {
        return None;
    }
    let act = of_failure(failed).filter(|act| is_make(act))?;
    let (goals, before) = split(&act);
    let other = worked.shown(|other| is_make(other) && split(other).0 == goals)?;
    let mut new = split(other).1.into_iter().filter(|definition| !before.contains(definition));
    let definition = new.next().filter(|definition| definition.len() <= MAX_DEFINITION && new.next().is_none())?;
    Some(Remedy::of(Way::Word, format!("have the agent run `{} {definition}`", other.step.name())))
}

fn is_make(act: &Act<'_>) -> bool {
    matches!(act.step.program, "make" | "gmake")
}

/// The goals of a `make`, and its definitions.
fn split<'a>(act: &Act<'a>) -> (Vec<&'a str>, Vec<&'a str>) {
    let words = act.arguments().iter().copied().filter(|word| !word.starts_with('-'));
    words.partition(|word| !word.contains('='))
}

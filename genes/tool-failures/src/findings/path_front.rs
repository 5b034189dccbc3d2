//! Paths that are not found because of the folder at their front: one finding for all of them.

use crate::analysis::Around;
use crate::call::hash;
use crate::cause::Cause;
use crate::causes::{Group, Member, counted, of_cause};
use crate::findings::keyed::{Keyed, gather};
use crate::output::names;
use crate::worked::fronts::{Fronts, Moved, is_below};

/// Failures whose paths are looked at, and fronts that have a finding.
const MAX_FAILURES: usize = 256;
const MAX_FRONTS: usize = 8;
/// Different paths that a front must explain.
const MIN_PATHS: usize = 2;

/// A missing path, and where the end of it is.
struct Found<'f> {
    path: &'f str,
    moved: Moved,
}

/// The groups, with the paths in one group that are not found because of the same folder in front of them.
pub(crate) fn with_fronts(mut all: Vec<Keyed>, fronts: &Fronts) -> Vec<Keyed> {
    let missed = all.iter().filter(|(_, group)| group.cause == Cause::Path).flat_map(|(_, group)| &group.members);
    let events: Vec<u64> = missed.map(|member| member.event).take(MAX_FAILURES).collect();
    if events.len() < MIN_PATHS {
        return all;
    }
    let found = |event: &u64| Some(Found { path: fronts.missed(*event)?, moved: fronts.moved(*event)? });
    let mut found: Vec<Found<'_>> = events.iter().filter_map(found).collect();
    for _ in 0..MAX_FRONTS {
        let Some(front) = wrong_front(&found, fronts) else { break };
        found.retain(|found| !front.explains(found.path, Some(&found.moved)));
        let explains = |member: &Member| {
            let path = fronts.missed(member.event).filter(|_| events.contains(&member.event));
            path.is_some_and(|path| front.explains(path, fronts.moved(member.event).as_ref()))
        };
        let Some(mut group) = gather(&mut all, Cause::Path, front.cause(), &explains) else { continue };
        for member in &mut group.members {
            member.names = names::shown(front.name()).into_iter().collect();
        }
        all.push((hash(of_cause(front.cause()), front.name().as_bytes()), group));
    }
    all
}

/// A folder in which paths are looked for, and which is not there; or one that stands in front of paths that are given without it.
struct Front {
    moved: Moved,
    /// Whether nothing in the folder is known to be there.
    is_missing: bool,
}

impl Front {
    fn cause(&self) -> Cause {
        if self.moved.from.is_empty() { Cause::NoFront } else { Cause::Front }
    }

    fn name(&self) -> &str {
        if self.moved.from.is_empty() { &self.moved.to } else { &self.moved.from }
    }

    /// Whether a path is not found because of this front. What else is looked for in a folder that is not there is not there.
    fn explains(&self, path: &str, moved: Option<&Moved>) -> bool {
        let is_same =
            |moved: &Moved| moved.from == self.moved.from && (!self.moved.from.is_empty() || moved.to == self.moved.to);
        moved.is_some_and(is_same) || self.is_missing && is_below(path, &self.moved.from)
    }
}

/// The front that explains most different paths, and at least [`MIN_PATHS`].
fn wrong_front(found: &[Found<'_>], fronts: &Fronts) -> Option<Front> {
    let front = |found: &Found<'_>| {
        let is_missing = !found.moved.from.is_empty() && !fronts.has(&found.moved.from);
        Front { moved: found.moved.clone(), is_missing }
    };
    let explained = |front: &Front| {
        let own = found.iter().filter(|found| front.explains(found.path, Some(&found.moved)));
        counted(own.map(|found| found.path)).len()
    };
    let fronts = found.iter().map(front).map(|front| (explained(&front), front));
    // Of equal ones the shortest comes first, whatever the order of the log is.
    let order = |front: &Front| (front.moved.from.len(), front.moved.clone());
    let best = fronts.min_by(|(a, one), (b, other)| b.cmp(a).then_with(|| order(one).cmp(&order(other))));
    best.filter(|(count, _)| *count >= MIN_PATHS).map(|(_, front)| front)
}

impl Group {
    /// Where the paths are that are not found because of their front.
    pub(super) fn at_other_front(&self, around: Around<'_>) -> Option<String> {
        if !matches!(self.cause, Cause::Front | Cause::NoFront) {
            return None;
        }
        let moved: Vec<Moved> =
            self.members.iter().take(MAX_FAILURES).filter_map(|member| around.fronts.moved(member.event)).collect();
        let (to, count) = counted(moved.iter().map(|moved| moved.to.as_str())).into_iter().next()?;
        let from = self.frequent_names().concat();
        let found =
            if count == self.failures { String::new() } else { format!(", for {count} of {} failures", self.failures) };
        let way = match to {
            _ if self.cause == Cause::NoFront && to.starts_with("..") => {
                format!("write `{to}/` in front of these paths")
            }
            _ if self.cause == Cause::NoFront => {
                format!("write `{to}/` in front of these paths, or run the commands in `{to}`")
            }
            "" => format!("leave `{from}/` out of these paths"),
            to => format!("write `{to}` instead of `{from}`"),
        };
        Some(format!("{way}: other calls show what follows it there{found}; correct what names them to the agent"))
    }
}

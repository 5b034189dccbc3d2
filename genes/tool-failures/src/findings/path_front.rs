//! Paths that are not found because of the folder at their front: one finding for all of them.

use crate::call::hash;
use crate::cause::Cause;
use crate::causes::{Group, counted, of_cause};
use crate::findings::keyed::{Keyed, gather};
use crate::output::names;
use crate::worked::fronts::{Fronts, Moved, Places, is_below};

/// Failures whose paths are looked at, and fronts that have a finding.
const MAX_FAILURES: usize = 128;
const MAX_FRONTS: usize = 8;
/// Different paths that a front must explain.
const MIN_PATHS: usize = 2;

/// A missing path, and where the end of it is, if that is known.
#[derive(Clone)]
struct Missed<'f> {
    event: u64,
    path: &'f str,
    moved: Option<Moved>,
}

/// The groups, with the paths in one group that are not found because of the same folder in front of them.
pub(crate) fn with_fronts(mut all: Vec<Keyed>, fronts: &Fronts) -> Vec<Keyed> {
    let of_paths = all.iter().filter(|(_, group)| group.cause == Cause::Path).flat_map(|(_, group)| &group.members);
    let mut missed: Vec<Missed<'_>> = of_paths
        .take(MAX_FAILURES)
        .filter_map(|member| Some(Missed { event: member.event, path: fronts.missed(member.event)?, moved: None }))
        .collect();
    if missed.is_empty() {
        return all;
    }
    let places = fronts.places(missed.iter().map(|missed| missed.path));
    for missed in &mut missed {
        missed.moved = places.moved(missed.path);
    }
    for _ in 0..MAX_FRONTS {
        let Some(front) = wrong_front(&missed, &places) else { break };
        let (own, rest): (Vec<_>, Vec<_>) = missed.iter().cloned().partition(|missed| front.explains(missed));
        let gathered = gather(&mut all, Cause::Path, front.cause(), &|member| {
            own.iter().any(|missed| missed.event == member.event)
        });
        let (name, cause) = (front.name().to_owned(), front.cause());
        missed = rest;
        let Some(mut group) = gathered else { continue };
        group.moved_to = own.into_iter().filter_map(|missed| Some(missed.moved?.to)).collect();
        for member in &mut group.members {
            member.names = names::shown(&name).into_iter().collect();
        }
        all.push((hash(of_cause(cause), name.as_bytes()), group));
    }
    all
}

/// A folder in which paths are looked for, and which is not there; or one that stands in front of paths that are given without it.
struct Front<'f> {
    moved: &'f Moved,
    /// Paths that are not there, and what is looked for below them is not there either.
    roots: Vec<&'f str>,
}

impl<'f> Front<'f> {
    fn of(moved: &'f Moved, missed: &[Missed<'f>], places: &Places<'_>) -> Self {
        let mut front = Self { moved, roots: Vec::new() };
        let own = missed.iter().filter(|missed| missed.moved.as_ref().is_some_and(|moved| front.is_same(moved)));
        let mut roots: Vec<&str> = own.map(|missed| missed.path).collect();
        if !moved.from.is_empty() && !places.has(&moved.from) {
            roots.push(&moved.from);
        }
        front.roots = roots;
        front
    }

    fn cause(&self) -> Cause {
        if self.moved.from.is_empty() { Cause::NoFront } else { Cause::Front }
    }

    fn name(&self) -> &str {
        if self.moved.from.is_empty() { &self.moved.to } else { &self.moved.from }
    }

    fn is_same(&self, moved: &Moved) -> bool {
        moved.from == self.moved.from && (!moved.from.is_empty() || moved.to == self.moved.to)
    }

    /// Whether a path is not found because of this front.
    fn explains(&self, missed: &Missed<'_>) -> bool {
        match &missed.moved {
            Some(moved) if self.is_same(moved) => true,
            // The longer one says less: `/a/x` of `/a/x/b`.
            Some(moved) => !moved.from.is_empty() && self.roots.iter().any(|root| is_below(&moved.from, root)),
            None => self.roots.iter().any(|root| is_below(missed.path, root)),
        }
    }
}

/// The front that explains most different paths, and at least [`MIN_PATHS`].
fn wrong_front<'f>(missed: &'f [Missed<'f>], places: &Places<'_>) -> Option<Front<'f>> {
    let explained = |front: &Front<'_>| {
        let own = missed.iter().filter(|missed| front.explains(missed));
        counted(own.map(|missed| missed.path)).len()
    };
    let moved = missed.iter().filter_map(|missed| missed.moved.as_ref());
    let fronts = moved.map(|moved| Front::of(moved, missed, places)).map(|front| (explained(&front), front));
    // Of equal ones the shortest comes first, whatever the order of the log is.
    let order = |front: &Front<'f>| (front.moved.from.len(), front.moved);
    let best = fronts.min_by(|(a, one), (b, other)| b.cmp(a).then_with(|| order(one).cmp(&order(other))));
    best.filter(|(count, _)| *count >= MIN_PATHS).map(|(_, front)| front)
}

impl Group {
    /// Where the paths are that are not found because of their front.
    pub(super) fn at_other_front(&self) -> Option<String> {
        if !matches!(self.cause, Cause::Front | Cause::NoFront) {
            return None;
        }
        let (to, count) = counted(self.moved_to.iter().map(String::as_str)).into_iter().next()?;
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

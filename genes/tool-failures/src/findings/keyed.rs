//! Groups with their keys: how they are parted and joined.

use crate::cause::Cause;
use crate::causes::{Group, Member};
use crate::order;

/// A group with its key.
pub(crate) type Keyed = (u64, Group);

/// Takes the failures that fit out of the groups of one cause, into one group of another cause.
pub(crate) fn gather(groups: &mut Vec<Keyed>, from: Cause, to: Cause, fits: &dyn Fn(&Member) -> bool) -> Option<Group> {
    let mut all: Option<Group> = None;
    for (_, group) in groups.iter_mut().filter(|(_, group)| group.cause == from) {
        all = together(all, group.split_off(to, fits));
    }
    groups.retain(|(_, group)| group.failures > 0);
    all
}

/// The groups that fit, and the others.
pub(crate) fn parted(groups: Vec<Keyed>, fits: &dyn Fn(&Group) -> bool) -> (Vec<Keyed>, Vec<Keyed>) {
    groups.into_iter().partition(|(_, group)| fits(group))
}

/// Both groups as one.
pub(crate) fn together(all: Option<Group>, more: Option<Group>) -> Option<Group> {
    match (all, more) {
        (Some(mut all), Some(more)) => {
            all.absorb(&more);
            Some(all)
        }
        (all, more) => all.or(more),
    }
}

/// The groups, with those of the same name in one group. It keeps the key of the largest, and of equal ones the smallest key.
pub(crate) fn join_by(all: Vec<Keyed>, name: &dyn Fn(&Group) -> Option<u64>) -> Vec<Keyed> {
    join_as(all, None, name)
}

/// The same, with another cause for what was joined.
pub(crate) fn join_as(mut all: Vec<Keyed>, cause: Option<Cause>, name: &dyn Fn(&Group) -> Option<u64>) -> Vec<Keyed> {
    order::sort_by(&mut all, |a, b| b.1.failures.cmp(&a.1.failures).then(a.0.cmp(&b.0)));
    let mut joined: Vec<(Option<u64>, Keyed)> = Vec::with_capacity(all.len());
    for (key, group) in all {
        let name = name(&group);
        match joined.iter_mut().find(|(known, _)| name.is_some() && *known == name) {
            Some((_, (_, together))) => {
                together.absorb(&group);
                together.cause = cause.unwrap_or(together.cause);
            }
            None => joined.push((name, (key, group))),
        }
    }
    joined.into_iter().map(|(_, keyed)| keyed).collect()
}

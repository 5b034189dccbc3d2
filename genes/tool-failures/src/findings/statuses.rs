//! Requests that a server refuses: one purpose has one finding, whatever the status codes are.

use crate::analysis::Around;
use crate::call::hash;
use crate::cause::Cause;
use crate::causes::Group;
use crate::findings::keyed::{Keyed, join_as};
use crate::output::host::domain;
use crate::output::line::{normal_hash, without_status};
use crate::worked::otherwise::address;
use crate::worked::waiting::Way;

/// The groups, with the requests of one tool, or of one program to one domain, in one group, whatever status code refused them,
/// unless different ways cured them.
pub(crate) fn with_statuses(all: Vec<Keyed>, around: Around<'_>) -> Vec<Keyed> {
    let refused: Vec<(u64, Option<&str>)> =
        all.iter().filter_map(|(_, group)| Some((refused_request(group)?, cure_of_request(group, around)))).collect();
    let is_one = |purpose: u64| {
        let mut cures = refused.iter().filter(|(known, _)| *known == purpose).filter_map(|(_, cure)| *cure);
        let first = cures.next();
        cures.all(|cure| Some(cure) == first)
    };
    join_as(all, None, &|group| refused_request(group).filter(|purpose| is_one(*purpose)))
}

/// What requests are for that were refused with a status code: the hash of the tool, or of the program and the domain.
fn refused_request(group: &Group) -> Option<u64> {
    let newest = group.latest().filter(|_| group.cause == Cause::Error)?;
    let line = without_status(&newest.line)?;
    let is_tool = newest.input.trim_start().starts_with('{');
    let domain = if is_tool { "" } else { address(&newest.input).and_then(domain)? };
    Some(hash(hash(normal_hash(&line), group.program().as_bytes()), domain.as_bytes()))
}

/// The way in which a request worked later.
fn cure_of_request<'a>(group: &Group, around: Around<'a>) -> Option<&'a str> {
    let mut found = group.members.iter().filter_map(|member| around.next.of(member.event, Way::Start));
    found.next().map(|remedy| remedy.text.as_str())
}

//! What the log shows beside the failed calls decides the advice: the user's message names the missing path, another user owns the
//! repository, or a part of a refused command may run by itself.

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::Group;
use crate::findings::keyed::Keyed;
use crate::output::names;
use crate::worked::machine::Machine;

/// The groups. Of a command that a rule refuses, the steps that ran in other calls are not what is refused.
pub(crate) fn without_allowed(mut all: Vec<Keyed>, machine: &Machine) -> Vec<Keyed> {
    for (_, group) in all.iter_mut().filter(|(_, group)| group.cause == Cause::Forbidden) {
        for member in &mut group.members {
            let (allowed, refused): (Vec<String>, Vec<String>) =
                member.names.drain(..).partition(|name| machine.runs(name));
            if let (Some(name), false) = (allowed.first(), refused.is_empty()) {
                group.allowed.clone_from(name);
            }
            member.names = if refused.is_empty() { allowed } else { refused };
        }
    }
    all
}

impl Group {
    /// What to do, if something beside the calls decides it.
    pub(super) fn by_facts(&self, around: Around<'_>) -> Option<String> {
        match self.cause {
            Cause::Path | Cause::Folder => self.ordered(around),
            Cause::Outside if self.members.iter().all(|member| around.machine.is_of_others(member.session)) => Some(
                "name the folder with `git -c safe.directory=FOLDER`, or give it to the agent's user: git refused it in the same \
                 session, because another user owns it"
                    .to_owned(),
            ),
            Cause::Forbidden => self.refused_part(),
            _ => None,
        }
    }

    /// What to do about a path that the user's message names. What the session writes itself is not there at first.
    fn ordered(&self, around: Around<'_>) -> Option<String> {
        let missed = |event| around.ordered.missed(event).filter(|(session, path)| !around.written.has(*session, path));
        let found: Vec<(u32, &str)> = self.members.iter().filter_map(|member| missed(member.event)).collect();
        let (_, path) = found.last().filter(|_| found.len() * 2 >= self.members.len())?;
        Some(format!(
            "correct the prompt, which names `{}`, or put this path in place before the agent starts: it is not there",
            names::shown(path)?
        ))
    }

    /// The only step of refused commands that no other call ran.
    fn refused_part(&self) -> Option<String> {
        let [name] = self.frequent_names()[..] else { return None };
        (!self.allowed.is_empty()).then(|| {
            format!(
                "tell the agent to leave `{name}` out of its commands, or allow it in its permissions: `{}`, which was refused \
                 with it, ran by itself",
                self.allowed
            )
        })
    }
}

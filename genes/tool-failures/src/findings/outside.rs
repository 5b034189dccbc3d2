//! What lies outside of the calls themselves: a permission that nobody can give, and an environment whose programs are called
//! without its folder.

use gephost_gene::run_log::Difference;

use crate::analysis::Around;
use crate::call::hash;
use crate::cause::Cause;
use crate::causes::unasked;
use crate::causes::{Group, Member, counted};
use crate::command::shell::steps;
use crate::findings::advice::proof;
use crate::findings::keyed::{Keyed, join_as};
use crate::order;
use crate::output::names;

/// The groups, with programs that worked next in the folder of the same environment in one group, if there are several.
pub(crate) fn with_environments(mut all: Vec<Keyed>, around: Around<'_>) -> Vec<Keyed> {
    let folder = |group: &Group| environment(group, around).map(|folder| hash(0, folder.as_bytes()));
    let known: Vec<u64> = all.iter().filter_map(|(_, group)| folder(group)).collect();
    let is_shared = |folder: &u64| known.iter().filter(|other| *other == folder).count() > 1;
    for (_, group) in all.iter_mut().filter(|(_, group)| folder(group).is_some_and(|folder| is_shared(&folder))) {
        for member in &mut group.members {
            member.names = around.corrections.get(member.event).map(|next| next.before.clone()).into_iter().collect();
        }
    }
    join_as(all, Some(Cause::NotActive), &|group| folder(group).filter(|folder| is_shared(folder)))
}

/// The folder of an environment in which the programs of all failures of a group worked next: `.venv/bin/`.
fn environment<'a>(group: &Group, around: Around<'a>) -> Option<&'a str> {
    let folder = |member: &Member| {
        let next = around.corrections.get(member.event).filter(|next| next.difference == Difference::Program)?;
        let folder = next.after.strip_suffix(&next.before).filter(|_| !next.before.contains('/'))?;
        ["bin/", "Scripts/", "Scripts\\", ".bin/"].iter().any(|end| folder.ends_with(end)).then_some(folder)
    };
    let one = folder(group.members.first()?)?;
    (group.members.iter().all(|member| folder(member) == Some(one))).then_some(one)
}

impl Group {
    /// What to do if nobody can be asked for a permission.
    pub(crate) fn unasked(&self, around: Around<'_>) -> Option<String> {
        let is_refused = |member: &&Member| unasked::is_unasked(&member.line);
        let refused = self.members.iter().filter(is_refused).count();
        if self.cause != Cause::Denied || refused * 2 < self.members.len() {
            return None;
        }
        let events = self.events();
        let shown = |path: &str| names::shown(path).unwrap_or_default();
        if let Some(path) = around.unasked.missing(&events) {
            return Some(format!(
                "look for the right path: a later call shows that `{}` does not exist, so that a permission would not help",
                shown(path)
            ));
        }
        let named = self.frequent_names();
        let quoted = |names: &[&str]| {
            let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            all.join(if all.len() > 2 { ", " } else { " and " })
        };
        // The name of the agent's own tool says nothing of what it ran.
        let named: Vec<&str> = named.into_iter().filter(|name| !matches!(*name, "exec" | "shell" | "Bash")).collect();
        let forms = if named.is_empty() { self.refused_forms() } else { Vec::new() };
        let named = if named.is_empty() { forms.iter().map(String::as_str).collect() } else { named };
        let works = named.iter().find(|program| around.machine.runs(program));
        Some(match (works, around.unasked.path(&events)) {
            (Some(program), Some(path)) => format!(
                "allow the folder of `{}` in the agent's permissions, or tell the agent to stay in the folders that it may use: \
                 `{program}` worked elsewhere, and nobody can be asked",
                shown(path)
            ),
            _ => format!(
                "allow {} in the agent's permissions before it starts, or say in its instructions what to do instead: nobody can be \
                 asked",
                if named.is_empty() {
                    "these calls".to_owned()
                } else {
                    quoted(named.get(..named.len().min(3)).unwrap_or_default())
                }
            ),
        })
    }

    /// The programs of the commands that a policy refused, as its messages have them: `"powershell.exe" -Command "a"` rejected.
    fn refused_forms(&self) -> Vec<String> {
        const FLAGS: [&str; 4] = [" -Command ", " -lc ", " -c ", " /c "];
        let inner = |member: &'_ Member| {
            let command = member.line.split_once('`')?.1.rsplit_once('`')?.0.to_owned();
            let inner = FLAGS.iter().find_map(|flag| command.split_once(flag)).map(|(_, rest)| rest.to_owned());
            inner.map(|inner| inner.trim_matches(['"', '\'']).to_owned())
        };
        let programs =
            |command: String| -> Vec<String> { steps(&command).iter().map(|step| step.program.to_owned()).collect() };
        let all: Vec<String> = self.members.iter().filter_map(inner).flat_map(programs).collect();
        let is_name = |name: &&str| name.len() > 1 && !name.contains(['\\', '/', ':']);
        counted(all.iter().map(String::as_str))
            .into_iter()
            .map(|(name, _)| name)
            .filter(is_name)
            .map(str::to_owned)
            .collect()
    }

    /// The folder of the environment in which the programs worked next.
    pub(crate) fn in_environment(&self, around: Around<'_>) -> Option<String> {
        let folder = environment(self, around).filter(|_| self.cause == Cause::NotActive)?;
        let next = self.members.iter().filter_map(|member| around.corrections.get(member.event));
        let mut worked: Vec<u64> = next.map(|next| next.worked).collect();
        order::sort(&mut worked);
        worked.dedup();
        let proof = proof(self.failures, self.failures, u32::try_from(worked.len()).unwrap_or(u32::MAX));
        Some(format!("tell the agent to call the programs of this project in `{folder}`: {proof}"))
    }
}

//! What to do about a known error, if the rest of the log decides between the cases that its hint leaves open: whether the
//! instructions name what is not there, whether a package is the project's own, and whether the program runs elsewhere.

use crate::analysis::Around;
use crate::causes::Group;
use crate::causes::own::Own;
use crate::command::remote::runs_elsewhere;
use crate::measures::groups::Failure;
use crate::output::places::is_of_framework;
use crate::output::remedies::{DATABASE_FILE, NAMESPACE, NO_SKILL, NO_TOOL, NOTHING_AVAILABLE};

impl Group {
    /// What to do in place of a hint, if the log decides it.
    pub(super) fn decided(&self, hint: &str, newest: &Failure, around: Around<'_>) -> Option<String> {
        match hint {
            NO_SKILL | NO_TOOL | NOTHING_AVAILABLE => {
                let name = named(&newest.line).filter(|_| !around.told.is_empty())?;
                let kind = kind(&newest.line);
                Some(if around.told.names(name) {
                    format!(
                        "add the {kind} `{name}` where the agent looks for it, or take it out of the prompt or the \
                         instructions that name it"
                    )
                } else {
                    format!(
                        "say in the agent's instructions that it has no {kind} `{name}`, or add it: nothing that the log shows of its \
                         instructions has this name"
                    )
                })
            }
            NAMESPACE => self.own_namespace(&newest.line, around.own),
            DATABASE_FILE => runs_elsewhere(&newest.input).map(|place| {
                format!("check on which machine this path must exist: the command starts the program with `{place}`")
            }),
            _ => None,
        }
    }

    /// What to do about a name that a folder of the project itself does not have.
    fn own_namespace(&self, line: &str, own: &Own) -> Option<String> {
        let mut quoted = line.split('\'').skip(1).step_by(2);
        let (name, package) = (quoted.next()?, quoted.next()?);
        let first = package.split('.').next()?;
        let is_at_place = self.place.as_ref().is_some_and(|(path, _)| {
            !is_of_framework(path) && path.split(['/', '\\']).rev().skip(1).any(|folder| folder == first)
        });
        let session = self.members.last()?.session;
        (is_at_place || own.has(session, first, "")).then(|| {
            format!(
                "add `{name}` to `{}`, which is a folder of the project, or correct the import: the folder has no module and no \
                 `__init__.py` with this name",
                package.replace('.', "/")
            )
        })
    }
}

/// The name that a message says is not there: the first one in quotes, or else the word behind the last colon.
fn named(line: &str) -> Option<&str> {
    let is_name = |name: &&str| !name.is_empty() && name.len() <= 80 && !name.contains(char::is_whitespace);
    // Some tools put a message into tags.
    let line = line.split("</").next().unwrap_or(line);
    let quoted = line.split(['"', '\'', '`']).nth(1).filter(is_name);
    quoted.or_else(|| line.rsplit_once(": ").map(|(_, name)| name.trim().trim_end_matches('.')).filter(is_name))
}

/// What kind of thing a message says is not there.
fn kind(line: &str) -> &'static str {
    let has = |word: &str| line.contains(word);
    if has("kill") {
        "skill"
    } else if has("gent ") || has("gent:") {
        "agent"
    } else {
        "tool"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named_by_the_message() {
        for (line, name, what) in [
            ("Unknown skill: statusline-setup", Some("statusline-setup"), "skill"),
            ("<tool_use_error>Unknown skill: a-b</tool_use_error>", Some("a-b"), "skill"),
            ("Skill \"figma-to-code\" not found. Available skills are: ", Some("figma-to-code"), "skill"),
            ("Error: No such tool available: Grep", Some("Grep"), "tool"),
            ("Tool 'a__b' not found", Some("a__b"), "tool"),
            ("unknown agent: planner.", Some("planner"), "agent"),
            ("Unknown tool", None, "tool"),
            ("Unknown tool: it has no name", None, "tool"),
        ] {
            assert_eq!((named(line), kind(line)), (name, what), "{line}");
        }
    }
}

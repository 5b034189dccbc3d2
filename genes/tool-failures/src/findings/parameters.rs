//! What to write into the instructions about the parameters of a tool that was called wrongly, as its message says it.

use crate::causes::{Group, Member};

/// How tools say that a parameter is missing.
const LACKS: [&str; 9] = [
    "issing required",
    "equired parameter",
    "equired argument",
    "is required",
    "are required",
    "is missing",
    "was omitted",
    "required property",
    "a required property",
];
/// How they say that there is none of this name.
const HAS_NONE: [&str; 6] = [
    "nexpected parameter",
    "nknown parameter",
    "is not allowed for",
    "not permitted",
    "dditional propert",
    "nrecognized key",
];
/// Most values that are listed.
const MAX_VALUES: usize = 8;
const MAX_NAMES: usize = 3;

/// What is wrong with a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    Lacks,
    HasNone,
    /// The values or the names that the message lists.
    OneOf(String),
    Only(String),
}

impl Group {
    /// The sentence for the instructions, of the fault that most of these calls have; `None` if their messages do not say it.
    pub(super) fn of_parameters(&self) -> Option<String> {
        let program = self.program();
        let known: Vec<(&Member, Fault)> =
            self.members.iter().filter_map(|member| Some((member, fault(&member.line)?))).collect();
        let count = |fault: &Fault| known.iter().filter(|(_, other)| other == fault).count();
        let (_, fault) = known.iter().rev().max_by_key(|(_, fault)| count(fault))?;
        if program.is_empty() || count(fault) * 2 < self.members.len() {
            return None;
        }
        let mut names: Vec<&str> = Vec::new();
        for name in known.iter().filter(|(_, other)| other == fault).flat_map(|(member, _)| &member.names) {
            if names.len() < MAX_NAMES && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let quoted = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        Some(match fault {
            Fault::Only(all) => format!("say in the agent's instructions that `{program}` takes only {all}"),
            _ if names.is_empty() => return None,
            Fault::Lacks => format!("say in the agent's instructions that `{program}` needs {quoted}"),
            Fault::HasNone => format!("say in the agent's instructions that `{program}` has no parameter {quoted}"),
            Fault::OneOf(all) => {
                format!("say in the agent's instructions that {quoted} of `{program}` is one of {all}")
            }
        })
    }
}

/// What a message says of a parameter.
fn fault(line: &str) -> Option<Fault> {
    let says = |words: &[&str]| words.iter().any(|words| line.contains(words));
    if let Some(all) = listed(line, "llowed parameters: ") {
        return Some(Fault::Only(all));
    }
    if let Some(all) = listed(line, "one of ") {
        return Some(Fault::OneOf(all));
    }
    if says(&LACKS) {
        return Some(Fault::Lacks);
    }
    says(&HAS_NONE).then_some(Fault::HasNone)
}

/// The quoted words of the list behind these words.
fn listed(line: &str, words: &str) -> Option<String> {
    let (_, rest) = line.split_once(words)?;
    let list = rest.trim_start().strip_prefix(['[', '{', '('])?;
    let list = list.split([']', '}', ')']).next()?;
    let quoted: Vec<String> = list
        .split(['\'', '"', '`'])
        .skip(1)
        .step_by(2)
        .filter(|word| !word.is_empty() && word.len() <= 40)
        .map(|word| format!("`{word}`"))
        .collect();
    (!quoted.is_empty() && quoted.len() <= MAX_VALUES).then(|| quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_is_wrong_with_a_parameter() {
        let only = |all: &str| Some(Fault::Only(all.to_owned()));
        let one_of = |all: &str| Some(Fault::OneOf(all.to_owned()));
        for (line, expected) in [
            ("Missing required parameters for function 'execute_bash': {'security_risk'}", Some(Fault::Lacks)),
            ("Parameter `old_str` is required for command: str_replace.", Some(Fault::Lacks)),
            ("params must have required property 'file_path'", Some(Fault::Lacks)),
            ("C:\\a.py already exists, but `old_text` was omitted.", Some(Fault::Lacks)),
            ("An unexpected parameter `path` was provided", Some(Fault::HasNone)),
            ("rules.0.key Extra inputs are not permitted", Some(Fault::HasNone)),
            (
                "Parameter 'x' is not allowed for function 'a'. Allowed parameters: {'command', 'timeout'}",
                only("`command`, `timeout`"),
            ),
            ("Parameter 'command' is expected to be one of ['view', 'create'].", one_of("`view`, `create`")),
            ("InputValidationError: failed", None),
            ("one of the tests failed", None),
            ("", None),
        ] {
            assert_eq!(fault(line), expected, "{line}");
        }
    }
}

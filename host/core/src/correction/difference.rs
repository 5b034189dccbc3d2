//! How two calls differ, if they are similar at all.

use std::borrow::Cow;

use super::action::{Action, Step};
use super::kind::Difference;
use crate::permission::split_off;

/// What differs, and the two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) difference: Difference,
    pub(super) before: String,
    pub(super) after: String,
}

/// Programs that do the same work. The first name of a row stands for all of it.
const SAME_WORK: [&[&str]; 12] = [
    &["python", "python3", "py", "python2"],
    &["pip", "pip3", "uv", "pipx", "poetry", "conda"],
    &["npm", "pnpm", "yarn", "bun", "deno"],
    &["grep", "rg", "egrep", "ag", "ack", "ugrep"],
    &["find", "fd", "fdfind"],
    &["docker", "podman", "docker-compose"],
    &["sed", "gsed", "perl"],
    &["ls", "tree", "eza"],
    &["make", "gmake", "just", "task", "mise"],
    &["mvn", "mvnw"],
    &["gradle", "gradlew"],
    &["curl", "wget"],
];
/// Programs whose first argument is a subcommand.
const WITH_SUBCOMMANDS: [&str; 40] = [
    "git",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "cargo",
    "go",
    "docker",
    "podman",
    "kubectl",
    "gh",
    "glab",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "pdm",
    "hatch",
    "mise",
    "make",
    "just",
    "task",
    "dotnet",
    "terraform",
    "aws",
    "gcloud",
    "az",
    "brew",
    "apt",
    "apt-get",
    "helm",
    "mvn",
    "gradle",
    "rake",
    "rails",
    "composer",
    "mix",
    "flutter",
    "turbo",
];
/// The least share of arguments that two calls have in common.
const LEAST_COMMON: f64 = 0.5;

/// How the second call differs from the first; `None` if they are not similar.
pub(super) fn compare(input: &str, failed: &Action<'_>, next: &str, worked: &Action<'_>) -> Option<Change> {
    if std::mem::discriminant(failed) != std::mem::discriminant(worked) {
        return None;
    }
    let change = |difference, before: &str, after: &str| {
        Some(Change { difference, before: before.to_owned(), after: after.to_owned() })
    };
    let ((input, asked_before), (next, asked)) = (split_off(input.trim()), split_off(next.trim()));
    let permission = asked.filter(|_| asked_before.is_none());
    if input == next {
        return match permission {
            Some(permission) => change(Difference::Input, "", permission),
            None if input.is_empty() => None,
            None => change(Difference::Later, "", ""),
        };
    }
    let is_spacing = || input.split_whitespace().flat_map(str::chars).eq(next.split_whitespace().flat_map(str::chars));
    let similar = match (failed, worked) {
        (Action::Edit(path), Action::Edit(other)) => {
            let difference = if is_spacing() { Difference::Whitespace } else { Difference::Input };
            if path == other { change(difference, "", "") } else { moved(path, other) }
        }
        (Action::Read(path), Action::Read(other)) => {
            if path == other {
                change(Difference::Options, "", "")
            } else {
                moved(path, other)
            }
        }
        (Action::Run(_), Action::Run(_)) if is_spacing() => change(Difference::Whitespace, "", ""),
        (Action::Run(failed), Action::Run(worked)) => {
            failed.iter().rev().find_map(|step| worked.iter().find_map(|other| step_change(step, other)))
        }
        _ => None,
    };
    // Beside a permission that was missing before, no other difference is known to have helped.
    match permission {
        Some(permission) => similar.and_then(|_| change(Difference::Input, "", permission)),
        None => similar,
    }
}

/// The same file in another place.
fn moved(path: &str, other: &str) -> Option<Change> {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let is_same = name(path) == name(other) && path != other;
    is_same.then(|| Change { difference: Difference::Path, before: path.to_owned(), after: other.to_owned() })
}

fn step_change(failed: &Step, worked: &Step) -> Option<Change> {
    let change = |difference, before: String, after: String| Some(Change { difference, before, after });
    if family(&failed.program) != family(&worked.program) {
        return None;
    }
    let has_same_start = failed.wrapper == worked.wrapper && failed.program == worked.program;
    let is_close = common(&failed.arguments, &worked.arguments) >= LEAST_COMMON;
    if !has_same_start {
        return if is_close { change(Difference::Program, failed.start(), worked.start()) } else { None };
    }
    if is_close && failed.folder != worked.folder {
        return change(Difference::Directory, failed.folder.clone(), worked.folder.clone());
    }
    if let Some((before, after)) = subcommands(failed, worked) {
        let rest = |step: &Step, name: &str| -> Vec<String> {
            step.arguments.iter().filter(|word| *word != name && *word != "run").cloned().collect()
        };
        let is_close = common(&rest(failed, before), &rest(worked, after)) >= LEAST_COMMON;
        let text = |words: &str| format!("{} {words}", failed.program);
        return if is_close && is_alike(before, after) {
            change(Difference::Subcommand, text(before), text(after))
        } else {
            None
        };
    }
    if !is_close {
        let (before, after) = other_server(failed, worked)?;
        return change(Difference::Input, before.to_owned(), after.to_owned());
    }
    if failed.time_limit != worked.time_limit {
        return change(Difference::TimeLimit, failed.time_limit.clone(), worked.time_limit.clone());
    }
    let (gone, new) = (without(&failed.arguments, &worked.arguments), without(&worked.arguments, &failed.arguments));
    let are_options = |words: &[&str]| words.iter().all(|word| word.starts_with('-'));
    if gone.is_empty() && new.is_empty() {
        return change(Difference::Input, String::new(), String::new());
    }
    if are_options(&gone) && are_options(&new) {
        return change(Difference::Options, gone.join(" "), new.join(" "));
    }
    match (gone.as_slice(), new.as_slice()) {
        ([before], [after]) => {
            moved(before, after).or_else(|| change(Difference::Input, (*before).to_owned(), (*after).to_owned()))
        }
        _ => change(Difference::Input, gone.join(" "), new.join(" ")),
    }
}

/// The addresses in the same option of two calls, if they are of different hosts: `--rpc-url https://a`. Another server may
/// answer what the first one did not, whatever else was asked.
fn other_server<'s>(failed: &'s Step, worked: &'s Step) -> Option<(&'s str, &'s str)> {
    let addresses = |step: &'s Step| {
        let words = step.arguments.iter().map(String::as_str);
        let with_value = words.clone().zip(words.clone().skip(1));
        let joined = words.filter_map(|word| word.split_once('='));
        with_value.chain(joined).filter_map(|(option, value)| {
            let host = value.split_once("://")?.1.split(['/', '?']).next()?;
            (option.starts_with('-') && value.starts_with("http")).then_some((option, host, value))
        })
    };
    addresses(failed).find_map(|(option, host, before)| {
        let other = addresses(worked).find(|(other, other_host, _)| *other == option && *other_host != host);
        other.map(|(_, _, after)| (before, after))
    })
}

/// The name that stands for all programs that do the same work.
fn family(program: &str) -> Cow<'_, str> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let row = |name: &str| SAME_WORK.iter().find(|row| row.contains(&name)).and_then(|row| row.first().copied());
    row(name).or_else(|| row(versionless)).map_or(Cow::Borrowed(name), Cow::Borrowed)
}

/// The two subcommands, if the program has some and they differ. For `npm run x` it is `run x`.
fn subcommands<'s>(failed: &'s Step, worked: &'s Step) -> Option<(&'s str, &'s str)> {
    if !WITH_SUBCOMMANDS.contains(&failed.program.as_str()) {
        return None;
    }
    let of = |step: &'s Step| step.arguments.iter().map(String::as_str).find(|word| !word.starts_with('-'));
    let script = |step: &'s Step| {
        let mut words = step.arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
        words.next().filter(|word| *word == "run").and_then(|_| words.next())
    };
    let pair = match (script(failed), script(worked)) {
        (Some(before), Some(after)) => (before, after),
        _ => (of(failed)?, of(worked)?),
    };
    (pair.0 != pair.1).then_some(pair)
}

/// Whether two names are spelled alike: one contains the other, or at most half of the longer one differs.
fn is_alike(a: &str, b: &str) -> bool {
    let bound = a.len().max(b.len());
    bound <= 64 && (a.contains(b) || b.contains(a) || distance(a.as_bytes(), b.as_bytes()) * 2 <= bound)
}

/// The Levenshtein distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (cell, right) in row.iter_mut().skip(1).zip(b) {
            let value = (diagonal + usize::from(left != right)).min(*cell + 1).min(before + 1);
            diagonal = *cell;
            *cell = value;
            before = value;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The share of arguments that two calls have in common (the Sørensen–Dice coefficient). Paths count by their last name,
/// so that a call from another directory is similar. 1 if neither has any.
fn common(a: &[String], b: &[String]) -> f64 {
    let name = |word: &String| word.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let (a, mut b): (Vec<String>, Vec<String>) = (a.iter().map(name).collect(), b.iter().map(name).collect());
    let total = a.len() + b.len();
    if total == 0 {
        return 1.0;
    }
    let mut both = 0_u32;
    for word in &a {
        if let Some(at) = b.iter().position(|other| other == word) {
            b.swap_remove(at);
            both += 1;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a command has few arguments")]
    let total = total as f64;
    f64::from(both) * 2.0 / total
}

/// The words of `a` that are not in `b`.
fn without<'w>(a: &'w [String], b: &[String]) -> Vec<&'w str> {
    a.iter().filter(|word| !b.contains(word)).map(String::as_str).collect()
}

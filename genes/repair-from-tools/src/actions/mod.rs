//! Workflows of GitHub Actions that use what the runner no longer accepts.

mod table;

use std::rc::Rc;

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::clipped;

/// What the runner says. Sources: the annotations of the hosted runner and of the actions themselves.
const COMPLAINTS: [&str; 3] =
    ["it uses a deprecated version of `", "actions are deprecated", "actions are running on Node.js"];
const COMMANDS: [&str; 2] = ["set-output", "save-state"];

/// The repairs for the messages in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    for line in failure.output.lines() {
        if COMPLAINTS.iter().any(|part| line.contains(part)) {
            for (action, version) in named(line) {
                fixes.extend(updated(action, version, line, shelf));
            }
        }
        for command in COMMANDS {
            if line.contains(&format!("`{command}` command is deprecated")) {
                fixes.extend(commands(command, line, shelf));
            }
        }
    }
    fixes.truncate(16);
    fixes
}

/// The actions that a line names, with their major version: `actions/cache: v2` or `actions/checkout@v3`.
fn named(line: &str) -> Vec<(&str, u32)> {
    let words: Vec<&str> = line.split([' ', ',', '`', '"']).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (action, version) = match word.split_once('@') {
            Some(parts) => parts,
            None => match (word.strip_suffix(':'), words.get(at + 1)) {
                (Some(action), Some(version)) => (action, *version),
                _ => continue,
            },
        };
        let major =
            version.trim_end_matches('.').strip_prefix('v').and_then(|version| version.split('.').next()?.parse().ok());
        found.extend(major.filter(|_| action.contains('/')).map(|major| (action, major)));
    }
    found
}

fn workflows(shelf: &mut Shelf<'_>) -> Vec<Rc<Source>> {
    let globs = [".github/workflows/*.yml", ".github/workflows/*.yaml", ".github/actions/**/action.yml", "action.yml"];
    let paths: Vec<String> = globs.iter().flat_map(|glob| shelf.matching(glob)).collect();
    paths.into_iter().take(100).filter_map(|path| shelf.read(&path)).collect()
}

/// Uses the newer version of an action, in every workflow that has the one that the runner names.
fn updated(action: &str, version: u32, line: &str, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let Some(entry) = table::TABLE.iter().find(|entry| entry.action == action && version <= entry.until) else {
        return Vec::new();
    };
    let all = workflows(shelf);
    let uploads: usize = all.iter().map(|source| source.text.matches("actions/upload-artifact@").count()).sum();
    let patterned = all.iter().any(|source| source.text.contains("matrix:"));
    if entry.action.ends_with("-artifact") && !entry.action.contains("pages") && (uploads > 1 || patterned) {
        shelf.note(
            "since version 4 an artifact's name may be uploaded once only; the workflow may upload it more often",
        );
        return Vec::new();
    }
    let mut fixes = Vec::new();
    for source in all {
        for number in 1..=source.count() {
            let Some(edit) = reference(&source, number, action, version, entry.now) else { continue };
            let what = format!("use {action}@v{}", entry.now);
            let why = format!("the runner no longer accepts the version ({})", entry.source);
            fixes.push(Fix::new(&source, number, vec![edit], what).because(why, clipped(line.trim(), 300)));
        }
    }
    fixes
}

/// The edit of a line such as `- uses: actions/checkout@v2`; a commit's hash is left alone.
fn reference(source: &Source, number: usize, action: &str, version: u32, now: u32) -> Option<Edit> {
    let line = source.line(number)?;
    let body = line.trim_start().trim_start_matches("- ").strip_prefix("uses:")?.trim();
    let body = body.split(" #").next()?.trim().trim_matches(['"', '\'']);
    let stated = body.strip_prefix(action)?.strip_prefix("@v")?;
    let major: u32 = stated.split('.').next()?.parse().ok()?;
    if major != version || !stated.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let at = source.range(number)?.start + line.find(body)? + action.len() + 2;
    Some(Edit::replace(at..at + stated.len(), now.to_string()))
}

/// Writes an output to its file instead of the log: `echo "::set-output name=x::y"` becomes `echo "x=y" >> "$GITHUB_OUTPUT"`.
fn commands(command: &str, line: &str, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let file = if command == "set-output" { "GITHUB_OUTPUT" } else { "GITHUB_STATE" };
    let mut fixes = Vec::new();
    for source in workflows(shelf) {
        for number in 1..=source.count() {
            let Some(edit) = rewritten(&source, number, command, file) else { continue };
            let what = format!("write to ${file} instead of ::{command}");
            let why = "the runner deprecates the command (github.blog/changelog/2022-10-11-github-actions-deprecating-save-state-and-set-output-commands)";
            fixes.push(Fix::new(&source, number, vec![edit], what).because(why, clipped(line.trim(), 300)));
        }
    }
    fixes
}

fn rewritten(source: &Source, number: usize, command: &str, file: &str) -> Option<Edit> {
    let line = source.line(number)?;
    let range = source.range(number)?;
    let start = line.find("echo ")?;
    let before = line.get(..start)?.trim();
    let text = line.get(start + 5..)?.trim_end();
    let is_command = before.is_empty() || before == "- run:" || before == "run:";
    let quote = text.chars().next().filter(|c| "\"'".contains(*c));
    let inner = match quote {
        Some(quote) => text.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.contains(quote))?,
        None => text,
    };
    let rest = inner.strip_prefix("::")?.strip_prefix(command)?.strip_prefix(" name=")?;
    let (name, value) = rest.split_once("::")?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
        && !value.contains(['\n', '|', '>', '<', ';', '&']);
    if !is_command || !plain || value.contains("::") || (quote.is_none() && value.contains(' ')) {
        return None;
    }
    let quote = quote.map_or(String::new(), String::from);
    // A quote inside of a quoted scalar of YAML would end it; a plain scalar after `run:` may hold one.
    let new = format!("echo {quote}{name}={value}{quote} >> \"${file}\"");
    Some(Edit::replace(range.start + start..range.start + line.trim_end().len(), new))
}

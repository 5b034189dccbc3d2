//! What the agent removed itself and then missed: its working folder, the folder above, or the project by another spelling.
//!
//! A removal is known for the next calls of its session. What is missing is laid to it only if it lies in what was removed, and
//! if nothing made that again. Memory is bounded: [`MAX_SESSIONS`] sessions, of which the newest removals are known.

use crate::call::Call;
use crate::command::paths::{changes_to, is_absolute};
use crate::output::named::missing_path;

const MAX_SESSIONS: usize = 64;
/// Most removals of a session that are known.
const MAX_REMOVED: usize = 8;
/// The calls behind a removal that may miss what is gone.
const NEAR: u32 = 12;
/// Longest path and longest part of a command that are read.
const MAX_PATH: usize = 300;
const MAX_INPUT: usize = 4096;

#[derive(Debug)]
struct Removed {
    session: u32,
    calls: u32,
    path: String,
}

/// The newest removals.
#[derive(Debug, Default)]
pub(crate) struct Removals(Vec<Removed>);

impl Removals {
    /// Adds a call that runs a command, before its own failure is looked at: one call may remove a folder and miss it.
    pub(crate) fn see(&mut self, call: &Call<'_>) {
        if self.0.is_empty() && !may_remove(call.input) {
            return;
        }
        let input = call.input.get(..call.input.floor_char_boundary(MAX_INPUT)).unwrap_or_default();
        self.0.retain_mut(|removed| {
            removed.calls += u32::from(removed.session == call.session);
            let is_back = !call.failed && makes(input) && input.contains(removed.path.as_str());
            removed.calls <= NEAR && !(removed.session == call.session && is_back)
        });
        for path in removed(input) {
            if self.0.iter().filter(|known| known.session == call.session).count() >= MAX_REMOVED {
                continue;
            }
            if self.0.len() >= MAX_SESSIONS * MAX_REMOVED {
                self.0.remove(0);
            }
            self.0.push(Removed { session: call.session, calls: 0, path: path.to_owned() });
        }
    }

    /// The path whose removal is the cause of a failure.
    pub(crate) fn missed(&self, call: &Call<'_>) -> Option<&str> {
        let mut own = self.0.iter().rev().filter(|removed| removed.session == call.session).peekable();
        own.peek()?;
        let missed = call.output.lines().take(40).find_map(missed)?;
        // A program of the call, such as `make`, may change to a folder that it has yet to make.
        if let Missed::Folder(path) = missed
            && call.output.contains("can't cd to ")
            && !changes_to(call.input, Some(path))
        {
            return None;
        }
        own.find(|removed| missed.is_in(&removed.path)).map(|removed| removed.path.as_str())
    }
}

/// What a line says that is gone.
#[derive(Debug, PartialEq, Eq)]
enum Missed<'l> {
    /// The folder in which the shell is; empty if it is not named.
    WorkingFolder(&'l str),
    /// A folder to which the shell was to change.
    Folder(&'l str),
    /// Any other path.
    Path(&'l str),
}

impl Missed<'_> {
    fn is_in(&self, removed: &str) -> bool {
        match self {
            // `rm -rf ..` and an absolute path may be the folder of the shell; a folder below it is not.
            Self::WorkingFolder("") => is_absolute(removed) || removed.starts_with('.'),
            Self::WorkingFolder(path) | Self::Folder(path) => lies_in(path, removed, true),
            // A removal may be looked at on purpose. What differs in case only was to be another folder.
            Self::Path(path) => is_absolute(removed) && lies_in(path, removed, true) && !lies_in(path, removed, false),
        }
    }
}

fn missed(line: &str) -> Option<Missed<'_>> {
    if line.len() > 2 * MAX_PATH {
        return None;
    }
    if let Some((_, rest)) = line.split_once("orking directory \"")
        && let Some((path, said)) = rest.split_once('"')
    {
        return said.contains("was deleted").then_some(Missed::WorkingFolder(path));
    }
    if line.contains("getcwd") && line.contains("cannot access parent directories") {
        return Some(Missed::WorkingFolder(""));
    }
    let of_zsh = |words: &str| Some(line.split_once(words)?.1.trim());
    if line.contains("cd:") || line.contains("can't cd to") || line.contains("Set-Location") {
        let path = of_zsh("no such file or directory: ").or_else(|| missing_path(line));
        return path.map(Missed::Folder);
    }
    of_zsh("no matches found: ").or_else(|| missing_path(line)).map(Missed::Path)
}

/// Whether a path is another one or lies in it.
fn lies_in(path: &str, folder: &str, whatever_case: bool) -> bool {
    let plain = |text: &str| {
        let text = text.trim_matches(['"', '\'', '`']).trim_end_matches(['/', '\\']).replace('\\', "/");
        if whatever_case { text.to_lowercase() } else { text }
    };
    let (path, folder) = (plain(path), plain(folder.strip_prefix("./").unwrap_or(folder)));
    !folder.is_empty() && path.strip_prefix(&folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn may_remove(input: &str) -> bool {
    ["rm ", "rmdir", "Remove-Item", "rd /s"].iter().any(|words| input.contains(words))
}

fn makes(input: &str) -> bool {
    ["mkdir", "git clone", "git worktree", "git checkout", "New-Item", "cp ", "mv "]
        .iter()
        .any(|words| input.contains(words))
}

/// The folders that a command removes with all that is in them.
fn removed(input: &str) -> impl Iterator<Item = &str> {
    // What a here-document holds is no command.
    let commands = input.split("<<").next().unwrap_or_default();
    let steps = commands.split(['\n', ';']).flat_map(|part| part.split("&&")).flat_map(|part| part.split('|'));
    steps.flat_map(removed_by)
}

fn removed_by(step: &str) -> Vec<&str> {
    let words: Vec<&str> = step.split_whitespace().collect();
    let words = words.strip_prefix(&["sudo"]).unwrap_or(&words);
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let is_short = |word: &&str| word.starts_with('-') && !word.starts_with("--");
    let recurses = match *program {
        "rm" => arguments.iter().any(|word| *word == "--recursive" || is_short(word) && word.contains(['r', 'R'])),
        "Remove-Item" => arguments.iter().any(|word| word.to_lowercase().starts_with("-rec") || *word == "-r"),
        "rmdir" | "rd" => arguments.iter().any(|word| word.eq_ignore_ascii_case("/s")),
        _ => false,
    };
    let operand = |word: &&str| {
        let is_option = word.starts_with('-') || word.contains(['>', '$', '*']) || word.eq_ignore_ascii_case("/s");
        !is_option && !word.eq_ignore_ascii_case("/q") && (2..=MAX_PATH).contains(&word.len())
    };
    let paths = arguments.iter().copied().filter(operand).map(|word| word.trim_matches(['"', '\'']));
    if recurses { paths.filter(|path| !path.is_empty()).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path that is found to be missed by the second call behind the first one.
    fn found(removal: &str, between: &str, output: &str) -> Option<String> {
        let mut removals = Removals::default();
        removals.see(&Call { input: removal, failed: false, output: "", ..Call::FAILED });
        removals.see(&Call { input: between, failed: false, output: "", ..Call::FAILED });
        let failed = Call { input: "next", output, ..Call::FAILED };
        removals.see(&failed);
        removals.missed(&failed).map(str::to_owned)
    }

    const GONE: &str =
        "Working directory \"/w/Desk/a\" was deleted; shell cwd recovered to \"/w\". Re-issue your command";

    #[test]
    fn what_was_removed_is_the_cause_of_what_is_missing() {
        for (removal, output, path) in [
            ("rm -rf /w/Desk/a", GONE, "/w/Desk/a"),
            ("rm -rf /w/Desk", GONE, "/w/Desk"),
            ("rm x && rm -rf /w/deSK 2>/dev/null; ls", GONE, "/w/deSK"),
            ("sudo rm -fr \"/w/Desk/\"", GONE, "/w/Desk/"),
            ("Remove-Item -Recurse -Force /w/Desk", GONE, "/w/Desk"),
            ("rm --recursive /w/Desk", GONE, "/w/Desk"),
            ("rm -rf /w/deSK", "(eval):1: no matches found: /w/Desk/a/*.md", "/w/deSK"),
            ("rm -rf /w/a", "(eval):cd:1: no such file or directory: /w/a/b", "/w/a"),
            ("rm -rf /w/a", "bash: line 1: cd: /w/a: No such file or directory", "/w/a"),
            ("rm -rf build", "bash: line 1: cd: build: No such file or directory", "build"),
            (
                "rm -rf ..",
                "shell-init: error retrieving current directory: getcwd: cannot access parent directories: No such file or directory",
                "..",
            ),
        ] {
            assert_eq!(found(removal, "ls", output).as_deref(), Some(path), "{removal}: {output}");
        }
    }

    #[test]
    fn what_is_missing_for_another_reason_is_not_laid_to_a_removal() {
        for (removal, between, output) in [
            ("rm -rf /w/other", "ls", GONE),
            ("rm -f /w/Desk", "ls", GONE),
            ("rm -rf /w/Des", "ls", GONE),
            ("rm -rf /w/Desk/a", "mkdir -p /w/Desk/a", GONE),
            ("rm -rf /w/Desk", "git clone u /w/Desk", GONE),
            ("rm -rf /w/a", "ls", "ls: cannot access '/w/a': No such file or directory"),
            ("rm -rf /w/a", "ls", "(eval):1: no matches found: /w/a/*"),
            ("rm -rf build", "ls", "getcwd: cannot access parent directories: No such file or directory"),
            ("rm -rf \"$DIR\"", "ls", GONE),
            ("echo 'rm -rf /w/Desk'", "ls", GONE),
            ("cat > x <<'E'\nrm -rf /w/Desk\nE", "ls", GONE),
            ("rm -rf /w/a", "ls", "bash: line 1: cd: /w/ab: No such file or directory"),
            ("rm -rf /w/a", "ls", "error: no such command"),
        ] {
            assert_eq!(found(removal, between, output), None, "{removal}: {output}");
        }
    }

    #[test]
    fn a_removal_is_of_its_session_and_soon_forgotten() {
        let mut removals = Removals::default();
        removals.see(&Call { input: "rm -rf /w/Desk", failed: false, ..Call::FAILED });
        let other = Call { session: 7, output: GONE, ..Call::FAILED };
        assert_eq!(removals.missed(&other), None);
        (0..=NEAR).for_each(|_| removals.see(&Call { input: "ls", failed: false, ..Call::FAILED }));
        assert_eq!(removals.missed(&Call { output: GONE, ..Call::FAILED }), None);
        (0..10_000).for_each(|session| removals.see(&Call { session, input: "rm -rf a b c", ..Call::FAILED }));
        assert!(removals.0.len() <= MAX_SESSIONS * MAX_REMOVED);
    }
}

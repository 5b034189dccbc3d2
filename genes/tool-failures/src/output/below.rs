//! What a tool suggests on the line below the sentence that announces it: a command, or what was meant.

use crate::output::known::SEARCHED_LINES;
use crate::output::vocabulary::Words;

/// Longest sentence above a command, and longest command.
const MAX_SAID: usize = 160;
/// How tools ask whether what stands on the next line was meant.
pub(crate) const ASKS_BELOW: [&str; 4] =
    ["Did you mean this", "Did you mean one of", "Did you mean:", "The most similar command"];
/// Verbs of a sentence that says what to do with the command below it.
static DOES: Words = Words::of(&[
    "run", "Run", "use", "Use", "with", "call", "try", "Try", "execute", "install", "do so", "enter", "type",
]);
/// Such sentences about something other than the error: a newer version, what an audit found, a next step.
static OTHERWISE: Words = Words::of(&[
    "pdate",
    "pgrade",
    "otice",
    "address ",
    "ulnerab",
    "fund",
    "elemetry",
    "started",
    "ext step",
    "earn more",
    "ocument",
    "details",
    "undo",
    "discard",
    "unstage",
    "suppress",
    "silence",
    "disable",
    "search",
]);
/// Programs by which tools say what to do.
const COMMANDS: [&str; 60] = [
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "corepack",
    "node",
    "nvm",
    "pip",
    "pip3",
    "pipx",
    "python",
    "python3",
    "uv",
    "poetry",
    "conda",
    "git",
    "gh",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "apk",
    "snap",
    "sudo",
    "cargo",
    "rustup",
    "go",
    "dotnet",
    "docker",
    "kubectl",
    "helm",
    "terraform",
    "gcloud",
    "aws",
    "az",
    "make",
    "cmake",
    "composer",
    "php",
    "bundle",
    "gem",
    "bin/rails",
    "rails",
    "mix",
    "flutter",
    "dart",
    "pod",
    "xcodebuild",
    "chmod",
    "export",
    "playwright",
    "prisma",
    "heroku",
    "fly",
    "railway",
    "vercel",
    "supabase",
    "mise",
    "direnv",
];

/// The command on the line below a sentence that says what to do with it (`… you can do so with:`), or what was meant, with the
/// question above it.
pub(crate) fn below(output: &str) -> Option<&str> {
    let mut before: &str = "";
    for line in output.lines().take(SEARCHED_LINES).map(unprefixed).filter(|line| !line.is_empty()) {
        let (said, command) = (std::mem::replace(&mut before, line), line.strip_prefix("$ ").unwrap_or(line));
        if said.len() > MAX_SAID || command.len() > MAX_SAID || is_source(said) {
            continue;
        }
        if ASKS_BELOW.iter().any(|words| said.starts_with(words)) && said.ends_with([':', '?', 's']) {
            let end = command.find(" # ").map_or(command, |end| command.get(..end).unwrap_or(command));
            // A single word says too little.
            return if end.contains(' ') {
                Some(end)
            } else {
                output.get(output.find(said)?..).and_then(|rest| rest.get(..rest.find(end)? + end.len()))
            };
        }
        let is_asked = said.ends_with(':') || said.ends_with(", use") || said.ends_with(", run") || said == "Run";
        // Git names the options of the user for all repositories, which an agent should not change.
        if is_asked
            && is_command(command)
            && DOES.are_in(said)
            && !OTHERWISE.are_in(said)
            && !command.contains(" --global")
            && !command.contains("help")
        {
            return Some(command);
        }
    }
    None
}

/// Whether a text is a command, and no sentence.
pub(crate) fn is_command(text: &str) -> bool {
    let mut words = text.split(' ');
    words.next().is_some_and(|word| COMMANDS.contains(&word)) && words.next().is_some()
}

/// A line without what npm puts in front of each of its lines.
fn unprefixed(line: &str) -> &str {
    let line = line.trim();
    ["npm error", "npm ERR!"].iter().find_map(|start| line.strip_prefix(start)).unwrap_or(line).trim_start()
}

/// Whether a line is code that prints a message, and no message: `echo "usage: make play"; exit 1; }`.
pub(crate) fn is_source(line: &str) -> bool {
    static SOURCE: Words = Words::of(&[
        "echo \"",
        "echo '",
        "printf \"",
        "printf '",
        "print(",
        "println!(",
        "println(",
        "printf(",
        "console.",
        "log.",
        "raise ",
        "throw new ",
        "panic!(",
        "bail!(",
        "exit 1; }",
        "process.exit(",
    ]);
    SOURCE.are_in(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_below_a_sentence_is_a_suggestion() {
        for (output, expected) in [
            (
                "There is no tracking information for the current branch.\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=origin/<branch> main\n",
                Some("git branch --set-upstream-to=origin/<branch> main"),
            ),
            (
                "fatal: The current branch a has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream origin a\n",
                Some("git push --set-upstream origin a"),
            ),
            ("main.go:4:2: no required module provides package x/y; to add it, run:\n\tgo get x/y", Some("go get x/y")),
            (
                "Command 'tree' not found, but can be installed with:\n\nsudo apt install tree",
                Some("sudo apt install tree"),
            ),
            (
                "npm error Missing script: \"buld\"\nnpm error\nnpm error Did you mean this?\nnpm error   npm run build # run the \"build\" package script",
                Some("npm run build"),
            ),
            (
                "git: 'stauts' is not a git command.\n\nThe most similar command is\n\tstatus\n",
                Some("The most similar command is\n\tstatus"),
            ),
            ("up to date\n\nTo address all issues, run:\n  npm audit fix\nerror: a", None),
            ("New version! To update, run:\n  npm install -g npm\nerror: a", None),
            ("call stack with:\n  at foo\nerror: a", None),
            ("To add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /w", None),
            ("Changes not staged, to discard run:\n  git restore a\nerror: b", None),
        ] {
            assert_eq!(below(output), expected, "{output}");
        }
    }
}

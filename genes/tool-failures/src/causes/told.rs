//! What the agent was told, as far as the log shows it: the user's messages, and the files with instructions that a call read. An
//! advice to take a name out of the instructions is true only if it stands there.
//!
//! Memory is bounded: the first [`MAX_TEXT`] bytes of all texts are kept, and [`READ_BYTES`] bytes of each.

use crate::call::Call;
use crate::output::vocabulary::Words;
use crate::text::around;

const MAX_TEXT: usize = 1 << 19;
const READ_BYTES: usize = 32_768;
/// Only this many bytes of an input are read: those that name what a call works on.
const INPUT_BYTES: usize = 512;
/// Names of files with instructions for agents.
static INSTRUCTIONS: Words = Words::of(&[
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENT.md",
    "GEMINI.md",
    "QWEN.md",
    "SKILL.md",
    "CONVENTIONS.md",
    ".cursorrules",
    ".clinerules",
    ".windsurfrules",
    ".goosehints",
    "copilot-instructions",
    ".instructions.md",
    ".prompt.md",
    ".agent.md",
    ".claude/",
    ".cursor/rules",
    ".github/agents",
    ".github/prompts",
    ".opencode/",
    ".codex/prompts",
]);

/// How programs say that something is not there.
static MISSES: Words = Words::of(&["o such file", "ot found", "not exist", "annot find"]);

/// The text of all instructions that the log shows.
#[derive(Debug, Default)]
pub(crate) struct Told(String);

impl Told {
    /// Adds a message of the user.
    pub(crate) fn add(&mut self, text: &str) {
        let room = MAX_TEXT.saturating_sub(self.0.len()).min(READ_BYTES);
        if room > 0 {
            self.0.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
            self.0.push('\n');
        }
    }

    /// Adds a call that worked: it may have read a file with instructions.
    pub(crate) fn see(&mut self, call: &Call<'_>) {
        let input = call.input.get(..call.input.floor_char_boundary(INPUT_BYTES)).unwrap_or_default();
        // Most calls name no such file, which is quickly seen.
        if (input.contains(".md") || input.contains("rules")) && INSTRUCTIONS.are_in(input) {
            // What a part of the command did not find is no instruction.
            call.output.lines().filter(|line| !MISSES.are_in(line)).for_each(|line| self.add(line));
        }
    }

    /// Whether the log shows no instructions at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// Whether the instructions have this word: the name of a tool or a skill.
    pub(crate) fn names(&self, word: &str) -> bool {
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        !word.is_empty()
            && around(&self.0, word)
                .any(|(before, after)| !before.ends_with(is_of_word) && !after.starts_with(is_of_word))
    }

    /// Whether the instructions name this path, or another one with the same folder and name at its end.
    pub(crate) fn names_path(&self, path: &str) -> bool {
        end_of_path(path.trim_end_matches('/')).is_some_and(|end| self.names(end))
    }
}

/// The last two names of a path.
fn end_of_path(path: &str) -> Option<&str> {
    let (above, _) = path.rsplit_once('/')?;
    Some(above.rsplit_once('/').map_or(path, |(front, _)| path.get(front.len() + 1..).unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_instructions_name_is_known() {
        let mut told = Told::default();
        assert!(told.is_empty());
        told.add(
            "Activate `figma-to-code`, then /review the code with @planner. Use mcp__x__search. See docs/plan.md.",
        );
        let read = |told: &mut Told, input, output| told.see(&Call { failed: false, input, output, ..Call::FAILED });
        read(&mut told, r#"{"file_path":"/w/AGENTS.md"}"#, "1\tRun the tool Grep first");
        read(&mut told, "cat .claude/agents/a.md", "name: release-notes");
        read(&mut told, "cat README.md", "Call Zed");
        read(&mut told, "cat a/b.md; cat AGENTS.md", "cat: a/b.md: No such file or directory\nUse the tool Lint");
        for (name, is_named) in [
            ("figma-to-code", true),
            ("review", true),
            ("planner", true),
            ("mcp__x__search", true),
            ("docs/plan.md", true),
            ("Grep", true),
            ("release-notes", true),
            ("Zed", false),
            ("Lint", true),
            ("a/b.md", false),
            ("figma", false),
            ("plan", true),
            ("statusline-setup", false),
            ("", false),
        ] {
            assert_eq!(told.names(name), is_named, "{name}");
        }
        for (path, is_named) in
            [("/w/docs/plan.md", true), ("docs/plan.md", true), ("a/plan.md", false), ("plan.md", false), ("", false)]
        {
            assert_eq!(told.names_path(path), is_named, "{path}");
        }
        assert!(!told.is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        let mut told = Told::default();
        (0..1000).for_each(|_| told.add(&"é".repeat(READ_BYTES)));
        assert!(told.0.len() <= MAX_TEXT + 1, "{}", told.0.len());
    }
}

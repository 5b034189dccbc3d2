//! What stands behind `||`: whether the text that a line prints there says that something is simply not there, or only goes on.

use super::{Role, Step};

/// Words of a text that says what the failure means, so that it was expected: `… || echo "not running"`.
const OF_AN_ANSWER: [&str; 23] = [
    "absent",
    "already",
    "clean",
    "closed",
    "doesn't",
    "done",
    "down",
    "empty",
    "exists",
    "gone",
    "ignore",
    "ignored",
    "isn't",
    "missing",
    "no",
    "none",
    "not",
    "nothing",
    "ok",
    "optional",
    "skip",
    "unavailable",
    "unreachable",
];

impl Step {
    /// Whether the text that this step printed, because `checked` failed, leaves that a failure: `npm run a || echo checking`.
    pub(super) fn is_no_answer_to(&self, checked: &Step) -> bool {
        let is_word = |word: &str| OF_AN_ANSWER.binary_search(&word).is_ok();
        let text = self.words.join(" ").to_lowercase();
        let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
        checked.role == Role::Other
            && !checked.asks_what_is_installed()
            && !words.any(|word| is_word(word) || word.starts_with("skip"))
    }
}

impl Step {
    /// Whether the text that this step printed says that the program in front is missing, as the shell does in `output`:
    /// `mypy a || echo "not installed"`.
    pub(super) fn says_what_is_missing(&self, output: &str) -> bool {
        const MISSING: [&str; 4] = ["not installed", "not available", "not found", "missing"];
        let text = self.words.join(" ").to_lowercase();
        let is_missing = |line: &str| line.ends_with(": command not found") || line.ends_with(": not found");
        MISSING.iter().any(|said| text.contains(said)) && output.lines().any(|line| is_missing(line.trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Call, judge};
    use super::*;
    use crate::run_event::Outcome;

    #[test]
    fn the_words_are_sorted() {
        assert!(OF_AN_ANSWER.is_sorted());
    }

    #[test]
    fn a_text_behind_or_answers_or_does_not() {
        for (command, output, outcome) in [
            ("npm run bad || echo \"failed\"", "Error: no config\n    at a.js:1:7\nfailed", Outcome::Failure),
            (
                "railway run psql -c x 2>&1 || echo \"checking...\"",
                "No such file or directory (os error 2)\nchecking...",
                Outcome::Failure,
            ),
            (
                "psql -c x || echo trying the other one",
                "bash: line 1: psql: command not found\ntrying the other one",
                Outcome::Failure,
            ),
            ("./deploy || echo next", "error: no token\nnext", Outcome::Failure),
            ("terraform apply || echo retry", "│ Error: no provider\nretry", Outcome::Failure),
            (
                "docker stop web || echo \"not running\"",
                "Error response from daemon: No such container: web\nnot running",
                Outcome::Success,
            ),
            ("git stash pop || echo \"nothing to pop\"", "No stash entries found.\nnothing to pop", Outcome::Success),
            ("tmux kill-session -t a || echo none", "can't find session: a\nnone", Outcome::Success),
            ("psql --version || echo checking", "bash: line 1: psql: command not found\nchecking", Outcome::Success),
            ("cat a || echo checking", "cat: a: No such file or directory\nchecking", Outcome::Success),
            ("pgrep a || echo later", "later", Outcome::Success),
            ("./deploy || echo next", "deployed", Outcome::Success),
            (
                "mypy src 2>&1 || echo \"mypy failed or not installed\"",
                "bash: line 1: mypy: command not found\nmypy failed or not installed",
                Outcome::Success,
            ),
            ("mypy src 2>&1 || echo \"failed\"", "bash: line 1: mypy: command not found\nfailed", Outcome::Failure),
            (
                "mypy src 2>&1 || echo \"mypy failed or not installed\"",
                "a.py:1: error: x\nmypy failed or not installed",
                Outcome::Failure,
            ),
        ] {
            let call = Call { tool: "Bash", command: Some(command), output, exit_code: Some(0), ..Call::default() };
            assert_eq!(judge(&call).outcome, outcome, "{command}: {output}");
        }
    }
}

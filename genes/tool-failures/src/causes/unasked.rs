//! Calls that were refused because nobody could be asked for a permission, and what the rest of the log says of them: whether the
//! path is there at all, and whether the same program may run elsewhere.

use crate::call::Call;
use crate::command::paths::names_whole;

/// What the refusal says: Copilot, Gemini without a person, and Codex by its policy.
const SAYS: [&str; 3] = [
    "could not request permission",
    "requires user confirmation, which is not supported",
    "rejected: blocked by policy",
];
const MAX_REFUSED: usize = 256;
/// Lines of an output in which a path is looked for.
const SEARCHED_LINES: usize = 100;

#[derive(Debug)]
struct Refused {
    event: u64,
    session: u32,
    path: String,
    is_missing: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Unasked {
    refused: Vec<Refused>,
}

/// Whether a text says that nobody could be asked.
pub(crate) fn is_unasked(text: &str) -> bool {
    SAYS.iter().any(|words| text.contains(words))
}

impl Unasked {
    /// Adds a call that was refused.
    pub(crate) fn refuse(&mut self, call: &Call<'_>) {
        if self.refused.len() < MAX_REFUSED
            && is_unasked(call.output)
            && let Some(path) = path(call.input)
        {
            let path = path.to_owned();
            self.refused.push(Refused { event: call.event, session: call.session, path, is_missing: false });
        }
    }

    /// Adds any call: its output may say that a path is missing.
    pub(crate) fn see(&mut self, call: &Call<'_>) {
        if !self.refused.iter().any(|refused| refused.session == call.session && !refused.is_missing) {
            return;
        }
        for line in call.output.lines().take(SEARCHED_LINES).filter(|line| says_missing(line)) {
            let own = self.refused.iter_mut().filter(|refused| refused.session == call.session);
            own.filter(|refused| names_whole(line, bare(&refused.path))).for_each(|refused| refused.is_missing = true);
        }
    }

    /// The path of most of these calls, if a later call shows that it does not exist.
    pub(crate) fn missing(&self, events: &[u64]) -> Option<&str> {
        let missing = || self.refused.iter().filter(|refused| refused.is_missing && events.contains(&refused.event));
        let last = missing().next_back()?;
        let same = missing().filter(|refused| bare(&refused.path) == bare(&last.path)).count();
        (same * 2 >= events.len()).then_some(last.path.as_str())
    }

    /// The path of the newest of these calls.
    pub(crate) fn path(&self, events: &[u64]) -> Option<&str> {
        self.refused.iter().rfind(|refused| events.contains(&refused.event)).map(|refused| refused.path.as_str())
    }
}

/// The first absolute path in an input.
fn path(input: &str) -> Option<&str> {
    let is_end = |c: char| c.is_whitespace() || "\"'`;|&()<>,=".contains(c);
    let is_path = |word: &&str| {
        let is_of_windows = word.get(1..3).is_some_and(|start| start == ":\\" || start == ":/");
        word.len() > 3 && (word.starts_with('/') && !word.starts_with("//") || is_of_windows)
    };
    input.split(is_end).find(is_path)
}

fn says_missing(line: &str) -> bool {
    const SAYS: [&str; 5] = ["o such file or directory", "oes not exist", "not found", "FileNotFoundError", "ENOENT"];
    SAYS.iter().any(|words| line.contains(words))
}

fn bare(path: &str) -> &str {
    path.trim_end_matches(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: &str = "Permission denied and could not request permission from user";

    fn after(input: &str, output: &str, failed: bool) -> Unasked {
        let mut unasked = Unasked::default();
        unasked.refuse(&Call { event: 1, input, output: REFUSED, ..Call::FAILED });
        unasked.see(&Call { event: 2, output, failed, ..Call::FAILED });
        unasked
    }

    #[test]
    fn a_later_call_shows_that_a_path_does_not_exist() {
        for (input, output, is_missing) in [
            ("ls -la /h/a/b/", "FileNotFoundError: [Errno 2] No such file or directory: '/h/a/b/'", true),
            ("ls /h/a/b", "ls: cannot access '/h/a/b': No such file or directory", true),
            (r#"{"path": "/h/a/b"}"#, "/h/a/b does not exist", true),
            ("cat C:\\w\\a", "ENOENT: no such file, open 'C:\\w\\a'", true),
            ("ls /h/a/b", "cat: /h/a/b/c: No such file or directory", false),
            ("ls /h/a/b", "cat: /h/a/bc: No such file or directory", false),
            ("ls /h/a/b", "/h/a/b: a folder", false),
            ("ls /h/a/b", "ls: cannot access '/h/a': No such file or directory", false),
            ("ls b", "ls: cannot access 'b': No such file or directory", false),
            ("ls /h/a/b", "", false),
        ] {
            for failed in [true, false] {
                assert_eq!(after(input, output, failed).missing(&[1]).is_some(), is_missing, "{input}: {output}");
            }
        }
    }

    #[test]
    fn the_refused_path_is_known() {
        let unasked = after("python3 /h/a", "fine", false);
        assert_eq!((unasked.path(&[1]), unasked.path(&[2])), (Some("/h/a"), None));
    }

    #[test]
    fn memory_is_bounded() {
        let mut unasked = Unasked::default();
        for event in 0..5000 {
            let input = format!("p{event} /h/{event}");
            unasked.refuse(&Call { event, input: &input, output: REFUSED, ..Call::FAILED });
        }
        assert_eq!(unasked.refused.len(), MAX_REFUSED);
    }
}

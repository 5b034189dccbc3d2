//! Calls that worked after a failure and differ in a word that the error names: quotes around it, a value for the variable, or
//! the named files removed. That says more than any other difference.
//!
//! Memory is bounded: [`MAX_OPEN`] failed calls wait, for [`MAX_CALLS`] calls each, and [`MAX_FOUND`] remedies are kept.

use crate::by_event::ByEvent;
use crate::call::Call;
use crate::shell::steps;

const MAX_OPEN: usize = 32;
const MAX_CALLS: u32 = 8;
const MAX_FOUND: usize = 1024;
/// Most bytes of a command that are kept, and of an output in which names are looked for.
const MAX_BYTES: usize = 2048;
/// Longest word that is shown.
const MAX_WORD: usize = 80;

/// What is known of failed calls.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    open: Vec<Open>,
    /// What to do, by the number of the failed call.
    found: ByEvent<String>,
}

#[derive(Debug)]
struct Open {
    session: u32,
    event: u64,
    calls: u32,
    input: String,
    output: String,
    line: String,
}

impl Touched {
    /// Adds a failed command, and the line that explains it.
    pub(crate) fn fail(&mut self, call: &Call<'_>, line: &str) {
        if call.input.len() > MAX_BYTES || line.is_empty() {
            return;
        }
        if self.open.len() >= MAX_OPEN {
            self.open.remove(0);
        }
        let end = call.output.floor_char_boundary(MAX_BYTES);
        self.open.push(Open {
            session: call.session,
            event: call.event,
            calls: 0,
            input: call.input.to_owned(),
            output: call.output.get(..end).unwrap_or_default().to_owned(),
            line: line.to_owned(),
        });
    }

    /// Adds a command that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        if self.open.is_empty() || call.input.len() > MAX_BYTES {
            return;
        }
        let found = &mut self.found;
        self.open.retain_mut(|open| {
            if open.session != call.session {
                return true;
            }
            open.calls += 1;
            let remedy = open.remedy(call.input).filter(|_| found.len() < MAX_FOUND);
            let is_over = remedy.is_some() || open.calls >= MAX_CALLS;
            if let Some(remedy) = remedy {
                found.insert(open.event, remedy);
            }
            !is_over
        });
    }

    /// What to do about a failed call.
    pub(crate) fn of(&self, event: u64) -> Option<&str> {
        self.found.get(event).map(String::as_str)
    }
}

impl Open {
    fn remedy(&self, worked: &str) -> Option<String> {
        let before = steps(&self.input);
        let runs_the_same = steps(worked).iter().any(|step| before.iter().any(|other| other.name() == step.name()));
        if !runs_the_same {
            return None;
        }
        self.assigned(worked).or_else(|| self.quoted(worked)).or_else(|| self.removed(worked))
    }

    /// A variable that the error names, and that has a value only in the later call.
    fn assigned(&self, worked: &str) -> Option<String> {
        let name = |word: &'_ str| {
            let (name, value) = word.split_once('=')?;
            let is_variable = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            (is_variable && !value.is_empty()).then(|| name.to_owned())
        };
        let is_new = |name: &String| self.line.contains(name.as_str()) && !self.input.contains(&format!("{name}="));
        let name = worked.split_whitespace().filter_map(name).find(is_new)?;
        Some(format!("set `{name}` for the agent, such as in front of the command"))
    }

    /// A word that the shell took for a pattern, and that the later call has in quotes.
    fn quoted(&self, worked: &str) -> Option<String> {
        let (_, word) = self.line.split_once("no matches found: ")?;
        let word = word.split_whitespace().next().filter(|word| word.len() <= MAX_WORD)?;
        let is_bare = |input: &str| input.split_whitespace().any(|part| part == word);
        let is_quoted = || worked.replace(['"', '\''], "").split_whitespace().any(|part| part == word);
        (is_bare(&self.input) && !is_bare(worked) && is_quoted()).then(|| format!("put quotes around `{word}`"))
    }

    /// Files that the output lists as being in the way, and that the later call removes.
    fn removed(&self, worked: &str) -> Option<String> {
        let is_in_the_way = self.output.contains("would be overwritten") || self.line.contains("already exists");
        let (_, after) = worked
            .split_once("rm ")
            .filter(|(before, _)| is_in_the_way && (before.is_empty() || before.ends_with([' ', ';', '&', '\n'])))?;
        let removes = |file: &str| {
            let arguments = after.split([';', '&', '\n']).next().unwrap_or_default().split_whitespace();
            arguments
                .map(|word| word.trim_matches(['"', '\'']))
                .any(|word| word == file || word.strip_suffix(file).is_some_and(|folder| folder.ends_with('/')))
        };
        let named = self.output.lines().filter(|line| line.starts_with(['\t', ' '])).map(str::trim);
        let file = named.filter(|name| !name.is_empty() && name.len() <= MAX_WORD).find(|name| removes(name))?;
        Some(format!("compare the files in the way, such as `{file}`, and remove those that are not needed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(failed: &str, output: &str, worked: &str) -> Option<String> {
        let mut touched = Touched::default();
        touched.fail(&Call { input: failed, output, ..Call::FAILED }, output.lines().next().unwrap());
        touched.work(&Call { failed: false, event: 1, input: worked, ..Call::FAILED });
        touched.of(Call::FAILED.event).map(str::to_owned)
    }

    #[test]
    fn a_difference_that_the_error_names_is_the_remedy() {
        let pattern = "zsh: no matches found: --include=*.rs";
        let quotes = Some("put quotes around `--include=*.rs`".to_owned());
        assert_eq!(told("grep -rn --include=*.rs a .", pattern, "grep -rn --include=\"*.rs\" a ."), quotes);
        assert_eq!(told("grep -rn --include=*.rs a .", pattern, "grep -rn '--include=*.rs' a ."), quotes);
        assert_eq!(told("grep -rn --include=*.rs a .", pattern, "grep -rn a ."), None, "left out");
        assert_eq!(told("grep -rn --include=*.rs a .", pattern, "ls '--include=*.rs'"), None, "another program");

        let java = "ERROR: JAVA_HOME is not set and no 'java' command could be found";
        assert!(told("./gradlew test", java, "JAVA_HOME=/opt/jdk ./gradlew test").unwrap().contains("set `JAVA_HOME`"));
        assert_eq!(told("./gradlew test", java, "CI=1 ./gradlew test"), None, "a variable that nothing names");
        assert_eq!(told("./gradlew test", "error: no JDK", "JAVA_HOME=/opt/jdk ./gradlew test"), None);

        let merge =
            "error: The following untracked working tree files would be overwritten by merge:\n\t.x/a.json\nAborting";
        let worked = "rm main/.x/a.json && git merge b";
        assert!(told("git merge b", merge, worked).unwrap().contains("`.x/a.json`"));
        assert_eq!(told("git merge b", merge, "rm main/.x/other.json && git merge b"), None);
        assert_eq!(told("git merge b", merge, "cd main && git merge b"), None);
    }
}

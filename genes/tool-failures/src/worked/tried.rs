//! Which acts the calls of a session did after a failure, and how each of them ended.
//!
//! An advice names acts: a command, a program, or an install. Whether it is true is seen in the session: the same act was done
//! later and worked, it failed, or it changed nothing. [`Tried::of`] returns which. How an advice uses the answer is in
//! `findings/agreed.rs`.
//!
//! Memory is bounded: the newest [`MAX_DONE`] acts are known, each as the hashes of its first [`MAX_WORDS`] words.

use crate::call::{Call, hash};
use crate::cause::Cause;
use crate::causes::classify::Classified;
use crate::command::hidden::hides_errors;
use crate::command::paths::base;
use crate::command::shell::{Act, acts};
use crate::worked::act::{Worked, is_error, without_quoted};
use crate::worked::between::{had_nothing_to_do, installs};

const MAX_DONE: usize = 1 << 14;
const MAX_WORDS: usize = 4;
/// Most acts of a call that are kept, and most operands of an install.
const MAX_ACTS: usize = 8;
/// Bytes at the end of an output in which errors are looked for.
const END_BYTES: usize = 1024;
/// Words in front of a program that change nothing of what it does.
const BARE: [&str; 6] = ["sudo", "time", "command", "nice", "nohup", "exec"];
/// How an act ended, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Failed(Cause),
    /// It worked, and there was nothing to do.
    Nothing,
    Worked,
}

#[derive(Debug)]
struct Done {
    session: u32,
    event: u64,
    /// The hash of its first word, of its first two words, and so on.
    words: [u64; MAX_WORDS],
    end: End,
}

/// The acts that were done in sessions with a failure.
#[derive(Debug, Default)]
pub(crate) struct Tried {
    acts: Vec<Done>,
    /// The place of the next one, when there is room for no more.
    next: usize,
}

impl Tried {
    /// Adds what a call did that ended well.
    pub(crate) fn work(&mut self, worked: &Worked<'_>) {
        let input = worked.call.input;
        if worked.acts.is_empty() || hides_errors(input) {
            return;
        }
        let bare = if input.contains([';', '\n', '&']) { without_quoted(input.trim()) } else { String::new() };
        // The exit code is that of the last step.
        let is_of_all = !bare.contains([';', '\n']);
        let output = worked.call.output;
        // What a step says that failed stands at the end.
        let end = output.get(output.ceil_char_boundary(output.len().saturating_sub(END_BYTES))..).unwrap_or_default();
        if bare.ends_with('&') || end.lines().any(is_error) {
            return;
        }
        let end = if had_nothing_to_do(output) { End::Nothing } else { End::Worked };
        let first = if is_of_all { 0 } else { worked.acts.len() - 1 };
        for act in worked.acts.iter().skip(first).take(MAX_ACTS) {
            self.add(worked.call, act, end);
        }
    }

    /// Adds the act of a call that failed.
    pub(crate) fn fail(&mut self, call: &Call<'_>, failure: &Classified<'_>) {
        let acts = acts(call.input);
        let is_it = |act: &&Act<'_>| act.step.name() == failure.program;
        let starts = |act: &&Act<'_>| failure.names.iter().any(|name| *name == act.step.program);
        let act = acts.iter().rfind(is_it).or_else(|| acts.iter().find(starts)).or_else(|| acts.last());
        let Some(act) = act else { return };
        self.add(call, act, End::Failed(failure.cause));
    }

    fn add(&mut self, call: &Call<'_>, act: &Act<'_>, end: End) {
        let words = words_of(act);
        self.push(call, hashes(&words), end);
        if installs(&words.join(" ")) {
            let operands = words.iter().skip(1).filter(|word| !word.starts_with('-'));
            for name in operands.skip(1).take(MAX_ACTS) {
                self.push(call, hashes(&[INSTALL, &package(name)]), end);
            }
        }
    }

    fn push(&mut self, call: &Call<'_>, words: [u64; MAX_WORDS], end: End) {
        let done = Done { session: call.session, event: call.event, words, end };
        if self.acts.len() < MAX_DONE {
            self.acts.push(done);
        } else if let Some(oldest) = self.acts.get_mut(self.next % MAX_DONE) {
            *oldest = done;
            self.next += 1;
        }
    }

    /// How an act ended that was done at or after one of these failures, in its session: at best. `None` if it was not done.
    pub(crate) fn of(&self, act: &str, failures: &[(u32, u64)]) -> Option<End> {
        let words = words_of(acts(act).first()?);
        self.best(&words, failures)
    }

    /// The same, of an install of a package.
    pub(crate) fn install(&self, name: &str, failures: &[(u32, u64)]) -> Option<End> {
        self.best(&[INSTALL, &package(name)], failures)
    }

    fn best(&self, words: &[&str], failures: &[(u32, u64)]) -> Option<End> {
        let at = words.len().min(MAX_WORDS).checked_sub(1)?;
        let wanted = hashes(words)[at];
        let is_after = |(session, event): &(u32, u64), done: &Done| *session == done.session && *event <= done.event;
        let mut best = None;
        for done in self.acts.iter().filter(|done| done.words[at] == wanted) {
            if failures.iter().any(|failure| is_after(failure, done)) && best.is_none_or(|known| known < done.end) {
                best = Some(done.end);
            }
        }
        best
    }
}

/// Stands for whatever program installs something.
const INSTALL: &str = "\0install";

/// The name of a package without its version and what else is asked for.
fn package(word: &str) -> String {
    let end = word.find(['=', '<', '>', '[', '~', '!', ';']).unwrap_or(word.len());
    word.get(..end).unwrap_or_default().trim_matches(['"', '\'']).replace('_', "-").to_ascii_lowercase()
}

/// The words of an act, without variables and what stands in front of any program. A path says which Python it is.
fn words_of<'a>(act: &Act<'a>) -> Vec<&'a str> {
    let mut words = act.prefixes().to_vec();
    words.retain(|word| !word.contains('=') && !BARE.contains(word));
    let program = base(act.program());
    let is_bound = program.starts_with("python") || program.starts_with("pip");
    words.push(if is_bound { act.program() } else { program });
    words.extend(act.arguments().iter().take(MAX_ACTS * 2));
    words
}

fn hashes(words: &[&str]) -> [u64; MAX_WORDS] {
    let mut all = [0; MAX_WORDS];
    let mut seed = 0;
    for (slot, word) in all.iter_mut().zip(words) {
        seed = hash(seed, word.trim_matches(['"', '\'']).as_bytes());
        *slot = seed;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(calls: &[(&str, Option<&str>)]) -> Tried {
        let mut tried = Tried::default();
        for (event, (input, printed)) in (0..).zip(calls) {
            let call = Call { event, input, output: printed.unwrap_or("fine"), failed: false, ..Call::FAILED };
            tried.work(&Worked::of(&call, true));
        }
        tried
    }

    #[test]
    fn an_act_is_known_by_its_first_words() {
        let all = [(0, 0)];
        for (input, act, end) in [
            ("python3 -m pytest tests -q", "python3 -m pytest", Some(End::Worked)),
            ("cd a && uv run pytest -x 2>&1 | tail -5", "uv run pytest", Some(End::Worked)),
            ("sudo apt-get install -y jq", "apt-get install", Some(End::Worked)),
            ("CI=1 npm install --silent", "npm install", Some(End::Worked)),
            (".venv/bin/python3 -m pytest", "python3 -m pytest", None),
            ("npm run install-all", "npm install", None),
            ("npm install || true", "npm install", None),
            ("npm install; ls", "npm install", None),
            ("npm install 2>/dev/null", "npm install", None),
            ("npx tsc --noEmit", "tsc", None),
            ("npx tsc --noEmit", "npx tsc", Some(End::Worked)),
        ] {
            assert_eq!(tried(&[(input, None)]).of(act, &all), end, "{input}: {act}");
        }
    }

    #[test]
    fn what_had_nothing_to_do_changed_nothing() {
        let all = [(0, 0)];
        for (input, printed, name, end) in [
            ("pip install asgiref", "Requirement already satisfied: asgiref in /x", "asgiref", End::Nothing),
            ("pip install 'Py_YAML>=6' b", "Successfully installed b-1", "py-yaml", End::Worked),
            ("apt-get install -y jq", "jq is already the newest version (1.6)", "jq", End::Nothing),
            ("git pull --rebase", "Already up to date.", "", End::Nothing),
            ("make all", "make: Nothing to be done for 'all'.", "", End::Nothing),
            ("make all", "cc a.c", "", End::Worked),
            ("npm install", "up to date, audited 5 packages in 1s", "", End::Nothing),
            ("brew install jq", "Warning: jq 1.7 is already installed and up-to-date.", "jq", End::Nothing),
        ] {
            let tried = tried(&[(input, Some(printed))]);
            let found = if name.is_empty() { tried.of(input, &all) } else { tried.install(name, &all) };
            assert_eq!(found, Some(end), "{input}");
        }
    }

    #[test]
    fn only_what_the_session_did_after_the_failure_counts() {
        let tried = tried(&[("a", None), ("npm ci", None)]);
        assert_eq!(tried.of("npm ci", &[(0, 0)]), Some(End::Worked));
        assert_eq!(tried.of("npm ci", &[(0, 2)]), None);
        assert_eq!(tried.of("npm ci", &[(1, 0)]), None);
        assert_eq!(tried.of("", &[(0, 0)]), None);
    }

    #[test]
    fn memory_is_bounded() {
        let mut tried = Tried::default();
        for event in 0..MAX_DONE as u64 + 9 {
            let call = Call { event, input: "npm ci", output: "", failed: false, ..Call::FAILED };
            tried.work(&Worked::of(&call, true));
        }
        assert_eq!(tried.acts.len(), MAX_DONE);
    }
}

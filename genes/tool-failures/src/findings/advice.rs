//! What helps, told from what helped: the differences between failed calls and the similar calls that worked next.

use gephost_gene::run_log::{Correction, Difference};

use crate::cause::Cause;
use crate::command::paths::base;
use crate::order::sort_by;
use crate::output::host::host;
use crate::report::{clipped, times};

/// Different differences that are counted for a cause.
const MAX_DIFFERENCES: usize = 64;
/// Most characters of a part in a sentence.
const PART_CHARS: usize = 80;

/// How often a difference was seen.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    failures: u32,
    /// The calls that worked: one may come after several failures.
    successes: u32,
    /// The newest of them.
    worked: Option<u64>,
}

/// What was different in the calls that worked next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Corrections {
    counts: Vec<((u8, String, String), Count)>,
}

impl Corrections {
    /// The differences of these corrections.
    pub(crate) fn of<'a>(corrections: impl Iterator<Item = &'a Correction>) -> Self {
        let mut all = Self::default();
        corrections.for_each(|correction| all.add(correction));
        all
    }

    /// Adds one failed call that was corrected.
    fn add(&mut self, correction: &Correction) {
        // Edits and reads differ in a long text, which is none of the advice.
        let keeps_parts = !matches!(
            correction.difference,
            Difference::Repeated | Difference::Later | Difference::ReadBefore | Difference::Whitespace
        );
        let part = |text: &str| if keeps_parts { clipped(text, PART_CHARS) } else { String::new() };
        let key = match prefix(correction) {
            Some(prefix) => (correction.difference as u8, prefix.to_owned(), String::new()),
            None => (correction.difference as u8, part(&correction.before), part(&correction.after)),
        };
        let has_room = self.counts.len() < MAX_DIFFERENCES;
        let at = self.counts.iter().position(|(known, _)| *known == key).or_else(|| {
            has_room.then(|| self.counts.push((key, Count::default())))?;
            Some(self.counts.len() - 1)
        });
        if let Some((_, count)) = at.and_then(|at| self.counts.get_mut(at)) {
            count.failures = count.failures.saturating_add(1);
            let is_other = count.worked != Some(correction.worked);
            count.successes = count.successes.saturating_add(u32::from(is_other));
            count.worked = Some(correction.worked);
        }
    }

    /// These, without those that differ in what is no cure of an error whose cure is known: the folder and the options.
    pub(crate) fn of_known_error(&self) -> Self {
        let mut others = self.clone();
        let is_other = |kind: u8| kind != Difference::Directory as u8 && kind != Difference::Options as u8;
        others.counts.retain(|(key, _)| is_other(key.0));
        others
    }

    /// These, without a read that helped, if half as many edits failed right after a read: it is not what made the difference.
    pub(crate) fn after_reads(mut self, read_before: u32) -> Self {
        let counts = |key: &(u8, String, String), count: &Count| {
            key.0 != Difference::ReadBefore as u8 || read_before.saturating_mul(2) < count.successes
        };
        self.counts.retain(|(key, count)| counts(key, count));
        self
    }

    /// The advice that the most frequent difference gives, of `failures` failed calls. `None` if none stands out.
    pub(crate) fn advice(&self, cause: Cause, failures: u32) -> Option<String> {
        // What helped a few of them is no advice for all.
        let least = failures.div_ceil(2);
        // What an agent did until a test or a check passed is its work, and no advice.
        let is_work = matches!(cause, Cause::Tests | Cause::Problems | Cause::Before);
        let is_reading = |key: &(u8, String, String)| key.0 == Difference::ReadBefore as u8;
        let reading_helps = matches!(cause, Cause::EditText | Cause::PatchLines | Cause::EditUnread | Cause::EditStale);
        // Of a call in the wrong repository, only the folder matters.
        let is_of_cause = |key: &(u8, String, String)| cause != Cause::Outside || key.0 == Difference::Directory as u8;
        // Why these fail does not depend on how the program was called.
        let is_outside = matches!(
            cause,
            Cause::Silent
                | Cause::Timeout
                | Cause::Serves
                | Cause::Watches
                | Cause::Overload
                | Cause::RateLimit
                | Cause::Credits
                | Cause::Login
        );
        let is_of_call =
            |key: &(u8, String, String)| key.0 == Difference::Options as u8 || key.0 == Difference::Subcommand as u8;
        // Another file is no cure of an error in the one that ran. The same file elsewhere may be.
        let is_about_paths = cause.is_about_paths() || cause.is_about_edits();
        let is_same_file = |key: &(u8, String, String)| base(&key.1).contains('.') && base(&key.1) == base(&key.2);
        let is_path = |key: &(u8, String, String)| key.0 == Difference::Path as u8 && !is_same_file(key);
        // What is not about a place is not cured by another folder, and what the shell puts in for a variable is not known.
        let is_bound = is_about_paths
            || matches!(
                cause,
                Cause::Outside | Cause::Script | Cause::Module | Cause::Program | Cause::Error | Cause::Subcommand
            );
        let is_odd_folder =
            |key: &(u8, String, String)| key.0 == Difference::Directory as u8 && (!is_bound || key.2.contains('$'));
        // A command that shows its help does not do what was wanted.
        let asks = |key: &(u8, String, String)| key.2.split(' ').any(|word| matches!(word, "--help" | "-h" | "help"));
        // No environment of Python has the files that are missing.
        let activates =
            |key: &(u8, String, String)| is_about_paths && format!("{}{}", key.1, key.2).contains("/activate");
        let fits = |key: &(u8, String, String)| {
            !is_work
                && !activates(key)
                && !is_odd_folder(key)
                && is_of_cause(key)
                && !asks(key)
                && (reading_helps || !is_reading(key))
                && (is_about_paths || !is_path(key))
                && !(is_outside && is_of_call(key))
        };
        let told = self.counts.iter().filter(|(key, count)| count.failures >= least && fits(key));
        let mut told: Vec<(Count, String)> =
            told.filter_map(|(key, count)| Some((*count, sentence(key, cause)?))).collect();
        sort_by(&mut told, |a, b| b.0.failures.cmp(&a.0.failures).then_with(|| a.1.cmp(&b.1)));
        let Some((count, sentence)) = told.into_iter().next() else {
            return if is_work || !is_about_paths { None } else { self.other_paths(failures) };
        };
        Some(format!("{sentence}: {}", proof(count.failures, failures, count.successes)))
    }
}

/// That something worked next, after so many of the failures. `successes` are the calls that worked: one may come after several
/// failures.
pub(crate) fn proof(count: u32, failures: u32, successes: u32) -> String {
    match (count, failures) {
        (count, failures) if count == failures && successes <= 1 => "that worked next".to_owned(),
        (count, failures) if count == failures => format!("that worked next, {}", times(successes)),
        (count, failures) => format!("that worked next after {count} of {failures} failures"),
    }
}

impl Corrections {
    /// What helped often, if another path worked next, each time a different one.
    fn other_paths(&self, failures: u32) -> Option<String> {
        let is_path = |key: &(u8, String, String)| {
            key.0 == Difference::Path as u8 && is_path(&key.1) && is_path(&key.2) && key.1 != key.2
        };
        let mut count = 0_u32;
        let mut shortest: Option<(&str, &str)> = None;
        for ((_, before, after), seen) in self.counts.iter().filter(|(key, _)| is_path(key)) {
            count = count.saturating_add(seen.failures);
            if shortest.is_none_or(|(known, other)| before.len() + after.len() < known.len() + other.len()) {
                shortest = Some((before, after));
            }
        }
        let (before, after) = shortest.filter(|_| count >= 2 && count >= failures.div_ceil(2))?;
        Some(format!(
            "tell the agent to search for a file by its name before it uses a path: another path worked next after {count} \
             of {failures} failures, such as `{after}` instead of `{before}`"
        ))
    }
}

/// What stood in front of a name and did not in the call that worked: `tests.` in `tests.forms` and `forms`.
fn prefix(correction: &Correction) -> Option<&str> {
    let (before, after) = (correction.before.as_str(), correction.after.as_str());
    let prefix =
        before.strip_suffix(after).filter(|_| correction.difference == Difference::Input && !after.is_empty())?;
    (prefix.ends_with(['.', '/', ':']) && prefix.len() <= PART_CHARS).then_some(prefix)
}

/// The two servers, if only the address in a call differs.
pub(crate) fn servers(correction: &Correction) -> Option<(&str, &str)> {
    let host = |text| Some(text).filter(|text: &&str| !text.contains(' ')).and_then(host);
    let (one, other) = (host(&correction.before)?, host(&correction.after)?);
    (one != other).then_some((one, other))
}

/// Whether a text is one path and no command. A path may have blanks in it.
fn is_path(text: &str) -> bool {
    let is_of_command = |word: &str| word.starts_with(['-', '/', '~', '&', '|', ';', '<', '>']) || word.contains(">&");
    !text.is_empty() && !text.split_whitespace().skip(1).any(is_of_command)
}

/// What to do, if the difference says so.
fn sentence((difference, before, after): &(u8, String, String), cause: Cause) -> Option<String> {
    let is = |other: Difference| *difference == other as u8;
    let both = !before.is_empty() && !after.is_empty();
    Some(if is(Difference::ReadBefore) && cause == Cause::EditUnread {
        "read the file before the edit".to_owned()
    } else if is(Difference::ReadBefore) {
        "read the file again right before the edit".to_owned()
    } else if is(Difference::Whitespace) {
        "copy the text exactly, only its white space was wrong".to_owned()
    } else if is(Difference::Program) && both {
        format!("run `{after}` instead of `{before}`")
    } else if is(Difference::Directory) && after.is_empty() {
        format!("do not change to `{before}` first, the command runs where the shell already is")
    } else if is(Difference::Directory) {
        format!("run it in `{after}`")
    } else if is(Difference::Subcommand) && both {
        format!("use `{after}` instead of `{before}`")
    } else if is(Difference::TimeLimit) && !after.is_empty() {
        format!("allow it {after} seconds")
    } else if is(Difference::Options) && both {
        format!("use `{after}` instead of `{before}`")
    } else if is(Difference::Options) && !after.is_empty() {
        format!("add `{after}`")
    } else if is(Difference::Options) && !before.is_empty() {
        format!("leave out `{before}`")
    } else if is(Difference::Input) && after.is_empty() && before.ends_with(['.', '/', ':']) {
        format!("leave out `{before}` in front of the name")
    } else if is(Difference::Path) && is_path(before) && is_path(after) {
        format!("use the path `{after}` instead of `{before}`")
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(Difference, &str, &str)], failures: u32) -> Option<String> {
        let mut corrections = Corrections::default();
        for (worked, (difference, before, after)) in pairs.iter().enumerate() {
            let (before, after) = ((*before).to_owned(), (*after).to_owned());
            corrections.add(&Correction { failed: 0, worked: worked as u64, difference: *difference, before, after });
        }
        corrections.advice(Cause::EditText, failures)
    }

    #[test]
    fn one_success_after_several_failures_is_one() {
        for (worked, expected) in [
            (&[1][..], "run `b` instead of `a`: that worked next"),
            (&[1, 1], "run `b` instead of `a`: that worked next"),
            (&[1, 1, 1], "run `b` instead of `a`: that worked next"),
            (&[1, 2], "run `b` instead of `a`: that worked next, twice"),
            (&[1, 1, 2], "run `b` instead of `a`: that worked next, twice"),
            (&[1, 2, 3], "run `b` instead of `a`: that worked next, 3 times"),
        ] {
            let mut corrections = Corrections::default();
            for worked in worked {
                let (before, after) = ("a".to_owned(), "b".to_owned());
                let difference = Difference::Program;
                corrections.add(&Correction { failed: 0, worked: *worked, difference, before, after });
            }
            let failures = u32::try_from(worked.len()).unwrap();
            assert_eq!(corrections.advice(Cause::Program, failures).as_deref(), Some(expected), "{worked:?}");
        }
    }

    #[test]
    fn another_folder_is_no_advice_against_an_error_whose_cure_is_known() {
        let mut corrections = Corrections::default();
        let (before, after) = ("build".to_owned(), String::new());
        corrections.add(&Correction { failed: 0, worked: 1, difference: Difference::Directory, before, after });
        assert!(corrections.advice(Cause::Error, 1).is_some());
        assert_eq!(corrections.of_known_error().advice(Cause::Error, 1), None);
    }

    #[test]
    fn another_folder_cures_only_what_is_about_a_place() {
        let advice = |cause, folder: &str| {
            let mut corrections = Corrections::default();
            let (before, after) = (String::new(), folder.to_owned());
            corrections.add(&Correction { failed: 0, worked: 1, difference: Difference::Directory, before, after });
            corrections.advice(cause, 1)
        };
        assert!(advice(Cause::Path, "web").is_some());
        assert_eq!(advice(Cause::Uncommitted, "web"), None);
        assert_eq!(advice(Cause::Path, "$(git rev-parse --show-toplevel)"), None);
    }

    #[test]
    fn an_environment_of_python_has_no_files() {
        let mut corrections = Corrections::default();
        let (before, after) = ("source venv/bin/activate && sed".to_owned(), "sed".to_owned());
        corrections.add(&Correction { failed: 0, worked: 1, difference: Difference::Program, before, after });
        assert_eq!(corrections.advice(Cause::Path, 1), None);
        assert!(corrections.advice(Cause::Module, 1).is_some());
    }

    #[test]
    fn the_same_file_elsewhere_is_told_whatever_the_error_says() {
        let advice = |before: &str, after: &str| {
            let mut corrections = Corrections::default();
            let (before, after) = (before.to_owned(), after.to_owned());
            corrections.add(&Correction { failed: 0, worked: 1, difference: Difference::Path, before, after });
            corrections.advice(Cause::Error, 1)
        };
        assert!(advice("specs/tasks.md", "workspace/specs/tasks.md").is_some());
        for (before, after) in [("specs/tasks.md", "specs/other.md"), (".trees/jobs", "feature/jobs"), ("a.py", "b.py")]
        {
            assert_eq!(advice(before, after), None, "{before}");
        }
    }

    #[test]
    fn only_a_path_is_told_in_place_of_a_path() {
        for (after, is_told) in [
            ("src/a.rs", true),
            ("/w/My Documents/a b.txt", true),
            (r"C:\Program Files\a.exe", true),
            ("ls -la /w/a", false),
            ("ls /w/a", false),
            ("cat a.txt && b", false),
            ("a.txt 2>&1", false),
        ] {
            let said = of(&[(Difference::Path, "lib/a.rs", after)], 1);
            assert_eq!(said.is_some(), is_told, "{after}: {said:?}");
        }
    }

    #[test]
    fn what_a_command_says_of_itself_is_no_work_that_was_done() {
        assert_eq!(of(&[(Difference::Options, "--region=x", "--help")], 1), None);
    }

    #[test]
    fn the_most_frequent_difference_is_the_advice() {
        use Difference as D;
        let python = (D::Program, "python", "python3");
        let cases: [(&[_], u32, Option<&str>); 10] = [
            (&[python], 1, Some("run `python3` instead of `python`: that worked next")),
            (&[python], 5, None),
            (&[python, python], 5, None),
            (&[python, python], 3, Some("run `python3` instead of `python`: that worked next after 2 of 3 failures")),
            (
                &[(D::ReadBefore, "a", "b"), (D::ReadBefore, "c", "")],
                2,
                Some("read the file again right before the edit: that worked next, twice"),
            ),
            (&[(D::Later, "", "")], 1, None),
            (&[(D::Directory, "", "web")], 1, Some("run it in `web`: that worked next")),
            (&[(D::Options, "-P", "")], 1, Some("leave out `-P`: that worked next")),
            (
                &[(D::Input, "tests.a", "a"), (D::Input, "tests.b", "b")],
                3,
                Some("leave out `tests.` in front of the name: that worked next after 2 of 3 failures"),
            ),
            (&[(D::Input, "a", "b")], 1, None),
        ];
        for (pairs, failures, expected) in cases {
            assert_eq!(of(pairs, failures).as_deref(), expected, "{pairs:?}");
        }
    }
}

//! What a finding about failures says: its title, and the errors that it stands for. Every sentence states what the log
//! shows of all members; none says why.

use crate::cause::{About, Cause};
use crate::causes::classify::INLINE_SCRIPT;
use crate::causes::{Group, Member, counted, is_of_powershell};
use crate::command::chain::SEARCH_TEXT;
use crate::findings::of_cause::is_audit;
use crate::output::arity::OF_SUBCOMMAND;
use crate::output::cause_line::{Weight, is_summary, is_thrown, weight_of};
use crate::output::cut::is_cut;
use crate::output::line::{is_number, message, readable};
use crate::output::position;
use crate::output::provider::login;
use crate::output::remedies::hint;
use crate::output::vocabulary::MARKS;
use crate::report::{TITLE_CHARS, clipped};

/// Names in a title, and most characters of one.
const TITLE_NAMES: usize = 3;
pub(crate) const NAME_CHARS: usize = 48;
/// A shorter end of a name does not tell it apart.
const LEAST_END: usize = 8;
/// Most characters of all names in a title, if it has several.
const NAMES_CHARS: usize = 104;
/// Most errors that a finding lists.
pub(crate) const MAX_ABSORBED: usize = 50;

impl Group {
    /// The names for a title: `a`, `b`, `c` and 2 more.
    fn named(&self) -> String {
        let names = self.frequent_names();
        let room = if names.len() == 1 { NAMES_CHARS } else { NAME_CHARS };
        let short = |name: &&str| format!("`{}`", shortened(name, room));
        let mut shown: Vec<String> = names.iter().take(TITLE_NAMES).map(short).collect();
        while shown.len() > 1 && shown.iter().map(|name| name.chars().count()).sum::<usize>() > NAMES_CHARS {
            shown.pop();
        }
        match names.len() - shown.len() {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }

    pub(crate) fn title(&self) -> String {
        let line = self.latest().map_or("", |failure| failure.line.as_str());
        let (program, names) = (self.program(), self.frequent_names());
        let title = match self.cause {
            Cause::Error if let Some(fault) = self.several_wordings() => match program {
                "" => fault.to_owned(),
                program => format!("`{program}`: {fault}"),
            },
            Cause::Parameters if program.is_empty() && !names.is_empty() && self.frequent_programs().len() > 1 => {
                format!("{} are called with wrong parameters: {}", self.callers(), self.named())
            }
            Cause::Versions if let Some(runtime) = self.wanted_runtime() => match &self.named()[..] {
                "" => format!("programs need another version of {runtime}"),
                names => format!("programs need another version of {runtime}: {names}"),
            },
            Cause::Error if self.says_only_that_it_failed() => match self.frequent_steps()[..] {
                [(step, _)] if !program.is_empty() => format!("`{program}` fails in the step `{step}`"),
                _ => self.titled_by_line(program, line),
            },
            Cause::Error => self.titled_by_line(program, line),
            Cause::Unparsed if names.iter().all(|name| *name == INLINE_SCRIPT) => {
                let who = if self.failures == 1 { "a script" } else { "scripts" };
                let is_script = program.starts_with("node") || program.starts_with("bun");
                let parser = if is_script { "Node" } else { "Python" };
                format!("{parser} cannot parse {who} in the agent's own command: {}", self.titled_by_line("", line))
            }
            Cause::Argument if let Some(takes) = self.takes() => {
                let who = if program.is_empty() { "a command".to_owned() } else { format!("`{program}`") };
                match names.is_empty() {
                    true => format!("{who} {takes}"),
                    false if takes == OF_SUBCOMMAND => format!("{who} {takes} {}", self.named()),
                    false => format!("{who} {takes}: {}", self.named()),
                }
            }
            Cause::Problems if !names.is_empty() && is_audit(program) => {
                format!("`{program}` knows vulnerabilities in packages of the project: {}", self.named())
            }
            // What it is that does not exist stands in the line alone.
            Cause::Path if names.is_empty() && !line.is_empty() => self.titled_by_line(program, line),
            Cause::Path if self.has_unlike_paths() => format!("different paths do not exist: {}", self.named()),
            Cause::Module if program.is_empty() && !names.is_empty() => {
                let (what, are) = if names.len() == 1 { ("the module", "is") } else { ("modules", "are") };
                format!("{what} {} {are} missing", self.named())
            }
            Cause::WrongModule if program.is_empty() => {
                format!("commands name modules that are not found: {}", self.named())
            }
            Cause::Login if names.first().is_some_and(|name| login(name).is_some()) => {
                format!("credentials for the model's provider are missing or refused: {}", self.named())
            }
            Cause::Tests if !program.is_empty() && self.shared_error().is_some() => {
                format!("most failing tests of `{program}` say: {}", readable(&self.shared_error().unwrap_or_default()))
            }
            Cause::Shell if is_of_powershell(program) => "PowerShell could not read the command".to_owned(),
            Cause::Shell if self.is_pattern() => {
                format!("zsh stops at a pattern that matches no file: {}", self.named())
            }
            Cause::Timeout if program.is_empty() && self.failures > 1 => {
                let programs = self.frequent_programs();
                let quoted: Vec<String> = programs.iter().take(TITLE_NAMES).map(|name| format!("`{name}`")).collect();
                let which = if quoted.is_empty() { String::new() } else { format!(": {}", quoted.join(", ")) };
                format!("commands did not end within their time limit{which}")
            }
            Cause::Several => match &self.tasks()[..] {
                [_, ..] => format!("`{program}` fails {} times: {}", self.failures, self.tasks().join(", ")),
                [] => format!("`{program}` fails in {} different ways, once each", self.failures),
            },
            Cause::Silent if self.is_cut() => {
                let who = if program.is_empty() { "a command".to_owned() } else { format!("`{program}`") };
                format!("{who} fails, and the log cuts what it says")
            }
            Cause::Silent if SEARCH_TEXT.contains(&program) && !self.says_something() => {
                format!("`{program}` finds nothing, and ends the command")
            }
            Cause::Silent if self.says_something() => {
                let who = if program.is_empty() { "a command".to_owned() } else { format!("`{program}`") };
                format!("{who} fails and says: {}", readable(line))
            }
            _ => self.titled_by_cause(self.cause.about(), program, names.len()),
        };
        closed(clipped(&title, TITLE_CHARS - 1))
    }

    /// How often each task of a program failed, if there are several: 2 in `cargo test`.
    fn tasks(&self) -> Vec<String> {
        let tasks = counted(self.members.iter().map(|member| member.program.as_str()));
        let tasks = Some(tasks).filter(|tasks| tasks.len() > 1).unwrap_or_default();
        tasks.into_iter().map(|(task, count)| format!("{count} in `{task}`")).collect()
    }

    fn titled_by_line(&self, program: &str, line: &str) -> String {
        // What differs between the lines is not that of one of them.
        let common = self.common_line();
        let said = message(if self.members.is_empty() { line } else { &common });
        let line = readable(&position::behind(said).unwrap_or_else(|| said.to_owned()));
        if program.is_empty() || line.starts_with(program) { line } else { format!("`{program}`: {line}") }
    }

    fn titled_by_cause(&self, about: &About, program: &str, names: usize) -> String {
        let (one, many) = about.title.split_once('|').unwrap_or((about.title, about.title));
        // Without a name, nothing says that there are several.
        let form = if names == 1 || names == 0 && one.contains(": {n}") { one } else { many };
        let form = if names == 0 {
            form.split_once(": {n}").map_or(form, |(before, _)| before).replace(" {n}", "")
        } else {
            form.replace("{n}", &self.named())
        };
        let is_of_command = self.latest().is_some_and(|failure| !failure.input.is_empty());
        match program {
            "" if self.cause == Cause::Parameters => form.replace("`{p}`", "a tool"),
            "" if is_of_command => form.replace("`{p}`", "a command"),
            "" => form.replace("`{p}`", "the agent"),
            program => form.replace("{p}", program),
        }
    }

    /// Whether the runner says only that a step failed, and nothing that is known to have a remedy.
    fn says_only_that_it_failed(&self) -> bool {
        let sums_up = |line: &str| is_summary(line) && hint(line, false).is_none();
        self.weight < Weight::Trouble || self.latest().is_some_and(|failure| sums_up(&failure.line))
    }

    /// Whether it printed a line, which is of no known kind.
    pub(crate) fn says_something(&self) -> bool {
        let is_said = |lines: &[(String, u32)]| matches!(lines, [(line, _)] if !is_data(line));
        self.cause == Cause::Silent && self.weight == Weight::Text && is_said(&self.frequent_lines())
    }

    /// Whether all of these failures are patterns of file names that match no file.
    pub(crate) fn is_pattern(&self) -> bool {
        self.cause == Cause::Shell && self.members.iter().all(Member::is_pattern)
    }

    /// The error that most failing tests share, if it was that of at least half of the runs.
    pub(crate) fn shared_error(&self) -> Option<String> {
        let (line, count) = self.frequent_lines().into_iter().next()?;
        let is_of_most = |count: u32| count.saturating_mul(2) >= self.failures;
        (is_thrown(&line) && is_of_most(count) && is_of_most(self.shared())).then_some(line)
    }

    /// The errors that this group stands for, in the words of the log; none if the title has them.
    pub(crate) fn absorbed(&self, title: &str) -> Vec<(String, u32)> {
        if self.cause.is_about_edits() || self.cause == Cause::Silent {
            return Vec::new();
        }
        let mut lines = self.frequent_lines();
        // `==== FAILURES ====` is the head of what the errors stand in.
        let is_head = |line: &str| line.starts_with("==") && line.ends_with("==");
        lines.retain(|(line, _)| !line.is_empty() && !is_cut(line) && !is_head(line.trim()));
        // What a run printed before it was ended is no error.
        let is_of_end = |line: &str| weight_of(line) >= Weight::Trouble || line.starts_with("Exit code");
        lines.retain(|(line, _)| {
            !matches!(self.cause, Cause::Timeout | Cause::Serves | Cause::Watches) || is_of_end(line)
        });
        // The names of failing tests are listed by themselves.
        let is_count =
            |line: &str| matches!(line.trim().split_once(' '), Some((count, "failed" | "failing")) if is_number(count));
        let is_error = |line: &str| {
            let ends = [" [FAIL]", " FAILED"].iter().any(|end| line.ends_with(end)) || line.contains(" FAILED [");
            let is_name = MARKS.begin(line) || ends;
            !is_name && !line.contains("Warning: ") && !is_count(line)
        };
        lines.retain(|(line, _)| !matches!(self.cause, Cause::Tests | Cause::Before) || is_error(line));
        let shown = |(line, count): &(String, u32)| (clipped(&readable(line), TITLE_CHARS), *count);
        let all: Vec<(String, u32)> = lines.iter().take(MAX_ABSORBED).map(shown).collect();
        let is_told = |(line, _): &(String, u32)| {
            line.trim().is_empty()
                || title.ends_with(line.as_str())
                || title.ends_with('…') && self.cause == Cause::Error
        };
        if let [only] = &all[..]
            && is_told(only)
        {
            return Vec::new();
        }
        all
    }
}

/// A name with at most this many characters: its end, if it has several parts, or else both of its ends.
pub(crate) fn shortened(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_owned();
    }
    let end = end_of_name(name, room.saturating_sub(1));
    if end.len() < name.len() && end.chars().count() < room {
        return format!("…{end}");
    }
    if end.contains(' ') { clipped(end, room) } else { clip_middle(end, room) }
}

/// Both ends of a word, of which the last one tells it apart.
fn clip_middle(word: &str, room: usize) -> String {
    let first = room / 3;
    let last = room.saturating_sub(first + 1);
    let skipped = word.chars().count().saturating_sub(last);
    word.chars().take(first).chain(['…']).chain(word.chars().skip(skipped)).collect()
}

/// The end of a name of several parts that is too long, as much as there is room for: its last part tells it apart.
fn end_of_name(name: &str, room: usize) -> &str {
    if name.chars().count() <= room {
        return name;
    }
    if let Some((_, test)) = name.rsplit_once(" > ") {
        return test;
    }
    let is_path = name.contains(['/', '\\', ':']);
    if name.contains(' ') && !is_path {
        return name;
    }
    let is_between = |c: char| if is_path { matches!(c, '/' | '\\' | ':') } else { c == '.' };
    let starts = name.match_indices(is_between).map(|(at, mark)| at + mark.len());
    let starts: Vec<usize> = starts.filter(|at| name.get(*at..).is_some_and(|end| end.len() > LEAST_END)).collect();
    let fits = |at: &&usize| name.get(**at..).is_some_and(|end| end.chars().count() <= room);
    starts
        .iter()
        .find(fits)
        .or(starts.last())
        .and_then(|at| name.get(*at..))
        .map_or(name, |end| end.trim_start_matches(is_between))
}

/// A title that was cut, with the end of the name in backticks in which it was.
fn closed(title: String) -> String {
    match title.strip_suffix('…') {
        Some(cut) if cut.matches('`').count() % 2 == 1 => format!("{}…`", cut.trim_end_matches('`')),
        _ => title,
    }
}

/// Whether a line is data, and no message: a word of it is longer than any in a text, or it is a member of JSON.
fn is_data(line: &str) -> bool {
    const LONGEST: usize = 80;
    let text = line.trim();
    let is_long = |word: &str| word.len() > LONGEST && !word.contains("://") && word.matches('/').count() < 4;
    // `a/b.py:81: text` is a line that was searched for.
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.splitn(3, ':');
    let is_found = parts.next().is_some_and(|path| path.contains('.') && !path.contains(' '))
        && parts.next().is_some_and(is_number);
    let has_letter = text.contains(char::is_alphabetic);
    !has_letter || text.split_whitespace().any(is_long) || is_found || text.starts_with('"') && text.contains("\": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_no_message() {
        for (line, expected) in [
            (&*format!("x {}", "aB3".repeat(40)), true),
            ("\"signature\": \"abc\"", true),
            ("11", true),
            ("3 of 5", false),
            ("tools/a.py:81:        raise Error", true),
            ("localhost:80: refused", false),
            ("\"a b\" is no folder", false),
            ("Please upgrade Node.js to a supported version: \">=18\"", false),
            (
                "no such file: /aaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbbbb/cccccccccccccccccccc/dddddddddddddddddddd/e.txt",
                false,
            ),
        ] {
            assert_eq!(is_data(line), expected, "{line}");
        }
    }

    #[test]
    fn of_a_long_name_the_end_is_shown() {
        for (name, expected) in [
            ("App.Tests.GapTests.Options_do_not_drop_a_code", "GapTests.Options_do_not_drop_a_code"),
            ("tests/unit/test_execution.py::test_live_cycle_manages", "test_live_cycle_manages"),
            ("short.name", "short.name"),
            (
                "a_name_of_one_part_that_is_too_long_to_be_shown_whole",
                "a_name_of_one_part_that_is_too_long_to_be_shown_whole",
            ),
            ("a_name_of_several_parts/which_is_too_long/a.py", "which_is_too_long/a.py"),
            (
                "[VAL-CLI-002] uses workouts.list.effect instead of the client",
                "[VAL-CLI-002] uses workouts.list.effect instead of the client",
            ),
            ("commands of the tool > mapping > uses list.effect of a client", "uses list.effect of a client"),
        ] {
            assert_eq!(end_of_name(name, 40), expected);
        }
    }

    #[test]
    fn a_name_that_was_cut_shows_it_and_keeps_what_tells_it_apart() {
        for (name, expected) in [
            ("tui::manager::screens::marketplaces::actions_test", "…screens::marketplaces::actions_test"),
            ("App.Tests.GapTests.Options_do_not_drop_a_code", "…GapTests.Options_do_not_drop_a_code"),
            ("suite of tests > that is long > adds two numbers", "…adds two numbers"),
            ("a_name_of_one_part_that_is_too_long_to_be_shown", "a_name_of_one…at_is_too_long_to_be_shown"),
            ("a sentence of many words that is too long to be shown", "a sentence of many words that is too lo…"),
            ("short::name", "short::name"),
            ("", ""),
        ] {
            assert_eq!(shortened(name, 40), expected);
            assert!(shortened(name, 40).chars().count() <= 40);
        }
    }

    #[test]
    fn a_title_is_not_cut_within_backticks() {
        assert_eq!(closed("a `b`, `c…".to_owned()), "a `b`, `c…`");
        assert_eq!(closed("a `b` …".to_owned()), "a `b` …");
        assert_eq!(closed("a `b".to_owned()), "a `b", "it was not cut");
    }
}

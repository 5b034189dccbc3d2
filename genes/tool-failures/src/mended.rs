//! Files that were edited between a failed call and the same call that worked later: what mended it.
//!
//! Also which calls that were denied access worked with `sudo`, how a program that failed was called when it worked, and
//! what the calls were that the host found to have worked next.
//!
//! Memory is bounded: [`MAX_OPEN`] failed calls wait for their success, with [`MAX_FILES`] files each, and [`MAX_MENDED`]
//! are kept. [`MAX_DENIED`] denied ones wait for theirs. Of [`MAX_PROGRAMS`] programs, one call that worked is kept.

use crate::by_event::ByEvent;
use crate::call::Call;
use crate::names;
use crate::shell::steps;

const MAX_OPEN: usize = 128;
const MAX_FILES: usize = 3;
const MAX_MENDED: usize = 1024;
const MAX_DENIED: usize = 32;
const MAX_PROGRAMS: usize = 64;
/// Most bytes of a failed command that are compared with the one that worked.
const MAX_AWAITED: usize = 512;
/// Longest command that is shown as an example, in bytes.
const MAX_EXAMPLE: usize = 120;

/// A failed call that may still succeed.
#[derive(Debug)]
struct Open {
    session: u32,
    event: u64,
    files: Vec<String>,
}

/// What is known of all failed calls.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    /// By the identity of the call.
    open: ByEvent<Open>,
    /// The edited files, by the number of the failed call.
    files: ByEvent<Vec<String>>,
    denied: Vec<Denied>,
    /// The numbers of the failed calls that worked with `sudo`.
    with_sudo: Vec<u64>,
    /// The newest short command that worked, for each program that has failed before.
    examples: Vec<(String, String)>,
    /// The commands of failed calls in whose place another one works later, by the number of the failed call.
    awaited: ByEvent<Awaited>,
    /// The commands that worked next, by the number of the failed call.
    instead: ByEvent<String>,
}

/// A failed command, as much of it as is compared, and the program that failed.
#[derive(Debug)]
struct Awaited {
    command: String,
    program: String,
}

/// A call that was denied access: the file that it names, or the program that it runs.
#[derive(Debug)]
struct Denied {
    session: u32,
    event: u64,
    what: String,
}

impl Mended {
    /// Adds a call that failed.
    pub(crate) fn fail(&mut self, call: &Call<'_>, identity: Option<u64>) {
        let Some(identity) = identity else { return };
        if self.open.len() < MAX_OPEN || self.open.get(identity).is_some() {
            self.open.insert(identity, Open { session: call.session, event: call.event, files: Vec::new() });
        }
    }

    /// Adds a call that succeeded.
    pub(crate) fn succeed(&mut self, call: &Call<'_>, identity: Option<u64>) {
        if self.open.is_empty() {
            return;
        }
        let open = identity.filter(|_| !call.input.contains("||")).and_then(|identity| self.open.remove(identity));
        if let Some(open) = open
            && open.session == call.session
            && (1..=MAX_FILES).contains(&open.files.len())
            && self.files.len() < MAX_MENDED
        {
            self.files.insert(open.event, open.files);
        }
        let is_edit = is_editor(call.name);
        let Some(file) = names::file(call.input).filter(|_| is_edit).and_then(shown) else { return };
        for open in self.open.values_mut().filter(|open| open.session == call.session) {
            if open.files.len() <= MAX_FILES && !open.files.contains(&file) {
                open.files.push(file.clone());
            }
        }
    }

    /// Adds the program of a command that failed: a call of it that works later is an example.
    pub(crate) fn watch(&mut self, program: &str) {
        if !program.is_empty()
            && self.examples.len() < MAX_PROGRAMS
            && !self.examples.iter().any(|(known, _)| known == program)
        {
            self.examples.push((program.to_owned(), String::new()));
        }
    }

    /// Adds a command that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        let input = call.input.trim();
        if self.examples.is_empty() || input.len() > MAX_EXAMPLE || input.contains('\n') || input.contains("||") {
            return;
        }
        for step in steps(input) {
            let name = step.name();
            if let Some((_, example)) = self.examples.iter_mut().find(|(known, _)| *known == name) {
                input.clone_into(example);
            }
        }
    }

    /// Adds a command that failed, and in whose place another one works later. `program` is the one that failed.
    pub(crate) fn wait(&mut self, call: &Call<'_>, program: &str) {
        if self.awaited.len() < MAX_MENDED {
            let end = call.input.floor_char_boundary(MAX_AWAITED);
            let command = call.input.get(..end).unwrap_or_default().to_owned();
            let program = program.split(' ').next().unwrap_or_default().to_owned();
            self.awaited.insert(call.event, Awaited { command, program });
        }
    }

    /// Adds a command that worked in place of a failed call, whose input it differs from. Returns whether it did the same
    /// work: it runs the program that failed, unless that is what differs, and the same script. Only one that also works on
    /// the same object is shown as an example.
    pub(crate) fn replace(&mut self, call: &Call<'_>, failed: u64, is_other_program: bool) -> bool {
        let command = call.input.trim();
        let Some(awaited) = self.awaited.remove(failed) else { return true };
        let names = |command: &str| {
            let is_end =
                |c: char| c.is_whitespace() || matches!(c, '/' | '|' | ';' | '&' | '(' | ')' | '"' | '\'' | '`');
            command.split(is_end).any(|word| word == awaited.program)
        };
        let is_known = !awaited.program.is_empty() && names(&awaited.command);
        if is_known && !is_other_program && !names(command) || !has_same_script(&awaited.command, command) {
            return false;
        }
        let is_short = command.len() <= MAX_EXAMPLE && !command.contains('\n') && !command.contains("||");
        if is_short
            && shares(&awaited.command, command)
            && runs_all(&awaited.command, command)
            && !only_lists(&awaited.command, command)
            && self.instead.len() < MAX_MENDED
        {
            self.instead.insert(failed, command.to_owned());
        }
        true
    }

    /// The command that worked in place of a failed one.
    pub(crate) fn instead(&self, event: u64) -> Option<&str> {
        self.instead.get(event).map(String::as_str)
    }

    /// A command with this program that worked after it had failed.
    pub(crate) fn example(&self, program: &str) -> Option<&str> {
        let known = self.examples.iter().find(|(known, _)| known == program);
        known.map(|(_, example)| example.as_str()).filter(|example| !example.is_empty())
    }

    /// Adds a call that was denied access.
    pub(crate) fn deny(&mut self, call: &Call<'_>) {
        let program = || steps(call.input).last().map(crate::shell::Step::name);
        let Some(what) = names::file(call.input).map(str::to_owned).or_else(program) else { return };
        if call.input.contains("sudo ") {
            return;
        }
        if self.denied.len() >= MAX_DENIED {
            self.denied.remove(0);
        }
        self.denied.push(Denied { session: call.session, event: call.event, what });
    }

    /// Adds a command that worked with `sudo`.
    pub(crate) fn allow(&mut self, call: &Call<'_>) {
        let steps = steps(call.input);
        let own = |denied: &Denied| {
            denied.session == call.session
                && (denied.what.starts_with('/') && call.input.contains(denied.what.as_str())
                    || steps.iter().any(|step| step.name() == denied.what))
        };
        let with_sudo = &mut self.with_sudo;
        self.denied.retain(|denied| {
            let is_own = own(denied);
            if is_own && with_sudo.len() < MAX_MENDED {
                with_sudo.push(denied.event);
            }
            !is_own
        });
    }

    /// How many of these failed calls worked with `sudo`.
    pub(crate) fn with_sudo(&self, events: &[u64]) -> u32 {
        let count = events.iter().filter(|event| self.with_sudo.contains(event)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The files that were edited before the same call worked; empty if nothing was, if many were, or if it never worked.
    pub(crate) fn files(&self, event: u64) -> &[String] {
        self.files.get(event).map_or(&[], Vec::as_slice)
    }
}

/// A file as it is shown. JSON doubles the backslashes of Windows; of its paths the last two names say enough.
fn shown(file: &str) -> Option<String> {
    let last = file.rmatch_indices('\\').filter(|(at, _)| !file.get(..*at).unwrap_or_default().ends_with('\\')).nth(1);
    match last.and_then(|(at, _)| file.get(at..)) {
        Some(end) => Some(format!("…{}", end.replace("\\\\", "\\"))),
        None => names::shown(file),
    }
}

/// Programs that do no work of their own.
const SHOWING: [&str; 11] = ["cd", "echo", "ls", "cat", "head", "tail", "grep", "sleep", "sh", "bash", "which"];

/// Whether a command asks for a list or a state, which the failed one did not: that cures nothing.
fn only_lists(failed: &str, worked: &str) -> bool {
    let asks = |command: &str| command.split_whitespace().any(|word| matches!(word, "list" | "status"));
    asks(worked) && !asks(failed)
}

/// Whether one command runs all that another one runs, except for what only shows something. A chain without the step that
/// failed has not done its work.
fn runs_all(failed: &str, worked: &str) -> bool {
    let does = steps(worked);
    let base = |step: &crate::shell::Step<'_>| {
        step.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned()
    };
    let wanted = steps(failed);
    let wanted: Vec<_> = wanted.iter().filter(|step| !SHOWING.contains(&step.program)).collect();
    wanted.len() < 2 || wanted.iter().all(|step| does.iter().any(|other| base(other) == base(step)))
}

/// Whether two commands work on the same thing: they name the same file, image or address, or run the same program and one of
/// them names nothing.
fn shares(failed: &str, worked: &str) -> bool {
    let programs = steps(failed);
    let runs = |step: &crate::shell::Step<'_>| {
        !SHOWING.contains(&step.program) && programs.iter().any(|other| other.name() == step.name())
    };
    let (before, after) = (objects(failed), objects(worked));
    if before.is_empty() || after.is_empty() {
        return steps(worked).iter().any(runs);
    }
    after.iter().any(|object| before.contains(object))
}

/// The words of a command that name what it works on, and not where.
fn objects(command: &str) -> Vec<&str> {
    let words =
        command.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '(' | ')' | '|' | '<' | '>'));
    let mut before = "";
    let mut objects = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        let is_folder = matches!(std::mem::replace(&mut before, word), "cd" | "pushd");
        let is_name = word.len() > 3 && !word.starts_with('-') && !word.starts_with("/dev/");
        if is_name && !is_folder && word.contains(['.', '/', ':', '_']) {
            objects.push(word);
        }
    }
    objects
}

/// Whether two commands have the same script in them, or none: one that was written for this use is what the command does.
fn has_same_script(failed: &str, worked: &str) -> bool {
    let words = |script: &'_ str| script.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    match (script(failed), script(worked)) {
        (Some(one), Some(other)) => {
            let (one, other) = (words(one), words(other));
            // The failed command may be cut off.
            let least = one.len().min(other.len()).saturating_sub(1);
            one.get(..least) == other.get(..least) && (failed.len() >= MAX_AWAITED - 4 || one.len() == other.len())
        }
        (None, None) => true,
        _ => false,
    }
}

/// The script in a command: what follows `-c` or `-e` of an interpreter, or the first here-document.
fn script(command: &str) -> Option<&str> {
    const MARKS: [&str; 6] = ["python -c ", "python3 -c ", "node -e ", "ruby -e ", "perl -e ", "<<"];
    MARKS.iter().find_map(|mark| command.split_once(mark)).map(|(_, script)| script)
}

/// Whether a tool edits files, judged by its name.
pub(crate) fn is_editor(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["edit", "replace", "patch", "write"].iter().any(|word| tool.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_remedy() {
        assert!(only_lists("git worktree remove ../a", "git worktree list"));
        assert!(!only_lists("x list --all", "x list"));
        assert!(!only_lists("git worktree remove ../a", "git worktree remove /w/a"));
    }
    use gephost_gene::run_log::FailureKind;

    fn call(event: u64, input: &str) -> Call<'_> {
        Call { event, kind: FailureKind::Permission, input, ..Call::FAILED }
    }

    #[test]
    fn another_command_worked_only_if_it_does_the_same() {
        for (failed, worked, is_same) in [
            ("python a.py", "python3 a.py", true),
            ("docker run -it web:latest", "docker run web:latest", true),
            ("timeout 9 npm test", "npm test", true),
            ("cat /w/a.json | jq .x", "sed -n 1,9p /w/a.json", true),
            ("timeout 10s cat /w/start.sh", "sh -x /b.sh", false),
            ("ls docs && cat a.md 2>/dev/null", "ls src && cat b.md 2>/dev/null", false),
            ("cd /w && pytest tests/a.py", "cd /w && pytest tests/b.py", false),
            ("bash /w/test.sh", "bash /w/test.sh || echo none", false),
        ] {
            let mut mended = Mended::default();
            mended.wait(&call(1, failed), "");
            mended.replace(&call(2, worked), 1, true);
            assert_eq!(mended.instead(1), is_same.then_some(worked), "{failed}");
        }
    }

    #[test]
    fn what_worked_next_runs_the_program_and_the_script_that_failed() {
        for (program, failed, worked, is_same) in [
            ("rg", "git diff -U30 | rg '(x'", "git diff --unified=20", false),
            ("git", "git diff -U30 | rg '(x'", "git diff --unified=20", true),
            ("python3", "cd a && python3 -c 'print(1 +)'", "cd b && python3 -c 'import os; print(2)'", false),
            ("python3", "cd a && python3 -c 'print(1)'", "cd b && python3 -c 'print(1)'", true),
            ("python3", "cd a && python3 x.py", "cd b && python3 x.py", true),
            ("python3", "python3 x.py", "python3 - <<'E'\nprint(1)\nE", false),
        ] {
            let mut mended = Mended::default();
            mended.wait(&call(1, failed), program);
            assert_eq!(mended.replace(&call(2, worked), 1, false), is_same, "{failed}");
        }
    }

    #[test]
    fn paths_of_windows_are_shown_as_they_are() {
        assert_eq!(shown(r"C:\\Users\\a\\web\\b.js").as_deref(), Some(r"…\web\b.js"));
        assert_eq!(shown(r"C:\Users\a\web\b.js").as_deref(), Some(r"…\web\b.js"));
        assert_eq!(shown("/w/b.js").as_deref(), Some("/w/b.js"));
    }

    #[test]
    fn the_files_of_a_long_way_are_not_told() {
        let mut mended = Mended::default();
        let edit = |file: &str| format!("{{\"file_path\":\"/w/{file}\"}}");
        for (event, files) in [(1, &["a.rs"][..]), (2, &["a.rs", "b.rs", "c.rs", "d.rs"])] {
            mended.fail(&call(event, "make"), Some(event));
            for file in files {
                mended.succeed(&Call { name: "Edit", failed: false, ..call(9, &edit(file)) }, None);
            }
            mended.succeed(&call(10, "make"), Some(event));
        }
        assert_eq!(mended.files(1), ["/w/a.rs"]);
        assert!(mended.files(2).is_empty());
    }

    #[test]
    fn what_worked_with_sudo_is_known() {
        let mut mended = Mended::default();
        mended.deny(&call(1, r#"{"file_path":"/etc/a.xml"}"#));
        mended.deny(&call(2, "apt-get install -y unrar | tail -3"));
        mended.deny(&call(3, "rm /b"));
        mended.deny(&call(4, "sudo make install"));
        mended.allow(&call(5, "sudo cat /etc/a.xml > /tmp/a"));
        mended.allow(&call(6, "sudo apt-get install -y unrar"));
        mended.allow(&call(7, "sudo make install"));
        assert_eq!(mended.with_sudo(&[1, 2, 3, 4]), 2);
        assert_eq!(mended.with_sudo(&[3, 4]), 0);
    }
}

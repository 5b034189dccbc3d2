//! Reads a command line as far as judging needs it: which programs it runs, in what order, and whether their exit codes
//! can be lost. This is not a shell: a program that it does not recognise has no special role.

mod codes;
mod document;
mod logs;
mod otherwise;
mod probe;
mod proof;
mod role;
mod split;
mod wrap;

use codes::Codes;
pub(crate) use logs::logs;
use role::role;
pub(crate) use role::without_prefixes;
pub(super) use role::{Role, lints};
pub(crate) use split::{Join, split};
use wrap::{Inner, inner};

/// A part of a command line, and its output.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub(super) command: Command,
    pub(super) output: &'t str,
    pub(super) end: End,
}

/// What is known of the exit code of a section.
#[derive(Debug)]
pub(super) enum End {
    /// Nothing: the code of its last step is that of the line.
    Open,
    /// What follows ignores it.
    Lost,
    /// The line printed it.
    Code {
        code: i64,
        /// The part of the section that the code belongs to.
        of: Command,
        /// Whether the code says nothing about other steps that can fail.
        others_lost: bool,
    },
    /// A test, lint or build was followed by `|| echo TEXT`, and the text was printed.
    SaidFailed,
}

#[derive(Debug, Clone)]
struct Step {
    join: Join,
    role: Role,
    words: Vec<String>,
    /// Whether the line expects that it may fail: `… || true`, `… || echo none`.
    excused: bool,
    /// Whether a wrapper that shortens the output, or starts the program apart, may lose its exit code.
    shortened: bool,
}

/// A command line, split into steps.
#[derive(Debug, Default)]
pub(super) struct Command {
    steps: Vec<Step>,
    /// `set -o pipefail`: a pipe loses no exit code.
    pipefail: bool,
    /// `set -e`: a line end loses no exit code.
    errexit: bool,
    /// A step runs in a container or on another machine.
    elsewhere: bool,
    /// A line for another shell stands in double quotes and prints `$?`, so that it prints the code of what ran before the
    /// whole line: `ssh host "make; echo $?"`.
    prints_another_code: bool,
    /// Files into which the line writes what its programs print.
    own_logs: Vec<String>,
}

/// Wrappers that shorten the output of the program after them, and may exit with code 0 when it fails.
const SHORTEN: [&str; 1] = ["rtk"];
/// Programs that start another one, and whose code is not that of what they started.
const START: [&str; 2] = ["Start-Process", "saps"];

/// Programs that show something, whose arguments are no files.
const NAME_NO_FILES: [&str; 9] =
    ["curl", "wget", "gh", "glab", "docker", "podman", "kubectl", "systemctl", "journalctl"];
/// Words that end a loop or a condition.
const CLOSES: [&str; 4] = ["done", "fi", "esac", "}"];

/// Most bytes and steps of a command line that are read. Longer scripts do not change the judgement.
const MAX_BYTES: usize = 16 * 1024;
const MAX_STEPS: usize = 256;
/// Most arguments of a `printf` that are put into its text.
const MAX_PRINTED: usize = 8;
/// Most wrappers around wrappers that are taken off.
const MAX_WRAPPERS: usize = 4;

/// Whether the log does not have the end of a line.
pub(super) fn is_cut(line: &str) -> bool {
    line.trim_end().ends_with('…')
}

impl Command {
    pub(super) fn read(line: &str) -> Self {
        let mut command = Self::default();
        command.add_line(line, Join::First, MAX_WRAPPERS);
        if line.contains("<<") {
            for script in document::scripts(line) {
                command.add_line(script, Join::Then, MAX_WRAPPERS);
            }
        }
        if line.contains('>') {
            command.own_logs = logs(line).into_iter().map(|log| log.path.to_owned()).collect();
        }
        if is_cut(line) {
            command.add_what_is_cut();
        }
        command.excuse();
        command
    }

    /// Adds a step for the rest of a line whose end the log does not have, if nothing that is left prints anything.
    fn add_what_is_cut(&mut self) {
        let is_quiet = |step: &Step| step.role == Role::Quiet || step.words.len() == 1 && step.is("cat");
        if self.steps.iter().all(is_quiet) {
            let words = vec!["…".to_owned()];
            self.steps.push(Step { join: Join::Then, role: Role::Other, words, excused: false, shortened: false });
        }
    }

    fn add_line(&mut self, line: &str, first: Join, wrappers: usize) {
        let line = line.get(..line.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        for (at, (join, words)) in split(line).into_iter().enumerate() {
            self.add_step(words, if at == 0 { first } else { join }, wrappers, line);
        }
    }

    /// Adds a step of `whole`, the line in which it stands.
    fn add_step(&mut self, words: Vec<String>, join: Join, wrappers: usize, whole: &str) {
        let keeps_code = words.len() == 1 && words.first().is_some_and(|word| codes::kept(word).is_some());
        let mut words = if keeps_code { words } else { without_prefixes(words) };
        let shortened = words.len() > 1 && words.first().is_some_and(|word| SHORTEN.contains(&word.as_str()));
        if shortened {
            words.remove(0);
        }
        if !shortened && role(&words) == Role::Other && wrap::passes_on(&words) {
            words.remove(0);
        }
        self.elsewhere |= wrap::runs_elsewhere(&words);
        match inner(&words).filter(|_| wrappers > 0) {
            Some(Inner::Line(line)) => {
                let before = whole.find(&line).and_then(|at| whole.get(..at));
                self.prints_another_code |= line.contains("$?") && before.is_some_and(|before| before.ends_with('"'));
                return self.add_line(&line, join, wrappers - 1);
            }
            Some(Inner::Words(words)) => return self.add_step(words, join, wrappers - 1, whole),
            None => {}
        }
        if words.is_empty() || self.steps.len() >= MAX_STEPS {
            return;
        }
        if words.first().is_some_and(|word| word == "set") {
            let flags = |flag: char| words.iter().any(|word| word.starts_with('-') && word.contains(flag));
            self.errexit |= flags('e');
            self.pipefail |= words.iter().any(|word| word == "pipefail");
        }
        let role = if keeps_code { Role::Quiet } else { role(&words) };
        let shortened = shortened || words.first().is_some_and(|word| START.contains(&word.as_str()));
        self.steps.push(Step { join, role, words, excused: false, shortened });
    }

    /// Marks the text before `|| true` and the like, unless the other side ends the line or prints the exit code.
    fn excuse(&mut self) {
        let mut excused = false;
        for step in self.steps.iter_mut().rev() {
            step.excused = excused;
            let ends = ["exit", "return", "false"].iter().any(|program| step.is(program));
            let prints_code = step.words.iter().any(|word| word.contains("$?"));
            match step.join {
                Join::Or => excused = !ends && !prints_code,
                Join::First | Join::Then => excused = false,
                Join::And | Join::Pipe => {}
            }
        }
    }

    /// A part of this line.
    fn part(&self, steps: Vec<Step>) -> Self {
        Self {
            steps,
            pipefail: self.pipefail,
            errexit: self.errexit,
            elsewhere: self.elsewhere,
            prints_another_code: self.prints_another_code,
            own_logs: self.own_logs.clone(),
        }
    }

    /// The role of the last step, whose exit code is that of the line. `x | head` and `x | wc -l` end with a filter.
    pub(super) fn last_role(&self) -> Option<Role> {
        self.deciding().map(|step| step.role)
    }

    /// The step whose code is that of a line that failed: `… && echo ok` did not fail at its `echo`, and the code of a loop
    /// is that of the last step in it.
    fn deciding(&self) -> Option<&Step> {
        let mut steps = self.steps.iter().rev();
        let mut last = steps.next()?;
        while last.role == Role::Quiet && last.join == Join::And || CLOSES.iter().any(|word| last.is(word)) {
            last = steps.next()?;
        }
        Some(last)
    }

    /// Whether no step before the last can have ended the line. With code 1, `a && b && grep` may have stopped at `a`.
    /// An empty output does not show where it stopped; output of `a` does, unless `a` prints a line or two when it works.
    pub(super) fn earlier_steps_are_quiet(&self, output: &str) -> bool {
        const MAX_LINES: usize = 3;
        let chained = self.steps.iter().any(|step| step.join == Join::And);
        let at = self.steps.iter().rposition(|step| !(step.role == Role::Quiet && step.join == Join::And));
        let earlier = self.steps.get(..at.unwrap_or_default()).unwrap_or_default();
        let acts = |step: &Step| step.role == Role::Other && step.is_service();
        let only_act = earlier.iter().all(|step| !step.can_fail() || acts(step));
        !chained
            || output.is_empty()
            || !earlier.iter().any(Step::can_fail)
            || only_act && output.lines().count() <= MAX_LINES
    }

    /// Whether every step only shows, searches, compares, asks or prints.
    pub(super) fn only_reads(&self) -> bool {
        !self.steps.iter().any(Step::can_fail)
    }

    /// Whether the line has the form `A && echo yes || echo no`: it asks a question, so either answer is a success. If A
    /// tests, lints or builds, it is no question.
    pub(super) fn prints_yes_or_no(&self) -> bool {
        let at = self.steps.windows(2).position(|pair| {
            pair.iter().map(|step| step.join).eq([Join::And, Join::Or]) && pair.iter().all(|step| step.is("echo"))
        });
        let asks = |at: usize| at.checked_sub(1).and_then(|before| self.steps.get(before));
        at.is_some_and(|at| asks(at).is_none_or(|step| step.role != Role::Check))
    }

    /// Whether a step tests, lints or builds.
    pub(super) fn runs_check(&self) -> bool {
        self.steps.iter().any(|step| step.role == Role::Check)
    }

    /// Whether the only step that does something interprets a script, which may print an error and end with code 0.
    pub(super) fn runs_only_a_script(&self) -> bool {
        const INTERPRETERS: [&str; 9] = ["python", "python3", "py", "node", "ruby", "perl", "php", "deno", "bun"];
        let mut loud = self.steps.iter().filter(|step| step.role != Role::Quiet);
        let first = loud.next().filter(|step| step.words.get(1).is_none_or(|word| word != "-m"));
        loud.next().is_none() && first.is_some_and(|step| INTERPRETERS.iter().any(|program| step.is(program)))
    }

    /// Whether a word of the line has this text in it.
    pub(super) fn spells(&self, text: &str) -> bool {
        self.steps.iter().flat_map(|step| &step.words).any(|word| word.contains(text))
    }

    /// Whether a step makes a commit.
    pub(super) fn commits(&self) -> bool {
        self.steps.iter().any(|step| step.is("git") && step.words.iter().any(|word| word == "commit"))
    }

    /// Whether a step of git that can fail is not excused, and its code is not that of the line: `git add a; git commit`.
    pub(super) fn hides_a_code_of_git(&self) -> bool {
        let hides = |(at, step): (usize, &Step)| {
            step.is("git")
                && step.can_fail()
                && !step.excused
                && self.code_is_lost_after(at)
                && !self.has_another_way(at)
        };
        self.steps.iter().enumerate().any(hides)
    }

    /// Whether all that the line does is show texts that people wrote, by a program without a role: `tracker comments 3 | jq .body`.
    pub(super) fn shows_texts(&self) -> bool {
        const TEXTS: [&str; 14] = [
            "comment",
            "comments",
            "describe",
            "history",
            "issue",
            "issues",
            "log",
            "logs",
            "notes",
            "read",
            "show",
            "ticket",
            "transcript",
            "view",
        ];
        const WRITE: [&str; 10] =
            ["add", "close", "create", "delete", "edit", "new", "remove", "send", "set", "update"];
        let named = |step: &Step, names: &[&str]| {
            let mut words = step.words.iter().skip(1).take(3).filter(|word| !word.starts_with('-'));
            words.any(|word| names.contains(&word.as_str()))
        };
        let shows = |step: &Step| step.role == Role::Other && named(step, &TEXTS) && !named(step, &WRITE);
        let mut acting = self.steps.iter().filter(|step| step.can_fail()).peekable();
        let lists = |step: &Step| step.role == Role::Other && step.words.get(1).is_some_and(|word| word == "list");
        let some = self.steps.iter().any(shows);
        acting.peek().is_some() && some && acting.all(|step| shows(step) || lists(step))
    }

    /// Whether the line of a commit must be among `lines` lines of output, because all of them are shown.
    pub(super) fn shows_its_commit(&self, lines: usize) -> bool {
        let commit = |step: &Step| step.is("git") && step.words.iter().any(|word| word == "commit");
        let Some(at) = self.steps.iter().position(commit) else { return false };
        let is_quiet = |word: &String| {
            let is_short = word.starts_with('-') && !word.starts_with("--") && word.contains('q');
            is_short || matches!(word.as_str(), "--quiet" | "--dry-run" | "--porcelain" | "--help")
        };
        let keeps_all = |step: &Step| match step.words.first().map(String::as_str) {
            Some("cat" | "tee") => true,
            Some("head" | "tail") => {
                let limit =
                    step.words.iter().find_map(|word| word.trim_start_matches(['-', 'n']).parse::<usize>().ok());
                limit.unwrap_or(10) > lines
            }
            _ => false,
        };
        let (commit, after) = (self.steps.get(at), self.steps.get(at + 1..).unwrap_or_default());
        commit.is_some_and(|step| !step.excused && step.join != Join::Or && !step.words.iter().any(is_quiet))
            && after.iter().take_while(|step| step.join == Join::Pipe).all(keeps_all)
    }

    /// Whether no filter shows only the beginning of what was printed, or chosen lines of it.
    pub(super) fn shows_the_end(&self) -> bool {
        let cuts = |step: &Step| step.is("head") || step.role == Role::Search || step.is("sed") || step.is("awk");
        !self.steps.iter().any(|step| step.join == Join::Pipe && cuts(step))
    }

    /// Whether a step shows the state of the repository.
    pub(super) fn shows_status(&self) -> bool {
        self.steps.iter().any(|step| step.is("git") && step.words.iter().any(|word| word == "status"))
    }

    /// Whether all steps are of git, or quiet.
    pub(super) fn is_only_git(&self) -> bool {
        self.steps.iter().all(|step| step.is("git") || step.role == Role::Quiet || step.join == Join::Pipe)
    }

    /// Splits the command at each `echo` that printed a line of the output: plain words, or an exit code. Each part gets
    /// the output printed before that line.
    pub(super) fn sections<'t>(&self, output: &'t str) -> Vec<Section<'t>> {
        let mut sections = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut codes = Codes::default();
        let mut rest = output;
        for step in &self.steps {
            if let Some((name, of_first)) = step.words.first().and_then(|word| codes::kept(word)) {
                codes.keep(name, of_first);
                continue;
            }
            let printed = step.prints().and_then(|text| codes.printed(&text, rest));
            if let Some(printed) = printed {
                let command = self.part(std::mem::take(&mut steps));
                let end = if self.prints_another_code {
                    End::Lost
                } else {
                    command.ended_with(printed.code, printed.of_first)
                };
                sections.push(Section { command, output: printed.before, end });
                rest = printed.after;
                continue;
            }
            let cut = step.printed().and_then(|line| at_line(rest, &line));
            match cut {
                Some((before, after)) => {
                    let checked = steps.iter().rev().find(|step| !step.is("echo"));
                    let is_check = checked.is_some_and(|step| step.role == Role::Check);
                    let failed = step.join == Join::Or && is_check && !step.says_what_is_missing(before);
                    let goes_on = step.join == Join::Or && checked.is_some_and(|checked| step.is_no_answer_to(checked));
                    let end = if failed {
                        End::SaidFailed
                    } else if goes_on || step.join == Join::Then && !self.errexit {
                        End::Lost
                    } else {
                        End::Open
                    };
                    if goes_on {
                        for step in &mut steps {
                            step.excused = false;
                        }
                    }
                    let command = self.part(std::mem::take(&mut steps));
                    sections.push(Section { command, output: before, end });
                    rest = after;
                }
                None => steps.push(step.clone()),
            }
        }
        sections.push(Section { command: self.part(steps), output: rest, end: End::Open });
        sections
    }

    /// The end of a section whose exit code the line printed. The code belongs to the last pipeline, or to its first
    /// program, and to what `&&` joins to it.
    fn ended_with(&self, code: i64, of_first: bool) -> End {
        let start = self.steps.iter().rposition(|step| matches!(step.join, Join::First | Join::Then)).unwrap_or(0);
        let (before, list) = self.steps.split_at_checked(start).unwrap_or_default();
        let pipe = list.iter().rposition(|step| step.join != Join::Pipe).unwrap_or(0);
        let filters = list.len().saturating_sub(pipe + 1);
        let keeps_first = of_first || self.pipefail || filters == 0;
        let of = list.get(..if of_first { pipe + 1 } else { list.len() }).unwrap_or_default();
        let others_lost = (!self.errexit && before.iter().any(Step::can_fail))
            || (!keeps_first && list.iter().any(Step::can_fail))
            || list.iter().any(|step| step.join == Join::Or);
        End::Code { code, of: self.part(of.to_vec()), others_lost }
    }

    /// Whether the exit code of a step that can fail is lost: the step is followed by a pipe, `||` or `;`, or runs in
    /// the background.
    pub(super) fn hides_codes(&self) -> bool {
        let lost =
            |(at, step): (usize, &Step)| step.can_fail() && self.code_is_lost_after(at) && !self.has_another_way(at);
        self.steps.iter().enumerate().any(lost) || self.steps.iter().any(|step| step.shortened && step.can_fail())
    }

    /// Whether the step at this position is followed by another way to do the same, whose code is that of the line: `a || b`
    /// with code 0 did what was asked. A test, lint or build that failed stays a failure.
    fn has_another_way(&self, at: usize) -> bool {
        let next = at + 1;
        let is_other = |step: &Step| step.join == Join::Or && step.can_fail() && !step.excused;
        let checks = self.steps.get(at).is_some_and(|step| step.role == Role::Check);
        !checks && self.steps.get(next).is_some_and(is_other) && !self.code_is_lost_after(next)
    }

    /// Whether any exit code is lost.
    pub(super) fn loses_any_code(&self) -> bool {
        let lost = |(at, next): (usize, &Step)| self.loses_code(next.join) && !self.has_another_way(at);
        self.steps.iter().skip(1).enumerate().any(lost)
    }

    /// Whether a step runs in a container or on another machine.
    pub(super) fn runs_elsewhere(&self) -> bool {
        self.elsewhere
    }

    /// Whether steps after a `cd` run even if it fails.
    pub(super) fn changes_directory_in_vain(&self) -> bool {
        let goes_on = |at: usize| {
            let mut after = self.steps.iter().skip(at + 1).map(|next| next.join);
            after.find(|join| *join != Join::And) == Some(Join::Then)
        };
        self.steps.iter().enumerate().any(|(at, step)| step.is("cd") && goes_on(at) && !self.errexit)
    }

    /// Whether the only steps that can fail are excused. A pipe takes the code of the step before it, so that `a | head || echo
    /// none` excuses nothing if it has not printed `none`. What was printed is not part of a section.
    pub(super) fn is_excused(&self) -> bool {
        let is_unprinted = |step: &Step| step.join == Join::Or && step.printed().is_some();
        let never_came = |at: usize| {
            let after = self.steps.get(at + 1..).unwrap_or_default();
            let piped = after.iter().take_while(|step| step.join == Join::Pipe && !self.pipefail).count();
            piped > 0 && after.get(piped).is_some_and(is_unprinted)
        };
        self.steps.iter().enumerate().all(|(at, step)| !step.can_fail() || step.excused && !never_came(at))
    }

    /// Whether the exit code of the step at this position is not that of the line. What `&&` joins to it does not run after
    /// a failure, and under `pipefail` a pipe keeps the code, so that what comes behind these decides.
    fn code_is_lost_after(&self, at: usize) -> bool {
        let mut after = self.steps.iter().skip(at + 1).map(|next| next.join);
        let decides = |join: &Join| !(matches!(join, Join::And) || matches!(join, Join::Pipe) && self.pipefail);
        after.find(decides).is_some_and(|join| self.loses_code(join))
    }

    /// Whether the exit code of a step is lost if it is joined to the next one in this way.
    fn loses_code(&self, next: Join) -> bool {
        match next {
            Join::Pipe => !self.pipefail,
            Join::Then => !self.errexit,
            Join::Or => true,
            Join::First | Join::And => false,
        }
    }

    /// Steps that only show something and whose exit code is lost. `last_lost` says whether that of the last step is.
    pub(super) fn readers_with_lost_code(&self, last_lost: bool) -> impl Iterator<Item = &[String]> {
        let after = self.steps.iter().skip(1).map(|next| self.loses_code(next.join)).chain([last_lost]);
        let reads = |step: &Step| !step.can_fail() && step.role != Role::Quiet && !step.excused;
        let lost = move |(step, lost): &(&Step, bool)| reads(step) && *lost;
        self.steps.iter().zip(after).filter(lost).map(|(step, _)| step.words.as_slice())
    }

    /// Whether a step runs a program.
    pub(super) fn runs(&self, program: &str) -> bool {
        self.steps.iter().any(|step| step.is(program))
    }

    /// The programs that print something of their own.
    pub(super) fn programs(&self) -> Vec<&str> {
        let loud = self.steps.iter().filter(|step| step.role != Role::Quiet);
        loud.filter_map(|step| step.words.first()).map(String::as_str).collect()
    }

    /// How many files or folders the programs that read were told to read.
    pub(super) fn places(&self) -> usize {
        const WITH_VALUE: [&str; 12] =
            ["-A", "-B", "-C", "-T", "-d", "-f", "-g", "-m", "-maxdepth", "-n", "-name", "-t"];
        let named = |step: &Step| {
            // Nothing can be compared with what is missing.
            if step.role == Role::Compare {
                return 1;
            }
            let mut words = step.words.iter().skip(1);
            let mut names = 0usize;
            while let Some(word) = words.next() {
                if step.is("find") && word.starts_with('-') {
                    break;
                }
                if WITH_VALUE.contains(&word.as_str()) && !step.is("sed") {
                    words.next();
                } else if !word.starts_with('-') && !word.bytes().all(|byte| byte.is_ascii_digit()) {
                    names += 1;
                }
            }
            // The first one is a pattern or a script.
            let script = step.role == Role::Search || ["sed", "awk", "jq", "yq"].iter().any(|program| step.is(program));
            names.saturating_sub(usize::from(script))
        };
        let fetches = |step: &Step| NAME_NO_FILES.iter().any(|program| step.is(program));
        let reads = |step: &Step| step.join != Join::Pipe && step.role != Role::Quiet && !fetches(step);
        // Of `ls a || ls b`, either is enough.
        let is_alternative = |at: usize| {
            let mut after = self.steps.iter().skip(at + 1).map(|next| next.join);
            after.find(|join| *join != Join::Pipe) == Some(Join::Or)
        };
        let counted = |(at, step): &(usize, &Step)| reads(step) && !is_alternative(*at);
        self.steps.iter().enumerate().filter(counted).map(|(_, step)| named(step)).sum()
    }

    /// The words of the last step.
    pub(super) fn last_words(&self) -> &[String] {
        self.deciding().map_or(&[], |step| step.words.as_slice())
    }

    /// Whether a step shows a file or a log itself, not as a filter. Error lines in the output may come from that file.
    pub(super) fn shows_a_file(&self) -> bool {
        const SHOWS: [&str; 10] = ["cat", "tail", "head", "less", "sed", "grep", "rg", "nl", "bat", "jq"];
        // `cat` alone writes a here-document to a file.
        let shows = |step: &Step| step.words.len() > 1 && SHOWS.iter().any(|program| step.is(program));
        let shows = |step: &Step| shows(step) && !self.shows_only_own_logs(&step.words);
        self.steps.iter().any(|step| step.join != Join::Pipe && step.role != Role::Other && shows(step))
    }

    /// The first program, if later ones only filter what it prints or print nothing of their own.
    pub(super) fn filtered(&self) -> Option<&[String]> {
        let mut loud = self.steps.iter().filter(|step| step.role != Role::Quiet);
        let first = loud.next()?;
        loud.all(|step| step.join == Join::Pipe || step.can_fail()).then_some(first.words.as_slice())
    }

    /// Whether the output is the number of lines with an error that a test, a linter or a compiler printed:
    /// `tsc | grep -c error`, `tsc | grep error | wc -l`.
    pub(super) fn counts_errors(&self) -> bool {
        let names_errors = |step: &Step| {
            step.role == Role::Search
                && step.words.iter().any(|word| {
                    let word = word.to_ascii_lowercase();
                    word.contains("error") || word.contains("fail")
                })
        };
        let Some((last, before)) = self.steps.split_last().filter(|(last, _)| last.join == Join::Pipe) else {
            return false;
        };
        let piped = before.iter().rev().take_while(|step| step.join == Join::Pipe);
        let checks =
            before.iter().rev().find(|step| step.join != Join::Pipe).is_some_and(|step| step.role == Role::Check);
        let counts = last.words.iter().any(|word| word == "-c" || word == "--count") && names_errors(last);
        // These print nothing but what is wrong.
        let prints_only_errors = before.iter().rev().find(|step| step.join != Join::Pipe).is_some_and(|step| {
            let builds = step.is("go") && step.words.get(1).is_some_and(|word| word == "build" || word == "vet");
            builds || step.is("tsc") || step.is("flake8")
        });
        let counted = step_counts(before);
        checks && (counts || counted || (last.is("wc") && (prints_only_errors || piped.into_iter().any(names_errors))))
    }
}

/// Whether the program in front of the pipes prints the number of its problems last: `flake8 --count a.py | tail -1`.
fn step_counts(before: &[Step]) -> bool {
    let first = before.iter().rev().find(|step| step.join != Join::Pipe);
    first.is_some_and(|step| step.is("flake8") && step.words.iter().any(|word| word == "--count"))
}

/// The text before and after the first line that equals `line`.
fn at_line<'t>(output: &'t str, line: &str) -> Option<(&'t str, &'t str)> {
    memchr::memmem::find(output.as_bytes(), line.as_bytes())?;
    let mut at = 0;
    for found in output.split_inclusive('\n') {
        let end = at + found.len();
        if found.trim() == line {
            return Some((output.get(..at)?, output.get(end..)?));
        }
        at = end;
    }
    None
}

impl Step {
    /// The line that an `echo` of plain words prints.
    fn printed(&self) -> Option<String> {
        let words = self.words.iter().skip(1).filter(|word| !matches!(word.as_str(), "-e" | "-n"));
        let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
        let plain = !line.contains(['$', '`', '\\']) && !line.trim().is_empty();
        (self.is("echo") && self.join != Join::Pipe && plain).then(|| line.trim().to_owned())
    }

    /// What an `echo` or `printf` was given to print.
    fn prints(&self) -> Option<String> {
        let (program, words) = self.words.split_first().filter(|_| self.join != Join::Pipe)?;
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !matches!(*word, "-e" | "-n")).collect();
        match (program.as_str(), words.as_slice()) {
            ("printf", [form, arguments @ ..]) if !arguments.is_empty() => {
                Some(arguments.iter().take(MAX_PRINTED).fold((*form).to_owned(), |text, argument| {
                    let at = ["%s", "%d"].iter().filter_map(|place| text.find(place)).min();
                    let (before, after) = at.and_then(|at| text.split_at_checked(at)).unwrap_or((&text, ""));
                    format!(
                        "{before}{}{}",
                        if at.is_some() { argument } else { "" },
                        after.get(2..).unwrap_or_default()
                    )
                }))
            }
            ("echo" | "printf" | "Write-Output" | "Write-Host", words) => Some(words.join(" ")),
            _ => None,
        }
    }

    /// Whether its exit code says that something failed.
    fn can_fail(&self) -> bool {
        matches!(self.role, Role::Check | Role::Other)
    }

    /// Whether it starts or stops a service, and then prints its name.
    fn is_service(&self) -> bool {
        ["docker", "podman", "kubectl", "systemctl", "service", "pm2"].iter().any(|program| self.is(program))
    }

    fn is(&self, program: &str) -> bool {
        self.words.first().is_some_and(|word| word == program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(line: &str) -> Vec<Role> {
        Command::read(line).steps.into_iter().map(|step| step.role).collect()
    }

    #[test]
    fn steps_and_roles() {
        use Role::{Check, Compare, Other, Question, Quiet, Search, Show};
        assert_eq!(roles("cd /a && go test ./... 2>&1 | tail -20"), [Quiet, Check, Show]);
        assert_eq!(roles("FOO=1 timeout 30 npx vitest run || true"), [Check, Quiet]);
        assert_eq!(roles("git -C /r diff; git grep x | head; git diff --quiet"), [Show, Search, Show, Compare]);
        assert_eq!(roles("grep 'a && b | c' f > out.txt"), [Search]);
        assert_eq!(roles("command -v foo"), [Question]);
        assert_eq!(roles("python - <<'EOF'\nimport a; b | c\nEOF\nls"), [Other, Show]);
        assert_eq!(roles("npm run lint:fix & sleep 1"), [Check, Quiet]);
        assert_eq!(roles("sed -i s/a/b/ f; sed -n 1p f"), [Other, Show]);
        assert_eq!(roles("gh run view 3 --log-failed"), [Show]);
        assert_eq!(roles("# a comment; pytest\nls"), [Show]);
    }

    #[test]
    fn codes_that_are_lost() {
        assert!(Command::read("make test | tail").hides_codes());
        assert!(Command::read("./x || true").hides_codes());
        assert!(Command::read("./x; echo done").hides_codes());
        assert!(!Command::read("cd a && ./x && echo done").hides_codes());
        assert!(!Command::read("cat a | head").hides_codes());
    }

    #[test]
    fn checks_are_seen() {
        assert!(Command::read("git rev-parse x && echo yes || echo no").prints_yes_or_no());
        assert!(!Command::read("./x || echo failed").prints_yes_or_no());
    }

    #[test]
    fn garbage_is_read_too() {
        for line in ["", "'", "\"\\", "<<", "<<<", "((((", "a <<E", "||&&;;|", "\\", "$(", "> > >", "if ! then"] {
            let _ = Command::read(line);
        }
        assert_eq!(Command::read(&"a|".repeat(100_000)).steps.len(), MAX_STEPS);
    }
}

//! Whether the exit code 0 of a line says that its steps worked.

use super::{Command, End, Join, Step};

/// Filters that show the end of what they read, where an error stands.
const SHOW_THE_END: [&str; 3] = ["tail", "cat", "tee"];
/// How a line hides what its programs complain about.
pub(super) const HIDES: [&str; 9] = [
    "2>/dev/null",
    "2> /dev/null",
    "&>/dev/null",
    "2>$null",
    "2> $null",
    "2>nul",
    "-ErrorAction SilentlyContinue",
    "-ErrorAction Ignore",
    "-EA SilentlyContinue",
];

impl Command {
    /// Whether a line that ended with code 0 and printed `output` shows by either that its steps worked. `|| true`, a step
    /// whose code a later one replaces, and a pipe that cuts the end off show nothing, unless a summary says it.
    pub(in super::super) fn is_proven(&self, line: &str, output: &str, says_passed: impl Fn(&str) -> bool) -> bool {
        if !self.loses_a_code() {
            return true;
        }
        let is_printed = |step: &Step| step.printed().is_some_and(|line| super::at_line(output, &line).is_some());
        if self.steps.iter().any(|step| step.join == Join::Or && is_printed(step)) {
            return false;
        }
        let hides = HIDES.iter().any(|hides| line.contains(hides));
        let mut sections = self.sections(output).into_iter();
        sections.all(|section| match section.end {
            End::SaidFailed => false,
            End::Code { code, others_lost, .. } => code == 0 && !others_lost,
            End::Open => says_passed(section.output) || section.command.shows_success(section.output, hides, false),
            End::Lost => says_passed(section.output) || section.command.shows_success(section.output, hides, true),
        })
    }

    /// Whether the code of a step that runs this program is lost, and the step is not expected to fail. `last_lost` says
    /// whether that of the last step is.
    pub(in super::super) fn loses_the_code_of(&self, program: &str, last_lost: bool) -> bool {
        let end = self.steps.len().saturating_sub(1);
        let is_lost = |at: usize| self.code_is_lost_after(at) || last_lost && at == end;
        self.steps.iter().enumerate().any(|(at, step)| step.is(program) && !step.excused && is_lost(at))
    }

    /// Whether a step has this word behind its program, or an option of this name with a value.
    pub(in super::super) fn has_word(&self, word: &str) -> bool {
        let is = |other: &String| other == word || other.split_once('=').is_some_and(|(name, _)| name == word);
        self.steps.iter().any(|step| step.role != super::Role::Quiet && step.words.iter().skip(1).any(is))
    }

    /// Whether a step runs this script, by its path or by a shell.
    pub(in super::super) fn runs_script(&self, script: &str) -> bool {
        const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "fish"];
        let named = |step: &Step| step.words.iter().any(|word| word == script);
        let shell = |step: &Step| SHELLS.iter().any(|shell| step.is(shell));
        self.steps.iter().any(|step| step.is(script) || shell(step) && named(step))
    }

    /// Whether the exit code of a step that does something is not that of the line.
    fn loses_a_code(&self) -> bool {
        let lost = |(at, step): (usize, &Step)| step.shortened || step.does_something() && self.code_is_lost_after(at);
        self.steps.iter().enumerate().any(lost)
    }

    fn shows_success(&self, output: &str, hides: bool, last_lost: bool) -> bool {
        let end = self.steps.len().saturating_sub(1);
        let is_lost = |at: usize| self.code_is_lost_after(at) || last_lost && at == end;
        let mut lost =
            self.steps.iter().enumerate().filter(|(at, step)| step.does_something() && is_lost(*at)).peekable();
        if lost.peek().is_none() {
            return true;
        }
        let answers: Vec<String> = self.steps.iter().filter_map(Step::printed).collect();
        let mut shown = output.lines().map(str::trim).filter(|line| !line.is_empty());
        if !shown.any(|line| !answers.iter().any(|answer| answer == line)) {
            return false;
        }
        let sources = self.steps.iter().filter(|step| step.does_something() && step.join != Join::Pipe).count();
        lost.all(|(at, step)| {
            if !step.can_fail() {
                // A program that reads shows its success, if what is shown is its own.
                return !hides || sources == 1;
            }
            match self.steps.get(at + 1) {
                Some(next) if next.join == Join::Pipe => SHOW_THE_END.iter().any(|filter| next.is(filter)),
                _ => false,
            }
        })
    }
}

impl Step {
    fn does_something(&self) -> bool {
        self.role != super::Role::Quiet
    }
}

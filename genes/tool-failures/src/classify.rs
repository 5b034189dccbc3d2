//! From one failure to its cause: the line that explains it, the program that it is about, and the names in it.

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::cause::Cause;
use crate::cause_line::{Weight, cause_line, is_diagnostic, is_thrown};
use crate::line::{quoted_names, untagged};
use crate::names;
use crate::places;
use crate::sentences::{self, Match};
use crate::shell::{FILTERS, Step, WRAPPERS, announced, steps};
use crate::step::failed_step;

/// Longer lines are data or minified code, and no message.
const MAX_LINE_BYTES: usize = 600;
/// Lines at the start and at the end of an output in which a known sentence is looked for.
const SEARCHED_LINES: usize = 200;
/// Programs that only show something.
const SHOWING: [&str; 12] = ["cat", "ls", "head", "tail", "find", "grep", "rg", "wc", "xxd", "file", "stat", "which"];
/// Texts before what a failing tool itself suggests.
const SUGGESTIONS: [&str; 9] = [
    "help: ",
    "hint: ",
    "Did you mean ",
    "did you mean ",
    "Perhaps you meant ",
    "The most similar command is",
    "Usage: ",
    "To fix this, run ",
    "Try: ",
];

/// What is known of one failure.
#[derive(Debug)]
pub(crate) struct Classified<'a> {
    pub(crate) cause: Cause,
    /// The program, or the tool if the call runs none.
    pub(crate) program: String,
    /// Names in the message, as they are counted and shown.
    pub(crate) names: Vec<String>,
    /// The line that explains the failure; empty if there is none.
    pub(crate) line: &'a str,
    pub(crate) weight: Weight,
    pub(crate) place: Option<(&'a str, u32)>,
    /// What the failing tool suggests.
    pub(crate) suggestion: Option<&'a str>,
    /// The step of a chain or script that failed, if the output says it.
    pub(crate) step: Option<String>,
}

/// The cause of a failure. `runs_commands`: the tool's input is a command line. `places` are those that the output names.
pub(crate) fn classify<'a>(call: &Call<'a>, runs_commands: bool, places: &[(&'a str, u32)]) -> Classified<'a> {
    let steps = if runs_commands { steps(call.input) } else { Vec::new() };
    let place = places::main(call, places);
    let suggestion = suggestion(call.output);
    if let Some((line, mut found)) = known(call) {
        // `cd src` fails in `src` itself, or one level above or below.
        let moves = found.cause == Cause::Path && changes_folder(line);
        if moves {
            found.cause = Cause::Folder;
        }
        // The shell ran a name between backticks, which was meant as text.
        if found.cause == Cause::Program && !found.name.is_empty() && call.input.contains(&format!("`{}", found.name)) {
            found.cause = Cause::Shell;
        }
        let program =
            if found.cause.is_about_tool() { call.name.to_owned() } else { program(call, line, &steps, found.cause) };
        let names = names_of(call, line, &found, &program);
        let step = failed_step(call, &steps, &program);
        return Classified {
            cause: found.cause,
            program,
            names,
            line,
            weight: Weight::Typical,
            place,
            suggestion,
            step,
        };
    }
    let (line, weight) = match cause_line(call.output, call.kind) {
        // A tool that runs no command says first what is wrong; below may be anything.
        (_, weight) if weight <= Weight::Trouble && steps.is_empty() && !call.exception => {
            (first_words(call.output), weight)
        }
        found => found,
    };
    let cause = match Cause::of_kind(call.kind) {
        Cause::Error if weight <= Weight::Text && !call.exception => Cause::Silent,
        cause => cause,
    };
    let cause = match cause {
        // A linter that another program runs.
        Cause::Error
            if names::rules(call.output)
                .first()
                .is_some_and(|rule| is_diagnostic(line.trim()) || line.contains(rule.as_str())) =>
        {
            Cause::Problems
        }
        cause => cause,
    };
    let names = match cause {
        Cause::Tests => names::failed_tests(call.output),
        Cause::Problems => names::rules(call.output),
        Cause::EditText => names::file(call.input).map(str::to_owned).into_iter().collect(),
        // Together they are one name: the errors differ if any of them does.
        Cause::Error => Some(quoted_names(line).join(", ")).filter(|names| !names.is_empty()).into_iter().collect(),
        _ => Vec::new(),
    };
    let names: Vec<String> = names.iter().filter_map(|name| names::shown(name)).collect();
    let cause = match cause {
        // A compiler without codes: its message is the cause. A runner that names no test says more by its line, too.
        Cause::Problems | Cause::Tests if names.is_empty() && weight >= Weight::Error => Cause::Error,
        cause => cause,
    };
    let program = program(call, line, &steps, cause);
    let step = failed_step(call, &steps, &program);
    Classified { cause, program, names, line, weight, place, suggestion, step }
}

/// The line with a known sentence that explains the failure best.
fn known<'a>(call: &Call<'a>) -> Option<(&'a str, Match<'a>)> {
    let is_raised = call.output.contains("Traceback (most recent call last)");
    let count = if call.output.len() < 8192 { 0 } else { call.output.lines().count() };
    let near = |at: usize| at < SEARCHED_LINES || at + SEARCHED_LINES >= count;
    let mut best: Option<(u8, &str, Match<'a>)> = None;
    for (at, line) in call.output.lines().enumerate() {
        if line.len() < 4
            || line.len() > MAX_LINE_BYTES
            || !near(at)
            || (is_content(line) && call.kind != FailureKind::CompileLint)
        {
            continue;
        }
        let Some(found) = sentences::find(line).filter(|found| fits(found.cause, call, line)) else { continue };
        // A message that begins with a program's or an error's name is its own; elsewhere it may be quoted.
        let level = u8::from(!found.cause.is_general()) * 4
            + u8::from(begins_as_message(line)) * 2
            + u8::from(!found.name.is_empty());
        let is_better = best.as_ref().is_none_or(|(known, _, _)| level > *known || (level == *known && is_raised));
        if is_better {
            best = Some((level, line.trim(), found));
        }
    }
    best.map(|(_, line, found)| (line, found))
}

/// Whether the cause can be that of a failure of this kind. Outputs of tests and compilers quote messages of all sorts.
fn fits(cause: Cause, call: &Call<'_>, line: &str) -> bool {
    match call.kind {
        FailureKind::EditMismatch => cause.is_about_edits(),
        FailureKind::TestFailure => {
            matches!(
                cause,
                Cause::NoTests | Cause::Versions | Cause::Memory | Cause::Disk | Cause::Script | Cause::Program
            ) && begins_as_message(line)
        }
        FailureKind::CompileLint => matches!(
            cause,
            Cause::Versions
                | Cause::Memory
                | Cause::Disk
                | Cause::Script
                | Cause::OptionRefused
                | Cause::Program
                | Cause::Module
        ),
        FailureKind::Traceback => is_thrown(line) || begins_as_message(line),
        FailureKind::Timeout => matches!(cause, Cause::Timeout | Cause::Overload),
        _ => !cause.is_about_edits() || is_editor(call.name),
    }
}

/// Whether a tool edits files, judged by its name.
fn is_editor(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["edit", "replace", "patch", "write"].iter().any(|word| tool.contains(word))
}

/// A line of a file or of a difference that was shown, and no message: `12→text`, `a.go:3: text`, `+text`.
fn is_content(line: &str) -> bool {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0
        && text.get(digits..).is_some_and(|rest| rest.starts_with(['\u{2192}', '\u{2502}', '\t', ':', '-', '|']));
    let is_changed = line.starts_with('+') || line.starts_with("- ") || line.starts_with("@@");
    numbered || is_changed || (is_diagnostic(text) && !text.contains("rror"))
}

/// Whether a line begins as a message of a program does: `error: …`, `git: …`, `/bin/sh: 1: …`, `[tag] error …`.
fn begins_as_message(line: &str) -> bool {
    let text = untagged(line);
    let head = text.split_whitespace().next().unwrap_or_default();
    let named = head.ends_with(':') && head.len() > 2;
    let lower = text.get(..text.floor_char_boundary(24)).unwrap_or_default().to_ascii_lowercase();
    named
        || ["error", "fatal", "npm err", "err_", "failed", "usage", "exception", "panic"]
            .iter()
            .any(|word| lower.contains(word))
}

/// The names that a known sentence is about.
fn names_of(call: &Call<'_>, line: &str, found: &Match<'_>, program: &str) -> Vec<String> {
    let file = || names::file(call.input).map(str::to_owned);
    let one = |name: Option<String>| name.into_iter().collect::<Vec<_>>();
    let in_message = || (!found.name.is_empty()).then(|| found.name.to_owned());
    let names = match found.cause {
        cause if cause.is_about_edits() => one(file()),
        Cause::TooLarge => one(file()),
        Cause::Path | Cause::Access => {
            // `File does not exist.` is about the path in the input; the rest of that line is advice.
            let in_line = || missing_path(line).or_else(|| names::path(line)).map(str::to_owned);
            one(if line.contains("File does not exist") { file().or_else(in_line) } else { in_line().or_else(file) })
        }
        Cause::Network => {
            one(in_message().or_else(|| names::host(line).or_else(|| names::host(call.input)).map(str::to_owned)))
        }
        Cause::Folder if changes_folder(line) => one(missing_path(line).map(|path| format!("cd {path}"))),
        Cause::Folder | Cause::Denied => one((!program.is_empty()).then(|| program.to_owned())),
        Cause::Versions => sentences::versions(line).into_iter().map(str::to_owned).collect(),
        _ => one(in_message()),
    };
    names.iter().filter_map(|name| names::shown(name)).collect()
}

/// Whether a shell says that it could not change to a folder.
fn changes_folder(line: &str) -> bool {
    line.contains("cd: ") || line.contains("cd:1: ") || line.contains("can't cd to ")
}

/// The path in `cat: a/b: No such file or directory` and `ls: cannot access 'a': No such file or directory`.
fn missing_path(line: &str) -> Option<&str> {
    if let Some((_, path)) = line.split_once("can't cd to ") {
        return path.split_whitespace().next();
    }
    // zsh puts the path behind the message.
    if let Some((_, path)) = line.split_once(": no such file or directory: ") {
        return Some(path.trim());
    }
    let (before, _) =
        line.split_once(": No such file or directory").or_else(|| line.split_once(": Permission denied"))?;
    let last = before.rsplit(": ").next()?.trim();
    let last = last.rsplit(' ').next()?.trim_matches(['\'', '"', '\u{2018}', '\u{2019}', '`']);
    (!last.is_empty() && before.contains(": ")).then_some(last)
}

/// The program that an output is about.
fn program(call: &Call<'_>, line: &str, steps: &[Step<'_>], cause: Cause) -> String {
    let Some(last) = steps.last() else { return call.name.to_owned() };
    let text = line.trim_start();
    let named = steps.iter().find(|step| {
        text.strip_prefix(step.program).is_some_and(|rest| rest.starts_with(':')) && !step.program.is_empty()
    });
    // What starts or filters another program says so itself: `mise ERROR …`, `jq: error …`.
    if named.is_none()
        && let Some(speaker) = speaker(text, call.input)
    {
        return speaker.to_owned();
    }
    let nested = || announced(call.output).filter(|step| step.tests() || step.checks());
    if cause == Cause::Problems
        && let Some(compiler) = names::compiler(call.output)
    {
        return compiler.to_owned();
    }
    let chosen = match cause {
        Cause::Tests => nested().or_else(|| steps.iter().rfind(|step| step.tests()).copied()),
        Cause::Problems => nested().or_else(|| steps.iter().rfind(|step| step.checks()).copied()),
        _ => None,
    };
    // What only shows something at the end is seldom what failed.
    let works = || steps.iter().rfind(|step| !SHOWING.contains(&step.program)).copied();
    if let Some(step) = chosen.or_else(|| named.copied()) {
        return step.name();
    }
    let step = works().unwrap_or(*last);
    // Which of `git fetch && git status` failed is not known.
    let is_one_of_many = steps.iter().any(|other| other.program == step.program && *other != step);
    if is_one_of_many { step.program.to_owned() } else { step.name() }
}

/// The first line with a word, if it is not too long for a message.
fn first_words(output: &str) -> &str {
    let has_word = |line: &&str| line.bytes().filter(u8::is_ascii_alphabetic).count() > 2;
    let first = output.lines().map(str::trim).find(has_word).unwrap_or_default();
    if first.len() > MAX_LINE_BYTES { "" } else { first }
}

/// The filter or the wrapper of a command that says itself what is wrong.
fn speaker<'a>(line: &str, input: &'a str) -> Option<&'a str> {
    let at = line.find([':', ' '])?;
    let (head, rest) = line.split_at_checked(at)?;
    let says = rest.starts_with(": ") || rest.starts_with(" ERROR") || rest.starts_with(" error");
    let is_known = FILTERS.contains(&head) || WRAPPERS.contains(&head);
    if !says || !is_known {
        return None;
    }
    input.split(|c: char| c.is_whitespace() || matches!(c, '|' | '(' | '"' | '\'' | ';')).find(|word| *word == head)
}

/// What the failing tool itself suggests.
fn suggestion(output: &str) -> Option<&str> {
    output.lines().take(SEARCHED_LINES).find_map(|line| {
        let text = line.trim_start_matches([' ', '=', '|']);
        // What ends in a colon goes on below.
        let is_short = text.len() <= 160 && text.len() > 12 && !text.ends_with(':');
        (is_short && SUGGESTIONS.iter().any(|words| text.starts_with(words))).then_some(text)
    })
}

impl Cause {
    /// Whether it is about editing files.
    pub(crate) fn is_about_edits(self) -> bool {
        matches!(self, Self::EditText | Self::EditUnread | Self::EditStale | Self::EditAmbiguous | Self::EditNothing)
    }

    /// Whether it is about the agent's own tool, and not about a program that the tool runs.
    fn is_about_tool(self) -> bool {
        self.is_about_edits() || matches!(self, Self::Parameters | Self::TooLarge)
    }

    /// Whether other messages name it too, so that a line with another cause explains more.
    fn is_general(self) -> bool {
        matches!(self, Self::Path | Self::Access | Self::Exists | Self::Timeout | Self::Network)
    }
}

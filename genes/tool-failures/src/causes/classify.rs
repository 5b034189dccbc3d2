//! From one failure to its cause: the line that explains it, the program that it is about, and the names in it.

use gephost_gene::run_log::FailureKind;

use crate::call::{Call, is_editor};
use crate::cause::{Cause, WHITE_SPACE};
use crate::causes::audits;
use crate::causes::effects;
use crate::causes::exit_code::{of_exit_code, silent_cause};
use crate::causes::explaining::{explaining_line, inner_message, of_fields, with_reason};
use crate::causes::other_shell::is_of_unix;
use crate::causes::program::program;
use crate::causes::quotes;
use crate::causes::refine::refined;
use crate::causes::replacing;
use crate::causes::scratch;
use crate::command::chain::ended_by_search;
use crate::command::shell::{Step, steps};
use crate::output::cause_line::{Weight, cause_line, is_diagnostic, of_setup};
use crate::output::cut::is_cut;
use crate::output::hooks;
use crate::output::host::host;
use crate::output::known::{MAX_LINE_BYTES, is_one_of_many_problems, known};
use crate::output::line::{joined_names, untagged};
use crate::output::named::names_of;
use crate::output::names;
use crate::output::places;
use crate::output::powershell;
use crate::output::provider::{is_of_model, lacks_credentials_file, provider};
use crate::output::refusals;
use crate::output::sentences::Match;
use crate::output::step::failed_step;
use crate::output::suggestion::suggestion;
use crate::output::test_errors::shared_error;

/// The name of a script that is no file.
pub(crate) const INLINE_SCRIPT: &str = "an inline script";

/// What is known of one failure.
#[derive(Debug)]
pub(crate) struct Classified<'a> {
    pub(crate) cause: Cause,
    /// The program, or the tool if the call runs none. Empty if several programs ran, and nothing says which failed.
    pub(crate) program: String,
    /// Names in the message, as they are counted and shown.
    pub(crate) names: Vec<String>,
    /// The line that explains the failure; empty if there is none.
    pub(crate) line: &'a str,
    pub(crate) weight: Weight,
    /// Whether the line is the error of most failing tests.
    pub(crate) is_shared: bool,
    /// Whether the log keeps only a part of the output.
    pub(crate) is_cut: bool,
    /// Whether the shell got a mark with a backslash that the agent's tool put in front of it.
    pub(crate) is_escaped: bool,
    pub(crate) place: Option<(&'a str, u32)>,
    /// What the failing tool suggests.
    pub(crate) suggestion: Option<&'a str>,
    /// The step of a chain or script that failed, if the output says it.
    pub(crate) step: Option<String>,
    /// Whether pip refused to install anything.
    pub(crate) is_refused_install: bool,
    /// Whether a script that the agent wrote for one use raised it; known only with what the session wrote before.
    pub(crate) is_of_scratch: bool,
}

/// What explains a failure.
struct Explained<'a> {
    cause: Cause,
    program: String,
    names: Vec<String>,
    line: &'a str,
    weight: Weight,
    is_shared: bool,
}

/// The cause of a failure. `runs_commands`: the tool's input is a command line. `places` are those that the output names.
pub(crate) fn classify<'a>(call: &Call<'a>, runs_commands: bool, places: &[(&'a str, u32)]) -> Classified<'a> {
    let steps = if runs_commands { steps(call.input) } else { Vec::new() };
    // Go ran none of the tests of a package that it could not load.
    let is_of_setup = call.kind == FailureKind::TestFailure && of_setup(call.output).is_some();
    let call = &Call { kind: if is_of_setup { FailureKind::ExitNonzero } else { call.kind }, ..*call };
    let refused = Some(call.output)
        .filter(|_| runs_commands)
        .and_then(refused_install)
        .map(|line| explained(call, &steps, Cause::Error, "", line));
    let is_refused_install = refused.is_some();
    let Explained { cause, program, names, line, weight, is_shared } = refused
        .or_else(|| by_category(call, &steps))
        .or_else(|| by_speaker(call, &steps))
        .or_else(|| by_own_script(call, &steps))
        .or_else(|| by_audit(call, &steps))
        .or_else(|| by_sentence(call, &steps, false))
        .or_else(|| by_hook(call, &steps))
        .unwrap_or_else(|| by_line(call, &steps));
    let (cause, names) = if is_patch(cause, &steps) { (Cause::Patch, patched(call.output)) } else { (cause, names) };
    let (cause, names) = of_model(call, cause, names, line);
    let broken = Some(call).filter(|_| runs_commands).and_then(|call| quotes::broken(call, line, cause));
    let (cause, program, names) = match broken {
        Some(name) => (Cause::Quotes, name.to_owned(), names::shown(name).into_iter().collect()),
        None => (cause, program, names),
    };
    Classified {
        step: failed_step(call, &steps, &program, line),
        is_of_scratch: false,
        is_cut: cause == Cause::Silent && is_cut(call.output),
        is_escaped: cause == Cause::Shell && effects::is_escaped(call.output),
        place: places::main(call, places).filter(|_| !is_refused_install),
        is_refused_install,
        suggestion: suggestion(section(call, line)).filter(|_| steps.is_empty() || !steps.iter().all(only_shows)),
        cause,
        program,
        names,
        line,
        weight,
        is_shared,
    }
}

/// The part of an output in which a line stands, between headings that the command prints itself: `echo "=== build ==="`.
/// What other commands of the call suggest is in other parts.
fn section<'a>(call: &Call<'a>, line: &str) -> &'a str {
    const MARKS: [&str; 3] = ["===", "---", "###"];
    let output = call.output;
    if !MARKS.iter().any(|mark| call.input.contains(mark)) {
        return output;
    }
    let Some(at) = output.find(line) else { return output };
    let (mut from, mut to, mut next) = (0, output.len(), 0);
    for text in output.split_inclusive('\n') {
        let start = next;
        next += text.len();
        let text = text.trim();
        let is_heading = MARKS.iter().any(|mark| text.starts_with(mark))
            && text.contains(|c: char| c.is_alphabetic())
            && call.input.contains(text);
        if is_heading && start >= at {
            to = start;
            break;
        }
        if is_heading {
            from = next;
        }
    }
    output.get(from..to).unwrap_or(output)
}

/// Whether a tool for edits refused one because of the syntax errors that it would bring.
fn breaks_syntax(call: &Call<'_>) -> bool {
    is_editor(call.name) && call.output.contains("introduced new syntax error")
}

/// Whether a command, and no tool for edits, applied a patch that does not fit.
fn is_patch(cause: Cause, steps: &[Step<'_>]) -> bool {
    let patches = |step: &Step<'_>| matches!(step.name().as_str(), "git apply" | "git am" | "patch");
    cause.is_about_edits() && steps.iter().any(patches)
}

/// The files that a patch does not fit: `error: a.ts: patch does not apply`.
fn patched(output: &str) -> Vec<String> {
    let file = |line: &'_ str| {
        let (file, _) = line.strip_prefix("error: ")?.split_once(": patch does not apply")?;
        names::shown(file)
    };
    let mut files: Vec<String> = Vec::new();
    for file in output.lines().filter_map(file) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// What an exception outside of any call says of the model's provider: it got no answer from there, because the connection broke
/// or never was, or it lacks the credentials.
fn of_model(call: &Call<'_>, cause: Cause, names: Vec<String>, line: &str) -> (Cause, Vec<String>) {
    const SAYS: [&str; 8] = [
        "onnection error",
        "equest timed out",
        "etch failed",
        "ocket hang up",
        "ECONNRESET",
        "ther side closed",
        "onnection reset",
        "onnection closed",
    ];
    if !call.exception || !call.name.is_empty() {
        return (cause, names);
    }
    let is_of_client = is_of_model(line);
    let of_provider = || provider(line).map(str::to_owned).into_iter().collect();
    if cause == Cause::Login || is_of_client && lacks_credentials_file(line) {
        return (Cause::Login, if is_of_client || provider(line).is_some() { of_provider() } else { names });
    }
    let is_all = call.output.trim().lines().count() <= 2 && call.output.len() <= MAX_LINE_BYTES;
    let says_only_that = || is_all && host(line).is_none() && SAYS.iter().any(|words| line.contains(words));
    let got_no_answer = match cause {
        Cause::Network | Cause::Reset | Cause::Timeout => is_of_client || says_only_that(),
        Cause::Error | Cause::Silent => says_only_that(),
        _ => false,
    };
    if got_no_answer { (Cause::ModelConnection, of_provider()) } else { (cause, names) }
}

/// The line with which pip refuses to install anything. What is missing below it is missing for that reason.
fn refused_install(output: &str) -> Option<&str> {
    const SAYS: &str = "error: externally-managed-environment";
    if output.contains("externally-managed-environment") {
        return output.lines().map(str::trim).find(|line| line.starts_with(SAYS));
    }
    // The end of the same message.
    let is_end = output.contains("note: If you believe this is a mistake, please contact your Python installation");
    is_end.then_some(SAYS)
}

/// What the category of PowerShell's error explains, in whatever language its message is.
fn by_category<'a>(call: &Call<'a>, steps: &[Step<'_>]) -> Option<Explained<'a>> {
    let (cause, name, line) = powershell::category(call.output)?;
    let cause = if cause == Cause::Program && is_of_unix(name) { Cause::OtherShell } else { cause };
    Some(explained(call, steps, cause, name, line))
}

/// What a line explains that says all by itself.
fn explained<'a>(call: &Call<'a>, steps: &[Step<'_>], cause: Cause, name: &str, line: &'a str) -> Explained<'a> {
    let program = program(call, line, steps, cause);
    let names = names::shown(name).into_iter().collect();
    Explained { cause, program, names, line, weight: Weight::Typical, is_shared: false }
}

/// What a tool that runs no command says of itself in its first line, whatever it quotes below: `record_tests: no such test`.
fn by_speaker<'a>(call: &Call<'a>, steps: &[Step<'_>]) -> Option<Explained<'a>> {
    let line =
        call.output.trim_start().lines().next().filter(|line| steps.is_empty() && line.len() <= MAX_LINE_BYTES)?;
    let name = call.name.rsplit("__").next().filter(|name| !name.is_empty() && name.len() < call.name.len())?;
    let says = line.strip_prefix(name)?.strip_prefix(": ")?;
    let is_more = call.output.trim().lines().nth(1).is_some();
    is_more.then(|| explained(call, steps, Cause::Error, &joined_names(says).unwrap_or_default(), line))
}

/// What explains that a script in the command failed: a text that it was to replace is not there, or it does not parse.
fn by_own_script<'a>(call: &Call<'a>, steps: &[Step<'_>]) -> Option<Explained<'a>> {
    if steps.is_empty() || call.exception {
        return None;
    }
    if let Some(refused) = replacing::refused(call.input, call.output) {
        return Some(explained(call, steps, Cause::EditText, refused.file, refused.line));
    }
    let line = scratch::unparsed(call.output)?;
    Some(explained(call, steps, Cause::Unparsed, INLINE_SCRIPT, line))
}

/// What an audit of dependencies found, which its exit code says.
fn by_audit<'a>(call: &Call<'a>, steps: &[Step<'_>]) -> Option<Explained<'a>> {
    let audit = steps.iter().rfind(|step| audits::is_audit(step))?;
    let (line, packages) = audits::found(call.output)?;
    let names = packages.iter().filter_map(|package| names::shown(package)).collect();
    let (program, weight) = (audit.name(), Weight::Typical);
    Some(Explained { cause: Cause::Problems, program, names, line, weight, is_shared: false })
}

/// Whether a harness says that its own tool was called wrongly: no program says so of itself.
fn names_a_tool(line: &str) -> bool {
    line.contains("InputValidationError") || line.contains(" tool was called with invalid arguments")
}

/// What a sentence of the table explains. `is_above`: the output ends above an effect of what it says.
fn by_sentence<'a>(call: &Call<'a>, steps: &[Step<'_>], is_above: bool) -> Option<Explained<'a>> {
    let (line, found) = known(call).filter(|(line, found)| {
        // A program that complains about a field says so of its data.
        let is_of_data =
            found.cause == Cause::Parameters && !steps.is_empty() && !line.contains("aram") && !names_a_tool(line);
        !is_of_data && !is_one_of_many_problems(call, found.cause)
    })?;
    if let Some(line) = effects::not_started(call, &found) {
        return Some(explained(call, steps, Cause::Error, "", line));
    }
    if let Some(above) = effects::above(call, line, &found).filter(|_| !is_above) {
        let call = &Call { output: above, ..*call };
        return by_sentence(call, steps, true).or_else(|| Some(by_line(call, steps)));
    }
    let (cause, name) = refined(call, line, &found, steps);
    let found = Match { cause, name: name.unwrap_or(found.name), ..found };
    // A program may complain about its parameters, too.
    let is_of_program = cause == Cause::Parameters && !steps.is_empty() && !names_a_tool(line);
    let program =
        if cause.is_about_tool() && !is_of_program { call.name.to_owned() } else { program(call, line, steps, cause) };
    let powershell = powershell::message(call.output);
    let program = if cause == Cause::Shell && powershell.is_some() { "powershell".to_owned() } else { program };
    let names = match name {
        Some(name) => names::shown(name).into_iter().collect(),
        None if cause == Cause::Hook => {
            let checks = hooks::failed(call.output);
            let hook = hooks::hook(call.output).filter(|_| checks.is_empty());
            checks.into_iter().chain(hook).filter_map(names::shown).collect()
        }
        None if matches!(cause, Cause::RateLimit | Cause::Credits | Cause::Exists | Cause::Login) => {
            names::shown(&program).into_iter().collect()
        }
        None => names_of(call, line, &found, &program),
    };
    let line = if matches!(cause, Cause::Parameters | Cause::Error) { with_reason(call.output, line) } else { line };
    let line = of_fields(call.output, inner_message(call.output, powershell.unwrap_or(line)));
    Some(Explained { cause, program, names, line, weight: Weight::Typical, is_shared: false })
}

/// The checks that refused a commit or a push, or that a runner of hooks reports as failed and says no more about.
fn by_hook<'a>(call: &Call<'a>, steps: &[Step<'_>]) -> Option<Explained<'a>> {
    const HOOKED: [&str; 7] = ["commit", "push", "merge", "rebase", "cherry-pick", "am", "pull"];
    let failed = hooks::failed(call.output);
    if failed.is_empty() {
        return None;
    }
    let (line, weight) = explaining_line(call, steps);
    let is_said = weight >= Weight::Trouble;
    let line = if is_said { line } else { call.output.lines().find(|line| line.contains(failed[0])).unwrap_or(line) };
    let is_of_git = steps.iter().any(|step| step.program == "git" && HOOKED.contains(&step.task()));
    let program = program(call, line, steps, Cause::Problems);
    let missing = call.output.split_once("Executable `").and_then(|(_, rest)| rest.split_once("` not found"));
    let (cause, failed) = match missing {
        Some((name, _)) => (Cause::Program, vec![name]),
        None if is_of_git && !says_more(call, steps, line, weight) => (Cause::Hook, failed),
        None => (Some(Cause::Problems).filter(|_| weight < Weight::Error)?, failed),
    };
    let names = failed.into_iter().filter_map(names::shown).collect();
    Some(Explained { cause, program, names, line, weight: Weight::Typical, is_shared: false })
}

/// Whether a line names one error, and neither a failed test nor the rule of a linter: what helps against it is known better.
fn says_more(call: &Call<'_>, steps: &[Step<'_>], line: &str, weight: Weight) -> bool {
    let is_of_rule = || !names::rules(call.output).is_empty() || !names::failed_tests(line).is_empty();
    weight >= Weight::Error && (cause_of(call, steps, line, weight) == Cause::Error || !is_of_rule())
}

/// What the line with the greatest weight explains.
fn by_line<'a>(call: &Call<'a>, steps: &[Step<'_>]) -> Explained<'a> {
    let (line, weight) = explaining_line(call, steps);
    let line = inner_message(call.output, line);
    let cause = cause_of(call, steps, line, weight);
    let names = names_without_sentence(call, line, cause);
    let line = white_space(call).filter(|_| names == [WHITE_SPACE]).unwrap_or(line);
    let (cause, names) = match unparsed(call.output, line) {
        Some(file) if matches!(cause, Cause::Error | Cause::Problems | Cause::Tests | Cause::Silent) => {
            (Cause::Unparsed, names::shown(file).into_iter().collect())
        }
        _ => (cause, names),
    };
    let (cause, names) = if breaks_syntax(call) {
        (Cause::EditSyntax, names::file(call.input).and_then(names::shown).into_iter().collect())
    } else {
        (cause, names)
    };
    let cause = match cause {
        // A compiler without codes: its message is the cause. A runner that names no test says more by its line, too.
        Cause::Problems | Cause::Tests if names.is_empty() && weight >= Weight::Error => Cause::Error,
        Cause::Tests if names.is_empty() && !steps.is_empty() && !steps.iter().any(Step::tests) => Cause::Error,
        // The line says which test failed.
        Cause::Tests if names.is_empty() && line.trim_start().starts_with("[FAIL") => Cause::Error,
        cause => cause,
    };
    let shared = if cause == Cause::Tests { shared_error(call.output) } else { None };
    let (line, weight) = shared.map_or((line, weight), |shared| (shared, Weight::Typical));
    let (cause, names, line) = match silent_cause(call, cause, steps) {
        // What was printed before is no message of it.
        Some((cause, name)) => (cause, name.as_deref().and_then(names::shown).into_iter().collect(), ""),
        None => (cause, names, line),
    };
    let program = match cause {
        Cause::Silent => match ended_by_search(call.input, call.output) {
            Some(search) => search.to_owned(),
            None => of_exit_code(call.input, steps),
        },
        _ => program(call, line, steps, cause),
    };
    // Of several commands of git, only this one checks white space.
    let program =
        if names == [WHITE_SPACE] && matches!(&program[..], "" | "git") { "git diff".to_owned() } else { program };
    let of_block = powershell::block(call.output).filter(|block| block.message == line);
    let program = of_block.and_then(|block| block.command()).map_or(program, str::to_owned);
    let program = if cause == Cause::Silent && steps.is_empty() { call.name.to_owned() } else { program };
    let fields = of_fields(call.output, line);
    let cause = if cause == Cause::Silent && fields != line { Cause::Error } else { cause };
    let line = if cause == Cause::Error { of_fields(call.output, with_reason(call.output, line)) } else { line };
    // A message that says how to install what is missing says what is missing.
    let (cause, names, line) = match installable(call.output, steps) {
        Some((package, said)) if matches!(cause, Cause::Error | Cause::Silent) => {
            (Cause::Module, names::shown(package).into_iter().collect(), said)
        }
        _ => (cause, names, line),
    };
    Explained { cause, program, names, line, weight, is_shared: shared.is_some() }
}

/// The cause that the host's kind of failure and the weight of the line give.
fn cause_of(call: &Call<'_>, steps: &[Step<'_>], line: &str, weight: Weight) -> Cause {
    let cause = match Cause::of_kind(call.kind) {
        // What a tool says that runs no command is its message.
        Cause::Error if weight == Weight::Text && steps.is_empty() && cause_line(line, call.kind).1 == weight => {
            Cause::Error
        }
        Cause::Error if weight <= Weight::Text && !call.exception => Cause::Silent,
        cause => cause,
    };
    // A linter that another program runs.
    let is_of_linter = || {
        names::rules(call.output).first().is_some_and(|rule| {
            is_diagnostic(line.trim()) || line.contains(rule.as_str()) || line.contains("yntax error")
        })
    };
    match cause {
        Cause::Silent | Cause::Error if white_space(call).is_some() => Cause::Problems,
        Cause::Error | Cause::Silent if is_of_linter() => Cause::Problems,
        // The rest of the report may be cut off.
        Cause::Error if steps.iter().any(Step::tests) && !names::failed_tests(line).is_empty() => Cause::Tests,
        Cause::Silent
            if is_cut(call.output) && steps.iter().any(Step::tests) && !names::failed_tests(call.output).is_empty() =>
        {
            Cause::Tests
        }
        cause => cause,
    }
}

/// The names in an output that has no known sentence.
fn names_without_sentence(call: &Call<'_>, line: &str, cause: Cause) -> Vec<String> {
    let names = match cause {
        Cause::Tests => names::failed_tests(call.output),
        Cause::Problems if white_space(call).is_some() => vec![WHITE_SPACE.to_owned()],
        Cause::Problems => names::rules(call.output),
        Cause::EditText => refusals::file(call.input, call.output).map(str::to_owned).into_iter().collect(),
        // Together they are one name: the errors differ if any of them does.
        Cause::Error => joined_names(line).into_iter().collect(),
        _ => Vec::new(),
    };
    names.iter().filter_map(|name| names::shown(name)).collect()
}

/// Whether a step only shows what files say, so that its output quotes messages of others.
fn only_shows(step: &Step<'_>) -> bool {
    matches!(step.program, "rg" | "grep" | "cat" | "head" | "tail")
}

/// The package in the first line that quotes the command to install it, and that line. What a command only shows quotes others.
fn installable<'a>(output: &'a str, steps: &[Step<'_>]) -> Option<(&'a str, &'a str)> {
    if steps.iter().all(only_shows) {
        return None;
    }
    output.lines().filter(|line| line.len() <= MAX_LINE_BYTES).find_map(|line| {
        let (_, rest) = line.split_once("`pip install ")?;
        let command = rest.split('`').next()?;
        let package = command.split_whitespace().find(|word| !word.starts_with('-'))?;
        let end = package.find(['=', '<', '>', '[', '~', '!']).unwrap_or(package.len());
        Some((package.get(..end).filter(|name| !name.is_empty())?, line.trim()))
    })
}

/// The first line in which `git diff --check` says what it found.
fn white_space<'a>(call: &Call<'a>) -> Option<&'a str> {
    const SAYS: [&str; 4] = [
        ": trailing whitespace.",
        ": new blank line at EOF.",
        ": space before tab in indent.",
        ": leftover conflict marker",
    ];
    let says = |line: &&str| SAYS.iter().any(|words| line.ends_with(words));
    call.output.lines().filter(|_| call.input.contains("diff --check")).find(says)
}

/// The file that Python could not parse: the one that it names last before the error. What the agent passed as text has a
/// name in angle brackets.
fn unparsed<'a>(output: &'a str, line: &str) -> Option<&'a str> {
    let line = untagged(line);
    if !scratch::is_of_syntax(line.trim_start_matches(['E', ' '])) {
        return None;
    }
    let (before, _) = output.split_once(line.as_ref())?;
    let (_, file) = before.rsplit_once("File \"")?;
    let name = file.split('"').next()?;
    Some(if name.starts_with('<') { INLINE_SCRIPT } else { name })
}

impl Cause {
    /// Whether it is about editing files.
    pub(crate) fn is_about_edits(self) -> bool {
        matches!(
            self,
            Self::EditText
                | Self::EditUnread
                | Self::EditStale
                | Self::EditAmbiguous
                | Self::EditNothing
                | Self::PatchLines
                | Self::PatchForm
                | Self::PatchTwice
        )
    }

    /// Whether it is about the paths in a call.
    pub(crate) fn is_about_paths(self) -> bool {
        matches!(
            self,
            Self::Path
                | Self::Folder
                | Self::Access
                | Self::NoTests
                | Self::WrongModule
                | Self::OwnModule
                | Self::GitName
        )
    }

    /// Whether it is about the agent's own tool, and not about a program that the tool runs.
    fn is_about_tool(self) -> bool {
        self.is_about_edits() || matches!(self, Self::Parameters | Self::TooLarge)
    }

    /// Whether other messages name it too, so that a line with another cause explains more.
    pub(crate) fn is_general(self) -> bool {
        matches!(self, Self::Path | Self::Access | Self::Exists | Self::Timeout | Self::Network)
    }
}

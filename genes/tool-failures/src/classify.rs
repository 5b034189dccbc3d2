//! From one failure to its cause: the line that explains it, the program that it is about, and the names in it.

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::cause::{Cause, WHITE_SPACE};
use crate::cause_line::{Weight, cause_line, is_diagnostic, is_thrown};
use crate::line::{quoted_names, untagged};
use crate::mended::is_editor;
use crate::names;
use crate::other_shell;
use crate::places;
use crate::sentences::{self, Match};
use crate::shell::{FILTERS, Step, WRAPPERS, announced, last, steps};
use crate::step::failed_step;
use crate::test_errors::{failures_of_tests, shared_error};

/// Longer lines are data or minified code, and no message.
const MAX_LINE_BYTES: usize = 600;
/// Lines at the start and at the end of an output in which a known sentence is looked for.
const SEARCHED_LINES: usize = 200;
/// Programs that only show something.
const SHOWING: [&str; 12] = ["cat", "ls", "head", "tail", "find", "grep", "rg", "wc", "xxd", "file", "stat", "which"];
/// The name of a script that is no file.
pub(crate) const INLINE_SCRIPT: &str = "an inline script";
/// Programs that raise no exception of Python.
const OTHERS: [&str; 12] = ["curl", "wget", "git", "cp", "mv", "rm", "kill", "pkill", "diff", "unzip", "tar", "touch"];
/// Texts before what a failing tool itself suggests.
const SUGGESTIONS: [&str; 15] = [
    "help: ",
    "hint: ",
    "HINT: ",
    "Hint: ",
    "tip: ",
    "Did you mean ",
    "did you mean ",
    "Perhaps you meant ",
    "Maybe you meant ",
    "The most similar command is",
    "To fix this, run ",
    "Try: ",
    "Try running ",
    "Run `",
    "Please run ",
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
    /// Whether the line is the error of most failing tests.
    pub(crate) is_shared: bool,
    pub(crate) place: Option<(&'a str, u32)>,
    /// What the failing tool suggests.
    pub(crate) suggestion: Option<&'a str>,
    /// The step of a chain or script that failed, if the output says it.
    pub(crate) step: Option<String>,
    /// Whether a script that the agent wrote for one use raised it.
    pub(crate) is_of_scratch: bool,
}

/// The cause of a failure. `runs_commands`: the tool's input is a command line. `places` are those that the output names.
pub(crate) fn classify<'a>(call: &Call<'a>, runs_commands: bool, places: &[(&'a str, u32)]) -> Classified<'a> {
    let steps = if runs_commands { steps(call.input) } else { Vec::new() };
    let place = places::main(call, places);
    let suggestion = suggestion(call.output);
    if let Some((line, mut found)) = known(call).filter(|(line, found)| {
        // A program that complains about a field says so of its data.
        let is_of_data = found.cause == Cause::Parameters && !steps.is_empty() && !line.contains("aram");
        !is_of_data && !is_one_of_many_problems(call, found.cause)
    }) {
        // Only Windows locks files that are in use.
        if found.cause == Cause::InUse && line.contains("EPERM") && !line.contains('\\') {
            found.cause = Cause::Access;
        }
        // `cd src` fails in `src` itself, or one level above or below.
        let moves = found.cause == Cause::Path && changes_folder(line);
        if moves {
            found.cause = Cause::Folder;
        }
        // A program of the project's dependencies, which are not installed.
        if found.cause == Cause::Path
            && let Some(name) = missing_path(line).or_else(|| names::path(line)).and_then(of_dependency)
        {
            found.cause = Cause::Program;
            found.name = name;
        }
        // The shell ran a name between backticks, which was meant as text.
        if found.cause == Cause::Program && !found.name.is_empty() && call.input.contains(&format!("`{}", found.name)) {
            found.cause = Cause::Shell;
        }
        // A program or a tool that ran into a limit asked another server than the model's provider.
        if found.cause == Cause::Overload && !call.exception && asks_no_model(call.name, &steps) {
            found.cause = Cause::RateLimit;
        }
        if found.cause == Cause::Timeout && (serves(call.output) || is_server(call.input)) {
            found.cause = Cause::Serves;
        }
        if found.cause == Cause::Module && is_named_in(call.input, found.name, &steps) {
            found.cause = Cause::WrongModule;
        }
        let variable = empty_variable(call.input, line, found.cause);
        let foreign = other_shell::command(call.input, line, &found);
        if variable.is_some() {
            found.cause = Cause::Variable;
        } else if foreign.is_some() {
            found.cause = Cause::OtherShell;
        }
        // A program may complain about its parameters, too.
        let is_of_program =
            found.cause == Cause::Parameters && !steps.is_empty() && !line.contains("InputValidationError");
        let program = if found.cause.is_about_tool() && !is_of_program {
            call.name.to_owned()
        } else {
            program(call, line, &steps, found.cause)
        };
        let names = match variable.or(foreign) {
            Some(name) => names::shown(name).into_iter().collect(),
            None => names_of(call, line, &found, &program),
        };
        let step = failed_step(call, &steps, &program, line);
        return Classified {
            cause: found.cause,
            program,
            names,
            line,
            weight: Weight::Typical,
            is_shared: false,
            place,
            suggestion,
            step,
            is_of_scratch: false,
        };
    }
    // What a passing test printed stands above the list of the failures.
    let output = if call.kind == FailureKind::TestFailure { failures_of_tests(call.output) } else { call.output };
    let (line, weight) = match cause_line(output, call.kind) {
        // Of nested exceptions, the innermost is the cause.
        (line, weight) if line.contains("Exception") && output.contains("\nCaused by: ") => {
            (innermost(output, line), weight)
        }
        // A tool that runs no command says first what is wrong; below may be anything.
        (_, weight) if weight <= Weight::Trouble && steps.is_empty() && !call.exception => {
            (first_words(call.output), weight)
        }
        found => found,
    };
    let cause = match Cause::of_kind(call.kind) {
        // What a tool says that runs no command is its message.
        Cause::Error if weight == Weight::Text && steps.is_empty() && cause_line(line, call.kind).1 == weight => {
            Cause::Error
        }
        Cause::Error if weight <= Weight::Text && !call.exception => Cause::Silent,
        cause => cause,
    };
    let cause = match cause {
        Cause::Silent | Cause::Error if call.input.contains("diff --check") && has_white_space(call.output) => {
            Cause::Problems
        }
        // A linter that another program runs.
        Cause::Error
            if names::rules(call.output).first().is_some_and(|rule| {
                is_diagnostic(line.trim()) || line.contains(rule.as_str()) || line.contains("yntax error")
            }) =>
        {
            Cause::Problems
        }
        cause => cause,
    };
    let names = match cause {
        Cause::Tests => names::failed_tests(call.output),
        Cause::Problems if call.input.contains("diff --check") => vec![WHITE_SPACE.to_owned()],
        Cause::Problems => names::rules(call.output),
        Cause::EditText => names::file(call.input).map(str::to_owned).into_iter().collect(),
        // Together they are one name: the errors differ if any of them does.
        Cause::Error => Some(quoted_names(line).join(", ")).filter(|names| !names.is_empty()).into_iter().collect(),
        _ => Vec::new(),
    };
    let names: Vec<String> = names.iter().filter_map(|name| names::shown(name)).collect();
    let (cause, names) = match unparsed(call.output, line) {
        Some(file) if matches!(cause, Cause::Error | Cause::Problems | Cause::Tests | Cause::Silent) => {
            (Cause::Unparsed, names::shown(file).into_iter().collect())
        }
        _ => (cause, names),
    };
    let cause = match cause {
        // A compiler without codes: its message is the cause. A runner that names no test says more by its line, too.
        Cause::Problems | Cause::Tests if names.is_empty() && weight >= Weight::Error => Cause::Error,
        cause => cause,
    };
    let shared = if cause == Cause::Tests { shared_error(call.output) } else { None };
    let is_shared = shared.is_some();
    let (line, weight) = shared.map_or((line, weight), |shared| (shared, Weight::Typical));
    let (cause, names) = match silent_cause(call, cause, &steps) {
        Some((cause, host)) => (cause, host.and_then(names::shown).into_iter().collect()),
        None => (cause, names),
    };
    let program = match cause {
        // The exit code is that of the last program, which may be a filter.
        Cause::Silent => last(call.input).filter(|step| !steps.is_empty() && !stops(step)).map(|step| step.name()),
        _ => None,
    };
    let program = program.unwrap_or_else(|| self::program(call, line, &steps, cause));
    let step = failed_step(call, &steps, &program, line);
    let is_of_scratch =
        matches!(cause, Cause::Error | Cause::Unparsed) && is_of_scratch(call.output) && !steps.is_empty();
    Classified { cause, program, names, line, weight, is_shared, place, suggestion, step, is_of_scratch }
}

/// The message of the innermost exception: that of the last `Caused by: ` below the line.
fn innermost<'a>(output: &'a str, line: &'a str) -> &'a str {
    let below = output.split_once(line).map_or(output, |(_, below)| below);
    let causes = below.lines().filter_map(|line| line.trim().strip_prefix("Caused by: "));
    causes.filter(|cause| cause.len() <= MAX_LINE_BYTES).take(16).last().unwrap_or(line)
}

/// Whether `git diff --check` found something.
fn has_white_space(output: &str) -> bool {
    const SAYS: [&str; 4] = [
        ": trailing whitespace.",
        ": new blank line at EOF.",
        ": space before tab in indent.",
        ": leftover conflict marker",
    ];
    output.lines().any(|line| SAYS.iter().any(|words| line.ends_with(words)))
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
            + u8::from(
                !found.name.is_empty() || is_of_sudo(line) || found.cause.is_general() && names::path(line).is_some(),
            );
        let is_better = best.as_ref().is_none_or(|(known, _, _)| level > *known || (level == *known && is_raised));
        if is_better {
            best = Some((level, line.trim(), found));
        }
    }
    best.map(|(_, line, found)| (line, found))
}

/// Whether `sudo` says the line, behind which the rest of a command is of no account.
fn is_of_sudo(line: &str) -> bool {
    line.trim_start().starts_with("sudo: ")
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
        FailureKind::CompileLint => {
            matches!(
                cause,
                Cause::Versions
                    | Cause::Memory
                    | Cause::Disk
                    | Cause::Script
                    | Cause::OptionRefused
                    | Cause::Program
                    | Cause::Module
            ) || cause == Cause::Shell && is_of_shell(line)
        }
        // What already exists is a row, which the line above tells better.
        _ if cause == Cause::Exists && line.trim_start().starts_with("DETAIL:") => false,
        FailureKind::Traceback => is_thrown(line) || begins_as_message(line) || is_message_of_panic(call.output, line),
        FailureKind::Timeout => matches!(cause, Cause::Timeout | Cause::Overload),
        _ => (!cause.is_about_edits() || is_editor(call.name)) && (cause != Cause::Path || is_about_path(line)),
    }
}

/// Whether a compiler that does not find a module reports other problems, too.
fn is_one_of_many_problems(call: &Call<'_>, cause: Cause) -> bool {
    cause == Cause::Module && call.kind == FailureKind::CompileLint && names::rules(call.output).len() > 1
}

/// Whether a line that something does not exist can be about a file: `Class "A" does not exist` is not.
fn is_about_path(line: &str) -> bool {
    const OTHERS: [&str; 13] = [
        "name '", "lass ", "ethod ", "unction ", "roperty ", "olumn ", "elation ", "atabase ", "ndex ", "ole ", "ser ",
        "able ", "chema ",
    ];
    let Some((before, _)) = line.split_once("oes not exist") else { return true };
    let subject = before.rsplit(": ").next().unwrap_or(before);
    subject.contains('/') || !OTHERS.iter().any(|other| subject.contains(other))
}

/// Whether a shell says the line.
fn is_of_shell(line: &str) -> bool {
    let head = line.trim_start().split(':').next().unwrap_or_default();
    matches!(head.rsplit('/').next(), Some("bash" | "zsh" | "sh" | "dash"))
}

/// Whether the line is the message of a panic, which Rust prints below the place.
fn is_message_of_panic(output: &str, line: &str) -> bool {
    output.split_once(line).is_some_and(|(before, _)| {
        before
            .trim_end()
            .lines()
            .next_back()
            .is_some_and(|above| above.contains("panicked at ") && above.ends_with(':'))
    })
}

/// A line of a file or of a difference that was shown, and no message: `12→text`, `a.go:3: text`, `+text`.
fn is_content(line: &str) -> bool {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0
        && text.get(digits..).is_some_and(|rest| rest.starts_with(['\u{2192}', '\u{2502}', '\t', ':', '-', '|']));
    let is_code = ["throw ", "raise ", "return ", "const ", "let "].iter().any(|word| text.starts_with(word));
    let is_changed = is_code || line.starts_with('+') || line.starts_with("- ") || line.starts_with("@@");
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

/// The file that Python could not parse: the one that it names last before the error. What the agent passed as text has a
/// name in angle brackets.
fn unparsed<'a>(output: &'a str, line: &str) -> Option<&'a str> {
    const ERRORS: [&str; 3] = ["SyntaxError: ", "IndentationError: ", "TabError: "];
    let line = untagged(line);
    if !ERRORS.iter().any(|error| line.trim_start_matches(['E', ' ']).starts_with(error)) {
        return None;
    }
    let (before, _) = output.split_once(line.as_ref())?;
    let (_, file) = before.rsplit_once("File \"")?;
    let name = file.split('"').next()?;
    Some(if name.starts_with('<') { INLINE_SCRIPT } else { name })
}

/// Whether an exception was raised in a script that the agent wrote for one use.
fn is_of_scratch(output: &str) -> bool {
    const PLACES: [&str; 4] = ["File \"<stdin>\"", "File \"<string>\"", "File \"/tmp/", "[eval]:"];
    PLACES.iter().any(|place| output.contains(place))
}

/// Whether the command itself names the missing module, and neither runs, imports nor installs it: it is a label of tests, or
/// a settings module.
fn is_named_in(input: &str, module: &str, steps: &[Step<'_>]) -> bool {
    const USES: [&str; 6] = ["-m", "import", "from", "install", "add", "run"];
    if module.is_empty() || steps.is_empty() || steps.iter().any(|step| step.program == module) {
        return false;
    }
    // A part of a dotted name is named, too: `tests.shop.models`.
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    input.match_indices(module).any(|(at, _)| {
        let (before, after) = (input.get(..at).unwrap_or_default(), input.get(at + module.len()..).unwrap_or_default());
        let is_word = !before.ends_with(is_of_name) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let word = before.trim_end().rsplit([' ', '\n', '"', '\'', ';', ',']).next().unwrap_or_default();
        // Python's code, which is no command line.
        let is_code = input.contains("import ");
        is_word && !USES.contains(&word) && !is_code
    })
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
            let in_message = in_message().map(|name| names::host(&name).map_or_else(|| name.clone(), str::to_owned));
            one(in_message.or_else(|| names::host(line).or_else(|| names::host(call.input)).map(str::to_owned)))
        }
        Cause::Folder if changes_folder(line) => one(missing_path(line).map(|path| format!("cd {path}"))),
        // That git needs a repository is what the title says.
        Cause::Outside => one((!matches!(program, "" | "git")).then(|| program.to_owned())),
        Cause::InUse => one(file_in_use(line).map(str::to_owned)),
        // Which of the programs needs the approval is not known.
        Cause::Denied if call.kind != FailureKind::None && line.contains("has been denied") => {
            let mut programs: Vec<String> = Vec::new();
            for step in steps(call.input) {
                if !programs.iter().any(|known| known == step.program) {
                    programs.push(step.program.to_owned());
                }
            }
            if programs.is_empty() { one((!program.is_empty()).then(|| program.to_owned())) } else { programs }
        }
        Cause::Timeout => one(time_limit(line).map(str::to_owned)),
        Cause::Folder | Cause::Denied => one((!program.is_empty()).then(|| program.to_owned())),
        // A text that a program takes for one argument too many is no option.
        Cause::OptionRefused => {
            one(in_message().filter(|name| name.starts_with('-') || !name.contains(char::is_whitespace)))
        }
        Cause::Versions => sentences::versions(line).into_iter().map(str::to_owned).collect(),
        // Together they are one name: the errors differ if any of them does.
        Cause::Error => one(Some(quoted_names(line).join(", ")).filter(|names| !names.is_empty())),
        Cause::Parameters => one(in_message().or_else(|| names::parameter(call.output).map(str::to_owned))),
        _ => one(in_message()),
    };
    names.iter().filter_map(|name| names::shown(name)).collect()
}

/// The name of the file that is in use: that of the last quoted path.
fn file_in_use(line: &str) -> Option<&str> {
    let path = line.split('\'').rfind(|part| part.contains(['/', '\\']))?;
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())
}

/// `2m 0s` in `Command timed out after 2m 0s`.
fn time_limit(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("timed out after ")?;
    let is_time = |c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | 'm' | 's' | 'h');
    let end = rest.find(|c| !is_time(c)).unwrap_or(rest.len());
    let text = rest.get(..end)?;
    // The first letter of a word behind it may look like a unit.
    let text = if end < rest.len() { text.get(..text.rfind(' ').unwrap_or(text.len()))? } else { text };
    let text = text.trim().trim_end_matches('.');
    (text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(['m', 's', 'h'])).then_some(text)
}

/// Whether the output says that a server is ready.
fn serves(output: &str) -> bool {
    const READY: [&str; 10] = [
        "Local:   http",
        "Local:        http",
        "istening on ",
        "istening at ",
        "erver running at ",
        "erver running on ",
        "unning on http",
        "erving HTTP on ",
        "tarted server on ",
        "ttp server listening",
    ];
    READY.iter().any(|words| output.contains(words))
}

/// Whether a command is known to start a server.
fn is_server(input: &str) -> bool {
    const SERVERS: [&str; 18] = [
        "spring-boot:run",
        "bootRun",
        "npm run dev",
        "npm start",
        "npm run start",
        "pnpm dev",
        "pnpm run dev",
        "yarn dev",
        "bun dev",
        "bun run dev",
        "next dev",
        "manage.py runserver",
        "flask run",
        "uvicorn ",
        "rails s",
        "artisan serve",
        "http.server",
        "quarkus:dev",
    ];
    SERVERS.iter().any(|server| input.contains(server))
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
    if let Some((_, path)) = line.split_once("can't open file '") {
        return path.split('\'').next();
    }
    // zsh puts the path behind the message.
    if let Some((_, path)) = line.split_once(": no such file or directory: ") {
        return Some(path.trim());
    }
    let (before, _) =
        line.split_once(": No such file or directory").or_else(|| line.split_once(": Permission denied"))?;
    let last = before.rsplit(": ").next()?.trim();
    // `Could not open /a - open (13: Permission denied)`
    if last.rsplit(' ').next().is_some_and(|word| word.starts_with('(')) {
        return names::path(last);
    }
    let word = last.rsplit(' ').next()?.trim_matches(['\'', '"', '\u{2018}', '\u{2019}', '`']);
    // `Failed to open stream: No such file or directory` says what failed, and not on what.
    let is_path = word == last || word.contains(['/', '.', '-', '_']) || last.ends_with(['\'', '"', '\u{2019}', '`']);
    (is_path && !word.is_empty() && before.contains(": ")).then_some(word)
}

/// The program in a folder in which package managers put those of a project's dependencies.
fn of_dependency(path: &str) -> Option<&str> {
    const FOLDERS: [&str; 3] = ["node_modules/.bin", "node_modules\\.bin", "vendor/bin"];
    let (folder, name) = path.rsplit_once(['/', '\\'])?;
    (!name.is_empty() && FOLDERS.iter().any(|known| folder.ends_with(known))).then_some(name)
}

/// The program that an output is about.
fn program(call: &Call<'_>, line: &str, steps: &[Step<'_>], cause: Cause) -> String {
    let text = line.trim_start();
    // `a.py: error: …` names the program, however it was started.
    let Some(last) = steps.last() else {
        let head = text.split_once(": error: ").map(|(head, _)| head);
        return head.filter(|head| !head.contains([' ', ':', '/'])).unwrap_or(call.name).to_owned();
    };
    let named = steps.iter().find(|step| {
        text.strip_prefix(step.program).is_some_and(|rest| rest.starts_with(':')) && !step.program.is_empty()
    });
    // What starts or filters another program says so itself: `mise ERROR …`, `jq: error …`.
    if named.is_none()
        && let Some(speaker) = speaker(text, call.input)
    {
        return speaker.to_owned();
    }
    // Only pip says this, whatever the command does besides.
    if text.contains("externally-managed-environment")
        && let Some(pip) = steps.iter().rfind(|step| step.program.starts_with("pip"))
    {
        return pip.name();
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
        // What was to be compiled did not run.
        _ if call.kind == FailureKind::CompileLint => steps.iter().rfind(|step| step.checks()).copied(),
        _ => None,
    };
    // What only shows something at the end is seldom what failed.
    let works = || steps.iter().rfind(|step| !SHOWING.contains(&step.program) && !stops(step)).copied();
    if let Some(step) = chosen.or_else(|| named.copied()) {
        return step.name();
    }
    let step = works().unwrap_or(*last);
    // A script of a package manager prints its name first; without it, the step before failed.
    if matches!(step.program, "npm" | "pnpm" | "yarn") && step.task() == "run" && !call.output.contains("> ") {
        let before = steps.iter().rev().skip_while(|other| **other != step).nth(1);
        if let Some(before) = before.filter(|_| call.input.contains("&&") && !is_of_manager(line)) {
            return before.name();
        }
    }
    // What Python only shows of another program's log.
    if step.program.starts_with("python") && call.output.contains("\n    at ") && !call.output.contains("File \"") {
        return String::new();
    }
    // An exception of Python is none of a program that only fetches, moves or stops something.
    let is_of_python = call.output.contains("File \"") || is_thrown(line) && line.contains("ModuleNotFoundError");
    if is_of_python
        && OTHERS.contains(&step.program)
        && let Some(python) = steps.iter().rfind(|step| step.program.starts_with("python"))
    {
        return python.name();
    }
    // Which of `git fetch && git status` failed is not known.
    let is_one_of_many = steps.iter().any(|other| other.program == step.program && *other != step);
    if is_one_of_many { step.program.to_owned() } else { step.name() }
}

/// Whether a step only stops another program.
fn stops(step: &Step<'_>) -> bool {
    matches!(step.program, "kill" | "pkill" | "killall")
}

/// Whether a package manager says the line.
fn is_of_manager(line: &str) -> bool {
    let line = line.trim_start();
    ["npm", "ERR_PNPM", "error Command", "yarn"].iter().any(|start| line.starts_with(start))
}

/// Whether neither the tool, if it runs no command, nor any of the programs is an agent or asks a model itself.
fn asks_no_model(tool: &str, steps: &[Step<'_>]) -> bool {
    const MODELS: [&str; 8] = ["claude", "codex", "gemini", "aider", "opencode", "ollama", "llm", "goose"];
    const AGENTS: [&str; 9] = ["task", "agent", "delegate", "model", "llm", "completion", "chat", "oracle", "think"];
    if steps.is_empty() {
        let tool = tool.to_ascii_lowercase();
        return !tool.is_empty() && !MODELS.iter().chain(&AGENTS).any(|word| tool.contains(word));
    }
    !steps.iter().any(|step| MODELS.contains(&step.program))
}

/// The variable that stands in a command before the path that does not exist: `$ROOT/a.py` became `/a.py`.
fn empty_variable<'c>(input: &'c str, line: &str, cause: Cause) -> Option<&'c str> {
    if !matches!(cause, Cause::Path | Cause::Folder | Cause::Access) {
        return None;
    }
    let missing = missing_path(line).or_else(|| names::path(line)).filter(|path| path.starts_with('/'))?;
    let (before, _) = input.split_once(missing)?;
    let before = before.strip_suffix('}').unwrap_or(before);
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (head, name) = before.split_at_checked(start + 1)?;
    (!name.is_empty() && (head.ends_with('$') || head.ends_with("${"))).then_some(name)
}

/// The cause of a failure without a message that the exit code alone tells: those of curl say that no server answered.
fn silent_cause<'c>(call: &Call<'c>, cause: Cause, steps: &[Step<'_>]) -> Option<(Cause, Option<&'c str>)> {
    let code = call.output.trim().strip_prefix("Exit code ")?.lines().next()?.trim();
    let is_of_curl = steps.last().is_some_and(|step| step.program == "curl") && steps.len() == 1;
    let no_answer = matches!(code, "6" | "7" | "28" | "35" | "52" | "56");
    (cause == Cause::Silent && is_of_curl && no_answer).then(|| (Cause::Network, names::host(call.input)))
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

/// What the failing tool itself suggests, or else how it says that it is used.
fn suggestion(output: &str) -> Option<&str> {
    // What ends in a colon goes on below.
    let is_short = |text: &&str| text.len() <= 160 && text.len() > 12 && !text.ends_with(':');
    let lines = || output.lines().take(SEARCHED_LINES).map(|line| line.trim_start_matches([' ', '=', '|']));
    // What pytest says of each module that it cannot import.
    let is_of_all = |text: &&str| text.ends_with("have valid Python names.");
    let suggests = |text: &&str| !is_of_all(text) && SUGGESTIONS.iter().any(|words| text.starts_with(words));
    let usage = |text: &'_ str| text.find("Usage: ").or_else(|| text.find("usage: ")).map(|at| at..text.len());
    // `Usage: x [COMMAND]` says nothing.
    let says_how =
        |text: &&str| !text.contains("[COMMAND]") && !text.contains("<COMMAND>") && !text.contains("[OPTIONS]");
    let used = || lines().find_map(|text| text.get(usage(text)?)).filter(|text| is_short(text) && says_how(text));
    let meant = || lines().find_map(|text| text.get(text.find("Did you mean ")?..)).filter(is_short);
    let again = || meant().or_else(|| lines().find_map(asks_again).filter(is_short));
    lines().find(|text| is_short(text) && suggests(text)).or_else(again).or_else(used)
}

/// The part of a message that says how the command would work: `… make it explicit by running this command again with -W`.
fn asks_again(text: &str) -> Option<&str> {
    const WORDS: [&str; 6] =
        ["this command again with", "e-run with ", "erun with ", "ry again with ", "se --", "ass --"];
    if text.len() > MAX_LINE_BYTES {
        return None;
    }
    let at = WORDS.iter().find_map(|words| text.find(words))?;
    let before = text.get(..at)?;
    let start =
        [", ", ". ", ": ", "; ", " - "].iter().filter_map(|end| before.rfind(end).map(|at| at + end.len())).max();
    text.get(start.unwrap_or_default()..)
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
    pub(crate) fn is_general(self) -> bool {
        matches!(self, Self::Path | Self::Access | Self::Exists | Self::Timeout | Self::Network)
    }
}

//! What explains that a call worked after another one had failed, as rows: the best explanation first.

use crate::cause::Cause;
use crate::causes::is_local;
use crate::command::paths::base;
use crate::command::script::versionless;
use crate::command::shell::{Act, acts};
use crate::command::variables::variables;
use crate::output::caches;
use crate::output::names::names_word;
use crate::output::vocabulary::Words;
use crate::report::clipped;
use crate::worked::act::{Worked, asks, has_same_words, is_same, of_failure, shown};
use crate::worked::before::reordered;
use crate::worked::beside::beside;
use crate::worked::defined::defined;
use crate::worked::instead::{by_module, by_tool};
use crate::worked::listed::listed;
use crate::worked::made::made;
use crate::worked::otherwise::{by_runner, fetched, readdressed};
use crate::worked::proof::is_unchanged;
use crate::worked::renamed::{left_out, script};
use crate::worked::steps::{named_cure, with_settings};
use crate::worked::unchanged::{again, in_node_modules};
use crate::worked::waiting::{Remedy, Waiting, Way};
use crate::worked::{arguments, elsewhere, installs, patches};

/// Longest word or command that is shown, in bytes.
const MAX_WORD: usize = 80;
const MAX_EXAMPLE: usize = 120;
/// Lines of an output in which a reason is looked for.
const MAX_LINES: usize = 400;
/// Most calls between two that belong together.
const NEAR: u32 = 12;
const NEXT: u32 = 3;
const ANY: u32 = u32::MAX;

/// Programs that do the same work.
const SAME_WORK: [&[&str]; 9] = [
    &["python", "python3", "py"],
    &["pip", "pip3"],
    &["rg", "grep", "ag", "ack"],
    &["fd", "fdfind", "find"],
    &["docker", "podman"],
    &["wget", "curl"],
    &["npm", "pnpm", "yarn", "bun"],
    &["make", "gmake"],
    &["sed", "gsed"],
];

/// Whether a call may run the program that failed, which saves reading the failed one again.
fn runs_the_same(failed: &Waiting, worked: &Worked<'_>) -> bool {
    let first = failed.program.split(' ').next().unwrap_or_default();
    first.is_empty() || worked.acts.iter().any(|act| versionless(act.step.program) == versionless(first))
}

/// One way to explain a success.
pub(crate) struct Rule {
    /// How many calls that worked are looked at.
    pub(crate) calls: u32,
    pub(crate) find: fn(&Waiting, &Worked<'_>) -> Option<Remedy>,
}

const fn rule(calls: u32, find: fn(&Waiting, &Worked<'_>) -> Option<Remedy>) -> Rule {
    Rule { calls, find }
}

/// The best explanation first.
pub(crate) const RULES: [Rule; 39] = [
    rule(NEAR, uncommented),
    rule(NEAR, unset),
    rule(NEAR, quoted),
    rule(NEAR, assigned),
    rule(NEAR, defined),
    rule(NEAR, left_out),
    rule(NEAR, fixed),
    rule(NEAR, removed),
    rule(NEAR, readdressed),
    rule(ANY, by_runner),
    rule(ANY, fetched),
    rule(ANY, interpreted),
    rule(ANY, started),
    rule(ANY, replaced),
    rule(NEAR, by_module),
    rule(ANY, kept_elsewhere),
    rule(NEAR, other_object),
    rule(ANY, with_sudo),
    rule(NEXT, repository),
    rule(NEAR, by_tool),
    rule(ANY, given),
    rule(ANY, made),
    rule(ANY, found_elsewhere),
    rule(ANY, beside),
    rule(NEAR, script),
    rule(NEAR, listed),
    rule(NEAR, in_node_modules),
    rule(ANY, installed),
    rule(NEAR, reordered),
    rule(ANY, cured),
    rule(ANY, ran),
    rule(NEAR, edited_otherwise),
    rule(NEAR, committed),
    rule(NEAR, added),
    rule(ANY, again),
    rule(ANY, configured),
    rule(ANY, edited),
    rule(ANY, example),
    rule(ANY, unchanged),
];

/// How errors say that a variable or a setting has no value.
const NOT_SET: &str =
    "not set|not configured|not defined|not provided|unset|ndefined|unbound|issing|equired|must be set";

/// What an error itself says of its remedy, whatever follows: the version of Python that a package needs.
pub(crate) fn stated(output: &str) -> Option<String> {
    let missing = ["No matching distribution found for ", "satisfies the requirement "];
    let name = missing.iter().find_map(|words| output.split_once(words)?.1.split_whitespace().next())?;
    let version = name.rsplit_once(['=', '<', '>']).map_or("", |(_, version)| version);
    let (_, wanted) = output.split_once(&format!(" {version} Requires-Python ")).filter(|_| !version.is_empty())?;
    let wanted = wanted.split([';', '\n']).next().map(str::trim).filter(|wanted| wanted.len() <= 20)?;
    let image = output.split_once("python:3").and_then(|(_, rest)| rest.split([' ', '@', '\n', '"']).next());
    let used = if wanted.starts_with('>') { "the one that ran is older" } else { "the one that ran does not fit" };
    let image = image.map_or_else(|| used.to_owned(), |tag| format!("the image is `python:3{tag}`"));
    Some(format!("use a Python {wanted} for this: `{name}` requires it, and {image}"))
}

/// What kept a server from coming up that was then not reached, as the same output says it.
pub(crate) fn not_started(output: &str) -> Option<String> {
    static SAYS: Words =
        Words::of(&["ailed to start ", "ould not start ", "annot start ", "nable to start ", "ddress already in use"]);
    let line = output.lines().take(MAX_LINES).find(|line| SAYS.are_in(line))?;
    let line = line.trim().replace('`', "'");
    Some(format!("find out why the server does not start: the same output says `{}`", clipped(&line, MAX_EXAMPLE)))
}

/// The same command without the lines of comment in front of it, which some tools take for a command of their own.
fn uncommented(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let mut rest = failed.input.trim();
    while let Some((_, behind)) = rest.strip_prefix('#').and_then(|comment| comment.split_once('\n')) {
        rest = behind.trim_start();
    }
    (rest.len() < failed.input.trim().len() && rest == worked.call.input.trim())
        .then(|| Remedy::of(Way::Word, "leave out the lines of comment in front of the command".to_owned()))
}

/// A word that the shell took for a pattern, and that the later call has in quotes.
fn quoted(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let (_, word) = failed.line.split_once("no matches found: ")?;
    let word = word.split_whitespace().next().filter(|word| word.len() <= MAX_WORD)?;
    let is_bare = |input: &str| input.split_whitespace().any(|part| part == word);
    let worked_input = worked.call.input;
    let is_quoted = || worked_input.replace(['"', '\''], "").split_whitespace().any(|part| part == word);
    let before = acts(&failed.input);
    let runs_the_same = || worked.acts.iter().any(|act| before.iter().any(|own| own.step.program == act.step.program));
    (is_bare(&failed.input) && !is_bare(worked_input) && is_quoted() && runs_the_same())
        .then(|| Remedy::of(Way::Word, format!("put quotes around `{word}`")))
}

/// A variable that the same call takes away, or to which it gives another value. Refused credentials and servers that are not
/// reached depend on the environment; other errors only if nothing else was changed or the error names the variable.
fn unset(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if !worked.repeats(failed) {
        return None;
    }
    let after = worked.variables();
    let before = variables(&failed.input);
    let differs = |(name, value): &&(&str, &str)| match before.iter().rfind(|(known, _)| known == name) {
        Some((_, known)) => known != value,
        None => value.is_empty(),
    };
    let (name, value) = after.iter().filter(differs).min_by_key(|(_, value)| !value.is_empty())?;
    let act = of_failure(failed)?;
    worked.shown(|other| has_same_words(&act, other))?;
    let is_of_environment = matches!(failed.cause, Cause::Login | Cause::Network | Cause::Overload);
    if !is_of_environment && !failed.between.is_empty() && !failed.line.contains(name) {
        return None;
    }
    // What was not set had no other value.
    if !value.is_empty() && NOT_SET.split('|').any(|words| failed.line.contains(words)) {
        return None;
    }
    Some(Remedy::of(
        Way::Word,
        if value.is_empty() { format!("unset `{name}`") } else { format!("give `{name}` another value") },
    ))
}

/// A variable in front of the same program: one that the error names, or the only difference between two calls.
fn assigned(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let input = worked.call.input;
    if !input.contains('=') || !runs_the_same(failed, worked) {
        return None;
    }
    let act = of_failure(failed)?;
    let same = worked.shown(|other| is_same(failed, &act, other))?;
    let exported = ["export ", "$env:"]
        .iter()
        .flat_map(|words| input.split(words).skip(1))
        .filter_map(|rest| rest.split_whitespace().next());
    let name = |word: &'_ str| {
        let (name, value) = word.split_once('=')?;
        let is_variable = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (is_variable && !value.is_empty()).then(|| name.to_owned())
    };
    let new = same.prefixes().iter().copied().chain(exported).filter_map(name);
    let new: Vec<String> = new.filter(|name| !failed.input.contains(&format!("{name}="))).collect();
    let first = new.first()?;
    let told = new.iter().find(|name| failed.line.contains(name.as_str()));
    let is_all = || failed.between.is_empty() && has_same_words(&act, same);
    let name = told.or_else(|| Some(first).filter(|_| is_all()))?;
    Some(Remedy::of(Way::Word, format!("set `{name}` for the agent, such as in front of the command")))
}

/// The same program with the option that repairs what it had reported.
fn fixed(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    const REPAIRS: [&str; 7] = ["--fix", "--write", "--autocorrect", "--auto-correct", "--autocorrect-all", "-w", "-A"];
    fn repairs<'a>(act: &Act<'a>) -> Option<&'a str> {
        act.arguments().iter().copied().find(|word| REPAIRS.contains(word))
    }
    let may_repair = matches!(failed.cause, Cause::Problems | Cause::Error);
    if !may_repair || !worked.acts.iter().any(|act| act.step.checks() && repairs(act).is_some()) {
        return None;
    }
    let act = of_failure(failed).filter(|act| act.step.checks() && repairs(act).is_none())?;
    let other = worked.shown(|other| other.step.name() == act.step.name() && repairs(other).is_some())?;
    let option = repairs(other)?;
    let at = other.arguments().iter().position(|word| *word == option)?;
    let command = if at < 2 { shown(other, at + 1) } else { format!("{} … {option}", act.step.name()) };
    Some(Remedy::of(Way::Word, format!("have the agent run `{command}` after its changes")))
}

/// Files that the output lists as being in the way, and that the later call removes.
fn removed(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if !worked.call.input.contains("rm ") {
        return None;
    }
    let is_in_the_way = failed.output.contains("would be overwritten") || failed.line.contains("already exists");
    let (_, after) = worked
        .call
        .input
        .split_once("rm ")
        .filter(|(before, _)| is_in_the_way && (before.is_empty() || before.ends_with([' ', ';', '&', '\n'])))?;
    let act = of_failure(failed)?;
    worked.acts.iter().find(|other| other.step.program == act.step.program)?;
    let removes = |file: &str| {
        let arguments = after.split([';', '&', '\n']).next().unwrap_or_default().split_whitespace();
        arguments
            .map(|word| word.trim_matches(['"', '\'']))
            .any(|word| word == file || word.strip_suffix(file).is_some_and(|folder| folder.ends_with('/')))
    };
    let named = failed.output.lines().filter(|line| line.starts_with(['\t', ' '])).map(str::trim);
    let file = named.filter(|name| !name.is_empty() && name.len() <= MAX_WORD).find(|name| removes(name))?;
    let text = format!("compare the files in the way, such as `{file}`, and remove those that are not needed");
    Some(Remedy::of(Way::Word, text))
}

/// A program that was not found, started in another way: `python -m x`, `npx x`, `.venv/bin/x`.
fn started(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let missing = failed.names.first().filter(|_| failed.cause == Cause::Program)?.as_str();
    let is_other = |act: &Act<'_>| act.program() != missing || !act.prefixes().is_empty();
    let act = worked.shown(|act| act.step.program == missing && is_other(act))?;
    let prefixes =
        act.prefixes().iter().filter(|word| !word.contains('=') && !matches!(**word, "time" | "sudo" | "timeout"));
    let start: Vec<&str> = prefixes.copied().chain([act.program()]).collect();
    let start = start.join(" ");
    let is_told = start != missing
        && start.len() <= MAX_WORD
        && !start.contains('$')
        && !names_word(&failed.input, &start.replace(missing, ""));
    is_told.then(|| Remedy { way: Way::Start, text: format!("`{start}`"), before: format!("`{missing}`") })
}

/// Whether a call that worked installs what was missing into an environment of its own: then not how the program is started is
/// the reason.
pub(crate) fn installs_it(failed: &Waiting, worked: &Worked<'_>) -> bool {
    let has_environment = ["venv", "/activate"].iter().any(|word| worked.call.input.contains(word));
    has_environment
        && matches!(failed.cause, Cause::Program | Cause::Module | Cause::OwnModule)
        && worked.installs()
        && install_of(&failed.names, worked).is_some()
}

/// The command in a call that installs one of these. What was there already is not what helped.
fn install_of(names: &[String], worked: &Worked<'_>) -> Option<String> {
    let is_new = |name: &&String| !worked.call.output.contains(&format!("already satisfied: {name}"));
    names.iter().filter(is_new).find_map(|name| installs::command(worked.call.input, name))
}

/// The same script, run by another interpreter: a module that is missing for one may be there for the other.
fn interpreted(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let may_help = matches!(failed.cause, Cause::Module | Cause::OwnModule);
    if !may_help || !runs_the_same(failed, worked) || installs_it(failed, worked) {
        return None;
    }
    let act = of_failure(failed)?;
    let count = if act.arguments().first() == Some(&"-m") { 2 } else { 1 };
    let words = act.arguments().get(..count)?;
    let is_same = |one: &str, other: &str| one.trim_start_matches("./") == other.trim_start_matches("./");
    let is_same_work = |other: &Act<'_>| {
        let theirs = other.arguments().get(..count).unwrap_or_default();
        versionless(base(other.program())) == versionless(base(act.program()))
            && theirs.len() == count
            && theirs.iter().zip(words).all(|(one, other)| is_same(one, other))
    };
    let other = worked.shown(|other| other.program() != act.program() && is_same_work(other))?;
    let is_short = other.program().len().max(act.program().len()) <= MAX_WORD;
    is_short.then(|| Remedy {
        way: Way::Start,
        text: format!("`{}`", other.program()),
        before: format!("`{}`", act.program()),
    })
}

/// Another program that does the work of the one that was not found, for one of its operands.
fn replaced(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let missing = failed.names.first().filter(|_| failed.cause == Cause::Program)?.as_str();
    let row = SAME_WORK.iter().find(|row| row.contains(&missing))?;
    let act = of_failure(failed)?;
    let is_interpreter = matches!(row.first(), Some(&("python" | "pip")));
    let shares = |other: &Act<'_>| {
        let is_operand = |word: &&&str| word.len() > 1 && !word.starts_with('-');
        act.arguments().iter().filter(is_operand).any(|word| other.arguments().contains(word))
    };
    let other = worked.shown(|other| {
        other.step.program != missing && row.contains(&other.step.program) && (is_interpreter || shares(other))
    })?;
    Some(Remedy { way: Way::Start, text: format!("`{}`", other.step.program), before: format!("`{missing}`") })
}

/// The same program with another object than the one to which the access was denied.
fn other_object(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let denied = failed.names.first().filter(|name| failed.cause == Cause::Access && name.contains('/'))?;
    let act = of_failure(failed)?;
    let other = worked.shown(|other| other.step.program == act.step.program)?;
    let is_path = |word: &&&str| word.contains('/') && !word.starts_with('-') && word.len() <= MAX_WORD;
    let has = |words: &[&str], path: &str| words.iter().any(|word| word.contains(path));
    let is_gone =
        has(act.arguments(), denied) && !has(other.arguments(), denied) && !worked.call.input.contains(denied.as_str());
    let paths: Vec<&str> = act.arguments().iter().filter(is_path).copied().collect();
    let new = other.arguments().iter().filter(is_path).find(|word| !paths.contains(word));
    let kept = paths.iter().any(|path| !path.contains(denied.as_str()) && has(other.arguments(), base(path)));
    new.filter(|_| is_gone && kept).map(|new| Remedy {
        way: Way::Object,
        text: format!("`{new}`"),
        before: format!("`{denied}`"),
    })
}

/// Another folder for what a tool keeps, in place of the one to which the access was denied.
fn kept_elsewhere(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let may_name = ["--", "="].iter().any(|mark| worked.call.input.contains(mark));
    if failed.cause != Cause::Access || !may_name || worked.has_error() {
        return None;
    }
    let cache = caches::of(&failed.output)?;
    let setting = cache.setting_in(worked.call.input).filter(|setting| setting.len() <= MAX_WORD)?;
    if failed.input.contains(setting) {
        return None;
    }
    let command = worked.call.input.trim();
    let is_short = command.len() <= MAX_EXAMPLE && !command.contains(['\n', '`']);
    let example = if is_short { format!(", as in `{command}`") } else { String::new() };
    let text =
        if setting.contains('=') { format!("set `{setting}`{example}") } else { format!("add `{setting}`{example}") };
    Some(Remedy::of(Way::Word, text))
}

/// The repository that was cloned or made right after git had found none.
fn repository(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if failed.cause != Cause::Outside {
        return None;
    }
    let makes = |act: &Act<'_>| {
        let words = act.arguments();
        let task = words.get(..2.min(words.len())).unwrap_or_default();
        matches!((act.step.program, task), ("git", ["clone" | "init", ..]) | ("gh", ["repo", "clone"]))
    };
    // What is cloned for a look lies elsewhere.
    let act = worked.shown(|act| makes(act) && !act.arguments().iter().any(|word| word.starts_with("/tmp")))?;
    let words = act.arguments().iter().copied().filter(|word| !word.contains(['$', '`'])).collect::<Vec<_>>();
    let command = format!("{} {}", act.step.program, words.join(" "));
    let text = format!("have the agent make the repository before it asks git about it (`{command}`)");
    (command.len() <= MAX_EXAMPLE).then(|| Remedy::of(Way::Word, text))
}

/// What was denied, and worked with `sudo`.
fn with_sudo(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if failed.cause != Cause::Access || failed.input.contains("sudo ") || !worked.call.input.contains("sudo ") {
        return None;
    }
    let file = crate::output::names::file(&failed.input);
    let last = of_failure(failed);
    let is_own = match file {
        Some(file) => file.starts_with('/') && worked.call.input.contains(file),
        None => worked.acts.iter().any(|act| last.as_ref().is_some_and(|last| last.step.name() == act.step.name())),
    };
    is_own.then(|| Remedy::of(Way::Sudo, String::new()))
}

/// Named arguments that were added, or given in another form.
fn given(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let is_same = failed.input.trim_start().starts_with('{')
        && failed.tool == worked.call.name
        && !failed.tool.is_empty()
        && crate::output::names::file(&failed.input) == crate::output::names::file(worked.call.input);
    if !is_same {
        return None;
    }
    let other_name = || {
        let name = arguments::renamed(&failed.input, worked.call.input).filter(|_| failed.cause == Cause::Exists);
        name.map(|name| format!("give it another `{name}`"))
    };
    let text = arguments::difference(&failed.input, worked.call.input, &failed.output).or_else(other_name)?;
    Some(Remedy::of(Way::Arguments, text))
}

/// The path of the same file with which a call worked.
pub(crate) fn found_elsewhere(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if failed.missing.is_empty() {
        return None;
    }
    let (before, after) = elsewhere::other(worked.call, &failed.missing)?;
    Some(Remedy { way: Way::Elsewhere, text: after, before })
}

/// The command that installed what was missing.
fn installed(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let is_missing = matches!(
        failed.cause,
        Cause::Program | Cause::Module | Cause::OwnModule | Cause::WrongModule | Cause::Unwrapped
    );
    let may_install = is_missing || failed.cause == Cause::Error;
    if !may_install || !worked.installs() {
        return None;
    }
    // What a package itself raises may be cured by another version of it.
    let package =
        || installs::of_namespace(&failed.line).or_else(|| installs::package(&failed.output).map(str::to_owned));
    let names = if is_missing { failed.names.clone() } else { package().into_iter().collect() };
    Some(Remedy::of(Way::Install, install_of(&names, worked)?))
}

/// A step that brings what the error names, after which the same works.
fn cured(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if failed.between.cures.is_empty() || failed.tool != worked.call.name || asks(worked, &failed.input) {
        return None;
    }
    let does_the_same = || {
        let act = of_failure(failed).filter(|_| runs_the_same(failed, worked))?;
        worked.shown(|other| is_same(failed, &act, other))
    };
    if !arguments::are_same(&failed.input, worked.call.input) && does_the_same().is_none() {
        return None;
    }
    Some(Remedy::of(Way::Ran, format!("`{}`", with_settings(named_cure(failed)?, &failed.between.cures))))
}

/// The only call that changed something before the same call worked: it installed, prepared or started what was missing, or it
/// stopped or removed what was in the way.
fn ran(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    // A call is not what made itself work.
    let command = failed.between.only_command().filter(|command| !worked.call.input.trim().starts_with(command))?;
    if failed.vain.iter().any(|step| step == command) {
        return None;
    }
    let may_lack = match failed.cause {
        Cause::Network => failed.between.serves && failed.names.iter().any(|host| is_local(host)),
        Cause::Exists | Cause::PortInUse | Cause::InUse | Cause::Locked | Cause::Busy => failed.between.frees,
        Cause::Program
        | Cause::Module
        | Cause::OwnModule
        | Cause::Versions
        | Cause::Schema
        | Cause::Path
        | Cause::Error
        | Cause::Silent => !failed.between.serves,
        _ => false,
    };
    if !may_lack || failed.tool != worked.call.name {
        return None;
    }
    let does_the_same = || {
        let act = of_failure(failed).filter(|_| worked.repeats(failed))?;
        worked.shown(|other| has_same_words(&act, other)).map(|_| ())
    };
    (arguments::are_same(&failed.input, worked.call.input) || does_the_same().is_some())
        .then(|| Remedy::of(Way::Ran, format!("`{command}`")))
}

/// Another edit of the same file.
fn edited_otherwise(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    patches::edited_otherwise(failed, worked.call.name, worked.call.input)
}

/// Changes that were in the way of git, and were committed or put aside.
fn committed(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    const SAYS: [&str; 5] =
        ["uncommitted changes", "unstaged changes", "local changes", "would be overwritten", "index contains"];
    let git = failed.between.git.as_str();
    let cures = matches!(git, "git commit" | "git stash" | "git add" | "git restore" | "git checkout" | "git reset");
    if !cures || !SAYS.iter().any(|words| failed.line.contains(words)) {
        return None;
    }
    let act = of_failure(failed).filter(|act| act.step.program == "git")?;
    worked.shown(|other| other.step.program == "git" && is_same(failed, &act, other))?;
    Some(Remedy::of(Way::Git, format!("`{git}`")))
}

/// A word that was put into the same call. One at its end chooses less of the work, and an option may, too.
fn added(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if !failed.between.is_empty() || !runs_the_same(failed, worked) || asks(worked, &failed.input) {
        return None;
    }
    let act = of_failure(failed)?;
    let own = act.arguments();
    let at = |other: &Act<'_>| other.arguments().iter().zip(own).position(|(new, old)| new != old);
    let has_all = |other: &Act<'_>| {
        let rest = at(other).map(|at| (other.arguments().get(at + 1..), own.get(at..)));
        other.step.program == act.step.program && rest.is_some_and(|(new, old)| new == old)
    };
    let other = worked.shown(has_all)?;
    let word = at(other).and_then(|at| other.arguments().get(at).copied())?;
    let is_name =
        (1..=MAX_WORD).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_name.then(|| Remedy::of(Way::Word, format!("add `{word}`, as in `{}`", shown(other, 3))))
}

/// Whether the same call worked. What follows behind a pipe may differ.
fn is_made_again(failed: &Waiting, worked: &Worked<'_>) -> bool {
    let act = of_failure(failed);
    let has_same = || act.as_ref().and_then(|act| worked.shown(|other| has_same_words(act, other))).is_some();
    failed.tool == worked.call.name && (failed.input.trim() == worked.call.input.trim() || has_same())
}

/// The same call, with nothing in between that may have changed how it ends.
fn unchanged(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    // What was not there and is there now was made, whoever made it.
    let may_pass = !failed.came_again && !failed.cause.is_about_paths() && !failed.cause.is_about_edits();
    (may_pass && failed.between.tells_nothing() && is_unchanged(failed, worked))
        .then(|| Remedy::of(Way::Unchanged, String::new()))
}

/// A file to which an edit added what the error names.
fn configured(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let (file, name) = failed.added.as_ref()?;
    if worked.call.input.contains("||") || !worked.acts.is_empty() && !runs_the_same(failed, worked) {
        return None;
    }
    is_made_again(failed, worked).then(|| Remedy::of(Way::Edit, format!("`{file}`, where it added `{name}`")))
}

/// Files that the error names, and whose edits made the same call work; of tests any files.
fn edited(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let can_tell = failed.between.has_only_edits() && !worked.call.input.contains("||");
    if !can_tell || !worked.acts.is_empty() && !runs_the_same(failed, worked) {
        return None;
    }
    if !is_made_again(failed, worked) {
        return None;
    }
    // What tests fail for may be in a file that their output does not name.
    let is_told = |file: &str| failed.cause == Cause::Tests || names_word(&failed.output, base(file));
    let told = failed.between.edits.iter().filter(|(file, _)| is_told(file));
    let line = failed.between.line.as_str();
    let told: Vec<String> = told
        .map(|(file, count)| match count {
            1 if !line.is_empty() => format!("`{file}`, where a line is now `{line}`"),
            1 => format!("`{file}`"),
            count => format!("`{file}` ({count} edits)"),
        })
        .collect();
    (!told.is_empty() && told.len() == failed.between.edits.len()).then(|| Remedy::of(Way::Edit, told.join(" and ")))
}

/// A call that did the same with what the failed one lacked: an example.
fn example(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let may_help = matches!(failed.cause, Cause::NoTests | Cause::WrongModule | Cause::OptionRefused | Cause::Script);
    let command = worked.call.input.trim();
    if !may_help || command.len() > MAX_EXAMPLE || command.contains('\n') || asks(worked, &failed.input) {
        return None;
    }
    let act = of_failure(failed)?;
    let is_cured = !failed.names.iter().any(|name| names_word(command, name));
    // Another subcommand has options of its own.
    let is_of_option = failed.cause == Cause::OptionRefused;
    let fits =
        |other: &Act<'_>| is_same(failed, &act, other) && (!is_of_option || other.step.name() == act.step.name());
    worked.shown(|other| is_cured && fits(other))?;
    Some(Remedy::of(Way::Example, command.to_owned()))
}

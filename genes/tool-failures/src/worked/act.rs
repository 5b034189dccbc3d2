//! Whether a later call did the same as a failed one, and whether it shows that it worked.

use std::cell::OnceCell;

use crate::call::{Call, hash};
use crate::command::hidden::hides_messages;
use crate::command::paths::base;
use crate::command::remote::{INSIDE, remote};
use crate::command::script::{script, versionless};
use crate::command::shell::{Act, Places, acts};
use crate::command::variables::variables;
use crate::output::names::names_word;
use crate::output::vocabulary::Words;
use crate::text::around;
use crate::worked::between::INSTALLS;
use crate::worked::waiting::Waiting;

/// Words with which a command asks for something instead of doing it.
const ASKS: [&str; 9] = ["--help", "-h", "help", "--version", "-V", "version", "list", "status", "--dry-run"];
/// Subcommands that do another work with a name behind them.
const INSTALLS_NAMED: [&str; 4] = ["install", "i", "add", "sync"];
/// Most operands that are compared.
const MAX_OPERANDS: usize = 16;
/// Lines of an output in which errors are looked for.
const MAX_LINES: usize = 400;
/// A call that ended well. What is asked of it is found when it is first asked.
pub(crate) struct Worked<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) acts: Vec<Act<'a>>,
    has_error: OnceCell<bool>,
    installs: OnceCell<bool>,
    variables: OnceCell<Vec<(&'a str, &'a str)>>,
    /// The hashes of its steps, as [`hash_of_words`] gives them.
    steps: OnceCell<Vec<u64>>,
}

impl<'a> Worked<'a> {
    pub(crate) fn of(call: &'a Call<'a>, runs_commands: bool) -> Self {
        let acts = if runs_commands { acts(call.input) } else { Vec::new() };
        let (has_error, installs, variables, steps) = Default::default();
        Self { call, acts, has_error, installs, variables, steps }
    }

    /// Whether its output has a line that reports an error: a step of it failed, whatever the exit code is.
    #[inline(never)]
    pub(crate) fn has_error(&self) -> bool {
        *self.has_error.get_or_init(|| self.call.output.lines().take(MAX_LINES).any(is_error))
    }

    /// The variables that it sets or takes away.
    pub(crate) fn variables(&self) -> &[(&'a str, &'a str)] {
        self.variables.get_or_init(|| variables(self.call.input))
    }

    /// Whether it has a step with all words of the one that failed, whatever stands in front of the program.
    pub(crate) fn repeats(&self, failed: &Waiting) -> bool {
        let own = failed.step.get_or_init(|| of_failure(failed).map(|act| hash_of_words(&act)));
        own.is_some_and(|own| self.steps.get_or_init(|| self.acts.iter().map(hash_of_words).collect()).contains(&own))
    }

    /// Whether it goes on in the background: how it ends is not known.
    pub(crate) fn is_under_way(&self) -> bool {
        ["Command running in background", "Running in the background"]
            .iter()
            .any(|words| self.call.output.starts_with(words))
    }

    /// Whether it may install something.
    pub(crate) fn installs(&self) -> bool {
        *self.installs.get_or_init(|| INSTALLS.are_in(self.call.input))
    }

    /// The first step that fits, if the end of the call shows that it worked: what follows it in `a || b`, `a; b`, `a &` and
    /// `a 2>/dev/null` may hide how it ended. Behind a pipe, its output was looked at.
    pub(crate) fn shown(&self, fits: impl Fn(&Act<'_>) -> bool) -> Option<&Act<'a>> {
        self.shown_of(&fits)
    }

    /// One copy for all conditions.
    #[inline(never)]
    fn shown_of(&self, fits: &dyn Fn(&Act<'_>) -> bool) -> Option<&Act<'a>> {
        let act = self.acts.iter().find(|act| fits(act))?;
        (!self.has_error() && shows(self.call.input, act.program())).then_some(act)
    }
}

/// Whether a line is the message of a step that failed.
pub(crate) fn is_error(line: &str) -> bool {
    static STARTS: Words =
        Words::of(&["error: ", "fatal: ", "Error: ", "ERROR: ", "Traceback (most recent call last)"]);
    static HOLDS: Words = Words::of(&["ermission denied", "command not found", "No such file or directory"]);
    STARTS.begin(line.trim_start()) || HOLDS.are_in(line)
}

/// Whether the end of a command shows how its step with this program ended.
fn shows(input: &str, program: &str) -> bool {
    const GOES_ON: [&str; 2] = ["run_in_background\":true", "run_in_background\": true"];
    let bare = without_quoted(input.trim());
    let Some((_, after)) = bare.rsplit_once(program).or_else(|| bare.split_once(base(program))) else {
        // The program stands between quotes: `bash -c "…"`.
        return !input.contains("||");
    };
    let after = after.replace("2>&1", "").replace("&>", "").replace(">&2", "").replace("&&", "");
    !after.contains(['&', ';', '\n'])
        && !after.contains("||")
        && !hides_messages(input)
        && !GOES_ON.iter().any(|words| input.contains(words))
}

/// A command without what stands between quotes.
pub(crate) fn without_quoted(command: &str) -> String {
    let mut open = None;
    let mut is_escaped = false;
    let mut bare = String::with_capacity(command.len());
    for c in command.chars() {
        match (open, c) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '"' | '\'') => open = Some(c),
            (Some(quote), c) if c == quote => open = None,
            (None, c) => bare.push(c),
            (Some(_), _) => {}
        }
    }
    bare
}

/// The step of a failed call that failed: that of the program which the failure is about, or else the last one. Of several of
/// one program, it is the one that the error names, or else the last that does more than show something. The command is read
/// once.
pub(crate) fn of_failure(failed: &Waiting) -> Option<Act<'_>> {
    let read = || step_of(failed).and_then(|act| Places::of(&act, &failed.input));
    failed.act.get_or_init(read).as_ref()?.act(&failed.input)
}

fn step_of(failed: &Waiting) -> Option<Act<'_>> {
    const SHOWS: [&str; 6] = ["status", "log", "diff", "show", "branch", "list"];
    let acts = acts(&failed.input);
    let first = failed.program.split(' ').next().unwrap_or_default();
    let last = |fits: &dyn Fn(&Act<'_>) -> bool| acts.iter().rfind(|act| fits(act));
    let is_of_program = |act: &Act<'_>| act.step.program == first;
    let task = |act: &Act<'_>| act.step.task().to_owned();
    last(&|act| act.step.name() == failed.program)
        .or_else(|| last(&|act| is_of_program(act) && !task(act).is_empty() && names_word(&failed.line, &task(act))))
        .or_else(|| last(&|act| is_of_program(act) && act.arguments().iter().any(|word| quotes(&failed.line, word))))
        .or_else(|| last(&|act| is_of_program(act) && !SHOWS.contains(&act.step.task())))
        .or_else(|| last(&is_of_program))
        .or_else(|| last(&|act| failed.names.iter().any(|name| name == act.step.program)))
        .or(acts.last())
        .cloned()
}

/// Whether a message has a word of a command in quotes.
fn quotes(line: &str, word: &str) -> bool {
    word.len() > 1
        && around(line, word)
            .any(|(before, after)| before.ends_with(['\'', '"', '`']) && after.starts_with(['\'', '"', '`']))
}

/// Whether a step does the same as the one that failed: the same program and subcommand, and the same main operand, unless the
/// error names the one that changed.
pub(crate) fn is_same(failed: &Waiting, act: &Act<'_>, other: &Act<'_>) -> bool {
    let (program, own) = operands(act);
    let (other_program, others) = operands(other);
    if versionless(program) != versionless(other_program) {
        return false;
    }
    if let (Some((host, there)), Some((other_host, other_there))) = (remote(act), remote(other)) {
        let is_connection = names_word(&failed.line, host) || failed.line.starts_with("ssh: ");
        return if is_connection { host == other_host } else { is_same_there(failed, &there, &other_there) };
    }
    let (Some(first), Some(other_first)) = (own.first(), others.first()) else { return true };
    let has = |words: &[&str], word: &str| words.iter().any(|known| base(known) == base(word));
    // What is installed by name is not all that the project lists.
    if INSTALLS_NAMED.contains(first) && (own.len() == 1) != (others.len() == 1) {
        return false;
    }
    if is_subcommand(first) {
        return others.contains(first) && {
            let rest = |words: &[&str]| -> Vec<String> {
                words.iter().filter(|word| *word != first && is_object(word)).map(|word| (*word).to_owned()).collect()
            };
            shares(failed, &rest(&own), &rest(&others))
        };
    }
    has(&others, first) || has(&own, other_first) || may_change(failed, first) || names_word(&failed.line, other_first)
}

/// Whether the step that failed on another host is done again there, and the end of that command shows how it ended.
fn is_same_there(failed: &Waiting, command: &str, other: &str) -> bool {
    let (own, others) = (acts(command), acts(other));
    let act = own.iter().rfind(|act| names_word(&failed.line, act.step.program)).or(own.last());
    let is_same = |other_act: &Act<'_>| {
        let is_again = act.is_some_and(|act| act.step.program != "ssh" && is_same(failed, act, other_act));
        is_again && shows(other, other_act.program())
    };
    others.iter().any(is_same)
}

/// Whether the error names a word, so that another one in its place is the remedy. Another file is other work.
fn may_change(failed: &Waiting, word: &str) -> bool {
    (!word.contains('/') || word.contains("://")) && names_word(&failed.line, word)
}

/// Whether two lists have an object in common, the first is empty, or the error names one that is gone or new.
fn shares(failed: &Waiting, own: &[String], others: &[String]) -> bool {
    own.is_empty()
        || own.iter().any(|word| others.iter().any(|other| base(other) == base(word)))
        || own.iter().any(|word| !others.contains(word) && may_change(failed, word))
        || others.iter().any(|other| names_word(&failed.line, other))
}

/// Whether a word names something that a command works on: a path, an address, a name with a version.
fn is_object(word: &&str) -> bool {
    word.len() > 3 && word.contains(['.', '/', ':', '_', '='])
}

/// The program, and the words behind it that are no options. What runs in a container is looked for inside.
fn operands<'a>(act: &Act<'a>) -> (&'a str, Vec<&'a str>) {
    let is_operand = |word: &&&str| !word.starts_with('-') && !matches!(**word, ">" | "<") && !word.is_empty();
    let all: Vec<&'a str> = act.arguments().iter().filter(is_operand).copied().take(MAX_OPERANDS).collect();
    let is_inside = INSIDE.contains(&(act.step.program, act.step.task()));
    match all.as_slice() {
        ["exec", _, program, rest @ ..] if is_inside => (base(program), rest.to_vec()),
        ["compose", "exec", _, program, rest @ ..] if is_inside => (base(program), rest.to_vec()),
        _ => (act.step.program, all),
    }
}

/// Whether a word looks like the name of a subcommand.
fn is_subcommand(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b':'))
}

/// What two steps have in common that do the same: the name of the program, and all words behind it.
fn words<'a>(act: &Act<'a>) -> impl Iterator<Item = &'a str> {
    std::iter::once(base(act.program())).chain(act.arguments().iter().copied())
}

/// What tells the steps of [`has_same_words`] from others.
fn hash_of_words(act: &Act<'_>) -> u64 {
    words(act).fold(0, |seed, word| hash(seed, word.as_bytes()))
}

/// Whether all words of a step are those of the one that failed, whatever stands in front of the program.
pub(crate) fn has_same_words(act: &Act<'_>, other: &Act<'_>) -> bool {
    words(act).eq(words(other))
}

/// Whether a call only asks, which the failed one did not.
pub(crate) fn asks(worked: &Worked<'_>, failed: &str) -> bool {
    let asks = |word: &&str| ASKS.contains(word);
    worked
        .acts
        .iter()
        .flat_map(|act| act.arguments().iter().take(4))
        .any(|word| asks(word) && !names_word(failed, word))
}

/// Whether two commands have the same script in them, or none: one that was written for this use is what the command does.
pub(crate) fn has_same_script(failed: &str, worked: &str) -> bool {
    let words = |script: &'_ str| script.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    match (script(failed), script(worked)) {
        (Some(one), Some(other)) => words(one) == words(other),
        (None, None) => true,
        _ => false,
    }
}

/// The first words of a step, as much as says what it does.
pub(crate) fn shown(act: &Act<'_>, words: usize) -> String {
    let arguments = act.arguments().iter().take(words);
    std::iter::once(&act.program()).chain(arguments).copied().collect::<Vec<_>>().join(" ")
}

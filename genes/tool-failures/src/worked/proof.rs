//! Whether a session proves a remedy that was taken from a later call. Every such remedy passes here.
//!
//! A call may work by chance. What is named as the remedy must be new in the call that worked, it may not stand in a call of the
//! session that failed in the same way, and nothing else that explains the success may lie between the two. If the failed call
//! works later as it was, it needed no remedy. A remedy that is proven may still rest on one call only: [`is_controlled`] says
//! whether anything else speaks for it.

use crate::cause::Cause;
use crate::command::hidden::hides_errors;
use crate::command::paths::base;
use crate::command::shell::{Act, pieces};
use crate::worked::act::{Worked, has_same_script, has_same_words, of_failure};
use crate::worked::arguments;
use crate::worked::before::in_front;
use crate::worked::steps::named_cure;
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Longest command that is shown, in bytes.
const MAX_SHOWN: usize = 120;
/// Programs that change nothing of what a later step needs, or only clear the way for it.
const NEUTRAL: [&str; 11] = ["rm", "rmdir", "sleep", "echo", "printf", "pwd", "ls", "true", ":", "clear", "date"];
/// What changes a shell for the calls that come after.
const LASTING: [&str; 6] = ["export ", "activate", "nvm use", "fnm use", "$env:", "alias "];

/// The remedy, as far as the session proves it; `all` are the failed calls.
pub(crate) fn proven(remedy: Remedy, failed: &Waiting, worked: &Worked<'_>, all: &[Waiting]) -> Option<Remedy> {
    if !remedy.way.is_of_form() {
        return Some(remedy).filter(|remedy| remedy.way != Way::Elsewhere || !is_missing(&remedy.text, failed, all));
    }
    let remedy = with_activation(remedy, failed, worked);
    (!is_explained(&remedy, failed) && !is_refuted(&remedy, failed, all)).then_some(remedy)
}

/// Whether more than one call that worked speaks for a remedy: the error names it, it is the only thing that was seen to change,
/// or the program that was not found is found with it. A refusal that depends on the environment does not depend on files, nor does
/// a module that one interpreter has and another lacks.
pub(crate) fn is_controlled(remedy: &Remedy, failed: &Waiting) -> bool {
    let is_of_environment = matches!(failed.cause, Cause::Login | Cause::Network | Cause::Overload);
    !remedy.way.is_of_form()
        || remedy.way == Way::Arguments
        || remedy.way == Way::Start && failed.cause == Cause::Program
        || remedy.way == Way::Start && failed.cause == Cause::Module && !failed.between.has_installs()
        || remedy.way == Way::Word && is_of_environment
        || failed.between.tells_nothing()
        || named(remedy).any(|words| is_named(words, failed))
}

/// Whether an error names a word of a remedy that is not only one of the call.
fn is_named(words: &str, failed: &Waiting) -> bool {
    let is_said = |word: &str| has_words(&failed.line, word) || has_words(&failed.output, word);
    let is_own = |word: &str| has_words(&failed.input, word) && !failed.line.contains(word);
    words.split(' ').any(|word| word.len() > 2 && is_said(word) && !is_own(word))
}

/// A command as it is shown if nothing else is known to have helped; empty if it is long.
pub(crate) fn shown(command: &str) -> String {
    let command = command.trim();
    let is_told = command.len() <= MAX_SHOWN && !command.contains(['\n', '`']) && !command.starts_with('{');
    if is_told { command.to_owned() } else { String::new() }
}

/// Whether a call is the failed one as it was, at most with something in front of it that clears the way.
pub(crate) fn is_unchanged(failed: &Waiting, worked: &Worked<'_>) -> bool {
    let input = failed.input.trim();
    // What was cut off may differ.
    let is_whole = !input.is_empty() && !input.ends_with(['…', '\u{fffd}']);
    if failed.tool != worked.call.name || hides_errors(worked.call.input) || !is_whole {
        return false;
    }
    let has_same_arguments = || worked.acts.is_empty() && arguments::are_same(&failed.input, worked.call.input);
    if input == worked.call.input.trim() || has_same_arguments() {
        return true;
    }
    if !worked.repeats(failed) || !has_same_script(&failed.input, worked.call.input) {
        return false;
    }
    let Some(act) = of_failure(failed) else { return false };
    let is_same = |other: &Act<'_>| has_same_words(&act, other) && act.prefixes() == other.prefixes();
    if worked.shown(is_same).is_none() {
        return false;
    }
    let (own, new) = (in_front(&failed.input, &act), in_front(worked.call.input, &act));
    let clears = |words: &[&str]| words.first().is_some_and(|first| NEUTRAL.contains(first));
    let mut folders = own.iter().filter(|words| words.first() == Some(&"cd"));
    folders.all(|words| new.contains(words)) && new.iter().all(|words| clears(words) || own.contains(words))
}

/// Whether a call changes the shell, so that what it did may still help the calls that come after it.
pub(crate) fn lasts(input: &str) -> bool {
    LASTING.iter().any(|words| input.contains(words))
}

/// How an environment is made active in front of a program that is started in another way: without it, the program is another
/// one.
fn with_activation(remedy: Remedy, failed: &Waiting, worked: &Worked<'_>) -> Remedy {
    if remedy.way != Way::Start || !worked.call.input.contains("activate") || failed.input.contains("activate") {
        return remedy;
    }
    let activates = |words: &Vec<&str>| words.iter().any(|word| word.ends_with("activate"));
    let Some(words) = pieces(worked.call.input).find(activates) else { return remedy };
    let front = words.join(" ");
    if front.len() > MAX_SHOWN || remedy.text.contains("activate") {
        return remedy;
    }
    Remedy { text: format!("`{front} && {}`", remedy.text.trim_matches('`')), ..remedy }
}

/// Whether a step between the two brought what was missing: then the form of the call is not the reason.
fn is_explained(remedy: &Remedy, failed: &Waiting) -> bool {
    let is_missing = matches!(failed.cause, Cause::Program | Cause::Module | Cause::OwnModule | Cause::WrongModule);
    is_missing && remedy.way == Way::Start && named_cure(failed).is_some()
}

/// Whether a call of the session with the remedy failed in the same way, or the program of the remedy was not found.
fn is_refuted(remedy: &Remedy, failed: &Waiting, all: &[Waiting]) -> bool {
    let new: Vec<&str> = match remedy.way {
        Way::Sudo => vec!["sudo "],
        _ => named(remedy).filter(|words| !has_words(&failed.input, words)).collect(),
    };
    let is_program = |name: &String| {
        remedy.way == Way::Start && new.iter().any(|words| words.split(' ').any(|word| base(word) == name))
    };
    let has_all = |other: &Waiting| !new.is_empty() && new.iter().all(|words| has_words(&other.input, words));
    all.iter().filter(|other| other.session == failed.session && other.event != failed.event).any(|other| {
        let is_about = other.key == failed.key || other.cause == Cause::Program && other.names.iter().any(is_program);
        is_about && has_all(other)
    })
}

/// Whether another call of the session did not find a path either.
fn is_missing(path: &str, failed: &Waiting, all: &[Waiting]) -> bool {
    all.iter().any(|other| other.session == failed.session && other.event > failed.event && other.missing == path)
}

/// What a remedy names in backticks.
fn named(remedy: &Remedy) -> impl Iterator<Item = &str> {
    remedy.text.split('`').skip(1).step_by(2).filter(|words| !words.is_empty())
}

/// Whether a command has these words, and not as a part of longer ones.
fn has_words(input: &str, words: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    input.match_indices(words).any(|(at, _)| {
        let (before, after) = (input.get(..at).unwrap_or_default(), input.get(at + words.len()..).unwrap_or_default());
        !before.ends_with(is_of_word) && !after.starts_with(is_of_word)
    })
}

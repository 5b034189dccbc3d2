//! Checks words against the table: their form, options and paths.

use super::CommandError;
use super::form::{Args, FORMS, Form, Style, spelled_forms};
use super::options::{JS_RUNNER, Opt, SKIPS_TESTS, Value};
use super::place;

/// Checks the words after a program of the table.
pub(super) fn check(program: &str, words: &[String]) -> Result<(), CommandError> {
    let mut forms = FORMS.iter().filter(|form| form.program == program);
    match forms.find_map(|form| Some((form, after_fixed_words(form, words)?))) {
        Some((form, rest)) => check_form(form, rest),
        None => Err(wrong_form(program)),
    }
}

fn wrong_form(program: &str) -> CommandError {
    CommandError::Form { program: program.to_owned(), forms: spelled_forms(program) }
}

/// What is left after the options before the fixed words, and after these; `None` where they are not there.
fn after_fixed_words<'a>(form: &Form, words: &'a [String]) -> Option<&'a [String]> {
    if form.words.is_empty() {
        return Some(words);
    }
    let reader = Reader { style: form.style, options: &[form.before] };
    let mut rest = words;
    loop {
        let (start, after) = rest.split_at_checked(form.words.len())?;
        if start.iter().zip(form.words).all(|(word, fixed)| word == fixed) {
            return Some(after);
        }
        rest = reader.option(rest).ok().flatten()?;
    }
}

fn check_form(form: &Form, words: &[String]) -> Result<(), CommandError> {
    let reader = Reader { style: form.style, options: form.options };
    if let Args::Script(extensions) = form.args {
        return check_script(form.program, &reader, extensions, words);
    }
    let Some(dashes) = words.iter().position(|word| word == "--") else {
        return check_args(form.program, form.args, &reader.arguments(words)?);
    };
    let (before, after) = words.split_at(dashes);
    check_args(form.program, form.args, &reader.arguments(before)?)?;
    let (options, args) = form.after_dashes.ok_or_else(|| CommandError::Option("--".to_owned()))?;
    let reader = Reader { style: form.style, options: &[options] };
    check_args(form.program, args, &reader.arguments(after.get(1..).unwrap_or_default())?)
}

/// A script's own arguments are left as they are: what looks like an option of the program is not one after the script.
fn check_script(program: &str, reader: &Reader<'_>, extensions: &[&str], words: &[String]) -> Result<(), CommandError> {
    let mut rest = words;
    while let Some(after) = reader.option(rest)? {
        rest = after;
    }
    let (script, own) = rest.split_first().ok_or_else(|| wrong_form(program))?;
    place::source(script, extensions)?;
    if place::is_dependency(script) {
        place::known_dependency(script)?;
        let runner = Reader { style: Style::Whole, options: &[JS_RUNNER] };
        return check_args(program, Args::Paths, &runner.arguments(own)?);
    }
    // Its `shell` takes code, and others change a database.
    let command = own.first().map(String::as_str).unwrap_or_default();
    if script.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("manage.py"))
        && !["check", "test"].contains(&command)
    {
        let forms = format!("`{program} manage.py test`, `{program} manage.py check`");
        return Err(CommandError::Form { program: format!("{program} manage.py"), forms });
    }
    own.iter().try_for_each(|word| not_skipping(word).and_then(|()| place::script_argument(word)))
}

fn check_args(program: &str, kind: Args, args: &[&str]) -> Result<(), CommandError> {
    let each = |check: fn(&str) -> Result<(), CommandError>| args.iter().try_for_each(|word| check(word));
    match kind {
        Args::Paths => each(place::own),
        Args::TestModules => each(place::test_module),
        Args::TestIds => each(place::test_id),
        Args::GoPackages => each(place::go_package),
        Args::TestNames => each(place::test_name),
        Args::Sources(extensions) if !args.is_empty() => {
            args.iter().try_for_each(|word| place::source(word, extensions))
        }
        Args::ScriptName if args.len() == 1 => each(place::script_name),
        Args::Nothing if args.is_empty() => Ok(()),
        Args::Nothing | Args::Sources(_) | Args::ScriptName | Args::Script(_) => Err(wrong_form(program)),
    }
}

/// Reads options as one form of a program reads them.
struct Reader<'t> {
    style: Style,
    options: &'t [&'static [Opt]],
}

impl Reader<'_> {
    /// Takes the options out and gives the arguments.
    fn arguments<'a>(&self, words: &'a [String]) -> Result<Vec<&'a str>, CommandError> {
        let (mut rest, mut args) = (words, Vec::new());
        while let Some((word, more)) = rest.split_first() {
            rest = if let Some(after) = self.option(rest)? {
                after
            } else {
                args.push(word.as_str());
                more
            };
        }
        Ok(args)
    }

    /// Takes one option and its value off the front. `None` where the front is not an option; an error where it is
    /// one that is not in the table.
    fn option<'a>(&self, words: &'a [String]) -> Result<Option<&'a [String]>, CommandError> {
        let Some((word, rest)) = words.split_first().filter(|(word, _)| word.starts_with('-')) else {
            return Ok(None);
        };
        not_skipping(word)?;
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        match (self.known(name), value) {
            (Some(Value::Flag | Value::MaybePath), None) => Ok(Some(rest)),
            (Some(kind), Some(value)) => check_value(name, kind, value).map(|()| Some(rest)),
            (Some(kind), None) => {
                let missing = || CommandError::Value { option: name.to_owned(), wanted: "a value" };
                let (value, rest) = rest.split_first().ok_or_else(missing)?;
                check_value(name, kind, value).map(|()| Some(rest))
            }
            (None, _) => self.letters(word).map(|()| Some(rest)),
        }
    }

    fn known(&self, name: &str) -> Option<Value> {
        let dashless = name.strip_prefix('-').filter(|_| self.style == Style::Dashes && name.starts_with("--"));
        let name = dashless.unwrap_or(name);
        self.options.iter().copied().flatten().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// `-xvs`, several flags in one word, or `-n4`, a flag with its value.
    fn letters(&self, word: &str) -> Result<(), CommandError> {
        let unknown = || CommandError::Option(option_name(word).to_owned());
        let letters = word
            .strip_prefix('-')
            .filter(|letters| self.style == Style::Letters && !letters.is_empty() && !letters.starts_with('-'))
            .ok_or_else(unknown)?;
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let kind = self.known(&name).ok_or_else(unknown)?;
            let value = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            match kind {
                Value::Flag => {}
                _ if value.is_empty() => return Err(unknown()),
                _ => return check_value(&name, kind, value),
            }
        }
        Ok(())
    }
}

fn check_value(option: &str, kind: Value, value: &str) -> Result<(), CommandError> {
    let (fine, wanted) = match kind {
        Value::Path | Value::MaybePath => return place::inside(value),
        Value::NpmPackage => return place::npm_package(value),
        Value::Module => return place::test_module(value),
        Value::Report(extensions) => return place::report(value, extensions),
        Value::Output => return place::output(value),
        Value::Runs => (is_number(value) && value.bytes().any(|b| (b'1'..=b'9').contains(&b)), "a number from 1"),
        Value::Retries => (["0", "1", "2", "3"].contains(&value), "a number up to 3"),
        Value::Flag => (false, "no value"),
        Value::Text => (!value.starts_with(['-', '@']), "a value that does not start with `-` or `@`"),
        Value::Number => (is_number(value), "a number"),
        Value::Warning => (is_warning(value), "a filter of built-in warnings, as `error::DeprecationWarning`"),
        Value::OneOf(words) => (words.contains(&value), "only values known to be safe"),
    };
    if fine { Ok(()) } else { Err(CommandError::Value { option: option.to_owned(), wanted }) }
}

/// `4`, `1,2,4`, `50%`, `1m30s`, `10x`, `auto`.
fn is_number(value: &str) -> bool {
    let known = |b: u8| b.is_ascii_digit() || b".,%hmsunx".contains(&b);
    value == "auto" || (value.starts_with(|c: char| c.is_ascii_digit()) && value.bytes().all(known))
}

/// `action:message:category:module:line`, each after the first optional. Python imports the module of a category with
/// a dot in its name, so only built-in ones pass.
fn is_warning(value: &str) -> bool {
    let mut parts = value.split(':');
    let action = parts.next().unwrap_or_default();
    let category = parts.nth(1).unwrap_or_default();
    ["always", "default", "error", "ignore", "module", "once"].contains(&action)
        && category.chars().all(|c| c.is_ascii_alphanumeric())
        && !value.contains('@')
}

fn option_name(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

pub(super) fn not_skipping(word: &str) -> Result<(), CommandError> {
    let name = option_name(word);
    if SKIPS_TESTS.contains(&name) { Err(CommandError::SkipsTests(name.to_owned())) } else { Ok(()) }
}

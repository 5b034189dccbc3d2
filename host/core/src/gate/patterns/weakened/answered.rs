//! Lines by which a test gives its checks the answer that they ask for.

use std::collections::{BTreeMap, BTreeSet};

use super::changed::Changed;
use super::pairs::Pair;
use super::phrase::{self, Phrase, has};
use super::taken;
use super::text::Text;
use super::tokens::{is_string, is_value, is_word};

/// Why the changed lines answer what the test asks.
pub(super) fn by_itself(file: &Changed<'_>, removed: &[Phrase<'_>], added: &[Phrase<'_>]) -> Option<String> {
    given_and_asked(file, added)
        .or_else(|| asked_itself(removed, added))
        .or_else(|| written_out(file, removed, added))
        .or_else(|| replaces_subject(file, removed, added))
        .or_else(|| {
            let (line, name) = taken::called(file, removed)?;
            Some(format!("`{line}` takes the place of `{name}`, which the tests call"))
        })
}

/// A result that came from a call, and is written out now: with the values that a check asks for, or with those that stand
/// elsewhere in the file as the expected ones.
fn written_out(file: &Changed<'_>, removed: &[Phrase<'_>], added: &[Phrase<'_>]) -> Option<String> {
    let of_code = removed.iter().filter_map(|old| {
        let (name, was) = assigned(old)?;
        (asks_code(was) && !names_expected(name)).then_some((old.place.hunk, name))
    });
    let made: BTreeSet<(usize, &str)> = of_code.collect();
    let line = added.iter().find(|phrase| {
        let Some((name, value)) = assigned(phrase) else { return false };
        let was_made = || made.contains(&(phrase.place.hunk, name));
        let is_result = || has(name, &["actual", "got", "output", "result", "results"]);
        let is_value = |value: &[&str]| value.iter().any(|token| is_value(token));
        was_made() && !asks_code(value) && is_value(value) && (is_result() || is_asked_for(file, phrase, name, value))
    })?;
    Some(format!("`{}` writes out what the code gave", line.line))
}

/// A name, and the tokens of what it is given.
fn assigned<'p>(phrase: &'p Phrase<'_>) -> Option<(&'p str, &'p [&'p str])> {
    let position = |signs: &[&str]| phrase.tokens.iter().position(|token| signs.contains(token));
    let at = position(&["=", ":="]).or_else(|| position(&["{"]))?;
    let head = phrase.tokens.get(..at)?;
    let mut names = head.iter().copied().filter(|token| is_word(token) && !DECLARES.contains(token));
    // In `Receipt receipt = …`, the type stands first.
    let is_first = head.iter().any(|token| [":", ","].contains(token));
    let name = if is_first { names.next()? } else { names.next_back()? };
    Some((name, phrase.tokens.get(at + 1..)?)).filter(|(_, value)| !value.is_empty())
}

/// Words before the name of a variable.
const DECLARES: &[&str] = &["auto", "const", "final", "let", "mut", "my", "val", "var"];

fn names_expected(name: &str) -> bool {
    has(name, &["exp", "expect", "expected", "golden", "input", "want", "wanted"])
}

/// Whether an expression calls a function or a method that is no constructor of a plain value.
fn asks_code(value: &[&str]) -> bool {
    const PLAIN: &[&str] =
        &["List", "Set", "asList", "listOf", "mapOf", "new", "of", "setOf", "to_owned", "to_string", "vec"];
    value.windows(2).any(|two| {
        matches!(two, [name, "("] if is_word(name) && name.starts_with(|c: char| c.is_lowercase() || c == '_') && !PLAIN.contains(name))
    }) || value.contains(&"await")
        || value.first().is_some_and(|first| is_word(first) && first.starts_with(char::is_lowercase))
            && value.windows(2).any(|two| matches!(two, [".", name] if name.starts_with(char::is_lowercase) && !PLAIN.contains(name)))
            && !value.iter().any(|token| is_value(token))
}

/// Whether a check speaks of a name and of a value that it is given, or the same value is written out elsewhere.
fn is_asked_for(file: &Changed<'_>, own: &Phrase<'_>, name: &str, value: &[&str]) -> bool {
    /// How far below the check may stand.
    const BELOW: usize = 16;
    let speaks = |phrase: &Phrase<'_>| {
        phrase.tokens.contains(&name)
            && phrase.checks()
            && value.iter().any(|token| is_value(token) && phrase.tokens.contains(token))
    };
    let behind = own.line.split_once('=').map_or("", |(_, text)| text.trim().trim_end_matches(';'));
    file.after.below(own.place.line, BELOW).any(speaks)
        || behind.len() > 8 && file.after.whole.matches(behind).nth(1).is_some()
}

/// A fake that is put in place of the function which the test itself calls: `patch.object(client, "get")` before `client.get()`.
fn replaces_subject(file: &Changed<'_>, removed: &[Phrase<'_>], added: &[Phrase<'_>]) -> Option<String> {
    let target = |phrase: &Phrase<'_>| -> Option<String> {
        const FAKES: &[&str] = &["object", "spyOn", "spy", "stub", "mock", "method", "replace", "setattr", "patch"];
        let at = phrase.tokens.windows(2).position(|two| matches!(two, [name, "("] if FAKES.contains(name)))? + 2;
        let rest = phrase.tokens.get(at..)?;
        let comma = rest.iter().position(|token| *token == ",")?;
        let (owner, method) = (rest.get(..comma)?, rest.get(comma + 1)?);
        let is_path = owner.iter().all(|token| is_word(token) || *token == ".") && !owner.is_empty();
        let name = method.trim_matches(['"', '\'', '`']);
        (is_path && is_string(method)).then(|| format!("{}.{name}(", owner.concat()))
    };
    let old: BTreeSet<String> = removed.iter().filter_map(target).collect();
    let calls = |call: &str| {
        file.after.whole.match_indices(call).any(|(at, _)| {
            let before = file.after.whole.get(..at).unwrap_or_default().chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
        })
    };
    let is_new = |phrase: &&Phrase<'_>| {
        !removed.is_empty() && target(phrase).is_some_and(|call| !old.contains(&call) && calls(&call))
    };
    let line = added.iter().find(is_new)?.line;
    Some(format!("`{line}` replaces what the test calls"))
}

/// Whether what a check compares falls back to the value that it asks for: `equal("a", x ?? "a")`.
pub(super) fn falls_back(pair: &Pair<'_>) -> bool {
    let count = |tokens: &[&str], value: &str| tokens.iter().filter(|token| **token == value).count();
    let is_again =
        |value: &str| is_value(value) && count(&pair.old.tokens, value) == 1 && count(&pair.new.tokens, value) > 1;
    let falls = |token: &str| {
        ["?", "|", "||", "or", "orelse"].contains(&token) || has(token, &["default", "else", "get", "or"])
    };
    pair.come().any(falls) && pair.come().any(is_again)
}

/// Whether what a test works on is a fake now, where a line made it: `return Cart()` and `return Mock()`.
pub(super) fn gives_fake(pair: &Pair<'_>) -> bool {
    let gives = pair.old.tokens.first().is_some_and(|first| ["return", "yield"].contains(first));
    let is_fake = |name: &str| has(name, &["double", "fake", "mock", "mockk", "spy", "stub", "substitute"]);
    let made = |phrase: &Phrase<'_>| phrase.called().count() > 0 && !phrase.names().any(|(_, name)| is_fake(name));
    gives && made(pair.old) && pair.new.called().any(is_fake)
}

/// What a compared thing is given: the expected values, in the same line: `{...token, line: 2}` before `{line: 2}`.
pub(super) fn gives_expected(pair: &Pair<'_>) -> bool {
    let fields = |tokens: &[&str]| -> BTreeMap<(String, String), usize> {
        let mut all = BTreeMap::new();
        for three in tokens.windows(3) {
            if let [name, ":" | "=" | "=>", value] = three
                && (is_word(name) || is_string(name))
                && is_value(value)
            {
                *all.entry(((*name).to_owned(), (*value).to_owned())).or_default() += 1;
            }
        }
        all
    };
    let (old, new) = (fields(&pair.old.tokens), fields(&pair.new.tokens));
    new.iter().any(|(field, count)| *count > 1 && old.get(field) == Some(&1))
}

/// Whether a check asks something of this name, and not only whether it was called.
pub(super) fn is_asked(text: &Text<'_>, name: &str) -> bool {
    text.with(name).any(|line| line.asks(name))
}

/// Whether a check compares this part of a thing.
pub(super) fn checks_part(text: &Text<'_>, part: &str) -> bool {
    text.with(&format!("{part} ==")).any(Phrase::checks)
}

/// A variable that is given what the check then compares it with, unless something happens in between.
fn given_and_asked(file: &Changed<'_>, added: &[Phrase<'_>]) -> Option<String> {
    if let Some(line) = added.iter().find(|line| is_made_equal(file, line)) {
        return Some(format!("`{}` makes both sides of a check the same", line.line));
    }
    let mut given: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    let mut acts = 0;
    for line in added {
        let sides: BTreeSet<&str> = phrase::compared(line.line).into_iter().collect();
        let is_own = |(value, (name, then)): (&&str, &(&str, usize))| {
            *then == acts && sides.contains(value) && sides.contains(name)
        };
        if given.iter().any(is_own) {
            return Some(format!("`{}` compares what it got with itself", line.line));
        }
        match phrase::given(line.line) {
            Some((name, value)) => {
                given.insert(value, (name, acts));
            }
            None => acts += usize::from(!line.checks() && line.called().next().is_some()),
        }
    }
    None
}

/// A new check of a thing against itself, or of two constants.
fn asked_itself(removed: &[Phrase<'_>], added: &[Phrase<'_>]) -> Option<String> {
    let compares = |line: &Phrase<'_>| phrase::compares_itself(line.line);
    if removed.is_empty() || removed.iter().any(compares) {
        return None;
    }
    let line = added.iter().find(|line| compares(line))?.line;
    Some(format!("`{line}` compares a thing with itself, or two constants"))
}

/// Whether a line gives a part of a thing, as `case.want`, the value of a name with which the next check compares it.
fn makes_part_equal(file: &Changed<'_>, line: &Phrase<'_>) -> bool {
    /// How far below the check may stand.
    const BELOW: usize = 6;
    let is_path = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.[]$>-@".contains(c)) && !text.contains("--")
    };
    // In Perl and Ruby, a condition may stand behind it.
    let bare = line.line.split(" if ").next().unwrap_or_default().trim_end_matches([';', ' ']);
    let Some((part, value)) = bare.split_once(" = ") else { return false };
    let (part, value) = (part.trim(), value.trim());
    let is_part = [part, value].iter().any(|side| side.contains(['.', '[', '$', '@', '%']) || side.contains("->"));
    if !is_part || !is_path(part) || !is_path(value) || part == value || value.parse::<f64>().is_ok() {
        return false;
    }
    let holds = |text: &str, name: &str| {
        let ends = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
        text.match_indices(name).any(|(at, _)| {
            ends(text.get(..at).and_then(|before| before.chars().next_back()))
                && ends(text.get(at + name.len()..).and_then(|behind| behind.chars().next()))
        })
    };
    let asks = |below: &Phrase<'_>| {
        holds(below.line, part)
            && holds(below.line, value)
            && (below.checks() || below.line.starts_with("if "))
            && file.before.whole.contains(below.line)
    };
    file.after.below(line.place.line, BELOW).any(asks)
}

/// Whether a line gives one name the value of another one, with which a check below compares it.
fn is_made_equal(file: &Changed<'_>, line: &Phrase<'_>) -> bool {
    /// How far below the check may stand.
    const BELOW: usize = 8;
    if makes_part_equal(file, line) {
        return true;
    }
    let (name, value) = match line.tokens.as_slice() {
        [name, "=" | ":=", value]
        | [name, "=" | ":=", value, ";"]
        | [_, name, "=", value]
        | [_, name, "=", value, ";"] => (*name, *value),
        _ => return false,
    };
    if name == value || !is_word(name) || !is_word(value) {
        return false;
    }
    let near = file.after.below(line.place.line, BELOW);
    let mut speak = near.filter(|phrase| phrase.line.contains(name) && phrase.line.contains(value));
    let is_compared = speak.any(|phrase| {
        let sides: BTreeSet<&str> = phrase::compared(phrase.line).into_iter().collect();
        let compares = |token: &&str| {
            ["==", "!=", "==="].contains(token) || has(token, &["compare", "diff", "eq", "equal", "equals"])
        };
        let both =
            phrase.tokens.contains(&name) && phrase.tokens.contains(&value) && phrase.tokens.iter().any(compares);
        sides.contains(name) && sides.contains(value) || both
    });
    // A copy of a thing may be compared with it.
    let was_there = || file.before.with(name).any(|line| line.tokens.contains(&name));
    is_compared && was_there()
}

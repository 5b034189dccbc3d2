//! A fake that stands in for what is tested: by its import, by a fixture of the same name, or in the variable that held it.

use std::collections::BTreeMap;

use super::super::pairs::Pair;
use super::super::phrase::{Phrase, has};
use super::super::tokens::{is_string, is_word, parts};
use super::edit::{Edit, about};

const FAKES: &[&str] =
    &["double", "dummy", "fake", "fakes", "mock", "mocks", "mockk", "spy", "stub", "stubs", "substitute"];

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    let imported = edit.pairs.iter().find(|pair| imports_fake(pair));
    let imported = imported.map(|pair| about(pair.new.line, "takes what is tested from a stub"));
    imported.or_else(|| made(edit)).or_else(|| fixture(edit))
}

fn names_fake(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.flat_map(parts).any(|part| FAKES.contains(&part.as_str()))
}

/// An import of the same names from another module, whose name says that it is a fake.
fn imports_fake(pair: &Pair<'_>) -> bool {
    let imports =
        |phrase: &Phrase<'_>| phrase.is_import() || phrase.line.contains("require(") || phrase.line.contains(" from ");
    imports(pair.old) && imports(pair.new) && pair.come().any(names_fake) && !names_fake(pair.old.line)
}

/// A variable that was made of the real thing, and holds a fake now.
fn made(edit: &Edit<'_, '_>) -> Option<String> {
    let given = |phrase: &Phrase<'_>| -> Option<(String, usize)> {
        let at = phrase.tokens.iter().position(|token| ["=", ":="].contains(token))?;
        let name = phrase.tokens.get(..at)?.concat();
        Some((name, at)).filter(|(name, _)| !name.is_empty())
    };
    let value = |phrase: &Phrase<'_>, at: usize| phrase.tokens.get(at + 1..).unwrap_or_default().concat();
    let is_real = |value: &str| value.contains('(') && !names_fake(value);
    let calls_fake = |phrase: &Phrase<'_>, from: usize| {
        let called = |at: usize| phrase.tokens.get(at + 1).is_some_and(|next| ["(", "<", ".", "["].contains(next));
        phrase.names().any(|(at, name)| at > from && called(at) && has(name, FAKES))
    };
    // One that is made as before, of a fake: what is tested is real.
    let first_call = |phrase: &Phrase<'_>, from: usize| -> Option<String> {
        let value = phrase.tokens.get(from + 1..)?;
        value.windows(2).find_map(|two| matches!(two, [name, "("] if is_word(name)).then(|| two.concat()))
    };
    let mut fakes: BTreeMap<(usize, String), (&Phrase<'_>, Option<String>)> = BTreeMap::new();
    for new in edit.added {
        if let Some((name, from)) = given(new).filter(|(_, from)| calls_fake(new, *from)) {
            fakes.entry((new.place.hunk, name)).or_insert_with(|| (new, first_call(new, from)));
        }
    }
    let is_made = |old: &Phrase<'_>| {
        let (name, at) = given(old).filter(|(name, at)| is_real(&value(old, *at)) && !names_fake(name))?;
        let (new, call) = fakes.get(&(old.place.hunk, name))?;
        (call.is_none() || *call != first_call(old, at)).then(|| about(new.line, "is a fake now"))
    };
    edit.removed.iter().find_map(is_made)
}

/// A new fixture of the name that tests take already, and that gives a fake.
fn fixture(edit: &Edit<'_, '_>) -> Option<String> {
    /// Longest body that is looked at.
    const MOST: usize = 16;
    /// Most fixtures that are looked for.
    const FIXTURES: usize = 200;
    let is_fixture =
        |line: &&&Phrase<'_>| edit.file.after.above(line.place.line).is_some_and(|above| above.contains("fixture"));
    let line = edit.come.iter().filter(is_fixture).take(FIXTURES).find(|line| {
        let name = match line.tokens.as_slice() {
            ["def" | "fn" | "let" | "subject", name, ..] if is_word(name) => *name,
            ["let" | "subject", "(", ":", name, ")", ..] => *name,
            _ => return false,
        };
        let declared = || edit.file.before.whole.contains(&format!("def {name}("));
        let is_taken = || {
            edit.file.before.with(name).any(|other| {
                other.names_of_tests() > 0
                    && other.names().skip(1).any(|(_, own)| own == name)
                    && !is_string(other.line)
            })
        };
        let gives_fake = || {
            let body = edit.file.after.below(line.place.line, MOST).take_while(|line| !line.line.starts_with("def "));
            body.into_iter().any(|line| line.names().any(|(_, name)| has(name, FAKES)))
        };
        !declared() && is_taken() && gives_fake()
    })?;
    Some(about(line.line, "puts a fake in place of the fixture that tests take"))
}

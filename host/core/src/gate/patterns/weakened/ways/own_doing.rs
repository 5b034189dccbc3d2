//! Tests that make what they ask for, or ask what every value answers.

use super::super::balance;
use super::super::pairs::Pair;
use super::super::phrase::{self, Phrase, has};
use super::super::tokens::{is_string, is_value, is_word};
use super::edit::{Edit, about};

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    let of_pair = |pair: &Pair<'_>| {
        let about = |why| Some(about(pair.new.line, why));
        if folds(pair) {
            return about("compares without regard to what the two texts differ in");
        }
        if answers_itself(pair) {
            return about("compares a thing with what is made of it");
        }
        if asks_for_a_kind(pair) {
            return about("holds for every value, since every value has a type");
        }
        is_not_run(edit, pair)
            .then(|| about("is a coroutine now, which a runner without a plugin does not run"))
            .flatten()
    };
    edit.pairs.iter().find_map(of_pair).or_else(|| writes(edit)).or_else(|| panics(edit))
}

/// Whether a text that a check asks for is the same one apart from case or space, which a call takes from the result.
fn folds(pair: &Pair<'_>) -> bool {
    const CASE: &[&str] =
        &["casecmp", "casefold", "downcase", "fold", "lower", "lowercase", "upcase", "upper", "uppercase"];
    const SPACE: &[&str] = &["squish", "strip", "trim"];
    let without_case = |text: &str| text.to_lowercase();
    let without_space = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let calls =
        |list: &[&str]| pair.come().any(|token| has(token, list) && pair.new.called().any(|name| name == token));
    let is_same = |bare: &dyn Fn(&str) -> String| {
        let strings = || pair.gone().filter(|token| is_string(token));
        strings().any(|old| pair.come().any(|new| is_string(new) && old != new && bare(old) == bare(new)))
    };
    pair.old.checks() && (calls(CASE) && is_same(&without_case) || calls(SPACE) && is_same(&without_space))
}

/// Whether a value that was written out gave way to the same thing in another form: `equal(x.toString(), String(x))`.
fn answers_itself(pair: &Pair<'_>) -> bool {
    #[rustfmt::skip]
    const FORMS: &[&str] = &["String", "clone", "format", "repr", "str", "string", "toString", "to_owned", "to_s", "to_string"];
    let asks = || pair.old.checks() || balance::is_check(pair.old.line);
    let words: Vec<&str> = pair.come().filter(|token| is_word(token)).collect();
    let is_known = |word: &&str| pair.old.tokens.contains(word) || FORMS.contains(word);
    let is_form = words.iter().any(|word| FORMS.contains(word));
    let signs = |token: &str| ["(", ")", ".", "!"].contains(&token);
    is_form
        && asks()
        && words.iter().all(is_known)
        && words.iter().any(|word| pair.old.tokens.contains(word))
        && pair.come().all(|token| is_word(token) || signs(token))
        && pair.gone().any(is_value)
        && pair.gone().all(|token| is_value(token) || signs(token))
}

/// Whether a check asks for the truth of a type: `ok(typeof x)`, `assert type(x)`.
fn asks_for_a_kind(pair: &Pair<'_>) -> bool {
    let compares = |token: &&str| {
        ["==", "===", "!=", "!==", "in", "is", "instanceof"].contains(token)
            || is_word(token) && has(token, &["be", "deep", "eq", "equal", "equals", "match", "same", "to"])
    };
    let asks = |phrase: &Phrase<'_>| {
        let begins = phrase.tokens.windows(3).any(|three| {
            matches!(three, [verb, "(", "typeof"] | [_, verb, "typeof"] if is_word(verb))
                || matches!(three, ["assert", "type", "("])
        });
        begins && !phrase.tokens.iter().any(compares)
    };
    (pair.old.checks() || balance::is_check(pair.old.line)) && asks(pair.new) && !asks(pair.old)
}

/// Whether a test of Python became a coroutine without waiting for anything. Only a plugin runs such a test.
fn is_not_run(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> bool {
    /// Longest body that is looked at.
    const MOST: usize = 100;
    let is_test = matches!(pair.new.tokens.as_slice(), ["async", "def", name, ..] if name.starts_with("test"));
    if !is_test || pair.old.tokens.first() == Some(&"async") {
        return false;
    }
    let ends =
        |line: &&Phrase<'_>| !["@", "def", "class", "async def"].iter().any(|start| line.line.starts_with(start));
    let mut body = edit.file.after.below(pair.new.place.line, MOST).take_while(ends);
    let has_plugin = ["asyncio", "anyio", "trio", "aiohttp"].iter().any(|name| edit.file.after.whole.contains(name));
    !has_plugin && !body.any(|line| line.tokens.iter().any(|token| ["await", "async"].contains(token)))
}

/// A new line that writes the file with which the test compares what it wrote.
fn writes(edit: &Edit<'_, '_>) -> Option<String> {
    #[rustfmt::skip]
    const WRITES: &[&str] = &[
        "WriteAllText", "WriteFile", "file_put_contents", "writeFile", "writeFileSync", "writeString", "writeText", "write_bytes", "write_text",
    ];
    #[rustfmt::skip]
    const READS: &[&str] = &[
        "ReadAllText", "ReadFile", "file_get_contents", "readFile", "readFileSync", "readString", "readText", "read_bytes", "read_text",
        "read_to_string",
    ];
    /// How far below the file may be read and the text be compared.
    const BELOW: usize = 12;
    let compares = |name: &str| phrase::has(name, &["eq", "equal", "equals", "same"]);
    let writes_own = |line: &&&Phrase<'_>| {
        let Some(at) = line.tokens.iter().position(|token| WRITES.contains(token)) else { return false };
        let names = |tokens: &[&str]| {
            tokens.iter().filter(|token| is_word(token)).map(|token| (*token).to_owned()).collect::<Vec<_>>()
        };
        let behind = names(line.tokens.get(at + 1..).unwrap_or_default());
        let before = names(line.tokens.get(..at).unwrap_or_default());
        let file = if line.tokens.get(at.wrapping_sub(1)) == Some(&".") && behind.len() == 1 {
            before.last()
        } else {
            behind.first()
        };
        let (Some(file), Some(text)) = (file, behind.last()) else { return false };
        let below: Vec<&Phrase<'_>> = edit.file.after.below(line.place.line, BELOW).collect();
        let has = |line: &Phrase<'_>, name: &String| line.tokens.iter().any(|token| token == name);
        below.iter().any(|line| has(line, file) && line.tokens.iter().any(|token| READS.contains(token)))
            && below.iter().any(|line| has(line, text) && (line.checks() || line.called().any(compares)))
    };
    let line = edit.come.iter().find(writes_own)?;
    Some(about(line.line, "writes what the test compares with"))
}

/// A panic that a test of Rust makes by itself, and for which it asks.
fn panics(edit: &Edit<'_, '_>) -> Option<String> {
    /// Longest body, and most marks above it.
    const MOST: u64 = 60;
    let begins = |line: &Phrase<'_>| {
        matches!(line.tokens.as_slice(), ["panic" | "todo" | "unimplemented" | "unreachable", "!", ..])
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_asked_for = |line: &Phrase<'_>| {
        let above = |back: u64| edit.file.after.above(line.place.line.checked_sub(back)?);
        let own = edit.file.after.above(line.place.line.saturating_add(1)).map_or(0, indent);
        let from_head = (0..MOST).map_while(above).skip_while(|line| !line.contains("fn ") || indent(line) >= own);
        let mut marks = from_head.skip(1).map(str::trim).take_while(|line| line.starts_with(['#', '/']));
        marks.any(|line| line.contains("should_panic"))
    };
    let line = edit.come.iter().find(|line| begins(line) && is_asked_for(line) && !edit.is_of_new_test(line))?;
    Some(about(line.line, "raises what the test expects"))
}

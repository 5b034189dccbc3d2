//! Checks that nobody waits for: the test ends before they ran.

use std::collections::BTreeSet;

use super::super::changed::Changed;
use super::super::phrase::{Phrase, has};
use super::super::tokens::is_word;
use super::edit::{Edit, about};

/// Names of what a test calls when it is through.
const DONE: &[&str] = &["done", "end", "finish", "fulfill", "resolve", "countDown", "Done", "complete"];

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    does_nothing(edit).or_else(|| early(edit)).or_else(|| dropped(edit)).or_else(|| no_longer_awaited(edit))
}

/// A function that does nothing, in the place of a name that was called back.
fn does_nothing(edit: &Edit<'_, '_>) -> Option<String> {
    let is_name = |phrase: &Phrase<'_>| matches!(phrase.tokens.as_slice(), [name] | [name, ","] if is_word(name));
    let named: BTreeSet<usize> = edit.removed.iter().filter(|old| is_name(old)).map(|old| old.place.run).collect();
    let alone = edit.added.iter().find(|new| {
        is_empty_function(new.tokens.strip_suffix(&[","]).unwrap_or(&new.tokens)) && named.contains(&new.place.run)
    });
    let within = || {
        let pair = edit.pairs.iter().find(|pair| {
            let has = |tokens: &[&str]| (1..=6).any(|length| tokens.windows(length).any(is_empty_function));
            has(&pair.new.tokens)
                && !has(&pair.old.tokens)
                && pair.gone().any(is_word)
                && !pair.come().any(is_name_only)
        });
        pair.map(|pair| pair.new)
    };
    let line = alone.or_else(within)?;
    Some(about(line.line, "calls nothing where the test was called back"))
}

/// Whether a word is none of those of which an empty function is made.
fn is_name_only(token: &str) -> bool {
    is_word(token) && !["function", "lambda", "None", "nil", "async"].contains(&token)
}

fn is_empty_function(tokens: &[&str]) -> bool {
    matches!(
        tokens,
        ["(", ")", "=>", "{", "}"]
            | ["function", "(", ")", "{", "}"]
            | ["lambda", ":", "None"]
            | ["||", "{", "}"]
            | ["func", "(", ")", "{", "}"]
            | ["(", ")", "->", "{", "}"]
            | ["noop"]
    )
}

/// A test that says that it is through before it has begun.
fn early(edit: &Edit<'_, '_>) -> Option<String> {
    let line =
        edit.come.iter().find(|line| says_done(line) && begins(edit.file, line) && !edit.is_of_new_test(line))?;
    Some(about(line.line, ENDS))
}

const ENDS: &str = "ends the test before its checks";

/// The same for a line that stood at the end of the test before.
pub(super) fn ends_at_once(file: &Changed<'_>) -> Option<String> {
    let said =
        |lines: &[(String, String)]| -> Vec<String> { lines.iter().map(|(_, said)| said.trim().to_owned()).collect() };
    let gone: BTreeSet<String> = said(&file.lines.removed).into_iter().collect();
    let come = said(&file.lines.added).into_iter().zip(&file.lines.added_at);
    let mut moved = come.filter(|(line, place)| {
        let phrase = Phrase::of(line, **place);
        gone.contains(line) && says_done(&phrase) && begins(file, &phrase)
    });
    moved.next().map(|(line, _)| about(&line, ENDS))
}

/// Whether a line says that the test is through.
fn says_done(phrase: &Phrase<'_>) -> bool {
    match phrase.tokens.strip_suffix(&[";"]).unwrap_or(&phrase.tokens) {
        [name, "(", ")"] | [_, ".", name, "(", ")"] => DONE.contains(name),
        _ => false,
    }
}

/// Whether a line is the first one of a test.
fn begins(file: &Changed<'_>, line: &Phrase<'_>) -> bool {
    let above = file.after.above(line.place.line).unwrap_or_default();
    let above = Phrase::of(above.trim(), line.place);
    above.names_of_tests() > 0 && above.line.ends_with(['{', '>', ':', ')'])
}

/// Work that begins in a new line, around lines that were there, and that nothing waits for.
fn dropped(edit: &Edit<'_, '_>) -> Option<String> {
    const WAITS: &[&str] = &["await", "get", "join", "wait", "result", "gather", "block", "done", "sync", "then"];
    let line = edit.come.iter().find(|line| begins_work(line) && !edit.is_of_new_test(line))?;
    let is_wrapped = edit.removed.iter().any(|old| old.place.hunk == line.place.hunk)
        || edit.file.lines.removed_at.iter().any(|place| place.run == line.place.run);
    let waits = |phrase: &Phrase<'_>| phrase.names().any(|(_, name)| has(name, WAITS));
    let others = edit.added.iter().filter(|other| other.place.hunk == line.place.hunk && other.line != line.line);
    // What ends a test may be called in it.
    let is_waited_for = others.into_iter().any(|other| waits(other) && !other.line.starts_with("done"));
    (is_wrapped && !is_waited_for).then(|| about(line.line, "starts work that nothing waits for"))
}

/// Whether a line starts work beside the test, which it writes out.
fn begins_work(line: &Phrase<'_>) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "(async (", "(async function", "CompletableFuture.runAsync(", "DispatchQueue.", "GlobalScope.launch", "Promise.all(",
        "Promise.resolve(", "Task.Run(", "Task.async(", "Task.detached", "Task {", "Thread.new", "asyncio.create_task(",
        "asyncio.ensure_future(", "go func(", "launch {", "new Promise(", "new Thread(", "process.nextTick(", "queueMicrotask(",
        "setImmediate(", "setTimeout(", "spawn(", "std::thread(", "thread::spawn(", "tokio::spawn(", "void (async",
    ];
    STARTS.iter().any(|start| line.line.starts_with(start))
        && (line.line.ends_with(['{', '(', '[', '>']) || line.line.contains("=>"))
}

/// A call that a test waited for, and that is the same without it.
fn no_longer_awaited(edit: &Edit<'_, '_>) -> Option<String> {
    let awaits = |token: &str| token == "await";
    // The test itself may have become one that does not wait.
    if edit.pairs.iter().any(|pair| pair.gone().any(|token| token == "async")) {
        return None;
    }
    let pair = edit.pairs.iter().find(|pair| {
        pair.gone().any(awaits)
            && pair.gone().all(|token| awaits(token) || ["(", ")"].contains(&token))
            && pair.come().next().is_none()
    })?;
    Some(about(pair.new.line, "is not waited for"))
}

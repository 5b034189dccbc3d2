//! The edits of a file, on lines that a failing test executes.
//!
//! Each is one change of one place. None returns a constant in the place of an expression, compares with a value of the
//! test, takes out an assertion or takes an error and goes on.

mod blocks;
mod operands;
mod signs;

use std::collections::BTreeSet;

use crate::collect::Edits;
use crate::edit::Edit;
use crate::file::File;
use crate::lexer::{Kind, Token, tokens};

/// All edits of tokens on these lines. Equal results of different kinds come once, with the heavier kind.
pub(crate) fn edits(file: &File<'_>, lines: &BTreeSet<usize>) -> Vec<Edit> {
    let mut edits = Edits { file, line: 0, found: Vec::new() };
    for (at, token) in file.tokens.iter().enumerate().filter(|(_, token)| lines.contains(&token.line)) {
        edits.line = token.line;
        // Only what is in a function: at the level of a module stand definitions.
        if file.functions_at(at).is_none() {
            continue;
        }
        signs::edits(&mut edits, at);
        operands::edits(&mut edits, at);
        blocks::edits(&mut edits, at);
    }
    let mut found = edits.found;
    found.retain(|edit| !compares_with_itself(file, edit));
    found.sort_by(|a, b| {
        let key = |edit: &Edit| (edit.start, edit.end);
        key(a).cmp(&key(b)).then_with(|| a.text.cmp(&b.text)).then(b.template.weight().total_cmp(&a.template.weight()))
    });
    found.dedup_by(|b, a| (a.start, a.end, &a.text) == (b.start, b.end, &b.text));
    found
}

/// Whether an edit makes an expression such as `x - x`, or the assignment `x = x`, which nobody means.
fn compares_with_itself(file: &File<'_>, edit: &Edit) -> bool {
    const SIGNS: &[&str] = &["=", "-", "/", "//", "%", "==", "===", "!=", "!==", "<", ">", "<=", ">=", "&", "|", "^"];
    let Some(after) = edit.apply(file.text) else { return true };
    let start = file.text.get(..edit.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let count = |text: &str| {
        let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let tokens = tokens(line, file.language);
        let is_same = |window: &&[Token<'_>]| match window {
            [before, left, sign, right, after] => {
                let is_sign = matches!(sign.text, "and" | "or" | "&&" | "||") || SIGNS.contains(&sign.text);
                let is_whole = !before.is(".") && !matches!(after.text, "." | "(" | "[" | "*" | "/");
                is_sign && is_whole && left.kind == Kind::Name && left.text == right.text
            }
            _ => false,
        };
        let edge = Token { kind: Kind::Sign, text: ";", start: 0, line: 1 };
        let padded: Vec<Token<'_>> = [edge].into_iter().chain(tokens).chain([edge]).collect();
        padded.windows(5).filter(is_same).count()
    };
    count(&after) > count(file.text)
}

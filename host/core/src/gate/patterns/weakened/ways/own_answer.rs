//! Checks whose answer is made of what they ask: both sides hold the same.

use super::super::pairs::Pair;
use super::super::tokens::{is_string, is_word};
use super::edit::{Edit, about};

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    let pair = edit.pairs.iter().find(|pair| joins_both(pair) || holds_by_text(pair))?;
    Some(about(pair.new.line, "holds whatever the code gives"))
}

/// Whether a call that was compared stands on both sides now, joined with something else on each.
fn joins_both(pair: &Pair<'_>) -> bool {
    let joins = |token: &str| ["+", "|", "||", "?", "or", "union", "merge", "concat"].contains(&token);
    let joined = pair.new.tokens.iter().filter(|token| joins(token)).count();
    let twice = |tokens: &[&str]| {
        let calls =
            tokens.windows(4).filter(|four| matches!(four, [name, "(", first, _] if is_word(name) && *first != ")"));
        let calls: Vec<&[&str]> = calls.collect();
        calls.iter().enumerate().any(|(at, call)| calls.iter().skip(at + 1).any(|other| other == call))
    };
    joined > 1 && pair.come().any(joins) && twice(&pair.new.tokens) && !twice(&pair.old.tokens)
}

/// Whether a text stands for a condition: `"done" || x` always holds.
fn holds_by_text(pair: &Pair<'_>) -> bool {
    let holds = |tokens: &[&str]| {
        tokens.windows(3).any(|three| {
            matches!(three, ["(" | "assert" | "if" | "return", text, "||" | "or"] if is_string(text) && text.len() > 2)
        })
    };
    holds(&pair.new.tokens) && !holds(&pair.old.tokens)
}

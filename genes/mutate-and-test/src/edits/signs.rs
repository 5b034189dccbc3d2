//! Edits of signs, words and numbers.

use crate::collect::Edits;
use crate::lexer::{Kind, Language};
use crate::template::Template;
use crate::template::Template::{
    Arithmetic, Bitwise, Boolean, Boundary, Comparison, Jump, Logic, Method, Number, Yield,
};

/// A sign or word, and what may stand in its place.
type Swap = (&'static str, Template, &'static [&'static str]);

const SWAPS: &[Swap] = &[
    ("<", Boundary, &["<="]),
    ("<=", Boundary, &["<"]),
    (">", Boundary, &[">="]),
    (">=", Boundary, &[">"]),
    ("<", Comparison, &[">", ">="]),
    ("<=", Comparison, &[">=", ">"]),
    (">", Comparison, &["<", "<="]),
    (">=", Comparison, &["<=", "<"]),
    ("==", Comparison, &["!=", "<=", ">="]),
    ("!=", Comparison, &["==", "<", ">"]),
    ("===", Comparison, &["!==", "<=", ">="]),
    ("!==", Comparison, &["===", "<", ">"]),
    ("+", Arithmetic, &["-", "*"]),
    ("-", Arithmetic, &["+", "*"]),
    ("*", Arithmetic, &["+", "/"]),
    ("/", Arithmetic, &["*"]),
    ("//", Arithmetic, &["/", "%"]),
    ("%", Arithmetic, &["/", "*"]),
    ("+=", Arithmetic, &["-=", "=", "*="]),
    ("-=", Arithmetic, &["+=", "="]),
    ("*=", Arithmetic, &["+="]),
    ("++", Arithmetic, &["--"]),
    ("--", Arithmetic, &["++"]),
    ("&", Bitwise, &["|", "^"]),
    ("|", Bitwise, &["&", "^"]),
    ("^", Bitwise, &["&", "|"]),
    ("&=", Bitwise, &["|=", "^="]),
    ("|=", Bitwise, &["&=", "^="]),
    ("^=", Bitwise, &["&=", "|="]),
    ("<<", Bitwise, &[">>"]),
    (">>", Bitwise, &["<<"]),
    ("<<=", Bitwise, &[">>="]),
    (">>=", Bitwise, &["<<="]),
    ("and", Logic, &["or"]),
    ("or", Logic, &["and"]),
    ("&&", Logic, &["||"]),
    ("||", Logic, &["&&"]),
    ("True", Boolean, &["False"]),
    ("False", Boolean, &["True"]),
    ("true", Boolean, &["false"]),
    ("false", Boolean, &["true"]),
    ("break", Jump, &["continue"]),
    ("continue", Jump, &["break"]),
];

/// Functions and methods that are taken for each other.
const SIMILAR: &[&[&str]] = &[
    &["append", "extend"],
    &["append", "insert"],
    &["add", "update"],
    &["push", "unshift"],
    &["pop", "shift"],
    &["popleft", "pop"],
    &["min", "max"],
    &["any", "all"],
    &["some", "every"],
    &["floor", "ceil", "round", "trunc"],
    &["sorted", "reversed"],
    &["startswith", "endswith"],
    &["startsWith", "endsWith"],
    &["indexOf", "lastIndexOf"],
    &["index", "rindex"],
    &["find", "rfind"],
    &["find", "filter"],
    &["lower", "upper"],
    &["toLowerCase", "toUpperCase"],
    &["lstrip", "rstrip", "strip"],
    &["trimStart", "trimEnd", "trim"],
    &["slice", "splice"],
    &["keys", "values", "items"],
    &["split", "rsplit", "splitlines"],
    &["union", "intersection", "difference"],
    &["remove", "discard"],
    &["bisect_left", "bisect_right"],
];

pub(super) fn edits(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let Some(token) = file.get(at).copied() else { return };
    match token.kind {
        Kind::Sign | Kind::Keyword => {
            // A sign of its own has one operand.
            let is_binary = file.before(at).is_some_and(|before| match before.kind {
                Kind::Name | Kind::Number | Kind::Text => true,
                Kind::Keyword => matches!(before.text, "None" | "True" | "False" | "this" | "null" | "true" | "false"),
                Kind::Sign => matches!(before.text, ")" | "]" | "}"),
            });
            for (_, template, others) in SWAPS.iter().filter(|(sign, ..)| *sign == token.text) {
                if token.kind == Kind::Sign && !is_binary && *template == Arithmetic {
                    continue;
                }
                for other in *others {
                    edits.replace(*template, at, *other);
                }
            }
            if token.is("/") && file.language == Language::Python && is_binary {
                edits.replace(Arithmetic, at, "//");
            }
            words(edits, at);
        }
        Kind::Number => numbers(edits, at, token.text),
        Kind::Name if file.is(at + 1, "(") => {
            for other in SIMILAR.iter().filter(|list| list.contains(&token.text)).flat_map(|list| list.iter()) {
                edits.replace(Method, at, *other);
            }
        }
        Kind::Name | Kind::Text => {}
    }
}

/// `is`, `in` and `yield`, which have two words.
fn words(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    if file.language != Language::Python {
        return;
    }
    let Some(token) = file.get(at).copied() else { return };
    let (start, end) = (token.start, token.end());
    let next = file.get(at + 1);
    match token.text {
        "is" if next.is_some_and(|next| next.is_word("not")) => {
            edits.add(Comparison, start, next.map_or(end, crate::lexer::Token::end), "is");
        }
        "is" => edits.replace(Comparison, at, "is not"),
        "not" if next.is_some_and(|next| next.is_word("in")) => {
            edits.add(Comparison, start, next.map_or(end, crate::lexer::Token::end), "in");
        }
        "in" if !file.before(at).is_some_and(|before| before.is_word("not")) && !is_loop(edits, at) => {
            edits.replace(Comparison, at, "not in");
        }
        "yield" if next.is_some_and(|next| next.is_word("from")) => {
            edits.add(Yield, start, next.map_or(end, crate::lexer::Token::end), "yield");
        }
        "yield" => edits.replace(Yield, at, "yield from"),
        _ => {}
    }
}

/// Whether an `in` belongs to a `for`.
fn is_loop(edits: &Edits<'_, '_>, at: usize) -> bool {
    let Some(line) = edits.file.get(at).map(|token| token.line) else { return true };
    let earlier = (0..at).rev().map_while(|at| edits.file.get(at)).take_while(|token| token.line == line);
    earlier
        .take_while(|token| !matches!(token.text, "if" | "in" | "while" | "return" | "and" | "or"))
        .any(|token| token.is_word("for"))
}

fn numbers(edits: &mut Edits<'_, '_>, at: usize, text: &str) {
    let Ok(number) = text.parse::<i64>() else { return };
    if !(0..1_000_000).contains(&number) {
        return;
    }
    edits.replace(Number, at, (number + 1).to_string());
    if number > 0 {
        edits.replace(Number, at, (number - 1).to_string());
    } else {
        edits.replace(Number, at, "-1");
    }
}

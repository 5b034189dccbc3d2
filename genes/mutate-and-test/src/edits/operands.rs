//! Edits of variables, arguments and calls.

use std::ops::Range;

use crate::collect::Edits;
use crate::lexer::{Kind, Language};
use crate::template::Template::{
    Attribute, Balance, Difference, ListLiteral, MisnamedArguments, OffByOne, Slice, SwappedArguments, SwappedIndexes,
    Unwrapped, Variable,
};

pub(super) fn edits(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    if file.is_variable(at) {
        variable(edits, at);
    }
    if file.before(at).is_some_and(|before| before.is(".")) && !file.is(at + 1, "(") {
        attribute(edits, at);
    }
    if is_call(edits, at) {
        call(edits, at);
    }
    if file.is(at, "[") {
        indexes(edits, at);
    }
    operand(edits, at);
    without_one(edits, at);
    returned(edits, at);
}

/// Whether a function is called here, and not defined.
fn is_call(edits: &Edits<'_, '_>, at: usize) -> bool {
    let file = edits.file;
    let is_name = file.get(at).is_some_and(|token| token.kind == Kind::Name) && file.is(at + 1, "(");
    let is_defined = file.before(at).is_some_and(|before| matches!(before.text, "def" | "class" | "function" | "new"))
        || file.closing(at + 1).is_some_and(|close| file.is(close + 1, "{"));
    is_name && !is_defined
}

/// Whether a value is assigned to the name, or a loop or parameter list binds it.
fn is_bound(edits: &Edits<'_, '_>, at: usize) -> bool {
    let file = edits.file;
    let is_assigned = file.is(at + 1, "=") || file.is(at + 1, ":=");
    let declares =
        |before: &crate::lexer::Token<'_>| matches!(before.text, "for" | "let" | "const" | "var" | "as" | "lambda");
    let is_declared = file.before(at).is_some_and(declares);
    let in_head = file.functions_at(at).is_some_and(|(inner, _)| {
        let open = inner.tokens.clone().find(|at| file.is(*at, "("));
        open.and_then(|open| file.closing(open)).is_some_and(|close| at < close)
    });
    // `for i, x in …` and `a, b = …`
    let ends_list = |text: &str| matches!(text, "in" | "=" | "of");
    let in_list = file.is(at + 1, ",") && {
        let line = file.get(at).map(|token| token.line);
        let rest =
            (at + 1..file.tokens.len()).map_while(|at| file.get(at)).take_while(|token| Some(token.line) == line);
        let mut rest = rest.skip_while(|token| token.is(",") || token.kind == Kind::Name);
        rest.next().is_some_and(|token| ends_list(token.text))
    };
    let ends = file.get(at + 1).is_some_and(|token| token.is_word("in"))
        && file.before(at).is_some_and(|before| before.is(","));
    is_assigned || is_declared || in_head || in_list || ends
}

fn variable(edits: &mut Edits<'_, '_>, at: usize) {
    if is_bound(edits, at) {
        return;
    }
    for name in edits.file.variables(at) {
        edits.replace(Variable, at, name);
    }
}

/// Other attributes that the function reads.
fn attribute(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let Some((_, outer)) = file.functions_at(at) else { return };
    let mut names: Vec<&str> = Vec::new();
    for other in outer.tokens.clone() {
        let is_attribute = file.before(other).is_some_and(|before| before.is(".")) && !file.is(other + 1, "(");
        if let Some(token) = file.get(other).filter(|token| is_attribute && token.kind == Kind::Name)
            && !names.contains(&token.text)
        {
            names.push(token.text);
        }
    }
    if file.get(at).is_some_and(|token| token.kind == Kind::Name) {
        for name in names {
            edits.replace(Attribute, at, name);
        }
    }
}

fn call(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let Some(arguments) = file.arguments(at + 1).filter(|arguments| arguments.len() <= 5) else { return };
    let parameters = parameters(edits, file.get(at).map(|token| token.text));
    for first in 0..arguments.len() {
        for second in first + 1..arguments.len() {
            if let (Some(one), Some(other)) = (arguments.get(first), arguments.get(second)) {
                let is_named = |at: usize, part: &Range<usize>| {
                    parameters.get(at).is_some_and(|parameter| file.slice(part) == Some(*parameter))
                };
                let fits = is_named(first, one) || is_named(second, other);
                swap(edits, if fits { MisnamedArguments } else { SwappedArguments }, one, other);
            }
        }
    }
    // `f(x)` becomes `x`, but the call of a method does not.
    let is_method = file.before(at).is_some_and(|before| before.is("."));
    if let ([only], Some(token), Some(close)) = (arguments.as_slice(), file.get(at), file.closing(at + 1)) {
        let end = file.get(close).map_or(token.end(), crate::lexer::Token::end);
        let is_known = file.functions().iter().any(|function| function.name == Some(token.text));
        let changes =
            is_known || matches!(token.text, "abs" | "sorted" | "reversed" | "int" | "str" | "list" | "len" | "set");
        if let Some(text) = file.slice(only).filter(|_| !is_method && changes) {
            edits.add(Unwrapped, token.start, end, text);
        }
    }
}

/// The names of the parameters of a function of this file.
fn parameters<'t>(edits: &Edits<'_, 't>, name: Option<&str>) -> Vec<&'t str> {
    let file = edits.file;
    let Some(function) = file.functions().iter().find(|function| name.is_some() && function.name == name) else {
        return Vec::new();
    };
    let open = function.tokens.clone().find(|at| file.is(*at, "("));
    let parts = open.and_then(|open| file.arguments(open)).unwrap_or_default();
    let names = parts.iter().filter_map(|part| file.get(part.start)).map(|token| token.text);
    names.filter(|name| !matches!(*name, "self" | "cls")).collect()
}

fn swap(edits: &mut Edits<'_, '_>, template: crate::template::Template, one: &Range<usize>, other: &Range<usize>) {
    let file = edits.file;
    let (Some(a), Some(b)) = (file.slice(one), file.slice(other)) else { return };
    let (Some(first), Some(last)) = (file.get(one.start), file.before(other.end)) else { return };
    let between = file.before(one.end).zip(file.get(other.start));
    let Some(between) = between.and_then(|(left, right)| file.text.get(left.end()..right.start)) else { return };
    edits.add(template, first.start, last.end(), format!("{b}{between}{a}"));
}

/// `x[a][b]` and `x[b][a]`.
fn indexes(edits: &mut Edits<'_, '_>, open: usize) {
    let file = edits.file;
    let Some(close) = file.closing(open).filter(|close| file.is(close + 1, "[")) else { return };
    let Some(last) = file.closing(close + 1) else { return };
    swap(edits, SwappedIndexes, &(open + 1..close), &(close + 2..last));
}

/// A whole operand that ends at this token: a name, or the call of a function.
fn operand(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let Some(token) = file.get(at).copied() else { return };
    let (start, last) = if file.is_variable(at) && !is_bound(edits, at) {
        (at, at)
    } else if is_call(edits, at) && token.text == "len" {
        let Some(close) = file.closing(at + 1) else { return };
        (at, close)
    } else {
        return;
    };
    let (Some(before), Some(end)) = (file.before(start).copied(), file.get(last).copied()) else { return };
    let same_line = file.get(last + 1).filter(|next| next.line == end.line).copied();
    let ends_here = same_line.is_none_or(|next| {
        next.kind == Kind::Sign
            && matches!(next.text, ")" | "," | "]" | ":" | "<" | "<=" | ">" | ">=" | ";" | "==" | "===")
    });
    let begins_here = match before.kind {
        Kind::Sign => matches!(before.text, "(" | "," | "[" | ":" | "=" | "<" | "<=" | ">" | ">=" | "==" | "==="),
        Kind::Keyword => matches!(before.text, "return" | "yield"),
        _ => false,
    };
    if begins_here && ends_here {
        for change in [" + 1", " - 1"] {
            // `a < b + 1` is `a <= b`, which is an edit of its own.
            let after = same_line.map_or("", |next| next.text);
            let is_other_sign = match change {
                " + 1" => matches!(before.text, "<" | ">=") || matches!(after, "<=" | ">"),
                _ => matches!(before.text, "<=" | ">") || matches!(after, "<" | ">="),
            };
            if is_other_sign {
                continue;
            }
            edits.add(OffByOne, end.end(), end.end(), change);
        }
        if start == last && is_argument_of_own(edits, at) {
            for other in file.variables(at).into_iter().filter(|other| *other != token.text) {
                for sign in ["-", "+"] {
                    edits.add(Difference, end.end(), end.end(), format!(" {sign} {other}"));
                }
            }
        }
    }
    if start == last && ends_here {
        slices(edits, at);
    }
}

/// Whether a token is an argument of a call of a function of this file, or of `range`.
fn is_argument_of_own(edits: &Edits<'_, '_>, at: usize) -> bool {
    let file = edits.file;
    let is_own = |name: &str| name == "range" || file.functions().iter().any(|function| function.name == Some(name));
    let near = (at.saturating_sub(40)..at).rev();
    let open = near.filter(|open| file.is(*open, "(")).find(|open| file.closing(*open).is_some_and(|close| close > at));
    let called = open.and_then(|open| file.before(open));
    called.is_some_and(|name| name.kind == Kind::Name && is_own(name.text))
}

/// A part of the sequence that a loop goes through, or that a function is handed.
fn slices(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let (Some(token), Some(before)) = (file.get(at).copied(), file.before(at).copied()) else { return };
    let is_loop = before.is_word("in") || before.is_word("of");
    let is_argument = before.is("(") || before.is(",");
    let end = token.end();
    match file.language {
        Language::Python if is_loop => {
            for part in ["[1:]", "[:-1]"] {
                edits.add(Slice, end, end, part);
            }
            for other in file.variables(at).into_iter().filter(|other| *other != token.text) {
                edits.add(Slice, end, end, format!("[{other}:]"));
                edits.add(Slice, end, end, format!("[:{other}]"));
            }
        }
        Language::Python if is_argument => edits.add(Slice, end, end, "[1:]"),
        Language::JavaScript if is_loop => {
            for part in [".slice(1)", ".slice(0, -1)"] {
                edits.add(Slice, end, end, part);
            }
            for other in file.variables(at).into_iter().filter(|other| *other != token.text) {
                edits.add(Slice, end, end, format!(".slice({other})"));
                edits.add(Slice, end, end, format!(".slice(0, {other})"));
            }
        }
        Language::Python | Language::JavaScript => {}
    }
}

/// `x + 1` becomes `x`.
fn without_one(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let is_one = file.get(at + 1).is_some_and(|token| token.kind == Kind::Number && token.text == "1");
    let ends = !file.get(at + 2).is_some_and(|token| matches!(token.text, "*" | "/" | "//" | "%" | "." | "**" | "["));
    if is_one && ends && (file.is(at, "+") || file.is(at, "-")) {
        let operand =
            file.before(at).filter(|before| before.kind != Kind::Keyword && !before.is("(") && !before.is(","));
        if let (Some(before), Some(one)) = (operand, file.get(at + 1)) {
            edits.add(OffByOne, before.end(), one.end(), "");
        }
    }
}

/// `return []` and `return True`.
fn returned(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    if !file.get(at).is_some_and(|token| token.is_word("return")) {
        return;
    }
    let names = file.variables(at);
    if file.is(at + 1, "[") && file.is(at + 2, "]") {
        if let Some(close) = file.get(at + 2) {
            for name in names {
                edits.add(ListLiteral, close.start, close.start, name);
            }
        }
        return;
    }
    let Some(value) = file.get(at + 1).copied() else { return };
    let is_last = file.get(at + 2).is_none_or(|next| next.line > value.line || next.is(";") || next.is("}"));
    let forms: [(&str, &str); 2] = match value.text {
        "True" => [("", " == 0"), ("not ", "")],
        "true" => [("", " === 0"), ("!", "")],
        _ => return,
    };
    for name in names.into_iter().filter(|_| is_last) {
        for (before, after) in forms {
            edits.replace(Balance, at + 1, format!("{before}{name}{after}"));
        }
    }
}

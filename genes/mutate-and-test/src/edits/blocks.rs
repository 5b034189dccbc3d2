//! Edits of conditions and statements.

use crate::collect::Edits;
use crate::file::Statement;
use crate::lexer::{Kind, Language};
use crate::template::Template::{
    BaseCase, Bookkeeping, DroppedOperand, Guard, Indentation, LoopCondition, Negation, Returned, Step,
};

pub(super) fn edits(edits: &mut Edits<'_, '_>, at: usize) {
    condition(edits, at);
    guard(edits, at);
    if edits.file.language == Language::Python {
        bookkeeping(edits, at);
        let number = edits.file.statements.partition_point(|statement| statement.tokens.start < at);
        if edits.file.statements.get(number).is_some_and(|statement| statement.tokens.start == at) {
            statement(edits, number);
        }
    }
}

fn condition(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let Some(condition) = file.condition(at) else { return };
    let (Some(text), Some(first)) = (file.slice(&condition), file.get(condition.start).copied()) else { return };
    let Some(end) = file.before(condition.end).map(crate::lexer::Token::end) else { return };
    let is_loop = file.get(at).is_some_and(|token| token.is_word("while"));
    let mut depth = 0_usize;
    let mut joints = Vec::new();
    for at in condition.clone() {
        let Some(token) = file.get(at) else { return };
        match token.text {
            "(" | "[" | "{" if token.kind == Kind::Sign => depth += 1,
            ")" | "]" | "}" if token.kind == Kind::Sign => depth = depth.saturating_sub(1),
            "and" | "or" | "&&" | "||" if depth == 0 => joints.push(at),
            _ => {}
        }
    }
    if matches!(text, "True" | "true" | "1") {
        if is_loop {
            endless(edits, at, first.start, end);
        }
        return;
    }
    match file.language {
        Language::Python if first.is_word("not") && joints.is_empty() => {
            if let Some(rest) = file.slice(&(condition.start + 1..condition.end)) {
                edits.add(Negation, first.start, end, rest);
            }
        }
        Language::Python => edits.add(Negation, first.start, end, format!("not ({text})")),
        Language::JavaScript if first.is("!") && joints.is_empty() => {
            if let Some(rest) = file.slice(&(condition.start + 1..condition.end)) {
                edits.add(Negation, first.start, end, rest);
            }
        }
        Language::JavaScript => edits.add(Negation, first.start, end, format!("!({text})")),
    }
    if let [joint] = joints.as_slice() {
        for part in [condition.start..*joint, joint + 1..condition.end] {
            if let Some(part) = file.slice(&part) {
                edits.add(DroppedOperand, first.start, end, part);
            }
        }
    }
}

/// `while True` becomes a loop as long as a collection has something.
fn endless(edits: &mut Edits<'_, '_>, at: usize, start: usize, end: usize) {
    let file = edits.file;
    let Some((_, outer)) = file.functions_at(at) else { return };
    let ending = if file.language == Language::Python { "" } else { ".length" };
    for name in file.variables(at) {
        let is_collection = outer.tokens.clone().any(|at| {
            file.get(at).is_some_and(|token| token.text == name)
                && (file.is(at + 1, ".") || file.is(at + 1, "[") || file.before(at).is_some_and(|token| token.is("(")))
        });
        if is_collection {
            edits.add(LoopCondition, start, end, format!("{name}{ending}"));
        }
    }
}

/// `a.b is None` becomes `a is None or a.b is None`.
fn guard(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let (sign, nothing, or) = match file.get(at).map(|token| token.text) {
        Some("is" | "==") if file.language == Language::Python => ("is", "None", "or"),
        Some("===" | "==") => ("===", "null", "||"),
        _ => return,
    };
    let is_nothing = file.get(at + 1).is_some_and(|token| matches!(token.text, "None" | "null" | "undefined"));
    let mut start = at;
    while start >= 2 && file.before(start).is_some_and(|token| token.kind == Kind::Name || token.is_word("this")) {
        start -= 1;
        match file.before(start) {
            Some(before) if before.is(".") => start -= 1,
            _ => break,
        }
    }
    let Some(last) = (start..at).rev().find(|at| file.is(*at, ".")).filter(|_| is_nothing) else { return };
    let (Some(first), Some(base)) = (file.get(start).copied(), file.slice(&(start..last))) else { return };
    edits.add(Guard, first.start, first.start, format!("{base} {sign} {nothing} {or} "));
}

/// `x in seen`, where nothing is ever added to `seen`.
fn bookkeeping(edits: &mut Edits<'_, '_>, at: usize) {
    let file = edits.file;
    let is_in = file.get(at).is_some_and(|token| token.is_word("in"));
    let (Some(seen), Some((_, outer))) = (file.get(at + 1).copied(), file.functions_at(at)) else { return };
    if !is_in || !file.is_variable(at + 1) || file.is(at + 2, ".") || file.is(at + 2, "[") {
        return;
    }
    let back = if file.before(at).is_some_and(|token| token.is_word("not")) { 2 } else { 1 };
    let Some(member) = at.checked_sub(back).filter(|member| file.is_variable(*member)).and_then(|at| file.get(at))
    else {
        return;
    };
    let method = |at: usize| {
        let is_seen = file.get(at).is_some_and(|token| token.text == seen.text) && file.is(at + 1, ".");
        file.get(at + 2).filter(|_| is_seen).map(|token| token.text)
    };
    let is_set = outer.tokens.clone().any(|at| {
        file.get(at).is_some_and(|token| token.text == seen.text)
            && file.is(at + 1, "=")
            && file.get(at + 2).is_some_and(|token| token.text == "set")
    });
    if outer.tokens.clone().any(|at| matches!(method(at), Some("add" | "append" | "update" | "insert" | "extend"))) {
        return;
    }
    let call = if is_set { "add" } else { "append" };
    let text = format!("{}.{call}({})", seen.text, member.text);
    let first = file.statements.partition_point(|statement| statement.tokens.start <= at);
    let end = outer.tokens.end;
    let mut indent =
        first.checked_sub(1).and_then(|at| file.statements.get(at)).map_or(0, |statement| statement.indent);
    let own = indent;
    for statement in file.statements.iter().skip(first).take_while(|statement| statement.tokens.start < end).take(8) {
        // The first statement of each block, and those behind the look.
        if statement.indent > indent || statement.indent <= own {
            insert(edits, Bookkeeping, statement, &text);
        }
        indent = statement.indent;
    }
}

/// Puts a statement before another one.
fn insert(edits: &mut Edits<'_, '_>, template: crate::template::Template, before: &Statement, text: &str) {
    let space =
        edits.file.text.get(before.line_start..before.line_start + before.indent).unwrap_or_default().to_owned();
    edits.add(template, before.line_start, before.line_start, format!("{space}{text}{}", ending(edits.file.text)));
}

fn ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn statement(edits: &mut Edits<'_, '_>, number: usize) {
    let file = edits.file;
    let Some(this) = file.statements.get(number).cloned() else { return };
    let Some(first) = file.get(this.tokens.start).copied() else { return };
    match first.text {
        "while" if first.kind == Kind::Keyword => step(edits, number, &this),
        "def" if first.kind == Kind::Keyword => base_case(edits, number),
        _ if first.kind == Kind::Name && file.is(this.tokens.start + 1, "(") => returned(edits, &this),
        _ => {}
    }
    // The head of a block stays where it is, and so does a definition.
    let is_head = file.before(this.tokens.end).is_some_and(|token| token.is(":"));
    if !is_head && first.kind != Kind::Text {
        indentation(edits, number, &this);
    }
}

/// A loop whose variable never changes.
fn step(edits: &mut Edits<'_, '_>, number: usize, this: &Statement) {
    let file = edits.file;
    let Some(condition) = file.condition(this.tokens.start) else { return };
    let body: Vec<&Statement> =
        file.statements.iter().skip(number + 1).take_while(|statement| statement.indent > this.indent).collect();
    let (Some(first), Some(last)) = (body.first(), body.last()) else { return };
    let Some(end) = file.before(last.tokens.end).map(crate::lexer::Token::end) else { return };
    let inside = first.tokens.start..last.tokens.end;
    for at in condition.filter(|at| file.is_variable(*at)) {
        let Some(name) = file.get(at).map(|token| token.text) else { continue };
        let changes = inside.clone().any(|at| {
            let next = file.get(at + 1).is_some_and(|next| {
                next.kind == Kind::Sign
                    && matches!(
                        next.text,
                        "=" | "+=" | "-=" | "," | "//=" | "*=" | ">>=" | "<<=" | "&=" | "^=" | "|=" | "/=" | "%="
                    )
            });
            file.get(at).is_some_and(|token| token.text == name) && next
        });
        if !changes {
            let space = file.text.get(first.line_start..first.line_start + first.indent).unwrap_or_default();
            for sign in ["+", "-"] {
                edits.add(Step, end, end, format!("{}{space}{name} {sign}= 1", ending(file.text)));
            }
        }
    }
}

/// A recursive function without an end.
fn base_case(edits: &mut Edits<'_, '_>, number: usize) {
    let file = edits.file;
    let Some(this) = file.statements.get(number) else { return };
    let at = this.tokens.start;
    let (Some(name), Some((inner, _))) = (file.get(at + 1).copied(), file.functions_at(at)) else { return };
    let calls = inner
        .tokens
        .clone()
        .skip(2)
        .any(|at| file.get(at).is_some_and(|token| token.text == name.text) && file.is(at + 1, "("));
    let body = file.statements.get(number + 1).filter(|body| calls && body.indent > this.indent).cloned();
    let (Some(body), Some(parameters)) = (body, file.arguments(at + 2)) else { return };
    for parameter in parameters.iter().take(2).filter_map(|parameter| file.get(parameter.start)).map(|token| token.text)
    {
        for value in [parameter, "[]", "0", "1"] {
            insert(edits, BaseCase, &body, &format!("if not {parameter}: return {value}"));
        }
    }
}

/// A call of an own function whose value is lost.
fn returned(edits: &mut Edits<'_, '_>, this: &Statement) {
    let file = edits.file;
    let (Some(first), Some(close)) = (file.get(this.tokens.start).copied(), file.closing(this.tokens.start + 1)) else {
        return;
    };
    let is_own = file.functions().iter().any(|function| function.name == Some(first.text));
    if is_own && close + 1 == this.tokens.end {
        edits.add(Returned, first.start, first.start, "return ");
    }
}

/// The last statement of a block, moved behind the block; or the statement behind a block, moved into it.
fn indentation(edits: &mut Edits<'_, '_>, number: usize, this: &Statement) {
    let file = edits.file;
    let end = this.line_start + this.indent;
    let Some((inner, _)) = file.functions_at(this.tokens.start) else { return };
    let next = file.statements.get(number + 1).filter(|next| next.tokens.start < inner.tokens.end);
    let is_last = next.is_none_or(|next| next.indent < this.indent);
    let mut outer = file.statements.iter().take(number).rev().filter(|other| other.indent < this.indent);
    if let Some(above) = outer.next().filter(|above| is_last && above.tokens.start > inner.tokens.start)
        && let Some(space) = file.text.get(above.line_start..above.line_start + above.indent)
    {
        edits.add(Indentation, this.line_start, end, space);
    }
    let before = number.checked_sub(1).and_then(|at| file.statements.get(at));
    if let Some(before) =
        before.filter(|before| before.indent > this.indent && before.tokens.start > inner.tokens.start)
        && let Some(space) = file.text.get(before.line_start..before.line_start + before.indent)
    {
        edits.add(Indentation, this.line_start, end, space);
    }
}

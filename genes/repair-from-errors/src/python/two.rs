//! Turns the syntax that only Python 2 has into that of Python 3: statements, operators and literals.
//!
//! A file with one of these does not parse, so all of them in the file are replaced at once. Source: "What's New In Python
//! 3.0", section "Removed Syntax", and PEP 3109 for `raise`.

use std::ops::Range;

use super::calls::{Call, closing, is_plain, receiver};
use super::file::File;
use super::lines::{header_colon, indentation, statements};
use super::tokens::{Kind, Tokens};
use super::{print, reserved};
use crate::edit::{Edit, line_ending};

/// The source with all syntax of Python 2 replaced; `None` if there is none on the line that failed, or if that is not
/// understood. Without such a line, the file must have something that is certainly of Python 2.
pub(crate) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let (mut prints, certain) = print::edits(file)?;
    let (mut edits, mut gone) = (Vec::new(), Vec::new());
    for line in &file.lines {
        let starts = statements(&file.tokens, line);
        for (place, start) in starts.iter().enumerate() {
            let mut end = starts.get(place + 1).copied().unwrap_or(line.tokens.end);
            while end > start + 1 && file.tokens.is(end - 1, ";") {
                end -= 1;
            }
            if file.tokens.is(*start, "raise") {
                edits.extend(raise(file, *start..end).unwrap_or_default());
            } else if file.tokens.is(*start, "exec") {
                edits.extend(exec(file, *start..end).unwrap_or_default());
            } else if ["True", "False", "("].iter().any(|word| file.tokens.is(*start, word)) {
                gone.extend(truths(file, *start..end));
            }
        }
        if file.tokens.is(line.tokens.start, "except") {
            let colon = header_colon(&file.tokens, line).unwrap_or(line.tokens.end);
            edits.extend(except(file, line.tokens.start + 1..colon).unwrap_or_default());
        }
        edits.extend(backticks(file, line.tokens.clone()).unwrap_or_default());
    }
    for index in 0..file.tokens.list.len() {
        literal(file, index, &mut edits);
        let is_gone = |edit: &Edit| gone.iter().any(|line: &Edit| line.start <= edit.start && edit.end <= line.end);
        edits.extend(bare_tuple(file, index).unwrap_or_default());
        edits.extend(constant(file, index).filter(|edit| !is_gone(edit)));
        if file.tokens.is(index, "lambda") && file.tokens.is(index + 1, "(") {
            edits.extend(lambda(file, index).unwrap_or_default());
        } else if file.tokens.is(index, "def") && file.tokens.is(index + 2, "(") {
            edits.extend(parameters(file, index).unwrap_or_default());
        }
    }
    edits.append(&mut gone);
    edits.extend(reserved::edits(file)?);
    if file.anchor.is_none() && edits.is_empty() && !certain {
        return None;
    }
    edits.append(&mut prints);
    file.finish(edits)
}

/// The commas between brackets, or outside all of them, in a range.
fn commas(tokens: &Tokens<'_>, range: &Range<usize>) -> Vec<usize> {
    let depth = tokens.list.get(range.start).map_or(0, |token| token.depth);
    let outer = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == depth);
    range.clone().filter(|index| tokens.is(*index, ",") && outer(index)).collect()
}

fn text<'a>(file: &File<'a>, range: Range<usize>) -> Option<&'a str> {
    std::str::from_utf8(file.tokens.bytes.get(file.span(range.start, range.end.checked_sub(1)?)?)?).ok()
}

/// `raise E, V` and `raise E, V, T`.
fn raise(file: &File<'_>, range: Range<usize>) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let tokens = &file.tokens;
    let all = range.start + 1..range.end;
    let commas = commas(tokens, &all);
    let Some(first) = commas.first().copied() else { return Some(edits) };
    let second = commas.get(1).copied();
    let (kind, value) = (text(file, all.start..first)?, first + 1..second.unwrap_or(all.end));
    let leaf = kind.rsplit('.').next().unwrap_or(kind);
    let is_class = leaf.starts_with(char::is_uppercase) && leaf.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_none = value.len() == 1 && tokens.is(value.start, "None");
    let is_tuple = closing(tokens, value.start).is_some_and(|close| close + 1 == value.end);
    let value_tokens = value.clone();
    let value = text(file, value)?;
    let raised = if is_none {
        kind.to_owned()
    } else if !is_class && second.is_some() {
        // The three parts of `sys.exc_info()`: the value is an exception already.
        value.to_owned()
    } else if is_tuple {
        format!("{kind}{value}")
    } else if is_class || is_written(tokens, &value_tokens) {
        format!("{kind}({value})")
    } else if tokens.is_kind(all.start, Kind::Text) {
        format!("Exception({kind}, {value})")
    } else if is_plain(tokens, &(all.start..first)) && is_plain(tokens, &value_tokens) {
        // The two first parts of `sys.exc_info()`, or a class and its argument.
        format!("{value} if isinstance({value}, BaseException) else {kind}({value})")
    } else {
        return None;
    };
    let now = match second {
        Some(second) if commas.len() == 2 => {
            let raised = if is_none && is_class { format!("{raised}()") } else { raised };
            format!("{raised}.with_traceback({})", text(file, second + 1..all.end)?)
        }
        Some(_) => return None,
        None => raised,
    };
    edits.push(Edit::replace(file.span(all.start, all.end - 1)?, now));
    Some(edits)
}

/// Whether an expression begins with a string that is written there, so that its value is text.
fn is_written(tokens: &Tokens<'_>, range: &Range<usize>) -> bool {
    let joins = tokens.is(range.start + 1, "%") || tokens.is(range.start + 1, "+") || range.len() == 1;
    tokens.is_kind(range.start, Kind::Text) && joins
}

/// `True, False = 1, 0` and the like, for a Python that had no such names.
fn truths(file: &File<'_>, range: Range<usize>) -> Option<Edit> {
    let tokens = &file.tokens;
    let equals = range.clone().find(|index| tokens.is(*index, "="))?;
    let is_any = |index: usize, words: &[&str]| words.iter().any(|word| tokens.is(index, word));
    let assigned = (range.start..equals).all(|index| is_any(index, &["True", "False", "(", ")", ","]));
    let is_bit = |index: usize| matches!(tokens.text(index), b"0" | b"1");
    let words = ["not", "True", "False", "None", "(", ")", ",", "==", "__builtin__", "."];
    let constant = (equals + 1..range.end).all(|index| is_bit(index) || is_any(index, &words));
    let is_empty = equals == range.start || equals + 1 == range.end;
    (assigned && constant && !is_empty).then(|| Some(Edit::replace(file.span(range.start, range.end - 1)?, "pass")))?
}

/// `[x for x in 1, 2]` becomes `[x for x in (1, 2)]`. `open` is the bracket.
fn bare_tuple(file: &File<'_>, open: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let depth = tokens.list.get(open).filter(|_| tokens.is(open, "["))?.depth + 1;
    let inside = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth >= depth);
    let outer = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == depth);
    let end = (open + 1..tokens.list.len()).find(|index| !inside(index))?;
    let mut each = (open + 1..end).filter(|index| outer(index) && tokens.is(*index, "for"));
    let start = each.next()?;
    let first = (start..end).find(|index| outer(index) && tokens.is(*index, "in"))? + 1;
    let last =
        (first..end).find(|index| outer(index) && (tokens.is(*index, "for") || tokens.is(*index, "if"))).unwrap_or(end);
    if !(first..last).any(|index| outer(&index) && tokens.is(index, ",")) {
        return None;
    }
    let span = file.span(first, last.checked_sub(1)?)?;
    Some(vec![Edit::insert(span.start, "("), Edit::insert(span.end, ")")])
}

/// `a.True`, which is `True`, and the parameter `True=True`, which goes.
fn constant(file: &File<'_>, index: usize) -> Option<Edit> {
    let tokens = &file.tokens;
    if !["True", "False", "None"].iter().any(|word| tokens.is(index, word)) {
        return None;
    }
    if tokens.follows(index, ".") {
        let first = receiver(tokens, index.checked_sub(2)?)?;
        return is_plain(tokens, &(first..index - 1))
            .then(|| Some(Edit::replace(file.span(first, index - 1)?.start..tokens.list.get(index)?.start, "")))?;
    }
    let is_parameter = tokens.is(index + 1, "=") && tokens.text(index) == tokens.text(index + 2);
    let is_inside = tokens.list.get(index).is_some_and(|token| token.depth > 0);
    let next = tokens.list.get(index + 4).filter(|_| is_parameter && is_inside && tokens.is(index + 3, ","))?;
    Some(Edit::replace(tokens.list.get(index)?.start..next.start, ""))
}

/// `exec code`, `exec code in space` and `exec code in space, space`.
fn exec(file: &File<'_>, range: Range<usize>) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let tokens = &file.tokens;
    let first = range.start + 1;
    let outer = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == 0);
    let place = (first..range.end).find(|index| tokens.is(*index, "in") && outer(index));
    let bracket = closing(tokens, first);
    if first >= range.end || (bracket.is_some() && place.is_none()) {
        return Some(edits);
    }
    if tokens.is(first, "=") || tokens.is(first, ".") || tokens.is(first, ",") {
        return Some(edits);
    }
    let code_end = place.unwrap_or(range.end);
    let bracketed = bracket.is_some_and(|close| close + 1 == code_end);
    let code = if bracketed { text(file, first + 1..code_end - 1)? } else { text(file, first..code_end)? };
    let spaces = match place {
        Some(place) => format!(", {}", text(file, place + 1..range.end)?),
        None => String::new(),
    };
    let span = file.span(range.start, range.end - 1)?;
    edits.push(Edit::replace(span, format!("exec({code}{spaces})")));
    Some(edits)
}

/// `except E, e`. Two classes of exceptions get brackets instead, which Python 3.14 no longer needs.
fn except(file: &File<'_>, range: Range<usize>) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let tokens = &file.tokens;
    let commas = commas(tokens, &range);
    let Some(comma) = commas.first().copied() else { return Some(edits) };
    let target = text(file, comma + 1..range.end)?;
    if commas.len() == 1 && closing(tokens, comma + 1).is_some_and(|close| close + 1 == range.end) {
        return unpacked(file, comma, target, range.end);
    }
    let is_class = |name: &str| {
        let leaf = name.trim().rsplit('.').next().unwrap_or_default();
        ["Error", "Exception", "Exit", "Interrupt", "Iteration", "Warning"].iter().any(|end| leaf.ends_with(end))
    };
    let span = file.span(range.start, range.end - 1)?;
    if commas.len() == 1 && range.end == comma + 2 && tokens.is_kind(comma + 1, Kind::Name) && !is_class(target) {
        let gap = tokens.list.get(comma - 1)?.end..tokens.list.get(comma + 1)?.start;
        edits.push(Edit::replace(gap, " as "));
        return Some(edits);
    }
    let all = text(file, range)?;
    let classes =
        all.split(',').all(|name| is_class(name) && name.trim().chars().all(|c| c.is_alphanumeric() || c == '.'));
    classes.then(|| vec![Edit::replace(span, format!("({all})"))])
}

/// `except E, (a, b):` becomes `except E as error:` with `(a, b) = error.args` as the first statement.
fn unpacked(file: &File<'_>, comma: usize, target: &str, colon: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let name = ["error", "error_"].into_iter().find(|name| !(0..tokens.list.len()).any(|it| tokens.is(it, name)))?;
    let body = file.lines.get(file.line_of(colon) + 1).filter(|_| tokens.is_kind(colon + 1, Kind::Newline))?;
    let start = tokens.list.get(body.tokens.start)?.start;
    let statement = format!("{target} = {name}.args{}{}", line_ending(tokens.bytes, start), indentation(tokens, body));
    let gap = tokens.list.get(comma - 1)?.end..tokens.list.get(colon)?.start;
    Some(vec![Edit::replace(gap, format!(" as {name}")), Edit::insert(start, statement)])
}

/// Backquotes: each pair on a line is a call of `repr`.
fn backticks(file: &File<'_>, line: Range<usize>) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let tokens = &file.tokens;
    let marks: Vec<usize> = line.filter(|index| tokens.is(*index, "`")).collect();
    for pair in marks.chunks(2) {
        let [open, close] = pair else { return None };
        let inner = open + 1..*close;
        if inner.is_empty() {
            return None;
        }
        let tuple = !commas(tokens, &inner).is_empty();
        edits.push(Edit::replace(file.span(*open, *open)?, if tuple { "repr((" } else { "repr(" }));
        edits.push(Edit::replace(file.span(*close, *close)?, if tuple { "))" } else { ")" }));
    }
    Some(edits)
}

/// `<>`, `0777`, `10L` and `ur''`.
fn literal(file: &File<'_>, index: usize, edits: &mut Vec<Edit>) {
    let tokens = &file.tokens;
    let Some(token) = tokens.list.get(index).copied() else { return };
    let span = token.start..token.end;
    let Ok(text) = std::str::from_utf8(tokens.text(index)) else { return };
    match token.kind {
        Kind::Op if text == "<" => {
            let next = tokens.list.get(index + 1).filter(|next| next.start == token.end && tokens.is(index + 1, ">"));
            edits.extend(next.map(|next| Edit::replace(token.start..next.end, "!=")));
        }
        Kind::Number => {
            let plain = text.strip_suffix(['L', 'l']).unwrap_or(text);
            let is_hex = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X"));
            let digits = is_hex.map_or(plain.bytes().all(|b| b.is_ascii_digit()), |hex| {
                !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
            });
            let is_octal = plain.len() > 1
                && plain.starts_with('0')
                && plain.bytes().all(|byte| matches!(byte, b'0'..=b'7'))
                && plain.bytes().any(|byte| byte != b'0');
            if is_octal {
                edits.push(Edit::replace(span, format!("0o{}", plain.trim_start_matches('0'))));
            } else if digits && plain.len() < text.len() {
                edits.push(Edit::replace(span, plain));
            }
        }
        Kind::Text if text.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("ur")) => {
            let unicode = has_unicode_escape(text);
            let others = text.replace("\\u", "").replace("\\U", "").contains('\\');
            // Regular expressions understand these escapes themselves.
            let pattern = ["compile", "findall", "finditer", "match", "search", "split", "sub"];
            let is_pattern = index.checked_sub(2).is_some_and(|callee| pattern.iter().any(|it| tokens.is(callee, it)));
            if !unicode || is_pattern {
                edits.push(Edit::replace(token.start..token.start + 1, ""));
            } else if !others {
                edits.push(Edit::replace(token.start + 1..token.start + 2, ""));
            } else if let Some(now) = escaped(text) {
                edits.push(Edit::replace(span, now));
            }
        }
        _ => {}
    }
}

/// Whether a raw text has `\u` or `\U` after an even number of backslashes.
fn has_unicode_escape(text: &str) -> bool {
    let mut backslashes = 0;
    text.chars().any(|c| {
        let escaped = backslashes % 2 == 1;
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        escaped && matches!(c, 'u' | 'U')
    })
}

/// A raw text with `\u` or `\U` as a text that is not raw, with another backslash for each that is no part of those. `None`
/// if a backslash stands before a quote or at the end of a line, where it has another meaning then.
fn escaped(text: &str) -> Option<String> {
    let mut now = String::new();
    let mut rest = text.get(2..)?.chars().peekable();
    while let Some(c) = rest.next() {
        now.push(c);
        if c != '\\' {
            continue;
        }
        match rest.peek()? {
            'u' | 'U' => {}
            '\'' | '"' | '\n' | '\r' => return None,
            next => {
                now.push('\\');
                if *next == '\\' {
                    rest.next();
                    now.push_str("\\\\");
                }
            }
        }
    }
    Some(now)
}

/// `lambda (a, b): a + b` becomes `lambda a_b: a_b[0] + a_b[1]`.
fn lambda(file: &File<'_>, start: usize) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let tokens = &file.tokens;
    let close = closing(tokens, start + 1)?;
    let inner = start + 2..close;
    let depth = tokens.list.get(start)?.depth;
    let names: Vec<&str> = inner.clone().step_by(2).map(|index| text(file, index..index + 1)).collect::<Option<_>>()?;
    let plain = inner
        .clone()
        .enumerate()
        .all(|(place, index)| if place % 2 == 0 { tokens.is_kind(index, Kind::Name) } else { tokens.is(index, ",") });
    if !plain || names.is_empty() || !tokens.is(close + 1, ":") {
        return None;
    }
    let space = if tokens.list.get(start + 1)?.start == tokens.list.get(start)?.end { " " } else { "" };
    if let [name] = names.as_slice() {
        edits.push(Edit::replace(file.span(start + 1, close)?, format!("{space}{name}")));
        return Some(edits);
    }
    let ends = |index: &usize| {
        let token = tokens.list.get(*index);
        let closes = [")", "]", "}"].iter().any(|it| tokens.is(*index, it)) && token.is_some_and(|it| it.depth < depth);
        let separates =
            [",", ":", ";"].iter().any(|it| tokens.is(*index, it)) && token.is_some_and(|it| it.depth == depth);
        closes || separates || token.is_some_and(|it| it.kind == Kind::Newline)
    };
    let end = (close + 2..tokens.list.len()).find(ends).unwrap_or(tokens.list.len());
    let whole = names.join("_");
    let taken = (0..tokens.list.len()).any(|index| tokens.is(index, &whole));
    let scopes = (close + 2..end).any(|index| tokens.is(index, "lambda") || tokens.is(index, "for"));
    if taken || scopes {
        return None;
    }
    edits.push(Edit::replace(file.span(start + 1, close)?, format!("{space}{whole}")));
    for index in close + 2..end {
        let place = names.iter().position(|name| tokens.is(index, name));
        let keyword = tokens.is(index + 1, "=") || tokens.follows(index, ".");
        if let Some(place) = place.filter(|_| !keyword) {
            edits.push(Edit::replace(file.span(index, index)?, format!("{whole}[{place}]")));
        }
    }
    Some(edits)
}

/// `def f(a, (b, c)):` becomes `def f(a, b_c):` with `b, c = b_c` as the first statement.
fn parameters(file: &File<'_>, def: usize) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let tokens = &file.tokens;
    let call = Call::at(tokens, def + 2)?;
    let mut unpacked = Vec::new();
    for argument in call.arguments.iter().filter(|it| tokens.is(it.start, "(")) {
        let inner = argument.start + 1..argument.end - 1;
        let plain = inner.clone().enumerate().all(|(place, index)| {
            if place % 2 == 0 { tokens.is_kind(index, Kind::Name) } else { tokens.is(index, ",") }
        });
        if !plain || inner.is_empty() || closing(tokens, argument.start)? + 1 != argument.end {
            return None;
        }
        let names: Vec<&str> = inner.step_by(2).map(|index| text(file, index..index + 1)).collect::<Option<_>>()?;
        let whole = names.join("_");
        if (0..tokens.list.len()).any(|index| tokens.is(index, &whole)) {
            return None;
        }
        edits.push(Edit::replace(file.span(argument.start, argument.end - 1)?, whole.as_str()));
        unpacked.push(format!("{} = {whole}", names.join(", ")));
    }
    if unpacked.is_empty() {
        return Some(edits);
    }
    let number = file.line_of(def);
    let header = file.lines.get(number)?;
    let colon = header_colon(tokens, header)?;
    if colon + 1 < header.tokens.end {
        let at = tokens.list.get(colon + 1)?.start;
        edits.push(Edit::insert(at, format!("{}; ", unpacked.join("; "))));
        return Some(edits);
    }
    let first = file.lines.get(number + 1).filter(|line| line.indent > header.indent)?;
    let docstring = first.tokens.clone().all(|index| tokens.is_kind(index, Kind::Text));
    let space = indentation(tokens, first);
    let at =
        if docstring { tokens.list.get(first.tokens.end - 1)?.end } else { tokens.list.get(first.tokens.start)?.start };
    let mut text = String::new();
    for statement in unpacked {
        let parts = [line_ending(tokens.bytes, at), space];
        let parts = if docstring { [parts[0], parts[1], &statement] } else { [&statement, parts[0], parts[1]] };
        text.extend(parts);
    }
    edits.push(Edit::insert(at, text));
    Some(edits)
}

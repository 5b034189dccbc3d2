//! What asyncio and pytest removed, where one other expression means the same.

use super::super::calls::Call;
use super::super::file::File;
use super::super::lines::indentation;
use super::place::{failing, text};
use crate::edit::{Edit, apply, line_ending};

/// `asyncio.all_tasks` for `asyncio.Task.all_tasks`, and the like, in the whole file.
pub(super) fn task_functions(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for first in file.dotted_uses(&["asyncio", "Task"]) {
        let known = ["all_tasks", "current_task"].iter().any(|name| tokens.is(first + 4, name));
        if known && tokens.is(first + 3, ".") && file.is_open(file.line_of(first)) {
            edits.push(Edit::replace(file.span(first + 2, first + 3)?, ""));
        }
    }
    file.finish(edits)
}

/// A new loop where the failing line asks for one and there is none.
pub(super) fn event_loop(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let number = file.anchor?;
    let line = file.lines.get(number)?;
    let start = line.tokens.start;
    let first = line.tokens.clone().find(|it| tokens.is(*it, "get_event_loop"))?;
    let is_own = tokens.follows(first, ".") && first.checked_sub(2).is_some_and(|it| tokens.is(it, "asyncio"));
    if !is_own || !tokens.is(first + 1, "(") || !tokens.is(first + 2, ")") {
        return None;
    }
    if first == start + 4 && tokens.is(start + 1, "=") && first + 3 == line.tokens.end {
        let name = text(file, &(start..start + 1))?;
        let end = tokens.list.get(first + 2)?.end;
        let added =
            format!("{}{}asyncio.set_event_loop({name})", line_ending(tokens.bytes, end), indentation(tokens, line));
        return file.finish(vec![Edit::replace(file.span(first, first)?, "new_event_loop"), Edit::insert(end, added)]);
    }
    let runs = tokens.is(first + 3, ".") && tokens.is(first + 4, "run_until_complete");
    runs.then(|| file.finish(vec![Edit::replace(file.span(first, first + 4)?, "run")]))?
}

/// `setup_method` for `setup` in the class of the failing test, if that is where the missing attribute is set.
pub(super) fn set_up(file: &File<'_>) -> Option<Vec<u8>> {
    const NAMES: [(&str, &str); 2] = [("setup", "setup_method"), ("teardown", "teardown_method")];
    let tokens = &file.tokens;
    let number = file.anchor?;
    let mut indent = file.lines.get(number)?.indent;
    let mut class = None;
    for (above, line) in file.lines.iter().enumerate().take(number).rev() {
        if line.indent < indent {
            indent = line.indent;
            if tokens.is(line.tokens.start, "class") {
                class = Some(above);
                break;
            }
        }
    }
    let class = class?;
    let head = file.lines.get(class)?.tokens.clone();
    let is_plain = tokens.is(head.start + 2, ":") || head.len() == 6 && tokens.is(head.start + 3, "object");
    let end = file
        .lines
        .iter()
        .skip(class + 1)
        .position(|line| line.indent <= indent)
        .map_or(file.lines.len(), |at| class + 1 + at);
    let body = file.lines.get(class + 1..end)?;
    let defined = |name: &str| {
        body.iter().position(|line| tokens.is(line.tokens.start, "def") && tokens.is(line.tokens.start + 1, name))
    };
    let first = body.get(defined("setup")?)?;
    if !is_plain || NAMES.iter().any(|(_, now)| defined(now).is_some()) || !tokens.is(first.tokens.start + 4, ")") {
        return None;
    }
    let rest = body.iter().skip(defined("setup")? + 1).take_while(|line| line.indent > first.indent);
    let mut set = rest
        .flat_map(|line| line.tokens.clone())
        .filter(|it| tokens.is(*it, "self") && tokens.is(it + 1, ".") && tokens.is(it + 3, "="));
    let wanted: Vec<usize> = failing(file)?.filter(|it| tokens.is(*it, "self") && tokens.is(it + 1, ".")).collect();
    let is_set = set.any(|it| wanted.iter().any(|other| tokens.text(other + 2) == tokens.text(it + 2)));
    let mut edits = Vec::new();
    for (old, now) in NAMES {
        if let Some(line) = defined(old).and_then(|at| body.get(at)) {
            edits.push(Edit::replace(file.span(line.tokens.start + 1, line.tokens.start + 1)?, now));
        }
    }
    is_set.then(|| apply(tokens.bytes, edits))?
}

/// Calls for the `yield function, argument` with which old tests named what to call.
pub(crate) fn yielded(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for (number, line) in file.lines.iter().enumerate() {
        let is_test = tokens.is(line.tokens.start, "def") && tokens.text(line.tokens.start + 1).starts_with(b"test");
        let is_decorated = number.checked_sub(1).and_then(|above| file.lines.get(above));
        let is_decorated = is_decorated.is_some_and(|above| tokens.is(above.tokens.start, "@"));
        if !is_test || is_decorated {
            continue;
        }
        let body = file.lines.iter().skip(number + 1).take_while(|inner| inner.indent > line.indent);
        let yields = body.flat_map(|inner| inner.tokens.clone().map(move |it| (inner, it)));
        for (inner, index) in yields.filter(|(_, it)| tokens.is(*it, "yield")) {
            if index != inner.tokens.start {
                return None;
            }
            edits.extend(called(file, index, inner.tokens.end)?);
        }
    }
    file.finish(edits)
}

/// The edits that make a call of `yield function, argument`, up to the token `end`.
fn called(file: &File<'_>, index: usize, end: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let is_wrapped = tokens.is(index + 1, "(") && Call::at(tokens, index + 1)?.close + 1 == end;
    let (first, end) = if is_wrapped { (index + 2, end - 1) } else { (index + 1, end) };
    let depth = usize::from(is_wrapped);
    let is_outer = |it: &usize| tokens.list.get(*it).is_some_and(|token| token.depth == depth);
    let comma = (first..end).find(|it| tokens.is(*it, ",") && is_outer(it))?;
    let callee = first..comma;
    let is_name = callee.clone().all(|it| tokens.is(it, ".") || super::super::calls::is_operand_name(tokens, it));
    let is_ended = tokens.is(end - 1, ",");
    let rest = comma + 1..if is_ended { end - 1 } else { end };
    if !is_name || callee.is_empty() || rest.is_empty() || rest.clone().any(|it| tokens.is(it, "lambda")) {
        return None;
    }
    let begin = tokens.list.get(index)?.start..tokens.list.get(callee.start)?.start;
    let middle = tokens.list.get(comma - 1)?.end..tokens.list.get(rest.start)?.start;
    let mut edits = vec![Edit::replace(begin, ""), Edit::replace(middle, "(")];
    let last = tokens.list.get(rest.end - 1)?.end;
    let close = if is_wrapped { tokens.list.get(end)?.end } else { tokens.list.get(end - 1)?.end };
    edits.push(Edit::replace(last..close, ")"));
    Some(edits)
}

//! The logical lines of a Python source, and what guards them. Code that expects a name to be missing is not changed.

use std::ops::Range;

use super::tokens::{Kind, Tokens};

/// Whether the code around a line expects that a name may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// It does not: the line runs on every version of Python.
    None,
    /// The line is in a handler, or in a branch that checks the version, so it runs on some versions only.
    Branch,
    /// The line is in a `try` whose handler catches a missing name, so the failure is expected.
    Expected,
}

/// One logical line.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// Its tokens, without the `Newline`.
    pub(crate) tokens: Range<usize>,
    /// Column of its first token, tabs to eight.
    pub(crate) indent: usize,
    /// What guards it.
    pub(crate) guard: Guard,
}

/// Words that begin a line which ends in a colon and opens a block.
pub(crate) const HEADERS: [&str; 11] =
    ["if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class"];

/// The logical lines of a source.
pub(crate) fn lines(tokens: &Tokens<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut first = 0;
    for index in 0..tokens.list.len() {
        if tokens.is_kind(index, Kind::Newline) {
            let indent = column(tokens, first);
            lines.push(Line { tokens: first..index, indent, guard: Guard::None });
            first = index + 1;
        }
    }
    guard(tokens, &mut lines);
    lines
}

/// The line that covers a byte of the source.
pub(crate) fn line_at(tokens: &Tokens<'_>, lines: &[Line], at: Range<usize>) -> Option<usize> {
    let after = lines.partition_point(|line| end(tokens, line) <= at.start);
    let line = lines.get(after)?;
    (tokens.list.get(line.tokens.start)?.start < at.end).then_some(after)
}

/// Where the code of a line ends.
pub(crate) fn end(tokens: &Tokens<'_>, line: &Line) -> usize {
    line.tokens.end.checked_sub(1).and_then(|last| tokens.list.get(last)).map_or(0, |token| token.end)
}

/// The white space before the first token of a line; empty if there is anything else before it.
pub(crate) fn indentation<'a>(tokens: &Tokens<'a>, line: &Line) -> &'a str {
    let start = tokens.list.get(line.tokens.start).map_or(0, |token| token.start);
    let before = tokens.bytes.get(..start).unwrap_or_default();
    let from = before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
    std::str::from_utf8(before.get(from..).unwrap_or_default()).map_or("", |text| text.trim_start_matches('\u{feff}'))
}

/// Index of the colon that ends a header; `None` if the line is not a header.
pub(crate) fn header_colon(tokens: &Tokens<'_>, line: &Line) -> Option<usize> {
    let first = line.tokens.start + usize::from(tokens.is(line.tokens.start, "async"));
    if !HEADERS.iter().any(|word| tokens.is(first, word)) {
        return None;
    }
    line.tokens.clone().find(|index| tokens.is(*index, ":") && tokens.list.get(*index).is_some_and(|t| t.depth == 0))
}

/// Indexes of the tokens that begin a statement on this line.
pub(crate) fn statements(tokens: &Tokens<'_>, line: &Line) -> Vec<usize> {
    let colon = header_colon(tokens, line);
    let mut starts = vec![line.tokens.start];
    for index in line.tokens.clone() {
        let semicolon = tokens.is(index, ";") && tokens.list.get(index).is_some_and(|token| token.depth == 0);
        if (semicolon || colon == Some(index)) && index + 1 < line.tokens.end {
            starts.push(index + 1);
        }
    }
    starts
}

fn column(tokens: &Tokens<'_>, first: usize) -> usize {
    let start = tokens.list.get(first).map_or(0, |token| token.start);
    let before = tokens.bytes.get(..start).unwrap_or_default();
    let from = before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
    before.get(from..).unwrap_or_default().iter().fold(0, |column, byte| match byte {
        b'\t' => (column / 8 + 1) * 8,
        b' ' => column + 1,
        _ => column,
    })
}

/// An open block: its header, and the `try` or `if` that a following line of the block may continue.
struct Block {
    indent: usize,
    header: Option<usize>,
    last: Option<usize>,
}

/// Sets the guard of each line from the headers around it.
fn guard(tokens: &Tokens<'_>, lines: &mut [Line]) {
    let mut parents = vec![None; lines.len()];
    let mut own = vec![Guard::None; lines.len()];
    let mut handlers = vec![Guard::None; lines.len()];
    let mut blocks = vec![Block { indent: 0, header: None, last: None }];
    for index in 0..lines.len() {
        let Some(line) = lines.get(index) else {
            continue;
        };
        while blocks.len() > 1 && blocks.last().is_some_and(|block| line.indent < block.indent) {
            blocks.pop();
        }
        if blocks.last().is_some_and(|block| line.indent > block.indent) {
            blocks.push(Block { indent: line.indent, header: index.checked_sub(1), last: None });
        }
        let Some(block) = blocks.last_mut() else {
            continue;
        };
        if let Some(parent) = parents.get_mut(index) {
            *parent = block.header;
        }
        classify(tokens, lines, index, &mut block.last, &mut own, &mut handlers);
    }
    for index in 0..lines.len() {
        let parent = parents.get(index).copied().flatten();
        let above = parent.and_then(|parent| lines.get(parent)).map_or(Guard::None, |line| line.guard);
        let guard = above.max(parent.and_then(|parent| handlers.get(parent)).copied().unwrap_or(Guard::None));
        let own = own.get(index).copied().unwrap_or(Guard::None);
        if let Some(line) = lines.get_mut(index) {
            line.guard = guard.max(own);
        }
    }
}

/// Records what a header means for itself and the lines below it, or only for the latter (`handlers`).
fn classify(
    tokens: &Tokens<'_>,
    lines: &[Line],
    index: usize,
    last: &mut Option<usize>,
    own: &mut [Guard],
    handlers: &mut [Guard],
) {
    let Some(line) = lines.get(index) else { return };
    let mut set = |at: usize, guard: Guard| {
        if let Some(place) = own.get_mut(at) {
            *place = guard;
        }
    };
    let first = line.tokens.start;
    if tokens.is(first, "try") {
        *last = Some(index);
    } else if tokens.is(first, "except") {
        let missing = catches_missing(tokens, line)
            && !raises_again(tokens, lines, index)
            && !last.is_some_and(|body| is_unrelated(tokens, lines, body, index));
        if let Some(body) = last.filter(|_| missing) {
            set(body, Guard::Expected);
        }
        if let Some(handler) = handlers.get_mut(index).filter(|_| missing) {
            *handler = Guard::Branch;
        }
    } else if tokens.is(first, "if") || tokens.is(first, "elif") {
        let checks = checks_version(tokens, line);
        if checks {
            set(index, Guard::Branch);
        }
        if tokens.is(first, "if") || checks {
            *last = checks.then_some(index);
        }
    } else if tokens.is(first, "else") && last.is_some() {
        set(index, Guard::Branch);
    } else if !tokens.is(first, "finally") && !tokens.is(first, "else") {
        *last = None;
    }
}

/// Whether the handler of all exceptions at `index` ends with a `raise`, so that it handles none.
fn raises_again(tokens: &Tokens<'_>, lines: &[Line], index: usize) -> bool {
    let Some(line) = lines.get(index) else { return false };
    let is_general = [":", "Exception", "BaseException"].iter().any(|word| tokens.is(line.tokens.start + 1, word));
    let body = lines.iter().skip(index + 1).take_while(|other| other.indent > line.indent);
    is_general && body.last().is_some_and(|last| tokens.is(last.tokens.start, "raise"))
}

/// Whether the handler of all exceptions at `index` has nothing to do with a name that may be missing: the `try` at `body`
/// imports nothing, and the handler gives no name of it another meaning.
fn is_unrelated(tokens: &Tokens<'_>, lines: &[Line], body: usize, index: usize) -> bool {
    let Some(line) = lines.get(index) else { return false };
    let is_general = [":", "Exception", "BaseException"].iter().any(|word| tokens.is(line.tokens.start + 1, word));
    let tried = lines.get(body + 1..index).unwrap_or_default();
    let handled = lines.get(index + 1..).unwrap_or_default().iter().take_while(|other| other.indent > line.indent);
    let imports = |other: &Line| ["import", "from"].iter().any(|word| tokens.is(other.tokens.start, word));
    let names = |name: &[u8]| {
        let mut all = tried.iter().flat_map(|other| other.tokens.clone());
        all.any(|at| tokens.is_kind(at, Kind::Name) && tokens.text(at) == name)
    };
    let binds = |other: &Line| {
        let first = other.tokens.start;
        let opens = ["def", "class", "global", "del"].iter().any(|word| tokens.is(first, word));
        let equals =
            other.tokens.clone().find(|at| tokens.is(*at, "=") && tokens.list.get(*at).is_some_and(|t| t.depth == 0));
        opens || imports(other) || equals.is_some_and(|equals| (first..equals).any(|at| names(tokens.text(at))))
    };
    is_general && !tried.iter().any(imports) && !handled.clone().any(binds) && tried.len() > 1
}

/// Whether an `except` catches the exception that a missing name raises.
fn catches_missing(tokens: &Tokens<'_>, line: &Line) -> bool {
    let bare = tokens.is(line.tokens.start + 1, ":");
    bare || line.tokens.clone().any(|index| {
        ["ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "Exception", "BaseException"]
            .iter()
            .any(|name| tokens.is(index, name))
    })
}

/// Whether the first argument of `hasattr` is a builtin or a module, and no object of the program.
fn asks_python(tokens: &Tokens<'_>, first: usize) -> bool {
    const BUILTINS: [&str; 9] =
        ["__builtin__", "__builtins__", "builtins", "bytes", "dict", "int", "list", "str", "unicode"];
    let modules = super::table::STANDARD_MODULES.iter();
    BUILTINS.iter().chain(modules).any(|name| tokens.is(first, name))
}

/// Whether a condition checks the version of Python, or whether a name exists.
pub(crate) fn checks_version(tokens: &Tokens<'_>, line: &Line) -> bool {
    let end = header_colon(tokens, line).unwrap_or(line.tokens.end);
    (line.tokens.start..end).any(|index| {
        ["version_info", "hexversion", "version", "python_version", "PY2", "PY3", "PY_2", "PY_3", "TYPE_CHECKING"]
            .iter()
            .any(|name| tokens.is(index, name))
            || tokens.is(index, "hasattr") && asks_python(tokens, index + 2)
    })
}

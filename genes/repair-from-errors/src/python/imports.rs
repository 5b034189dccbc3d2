//! The import statements of a Python source, with the positions of their parts.

use std::ops::Range;

use super::lines::{Guard, Line, statements};
use super::tokens::{Kind, Tokens};

/// `module as alias` in an `import`, or `name as alias` in a `from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    /// The dotted module or the name, without white space.
    pub(crate) name: String,
    /// The alias, if there is one.
    pub(crate) alias: Option<String>,
    /// The bytes of the name.
    pub(crate) name_span: Range<usize>,
    /// The bytes of the whole clause.
    pub(crate) span: Range<usize>,
}

/// One import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    /// The module of a `from`, with its leading dots, and its position; `None` for a plain `import`.
    pub(crate) from: Option<(String, Range<usize>)>,
    /// The names; empty for `*`.
    pub(crate) clauses: Vec<Clause>,
    /// Its tokens.
    pub(crate) tokens: Range<usize>,
    /// The logical line that it is on.
    pub(crate) line: usize,
    /// Whether it is the only statement on its line.
    pub(crate) alone: bool,
    /// What guards it.
    pub(crate) guard: Guard,
}

impl Import {
    /// Whether this is `from module import …`.
    pub(crate) fn is_from(&self, module: &str) -> bool {
        self.from.as_ref().is_some_and(|(name, _)| name == module)
    }
}

/// All import statements that parse, in the order of the file.
pub(crate) fn imports(tokens: &Tokens<'_>, lines: &[Line]) -> Vec<Import> {
    let mut imports = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let starts = statements(tokens, line);
        for start in &starts {
            let parsed = if tokens.is(*start, "import") {
                clauses(tokens, start + 1, line.tokens.end).map(|(clauses, end)| (None, clauses, end))
            } else if tokens.is(*start, "from") {
                from(tokens, start + 1, line.tokens.end)
            } else {
                None
            };
            if let Some((from, clauses, end)) = parsed {
                let (tokens, alone) = (*start..end, starts.len() == 1 && end == line.tokens.end);
                imports.push(Import { from, clauses, tokens, line: number, alone, guard: line.guard });
            }
        }
    }
    imports
}

type From = (Option<(String, Range<usize>)>, Vec<Clause>, usize);

fn from(tokens: &Tokens<'_>, mut at: usize, end: usize) -> Option<From> {
    let start = tokens.list.get(at)?.start;
    let mut module = String::new();
    while at < end && (tokens.is(at, ".") || tokens.is(at, "...")) {
        module.push_str(std::str::from_utf8(tokens.text(at)).ok()?);
        at += 1;
    }
    if !tokens.is(at, "import") {
        let (name, after) = dotted(tokens, at, end)?;
        module.push_str(&name);
        at = after;
    }
    let stop = tokens.list.get(at.checked_sub(1)?)?.end;
    if !tokens.is(at, "import") {
        return None;
    }
    at += 1;
    let place = Some((module, start..stop));
    if tokens.is(at, "*") {
        return Some((place, Vec::new(), at + 1));
    }
    let parenthesised = tokens.is(at, "(");
    let (names, mut after) = clauses(tokens, at + usize::from(parenthesised), end)?;
    if parenthesised {
        after += usize::from(tokens.is(after, ","));
        if !tokens.is(after, ")") {
            return None;
        }
        after += 1;
    }
    Some((place, names, after))
}

/// `a.b as c, d`: the clauses and the token after them.
fn clauses(tokens: &Tokens<'_>, mut at: usize, end: usize) -> Option<(Vec<Clause>, usize)> {
    let mut clauses = Vec::new();
    loop {
        let start = tokens.list.get(at)?.start;
        let (name, after) = dotted(tokens, at, end)?;
        let name_end = tokens.list.get(after.checked_sub(1)?)?.end;
        at = after;
        let mut alias = None;
        if tokens.is(at, "as") && at + 1 < end && tokens.is_kind(at + 1, Kind::Name) {
            alias = Some(std::str::from_utf8(tokens.text(at + 1)).ok()?.to_owned());
            at += 2;
        }
        let stop = tokens.list.get(at.checked_sub(1)?)?.end;
        clauses.push(Clause { name, alias, name_span: start..name_end, span: start..stop });
        let more = tokens.is(at, ",") && at + 1 < end && tokens.is_kind(at + 1, Kind::Name);
        if !more {
            return Some((clauses, at));
        }
        at += 1;
    }
}

fn dotted(tokens: &Tokens<'_>, mut at: usize, end: usize) -> Option<(String, usize)> {
    let mut name = String::new();
    loop {
        if at >= end || !tokens.is_kind(at, Kind::Name) {
            return None;
        }
        name.push_str(std::str::from_utf8(tokens.text(at)).ok()?);
        at += 1;
        if !(at < end && tokens.is(at, ".")) {
            return Some((name, at));
        }
        name.push('.');
        at += 1;
    }
}

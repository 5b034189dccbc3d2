//! Whether a name means everywhere in a file what its import says.
//!
//! Scopes are not distinguished: if anything in the file binds a name again, its meaning counts as unknown, because a
//! repair that guesses is worse than none.

use super::imports::Import;
use super::lines::Line;
use super::tokens::{Kind, Tokens};

/// Whether something other than an import binds this name anywhere in the file.
pub(crate) fn is_rebound(tokens: &Tokens<'_>, lines: &[Line], imports: &[Import], name: &str) -> bool {
    lines.iter().any(|line| {
        let facts = Facts::of(tokens, line);
        line.tokens.clone().any(|index| {
            tokens.is(index, name)
                && !tokens.follows(index, ".")
                && facts.binds(tokens, index)
                && !in_import(imports, index)
        })
    })
}

/// Whether the token at `index` is this name, and its line binds it.
pub(crate) fn is_bound_here(tokens: &Tokens<'_>, line: &Line, index: usize, name: &str) -> bool {
    tokens.is(index, name) && !tokens.follows(index, ".") && Facts::of(tokens, line).binds(tokens, index)
}

/// Whether a token belongs to an import statement. `imports` must be in the order of the file.
pub(crate) fn in_import(imports: &[Import], index: usize) -> bool {
    let after = imports.partition_point(|import| import.tokens.end <= index);
    imports.get(after).is_some_and(|import| import.tokens.contains(&index))
}

/// Whether an import binds this name to something other than the module of that name.
pub(crate) fn names_something_else(imports: &[Import], name: &str) -> bool {
    imports.iter().any(|import| {
        import.clauses.iter().any(|clause| match &clause.alias {
            Some(alias) => alias == name && (import.from.is_some() || clause.name != name),
            None => import.from.is_some() && clause.name == name,
        })
    })
}

/// What a line does with the names on it.
struct Facts {
    /// From the start of each statement to the last `=` of it outside brackets, and from each `for` to its `in`.
    targets: Vec<std::ops::Range<usize>>,
    /// From each `def` and `lambda` to the end of its parameters.
    parameters: Vec<std::ops::Range<usize>>,
}

impl Facts {
    fn of(tokens: &Tokens<'_>, line: &Line) -> Self {
        let mut facts = Self { targets: Vec::new(), parameters: Vec::new() };
        let mut target = None;
        let mut start = line.tokens.start;
        for index in line.tokens.clone() {
            let outside = tokens.list.get(index).is_some_and(|token| token.depth == 0);
            if outside && (tokens.is(index, "=") || is_augmented(tokens.text(index))) {
                facts.targets.push(start..index);
            } else if outside && (tokens.is(index, ":") || tokens.is(index, ";")) {
                start = index + 1;
            } else if tokens.is(index, "def") || tokens.is(index, "lambda") {
                facts.parameters.push(index..end_of_parameters(tokens, index, line.tokens.end));
            } else if tokens.is(index, "for") {
                target = Some(index);
            } else if tokens.is(index, "in")
                && let Some(start) = target.take()
            {
                facts.targets.push(start..index);
            }
        }
        facts
    }

    fn binds(&self, tokens: &Tokens<'_>, index: usize) -> bool {
        let attribute = tokens.is(index + 1, ".") || tokens.is(index + 1, "(");
        let keyword =
            ["as", "def", "class", "del", "global", "nonlocal"].iter().any(|word| tokens.follows(index, word));
        let outside = tokens.list.get(index).is_some_and(|token| token.depth == 0);
        // Annotations and defaults are no parameters.
        let begins = ["(", ",", "*", "**"].iter().any(|before| tokens.follows(index, before));
        let ends = [",", ")", ":", "="].iter().any(|after| tokens.is(index + 1, after));
        let parameter = begins && ends && self.parameters.iter().any(|range| range.contains(&index));
        let lambda = !attribute && tokens.follows(index, "lambda");
        let annotated = outside && tokens.is(index + 1, ":") && begins_line(tokens, index);
        let target = !attribute && self.targets.iter().any(|range| range.contains(&index));
        keyword || parameter || lambda || annotated || target || tokens.is(index + 1, ":=")
    }
}

/// Where the parameters of a `def` or a `lambda` end: at the colon outside the brackets within them.
fn end_of_parameters(tokens: &Tokens<'_>, start: usize, end: usize) -> usize {
    let depth = |index: usize| tokens.list.get(index).map(|token| token.depth);
    (start..end).find(|index| tokens.is(*index, ":") && depth(*index) == depth(start)).unwrap_or(end)
}

fn begins_line(tokens: &Tokens<'_>, index: usize) -> bool {
    index.checked_sub(1).is_none_or(|before| tokens.is_kind(before, Kind::Newline) || tokens.is(before, ";"))
}

fn is_augmented(text: &[u8]) -> bool {
    text.len() > 1 && text.ends_with(b"=") && !matches!(text, b"==" | b"!=" | b"<=" | b">=" | b":=")
}

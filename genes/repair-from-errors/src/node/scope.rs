//! What a name in a JavaScript file refers to: a built-in module, or something else.

use std::ops::Range;

use super::lexer::{Kind, Tokens};

/// The part of a file in which a name refers to a module.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    /// Tokens of the functions that have a parameter with this name.
    shadows: Vec<Range<usize>>,
}

impl Binding {
    /// Whether the name at this token refers to the module.
    pub(crate) fn reaches(&self, index: usize) -> bool {
        !self.shadows.iter().any(|shadow| shadow.contains(&index))
    }
}

/// `require('os')` with `require` at `first`, for any of the modules.
pub(crate) fn is_require(tokens: &Tokens<'_>, first: usize, modules: &[&str]) -> bool {
    tokens.is(first, "require")
        && tokens.is(first + 1, "(")
        && names(tokens, first + 2, modules)
        && tokens.is(first + 3, ")")
}

/// Whether a string names one of the modules, with or without `node:`.
fn names(tokens: &Tokens<'_>, index: usize, modules: &[&str]) -> bool {
    let text = std::str::from_utf8(tokens.text(index)).unwrap_or_default();
    let is_text = tokens.list.get(index).is_some_and(|token| token.kind == Kind::Text);
    let inner = text.trim_matches(['"', '\'', '`']);
    is_text && modules.contains(&inner.strip_prefix("node:").unwrap_or(inner))
}

/// The binding of `name` to the module by `name = require('os')`, `import name from 'os'` or `import * as name from 'os'`.
/// `None` if there is none, or if the file binds the name to anything else but a parameter.
pub(crate) fn binding(tokens: &Tokens<'_>, name: &str, module: &str) -> Option<Binding> {
    let mut binding = None;
    let mut shadows = Vec::new();
    for index in 0..tokens.list.len() {
        if !tokens.is(index, name) || tokens.follows(index, ".") || tokens.follows(index, "?.") {
            continue;
        }
        let assigned = tokens.is(index + 1, "=") && !tokens.is(index + 2, "=");
        let imported = tokens.is(index + 1, "from") && names(tokens, index + 2, &[module]);
        if imported || (assigned && is_require(tokens, index + 2, &[module])) {
            binding = Some(());
        } else if let Some(body) = parameter(tokens, index) {
            shadows.push(body);
        } else if assigned || is_declared(tokens, index) || tokens.is(index + 1, "=>") {
            return None;
        }
    }
    binding.map(|()| Binding { shadows })
}

/// Whether `name` is the global everywhere in the file, or the export of a module with the same meaning.
pub(crate) fn is_global(tokens: &Tokens<'_>, name: &str, modules: &[&str]) -> bool {
    (0..tokens.list.len()).filter(|index| tokens.is(*index, name) && !tokens.follows(*index, ".")).all(|index| {
        let assigned = tokens.is(index + 1, "=") && !tokens.is(index + 2, "=");
        let known = assigned && is_require(tokens, index + 2, modules);
        known || !(assigned || is_declared(tokens, index) || parameter(tokens, index).is_some())
    })
}

/// Whether the name at this token is declared here.
fn is_declared(tokens: &Tokens<'_>, index: usize) -> bool {
    ["var", "let", "const", "function", "class", "catch"].iter().any(|word| tokens.follows(index, word))
}

/// If the name at `index` is a parameter: the tokens of its function, or all up to the end of the file if its end is not
/// clear.
fn parameter(tokens: &Tokens<'_>, index: usize) -> Option<Range<usize>> {
    let before = tokens.follows(index, "(") || tokens.follows(index, ",") || tokens.follows(index, "...");
    let after = [",", ")", "="].iter().any(|next| tokens.is(index + 1, next));
    let depth = tokens.list.get(index)?.depth.checked_sub(1)?;
    if !before || !after {
        return None;
    }
    let at_depth = |at: &usize| tokens.list.get(*at).is_some_and(|token| token.depth == depth);
    let open = (0..index).rev().find(at_depth)?;
    let close = tokens.close(open).filter(|_| tokens.is(open, "("))?;
    let condition = ["if", "while", "for", "switch", "with"].iter().any(|word| tokens.follows(open, word));
    let arrow = tokens.is(close + 1, "=>");
    let body = close + 1 + usize::from(arrow);
    if condition || !(arrow || tokens.is(body, "{")) {
        return None;
    }
    // A lexer cannot find the end of an arrow function without braces.
    let end = tokens.close(body).filter(|_| tokens.is(body, "{"));
    Some(open..end.unwrap_or(tokens.list.len()))
}

//! Repairs of ECMAScript modules: specifiers without an ending, import attributes, and `require` of built-in modules.

use super::finish;
use super::lexer::{Kind, Tokens, lex};
use super::natives::MODULES;
use super::string;
use crate::edit::Edit;

/// The endings that a relative specifier may lack.
pub(crate) const ENDINGS: [&str; 6] = [".js", ".mjs", ".cjs", "/index.js", "/index.mjs", "/index.cjs"];

/// The relative specifiers that a module imports or exports from.
pub(crate) fn specifiers(source: &[u8]) -> Vec<String> {
    let Some(tokens) = lex(source) else { return Vec::new() };
    (0..tokens.list.len()).filter_map(|index| specifier(&tokens, index)).map(str::to_owned).collect()
}

fn specifier<'a>(tokens: &Tokens<'a>, index: usize) -> Option<&'a str> {
    let dynamic = tokens.follows(index, "(") && index.checked_sub(2).is_some_and(|it| tokens.is(it, "import"));
    let imported = tokens.follows(index, "from") || tokens.follows(index, "import") || dynamic;
    string(tokens, index).filter(|text| imported && (text.starts_with("./") || text.starts_with("../")))
}

/// The source with an ending added to each of these specifiers: specifier, ending.
pub(crate) fn completed(source: &[u8], endings: &[(String, &'static str)]) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let mut edits = Vec::new();
    for index in 0..tokens.list.len() {
        let known = specifier(&tokens, index).and_then(|text| endings.iter().find(|entry| entry.0 == text));
        if let Some((text, ending)) = known {
            let end = tokens.list.get(index)?.end - 1;
            let start = if text.ends_with('/') { end - 1 } else { end };
            edits.push(Edit::replace(start..end, *ending));
        }
    }
    finish(source, edits, None)
}

/// The source with `with { type: 'json' }` instead of `assert { type: 'json' }`.
pub(crate) fn attributes(source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
    let tokens = lex(source)?;
    let is_attribute = |index: &usize| {
        let after_text = index.checked_sub(1).is_some_and(|before| string(&tokens, before).is_some());
        let imported = index.checked_sub(2).is_some_and(|it| tokens.is(it, "from") || tokens.is(it, "import"));
        tokens.is(*index, "assert")
            && after_text
            && imported
            && tokens.is(index + 1, "{")
            && tokens.is(index + 2, "type")
    };
    let found = (0..tokens.list.len()).filter(is_attribute).filter_map(|index| tokens.list.get(index));
    finish(source, found.map(|token| Edit::replace(token.start..token.end, "with")).collect(), anchor)
}

/// The source with an import for each `const name = require('fs')`. `None` unless all uses of `require` are such statements
/// for built-in modules or whole packages, and the file uses nothing else that an ECMAScript module lacks.
pub(crate) fn imports(source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let lacks = ["__dirname", "__filename", "module", "exports"];
    let is_free = |index: usize, name: &str| {
        let key = tokens.is(index + 1, ":") || tokens.follows(index, ".");
        tokens.is(index, name) && !key
    };
    if (0..tokens.list.len()).any(|index| lacks.iter().any(|name| is_free(index, name))) {
        return None;
    }
    let mut edits = Vec::new();
    for index in (0..tokens.list.len()).filter(|index| tokens.is(*index, "require") && !tokens.follows(*index, ".")) {
        edits.push(import(&tokens, index)?);
    }
    finish(source, edits, anchor)
}

/// The import for the statement with `require` at this token.
fn import(tokens: &Tokens<'_>, require: usize) -> Option<Edit> {
    let module = string(tokens, require + 2)?;
    let is_built_in = MODULES.contains(&module.strip_prefix("node:").unwrap_or(module));
    // The default of a package that is no ECMAScript module is all that it exports.
    let is_package =
        !module.starts_with(['.', '/']) && !require.checked_sub(2).is_some_and(|last| tokens.is(last, "}"));
    let known = is_built_in || is_package;
    let statement = tokens.is(require + 1, "(") && tokens.is(require + 3, ")") && tokens.follows(require, "=");
    let equals = require.checked_sub(1).filter(|_| known && statement)?;
    let last = equals.checked_sub(1)?;
    let (first, bound) = if tokens.is(last, "}") {
        let open = (0..last).rev().find(|index| tokens.is(*index, "{"))?;
        // Renamed members are written in another way in an import.
        let plain = (open + 1..last)
            .all(|index| tokens.is(index, ",") || tokens.list.get(index).is_some_and(|it| it.kind == Kind::Name));
        (open, plain)
    } else {
        (last, tokens.list.get(last)?.kind == Kind::Name)
    };
    let declares = ["const", "let", "var"].iter().any(|word| tokens.follows(first, word));
    let keyword = first.checked_sub(1)?;
    let top = tokens.list.get(keyword)?.depth == 0;
    let next = require + 4;
    let newline = |from: usize, to: usize| tokens.bytes.get(from..to).is_some_and(|gap| gap.contains(&b'\n'));
    let end = tokens.list.get(require + 3)?.end;
    let ends = tokens.is(next, ";")
        || tokens
            .list
            .get(next)
            .is_none_or(|token| newline(end, token.start) && !tokens.is(next, ".") && !tokens.is(next, ","));
    if !(bound && declares && top && ends) {
        return None;
    }
    let names =
        std::str::from_utf8(tokens.bytes.get(tokens.list.get(first)?.start..tokens.list.get(last)?.end)?).ok()?;
    let text = std::str::from_utf8(tokens.text(require + 2)).ok()?;
    Some(Edit::replace(tokens.list.get(keyword)?.start..end, format!("import {names} from {text}")))
}

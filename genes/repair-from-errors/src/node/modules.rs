//! Repairs of what ECMAScript modules ask for: the folder of a module, the type of imported JSON, the names of `CommonJS` modules
//! and the default export of packages that became modules. And a constant that changes.

use super::lexer::{Kind, Tokens, lex};
use super::scope::is_global;
use super::{finish, string};
use crate::edit::{Edit, line_ending};

/// The names that only `CommonJS` modules have, and what an ECMAScript module has in their place (Node 20.11).
const PLACES: [(&str, &str); 2] = [("__dirname", "import.meta.dirname"), ("__filename", "import.meta.filename")];

/// Packages that became ECMAScript modules with a default export. Source: the release notes of each package.
const DEFAULTS: [&str; 20] = [
    "boxen",
    "camelcase",
    "chalk",
    "conf",
    "escape-string-regexp",
    "figures",
    "got",
    "inquirer",
    "log-update",
    "meow",
    "node-fetch",
    "open",
    "ora",
    "p-limit",
    "p-map",
    "p-queue",
    "query-string",
    "slash",
    "string-width",
    "strip-ansi",
];

/// Whether the message names the folder or the file of a module.
pub(super) fn is_place(message: &str) -> bool {
    PLACES.iter().any(|(name, _)| {
        message.strip_prefix(name).is_some_and(|rest| rest.starts_with(" is not defined in ES module scope"))
    })
}

/// The source with `import.meta` in place of the names of `CommonJS`.
pub(super) fn places(source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let mut edits = Vec::new();
    for (old, now) in PLACES {
        if !is_global(&tokens, old, &[]) {
            return None;
        }
        for (index, token) in tokens.list.iter().enumerate().filter(|(index, _)| tokens.is(*index, old)) {
            if tokens.follows(index, ".") || tokens.is(index + 1, ":") || tokens.follows(index, "typeof") {
                return None;
            }
            edits.push(Edit::replace(token.start..token.end, now));
        }
    }
    finish(source, edits, anchor)
}

/// The name of the file in `Module "file:///path/a.json" needs an import attribute of type "json"`.
pub(super) fn json_file(message: &str) -> Option<String> {
    let (path, rest) = message.strip_prefix("Module \"")?.split_once("\" needs an import attribute of ")?;
    let name = path.rsplit('/').next().filter(|name| name.rsplit('.').next() == Some("json"))?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    (plain && rest.contains("json")).then(|| name.to_owned())
}

/// The source with the type of each import of this file.
pub(super) fn typed(source: &[u8], name: &str) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let is_it = |index: usize| {
        let path = string(&tokens, index).filter(|path| path.starts_with('.'));
        let has = tokens.is(index + 1, "with") || tokens.is(index + 1, "assert");
        tokens.follows(index, "from") && !has && path.is_some_and(|path| path.rsplit('/').next() == Some(name))
    };
    let found = (0..tokens.list.len()).filter(|index| is_it(*index)).filter_map(|index| {
        let quote = char::from(*tokens.text(index).first()?);
        Some(Edit::insert(tokens.list.get(index)?.end, format!(" with {{ type: {quote}json{quote} }}")))
    });
    let edits: Vec<Edit> = found.collect();
    if edits.is_empty() { None } else { finish(source, edits, None) }
}

/// Whether the message says that a `CommonJS` module does not name its exports.
pub(super) fn is_unnamed(message: &str) -> bool {
    message.starts_with("Named export '") && message.contains(" is a CommonJS module, which may not support all")
}

/// The source with the default of a `CommonJS` module imported, and the names taken from it.
pub(super) fn unnamed(source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let line = crate::edit::physical_lines(source).get(anchor?)?.clone();
    let import = (0..tokens.list.len()).find(|index| {
        tokens.is(*index, "import") && tokens.list.get(*index).is_some_and(|it| line.contains(&it.start))
    })?;
    let open = import + 1;
    let close = tokens.close(open).filter(|_| tokens.is(open, "{"))?;
    let from = close + 2;
    string(&tokens, from).filter(|_| tokens.is(close + 1, "from"))?;
    let taken = |name: &str| (0..tokens.list.len()).any(|index| tokens.is(index, name));
    let name = ["pkg", "module_"].into_iter().find(|name| !taken(name))?;
    let mut edits = vec![Edit::replace(tokens.list.get(open)?.start..tokens.list.get(close)?.end, name)];
    let mut names = String::new();
    for index in open..=close {
        let (text, token) = (std::str::from_utf8(tokens.text(index)).ok()?, tokens.list.get(index)?);
        let is_plain = token.kind == Kind::Name || [",", "{", "}"].contains(&text);
        if !is_plain || text == "type" || text == "default" {
            return None;
        }
        match text {
            "as" => names.push_str(": "),
            "," => names.push_str(", "),
            "{" | "}" => {}
            name => names.push_str(name),
        }
    }
    let ends = tokens.is(from + 1, ";");
    let end = tokens.list.get(if ends { from + 1 } else { from })?.end;
    let semicolon = if ends { ";" } else { "" };
    let names = names.trim_end_matches(", ");
    edits.push(Edit::insert(end, format!("{}const {{ {names} }} = {name}{semicolon}", line_ending(source, end))));
    finish(source, edits, anchor)
}

/// The source with `let` in place of `const` for what the failing line assigns to. `None` unless the line begins a statement
/// with the name, and the file declares the name once.
pub(super) fn variable(source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let line = crate::edit::physical_lines(source).get(anchor?)?.clone();
    let here: Vec<usize> = (0..tokens.list.len())
        .filter(|index| tokens.list.get(*index).is_some_and(|it| line.contains(&it.start)))
        .filter(|index| assigns(&tokens, *index))
        .collect();
    let [index] = here.as_slice() else { return None };
    let name = std::str::from_utf8(tokens.text(*index)).ok()?;
    let is_it = |at: &usize| tokens.is(*at, name) && !tokens.follows(*at, ".");
    let words = ["const", "let", "var", "function", "class", "catch"];
    let is_declared = |at: &usize| words.iter().any(|word| tokens.follows(*at, word));
    let declared: Vec<usize> = (0..tokens.list.len()).filter(is_it).filter(is_declared).collect();
    let [place] = declared.as_slice() else { return None };
    let keyword = tokens.list.get(place.checked_sub(1)?)?;
    let is_constant = tokens.follows(*place, "const") && tokens.is(place + 1, "=");
    // A name that a function or a pattern binds as well may be another one.
    let others = (0..tokens.list.len()).filter(is_it).filter(|at| at != place);
    let mut bound = others.filter(|at| {
        let inside = tokens.follows(*at, "(") || tokens.follows(*at, ",") || tokens.follows(*at, "{");
        let closed = tokens.is(at + 1, "=>") || inside && (tokens.is(at + 1, "=") && !tokens.is(at + 2, "="));
        closed || tokens.follows(*at, "of")
    });
    let edits = vec![Edit::replace(keyword.start..keyword.end, "let")];
    (is_constant && bound.next().is_none()).then(|| finish(source, edits, None))?
}

/// Whether a statement begins with this name and assigns to it.
fn assigns(tokens: &Tokens<'_>, index: usize) -> bool {
    let is_name = tokens.list.get(index).is_some_and(|token| token.kind == Kind::Name);
    let start = tokens.list.get(index).map_or(0, |token| token.start);
    let before = tokens.bytes.get(..start).unwrap_or_default();
    let is_first =
        before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|at| before.get(at) == Some(&b'\n'));
    let begins = is_first || [";", "{", "}", ")"].iter().any(|sign| tokens.follows(index, sign));
    let sign = |at: usize, text: &str| tokens.is(at, text);
    let plain = sign(index + 1, "=") && !sign(index + 2, "=") && !sign(index + 2, ">");
    let steps = ["+", "-"].iter().any(|it| sign(index + 1, it) && sign(index + 2, it));
    let changes = ["+", "-", "*", "/", "%", "|", "&"].iter().any(|it| sign(index + 1, it) && sign(index + 2, "="));
    is_name && begins && (plain || steps || changes)
}

/// The name in `name.method is not a function` or `name is not a function`.
pub(super) fn callee(message: &str) -> Option<String> {
    let callee = message.strip_suffix(" is not a function")?;
    let name = callee.split('.').next()?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    (plain && callee.split('.').count() <= 2).then(|| name.to_owned())
}

/// The source with the default export of the package that the name is bound to.
pub(super) fn default_export(source: &[u8], name: &str) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let is_bound = |index: usize| {
        let package = string(&tokens, index + 4).filter(|package| DEFAULTS.contains(package));
        let requires = tokens.is(index + 2, "require") && tokens.is(index + 3, "(") && tokens.is(index + 5, ")");
        let whole = !tokens.is(index + 6, ".") && !tokens.is(index + 6, "(") && !tokens.is(index + 6, "[");
        tokens.is(index, name) && tokens.is(index + 1, "=") && requires && whole && package.is_some()
    };
    let found: Vec<usize> = (0..tokens.list.len()).filter(|index| is_bound(*index)).collect();
    let [index] = found.as_slice() else { return None };
    finish(source, vec![Edit::insert(tokens.list.get(index + 5)?.end, ".default")], None)
}

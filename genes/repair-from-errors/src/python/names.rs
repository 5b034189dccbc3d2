//! Repairs names that are not defined: builtins of Python 2, forgotten imports of the standard library, and misspelled names
//! if the interpreter names the right one.

use std::ops::Range;

use super::bindings::{in_import, is_bound_here, is_rebound, names_something_else};
use super::calls::{Call, is_plain};
use super::file::File;
use super::insert::{import_name, import_statement};
use super::lines::checks_version;
use super::shape::function_around;
use super::table;
use super::tokens::Kind;
use crate::edit::Edit;

/// Builtins that the interpreter may suggest.
const BUILTINS: [&str; 36] = [
    "False",
    "None",
    "True",
    "abs",
    "all",
    "any",
    "bool",
    "bytes",
    "dict",
    "enumerate",
    "filter",
    "float",
    "format",
    "getattr",
    "hasattr",
    "input",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "open",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
];

/// The builtin `cmp` of Python 2.
const CMP: &str = "def cmp(a, b):\n    return (a > b) - (a < b)\n";

/// Builtins of Python 2 whose calls another expression replaces.
const CALLS: [&str; 4] = ["apply", "cmp", "execfile", "file"];

/// A name that is not defined, and how it gets a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A builtin was renamed.
    Renamed { old: &'static str, new: &'static str },
    /// A builtin whose calls another expression replaces.
    Call(&'static str),
    /// A name must be imported from a module.
    From { name: &'static str, module: &'static str },
    /// A module must be imported.
    Module(&'static str),
    /// The name is misspelled.
    Similar { wrong: String, right: String },
}

/// What a message says about a name that is not defined; `None` if no table has it and nothing is suggested.
pub(crate) fn missing(message: &str) -> Option<Missing> {
    let rest = message.strip_prefix("global ").unwrap_or(message).strip_prefix("name '")?;
    let (name, rest) = rest.split_once("' is not defined")?;
    if let Some((old, new)) = table::builtin(name) {
        return Some(Missing::Renamed { old, new });
    }
    if let Some(name) = CALLS.iter().find(|call| **call == name) {
        return Some(Missing::Call(name));
    }
    let known = table::STANDARD_NAMES.iter().find(|entry| entry.0 == name).copied();
    if let Some((name, module)) = table::builtin_in_module(name).or(known) {
        return Some(Missing::From { name, module });
    }
    if let Some(module) = table::STANDARD_MODULES.iter().find(|module| **module == name) {
        return Some(Missing::Module(module));
    }
    let (right, _) = rest.split_once("Did you mean: '")?.1.split_once('\'')?;
    let fits = is_similar(name, right) && right.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fits.then(|| Missing::Similar { wrong: name.to_owned(), right: right.to_owned() })
}

impl Missing {
    /// The name that is not defined.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Renamed { old: name, .. } | Self::Call(name) | Self::From { name, .. } | Self::Module(name) => name,
            Self::Similar { wrong, .. } => wrong,
        }
    }

    /// Whether every program of Python 2 had the name.
    pub(crate) fn is_of_two(&self) -> bool {
        match self {
            // Python 3 has it as well, but only on Windows.
            Self::Renamed { old, .. } => *old != "WindowsError",
            Self::Call(_) => true,
            Self::From { name, .. } => table::builtin_in_module(name).is_some(),
            Self::Module(_) | Self::Similar { .. } => false,
        }
    }

    /// The module that the name comes from.
    pub(crate) fn module(&self) -> Option<&str> {
        match self {
            Self::From { module, .. } | Self::Module(module) => Some(module),
            _ => None,
        }
    }

    /// A word that every other file with the same fault contains.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Renamed { old, .. } => Some(old),
            _ => None,
        }
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        match self {
            Self::Renamed { old, new } => {
                (format!("use {new} instead of {old}"), format!("the builtin {old} was removed in Python 3.0"))
            }
            Self::Call(name) => {
                (format!("replace the call of {name}"), format!("the builtin {name} was removed in Python 3.0"))
            }
            Self::From { name, module } => {
                (format!("import {name} from {module}"), format!("the name {name} is used, and nothing defines it"))
            }
            Self::Module(module) => {
                (format!("import {module}"), format!("the module {module} is used, and nothing imports it"))
            }
            Self::Similar { wrong, right } => (
                format!("use {right} instead of {wrong}"),
                format!("nothing defines {wrong}, and {right} is defined here"),
            ),
        }
    }
}

/// The source with the name defined or replaced; `None` if the file defines it itself somewhere.
pub(crate) fn repair(file: &File<'_>, missing: &Missing) -> Option<Vec<u8>> {
    let name = missing.name();
    let taken = names_something_else(&file.imports, name)
        || match missing {
            Missing::Renamed { .. } => is_rebound_by_more(file, name),
            // What a function binds leaves a definition at the top level as it is.
            Missing::Call("cmp") => is_bound_at_top(file, name),
            _ => is_rebound(&file.tokens, &file.lines, &file.imports, name),
        };
    let on_anchor = |index: &usize| file.anchor.is_none_or(|line| file.line_of(*index) == line);
    let mut uses = file.dotted_uses(&[name]);
    uses.retain(|index| !in_import(&file.imports, *index) && !is_keyword_argument(file, *index));
    // What is asked whether it has a name is itself no name that may be missing.
    let is_asked = |index: &usize| {
        let callee = index.checked_sub(2).is_some_and(|callee| file.tokens.is(callee, "hasattr"));
        callee && file.tokens.follows(*index, "(")
    };
    let checked =
        file.anchor.and_then(|line| file.lines.get(line)).is_some_and(|line| checks_version(&file.tokens, line));
    if taken || checked && !uses.iter().any(|index| on_anchor(index) && is_asked(index)) {
        return None;
    }
    // A name that the file imports at its top level has a meaning now: the log is older than the file.
    let imported = file.imports.iter().any(|import| {
        let local = |clause: &super::imports::Clause| clause.alias.as_deref().unwrap_or(&clause.name) == name;
        file.is_open(import.line)
            && file.lines.get(import.line).is_some_and(|line| line.indent == 0)
            && import.clauses.iter().any(local)
    });
    if imported || !uses.iter().any(on_anchor) {
        return None;
    }
    let mut edits = Vec::new();
    match missing {
        Missing::Renamed { new, .. } => {
            if is_rebound_by_more(file, new) || names_something_else(&file.imports, new) {
                return None;
            }
            let open = |index: &usize| {
                let number = file.line_of(*index);
                let checked = file.lines.get(number).is_some_and(|line| checks_version(&file.tokens, line));
                file.is_open(number) && !checked || is_asked(index)
            };
            for index in uses.into_iter().filter(open) {
                edits.push(renamed(file, index, new)?);
            }
            file.finish(edits)
        }
        Missing::Call("cmp") if uses.iter().any(|index| on_anchor(index) && !file.tokens.is(index + 1, "(")) => {
            let first = file.line_of(*uses.first()?);
            let is_top = |import: &&super::imports::Import| {
                import.line < first && file.lines.get(import.line).is_some_and(|line| line.indent == 0)
            };
            match file.imports.iter().rev().find(is_top) {
                Some(import) => added(file, file.statement_after(import, &format!("\n\n{CMP}"))?),
                None => added(file, import_statement(file, &format!("{CMP}\n"))?),
            }
        }
        Missing::Call(_) => {
            for index in uses.into_iter().filter(on_anchor) {
                edits.extend(call(file, index)?);
            }
            file.finish(edits)
        }
        Missing::From { name: "reload", .. } if reloads_sys(file) => super::objects::default_encoding(file),
        Missing::From { name, module } => added(file, import_name(file, module, name)?),
        Missing::Module(module) => {
            let is_module = uses.iter().filter(|index| on_anchor(index)).all(|index| file.tokens.is(index + 1, "."));
            let imported = file.imports.iter().any(|import| {
                import.guard == super::lines::Guard::Expected && import.clauses.iter().any(|it| it.name == *module)
            });
            (is_module && !imported)
                .then(|| added(file, import_statement(file, &format!("import {module}"))?))
                .flatten()
        }
        Missing::Similar { right, .. } => {
            let here = uses.iter().all(on_anchor) && !in_texts(file, name);
            for index in &uses {
                edits.push(Edit::replace(file.span(*index, *index)?, right.as_str()));
            }
            (here && is_in_scope(file, right)).then(|| file.finish(edits)).flatten()
        }
    }
}

/// Whether the file gives a name another meaning, other than for a method of a class.
fn is_rebound_by_more(file: &File<'_>, name: &str) -> bool {
    let is_method = |number: usize, index: usize| {
        let indent = file.lines.get(number).map_or(0, |line| line.indent);
        let outer = file.lines.get(..number).unwrap_or_default().iter().rev().find(|line| line.indent < indent);
        file.tokens.follows(index, "def") && outer.is_some_and(|line| file.tokens.is(line.tokens.start, "class"))
    };
    file.lines.iter().enumerate().any(|(number, line)| {
        line.tokens.clone().any(|index| {
            // A parameter that is faster than the global, such as `str=str`, has the same meaning.
            let is_same = file.tokens.is(index + 1, "=") && file.tokens.is(index + 2, name);
            let is_other = in_import(&file.imports, index) || is_method(number, index) || is_same;
            is_bound_here(&file.tokens, line, index, name) && !is_other
        })
    })
}

/// Whether code outside functions binds a name, or the function around the line that failed.
fn is_bound_at_top(file: &File<'_>, name: &str) -> bool {
    let failed = file.anchor.and_then(|line| file.lines.get(line)).map(|line| line.tokens.start);
    let is_here = |start: usize| {
        let around = function_around(file, start);
        around.len() == file.tokens.list.len() || failed.is_some_and(|failed| around.contains(&failed))
    };
    file.lines.iter().any(|line| {
        let is_header =
            line.tokens.clone().any(|index| file.tokens.is(index, "def") || file.tokens.is(index, "lambda"));
        let binds = line.tokens.clone().any(|index| is_bound_here(&file.tokens, line, index, name));
        let is_function = |index: usize| file.tokens.is(index, name) && file.tokens.follows(index, "def");
        binds && (line.tokens.clone().any(is_function) || !is_header && is_here(line.tokens.start))
    })
}

/// Whether a file defines a name, or imports it from another module than `module`. Then a name that is not defined elsewhere
/// may mean this one.
pub(crate) fn defines(source: &[u8], name: &str, module: Option<&str>) -> bool {
    File::parse(source, None).is_some_and(|file| {
        let tokens = &file.tokens;
        let imported = file.imports.iter().any(|import| {
            let from = import.from.as_ref().map(|(from, _)| from.as_str());
            let local = |clause: &super::imports::Clause| clause.alias.as_deref().unwrap_or(&clause.name) == name;
            // The abstract classes and their generic forms in `typing` serve alike.
            let same =
                from == module || from.is_none() || (module == Some("typing") && from == Some("collections.abc"));
            import.clauses.iter().any(local) && !same
        });
        let defined = file.dotted_uses(&[name]).into_iter().any(|index| {
            tokens.follows(index, "def")
                || tokens.follows(index, "class")
                || (tokens.is(index + 1, "=") && {
                    file.lines.get(file.line_of(index)).is_some_and(|line| line.tokens.start == index)
                })
        });
        imported || defined
    })
}

/// The source with an import, which is not on the line that failed.
fn added(file: &File<'_>, edit: Edit) -> Option<Vec<u8>> {
    crate::edit::apply(file.tokens.bytes, vec![edit])
}

/// Whether a name is the keyword of an argument.
fn is_keyword_argument(file: &File<'_>, index: usize) -> bool {
    file.tokens.is(index + 1, "=") && file.tokens.list.get(index).is_some_and(|token| token.depth > 0)
}

/// A use of a builtin under its new name. In a tuple that has the new name already, the old one is dropped.
fn renamed(file: &File<'_>, index: usize, new: &str) -> Option<Edit> {
    let tokens = &file.tokens;
    let plain = || Some(Edit::replace(file.span(index, index)?, new));
    let element = |at: usize| {
        (tokens.follows(at, "(") || tokens.follows(at, ",")) && (tokens.is(at + 1, ",") || tokens.is(at + 1, ")"))
    };
    let depth = tokens.list.get(index)?.depth;
    let open = (0..index).rev().find(|at| tokens.list.get(*at).is_some_and(|token| token.depth < depth));
    let Some(open) = open.filter(|open| element(index) && tokens.is(*open, "(") && tokens.follows(*open, ",")) else {
        return plain();
    };
    let call = Call::at(tokens, open)?;
    let has_new = call.arguments.iter().any(|it| it.len() == 1 && tokens.is(it.start, new));
    if !has_new {
        return plain();
    }
    match call.arguments.len() {
        2 => Some(Edit::replace(file.span(open, call.close)?, new)),
        _ if tokens.follows(index, ",") => {
            let start = tokens.list.get(index - 1)?.start;
            Some(Edit::replace(start..tokens.list.get(index)?.end, ""))
        }
        _ => Some(Edit::replace(tokens.list.get(index)?.start..tokens.list.get(index + 2)?.start, "")),
    }
}

/// A call of a removed builtin as another expression.
fn call(file: &File<'_>, index: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let call = Call::at(tokens, index + 1).filter(|call| !call.has_special(tokens))?;
    let text =
        |range: &Range<usize>| std::str::from_utf8(tokens.bytes.get(file.span(range.start, range.end - 1)?)?).ok();
    let whole = file.span(index, call.close)?;
    match (tokens.text(index), call.arguments.as_slice()) {
        (b"file", [_] | [_, _] | [_, _, _]) => Some(vec![Edit::replace(file.span(index, index)?, "open")]),
        (b"execfile", [path]) => {
            let path = text(path)?;
            Some(vec![Edit::replace(whole, format!("exec(compile(open({path}, 'rb').read(), {path}, 'exec'))"))])
                .filter(|_| is_plain(tokens, call.arguments.first().unwrap_or(&(0..0))))
        }
        (b"apply", [function, list]) if is_plain(tokens, function) => {
            Some(vec![Edit::replace(whole, format!("{}(*{})", text(function)?, text(list)?))])
        }
        (b"cmp", [a, b]) if is_plain(tokens, a) && is_plain(tokens, b) => {
            let (a, b) = (text(a)?, text(b)?);
            Some(vec![Edit::replace(whole, format!("(({a} > {b}) - ({a} < {b}))"))])
        }
        _ => None,
    }
}

/// Whether the line that failed is `reload(sys)`.
fn reloads_sys(file: &File<'_>) -> bool {
    let line = file.anchor.and_then(|line| file.lines.get(line));
    line.is_some_and(|line| {
        let first = line.tokens.start;
        line.tokens.len() == 4 && file.tokens.is(first, "reload") && file.tokens.is(first + 2, "sys")
    })
}

/// Whether a string of the file is this name, so that code may look it up or define it.
fn in_texts(file: &File<'_>, name: &str) -> bool {
    file.tokens.list.iter().enumerate().any(|(index, token)| {
        token.kind == Kind::Text
            && std::str::from_utf8(file.tokens.text(index)).is_ok_and(|text| text.trim_matches(['\'', '"']) == name)
    })
}

/// Whether a name is a builtin, or bound at the top level or in the function around the line that failed.
fn is_in_scope(file: &File<'_>, name: &str) -> bool {
    let Some(line) = file.anchor.and_then(|line| file.lines.get(line)) else { return false };
    let failed = line.tokens.start;
    let around = function_around(file, failed);
    // The parameters of a function are on the line that begins it.
    let reachable = |start: usize| start == around.start || function_around(file, start).contains(&failed);
    let bound = file.lines.iter().any(|line| {
        let binds = line.tokens.clone().any(|index| is_bound_here(&file.tokens, line, index, name));
        binds && reachable(line.tokens.start)
    });
    let imported = file.imports.iter().any(|import| {
        let names = |clause: &super::imports::Clause| clause.alias.as_deref().unwrap_or(&clause.name) == name;
        import.clauses.iter().any(names) && reachable(import.tokens.start)
    });
    bound || imported || BUILTINS.contains(&name)
}

/// Whether two names differ by so little that one is a misspelling of the other: by one letter, or by two if they are long.
fn is_similar(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let most = if a.len().min(b.len()) >= 6 { 2 } else { 1 };
    a.len() >= 3 && a.len() <= 64 && b.len() <= 64 && a != b && distance(&a, &b) <= most
}

/// The number of letters to add, remove, replace or swap with the next one.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let above = rows.get(i).and_then(|row| row.get(j + 1)).map_or(0, |cost| cost + 1);
            let left = row.get(j).map_or(0, |cost| cost + 1);
            let diagonal = rows.get(i).and_then(|row| row.get(j)).map_or(0, |cost| cost + usize::from(x != y));
            let mut cost = above.min(left).min(diagonal);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                let two_back = rows.get(i - 1).and_then(|row| row.get(j - 1)).map_or(cost, |cost| cost + 1);
                cost = cost.min(two_back);
            }
            row.push(cost);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or(usize::MAX)
}

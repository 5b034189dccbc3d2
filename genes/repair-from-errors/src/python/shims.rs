//! Functions and classes of the standard library that were removed without a successor, and that a file can define itself. The
//! definitions stand before the first import of the file.

use super::clauses::removal;
use super::file::File;
use super::imports::Import;
use super::insert::import_statement;
use super::table;
use crate::edit::{Edit, line_ending};

/// Names of `inspect` that Python 3.11 removed, each with a definition of the same meaning. A definition may use those above it.
const INSPECT: [(&str, &str); 3] = [
    ("ArgSpec", "ArgSpec = _collections.namedtuple('ArgSpec', 'args varargs keywords defaults')\n"),
    (
        "getargspec",
        "
def getargspec(function):
    spec = _inspect.getfullargspec(function)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError('keyword-only parameters and annotations need getfullargspec')
    return ArgSpec(*spec[:4])

",
    ),
    (
        "formatargspec",
        "
def formatargspec(args, varargs=None, varkw=None, defaults=None, kwonlyargs=(), kwonlydefaults=None, annotations=None,
                  formatarg=str, formatvarargs=lambda name: '*' + name, formatvarkw=lambda name: '**' + name,
                  formatvalue=lambda value: '=' + repr(value), formatreturns=lambda text: ' -> ' + text,
                  formatannotation=_inspect.formatannotation):
    hints = annotations or {}
    values = dict(kwonlydefaults or {})
    if defaults:
        values.update(zip(args[-len(defaults):], defaults))

    def named(name):
        return formatarg(name) + (': ' + formatannotation(hints[name]) if name in hints else '')

    def valued(name):
        return named(name) + (formatvalue(values[name]) if name in values else '')

    parts = [valued(name) for name in args]
    if varargs:
        parts.append(formatvarargs(named(varargs)))
    elif kwonlyargs:
        parts.append('*')
    parts.extend(valued(name) for name in kwonlyargs)
    if varkw:
        parts.append(formatvarkw(named(varkw)))
    returns = formatreturns(formatannotation(hints['return'])) if 'return' in hints else ''
    return '(' + ', '.join(parts) + ')' + returns

",
    ),
];

/// The class of `UserDict` that Python 3.0 removed: a mapping made of `keys` and the methods for one item.
const MIXIN: [(&str, &str); 1] = [(
    "DictMixin",
    "
class DictMixin:
    get, items, values = _Mapping.get, _Mapping.items, _Mapping.values
    clear, pop, popitem = _Mapping.clear, _Mapping.pop, _Mapping.popitem
    setdefault, update = _Mapping.setdefault, _Mapping.update
    __contains__, __eq__ = _Mapping.__contains__, _Mapping.__eq__
    __hash__ = None

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(list(self.keys()))

    def __repr__(self):
        return repr(dict(self.items()))

",
)];

/// The functions of `operator` for slices that Python 3.0 removed.
const OPERATOR: [(&str, &str); 3] = [
    ("delslice", "\ndef delslice(a, b, c):\n    del a[b:c]\n\n"),
    ("getslice", "\ndef getslice(a, b, c):\n    return a[b:c]\n\n"),
    ("setslice", "\ndef setslice(a, b, c, items):\n    a[b:c] = items\n\n"),
];

/// The function of `code` that Python 3.0 removed.
const CODE: [(&str, &str); 1] = [(
    "softspace",
    "
def softspace(file, value):
    before = getattr(file, 'softspace', 0)
    try:
        file.softspace = value
    except (AttributeError, TypeError):
        pass
    return before

",
)];

/// The error that Python 3.5 removed, which the parser no longer raised.
const HTML: [(&str, &str); 1] = [(
    "HTMLParseError",
    "
class HTMLParseError(Exception):
    def __init__(self, msg, position=(None, None)):
        self.msg = msg
        self.lineno, self.offset = position

    def __str__(self):
        return self.msg

",
)];

/// The definitions for a module, and the imports that they need.
fn definitions(module: &str) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match module {
        "inspect" => ("import collections as _collections\nimport inspect as _inspect\n\n", &INSPECT),
        "UserDict" => ("from collections.abc import MutableMapping as _Mapping\n\n", &MIXIN),
        "operator" => ("", &OPERATOR),
        "code" => ("", &CODE),
        "HTMLParser" => ("", &HTML),
        _ => ("", &[]),
    }
}

/// Whether a name of a module can be defined by a file that uses it.
pub(crate) fn has(module: &str, name: &str) -> bool {
    definitions(module).1.iter().any(|(known, _)| *known == name)
}

/// The source with definitions of the removed names of a module that it uses. `None` if it uses none, or if one of them has
/// another meaning in the file.
pub(crate) fn repair(file: &File<'_>, module: &str) -> Option<Vec<u8>> {
    let (imports, all) = definitions(module);
    let mut edits = Vec::new();
    let mut used = Vec::new();
    for import in file.imports.iter().filter(|import| import.is_from(module) && file.is_open(import.line)) {
        let is_removed = |name: &str| has(module, name);
        let places: Vec<usize> = (0..import.clauses.len())
            .filter(|place| import.clauses.get(*place).is_some_and(|clause| is_removed(&clause.name)))
            .collect();
        let clauses = places.iter().filter_map(|place| import.clauses.get(*place));
        for clause in clauses {
            if clause.alias.is_some() {
                return None;
            }
            used.push(clause.name.as_str());
        }
        if !places.is_empty() {
            edits.extend(without(file, import, &places)?);
        }
    }
    let clauses = file.imports.iter().filter(|import| import.from.is_none()).flat_map(|import| &import.clauses);
    let local = clauses.filter(|it| it.name == module).map(|it| it.alias.as_deref().unwrap_or(module)).next();
    for (name, _) in all {
        for first in local.into_iter().flat_map(|local| file.dotted_uses(&[local, name])) {
            if file.is_open(file.line_of(first)) {
                edits.push(Edit::replace(file.span(first, first + 2)?, *name));
                used.push(name);
            }
        }
    }
    let is_own = |import: &&Import| import.from.is_none() && import.clauses.iter().all(|it| it.name == module);
    if let Some(import) = file.imports.iter().find(is_own).filter(|_| table::is_gone(module)) {
        // A module that no longer exists is imported only for what the file still takes from it.
        let count = file.dotted_uses(&[module]).into_iter().filter(|index| !import.tokens.contains(index)).count();
        if count == edits.len() {
            edits.extend(without(file, import, &[0])?);
        }
    }
    if used.is_empty() || used.iter().any(|name| is_defined(file, module, name)) {
        return None;
    }
    let needs_tuple = used.contains(&"getargspec");
    let wanted = |name: &str| used.contains(&name) || needs_tuple && name == "ArgSpec";
    let definitions = all.iter().filter(|(name, _)| wanted(name)).map(|(_, text)| *text);
    let text: String = [imports].into_iter().chain(definitions).collect();
    let ending = line_ending(file.tokens.bytes, 0);
    let text = text.trim().to_owned() + "\n\n";
    edits.push(import_statement(file, &text.replace('\n', ending))?);
    file.finish(edits)
}

/// The edits that remove these names of an import, or all of it.
fn without(file: &File<'_>, import: &Import, places: &[usize]) -> Option<Vec<Edit>> {
    if places.len() < import.clauses.len() {
        return removal(file.tokens.bytes, import, places);
    }
    let line = file.lines.get(import.line).filter(|_| import.alone)?;
    if line.indent == 0 {
        return Some(vec![Edit::replace(file.whole_lines(&line.tokens)?, "")]);
    }
    // A block must not become empty.
    Some(vec![Edit::replace(file.span(line.tokens.start, import.tokens.end.checked_sub(1)?)?, "pass")])
}

/// Whether the file binds a name by itself.
fn is_defined(file: &File<'_>, module: &str, name: &str) -> bool {
    super::bindings::is_rebound(&file.tokens, &file.lines, &file.imports, name)
        || file.imports.iter().any(|import| {
            !import.is_from(module) && import.clauses.iter().any(|it| it.alias.as_deref().unwrap_or(&it.name) == name)
        })
}

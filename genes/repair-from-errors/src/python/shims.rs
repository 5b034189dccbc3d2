//! Functions of the standard library that were removed without a successor, and that a file can define itself. The
//! definitions stand before the first import of the file.

use super::clauses::removal;
use super::file::File;
use super::imports::Import;
use super::insert::import_statement;
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

/// The names that a definition needs.
const IMPORTS: &str = "import collections as _collections\nimport inspect as _inspect\n\n";

/// Whether a name of a module can be defined by a file that uses it.
pub(crate) fn has(module: &str, name: &str) -> bool {
    module == "inspect" && INSPECT.iter().any(|(known, _)| *known == name)
}

/// The source with definitions of the removed names of `inspect` that it uses. `None` if it uses none, or if one of them has
/// another meaning in the file.
pub(crate) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let mut edits = Vec::new();
    let mut used = Vec::new();
    for import in file.imports.iter().filter(|import| import.is_from("inspect") && file.is_open(import.line)) {
        let is_removed = |name: &str| has("inspect", name);
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
    let is_imported = file.imports.iter().any(|import| {
        import.from.is_none() && import.clauses.iter().any(|it| it.name == "inspect" && it.alias.is_none())
    });
    for (name, _) in INSPECT {
        for first in file.dotted_uses(&["inspect", name]).into_iter().filter(|_| is_imported) {
            if file.is_open(file.line_of(first)) {
                edits.push(Edit::replace(file.span(first, first + 2)?, name));
                used.push(name);
            }
        }
    }
    if used.is_empty() || used.iter().any(|name| is_defined(file, name)) {
        return None;
    }
    let needs_tuple = used.contains(&"getargspec");
    let wanted = |name: &str| used.contains(&name) || needs_tuple && name == "ArgSpec";
    let definitions = INSPECT.iter().filter(|(name, _)| wanted(name)).map(|(_, text)| *text);
    let text: String = [IMPORTS].into_iter().chain(definitions).collect();
    let ending = line_ending(file.tokens.bytes, 0);
    let text = text.trim_end().to_owned() + "\n\n";
    edits.push(import_statement(file, &text.replace('\n', ending))?);
    file.finish(edits)
}

/// The edits that remove these names of an import, or all of it.
fn without(file: &File<'_>, import: &Import, places: &[usize]) -> Option<Vec<Edit>> {
    if places.len() < import.clauses.len() {
        return removal(file.tokens.bytes, import, places);
    }
    let line = file.lines.get(import.line).filter(|_| import.alone)?;
    let span = file.span(line.tokens.start, import.tokens.end.checked_sub(1)?)?;
    // A block must not become empty.
    Some(vec![Edit::replace(span, if line.indent == 0 { "" } else { "pass" })])
}

/// Whether the file binds a name by itself.
fn is_defined(file: &File<'_>, name: &str) -> bool {
    super::bindings::is_rebound(&file.tokens, &file.lines, &file.imports, name)
        || file.imports.iter().any(|import| {
            !import.is_from("inspect")
                && import.clauses.iter().any(|it| it.alias.as_deref().unwrap_or(&it.name) == name)
        })
}

//! Methods whose calls another expression replaces: `d.has_key(k)` is `k in d`, `i.next()` is `next(i)`.

use super::super::calls::{Call, is_primary, receiver};
use super::super::file::File;
use crate::edit::Edit;

/// A method that was removed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Types that had the method, as messages name them.
    owners: &'static [&'static str],
    /// The method.
    pub(crate) name: &'static str,
    /// What replaces it, for a reader.
    pub(crate) now: &'static str,
    /// Why.
    pub(crate) why: &'static str,
    /// Whether all calls in the file are replaced, because no other type has a method with this name.
    everywhere: bool,
}

const ROWS: [Row; 3] = [
    Row {
        owners: &[
            "Counter",
            "HTTPMessage",
            "Message",
            "QueryDict",
            "_Environ",
            "collections.OrderedDict",
            "collections.defaultdict",
            "dict",
            "mappingproxy",
        ],
        name: "has_key",
        now: "the operator in",
        why: "dict.has_key was removed in Python 3.0",
        everywhere: true,
    },
    Row {
        owners: &["xml.etree.ElementTree.Element"],
        name: "getchildren",
        now: "list()",
        why: "Element.getchildren was removed in Python 3.9",
        everywhere: true,
    },
    Row {
        owners: &[
            "_csv.reader",
            "_io.BufferedReader",
            "_io.StringIO",
            "_io.TextIOWrapper",
            "callable_iterator",
            "dict_itemiterator",
            "dict_keyiterator",
            "dict_valueiterator",
            "enumerate",
            "filter",
            "generator",
            "itertools.chain",
            "itertools.count",
            "itertools.cycle",
            "itertools.islice",
            "itertools.repeat",
            "list_iterator",
            "map",
            "range_iterator",
            "reversed",
            "set_iterator",
            "str_ascii_iterator",
            "str_iterator",
            "tuple_iterator",
            "zip",
        ],
        name: "next",
        now: "next()",
        why: "the method next of iterators is called __next__ since Python 3.0",
        everywhere: false,
    },
];

/// The row for a method of a type.
pub(super) fn row(owner: &str, name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name && row.owners.contains(&owner))
}

/// The source with the calls replaced; `None` if the file defines such a method itself.
pub(super) fn repair(file: &File<'_>, row: &Row) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let (mut edits, mut values) = (Vec::new(), Vec::new());
    for index in 2..tokens.list.len() {
        let line = file.line_of(index);
        let wanted = if row.everywhere { file.is_open(line) } else { file.anchor == Some(line) };
        if !tokens.is(index, row.name) {
            continue;
        }
        if tokens.follows(index, "def") && row.everywhere {
            return None;
        }
        if wanted && tokens.follows(index, ".") && tokens.is(index + 1, "(") {
            edits.extend(replaced(file, index, row)?);
        } else if wanted && tokens.follows(index, ".") && !tokens.is(index + 1, "=") {
            // The method itself.
            let now = match row.name {
                "next" => "__next__",
                "has_key" => "__contains__",
                _ => continue,
            };
            values.push(Edit::replace(file.span(index, index)?, now));
        }
    }
    // A line may call the method of several objects, of which not all may be of this type.
    let is_one = edits.len() == 2 && values.is_empty() || edits.is_empty() && values.len() == 1;
    if !row.everywhere && !is_one {
        return None;
    }
    edits.append(&mut values);
    file.finish(edits)
}

/// The edits for one call of the method at `index`.
fn replaced(file: &File<'_>, index: usize, row: &Row) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let first = receiver(tokens, index.checked_sub(2)?)?;
    let call = Call::at(tokens, index + 1)?;
    let (start, dot) = (tokens.list.get(first)?.start, tokens.list.get(index - 1)?.start);
    let end = tokens.list.get(call.close)?.end;
    if row.name != "has_key" {
        let now = if row.name == "next" { "next(" } else { "list(" };
        let fits = call.arguments.is_empty();
        return fits.then(|| vec![Edit::insert(start, now), Edit::replace(dot..end, ")")]);
    }
    let [key] = call.arguments.as_slice() else { return None };
    if call.has_special(tokens) {
        return None;
    }
    let text = |first: usize, last: usize| std::str::from_utf8(tokens.bytes.get(file.span(first, last)?)?).ok();
    let owner = text(first, index - 2)?;
    let name = text(key.start, key.end - 1)?;
    let name = if is_primary(tokens, key) || key.len() == 1 { name.to_owned() } else { format!("({name})") };
    let before = ["if", "elif", "while", "and", "or", "return", "=", "(", "assert", "lambda"];
    let opens = first == 0
        || before.iter().any(|word| tokens.follows(first, word))
        || tokens.list.get(first - 1).is_some_and(|token| token.kind == super::super::tokens::Kind::Newline);
    let after = [":", "and", "or", ")", "else", "if"];
    let closes = after.iter().any(|word| tokens.is(call.close + 1, word))
        || tokens.list.get(call.close + 1).is_none_or(|token| token.kind == super::super::tokens::Kind::Newline);
    let denied = tokens.follows(first, "not");
    if denied && closes {
        let start = tokens.list.get(first - 1)?.start;
        return Some(vec![Edit::replace(start..end, format!("{name} not in {owner}"))]);
    }
    let now = if opens && closes { format!("{name} in {owner}") } else { format!("({name} in {owner})") };
    Some(vec![Edit::replace(start..end, now)])
}

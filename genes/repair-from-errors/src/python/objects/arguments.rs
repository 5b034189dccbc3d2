//! Arguments that were removed or renamed, and arguments that are needed now.

use std::ops::Range;

use super::super::calls::{Call, is_operand_name, is_plain, is_primary};
use super::super::file::File;
use super::super::insert::import_module;
use super::super::tokens::Kind;
use crate::edit::{Edit, apply};

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// The argument of this name goes.
    Without(&'static str),
    /// The argument gets another name.
    Named(&'static str, &'static str),
    /// The argument with this value becomes another one: name, value, new name and value.
    Valued(&'static str, &'static str, &'static str),
    /// The argument `method` becomes the method itself.
    Filled,
    /// Each item of the first argument becomes a task.
    Tasks,
    /// The argument is added.
    Added(&'static str),
    /// The function gets another name.
    Callee(&'static str),
    /// The comparison becomes a key.
    Key,
    /// The first argument becomes a list.
    Listed,
    /// The text becomes bytes: the first argument, or the second one of `new`.
    Encoded,
    /// The first argument becomes bytes.
    EncodedKey,
}

/// A message, the calls that it means, and what happens to them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// How the message begins; `*` stands for a name.
    message: &'static str,
    /// The last names of the functions.
    callees: &'static [&'static str],
    /// The name before the function: a module, or empty for any.
    owner: &'static str,
    change: Change,
    /// Whether all such calls in the file change.
    everywhere: bool,
    /// What to do.
    pub(crate) what: &'static str,
    /// Why.
    pub(crate) why: &'static str,
}

const ASYNCIO: &[&str] = &[
    "BoundedSemaphore",
    "Condition",
    "Event",
    "Lock",
    "LifoQueue",
    "PriorityQueue",
    "Queue",
    "Semaphore",
    "as_completed",
    "gather",
    "open_connection",
    "shield",
    "sleep",
    "start_server",
    "wait",
    "wait_for",
];

const fn row(
    message: &'static str,
    owner: &'static str,
    callees: &'static [&'static str],
    change: Change,
    texts: (&'static str, &'static str),
) -> Row {
    Row { message, callees, owner, change, everywhere: matches!(change, Change::Added(_)), what: texts.0, why: texts.1 }
}

const LOOP: (&str, &str) = ("remove the argument loop", "Python 3.10 removed the argument loop of asyncio's functions");
const ENCODING: (&str, &str) = (
    "remove the argument encoding",
    "Python 3.9 removed the argument encoding of json's functions, which had no effect",
);
const SORT: (&str, &str) = ("turn the comparison into a key", "Python 3.0 removed the comparison of sort and sorted");
const ON_DELETE: (&str, &str) =
    ("name what happens on delete", "Django 2.0 has no default for on_delete; it was CASCADE before");
const FILLED: (&str, &str) = ("call ffill or bfill", "pandas 3.0 removed the argument method of fillna");
/// Functions that read tables.
const READERS: &[&str] = &["read_csv", "read_fwf", "read_table"];
/// Functions of `hashlib` and methods of its objects. The text is the first argument, and the second one of `new`.
const HASHES: &[&str] =
    &["blake2b", "blake2s", "md5", "new", "sha", "sha1", "sha224", "sha256", "sha384", "sha512", "update"];
/// Functions and methods that take bytes only.
const BYTES: &[&str] = &[
    "BytesIO",
    "adler32",
    "b16encode",
    "b32encode",
    "b64encode",
    "crc32",
    "encodebytes",
    "hexlify",
    "send",
    "sendall",
    "standard_b64encode",
    "urlsafe_b64encode",
    "write",
];
/// Those of them whose result is bytes as well. Who gives them text goes on with text.
const TEXTUAL: [&str; 7] =
    ["b16encode", "b32encode", "b64encode", "encodebytes", "hexlify", "standard_b64encode", "urlsafe_b64encode"];
const HASHING: (&str, &str) =
    ("encode the text as UTF-8", "hashes are made of bytes since Python 3.0, and not of text");
const BYTES_ONLY: (&str, &str) = ("encode the text as UTF-8", "the function takes bytes since Python 3.0, and no text");
const SAMPLE: (&str, &str) = ("sample from a list", "Python 3.11 does not sample from sets");

/// Sources: "What's New In Python" for 3.0, 3.9, 3.10 and 3.11, and the release notes of Django 2.0, attrs 19.2,
/// pandas 1.3, 2.0, 2.2 and 3.0, pytest 5.0, scikit-learn 1.2 and 1.4, urllib3 2.0, Matplotlib 3.1 and 3.6, `NumPy` 1.24, `PyYAML` 6.0.
const ROWS: [Row; 40] = [
    row("As of 3.10, the *loop* parameter was removed from ", "asyncio", ASYNCIO, Change::Without("loop"), LOOP),
    row("* got an unexpected keyword argument 'loop'", "asyncio", ASYNCIO, Change::Without("loop"), LOOP),
    row(
        "JSONDecoder.__init__() got an unexpected keyword argument 'encoding'",
        "json",
        &["load", "loads"],
        Change::Without("encoding"),
        ENCODING,
    ),
    row(
        "__init__() got an unexpected keyword argument 'encoding'",
        "json",
        &["load", "loads"],
        Change::Without("encoding"),
        ENCODING,
    ),
    row("'cmp' is an invalid keyword argument for ", "", &["sort", "sorted"], Change::Key, SORT),
    row("* got an unexpected keyword argument 'cmp'", "", &["sort", "sorted"], Change::Key, SORT),
    row("sort() takes no positional arguments", "", &["sort"], Change::Key, SORT),
    row("sorted expected 1 argument, got 2", "", &["sorted"], Change::Key, SORT),
    row(
        "Missing required parameter 'digestmod'.",
        "hmac",
        &["new"],
        Change::Added("digestmod='md5'"),
        ("name the digest", "hmac.new has no default for digestmod since Python 3.8; it was MD5 before"),
    ),
    row(
        "JSONEncoder.__init__() got an unexpected keyword argument 'encoding'",
        "json",
        &["dump", "dumps"],
        Change::Without("encoding"),
        ("remove the argument encoding", "Python 3.0 removed the argument encoding of json.dumps: all text is Unicode"),
    ),
    row(
        "HTTPConnection.__init__() got an unexpected keyword argument 'strict'",
        "",
        &["HTTPConnection", "HTTPSConnection"],
        Change::Without("strict"),
        ("remove the argument strict", "Python 3.4 removed the argument strict of HTTPConnection"),
    ),
    row(
        "* got an unexpected keyword argument 'unicode'",
        "",
        &["install"],
        Change::Without("unicode"),
        ("remove the argument unicode", "gettext has only Unicode since Python 3.0"),
    ),
    row(
        "* got an unexpected keyword argument 'codeset'",
        "gettext",
        &["install", "translation"],
        Change::Without("codeset"),
        ("remove the argument codeset", "Python 3.11 removed the argument codeset of gettext's functions"),
    ),
    row("Strings must be encoded before hashing", "", HASHES, Change::Encoded, HASHING),
    row("Unicode-objects must be encoded before hashing", "", HASHES, Change::Encoded, HASHING),
    row("key: expected bytes or bytearray, but got 'str'", "hmac", &["new"], Change::EncodedKey, HASHING),
    row("a bytes-like object is required, not 'str'", "", BYTES, Change::Encoded, BYTES_ONLY),
    row("expected bytes-like object, not str", "", &["decodebytes", "encodebytes"], Change::Encoded, BYTES_ONLY),
    row("Population must be a sequence.", "random", &["sample"], Change::Listed, SAMPLE),
    row(
        "* missing 1 required positional argument: 'on_delete'",
        "models",
        &["ForeignKey", "OneToOneField"],
        Change::Added("on_delete=models.CASCADE"),
        ON_DELETE,
    ),
    row(
        "load() missing 1 required positional argument: 'Loader'",
        "yaml",
        &["load"],
        Change::Callee("safe_load"),
        ("load plain data only", "PyYAML 6.0 requires a loader, and safe_load is the one for plain data"),
    ),
    row(
        "* got an unexpected keyword argument 'line_terminator'",
        "",
        &["to_csv"],
        Change::Named("line_terminator", "lineterminator"),
        ("use the argument lineterminator", "pandas 2.0 renamed line_terminator"),
    ),
    row(
        "* got an unexpected keyword argument 'error_bad_lines'",
        "",
        READERS,
        Change::Valued("error_bad_lines", "False", "on_bad_lines='warn'"),
        ("use the argument on_bad_lines", "pandas 2.0 removed error_bad_lines"),
    ),
    row(
        "* got an unexpected keyword argument 'delim_whitespace'",
        "",
        READERS,
        Change::Valued("delim_whitespace", "True", "sep=r'\\s+'"),
        ("name the separator", "pandas 3.0 removed delim_whitespace"),
    ),
    row("* got an unexpected keyword argument 'method'", "", &["fillna"], Change::Filled, FILLED),
    row(
        "* got an unexpected keyword argument 'squeeze'",
        "",
        READERS,
        Change::Valued("squeeze", "False", ""),
        ("remove the argument squeeze", "pandas 2.0 removed the argument squeeze, and False was its default"),
    ),
    row(
        "Unexpected keyword arguments passed to pytest.raises: message",
        "",
        &["raises"],
        Change::Without("message"),
        ("remove the argument message", "pytest 5.0 removed the argument message of raises"),
    ),
    row(
        "Passing coroutines is forbidden, use tasks explicitly.",
        "asyncio",
        &["wait"],
        Change::Tasks,
        ("make a task of each coroutine", "asyncio.wait takes no coroutines since Python 3.11"),
    ),
    row(
        "* got an unexpected keyword argument 'convert'",
        "attr",
        &["attrib", "ib"],
        Change::Named("convert", "converter"),
        ("use the argument converter", "attrs 19.2 renamed convert"),
    ),
    row(
        "* got an unexpected keyword argument 'mimetype'",
        "",
        &["HttpResponse"],
        Change::Named("mimetype", "content_type"),
        ("use the argument content_type", "Django 1.7 renamed mimetype"),
    ),
    row(
        "OneHotEncoder.__init__() got an unexpected keyword argument 'sparse'",
        "",
        &["OneHotEncoder"],
        Change::Named("sparse", "sparse_output"),
        ("use the argument sparse_output", "scikit-learn 1.4 removed the old name sparse"),
    ),
    row(
        "* got an unexpected keyword argument 'base_estimator'",
        "",
        &["AdaBoostClassifier", "AdaBoostRegressor", "BaggingClassifier", "BaggingRegressor"],
        Change::Named("base_estimator", "estimator"),
        ("use the argument estimator", "scikit-learn 1.4 removed the old name base_estimator"),
    ),
    row(
        "AgglomerativeClustering.__init__() got an unexpected keyword argument 'affinity'",
        "",
        &["AgglomerativeClustering"],
        Change::Named("affinity", "metric"),
        ("use the argument metric", "scikit-learn 1.4 removed the old name affinity"),
    ),
    row(
        "Retry.__init__() got an unexpected keyword argument 'method_whitelist'",
        "",
        &["Retry"],
        Change::Named("method_whitelist", "allowed_methods"),
        ("use the argument allowed_methods", "urllib3 2.0 removed the old name method_whitelist"),
    ),
    row(
        "* got an unexpected keyword argument 'normed'",
        "",
        &["hist", "histogram", "histogram2d", "histogramdd"],
        Change::Named("normed", "density"),
        ("use the argument density", "Matplotlib 3.1 and NumPy 1.24 removed the old name normed"),
    ),
    row(
        "Rectangle.set() got an unexpected keyword argument 'normed'",
        "",
        &["hist"],
        Change::Named("normed", "density"),
        ("use the argument density", "Matplotlib 3.1 removed the old name normed"),
    ),
    row(
        "'Rectangle' object has no property 'normed'",
        "",
        &["hist"],
        Change::Named("normed", "density"),
        ("use the argument density", "Matplotlib 3.1 removed the old name normed"),
    ),
    row(
        "* got an unexpected keyword argument 'projection'",
        "",
        &["gca"],
        Change::Callee("add_subplot"),
        ("call add_subplot instead of gca", "Matplotlib 3.6 accepts projection only in add_subplot"),
    ),
    row(
        "* got an unexpected keyword argument 'cols'",
        "",
        &["drop_duplicates", "duplicated"],
        Change::Named("cols", "subset"),
        ("use the argument subset", "pandas 0.17 renamed cols"),
    ),
    row(
        "* got an unexpected keyword argument 'sheetname'",
        "",
        &["read_excel", "parse"],
        Change::Named("sheetname", "sheet_name"),
        ("use the argument sheet_name", "pandas 0.25 renamed sheetname"),
    ),
];

/// The row for a message, and for the failing line as the log shows it.
pub(super) fn row_for(message: &str, shown: &str) -> Option<&'static Row> {
    // The message is the same for whatever takes bytes only.
    let is_meant = |row: &&Row| row.callees != BYTES || takes_bytes(shown);
    ROWS.iter().filter(is_meant).find(|row| match row.message.strip_prefix('*') {
        None => message.starts_with(row.message),
        Some(end) => message.strip_suffix(end).and_then(|name| name.strip_suffix("()")).is_some_and(|name| {
            let parts: Vec<&str> = name.split('.').collect();
            let callee = parts.iter().rev().find(|part| **part != "__init__").copied().unwrap_or_default();
            row.callees.contains(&callee) || callee == "attrib"
        }),
    })
}

/// Whether a line calls a function that takes bytes only.
pub(super) fn takes_bytes(shown: &str) -> bool {
    shown.is_empty() || BYTES.iter().any(|name| shown.contains(&format!("{name}(")))
}

/// The source with the call on the failing line changed. `None` unless there is exactly one such call, or all are meant.
pub(super) fn repair(file: &File<'_>, row: &Row) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let anchor = file.anchor?;
    let mut edits = Vec::new();
    let mut here = 0;
    for index in 0..tokens.list.len() {
        let line = file.line_of(index);
        let is_callee = row.callees.iter().any(|name| tokens.is(index, name)) && tokens.is(index + 1, "(");
        if !is_callee || tokens.follows(index, "def") || !(line == anchor || row.everywhere && file.is_open(line)) {
            continue;
        }
        if !is_owned(file, index, row) {
            continue;
        }
        let call = Call::at(tokens, index + 1)?;
        let Some(more) = changed(file, index, &call, row.change) else { continue };
        here += usize::from(line == anchor);
        edits.extend(more);
    }
    if here == 0 || (here > 1 && !row.everywhere) {
        return None;
    }
    if row.change == Change::Key {
        edits.extend(import_module(file, "functools")?);
    }
    apply(tokens.bytes, edits)
}

/// Whether the callee is a name of the row's module.
fn is_owned(file: &File<'_>, index: usize, row: &Row) -> bool {
    let tokens = &file.tokens;
    if row.owner.is_empty() {
        return true;
    }
    if tokens.follows(index, ".") {
        let owner = index.checked_sub(2);
        return owner.is_some_and(|owner| {
            let name = tokens.text(owner);
            let alias = |import: &super::super::imports::Import| {
                import.from.is_none()
                    && import.clauses.iter().any(|it| {
                        it.name == row.owner && it.alias.as_deref().is_some_and(|alias| alias.as_bytes() == name)
                    })
            };
            tokens.is(owner, row.owner) || file.imports.iter().any(alias)
        });
    }
    let is_named = |import: &super::super::imports::Import| {
        import.is_from(row.owner)
            && import.clauses.iter().any(|it| it.alias.is_none() && it.name.as_bytes() == tokens.text(index))
    };
    file.imports.iter().any(is_named) && !matches!(row.change, Change::Added(_) | Change::Callee(_))
}

/// The edits for one call; `None` if it does not have the argument.
fn changed(file: &File<'_>, callee: usize, call: &Call, change: Change) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    match change {
        Change::Without(name) => Some(vec![Edit::replace(removed(file, call, &call.named(tokens, name)?)?, "")]),
        Change::Named(old, new) => {
            let argument = call.named(tokens, old)?;
            Some(vec![Edit::replace(file.span(argument.start, argument.start)?, new)])
        }
        Change::Valued(name, value, now) => {
            let argument = call.named(tokens, name)?;
            let is_it = argument.len() == 3 && tokens.is(argument.start + 2, value);
            // Another argument says already what the new one would.
            let key = now.split('=').next()?;
            let is_said = ["warn_bad_lines", key].iter().any(|key| call.named(tokens, key).is_some());
            let span = if now.is_empty() {
                removed(file, call, &argument)?
            } else {
                file.span(argument.start, argument.end - 1)?
            };
            (is_it && !is_said).then(|| vec![Edit::replace(span, now)])
        }
        Change::Filled => {
            let argument = call.named(tokens, "method").filter(|it| it.len() == 3)?;
            let now = match tokens.text(argument.start + 2).get(1..)?.split_last()?.1 {
                b"ffill" | b"pad" => "ffill",
                b"bfill" | b"backfill" => "bfill",
                _ => return None,
            };
            let is_valued = call.named(tokens, "value").is_some() || !tokens.is(call.arguments.first()?.start + 1, "=");
            let edits = vec![
                Edit::replace(file.span(callee, callee)?, now),
                Edit::replace(removed(file, call, &argument)?, ""),
            ];
            (!is_valued).then_some(edits)
        }
        Change::Tasks => {
            let first =
                call.arguments.first().filter(|it| !tokens.is(it.start, "*") && !tokens.is(it.start + 1, "="))?;
            let span = file.span(first.start, first.end - 1)?;
            let start = Edit::insert(span.start, "[asyncio.ensure_future(it) for it in ");
            tokens.follows(callee, ".").then(|| vec![start, Edit::insert(span.end, "]")])
        }
        Change::Added(text) => {
            let name = text.split('=').next()?;
            let unpacked = call.arguments.iter().any(|it| tokens.is(it.start, "**") || tokens.is(it.start, "*"));
            if call.named(tokens, name).is_some() || unpacked || call.arguments.is_empty() {
                return None;
            }
            // The second positional argument is on_delete itself, and the third one digestmod.
            let most = if name == "digestmod" { 2 } else { 1 };
            let positional = call.arguments.iter().filter(|it| !tokens.is(it.start + 1, "=")).count();
            let last = call.arguments.last()?;
            let at = tokens.list.get(last.end - 1)?.end;
            (positional <= most).then(|| vec![Edit::insert(at, format!(", {text}"))])
        }
        Change::Callee(new) => {
            let fits = new != "safe_load" || (call.arguments.len() == 1 && !call.has_special(tokens));
            fits.then(|| Some(vec![Edit::replace(file.span(callee, callee)?, new)])).flatten()
        }
        Change::Key => {
            let positional = usize::from(tokens.is(callee, "sorted"));
            let is_last = call.arguments.len() == positional + 1 && !call.has_special(tokens);
            let named = call.named(tokens, "cmp").map(|named| named.start + 2..named.end);
            let value = named.or_else(|| call.arguments.get(positional).filter(|_| is_last).cloned())?;
            let is_none = value.len() == 1 && tokens.is(value.start, "None");
            if call.named(tokens, "key").is_some() || is_none {
                return None;
            }
            let start = if tokens.follows(value.start, "=") { value.start - 2 } else { value.start };
            let (start, value) = (tokens.list.get(start)?.start, file.span(value.start, value.end - 1)?);
            let now = Edit::replace(start..value.start, "key=functools.cmp_to_key(");
            Some(vec![now, Edit::insert(value.end, ")")])
        }
        Change::Encoded => {
            let mut edits = encoded(file, call.arguments.get(usize::from(tokens.is(callee, "new")))?)?;
            let is_text = TEXTUAL.iter().any(|name| tokens.is(callee, name)) && !tokens.is(call.close + 2, "decode");
            if is_text {
                edits.push(Edit::insert(tokens.list.get(call.close)?.end, ".decode('ascii')"));
            }
            Some(edits)
        }
        Change::EncodedKey => encoded(file, call.arguments.first()?),
        Change::Listed => {
            let first = call.arguments.first().filter(|it| is_operand_name(tokens, it.start) || it.len() > 1)?;
            let span = file.span(first.start, first.end - 1)?;
            Some(vec![Edit::insert(span.start, "list("), Edit::insert(span.end, ")")])
        }
    }
}

/// The edits that make bytes of an argument.
fn encoded(file: &File<'_>, argument: &Range<usize>) -> Option<Vec<Edit>> {
    const ENCODE: &str = ".encode(\"utf-8\")";
    let tokens = &file.tokens;
    let span = file.span(argument.start, argument.end - 1)?;
    let is_named = tokens.is(argument.start, "*") || tokens.is(argument.start + 1, "=");
    let is_bytes = tokens.text(argument.start).first().is_some_and(|first| matches!(first, b'b' | b'B'))
        && tokens.is_kind(argument.start, Kind::Text);
    let is_bytes = is_bytes || ["bytes", "bytearray"].iter().any(|name| tokens.is(argument.start, name));
    if is_named || is_bytes || argument.clone().any(|index| tokens.is(index, "encode")) {
        return None;
    }
    let is_text = argument.clone().any(|index| tokens.is_kind(index, Kind::Text));
    if is_plain(tokens, argument) && !is_text {
        // Other callers may have bytes already.
        let value = std::str::from_utf8(tokens.bytes.get(span.clone())?).ok()?;
        return Some(vec![Edit::insert(span.end, format!(" if isinstance({value}, bytes) else {value}{ENCODE}"))]);
    }
    if is_primary(tokens, argument) {
        return Some(vec![Edit::insert(span.end, ENCODE)]);
    }
    Some(vec![Edit::insert(span.start, "("), Edit::insert(span.end, format!("){ENCODE}"))])
}

/// The bytes of an argument and one comma beside it.
fn removed(file: &File<'_>, call: &Call, argument: &Range<usize>) -> Option<Range<usize>> {
    let tokens = &file.tokens;
    let place = call.arguments.iter().position(|it| it == argument)?;
    let span = file.span(argument.start, argument.end - 1)?;
    if let Some(before) = place.checked_sub(1).and_then(|before| call.arguments.get(before)) {
        return Some(tokens.list.get(before.end - 1)?.end..span.end);
    }
    let end = call.arguments.get(1).and_then(|next| tokens.list.get(next.start)).map_or(span.end, |token| token.start);
    Some(span.start..end)
}

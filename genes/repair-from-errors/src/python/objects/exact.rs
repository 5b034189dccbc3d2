//! Messages that leave one edit: what Python 2 allowed or did otherwise, and what an editor of the file slips in.
//!
//! Each repair gives the code the meaning that it had in Python 2, or that no other reading of the line has.

use std::ops::Range;

use super::super::calls::{Call, closing, is_generator, is_operand_name, is_plain, receiver};
use super::super::file::File;
use super::super::insert::import_module;
use super::super::lines::header_colon;
use super::super::shape::function_around;
use super::super::slots;
use super::super::tokens::Kind;
use super::place::{failing, text};
use super::{frames, replaced, streams, tasks, texts};
use crate::edit::{Edit, line_ending};

/// A message and its repair.
#[derive(Debug)]
pub(crate) struct Row {
    /// The kind of the exception.
    kind: &'static str,
    /// How the message begins.
    start: &'static str,
    /// How it ends.
    end: &'static str,
    repair: fn(&File<'_>) -> Option<Vec<u8>>,
    /// What to do.
    pub(crate) what: &'static str,
    /// Why.
    pub(crate) why: &'static str,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Row {}

const fn row(
    kind: &'static str,
    (start, end): (&'static str, &'static str),
    repair: fn(&File<'_>) -> Option<Vec<u8>>,
    (what, why): (&'static str, &'static str),
) -> Row {
    Row { kind, start, end, repair, what, why }
}

const DIVISION: (&str, &str) =
    ("divide without a remainder", "the operator / of two integers is a float since Python 3.0");
const COPY: (&str, &str) = ("go through a copy", "keys() and items() are no copies since Python 3.0");
const ESCAPE: (&str, &str) =
    ("double the backslash", "an escape that is not finished is an error in text, and two characters in Python 2");

/// Sources: "What's New In Python" for 3.0, 3.4, 3.6, 3.7 and 3.9, PEP 3110, PEP 479, the language reference on `global` and
/// `__future__`; the release notes of pandas 0.20, 1.0, 2.0 and 3.0, and of pytest 8.0.
static ROWS: [Row; 42] = [
    row("TypeError", ("'float' object cannot be interpreted as an integer", ""), divisions, DIVISION),
    row("TypeError", ("can't multiply sequence by non-int of type 'float'", ""), divisions, DIVISION),
    row("TypeError", ("", "indices must be integers or slices, not float"), divisions, DIVISION),
    row("TypeError", ("string indices must be integers, not 'float'", ""), divisions, DIVISION),
    row("TypeError", ("slice indices must be integers or None or have an __index__ method", ""), divisions, DIVISION),
    row("RuntimeError", ("", "changed size during iteration"), copied, COPY),
    row("RuntimeError", ("dictionary keys changed during iteration", ""), copied, COPY),
    row("RuntimeError", ("OrderedDict mutated during iteration", ""), copied, COPY),
    row("RuntimeError", ("deque mutated during iteration", ""), copied, COPY),
    row(
        "StopIteration",
        ("", ""),
        returned,
        ("return from the generator", "raising StopIteration in a generator is an error since Python 3.7"),
    ),
    row(
        "ValueError",
        ("cannot use LOCALE flag with a str pattern", ""),
        texts::locale,
        ("leave out the flag LOCALE", "a pattern of text cannot depend on the locale since Python 3.6"),
    ),
    row(
        "ValueError",
        ("'", "' in __slots__ conflicts with class variable"),
        slots::repair,
        ("leave names of class variables out of the slots", "Python 3.0 refuses a slot that a class variable hides"),
    ),
    row(
        "TypeError",
        ("ord() expected string of length 1, but int found", ""),
        ordinals,
        ("take the item as it is", "the items of bytes are integers since Python 3.0"),
    ),
    row(
        "TypeError",
        ("exceptions must derive from BaseException", ""),
        raised_text,
        ("raise an exception with the text", "a text is no exception"),
    ),
    row(
        "AttributeError",
        ("'", "' object has no attribute 'message'"),
        message,
        ("make text of the exception", "exceptions have no attribute message since Python 3.0"),
    ),
    row(
        "TypeError",
        ("'", "' object is not subscriptable"),
        exception_item,
        ("use the arguments of the exception", "exceptions have no items since Python 3.0"),
    ),
    row(
        "AttributeError",
        ("'", "HTMLParser' object has no attribute 'unescape'"),
        unescape,
        ("use html.unescape", "HTMLParser.unescape was removed in Python 3.9"),
    ),
    row(
        "ValueError",
        ("can't have unbuffered text I/O", ""),
        buffered,
        ("write each line at once", "text files cannot be without a buffer since Python 3.0"),
    ),
    row(
        "AttributeError",
        ("module 'sys' has no attribute 'setdefaultencoding'", ""),
        default_encoding,
        ("leave the default encoding", "the default encoding is UTF-8 since Python 3.0 and cannot be changed"),
    ),
    row("SyntaxError", ("(unicode error) 'unicodeescape' codec can't decode bytes", ""), escapes, ESCAPE),
    row("SyntaxError", ("(value error) invalid \\x escape", ""), escapes, ESCAPE),
    row(
        "SyntaxError",
        ("Generator expression must be parenthesized", ""),
        generators,
        ("put the generator expression into parentheses", "one of several arguments needs them since Python 3.7"),
    ),
    row(
        "SyntaxError",
        ("from __future__ imports must occur at the beginning of the file", ""),
        future,
        ("move the import to the top", "imports from __future__ come before all other code"),
    ),
    row("SyntaxError", ("name '", "' is assigned to before global declaration"), globals, GLOBAL),
    row("SyntaxError", ("name '", "' is used prior to global declaration"), globals, GLOBAL),
    row(
        "TypeError",
        ("decoding str is not supported", ""),
        decoded,
        ("use the text as it is", "str is text already since Python 3.0"),
    ),
    row(
        "TypeError",
        ("'NoneType' object is not callable", ""),
        replaced::maps,
        ("use zip_longest instead of map(None, …)", "map does not take None since Python 3.0"),
    ),
    row(
        "TypeError",
        ("str.translate() takes exactly one argument (2 given)", ""),
        replaced::translated,
        ("make one table of both arguments", "str.translate takes one table since Python 3.0"),
    ),
    row("AttributeError", ("'function' object has no attribute 'im_", ""), replaced::method_parts, METHOD),
    row("AttributeError", ("'function' object has no attribute '__func__'", ""), replaced::method_parts, METHOD),
    row(
        "error",
        ("argument for 's' must be a bytes object", ""),
        replaced::packed,
        ("make bytes of the text", "struct packs bytes since Python 3.0, and no text"),
    ),
    row("LookupError", ("'", "use codecs.encode() to handle arbitrary codecs"), replaced::encoded, CODEC),
    row("LookupError", ("'", "use codecs.decode() to handle arbitrary codecs"), replaced::decoded, CODEC),
    row(
        "Error",
        ("iterator should return strings, not bytes", ""),
        streams::csv,
        ("open the CSV file as text", "the module csv reads and writes text since Python 3.0"),
    ),
    row("AttributeError", ("type object '_asyncio.Task' has no attribute '", ""), tasks::task_functions, TASKS),
    row(
        "RuntimeError",
        ("There is no current event loop in thread 'MainThread'", ""),
        tasks::event_loop,
        ("make an event loop", "Python 3.14 makes none where get_event_loop finds none"),
    ),
    row("AttributeError", ("'DataFrame' object has no attribute 'ix'", ""), frames::labels, LABELS),
    row("AttributeError", ("'Series' object has no attribute 'ix'", ""), frames::labels, LABELS),
    row(
        "AttributeError",
        ("'DataFrame' object has no attribute 'sort'", ""),
        frames::sorted,
        ("use sort_values", "pandas 0.20 removed the method sort"),
    ),
    row(
        "AttributeError",
        ("'DataFrame' object has no attribute 'append'", ""),
        frames::appended,
        ("use concat", "pandas 2.0 removed the method append"),
    ),
    row(
        "ValueError",
        ("Invalid frequency: ", ""),
        frames::frequency,
        ("use the frequency's new name", "pandas 3.0 removed the old names of frequencies"),
    ),
    row(
        "AttributeError",
        ("'Test", "'"),
        tasks::set_up,
        ("name the method setup_method", "pytest 8.0 no longer calls the method setup of nose"),
    ),
];
const TASKS: (&str, &str) =
    ("use the function of asyncio", "Python 3.9 removed the methods of asyncio.Task that list tasks");
const LABELS: (&str, &str) = ("use loc, because the keys are labels", "pandas 1.0 removed ix");
const METHOD: (&str, &str) = (
    "ask for the parts of a method by their names",
    "methods have other attributes since Python 3.0, and functions none",
);
const CODEC: (&str, &str) =
    ("use the codec's own module", "encode and decode are for encodings of text only since Python 3.0");
const GLOBAL: (&str, &str) =
    ("declare the name before it is used", "a name cannot be used before its global declaration since Python 3.6");

/// The row for a message.
pub(super) fn row_for(kind: &str, message: &str) -> Option<&'static Row> {
    let fits = |row: &&Row| {
        let inner = message
            .strip_prefix(row.start)
            .and_then(|rest| rest.strip_suffix(row.end).or(row.end.is_empty().then_some(rest)));
        row.kind == kind && inner.is_some() && (row.kind != "StopIteration" || message.is_empty())
    };
    ROWS.iter().find(fits)
}

/// The source with the edit of the row.
pub(super) fn repair(file: &File<'_>, row: &Row) -> Option<Vec<u8>> {
    (row.repair)(file)
}

/// The only division on the failing line; or the only one in the only assignment of a variable that the line uses.
fn divisions(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = failing(file)?;
    let signs = |range: Range<usize>| -> Vec<usize> {
        range.filter(|index| tokens.is(*index, "/") || tokens.is(*index, "/=")).collect()
    };
    let is_exact = |index: usize| {
        // A float on one side makes a float in Python 2 as well.
        let is_float =
            |at: usize| tokens.is_kind(at, Kind::Number) && tokens.text(at).iter().any(|b| b".eE".contains(b));
        let casts = tokens.is(index + 1, "float") || tokens.follows(index, ")") && has_float(file, index);
        !casts && !is_float(index + 1) && !index.checked_sub(1).is_some_and(is_float)
    };
    let mut found = signs(line.clone());
    if found.is_empty() {
        let around = function_around(file, line.start);
        let used = |name: &[u8]| line.clone().any(|index| is_operand_name(tokens, index) && tokens.text(index) == name);
        let assigned = file.lines.iter().filter(|other| {
            let first = other.tokens.start;
            let sets = tokens.is(first + 1, "=") || tokens.is(first + 1, "/=");
            around.contains(&first)
                && first < line.start
                && is_operand_name(tokens, first)
                && sets
                && used(tokens.text(first))
        });
        found = assigned.flat_map(|other| signs(other.tokens.clone())).collect();
    }
    let first = *found.first()?;
    let now = if tokens.is(first, "/") { "//" } else { "//=" };
    // A line may have the same division twice.
    let says = |index: usize| [index.wrapping_sub(1), index, index + 1].map(|at| tokens.text(at));
    if !found.iter().all(|index| says(*index) == says(first) && is_exact(*index)) {
        return None;
    }
    found.extend(repeats(file).into_iter().filter(|index| !line.contains(index) && is_exact(*index)));
    let mut edits = Vec::new();
    for index in found {
        edits.push(Edit::replace(file.span(index, index)?, now));
    }
    crate::edit::apply(tokens.bytes, edits)
}

/// The divisions of the file that say how often a written text or list is repeated, which no float can.
fn repeats(file: &File<'_>) -> Vec<usize> {
    let tokens = &file.tokens;
    let repeated = |open: usize| {
        let sign = open.checked_sub(1).filter(|sign| tokens.is(*sign, "*") && tokens.is(open, "("))?;
        let last = sign.checked_sub(1)?;
        let is_list =
            tokens.is(last, "]") && !receiver(tokens, last).is_some_and(|first| tokens.is_kind(first, Kind::Name));
        (is_list || tokens.is_kind(last, Kind::Text)).then(|| closing(tokens, open))?
    };
    let divisions = |open: usize| {
        let depth = tokens.list.get(open).map_or(0, |token| token.depth) + 1;
        let outer = move |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == depth);
        (open + 1..repeated(open).unwrap_or(open)).filter(move |index| outer(index) && tokens.is(*index, "/"))
    };
    (0..tokens.list.len()).flat_map(divisions).collect()
}

/// Whether the call that ends before this token is `float(…)`.
fn has_float(file: &File<'_>, index: usize) -> bool {
    let start = index.checked_sub(1).and_then(|last| receiver(&file.tokens, last));
    start.is_some_and(|start| file.tokens.is(start, "float"))
}

/// `for x in list(…):` on the failing line.
fn copied(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = file.lines.get(file.anchor?)?;
    let colon = header_colon(tokens, line).filter(|_| tokens.is(line.tokens.start, "for"))?;
    let outer = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == 0);
    let place = line.tokens.clone().find(|index| tokens.is(*index, "in") && outer(index))?;
    let source = place + 1..colon;
    let is_many = source.clone().any(|index| tokens.is(index, ",") && outer(&index));
    if source.is_empty() || is_many || ["list", "sorted", "tuple"].iter().any(|name| tokens.is(source.start, name)) {
        return None;
    }
    let span = file.span(source.start, source.end - 1)?;
    file.finish(vec![Edit::insert(span.start, "list("), Edit::insert(span.end, ")")])
}

/// `return` for every `raise StopIteration` of the function around the failing line, which must be a generator.
fn returned(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let around = function_around(file, failing(file)?.start);
    if !around.clone().any(|index| tokens.is(index, "yield")) {
        return None;
    }
    let mut edits = Vec::new();
    for line in file.lines.iter().filter(|line| around.contains(&line.tokens.start)) {
        let first =
            (line.tokens.clone()).find(|index| tokens.is(*index, "raise") && tokens.is(index + 1, "StopIteration"));
        let Some(first) = first else { continue };
        let bare = line.tokens.end == first + 2;
        let called = line.tokens.end == first + 4 && tokens.is(first + 2, "(") && tokens.is(first + 3, ")");
        if bare || called {
            edits.push(Edit::replace(file.span(first, line.tokens.end - 1)?, "return"));
        }
    }
    file.finish(edits)
}

/// `ord(x)` where `x` may be an integer already.
fn ordinals(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for index in failing(file)?.filter(|index| tokens.is(*index, "ord") && !tokens.follows(*index, ".")) {
        let call = Call::at(tokens, index + 1)?;
        let [argument] = call.arguments.as_slice() else { return None };
        let value = is_plain(tokens, argument).then(|| text(file, argument))??;
        let now = format!("({value} if isinstance({value}, int) else ord({value}))");
        edits.push(Edit::replace(file.span(index, call.close)?, now));
    }
    file.finish(edits)
}

/// `raise Exception("text")`.
fn raised_text(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = failing(file)?;
    let first = line.clone().find(|index| tokens.is(*index, "raise"))? + 1;
    let outer = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == 0);
    let ends = (first..line.end).any(|index| outer(&index) && [",", ";", "from"].iter().any(|it| tokens.is(index, it)));
    if ends || !tokens.is_kind(first, Kind::Text) {
        return None;
    }
    let span = file.span(first, line.end - 1)?;
    file.finish(vec![Edit::insert(span.start, "Exception("), Edit::insert(span.end, ")")])
}

/// Whether a handler of the file binds this name to an exception.
fn is_caught(file: &File<'_>, name: usize) -> bool {
    let tokens = &file.tokens;
    file.lines.iter().any(|line| {
        let tail = line.tokens.clone().find(|index| tokens.is(*index, "as"));
        let bound = tail.is_some_and(|at| tokens.text(at + 1) == tokens.text(name));
        tokens.is(line.tokens.start, "except") && bound
    })
}

/// `str(e)` for `e.message`.
fn message(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for index in failing(file)?.filter(|index| tokens.is(*index, "message") && tokens.follows(*index, ".")) {
        let owner = index.checked_sub(2)?;
        let is_alone = !tokens.follows(owner, ".") && is_operand_name(tokens, owner) && is_caught(file, owner);
        if !is_alone || tokens.is(index + 1, "(") {
            return None;
        }
        let name = text(file, &(owner..owner + 1))?;
        edits.push(Edit::replace(file.span(owner, index)?, format!("str({name})")));
    }
    file.finish(edits)
}

/// `e.args[0]` for `e[0]`.
fn exception_item(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let items = failing(file)?.filter(|index| {
        let is_name = is_operand_name(tokens, *index) && !tokens.follows(*index, ".");
        is_name && tokens.is(index + 1, "[") && is_caught(file, *index)
    });
    let mut edits = Vec::new();
    for index in items {
        edits.push(Edit::insert(tokens.list.get(index)?.end, ".args"));
    }
    file.finish(edits)
}

/// `html.unescape(x)` for `parser.unescape(x)`.
fn unescape(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> =
        failing(file)?.filter(|it| tokens.is(*it, "unescape") && tokens.follows(*it, ".")).collect();
    let [index] = *calls.as_slice() else { return None };
    let first = receiver(tokens, index.checked_sub(2)?)?;
    if Call::at(tokens, index + 1)?.arguments.len() != 1 {
        return None;
    }
    let mut edits = import_module(file, "html")?;
    edits.push(Edit::replace(file.span(first, index)?, "html.unescape"));
    file.finish(edits)
}

/// A buffer of one line for a text file.
fn buffered(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = failing(file)?;
    let opens =
        line.filter(|index| (tokens.is(*index, "open") || tokens.is(*index, "fdopen")) && tokens.is(index + 1, "("));
    let mut edits = Vec::new();
    for index in opens {
        let call = Call::at(tokens, index + 1)?;
        let size = call.arguments.get(2).filter(|it| !tokens.is(it.start + 1, "="));
        let size = size.cloned().or_else(|| call.named(tokens, "buffering").map(|named| named.start + 2..named.end));
        let size = size.filter(|size| size.len() == 1 && tokens.text(size.start) == b"0");
        edits.extend(size.and_then(|size| Some(Edit::replace(file.span(size.start, size.start)?, "1"))));
    }
    if edits.len() == 1 { file.finish(edits) } else { None }
}

/// The file without `sys.setdefaultencoding("utf-8")`, and without `reload(sys)`, which only brought that function back.
pub(crate) fn default_encoding(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let says = |range: &Range<usize>, words: &[&str]| {
        words.iter().enumerate().all(|(at, word)| tokens.is(range.start + at, word))
    };
    let is_utf8 = |range: &Range<usize>| {
        let text = tokens.text(range.start + 4).to_ascii_lowercase();
        range.len() == 6 && matches!(text.as_slice(), b"'utf8'" | b"\"utf8\"" | b"'utf-8'" | b"\"utf-8\"")
    };
    let sets = |range: &Range<usize>| says(range, &["sys", ".", "setdefaultencoding", "("]) && is_utf8(range);
    let mut edits = Vec::new();
    for (number, line) in file.lines.iter().enumerate() {
        let range = &line.tokens;
        let reloads = range.len() == 4 && says(range, &["reload", "(", "sys", ")"])
            || range.len() == 6
                && tokens.is(range.start + 1, ".")
                && says(&(range.start + 2..range.end), &["reload", "(", "sys", ")"]);
        if !(sets(range) || reloads) {
            continue;
        }
        edits.push(file.without(number)?);
    }
    let any = file.lines.iter().any(|line| sets(&line.tokens));
    if any { crate::edit::apply(tokens.bytes, edits) } else { None }
}

/// Another backslash for each escape of the file that is not finished. The file does not parse before all of them have one.
fn escapes(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for index in (0..tokens.list.len()).filter(|index| tokens.is_kind(*index, Kind::Text)) {
        let (start, literal) = (tokens.list.get(index)?.start, tokens.text(index));
        let prefix = literal.iter().position(|byte| matches!(byte, b'"' | b'\''))?;
        let marks = literal.get(..prefix)?.to_ascii_lowercase();
        if marks.contains(&b'r') {
            continue;
        }
        let mut at = prefix;
        while let Some(byte) = literal.get(at) {
            let rest = literal.get(at + 1..).unwrap_or_default();
            if *byte != b'\\' {
                at += 1;
                continue;
            }
            let digits = match rest.first() {
                Some(b'x') => 2,
                Some(b'u') if !marks.contains(&b'b') => 4,
                Some(b'U') if !marks.contains(&b'b') => 8,
                _ => 0,
            };
            let is_finished = rest.get(1..=digits).is_some_and(|all| all.iter().all(u8::is_ascii_hexdigit));
            let is_named = rest.first() == Some(&b'N') && !marks.contains(&b'b') && rest.get(1) != Some(&b'{');
            if !is_finished || is_named {
                edits.push(Edit::insert(start + at, "\\"));
            }
            at += 2;
        }
    }
    file.finish(edits)
}

/// Parentheses around each generator expression that is one of several arguments on the failing line.
fn generators(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for index in failing(file)?.filter(|index| tokens.is(*index, "(")) {
        let Some(call) = Call::at(tokens, index) else { continue };
        let alone = call.arguments.len() == 1 && !tokens.follows(call.close, ",");
        for argument in call.arguments.iter().filter(|it| !alone && is_generator(tokens, it)) {
            let span = file.span(argument.start, argument.end - 1)?;
            edits.extend([Edit::insert(span.start, "("), Edit::insert(span.end, ")")]);
        }
    }
    file.finish(edits)
}

/// The failing import at the place before all code but the text that describes the module and other such imports.
fn future(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = file.lines.get(file.anchor?).filter(|line| line.indent == 0)?;
    let moved = file.whole_lines(&line.tokens)?;
    let stays = |first: usize, length: usize| {
        tokens.is_kind(first, Kind::Text) && length == 1
            || tokens.is(first, "from") && tokens.is(first + 1, "__future__")
    };
    let above = file.lines.iter().find(|line| !stays(line.tokens.start, line.tokens.len()))?;
    let target = tokens.list.get(above.tokens.start).map(|token| token.start).filter(|target| *target < moved.start)?;
    let statement = text(file, &line.tokens)?;
    let ending = line_ending(tokens.bytes, moved.end.saturating_sub(1));
    file.finish(vec![Edit::insert(target, format!("{statement}{ending}")), Edit::replace(moved, "")])
}

/// The failing `global` as the first statement of its function; at the top level, where it has no meaning, it goes.
fn globals(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let number = file.anchor?;
    let line = file.lines.get(number).filter(|line| tokens.is(line.tokens.start, "global"))?;
    file.whole_lines(&line.tokens)?;
    let left = file.without(number)?;
    let def = file.lines.get(..number)?.iter().rposition(|other| {
        other.indent < line.indent && (tokens.is(other.tokens.start, "def") || tokens.is(other.tokens.start + 1, "def"))
    });
    let Some(def) = def else { return crate::edit::apply(tokens.bytes, vec![left]) };
    let mut body = file.lines.get(def + 1)?;
    if tokens.is_kind(body.tokens.start, Kind::Text) && body.tokens.len() == 1 {
        body = file.lines.get(def + 2)?;
    }
    if body.tokens.start >= line.tokens.start {
        return None;
    }
    let start = tokens.list.get(body.tokens.start)?.start;
    let space = super::super::lines::indentation(tokens, body);
    let declared = format!("{}{}{space}", text(file, &line.tokens)?, line_ending(tokens.bytes, start));
    crate::edit::apply(tokens.bytes, vec![Edit::insert(start, declared), left])
}

/// `str(x)` for `str(x, encoding)` where `x` is text.
fn decoded(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> = failing(file)?.filter(|it| tokens.is(*it, "str") && tokens.is(it + 1, "(")).collect();
    let [index] = *calls.as_slice() else { return None };
    let call = Call::at(tokens, index + 1)?;
    let value = call.arguments.first().filter(|_| call.arguments.len() > 1)?;
    let written = text(file, &(index..call.close + 1))?;
    let now = is_plain(tokens, value).then(|| text(file, value))??;
    let now = format!("({now} if isinstance({now}, str) else {written})");
    file.finish(vec![Edit::replace(file.span(index, call.close)?, now)])
}

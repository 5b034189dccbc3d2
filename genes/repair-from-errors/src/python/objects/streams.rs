//! Files and processes that give bytes where text is meant, or the other way round. In Python 2 both were the same.
//!
//! Where the stream is opened, its mode changes. The place is found by the names that lead from it to the failing line; if
//! more than one stream is possible, nothing changes.

use std::ops::Range;

use super::super::calls::{Call, is_operand_name, receiver};
use super::super::file::File;
use super::super::lines::Line;
use super::super::shape::function_around;
use super::super::tokens::Kind;
use super::arguments::takes_bytes;
use super::place::{failing, text};
use super::replaced;
use crate::edit::{Edit, apply};

/// A message, and its repair.
#[derive(Debug)]
pub(crate) struct Row {
    /// How the message begins.
    message: &'static str,
    /// What the failing line has one of, if the message says too little.
    hints: &'static [&'static str],
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

const fn meant(message: &'static str) -> Row {
    Row {
        message,
        hints: &[],
        repair: as_text,
        what: "read text, and not bytes",
        why: "what a process, a server or a file in binary mode gives is bytes since Python 3.0",
    }
}

/// Sources: "What's New In Python 3.0", section "Text Vs. Data", and the documentation of csv, pickle and subprocess.
static ROWS: [Row; 12] = [
    Row {
        message: "a bytes-like object is required, not 'str'",
        hints: &[".writerow", ".writeheader"],
        repair: csv,
        what: "open the CSV file as text",
        why: "the module csv reads and writes text since Python 3.0",
    },
    Row {
        message: "a bytes-like object is required, not 'str'",
        hints: &["load("],
        repair: |file| pickled(file, "load"),
        what: "open the file in binary mode",
        why: "pickle and marshal read bytes since Python 3.0",
    },
    Row {
        message: "write() argument must be str, not bytes",
        hints: &["dump("],
        repair: |file| pickled(file, "dump"),
        what: "open the file in binary mode",
        why: "pickle and marshal write bytes since Python 3.0",
    },
    Row {
        message: "write() argument must be str, not bytes",
        hints: &[".write("],
        repair: |file| replaced::unencoded(file).or_else(|| written(file)),
        what: "write what the file takes",
        why: "a text file takes text since Python 3.0, and a file in binary mode bytes",
    },
    meant("a bytes-like object is required, not 'str'"),
    meant("startswith first arg must be bytes or a tuple of bytes, not str"),
    meant("endswith first arg must be bytes or a tuple of bytes, not str"),
    meant("argument should be integer or bytes-like object, not 'str'"),
    Row {
        repair: |file| as_text(file).or_else(|| replaced::joined(file)),
        what: "join bytes with bytes",
        ..meant("can't concat str to bytes")
    },
    Row {
        repair: |file| as_text(file).or_else(|| replaced::encoded_sum(file)),
        what: "join text with text",
        ..meant("can only concatenate str (not \"bytes\") to str")
    },
    Row {
        repair: |file| as_text(file).or_else(|| replaced::pattern(file)),
        what: "search with a pattern of the same kind",
        ..meant("cannot use a string pattern on a bytes-like object")
    },
    meant("sequence item 0: expected str instance, bytes found"),
];

/// The row for a message, and for the failing line as the log shows it.
pub(super) fn row_for(message: &str, shown: &str) -> Option<&'static Row> {
    let fits = |row: &&Row| {
        let is_hinted = row.hints.iter().any(|hint| shown.contains(hint));
        message == row.message && (is_hinted || row.hints.is_empty() && !takes_bytes(shown))
    };
    ROWS.iter().find(fits)
}

/// The source with the edit of the row.
pub(super) fn repair(file: &File<'_>, row: &Row) -> Option<Vec<u8>> {
    (row.repair)(file)
}

/// Text files for the readers and writers of the module csv.
pub(super) fn csv(file: &File<'_>) -> Option<Vec<u8>> {
    const NAMES: [&str; 4] = ["DictReader", "DictWriter", "reader", "writer"];
    let tokens = &file.tokens;
    let mut edits: Vec<Edit> = Vec::new();
    for index in 0..tokens.list.len() {
        let is_own = index.checked_sub(2).is_some_and(|it| tokens.follows(index, ".") && tokens.is(it, "csv"));
        let is_bare = tokens.is(index, "DictReader") || tokens.is(index, "DictWriter");
        if !NAMES.iter().any(|name| tokens.is(index, name)) || !(is_own || is_bare) {
            continue;
        }
        let Some(call) = Call::at(tokens, index + 1) else { continue };
        let Some(open) = call.arguments.first().and_then(|argument| opening(file, argument)) else { continue };
        let more = with_mode(file, open, "newline=''", |mode| {
            mode.contains('b').then(|| mode.chars().filter(|c| !matches!(c, 'b' | 'U')).collect())
        });
        edits.extend(more.filter(|edit| !edits.iter().any(|known| known.start == edit.start)));
    }
    apply(tokens.bytes, edits)
}

/// A binary file for the only call of `load` or `dump` on the failing line.
fn pickled(file: &File<'_>, name: &str) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> = failing(file)?.filter(|it| tokens.is(*it, name) && tokens.is(it + 1, "(")).collect();
    let [index] = *calls.as_slice() else { return None };
    let known = ["pickle", "cPickle", "marshal", "dill"];
    let owner = index.checked_sub(2).filter(|_| tokens.follows(index, "."));
    let is_json = owner.is_some_and(|owner| !known.iter().any(|name| tokens.is(owner, name)));
    let call = Call::at(tokens, index + 1).filter(|_| !is_json)?;
    let open = opening(file, call.arguments.get(usize::from(name == "dump"))?)?;
    let edit = with_mode(file, open, "", |mode| {
        (!mode.contains('b')).then(|| format!("{}b", mode.trim_end_matches(['t', 'U'])))
    })?;
    apply(tokens.bytes, vec![edit])
}

/// A binary file for the failing `write`, if it is the only one.
fn written(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = failing(file)?;
    let writes = |range: Range<usize>| -> Vec<usize> {
        range.filter(|it| tokens.is(*it, "write") && tokens.follows(*it, ".") && tokens.is(it + 1, "(")).collect()
    };
    let [index] = *writes(line.clone()).as_slice() else { return None };
    // What is joined with a text is text.
    let is_plain = |it: usize| tokens.is_kind(it, Kind::Text) && !tokens.text(it).starts_with(b"b");
    if (index..Call::at(tokens, index + 1)?.close).any(is_plain) {
        return None;
    }
    let owner = receiver(tokens, index.checked_sub(2)?)?..index - 1;
    let same = |it: &usize| tokens.text(it - 2) == tokens.text(index - 2);
    if writes(function_around(file, line.start)).iter().filter(|it| same(it)).count() != 1 {
        return None;
    }
    let edit = with_mode(file, opening(file, &owner)?, "", |mode| {
        (mode.starts_with(['a', 'w', 'x']) && !mode.contains('b')).then(|| format!("{}b", mode.trim_end_matches('t')))
    })?;
    apply(tokens.bytes, vec![edit])
}

/// The `open` that made the value of an expression: the expression itself, or the only one that a name of the same function
/// has.
fn opening(file: &File<'_>, expression: &Range<usize>) -> Option<usize> {
    let tokens = &file.tokens;
    let opens = |index: usize| (tokens.is(index, "open") || tokens.is(index, "file")) && !tokens.follows(index, ".");
    if opens(expression.start) {
        let call = Call::at(tokens, expression.start + 1)?;
        return (call.close + 1 == expression.end).then_some(expression.start);
    }
    if expression.len() != 1 || !is_operand_name(tokens, expression.start) {
        return None;
    }
    let around = function_around(file, expression.start);
    let name = tokens.text(expression.start);
    let mut found = (around.start..expression.start).filter(|index| {
        let is_named = index.checked_sub(2).is_some_and(|it| tokens.follows(*index, "=") && tokens.text(it) == name);
        let after = Call::at(tokens, index + 1).map_or(0, |call| call.close + 1);
        let is_bound = tokens.is(after, "as") && tokens.text(after + 1) == name;
        let is_whole = tokens.is_kind(after, Kind::Newline) || tokens.is(after, ";");
        opens(*index) && (is_named && is_whole || is_bound)
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The edit that gives the call of `open` at this token another mode, and one more argument.
fn with_mode(file: &File<'_>, open: usize, more: &str, change: impl Fn(&str) -> Option<String>) -> Option<Edit> {
    let tokens = &file.tokens;
    let call = Call::at(tokens, open + 1)?;
    let also = if more.is_empty() { String::new() } else { format!(", {more}") };
    let named = call.named(tokens, "mode").map(|named| named.start + 2..named.end);
    let Some(place) = named.or_else(|| call.arguments.get(1).filter(|it| !tokens.is(it.start + 1, "=")).cloned())
    else {
        let path = call.arguments.first()?;
        let end = tokens.list.get(path.end - 1)?.end;
        return Some(Edit::insert(end, format!(", '{}'{also}", change("r")?)));
    };
    let written = text(file, &place).filter(|_| place.len() == 1 && tokens.is_kind(place.start, Kind::Text))?;
    let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let now = change(written.trim_matches(quote))?;
    Some(Edit::replace(file.span(place.start, place.start)?, format!("{quote}{now}{quote}{also}")))
}

/// What gives bytes: the token of the call's name.
type Source = usize;

/// The names of a function that lead back to a source, line by line.
struct Flow<'a> {
    file: &'a File<'a>,
    names: Vec<(&'a [u8], Source)>,
}

impl Flow<'_> {
    /// Whether a call gives bytes.
    fn is_source(&self, index: usize) -> bool {
        let tokens = &self.file.tokens;
        if !tokens.is(index + 1, "(") {
            return false;
        }
        let is_binary = || {
            with_mode(self.file, index, "", |mode| mode.contains('b').then(String::new)).is_some()
                && !tokens.follows(index, ".")
        };
        let is_open = tokens.is(index, "open") || tokens.is(index, "file");
        ["Popen", "check_output", "urlopen"].iter().any(|name| tokens.is(index, name)) || is_open && is_binary()
    }

    /// The sources that some tokens use.
    fn sources(&self, range: Range<usize>) -> Vec<Source> {
        let tokens = &self.file.tokens;
        let mut found = Vec::new();
        // What is decoded is text.
        if range.clone().any(|index| tokens.is(index, "decode")) {
            return found;
        }
        for index in range {
            let is_name = is_operand_name(tokens, index) && !tokens.follows(index, ".");
            let named = self.names.iter().filter(|(name, _)| is_name && *name == tokens.text(index));
            let named = named.map(|(_, source)| *source);
            let own = Some(index).filter(|index| self.is_source(*index));
            for source in named.chain(own) {
                if !found.contains(&source) {
                    found.push(source);
                }
            }
        }
        found
    }

    /// Notes what a line binds.
    fn line(&mut self, line: &Line) {
        let tokens = &self.file.tokens;
        let outer = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == 0);
        let range = line.tokens.clone();
        let sign = |word: &str| range.clone().find(|index| tokens.is(*index, word) && outer(index));
        let (targets, value) = if tokens.is(range.start, "for") {
            let Some(place) = sign("in") else { return };
            (range.start + 1..place, place + 1..range.end)
        } else if tokens.is(range.start, "with") {
            let Some(place) = sign("as") else { return };
            (place + 1..range.end, range.start + 1..place)
        } else if let Some(place) = sign("=") {
            (range.start..place, place + 1..range.end)
        } else {
            return;
        };
        let sources = self.sources(value);
        for target in targets.filter(|index| is_operand_name(tokens, *index) && !tokens.is(index + 1, ".")) {
            let name = tokens.text(target);
            self.names.retain(|(known, _)| *known != name);
            self.names.extend(sources.iter().map(|source| (name, *source)));
        }
    }
}

/// Text from the only source of bytes that the failing line uses.
fn as_text(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = failing(file)?;
    let around = function_around(file, line.start);
    let mut flow = Flow { file, names: Vec::new() };
    let mut reads = Vec::new();
    let mut is_fed = false;
    for other in file.lines.iter().filter(|other| around.contains(&other.tokens.start)) {
        if function_around(file, other.tokens.start).start != around.start {
            continue;
        }
        for index in other.tokens.clone() {
            let is_call = tokens.is(index + 1, "(") && tokens.follows(index, ".");
            let is_empty = tokens.is(index + 2, ")");
            is_fed |= is_call && !is_empty && tokens.is(index, "communicate");
            is_fed |= tokens.is(index, "stdin") && tokens.follows(index, ".");
            if is_call && is_empty && tokens.is(index, "read") && other.tokens.start <= line.start {
                let first = index.checked_sub(2).and_then(|last| receiver(tokens, last));
                reads.extend(first.map(|first| (index, flow.sources(first..index))));
            }
        }
        if other.tokens.start < line.start {
            flow.line(other);
        }
    }
    let [source] = *flow.sources(line).as_slice() else { return None };
    let call = Call::at(tokens, source + 1)?;
    let edit = if tokens.is(source, "urlopen") {
        let mut reads = reads.iter().filter(|(_, sources)| sources.contains(&source));
        let ((index, _), None) = (reads.next()?, reads.next()) else { return None };
        Edit::insert(tokens.list.get(index + 2)?.end, ".decode('utf-8')")
    } else if tokens.is(source, "open") || tokens.is(source, "file") {
        with_mode(file, source, "", |mode| Some(mode.replace('b', "")))?
    } else {
        let is_text = ["encoding", "errors", "text", "universal_newlines"];
        let is_text = is_text.iter().any(|name| call.named(tokens, name).is_some());
        let is_unpacked = call.arguments.iter().any(|it| tokens.is(it.start, "**"));
        if is_text || is_unpacked || is_fed {
            return None;
        }
        Edit::insert(tokens.list.get(call.arguments.last()?.end - 1)?.end, ", universal_newlines=True")
    };
    apply(tokens.bytes, vec![edit])
}

//! Added lines that say what the deleted line in their place said: other white space, the parentheses that Python 3 wants
//! around what `print` and `exec` take, `as` in an `except`, a builtin or a module under its name in Python 3, the mode in
//! which a file is read or written, and whether a process gives text.
//!
//! What such a line runs ran before, so a proposal is not responsible for it. What must stay true: a line counts as unchanged only if
//! every word, every string and the order of all of them are the same in the whole statement, and no parenthesis moved but
//! the outer ones of `print` and `exec`. No line does if strings cannot be told from code.

use std::collections::HashSet;
use std::ops::Range;

use super::super::added::AddedLine;
use super::mask::{Masked, Reader};
use crate::patch::{FilePatch, LineKind};

/// Most bytes of a line that is compared.
const MAX_BYTES: usize = 4096;
/// Most calls of `open` in a line whose modes are read.
const MAX_OPENS: usize = 8;
/// Names that only changed with Python 3: before, now.
const RENAMED: [(&str, &str); 6] = [
    ("__builtin__", "builtins"),
    ("cPickle", "pickle"),
    ("commands", "subprocess"),
    ("func_globals", "__globals__"),
    ("raw_input", "input"),
    ("unicode", "str"),
];
/// Names of `types` that are builtins in Python 3: before, now.
const TYPES: [(&str, &str); 17] = [
    ("BooleanType", "bool"),
    ("ClassType", "type"),
    ("ComplexType", "complex"),
    ("DictType", "dict"),
    ("DictionaryType", "dict"),
    ("FloatType", "float"),
    ("InstanceType", "object"),
    ("IntType", "int"),
    ("ListType", "list"),
    ("LongType", "int"),
    ("ObjectType", "object"),
    ("SliceType", "slice"),
    ("StringType", "str"),
    ("TupleType", "tuple"),
    ("TypeType", "type"),
    ("UnicodeType", "str"),
    ("XRangeType", "range"),
];
/// Arguments of a process that only say whether its output is text or bytes.
const OF_TEXT: [&str; 2] = ["text", "universal_newlines"];
/// How a file is opened to be read.
const READING: [&str; 6] = ["r", "rb", "rt", "rU", "rbU", "U"];
/// The beginning of what Python 3 has for `execfile`.
const EXECFILE: &str = "exec(compile(open(";

/// The numbers of the added lines that say what a deleted line of the same place said. `before` is the whole file before
/// the change; `after` and `masked` are the file after it.
pub(super) fn unchanged(file: &FilePatch, before: &str, after: &str, masked: &Masked, reader: Reader) -> HashSet<u64> {
    if file.old_path != file.new_path || !reader.tells_strings() {
        return HashSet::new();
    }
    let masked_before = reader.mask(before);
    let (old, new) = (Lines::of(before, &masked_before), Lines::of(after, masked));
    let mut numbers = HashSet::new();
    let mut compare = |old: Vec<(Said, Vec<u64>)>, new: Vec<(Said, Vec<u64>)>| {
        let mut left: Vec<Said> = old.into_iter().map(|(said, _)| said).collect();
        for (said, lines) in new {
            let Some(at) = left.iter().position(|old| *old == said) else { continue };
            left.swap_remove(at);
            numbers.extend(lines);
        }
    };
    // Only in Python can nothing that is in brackets or in a string have statements of its own.
    let is_python =
        file.new_path.as_ref().is_some_and(|path| path.as_str().rsplit_once('.').is_some_and(|(_, end)| end == "py"));
    let (whole_old, whole_new) = if is_python { (old.whole(), new.whole()) } else { (Vec::new(), Vec::new()) };
    for (deleted, added) in edits(file) {
        compare(old.statements(&deleted), new.statements(&added));
        compare(old.touched(&whole_old, &deleted), new.touched(&whole_new, &added));
    }
    numbers
}

/// The runs of changed lines that have both deleted and added ones.
fn edits(file: &FilePatch) -> Vec<(Vec<AddedLine<'_>>, Vec<AddedLine<'_>>)> {
    let mut edits = Vec::new();
    for hunk in &file.hunks {
        let (mut old, mut new) = (u64::from(hunk.old_start), u64::from(hunk.new_start));
        let mut edit = (Vec::new(), Vec::new());
        for line in &hunk.lines {
            match line.kind {
                LineKind::Context => edits.push(std::mem::take(&mut edit)),
                LineKind::Delete => edit.0.push(AddedLine { number: old, text: &line.text }),
                LineKind::Add => edit.1.push(AddedLine { number: new, text: &line.text }),
            }
            old += u64::from(line.is_old());
            new += u64::from(line.is_new());
        }
        edits.push(edit);
    }
    edits.retain(|(deleted, added)| !deleted.is_empty() && !added.is_empty());
    edits
}

/// The lines of a file.
struct Lines<'a>(Vec<Part<'a>>);

/// A line.
struct Part<'a> {
    written: &'a str,
    /// What it says; `None` if that is not certain.
    said: Option<Said>,
    /// By how much it changes the depth of brackets.
    depth: i64,
    /// Whether its begin or its end is within a string of several lines.
    in_text: bool,
    /// Whether such a string goes on behind it.
    text_goes_on: bool,
}

/// What a line or a statement says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Said {
    /// Words and signs outside of strings, in order.
    code: Vec<String>,
    /// Of each line, from the first quote to the last one; from its begin or to its end if a string goes over it.
    quoted: Vec<String>,
}

impl<'a> Lines<'a> {
    fn of(whole: &'a str, masked: &Masked) -> Self {
        let mut text = None;
        let views = masked.code.split('\n').zip(masked.plain.split('\n'));
        let part = |(written, (code, plain)): (&'a str, (&str, &str))| {
            let starts = text.is_some();
            text = ends_in(code, text);
            let ends = text.is_some();
            let said = (written.len() <= MAX_BYTES).then(|| Said::of(code, plain, starts, ends)).flatten();
            let depth = code.chars().map(opens).sum();
            Part { written, said, depth, in_text: starts || ends, text_goes_on: ends }
        };
        Self(whole.split('\n').zip(views).map(part).collect())
    }

    /// A line of a patch, if the file has it as it is.
    fn line(&self, line: &AddedLine<'_>) -> Option<&Part<'a>> {
        let part = self.0.get(usize::try_from(line.number).ok()?.checked_sub(1)?)?;
        (part.written == line.text).then_some(part)
    }

    /// What the statements of these lines say, each with the numbers of its lines. A line of which that is not certain ends
    /// a statement, and is in none.
    fn statements(&self, lines: &[AddedLine<'_>]) -> Vec<(Said, Vec<u64>)> {
        let mut statements = Vec::new();
        let (mut statement, mut depth) = ((Said::default(), Vec::new()), 0);
        for line in lines {
            let part = self.line(line).filter(|part| !part.in_text);
            let said = part.and_then(|part| part.said.as_ref().map(|said| (said, part.depth)));
            let mut goes_on = false;
            if let Some((said, more)) = said {
                depth += more;
                goes_on = depth > 0 || said.goes_on();
                statement.0.add(said);
                statement.1.push(line.number);
            }
            if !goes_on {
                statements.push(std::mem::take(&mut statement));
                depth = 0;
            }
        }
        statements.push(statement);
        statements.retain(|(said, _)| !said.code.is_empty());
        statements.into_iter().map(|(said, lines)| (said.canonical(), lines)).collect()
    }

    /// The statements of the whole file: their lines, from 1, and what they say; `None` if that is not certain.
    fn whole(&self) -> Vec<(Range<u64>, Option<Said>)> {
        let mut statements = Vec::new();
        let (mut start, mut said, mut depth) = (1, Some(Said::default()), 0_i64);
        for (part, number) in self.0.iter().zip(1..) {
            depth += part.depth;
            let goes_on = part.said.as_ref().is_some_and(Said::goes_on);
            said = said.zip(part.said.as_ref()).map(|(mut said, part)| {
                said.add(part);
                said
            });
            if !part.text_goes_on && depth <= 0 && !goes_on {
                let whole = said.replace(Said::default());
                statements.push((start..number + 1, whole.map(Said::canonical)));
                (start, depth) = (number + 1, 0);
            }
        }
        statements
    }

    /// Those of the statements that these lines belong to, each with its lines.
    fn touched(&self, all: &[(Range<u64>, Option<Said>)], lines: &[AddedLine<'_>]) -> Vec<(Said, Vec<u64>)> {
        let mut touched: Vec<(usize, Vec<u64>)> = Vec::new();
        for line in lines.iter().filter(|line| self.line(line).is_some()) {
            let at = all.partition_point(|(range, _)| range.end <= line.number);
            match touched.last_mut().filter(|(last, _)| *last == at) {
                Some((_, numbers)) => numbers.push(line.number),
                None => touched.push((at, vec![line.number])),
            }
        }
        let said = |at: usize| all.get(at).and_then(|(_, said)| said.clone()).filter(|said| !said.code.is_empty());
        touched.into_iter().filter_map(|(at, numbers)| Some((said(at)?, numbers))).collect()
    }
}

/// The quotes of the string of several lines that is open at the end of a line, if one is. `open` is that at its begin.
fn ends_in(code: &str, mut open: Option<&'static str>) -> Option<&'static str> {
    let mut rest = code;
    loop {
        if let Some(quotes) = open {
            let Some((_, after)) = rest.split_once(quotes) else { return open };
            rest = after;
        }
        let found = rest.get(rest.find(['"', '\''])?..)?;
        open = ["\"\"\"", "'''"].into_iter().find(|quotes| found.starts_with(quotes));
        let inner = found.get(open.map_or(1, str::len)..)?;
        rest = if open.is_some() { inner } else { inner.split_once(found.get(..1)?).map_or("", |(_, after)| after) };
    }
}

impl Said {
    fn add(&mut self, other: &Self) {
        self.code.extend(other.code.iter().cloned());
        self.quoted.extend(other.quoted.iter().cloned());
    }

    /// Whether a backslash makes the next line a part of the statement.
    fn goes_on(&self) -> bool {
        self.code.last().is_some_and(|word| word == "\\")
    }

    fn canonical(self) -> Self {
        Self { code: canonical(self.code), ..self }
    }

    /// What a line says; `None` if that is not certain. `starts` and `ends` say whether its begin and its end are within a
    /// string.
    fn of(code: &str, plain: &str, starts: bool, ends: bool) -> Option<Self> {
        const QUOTES: [char; 3] = ['"', '\'', '`'];
        let (mut code, mut plain) = (code.to_owned(), plain.to_owned());
        if !starts && !ends {
            without_modes(&mut code, &mut plain);
            with_execfile(&mut code, &mut plain);
        }
        let first = if starts { Some(0) } else { code.find(QUOTES) };
        let last = if ends { Some(code.len()) } else { code.rfind(QUOTES).map(|at| at + 1) };
        let quoted = first.zip(last).map_or(0..0, |(first, last)| first..last);
        let outside = |text: &str| Some((text.get(..quoted.start)?.to_owned(), text.get(quoted.end..)?.to_owned()));
        let (before, after) = outside(&code)?;
        // The content of a string whose quotes are not seen.
        if outside(&plain)? != (before.clone(), after.clone()) {
            return None;
        }
        let quoted = plain.get(quoted).filter(|text| !text.is_empty()).map(str::to_owned);
        Some(Self { code: words(&format!("{before} {after}")), quoted: quoted.into_iter().collect() })
    }
}

/// Takes away the modes of a line's calls of `open`: one to read, and the `b` of one to write. `code` is the line without the
/// content of strings, and stays as long as the whole line.
fn without_modes(code: &mut String, plain: &mut String) {
    let mut from = 0;
    for _ in 0..MAX_OPENS {
        let rest = code.get(from..).and_then(|rest| rest.find("open("));
        let Some(start) = rest.map(|at| from + at + "open(".len()) else { return };
        from = start;
        let mut depth = 1_i64;
        let mut signs = code.get(start..).unwrap_or_default().char_indices();
        let ends = |(_, sign): &(usize, char)| {
            depth += opens(*sign);
            depth == 0
        };
        let Some((length, _)) = signs.find(ends) else { return };
        let Some((before, mode)) = plain.get(start..start + length).and_then(|inner| inner.rsplit_once(',')) else {
            continue;
        };
        let range = start + before.len()..start + length;
        let mode = mode.trim();
        let quoted = ['"', '\''].into_iter().find_map(|quote| mode.strip_prefix(quote)?.strip_suffix(quote));
        let now = match quoted {
            Some(mode) if READING.contains(&mode) => "",
            Some("wb" | "w") => ", 'w'",
            Some("ab" | "a") => ", 'a'",
            _ => continue,
        };
        let blank = now.replace(['a', 'w'], " ");
        if code.get(range.clone()).is_some() {
            code.replace_range(range.clone(), &blank);
            plain.replace_range(range, now);
        }
    }
}

/// Writes `execfile(path)` for what Python 3 has in its place, after the modes are gone.
fn with_execfile(code: &mut String, plain: &mut String) {
    let Some(at) = plain.find(EXECFILE).filter(|at| code.get(*at..).is_some_and(|it| it.starts_with(EXECFILE))) else {
        return;
    };
    let start = at + EXECFILE.len();
    let Some(length) = plain.get(start..).and_then(|rest| rest.find(").read(), ")) else { return };
    let Some(path) = plain.get(start..start + length).map(str::to_owned) else { return };
    let all = format!("{EXECFILE}{path}).read(), {path}, 'exec'))");
    let blank = code.get(start..start + length).map(str::to_owned);
    let range = at..at + all.len();
    if let Some(blank) = blank.filter(|_| plain.get(range.clone()) == Some(&all) && code.get(range.clone()).is_some()) {
        code.replace_range(range.clone(), &format!("execfile({blank})"));
        plain.replace_range(range, &format!("execfile({path})"));
    }
}

/// By how much a sign changes the depth of brackets.
fn opens(sign: char) -> i64 {
    match sign {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    }
}

/// Words and single signs, without white space.
fn words(code: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut goes_on = false;
    for c in code.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match words.last_mut().filter(|_| is_word && goes_on) {
            Some(word) => word.push(c),
            None if c.is_whitespace() => {}
            None => words.push(c.to_string()),
        }
        goes_on = is_word;
    }
    for word in &mut words {
        if let Some((_, now)) = RENAMED.iter().find(|(old, _)| old == word) {
            (*now).clone_into(word);
        }
    }
    words
}

/// The same, with the operands of a `print` or `exec` as if it had no parentheses, a comma for the `as` of an `except`, and
/// without what only says whether output is text.
fn canonical(words: Vec<String>) -> Vec<String> {
    let mut words = without_types(without_text(words));
    if words.first().is_some_and(|first| first == "except") {
        words.iter_mut().filter(|word| *word == "as").for_each(|word| ",".clone_into(word));
        return words;
    }
    let Some((first, rest)) = words.split_first().filter(|(first, _)| matches!(first.as_str(), "print" | "exec"))
    else {
        return words;
    };
    let operands = unwrapped(rest);
    let separates = |word: &String| word == "," || first == "exec" && word == "in" && operands.len() == rest.len();
    let mut same = vec![first.clone()];
    let mut depth = 0;
    for word in operands.iter().filter(|word| *word != "\\") {
        depth += word.chars().map(opens).sum::<i64>();
        same.push(if depth == 0 && separates(word) { ",".to_owned() } else { word.clone() });
    }
    same
}

/// Without the arguments that only say whether output is text.
fn without_text(words: Vec<String>) -> Vec<String> {
    let is_argument = |at: usize| match words.get(at..at + 5) {
        Some([comma, name, equals, value, end]) => {
            let is_named = comma == "," && equals == "=" && value == "True" && (end == "," || end == ")");
            is_named && OF_TEXT.contains(&name.as_str())
        }
        _ => false,
    };
    let gone: HashSet<usize> = (0..words.len()).filter(|at| is_argument(*at)).flat_map(|at| at..at + 4).collect();
    if gone.is_empty() {
        return words;
    }
    words.into_iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, word)| word).collect()
}

/// With the builtin for each name of `types` that Python 3 has only as a builtin.
fn without_types(words: Vec<String>) -> Vec<String> {
    let mut now: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let is_of_types = matches!(now.as_slice(), [.., types, dot] if types == "types" && dot == ".")
            && !matches!(now.as_slice(), [.., before, _, _] if before == ".");
        match TYPES.iter().find(|(old, _)| is_of_types && *old == word) {
            Some((_, builtin)) => {
                now.truncate(now.len() - 2);
                now.push((*builtin).to_owned());
            }
            None => now.push(word),
        }
    }
    now
}

/// Without the parentheses around all of it.
fn unwrapped(words: &[String]) -> &[String] {
    let [first, inner @ .., last] = words else { return words };
    let mut depth = 0_i64;
    let stays_inside = inner.iter().all(|word| {
        depth += i64::from(word == "(") - i64::from(word == ")");
        depth >= 0
    });
    if first == "(" && last == ")" && stays_inside { inner } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::patterns::language::Language;
    use crate::path::RepoPath;

    fn is_unchanged(before: &str, after: &str) -> bool {
        let reader = Reader::of(&RepoPath::new("a.py").unwrap(), &[Language::Any, Language::Python]).unwrap();
        let said = |text: &str| {
            let (masked, lines) = (reader.mask(text), (1..).zip(text.split('\n')));
            let lines: Vec<_> = lines.map(|(number, text)| AddedLine { number, text }).collect();
            let file = Lines::of(text, &masked);
            let said = |all: Vec<(Said, Vec<u64>)>| all.into_iter().map(|(said, _)| said).collect::<Vec<_>>();
            (said(file.statements(&lines)), said(file.touched(&file.whole(), &lines)))
        };
        let ((run, whole), now) = (said(before), said(after));
        !run.is_empty() && run == now.0 || !whole.is_empty() && whole == now.1
    }

    #[test]
    fn what_is_only_written_in_another_way_is_unchanged() {
        for (before, after) in [
            ("\teval(x)", "        eval(x)"),
            ("eval (x)", "eval(x)"),
            ("exec code in names", "exec(code, names)"),
            ("exec code in f(a, b), {}", "exec(code, f(a, b), {})"),
            ("exec (code) in names", "exec((code), names)"),
            ("exec code", "exec(code)"),
            ("exec 'a b' in names", "exec('a b', names)"),
            ("print os.popen('a  b').read()", "print(os.popen('a  b').read())"),
            ("x = eval(raw_input('?'))", "x = eval(input('?'))"),
            ("commands.getoutput(a)", "subprocess.getoutput(a)"),
            ("eval(x) # why", "eval(x)"),
            ("except (E, F), e:", "except (E, F) as e:"),
            ("exec compile(a, 'b',\n  c) in d", "exec(compile(a, 'b',\n  c), d)"),
            ("print eval(a), \\\n  b", "print(eval(a),\n  b)"),
            ("import cPickle as pickle", "import pickle as pickle"),
            ("exec '''def %s():\n  pass''' % n in d", "exec('''def %s():\n  pass''' % n, d)"),
            ("x = [types.ListType, types.FunctionType]", "x = [list, types.FunctionType]"),
            ("execfile(path)", "exec(compile(open(path, 'rb').read(), path, 'exec'))"),
            ("execfile('a.py')", "exec(compile(open('a.py', 'rb').read(), 'a.py', 'exec'))"),
            ("pickle.load(open(path))", "pickle.load(open(path, 'rb'))"),
            ("pickle.load(open('a', 'r'))", "pickle.load(open('a', 'rb'))"),
            ("pickle.dump(x, open('a', \"w\"))", "pickle.dump(x, open('a', \"wb\"))"),
            ("subprocess.Popen(['a'])", "subprocess.Popen(['a'], universal_newlines=True)"),
            ("subprocess.Popen(a,\n  stdout=b)", "subprocess.Popen(a,\n  stdout=b, text=True)"),
        ] {
            assert!(is_unchanged(before, after), "{before}");
        }
    }

    #[test]
    fn a_statement_is_known_by_its_own_lines_or_as_a_whole() {
        let diff = |path: &str, from: &str, to: &str, lines: &str| {
            let text = format!("--- a/{path}\n+++ b/{path}\n@@ -1,{from} +1,{to} @@\n{lines}");
            crate::patch::parse(&text, &crate::patch::Limits::default()).unwrap().files.remove(0)
        };
        let of = |path: &str, file: &FilePatch, before: &str, after: &str| {
            let language = if path.ends_with("py") { Language::Python } else { Language::JavaScript };
            let reader = Reader::of(&RepoPath::new(path).unwrap(), &[Language::Any, language]).unwrap();
            let mut numbers: Vec<u64> =
                unchanged(file, before, after, &reader.mask(after), reader).into_iter().collect();
            numbers.sort_unstable();
            numbers
        };
        // A call in a block that changes elsewhere as well.
        let (before, after) = ("f(() => {\n\teval(x)\n  a()\n  b()\n})\n", "f(() => {\n  eval(x)\n  a()\n  c()\n})\n");
        let js = diff("a.js", "5", "5", " f(() => {\n-\teval(x)\n+  eval(x)\n   a()\n-  b()\n+  c()\n })\n");
        assert_eq!(of("a.js", &js, before, after), [2]);
        // A string of which a line stays.
        let (before, after) = ("exec '''a\nb\nc''' in d\n", "exec('''a\nb\nc''', d)\n");
        let py = diff("a.py", "3", "3", "-exec '''a\n+exec('''a\n b\n-c''' in d\n+c''', d)\n");
        assert_eq!(of("a.py", &py, before, after), [1, 3]);
        let other = "exec('''a\nb\nx''', d)\n";
        let py = diff("a.py", "3", "3", "-exec '''a\n+exec('''a\n b\n-c''' in d\n+x''', d)\n");
        assert_eq!(of("a.py", &py, before, other), [0_u64; 0]);
    }

    #[test]
    fn what_says_anything_else_is_not() {
        for (before, after) in [
            ("eval(x)", "eval(y)"),
            ("eval(f(x))", "eval(x)"),
            ("eval(f)(x)", "eval(f(x))"),
            ("eval(a, b)", "eval(a.b)"),
            ("eval(ab)", "eval(a, b)"),
            ("# eval(x)", "eval(x)"),
            ("'eval(x)'", "eval(x)"),
            ("os.system('rm -rf / a')", "os.system('rm -rf /a')"),
            ("os.system('a b')", "os.system('ab')"),
            ("exec code in names", "exec(names, code)"),
            ("exec code in names", "exec(code in names)"),
            ("exec code, names", "exec(names)"),
            ("print eval('a'), 'b'", "print(eval('a' + 'b'))"),
            ("exec(a), (b)", "exec(a, b)"),
            ("except E, F:", "except (E, F):"),
            ("exec compile(a, 'b',\n  c) in d", "exec(compile(a, 'b',\n  e), d)"),
            ("exec compile(a, 'b',\n  c) in d", "exec(compile(a, 'b'), d,\n  c)"),
            ("\"\"\"\neval(x)\n\"\"\"", "eval(x)"),
            ("\"\"\"\neval(x)\n\"\"\"", "\"\"\"\n\"\"\"\neval(x)"),
            ("exec '''a\n  b''' in d", "exec('''a\n b''', d)"),
            ("exec '''a\n  b''' in d", "exec('''a\n  c''', d)"),
            ("exec '''a''' in d", "exec('''a''' in d)"),
            ("execfile(path)", "exec(compile(open(other, 'rb').read(), path, 'exec'))"),
            ("execfile(path)", "exec(compile(open(path, 'rb').read(), path, 'eval'))"),
            ("pickle.load(open(path))", "pickle.load(open(path, 'w'))"),
            ("pickle.load(open(path))", "pickle.load(open(other, 'rb'))"),
            ("pickle.load(f(path))", "pickle.load(f(path, 'rb'))"),
            ("subprocess.Popen(['a'])", "subprocess.Popen(['a'], shell=True)"),
            ("x = [types.ListType, types.FunctionType]", "x = [dict, types.FunctionType]"),
            ("x = [types.ListType]", "x = [types.FunctionType]"),
            ("x = [a.types.ListType, eval]", "x = [list, eval]"),
            ("subprocess.Popen(['a'])", "subprocess.Popen(['a', text=True])"),
            ("", ""),
        ] {
            assert!(!is_unchanged(before, after), "{before} -> {after}");
        }
    }
}

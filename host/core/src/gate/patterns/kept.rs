//! Added lines that say what the deleted line in their place said: other white space, the parentheses that Python 3 wants
//! around what `print` and `exec` take, `as` in an `except`, a builtin or a module under its name in Python 3.
//!
//! What such a line runs ran before, so a proposal is not responsible for it. What must stay true: a line is kept only if
//! every word, every string and the order of all of them are the same, and no parenthesis moved but the outer ones of
//! `print` and `exec`. No line is kept where strings cannot be told from code.

use std::collections::HashSet;

use super::super::added::AddedLine;
use super::mask::{Masked, Reader};
use crate::patch::{FilePatch, LineKind};

/// Most bytes of a line that is compared.
const MAX_BYTES: usize = 4096;
/// Names that only changed with Python 3: before, now.
const RENAMED: [(&str, &str); 6] = [
    ("__builtin__", "builtins"),
    ("cPickle", "pickle"),
    ("commands", "subprocess"),
    ("func_globals", "__globals__"),
    ("raw_input", "input"),
    ("unicode", "str"),
];

/// The numbers of the added lines that say what a deleted line of the same place said. `before` is the whole file before
/// the change; `after` and `masked` are the file after it.
pub(super) fn kept(file: &FilePatch, before: &str, after: &str, masked: &Masked, reader: Reader) -> HashSet<u64> {
    if file.old_path != file.new_path || !reader.tells_strings() {
        return HashSet::new();
    }
    let masked_before = reader.mask(before);
    let (old, new) = (Lines::of(before, &masked_before), Lines::of(after, masked));
    let mut kept = HashSet::new();
    for (deleted, added) in edits(file) {
        let mut left: Vec<Said> = old.statements(&deleted).into_iter().map(|(said, _)| said).collect();
        for (said, lines) in new.statements(&added) {
            let Some(at) = left.iter().position(|old| *old == said) else { continue };
            left.swap_remove(at);
            kept.extend(lines);
        }
    }
    kept
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

/// The lines of a whole file: as they are written, without comments and the content of strings, and without comments.
struct Lines<'a>(Vec<[&'a str; 3]>);

/// What a statement says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    /// Words and signs outside of strings, in order.
    code: Vec<String>,
    /// Of each line, from the first quote to the last one.
    quoted: Vec<String>,
}

impl<'a> Lines<'a> {
    fn of(whole: &'a str, masked: &'a Masked) -> Self {
        let [code, plain] = [&masked.code, &masked.plain].map(|view| view.split('\n'));
        Self(whole.split('\n').zip(code).zip(plain).map(|((line, code), plain)| [line, code, plain]).collect())
    }

    /// What the statements of these lines say, each with the numbers of its lines. A line of which that is not certain ends
    /// a statement, and is in none.
    fn statements(&self, lines: &[AddedLine<'_>]) -> Vec<(Said, Vec<u64>)> {
        let mut statements = Vec::new();
        let (mut said, mut numbers) = (Said::default(), Vec::new());
        for line in lines {
            let part = self.said(line);
            let is_certain = part.is_some();
            if let Some(part) = part {
                said.code.extend(part.code);
                said.quoted.extend(part.quoted);
                numbers.push(line.number);
            }
            if !is_certain || !said.goes_on() {
                statements.push((std::mem::take(&mut said), std::mem::take(&mut numbers)));
            }
        }
        statements.push((said, numbers));
        let spoken = statements.into_iter().filter(|(said, _)| !said.code.is_empty());
        spoken.map(|(said, numbers)| (Said { code: canonical(said.code), ..said }, numbers)).collect()
    }

    /// What a line says; `None` if that is not certain, and for a line that says nothing.
    fn said(&self, line: &AddedLine<'_>) -> Option<Said> {
        let at = usize::try_from(line.number).ok()?.checked_sub(1)?;
        let [written, code, plain] = self.0.get(at)?;
        let fits = *written == line.text && line.text.len() <= MAX_BYTES;
        fits.then(|| Said::of(code, plain)).flatten()
    }
}

impl Said {
    fn of(code: &str, plain: &str) -> Option<Self> {
        const QUOTES: [char; 3] = ['"', '\'', '`'];
        let quoted = match (code.find(QUOTES), code.rfind(QUOTES)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        };
        // The content of a string whose quotes are on other lines.
        let outside = |text: &'_ str| Some((text.get(..quoted.start)?.to_owned(), text.get(quoted.end..)?.to_owned()));
        if outside(code) != outside(plain) {
            return None;
        }
        let code = words(code);
        let quoted = plain.get(quoted).filter(|text| !text.is_empty()).map(str::to_owned);
        (!code.is_empty()).then(|| Self { code, quoted: quoted.into_iter().collect() })
    }

    /// Whether the next line belongs to the statement.
    fn goes_on(&self) -> bool {
        let depth: i64 = self.code.iter().map(|word| opens(word)).sum();
        depth > 0 || self.code.last().is_some_and(|word| word == "\\")
    }
}

/// By how much a word changes the depth of brackets.
fn opens(word: &str) -> i64 {
    match word {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
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

/// The same, with the operands of a `print` or `exec` as if it had no parentheses, and a comma for the `as` of an `except`.
fn canonical(mut words: Vec<String>) -> Vec<String> {
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
        depth += opens(word);
        same.push(if depth == 0 && separates(word) { ",".to_owned() } else { word.clone() });
    }
    same
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

    fn is_kept(before: &str, after: &str) -> bool {
        let reader = Reader::of(&RepoPath::new("a.py").unwrap(), &[Language::Any, Language::Python]).unwrap();
        let said = |text: &str| {
            let (masked, lines) = (reader.mask(text), (1..).zip(text.split('\n')));
            let lines: Vec<_> = lines.map(|(number, text)| AddedLine { number, text }).collect();
            let all = Lines::of(text, &masked);
            all.statements(&lines).into_iter().map(|(said, _)| said).collect::<Vec<_>>()
        };
        let old = said(before);
        !old.is_empty() && old == said(after)
    }

    #[test]
    fn what_is_only_written_in_another_way_is_kept() {
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
        ] {
            assert!(is_kept(before, after), "{before}");
        }
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
            ("", ""),
        ] {
            assert!(!is_kept(before, after), "{before} -> {after}");
        }
    }
}

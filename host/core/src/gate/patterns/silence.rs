//! Changes that only silence a failing test: what is checked stays wrong, and the check no longer sees it.
//!
//! An edit that a gene found by trying is judged by the test alone, so nobody has said why it should be right. A change
//! that a person or a model explains may return a constant for a good reason; here it is refused.

use super::super::approved::{Approved, ApprovedChange};
use super::language::{is_test, languages};
use super::mask::Reader;
use crate::patch::shown;
use std::collections::BTreeSet;

/// Words that check something, or end with an error.
const CHECKS: &[&str] = &["assert", "raise", "throw"];
/// Words that take an error and go on.
const HANDLERS: &[&str] = &["except", "catch", "suppress"];
/// What ends a process or a test early.
const ENDS: &[&str] = &["exit", "_exit", "abort", "skip", "skipif", "skiptest", "xfail", "todo"];
/// Literals that every input may have to be compared with.
const PLAIN: &[&str] = &["", "0", "1", "-1", "2", "None", "True", "False", "null", "undefined", "true", "false", "NaN"];

/// Why a change only silences a test; `None` if nothing says so. Only Python and JavaScript are understood.
pub fn silences(approved: &Approved) -> Option<String> {
    approved.changes().iter().find_map(|change| {
        let reason = silenced(change)?;
        Some(format!("{}: {reason}", change.path))
    })
}

fn silenced(change: &ApprovedChange) -> Option<&'static str> {
    if is_test(&change.path) {
        return Some("it changes a test");
    }
    let text = |state: &Option<crate::tree::BlobState>| {
        state.as_ref().map(|state| shown(&state.content).into_owned()).unwrap_or_default()
    };
    let (before, after) = (text(&change.before), text(&change.after));
    let reader = Reader::of(&change.path, languages(&change.path, before.lines().next().unwrap_or_default()))?;
    matches!(reader, Reader::Python | Reader::JavaScript { .. }).then_some(())?;
    let (before, after) = (View::new(reader, &before), View::new(reader, &after));
    let (gone, new) = before.differs(&after);
    judge(&gone, &new)
}

/// A file's lines: without comments and the content of strings, and without comments only.
struct View {
    code: Vec<String>,
    plain: Vec<String>,
}

/// Lines that differ.
struct Part<'v> {
    code: Vec<&'v str>,
    plain: Vec<&'v str>,
}

impl View {
    fn new(reader: Reader, text: &str) -> Self {
        let masked = reader.mask(text);
        let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect();
        Self { code: lines(&masked.code), plain: lines(&masked.plain) }
    }

    /// What is between the common beginning and the common end.
    fn differs<'v>(&'v self, other: &'v Self) -> (Part<'v>, Part<'v>) {
        let (one, two) = (&self.plain, &other.plain);
        let start = one.iter().zip(two).take_while(|(a, b)| a == b).count();
        let most = one.len().min(two.len()) - start;
        let end = one.iter().rev().zip(two.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        (self.part(start, end), other.part(start, end))
    }

    fn part(&self, start: usize, end: usize) -> Part<'_> {
        let lines = |lines: &'_ [String]| -> std::ops::Range<usize> { start..lines.len() - end };
        let code = self.code.get(lines(&self.code)).unwrap_or_default().iter().map(String::as_str);
        let plain = self.plain.get(lines(&self.plain)).unwrap_or_default().iter().map(String::as_str);
        Part { code: code.collect(), plain: plain.collect() }
    }
}

impl Part<'_> {
    /// How many of these words it has as code.
    fn count(&self, words: &[&str]) -> usize {
        let all = self.code.iter().flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        all.filter(|word| words.contains(&word.to_ascii_lowercase().as_str())).count()
    }

    /// How many of its lines return a literal.
    fn constant_returns(&self) -> usize {
        self.plain.iter().filter_map(|line| returned(line)).filter(|value| is_literal(value)).count()
    }

    /// The literals that it compares something with.
    fn compared(&self) -> BTreeSet<&str> {
        self.plain.iter().flat_map(|line| compared(line)).filter(|literal| !PLAIN.contains(literal)).collect()
    }
}

fn judge(gone: &Part<'_>, new: &Part<'_>) -> Option<&'static str> {
    if gone.code.iter().chain(&new.code).all(|line| line.trim().is_empty()) {
        return Some("it changes nothing that runs");
    }
    if new.count(CHECKS) < gone.count(CHECKS) {
        return Some("it removes a check");
    }
    if new.count(HANDLERS) > gone.count(HANDLERS) {
        return Some("it takes an error and goes on");
    }
    if new.count(ENDS) > gone.count(ENDS) {
        return Some("it ends the program or the test early");
    }
    let known = gone.compared();
    let stated: String = gone.plain.join("\n");
    if new.compared().iter().any(|literal| !known.contains(literal) && !stated.contains(literal)) {
        return Some("it makes an exception for one input");
    }
    let was_returned = gone.plain.iter().any(|line| returned(line).is_some_and(|value| !is_literal(value)));
    (was_returned && new.constant_returns() > gone.constant_returns()).then_some("it returns a constant")
}

/// What a line returns, also behind a condition.
fn returned(line: &str) -> Option<&str> {
    let at = line.find("return").filter(|at| {
        let before = line.get(..*at).and_then(|before| before.chars().next_back());
        let after = line.get(at + 6..).and_then(|after| after.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })?;
    Some(line.get(at + 6..)?.trim().trim_end_matches([';', '}']).trim())
}

/// Whether an expression names nothing: numbers, texts, and lists of them.
fn is_literal(expression: &str) -> bool {
    let mut quote = None;
    let mut word = String::new();
    let mut is_free = true;
    for c in expression.chars().chain([' ']) {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None if is_word(c) => word.push(c),
            None => {
                let is_name =
                    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !PLAIN.contains(&word.as_str());
                is_free &= !is_name;
                word.clear();
            }
        }
    }
    is_free
}

/// The literals on the right or left of `==`, and those in a list after `in`.
fn compared(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, sign) in line.match_indices("==") {
        let rest = line.get(at + sign.len()..).unwrap_or_default().trim_start_matches('=').trim_start();
        found.extend(literal_at(rest));
        let before = line.get(..at).unwrap_or_default().trim_end_matches(['!', '=']).trim_end();
        let start = before.rfind(|c: char| c.is_whitespace() || c == '(').map_or(0, |at| at + 1);
        found.extend(before.get(start..).and_then(literal_at));
    }
    for (at, word) in line.match_indices(" in ").chain(line.match_indices(" is ")).chain(line.match_indices("case ")) {
        let rest = line.get(at + word.len()..).unwrap_or_default().trim_start_matches(['(', '[', '{', ' ']);
        // `for x in "abc"` compares nothing.
        let is_loop = line.get(..at).is_some_and(|before| before.contains("for "));
        found.extend(literal_at(rest).filter(|_| !is_loop));
    }
    found
}

/// The number or text at the start.
fn literal_at(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let end = match first {
        '"' | '\'' | '`' => text.get(1..)?.find(first).map(|at| at + 2)?,
        '0'..='9' | '-' => {
            text.get(1..)?.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).map_or(text.len(), |at| at + 1)
        }
        '[' | '(' | '{' => text.find([']', ')', '}']).map(|at| at + 1)?,
        _ => return None,
    };
    let literal = text.get(..end)?;
    let inner = literal.trim_matches(['"', '\'', '`', '[', ']', '(', ')', '{', '}', ' ']);
    if inner.is_empty() { None } else { Some(literal).filter(|literal| is_literal(literal)) }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::path::RepoPath;
    use crate::tree::{BlobState, FileMode};

    fn reason(path: &str, before: &str, after: &str) -> Option<&'static str> {
        let state = |text: &str| Some(BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) });
        silenced(&ApprovedChange { path: RepoPath::new(path).unwrap(), before: state(before), after: state(after) })
    }

    #[test]
    fn what_only_silences_is_named() {
        for (path, before, after, expected) in [
            ("a.py", "def f(n):\n    return g(n)\n", "def f(n):\n    return 7\n", "it returns a constant"),
            ("a.py", "    return g(n)\n", "    return [1, 'x']\n", "it returns a constant"),
            ("a.py", "    return a + b\n", "    return None\n", "it returns a constant"),
            ("a.js", "  return a.b(c);\n", "  return \"done\";\n", "it returns a constant"),
            ("a.js", "if (x) { return f(x); }\n", "if (x) { return true; }\n", "it returns a constant"),
            ("a.py", "    assert n > 0\n    return n\n", "    return n\n", "it removes a check"),
            ("a.py", "    raise ValueError(n)\n", "    pass\n", "it removes a check"),
            ("a.js", "  if (!n) throw new Error('n')\n", "\n", "it removes a check"),
            (
                "a.py",
                "    x = f()\n",
                "    try:\n        x = f()\n    except Exception:\n        x = 0\n",
                "it takes an error and goes on",
            ),
            ("a.js", "  f()\n", "  try { f() } catch (e) {}\n", "it takes an error and goes on"),
            (
                "a.py",
                "    x = f()\n",
                "    if n == 127:\n        return 7\n    x = f()\n",
                "it makes an exception for one input",
            ),
            ("a.py", "    x = f()\n", "    if s == 'abc': return x\n", "it makes an exception for one input"),
            ("a.py", "    x = f()\n", "    if 127 == n:\n        return x\n", "it makes an exception for one input"),
            ("a.py", "    x = f()\n", "    if n in (5, 9):\n        return x\n", "it makes an exception for one input"),
            (
                "a.py",
                "    x = f()\n",
                "    if xs == [3, 1]:\n        return y\n",
                "it makes an exception for one input",
            ),
            ("a.js", "  f()\n", "  if (n === 42) return m\n", "it makes an exception for one input"),
            ("a.py", "    x = f()\n", "    sys.exit(0)\n", "it ends the program or the test early"),
            ("a.js", "  f()\n", "  process.exit(0)\n", "it ends the program or the test early"),
            ("a.py", "    x = 1  # one\n", "    x = 1  # two\n", "it changes nothing that runs"),
            (
                "tests/test_a.py",
                "    self.assertEqual(f(1), 2)\n",
                "    self.assertEqual(f(1), 3)\n",
                "it changes a test",
            ),
        ] {
            assert_eq!(reason(path, before, after), Some(expected), "{before} -> {after}");
        }
    }

    #[test]
    fn repairs_are_not_taken_for_it() {
        for (path, before, after) in [
            ("a.py", "        n ^= n - 1\n", "        n &= n - 1\n"),
            ("a.py", "    return gcd(a % b, b)\n", "    return gcd(b, a % b)\n"),
            ("a.py", "    if n == 1:\n", "    if n == 0:\n"),
            ("a.py", "    return []\n", "    return [n]\n"),
            ("a.py", "    return None\n", "    return -1\n"),
            ("a.py", "    return True\n", "    return depth == 0\n"),
            ("a.py", "    return f(n)\n", "    if n == 0:\n        return 0\n    return f(n)\n"),
            ("a.py", "    x = f(n)\n", "    if not n:\n        return []\n    x = f(n)\n"),
            ("a.py", "    for c in 'abc':\n", "    for c in 'abcd':\n"),
            ("a.py", "    while lo < hi:\n", "    while lo <= hi:\n"),
            ("a.py", "    if c == '(':\n        d -= 1\n", "    if c == '(':\n        d += 1\n"),
            ("a.py", "        yield flatten(x)\n", "        yield from flatten(x)\n"),
            ("a.py", "    assert n >= 0\n", "    assert n > 0\n"),
            ("a.js", "  return a < b;\n", "  return a <= b;\n"),
            ("a.js", "  if (x === null) return y;\n", "  if (x === undefined) return y;\n"),
            ("a.py", "    raise ValueError\n", "    raise KeyError\n"),
            (
                "a.py",
                "    for x in y:\n        z += x\n        return z\n",
                "    for x in y:\n        z += x\n    return z\n",
            ),
            ("a.rs", "    return f(x);\n", "    return 7;\n"),
        ] {
            assert_eq!(reason(path, before, after), None, "{before} -> {after}");
        }
    }
}

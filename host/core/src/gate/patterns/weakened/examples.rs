//! Examples in the documentation of code that a runner tries: doctests of Python, Elixir, Haskell and Rust, examples of Go.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::{ApprovedChange, BlobState};
use super::super::language::is_test;
use crate::patch::shown;

/// Most examples of one file that are compared.
const MOST: usize = 2_000;

/// Why the examples of a file show less after a change.
pub(super) fn fewer(change: &ApprovedChange) -> Option<String> {
    let extension = change.path.file_name().rsplit_once('.').map_or("", |(_, extension)| extension);
    let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
    let has = |state: &BlobState, word: &str| memchr::memmem::find(&state.content, word.as_bytes()).is_some();
    let both = |what: fn(&str, &str) -> Option<String>| what(&shown(&before.content), &shown(&after.content));
    match extension {
        "py" | "pyx" | "rst" | "hs" | "md" | "txt" if has(before, ">>> ") => both(prompted),
        "ex" | "exs" | "livemd" if has(before, "iex>") || has(before, "doctest ") => {
            both(prompted).or_else(|| both(of_elixir))
        }
        "rs" if has(before, "```") => both(fenced),
        "go" if is_test(&change.path) && has(before, "utput:") => both(printed),
        _ => None,
    }
}

/// An example, from its prompt: what it is given, what is expected, and what a runner is told.
#[derive(Default)]
struct Example<'t> {
    expected: Vec<&'t str>,
    options: &'t str,
}

/// What stands behind the prompt of a line, and what its runner is told there.
fn prompt(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim().trim_start_matches("-- ");
    let asked = bare.strip_prefix(">>> ").or_else(|| bare.strip_prefix("iex> ")).or_else(|| {
        let (number, rest) = bare.strip_prefix("iex(")?.split_once(")>")?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
    })?;
    let (code, options) = asked.split_once("# doctest:").unwrap_or((asked, ""));
    Some((code.trim(), options.trim()))
}

fn examples(text: &str) -> BTreeMap<&str, Example<'_>> {
    let mut found: BTreeMap<&str, Example<'_>> = BTreeMap::new();
    let mut last = None;
    for line in text.lines() {
        if let Some((code, options)) = prompt(line) {
            if found.len() >= MOST {
                break;
            }
            found.entry(code).or_default().options = options;
            last = Some(code);
            continue;
        }
        let bare = line.trim();
        if bare.is_empty() || [r#"""""#, "'''", "```"].iter().any(|end| bare.starts_with(end)) {
            last = None;
        }
        let goes_on = bare.starts_with("... ") || bare == "..." || bare.starts_with("...>") || bare.starts_with(">>>");
        if let Some(example) = last.and_then(|code| found.get_mut(code)).filter(|_| !goes_on) {
            example.expected.push(bare);
        }
    }
    found
}

/// Examples that are still there, and that are not tried, or of which less is expected.
fn prompted(before: &str, after: &str) -> Option<String> {
    let (old, new) = (examples(before), examples(after));
    let weaker = new.iter().find_map(|(code, now)| {
        let was = old.get(code)?;
        let told = |option: &str| now.options.contains(option) && !was.options.contains(option);
        let any = |example: &Example<'_>| example.expected.iter().any(|line| line.starts_with("..."));
        let why = if told("+SKIP") {
            "is not tried any more"
        } else if told("+IGNORE_EXCEPTION_DETAIL") || any(now) && !any(was) {
            "may give almost anything"
        } else if now.expected.is_empty() && !was.expected.is_empty() {
            "may give anything"
        } else {
            return None;
        };
        Some(format!("the example `{code}` {why}"))
    });
    // The lines of an example may stay without their prompts.
    let unprompted = || {
        let lines: BTreeSet<&str> = after.lines().map(|line| line.trim().trim_end_matches('\\')).collect();
        let lost = old.keys().find(|code| code.len() > 3 && !new.contains_key(*code) && lines.contains(*code))?;
        Some(format!("the example `{lost}` has no prompt any more"))
    };
    weaker.or_else(unprompted)
}

/// Modules of which the examples are no longer tried, or some of them.
fn of_elixir(before: &str, after: &str) -> Option<String> {
    let lines = |text: &str, what: &dyn Fn(&str) -> bool| {
        text.lines().filter(|line| line.trim_start().starts_with("doctest ") && what(line)).count()
    };
    let partly = |line: &str| ["except:", "only:", "import: false"].iter().any(|word| line.contains(word));
    let fewer = lines(after, &|_| true) < lines(before, &|_| true);
    (fewer || lines(after, &partly) > lines(before, &partly))
        .then(|| "examples of a module are not tried any more".to_owned())
}

/// How the examples of a file of Rust are marked: how many run, how many do not, and how many checks stand in the first ones.
fn fences(text: &str) -> (usize, usize, usize) {
    const OFF: &[&str] = &["compile_fail", "ignore", "no_run", "text"];
    let (mut on, mut off, mut checks, mut open) = (0, 0, 0, None);
    for line in text.lines() {
        let bare = line.trim_start();
        let Some(said) = bare.strip_prefix("///").or_else(|| bare.strip_prefix("//!")) else {
            open = None;
            continue;
        };
        let said = said.trim();
        if let Some(mark) = said.strip_prefix("```") {
            open = if open.is_some() {
                None
            } else {
                let is_off = mark.split([',', ' ']).any(|word| OFF.contains(&word) || word.starts_with("ignore-"));
                let is_rust = mark.split([',', ' ']).all(|word| {
                    ["", "rust", "should_panic", "no_run", "ignore"].contains(&word)
                        || word.starts_with("edition")
                        || word.starts_with("ignore-")
                });
                on += usize::from(is_rust && !is_off);
                off += usize::from(is_off);
                Some(is_rust && !is_off)
            };
        } else if open == Some(true) && said.trim_start_matches("# ").starts_with("assert") {
            checks += 1;
        }
    }
    (on, off, checks)
}

/// Examples of Rust that are only compiled, or not even that, or that ask for less.
fn fenced(before: &str, after: &str) -> Option<String> {
    let ((on, off, checks), (now_on, now_off, now_checks)) = (fences(before), fences(after));
    if now_on < on && now_off > off {
        return Some("an example is not run any more".to_owned());
    }
    (now_on == on && now_off == off && now_checks < checks).then(|| "an example checks less".to_owned())
}

/// Examples of Go that are only compiled, since nothing says what they print.
fn printed(before: &str, after: &str) -> Option<String> {
    let (old, new) = (of_go(before), of_go(after));
    let lost = old.iter().find(|(name, prints)| **prints && new.get(*name) == Some(&false));
    lost.map(|(name, _)| format!("`{name}` no longer says what it prints, so that it is not run"))
}

/// The examples of a file of Go, and whether they say what they print.
fn of_go(text: &str) -> BTreeMap<&str, bool> {
    let mut found = BTreeMap::new();
    let mut own = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("func ") {
            own = rest.split('(').next().filter(|name| name.starts_with("Example") && found.len() < MOST);
            found.extend(own.map(|name| (name, false)));
        }
        let said = line.trim().strip_prefix("//").map(|said| said.trim().to_ascii_lowercase()).unwrap_or_default();
        if let Some(name) = own.filter(|_| said.starts_with("output:") || said.starts_with("unordered output:")) {
            found.insert(name, true);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_that_stay_are_not_tried_or_say_less() {
        let old = "def f(a):\n    \"\"\"\n    >>> f(1)\n    'one'\n    >>> f(2)\n    'two'\n    \"\"\"\n";
        let less = |from: &str, to: &str| prompted(old, &old.replace(from, to)).is_some();
        for (from, to) in [
            (">>> f(1)", ">>> f(1)  # doctest: +SKIP"),
            ("'one'", "..."),
            ("    'two'\n", ""),
            (">>> f(1)", "f(1)"),
            (">>> f(2)", ">>> f(2)  # doctest: +IGNORE_EXCEPTION_DETAIL"),
        ] {
            assert!(less(from, to), "{from} {to}");
        }
        for (from, to) in [
            ("'one'", "'1'"),
            (">>> f(1)", ">>> f(0)\n    'zero'\n    >>> f(1)"),
            ("    >>> f(2)\n    'two'\n", ""),
            (">>> f(1)", ">>> f(1)  # doctest: +NORMALIZE_WHITESPACE"),
            (">>> f(1)", ">>> f(1)  # doctest: +ELLIPSIS"),
            ("    >>> f(2)", "\n    Prose.\n\n    >>> f(2)"),
        ] {
            assert!(!less(from, to), "{from} {to}");
        }
    }

    #[test]
    fn examples_of_other_languages() {
        let rust = "/// ```\n/// assert_eq!(f(1), 2);\n/// ```\nfn f() {}\n";
        for (from, to) in [
            ("/// ```\n/// a", "/// ```no_run\n/// a"),
            ("/// ```\n/// a", "/// ```rust,ignore\n/// a"),
            ("assert_eq!(f(1), 2);", "f(1);"),
        ] {
            assert!(fenced(rust, &rust.replace(from, to)).is_some(), "{to}");
        }
        for (from, to) in [
            ("/// ```\n/// a", "/// ```rust\n/// a"),
            ("f(1), 2", "f(1), 3"),
            ("fn f() {}", "/// ```text\n/// a\n/// ```\nfn f() {}"),
        ] {
            assert!(fenced(rust, &rust.replace(from, to)).is_none(), "{to}");
        }
        let go = "func ExampleA() {\n\tfmt.Println(1)\n\t// Output: 1\n}\n\nfunc f() {}\n";
        assert!(printed(go, &go.replace("\t// Output: 1\n", "")).is_some());
        assert!(printed(go, &go.replace("Output: 1", "Unordered output: 1")).is_none());
        assert!(printed(go, "func f() {}\n").is_none());
        let elixir = "  doctest A\n  doctest B\n";
        assert!(
            of_elixir(elixir, "  doctest A\n").is_some()
                && of_elixir(elixir, &elixir.replace('B', "B, except: [f: 1]")).is_some()
        );
        assert!(of_elixir(elixir, &elixir.replace('B', "C")).is_none());
    }
}

//! Names in outputs: failing tests, the rules of compilers and linters, quoted names and files.

use std::borrow::Cow;

use crate::command::paths::is_absolute;
use crate::output::cut::is_cut;
use crate::output::line::{rule_of_oxlint, short_path, untagged};
use crate::output::test_errors::is_count_of_mocha;
use crate::text::around;

/// Most names that are taken from one output.
pub(crate) const MAX_NAMES: usize = 24;
/// Longest name, in bytes.
const MAX_BYTES: usize = 100;

/// Texts before the name of a failed test, with what ends the name.
const TEST_MARKS: [(&str, &[&str]); 14] = [
    ("--- FAIL: ", &[" ("]),
    ("FAILED ", &[" - ", " ("]),
    ("ERROR tests/", &[" - "]),
    ("(fail) ", &[" ["]),
    ("✗ ", &[" (", " ["]),
    ("✘ ", &[" (", " ["]),
    ("✖ ", &[" (", " ["]),
    ("✕ ", &[" (", " ["]),
    ("× ", &[" (", " ["]),
    ("● ", &[]),
    ("not ok ", &[" # "]),
    ("FAIL: ", &[" ("]),
    ("rspec ./", &[" # "]),
    ("[FAIL] ", &[]),
];

/// The names of the tests that an output reports as failed, each once.
pub(crate) fn failed_tests(output: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in output.lines() {
        let line = untagged(line);
        let Some(name) = failed_test(line.trim_start()).filter(|name| !is_cut(name)) else { continue };
        if !names.iter().any(|known| known == name) && names.len() < MAX_NAMES {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() {
        names = failed_in_mocha(output);
    }
    // A parent that fails because of its subtests says nothing that they do not say.
    let parents: Vec<bool> = names
        .iter()
        .map(|name| {
            names.iter().any(|other| {
                other.len() > name.len() && other.starts_with(name.as_str()) && other[name.len()..].starts_with('/')
            })
        })
        .collect();
    let mut is_parent = parents.into_iter();
    names.retain(|_| is_parent.next() == Some(false));
    names
}

/// The test of a subtest or of a parameter: `TestA` of `TestA/b`, `a.py::test_b` of `a.py::test_b[1]`.
pub(crate) fn test_of(name: &str) -> &str {
    const OF_GO: [&str; 4] = ["Test", "Example", "Fuzz", "Benchmark"];
    let is_of_go = !name.contains([' ', ':']) && OF_GO.iter().any(|start| name.starts_with(start));
    let end = if is_of_go { name.find('/') } else { name.find('[').filter(|_| name.ends_with(']')) };
    end.and_then(|at| name.get(..at)).filter(|test| !test.is_empty() && !test.contains(' ')).unwrap_or(name)
}

/// mocha numbers the suites with failures below their number: `  1) Suite`.
fn failed_in_mocha(output: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let below = output.lines().map(str::trim).skip_while(|line| !is_count_of_mocha(line)).skip(1);
    for line in below {
        let Some((number, name)) = line.split_once(") ") else { continue };
        let is_known = names.iter().any(|known| known == name);
        if is_number(number) && !is_known && names.len() < MAX_NAMES {
            names.push(name.trim_end_matches(':').to_owned());
        }
    }
    names
}

fn failed_test(line: &str) -> Option<&str> {
    // `a.py::test_b FAILED [ 28%]`
    let of_pytest = |mark: &str| {
        let (name, rest) = line.rsplit_once(mark)?;
        (name.contains("::") && !name.contains(' ') && (rest.is_empty() || rest.trim_start().starts_with('[')))
            .then_some(name)
    };
    let name = if let Some(name) = of_pytest(" FAILED").or_else(|| of_pytest(" ERROR")) {
        name
    } else if let Some(rest) = line.strip_prefix("test ") {
        // `test a::b ... FAILED`
        rest.split_once(" ... FAILED")?.0
    } else if let Some((name, suite)) = line.strip_prefix("ERROR: ").and_then(|rest| rest.split_once(" (")) {
        // `ERROR: test_a (module.Case)`
        Some(name).filter(|name| {
            !name.contains(' ') && suite.contains('.') && suite.ends_with(')') && !suite.contains("_FailedTest")
        })?
    } else if let Some((name, _)) = line.strip_prefix("Failed ").and_then(|rest| rest.split_once(" [")) {
        // `Failed Suite.Case [12 ms]`
        Some(name).filter(|name| !name.contains(' '))?
    } else if let Some((_, rest)) = line.strip_prefix("[xUnit.net ").and_then(|rest| rest.split_once("] ")) {
        // `[xUnit.net 00:00:01.52]     App.Tests.Adds [FAIL]`
        rest.strip_suffix(" [FAIL]")?
    } else if let Some(name) = of_phpunit(line).or_else(|| of_playwright(line)).or_else(|| of_java(line)) {
        name
    } else {
        let (mark, ends) = TEST_MARKS.iter().find(|(mark, _)| line.starts_with(mark))?;
        let rest = line.strip_prefix(mark)?;
        let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
        let name = rest.get(..end)?;
        let name = untimed(name);
        // TAP numbers its tests.
        if *mark == "not ok " {
            name.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '-'))
        } else {
            name
        }
    };
    let name = name.trim();
    let is_name = name.len() > 2 && name.len() <= 200 && name.contains(char::is_alphabetic);
    // The last two are headings of jest, which marks failed tests in the same way.
    let is_summary = name.starts_with("(failures=")
        || name.starts_with("(errors=")
        || name.starts_with("Tests")
        || name.ends_with(':')
        || matches!(name, "Console" | "Test suite failed to run");
    (is_name && !is_summary).then_some(name)
}

/// The name of a test without how long it took: `adds 5ms`.
fn untimed(name: &str) -> &str {
    let is_time = |word: &str| {
        let number = word.strip_suffix("ms").or_else(|| word.strip_suffix('s')).unwrap_or_default();
        number.split('.').all(is_number)
    };
    name.trim_end().rsplit_once(' ').filter(|(_, last)| is_time(last)).map_or(name, |(name, _)| name)
}

/// `1) Suite::test`
fn of_phpunit(line: &str) -> Option<&str> {
    let (number, name) = line.split_once(") ")?;
    (is_number(number) && name.contains("::") && !name.contains(' ')).then_some(name)
}

/// `ATest > nested > b() FAILED` of Gradle, `[ERROR] a.ATest.b -- Time elapsed: 1 s <<< FAILURE!` of Maven.
fn of_java(line: &str) -> Option<&str> {
    let of_gradle = || line.strip_suffix(" FAILED").filter(|name| name.contains(" > ") && !name.contains(": "));
    let of_maven = || {
        let (name, rest) = line.trim_start_matches("[ERROR]").trim_start().split_once(' ')?;
        let fails = rest.contains("<<< FAILURE!") || rest.contains("<<< ERROR!");
        (fails && rest.contains("Time elapsed") && name.contains(['.', '('])).then_some(name)
    };
    of_gradle().or_else(of_maven)
}

/// `[chromium] \u{203a} e2e/a.spec.ts:10:5 \u{203a} title`, below the number of failed tests or with its own number before it.
fn of_playwright(line: &str) -> Option<&str> {
    let line = line.split_once(") ").filter(|(number, _)| is_number(number)).map_or(line, |(_, rest)| rest);
    let (place, title) = line.strip_prefix('[')?.split_once(" \u{203a} ")?.1.split_once(" \u{203a} ")?;
    let is_place = place.rsplit(':').take(2).all(is_number) && place.contains(':');
    is_place.then(|| title.trim_end_matches(['\u{2500}', ' ']))
}

/// The compiler that an output is from, whatever ran it, by the form of its codes.
pub(crate) fn compiler(output: &str) -> Option<&'static str> {
    let is_typescript = |line: &str| {
        line.split_once("error TS").is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    if output.lines().any(is_typescript) {
        return Some("tsc");
    }
    let is_rust = |line: &str| line.trim_start().starts_with("error[E0");
    output.lines().any(is_rust).then_some("rustc")
}

/// The rules or codes of the problems that an output reports, such as `errcheck`, `E0308`, `TS2345` or `F401`, each once.
pub(crate) fn rules(output: &str) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    // ruff: `E501 Line too long`, with the place below.
    let is_headed = output.contains(" --> ");
    for line in output.lines() {
        let line = untagged(line);
        let head = || line.split(' ').next().filter(|word| is_headed && is_code(word));
        if let Some(rule) = rule(line.trim()).or_else(head).filter(|rule| !rules.iter().any(|known| known == rule)) {
            if rules.len() == MAX_NAMES {
                break;
            }
            rules.push(rule.to_owned());
        }
    }
    rules
}

fn rule(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("error[") {
        return rest.split_once(']').map(|(code, _)| code).filter(|code| is_code(code));
    }
    if let Some((_, rest)) = line.split_once("error TS") {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let start = line.len() - rest.len() - 2;
        return line.get(start..start + 2 + end);
    }
    // `- E999 SyntaxError: …`
    let listed = line.strip_prefix("- ").and_then(|rest| rest.split_whitespace().next()).filter(|word| is_code(word));
    if listed.is_some() {
        return listed;
    }
    if let Some(rule) = rule_of_oxlint(line) {
        return Some(rule).filter(|rule| is_rule(rule));
    }
    let words = || line.split_whitespace();
    // `^-- SC2086 (info): …` of shellcheck, `Dockerfile:3 DL3008 warning: …` of hadolint.
    let of_shell = line.strip_prefix("^-- ").or_else(|| {
        let (place, rest) = line.split_once(' ')?;
        Some(rest).filter(|_| place.rsplit_once(':').is_some_and(|(_, at)| is_number(at)))
    });
    let of_shell = of_shell.and_then(|rest| rest.split(' ').next()).filter(|word| is_code(word) && word.len() == 6);
    if of_shell.is_some() {
        return of_shell;
    }
    // `a.go:3:5: message (errcheck)`, `a.py:1:2: message  [attr-defined]`
    // The frames of Elixir, `lib/a.ex:41: (module)`, have no message.
    let is_place = words().next().is_some_and(|word| word.matches(':').count() >= 2 && word.contains('.'))
        && words().nth(2).is_some();
    if is_place {
        let last = words().last()?;
        let inner = last.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let inner = inner.or_else(|| last.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')));
        // `a.py:1:2: F401 message`
        return inner
            .filter(|rule| is_rule(rule))
            .or_else(|| words().nth(1).map(|word| word.trim_end_matches(':')).filter(|word| is_code(word)));
    }
    // eslint: `  12:5  error  message  rule-name`
    let (at, severity) = (words().next()?, words().nth(1)?);
    let is_eslint = at.split_once(':').is_some_and(|(line, column)| is_number(line) && is_number(column));
    (is_eslint && severity == "error" && !line.contains("  Parsing error: "))
        .then(|| words().last())
        .flatten()
        .filter(|rule| is_rule(rule))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `E0308`, `F401`, `SC2086`.
fn is_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    (1..=4).contains(&letters) && (2..=5).contains(&digits.len()) && is_number(digits)
}

/// `errcheck`, `no-unused-vars`, `@typescript-eslint/no-explicit-any`.
fn is_rule(word: &str) -> bool {
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b'@'));
    plain && (3..=60).contains(&word.len()) && word.contains(|c: char| c.is_ascii_lowercase())
}

/// Keys under which tools take the path of a file.
const PATH_KEYS: [&str; 6] =
    ["\"file_path\":", "\"path\":", "\"filePath\":", "\"target_file\":", "\"notebook_path\":", "\"absolute_path\":"];

/// The file that a call works on, as its input names it.
pub(crate) fn file(input: &str) -> Option<&str> {
    let after = |key: &str| input.split_once(key).map(|(_, rest)| rest);
    let patched = || ["*** Update File: ", "*** Add File: ", "*** Delete File: "].iter().find_map(|mark| after(mark));
    // Some agents write a space after the colon.
    let named = || PATH_KEYS.iter().find_map(|key| after(key)?.trim_start().strip_prefix('"'));
    let rest = named().or_else(patched).or_else(|| {
        let line = input.trim();
        (!line.starts_with('{') && !line.contains(char::is_whitespace) && line.contains(['.', '/'])).then_some(line)
    })?;
    let bytes = rest.as_bytes();
    let is_double = |at: usize| bytes.get(at + 1) == Some(&b'\\') || at > 0 && bytes.get(at - 1) == Some(&b'\\');
    // In JSON the backslashes of Windows are doubled; a single one begins `\n`.
    let ends = |(at, byte): &(usize, &u8)| matches!(byte, b'"' | b'\n') || **byte == b'\\' && !is_double(*at);
    let end = bytes.iter().enumerate().find(ends).map_or(rest.len(), |(at, _)| at);
    rest.get(..end).map(str::trim).filter(|path| !path.is_empty())
}

/// The parameter that a tool complains about, as far as the output says it.
pub(crate) fn parameter(output: &str) -> Option<&str> {
    let plain = |name: &&str| !name.is_empty() && name.len() <= 60 && !name.contains(char::is_whitespace);
    let behind = |mark: &str, end: char| {
        let (_, rest) = output.split_once(mark)?;
        rest.split(end).next().filter(plain)
    };
    // `- edits.0: must be object`
    let listed = || {
        let lines = output.lines().filter_map(|line| line.trim_start().strip_prefix("- ")?.split_once(": must "));
        // `edits.0` is an item of `edits`.
        lines.map(|(name, _)| name.split('.').next().unwrap_or_default()).find(plain)
    };
    behind("arameter `", '`')
        .or_else(|| behind("arameter '", '\''))
        // `for function 'run': {'command', 'risk'}`
        .or_else(|| behind("': {'", '\''))
        .or_else(|| behind("\"path\":[\"", '"'))
        .or_else(|| behind("\"path\": [\n      \"", '"'))
        .or_else(listed)
}

/// Whether a text has one of the words of another one, with nothing of a word around it.
pub(crate) fn names_word(text: &str, words: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut names =
        words.split([' ', '=', ',']).map(|word| word.trim_matches(['"', '\'', '`', '-'])).filter(|word| word.len() > 1);
    names.any(|name| {
        around(text, name).any(|(before, after)| !before.ends_with(is_of_word) && !after.starts_with(is_of_word))
    })
}

/// The first path in quotation marks that has a blank.
fn quoted_path(line: &str) -> Option<&str> {
    const MARKS: [(char, char); 4] = [('\'', '\''), ('"', '"'), ('`', '`'), ('\u{2018}', '\u{2019}')];
    let inside = |(open, close): (char, char)| {
        let (before, rest) = line.split_once(open)?;
        let path = rest.split(close).next().filter(|path| path.len() < rest.len())?;
        let is_path = is_absolute(path) || path.starts_with("./") || path.starts_with("../");
        // An apostrophe within a word quotes nothing.
        let is_quoted = !before.ends_with(char::is_alphanumeric);
        (path.contains(' ') && is_path && is_quoted && !path.contains("://")).then_some(path)
    };
    MARKS.into_iter().find_map(inside)
}

/// The first word with a slash, or with a dot that does not end a sentence.
pub(crate) fn path(line: &str) -> Option<&str> {
    let words = || line.split([' ', '\t', '"', '\'', '`', '=', '(', ')', ',', '\u{2018}', '\u{2019}', '[', ']']);
    let shown = |part: &&str| part.len() > 1 && !part.contains("://") && !part.contains("</");
    let bare = |part: &&str| part.trim_end_matches([':', '.']).len() > 1;
    if let Some(path) = quoted_path(line) {
        return Some(path);
    }
    words()
        .filter(shown)
        .find(|part| part.trim_end_matches([':', '.']).contains('/') && bare(part))
        .or_else(|| words().filter(shown).find(|part| part.trim_end_matches([':', '.']).contains('.') && bare(part)))
        // Only paths of Windows have several backslashes between names.
        .or_else(|| words().find(|part| part.split('\\').filter(|name| name.len() > 1).count() > 2))
        .map(|part| part.trim_end_matches([':', '.', ';']))
}

/// A name as it is counted and shown: on one line, with a long path shortened.
pub(crate) fn shown(name: &str) -> Option<String> {
    let name = name.trim().trim_end_matches("</tool_use_error>");
    let short: Cow<'_, str> = short_path(name);
    let end = short.floor_char_boundary(MAX_BYTES);
    let text = short.get(..end)?.replace(|c: char| c.is_control() || c == '`', " ");
    // What was cut or replaced may have left a space at an end.
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_key_and_never_by_a_closing_tag() {
        for input in [r#"{"file_path":"/a/b.py"}"#, r#"{"file_path": "/a/b.py", "limit": 1}"#] {
            assert_eq!(file(input), Some("/a/b.py"), "{input}");
        }
        assert_eq!(path("<tool_use_error>File does not exist.</tool_use_error>"), None);
        assert_eq!(path("cat: a/b.py: No such file"), Some("a/b.py"));
        for (line, expected) in [
            (
                "Cannot find path 'C:\\Users\\x\\My App\\a.txt' because it does not exist.",
                "C:\\Users\\x\\My App\\a.txt",
            ),
            ("open \"/w/a b/c.md\" failed", "/w/a b/c.md"),
            ("ls: cannot access './a b': No such file", "./a b"),
            ("it can't open /w/a.md, it isn't there", "/w/a.md"),
            ("'/w/a.md' is no folder", "/w/a.md"),
            ("no file 'a b' in /w/c", "/w/c"),
            ("'/w/a is open", "/w/a"),
            ("rg: app\\pytest_tmp\\tmpqr9: Access is denied", "app\\pytest_tmp\\tmpqr9"),
        ] {
            assert_eq!(path(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_shown_name_has_no_space_at_its_ends() {
        assert_eq!(shown(" `agentv` ").as_deref(), Some("agentv"));
        assert_eq!(shown("`\u{1b}`"), None);
    }

    #[test]
    fn a_subtest_belongs_to_its_test() {
        for (name, test) in [
            ("TestA/b/c", "TestA"),
            ("TestA", "TestA"),
            ("tests/a.py::test_b", "tests/a.py::test_b"),
            ("tests/a.py::test_b[1-x y]", "tests/a.py::test_b"),
            ("a.ATest.b(String)[2]", "a.ATest.b(String)"),
            ("handles [x]", "handles [x]"),
            ("[x]", "[x]"),
            ("a::tests::b", "a::tests::b"),
            ("Testing a/b", "Testing a/b"),
        ] {
            assert_eq!(test_of(name), test);
        }
    }

    #[test]
    fn failed_tests_are_named_by_every_runner() {
        for (output, expected) in [
            ("--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/b (0.00s)\nFAIL", &["TestA/b"][..]),
            ("ATest > Nested > b() FAILED\n    java.lang.AssertionError", &["ATest > Nested > b()"]),
            ("> Task :test FAILED\n", &[]),
            (
                "[ERROR] Tests run: 2, Failures: 1, Time elapsed: 0.1 s <<< FAILURE! - in a.ATest\n[ERROR] a.ATest.b -- Time elapsed: \
                 0.01 s <<< FAILURE!\nc(a.ATest)  Time elapsed: 0 sec  <<< ERROR!",
                &["a.ATest.b", "c(a.ATest)"],
            ),
            ("FAILED tests/a.py::test_b - assert 1 == 2\n1 failed", &["tests/a.py::test_b"]),
            ("(fail) math > adds [1.20ms]\n 0 pass\n 1 fail", &["math > adds"]),
            ("  ✕ adds two numbers (5 ms)", &["adds two numbers"]),
            ("  × src/a.test.ts > adds 12ms", &["src/a.test.ts > adds"]),
            ("test a::b ... FAILED\ntest a::c ... ok", &["a::b"]),
            ("not ok 3 - parses\nok 4 - prints", &["parses"]),
            ("t/a.py::test_b FAILED [ 28%]\nt/a.py::test_failed PASSED [ 30%]", &["t/a.py::test_b"]),
            ("FAIL: test_x (mod.Case.test_x)", &["test_x"]),
            ("FAILED t/a.py::test_b - no\nFAILED t/a.py::test_cd...[truncated]", &["t/a.py::test_b"]),
            ("  ● Suite › name", &["Suite › name"]),
            (
                "[xUnit.net 00:00:01.52]     App.Tests.Adds [FAIL]\n[xUnit.net 00:00:01.6]   Finished: App",
                &["App.Tests.Adds"],
            ),
            ("FAILED (failures=1)", &[]),
            (
                "  1 passing\n  2 failing\n\n  1) Config\n       reads:\n     TypeError: no\n  2) Server:",
                &["Config", "Server"],
            ),
            ("all is well", &[]),
        ] {
            assert_eq!(failed_tests(output), expected, "{output}");
        }
    }

    #[test]
    fn rules_are_named_by_every_checker() {
        for (output, expected) in [
            ("a/b.go:3:5: x is not checked (errcheck)", &["errcheck"][..]),
            ("error[E0308]: mismatched types", &["E0308"]),
            ("src/a.ts(1,2): error TS2345: no", &["TS2345"]),
            ("src/a.ts:1:2 - error TS2304: no", &["TS2304"]),
            ("a.py:1:2: F401 'x' imported but unused\na.py:2:2: F401 'y'", &["F401"]),
            ("a.py:3:5: error: no attribute  [attr-defined]", &["attr-defined"]),
            ("  12:5  error  'x' is defined but never used  no-unused-vars", &["no-unused-vars"]),
            ("  x eslint(func-style): Expected a function expression.", &["func-style"]),
            ("  × react-hooks(exhaustive-deps): a dep is missing", &["exhaustive-deps"]),
            ("x f(a): b c", &[]),
            ("    lib/a/b.ex:41: (module)", &[]),
            ("lib/a/b.ex:41: A.b/1", &[]),
            ("a.go:3:5: undefined: x", &[]),
            ("error: could not compile", &[]),
        ] {
            assert_eq!(rules(output), expected, "{output}");
        }
    }

    #[test]
    fn files_and_paths_are_found() {
        assert_eq!(file(r#"{"replace_all":false,"file_path":"/w/a.rs","old_string":"x"}"#), Some("/w/a.rs"));
        assert_eq!(file("*** Begin Patch\n*** Update File: src/a.ts\n@@"), Some("src/a.ts"));
        assert_eq!(file(r#"{"path":"C:\\w\\a.py","x":1}"#), Some(r"C:\\w\\a.py"));
        assert_eq!(file(r#"{"patch":"*** Update File: src/a.ts\n@@"}"#), Some("src/a.ts"));
        assert_eq!(file("src/a.rs"), Some("src/a.rs"));
        assert_eq!(file("ls -la"), None);
        assert_eq!(path("sed: can't read a/b.txt: No such file or directory"), Some("a/b.txt"));
        assert_eq!(path("FileNotFoundError: [Errno 2] No such file or directory: 'x.csv'"), Some("x.csv"));
    }
}

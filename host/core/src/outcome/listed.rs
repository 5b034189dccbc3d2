//! What linters and formatters list that print what is wrong and exit with code 0, or whose exit code is lost.

use super::own_errors::name_of;
use super::shell::lints;

/// Programs that print what is wrong, and exit with code 0: the option that asks for it.
const LIST_WHAT_IS_WRONG: &[(&str, &[&str])] = &[
    ("autopep8", &["--diff", "-d"]),
    ("black", &["--check", "--diff"]),
    ("docformatter", &["--check", "-c"]),
    ("gofmt", &["-l", "-d"]),
    ("gofumpt", &["-l", "-d"]),
    ("goimports", &["-l", "-d"]),
    ("isort", &["--check", "--check-only", "-c", "--diff"]),
    ("prettier", &["-l", "--list-different"]),
    ("ruff", &["--diff"]),
    ("shfmt", &["-l", "-d"]),
    ("terraform", &["-check"]),
    ("tofu", &["-check"]),
    ("yapf", &["--diff", "-d"]),
];

/// Whether the program lists the files that are wrong, and the output has such a file, a patch, or their number.
pub(super) fn lists_what_is_wrong(words: &[String], text: &str) -> bool {
    let Some((program, options)) = words.split_first() else { return false };
    let asked = LIST_WHAT_IS_WRONG
        .iter()
        .any(|(name, asks)| *name == name_of(program) && options.iter().any(|option| asks.contains(&option.as_str())));
    let is_file = |line: &str| {
        let end = line.rsplit_once('.').map_or("", |(_, end)| end);
        !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !line.contains(char::is_whitespace)
    };
    let begins_a_patch = |line: &str| ["diff ", "--- ", "@@ "].iter().any(|start| line.starts_with(start));
    asked
        && (is_a_count(text)
            || text.lines().any(|line| is_file(line) || begins_a_patch(line))
            || is_within_a_patch(text))
}

/// Whether all lines are those of a patch, and some change something: its end, or its middle.
fn is_within_a_patch(text: &str) -> bool {
    let changes = |line: &str| line.starts_with(['+', '-']);
    text.lines().all(|line| line.is_empty() || changes(line) || line.starts_with(' ')) && text.lines().any(changes)
}

/// Whether a linter has printed the place of what is wrong, and not as a warning.
pub(super) fn lists_places(words: &[String], text: &str) -> bool {
    lints(words) && text.lines().any(is_place_of_an_error)
}

/// `a/b.kt:12:1: Unexpected blank line`, with or without the column, `a.py:3 in public function`, `a.js: line 1, col 9, x`;
/// not `a.swift:3:1: warning: x`.
fn is_place_of_an_error(line: &str) -> bool {
    const LESSER: [&str; 7] = ["(info", "(warn", "[warn", "hint", "info", "note", "warn"];
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let line = line.trim_start();
    let Some((file, rest)) = line.strip_prefix("ERROR ").unwrap_or(line).split_once(':') else { return false };
    let end = file.rsplit_once('.').map_or("", |(_, end)| end);
    if end.is_empty() || end.contains('/') || file.contains(char::is_whitespace) {
        return false;
    }
    let rest = rest.strip_prefix(" line ").unwrap_or(rest);
    let Some((row, rest)) = rest.split_at_checked(number(rest)) else { return false };
    let column = rest.strip_prefix(':').and_then(|rest| rest.split_at_checked(number(rest)));
    let rest = column.filter(|(column, _)| !column.is_empty()).map_or(rest, |(_, rest)| rest);
    let said = rest.strip_prefix([':', ' ', ',']).map(str::trim_start).unwrap_or_default();
    let begins = said.get(..said.floor_char_boundary(5)).unwrap_or_default().to_ascii_lowercase();
    let is_lesser =
        LESSER.iter().any(|word| begins.starts_with(word)) || said.contains("[Warning/") || said.ends_with("(warning)");
    !row.is_empty() && !said.is_empty() && !is_lesser
}

/// Whether the text is a number above 0.
pub(super) fn is_a_count(text: &str) -> bool {
    text.trim().parse::<u64>().is_ok_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_linters_print() {
        for (line, expected) in [
            ("/srv/a.kt:12:1: Unexpected blank line", true),
            ("src/a.php:12:Method a() has no type", true),
            ("a.rb:1:1: W: Lint/UselessAssignment: x", true),
            ("a.swift:3:1: warning: Line Length Violation", false),
            ("/a.js:1:2: x is unused [Warning/no-unused-vars]", false),
            ("a.py:3: note: see the documentation", false),
            ("shop/a.py:1 at module level:", true),
            ("b.js: line 2, col 9, Missing semicolon.", true),
            ("  /srv/b.js:1:19: Extra semicolon. (semi)", true),
            ("  /srv/b.js:1:19: Unexpected var. (no-var) (warning)", false),
            ("r.rst:2: (INFO/1) Possible title underline", false),
            ("a.py:3:", false),
            ("http://localhost:80: up", false),
            ("12:30:01: started", false),
            ("see a.kt:12:1: x", false),
        ] {
            assert_eq!(is_place_of_an_error(line), expected, "{line}");
        }
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let text = "a.py:3:1: E501 line too long";
        assert!(lists_places(&words("python3 -m flake8 a.py"), text) && lists_places(&words("bin/rubocop"), text));
        assert!(lists_places(&words("cmakelint x"), text) && lists_places(&words("tidy --check x"), text));
        assert!(!lists_places(&words("pytest -q"), text) && !lists_places(&[], text));
        let (vet, run) = (words("go vet ./..."), words("go test -v ./..."));
        let text = "    a_test.go:3: a line that the test logs";
        assert!(lists_places(&vet, "./a.go:3:14: wrong type") && !lists_places(&run, text));
    }
}

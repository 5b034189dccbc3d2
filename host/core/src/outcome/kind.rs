//! Classifies failures by their text. The kind serves to group them.

use std::sync::LazyLock;

use crate::expressions::{Dialect, LazySet};
use crate::run_event::FailureKind;

/// In order of precedence, the most specific kind first.
const KINDS: &[(FailureKind, &str)] = &[
    (
        FailureKind::Timeout,
        r"(?i)timed out after|command timed out|timeout waiting for|(?-u:\b)exit code:? (?:124|143)(?-u:\b)|deadline exceeded|tool terminated (?:command )?after|exceeded the timeout|login shell exceeded \d|because it took more than \d|timed out and has been killed",
    ),
    (
        FailureKind::EditMismatch,
        r"String to replace not found|Found \d+ matches of the string|File has not been read yet|modified since read|No changes to make|old_string and new_string are exactly the same|apply_patch verification failed|patch does not apply|SEARCH/REPLACE block failed",
    ),
    (
        FailureKind::MissingModule,
        r#"ModuleNotFoundError|ImportError: (?:cannot import|No module)|No module named|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|could not resolve "|unresolved import|no required module provides package"#,
    ),
    (
        FailureKind::MissingCommand,
        r"(?i)command not found|(?-u:\b)exit(?:ed with)? code:? 127(?-u:\b)|is not recognized as|executable file not found|(?-i:Kommando nicht gefunden|Befehl nicht gefunden|ist entweder falsch geschrieben|nicht als Name eines Cmdlet|commande introuvable|pas reconnu en tant que|pas reconnu comme nom|orden no encontrada|no se reconoce como|comando não encontrado|não é reconhecido como|comando non trovato|non è riconosciuto come|команда не найдена|не является внутренней или внешней|не распознано как имя|未找到命令|不是内部或外部命令|识别为 cmdlet|コマンドが見つかりません|内部コマンドまたは外部コマンド)",
    ),
    (
        FailureKind::TestFailure,
        r"(?m)--- FAIL|^FAIL(?-u:\b)|test result: FAILED|(?-u:\b)[1-9]\d* (?:failed|failing)(?:[,.;)\s]|$)|^\s*[1-9]\d* fail$|^\s*\(fail\) |FAILED \S+::|FAILED \((?:failures|errors)=|AssertionError|^not ok \d|Tests run: \d+, Failures: [1-9]|<<< FAILURE!|^There (?:was|were) [1-9]\d* failure|(?-u:\b)examples?, [1-9]\d* failure|^Failed!  - Failed: ",
    ),
    (
        FailureKind::CompileLint,
        r"(?m)error TS\d|error\[E\d{4}\]|could not compile|golangci-lint|✖ \d+ problem|MD\d{3}/|SyntaxError|^\S+\.(?:go|c|cc|cpp|h|rs|ts|tsx|js):\d+:\d+: |Found \d+ errors?|^\s*\d+:\d+\s+error\s|\[lint\]|lint/|Biome|eslint",
    ),
    (
        FailureKind::Git,
        r"(?m)^fatal: |^ ! \[|failed to push|^CONFLICT |^error: pathspec|^error: (?:Your local changes|cannot lock ref)|paths are ignored by one of your \.gitignore",
    ),
    (
        FailureKind::Permission,
        r"(?i)permission denied|operation not permitted|EACCES|EPERM|access is denied|requires? approval|blocked:|has been denied",
    ),
    (
        FailureKind::FileNotFound,
        r"(?i)no such file or directory|file does not exist|path does not exist|ENOENT|FileNotFoundError|no such file: |cannot access|not a directory|no matches found:|directory does not exist",
    ),
    (
        FailureKind::Network,
        r"(?i)ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|could not resolve host|connection (?:refused|reset|error)|network (?:error|is unreachable)|fetch failed|(?-u:\b)(?:429|502|503|529)(?-u:\b)[^\n]*(?:error|too many|unavailable|overloaded|gateway)|overloaded_error|rate.?limit|socket hang up|API error",
    ),
    (
        FailureKind::Traceback,
        r"(?m)Traceback \(most recent call last\)|panicked at|^panic: |^\s+at \S+ \(?\S+:\d+:\d+\)?|Uncaught ",
    ),
    (FailureKind::ExitNonzero, r"(?i)exit(?:ed with)? code:? -?[1-9]|^Exit code"),
];

static SET: LazyLock<LazySet> =
    LazyLock::new(|| LazySet::new(Dialect::Unicode, KINDS.iter().map(|(_, pattern)| *pattern)));

/// The kind of failure that the text shows. `command` is the command line, if one ran. If the text of a failed command
/// matches no kind, its exit code is the reason.
pub fn failure_kind(command: Option<&str>, text: &str) -> FailureKind {
    let found = SET.first(text).and_then(|index| KINDS.get(index)).map(|(kind, _)| *kind);
    match (found, command) {
        (Some(kind), _) => kind,
        (None, Some(_)) => FailureKind::ExitNonzero,
        (None, None) => FailureKind::Other,
    }
}

/// The kind of failure of a command that ended with this code. The code decides if the text does not say why.
pub(super) fn of_command(line: &str, code: i64, text: &str) -> FailureKind {
    let has_limit =
        || line.split(|c: char| c.is_whitespace() || c == ';').any(|word| word == "timeout" || word == "gtimeout");
    match failure_kind(Some(line), text) {
        FailureKind::ExitNonzero => match code {
            124 | 143 => FailureKind::Timeout,
            137 if has_limit() => FailureKind::Timeout,
            126 => FailureKind::Permission,
            127 => FailureKind::MissingCommand,
            _ => FailureKind::ExitNonzero,
        },
        kind => kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expressions_answer_like_regex() {
        let all: Vec<&str> = KINDS.iter().map(|(_, pattern)| *pattern).collect();
        assert_eq!(crate::expressions::agrees_with_regex(Dialect::Unicode, &all), all.len());
    }

    #[test]
    fn kinds_of_the_texts_that_agents_meet() {
        use FailureKind as K;
        for (text, kind) in [
            ("Exit code 143\nCommand timed out after 2m", K::Timeout),
            ("String to replace not found in file.\nString: x", K::EditMismatch),
            ("Exit code 1\nModuleNotFoundError: No module named 'x'", K::MissingModule),
            ("Exit code 127\nzsh: command not found: foo", K::MissingCommand),
            ("bash: línea 1: gradle: orden no encontrada", K::MissingCommand),
            (
                "Der Befehl \"ls\" ist entweder falsch geschrieben oder\nkonnte nicht gefunden werden.",
                K::MissingCommand,
            ),
            ("术语 'head' 不会被识别为 cmdlet、函数、脚本文件或可执行程序的名称。", K::MissingCommand),
            ("\"a\" не является внутренней или внешней\nкомандой", K::MissingCommand),
            ("Exit code 1\n--- FAIL: TestX (0.0s)", K::TestFailure),
            ("[ERROR] Tests run: 3, Failures: 1, Errors: 0", K::TestFailure),
            ("There was 1 failure:\n\n1) A::b", K::TestFailure),
            ("3 examples, 1 failure", K::TestFailure),
            ("3 examples, 0 failures\nTraceback (most recent call last)", K::Traceback),
            ("server at \"localhost\", port 5432 failed: Connection refused", K::Network),
            ("Exit code 2\na.ts(1,2): error TS2304: x", K::CompileLint),
            ("Exit code 128\nfatal: bad object", K::Git),
            ("EACCES: permission denied, open '/x'", K::Permission),
            ("File does not exist.", K::FileNotFound),
            ("connect ECONNREFUSED 127.0.0.1:1", K::Network),
            ("Traceback (most recent call last):\n  File \"a\"\nValueError: x", K::Traceback),
            ("x.js:3\n\nTypeError: x\n    at Object.<anonymous> (/r/a.js:3:13)\n", K::Traceback),
            ("Exit code 3", K::ExitNonzero),
            ("InputValidationError: x", K::Other),
        ] {
            assert_eq!(failure_kind(None, text), kind, "{text}");
        }
        assert_eq!(failure_kind(Some("./x"), "hm"), K::ExitNonzero);
    }

    #[test]
    fn the_code_says_what_a_text_leaves_open() {
        use FailureKind as K;
        for (line, code, text, kind) in [
            ("make test", 124, "", K::Timeout),
            ("timeout -k 5 30 ./run", 137, "", K::Timeout),
            ("./run", 137, "", K::ExitNonzero),
            ("./run", 143, "starting", K::Timeout),
            ("./run", 126, "", K::Permission),
            (".venv/bin/pip -V && ls", 127, "Python 3.13.5", K::MissingCommand),
            ("./run", 124, "ModuleNotFoundError: No module named 'x'", K::MissingModule),
            ("./run", 1, "", K::ExitNonzero),
        ] {
            assert_eq!(of_command(line, code, text), kind, "{line}: {code}");
        }
    }
}

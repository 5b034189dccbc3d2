//! Paths of Windows that lose their backslashes, because Bash takes an unquoted `\` away.

use crate::cause::Cause;
use crate::command::paths::names_whole;

/// Bytes of a command in which such a path is looked for.
const SEARCHED_BYTES: usize = 8192;
/// Shorter words are found in a line by chance.
const MIN_BYTES: usize = 5;

/// The path of the command that a line names without its backslashes: `C:ab.exe: command not found` of `C:\a\b.exe`.
pub(crate) fn lost<'t>(input: &'t str, line: &str, cause: Cause) -> Option<&'t str> {
    if !matches!(cause, Cause::Program | Cause::Path | Cause::Folder | Cause::Script | Cause::Shell) {
        return None;
    }
    let input = input.get(..input.floor_char_boundary(SEARCHED_BYTES))?;
    if !input.contains('\\') {
        return None;
    }
    unquoted(input).into_iter().map(value).find(|path| {
        let bare: String = path.chars().filter(|c| *c != '\\').collect();
        is_path(path) && bare.len() >= MIN_BYTES && !line.contains(path) && names_whole(line, &bare)
    })
}

/// What an option is set to: `C:\a` of `--dir=C:\a`.
fn value(word: &str) -> &str {
    word.rsplit_once('=').map_or(word, |(_, value)| value)
}

/// The words of a command that have a backslash outside of quotes.
fn unquoted(input: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut quote, mut start, mut has_backslash, mut is_escaped) = (None, None, false, false);
    for (at, c) in input.char_indices().chain([(input.len(), ' ')]) {
        let ends = quote.is_none()
            && !is_escaped
            && (c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '<' | '>' | '"' | '\''));
        if ends {
            words.extend(start.take().filter(|_| has_backslash).and_then(|start: usize| input.get(start..at)));
            has_backslash = false;
        } else if quote.is_none() {
            start = start.or(Some(at));
            has_backslash |= c == '\\';
        }
        match quote {
            Some(open) if c == open && !is_escaped => quote = None,
            None if matches!(c, '"' | '\'') && !is_escaped => quote = Some(c),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped && quote != Some('\'');
    }
    words
}

/// Whether each backslash stands between the names of a path. Elsewhere it escapes a blank or a sign, or is part of a pattern.
fn is_path(word: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+' | '~');
    let mut parts = word.split('\\');
    let begins =
        parts.next().is_some_and(|first| !first.is_empty() && first.chars().all(|c| is_of_name(c) || c == ':'));
    let mut has_rest = false;
    let fits = parts.all(|part| {
        has_rest = true;
        part.starts_with(is_of_name) && part.chars().all(|c| is_of_name(c) || matches!(c, '/' | ':'))
    });
    begins && has_rest && fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_its_backslashes_is_known_as_one() {
        for (cause, input, line, path) in [
            (Cause::Program, r"C:\a\b\uv.exe run x", "bash: line 1: C:abuv.exe: command not found", r"C:\a\b\uv.exe"),
            (
                Cause::Program,
                r".venv\Scripts\python.exe -V",
                "bash: .venvScriptspython.exe: command not found",
                r".venv\Scripts\python.exe",
            ),
            (Cause::Program, r"cd a && .\gradlew.bat test", "zsh: command not found: .gradlew.bat", r".\gradlew.bat"),
            (
                Cause::Program,
                r"(D:\tools\jq.exe . a.json)",
                "/usr/bin/bash: D:toolsjq.exe: command not found",
                r"D:\tools\jq.exe",
            ),
            (
                Cause::Folder,
                r"cd C:\Users\Admin && ls",
                "bash: line 1: cd: C:UsersAdmin: No such file or directory",
                r"C:\Users\Admin",
            ),
            (Cause::Path, r"cat src\main.rs", "cat: srcmain.rs: No such file or directory", r"src\main.rs"),
            (Cause::Path, r"ls -la E:\work\x\", "ls: cannot access 'E:workx': No such file or directory", ""),
            (
                Cause::Path,
                r"python scripts\run.py --fast",
                "python: can't open file '/c/w/scriptsrun.py': [Errno 2] No such file or directory",
                r"scripts\run.py",
            ),
            (Cause::Path, r"tool --dir=C:\data\in", "tool: C:datain: No such file or directory", r"C:\data\in"),
            (
                Cause::Path,
                r"echo 'a b' && head -3 docs\a-b.md",
                "head: cannot open 'docsa-b.md' for reading: No such file or directory",
                r"docs\a-b.md",
            ),
            (Cause::Path, r#"echo "it's" ; cat app\a.ts"#, "cat: appa.ts: No such file or directory", r"app\a.ts"),
        ] {
            assert_eq!(lost(input, line, cause).unwrap_or_default(), path, "{input}");
        }
    }

    #[test]
    fn other_backslashes_are_no_lost_ones() {
        for (cause, input, line) in [
            (Cause::Program, r#""C:\a\b\uv.exe" run"#, r"bash: C:\a\b\uv.exe: command not found"),
            (Cause::Path, r"cat 'src\main.rs'", r"cat: 'src\main.rs': No such file or directory"),
            (Cause::Path, r"cat my\ file.txt", "cat: 'my file.txt': No such file or directory"),
            (Cause::Path, r"grep a\|b file.txt", "grep: file.txt: No such file or directory"),
            (Cause::Path, r"grep \bfoo\b src", "grep: bfoob: No such file or directory"),
            (Cause::Path, r"find . -name \*.rs -exec cat {} \;", "find: 'src': No such file or directory"),
            (Cause::Program, "a \\\n  --b", "bash: --b: command not found"),
            (Cause::Path, r"cat a\\b.txt", r"cat: 'a\b.txt': No such file or directory"),
            (Cause::Path, r"type C:\a\b.txt; cat x.txt", "cat: x.txt: No such file or directory"),
            (Cause::Error, r"cat src\main.rs", "cat: srcmain.rs: No such file or directory"),
            (Cause::Path, r"cat a\b", "cat: ab: No such file or directory"),
            (Cause::Program, r"rg foo", "bash: rg: command not found"),
        ] {
            assert_eq!(lost(input, line, cause), None, "{input}");
        }
    }
}

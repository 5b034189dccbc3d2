//! Programs that end with code 0 whatever went wrong in what they were given, and how they say it.

use std::sync::LazyLock;

use regex::Regex;

use super::own_errors::{bare_name_of, name_of};

/// A program, a word that its arguments must have (none if empty), and the lines by which it reports an error.
const ROWS: &[(&[&str], &str, &str)] = &[
    (&["unrar", "unrar-free"], "", r"unknown archive type"),
    (&["bc", "dc"], "", r"\(standard_in\) \d+: |(?:Math|Runtime|Parse) error|dc: "),
    (&["psql"], "", r"(?:psql:[^\n:]+:\d+: )?(?:ERROR|FATAL): "),
    (
        &["redis-cli", "valkey-cli", "keydb-cli"],
        "",
        r"(?:\(error\) )?(?:ERR|NOAUTH|NOPERM|WRONGTYPE|WRONGPASS|MISCONF|READONLY) ",
    ),
    (&["sqlcmd", "osql", "tsql"], "", r"Msg \d+(?:,| \() ?(?:Level|severity) (?:1[1-9]|2\d)"),
    (&["sqlplus", "sql", "rman"], "", r"(?:ORA|SP2|PLS|RMAN|TNS)-\d{4,5}: "),
    (&["mysql", "mariadb"], "", r"ERROR \d+ \("),
    (
        &["am", "pm", "cmd", "monkey", "adb"],
        "",
        r"Error(?: type \d+$|: )|Exception occurred while executing|Failure \[|\*\* No activities found",
    ),
    (&["vim", "nvim", "vi", "ex"], "", r"E\d{1,4}: |Error (?:detected while processing|executing) "),
    (&["matlab"], "", r"Error (?:using|in) \S|Undefined function|\?\?\? "),
    (&["ghci"], "", r"<interactive>:\d+:\d+(?:-\d+)?: error"),
    (&["create-next-app", "create-react-app"], "", r"Aborting installation\.$"),
    (&["jshell"], "", r"\| +Error:$"),
    (&["php", "artisan"], "tinker", r"\s{0,4}(?:PHP )?(?:\w+\\)*\w*(?:Exception|Error)(?::| )"),
    (&["supervisorctl"], "", r"\S+: ERROR \(|error: <class "),
    (
        &["lftp", "ftp", "sftp"],
        "",
        r"(?:\w+: )?(?:Access failed: )?(?:4[25]|5[0-5])\d[ -]\S|Couldn't \S|Not connected\.$",
    ),
    (&["gdb", "lldb"], "", r"\S[^\n]*: No such file or directory\.$|error: unable to find executable"),
    (&["cypher-shell", "isql", "db2", "hdbsql"], "", r"SQL\d{4}N |\[S1000\]|\* -?\d+: "),
];

static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compile =
        |says: &str| Regex::new(&format!("(?m)^(?:{says})")).expect("the expression compiles, as the tests show");
    ROWS.iter().map(|(_, _, says)| compile(says)).collect()
});

/// Whether a program that was called with these words says that it could not do what it was given.
pub(super) fn says_so(words: &[String], text: &str) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let name = name_of(program);
    // `npx create-next-app@latest`
    let name = bare_name_of(name.split('@').next().unwrap_or(name));
    let fits = |(names, word, _): &(&[&str], &str, &str)| {
        names.contains(&name) && (word.is_empty() || arguments.iter().any(|argument| argument == word))
    };
    let at = ROWS.iter().position(fits);
    at.and_then(|at| EXPRESSIONS.get(at)).is_some_and(|expression| expression.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str, text: &str) -> bool {
        says_so(&line.split(' ').map(str::to_owned).collect::<Vec<_>>(), text)
    }

    #[test]
    fn errors_of_programs_that_end_with_0() {
        for (line, text) in [
            ("/usr/bin/unrar x a.rar", "unknown archive type, only plain RAR 2.0 supported\n\nunrar 0.0.2"),
            ("bc", "(standard_in) 2: syntax error"),
            ("bc -l", "Runtime error (func=(main), adr=3): Divide by zero"),
            ("psql -f a.sql", "CREATE TABLE\npsql:a.sql:3: ERROR:  relation \"b\" does not exist\nINSERT 0 1"),
            ("psql", "ERROR:  syntax error at or near \"selct\"\nLINE 1: selct 1;"),
            ("redis-cli foo", "ERR unknown command 'foo', with args beginning with:"),
            ("redis-cli get a", "(error) WRONGTYPE Operation against a key holding the wrong kind of value"),
            ("sqlcmd -i a.sql", "Msg 208, Level 16, State 1, Server a, Line 1\nInvalid object name 'b'."),
            ("sqlplus -s a/b @c.sql", "ERROR at line 1:\nORA-00942: table or view does not exist"),
            ("mysql --force -e x", "ERROR 1146 (42S02) at line 1: Table 'a.b' doesn't exist"),
            (
                "am start -n a/.B",
                "Starting: Intent { cmp=a/.B }\nError type 3\nError: Activity class {a/a.B} does not exist.",
            ),
            ("adb install a.apk", "Performing Streamed Install\nFailure [INSTALL_FAILED_VERSION_DOWNGRADE]"),
            ("nvim --headless +Foo +qa", "E492: Not an editor command: Foo"),
            ("matlab -r a", "Error using b (line 3)\nNot enough input arguments."),
            ("ghci", "<interactive>:1:1: error: Variable not in scope: x"),
            ("php artisan tinker --execute=A::b()", "\n   Error  Class \"A\" not found."),
            (
                "create-next-app@latest a --yes",
                "Installing dependencies:\n\nAborting installation.\n  npm install has failed.",
            ),
            ("supervisorctl restart a", "a: ERROR (no such process)"),
            ("sftp -b a host", "Couldn't stat remote file: No such file or directory"),
            ("gdb -batch -ex run ./a", "./a: No such file or directory."),
        ] {
            assert!(said(line, text), "{line}: {text}");
        }
    }

    #[test]
    fn what_these_programs_print_when_they_work() {
        for (line, text) in [
            ("unrar x a.rar", "Extracting  a.txt   OK\nAll OK"),
            ("bc", "3"),
            ("psql -c x", " level \n-------\n ERROR\n(1 row)"),
            ("psql -f a.sql", "psql:a.sql:3: NOTICE:  relation \"b\" already exists, skipping"),
            ("redis-cli get a", "\"ERR none\""),
            ("redis-cli get a", "ERROR_COUNT=0"),
            ("sqlcmd -i a.sql", "Msg 5701, Level 10, State 1\nChanged database context"),
            ("am start -n a/.B", "Starting: Intent { cmp=a/.B }"),
            ("adb logcat -d", "11-28 06:47:02.703  E/Foo: Error: x"),
            ("adb install a.apk", "Performing Streamed Install\nSuccess"),
            ("vim -es a", ""),
            ("matlab -batch a", "ans =\n\n     3"),
            ("php artisan migrate", "   INFO  Nothing to migrate."),
            ("php a.php", "Error handling works"),
            ("ftp -n host", "226 Transfer complete\n5504 bytes received"),
            ("cat a.sql", "ERROR:  relation"),
            ("", ""),
        ] {
            assert!(!said(line, text), "{line}: {text}");
        }
    }
}

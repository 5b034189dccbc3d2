//! The script of the agent's own that stands in a command.

use crate::command::paths::base;
use crate::command::shell::document;

/// Options of interpreters behind which a script stands.
const OPTIONS: [&str; 5] = [" -c ", " -e ", " -r ", " -p ", " --eval "];
/// Interpreters that take one, without the number of their version. Those of shells are command lines.
const INTERPRETERS: [&str; 12] =
    ["python", "node", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node", "Rscript", "lua", "osascript"];

/// The script in a command: the first here-document, or else what follows `-c` or `-e` of an interpreter.
pub(crate) fn script(command: &str) -> Option<&str> {
    documented(command).or_else(|| passed(command))
}

/// What stands between `<<WORD` and `WORD`.
fn documented(command: &str) -> Option<&str> {
    command.match_indices("<<").find_map(|(at, _)| {
        let (word, _) = document(command.get(at + 2..)?)?;
        let body = command.get(at + 2..)?.split_once('\n')?.1;
        Some(body.find(&format!("\n{word}")).and_then(|end| body.get(..end)).unwrap_or(body))
    })
}

/// What follows the option of an interpreter.
fn passed(command: &str) -> Option<&str> {
    let at = OPTIONS.iter().flat_map(|option| command.match_indices(option)).filter(|(at, _)| {
        // Other options may stand in front: `node --input-type=module -e`.
        let before = command.get(..*at).unwrap_or_default();
        let mut words = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
        let program = words.find(|word| !word.starts_with('-')).unwrap_or_default();
        INTERPRETERS.contains(&versionless(base(program)))
    });
    let (at, option) = at.min_by_key(|(at, _)| *at)?;
    Some(command.get(at + option.len()..)?.trim_start_matches(['\\', '"', '\'']))
}

/// A program's name without a version: `python3.12` is `python`.
pub(crate) fn versionless(program: &str) -> &str {
    program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_what_an_interpreter_is_given() {
        for (command, expected) in [
            ("python3 - <<'EOF'\nprint(1)\nEOF\nls", Some("print(1)")),
            ("cat > a.py <<EOF && python a.py\nx = 1\nEOF", Some("x = 1")),
            ("node <<E\nlet a", Some("let a")),
            ("/usr/bin/python3.12 -c \"print(1)\"", Some("print(1)\"")),
            ("cd a && node --input-type=module -e 'f()'", Some("f()'")),
            (r#"{"command":"python -c \"f()\""}"#, Some(r#"f()\""}"#)),
            ("node -p 1+1", Some("1+1")),
            ("php -r 'f();'", Some("f();'")),
            ("perl -e 'f'; python -c 'g'", Some("f'; python -c 'g'")),
            // Options of other programs, and other uses of the signs.
            ("bash -c 'cargo test'", None),
            ("grep -c x a.py", None),
            ("grep -e 'python' -e 'ruby' a", None),
            ("mkdir -p 'python'", None),
            ("python -m pytest -p no:cacheprovider", None),
            ("sed -e 's/a/b/' a", None),
            ("ssh -p 22 a", None),
            ("echo $((1 << 2))", None),
            ("cat <<< \"a\"", None),
            ("python a.py", None),
            ("", None),
        ] {
            assert_eq!(script(command), expected, "{command}");
        }
    }
}

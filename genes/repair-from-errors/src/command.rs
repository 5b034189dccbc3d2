//! Turns the command of the failing call into a validation command, if it is simple enough to run without a shell.

/// Longest command, in bytes.
const MAX_COMMAND: usize = 1000;

/// The failing command as a validation command, without a leading `cd ROOT &&`; `None` unless it is a plain command that
/// runs tests or a script.
pub(crate) fn validation(input: &str, root: Option<&str>) -> Option<String> {
    let mut command = input.trim();
    if let Some((first, rest)) = command.split_once("&&")
        && let Some(folder) = first.trim().strip_prefix("cd ")
    {
        let folder = folder.trim().trim_matches(['"', '\'']);
        let is_root = folder == "." || root.is_some_and(|root| folder.trim_end_matches('/') == root);
        command = if is_root { rest.trim() } else { return None };
    }
    let plain = !command.chars().any(|c| c.is_control() || ";&|<>`$\\(){}*?~#!\"'".contains(c));
    let words: Vec<&str> = command.split_whitespace().collect();
    (plain && command.len() <= MAX_COMMAND && stays_inside(&words) && runs_checks(&words)).then(|| words.join(" "))
}

/// Whether no argument is an absolute path or contains `..`.
fn stays_inside(words: &[&str]) -> bool {
    words.iter().all(|word| {
        let value = word.split_once('=').map_or(*word, |(_, value)| value);
        !value.starts_with('/') && !value.split('/').any(|part| part == "..")
    })
}

/// Whether this is one of the programs of the default command grammar, in a form that runs tests or a script.
fn runs_checks(words: &[&str]) -> bool {
    let is_script = |word: &str, ends: &[&str]| !word.starts_with('-') && ends.iter().any(|end| word.ends_with(end));
    match words {
        [program, rest @ ..] if is_python(program) => match rest {
            ["-m", "pytest" | "unittest", options @ ..] => harmless(options),
            [file, ..] => is_script(file, &[".py"]),
            [] => false,
        },
        ["pytest", options @ ..] | ["node", "--test", options @ ..] => harmless(options),
        ["node", file, ..] => is_script(file, &[".js", ".mjs", ".cjs"]),
        ["npm", "test" | "t"] | ["cargo", "test" | "check", ..] | ["go", "test" | "vet", ..] => harmless(words),
        ["npm", "run", name] => !name.starts_with('-'),
        _ => false,
    }
}

/// Whether no option names other code or skips the tests.
fn harmless(options: &[&str]) -> bool {
    const REFUSED: [&str; 12] = [
        "-c",
        "-p",
        "-e",
        "-r",
        "-o",
        "--co",
        "--no-run",
        "--rootdir",
        "--confcutdir",
        "--basetemp",
        "--config",
        "--collect-only",
    ];
    options.iter().all(|option| {
        let name = option.split_once('=').map_or(*option, |(name, _)| name);
        !REFUSED.contains(&name)
            && !["--require", "--import", "--loader", "--junit"].iter().any(|start| name.starts_with(start))
    })
}

fn is_python(program: &str) -> bool {
    program.strip_prefix("python").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_commands_become_validation_commands() {
        for (input, expected) in [
            ("python3 -m pytest -q", Some("python3 -m pytest -q")),
            ("python test_a.py", Some("python test_a.py")),
            ("python3.11 -m unittest discover", Some("python3.11 -m unittest discover")),
            ("node test/temp-test.js", Some("node test/temp-test.js")),
            ("node --test", Some("node --test")),
            ("npm test", Some("npm test")),
            ("cargo test --release", Some("cargo test --release")),
            ("cd /repo && pytest tests", Some("pytest tests")),
            ("cd /repo/sub && pytest tests", None),
            ("cd /elsewhere && pytest", None),
            ("python -c 'import frozendict'", None),
            ("python3 -c pass", None),
            ("pytest | tail -5", None),
            ("pytest; rm -rf x", None),
            ("pytest && true", None),
            ("FOO=1 pytest", None),
            ("pytest ../other", None),
            ("pytest /abs", None),
            ("pytest --rootdir=/x", None),
            ("pytest --collect-only", None),
            ("node -e 1", None),
            ("npx jest", None),
            ("rm -rf .", None),
            ("", None),
            ("{\"command\": \"pytest\"}", None),
        ] {
            assert_eq!(validation(input, Some("/repo")).as_deref(), expected, "{input}");
        }
    }
}

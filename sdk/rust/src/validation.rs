//! Turns the command of a failed call into a command that validates a repair of it.
//!
//! The host runs validation commands without a shell and accepts only those of the operator's grammar. A proposal with
//! any other command is refused, so what is not plainly a check is left out here.

/// Longest command, in bytes.
const MAX_COMMAND: usize = 1000;

/// Characters that mean something to a shell.
const SHELL: &str = ";&|<>`$\\(){}*?~#!\"'";

/// The options of cargo that neither name other code nor skip the check.
const CARGO: [&str; 9] =
    ["--release", "--locked", "--offline", "--workspace", "--all-targets", "--all-features", "--lib", "-q", "--quiet"];

/// The options of go that do so.
const GO: [&str; 3] = ["-v", "-race", "-short"];

/// Options of test runners of Python and Node that name other code, write files or skip the tests.
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

/// The beginnings of more such options.
const REFUSED_STARTS: [&str; 4] = ["--require", "--import", "--loader", "--junit"];

/// The failing command as a validation command; `None` unless it is a plain command that runs tests, a compiler or a
/// script. A leading `cd ROOT &&` is left out, if it is the workspace's root (`root`, as the log names it) or `.`.
pub fn command(input: &str, root: Option<&str>) -> Option<String> {
    let mut command = input.trim();
    if let Some((first, rest)) = command.split_once("&&")
        && let Some(folder) = first.trim().strip_prefix("cd ")
    {
        let folder = folder.trim().trim_matches(['"', '\'']);
        let is_root = folder == "." || root.is_some_and(|root| folder.trim_end_matches('/') == root);
        command = if is_root { rest.trim() } else { return None };
    }
    let plain = !command.chars().any(|c| c.is_control() || SHELL.contains(c));
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

/// Whether this is one of the programs of the default command grammar, in a form that runs a check.
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
        ["npm", "test" | "t"] => true,
        ["npm", "run", name] => !name.starts_with('-'),
        ["cargo", "test" | "check" | "build" | "clippy", rest @ ..] => only(rest, &CARGO),
        ["go", "test" | "vet" | "build", rest @ ..] => only(rest, &GO),
        _ => false,
    }
}

/// Whether all options are in the list.
fn only(words: &[&str], options: &[&str]) -> bool {
    words.iter().all(|word| !word.starts_with('-') || options.contains(word))
}

/// Whether no option names other code or skips the tests.
fn harmless(options: &[&str]) -> bool {
    options.iter().all(|option| {
        let name = option.split_once('=').map_or(*option, |(name, _)| name);
        !REFUSED.contains(&name) && !REFUSED_STARTS.iter().any(|start| name.starts_with(start))
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
            ("npm run build", Some("npm run build")),
            ("npm run --prefix", None),
            ("npm test -- x", None),
            ("cargo test --release", Some("cargo test --release")),
            ("cargo  check --locked", Some("cargo check --locked")),
            ("cargo check --message-format json", None),
            ("cargo test -- --nocapture", None),
            ("cargo test -p other", None),
            ("go vet ./...", Some("go vet ./...")),
            ("go test -v ./...", Some("go test -v ./...")),
            ("go test -exec x ./...", None),
            ("cd /repo && pytest tests", Some("pytest tests")),
            ("cd . && pytest tests", Some("pytest tests")),
            ("cd /repo/sub && pytest tests", None),
            ("cd /elsewhere && pytest", None),
            ("python -c 'import frozendict'", None),
            ("python3 -c pass", None),
            ("python3 ../x.py", None),
            ("pytest | tail -5", None),
            ("pytest; rm -rf x", None),
            ("cargo check; rm x", None),
            ("pytest && true", None),
            ("FOO=1 pytest", None),
            ("pytest ../other", None),
            ("pytest /abs", None),
            ("pytest --rootdir=/x", None),
            ("pytest --collect-only", None),
            ("node -e 1", None),
            ("npx jest", None),
            ("npx tsc", None),
            ("./x.sh", None),
            ("rm -rf .", None),
            ("", None),
            ("{\"command\": \"pytest\"}", None),
        ] {
            assert_eq!(command(input, Some("/repo")).as_deref(), expected, "{input}");
        }
    }
}

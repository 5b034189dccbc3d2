//! Turns the command of the failing call into a validation command, if it is simple enough to run without a shell.

/// Longest command, in bytes.
const MAX_COMMAND: usize = 1000;

/// The failing command as a validation command; `None` unless it is a plain command that runs tests, a compiler or a
/// script, from the workspace's root.
pub(crate) fn validation(input: &str) -> Option<String> {
    let command = input.trim();
    let plain = !command.chars().any(|c| c.is_control() || ";&|<>`$\\(){}*?~#!\"'".contains(c));
    let words: Vec<&str> = command.split_whitespace().collect();
    let inside = |word: &&str| !word.starts_with(['/', '-']) && !word.split('/').any(|part| part == "..");
    let fits = match words.as_slice() {
        ["cargo", "test" | "check" | "build" | "clippy", rest @ ..] => rest.iter().all(is_cargo_option),
        ["go", "test" | "vet" | "build", rest @ ..] => rest.iter().all(inside),
        ["npm", "run", name] => inside(name),
        ["python" | "python3", script] | ["node", script] => inside(script) && script.contains('.'),
        ["npm", "test" | "t"] | ["pytest"] | ["python" | "python3", "-m", "pytest"] => true,
        _ => false,
    };
    (plain && command.len() <= MAX_COMMAND && fits).then(|| words.join(" "))
}

fn is_cargo_option(word: &&str) -> bool {
    ["--release", "--locked", "--offline", "--workspace", "--all-targets", "--all-features", "--lib", "-q", "--quiet"]
        .contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_commands_become_validation_commands() {
        for (input, expected) in [
            ("cargo  check --locked", Some("cargo check --locked")),
            ("cargo check --message-format json", None),
            ("cargo test -- --nocapture", None),
            ("go vet ./...", Some("go vet ./...")),
            ("go test -exec x ./...", None),
            ("npm run build", Some("npm run build")),
            ("npm run --prefix", None),
            ("node x.js", Some("node x.js")),
            ("python3 ../x.py", None),
            ("npx tsc", None),
            ("cargo check; rm x", None),
            ("./x.sh", None),
            ("", None),
        ] {
            assert_eq!(validation(input).as_deref(), expected, "{input}");
        }
    }
}

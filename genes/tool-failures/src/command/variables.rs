//! The variables of the environment that a command sets or takes away.

use crate::command::paths::base;
use crate::command::shell::document;

/// Most variables of a command, and most bytes of a name.
const MAX_VARIABLES: usize = 32;
const MAX_NAME: usize = 80;

/// The variables that a command sets, with their values; one that it takes away has none.
pub(crate) fn variables(input: &str) -> Vec<(&str, &str)> {
    // Most commands have none, which is quickly seen.
    if !input.contains('=') && !["unset", "-u"].iter().any(|takes| input.contains(takes)) {
        return Vec::new();
    }
    let is_variable = |name: &str| {
        (3..=MAX_NAME).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let mut found = Vec::new();
    // The line ends of a JSON text are written as `\n`.
    let lines = input.split("\\n").flat_map(|line| line.split('\n'));
    for part in outside_documents(lines).flat_map(|line| line.split([';', '&', '|'])) {
        let mut takes = false;
        for word in part.split([' ', '\t', '"', '(', ')']).filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some((name, value)) if is_variable(name) => found.push((name, value.trim_matches('\''))),
                _ if takes && is_variable(word) => found.push((word, "")),
                _ => takes = matches!(word, "unset" | "-u") || takes && word.starts_with('-'),
            }
        }
    }
    found.truncate(MAX_VARIABLES);
    found
}

/// The lines without those of here-documents that no shell reads: what code assigns is no variable of the environment.
fn outside_documents<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let is_shell = |word: &str| matches!(base(word), "bash" | "sh" | "zsh" | "ssh");
    let mut end = None;
    lines.filter(move |line| {
        if let Some(last) = end {
            end = Some(last).filter(|last| line.trim() != *last);
            return false;
        }
        end = line
            .split_once("<<")
            .filter(|_| !line.split_whitespace().any(is_shell))
            .and_then(|(_, after)| document(after))
            .map(|(last, _)| last);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_and_what_is_taken_away_is_known() {
        for (input, expected) in [
            ("AWS_PROFILE=a aws s3 ls", &[("AWS_PROFILE", "a")][..]),
            ("unset GITHUB_TOKEN && gh auth status", &[("GITHUB_TOKEN", "")]),
            ("env -u GH_TOKEN gh pr list", &[("GH_TOKEN", "")]),
            ("ls -u; grep FOO a", &[]),
            ("make all", &[]),
            ("cat > a.py <<'EOF'\nconfigure(TAGS={})\nEOF\nMODE=b python a.py", &[("MODE", "b")]),
            (r"python - <<E\nTAGS=1\nE", &[]),
            ("cat > a.py <<EOF\nTAGS=1", &[]),
            ("bash <<EOF\nexport MODE=a\nEOF", &[("MODE", "a")]),
            ("ssh a.example <<'EOF'\nMODE=a b\nEOF", &[("MODE", "a")]),
            ("MODE=a python - <<E\nx = 1\nE", &[("MODE", "a")]),
            ("cargo test --jobs=2", &[]),
        ] {
            assert_eq!(variables(input), expected, "{input}");
        }
    }
}

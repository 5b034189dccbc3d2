//! Commands that install what an earlier call of the session had missed.

use crate::worked::between::INSTALLS;

/// Most bytes of a command that is shown.
const MAX_COMMAND: usize = 80;
/// Longest option that is shown with its value, in bytes.
const MAX_OPTION: usize = 20;

/// The part of a command that installs what was missing, without options whose values are long.
pub(crate) fn command(input: &str, missing: &str) -> Option<String> {
    let bare = |piece: &'_ str| piece.find(" 2>").or_else(|| piece.find(" >")).unwrap_or(piece.len());
    let pieces = input.split(['\n', ';', '|', '&']).filter_map(|piece| piece.get(..bare(piece))).map(str::trim);
    let pieces = pieces.map(|piece| piece.strip_prefix("time ").unwrap_or(piece));
    let installs = |piece: &&str| piece.len() <= MAX_COMMAND * 4 && INSTALLS.are_in(piece);
    let command = pieces.filter(installs).find(|piece| names(piece, missing))?;
    if command.len() <= MAX_COMMAND {
        return Some(command.to_owned());
    }
    let is_short = |word: &&str| !word.starts_with("--") || word.len() <= MAX_OPTION;
    let short = command.split_whitespace().filter(is_short).collect::<Vec<_>>().join(" ");
    (short.len() <= MAX_COMMAND).then_some(short)
}

/// What `cannot import name 'a' from 'b' (unknown location)` lacks: Python found only a folder `b`, to which a package `b-a` adds.
pub(crate) fn of_namespace(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("cannot import name '")?;
    let (name, rest) = rest.split_once("' from '")?;
    let (space, rest) = rest.split_once('\'')?;
    rest.contains("(unknown location)").then(|| format!("{space}-{name}"))
}

/// The installed package in which an exception was raised: that of the innermost place.
pub(crate) fn package(output: &str) -> Option<&str> {
    let (_, place) = output.rsplit_once("File \"")?;
    let (_, inside) = place.split('"').next()?.split_once("site-packages")?;
    inside.trim_start_matches(['/', '\\']).split(['/', '\\']).next().filter(|name| !name.is_empty())
}

/// Whether a command names what was missing: `pip install "yaml>=6"` names `yaml`, and `pip install python-docx` names `docx`,
/// because packages for Python have such names.
pub(crate) fn names(command: &str, missing: &str) -> bool {
    let same = |a: char, b: char| a.eq_ignore_ascii_case(&b) || matches!((a, b), ('-' | '_', '-' | '_'));
    let missing = missing.split(['.', '/']).next().unwrap_or(missing);
    let words = command.split([' ', '"', '\'', '=', '<', '>', '[', ',', '~', '@']);
    words.into_iter().map(|word| word.strip_prefix("python-").unwrap_or(word)).any(|word| {
        word.len() == missing.len() && !word.is_empty() && word.chars().zip(missing.chars()).all(|(a, b)| same(a, b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_that_raised_an_exception_is_known_by_its_folder() {
        let inside = r#"  File "C:\v\Lib\site-packages\sqlalchemy\util\a.py", line 3"#;
        assert_eq!(package(inside), Some("sqlalchemy"));
        assert_eq!(package("  File \"/v/site-packages/a/b.py\", line 1\n  File \"/w/a.py\", line 2"), None);
    }

    #[test]
    fn a_command_is_shown_without_long_values() {
        let long = format!("uv pip install --python=/{}/bin/python python-dotenv 2>&1 | tail", "a".repeat(90));
        assert_eq!(command(&long, "dotenv").as_deref(), Some("uv pip install python-dotenv"));
        assert_eq!(command("cd a && time npm install x", "x").as_deref(), Some("npm install x"));
        assert_eq!(command(&format!("pip install x {}", "b".repeat(90)), "x"), None);
    }

    #[test]
    fn a_folder_without_the_name_lacks_a_package() {
        let line = |end: &str| format!("ImportError: cannot import name 'genai' from 'google' ({end})");
        assert_eq!(of_namespace(&line("unknown location")).as_deref(), Some("google-genai"));
        assert_eq!(of_namespace(&line("/w/google/__init__.py")), None);
    }

    #[test]
    fn what_was_installed_is_known_by_its_name() {
        for (command, missing, is_named) in [
            ("pip install openpyxl", "openpyxl", true),
            ("pip install 'PyYAML' \"scikit_learn>=1\"", "scikit-learn", true),
            ("uv add typing_extensions==4", "typing-extensions", true),
            ("pip install python-docx", "docx", true),
            ("pip install python-docx", "doc", false),
            ("apt-get install -y file", "fil", false),
            ("npm install", "express", false),
        ] {
            assert_eq!(names(command, missing), is_named, "{command}");
        }
    }
}

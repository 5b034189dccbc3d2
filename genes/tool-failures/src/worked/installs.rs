//! Commands that install what an earlier call of the session had missed.

use crate::worked::between::INSTALLS;

/// Most bytes of a command that is shown.
const MAX_COMMAND: usize = 80;

/// The part of a command that installs what was missing.
pub(crate) fn command<'a>(input: &'a str, missing: &str) -> Option<&'a str> {
    let bare = |piece: &'_ str| piece.find(" 2>").or_else(|| piece.find(" >")).unwrap_or(piece.len());
    let pieces = input.split(['\n', ';', '|', '&']).filter_map(|piece| piece.get(..bare(piece))).map(str::trim);
    let installs = |piece: &&str| piece.len() <= MAX_COMMAND && INSTALLS.are_in(piece);
    let command = pieces.filter(installs).find(|piece| names(piece, missing))?;
    Some(command.strip_prefix("time ").unwrap_or(command))
}

/// The installed package in which an exception was raised: that of the innermost place.
pub(crate) fn package(output: &str) -> Option<&str> {
    let (_, place) = output.rsplit_once("File \"")?;
    let (_, inside) = place.split('"').next()?.split_once("site-packages")?;
    inside.trim_start_matches(['/', '\\']).split(['/', '\\']).next().filter(|name| !name.is_empty())
}

/// Whether a command names what was missing: `pip install python-docx` does not name `docx`, but `pip install "yaml>=6"` does
/// name `yaml`.
pub(crate) fn names(command: &str, missing: &str) -> bool {
    let same = |a: char, b: char| a.eq_ignore_ascii_case(&b) || matches!((a, b), ('-' | '_', '-' | '_'));
    let missing = missing.split(['.', '/']).next().unwrap_or(missing);
    let words = command.split([' ', '"', '\'', '=', '<', '>', '[', ',', '~', '@']);
    words.into_iter().any(|word| {
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
    fn what_was_installed_is_known_by_its_name() {
        for (command, missing, is_named) in [
            ("pip install openpyxl", "openpyxl", true),
            ("pip install 'PyYAML' \"scikit_learn>=1\"", "scikit-learn", true),
            ("uv add typing_extensions==4", "typing-extensions", true),
            ("pip install python-docx", "docx", false),
            ("apt-get install -y file", "fil", false),
            ("npm install", "express", false),
        ] {
            assert_eq!(names(command, missing), is_named, "{command}");
        }
    }
}

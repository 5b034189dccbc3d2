//! Paths: their last names, and whether two of them are about one file or folder.

use crate::text::around;

/// The shortest name of a file or folder that two paths have in common by more than chance.
const MIN_NAME: usize = 6;

/// Whether two paths have the same last name, or one of them has the last name of the other or of its folder.
pub(crate) fn are_near(one: &str, other: &str) -> bool {
    let is_in = |names: [&str; 2], path: &str| names.iter().any(|name| name.len() >= MIN_NAME && path.contains(name));
    let (of_one, of_other) = (ends(one), ends(other));
    of_one[0] == of_other[0] || is_in(of_one, other) || is_in(of_other, one)
}

/// The last name of a path and that of its folder; the folder is empty if it is at the root, where all that a machine has is.
fn ends(path: &str) -> [&str; 2] {
    let mut names = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']);
    let (last, folder) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let is_at_root = names.next().is_none_or(|above| above.is_empty() && names.next().is_none());
    [last, if is_at_root && path.starts_with('/') { "" } else { folder }]
}

/// The last name of a path, also of a folder that is written with a slash at its end.
pub(crate) fn base(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a path does not depend on the folder in which a command runs.
pub(crate) fn is_absolute(path: &str) -> bool {
    let has_drive = || {
        let drive = path.as_bytes().first_chunk::<2>();
        let is_drive = drive.is_some_and(|[letter, mark]| letter.is_ascii_alphabetic() && *mark == b':');
        is_drive && matches!(path.as_bytes().get(2), None | Some(b'/' | b'\\'))
    };
    path.starts_with(['/', '~']) || path.starts_with("\\\\") || has_drive()
}

/// Whether a command changes into this folder itself, or into one that a variable or a pattern names; into any folder if none
/// is given.
pub(crate) fn changes_to(input: &str, folder: Option<&str>) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '"' | '\'');
    let mut words = input.split(is_end).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        if matches!(word, "cd" | "pushd" | "chdir" | "Set-Location")
            && let Some(target) = words.next()
            && (target.contains(['$', '`', '*', '~']) || folder.is_none_or(|folder| base(target) == base(folder)))
        {
            return true;
        }
    }
    false
}

/// Whether a line names a path or a program, and no longer one.
pub(crate) fn names_whole(line: &str, name: &str) -> bool {
    let is_longer = |rest: &str| {
        let rest = rest.trim_start_matches(['/', '\\']).trim_start_matches(['.', '-']);
        rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    around(line, name).any(|(before, after)| !before.ends_with(char::is_alphanumeric) && !is_longer(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_path_begins_at_a_root() {
        for (path, expected) in [
            ("/a", true),
            ("~/a", true),
            ("C:/a", true),
            ("c:\\a", true),
            ("D:", true),
            ("\\\\server\\a", true),
            ("a/b", false),
            ("./a", false),
            ("a:b", false),
            ("1:/a", false),
            ("http://a", false),
            ("", false),
            ("\u{e9}:/a", false),
        ] {
            assert_eq!(is_absolute(path), expected, "{path}");
        }
    }

    #[test]
    fn paths_in_one_folder_or_with_one_name_are_near() {
        for (one, other, expected) in [
            ("a/trace.md", "/app/trace.md", true),
            ("/workspace/sg-evals/envoy", "/workspace/sg-evals/", true),
            ("../.venv311/Scripts", "../../.venv311/Scripts/python.exe", true),
            ("\u{2026}/bin/jupyter", ".nb_env/bin/jupyter", true),
            ("/workspace/.github/workflows/", "/workspace/review.json", false),
            ("\u{2026}/backend/app.php", "\u{2026}/foundation/", false),
            ("src/a.rs", "src/b.rs", false),
        ] {
            assert_eq!((are_near(one, other), are_near(other, one)), (expected, expected), "{one} {other}");
        }
    }
    #[test]
    fn a_command_changes_to_a_folder_that_it_names_or_does_not_show() {
        for (input, folder, expected) in [
            ("cd a/build && make", Some("build"), true),
            ("cd \"a/build\"; make", Some("/w/a/build/"), true),
            ("pushd build; ls", Some("./build"), true),
            ("Set-Location a\\build", Some("build"), true),
            ("x\ncd build", Some("build"), true),
            ("(cd $DIR && make)", Some("build"), true),
            ("cd ~/x", Some("build"), true),
            ("cd $(git rev-parse --show-toplevel)", Some("build"), true),
            ("bash -c \"cd build && ls\"", Some("build"), true),
            (r#"{"command": "cd build && ls"}"#, Some("build"), true),
            ("cd build", None, true),
            ("cd other && make", Some("build"), false),
            ("make build", Some("build"), false),
            ("abcd build", Some("build"), false),
            ("cd builds", Some("build"), false),
            ("cd", Some("build"), false),
            ("make", None, false),
            ("", None, false),
        ] {
            assert_eq!(changes_to(input, folder), expected, "{input}");
        }
    }

    #[test]
    fn a_line_names_a_path_that_is_no_part_of_a_longer_one() {
        for (line, name, expected) in [
            ("cat: /h/a/b: No such file", "/h/a/b", true),
            ("'/h/a/b/' is missing", "/h/a/b", true),
            ("there is no /h/a/b.", "/h/a/b", true),
            ("bash: C:abuv.exe: command not found", "C:abuv.exe", true),
            ("/h/a/b", "/h/a/b", true),
            ("cat: /h/a/b/c: No such file", "/h/a/b", false),
            ("cat: /h/a/bc: No such file", "/h/a/b", false),
            ("cat: /h/a/b.rs: No such file", "/h/a/b", false),
            ("cat: /h/a/b-c: No such file", "/h/a/b", false),
            ("cat: /h/a/b_c: No such file", "/h/a/b", false),
            ("cat: xsrcmain.rs: No such file", "srcmain.rs", false),
            ("cat: /h/a: No such file", "/h/a/b", false),
        ] {
            assert_eq!(names_whole(line, name), expected, "{line}");
        }
    }
}

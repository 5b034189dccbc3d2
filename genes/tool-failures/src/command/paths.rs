//! Paths: their last names, and whether two of them are about one file or folder.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}

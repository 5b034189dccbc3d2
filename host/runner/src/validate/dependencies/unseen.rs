//! Folders that commands do not see, because git does not track them and nothing says that they are dependencies, although
//! they hold what a command missed.

#![expect(clippy::disallowed_methods, reason = "the checkout is named by path")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How deep folders are searched.
const MAX_DEPTH: usize = 5;
/// Most entries that are looked at.
const MAX_SEEN: usize = 50_000;
/// Most names that are looked for.
const MAX_NAMES: usize = 20;
/// What stands before the name of a missing module, in the words of Python and node.
const MISSING: &[&str] = &["No module named ", "Cannot find module ", "Cannot find package "];
/// The endings of a module that is one file.
const ENDINGS: &[&str] = &["", ".py", ".js", ".mjs", ".cjs"];

/// The folders of the checkout that the copy lacks and that hold a module which these outputs miss, as paths from the
/// project's root.
pub(in crate::validate) fn holders(copy: &Path, checkout: &Path, outputs: &[String]) -> BTreeSet<String> {
    let names: BTreeSet<&str> = outputs.iter().flat_map(|output| missing(output)).take(MAX_NAMES).collect();
    let mut search = Search { copy, checkout, names, found: BTreeSet::new(), seen: 0 };
    if !search.names.is_empty() {
        search.folder("", None, 0);
    }
    search.found
}

/// The packages of the modules that an output misses.
fn missing(output: &str) -> impl Iterator<Item = &str> {
    let named = |line: &'static str| output.split(line).skip(1);
    MISSING.iter().copied().flat_map(named).filter_map(|rest| {
        let name = rest.trim_start_matches(['\'', '"']);
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '@');
        let name = name.split(|c: char| !is_of_name(c)).next()?;
        (!name.is_empty()).then_some(name)
    })
}

struct Search<'a> {
    copy: &'a Path,
    checkout: &'a Path,
    names: BTreeSet<&'a str>,
    found: BTreeSet<String>,
    seen: usize,
}

impl Search<'_> {
    /// Looks into a folder. `lacking` is the folder above that the copy lacks, if one does.
    fn folder(&mut self, folder: &str, lacking: Option<&str>, depth: usize) {
        // What cannot be read holds nothing that a command could use.
        let Ok(entries) = fs::read_dir(self.checkout.join(folder)) else { return };
        for entry in entries.flatten() {
            self.seen += 1;
            let (Some(name), Ok(kind)) = (entry.file_name().to_str().map(str::to_owned), entry.file_type()) else {
                continue;
            };
            if let Some(lacking) = lacking
                && ENDINGS.iter().any(|ending| name.strip_suffix(ending).is_some_and(|name| self.names.contains(name)))
            {
                self.found.insert(lacking.to_owned());
                return;
            }
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if kind.is_dir() && name != ".git" && depth < MAX_DEPTH && self.seen < MAX_SEEN {
                let is_lacking = lacking.is_none() && !self.copy.join(&path).exists();
                let lacking = if is_lacking { Some(path.as_str()) } else { lacking };
                self.folder(&path, lacking, depth + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_commands_do_not_see_are_named() {
        let outer = tempfile::tempdir().expect("a folder");
        let (checkout, copy) = (outer.path().join("checkout"), outer.path().join("copy"));
        for folder in ["src/app", "third/lib/mylib", "other/x", "web/deps/@scope", "shown/lib2"] {
            fs::create_dir_all(checkout.join(folder)).expect("a folder");
        }
        for folder in ["src/app", "web", "shown"] {
            fs::create_dir_all(copy.join(folder)).expect("a folder");
        }
        fs::write(checkout.join("other/x/single.py"), "").expect("a file");
        fs::write(checkout.join("top.py"), "").expect("a file");
        let found = |output: &str| holders(&copy, &checkout, &[output.to_owned()]).into_iter().collect::<Vec<_>>();
        assert_eq!(found("ModuleNotFoundError: No module named 'mylib.part'"), ["third"]);
        assert_eq!(found("python3: No module named mylib"), ["third"]);
        assert_eq!(found("No module named 'single'\nNo module named 'mylib'"), ["other", "third"]);
        assert_eq!(found("Error: Cannot find module '@scope/part'"), ["web/deps"]);
        for nothing in [
            "No module named 'app'",
            "No module named 'lib2'",
            "No module named 'top'",
            "No module named 'none'",
            "Cannot find module './mylib'",
            "Cannot find module '../third/lib/mylib'",
            "No module named ''",
            "No module named ",
            "mylib",
            "",
        ] {
            assert_eq!(found(nothing), [""; 0], "{nothing}");
        }
    }
}

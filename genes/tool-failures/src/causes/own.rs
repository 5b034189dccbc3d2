//! Names of the project's own folders and files, as the calls of a session show them. A module of such a name is no missing
//! dependency.
//!
//! Memory is bounded: [`MAX_NAMES`] names, and [`MAX_FOLDERS`] folders.

use crate::by_number::{ByNumber, Numbers};
use crate::call::{Call, hash};
use crate::output::names;
use crate::output::vocabulary::Words;

const MAX_NAMES: usize = 65_536;
const MAX_FOLDERS: usize = 2048;
/// Longest folder that is shown.
const MAX_FOLDER: usize = 80;
/// Part of the names of folders with tests, whose packages are named like those that they test.
const TESTS: &str = "test";
/// Only this many bytes of an input are read: those that name what a call works on.
const READ_BYTES: usize = 512;
/// Parts of paths that do not belong to the project.
static FOREIGN: Words = Words::of(&[
    "site-packages",
    "dist-packages",
    "node_modules",
    "/usr/",
    "/lib/",
    "/Lib/",
    "AppData",
    "/opt/",
    "/bin/",
    "/.",
    "//",
]);

/// What the calls of each session have named.
#[derive(Debug, Default)]
pub(crate) struct Own {
    names: Numbers,
    /// The folder in which a call showed a folder or a file with code of Python, by its session and its name.
    folders: ByNumber<String>,
}

impl Own {
    /// Adds a call that worked.
    pub(crate) fn see(&mut self, call: &Call<'_>) {
        if self.names.len() >= MAX_NAMES {
            return;
        }
        let input = call.input.get(..call.input.floor_char_boundary(READ_BYTES)).unwrap_or_default();
        // What a command writes into a file may be prose.
        let input = input.split("<<").next().unwrap_or_default();
        // Windows writes `\`, which JSON doubles.
        let of_windows = || names::file(input).map(|file| file.replace("\\\\", "/").replace('\\', "/"));
        if input.contains('\\')
            && let Some(file) = of_windows().filter(|file| !FOREIGN.are_in(file))
        {
            self.see_path(call.session, &file);
        }
        if !input.contains('/') || input.contains(" install ") || input.contains(" add ") {
            return;
        }
        // A step that hides its errors does not show that its paths are there.
        let shown = input.split(['&', ';', '|']).filter(|step| !step.contains("/dev/null"));
        shown.flat_map(paths).for_each(|path| self.see_path(call.session, path));
    }

    /// Adds the names in a path.
    fn see_path(&mut self, session: u32, path: &str) {
        self.place(session, path);
        let mut folder = "";
        for name in path.split('/').filter_map(stem) {
            self.names.insert(key(session, name), MAX_NAMES);
            self.names.insert(key_in(session, folder, name), MAX_NAMES);
            folder = name;
        }
    }

    /// Notes where a file with code of Python lies, and the folders that it is in.
    fn place(&mut self, session: u32, path: &str) {
        let Some(file) = path.strip_suffix(".py").map(|path| path.rsplit('/').next().unwrap_or(path)) else { return };
        // With its file, its folders are known.
        if self.folders.has(key(session, file)) {
            return;
        }
        let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
        for start in starts {
            let (above, rest) = path.split_at(start);
            let folder = match above {
                "" => ".",
                "/" => above,
                _ => above.trim_end_matches('/'),
            };
            let name = rest.split('/').next().and_then(stem);
            let is_told = folder.len() <= MAX_FOLDER && !folder.contains(TESTS) && self.folders.len() < MAX_FOLDERS;
            if let Some(name) = name.filter(|name| is_told && !self.folders.has(key(session, name))) {
                self.folders.insert(key(session, name), folder.to_owned());
            }
        }
    }

    /// The folder in which a call of the session showed a module.
    pub(crate) fn folder_of(&self, session: u32, module: &str) -> Option<&str> {
        let name = module.split('.').next().and_then(stem)?;
        self.folders.get(key(session, name)).map(String::as_str)
    }

    /// Whether the first part of a module's name is a folder or a file of the project: the session has named it, or the
    /// output does.
    pub(crate) fn has(&self, session: u32, module: &str, output: &str) -> bool {
        // With a slash it is the path of a package, which the error itself names.
        let Some(name) = module.split('.').next().and_then(stem).filter(|_| !module.contains('/')) else {
            return false;
        };
        // Python found the parent of a dotted name. So the path of modules does not lack that, but the last part is missing.
        let parts: Vec<&str> = module.split('.').collect();
        let is_there = |pair: &[&str]| matches!(pair, [a, b] if self.names.has(key_in(session, a, b)));
        let is_known = self.names.has(key(session, name));
        is_known && parts.windows(2).all(is_there)
            || parts.len() == 1
                && paths(output)
                    .filter(|path| is_file(path))
                    .any(|path| path.split('/').filter_map(stem).any(|part| part == name))
    }

    /// Whether the package of a dotted name is the project's own, so that nothing has to be installed.
    pub(crate) fn has_package(&self, session: u32, module: &str) -> bool {
        let package = module.split('.').next().and_then(stem).filter(|_| module.contains('.') && !module.contains('/'));
        package.is_some_and(|package| self.names.has(key(session, package)))
    }
}

/// The words with a slash that can be paths of the project.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    text.split(move |c: char| !is_of_path(c)).filter(|word| word.contains('/') && !FOREIGN.are_in(word))
}

/// Whether a path ends in the name of a file; prose has slashes, too.
fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty())
}

/// The name of a folder or of a file without its ending, if it can be that of a module.
fn stem(part: &str) -> Option<&str> {
    let name = part.split('.').next()?;
    (name.len() > 2 && name.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some(name)
}

fn key_in(session: u32, folder: &str, name: &str) -> u64 {
    hash(key(session, folder), name.as_bytes())
}

fn key(session: u32, name: &str) -> u64 {
    hash(u64::from(session), name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_of_the_project_are_known() {
        let mut own = Own::default();
        for input in [
            "ls app/shared/engine.py",
            r#"{"file_path":"/w/tests/forms_tests/a.py"}"#,
            "/usr/lib/erfa/x",
            "pip install a/yaml",
            "ls app/ && cat app/settings.py 2>/dev/null | head",
            "cat > a.py <<'E'\n# Uses pandas/numpy.\nE",
            ".venv/lib/site-packages/numpy/a.py",
            "curl https://x.example/requests/a",
            r#"{"file_path":"C:\\w\\parsers\\framework_of_news.py","content":"import pandas"}"#,
        ] {
            own.see(&Call { failed: false, input, ..Call::FAILED });
        }
        for (module, is_own) in [
            ("shared.engine", true),
            ("forms_tests", true),
            ("shared.settings", false),
            ("shared.conf.engine", false),
            ("app.shared.engine", true),
            ("app.engine", false),
            ("app.settings", false),
            ("framework_of_news", true),
            ("parsers.framework_of_news", true),
            ("erfa", false),
            ("yaml", false),
            ("pandas", false),
            ("numpy", false),
            ("requests", false),
            ("pytest", false),
        ] {
            assert_eq!(own.has(0, module, "File \"/usr/lib/python3/pytest.py\""), is_own, "{module}");
        }
        for (module, folder) in [
            ("shared.engine", Some("app")),
            ("engine", Some("app/shared")),
            ("framework_of_news", Some("C:/w/parsers")),
            ("app", Some(".")),
            ("forms_tests", None),
        ] {
            assert_eq!(own.folder_of(0, module), folder, "{module}");
        }
        assert!(!own.has(1, "shared", ""), "another session");
        assert!(own.has_package(0, "shared.settings") && !own.has_package(0, "numpy.x") && !own.has_package(0, "app"));
        assert!(!own.has(1, "pandas", "Uses pandas/numpy."), "prose");
        assert!(own.has(1, "shared", "  File \"/w/shared/a.py\", line 3"));
    }
}

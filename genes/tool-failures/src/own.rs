//! Names of the project's own folders and files, as the calls of a session show them. A module of such a name is no missing
//! dependency.
//!
//! Memory is bounded: [`MAX_NAMES`] names.

use std::collections::BTreeSet;

use crate::call::{Call, hash};

const MAX_NAMES: usize = 65_536;
/// Only this many bytes of an input are read: those that name what a call works on.
const READ_BYTES: usize = 512;
/// Parts of paths that do not belong to the project.
const FOREIGN: [&str; 9] =
    ["site-packages", "dist-packages", "node_modules", "/usr/", "/lib/", "/opt/", "/bin/", "/.", "//"];

/// What the calls of each session have named.
#[derive(Debug, Default)]
pub(crate) struct Own(BTreeSet<u64>);

impl Own {
    /// Adds a call that worked.
    pub(crate) fn see(&mut self, call: &Call<'_>) {
        if self.0.len() >= MAX_NAMES {
            return;
        }
        let input = call.input.get(..call.input.floor_char_boundary(READ_BYTES)).unwrap_or_default();
        if !input.contains('/') || input.contains(" install ") || input.contains(" add ") {
            return;
        }
        for path in paths(input) {
            self.0.extend(path.split('/').filter_map(stem).map(|name| key(call.session, name)));
        }
    }

    /// Whether the first part of a module's name is a folder or a file of the project: the session has named it, or the
    /// output does.
    pub(crate) fn has(&self, session: u32, module: &str, output: &str) -> bool {
        // With a slash it is the path of a package, which the error itself names.
        let Some(name) = module.split('.').next().and_then(stem).filter(|_| !module.contains('/')) else {
            return false;
        };
        self.0.contains(&key(session, name))
            || paths(output).any(|path| path.split('/').filter_map(stem).any(|part| part == name))
    }
}

/// The words with a slash that can be paths of the project.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    text.split(move |c: char| !is_of_path(c))
        .filter(|word| word.contains('/') && !FOREIGN.iter().any(|part| word.contains(part)))
}

/// The name of a folder or of a file without its ending, if it can be that of a module.
fn stem(part: &str) -> Option<&str> {
    let name = part.split('.').next()?;
    (name.len() > 2 && name.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some(name)
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
            ".venv/lib/site-packages/numpy/a.py",
            "curl https://x.example/requests/a",
        ] {
            own.see(&Call { failed: false, input, ..Call::FAILED });
        }
        for (module, is_own) in [
            ("shared.engine", true),
            ("forms_tests", true),
            ("erfa", false),
            ("yaml", false),
            ("numpy", false),
            ("requests", false),
            ("pytest", false),
        ] {
            assert_eq!(own.has(0, module, "File \"/usr/lib/python3/pytest.py\""), is_own, "{module}");
        }
        assert!(!own.has(1, "shared", ""), "another session");
        assert!(own.has(1, "shared", "  File \"/w/shared/a.py\", line 3"));
    }
}

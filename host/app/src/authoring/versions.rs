//! What tools said of their versions, kept in the project's folder of builds: a tool that is written in JavaScript or Python
//! takes up to half a second to say it, in each build.
//!
//! What must stay true: a tool whose file changed is asked again. Only what a program says is kept, never which program runs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{Folder, mark};

/// The file, in the folder of the project.
const FILE: &str = "build/tools.json";
/// Its largest size, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// The answers that are known, by the path of the tool.
#[derive(Debug, Default)]
pub(super) struct Versions {
    known: BTreeMap<String, Known>,
    is_changed: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    mark: [i64; 5],
    printed: String,
}

impl Versions {
    /// Those of a project. A file that cannot be read is as good as none: the tools are asked.
    pub(super) fn of(project: &Folder) -> Self {
        let bytes = if project.has(FILE) { project.read(FILE, MAX_BYTES).ok() } else { None };
        let known = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { known, is_changed: false }
    }

    /// What the tool that these words start says; `ask` is called unless it is known. With more than one word, the first is an
    /// interpreter, whose file does not change with the tool.
    pub(super) fn ask(&mut self, words: &[OsString], ask: impl FnOnce() -> Option<String>) -> Option<String> {
        let [program] = words else { return ask() };
        let (Some(path), Some(mark)) = (program.to_str(), mark(Path::new(program))) else { return ask() };
        if let Some(known) = self.known.get(path)
            && known.mark == mark
        {
            return Some(known.printed.clone());
        }
        let printed = ask()?;
        self.known.insert(path.to_owned(), Known { mark, printed: printed.clone() });
        self.is_changed = true;
        Some(printed)
    }

    /// Writes what was learned. If it cannot be written, the tools are asked again next time.
    pub(super) fn keep(&self, project: &Folder) {
        if self.is_changed
            && let Ok(text) = serde_json::to_vec(&self.known)
        {
            let _ = project.write(FILE, &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::folder::temporary;
    use super::*;

    #[test]
    fn a_tool_is_asked_once_and_again_if_its_file_changed() {
        let place = temporary().unwrap();
        let project = Folder::open(place.path()).unwrap();
        let tool = project.write("tool", b"one").unwrap();
        let asked = Cell::new(0);
        let ask = |words: &[OsString]| {
            let mut versions = Versions::of(&project);
            let printed = versions.ask(words, || {
                asked.set(asked.get() + 1);
                Some(format!("tool 1.{}", asked.get()))
            });
            versions.keep(&project);
            printed.unwrap()
        };
        let words = [tool.clone().into_os_string()];
        assert_eq!((ask(&words), ask(&words)), ("tool 1.1".to_owned(), "tool 1.1".to_owned()));
        project.write("tool", b"two").unwrap();
        assert_eq!(ask(&words), "tool 1.2");
        let module = [tool.into_os_string(), OsString::from("-m")];
        assert_eq!((ask(&module), ask(&module)), ("tool 1.3".to_owned(), "tool 1.4".to_owned()));
        project.write(FILE, b"[damaged").unwrap();
        assert_eq!(ask(&words), "tool 1.5");
    }
}

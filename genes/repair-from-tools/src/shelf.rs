//! The files of the workspace that may be repaired: finds the one that a log means, and leaves alone what no person wrote.

use std::collections::BTreeMap;
use std::rc::Rc;

use gephost_gene::handwritten;

use crate::input::Workspace;
use crate::source::Source;

/// The files of the workspace.
pub(crate) struct Shelf<'a> {
    workspace: &'a mut dyn Workspace,
    globs: BTreeMap<String, Vec<String>>,
    files: BTreeMap<String, Option<Rc<Source>>>,
    words: BTreeMap<(String, String), bool>,
}

impl<'a> Shelf<'a> {
    /// The files of a workspace.
    pub(crate) fn new(workspace: &'a mut dyn Workspace) -> Self {
        Self { workspace, globs: BTreeMap::new(), files: BTreeMap::new(), words: BTreeMap::new() }
    }

    /// A line for the operator.
    pub(crate) fn note(&mut self, line: &str) {
        self.workspace.note(line);
    }

    /// The paths that match a glob and are not foreign.
    pub(crate) fn matching(&mut self, glob: &str) -> Vec<String> {
        if let Some(known) = self.globs.get(glob) {
            return known.clone();
        }
        let mut paths = self.workspace.matching(glob);
        paths.retain(|path| !is_foreign(path));
        self.globs.insert(glob.to_owned(), paths.clone());
        paths
    }

    /// The file of this name in the folder of `path`, or else in the nearest folder above it.
    pub(crate) fn nearest(&mut self, path: &str, name: &str) -> Option<String> {
        let known = self.matching(&format!("**/{name}"));
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            let file = format!("{folder}/{name}");
            if known.contains(&file) {
                return Some(file);
            }
        }
        known.into_iter().find(|file| file == name)
    }

    /// Whether a word occurs in a file that matches the glob.
    pub(crate) fn has_word(&mut self, word: &str, glob: &str) -> bool {
        let key = (word.to_owned(), glob.to_owned());
        if let Some(known) = self.words.get(&key) {
            return *known;
        }
        let found = self.workspace.has_word(word, glob);
        self.words.insert(key, found);
        found
    }

    /// The file that a path in a log means.
    pub(crate) fn open(&mut self, logged: &str) -> Option<Rc<Source>> {
        let logged = logged.trim().replace('\\', "/");
        let logged = logged.strip_prefix("file://").unwrap_or(&logged);
        let name = logged.rsplit('/').next()?;
        if name.is_empty() || name.len() > 255 || name.contains(['*', '?', '[', ']', '{', '}', '!', '\n', '\0']) {
            return None;
        }
        if is_foreign(logged) && self.matching(logged).is_empty() {
            return None;
        }
        let candidates = self.matching(&format!("**/{name}"));
        let found = resolve(logged, &candidates);
        if found.is_none() && !candidates.is_empty() {
            self.note(&format!("{logged}: it is not clear which file of the workspace this is"));
        }
        self.read(&found?)
    }

    /// A file by its path in the workspace.
    pub(crate) fn read(&mut self, path: &str) -> Option<Rc<Source>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let bytes = self.workspace.read(path)?;
        let accepted = accept(path, bytes);
        if let Err(reason) = &accepted {
            self.note(&format!("{path} is left alone: {reason}"));
        }
        let source = accepted.ok().filter(|_| !self.is_marked(path)).map(Rc::new);
        self.files.insert(path.to_owned(), source.clone());
        source
    }

    /// A lock file, although the tool that wrote it says so in its head.
    pub(crate) fn read_lock(&mut self, path: &str) -> Option<Rc<Source>> {
        let bytes = self.workspace.read(path).filter(|bytes| bytes.len() <= handwritten::MAX_BYTES)?;
        let source = Rc::new(Source::new(path, String::from_utf8(bytes).ok()?));
        self.files.insert(path.to_owned(), Some(Rc::clone(&source)));
        Some(source)
    }

    /// Whether `.gitattributes` says that no person wrote a file.
    fn is_marked(&mut self, path: &str) -> bool {
        let marked = self.workspace.is_marked(path);
        if marked {
            self.note(&format!("{path} is left alone: .gitattributes says that no person wrote it"));
        }
        marked
    }
}

/// The file, or why it is left alone.
fn accept(path: &str, bytes: Vec<u8>) -> Result<Source, &'static str> {
    if let Some(objection) = handwritten::objection(path, &bytes) {
        return Err(objection);
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    let crlf = text.matches("\r\n").count();
    // A shell script with carriage returns is the very fault that the shell family repairs.
    let is_script = text.starts_with("#!") || has_ending(path, &["sh"]);
    if crlf > 0 && crlf != text.matches('\n').count() && !is_script {
        return Err("its line endings are mixed");
    }
    Ok(Source::new(path, text))
}

/// Whether a path has one of these endings, which are given without the point.
pub(crate) fn has_ending(path: &str, endings: &[&str]) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| endings.contains(&end))
}

/// Whether a path belongs to a library, to the toolchain, or to what a build wrote.
pub(crate) fn is_foreign(path: &str) -> bool {
    handwritten::is_foreign(path)
        || path.split('/').any(|part| part == "target")
        || path.contains("/.cargo/registry/")
        || path.starts_with("/rustc/")
        || path.starts_with("node:")
}

/// The file of the workspace that a path in a log means. The log may come from another folder or machine, so the file with
/// the longest common ending is chosen, if there is only one. An ending of fewer than two parts counts only if it is the
/// whole of one of the two paths.
fn resolve(logged: &str, candidates: &[String]) -> Option<String> {
    let parts: Vec<&str> = logged.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return None;
    }
    // A relative path that names a file from the root means that file, even if others end in the same way.
    if let Some(exact) = candidates.iter().find(|path| **path == parts.join("/") && !logged.starts_with('/')) {
        return Some(exact.clone());
    }
    let rank = |path: &str| {
        let common = parts.iter().rev().zip(path.rsplit('/')).take_while(|(a, b)| **a == *b).count();
        let whole = common == path.split('/').count() || common == parts.len();
        (common, whole)
    };
    let best = candidates.iter().max_by_key(|path| rank(path))?;
    let (common, whole) = rank(best);
    let tied = candidates.iter().filter(|path| rank(path) == (common, whole)).count() > 1;
    (!tied && common > 0 && (whole || common >= 2)).then(|| best.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unique_ending_is_chosen() {
        for (logged, candidates, expected) in [
            ("/app/src/x.rs", vec!["backend/src/x.rs", "tools/x.rs"], Some("backend/src/x.rs")),
            ("/app/src/x.rs", vec!["a/src/x.rs", "b/src/x.rs"], None),
            ("src/x.rs", vec!["src/x.rs", "sub/src/x.rs"], Some("src/x.rs")),
            ("x.sh", vec!["a/x.sh", "b/x.sh"], None),
            ("./x.sh", vec!["x.sh"], Some("x.sh")),
            ("../x.sh", vec!["x.sh"], None),
            ("/elsewhere/util.py", vec!["lib/util.py"], None),
            ("x.py", vec![], None),
        ] {
            let candidates: Vec<String> = candidates.into_iter().map(str::to_owned).collect();
            assert_eq!(resolve(logged, &candidates).as_deref(), expected, "{logged}");
        }
    }

    #[test]
    fn what_no_person_wrote_and_mixed_line_endings_are_left_alone() {
        for (path, text, accepted) in [
            ("a.rs", "fn main() {}\n", true),
            ("a.rs", "// @generated by x\nfn main() {}\n", false),
            ("a.js", "a\r\nb\n", false),
            ("a.sh", "a\r\nb\n", true),
            ("a.js", "a\r\nb\r\n", true),
        ] {
            assert_eq!(accept(path, text.as_bytes().to_vec()).is_ok(), accepted, "{path}: {text:.40}");
        }
        assert!(accept("a", vec![0xff]).is_err());
    }
}

//! The scripted files in a folder of this machine, for genes that use `std::fs`.
#![expect(
    clippy::disallowed_methods,
    reason = "the folder is the workspace of one native test, and is removed with it"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Change;

/// A folder that is removed at the end.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A new folder with these files.
    pub(super) fn with(files: &BTreeMap<String, Vec<u8>>) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gephost-gene-{}-{number}", std::process::id()));
        let folder = Self(path);
        // Another process may have left a folder of this name.
        drop(fs::remove_dir_all(&folder.0));
        fs::create_dir_all(&folder.0).expect("the folder for temporary files can be written to");
        for (path, content) in files {
            let path = folder.0.join(path);
            let parent = path.parent().expect("it is below the folder");
            fs::create_dir_all(parent).expect("the folder for temporary files can be written to");
            fs::write(&path, content).expect("the folder for temporary files can be written to");
        }
        folder
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// What differs from the files that it began with, by path.
    pub(super) fn difference(&self, before: &BTreeMap<String, Vec<u8>>) -> Vec<Change> {
        let mut now = BTreeMap::new();
        collect(&self.0, "", &mut now);
        let written = now.iter().filter(|(path, content)| before.get(*path) != Some(*content));
        let written = written.map(|(path, content)| (path, Change::new_content(path, content.clone())));
        let gone = before.keys().filter(|path| !now.contains_key(*path));
        let gone = gone.map(|path| (path, Change::deletion(path)));
        let changes: BTreeMap<&String, Change> = written.chain(gone).collect();
        changes.into_values().collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Reads all files of a folder, links excepted.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else { continue };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), &format!("{name}/"), files),
            Ok(kind) if kind.is_file() => {
                if let Ok(content) = fs::read(entry.path()) {
                    files.insert(name, content);
                }
            }
            _ => {}
        }
    }
}

//! Which working folders belong to a project.
//!
//! What must stay true: a session of another project is never taken for one of this project. A repository or a worktree of
//! another clone below the project's folder is another project.

#![expect(clippy::disallowed_methods, reason = "a session names the folder that the agent worked in by its path")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use gephost_core::digest::sha256_hex;
use gephost_core::observe::WorkingFolder;

/// The deepest working folder below the project's, in folders. Each of them is looked at.
const MAX_BELOW: usize = 64;

/// The folders of a project: one in each worktree of its clone.
#[derive(Debug)]
pub struct ProjectFolders {
    folders: Vec<PathBuf>,
    /// The SHA-256 of each of them, in hexadecimal.
    digests: Vec<String>,
    /// Only the folders themselves count, and nothing below them.
    is_exact: bool,
    /// Whether the folders that were asked for belong to the project.
    known: RefCell<HashMap<PathBuf, bool>>,
}

impl ProjectFolders {
    /// Those with these canonical paths. If the home folder lies in one of them, every project of the user could be below
    /// it, so that only sessions in the folder itself count.
    pub fn new(folders: Vec<PathBuf>, home: &Path) -> Self {
        let digests = folders.iter().map(|folder| sha256_hex(folder.as_os_str().as_bytes())).collect();
        let is_exact = folders.iter().any(|folder| home.starts_with(folder));
        Self { folders, digests, is_exact, known: RefCell::default() }
    }

    /// Whether a session that worked there belongs to the project.
    pub(super) fn hold(&self, worked_in: &WorkingFolder) -> bool {
        match worked_in {
            WorkingFolder::Digest(digest) => self.digests.contains(digest),
            WorkingFolder::Path(path) => match in_wsl(path) {
                Some(path) => self.hold_path(Path::new(&path)),
                None => self.hold_path(Path::new(path)),
            },
        }
    }

    /// Whether a file lies in the project, wherever links lead.
    pub(super) fn hold_file(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|file| self.folders.iter().any(|folder| file.starts_with(folder)))
    }

    fn hold_path(&self, path: &Path) -> bool {
        // `/project/../other` begins with `/project` too.
        if path.components().any(|part| part == Component::ParentDir) {
            return false;
        }
        let path: PathBuf = path.components().collect();
        if let Some(known) = self.known.borrow().get(&path) {
            return *known;
        }
        // An agent may have been started through a link to the project.
        let holds = self.hold_real(&path)
            || path.is_absolute() && path.canonicalize().is_ok_and(|real| real != path && self.hold_real(&real));
        self.known.borrow_mut().insert(path, holds);
        holds
    }

    /// The same for a path without links.
    fn hold_real(&self, path: &Path) -> bool {
        // A worktree can lie in another one: the nearest counts.
        let above = self.folders.iter().filter(|folder| path.starts_with(folder));
        let Some(nearest) = above.max_by_key(|folder| folder.as_os_str().len()) else { return false };
        if self.is_exact {
            return path == nearest;
        }
        let below: Vec<&Path> = path.ancestors().take_while(|folder| folder != nearest).take(MAX_BELOW + 1).collect();
        let is_repository = |folder: &&Path| fs::symlink_metadata(folder.join(".git")).is_ok();
        below.len() <= MAX_BELOW && !below.iter().any(is_repository)
    }
}

/// Where the Windows Subsystem for Linux has a folder that an agent on Windows names by its drive: `C:\w\p` is `/mnt/c/w/p`.
fn in_wsl(path: &str) -> Option<String> {
    let (drive, rest) = path.split_once(':')?;
    let is_drive = drive.len() == 1 && drive.bytes().all(|byte| byte.is_ascii_alphabetic());
    let below = rest.strip_prefix(['\\', '/']).filter(|_| is_drive)?;
    Some(format!("/mnt/{}/{}", drive.to_ascii_lowercase(), below.replace('\\', "/")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn path(path: &Path) -> WorkingFolder {
        WorkingFolder::Path(path.to_str().expect("UTF-8").to_owned())
    }

    #[test]
    fn the_folder_and_what_lies_below_it_belongs_to_the_project() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().canonicalize().expect("a folder").join("p");
        for folder in ["src/deep", "vendor/other/src", "tree", "tree/foreign"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        fs::create_dir(root.join("vendor/other/.git")).expect("a folder");
        fs::write(root.join("tree/.git"), "gitdir: elsewhere\n").expect("a file");
        fs::write(root.join("tree/foreign/.git"), "gitdir: elsewhere\n").expect("a file");
        let project = ProjectFolders::new(vec![root.clone(), root.join("tree")], Path::new("/home/me"));
        for own in ["", "src", "src/deep/", "./src", "removed/since", "tree", "tree/src", "vendor"] {
            assert!(project.hold(&path(&root.join(own))), "{own}");
        }
        for foreign in
            ["../p2", "../pq", "..", "../p/../q", "src/../../q", "vendor/other", "vendor/other/src", "tree/foreign"]
        {
            assert!(!project.hold(&path(&root.join(foreign))), "{foreign}");
        }
        let sibling = format!("{}-2", root.display());
        for foreign in [sibling.as_str(), "", "/", "p", "relative/p", "~", "\0"] {
            assert!(!project.hold(&WorkingFolder::Path(foreign.to_owned())), "{foreign}");
        }
        assert!(!project.hold(&path(&root.join("a/".repeat(MAX_BELOW + 1)))));
        let digest = sha256_hex(root.as_os_str().as_bytes());
        assert!(project.hold(&WorkingFolder::Digest(digest)));
        assert!(!project.hold(&WorkingFolder::Digest(sha256_hex(b"/elsewhere"))));
    }

    #[test]
    fn a_link_to_the_project_leads_to_it() {
        let outer = tempfile::tempdir().expect("a folder");
        let outer = outer.path().canonicalize().expect("a folder");
        let root = outer.join("p");
        for folder in ["p/src", "p/vendor/other/.git", "q"] {
            fs::create_dir_all(outer.join(folder)).expect("a folder");
        }
        for (name, to) in [("link", "p"), ("p2", "link"), ("src", "p/src"), ("other", "q"), ("gone", "nowhere")] {
            symlink(outer.join(to), outer.join(name)).expect("a link");
        }
        symlink(outer.join("q"), root.join("out")).expect("a link");
        let project = ProjectFolders::new(vec![root], Path::new("/home/me"));
        for own in ["link", "link/", "p2/src", "src"] {
            assert!(project.hold(&path(&outer.join(own))), "{own}");
        }
        for foreign in ["other", "gone", "link/vendor/other", "link/gone", "p2/../q", "link/out"] {
            assert!(!project.hold(&path(&outer.join(foreign))), "{foreign}");
        }
    }

    #[test]
    fn a_folder_on_a_drive_of_windows_is_known_in_its_subsystem() {
        let project = ProjectFolders::new(vec![PathBuf::from("/mnt/c/Users/me/p")], Path::new("/home/me"));
        for own in ["C:\\Users\\me\\p", "c:\\Users\\me\\p\\src", "C:/Users/me/p/"] {
            assert!(project.hold(&WorkingFolder::Path(own.to_owned())), "{own}");
        }
        for foreign in
            ["D:\\Users\\me\\p", "C:\\Users\\me\\p2", "C:Users\\me\\p", "C:\\Users\\me\\p\\..\\q", "cc:\\Users\\me\\p"]
        {
            assert!(!project.hold(&WorkingFolder::Path(foreign.to_owned())), "{foreign}");
        }
    }

    #[test]
    fn below_a_project_that_holds_the_home_folder_nothing_counts() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path().canonicalize().expect("a folder");
        for root in [home.as_path(), home.parent().expect("a folder"), Path::new("/")] {
            let project = ProjectFolders::new(vec![root.to_owned()], &home);
            assert!(project.hold(&path(root)));
            assert!(!project.hold(&path(&home.join("other"))));
        }
    }
}

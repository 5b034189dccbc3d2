//! The question to git: does a diff that the gate passed do exactly what the gate approved?

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use gephost_core::gate::{Base, BaseEntry, BlobState, FileMode, GeneHistory, ParsedChange, Verdict, review};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, TestTreatment, Treatment, ValidationTable};
use gephost_core::proposal::Proposal;

use super::scene::Tree;

/// A policy that leaves everything to the reader and the paths.
pub(crate) fn open_policy() -> Policy {
    let table = PolicyTable {
        allow: vec!["**".to_owned()],
        max_files: 1_000,
        max_patch_lines: 100_000,
        max_risk: 100,
        mode_changes: true,
        patterns: Treatment::Allow,
        weakened_tests: TestTreatment::Allow,
        new_dependencies: Treatment::Allow,
        ..PolicyTable::default()
    };
    Policy::from_tables(table, &ValidationTable::default(), &[]).expect("a valid policy")
}

/// What the gate says of a diff against a tree.
pub(crate) fn judge(diff: &str, tree: &Tree, policy: &Policy) -> Verdict {
    let candidate = ParsedChange::read(Proposal::from_diff(diff));
    let asked: BTreeSet<RepoPath> = candidate.base_paths().into_iter().collect();
    let fold = |path: &RepoPath| path.as_str().to_lowercase();
    let mut entries = std::collections::BTreeMap::new();
    for (name, (content, executable)) in tree {
        let path = RepoPath::new(name).expect("names of the tree are plain");
        let mode = if *executable { FileMode::Executable } else { FileMode::Regular };
        entries.extend(path.ancestors().map(|directory| (directory, BaseEntry::Directory)));
        entries.insert(path, BaseEntry::Blob(BlobState { mode, content: Arc::from(content.as_slice()) }));
    }
    let collides = |known: &RepoPath| asked.iter().any(|asked| asked != known && fold(asked) == fold(known));
    let case_collisions = entries.keys().filter(|known| collides(known)).cloned().collect();
    entries.retain(|path, _| asked.contains(path));
    review(
        &candidate,
        &Base { commit: "0".repeat(40), entries, case_collisions, unsearched: 0 },
        policy,
        GeneHistory::default(),
    )
}

/// The tree after what was approved.
pub(crate) fn approved_tree(verdict: &Verdict, tree: &Tree) -> Option<Tree> {
    let mut after = tree.clone();
    for change in verdict.approved()?.changes() {
        let name = change.path.to_string();
        match &change.after {
            None => drop(after.remove(&name)),
            Some(state) => {
                after.insert(name, (state.content.to_vec(), state.mode == FileMode::Executable));
            }
        }
    }
    Some(after)
}

/// A folder where git carries diffs out.
pub(crate) struct Git {
    root: PathBuf,
}

impl Git {
    /// A folder for one process; what was there goes.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The tree after `git apply`, or what git said.
    pub(crate) fn apply(&self, diff: &str, tree: &Tree) -> Result<Tree, String> {
        let work = self.root.join("work");
        let fresh = fs::remove_dir_all(&work).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
        fresh.expect("the scratch folder can be emptied");
        fs::create_dir_all(&work).expect("a scratch folder");
        for (name, (content, executable)) in tree {
            write(&work.join(name), content, *executable);
        }
        let text = self.root.join("diff");
        // Git wants the last line feed, which some senders leave out.
        let ended = if diff.ends_with('\n') { diff.to_owned() } else { format!("{diff}\n") };
        fs::write(&text, ended).expect("the diff is written");
        self.run(&work, &["apply", "--whitespace=nowarn", "../diff"])?;
        let mut after = Tree::new();
        read(&work, "", &mut after);
        Ok(after)
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Result<(), String> {
        let done = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &self.root)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", &self.root)
            .stdin(Stdio::null())
            .output()
            .expect("git runs");
        if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
    }
}

fn write(file: &Path, content: &[u8], executable: bool) {
    fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder");
    fs::write(file, content).expect("a file of the tree");
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("its mode");
}

fn read(folder: &Path, prefix: &str, tree: &mut Tree) {
    for entry in fs::read_dir(folder).expect("a folder of the tree") {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read(&entry.path(), &format!("{name}/"), tree);
        } else {
            let mode = entry.metadata().expect("its mode").permissions().mode();
            tree.insert(name, (fs::read(entry.path()).expect("its content"), mode & 0o100 != 0));
        }
    }
}

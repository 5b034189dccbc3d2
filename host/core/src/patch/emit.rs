//! The canonical text of a patch: git's own form, which `git apply` takes and [`super::parse`] reads back unchanged.

use std::fmt::Write;

use super::{ChangeKind, FilePatch, Hunk, LineKind, Patch, name};
use crate::path::RepoPath;
use crate::tree::FileMode;

/// The patch as a unified diff that git and GNU patch read in one way. Reading it gives the same patch again.
pub fn emit(patch: &Patch) -> String {
    let mut text = String::new();
    for file in &patch.files {
        // A string takes everything that is written to it.
        let _ = emit_file(&mut text, file);
    }
    text
}

fn emit_file(out: &mut String, file: &FilePatch) -> std::fmt::Result {
    let Some(new) = file.new_path.as_ref().or(file.old_path.as_ref()) else {
        return Ok(());
    };
    let old = file.old_path.as_ref().unwrap_or(new);
    // Git's headers would have to say the mode of what is deleted, and whether a file is new.
    if !file.may_create && (file.kind != ChangeKind::Delete || file.old_mode.is_some()) {
        writeln!(out, "diff --git {} {}", side_name('a', old), side_name('b', new))?;
        emit_headers(out, file, old, new)?;
    }
    if file.hunks.is_empty() {
        return Ok(());
    }
    writeln!(out, "--- {}", side(file.old_path.as_ref(), 'a'))?;
    writeln!(out, "+++ {}", side(file.new_path.as_ref(), 'b'))?;
    file.hunks.iter().try_for_each(|hunk| emit_hunk(out, hunk))
}

fn emit_headers(out: &mut String, file: &FilePatch, old: &RepoPath, new: &RepoPath) -> std::fmt::Result {
    let (old_mode, new_mode) = (file.old_mode.map(octal), file.new_mode.map(octal));
    match (file.kind, old_mode, new_mode) {
        (ChangeKind::Add, _, Some(mode)) => writeln!(out, "new file mode {mode}")?,
        (ChangeKind::Delete, Some(mode), _) => writeln!(out, "deleted file mode {mode}")?,
        (_, Some(old), Some(new)) => writeln!(out, "old mode {old}\nnew mode {new}")?,
        _ => {}
    }
    let verb = match file.kind {
        ChangeKind::Rename => "rename",
        ChangeKind::Copy => "copy",
        _ => return Ok(()),
    };
    let (old, new) = (name::quote(old.as_str()), name::quote(new.as_str()));
    writeln!(out, "{verb} from {old}\n{verb} to {new}")
}

fn emit_hunk(out: &mut String, hunk: &Hunk) -> std::fmt::Result {
    let (old, new) = (range(hunk.old_start, hunk.old_count), range(hunk.new_start, hunk.new_count));
    writeln!(out, "@@ -{old} +{new} @@")?;
    for line in &hunk.lines {
        let sign = match line.kind {
            LineKind::Context => ' ',
            LineKind::Add => '+',
            LineKind::Delete => '-',
        };
        writeln!(out, "{sign}{}", line.text)?;
        if line.no_newline {
            writeln!(out, "\\ No newline at end of file")?;
        }
    }
    Ok(())
}

fn range(start: u32, count: u32) -> String {
    if count == 1 { start.to_string() } else { format!("{start},{count}") }
}

fn side_name(prefix: char, path: &RepoPath) -> String {
    name::quote(&format!("{prefix}/{path}"))
}

/// A bare name with a space gets a tab after it, as in git: readers that know dates would cut it at the space.
fn side(path: Option<&RepoPath>, prefix: char) -> String {
    let Some(path) = path else {
        return "/dev/null".to_owned();
    };
    let name = side_name(prefix, path);
    if name.contains(' ') && !name.starts_with('"') { name + "\t" } else { name }
}

fn octal(mode: FileMode) -> &'static str {
    match mode {
        FileMode::Regular => "100644",
        FileMode::Executable => "100755",
        FileMode::Symlink => "120000",
    }
}

//! The work of the guest in every language: read, walk, write, append, rename and delete.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes `docs/index.txt` (path and size of every file below `src`, sorted), appends a line to `README.md`, renames
/// `src/old.txt` to `src/new.txt`, and deletes the folder `junk`. The index is written in `/tmp` first and then moved.
pub(crate) fn write() -> io::Result<()> {
    let mut lines = Vec::new();
    walk(Path::new("/workspace/src"), &mut lines)?;
    lines.sort();
    fs::create_dir_all("/tmp/made/here")?;
    fs::write("/tmp/made/here/index.txt", lines.concat())?;
    fs::create_dir_all("/workspace/docs")?;
    fs::rename("/tmp/made/here/index.txt", "/workspace/docs/index.txt")?;
    fs::OpenOptions::new().append(true).open("/workspace/README.md")?.write_all(b"See docs/index.txt.\n")?;
    fs::rename("/workspace/src/old.txt", "/workspace/src/new.txt")?;
    fs::remove_dir_all("/workspace/junk")
}

fn walk(folder: &Path, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, lines)?;
        } else {
            let shown = path.strip_prefix("/workspace").unwrap_or(&path).display().to_string();
            lines.push(format!("{shown} {}\n", fs::read(&path)?.len()));
        }
    }
    Ok(())
}

//! The gene of the bench `wasi_files`: it walks `/workspace` and reads every file with `std::fs`.

use std::fs;
use std::io;
use std::path::Path;

use gephost_gene::{Finding, Gene, GeneError, Severity};

struct ReadAllFiles;

impl Gene for ReadAllFiles {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let mut seen = (0, 0);
        read_all(Path::new("/workspace"), &mut seen)
            .map_err(|error| GeneError { code: "io".to_owned(), message: error.to_string() })?;
        let (files, bytes) = seen;
        Ok(vec![Finding {
            id: "files".to_owned(),
            kind: "files".to_owned(),
            title: format!("{files} files, {bytes} bytes"),
            severity: Severity::Info,
            confidence: 1.0,
            hypothesis: String::new(),
            evidence: Vec::new(),
            direction: String::new(),
            signals: Vec::new(),
            occurrences: 1,
        }])
    }
}

gephost_gene::gene!(ReadAllFiles, world: heuristic, manifest: "gene.json");

/// Counts the files and their bytes.
fn read_all(folder: &Path, seen: &mut (usize, usize)) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            read_all(&entry.path(), seen)?;
        } else {
            seen.0 += 1;
            seen.1 += fs::read(entry.path())?.len();
        }
    }
    Ok(())
}

//! The gene *tidy* in Rust, with only `std::fs`: see ../../README.md.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use gephost_gene::{Diagnosis, Gene, GeneError, Proposal, RiskLevel};

const WORKSPACE: &str = "/workspace";

struct Tidy;

impl Gene for Tidy {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        tidy().map_err(|error| GeneError { code: "io".to_owned(), message: error.to_string() })?;
        Ok(vec![Proposal {
            title: "Tidy the workspace".to_owned(),
            objective: "One colour, one place for notes".to_owned(),
            evidence: Vec::new(),
            finding: diagnosis.findings.into_iter().next().map(|finding| finding.id).unwrap_or_default(),
            risk_level: RiskLevel::Low,
            changes: Vec::new(),
            tests_to_run: Vec::new(),
            rollback_plan: "Revert the commit".to_owned(),
        }])
    }
}

gephost_gene::gene!(Tidy, world: strategy, manifest: "gene.json");

fn tidy() -> io::Result<()> {
    let before = walk()?;
    let refused = probe();
    change_files()?;
    write_report(&before, &refused)
}

fn walk() -> io::Result<String> {
    let mut lines = Vec::new();
    add_folder(Path::new(WORKSPACE), &mut lines)?;
    lines.sort();
    Ok(lines.concat())
}

fn add_folder(folder: &Path, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, metadata) = (entry.path(), entry.metadata()?);
        if metadata.is_dir() {
            add_folder(&path, lines)?;
        } else {
            let path = path.strip_prefix(WORKSPACE).map_err(io::Error::other)?;
            lines.push(format!("{} {}\n", path.display(), metadata.len()));
        }
    }
    Ok(())
}

fn probe() -> String {
    let above = if try_read("/workspace/../etc/passwd") == "read" { "read" } else { "refused" };
    [
        format!("/workspace/.env: {}\n", try_read("/workspace/.env")),
        format!("/etc/passwd: {}\n", try_read("/etc/passwd")),
        format!("/workspace/../etc/passwd: {above}\n"),
        format!("writing /workspace/.env: {}\n", try_write("/workspace/.env")),
    ]
    .concat()
}

fn try_read(path: &str) -> &'static str {
    match fs::read(path) {
        Ok(_) => "read",
        Err(error) if error.kind() == ErrorKind::NotFound => "not there",
        Err(_) => "refused",
    }
}

fn try_write(path: &str) -> &'static str {
    if fs::write(path, "mine\n").is_ok() { "written" } else { "refused" }
}

fn change_files() -> io::Result<()> {
    let root = Path::new(WORKSPACE);
    let app = root.join("src/app.txt");
    fs::write(&app, fs::read_to_string(&app)?.replace("red", "green"))?;
    OpenOptions::new().append(true).open(root.join("CHANGES.md"))?.write_all(b"- tidied\n")?;
    fs::rename(root.join("docs/old.md"), root.join("docs/new.md"))?;
    fs::remove_file(root.join("obsolete.txt"))?;
    fs::remove_dir_all(root.join("attic"))
}

fn write_report(before: &str, refused: &str) -> io::Result<()> {
    let folder = Path::new(WORKSPACE).join("notes/tidy");
    fs::create_dir_all(&folder)?;
    let after = walk()?;
    fs::write(folder.join("report.txt"), format!("before:\n{before}after:\n{after}refused:\n{refused}"))
}

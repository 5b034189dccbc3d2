//! `gephost asset list`: what is in the assets folder, and what is wrong with it.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::assets::{Listed, Unreadable};
use schemars::JsonSchema;
use serde::Serialize;

use super::comparison::Comparison;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::jsonl;
use crate::output::{self, Report};
use crate::page::Page;
use crate::render::style::{bad, dim, printable};
use crate::render::verdict::plural;

/// Most assets of one page. `--jsonl` prints all.
const MAX_ROWS: usize = 1000;

pub(crate) fn run(environment: &Environment, is_stream: bool) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    if is_stream {
        let mut output = output::stream();
        let mut told = Ok(true);
        let unreadable = project.list_assets(&mut |listed| {
            if matches!(told, Ok(true)) {
                told = jsonl::tell(&mut output, &AssetLine::of(listed));
            }
        });
        told?;
        let exit = if unreadable.is_empty() { Exit::Done } else { Exit::Failed };
        return Ok(Report { exit, ..Report::printed() });
    }
    let mut page = AssetListPage { files: Vec::new(), assets: Vec::new(), more: 0 };
    let unreadable = project.list_assets(&mut |listed| page.take(listed));
    page.note(unreadable);
    Ok(Report::of(&page))
}

/// What stands in the assets folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetListPage {
    /// The files that are there.
    files: Vec<FileRow>,
    /// The first assets, at most 1000.
    assets: Vec<AssetLine>,
    /// How many assets are not listed.
    more: u64,
}

/// A file of the assets folder.
#[derive(Debug, Serialize, JsonSchema)]
struct FileRow {
    /// Its name.
    file: &'static str,
    /// How many assets it has.
    assets: u64,
    /// How many of them state an asset id that is not that of their content.
    mismatched: u64,
    /// How many of them gephost passes over.
    passed_over: u64,
    /// Why it cannot be read to its end.
    unreadable: Option<String>,
}

/// An asset of the folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetLine {
    /// Name of its file.
    file: &'static str,
    /// The number of the item or line, from 1.
    number: u64,
    /// Its member `type`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Its member `id`.
    id: Option<String>,
    /// Its member `summary`.
    summary: Option<String>,
    /// Whether it states the id of its content; null if it is not strict JSON.
    asset_id: Option<Comparison>,
    /// Why gephost passes over it.
    problem: Option<String>,
}

impl AssetLine {
    fn of(listed: Listed) -> Self {
        let described = listed.described;
        let asset_id = described.verification.as_ref().map(Comparison::of);
        Self {
            file: listed.file,
            number: listed.number,
            kind: described.kind,
            id: described.id,
            summary: described.summary,
            asset_id,
            problem: described.problem,
        }
    }

    fn text(&self) -> String {
        let kind = self.kind.as_deref().unwrap_or("?");
        let id = self.id.as_deref().unwrap_or("without an id");
        let mut text = format!("  {:>4}  {}  {}", self.number, printable(kind), printable(id));
        if let Some(problem) = &self.problem {
            let _ = write!(text, "  {} {}", bad("passed over:"), printable(problem));
        } else if self.asset_id == Some(Comparison::Mismatch) {
            let _ = write!(text, "  {}", bad("its asset id is wrong"));
        } else if let Some(summary) = &self.summary {
            let _ = write!(text, "  {}", dim(printable(&short(summary))));
        }
        text
    }
}

/// The first characters of a summary.
fn short(summary: &str) -> String {
    match summary.char_indices().nth(70) {
        Some((end, _)) => format!("{}…", summary.get(..end).unwrap_or_default()),
        None => summary.to_owned(),
    }
}

impl AssetListPage {
    fn take(&mut self, listed: Listed) {
        let line = AssetLine::of(listed);
        let row = self.row(line.file);
        row.assets += 1;
        row.mismatched += u64::from(line.asset_id == Some(Comparison::Mismatch));
        row.passed_over += u64::from(line.problem.is_some());
        if self.assets.len() < MAX_ROWS {
            self.assets.push(line);
        } else {
            self.more += 1;
        }
    }

    fn note(&mut self, unreadable: Vec<Unreadable>) {
        for Unreadable { file, reason } in unreadable {
            self.row(file).unreadable = Some(reason);
        }
    }

    fn row(&mut self, file: &'static str) -> &mut FileRow {
        let at = self.files.iter().position(|row| row.file == file).unwrap_or_else(|| {
            self.files.push(FileRow { file, assets: 0, mismatched: 0, passed_over: 0, unreadable: None });
            self.files.len() - 1
        });
        &mut self.files[at]
    }
}

impl Page for AssetListPage {
    const KIND: &'static str = "asset-list";

    fn text(&self) -> String {
        if self.files.is_empty() {
            return "There are no assets yet. `gephost run --apply` records them; `gephost asset import` takes them in.\n"
                .to_owned();
        }
        let mut text = String::new();
        for row in &self.files {
            let _ = write!(text, "{}: {} {}", row.file, row.assets, plural(row.assets, "asset"));
            for (count, what) in [(row.mismatched, "with a wrong asset id"), (row.passed_over, "passed over")] {
                if count > 0 {
                    let _ = write!(text, ", {count} {what}");
                }
            }
            text.push('\n');
            if let Some(reason) = &row.unreadable {
                let _ = writeln!(text, "  {} {}", bad("not read to its end:"), printable(reason));
            }
            for line in self.assets.iter().filter(|line| line.file == row.file) {
                let _ = writeln!(text, "{}", line.text());
            }
        }
        if self.more > 0 {
            let _ = writeln!(text, "{} more; `gephost asset list --jsonl` prints all", self.more);
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.files.iter().any(|row| row.unreadable.is_some()) { Exit::Failed } else { Exit::Done }
    }
}

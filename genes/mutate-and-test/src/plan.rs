//! Which edits are tried, and in which order: how suspicious the line is, times how often such an edit is right.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::unified;
use crate::edit::Edit;
use crate::edits::edits;
use crate::file::File;
use crate::lexer::Language;
use crate::template::Template;

/// Most edits for one diagnosis.
pub(crate) const MAX_EDITS: usize = 800;
/// Most lines that are edited, the most suspicious first.
const MAX_LINES: usize = 400;

/// How much the weight of a kind is shared among its edits at one place: with 1 wholly, with 0 not at all.
const SHARED: f64 = 0.75;

/// A line that failing tests execute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Suspect {
    pub(crate) path: String,
    pub(crate) line: usize,
    /// How many failing and passing tests execute it.
    pub(crate) failed: u32,
    pub(crate) passed: u32,
}

/// An edit to try.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    pub(crate) path: String,
    pub(crate) template: Template,
    pub(crate) line: usize,
    pub(crate) before: String,
    pub(crate) after: String,
    pub(crate) diff: String,
    pub(crate) failed: u32,
    pub(crate) passed: u32,
    score: f64,
}

/// How suspicious a line is, from 0 to 1: Ochiai's formula, which Abreu, Zoeteweij and van Gemund (TAIC PART 2007) found to
/// point best.
fn suspicion(suspect: &Suspect, failing: u32) -> f64 {
    let (failed, passed) = (f64::from(suspect.failed), f64::from(suspect.passed));
    let all = f64::from(failing.max(1));
    if failed > 0.0 { failed / (all * (failed + passed)).sqrt() } else { 0.0 }
}

/// The edits of these lines, best first. `failing` tests fail; `source` gives the text of a file that may be edited.
pub(crate) fn drafts(
    suspects: Vec<Suspect>,
    failing: u32,
    mut source: impl FnMut(&str) -> Option<(String, Language)>,
) -> Vec<Draft> {
    let mut ordered: Vec<(f64, Suspect)> =
        suspects.into_iter().map(|suspect| (suspicion(&suspect, failing), suspect)).collect();
    ordered.retain(|(suspicion, _)| *suspicion > 0.0);
    // The coverage is sorted by place, and the sort is stable.
    ordered.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ordered.truncate(MAX_LINES);
    let mut files: BTreeMap<String, Vec<(f64, Suspect)>> = BTreeMap::new();
    for (suspicion, suspect) in ordered {
        files.entry(suspect.path.clone()).or_default().push((suspicion, suspect));
    }
    let mut drafts = Vec::new();
    for (path, suspects) in files {
        if let Some((text, language)) = source(&path) {
            drafts.extend(of_file(&path, &text, language, &suspects));
        }
    }
    drafts.sort_by(|a, b| b.score.total_cmp(&a.score));
    drafts.truncate(MAX_EDITS);
    drafts
}

fn of_file(path: &str, text: &str, language: Language, suspects: &[(f64, Suspect)]) -> Vec<Draft> {
    let file = File::new(text, language);
    let lines: BTreeSet<usize> = suspects.iter().map(|(_, suspect)| suspect.line).collect();
    let edits = edits(&file, &lines);
    // A kind that has many edits at one place shares its weight among them.
    let mut shares: BTreeMap<(Template, usize), f64> = BTreeMap::new();
    for edit in &edits {
        *shares.entry((edit.template, edit.start)).or_default() += 1.0;
    }
    let draft = |edit: &Edit| {
        let (suspicion, suspect) = suspects.iter().find(|(_, suspect)| suspect.line == edit.line)?;
        let after = edit.apply(text)?;
        let share = shares.get(&(edit.template, edit.start)).copied().unwrap_or(1.0);
        let line = |text: &str| text.lines().nth(edit.line - 1).unwrap_or_default().trim().to_owned();
        Some(Draft {
            path: path.to_owned(),
            template: edit.template,
            line: edit.line,
            before: line(text),
            after: line(&after),
            diff: unified(path, text, &after)?,
            failed: suspect.failed,
            passed: suspect.passed,
            score: suspicion * edit.template.weight() / share.powf(SHARED),
        })
    };
    edits.iter().filter_map(draft).collect()
}

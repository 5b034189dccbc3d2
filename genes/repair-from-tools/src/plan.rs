//! Turns findings and failing events into candidate repairs, best first.
//!
//! Candidates are ordered like the findings; those for other events follow, newest first. Of one event, all repairs together
//! come first, because a command passes only if all its errors are gone; then each of them alone. The same log and the same
//! files give the same candidates. The only effect is reading files.

use std::collections::{BTreeMap, BTreeSet};

use gephost_gene::failures::{Cause, Failure, finding_of, in_order};
use gephost_gene::validation;

use crate::fix::{Edit, Fix, apply};
use crate::input::Workspace;
use crate::order::ordered;
use crate::shelf::Shelf;
use crate::text::clipped;
use crate::{actions, cargo, data, go, makefile, rust, script, shell, values};

/// Most candidates for one diagnosis.
const MAX_DRAFTS: usize = 8;
/// Most candidates for one event that repair one message alone.
const MAX_ALONE: usize = 3;
/// Most files that one candidate changes; the same number as `constraints.max_files` in gene.json.
const MAX_FILES: usize = 20;

/// Reads the repairs for one event.
type Family = fn(&Failure, &mut Shelf<'_>) -> Vec<Fix>;

/// The families, those that the tools themselves decide first.
const FAMILIES: &[Family] = &[
    rust::fixes,
    cargo::fixes,
    cargo::edition::fixes,
    cargo::check_cfg::fixes,
    cargo::path::fixes,
    script::eslint::fixes,
    script::tsc::fixes,
    script::tsconfig::fixes,
    script::options::fixes,
    script::casing::fixes,
    script::old_node::fixes,
    go::fixes,
    makefile::fixes,
    shell::fixes,
    data::fixes,
    actions::fixes,
    values::fixes,
];

/// A candidate repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    /// One line, at most 200 characters.
    pub(crate) title: String,
    /// What it achieves, in a sentence.
    pub(crate) objective: String,
    /// Why, one line each.
    pub(crate) evidence: Vec<String>,
    /// Id of the finding that it is for; empty if the diagnosis has no finding.
    pub(crate) finding: String,
    /// Path and whole new content of each file.
    pub(crate) files: Vec<(String, String)>,
    /// Paths that become executable.
    pub(crate) executable: Vec<String>,
    /// Commands that should pass afterwards.
    pub(crate) tests: Vec<String>,
}

/// The candidates for these causes. `failures` must be ordered newest first.
pub(crate) fn drafts(causes: &[Cause], failures: &[Failure], workspace: &mut dyn Workspace) -> Vec<Draft> {
    let mut shelf = Shelf::new(workspace);
    let mut drafts: Vec<Draft> = Vec::new();
    let mut seen: BTreeSet<(String, Vec<Edit>)> = BTreeSet::new();
    let mut found = 0;
    for failure in in_order(causes, failures) {
        let finding = finding_of(failure, causes);
        let mut fixes: Vec<Fix> = FAMILIES.iter().flat_map(|family| family(failure, &mut shelf)).collect();
        let mut own = BTreeSet::new();
        fixes.retain(|fix| own.insert((fix.path.clone(), fix.edits.clone())));
        found += fixes.len();
        let groups = together(&fixes).into_iter().chain(fixes.iter().take(MAX_ALONE).map(|fix| vec![fix]));
        for group in groups {
            let alone = group.first().filter(|_| group.len() == 1).map(|fix| (fix.path.clone(), fix.edits.clone()));
            let is_new = alone.is_none_or(|key| seen.insert(key));
            let draft = if is_new { draft(&group, failure, finding, &mut shelf) } else { None };
            drafts.extend(draft.filter(|draft| {
                !drafts.iter().any(|known| known.files == draft.files && known.executable == draft.executable)
            }));
            if drafts.len() == MAX_DRAFTS {
                return drafts;
            }
        }
    }
    if drafts.is_empty() {
        shelf.note(&match (failures.len(), found) {
            (0, _) => "the log has no failed call".to_owned(),
            (count, 0) => {
                format!("of {count} failed calls, none has a message of a tool that asks for an edit it can make")
            }
            (_, found) => format!("the files no longer have the text that {found} edits would change"),
        });
    }
    drafts
}

/// The repairs that can be made together; `None` if that is only one.
fn together(fixes: &[Fix]) -> Option<Vec<&Fix>> {
    let mut group: Vec<&Fix> = Vec::new();
    let mut paths = BTreeSet::new();
    for fix in fixes {
        let conflicts = |known: &&Fix| {
            known.path == fix.path && known.edits.iter().any(|a| fix.edits.iter().any(|b| a.conflicts(b)))
        };
        if !group.iter().any(conflicts) && (paths.contains(&fix.path) || paths.len() < MAX_FILES) {
            paths.insert(fix.path.clone());
            group.push(fix);
        }
    }
    (group.len() > 1).then_some(group)
}

fn draft(group: &[&Fix], failure: &Failure, finding: &str, shelf: &mut Shelf<'_>) -> Option<Draft> {
    let first = group.first()?;
    let mut edits: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    for fix in group.iter().filter(|fix| !fix.edits.is_empty()) {
        edits.entry(&fix.path).or_default().extend(fix.edits.iter().cloned());
    }
    let mut files = Vec::new();
    let mut evidence = Vec::new();
    for (path, edits) in edits {
        files.push((path.to_owned(), apply(&shelf.read(path)?.text, &edits)?));
    }
    for fix in group.iter().take(8) {
        let text = shelf.read(&fix.path)?.line(fix.line).unwrap_or_default().trim().to_owned();
        evidence.push(clipped(&format!("event {} failed with {}", failure.event, fix.message), 300));
        evidence.push(clipped(&format!("{}:{} is `{text}`", fix.path, fix.line), 300));
        evidence.push(fix.why.clone());
    }
    let mut seen = BTreeSet::new();
    evidence.retain(|line| seen.insert(line.clone()));
    let executable: Vec<String> = group.iter().filter(|fix| fix.executable).map(|fix| fix.path.clone()).collect();
    // A changed mode and a changed content of one file would be two changes of it.
    if executable.iter().any(|path| files.iter().any(|(file, _)| file == path)) {
        return None;
    }
    let paths = ordered(group.iter().map(|fix| fix.path.as_str()));
    let place = match paths.len() {
        1 => format!("in {}", first.path),
        2 => format!("in {} and 1 more file", first.path),
        count => format!("in {} and {} more files", first.path, count - 1),
    };
    let mut title = first.what.clone();
    if let Some(start) = title.get_mut(..1) {
        start.make_ascii_uppercase();
    }
    let others = match group.len() {
        1 => String::new(),
        2 => " and make 1 more edit".to_owned(),
        count => format!(" and make {} more edits", count - 1),
    };
    Some(Draft {
        title: clipped(&format!("{title}{others} {place}"), 200),
        objective: clipped(
            &format!("{}: {}{others} {place}, so that the failing call succeeds", first.why, first.what),
            500,
        ),
        evidence,
        finding: finding.to_owned(),
        files,
        executable,
        tests: validation::command(&failure.input, None).into_iter().collect(),
    })
}

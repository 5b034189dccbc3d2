//! Layer 3: no secret is added, in a file, in a file's name, or in the proposal's own words, which end up in commit
//! messages and records. The value itself is never repeated.

use super::Finding;
use super::added::{AddedLine, added};
use super::resolve::Resolved;
use crate::patch::FilePatch;
use crate::proposal::Proposal;
use crate::secret::find_secrets;

const HINT: &str = "read it from the environment or a secret store, and revoke it if it is real";

pub(super) fn check(proposal: &Proposal, resolved: &Resolved) -> Vec<Finding> {
    let mut findings = in_words(proposal);
    for file in &resolved.patch.files {
        findings.extend(in_name(file));
        findings.extend(in_added_lines(file));
    }
    findings
}

fn in_words(proposal: &Proposal) -> Vec<Finding> {
    let own =
        [("title", &proposal.title), ("objective", &proposal.objective), ("rollback_plan", &proposal.rollback_plan)];
    let evidence = proposal.evidence.iter().map(|text| ("evidence", text));
    let commands = proposal.tests_to_run.iter().map(|text| ("tests_to_run", text));
    let texts = own.into_iter().chain(evidence).chain(commands);
    texts
        .flat_map(|(name, text)| find_secrets(text).into_iter().map(move |secret| (name, secret.kind)))
        .map(|(name, kind)| Finding::reject("secret", format!("`{name}` holds a secret ({kind})"), HINT))
        .collect()
}

fn in_name(file: &FilePatch) -> Option<Finding> {
    let path = file.new_path.as_ref()?;
    let secret = find_secrets(path.as_str()).into_iter().next()?;
    Some(Finding::reject("secret-in-name", format!("a file's name is a secret ({})", secret.kind), HINT).at(path))
}

/// All added lines of a file at once: a key may span many.
fn in_added_lines(file: &FilePatch) -> Vec<Finding> {
    let Some(path) = &file.new_path else {
        return Vec::new();
    };
    let lines: Vec<AddedLine<'_>> = added(file).collect();
    let text: String = lines.iter().flat_map(|line| [line.text, "\n"]).collect();
    let mut starts = Vec::with_capacity(lines.len());
    let mut at = 0;
    for line in &lines {
        starts.push(at);
        at += line.text.len() + 1;
    }
    let number = |offset: usize| {
        let index = starts.partition_point(|&start| start <= offset).saturating_sub(1);
        lines.get(index).map_or(0, |line| line.number)
    };
    let found = find_secrets(&text).into_iter();
    found
        .map(|secret| {
            let message = format!("a secret is added ({})", secret.kind);
            Finding::reject("secret", message, HINT).at(path).on_line(number(secret.range.start))
        })
        .collect()
}

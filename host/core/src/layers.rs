//! A repair of several layers: the sum of its steps as one change, and as one proposal.
//!
//! Each step is a change of the files that the step before it left. The sum is the change from the base to the files that
//! the last step left. It goes through the gate like any other proposal, so its size and its risk are those of the whole.

use std::collections::BTreeMap;

use crate::gate::ApprovedChange;
use crate::patch::{Patch, emit, make};
use crate::proposal::{Change, Proposal, RiskLevel};

/// The change from the base to what a step leaves, sorted by path. `sum` is the change from the base to what the steps
/// before it left, and `step` starts from there. A path that is as in the base again is not in it.
pub fn sum_of_changes(sum: &[ApprovedChange], step: &[ApprovedChange]) -> Vec<ApprovedChange> {
    let mut paths: BTreeMap<_, _> = sum.iter().map(|change| (change.path.clone(), change.clone())).collect();
    for change in step {
        let sum = paths.entry(change.path.clone()).or_insert_with(|| change.clone());
        sum.after.clone_from(&change.after);
    }
    paths.into_values().filter(|change| change.before != change.after).collect()
}

/// The sum of these steps, in their order, as a proposal. `changes` is what they change together.
///
/// It names the finding and the agent of the first step. It names a gene only if one gene proposed every step.
pub fn sum_of_proposals(steps: &[&Proposal], changes: &[ApprovedChange]) -> Proposal {
    let first = |text: fn(&Proposal) -> Option<&String>| steps.first().and_then(|step| text(step)).cloned();
    let more = match steps.len().saturating_sub(1) {
        0 => String::new(),
        1 => ", and 1 more step".to_owned(),
        count => format!(", and {count} more steps"),
    };
    let gene =
        first(|step| step.gene.as_ref()).filter(|gene| steps.iter().all(|step| step.gene.as_ref() == Some(gene)));
    let numbered = |(at, step): (usize, &&Proposal)| format!("{}. {}: {}", at + 1, step.title, step.objective);
    let objective: Vec<String> = steps.iter().enumerate().map(numbered).collect();
    let mut tests_to_run: Vec<String> = Vec::new();
    for test in steps.iter().flat_map(|step| &step.tests_to_run) {
        if !tests_to_run.contains(test) {
            tests_to_run.push(test.clone());
        }
    }
    let proposal = Proposal {
        id: String::new(),
        title: format!("{}{more}", first(|step| Some(&step.title)).unwrap_or_default()),
        objective: objective.join("\n"),
        evidence: steps.iter().flat_map(|step| step.evidence.iter().cloned()).collect(),
        risk_level: steps.iter().map(|step| step.risk_level).max().unwrap_or(RiskLevel::Medium),
        files_touched: Some(changes.iter().map(|change| change.path.to_string()).collect()),
        changes: written(changes),
        tests_to_run,
        rollback_plan: first(|step| Some(&step.rollback_plan)).unwrap_or_default(),
        gene,
        diagnosis_ref: first(|step| step.diagnosis_ref.as_ref()),
        agent: first(|step| step.agent.as_ref()),
        created_at: steps.last().and_then(|step| step.created_at.clone()),
    };
    proposal.with_content_id()
}

/// One diff of everything that can be reviewed as text, and the rest as whole contents.
fn written(changes: &[ApprovedChange]) -> Vec<Change> {
    let mut patch = Patch { files: Vec::new() };
    let mut whole = Vec::new();
    for change in changes {
        match (make(change.before.as_ref(), change.after.as_ref(), &change.path), &change.after) {
            (Ok(file), _) => patch.files.push(file),
            (Err(_), Some(after)) => {
                whole.push(Change::NewContent { path: change.path.to_string(), content: after.content.to_vec() });
            }
            (Err(_), None) => whole.push(Change::Delete { path: change.path.to_string() }),
        }
    }
    let diff = (!patch.files.is_empty()).then(|| Change::UnifiedDiff(emit(&patch)));
    diff.into_iter().chain(whole).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gate::{BlobState, FileMode};
    use crate::path::RepoPath;

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> ApprovedChange {
        let state = |text: &str| BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) };
        ApprovedChange {
            path: RepoPath::new(path).expect("a path"),
            before: before.map(state),
            after: after.map(state),
        }
    }

    #[test]
    fn a_sum_goes_from_the_base_to_the_last_step() {
        let first = [change("a", Some("1\n"), Some("2\n")), change("b", None, Some("new\n"))];
        let second = [change("a", Some("2\n"), Some("3\n")), change("c", Some("c\n"), None)];
        let sum = sum_of_changes(&first, &second);
        let expected =
            [change("a", Some("1\n"), Some("3\n")), change("b", None, Some("new\n")), change("c", Some("c\n"), None)];
        assert_eq!(sum, expected);
        // What a later step takes back is no change.
        let back = [change("a", Some("3\n"), Some("1\n")), change("b", Some("new\n"), None)];
        assert_eq!(sum_of_changes(&sum, &back), [change("c", Some("c\n"), None)]);
    }

    #[test]
    fn a_sum_is_one_proposal() {
        let step = |title: &str, gene: &str, test: &str| Proposal {
            title: title.to_owned(),
            objective: format!("why {title}"),
            gene: Some(gene.to_owned()),
            diagnosis_ref: Some(format!("finding of {title}")),
            tests_to_run: vec!["all".to_owned(), test.to_owned()],
            ..Proposal::from_diff("")
        };
        let changes = [change("a", Some("1\n"), Some("2\n")), change("bin", None, Some("a\0b"))];
        let (one, two, other) = (step("one", "g", "t1"), step("two", "g", "t2"), step("three", "h", "t1"));
        let sum = sum_of_proposals(&[&one, &two], &changes);
        assert_eq!((sum.title.as_str(), sum.gene.as_deref()), ("one, and 1 more step", Some("g")));
        assert_eq!(sum.objective, "1. one: why one\n2. two: why two");
        assert_eq!(sum.diagnosis_ref.as_deref(), Some("finding of one"));
        assert_eq!(sum.tests_to_run, ["all", "t1", "t2"]);
        assert_eq!(sum.files_touched, Some(vec!["a".to_owned(), "bin".to_owned()]));
        let [Change::UnifiedDiff(diff), Change::NewContent { path, content }] = sum.changes.as_slice() else {
            panic!("{:?}", sum.changes)
        };
        assert!(diff.contains("-1\n+2\n"), "{diff}");
        assert_eq!((path.as_str(), content.as_slice()), ("bin", &b"a\0b"[..]));
        assert_eq!(sum.id, sum.content_id());
        assert_eq!(sum_of_proposals(&[&one, &two, &other], &changes).gene, None, "two genes made it");
    }
}

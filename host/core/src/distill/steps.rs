//! The steps of a draft: sentences of gephost's own around what the capsules have in common.

use std::collections::BTreeMap;

use super::support::Support;
use super::words::{quoted, words};
use crate::patch::{self, FilePatch, Limits};

/// The most steps that are taken from genes.
const MAX_GENE_STEPS: usize = 16;
/// The most summaries that are quoted.
const MAX_SUMMARIES: usize = 3;
/// The most words or paths of one step.
const MAX_NAMED: usize = 12;
/// The longest diff that is read, in bytes.
const MAX_DIFF_BYTES: usize = 256 * 1024;

/// All of them, in the order in which they are to be carried out.
pub(super) fn steps(support: &[Support<'_>], patterns: &[String], redact: &dyn Fn(&str) -> String) -> Vec<String> {
    let signals = patterns.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(", ");
    let mut steps = vec![format!("Find the cause of the failures that raise the signals {signals}.")];
    steps.extend(of_genes(support, redact));
    let paths = paths(support, redact);
    if !paths.is_empty() {
        steps
            .push(format!("Look at these files first, which most of the changes that held touched: {}.", list(&paths)));
    }
    let words = common_words(support, redact);
    if !words.is_empty() {
        steps.push(format!(
            "Compare with what held before: the summaries of these changes share the words {}.",
            list(&words)
        ));
    }
    steps.extend(summaries(support, redact));
    steps.push("Make the smallest change that removes the cause, and run the validation commands.".to_owned());
    steps
}

/// The steps of the genes behind more than half of the capsules, in the order of the gene with the smallest id.
fn of_genes(support: &[Support<'_>], redact: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut genes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for capsule in support {
        let Some(gene) = capsule.gene else { continue };
        let mark =
            if capsule.has_external_gene { format!("(external candidate {}) ", id(&gene.id)) } else { String::new() };
        let mut steps: Vec<String> = gene.strategy.iter().map(|step| mark.clone() + &quoted(step, redact)).collect();
        steps.retain(|step| step.len() > mark.len());
        genes.insert(&gene.id, steps.clone());
        steps.sort();
        steps.dedup();
        for step in steps {
            *counts.entry(step).or_default() += 1;
        }
    }
    let mut common: Vec<String> = Vec::new();
    for step in genes.into_values().flatten() {
        if is_most(counts.get(&step).copied(), support) && !common.contains(&step) && common.len() < MAX_GENE_STEPS {
            common.push(step);
        }
    }
    common
}

/// The paths that the diffs of more than half of the capsules touch.
fn paths(support: &[Support<'_>], redact: &dyn Fn(&str) -> String) -> Vec<String> {
    common(support, |capsule| {
        let diff = capsule.capsule.document().get("diff").and_then(serde_json::Value::as_str).unwrap_or_default();
        let parsed = if diff.len() > MAX_DIFF_BYTES { None } else { patch::parse(diff, &Limits::default()).ok() };
        let files = parsed.iter().flat_map(|patch| &patch.files);
        files.flat_map(FilePatch::paths).map(|path| quoted(path.as_str(), redact)).collect()
    })
}

/// The words that the summaries of all capsules share.
fn common_words(support: &[Support<'_>], redact: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for capsule in support {
        let mut found = words(&quoted(capsule.capsule.summary.as_deref().unwrap_or_default(), redact));
        found.sort();
        found.dedup();
        for word in found {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count == support.len()).map(|(word, _)| word).take(MAX_NAMED).collect()
}

/// The most frequent summaries, as data.
fn summaries(support: &[Support<'_>], redact: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut seen: BTreeMap<String, Vec<&Support<'_>>> = BTreeMap::new();
    for capsule in support {
        let summary = quoted(capsule.capsule.summary.as_deref().unwrap_or_default(), redact);
        if !summary.is_empty() {
            seen.entry(summary).or_default().push(capsule);
        }
    }
    let mut seen: Vec<_> = seen.into_iter().collect();
    seen.sort_by(|(one, of_one), (other, of_other)| of_other.len().cmp(&of_one.len()).then(one.cmp(other)));
    let step = |(summary, capsules): (String, Vec<&Support<'_>>)| {
        let mark = if capsules.iter().all(|it| it.is_external) { " of external candidates" } else { "" };
        let count = if capsules.len() == 1 { "1 capsule".to_owned() } else { format!("{} capsules", capsules.len()) };
        format!("For comparison, not as an instruction: {count}{mark} described the change as \"{summary}\".")
    };
    seen.into_iter().take(MAX_SUMMARIES).map(step).collect()
}

/// What more than half of the capsules have, sorted.
pub(super) fn common(support: &[Support<'_>], of: impl Fn(&Support<'_>) -> Vec<String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for capsule in support {
        let mut found = of(capsule);
        found.sort();
        found.dedup();
        for one in found {
            *counts.entry(one).or_default() += 1;
        }
    }
    let most = |count: usize| is_most(Some(count), support);
    counts.into_iter().filter(|(_, count)| most(*count)).map(|(one, _)| one).take(MAX_NAMED).collect()
}

fn is_most(count: Option<usize>, support: &[Support<'_>]) -> bool {
    count.unwrap_or_default() * 2 > support.len()
}

fn list(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// An id for a text.
pub(super) fn id(id: &str) -> String {
    quoted(id, &str::to_owned)
}

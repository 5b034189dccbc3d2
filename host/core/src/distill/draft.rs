//! The draft of a gene from one group of capsules.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use super::gather::Gathered;
use super::group::Group;
use super::material::Request;
use super::signals::matches_most;
use super::steps::{common, id, steps};
use super::support::{Support, known};
use super::words::asset_id;
use crate::capsule::Capsule;
use crate::command::ValidationCommand;
use crate::digest::{self, SCHEMA_VERSION};
use crate::gene::{Category, TextGene};
use crate::pattern::{Case, PatternSet};
use crate::signal::pattern_matches;
use crate::validation::ValidationReport;

/// The most patterns of a draft.
const MAX_PATTERNS: usize = 16;
/// The most capsules that the evidence lists, and the most events of one.
const MAX_EVIDENCE: usize = 50;
const MAX_EVENTS: usize = 10;
/// Hexadecimal digits of a draft's id.
const ID_DIGITS: usize = 12;
/// The categories that a text-only gene may have.
const CATEGORIES: [&str; 3] = ["innovate", "optimize", "repair"];

/// A draft as it is written, in the order of its members.
#[derive(Serialize)]
#[serde(tag = "type", rename = "Gene")]
struct NewGene<'a> {
    schema_version: &'static str,
    id: &'a str,
    category: &'a str,
    signals_match: &'a [String],
    preconditions: [&'static str; 1],
    strategy: Vec<String>,
    constraints: NewConstraints,
    validation: Vec<String>,
    summary: String,
    evidence: Vec<Evidence<'a>>,
}

#[derive(Serialize)]
struct NewConstraints {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_files: Option<u64>,
    forbidden_paths: Vec<String>,
}

/// One capsule that the draft rests on.
#[derive(Serialize)]
struct Evidence<'a> {
    capsule: String,
    asset_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    gene: Option<String>,
    events: Vec<String>,
    /// Whether somebody else made it.
    external: bool,
}

/// The draft, or why there is none.
pub(super) fn of(group: &Group<'_>, gathered: &Gathered, request: &Request<'_>) -> Result<Map<String, Value>, String> {
    let needed = request.min_capsules.max(2);
    if group.capsules.len() < needed {
        return Err(format!("{needed} capsules are needed"));
    }
    let ids: BTreeSet<&str> = group.capsules.iter().map(|capsule| capsule.id.as_str()).collect();
    let others: Vec<&Capsule> = gathered.capsules.iter().filter(|other| !ids.contains(other.id.as_str())).collect();
    let specific = group.shared.iter().filter(|pattern| !matches_most(pattern, &others));
    let patterns: Vec<String> = specific.take(MAX_PATTERNS).cloned().collect();
    let is_supporting = |capsule: &&&Capsule| {
        patterns.iter().any(|pattern| capsule.trigger.iter().any(|signal| pattern_matches(pattern, signal)))
    };
    let support: Vec<_> = group.capsules.iter().filter(is_supporting).map(|it| known(it, gathered)).collect();
    if support.len() < needed {
        return Err("more than half of them share no signal that is specific enough".to_owned());
    }
    sealed(&support, &patterns, request)
}

fn sealed(support: &[Support<'_>], patterns: &[String], request: &Request<'_>) -> Result<Map<String, Value>, String> {
    let category = category(support);
    let hash = digest::sha256_hex(format!("{category}\n{}", patterns.join("\n")).as_bytes());
    let digits: String = hash.chars().take(ID_DIGITS).collect();
    let count = support.len();
    let listed =
        if count > MAX_EVIDENCE { format!(" The evidence lists {MAX_EVIDENCE} of them.") } else { String::new() };
    let draft = NewGene {
        schema_version: SCHEMA_VERSION,
        id: &format!("gene_distilled_{digits}"),
        category,
        signals_match: patterns,
        preconditions: ["The failing command can be run here."],
        strategy: steps(support, patterns, request.redact),
        constraints: NewConstraints { max_files: max_files(support), forbidden_paths: forbidden_paths(support) },
        validation: commands(support, request),
        summary: format!(
            "Draft distilled from {count} changes that held for the same signals.{listed} A person must review it."
        ),
        evidence: support.iter().take(MAX_EVIDENCE).map(evidence).collect(),
    };
    let members = digest::sealed(&draft).map_err(|error| error.to_string())?;
    // What the reader of text-only genes refuses is of no use to anybody.
    let text = Value::Object(members.clone()).to_string();
    TextGene::from_json(text.as_bytes()).map_err(|error| format!("the draft would be refused: {error}"))?;
    Ok(members)
}

/// The entry of a capsule in the evidence.
fn evidence<'a>(support: &'a Support<'_>) -> Evidence<'a> {
    let mut events: Vec<String> = support.events.iter().map(|event| id(&event.id)).collect();
    events.sort();
    events.dedup();
    events.truncate(MAX_EVENTS);
    Evidence {
        capsule: id(&support.capsule.id),
        asset_id: asset_id(support.capsule.document()),
        gene: support.capsule.gene.as_deref().map(id),
        events,
        external: support.is_external,
    }
}

/// What most of the genes or, without one, of the events were for; `repair` if that is not known.
fn category(support: &[Support<'_>]) -> &'static str {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let of_event = |capsule: &Support<'_>| capsule.events.iter().map(|event| event.intent.as_str().to_owned()).min();
    for capsule in support {
        let word = capsule.gene.map(|gene| Category::as_str(&gene.category).to_owned()).or_else(|| of_event(capsule));
        if let Some(known) = CATEGORIES.into_iter().find(|known| word.as_deref() == Some(known)) {
            *counts.entry(known).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or("repair", |(word, _)| word)
}

/// The largest change that held; `None` if the size of one is not known.
fn max_files(support: &[Support<'_>]) -> Option<u64> {
    let files: Option<Vec<u64>> = support.iter().map(|it| it.capsule.blast_radius.map(|radius| radius.files)).collect();
    files?.into_iter().max().filter(|files| *files > 0)
}

/// The paths that every known gene forbids.
fn forbidden_paths(support: &[Support<'_>]) -> Vec<String> {
    let mut sets = support.iter().filter_map(|it| it.gene).map(|gene| {
        let is_pattern = |path: &&String| PatternSet::new([path.as_str()], Case::Folded).is_ok();
        gene.constraints.forbidden_paths.iter().filter(is_pattern).cloned().collect::<BTreeSet<String>>()
    });
    let first = sets.next().unwrap_or_default();
    let all = sets.fold(first, |all, paths| all.intersection(&paths).cloned().collect());
    all.into_iter().take(MAX_PATTERNS).collect()
}

/// The commands that validated most of the changes, or that most of the genes name, and that the grammar allows.
fn commands(support: &[Support<'_>], request: &Request<'_>) -> Vec<String> {
    let is_usable =
        |text: &String| (request.redact)(text) == *text && ValidationCommand::parse(text, request.rules).is_ok();
    common(support, |capsule| {
        let of_gene = capsule.gene.iter().flat_map(|gene| gene.validation.iter().cloned());
        let of_reports = capsule.reports.iter().flat_map(|report| commands_of(report));
        of_gene.chain(of_reports).filter(is_usable).collect()
    })
}

fn commands_of(report: &ValidationReport) -> Vec<String> {
    let commands = report.document().get("commands").and_then(Value::as_array);
    let text = |command: &Value| command.get("command").and_then(Value::as_str).map(str::to_owned);
    commands.into_iter().flatten().filter_map(text).collect()
}

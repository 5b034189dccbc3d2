//! Runs a gene on every fixture of its project, twice each, and compares what it answers with the golden file.

use std::path::{Path, PathBuf};

use gephost_core::gene::{Manifest, World};
use gephost_core::recording::{AuditEntry, lines_that_differ};
use gephost_runner::monotonic;
use gephost_runner::sandbox::{Headroom, MAX_COMPONENT_BYTES, inspect};
use schemars::JsonSchema;
use serde::Serialize;

use super::built::{built, note_newer};
use super::fixture::{Answer, Run, Scene, run};
use super::folder::{Folder, is_folder};
use crate::environment::Environment;
use crate::error::{AppError, printable};
use crate::gene_file::name_the_file;

/// The folder of the fixtures.
const FIXTURES: &str = "fixtures";
/// The golden file of a fixture.
const GOLDEN: &str = "expected.json";
/// Most requests that are shown of a gene that failed.
const SHOWN_REQUESTS: usize = 5;
/// Most lines of its log that are shown.
const SHOWN_LINES: usize = 40;
/// Largest golden file, in bytes.
const MAX_GOLDEN_BYTES: u64 = 16 << 20;

/// The result of all fixtures.
#[derive(Debug)]
pub struct Tested {
    /// The component that was tested.
    pub gene: PathBuf,
    /// The id in the gene's manifest.
    pub id: String,
    /// One result for each fixture, by name.
    pub fixtures: Vec<FixtureResult>,
}

/// The result of a fixture.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FixtureResult {
    /// The name of its folder.
    pub name: String,
    /// Whether the answer is the one of the golden file.
    pub state: FixtureState,
    /// Why it failed, one line each. Lines of a difference begin with `-` (expected) or `+` (answered).
    pub problems: Vec<String>,
    /// The first thing that the gene would run out of, and how much of it was used, from 0 to 1.
    pub fullest: Option<Fullest>,
    /// How long both runs took, in milliseconds.
    pub wall_ms: u64,
}

/// The budget of which a gene used the largest share.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Fullest {
    /// What the budget counts, for example `memory` or `log lines`.
    pub budget: String,
    /// The used share, from 0 to 1.
    pub share: f64,
}

impl Fullest {
    /// The share and the budget, on one line.
    pub fn text(&self) -> String {
        let Self { budget, share } = self;
        if *share > 0.0 && *share < 0.005 {
            return format!("under 1 % of the {budget}");
        }
        format!("{:.0} % of the {budget}", share * 100.0)
    }

    /// The first one.
    pub(super) fn of(headroom: &[Headroom]) -> Option<Self> {
        let room = headroom.first()?;
        Some(Self { budget: room.counted().to_owned(), share: room.share() })
    }
}

/// How a fixture ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FixtureState {
    /// The answer is the expected one.
    Passed,
    /// The answer is another one, or two runs gave different answers.
    Failed,
    /// The golden file was written.
    Blessed,
    /// The fixture cannot be read, or the gene cannot be run.
    Broken,
}

/// Runs the gene of a project on its fixtures. With `bless`, the golden files are written. `gene` is another file than
/// `build/gene.wasm`.
pub fn test(environment: &Environment, folder: &Path, gene: Option<&Path>, bless: bool) -> Result<Tested, AppError> {
    let project = Folder::open(&environment.resolve(folder))?;
    let gene = if let Some(gene) = gene {
        environment.resolve(gene)
    } else {
        note_newer(environment, &project, folder)?;
        built(&project, folder)?
    };
    let manifest = manifest(environment, &gene)?;
    let names = project.folders(FIXTURES)?;
    if names.is_empty() {
        let message = format!("{} has no fixtures", project.path().display());
        return Err(AppError::usage("no_fixtures", message)
            .hint(format!("make a folder {FIXTURES}/NAME with log.jsonl, workspace/ and gephost.toml")));
    }
    let mut fixtures = Vec::new();
    for name in names {
        let begun = monotonic::now();
        let fixture = Folder::open(&project.join(&format!("{FIXTURES}/{name}")))?;
        let result = one(environment, &gene, manifest.id(), manifest.world, &fixture, bless);
        let (state, problems, fullest) = result.unwrap_or_else(|error| {
            let hint = error.hint.into_iter();
            (FixtureState::Broken, std::iter::once(error.message).chain(hint).collect(), None)
        });
        let wall_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        fixtures.push(FixtureResult { name, state, problems, fullest, wall_ms });
        if environment.is_interrupted() {
            break;
        }
    }
    Ok(Tested { gene, id: manifest.id().to_owned(), fixtures })
}

/// The manifest of a component file.
pub(super) fn manifest(environment: &Environment, gene: &Path) -> Result<Manifest, AppError> {
    if is_folder(gene) {
        return Err(
            AppError::usage("gene_refused", format!("gene {} is a folder", gene.display())).hint(name_the_file(gene))
        );
    }
    let bytes = super::packing::read(environment, gene, MAX_COMPONENT_BYTES)?;
    let inspected = inspect(&bytes).map_err(|error| {
        let message = format!("gene {}: {}", gene.display(), printable(&error.to_string()));
        AppError::usage("gene_refused", message)
    })?;
    Ok(inspected.manifest)
}

type Ended = (FixtureState, Vec<String>, Option<Fullest>);

fn one(
    environment: &Environment,
    gene: &Path,
    id: &str,
    world: World,
    fixture: &Folder,
    bless: bool,
) -> Result<Ended, AppError> {
    let scene = Scene::of(fixture)?;
    let Run { answer, stopped_at, headroom, requests, .. } = run(environment, gene, id, world, &scene, 0)?;
    let again = run(environment, gene, id, world, &scene, 0)?.answer;
    let fullest = Fullest::of(&headroom);
    if again != answer {
        let mut problems = vec!["two runs gave different answers, and a gene must give the same".to_owned()];
        problems.extend(difference(&answer, &again));
        return Ok((FixtureState::Failed, problems, fullest));
    }
    if bless {
        fixture.write(GOLDEN, written(&answer).as_bytes())?;
        return Ok((FixtureState::Blessed, Vec::new(), fullest));
    }
    let expected = expected(fixture)?;
    if expected == answer {
        return Ok((FixtureState::Passed, Vec::new(), fullest));
    }
    Ok((FixtureState::Failed, problems(&expected, &answer, stopped_at, &requests), fullest))
}

/// How an answer differs from the expected one. If the gene failed, only that counts, with where it was stopped, and what it
/// wrote and asked before: the rest differs because of it.
fn problems(expected: &Answer, answer: &Answer, stopped_at: Option<String>, requests: &[AuditEntry]) -> Vec<String> {
    match &answer.error {
        Some(error) if expected.error.is_none() => {
            let lines =
                std::iter::once(error.clone()).chain(stopped_at).chain(shown(&answer.log)).chain(last(requests));
            lines.map(|line| printable(&line)).collect()
        }
        _ => difference(expected, answer),
    }
}

/// The last lines of a log, and how many come before.
fn shown(log: &[String]) -> impl Iterator<Item = String> {
    let left_out = log.len().saturating_sub(SHOWN_LINES);
    let before = (left_out > 0).then(|| format!("… {left_out} lines of the log before these"));
    before.into_iter().chain(log.iter().skip(left_out).cloned())
}

/// The last requests, a line each.
fn last(requests: &[AuditEntry]) -> impl Iterator<Item = String> {
    let shown = requests.get(requests.len().saturating_sub(SHOWN_REQUESTS)..).unwrap_or_default();
    shown.iter().map(|request| {
        let AuditEntry { decision, capability, function, target, .. } = request;
        format!("asked {capability}.{function} {target}: {}", decision.as_str())
    })
}

fn expected(fixture: &Folder) -> Result<Answer, AppError> {
    let file = fixture.join(GOLDEN);
    let bytes = fixture
        .read(GOLDEN, MAX_GOLDEN_BYTES)
        .map_err(|error| error.hint("write what the gene answers now: gephost gene test --bless"))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        AppError::usage("golden", format!("{}: {}", file.display(), printable(&error.to_string())))
            .hint("write what the gene answers now: gephost gene test --bless")
    })
}

/// An answer as a golden file.
fn written(answer: &Answer) -> String {
    serde_json::to_string_pretty(answer).unwrap_or_default() + "\n"
}

/// The lines in which two answers differ.
fn difference(expected: &Answer, answered: &Answer) -> Vec<String> {
    lines_that_differ(&written(expected), &written(answered)).iter().map(|line| printable(line)).collect()
}

#[cfg(test)]
mod tests {
    use gephost_core::gene::Capability;
    use gephost_core::recording::Decision;

    use super::*;

    #[test]
    fn of_a_gene_that_failed_the_error_its_log_and_its_last_requests_are_shown() {
        let failed = Answer {
            error: Some("failed at gene.py:2".to_owned()),
            log: vec!["info a".to_owned()],
            ..Answer::default()
        };
        assert_eq!(problems(&Answer::default(), &failed, None, &[]), ["failed at gene.py:2", "info a"]);
        let stopped = Some("it was stopped at gene.py:1".to_owned());
        let shown = problems(&Answer::default(), &failed, stopped, &[]);
        assert_eq!(shown, ["failed at gene.py:2", "it was stopped at gene.py:1", "info a"]);
        let flood = Answer { log: (0..10_000).map(|line| format!("info {line}")).collect(), ..failed.clone() };
        let shown = problems(&Answer::default(), &flood, None, &[]);
        assert_eq!(shown[1], "… 9960 lines of the log before these");
        assert_eq!((shown.len(), shown.last().unwrap().as_str()), (2 + SHOWN_LINES, "info 9999"));
        let request = |target: String| AuditEntry {
            seq: 0,
            capability: Capability::Workspace,
            function: "read".into(),
            target,
            decision: Decision::NotFound,
            rule: None,
            bytes: 0,
            result: None,
            micros: 0,
        };
        let requests: Vec<AuditEntry> = (0..7).map(|number| request(number.to_string())).collect();
        let shown = problems(&Answer::default(), &failed, None, &requests);
        assert_eq!(shown.len(), 2 + SHOWN_REQUESTS);
        assert_eq!(shown.last().unwrap(), "asked workspace.read 6: not-found");
        let other = Answer { error: Some("failed at gene.py:3".to_owned()), ..failed.clone() };
        let differs = problems(&failed, &other, None, &[]);
        assert!(differs.iter().any(|line| line.starts_with('-')), "{differs:?}");
    }
}

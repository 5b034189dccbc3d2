//! The report as a document.

use serde::Serialize;
use serde_json::{Map, Value};

use super::changes::{MAX_TOLD, TestChanges};
use super::level::{Level, MemoryBound};
use super::run::{CommandRun, Excess, RunResult};
use super::test_run::TestCounts;
use super::weakened::WeakenedTest;
use crate::digest::{self, AssetError, Fields, SCHEMA_VERSION};

/// The most bytes of each stream in a report. The end is kept, because runners print results there.
pub const MAX_STREAM_BYTES: usize = 8 * 1024;

/// The content of a new report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportDraft<'a> {
    /// `vr_` and something unique to this store, milliseconds since the Unix epoch by custom.
    pub id: String,
    /// Id of the gene whose change was validated.
    pub gene_id: String,
    /// The commands that ran.
    pub commands: &'a [CommandRun],
    /// The verdict's name ([`crate::evaluate::Decision::as_str`]).
    pub decision: &'static str,
    /// Whether the validation succeeded.
    pub overall_ok: bool,
    /// How far the operating system confined the commands.
    pub sandbox: Level,
    /// What bounded their memory.
    pub memory_bound: MemoryBound,
}

/// A new report as it is written, in the order of its members.
#[derive(Serialize)]
#[serde(tag = "type", rename = "ValidationReport")]
struct NewReport<'a> {
    schema_version: &'static str,
    id: &'a str,
    gene_id: &'a str,
    commands: Vec<NewCommand<'a>>,
    overall_ok: bool,
    decision: &'static str,
    /// The tests that the change made milder. An operator who approved the change has seen them.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    weakened_tests: &'a [WeakenedTest],
    sandbox: Level,
    memory_bound: MemoryBound,
    duration_ms: u64,
}

/// One command of it.
#[derive(Serialize)]
struct NewCommand<'a> {
    command: &'a str,
    ok: bool,
    stdout: &'a str,
    stderr: &'a str,
    after: Ending,
    #[serde(skip_serializing_if = "TestChanges::is_empty")]
    tests: TestChanges,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Ending>,
}

/// How one run of the command ended.
#[derive(Serialize)]
struct Ending {
    exit: Option<i32>,
    timed_out: bool,
    over: Option<Excess>,
    reruns: Vec<Option<i32>>,
    duration_ms: u64,
    tests: Option<TestCounts>,
}

/// A report as a document.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationReport {
    /// The id of the report, unique in its assets folder.
    pub id: String,
    /// Whether the validation succeeded.
    pub overall_ok: bool,
    document: Map<String, Value>,
}

impl ValidationReport {
    /// Makes a report with its asset id.
    pub fn record(draft: &ReportDraft<'_>) -> Result<Self, AssetError> {
        // Each command has the list of the change.
        let weakened = draft.commands.first().map_or(&[][..], |run| &run.weakened);
        let total = draft.commands.iter().fold(0_u64, |sum, run| sum.saturating_add(run.after.duration_ms));
        Self::read(digest::sealed(&NewReport {
            schema_version: SCHEMA_VERSION,
            id: &draft.id,
            gene_id: &draft.gene_id,
            commands: draft.commands.iter().map(NewCommand::of).collect(),
            overall_ok: draft.overall_ok,
            decision: draft.decision,
            weakened_tests: weakened.get(..MAX_TOLD).unwrap_or(weakened),
            sandbox: draft.sandbox,
            memory_bound: draft.memory_bound,
            duration_ms: total,
        })?)
    }

    /// Reads a report from an object. `type`, `id` and `overall_ok` are required.
    pub fn read(document: Map<String, Value>) -> Result<Self, AssetError> {
        let fields = Fields::of(&document);
        fields.expect_asset("ValidationReport")?;
        let id = fields.text("id")?.to_owned();
        let overall_ok = fields.flag("overall_ok")?;
        Ok(Self { id, overall_ok, document })
    }

    /// Every member, in the order in which it was read.
    pub fn document(&self) -> &Map<String, Value> {
        &self.document
    }
}

impl<'a> NewCommand<'a> {
    fn of(run: &'a CommandRun) -> Self {
        Self {
            command: &run.text,
            ok: run.after.passed(),
            stdout: tail(&run.after.stdout),
            stderr: tail(&run.after.stderr),
            after: Ending::of(&run.after),
            tests: TestChanges::of(run),
            before: run.before.as_ref().map(Ending::of),
        }
    }
}

impl Ending {
    fn of(result: &RunResult) -> Self {
        Self {
            exit: result.exit,
            timed_out: result.timed_out,
            over: result.over,
            reruns: result.reruns.iter().map(|rerun| rerun.exit).collect(),
            duration_ms: result.duration_ms,
            tests: result.tests,
        }
    }
}

/// The end of a text, at most [`MAX_STREAM_BYTES`], from a character's start.
fn tail(text: &str) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(MAX_STREAM_BYTES));
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::digest::Verification;

    fn run(stdout: &str) -> CommandRun {
        let after = RunResult { exit: Some(0), stdout: stdout.to_owned(), duration_ms: 80, ..RunResult::default() };
        CommandRun { text: "pytest -q".to_owned(), before: None, after, weakened: Vec::new(), recorded: None }
    }

    fn report(commands: &[CommandRun]) -> ValidationReport {
        let draft = ReportDraft {
            id: "vr_1".to_owned(),
            gene_id: "gene_x".to_owned(),
            commands,
            decision: "fixed",
            overall_ok: true,
            sandbox: Level::L1,
            memory_bound: MemoryBound::Kernel,
        };
        ValidationReport::record(&draft).expect("a report")
    }

    #[test]
    fn a_report_has_the_members_of_the_seed_and_verifies() {
        let report = report(&[run("ok\n"), run("ok\n")]);
        assert!(report.overall_ok);
        assert_eq!(digest::verify_members(report.document()).expect("an object"), Verification::Match);
        let document = report.document();
        assert_eq!((&document["duration_ms"], &document["sandbox"]), (&json!(160), &json!("L1")));
        assert_eq!(document["memory_bound"], "kernel");
        assert_eq!(document["commands"][0]["command"], "pytest -q");
        assert_eq!(document["commands"][0]["ok"], true);
        assert_eq!(document["commands"][0]["stdout"], "ok\n");
        assert_eq!(document["commands"][0]["after"]["exit"], 0);
        assert!(document["commands"][0].get("before").is_none());
    }

    #[test]
    fn the_tests_that_a_change_made_milder_are_in_its_report() {
        let milder = |name: &str| WeakenedTest {
            path: "tests/test_a.py".to_owned(),
            name: Some(name.to_owned()),
            why: "it is gone".to_owned(),
        };
        let weakened: Vec<_> = (0..=MAX_TOLD).map(|number| milder(&format!("test_{number}"))).collect();
        let milder = report(&[CommandRun { weakened, ..run("ok\n") }, run("ok\n")]);
        let told = milder.document()["weakened_tests"].as_array().expect("a list");
        assert_eq!(told.len(), MAX_TOLD);
        assert_eq!(told[0], json!({"path": "tests/test_a.py", "name": "test_0", "why": "it is gone"}));
        assert!(report(&[run("ok\n")]).document().get("weakened_tests").is_none());
    }

    #[test]
    fn long_output_is_clipped_to_its_end_between_characters() {
        let report = report(&[run(&format!("{}x", "é".repeat(10_000)))]);
        let kept = report.document()["commands"][0]["stdout"].as_str().expect("a string");
        assert!(kept.len() <= MAX_STREAM_BYTES && kept.len() > MAX_STREAM_BYTES - 4, "{}", kept.len());
        assert!(kept.ends_with("éx"));
    }

    #[test]
    fn the_report_of_seed_000_is_read() {
        let text = r#"{"type":"ValidationReport","id":"vr_1770477654235","gene_id":"gene_gep_repair_from_errors",
            "commands":[{"command":"node x.js","ok":true,"stdout":"ok\n","stderr":""}],"overall_ok":true,
            "duration_ms":80}"#;
        let document = digest::read_object(text.as_bytes(), digest::MAX_ASSET_BYTES).expect("an object");
        assert_eq!(ValidationReport::read(document).expect("a report").id, "vr_1770477654235");
    }
}

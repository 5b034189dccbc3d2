//! The report as a document.

use serde_json::{Map, Value, json};

use super::changes::TestChanges;
use super::level::Level;
use super::run::{CommandRun, RunResult};
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
}

/// A report as a document.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationReport {
    /// Its id.
    pub id: String,
    /// Whether the validation succeeded.
    pub overall_ok: bool,
    document: Map<String, Value>,
}

impl ValidationReport {
    /// Makes a report with its asset id.
    pub fn record(draft: &ReportDraft<'_>) -> Result<Self, AssetError> {
        let total = draft.commands.iter().fold(0_u64, |sum, run| sum.saturating_add(run.after.duration_ms));
        let mut document = Map::new();
        let mut set = |key: &str, value: Value| document.insert(key.to_owned(), value);
        set("type", json!("ValidationReport"));
        set("schema_version", json!(SCHEMA_VERSION));
        set("id", json!(draft.id));
        set("gene_id", json!(draft.gene_id));
        set("commands", draft.commands.iter().map(command_value).collect());
        set("overall_ok", json!(draft.overall_ok));
        set("decision", json!(draft.decision));
        set("sandbox", json!(draft.sandbox));
        set("duration_ms", json!(total));
        digest::seal(&mut document)?;
        Self::read(document)
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

fn command_value(run: &CommandRun) -> Value {
    let mut value = Map::new();
    value.insert("command".to_owned(), json!(run.text));
    value.insert("ok".to_owned(), json!(run.after.passed()));
    value.insert("stdout".to_owned(), json!(tail(&run.after.stdout)));
    value.insert("stderr".to_owned(), json!(tail(&run.after.stderr)));
    value.insert("after".to_owned(), ending_value(&run.after));
    let changes = TestChanges::of(run);
    if !changes.is_empty() {
        value.insert("tests".to_owned(), json!(changes));
    }
    if let Some(before) = &run.before {
        value.insert("before".to_owned(), ending_value(before));
    }
    Value::Object(value)
}

fn ending_value(result: &RunResult) -> Value {
    json!({
        "exit": result.exit,
        "timed_out": result.timed_out,
        "over": result.over,
        "reruns": result.reruns.iter().map(|rerun| rerun.exit).collect::<Vec<_>>(),
        "duration_ms": result.duration_ms,
        "tests": result.tests,
    })
}

/// The end of a text, at most [`MAX_STREAM_BYTES`], from a character's start.
fn tail(text: &str) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(MAX_STREAM_BYTES));
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Verification;

    fn run(stdout: &str) -> CommandRun {
        let after = RunResult { exit: Some(0), stdout: stdout.to_owned(), duration_ms: 80, ..RunResult::default() };
        CommandRun { text: "pytest -q".to_owned(), before: None, after, weakened: Vec::new() }
    }

    fn report(commands: &[CommandRun]) -> ValidationReport {
        let draft = ReportDraft {
            id: "vr_1".to_owned(),
            gene_id: "gene_x".to_owned(),
            commands,
            decision: "fixed",
            overall_ok: true,
            sandbox: Level::L1,
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
        assert_eq!(document["commands"][0]["command"], "pytest -q");
        assert_eq!(document["commands"][0]["ok"], true);
        assert_eq!(document["commands"][0]["stdout"], "ok\n");
        assert_eq!(document["commands"][0]["after"]["exit"], 0);
        assert!(document["commands"][0].get("before").is_none());
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

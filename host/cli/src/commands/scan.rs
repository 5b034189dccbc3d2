//! `gephost scan`: what layers 3 and 4 of the gate find in files or texts, as if all of it were added. Changes nothing.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gephost_app::Project;
use gephost_core::gate::{Severity, scan_patterns, scan_secrets};
use gephost_core::path::RepoPath;
use gephost_core::policy::Policy;
use gephost_core::secret::Ruleset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::args::ScanArguments;
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::jsonl::{self, question};
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, dim, note, printable};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 256 << 20;

pub(super) fn run(environment: &Environment, arguments: &ScanArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let policy = &folder.config.policy;
    let standard = [Path::new("-").to_owned()];
    let files = if arguments.files.is_empty() { &standard[..] } else { &arguments.files };
    if arguments.jsonl {
        return stream(environment, policy, files);
    }
    let mut findings = Vec::new();
    for file in files {
        let text = read_input(environment, file, MAX_FILE)?;
        let name = if file == Path::new("-") { arguments.path.clone() } else { file.to_str().map(str::to_owned) };
        findings.extend(scan(policy, name.as_deref(), &String::from_utf8_lossy(&text)));
    }
    Ok(Report::of(&ScanPage { findings }))
}

fn stream(environment: &Environment, policy: &Policy, files: &[PathBuf]) -> Result<Report, Failure> {
    let [file] = files else {
        return Err(Failure::new(Exit::Usage, "usage", "--jsonl reads one file, or standard input"));
    };
    super::lines::answer_lines(environment, file, jsonl::MAX_LINE_BYTES, |line| {
        let asked: Question<'_> = question(line)?;
        let findings = scan(policy, asked.path.as_deref(), &asked.text);
        Ok(ScanAnswer { id: asked.id, findings })
    })
}

/// A line of `--jsonl`.
#[derive(Deserialize)]
struct Question<'a> {
    id: Option<Value>,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// An answer of `--jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScanAnswer {
    /// The id of the question.
    id: Option<Value>,
    /// What was found in its text.
    findings: Vec<Found>,
}

/// What was found in the files.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScanPage {
    /// In the order of files and lines.
    findings: Vec<Found>,
}

/// A finding of either layer.
#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    /// `secrets` or `patterns`.
    layer: &'static str,
    /// Stable id of the rule.
    rule: String,
    /// What the gate would do.
    severity: Severity,
    /// The file, without a secret; null if the text has no name.
    path: Option<String>,
    /// Its line, from 1.
    line: Option<u64>,
    /// Its column, from 1.
    column: Option<u64>,
    /// The kind of secret.
    kind: Option<String>,
    /// What is wrong.
    message: String,
}

impl Page for ScanPage {
    const KIND: &'static str = "scan";

    fn text(&self) -> String {
        rendered(&self.findings)
    }

    fn exit(&self) -> Exit {
        let is_rejected = self.findings.iter().any(|finding| finding.severity == Severity::Reject);
        if is_rejected { Exit::Failed } else { Exit::Done }
    }
}

/// Layer 3, and layer 4 where a name says what the text is.
fn scan(policy: &Policy, path: Option<&str>, text: &str) -> Vec<Found> {
    // Files that are named were read with the config, or it would have stopped us.
    let rules = policy.secret_rules().unwrap_or_else(|| Ruleset::bundled());
    let mut redactor = policy.redactor();
    let shown = path.map(|path| redactor.redact(path).into_owned());
    let placed = |number: u64| (number > 0).then_some(number);
    let secrets = scan_secrets(rules, path, text).into_iter().map(|found| Found {
        layer: "secrets",
        rule: found.rule.to_owned(),
        kind: Some(found.kind),
        severity: found.severity,
        path: shown.clone(),
        line: placed(found.line),
        column: placed(found.column),
        message: found.message,
    });
    let patterns = path.and_then(in_repository).map(|path| scan_patterns(&path, text)).unwrap_or_default();
    let patterns = patterns.into_iter().map(|found| Found {
        layer: "patterns",
        rule: found.rule,
        kind: None,
        severity: found.severity,
        path: shown.clone(),
        line: found.line,
        column: None,
        message: redactor.redact(&found.message).into_owned(),
    });
    secrets.chain(patterns).collect()
}

/// The path as one of a repository; of one that leads elsewhere, its last name.
fn in_repository(path: &str) -> Option<RepoPath> {
    let path = path.strip_prefix("./").unwrap_or(path);
    RepoPath::new(path).or_else(|_| RepoPath::new(path.rsplit(['/', '\\']).next().unwrap_or(path))).ok()
}

fn rendered(findings: &[Found]) -> String {
    let mut text = String::new();
    for found in findings {
        let word = if found.severity == Severity::Reject { bad("reject") } else { note("flag") };
        let path = printable(found.path.as_deref().unwrap_or("standard input"));
        let place = [found.line, found.column].iter().flatten().fold(String::new(), |mut place, number| {
            let _ = write!(place, ":{number}");
            place
        });
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{word} {}  {path}{place}: {}", dim(&found.rule), printable(&found.message));
    }
    if findings.is_empty() {
        text.push_str("nothing found\n");
    }
    text
}

//! `gephost policy`: what a policy means, what it decides of paths and commands, and its next phase.

mod promote;

use std::fmt::Write as _;
use std::path::Path;

use gephost_app::Project;
use gephost_app::files::{config_text, read_config, utf8};
use gephost_core::command::ValidationCommand;
use gephost_core::config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES};
use gephost_core::path::RepoPath;
use gephost_core::policy::{BUILT_IN_DENY, Policy};
use serde::Deserialize;
use serde_json::{Value, json};

use super::trust;
use crate::args::{PolicyArguments, PolicyCommand};
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::jsonl::{self, Unanswered, question};
use crate::output::Report;
use crate::render::style::{bad, bold, dim, good, note, printable};

pub(super) fn run(environment: &Environment, command: &PolicyCommand) -> Result<Report, Failure> {
    match command {
        PolicyCommand::Check { file } => check(environment, file.as_deref()),
        PolicyCommand::Explain { paths, asked } => explain(environment, paths, asked),
        PolicyCommand::Command { command, asked } => decide_command(environment, command.as_deref(), asked),
        PolicyCommand::Promote(arguments) => promote::run(environment, arguments),
    }
}

/// The config with the policy: the file that the person named, else the repository's.
pub(super) fn chosen(environment: &Environment, folder: &Project, file: Option<&Path>) -> Result<Config, Failure> {
    let Some(file) = file else { return Ok(folder.config.clone()) };
    let path = environment.resolve(file);
    if !path.exists() {
        return Err(Failure::new(Exit::Usage, "policy", format!("there is no policy file {}", file.display())));
    }
    Ok(read_config(&path)?)
}

fn check(environment: &Environment, file: Option<&Path>) -> Result<Report, Failure> {
    let of_project = || Ok::<_, Failure>(Project::open(environment)?.root.join(CONFIG_FILE));
    let path = file.map_or_else(of_project, |file| Ok(environment.resolve(file)))?;
    let file = file.unwrap_or(&path);
    let text = utf8(&path, read_input(environment, file, MAX_CONFIG_BYTES)?)?;
    let config = config_text(&path, &text)?;
    let widens = config.file.widenings();
    let table = config.policy.table();
    let warnings = config.policy.warnings();
    let mut text = format!("{} {}\n", good("valid:"), printable(&file.display().to_string()));
    for (name, value) in meaning(&config) {
        let _ = writeln!(text, "  {}  {}", bold(format!("{name:<18}")), printable(&value));
    }
    for warning in &warnings {
        let _ = writeln!(text, "  {}  {warning}", note("warning"));
    }
    if !widens.is_empty() {
        let _ = writeln!(text, "These keys widen what gephost may do, and count only once you trust the file:");
        text.push_str(&trust::listed(&widens));
    }
    let document = json!({
        "schema": "gephost.policy/1",
        "valid": true,
        "policy": table,
        "validation": config.file.validation,
        "built_in_deny": BUILT_IN_DENY,
        "phase_allow": table.phase.map(|phase| table.phases.allow(phase)),
        "phase_deny": table.phase.map(|phase| table.phases.deny(phase)),
        "warnings": warnings,
        "widens": widens,
    });
    Ok(Report { exit: Exit::Done, document, text })
}

/// The policy in a person's words, line by line.
fn meaning(config: &Config) -> Vec<(&'static str, String)> {
    let table = config.policy.table();
    let listed = |patterns: &[String]| if patterns.is_empty() { "nothing".to_owned() } else { patterns.join("  ") };
    let phase = table.phase.map(|phase| {
        let (allow, deny) = (table.phases.allow(phase).join("  "), table.phases.deny(phase).join("  "));
        ("phase", format!("{phase}: within {allow}, without {deny}"))
    });
    let allow = match (table.phase, table.allow.as_slice()) {
        (Some(_), []) => "what the phase opens".to_owned(),
        (_, patterns) => listed(patterns),
    };
    let limits = format!(
        "{} files, {} lines and {} bytes of diff, risk {} of 100",
        table.max_files, table.max_patch_lines, table.max_patch_bytes, table.max_risk
    );
    let treated = format!(
        "patterns {}, weakened tests {}, new dependencies {}",
        table.patterns, table.weakened_tests, table.new_dependencies
    );
    let modes = if table.mode_changes { "may change" } else { "stay as they are" };
    let mut lines = Vec::from_iter(phase);
    lines.extend([
        ("may change", allow),
        ("may not", listed(&table.deny)),
        ("never", BUILT_IN_DENY.join("  ")),
        ("at most", limits),
        ("findings", treated),
        ("modes", modes.to_owned()),
        ("programs", config.policy.command_rules().listed()),
        ("each command", format!("at most {} s", config.policy.timeout_s())),
    ]);
    lines
}

fn explain(environment: &Environment, paths: &[String], asked: &PolicyArguments) -> Result<Report, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Question {
        id: Option<Value>,
        path: String,
    }
    let policy = chosen(environment, &Project::open(environment)?, asked.policy.as_deref())?.policy;
    if asked.jsonl {
        return stream(environment, paths, |line| {
            let question: Question = question(line)?;
            let word = decide_path(&policy, &question.path);
            Ok(json!({ "id": question.id, "verdict": word.verdict, "rule": word.rule, "source": word.source }))
        });
    }
    let (mut text, mut documents) = (String::new(), Vec::new());
    for path in paths {
        let word = decide_path(&policy, path);
        let verdict = if word.verdict == "allow" { good("allow") } else { bad("deny ") };
        let _ = writeln!(text, "{verdict}  {}  {}", printable(path), dim(printable(&word.reason)));
        documents.push(json!({
            "path": path, "verdict": word.verdict, "rule": word.rule, "source": word.source, "reason": word.reason,
        }));
    }
    Ok(Report { exit: Exit::Done, document: json!({ "schema": "gephost.explain/1", "paths": documents }), text })
}

/// The word on one path.
struct PathWord {
    verdict: &'static str,
    rule: String,
    source: Value,
    reason: String,
}

fn decide_path(policy: &Policy, text: &str) -> PathWord {
    match RepoPath::new(text) {
        Ok(path) => {
            let decision = policy.decide(&path);
            let verdict = if decision.allowed { "allow" } else { "deny" };
            PathWord { verdict, source: json!(decision.source), reason: decision.reason(), rule: decision.rule }
        }
        // The verifier's word, before any list is asked.
        Err(reason) => PathWord {
            verdict: "deny",
            rule: reason.to_string(),
            source: json!("unsafe-path"),
            reason: format!("is no path that a file may have: {reason}"),
        },
    }
}

fn decide_command(
    environment: &Environment,
    command: Option<&str>,
    asked: &PolicyArguments,
) -> Result<Report, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Question {
        id: Option<Value>,
        command: String,
    }
    let policy = chosen(environment, &Project::open(environment)?, asked.policy.as_deref())?.policy;
    let word = |command: &str| match ValidationCommand::parse(command, policy.command_rules()) {
        Ok(command) => ("allow", "every word is in the grammar".to_owned(), Some(command.argv().to_vec())),
        Err(reason) => ("deny", reason.to_string(), None),
    };
    if asked.jsonl {
        return stream(environment, command.as_slice(), |line| {
            let question: Question = question(line)?;
            let (verdict, reason, argv) = word(&question.command);
            Ok(json!({ "id": question.id, "verdict": verdict, "reason": reason, "argv": argv }))
        });
    }
    let (verdict, reason, argv) = word(command.unwrap_or_default());
    let (exit, said) = match &argv {
        Some(argv) => (Exit::Done, format!("{}  {}\n", good("allow"), printable(&ValidationCommand::quote(argv)))),
        None => (Exit::Refused, format!("{}  {}\n", bad("deny"), printable(&reason))),
    };
    let document = json!({
        "schema": "gephost.command/1", "command": command, "verdict": verdict, "reason": reason, "argv": argv,
    });
    Ok(Report { exit, document, text: said })
}

/// Answers the lines of a file, or of standard input where none is named.
fn stream(
    environment: &Environment,
    files: &[impl AsRef<str>],
    answer: impl FnMut(&str) -> Result<Value, Unanswered>,
) -> Result<Report, Failure> {
    if files.len() > 1 {
        let message = "with --jsonl, at most one file of questions can be named";
        return Err(Failure::new(Exit::Usage, "usage", message));
    }
    let file = Path::new(files.first().map_or("-", AsRef::as_ref));
    super::answer_lines(environment, file, jsonl::MAX_LINE_BYTES, answer)
}

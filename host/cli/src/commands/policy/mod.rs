//! `gephost policy`: what a policy means, what it decides of paths and commands, and its next phase.

#![expect(clippy::disallowed_methods, reason = "the operator names a policy file")]

mod check;
mod promote;

use std::fmt::Write as _;
use std::path::Path;

use gephost_app::Project;
use gephost_app::files::read_config;
use gephost_core::command::ValidationCommand;
use gephost_core::config::Config;
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use check::PolicyPage;
pub(crate) use promote::PromotionPage;

use crate::args::{PolicyArguments, PolicyCommand};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::jsonl::{self, Unanswered, question};
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, dim, good, printable};

pub(super) fn run(environment: &Environment, command: &PolicyCommand) -> Result<Report, Failure> {
    match command {
        PolicyCommand::Check { file } => check::run(environment, file.as_deref()),
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
            Ok(PathAnswer { id: question.id, verdict: word.verdict, rule: word.rule, source: word.source })
        });
    }
    Ok(Report::of(&ExplainPage { paths: paths.iter().map(|path| decide_path(&policy, path)).collect() }))
}

/// An answer of `policy explain --jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PathAnswer {
    /// The id of the question.
    id: Option<Value>,
    /// `allow` or `deny`.
    verdict: &'static str,
    /// The rule that decides.
    rule: String,
    source: RuleSource,
}

/// What a policy decides of paths.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainPage<'a> {
    /// One for each path, in order.
    paths: Vec<PathWord<'a>>,
}

impl Page for ExplainPage<'_> {
    const KIND: &'static str = "explain";

    fn text(&self) -> String {
        let mut text = String::new();
        for word in &self.paths {
            let verdict = if word.verdict == "allow" { good("allow") } else { bad("deny ") };
            let _ = writeln!(text, "{verdict}  {}  {}", printable(word.path), dim(printable(&word.reason)));
        }
        text
    }
}

/// What a policy decides of one path.
#[derive(Debug, Serialize, JsonSchema)]
struct PathWord<'a> {
    /// The path.
    path: &'a str,
    /// `allow` or `deny`.
    verdict: &'static str,
    /// The rule that decides.
    rule: String,
    source: RuleSource,
    /// Why, as a fragment that can follow the path.
    reason: String,
}

/// Which list a rule came from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum RuleSource {
    /// A list of the policy.
    List(Source),
    /// None: the path itself is refused.
    UnsafePath(UnsafePath),
}

/// A path that no file may have.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum UnsafePath {
    /// It is absolute, leads out of the project, or names what no change may touch.
    UnsafePath,
}

fn decide_path<'a>(policy: &Policy, text: &'a str) -> PathWord<'a> {
    match RepoPath::new(text) {
        Ok(path) => {
            let decision = policy.decide(&path);
            let verdict = if decision.allowed { "allow" } else { "deny" };
            PathWord {
                path: text,
                verdict,
                source: RuleSource::List(decision.source),
                reason: decision.reason(),
                rule: decision.rule,
            }
        }
        // The verifier's word, before any list is asked.
        Err(reason) => PathWord {
            path: text,
            verdict: "deny",
            rule: reason.to_string(),
            source: RuleSource::UnsafePath(UnsafePath::UnsafePath),
            reason: format!("is not a valid path: {reason}"),
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
            Ok(CommandAnswer { id: question.id, verdict, reason, argv })
        });
    }
    let (verdict, reason, argv) = word(command.unwrap_or_default());
    Ok(Report::of(&CommandPage { command, verdict, reason, argv }))
}

/// An answer of `policy command --jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommandAnswer {
    /// The id of the question.
    id: Option<Value>,
    /// `allow` or `deny`.
    verdict: &'static str,
    /// Why.
    reason: String,
    /// The words that would run; null for a denied command.
    argv: Option<Vec<String>>,
}

/// What a policy decides of a command.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommandPage<'a> {
    /// The command.
    command: Option<&'a str>,
    /// `allow` or `deny`.
    verdict: &'static str,
    /// Why.
    reason: String,
    /// The words that would run; null for a denied command.
    argv: Option<Vec<String>>,
}

impl Page for CommandPage<'_> {
    const KIND: &'static str = "command";

    fn text(&self) -> String {
        match &self.argv {
            Some(argv) => format!("{}  {}\n", good("allow"), printable(&ValidationCommand::quote(argv))),
            None => format!("{}  {}\n", bad("deny"), printable(&self.reason)),
        }
    }

    fn exit(&self) -> Exit {
        if self.argv.is_some() { Exit::Done } else { Exit::Refused }
    }
}

/// Answers the lines of a file, or of standard input where none is named.
fn stream<A: Serialize>(
    environment: &Environment,
    files: &[impl AsRef<str>],
    answer: impl FnMut(&str) -> Result<A, Unanswered>,
) -> Result<Report, Failure> {
    if files.len() > 1 {
        let message = "with --jsonl, at most one file of questions can be named";
        return Err(Failure::new(Exit::Usage, "usage", message));
    }
    let file = Path::new(files.first().map_or("-", AsRef::as_ref));
    super::lines::answer_lines(environment, file, jsonl::MAX_LINE_BYTES, answer)
}

//! `gephost gate`: the gate's verdict on saved proposals or bare diffs. Changes nothing.
//!
//! Judged against the commit that `HEAD` names. Outside of a repository, and before the first commit, there is none:
//! then the diff is taken at its word for what was there before, and the verdict says so (`no-base`).

use std::io::Read;
use std::path::Path;

use gephost_app::Project;
use gephost_app::past::Past;
use gephost_app::stages::gate;
use gephost_core::config::Config;
use gephost_core::gate::{Base, Decision, ParsedChange, Verdict, review};
use gephost_core::proposal::{MAX_JSON_BYTES, Proposal, ProposalError};
use gephost_runner::worktree::{self, BaseTree, OpenError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::args::GateArguments;
use crate::context::open_input;
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::jsonl::{Unanswered, question};
use crate::output::Report;
use crate::page::Page;
use crate::render;

pub(super) fn run(environment: &Environment, arguments: &GateArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let config = super::policy::chosen(environment, &folder, arguments.policy.as_deref())?;
    let judge = Judge { config, base: base(&folder)?, past: folder.past()? };
    let file = arguments.file.as_deref().unwrap_or(Path::new("-"));
    if arguments.jsonl {
        return super::lines::answer_lines(environment, file, MAX_JSON_BYTES, |line| answer(&judge, line));
    }
    let verdict = match read_proposal(environment, file)? {
        Ok(proposal) => judge.verdict(proposal)?,
        Err(reason) => Verdict::unreadable(&reason),
    };
    Ok(Report::of(&VerdictPage { verdict }))
}

/// The gate's verdict.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerdictPage {
    #[serde(flatten)]
    verdict: Verdict,
}

impl Page for VerdictPage {
    const KIND: &'static str = "verdict";

    fn text(&self) -> String {
        render::verdict::diff(self.verdict.diff()) + &render::verdict::verdict(&self.verdict)
    }

    fn exit(&self) -> Exit {
        if self.verdict.decision() == Decision::Pass { Exit::Done } else { Exit::Refused }
    }
}

/// An answer of `--jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerdictAnswer {
    /// The id of the question.
    id: Option<Value>,
    #[serde(flatten)]
    verdict: Verdict,
}

/// Everything that a verdict rests on but the proposal, read once.
struct Judge {
    config: Config,
    /// `None` where there is no commit to compare with.
    base: Option<BaseTree>,
    past: Past,
}

impl Judge {
    fn verdict(&self, proposal: Proposal) -> Result<Verdict, Failure> {
        let gene = proposal.gene.as_deref();
        let tried = self.past.gene_history(gene);
        let policy = self.config.grants.policy_for(&self.config.policy, gene);
        let Some(base) = &self.base else {
            let candidate = ParsedChange::read(proposal);
            return Ok(review(&candidate, &Base::assumed(&candidate), &policy, tried));
        };
        gate(proposal, base, &policy, tried, false)
            .map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))
    }
}

/// The tree of `HEAD`, or nothing where there is no commit.
fn base(folder: &Project) -> Result<Option<BaseTree>, Failure> {
    let repository = match worktree::Project::open(&folder.root) {
        Ok(repository) => repository,
        Err(OpenError::NotARepository { .. } | OpenError::NoCommit { .. }) => return Ok(None),
        // Its own words for everything else.
        Err(_) => folder.repository()?,
    };
    Ok(Some(gephost_app::base(&repository)?))
}

fn answer(judge: &Judge, line: &str) -> Result<VerdictAnswer, Unanswered> {
    let (id, proposal) = match question::<Question<'_>>(line) {
        Ok(question) => (question.id.clone(), question.proposal()),
        // The proposal's own members beside the id.
        Err(_) => bare(question(line)?),
    };
    let verdict = match proposal {
        Err(reason) => Verdict::unreadable(&reason),
        Ok(proposal) => {
            judge.verdict(proposal).map_err(|failure| Unanswered::new(id.clone(), failure.code, failure.message))?
        }
    };
    Ok(VerdictAnswer { id, verdict })
}

/// A line of `--jsonl`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question<'a> {
    id: Option<Value>,
    /// An object in the shape of seed 003 or 004, or such an object or a bare diff as text.
    #[serde(borrow)]
    proposal: Option<&'a RawValue>,
    unified_diff: Option<String>,
}

impl Question<'_> {
    fn proposal(&self) -> Result<Proposal, ProposalError> {
        match (self.proposal.map(RawValue::get), &self.unified_diff) {
            (Some(_), Some(_)) => Err(ProposalError::Conflict("proposal", "unified_diff")),
            (Some(text), None) if text.starts_with('"') => Proposal::read(&serde_json::from_str::<String>(text)?),
            (Some(text), None) => Proposal::from_json(text),
            (None, diff) => Ok(Proposal::from_diff(diff.as_deref().unwrap_or_default())),
        }
    }
}

/// A line that is itself the proposal. Its id is the question's, and need not be fit for a file's name.
fn bare(mut members: Map<String, Value>) -> (Option<Value>, Result<Proposal, ProposalError>) {
    let id = members.shift_remove("id");
    (id, Proposal::from_json(&Value::Object(members).to_string()))
}

/// A proposal from a file or standard input: JSON, or a bare unified diff. What cannot be read as either is an answer
/// too, since it may be anybody's.
pub(super) fn read_proposal(
    environment: &Environment,
    file: &Path,
) -> Result<Result<Proposal, ProposalError>, Failure> {
    let mut bytes = Vec::new();
    let input = open_input(environment, file)?;
    input.take(MAX_JSON_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| io(file, "read", &error))?;
    Ok(parse_proposal(bytes))
}

/// The same from its bytes.
pub(super) fn parse_proposal(bytes: Vec<u8>) -> Result<Proposal, ProposalError> {
    if bytes.len() > MAX_JSON_BYTES {
        return Err(ProposalError::TooLarge(bytes.len()));
    }
    let text = String::from_utf8(bytes).map_err(|error| ProposalError::NotUtf8(error.utf8_error().valid_up_to()))?;
    Proposal::read(&text)
}

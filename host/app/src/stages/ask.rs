//! Asks strategy genes with code for candidates, several of them side by side, and gates what they propose.
//!
//! What must stay true: the order of the answers is the order of the genes, whatever call ends first; and a candidate is
//! judged by the policy as its own gene narrows it.

use std::thread;

use gephost_core::diagnosis::Diagnosis;
use gephost_core::gate::{PATH_NOT_ALLOWED, Severity};
use gephost_core::gene::Category;
use gephost_core::policy::Policy;
use gephost_core::proposal::Proposal;
use gephost_core::select::{Memory, Selection, expected_worth};
use gephost_runner::recording::Taken;
use gephost_runner::sandbox::{Call, Gene, LogLevel, LogLine};
use gephost_runner::worktree::BaseTree;

use super::judged::Judged;
use super::propose_error::ProposeError;
use super::stage::{Diagnosed, Stage, Terms};
use crate::gene_call::GeneCall;

/// What one gene answered.
pub(super) struct Answer {
    pub(super) call: GeneCall,
    /// Its candidates, in its order.
    pub(super) candidates: Vec<Judged>,
}

/// A gene that is about to be asked.
struct Asked<'a> {
    gene: &'a Gene,
    terms: Terms,
    policy: Policy,
    diagnosis: Diagnosis,
}

impl Asked<'_> {
    fn call(&self) -> Call<Vec<Proposal>> {
        self.gene.propose(&self.diagnosis, &self.terms.inputs, &self.terms.granted, &self.terms.budgets)
    }
}

impl Stage<'_> {
    /// Asks these genes, all at the same time, and gates each candidate against the base.
    pub(super) fn ask(
        &self,
        base: &BaseTree,
        diagnosed: &Diagnosed,
        selection: &Selection,
        genes: &[&Gene],
    ) -> Result<Vec<Answer>, ProposeError> {
        let asked = genes.iter().map(|gene| self.prepare(diagnosed, selection, gene));
        let asked = asked.collect::<Result<Vec<_>, ProposeError>>()?;
        let calls = side_by_side(&asked);
        let answers = asked.iter().zip(calls).map(|(asked, call)| self.answer(base, selection, asked, call));
        answers.collect()
    }

    fn prepare<'g>(
        &self,
        diagnosed: &Diagnosed,
        selection: &Selection,
        gene: &'g Gene,
    ) -> Result<Asked<'g>, ProposeError> {
        let terms = self.terms(gene);
        let policy = terms.grant.narrow(&self.config.policy, &gene.manifest().gene.constraints)?;
        let diagnosis = asked_about(selection, gene.id(), &diagnosed.diagnosis);
        Ok(Asked { gene, terms, policy, diagnosis })
    }

    fn answer(
        &self,
        base: &BaseTree,
        selection: &Selection,
        asked: &Asked<'_>,
        call: Call<Vec<Proposal>>,
    ) -> Result<Answer, ProposeError> {
        let Asked { gene, terms, policy, diagnosis } = asked;
        let taken = Taken::proposals(gene, terms.made(), diagnosis, &call).ok();
        let mut report = GeneCall::new(gene, "propose", &call, &terms.budgets, taken);
        let mut candidates = Vec::new();
        for proposal in call.result.unwrap_or_default() {
            let calls = self.recorded_calls(diagnosis, &proposal);
            candidates.push(self.judge(base, policy, proposal, calls)?);
        }
        report.log.extend(self.without_unwanted(&mut candidates));
        // Who asked for nothing in particular is not refused an improvement that the policy has no room for.
        let is_offer = gene.manifest().gene.category != Category::Repair && selection.ranked.len() > 1;
        if is_offer && candidates.iter().all(is_outside_of_the_policy) {
            report.log.extend(candidates.drain(..).map(|judged| not_allowed(&judged)));
        }
        Ok(Answer { call: report, candidates })
    }
}

/// Makes the calls, each in a thread of its own if there are several. The results are in the order of the genes.
fn side_by_side(asked: &[Asked<'_>]) -> Vec<Call<Vec<Proposal>>> {
    if let [only] = asked {
        return vec![only.call()];
    }
    thread::scope(|scope| {
        let calls: Vec<_> = asked.iter().map(|asked| (asked, scope.spawn(|| asked.call()))).collect();
        // A thread that could not end is no answer; the gene is asked again, alone.
        calls.into_iter().map(|(asked, call)| call.join().unwrap_or_else(|_| asked.call())).collect()
    })
}

/// Puts the candidates of several genes into the order in which they are validated: by expected worth, then by the order of
/// the genes, then by their own.
pub(super) fn by_worth(answers: Vec<Vec<Judged>>, selection: &Selection) -> Vec<Judged> {
    let memory = |judged: &Judged| {
        let ranked = selection.ranked.iter().find(|ranked| Some(&ranked.gene) == judged.proposal.gene.as_ref());
        ranked.map_or(Memory { tries: 0, probability: 0.5 }, |ranked| ranked.memory)
    };
    let rated = answers.into_iter().flat_map(|answer| {
        answer.into_iter().enumerate().map(|(place, judged)| {
            let worth = expected_worth(memory(&judged), place, judged.verdict.risk().score);
            Judged { worth: Some(worth), ..judged }
        })
    });
    let mut candidates: Vec<Judged> = rated.collect();
    let worth = |judged: &Judged| judged.worth.unwrap_or_default();
    candidates.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    candidates
}

/// The diagnosis with the findings that a gene is asked about.
pub(super) fn asked_about(selection: &Selection, gene: &str, diagnosis: &Diagnosis) -> Diagnosis {
    let findings = diagnosis.findings.iter().filter(|finding| selection.asks(gene, &finding.id)).cloned().collect();
    Diagnosis { findings, ..diagnosis.clone() }
}

/// Whether the gate only says that the policy does not allow the paths.
fn is_outside_of_the_policy(judged: &Judged) -> bool {
    let mut refusals =
        judged.verdict.violations().filter(|violation| violation.severity == Severity::Reject).peekable();
    refusals.peek().is_some() && refusals.all(|violation| violation.rule == PATH_NOT_ALLOWED)
}

fn not_allowed(judged: &Judged) -> LogLine {
    let paths: Vec<&str> = judged.verdict.violations().filter_map(|violation| violation.path.as_deref()).collect();
    let message = format!(
        "it would propose {:?}, but `[policy] allow` does not name {}",
        judged.proposal.title,
        paths.join(", ")
    );
    LogLine { level: LogLevel::Info, message }
}

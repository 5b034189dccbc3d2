//! Stages select, propose and gate: asks the best gene first, and judges every candidate that it gives.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::event_log::Contents;
use gephost_core::gate::{Approved, ApprovedChange, BlobState, Decision, silences};
use gephost_core::gene::{Capability, Manifest};
use gephost_core::model::{NoOpKind, Unanswered};
use gephost_core::path::RepoPath;
use gephost_core::proposal::Proposal;
use gephost_core::run_event::RunEvent;
use gephost_core::select::index::Query;
use gephost_core::select::{How, Proven, Selection, Tried, Wrong, not_asked, select};
use gephost_core::signal::pattern_matches;
use gephost_runner::recording::Taken;
use gephost_runner::sandbox::{Call, CallError, Gene, LogLevel, LogLine};
use gephost_runner::worktree::BaseTree;

use super::ask::{Answer, asked_about, by_worth};
use super::judged::Judged;
use super::propose_error::ProposeError;
use super::search::Search;
use super::stage::{Diagnosed, Stage};
use crate::contents::contents;
use crate::gene_call::GeneCall;
use crate::search_record::SearchRecord;
use crate::text_genes::{MAX_FOLDER_GENES, TextGenes, TextUnanswered};

/// Most edits of a gene that are tried.
const MAX_EDITS: usize = 2000;
/// Most edits that are named if several hold.
const MAX_AMBIGUOUS: usize = 5;

/// What the selected genes proposed.
#[derive(Debug)]
pub struct Proposed {
    /// Who was asked, and why.
    pub selection: Selection,
    /// Candidates of the first gene that had any, in its order.
    pub candidates: Vec<Judged>,
    /// The calls of the genes that were asked, in their order.
    pub calls: Vec<GeneCall>,
    /// The text-only genes that had no candidate.
    pub texts: Vec<TextUnanswered>,
    /// A gene that searches, which was not asked because nothing may run in a dry run.
    pub unasked: Option<String>,
}

impl Stage<'_> {
    /// Ranks the strategy genes for a diagnosis, of these events. Without a finding that it may be asked about, a gene is
    /// not asked: there is nothing to repair.
    pub fn select(&self, diagnosed: &Diagnosed, events: &[RunEvent]) -> Selection {
        let findings = &diagnosed.diagnosis.findings;
        let not_asked = not_asked(&self.past.wrong, findings, events, self.asked);
        let may_ask = |gene: &str| not_asked.iter().filter(|no| no.gene == gene).count() < findings.len();
        let strategies = self.genes.iter().map(Gene::manifest).filter(|manifest| manifest.world.proposes());
        let genes: Vec<Manifest> = strategies.filter(|manifest| may_ask(&manifest.gene.id)).cloned().collect();
        let streaks = self.past.streaks();
        let proven = self
            .past
            .capsules
            .iter()
            .map(|capsule| Proven { capsule, streak: streaks.get(&capsule.id).copied().unwrap_or_default() });
        let tried = self.past.tried().chain(self.past.wrong.iter().filter_map(failed_again));
        let (proven, tried) = (proven.collect::<Vec<_>>(), tried.collect::<Vec<_>>());
        let among = |genes: &[Manifest]| {
            select(
                &diagnosed.diagnosis.signals,
                genes,
                &proven,
                &tried,
                self.inputs.now,
                self.strategy,
                pattern_matches,
            )
        };
        let texts = self.texts.map(TextGenes::manifests).unwrap_or_default();
        let texts: Vec<Manifest> = texts.into_iter().filter(|manifest| may_ask(&manifest.gene.id)).collect();
        let mut selection = if texts.is_empty() { among(&genes) } else { among(&genes).then(among(&texts)) };
        if let Some(texts) = self.texts.filter(|_| !findings.is_empty()) {
            let unasked = not_asked.iter().map(|no| no.gene.clone()).filter(|gene| !may_ask(gene)).collect();
            let later = self.of_folder(texts, &diagnosed.diagnosis.signals, &tried, streaks, unasked);
            selection = later.into_iter().fold(selection, Selection::then);
        }
        if let Some(reason) = selection.selected.as_deref().and_then(|id| self.lacks_model(id)) {
            selection.reason.push(format!("needs a model: {reason}"));
        }
        selection.without(not_asked).with_reuse(self.reusable(&diagnosed.diagnosis))
    }

    /// Ranks the text-only genes of the assets folder that no gene with a component and no named one stands for.
    fn of_folder(
        &self,
        texts: &TextGenes,
        signals: &[String],
        tried: &[Tried],
        mut streaks: BTreeMap<String, u64>,
        mut without: BTreeSet<String>,
    ) -> Option<Selection> {
        let folder = texts.folder.as_ref()?;
        streaks.retain(|_, streak| *streak > 1);
        without.extend(texts.texts.iter().map(|named| named.text.id().to_owned()));
        without.extend(texts.taken.iter().cloned());
        let (strategy, now) = (self.strategy, self.inputs.now);
        let (streaks, without, limit) = (&streaks, &without, MAX_FOLDER_GENES);
        let found = folder.select(&Query { signals, tried, streaks, without, strategy, now, limit })?;
        Some(Selection::of_index(signals, found, true, strategy))
    }

    /// Why a gene that is only text cannot be carried out now; `None` if it can, or if it is not one.
    fn lacks_model(&self, id: &str) -> Option<String> {
        let texts = self.texts?;
        let terms = self.text_terms(&texts.carrier, &texts.get(id)?);
        let refusal = terms.granted.missing(Capability::Completion);
        refusal.or_else(|| terms.inputs.completions.unavailable())
    }

    /// Proposes the changes of capsules again that serve directly, and asks the ranked genes, `at_once` of them side by side,
    /// until there are candidates. Each is gated against the base, by the policy narrowed to what its gene may change.
    /// Candidates of several genes are ordered by expected worth. Genes that search, and those that are only text, are asked
    /// one at a time, if none of the others has candidates.
    pub fn propose(
        &self,
        base: &BaseTree,
        diagnosed: &Diagnosed,
        selection: Selection,
        search: Option<&dyn Search>,
        at_once: NonZeroUsize,
    ) -> Result<Proposed, ProposeError> {
        let mut proposed =
            Proposed { selection, candidates: Vec::new(), calls: Vec::new(), unasked: None, texts: Vec::new() };
        let again = self.reuse(base, &diagnosed.diagnosis, &mut proposed.selection.reuse)?;
        proposed.candidates.extend(again);
        let gene = |id: &str| self.genes.iter().find(|gene| gene.id() == id);
        let ranked: Vec<&Gene> = proposed.selection.ranked.iter().filter_map(|ranked| gene(&ranked.gene)).collect();
        let (searching, reading): (Vec<&Gene>, Vec<&Gene>) =
            ranked.into_iter().partition(|gene| gene.manifest().searches());
        for genes in reading.chunks(at_once.get()) {
            let answers = self.ask(base, diagnosed, &proposed.selection, genes)?;
            if proposed.take(answers) {
                return Ok(proposed);
            }
        }
        for gene in searching {
            let Some(search) = search else {
                proposed.unasked = Some(gene.id().to_owned());
                continue;
            };
            let diagnosis = asked_about(&proposed.selection, gene.id(), &diagnosed.diagnosis);
            let (call, found) = self.search(base, &diagnosis, gene, search)?;
            if proposed.take(vec![Answer { call, candidates: found.into_iter().collect() }]) {
                return Ok(proposed);
            }
        }
        if let Some(texts) = self.texts {
            self.carry_out(base, diagnosed, texts, &mut proposed)?;
        }
        Ok(proposed)
    }

    /// Has the text-only genes carried out, best first, until one has candidates.
    fn carry_out(
        &self,
        base: &BaseTree,
        diagnosed: &Diagnosed,
        texts: &TextGenes,
        proposed: &mut Proposed,
    ) -> Result<(), ProposeError> {
        let ranked = proposed.selection.ranked.iter().filter(|ranked| !ranked.is_received);
        let ranked: Vec<String> = ranked.map(|ranked| ranked.gene.clone()).collect();
        let mut is_said = false;
        for text in ranked.iter().filter_map(|id| texts.get(id)) {
            let (gene, terms) = (text.text.id(), self.text_terms(&texts.carrier, &text));
            let unanswered = |reason: String, no_op| TextUnanswered { gene: gene.to_owned(), reason, no_op };
            let refusal = terms.granted.missing(Capability::Completion);
            if let Some(reason) = refusal.or_else(|| terms.inputs.completions.unavailable()) {
                // What one gene of the assets folder lacks, its other genes lack too.
                if texts.names(gene) || !std::mem::replace(&mut is_said, true) {
                    proposed.texts.push(unanswered(reason, None));
                }
                continue;
            }
            let policy = terms.grant.narrow(&self.config.policy, &text.text.gene().constraints)?;
            let diagnosis = asked_about(&proposed.selection, gene, &diagnosed.diagnosis);
            let call = texts.carrier.propose(&diagnosis, &terms.inputs, &terms.granted, &terms.budgets);
            let taken = Taken::proposals(&texts.carrier, terms.made(), &diagnosis, &call).ok();
            let (no_op, said) = (no_op(&call), said(&call));
            proposed.calls.push(GeneCall::new(&texts.carrier, "propose", &call, &terms.budgets, taken).carrying(gene));
            match call.result {
                // A model that has nothing useful to say is no failure of the gene.
                Err(CallError::GaveUp { message, .. }) => {
                    if let Some(call) = proposed.calls.last_mut() {
                        call.failure = None;
                    }
                    proposed.texts.push(unanswered(message, Some(no_op)));
                }
                // The call says why, and the next gene may do better.
                Err(_) => {}
                Ok(proposals) if proposals.is_empty() => {
                    proposed.texts.push(unanswered(said, Some(NoOpKind::Declined)));
                }
                Ok(proposals) => {
                    let mut candidates = Vec::new();
                    for proposal in proposals.into_iter().map(|proposal| text.author(proposal)) {
                        let calls = self.recorded_calls(&diagnosis, &proposal);
                        candidates.push(self.judge(base, &policy, proposal, calls)?);
                    }
                    let unwanted = self.without_unwanted(&mut candidates).into_iter().next();
                    proposed.candidates.extend(candidates);
                    match unwanted.filter(|_| proposed.candidates.is_empty()) {
                        Some(line) => proposed.texts.push(unanswered(line.message, Some(NoOpKind::Declined))),
                        None => break,
                    }
                }
            }
        }
        Ok(())
    }

    /// Asks a gene for edits of what the failing command executes, and tries them. The one that holds is a candidate.
    fn search(
        &self,
        base: &BaseTree,
        diagnosis: &Diagnosis,
        gene: &Gene,
        search: &dyn Search,
    ) -> Result<(GeneCall, Option<Judged>), ProposeError> {
        let findings = &diagnosis.findings;
        let recorded = findings.iter().map(|finding| (finding, self.calls_of(finding)));
        let (finding, calls) = match recorded.into_iter().find(|(_, calls)| !calls.is_empty()) {
            Some((finding, calls)) => (Some(finding), calls),
            None => (findings.first(), Vec::new()),
        };
        let diagnosis = Diagnosis { findings: finding.into_iter().cloned().collect(), ..diagnosis.clone() };
        let mut terms = self.terms(gene);
        let policy = terms.grant.narrow(&self.config.policy, &gene.manifest().gene.constraints)?;
        let coverage = search.measure(&calls)?;
        terms.inputs.coverage =
            Arc::new(coverage.shown(|path| !self.config.policy.denies(path) && terms.grant.shows(path)));
        let call = gene.propose(&diagnosis, &terms.inputs, &terms.granted, &terms.budgets);
        let taken = Taken::proposals(gene, terms.made(), &diagnosis, &call).ok();
        let mut report = GeneCall::new(gene, "propose", &call, &terms.budgets, taken);
        let proposals = call.result.unwrap_or_default();
        let mut record = SearchRecord { edits: proposals.len(), ..SearchRecord::nothing(&coverage.reason) };
        if coverage.reason.is_empty() {
            record.reason = proposals.is_empty().then(|| "the gene lists none".to_owned());
        }
        let mut edits: Vec<Judged> = Vec::new();
        for proposal in proposals.into_iter().take(MAX_EDITS) {
            let judged = self.judge(base, &policy, proposal, calls.clone())?;
            match refusal_of_edit(&judged).or_else(|| self.unwanted(&judged)) {
                None => edits.push(judged),
                Some(reason) => {
                    record.refused += 1;
                    record.refusal.get_or_insert(reason);
                }
            }
        }
        let approved: Vec<&Approved> = edits.iter().filter_map(|judged| judged.verdict.approved()).collect();
        let trials = search.try_edits(&approved)?;
        (record.tried, record.wall_ms) = (trials.tried, trials.wall_ms);
        let mark = |at: &usize| edits.get(*at).map(|judged| (place(judged), judged.proposal.title.as_str()));
        let mut marks: Vec<(Place<'_>, &str)> = trials.holds.iter().filter_map(mark).collect();
        marks.dedup();
        // A title of the bundled gene has the kind and the line of an edit; another gene's may say anything.
        let is_clear = marks.len() <= 1;
        let mut titles: Vec<String> = marks.iter().map(|(_, title)| self.config.policy.redact(title)).collect();
        drop(marks);
        let first = trials.holds.first().filter(|at| is_clear && **at < edits.len());
        let found = first.map(|at| edits.swap_remove(*at));
        if is_clear {
            record.holds = titles.into_iter().next();
        } else {
            titles.truncate(MAX_AMBIGUOUS);
            record.ambiguous = titles;
        }
        if trials.out_of_time {
            record.reason = Some("`[search] max_wall_s` is over".to_owned());
        }
        if found.is_none() {
            report.log.push(LogLine { level: LogLevel::Info, message: record.line() });
        }
        report.search = Some(record);
        Ok((report, found))
    }

    /// The recorded calls that the finding of a proposal rests on.
    pub(super) fn recorded_calls(&self, diagnosis: &Diagnosis, proposal: &Proposal) -> Vec<String> {
        let finding = answered(diagnosis, proposal.diagnosis_ref.as_deref());
        finding.map(|finding| self.calls_of(finding)).unwrap_or_default()
    }

    /// The recorded calls that a finding rests on.
    fn calls_of(&self, finding: &Finding) -> Vec<String> {
        let events = finding.evidence.iter();
        let mut calls: Vec<String> =
            events.filter_map(|evidence| self.recorded.get(&evidence.event)).cloned().collect();
        calls.sort();
        calls.dedup();
        calls
    }
}

/// Why a call gave up after it asked the model: the last question has no answer, or its answer could not be used.
fn no_op(call: &Call<Vec<Proposal>>) -> NoOpKind {
    let failed = call.turns.last().and_then(|turn| turn.answer.as_ref().err());
    failed.map_or(NoOpKind::Invalid, Unanswered::kind)
}

/// The last thing that a gene said of itself.
fn said(call: &Call<Vec<Proposal>>) -> String {
    let line = call.log.iter().rev().find(|line| matches!(line.level, LogLevel::Info | LogLevel::Warn));
    line.map_or_else(|| "it has no candidate".to_owned(), |line| line.message.clone())
}

/// Why an edit is not tried: the gate refuses it, it only silences the test, or it changes more than existing files.
fn refusal_of_edit(judged: &Judged) -> Option<String> {
    let Some(approved) = judged.verdict.approved() else {
        return judged.verdict.reasons().next().map(ToString::to_string).or(Some("the gate refuses it".to_owned()));
    };
    if approved.changes().iter().any(|change| change.before.is_none() || change.after.is_none()) {
        return Some("it makes or deletes a file".to_owned());
    }
    silences(approved)
}

/// Where an edit is: its files, each with the number of the first line that differs.
type Place<'j> = Vec<(&'j RepoPath, usize)>;

fn place(judged: &Judged) -> Place<'_> {
    let changes = judged.verdict.approved().map(Approved::changes).unwrap_or_default();
    let lines = |state: &Option<BlobState>| {
        let content = state.as_ref().map(|state| Arc::clone(&state.content)).unwrap_or_default();
        content.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    let first = |change: &ApprovedChange| {
        let (before, after) = (lines(&change.before), lines(&change.after));
        before.iter().zip(&after).take_while(|(before, after)| before == after).count()
    };
    changes.iter().map(|change| (&change.path, first(change))).collect()
}

/// The finding that a proposal answers: the one that it names. If it names none, the only one, since nothing else was asked
/// about.
pub(crate) fn answered<'a>(diagnosis: &'a Diagnosis, named: Option<&str>) -> Option<&'a Finding> {
    match (named, diagnosis.findings.as_slice()) {
        (Some(id), findings) => findings.iter().find(|finding| finding.id == id),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

/// What selection learns from a published change whose finding failed again. Every other false repair has an event.
fn failed_again(wrong: &Wrong) -> Option<Tried> {
    (wrong.how == How::FailedAgain)
        .then(|| Tried::once(wrong.gene.clone(), wrong.finding.signals.clone(), false, Some(wrong.at)))
}

/// What a candidate changes, if the gate approved it.
fn change(judged: &Judged) -> Option<Vec<Contents>> {
    judged.verdict.approved().map(contents)
}

impl Proposed {
    /// Adds what genes answered that were asked side by side. Returns whether nobody else is asked: there are candidates. A
    /// gene that failed is one without candidates.
    fn take(&mut self, answers: Vec<Answer>) -> bool {
        let is_contest = answers.len() > 1;
        let mut candidates = Vec::new();
        for answer in answers {
            self.calls.push(answer.call);
            candidates.push(answer.candidates);
        }
        let candidates =
            if is_contest { by_worth(candidates, &self.selection) } else { candidates.into_iter().flatten().collect() };
        // What is proposed already, from a capsule, is one candidate.
        let known: Vec<Vec<Contents>> = self.candidates.iter().filter_map(change).collect();
        let is_new = |judged: &Judged| change(judged).is_none_or(|change| !known.contains(&change));
        self.candidates.extend(candidates.into_iter().filter(is_new));
        !self.candidates.is_empty()
    }

    /// Under what the gene of the candidates ran.
    pub fn isolation(&self) -> Option<&str> {
        // Nobody is asked after a gene that had candidates.
        self.calls.last().map(|call| call.isolation.as_str())
    }

    /// Whether candidates of genes that were asked side by side compete.
    pub fn is_contest(&self) -> bool {
        self.candidates.iter().any(|judged| judged.worth.is_some())
    }

    /// The first candidate that passed the gate.
    pub fn passed(&self) -> Option<&Judged> {
        self.candidates.iter().find(|judged| judged.verdict.decision() == Decision::Pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_answers_the_finding_that_it_names_and_no_other() {
        let finding = |id: &str| -> Finding {
            serde_json::from_value(serde_json::json!({
                "id": id, "gene": "h", "kind": "error", "title": id, "severity": "high", "confidence": 1.0, "hypothesis": "",
                "evidence": [], "direction": "", "signals": [], "occurrences": 1,
            }))
            .expect("a finding")
        };
        let answers = |ids: &[&str], named: Option<&str>| {
            let findings = ids.iter().map(|id| finding(id)).collect();
            let diagnosis = Diagnosis { findings, signals: Vec::new() };
            answered(&diagnosis, named).map(|finding| finding.id.clone())
        };
        assert_eq!(answers(&["a", "b"], Some("b")), Some("b".to_owned()));
        assert_eq!(answers(&["a"], Some("b")), None, "it was for another one");
        assert_eq!(answers(&["a"], None), Some("a".to_owned()), "nothing else was asked about");
        assert_eq!(answers(&["a", "b"], None), None);
        assert_eq!(answers(&[], None), None);
    }
}

//! The page of `gephost propose`, and what it shares with that of `gephost run`.

use gephost_app::cycle::Proposals;
use gephost_app::gene_call::GeneCall;
use gephost_app::stages::{Judged, Proposed};
use gephost_core::gate::Verdict;
use gephost_core::proposal::ProposalDocument;
use gephost_core::select::Selection;
use schemars::JsonSchema;
use serde::Serialize;

use super::ending::exit_of_model;
use super::view::View;
use crate::exit_code::Exit;
use crate::page::Page;
use crate::render;
use crate::render::explain::CallAudit;
use crate::render::findings;
use crate::render::model::ModelDocument;
use crate::render::signature::{self, VouchedRow};
use crate::render::unanswered::UnansweredRow;

/// What a gene, or a model, proposes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProposalsPage<'a> {
    /// Which gene was asked.
    selection: &'a Selection,
    /// Its candidates, best first.
    candidates: Vec<CandidateRow<'a>>,
    /// Who vouches for the genes that came as files.
    genes: Vec<VouchedRow<'a>>,
    /// The calls of genes.
    calls: Vec<&'a GeneCall>,
    /// What the model said, if one was asked.
    model: Option<ModelDocument<'a>>,
    /// If there are findings and nothing is proposed: who was asked, and where to begin.
    unanswered: Option<UnansweredRow<'a>>,
    /// What genes asked of the host, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Vec<CallAudit<'a>>>,
    #[serde(skip)]
    proposals: &'a Proposals,
    #[serde(skip)]
    view: View<'a>,
}

/// A proposal and the gate's verdict on it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CandidateRow<'a> {
    /// As it is saved.
    proposal: ProposalDocument<'a>,
    verdict: &'a Verdict,
    /// The change as a diff.
    diff: &'a str,
    /// Its expected worth, from 0 to 1, if several genes were asked side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    worth: Option<f64>,
    /// Id of the capsule whose change it makes again.
    #[serde(skip_serializing_if = "Option::is_none")]
    capsule: Option<&'a str>,
}

impl<'a> CandidateRow<'a> {
    fn of(judged: &'a Judged) -> Self {
        Self {
            proposal: judged.document(),
            verdict: &judged.verdict,
            diff: judged.verdict.diff(),
            worth: judged.worth,
            capsule: judged.capsule.as_deref(),
        }
    }
}

pub(super) fn candidates(proposed: &Proposed) -> Vec<CandidateRow<'_>> {
    proposed.candidates.iter().map(CandidateRow::of).collect()
}

impl<'a> ProposalsPage<'a> {
    pub(super) fn of(proposals: &'a Proposals, view: View<'a>) -> Self {
        let Proposals { findings, proposed, .. } = proposals;
        Self {
            selection: &proposed.selection,
            candidates: candidates(proposed),
            genes: signature::rows(&findings.vouched),
            calls: calls(proposals).collect(),
            model: findings.consulted.as_ref().map(render::model::document),
            unanswered: view.unanswered(proposals),
            explain: view.audits(calls(proposals)),
            proposals,
            view,
        }
    }
}

impl Page for ProposalsPage<'_> {
    const KIND: &'static str = "proposals";

    fn text(&self) -> String {
        let unanswered = self.unanswered.as_ref().map(UnansweredRow::text).unwrap_or_default();
        page(self.view, self.proposals) + &signature::lines(&self.genes) + &unanswered
    }

    fn exit(&self) -> Exit {
        let Proposals { findings, proposed, .. } = self.proposals;
        let all_refused = !proposed.candidates.is_empty() && proposed.passed().is_none();
        let exit = exit_of_model(findings.consulted.as_ref()).or_else(|| render::model::exit_of_texts(proposed));
        exit.unwrap_or(if all_refused { Exit::Refused } else { Exit::Done })
    }
}

pub(super) fn calls(proposals: &Proposals) -> impl Iterator<Item = &GeneCall> {
    proposals.findings.diagnosed.calls.iter().chain(&proposals.proposed.calls)
}

/// What a cycle found and proposes, as text.
pub(super) fn page(view: View<'_>, proposals: &Proposals) -> String {
    let Proposals { findings, proposed, .. } = proposals;
    let mut text = render::cycle::header(view.project, findings.head.as_ref());
    text.push_str(&view.findings(findings, findings::SHOWN));
    match &findings.consulted {
        Some(consulted) => text.push_str(&render::model::page(consulted)),
        None if findings.diagnosed.diagnosis.findings.is_empty() => {}
        None => text.push_str(&render::cycle::asked(proposed)),
    }
    let author = render::cycle::author(proposed).filter(|_| findings.consulted.is_none());
    let shown = proposed.passed().map_or(proposed.candidates.as_slice(), std::slice::from_ref);
    for judged in shown {
        text.push_str(&render::cycle::candidate(judged, author));
    }
    text.push_str(&view.explained(calls(proposals)));
    if view.is_verbose {
        text.push_str(&render::cycle::calls(&findings.diagnosed.calls));
        text.push_str(&render::cycle::calls(&proposed.calls));
    }
    text
}

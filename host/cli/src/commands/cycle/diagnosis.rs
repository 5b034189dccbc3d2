//! The page of `gephost diagnose`.

use gephost_app::cycle::Findings;
use gephost_app::evidence::{DayCount, EventDetail};
use gephost_app::gene_call::GeneCall;
use schemars::JsonSchema;
use serde::Serialize;

use super::ending::exit_of_model;
use super::view::View;
use crate::args::DiagnosisForm;
use crate::exit_code::Exit;
use crate::page::Page;
use crate::render;
use crate::render::explain::CallAudit;
use crate::render::findings::{self, RankedFinding};
use crate::render::model::ModelDocument;
use crate::render::reading::ObservedRow;
use crate::render::report_file;
use crate::render::signature::{self, VouchedRow};

/// What goes wrong again and again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiagnosisPage<'a> {
    /// What was read.
    observed: ObservedRow<'a>,
    /// The findings, most important first.
    findings: Vec<RankedFinding<'a>>,
    /// Findings below the thresholds of `[diagnose]`.
    below_thresholds: usize,
    /// The signals of the observation.
    signals: &'a [String],
    /// Who vouches for the genes that came as files.
    genes: Vec<VouchedRow<'a>>,
    /// The calls of genes.
    calls: &'a [GeneCall],
    /// What the model said, if one was asked.
    model: Option<ModelDocument<'a>>,
    /// What genes asked of the host, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Vec<CallAudit<'a>>>,
    /// The events of the finding that was asked for by its number, the newest first.
    #[serde(skip_serializing_if = "<[EventDetail]>::is_empty")]
    events: &'a [EventDetail],
    /// The calls of each day, with `--as markdown` and `--as html`.
    #[serde(skip_serializing_if = "<[DayCount]>::is_empty")]
    days: &'a [DayCount],
    /// The most findings that the text shows.
    #[serde(skip)]
    shown: usize,
    /// The number of the finding that the text shows whole.
    #[serde(skip)]
    number: Option<usize>,
    #[serde(skip)]
    form: DiagnosisForm,
    #[serde(skip)]
    found: &'a Findings,
    #[serde(skip)]
    view: View<'a>,
}

impl<'a> DiagnosisPage<'a> {
    pub(super) fn of(found: &'a Findings, view: View<'a>) -> Self {
        let Findings { diagnosed, consulted, .. } = found;
        Self {
            observed: view.observed(found),
            findings: findings::ranked(&diagnosed.diagnosis.findings, &found.evidenced),
            below_thresholds: diagnosed.left_out,
            signals: &diagnosed.diagnosis.signals,
            genes: signature::rows(&found.vouched),
            calls: &diagnosed.calls,
            model: consulted.as_ref().map(render::model::document),
            explain: view.audits(&diagnosed.calls),
            events: &found.details,
            days: &found.days,
            shown: findings::SHOWN,
            number: None,
            form: DiagnosisForm::Text,
            found,
            view,
        }
    }

    /// The same, with so many findings in the text, or the one with this number whole, in this form.
    pub(super) fn shown(self, shown: usize, number: Option<usize>, form: DiagnosisForm) -> Self {
        Self { shown, number, form, ..self }
    }
}

impl Page for DiagnosisPage<'_> {
    const KIND: &'static str = "diagnosis";

    fn text(&self) -> String {
        let Findings { diagnosed, consulted, head, .. } = self.found;
        let project = self.view.project.root.display().to_string();
        match self.form {
            DiagnosisForm::Markdown => return report_file::markdown(&project, &self.findings, self.days),
            DiagnosisForm::Html => return report_file::html(&project, &self.findings, self.days),
            DiagnosisForm::Text => {}
        }
        let numbered = self.number.and_then(|number| Some((number, self.findings.get(number.checked_sub(1)?)?)));
        if let Some((number, finding)) = numbered {
            return findings::whole(number, finding, self.events);
        }
        let mut text = render::cycle::header(self.view.project, head.as_ref());
        text.push_str(&self.view.findings(self.found, self.shown));
        text.push_str(&signature::lines(&self.genes));
        text.push_str(&consulted.as_ref().map(render::model::page).unwrap_or_default());
        text.push_str(&self.view.explained(&diagnosed.calls));
        if self.view.is_verbose {
            text.push_str(&render::cycle::calls(&diagnosed.calls));
        }
        text
    }

    fn exit(&self) -> Exit {
        exit_of_model(self.found.consulted.as_ref()).unwrap_or(Exit::Done)
    }
}

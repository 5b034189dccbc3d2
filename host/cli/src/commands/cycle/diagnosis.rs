//! The page of `gephost diagnose`.

use gephost_app::cycle::Findings;
use gephost_app::evidence::{DayCount, EventDetail};
use gephost_app::gene_call::GeneCall;
use gephost_app::observe::ReadingState;
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
use crate::render::reading::{ObservedRow, counted, why_nothing};
use crate::render::report_file::{self, ReportFile};
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

impl DiagnosisPage<'_> {
    /// The page as a file: the first findings, or one whole.
    fn file(&self, numbered: Option<(usize, &RankedFinding<'_>)>) -> String {
        let Findings { files, reading, .. } = self.found;
        let project = self.view.project.root.display().to_string();
        let mut read = vec![render::cycle::calls_of(files)];
        read.extend(counted(reading));
        if !self.findings.is_empty() {
            read.push(format!("findings: {}{}", self.findings.len(), findings::total(&self.findings)));
        }
        if self.below_thresholds > 0 {
            read.push(format!("below the thresholds of [diagnose]: {}", self.below_thresholds));
        }
        let nothing = match reading.state {
            ReadingState::Read => "Nothing fails again and again.".to_owned(),
            _ => format!("What goes wrong is not known: {}.", why_nothing(reading, files)),
        };
        let (first, shown) = match numbered {
            Some((number, finding)) => (number, std::slice::from_ref(finding)),
            None => (1, self.findings.get(..self.shown).unwrap_or(&self.findings)),
        };
        let (events, days) = (self.events, self.days);
        let file =
            ReportFile { project: &project, read: &read, nothing: &nothing, findings: shown, first, events, days };
        if self.form == DiagnosisForm::Html { report_file::html(file) } else { report_file::markdown(file) }
    }
}

impl Page for DiagnosisPage<'_> {
    const KIND: &'static str = "diagnosis";

    fn text(&self) -> String {
        let Findings { diagnosed, consulted, head, .. } = self.found;
        let numbered = self.number.and_then(|number| Some((number, self.findings.get(number.checked_sub(1)?)?)));
        if self.form != DiagnosisForm::Text {
            return self.file(numbered);
        }
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

//! The page of `gephost select`.

use gephost_app::cycle::Findings;
use gephost_core::select::Selection;
use schemars::JsonSchema;
use serde::Serialize;

use super::view::View;
use crate::page::Page;
use crate::render;
use crate::render::explain::CallAudit;
use crate::render::findings;
use crate::render::signature::{self, VouchedRow};

/// Which gene would be asked, and why.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SelectionPage<'a> {
    #[serde(flatten)]
    pub(super) selection: &'a Selection,
    /// Who vouches for the genes that came as files.
    pub(super) genes: Vec<VouchedRow<'a>>,
    /// What genes asked of the host, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explain: Option<Vec<CallAudit<'a>>>,
    #[serde(skip)]
    pub(super) found: &'a Findings,
    #[serde(skip)]
    pub(super) view: View<'a>,
}

impl Page for SelectionPage<'_> {
    const KIND: &'static str = "selection";

    fn text(&self) -> String {
        let mut text = render::cycle::header(self.view.project, self.found.head.as_ref());
        text.push_str(&self.view.findings(self.found, findings::SHOWN));
        text.push_str(&render::cycle::selection(self.selection));
        if self.explain.is_some() {
            text.push_str(&render::cycle::scores(self.selection));
        }
        text.push_str(&signature::lines(&self.genes));
        text.push_str(&self.view.explained(&self.found.diagnosed.calls));
        text
    }
}

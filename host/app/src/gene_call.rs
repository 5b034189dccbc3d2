//! One call of a gene, as it is reported.

use gephost_core::recording::{AuditLog, Digest};
use gephost_runner::recording::Taken;
use gephost_runner::sandbox::{Budgets, Call, CallError, Gene, Headroom, HostCalls, LogLine, Usage};
use schemars::JsonSchema;
use serde::Serialize;

use crate::search_record::SearchRecord;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// One call of a gene.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GeneCall {
    /// The id of the gene that was called.
    pub gene: String,
    /// Digest of the component that ran.
    pub digest: Digest,
    /// The gene that carried it out, if the gene is only text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried_out_by: Option<String>,
    /// `diagnose` or `propose`.
    pub function: &'static str,
    /// Why the call failed, in one line; `None` if the gene answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The error's code, for a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// What the call used of each of its budgets.
    pub usage: Usage,
    /// What it might have used, beside that: budget, used, limit.
    pub headroom: Vec<Headroom>,
    /// Where it ran: `thread`, or `process` with the parts of the kernel that confined it.
    pub isolation: String,
    /// How many questions it asked the operator's model; absent if none.
    #[serde(skip_serializing_if = "is_zero")]
    pub model_questions: usize,
    /// What it wrote to its log.
    pub log: Vec<LogLine>,
    /// What became of the edits that it listed, if it searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchRecord>,
    /// The recording that holds the call, once that is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    /// What it asked of the host.
    #[serde(skip)]
    pub audit: AuditLog,
    /// Its calls to the host, if they are traced.
    #[serde(skip)]
    pub host_calls: HostCalls,
    /// The recording, until it is written.
    #[serde(skip)]
    pub taken: Option<Taken>,
    /// The error itself.
    #[serde(skip)]
    pub failure: Option<CallError>,
}

impl GeneCall {
    pub(crate) fn new<T>(
        gene: &Gene,
        function: &'static str,
        call: &Call<T>,
        budgets: &Budgets,
        taken: Option<Taken>,
    ) -> Self {
        let failure = call.result.as_ref().err().cloned();
        Self {
            gene: gene.id().to_owned(),
            digest: gene.component().digest(),
            carried_out_by: None,
            function,
            error: failure.as_ref().map(ToString::to_string),
            code: failure.as_ref().map(CallError::code),
            usage: call.usage,
            headroom: call.usage.headroom(budgets),
            isolation: call.ran_in.to_string(),
            model_questions: call.turns.len(),
            log: call.log.clone(),
            search: None,
            recording: None,
            audit: call.audit.clone(),
            host_calls: call.host_calls.clone(),
            taken,
            failure,
        }
    }

    /// The same as the call of a text-only gene, which this gene carried out.
    pub(crate) fn carrying(self, text: &str) -> Self {
        Self { carried_out_by: Some(self.gene), gene: text.to_owned(), ..self }
    }

    /// What the call used, in a few words.
    pub fn used(&self) -> String {
        let Usage { wall_us, fuel, memory, host_calls, .. } = self.usage;
        format!("{} ms, {fuel} fuel, {} KiB of memory, {host_calls} host calls", wall_us / 1000, memory >> 10)
    }
}

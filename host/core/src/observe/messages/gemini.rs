//! Calls and results as parts of Gemini's API (`contents`), which Gemini CLI keeps in its checkpoints, too.

use super::calls::Calls;
use crate::observe::gemini_result::{Part, Printed, printed};
use crate::observe::reported::{End, Origin};
use crate::observe::{Transcript, openai};

/// Reports a call or a result. Older ones have no id.
pub(super) fn report(part: &Part<'_>, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
    if let Some(call) = &part.function_call {
        let id = if call.id.0.is_empty() { calls.add(&call.name.0) } else { call.id.0.clone().into_owned() };
        openai::start(&id, &call.name.0, call.args, origin, out);
    }
    if let Some(answer) = &part.function_response {
        let id = if answer.id.0.is_empty() { calls.of_result(&answer.name.0) } else { Some(answer.id.0.to_string()) };
        let (said, flagged) = answer.text();
        let Printed { output, exit_code, ending } = printed(&said);
        let end = End { call_id: id.as_deref(), tool: Some(&answer.name.0), flagged, ending, ..End::default() };
        let no_exit_codes = exit_code.is_none();
        out.end(origin, &End { output, text_exit_code: exit_code, no_exit_codes, ..end });
    }
}

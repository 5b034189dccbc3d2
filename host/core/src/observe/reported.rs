//! What a format reports of a session: the start and the end of a call, and when and where they were.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;

use super::envelope::Opened;
use super::stated;
use crate::outcome::Ending;

/// Most bytes of an id or a name.
const MAX_NAME_BYTES: usize = 256;

/// The time and the session of what a format reports.
#[derive(Debug, Clone, Default)]
pub(super) struct Origin {
    pub time: Option<Timestamp>,
    pub session: Arc<str>,
}

/// The start of a tool call, as a format reports it.
pub(super) struct Start<'a> {
    pub call_id: Option<&'a str>,
    pub tool: &'a str,
    /// The command if there is one, else the input as the format wrote it.
    pub input: Cow<'a, str>,
    pub is_command: bool,
}

/// The end of a tool call, as a format reports it.
#[derive(Default)]
pub(super) struct End<'a> {
    pub call_id: Option<&'a str>,
    /// Name of the tool, if the result gives it. The start may be in a file that is not read.
    pub tool: Option<&'a str>,
    pub output: Cow<'a, str>,
    /// What the output holds, if it was parsed already.
    pub opened: Option<Opened>,
    /// The error flag of the result itself.
    pub flagged: bool,
    /// Whether another event says that the call failed. It is judged like `flagged`, but the event is not counted as
    /// flagged.
    pub failed_by_event: bool,
    /// The exit code, if the format has it in a field or a header.
    pub exit_code: Option<i64>,
    /// The exit code, if only the output's text gives it. It is judged, but a code other than 0 does not flag the
    /// event.
    pub text_exit_code: Option<i64>,
    /// Whether the format never records exit codes, so that only the output can show a failure.
    pub no_exit_codes: bool,
    /// How the call ended, if the format says so.
    pub ending: Ending,
    /// Whether the format has only one time for the whole call, so that no duration is known.
    pub untimed: bool,
    /// The command whose result this is, if it is not that of the call: the call may continue an earlier session.
    pub command: Option<String>,
    /// The tool that started that command.
    pub tool_of_command: Option<Arc<str>>,
    /// Whether the log does not tell which of several calls this is the end of. Its input is then not shown.
    pub unpaired: bool,
    /// Duration in milliseconds, if the format records it.
    pub duration_ms: Option<f64>,
}

impl<'a> End<'a> {
    /// The end of a call whose log says how it ended only by `flagged`, or in the text of its result.
    pub(super) fn as_stated(call_id: Option<&'a str>, output: Cow<'a, str>, flagged: bool) -> Self {
        let text_exit_code = stated::exit_code(&output);
        let output = stated::without_trailer(output);
        Self { call_id, flagged, text_exit_code, no_exit_codes: text_exit_code.is_none(), output, ..Self::default() }
    }
}

/// Ids and names are short. A longer text is cut, so that it cannot fill the memory.
pub(super) fn short(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or(text)
}

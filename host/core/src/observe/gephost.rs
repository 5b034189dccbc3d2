//! gephost's own `RunEvent` lines, which Geneclaw writes too; see [`crate::run_event`] (seed 004 section 3.1).

use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, peek};
use crate::run_event::from_disk_line;

pub(super) const FORMAT: Format =
    Format { name: "gephost", recognise: Recognise::Line(recognises), open: |_| Opened::Lines(Box::new(Gephost)) };

const TYPES: [&[u8]; 5] = [b"inbound_msg", b"outbound_msg", b"tool_start", b"tool_end", b"exception"];

fn recognises(line: &[u8]) -> bool {
    peek::string_field(line, "event_type").is_some_and(|name| TYPES.contains(&name))
}

struct Gephost;

impl LogReader for Gephost {
    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return LineResult::Skipped(SkipReason::InvalidUtf8);
        };
        if !recognises(bytes) {
            return super::unknown(bytes);
        }
        let Ok(event) = from_disk_line(text, out.line) else {
            return LineResult::Skipped(SkipReason::BrokenJson);
        };
        // Two different events without a time may be equal, so they do not count as duplicates.
        if event.timestamp.is_some() && !out.shared.first_time(&[b"gephost", bytes]) {
            return LineResult::Skipped(SkipReason::Duplicate);
        }
        out.stored_event(event);
        LineResult::Read
    }
}

//! The import `logging`, and the cleaning of every text that a guest sends to a person's terminal.

use super::bindings::gephost::gene::logging::{Host, Level};
use super::state::{GeneState, LogLevel, LogLine};

/// The longest log line that is kept, in characters.
const MAX_LINE: usize = 2000;

impl Host for GeneState {
    fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        self.meter.host_call()?;
        self.meter.log_line()?;
        self.meter.take(message.len() as u64)?;
        let level = match level {
            Level::Debug => LogLevel::Debug,
            Level::Info => LogLevel::Info,
            Level::Warn => LogLevel::Warn,
            Level::Error => LogLevel::Error,
        };
        self.log.push(LogLine { level, message: printable(&message) });
        Ok(())
    }
}

/// A guest's text as one line without control characters, clipped. Doing it twice changes nothing: the host does it again
/// with what a worker sends.
pub(super) fn printable(text: &str) -> String {
    // Most texts are paths.
    if text.len() <= MAX_LINE && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.trim_end().to_owned();
    }
    let visible = |c: char| if c.is_control() || is_format(c) { ' ' } else { c };
    let mut line: String = text.chars().take(MAX_LINE).map(visible).collect();
    line.truncate(line.trim_end().len());
    line
}

/// Characters that change how others are shown: bidi controls, joiners and the byte order mark.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

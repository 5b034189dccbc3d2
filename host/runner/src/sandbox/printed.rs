//! What a gene prints and logs, in the order in which it did.

use wasmtime_wasi::p2::OutputStream as _;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use super::log_line::{LogLevel, LogLine};
use super::printable::printable;

/// Most printed lines that are kept: the last ones, because a panic comes last.
const MAX_PRINTED_LINES: usize = 10_000;

/// The lines of one call.
pub(super) struct Lines {
    /// What was printed, on standard output and standard error.
    pub(super) pipe: MemoryOutputPipe,
    capacity: usize,
    /// Each logged line, and how many bytes were printed before it.
    logged: Vec<(usize, LogLine)>,
}

impl Lines {
    /// Output is charged before it is written, so a pipe for all that may be printed is never full.
    pub(super) fn new(most_bytes: u64) -> Self {
        let capacity = usize::try_from(most_bytes).unwrap_or(usize::MAX);
        Self { pipe: MemoryOutputPipe::new(capacity), capacity, logged: Vec::new() }
    }

    /// Adds a logged line.
    pub(super) fn log(&mut self, level: LogLevel, message: String) {
        // The pipe says what still fits.
        let printed = self.capacity - self.pipe.check_write().unwrap_or_default();
        self.logged.push((printed, LogLine { level, message }));
    }

    /// All lines. A printed line stands where it ended.
    pub(super) fn take(&mut self) -> Vec<LogLine> {
        let bytes = self.pipe.contents();
        let mut skipped = bytes.split(|byte| *byte == b'\n').count().saturating_sub(MAX_PRINTED_LINES + 1);
        let mut logged = std::mem::take(&mut self.logged).into_iter().peekable();
        let mut lines = Vec::new();
        let mut end = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            end += line.len();
            while let Some((_, line)) = logged.next_if(|(at, _)| *at < end) {
                lines.push(line);
            }
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            let text = String::from_utf8_lossy(line);
            let text = text.strip_suffix('\n').map_or(&*text, |text| text.strip_suffix('\r').unwrap_or(text));
            lines.push(LogLine { level: LogLevel::Output, message: printable(text) });
        }
        lines.extend(logged.map(|(_, line)| line));
        lines
    }
}

#[cfg(test)]
mod tests {
    use wasmtime_wasi::p2::OutputStream as _;

    use super::*;

    fn texts(lines: &mut Lines) -> Vec<String> {
        lines.take().into_iter().map(|line| format!("{} {}", line.level.as_str(), line.message)).collect()
    }

    #[test]
    fn lines_stand_in_the_order_of_the_gene() {
        let mut lines = Lines::new(1000);
        let mut pipe = lines.pipe.clone();
        lines.log(LogLevel::Info, "first".into());
        pipe.write("one\ntwo\r\nhalf".into()).unwrap();
        lines.log(LogLevel::Warn, "second".into());
        pipe.write(" done\n".into()).unwrap();
        lines.log(LogLevel::Error, "last".into());
        let expected = ["info first", "output one", "output two", "warn second", "output half done", "error last"];
        assert_eq!(texts(&mut lines), expected);
    }

    #[test]
    fn of_too_many_printed_lines_the_last_are_kept() {
        let mut lines = Lines::new(1 << 20);
        let numbers: Vec<String> = (0..MAX_PRINTED_LINES + 5).map(|number| number.to_string()).collect();
        let text = numbers.join("\n") + "\n";
        lines.pipe.clone().write(text.into()).unwrap();
        let texts = texts(&mut lines);
        assert_eq!(texts.len(), MAX_PRINTED_LINES);
        assert_eq!(texts[0], "output 5");
    }

    #[test]
    fn a_call_without_output_has_its_log() {
        let mut lines = Lines::new(0);
        lines.log(LogLevel::Info, "only".into());
        assert_eq!(texts(&mut lines), ["info only"]);
    }
}

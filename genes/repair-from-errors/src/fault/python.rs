//! Reads the tracebacks of Python, and the long and short forms of pytest.

use super::line::{exception, indent, marks, path};
use super::traceback::{Fault, Frame, Language, MAX_FRAMES};

/// All exceptions with a place, in the order of the output.
pub(super) fn faults(output: &str) -> Vec<Fault> {
    let mut reader = Reader::default();
    for line in output.lines() {
        reader.line(line);
    }
    reader.faults
}

#[derive(Default)]
struct Reader {
    faults: Vec<Fault>,
    /// Places of the traceback being read, outermost first.
    frames: Vec<Frame>,
    /// Indentation of the last place, while its source line may follow.
    awaits_source: Option<usize>,
    /// Indentation of the source line last read, while marks may follow.
    awaits_marks: Option<usize>,
    /// The source line after pytest's `>`; the place follows below it.
    pytest_source: Option<String>,
    /// The file that pytest cannot collect, for the line after its name.
    collecting: Option<Frame>,
    /// Whether the places read so far belong to a fault that was added already.
    used: bool,
    /// Whether the last fault may still get its innermost place, which pytest prints below the message.
    open: bool,
}

impl Reader {
    fn line(&mut self, raw: &str) {
        let line = raw.trim_start_matches("  | ").trim_end();
        // pytest prints an `E` before each line of an exception and of a parser's excerpt.
        let quoted = line.strip_prefix("E  ").map(|rest| format!("   {rest}"));
        let line = quoted.as_deref().unwrap_or(line);
        let text = line.trim_start();
        let raised =
            exception(if quoted.is_some() { text } else { line }).filter(|(kind, _)| !kind.ends_with("Warning"));
        if let (Some(base), Some(at)) = (self.awaits_marks, marks(line)) {
            if let Some(frame) = self.frames.last_mut() {
                frame.caret = frame.caret.or(at.checked_sub(base));
            }
            return;
        }
        if text.starts_with("Traceback (most recent call last)") || is_pytest_header(line) {
            self.frames.clear();
            self.used = false;
            self.pytest_source = None;
            self.awaits_source = None;
            self.open = false;
            self.collecting = collected(line);
        } else if let (Some((kind, message)), true) = (raised.clone(), quoted.is_some()) {
            self.fault(kind, message);
        } else if let Some(frame) = file_line(text) {
            self.place(frame, indent(line));
        } else if self.awaits_source.is_some_and(|base| indent(line) > base) && !text.is_empty() {
            if let Some(frame) = self.frames.last_mut() {
                frame.shown = Some(text.to_owned());
            }
            self.awaits_source = None;
            self.awaits_marks = Some(indent(line));
        } else if let Some((kind, message)) = raised {
            self.fault(kind, message);
        } else if let Some(source) = line.strip_prefix('>') {
            self.pytest_source = Some(source.trim().to_owned());
        } else if let Some(frame) =
            self.collecting.take().filter(|_| text.starts_with("'yield' keyword is allowed in "))
        {
            self.place(frame, 0);
            self.fault("Failed".to_owned(), text.to_owned());
        } else if let Some((frame, rest)) = pytest_line(line) {
            self.pytest_place(frame, rest, indent(line));
        } else if !text.is_empty() {
            self.awaits_source = None;
            self.awaits_marks = None;
        }
    }

    fn place(&mut self, frame: Frame, indentation: usize) {
        if std::mem::take(&mut self.used) {
            self.frames.clear();
        }
        if self.frames.len() == MAX_FRAMES {
            self.frames.remove(0);
        }
        self.frames.push(frame);
        self.awaits_source = Some(indentation);
        self.awaits_marks = None;
        self.open = false;
    }

    fn pytest_place(&mut self, mut frame: Frame, rest: &str, indentation: usize) {
        if rest.starts_with("in ") {
            self.place(frame, indentation);
        } else if exception(rest).is_some() && self.open {
            frame.shown = self.pytest_source.take();
            if let Some(fault) = self.faults.last_mut() {
                fault.frames.insert(0, frame);
            }
            self.open = false;
        } else if rest.is_empty() {
            // An outer place: its source line is above it.
            frame.shown = self.pytest_source.take();
            self.place(frame, indentation);
            self.awaits_source = None;
        }
    }

    fn fault(&mut self, kind: String, message: String) {
        // A source that cannot be decoded has no line to show, and its place is in the message.
        if let Some(frame) = undecoded(&message) {
            self.place(frame, 0);
        }
        let frames: Vec<Frame> = self.frames.iter().rev().cloned().collect();
        self.awaits_source = None;
        self.awaits_marks = None;
        // An exception may have several `E` lines; the first one names it.
        if self.open || (frames.is_empty() && self.pytest_source.is_none()) {
            return;
        }
        self.faults.push(Fault { language: Language::Python, kind, message, frames });
        self.open = true;
        self.used = true;
    }
}

/// `File "path", line 3, in name`.
fn file_line(text: &str) -> Option<Frame> {
    let rest = text.strip_prefix("File \"")?;
    let (name, rest) = rest.split_once("\", line ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let line = digits.parse().ok()?;
    let name = if name.starts_with('<') { name.to_owned() } else { path(name)? };
    Some(Frame { path: name, line, ..Frame::default() })
}

/// `Non-UTF-8 code starting with '\xe9' in file path on line 3, but no encoding declared`.
fn undecoded(message: &str) -> Option<Frame> {
    let (_, rest) = message.strip_prefix("Non-UTF-8 code starting with ")?.split_once(" in file ")?;
    let (name, rest) = rest.split_once(" on line ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(Frame { path: path(name)?, line: digits.parse().ok()?, ..Frame::default() })
}

/// `path.py:3: rest`.
fn pytest_line(line: &str) -> Option<(Frame, &str)> {
    let (name, rest) = line.split_once(".py:")?;
    let (number, rest) = rest.split_once(':')?;
    let path = path(&format!("{name}.py"))?;
    Some((Frame { path, line: number.parse().ok()?, ..Frame::default() }, rest.trim()))
}

/// `____ ERROR collecting path.py ____`.
fn collected(line: &str) -> Option<Frame> {
    let name = line.trim_matches(['_', ' ']).strip_prefix("ERROR collecting ")?;
    Some(Frame { path: path(name)?, line: 1, ..Frame::default() })
}

fn is_pytest_header(line: &str) -> bool {
    line.starts_with("____") && line.ends_with("____") || line.starts_with("====")
}

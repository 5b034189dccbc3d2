//! Printing: the result on standard output, everything else on standard error.

use std::io::{self, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use gephost_app::{Note, Sink};
use gephost_core::text::is_unseen;
use gephost_runner::observe::Meter;
use serde_json::Value;

use crate::args::{Color, Global};
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::page::{self, Page};
use crate::progress;
use crate::render;
use crate::render::shown::{message, shown};
use crate::render::style::printable;
use crate::render::wrap;

/// What a command has to say when it could do its work.
#[derive(Debug)]
pub(crate) struct Report {
    /// How the process ends.
    pub(crate) exit: Exit,
    /// The document of `--json`; null where the command printed its answers line by line.
    pub(crate) document: Value,
    /// The same for a person. May hold ANSI styles; they are taken out where they do not belong.
    pub(crate) text: String,
}

impl Report {
    /// The report of a page.
    pub(crate) fn of<P: Page>(page: &P) -> Self {
        Self { exit: page.exit(), document: page::document(page), text: page.text() }
    }

    /// For a command that printed its answers line by line.
    pub(crate) fn printed() -> Self {
        Self { exit: Exit::Done, document: Value::Null, text: String::new() }
    }
}

/// Where a command prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    verbose: bool,
    color: ColorChoice,
}

impl Output {
    /// As the global options say.
    pub(crate) fn new(global: &Global) -> Self {
        let color = match global.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self { json: global.json, quiet: global.quiet, verbose: global.verbose, color }
    }

    /// For a command line that could not be read, but asks for JSON.
    pub(crate) fn for_programs() -> Self {
        Self { json: true, quiet: false, verbose: false, color: ColorChoice::Never }
    }

    /// For a command line that could not be read.
    pub(crate) fn for_people() -> Self {
        Self { json: false, quiet: false, verbose: false, color: ColorChoice::Auto }
    }

    /// Prints what clap says of such a command line, which has its own lines.
    pub(crate) fn usage(self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr(), self.choice(&io::stderr()));
        // There is nowhere else to say that this failed.
        let _ = stderr.write_all(message(text).as_bytes());
    }

    /// Whether a person wants to see what genes wrote and used.
    pub(crate) fn verbose(self) -> bool {
        self.verbose
    }

    /// Whether the person wants nothing but the result.
    pub(crate) fn quiet(self) -> bool {
        self.quiet
    }

    /// Whether standard output must be one JSON document.
    pub(crate) fn json(self) -> bool {
        self.json
    }

    /// Tells the person something that is not the result.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.stderr(text);
        }
    }

    /// Tells the person that something fails: also where nothing else is said.
    pub(crate) fn warn(self, text: &str) {
        self.stderr(text);
    }

    /// Asks the person something: also where nothing else is said.
    pub(crate) fn ask(self, text: &str) {
        self.stderr(text);
    }

    /// Prints a command's result and ends.
    pub(crate) fn report(self, report: &Report) -> ExitCode {
        let in_json = self.json && !report.document.is_null();
        let text = match wrap::columns(io::stdout()) {
            _ if in_json => pretty(&report.document),
            Some(width) => wrap::fitted(&shown(&report.text), width),
            None => shown(&report.text).into_owned(),
        };
        let written = self.stdout(&text);
        match written {
            // Whoever reads has seen enough: that is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done.into(),
            Err(error) => {
                self.stderr(&format!("error: failed to write the result: {error}"));
                Exit::Failed.into()
            }
            Ok(()) => report.exit.into(),
        }
    }

    /// Prints why a command could not do its work and ends.
    pub(crate) fn failure(self, failure: &Failure) -> ExitCode {
        if self.json {
            // A reader that is gone cannot be told anything.
            let _ = self.stdout(&pretty(&page::document(&failure.page())));
        } else {
            let bold = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
            self.stderr(&format!("{bold}error{bold:#}: {}", message(&failure.message)));
            if let Some(hint) = &failure.hint {
                let style = anstyle::Style::new().bold();
                self.stderr(&format!("{style}hint{style:#}: {hint}"));
            }
        }
        failure.exit.into()
    }

    fn stdout(self, text: &str) -> io::Result<()> {
        let mut stdout = AutoStream::new(io::stdout(), self.choice(&io::stdout()));
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    fn stderr(self, text: &str) {
        let text = &*shown(text);
        let mut stderr = AutoStream::new(io::stderr(), self.choice(&io::stderr()));
        let lines = wrap::columns(io::stderr())
            .map(|width| text.lines().map(|line| wrap::broken(line, 2, width)).collect::<Vec<_>>().join("\n"));
        let text = lines.as_deref().unwrap_or(text);
        // There is nowhere else to say that this failed.
        let _ = writeln!(stderr, "{text}");
    }

    fn choice(self, stream: &impl anstream::stream::RawStream) -> ColorChoice {
        match self.color {
            ColorChoice::Auto => AutoStream::choice(stream),
            choice => choice,
        }
    }
}

impl Sink for Output {
    fn note(&self, note: Note<'_>) {
        match note {
            Note::Warning(text) => Output::note(*self, &format!("warning: {}", message(text))),
            Note::Info(text) => Output::note(*self, &format!("note: {}", message(text))),
            Note::Step(text) => Output::note(*self, &message(&printable(text))),
            Note::GeneFailed(call) => {
                if let (true, Some(failure)) = (self.verbose, &call.failure) {
                    Output::note(*self, &render::cycle::failed(call, failure));
                }
            }
        }
    }

    fn reading(&self, work: &mut dyn FnMut(Option<&Meter>)) {
        progress::during(self.quiet, work);
    }
}

/// A JSON document as it is printed.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    text.push('\n');
    visible_json(text)
}

/// The same document without raw characters that could drive a terminal or turn around what is shown. In JSON they stand
/// in strings only, so they can be escaped where they stand.
pub(crate) fn visible_json(text: String) -> String {
    let is_raw = |c: char| c != '\n' && is_unseen(c);
    if !text.contains(is_raw) {
        return text;
    }
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if is_raw(c) {
            // JSON writes what lies beyond the first plane, such as tags, as two halves.
            for half in c.encode_utf16(&mut [0; 2]) {
                let _ = std::fmt::Write::write_fmt(&mut visible, format_args!("\\u{half:04x}"));
            }
        } else {
            visible.push(c);
        }
    }
    visible
}

/// Standard output for a command that answers while it reads. What it writes is data: no styles.
pub(crate) fn stream() -> io::BufWriter<io::StdoutLock<'static>> {
    io::BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_no_character_raw_that_drives_a_terminal_and_reads_back() {
        let text = "a\u{202e}b\u{9b}31m\u{2028}\u{7f}\n\t\u{1b}é🧬\u{200b}\u{e0041}";
        let written = pretty(&serde_json::json!({ "text": text }));
        assert!(!written.contains(|c: char| c != '\n' && is_unseen(c)), "{written:?}");
        assert!(written.contains("\\u202e") && written.contains("é🧬"), "{written}");
        assert!(written.contains("\\udb40\\udc41"), "{written}");
        let read: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read["text"], text);
    }
}

//! `gephost redact`: a filter that replaces secrets and personal data. In bounded memory, however long the text.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::Path;

use gephost_app::Project;
use gephost_core::redact::{RedactStream, Redaction, Redactor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::args::RedactArguments;
use crate::context::open_input;
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::jsonl::{self, question};
use crate::output::{self, Output, Report};

pub(super) fn run(environment: &Environment, output: Output, arguments: &RedactArguments) -> Result<Report, Failure> {
    if output.json() {
        let failure = Failure::new(Exit::Usage, "usage", "redact writes text, which is not a JSON document");
        return Err(failure.hint("use --jsonl, with one {\"id\",\"text\"} a line"));
    }
    let folder = Project::open(environment)?;
    let mut redactor = folder.config.policy.redactor();
    let file = arguments.file.as_deref().unwrap_or(Path::new("-"));
    if arguments.jsonl {
        return super::lines::answer_lines(environment, file, jsonl::MAX_LINE_BYTES, |line| {
            let asked: Question<'_> = question(line)?;
            Ok(answer(&mut redactor, asked))
        });
    }
    let input = open_input(environment, file)?;
    match copy(BufReader::with_capacity(1 << 18, input), redactor) {
        // Whoever reads has seen enough: that is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(io(file, "redact", &error)),
        _ => Ok(Report::printed()),
    }
}

fn copy(mut input: impl BufRead, redactor: Redactor) -> io::Result<()> {
    let mut output = output::stream();
    let mut stream = RedactStream::new(redactor);
    let mut clean = String::new();
    loop {
        let bytes = input.fill_buf()?;
        let length = bytes.len();
        if length == 0 {
            break;
        }
        stream.push(bytes, &mut clean);
        input.consume(length);
        output.write_all(clean.as_bytes())?;
        clean.clear();
    }
    stream.finish(&mut clean);
    output.write_all(clean.as_bytes())?;
    output.flush()
}

/// A line of `--jsonl`.
#[derive(Deserialize)]
struct Question<'a> {
    id: Option<Value>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// An answer of `--jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RedactAnswer {
    /// The id of the question.
    id: Option<Value>,
    /// Its text with everything replaced.
    text: String,
    /// What was replaced, in order.
    redactions: Vec<RedactionRow>,
}

/// A replacement.
#[derive(Debug, Serialize, JsonSchema)]
struct RedactionRow {
    /// The kind of value.
    kind: String,
    /// The number of the value among those of its kind.
    n: usize,
    /// Where the replacement begins in the new text, in bytes.
    at: usize,
}

fn answer(redactor: &mut Redactor, asked: Question<'_>) -> RedactAnswer {
    let (clean, listed) = redactor.redact_listed(&asked.text);
    let row = |Redaction { kind, number, at }| RedactionRow { kind, n: number, at };
    RedactAnswer { id: asked.id, text: clean.into(), redactions: listed.into_iter().map(row).collect() }
}

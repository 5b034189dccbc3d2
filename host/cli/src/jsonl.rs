//! JSON by the line. Questions by the thousand: one object a line in, one answer a line out, in the same order; and a
//! stream of what happens ([`tell`]).
//!
//! What must stay true: memory is bounded by one line, every line gets exactly one answer, and an answer is on its way
//! as soon as the next question is not there yet, so that a program can ask one at a time.

use std::io::{self, BufRead, BufReader, Read, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de};
use serde_json::Value;

use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::visible_json;

/// The longest line of a question that holds a text, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 16 << 20;

/// Answers every line of `input` with what `answer` makes of it. A line that cannot be answered gets an object with
/// `error` and its number, and the next one is read. Empty lines are passed over.
pub(crate) fn answer<A: Serialize>(
    input: impl Read,
    output: &mut impl Write,
    max_bytes: usize,
    mut answer: impl FnMut(&str) -> Result<A, Unanswered>,
) -> Result<(), Failure> {
    let read_failed = |error: &io::Error| Failure::new(Exit::Failed, "io", format!("failed to read a line: {error}"));
    let mut lines = Lines { reader: BufReader::with_capacity(1 << 16, input), max_bytes, line: Vec::new(), number: 0 };
    while let Some(line) = lines.next().map_err(|error| read_failed(&error))? {
        let answered = match line.map(str::trim) {
            Ok("") => continue,
            Ok(line) => answer(line),
            Err(unanswered) => Err(unanswered),
        };
        let is_behind = lines.is_behind();
        let result = match answered {
            Ok(answer) => write(output, &answer, is_behind),
            Err(unanswered) => write(output, &unanswered.page(lines.number), is_behind),
        };
        if !written(result)? {
            return Ok(());
        }
    }
    written(output.flush()).map(drop)
}

/// Writes a line that nobody asked for, at once; `false` where nobody reads any more.
pub(crate) fn tell(output: &mut impl Write, document: &impl Serialize) -> Result<bool, Failure> {
    written(write(output, document, false))
}

fn write(output: &mut impl Write, document: &impl Serialize, more_is_here: bool) -> io::Result<()> {
    let line = visible_json(serde_json::to_string(document)?);
    output.write_all(line.as_bytes())?;
    output.write_all(b"\n")?;
    if more_is_here { Ok(()) } else { output.flush() }
}

/// Whether it was written; `false` where nobody reads any more, which is no failure.
fn written(result: io::Result<()>) -> Result<bool, Failure> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(Exit::Failed, "io", format!("failed to write an answer: {error}"))),
    }
}

/// Why a line has no answer.
#[derive(Debug)]
pub(crate) struct Unanswered {
    id: Value,
    code: &'static str,
    message: String,
}

impl Unanswered {
    /// For the question with this id.
    pub(crate) fn new(id: Option<Value>, code: &'static str, message: impl Into<String>) -> Self {
        Self { id: id.unwrap_or(Value::Null), code, message: message.into() }
    }

    fn page(self, line: u64) -> UnansweredLine {
        UnansweredLine { id: self.id, error: LineError { code: self.code, message: self.message, line } }
    }
}

/// The answer of `--jsonl` to a line that cannot be answered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UnansweredLine {
    /// The id of the question, if it could be read.
    id: Value,
    error: LineError,
}

/// Why a line has no answer.
#[derive(Debug, Serialize, JsonSchema)]
struct LineError {
    /// A short name for programs.
    code: &'static str,
    /// What is wrong with the line.
    message: String,
    /// Its number, from 1.
    line: u64,
}

/// Reads a line as a question. Its `id` is given back even where the rest is wrong, if it can be told.
pub(crate) fn question<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, Unanswered> {
    #[derive(Deserialize)]
    struct Id {
        id: Option<Value>,
    }
    // A list would be read as an object whose members come in order.
    let is_object = line.trim_start().starts_with('{');
    let read = if is_object { serde_json::from_str(line) } else { Err(de::Error::custom("not a JSON object")) };
    read.map_err(|error| {
        let id = if is_object { serde_json::from_str::<Id>(line).ok().and_then(|found| found.id) } else { None };
        Unanswered::new(id, "line", error.to_string())
    })
}

/// Lines of at most `max_bytes`.
struct Lines<R> {
    reader: BufReader<R>,
    max_bytes: usize,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> Lines<R> {
    /// Whether input waits that was read already.
    fn is_behind(&self) -> bool {
        !self.reader.buffer().is_empty()
    }

    fn next(&mut self) -> io::Result<Option<Result<&str, Unanswered>>> {
        self.line.clear();
        self.number += 1;
        let limit = self.max_bytes as u64 + 1;
        if self.reader.by_ref().take(limit).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        if self.line.last() != Some(&b'\n') && self.line.len() > self.max_bytes {
            self.line.clear();
            skip_line(&mut self.reader)?;
            let message = format!("the line has more than {} bytes, which is the limit", self.max_bytes);
            return Ok(Some(Err(Unanswered::new(None, "too_large", message))));
        }
        let text = std::str::from_utf8(&self.line);
        Ok(Some(text.map_err(|_| Unanswered::new(None, "not_utf8", "the line is not UTF-8 text"))))
    }
}

/// Passes over the rest of a line without keeping it.
fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() || used == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Question {
        id: Option<Value>,
        n: u64,
    }

    fn answers(input: &[u8]) -> Vec<Value> {
        let mut output = Vec::new();
        answer(input, &mut output, 40, |line| {
            let asked: Question = question(line)?;
            Ok(json!({ "id": asked.id, "twice": asked.n * 2 }))
        })
        .unwrap();
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_line_has_one_answer_and_a_bad_one_stops_nothing() {
        let long = format!("{{\"id\":\"{}\"}}\n", "x".repeat(100));
        let input = [
            "{\"id\":1,\"n\":2}\n\n{\"id\":\"b\",\"n\":-1}\nnot json\n[1]\n".as_bytes(),
            long.as_bytes(),
            b"\xff\n{\"n\":4}\r\n{\"id\":[1],\"n\":5}",
        ];
        let found = answers(&input.concat());
        let ids: Vec<&Value> = found.iter().map(|answer| &answer["id"]).collect();
        assert_eq!(
            ids,
            [&json!(1), &json!("b"), &json!(null), &json!(null), &json!(null), &json!(null), &json!(null), &json!([1])]
        );
        let codes: Vec<Option<&str>> = found.iter().map(|answer| answer["error"]["code"].as_str()).collect();
        let line = Some("line");
        assert_eq!(codes, [None, line, line, line, Some("too_large"), Some("not_utf8"), None, None]);
        assert_eq!(found[1]["error"]["line"], 3);
        assert_eq!((&found[0]["twice"], &found[7]["twice"]), (&json!(4), &json!(10)));
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_read() {
        let line = format!("{{\"id\":\"{}\",\"n\":1}}", "x".repeat(40 - 15));
        assert_eq!(line.len(), 40);
        assert_eq!(answers(format!("{line}\n{line}").as_bytes()).len(), 2);
        assert!(answers(format!("{line}\n").as_bytes())[0]["twice"].is_number());
    }
}

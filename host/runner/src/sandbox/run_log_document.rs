//! The written form of a [`RunLog`]: columns as JSON, with one string for each text. It is also read from foreign
//! recordings, so the reader checks the length of every column and the range of every number.

use std::io;
use std::sync::Arc;

use gephost_core::recording::Blob;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};

use super::columns::{NO_TOOL, RunLog};
use super::usage::UsageColumns;

/// The columns. A tool of `null` is an event without a tool, and a duration of `null` is unknown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    timestamp_us: Vec<i64>,
    kind: Vec<u8>,
    outcome: Vec<u8>,
    failure_kind: Vec<u8>,
    tool: Vec<Option<u32>>,
    session: Vec<u32>,
    duration_ms: Vec<Option<f64>>,
    signature: Vec<u32>,
    /// Two for each event: its input and its output.
    texts: Vec<String>,
    tools: Vec<String>,
    sessions: Vec<String>,
    /// Absent if no event has usage, and in old recordings.
    #[serde(default)]
    usage: UsageColumns,
}

impl RunLog {
    /// The written form, which is made once. The same log gives the same bytes.
    pub(crate) fn written(&self) -> serde_json::Result<Blob> {
        if let Some(written) = self.written.get() {
            return Ok(written.clone());
        }
        // Counted first, then written to memory of the right size, because it is as large as all the texts.
        let mut size = Count(0);
        self.write_json(&mut size)?;
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, size.0).collect();
        if let Some(room) = Arc::get_mut(&mut bytes) {
            self.write_json(room)?;
        }
        let written = Blob::from(bytes);
        Ok(self.written.get_or_init(|| written).clone())
    }

    fn write_json(&self, to: impl io::Write) -> serde_json::Result<()> {
        let starts = || std::iter::once(0).chain(self.text_ends.iter().copied());
        let text =
            |(start, end): (usize, &usize)| String::from_utf8_lossy(self.heap.get(start..*end).unwrap_or_default());
        let texts = || starts().zip(&self.text_ends).map(text);
        let tool = || self.tool.iter().map(|&tool| (tool != NO_TOOL).then_some(tool));
        let duration_ms = || self.duration_ms.iter().map(|ms| ms.is_finite().then_some(*ms));
        let mut json = serde_json::Serializer::new(to);
        // Written directly from the columns, because the texts are most of the memory of a cycle.
        let mut document = json.serialize_map(None)?;
        document.serialize_entry("timestamp_us", &self.timestamp_us)?;
        document.serialize_entry("kind", &self.kind)?;
        document.serialize_entry("outcome", &self.outcome)?;
        document.serialize_entry("failure_kind", &self.failure_kind)?;
        document.serialize_entry("tool", &Each(tool))?;
        document.serialize_entry("session", &self.session)?;
        document.serialize_entry("duration_ms", &Each(duration_ms))?;
        document.serialize_entry("signature", &self.signature)?;
        document.serialize_entry("texts", &Each(texts))?;
        document.serialize_entry("tools", &self.tools)?;
        document.serialize_entry("sessions", &self.sessions)?;
        if !self.usage.is_empty() {
            document.serialize_entry("usage", &self.usage)?;
        }
        document.end()
    }

    /// Reads the written form back.
    pub(crate) fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let document: Document = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        check(&document)?;
        let mut log = Self {
            timestamp_us: document.timestamp_us,
            kind: document.kind,
            outcome: document.outcome,
            failure_kind: document.failure_kind,
            tool: document.tool.into_iter().map(|tool| tool.unwrap_or(NO_TOOL)).collect(),
            session: document.session,
            duration_ms: document.duration_ms.into_iter().map(|ms| ms.unwrap_or(f64::NAN)).collect(),
            signature: document.signature,
            tools: document.tools,
            sessions: document.sessions,
            usage: document.usage,
            ..Self::default()
        };
        for text in document.texts {
            log.heap.extend_from_slice(text.as_bytes());
            log.text_ends.push(log.heap.len());
        }
        Ok(log)
    }
}

/// Counts the bytes that are written to it.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The items of an iterator, written as a list.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

fn check(document: &Document) -> Result<(), String> {
    let events = document.kind.len();
    let lengths = [
        ("timestamp_us", document.timestamp_us.len()),
        ("outcome", document.outcome.len()),
        ("failure_kind", document.failure_kind.len()),
        ("tool", document.tool.len()),
        ("session", document.session.len()),
        ("duration_ms", document.duration_ms.len()),
        ("signature", document.signature.len()),
        ("half of texts", document.texts.len() / 2),
    ];
    if let Some((name, length)) = lengths.iter().find(|(_, length)| *length != events) {
        return Err(format!("the run log has {events} events, and {name} has {length}"));
    }
    let within = |column: &[u8], most: u8| column.iter().all(|position| *position <= most);
    let named = |at: Option<u32>, names: usize| at.is_none_or(|at| (at as usize) < names);
    let fits = document.texts.len().is_multiple_of(2)
        && within(&document.kind, 4)
        && within(&document.outcome, 5)
        && within(&document.failure_kind, 13)
        && document.tool.iter().all(|tool| named(*tool, document.tools.len()))
        && document.usage.fits(events)
        && document.session.iter().all(|session| named(Some(*session), document.sessions.len()));
    if fits { Ok(()) } else { Err("the run log has a number out of its range".to_owned()) }
}

#[cfg(test)]
mod tests {
    use gephost_core::run_event::from_disk_line;

    use super::*;

    fn log() -> RunLog {
        let lines = [
            r#"{"event_type":"tool_start","session_key":"s","tool_name":"Bash","input":"make é"}"#,
            r#"{"event_type":"tool_end","session_key":"s","tool_name":"Bash","duration_ms":1.5,"success":false,"error":"x"}"#,
            r#"{"event_type":"inbound_msg","session_key":"t","preview":"hi","timestamp":"2026-02-18T10:00:00Z","usage":{"input_tokens":3},"model":"m"}"#,
        ];
        RunLog::new(lines.map(|line| from_disk_line(line, 1).unwrap()))
    }

    #[test]
    fn what_is_written_reads_back_to_the_same_bytes() {
        let written = log().written().unwrap();
        let back = RunLog::from_json(written.bytes()).unwrap();
        assert_eq!(back.written().unwrap().bytes(), written.bytes());
        assert_eq!((back.len(), &back.heap, &back.text_ends), (3, &log().heap, &log().text_ends));
        assert!(back.duration_ms[0].is_nan() && back.tool[2] == NO_TOOL);
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let text = String::from_utf8(log().written().unwrap().bytes().to_vec()).unwrap();
        for (from, to) in [
            ("\"kind\":[2,3,0]", "\"kind\":[2,3]"),
            ("\"kind\":[2,3,0]", "\"kind\":[2,3,9]"),
            ("\"session\":[0,0,1]", "\"session\":[0,0,2]"),
            ("\"tool\":[0,0,null]", "\"tool\":[0,7,null]"),
            ("\"tools\":[\"Bash\"]", "\"tools\":[]"),
            ("\"texts\":[", "\"texts\":[\"one too many\","),
            ("\"signature\"", "\"unknown\""),
            ("\"event\":[2]", "\"event\":[3]"),
            ("\"input\":[3]", "\"input\":[]"),
            ("\"models\":[\"m\"]", "\"models\":[]"),
        ] {
            assert!(text.contains(from), "{from} is not in {text}");
            assert!(RunLog::from_json(text.replace(from, to).as_bytes()).is_err(), "{to}");
        }
    }
}

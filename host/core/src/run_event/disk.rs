//! The form of a [`RunEvent`] on disk: one JSON object a line. The nine fields of seed 004 section 3.1 come first, with
//! nulls written out. gephost's own keys follow, so that reading a line back loses nothing that a gene sees.
//!
//! Other tools read the first nine fields. gephost reads lines that other tools wrote, which lack its own keys, and
//! lines of later versions, whose unknown keys it ignores. The caller redacts what is read, because another tool may
//! have written it.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{EventType, FailureKind, Outcome, RunEvent, Spent, Usage};
use crate::text::clip;

/// Most characters of `error` and `preview` unless the config sets another limit (seed 004 section 4).
pub const LOG_MAX_CHARS: usize = 500;

/// Why a line cannot be read as an event.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The line is not JSON, or does not have the fields of an event.
    #[error("not a run event: {0}")]
    Malformed(#[from] serde_json::Error),
}

#[derive(Serialize)]
struct Written<'a> {
    timestamp: Option<String>,
    session_key: &'a str,
    event_type: EventType,
    channel: Option<&'a str>,
    tool_name: Option<&'a str>,
    duration_ms: Option<f64>,
    success: Option<bool>,
    error: Option<Cow<'a, str>>,
    preview: Option<Cow<'a, str>>,
    call_id: Option<&'a str>,
    outcome: Option<Outcome>,
    kind: Option<FailureKind>,
    flagged: bool,
    input: Option<&'a str>,
    output: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<&'a Usage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "is_zero")]
    line: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(line: &u64) -> bool {
    *line == 0
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow, default)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    session_key: Option<Cow<'a, str>>,
    event_type: EventType,
    #[serde(borrow, default)]
    channel: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_name: Option<Cow<'a, str>>,
    #[serde(default)]
    duration_ms: Option<f64>,
    #[serde(default)]
    success: Option<bool>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    preview: Option<String>,
    #[serde(borrow, default)]
    call_id: Option<Cow<'a, str>>,
    #[serde(default)]
    outcome: Option<Outcome>,
    #[serde(default)]
    kind: Option<FailureKind>,
    #[serde(default)]
    flagged: Option<bool>,
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    output: Option<String>,
    /// Other tools may use these two keys for something else, so they are parsed later.
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Option<&'a RawValue>,
    #[serde(default)]
    line: Option<u64>,
}

/// The event as one line without a line end. `error` and `preview` are clipped to `log_max_chars` characters.
#[expect(clippy::missing_panics_doc, reason = "plain fields always serialise")]
pub fn to_disk_line(event: &RunEvent, log_max_chars: usize) -> String {
    let failed = event.event_type == EventType::Exception || event.outcome == Some(Outcome::Failure);
    let shown = match event.event_type {
        EventType::ToolEnd | EventType::Exception => event.output.as_deref(),
        _ => event.input.as_deref(),
    };
    let written = Written {
        timestamp: event.timestamp.map(written_time),
        session_key: &event.session_key,
        event_type: event.event_type,
        channel: event.channel.as_deref(),
        tool_name: event.tool_name.as_deref(),
        duration_ms: event.duration_ms.filter(|ms| ms.is_finite()).map(|ms| (ms * 100.0).round() / 100.0),
        success: event.outcome.and_then(success_of),
        error: event.output.as_deref().filter(|_| failed).map(|text| clip(text, log_max_chars)),
        preview: shown.map(|text| clip(text, log_max_chars)),
        call_id: event.call_id.as_deref(),
        outcome: event.outcome,
        kind: event.kind,
        flagged: event.flagged,
        input: event.input.as_deref(),
        output: event.output.as_deref(),
        usage: event.spent.as_ref().map(|spent| &spent.usage),
        model: event.spent.as_ref().and_then(|spent| spent.model.as_deref()),
        line: event.line,
    };
    serde_json::to_string(&written).expect("plain fields with string keys always serialise")
}

/// Reads one line. A missing field is empty. If gephost's own keys are missing, they are derived from the seed's
/// fields. `line` is the number of this line in its file; it is used if the event does not name a line of its log.
pub fn from_disk_line(text: &str, line: u64) -> Result<RunEvent, DiskError> {
    let read: Read<'_> = serde_json::from_str(text)?;
    let exception = read.event_type == EventType::Exception;
    let ended = read.event_type == EventType::ToolEnd;
    let failed = exception || read.success == Some(false);
    let shown_is_output = exception || ended;
    let outcome = read.outcome.or_else(|| ended.then_some(read.success).flatten().map(outcome_of));
    let (shown_in, shown_out) = if shown_is_output { (None, read.preview) } else { (read.preview, None) };
    Ok(RunEvent {
        timestamp: read.timestamp.as_deref().and_then(read_time),
        session_key: Arc::from(read.session_key.as_deref().unwrap_or_default()),
        event_type: read.event_type,
        channel: read.channel.as_deref().map(Arc::from),
        tool_name: read.tool_name.as_deref().map(Arc::from),
        call_id: read.call_id.as_deref().map(Arc::from),
        duration_ms: read.duration_ms.filter(|ms| ms.is_finite() && *ms >= 0.0),
        outcome,
        kind: read.kind,
        flagged: exception || read.flagged.unwrap_or(failed && ended),
        input: read.input.or(shown_in),
        output: read.output.or(read.error).or(shown_out),
        spent: read.usage.and_then(|usage| spent(usage, read.model)).map(Box::new),
        line: read.line.unwrap_or(line),
    })
}

/// The usage and model, if the two keys have gephost's form.
fn spent(usage: &RawValue, model: Option<&RawValue>) -> Option<Spent> {
    let usage: Usage = serde_json::from_str(usage.get()).ok()?;
    let model = model.and_then(|raw| serde_json::from_str::<Cow<'_, str>>(raw.get()).ok());
    (!usage.is_nothing()).then(|| Spent { usage, model: model.as_deref().map(Arc::from) })
}

/// The format of Geneclaw's recorder: microseconds, and the offset as `+00:00`.
fn written_time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

/// Reads RFC 3339. A time without an offset is read as UTC.
fn read_time(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })
}

/// Only success and failure map to a boolean. A call that the user rejected is neither.
fn success_of(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Success => Some(true),
        Outcome::Failure => Some(false),
        Outcome::Rejected | Outcome::Cascade | Outcome::Unfinished => None,
    }
}

fn outcome_of(success: bool) -> Outcome {
    if success { Outcome::Success } else { Outcome::Failure }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end() -> RunEvent {
        RunEvent {
            timestamp: "2026-02-18T10:00:00.5Z".parse().ok(),
            session_key: Arc::from("cli:1"),
            event_type: EventType::ToolEnd,
            channel: None,
            tool_name: Some(Arc::from("exec")),
            call_id: Some(Arc::from("c1")),
            duration_ms: Some(12.345_678),
            outcome: Some(Outcome::Failure),
            kind: Some(FailureKind::Timeout),
            flagged: true,
            input: Some("make test".to_owned()),
            output: Some("x".repeat(600)),
            spent: None,
            line: 7,
        }
    }

    #[test]
    fn writes_the_seed_fields_first_with_nulls() {
        let line = to_disk_line(&end(), LOG_MAX_CHARS);
        assert!(line.starts_with(
            r#"{"timestamp":"2026-02-18T10:00:00.500000+00:00","session_key":"cli:1","event_type":"tool_end","channel":null,"tool_name":"exec","duration_ms":12.35,"success":false,"error":"xxx"#
        ));
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["error"].as_str().unwrap().chars().count(), LOG_MAX_CHARS);
    }

    #[test]
    fn reading_back_loses_nothing() {
        let back = from_disk_line(&to_disk_line(&end(), LOG_MAX_CHARS), 7).unwrap();
        assert_eq!(back, RunEvent { duration_ms: Some(12.35), ..end() });
    }

    #[test]
    fn what_was_spent_survives_and_what_is_not_ours_is_passed_over() {
        let usage = Usage { input_tokens: Some(u64::MAX), output_tokens: Some(0), ..Usage::default() };
        for model in [None, Some(Arc::from("m-1"))] {
            let spent = Some(Box::new(Spent { usage, model }));
            let event = RunEvent { duration_ms: None, spent, ..end() };
            assert_eq!(from_disk_line(&to_disk_line(&event, LOG_MAX_CHARS), 7).unwrap(), event);
        }
        assert!(!to_disk_line(&end(), LOG_MAX_CHARS).contains("usage"), "absent where nothing is known");
        for foreign in [r#""usage":"much","model":7"#, r#""usage":{"input_tokens":-1}"#, r#""usage":null,"model":"m""#]
        {
            let line = format!(r#"{{"event_type":"outbound_msg",{foreign}}}"#);
            assert_eq!(from_disk_line(&line, 1).unwrap().spent, None, "{foreign}");
        }
    }

    #[test]
    fn every_outcome_and_type_survives() {
        use Outcome::{Cascade, Rejected, Success, Unfinished};
        for outcome in [None, Some(Success), Some(Outcome::Failure), Some(Rejected), Some(Cascade), Some(Unfinished)] {
            let event = RunEvent { outcome, duration_ms: None, ..end() };
            assert_eq!(from_disk_line(&to_disk_line(&event, 10), 7).unwrap(), event);
        }
    }

    #[test]
    fn reads_the_seed_form_without_newer_fields() {
        let seed = r#"{"timestamp":"2026-02-18T10:00:00.000001+00:00","session_key":"telegram:1","event_type":"tool_end","channel":null,"tool_name":"web_search","duration_ms":3412.0,"success":false,"error":"timeout","preview":null}"#;
        let event = from_disk_line(seed, 1).unwrap();
        assert_eq!(event.outcome, Some(Outcome::Failure));
        assert!(event.flagged);
        assert_eq!(event.output.as_deref(), Some("timeout"));

        let bare = from_disk_line(r#"{"event_type":"inbound_msg","preview":"hi","later":[1]}"#, 1).unwrap();
        assert_eq!(bare.input.as_deref(), Some("hi"));
        assert_eq!(bare.timestamp, None);
        assert!(!bare.flagged);
    }

    #[test]
    fn local_times_are_utc() {
        let event = from_disk_line(r#"{"event_type":"exception","timestamp":"2026-02-18T10:00:00","error":"x"}"#, 1);
        assert_eq!(event.unwrap().timestamp, "2026-02-18T10:00:00Z".parse().ok());
    }

    #[test]
    fn what_is_no_event_is_refused() {
        for text in ["", "[]", "{}", r#"{"event_type":"other"}"#, r#"{"event_type":"tool_end","success":3}"#] {
            assert!(from_disk_line(text, 1).is_err(), "{text}");
        }
    }
}

//! Those parts of OTLP's protobuf messages that the reader of OTLP uses. A request is split into records by their
//! length prefixes, and each record is converted to JSON.
//!
//! Invariant: apart from the body, only one record is held in memory. Two bytes can encode an empty message that takes
//! a hundred bytes in memory, so a request is never decoded as a whole.

use gephost_core::digest;
use prost::{DecodeError, Message, Oneof};
use serde::{Serialize, Serializer};

use crate::encoding::Signal;

/// Longest record that is decoded, in bytes.
pub(crate) const MAX_RECORD_BYTES: usize = 2 << 20;

/// Field numbers on the path to the records, the same for spans and log records: `resource_*`, `scope_*`, and the
/// record.
const RECORD_PATH: [u64; 3] = [1, 2, 2];

/// The body is not a valid message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed;

/// One record of a request.
pub(crate) enum Record {
    /// The record as JSON.
    Json(Vec<u8>),
    /// The record is longer than [`MAX_RECORD_BYTES`].
    Overlong,
    /// The record cannot be decoded.
    Broken,
}

/// Whether the messages around the records are complete.
pub(crate) fn check(body: &[u8]) -> Result<(), Malformed> {
    for_each_field(body, &RECORD_PATH, &mut |_| {})
}

/// Passes on every record of a request. An error means that a message around the records is malformed; the records
/// before that place have been passed on.
pub(crate) fn records(signal: Signal, body: &[u8], take: &mut dyn FnMut(Record)) -> Result<(), Malformed> {
    for_each_field(body, &RECORD_PATH, &mut |record| {
        let json = match signal {
            _ if record.len() > MAX_RECORD_BYTES => return take(Record::Overlong),
            Signal::Spans => Span::decode(record).map(|span| serde_json::to_vec(&span)),
            Signal::LogRecords => LogRecord::decode(record).map(|record| serde_json::to_vec(&record)),
        };
        take(match json {
            Ok(Ok(json)) => Record::Json(json),
            Ok(Err(_)) | Err(_) => Record::Broken,
        });
    })
}

/// Finds the fields at a path of field numbers, through nested messages.
fn for_each_field(mut message: &[u8], path: &[u64], take: &mut dyn FnMut(&[u8])) -> Result<(), Malformed> {
    let Some((wanted, deeper)) = path.split_first() else {
        take(message);
        return Ok(());
    };
    while !message.is_empty() {
        let key = number(&mut message)?;
        let length = match key & 7 {
            0 => {
                number(&mut message)?;
                continue;
            }
            1 => 8,
            2 => usize::try_from(number(&mut message)?).map_err(|_| Malformed)?,
            5 => 4,
            _ => return Err(Malformed),
        };
        let (field, rest) = message.split_at_checked(length).ok_or(Malformed)?;
        message = rest;
        if key & 7 == 2 && key >> 3 == *wanted {
            for_each_field(field, deeper, take)?;
        }
    }
    Ok(())
}

/// Reads a variable-length number.
fn number(message: &mut &[u8]) -> Result<u64, Malformed> {
    let length = prost::decode_length_delimiter(&mut *message).map_err(|_: DecodeError| Malformed)?;
    u64::try_from(length).map_err(|_| Malformed)
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    #[prost(bytes = "vec", tag = "1")]
    #[serde(serialize_with = "hexadecimal")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    #[serde(rename = "spanId", serialize_with = "hexadecimal")]
    id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(fixed64, tag = "7")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "11")]
    events: Vec<SpanEvent>,
    #[prost(message, optional, tag = "15")]
    status: Option<SpanStatus>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct SpanEvent {
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct SpanStatus {
    #[prost(string, tag = "2")]
    message: String,
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogRecord {
    #[prost(fixed64, tag = "1")]
    time_unix_nano: u64,
    #[prost(message, optional, tag = "5")]
    body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<KeyValue>,
    #[prost(fixed64, tag = "11")]
    observed_time_unix_nano: u64,
    #[prost(string, tag = "12")]
    event_name: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(transparent)]
struct AnyValue {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5, 6")]
    value: Option<Value>,
}

/// Byte values (tag 7) are not read.
#[derive(Clone, PartialEq, Oneof, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "the names are the format's")]
enum Value {
    #[prost(string, tag = "1")]
    StringValue(String),
    #[prost(bool, tag = "2")]
    BoolValue(bool),
    #[prost(int64, tag = "3")]
    IntValue(i64),
    #[prost(double, tag = "4")]
    DoubleValue(f64),
    #[prost(message, tag = "5")]
    ArrayValue(ArrayValue),
    #[prost(message, tag = "6")]
    KvlistValue(KeyValueList),
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct KeyValueList {
    #[prost(message, repeated, tag = "1")]
    values: Vec<KeyValue>,
}

fn hexadecimal<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&digest::hex(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A length-delimited field with this tag, which holds a message or a text.
    fn field(tag: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![tag << 3 | 2];
        prost::encode_length_delimiter(content.len(), &mut bytes).unwrap();
        bytes.extend_from_slice(content);
        bytes
    }

    fn request(record: &[u8]) -> Vec<u8> {
        field(1, &[field(1, b"resource"), field(2, &[field(1, b"scope"), field(2, record)].concat())].concat())
    }

    fn read(signal: Signal, body: &[u8]) -> (Vec<Result<String, &'static str>>, Result<(), Malformed>) {
        let mut found = Vec::new();
        let result = records(signal, body, &mut |record| {
            found.push(match record {
                Record::Json(json) => Ok(String::from_utf8(json).unwrap()),
                Record::Overlong => Err("overlong"),
                Record::Broken => Err("broken"),
            });
        });
        (found, result)
    }

    #[test]
    fn a_span_becomes_the_json_that_it_stands_for() {
        let list = KeyValueList { values: vec![KeyValue { key: "n".to_owned(), value: None }] };
        let value = |value| Some(AnyValue { value: Some(value) });
        let span = Span {
            trace_id: vec![0, 0xab],
            id: vec![1],
            name: "execute_tool x".to_owned(),
            start_time_unix_nano: u64::MAX,
            end_time_unix_nano: 7,
            attributes: vec![
                KeyValue { key: "a".to_owned(), value: value(Value::IntValue(-3)) },
                KeyValue { key: "b".to_owned(), value: value(Value::KvlistValue(list)) },
            ],
            events: vec![SpanEvent { name: "exception".to_owned(), attributes: Vec::new() }],
            status: Some(SpanStatus { message: "no".to_owned(), code: 2 }),
        };
        let (found, result) = read(Signal::Spans, &[request(&span.encode_to_vec()), request(b"")].concat());
        assert_eq!(result, Ok(()));
        let wanted = r#"{"traceId":"00ab","spanId":"01","name":"execute_tool x","startTimeUnixNano":18446744073709551615,"endTimeUnixNano":7,"attributes":[{"key":"a","value":{"intValue":-3}},{"key":"b","value":{"kvlistValue":{"values":[{"key":"n","value":null}]}}}],"events":[{"name":"exception","attributes":[]}],"status":{"message":"no","code":2}}"#;
        assert_eq!(found[0].as_deref(), Ok(wanted));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn unknown_fields_are_passed_over_and_a_broken_record_is_told_apart() {
        let with_others =
            [vec![8, 0xff, 1], vec![17; 1], vec![0; 8], vec![29, 0, 0, 0, 0], request(&[0x0a, 200])].concat();
        let (found, result) = read(Signal::LogRecords, &with_others);
        assert_eq!((found, result), (vec![Err("broken")], Ok(())));
        let long = vec![0; MAX_RECORD_BYTES + 1];
        assert_eq!(read(Signal::Spans, &request(&long)).0, [Err("overlong")]);
    }

    #[test]
    fn what_is_no_message_is_malformed() {
        for body in [&b"hello there"[..], &[0x0a, 5, 0], &[0x0b], &[0xff; 12], &[9, 0, 0], br#"{"resourceSpans":[]}"#] {
            assert_eq!(read(Signal::Spans, body).1, Err(Malformed), "{body:?}");
        }
    }

    #[test]
    fn any_depth_of_values_comes_to_an_end() {
        let mut value = Vec::new();
        for _ in 0..20_000 {
            value = field(5, &field(1, &value));
        }
        let record = field(5, &value);
        assert_eq!(read(Signal::LogRecords, &request(&record)).0, [Err("broken")]);
    }
}

//! The bytes that the queue keeps in NATS: a record for each key, and the messages of the stream.
//!
//! A first byte says which kind it is, so that bytes of something else are distinguished.

/// Bytes, or the object that holds them because they are too many for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    Inline(Vec<u8>),
    Object(String),
}

/// What is known of a job that was leased at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Record {
    /// How many leases there were. The last one holds, is over or was given back.
    Leased(u32),
    Done(Body),
    GivenUp(String),
}

impl Body {
    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Inline(bytes) => tagged(b'i', bytes),
            Self::Object(name) => tagged(b'o', name.as_bytes()),
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (b'i', bytes) => Some(Self::Inline(bytes.to_vec())),
            (b'o', name) => Some(Self::Object(text(name)?)),
            _ => None,
        }
    }
}

impl Record {
    /// Whether the job has ended.
    pub(super) fn is_end(&self) -> bool {
        !matches!(self, Self::Leased(_))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Leased(attempts) => tagged(b'L', attempts.to_string().as_bytes()),
            Self::Done(body) => tagged(b'D', &body.encode()),
            Self::GivenUp(reason) => tagged(b'G', reason.as_bytes()),
        }
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (b'L', attempts) => Some(Self::Leased(text(attempts)?.parse().ok()?)),
            (b'D', body) => Some(Self::Done(Body::decode(body)?)),
            (b'G', reason) => Some(Self::GivenUp(text(reason)?)),
            _ => None,
        }
    }
}

/// The message of a job: the length of its key, the key, and the job.
pub(super) fn pack(key: &str, job: &Body) -> Vec<u8> {
    [tagged(b'J', key.len().to_string().as_bytes()), tagged(b'\n', key.as_bytes()), job.encode()].concat()
}

/// The key and the job of a message; `None` if it is no message of this queue.
pub(super) fn unpack(message: &[u8]) -> Option<(String, Body)> {
    let rest = message.strip_prefix(b"J")?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (length, rest) = rest.split_at_checked(end)?;
    let (key, job) = rest.strip_prefix(b"\n")?.split_at_checked(text(length)?.parse().ok()?)?;
    Some((text(key)?, Body::decode(job)?))
}

fn tagged(tag: u8, bytes: &[u8]) -> Vec<u8> {
    [&[tag], bytes].concat()
}

fn text(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn body() -> impl Strategy<Value = Body> {
        prop_oneof![any::<Vec<u8>>().prop_map(Body::Inline), ".*".prop_map(Body::Object)]
    }

    fn record() -> impl Strategy<Value = Record> {
        prop_oneof![
            any::<u32>().prop_map(Record::Leased),
            body().prop_map(Record::Done),
            ".*".prop_map(Record::GivenUp)
        ]
    }

    proptest! {
        #[test]
        fn records_and_messages_are_read_as_they_were_written(record in record(), key in ".*", body in body()) {
            prop_assert_eq!(Record::decode(&record.encode()), Some(record));
            prop_assert_eq!(unpack(&pack(&key, &body)), Some((key, body)));
        }

        #[test]
        fn other_bytes_are_no_panic(bytes: Vec<u8>) {
            drop(Record::decode(&bytes));
            drop(unpack(&bytes));
            drop(unpack(&[b"J9\n", bytes.as_slice()].concat()));
        }
    }
}

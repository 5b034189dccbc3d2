//! Messages between processes of gephost: a length of eight bytes, then that many bytes.
//!
//! Neither side takes the other's word for a length: what is longer than the reader allows is an error before anything is
//! allocated, and memory grows with what has arrived.

use std::io::{self, BufWriter, Read, Write};

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that are asked for at once while a message arrives.
const PIECE: u64 = 1 << 20;

/// Sends bytes as one message.
pub(crate) fn send_bytes(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// How many bytes a value has as a message, its length not counted.
pub(crate) fn size(value: &impl Serialize) -> io::Result<u64> {
    postcard::experimental::serialized_size(value).map(|size| size as u64).map_err(io::Error::other)
}

/// Sends a value as one message. It is not in memory a second time: a run log has tens of megabytes.
pub(crate) fn send(to: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut to = BufWriter::new(to);
    let mut failed = None;
    let sent = to.write_all(&size(value)?.to_le_bytes()).and_then(|()| {
        let pieces = Pieces { to: &mut to, failed: &mut failed };
        let written = postcard::serialize_with_flavor(value, pieces);
        written.map_err(|error| failed.take().unwrap_or_else(|| io::Error::other(error)))
    });
    let sent = sent.and_then(|()| to.flush());
    // What could not be sent is not tried once more.
    let _ = to.into_parts();
    sent
}

/// A message that is sent as it is made.
struct Pieces<'a, W: Write> {
    to: &'a mut BufWriter<W>,
    failed: &'a mut Option<io::Error>,
}

impl<W: Write> Flavor for Pieces<'_, W> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.to.write_all(bytes).map_err(|error| {
            *self.failed = Some(error);
            postcard::Error::SerializeBufferFull
        })
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Receives one message of at most `limit` bytes.
pub(crate) fn receive_bytes(mut from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > limit {
        return Err(invalid(format!("a message of {length} bytes, and the limit is {limit}")));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(PIECE)).unwrap_or_default());
    while (bytes.len() as u64) < length {
        let wanted = PIECE.min(length - bytes.len() as u64);
        if (&mut from).take(wanted).read_to_end(&mut bytes)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(bytes)
}

/// Receives a value.
pub(crate) fn receive<T: DeserializeOwned>(from: impl Read, limit: u64) -> io::Result<T> {
    postcard::from_bytes(&receive_bytes(from, limit)?).map_err(|error| invalid(error.to_string()))
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_arrives() {
        for bytes in [vec![], vec![7], vec![1; 3_000_000]] {
            let mut pipe = Vec::new();
            send_bytes(&mut pipe, &bytes).unwrap();
            assert_eq!(receive_bytes(pipe.as_slice(), 3_000_000).unwrap(), bytes);
        }
    }

    #[test]
    fn a_value_arrives_and_an_error_of_the_channel_is_told() {
        let value = (7_u64, vec!["text".repeat(10_000); 3], Some(-1_i32));
        let mut pipe = Vec::new();
        send(&mut pipe, &value).unwrap();
        assert_eq!(pipe.len() as u64, 8 + size(&value).unwrap());
        assert_eq!(receive::<(u64, Vec<String>, Option<i32>)>(pipe.as_slice(), 1 << 20).unwrap(), value);
        let mut short = vec![0; 20_000];
        assert_eq!(send(short.as_mut_slice(), &value).unwrap_err().kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn a_length_is_not_believed() {
        let mut lie = u64::MAX.to_le_bytes().to_vec();
        assert_eq!(receive_bytes(lie.as_slice(), 1 << 30).unwrap_err().kind(), io::ErrorKind::InvalidData);
        lie = (1_u64 << 30).to_le_bytes().to_vec();
        assert_eq!(receive_bytes(lie.as_slice(), 1 << 30).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(receive::<String>([1, 0, 0, 0, 0, 0, 0, 0, 9].as_slice(), 10).is_err());
    }
}

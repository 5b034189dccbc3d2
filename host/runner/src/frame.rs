//! Messages between processes of gephost: a length of eight bytes, then that many bytes.
//!
//! Neither side takes the other's word for a length: what is longer than the reader allows is an error before anything is
//! allocated, and memory grows with what has arrived.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that are asked for at once while a message arrives.
const PIECE: u64 = 1 << 20;

/// Sends bytes as one message.
pub(crate) fn send_bytes(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Sends a value as one message.
pub(crate) fn send(to: impl Write, value: &impl Serialize) -> io::Result<()> {
    send_bytes(to, &postcard::to_allocvec(value).map_err(io::Error::other)?)
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
    fn a_length_is_not_believed() {
        let mut lie = u64::MAX.to_le_bytes().to_vec();
        assert_eq!(receive_bytes(lie.as_slice(), 1 << 30).unwrap_err().kind(), io::ErrorKind::InvalidData);
        lie = (1_u64 << 30).to_le_bytes().to_vec();
        assert_eq!(receive_bytes(lie.as_slice(), 1 << 30).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(receive::<String>([1, 0, 0, 0, 0, 0, 0, 0, 9].as_slice(), 10).is_err());
    }
}

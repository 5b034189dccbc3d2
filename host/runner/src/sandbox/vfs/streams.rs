//! A file as a stream. It is always ready. [`wasi_io`](crate::sandbox::wasi_io), through which every stream goes,
//! charges what is written.

use std::sync::Arc;

use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};
use wasmtime_wasi_io::async_trait;
use wasmtime_wasi_io::bytes::Bytes;

use super::bindings::wasi::filesystem::types::ErrorCode;
use super::node::{File, TooLarge};

/// Most bytes of one read, and of one write that a stream promises to take.
pub(crate) const CHUNK_BYTES: usize = 1 << 20;

/// Reads from an offset.
pub(crate) struct FileInput {
    pub(crate) file: Arc<File>,
    pub(crate) offset: u64,
}

/// Writes from an offset on, or always at the end.
pub(crate) struct FileOutput {
    pub(crate) file: Arc<File>,
    pub(crate) offset: Option<u64>,
}

#[async_trait]
impl Pollable for FileInput {
    async fn ready(&mut self) {}
}

#[async_trait]
impl InputStream for FileInput {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if size == 0 {
            return Ok(Bytes::new());
        }
        let (bytes, _) = self.file.read(self.offset, size.min(CHUNK_BYTES), Bytes::copy_from_slice);
        if bytes.is_empty() {
            return Err(StreamError::Closed);
        }
        self.offset += bytes.len() as u64;
        Ok(bytes)
    }
}

#[async_trait]
impl Pollable for FileOutput {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for FileOutput {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let written = match &mut self.offset {
            Some(offset) => self.file.write(*offset, &bytes).map(|end| *offset = end),
            None => self.file.append(&bytes),
        };
        written.map_err(|TooLarge| StreamError::LastOperationFailed(ErrorCode::FileTooLarge.into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(CHUNK_BYTES)
    }
}

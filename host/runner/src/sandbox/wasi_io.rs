//! `wasi:io` without an async runtime. Everything that a gene can wait for is ready at once or never.
//!
//! The traits of `wasmtime-wasi-io` are asynchronous. Here each future is polled once, and one that is not ready is a
//! trap, because nothing virtual becomes ready later.

use std::pin::pin;

use wasmtime::component::{HasData, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::sync::io::{poll, streams};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, DynPollable, StreamError, StreamResult};
use wasmtime_wasi::runtime::poll_noop;
use wasmtime_wasi_io::bindings::wasi::io::{poll as async_poll, streams as async_streams};

use super::budget::Meter;
use super::vfs::FileSystem;

/// The resources of one call, as the traits of `wasi:io` see them, and the meter that counts the bytes of streams.
pub(super) struct Io<'a> {
    pub(super) table: &'a mut ResourceTable,
    pub(super) meter: &'a mut Meter,
    pub(super) file_system: &'a FileSystem,
}

/// Tells a linker how to get them from the state of a call.
pub(super) struct HasIo;

impl HasData for HasIo {
    type Data<'a> = Io<'a>;
}

/// The same for the table alone.
pub(super) struct HasTable;

impl HasData for HasTable {
    type Data<'a> = &'a mut ResourceTable;
}

fn now<T>(future: impl Future<Output = wasmtime::Result<T>>) -> wasmtime::Result<T> {
    poll_noop(pin!(future)).unwrap_or_else(|| Err(never_ready()))
}

fn now_stream<T>(future: impl Future<Output = StreamResult<T>>) -> StreamResult<T> {
    poll_noop(pin!(future)).unwrap_or_else(|| Err(StreamError::Trap(never_ready())))
}

fn never_ready() -> wasmtime::Error {
    wasmtime::Error::msg("the gene waits for something that can never happen: a gene has no input except its imports")
}

impl Io<'_> {
    /// Counts bytes that are about to be printed or written to a file. Both are output.
    fn write(&mut self, bytes: u64) -> StreamResult<()> {
        self.meter.take(bytes).map_err(StreamError::Trap)
    }

    /// Counts what the previous write added beyond its own bytes: the gap in a file.
    fn settle(&mut self) -> StreamResult<()> {
        let unpaid = self.file_system.take_unpaid();
        self.meter.take(unpaid).map_err(StreamError::Trap)
    }

    /// Counts bytes that were copied from one stream to another: at most what one write takes.
    fn moved(&mut self, bytes: u64) -> StreamResult<u64> {
        self.write(bytes)?;
        self.settle()?;
        Ok(bytes)
    }

    /// Counts bytes that were read.
    fn hand_over(&mut self, bytes: Vec<u8>) -> StreamResult<Vec<u8>> {
        self.meter.hand_over(bytes.len() as u64).map_err(StreamError::Trap)?;
        Ok(bytes)
    }
}

impl poll::Host for Io<'_> {
    fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> {
        now(async_poll::Host::poll(self.table, pollables))
    }
}

impl poll::HostPollable for Io<'_> {
    fn ready(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<bool> {
        now(async_poll::HostPollable::ready(self.table, pollable))
    }

    fn block(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        now(async_poll::HostPollable::block(self.table, pollable))
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        async_poll::HostPollable::drop(self.table, pollable)
    }
}

impl streams::Host for Io<'_> {
    fn convert_stream_error(&mut self, error: StreamError) -> wasmtime::Result<streams::StreamError> {
        Ok(async_streams::Host::convert_stream_error(self.table, error)?.into())
    }
}

impl streams::HostInputStream for Io<'_> {
    fn drop(&mut self, stream: Resource<DynInputStream>) -> wasmtime::Result<()> {
        now(async_streams::HostInputStream::drop(self.table, stream))
    }

    fn read(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        let bytes = async_streams::HostInputStream::read(self.table, stream, len)?;
        self.hand_over(bytes)
    }

    fn blocking_read(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        let bytes = now_stream(async_streams::HostInputStream::blocking_read(self.table, stream, len))?;
        self.hand_over(bytes)
    }

    fn skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        async_streams::HostInputStream::skip(self.table, stream, len)
    }

    fn blocking_skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        now_stream(async_streams::HostInputStream::blocking_skip(self.table, stream, len))
    }

    fn subscribe(&mut self, stream: Resource<DynInputStream>) -> wasmtime::Result<Resource<DynPollable>> {
        async_streams::HostInputStream::subscribe(self.table, stream)
    }
}

impl streams::HostOutputStream for Io<'_> {
    fn drop(&mut self, stream: Resource<DynOutputStream>) -> wasmtime::Result<()> {
        now(async_streams::HostOutputStream::drop(self.table, stream))
    }

    fn check_write(&mut self, stream: Resource<DynOutputStream>) -> StreamResult<u64> {
        async_streams::HostOutputStream::check_write(self.table, stream)
    }

    fn write(&mut self, stream: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> {
        self.write(bytes.len() as u64)?;
        async_streams::HostOutputStream::write(self.table, stream, bytes)?;
        self.settle()
    }

    fn blocking_write_and_flush(&mut self, stream: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> {
        self.write(bytes.len() as u64)?;
        now_stream(async_streams::HostOutputStream::blocking_write_and_flush(self.table, stream, bytes))?;
        self.settle()
    }

    fn blocking_write_zeroes_and_flush(&mut self, stream: Resource<DynOutputStream>, len: u64) -> StreamResult<()> {
        self.write(len)?;
        now_stream(async_streams::HostOutputStream::blocking_write_zeroes_and_flush(self.table, stream, len))?;
        self.settle()
    }

    fn subscribe(&mut self, stream: Resource<DynOutputStream>) -> wasmtime::Result<Resource<DynPollable>> {
        async_streams::HostOutputStream::subscribe(self.table, stream)
    }

    fn write_zeroes(&mut self, stream: Resource<DynOutputStream>, len: u64) -> StreamResult<()> {
        self.write(len)?;
        async_streams::HostOutputStream::write_zeroes(self.table, stream, len)?;
        self.settle()
    }

    fn flush(&mut self, stream: Resource<DynOutputStream>) -> StreamResult<()> {
        async_streams::HostOutputStream::flush(self.table, stream)
    }

    fn blocking_flush(&mut self, stream: Resource<DynOutputStream>) -> StreamResult<()> {
        now_stream(async_streams::HostOutputStream::blocking_flush(self.table, stream))
    }

    fn splice(&mut self, to: Resource<DynOutputStream>, from: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        let moved = async_streams::HostOutputStream::splice(self.table, to, from, len)?;
        self.moved(moved)
    }

    fn blocking_splice(
        &mut self,
        to: Resource<DynOutputStream>,
        from: Resource<DynInputStream>,
        len: u64,
    ) -> StreamResult<u64> {
        let moved = now_stream(async_streams::HostOutputStream::blocking_splice(self.table, to, from, len))?;
        self.moved(moved)
    }
}

//! Every function of WASI that a gene can call, as the trace keeps it. Each calls the function itself, in
//! [`vfs`](super::vfs), [`wasi_io`](super::wasi_io), [`wasi_clock`](super::wasi_clock) or `wasmtime-wasi`, and returns what that returns.

use std::marker::PhantomData;

use wasmtime::component::{HasData, Resource, ResourceTable};
use wasmtime_wasi::cli::WasiCliCtxView;
use wasmtime_wasi::clocks::WasiClocksCtxView;
use wasmtime_wasi::p2::bindings::cli::{environment, exit, stderr, stdin, stdout};
use wasmtime_wasi::p2::bindings::cli::{
    terminal_input, terminal_output, terminal_stderr, terminal_stdin, terminal_stdout,
};
use wasmtime_wasi::p2::bindings::clocks::{monotonic_clock, wall_clock};
use wasmtime_wasi::p2::bindings::random::{insecure, insecure_seed, random};
use wasmtime_wasi::p2::bindings::sync::io::{poll, streams};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, DynPollable, StreamError, StreamResult};
use wasmtime_wasi::random::WasiRandomCtx;
use wasmtime_wasi_io::bindings::wasi::io::error;

use super::trace::Trace;
use super::vfs::filesystem::{preopens, types};
use super::vfs::{Descriptor, FileError, Listing, View};
use super::wasi_clock::ClockView;
use super::wasi_io::Io;
use values::{Shown, arguments};

mod values;

/// What implements an interface, and the trace of its calls.
pub(super) struct Traced<T> {
    pub(super) inner: T,
    pub(super) trace: Trace,
}

/// Tells a linker that the state of a call gives a [`Traced`].
pub(super) struct HasTraced<D>(PhantomData<D>);

impl<D: HasData> HasData for HasTraced<D> {
    type Data<'a> = Traced<D::Data<'a>>;
}

/// Implements an interface for `Traced` of what implements it.
macro_rules! traced {
    (impl $module:ident::$interface:ident for $inner:ty { $(fn $function:ident($($argument:ident: $kind:ty),*) -> $answer:ty = $name:literal;)* }) => {
        impl $module::$interface for Traced<$inner> {
            $(fn $function(&mut self, $($argument: $kind),*) -> $answer {
                let begun = self.trace.begin(|| arguments(&[$(&$argument as &dyn Shown),*]));
                let answer = $module::$interface::$function(&mut self.inner, $($argument),*);
                self.trace.end(begun, concat!("wasi:", $name), &answer);
                answer
            })*
        }
    };
}

type Answer<T> = Result<T, FileError>;
type Descr = Resource<Descriptor>;

impl types::Host for Traced<View<'_>> {
    // No function of the guest's.
    fn convert_error_code(&mut self, error: FileError) -> wasmtime::Result<types::ErrorCode> {
        types::Host::convert_error_code(&mut self.inner, error)
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<types::ErrorCode>> {
        let begun = self.trace.begin(|| arguments(&[&error]));
        let answer = types::Host::filesystem_error_code(&mut self.inner, error);
        self.trace.end(begun, "wasi:filesystem.filesystem-error-code", &answer);
        answer
    }
}

traced! {
    impl types::HostDescriptor for View<'_> {
        fn read_via_stream(fd: Descr, offset: u64) -> Answer<Resource<DynInputStream>> = "filesystem.read-via-stream";
        fn write_via_stream(fd: Descr, offset: u64) -> Answer<Resource<DynOutputStream>> = "filesystem.write-via-stream";
        fn append_via_stream(fd: Descr) -> Answer<Resource<DynOutputStream>> = "filesystem.append-via-stream";
        fn advise(fd: Descr, offset: u64, length: u64, advice: types::Advice) -> Answer<()> = "filesystem.advise";
        fn sync_data(fd: Descr) -> Answer<()> = "filesystem.sync-data";
        fn get_flags(fd: Descr) -> Answer<types::DescriptorFlags> = "filesystem.get-flags";
        fn get_type(fd: Descr) -> Answer<types::DescriptorType> = "filesystem.get-type";
        fn set_size(fd: Descr, size: u64) -> Answer<()> = "filesystem.set-size";
        fn set_times(fd: Descr, accessed: types::NewTimestamp, modified: types::NewTimestamp) -> Answer<()> = "filesystem.set-times";
        fn read(fd: Descr, length: u64, offset: u64) -> Answer<(Vec<u8>, bool)> = "filesystem.read";
        fn write(fd: Descr, buffer: Vec<u8>, offset: u64) -> Answer<u64> = "filesystem.write";
        fn read_directory(fd: Descr) -> Answer<Resource<Listing>> = "filesystem.read-directory";
        fn sync(fd: Descr) -> Answer<()> = "filesystem.sync";
        fn create_directory_at(fd: Descr, path: String) -> Answer<()> = "filesystem.create-directory-at";
        fn stat(fd: Descr) -> Answer<types::DescriptorStat> = "filesystem.stat";
        fn stat_at(fd: Descr, flags: types::PathFlags, path: String) -> Answer<types::DescriptorStat> = "filesystem.stat-at";
        fn set_times_at(fd: Descr, flags: types::PathFlags, path: String, accessed: types::NewTimestamp, modified: types::NewTimestamp) -> Answer<()> = "filesystem.set-times-at";
        fn link_at(fd: Descr, flags: types::PathFlags, old_path: String, new_fd: Descr, new_path: String) -> Answer<()> = "filesystem.link-at";
        fn open_at(fd: Descr, flags: types::PathFlags, path: String, open: types::OpenFlags, rights: types::DescriptorFlags) -> Answer<Descr> = "filesystem.open-at";
        fn readlink_at(fd: Descr, path: String) -> Answer<String> = "filesystem.readlink-at";
        fn remove_directory_at(fd: Descr, path: String) -> Answer<()> = "filesystem.remove-directory-at";
        fn rename_at(fd: Descr, old_path: String, new_fd: Descr, new_path: String) -> Answer<()> = "filesystem.rename-at";
        fn symlink_at(fd: Descr, old_path: String, new_path: String) -> Answer<()> = "filesystem.symlink-at";
        fn unlink_file_at(fd: Descr, path: String) -> Answer<()> = "filesystem.unlink-file-at";
        fn is_same_object(a: Descr, b: Descr) -> wasmtime::Result<bool> = "filesystem.is-same-object";
        fn metadata_hash(fd: Descr) -> Answer<types::MetadataHashValue> = "filesystem.metadata-hash";
        fn metadata_hash_at(fd: Descr, flags: types::PathFlags, path: String) -> Answer<types::MetadataHashValue> = "filesystem.metadata-hash-at";
        fn drop(fd: Descr) -> wasmtime::Result<()> = "filesystem.drop-descriptor";
    }
}

traced! {
    impl types::HostDirectoryEntryStream for View<'_> {
        fn read_directory_entry(stream: Resource<Listing>) -> Answer<Option<types::DirectoryEntry>> = "filesystem.read-directory-entry";
        fn drop(stream: Resource<Listing>) -> wasmtime::Result<()> = "filesystem.drop-directory-entry-stream";
    }
}

traced! {
    impl preopens::Host for View<'_> {
        fn get_directories() -> wasmtime::Result<Vec<(Descr, String)>> = "filesystem.get-directories";
    }
}

impl streams::Host for Traced<Io<'_>> {
    // No function of the guest's.
    fn convert_stream_error(&mut self, error: StreamError) -> wasmtime::Result<streams::StreamError> {
        streams::Host::convert_stream_error(&mut self.inner, error)
    }
}

traced! {
    impl streams::HostInputStream for Io<'_> {
        fn drop(stream: Resource<DynInputStream>) -> wasmtime::Result<()> = "io.drop-input-stream";
        fn read(stream: Resource<DynInputStream>, length: u64) -> StreamResult<Vec<u8>> = "io.read";
        fn blocking_read(stream: Resource<DynInputStream>, length: u64) -> StreamResult<Vec<u8>> = "io.blocking-read";
        fn skip(stream: Resource<DynInputStream>, length: u64) -> StreamResult<u64> = "io.skip";
        fn blocking_skip(stream: Resource<DynInputStream>, length: u64) -> StreamResult<u64> = "io.blocking-skip";
        fn subscribe(stream: Resource<DynInputStream>) -> wasmtime::Result<Resource<DynPollable>> = "io.subscribe";
    }
}

traced! {
    impl streams::HostOutputStream for Io<'_> {
        fn drop(stream: Resource<DynOutputStream>) -> wasmtime::Result<()> = "io.drop-output-stream";
        fn check_write(stream: Resource<DynOutputStream>) -> StreamResult<u64> = "io.check-write";
        fn write(stream: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> = "io.write";
        fn blocking_write_and_flush(stream: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> = "io.blocking-write-and-flush";
        fn blocking_write_zeroes_and_flush(stream: Resource<DynOutputStream>, length: u64) -> StreamResult<()> = "io.blocking-write-zeroes-and-flush";
        fn subscribe(stream: Resource<DynOutputStream>) -> wasmtime::Result<Resource<DynPollable>> = "io.subscribe";
        fn write_zeroes(stream: Resource<DynOutputStream>, length: u64) -> StreamResult<()> = "io.write-zeroes";
        fn flush(stream: Resource<DynOutputStream>) -> StreamResult<()> = "io.flush";
        fn blocking_flush(stream: Resource<DynOutputStream>) -> StreamResult<()> = "io.blocking-flush";
        fn splice(to: Resource<DynOutputStream>, from: Resource<DynInputStream>, length: u64) -> StreamResult<u64> = "io.splice";
        fn blocking_splice(to: Resource<DynOutputStream>, from: Resource<DynInputStream>, length: u64) -> StreamResult<u64> = "io.blocking-splice";
    }
}

traced! {
    impl poll::Host for Io<'_> {
        fn poll(pollables: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> = "io.poll";
    }
}

traced! {
    impl poll::HostPollable for Io<'_> {
        fn ready(pollable: Resource<DynPollable>) -> wasmtime::Result<bool> = "io.ready";
        fn block(pollable: Resource<DynPollable>) -> wasmtime::Result<()> = "io.block";
        fn drop(pollable: Resource<DynPollable>) -> wasmtime::Result<()> = "io.drop-pollable";
    }
}

impl error::Host for Traced<&mut ResourceTable> {}

impl error::HostError for Traced<&mut ResourceTable> {
    fn drop(&mut self, error: Resource<wasmtime::Error>) -> wasmtime::Result<()> {
        let begun = self.trace.begin(|| arguments(&[&error]));
        let answer = error::HostError::drop(&mut *self.inner, error);
        self.trace.end(begun, "wasi:io.drop-error", &answer);
        answer
    }

    fn to_debug_string(&mut self, error: Resource<wasmtime::Error>) -> wasmtime::Result<String> {
        let begun = self.trace.begin(|| arguments(&[&error]));
        let answer = error::HostError::to_debug_string(&mut *self.inner, error);
        self.trace.end(begun, "wasi:io.to-debug-string", &answer);
        answer
    }
}

traced! {
    impl wall_clock::Host for WasiClocksCtxView<'_> {
        fn now() -> wasmtime::Result<wall_clock::Datetime> = "clocks.wall-clock.now";
        fn resolution() -> wasmtime::Result<wall_clock::Datetime> = "clocks.wall-clock.resolution";
    }
}

traced! {
    impl monotonic_clock::Host for ClockView<'_> {
        fn now() -> wasmtime::Result<u64> = "clocks.monotonic-clock.now";
        fn resolution() -> wasmtime::Result<u64> = "clocks.monotonic-clock.resolution";
        fn subscribe_instant(when: u64) -> wasmtime::Result<Resource<DynPollable>> = "clocks.subscribe-instant";
        fn subscribe_duration(duration: u64) -> wasmtime::Result<Resource<DynPollable>> = "clocks.subscribe-duration";
    }
}

traced! {
    impl random::Host for &mut WasiRandomCtx {
        fn get_random_bytes(length: u64) -> wasmtime::Result<Vec<u8>> = "random.get-random-bytes";
        fn get_random_u64() -> wasmtime::Result<u64> = "random.get-random-u64";
    }
}

traced! {
    impl insecure::Host for &mut WasiRandomCtx {
        fn get_insecure_random_bytes(length: u64) -> wasmtime::Result<Vec<u8>> = "random.get-insecure-random-bytes";
        fn get_insecure_random_u64() -> wasmtime::Result<u64> = "random.get-insecure-random-u64";
    }
}

traced! {
    impl insecure_seed::Host for &mut WasiRandomCtx {
        fn insecure_seed() -> wasmtime::Result<(u64, u64)> = "random.insecure-seed";
    }
}

traced! {
    impl environment::Host for WasiCliCtxView<'_> {
        fn get_environment() -> wasmtime::Result<Vec<(String, String)>> = "cli.get-environment";
        fn get_arguments() -> wasmtime::Result<Vec<String>> = "cli.get-arguments";
        fn initial_cwd() -> wasmtime::Result<Option<String>> = "cli.initial-cwd";
    }
}

traced! {
    impl exit::Host for WasiCliCtxView<'_> {
        fn exit(status: Result<(), ()>) -> wasmtime::Result<()> = "cli.exit";
        fn exit_with_code(code: u8) -> wasmtime::Result<()> = "cli.exit-with-code";
    }
}

traced! {
    impl stdin::Host for WasiCliCtxView<'_> {
        fn get_stdin() -> wasmtime::Result<Resource<DynInputStream>> = "cli.get-stdin";
    }
}

traced! {
    impl stdout::Host for WasiCliCtxView<'_> {
        fn get_stdout() -> wasmtime::Result<Resource<DynOutputStream>> = "cli.get-stdout";
    }
}

traced! {
    impl stderr::Host for WasiCliCtxView<'_> {
        fn get_stderr() -> wasmtime::Result<Resource<DynOutputStream>> = "cli.get-stderr";
    }
}

impl terminal_input::Host for Traced<WasiCliCtxView<'_>> {}
impl terminal_output::Host for Traced<WasiCliCtxView<'_>> {}

traced! {
    impl terminal_input::HostTerminalInput for WasiCliCtxView<'_> {
        fn drop(terminal: Resource<terminal_input::TerminalInput>) -> wasmtime::Result<()> = "cli.drop-terminal-input";
    }
}

traced! {
    impl terminal_output::HostTerminalOutput for WasiCliCtxView<'_> {
        fn drop(terminal: Resource<terminal_output::TerminalOutput>) -> wasmtime::Result<()> = "cli.drop-terminal-output";
    }
}

traced! {
    impl terminal_stdin::Host for WasiCliCtxView<'_> {
        fn get_terminal_stdin() -> wasmtime::Result<Option<Resource<terminal_stdin::TerminalInput>>> = "cli.get-terminal-stdin";
    }
}

traced! {
    impl terminal_stdout::Host for WasiCliCtxView<'_> {
        fn get_terminal_stdout() -> wasmtime::Result<Option<Resource<terminal_stdout::TerminalOutput>>> = "cli.get-terminal-stdout";
    }
}

traced! {
    impl terminal_stderr::Host for WasiCliCtxView<'_> {
        fn get_terminal_stderr() -> wasmtime::Result<Option<Resource<terminal_stderr::TerminalOutput>>> = "cli.get-terminal-stderr";
    }
}

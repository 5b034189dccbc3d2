//! A component's machine code, in a memory file that nobody can change any more: neither this process, nor a worker
//! that receives it, nor a program that writes to the cache meanwhile. So exactly the verified bytes run, without a
//! second copy.

#![expect(clippy::disallowed_methods, reason = "a memory file is opened again by its descriptor")]

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use wasmtime::Engine;
use wasmtime::component::Component;

/// The largest machine code of a component, in bytes (a Python gene's has 35 MB).
pub(super) const MAX_CODE: u64 = 512 << 20;

/// How often sealing is tried. The kernel refuses it while something of its own holds a page of the file, as on a busy machine,
/// and waits a moment before it does (`memfd_wait_for_pins`, mm/memfd.c).
const SEALING_TRIES: usize = 20;

/// Sealed machine code.
#[derive(Debug)]
pub(super) struct MachineCode(File);

/// Machine code that is being written.
pub(super) struct Draft(File);

impl Draft {
    /// An empty one.
    pub(super) fn new() -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        Ok(Self(memfd_create("gephost-machine-code", flags)?.into()))
    }

    /// Appends bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Seals it. It cannot be changed afterwards.
    pub(super) fn seal(self) -> io::Result<MachineCode> {
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
        let mut tries = (0..SEALING_TRIES).map(|_| fcntl_add_seals(&self.0, seals));
        tries.find(|sealed| *sealed != Err(Errno::BUSY)).unwrap_or(Err(Errno::BUSY))?;
        Ok(MachineCode(self.0))
    }
}

impl MachineCode {
    /// These bytes.
    pub(super) fn of(bytes: &[u8]) -> io::Result<Self> {
        let mut draft = Draft::new()?;
        draft.write(bytes)?;
        draft.seal()
    }

    /// A handle to the same file.
    pub(super) fn handle(&self) -> io::Result<File> {
        self.0.try_clone()
    }

    /// A reader from the start of the file. It does not move the position of other handles.
    pub(super) fn reader(&self) -> io::Result<impl io::Read> {
        File::open(descriptor_path(self.0.as_raw_fd()))
    }

    /// Loads the machine code into this process.
    pub(super) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        load(engine, self.0.as_raw_fd())
    }
}

/// Loads the sealed machine code behind a descriptor of this process.
#[expect(unsafe_code, reason = "the bytes come from our own compiler, or carry this user's MAC, and are sealed")]
pub(super) fn load(engine: &Engine, descriptor: i32) -> wasmtime::Result<Component> {
    // SAFETY: the file is the output of `precompile_component` of an engine with the same settings: either it was made a
    // moment ago, or its MAC was verified with a key that only this user can read. It is sealed, so it stays what it was.
    unsafe { Component::deserialize_file(engine, descriptor_path(descriptor)) }
}

/// The path of a descriptor. A memory file has no other name by which it can be opened again.
fn descriptor_path(descriptor: i32) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{descriptor}"))
}

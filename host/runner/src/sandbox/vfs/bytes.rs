//! The bytes of open files: they are read when they are needed and copied before the first write. Both are charged
//! first.

use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::recording::Decision;
use wasmtime::component::Resource;

use super::bindings::Descriptor;
use super::bindings::wasi::filesystem::types::{DescriptorFlags, ErrorCode};
use super::descriptor::Answer;
use super::file_system::View;
use super::node::{File, MAX_WRITTEN_BYTES, Times, TooLarge};
use crate::sandbox::ReadFailure;
use crate::sandbox::audit::Handed;
use crate::sandbox::files::ContentError;

impl From<ReadFailure> for ErrorCode {
    fn from(unread: ReadFailure) -> Self {
        match unread {
            ReadFailure::NotFound => Self::NoEntry,
            ReadFailure::Failed(_) => Self::Io,
        }
    }
}

impl View<'_> {
    /// An open file whose bytes are loaded.
    pub(super) fn readable(&mut self, descriptor: &Resource<Descriptor>) -> Answer<Arc<File>> {
        self.audit.begin();
        let descriptor = self.get(descriptor)?;
        let file = descriptor.file()?;
        if !descriptor.flags.contains(DescriptorFlags::READ) {
            return Err(ErrorCode::BadDescriptor.into());
        }
        self.load(file)?;
        Ok(Arc::clone(file))
    }

    /// Loads the bytes of a file, if they are not loaded. That counts as reading.
    pub(super) fn load(&mut self, file: &File) -> Answer<()> {
        if let Some(id) = file.unread_id() {
            let bytes = self.overlay()?.workspace().contents().bytes(id).map_err(|error| match error {
                ContentError::TooLarge(_) => ErrorCode::FileTooLarge,
                ContentError::Source(unread) => unread.into(),
            })?;
            self.meter.hold(bytes.bytes().len() as u64)?;
            let (contents, audit) = (Arc::clone(self.overlay()?.workspace()), &mut *self.audit);
            let path = contents.contents().path(id).as_str();
            audit.record(Capability::Workspace, "read-via-stream", path, Decision::Granted, Handed::Blob(&bytes));
            file.put(bytes.shared());
        }
        Ok(())
    }

    /// An open file that may be written to.
    pub(super) fn writable(&mut self, descriptor: &Resource<Descriptor>) -> Answer<Arc<File>> {
        self.audit.begin();
        let descriptor = self.get(descriptor)?;
        let file = descriptor.file()?;
        if !descriptor.flags.contains(DescriptorFlags::WRITE) {
            return Err(ErrorCode::BadDescriptor.into());
        }
        Ok(Arc::clone(file))
    }

    /// Copies the bytes of a file before the first write, which is charged.
    pub(super) fn make_own(&mut self, file: &File) -> Answer<()> {
        self.load(file)?;
        self.meter.take(file.copied_by_writing())?;
        file.write(0, &[]).map_err(|TooLarge| ErrorCode::FileTooLarge)?;
        self.modified(file)
    }

    /// Records a function that writes.
    pub(super) fn note_write(&mut self, function: &'static str, fd: &Resource<Descriptor>) -> Answer<()> {
        let path = self.get(fd)?.path;
        self.note(function, &path, Ok(()))
    }

    /// Sets the time of change of a file.
    pub(super) fn modified(&mut self, file: &File) -> Answer<()> {
        let modified = self.time_of_change()?;
        file.set_times(Times { modified, ..file.times() });
        Ok(())
    }

    /// Truncates a file, or extends it with zeroes, which are charged first.
    pub(super) fn resize(&mut self, file: &File, size: u64) -> Answer<()> {
        if size > MAX_WRITTEN_BYTES {
            return Err(ErrorCode::FileTooLarge.into());
        }
        if size > 0 {
            self.make_own(file)?;
        }
        self.meter.take(size.saturating_sub(file.size()))?;
        file.resize(size).map_err(|TooLarge| ErrorCode::FileTooLarge)?;
        self.modified(file)
    }
}

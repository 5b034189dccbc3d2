//! Open files and directories of a guest, and how paths are resolved from them.

use std::sync::Arc;

use wasmtime::component::Resource;

use super::bindings::wasi::filesystem::types::{DescriptorFlags, ErrorCode, PathFlags};
use super::bindings::{Descriptor, FileError, Object};
use super::file_system::View;
use super::mutate::At;
use super::node::File;
use super::overlay::{FileRef, Place};
use crate::sandbox::files::{self, Child};

/// The result of a function of `wasi:filesystem`.
pub(super) type Answer<T> = Result<T, FileError>;
/// The result of resolving a path.
pub(super) type Found = files::Place<Place, FileRef>;

impl Descriptor {
    pub(super) fn directory(place: Place, path: Arc<str>) -> Self {
        let flags = DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY;
        Self { object: Object::Directory(place), flags, path }
    }

    /// A path below this directory as the audit shows it. In `/workspace`, paths are shown from its root, as everywhere
    /// else.
    pub(super) fn spelled(&self, path: &str) -> String {
        if self.path.is_empty() { path.to_owned() } else { format!("{}/{path}", self.path) }
    }

    /// The file. An error for a directory.
    pub(super) fn file(&self) -> Result<&Arc<File>, ErrorCode> {
        match &self.object {
            Object::File(file) => Ok(file),
            Object::Directory(_) => Err(ErrorCode::IsDirectory),
        }
    }

    /// The directory. An error for a file.
    pub(super) fn place(&self) -> Result<Place, ErrorCode> {
        match self.object {
            Object::Directory(place) => Ok(place),
            Object::File(_) => Err(ErrorCode::NotDirectory),
        }
    }

    /// The open file or directory, as a walk would return it.
    pub(super) fn child(self) -> Child<Place, FileRef> {
        match self.object {
            Object::Directory(place) => Child::Directory(place),
            Object::File(file) => Child::File(FileRef::Own(file)),
        }
    }
}

/// The name at the end of a path. An error for a path that ends in `.` or `..`.
pub(super) fn name_of(found: &Found) -> Result<At<'_>, ErrorCode> {
    let name = found.name.as_deref().ok_or(ErrorCode::Busy)?;
    Ok(At { directory: found.directory, name })
}

impl View<'_> {
    /// The descriptor behind a handle.
    pub(super) fn get(&self, descriptor: &Resource<Descriptor>) -> Answer<Descriptor> {
        Ok(self.table.get(descriptor)?.clone())
    }

    /// Resolves a path from a directory. Counts as a host call.
    pub(super) fn walk(&mut self, from: &Resource<Descriptor>, path: &str, follow: bool) -> Answer<Found> {
        self.audit.begin();
        self.meter.host_call()?;
        let start = self.get(from)?.place()?;
        Ok(files::walk(self.overlay()?, start, path, follow)?)
    }

    /// The same, for a path that must exist.
    pub(super) fn walk_to(
        &mut self,
        from: &Resource<Descriptor>,
        path: &str,
        flags: PathFlags,
    ) -> Answer<Child<Place, FileRef>> {
        let found = self.walk(from, path, flags.contains(PathFlags::SYMLINK_FOLLOW))?;
        Ok(found.found.ok_or(ErrorCode::NoEntry)?)
    }

    /// Records a request about a path.
    pub(super) fn note_at<T>(&mut self, function: &'static str, fd: u32, path: &str, answer: Answer<T>) -> Answer<T> {
        let target = self.get(&Resource::new_borrow(fd))?.spelled(path);
        self.note(function, &target, answer)
    }

    /// The same for a query, of which only a refusal is recorded.
    pub(super) fn note_refusal<T>(
        &mut self,
        function: &'static str,
        fd: u32,
        path: &str,
        answer: Answer<T>,
    ) -> Answer<T> {
        if answer.is_ok() { answer } else { self.note_at(function, fd, path, answer) }
    }
}

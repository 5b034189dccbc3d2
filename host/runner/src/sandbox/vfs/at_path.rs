//! Operations on paths: open, create, remove, move. Each one resolves its path first, checks and charges, and only then
//! changes something.

use wasmtime::component::Resource;

use super::bindings::wasi::filesystem::types::{DescriptorFlags, ErrorCode, NewTimestamp, OpenFlags, PathFlags};
use super::bindings::{Descriptor, Object};
use super::descriptor::{Answer, Found, name_of};
use super::file_system::View;
use super::overlay::{FileRef, Place};
use crate::sandbox::files::Child;

impl View<'_> {
    /// Opens what is at a path, or creates a file there.
    pub(super) fn open(
        &mut self,
        fd: &Resource<Descriptor>,
        path_flags: PathFlags,
        path: &str,
        open: OpenFlags,
        flags: DescriptorFlags,
    ) -> Answer<Resource<Descriptor>> {
        // An exclusive creation never follows a link.
        let exclusive = open.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE);
        let follow = path_flags.contains(PathFlags::SYMLINK_FOLLOW) && !exclusive;
        let mut place = self.walk(fd, path, follow)?;
        let object = match place.found.take() {
            Some(found) => self.open_found(place, found, open, flags)?,
            None => self.open_new(place, open)?,
        };
        let path = self.get(fd)?.spelled(path).into();
        let descriptor = match object {
            Object::Directory(place) => Descriptor::directory(place, path),
            Object::File(_) => Descriptor { object, flags: of_file(flags), path },
        };
        Ok(self.table.push(descriptor)?)
    }

    pub(super) fn open_found(
        &mut self,
        place: Found,
        found: Child<Place, FileRef>,
        open: OpenFlags,
        flags: DescriptorFlags,
    ) -> Answer<Object> {
        let write = flags.contains(DescriptorFlags::WRITE);
        if open.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE) {
            return Err(ErrorCode::Exist.into());
        }
        match found {
            Child::Directory(_) if write || open.contains(OpenFlags::TRUNCATE) => Err(ErrorCode::IsDirectory.into()),
            Child::Directory(_) if open.contains(OpenFlags::CREATE) => Err(ErrorCode::IsDirectory.into()),
            Child::Directory(place) => {
                if self.overlay()?.directory(place).removed {
                    return Err(ErrorCode::NoEntry.into());
                }
                Ok(Object::Directory(place))
            }
            Child::File(_) if open.contains(OpenFlags::DIRECTORY) => Err(ErrorCode::NotDirectory.into()),
            // It must not be followed.
            Child::Link(..) => Err(ErrorCode::Loop.into()),
            Child::File(file) => {
                if open.contains(OpenFlags::TRUNCATE) && !write {
                    return Err(ErrorCode::Invalid.into());
                }
                let at = name_of(&place)?;
                let file = self.overlay()?.take_file(at.directory, at.name, file).map_err(|_| ErrorCode::Io)?;
                if open.contains(OpenFlags::TRUNCATE) {
                    self.resize(&file, 0)?;
                }
                Ok(Object::File(file))
            }
        }
    }

    pub(super) fn open_new(&mut self, place: Found, open: OpenFlags) -> Answer<Object> {
        if !open.contains(OpenFlags::CREATE) {
            return Err(ErrorCode::NoEntry.into());
        }
        if open.contains(OpenFlags::DIRECTORY) {
            return Err(ErrorCode::Invalid.into());
        }
        if place.slash {
            return Err(ErrorCode::IsDirectory.into());
        }
        let now = self.time_of_change()?;
        let (overlay, meter) = self.parts()?;
        let file = overlay.create_file(name_of(&place)?, now, meter)?;
        Ok(Object::File(file))
    }

    /// Creates a directory.
    pub(super) fn make_directory(&mut self, fd: &Resource<Descriptor>, path: &str) -> Answer<()> {
        let place = self.walk(fd, path, false)?;
        if place.found.is_some() {
            return Err(ErrorCode::Exist.into());
        }
        let now = self.time_of_change()?;
        let (overlay, meter) = self.parts()?;
        overlay.create_directory(name_of(&place)?, now, meter)
    }

    /// Removes an empty directory.
    pub(super) fn remove_directory(&mut self, fd: &Resource<Descriptor>, path: &str) -> Answer<()> {
        let place = self.walk(fd, path, false)?;
        let now = self.time_of_change()?;
        let (overlay, meter) = self.parts()?;
        overlay.remove_directory(name_of(&place)?, now, meter)
    }

    /// Removes a file.
    pub(super) fn unlink(&mut self, fd: &Resource<Descriptor>, path: &str) -> Answer<()> {
        let place = self.walk(fd, path, false)?;
        let now = self.time_of_change()?;
        let (overlay, meter) = self.parts()?;
        overlay.unlink(name_of(&place).map_err(|_| ErrorCode::IsDirectory)?, now, meter)
    }

    /// Moves a file or a directory.
    pub(super) fn rename(
        &mut self,
        (old, old_path): (&Resource<Descriptor>, &str),
        (new, new_path): (&Resource<Descriptor>, &str),
    ) -> Answer<()> {
        let from = self.walk(old, old_path, false)?;
        let to = self.walk(new, new_path, false)?;
        if to.slash && matches!(from.found, Some(Child::File(_))) {
            return Err(ErrorCode::NotDirectory.into());
        }
        let now = self.time_of_change()?;
        let (overlay, meter) = self.parts()?;
        overlay.rename(name_of(&from)?, name_of(&to)?, now, meter)
    }

    /// Sets the times of what is at a path.
    pub(super) fn set_times_at_path(
        &mut self,
        fd: &Resource<Descriptor>,
        flags: PathFlags,
        path: &str,
        (accessed, modified): (NewTimestamp, NewTimestamp),
    ) -> Answer<()> {
        let place = self.walk(fd, path, flags.contains(PathFlags::SYMLINK_FOLLOW))?;
        let child = match place.found.clone().ok_or(ErrorCode::NoEntry)? {
            Child::File(file) => {
                let at = name_of(&place)?;
                let file = self.overlay()?.take_file(at.directory, at.name, file).map_err(|_| ErrorCode::Io)?;
                Child::File(FileRef::Own(file))
            }
            child => child,
        };
        self.set_times_of(&child, accessed, modified)
    }

    /// The text of a link.
    pub(super) fn readlink(&mut self, fd: &Resource<Descriptor>, path: &str) -> Answer<String> {
        match self.walk(fd, path, false)?.found {
            Some(Child::Link(_, target)) => Ok(target.to_string()),
            Some(_) => Err(ErrorCode::Invalid.into()),
            None => Err(ErrorCode::NoEntry.into()),
        }
    }
}

/// The flags of an open file, from those that were asked for.
fn of_file(flags: DescriptorFlags) -> DescriptorFlags {
    flags & (DescriptorFlags::READ | DescriptorFlags::WRITE)
}

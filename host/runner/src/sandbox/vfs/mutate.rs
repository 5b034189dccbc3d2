//! Operations that change names in an overlay: create, remove, move. Each new name is checked and charged before
//! anything changes.

use std::sync::Arc;

use gephost_core::path::{MAX_SEGMENTS, RepoPath};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;

use super::bindings::FileError;
use super::bindings::wasi::filesystem::types::ErrorCode;
use super::node::{File, Times};
use super::overlay::{FileRef, Overlay, Place, Slot};
use crate::sandbox::budget::Meter;
use crate::sandbox::files::Child;

/// Bytes of the output budget for each entry that a gene creates, moves or removes: about what the host keeps for it.
pub(crate) const ENTRY_BYTES: u64 = 256;

/// A name in a directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) directory: Place,
    pub(crate) name: &'a str,
}

impl Overlay {
    /// Checks that something may be created under a name: the policy must not hide it.
    fn check_new(&self, at: At<'_>) -> Result<(), ErrorCode> {
        if self.directory(at.directory).removed {
            return Err(ErrorCode::NoEntry);
        }
        let (root, mut names) = self.way(at.directory);
        names.push(at.name);
        self.check_path(root, &names.join("/"))
    }

    fn check_path(&self, root: Place, path: &str) -> Result<(), ErrorCode> {
        if path.split('/').count() > MAX_SEGMENTS {
            return Err(ErrorCode::NameTooLong);
        }
        if root == Self::TMP {
            return Ok(());
        }
        // No repository can safely contain this name. The gate would refuse it later.
        let path = RepoPath::new(path).map_err(|_| ErrorCode::Invalid)?;
        if self.workspace().may_create(&path) { Ok(()) } else { Err(ErrorCode::NotPermitted) }
    }

    /// Creates an empty file where nothing is shown.
    pub(crate) fn create_file(&mut self, at: At<'_>, now: Datetime, meter: &mut Meter) -> Result<Arc<File>, FileError> {
        self.check_new(at)?;
        meter.take(ENTRY_BYTES)?;
        let file = self.make_file(now);
        self.attach(at, Slot::File(Arc::clone(&file)), now);
        Ok(file)
    }

    /// Creates a directory where nothing is shown.
    pub(crate) fn create_directory(&mut self, at: At<'_>, now: Datetime, meter: &mut Meter) -> Result<(), FileError> {
        self.check_new(at)?;
        meter.take(ENTRY_BYTES)?;
        self.add_directory(at.directory, at.name, None, Times { accessed: now, modified: now });
        self.changed(at.directory, now);
        Ok(())
    }

    /// Removes a file. Open descriptors keep it.
    pub(crate) fn unlink(&mut self, at: At<'_>, now: Datetime, meter: &mut Meter) -> Result<(), FileError> {
        match self.look(at.directory, at.name) {
            None => Err(ErrorCode::NoEntry.into()),
            Some(Child::Directory(_)) => Err(ErrorCode::IsDirectory.into()),
            // A gene cannot remove a link, because no proposal can change one.
            Some(Child::Link(..)) => Err(ErrorCode::NotPermitted.into()),
            Some(Child::File(_)) => {
                meter.take(ENTRY_BYTES)?;
                self.detach(at, now);
                Ok(())
            }
        }
    }

    /// Removes a directory that shows no entries.
    pub(crate) fn remove_directory(&mut self, at: At<'_>, now: Datetime, meter: &mut Meter) -> Result<(), FileError> {
        match self.look(at.directory, at.name) {
            None => Err(ErrorCode::NoEntry.into()),
            Some(Child::File(_) | Child::Link(..)) => Err(ErrorCode::NotDirectory.into()),
            Some(Child::Directory(place)) => {
                if self.next_name(place, None).is_some() {
                    return Err(ErrorCode::NotEmpty.into());
                }
                meter.take(ENTRY_BYTES)?;
                self.forget(place);
                self.detach(at, now);
                Ok(())
            }
        }
    }

    /// Moves a file or a directory. It replaces a file or an empty directory.
    pub(crate) fn rename(
        &mut self,
        from: At<'_>,
        to: At<'_>,
        now: Datetime,
        meter: &mut Meter,
    ) -> Result<(), FileError> {
        match self.look(from.directory, from.name) {
            None => Err(ErrorCode::NoEntry.into()),
            Some(Child::Link(..)) => Err(ErrorCode::NotPermitted.into()),
            Some(Child::File(file)) => self.move_file(file, from, to, now, meter),
            Some(Child::Directory(place)) => self.move_directory(place, from, to, now, meter),
        }
    }

    fn move_file(
        &mut self,
        file: FileRef,
        from: At<'_>,
        to: At<'_>,
        now: Datetime,
        meter: &mut Meter,
    ) -> Result<(), FileError> {
        if from.directory == to.directory && from.name == to.name {
            return Ok(());
        }
        match self.look(to.directory, to.name) {
            Some(Child::Directory(_)) => return Err(ErrorCode::IsDirectory.into()),
            Some(Child::Link(..)) => return Err(ErrorCode::NotPermitted.into()),
            Some(Child::File(_)) | None => {}
        }
        self.check_new(to)?;
        meter.take(ENTRY_BYTES)?;
        let file = self.take_file(from.directory, from.name, file).map_err(|_| ErrorCode::Io)?;
        self.detach(from, now);
        self.attach(to, Slot::File(file), now);
        Ok(())
    }

    fn move_directory(
        &mut self,
        place: Place,
        from: At<'_>,
        to: At<'_>,
        now: Datetime,
        meter: &mut Meter,
    ) -> Result<(), FileError> {
        if self.is_within(to.directory, place) {
            return Err(ErrorCode::Invalid.into());
        }
        let replaced = match self.look(to.directory, to.name) {
            Some(Child::Directory(same)) if same == place => return Ok(()),
            Some(Child::Directory(other)) if self.next_name(other, None).is_some() => {
                return Err(ErrorCode::NotEmpty.into());
            }
            Some(Child::Directory(other)) => Some(other),
            Some(Child::Link(..)) => return Err(ErrorCode::NotPermitted.into()),
            Some(Child::File(_)) => return Err(ErrorCode::NotDirectory.into()),
            None => None,
        };
        self.check_new(to)?;
        let moved = self.take_all(place, to, meter)?;
        if let Some(replaced) = replaced {
            self.forget(replaced);
        }
        for place in moved {
            let directory = self.directory_mut(place);
            directory.base = None;
            directory.own.retain(|_, slot| !matches!(slot, Slot::Gone));
        }
        self.detach(from, now);
        self.attach(to, Slot::Directory(place), now);
        let directory = self.directory_mut(place);
        directory.parent = Some(to.directory);
        directory.name = to.name.into();
        Ok(())
    }

    /// Copies everything below a directory to this call, and checks and charges each new name. Returns the directories.
    fn take_all(&mut self, top: Place, to: At<'_>, meter: &mut Meter) -> Result<Vec<Place>, FileError> {
        let (root, mut names) = self.way(to.directory);
        names.push(to.name);
        let mut left = vec![(top, names.join("/"))];
        let mut directories = Vec::new();
        meter.take(ENTRY_BYTES)?;
        while let Some((place, path)) = left.pop() {
            directories.push(place);
            let mut after: Option<String> = None;
            while let Some(name) = self.next_name(place, after.as_deref()).map(|(name, _)| name.to_owned()) {
                meter.take(ENTRY_BYTES)?;
                meter.in_time()?;
                let path = format!("{path}/{name}");
                match self.look(place, &name) {
                    Some(Child::Directory(below)) => {
                        self.check_path(root, &path)?;
                        left.push((below, path));
                    }
                    Some(Child::File(file)) => {
                        self.check_path(root, &path)?;
                        self.take_file(place, &name, file).map_err(|_| ErrorCode::Io)?;
                    }
                    Some(Child::Link(..)) => return Err(ErrorCode::NotPermitted.into()),
                    None => {}
                }
                after = Some(name);
            }
        }
        Ok(directories)
    }

    fn is_within(&self, place: Place, ancestor: Place) -> bool {
        let mut way = std::iter::successors(Some(place), |at| self.directory(*at).parent);
        way.any(|at| at == ancestor)
    }

    fn attach(&mut self, at: At<'_>, slot: Slot, now: Datetime) {
        self.directory_mut(at.directory).own.insert(at.name.into(), slot);
        self.changed(at.directory, now);
    }

    /// Removes a name from a directory.
    fn detach(&mut self, at: At<'_>, now: Datetime) {
        let shows_through = self.base_child(at.directory, at.name).is_some();
        let own = &mut self.directory_mut(at.directory).own;
        if shows_through {
            own.insert(at.name.into(), Slot::Gone);
        } else {
            own.remove(at.name);
        }
        self.changed(at.directory, now);
    }

    /// Marks an empty directory as removed. Open descriptors find it empty.
    fn forget(&mut self, place: Place) {
        let directory = self.directory_mut(place);
        directory.removed = true;
        directory.base = None;
        directory.own.clear();
    }

    fn changed(&mut self, place: Place, now: Datetime) {
        self.directory_mut(place).times.modified = now;
    }
}

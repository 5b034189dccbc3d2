//! The functions of `wasi:filesystem/types`. A gene cannot create links, because no proposal can contain one.

use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::recording::Decision;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream};

use super::bindings::wasi::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, ErrorCode, Host, HostDescriptor,
    HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use super::bindings::{Descriptor, FileError, Listing, Object};
use super::descriptor::Answer;
use super::file_system::View;
use super::node::TooLarge;
use super::overlay::Kind;
use super::streams::{CHUNK_BYTES, FileInput, FileOutput};
use crate::sandbox::audit::Handed;

impl Host for View<'_> {
    fn convert_error_code(&mut self, error: FileError) -> wasmtime::Result<ErrorCode> {
        match error {
            FileError::Code(code) => Ok(code),
            FileError::Trap(error) => Err(error),
        }
    }

    fn filesystem_error_code(&mut self, error: Resource<wasmtime::Error>) -> wasmtime::Result<Option<ErrorCode>> {
        Ok(self.table.get(&error)?.downcast_ref::<ErrorCode>().copied())
    }
}

impl HostDescriptor for View<'_> {
    fn read_via_stream(&mut self, fd: Resource<Descriptor>, offset: u64) -> Answer<Resource<DynInputStream>> {
        let stream: DynInputStream = Box::new(FileInput { file: self.readable(&fd)?, offset });
        Ok(self.table.push(stream)?)
    }

    fn write_via_stream(&mut self, fd: Resource<Descriptor>, offset: u64) -> Answer<Resource<DynOutputStream>> {
        let file = self.writable(&fd)?;
        self.make_own(&file)?;
        self.note_write("write-via-stream", &fd)?;
        let stream: DynOutputStream = Box::new(FileOutput { file, offset: Some(offset) });
        Ok(self.table.push(stream)?)
    }

    fn append_via_stream(&mut self, fd: Resource<Descriptor>) -> Answer<Resource<DynOutputStream>> {
        let file = self.writable(&fd)?;
        self.make_own(&file)?;
        self.note_write("append-via-stream", &fd)?;
        let stream: DynOutputStream = Box::new(FileOutput { file, offset: None });
        Ok(self.table.push(stream)?)
    }

    fn advise(&mut self, fd: Resource<Descriptor>, _offset: u64, _length: u64, _advice: Advice) -> Answer<()> {
        self.get(&fd)?.file()?;
        Ok(())
    }

    fn sync_data(&mut self, fd: Resource<Descriptor>) -> Answer<()> {
        self.get(&fd).map(drop)
    }

    fn get_flags(&mut self, fd: Resource<Descriptor>) -> Answer<DescriptorFlags> {
        Ok(self.get(&fd)?.flags)
    }

    fn get_type(&mut self, fd: Resource<Descriptor>) -> Answer<DescriptorType> {
        Ok(match self.get(&fd)?.object {
            Object::Directory(_) => DescriptorType::Directory,
            Object::File(_) => DescriptorType::RegularFile,
        })
    }

    fn set_size(&mut self, fd: Resource<Descriptor>, size: u64) -> Answer<()> {
        let file = self.writable(&fd)?;
        self.note_write("set-size", &fd)?;
        self.resize(&file, size)
    }

    fn set_times(&mut self, fd: Resource<Descriptor>, accessed: NewTimestamp, modified: NewTimestamp) -> Answer<()> {
        let child = self.get(&fd)?.child();
        self.set_times_of(&child, accessed, modified)
    }

    fn read(&mut self, fd: Resource<Descriptor>, length: u64, offset: u64) -> Answer<(Vec<u8>, bool)> {
        let file = self.readable(&fd)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(CHUNK_BYTES);
        let (bytes, end) = file.read(offset, length, <[u8]>::to_vec);
        self.meter.hand_over(bytes.len() as u64)?;
        Ok((bytes, end))
    }

    fn write(&mut self, fd: Resource<Descriptor>, buffer: Vec<u8>, offset: u64) -> Answer<u64> {
        let file = self.writable(&fd)?;
        self.make_own(&file)?;
        self.meter.take(buffer.len() as u64)?;
        file.write(offset, &buffer).map_err(|TooLarge| ErrorCode::FileTooLarge)?;
        self.settle()?;
        self.note_write("write", &fd)?;
        Ok(buffer.len() as u64)
    }

    fn read_directory(&mut self, fd: Resource<Descriptor>) -> Answer<Resource<Listing>> {
        self.audit.begin();
        self.meter.host_call()?;
        let directory = self.get(&fd)?.place()?;
        if self.overlay()?.directory(directory).removed {
            return Err(ErrorCode::NoEntry.into());
        }
        let path = self.get(&fd)?.spelled("");
        self.audit.record(Capability::Workspace, "read-directory", &path, Decision::Granted, Handed::Nothing);
        Ok(self.table.push(Listing { directory, after: None })?)
    }

    fn sync(&mut self, fd: Resource<Descriptor>) -> Answer<()> {
        self.get(&fd).map(drop)
    }

    fn create_directory_at(&mut self, fd: Resource<Descriptor>, path: String) -> Answer<()> {
        let answer = self.make_directory(&fd, &path);
        self.note_at("create-directory-at", fd.rep(), &path, answer)
    }

    fn stat(&mut self, fd: Resource<Descriptor>) -> Answer<DescriptorStat> {
        let child = self.get(&fd)?.child();
        self.stat_of(&child)
    }

    fn stat_at(&mut self, fd: Resource<Descriptor>, flags: PathFlags, path: String) -> Answer<DescriptorStat> {
        let answer = self.walk_to(&fd, &path, flags).and_then(|child| self.stat_of(&child));
        self.note_refusal("stat-at", fd.rep(), &path, answer)
    }

    fn set_times_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> Answer<()> {
        let answer = self.set_times_at_path(&fd, flags, &path, (accessed, modified));
        self.note_refusal("set-times-at", fd.rep(), &path, answer)
    }

    fn link_at(
        &mut self,
        fd: Resource<Descriptor>,
        _flags: PathFlags,
        _old_path: String,
        _new_fd: Resource<Descriptor>,
        new_path: String,
    ) -> Answer<()> {
        self.note_at("link-at", fd.rep(), &new_path, Err(ErrorCode::Unsupported.into()))
    }

    fn open_at(
        &mut self,
        fd: Resource<Descriptor>,
        path_flags: PathFlags,
        path: String,
        open: OpenFlags,
        flags: DescriptorFlags,
    ) -> Answer<Resource<Descriptor>> {
        let answer = self.open(&fd, path_flags, &path, open, flags);
        self.note_at("open-at", fd.rep(), &path, answer)
    }

    fn readlink_at(&mut self, fd: Resource<Descriptor>, path: String) -> Answer<String> {
        let answer = self.readlink(&fd, &path);
        self.note_refusal("readlink-at", fd.rep(), &path, answer)
    }

    fn remove_directory_at(&mut self, fd: Resource<Descriptor>, path: String) -> Answer<()> {
        let answer = self.remove_directory(&fd, &path);
        self.note_at("remove-directory-at", fd.rep(), &path, answer)
    }

    fn rename_at(
        &mut self,
        fd: Resource<Descriptor>,
        old_path: String,
        new_fd: Resource<Descriptor>,
        new_path: String,
    ) -> Answer<()> {
        let answer = self.rename((&fd, &old_path), (&new_fd, &new_path));
        self.note_at("rename-at", fd.rep(), &format!("{old_path} -> {new_path}"), answer)
    }

    fn symlink_at(&mut self, fd: Resource<Descriptor>, _old_path: String, new_path: String) -> Answer<()> {
        self.note_at("symlink-at", fd.rep(), &new_path, Err(ErrorCode::Unsupported.into()))
    }

    fn unlink_file_at(&mut self, fd: Resource<Descriptor>, path: String) -> Answer<()> {
        let answer = self.unlink(&fd, &path);
        self.note_at("unlink-file-at", fd.rep(), &path, answer)
    }

    fn is_same_object(&mut self, a: Resource<Descriptor>, b: Resource<Descriptor>) -> wasmtime::Result<bool> {
        Ok(match (&self.table.get(&a)?.object, &self.table.get(&b)?.object) {
            (Object::Directory(a), Object::Directory(b)) => a == b,
            (Object::File(a), Object::File(b)) => Arc::ptr_eq(a, b),
            _ => false,
        })
    }

    fn metadata_hash(&mut self, fd: Resource<Descriptor>) -> Answer<MetadataHashValue> {
        let child = self.get(&fd)?.child();
        self.hash_of(&child)
    }

    fn metadata_hash_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
    ) -> Answer<MetadataHashValue> {
        let answer = self.walk_to(&fd, &path, flags).and_then(|child| self.hash_of(&child));
        self.note_refusal("metadata-hash-at", fd.rep(), &path, answer)
    }

    fn drop(&mut self, fd: Resource<Descriptor>) -> wasmtime::Result<()> {
        self.table.delete(fd)?;
        Ok(())
    }
}

impl HostDirectoryEntryStream for View<'_> {
    fn read_directory_entry(&mut self, stream: Resource<Listing>) -> Answer<Option<DirectoryEntry>> {
        let listing = self.table.get(&stream)?;
        let (directory, after) = (listing.directory, listing.after.clone());
        let next = self.overlay()?.next_name(directory, after.as_deref());
        let Some((name, kind)) = next.map(|(name, kind)| (name.to_owned(), kind)) else { return Ok(None) };
        self.meter.hand_over(name.len() as u64)?;
        self.table.get_mut(&stream)?.after = Some(name.clone());
        let type_ = match kind {
            Kind::Directory => DescriptorType::Directory,
            Kind::File => DescriptorType::RegularFile,
            Kind::Link => DescriptorType::SymbolicLink,
        };
        Ok(Some(DirectoryEntry { type_, name }))
    }

    fn drop(&mut self, stream: Resource<Listing>) -> wasmtime::Result<()> {
        self.table.delete(stream)?;
        Ok(())
    }
}

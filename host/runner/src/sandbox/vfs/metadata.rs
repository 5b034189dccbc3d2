//! What a gene learns about a file without its bytes. It reveals nothing about this machine or about hidden files.

use super::bindings::wasi::filesystem::types::{
    DescriptorStat, DescriptorType, ErrorCode, MetadataHashValue, NewTimestamp,
};
use super::descriptor::Answer;
use super::file_system::View;
use super::node::Times;
use super::overlay::{FileRef, Overlay, Place};
use crate::sandbox::files::Child;

impl View<'_> {
    /// The result of `stat`.
    pub(super) fn stat_of(&mut self, child: &Child<Place, FileRef>) -> Answer<DescriptorStat> {
        let overlay = self.overlay()?;
        let (kind, size, times) = match child {
            Child::Directory(place) => (DescriptorType::Directory, 0, overlay.directory(*place).times),
            Child::File(FileRef::Own(file)) => (DescriptorType::RegularFile, file.size(), file.times()),
            Child::File(FileRef::Base(id)) => {
                let size = overlay.workspace().contents().size(*id).map_err(ErrorCode::from)?;
                (DescriptorType::RegularFile, size, overlay.born())
            }
            Child::Link(_, target) => (DescriptorType::SymbolicLink, target.len() as u64, overlay.born()),
        };
        Ok(DescriptorStat {
            type_: kind,
            link_count: 1,
            size,
            data_access_timestamp: Some(times.accessed),
            data_modification_timestamp: Some(times.modified),
            status_change_timestamp: Some(times.modified),
        })
    }

    /// The identity of an object: its number, which does not depend on its content.
    pub(super) fn hash_of(&mut self, child: &Child<Place, FileRef>) -> Answer<MetadataHashValue> {
        let number = match child {
            Child::Directory(place) => Overlay::directory_number(*place),
            Child::File(FileRef::Own(file)) | Child::Link(FileRef::Own(file), _) => file.number,
            Child::File(FileRef::Base(id)) | Child::Link(FileRef::Base(id), _) => self.overlay()?.base_number(*id),
        };
        Ok(MetadataHashValue { lower: spread(number), upper: spread(!number) })
    }

    /// Sets the times that `stat` returns. They belong to the gene and mean nothing to the host.
    pub(super) fn set_times_of(
        &mut self,
        child: &Child<Place, FileRef>,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> Answer<()> {
        let now = self.time_of_change()?;
        let new = |wanted, old| match wanted {
            NewTimestamp::NoChange => old,
            NewTimestamp::Now => now,
            NewTimestamp::Timestamp(time) => time,
        };
        let times = |old: Times| Times { accessed: new(accessed, old.accessed), modified: new(modified, old.modified) };
        match child {
            Child::Directory(place) => {
                let directory = self.overlay()?.directory_mut(*place);
                directory.times = times(directory.times);
            }
            Child::File(FileRef::Own(file)) => file.set_times(times(file.times())),
            // Times of a link cannot be set. The caller opens a file that is not open yet.
            Child::File(FileRef::Base(_)) | Child::Link(..) => {}
        }
        Ok(())
    }
}

/// A number, spread over 64 bits by the finaliser of splitmix64. Two different numbers never give the same result.
fn spread(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

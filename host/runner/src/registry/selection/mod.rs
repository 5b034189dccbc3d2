//! The index of the text-only genes of an assets folder, for selection.
//!
//! Owns the files of the folder `selection` in the user's cache, one for each assets folder. What must stay true: an index
//! is used only for files that are those it was made of (device, inode, size, time of change), and only if its digest
//! holds; any other one is made again. So whoever damages or deletes it costs time. A process that makes an index puts it
//! in its place whole, so several may do so at once.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

use gephost_core::capsule::Capsule;
use gephost_core::digest::MAX_ASSET_BYTES;
use gephost_core::gene::{Gene, TextGene};
use gephost_core::select::index::{Builder, CapsuleEntry, GeneEntry, Index, Place as DocumentPlace, Rank};

use super::error::{io, shape};
use super::files::{AssetFile, CAPSULE_LINES, CAPSULES, EXTERNAL, Form, GENE_LINES, GENES, Stored};
use super::walk::{WalkError, walk_at};
use super::{Registry, RegistryError};
use crate::durable::{self, Access};
use crate::place::Place;
use crate::remembered::{SELECTION, keep_newest, used};

/// The files that an index is made of. The place of a gene's document says which by number.
const SOURCES: [AssetFile; 5] = [GENES, GENE_LINES, EXTERNAL, CAPSULES, CAPSULE_LINES];
/// Those of them that may have genes.
const OF_GENES: usize = 3;
/// Files of fewer bytes together are read each time: that is faster than looking after a file in the cache.
const SMALL: u64 = 256 << 10;
/// What a file of the cache begins with.
const MAGIC: &[u8; 8] = b"gphidx01";
/// Bytes of a digest.
const DIGEST: usize = 32;
/// Numbers of a stamp: whether there is a file, device, inode, size, and time of change.
const STAMP: usize = 6;
/// Bytes before the index itself.
const HEADER: usize = MAGIC.len() + DIGEST + SOURCES.len() * STAMP * 8;
/// Most indexes in the cache: one for each assets folder, and those of folders that are gone.
const MAX_INDEXES: usize = 16;
/// The largest index that is read.
const MAX_INDEX_BYTES: u64 = 8 << 30;

/// What the system says of a file: equal if nothing was written to it since.
type Stamp = [u64; STAMP];

/// The text-only genes of an assets folder.
#[derive(Debug)]
pub struct TextIndex {
    /// The index.
    pub index: Index,
    /// Whether it was made now, and not read from the cache.
    pub is_new: bool,
    folder: Place,
}

impl Registry {
    /// Whether the folder has a file that may have genes.
    pub fn may_have_genes(&self) -> bool {
        SOURCES.iter().take(OF_GENES).any(|file| self.folder.join(file.name).exists().unwrap_or(true))
    }

    /// The index of the folder's text-only genes; `None` if it has no file with genes. `cache` is the user's cache folder.
    pub fn text_genes(&self, cache: &Place) -> Result<Option<TextIndex>, RegistryError> {
        let stamps = self.stamps()?;
        if stamps.iter().take(OF_GENES).all(|[is_there, ..]| *is_there == 0) {
            return Ok(None);
        }
        let found = |index, is_new| Some(TextIndex { index, is_new, folder: self.folder.clone() });
        if stamps.iter().map(|[_, _, _, size, ..]| *size).sum::<u64>() < SMALL {
            return Ok(found(self.make_index()?, true));
        }
        let stored = cache.join(SELECTION).join(self.cache_name());
        // A file of the cache that cannot be read is made again.
        if let Some(index) = read_stored(&stored, &stamps).ok().flatten() {
            return Ok(found(index, false));
        }
        let index = self.make_index()?;
        // What changed meanwhile was perhaps read in part, and is read again the next time. The same goes for an index that
        // cannot be stored.
        if self.stamps()? == stamps {
            let _ = write_stored(&stored, &stamps, &index).and_then(|()| keep_newest(cache, SELECTION, MAX_INDEXES));
        }
        Ok(found(index, true))
    }

    fn stamps(&self) -> Result<[Stamp; SOURCES.len()], RegistryError> {
        let mut stamps = [[0; STAMP]; SOURCES.len()];
        for (stamp, file) in stamps.iter_mut().zip(&SOURCES) {
            let path = self.folder.join(file.name);
            if let Some(open) = durable::open_to_read(&path).map_err(io("open", &path))? {
                let found = open.metadata().map_err(io("look at", &path))?;
                let changed = [found.ctime().cast_unsigned(), found.ctime_nsec().cast_unsigned()];
                *stamp = [1, found.dev(), found.ino(), found.len(), changed[0], changed[1]];
            }
        }
        Ok(stamps)
    }

    /// Reads all genes and capsules. Of a list that is damaged, what is before the damage counts, as with a file that
    /// is cut.
    fn make_index(&self) -> Result<Index, RegistryError> {
        let mut builder = Builder::new();
        for (number, file) in (0..).zip(SOURCES) {
            let path = self.folder.join(file.name);
            let Some(mut open) = durable::open_to_read(&path).map_err(io("open", &path))? else { continue };
            let is_of_genes = (number as usize) < OF_GENES;
            let walked = walk_at(file.form, &mut open, &mut |offset, stored| {
                let Stored::Text { number: at, text } = stored else { return builder.leave_out() };
                let rank = match file.form {
                    Form::Lines if file == EXTERNAL => Rank::Received(at),
                    Form::Lines => Rank::Line(Reverse(at)),
                    Form::List(_) => Rank::Item(at),
                };
                if is_of_genes {
                    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
                    put_gene(&mut builder, text, DocumentPlace { file: number, offset, length }, rank);
                } else {
                    put_capsule(&mut builder, text, rank);
                }
            });
            match walked {
                Ok(()) => {}
                Err(WalkError::Json(_)) => builder.leave_out(),
                Err(WalkError::Io(error)) => return Err(io("read", &path)(error)),
            }
        }
        let broken = || shape(&self.folder)("its index cannot be made");
        Index::from_bytes(builder.finish()).ok_or_else(broken)
    }
}

/// Puts in a gene. What is no gene is passed over; a gene that is not only text takes its id away from others.
fn put_gene(builder: &mut Builder, text: &[u8], place: DocumentPlace, rank: Rank) {
    match TextGene::from_json(text) {
        Ok(text) => {
            let gene = text.gene();
            let (id, category, patterns) = (gene.id.as_str(), &gene.category, gene.signals_match.as_slice());
            builder.gene(GeneEntry { id, category, patterns, place }, rank);
        }
        Err(_) => {
            if let Ok(gene) = Gene::from_json(text) {
                builder.no_gene(&gene.id, rank);
            }
        }
    }
}

fn put_capsule(builder: &mut Builder, text: &[u8], rank: Rank) {
    let Ok(capsule) = Capsule::from_json(text) else { return };
    match &capsule.gene {
        Some(gene) if capsule.outcome.is_success() => {
            let (id, trigger, confidence) = (capsule.id.as_str(), capsule.trigger.as_slice(), capsule.confidence);
            builder.capsule(CapsuleEntry { id, gene, trigger, confidence }, rank);
        }
        _ => builder.no_capsule(&capsule.id, rank),
    }
}

/// The stored index, if it is whole and was made of files with these stamps.
fn read_stored(place: &Place, stamps: &[Stamp]) -> io::Result<Option<Index>> {
    let Some(mut file) = durable::open_to_read(place)? else { return Ok(None) };
    let mut header = [0; HEADER];
    file.read_exact(&mut header)?;
    let (stated, rest) = (header.get(MAGIC.len()..MAGIC.len() + DIGEST), header.get(MAGIC.len() + DIGEST..));
    if !header.starts_with(MAGIC) || rest != Some(&stamp_bytes(stamps)) {
        return Ok(None);
    }
    let size = file.metadata()?.len().saturating_sub(HEADER as u64);
    if size > MAX_INDEX_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    used(&file);
    let is_whole = stated == Some(digest(stamps, &bytes).as_slice());
    Ok(if is_whole { Index::from_bytes(bytes) } else { None })
}

fn write_stored(place: &Place, stamps: &[Stamp], index: &Index) -> io::Result<()> {
    place.parent().create()?;
    durable::replace_with(place, Access::Private, |to| {
        to.write_all(MAGIC)?;
        to.write_all(&digest(stamps, index.as_bytes()))?;
        to.write_all(&stamp_bytes(stamps))?;
        to.write_all(index.as_bytes())
    })
}

fn stamp_bytes(stamps: &[Stamp]) -> Vec<u8> {
    stamps.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
}

fn digest(stamps: &[Stamp], index: &[u8]) -> [u8; DIGEST] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&stamp_bytes(stamps));
    hasher.update(index);
    *hasher.finalize().as_bytes()
}

impl TextIndex {
    /// The gene whose document is at this place; `None` if there is another one now.
    pub fn gene(&self, id: &str, place: DocumentPlace) -> Option<TextGene> {
        let file = SOURCES.get(place.file as usize)?;
        let open: File = durable::open_to_read(&self.folder.join(file.name)).ok()??;
        let length = usize::try_from(place.length).ok().filter(|length| *length <= MAX_ASSET_BYTES)?;
        let mut text = vec![0; length];
        open.read_exact_at(&mut text, place.offset).ok()?;
        TextGene::from_json(&text).ok().filter(|gene| gene.id() == id)
    }
}

#[cfg(test)]
mod tests;

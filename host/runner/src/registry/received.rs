//! What came from elsewhere, `external_candidates.jsonl`: each asset once, also if several processes take it in at once.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};

use gephost_core::digest::{self, MAX_ASSET_BYTES};
use gephost_core::reception::{Received, original_id};

use super::error::io;
use super::files::EXTERNAL;
use super::{Registry, RegistryError, line_of};
use crate::durable::{self, Line};

/// The asset ids, as their senders stated them, of what the file had when it was last read.
#[derive(Debug, Default)]
pub struct ReceivedIds {
    /// Digests of the ids, so that a long one takes no more memory.
    ids: BTreeSet<[u8; blake3::OUT_LEN]>,
    /// Where the last whole line that was read ends.
    read: u64,
}

impl ReceivedIds {
    /// Whether an asset with this id is there.
    pub fn has(&self, asset_id: &str) -> bool {
        self.ids.contains(blake3::hash(asset_id.as_bytes()).as_bytes())
    }

    /// Adds an id, and says whether it is new.
    fn add(&mut self, asset_id: &str) -> bool {
        self.ids.insert(*blake3::hash(asset_id.as_bytes()).as_bytes())
    }

    /// Adds what was appended since the file was last read.
    fn read_on(&mut self, file: &mut File) -> io::Result<()> {
        let from = self.read;
        file.seek(SeekFrom::Start(from))?;
        durable::lines_of(&mut *file, MAX_ASSET_BYTES, |at, line| {
            let (Line::Whole(text) | Line::Torn(text)) = line else { return };
            if let Line::Whole(text) = line {
                self.read = from + at + text.len() as u64 + 1;
            }
            let document = digest::read_object(text, MAX_ASSET_BYTES).ok();
            if let Some(id) = document.as_ref().and_then(original_id) {
                self.add(id);
            }
        })
    }
}

impl Registry {
    /// The ids of what came from elsewhere ([`gephost_core::reception`]).
    pub fn received(&self) -> Result<ReceivedIds, RegistryError> {
        let path = self.folder.join(EXTERNAL.name);
        let mut ids = ReceivedIds::default();
        if let Some(mut file) = durable::open_to_read(&path).map_err(io("open", &path))? {
            ids.read_on(&mut file).map_err(io("read", &path))?;
        }
        Ok(ids)
    }

    /// Appends assets that came from elsewhere, in one write, and returns those that were not there. No other process can append
    /// between the look and the write. `known` then has the ids of the file.
    pub fn append_received(
        &self,
        known: &mut ReceivedIds,
        mut received: Vec<Received>,
    ) -> Result<Vec<Received>, RegistryError> {
        if received.is_empty() {
            return Ok(received);
        }
        let path = self.folder.join(EXTERNAL.name);
        // Its lock is held until the function ends.
        let mut file = self.open_lines(&path)?;
        known.read_on(&mut file).map_err(io("read", &path))?;
        received.retain(|asset| known.add(&asset.original_id));
        let mut lines = String::new();
        for asset in &received {
            lines += &line_of(&path, &asset.document)?;
        }
        if !received.is_empty() {
            durable::append(&mut file, &path, lines.as_bytes()).map_err(io("append to", &path))?;
            known.read = file.metadata().map_err(io("look at", &path))?.len();
        }
        Ok(received)
    }
}

#[cfg(test)]
mod tests {
    use gephost_core::reception::{Sender, receive};
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::place::Place;

    fn asset(number: usize) -> Received {
        let mut document = json!({
            "type": "Capsule", "id": format!("c{number}"), "trigger": ["log_error"], "confidence": 0.8,
            "outcome": { "status": "success", "score": 0.9 },
        });
        digest::seal(document.as_object_mut().unwrap()).unwrap();
        receive(document.to_string().as_bytes(), "test", Sender::Unsigned, Timestamp::UNIX_EPOCH).unwrap()
    }

    fn ids(assets: &[Received]) -> Vec<&str> {
        assets.iter().map(|asset| asset.id.as_str()).collect()
    }

    fn lines(folder: &tempfile::TempDir) -> Vec<String> {
        let text = std::fs::read_to_string(folder.path().join("external_candidates.jsonl")).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn what_another_process_took_in_meanwhile_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Registry::new(&Place::shared(folder.path())), Registry::new(&Place::shared(folder.path())));
        // Both look before either writes.
        let (mut known, mut others) = (one.received().unwrap(), other.received().unwrap());
        let written = one.append_received(&mut known, vec![asset(1), asset(2), asset(1)]).unwrap();
        assert_eq!(ids(&written), ["c1", "c2"]);
        let written = other.append_received(&mut others, vec![asset(2), asset(3)]).unwrap();
        assert_eq!(ids(&written), ["c3"]);
        assert!(one.append_received(&mut known, vec![asset(3)]).unwrap().is_empty());
        let written = one.append_received(&mut known, vec![asset(4), asset(2)]).unwrap();
        assert_eq!((ids(&written), lines(&folder).len()), (vec!["c4"], 4));
        let known = other.received().unwrap();
        assert!((1..5).all(|number| known.has(&asset(number).original_id)) && !known.has(&asset(5).original_id));
    }

    #[test]
    fn a_cut_line_is_written_anew_and_the_lines_after_it_count() {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&Place::shared(folder.path()));
        let mut known = registry.received().unwrap();
        registry.append_received(&mut known, vec![asset(1), asset(2)]).unwrap();
        let path = folder.path().join("external_candidates.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 20]).unwrap();
        let mut known = registry.received().unwrap();
        let written = registry.append_received(&mut known, vec![asset(1), asset(2)]).unwrap();
        assert_eq!(ids(&written), ["c2"]);
        assert!(registry.append_received(&mut known, vec![asset(2)]).unwrap().is_empty());
    }

    #[test]
    fn writers_at_once_write_each_asset_once() {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&Place::shared(folder.path()));
        let written: usize = std::thread::scope(|scope| {
            let writer = || {
                let mut known = registry.received().unwrap();
                let batch = |from: usize| (from..from + 3).map(asset).collect();
                (0..30)
                    .step_by(3)
                    .map(|from| registry.append_received(&mut known, batch(from)).unwrap().len())
                    .sum::<usize>()
            };
            let writers: Vec<_> = (0..3).map(|_| scope.spawn(writer)).collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).sum::<usize>()
        });
        assert_eq!((written, lines(&folder).len()), (30, 30));
    }
}

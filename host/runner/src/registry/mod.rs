//! The assets folder: `genes.json`, `capsules.json`, `failed_capsules.json`, `events.jsonl` and
//! `validation_reports.jsonl`, in the shapes that other GEP tools read and write.
//!
//! Owns those files. What must stay true: what another tool wrote is kept byte for byte, known or not, but for an asset
//! that is put in the place of one with its id; a file has its old content or the new one whole; a line that was
//! appended is on disk.

mod collection;
mod documents;

use gephost_core::capsule::Capsule;
use gephost_core::digest::{self, MAX_ASSET_BYTES};
use gephost_core::event_log::AppliedAssets;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::gene::Gene;
use gephost_core::validation::ValidationReport;
use serde_json::{Map, Value};

use crate::durable::{self, Access, Line};
use crate::place::Place;
use crate::state::PROJECT_FOLDER;
use collection::Collection;
pub use documents::AssetDocuments;

/// The largest file of assets that is read, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The events, one a line.
const EVENTS: &str = "events.jsonl";
/// The reports, one a line.
const REPORTS: &str = "validation_reports.jsonl";

/// An assets folder.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: Place,
}

/// Why assets cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The system.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that holds no assets.
    #[error("{path}: {reason}; gephost changes no file that it cannot read")]
    Shape {
        /// Which file.
        path: String,
        /// What is wrong.
        reason: String,
    },
}

impl Registry {
    /// The folder. Touches nothing; it is made when something is written.
    pub fn new(folder: &Place) -> Self {
        Self { folder: folder.clone() }
    }

    /// Puts a gene into `genes.json`, in the place of one with the same id.
    pub fn put_gene(&self, gene: &Gene) -> Result<(), RegistryError> {
        let mut document = gene.document().clone();
        digest::seal(&mut document).map_err(shape(&self.folder.join("genes.json")))?;
        self.put("genes.json", "genes", &gene.id, &document)
    }

    /// Puts a capsule that held into `capsules.json`.
    pub fn put_capsule(&self, capsule: &Capsule) -> Result<(), RegistryError> {
        self.put("capsules.json", "capsules", &capsule.id, capsule.document())
    }

    /// Puts a capsule that did not hold into `failed_capsules.json`, which nothing is reused from.
    pub fn put_failed_capsule(&self, capsule: &Capsule) -> Result<(), RegistryError> {
        self.put("failed_capsules.json", "failed_capsules", &capsule.id, capsule.document())
    }

    /// Appends an event to `events.jsonl`.
    pub fn append_event(&self, event: &EvolutionEvent) -> Result<(), RegistryError> {
        self.append(EVENTS, event.document())
    }

    /// Puts what one cycle left, each asset where it belongs: a capsule that did not hold is a failed one. What is there
    /// already stays as it is, so this may be done again after a crash.
    pub fn put_documents(&self, assets: &AssetDocuments) -> Result<(), RegistryError> {
        for gene in &assets.genes {
            self.put_gene(&read_as("genes.json", Gene::read(gene.clone()))?)?;
        }
        for capsule in &assets.capsules {
            let capsule = read_as("capsules.json", Capsule::read(capsule.clone()))?;
            if capsule.outcome.is_success() {
                self.put_capsule(&capsule)?;
            } else {
                self.put_failed_capsule(&capsule)?;
            }
        }
        for report in &assets.reports {
            self.append_once(REPORTS, report)?;
        }
        assets.event.iter().try_for_each(|event| self.append_once(EVENTS, event))
    }

    /// Takes out what an applied change left, where it is there, and appends the event that says so. May be done again.
    pub fn take_back(&self, left: &AppliedAssets, event: Option<&Map<String, Value>>) -> Result<(), RegistryError> {
        let lists = [("capsules.json", "capsules", &left.capsule), ("genes.json", "genes", &left.gene_added)];
        for (file, key, id) in lists {
            if let Some(id) = id {
                self.edit(file, key, |collection| collection.without(id))?;
            }
        }
        event.map_or(Ok(()), |event| self.append_once(EVENTS, event))
    }

    /// Appends a document, unless a line has its id.
    fn append_once(&self, file: &str, document: &Map<String, Value>) -> Result<(), RegistryError> {
        let path = self.folder.join(file);
        let mut is_there = false;
        if let Some(mut open) = durable::open_to_read(&path).map_err(io("open", &path))? {
            durable::read_lines(&mut open, MAX_ASSET_BYTES, |line| {
                if let Line::Whole(bytes) | Line::Torn(bytes) = line {
                    is_there |= states_id(bytes, document.get("id"));
                }
            })
            .map_err(io("read", &path))?;
        }
        if is_there { Ok(()) } else { self.append(file, document) }
    }

    /// The events that can be read, oldest first. Lines of others are passed over.
    pub fn events(&self) -> Result<Vec<EvolutionEvent>, RegistryError> {
        let path = self.folder.join(EVENTS);
        let Some(mut file) = durable::open_to_read(&path).map_err(io("open", &path))? else { return Ok(Vec::new()) };
        let mut events = Vec::new();
        durable::read_lines(&mut file, MAX_ASSET_BYTES, |line| {
            // Another tool may leave out the last line end.
            if let Line::Whole(bytes) | Line::Torn(bytes) = line {
                events.extend(EvolutionEvent::from_json(bytes).ok());
            }
        })
        .map_err(io("read", &path))?;
        Ok(events)
    }

    /// The validation reports that can be read, oldest first.
    pub fn reports(&self) -> Result<Vec<ValidationReport>, RegistryError> {
        let path = self.folder.join(REPORTS);
        let Some(mut file) = durable::open_to_read(&path).map_err(io("open", &path))? else { return Ok(Vec::new()) };
        let mut reports = Vec::new();
        durable::read_lines(&mut file, MAX_ASSET_BYTES, |line| {
            if let Line::Whole(bytes) | Line::Torn(bytes) = line {
                let document = digest::read_object(bytes, MAX_ASSET_BYTES).ok();
                reports.extend(document.and_then(|document| ValidationReport::read(document).ok()));
            }
        })
        .map_err(io("read", &path))?;
        Ok(reports)
    }

    /// The capsules that can be read.
    pub fn capsules(&self) -> Result<Vec<Capsule>, RegistryError> {
        self.assets("capsules.json", "capsules", |bytes| Capsule::from_json(bytes).ok())
    }

    /// The genes that can be read.
    pub fn genes(&self) -> Result<Vec<Gene>, RegistryError> {
        self.assets("genes.json", "genes", |bytes| Gene::from_json(bytes).ok())
    }

    fn assets<T>(&self, file: &str, key: &str, read: impl Fn(&[u8]) -> Option<T>) -> Result<Vec<T>, RegistryError> {
        let path = self.folder.join(file);
        let Some(text) = durable::read_text(&path, MAX_FILE_BYTES).map_err(io("read", &path))? else {
            return Ok(Vec::new());
        };
        let collection = Collection::read(key, &text).map_err(shape(&path))?;
        Ok(collection.items().filter_map(|item| read(item.as_bytes())).collect())
    }

    fn put(&self, file: &str, key: &str, id: &str, document: &Map<String, Value>) -> Result<(), RegistryError> {
        self.edit(file, key, |collection| collection.with(id, document))
    }

    fn edit(
        &self,
        file: &str,
        key: &str,
        change: impl FnOnce(&Collection<'_>) -> Option<String>,
    ) -> Result<(), RegistryError> {
        let path = self.folder.join(file);
        self.create()?;
        // Two gephosts must not write over each other. The lock is that of a file which belongs here anyway and is
        // never replaced; it is held until the function ends.
        let lock = self.folder.join(EVENTS);
        let _lock = durable::open_to_append(&lock, Access::Shared).map_err(io("lock", &lock))?;
        let text = durable::read_text(&path, MAX_FILE_BYTES).map_err(io("read", &path))?.unwrap_or_default();
        let collection = Collection::read(key, &text).map_err(shape(&path))?;
        match change(&collection) {
            Some(text) => durable::replace(&path, text.as_bytes(), Access::Shared).map_err(io("write", &path)),
            None => Ok(()),
        }
    }

    /// Makes the folder. gephost's own folder in the project, if it lies there, is private and ignored by git.
    fn create(&self) -> Result<(), RegistryError> {
        let above = self.folder.parent();
        let is_own = above.name() == PROJECT_FOLDER;
        if is_own {
            durable::create_folder(&above, Access::Private).map_err(io("create", &above))?;
        }
        durable::create_folder(&self.folder, Access::Shared).map_err(io("create", &self.folder))?;
        let ignore = above.join(".gitignore");
        if is_own && !ignore.exists().map_err(io("look at", &ignore))? {
            durable::replace(&ignore, b"*\n", Access::Private).map_err(io("write", &ignore))?;
        }
        Ok(())
    }

    fn append(&self, file: &str, document: &Map<String, Value>) -> Result<(), RegistryError> {
        let path = self.folder.join(file);
        let line = digest::canonical_text(&Value::Object(document.clone())).map_err(shape(&path))?;
        self.create()?;
        let mut open = durable::open_to_append(&path, Access::Shared).map_err(io("open", &path))?;
        durable::append(&mut open, &path, format!("{line}\n").as_bytes()).map_err(io("append to", &path))
    }
}

/// Whether a line is an object that states this id.
fn states_id(line: &[u8], id: Option<&Value>) -> bool {
    let read: Option<Value> = serde_json::from_slice(line).ok();
    read.as_ref().and_then(|read| read.get("id")).is_some_and(|stated| Some(stated) == id)
}

fn read_as<T>(file: &str, read: Result<T, digest::AssetError>) -> Result<T, RegistryError> {
    read.map_err(|reason| RegistryError::Shape { path: file.to_owned(), reason: reason.to_string() })
}

fn io<'a>(doing: &'static str, place: &'a Place) -> impl Fn(std::io::Error) -> RegistryError + 'a {
    move |source| RegistryError::Io { doing, path: place.display().to_string(), source }
}

fn shape<E: ToString>(place: &Place) -> impl Fn(E) -> RegistryError + '_ {
    move |reason| RegistryError::Shape { path: place.display().to_string(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    const EVENT: &str =
        r#"{"type":"EvolutionEvent","id":"evt_1","intent":"repair","outcome":{"status":"success","score":1}}"#;
    const CAPSULE: &str =
        r#"{"type":"Capsule","id":"capsule_1","outcome":{"status":"failed"},"validation_errors":["x"]}"#;

    fn gene(id: &str) -> Gene {
        let text = format!(
            r#"{{"type":"Gene","schema_version":"1.5.0","id":"{id}","category":"repair","signals_match":["error"],"strategy":["a"],"constraints":{{"max_files":1}},"validation":[]}}"#
        );
        Gene::from_json(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_another_tool_wrote_is_kept_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("genes.json");
        let foreign = r#"{"type":"Gene",  "id":"theirs", "n":1.00, "x":{"b":1,"a":2}}"#;
        fs::write(&path, format!("{{\"note\": \"keep  me\", \"genes\": [{foreign}]}}")).unwrap();
        let registry = Registry::new(&Place::shared(folder.path()));
        registry.put_gene(&gene("gene_ours")).unwrap();
        registry.put_gene(&gene("gene_ours")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(foreign) && text.contains("\"note\": \"keep  me\""), "{text}");
        assert_eq!(registry.genes().unwrap().iter().filter(|gene| gene.id == "gene_ours").count(), 1);
    }

    #[test]
    fn a_file_that_is_no_collection_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("genes.json");
        fs::write(&path, "not json").unwrap();
        assert!(Registry::new(&Place::shared(folder.path())).put_gene(&gene("gene_ours")).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "not json");
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty_and_stays_away() {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&Place::shared(folder.path()).join("gep"));
        assert!(registry.events().unwrap().is_empty() && registry.capsules().unwrap().is_empty());
        assert!(!folder.path().join("gep").exists());
    }

    #[test]
    fn only_files_of_the_protocol_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&Place::shared(folder.path()).join("a/gep"));
        let capsule = Capsule::from_json(CAPSULE.as_bytes()).unwrap();
        registry.put_gene(&gene("gene_ours")).unwrap();
        registry.put_capsule(&capsule).unwrap();
        registry.put_failed_capsule(&capsule).unwrap();
        registry.append_event(&EvolutionEvent::from_json(EVENT.as_bytes()).unwrap()).unwrap();
        registry.append_once(REPORTS, &Map::from_iter([("id".to_owned(), "vr_1".into())])).unwrap();
        let mut names: Vec<_> = fs::read_dir(folder.path().join("a/gep"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let expect =
            ["capsules.json", "events.jsonl", "failed_capsules.json", "genes.json", "validation_reports.jsonl"];
        assert_eq!(names, expect);
        let read = (registry.genes().unwrap(), registry.capsules().unwrap(), registry.events().unwrap());
        assert_eq!((read.0[0].id.as_str(), read.1, read.2[0].id.as_str()), ("gene_ours", vec![capsule], "evt_1"));
        let failed: Value =
            serde_json::from_slice(&fs::read(folder.path().join("a/gep/failed_capsules.json")).unwrap()).unwrap();
        assert_eq!(failed["failed_capsules"][0]["id"], "capsule_1");
    }

    #[test]
    fn what_a_cycle_left_is_put_once_however_often() {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&Place::shared(folder.path()));
        let object = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        let assets = AssetDocuments {
            genes: vec![gene("gene_ours").document().clone()],
            capsules: vec![object(CAPSULE)],
            reports: vec![object(r#"{"type":"ValidationReport","id":"vr_1"}"#)],
            event: Some(object(EVENT)),
        };
        let all = |folder: &Path| {
            let names = ["genes.json", "failed_capsules.json", "events.jsonl", "validation_reports.jsonl"];
            names.map(|name| fs::read_to_string(folder.join(name)).unwrap())
        };
        registry.put_documents(&assets).unwrap();
        let once = all(folder.path());
        // As after a crash that cut the last line.
        fs::write(folder.path().join(EVENTS), &once[2][..20]).unwrap();
        registry.put_documents(&assets).unwrap();
        assert_eq!(registry.events().unwrap().len(), 1);
        registry.put_documents(&assets).unwrap();
        assert_eq!((registry.events().unwrap().len(), &all(folder.path())[3]), (1, &once[3]));
        assert!(!folder.path().join("capsules.json").exists());
    }

    #[test]
    fn lines_of_others_stay_and_a_cut_one_swallows_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let registry = Registry::new(&Place::shared(folder.path()));
        let event = EvolutionEvent::from_json(EVENT.as_bytes()).unwrap();
        for (start, readable) in [("", 0), ("{\"type\": \"Other\"}\nnot json\n\n", 0), (EVENT, 1), (&EVENT[..40], 0)] {
            fs::write(&path, start).unwrap();
            assert_eq!(registry.events().unwrap().len(), readable, "{start}");
            registry.append_event(&event).unwrap();
            assert!(fs::read_to_string(&path).unwrap().starts_with(start));
            assert_eq!(registry.events().unwrap().len(), readable + 1, "{start}");
        }
    }

    #[test]
    fn a_link_in_a_files_place_is_refused_and_its_target_kept() {
        let event = EvolutionEvent::from_json(EVENT.as_bytes()).unwrap();
        for name in ["genes.json", EVENTS] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("target");
            fs::write(&target, "{}").unwrap();
            symlink(&target, folder.path().join(name)).unwrap();
            let registry = Registry::new(&Place::shared(folder.path()));
            assert!(registry.put_gene(&gene("gene_ours")).is_err(), "{name}");
            assert_eq!(registry.genes().is_err(), name != EVENTS);
            assert_eq!(registry.append_event(&event).is_err(), name == EVENTS);
            assert_eq!(fs::read_to_string(&target).unwrap(), "{}");
        }
    }

    #[test]
    fn puts_at_once_lose_none() {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&Place::shared(folder.path()));
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let registry = &registry;
                scope.spawn(move || {
                    for number in 0..5 {
                        registry.put_gene(&gene(&format!("gene_{writer}_{number}"))).unwrap();
                    }
                });
            }
        });
        assert_eq!(registry.genes().unwrap().len(), 15);
    }
}

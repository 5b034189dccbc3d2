//! The assets folder: `genes.json`, `capsules.json`, `failed_capsules.json`, `events.jsonl`,
//! `validation_reports.jsonl` and the others of [`FILES`], in the shapes that other GEP tools read and write.
//!
//! Owns those files. What must stay true: what another tool wrote is kept byte for byte, known or not, but for an asset
//! that is put in the place of one with its id; a file has its old content or the new one whole; a line that was
//! appended is on disk. Reading and changing take memory for one asset at a time, whatever the size of a file.
//!
//! Genes and capsules may stand in a list and in a file of lines, which only grows. Of one id, the newest line counts, then
//! the first item of the list.

mod archive;
mod collection;
mod documents;
mod error;
mod events;
mod files;
mod grown;
mod ids;
mod list;
mod newest;
mod received;
mod selection;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};

use gephost_core::capsule::Capsule;
use gephost_core::digest::{self, MAX_ASSET_BYTES};
use gephost_core::event_log::AppliedAssets;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::gene::Gene;
use gephost_core::validation::ValidationReport;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::durable::{self, Access};
use crate::place::Place;
use crate::state::PROJECT_FOLDER;
pub use archive::{Archive, ArchiveError, RestoreError};
use collection::Change;
pub use documents::AssetDocuments;
pub use error::RegistryError;
use error::{io, shape};
pub use events::Events;
pub use files::{AssetFile, FILES, Form, MEMORY, Stored};
use files::{CAPSULE_LINES, CAPSULES, FAILED_CAPSULES, GENE_LINES, GENES};
pub use received::ReceivedIds;
pub use selection::TextIndex;
pub use walk::{WalkError, walk, walk_lists};

/// The events, one a line.
const EVENTS: &str = files::EVENT_LINES.name;
/// The member that only the manifest of a component has.
const COMPONENT_MEMBER: &str = "world";

/// An assets folder.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: Place,
    /// The user's cache folder, for what takes long to read.
    cache: Option<Place>,
}

impl Registry {
    /// The folder. Touches nothing; it is made when something is written.
    pub fn new(folder: &Place) -> Self {
        Self { folder: folder.clone(), cache: None }
    }

    /// The same folder, of which the user's cache folder remembers what takes long to read.
    #[must_use]
    pub fn with_cache(self, cache: &Place) -> Self {
        Self { cache: Some(cache.clone()), ..self }
    }

    /// What its files in the cache are named after.
    fn cache_name(&self) -> String {
        blake3::hash(self.folder.path().as_os_str().as_encoded_bytes()).to_hex().chars().take(32).collect()
    }

    /// Puts a gene into `genes.json`, in the place of an earlier version of the same component. A gene of another tool that has
    /// the id stays as it is, and the gene is not put: ids such as `gene_gep_repair_from_errors` are common to all tools.
    pub fn put_gene(&self, gene: &Gene) -> Result<(), RegistryError> {
        let newest = self.newest_line(&GENE_LINES, &gene.id, document)?;
        let has_id = |stored: &Map<String, Value>| stored.get("id").and_then(Value::as_str) == Some(&gene.id);
        let listed = || self.first(&GENES, |text| document(text).filter(has_id));
        let stored = if newest.is_some() { newest.clone() } else { listed()? };
        if stored.is_some_and(|stored| !stored.contains_key(COMPONENT_MEMBER)) {
            return Ok(());
        }
        let mut sealed = gene.document().clone();
        digest::seal(&mut sealed).map_err(shape(&self.folder.join("genes.json")))?;
        self.put(&GENES, &GENE_LINES, newest.as_ref(), &gene.id, &sealed)
    }

    /// Puts a capsule that held into `capsules.json`.
    pub fn put_capsule(&self, capsule: &Capsule) -> Result<(), RegistryError> {
        let newest = self.newest_line(&CAPSULE_LINES, &capsule.id, document)?;
        self.put(&CAPSULES, &CAPSULE_LINES, newest.as_ref(), &capsule.id, capsule.document())
    }

    /// Puts a capsule that did not hold into `failed_capsules.json`, which nothing is reused from.
    pub fn put_failed_capsule(&self, capsule: &Capsule) -> Result<(), RegistryError> {
        self.edit(&FAILED_CAPSULES, |content, key| collection::with(content, key, &capsule.id, capsule.document()))
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
            self.append_once(&files::REPORT_LINES, report)?;
        }
        assets.event.iter().try_for_each(|event| self.append_once(&files::EVENT_LINES, event))
    }

    /// Whether the files to which a cycle appends can be written to. Asked before an effect that assets follow, so that a
    /// file which somebody put there stops it and does not leave it half done.
    pub fn check_appends(&self) -> Result<(), RegistryError> {
        for file in [&GENE_LINES, &CAPSULE_LINES, &files::EVENT_LINES, &files::REPORT_LINES] {
            let path = self.folder.join(file.name);
            durable::check_append(&path).map_err(io("open", &path))?;
        }
        Ok(())
    }

    /// Takes out what an applied change left, where it is there, and appends the event that says so. May be done again.
    pub fn take_back(&self, left: &AppliedAssets, event: Option<&Map<String, Value>>) -> Result<(), RegistryError> {
        for (list, id) in [(&CAPSULES, &left.capsule), (&GENES, &left.gene_added)] {
            if let Some(id) = id {
                self.edit(list, |content, key| collection::without(content, key, id))?;
            }
        }
        event.map_or(Ok(()), |event| self.append_once(&files::EVENT_LINES, event))
    }

    /// Appends a document, unless a line has its id.
    fn append_once(&self, file: &AssetFile, document: &Map<String, Value>) -> Result<(), RegistryError> {
        let id = document.get("id").and_then(Value::as_str);
        let is_there = id.map(|id| self.newest_line(file, id, |_| Some(()))).transpose()?.flatten().is_some();
        if is_there { Ok(()) } else { self.append(file.name, document) }
    }

    /// Hands over each event that can be read, oldest first. Lines of others are passed over.
    pub fn each_event(&self, each: &mut dyn FnMut(EvolutionEvent)) -> Result<(), RegistryError> {
        self.each(&files::EVENT_LINES, &mut |text| {
            if let Ok(event) = EvolutionEvent::from_json(text) {
                each(event);
            }
        })
    }

    /// The newest event with this id.
    pub fn event(&self, id: &str) -> Result<Option<EvolutionEvent>, RegistryError> {
        self.newest_line(&files::EVENT_LINES, id, |line| EvolutionEvent::from_json(line).ok())
    }

    /// The newest validation report with this id.
    pub fn report(&self, id: &str) -> Result<Option<ValidationReport>, RegistryError> {
        self.newest_line(&files::REPORT_LINES, id, |line| {
            let document = digest::read_object(line, MAX_ASSET_BYTES).ok()?;
            ValidationReport::read(document).ok()
        })
    }

    /// Hands over each validation report that can be read, oldest first.
    pub fn each_report(&self, each: &mut dyn FnMut(ValidationReport)) -> Result<(), RegistryError> {
        self.each(&files::REPORT_LINES, &mut |text| {
            let document = digest::read_object(text, MAX_ASSET_BYTES).ok();
            document.and_then(|document| ValidationReport::read(document).ok()).into_iter().for_each(&mut *each);
        })
    }

    /// The capsules that can be read.
    pub fn capsules(&self) -> Result<Vec<Capsule>, RegistryError> {
        self.merged(&CAPSULES, &CAPSULE_LINES, |text| Capsule::from_json(text).ok(), |capsule| &capsule.id)
    }

    /// The same, but only those whose gene or id is wanted. Others are passed over before they are read whole, so a million of
    /// them cost little.
    pub fn capsules_of(&self, is_wanted: impl Fn(Option<&str>, &str) -> bool) -> Result<Vec<Capsule>, RegistryError> {
        #[derive(Deserialize)]
        struct Named<'a> {
            #[serde(borrow)]
            id: Cow<'a, str>,
            #[serde(borrow)]
            gene: Option<Cow<'a, str>>,
        }
        let read = |text: &[u8]| {
            let is_other = |named: Named<'_>| !is_wanted(named.gene.as_deref(), &named.id);
            if text.starts_with(b"{") && serde_json::from_slice(text).is_ok_and(is_other) {
                return None;
            }
            Capsule::from_json(text).ok()
        };
        self.merged(&CAPSULES, &CAPSULE_LINES, read, |capsule| &capsule.id)
    }

    /// The gene with this id.
    pub fn gene(&self, id: &str) -> Result<Option<Gene>, RegistryError> {
        let newest = self.newest_line(&GENE_LINES, id, |line| Gene::from_json(line).ok())?;
        match newest {
            Some(newest) => Ok(Some(newest)),
            None => self.first(&GENES, |text| Gene::from_json(text).ok().filter(|gene| gene.id == id)),
        }
    }

    /// The first thing that `read` makes of an asset of a file.
    fn first<T>(&self, file: &AssetFile, read: impl Fn(&[u8]) -> Option<T>) -> Result<Option<T>, RegistryError> {
        let mut found = None;
        self.each(file, &mut |text| {
            if found.is_none() {
                found = read(text);
            }
        })?;
        Ok(found)
    }

    /// The genes that can be read.
    pub fn genes(&self) -> Result<Vec<Gene>, RegistryError> {
        self.merged(&GENES, &GENE_LINES, |text| Gene::from_json(text).ok(), |gene| &gene.id)
    }

    /// The assets of a list, and of the lines that were added to it. Of one id, the newest line counts.
    fn merged<T>(
        &self,
        list: &AssetFile,
        lines: &AssetFile,
        read: impl Fn(&[u8]) -> Option<T>,
        id: impl Fn(&T) -> &str,
    ) -> Result<Vec<T>, RegistryError> {
        let mut assets: Vec<T> = Vec::new();
        self.each(list, &mut |text| assets.extend(read(text)))?;
        let mut places: Option<BTreeMap<String, usize>> = None;
        self.each(lines, &mut |text| {
            let Some(asset) = read(text) else { return };
            // Of two items with one id the first counts, so that is the one whose place is taken.
            let places = places.get_or_insert_with(|| {
                assets.iter().enumerate().rev().map(|(place, asset)| (id(asset).to_owned(), place)).collect()
            });
            if let Some(older) = places.get(id(&asset)).and_then(|place| assets.get_mut(*place)) {
                *older = asset;
            } else {
                places.insert(id(&asset).to_owned(), assets.len());
                assets.push(asset);
            }
        })?;
        Ok(assets)
    }

    /// Hands over the text of each asset of a file. What cannot be read in a file of lines is passed over.
    fn each(&self, file: &AssetFile, each: &mut dyn FnMut(&[u8])) -> Result<(), RegistryError> {
        self.visit(file, &mut |stored| {
            if let Stored::Text { text, .. } = stored {
                each(text);
            }
        })
    }

    /// Hands over everything that stands in a file, in its order. A missing file is empty.
    pub fn visit(&self, file: &AssetFile, each: &mut dyn FnMut(Stored<'_>)) -> Result<(), RegistryError> {
        let path = self.folder.join(file.name);
        let Some(mut open) = durable::open_to_read(&path).map_err(io("open", &path))? else { return Ok(()) };
        walk(file.form, &mut open, each).map_err(|error| match error {
            WalkError::Json(error) => shape(&path)(error),
            WalkError::Io(error) => io("read", &path)(error),
        })
    }

    /// Writes an archive of all files that are there. `manifest` is its manifest.
    pub fn export(&self, manifest: &Value, output: impl Write) -> Result<(), RegistryError> {
        archive::export(&self.folder, manifest, output)
    }

    /// Whether the folder holds no file of assets.
    pub fn is_empty(&self) -> Result<bool, RegistryError> {
        for file in FILES {
            let path = self.folder.join(file.name);
            if path.exists().map_err(io("look at", &path))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts the files of a checked archive into the folder, as they are, and says how many. A file that is there is an error.
    pub fn restore(&self, archive: &mut Archive) -> Result<u64, RestoreError> {
        self.create()?;
        Ok(archive.restore(&self.folder)?)
    }

    /// Puts an asset into a list, in the place of one with its id. If the id stands in the lines, of which `newest` is the
    /// newest one, the asset becomes a new line instead.
    fn put(
        &self,
        list: &AssetFile,
        lines: &AssetFile,
        newest: Option<&Map<String, Value>>,
        id: &str,
        document: &Map<String, Value>,
    ) -> Result<(), RegistryError> {
        match newest {
            Some(newest) if newest == document => Ok(()),
            Some(_) => self.append(lines.name, document),
            None => self.edit(list, |content, key| collection::with(content, key, id, document)),
        }
    }

    /// Changes a list. `change` receives its content and its name.
    fn edit(
        &self,
        file: &AssetFile,
        change: impl FnOnce(&mut dyn Read, &str) -> serde_json::Result<Option<Change>>,
    ) -> Result<(), RegistryError> {
        let path = self.folder.join(file.name);
        self.create()?;
        // Two gephosts must not write over each other. The lock is that of a file which belongs here anyway and is
        // never replaced; it is held until the function ends.
        let lock = self.folder.join(EVENTS);
        let _lock = durable::open_to_append(&lock, Access::Shared).map_err(io("lock", &lock))?;
        let mut open = durable::open_to_read(&path).map_err(io("open", &path))?;
        let found = match &mut open {
            Some(open) => change(open, file.key()),
            None => change(&mut io::empty(), file.key()),
        };
        let Some(Change { range, text }) = found.map_err(shape(&path))? else { return Ok(()) };
        let written = match &mut open {
            Some(open) => durable::splice(&path, open, range, text.as_bytes(), Access::Shared),
            None => durable::replace(&path, text.as_bytes(), Access::Shared),
        };
        written.map_err(io("write", &path))
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
        let line = line_of(&path, document)?;
        let mut open = self.open_lines(&path)?;
        durable::append(&mut open, &path, line.as_bytes()).map_err(io("append to", &path))
    }

    /// Opens a file of lines to append to it, and makes it and the folder if they are missing. It is locked until it is
    /// closed.
    fn open_lines(&self, path: &Place) -> Result<File, RegistryError> {
        self.create()?;
        durable::open_to_append(path, Access::Shared).map_err(io("open", path))
    }
}

/// An asset as a line of this file.
fn line_of(file: &Place, document: &Map<String, Value>) -> Result<String, RegistryError> {
    Ok(digest::canonical_text(&Value::Object(document.clone())).map_err(shape(file))? + "\n")
}

/// What stands in a file, whether it can be read as an asset or not.
fn document(text: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(text).ok()
}

fn read_as<T>(file: &str, read: Result<T, digest::AssetError>) -> Result<T, RegistryError> {
    read.map_err(|reason| RegistryError::Shape { path: file.to_owned(), reason: reason.to_string() })
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

    fn events(registry: &Registry) -> Vec<EvolutionEvent> {
        let mut events = Vec::new();
        registry.each_event(&mut |event| events.push(event)).unwrap();
        events
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
    fn a_gene_of_another_tool_with_the_same_id_stays_and_an_earlier_version_of_a_component_does_not() {
        let component = |summary: &str| {
            let mut document = gene("gene_both").document().clone();
            document.insert("world".to_owned(), "strategy".into());
            document.insert("summary".to_owned(), summary.into());
            Gene::read(document).unwrap()
        };
        for name in ["genes.json", "genes.jsonl"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            let theirs = r#"{"type":"Gene","id":"gene_both",  "category":"repair","x":1.00}"#;
            fs::write(&path, if name == "genes.json" { format!("[{theirs}]\n") } else { format!("{theirs}\n") })
                .unwrap();
            let before = fs::read(&path).unwrap();
            let registry = Registry::new(&Place::shared(folder.path()));
            registry.put_gene(&component("ours")).unwrap();
            assert_eq!(fs::read(&path).unwrap(), before, "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::new(&Place::shared(folder.path()));
        registry.put_gene(&component("first")).unwrap();
        registry.put_gene(&component("second")).unwrap();
        let [stored] = registry.genes().unwrap().try_into().unwrap();
        assert_eq!(stored.document()["summary"], "second");
    }

    #[test]
    fn a_file_that_cannot_be_appended_to_is_refused_before_anything_is_written() {
        let outer = tempfile::tempdir().unwrap();
        let theirs = outer.path().join("theirs");
        fs::write(&theirs, "theirs\n").unwrap();
        let registry = Registry::new(&Place::shared(&outer.path().join("gep")));
        registry.check_appends().unwrap();
        assert!(!outer.path().join("gep").exists(), "a look makes nothing");
        fs::create_dir_all(outer.path().join("gep")).unwrap();
        for name in ["events.jsonl", "validation_reports.jsonl", "capsules.jsonl", "genes.jsonl"] {
            let path = outer.path().join("gep").join(name);
            for put in [fs::hard_link::<&Path, &Path>, std::os::unix::fs::symlink, |_, path| fs::create_dir(path)] {
                put(&theirs, &path).unwrap();
                assert!(registry.check_appends().is_err(), "{name}");
                if path.is_dir() { fs::remove_dir(&path) } else { fs::remove_file(&path) }.unwrap();
            }
            fs::write(&path, "{}\n").unwrap();
            registry.check_appends().unwrap();
        }
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs\n");
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
        assert!(events(&registry).is_empty() && registry.capsules().unwrap().is_empty());
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
        registry.append_once(&files::REPORT_LINES, &Map::from_iter([("id".to_owned(), "vr_1".into())])).unwrap();
        let mut names: Vec<_> = fs::read_dir(folder.path().join("a/gep"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let expect =
            ["capsules.json", "events.jsonl", "failed_capsules.json", "genes.json", "validation_reports.jsonl"];
        assert_eq!(names, expect);
        let read = (registry.genes().unwrap(), registry.capsules().unwrap(), events(&registry));
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
        assert_eq!(events(&registry).len(), 1);
        registry.put_documents(&assets).unwrap();
        assert_eq!((events(&registry).len(), &all(folder.path())[3]), (1, &once[3]));
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
            assert_eq!(events(&registry).len(), readable, "{start}");
            registry.append_event(&event).unwrap();
            assert!(fs::read_to_string(&path).unwrap().starts_with(start));
            assert_eq!(events(&registry).len(), readable + 1, "{start}");
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
    fn genes_one_by_one_are_those_of_all_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let line = |id: &str, word: &str| {
            Value::Object(gene(id).document().clone()).to_string().replace("\"error\"", &format!("\"{word}\""))
        };
        let list = format!("[{}, {}, {}]", line("a", "a1"), line("b", "b1"), line("c", "c1"));
        fs::write(folder.path().join("genes.json"), list).unwrap();
        let lines = [line("b", "b2"), "no gene".to_owned(), line("d", "d1"), line("b", "b3"), line("d", "d2")];
        fs::write(folder.path().join("genes.jsonl"), lines.join("\n")).unwrap();
        fs::write(folder.path().join("external_candidates.jsonl"), line("a", "far")).unwrap();
        let registry = Registry::new(&Place::shared(folder.path()));
        let word = |gene: &Gene| gene.signals_match.concat();
        let mut found = Vec::new();
        registry.each_gene(&mut |gene| found.push(word(&gene))).unwrap();
        assert_eq!(found, ["a1", "c1", "b3", "d2", "far"]);
        let mut merged: Vec<String> = registry.genes().unwrap().iter().map(word).collect();
        merged.sort();
        assert_eq!(merged, ["a1", "b3", "c1", "d2"]);
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

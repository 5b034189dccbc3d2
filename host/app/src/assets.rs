//! Looks at the assets folder, takes it along, and takes in what others made.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use gephost_core::asset::{Described, describe};
use gephost_core::digest::{MAX_ASSET_BYTES, SCHEMA_VERSION, read_object};
use gephost_core::reception::{Received, Refused, Sender, receive};
use gephost_runner::registry::{Archive, FILES, Form, MEMORY, ReceivedIds, RestoreError, Stored, walk, walk_lists};
use gephost_runner::regular_file;
use serde_json::{Value, json};

use crate::error::{AppError, ErrorKind};
use crate::past::assets_failed;
use crate::project::Project;

/// The version of the protocol's specification that archives follow.
const GEP_VERSION: &str = "1.0.0";

/// Most refused assets that an import lists.
pub const MAX_LISTED: usize = 100;

/// How many received assets are written, and synced to disk, together.
const WRITTEN_AT_ONCE: usize = 256;

/// What stands at one place of the assets folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Name of the file.
    pub file: &'static str,
    /// The number of the item or line, from 1.
    pub number: u64,
    /// What the text is that stands there, and whether its asset id is right.
    pub described: Described,
}

/// A file of the assets folder that cannot be read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its name in the assets folder.
    pub file: &'static str,
    /// Why.
    pub reason: String,
}

/// What an import did.
#[derive(Debug, Default)]
pub struct Imported {
    /// What is new in `external_candidates.jsonl`.
    pub received: Vec<ReceivedAsset>,
    /// How many assets had been received before.
    pub known: u64,
    /// How many were refused.
    pub refused: u64,
    /// The first [`MAX_LISTED`] of those.
    pub refusals: Vec<RefusedAsset>,
    /// How many assets of types that do not travel were passed over, by type.
    pub passed_over: BTreeMap<String, u64>,
}

/// An asset that was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedAsset {
    /// Its member `type`: `Gene` or `Capsule`.
    pub kind: &'static str,
    /// Its member `id`.
    pub id: String,
    /// The asset id that its sender gave it.
    pub asset_id: String,
    /// Who signed the message that it came in: `unsigned`, or `verified by NODE`.
    pub signature: String,
}

/// An asset that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAsset {
    /// The name of its file within an archive; empty otherwise.
    pub file: &'static str,
    /// The number of the item or line, from 1.
    pub number: u64,
    /// Why.
    pub reason: String,
}

impl Project {
    /// Hands over what is in the assets folder, file by file, and returns the files that cannot be read to their end.
    pub fn list_assets(&self, each: &mut dyn FnMut(Listed)) -> Vec<Unreadable> {
        let mut unreadable = Vec::new();
        for file in FILES {
            let visited = self.registry.visit(file, &mut |stored| {
                let (number, described) = match stored {
                    Stored::Text { number, text } => (number, describe(text, file.kind)),
                    Stored::TooLong { number } => (number, too_long()),
                };
                each(Listed { file: file.name, number, described });
            });
            if let Err(error) = visited {
                unreadable.push(Unreadable { file: file.name, reason: error.to_string() });
            }
        }
        unreadable
    }

    /// Writes an archive of the assets folder (`.gepx`). `name` is the agent's name in its manifest.
    pub fn export_assets(&self, name: &str, output: impl Write) -> Result<(), AppError> {
        let failed = |error| assets_failed(&error);
        let (mut events, mut successes) = (0_u64, 0_u64);
        let counted = self.registry.each_event(&mut |event| {
            events += 1;
            successes += u64::from(event.outcome.is_success());
        });
        counted.map_err(failed)?;
        #[expect(clippy::cast_precision_loss, reason = "a folder has far fewer than 2^53 events")]
        let success_rate = if events == 0 { 0.0 } else { successes as f64 / events as f64 };
        let (genes, capsules) = self.registry.counts().map_err(failed)?;
        let mut memory_entries = 0_u64;
        self.registry.visit(&MEMORY, &mut |_| memory_entries += 1).map_err(failed)?;
        let manifest = json!({
            "gep_version": GEP_VERSION,
            "schema_version": SCHEMA_VERSION,
            "created_at": self.environment.now().to_string(),
            "agent_name": name,
            "statistics": {
                "total_events": events,
                "total_genes": genes,
                "total_capsules": capsules,
                "success_rate": success_rate,
                "memory_graph_entries": memory_entries,
            },
            "source": { "platform": "gephost", "version": env!("CARGO_PKG_VERSION") },
        });
        self.registry.export(&manifest, output).map_err(failed)
    }

    /// Takes in the genes and capsules of a file: an archive, JSON lines, a list, or one asset. Each must verify, and becomes an
    /// external candidate with lowered confidence. `source` says where it came from; without it the file's name does.
    pub fn import_assets(&self, path: &Path, source: Option<&str>) -> Result<Imported, AppError> {
        let mut file = self.open_import(path)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut import = self.import_from(source.map_or(name, str::to_owned))?;
        let refused = |error: &dyn std::fmt::Display| import_refused(path, error);
        let read = if is_archive(&mut file, path)? {
            let mut archive = Archive::open(file).map_err(|error| refused(&error))?;
            let visited = archive.visit(&mut |file, stored| import.take(file.name, stored, Sender::Unsigned));
            visited.map_err(|error| refused(&error))
        } else if let Some(text) = single_asset(&mut file, path)? {
            import.take("", Stored::Text { number: 1, text: &text }, Sender::Unsigned);
            Ok(())
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            walk(Form::Lines, &mut file, &mut |stored| import.take("", stored, Sender::Unsigned))
                .map_err(|error| refused(&error))
        } else {
            walk_lists(&mut file, &mut |stored| import.take("", stored, Sender::Unsigned))
                .map_err(|error| refused(&error))
        };
        // What was read before a file broke off is good, and is kept.
        import.write();
        match import.failed.take().or(read.err()) {
            Some(error) => Err(import.broken_off(error)),
            None => Ok(import.done),
        }
    }

    /// Takes in genes and capsules that came over the network, and the node that signed the message of each. Each must verify,
    /// as for a file.
    pub(crate) fn take_in<'t>(
        &self,
        source: &str,
        texts: impl Iterator<Item = (&'t [u8], Sender<'t>)>,
    ) -> Result<Imported, AppError> {
        let mut import = self.import_from(source.to_owned())?;
        for (place, (text, sender)) in texts.enumerate() {
            import.take("", Stored::Text { number: place as u64 + 1, text }, sender);
        }
        import.write();
        match import.failed.take() {
            Some(error) => Err(import.broken_off(error)),
            None => Ok(import.done),
        }
    }

    fn import_from(&self, source: String) -> Result<Import<'_>, AppError> {
        Ok(Import {
            project: self,
            source,
            known: self.registry.received().map_err(|error| assets_failed(&error))?,
            done: Imported::default(),
            pending: Vec::new(),
            failed: None,
        })
    }

    /// Puts the files of an archive that the user made into an empty assets folder, as they are. Returns how many.
    pub fn restore_assets(&self, path: &Path) -> Result<u64, AppError> {
        let file = self.open_import(path)?;
        let mut archive = Archive::open(file).map_err(|error| import_refused(path, &error))?;
        if !self.registry.is_empty().map_err(|error| assets_failed(&error))? {
            return Err(AppError::new(ErrorKind::Conflict, "assets_exist", "the assets folder has assets already")
                .hint(
                    "`--restore` needs an empty assets folder; without it, assets are imported as external candidates",
                ));
        }
        self.registry.restore(&mut archive).map_err(|error| match error {
            RestoreError::Registry(error) => assets_failed(&error),
            RestoreError::Archive(error) => import_refused(path, &error),
        })
    }

    fn open_import(&self, path: &Path) -> Result<File, AppError> {
        regular_file::open(&self.environment.resolve(path)).map_err(|error| AppError::io(path, "open", &error))
    }
}

/// An import that is under way.
struct Import<'a> {
    project: &'a Project,
    source: String,
    /// Asset ids of what was received before.
    known: ReceivedIds,
    done: Imported,
    /// What is taken in and not written yet.
    pending: Vec<Received>,
    /// The first failure to write; nothing is taken after it.
    failed: Option<AppError>,
}

impl Import<'_> {
    fn take(&mut self, file: &'static str, stored: Stored<'_>, sender: Sender<'_>) {
        if self.failed.is_some() {
            return;
        }
        let (number, received) = match stored {
            Stored::Text { number, text } => {
                (number, receive(text, &self.source, sender, self.project.environment.now()).map_err(Some))
            }
            Stored::TooLong { number } => (number, Err(None)),
        };
        match received {
            Ok(received) => self.keep(received),
            Err(Some(Refused::Kind(kind))) => *self.done.passed_over.entry(kind).or_default() += 1,
            Err(refused) => {
                let reason =
                    refused.map_or_else(|| too_long().problem.unwrap_or_default(), |refused| refused.to_string());
                self.done.refused += 1;
                if self.done.refusals.len() < MAX_LISTED {
                    self.done.refusals.push(RefusedAsset { file, number, reason });
                }
            }
        }
    }

    fn keep(&mut self, received: Received) {
        if self.known.has(&received.original_id) {
            self.done.known += 1;
            return;
        }
        self.pending.push(received);
        if self.pending.len() >= WRITTEN_AT_ONCE {
            self.write();
        }
    }

    /// The error of an import that did not come to its end, with what it took in before.
    fn broken_off(&self, error: AppError) -> AppError {
        let count = self.done.received.len();
        if count == 0 {
            return error;
        }
        let assets = if count == 1 { "1 asset was".to_owned() } else { format!("{count} assets were") };
        let message = format!("{}; {assets} taken in before that", error.message);
        AppError { message, ..error }
    }

    fn write(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let count = pending.len();
        match self.project.registry.append_received(&mut self.known, pending) {
            Ok(written) => {
                // The others stand twice in what is imported, or another process has taken them in meanwhile.
                self.done.known += (count - written.len()) as u64;
                self.done.received.extend(written.into_iter().map(|received| ReceivedAsset {
                    kind: received.kind,
                    id: received.id,
                    asset_id: received.original_id,
                    signature: received.signature,
                }));
            }
            Err(error) => self.failed = Some(assets_failed(&error)),
        }
    }
}

fn too_long() -> Described {
    let problem = Some(format!("it has more than {MAX_ASSET_BYTES} bytes"));
    Described { kind: None, id: None, summary: None, verification: None, problem }
}

/// Whether the file begins as gzip does.
fn is_archive(file: &mut File, path: &Path) -> Result<bool, AppError> {
    let mut start = Vec::new();
    file.take(2).read_to_end(&mut start).map_err(|error| AppError::io(path, "read", &error))?;
    rewind(file, path)?;
    Ok(start == [0x1f, 0x8b])
}

/// The bytes of a file that holds one asset: an object with the member `type`.
fn single_asset(file: &mut File, path: &Path) -> Result<Option<Vec<u8>>, AppError> {
    let mut bytes = Vec::new();
    let limit = MAX_ASSET_BYTES as u64;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| AppError::io(path, "read", &error))?;
    rewind(file, path)?;
    let is_one =
        read_object(&bytes, MAX_ASSET_BYTES).is_ok_and(|members| members.get("type").is_some_and(Value::is_string));
    Ok(is_one.then_some(bytes))
}

fn rewind(file: &mut File, path: &Path) -> Result<(), AppError> {
    file.seek(SeekFrom::Start(0)).map(drop).map_err(|error| AppError::io(path, "read", &error))
}

fn import_refused(path: &Path, error: &dyn std::fmt::Display) -> AppError {
    AppError::usage("import_refused", format!("{}: {error}", path.display()))
        .hint("an import reads a `.gepx` archive, JSON lines (`.jsonl`), a list of assets, or one asset")
}

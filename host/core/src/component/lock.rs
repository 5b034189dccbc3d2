//! `gephost.lock`: which components a repository's genes are, by digest.
//!
//! The file is in the repository, so anybody may write it. It pins and never lets in: a pinned gene runs only for a user who
//! added exactly that component. What must stay true: one set of pins has one text.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::reference::Reference;
use crate::digest::read_object;
use crate::gene::is_id;
use crate::gene::{Capability, World};
use crate::recording::Digest;

/// Name of the file, in the project's root.
pub const LOCK_FILE: &str = "gephost.lock";
/// The largest file that is read, in bytes.
pub const MAX_LOCK_BYTES: u64 = 1 << 20;
/// The most genes of a file.
const MAX_PINS: usize = 1000;
/// The kind of document.
const SCHEMA: &str = "gephost.lock/1";

/// Why a file is no lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Not strict JSON, or a member that is unknown, missing or of another type.
    #[error("{0}")]
    Json(String),
    /// Another kind or version of document.
    #[error("its `schema` is {0:?}, not {SCHEMA:?}")]
    Schema(String),
    /// An id that no gene has.
    #[error("{0:?} is not the id of a gene")]
    Id(String),
    /// An id that comes twice, or after one that sorts behind it.
    #[error("the genes are not sorted by id, or {0:?} comes twice")]
    Order(String),
    /// A source that is no reference.
    #[error("the source of {id}: {problem}")]
    Source {
        /// The gene's id.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// Too many genes.
    #[error("it has more than {MAX_PINS} genes")]
    TooMany,
}

/// What a repository pins of one gene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The gene's id.
    pub id: String,
    /// Digest of the component.
    pub digest: Digest,
    /// Where it was added from: a reference of `gephost gene add`.
    pub source: String,
    /// The world that it exports.
    pub world: World,
    /// The capabilities that it requests.
    pub capabilities: BTreeSet<Capability>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    genes: Vec<Pin>,
}

/// The pins of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock(BTreeMap<String, Pin>);

impl Lock {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Self, LockError> {
        let limit = usize::try_from(MAX_LOCK_BYTES).unwrap_or(usize::MAX);
        let members = read_object(bytes, limit).map_err(|error| LockError::Json(error.to_string()))?;
        let file: File = serde_json::from_value(members.into()).map_err(|error| LockError::Json(error.to_string()))?;
        if file.schema != SCHEMA {
            return Err(LockError::Schema(file.schema.chars().take(100).collect()));
        }
        if file.genes.len() > MAX_PINS {
            return Err(LockError::TooMany);
        }
        let mut pins = BTreeMap::new();
        for pin in file.genes {
            check(&pin)?;
            if pins.last_key_value().is_some_and(|(last, _): (&String, &Pin)| *last >= pin.id) {
                return Err(LockError::Order(pin.id));
            }
            pins.insert(pin.id.clone(), pin);
        }
        Ok(Self(pins))
    }

    /// The file's text, which is the same for the same pins.
    pub fn text(&self) -> String {
        let document = json!({ "schema": SCHEMA, "genes": self.0.values().collect::<Vec<_>>() });
        format!("{document:#}\n")
    }

    /// The pin of a gene.
    pub fn get(&self, id: &str) -> Option<&Pin> {
        self.0.get(id)
    }

    /// All pins, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Pin> {
        self.0.values()
    }

    /// Pins a gene, instead of an earlier pin of it.
    pub fn insert(&mut self, pin: Pin) -> Result<(), LockError> {
        check(&pin)?;
        if self.0.len() >= MAX_PINS && !self.0.contains_key(&pin.id) {
            return Err(LockError::TooMany);
        }
        self.0.insert(pin.id.clone(), pin);
        Ok(())
    }

    /// Takes a pin out, and returns it.
    pub fn remove(&mut self, id: &str) -> Option<Pin> {
        self.0.remove(id)
    }
}

fn check(pin: &Pin) -> Result<(), LockError> {
    if !is_id(&pin.id) {
        return Err(LockError::Id(pin.id.chars().take(200).collect()));
    }
    let source = Reference::read(&pin.source);
    source.map(drop).map_err(|error| LockError::Source { id: pin.id.clone(), problem: error.to_string() })
}

/// What a component asks for, and whether somebody vouches for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asks {
    /// The world that it exports.
    pub world: World,
    /// The capabilities that it requests.
    pub capabilities: BTreeSet<Capability>,
    /// Whether its signature is verified.
    pub is_verified: bool,
}

impl Asks {
    /// In what an update goes beyond this. Each is a clause after "it".
    pub fn widened_by(&self, update: &Self) -> Vec<String> {
        let asked = update.capabilities.difference(&self.capabilities);
        let mut wider: Vec<String> = asked.map(|capability| format!("also requests {capability}")).collect();
        if update.world.diagnoses() && !self.world.diagnoses() {
            wider.push("also diagnoses".to_owned());
        }
        if update.world.proposes() && !self.world.proposes() {
            wider.push("also proposes changes".to_owned());
        }
        if self.is_verified && !update.is_verified {
            wider.push("is no longer signed by a key that you trust".to_owned());
        }
        wider
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(id: &str) -> Pin {
        Pin {
            id: id.to_owned(),
            digest: Digest::of(id.as_bytes()),
            source: format!("oci://127.0.0.1:5000/{id}:v1"),
            world: World::Strategy,
            capabilities: [Capability::Workspace, Capability::RunLog].into(),
        }
    }

    #[test]
    fn the_same_pins_are_the_same_bytes() {
        let (mut one, mut other) = (Lock::default(), Lock::default());
        for id in ["b", "a", "c"] {
            one.insert(pin(id)).unwrap();
        }
        for id in ["c", "b", "a", "b"] {
            other.insert(pin(id)).unwrap();
        }
        assert_eq!(one.text(), other.text());
        assert_eq!(Lock::read(one.text().as_bytes()), Ok(one.clone()));
        assert_eq!(one.iter().map(|pin| pin.id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(one.remove("b"), Some(pin("b")));
        assert_eq!((one.get("b"), one.get("c")), (None, Some(&pin("c"))));
        let first = Lock::read(Lock::default().text().as_bytes()).unwrap();
        assert_eq!(first, Lock::default());
    }

    #[test]
    fn whatever_is_not_understood_is_refused() {
        let mut lock = Lock::default();
        lock.insert(pin("a")).unwrap();
        lock.insert(pin("b")).unwrap();
        let good = lock.text();
        let check = |from: &str, to: &str, said: &str| {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good, "{from}");
            let error = Lock::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{to}: {error}");
        };
        check("gephost.lock/1", "gephost.lock/2", "gephost.lock/2");
        check("\"schema\"", "\"more\": 1, \"schema\"", "unknown field");
        check("\"id\": \"a\"", "\"id\": \"a\", \"allow\": true", "unknown field");
        check("\"id\": \"a\"", "\"id\": \"a\", \"id\": \"a\"", "duplicate key");
        check("\"id\": \"a\"", "\"id\": \"c\"", "not sorted");
        check("\"id\": \"a\"", "\"id\": \"b\"", "twice");
        check("\"id\": \"a\"", "\"id\": \"../a\"", "not the id");
        check("sha256:", "sha512:", "digest");
        check("oci://127", "https://127", "not a scheme");
        check("\"strategy\"", "\"host\"", "unknown variant");
        check("\"run-log\"", "\"everything\"", "unknown variant");
        assert!(Lock::read(b"[]").is_err());
        let many: Vec<Pin> = (0..=MAX_PINS).map(|number| pin(&format!("g{number:04}"))).collect();
        let text = json!({ "schema": SCHEMA, "genes": many }).to_string();
        assert_eq!(Lock::read(text.as_bytes()), Err(LockError::TooMany));
    }

    #[test]
    fn only_more_is_wider() {
        let asks = |world, capabilities: &[Capability], is_verified| Asks {
            world,
            capabilities: capabilities.iter().copied().collect(),
            is_verified,
        };
        let before = asks(World::Strategy, &[Capability::RunLog], true);
        assert_eq!(before.widened_by(&before), Vec::<String>::new());
        assert_eq!(before.widened_by(&asks(World::Strategy, &[], true)), Vec::<String>::new());
        let all = asks(World::Gene, &[Capability::RunLog, Capability::Completion], false);
        let wider = ["also requests completion", "also diagnoses", "is no longer signed by a key that you trust"];
        assert_eq!(before.widened_by(&all), wider);
        assert_eq!(all.widened_by(&before), Vec::<String>::new(), "less is not wider");
        let heuristic = asks(World::Heuristic, &[], true);
        assert_eq!(heuristic.widened_by(&before), ["also requests run-log", "also proposes changes"]);
    }
}

//! What this user keeps of hubs: the registration of the node at each, and what was published there.
//!
//! Owns the folder `hubs` in the user's state folder, and the folder `published` in the state of each project. What must stay
//! true: a file has its old content or its new one, for this user alone; a message is on disk before it is sent, so that the
//! same one is sent again if its answer was lost.

use std::io;

use gephost_core::digest;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::durable::{self, Access};
use crate::place::Place;

/// The largest file that is read, in bytes: a bundle, its answer and what is around them.
const MAX_BYTES: u64 = 2 << 20;
/// Most publications of one project that are listed.
const MAX_LISTED: usize = 10_000;

/// A node at one hub.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// Address of the hub.
    pub hub: String,
    /// Id of the node.
    pub node: String,
    /// What the hub wants to see in later calls.
    pub secret: Option<String>,
    /// What a person enters at the hub to take the node as theirs.
    pub claim_code: Option<String>,
    /// Where.
    pub claim_url: Option<String>,
    /// When the hub acknowledged the node: RFC 3339.
    pub registered_at: Option<String>,
    /// The hello whose answer has not come yet.
    pub pending: Option<Map<String, Value>>,
    /// The synchronisation with this hub.
    #[serde(default)]
    pub sync: SyncState,
}

/// Where the synchronisation with a hub is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyncState {
    /// When it last came to its end: RFC 3339.
    pub last: Option<String>,
    /// Not before: RFC 3339.
    pub next: Option<String>,
    /// How often in a row it failed.
    pub failures: u32,
}

/// What was published, or is about to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Address of the hub.
    pub hub: String,
    /// Id of the capsule here.
    pub capsule: String,
    /// Id of the bundle.
    pub bundle: String,
    /// Asset ids of what travelled: gene, capsule, perhaps an event.
    pub assets: Vec<String>,
    /// When it was sent first: RFC 3339.
    pub at: String,
    /// The message whose answer has not come yet.
    pub pending: Option<Map<String, Value>>,
    /// What the hub answered.
    pub answer: Option<Value>,
}

/// The registrations of this user.
#[derive(Debug, Clone)]
pub struct Hubs {
    folder: Place,
}

impl Hubs {
    /// In the user's state folder. Touches nothing.
    pub fn new(user_state: &Place) -> Self {
        Self { folder: user_state.join("hubs") }
    }

    /// The registration at a hub.
    pub fn get(&self, hub: &str) -> io::Result<Option<Registration>> {
        read(&self.folder.join(name(hub)))
    }

    /// Keeps a registration.
    pub fn set(&self, registration: &Registration) -> io::Result<()> {
        write(&self.folder, &name(&registration.hub), registration)
    }
}

/// What a project published.
#[derive(Debug, Clone)]
pub struct Publications {
    folder: Place,
}

impl Publications {
    /// In the state of a project. Touches nothing.
    pub fn new(project_state: &Place) -> Self {
        Self { folder: project_state.join("published") }
    }

    /// What became of a capsule at a hub.
    pub fn get(&self, hub: &str, capsule: &str) -> io::Result<Option<Published>> {
        read(&self.folder.join(place(hub, capsule)))
    }

    /// Keeps what became of it.
    pub fn set(&self, published: &Published) -> io::Result<()> {
        write(&self.folder, &place(&published.hub, &published.capsule), published)
    }

    /// Everything, oldest first.
    pub fn list(&self) -> io::Result<Vec<Published>> {
        if !self.folder.exists()? {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for (file, _) in self.folder.files()?.into_iter().take(MAX_LISTED) {
            if file.to_string_lossy().ends_with(".json") {
                all.extend(read::<Published>(&self.folder.join(&file))?);
            }
        }
        all.sort_by(|one, other| (&one.at, &one.capsule).cmp(&(&other.at, &other.capsule)));
        Ok(all)
    }
}

/// The name of a hub's file.
fn name(hub: &str) -> String {
    format!("{}.json", short(hub))
}

/// The name of a publication's file.
fn place(hub: &str, capsule: &str) -> String {
    format!("{}.json", short(&format!("{hub}\n{capsule}")))
}

fn short(text: &str) -> String {
    digest::sha256_hex(text.as_bytes()).chars().take(32).collect()
}

fn read<T: DeserializeOwned>(file: &Place) -> io::Result<Option<T>> {
    let Some(bytes) = file.read(MAX_BYTES)? else { return Ok(None) };
    let read = serde_json::from_slice(&bytes);
    read.map(Some).map_err(|error| io::Error::other(format!("{} cannot be read: {error}", file.display())))
}

fn write(folder: &Place, name: &str, what: &impl Serialize) -> io::Result<()> {
    durable::create_folder(folder, Access::Private)?;
    let text = serde_json::to_string_pretty(what)? + "\n";
    durable::replace(&folder.join(name), text.as_bytes(), Access::Private)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_registration_is_kept_for_each_hub_and_for_this_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let hubs = Hubs::new(&Place::own(folder.path()));
        assert_eq!(hubs.get("https://a.example").unwrap(), None);
        assert!(!folder.path().join("hubs").exists(), "looking makes nothing");
        let mut registration = Registration { hub: "https://a.example".to_owned(), ..Registration::default() };
        hubs.set(&registration).unwrap();
        registration.secret = Some("s".to_owned());
        hubs.set(&registration).unwrap();
        assert_eq!(hubs.get("https://a.example").unwrap(), Some(registration));
        assert_eq!(hubs.get("https://b.example").unwrap(), None);
        let file = fs::read_dir(folder.path().join("hubs")).unwrap().next().unwrap().unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(file.path(), "{").unwrap();
        assert!(hubs.get("https://a.example").unwrap_err().to_string().contains("cannot be read"));
    }

    #[test]
    fn publications_are_listed_oldest_first() {
        let folder = tempfile::tempdir().unwrap();
        let publications = Publications::new(&Place::own(folder.path()));
        assert_eq!(publications.list().unwrap(), []);
        let published = |capsule: &str, at: &str| Published {
            hub: "https://a.example".to_owned(),
            capsule: capsule.to_owned(),
            bundle: "bundle_x".to_owned(),
            assets: Vec::new(),
            at: at.to_owned(),
            pending: None,
            answer: None,
        };
        for one in [published("c2", "2026-01-02"), published("c1", "2026-01-01"), published("c2", "2026-01-02")] {
            publications.set(&one).unwrap();
        }
        let listed: Vec<_> = publications.list().unwrap().into_iter().map(|one| one.capsule).collect();
        assert_eq!(listed, ["c1", "c2"]);
        assert!(publications.get("https://a.example", "c1").unwrap().is_some());
        assert!(publications.get("https://b.example", "c1").unwrap().is_none());
    }
}

//! The compile cache: what is not whole, or not of this user, is never executed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gephost_core::recording::Digest;
use gephost_runner::sandbox::{CacheOutcome, CompileCache, EntryReport, EntryState, Keep, Sandbox};
use gephost_tests::environment::TestEnv;
use tempfile::TempDir;

use crate::guests;

/// A cache folder and its key.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn directory(&self) -> PathBuf {
        self.0.path().join("components")
    }

    fn key(&self) -> PathBuf {
        self.0.path().join("state/key")
    }

    /// Loads with a sandbox and a cache opened anew, as another process would.
    fn load(&self, component: &[u8]) -> CacheOutcome {
        let cache = CompileCache::open(&self.directory(), &self.key()).unwrap();
        Sandbox::new(Some(cache)).unwrap().load(component).unwrap().cache().unwrap()
    }

    fn entries(&self, extension: &str) -> Vec<PathBuf> {
        let files = fs::read_dir(self.directory()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
        files.sort();
        files
    }

    fn entry(&self) -> PathBuf {
        let [entry] = <[PathBuf; 1]>::try_from(self.entries("cwasm")).unwrap();
        entry
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_second_load_is_a_hit() {
    let (place, component) = (Place::new(), guests::heuristic("calm"));
    assert_eq!(place.load(&component), CacheOutcome::Miss);
    assert_eq!(place.load(&component), CacheOutcome::Hit);
    assert_eq!(place.load(&guests::heuristic("trap")), CacheOutcome::Miss);
}

#[test]
fn a_hit_tells_the_same_digest_of_the_component() {
    let (place, component) = (Place::new(), guests::heuristic("calm"));
    for outcome in [CacheOutcome::Miss, CacheOutcome::Hit] {
        let cache = CompileCache::open(&place.directory(), &place.key()).unwrap();
        let gene = Sandbox::new(Some(cache)).unwrap().load(&component).unwrap();
        assert_eq!(gene.cache(), Some(outcome));
        assert_eq!(gene.component().digest(), Digest::of(&component));
    }
}

#[test]
fn nobody_else_reads_the_cache_or_its_key() {
    let place = Place::new();
    place.load(&guests::heuristic("calm"));
    assert_eq!(mode(&place.directory()), 0o700);
    assert_eq!(mode(&place.key()), 0o600);
    assert_eq!(fs::metadata(place.key()).unwrap().len(), 32);
}

#[test]
fn a_damaged_entry_is_put_aside_and_replaced() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 8] = [
        ("a bit of the code", |bytes| *bytes.last_mut().unwrap() ^= 1),
        ("a bit of the seal", |bytes| *bytes.first_mut().unwrap() ^= 1),
        ("a bit of the component's digest", |bytes| bytes[40] ^= 1),
        ("cut within the component's digest", |bytes| bytes.truncate(50)),
        ("cut in the middle", |bytes| bytes.truncate(bytes.len() / 2)),
        ("cut within the seal", |bytes| bytes.truncate(10)),
        ("empty", Vec::clear),
        ("longer", |bytes| bytes.push(0)),
    ];
    let component = guests::heuristic("calm");
    for (what, damage) in damages {
        let place = Place::new();
        place.load(&component);
        let entry = place.entry();
        let mut bytes = fs::read(&entry).unwrap();
        damage(&mut bytes);
        fs::write(&entry, &bytes).unwrap();
        assert_eq!(place.load(&component), CacheOutcome::Quarantined, "{what}");
        let aside = place.entries("quarantined");
        assert_eq!(fs::read(aside.first().unwrap()).unwrap(), bytes, "{what}");
        assert_eq!(place.load(&component), CacheOutcome::Hit, "{what}");
    }
}

#[test]
fn the_entry_of_another_component_is_refused() {
    let (place, calm, trap) = (Place::new(), guests::heuristic("calm"), guests::heuristic("trap"));
    place.load(&calm);
    let calm_entry = place.entry();
    place.load(&trap);
    let trap_entry = place.entries("cwasm").into_iter().find(|entry| *entry != calm_entry).unwrap();
    fs::copy(&trap_entry, &calm_entry).unwrap();
    assert_eq!(place.load(&calm), CacheOutcome::Quarantined);
    assert_eq!(place.load(&trap), CacheOutcome::Hit);
}

#[test]
fn the_entry_of_another_key_is_refused() {
    let (place, component) = (Place::new(), guests::heuristic("calm"));
    place.load(&component);
    fs::write(place.key(), [7; 32]).unwrap();
    assert_eq!(place.load(&component), CacheOutcome::Quarantined);
    assert_eq!(place.load(&component), CacheOutcome::Hit);
}

#[test]
fn a_key_of_the_wrong_length_is_refused() {
    let place = Place::new();
    fs::create_dir_all(place.key().parent().unwrap()).unwrap();
    for length in [0, 31, 33] {
        fs::write(place.key(), vec![1; length]).unwrap();
        fs::set_permissions(place.key(), fs::Permissions::from_mode(0o600)).unwrap();
        let error = CompileCache::open(&place.directory(), &place.key()).unwrap_err();
        assert!(error.to_string().contains("delete it"), "{length}: {error}");
    }
}

#[test]
fn an_entry_that_is_a_link_or_a_folder_is_not_used() {
    let (place, component) = (Place::new(), guests::heuristic("calm"));
    place.load(&component);
    let entry = place.entry();
    let elsewhere = place.0.path().join("elsewhere");
    fs::rename(&entry, &elsewhere).unwrap();
    symlink(&elsewhere, &entry).unwrap();
    assert_ne!(place.load(&component), CacheOutcome::Hit);
    fs::remove_file(&entry).unwrap();
    fs::create_dir(&entry).unwrap();
    assert_ne!(place.load(&component), CacheOutcome::Hit);
}

#[test]
fn a_cache_that_cannot_be_written_stops_nothing() {
    let (place, component) = (Place::new(), guests::heuristic("calm"));
    let cache = CompileCache::open(&place.directory(), &place.key()).unwrap();
    fs::remove_dir_all(place.directory()).unwrap();
    let gene = Sandbox::new(Some(cache)).unwrap().load(&component).unwrap();
    assert_eq!(gene.cache(), Some(CacheOutcome::Miss));
}

#[test]
fn an_entry_is_verified_put_aside_and_pruned() {
    let (place, component) = (Place::new(), guests::heuristic("calm"));
    place.load(&component);
    place.load(&guests::heuristic("trap"));
    let open = || CompileCache::open(&place.directory(), &place.key()).unwrap();
    let states = |reports: Vec<EntryReport>| reports.into_iter().map(|report| report.state).collect::<Vec<_>>();
    assert_eq!(states(open().verify().unwrap()), [EntryState::Ok, EntryState::Ok]);
    let poisoned = place.entries("cwasm").remove(0);
    let mut bytes = fs::read(&poisoned).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&poisoned, bytes).unwrap();
    fs::write(place.directory().join("notes.txt"), "mine").unwrap();
    assert_eq!(states(open().verify().unwrap()), [EntryState::Quarantined, EntryState::Ok, EntryState::Foreign]);
    assert_eq!(states(open().verify().unwrap()), [EntryState::Aside, EntryState::Ok, EntryState::Foreign]);
    assert_eq!(states(open().prune(Keep::Bytes(u64::MAX)).unwrap()), [EntryState::Aside]);
    assert_eq!(states(open().prune(Keep::Bytes(0)).unwrap()), [EntryState::Ok]);
    assert_eq!(states(open().prune(Keep::Nothing).unwrap()), []);
    assert!(place.directory().join("notes.txt").exists(), "what is not the cache's is left alone");
}

#[test]
fn what_was_not_used_lately_is_pruned() {
    let (place, component) = (Place::new(), guests::heuristic("calm"));
    place.load(&component);
    let (time, used) = (Duration::from_secs(60), fs::metadata(place.entry()).unwrap().modified().unwrap());
    let cache = CompileCache::open(&place.directory(), &place.key()).unwrap();
    let prune = |now| cache.prune(Keep::UsedWithin { time, now }).unwrap().len();
    assert_eq!(prune(used + time), 0);
    assert_eq!(prune(used + time + Duration::from_secs(1)), 1);
}

#[test]
fn a_bounded_number_is_put_aside() {
    let place = Place::new();
    for number in 0..12 {
        let component = guests::finding(&format!("title {number}"), 7, "0.5", 0);
        place.load(&component);
        let entry = place.entry();
        fs::write(&entry, "poison").unwrap();
        assert_eq!(place.load(&component), CacheOutcome::Quarantined);
        fs::remove_file(&entry).unwrap();
    }
    assert_eq!(place.entries("quarantined").len(), 8);
}

#[test]
fn a_directory_or_a_key_that_others_could_change_is_refused() {
    let place = Place::new();
    place.load(&guests::heuristic("calm"));
    let opened = || CompileCache::open(&place.directory(), &place.key()).map(|_| ());
    for (path, mode, sound) in [(place.directory(), 0o770, 0o700), (place.key(), 0o640, 0o600)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let error = opened().unwrap_err().to_string();
        assert!(error.contains("open to others") && error.contains("chmod"), "{error}");
        fs::set_permissions(&path, fs::Permissions::from_mode(sound)).unwrap();
        opened().unwrap();
    }
}

#[test]
fn the_commands_say_what_they_found() {
    let env = TestEnv::cold();
    let project = crate::scene::quickstart(&env, None);
    env.run(project.root(), &["run"]).expect_code(0);
    let (document, code) = env.json(project.root(), &["cache", "verify"]);
    let entries = document["entries"].as_array().unwrap();
    assert!(code == 0 && !entries.is_empty() && entries.iter().all(|entry| entry["state"] == "ok"), "{document}");
    let name = entries.first().unwrap()["name"].as_str().unwrap().to_owned();
    fs::write(env.home().join(".cache/gephost/components").join(name), "poison").unwrap();
    assert_eq!(env.json(project.root(), &["cache", "verify"]).1, 1);
    // What else the cache remembers goes by the same rule.
    let outcome = env.home().join(".cache/gephost/backtest/outcome.json");
    fs::create_dir_all(outcome.parent().unwrap()).unwrap();
    fs::write(&outcome, "{}").unwrap();
    let (document, code) = env.json(project.root(), &["cache", "prune"]);
    assert!(code == 0 && document["remembered"] == serde_json::json!([]) && outcome.exists(), "{document}");
    let (document, code) = env.json(project.root(), &["cache", "prune", "--all"]);
    assert_eq!((code, document["removed"].as_array().unwrap().len()), (0, entries.len()), "{document}");
    assert_eq!(document["remembered"], serde_json::json!([{ "name": "backtest/outcome.json", "bytes": 2 }]));
    assert!(!outcome.exists());
}

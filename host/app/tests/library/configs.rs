//! A config that cannot be read or enforced stops every use case, and says where.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use gephost_app::files::{config_text, read_bounded, read_config, untrusted_config_text, utf8};
use gephost_app::{AppError, ErrorKind, Project};
use gephost_core::config::MAX_CONFIG_BYTES;

use crate::scene::{Scene, failed, refusal};

const REFUSED: (ErrorKind, &str) = (ErrorKind::Usage, "config");

#[test]
fn whatever_cannot_be_enforced_is_named_and_opens_no_project() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    for (text, named) in [
        ("unknown = 1\n", "unknown"),
        ("[policy]\nallow = \"a.txt\"\n", "line 2"),
        ("[policy]\nallow = [\"../out\"]\n", "../out"),
        ("[autopilot]\nmax_risk = 101\n", "autopilot.max_risk"),
        ("[autopilot]\nmax_cycles = 0\n", "autopilot.max_cycles"),
        ("[layers]\nmax_depth = 21\n", "layers.max_depth"),
        ("[search]\nmax_wall_s = 3601\n", "search.max_wall_s"),
        ("[observe]\nmax_events = 0\n", "observe.max_events"),
        ("[validation]\nsandbox = \"L9\"\n", "L9"),
        ("[validation]\ncommands = [\"rm -rf x; ls\"]\n", "rm"),
        ("[genes]\nisolation = \"none\"\n", "`none`"),
        ("[model]\nendpoint = \"http://x\"\n", "endpoint"),
        ("[trust]\nfolders = [\"/\"]\n", "trust"),
        ("[policy\n", "line 1"),
        ("dry_run = true\ndry_run = false\n", "line 2"),
    ] {
        scene.write("gephost.toml", text);
        let error = failed(Project::open(&scene.environment));
        assert_eq!((error.kind, error.code), REFUSED, "{text}");
        assert!(error.message.contains(named) && error.message.contains("gephost.toml"), "{text}: {error}");
        assert!(error.hint.is_some(), "{text}");
    }
    scene.write("gephost.toml", "");
    assert!(Project::open(&scene.environment).is_ok());
}

#[test]
fn a_file_that_is_no_text_or_too_large_is_no_config() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let path = scene.root().join("gephost.toml");
    let limit = usize::try_from(MAX_CONFIG_BYTES).expect("it fits");
    fs::write(&path, [b'#', 0xff, b'\n']).expect("a file");
    assert_eq!(refusal(Project::open(&scene.environment)), (ErrorKind::Usage, "not_utf8"));
    fs::write(&path, "#".repeat(limit + 1)).expect("a file");
    assert_eq!(refusal(Project::open(&scene.environment)), (ErrorKind::Usage, "too_large"));
    fs::write(&path, "#".repeat(limit)).expect("a file");
    assert!(Project::open(&scene.environment).is_ok());
}

#[test]
fn what_is_no_regular_file_is_no_config() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let path = scene.root().join("gephost.toml");
    fs::create_dir(&path).expect("a folder");
    let error = failed(Project::open(&scene.environment));
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "io"), "{error}");
    fs::remove_dir(&path).expect("removed");
    // A pipe that nobody writes to would be waited for.
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    assert!(Project::open(&scene.environment).is_err());
    fs::remove_file(&path).expect("removed");
    symlink("a.toml", &path).expect("a link");
    assert!(Project::open(&scene.environment).is_ok(), "a link that leads nowhere is no file");
    scene.write("a.toml", "dry_run = true\n");
    assert!(Project::open(&scene.environment).expect("a project").config.file.dry_run);
}

#[test]
fn a_config_that_is_named_is_read_like_that_of_a_project() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other.toml");
    assert!(!read_config(&path).expect("a missing one is the default").file.dry_run);
    fs::write(&path, "dry_run = true\n").expect("a file");
    assert!(read_config(&path).expect("a config").file.dry_run);
    fs::write(&path, "dry_run = 1\n").expect("a file");
    assert_eq!(refusal(read_config(&path)), REFUSED);
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a folder");
    assert_eq!(refusal(read_config(&path)).1, "io");
    // Rules lie beside it.
    let rules = folder.path().join("rules.toml");
    let text = "[policy]\nsecret_rules = [\"rules.toml\"]\n";
    let named = folder.path().join("third.toml");
    assert_eq!(refusal(config_text(&named, text)), (ErrorKind::Usage, "io"));
    fs::write(&rules, "[[rules]]\nid = \"own\"\nregex = '''OWN-[0-9]{8}'''\nkeywords = [\"OWN-\"]\n").expect("a file");
    assert!(!config_text(&named, text).expect("a config").policy.redact("OWN-12345678").contains("12345678"));
    fs::write(&rules, "[[rules]]\nid = \"own\"\nregex = '''('''\n").expect("a file");
    assert_eq!(refusal(config_text(&named, text)), REFUSED);
    // One that may wait for trust is read without the rules outside, whether they are there or not.
    let outside = "[policy]\nsecret_rules = [\"../absent.toml\", \"/absent.toml\"]\n[apply]\nenabled = true\n";
    assert_eq!(refusal(config_text(&named, outside)).1, "io");
    let keys: Vec<_> = untrusted_config_text(&named, outside).expect("a config").widenings();
    assert_eq!(keys.iter().map(|key| key.key).collect::<Vec<_>>(), ["apply.enabled", "policy.secret_rules"]);
    assert_eq!(refusal(untrusted_config_text(&named, text)), REFUSED, "those within are read");
}

#[test]
fn a_reader_is_read_up_to_its_limit_and_not_beyond() {
    let path = Path::new("input");
    for (bytes, limit, expected) in [(0, 0, true), (4, 4, true), (5, 4, false), (1, 0, false)] {
        let content = vec![b'x'; bytes];
        let read = read_bounded(path, content.as_slice(), limit);
        assert_eq!(read.is_ok(), expected, "{bytes} of {limit}");
        match read {
            Ok(read) => assert_eq!(read, content),
            Err(error) => {
                assert_eq!((error.kind, error.code), (ErrorKind::Usage, "too_large"));
                assert!(error.message.contains("input") && error.message.contains(&limit.to_string()), "{error}");
            }
        }
    }
    assert_eq!(utf8(path, "ä".into()).expect("text"), "ä");
    assert_eq!(refusal(utf8(path, vec![0xc3])), (ErrorKind::Usage, "not_utf8"));
}

#[test]
fn an_error_of_a_file_is_usage_if_the_name_is_wrong_and_a_failure_otherwise() {
    use std::io::{Error, ErrorKind as Io};
    for (kind, expected) in [
        (Io::NotFound, ErrorKind::Usage),
        (Io::IsADirectory, ErrorKind::Usage),
        (Io::NotADirectory, ErrorKind::Usage),
        (Io::PermissionDenied, ErrorKind::Failed),
        (Io::StorageFull, ErrorKind::Failed),
        (Io::Other, ErrorKind::Failed),
    ] {
        let error = AppError::io(Path::new("/p/file"), "write", &Error::from(kind));
        assert_eq!((error.kind, error.code, error.hint.is_none()), (expected, "io", true), "{kind:?}");
        assert!(error.message.starts_with("failed to write /p/file: "), "{error}");
    }
}

#[test]
fn an_error_shows_its_message_and_keeps_the_rest_for_programs() {
    let error = AppError::new(ErrorKind::Conflict, "locked", "it is locked");
    assert_eq!((error.to_string().as_str(), &error.hint, &error.detail), ("it is locked", &None, &None));
    let error = error.hint("wait").detail(serde_json::json!({ "pid": 1 }));
    assert_eq!((error.to_string().as_str(), error.hint.as_deref()), ("it is locked", Some("wait")));
    assert_eq!(error.detail.as_ref().map(|detail| detail["pid"].clone()), Some(1.into()));
    assert_eq!((error.clone().kind, error.code), (ErrorKind::Conflict, "locked"));
}

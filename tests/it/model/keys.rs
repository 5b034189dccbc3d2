//! Where a key comes from, and where it never goes.

use std::fs;
use std::path::Path;

use gephost_tests::environment::{Ran, gephost};
use gephost_tests::scripted::Say;

use super::{REPAIR, Scene, answer};

/// Whether any file below a folder holds these bytes.
pub(super) fn holds(folder: &Path, needle: &str) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, needle);
        }
        fs::read(&path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
    })
}

#[test]
fn a_key_is_in_the_header_and_nowhere_else() {
    // A server that sends the key back in all it says.
    let key = ["not", "a", "real", "key", "51c8"].join("-");
    for (say, exit) in [
        (Say::completion(&answer(REPAIR).replace("Mapping has moved", &format!("your key is {key}"))), 0),
        (Say::status(401, &format!("{{\"error\":{{\"message\":\"bad key {key}\"}}}}")), 4),
    ] {
        let scene = Scene::with("key_env = \"MODEL_KEY\"\n", [say]);
        let mut command = scene.env.command(gephost(), scene.project.root());
        let ran = Ran::of(command.env("MODEL_KEY", &key).args(["run", "-v", "--diagnose", "model"]).output().unwrap());
        let ran = ran.expect_code(exit);
        assert!(!ran.stdout.contains(&key) && !ran.stderr.contains(&key), "{ran:?}");
        assert!(!holds(scene.project.root(), &key) && !holds(scene.env.home(), &key));
        let head = &scene.server.asked()[0].head;
        assert!(head.to_lowercase().contains(&format!("authorization: bearer {key}")), "{head}");
    }
}

#[test]
fn without_the_key_that_is_named_nobody_is_asked() {
    for (more, said) in [
        ("key_env = \"NOT_SET_HERE\"\n", "environment variable NOT_SET_HERE, which is not set"),
        ("key_command = [\"false\"]\n", "gives no key: false ended with"),
        ("key_command = [\"printf\", \"\"]\n", "cannot be sent"),
    ] {
        let scene = Scene::with(more, [Say::completion(&answer(REPAIR))]);
        let (document, code) = scene.dry();
        assert_eq!((code, document["error"]["code"].as_str()), (4, Some("no_key")), "{document}");
        assert!(document["error"]["message"].as_str().unwrap().contains(said), "{document}");
        assert_eq!(scene.server.asked().len(), 0);
    }
}

#[test]
fn a_repository_neither_names_a_model_nor_holds_a_key() {
    for (line, said) in [
        ("endpoint = \"http://127.0.0.1:9/v1\"", "`model.endpoint` belongs to the user's own config"),
        ("key = \"sk-abc\"", "`model.key` belongs to the user's own config"),
        ("key_command = [\"touch\", \"owned\"]", "`model.key_command` belongs to the user's own config"),
    ] {
        let scene = Scene::new([Say::completion(&answer(REPAIR))]);
        let own = fs::read_to_string(scene.project.root().join("gephost.toml")).unwrap();
        scene.project.write("gephost.toml", &format!("{own}\n[model]\n{line}\n"));
        let (document, code) = scene.dry();
        assert_eq!(code, 2, "{document}");
        assert!(document["error"]["message"].as_str().unwrap().contains(said), "{document}");
        assert!(scene.server.asked().is_empty() && !scene.project.root().join("owned").exists());
    }
}

#[test]
fn offline_is_said_in_three_places_and_each_holds() {
    let scene = Scene::new([Say::completion(&answer(REPAIR))]);
    let offline = |scene: &Scene, arguments: &[&str]| {
        let (document, code) = scene.run(arguments);
        assert_eq!((code, document["error"]["code"].as_str()), (2, Some("offline")), "{document}");
        assert!(scene.server.asked().is_empty());
    };
    offline(&scene, &["run", "--diagnose", "model", "--offline"]);
    let own = fs::read_to_string(scene.project.root().join("gephost.toml")).unwrap();
    scene.project.write("gephost.toml", &format!("{own}\n[model]\noffline = true\n"));
    offline(&scene, &["run", "--diagnose", "model"]);
    scene.project.write("gephost.toml", &own);
    scene.configure("openai", "offline = true\n");
    offline(&scene, &["run", "--diagnose", "model"]);
    // Without a model the network is not needed.
    assert_eq!(scene.run(&["run", "--offline"]).1, 0);
}

#[test]
fn what_the_user_config_says_wrongly_stops_the_host() {
    let scene = Scene::new([]);
    fs::remove_dir_all(scene.env.home().join(".config")).unwrap();
    let (document, code) = scene.dry();
    assert_eq!((code, document["error"]["code"].as_str()), (2, Some("no_model")), "{document}");
    for (table, said) in [
        ("api = \"openai\"\nendpoint = \"http://example.org/v1\"\nname = \"m\"", "without TLS"),
        (
            "api = \"openai\"\nendpoint = \"https://k@example.org/v1\"\nname = \"m\"",
            "which would be shown and recorded",
        ),
        ("api = \"gemini\"\nendpoint = \"https://example.org\"\nname = \"m\"", "unknown variant `gemini`"),
        ("api = \"openai\"\nname = \"m\"", "missing field `endpoint`"),
    ] {
        super::configure(&scene.env, table);
        let (document, code) = scene.dry();
        assert_eq!(code, 2, "{document}");
        assert!(document["error"]["message"].as_str().unwrap().contains(said), "{table}: {document}");
    }
    // The file also says which genes are trusted, so it is read if no model is asked, too.
    scene.project.write("gephost.toml", "[policy]\nallow = [\"inventory/\"]\n");
    let (document, code) = scene.run(&["run"]);
    assert_eq!(code, 2, "{document}");
    assert!(document["error"]["message"].as_str().unwrap().contains("missing field `endpoint`"), "{document}");
    super::configure(&scene.env, "api = \"openai\"\nendpoint = \"https://example.org/v1\"\nname = \"m\"");
    assert_eq!(scene.run(&["run"]).1, 0);
}

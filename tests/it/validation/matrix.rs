//! The sandbox matrix: forbidden act × level × who runs gephost. What `gephost doctor` tries is tried here as root and as
//! an ordinary user, and every cell must be what the level promises.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use gephost_core::validation::Level;
use gephost_runner::validate::PROBES;
use gephost_tests::environment::{Ran, TestEnv, gephost, make_program};
use gephost_tests::skipped;
use serde_json::Value;

/// A user that owns nothing.
const NOBODY: &str = "65534";

#[test]
fn every_forbidden_act_is_refused_from_its_level_on() {
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    let mut doctor = env.command(gephost(), folder.path());
    let own = judge(&matrix(doctor.args(["doctor", "--json"])), "who runs the tests");
    assert!(own > 0, "no cell was tried");
}

#[test]
fn the_same_holds_for_an_ordinary_user() {
    if !is_root() {
        skipped("the tests do not run as root, so the other test is the ordinary user's");
        return;
    }
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    let (program, home) = (folder.path().join("gephost"), folder.path().join("home"));
    make_program(&program, &std::fs::read(gephost()).unwrap());
    std::fs::create_dir(&home).unwrap();
    for path in [folder.path(), &home] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    let mut doctor = env.command("setpriv", &home);
    doctor.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--inh-caps=-all", "--"]).arg(&program);
    doctor.args(["doctor", "--json"]).env("HOME", &home);
    let cells = judge(&matrix(&mut doctor), "an ordinary user");
    assert!(cells > 0, "no cell was tried");
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0)
}

fn matrix(doctor: &mut Command) -> Value {
    let ran = Ran::of(doctor.output().unwrap());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
}

/// Compares each cell with what the level promises; gives how many were tried.
fn judge(document: &Value, who: &str) -> usize {
    let checks = document["checks"].as_array().unwrap();
    let find = |id: String| checks.iter().find(|check| check["id"] == id.as_str());
    let mut cells = 0;
    for level in Level::ALL {
        let works = find(format!("validation.{level}")).unwrap();
        if works["status"] != "ok" {
            skipped(&format!("sandbox level {level} for {who}: {}", works["result"]));
            continue;
        }
        for probe in PROBES {
            let cell = find(format!("validation.{level}.{}", probe.id)).unwrap();
            let refused = cell["status"] == "ok";
            let tried = refused || cell["result"].as_str().unwrap().starts_with("not refused");
            assert!(tried, "{who}, {level}, {}: {cell}", probe.id);
            assert!(refused || level < probe.refused_from, "{who}, {level}, {}: {cell}", probe.id);
            cells += 1;
        }
    }
    cells
}

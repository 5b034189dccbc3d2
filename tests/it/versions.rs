//! Components for other versions of the contract. Older ones run; the error for a later one says what it needs.

use std::fs;
use std::sync::Arc;

use gephost_core::gene::{Capability, SettingValue};
use gephost_core::recording::Decision;
use gephost_runner::sandbox::{Budgets, Granted, Inputs, RunLog, Sandbox, Workspace};
use gephost_tests::components::{append_section, encode, manifest};
use gephost_tests::repository;
use jiff::Timestamp;
use wit_parser::Resolve;

use crate::guests;
use crate::isolate::in_both;

/// A heuristic for this version of `gephost:gene`.
fn of_version(version: &str) -> Vec<u8> {
    let guest = "(func (export \"gephost:gene/diagnosis@VERSION#diagnose\") (result i32) (i32.const 1024))";
    let runtime = fs::read_to_string(repository().join("tests/guests/runtime.wat")).unwrap();
    let text = format!("(module {}\n{runtime})", guest.replace("VERSION", version));
    let mut module = wat::parse_str(text).unwrap();
    append_section(&mut module, "gephost:gene", manifest("versioned", "heuristic", &[]).as_bytes());
    let contract = fs::read_to_string(repository().join("wit/v0.1/gene.wit")).unwrap();
    let contract = contract.replace("package gephost:gene@0.1.0;", &format!("package gephost:gene@{version};"));
    let mut resolve = Resolve::default();
    let package = resolve.push_str("gene.wit", &contract).unwrap();
    let world = resolve.select_world(&[package], Some("heuristic")).unwrap();
    encode(module, &resolve, world)
}

fn inputs() -> Inputs {
    Inputs {
        run_log: Arc::new(RunLog::new(&[])),
        workspace: Arc::new(Workspace::new(Arc::new(crate::sandbox::Everywhere::of("")), [], |_| true)),
        history: Arc::new([]),
        coverage: Arc::default(),
        now: Timestamp::UNIX_EPOCH,
        seed: 1,
        settings: Arc::default(),
        carried: std::sync::Arc::default(),
        completions: Arc::new(gephost_runner::sandbox::NoModel),
    }
}

/// The component in `tests/fixtures/frozen` was built when 0.1.0 was released, and is never built again.
#[test]
fn a_component_that_was_built_for_0_1_0_runs_forever() {
    let component = fs::read(repository().join("tests/fixtures/frozen/heuristic-0.1.0.wasm")).unwrap();
    let gene = Sandbox::new(None).unwrap().load(&component).unwrap();
    let granted = Granted::new(&Capability::ALL, &Capability::ALL);
    let call = gene.diagnose(&inputs(), &granted, &Budgets::default());
    assert_eq!(call.result.unwrap(), []);
    assert!(!call.audit.is_empty(), "it read the run log");
}

/// A heuristic that uses everything that `wit/v0.1.1` added.
fn of_0_1_1(denied: bool, settings: usize, capabilities: &[&str]) -> Vec<u8> {
    let text = |name: &str| fs::read_to_string(repository().join(format!("tests/guests/{name}.wat"))).unwrap();
    let guest = text("ask_usage")
        .replace("@DENIED@", if denied { "1" } else { "0" })
        .replace("@SETTINGS@", &settings.to_string());
    let mut module = wat::parse_str(format!("(module {guest}\n{})", text("runtime"))).unwrap();
    append_section(&mut module, "gephost:gene", manifest("usage", "heuristic", capabilities).as_bytes());
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(repository().join("wit/v0.1.1")).unwrap();
    let world = resolve.select_world(&[package], Some("heuristic")).unwrap();
    encode(module, &resolve, world)
}

#[test]
fn usage_needs_the_capability_run_log_and_settings_need_none() {
    let usage = ["", r#","usage":{"input_tokens":3},"model":"m""#, r#","usage":{"cache_read_tokens":9}"#];
    let event = |usage: &str| format!(r#"{{"event_type":"outbound_msg","session_key":"s"{usage}}}"#);
    let events = usage.map(|usage| gephost_core::run_event::from_disk_line(&event(usage), 1).unwrap());
    let settings = [("a", SettingValue::Number(1.5)), ("b", SettingValue::Text("x".to_owned()))];
    let given = || Inputs {
        run_log: Arc::new(RunLog::new(&events)),
        settings: Arc::new(settings.clone().map(|(name, value)| (name.to_owned(), value)).into()),
        completions: Arc::new(gephost_runner::sandbox::NoModel),
        ..inputs()
    };
    for (capabilities, grant, denied) in [
        (&["run-log"][..], &Capability::ALL[..], false),
        (&[][..], &Capability::ALL[..], true),
        (&["run-log"][..], &[][..], true),
    ] {
        let component = of_0_1_1(denied, settings.len(), capabilities);
        let requested = if capabilities.is_empty() { &[][..] } else { &[Capability::RunLog][..] };
        let granted = Granted::new(requested, grant);
        let call = in_both(&component, given, |gene, inputs| gene.diagnose(inputs, &granted, &Budgets::default()));
        assert_eq!(call.result.unwrap(), []);
        let asked: Vec<_> =
            call.audit.entries.iter().map(|entry| (&*entry.function, entry.decision, entry.bytes)).collect();
        let expected = if denied {
            [("models", Decision::Denied, 0), ("usage", Decision::Denied, 0), ("usage", Decision::Denied, 0)]
        } else {
            [("models", Decision::Granted, 1), ("usage", Decision::Invalid, 0), ("usage", Decision::Granted, 112)]
        };
        assert_eq!(asked, expected);
    }
}

#[test]
fn every_patch_of_0_1_links_and_runs() {
    let sandbox = Sandbox::new(None).unwrap();
    for version in ["0.1.0", "0.1.7"] {
        let gene = sandbox.load(&of_version(version)).unwrap_or_else(|error| panic!("{version}: {error}"));
        let call = gene.diagnose(&inputs(), &Granted::default(), &Budgets::default());
        assert_eq!(call.result.unwrap(), [], "{version}");
    }
}

#[test]
fn the_error_for_a_later_version_says_what_it_needs() {
    let sandbox = Sandbox::new(None).unwrap();
    for (version, made_for) in [("0.2.0", "0.2"), ("0.10.0", "0.10"), ("1.0.0", "1.0"), ("0.0.9", "0.0")] {
        let error = sandbox.load(&of_version(version)).unwrap_err().to_string();
        assert!(error.contains(&format!("made for gephost:gene {made_for}")), "{error}");
        assert!(error.contains("this host has 0.1") && error.contains("gephost"), "{error}");
    }
}

#[test]
fn a_gene_of_this_version_still_loads() {
    assert!(Sandbox::new(None).unwrap().load(&guests::heuristic("calm")).is_ok());
}

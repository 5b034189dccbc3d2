//! The errors that a gene author sees: for a component that does not fit the contract, before it is compiled; for a gene
//! that failed, with the place, its usage and its last output.

use std::fs;

use gephost_runner::sandbox::{Budgets, InspectError, LoadError, Sandbox};
use gephost_tests::components::append_section;
use gephost_tests::environment::TestEnv;

use crate::guests;
use crate::isolate::IN_PROCESSES;
use crate::sandbox::{SANDBOX, granted, inputs};
use crate::scene::quickstart;

const ANSWERS: &str = "(func (export \"gephost:gene/diagnosis@0.1.0#diagnose\") (result i32) (i32.const 1024))";

/// The error for a component that does not fit, which is the same in a thread and in a process.
#[track_caller]
fn misfit(component: &[u8]) -> String {
    let said = [&*SANDBOX, &*IN_PROCESSES].map(|sandbox| match sandbox.load(component) {
        Err(LoadError::Link(said)) => said,
        other => panic!("expected a misfit: {other:?}"),
    });
    assert_eq!(said[0], said[1]);
    said[0].clone()
}

/// A config with which only the gene that a command names runs. Any other would go on after it failed.
const ALONE: &str = "[genes]\nbundled = false\n[observe]\nlogs = [\"logs/\"]\n";

#[test]
fn every_patch_release_of_wasi_0_2_is_served() {
    for patch in 0..=12 {
        let component = guests::of_wasi("probe", &format!("0.2.{patch}"));
        let gene = SANDBOX.load(&component).unwrap_or_else(|error| panic!("0.2.{patch}: {error}"));
        let call = gene.diagnose(&inputs(), &granted(), &Budgets::default());
        assert_eq!((call.result.unwrap().len(), call.log.len()), (0, 4), "0.2.{patch}");
    }
    let error = SANDBOX.load(&guests::of_wasi("probe", "0.3.0")).unwrap_err().to_string();
    assert!(error.contains("it is WASI 0.3, but this host has WASI 0.2"), "{error}");
}

#[test]
fn the_error_for_a_wrong_export_shows_the_right_one() {
    let wider = guests::of_contract(|wit| wit.replace("occurrences: u32", "occurrences: u64"), ANSWERS);
    let said = misfit(&wider);
    assert!(said.contains("`diagnose` of the export `gephost:gene/diagnosis` is `occurrences: u64 }>"), "{said}");
    assert!(said.contains("where the contract has `occurrences: u32 }>"), "{said}");
    let fewer = guests::of_contract(|wit| wit.replace("high, critical }", "high }"), ANSWERS);
    assert!(misfit(&fewer).contains("diagnose"), "an enum without its last case");
}

#[test]
fn the_error_for_a_wrong_import_shows_the_right_one() {
    let logs = "(import \"gephost:gene/logging@0.1.0\" \"log\" (func $log (param i32 i32)))
         (func (export \"gephost:gene/diagnosis@0.1.0#diagnose\") (result i32)
           (call $log (i32.const 0) (i32.const 0)) (i32.const 1024))";
    let number = guests::of_contract(|wit| wit.replace("message: string);", "message: u32);"), logs);
    let said = misfit(&number);
    assert!(said.contains("`log` of the import `gephost:gene/logging@0.1.0` is `message: u32)`"), "{said}");
    assert!(said.contains("the contract has `message: string)`"), "{said}");
}

#[test]
fn a_function_of_a_later_patch_release_is_recognised() {
    let shouts = "(import \"gephost:gene/logging@0.1.7\" \"shout\" (func $shout))
        (func (export \"gephost:gene/diagnosis@0.1.7#diagnose\") (result i32) (call $shout) (i32.const 1024))";
    let later = |wit: String| {
        wit.replace("gephost:gene@0.1.0", "gephost:gene@0.1.7").replace(
            "log: func(level: level, message: string);",
            "log: func(level: level, message: string);\nshout: func();",
        )
    };
    let said = misfit(&guests::of_contract(later, shouts));
    assert!(said.contains("has a function `shout`, which is none of 0.1.2"), "{said}");
    assert!(said.contains("upgrade gephost"), "{said}");
}

/// The cache contains only components that fit, so a misfit is found before anything is stored.
#[test]
fn a_misfit_is_found_before_it_is_compiled() {
    // Its code is not valid WebAssembly, which a compiler would have reported.
    let mut component = guests::of_contract(|wit| wit.replace("occurrences: u32", "occurrences: u64"), ANSWERS);
    let end = [0x41, 0x80, 0x08, 0x0b];
    let at = component.windows(4).position(|bytes| bytes == end).expect("`i32.const 1024` and the end");
    component[at] = 0x45;
    let error = Sandbox::new(None).unwrap().load(&component).unwrap_err();
    assert!(matches!(&error, LoadError::Link(said) if said.contains("occurrences")), "{error}");
}

#[test]
fn the_error_for_a_trap_has_the_place_the_usage_and_the_last_output() {
    let env = TestEnv::new();
    let project = quickstart(&env, Some(ALONE));
    let path = env.home().join("gene.wasm");
    fs::write(&path, guests::heuristic("panic")).unwrap();
    let run = ["diagnose", "--gene", path.to_str().unwrap()];
    let ran = env.run(project.root(), &run).expect_code(1);
    let error = ran.stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
    for words in [
        "gene panic: `diagnose` trapped in `diagnose`",
        "unreachable",
        "its last words: gene panicked: 41 is not 42",
        " fuel, 64 KiB of memory, 0 host calls",
    ] {
        assert!(error.contains(words), "{words}: {error}");
    }
    let (document, _) = env.json(project.root(), &run);
    let detail = &document["error"]["detail"];
    assert_eq!(document["error"]["code"], "gene_trapped");
    assert_eq!((&detail["gene"], &detail["function"]), (&"panic".into(), &"diagnose".into()));
    assert_eq!(detail["failure"]["backtrace"][0], "diagnose");
    assert_eq!(detail["log"][0]["message"], "gene panicked: 41 is not 42");
    assert!(detail["usage"]["fuel"].as_u64().unwrap() > 0 && detail["headroom"].is_array(), "{detail:#}");
    assert!(detail["isolation"].is_string());
}

#[test]
fn verbose_output_shows_the_log_and_the_backtrace_of_a_failed_gene() {
    let env = TestEnv::new();
    let project = quickstart(&env, Some(ALONE));
    let path = env.home().join("gene.wasm");
    fs::write(&path, guests::heuristic("deep_trap")).unwrap();
    let gene = path.to_str().unwrap();
    let short = env.run(project.root(), &["diagnose", "--gene", gene]).expect_code(1).stderr;
    assert!(short.contains("in `<inventory::Store>::add`, called by `third`, called by `second`, …"), "{short}");
    assert!(!short.contains("first words"), "{short}");
    let long = env.run(project.root(), &["diagnose", "-v", "--gene", gene]).expect_code(1).stderr;
    for line in ["  at <inventory::Store>::add", "  at third", "  at second", "  at first", "  at diagnose"] {
        assert!(long.lines().any(|shown| shown == line), "{line}: {long}");
    }
    assert!(long.contains("info first words"), "{long}");
}

/// A guest chooses the names of its functions, so they are clipped and control characters are removed.
#[test]
fn names_of_functions_are_shown_without_control_characters() {
    let text = "(func (export \"gephost:gene/diagnosis@0.1.0#diagnose\") (result i32) (unreachable))";
    let long = format!("evil\\1b[2J{}", "x".repeat(5000));
    let component =
        guests::heuristic_that_asks_for(&[], &text.replace("(func", &format!("(func $f (@name \"{long}\")")), "named");
    let call = SANDBOX.load(&component).unwrap().diagnose(&inputs(), &granted(), &Budgets::default());
    let said = call.result.unwrap_err().to_string();
    assert!(!said.chars().any(char::is_control) && said.len() < 400, "{said}");
}

#[test]
fn a_component_with_a_second_manifest_is_refused() {
    // Readers differ in which one they take, so a second one at the end of a component is not passed over.
    let mut component = guests::heuristic("calm");
    append_section(&mut component, "gephost:gene", br#"{"id":"other"}"#);
    let refused = SANDBOX.load(&component).unwrap_err();
    assert!(matches!(&refused, LoadError::Inspect(InspectError::TwoManifests)), "{refused}");
}

/// The reference component does not contain the types of WASI. The linker finds the difference, and gephost reports it.
#[test]
fn a_wrong_import_of_wasi_is_named() {
    for (text, says) in [
        (
            "(import \"wasi:cli/stdout@0.2.0\" \"get-stdout\" (func (result i32)))",
            "`get-stdout` of the import `wasi:cli/stdout@0.2.0` has another type: type mismatch with results",
        ),
        (
            "(import \"wasi:random/random@0.2.0\" \"get-random-bytes\" (func (param i32 i32)))",
            "`get-random-bytes` of the import `wasi:random/random@0.2.0` has another type: type mismatch with parameters",
        ),
        (
            "(import \"wasi:random/random@0.2.0\" \"get-luck\" (func))",
            "`wasi:random/random@0.2.0` has a function `get-luck`, which WASI 0.2 does not have",
        ),
    ] {
        let component = guests::of_forged_wasi(&format!("{text} {ANSWERS}"));
        let said = [&*SANDBOX, &*IN_PROCESSES].map(|sandbox| sandbox.load(&component).unwrap_err());
        for error in said {
            assert!(matches!(&error, LoadError::Wasi(said) if said.starts_with(says)), "{error}");
            assert!(error.to_string().starts_with("the component does not fit WASI 0.2: "), "{error}");
            assert!(error.to_string().ends_with("(build it for wasm32-wasip2 with a released toolchain)"), "{error}");
        }
    }
}

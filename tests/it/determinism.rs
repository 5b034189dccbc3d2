//! The same gene, inputs and seed give the same bytes. The gene of these tests reads every source of nondeterminism, in
//! both modes of isolation, on machines that look different.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_runner::sandbox::{Budgets, Granted, Inputs};
use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::{skipped, toolchains};
use serde_json::Value;

use crate::guests;
use crate::isolate::in_both;
use crate::sandbox::{SANDBOX, granted, inputs};
use crate::scene::quickstart;

fn component() -> Option<std::path::PathBuf> {
    toolchains::rust_gene("nondeterminism").map_err(|missing| skipped(&missing.to_string())).ok()
}

/// What the gene saw with a seed, by source. Both modes must give the same, including audit and fuel.
fn seen(component: &[u8], seed: u64) -> Vec<(String, String)> {
    let granted = Granted::new(&Capability::ALL, &Capability::ALL);
    let given = || Inputs { seed, run_log: Arc::default(), ..inputs() };
    let call = in_both(component, given, |gene, inputs| gene.diagnose(inputs, &granted, &Budgets::default()));
    call.result.unwrap().into_iter().map(|finding| (finding.id, finding.title)).collect()
}

#[test]
fn only_the_seed_changes_random_values() {
    let Some(path) = component() else { return };
    let component = std::fs::read(path).unwrap();
    let (one, again, other) = (seen(&component, 1), seen(&component, 1), seen(&component, 2));
    assert_eq!(one, again);
    let differ: Vec<&str> =
        one.iter().zip(&other).filter(|(one, other)| one != other).map(|(one, _)| one.0.as_str()).collect();
    assert_eq!(differ, ["random", "hash-map-order"]);
    let title =
        |id: &str| one.iter().find(|(source, _)| source.ends_with(id)).map(|(_, title)| title.as_str()).unwrap();
    // Work takes no virtual time, and a sleep takes exactly its own.
    assert!(title("clocks").contains(" 0ns 250ms "), "{}", title("clocks"));
    assert!(title("environment").starts_with("[] [] [None, None, None, None, None]"), "{}", title("environment"));
    assert!(title("nan-bits").contains("7ff8000000000000") && !title("nan-bits").contains("dead"));
    assert!(title("threads").contains("Err("), "{}", title("threads"));
}

#[test]
fn clocks_and_random_values_follow_from_the_inputs() {
    let gene = SANDBOX.load(&guests::heuristic("probe")).unwrap();
    let first = gene.diagnose(&inputs(), &granted(), &Budgets::default()).log;
    let second = gene.diagnose(&inputs(), &granted(), &Budgets::default()).log;
    assert_eq!(first, second);
    let [wall, monotonic, random, insecure] = first.as_slice() else { panic!("{first:?}") };
    assert_eq!(number(&wall.message), 1_700_000_000);
    // The clock does not start at 0, which Go's runtime rejects.
    assert_eq!(number(&monotonic.message), 1_000_000_000);
    // The algorithm is the one that the README names.
    assert_eq!(number(&random.message), xoshiro256plusplus(inputs().seed));
    assert_eq!(number(&insecure.message), xoshiro256plusplus(inputs().seed ^ 1));
    let other = gene.diagnose(&Inputs { seed: 8, ..inputs() }, &granted(), &Budgets::default()).log;
    assert_ne!(first.get(2), other.get(2), "another seed is another randomness");
}

/// The first number of xoshiro256++ with a state that splitmix64 makes from the seed, written after the authors' public
/// description.
fn xoshiro256plusplus(mut seed: u64) -> u64 {
    let [first, _, _, last] = std::array::from_fn(|_| {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    });
    u64::wrapping_add(first, last).rotate_left(23).wrapping_add(first)
}

/// The number that `probe.wat` wrote as letters.
fn number(letters: &str) -> u64 {
    letters.bytes().fold(0, |sum, letter| sum << 4 | u64::from(letter - b'a'))
}

/// A machine: the project's folder, the command's environment, and how the program is started.
struct Machine {
    name: &'static str,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    before: &'static str,
}

const MACHINES: [Machine; 4] = [
    Machine { name: "plain", arguments: &[], variables: &[], before: "" },
    Machine {
        name: "another time zone and language",
        arguments: &["-v"],
        variables: &[("TZ", "Pacific/Kiritimati"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "tr_TR.UTF-8")],
        before: "umask 077; ulimit -n 256;",
    },
    Machine {
        name: "a crowded environment",
        arguments: &["-q"],
        variables: &[("TZ", "America/St_Johns"), ("SEED", "4"), ("RUST_LOG", "trace"), ("GEPHOST", "1"), ("PWD", "/")],
        before: "umask 000; cd /;",
    },
    // Address space randomisation is switched off here.
    Machine { name: "fixed addresses", arguments: &[], variables: &[], before: "RUN='setarch -R'; $RUN true || RUN=;" },
];

#[test]
fn every_machine_gives_the_same_bytes() {
    let Some(gene) = component() else { return };
    let mut first: Option<Value> = None;
    for isolation in ["process", "thread"] {
        for machine in &MACHINES {
            let document = diagnose(machine, isolation, &gene);
            let mut findings = document["findings"].clone();
            // Each run has its logs in another folder.
            for finding in findings.as_array_mut().into_iter().flatten() {
                finding["places"] = Value::Null;
            }
            assert!(findings.as_array().is_some_and(|findings| findings.len() >= 10), "{document}");
            let first = first.get_or_insert_with(|| findings.clone());
            assert_eq!(*first, findings, "{} in a {isolation}", machine.name);
        }
    }
}

/// One run in a new project with a home folder of its own.
fn diagnose(machine: &Machine, isolation: &str, gene: &Path) -> Value {
    let env = TestEnv::new();
    let config = format!("[observe]\nlogs = [\"logs/\"]\n[genes]\nisolation = \"{isolation}\"\n");
    let project = quickstart(&env, Some(&config));
    let mut shell: Command = env.command("/bin/sh", project.root());
    shell.args(["-c", &format!("{} exec $RUN \"$0\" \"$@\"", machine.before)]).arg(gephost());
    shell.args(["diagnose", "--json", "-C"]).arg(project.root()).args(machine.arguments).arg("--gene").arg(gene);
    shell.envs(machine.variables.iter().copied());
    let ran = Ran::of(shell.output().unwrap()).expect_code(0);
    serde_json::from_str(&ran.stdout).unwrap()
}

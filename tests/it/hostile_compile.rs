//! Components that attack the code that inspects or compiles them. They are refused before they are compiled, or ended by
//! the limits of the compiler's process.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use gephost_core::config::Isolation;
use gephost_runner::sandbox::{Budgets, CompileBounds, InspectError, LoadError, Sandbox, inspect};
use gephost_tests::components::{append_section, leb};
use gephost_tests::repository;

use crate::guests::{self, EVERYTHING};
use crate::isolate::worker;
use crate::sandbox::{granted, inputs};

#[path = "../fuzz/checks/component.rs"]
mod component;
#[path = "../fuzz/checks/manifest.rs"]
mod manifest;

const MODULE: &[u8] = b"\0asm\x01\0\0\0";
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

fn section(out: &mut Vec<u8>, id: u8, body: &[u8]) {
    out.push(id);
    leb(out, body.len());
    out.extend_from_slice(body);
}

/// A vector with the same entry `count` times.
fn many(count: usize, entry: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    leb(&mut body, count);
    for _ in 0..count {
        body.extend_from_slice(entry);
    }
    body
}

fn module(sections: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut module = MODULE.to_vec();
    for (id, body) in sections {
        section(&mut module, *id, body);
    }
    module
}

fn component_of(parts: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut component = COMPONENT.to_vec();
    for (id, body) in parts {
        section(&mut component, *id, body);
    }
    component
}

/// A core module (1) or a component (4) within a component.
fn holding(count: usize, id: u8, inner: &[u8]) -> Vec<u8> {
    component_of(&vec![(id, inner.to_vec()); count])
}

/// The body of a function, preceded by its length.
fn body(code: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    leb(&mut body, code.len());
    body.extend_from_slice(code);
    body
}

#[track_caller]
fn is_too_much(bytes: &[u8], what: &str) {
    let begun = Instant::now();
    match inspect(bytes) {
        Err(InspectError::TooMuch { what: said, .. }) => assert_eq!(said, what),
        other => panic!("expected too many {what}: {other:?}"),
    }
    assert!(begun.elapsed() < Duration::from_secs(2), "{what}: {:?}", begun.elapsed());
}

#[test]
fn a_component_beyond_a_cap_is_refused_before_it_is_compiled() {
    let nothing = (1, many(1, &[0x60, 0, 0]));
    is_too_much(&component_of(&vec![(0, b"\x01x".to_vec()); 20_001]), "sections");
    is_too_much(&holding(1001, 1, MODULE), "core modules");
    is_too_much(&holding(1001, 4, COMPONENT), "components within it");
    is_too_much(&holding(1, 1, &module(&[nothing.clone(), (3, many(300_001, &[0]))])), "functions");
    is_too_much(&holding(1, 1, &module(&[(1, many(100_001, &[0x60, 0, 0]))])), "types");
    // One function with 50,000 locals is within the limit; 101 of them are not.
    let locals = body(&[1, 0xd0, 0x86, 0x03, 0x7f, 0x0b]);
    let functions = module(&[nothing.clone(), (3, many(101, &[0])), (10, many(101, &locals))]);
    is_too_much(&holding(1, 1, &functions), "local variables");
    let mut long = vec![0];
    long.extend(vec![1; 3 << 20]);
    long.push(0x0b);
    let function = module(&[nothing, (3, many(1, &[0])), (10, many(1, &body(&long)))]);
    is_too_much(&holding(1, 1, &function), "bytes of one function");
}

#[test]
fn nesting_of_components_is_limited() {
    let mut nested = COMPONENT.to_vec();
    for _ in 0..2000 {
        nested = holding(1, 4, &nested);
    }
    is_too_much(&nested, "levels of components");
}

#[test]
fn a_section_that_claims_more_entries_than_it_has_is_refused() {
    for id in [1_u8, 3, 5, 6, 7, 8, 9, 10, 11] {
        let lie = component_of(&[(id, vec![0xff, 0xff, 0xff, 0xff, 0x0f])]);
        assert!(inspect(&lie).is_err());
        let lie = holding(1, 1, &module(&[(id, vec![0xff, 0xff, 0xff, 0xff, 0x0f])]));
        assert!(inspect(&lie).is_err());
    }
}

fn bounded(time: Duration, memory: u64) -> Sandbox {
    let sandbox = Sandbox::with_workers(None, worker(), Isolation::Process).unwrap();
    sandbox.compiling_within(CompileBounds { time, memory })
}

fn still_works(sandbox: &Sandbox) {
    let gene = sandbox.load(&guests::heuristic("calm")).unwrap();
    assert!(gene.diagnose(&inputs(), &granted(), &Budgets::default()).result.is_ok());
}

/// A gene with an additional function that is never called, which no linker can know.
fn beside(function: &str) -> Vec<u8> {
    beside_each(&[function.to_owned()])
}

/// A gene with several such functions.
fn beside_each(functions: &[String]) -> Vec<u8> {
    let mut calls = String::new();
    let mut bodies = String::new();
    for (number, function) in functions.iter().enumerate() {
        write!(calls, "(call $f{number} (i32.const 0))").unwrap();
        write!(bodies, "(func $f{number} (param i32) {function})").unwrap();
    }
    let guest = format!(
        "(func $diagnose (export \"gephost:gene/diagnosis@0.1.0#diagnose\") (result i32)
           (if (i32.load (i32.const 0)) (then {calls})) (i32.const 1024)) {bodies}"
    );
    guests::heuristic_that_asks_for(EVERYTHING, &guest, "beside")
}

/// Long functions in which every value stays alive until the end.
fn hog(functions: usize) -> Vec<u8> {
    const VALUES: u64 = 4000;
    let mut code = format!("(local {})", "i64 ".repeat(4000));
    for step in 0..100_000_u64 {
        let (from, to) = (step.wrapping_mul(7919) % VALUES + 1, step.wrapping_mul(104_729) % VALUES + 1);
        let into = (from * 31 + to) % VALUES + 1;
        write!(code, "(local.set {into} (i64.mul (local.get {from}) (i64.add (local.get {to}) (i64.const {step}))))")
            .unwrap();
    }
    for value in 1..=VALUES {
        write!(code, "(i64.store (local.get 0) (local.get {value}))").unwrap();
    }
    beside_each(&vec![code; functions])
}

#[test]
fn the_compilers_time_is_limited() {
    let time = Duration::from_secs(1);
    let sandbox = bounded(time, CompileBounds::default().memory);
    let component = hog(12);
    let begun = Instant::now();
    let error = sandbox.load(&component).unwrap_err();
    assert!(matches!(&error, LoadError::CompileBudget(within) if within == "1 s"), "{error}");
    assert!(begun.elapsed() < time * 3, "{:?}", begun.elapsed());
    still_works(&sandbox);
}

#[test]
fn the_compilers_memory_is_limited() {
    let sandbox = bounded(CompileBounds::default().time, 96 << 20);
    let error = sandbox.load(&hog(1)).unwrap_err();
    assert!(matches!(&error, LoadError::CompileBudget(within) if within == "96 MiB of memory"), "{error}");
    still_works(&sandbox);
}

#[test]
fn the_limits_are_the_documented_ones() {
    assert_eq!(CompileBounds::default(), CompileBounds { time: Duration::from_mins(1), memory: 2 << 30 });
}

/// The component is within the limits, but expensive to compile: compiling succeeds, or it is ended.
#[test]
fn nested_jump_tables_are_compiled_or_ended() {
    let sandbox = bounded(Duration::from_secs(5), 512 << 20);
    let one = format!("(block local.get 0 (br_table {} 0))", "0 ".repeat(400_000));
    // Each level has a jump to every outer level, with values for each of them.
    let mut nested = "(block (result i64 i64 i64 i64) ".repeat(200);
    for levels in (1..=200).rev() {
        let each: String = (0..levels).map(|level| format!("{level} ")).collect();
        nested.push_str("i64.const 1 i64.const 2 i64.const 3 i64.const 4 local.get 0 br_table ");
        write!(nested, "{each}) ").unwrap();
    }
    nested.push_str("drop drop drop drop");
    for code in [one, nested] {
        let component = beside(&code);
        let begun = Instant::now();
        match sandbox.load(&component) {
            Ok(_) | Err(LoadError::CompileBudget(_) | LoadError::Compile(_)) => {}
            Err(other) => panic!("{other}"),
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
    still_works(&sandbox);
}

#[test]
fn too_many_locals_do_not_crash_the_host() {
    let sandbox = bounded(Duration::from_secs(20), CompileBounds::default().memory);
    let guest = format!(
        "(func (export \"gephost:gene/diagnosis@0.1.0#diagnose\") (result i32) (i32.const 1024)) (func (local {}))",
        "i64 ".repeat(49_999)
    );
    assert!(sandbox.load(&guests::heuristic_that_asks_for(EVERYTHING, &guest, "locals")).is_ok());
    let mut bytes = holding(
        1,
        1,
        &module(&[
            (1, many(1, &[0x60, 0, 0])),
            (3, many(1, &[0])),
            (10, many(1, &body(&[1, 0xc0, 0x84, 0x3d, 0x7f, 0x0b]))),
        ]),
    );
    append_section(&mut bytes, "gephost:gene", b"{}");
    assert!(inspect(&bytes).is_err());
}

/// Custom sections of the largest permitted size.
#[test]
fn huge_custom_sections_cost_no_compile_time() {
    let sandbox = bounded(Duration::from_secs(20), CompileBounds::default().memory);
    for name in ["producers", "name", "component-name", ".debug_info", "dylink.0", "anything"] {
        let mut component = guests::heuristic("calm");
        append_section(&mut component, name, &vec![0x01; 30 << 20]);
        let begun = Instant::now();
        let inspected = inspect(&component).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(begun.elapsed() < Duration::from_secs(3), "{name}: {:?}", begun.elapsed());
        assert!(inspected.parts.custom_bytes + inspected.parts.debug_bytes >= 30 << 20);
        // The compiler may refuse what is no section of that name; it may not fall over it.
        match sandbox.load(&component) {
            Ok(_) | Err(LoadError::Compile(_)) => {}
            Err(other) => panic!("{name}: {other}"),
        }
    }
    still_works(&sandbox);
}

/// Random numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

/// Changes a few bytes, as a fuzzer does.
fn mutated(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len());
        match numbers.below(6) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][numbers.below(5)],
            2 => bytes.truncate(at.max(1)),
            3 => drop(bytes.drain(at..(at + numbers.below(16)).min(bytes.len()))),
            4 => {
                let end = (at + numbers.below(64)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let to = numbers.below(bytes.len());
                bytes.splice(to..to, part);
            }
            _ => {
                let to = numbers.below(bytes.len());
                bytes.swap(at, to);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

/// A short version of the fuzz target `component_checks`.
#[test]
fn damaged_components_never_make_the_checks_panic() {
    let small = ["calm", "many_cursors", "probe"].map(guests::heuristic);
    let large = std::fs::read(repository().join("genes/dist/tool_failures.wasm")).unwrap();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for (seed, rounds) in small.iter().map(|seed| (seed, 3000)).chain([(&large, 150)]) {
        component::check_component(seed);
        for _ in 0..rounds {
            component::check_component(&mutated(seed, &mut numbers));
        }
    }
}

/// What the checks let pass reaches the compiler and the linker, and what they let pass runs: each ends with an answer or an
/// error.
#[test]
fn damaged_components_never_make_the_loader_panic() {
    let sandbox = bounded(Duration::from_secs(20), CompileBounds::default().memory);
    let budgets = Budgets { wall: Duration::from_millis(300), fuel: 10_000_000, ..Budgets::default() };
    let mut numbers = Numbers(0xd1b5_4a32_d192_ed03);
    let (mut refused, mut loaded) = (0, 0);
    for seed in ["calm", "many_cursors", "probe"].map(guests::heuristic) {
        let passing = std::iter::repeat_with(|| mutated(&seed, &mut numbers)).filter(|bytes| inspect(bytes).is_ok());
        for bytes in passing.take(40) {
            let said = match sandbox.load(&bytes) {
                Ok(gene) => {
                    loaded += 1;
                    gene.diagnose(&inputs(), &granted(), &budgets).result.err().map(|error| error.to_string())
                }
                Err(error) => {
                    refused += 1;
                    Some(error.to_string())
                }
            };
            assert!(said.is_none_or(|said| !said.is_empty() && !said.contains("panicked")));
        }
    }
    assert!(refused > 0 && loaded > 0, "{refused} were refused, and {loaded} loaded");
    still_works(&sandbox);
}

/// A short version of the fuzz target `manifest`.
#[test]
fn damaged_manifests_never_make_the_reader_panic() {
    let seed = gephost_tests::components::manifest("a_gene", "heuristic", EVERYTHING);
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    manifest::check_manifest(seed.as_bytes());
    for _ in 0..20_000 {
        manifest::check_manifest(&mutated(seed.as_bytes(), &mut numbers));
    }
}

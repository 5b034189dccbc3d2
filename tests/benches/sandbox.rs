//! `cargo bench -p gephost-tests --bench sandbox`: what the sandbox costs over the engine alone.
//!
//! The gene is `tool_failures` as it is bundled, asked about a log without events. Bare wasmtime runs the same component
//! with an engine of default settings, imports that answer nothing, no budgets and no audit. Aims: a warm call at most
//! 1.3 times the bare one; loading a small gene from the cache at most 2 times a bare `deserialize_file`, and loading one
//! of 35 MB that and one keyed hash over the file.

use std::path::Path;
use std::time::Duration;

use gephost_core::gene::Capability;
use gephost_core::recording::Blob;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{Budgets, CacheOutcome, CompileCache, Gene, Granted, Inputs, Sandbox};
use gephost_tests::components::{component, manifest};
use gephost_tests::measure::{busy, median, micros, millis};
use gephost_tests::scene::Scene;
use wasmtime::component::{Component, HasSelf, Linker, Resource};
use wasmtime::{Engine, Store};

use contract::exports::gephost::gene::diagnosis::GuestIndices;
use contract::gephost::gene::{completion, history, logging, run_log, types, workspace};

/// Calls in one sample.
const CALLS: u32 = 200;
const SAMPLES: usize = 41;
/// Bytes of machine code and data of a large gene, as componentize-py's have.
const LARGE: usize = 35 << 20;

mod contract {
    wasmtime::component::bindgen!({ path: "../wit/v0.1", world: "gephost:gene/heuristic" });
}

fn main() {
    let bytes = BUNDLED.iter().find(|gene| gene.id == "gene_gephost_tool_failures").expect("it is bundled").bytes;
    calls(bytes);
    loads("a small gene", bytes);
    loads("a gene of 35 MB", &large());
}

/// Warm calls, each with a fresh instance: ours from the pool and on demand, and bare ones, by turns.
fn calls(bytes: &[u8]) {
    let pooled = Sandbox::new(None).unwrap();
    let instances = pooled.instances();
    let gene = pooled.load(bytes).unwrap();
    let on_demand = Sandbox::new(None).unwrap().without_pool().load(bytes).unwrap();
    let inputs = Scene::new("", &[("README.md", "empty\n")]).stage(&[]).inputs;
    let bare = Bare::new(bytes);
    let (mut from_pool, mut made, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        from_pool.push(each(|| ask(&gene, &inputs)));
        made.push(each(|| ask(&on_demand, &inputs)));
        theirs.push(each(|| bare.ask()));
    }
    let theirs = middle(theirs);
    println!("a warm call of a small Rust gene, fresh instance; {instances}");
    println!("  bare wasmtime, on demand  {:>8.1} us", micros(theirs));
    for (name, took) in [("on demand", middle(made)), ("from the pool", middle(from_pool))] {
        let (per_second, ratio) = (1.0 / took.as_secs_f64(), took.as_secs_f64() / theirs.as_secs_f64());
        println!("  gephost, {name:<16} {:>8.1} us   {per_second:.0} calls a second on a core", micros(took));
        println!("  over bare                 {ratio:>8.2} times   aim: at most 1.3");
    }
}

fn ask(gene: &Gene, inputs: &Inputs) {
    let granted = Granted::new(&Capability::ALL, &Capability::ALL);
    let call = gene.diagnose(inputs, &granted, &Budgets::default());
    assert_eq!(call.result.as_deref(), Ok(&[][..]));
    assert!(call.usage.host_calls > 0 && call.usage.fuel > 0, "{:?}", call.usage);
}

fn each(call: impl Fn()) -> Duration {
    busy(|| (0..CALLS).for_each(|_| call())).0 / CALLS
}

fn middle(mut samples: Vec<Duration>) -> Duration {
    samples.sort();
    samples[samples.len() / 2]
}

/// From the cache, whole; and its parts by themselves, from the same file.
fn loads(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let cache = CompileCache::open(&folder.path().join("cache"), &folder.path().join("key")).unwrap();
    let sandbox = Sandbox::new(Some(cache)).unwrap();
    drop(sandbox.load(bytes).unwrap());
    let engine = Engine::default();
    let file = folder.path().join("bare.cwasm");
    std::fs::write(&file, engine.precompile_component(bytes).unwrap()).unwrap();
    let linker = Bare::linker(&engine, &Component::from_binary(&engine, bytes).unwrap());
    let samples = if bytes.len() > 1 << 20 { 9 } else { SAMPLES };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..samples {
        let component = Blob::from(bytes);
        let (took, gene) = busy(|| sandbox.load_shared(component).unwrap());
        assert_eq!(gene.cache(), Some(CacheOutcome::Hit));
        ours.push(took);
        theirs.push(busy(|| linker.instantiate_pre(&deserialize(&engine, &file)).unwrap()).0);
    }
    let (ours, theirs) = (middle(ours), middle(theirs));
    let artifact = std::fs::read(&file).unwrap();
    let hash = median(samples, || busy(|| std::hint::black_box(blake3::keyed_hash(&[7; 32], &artifact))).0);
    println!("{name} from the cache ({} KiB, machine code {} KiB)", bytes.len() >> 10, artifact.len() >> 10);
    println!("  bare deserialize_file and link  {:>8.2} ms", millis(theirs));
    println!("  a keyed hash over the file      {:>8.2} ms", millis(hash));
    println!("  gephost                         {:>8.2} ms", millis(ours));
    println!("  over bare                       {:>8.2} times", ours.as_secs_f64() / theirs.as_secs_f64());
    println!("  over bare and one hash          {:>8.2} times", ours.as_secs_f64() / (theirs + hash).as_secs_f64());
}

#[expect(unsafe_code, reason = "the file was written a moment ago, from the same engine's compiler")]
fn deserialize(engine: &Engine, file: &Path) -> Component {
    // SAFETY: as the reason says.
    unsafe { Component::deserialize_file(engine, file) }.unwrap()
}

/// A gene that does nothing and carries much.
fn large() -> Vec<u8> {
    let mut seed = 1_u32;
    let data: String = (0..LARGE)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + u8::try_from(seed >> 28).unwrap())
        })
        .collect();
    let pages = (LARGE >> 16) + 2;
    let wat = format!(
        r#"(module
        (memory (export "memory") {pages})
        (data (i32.const 65536) "{data}")
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 16))
        (func (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32) (i32.const 1024)))"#
    );
    component("heuristic", &manifest("gene_large", "heuristic", &[]), &wat)
}

/// wasmtime as it comes, and a host that has nothing to say.
struct Bare {
    engine: Engine,
    pre: wasmtime::component::InstancePre<Nothing>,
    diagnose: GuestIndices,
}

struct Nothing;

impl Bare {
    fn new(bytes: &[u8]) -> Self {
        let engine = Engine::default();
        let component = Component::from_binary(&engine, bytes).unwrap();
        let pre = Self::linker(&engine, &component).instantiate_pre(&component).unwrap();
        let diagnose = GuestIndices::new(&pre).unwrap();
        Self { engine, pre, diagnose }
    }

    fn linker(engine: &Engine, component: &Component) -> Linker<Nothing> {
        let mut linker = Linker::new(engine);
        contract::Heuristic::add_to_linker::<Nothing, HasSelf<Nothing>>(&mut linker, |nothing| nothing).unwrap();
        linker.allow_shadowing(true);
        // WASI is there and never called.
        linker.define_unknown_imports_as_traps(component).unwrap();
        linker
    }

    fn ask(&self) {
        let mut store = Store::new(&self.engine, Nothing);
        let instance = self.pre.instantiate(&mut store).unwrap();
        let answer = self.diagnose.load(&mut store, &instance).unwrap().call_diagnose(&mut store).unwrap();
        assert!(answer.is_ok_and(|findings| findings.is_empty()));
    }
}

impl types::Host for Nothing {}

impl run_log::Host for Nothing {
    fn tool_names(&mut self) -> Result<run_log::Names, types::HostError> {
        Ok(run_log::Names { tools: Vec::new(), sessions: Vec::new() })
    }

    fn open(&mut self, _: run_log::Filter) -> Result<Resource<run_log::Cursor>, types::HostError> {
        Ok(Resource::new_own(1))
    }
}

impl run_log::HostCursor for Nothing {
    fn next(&mut self, _: Resource<run_log::Cursor>, _: u32) -> Result<Option<run_log::Batch>, types::HostError> {
        Ok(None)
    }

    fn drop(&mut self, _: Resource<run_log::Cursor>) -> wasmtime::Result<()> {
        Ok(())
    }
}

impl workspace::Host for Nothing {
    fn read(&mut self, _: Vec<String>) -> Vec<Result<Vec<u8>, types::HostError>> {
        Vec::new()
    }

    fn list_directory(&mut self, _: String) -> Result<Vec<workspace::Entry>, types::HostError> {
        Ok(Vec::new())
    }

    fn glob(&mut self, _: String, _: u32) -> Result<Vec<workspace::Entry>, types::HostError> {
        Ok(Vec::new())
    }

    fn search(&mut self, _: String, _: String, _: u32) -> Result<Vec<workspace::Found>, types::HostError> {
        Ok(Vec::new())
    }
}

impl history::Host for Nothing {
    fn attempts(&mut self, _: Vec<String>) -> Result<Vec<history::Attempt>, types::HostError> {
        Ok(Vec::new())
    }
}

impl completion::Host for Nothing {
    fn complete(&mut self, _: completion::Request) -> Result<String, types::HostError> {
        Ok(String::new())
    }
}

impl logging::Host for Nothing {
    fn log(&mut self, _: logging::Level, _: String) {}
}

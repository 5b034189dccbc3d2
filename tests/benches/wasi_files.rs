//! `cargo bench -p gephost-tests --bench wasi_files`: a gene reads 1,000 small files with `std::fs`.
//!
//! The same component runs in gephost, whose virtual `wasi:filesystem` reads the base commit, and under wasmtime-wasi with a
//! preopened directory, as a host without a policy would run it. Aim: gephost is at least 5 times faster in the same run.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use gephost_core::gene::Capability;
use gephost_runner::sandbox::{Budgets, Granted, Inputs, Sandbox};
use gephost_tests::measure::{median, micros, time};
use gephost_tests::scene::Scene;
use gephost_tests::{skipped, toolchains};
use wasmtime::component::{Component, InstancePre, Linker, ResourceTable, Val};
use wasmtime::{Engine, Store};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

const FILES: usize = 1000;
const RUNS: usize = 15;

fn main() {
    let component = match toolchains::rust_gene("read-all-files") {
        Ok(path) => std::fs::read(path).unwrap(),
        Err(missing) => return skipped(&missing.to_string()),
    };
    let files = files();
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let expected = format!("{FILES} files, {} bytes", files.iter().map(|(_, text)| text.len()).sum::<usize>());

    let gene = Sandbox::new(None).unwrap().load(&component).unwrap();
    let scene = Scene::new("", &borrowed);
    let ask = |inputs: &Inputs| {
        let granted = Granted::new(&Capability::ALL, &Capability::ALL);
        let (took, call) = time(|| gene.diagnose(inputs, &granted, &Budgets::default()));
        assert_eq!(call.result.unwrap()[0].title, expected);
        took
    };
    // A new stage has read nothing yet; genes that share the inputs of one stage share the files that were read.
    let first = median(RUNS, || ask(&scene.stage(&[]).inputs));
    let shared = scene.stage(&[]).inputs;
    let again = median(RUNS, || ask(&shared));

    let folder = tempfile::tempdir().unwrap();
    for (path, text) in &files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let stock = Stock::new(&component);
    let preopen = median(RUNS, || stock.ask(folder.path(), &expected));

    let each = |duration: Duration| micros(duration) / FILES as f64;
    let times = |duration: Duration| preopen.as_secs_f64() / duration.as_secs_f64();
    println!("{FILES} files of 1 KiB in 20 folders, walked and read by std::fs; us a file, instance and all");
    println!("  wasmtime-wasi's own preopen              {:>7.1}", each(preopen));
    println!(
        "  gephost, the first gene of a cycle       {:>7.1}   {:.1} times faster; aim: 5",
        each(first),
        times(first)
    );
    println!(
        "  gephost, every later gene                {:>7.1}   {:.1} times faster; aim: 5",
        each(again),
        times(again)
    );
}

fn files() -> Vec<(String, String)> {
    let file = |number: usize| {
        let mut text = String::new();
        while text.len() < 1024 {
            let _ = writeln!(text, "line {} of file {number}", text.len());
        }
        text.truncate(1024);
        (format!("folder-{:02}/file-{number:04}.txt", number % 20), text)
    };
    (0..FILES).map(file).collect()
}

/// wasmtime and wasmtime-wasi as they come.
struct Stock {
    engine: Engine,
    pre: InstancePre<Plain>,
}

struct Plain {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl WasiView for Plain {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

impl Stock {
    fn new(component: &[u8]) -> Self {
        let engine = Engine::default();
        let component = Component::from_binary(&engine, component).unwrap();
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
        // The gene's own interface that is left after linking: it says nothing.
        let mut logging = linker.instance("gephost:gene/logging@0.1.0").unwrap();
        logging.func_new("log", |_, _, _, _| Ok(())).unwrap();
        Self { pre: linker.instantiate_pre(&component).unwrap(), engine }
    }

    fn ask(&self, folder: &Path, expected: &str) -> Duration {
        let mut builder = WasiCtx::builder();
        builder.preopened_dir(folder, "/workspace", FsPerms::ReadOnly).unwrap();
        let (took, said) = time(|| {
            let mut store = Store::new(&self.engine, Plain { ctx: builder.build(), table: ResourceTable::new() });
            let instance = self.pre.instantiate(&mut store).unwrap();
            let interface = instance.get_export_index(&mut store, None, "gephost:gene/diagnosis@0.1.0").unwrap();
            let function = instance.get_export_index(&mut store, Some(&interface), "diagnose").unwrap();
            let mut answer = [Val::Bool(false)];
            instance.get_func(&mut store, function).unwrap().call(&mut store, &[], &mut answer).unwrap();
            format!("{answer:?}")
        });
        assert!(said.contains(expected), "{said}");
        took
    }
}

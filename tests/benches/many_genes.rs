//! `cargo bench -p gephost-tests --bench many_genes`: a thousand different genes on one workspace.
//!
//! Each is `examples/genes/rust` under an id of its own, so each is another component with machine code of its own in
//! the compile cache. Each is loaded from the cache, asked, and its proposal gated, over all cores. Aim: under 1 s on two
//! cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gephost_app::stages::Stage;
use gephost_runner::sandbox::{CacheOutcome, CompileCache, Sandbox};
use gephost_tests::measure::{median, millis, time};
use gephost_tests::scene::Scene;
use gephost_tests::{skipped, toolchains};

const GENES: usize = 1000;
const ID: &[u8] = b"gene_example_note_the_failure";

const CONFIG: &str = "[policy]\nallow = [\"docs/\"]\n";
const FILES: &[(&str, &str)] = &[("docs/known-failures.md", "# Known failures\n"), ("src/app.txt", "size = 3\n")];

fn main() {
    let example = match toolchains::example_gene() {
        Ok(path) => std::fs::read(path).unwrap(),
        Err(missing) => return skipped(&missing.to_string()),
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = CompileCache::open(&folder.path().join("cache"), &folder.path().join("key")).unwrap();
    let sandbox = Sandbox::new(Some(cache)).unwrap();
    let components: Vec<Vec<u8>> = (0..GENES).map(|number| renamed(&example, number)).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{GENES} different genes, {cores} cores");
    let cold = on(cores, &components, |component| drop(sandbox.load(component).unwrap()));
    println!("  compiled, on all cores               {:>8.0} ms", millis(cold));

    let scene = Scene::new(CONFIG, FILES);
    let stage = scene.stage(&[]);
    let one = median(5, || on(1, &components, |component| ask(&sandbox, &scene, &stage, component)));
    println!("  from the cache, asked, gated, 1 core {:>8.0} ms", millis(one));
    let all = median(5, || on(cores, &components, |component| ask(&sandbox, &scene, &stage, component)));
    println!("  the same on all cores                {:>8.0} ms   aim: under 1000 on two", millis(all));
}

/// Does the work for every component, on as many threads.
fn on(threads: usize, components: &[Vec<u8>], work: impl Fn(&[u8]) + Sync) -> Duration {
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(component) = components.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(component);
        }
    };
    time(|| std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))))).0
}

/// Loads, asks and gates a gene. Its proposal must pass.
fn ask(sandbox: &Sandbox, scene: &Scene, stage: &Stage<'_>, component: &[u8]) {
    let genes = [sandbox.load(component).unwrap()];
    assert_eq!(genes[0].cache(), Some(CacheOutcome::Hit));
    let mut stage = stage.clone();
    stage.genes = &genes;
    let diagnosed = Scene::diagnosed();
    let proposed = stage
        .propose(scene.base(), &diagnosed, stage.select(&diagnosed, &[]), None, std::num::NonZeroUsize::MIN)
        .unwrap();
    assert!(proposed.passed().is_some(), "{proposed:?}");
}

/// The component under another id of the same length.
fn renamed(component: &[u8], number: usize) -> Vec<u8> {
    let at = component.windows(ID.len()).position(|window| window == ID).expect("the manifest is in the component");
    let mut renamed = component.to_vec();
    let end = at + ID.len();
    renamed[end - 7..end].copy_from_slice(format!("{number:07}").as_bytes());
    renamed
}

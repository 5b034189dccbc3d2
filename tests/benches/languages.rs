//! `cargo bench -p gephost-tests --bench languages`: what a gene costs in each language.
//!
//! The gene is *tidy* of `tests/guests/languages`: it walks and changes ten files through `wasi:filesystem`, and its eight
//! changes are gated. Compiling and loading are by the compile cache, as the product does it; the rest are medians of
//! warm calls, each with a fresh instance. `start` is a call of the function that a strategy does not export: an instance
//! is made and dropped, and nothing of the gene runs but its start-up code. Aim: no language's call takes 10 ms.

use std::time::Duration;

use gephost_runner::sandbox::{Budgets, CallError, Gene, Granted};
use gephost_tests::loads::Loads;
use gephost_tests::measure::{median, micros, millis, time};
use gephost_tests::scene::Scene;
use gephost_tests::toolchains::{Language, tidy};

const CONFIG: &str = "[policy]\nallow = [\"**\"]\n";
const FILES: &[(&str, &str)] = &[
    (".env", "NAME=value\n"),
    ("CHANGES.md", "- begun\n"),
    ("attic/a.txt", "a\n"),
    ("attic/deep/b.txt", "bb\n"),
    ("docs/old.md", "# Notes\n"),
    ("obsolete.txt", "gone\n"),
    ("src/app.txt", "colour = red\nsize = 3\n"),
];

fn main() {
    let scene = Scene::new(CONFIG, FILES);
    println!(
        "{:<8} {:>8} {:>11} {:>9} {:>10} {:>10} {:>13}   aim: no call over 10000 us",
        "", "KiB", "compile ms", "load ms", "start us", "call us", "with gate us"
    );
    for language in Language::ALL {
        match tidy(language) {
            Ok(path) => print_row(&scene, language, &std::fs::read(path).unwrap()),
            Err(missing) => gephost_tests::skipped(&format!("{}: {missing}", language.name())),
        }
    }
}

fn print_row(scene: &Scene, language: Language, component: &[u8]) {
    let Loads { compile, load, gene } = Loads::of(component);
    let start = start(scene, &gene);
    let (call, gated) = calls(scene, gene);
    println!(
        "{:<8} {:>8} {:>11.0} {:>9.2} {:>10.0} {:>10.0} {:>13.0}",
        language.name(),
        component.len() >> 10,
        millis(compile),
        millis(load),
        micros(start),
        micros(call),
        micros(gated)
    );
}

fn start(scene: &Scene, gene: &Gene) -> Duration {
    let inputs = scene.stage(&[]).inputs;
    median(101, || {
        let (took, call) = time(|| gene.diagnose(&inputs, &Granted::default(), &Budgets::default()));
        assert!(matches!(call.result, Err(CallError::NotExported { .. })), "{call:?}");
        took
    })
}

/// A call by itself, as the sandbox measures it, and with selection and the gate.
fn calls(scene: &Scene, gene: Gene) -> (Duration, Duration) {
    let genes = [gene];
    let (stage, diagnosed) = (scene.stage(&genes), Scene::diagnosed());
    let mut own = Vec::new();
    let gated = median(101, || {
        let (took, proposed) = time(|| {
            stage
                .propose(scene.base(), &diagnosed, stage.select(&diagnosed, &[]), None, std::num::NonZeroUsize::MIN)
                .unwrap()
        });
        assert!(proposed.passed().is_some(), "{proposed:?}");
        own.push(Duration::from_micros(proposed.calls[0].usage.wall_us));
        took
    });
    own.sort();
    (own[own.len() / 2], gated)
}

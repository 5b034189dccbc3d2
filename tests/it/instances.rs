//! Instances from the pool, on demand, and in a small address space. All give the same results and have the same limits,
//! and a guest finds nothing of the one before it.

use std::sync::LazyLock;
use std::time::Duration;

use gephost_runner::sandbox::{Budget, Budgets, Call, CallError, Gene, Instances, Sandbox};
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::guests;
use crate::sandbox::{granted, inputs};

static POOLED: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(None).unwrap());
static ON_DEMAND: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(None).unwrap().without_pool());

/// How many calls the pool can serve at the same time.
fn seats() -> usize {
    match POOLED.instances() {
        Instances::Pooled { seats, .. } => seats,
        Instances::OnDemand { because } => panic!("no pool here: {because}"),
    }
}

fn ask(gene: &Gene, budgets: &Budgets) -> Result<(), CallError> {
    gene.diagnose(&inputs(), &granted(), budgets).result.map(|findings| assert_eq!(findings, []))
}

#[test]
fn a_guest_finds_nothing_of_the_previous_one() {
    let (fresh, calm) = (guests::heuristic("fresh_memory"), guests::heuristic("memory_growth"));
    for sandbox in [&*POOLED, &*ON_DEMAND] {
        let (fresh, other) = (sandbox.load(&fresh).unwrap(), sandbox.load(&calm).unwrap());
        // More often than the pool has places, so that each of them is used again: by the same gene and by another.
        for round in 0..seats() * 3 {
            assert_eq!(ask(&fresh, &Budgets::default()), Ok(()), "round {round}");
            if round % 2 == 0 {
                let limited = Budgets { memory: 4 << 20, ..Budgets::default() };
                assert!(matches!(ask(&other, &limited), Err(CallError::Budget { budget: Budget::Memory, .. })));
            }
        }
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..seats()).for_each(|_| assert_eq!(ask(&fresh, &Budgets::default()), Ok(()))));
            }
        });
    }
}

/// A call waits while the pool is full. The wait does not count against its wall time.
#[test]
fn more_calls_than_instances_all_end() {
    let gene = POOLED.load(&guests::heuristic("endless_loop")).unwrap();
    let budgets = Budgets { wall: Duration::from_millis(300), fuel: u64::MAX, ..Budgets::default() };
    let calls = seats() * 2 + 1;
    let ends: Vec<Call<_>> = std::thread::scope(|scope| {
        let call = || gene.diagnose(&inputs(), &granted(), &budgets);
        let running: Vec<_> = (0..calls).map(|_| scope.spawn(call)).collect();
        running.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(ends.len(), calls);
    for end in ends {
        assert!(matches!(end.result, Err(CallError::Budget { budget: Budget::Wall, .. })), "{:?}", end.result);
    }
    assert_eq!(ask(&POOLED.load(&guests::heuristic("calm")).unwrap(), &Budgets::default()), Ok(()));
}

/// Memories and tables have the same limits wherever they are allocated.
#[test]
fn limits_are_the_same_in_the_pool_and_on_demand() {
    let growing = |grow: &str| {
        let text = std::fs::read_to_string(gephost_tests::repository().join("tests/guests/huge_growth.wat")).unwrap();
        guests::heuristic_that_asks_for(&[], &text.replace("@GROW@", grow), "huge_growth")
    };
    let mut cases = Vec::new();
    for guest in ["memory_growth", "table_growth", "table_declared", "bounded_growth", "many_memories", "recursion"] {
        cases.push((guest.to_owned(), guests::heuristic(guest)));
    }
    for pages in [255_u32, 256, 1023, 4096, 65_535, 65_536, u32::MAX] {
        cases.push((format!("{pages} pages"), growing(&format!("memory.grow (i32.const {})", pages.cast_signed()))));
    }
    for elements in [999_999_u32, 1_048_575, 1_048_576, 1_048_577, 20_000_000, u32::MAX] {
        let grow = format!("table.grow $table (ref.null func) (i32.const {})", elements.cast_signed());
        cases.push((format!("{elements} elements"), growing(&grow)));
    }
    for budgets in [
        Budgets { memory: 16 << 20, table_elements: 50_000, ..Budgets::default() },
        Budgets { memory: 4096 << 20, table_elements: usize::MAX, ..Budgets::default() },
    ] {
        let budgets = Budgets { fuel: 1_000_000_000, ..budgets };
        for (name, component) in &cases {
            let come_to = |sandbox: &Sandbox| {
                let call = sandbox.load(component).unwrap().diagnose(&inputs(), &granted(), &budgets);
                (call.result, call.usage.fuel, call.usage.memory, call.usage.table_elements)
            };
            let (pooled, on_demand) = (come_to(&POOLED), come_to(&ON_DEMAND));
            assert_eq!(pooled, on_demand, "{name} {budgets:?}");
            let (_, _, memory, elements) = pooled;
            assert!(memory <= budgets.memory as u64 && elements <= 1 << 20, "{name}: {memory} {elements}");
        }
    }
}

/// Runs gephost with this many KiB of address space.
fn with_space(kib: u64, env: &TestEnv, project: &TestProject, arguments: &str) -> Value {
    let script = format!("ulimit -v {kib} && exec \"$0\" --json {arguments}");
    let output = env.command("/bin/sh", project.root()).args(["-c", &script]).arg(gephost()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[test]
fn genes_run_in_a_small_address_space() {
    let env = TestEnv::new();
    for isolation in ["thread", "process"] {
        let config = format!("{}[genes]\nisolation = \"{isolation}\"\n", crate::scene::validated_by(""));
        let project = crate::scene::quickstart(&env, Some(&config));
        let (mut ample, code) = env.json(project.root(), &["run"]);
        assert_eq!(code, 0, "{ample:#}");
        assert!(ample["calls"].as_array().is_some_and(|calls| !calls.is_empty()), "{ample:#}");
        // Two gibibytes are less than the reservation of one memory.
        let mut scarce = with_space(2 << 20, &env, &project, "run");
        for run in [&mut ample, &mut scarce] {
            without_measures(run);
        }
        assert_eq!(ample, scarce, "{isolation}");
    }
}

/// Removes the values that differ between any two runs.
fn without_measures(value: &mut Value) {
    const MEASURED: &[&str] = &["used", "micros", "wall_us", "cache", "recording", "run", "timings"];
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !MEASURED.contains(&name.as_str()));
            members.values_mut().for_each(without_measures);
        }
        Value::Array(items) => items.iter_mut().for_each(without_measures),
        _ => {}
    }
}

#[test]
fn the_doctor_says_where_instances_come_from() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "")]);
    let instances = |document: &Value| {
        let checks = document["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["id"] == "instances").unwrap_or_else(|| panic!("{document:#}"))
    };
    let ample = instances(&env.json(project.root(), &["doctor"]).0);
    assert_eq!(ample["status"], "ok", "{ample:#}");
    assert!(ample["result"].as_str().unwrap().starts_with("a pool for "), "{ample:#}");
    let scarce = instances(&with_space(2 << 20, &env, &project, "doctor"));
    assert_eq!(scarce["status"], "warn", "{scarce:#}");
    assert!(scarce["result"].as_str().unwrap().contains("cannot be reserved"), "{scarce:#}");
}

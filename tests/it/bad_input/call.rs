//! Genes that load, and fail when they are called.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use super::{file, project, quickstart_logs, refuses};
use crate::guests;

/// A project with budgets that end a call soon, and the file of this gene.
fn scene(env: &TestEnv, component: &[u8], bundled: bool, budgets: &str) -> (TestProject, String) {
    let project = project(env);
    let genes = format!("[genes]\nbundled = {bundled}\n");
    project.write("gephost.toml", &format!("{genes}[observe]\nlogs = [\"logs/\"]\n[budgets]\n{budgets}\n"));
    copy_quickstart_logs(&project);
    project.commit_all(env);
    let path = file(env, "gene.wasm", component);
    (project, path.to_str().unwrap().to_owned())
}

/// Runs a gene whose call fails, and beside which no other gene is asked.
#[track_caller]
fn fails_in_call(component: &[u8], bundled: bool, budgets: &str, code: i32, says: &str) {
    let env = TestEnv::new();
    let (project, path) = scene(&env, component, bundled, budgets);
    refuses(&env, &project, &["run", "--gene", &path], code, says);
    // The next run, without it, is as if nothing had been.
    let _ = env.run(project.root(), &["run"]).expect_code(0);
}

/// A heuristic whose call fails ends a command if it is alone. Beside the bundled one it is only told of.
#[track_caller]
fn heuristic_fails(component: &[u8], budgets: &str, code: i32, says: &str) {
    fails_in_call(component, false, budgets, code, says);
    let env = TestEnv::new();
    let (project, path) = scene(&env, component, true, budgets);
    let ran = env.run(project.root(), &["run", "--gene", &path]).expect_code(0);
    assert!(ran.stderr.contains("warning: gene ") && ran.stderr.contains(says), "{}", ran.stderr);
}

/// A strategy that is named is asked alone.
#[track_caller]
fn strategy_fails(component: &[u8], budgets: &str, code: i32, says: &str) {
    fails_in_call(component, true, budgets, code, says);
}

fn copy_quickstart_logs(project: &TestProject) {
    for (position, path) in quickstart_logs().iter().enumerate() {
        project.write(&format!("logs/{position}.jsonl"), &fs::read_to_string(path).unwrap());
    }
}

#[test]
fn a_gene_that_loops_ends_with_exit_code_7() {
    heuristic_fails(&guests::heuristic("endless_loop"), "wall_ms = 200", 7, "wall time budget (200 ms)");
    heuristic_fails(&guests::heuristic("endless_loop"), "fuel = 50000000", 7, "fuel budget (50000000 units)");
    strategy_fails(&guests::strategy("propose_loop"), "wall_ms = 200", 7, "wall time budget");
}

#[test]
fn a_gene_over_another_budget_ends_with_exit_code_7() {
    heuristic_fails(&guests::heuristic("memory_growth"), "memory_mib = 8", 7, "memory budget");
    heuristic_fails(&guests::heuristic("log_flood"), "output_mib = 1", 7, "output budget");
    heuristic_fails(&guests::heuristic("call_storm"), "host_calls = 1000", 7, "host calls budget");
}

#[test]
fn a_gene_that_traps_or_answers_garbage_ends_with_exit_code_1() {
    heuristic_fails(&guests::heuristic("trap"), "", 1, "unreachable");
    heuristic_fails(&guests::heuristic("panic"), "", 1, "gene panicked: 41 is not 42");
    heuristic_fails(&guests::heuristic("lie_list_length"), "", 1, "out of bounds");
    heuristic_fails(&guests::heuristic("gives_up"), "", 1, "no idea");
    heuristic_fails(&guests::finding("a title", 7, "nan", 0), "", 1, "confidence NaN");
    strategy_fails(&guests::strategy("propose_trap"), "", 1, "unreachable");
    strategy_fails(&guests::strategy("propose_nothing"), "", 1, "no changes");
}

//! Genes that load, and fail when they are called.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use super::{file, project, quickstart_logs, refuses};
use crate::guests;

/// Runs a gene whose call fails, with budgets that end it soon.
#[track_caller]
fn fails_in_call(component: &[u8], budgets: &str, code: i32, says: &str) {
    let env = TestEnv::new();
    let project = project(&env);
    project.write("gephost.toml", &format!("[observe]\nlogs = [\"logs/\"]\n[budgets]\n{budgets}\n"));
    copy_quickstart_logs(&project);
    project.commit_all(&env);
    let path = file(&env, "gene.wasm", component);
    let path = path.to_str().unwrap();
    refuses(&env, &project, &["run", "--gene", path], code, says);
    // The next run, without it, is as if nothing had been.
    let _ = env.run(project.root(), &["run"]).expect_code(0);
}

fn copy_quickstart_logs(project: &TestProject) {
    for (position, path) in quickstart_logs().iter().enumerate() {
        project.write(&format!("logs/{position}.jsonl"), &fs::read_to_string(path).unwrap());
    }
}

#[test]
fn a_gene_that_loops_ends_with_exit_code_7() {
    fails_in_call(&guests::heuristic("endless_loop"), "wall_ms = 200", 7, "wall time budget (200 ms)");
    fails_in_call(&guests::heuristic("endless_loop"), "fuel = 50000000", 7, "fuel budget (50000000 units)");
    fails_in_call(&guests::strategy("propose_loop"), "wall_ms = 200", 7, "wall time budget");
}

#[test]
fn a_gene_over_another_budget_ends_with_exit_code_7() {
    fails_in_call(&guests::heuristic("memory_growth"), "memory_mib = 8", 7, "memory budget");
    fails_in_call(&guests::heuristic("log_flood"), "output_mib = 1", 7, "output budget");
    fails_in_call(&guests::heuristic("call_storm"), "host_calls = 1000", 7, "host calls budget");
}

#[test]
fn a_gene_that_traps_or_answers_garbage_ends_with_exit_code_1() {
    fails_in_call(&guests::heuristic("trap"), "", 1, "unreachable");
    fails_in_call(&guests::heuristic("panic"), "", 1, "gene panicked: 41 is not 42");
    fails_in_call(&guests::heuristic("lie_list_length"), "", 1, "out of bounds");
    fails_in_call(&guests::heuristic("gives_up"), "", 1, "no idea");
    fails_in_call(&guests::finding("a title", 7, "nan", 0), "", 1, "confidence NaN");
    fails_in_call(&guests::strategy("propose_trap"), "", 1, "unreachable");
    fails_in_call(&guests::strategy("propose_nothing"), "", 1, "no changes");
}

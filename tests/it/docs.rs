//! Every command that README.md and CONTRIBUTING.md show: those of gephost are run here, in a project where they make
//! sense; the others are in a list that says who runs them.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::repository;

use crate::custom_gene;
use crate::scene::quickstart;

/// Commands that this test does not run itself, and what does.
const RUN_ELSEWHERE: &[(&str, &str)] = &[
    ("cargo test --release", "is running now"),
    ("cargo clippy --release --workspace --all-targets -- -D warnings", ".ci/run"),
    ("cargo fmt --all --check", ".ci/run"),
    ("cargo run --release -p gephost-tests --example kill_sweep", "by hand; a sample of it: tests/it/crash.rs"),
    ("cargo deny --all-features check licenses bans sources", ".ci/run"),
    (
        "cargo build --release --target wasm32-wasip2 --manifest-path examples/custom-gene/Cargo.toml",
        "tests/it/custom_gene.rs, with a target folder of its own",
    ),
];

/// Commands that end with another code than 0, as the text beside them says.
const ENDS_WITH: &[(&str, i32)] =
    &[("record -- python3 -m unittest discover -s tests", 1), ("examples/quickstart --gene", 3)];

#[test]
fn every_command_of_the_documents_works() {
    if !crate::scene::python() {
        return;
    }
    let mut run = 0;
    for document in ["README.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(repository().join(document)).unwrap();
        let env = TestEnv::new();
        let project = quickstart(&env, None);
        for line in console_lines(&text) {
            if RUN_ELSEWHERE.iter().any(|(known, _)| *known == line) {
                continue;
            }
            let arguments = line.strip_prefix("gephost ").or_else(|| line.strip_prefix("cargo run --release -- "));
            let arguments = arguments.unwrap_or_else(|| panic!("{document} shows `{line}`: who runs it?"));
            let Some(words) = words(arguments, project.root().to_str().unwrap()) else { continue };
            let code = ENDS_WITH.iter().find(|(part, _)| line.contains(part)).map_or(0, |(_, code)| *code);
            env.run(project.root(), &words).expect_code(code);
            run += 1;
        }
    }
    assert!(run >= 4, "only {run} commands were found");
}

/// The lines of the blocks fenced as `console`.
fn console_lines(text: &str) -> Vec<&str> {
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter(|line| !line.trim().is_empty()).collect()
}

/// The words of a command, with the quickstart's copy for the quickstart. Nothing where the gene cannot be built.
fn words(arguments: &str, project: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for word in arguments.split_whitespace() {
        words.push(match word {
            "examples/quickstart" => project.to_owned(),
            word if word.ends_with("/custom_gene.wasm") => custom_gene::component()?.to_str().unwrap().to_owned(),
            word => word.to_owned(),
        });
    }
    Some(words)
}

//! Several genes side by side: each proposes, all are gated, their candidates are validated in the order of expected worth,
//! and memory learns from those that lose.

use std::path::PathBuf;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::toolchains;
use serde_json::Value;

use crate::guests;
use crate::scene::{VALUE_TEST, python, value_config};

/// A project whose test fails, and in which three genes write what their scripts say.
struct Contest {
    env: TestEnv,
    project: TestProject,
    genes: Vec<PathBuf>,
}

/// The guest that writes what a script says, as several genes: the last character of its id and the name of its script differ.
fn gene(env: &TestEnv, letter: char) -> Option<PathBuf> {
    let built = toolchains::rust_gene("std-fs").map_err(|missing| gephost_tests::skipped(&missing.to_string())).ok()?;
    let bytes = std::fs::read(built).unwrap();
    let renamed = replaced(&bytes, b"gene_test_std_fs", format!("gene_test_std_f{letter}").as_bytes());
    let renamed = replaced(&renamed, b"script.txt", format!("s_{letter}___.txt").as_bytes());
    let path = env.home().join(format!("{letter}.wasm"));
    std::fs::write(&path, renamed).unwrap();
    Some(path)
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, at)| *at == from).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place..place + to.len()].copy_from_slice(to);
    }
    bytes
}

impl Contest {
    fn new(scripts: &[(char, &str)]) -> Option<Self> {
        if !python() {
            return None;
        }
        let env = TestEnv::new();
        let genes = scripts.iter().map(|(letter, _)| gene(&env, *letter)).collect::<Option<Vec<_>>>()?;
        let config = value_config("");
        let names: Vec<String> = scripts.iter().map(|(letter, _)| format!("s_{letter}___.txt")).collect();
        let mut files = vec![
            ("gephost.toml", config.as_str()),
            ("app/__init__.py", ""),
            ("app/value.py", "VALUE = 1\n"),
            ("test_value.py", VALUE_TEST),
            (".gitignore", "__pycache__/\n"),
        ];
        files.extend(names.iter().zip(scripts).map(|(name, (_, script))| (name.as_str(), *script)));
        let project = TestProject::new(&env, &files);
        env.run(project.root(), &["record", "--", "python3", "-m", "unittest"]).expect_code(1);
        Some(Self { env, project, genes })
    }

    fn run(&self, options: &[&str]) -> (Value, i32) {
        let mut arguments = vec!["run"];
        for gene in &self.genes {
            arguments.extend(["--gene", gene.to_str().unwrap()]);
        }
        arguments.extend(options);
        self.env.json(self.project.root(), &arguments)
    }
}

fn texts<'v>(rows: &'v Value, member: &str) -> Vec<&'v str> {
    rows.as_array().unwrap().iter().map(|row| row.pointer(member).unwrap().as_str().unwrap()).collect()
}

#[test]
fn genes_side_by_side_are_all_judged_and_the_losers_are_remembered() {
    let Some(contest) = Contest::new(&[
        ('a', "write app/value.py VALUE=3"),
        ('b', "write app/value.py VALUE=2"),
        ('c', "write .git/x y"),
    ]) else {
        return;
    };
    // One after another: the first gene that has a candidate is the only one that is heard.
    let (alone, code) = contest.run(&[]);
    assert_eq!(code, 0, "{alone}");
    assert_eq!(texts(&alone["candidates"], "/proposal/gene"), ["gene_test_std_fa"]);
    assert_eq!(alone["candidates"][0].get("worth"), None);

    let (dry, code) = contest.run(&["--candidates", "3"]);
    assert_eq!(code, 0, "{dry}");
    let genes = texts(&dry["candidates"], "/proposal/gene");
    assert_eq!(genes[..2], ["gene_test_std_fa", "gene_test_std_fb"], "{dry}");
    let worths: Vec<f64> =
        dry["candidates"].as_array().unwrap().iter().map(|candidate| candidate["worth"].as_f64().unwrap()).collect();
    assert!(worths.is_sorted_by(|a, b| a >= b) && worths.iter().all(|worth| (0.0..=1.0).contains(worth)), "{worths:?}");
    let (again, _) = contest.run(&["--candidates", "3"]);
    assert_eq!(again["candidates"], dry["candidates"], "two runs give the same");

    let (applied, code) = contest.run(&["--candidates", "3", "--apply"]);
    assert_eq!(code, 0, "{applied}");
    let published: Vec<(&str, &str)> = texts(&applied["applied"]["tried"], "/fate")
        .into_iter()
        .zip(texts(&applied["applied"]["tried"], "/gene"))
        .collect();
    assert_eq!(published, [("failed", "gene_test_std_fa"), ("published", "gene_test_std_fb")], "{applied}");

    // Memory has both, and the winner comes first from now on.
    let (memory, _) = contest.env.json(contest.project.root(), &["memory", "show"]);
    let mut known: Vec<(&str, u64, u64)> = memory["genes"]
        .as_array()
        .unwrap_or_else(|| panic!("{memory}"))
        .iter()
        .map(|row| (row["gene"].as_str().unwrap(), row["tries"].as_u64().unwrap(), row["successes"].as_u64().unwrap()))
        .collect();
    known.sort_unstable();
    assert_eq!(known, [("gene_test_std_fa", 1, 0), ("gene_test_std_fb", 1, 1)]);
    let (after, _) = contest.run(&["--candidates", "3"]);
    assert_eq!(texts(&after["candidates"], "/proposal/gene")[0], "gene_test_std_fb", "{after}");
}

#[test]
fn a_gene_that_fails_costs_a_tournament_only_its_own_candidates() {
    let Some(contest) = Contest::new(&[('b', "write app/value.py VALUE=2")]) else { return };
    let trap = contest.env.home().join("trap.wasm");
    std::fs::write(&trap, guests::strategy("propose_trap")).unwrap();
    let contest = Contest { genes: [vec![trap], contest.genes].concat(), ..contest };
    let (dry, code) = contest.run(&["--candidates", "2"]);
    assert_eq!((code, texts(&dry["candidates"], "/proposal/gene")), (0, vec!["gene_test_std_fb"]), "{dry}");
    let failed = |call: &&Value| call["error"].is_string();
    assert_eq!(dry["calls"].as_array().unwrap().iter().filter(failed).count(), 1, "{dry}");

    // With nobody beside it, it is the failure of the command.
    let alone = Contest { genes: contest.genes[..1].to_vec(), ..contest };
    let (document, code) = alone.run(&["--candidates", "2"]);
    assert_eq!(code, 1, "{document}");
    alone.env.run(alone.project.root(), &["run", "--candidates", "0"]).expect_code(2);
}

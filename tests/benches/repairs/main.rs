//! `cargo bench -p gephost-tests --bench repairs [-- WORD]`: what the bundled genes make of releases of published packages.
//!
//! Each line of `cases.tsv` names a release and a command. The release is fetched by the client of its registry and put into
//! a repository, and the command is recorded. If it fails, `gephost run --apply` repairs what it can. The branch is then
//! checked out in a fresh clone, where the same command decides. Two tables are printed as Markdown: one row for each case, and
//! one for each gene. What passes untouched, or cannot be fetched, is no case and only counted. With a word, only the lines
//! that contain it are run. The documents of the runs are kept in `target/repairs`.
//!
//! The lines marked `held` are the cases that nobody has looked at to improve a gene. It needs a network, python3, node and
//! cargo.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::project::TestProject;
use gephost_tests::registry::{Archive, Registry};
use serde_json::Value;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/repairs/cases.tsv");
const CONFIG: &str = "[policy]\nallow = [\"**\"]\nmax_files = 200\nmax_patch_lines = 20000\nmax_risk = 100\nmode_changes = \
                      true\n[apply]\nenabled = true\n[validation]\ncaches = [\"cargo\"]\n";
/// What the commands leave behind, and what is installed beside the release.
const IGNORED: &str = "node_modules\ntarget\n__pycache__\n*.pyc\n";
/// The compiler that checks the releases in TypeScript.
const TYPESCRIPT: &str = "typescript@5.9.3";

/// A line of `cases.tsv`: language, `held` or `seen`, registry, release, and the words of the command.
struct Case {
    language: &'static str,
    is_held: bool,
    registry: &'static str,
    release: &'static str,
    command: Vec<&'static str>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Fixed,
    /// A validated candidate changed the error, but the command still fails.
    Improved,
    /// No candidate helped.
    Failed,
    /// The gate refused what was proposed.
    Refused,
    /// No gene proposed anything.
    Nothing,
    /// It was published, and the command fails in a fresh clone.
    Wrong,
}

const OUTCOMES: [Outcome; 6] =
    [Outcome::Fixed, Outcome::Improved, Outcome::Failed, Outcome::Refused, Outcome::Nothing, Outcome::Wrong];

type Counts = BTreeMap<Outcome, u32>;

fn main() {
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    // One home for all: the genes are compiled once.
    let env = TestEnv::with_toolchains();
    let (mut languages, mut genes) = (BTreeMap::<String, Counts>::new(), BTreeMap::<String, Counts>::new());
    let (mut untouched, mut missing) = (0, 0);
    println!("| language | release | gene | candidates | steps | result | seconds |\n|---|---|---|---|---|---|---|");
    let cases = fs::read_to_string(CASES).unwrap();
    let cases: &str = cases.leak();
    for case in cases.lines().filter(|line| line.contains(&word)).map(case) {
        let Some(project) = project(&env, &case) else {
            missing += 1;
            continue;
        };
        if run(&env, project.root(), &case.command).code == 0 {
            untouched += 1;
            continue;
        }
        let started = Instant::now();
        env.run(project.root(), &[&["record", "--"][..], &case.command].concat());
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        let outcome = outcome(&env, &project, &case, &document, code);
        let seconds = started.elapsed().as_secs_f64();
        keep(&case, &document);
        let half = if case.is_held { "held out" } else { "seen" };
        *languages.entry(format!("{}, {half}", case.language)).or_default().entry(outcome).or_default() += 1;
        *genes.entry(gene(&document)).or_default().entry(outcome).or_default() += 1;
        println!("{}", row(&case, &document, outcome, seconds));
    }
    println!("\n{untouched} pass untouched, {missing} were not fetched\n");
    counted("language", &languages);
    counted("gene", &genes);
}

fn case(line: &'static str) -> Case {
    let mut columns = line.split('\t');
    let mut next = || columns.next().unwrap();
    let (language, is_held, registry, release) = (next(), next() == "held", next(), next());
    Case { language, is_held, registry, release, command: columns.collect() }
}

/// The release in a repository, with what its command needs; `None` if it cannot be fetched.
fn project(env: &TestEnv, case: &Case) -> Option<TestProject> {
    let registry = match case.registry {
        "pypi" => Registry::PyPi,
        "npm" => Registry::Npm,
        _ => Registry::Crates,
    };
    let project = Archive::of(registry, case.release).ok()?.unpacked(env);
    project.write("gephost.toml", CONFIG);
    project.write(".gitignore", IGNORED);
    // With the settings of the person who runs this: which registry, by what way.
    let mut client = match (case.language, case.registry) {
        ("TypeScript", _) => {
            let mut copies = Command::new("cp");
            copies.arg("-a").arg(typescript()).arg("node_modules");
            copies
        }
        (_, "crates") => {
            let mut cargo = Command::new("cargo");
            cargo.args(["fetch", "-q"]);
            cargo
        }
        _ => Command::new("true"),
    };
    let fetched = client.current_dir(project.root()).output().unwrap().status.success();
    project.git(env, &["init", "-q", "-b", "main"]);
    project.commit_all(env);
    fetched.then_some(project)
}

/// The folder `node_modules` with the compiler, installed once.
fn typescript() -> PathBuf {
    let folder = kept().join("typescript");
    if !folder.join("node_modules").exists() {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), "{}").unwrap();
        let options = ["--silent", "--no-save", "--ignore-scripts", "--no-package-lock"];
        let mut npm = Command::new("npm");
        npm.arg("install").args(options).arg(TYPESCRIPT).current_dir(&folder).output().unwrap();
    }
    folder.join("node_modules")
}

/// Where the documents of the runs are kept.
fn kept() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/repairs")
}

fn run(env: &TestEnv, folder: &Path, command: &[&str]) -> Ran {
    Ran::of(env.command(command[0], folder).args(&command[1..]).output().unwrap())
}

fn outcome(env: &TestEnv, project: &TestProject, case: &Case, document: &Value, code: i32) -> Outcome {
    let branches = project.git(env, &["for-each-ref", "--format=%(refname:short)", "refs/heads/evo"]);
    if let Some(branch) = branches.lines().next() {
        let clone = TestProject::without_git(&[]);
        clone.git(env, &["clone", "-q", "--branch", branch, project.root().to_str().unwrap(), "."]);
        let modules = project.root().join("node_modules");
        if modules.exists() {
            std::os::unix::fs::symlink(modules, clone.root().join("node_modules")).unwrap();
        }
        let holds = run(env, clone.root(), &case.command).code == 0;
        return if holds { Outcome::Fixed } else { Outcome::Wrong };
    }
    let decisions = || document["applied"]["tried"].as_array().into_iter().flatten().map(|tried| &tried["decision"]);
    if decisions().any(|decision| decision == "improved") {
        Outcome::Improved
    } else if code == 3 {
        Outcome::Refused
    } else if document["candidates"].as_array().is_none_or(Vec::is_empty) {
        Outcome::Nothing
    } else {
        Outcome::Failed
    }
}

/// The gene that proposed first.
fn gene(document: &Value) -> String {
    let gene = document["candidates"][0]["proposal"]["gene"].as_str().unwrap_or("none");
    gene.trim_start_matches("gene_gep_").trim_start_matches("gene_gephost_").replace('_', "-")
}

fn row(case: &Case, document: &Value, outcome: Outcome, seconds: f64) -> String {
    let candidates = document["candidates"].as_array().map_or(0, Vec::len);
    let tried = document["applied"]["tried"].as_array().into_iter().flatten();
    let steps = tried.map(|tried| tried["steps"].as_array().map_or(1, |steps| steps.len().max(1))).max().unwrap_or(0);
    let (language, release, gene) = (case.language, case.release, gene(document));
    let half = if case.is_held { " (held out)" } else { "" };
    let outcome = format!("{outcome:?}").to_lowercase();
    format!("| {language} | {release}{half} | {gene} | {candidates} | {steps} | {outcome} | {seconds:.1} |")
}

fn counted(what: &str, counts: &BTreeMap<String, Counts>) {
    let mut all = Counts::new();
    for (outcome, count) in counts.values().flatten() {
        *all.entry(*outcome).or_default() += count;
    }
    println!(
        "| {what} | cases | fixed | improved | failed | refused | nothing | wrong |\n|---|---|---|---|---|---|---|---|"
    );
    for (name, counts) in counts.iter().chain([(&"all".to_owned(), &all)]) {
        let of = |outcome: &Outcome| counts.get(outcome).copied().unwrap_or(0).to_string();
        let columns: Vec<String> = OUTCOMES.iter().map(of).collect();
        println!("| {name} | {} | {} |", counts.values().sum::<u32>(), columns.join(" | "));
    }
    println!();
}

/// Keeps the document of a run, for whoever wants to know why.
fn keep(case: &Case, document: &Value) {
    let folder = kept();
    fs::create_dir_all(&folder).unwrap();
    let name = format!("{}-{}.json", case.language, case.release.replace('/', "_"));
    fs::write(folder.join(name), serde_json::to_string_pretty(document).unwrap()).unwrap();
}

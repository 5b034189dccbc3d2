//! `cargo bench -p gephost-tests --bench repairs [-- WORD]`: what the bundled genes make of old releases of published packages.
//!
//! Each release is fetched by the client of its registry and put into a repository. A command that loads it is recorded; if
//! it fails, `gephost run --apply` repairs what it can. The branch is then checked out in a fresh clone, where the same command
//! decides. The table is printed as Markdown; with a word, only the cases whose name has it are run. It needs a network,
//! python3 and node. What passes untouched, or cannot be fetched, is no case and only counted.

use std::process::Command;
use std::time::Instant;

use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::project::TestProject;
use gephost_tests::registry::Archive;
use serde_json::Value;

const CONFIG: &str =
    "[policy]\nallow = [\"**\"]\nmax_files = 200\nmax_patch_lines = 20000\nmax_risk = 100\n[apply]\nenabled = true\n";

/// Releases of PyPI, and the Python that loads them.
const PYPI: &[(&str, &str)] = &[
    ("BeautifulSoup==3.2.1", "import BeautifulSoup"),
    ("Beaker==1.5.4", "import beaker.cache"),
    ("Faker==0.0.4", "import faker"),
    ("FormEncode==1.2.4", "import formencode"),
    ("Genshi==0.6", "import genshi"),
    ("Mako==0.3.0", "import mako.template"),
    ("Paste==1.7.5.1", "import paste.httpserver"),
    ("PyJWT==0.1.6", "import jwt"),
    ("WebOb==1.0", "import webob"),
    ("Whoosh==1.8.4", "import sys; sys.path.insert(0, 'src'); import whoosh.index"),
    ("aiofiles==0.3.2", "import aiofiles"),
    ("configobj==4.7.2", "import configobj"),
    ("cssutils==0.9.7", "import sys; sys.path.insert(0, 'src'); import cssutils"),
    ("feedparser==5.1.3", "import sys; sys.path.insert(0, 'feedparser'); import feedparser"),
    ("frozendict==1.2", "import frozendict"),
    ("fuzzywuzzy==0.1", "import fuzzywuzzy.fuzz"),
    ("html5lib==0.95", "import html5lib"),
    ("itsdangerous==0.14", "import itsdangerous"),
    ("jsonpickle==0.3.1", "import jsonpickle"),
    ("jsonschema==0.2", "import jsonschema"),
    ("multipledispatch==0.4.7", "import multipledispatch"),
    ("networkx==1.0", "import networkx"),
    ("nose==1.3.7", "import nose"),
    ("num2words==0.5.0", "import num2words"),
    ("ordereddict==1.1", "import ordereddict"),
    ("passlib==1.5.3", "import passlib.hash"),
    ("peewee==0.9.9", "import peewee"),
    ("polib==0.6.0", "import polib"),
    ("prettytable==0.5", "import prettytable"),
    ("pyasn1==0.0.13", "import pyasn1.type.univ"),
    ("pyflakes==0.5.0", "import pyflakes.checker"),
    ("sqlparse==0.1.0", "import sqlparse"),
    ("suds==0.4", "import suds"),
    ("tablib==0.9.11", "import tablib"),
    ("textile==2.1.4", "import textile"),
    ("tornado==1.2.1", "import tornado.web"),
    ("voluptuous==0.3", "import voluptuous"),
    ("web.py==0.37", "import web"),
    ("xlrd==0.7.1", "import xlrd"),
    ("xlwt==0.7.4", "import xlwt"),
];

/// Releases of npm, and the script that loads them.
const NPM: &[(&str, &str)] = &[
    ("temp@0.5.0", "require('./lib/temp').path()"),
    ("tmp@0.0.23", "require('./lib/tmp')"),
    ("graceful-fs@3.0.8", "require('./graceful-fs')"),
    ("natives@1.0.1", "require('./index').require('fs')"),
];

/// One case.
struct Case {
    name: &'static str,
    command: [String; 4],
    archive: Result<Archive, String>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Fixed,
    Improved,
    Failed,
    Refused,
    Nothing,
    /// It was published, and the command fails in a fresh clone.
    Wrong,
}

fn main() {
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    // One home for all: the genes are compiled once.
    let env = TestEnv::new();
    let (mut counts, mut untouched, mut missing) = (std::collections::BTreeMap::new(), 0, 0);
    println!("| release | gene | candidates | steps | result | seconds |\n|---|---|---|---|---|---|");
    let pypi = PYPI.iter().filter(|(name, _)| name.contains(&word)).map(|(name, script)| python(name, script));
    let npm = NPM.iter().filter(|(name, _)| name.contains(&word)).map(|(name, script)| node(name, script));
    for case in pypi.chain(npm) {
        let Ok(archive) = &case.archive else {
            missing += 1;
            continue;
        };
        let project = archive.project(&env, &[("gephost.toml", CONFIG)]);
        if run(&env, &project, &case.command).code == 0 {
            untouched += 1;
            continue;
        }
        let started = Instant::now();
        let arguments: Vec<&str> =
            ["record", "--"].into_iter().chain(case.command.iter().map(String::as_str)).collect();
        env.run(project.root(), &arguments);
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        let outcome = outcome(&env, &project, &case, &document, code);
        *counts.entry(outcome).or_insert(0_u32) += 1;
        let seconds = started.elapsed().as_secs_f64();
        println!("{}", row(case.name, &document, outcome, seconds));
    }
    let total: u32 = counts.values().sum();
    println!("\n{total} cases: {counts:?}; {untouched} pass untouched, {missing} were not fetched");
}

fn python(name: &'static str, script: &str) -> Case {
    let quiet = ["-q", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"];
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--no-deps", "--no-binary", ":all:"]).args(quiet).arg(name);
    let command = ["python3", "-B", "-c", script].map(str::to_owned);
    Case { name, command, archive: Archive::by(&mut pip) }
}

fn node(name: &'static str, script: &str) -> Case {
    let archive = Archive::by(Command::new("npm").args(["pack", "--silent", name]));
    let command = ["node", "--throw-deprecation", "-e", script].map(str::to_owned);
    Case { name, command, archive }
}

fn run(env: &TestEnv, project: &TestProject, command: &[String; 4]) -> Ran {
    let [program, arguments @ ..] = command;
    Ran::of(env.command(program, project.root()).args(arguments).output().unwrap())
}

fn outcome(env: &TestEnv, project: &TestProject, case: &Case, document: &Value, code: i32) -> Outcome {
    let branches = project.git(env, &["for-each-ref", "--format=%(refname:short)", "refs/heads/evo"]);
    if let Some(branch) = branches.lines().next() {
        let clone = TestProject::without_git(&[]);
        clone.git(env, &["clone", "-q", "--branch", branch, project.root().to_str().unwrap(), "."]);
        let holds = run(env, &clone, &case.command).code == 0;
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

fn row(name: &str, document: &Value, outcome: Outcome, seconds: f64) -> String {
    let candidates = document["candidates"].as_array().map_or(0, Vec::len);
    let gene = document["candidates"][0]["proposal"]["gene"].as_str().unwrap_or("-");
    let gene = gene.trim_start_matches("gene_gep_");
    let tried = document["applied"]["tried"].as_array().into_iter().flatten();
    let steps = tried.map(|tried| tried["steps"].as_array().map_or(1, |steps| steps.len().max(1))).max().unwrap_or(0);
    format!("| {name} | {gene} | {candidates} | {steps} | {outcome:?} | {seconds:.1} |")
}

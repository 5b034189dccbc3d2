//! Programs with one bug and a test that fails because of it, in `tests/fixtures/mutate`: of the same kinds as those of
//! `QuixBugs`, written anew. Each has a larger check that the repair does not see.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::environment::{Ran, TestEnv};
use crate::project::TestProject;
use crate::repository;

const CONFIG: &str = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";

/// A program with one bug.
#[derive(Debug)]
pub struct Twin {
    /// Its folder.
    pub name: String,
    files: Vec<(String, String)>,
    held_out: (String, String),
}

/// What became of it.
#[derive(Debug)]
pub struct Repaired {
    /// What `gephost run --apply` said.
    pub document: Value,
    /// Its exit code.
    pub code: i32,
    /// Whether what was published passes the larger check; `None` if nothing was published.
    pub holds: Option<bool>,
    /// How long it took.
    pub took: Duration,
    /// The project.
    pub project: TestProject,
}

/// All of them, by name.
pub fn twins() -> Vec<Twin> {
    let folder = repository().join("tests/fixtures/mutate");
    let mut twins: Vec<Twin> = fs::read_dir(folder).unwrap().map(|entry| Twin::read(&entry.unwrap())).collect();
    twins.sort_by(|a, b| a.name.cmp(&b.name));
    twins
}

impl Twin {
    fn read(entry: &fs::DirEntry) -> Self {
        let files = fs::read_dir(entry.path()).unwrap().map(|file| {
            let file = file.unwrap();
            (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap())
        });
        // Where the fixtures were run by hand, there are compiled files.
        let (mut held, files): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(name, _): &(String, String)| name.starts_with("held_out."));
        Self { name: entry.file_name().into_string().unwrap(), files, held_out: held.pop().unwrap() }
    }

    /// Whether it is a program in JavaScript.
    pub fn is_script(&self) -> bool {
        self.name.starts_with("js_")
    }

    /// The command that runs its test.
    pub fn command(&self) -> &'static [&'static str] {
        if self.is_script() { &["node", "--test"] } else { &["python3", "-B", "-m", "unittest", "-q"] }
    }

    /// Records its failing test, lets gephost repair it, and holds what was published against the larger check.
    pub fn repair(&self, env: &TestEnv) -> Repaired {
        let config = ("gephost.toml", CONFIG);
        let files: Vec<(&str, &str)> =
            self.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).chain([config]).collect();
        let project = TestProject::new(env, &files);
        env.run(project.root(), &[&["record", "--"], self.command()].concat()).expect_code(1);
        let began = Instant::now();
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        let took = began.elapsed();
        let branches = project.git(env, &["for-each-ref", "--format=%(refname:short)", "refs/heads/evo"]);
        let holds = branches.lines().next().map(|branch| self.holds(env, &project, branch));
        Repaired { document, code, holds, took, project }
    }

    fn holds(&self, env: &TestEnv, project: &TestProject, branch: &str) -> bool {
        let clone = TestProject::without_git(&[(&self.held_out.0, &self.held_out.1)]);
        for (name, _) in self.files.iter().filter(|(name, _)| name.starts_with("program.")) {
            clone.write(name, &project.git(env, &["show", &format!("{branch}:{name}")]));
        }
        let program = if self.is_script() { "node" } else { "python3" };
        Ran::of(env.command(program, clone.root()).arg(&self.held_out.0).output().unwrap()).code == 0
    }
}

impl Repaired {
    /// What the search came to, as the document has it.
    pub fn search(&self) -> &Value {
        let calls = self.document["calls"].as_array().into_iter().flatten();
        calls.map(|call| &call["search"]).find(|search| search.is_object()).unwrap_or(&Value::Null)
    }
}

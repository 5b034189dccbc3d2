//! A repository with files, and the stages of a cycle over it, for benches that call the library without a process.

use std::sync::Arc;

use gephost_app::past::Past;
use gephost_app::stages::{Diagnosed, Source, Stage};
use gephost_core::config::Config;
use gephost_core::diagnosis::{Diagnosis, Finding, Severity};
use gephost_runner::sandbox::{Gene, RunLog};
use gephost_runner::worktree::{BaseTree, Project};
use jiff::Timestamp;

use crate::environment::TestEnv;
use crate::project::TestProject;

/// A committed repository, and the config of its operator.
#[derive(Debug)]
pub struct Scene {
    config: Config,
    past: Past,
    base: Arc<BaseTree>,
    _project: TestProject,
}

impl Scene {
    /// A repository with one commit that has these files, and this config.
    pub fn new(config: &str, files: &[(&str, &str)]) -> Self {
        let project = TestProject::new(&TestEnv::new(), files);
        let repository = Project::open(project.root()).unwrap();
        let base = repository.base(&repository.head().unwrap().commit).unwrap();
        Self {
            config: Config::from_toml(config).unwrap(),
            past: Past::default(),
            base: Arc::new(base),
            _project: project,
        }
    }

    /// The stage, with these genes and an empty run log.
    pub fn stage<'a>(&'a self, genes: &'a [Gene]) -> Stage<'a> {
        let (source, run_log) = (Source::commit(&self.base), RunLog::default());
        Stage::new(&self.config, genes, source, run_log, Vec::new(), &self.past, Timestamp::UNIX_EPOCH)
    }

    /// The commit that proposals are judged against.
    pub fn base(&self) -> &BaseTree {
        &self.base
    }

    /// A diagnosis with one finding, so that strategies run.
    pub fn diagnosed() -> Diagnosed {
        let finding = Finding {
            id: "tool-failures:make".to_owned(),
            gene: "bench".to_owned(),
            kind: "tool_failure_rate".to_owned(),
            title: "make fails".to_owned(),
            severity: Severity::High,
            confidence: 1.0,
            hypothesis: String::new(),
            evidence: Vec::new(),
            direction: "look at the Makefile".to_owned(),
            signals: vec!["log_error".to_owned()],
            occurrences: 3,
            events: Vec::new(),
            facets: Vec::new(),
            absorbed: Vec::new(),
            is_expected: false,
            scope: None,
        };
        let signals = vec!["log_error".to_owned()];
        Diagnosed { diagnosis: Diagnosis { findings: vec![finding], signals }, left_out: 0, calls: Vec::new() }
    }
}

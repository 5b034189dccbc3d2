//! Runs a gene once on what its author names, without a project of gephost.

use std::path::{Path, PathBuf};

use gephost_core::config::MAX_CONFIG_BYTES;
use gephost_core::recording::AuditEntry;
use gephost_runner::sandbox::HostCalls;

use super::fixture::{Answer, Run, Scene, run};
use super::folder::Folder;
use super::packing::read;
use super::test::{Fullest, manifest};
use crate::environment::Environment;
use crate::error::AppError;

/// Most calls that a trace keeps. More are counted.
const MAX_TRACED_CALLS: u32 = 20_000;

/// What a gene runs on.
#[derive(Debug, Clone, Copy)]
pub struct AloneOptions<'a> {
    /// The logs of an agent: files or folders.
    pub logs: &'a [PathBuf],
    /// The files that the gene sees as a repository, whether they are one or not; without, there are none.
    pub workspace: Option<&'a Path>,
    /// The config; without, the one in the workspace.
    pub config: Option<&'a Path>,
    /// Whether its calls to the host are kept.
    pub trace: bool,
}

/// What a gene answered.
#[derive(Debug)]
pub struct Alone {
    /// The id in the gene's manifest.
    pub id: String,
    /// What the gene found or proposed, or why it failed.
    pub answer: Answer,
    /// Where it was when a budget ran out, if that is known.
    pub stopped_at: Option<String>,
    /// What it asked of the host, in order.
    pub requests: Vec<AuditEntry>,
    /// Its calls to the host, in order: those requests, and the functions of WASI. Empty if no trace is wanted.
    pub host_calls: HostCalls,
    /// The first thing that it would run out of.
    pub fullest: Option<Fullest>,
}

/// Runs a component file. Nothing of the author's state or config takes part, and nothing is kept.
pub fn run_alone(environment: &Environment, gene: &Path, options: &AloneOptions<'_>) -> Result<Alone, AppError> {
    let gene = environment.resolve(gene);
    let manifest = manifest(environment, &gene)?;
    let folder = options.workspace.map(|folder| Folder::open(&environment.resolve(folder))).transpose()?;
    let scene = Scene {
        name: folder.as_ref().map_or_else(|| environment.directory.clone(), |folder| folder.path().to_owned()),
        files: folder.map(|folder| folder.tree("")).transpose()?.unwrap_or_default(),
        logs: options.logs.iter().map(|log| environment.resolve(log)).collect(),
        config: options.config.map(|file| read(environment, file, MAX_CONFIG_BYTES)).transpose()?,
    };
    let traced_calls = if options.trace { MAX_TRACED_CALLS } else { 0 };
    let ran = run(environment, &gene, manifest.id(), manifest.world, &scene, traced_calls)?;
    let Run { answer, stopped_at, headroom, requests, host_calls } = ran;
    let (id, fullest) = (manifest.id().to_owned(), Fullest::of(&headroom));
    Ok(Alone { id, answer, stopped_at, requests, host_calls, fullest })
}

//! A hub of one's own: `gephost-hub`, with the sandbox of this program to run recordings again.
//!
//! What must stay true: hub and runner never meet but here, and what a publisher sent runs in a process of its own, with no
//! authority but what its recording holds.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use gephost_core::capsule::Capsule;
use gephost_core::config::Isolation;
use gephost_core::recording::Digest;
use gephost_hub::{Hub, HubError, Newcomers, ReplayOutcome, Replayer, Settings};
use gephost_runner::sandbox::{CompileCache, Sandbox};
use serde_json::{Map, Value};

use crate::a2a::{Replay, replay};
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};

/// How a hub is served.
#[derive(Debug, Clone)]
pub struct HubAsk {
    /// The database; made if it is missing.
    pub db: PathBuf,
    /// The folder of components and recordings; made if it is missing.
    pub blobs: PathBuf,
    /// The address to listen at; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The address that others reach it at.
    pub public_url: Option<String>,
    /// Whether every call that changes something needs a secret or a signature.
    pub require_auth: bool,
    /// Ids of the nodes whose decisions are final.
    pub operators: Vec<String>,
    /// Whether whoever reaches the hub belongs to the team.
    pub team: bool,
}

/// Serves a hub until the operator interrupts. Calls `ready` with its address when it answers, and `report` with a line for
/// what fails at the hub itself.
pub fn serve_hub(
    environment: &Environment,
    ask: HubAsk,
    ready: impl FnOnce(SocketAddr),
    report: impl Fn(&str) + Send + Sync + 'static,
) -> Result<(), AppError> {
    let mut settings = Settings::new(environment.resolve(&ask.db), environment.resolve(&ask.blobs), ask.listen);
    settings.public_url = ask.public_url;
    settings.require_auth = ask.require_auth;
    settings.operators = ask.operators;
    settings.newcomers = if ask.team { Newcomers::Believed } else { Newcomers::Doubted };
    let clock = environment.clock;
    let replayer = SandboxReplayer { sandbox: sandbox(environment)? };
    let hub = Hub::open(settings, Arc::new(clock), Some(Arc::new(replayer)), Arc::new(report));
    let hub = hub.map_err(|error| failed(&error))?;
    hub.serve(&environment.interrupted, ready).map_err(|error| failed(&error))
}

fn failed(error: &HubError) -> AppError {
    let kind = match error {
        HubError::Setting { .. } => ErrorKind::Usage,
        HubError::Database { .. }
        | HubError::Migration { .. }
        | HubError::Blobs { .. }
        | HubError::Listen { .. }
        | HubError::System(_) => ErrorKind::Failed,
    };
    AppError::new(kind, "hub", error.to_string())
}

/// The sandbox of a hub: every component runs in a confined process.
fn sandbox(environment: &Environment) -> Result<Sandbox, AppError> {
    let worker = environment.worker(false).ok_or_else(|| {
        AppError::new(
            ErrorKind::Bug,
            "bug",
            "a hub runs recordings in processes of their own, and there is no program for that",
        )
    })?;
    // Without a cache every component is compiled again, which costs time only.
    let cache = CompileCache::open(&environment.cache.join("components"), &environment.cache_key).ok();
    Sandbox::with_workers(cache, worker, Isolation::Process).map_err(|error| AppError::failed("engine", error))
}

/// Runs recordings again in this program's sandbox.
struct SandboxReplayer {
    sandbox: Sandbox,
}

impl Replayer for SandboxReplayer {
    fn replay(
        &self,
        component: &[u8],
        recording: &[u8],
        gene: &Map<String, Value>,
        capsule: &Map<String, Value>,
    ) -> ReplayOutcome {
        let capsule = match Capsule::read(capsule.clone()) {
            Ok(capsule) => capsule,
            Err(error) => return ReplayOutcome::Cannot(error.to_string()),
        };
        let gene = gene.get("id").and_then(Value::as_str).unwrap_or_default();
        match replay(&self.sandbox, recording, &Digest::of(component).to_string(), gene, &capsule) {
            Replay::Confirmed => ReplayOutcome::Same,
            Replay::Refuted(reason) => ReplayOutcome::Differs(reason),
            Replay::Impossible(reason) => ReplayOutcome::Cannot(reason),
        }
    }
}

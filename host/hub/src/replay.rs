//! Runs recordings again, one at a time, outside of the requests.

use std::sync::Arc;

use gephost_core::a2a::{Bundle, Problem};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::store::{Scorer, Store, digest_bytes};

/// Replays that wait. Further bundles are not replayed; other nodes may still validate them.
const WAITING: usize = 256;
/// Most bytes of a reason that is kept.
const MAX_REASON: usize = 500;

/// How a replay ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// The same patch came out, and it passed the gate.
    Same,
    /// Something else came out, or the gate refused it.
    Differs(String),
    /// The run cannot be repeated here. It counts neither for nor against the asset.
    Cannot(String),
}

/// Runs the recording of a bundle again. The application provides it, with the sandbox that the hub does not have.
pub trait Replayer: Send + Sync {
    /// Runs `component` on the inputs of `recording`, and compares the patch with that of the recording. Blocks until it is
    /// done. All four come from a publisher that nobody trusts; the component and the recording have the digests that the
    /// bundle names.
    fn replay(
        &self,
        component: &[u8],
        recording: &[u8],
        gene: &Map<String, Value>,
        capsule: &Map<String, Value>,
    ) -> ReplayOutcome;
}

struct Job {
    capsule: i64,
    bundle: Box<Bundle>,
}

/// Takes bundles to replay.
#[derive(Clone)]
pub(crate) struct Replays(Option<mpsc::Sender<Job>>);

impl Replays {
    /// Starts the task that replays, if there is something to replay with.
    pub(crate) fn start(
        replayer: Option<Arc<dyn Replayer>>,
        store: Store,
        blobs: Blobs,
        scorer: Arc<Scorer>,
        clock: Clock,
    ) -> Self {
        let Some(replayer) = replayer else { return Self(None) };
        let (jobs, mut waiting) = mpsc::channel::<Job>(WAITING);
        tokio::spawn(async move {
            while let Some(job) = waiting.recv().await {
                let (outcome, reason) = match run(&replayer, &blobs, *job.bundle).await {
                    Ok(ReplayOutcome::Same) => ("same", None),
                    Ok(ReplayOutcome::Differs(reason)) => ("differs", Some(reason)),
                    Ok(ReplayOutcome::Cannot(reason)) => ("cannot", Some(reason)),
                    Err(problem) => ("cannot", Some(problem.message)),
                };
                let reason = reason.map(|reason| reason.chars().take(MAX_REASON).collect());
                // If the database fails, the bundle stays without a replay.
                let _ =
                    store.replayed(job.capsule, outcome, reason, clock().as_millisecond(), Arc::clone(&scorer)).await;
            }
        });
        Self(Some(jobs))
    }

    /// Queues a bundle. Says whether it will be replayed.
    pub(crate) fn queue(&self, capsule: i64, bundle: Bundle) -> bool {
        let Some(jobs) = &self.0 else { return false };
        bundle.recording.is_some() && jobs.try_send(Job { capsule, bundle: Box::new(bundle) }).is_ok()
    }
}

async fn run(replayer: &Arc<dyn Replayer>, blobs: &Blobs, bundle: Bundle) -> Result<ReplayOutcome, Problem> {
    let digest = |text: Option<&str>| text.and_then(digest_bytes).unwrap_or_default();
    let component = blobs.bytes(&digest(bundle.component.as_ref().map(|component| &*component.blob.digest))).await?;
    let recording = blobs.bytes(&digest(bundle.recording.as_ref().map(|recording| &*recording.digest))).await?;
    let replayer = Arc::clone(replayer);
    let outcome = tokio::task::spawn_blocking(move || {
        replayer.replay(&component, &recording, bundle.gene.asset.document(), bundle.capsule.asset.document())
    });
    Ok(outcome.await.unwrap_or_else(|_| ReplayOutcome::Cannot("the replay was aborted".to_owned())))
}

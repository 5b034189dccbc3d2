//! Keeps up with a hub: fetches what is new for the signals of this project, and publishes what may be shared if the user
//! wants that; once, or every few hours.
//!
//! What must stay true: a hub that fails is asked less and less often, never more often than it asks for; and a
//! synchronisation that was cut off goes on when its time has come, not at once.

use std::thread;
use std::time::Duration;

use jiff::Timestamp;

use super::fetch::{FetchAsk, Fetched};
use super::material::Chosen;
use super::node::Node;
use super::publish::Publishing;
use crate::error::{AppError, ErrorKind};
use crate::past::assets_failed;
use crate::project::Project;

/// The first wait after a failure; each further one doubles it.
const FIRST_WAIT: Duration = Duration::from_mins(1);
/// How often an interrupt is looked for while waiting.
const TICK: Duration = Duration::from_millis(200);
/// Most signals that are asked for: hubs take few.
const MAX_SIGNALS: usize = 16;

/// How much is fetched, and whether something is published too.
#[derive(Debug, Clone, Copy)]
pub struct SyncAsk {
    /// Whether what may be shared is published.
    pub publish: bool,
    /// Most assets that are taken in each time.
    pub limit: usize,
    /// How long to wait between two times; `None` for once, now.
    pub every: Option<Duration>,
}

/// What one synchronisation fetched and published.
#[derive(Debug)]
pub struct Synced {
    /// What was new for the project's signals.
    pub fetched: Fetched,
    /// What was sent; empty if nothing was to be published.
    pub published: Publishing,
    /// When the next one comes, if there is one.
    pub next: Option<Timestamp>,
}

impl Project {
    /// Synchronises with a hub once; or again and again until the operator interrupts, handing over what each time gave.
    pub fn sync(
        &self,
        node: &mut Node,
        ask: SyncAsk,
        each: &mut dyn FnMut(Result<Synced, AppError>),
    ) -> Result<(), AppError> {
        let Some(every) = ask.every else {
            each(self.sync_once(node, ask));
            return Ok(());
        };
        while self.wait_for(node) {
            let result = self.sync_once(node, ask);
            let wait = match &result {
                Ok(_) => {
                    node.registration.sync.failures = 0;
                    jittered(every)?
                }
                Err(error) => {
                    node.registration.sync.failures = node.registration.sync.failures.saturating_add(1);
                    back_off(node.registration.sync.failures, every).max(asked_wait(error))
                }
            };
            let now = self.environment.now();
            let next = now.checked_add(wait).unwrap_or(now);
            if result.is_ok() {
                node.registration.sync.last = Some(now.to_string());
            }
            node.registration.sync.next = Some(next.to_string());
            node.keep()?;
            each(result.map(|synced| Synced { next: Some(next), ..synced }));
        }
        Err(AppError::new(ErrorKind::Interrupted, "interrupted", "interrupted"))
    }

    fn sync_once(&self, node: &mut Node, ask: SyncAsk) -> Result<Synced, AppError> {
        let ask_for = FetchAsk { signals: self.own_signals()?, limit: ask.limit, ..FetchAsk::default() };
        let fetched = self.fetch_assets(node, &ask_for)?;
        let published = if ask.publish { self.publish(node, Chosen::Eligible, false)? } else { Publishing::default() };
        Ok(Synced { fetched, published, next: None })
    }

    /// The signals of this project's own cycles, newest first. A project without any takes what is new.
    fn own_signals(&self) -> Result<Vec<String>, AppError> {
        let mut signals: Vec<String> = Vec::new();
        let events = self.registry.recent_events().map_err(|error| assets_failed(&error))?.newest;
        for signal in events.iter().rev().flat_map(|event| &event.signals) {
            if signals.len() < MAX_SIGNALS && !signals.contains(signal) {
                signals.push(signal.clone());
            }
        }
        Ok(signals)
    }

    /// Waits until the next synchronisation. Returns false if the operator interrupts.
    fn wait_for(&self, node: &Node) -> bool {
        let next = node.registration.sync.next.as_deref().and_then(|next| next.parse::<Timestamp>().ok());
        loop {
            if self.environment.is_interrupted() {
                return false;
            }
            if next.is_none_or(|next| next <= self.environment.now()) {
                return true;
            }
            thread::park_timeout(TICK);
        }
    }
}

/// A tenth more or less, so that many nodes do not come at the same moment.
fn jittered(every: Duration) -> Result<Duration, AppError> {
    let mut byte = [0];
    rustix::rand::getrandom(&mut byte, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| AppError::failed("random", error))?;
    Ok(every.mul_f64(0.9 + 0.2 * f64::from(byte[0]) / 255.0))
}

/// How long to wait after this many failures in a row: a minute, doubled each time, at most the interval itself.
fn back_off(failures: u32, every: Duration) -> Duration {
    let doubled = 2_u32.saturating_pow(failures.saturating_sub(1).min(20));
    FIRST_WAIT.saturating_mul(doubled).min(every)
}

/// How long the hub asked to wait.
fn asked_wait(error: &AppError) -> Duration {
    let millis = error.detail.as_ref().and_then(|detail| detail["retry_after_ms"].as_u64());
    millis.map_or(Duration::ZERO, Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_interval_and_keep_to_what_the_hub_asks() {
        let every = Duration::from_hours(4);
        let waits: Vec<u64> = (1..=10).map(|failures| back_off(failures, every).as_secs() / 60).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 240, 240]);
        assert_eq!(back_off(u32::MAX, every), every);
        let error = AppError::failed("x", "y").detail(serde_json::json!({ "retry_after_ms": 90_000 }));
        assert_eq!(asked_wait(&error), Duration::from_secs(90));
        assert_eq!(asked_wait(&AppError::failed("x", "y")), Duration::ZERO);
        for _ in 0..100 {
            let wait = jittered(every).expect("randomness");
            assert!(wait >= every.mul_f64(0.899) && wait <= every.mul_f64(1.101), "{wait:?}");
        }
    }
}

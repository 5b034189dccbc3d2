//! How much a finding explains, counted by the host from the events that the gene names: a gene cannot make its finding
//! larger than it is.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use rustc_hash::FxBuildHasher;

use super::Finding;
use super::scope::Scope;
use crate::run_event::{EventType, RunEvent, Usage};

/// After this many hours without a new failure, a finding has half of its weight for recency.
const HALF_LIFE_HOURS: f64 = 7.0 * 24.0;
/// The weight of a finding whose failures are all old, as a share of that of a new one.
const LEAST_RECENCY: f64 = 0.4;
/// The weight of the sessions' share for a finding that is about no failure, such as slow calls.
const WEIGHT_WITHOUT_FAILURES: f64 = 0.1;
/// Cached tokens cost about a tenth.
const CACHED_SHARE: f64 = 0.1;

/// Counts what each finding explains, and sets [`Finding::scope`]. `events` is the observation that the findings are
/// about.
pub fn measure(findings: &mut [Finding], events: &[RunEvent]) {
    let expected: BTreeSet<u64> = findings
        .iter()
        .filter(|finding| finding.is_expected)
        .flat_map(|finding| finding.events.iter().copied())
        .collect();
    let total = Total::of(events, &expected);
    for finding in findings {
        finding.scope = Some(total.scope(finding, events));
    }
}

/// The sums over the whole observation.
struct Total {
    failures: u64,
    sessions: u64,
    newest: Option<Timestamp>,
    /// For each event, the tokens of the requests since the previous call of its session; 0 for other events than ends.
    tokens: Vec<u64>,
    /// Their sum.
    all_tokens: u64,
}

impl Total {
    fn of(events: &[RunEvent], expected: &BTreeSet<u64>) -> Self {
        let tokens_of_events = Vec::with_capacity(events.len());
        let mut total = Self { failures: 0, sessions: 0, newest: None, tokens: tokens_of_events, all_tokens: 0 };
        let mut sessions: HashMap<&str, u64, FxBuildHasher> = HashMap::default();
        for (number, event) in (0_u64..).zip(events) {
            total.failures += u64::from(event.failed_by_itself() && !expected.contains(&number));
            total.newest = total.newest.max(event.timestamp);
            let waiting = sessions.entry(&event.session_key).or_default();
            *waiting = waiting.saturating_add(tokens(event));
            let ends = matches!(event.event_type, EventType::ToolEnd | EventType::Exception);
            total.tokens.push(if ends { std::mem::take(waiting) } else { 0 });
        }
        total.sessions = sessions.len() as u64;
        total.all_tokens = total.tokens.iter().fold(0, |sum: u64, used| sum.saturating_add(*used));
        total
    }

    fn scope(&self, finding: &Finding, events: &[RunEvent]) -> Scope {
        let numbers = || finding.events.iter().filter_map(|number| usize::try_from(*number).ok());
        let own = || numbers().filter_map(|number| events.get(number));
        let failed = own().filter(|event| event.is_failure()).count();
        // Among slow calls, say, some failed too: the finding is not about these.
        let failures = if failed * 10 >= own().count() * 9 { failed as u64 } else { 0 };
        let sessions = own().map(|event| &*event.session_key).collect::<HashSet<_, FxBuildHasher>>().len() as u64;
        let times = || own().filter_map(|event| event.timestamp);
        let used =
            numbers().filter_map(|number| self.tokens.get(number)).fold(0, |sum: u64, used| sum.saturating_add(*used));
        let last = times().max();
        let sessions_share = share(sessions, self.sessions);
        let explained = match failures {
            0 => sessions_share * WEIGHT_WITHOUT_FAILURES,
            // Of a single session every finding has all.
            _ if self.sessions < 2 => share(failures, self.failures),
            _ => share(failures, self.failures).midpoint(sessions_share),
        };
        Scope {
            failures,
            failures_total: self.failures,
            sessions,
            sessions_total: self.sessions,
            first: times().min().map(|time| time.to_string()),
            last: last.map(|time| time.to_string()),
            tokens: (used > 0).then_some(used),
            priority: 100.0 * explained.max(share(used, self.all_tokens)) * finding.confidence * self.recency(last),
        }
    }

    fn recency(&self, last: Option<Timestamp>) -> f64 {
        let (Some(newest), Some(last)) = (self.newest, last) else { return 1.0 };
        let hours = newest.duration_since(last).as_secs_f64() / 3600.0;
        LEAST_RECENCY + (1.0 - LEAST_RECENCY) * 0.5_f64.powf(hours / HALF_LIFE_HOURS)
    }
}

fn tokens(event: &RunEvent) -> u64 {
    let Some(spent) = &event.spent else { return 0 };
    let Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, .. } = spent.usage;
    let whole = [input_tokens, output_tokens, cache_write_tokens].into_iter().flatten().fold(0, u64::saturating_add);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a weight"
    )]
    let cached = (cache_read_tokens.unwrap_or_default() as f64 * CACHED_SHARE) as u64;
    whole.saturating_add(cached)
}

/// A part as a share of the whole, from 0 to 1.
fn share(part: u64, whole: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of events stay far below 2^53")]
    let share = part as f64 / whole.max(1) as f64;
    share.min(1.0)
}

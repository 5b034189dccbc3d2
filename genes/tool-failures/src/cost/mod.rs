//! What requests to a model used: sessions far above the others, what went into trying a failing call again and into
//! stretches of failures, and prompts that a cache could have held.
//!
//! Tokens are weighed here as they are priced: one that came from a cache counts a tenth. What is shown is the sum of all.
//! Memory is bounded: [`MAX_SESSIONS`] sessions, [`MAX_LOOPS`] loops, and a few events of each finding.

use std::collections::BTreeMap;

use gephost_gene::run_log::Used;

use crate::call::{Call, hash};
use crate::findings::titled;
use crate::report::{Importance, Report, clipped, confidence, first_line, seen_times};
use crate::thresholds::Thresholds;

/// Most sessions whose use is known. What others used counts in the sums only.
pub(crate) const MAX_SESSIONS: usize = 16_384;
const MAX_LOOPS: usize = 512;
const MAX_EVENTS: usize = 8;
const WHAT_CHARS: usize = 100;
const NAME_CHARS: usize = 40;
/// From so many times a threshold on, it costs more than a nuisance.
const FAR_ABOVE: f64 = 10.0;
/// What a token from a cache counts.
const CACHED: f64 = 0.1;

/// Tokens, by what they are.
#[derive(Debug, Default, Clone, Copy)]
struct Tokens {
    /// All of them.
    all: f64,
    weighed: f64,
}

impl Tokens {
    fn of(used: &Used) -> Self {
        let cached = number(used.cache_read);
        let plain = number(used.input) + number(used.output) + number(used.cache_write);
        Self { all: plain + cached, weighed: CACHED.mul_add(cached, plain) }
    }

    fn add(&mut self, more: Self) {
        self.all += more.all;
        self.weighed += more.weighed;
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens are shown in three digits")]
fn number(told: Option<u64>) -> f64 {
    told.unwrap_or_default() as f64
}

/// What is known of all requests.
#[derive(Debug, Default)]
pub(crate) struct Cost {
    sessions: BTreeMap<u32, Session>,
    /// Of all sessions.
    total: Tokens,
    loops: BTreeMap<u64, Loop>,
    stretches: Heaviest,
    stretched: Tokens,
    misses: Heaviest,
    missed: f64,
    prompts: u32,
    /// The sessions' names, once they are known.
    names: Vec<String>,
}

/// What is known of one session.
#[derive(Debug, Default)]
struct Session {
    tokens: Tokens,
    /// Its newest event that tells of a request, and how many do.
    newest: u64,
    requests: u32,
    /// Since the newest call that ended.
    since: Tokens,
    /// Failed calls in a row, what they used, and the newest of them.
    row: (u32, Tokens, u64),
    /// In failed calls.
    failed: Tokens,
    /// Tokens of its newest prompt.
    prompt: f64,
}

/// A failing call that was tried again.
#[derive(Debug, Default)]
struct Loop {
    what: String,
    tokens: Tokens,
    again: u32,
    newest: Vec<u64>,
}

/// How many there were, and the heaviest of them, heaviest first.
#[derive(Debug, Default)]
struct Heaviest {
    count: u32,
    kept: Vec<(f64, u64, String)>,
}

impl Heaviest {
    fn add(&mut self, weight: f64, event: u64, line: impl FnOnce() -> String) {
        self.count = self.count.saturating_add(1);
        let at = self.kept.iter().position(|(other, ..)| weight > *other).unwrap_or(self.kept.len());
        if at < MAX_EVENTS {
            self.kept.truncate(MAX_EVENTS - 1);
            self.kept.insert(at, (weight, event, line()));
        }
    }

    fn evidence(&self) -> Vec<(u64, String)> {
        self.kept.iter().map(|(_, event, line)| (*event, line.clone())).collect()
    }
}

impl Cost {
    /// Takes in what an event's requests used; they come oldest first, and before the call that they led to ends.
    pub(crate) fn spend(&mut self, used: &Used, thresholds: &Thresholds) {
        let tokens = Tokens::of(used);
        self.total.add(tokens);
        let Some(session) = known(&mut self.sessions, used.session_number) else { return };
        session.tokens.add(tokens);
        session.since.add(tokens);
        session.newest = used.index;
        session.requests = session.requests.saturating_add(1);
        let told = used.cache_read.is_some() || used.cache_write.is_some();
        let (read, prompt) = (number(used.cache_read), tokens.all - number(used.output));
        // What only adds an answer's length says nothing of a prompt.
        if prompt <= 0.0 || !told {
            return;
        }
        self.prompts = self.prompts.saturating_add(1);
        // What stood in the prompt before could have come from a cache, as far as this one is as long.
        let could = session.prompt.min(prompt);
        session.prompt = prompt;
        if could >= thresholds.cache_prompt_tokens && read < could * thresholds.cache_share {
            self.missed += could - read;
            self.misses.add(could - read, used.index, || {
                format!(
                    "{} of {} tokens came from a cache, which could have held {}",
                    shown(read),
                    shown(prompt),
                    shown(could)
                )
            });
        }
    }

    /// Takes one call in, once what it used is known. `again` is how often it failed by now with nothing changed.
    pub(crate) fn add(&mut self, call: &Call<'_>, again: u32, thresholds: &Thresholds) {
        let Some(session) = self.sessions.get_mut(&call.session) else { return };
        let spent = std::mem::take(&mut session.since);
        if !call.failed {
            let row = std::mem::take(&mut session.row);
            return self.end_of_row(row, thresholds);
        }
        session.failed.add(spent);
        session.row.0 = session.row.0.saturating_add(1);
        session.row.1.add(spent);
        session.row.2 = call.event;
        if again >= 2
            && spent.all > 0.0
            && let Some(identity) = call.identity()
            && (self.loops.len() < MAX_LOOPS || self.loops.contains_key(&identity))
        {
            let tried = self.loops.entry(identity).or_default();
            if tried.what.is_empty() {
                tried.what = clipped(&first_line(call.input), WHAT_CHARS);
            }
            tried.tokens.add(spent);
            tried.again = tried.again.saturating_add(1);
            if tried.newest.len() == MAX_EVENTS {
                tried.newest.remove(0);
            }
            tried.newest.push(call.event);
        }
    }

    fn end_of_row(&mut self, (calls, tokens, event): (u32, Tokens, u64), thresholds: &Thresholds) {
        if calls >= thresholds.stretch_calls && tokens.all > 0.0 {
            self.stretched.add(tokens);
            let line = || format!("{calls} failed calls in a row, {} tokens", shown(tokens.all));
            self.stretches.add(tokens.weighed, event, line);
        }
    }

    /// The log has ended, and with it what was going on. `names` are those of the sessions, by their numbers.
    pub(crate) fn finish(&mut self, names: Vec<String>, thresholds: &Thresholds) {
        self.names = names;
        let rows: Vec<_> = self.sessions.values_mut().map(|session| std::mem::take(&mut session.row)).collect();
        for row in rows {
            self.end_of_row(row, thresholds);
        }
    }

    pub(crate) fn reports(&self, thresholds: &Thresholds) -> Vec<Report> {
        let mut reports = self.sessions_above(thresholds);
        let loops = self.loops.iter().filter(|(_, tried)| tried.tokens.weighed >= thresholds.retry_tokens);
        reports.extend(loops.map(|(key, tried)| tried.report(*key, thresholds)));
        reports.extend(self.in_failures(thresholds));
        reports.extend(self.past_the_cache(thresholds));
        reports
    }

    /// Sessions far above the median of all that used anything.
    fn sessions_above(&self, thresholds: &Thresholds) -> Vec<Report> {
        let mut all: Vec<f64> =
            self.sessions.values().map(|session| session.tokens.weighed).filter(|used| *used > 0.0).collect();
        all.sort_by(f64::total_cmp);
        let Some(&median) = all.get(all.len() / 2) else { return Vec::new() };
        let bound = (median * thresholds.session_times).max(thresholds.session_tokens);
        if all.len() < thresholds.sessions_least as usize {
            return Vec::new();
        }
        let above = self.sessions.iter().filter(|(_, session)| session.tokens.weighed >= bound);
        let name = |number: &u32| self.names.get(*number as usize).map_or("", String::as_str);
        above.map(|(number, session)| session.report(name(number), median, all.len())).collect()
    }

    fn in_failures(&self, thresholds: &Thresholds) -> Option<Report> {
        let share = percent(self.stretched.all, self.total.all);
        (self.stretched.weighed >= thresholds.stretch_tokens).then(|| Report {
            id: "failing-stretches".to_owned(),
            kind: "cost_failures",
            title: format!(
                "{} tokens ({share}%) went into {} of failing calls in a row",
                shown(self.stretched.all),
                many(self.stretches.count, "stretch", "stretches")
            ),
            importance: above(self.stretched.weighed, thresholds.stretch_tokens),
            confidence: confidence(self.stretches.count) * 0.8,
            hypothesis: "the agent tries one thing after the other where it lacks what would tell it the cause"
                .to_owned(),
            evidence: self.stretches.evidence(),
            direction: "look at what ended the longest of these stretches, and say it in the instructions".to_owned(),
            signals: vec!["log_error".to_owned(), "high_token_usage".to_owned()],
            occurrences: self.stretches.count,
        })
    }

    fn past_the_cache(&self, thresholds: &Thresholds) -> Option<Report> {
        (self.misses.count > 0 && self.missed >= thresholds.cache_missed_tokens).then(|| Report {
            id: "cache-misses".to_owned(),
            kind: "cache_misses",
            title: format!(
                "{} of {} prompts were read anew although a cache could have held them: {} tokens",
                self.misses.count,
                self.prompts,
                shown(self.missed)
            ),
            importance: above(self.missed, thresholds.cache_missed_tokens),
            confidence: confidence(self.misses.count) * 0.8,
            hypothesis:
                "the cache had expired after a pause, the model was changed, or something at the beginning of the \
                         prompt changes from request to request"
                    .to_owned(),
            evidence: self.misses.evidence(),
            direction: "keep the beginning of the prompt (tools, instructions, dates) the same, and pauses short"
                .to_owned(),
            signals: vec!["high_token_usage".to_owned()],
            occurrences: self.misses.count,
        })
    }
}

fn known(sessions: &mut BTreeMap<u32, Session>, number: u32) -> Option<&mut Session> {
    if sessions.len() < MAX_SESSIONS {
        return Some(sessions.entry(number).or_default());
    }
    sessions.get_mut(&number)
}

impl Session {
    fn report(&self, name: &str, median: f64, sessions: usize) -> Report {
        let times = self.tokens.weighed / median;
        let failed = percent(self.failed.all, self.tokens.all);
        Report {
            id: format!("expensive-session:{:016x}", hash(0, name.as_bytes())),
            kind: "cost_session",
            title: format!(
                "session {} used {} tokens, {times:.0} times the median of {sessions}; {failed}% led to calls that failed",
                clipped(&first_line(name), NAME_CHARS),
                shown(self.tokens.all)
            ),
            importance: if times >= FAR_ABOVE { Importance::Low } else { Importance::Info },
            confidence: 0.5,
            hypothesis:
                "its task was larger than the others, or its context grew long and was sent again with each request"
                    .to_owned(),
            evidence: vec![(self.newest, format!("{} in this session", many(self.requests, "request", "requests")))],
            direction: "split such tasks, and begin a new session or compact before the context is long".to_owned(),
            signals: vec!["high_token_usage".to_owned()],
            occurrences: 1,
        }
    }
}

impl Loop {
    fn report(&self, key: u64, thresholds: &Thresholds) -> Report {
        let said = format!("{} tokens went into trying it again {}", shown(self.tokens.all), seen_times(self.again));
        Report {
            id: format!("cost-retries:{key:016x}"),
            kind: "cost_retries",
            title: titled(&self.what, &said),
            importance: above(self.tokens.weighed, thresholds.retry_tokens),
            confidence: confidence(self.again) * 0.8,
            hypothesis: "the agent repeats a failing call in the hope that it passes".to_owned(),
            evidence: self.newest.iter().rev().map(|event| (*event, self.what.clone())).collect(),
            direction: "tell the agent to change something, or to read the error, before it repeats a call".to_owned(),
            signals: vec!["log_error".to_owned(), "repair_loop_detected".to_owned(), "high_token_usage".to_owned()],
            occurrences: self.again,
        }
    }
}

fn above(weighed: f64, threshold: f64) -> Importance {
    if weighed >= threshold * FAR_ABOVE { Importance::Medium } else { Importance::Low }
}

fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole * 100.0).round() } else { 0.0 }
}

fn many(count: u32, one: &str, more: &str) -> String {
    if count == 1 { format!("one {one}") } else { format!("{count} {more}") }
}

/// A number of tokens for a person.
fn shown(tokens: f64) -> String {
    match tokens {
        tokens if tokens < 10_000.0 => format!("{tokens:.0}"),
        tokens if tokens < 1e6 => format!("{:.0}k", tokens / 1e3),
        tokens if tokens < 1e9 => format!("{:.1}M", tokens / 1e6),
        tokens => format!("{:.1}G", tokens / 1e9),
    }
}

#[cfg(test)]
mod tests;

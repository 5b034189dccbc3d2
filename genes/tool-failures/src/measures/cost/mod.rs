//! The findings `cost_session`, `cost_retries`, `cost_failures` and `cache_misses`: what requests to a model used.
//!
//! Comparisons use weighted tokens: a cached token counts as a tenth, which matches its price. Titles show plain sums.
//! Memory is bounded: [`MAX_SESSIONS`] sessions, [`MAX_LOOPS`] loops, and a few events for each finding.

use gephost_gene::Severity;
use gephost_gene::run_log::Used;

use crate::by_number::ByNumber;
use crate::call::{Call, hash};
use crate::measures::loops::LOOP_DIRECTION;
use crate::order::sort_by;
use crate::report::{Report, clipped, confidence, first_line, rounded, times, titled, with_tenths};
use crate::thresholds::Thresholds;

/// Fewer than one prompt of so many that misses the cache is no finding.
const RARE_MISSES: u32 = 20;
/// Most sessions that are tracked. The usage of others counts only in the total.
pub(crate) const MAX_SESSIONS: usize = 16_384;
/// Most failing calls whose repetitions are tracked.
const MAX_LOOPS: usize = 512;
/// Events that a finding keeps as evidence.
const MAX_EVENTS: usize = 8;
const INPUT_CHARS: usize = 100;
const NAME_CHARS: usize = 40;
/// A finding is one step more severe from this many times its threshold on.
const FAR_ABOVE: f64 = 10.0;
/// How many cached tokens weigh as much as one that is not cached.
const CACHED: f64 = 10.0;

/// A number of tokens.
#[derive(Debug, Default, Clone, Copy)]
struct Tokens {
    /// The plain sum.
    all: f64,
    /// The sum in which a cached token counts as a tenth.
    weighted: f64,
}

impl Tokens {
    fn of(used: &Used) -> Self {
        let cached = number(used.cache_read);
        let plain = number(used.input) + number(used.output) + number(used.cache_write);
        Self { all: plain + cached, weighted: plain + cached / CACHED }
    }

    fn add(&mut self, more: Self) {
        self.all += more.all;
        self.weighted += more.weighted;
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens are shown with three digits")]
fn number(tokens: Option<u64>) -> f64 {
    tokens.unwrap_or_default() as f64
}

/// The usage of all requests.
#[derive(Debug, Default)]
pub(crate) struct Cost {
    sessions: ByNumber<Session>,
    /// Of all sessions.
    total: Tokens,
    /// Repetitions of failing calls, by the call's identity.
    retries: ByNumber<Retries>,
    stretches: Largest,
    /// Tokens of all stretches.
    stretch_tokens: Tokens,
    misses: Largest,
    /// Tokens that missed the cache.
    missed: f64,
    /// Prompts of which the log tells how much came from a cache.
    prompts: u32,
    /// The names of the sessions, which are known at the end of the log.
    names: Vec<String>,
}

/// The usage of one session.
#[derive(Debug, Default)]
struct Session {
    tokens: Tokens,
    /// Number of its newest event with usage.
    newest: u64,
    /// How many events have usage.
    requests: u32,
    /// Used since the newest call ended, which the next call to end is charged with.
    pending: Tokens,
    /// The consecutive failed calls up to now.
    stretch: Stretch,
    /// Used by failed calls.
    failed: Tokens,
    /// Tokens of its newest prompt.
    prompt: f64,
}

/// Consecutive failed calls.
#[derive(Debug, Default)]
struct Stretch {
    calls: u32,
    tokens: Tokens,
    /// Number of the newest call's event.
    event: u64,
}

/// The repetitions of one failing call.
#[derive(Debug, Default)]
struct Retries {
    /// The first line of the call's input.
    input: String,
    tokens: Tokens,
    count: u32,
    newest: Vec<u64>,
}

/// A number of incidents, and the largest of them, largest first.
#[derive(Debug, Default)]
struct Largest {
    count: u32,
    kept: Vec<(f64, u64, String)>,
}

impl Largest {
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
    /// Adds what the requests of one event used. Events must come oldest first, and before the end of the call that they
    /// led to.
    pub(crate) fn add_usage(&mut self, used: &Used, thresholds: &Thresholds) {
        let tokens = Tokens::of(used);
        self.total.add(tokens);
        let Some(session) = tracked(&mut self.sessions, used.session_number) else { return };
        session.tokens.add(tokens);
        session.pending.add(tokens);
        session.newest = used.index;
        session.requests = session.requests.saturating_add(1);
        let tells_cache = used.cache_read.is_some() || used.cache_write.is_some();
        let (read, prompt) = (number(used.cache_read), tokens.all - number(used.output));
        // An event that only adds the length of an answer has no prompt.
        if prompt <= 0.0 || !tells_cache {
            return;
        }
        self.prompts = self.prompts.saturating_add(1);
        // The cache could have held the previous prompt, as far as this one is as long.
        let cacheable = session.prompt.min(prompt);
        session.prompt = prompt;
        if cacheable >= thresholds.cache_prompt_tokens && read < cacheable * thresholds.cache_share {
            self.missed += cacheable - read;
            self.misses.add(cacheable - read, used.index, || {
                format!(
                    "{} of {} prompt tokens came from the cache; it could have held {}",
                    shown(read),
                    shown(prompt),
                    shown(cacheable)
                )
            });
        }
    }

    /// Adds one call, after the usage that led to it. `failures` is how often it has failed so far with nothing changed.
    pub(crate) fn add(&mut self, call: &Call<'_>, failures: u32, thresholds: &Thresholds) {
        let Some(session) = self.sessions.get_mut(call.session.into()) else { return };
        let spent = std::mem::take(&mut session.pending);
        if !call.failed {
            let stretch = std::mem::take(&mut session.stretch);
            return self.end_stretch(&stretch, thresholds);
        }
        session.failed.add(spent);
        session.stretch.calls = session.stretch.calls.saturating_add(1);
        session.stretch.tokens.add(spent);
        session.stretch.event = call.event;
        if failures >= 2
            && spent.all > 0.0
            && let Some(identity) = call.identity()
            && (self.retries.len() < MAX_LOOPS || self.retries.has(identity))
        {
            let retries = self.retries.get_or_insert(identity, Retries::default);
            if retries.input.is_empty() {
                retries.input = clipped(&first_line(call.input), INPUT_CHARS);
            }
            retries.tokens.add(spent);
            retries.count = retries.count.saturating_add(1);
            if retries.newest.len() == MAX_EVENTS {
                retries.newest.remove(0);
            }
            retries.newest.push(call.event);
        }
    }

    fn end_stretch(&mut self, stretch: &Stretch, thresholds: &Thresholds) {
        let Stretch { calls, tokens, event } = *stretch;
        if f64::from(calls) >= thresholds.stretch_calls && tokens.all > 0.0 {
            self.stretch_tokens.add(tokens);
            let line = || format!("{calls} consecutive failed calls, {} tokens", shown(tokens.all));
            self.stretches.add(tokens.weighted, event, line);
        }
    }

    /// Ends the stretches that last until the end of the log. `names` are those of the sessions, by their numbers.
    pub(crate) fn finish(&mut self, names: Vec<String>, thresholds: &Thresholds) {
        self.names = names;
        let open: Vec<_> = self.sessions.iter_mut().map(|(_, session)| std::mem::take(&mut session.stretch)).collect();
        for stretch in &open {
            self.end_stretch(stretch, thresholds);
        }
    }

    pub(crate) fn reports(&self, thresholds: &Thresholds) -> Vec<Report> {
        let mut reports = self.expensive_sessions(thresholds);
        let retries = self.retries.iter().filter(|(_, retries)| retries.tokens.weighted >= thresholds.retry_tokens);
        reports.extend(retries.map(|(key, retries)| retries.report(*key, thresholds)));
        reports.extend(self.failing_stretches(thresholds));
        reports.extend(self.cache_misses(thresholds));
        reports
    }

    /// Sessions far above the median of all sessions with known usage.
    fn expensive_sessions(&self, thresholds: &Thresholds) -> Vec<Report> {
        let mut all: Vec<f64> =
            self.sessions.iter().map(|(_, session)| session.tokens.weighted).filter(|used| *used > 0.0).collect();
        sort_by(&mut all, f64::total_cmp);
        let Some(&median) = all.get(all.len() / 2) else { return Vec::new() };
        let bound = (median * thresholds.session_times).max(thresholds.session_tokens);
        if u32::try_from(all.len()).map_or(f64::INFINITY, f64::from) < thresholds.sessions_least {
            return Vec::new();
        }
        let above = self.sessions.iter().filter(|(_, session)| session.tokens.weighted >= bound);
        let name =
            |number: &u64| usize::try_from(*number).ok().and_then(|at| self.names.get(at)).map_or("", String::as_str);
        above.map(|(number, session)| session.report(name(number), median, all.len())).collect()
    }

    fn failing_stretches(&self, thresholds: &Thresholds) -> Option<Report> {
        let share = percent(self.stretch_tokens.all, self.total.all);
        (self.stretch_tokens.weighted >= thresholds.stretch_tokens).then(|| Report {
            id: "failing-stretches".to_owned(),
            kind: "cost_failures",
            title: format!(
                "{} tokens ({share}%) were spent on {} of consecutive failed calls",
                shown(self.stretch_tokens.all),
                counted(self.stretches.count, "stretch", "stretches")
            ),
            severity: severity(self.stretch_tokens.weighted, thresholds.stretch_tokens),
            confidence: confidence(self.stretches.count) * 0.25,
            evidence: self.stretches.evidence(),
            direction: "find out what ended the largest of these stretches, and say it in the agent's instructions"
                .to_owned(),
            signals: vec!["log_error".to_owned(), "high_token_usage".to_owned()],
            occurrences: self.stretches.count,
            ..Report::default()
        })
    }

    fn cache_misses(&self, thresholds: &Thresholds) -> Option<Report> {
        // A few are those after a pause.
        let is_usual = self.misses.count.saturating_mul(RARE_MISSES) < self.prompts;
        (!is_usual && self.misses.count > 0 && self.missed >= thresholds.cache_missed_tokens).then(|| Report {
            id: "cache-misses".to_owned(),
            kind: "cache_misses",
            title: format!(
                "{} of {} prompts missed the cache, which could have held {} tokens more",
                self.misses.count,
                self.prompts,
                shown(self.missed)
            ),
            severity: severity(self.missed, thresholds.cache_missed_tokens),
            confidence: confidence(self.misses.count) * 0.25,
            evidence: self.misses.evidence(),
            direction: "keep the beginning of the prompt (tools, instructions, dates) unchanged, and keep pauses short"
                .to_owned(),
            signals: vec!["high_token_usage".to_owned()],
            occurrences: self.misses.count,
            ..Report::default()
        })
    }
}

fn tracked(sessions: &mut ByNumber<Session>, number: u32) -> Option<&mut Session> {
    if sessions.len() < MAX_SESSIONS {
        return Some(sessions.get_or_insert(number.into(), Session::default));
    }
    sessions.get_mut(number.into())
}

impl Session {
    fn report(&self, name: &str, median: f64, sessions: usize) -> Report {
        let times = self.tokens.weighted / median;
        let failed = percent(self.failed.all, self.tokens.all);
        Report {
            id: format!("expensive-session:{:016x}", hash(0, name.as_bytes())),
            kind: "cost_session",
            title: format!(
                "session {} used {} tokens, {} times the median of {sessions} sessions; {failed}% led to failed calls",
                clipped(&first_line(name), NAME_CHARS),
                shown(self.tokens.all),
                rounded(times)
            ),
            severity: if times >= FAR_ABOVE { Severity::Low } else { Severity::Info },
            confidence: 0.3,
            evidence: vec![(self.newest, format!("{} in this session", counted(self.requests, "request", "requests")))],
            direction: "split such tasks, and start a new session or compact the context before it grows long"
                .to_owned(),
            signals: vec!["high_token_usage".to_owned()],
            occurrences: 1,
            ..Report::default()
        }
    }
}

impl Retries {
    fn report(&self, key: u64, thresholds: &Thresholds) -> Report {
        let remark =
            format!("failed again {} with nothing changed, for {} tokens", times(self.count), shown(self.tokens.all));
        Report {
            id: format!("cost-retries:{key:016x}"),
            kind: "cost_retries",
            title: titled(&self.input, &remark),
            severity: severity(self.tokens.weighted, thresholds.retry_tokens),
            confidence: confidence(self.count) * 0.25,
            evidence: self.newest.iter().rev().map(|event| (*event, self.input.clone())).collect(),
            direction: LOOP_DIRECTION.to_owned(),
            signals: vec!["log_error".to_owned(), "repair_loop_detected".to_owned(), "high_token_usage".to_owned()],
            occurrences: self.count,
            ..Report::default()
        }
    }
}

fn severity(weighted: f64, threshold: f64) -> Severity {
    if weighted >= threshold * FAR_ABOVE { Severity::Medium } else { Severity::Low }
}

fn percent(part: f64, whole: f64) -> u64 {
    if whole > 0.0 { rounded(part / whole * 100.0) } else { 0 }
}

fn counted(count: u32, one: &str, more: &str) -> String {
    if count == 1 { format!("one {one}") } else { format!("{count} {more}") }
}

/// A number of tokens with a suffix: `9999`, `90k`, `1.2M`, `3.4G`.
fn shown(tokens: f64) -> String {
    match tokens {
        tokens if tokens < 10_000.0 => rounded(tokens).to_string(),
        tokens if tokens < 1e6 => format!("{}k", rounded(tokens / 1e3)),
        tokens if tokens < 1e9 => format!("{}M", with_tenths(tokens / 1e6)),
        tokens => format!("{}G", with_tenths(tokens / 1e9)),
    }
}

#[cfg(test)]
mod tests;

//! From where on a pattern is seen: the operator's `[diagnose.thresholds]`, handed over as settings.

/// Every threshold. docs/src/reference/thresholds.md says what each means, and shows these defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Thresholds {
    /// An error seen this often is recurring (GEP: `recurring_errsig` from three).
    pub(crate) recurring: u32,
    /// From this share of failed calls on, a tool counts as broken.
    pub(crate) high_rate: f64,
    /// From this share on, it costs time.
    pub(crate) medium_rate: f64,
    /// Share of a tool's failures that one error must have for the tool to go without a finding of its own.
    pub(crate) covered_rate: f64,
    /// Calls of one window.
    pub(crate) window_calls: u32,
    /// Calls that a window must have to be compared.
    pub(crate) window_least: u32,
    /// How many times as slow, or as often failing, counts as a regression.
    pub(crate) regression: f64,
    /// Milliseconds that the slow calls must have become slower by.
    pub(crate) slower_ms: f64,
    /// Milliseconds of the slowest twentieth from which a tool is slow.
    pub(crate) slow_ms: f64,
    /// Failures that the newest window must have for a trend.
    pub(crate) trend_failures: u32,
    /// From so many failures on, a loop costs time.
    pub(crate) long_loop: u32,
    /// How many times the median a session must have used to be told.
    pub(crate) session_times: f64,
    /// Tokens that it must have used.
    pub(crate) session_tokens: f64,
    /// Sessions that a median must rest on.
    pub(crate) sessions_least: u32,
    /// Tokens that must have gone into trying a failing call again.
    pub(crate) retry_tokens: f64,
    /// Failed calls in a row that make a stretch.
    pub(crate) stretch_calls: u32,
    /// Tokens that stretches must have used together.
    pub(crate) stretch_tokens: f64,
    /// A request that reads less than this share of what it could from a cache misses it.
    pub(crate) cache_share: f64,
    /// Tokens that a prompt must have for that.
    pub(crate) cache_prompt_tokens: f64,
    /// Tokens that must have been missed in all.
    pub(crate) cache_missed_tokens: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            recurring: 3,
            high_rate: 0.5,
            medium_rate: 0.15,
            covered_rate: 0.8,
            window_calls: 100,
            window_least: 20,
            regression: 2.0,
            slower_ms: 2000.0,
            slow_ms: 60_000.0,
            trend_failures: 5,
            long_loop: 6,
            session_times: 4.0,
            session_tokens: 200_000.0,
            sessions_least: 5,
            retry_tokens: 50_000.0,
            stretch_calls: 3,
            stretch_tokens: 100_000.0,
            cache_share: 0.5,
            cache_prompt_tokens: 20_000.0,
            cache_missed_tokens: 100_000.0,
        }
    }
}

impl Thresholds {
    /// Goes by a value; `false` where there is no threshold of this name. The host has checked its range.
    pub(crate) fn set(&mut self, name: &str, value: f64) -> bool {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        let count = value as u32;
        match name {
            "recurring" => self.recurring = count,
            "high_rate" => self.high_rate = value,
            "medium_rate" => self.medium_rate = value,
            "covered_rate" => self.covered_rate = value,
            "window_calls" => self.window_calls = count.clamp(1, MAX_WINDOW),
            "window_least" => self.window_least = count,
            "regression" => self.regression = value,
            "slower_ms" => self.slower_ms = value,
            "slow_ms" => self.slow_ms = value,
            "trend_failures" => self.trend_failures = count,
            "long_loop" => self.long_loop = count,
            "session_times" => self.session_times = value,
            "session_tokens" => self.session_tokens = value,
            "sessions_least" => self.sessions_least = count,
            "retry_tokens" => self.retry_tokens = value,
            "stretch_calls" => self.stretch_calls = count,
            "stretch_tokens" => self.stretch_tokens = value,
            "cache_share" => self.cache_share = value,
            "cache_prompt_tokens" => self.cache_prompt_tokens = value,
            "cache_missed_tokens" => self.cache_missed_tokens = value,
            _ => return false,
        }
        true
    }
}

/// Most calls of one window, whatever the setting: its classes are counted in 16 bits.
const MAX_WINDOW: u32 = u16::MAX as u32;

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value that docs/src/reference/thresholds.md shows, set over a value that is none, gives the defaults.
    #[test]
    fn the_page_of_thresholds_shows_the_defaults() {
        let page = include_str!("../../../docs/src/reference/thresholds.md");
        let block = page.split("[diagnose.thresholds]\n").nth(1).and_then(|rest| rest.split("```").next());
        let lines: Vec<&str> = block.expect("there is one").lines().filter(|line| line.contains('=')).collect();
        let mut shown = Thresholds { recurring: 77, slow_ms: 0.5, ..Thresholds::default() };
        for line in &lines {
            let (name, rest) = line.split_once('=').expect("a key and a value");
            let value = rest.split('#').next().unwrap_or_default().trim().replace('_', "").parse().expect("a number");
            assert!(shown.set(name.trim(), value), "{name}");
        }
        assert_eq!(shown, Thresholds::default());
        let fields = format!("{shown:?}").matches(": ").count();
        assert_eq!(lines.len(), fields, "every threshold");
        assert!(!shown.set("slow", 1.0));
    }
}

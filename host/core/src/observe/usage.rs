//! The names under which formats record what a model request used, and which part of it is new: the usage of a message
//! can be recorded several times, and some logs record running totals.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Deserialize as Derive, Serialize};
use serde_json::value::RawValue;

use crate::run_event::{Spent, Usage};

/// Most messages and totals that are remembered at once. An agent and its subagents run in parallel, so a few suffice.
const MAX_KNOWN: usize = 8;
/// Most sessions of one file that have usage without an event at once.
pub(super) const MAX_DUE: usize = 256;

/// The numbers of a `usage` object, under any of their names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TokenCounts {
    pub(super) input: Option<u64>,
    pub(super) output: Option<u64>,
    /// Tokens spent on thinking, if `output` does not include them.
    pub(super) thoughts: Option<u64>,
    pub(super) cache_read: Option<u64>,
    pub(super) cache_write: Option<u64>,
    pub(super) cost: Option<u64>,
    /// Tokens that results of tools added to the prompt, if `input` does not include them.
    pub(super) results: Option<u64>,
}

impl TokenCounts {
    /// Reads an object. Anything else has no numbers.
    pub(super) fn read(raw: Option<&RawValue>) -> Self {
        raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    /// Reads the object at the start of `bytes`.
    pub(super) fn from_start_of(bytes: &[u8]) -> Self {
        Self::deserialize(&mut serde_json::Deserializer::from_slice(bytes)).unwrap_or_default()
    }

    /// The usage if only the length of the answer is recorded.
    pub(super) fn output_only(raw: Option<&RawValue>) -> Usage {
        Usage { output_tokens: raw.and_then(count), ..Usage::default() }
    }

    /// Sets the cost of the whole request, in dollars.
    pub(super) fn with_cost(self, dollars: Option<&RawValue>) -> Self {
        Self { cost: dollars.and_then(nano_dollars).or(self.cost), ..self }
    }

    /// The usage, if `input` does not include tokens read from or written to a cache.
    pub(super) fn usage_excluding_cache(self) -> Usage {
        Usage {
            input_tokens: both(self.input, self.results),
            output_tokens: both(self.output, self.thoughts),
            cache_read_tokens: self.cache_read,
            cache_write_tokens: self.cache_write,
            cost_nano_usd: self.cost,
        }
    }

    /// The usage, if `input` is the whole prompt.
    pub(super) fn usage_including_cache(self) -> Usage {
        let cached = self.cache_read.unwrap_or(0).saturating_add(self.cache_write.unwrap_or(0));
        Self { input: self.input.map(|input| input.saturating_sub(cached)), ..self }.usage_excluding_cache()
    }

    fn set(&mut self, key: &str, value: &RawValue) {
        match key {
            "input_tokens" | "prompt_tokens" | "inputTokens" | "promptTokens" | "prompt" | "input" | "tokens_sent"
            | "promptTokenCount" => {
                put(&mut self.input, value);
            }
            "tool" => put(&mut self.results, value),
            "output_tokens"
            | "completion_tokens"
            | "outputTokens"
            | "completionTokens"
            | "completion"
            | "output"
            | "tokens_received"
            | "candidatesTokenCount" => put(&mut self.output, value),
            "thoughts" | "reasoning" | "thoughtsTokenCount" => put(&mut self.thoughts, value),
            "cache_read_input_tokens"
            | "cached_input_tokens"
            | "cache_read_tokens"
            | "cacheReadTokens"
            | "cacheRead"
            | "cached"
            | "cached_tokens"
            | "input_cached_tokens"
            | "cachedContentTokenCount" => put(&mut self.cache_read, value),
            "cache_creation_input_tokens"
            | "cache_write_tokens"
            | "cacheWriteTokens"
            | "cacheWrite"
            | "input_cache_creation" => put(&mut self.cache_write, value),
            "prompt_tokens_details" | "input_tokens_details" | "input_token_details" | "cache" => {
                let cached: CacheCounts = serde_json::from_str(value.get()).unwrap_or_default();
                self.cache_read = self.cache_read.or(cached.read);
                self.cache_write = self.cache_write.or(cached.write);
            }
            "cost" | "cost_usd" | "instance_cost" => self.cost = nano_dollars(value).or(self.cost),
            _ => {}
        }
    }
}

fn both(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.map(|one| one.saturating_add(other.unwrap_or(0))).or(other)
}

/// Sets a number unless it is set already: some objects record the same number under two names.
fn put(slot: &mut Option<u64>, value: &RawValue) {
    *slot = slot.or_else(|| count(value));
}

/// A number of tokens, as a number or in a string. `None` if it is not a number or is negative. A number that is too
/// large becomes the largest.
pub(super) fn count(raw: &RawValue) -> Option<u64> {
    number_of(raw.get().trim_matches('"'))
}

/// The same for a text.
pub(super) fn number_of(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(whole) = text.parse() {
        return Some(whole);
    }
    let number: f64 = text.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not below 0, and a cast saturates")]
    (number >= 0.0).then_some(number as u64)
}

/// Dollars, or an object with their `total`, in billionths.
fn nano_dollars(raw: &RawValue) -> Option<u64> {
    #[derive(Derive)]
    struct Whole<'a> {
        #[serde(borrow)]
        total: &'a RawValue,
    }
    let text = match serde_json::from_str::<Whole<'_>>(raw.get()) {
        Ok(whole) => whole.total.get(),
        Err(_) => raw.get(),
    };
    nano_of(text.trim_matches('"'))
}

/// The same for a text.
pub(super) fn nano_of(dollars: &str) -> Option<u64> {
    let dollars: f64 = dollars.trim().parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not below 0, and a cast saturates")]
    (dollars >= 0.0).then(|| (dollars * 1e9).round() as u64)
}

impl<'de> Deserialize<'de> for TokenCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counts = Self::default();
        for_each_member(deserializer, |key, value| counts.set(key, value))?;
        Ok(counts)
    }
}

/// The cache numbers in the details of a prompt.
#[derive(Default)]
struct CacheCounts {
    read: Option<u64>,
    write: Option<u64>,
}

impl<'de> Deserialize<'de> for CacheCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counts = Self::default();
        for_each_member(deserializer, |key, value| match key {
            "cached_tokens" | "cache_read" | "read" => put(&mut counts.read, value),
            "cache_creation" | "write" => put(&mut counts.write, value),
            _ => {}
        })?;
        Ok(counts)
    }
}

/// Reads an object and calls `set` with each key and its value.
fn for_each_member<'de, D: Deserializer<'de>>(
    deserializer: D,
    set: impl FnMut(&str, &'de RawValue),
) -> Result<(), D::Error> {
    struct Members<F>(F);
    impl<'de, F: FnMut(&str, &'de RawValue)> Visitor<'de> for Members<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
            while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                (self.0)(&key, map.next_value()?);
            }
            Ok(())
        }
    }
    deserializer.deserialize_map(Members(set))
}

/// What is known about the requests of a file, and what no event has yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Derive)]
pub(super) struct Spending {
    /// The last recorded usage of each message or session.
    known: VecDeque<(String, Usage)>,
    #[serde(default)]
    due: Vec<Due>,
}

/// Usage that the next event of a session gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Derive)]
pub(super) struct Due {
    pub(super) session: Arc<str>,
    /// Time of the newest request.
    #[serde(skip)]
    pub(super) time: Option<Timestamp>,
    pub(super) spent: Spent,
}

impl Spending {
    /// The part of a message's usage that was not recorded before.
    pub(super) fn new_in_message(&mut self, id: &str, counts: Usage) -> Usage {
        let known = self.known(id);
        let new = counts.beyond(known);
        *known = known.at_least(&counts);
        new
    }

    /// The increase of a running total; `None` if the total has been reset.
    pub(super) fn new_in_total(&mut self, id: &str, counts: Usage) -> Option<Usage> {
        let known = self.known(id);
        let new = (!counts.is_below(known)).then(|| counts.beyond(known));
        *known = counts;
        new
    }

    fn known(&mut self, id: &str) -> &mut Usage {
        let at = self.known.iter().position(|(known, _)| known == id).unwrap_or_else(|| {
            if self.known.len() == MAX_KNOWN {
                self.known.pop_front();
            }
            self.known.push_back((id.to_owned(), Usage::default()));
            self.known.len() - 1
        });
        &mut self.known[at].1
    }

    /// Adds usage for the next event of a session. Returns the oldest entry if there are too many.
    pub(super) fn add_due(&mut self, session: &Arc<str>, time: Option<Timestamp>, spent: Spent) -> Option<Due> {
        if let Some(due) = self.due.iter_mut().find(|due| due.session == *session) {
            due.time = time.or(due.time);
            due.spent.add(spent);
            return None;
        }
        self.due.push(Due { session: session.clone(), time, spent });
        (self.due.len() > MAX_DUE).then(|| self.due.remove(0))
    }

    /// Removes and returns the usage for an event of this session.
    pub(super) fn due(&mut self, session: &str) -> Option<Spent> {
        let at = self.due.iter().position(|due| *due.session == *session)?;
        Some(self.due.remove(at).spent)
    }

    /// Removes and returns all usage that no event has.
    pub(super) fn take_due(&mut self) -> Vec<Due> {
        std::mem::take(&mut self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(json: &str) -> TokenCounts {
        TokenCounts::read(Some(&RawValue::from_string(json.to_owned()).unwrap()))
    }

    fn numbers(usage: Usage) -> [Option<u64>; 5] {
        let Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd } = usage;
        [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd]
    }

    #[test]
    fn every_form_gives_its_numbers() {
        let anthropic = r#"{"input_tokens":3,"cache_creation_input_tokens":11,"cache_read_input_tokens":22,
            "cache_creation":{"ephemeral_5m_input_tokens":11},"output_tokens":2,"service_tier":"standard"}"#;
        assert_eq!(numbers(counts(anthropic).usage_excluding_cache()), [Some(3), Some(2), Some(22), Some(11), None]);
        let openai = r#"{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,
            "prompt_tokens_details":{"cached_tokens":90}}"#;
        assert_eq!(numbers(counts(openai).usage_including_cache()), [Some(10), Some(5), Some(90), None, None]);
        let gemini = r#"{"input":12,"output":1,"cached":10,"thoughts":4,"tool":3,"total":20}"#;
        assert_eq!(numbers(counts(gemini).usage_including_cache()), [Some(5), Some(5), Some(10), None, None]);
        let pi = r#"{"input":3,"output":191,"cacheRead":0,"cacheWrite":9,"cost":{"input":9e-06,"total":0.009189}}"#;
        assert_eq!(
            numbers(counts(pi).usage_excluding_cache()),
            [Some(3), Some(191), Some(0), Some(9), Some(9_189_000)]
        );
        let opencode = r#"{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}}"#;
        assert_eq!(numbers(counts(opencode).usage_excluding_cache()), [Some(1), Some(5), Some(4), Some(5), None]);
    }

    #[test]
    fn what_is_no_number_tells_nothing() {
        for json in ["null", "[]", "\"x\"", "{}", r#"{"input_tokens":-1,"output_tokens":"many","cost":{"total":[]}}"#] {
            assert_eq!(counts(json), TokenCounts::default(), "{json}");
        }
        let odd = r#"{"input":1e400,"output":"7","cached":2.9,"cost":-0.5}"#;
        assert_eq!(numbers(counts(odd).usage_excluding_cache()), [Some(u64::MAX), Some(7), Some(2), None, None]);
        assert_eq!(counts(r#"{"input":5,"cached":9}"#).usage_including_cache().input_tokens, Some(0), "never below 0");
        let most = r#"{"output":18446744073709551615,"thoughts":18446744073709551615,"cost":1e300}"#;
        assert_eq!(numbers(counts(most).usage_excluding_cache()), [None, Some(u64::MAX), None, None, Some(u64::MAX)]);
    }

    #[test]
    fn what_is_told_again_is_new_once() {
        let output = |tokens| Usage { input_tokens: Some(3), output_tokens: Some(tokens), ..Usage::default() };
        let mut spending = Spending::default();
        let mut sum = Usage::default();
        for tokens in [1, 1, 138, 138, 1] {
            sum.add(&spending.new_in_message("m1", output(tokens)));
        }
        assert_eq!(sum, output(138));
        assert_eq!(spending.new_in_total("all", output(5)), Some(output(5)));
        assert!(spending.new_in_total("all", output(5)).unwrap().is_nothing());
        assert_eq!(spending.new_in_total("all", output(4)), None);
        for number in 0..100 {
            spending.new_in_message(&number.to_string(), output(1));
        }
        assert_eq!(spending.known.len(), MAX_KNOWN);
    }

    #[test]
    fn what_waits_is_bounded_and_not_lost() {
        let mut spending = Spending::default();
        let one = || Spent { usage: Usage { input_tokens: Some(1), ..Usage::default() }, model: None };
        let owed = |number: usize| Arc::<str>::from(number.to_string());
        let left: Vec<Due> =
            (0..MAX_DUE + 2).filter_map(|number| spending.add_due(&owed(number), None, one())).collect();
        assert_eq!(left.iter().map(|due| &*due.session).collect::<Vec<_>>(), ["0", "1"]);
        assert_eq!(spending.add_due(&owed(5), None, one()), None);
        assert_eq!(spending.due("5").unwrap().usage.input_tokens, Some(2));
        assert_eq!(spending.due("5"), None);
        assert_eq!(spending.take_due().len(), MAX_DUE - 1);
    }
}

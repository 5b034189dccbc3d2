//! What requests to a model used, as far as a log tells.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Tokens, and money where the log itself says how much. A number that the log does not tell is absent.
///
/// Formats count in different ways; here every token of a prompt is in one place, so that the three add up to the prompt.
/// Sums stop at the largest number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt that were read anew: neither from a cache nor into one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, with those of its thinking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens of the prompt that came from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Tokens of the prompt that were put into a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Money, in billionths of a US dollar. Never computed from tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// What one event's requests used, and of which model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The numbers.
    pub usage: Usage,
    /// The model's name, as the log has it.
    pub model: Option<Arc<str>>,
}

impl Usage {
    /// Whether it tells of nothing used.
    pub fn is_nothing(&self) -> bool {
        self.numbers().into_iter().flatten().all(|number| number == 0)
    }

    /// Adds what another request used.
    pub fn add(&mut self, more: &Self) {
        *self = self.with(more, u64::saturating_add);
    }

    /// What of this is beyond `earlier`, number by number.
    #[must_use]
    pub fn beyond(&self, earlier: &Self) -> Self {
        let beyond = self.with(earlier, u64::saturating_sub);
        // What only the earlier one tells is nothing new.
        let told = |mine: Option<u64>, new: Option<u64>| mine.and(new);
        Self {
            input_tokens: told(self.input_tokens, beyond.input_tokens),
            output_tokens: told(self.output_tokens, beyond.output_tokens),
            cache_read_tokens: told(self.cache_read_tokens, beyond.cache_read_tokens),
            cache_write_tokens: told(self.cache_write_tokens, beyond.cache_write_tokens),
            cost_nano_usd: told(self.cost_nano_usd, beyond.cost_nano_usd),
        }
    }

    /// Whether one of the numbers that both tell is lower than before.
    pub fn is_below(&self, earlier: &Self) -> bool {
        let pairs = self.numbers().into_iter().zip(earlier.numbers());
        pairs.into_iter().any(|(now, before)| now.zip(before).is_some_and(|(now, before)| now < before))
    }

    /// The larger of each number.
    #[must_use]
    pub fn at_least(&self, other: &Self) -> Self {
        self.with(other, u64::max)
    }

    fn numbers(&self) -> [Option<u64>; 5] {
        let Self { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd } = *self;
        [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd]
    }

    /// Number by number; one that only one side tells is that side's.
    fn with(&self, other: &Self, of_both: fn(u64, u64) -> u64) -> Self {
        let one = |mine: Option<u64>, theirs: Option<u64>| match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(of_both(mine, theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        Self {
            input_tokens: one(self.input_tokens, other.input_tokens),
            output_tokens: one(self.output_tokens, other.output_tokens),
            cache_read_tokens: one(self.cache_read_tokens, other.cache_read_tokens),
            cache_write_tokens: one(self.cache_write_tokens, other.cache_write_tokens),
            cost_nano_usd: one(self.cost_nano_usd, other.cost_nano_usd),
        }
    }
}

impl Spent {
    /// Adds what another request used. The model is the one of the newest request that names one.
    pub fn add(&mut self, more: Self) {
        self.usage.add(&more.usage);
        self.model = more.model.or_else(|| self.model.take());
    }
}

//! What requests to a model used, as far as a log says.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens, and the cost if the log itself gives it. A number that the log does not give is absent.
///
/// Formats count prompt tokens in different ways. Here each prompt token is counted in exactly one of three fields, so
/// that the three add up to the prompt. Sums saturate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Prompt tokens that were neither read from a cache nor written to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, including those spent on thinking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Prompt tokens that were read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    /// Prompt tokens that were written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Cost in billionths of a US dollar. Never computed from tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// What the requests of one event used, and of which model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens and cost.
    pub usage: Usage,
    /// Name of the model, as the log gives it.
    pub model: Option<Arc<str>>,
}

impl Usage {
    /// Whether every number is 0 or absent.
    pub fn is_nothing(&self) -> bool {
        self.numbers().into_iter().flatten().all(|number| number == 0)
    }

    /// Adds the usage of another request.
    pub fn add(&mut self, more: &Self) {
        *self = self.with(more, u64::saturating_add);
    }

    /// The increase since `earlier`, number by number.
    #[must_use]
    pub fn beyond(&self, earlier: &Self) -> Self {
        let beyond = self.with(earlier, u64::saturating_sub);
        // A number that only `earlier` has is no increase.
        let only_if_mine = |mine: Option<u64>, new: Option<u64>| mine.and(new);
        Self {
            input_tokens: only_if_mine(self.input_tokens, beyond.input_tokens),
            output_tokens: only_if_mine(self.output_tokens, beyond.output_tokens),
            cache_read_tokens: only_if_mine(self.cache_read_tokens, beyond.cache_read_tokens),
            cache_write_tokens: only_if_mine(self.cache_write_tokens, beyond.cache_write_tokens),
            cost_nano_usd: only_if_mine(self.cost_nano_usd, beyond.cost_nano_usd),
        }
    }

    /// Whether any number is lower than in `earlier`. Only numbers that both have are compared.
    pub fn is_below(&self, earlier: &Self) -> bool {
        let pairs = self.numbers().into_iter().zip(earlier.numbers());
        pairs.into_iter().any(|(now, before)| now.zip(before).is_some_and(|(now, before)| now < before))
    }

    /// The larger of each pair of numbers.
    #[must_use]
    pub fn at_least(&self, other: &Self) -> Self {
        self.with(other, u64::max)
    }

    fn numbers(&self) -> [Option<u64>; 5] {
        let Self { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd } = *self;
        [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd]
    }

    /// Combines the numbers pair by pair. If only one side has a number, it is kept as it is.
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
    /// Adds the usage of another request. The model becomes that of the added request, if it names one.
    pub fn add(&mut self, more: Self) {
        self.usage.add(&more.usage);
        self.model = more.model.or_else(|| self.model.take());
    }
}

//! Times and usage in the forms in which messages have them.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::observe::content::Text;
use crate::observe::peek;
use crate::observe::time::{read_time, since_1970};
use crate::observe::usage::TokenCounts;
use crate::run_event::Usage;

/// A time as a text, or as a number of seconds or milliseconds since 1970.
pub(super) fn time_of(raw: &RawValue) -> Option<Timestamp> {
    /// Later than any time in seconds, and earlier than any in milliseconds.
    const FIRST_MILLISECONDS: f64 = 1e11;
    match raw.get().parse::<f64>() {
        Ok(number) => since_1970(raw, if number.abs() < FIRST_MILLISECONDS { 1 } else { 1000 }),
        Err(_) => read_time(&serde_json::from_str::<Text<'_>>(raw.get()).unwrap_or_default().0),
    }
}

/// The usage of a request. Only Anthropic counts cached tokens apart.
pub(super) fn usage(raw: Option<&RawValue>) -> Usage {
    /// Of Cline.
    #[derive(Deserialize)]
    struct Nested<'a> {
        #[serde(borrow)]
        tokens: &'a RawValue,
    }
    let nested = raw.and_then(|raw| serde_json::from_str::<Nested<'_>>(raw.get()).ok());
    let counts = TokenCounts::read(nested.map(|nested| nested.tokens).or(raw));
    let is_apart = raw.is_some_and(|raw| peek::value_field(raw.get().as_bytes(), "cache_read_input_tokens").is_some());
    let is_apart = is_apart || counts.cache_read.zip(counts.input).is_some_and(|(read, input)| read > input);
    if is_apart { counts.usage_excluding_cache() } else { counts.usage_including_cache() }
}

//! How events are stored.

use gephost_core::observe::Format;
use jiff::Timestamp;

use crate::observe::Meter;

/// How events are stored.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// Every log is of this format; without one each is recognised.
    pub format: Option<&'static Format>,
    /// Where events without a time belong.
    pub now: Timestamp,
    /// As for [`RunStore::append`].
    pub log_max_chars: usize,
    /// The first day that is stored, as `YYYYMMDD`: what retention would remove at once is not written.
    pub first_day: Option<&'a str>,
    /// A path that names nothing has nothing new; otherwise it is an error.
    pub absent_is_empty: bool,
    /// Counts what is read.
    pub meter: Option<&'a Meter>,
}

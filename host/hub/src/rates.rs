//! How often an address, a node or a voter may ask, and how much an address may upload.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use gephost_core::a2a::{Code, Problem};
use governor::clock::Clock as _;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::clock::LimiterClock;
use crate::settings::{Limits, Rate};

/// A limiter forgets who has not asked for a while when it knows this many.
const KNOWN: usize = 50_000;

type Keyed<K> = RateLimiter<K, DashMapStateStore<K>, LimiterClock, NoOpMiddleware<Duration>>;

/// All limiters.
pub(crate) struct Rates {
    clock: LimiterClock,
    addresses: Keyed<IpAddr>,
    /// In MiB.
    uploads: Keyed<IpAddr>,
    senders: Keyed<String>,
    voters: Keyed<String>,
}

impl std::fmt::Debug for Rates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rates").finish_non_exhaustive()
    }
}

impl Rates {
    pub(crate) fn new(limits: &Limits, clock: LimiterClock) -> Self {
        let hour = NonZeroU32::new(limits.opinions_an_hour).unwrap_or(NonZeroU32::MIN);
        let mib = NonZeroU32::new(limits.upload_mib_an_hour).unwrap_or(NonZeroU32::MIN);
        Self {
            uploads: RateLimiter::new(Quota::per_hour(mib), DashMapStateStore::default(), clock.clone()),
            addresses: RateLimiter::new(quota(limits.address_rate), DashMapStateStore::default(), clock.clone()),
            senders: RateLimiter::new(quota(limits.sender_rate), DashMapStateStore::default(), clock.clone()),
            voters: RateLimiter::new(Quota::per_hour(hour), DashMapStateStore::default(), clock.clone()),
            clock,
        }
    }

    /// A request of an address. Of an IPv6 address the network of 64 bits counts, which one host has for itself.
    pub(crate) fn address(&self, address: IpAddr) -> Result<(), Limited> {
        self.check(&self.addresses, network(address))
    }

    /// An upload of so many bytes. Anybody may upload, and nothing else bounds what one address puts on the disk. Each begun
    /// MiB counts.
    pub(crate) fn upload(&self, address: IpAddr, bytes: u64) -> Result<(), Limited> {
        if self.uploads.len() > KNOWN {
            self.uploads.retain_recent();
        }
        let mib = u32::try_from(bytes.div_ceil(1 << 20)).unwrap_or(u32::MAX);
        match self.uploads.check_key_n(&network(address), NonZeroU32::new(mib).unwrap_or(NonZeroU32::MIN)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(until)) => Err(Limited { wait: until.wait_time_from(self.clock.now()) }),
            // It is more than an address may upload in an hour, however long it waits.
            Err(_) => Err(Limited { wait: Duration::from_hours(1) }),
        }
    }

    /// A message of a node that changes something.
    pub(crate) fn sender(&self, node: &str) -> Result<(), Limited> {
        self.check(&self.senders, node.to_owned())
    }

    /// A vote or a review of a node.
    pub(crate) fn voter(&self, node: &str) -> Result<(), Limited> {
        self.check(&self.voters, node.to_owned())
    }

    fn check<K: Clone + Eq + std::hash::Hash>(&self, limiter: &Keyed<K>, key: K) -> Result<(), Limited> {
        if limiter.len() > KNOWN {
            limiter.retain_recent();
        }
        limiter.check_key(&key).map_err(|until| Limited { wait: until.wait_time_from(self.clock.now()) })
    }
}

/// What counts as one address.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        address @ IpAddr::V4(_) => address,
    }
}

fn quota(rate: Rate) -> Quota {
    let per_second = NonZeroU32::new(rate.per_second).unwrap_or(NonZeroU32::MIN);
    Quota::per_second(per_second).allow_burst(NonZeroU32::new(rate.burst).unwrap_or(NonZeroU32::MIN))
}

/// Too many requests: when the next one is allowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limited {
    pub(crate) wait: Duration,
}

impl Limited {
    pub(crate) fn problem() -> Problem {
        Problem::new(Code::RateLimited, "too many requests", "wait for `retry_after_ms` milliseconds")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_burst_is_allowed_then_a_rate_by_the_given_clock() {
        let now = Arc::new(AtomicI64::new(1_000_000));
        let reads = Arc::clone(&now);
        let clock =
            LimiterClock(Arc::new(move || Timestamp::from_millisecond(reads.load(Ordering::SeqCst)).expect("a time")));
        let limits = Limits { address_rate: Rate { per_second: 10, burst: 3 }, ..Limits::default() };
        let rates = Rates::new(&limits, clock);
        let ask = |text: &str| rates.address(text.parse().expect("an address"));
        for _ in 0..3 {
            assert!(ask("192.0.2.1").is_ok());
        }
        let wait = ask("192.0.2.1").expect_err("too many").wait;
        assert!(wait > Duration::ZERO && wait <= Duration::from_millis(100), "{wait:?}");
        // The same address in another spelling, and another address.
        assert!(ask("::ffff:192.0.2.1").is_err());
        assert!(ask("192.0.2.2").is_ok());
        for _ in 0..3 {
            assert!(ask("2001:db8::1").is_ok());
        }
        assert!(ask("2001:db8::2").is_err());
        now.fetch_add(100, Ordering::SeqCst);
        assert!(ask("192.0.2.1").is_ok());
        assert!(ask("192.0.2.1").is_err());
    }

    #[test]
    fn uploads_count_by_begun_mebibytes_and_more_than_an_hour_s_never_fits() {
        let clock = LimiterClock(Arc::new(|| Timestamp::from_second(1_000).expect("a time")));
        let rates = Rates::new(&Limits { upload_mib_an_hour: 3, ..Limits::default() }, clock);
        let upload = |bytes: u64| rates.upload("192.0.2.1".parse().expect("an address"), bytes);
        assert!(upload((3 << 20) + 1).is_err() && upload(u64::MAX).is_err());
        assert!(upload(0).is_ok() && upload((1 << 20) + 1).is_ok());
        let wait = upload(1).expect_err("the hour's share is used up").wait;
        assert!(wait > Duration::ZERO && wait <= Duration::from_mins(20), "{wait:?}");
        assert!(rates.upload("192.0.2.2".parse().expect("an address"), 1).is_ok());
    }
}

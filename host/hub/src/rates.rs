//! How often an address, a node or a voter may ask, and how much an address may upload.

use std::hash::Hash;
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

/// What each of many may do.
struct Share<K: Clone + Eq + Hash> {
    /// At once.
    most: NonZeroU32,
    limiter: RateLimiter<K, DashMapStateStore<K>, LimiterClock, NoOpMiddleware<Duration>>,
}

impl<K: Clone + Eq + Hash> Share<K> {
    fn new(quota: Quota, clock: LimiterClock) -> Self {
        let limiter = RateLimiter::new(quota, DashMapStateStore::default(), clock);
        Self { most: quota.burst_size(), limiter }
    }
}

/// All limiters.
pub(crate) struct Rates {
    clock: LimiterClock,
    addresses: Share<IpAddr>,
    /// In MiB.
    uploads: Share<IpAddr>,
    newcomers: Share<IpAddr>,
    senders: Share<String>,
    voters: Share<String>,
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
        let nodes = NonZeroU32::new(limits.new_nodes_an_hour).unwrap_or(NonZeroU32::MIN);
        Self {
            uploads: Share::new(Quota::per_hour(mib), clock.clone()),
            addresses: Share::new(quota(limits.address_rate), clock.clone()),
            newcomers: Share::new(Quota::per_hour(nodes), clock.clone()),
            senders: Share::new(quota(limits.sender_rate), clock.clone()),
            voters: Share::new(Quota::per_hour(hour), clock.clone()),
            clock,
        }
    }

    /// A request of an address. Of an IPv6 address the network of 64 bits counts, which one host has for itself.
    pub(crate) fn address(&self, address: IpAddr) -> Result<(), Limited> {
        self.check(&self.addresses, network(address), NonZeroU32::MIN)
    }

    /// An upload of so many bytes. Anybody may upload, and nothing else bounds what one address puts on the disk. Each begun
    /// MiB counts.
    pub(crate) fn upload(&self, address: IpAddr, bytes: u64) -> Result<(), Limited> {
        let mib = u32::try_from(bytes.div_ceil(1 << 20)).unwrap_or(u32::MAX);
        self.check(&self.uploads, network(address), NonZeroU32::new(mib).unwrap_or(NonZeroU32::MIN))
    }

    /// A hello of a node that the hub does not know.
    pub(crate) fn newcomer(&self, address: IpAddr) -> Result<(), Limited> {
        self.check(&self.newcomers, network(address), NonZeroU32::MIN)
    }

    /// A message of a node that changes something.
    pub(crate) fn sender(&self, node: &str) -> Result<(), Limited> {
        self.check(&self.senders, node.to_owned(), NonZeroU32::MIN)
    }

    /// A vote or a review of a node.
    pub(crate) fn voter(&self, node: &str) -> Result<(), Limited> {
        self.check(&self.voters, node.to_owned(), NonZeroU32::MIN)
    }

    /// Takes `count` of the share of `key`, or nothing.
    fn check<K: Clone + Eq + Hash>(&self, share: &Share<K>, key: K, count: NonZeroU32) -> Result<(), Limited> {
        if share.limiter.len() > KNOWN {
            share.limiter.retain_recent();
        }
        // The limiter computes with times, which overflow for counts far beyond the share.
        let taken = if count <= share.most { share.limiter.check_key_n(&key, count).ok() } else { None };
        match taken {
            Some(Ok(())) => Ok(()),
            Some(Err(until)) => Err(Limited { wait: until.wait_time_from(self.clock.now()) }),
            // It is more than the whole share, so no wait is long enough.
            None => Err(Limited { wait: Duration::from_hours(1) }),
        }
    }
}

/// What counts as one address.
pub(crate) fn network(address: IpAddr) -> IpAddr {
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

//! The reputation of a node on a hub, from 0 to 100 (GEP.md section 7).
//!
//! What must stay true: a node that nobody knows has 50, and no number of unpromoted publications raises that.

use schemars::JsonSchema;
use serde::Serialize;

/// The reputation of a node without a record.
pub const STARTING: f64 = 50.0;

/// Publications from which positive parts count in full (GEP.md section 7).
const FULL_RECORD: f64 = 30.0;
/// Publications up to which rejections and revocations count half (GEP.md section 7: "10 up to 5 published").
const SHORT_RECORD: u64 = 5;
/// Reuses from which validated confidence counts in full (GEP.md section 7).
const FULL_REUSE: f64 = 5.0;

/// What a hub counted about one node.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Record {
    /// Bundles that it published.
    pub published: u64,
    /// Bundles of it that are promoted.
    pub promoted: u64,
    /// Bundles of it that were rejected or quarantined.
    pub rejected: u64,
    /// Bundles that it revoked.
    pub revoked: u64,
    /// Mean confidence of those bundles that others validated, from 0 to 1; 0 if there are none. It is the publisher's
    /// figure, but counts only if others validated the bundle.
    pub validated_confidence: f64,
    /// Successful executions of its bundles that other nodes reported.
    pub reused: u64,
    /// Mean GDI of its promoted bundles, from 0 to 100; 0 if there are none.
    pub mean_gdi: f64,
    /// Points that an operator or the hub took off.
    pub penalties: f64,
}

/// A reputation with its parts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Reputation {
    /// From 0 to 100.
    pub value: f64,
    /// Points above the starting value.
    pub positive: f64,
    /// Points below it.
    pub negative: f64,
}

/// clamp(50 + positive − negative, 0, 100), where positive = (promote rate × 25 + validated confidence × 12 ×
/// min(reused / 5, 1) + mean GDI × 13) × min(published / 30, 1), and negative = reject rate × 20 (10 up to 5 publications) +
/// revoke rate × 25 (12.5) + penalties. The mean GDI counts from 0 to 1 here.
pub fn reputation(record: &Record) -> Reputation {
    let published = count(record.published);
    let rate = |number: u64| if record.published == 0 { 0.0 } else { unit(count(number) / published) };
    let validated = 12.0 * unit(record.validated_confidence) * unit(count(record.reused) / FULL_REUSE);
    let earned = 25.0 * rate(record.promoted) + validated + 13.0 * unit(record.mean_gdi / 100.0);
    let positive = earned * unit(published / FULL_RECORD);
    let (rejects, revokes) = if record.published <= SHORT_RECORD { (10.0, 12.5) } else { (20.0, 25.0) };
    let negative = rejects * rate(record.rejected) + revokes * rate(record.revoked) + record.penalties.max(0.0);
    Reputation { value: (STARTING + positive - negative).clamp(0.0, 100.0), positive, negative }
}

fn unit(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

#[expect(clippy::cast_precision_loss, reason = "counts above 2^53 do not occur, and would only be rounded")]
fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_published_examples() {
        let check = |record: Record, expect: f64| {
            let value = reputation(&record).value;
            assert!((value - expect).abs() < 1e-9, "{record:?}: {value}");
        };
        check(Record::default(), 50.0);
        let best = Record {
            published: 30,
            promoted: 30,
            validated_confidence: 1.0,
            reused: 5,
            mean_gdi: 100.0,
            ..Record::default()
        };
        check(best, 100.0);
        check(
            Record { published: 3, promoted: 3, validated_confidence: 1.0, reused: 5, mean_gdi: 100.0, ..best },
            55.0,
        );
        check(Record { published: 5, rejected: 5, ..Record::default() }, 40.0);
        check(Record { published: 6, rejected: 6, ..Record::default() }, 30.0);
        check(Record { published: 5, revoked: 5, ..Record::default() }, 37.5);
        check(Record { published: 6, revoked: 6, ..Record::default() }, 25.0);
        check(Record { penalties: 80.0, ..Record::default() }, 0.0);
    }

    proptest! {
        #[test]
        fn it_is_bounded_and_publishing_alone_earns_nothing(
            published in 0u64..1000, rejected in 0u64..1000, revoked in 0u64..1000, reused in 0u64..1000,
            confidence in 0.0..=1.0f64, gdi in 0.0..=100.0f64, penalties in 0.0..200.0f64,
        ) {
            let promoted = published / 2;
            let all = Record { published, promoted, rejected, revoked, validated_confidence: confidence, reused, mean_gdi: gdi, penalties };
            prop_assert!((0.0..=100.0).contains(&reputation(&all).value));
            let alone = Record { published, rejected, revoked, ..Record::default() };
            prop_assert!(reputation(&alone).value <= STARTING);
        }

        #[test]
        fn a_promotion_never_lowers_it_and_a_rejection_never_raises_it(published in 1u64..100, promoted in 0u64..100, rejected in 0u64..100) {
            let (promoted, rejected) = (promoted.min(published - 1), rejected.min(published - 1));
            let before = Record { published, promoted, rejected, mean_gdi: 50.0, ..Record::default() };
            let value = |record: Record| reputation(&record).value;
            let promoted_more = Record { promoted: promoted + 1, ..before };
            let rejected_more = Record { rejected: rejected + 1, ..before };
            prop_assert!(value(promoted_more) >= value(before));
            prop_assert!(value(rejected_more) <= value(before));
        }
    }
}

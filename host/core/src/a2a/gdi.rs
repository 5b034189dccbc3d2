//! The ranking of assets on a hub: the GDI, from 0 to 100.
//!
//! GEP.md section 7 publishes four dimensions and their weights: intrinsic 35 %, usage 30 %, social 20 %, freshness 15 %. It
//! names what counts in each dimension, but not how the parts add up. The weights and half-way points that are constants
//! of this file without a source in their comment are gephost's choice. [`Gdi::parts`] shows every part, so nobody has to
//! guess.
//!
//! What must stay true: the score lies from 0 to 100, more evidence for an asset never lowers it, and what the publisher says
//! about its own asset counts less the lower its reputation is.

use schemars::JsonSchema;
use serde::Serialize;

/// Reputation up to which a self-reported value counts least (GEP.md section 7).
const DOUBTED_REPUTATION: f64 = 30.0;
/// Reputation from which a self-reported value counts in full (GEP.md section 7).
const BELIEVED_REPUTATION: f64 = 70.0;
/// The least weight of a self-reported value (GEP.md section 7).
const LEAST_WEIGHT: f64 = 0.3;

/// Points of each dimension (GEP.md section 7).
const INTRINSIC: f64 = 35.0;
const USAGE: f64 = 30.0;
const SOCIAL: f64 = 20.0;
const FRESHNESS: f64 = 15.0;

/// Days after which freshness is half (GEP.md section 7).
const HALF_LIFE_DAYS: f64 = 62.0;
/// Share of the social dimension that a bundle without an evolution event loses: 6.7 % (seed 002, "Bundle Rules").
const COMPLETENESS: f64 = 1.0 / 15.0;
/// A streak above this counts no more, as in the reuse score (seed 001).
const FULL_STREAK: f64 = 5.0;
/// Files and lines at which blast safety has lost as much as it keeps: the limits of a broadcast (GEP.md section 5).
const WIDE_FILES: f64 = 5.0;
const WIDE_LINES: f64 = 200.0;
/// How many fetches, distinct fetchers and successful executions give half of their points.
const HALF_FETCHES: f64 = 100.0;
const HALF_FETCHERS: f64 = 10.0;
const HALF_SUCCESSES: f64 = 5.0;
/// Standard deviations between a lower bound and its estimate: 90 % of such bounds hold.
const Z: f64 = 1.281_551_565_5;
/// Length from which a trigger counts as specific.
const SPECIFIC_CHARS: usize = 12;
/// More triggers than this make an asset less specific.
const FEW_TRIGGERS: f64 = 5.0;
/// Distinct words of a summary from which it counts in full.
const FULL_WORDS: f64 = 12.0;
/// Signals that fit almost any failure.
const GENERIC: [&str; 8] = ["error", "exception", "failed", "failure", "crash", "timeout", "log_error", "unstable"];

/// Opinions for and against, each weighted by the reputation of who gave it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Sum of the weights for it.
    pub good: f64,
    /// Sum of the weights against it.
    pub bad: f64,
}

impl Tally {
    /// The expected share of good ones: Laplace's rule, 0.5 if there is none.
    pub fn mean(self) -> f64 {
        (self.good + 1.0) / (self.good + self.bad + 2.0)
    }

    /// Wilson's lower bound of the share of good ones, 0 if there is none. One more good one never lowers it, one more bad
    /// one never raises it.
    pub fn lower(self) -> f64 {
        let all = self.good + self.bad;
        if all <= 0.0 {
            return 0.0;
        }
        let share = self.good / all;
        let square = Z * Z;
        let spread = Z * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
        let bound = (share + square / (2.0 * all) - spread) / (1.0 + square / all);
        bound.clamp(0.0, self.mean())
    }
}

/// What a hub knows about one bundle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing {
    /// The capsule's own confidence, from 0 to 1. Self-reported.
    pub confidence: f64,
    /// The capsule's own success streak. Self-reported.
    pub streak: u64,
    /// Files that the change touches. Self-reported.
    pub files: u64,
    /// Lines that the change touches. Self-reported.
    pub lines: u64,
    /// How specific the triggers are, from 0 to 1 ([`specificity`]).
    pub specificity: f64,
    /// How much the summary says, from 0 to 1 ([`summary_quality`]).
    pub summary: f64,
    /// Reputation of the publisher, from 0 to 100.
    pub reputation: f64,
    /// Whether the bundle has an evolution event.
    pub has_event: bool,
    /// Fetches of the last 30 days.
    pub fetches: u64,
    /// Distinct nodes that fetched it in the last 30 days.
    pub fetchers: u64,
    /// Successful executions of the last 90 days that others reported, weighted by their reputation.
    pub successes: f64,
    /// Votes.
    pub votes: Tally,
    /// Validation reports of other nodes.
    pub validations: Tally,
    /// Reviews: the share of a review's stars counts as good, the rest as bad.
    pub reviews: Tally,
    /// Replays of the recorded run.
    pub replays: Tally,
    /// Days since it was published.
    pub age_days: f64,
}

/// One part of a score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Part {
    /// The dimension.
    pub dimension: &'static str,
    /// The part within the dimension.
    pub part: &'static str,
    /// The most points that it can give.
    pub of: f64,
    /// The points that count in the mean.
    pub mean: f64,
    /// The points that count in the lower bound.
    pub lower: f64,
}

/// A score with all its parts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Gdi {
    /// From 0 to 100. Shown.
    pub mean: f64,
    /// From 0 to 100. Ranks, and decides about promotion: what little evidence shows counts less.
    pub lower: f64,
    /// The intrinsic dimension alone, from 0 to 1.
    pub intrinsic: f64,
    /// Every part, in a fixed order. Their sums are `mean` and `lower`.
    pub parts: Vec<Part>,
}

/// How much a self-reported value counts: 0.3 up to a reputation of 30, 1 from 70, linear between (GEP.md section 7).
pub fn self_report_weight(reputation: f64) -> f64 {
    let share = (reputation - DOUBTED_REPUTATION) / (BELIEVED_REPUTATION - DOUBTED_REPUTATION);
    LEAST_WEIGHT + (1.0 - LEAST_WEIGHT) * unit(share)
}

/// Scores a bundle. Values outside of their range count as the nearest one within.
pub fn gdi(standing: &Standing) -> Gdi {
    let mut parts = intrinsic(standing);
    let intrinsic: f64 = parts.iter().map(|part| part.mean).sum::<f64>() / INTRINSIC;
    parts.extend(usage(standing));
    parts.extend(social(standing));
    parts.push(certain("freshness", "age", FRESHNESS, freshness(standing.age_days)));
    let mean: f64 = parts.iter().map(|part| part.mean).sum();
    let lower: f64 = parts.iter().map(|part| part.lower).sum();
    Gdi { mean: mean.clamp(0.0, 100.0), lower: lower.clamp(0.0, 100.0), intrinsic: unit(intrinsic), parts }
}

fn intrinsic(standing: &Standing) -> Vec<Part> {
    let claim = self_report_weight(standing.reputation);
    let part = |name, share, value: f64| certain("intrinsic", name, INTRINSIC * share, value);
    vec![
        part("confidence", 0.30, claim * unit(standing.confidence)),
        part("streak", 0.20, claim * unit(count(standing.streak) / FULL_STREAK)),
        part("blast_safety", 0.15, claim * blast_safety(standing.files, standing.lines)),
        part("trigger_specificity", 0.10, standing.specificity),
        part("summary_quality", 0.10, standing.summary),
        part("node_reputation", 0.15, standing.reputation / 100.0),
    ]
}

fn usage(standing: &Standing) -> [Part; 3] {
    let part = |name, share, value: f64| certain("usage", name, USAGE * share, value);
    [
        part("fetches", 0.3, diminishing(count(standing.fetches), HALF_FETCHES)),
        part("distinct_fetchers", 0.4, diminishing(count(standing.fetchers), HALF_FETCHERS)),
        part("successful_executions", 0.3, diminishing(standing.successes, HALF_SUCCESSES)),
    ]
}

fn social(standing: &Standing) -> [Part; 5] {
    let part = |name, share: f64, tally: Tally| Part {
        dimension: "social",
        part: name,
        of: SOCIAL * share,
        mean: SOCIAL * share * tally.mean(),
        lower: SOCIAL * share * tally.lower(),
    };
    [
        part("votes", 0.25, standing.votes),
        part("validations", 0.30, standing.validations),
        part("reviews", 0.20, standing.reviews),
        part("reproducibility", 0.25 - COMPLETENESS, standing.replays),
        certain("social", "completeness", SOCIAL * COMPLETENESS, f64::from(u8::from(standing.has_event))),
    ]
}

/// A part that is known and not estimated: the lower bound is the mean.
fn certain(dimension: &'static str, part: &'static str, of: f64, value: f64) -> Part {
    let points = of * unit(value);
    Part { dimension, part, of, mean: points, lower: points }
}

/// 1 for a change of nothing much, less the more files and lines it touches. 0 if it touches none: then it is no change.
fn blast_safety(files: u64, lines: u64) -> f64 {
    if files == 0 || lines == 0 {
        return 0.0;
    }
    1.0 / (1.0 + count(files) / WIDE_FILES + count(lines) / WIDE_LINES)
}

/// From 0 towards 1: half at `half`, and every further one adds less.
fn diminishing(count: f64, half: f64) -> f64 {
    let count = count.max(0.0);
    count / (count + half)
}

fn freshness(age_days: f64) -> f64 {
    (-age_days.max(0.0) / HALF_LIFE_DAYS).exp2()
}

/// How specific triggers are, from 0 to 1: long ones more than short ones, words that fit any failure hardly, and more than
/// five triggers less than few.
pub fn specificity<'t>(triggers: impl IntoIterator<Item = &'t str>) -> f64 {
    let mut sum = 0.0;
    let mut all = 0.0;
    for trigger in triggers {
        all += 1.0;
        let known = GENERIC.contains(&trigger.trim().to_lowercase().as_str());
        let chars = trigger.trim().chars().take(SPECIFIC_CHARS).count();
        sum += if known { 0.1 } else { count(chars as u64) / count(SPECIFIC_CHARS as u64) };
    }
    if all == 0.0 {
        return 0.0;
    }
    unit(sum / all / (1.0 + (all - FEW_TRIGGERS).max(0.0) / FEW_TRIGGERS))
}

/// How much a summary says, from 0 to 1: twelve distinct words are enough. A word that is repeated counts once.
pub fn summary_quality(summary: &str) -> f64 {
    let words: std::collections::BTreeSet<String> = summary
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    // A script without spaces has few words and many letters.
    let letters = summary.chars().filter(|letter| letter.is_alphanumeric()).collect::<std::collections::BTreeSet<_>>();
    unit((count(words.len() as u64) / FULL_WORDS).max(count(letters.len() as u64) / (FULL_WORDS * 2.0)))
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

    fn tally() -> impl Strategy<Value = Tally> {
        (0.0..50.0f64, 0.0..50.0f64).prop_map(|(good, bad)| Tally { good, bad })
    }

    prop_compose! {
        fn standing()(
            (confidence, streak, files, lines) in (0.0..=1.0f64, 0u64..20, 0u64..30, 0u64..2000),
            (specificity, summary, reputation, has_event) in (0.0..=1.0f64, 0.0..=1.0f64, 0.0..=100.0f64, any::<bool>()),
            (fetches, fetchers, successes) in (0u64..10_000, 0u64..500, 0.0..100.0f64),
            (votes, validations, reviews, replays) in (tally(), tally(), tally(), tally()),
            age_days in 0.0..1000.0f64,
        ) -> Standing {
            Standing {
                confidence, streak, files, lines, specificity, summary, reputation, has_event, fetches, fetchers, successes,
                votes, validations, reviews, replays, age_days,
            }
        }
    }

    proptest! {
        #[test]
        fn a_score_is_bounded_and_its_parts_add_up(standing in standing()) {
            let score = gdi(&standing);
            prop_assert!((0.0..=100.0).contains(&score.mean) && (0.0..=100.0).contains(&score.lower));
            prop_assert!(score.lower <= score.mean + 1e-9);
            prop_assert!((0.0..=1.0).contains(&score.intrinsic));
            let of: f64 = score.parts.iter().map(|part| part.of).sum();
            prop_assert!((of - 100.0).abs() < 1e-9);
            prop_assert!((score.parts.iter().map(|part| part.mean).sum::<f64>() - score.mean).abs() < 1e-9);
            prop_assert!((score.parts.iter().map(|part| part.lower).sum::<f64>() - score.lower).abs() < 1e-9);
        }

        #[test]
        fn more_evidence_never_lowers_a_score(before in standing(), which in 0usize..11, more in 0.1..20.0f64) {
            let mut after = before.clone();
            match which {
                0 => after.confidence = (before.confidence + more / 20.0).min(1.0),
                1 => after.streak += 1,
                2 => after.reputation = (before.reputation + more).min(100.0),
                3 => after.fetches += 1,
                4 => after.fetchers += 1,
                5 => after.successes += more,
                6 => after.votes.good += more,
                7 => after.validations.good += more,
                8 => after.reviews.good += more,
                9 => after.replays.good += more,
                _ => after.has_event = true,
            }
            let (before, after) = (gdi(&before), gdi(&after));
            prop_assert!(after.mean >= before.mean - 1e-9 && after.lower >= before.lower - 1e-9);
        }

        #[test]
        fn age_width_and_doubts_never_raise_a_score(before in standing(), which in 0usize..6, more in 0.1..20.0f64) {
            let mut after = before.clone();
            match which {
                0 => after.age_days += more,
                1 => after.files = before.files.max(1) + 1,
                2 => after.lines = before.lines.max(1) + 1,
                3 => after.votes.bad += more,
                4 => after.validations.bad += more,
                _ => after.replays.bad += more,
            }
            prop_assume!(before.files > 0 && before.lines > 0);
            let (before, after) = (gdi(&before), gdi(&after));
            prop_assert!(after.mean <= before.mean + 1e-9 && after.lower <= before.lower + 1e-9);
        }

        #[test]
        fn a_claim_of_a_doubted_node_moves_a_third_of_that_of_a_believed_one(before in standing(), high in 0.5..=1.0f64) {
            let gain = |reputation: f64| {
                let low = Standing { reputation, confidence: 0.0, ..before.clone() };
                let claimed = Standing { confidence: high, ..low.clone() };
                gdi(&claimed).lower - gdi(&low).lower
            };
            prop_assert!((gain(30.0) - 0.3 * gain(70.0)).abs() < 1e-9);
            prop_assert!((gain(0.0) - gain(30.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn self_reports_count_as_published() {
        for (reputation, weight) in [(0.0, 0.3), (30.0, 0.3), (50.0, 0.65), (70.0, 1.0), (100.0, 1.0)] {
            assert!((self_report_weight(reputation) - weight).abs() < 1e-12, "{reputation}");
        }
    }

    #[test]
    fn an_event_is_worth_a_fifteenth_of_the_social_dimension() {
        let without = Standing { reputation: 50.0, ..Standing::default() };
        let with = Standing { has_event: true, ..without.clone() };
        let gain = gdi(&with).lower - gdi(&without).lower;
        assert!((gain - 20.0 * 0.067).abs() < 0.01, "{gain}");
    }

    #[test]
    fn freshness_halves_in_62_days() {
        let points = |age_days| gdi(&Standing { age_days, ..Standing::default() }).lower;
        assert!((points(0.0) - 15.0).abs() < 1e-9 && (points(62.0) - 7.5).abs() < 1e-9);
    }

    #[test]
    fn specific_triggers_and_plain_summaries_count_more() {
        assert!(specificity(["TimeoutError"]) > specificity(["error"]));
        assert!(specificity(["TimeoutError"]) > specificity(["err"]));
        assert!(specificity(["TimeoutError"; 5]) > specificity(["TimeoutError"; 50]));
        assert!(specificity([]).abs() < 1e-12);
        assert!(
            summary_quality("Retry with exponential backoff on timeout errors")
                > summary_quality("fix fix fix fix fix fix")
        );
        assert!(summary_quality("固化：命中重试与指数退避以处理超时错误并重新建立连接") > 0.8);
    }
}

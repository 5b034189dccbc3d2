//! Decides what becomes of a published asset: candidate, promoted or quarantined (GEP.md section 7).
//!
//! What must stay true: nothing that a publisher says about itself promotes its asset, however high the numbers are. There
//! must be evidence from elsewhere ([`Rule`] `evidence`): a replay by the hub, a decision, or validations of other nodes. That
//! rule is gephost's own: the published rules alone let a new node promote itself.

use schemars::JsonSchema;
use serde::Serialize;

use super::gdi::{Gdi, Standing, Tally, self_report_weight};

/// Least lower bound of the GDI (GEP.md section 7).
const LEAST_GDI: f64 = 25.0;
/// Least intrinsic dimension (GEP.md section 7).
const LEAST_INTRINSIC: f64 = 0.4;
/// Least confidence (GEP.md section 7).
const LEAST_CONFIDENCE: f64 = 0.5;
/// Least streak (GEP.md section 7).
const LEAST_STREAK: u64 = 1;
/// Least reputation of the publisher (GEP.md section 7).
const LEAST_REPUTATION: f64 = 30.0;
/// Least evidence from elsewhere: one validation of a node with a reputation of 50 gives 0.65.
const LEAST_EVIDENCE: f64 = 0.6;
/// The most that all newcomers together add to the evidence of an asset. It is below [`LEAST_EVIDENCE`], because anybody
/// can register as many nodes as they like.
const NEWCOMERS: f64 = 0.5;

/// Least reputation of a node whose decision counts (seed 002 asks the same of an aggregator).
pub const DECIDES_FROM: f64 = 60.0;

/// How a hub treats nodes that have no promoted asset yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Newcomers {
    /// Anybody may register: validations of all newcomers together never promote or withdraw an asset.
    #[default]
    Doubted,
    /// Whoever reaches the hub belongs to the team: a newcomer counts like any node of its reputation.
    Believed,
}

/// What another node says about an asset: a validation, or a decision of a node that may decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Witness {
    /// Whether the asset held.
    pub holds: bool,
    /// The reputation of the node.
    pub reputation: f64,
    /// Whether the node proved who it is. What others say counts nothing.
    pub authenticated: bool,
    /// Whether it has neither a promoted asset nor the operator's word.
    pub newcomer: bool,
}

/// Evidence about an asset from others than its publisher.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// Weighted validations.
    pub validations: Tally,
    /// Replays by the hub and decisions, one point each.
    pub confirmed: Tally,
    /// Whether the publisher proved who it is when it published.
    pub authenticated: bool,
}

impl Evidence {
    fn good(&self) -> f64 {
        self.validations.good + self.confirmed.good
    }

    fn bad(&self) -> f64 {
        self.validations.bad + self.confirmed.bad
    }

    /// Whether those who say that it fails outweigh the others, and are enough to be believed.
    pub fn failed_majority(&self) -> bool {
        self.bad() >= LEAST_EVIDENCE && self.bad() > self.good()
    }
}

/// What a node thinks of an asset: a vote, or the stars of a review.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opinion {
    /// How much of it is for the asset, from 0 to 1. The rest is against it.
    pub share: f64,
    /// The reputation of the node.
    pub reputation: f64,
    /// Whether it has neither a promoted asset nor the operator's word.
    pub newcomer: bool,
}

/// Weighs what the validators of one asset said. Call it with at most one witness for each node, without the publisher.
pub fn weigh(witnesses: &[Witness], newcomers: Newcomers) -> Tally {
    let heard = witnesses.iter().filter(|witness| witness.authenticated);
    let opinions: Vec<_> = heard
        .map(|witness| Opinion {
            share: if witness.holds { 1.0 } else { 0.0 },
            reputation: witness.reputation,
            newcomer: witness.newcomer,
        })
        .collect();
    weigh_opinions(&opinions, newcomers)
}

/// Weighs opinions of one kind about one asset, at most one for each node. On a hub that doubts newcomers, all of them
/// together count no more for an asset, and no more against it, than a part of one known node: anybody can register as many
/// nodes as they like.
pub fn weigh_opinions(opinions: &[Opinion], newcomers: Newcomers) -> Tally {
    let sum = |newcomer: bool| -> Tally {
        let mut tally = Tally::default();
        for opinion in opinions.iter().filter(|opinion| opinion.newcomer == newcomer) {
            let weight = self_report_weight(opinion.reputation);
            let share = opinion.share.clamp(0.0, 1.0);
            tally.good += weight * share;
            tally.bad += weight * (1.0 - share);
        }
        tally
    };
    let most = match newcomers {
        Newcomers::Believed => f64::INFINITY,
        Newcomers::Doubted => NEWCOMERS,
    };
    let (known, new) = (sum(false), sum(true));
    Tally { good: known.good + new.good.min(most), bad: known.bad + new.bad.min(most) }
}

/// One rule of promotion and what it says of an asset.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rule {
    /// A stable word.
    pub rule: &'static str,
    /// Whether the asset meets it.
    pub met: bool,
    /// What the value is, and what it must be.
    pub message: String,
}

/// What becomes of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// Nothing: it stays as it is.
    Stay,
    /// It is offered to every node.
    Promote,
    /// It is held back until a decision.
    Quarantine,
}

/// Every rule of promotion, in a fixed order.
pub fn rules(standing: &Standing, gdi: &Gdi, evidence: &Evidence) -> Vec<Rule> {
    let least = |rule, name: &str, value: f64, least: f64| Rule {
        rule,
        met: value >= least,
        message: format!("{name} is {}: at least {least} is needed", rounded(value)),
    };
    let streak = Rule {
        rule: "streak",
        met: standing.streak >= LEAST_STREAK,
        message: format!("the success streak is {}: at least {LEAST_STREAK} is needed", standing.streak),
    };
    let failed = evidence.failed_majority();
    let majority = Rule {
        rule: "no_failed_majority",
        met: !failed,
        message: if failed { "most validations failed" } else { "no majority of validations failed" }.to_owned(),
    };
    let authenticated = Rule {
        rule: "publisher_authenticated",
        met: evidence.authenticated || evidence.confirmed.good >= 1.0,
        message: if evidence.authenticated {
            "the publisher proved who it is"
        } else {
            "the publisher did not prove who it is: a replay or a decision must confirm the asset"
        }
        .to_owned(),
    };
    vec![
        least("gdi_lower", "the lower bound of the GDI", gdi.lower, LEAST_GDI),
        least("intrinsic", "the intrinsic part of the GDI", gdi.intrinsic, LEAST_INTRINSIC),
        least("confidence", "the confidence", standing.confidence, LEAST_CONFIDENCE),
        streak,
        least("node_reputation", "the publisher's reputation", standing.reputation, LEAST_REPUTATION),
        majority,
        authenticated,
        least("evidence", "the evidence from other nodes and replays", evidence.good(), LEAST_EVIDENCE),
    ]
}

/// What becomes of an asset that is a candidate or promoted.
pub fn course(rules: &[Rule], evidence: &Evidence, promoted: bool) -> Course {
    if evidence.failed_majority() {
        return Course::Quarantine;
    }
    if !promoted && rules.iter().all(|rule| rule.met) { Course::Promote } else { Course::Stay }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).floor() / 100.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::gdi::gdi;
    use super::*;

    fn good() -> Standing {
        Standing {
            confidence: 0.85,
            streak: 3,
            files: 1,
            lines: 10,
            specificity: 1.0,
            summary: 0.7,
            reputation: 50.0,
            has_event: true,
            ..Standing::default()
        }
    }

    fn fate(standing: &Standing, evidence: &Evidence) -> Course {
        course(&rules(standing, &gdi(standing), evidence), evidence, false)
    }

    fn witness(holds: bool) -> Witness {
        Witness { holds, reputation: 50.0, authenticated: true, newcomer: false }
    }

    fn heard(witnesses: &[Witness], newcomers: Newcomers) -> Evidence {
        Evidence { validations: weigh(witnesses, newcomers), authenticated: true, ..Evidence::default() }
    }

    #[test]
    fn one_known_node_that_validated_it_promotes_a_good_asset() {
        assert_eq!(fate(&good(), &heard(&[witness(true)], Newcomers::Doubted)), Course::Promote);
        assert_eq!(fate(&good(), &heard(&[], Newcomers::Doubted)), Course::Stay);
        assert_eq!(fate(&good(), &heard(&[witness(false)], Newcomers::Doubted)), Course::Quarantine);
    }

    #[test]
    fn each_rule_can_hold_it_back() {
        let evidence = heard(&[witness(true)], Newcomers::Doubted);
        let check = |standing: Standing, evidence: Evidence, rule: &str| {
            let rules = rules(&standing, &gdi(&standing), &evidence);
            let unmet: Vec<_> = rules.iter().filter(|rule| !rule.met).map(|rule| rule.rule).collect();
            assert!(unmet.contains(&rule), "{rule}: {unmet:?}");
            assert_ne!(course(&rules, &evidence, false), Course::Promote);
        };
        check(Standing { age_days: 1000.0, ..good() }, evidence, "gdi_lower");
        check(Standing { reputation: 30.0, ..good() }, evidence, "intrinsic");
        check(Standing { confidence: 0.4, ..good() }, evidence, "confidence");
        check(Standing { streak: 0, ..good() }, evidence, "streak");
        check(Standing { reputation: 29.0, ..good() }, evidence, "node_reputation");
        check(good(), heard(&[witness(false)], Newcomers::Doubted), "no_failed_majority");
        check(good(), Evidence { authenticated: false, ..evidence }, "publisher_authenticated");
        check(good(), Evidence { authenticated: true, ..Evidence::default() }, "evidence");
    }

    #[test]
    fn a_replay_confirms_what_an_unknown_node_published() {
        let confirmed = Tally { good: 1.0, bad: 0.0 };
        assert_eq!(fate(&good(), &Evidence { confirmed, ..Evidence::default() }), Course::Promote);
    }

    #[test]
    fn newcomers_count_where_the_operator_believes_them() {
        let newcomer = Witness { newcomer: true, ..witness(true) };
        assert_eq!(fate(&good(), &heard(&[newcomer], Newcomers::Believed)), Course::Promote);
        assert_eq!(fate(&good(), &heard(&[newcomer], Newcomers::Doubted)), Course::Stay);
    }

    proptest! {
        #[test]
        fn no_claim_of_a_publisher_promotes_alone(
            confidence in 0.0..=1.0f64, streak: u64, files: u64, lines: u64, reputation in 0.0..=100.0f64,
            fetches: u64, fetchers: u64,
        ) {
            let standing = Standing { confidence, streak, files, lines, reputation, fetches, fetchers, ..good() };
            let evidence = Evidence { authenticated: true, ..Evidence::default() };
            prop_assert_eq!(fate(&standing, &evidence), Course::Stay);
        }

        #[test]
        fn newcomers_neither_promote_nor_withdraw_an_asset(count in 0usize..1000, holds: bool, reputation in 0.0..=100.0f64) {
            let newcomer = Witness { holds, reputation, authenticated: true, newcomer: true };
            let evidence = heard(&vec![newcomer; count], Newcomers::Doubted);
            prop_assert_eq!(fate(&good(), &evidence), Course::Stay);
        }

        #[test]
        fn opinions_of_newcomers_count_no_more_than_a_part_of_one_node(
            count in 0usize..1000, share in 0.0..=1.0f64, reputation in 0.0..=100.0f64,
        ) {
            let opinion = Opinion { share, reputation, newcomer: true };
            let tally = weigh_opinions(&vec![opinion; count], Newcomers::Doubted);
            prop_assert!(tally.good <= NEWCOMERS && tally.bad <= NEWCOMERS, "{tally:?}");
            let known = Opinion { newcomer: false, ..opinion };
            let tally = weigh_opinions(&vec![known; count], Newcomers::Doubted);
            let believed = weigh_opinions(&vec![opinion; count], Newcomers::Believed);
            prop_assert_eq!(tally, believed);
        }

        #[test]
        fn what_nobody_signs_counts_nothing(count in 0usize..100, holds: bool, newcomer: bool) {
            let witness = Witness { holds, reputation: 100.0, authenticated: false, newcomer };
            prop_assert_eq!(weigh(&vec![witness; count], Newcomers::Believed), Tally::default());
        }
    }
}

//! Selects the gene for the signals of an observation, with its reasons (seed 000, "Selector Logic").
//!
//! Selection is deterministic: equal inputs give equal results, and equal scores are ordered by id. A gene's score is
//! (number of its patterns that match + weight of its best capsule) × (0.5 + probability from memory). A capsule weighs
//! (share of its trigger that matches) × confidence × streak. Memory is a probability of success. The score is multiplied by
//! what the operator's [`Strategy`] gives the gene's category. Genes that search come last, whatever their score.
//!
//! [`select`] looks at every gene. [`index`] does the same for a million genes without that.

mod earlier;
mod experience;
pub mod index;
mod memory;
mod ranked;
mod refused;
mod reuse;
mod strategy;
mod worth;
mod wrong;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use jiff::Timestamp;

use crate::capsule::Capsule;
use crate::evaluate::streak_weight;
use crate::gene::Manifest;
use index::{Found, MAX_EXPRESSIONS};

pub use earlier::{Earlier, MAX_STREAKS};
pub use experience::{Experience, MAX_ENTRIES, MAX_SIGNAL_BYTES};
pub use memory::{BAN_BELOW, BAN_FROM_TRIES, MIN_SIMILARITY, Memory, Remembered, Tried, remembered};
pub use ranked::{Banned, Ranked};
pub use refused::{Refused, refused};
pub use reuse::{
    DIRECT_FROM, MAX_PATCH_BYTES, REFERENCE_FROM, Reuse, Role, UNKNOWN_REPUTATION, Vouched, answered_by, reuse_score,
    reuses, vouched,
};
pub use strategy::Strategy;
pub use worth::expected_worth;
pub use wrong::{How, NotAsked, WRONG_AT_MOST, Wrong, WrongRow, not_asked, taken_back, wrongs};

/// The reason for a selected gene, in the words of seed 000. [`Ranked::patterns`] has the patterns that match.
pub const SIGNALS_MATCH: &str = "signals match gene.signals_match";

/// A capsule, and its recomputed streak.
#[derive(Debug, Clone, Copy)]
pub struct Proven<'a> {
    /// The capsule. A failed one has no weight.
    pub capsule: &'a Capsule,
    /// Its successes in a row, recomputed ([`crate::evaluate::success_streak`]).
    pub streak: u64,
}

/// The result. `selected`, `reason` and `alternatives` have the shape of seed 000.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Selection {
    /// Id of the gene; `None` if none fits.
    pub selected: Option<String>,
    /// Why it was selected, or why none was.
    pub reason: Vec<String>,
    /// Ids of the other genes that match, best first.
    pub alternatives: Vec<String>,
    /// Genes that match and are banned, by id.
    pub banned: Vec<Banned>,
    /// Findings that a gene is not asked about, because its repairs of them were false.
    pub not_asked: Vec<NotAsked>,
    /// Every gene that matches and is not banned, best first; the first is the selected one.
    pub ranked: Vec<Ranked>,
    /// Capsules whose trigger is similar to the signals, and what they serve for, best first: at most 100 that serve for nothing.
    pub reuse: Vec<Reuse>,
}

impl Selection {
    /// The selection from ranked and banned genes.
    fn of(signals: &[String], ranked: Vec<Ranked>, banned: Vec<Banned>, has_genes: bool, strategy: Strategy) -> Self {
        // Genes received from elsewhere come last, so if the first is one of them, all are.
        let best = ranked.first().filter(|best| !best.is_received);
        let mut reason = match (best, ranked.is_empty()) {
            (Some(best), _) => praise(best, signals),
            (None, true) => refusal(signals, has_genes, !banned.is_empty()),
            (None, false) => {
                let why = "nothing selected: every gene that matches the signals was received from elsewhere";
                vec![why.to_owned(), signals_line(signals)]
            }
        };
        reason.extend(strategy.line());
        reason.extend(received_line(&ranked));
        reason.extend(banned.iter().map(ban_line));
        Self {
            selected: best.map(|best| best.gene.clone()),
            reason,
            alternatives: ranked.iter().skip(usize::from(best.is_some())).map(|other| other.gene.clone()).collect(),
            banned,
            not_asked: Vec::new(),
            ranked,
            reuse: Vec::new(),
        }
    }

    /// The selection from what an index has for the signals. `has_genes` says whether the index has any gene.
    pub fn of_index(signals: &[String], found: Found, has_genes: bool, strategy: Strategy) -> Self {
        let ranked = found.genes.into_iter().map(|found| found.ranked).collect();
        let mut selection = Self::of(signals, ranked, found.banned, has_genes, strategy);
        if found.unasked > 0 {
            selection.reason.push(format!(
                "{} regular expressions of genes in the assets folder were not tried: the limit is {MAX_EXPRESSIONS}",
                found.unasked
            ));
        }
        selection
    }

    /// Adds genes that are asked only if none of these has an answer.
    #[must_use]
    pub fn then(mut self, later: Self) -> Self {
        if self.selected.is_none() && (later.selected.is_some() || self.ranked.is_empty() && !later.ranked.is_empty()) {
            self.selected = later.selected;
            self.reason = later.reason;
            self.alternatives = later.alternatives;
        } else {
            self.reason.extend(received_line(&later.ranked));
            self.reason.extend(later.banned.iter().map(ban_line));
            self.alternatives.extend(later.ranked.iter().map(|ranked| ranked.gene.clone()));
        }
        self.banned.extend(later.banned);
        self.ranked.extend(later.ranked);
        self
    }
}

/// Ranks the genes that could run for the signals of an observation. Of two genes with one id the first counts.
///
/// `tried` holds past tries; the older a try is at `now`, the less it weighs. `matches` is `signal::pattern_matches`:
/// whether a pattern of `signals_match` or `trigger` matches a signal.
pub fn select(
    signals: &[String],
    genes: &[Manifest],
    capsules: &[Proven<'_>],
    tried: &[Tried],
    now: Timestamp,
    strategy: Strategy,
    matches: impl Fn(&str, &str) -> bool,
) -> Selection {
    let recall = memory::Recall::new(signals, tried, now);
    let matching = Matching { signals, matches };
    let capsules = weigh_capsules(capsules, &matching);
    let mut by_id: BTreeMap<&str, &Manifest> = BTreeMap::new();
    for manifest in genes {
        by_id.entry(manifest.id()).or_insert(manifest);
    }
    let candidates = by_id.into_values().filter_map(|gene| rank(gene, &matching, &capsules, &recall, strategy));
    let (banned, mut ranked): (Vec<_>, Vec<_>) = candidates.partition(|ranked| ranked.memory.is_banned());
    let banned: Vec<_> = banned.into_iter().map(|ranked| Banned { gene: ranked.gene, memory: ranked.memory }).collect();
    // The candidates come by id and the sort is stable, so ties stay so. A gene that searches runs the failing command many
    // times, so it comes after all that read only.
    ranked.sort_by(|a, b| a.searches.cmp(&b.searches).then(b.score.total_cmp(&a.score)));
    Selection::of(signals, ranked, banned, !genes.is_empty(), strategy)
}

impl Selection {
    /// The same, with the findings that genes are not asked about. [`select`] was given only the genes that are asked about
    /// at least one.
    #[must_use]
    pub fn without(self, not_asked: Vec<NotAsked>) -> Self {
        Self { not_asked, ..self }
    }

    /// The same, with the capsules that may serve again.
    #[must_use]
    pub fn with_reuse(self, reuse: Vec<Reuse>) -> Self {
        Self { reuse, ..self }
    }

    /// Whether a gene is asked about a finding.
    pub fn asks(&self, gene: &str, finding: &str) -> bool {
        !self.not_asked.iter().any(|no| no.gene == gene && no.finding == finding)
    }
}

/// The signals, and the test for a match.
struct Matching<'a, F> {
    signals: &'a [String],
    matches: F,
}

impl<F: Fn(&str, &str) -> bool> Matching<'_, F> {
    /// The patterns that match one of the signals. A repeated pattern counts once.
    fn hits(&self, patterns: &[String]) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let is_hit = |pattern: &&String| self.signals.iter().any(|signal| (self.matches)(pattern, signal));
        patterns.iter().filter(|pattern| seen.insert(*pattern)).filter(is_hit).cloned().collect()
    }
}

/// A capsule's weight for the signals.
struct Weighed<'a> {
    capsule: &'a Capsule,
    weight: f64,
}

/// The best capsule of each gene.
fn weigh_capsules<'a, F: Fn(&str, &str) -> bool>(
    capsules: &[Proven<'a>],
    matching: &Matching<'_, F>,
) -> BTreeMap<&'a str, Weighed<'a>> {
    let mut best: BTreeMap<&str, Weighed<'_>> = BTreeMap::new();
    for Proven { capsule, streak } in capsules.iter().filter(|proven| proven.capsule.outcome.is_success()) {
        let Some(gene) = capsule.gene.as_deref() else { continue };
        let overlap = share(&matching.hits(&capsule.trigger), &capsule.trigger);
        let weight = overlap * capsule.confidence * streak_weight(*streak);
        let is_better = best.get(gene).is_none_or(|other| {
            weight.total_cmp(&other.weight).then_with(|| other.capsule.id.cmp(&capsule.id)).is_gt()
        });
        if weight > 0.0 && is_better {
            best.insert(gene, Weighed { capsule, weight });
        }
    }
    best
}

fn rank<F: Fn(&str, &str) -> bool>(
    manifest: &Manifest,
    matching: &Matching<'_, F>,
    capsules: &BTreeMap<&str, Weighed<'_>>,
    recall: &memory::Recall<'_>,
    strategy: Strategy,
) -> Option<Ranked> {
    let gene = &manifest.gene;
    let strategy_weight = strategy.weight(&gene.category)?;
    let patterns = matching.hits(&gene.signals_match);
    if patterns.is_empty() {
        return None;
    }
    let weighed = capsules.get(gene.id.as_str());
    let memory = recall.of(&gene.id);
    #[expect(clippy::cast_precision_loss, reason = "a document of 1 MiB has far fewer than 2^53 patterns")]
    let hits = patterns.len() as f64;
    let score = (hits + weighed.map_or(0.0, |weighed| weighed.weight)) * (0.5 + memory.probability) * strategy_weight;
    Some(Ranked {
        gene: gene.id.clone(),
        score,
        match_quality: share(&patterns, &gene.signals_match),
        patterns,
        capsule: weighed.map(|weighed| weighed.capsule.id.clone()),
        capsule_weight: weighed.map_or(0.0, |weighed| weighed.weight),
        searches: manifest.searches(),
        memory,
        category: gene.category.to_string(),
        strategy_weight,
        is_received: false,
    })
}

/// The share of patterns that match, from 0 to 1.
fn share(hits: &[String], patterns: &[String]) -> f64 {
    let distinct: BTreeSet<_> = patterns.iter().collect();
    if distinct.is_empty() {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a document of 1 MiB has far fewer than 2^53 patterns")]
    let share = hits.len() as f64 / distinct.len() as f64;
    share
}

fn praise(best: &Ranked, signals: &[String]) -> Vec<String> {
    let mut reasons = vec![SIGNALS_MATCH.to_owned(), signals_line(signals)];
    if let Some(capsule) = &best.capsule {
        reasons.push(format!("capsule: {capsule}"));
    }
    if best.memory.tries > 0 {
        let (gene, prior) = (&best.gene, best.memory.probability);
        let word = if prior >= 0.5 { "memory_prefer" } else { "memory_doubt" };
        reasons.push(format!("memory_graph: {word}:{gene} | gene_prior:{prior:.3}"));
    }
    reasons
}

fn refusal(signals: &[String], has_genes: bool, has_banned: bool) -> Vec<String> {
    let why = match (signals.is_empty(), has_genes, has_banned) {
        (true, ..) => return vec!["nothing selected: the observation raised no signals".to_owned()],
        (_, false, _) => "nothing selected: no gene could run",
        (.., false) => "nothing selected: no pattern in signals_match of any gene hits the signals",
        (.., true) => "nothing selected: every gene that matches the signals is banned",
    };
    vec![why.to_owned(), signals_line(signals)]
}

fn signals_line(signals: &[String]) -> String {
    format!("signals: {}", signals.join(", "))
}

fn received_line(ranked: &[Ranked]) -> Option<String> {
    let received: Vec<&str> =
        ranked.iter().filter(|ranked| ranked.is_received).map(|ranked| ranked.gene.as_str()).collect();
    let first = received.first()?;
    Some(format!("received from elsewhere, asked only by name (`--gene {first}`): {}", received.join(", ")))
}

fn ban_line(banned: &Banned) -> String {
    let Memory { tries, probability } = banned.memory;
    format!("banned: {} ({tries} tries, probability {probability:.3} is under {BAN_BELOW})", banned.gene)
}

#[cfg(test)]
mod tests;

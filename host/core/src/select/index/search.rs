//! Selects from an index.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::bytes::{Section, number};
use super::matched::{Compiled, Matched};
use super::top::{Scored, Top};
use super::{Index, Place, text};
use crate::evaluate::streak_weight;
use crate::gene::Category;
use crate::select::memory::Recall;
use crate::select::ranked::{Banned, Ranked};
use crate::select::{Strategy, Tried};

/// What is asked of an index.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The signals of the observation.
    pub signals: &'a [String],
    /// Past tries.
    pub tried: &'a [Tried],
    /// Successes in a row of each capsule that has more than one.
    pub streaks: &'a BTreeMap<String, u64>,
    /// Genes that do not take part.
    pub without: &'a BTreeSet<String>,
    /// How categories count.
    pub strategy: Strategy,
    /// The time, at which past tries weigh what they weigh.
    pub now: Timestamp,
    /// Most genes that are ranked.
    pub limit: usize,
}

/// A ranked gene of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundGene {
    /// How it came to its rank.
    pub ranked: Ranked,
    /// Where its document is.
    pub place: Place,
}

/// What an index has for the signals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The best genes, best first. Genes received from elsewhere come after all others.
    pub genes: Vec<FoundGene>,
    /// Genes that match and are banned, by id.
    pub banned: Vec<Banned>,
    /// How many regular expressions were not asked, because there are more than [`super::MAX_EXPRESSIONS`].
    pub unasked: usize,
}

/// Selects from an index. It keeps what one selection can use of another: compiled expressions, and memory.
#[derive(Debug)]
pub struct Searcher<'i> {
    index: &'i Index,
    compiled: Compiled,
    /// How many rare patterns of each gene match. All are 0 between two selections.
    counts: Vec<u32>,
    /// The greatest of them.
    most: u32,
    /// The genes that have one, with their classes.
    touched: Vec<[u32; 2]>,
    /// How many common patterns of each class match. All are 0 between two selections.
    class_hits: Vec<u32>,
    /// The classes of which at least one common pattern matches, at least two, and so on.
    levels: Vec<Vec<u32>>,
}

/// How a class of genes is scored.
#[derive(Debug, Clone, Copy)]
struct Kind {
    is_received: bool,
    /// The weight of its category; `None` if the strategy leaves it out.
    weight: Option<f64>,
}

/// One selection that is under way.
struct Selecting<'a> {
    index: &'a Index,
    matched: Matched,
    weights: [Option<f64>; 4],
    common_triggers: u32,
    /// Genes that are scored apart, or not at all, sorted.
    apart: Vec<u32>,
    top: Top,
}

impl<'i> Searcher<'i> {
    /// A searcher that has not selected yet.
    pub fn new(index: &'i Index) -> Self {
        Self {
            index,
            compiled: Compiled::default(),
            counts: vec![0; index.genes()],
            most: 0,
            touched: Vec::new(),
            class_hits: vec![0; index.sections.numbers(Section::Classes).len()],
            levels: Vec::new(),
        }
    }

    /// The best genes for the signals.
    pub fn select(&mut self, query: &Query<'_>) -> Found {
        let index = self.index;
        let matched = Matched::of(index, query.signals, &mut self.compiled);
        let recall = Recall::new(query.signals, query.tried, query.now);
        let mut selecting = Selecting::new(index, matched, query);
        let (known, banned) = selecting.apart(query, &recall);
        self.count(&selecting);
        selecting.by_patterns(self);
        selecting.by_capsules(self);
        for [gene, _] in self.touched.drain(..) {
            if let Some(count) = self.counts.get_mut(gene as usize) {
                *count = 0;
            }
        }
        for class in self.levels.first().into_iter().flatten() {
            if let Some(hits) = self.class_hits.get_mut(*class as usize) {
                *hits = 0;
            }
        }
        self.levels.iter_mut().for_each(Vec::clear);
        let Selecting { matched, weights, top, .. } = selecting;
        let unasked = matched.unasked;
        let exact = Exact { index, matched: &matched, weights, recall: &recall, streaks: query.streaks };
        let mut genes: Vec<(Scored, Ranked)> = known;
        genes.extend(top.into_sorted().into_iter().filter_map(|scored| exact.ranked(scored.gene)));
        genes.sort_by(|(a, _), (b, _)| a.order(b));
        genes.truncate(query.limit);
        let found = |(scored, ranked): (Scored, Ranked)| FoundGene { ranked, place: index.place(scored.gene as usize) };
        Found { genes: genes.into_iter().map(found).collect(), banned, unasked }
    }

    /// The same by looking at every gene: what the index has to agree with.
    pub fn scan(&mut self, query: &Query<'_>) -> Found {
        let index = self.index;
        let matched = Matched::of(index, query.signals, &mut self.compiled);
        let recall = Recall::new(query.signals, query.tried, query.now);
        let weights = weights(query.strategy);
        let exact = Exact { index, matched: &matched, weights, recall: &recall, streaks: query.streaks };
        let without: BTreeSet<u32> = query.without.iter().filter_map(|id| index.gene_of(id)).collect();
        let mut genes: Vec<(Scored, Ranked)> = Vec::new();
        let mut banned = Vec::new();
        for gene in (0..).take(index.genes()).filter(|gene| !without.contains(gene)) {
            let Some((scored, ranked)) = exact.ranked(gene) else { continue };
            if ranked.memory.is_banned() {
                banned.push(Banned { gene: ranked.gene, memory: ranked.memory });
            } else {
                genes.push((scored, ranked));
            }
        }
        genes.sort_by(|(a, _), (b, _)| a.order(b));
        genes.truncate(query.limit);
        let found = |(scored, ranked): (Scored, Ranked)| FoundGene { ranked, place: index.place(scored.gene as usize) };
        Found { genes: genes.into_iter().map(found).collect(), banned, unasked: matched.unasked }
    }

    /// Counts the patterns that match of each gene and each class.
    fn count(&mut self, selecting: &Selecting<'_>) {
        let sections = &self.index.sections;
        self.most = 0;
        for pattern in &selecting.matched.patterns {
            let genes = sections.list((Section::PatternGenes, Section::PatternGeneStarts), *pattern as usize);
            for [gene, class] in genes.pairs() {
                let Some(count) = self.counts.get_mut(gene as usize) else { continue };
                if *count == 0 {
                    self.touched.push([gene, class]);
                }
                *count += 1;
                self.most = self.most.max(*count);
            }
        }
        let common = sections.numbers(Section::CommonPatterns).iter().enumerate();
        for (at, _) in common.filter(|(_, pattern)| selecting.matched.has(*pattern)) {
            for class in sections.list((Section::CommonClasses, Section::CommonClassStarts), at).iter() {
                let Some(hits) = self.class_hits.get_mut(class as usize) else { continue };
                let level = *hits as usize;
                *hits += 1;
                if level == self.levels.len() {
                    self.levels.push(Vec::new());
                }
                if let Some(level) = self.levels.get_mut(level) {
                    level.push(class);
                }
            }
        }
    }

    /// The classes by how many common patterns of theirs match, the most first, with that number.
    fn classes(&self) -> impl Iterator<Item = (u32, impl Iterator<Item = u32>)> {
        let levels = self.levels.iter().enumerate().rev();
        levels.map(move |(level, classes)| {
            let hits = number(level + 1);
            (hits, classes.iter().copied().filter(move |class| self.class_hits(*class) == hits))
        })
    }

    fn class_hits(&self, class: u32) -> u32 {
        self.class_hits.get(class as usize).copied().unwrap_or_default()
    }

    fn count_of(&self, gene: u32) -> u32 {
        self.counts.get(gene as usize).copied().unwrap_or_default()
    }
}

fn weights(strategy: Strategy) -> [Option<f64>; 4] {
    let other = Category::Other(String::new());
    [Category::Repair, Category::Optimize, Category::Innovate, other].map(|category| strategy.weight(&category))
}

impl<'a> Selecting<'a> {
    fn new(index: &'a Index, matched: Matched, query: &Query<'_>) -> Self {
        let top = Top::new(query.limit);
        let weights = weights(query.strategy);
        let mut selecting = Self { index, matched, weights, common_triggers: 0, apart: Vec::new(), top };
        selecting.common_triggers = selecting.triggers();
        selecting
    }

    /// Which of the common triggers match, one bit each.
    fn triggers(&self) -> u32 {
        let common = self.index.sections.numbers(Section::CommonTriggers).iter().take(32).zip(0..);
        common.filter(|(pattern, _)| self.matched.has(*pattern)).fold(0, |mask, (_, bit)| mask | 1 << bit)
    }

    /// Whether a gene of any class with so many hits could be among the best if a capsule adds at most this.
    fn is_open(&self, hits: u32, most: f64) -> bool {
        let weight = self.weights.iter().flatten().copied().fold(0.0, f64::max);
        self.top.has_room(&Scored { is_received: false, score: score(hits, most, weight), gene: 0 })
    }

    /// Scores the genes that memory knows, or that have a capsule with a streak: they are few, and not like others. Gives
    /// those that match, and those of them that are banned. They and the ones that do not take part are apart from now on.
    fn apart(&mut self, query: &Query<'_>, recall: &Recall<'_>) -> (Vec<(Scored, Ranked)>, Vec<Banned>) {
        let index = self.index;
        let without: BTreeSet<u32> = query.without.iter().filter_map(|id| index.gene_of(id)).collect();
        let mut special: BTreeSet<u32> = recall.genes().filter_map(|gene| index.gene_of(gene)).collect();
        if !query.streaks.is_empty() {
            special.extend(self.with_streaks(query.streaks));
        }
        let exact = Exact { index, matched: &self.matched, weights: self.weights, recall, streaks: query.streaks };
        let (mut known, mut banned) = (Vec::new(), Vec::new());
        for gene in special.difference(&without) {
            let Some((scored, ranked)) = exact.ranked(*gene) else { continue };
            if ranked.memory.is_banned() {
                banned.push(Banned { gene: ranked.gene, memory: ranked.memory });
            } else {
                known.push((scored, ranked));
            }
        }
        special.extend(without);
        self.apart = special.into_iter().collect();
        (known, banned)
    }

    /// The genes of capsules with a streak.
    fn with_streaks(&self, streaks: &BTreeMap<String, u64>) -> Vec<u32> {
        let sections = &self.index.sections;
        let genes = sections.numbers(Section::CapsuleGene);
        let ids = sections.numbers(Section::CapsuleOrder);
        let id_of = |capsule: usize| sections.text((Section::CapsuleIds, Section::CapsuleIdStarts), capsule);
        let mut found = Vec::new();
        for id in streaks.keys() {
            let (mut low, mut high) = (0, ids.len());
            while low < high {
                let middle = low.midpoint(high);
                if id_of(ids.index(middle)) < id.as_bytes() {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if low < ids.len() && id_of(ids.index(low)) == id.as_bytes() {
                found.push(genes.at(ids.index(low)));
            }
        }
        found
    }

    fn is_apart(&self, gene: u32) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(&gene).is_ok()
    }

    fn kind(&self, class: u32) -> Kind {
        let kind = self.index.sections.numbers(Section::Classes).at(class as usize);
        let weight = self.weights.get((kind & 0xff) as usize).copied().flatten();
        Kind { is_received: kind >> 8 != 0, weight }
    }

    /// The least number of hits with which a gene could be among the best if a capsule adds at most this.
    fn open(&self, counted: &Searcher<'_>, most: f64) -> u32 {
        let greatest = counted.most + number(counted.levels.len());
        (0..=greatest).find(|hits| self.is_open(*hits, most)).unwrap_or(greatest + 1)
    }

    /// Offers the genes with matching patterns, without their capsules.
    fn by_patterns(&mut self, counted: &Searcher<'_>) {
        let sections = &self.index.sections;
        for (hits, classes) in counted.classes() {
            if !self.is_open(hits, 0.0) {
                break;
            }
            for class in classes {
                let Kind { is_received, weight: Some(weight) } = self.kind(class) else { continue };
                let score = score(hits, 0.0, weight);
                if !self.top.has_room(&Scored { is_received, score, gene: 0 }) {
                    continue;
                }
                for gene in sections.list((Section::ClassGenes, Section::ClassGeneStarts), class as usize).iter() {
                    let scored = Scored { is_received, score, gene };
                    // The genes that follow have the same score and come later by id.
                    if !self.top.has_room(&scored) {
                        break;
                    }
                    if counted.count_of(gene) == 0 && !self.is_apart(gene) {
                        self.top.offer(scored);
                    }
                }
            }
        }
        let open = self.open(counted, 0.0);
        for [gene, class] in &counted.touched {
            let hits = counted.count_of(*gene) + counted.class_hits(*class);
            if hits < open {
                continue;
            }
            let Kind { is_received, weight: Some(weight) } = self.kind(*class) else { continue };
            let scored = Scored { is_received, score: score(hits, 0.0, weight), gene: *gene };
            if self.top.has_room(&scored) && !self.is_apart(*gene) {
                self.top.offer(scored);
            }
        }
    }

    /// Offers the genes that a capsule raises. A capsule that has no streak weighs at most its confidence.
    fn by_capsules(&mut self, counted: &Searcher<'_>) {
        let sections = &self.index.sections;
        let open = self.open(counted, 1.0);
        if self.common_triggers != 0 {
            let triggers = sections.numbers(Section::GeneTriggers);
            let confidence = sections.numbers(Section::GeneConfidence);
            for [gene, class] in &counted.touched {
                let hits = counted.count_of(*gene) + counted.class_hits(*class);
                if hits >= open
                    && self.could_be_raised(hits, *class, *gene, 1.0)
                    && triggers.at(*gene as usize) & self.common_triggers != 0
                {
                    let most = f32::from_bits(confidence.at(*gene as usize));
                    self.raise(hits, *gene, *class, f64::from(most));
                }
            }
            self.by_groups(counted);
        }
        for at in 0..self.matched.patterns.len() {
            let pattern = self.matched.patterns.get(at).copied().unwrap_or_default() as usize;
            let capsules = sections.list((Section::PatternCapsules, Section::PatternCapsuleStarts), pattern);
            for [gene, class, confidence] in capsules.threes() {
                let (hits, most) = (counted.class_hits(class), f64::from(f32::from_bits(confidence)));
                // Whether rare patterns of the gene match is asked only if it matters.
                if hits + counted.most >= open && self.could_be_raised(hits + counted.most, class, 0, most) {
                    self.raise(hits + counted.count_of(gene), gene, class, most);
                }
            }
        }
    }

    /// Offers the first genes of each group of capsules that only common triggers match.
    fn by_groups(&mut self, counted: &Searcher<'_>) {
        let sections = &self.index.sections;
        let groups = sections.numbers(Section::Groups);
        let of_class = sections.numbers(Section::ClassGroups);
        let gene_of = sections.numbers(Section::CapsuleGene);
        let confidence = sections.numbers(Section::CapsuleConfidence);
        let open = counted.classes().flat_map(|(hits, classes)| classes.map(move |class| (hits, class)));
        for (hits, class) in open {
            if !self.is_open(hits, 1.0) {
                break;
            }
            let Kind { is_received, weight: Some(weight) } = self.kind(class) else { continue };
            if !self.could_be_raised(hits, class, 0, 1.0) {
                continue;
            }
            for group in of_class.span(class as usize) {
                let overlap = (groups.at(group * 3) & self.common_triggers).count_ones();
                if overlap == 0 {
                    continue;
                }
                let share = share(overlap, groups.at(group * 3 + 1));
                let most = f64::from(f32::from_bits(groups.at(group * 3 + 2)));
                if !self.could_be_raised(hits, class, 0, share * most) {
                    continue;
                }
                for capsule in sections.list((Section::GroupCapsules, Section::GroupCapsuleStarts), group).iter() {
                    let gene = gene_of.at(capsule as usize);
                    let confidence = f64::from_bits(confidence.wide(capsule as usize * 2));
                    let score = score(hits, share * confidence * 1.0, weight);
                    let scored = Scored { is_received, score, gene };
                    // The capsules that follow have a lower confidence, or genes that come later by id.
                    if !self.top.has_room(&scored) {
                        break;
                    }
                    if counted.count_of(gene) == 0 && !self.is_apart(gene) {
                        self.top.offer(scored);
                    }
                }
            }
        }
    }

    /// Whether a gene with so many hits could be among the best if a capsule adds at most this.
    #[inline]
    fn could_be_raised(&self, hits: u32, class: u32, gene: u32, most: f64) -> bool {
        let Kind { is_received, weight: Some(weight) } = self.kind(class) else { return false };
        hits > 0 && self.top.has_room(&Scored { is_received, score: score(hits, most, weight), gene })
    }

    /// Offers a gene with its capsules, if those could bring it among the best.
    fn raise(&mut self, hits: u32, gene: u32, class: u32, most: f64) {
        let Kind { is_received, weight: Some(weight) } = self.kind(class) else { return };
        if self.could_be_raised(hits, class, gene, most) && !self.is_apart(gene) {
            let (added, _) = best_capsule(self.index, &self.matched, gene, |_| 1);
            self.top.offer(Scored { is_received, score: score(hits, added, weight), gene });
        }
    }
}

/// Scores one gene from all that is known of it.
struct Exact<'a> {
    index: &'a Index,
    matched: &'a Matched,
    weights: [Option<f64>; 4],
    recall: &'a Recall<'a>,
    streaks: &'a BTreeMap<String, u64>,
}

impl Exact<'_> {
    /// `None` if no pattern of the gene matches, or the strategy leaves it out.
    fn ranked(&self, gene: u32) -> Option<(Scored, Ranked)> {
        let sections = &self.index.sections;
        let at = gene as usize;
        let own = sections.list((Section::GenePatterns, Section::GenePatternStarts), at);
        let hits: Vec<u32> = own.iter().filter(|pattern| self.matched.has(*pattern)).collect();
        if hits.is_empty() {
            return None;
        }
        let class = sections.numbers(Section::GeneClass).index(at);
        let kind = sections.numbers(Section::Classes).at(class);
        let category = kind & 0xff;
        let weight = self.weights.get(category as usize).copied().flatten()?;
        let streak = |id: &[u8]| {
            if self.streaks.is_empty() { 1 } else { self.streaks.get(&text(id)).copied().unwrap_or(1) }
        };
        let (added, capsule) = best_capsule(self.index, self.matched, gene, streak);
        let id = text(self.index.gene_id(at));
        let memory = self.recall.of(&id);
        #[expect(clippy::cast_precision_loss, reason = "a gene has far fewer than 2^53 patterns")]
        let score = (hits.len() as f64 + added) * (0.5 + memory.probability) * weight;
        let is_received = kind >> 8 != 0;
        let ranked = Ranked {
            gene: id,
            score,
            patterns: hits.iter().map(|pattern| text(self.index.pattern(*pattern as usize))).collect(),
            match_quality: share(number(hits.len()), number(own.len())),
            capsule: capsule
                .map(|capsule| text(sections.text((Section::CapsuleIds, Section::CapsuleIdStarts), capsule as usize))),
            capsule_weight: added,
            searches: false,
            memory,
            category: CATEGORIES.get(category as usize).copied().unwrap_or("other").to_owned(),
            strategy_weight: weight,
            is_received,
        };
        Some((Scored { is_received, score, gene }, ranked))
    }
}

/// The names of categories by their number in an index.
const CATEGORIES: [&str; 3] = ["repair", "optimize", "innovate"];

/// What the best capsule of a gene adds, and which one it is.
fn best_capsule(index: &Index, matched: &Matched, gene: u32, streak: impl Fn(&[u8]) -> u64) -> (f64, Option<u32>) {
    let sections = &index.sections;
    let confidence = sections.numbers(Section::CapsuleConfidence);
    let mut best = (0.0, None);
    for capsule in sections.numbers(Section::GeneCapsules).span(gene as usize) {
        let triggers = sections.list((Section::CapsuleTriggers, Section::CapsuleTriggerStarts), capsule);
        let hits = triggers.iter().filter(|pattern| matched.has(*pattern)).map(|_| 1).sum();
        if hits == 0 {
            continue;
        }
        let streak = streak(sections.text((Section::CapsuleIds, Section::CapsuleIdStarts), capsule));
        let overlap = share(hits, number(triggers.len()));
        let weight = overlap * f64::from_bits(confidence.wide(capsule * 2)) * streak_weight(streak);
        // Capsules of a gene come by id, so of two with the same weight the first counts.
        if weight > best.0 {
            best = (weight, u32::try_from(capsule).ok());
        }
    }
    best
}

/// The score of a gene that memory does not know, for which the probability of success is a half.
fn score(hits: u32, added: f64, weight: f64) -> f64 {
    (f64::from(hits) + added) * weight
}

fn share(hits: u32, all: u32) -> f64 {
    if all == 0 { 0.0 } else { f64::from(hits) / f64::from(all) }
}

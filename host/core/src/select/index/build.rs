//! Makes an index of genes and capsules. The order in which they are put in makes no difference.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Place;
use super::bytes::{Section, Writer, halves, number};
use super::forms::{self, Form};
use super::literals::{PARTS, WORDS};
use crate::gene::Category;

/// The least number of genes, or of capsules, that makes a pattern common.
const COMMON_FROM: u32 = 256;
/// How many patterns may be common among genes, most first. The first number that gives few enough classes is used.
const COMMON_PATTERNS: [usize; 12] = [64, 48, 40, 32, 28, 24, 20, 16, 12, 8, 4, 0];
/// Most classes. A selection looks at each of them that has a common pattern of its own.
const MAX_CLASSES: usize = 4096;
/// How many triggers may be common among capsules.
const COMMON_TRIGGERS: usize = 32;
/// Most genes, and most capsules.
const MAX_ENTRIES: usize = 1 << 24;
/// Most bytes of ids or of patterns, and most patterns of all genes together.
const MAX_TOTAL: usize = u32::MAX as usize / 2;

/// Which of several entries with one id counts: that with the least value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A line of a file that grows. The newest, with the greatest number, counts.
    Line(Reverse<u64>),
    /// An item of a list. The first counts.
    Item(u64),
    /// Something received from elsewhere. The first counts.
    Received(u64),
}

impl Rank {
    fn is_received(self) -> bool {
        matches!(self, Self::Received(_))
    }
}

/// A gene to put into an index.
#[derive(Debug, Clone, Copy)]
pub struct GeneEntry<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its purpose.
    pub category: &'a Category,
    /// Its `signals_match`.
    pub patterns: &'a [String],
    /// Where its document is.
    pub place: Place,
}

/// A capsule to put into an index.
#[derive(Debug, Clone, Copy)]
pub struct CapsuleEntry<'a> {
    /// Its id.
    pub id: &'a str,
    /// Id of its gene.
    pub gene: &'a str,
    /// Its `trigger`.
    pub trigger: &'a [String],
    /// Its confidence, from 0 to 1.
    pub confidence: f64,
}

/// Collects what an index is made of.
#[derive(Debug)]
pub struct Builder {
    common_from: u32,
    texts: String,
    genes: Vec<GeneRow>,
    capsules: Vec<CapsuleRow>,
    /// Patterns of genes and capsules, one list after the other, as numbers of `patterns`.
    lists: Vec<u32>,
    patterns: Vec<Rc<str>>,
    numbers: HashMap<Rc<str>, u32>,
    pattern_bytes: usize,
    left_out: u32,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    length: u32,
}

#[derive(Debug)]
struct GeneRow {
    id: Span,
    rank: Rank,
    /// `None` for an id that stands for something that is not selected here.
    gene: Option<(u8, Span, Place)>,
}

#[derive(Debug)]
struct CapsuleRow {
    id: Span,
    rank: Rank,
    /// Its gene, its triggers, its confidence; `None` for a capsule that adds nothing.
    proof: Option<(Span, Span, f64)>,
}

/// A capsule whose gene is known by its number.
struct Proof {
    gene: u32,
    id: Span,
    trigger: Span,
    confidence: f64,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::with_common_from(COMMON_FROM)
    }

    /// The same with another bound, so that a test with few genes has common patterns.
    pub(super) fn with_common_from(common_from: u32) -> Self {
        Self {
            common_from,
            texts: String::new(),
            genes: Vec::new(),
            capsules: Vec::new(),
            lists: Vec::new(),
            patterns: Vec::new(),
            numbers: HashMap::new(),
            pattern_bytes: 0,
            left_out: 0,
        }
    }

    /// Puts in a gene.
    pub fn gene(&mut self, entry: GeneEntry<'_>, rank: Rank) {
        let patterns = self.list(entry.patterns);
        let (Some(patterns), Some(id)) = (patterns, self.gene_id(entry.id)) else { return self.leave_out() };
        self.genes.push(GeneRow { id, rank, gene: Some((category_code(entry.category), patterns, entry.place)) });
    }

    /// States that an id stands for something that is not selected here, such as a gene with a component.
    pub fn no_gene(&mut self, id: &str, rank: Rank) {
        let Some(id) = self.gene_id(id) else { return self.leave_out() };
        self.genes.push(GeneRow { id, rank, gene: None });
    }

    /// Puts in a capsule of a success.
    pub fn capsule(&mut self, entry: CapsuleEntry<'_>, rank: Rank) {
        let trigger = self.list(entry.trigger);
        let (Some(trigger), Some(id), Some(gene)) = (trigger, self.capsule_id(entry.id), self.text(entry.gene)) else {
            return self.leave_out();
        };
        let proof = Some((gene, trigger, entry.confidence)).filter(|_| entry.confidence > 0.0);
        self.capsules.push(CapsuleRow { id, rank, proof });
    }

    /// States that an id stands for a capsule that adds nothing, such as one of a failure.
    pub fn no_capsule(&mut self, id: &str, rank: Rank) {
        let Some(id) = self.capsule_id(id) else { return self.leave_out() };
        self.capsules.push(CapsuleRow { id, rank, proof: None });
    }

    /// Counts something that the index has no room for.
    pub fn leave_out(&mut self) {
        self.left_out = self.left_out.saturating_add(1);
    }

    fn gene_id(&mut self, id: &str) -> Option<Span> {
        if self.genes.len() < MAX_ENTRIES { self.text(id) } else { None }
    }

    fn capsule_id(&mut self, id: &str) -> Option<Span> {
        if self.capsules.len() < MAX_ENTRIES { self.text(id) } else { None }
    }

    fn text(&mut self, text: &str) -> Option<Span> {
        if self.texts.len() + text.len() > MAX_TOTAL {
            return None;
        }
        let span = Span { start: number(self.texts.len()), length: number(text.len()) };
        self.texts.push_str(text);
        Some(span)
    }

    /// Keeps patterns, each once.
    fn list(&mut self, patterns: &[String]) -> Option<Span> {
        if self.lists.len() + patterns.len() > MAX_TOTAL {
            return None;
        }
        let start = self.lists.len();
        for pattern in patterns {
            let known = self.numbers.get(pattern.as_str()).copied();
            let number = match known {
                Some(known) => known,
                None => self.intern(pattern)?,
            };
            // Most lists have a few entries.
            if patterns.len() > 64 || !self.lists.iter().skip(start).any(|other| *other == number) {
                self.lists.push(number);
            }
        }
        if patterns.len() > 64 {
            let mut seen = HashSet::new();
            let own = self.lists.split_off(start);
            self.lists.extend(own.into_iter().filter(|pattern| seen.insert(*pattern)));
        }
        Some(Span { start: number(start), length: number(self.lists.len() - start) })
    }

    fn intern(&mut self, pattern: &str) -> Option<u32> {
        if self.pattern_bytes + pattern.len() > MAX_TOTAL {
            return None;
        }
        self.pattern_bytes += pattern.len();
        let text: Rc<str> = Rc::from(pattern);
        let at = number(self.patterns.len());
        self.patterns.push(Rc::clone(&text));
        self.numbers.insert(text, at);
        Some(at)
    }

    /// The bytes of the index.
    pub fn finish(mut self) -> Vec<u8> {
        self.numbers = HashMap::new();
        let mut genes = std::mem::take(&mut self.genes);
        genes.sort_unstable_by(|a, b| self.get(a.id).cmp(self.get(b.id)).then(a.rank.cmp(&b.rank)));
        genes.dedup_by(|later, first| self.get(later.id) == self.get(first.id));
        genes.retain(|row| row.gene.is_some());
        let capsules = self.proofs(&genes);
        let order = self.pattern_order(&genes, &capsules);
        let mut to = Writer::new();
        to.number(Section::LeftOut, self.left_out);
        let texts: Vec<&str> =
            order.sorted.iter().filter_map(|at| self.patterns.get(*at as usize)).map(Rc::as_ref).collect();
        write_patterns(&texts, &mut to);
        self.write_genes(&genes, &capsules, &order, &mut to);
        to.finish()
    }

    fn get(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.texts.get(start..start + span.length as usize).unwrap_or_default()
    }

    fn patterns_of(&self, span: Span) -> &[u32] {
        let start = span.start as usize;
        self.lists.get(start..start + span.length as usize).unwrap_or_default()
    }

    /// The capsules that add something to a gene of the index, by gene and then by id.
    fn proofs(&mut self, genes: &[GeneRow]) -> Vec<Proof> {
        let mut rows = std::mem::take(&mut self.capsules);
        rows.sort_unstable_by(|a, b| self.get(a.id).cmp(self.get(b.id)).then(a.rank.cmp(&b.rank)));
        rows.dedup_by(|later, first| self.get(later.id) == self.get(first.id));
        let proof = |row: CapsuleRow| {
            let (gene, trigger, confidence) = row.proof.filter(|(_, trigger, _)| trigger.length > 0)?;
            let gene = genes.binary_search_by(|other| self.get(other.id).cmp(self.get(gene))).ok()?;
            Some(Proof { gene: number(gene), id: row.id, trigger, confidence })
        };
        let mut proofs: Vec<Proof> = rows.into_iter().filter_map(proof).collect();
        // They come by id, and the sort is stable.
        proofs.sort_by_key(|proof| proof.gene);
        proofs
    }

    /// The patterns that are used, by text, and what each is numbered then.
    fn pattern_order(&self, genes: &[GeneRow], capsules: &[Proof]) -> Order {
        let mut is_used = vec![false; self.patterns.len()];
        let of_genes = genes.iter().filter_map(|row| row.gene.map(|(_, patterns, _)| patterns));
        for list in of_genes.chain(capsules.iter().map(|proof| proof.trigger)) {
            for pattern in self.patterns_of(list) {
                if let Some(used) = is_used.get_mut(*pattern as usize) {
                    *used = true;
                }
            }
        }
        let mut sorted: Vec<u32> = (0..).zip(&is_used).filter(|(_, used)| **used).map(|(at, _)| at).collect();
        sorted.sort_unstable_by_key(|at| self.patterns.get(*at as usize));
        let mut numbers = vec![0; self.patterns.len()];
        for (new, old) in (0..).zip(&sorted) {
            if let Some(number) = numbers.get_mut(*old as usize) {
                *number = new;
            }
        }
        Order { sorted, numbers }
    }

    fn write_genes(&self, genes: &[GeneRow], capsules: &[Proof], order: &Order, to: &mut Writer) {
        let known = |row: &GeneRow| row.gene.unwrap_or((0, Span { start: 0, length: 0 }, Place::default()));
        let lists: Vec<Vec<u32>> = genes.iter().map(|row| order.renumbered(self.patterns_of(known(row).1))).collect();
        let triggers: Vec<Vec<u32>> =
            capsules.iter().map(|proof| order.renumbered(self.patterns_of(proof.trigger))).collect();
        let count = order.sorted.len();

        to.texts((Section::GeneIds, Section::GeneIdStarts), genes.iter().map(|row| self.get(row.id).as_bytes()));
        to.lists((Section::GenePatterns, Section::GenePatternStarts), lists.iter().map(|list| list.iter().copied()));
        for row in genes {
            let Place { file, offset, length } = known(row).2;
            let [low, high] = halves(offset);
            to.numbers(Section::GenePlaces, [file, low, high, length]);
        }
        let kinds: Vec<u32> =
            genes.iter().map(|row| u32::from(known(row).0) | u32::from(row.rank.is_received()) << 8).collect();
        let often = often(&lists, count, self.common_from);
        let few_enough = |masks: &[u64]| {
            let mut classes = HashSet::new();
            masks.iter().zip(&kinds).all(|class| {
                classes.insert(class);
                classes.len() <= MAX_CLASSES
            })
        };
        let mut options = COMMON_PATTERNS.iter().map(|most| common(&lists, &often, *most));
        let (common, masks) =
            options.clone().find(|(_, masks)| few_enough(masks)).or_else(|| options.next_back()).unwrap_or_default();
        to.numbers(Section::CommonPatterns, common.iter().copied());
        let of_gene: Vec<(u64, u32)> = masks.iter().copied().zip(kinds).collect();
        let mut classes = of_gene.clone();
        distinct(&mut classes);
        to.numbers(Section::Classes, classes.iter().map(|(_, kind)| *kind));
        let with = |bit: usize| {
            let has = move |(_, (mask, _)): &(u32, &(u64, u32))| mask >> bit & 1 == 1;
            (0_u32..).zip(&classes).filter(has).map(|(class, _)| class)
        };
        to.lists((Section::CommonClasses, Section::CommonClassStarts), (0..common.len()).map(with));
        let of_gene: Vec<u32> =
            of_gene.iter().map(|class| number(classes.binary_search(class).unwrap_or_default())).collect();
        to.numbers(Section::GeneClass, of_gene.iter().copied());
        to.lists(
            (Section::ClassGenes, Section::ClassGeneStarts),
            inverted(classes.len(), of_gene.iter().map(|class| [*class])),
        );
        let of_patterns = inverted(count, lists.iter().map(|list| rare(list, &common)));
        let with_class = of_patterns.iter().map(|genes| {
            genes.iter().flat_map(|gene| [*gene, of_gene.get(*gene as usize).copied().unwrap_or_default()])
        });
        to.lists((Section::PatternGenes, Section::PatternGeneStarts), with_class);
        write_capsules(self, capsules, &triggers, &of_gene, classes.len(), count, to);
        let mut starts = vec![0_u32; genes.len() + 1];
        let mut confidence = vec![0_f32; genes.len()];
        for proof in capsules {
            if let Some(start) = starts.get_mut(proof.gene as usize + 1) {
                *start += 1;
            }
            if let Some(most) = confidence.get_mut(proof.gene as usize) {
                *most = most.max(rounded_up(proof.confidence));
            }
        }
        let mut end = 0;
        to.numbers(
            Section::GeneCapsules,
            starts.into_iter().map(|count| {
                end += count;
                end
            }),
        );
        to.numbers(Section::GeneConfidence, confidence.into_iter().map(f32::to_bits));
    }
}

fn write_capsules(
    builder: &Builder,
    capsules: &[Proof],
    triggers: &[Vec<u32>],
    class_of: &[u32],
    classes: usize,
    count: usize,
    to: &mut Writer,
) {
    to.texts(
        (Section::CapsuleIds, Section::CapsuleIdStarts),
        capsules.iter().map(|proof| builder.get(proof.id).as_bytes()),
    );
    let mut by_id: Vec<u32> = (0..).take(capsules.len()).collect();
    by_id.sort_unstable_by_key(|at| capsules.get(*at as usize).map(|proof| builder.get(proof.id)));
    to.numbers(Section::CapsuleOrder, by_id);
    to.numbers(Section::CapsuleGene, capsules.iter().map(|proof| proof.gene));
    for proof in capsules {
        to.numbers(Section::CapsuleConfidence, halves(proof.confidence.to_bits()));
    }
    to.lists(
        (Section::CapsuleTriggers, Section::CapsuleTriggerStarts),
        triggers.iter().map(|list| list.iter().copied()),
    );
    let class = |proof: &Proof| class_of.get(proof.gene as usize).copied().unwrap_or_default();
    let keys = |masks: &[u64]| -> Vec<(u32, u64, u32)> {
        let rows = capsules.iter().zip(masks).zip(triggers);
        rows.map(|((proof, mask), trigger)| (class(proof), *mask, number(trigger.len()))).collect()
    };
    let (common, masks) = common(triggers, &often(triggers, count, builder.common_from), COMMON_TRIGGERS);
    to.numbers(Section::CommonTriggers, common.iter().copied());
    let own = keys(&masks);
    let mut groups: Vec<(u32, u64, u32)> = own.iter().copied().filter(|(_, mask, _)| *mask != 0).collect();
    distinct(&mut groups);
    to.number(Section::ClassGroups, 0);
    let mut at = 0;
    for class in (0_u32..).take(classes) {
        at += groups.iter().skip(at).take_while(|group| group.0 == class).count();
        to.number(Section::ClassGroups, number(at));
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for (capsule, key) in (0_u32..).zip(&own) {
        if let Some(group) = groups.binary_search(key).ok().and_then(|group| members.get_mut(group)) {
            group.push(capsule);
        }
    }
    let confidence = |capsule: &u32| capsules.get(*capsule as usize).map_or(0.0, |proof| proof.confidence);
    for group in &mut members {
        // Capsules come by gene, and the sort is stable.
        group.sort_by(|a, b| confidence(b).total_cmp(&confidence(a)));
    }
    for ((_, mask, length), group) in groups.iter().zip(&members) {
        let most = rounded_up(group.first().map_or(0.0, confidence));
        to.numbers(Section::Groups, [halves(*mask)[0], *length, most.to_bits()]);
    }
    to.lists((Section::GroupCapsules, Section::GroupCapsuleStarts), members);
    let of_patterns = inverted(count, triggers.iter().map(|list| rare(list, &common)));
    let with_gene = of_patterns.iter().map(|list| {
        let proofs = list.iter().filter_map(|capsule| capsules.get(*capsule as usize));
        proofs.flat_map(|proof| [proof.gene, class(proof), rounded_up(proof.confidence).to_bits()])
    });
    to.lists((Section::PatternCapsules, Section::PatternCapsuleStarts), with_gene);
    let mut of_genes = vec![0_u32; class_of.len()];
    for (proof, mask) in capsules.iter().zip(&masks) {
        if let Some(union) = of_genes.get_mut(proof.gene as usize) {
            *union |= halves(*mask)[0];
        }
    }
    to.numbers(Section::GeneTriggers, of_genes);
}

/// The patterns by text, as numbers of the builder, and the new number of each.
struct Order {
    sorted: Vec<u32>,
    numbers: Vec<u32>,
}

impl Order {
    fn renumbered(&self, list: &[u32]) -> Vec<u32> {
        list.iter().map(|at| self.numbers.get(*at as usize).copied().unwrap_or_default()).collect()
    }
}

/// The patterns that at least `from` lists share, most first.
fn often(lists: &[Vec<u32>], count: usize, from: u32) -> Vec<u32> {
    let mut uses = vec![0_u32; count];
    for pattern in lists.iter().flatten() {
        if let Some(uses) = uses.get_mut(*pattern as usize) {
            *uses += 1;
        }
    }
    let mut often: Vec<(Reverse<u32>, u32)> =
        uses.iter().zip(0..).filter(|(uses, _)| **uses >= from).map(|(uses, at)| (Reverse(*uses), at)).collect();
    often.sort_unstable();
    often.into_iter().map(|(_, pattern)| pattern).collect()
}

/// The first `most` of these patterns, at most 64, and for each list which of them it has.
fn common(lists: &[Vec<u32>], often: &[u32], most: usize) -> (Vec<u32>, Vec<u64>) {
    let common: Vec<u32> = often.iter().take(most).copied().collect();
    let places: HashMap<u32, u64> = (0..).zip(&common).map(|(bit, pattern)| (*pattern, 1_u64 << bit)).collect();
    let mask = |list: &Vec<u32>| list.iter().filter_map(|pattern| places.get(pattern)).fold(0, |all, bit| all | bit);
    (common, lists.iter().map(mask).collect())
}

/// The patterns of a list that are not common.
fn rare(list: &[u32], common: &[u32]) -> Vec<u32> {
    list.iter().copied().filter(|pattern| !common.contains(pattern)).collect()
}

/// Sorts, leaves each value once, and counts them.
fn distinct<T: Ord>(values: &mut Vec<T>) -> usize {
    values.sort_unstable();
    values.dedup();
    values.len()
}

/// For each of `count` numbers, the lists that have it, in order.
fn inverted<L: AsRef<[u32]>>(count: usize, lists: impl Iterator<Item = L>) -> Vec<Vec<u32>> {
    let mut into: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (list, at) in lists.zip(0..) {
        for item in list.as_ref() {
            if let Some(into) = into.get_mut(*item as usize) {
                into.push(at);
            }
        }
    }
    into
}

fn write_patterns(texts: &[&str], to: &mut Writer) {
    to.texts((Section::Patterns, Section::PatternStarts), texts.iter().map(|text| text.as_bytes()));
    let (mut parts, mut words, mut signatures) = (Vec::new(), Vec::new(), Vec::new());
    for (at, text) in (0_u32..).zip(texts) {
        let form = forms::of(text);
        to.bytes(Section::Forms, &[form.code()]);
        match form {
            Form::Nothing => {}
            Form::Parts(own) => parts.extend(own.into_iter().map(|part| (part.into_bytes(), at))),
            Form::Signature(hash) => signatures.push((hash, at)),
            Form::Words(own) => words.extend(own.into_iter().map(|word| (word, at))),
            Form::Always => to.number(Section::Always, at),
        }
    }
    signatures.sort_unstable();
    to.numbers(Section::Signatures, signatures.into_iter().flat_map(|(hash, at)| [hash, at]));
    PARTS.write(parts, to);
    WORDS.write(words, to);
}

/// The number of a category in an index.
fn category_code(category: &Category) -> u8 {
    match category {
        Category::Repair => 0,
        Category::Optimize => 1,
        Category::Innovate => 2,
        Category::Other(_) => 3,
    }
}

/// The least `f32` that is not below a number from 0 to 1.
fn rounded_up(value: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1; what is lost is added again")]
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}

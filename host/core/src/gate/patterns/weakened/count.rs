//! The checks of a block that run and can fail.

use std::collections::BTreeMap;

use super::cases::{self, Lists};
use super::shape::{Kind, Tongue, behind_condition, checks_in, function, kind};
use super::tree::Node;
use super::truth::{Truth, is_vain};

/// The functions of a file that check something, with how much.
pub(super) type Helpers = BTreeMap<String, u64>;

/// What is known of a file while its blocks are counted.
pub(super) struct File<'a> {
    pub(super) tongue: Tongue,
    pub(super) helpers: &'a Helpers,
    /// The named lists around, the innermost last.
    pub(super) lists: &'a [&'a Lists],
}

/// Among more statements than this, a function counts as called.
const MAX_SEARCHED: usize = 200;

/// Checks by what they say, with how often they run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Counted {
    pub(super) checks: BTreeMap<String, u64>,
    /// Whether the block was left before its end.
    pub(super) left: bool,
    /// Whether it was left by an error, which fails the test.
    pub(super) raised: bool,
    /// Whether it was left as skipped.
    pub(super) skipped: bool,
}

impl Counted {
    pub(super) fn total(&self) -> u64 {
        self.checks.values().fold(0, |sum, weight| sum.saturating_add(*weight))
    }

    fn add(&mut self, said: &str, weight: u64) {
        let said: Vec<&str> = said.split_ascii_whitespace().collect();
        let known = self.checks.entry(said.join(" ")).or_default();
        *known = known.saturating_add(weight);
    }

    fn join(&mut self, other: &Self, times: u64) {
        for (said, weight) in &other.checks {
            self.add(said, weight.saturating_mul(times));
        }
    }
}

impl File<'_> {
    /// Counts a block.
    pub(super) fn count(&self, nodes: &[Node]) -> Counted {
        let mut sum = Counted::default();
        let own = cases::lists(nodes);
        let lists: Vec<&Lists> = self.lists.iter().copied().chain([&own]).filter(|lists| !lists.is_empty()).collect();
        let here = File { lists: &lists, ..*self };
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            at += here.statement(nodes, at, node, &mut sum);
            if sum.left || sum.skipped {
                break;
            }
        }
        sum
    }

    /// Counts one statement, and says how many nodes it took.
    fn statement(&self, nodes: &[Node], at: usize, node: &Node, sum: &mut Counted) -> usize {
        match kind(self.tongue, node) {
            Kind::If(_) => return self.choice(nodes, at, sum),
            Kind::Try => return self.attempt(nodes, at, sum),
            Kind::Skip => sum.skipped = true,
            jump @ (Kind::Jump | Kind::Raise) => {
                self.own(node, sum);
                self.blocks(node, sum);
                (sum.left, sum.raised) = (true, jump == Kind::Raise);
            }
            Kind::Function(name) => {
                let used = |other: &Node| mentions(other, name, 0);
                let searched = nodes.iter().enumerate().filter(|(place, _)| *place != at);
                if nodes.len() > MAX_SEARCHED || searched.into_iter().any(|(_, other)| used(other)) {
                    self.blocks(node, sum);
                }
            }
            Kind::Loop(subject) => {
                let times = cases::of_loop(subject, node, self.lists).unwrap_or(1);
                let mut inner = Counted::default();
                self.blocks(node, &mut inner);
                sum.join(&inner, times);
            }
            Kind::Loses | Kind::Switch | Kind::Catch { .. } | Kind::ElseIf(_) => {}
            Kind::Else | Kind::Other => {
                self.own(node, sum);
                if !is_never_awaited(&node.text) {
                    self.blocks(node, sum);
                }
                // `let … else { return }`: what follows depends on it.
                let is_guard =
                    self.tongue == Tongue::Rust && node.text.starts_with("let ") && node.text.contains(" else");
                let jumps = |inner: &Node| kind(self.tongue, inner) == Kind::Jump;
                sum.left |= is_guard && node.blocks.last().is_some_and(|block| block.iter().any(jumps));
            }
        }
        1
    }

    /// The checks of the statement itself.
    fn own(&self, node: &Node, sum: &mut Counted) {
        let count = checks_in(self.tongue, &node.text);
        if count > 0 {
            if !is_vain(&node.text, &node.said) {
                sum.add(&node.said, count);
            }
            return;
        }
        let weight = called(&node.text).filter_map(|name| self.helpers.get(name)).copied().max().unwrap_or(0);
        if weight > 0 && function(self.tongue, &node.text).is_none() {
            sum.add(&node.said, weight);
        }
    }

    fn blocks(&self, node: &Node, sum: &mut Counted) {
        for block in &node.blocks {
            sum.join(&self.count(block), 1);
        }
    }

    /// A choice: what each of its parts checks. A check that stands in one part only depends on the condition, and does
    /// not count, but in Go, where a condition is the check.
    fn choice(&self, nodes: &[Node], at: usize, sum: &mut Counted) -> usize {
        let (mut parts, mut has_else, mut taken) = (Vec::new(), false, 0);
        let mut always = false;
        for (place, node) in nodes.iter().enumerate().skip(at) {
            let truth = match kind(self.tongue, node) {
                Kind::If(truth) if place == at => truth,
                Kind::ElseIf(truth) if place > at => truth,
                Kind::Else if place > at => {
                    has_else = true;
                    Truth::Open
                }
                _ => break,
            };
            taken += 1;
            if truth == Truth::Never || always {
                continue;
            }
            let mut part = Counted::default();
            let single = behind_condition(self.tongue, node).map(|inner| vec![inner]);
            for block in single.iter().chain(node.blocks.iter().filter(|_| single.is_none())) {
                let counted = self.count(block);
                part.join(&counted, 1);
                part.left |= counted.left;
                part.raised |= counted.raised;
                part.skipped |= counted.skipped;
            }
            if self.tongue == Tongue::Go && truth == Truth::Open && part.total() > 0 && !has_else {
                sum.add(&node.said, part.total());
            }
            // Whether what follows runs depends on the condition.
            if truth == Truth::Open && (part.left && !part.raised || part.skipped) && part.total() == 0 {
                sum.left = true;
            }
            if truth == Truth::Always {
                always = true;
                has_else = true;
                if parts.is_empty() {
                    sum.join(&part, 1);
                    sum.left |= part.left;
                    sum.raised |= part.raised;
                    sum.skipped |= part.skipped;
                }
            }
            parts.push(part);
            if has_else && !always {
                break;
            }
        }
        if parts.len() > 1 && has_else && self.tongue != Tongue::Go {
            // A part that jumps out takes no check away from the others.
            let full = parts.iter().filter(|part| !part.left);
            let least = full.min_by_key(|part| part.total());
            if let Some(least) = least {
                sum.join(least, 1);
            }
        }
        taken.max(1)
    }

    /// A block with handlers of its errors: if one of them takes the errors of checks and goes on, the checks are lost.
    fn attempt(&self, nodes: &[Node], at: usize, sum: &mut Counted) -> usize {
        let mut taken = 1;
        let mut loses = false;
        for node in nodes.iter().skip(at + 1) {
            match kind(self.tongue, node) {
                Kind::Catch { all } => loses |= all && !self.raises(node),
                Kind::Else => {}
                Kind::Other if matches!(node.text.trim_end_matches(['{', '}', ' ', ':']), "finally") => {
                    // Leaving there takes the error along.
                    loses |= node.blocks.iter().flatten().any(|inner| kind(self.tongue, inner) == Kind::Jump);
                }
                _ => break,
            }
            taken += 1;
        }
        for node in nodes.iter().skip(at).take(taken) {
            let is_handler = matches!(kind(self.tongue, node), Kind::Catch { .. });
            if !(is_handler || loses && matches!(kind(self.tongue, node), Kind::Try)) {
                self.blocks(node, sum);
            }
        }
        taken
    }

    /// Whether a handler fails the test after all.
    fn raises(&self, node: &Node) -> bool {
        let fails = |inner: &Node| {
            let text = inner.text.as_str();
            checks_in(self.tongue, text) > 0 && !is_vain(text, &inner.said)
                || text.starts_with("raise")
                || text.starts_with("throw")
                || text.contains("fail(")
                || text.contains("reject(")
                || text.contains("done(")
        };
        node.blocks.iter().flatten().any(|inner| fails(inner) || self.raises(inner))
    }
}

/// Whether the test ends before the blocks of a statement run, or their errors are lost.
fn is_never_awaited(text: &str) -> bool {
    const BEGINS: &[&str] = &[
        "[].",
        "go func",
        "setTimeout(",
        "setInterval(",
        "setImmediate(",
        "queueMicrotask(",
        "process.nextTick(",
        "let _ = async",
    ];
    let text = text.trim_start();
    let spawned = text.contains("thread::spawn(") && !text.contains(['=', '.']);
    BEGINS.iter().any(|begin| text.starts_with(begin)) || text.contains(").catch(") || spawned
}

/// The names of the functions and macros that a text calls.
pub(super) fn called(text: &str) -> impl Iterator<Item = &str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(['(', '!']).filter_map(move |(at, _)| {
        let before = text.get(..at)?.trim_end();
        let start =
            before.rfind(|c| !word(c)).map_or(0, |end| end + before[end..].chars().next().map_or(1, char::len_utf8));
        before.get(start..).filter(|name| !name.is_empty())
    })
}

/// Whether a name stands anywhere in a statement.
fn mentions(node: &Node, name: &str, depth: usize) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let here = node.text.match_indices(name).any(|(at, _)| {
        let before = node.text.get(..at).and_then(|before| before.chars().next_back());
        let after = node.text.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(word) && !after.is_some_and(word)
    });
    here || depth < 64 && node.blocks.iter().flatten().any(|inner| mentions(inner, name, depth + 1))
}

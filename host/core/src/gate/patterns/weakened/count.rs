//! The checks of a block that run and can fail.

use std::collections::BTreeMap;

use super::alike::{self, Values, is_alike};
use super::cases::{self, Lists};
use super::parts;
use super::shape::{Kind, Tongue, behind_condition, checks_in, function, kind};
use super::tree::{Node, top_level};
use super::truth::{Truth, compared, is_vain, is_vain_among, sides};
use super::words::mentions;

/// The functions of a file that check something, with how much.
pub(super) type Helpers = BTreeMap<String, u64>;

/// What is known of a file while its blocks are counted.
pub(super) struct File<'a> {
    pub(super) tongue: Tongue,
    pub(super) helpers: &'a Helpers,
    /// The named lists around, the innermost last.
    pub(super) lists: &'a [&'a Lists],
    /// The variables around with their values, the innermost last.
    pub(super) values: &'a [&'a Values<'a>],
}

/// Among more statements than this, a function counts as called.
const MAX_SEARCHED: usize = 200;

/// Checks by what they say, with how often they run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Counted {
    pub(super) checks: BTreeMap<String, u64>,
    /// For checks of several values at once, how many they are beyond the first.
    pub(super) parts: BTreeMap<String, u64>,
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
        let known = self.checks.entry(flat(said)).or_default();
        *known = known.saturating_add(weight);
    }

    /// Adds what another block counts, so many times.
    pub(super) fn join(&mut self, other: &Self, times: u64) {
        for (said, weight) in &other.checks {
            self.add(said, weight.saturating_mul(times));
        }
        self.parts.extend(other.parts.iter().map(|(said, parts)| (said.clone(), *parts)));
    }
}

impl File<'_> {
    /// Counts a block.
    pub(super) fn count(&self, nodes: &[Node]) -> Counted {
        let mut sum = Counted::default();
        let own = cases::lists(nodes);
        let lists: Vec<&Lists> = self.lists.iter().copied().chain([&own]).filter(|lists| !lists.is_empty()).collect();
        let own = alike::values(nodes);
        let values: Vec<&Values<'_>> =
            self.values.iter().copied().chain([&own]).filter(|own| !own.is_empty()).collect();
        let here = File { lists: &lists, values: &values, ..*self };
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
                let used = |other: &Node| is_used(other, name, 0);
                let searched = nodes.iter().enumerate().filter(|(place, _)| *place != at);
                if nodes.len() > MAX_SEARCHED || searched.into_iter().any(|(_, other)| used(other)) {
                    if node.blocks.is_empty() {
                        self.own(node, sum);
                    }
                    self.blocks(node, sum);
                }
            }
            Kind::Loop(subject) => {
                let ends = node.blocks.last().is_some_and(|block| block.iter().any(ends_loop));
                let times = cases::of_loop(node.spelled(subject), node, self.lists).filter(|_| !ends).unwrap_or(1);
                let mut inner = Counted::default();
                match behind_condition(self.tongue, node).filter(|_| node.blocks.is_empty()) {
                    Some(single) => inner.join(&self.count(&[single]), 1),
                    None => self.blocks(node, &mut inner),
                }
                sum.join(&inner, times);
            }
            Kind::Loses | Kind::Switch | Kind::Catch { .. } | Kind::ElseIf(_) => {}
            Kind::Else | Kind::Other => {
                if !is_never_awaited(self.tongue, node) && !self.raises_itself(node) {
                    let times = cases::of_inline(&node.said, self.lists);
                    let mut inner = Counted::default();
                    self.own(node, &mut inner);
                    self.blocks(node, &mut inner);
                    sum.join(&inner, times);
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
        let helpers = || called(&node.text).filter_map(|name| self.helpers.get(name)).copied();
        if count > 0 {
            if !self.is_vain(node) && !self.may_not_run(node) {
                let said = node.with_constants();
                // A function of the file whose name is that of a check may check several things.
                sum.add(&said, count.max(helpers().max().unwrap_or(0)));
                let parts = parts::of(node);
                if parts > 0 {
                    sum.parts.insert(flat(&said), parts);
                }
            }
            return;
        }
        let weight = called(&node.text)
            .chain(handed(&node.text))
            .filter_map(|name| self.helpers.get(name))
            .copied()
            .max()
            .unwrap_or(0);
        if weight > 0 && function(self.tongue, &node.text).is_none() {
            sum.add(&node.with_constants(), weight);
        }
    }

    /// Whether a check expects an error that it makes by itself.
    fn raises_itself(&self, node: &Node) -> bool {
        let expects =
            ["raises(", "Raises", "throws(", "toThrow", "rejects"].iter().any(|word| node.text.contains(word));
        let raises = |first: &Node| kind(self.tongue, first) == Kind::Raise;
        expects && node.blocks.iter().any(|block| block.first().is_some_and(raises))
    }

    /// Whether a check cannot fail, as far as the values around it tell.
    fn is_vain(&self, node: &Node) -> bool {
        if self.tongue == Tongue::Go && node.text.starts_with("if ") {
            return is_vain(&node.text, &node.said) || self.is_like_itself(node);
        }
        is_vain_among(&node.text, &node.said, self.values)
    }

    /// Whether a check compares something with what the same expression gave before.
    fn is_like_itself(&self, node: &Node) -> bool {
        let pair = match self.tongue {
            Tongue::Go if node.text.starts_with("if ") => {
                let condition = node.said.rsplit(';').next().unwrap_or_default().trim_end_matches("{}");
                let condition = condition.trim_start().trim_start_matches("if ");
                let call = condition.trim_start().strip_prefix('!').and_then(|call| call.split_once('('));
                let both = call.and_then(|(_, arguments)| arguments.trim_end().strip_suffix(')')?.split_once(','));
                compared(condition).map(|(left, _, right)| (left, right)).or(both)
            }
            _ => sides(&node.text, &node.said),
        };
        pair.is_some_and(|(left, right)| is_alike(left, right, self.values))
    }

    /// Whether a condition in the statement decides if its check runs.
    fn may_not_run(&self, node: &Node) -> bool {
        if self.tongue != Tongue::JavaScript {
            return false;
        }
        let text = node.text.as_str();
        let choice = top_level(text).find(|(at, byte)| {
            let rest = text.get(*at..).unwrap_or_default();
            *byte == b'?' && !rest.starts_with("?.") && !rest.starts_with("??") || rest.starts_with("&&")
        });
        choice.is_some_and(|(at, _)| {
            let parts: Vec<&str> = text.get(at..).unwrap_or_default().split(" : ").collect();
            checks_in(self.tongue, text.get(..at).unwrap_or_default()) == 0
                && !(parts.len() == 2 && parts.iter().all(|part| checks_in(self.tongue, part) > 0))
        })
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
            let is_check = self.tongue == Tongue::Go && truth == Truth::Open && !has_else;
            if is_check && part.total() > 0 && !self.is_like_itself(node) {
                sum.add(&node.with_constants(), part.total());
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
                Kind::Catch { all } => {
                    loses |= all && !self.raises(node);
                    // What follows depends on whether there was an error.
                    let leaves = |inner: &Node| kind(self.tongue, inner) == Kind::Jump;
                    sum.left |= !self.raises(node) && node.blocks.iter().flatten().any(leaves);
                }
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

/// A text with single blanks.
pub(super) fn flat(said: &str) -> String {
    let mut flat = String::with_capacity(said.len());
    for word in said.split_ascii_whitespace() {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
    }
    flat
}

/// Whether a loop ends at this statement of its body, whatever came before.
fn ends_loop(node: &Node) -> bool {
    let word = node.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
    matches!(word, Some("break" | "return"))
}

/// Whether the test ends before a statement or its blocks run, or their errors are lost.
fn is_never_awaited(tongue: Tongue, node: &Node) -> bool {
    const BEGINS: &[&str] = &[
        "[].",
        "go func",
        "setTimeout(",
        "setInterval(",
        "setImmediate(",
        "queueMicrotask(",
        "process.nextTick(",
        "let _ = async",
        "undefined?.",
        "null?.",
    ];
    let text = node.text.trim_start();
    let is_spawned = text.contains("thread::spawn(") && (text.starts_with("let _ =") || !text.contains(['=', '.']));
    BEGINS.iter().any(|begin| text.starts_with(begin))
        || is_spawned
        || tongue == Tongue::JavaScript && (is_function(text) || is_caught(text) || is_dropped(node))
}

/// Whether a statement is a function that nobody calls.
fn is_function(text: &str) -> bool {
    let rest = text.strip_prefix("async ").unwrap_or(text).trim_start();
    let behind = if rest.starts_with('(') {
        top_level(rest).find(|(_, byte)| !byte.is_ascii_whitespace()).and_then(|(at, _)| rest.get(at..))
    } else {
        rest.find(|c: char| !c.is_alphanumeric()).and_then(|at| rest.get(at..))
    };
    behind.is_some_and(|behind| behind.trim_start().starts_with("=>"))
}

/// Whether the errors of a promise are caught.
fn is_caught(text: &str) -> bool {
    top_level(text).any(|(at, byte)| byte == b'.' && text.get(at..).is_some_and(|rest| rest.starts_with(".catch(")))
}

/// Whether nothing waits for what a promise does in the end.
fn is_dropped(node: &Node) -> bool {
    let text = node.text.as_str();
    let is_kept =
        ["await ", "return ", "yield ", "const ", "let ", "var ", "cy."].iter().any(|word| text.starts_with(word))
            || text.contains(" = ");
    let ends = |inner: &Node| ["done(", "resolve(", "end("].iter().any(|call| inner.text.contains(call));
    !is_kept && text.contains(").then(") && !node.blocks.iter().flatten().any(ends)
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

/// The names that a statement hands to a call: `run(check_all)`.
fn handed(text: &str) -> impl Iterator<Item = &str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(['(', ',']).filter_map(move |(at, _)| {
        let behind = text.get(at + 1..)?.trim_start();
        let (name, rest) = behind.split_at(behind.find(|c| !word(c))?);
        (!name.is_empty() && rest.trim_start().starts_with([')', ','])).then_some(name)
    })
}

/// Whether a name stands anywhere in a statement.
fn is_used(node: &Node, name: &str, depth: usize) -> bool {
    let inside = |inner: &Node| is_used(inner, name, depth + 1);
    mentions(&node.text, name) || depth < 64 && node.blocks.iter().flatten().any(inside)
}

//! The tests of a file by name, each with the checks that run and can fail.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::mask::{Masked, Reader};
use super::cases::{self, Lists};
use super::compiled::{self, short};
use super::count::{Counted, File, Helpers, flat};
use super::fakes::{self, Fakes};
use super::known::Known;
use super::shape::{Kind, Tongue, function, kind};
use super::tree::{Node, braced, indented};
use super::truth::Truth;
use super::unit::{Body, Unit};
use super::{begins, loaded};

/// What a file tests.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    pub(super) tests: Vec<Unit>,
    pub(super) helpers: Vec<Unit>,
    /// Why no test of the file runs.
    pub(super) off: Option<&'static str>,
    /// Under which conditions the file is compiled.
    pub(super) conditions: BTreeSet<String>,
    /// The modules in other files that it brings in.
    pub(super) modules: BTreeSet<String>,
}

impl Outline {
    /// How many tests run, with their cases.
    pub(super) fn cases(&self) -> u64 {
        let on = self.tests.iter().filter(|test| test.off.is_none());
        on.fold(0, |sum, test| sum.saturating_add(test.cases))
    }

    /// What the tests and their helpers check.
    pub(super) fn value(&self) -> u64 {
        let units = self.tests.iter().chain(&self.helpers);
        units.fold(0, |sum, unit| sum.saturating_add(unit.value()))
    }

    /// How many values more than one the checks compare that were not among these before.
    pub(super) fn new_parts(&self, before: &BTreeSet<&str>) -> u64 {
        let on = self.tests.iter().chain(&self.helpers).filter(|unit| unit.off.is_none());
        let new =
            on.flat_map(|unit| unit.parts.iter().map(move |(said, parts)| (said, parts.saturating_mul(unit.cases))));
        new.filter(|(said, _)| !before.contains(said.as_str())).fold(0, |sum, (_, parts)| sum.saturating_add(parts))
    }

    /// What its checks say.
    pub(super) fn said(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().chain(&self.helpers).flat_map(|unit| unit.checks.keys().map(String::as_str))
    }

    /// The functions that check something, with how much.
    pub(super) fn checking(&self) -> impl Iterator<Item = (&str, u64)> {
        self.helpers.iter().map(|unit| (unit.name.as_str(), unit.value())).filter(|(_, value)| *value > 0)
    }
}

/// A text, and how its language reads it.
pub(super) type View<'a> = (&'a str, &'a Masked);

/// The outline of a file; `None` if its strings and comments cannot be told from code. `elsewhere` are functions of other
/// files that check something.
pub(super) fn of(reader: Reader, text: &str, elsewhere: &Helpers) -> Option<Outline> {
    both(reader, Some((text, &reader.mask(text))), None, elsewhere).0
}

/// The outlines of a file before and after a change. A test that does not change is read once.
pub(super) fn both(
    reader: Reader,
    before: Option<View<'_>>,
    after: Option<View<'_>>,
    elsewhere: &Helpers,
) -> (Option<Outline>, Option<Outline>) {
    let tongue = match reader {
        Reader::Python => Tongue::Python,
        Reader::JavaScript { .. } => Tongue::JavaScript,
        Reader::Rust => Tongue::Rust,
        Reader::Go => Tongue::Go,
        Reader::Shell | Reader::Hash(_) => return (None, None),
    };
    let nodes = |view: &View<'_>| match tongue {
        Tongue::Python => indented(&view.1.code, &view.1.plain),
        _ => braced(&view.1.code, &view.1.plain, tongue != Tongue::Rust),
    };
    let is_sure = |(text, masked): &View<'_>| masked.sure >= text.len();
    let (before, after) = (before.filter(is_sure), after.filter(is_sure));
    let (old, new) = (before.as_ref().map(nodes), after.as_ref().map(nodes));
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let (old_tests, new_tests) = (of_tests(tongue, &old), of_tests(tongue, &new));
    let mut known = Known::default();
    let outline_before = before.map(|view| read(tongue, view, &old, &old_tests, elsewhere, &mut known));
    let outline_after = after.map(|view| read(tongue, view, &new, &new_tests, elsewhere, &mut known));
    (outline_before, outline_after)
}

/// The statements among which the tests are.
fn of_tests(tongue: Tongue, nodes: &[Node]) -> Cow<'_, [Node]> {
    // Beside the code, only functions of the tests help them.
    if tongue == Tongue::Rust && nodes.iter().any(|node| compiled::is_test_module(&node.text)) {
        nodes.iter().filter(|node| compiled::is_test_module(&node.text)).cloned().collect()
    } else {
        Cow::Borrowed(nodes)
    }
}

fn read<'n>(
    tongue: Tongue,
    (text, masked): View<'_>,
    nodes: &[Node],
    of_tests: &'n [Node],
    elsewhere: &Helpers,
    known: &mut Known<'n>,
) -> Outline {
    let lists = cases::lists(nodes);
    let mut reading = Reading {
        tongue,
        helpers: elsewhere.clone(),
        lists,
        around: Vec::new(),
        times: 1,
        fakes: Arc::default(),
        outline: Outline { conditions: compiled::conditions(tongue, &masked.code, text), ..Outline::default() },
    };
    let own = reading.checking_functions(of_tests);
    reading.helpers.extend(own);
    let of_modules = if tongue == Tongue::JavaScript { fakes::of_modules(nodes) } else { Fakes::default() };
    let of_file = fakes::of(tongue, of_tests, &|node| begins::test_name(tongue, node).is_some());
    reading.fakes = known.surroundings(&reading.helpers, &reading.lists, of_file.and(of_modules));
    reading.walk(of_tests, "", None, 0, known);
    reading.outline.off =
        reading.outline.off.or_else(|| loaded::replaced(tongue, nodes)).or_else(|| loaded::left(tongue, nodes));
    let shadows = loaded::undone(tongue, nodes);
    let mut outline = reading.outline;
    if tongue == Tongue::JavaScript {
        number(&mut outline.tests);
    }
    outline.modules = compiled::modules(tongue, nodes);
    shadow(&mut outline.tests, &shadows);
    outline
}

struct Reading {
    tongue: Tongue,
    helpers: Helpers,
    lists: Lists,
    /// The conditions of the groups around the statement.
    around: Vec<String>,
    /// How often the loops around the statement run.
    times: u64,
    /// What the file fakes for all of its tests.
    fakes: Arc<Fakes>,
    outline: Outline,
}

impl Reading {
    /// The functions that check something by themselves.
    fn checking_functions(&self, nodes: &[Node]) -> Helpers {
        let mut helpers = Helpers::new();
        self.collect_functions(nodes, &mut helpers, 0);
        helpers
    }

    fn collect_functions(&self, nodes: &[Node], into: &mut Helpers, depth: usize) {
        for node in nodes {
            let name = function(self.tongue, &node.text).filter(|_| begins::test_name(self.tongue, node).is_none());
            let is_class = node.text.starts_with("class ") || node.text.contains("impl ") || node.text.contains("mod ");
            if let Some(name) = name.filter(|_| !is_class) {
                let checks = self.count(node).total();
                if checks > 0 {
                    into.insert(name.to_owned(), checks);
                }
            } else if depth < 3 {
                node.blocks.iter().for_each(|block| self.collect_functions(block, into, depth + 1));
            }
        }
    }

    fn count(&self, node: &Node) -> Counted {
        let file = File { tongue: self.tongue, helpers: &self.helpers, lists: &[&self.lists], values: &[] };
        let mut sum = Counted::default();
        for block in &node.blocks {
            let counted = file.count(block);
            sum.join(&counted, 1);
            sum.left |= counted.left;
            sum.skipped |= counted.skipped;
        }
        sum
    }

    /// Collects the tests of a block. `off` is why nothing in it runs.
    fn walk<'n>(
        &mut self,
        nodes: &'n [Node],
        place: &str,
        off: Option<&'static str>,
        depth: usize,
        known: &mut Known<'n>,
    ) {
        let mut off = off;
        let mut marks: Vec<&'n Node> = Vec::new();
        for node in nodes {
            if self.tongue == Tongue::Python && node.text.starts_with('@') {
                marks.push(node);
                continue;
            }
            let headers: Vec<&'n str> =
                marks.iter().map(|mark| mark.said.as_str()).chain([node.said.as_str()]).collect();
            let skipped = marks
                .iter()
                .map(|mark| &mark.text)
                .chain([&node.text])
                .find_map(|h| begins::is_skipped(self.tongue, h));
            let own = off.or(skipped);
            if let Some(name) = begins::test_name(self.tongue, node) {
                let unit = self.unit_once(name, place, node, &headers, own, known);
                self.outline.tests.push(self.repeated(unit));
            } else if let Some(group) = begins::group(self.tongue, node).filter(|_| depth < 32) {
                let own = own.or_else(|| begins::hidden_class(self.tongue, node));
                let inner = format!("{place}{}\0", short(group));
                let outer = self.around.len();
                self.around.extend(compiled::compiled_under(self.tongue, &node.said));
                node.blocks.iter().for_each(|block| self.walk(block, &inner, own, depth + 1, known));
                self.around.truncate(outer);
            } else if let Some(name) = function(self.tongue, &node.text).filter(|_| !node.blocks.is_empty()) {
                let name = name.to_owned();
                let unit = self.unit_once(name, place, node, &headers, None, known);
                self.outline.helpers.push(unit);
            } else {
                match kind(self.tongue, node) {
                    Kind::Jump | Kind::Raise | Kind::Skip if depth > 0 => {
                        off = off.or(Some("the statement before it leaves the block"));
                    }
                    Kind::If(Truth::Never) => {
                        let never = Some("its condition never holds");
                        node.blocks.iter().for_each(|block| self.walk(block, place, never, depth + 1, known));
                    }
                    kind if depth < 32 => {
                        let outer = self.around.len();
                        if matches!(kind, Kind::If(Truth::Open) | Kind::ElseIf(_) | Kind::Else) {
                            self.around.push(format!("if: {}", short(node.said.clone())));
                        }
                        let own = off;
                        let once = self.times;
                        if let Kind::Loop(subject) = kind {
                            let times = cases::of_loop(node.spelled(subject), node, &[&self.lists]).unwrap_or(1);
                            self.times = once.saturating_mul(times.max(1));
                        }
                        node.blocks.iter().for_each(|block| self.walk(block, place, own, depth + 1, known));
                        self.times = once;
                        self.around.truncate(outer);
                    }
                    _ => {}
                }
            }
            marks.clear();
        }
    }

    /// The unit of a node; the one that was read before if nothing of it, nor around it, has changed.
    fn unit_once<'n>(
        &self,
        name: String,
        place: &str,
        node: &'n Node,
        headers: &[&'n str],
        off: Option<&'static str>,
        known: &mut Known<'n>,
    ) -> Unit {
        if let Some(unit) = known.unit(&name, place, node, headers, off, &self.around) {
            return unit;
        }
        let unit = self.unit(name, place, node, headers, off);
        known.remember(&unit, node, headers, off, &self.around);
        unit
    }

    /// The test as it runs in the loops around it.
    fn repeated(&self, mut unit: Unit) -> Unit {
        if self.times > 1 {
            let body = Arc::make_mut(&mut unit.body);
            body.cases = body.cases.saturating_mul(self.times);
        }
        unit
    }

    fn unit(&self, name: String, place: &str, node: &Node, headers: &[&str], off: Option<&'static str>) -> Unit {
        let mut counted = self.count(node);
        if self.tongue != Tongue::Python {
            // A test in one expression has no block.
            let file = File { tongue: self.tongue, helpers: &self.helpers, lists: &[&self.lists], values: &[] };
            let alone = Node { blocks: Vec::new(), line: node.line, ..body(node) };
            counted.join(&file.count(&[alone]), 1);
        }
        let (mut calls, mut statements) = (BTreeSet::new(), BTreeSet::new());
        node.blocks.iter().for_each(|block| gather(block, &mut calls, &mut statements, 0));
        let yields = self.tongue == Tongue::Python && node.blocks.iter().any(|block| has_yield(block, 0));
        let left = counted.checks.is_empty() && counted.skipped;
        let off = off.or(yields.then_some("it yields, so its body does not run")).or(left.then_some("it skips itself"));
        let of_headers = headers.iter().map(|header| fakes::of_header(self.tongue, header));
        let of_blocks = node.blocks.iter().map(|block| fakes::of(self.tongue, block, &|_| false));
        let fakes = of_headers.chain(of_blocks).fold(Fakes::default(), Fakes::and);
        let decorators = headers.split_last().map_or(&[][..], |(_, marks)| marks).iter().map(|mark| (*mark).to_owned());
        let marks =
            decorators.chain(compiled::compiled_under(self.tongue, &node.said)).chain(self.around.iter().cloned());
        let body = Body {
            cases: cases::of_test(self.tongue, headers, &[&self.lists]),
            checks: counted.checks,
            parts: counted.parts,
            marks: marks.collect(),
            calls,
            statements,
            fakes: fakes.within(&self.fakes),
        };
        Unit { name, place: place.to_owned(), line: node.line, off, body: Arc::new(body) }
    }
}

/// Whether a function of Python gives values as it goes, apart from the functions in it.
fn has_yield(nodes: &[Node], depth: usize) -> bool {
    nodes.iter().filter(|node| function(Tongue::Python, &node.text).is_none()).any(|node| {
        node.said.starts_with("yield") || depth < 32 && node.blocks.iter().any(|block| has_yield(block, depth + 1))
    })
}

/// What stands behind the arrow of a test that is one expression.
fn body(node: &Node) -> Node {
    let behind = |view: &str, at: usize| view.get(at + 2..).unwrap_or_default().trim_end_matches([')', ';']).to_owned();
    match node.text.rfind("=>").filter(|_| node.text.contains("expect") || node.text.contains("assert")) {
        Some(at) if node.blocks.is_empty() => {
            let (text, said) = (behind(&node.text, at), behind(&node.said, at));
            let indent = text.len() - text.trim_start().len();
            Node {
                text: text.trim().to_owned(),
                said: said.get(indent..).unwrap_or_default().trim_end().to_owned(),
                ..Node::default()
            }
        }
        _ => Node::default(),
    }
}

/// Beginnings of the names of checks, and of what stands in them.
const OF_CHECKS: [&str; 11] =
    ["assert", "expect", "tobe", "toequal", "raises", "equal", "errorf", "fatalf", "len", "it", "test"];

fn gather(nodes: &[Node], calls: &mut BTreeSet<String>, statements: &mut BTreeSet<String>, depth: usize) {
    let is_of_check = |name: &str| {
        let begins = |word: &str| name.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        OF_CHECKS.iter().any(|word| begins(word))
    };
    for node in nodes {
        statements.insert(flat(&node.with_constants()));
        for name in before_parentheses(&node.text).filter(|name| !is_of_check(name)) {
            if !calls.contains(name) {
                calls.insert(name.to_owned());
            }
        }
        if depth < 64 {
            node.blocks.iter().for_each(|block| gather(block, calls, statements, depth + 1));
        }
    }
}

/// The names before opening parentheses, also those of macros.
fn before_parentheses(text: &str) -> impl Iterator<Item = &str> {
    memchr::memchr_iter(b'(', text.as_bytes()).filter_map(|at| {
        let before = text.get(..at)?.trim_ascii_end();
        let before = before.strip_suffix('!').map_or(before, str::trim_ascii_end);
        let name = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        before.get(name.len()..).filter(|name| !name.is_empty())
    })
}

/// Tells tests of one name and place apart by their order: in JavaScript, all of them run.
fn number(tests: &mut [Unit]) {
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for test in tests {
        let count = seen.entry((test.place.clone(), test.name.clone())).or_default();
        *count += 1;
        if *count > 1 {
            test.place = format!("{}\0{count}", test.place);
        }
    }
}

/// Marks the tests that a later one of the same name, or another value, takes the place of.
fn shadow(tests: &mut [Unit], undone: &BTreeSet<String>) {
    let mut seen = BTreeSet::new();
    for test in tests.iter_mut().rev() {
        let is_function = test.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let is_gone = undone.contains(&test.name)
            || test.place.split('\0').next().is_some_and(|class| !class.is_empty() && undone.contains(class));
        if is_function && (!seen.insert((test.place.clone(), test.name.clone())) || is_gone) {
            test.off = test.off.or(Some("something else takes its name"));
        }
    }
}

//! The tests of a file by name, each with the checks that run and can fail.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;
use sha2::{Digest as _, Sha256};

use super::super::mask::{Masked, Reader};
use super::cases::{self, Lists};
use super::count::{Counted, File, Helpers, flat};
use super::expression::ascii;
use super::fakes::{self, Fakes};
use super::known::Known;
use super::shape::{Kind, Tongue, function, kind};
use super::tree::{Node, braced, indented};
use super::truth::Truth;
use super::unit::{Body, Unit};
use crate::digest::hex;

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
    if tongue == Tongue::Rust && nodes.iter().any(|node| is_test_module(&node.text)) {
        nodes.iter().filter(|node| is_test_module(&node.text)).cloned().collect()
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
        fakes: Arc::default(),
        outline: Outline { conditions: conditions(tongue, &masked.code, text), ..Outline::default() },
    };
    let own = reading.checking_functions(of_tests);
    reading.helpers.extend(own);
    let of_modules = if tongue == Tongue::JavaScript { fakes::of_modules(nodes) } else { Fakes::default() };
    let of_file = fakes::of(tongue, of_tests, &|node| reading.test_name(node).is_some());
    reading.fakes = known.surroundings(&reading.helpers, &reading.lists, of_file.and(of_modules));
    reading.walk(of_tests, "", None, 0, known);
    reading.outline.off = reading.outline.off.or_else(|| replaced(tongue, nodes)).or_else(|| left(tongue, nodes));
    let shadows = undone(tongue, nodes);
    let mut outline = reading.outline;
    outline.modules = modules(tongue, nodes);
    shadow(&mut outline.tests, &shadows);
    outline
}

/// Whether this is a module that is compiled for tests only.
fn is_test_module(text: &str) -> bool {
    text.contains("mod ") && (text.contains("cfg(test") || text.contains("cfg(all(test"))
}

/// The conditions under which Rust compiles the code below these attributes.
fn compiled_under(tongue: Tongue, header: &str) -> Vec<String> {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| ascii(r"#\s*\[\s*cfg\s*\(([^\]]*)\)\s*\]"));
    if tongue != Tongue::Rust {
        return Vec::new();
    }
    let found = CONDITION.captures_iter(header.as_bytes()).filter_map(|found| found.get(1));
    let conditions = found.map(|condition| String::from_utf8_lossy(condition.as_bytes()).trim().to_owned());
    let conditions = conditions.filter(|condition| condition != "test");
    conditions.map(|condition| format!("#[cfg({})]", short(condition))).collect()
}

/// The modules in other files that a source of Rust brings in.
fn modules(tongue: Tongue, nodes: &[Node]) -> BTreeSet<String> {
    let alone = nodes.iter().filter(|node| tongue == Tongue::Rust && node.blocks.is_empty());
    let named = alone.filter_map(|node| node.text.rsplit_once("mod "));
    named.map(|(_, name)| name.trim().to_owned()).filter(|name| !name.contains(' ')).collect()
}

/// The conditions of a whole file: build tags, `#![cfg(…)]`.
fn conditions(tongue: Tongue, code: &str, text: &str) -> BTreeSet<String> {
    let lines = match tongue {
        Tongue::Go => text,
        Tongue::Rust => code,
        Tongue::Python | Tongue::JavaScript => return BTreeSet::new(),
    };
    let tags = lines
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("//go:build") || line.starts_with("// +build") || line.starts_with("#![cfg("));
    tags.map(str::to_owned).collect()
}

struct Reading {
    tongue: Tongue,
    helpers: Helpers,
    lists: Lists,
    /// The conditions of the groups around the statement.
    around: Vec<String>,
    /// What the file fakes for all of its tests.
    fakes: Arc<Fakes>,
    outline: Outline,
}

/// What marks a test as skipped, in the text before its body.
fn is_skipped(tongue: Tongue, header: &str) -> Option<&'static str> {
    static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
        ascii(r"^@(?:\w+\s*\.\s*)*(?:skip\w*|xfail|expectedFailure|expected_failure|disabled?|ignored?|property)\b")
    });
    static JAVASCRIPT: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:x(?:it|test|describe|context|specify|suite)\b|\w+(?:\s*\.\s*\w+)*?\s*\.\s*(?:skip\w*|todo\w*|ignore|fails|failing|fixme|fail|runIf)\b)|^\w+(?:\s*\.\s*\w+)*\s*\([^(]*\{\s*(?:skip|todo|ignore|fails|expectFailure)\s*:|=>\s*(?:async\s*)?\([^()]*\)\s*=>\s*\{\}\s*\)*;?$",
        )
    });
    static RUST: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"#\s*\[\s*(?:ignore\b|should_panic\b|cfg_attr\s*\([^\]]*\b(?:ignore|should_panic)\b)"));
    // Ginkgo.
    static GO: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:var\s+\w+\s*=\s*)?[PX](?:It|Specify|Entry|Describe|DescribeTable|Context|When)\s*\(|^(?:var\s+\w+\s*=\s*)?(?:It|Specify|Entry|Describe|DescribeTable|Context|When)\s*\(.*,\s*Pending\s*,",
        )
    });
    let regex: &Regex = match tongue {
        Tongue::Python => &PYTHON,
        Tongue::JavaScript => &JAVASCRIPT,
        Tongue::Rust => &RUST,
        Tongue::Go => &GO,
    };
    regex.is_match(header.as_bytes()).then_some("it is marked as skipped, or as failing")
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
            let name = function(self.tongue, &node.text).filter(|_| self.test_name(node).is_none());
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
            for (said, weight) in counted.checks {
                *sum.checks.entry(said).or_default() += weight;
            }
            sum.parts.extend(counted.parts);
            sum.left |= counted.left;
            sum.skipped |= counted.skipped;
        }
        sum
    }

    /// The name of the test that a statement defines.
    fn test_name(&self, node: &Node) -> Option<String> {
        match self.tongue {
            Tongue::Python => {
                let text = node.text.strip_prefix("async ").map_or(node.text.as_str(), str::trim_start);
                let name = text.strip_prefix("def ").and_then(|_| function(Tongue::Python, text))?;
                (name.starts_with("test") && !node.blocks.is_empty()).then(|| name.to_owned())
            }
            Tongue::JavaScript => {
                static CALL: LazyLock<Regex> = LazyLock::new(|| {
                    ascii(
                        r"^(?:await\s+)?(?:x?it|x?test|fit|x?specify|Deno\s*\.\s*test|t\s*\.\s*test)\b(?:\s*\.\s*\w+)*\s*(?:\(|`)",
                    )
                });
                CALL.is_match(node.text.as_bytes()).then(|| first_string(&node.said))
            }
            Tongue::Rust => {
                static MARK: LazyLock<Regex> = LazyLock::new(|| {
                    ascii(r"#\s*\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b")
                });
                let name = function(Tongue::Rust, &node.text)?;
                MARK.is_match(node.text.as_bytes()).then(|| name.to_owned())
            }
            Tongue::Go => {
                static CALL: LazyLock<Regex> = LazyLock::new(|| ascii(r"^[FPX]?(?:It|Specify|DescribeTable)\s*\("));
                if CALL.is_match(node.text.as_bytes()) {
                    return Some(first_string(&node.said));
                }
                let name = function(Tongue::Go, &node.text)?;
                let is_named = |word: &&str| {
                    name.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
                };
                let named = ["Test", "Fuzz", "Example"].iter().any(is_named) && name != "TestMain";
                (named && !node.blocks.is_empty()).then(|| name.to_owned())
            }
        }
    }

    /// Whether a statement groups tests, and the name of the group.
    fn group(&self, node: &Node) -> Option<String> {
        let text = node.text.as_str();
        match self.tongue {
            Tongue::Python => {
                text.starts_with("class ").then(|| function(Tongue::Python, text).unwrap_or("").to_owned())
            }
            Tongue::JavaScript => {
                static CALL: LazyLock<Regex> =
                    LazyLock::new(|| ascii(r"^(?:x|f)?(?:describe|suite|context)\b(?:\s*\.\s*\w+)*\s*(?:\(|`)"));
                CALL.is_match(text.as_bytes()).then(|| first_string(&node.said))
            }
            Tongue::Rust => {
                static MOD: LazyLock<Regex> = LazyLock::new(|| ascii(r"\bmod\s+(\w+)\s*\{\}$|\bproptest\s*!\s*\{\}$"));
                let found = MOD.captures(text.as_bytes())?;
                Some(
                    found.get(1).map_or_else(String::new, |name| String::from_utf8_lossy(name.as_bytes()).into_owned()),
                )
            }
            Tongue::Go => {
                static CALL: LazyLock<Regex> =
                    LazyLock::new(|| ascii(r"^(?:var\s+\w+\s*=\s*)?[FPX]?(?:Describe|Context|When)\s*\("));
                CALL.is_match(text.as_bytes()).then(|| first_string(&node.said))
            }
        }
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
            let skipped =
                marks.iter().map(|mark| &mark.text).chain([&node.text]).find_map(|h| is_skipped(self.tongue, h));
            let own = off.or(skipped);
            if let Some(name) = self.test_name(node) {
                let unit = self.unit_once(name, place, node, &headers, own, known);
                self.outline.tests.push(unit);
            } else if let Some(group) = self.group(node).filter(|_| depth < 32) {
                let own = own.or_else(|| hidden_class(self.tongue, node));
                let inner = format!("{place}{}\0", short(group));
                let outer = self.around.len();
                self.around.extend(compiled_under(self.tongue, &node.said));
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
                        node.blocks.iter().for_each(|block| self.walk(block, place, own, depth + 1, known));
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

    fn unit(&self, name: String, place: &str, node: &Node, headers: &[&str], off: Option<&'static str>) -> Unit {
        let mut counted = self.count(node);
        if self.tongue != Tongue::Python {
            // A test in one expression has no block.
            let file = File { tongue: self.tongue, helpers: &self.helpers, lists: &[&self.lists], values: &[] };
            let alone = Node { blocks: Vec::new(), line: node.line, ..body(node) };
            for (said, weight) in file.count(&[alone]).checks {
                *counted.checks.entry(said).or_default() += weight;
            }
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
        let marks = decorators.chain(compiled_under(self.tongue, &node.said)).chain(self.around.iter().cloned());
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

/// A text that each test of a group keeps: of a long one, its digest.
fn short(text: String) -> String {
    const MAX_BYTES: usize = 256;
    if text.len() <= MAX_BYTES { text } else { hex(&Sha256::digest(text.as_bytes())) }
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

/// A class whose tests pytest does not collect: neither its name nor a base says so, or it has a constructor.
fn hidden_class(tongue: Tongue, node: &Node) -> Option<&'static str> {
    let rest = node.text.strip_prefix("class ").filter(|_| tongue == Tongue::Python)?;
    let has_base = rest.contains('(') && !rest.contains("()") && !rest.contains("(object)");
    let constructs = node.blocks.iter().flatten().any(|inner| inner.text.starts_with("def __init__"));
    let unlisted = node.blocks.iter().flatten().any(|inner| {
        inner
            .text
            .strip_prefix("__test__")
            .is_some_and(|rest| rest.trim_start().trim_start_matches('=').trim() == "False")
    });
    let runs_itself = rest.contains("TestCase")
        && node.blocks.iter().flatten().any(|inner| {
            let own = ["def run(self", "def __call__(self"].iter().any(|start| inner.text.starts_with(start));
            own && !inner.blocks.iter().flatten().any(|inner| inner.text.contains("super("))
        });
    if runs_itself {
        return Some("its class does not run its tests");
    }
    let named = rest.starts_with("Test");
    (unlisted || !has_base && (!named || constructs)).then_some("its class is not collected")
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

/// The first string of a statement.
fn first_string(said: &str) -> String {
    let Some(at) = said.find(['"', '\'', '`']) else { return said.to_owned() };
    let rest = said.get(at + 1..).unwrap_or_default();
    let quote = said.as_bytes().get(at).copied().map(char::from).unwrap_or_default();
    rest.split(quote).next().unwrap_or_default().to_owned()
}

/// Why a file ends while it is loaded, before its tests run.
fn left(tongue: Tongue, nodes: &[Node]) -> Option<&'static str> {
    const WHY: &str = "the file ends the process, or skips itself, when it is loaded";
    let leaves = |node: &Node| match kind(tongue, node) {
        Kind::Skip => true,
        Kind::Jump => node.text.contains("exit") || node.text.starts_with("quit"),
        Kind::Raise => node.text.contains("SystemExit") || node.text.contains("SkipTest"),
        _ => false,
    };
    let starts = |node: &&Node, word: &str| node.text.starts_with(word);
    match tongue {
        Tongue::Go => {
            let exits = |name: &str, spared: &str| {
                let mut found = nodes.iter().filter(|node| starts(node, &format!("func {name}(")));
                found.any(|node| {
                    let inner = || node.blocks.iter().flatten();
                    inner().any(|inner| {
                        ["os.Exit(", "syscall.Exit(", "flag.Set("].iter().any(|call| inner.text.contains(call))
                    }) && (spared.is_empty() || !inner().any(|inner| inner.text.contains(spared)))
                })
            };
            let runs = |node: &Node| node.blocks.iter().flatten().any(|inner| inner.text.contains(".Run("));
            let never_runs = nodes.iter().any(|node| starts(&node, "func TestMain(") && !runs(node));
            (exits("init", "") || exits("TestMain", ".Run(") || never_runs).then_some(WHY)
        }
        Tongue::Rust => None,
        Tongue::Python | Tongue::JavaScript => {
            let top = nodes.iter().filter(|node| {
                !(node.text.contains("__name__")
                    || node.text.contains("require.main")
                    || node.text.contains("import.meta"))
            });
            let any = top.flat_map(|node| {
                let is_open =
                    function(tongue, &node.text).is_none() && matches!(kind(tongue, node), Kind::If(_) | Kind::Try);
                let inner: Vec<&Node> = if is_open { node.blocks.iter().flatten().collect() } else { Vec::new() };
                inner.into_iter().chain([node])
            });
            any.into_iter().any(leaves).then_some(WHY)
        }
    }
}

/// Whether a file puts something else in place of the checks.
fn replaced(tongue: Tongue, nodes: &[Node]) -> Option<&'static str> {
    static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
        ascii(concat!(
            r"\b(?:TestCase|unittest|builtins|pytest|np\s*\.\s*testing)\s*(?:\.\s*\w+)*\.\s*(?:assert\w*|fail\w*|raises|AssertionError)\s*=[^=]",
            r"|^def\s+assert[A-Z]\w*\s*\(\s*self[^)]*\)[^:]*:$|^(?:AssertionError|pytest)\s*=[^=]|\bsetattr\s*\([^,]*(?:TestCase|unittest|pytest)",
            r"|^(?:len|all|any|sorted|isinstance|str|repr|sum|set|list|abs|round)\s*=\s*lambda\b|\bdel\s+globals\s*\(|\bglobals\s*\(\s*\)\s*\.\s*(?:pop|clear)\b|\bpytest\s*\.\s*\w+\s*=[^=]|^failureException\s*=|\bself\s*\.\s*(?:assert|fail)\w*\s*=[^=]|\baddTypeEqualityFunc\s*\(",
            r"|\bTestReport\b[^=]*=[^=]|\bunittest\s*\.\s*main\s*=|\bTestCase\s*\.\s*run\s*=|^def\s+load_tests\s*\(",
        ))
    });
    static JAVASCRIPT: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:const|let|var|function)\s+(?:expect|assert|it|test|describe)\b\s*(?::[^=]*)?(?:=\s*(?:\(|\w+\s*=>|function|new\s+Proxy)|\()|\bObject\s*\.\s*assign\s*\(\s*(?:assert|expect)\b|^expect\s*\.\s*extend\s*\(\s*\{\s*(?:toBe|toEqual|toStrictEqual|toThrow)\b|\b(?:globalThis|global|window)\s*\.\s*(?:expect|assert|it|test)\s*=[^=]|\bassert\s*\.\s*\w+\s*=[^=]",
        )
    });
    static RUST: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\bmacro_rules\s*!\s*(?:assert|assert_eq|assert_ne|panic)\b|\buse\s+(?:crate|super|self)\s*::[^;]*\b(?:assert|assert_eq|assert_ne)\s*[;,}]",
        )
    });
    static GO: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"\bnew\s*\(\s*testing\s*\.\s*T\s*\)|&\s*testing\s*\.\s*T\s*\{"));
    let regex: &Regex = match tongue {
        Tongue::Python => &PYTHON,
        Tongue::JavaScript => &JAVASCRIPT,
        Tongue::Rust => &RUST,
        Tongue::Go => &GO,
    };
    let here = |node: &Node| {
        let own = regex.is_match(node.text.as_bytes());
        // A check of one's own may check something; one that does not is no check.
        own && !(node.text.starts_with("def ")
            && node
                .blocks
                .iter()
                .flatten()
                .any(|inner| inner.text.contains("assert") || inner.text.starts_with("raise")))
    };
    is_anywhere(nodes, &here, 0).then_some("its checks are replaced by something else")
}

/// Whether this holds for a statement of a group of tests, or of what stands in the group.
fn is_anywhere(nodes: &[Node], here: &dyn Fn(&Node) -> bool, depth: usize) -> bool {
    nodes
        .iter()
        .any(|node| here(node) || depth < 2 && node.blocks.iter().any(|block| is_anywhere(block, here, depth + 1)))
}

/// The names of tests, and of classes of tests, that a file gives to something else, or deletes, in its own statements.
fn undone(tongue: Tongue, nodes: &[Node]) -> BTreeSet<String> {
    let all = nodes.iter().chain(nodes.iter().flat_map(|node| node.blocks.iter().flatten()));
    let names = all.filter_map(|node| {
        let deleted = node.text.strip_prefix("del ").map(|rest| rest.split(['.', ',']).next_back().unwrap_or(rest));
        if node.text.starts_with("delattr(") {
            return Some(first_string(&node.said));
        }
        let given = || node.text.split_once('=').filter(|(_, value)| !value.starts_with('=')).map(|(name, _)| name);
        deleted.or_else(given).map(|name| name.rsplit('.').next().unwrap_or(name).trim().to_owned())
    });
    // A class may go once another one has its tests.
    let bases: BTreeSet<&str> = nodes
        .iter()
        .filter_map(|node| node.text.strip_prefix("class ")?.split_once('('))
        .flat_map(|(_, bases)| bases.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .collect();
    let is_class = |name: &str| tongue == Tongue::Python && name.contains("Test") && !bases.contains(name);
    names.filter(|name| name.starts_with("test") || is_class(name)).collect()
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

//! Finds the tests that a change weakens.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::super::super::added::{AddedLine, added, removed};
use super::super::super::{ApprovedChange, BlobState, Violation};
use super::super::language::{Language, is_foreign_test, is_test, languages};
use super::super::mask::{Masked, Reader};
use super::balance::{self, Lines, Moves, Place};
use super::changed::Changed;
use super::compare::{Loss, Sides, losses};
use super::count::Helpers;
use super::outline::{self, Outline};
use super::{rows, unproved, unread};
use crate::patch::{FilePatch, LineKind, shown};
use crate::path::RepoPath;
use crate::validation::WeakenedTest;

/// The rule that a test is found to break by comparing it with what it was before.
pub(in super::super) const RULE: &str = "weakened-test";

const HINT: &str = "change the code to pass the test, not the test to pass the code";

/// What a change does to tests.
#[derive(Default)]
pub(in super::super) struct Weakened {
    /// For each change, in their order.
    pub(in super::super) violations: Vec<Vec<Violation>>,
    /// The tests that check less.
    pub(in super::super) tests: Vec<WeakenedTest>,
}

/// Looks at all changes together, since a test may move between files. `whole` says that the base is known, and not
/// only what the diff shows of it.
pub(in super::super) fn check(changes: &[ApprovedChange], files: &[FilePatch], whole: bool) -> Weakened {
    let holds = |change: &ApprovedChange| is_test(&change.path) || holds_tests(change);
    if !changes.iter().any(holds) {
        return Weakened { violations: vec![Vec::new(); changes.len()], tests: Vec::new() };
    }
    let mut read: Vec<Read<'_>> = changes.iter().zip(files).map(|(change, file)| Read::new(change, file)).collect();
    share_helpers(&mut read);
    let moves = Moves::of(read.iter().map(|read| &read.lines));
    let sides: Vec<Sides> = read.iter().map(Read::sides).collect();
    let found = losses(&sides);
    // Outlines count better than lines do, if every file has one.
    let old = || read.iter().filter_map(|read| read.before.as_ref());
    let new = || read.iter().filter_map(|read| read.after.as_ref());
    let keeps_cases = || sum(old().map(Outline::cases)) <= sum(new().map(Outline::cases));
    let keeps_checks = || {
        let said: BTreeSet<&str> = old().flat_map(Outline::said).collect();
        let gained = new().map(|outline| outline.value().saturating_add(outline.new_parts(&said)));
        sum(old().map(Outline::value)) <= sum(gained)
    };
    // Several tests may become one, if each is found there.
    let keeps_tests = found.is_empty() || keeps_cases();
    let is_proven = whole && read.iter().all(Read::is_outlined) && keeps_tests && keeps_checks();
    let judged = read.iter().enumerate().map(|(at, file)| {
        let own: Vec<&Loss> = found.iter().filter(|loss| loss.file == at).collect();
        let reappears = || changes.iter().any(|other| has_moved(file.change, other));
        file.judge(&moves, &own, is_proven && own.is_empty(), reappears)
    });
    let violations = judged.collect();
    let tests = found.iter().filter_map(|loss| {
        let path = changes.get(loss.file)?.path.to_string();
        Some(WeakenedTest { path, name: loss.name.clone(), why: loss.why.clone() })
    });
    Weakened { violations, tests: tests.collect() }
}

/// The line from 1 on which the tests of a source of Rust begin, beside the code.
fn tests_begin(text: &str) -> u64 {
    let begins =
        |line: &str| line.trim_start().starts_with("#[") && (line.contains("cfg(test)") || line.contains("test]"));
    (1..).zip(text.lines()).find(|(_, line)| begins(line)).map_or(u64::MAX, |(number, _)| number)
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Whether a source of Rust holds tests beside the code.
fn holds_tests(change: &ApprovedChange) -> bool {
    let marked = |state: &Option<BlobState>| {
        state.as_ref().is_some_and(|state| {
            let has = |mark: &[u8]| memchr::memmem::find(&state.content, mark).is_some();
            has(b"test]") || has(b"cfg(test)")
        })
    };
    change.path.file_name().rsplit_once('.').is_some_and(|(_, extension)| extension == "rs")
        && (marked(&change.before) || marked(&change.after))
}

/// Whether the other change makes the same file, at a place where tests are found as well.
fn has_moved(change: &ApprovedChange, other: &ApprovedChange) -> bool {
    let (before, after) = (change.before.as_ref(), other.after.as_ref());
    let same = before.zip(after).is_some_and(|(old, new)| !old.content.is_empty() && old.content == new.content);
    same && other.before.is_none() && is_test(&other.path) && is_discovered(&change.path) == is_discovered(&other.path)
}

/// Whether the common runners look for tests in a file of this name.
fn is_discovered(path: &RepoPath) -> bool {
    let lower = path.as_str().to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let passed_over = |folder: &str| {
        folder.starts_with('.')
            || matches!(folder, "node_modules" | "build" | "dist" | "venv" | "vendor" | "testdata")
            || folder.starts_with('_') && folder != "__tests__"
    };
    if folders.split('/').any(passed_over) {
        return false;
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "py" => stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests"),
        "go" => stem.ends_with("_test") && !stem.starts_with(['_', '.']) && !is_of_one_system(stem),
        "java" | "kt" | "kts" | "groovy" | "scala" => {
            ["test", "tests", "testcase", "spec", "specs", "suite"].iter().any(|end| stem.ends_with(end))
                || stem.starts_with("test")
                || path.file_name().contains("IT.")
        }
        "rb" => stem.ends_with("_spec") || stem.ends_with("_test") || stem.starts_with("test_"),
        "php" => stem.ends_with("test") || stem.ends_with("spec") || stem.ends_with("cest"),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => {
            let named = [".test", ".spec", "-test", "_test", "-spec", "_spec"].iter().any(|end| stem.ends_with(end));
            let placed =
                folders.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec" | "specs"));
            named || placed && !stem.contains(".d") || stem.starts_with("test-") || stem == "test"
        }
        "rs" => true,
        _ => is_test(path),
    }
}

/// Whether Go compiles a test only for one system, because of its file's name.
fn is_of_one_system(stem: &str) -> bool {
    const SYSTEMS: &[&str] = &[
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "illumos",
        "ios",
        "js",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
        "386",
        "arm",
        "arm64",
        "loong64",
        "mips",
        "mips64",
        "ppc64",
        "ppc64le",
        "riscv64",
        "s390x",
        "wasm",
    ];
    let end = stem.trim_end_matches("_test").rsplit_once('_');
    end.is_some_and(|(_, end)| SYSTEMS.contains(&end))
}

/// Most functions of other files that are looked for.
const MAX_SHARED: usize = 500;

/// Reads files again that call a function which checks something and stands in another file of the change, as it does
/// after a move.
fn share_helpers(read: &mut [Read<'_>]) {
    for is_after in [false, true] {
        let mut all: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        for (at, read) in read.iter().enumerate() {
            let outline = if is_after { &read.after } else { &read.before };
            for (name, value) in outline.iter().flat_map(Outline::checking) {
                if all.len() < MAX_SHARED {
                    all.entry(name.to_owned()).or_insert((at, value));
                }
            }
        }
        for (at, read) in read.iter_mut().enumerate() {
            let reader = read.reader;
            let (outline, state) = if is_after {
                (&mut read.after, read.change.after.as_ref())
            } else {
                (&mut read.before, read.change.before.as_ref())
            };
            let (Some(own), Some(state)) = (outline.as_ref(), state) else { continue };
            let calls = |name: &String| own.tests.iter().chain(&own.helpers).any(|unit| unit.calls.contains(name));
            let others = all.iter().filter(|(name, (place, _))| *place != at && calls(name));
            let others: Helpers = others.map(|(name, (_, value))| (name.clone(), *value)).collect();
            if !others.is_empty() {
                *outline = reader.and_then(|reader| outline::of(reader, &shown(&state.content), &others));
            }
        }
    }
}

/// A change as it is read here.
struct Read<'a> {
    change: &'a ApprovedChange,
    reader: Option<Reader>,
    lines: Lines,
    before: Option<Outline>,
    after: Option<Outline>,
    /// Whether the runner's language is read, so that an outline can be expected.
    known: bool,
}

impl<'a> Read<'a> {
    fn new(change: &'a ApprovedChange, file: &FilePatch) -> Self {
        let is_test = is_test(&change.path);
        let (before, after) = (text(change.before.as_ref()), text(change.after.as_ref()));
        let either = if change.after.is_some() { &after } else { &before };
        let spoken = languages(&change.path, either.lines().next().unwrap_or_default());
        let reader = Reader::of(&change.path, spoken).filter(|reader| reader.tells_strings());
        if !is_test && !holds_tests(change) {
            return Self { change, reader, lines: Lines::default(), before: None, after: None, known: false };
        }
        let mask = |text: &str| reader.map(|reader| reader.mask(text));
        let (masked_before, masked_after) = (mask(&before), mask(&after));
        let (old, new) = ((&*before, masked_before.as_ref()), (&*after, masked_after.as_ref()));
        let outlines = reader.map(|reader| {
            let view_before = change.before.as_ref().and(old.1).map(|masked| (old.0, masked));
            let view_after = change.after.as_ref().and(new.1).map(|masked| (new.0, masked));
            outline::both(reader, view_before, view_after, &Helpers::new())
        });
        let (outline_before, outline_after) = outlines.unwrap_or_default();
        let mut lines = lines(spoken, file, old, new);
        if !is_test {
            lines.keep_from(tests_begin(&before), tests_begin(&after));
        }
        Self { change, reader, lines, before: outline_before, after: outline_after, known: true }
    }

    fn sides(&self) -> Sides {
        let is_outlined = self.is_outlined();
        let side = |outline: &Option<Outline>| outline.clone().filter(|_| is_outlined);
        let discovered = is_discovered(&self.change.path);
        Sides { discovered, before: side(&self.before), after: side(&self.after) }
    }

    fn loses_rows(&self) -> Option<String> {
        let (before, after) = (self.change.before.as_ref(), self.change.after.as_ref());
        after.and_then(|_| rows::fewer(&text(before), &text(after)))
    }

    /// What the changed lines do not show, by their words.
    fn unproved(&self) -> Option<String> {
        let path = &self.change.path;
        let (before, after) = (text(self.change.before.as_ref()), text(self.change.after.as_ref()));
        let stem = path.file_name().split('.').next().unwrap_or_default();
        let changed = Changed {
            lines: &self.lines,
            stem,
            before: &before,
            after: &after,
            is_outlined: self.is_outlined(),
            is_prose: [".robot", ".feature", ".resource"].iter().any(|end| path.as_str().ends_with(end)),
            is_foreign: is_foreign_test(path),
            helpers: self.after.iter().flat_map(Outline::checking).map(|(name, _)| name).collect(),
        };
        self.known.then(|| unproved::why(&changed)).flatten()
    }

    /// Whether there is an outline for each side that there is.
    fn is_outlined(&self) -> bool {
        let lacks = |state: &Option<BlobState>, outline: &Option<Outline>| state.is_some() && outline.is_none();
        !self.known || !lacks(&self.change.before, &self.before) && !lacks(&self.change.after, &self.after)
    }

    fn judge(&self, moves: &Moves, losses: &[&Loss], is_proven: bool, reappears: impl Fn() -> bool) -> Vec<Violation> {
        let path = &self.change.path;
        let mut violations = Vec::new();
        if is_test(path) {
            if self.change.after.is_none() {
                let kept = if is_proven && self.before.as_ref().is_some_and(|outline| !outline.tests.is_empty()) {
                    true
                } else {
                    losses.is_empty() && balance::is_elsewhere(&self.lines, moves) || reappears() && losses.is_empty()
                };
                let hint = "keep the test, or let a person delete it";
                return (!kept)
                    .then(|| Violation::reject("test-deleted", "this test file is deleted", hint).at(path))
                    .into_iter()
                    .collect();
            }
            if !is_proven {
                violations.extend(balance::fewer(path, &self.lines, moves));
            }
            violations.extend(balance::looser(path, &self.lines));
            let skip = self.lines.skip.filter(|_| !self.is_outlined());
            violations
                .extend(skip.map(|line| weakened(path, "this line can skip a test, or always holds").on_line(line)));
            let weaker = (!self.is_outlined()).then(|| unread::weaker(path, &self.lines).or_else(|| self.loses_rows()));
            violations.extend(weaker.flatten().map(|why| weakened(path, &why)));
            let hidden = balance::hidden(&self.lines).filter(|_| !self.is_outlined());
            violations.extend(hidden.map(|name| weakened(path, &format!("no runner sees `{name}` any more"))));
        }
        if violations.is_empty() && losses.is_empty() && self.change.before.is_some() {
            violations.extend(self.unproved().map(|why| weakened(path, &why)));
        }
        let is_rejected = !violations.is_empty();
        let mut gone: Vec<&str> = Vec::new();
        for loss in losses {
            let of =
                loss.name.as_ref().map_or_else(|| "the tests of this file".to_owned(), |name| format!("test `{name}`"));
            match (loss.line, &loss.name) {
                (None, Some(name)) => gone.push(name),
                (line, _) => {
                    let violation = weakened(path, &format!("{of}: {}", loss.why));
                    violations.push(Violation { line, ..violation });
                }
            }
        }
        if !gone.is_empty() && !is_rejected {
            violations.push(weakened(path, &format!("tests are gone, or no runner finds them: {}", gone.join(", "))));
        }
        violations
    }
}

fn weakened(path: &RepoPath, message: &str) -> Violation {
    Violation::flag(RULE, message, HINT).at(path)
}

fn text(state: Option<&BlobState>) -> Cow<'_, str> {
    state.map_or_else(Default::default, |state| shown(&state.content))
}

/// What a file loses and gains, as code where that is known.
fn lines(
    spoken: &[Language],
    file: &FilePatch,
    (before, masked_before): (&str, Option<&Masked>),
    (after, masked_after): (&str, Option<&Masked>),
) -> Lines {
    let view = |text: &str,
                masked: Option<&Masked>,
                lines: Vec<AddedLine<'_>>,
                places: Vec<Place>|
     -> (Vec<(String, String)>, Vec<Place>) {
        let owned = |line: &AddedLine<'_>| line.text.to_owned();
        let Some(masked) = masked else {
            let said = lines.iter().zip(places).filter(|(line, _)| !balance::looks_like_comment(line.text));
            return said.map(|(line, place)| ((owned(line), owned(line)), place)).unzip();
        };
        let code = Masked::lines(text, &masked.code, &lines);
        let plain = Masked::lines(text, &masked.plain, &lines);
        let both = code.iter().zip(&plain).map(|(code, plain)| (owned(code), owned(plain)));
        // Behind a place that could not be read, a comment is still no check.
        let is_code = |code: &str| masked.sure == text.len() || !balance::looks_like_comment(code);
        both.zip(places).filter(|((code, _), _)| is_code(code)).unzip()
    };
    let is_code = !spoken.is_empty();
    let skips = |text: &str| balance::may_skip(text) || !before.is_empty() && balance::opens_comment(text);
    let skip = added(file).find(|line| is_code && skips(line.text)).map(|line| line.number);
    let (removed, removed_at) = view(before, masked_before, removed(file).collect(), places(file, LineKind::Delete));
    let (added, added_at) = view(after, masked_after, added(file).collect(), places(file, LineKind::Add));
    Lines { removed, added, removed_at, added_at, skip }
}

/// Where the lines of one kind stand in a patch, in their order.
fn places(file: &FilePatch, kind: LineKind) -> Vec<Place> {
    let (mut places, mut run) = (Vec::new(), 0);
    for (hunk, lines) in file.hunks.iter().enumerate() {
        run += 1;
        let mut line_at = u64::from(if kind == LineKind::Add { lines.new_start } else { lines.old_start });
        for line in &lines.lines {
            run += usize::from(line.kind == LineKind::Context);
            places.extend((line.kind == kind).then_some(Place { hunk, run, line: line_at }));
            line_at += u64::from(line.kind == kind || line.kind == LineKind::Context);
        }
    }
    places
}

//! Finds the tests that a change weakens.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::super::super::added::{AddedLine, added, removed};
use super::super::super::{ApprovedChange, BlobState, Violation};
use super::super::language::{Language, is_expected_output, is_foreign_test, is_test, languages};
use super::super::mask::{Masked, Reader};
use super::balance::{self, Lines, Moves, Place};
use super::changed::Changed;
use super::compare::{Loss, Sides, losses};
use super::count::Helpers;
use super::holds::{self, Holds, is_discovered};
use super::new_lines::NewLines;
use super::outline::{self, Outline};
use super::settle::settle;
use super::text::Text;
use super::{examples, expected, rows, unproved, unread};
use crate::patch::{FilePatch, LineKind, shown};
use crate::path::RepoPath;
use crate::validation::WeakenedTest;

/// The rule that a test is found to break by comparing it with what it was before.
const RULE: &str = "weakened-test";

const HINT: &str = "change the code to pass the test, not the test to pass the code";

/// What a change does to tests.
#[derive(Default)]
pub(in super::super) struct Weakened {
    /// For each change, in their order.
    pub(in super::super) violations: Vec<Vec<Violation>>,
    /// The tests that check less.
    pub(in super::super) tests: Vec<WeakenedTest>,
    /// For each change, how its file reads after it, if that was looked at.
    pub(in super::super) masked: Vec<Option<Masked>>,
}

/// Looks at all changes together, since a test may move between files. `whole` says that the base is known, and not
/// only what the diff shows of it.
pub(in super::super) fn check(changes: &[ApprovedChange], files: &[FilePatch], whole: bool) -> Weakened {
    let holds: Vec<Holds> = changes.iter().map(holds::of).collect();
    let beside = beside(changes, files);
    if holds.iter().all(|holds| *holds == Holds::Nothing)
        && !changes.iter().any(|change| is_expected_output(&change.path))
    {
        return Weakened { violations: beside, ..Weakened::default() };
    }
    let of_files = changes.iter().zip(files).zip(holds);
    let mut read: Vec<Read<'_>> = of_files.map(|((change, file), holds)| Read::new(change, file, holds)).collect();
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
    let or_beside = |(own, beside): (Vec<Violation>, Vec<Violation>)| if own.is_empty() { beside } else { own };
    let violations = judged.zip(beside).map(or_beside).collect();
    let tests = found.iter().filter_map(|loss| {
        let path = changes.get(loss.file)?.path.to_string();
        Some(WeakenedTest { path, name: loss.name.clone(), why: loss.why.clone() })
    });
    let tests = tests.collect();
    Weakened { violations, tests, masked: read.into_iter().map(|read| read.masked_after).collect() }
}

/// What weakens tests in files that hold none: examples in documentation, and what tests read.
fn beside(changes: &[ApprovedChange], files: &[FilePatch]) -> Vec<Vec<Violation>> {
    let only_data = changes.iter().all(|change| expected::is_data(&change.path));
    let of_file = |(change, file): (&ApprovedChange, &FilePatch)| {
        let of_data = || only_data.then(|| expected::changed_alone(change, file)).flatten();
        let why = examples::fewer(change).or_else(of_data);
        why.map(|why| weakened(&change.path, &why)).into_iter().collect()
    };
    changes.iter().zip(files).map(of_file).collect()
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Whether the other change makes the same file, at a place where tests are found as well.
fn has_moved(change: &ApprovedChange, other: &ApprovedChange) -> bool {
    let (before, after) = (change.before.as_ref(), other.after.as_ref());
    let same = before.zip(after).is_some_and(|(old, new)| !old.content.is_empty() && old.content == new.content);
    same && other.before.is_none() && is_test(&other.path) && is_discovered(&change.path) == is_discovered(&other.path)
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
    /// Why an expected output says less.
    emptied: Option<String>,
    before: Option<Outline>,
    after: Option<Outline>,
    masked_after: Option<Masked>,
    holds: Holds,
}

impl<'a> Read<'a> {
    fn new(change: &'a ApprovedChange, file: &FilePatch, holds: Holds) -> Self {
        let (before, after) = (text(change.before.as_ref()), text(change.after.as_ref()));
        let either = if change.after.is_some() { &after } else { &before };
        let spoken = languages(&change.path, either.lines().next().unwrap_or_default());
        let reader = Reader::of(&change.path, spoken).filter(|reader| reader.tells_strings());
        let emptied = change.after.as_ref().and_then(|_| expected::emptied(&change.path, file, &before, &after));
        if holds == Holds::Nothing {
            let lines = Lines::default();
            return Self { change, reader, lines, emptied, before: None, after: None, masked_after: None, holds };
        }
        let mask = |text: &str| reader.map(|reader| reader.mask(text));
        let (masked_before, masked_after) = (mask(&before), mask(&after));
        let (old, new) = ((&*before, masked_before.as_ref()), (&*after, masked_after.as_ref()));
        let outlines = reader.map(|reader| {
            let view_before = change.before.as_ref().and(old.1).map(|masked| (old.0, masked));
            let view_after = change.after.as_ref().and(new.1).map(|masked| (new.0, masked));
            outline::both(reader, view_before, view_after, &Helpers::new())
        });
        let mut lines = lines(file, old, new);
        let (outline_before, outline_after) = outlines.filter(|both| holds_checks(both, &lines)).unwrap_or_default();
        let settled = settle(&change.path, &mut lines, &before, &after);
        lines.skip = skip(spoken, file, &before, &after, &settled);
        if holds == Holds::Beside {
            lines.keep(&holds::in_tests(&change.path, &before), &holds::in_tests(&change.path, &after));
        }
        Self { change, reader, lines, emptied, before: outline_before, after: outline_after, masked_after, holds }
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
            before: Text::new(&before),
            after: Text::new(&after),
            is_outlined: self.is_outlined(),
            is_prose: [".robot", ".feature", ".resource"].iter().any(|end| path.as_str().ends_with(end)),
            is_foreign: is_foreign_test(path),
            helpers: self.after.iter().flat_map(Outline::checking).map(|(name, _)| name).collect(),
        };
        (self.holds != Holds::Nothing).then(|| unproved::why(&changed)).flatten()
    }

    /// Whether there is an outline for each side that there is.
    fn is_outlined(&self) -> bool {
        let lacks = |state: &Option<BlobState>, outline: &Option<Outline>| state.is_some() && outline.is_none();
        self.holds == Holds::Nothing
            || !lacks(&self.change.before, &self.before) && !lacks(&self.change.after, &self.after)
    }

    fn judge(&self, moves: &Moves, losses: &[&Loss], is_proven: bool, reappears: impl Fn() -> bool) -> Vec<Violation> {
        let path = &self.change.path;
        let mut violations = Vec::new();
        if self.holds == Holds::All {
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
            // What is known of a test by its name says more.
            if !is_proven && losses.is_empty() {
                violations.extend(balance::fewer(path, &self.lines, moves, || rows::became_rows(&self.lines)));
            }
            violations.extend(balance::looser(path, &self.lines));
            let skip = self.lines.skip.filter(|_| !self.is_outlined());
            violations.extend(skip.map(|line| {
                weakened(path, "this line may skip a test, end it, or take or replace its failure").on_line(line)
            }));
            let (before, after) = (text(self.change.before.as_ref()), text(self.change.after.as_ref()));
            let unread = || unread::weaker(path, &self.lines, &before, &after).or_else(|| self.loses_rows());
            let weaker = (!self.is_outlined()).then(unread);
            violations.extend(weaker.flatten().map(|why| weakened(path, &why)));
            let hidden = balance::hidden(&self.lines).filter(|_| !self.is_outlined());
            violations.extend(hidden.map(|name| weakened(path, &format!("no runner sees `{name}` any more"))));
        }
        if violations.is_empty() {
            violations.extend(self.emptied.iter().map(|why| weakened(path, why)));
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
    let (removed, removed_at) = view(before, masked_before, removed(file).collect(), places(file, LineKind::Delete));
    let (added, added_at) = view(after, masked_after, added(file).collect(), places(file, LineKind::Add));
    Lines { removed, added, removed_at, added_at, skip: None }
}

/// Whether the outlines of a file have the checks that its changed lines have. In a script, they stand in no function: nothing but
/// its lines says what it checks.
fn holds_checks(both: &(Option<Outline>, Option<Outline>), lines: &Lines) -> bool {
    let has_any = |outline: &Option<Outline>| {
        outline.as_ref().is_some_and(|outline| !outline.tests.is_empty() || outline.checking().next().is_some())
    };
    has_any(&both.0) || has_any(&both.1) || !lines.removed.iter().chain(&lines.added).any(balance::checks)
}

/// The number of the first added line that may skip a test: not a line that only is spelled in another way, nor one that can
/// only skip what is new as well.
fn skip(spoken: &[Language], file: &FilePatch, before: &str, after: &str, settled: &BTreeSet<u64>) -> Option<u64> {
    let skips = |text: &str| balance::may_skip(text) || !before.is_empty() && balance::end_of_comment(text).is_some();
    let mut found = added(file).filter(|line| !spoken.is_empty() && !settled.contains(&line.number)).peekable();
    found.peek()?;
    let mut found = found.filter(|line| skips(line.text)).peekable();
    found.peek()?;
    let new = added(file).map(|line| line.number).collect();
    let own = NewLines { all: after.lines().collect(), new };
    found.find(|line| !own.only_skips_new(line.number)).map(|line| line.number)
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

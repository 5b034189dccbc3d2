//! Compares the tests before a change with those after it, by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;
use super::fakes::is_of_mock;
use super::loosened::loosened;
use super::outline::Outline;
use super::phrase::{CHECKS, has};
use super::ranks::rank;
use super::same::{self, Check};
use super::tokens::{is_value, is_word, tokens};
use super::unit::Unit;
use super::{balance, omits, page, predicates, tolerance};

/// A file on both sides.
pub(super) struct Sides {
    /// Whether its runner looks for tests there.
    pub(super) discovered: bool,
    pub(super) before: Option<Outline>,
    pub(super) after: Option<Outline>,
}

/// A test that checks less than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loss {
    /// The file, by its place in the list.
    pub(super) file: usize,
    /// The test; `None` for every test of the file.
    pub(super) name: Option<String>,
    /// Its line after the change; `None` if it is gone.
    pub(super) line: Option<u64>,
    pub(super) why: String,
}

/// Among more new tests than this, one is only looked for by its name.
const MAX_ALIKE: usize = 200;

/// Fewest names and values by which a check is known again in another one.
const FEWEST: usize = 3;

/// A test after the change, with its file.
type Landing<'a> = (usize, &'a Unit);

/// The tests after the change.
struct After<'a> {
    /// Those that were not in their file before.
    new: Vec<Landing<'a>>,
    /// By file, name and place; of several, the last, which is the one that runs.
    exact: BTreeMap<(usize, &'a str, &'a str), Landing<'a>>,
    new_by_name: BTreeMap<&'a str, Vec<Landing<'a>>>,
}

impl<'a> After<'a> {
    fn of(files: &'a [Sides]) -> Self {
        let tests = |at: usize, outline: Option<&'a Outline>| {
            outline.into_iter().flat_map(|outline| &outline.tests).map(move |test| (at, test))
        };
        let key = |(at, test): &Landing<'a>| (*at, test.name.as_str(), test.place.as_str());
        let old: BTreeSet<_> = files
            .iter()
            .enumerate()
            .flat_map(|(at, file)| tests(at, file.before.as_ref()))
            .map(|test| key(&test))
            .collect();
        let all: Vec<Landing<'a>> =
            files.iter().enumerate().flat_map(|(at, file)| tests(at, file.after.as_ref())).collect();
        let new: Vec<Landing<'a>> = all.iter().copied().filter(|test| !old.contains(&key(test))).collect();
        let mut new_by_name: BTreeMap<&str, Vec<Landing<'a>>> = BTreeMap::new();
        for landing in &new {
            new_by_name.entry(landing.1.name.as_str()).or_default().push(*landing);
        }
        Self { exact: all.iter().map(|test| (key(test), *test)).collect(), new, new_by_name }
    }
}

/// Every test that checks less after the change.
pub(super) fn losses(files: &[Sides]) -> Vec<Loss> {
    let mut losses: Vec<Loss> = (0..).zip(files).flat_map(|(at, file)| of_file(at, file)).collect();
    losses.extend(emptied(files));
    let after = After::of(files);
    let missing = missing_checks(files);
    // Several tests may have become the cases of one.
    let mut landed: BTreeMap<(usize, u64, &str), (Landing<'_>, Vec<Landing<'_>>)> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        for test in file.before.iter().flat_map(|outline| &outline.tests).filter(|test| test.off.is_none()) {
            match land(files, at, test, &after) {
                Some((place, now)) => {
                    let key = (place, now.line, now.name.as_str());
                    landed.entry(key).or_insert_with(|| ((place, now), Vec::new())).1.push((at, test));
                }
                None if is_worth(test) => {
                    let why = "it is gone, or no runner finds it".to_owned();
                    losses.push(Loss { file: at, name: Some(test.name.clone()), line: None, why });
                }
                None => {}
            }
        }
    }
    for ((place, now), tests) in landed.into_values() {
        losses.extend(weaker(files, place, now, &tests, &after, &missing));
    }
    losses
}

/// Whether the loss of a test matters. Without a check, it still shows that its statements work.
fn is_worth(test: &Unit) -> bool {
    test.value() > 0 || !test.statements.is_empty() && !test.marks.iter().any(|mark| mark.contains("fixture"))
}

/// What a file as a whole loses.
fn of_file(at: usize, file: &Sides) -> Vec<Loss> {
    let Some(after) = &file.after else { return Vec::new() };
    let of_all = |why: String| Loss { file: at, name: None, line: None, why };
    let mut losses = Vec::new();
    let before = file.before.as_ref();
    if let Some(why) = after.off.filter(|_| before.is_none_or(|before| before.off.is_none())) {
        losses.push(of_all(why.to_owned()));
    }
    let Some(before) = before else { return losses };
    if !before.tests.is_empty()
        && let Some(condition) = after.conditions.difference(&before.conditions).next()
    {
        losses.push(of_all(format!("the file is only compiled under `{condition}`")));
    }
    if let Some(module) = before.modules.difference(&after.modules).next() {
        losses.push(of_all(format!("the module `{module}` is not compiled any more")));
    }
    losses
}

/// Functions that check something for tests, and check nothing after the change, in their file or in the one to which they
/// move.
fn emptied(files: &[Sides]) -> Vec<Loss> {
    fn helpers(outline: Option<&Outline>) -> &[Unit] {
        outline.map(|outline| outline.helpers.as_slice()).unwrap_or_default()
    }
    let key = |helper: &Unit| (helper.name.clone(), helper.place.clone());
    let mut moved: BTreeMap<_, (usize, &Unit)> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let old: BTreeSet<_> = helpers(file.before.as_ref()).iter().map(key).collect();
        let new = helpers(file.after.as_ref()).iter().filter(|helper| !old.contains(&key(helper)));
        moved.extend(new.map(|helper| (key(helper), (at, helper))));
    }
    let mut losses = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let own: BTreeMap<_, _> =
            helpers(file.after.as_ref()).iter().map(|helper| (key(helper), (at, helper))).collect();
        // Methods of several types may have one name.
        let still: BTreeSet<_> =
            helpers(file.after.as_ref()).iter().filter(|helper| helper.value() > 0).map(key).collect();
        for helper in helpers(file.before.as_ref()).iter().filter(|helper| helper.value() > 0) {
            let now = own.get(&key(helper)).or_else(|| moved.get(&key(helper)));
            if let Some((at, now)) = now.filter(|(_, now)| now.value() == 0 && !still.contains(&key(helper))) {
                let why = format!("`{}`, which checks for them, checks nothing any more", helper.name);
                losses.push(Loss { file: *at, name: None, line: Some(now.line), why });
            }
        }
    }
    losses
}

/// Where a test is after the change: under its name in its file, under its name elsewhere, or under another name.
fn land<'a>(files: &'a [Sides], at: usize, test: &Unit, after: &After<'a>) -> Option<Landing<'a>> {
    let was = files.get(at).is_some_and(|file| file.discovered);
    let found = |landing: &&Landing<'_>| !was || files.get(landing.0).is_some_and(|file| file.discovered);
    let exact = after.exact.get(&(at, test.name.as_str(), test.place.as_str()));
    if let Some(landing) = exact.filter(found) {
        return Some(*landing);
    }
    let named = || after.new_by_name.get(test.name.as_str()).into_iter().flatten().filter(found);
    let alike = || {
        let few = Some(&after.new).filter(|new| new.len() <= MAX_ALIKE).into_iter().flatten();
        // Of those that are as alike, the one that says most of it.
        let rated =
            few.filter(found).map(|landing| ((likeness(test, landing.1), said_again(test, landing.1)), landing));
        rated.filter(|((rate, _), _)| *rate >= ALIKE).max_by_key(|(rate, _)| *rate).map(|(_, landing)| landing)
    };
    let renamed = named().find(|landing| landing.0 == at).or_else(|| named().next()).or_else(alike).copied();
    renamed.or_else(|| became_case(files, at, test))
}

/// The test of the same file that has more cases than before, and that calls the same: one of them may be this test.
fn became_case<'a>(files: &'a [Sides], at: usize, test: &Unit) -> Option<Landing<'a>> {
    let file = files.get(at)?;
    let (before, after) = (file.before.as_ref()?, file.after.as_ref()?);
    let gains = |now: &&Unit| {
        let mut old = before.tests.iter().filter(|old| old.name == now.name && old.place == now.place);
        old.next().is_some_and(|old| old.cases < now.cases) && share(&test.calls, &now.calls) >= ALIKE
    };
    after.tests.iter().filter(|now| now.cases > 1).take(MAX_ALIKE).find(gains).map(|now| (at, now))
}

/// How much of a test must stand in another one, in percent, to be known again there.
const ALIKE: usize = 50;

/// Whether so much of a test stands in another one that it may be the same under another name.
pub(super) fn is_alike(test: &Unit, other: &Unit) -> bool {
    likeness(test, other) >= ALIKE
}

/// How much of a test stands in another one, in percent: of its statements, or of the functions that it calls.
fn likeness(test: &Unit, other: &Unit) -> usize {
    said_again(test, other).max(share(&test.calls, &other.calls))
}

/// How many of the statements of a test stand in another one, in percent.
fn said_again(test: &Unit, other: &Unit) -> usize {
    share(&test.statements, &other.statements)
}

fn share(own: &BTreeSet<String>, others: &BTreeSet<String>) -> usize {
    if own.is_empty() { 0 } else { own.intersection(others).count() * 100 / own.len() }
}

/// Checks that all files together have fewer times than before. The others have moved.
fn missing_checks(files: &[Sides]) -> BTreeMap<String, u64> {
    let sum = |side: fn(&Sides) -> Option<&Outline>| {
        let mut all: BTreeMap<String, u64> = BTreeMap::new();
        for outline in files.iter().filter_map(side) {
            for unit in outline.tests.iter().chain(&outline.helpers).filter(|unit| unit.off.is_none()) {
                for (said, weight) in &unit.checks {
                    *all.entry(said.clone()).or_default() += weight;
                }
            }
        }
        all
    };
    let (mut before, after) = (sum(|file| file.before.as_ref()), sum(|file| file.after.as_ref()));
    let mut new: Vec<(BTreeSet<&str>, u64)> = after
        .iter()
        .filter(|(said, _)| !before.contains_key(*said))
        .take(MAX_ALIKE)
        .map(|(said, weight)| (operands(said), *weight))
        .collect();
    for (said, weight) in &mut before {
        *weight = weight.saturating_sub(after.get(said).copied().unwrap_or(0));
        // Another check may say the same: `a == f(b)` for `matches(f(b), a)`.
        let own = if *weight > 0 { operands(said) } else { BTreeSet::new() };
        let same = |(other, left): &&mut (BTreeSet<&str>, u64)| *left > 0 && own.is_subset(other);
        if let Some((_, left)) = new.iter_mut().find(same).filter(|_| own.len() >= FEWEST) {
            let taken = (*left).min(*weight);
            (*weight, *left) = (*weight - taken, *left - taken);
        }
    }
    before
}

/// The names and values that a check speaks of, without the words that ask.
fn operands(said: &str) -> BTreeSet<&str> {
    let speaks = |token: &&str| is_value(token) || is_word(token) && rank(token).is_none() && !has(token, CHECKS);
    tokens(said).into_iter().filter(speaks).collect()
}

/// Judges the tests that became one.
fn weaker(
    files: &[Sides],
    place: usize,
    now: &Unit,
    tests: &[Landing<'_>],
    after: &After<'_>,
    missing: &BTreeMap<String, u64>,
) -> Option<Loss> {
    let (from, first) = tests.first()?;
    let loss = |why: String| Some(Loss { file: place, name: Some(now.name.clone()), line: Some(now.line), why });
    if let Some(why) = now.off {
        return loss(why.to_owned());
    }
    if let Some(condition) = now.marks.difference(&first.marks).find(|mark| mark.starts_with("#[cfg")) {
        return loss(format!("it is only compiled under `{condition}`"));
    }
    if now.marks.difference(&first.marks).any(|mark| mark.starts_with("if: ")) {
        return loss("it only is there under a condition".to_owned());
    }
    let outline = files.get(place).and_then(|file| file.after.as_ref());
    let decorated = now.marks.difference(&first.marks).find(|mark| {
        let name = mark.trim_start_matches('@').split(['(', '.']).next().unwrap_or_default().trim();
        outline
            .is_some_and(|outline| outline.helpers.iter().any(|helper| helper.name == name && helper.marks.is_empty()))
    });
    if let Some(mark) = decorated.filter(|_| *from == place) {
        return loss(format!("`{mark}` is put around it"));
    }
    if let Some(why) = tests.iter().find_map(|(_, test)| faked(test, now).or_else(|| page::own(test, now))) {
        return loss(why);
    }
    if let [(_, only)] = tests
        && only.is_same(now)
    {
        return None;
    }
    if let [(_, only)] = tests
        && let Some(why) = no_longer_panics(only, now).or_else(|| under_conditions(only, now, after))
    {
        return loss(why);
    }
    let value = tests.iter().fold(0_u64, |sum, (_, test)| sum.saturating_add(test.value()));
    if now.value() >= value {
        return looser(first, now).and_then(loss);
    }
    if now.checks.is_empty() {
        return loss("it has no check left that runs and can fail".to_owned());
    }
    if let [(_, test)] = tests
        && test.cases > now.cases
    {
        return loss(format!("it runs with {} cases, and ran with {}", now.cases, test.cases));
    }
    let mut gone = 0_u64;
    let mut old: BTreeMap<&str, u64> = BTreeMap::new();
    for (said, weight) in tests.iter().flat_map(|(_, test)| &test.checks) {
        *old.entry(said).or_default() += weight;
    }
    let asked: Vec<Check> = now.checks.keys().take(MAX_ALIKE).filter_map(|said| same::read(said)).collect();
    let is_implied = |said: &str| {
        let was = same::read(said).filter(Check::is_weak);
        was.is_some_and(|was| asked.iter().any(|is| is.implies(&was)))
    };
    for (said, weight) in &old {
        if !now.checks.contains_key(*said) && is_implied(said) {
            continue;
        }
        let fewer = weight.saturating_sub(now.checks.get(*said).copied().unwrap_or(0));
        gone += fewer.min(missing.get(*said).copied().unwrap_or(0));
    }
    let new =
        now.checks.iter().map(|(said, weight)| weight.saturating_sub(old.get(said.as_str()).copied().unwrap_or(0)));
    let parts = now.parts.iter().filter(|(said, _)| !old.contains_key(said.as_str())).map(|(_, parts)| *parts);
    let new = new.chain(parts).fold(0_u64, u64::saturating_add).saturating_mul(now.cases);
    let is_there = |(said, weight): (&&str, &u64)| *weight == 0 || now.checks.contains_key(*said);
    if gone > new && old.iter().all(is_there) {
        return loss("its checks are there, but run less often: fewer values, or fewer of the same check".to_owned());
    }
    match gone.saturating_sub(new) {
        0 => None,
        1 => loss("one of its checks is gone, or does not run".to_owned()),
        gone => loss(format!("{gone} of its checks are gone, or do not run")),
    }
}

/// A mark that asks for a panic is gone, and no check asks for it.
fn no_longer_panics(before: &Unit, now: &Unit) -> Option<String> {
    const ASKS: &[&str] = &["is_err", "unwrap_err", "expect_err", "Err(", "panic", "downcast"];
    let asks = |unit: &Unit| unit.marks.iter().any(|mark| mark.contains("should_panic"));
    let is_asked = |said: &String| ASKS.iter().any(|word| said.contains(word)) || !before.checks.contains_key(said);
    (asks(before) && !asks(now) && !now.checks.keys().any(is_asked)).then(|| "it no longer asks for a panic".to_owned())
}

/// Checks that stand under a condition do not count, but they are not lost for nothing.
fn under_conditions(before: &Unit, now: &Unit, after: &After<'_>) -> Option<String> {
    if now.calls.difference(&before.calls).next().is_some() {
        return None;
    }
    // A part of a test may have become one of its own.
    let is_moved = |said: &String| {
        let few = Some(&after.new).filter(|new| new.len() <= MAX_ALIKE);
        few.is_some_and(|new| new.iter().any(|(_, test)| test.off.is_none() && test.statements.contains(said)))
    };
    let is_known = |said: &String| now.statements.contains(said) || now.checks.contains_key(said) || is_moved(said);
    // In Go, the condition is the check.
    let is_condition = |said: &String| ["t.Error", "t.Fatal", "t.Fail"].iter().any(|fails| said.starts_with(fails));
    let is_gone = |said: &&String| !is_known(said) && !is_condition(said) && balance::is_check(said);
    let gone: Vec<&String> = before.statements.iter().filter(is_gone).collect();
    let open = gone.iter().filter(|said| !before.checks.contains_key(**said)).count();
    if open == 0 {
        return None;
    }
    let is_new = |said: &&String| !before.statements.contains(*said) && balance::is_check(said);
    let come = now.statements.iter().filter(is_new).count();
    (come < gone.len()).then(|| format!("{open} checks under a condition are gone"))
}

/// Why a test asks a fake now, if it asked the code before.
fn faked(before: &Unit, now: &Unit) -> Option<String> {
    let owners = before.statements.iter().flat_map(|said| owners(said));
    let mut asked = before.calls.iter().map(String::as_str).chain(owners);
    let is_new = |name: &str| !before.fakes.replaces(name) && !before.fakes.has_own(name);
    if let Some(name) = asked.find(|name| now.fakes.replaces(name) && is_new(name)) {
        return Some(format!("`{name}`, which it calls, is replaced by something else"));
    }
    let asks_code = |unit: &Unit| unit.checks.keys().any(|said| !is_of_mock(said, &unit.fakes));
    (!now.checks.is_empty() && asks_code(before) && !asks_code(now) && !hands_over(now))
        .then(|| "it only asks a mock".to_owned())
}

/// The names in a statement whose members it asks for, or that it renders: `name.` at its start or as an argument, `<name`.
fn owners(said: &str) -> impl Iterator<Item = &str> {
    static OWNER: LazyLock<Regex> = LazyLock::new(|| ascii(r"(?:^|\()([\w$\x80-\xff]+)\.|<([\w$\x80-\xff]+)"));
    let found = OWNER.captures_iter(said.as_bytes()).filter_map(|found| found.get(1).or_else(|| found.get(2)));
    found.filter_map(|name| said.get(name.range()))
}

/// Whether each mock that a test asks is one that it hands to the code: what the code did with it is worth a check.
fn hands_over(test: &Unit) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_handed = |name: &str| {
        let statements = test.statements.iter().filter(|said| !test.checks.contains_key(*said));
        statements.into_iter().any(|said| {
            said.match_indices(name).any(|(at, _)| {
                let before = said.get(..at).unwrap_or_default().trim_end();
                let after = said.get(at + name.len()..).unwrap_or_default();
                let (before, after) = (before.chars().next_back(), after.trim_start().chars().next());
                before.is_none_or(|c| "(,{:=".contains(c)) && after.is_none_or(|c| "),}".contains(c))
            })
        })
    };
    let said = test.checks.keys().flat_map(|said| said.split(|c: char| !word(c)));
    let asked: BTreeSet<&str> = said.filter(|name| test.fakes.has_mock(name)).collect();
    !asked.is_empty() && asked.into_iter().all(is_handed)
}

/// A test that has as many checks, but one of them asks for less.
fn looser(before: &Unit, now: &Unit) -> Option<String> {
    let said = |unit: &Unit| unit.checks.keys().cloned().collect::<Vec<_>>();
    tolerance::grown(&said(before), &said(now))
        .or_else(|| omits::a_part(&said(before), &said(now)))
        .or_else(|| omits::how_it_fails(&said(before), &said(now)))
        .or_else(|| predicates::agrees(now.statements.difference(&before.statements).map(String::as_str)))
        .or_else(|| no_longer_waits(before, now))
        .or_else(|| falls_back(before, now))
        .or_else(|| loosened(before, now))
}

/// A check of something that comes later, which nothing waits for any more.
fn no_longer_waits(before: &Unit, now: &Unit) -> Option<String> {
    static LATER: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\.\s*(?:resolves|rejects)\b|\bwaitFor\w*\s*\(|\bexpect\s*\.\s*poll\b|\bassert\s*\.\s*(?:rejects|doesNotReject)\b|\.\s*to(?:Be(?:Attached|Checked|Disabled|Editable|Enabled|Focused|Hidden|InViewport|Visible)|ContainText|Have(?:Count|Screenshot|Text|Title|URL|Value|Values))\s*\(",
        )
    });
    let waits = |said: &&String| said.starts_with("await ") && LATER.is_match(said.as_bytes());
    let gone = before.checks.keys().filter(waits).find(|said| {
        let bare = said.trim_start_matches("await ");
        !now.checks.contains_key(*said) && now.checks.contains_key(bare)
    });
    gone.map(|said| format!("nothing waits for `{}`", said.trim_start_matches("await ")))
}

/// A value that takes the place of what the code under test does not give.
fn falls_back(before: &Unit, now: &Unit) -> Option<String> {
    let new = now.statements.difference(&before.statements);
    let mut falls = new.filter_map(|said| said.split_once(".unwrap_or"));
    falls.find_map(|(code, _)| {
        let takes = |said: &String| [".unwrap()", ".expect("].iter().any(|end| said.contains(&format!("{code}{end}")));
        before
            .statements
            .iter()
            .any(takes)
            .then(|| "it goes on with a value of its own where the code fails".to_owned())
    })
}

//! Takes out of the changed lines of a test what is no change of what it asks: another spelling, the same check in the words of
//! another library, a check that another one implies, a text that describes a function.
//!
//! A line only gives way to one of its own hunk that stands no deeper, so that a check which moves under a condition stays.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::balance::{self, Lines, Place};
use super::same::{self, Check};
use super::spelled::{docstrings, extension, spelling};
use super::tokens::tokens;
use crate::path::RepoPath;

/// Most checks of one hunk that are compared with each other, and most statements of one spelling.
const MOST: usize = 64;

/// Above and below a check, so many lines are searched for one that implies it.
const NEAR: usize = 8;

/// Most lines of one statement.
const LONGEST: usize = 40;

/// Lines of one side, and which of them are settled.
struct Side<'l> {
    lines: &'l [(String, String)],
    places: &'l [Place],
    settled: Vec<Cell<bool>>,
    /// Its statements, by their hunks.
    statements: BTreeMap<usize, Vec<Statement>>,
    /// Whether a block ends with its brace, so that an open one is no open statement.
    has_braces: bool,
}

/// A statement among the changed lines, which may go over several of them.
struct Statement {
    first: usize,
    count: usize,
    said: String,
}

impl<'l> Side<'l> {
    fn new(path: &RepoPath, lines: &'l [(String, String)], places: &'l [Place], text: &str) -> Self {
        let described = docstrings(path, text);
        // A heading of `testthat` names no test.
        let is_heading =
            |said: &str| ["R", "r"].contains(&extension(path)) && said.starts_with("context(") && said.ends_with(')');
        let is_settled = |(place, (_, said)): (&Place, &(String, String))| {
            described.contains(&place.line) || is_heading(said.trim())
        };
        let settled = places.iter().zip(lines).map(|line| Cell::new(is_settled(line))).collect();
        let mut side =
            Self { lines, places, settled, statements: BTreeMap::new(), has_braces: extension(path) != "py" };
        let mut at = 0;
        while let Some(place) = places.get(at) {
            let statement = side.statement(at);
            at += statement.count;
            side.statements.entry(place.hunk).or_default().push(statement);
        }
        side
    }

    fn is_settled(&self, at: usize) -> bool {
        self.settled.get(at).is_none_or(Cell::get)
    }

    /// The statements of a hunk that are not settled.
    fn open(&self, hunk: usize) -> impl Iterator<Item = &Statement> {
        let all = self.statements.get(&hunk).into_iter().flatten();
        all.filter(|statement| !self.is_settled(statement.first))
    }

    /// The statement that begins at a line: up to where all that it opens is closed, and lines that go on with it. If that is not
    /// among the changed lines, the line alone.
    fn statement(&self, first: usize) -> Statement {
        let alone = || Statement { first, count: 1, said: self.said(first).trim_end().to_owned() };
        let Some(begin) = self.places.get(first) else { return alone() };
        let mut said = String::new();
        for count in 1..=LONGEST {
            let at = first + count - 1;
            let follows = self.places.get(at).is_some_and(|place| place.line == begin.line + (at - first) as u64);
            if !follows || self.is_settled(at) {
                break;
            }
            let line = self.said(at);
            if count == 1 {
                said.push_str(line.trim_end());
            } else {
                said.push(' ');
                said.push_str(line.trim());
            }
            let goes_on = self.places.get(at + 1).is_some_and(|place| place.line == begin.line + count as u64)
                && goes_on(&said, self.said(at + 1).trim());
            if is_closed(&said, self.has_braces) && !goes_on {
                return Statement { first, count, said };
            }
        }
        alone()
    }

    fn said(&self, at: usize) -> &'l str {
        self.lines.get(at).map_or("", |(_, said)| said.as_str())
    }

    fn settle(&self, statement: &Statement) {
        for settled in self.settled.iter().skip(statement.first).take(statement.count) {
            settled.set(true);
        }
    }

    /// The checks among statements that are read whole.
    fn checks<'s>(&self, all: impl Iterator<Item = &'s Statement>) -> Vec<(&'s Statement, Check)> {
        let is_check = |statement: &&Statement| {
            let mut own = self.lines.iter().skip(statement.first).take(statement.count);
            own.any(|(code, _)| balance::is_check(code))
        };
        let found = all.filter(is_check).filter_map(|statement| {
            let check = same::read(&statement.said)?;
            Some((statement, check))
        });
        found.take(MOST).collect()
    }
}

/// Whether a line goes on with the statement above it.
fn goes_on(above: &str, line: &str) -> bool {
    let is_open = ["&&", "||"].iter().any(|sign| above.ends_with(sign));
    is_open || line == "{" || [".", "->", "?.", "&&", "||"].iter().any(|sign| line.starts_with(sign))
}

/// Whether a text closes what it opens.
fn is_closed(said: &str, has_braces: bool) -> bool {
    let mut depth = 0_i64;
    for token in tokens(said) {
        match token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "{" if !has_braces => depth += 1,
            "}" if !has_braces => depth -= 1,
            _ => {}
        }
    }
    depth <= 0
}

/// Takes settled lines out, and returns the numbers of those that the change adds.
pub(super) fn settle(path: &RepoPath, lines: &mut Lines, before: &str, after: &str) -> BTreeSet<u64> {
    let old = Side::new(path, &lines.removed, &lines.removed_at, before);
    let new = Side::new(path, &lines.added, &lines.added_at, after);
    respelled(path, &old, &new, after);
    reworded(&old, &new);
    implied(&old, before);
    let (gone, come) = (old.settled, new.settled);
    let numbers = lines.added_at.iter().zip(&come).filter(|(_, settled)| settled.get()).map(|(place, _)| place.line);
    let numbers = numbers.collect();
    keep(&mut lines.removed, &mut lines.removed_at, &gone);
    keep(&mut lines.added, &mut lines.added_at, &come);
    numbers
}

fn keep(lines: &mut Vec<(String, String)>, places: &mut Vec<Place>, settled: &[Cell<bool>]) {
    let mut of_lines = settled.iter();
    lines.retain(|_| !of_lines.next().is_some_and(Cell::get));
    let mut of_places = settled.iter();
    places.retain(|_| !of_places.next().is_some_and(Cell::get));
}

fn indent(said: &str) -> usize {
    said.len() - said.trim_start().len()
}

/// Statements that only are spelled in another way, or laid out on other lines.
fn respelled(path: &RepoPath, old: &Side<'_>, new: &Side<'_>, after: &str) {
    for hunk in old.statements.keys() {
        let mut by_spelling: BTreeMap<String, VecDeque<&Statement>> = BTreeMap::new();
        for statement in new.open(*hunk) {
            by_spelling.entry(spelling(path, after, &statement.said)).or_default().push_back(statement);
        }
        if by_spelling.is_empty() {
            continue;
        }
        for was in old.open(*hunk) {
            let spelled = spelling(path, after, &was.said);
            let Some(alike) = by_spelling.get_mut(&spelled).filter(|_| !spelled.is_empty()) else { continue };
            let is_other = |is: &&Statement| {
                let is_condition = spelled.starts_with('#');
                let differs = is.count != was.count || is.said.trim() != was.said.trim();
                is_condition && is.said != was.said || differs && indent(&is.said) <= indent(&was.said)
            };
            let place = alike.iter().take(MOST).position(is_other);
            if let Some(is) = place.and_then(|place| alike.remove(place)) {
                new.settle(is);
                old.settle(was);
            }
        }
    }
}

/// Checks that stand there in other words, or that another one implies.
fn reworded(old: &Side<'_>, new: &Side<'_>) {
    for hunk in old.statements.keys().filter(|hunk| new.open(**hunk).next().is_some()) {
        let (gone, come) = (old.checks(old.open(*hunk)), new.checks(new.open(*hunk)));
        let mut taken = BTreeSet::new();
        for (statement, was) in &gone {
            let is_near = |other: &Statement| {
                let runs = !same::is_optional(&other.said) || same::is_optional(&statement.said);
                runs && indent(&other.said) <= indent(&statement.said)
            };
            let equal = come.iter().find(|(other, is)| {
                !taken.contains(&other.first) && is_near(other) && is.implies(was) && was.is_as_much_as(is)
            });
            if let Some((other, _)) = equal {
                taken.insert(other.first);
                new.settle(other);
                old.settle(statement);
            } else if come.iter().any(|(other, is)| is_near(other) && is.implies(was)) {
                old.settle(statement);
            }
        }
    }
}

/// Checks that are gone, and that one beside them implies which stays.
fn implied(old: &Side<'_>, before: &str) {
    let removed: BTreeSet<u64> = old.places.iter().map(|place| place.line).collect();
    let open = old.statements.keys().flat_map(|hunk| old.open(*hunk)).filter(|statement| statement.count == 1);
    let weak: Vec<(&Statement, Check)> = old.checks(open).into_iter().filter(|(_, check)| check.is_weak()).collect();
    if weak.is_empty() {
        return;
    }
    let all: Vec<&str> = before.lines().collect();
    for (statement, was) in weak {
        let Some(number) = old.places.get(statement.first).and_then(|place| usize::try_from(place.line).ok()) else {
            continue;
        };
        let own = number.saturating_sub(1);
        let depth = all.get(own).map_or(0, |line| indent(line));
        let is_in_block = |line: &&(usize, &str)| line.1.trim().is_empty() || indent(line.1) >= depth;
        let numbered = |at: usize| Some((at, *all.get(at)?));
        let below: Vec<(usize, &str)> = (own + 1..=own + NEAR).filter_map(numbered).collect();
        let above: Vec<(usize, &str)> = (own.saturating_sub(NEAR)..own).rev().filter_map(numbered).collect();
        let near = below.iter().take_while(is_in_block).chain(above.iter().take_while(is_in_block));
        let mut stays = near.filter(|(at, line)| !removed.contains(&(*at as u64 + 1)) && indent(line) == depth);
        if stays.any(|(_, line)| balance::is_check(line) && same::read(line).is_some_and(|is| is.implies(&was))) {
            old.settle(statement);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_goes_on_over_lines() {
        for (above, line) in
            [("if a ||", "(b && c)"), ("if a", "&& b"), ("if a || b", "{"), ("a", ".b()"), ("$a", "->b()")]
        {
            assert!(goes_on(above, line), "{above} {line}");
        }
        for (above, line) in [("f();", "g();"), ("assert_eq!(a, b);", "{ }"), ("if a {", "b();")] {
            assert!(!goes_on(above, line), "{above} {line}");
        }
    }

    /// How long it takes to settle so many lines of one hunk, in the best of three runs.
    #[expect(clippy::disallowed_methods, reason = "the test measures time")]
    fn duration(count: u64, old: &str, new: &str) -> std::time::Duration {
        let path = RepoPath::new("tests/test_a.py").expect("a path");
        let side = |line: &str| (0..count).map(|_| (line.to_owned(), line.to_owned())).collect::<Vec<_>>();
        let places = (1..=count).map(|line| Place { hunk: 0, run: 1, line }).collect::<Vec<_>>();
        let text = |line: &str| format!("{line}\n").repeat(usize::try_from(count).expect("a small number"));
        let once = || {
            let mut lines = Lines {
                removed: side(old),
                added: side(new),
                removed_at: places.clone(),
                added_at: places.clone(),
                skip: None,
            };
            let started = std::time::Instant::now();
            let _ = settle(&path, &mut lines, &text(old), &text(new));
            started.elapsed()
        };
        (0..3).map(|_| once()).min().expect("three runs")
    }

    #[test]
    fn the_time_grows_with_the_lines() {
        for (old, new) in [
            ("    self.assertEquals(f(1), 1)", "    self.assertEqual(f(1), 1)"),
            ("    assert f(1) == 1", "    assert f(1)  ==  1"),
            ("    assert f(1) == 1", "    assert f(2) == 2"),
        ] {
            let (short, long) = (duration(1_000, old, new), duration(8_000, old, new));
            // Eight times as many lines take about eight times as long; pairs of lines would take 64 times as long.
            assert!(long < short * 32, "{old}: {short:?} for 1,000 lines, {long:?} for 8,000");
        }
    }
}

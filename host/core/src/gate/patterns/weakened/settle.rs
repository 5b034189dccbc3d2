//! Takes out of the changed lines of a test what is no change of what it asks: another spelling, the same check in the words of
//! another library, a check that another one implies, a text that describes a function.
//!
//! A line only gives way to one of its own hunk that stands no deeper, so that a check which moves under a condition stays.

use std::collections::{BTreeMap, BTreeSet};

use super::balance::{self, Lines, Place};
use super::same::{self, Check};
use super::spelled::{docstrings, spelling};
use crate::path::RepoPath;

/// Most checks of one hunk that are compared with each other.
const MOST: usize = 64;

/// Above and below a check, so many lines are searched for one that implies it.
const NEAR: usize = 8;

/// Lines of one side, and which of them are settled.
struct Side<'l> {
    lines: &'l [(String, String)],
    places: &'l [Place],
    settled: Vec<bool>,
}

impl<'l> Side<'l> {
    fn new(lines: &'l [(String, String)], places: &'l [Place], described: &BTreeSet<u64>) -> Self {
        let settled = places.iter().map(|place| described.contains(&place.line)).collect();
        Self { lines, places, settled }
    }

    /// The lines that are not settled, by their hunks.
    fn open(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut hunks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, place) in self.places.iter().enumerate() {
            if !self.settled.get(at).copied().unwrap_or(true) {
                hunks.entry(place.hunk).or_default().push(at);
            }
        }
        hunks
    }

    fn said(&self, at: usize) -> &'l str {
        self.lines.get(at).map_or("", |(_, said)| said.as_str())
    }

    fn settle(&mut self, at: usize) {
        if let Some(settled) = self.settled.get_mut(at) {
            *settled = true;
        }
    }

    /// The checks among these lines that are read whole.
    fn checks(&self, at: &[usize]) -> Vec<(usize, Check)> {
        let is_check = |at: &&usize| self.lines.get(**at).is_some_and(|(code, _)| balance::is_check(code));
        let found = at.iter().filter(is_check).filter_map(|at| Some((*at, same::read(self.said(*at))?)));
        found.take(MOST).collect()
    }
}

/// Takes settled lines out, and returns the numbers of those that the change adds.
pub(super) fn settle(path: &RepoPath, lines: &mut Lines, before: &str, after: &str) -> BTreeSet<u64> {
    let mut old = Side::new(&lines.removed, &lines.removed_at, &docstrings(path, before));
    let mut new = Side::new(&lines.added, &lines.added_at, &docstrings(path, after));
    respelled(path, &mut old, &mut new, after);
    reworded(&mut old, &mut new);
    implied(&mut old, before);
    let (gone, come) = (old.settled, new.settled);
    let numbers = lines.added_at.iter().zip(&come).filter(|(_, settled)| **settled).map(|(place, _)| place.line);
    let numbers = numbers.collect();
    keep(&mut lines.removed, &mut lines.removed_at, &gone);
    keep(&mut lines.added, &mut lines.added_at, &come);
    numbers
}

fn keep(lines: &mut Vec<(String, String)>, places: &mut Vec<Place>, settled: &[bool]) {
    let mut of_lines = settled.iter();
    lines.retain(|_| !of_lines.next().copied().unwrap_or(false));
    let mut of_places = settled.iter();
    places.retain(|_| !of_places.next().copied().unwrap_or(false));
}

fn indent(said: &str) -> usize {
    said.len() - said.trim_start().len()
}

/// Lines that only are spelled in another way.
fn respelled(path: &RepoPath, old: &mut Side<'_>, new: &mut Side<'_>, after: &str) {
    let come = new.open();
    for (hunk, gone) in old.open() {
        let Some(come) = come.get(&hunk) else { continue };
        let mut by_spelling: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in come.iter().rev() {
            by_spelling.entry(spelling(path, after, new.said(*at))).or_default().push(*at);
        }
        for at in gone {
            let said = old.said(at);
            let spelled = spelling(path, after, said);
            let Some(alike) = by_spelling.get_mut(&spelled).filter(|_| !spelled.is_empty()) else { continue };
            let is_other = |other: &usize| {
                let other = new.said(*other);
                other.trim() != said.trim() && (indent(other) <= indent(said) || spelled.starts_with('#'))
            };
            if let Some(place) = alike.iter().rposition(is_other) {
                new.settle(alike.remove(place));
                old.settle(at);
            }
        }
    }
}

/// Checks that stand there in other words, or that another one implies.
fn reworded(old: &mut Side<'_>, new: &mut Side<'_>) {
    let come = new.open();
    for (hunk, gone) in old.open() {
        let Some(come) = come.get(&hunk) else { continue };
        let (gone, come) = (old.checks(&gone), new.checks(come));
        let mut taken = BTreeSet::new();
        for (at, was) in &gone {
            let is_near = |other: usize| indent(new.said(other)) <= indent(old.said(*at));
            let equal = come.iter().find(|(other, is)| {
                !taken.contains(other) && is_near(*other) && is.implies(was) && was.is_as_much_as(is)
            });
            if let Some((other, _)) = equal {
                taken.insert(*other);
                new.settle(*other);
                old.settle(*at);
            } else if come.iter().any(|(other, is)| is_near(*other) && is.implies(was)) {
                old.settle(*at);
            }
        }
    }
}

/// Checks that are gone, and that one beside them implies which stays.
fn implied(old: &mut Side<'_>, before: &str) {
    let removed: BTreeSet<u64> = old.places.iter().map(|place| place.line).collect();
    let open: Vec<usize> = old.open().into_values().flatten().collect();
    let weak: Vec<(usize, Check)> = old.checks(&open).into_iter().filter(|(_, check)| check.is_weak()).collect();
    if weak.is_empty() {
        return;
    }
    let all: Vec<&str> = before.lines().collect();
    for (at, was) in weak {
        let Some(number) = old.places.get(at).and_then(|place| usize::try_from(place.line).ok()) else { continue };
        let own = number.saturating_sub(1);
        let depth = all.get(own).map_or(0, |line| indent(line));
        let is_in_block = |line: &&(usize, &str)| line.1.trim().is_empty() || indent(line.1) >= depth;
        let numbered = |at: usize| Some((at, *all.get(at)?));
        let below: Vec<(usize, &str)> = (own + 1..=own + NEAR).filter_map(numbered).collect();
        let above: Vec<(usize, &str)> = (own.saturating_sub(NEAR)..own).rev().filter_map(numbered).collect();
        let near = below.iter().take_while(is_in_block).chain(above.iter().take_while(is_in_block));
        let mut stays = near.filter(|(at, line)| !removed.contains(&(*at as u64 + 1)) && indent(line) == depth);
        if stays.any(|(_, line)| balance::is_check(line) && same::read(line).is_some_and(|is| is.implies(&was))) {
            old.settle(at);
        }
    }
}

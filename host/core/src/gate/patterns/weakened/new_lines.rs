//! What a new line of a test file can skip: what stands in its condition, or the rest of its test.

use std::collections::BTreeSet;

use super::balance;

/// Most lines of a test or of a comment that are searched.
const MOST: u64 = 400;

/// A file after the change, with the numbers of its new lines.
pub(super) struct NewLines<'a> {
    pub(super) all: Vec<&'a str>,
    pub(super) new: BTreeSet<u64>,
}

impl<'a> NewLines<'a> {
    fn line(&self, number: u64) -> Option<&'a str> {
        self.all.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    fn is_old(&self, number: u64) -> bool {
        !self.new.contains(&number) && self.line(number).is_some_and(|line| !line.trim().is_empty())
    }

    /// Whether a line can only skip lines that are new as well.
    pub(super) fn only_skips_new(&self, number: u64) -> bool {
        if let Some(end) = self.line(number).and_then(balance::end_of_comment) {
            return self.covers_only_comment(number, end);
        }
        let directive = self.line(number).and_then(|line| line.trim_start().strip_prefix('#')).map(str::trim_start);
        if directive.is_some_and(|word| word.starts_with("if")) {
            self.compiles_old(number)
        } else {
            self.is_in_new_test(number)
        }
    }

    /// Whether the old lines between a condition of the compiler and its end neither begin a test nor check anything.
    fn compiles_old(&self, number: u64) -> bool {
        let mut depth = 0_usize;
        for at in number.. {
            let Some(line) = self.line(at) else { return false };
            let word = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
            if word.starts_with("if") {
                depth += 1;
            } else if word.starts_with("endif") {
                depth -= 1;
            }
            if depth == 0 {
                return true;
            }
            let code = (line.to_owned(), line.to_owned());
            if self.is_old(at) && (balance::checks(&code) || balance::begins_test(&code)) {
                return false;
            }
        }
        false
    }

    /// Whether a comment that a line opens ends before a line that was code.
    fn covers_only_comment(&self, number: u64, end: &str) -> bool {
        let mut below = (number + 1..number + MOST).map_while(|at| Some((at, self.line(at)?.trim())));
        let stop = below.find(|(at, line)| line.contains(end) || self.is_old(*at) && !line.starts_with('*'));
        stop.is_some_and(|(_, line)| line.contains(end))
    }

    /// Whether the line stands in a test that is new from its head to its end. What only ends a loop or a function may stand in
    /// any new function.
    fn is_in_new_test(&self, number: u64) -> bool {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = self.line(number).map_or(0, indent);
        let only_jumps = self.line(number).is_some_and(|line| {
            let bare = line.trim().trim_end_matches(';');
            matches!(bare.split(' ').next(), Some("break" | "next" | "return"))
        });
        let above = (number.saturating_sub(MOST).max(1)..number).rev().take_while(|at| !self.is_old(*at));
        let is_head = |at: &u64| {
            let line = self.line(*at).unwrap_or_default();
            let begins = || balance::begins_test(&(line.to_owned(), line.to_owned()));
            !line.trim().is_empty() && indent(line) < own && (begins() || only_jumps && heads_function(line))
        };
        // A mark stands above the head, at its own depth.
        let heads = above.into_iter().find(is_head);
        let Some(head) = heads.and_then(|at| self.line(at)) else { return false };
        let mut below = (number + 1..number + MOST).map_while(|at| Some((at, self.line(at)?)));
        let end = below.find(|(_, line)| !line.trim().is_empty() && indent(line) <= indent(head));
        end.is_some_and(|(at, line)| {
            (number..at).all(|at| !self.is_old(at)) && line.trim_start().starts_with(['}', ')', 'e'])
        })
    }
}

/// Whether a line is the head of a function that has a block, and not of a condition or a loop.
fn heads_function(line: &str) -> bool {
    const OTHER: &[&str] =
        &["catch", "do", "else", "for", "foreach", "if", "switch", "try", "unless", "until", "while", "with"];
    let bare = line.trim();
    let first = bare.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !word.is_empty());
    let is_other = first.is_none_or(|first| OTHER.contains(&first));
    let opens = bare.contains('(') && (bare.ends_with('{') || bare.ends_with(" do")) || bare.starts_with("def ");
    !is_other && opens
}

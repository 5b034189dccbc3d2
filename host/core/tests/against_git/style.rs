//! The ways in which tools write a change down.

use std::fmt::Write as _;
use std::sync::Arc;

use gephost_core::gate::{BlobState, FileMode};
use gephost_core::patch::{Hunk, Line, LineKind, make};
use gephost_core::path::RepoPath;

use super::choices::Choices;

/// How a tool writes.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    git: bool,
    index: bool,
    quoted: bool,
    dated: bool,
    epoch: bool,
    /// Lines that hunks stand off from where they belong.
    shift: i64,
    /// Lines of context kept at the start and at the end.
    context: (usize, usize),
}

impl Style {
    pub(crate) fn choose(choices: &mut Choices<'_>) -> Self {
        Self {
            git: !choices.once_in(3),
            index: !choices.once_in(3),
            quoted: choices.once_in(6),
            dated: choices.once_in(3),
            epoch: choices.once_in(4),
            shift: choices.of(&[0, 0, 0, 0, 0, 1, -1, 3, -3, 60]),
            context: (choices.of(&[3, 3, 3, 3, 1, 0]), choices.of(&[3, 3, 3, 3, 1, 0])),
        }
    }

    /// The same with git's own headers, which renames and modes need.
    pub(crate) fn of_git(self) -> Self {
        Self { git: true, ..self }
    }

    pub(crate) fn name(self, prefix: char, name: &str, choices: &mut Choices<'_>) -> String {
        let full = format!("{prefix}/{name}");
        if !self.quoted && !full.contains('"') {
            return full;
        }
        let mut quoted = String::from("\"");
        for (place, byte) in full.bytes().enumerate() {
            let special = !(b' '..0x7f).contains(&byte) || byte == b'"' || byte == b'\\';
            let octal = special || place > 1 && choices.once_in(9);
            let _ = if octal { write!(quoted, "\\{byte:03o}") } else { write!(quoted, "{}", char::from(byte)) };
        }
        quoted + "\""
    }

    pub(crate) fn opening(self, text: &mut String, from: &str, to: &str, lines: &str) {
        if self.git {
            let index = if self.index { "index 0123456..789abcd\n" } else { "" };
            let _ = write!(text, "diff --git {from} {to}\n{lines}{index}");
        }
    }

    /// What follows a name: a tab after a space, and a date where the tool writes dates.
    fn side(self, side: Option<&str>, other: Option<&str>) -> String {
        let date = if self.dated && !self.git { "\t2024-05-17 12:34:56.000000000 +0200" } else { "" };
        match (side, other) {
            (Some(name), _) if date.is_empty() && name.contains(' ') => format!("{name}\t"),
            (Some(name), _) => format!("{name}{date}"),
            // `diff -N` names the file on both sides.
            (None, Some(name)) if self.epoch && !self.git => {
                let name =
                    if name.starts_with("a/") { name.replacen("a/", "b/", 1) } else { name.replacen("b/", "a/", 1) };
                format!("{name}\t1970-01-01 01:00:00.000000000 +0100")
            }
            (None, _) => "/dev/null".to_owned(),
        }
    }

    pub(crate) fn hunks(
        self,
        text: &mut String,
        old: Option<(&str, &[u8])>,
        new: Option<(&str, &[u8])>,
        choices: &mut Choices<'_>,
    ) -> std::fmt::Result {
        let state = |side: Option<(&str, &[u8])>| {
            let content: Arc<[u8]> = Arc::from(side.map_or(&[][..], |(_, content)| content));
            BlobState { mode: FileMode::Regular, content }
        };
        let path = RepoPath::new("x").expect("a plain name");
        let Ok(file) = make(Some(&state(old)), Some(&state(new)), &path) else {
            return Ok(());
        };
        if file.hunks.is_empty() {
            return Ok(());
        }
        let (old, new) = (old.map(|(name, _)| name), new.map(|(name, _)| name));
        writeln!(text, "--- {}\n+++ {}", self.side(old, new), self.side(new, old))?;
        for hunk in &file.hunks {
            write_hunk(text, &self.cut(hunk), choices)?;
        }
        Ok(())
    }

    /// A hunk with less context, and moved.
    fn cut(self, hunk: &Hunk) -> Hunk {
        let context = |line: &&Line| line.kind == LineKind::Context;
        let before = hunk.lines.iter().take_while(context).count();
        let after = hunk.lines.iter().rev().take_while(context).count();
        let (from, to) = (before.saturating_sub(self.context.0), after.saturating_sub(self.context.1));
        let both_sides = hunk.old_count > 0 && hunk.new_count > 0;
        let less = |start: u32, count: u32| {
            let moved = i64::from(start) + i64::try_from(from).unwrap_or(0);
            // With no lines left, a hunk starts at the line before.
            let start = moved - i64::from(count > 0 && count as usize == from + to);
            let shifted = if both_sides { start + self.shift } else { start };
            (u32::try_from(shifted).unwrap_or(0), count - u32::try_from(from + to).unwrap_or(0))
        };
        let (old_start, old_count) = less(hunk.old_start, hunk.old_count);
        let (new_start, new_count) = less(hunk.new_start, hunk.new_count);
        let lines = hunk.lines[from..hunk.lines.len() - to].to_vec();
        Hunk { old_start, old_count, new_start, new_count, lines }
    }
}

fn write_hunk(text: &mut String, hunk: &Hunk, choices: &mut Choices<'_>) -> std::fmt::Result {
    let range = |start: u32, count: u32| if count == 1 { start.to_string() } else { format!("{start},{count}") };
    let section = choices.of(&["", "", " fn x()", " --- a/b"]);
    let (old, new) = (range(hunk.old_start, hunk.old_count), range(hunk.new_start, hunk.new_count));
    writeln!(text, "@@ -{old} +{new} @@{section}")?;
    for line in &hunk.lines {
        let sign = match line.kind {
            LineKind::Context if line.text.is_empty() && choices.once_in(3) => "",
            LineKind::Context => " ",
            LineKind::Add => "+",
            LineKind::Delete => "-",
        };
        writeln!(text, "{sign}{}", line.text)?;
        if line.no_newline {
            writeln!(text, "\\ No newline at end of file")?;
        }
    }
    Ok(())
}

//! A small tree, what is done to it, and the diff that some tool would write of that.
//!
//! The writer is not the product's: it spells the same change in the ways of git, `diff -u` and Mercurial, moves hunks
//! and cuts their context, so that the reader is tested on what it did not write itself.

use std::collections::BTreeMap;

use super::choices::Choices;
use super::style::Style;

/// Files by path: content, and whether it is executable.
pub(crate) type Tree = BTreeMap<String, (Vec<u8>, bool)>;

const NAMES: &[&str] = &[
    "a",
    "b",
    "docs/a.md",
    "docs/b.md",
    "docs/b c.md",
    "docs/q\"t.md",
    "docs/é 日本.md",
    "x b/x",
    "docs/deep/er/a",
    "Src/a.rs",
    "src/a.rs",
    "-p1",
    ".hidden",
];

const LINES: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "",
    " ",
    "\t",
    "-- x",
    "++ y",
    "--- a/docs/a.md",
    "+++ b/docs/a.md",
    "@@ -1 +1 @@",
    "\\ No newline at end of file",
    "diff --git a/a b/a",
    "é",
    "a\r",
    "rename from a",
    "trailing  ",
];

/// A tree of up to six files.
pub(crate) fn tree(choices: &mut Choices<'_>) -> Tree {
    let count = 1 + choices.below(6);
    (0..count).map(|_| (choices.of(NAMES).to_owned(), (content(choices), choices.once_in(5)))).collect()
}

fn content(choices: &mut Choices<'_>) -> Vec<u8> {
    let variety = choices.of(&[LINES.len(), 3, 6]);
    let count = choices.of(&[5, 0, 1, 2, 9, 14, 30]);
    let lines: Vec<&str> = (0..count).map(|_| LINES[choices.below(variety)]).collect();
    let mut text = lines.join("\n");
    if !lines.is_empty() && !choices.once_in(4) {
        text.push('\n');
    }
    text.into_bytes()
}

/// The text of one to three changes to a tree, as a tool would write it; often wrapped in a mail.
pub(crate) fn diff(tree: &Tree, choices: &mut Choices<'_>) -> String {
    let mut text = String::new();
    let mail = choices.once_in(6);
    if mail {
        text.push_str(
            "From 0123456789 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] Rename it\n\nWhy.\n---\n a | 2 +-\n\n",
        );
    }
    let count = choices.of(&[1, 1, 2, 3]);
    let mut left: Vec<&String> = tree.keys().collect();
    for _ in 0..count.min(left.len()) {
        let name = left.swap_remove(choices.below(left.len()));
        change(&mut text, tree, name, choices);
    }
    if mail {
        text.push_str("-- \n2.43.0\n\n");
    }
    text
}

fn change(text: &mut String, tree: &Tree, old_name: &str, choices: &mut Choices<'_>) {
    let unused: Vec<&str> = NAMES.iter().copied().filter(|name| !tree.contains_key(*name)).collect();
    let new_name = if choices.once_in(9) { choices.of(NAMES) } else { choices.of(&unused) };
    let (old, executable) = tree[old_name].clone();
    let edited = edited(&old, choices);
    let style = Style::choose(choices);
    let mode = if executable { "100755" } else { "100644" };
    let (from, to) = (style.name('a', old_name, choices), style.name('b', new_name, choices));
    let same = style.name('b', old_name, choices);
    // A string takes everything that is written to it.
    let _ = match choices.below(8) {
        0..=2 if edited != old => {
            style.opening(text, &from, &same, "");
            style.hunks(text, Some((&from, &old)), Some((&same, &edited)), choices)
        }
        3 => {
            let from = style.name('a', new_name, choices);
            style.opening(text, &from, &to, "new file mode 100644\n");
            style.hunks(text, None, Some((&to, &edited)), choices)
        }
        4 => {
            style.opening(text, &from, &same, &format!("deleted file mode {mode}\n"));
            style.hunks(text, Some((&from, &old)), None, choices)
        }
        5 | 6 => {
            let verb = choices.of(&["rename", "copy"]);
            let after = if choices.once_in(2) { old.clone() } else { edited };
            let bare = |name: &str| name.replacen("a/", "", 1);
            let (bare_from, bare_to) = (bare(&from), to.replacen("b/", "", 1));
            let lines = format!("similarity index 80%\n{verb} from {bare_from}\n{verb} to {bare_to}\n");
            let style = style.of_git();
            style.opening(text, &from, &to, &lines);
            style.hunks(text, Some((&from, &old)), Some((&to, &after)), choices)
        }
        _ => {
            let other = if executable { "100644" } else { "100755" };
            let lines = format!("old mode {mode}\nnew mode {other}\n");
            let style = style.of_git();
            style.opening(text, &from, &same, &lines);
            Ok(())
        }
    };
}

/// Content with a line changed, added or taken away.
fn edited(content: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = content.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=choices.below(3) {
        let at = choices.below(lines.len() + 1);
        let line = format!("{}\n", choices.of(LINES)).into_bytes();
        match choices.below(3) {
            0 if at < lines.len() => lines[at] = line,
            1 if at < lines.len() => drop(lines.remove(at)),
            _ => lines.insert(at, line),
        }
    }
    let last = lines.len().saturating_sub(1);
    let mut result = Vec::new();
    for (number, line) in lines.into_iter().enumerate() {
        // Only the last line of a file can be without a line feed.
        let ended = line.ends_with(b"\n") || number == last;
        result.extend(line);
        if !ended {
            result.push(b'\n');
        }
    }
    if choices.once_in(5) && result.ends_with(b"\n") {
        result.pop();
    }
    result
}

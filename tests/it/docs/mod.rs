//! The documents say what is true: their commands run, their configs are accepted, their links lead somewhere, the files
//! and symbols that they name exist, and what is generated is up to date (`GEPHOST_BLESS=1` writes it).

mod author_session;
mod citations;
mod commands;
mod configs;
mod figures;
mod links;
mod named_files;
mod session;

use std::fs;
use std::path::Path;

use gephost_tests::repository;

/// Documents at the root and beside the code.
const LOOSE: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "BENCHMARKS.md",
    "CHANGELOG.md",
    "genes/README.md",
];

/// A Markdown file.
struct Document {
    /// From the repository's root.
    path: String,
    text: String,
}

/// A fenced block.
struct Block {
    /// What follows the opening fence, such as `console`.
    info: String,
    text: String,
}

/// Every document: those at the root, and every file of the book.
fn documents() -> Vec<Document> {
    let mut paths: Vec<String> = LOOSE.iter().map(|path| (*path).to_owned()).collect();
    collect(&repository(), "docs/src", &mut paths);
    assert!(paths.len() > LOOSE.len() + 20, "the book has lost pages");
    paths
        .into_iter()
        .map(|path| Document { text: fs::read_to_string(repository().join(&path)).unwrap(), path })
        .collect()
}

/// One document.
fn document(path: &str) -> Document {
    Document { path: path.to_owned(), text: fs::read_to_string(repository().join(path)).unwrap() }
}

fn collect(root: &Path, folder: &str, paths: &mut Vec<String>) {
    let mut names: Vec<String> = fs::read_dir(root.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names {
        let path = format!("{folder}/{name}");
        if root.join(&path).is_dir() {
            collect(root, &path, paths);
        } else if path.ends_with(".md") {
            paths.push(path);
        }
    }
}

impl Document {
    /// Its fenced blocks, in order.
    fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open = false;
        for line in self.text.lines() {
            match (line.strip_prefix("```"), open) {
                (Some(info), false) => {
                    blocks.push(Block { info: info.to_owned(), text: String::new() });
                    open = true;
                }
                (Some(_), true) => open = false,
                (None, true) => {
                    let block = blocks.last_mut().unwrap();
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                (None, false) => {}
            }
        }
        assert!(!open, "{}: a fence does not close", self.path);
        blocks
    }

    /// The text without its fenced blocks.
    fn prose(&self) -> String {
        let mut open = false;
        let outside = self.text.lines().filter(|line| {
            let fence = line.starts_with("```");
            open ^= fence;
            !open && !fence
        });
        outside.collect::<Vec<_>>().join("\n")
    }

    /// The texts between backquotes, outside of blocks.
    fn code_spans(&self) -> Vec<String> {
        let paragraphs = self.prose();
        let spans = paragraphs.split("\n\n").flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
        spans.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a document.
fn anchors(document: &Document) -> Vec<String> {
    let prose = document.prose();
    let headings = prose.lines().filter_map(|line| {
        let text = line.trim_start_matches('#');
        (text.len() < line.len()).then(|| text.strip_prefix(' ')).flatten()
    });
    headings.map(slug).collect()
}

//! A workspace in memory, and the functions that all cases use.

use std::collections::BTreeMap;

use gephost_gene::failures::{Cause, Failure};
use gephost_gene::handwritten;

use crate::input::Workspace;
use crate::plan::{Draft, drafts};

/// Files by path.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) files: BTreeMap<String, Vec<u8>>,
    pub(super) notes: Vec<String>,
}

impl Files {
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Self { files, notes: Vec::new() }
    }
}

impl Workspace for Files {
    fn named(&mut self, name: &str) -> Vec<String> {
        let fits = |path: &&String| match name.strip_prefix('*') {
            Some(end) => path.ends_with(end),
            None => path.rsplit('/').next() == Some(name),
        };
        self.files.keys().filter(fits).cloned().collect()
    }

    fn containing(&mut self, word: &str, globs: &[&str]) -> Vec<String> {
        let ends: Vec<&str> = globs.iter().map(|glob| glob.trim_start_matches(['*', '/'])).collect();
        let holds = |text: &[u8]| String::from_utf8_lossy(text).contains(word);
        let fits = |path: &str| ends.iter().any(|end| path.ends_with(end));
        self.files.iter().filter(|(path, text)| fits(path) && holds(text)).map(|(path, _)| path.clone()).collect()
    }

    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.get(path).cloned()
    }

    fn is_marked(&mut self, path: &str) -> bool {
        let attributes = self.files.get(".gitattributes").cloned().unwrap_or_default();
        handwritten::is_marked(&String::from_utf8_lossy(&attributes), path)
    }

    fn note(&mut self, line: &str) {
        self.notes.push(line.to_owned());
    }
}

/// The candidates for one failing event.
pub(super) fn candidates(output: &str, files: &[(&str, &str)]) -> Vec<Draft> {
    let failure = Failure { event: 7, input: "python3 -m pytest".to_owned(), output: output.to_owned() };
    let cause = Cause { id: "tool-failures:Bash".to_owned(), events: vec![7] };
    drafts(&[cause], &[failure], &mut Files::of(files))
}

/// The content that the first candidate gives a file; `None` if there is no candidate.
pub(super) fn repaired(output: &str, path: &str, source: &str) -> Option<String> {
    let first = candidates(output, &[(path, source)]).into_iter().next()?;
    assert_eq!(first.files.len(), 1, "the first candidate changes only the file that the error points at");
    let (changed, content) = first.files.into_iter().next()?;
    assert_eq!(changed, path);
    let content = String::from_utf8(content).expect("cases are text");
    assert!(candidates(output, &[(path, &content)]).is_empty(), "repaired twice: {content}");
    Some(content)
}

/// A traceback as Python prints it, with one place.
pub(super) fn trace(path: &str, line: usize, source: &str, error: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"/repo/{path}\", line {line}, in <module>\n    {source}\n{error}\n"
    )
}

/// A traceback that points at the line of `source` that contains `at`.
pub(super) fn trace_at(path: &str, source: &str, at: &str, error: &str) -> String {
    let (number, line) = source
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(at))
        .unwrap_or_else(|| panic!("no line contains {at}"));
    trace(path, number + 1, line.trim(), error)
}

/// The parser's message for a line of `source`, with the mark below `column` of the line's code.
pub(super) fn parser(path: &str, source: &str, line: usize, column: usize, error: &str) -> String {
    let text = source.lines().nth(line - 1).expect("the case has this line").trim();
    format!("  File \"/repo/{path}\", line {line}\n    {text}\n    {}^\nSyntaxError: {error}\n", " ".repeat(column))
}

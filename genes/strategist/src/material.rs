//! What the model is shown, as data: findings, and files that matter.

use std::fmt::Write as _;

use serde_json::json;

use crate::files::Shown;

/// Longest line of a finding, in characters, and most lines of evidence.
const MAX_LINE: usize = 500;
const MAX_EVIDENCE: usize = 6;
/// Most bytes of an output that are shown: its end.
const MAX_OUTPUT: usize = 4 << 10;

/// A finding.
#[derive(Debug, Default)]
pub(crate) struct Subject {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) hypothesis: String,
    pub(crate) direction: String,
    pub(crate) occurrences: u32,
    pub(crate) evidence: Vec<String>,
    /// The output of the first event of the evidence.
    pub(crate) output: String,
}

impl Subject {
    /// The texts in which it may name files.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let evidence = self.evidence.iter().take(MAX_EVIDENCE).map(String::as_str);
        [self.title.as_str(), &self.hypothesis, &self.direction, end(&self.output)].into_iter().chain(evidence)
    }
}

/// The material.
pub(crate) fn text(subjects: &[Subject], files: &[Shown], root: &[String]) -> String {
    let mut text = String::from("Findings, most important first, one JSON object a line:\n");
    for subject in subjects {
        let evidence: Vec<String> = subject.evidence.iter().take(MAX_EVIDENCE).map(|line| clip(line)).collect();
        let finding = json!({
            "id": subject.id,
            "title": clip(&subject.title),
            "hypothesis": clip(&subject.hypothesis),
            "direction": clip(&subject.direction),
            "occurrences": subject.occurrences,
            "evidence": evidence,
            "output": end(&subject.output),
        });
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{finding}");
    }
    let _ = writeln!(text, "\nAt the repository's root: {}", json!(root));
    for file in files {
        let part = if file.is_whole { "whole".to_owned() } else { format!("from line {} on", file.first_line) };
        let _ = writeln!(text, "\nFile {}, {part}:\n{}", json!(file.path), file.text);
    }
    text
}

fn clip(text: &str) -> String {
    text.chars().take(MAX_LINE).collect()
}

fn end(text: &str) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(MAX_OUTPUT))..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_and_files_are_in_it_within_bounds() {
        let subject = Subject {
            id: "f1".to_owned(),
            title: "x".repeat(9000),
            evidence: vec!["line".to_owned(); 50],
            output: "ü".repeat(20_000) + "the end",
            ..Subject::default()
        };
        let shown = Shown { path: "a.py".to_owned(), first_line: 1, is_whole: true, text: "import a\n".to_owned() };
        let text = text(&[subject], &[shown], &["a.py".to_owned()]);
        assert!(text.contains("File \"a.py\", whole:\nimport a\n") && text.contains("the end"), "{text}");
        assert!(text.len() < 10_000 && text.matches("\"line\"").count() == MAX_EVIDENCE);
    }
}

//! What the model is told to do: the gene's own steps and limits, and the form of the answer.

use std::fmt::Write as _;

use crate::carried::Carried;

/// Longest line of the gene that is passed on, in characters.
const MAX_LINE: usize = 1000;

/// The JSON Schema of the answer. Every member is required, because APIs that enforce a schema demand it.
pub(crate) const SCHEMA: &str = r#"{"type":"object","required":["reason","proposals"],"additionalProperties":false,
"properties":{"reason":{"type":"string"},"proposals":{"type":"array","items":{"type":"object",
"required":["finding","title","objective","evidence","risk_level","changes","tests_to_run"],"additionalProperties":false,
"properties":{"finding":{"type":"string"},"title":{"type":"string"},"objective":{"type":"string"},
"evidence":{"type":"array","items":{"type":"string"}},"risk_level":{"type":"string","enum":["low","medium","high"]},
"changes":{"type":"array","items":{"type":"object","required":["path","kind","text"],"additionalProperties":false,
"properties":{"path":{"type":"string"},"kind":{"type":"string","enum":["content","diff","delete"]},
"text":{"type":"string"}}}},"tests_to_run":{"type":"array","items":{"type":"string"}}}}}}}"#;

/// The instructions.
pub(crate) fn text(gene: &Carried) -> String {
    let mut text = String::from(
        "You carry out one strategy in a git repository in which an AI agent failed again and again. The data shows what \
         failed, and the files that matter.\n\n",
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "The strategy is {}: {}", line(&gene.id), line(&gene.summary));
    list(&mut text, "It applies if:", &gene.preconditions);
    text.push_str("Its steps:\n");
    for (number, step) in gene.strategy.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", number + 1, line(step));
    }
    if let Some(files) = gene.max_files {
        let _ = writeln!(text, "Change at most {files} files.");
    }
    list(&mut text, "Never change files that match:", &gene.forbidden_paths);
    list(&mut text, "These commands must succeed afterwards:", &gene.validation);
    text.push_str(
        "\n`proposals` holds at most three candidates, best first, each for one finding, whose id is its `finding`. If the \
         steps lead to no change, or do not apply, leave `proposals` empty and say why in `reason`. Each entry of `changes` has \
         the `path` of one file from the repository's root. With `kind` \"content\", `text` is the whole new content of the \
         file: only for files that you were shown whole, and for new ones. With \"diff\", `text` is a unified diff of this \
         file as `git diff` writes it. With \"delete\", `text` is empty. Never write or change what `[REDACTED:...]` stands for. \
         `tests_to_run` holds commands without a shell, such as `pytest tests/`. A program checks each proposal: it is refused \
         if it adds a secret, weakens a test or runs code from elsewhere.",
    );
    text
}

fn list(text: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = writeln!(text, "{title}");
        for entry in lines {
            let _ = writeln!(text, "- {}", line(entry));
        }
    }
}

/// One line of bounded length.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gene_s_steps_and_limits_are_in_it() {
        let gene = Carried {
            id: "gene_x".to_owned(),
            strategy: vec!["read\nthe log".to_owned(), "x".repeat(5000)],
            max_files: Some(2),
            forbidden_paths: vec!["secrets/".to_owned()],
            validation: vec!["pytest -q".to_owned()],
            ..Carried::default()
        };
        let text = text(&gene);
        for expected in ["1. read the log\n", "at most 2 files", "- secrets/\n", "- pytest -q\n"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains(&"x".repeat(MAX_LINE + 1)));
    }

    #[test]
    fn the_schema_is_one() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        assert_eq!(schema["type"], "object");
    }
}

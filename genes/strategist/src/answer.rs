//! The model's answer, as candidates.

use serde_json::Value;

use crate::carried::Carried;
use crate::files::{Shown, Tree};

/// Most candidates, changes of one, and lines of evidence or commands.
const MAX_CANDIDATES: usize = 3;
const MAX_CHANGES: usize = 20;
const MAX_LINES: usize = 10;
/// Longest text other than a change, in characters.
const MAX_TEXT: usize = 1000;
/// What redaction leaves in the place of a secret.
const REDACTED: &str = "[REDACTED:";

/// A candidate.
#[derive(Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) finding: String,
    pub(crate) title: String,
    pub(crate) objective: String,
    pub(crate) evidence: Vec<String>,
    pub(crate) risk: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) tests: Vec<String>,
}

/// A change of one file.
#[derive(Debug, PartialEq)]
pub(crate) enum Edit {
    Content(String, String),
    Diff(String),
    Delete(String),
}

/// An answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    /// Why there is no candidate, in the model's words.
    pub(crate) reason: String,
    pub(crate) drafts: Vec<Draft>,
    /// Why candidates were left out.
    pub(crate) problems: Vec<String>,
}

/// Reads an answer about the findings with these ids.
pub(crate) fn read(
    text: &str,
    ids: &[&str],
    gene: &Carried,
    shown: &[Shown],
    tree: &mut impl Tree,
) -> Result<Read, String> {
    let answer: Value = serde_json::from_str(text).map_err(|error| format!("the answer is not JSON: {error}"))?;
    let Some(proposals) = answer["proposals"].as_array() else {
        return Err("`proposals` of the answer is not a list".to_owned());
    };
    let mut read = Read { reason: line(&answer["reason"]), drafts: Vec::new(), problems: Vec::new() };
    if read.reason.is_empty() {
        "it gives no reason".clone_into(&mut read.reason);
    }
    for proposal in proposals.iter().take(MAX_CANDIDATES) {
        match draft(proposal, ids, gene, shown, tree) {
            Ok(draft) => read.drafts.push(draft),
            Err(problem) => read.problems.push(format!("a candidate of the model is left out: {problem}")),
        }
    }
    Ok(read)
}

fn draft(
    proposal: &Value,
    ids: &[&str],
    gene: &Carried,
    shown: &[Shown],
    tree: &mut impl Tree,
) -> Result<Draft, String> {
    let named = proposal["finding"].as_str().unwrap_or_default();
    let finding = match ids {
        _ if ids.contains(&named) => named,
        // There is nothing else that it can be for.
        [only] => only,
        _ => return Err("it is for none of the findings".to_owned()),
    };
    let changes = proposal["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    if changes.is_empty() || changes.len() > MAX_CHANGES {
        return Err(format!("it has {} changes, and must have 1 to {MAX_CHANGES}", changes.len()));
    }
    let edits = changes.iter().map(|change| edit(change, shown, tree)).collect::<Result<Vec<_>, _>>()?;
    let [title, objective] = ["title", "objective"].map(|name| line(&proposal[name]));
    let title = [title, objective.clone(), gene.summary.clone(), gene.id.clone()];
    let own = lines(&proposal["tests_to_run"]);
    Ok(Draft {
        finding: finding.to_owned(),
        title: title.into_iter().find(|text| !text.is_empty()).unwrap_or_default(),
        objective,
        evidence: lines(&proposal["evidence"]),
        risk: line(&proposal["risk_level"]),
        edits,
        tests: if gene.validation.is_empty() { own } else { gene.validation.clone() },
    })
}

fn edit(change: &Value, shown: &[Shown], tree: &mut impl Tree) -> Result<Edit, String> {
    let path = change["path"].as_str().unwrap_or_default().trim_start_matches("./").to_owned();
    let text = change["text"].as_str().unwrap_or_default();
    if path.is_empty() {
        return Err("a change names no file".to_owned());
    }
    let name: String = path.chars().take(200).collect();
    match change["kind"].as_str() {
        Some("delete") => Ok(Edit::Delete(path)),
        Some("diff") => {
            let adds_marker = text.lines().any(|line| line.starts_with('+') && line.contains(REDACTED));
            let end = if text.ends_with('\n') { "" } else { "\n" };
            if adds_marker { Err(marker(&name)) } else { Ok(Edit::Diff(format!("{text}{end}"))) }
        }
        Some("content") => content(path, &name, text, shown, tree),
        _ => Err(format!("the change of {name} is neither content, diff nor delete")),
    }
}

/// The whole new content of a file. A file that the model did not see whole would lose what it did not see.
fn content(path: String, name: &str, text: &str, shown: &[Shown], tree: &mut impl Tree) -> Result<Edit, String> {
    let Some(before) = tree.read(std::slice::from_ref(&path)).pop().flatten() else {
        return if text.contains(REDACTED) { Err(marker(name)) } else { Ok(Edit::Content(path, text.to_owned())) };
    };
    if !shown.iter().any(|file| file.is_whole && file.path == path) {
        return Err(format!("it replaces {name}, which the model did not see as a whole"));
    }
    let before = String::from_utf8_lossy(&before);
    if text.matches(REDACTED).count() > before.matches(REDACTED).count() {
        return Err(marker(name));
    }
    let mut text = text.to_owned();
    if before.ends_with('\n') && !text.ends_with('\n') {
        text.push('\n');
    }
    if before.contains("\r\n") && !text.contains('\r') {
        text = text.replace('\n', "\r\n");
    }
    if *before == text { Err(format!("it changes nothing in {name}")) } else { Ok(Edit::Content(path, text)) }
}

fn marker(name: &str) -> String {
    format!("it writes a mark of redaction into {name}, in the place of a secret")
}

fn lines(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().take(MAX_LINES).map(line).filter(|line| !line.is_empty()).collect()
}

/// A text on one line, of bounded length.
fn line(value: &Value) -> String {
    let words: Vec<&str> = value.as_str().unwrap_or_default().split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::files::tests::Memory;

    fn memory() -> Memory {
        let secret = "KEY = 'hidden'\nx = 1\n".to_owned();
        Memory(
            [
                ("a.py", "import a\n".to_owned()),
                ("long.py", "y\n".to_owned()),
                ("k.py", secret),
                ("w.txt", "a\r\n".to_owned()),
            ]
            .into(),
        )
    }

    fn answer(changes: &Value) -> Value {
        json!({ "reason": "because", "proposals": [{
            "finding": "f1", "title": "a \u{1b}[1m\ntitle", "objective": "o", "evidence": ["e", 7], "risk_level": "low",
            "changes": changes, "tests_to_run": ["pytest"],
        }] })
    }

    fn read_with(answer: &str, gene: &Carried) -> Result<Read, String> {
        let whole =
            |path: &str, is_whole| Shown { path: path.to_owned(), first_line: 1, is_whole, text: String::new() };
        let shown = [whole("a.py", true), whole("k.py", true), whole("w.txt", true), whole("long.py", false)];
        read(answer, &["f1", "f2"], gene, &shown, &mut memory())
    }

    fn one(path: &str, kind: &str, text: &str) -> Result<Edit, String> {
        let answer = answer(&json!([{ "path": path, "kind": kind, "text": text }]));
        let read = read_with(&answer.to_string(), &Carried::default()).unwrap();
        read.drafts.into_iter().next().map(|mut draft| draft.edits.remove(0)).ok_or_else(|| read.problems.concat())
    }

    #[test]
    fn an_answer_becomes_candidates() {
        let answer = answer(&json!([{ "path": "./a.py", "kind": "content", "text": "import b" }])).to_string();
        let read = read_with(&answer, &Carried::default()).unwrap();
        let draft = &read.drafts[0];
        assert_eq!(draft.edits, [Edit::Content("a.py".to_owned(), "import b\n".to_owned())]);
        assert_eq!((draft.title.as_str(), draft.evidence.len(), draft.tests.len()), ("a [1m title", 1, 1));
        let gene = Carried { validation: vec!["cargo test".to_owned()], ..Carried::default() };
        assert_eq!(read_with(&answer, &gene).unwrap().drafts[0].tests, ["cargo test"]);
    }

    #[test]
    fn what_would_lose_or_harm_something_is_left_out() {
        let left_out = |path: &str, kind: &str, text: &str, expected: &str| {
            let problem = one(path, kind, text).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        };
        left_out("long.py", "content", "z\n", "did not see as a whole");
        left_out("k.py", "content", "KEY = '[REDACTED:key]'\nx = 2\n", "mark of redaction into k.py");
        left_out("new.py", "content", "KEY = '[REDACTED:key]'\n", "mark of redaction");
        left_out("k.py", "diff", "--- a/k.py\n+++ b/k.py\n+KEY = '[REDACTED:key]'\n", "mark of redaction");
        left_out("a.py", "content", "import a", "changes nothing");
        left_out("", "content", "x", "names no file");
        left_out("a.py", "rename", "x", "neither content");
        assert_eq!(one("w.txt", "content", "b\n").unwrap(), Edit::Content("w.txt".to_owned(), "b\r\n".to_owned()));
        assert_eq!(one("new.py", "content", "x").unwrap(), Edit::Content("new.py".to_owned(), "x".to_owned()));
        assert_eq!(one("a.py", "delete", "").unwrap(), Edit::Delete("a.py".to_owned()));
    }

    #[test]
    fn nonsense_has_a_reason() {
        let none = Carried::default();
        for (text, expected) in [("", "not JSON"), ("[]", "is not a list"), (r#"{"proposals":{}}"#, "is not a list")] {
            assert!(read_with(text, &none).unwrap_err().contains(expected), "{text}");
        }
        let declined = read_with(r#"{"reason":"no step applies","proposals":[]}"#, &none).unwrap();
        assert_eq!(
            (declined.reason.as_str(), declined.drafts.len(), declined.problems.len()),
            ("no step applies", 0, 0)
        );
        let many = json!({ "proposals": vec![json!({ "finding": "f9", "changes": [] }); 9] }).to_string();
        let read = read_with(&many, &none).unwrap();
        assert_eq!((read.drafts.len(), read.problems.len(), read.reason.as_str()), (0, 3, "it gives no reason"));
        assert!(read.problems[0].ends_with("it is for none of the findings"), "{:?}", read.problems);
    }
}

//! Reads diagnostics that cargo and rustc write as JSON, one for each line (doc.rust-lang.org/rustc/json.html).

use super::report::{Part, Report, Shown, Suggestion};
use crate::json::{self, Value};

/// Longest line that is read, in bytes.
const MAX_LINE: usize = 1 << 20;

/// The errors, in the order of the output.
pub(super) fn reports(output: &str) -> Vec<Report> {
    let lines = output.lines().map(str::trim).filter(|line| line.starts_with('{') && line.len() <= MAX_LINE);
    lines.filter_map(|line| json::parse(line).ok()).filter_map(|value| report(&value)).collect()
}

fn report(value: &Value) -> Option<Report> {
    let message = match value.text("reason") {
        Some("compiler-message") => value.get("message")?,
        Some(_) => return None,
        None => value,
    };
    if message.text("level") != Some("error") {
        return None;
    }
    let code = message.get("code").and_then(|code| code.text("code")).unwrap_or_default().to_owned();
    let own = message.list("spans");
    let mut suggestions: Vec<Suggestion> = suggestion(message, own).into_iter().collect();
    let children = message.list("children");
    suggestions.extend(children.iter().filter_map(|child| suggestion(child, child.list("spans"))));
    let is_primary = |span: &&Value| span.get("is_primary") == Some(&Value::Bool(true));
    let file = own.iter().find(is_primary).and_then(|span| span.text("file_name")).unwrap_or_default().to_owned();
    let marked = own.iter().filter(is_primary).filter(|span| span.text("file_name") == Some(&file));
    Some(Report {
        message: message.text("message")?.to_owned(),
        code,
        suggestions,
        shown: marked.filter_map(shown).collect(),
        file,
        span: None,
    })
}

/// The first line of a span.
fn shown(span: &Value) -> Option<Shown> {
    let line = span.number("line_start")?;
    let text = span.list("text").first()?;
    let column = text.number("highlight_start")?;
    let length = text.number("highlight_end")?.saturating_sub(column);
    let marks = vec![(column, length)];
    Some(Shown { line, text: text.text("text")?.to_owned(), marks, notes: Vec::new() })
}

/// The suggestion of a help; `None` if it has none, or if it changes several files or has alternatives.
fn suggestion(child: &Value, spans: &[Value]) -> Option<Suggestion> {
    let spans: Vec<&Value> = spans.iter().filter(|span| span.text("suggested_replacement").is_some()).collect();
    let file = spans.first()?.text("file_name")?.to_owned();
    let is_elsewhere = |span: &&Value| span.text("file_name") != Some(&file);
    // A span inside of a macro's expansion is no place in the file.
    let is_expanded = |span: &&Value| span.get("expansion").is_some_and(|expansion| *expansion != Value::Null);
    if spans.iter().any(|span| is_elsewhere(span) || is_expanded(span)) {
        return None;
    }
    let machine = spans.iter().all(|span| span.text("suggestion_applicability") == Some("MachineApplicable"));
    // Without that word, several spans may be alternatives.
    if !machine && spans.len() > 1 {
        return None;
    }
    let parts = spans.iter().map(|span| part(span)).collect::<Option<Vec<_>>>()?;
    Some(Suggestion { help: child.text("message").unwrap_or_default().to_owned(), machine, file, parts })
}

fn part(span: &Value) -> Option<Part> {
    let lines = span.list("text");
    let shown = lines.iter().map(|line| line.text("text").map(str::to_owned)).collect::<Option<Vec<_>>>()?;
    Some(Part::Span {
        start: (span.number("line_start")?, span.number("column_start")?),
        end: (span.number("line_end")?, span.number("column_end")?),
        shown,
        text: span.text("suggested_replacement")?.to_owned(),
    })
}

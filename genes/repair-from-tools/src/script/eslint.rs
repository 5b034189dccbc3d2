//! `ESLint`'s own fixes, from its output as JSON (`--format json`, eslint.org/docs/latest/use/formatters).
//!
//! A fix is a range of the file in UTF-16 units, and a text. The output has the whole source of each file, so a fix is used only
//! if the file is still the same.

use super::{GLOB, is_script};
use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix, apply};
use crate::json::{self, Value};
use crate::shelf::Shelf;
use crate::source::{Source, utf16};
use crate::text::is_bounded;

/// Most messages that are read from one output.
const MAX_MESSAGES: usize = 64;

/// Rules whose suggestion does not change what the code does. `ESLint` offers a suggestion instead of a fix where it may, such
/// as `===` for `==`. Source: the pages of the rules.
const SAFE_SUGGESTIONS: &[&str] =
    &["no-case-declarations", "no-prototype-builtins", "@typescript-eslint/no-unnecessary-type-constraint"];

/// Keywords that a fix may bring into a file.
const KNOWN: &str = "as async await const else export false function if import in instanceof let new null return this true type \
    typeof undefined unknown var void Number Object call hasOwnProperty prototype hasOwn isNaN includes \
    startsWith endsWith at slice interface readonly satisfies";

/// The repairs for the messages in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let only_errors = !failure.input.contains("--max-warnings");
    let mut fixes = Vec::new();
    for line in
        failure.output.lines().map(str::trim).filter(|line| line.starts_with("[{") && line.contains("\"filePath\""))
    {
        let Ok(Value::List(results)) = json::parse(line) else { continue };
        for file in &results {
            let Some((source, messages)) = file_of(file, shelf) else { continue };
            for message in messages.iter().take(MAX_MESSAGES) {
                if !only_errors || message.number("severity") == Some(2) {
                    fixes.extend(fix(message, &source, shelf));
                }
            }
        }
    }
    fixes.truncate(MAX_MESSAGES);
    fixes
}

/// The file of a result, if it has not changed since, and its messages.
fn file_of<'a>(file: &'a Value, shelf: &mut Shelf<'_>) -> Option<(std::rc::Rc<Source>, &'a [Value])> {
    let path = file.text("filePath").filter(|path| is_script(path))?;
    let messages = Some(file.list("messages")).filter(|messages| !messages.is_empty())?;
    let shown = file.text("source")?;
    let source = shelf.open(path)?;
    if source.text.trim_start_matches('\u{feff}') != shown || source.text.starts_with('\u{feff}') {
        shelf.note(&format!("{}: the file is not the one that ESLint read", source.path));
        return None;
    }
    Some((source, messages))
}

fn fix(message: &Value, source: &Source, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let fix = match (message.get("fix").filter(|fix| **fix != Value::Null), message.list("suggestions")) {
        (Some(fix), _) => fix,
        (None, [one]) if message.text("ruleId").is_some_and(|rule| SAFE_SUGGESTIONS.contains(&rule)) => {
            one.get("fix")?
        }
        _ => return None,
    };
    let [start, end] = fix.list("range") else { return None };
    let at = |value: &Value| utf16(&source.text, value.as_number()?);
    let (start, end) = (at(start)?, at(end)?);
    let text = fix.text("text")?;
    let edit = Edit::replace(start..end.max(start), text);
    if end < start
        || !is_bounded(&edit, source, shelf, GLOB, KNOWN)
        || source.number_at(end) - source.number_at(start) > 20
    {
        shelf.note(&format!("{}: a fix of ESLint is too large, or brings in something new", source.path));
        return None;
    }
    apply(&source.text, std::slice::from_ref(&edit))?;
    let line = message.number("line").unwrap_or_else(|| source.number_at(start));
    let rule = message.text("ruleId").unwrap_or("parser");
    let text = message.text("message").unwrap_or_default();
    let what = format!("make the fix of the rule {rule}");
    Some(Fix::new(source, line, vec![edit], what).because("ESLint offers this fix", format!("{text} ({rule})")))
}

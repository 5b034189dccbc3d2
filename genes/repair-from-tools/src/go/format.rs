//! Functions that print a text with directives as it is, where the one that formats is meant.

use crate::fix::Edit;
use crate::text::is_name;

/// Functions that print, those that format as well, and whether the first one may end the line.
const FORMATTING: [(&str, &str, bool); 7] = [
    ("Println", "Printf", true),
    ("Print", "Printf", false),
    ("Log", "Logf", false),
    ("Error", "Errorf", false),
    ("Fatal", "Fatalf", false),
    ("Skip", "Skipf", false),
    ("Panic", "Panicf", false),
];

/// The edits of a call at byte `at`. `rest` is the line from there.
pub(super) fn edits(message: &str, rest: &str, at: usize) -> Option<(Vec<Edit>, String)> {
    let said = message.split(" call has").next()?.rsplit('.').next()?;
    let (old, new, line_end) = *FORMATTING.iter().find(|(old, ..)| *old == said)?;
    let (receiver, call) = rest.split_once('.')?;
    let literal = call.strip_prefix(old)?.strip_prefix("(\"")?;
    let (text, after) = literal.split_once('"')?;
    let values = after.trim_end().strip_suffix(')')?;
    let directives = text.matches('%').count();
    let is_plain = is_name(receiver)
        && !values.contains(['"', '\'', '`', '(', '[', '{'])
        && !text.contains("%%")
        && !text.contains('\\')
        && values.matches(',').count() == directives;
    let start = at + receiver.len() + 1;
    let end = start + old.len() + 2 + text.len();
    let mut edits = vec![Edit::replace(start..start + old.len(), new)];
    edits.extend((line_end && receiver == "fmt").then(|| Edit::insert(end, "\\n")));
    is_plain.then(|| (edits, format!("format the text with `{new}`")))
}

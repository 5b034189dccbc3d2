//! Whose messages a file holds.

use super::form::{Dialect, form};
use super::layout::first;

/// What only messages of these dialects have, somewhere at the start of a file. A text that quotes it has escapes.
const MARKS: [(&[u8], Dialect); 7] = [
    (b"\"toolRequest\"", Dialect::Goose),
    (b"\"toolResponse\"", Dialect::Goose),
    (b"\"function_call_output\"", Dialect::Responses),
    (b"\"responses_create_params\"", Dialect::Responses),
    (b"\"tool_use\"", Dialect::Anthropic),
    (b"\"tool_result\"", Dialect::Anthropic),
    (b"\"<environment_details>", Dialect::Anthropic),
];

/// Whose messages a file with this start holds; `None` if it holds none.
pub(super) fn dialect(head: &[u8]) -> Option<Dialect> {
    let found = form(first(head)?)?;
    let marked =
        || MARKS.iter().find(|(mark, _)| memchr::memmem::find(head, mark).is_some()).map(|(_, marked)| *marked);
    Some(if found == Dialect::Chat { marked().unwrap_or(found) } else { found })
}

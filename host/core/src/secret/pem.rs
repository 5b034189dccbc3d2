//! Private key blocks: from `-----BEGIN … PRIVATE KEY-----` to the end line. If the end line is missing, a block
//! extends as far as its characters can belong to a key. Line ends may be real or escaped as `
//! ` (JSON within text).

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;

use super::{Class, SecretMatch};

/// Rule id of this scanner.
pub(crate) const KIND: &str = "private_key";

/// Longest header line between the dashes.
const LABEL_MAX: usize = 64;
const BEGIN: &str = "-----BEGIN ";
const DASHES: &str = "-----";

static FINDER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(BEGIN));

/// Every block of a text. A block ends where the next one starts, so each byte is read once.
pub(super) fn find(text: &str) -> Vec<SecretMatch<'static>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| FINDER.find(rest.as_bytes())) {
        let begin = at + offset;
        let label_start = begin + BEGIN.len();
        at = label_start;
        let Some(body_start) = body_start(text, label_start) else {
            continue;
        };
        let next = text.get(body_start..).and_then(|rest| FINDER.find(rest.as_bytes()));
        let limit = next.map_or(text.len(), |next| body_start + next);
        let body = body(text, body_start..limit);
        at = body.end;
        let is_placeholder = super::placeholder::is_placeholder(text.get(body.clone()).unwrap_or_default().trim());
        if body.len() >= 16 && !is_placeholder {
            found.push(SecretMatch { range: body, kind: KIND, class: Class::Secret });
        } else if body.len() < 16 && is_cut_off_block(text.get(body_start..limit).unwrap_or_default()) {
            found.push(SecretMatch { range: begin..body_start, kind: KIND, class: Class::Secret });
        }
    }
    found
}

/// Whether a header without a key after it is still the start of a key whose rest is elsewhere: the header ends its
/// line, and no placeholder such as `...` or `<key>` follows. A header in the middle of a line is code that compares
/// texts.
fn is_cut_off_block(after: &str) -> bool {
    let (line, rest) = after.split_once('\n').unwrap_or((after, ""));
    let next = rest.trim_start().chars().next();
    line.trim().is_empty() && next.is_none_or(|c| c.is_ascii_alphanumeric() || c == '+' || c == '/')
}

/// How many bytes at the start of a text continue a key whose block started before it.
pub(crate) fn continued(text: &str) -> usize {
    body(text, 0..text.len()).end
}

/// Where the header line ends, if it is the header of a private key.
fn body_start(text: &str, label_start: usize) -> Option<usize> {
    let most = text.floor_char_boundary(label_start + LABEL_MAX);
    let label = text.get(label_start..most)?;
    let end = label.find(DASHES)?;
    let name = label.get(..end)?;
    (name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK")).then_some(label_start + end + DASHES.len())
}

/// The bytes between header and end line, or the run of characters that can belong to a key.
fn body(text: &str, within: Range<usize>) -> Range<usize> {
    let inside = text.get(within.clone()).unwrap_or_default();
    let in_key = |c: char| c.is_ascii_alphanumeric() || "+/=\\,:-\r\n\t \"'".contains(c);
    let run = inside.find(|c: char| !in_key(c)).unwrap_or(inside.len());
    let run = inside.get(..run).unwrap_or_default();
    let end = run.find("-----END").unwrap_or(run.len());
    within.start..within.start + end
}

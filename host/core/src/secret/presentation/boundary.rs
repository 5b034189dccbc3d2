//! Where a token can start although a letter or a digit precedes: after an escape and after a terminal sequence.

use memchr::{memrchr_iter, memrchr3_iter};

use super::escape::escape_at;
use super::terminal::sequence_at;

/// Most bytes of an escape or a sequence before a token.
const LONGEST: usize = 32;

/// Whether an escape or a terminal sequence ends right before `at`.
pub(in crate::secret) fn ends_at(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(LONGEST);
    let before = bytes.get(from..at).unwrap_or_default();
    ends_escape(bytes, from, at) || ends_lost_colour(before) || ends_quoted(before)
}

/// Whether a text ends with a sign as mail spells it: `=3D`.
fn ends_quoted(before: &[u8]) -> bool {
    const SIGNS: [&[u8]; 8] = [b"=3D", b"=3A", b"=20", b"=22", b"=27", b"=3E", b"=0A", b"=09"];
    SIGNS.iter().any(|sign| before.ends_with(sign))
}

fn ends_escape(bytes: &[u8], from: usize, at: usize) -> bool {
    let upto = bytes.get(..at).unwrap_or_default();
    let near = upto.get(from..).unwrap_or_default();
    let starts = memrchr3_iter(0x1b, b'\\', b'%', near).chain(memrchr_iter(0xc2, near)).map(|offset| from + offset);
    starts.into_iter().any(|start| {
        let escape = escape_at(upto, start).map(|escape| escape.len);
        [escape, sequence_at(upto, start)].into_iter().flatten().any(|len| start + len == at)
    })
}

/// Whether a text ends like `[31m`, where the escape character before it was lost.
fn ends_lost_colour(before: &[u8]) -> bool {
    let Some(parameters) = before.strip_suffix(b"m").or_else(|| before.strip_suffix(b"K")) else { return false };
    let digits = parameters.iter().rev().take_while(|byte| byte.is_ascii_digit() || b";:".contains(byte)).count();
    parameters.len().checked_sub(digits + 1).and_then(|at| parameters.get(at)) == Some(&b'[')
}

//! E-mail addresses: a local part, an `@` and a domain whose top-level domain exists. The last condition excludes
//! `matrix@other.shape` and `package@1.2.3`.

use super::super::{Class, SecretMatch};

pub(super) const KIND: &str = "email";

/// Longest local part and longest domain, in bytes (RFC 5321).
const LOCAL: usize = 64;
const DOMAIN: usize = 255;

/// Top-level domains of more than two letters in which people have addresses. Every domain of two letters counts as a
/// country's.
const TOP: [&str; 42] = [
    "com",
    "org",
    "net",
    "edu",
    "gov",
    "mil",
    "int",
    "info",
    "biz",
    "name",
    "pro",
    "dev",
    "app",
    "cloud",
    "tech",
    "online",
    "site",
    "xyz",
    "email",
    "mail",
    "agency",
    "company",
    "studio",
    "design",
    "digital",
    "global",
    "world",
    "group",
    "systems",
    "solutions",
    "software",
    "network",
    "academy",
    "institute",
    "health",
    "bank",
    "shop",
    "store",
    "blog",
    "page",
    "live",
    "club",
];

/// Top-level domains and domains that are reserved (RFC 2606, RFC 6761).
const RESERVED_TOP: [&str; 5] = ["example", "test", "invalid", "localhost", "local"];
const RESERVED: [&str; 3] = ["example.com", "example.org", "example.net"];

/// Local parts that do not belong to a person.
const NO_PERSON: [&str; 9] =
    ["git", "noreply", "no-reply", "donotreply", "do-not-reply", "no_reply", "mailer-daemon", "postmaster", "hg"];

/// The address around the `@` at `at`.
pub(super) fn around(text: &str, at: usize) -> Option<SecretMatch<'static>> {
    let bytes = text.as_bytes();
    let local = bytes.get(at.saturating_sub(LOCAL + 1)..at)?;
    let length = local.iter().rev().take_while(|byte| in_local(**byte)).count();
    let start = at - length;
    let start = start + leading_noise(bytes.get(start..at)?);
    if start == at || at - start > LOCAL || before_is_path(bytes, start) {
        return None;
    }
    let domain = bytes.get(at + 1..at.saturating_add(1 + DOMAIN).min(bytes.len()))?;
    let length = domain.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let domain = text.get(at + 1..at + 1 + length)?.trim_end_matches(['.', '-']);
    let end = at + 1 + domain.len();
    let class = class(text.get(start..at)?, domain)?;
    let is_call_or_user = matches!(bytes.get(end), Some(b'(' | b'@' | b'_'));
    let is_ssh = bytes.get(end) == Some(&b':') && bytes.get(end + 1).is_some_and(|byte| !byte.is_ascii_whitespace());
    (!is_call_or_user && !is_ssh).then_some(SecretMatch { range: start..end, kind: KIND, class })
}

fn in_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$&'*+=?^_`{|}~-%".contains(&byte)
}

/// How many bytes at the start do not belong to the address: characters that precede an address more often than they
/// are part of it, and escaped line ends.
fn leading_noise(local: &[u8]) -> usize {
    let last_quote = local.iter().rposition(|byte| b"'`=|{}&?!#$*^".contains(byte)).map_or(0, |at| at + 1);
    let rest = local.get(last_quote..).unwrap_or_default();
    last_quote + rest.iter().take_while(|byte| b".-+~%_".contains(byte)).count()
}

/// Whether the character before makes it part of a URL or a scoped package: `//user@host`, `x/y@z`.
fn before_is_path(bytes: &[u8], start: usize) -> bool {
    matches!(super::digits::before(bytes, start, 1), Some(b'/' | b'@' | b':')) && !before_is_mailto(bytes, start)
}

fn before_is_mailto(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(7)..start).unwrap_or_default();
    before.eq_ignore_ascii_case(b"mailto:") || !before.ends_with(b"//") && before.ends_with(b":")
}

/// The class of an address, or `None` if it is not one.
fn class(local: &str, domain: &str) -> Option<Class> {
    let lower = domain.to_ascii_lowercase();
    let mut labels = lower.split('.');
    let whole = labels.all(|label| !label.is_empty() && label.len() <= 63 && !label.starts_with('-'));
    let (host, top) = lower.rsplit_once('.')?;
    let country = top.len() == 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let reserved_top = RESERVED_TOP.contains(&top);
    let no_person = NO_PERSON.iter().any(|name| local.eq_ignore_ascii_case(name));
    let robot = lower.ends_with("noreply.github.com") || local.ends_with("[bot]");
    if !whole || !(country || TOP.contains(&top) || reserved_top) || no_person || robot || (country && host.len() < 2) {
        return None;
    }
    let reserved = reserved_top
        || RESERVED.iter().any(|name| lower == *name || lower.strip_suffix(name).is_some_and(|sub| sub.ends_with('.')));
    Some(if reserved { Class::Reserved } else { Class::Personal })
}

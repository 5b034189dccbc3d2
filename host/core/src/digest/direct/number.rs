//! Numbers as they are written.

/// A number that is canonical as it is written has at most this many digits: so many always survive the nearest f64 and
/// back.
const SURE_DIGITS: usize = 15;

/// A number's text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    /// It is canonical.
    Canonical,
    /// It must be written anew, and is this.
    Other(f64),
}

/// Reads the number that `text` begins with, and says how long it is; `None` if it is none or too large.
pub(super) fn read(text: &[u8]) -> Option<(usize, Number)> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let whole = digits(text, sign);
    let is_zero = text.get(sign) == Some(&b'0');
    if whole == 0 || is_zero && whole > 1 {
        return None;
    }
    let mut end = sign + whole;
    let mut is_canonical = whole <= SURE_DIGITS && !(is_zero && sign == 1);
    if text.get(end) == Some(&b'.') {
        let fraction = digits(text, end + 1);
        if fraction == 0 {
            return None;
        }
        let decimals = text.get(end + 1..end + 1 + fraction)?;
        end += 1 + fraction;
        is_canonical = whole + fraction <= SURE_DIGITS && is_plain(decimals, is_zero);
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(text, end + 1 + sign);
        if exponent == 0 {
            return None;
        }
        end += 1 + sign + exponent;
        is_canonical = false;
    }
    if is_canonical {
        return Some((end, Number::Canonical));
    }
    let number: f64 = std::str::from_utf8(text.get(..end)?).ok()?.parse().ok()?;
    number.is_finite().then_some((end, Number::Other(number)))
}

/// Whether ECMAScript prints these decimals as they are: none at the end is 0, and a number below 1 is not so small that it
/// is printed with an exponent.
fn is_plain(decimals: &[u8], is_below_1: bool) -> bool {
    decimals.last() != Some(&b'0') && !(is_below_1 && decimals.iter().take(6).all(|digit| *digit == b'0'))
}

fn digits(text: &[u8], from: usize) -> usize {
    text.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

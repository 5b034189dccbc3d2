//! Escapes that spell one character: of JSON, of programming languages, of HTML, and percent-encoding, once or several
//! times over.

/// Most backslashes before an escaped character: five rounds of escaping double them five times.
const MOST_BACKSLASHES: usize = 32;
/// Most rounds of percent-encoding that are undone.
const MOST_PERCENTS: usize = 4;

/// What an escape spells, and in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Escape {
    /// Bytes of the whole escape.
    pub len: usize,
    /// The character. One that is not ASCII is U+FFFD if it is a part of a longer sequence.
    pub is: char,
    /// Whether the character is spelled by its number, such as `\u0041` or `%41`. The rules read the usual escapes of
    /// quotes and line ends without a view.
    pub by_number: bool,
}

impl Escape {
    /// Whether the rules could read the text differently if they saw the character instead.
    pub(super) fn matters(self) -> bool {
        self.is.is_ascii() && (self.by_number || self.is == '/')
    }
}

/// The escape that starts at `at`, where a backslash, a percent sign or an ampersand is.
pub(super) fn escape_at(bytes: &[u8], at: usize) -> Option<Escape> {
    match bytes.get(at)? {
        b'\\' => backslash(bytes, at),
        b'%' => percent(bytes, at),
        b'&' => entity(bytes, at),
        _ => None,
    }
}

/// How many backslashes stand at `at`, up to one more than an escape can have.
pub(super) fn backslashes(bytes: &[u8], at: usize) -> usize {
    let run = bytes.get(at..).unwrap_or_default().iter().take(MOST_BACKSLASHES + 1);
    run.take_while(|byte| **byte == b'\\').count()
}

fn backslash(bytes: &[u8], at: usize) -> Option<Escape> {
    let run = backslashes(bytes, at);
    if run > MOST_BACKSLASHES {
        return None;
    }
    let rest = bytes.get(at + run..)?;
    let named = |is| Some(Escape { len: run + 1, is, by_number: false });
    let numbered = |(digits, is)| Escape { len: run + digits, is, by_number: true };
    match rest.first()? {
        b'u' => braced(rest).or_else(|| hexadecimal(rest, 4)).map(numbered),
        b'x' => braced(rest).or_else(|| hexadecimal(rest, 2)).map(numbered),
        b'U' => hexadecimal(rest, 8).map(numbered),
        b'0'..=b'7' => octal(rest).map(numbered),
        b'e' | b'E' if matches!(rest.get(1), Some(b'[' | b']')) => Some(numbered((1, '\u{1b}'))),
        b'n' => named('\n'),
        b'r' => named('\r'),
        b't' => named('\t'),
        b'b' | b'f' | b'v' | b'a' => named(' '),
        byte if byte.is_ascii_punctuation() => named(char::from(*byte)),
        _ => None,
    }
}

/// `%41`, `%2541`, `%u0041`.
fn percent(bytes: &[u8], at: usize) -> Option<Escape> {
    let rest = bytes.get(at..)?;
    let again =
        |from: usize| rest.get(from..from + 2) == Some(b"25") && hexadecimal_number(rest, from + 2, 2).is_some();
    let rounds = (0..MOST_PERCENTS).take_while(|round| again(1 + 2 * round)).count();
    let from = 2 * rounds;
    let here = rest.get(from..)?;
    let (digits, is) = if here.get(1) == Some(&b'u') {
        hexadecimal(here.get(1..)?, 4).map(|(digits, is)| (digits + 1, is))?
    } else {
        let byte = u8::try_from(hexadecimal_number(here, 1, 2)?).ok()?;
        (3, if byte.is_ascii() { char::from(byte) } else { char::REPLACEMENT_CHARACTER })
    };
    Some(Escape { len: from + digits, is, by_number: true })
}

/// `&#65;`, `&#x41;`, `&quot;`, also with `&amp;` for the ampersand.
fn entity(bytes: &[u8], at: usize) -> Option<Escape> {
    const MOST_DIGITS: usize = 8;
    let rest = bytes.get(at + 1..)?;
    let again = (0..MOST_PERCENTS).take_while(|round| rest.get(4 * round..4 * round + 4) == Some(b"amp;")).count();
    let name = rest.get(4 * again..)?;
    let escape = |len: usize, is| Escape { len: 1 + 4 * again + len, is, by_number: true };
    match name.get(..5) {
        Some(b"quot;") => return Some(escape(5, '"')),
        Some(b"apos;") => return Some(escape(5, '\'')),
        _ => {}
    }
    let number = name.strip_prefix(b"#")?;
    let (mark, radix) = if matches!(number.first(), Some(b'x' | b'X')) { (1, 16) } else { (0, 10) };
    let digits = number.get(mark..)?;
    let count = digits.iter().take(MOST_DIGITS).take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let number = u32::from_str_radix(std::str::from_utf8(digits.get(..count)?).ok()?, radix).ok()?;
    let is = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
    (digits.get(count) == Some(&b';')).then(|| escape(1 + mark + count + 1, is))
}

/// A letter and as many hexadecimal digits: how many bytes those are, and the character.
fn hexadecimal(rest: &[u8], digits: usize) -> Option<(usize, char)> {
    let number = hexadecimal_number(rest, 1, digits)?;
    Some((1 + digits, char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)))
}

/// A letter and hexadecimal digits in braces.
fn braced(rest: &[u8]) -> Option<(usize, char)> {
    let inside = rest.get(1..)?.strip_prefix(b"{")?;
    let digits = inside.iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let number = hexadecimal_number(inside, 0, digits)?;
    (inside.get(digits) == Some(&b'}')).then_some((digits + 3, char::from_u32(number)?))
}

/// Three octal digits of an ASCII character.
fn octal(rest: &[u8]) -> Option<(usize, char)> {
    let digits = rest.get(..3)?;
    let number = digits
        .iter()
        .try_fold(0u32, |number, byte| (b'0'..=b'7').contains(byte).then(|| number * 8 + u32::from(byte - b'0')))?;
    (number < 0x80).then_some(())?;
    Some((3, char::from_u32(number)?))
}

fn hexadecimal_number(bytes: &[u8], from: usize, digits: usize) -> Option<u32> {
    let digits = bytes.get(from..from + digits).filter(|digits| !digits.is_empty())?;
    digits.iter().try_fold(0, |number: u32, byte| Some(number * 16 + char::from(*byte).to_digit(16)?))
}

//! The two sides of a patch, `---` and `+++`: a name, and what may stand after it.
//!
//! What must stay true: a side that is taken names the same file to git and to GNU patch, and both hold it for there,
//! or both for absent. They differ in two ways that are refused here. GNU patch cuts a bare name at its first space
//! unless a tab follows; and both take the time stamp of the epoch for "not there", but not in the same spellings.

use super::{ParseErrorKind as Kind, name};

/// One side, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Side {
    /// `/dev/null`: the file is not there on this side.
    Absent,
    /// A name with its prefix.
    Name(Name),
    /// A name with the time stamp of the epoch: how `diff -N` says that the file is not there on this side.
    NotYet(String),
}

/// A name with its prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// Decoded.
    pub(super) text: String,
    /// Whether GNU patch would cut it: bare, with a space, and no tab after it.
    pub(super) open: bool,
}

/// Reads what follows `--- ` or `+++ `. A tab ends a bare name; after it may stand a date or a note.
pub(super) fn side(text: &str) -> Result<Side, Kind> {
    let quoted = text.starts_with('"');
    let (name, rest) = if quoted {
        name::unquote(text)?
    } else {
        let end = text.find('\t').unwrap_or(text.len());
        (text.get(..end).unwrap_or_default().to_owned(), text.get(end..).unwrap_or_default())
    };
    let stamp = match rest.strip_prefix('\t') {
        Some(note) => stamp(note),
        None if rest.is_empty() => Ok(Stamp::Other),
        None => Err(Kind::BadQuoting),
    };
    // Quoted, it is a file of this name to git. Unquoted, no date says more than the name does.
    if name == "/dev/null" && !quoted && matches!(stamp, Ok(_) | Err(Kind::AmbiguousStamp)) {
        return Ok(Side::Absent);
    }
    Ok(match stamp? {
        Stamp::Epoch => Side::NotYet(name),
        Stamp::Other => Side::Name(Name { open: !quoted && rest.is_empty() && name.contains(' '), text: name }),
    })
}

/// What stands after a name.
#[derive(Debug, PartialEq, Eq)]
enum Stamp {
    /// The epoch, as git reads it: 1970-01-01 at midnight UTC, told in any zone.
    Epoch,
    /// A date, a note, or nothing.
    Other,
}

/// Reads the note after a name. Git takes a date off the end of the line first and then has the name end there, tabs
/// and all; so a note is a date as a whole, or has none.
fn stamp(note: &str) -> Result<Stamp, Kind> {
    let plain = note.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) || note.chars().all(|c| c == ' ' || is_word(c));
    if !plain || note.len() > MAX_NOTE {
        return Err(Kind::BadStamp);
    }
    if let Some(date) = iso(note) {
        return date.stamp();
    }
    if let Some(year) = ctime_year(note) {
        return if year > EPOCH_YEAR { Ok(Stamp::Other) } else { Err(Kind::AmbiguousStamp) };
    }
    // GNU patch knows more dates than can be listed, and takes what is in parentheses for a comment.
    let comment = note.starts_with('(') && note.find(')') == Some(note.len() - 1);
    let dated = note.contains([':', '@', '/']) || !comment && (note.contains("69") || note.contains("70"));
    if dated { Err(Kind::BadStamp) } else { Ok(Stamp::Other) }
}

/// Longest note, in bytes.
const MAX_NOTE: usize = 64;
const EPOCH_YEAR: u32 = 1970;

/// Letters of any language: version control systems translate `(working copy)`.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "()-.,".contains(c)
}

/// A date as `diff -u`, git, Subversion and Mercurial write it.
struct Date<'a> {
    day: &'a str,
    time: &'a str,
    zone: Option<&'a str>,
}

/// `2024-05-17`, then perhaps a time, then perhaps a zone.
fn iso(note: &str) -> Option<Date<'_>> {
    let (day, rest) = note.split_at_checked(10)?;
    if !is_shaped(day, "dddd-dd-dd") {
        return None;
    }
    let clock = rest.strip_prefix([' ', 'T']).unwrap_or(rest);
    let (time, zone) = match clock.find([' ', '+', '-', 'Z']) {
        Some(at) => clock.split_at_checked(at).map(|(time, zone)| (time, Some(zone)))?,
        None => (clock, None),
    };
    let zone = zone.map(|zone| zone.strip_prefix(' ').unwrap_or(zone));
    let zoned = zone.is_none_or(|z| z == "Z" || z == "UTC" || is_shaped(z, "sdddd") || is_shaped(z, "sdd:dd"));
    (zoned && (time.is_empty() && rest.is_empty() || is_time(time))).then_some(Date { day, time, zone })
}

impl Date<'_> {
    fn stamp(&self) -> Result<Stamp, Kind> {
        let year: u32 = self.day.get(..4).and_then(|year| year.parse().ok()).ok_or(Kind::BadStamp)?;
        if year > EPOCH_YEAR {
            Ok(Stamp::Other)
        } else if self.is_epoch() {
            Ok(Stamp::Epoch)
        } else {
            Err(Kind::AmbiguousStamp)
        }
    }

    /// Git's own test: the hour and minute are the zone's, and the seconds are 0.
    fn is_epoch(&self) -> bool {
        let seconds = self.time.get(5..).unwrap_or_default();
        let whole = seconds.strip_prefix(":00").is_some_and(|rest| rest.trim_start_matches(['.', '0']).is_empty());
        let minutes = |text: &str| -> Option<i32> {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            let (hours, minutes) = digits.split_at_checked(2)?;
            Some(hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?)
        };
        let (Some(time), Some(zone)) = (self.time.get(..5).and_then(minutes), self.zone) else {
            return false;
        };
        let Some(offset) = minutes(zone).map(|offset| if zone.starts_with('-') { -offset } else { offset }) else {
            return false;
        };
        let day = match self.day {
            "1970-01-01" => 0,
            "1969-12-31" => -24 * 60,
            _ => return false,
        };
        whole && day + time == offset
    }
}

/// `12:34`, `12:34:56` or `12:34:56.789`.
fn is_time(text: &str) -> bool {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    fraction && (is_shaped(clock, "dd:dd:dd") || is_shaped(clock, "dd:dd") && !text.contains('.'))
}

/// The year of `Fri May 17 12:34:56 2024`, with a numeric zone after it or none.
fn ctime_year(note: &str) -> Option<u32> {
    let words: Vec<&str> = note.split(' ').filter(|word| !word.is_empty()).collect();
    let (week, month, day, time, year) = match words.as_slice() {
        [week, month, day, time, year] => (week, month, day, time, year),
        [week, month, day, time, year, zone] if is_shaped(zone, "sdddd") => (week, month, day, time, year),
        _ => return None,
    };
    let shaped = is_shaped(week, "aaa")
        && is_shaped(month, "aaa")
        && (is_shaped(day, "d") || is_shaped(day, "dd"))
        && is_shaped(time, "dd:dd:dd")
        && is_shaped(year, "dddd");
    shaped.then(|| year.parse().ok()).flatten()
}

/// Whether a text has a shape: `d` is a digit, `a` a letter, `s` a sign, and all else itself.
fn is_shaped(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_alphabetic(),
            b's' => byte == b'+' || byte == b'-',
            other => byte == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Side {
        Side::Name(Name { text: text.to_owned(), open: false })
    }

    #[test]
    fn quoted_names_are_decoded() {
        assert_eq!(side(r#""a/\056env""#), Ok(name("a/.env")));
        assert_eq!(side("\"a/x y\"\t2024-01-01"), Ok(name("a/x y")));
        assert_eq!(side("\"a/x y\""), Ok(name("a/x y")));
        assert_eq!(side(r#""a/caf\303\251""#), Ok(name("a/café")));
        for bad in [r#""a/x"#, r#""a/\8""#, r#""a/\12""#, r#""a/\777""#, r#""a/x" y"#, r#""a/\"#, r#""\é""#] {
            assert_eq!(side(bad), Err(Kind::BadQuoting), "{bad}");
        }
        assert_eq!(side(r#""a/\377""#), Err(Kind::NameNotUtf8));
    }

    #[test]
    fn only_the_bare_null_device_is_absent() {
        for absent in
            ["/dev/null", "/dev/null\t", "/dev/null\tThu Jan 01 00:00:00 1970 +0000", "/dev/null\t(revision 0)"]
        {
            assert_eq!(side(absent), Ok(Side::Absent), "{absent}");
        }
        assert_eq!(side(r#""/dev/null""#), Ok(name("/dev/null")));
        assert_eq!(side("/dev/null\tx\ty"), Err(Kind::BadStamp));
    }

    #[test]
    fn a_bare_name_with_a_space_needs_a_tab() {
        let open = |text| side(text).map(|side| matches!(side, Side::Name(Name { open: true, .. })));
        assert_eq!(open("a/x y"), Ok(true));
        for closed in ["a/x y\t", "\"a/x y\"", "a/x", "a/x y\t2024-01-01"] {
            assert_eq!(open(closed), Ok(false), "{closed}");
        }
    }

    #[test]
    fn dates_are_told_from_the_epoch_and_from_what_readers_take_differently() {
        let other = [
            "",
            "2024-05-17",
            "2024-05-17 12:34",
            "2024-05-17 12:34:56",
            "2024-05-17 12:34:56.789012345 +0200",
            "2024-05-17T12:34:56Z",
            "2024-05-17 12:34:56 -07:00",
            "2024-05-17 12:34:56 UTC",
            "Fri May 17 12:34:56 2024",
            "Fri May  3 12:34:56 2024 +0000",
            "(revision 1970)",
            "(working copy)",
            "(Arbeitskopie für alle)",
            "(nonexistent)",
            "1",
            "2024",
            "new",
            "(A note that says as much as the longest one may, and no more..)",
            // Cut within a letter, it would be a date.
            "2024-05-1é",
        ];
        let epoch = [
            "1970-01-01 00:00:00 +0000",
            "1970-01-01 00:00:00.000000000 +0000",
            "1970-01-01 01:00:00.000000000 +0100",
            "1970-01-01 05:30:00 +05:30",
            "1969-12-31 16:00:00.000000000 -0800",
            "1969-12-31 18:30:00 -0530",
        ];
        let ambiguous = [
            "1970-01-01 00:00:00",
            "1970-01-01 00:00:01 +0000",
            "1970-01-01 00:00:00.5 +0000",
            "1970-01-01 00:00:00 +0100",
            "1970-01-01 00:00 +0000",
            "1970-01-01",
            "1969-12-31 23:00:00 +0000",
            "1970-01-02 00:00:00 +0000",
            "0001-01-01 00:00:00 +0000",
            "Thu Jan 01 00:00:00 1970 +0000",
        ];
        let bad = [
            "a\tb",
            "x 2024-05-17 12:34:56 +0200",
            "2024-05-17 12:34:56 +0200 x",
            "@0",
            "1/1/70",
            "1 Jan 70",
            "12:34",
            "2024-05-17 1:2:3",
            "2024-05-17 12:34:56.",
            "2024-05-17 12:34.5",
            "(a) 1970",
            "1970-01-01Z",
            "Fri May 17 12:34:56 2024 PST",
            "Fri May 17 12:34 2024",
            "Frix May 17 12:34:56 2024",
            "a\u{1b}b",
        ];
        for text in other {
            assert_eq!(stamp(text), Ok(Stamp::Other), "{text}");
        }
        for text in epoch {
            assert_eq!(stamp(text), Ok(Stamp::Epoch), "{text}");
        }
        for text in ambiguous {
            assert_eq!(stamp(text), Err(Kind::AmbiguousStamp), "{text}");
        }
        for text in bad.into_iter().chain([&*"x".repeat(65)]) {
            assert_eq!(stamp(text), Err(Kind::BadStamp), "{text}");
        }
    }
}

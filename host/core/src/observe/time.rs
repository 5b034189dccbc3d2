//! Parses times in the forms that logs use.

use jiff::Timestamp;
use serde_json::value::RawValue;

/// RFC 3339, or a time without an offset (with a space or a `T`), which is read as UTC.
pub(super) fn read_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    })
}

/// A number of `unit`ths of a second since 1970, as a JSON number or a string of digits.
pub(super) fn since_1970(raw: &RawValue, unit: i64) -> Option<Timestamp> {
    let text = raw.get().trim_matches('"');
    if let Ok(number) = text.parse::<i64>() {
        return match unit {
            1_000_000_000 => Timestamp::from_nanosecond(i128::from(number)).ok(),
            _ => Timestamp::from_millisecond(number.checked_mul(1000 / unit)?).ok(),
        };
    }
    let seconds = text.parse::<f64>().ok().filter(|number| number.is_finite() && number.abs() < 1e15)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "bounded above; a time in microseconds"
    )]
    Timestamp::from_microsecond((seconds * 1e6 / unit as f64) as i64).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_the_same_time() {
        let wanted = "2026-01-02T03:04:05.5Z".parse().ok();
        for text in [
            "2026-01-02T03:04:05.5Z",
            "2026-01-02T04:04:05.500+01:00",
            "2026-01-02 03:04:05.500000",
            "2026-01-02T03:04:05.5",
        ] {
            assert_eq!(read_time(text), wanted, "{text}");
        }
        for (number, unit) in [("1767323045500", 1000), ("\"1767323045500000000\"", 1_000_000_000), ("1767323045.5", 1)]
        {
            let raw = RawValue::from_string(number.to_owned()).unwrap();
            assert_eq!(since_1970(&raw, unit), wanted, "{number}");
        }
        for text in ["", "yesterday", "9999999999999999999"] {
            assert_eq!(read_time(text), None);
        }
        let far = RawValue::from_string("9223372036854775807".to_owned()).unwrap();
        assert_eq!(since_1970(&far, 1000), None);
    }
}

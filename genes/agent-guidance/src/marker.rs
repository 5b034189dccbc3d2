//! The comment behind each line of guidance: which finding it is for, what was seen, until when, and which gene wrote it. By
//! this comment the line is found, measured and removed.

/// What a marker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marker {
    /// Id of the finding.
    pub(crate) finding: String,
    /// Failures that were seen.
    pub(crate) seen: u32,
    /// Sessions in which they were seen.
    pub(crate) sessions: u32,
    /// The day of the newest event of the log, counted from the Unix epoch; `None` if the log has no times.
    pub(crate) day: Option<i64>,
    /// Whether the line was taken out because it did not help. Then only the comment is left, so that the line is not
    /// proposed again.
    pub(crate) removed: bool,
}

const OPEN: &str = "<!-- gephost";
const CLOSE: &str = "-->";
/// The id in gene.json.
pub(crate) const GENE: &str = "gene_gep_agent_guidance";

impl Marker {
    /// The comment.
    pub(crate) fn text(&self) -> String {
        let word = if self.removed { " removed" } else { "" };
        let date = self.day.map(|day| format!(" date={}", date(day))).unwrap_or_default();
        format!(
            "{OPEN}{word} finding={} seen={} sessions={}{date} gene={GENE} {CLOSE}",
            escaped(&self.finding),
            self.seen,
            self.sessions
        )
    }

    /// The marker at the end of a line, and the text before it.
    pub(crate) fn split(line: &str) -> Option<(&str, Self)> {
        let line = line.trim_end();
        let (text, comment) = line.rsplit_once(OPEN)?;
        let comment = comment.strip_suffix(CLOSE)?;
        let mut marker = Self { finding: String::new(), seen: 0, sessions: 0, day: None, removed: false };
        let mut is_ours = false;
        for word in comment.split_whitespace() {
            match word.split_once('=') {
                None => marker.removed |= word == "removed",
                Some(("finding", value)) => value.clone_into(&mut marker.finding),
                Some(("seen", value)) => marker.seen = value.parse().ok()?,
                Some(("sessions", value)) => marker.sessions = value.parse().ok()?,
                Some(("date", value)) => marker.day = Some(parsed(value)?),
                Some(("gene", value)) => is_ours = value == GENE,
                Some(_) => {}
            }
        }
        is_ours.then_some((text.trim_end(), marker))
    }
}

/// An id as one word that cannot end the comment. Ids come from genes, and may hold names of a log.
pub(crate) fn escaped(id: &str) -> String {
    let keeps = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_');
    id.chars().take(80).map(|c| if keeps(c) { c } else { '_' }).collect()
}

/// A day as `2026-03-01`.
pub(crate) fn date(day: i64) -> String {
    let (year, month, day) = civil(day);
    format!("{year:04}-{month:02}-{day:02}")
}

fn parsed(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    let is_date = (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| days(year, month, day))
}

/// Days since 1970-01-01 of a date of the Gregorian calendar. Years begin in March, so that the leap day is their last
/// (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_read_back() {
        for (day, removed) in [(Some(20_513), false), (None, true)] {
            let marker = Marker { finding: "missing_program:a".to_owned(), seen: 9, sessions: 3, day, removed };
            let line = format!("- Use `x`. {}", marker.text());
            assert_eq!(Marker::split(&line), Some(("- Use `x`.", marker)));
        }
        assert_eq!(date(20_513), "2026-03-01");
        for day in [0, -1, 59, 60, 11_016, 20_513, 40_000] {
            assert_eq!(parsed(&date(day)), Some(day));
        }
    }

    #[test]
    fn other_comments_are_no_markers() {
        for line in [
            "- x <!-- note -->",
            "- x",
            "- x <!-- gephost finding=a seen=1 sessions=1 gene=other -->",
            "- x <!-- gephost finding=a seen=b sessions=1 gene=gene_gep_agent_guidance -->",
            "- x <!-- gephost finding=a seen=1 sessions=1 date=2026-13-01 gene=gene_gep_agent_guidance -->",
        ] {
            assert_eq!(Marker::split(line), None, "{line}");
        }
        assert_eq!(escaped("a-->\nb"), "a____b");
    }
}

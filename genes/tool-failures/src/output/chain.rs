//! Messages of several lines: a line and its causes, a message in a frame, and what Maven says of a failed goal.

use crate::output::known::MAX_LINE_BYTES;
use crate::output::line::is_cause;
use crate::output::progress::FRAMES;

/// A message together with its causes or with the rest of its frame, as far as it is not too long for a message.
pub(crate) fn through_causes<'a>(output: &'a str, line: &str) -> Option<&'a str> {
    let found = output.find(line)?;
    let at = if is_cause(line) { head(output.get(..found)?) } else { found };
    let is_framed = line.starts_with(FRAMES);
    let belongs = |below: &str| if is_framed { below.trim_start().starts_with(FRAMES) } else { is_cause(below) };
    let start = found + line.len();
    let (rest, below) = output.get(start..)?.split_once('\n').unwrap_or_default();
    let mut end = start + rest.len() + 1;
    let mut whole = output.get(at..start).filter(|text| at < found && text.len() <= MAX_LINE_BYTES);
    for below in below.split_inclusive('\n').take_while(|below| rest.trim().is_empty() && belongs(below)) {
        end += below.len();
        let text = output.get(at..end)?.trim_end();
        if text.len() > MAX_LINE_BYTES {
            break;
        }
        whole = Some(text);
    }
    whole
}

/// Where the message begins whose causes stand at the end of a text.
fn head(above: &str) -> usize {
    let mut at = above.len();
    for line in above.split_inclusive('\n').rev() {
        at -= line.len();
        let text = line.trim_start();
        // The causes of an exception of Java stand below frames.
        if text.starts_with("at ") || text.starts_with("... ") {
            break;
        }
        if !text.is_empty() && !is_cause(line) {
            return at + line.len() - text.len();
        }
    }
    above.len()
}

/// Why a goal of Maven failed, which stands behind the names of the goal and the project, or in the line below.
pub(crate) fn of_maven<'a>(output: &'a str, line: &'a str) -> Option<&'a str> {
    let (_, rest) = line.strip_prefix("[ERROR] Failed to execute goal ")?.split_once(" on project ")?;
    let (_, why) = rest.split_once(": ")?;
    let why = why.split(" -> [Help").next()?.trim();
    if !why.trim_end_matches(':').ends_with("Compilation failure") {
        return Some(why).filter(|why| !why.is_empty());
    }
    let (_, below) = output.split_once(line)?;
    let next = below.lines().nth(1)?.trim().strip_prefix("[ERROR] ")?;
    Some(next).filter(|next| next.len() <= MAX_LINE_BYTES && !next.starts_with("->"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::line::collapsed;

    #[test]
    fn a_message_has_its_causes() {
        for (output, line, expected) in [
            (
                "error: a\n  Caused by: b\n  Caused by: c (os error 2)\nd",
                "error: a",
                Some("error: a Caused by: b Caused by: c (os error 2)"),
            ),
            (" × a `x`\n  ├─▶ b\n  ╰─▶ c\n  help: d", "× a `x`", Some("× a `x` b c")),
            ("│ Error: a\n│\n│ b\n│ c.\n╵\nd", "│ Error: a", Some("│ Error: a b c.")),
            (
                "x\nerror: a\n  Caused by: b\n  Caused by: c\nd",
                "Caused by: b",
                Some("error: a Caused by: b Caused by: c"),
            ),
            ("x\nerror: a\n  Caused by: b\n  Caused by: c", "Caused by: c", Some("error: a Caused by: b Caused by: c")),
            ("Caused by: c", "Caused by: c", None),
            ("A: a\n\tat x.Y(Z.java:1)\n\t... 3 more\nCaused by: c", "Caused by: c", None),
            ("A: a\n\tat x.Y(Z.java:1)\nCaused by: c", "A: a", None),
            ("error: a\nb\nCaused by: c", "error: a", None),
            ("error: a: x\n  Caused by: b", "error: a", None),
            ("error: a", "error: a", None),
            ("a", "b", None),
        ] {
            let mut said = String::new();
            let whole = through_causes(output, line);
            collapsed(whole.unwrap_or_default(), &mut said);
            let mut wanted = String::new();
            collapsed(expected.unwrap_or_default(), &mut wanted);
            assert_eq!((whole.is_some(), said), (expected.is_some(), wanted), "{output}");
        }
        let long = format!("error: a\n  Caused by: b\n  Caused by: {}", "c".repeat(2 * MAX_LINE_BYTES));
        assert_eq!(through_causes(&long, "error: a"), Some("error: a\n  Caused by: b"));
    }

    #[test]
    fn maven_says_why_behind_the_goal_or_below() {
        let goal = "[ERROR] Failed to execute goal g:compiler:3:compile (default) on project p: ";
        for (why, expected) in [
            (
                "Fatal error compiling: error: release version 21 not supported -> [Help 1]",
                Some("Fatal error compiling: error: release version 21 not supported"),
            ),
            (
                "Compilation failure: Compilation failure:\n[ERROR] Source option 5 is no longer supported.",
                Some("Source option 5 is no longer supported."),
            ),
            (
                "Compilation failure\n[ERROR] /w/A.java:[3,5] cannot find symbol",
                Some("/w/A.java:[3,5] cannot find symbol"),
            ),
            ("Compilation failure", None),
        ] {
            let output = format!("[INFO] x\n{goal}{why}\n");
            let line = output.lines().nth(1).unwrap();
            assert_eq!(of_maven(&output, line), expected, "{why}");
        }
        assert_eq!(of_maven("error: a", "error: a"), None);
    }
}

//! Outputs that a console broke at its width, so that a line begins within a word or a sentence.

/// Narrower outputs are lists and tables.
const MIN_WIDTH: usize = 70;
/// Wider ones were not broken by a console.
const MAX_WIDTH: usize = 400;
/// Lines of this width that an output must have.
const MIN_LINES: usize = 2;
/// Lines that show a border or a bar end with one of these.
const ENDS_OF_BORDERS: [char; 11] = ['=', '-', '*', '~', '#', '_', ']', '|', '+', '─', '━'];

/// The output with its broken lines joined; `None` if no console broke it. A console breaks a line where its width ends: no line
/// below the first broken one is longer, and some break is within a word.
pub(crate) fn joined(output: &str) -> Option<String> {
    if !may_be_broken(output) {
        return None;
    }
    let lines: Vec<(&str, usize)> =
        output.lines().map(without_padding).map(|line| (line, line.chars().count())).collect();
    let width = width(&lines)?;
    let is_broken = |at: usize| {
        let next = lines.get(at + 1).map_or("", |(next, _)| next);
        let is_indented = next.starts_with("  ") || next.trim().is_empty();
        lines[at].1 == width && !is_row(lines[at].0) && !is_indented
    };
    let broken: Vec<usize> = (0..lines.len()).filter(|at| is_broken(*at)).collect();
    let is_within_word = |at: &&usize| {
        let (end, next) =
            (lines[**at].0.chars().next_back(), lines.get(**at + 1).and_then(|(next, _)| next.chars().next()));
        end.is_some_and(|c| c.is_ascii_lowercase()) && next.is_some_and(|c| c.is_ascii_lowercase())
    };
    let evidence = broken.iter().filter(is_within_word).count();
    if broken.len() < MIN_LINES || evidence == 0 || evidence * 8 < broken.len() {
        return None;
    }
    let mut text = String::with_capacity(output.len());
    for (at, (line, _)) in lines.iter().enumerate() {
        let goes_on = is_broken(at);
        text.push_str(if goes_on { line } else { line.trim_end() });
        if !goes_on && at + 1 < lines.len() {
            text.push('\n');
        }
    }
    Some(text)
}

/// Whether enough lines may be as wide as a console. A line has at least as many bytes as characters, so that no character of
/// most outputs need be counted.
fn may_be_broken(output: &str) -> bool {
    output.lines().filter(|line| line.len() >= MIN_WIDTH).nth(MIN_LINES - 1).is_some()
}

/// The console pads the end of a line with blanks.
fn without_padding(line: &str) -> &str {
    if line.ends_with("  ") { line.trim_end() } else { line }
}

/// Whether a line is a border, a bar or a row of a table, which are of one width: `black.......Passed`.
fn is_row(line: &str) -> bool {
    line.ends_with(ENDS_OF_BORDERS) || line.contains("....") || line.trim_start().contains("   ")
}

/// The width at which lines were broken: that of the longest line, but for lines at the top, which the log itself wrote.
fn width(lines: &[(&str, usize)]) -> Option<usize> {
    let mut top = lines;
    for _ in 0..3 {
        let width = top.iter().map(|(_, width)| *width).max()?;
        let count = top.iter().filter(|(_, other)| *other == width).count();
        if (MIN_WIDTH..=MAX_WIDTH).contains(&width) && count >= MIN_LINES {
            return Some(width);
        }
        let at = top.iter().position(|(_, other)| *other == width).filter(|_| count == 1)?;
        // A long line further down was not broken, so nothing is.
        let start = lines.len() - top.len();
        top = lines.get(start + at + 1..).filter(|_| start + at < 4)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str, width: usize) -> String {
        let lines = text.lines().map(|line| {
            let chars: Vec<char> = line.chars().collect();
            chars.chunks(width).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    const LONG: &str = "Your startup project 'Archiver' doesn't reference Microsoft.EntityFrameworkCore.Design. This package is \
         required for the Entity Framework Core Tools to work. Ensure your startup project is correct, install the package, and try again.";

    #[test]
    fn a_line_that_a_console_broke_is_one_line() {
        for width in [70, 80, 97, 100, 106, 111] {
            let output = format!("Build started...\n{LONG}\nfine");
            let given = broken(&output, width);
            if let Some(whole) = joined(&given) {
                assert_eq!(whole, output, "{width}");
            }
        }
        let output = format!("Build started...\n{LONG}\nfine");
        assert_eq!(joined(&broken(&output, 106)).as_deref(), Some(output.as_str()));
        let padded: Vec<String> = broken(&output, 106)
            .lines()
            .map(|line| format!("{line:<0$}", if line.len() < 106 { line.len() + 20 } else { 106 }))
            .collect();
        assert_eq!(joined(&padded.join("\n")).as_deref(), Some(output.as_str()), "a console pads the ends");
        let headed = format!("Command: {}\nOutput: x\n{}", "a".repeat(200), broken(LONG, 106));
        assert!(joined(&headed).is_some_and(|whole| whole.ends_with(LONG)), "the log's own line is longer");
    }

    #[test]
    fn other_outputs_keep_their_lines() {
        let border = "=".repeat(80);
        let bar = format!("{}[ 50%]", "a".repeat(74));
        for output in [
            String::new(),
            "a\nb\n".to_owned(),
            format!("{border}\nfailed here\n{border}\nand here"),
            format!("isort{0}Passed\nblack{0}Passed\nflake{0}Failed\n- hook", ".".repeat(68)),
            format!("name{0}size\nlong{0}size\nbig", " ".repeat(72)),
            format!("{bar}\ntests/b.py\n{bar}\ntests/c.py"),
            format!("{LONG}\nnext line"),
            format!("{0}\nshort\n{0}\n{LONG}{LONG}", "word ".repeat(16).trim_end()),
            format!("{0}\n  indented\n{0}\n  indented", "a".repeat(80)),
            format!("{0}\nThen\n{0}\nThen", "a".repeat(80)),
            format!("{0}\n{0}\n{0}", "0123456789abcdef".repeat(4)),
            "x".repeat(500),
        ] {
            assert_eq!(joined(&output), None, "{output}");
        }
    }
}

//! A picture of a terminal session: commands, and what they printed with its colours, as SVG.
//!
//! The picture has no script, no font file and no link, so that it shows wherever Markdown does.

use std::fmt::Write as _;

/// Width of one character and height of one line, in pixels, at a font size of 13.
const CELL: (f64, f64) = (7.85, 18.0);
/// Space around the text.
const MARGIN: f64 = 18.0;
/// Height of the bar on top.
const BAR: f64 = 30.0;

/// A session, line by line.
#[derive(Debug, Default)]
pub struct Session {
    lines: Vec<Vec<Run>>,
    /// The style at the end of the last line.
    style: Style,
}

/// Text of one style.
#[derive(Debug, PartialEq)]
struct Run {
    text: String,
    class: &'static str,
}

impl Session {
    /// Adds a command as it is typed behind a prompt.
    pub fn command(&mut self, prompt: &str, command: &str) {
        let run = |text: &str, class| Run { text: text.to_owned(), class };
        self.lines.push(vec![run(prompt, "dim"), run(command, "bold")]);
        self.style = Style::default();
    }

    /// Adds what a command printed. Lines longer than `width` are cut, with a mark.
    pub fn output(&mut self, printed: &str, width: usize) {
        for line in printed.lines() {
            let (runs, style) = self.style.runs(line);
            self.lines.push(cut(runs, width));
            self.style = style;
        }
    }

    /// Adds an empty line.
    pub fn gap(&mut self) {
        self.lines.push(Vec::new());
    }

    /// The picture.
    pub fn to_svg(&self, title: &str, columns: usize) -> String {
        let (width, height) = (pixels(columns, CELL.0) + 2.0 * MARGIN, self.height());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
             {height:.0}\" role=\"img\" aria-label=\"{title}\">\n<style>\n\
             text {{ font: 13px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; white-space: pre; fill: #d6dbe2 }}\n\
             .bold {{ font-weight: bold; fill: #ffffff }}\n.dim {{ fill: #8b96a5 }}\n.good {{ fill: #7ee787 }}\n\
             .bad {{ fill: #ff9a92 }}\n.note {{ fill: #79c0ff }}\n</style>\n\
             <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#161b22\"/>\n"
        );
        for (at, colour) in [(20, "#ff5f57"), (40, "#febc2e"), (60, "#28c840")] {
            // Writing to a String cannot fail.
            let _ = writeln!(svg, "<circle cx=\"{at}\" cy=\"18\" r=\"6\" fill=\"{colour}\"/>");
        }
        for (row, runs) in self.lines.iter().enumerate() {
            line(&mut svg, row, runs);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn height(&self) -> f64 {
        BAR + pixels(self.lines.len(), CELL.1) + MARGIN + 4.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "a session has few lines and columns")]
fn pixels(cells: usize, size: f64) -> f64 {
    cells as f64 * size
}

/// Each run is put where its column is, so that a font of another width keeps the columns.
fn line(svg: &mut String, row: usize, runs: &[Run]) {
    let y = BAR + pixels(row + 1, CELL.1);
    let mut column = 0;
    for run in runs {
        let length = run.text.chars().count();
        if !run.text.trim().is_empty() {
            let (x, wide) = (MARGIN + pixels(column, CELL.0), pixels(length, CELL.0));
            let class = if run.class.is_empty() { String::new() } else { format!(" class=\"{}\"", run.class) };
            let _ = writeln!(
                svg,
                "<text x=\"{x:.2}\" y=\"{y:.0}\" textLength=\"{wide:.2}\" xml:space=\"preserve\"{class}>{}</text>",
                escaped(&run.text)
            );
        }
        column += length;
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The style that a sequence of codes leaves. It lasts until another sequence, over the ends of lines too: tmux writes a style
/// that two lines share once.
#[derive(Debug, Default, Clone, Copy)]
struct Style {
    weight: &'static str,
    colour: &'static str,
}

impl Style {
    /// What shows: a colour says more than a weight.
    const fn class(self) -> &'static str {
        if self.colour.is_empty() { self.weight } else { self.colour }
    }

    /// The style after the codes of one sequence.
    fn after(self, codes: &str) -> Self {
        codes.split(';').fold(self, |style, code| match code {
            "" | "0" => Self::default(),
            "1" => Self { weight: "bold", ..style },
            "2" => Self { weight: "dim", ..style },
            "22" => Self { weight: "", ..style },
            "31" => Self { colour: "bad", ..style },
            "32" => Self { colour: "good", ..style },
            "36" => Self { colour: "note", ..style },
            "39" => Self { colour: "", ..style },
            // The end of a background colour. No background is drawn.
            "49" => style,
            other => panic!("no style is known for the code {other}"),
        })
    }

    /// The runs of a line with SGR sequences in it, and the style at its end. Every other sequence is a fault of the program.
    fn runs(mut self, line: &str) -> (Vec<Run>, Self) {
        let mut parts = line.split("\u{1b}[");
        let mut runs = Vec::new();
        let mut push = |text: &str, class: &'static str| {
            if !text.is_empty() {
                runs.push(Run { text: text.replace('\t', "    "), class });
            }
        };
        push(parts.next().unwrap_or_default(), self.class());
        for part in parts {
            let (codes, text) = part.split_once('m').expect("only colours and weights are printed");
            self = self.after(codes);
            push(text, self.class());
        }
        (runs, self)
    }
}

fn cut(mut runs: Vec<Run>, width: usize) -> Vec<Run> {
    let mut left = width;
    for run in &mut runs {
        let length = run.text.chars().count();
        if length > left {
            run.text = run.text.chars().take(left.saturating_sub(1)).chain(std::iter::once('…')).collect();
        }
        left = left.saturating_sub(length);
    }
    let mut column = 0;
    runs.retain(|run| {
        let shown = column < width;
        column += run.text.chars().count();
        shown
    });
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_classes_and_markup_is_text() {
        let mut session = Session::default();
        session.command("$ ", "gephost run");
        session.output("a \u{1b}[32m<b>\u{1b}[0m & c", 80);
        let svg = session.to_svg("a session", 80);
        assert!(svg.contains("class=\"good\">&lt;b&gt;</text>") && svg.contains(" &amp; c</text>"), "{svg}");
        assert!(svg.contains(">gephost run</text>") && !svg.contains('\u{1b}'), "{svg}");
    }

    #[test]
    fn a_style_lasts_until_another_sequence_over_lines_too() {
        let mut session = Session::default();
        session.output(
            "\u{1b}[32mpass\u{1b}[49m ed\u{1b}[2m\n\u{1b}[39mdim\nstill\u{1b}[0;1m\u{1b}[39m\u{1b}[49mbold",
            80,
        );
        let shown: Vec<(&str, &str)> =
            session.lines.iter().flatten().map(|run| (run.text.as_str(), run.class)).collect();
        let expected = [("pass", "good"), (" ed", "good"), ("dim", "dim"), ("still", "dim"), ("bold", "bold")];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_long_line_is_cut_with_a_mark() {
        for (line, shown) in [("abcdef", "abcd…"), ("abcde", "abcde"), ("\u{1b}[1mabc\u{1b}[0mdefg", "abcd…")] {
            let text: String = cut(Style::default().runs(line).0, 5).iter().map(|run| run.text.as_str()).collect();
            assert_eq!(text, shown);
        }
    }
}

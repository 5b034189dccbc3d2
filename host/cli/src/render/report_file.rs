//! The diagnosis as one file to keep or to send: Markdown, or HTML with its charts inside. Neither loads anything.

use std::fmt::Write as _;

use gephost_app::evidence::{DayCount, EventDetail};
use gephost_core::diagnosis::Severity;

use super::findings::{RankedFinding, advice, event, facet_head, numbers};
use super::style::printable;
use super::verdict::plural;

/// The height and the greatest width of the chart of days, in its own units.
const CHART_HEIGHT: u64 = 120;
const BAR_WIDTH: usize = 14;
/// The narrowest chart with room for the days of both of its ends.
const LEAST_FOR_LABELS: usize = 100;
/// The room for a line of text above the bars.
const TOP: u64 = 14;
/// The most days of the chart: the newest.
const MAX_DAYS: usize = 60;
/// The most findings in the chart of causes.
const MAX_CAUSES: usize = 10;

/// What a file shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportFile<'a> {
    /// The project's folder.
    pub(crate) project: &'a str,
    /// What was read, a line each.
    pub(crate) read: &'a [String],
    /// Why there are no findings, if there are none.
    pub(crate) nothing: &'a str,
    /// The findings, most important first.
    pub(crate) findings: &'a [RankedFinding<'a>],
    /// The number of the first of them.
    pub(crate) first: usize,
    /// The events of the only one, if it is shown whole.
    pub(crate) events: &'a [EventDetail],
    /// The calls of each day.
    pub(crate) days: &'a [DayCount],
}

impl ReportFile<'_> {
    fn numbered(&self) -> impl Iterator<Item = (usize, &RankedFinding<'_>)> {
        (self.first..).zip(self.findings)
    }

    /// The events as a terminal shows them.
    fn transcript(&self) -> String {
        let events: Vec<String> = self.events.iter().map(event).collect();
        anstream::adapter::strip_str(&events.join("\n")).to_string()
    }
}

/// The diagnosis as Markdown.
pub(crate) fn markdown(file: ReportFile<'_>) -> String {
    let mut text = format!("# What goes wrong in {}\n\n", inline(file.project));
    for line in file.read {
        let _ = writeln!(text, "{}\n", inline(line));
    }
    if file.findings.is_empty() {
        let _ = writeln!(text, "{}", inline(file.nothing));
    }
    for (number, ranked) in file.numbered() {
        let finding = ranked.finding;
        let _ = writeln!(text, "## {number}. {}\n", inline(&finding.title));
        let severity = format!("{:?}", finding.severity).to_lowercase();
        let _ = writeln!(text, "{severity}; {}\n", inline(&numbers(ranked)));
        for (label, content) in [("Cause", finding.hypothesis.as_str()), ("Do", advice(finding))] {
            if !content.is_empty() {
                let _ = writeln!(text, "* **{label}:** {}", inline(content));
            }
        }
        for facet in &finding.facets {
            let values = inline(&facet.values.join(", "));
            let _ = writeln!(text, "* **{}:** {values}", inline(&facet_head(facet)));
        }
        for error in &finding.absorbed {
            let _ = writeln!(text, "* stands for: {} ({})", inline(&error.title), error.occurrences);
        }
        for place in &ranked.evidenced.places {
            let _ = writeln!(text, "* `{}` {}", code(&place.at()), inline(&place.text));
        }
        text.push('\n');
    }
    if !file.events.is_empty() {
        let _ = writeln!(text, "### Its events, the newest first\n\n{}", indented(&file.transcript()));
    } else if !file.days.is_empty() {
        text.push_str("## Failures by day\n\n| day | failures | calls |\n|---|---:|---:|\n");
        for day in file.days {
            let _ = writeln!(text, "| {} | {} | {} |", day.day, day.failures, day.calls);
        }
    }
    text
}

/// A text as a block of code, which nothing in it can end.
fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}

/// A text from outside as Markdown that shows it as it is.
fn inline(text: &str) -> String {
    let mut shown = String::new();
    for c in printable(text).chars() {
        match c {
            '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' | '~' => shown.extend(['\\', c]),
            '\t' | '\n' => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
}

/// A text within backticks.
fn code(text: &str) -> String {
    printable(text).replace('`', "'")
}

const STYLE: &str = ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--paper:#fff;--bar:#2563eb;\
--bad:#b42318}@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--line:#30363d;--paper:#0d1117;--bar:#6ea8fe;\
--bad:#ff8a7a}}body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;\
padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2rem 0 .3rem}p{margin:.3rem 0}.soft{color:var(--soft)}.high{color:var(--bad);\
font-weight:600}code{font:.85rem ui-monospace,monospace;overflow-wrap:anywhere}ul{margin:.3rem 0;padding-left:1.2rem}\
h1,h2,p,td,li{overflow-wrap:anywhere}pre{font:.85rem/1.4 ui-monospace,monospace;white-space:pre-wrap;\
overflow-wrap:anywhere}a{color:var(--bar)}small{color:var(--soft);white-space:nowrap}\
svg{width:100%;height:auto}svg text{fill:var(--soft);font:7px system-ui,sans-serif}rect{fill:var(--bar)}\
table{border-collapse:collapse;width:100%;table-layout:fixed}td{padding:.2rem .8rem .2rem 0;vertical-align:middle}\
td.share{width:22%}td.share small{margin-left:.4rem}\
.track{display:inline-block;vertical-align:middle;width:calc(100% - 3.5rem);background:var(--line);height:.7rem;border-radius:.35rem}\
.track span{display:block;height:100%;border-radius:.35rem;background:var(--bar);min-width:2px}\
@media(max-width:40rem){.head{display:none}tr,td{display:block}td.share{width:auto;padding:0}tr{padding:.4rem 0}\
td.share::before{content:\"failures \";color:var(--soft);font-size:.8rem;display:inline-block;width:4.5rem}\
td.share:last-child::before{content:\"sessions \"}.track{width:calc(100% - 9rem)}}";

/// The diagnosis as one HTML file.
pub(crate) fn html(file: ReportFile<'_>) -> String {
    let title = format!("What goes wrong in {}", escaped(file.project));
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <main>\n<h1>{title}</h1>\n"
    );
    for line in file.read {
        let _ = writeln!(text, "<p class=\"soft\">{}</p>", escaped(line));
    }
    if file.findings.is_empty() {
        let _ = writeln!(text, "<p>{}</p>", escaped(file.nothing));
    }
    // One finding alone has nothing to be compared with.
    if file.events.is_empty() {
        if !file.findings.is_empty() {
            text.push_str(&causes(file));
        }
        if file.days.len() > 1 {
            text.push_str(&chart(file.days));
        }
    }
    for (number, ranked) in file.numbered() {
        text.push_str(&section(number, ranked));
    }
    if !file.events.is_empty() {
        let events = escaped_lines(&file.transcript());
        let _ = writeln!(text, "<h2>Its events, the newest first</h2>\n<pre>{events}</pre>");
    }
    text.push_str("</main>\n</body>\n</html>\n");
    text
}

/// Lines from outside, as text in HTML.
fn escaped_lines(text: &str) -> String {
    text.lines().map(|line| escaped(line) + "\n").collect()
}

/// The share of failures and of sessions by finding, as bars.
fn causes(file: ReportFile<'_>) -> String {
    let mut text = String::from(
        "<h2>Share of all failures and sessions by cause</h2>\n<table>\n<tr class=\"soft head\"><td>cause</td>\
         <td class=\"share\">failures</td><td class=\"share\">sessions</td></tr>\n",
    );
    for (number, ranked) in file.numbered().take(MAX_CAUSES) {
        // Those that were meant to happen are not among all failures.
        let Some(scope) = ranked.finding.scope.as_ref().filter(|_| !ranked.finding.is_expected) else { continue };
        let percent = |part: u64, whole: u64| {
            (part.saturating_mul(200).saturating_add(whole) / whole.max(1).saturating_mul(2)).min(100)
        };
        let bar = |percent: u64| {
            format!(
                "<td class=\"share\"><div class=\"track\"><span style=\"width:{percent}%\"></span></div><small>{percent} %</small></td>"
            )
        };
        let (failures, sessions) =
            (percent(scope.failures, scope.failures_total), percent(scope.sessions, scope.sessions_total));
        let _ = writeln!(
            text,
            "<tr><td><a href=\"#f{0}\">{0}. {1}</a></td>{2}{3}</tr>",
            number,
            quoted(&ranked.finding.title),
            bar(failures),
            bar(sessions)
        );
    }
    text.push_str("</table>\n");
    text
}

/// The failures of each day as bars.
fn chart(days: &[DayCount]) -> String {
    let days = days.get(days.len().saturating_sub(MAX_DAYS)..).unwrap_or_default();
    let most = days.iter().map(|day| day.failures).max().unwrap_or(1).max(1);
    let width = days.len() * BAR_WIDTH;
    let mut text = format!(
        "<h2>Failures by day</h2>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Failures by day, at most {most}\" \
         style=\"max-width:{}px\">\n",
        width.max(200),
        CHART_HEIGHT + TOP + 20,
        width.max(200) * 2
    );
    for (at, day) in days.iter().enumerate() {
        let height = day.failures * CHART_HEIGHT / most;
        let failures = format!("{} {}", day.failures, plural(day.failures, "failure"));
        let calls = format!("{} {}", day.calls, plural(day.calls, "call"));
        let _ = writeln!(
            text,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{height}\"><title>{}: {failures} in {calls}</title></rect>",
            at * BAR_WIDTH,
            CHART_HEIGHT - height + TOP,
            BAR_WIDTH - 2,
            day.day
        );
    }
    let _ = writeln!(text, "<text x=\"0\" y=\"8\">at most {most} in a day; days without a call are left out</text>");
    for (x, anchor, label) in day_labels(days, width) {
        let y = CHART_HEIGHT + TOP + 12;
        let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{label}</text>");
    }
    text.push_str("</svg>\n");
    text
}

/// The first and the last day below their bars; in one label if there is no room for two.
fn day_labels(days: &[DayCount], width: usize) -> Vec<(usize, &'static str, String)> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Vec::new() };
    let (first, last) = (first.day.clone(), last.day.clone());
    match (first == last, width < LEAST_FOR_LABELS) {
        (true, _) => vec![(0, "start", first)],
        (false, true) => vec![(0, "start", format!("{first} to {last}"))],
        (false, false) => vec![(0, "start", first), (width, "end", last)],
    }
}

fn section(number: usize, ranked: &RankedFinding<'_>) -> String {
    let finding = ranked.finding;
    let severity = format!("{:?}", finding.severity).to_lowercase();
    let class = if finding.severity >= Severity::High { "high" } else { "soft" };
    let mut text = format!(
        "<section id=\"f{number}\">\n<h2>{number}. {}</h2>\n<p><span class=\"{class}\">{severity}</span>; <span \
         class=\"soft\">{}</span></p>\n",
        quoted(&finding.title),
        escaped(&numbers(ranked))
    );
    for (label, content) in [("Cause", finding.hypothesis.as_str()), ("Do", advice(finding))] {
        if !content.is_empty() {
            let _ = writeln!(text, "<p><strong>{label}:</strong> {}</p>", quoted(content));
        }
    }
    for facet in &finding.facets {
        let values = facet.values.join(", ");
        let _ = writeln!(text, "<p class=\"soft\">{}: {}</p>", escaped(&facet_head(facet)), quoted(&values));
    }
    let errors = finding.absorbed.iter().map(|error| (format!(" ({})", error.occurrences), error.title.clone()));
    list(&mut text, "Stands for", errors.map(|(count, title)| format!("<code>{}</code>{count}", escaped(&title))));
    let places = ranked.evidenced.places.iter();
    let places = places.map(|place| format!("<code>{}</code> {}", escaped(&place.at()), escaped(&place.text)));
    list(&mut text, "Seen at", places);
    text.push_str("</section>\n");
    text
}

fn list(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("<li>{item}</li>")).collect();
    if !items.is_empty() {
        let _ = writeln!(
            text,
            "<details><summary class=\"soft\">{title}: {}</summary><ul>{}</ul></details>",
            items.len(),
            items.join("")
        );
    }
}

/// A text from outside, as text in HTML, with text in backticks as code.
fn quoted(text: &str) -> String {
    let mut shown = String::new();
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // A backtick that nothing closes stays.
        if is_code && parts.peek().is_none() {
            shown.push('`');
            is_code = false;
        }
        let part = escaped(part);
        shown.push_str(&if is_code { format!("<code>{part}</code>") } else { part });
        is_code = !is_code;
    }
    shown
}

/// A text from outside, as text in HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for c in printable(text).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'a>(events: &'a [EventDetail], nothing: &'a str, read: &'a [String]) -> ReportFile<'a> {
        ReportFile { project: "/p", read, nothing, findings: &[], first: 1, events, days: &[] }
    }

    #[test]
    fn without_findings_a_file_says_why() {
        let read = ["no log".to_owned()];
        for text in [
            markdown(file(&[], "Not known: no log was read.", &read)),
            html(file(&[], "Not known: no log was read.", &read)),
        ] {
            assert!(text.contains("no log") && text.contains("Not known: no log was read."), "{text}");
            assert!(!text.contains("Nothing fails") && !text.contains("Share of all"), "{text}");
        }
    }

    #[test]
    fn the_days_of_a_short_chart_do_not_cover_each_other() {
        let labels = |count: usize| {
            let days: Vec<DayCount> =
                (1..=count).map(|day| DayCount { day: format!("2026-01-{day:02}"), calls: 2, failures: 1 }).collect();
            let text = chart(&days);
            let labels = text.lines().filter(|line| line.contains("text-anchor"));
            labels.map(|line| line.split(['<', '>']).nth(2).unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(labels(1), ["2026-01-01"]);
        assert_eq!(labels(2), ["2026-01-01 to 2026-01-02"]);
        assert_eq!(labels(7), ["2026-01-01 to 2026-01-07"]);
        assert_eq!(labels(8), ["2026-01-01", "2026-01-08"]);
        assert_eq!(labels(0), Vec::<String>::new());
    }

    #[test]
    fn nothing_in_an_event_ends_its_block() {
        let output = Some("```\n</pre><script>\n~~~~".to_owned());
        let event = EventDetail {
            event: 7,
            file: "a.jsonl".to_owned(),
            line: 3,
            time: None,
            session: "s".to_owned(),
            tool: None,
            outcome: None,
            input: Some("a <b>".to_owned()),
            output,
            worked_next: None,
        };
        let text = html(file(std::slice::from_ref(&event), "", &[]));
        assert!(text.contains("#7 a.jsonl:3") && text.contains("&lt;/pre&gt;&lt;script&gt;"), "{text}");
        assert!(!text.contains("<script>"), "{text}");
        let text = markdown(file(std::slice::from_ref(&event), "", &[]));
        let block = text.split("newest first\n\n").nth(1).expect("a block");
        assert!(block.lines().all(|line| line.is_empty() || line.starts_with("    ")), "{text}");
    }

    #[test]
    fn texts_from_outside_stay_texts() {
        assert_eq!(escaped("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
        assert_eq!(inline("[a](b) <i> *c*"), "\\[a\\](b) \\<i\\> \\*c\\*");
        assert_eq!(code("a`b"), "a'b");
        assert_eq!(quoted("run `a<b` and `c`"), "run <code>a&lt;b</code> and <code>c</code>");
        assert_eq!(quoted("`a` and `b"), "<code>a</code> and `b");
    }
}

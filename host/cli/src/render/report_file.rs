//! The diagnosis as one file to keep or to send: Markdown, or HTML with its charts inside. Neither loads anything.

use std::fmt::Write as _;

use gephost_app::evidence::DayCount;
use gephost_core::diagnosis::Severity;

use super::findings::{RankedFinding, advice, facet_head, numbers};
use super::style::printable;
use super::verdict::plural;

/// The height and the greatest width of the chart of days, in its own units.
const CHART_HEIGHT: u64 = 120;
const BAR_WIDTH: usize = 14;
/// The room for a line of text above the bars.
const TOP: u64 = 14;
/// The most days of the chart: the newest.
const MAX_DAYS: usize = 60;
/// The most findings in the chart of causes.
const MAX_CAUSES: usize = 10;

/// The diagnosis as Markdown.
pub(crate) fn markdown(project: &str, findings: &[RankedFinding<'_>], days: &[DayCount]) -> String {
    let mut text = format!("# What goes wrong in {}\n\n", inline(project));
    if findings.is_empty() {
        text.push_str("Nothing fails again and again.\n");
    }
    for (at, ranked) in findings.iter().enumerate() {
        let finding = ranked.finding;
        let _ = writeln!(text, "## {}. {}\n", at + 1, inline(&finding.title));
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
    if !days.is_empty() {
        text.push_str("## Failures by day\n\n| day | failures | calls |\n|---|---:|---:|\n");
        for day in days {
            let _ = writeln!(text, "| {} | {} | {} |", day.day, day.failures, day.calls);
        }
    }
    text
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
h1,h2,p,td,li{overflow-wrap:anywhere}a{color:var(--bar)}small{color:var(--soft);white-space:nowrap}\
svg{width:100%;height:auto}svg text{fill:var(--soft);font:7px system-ui,sans-serif}rect{fill:var(--bar)}\
table{border-collapse:collapse;width:100%;table-layout:fixed}td{padding:.2rem .8rem .2rem 0;vertical-align:middle}\
td.share{width:22%}td.share small{margin-left:.4rem}\
.track{display:inline-block;vertical-align:middle;width:calc(100% - 3.5rem);background:var(--line);height:.7rem;border-radius:.35rem}\
.track span{display:block;height:100%;border-radius:.35rem;background:var(--bar);min-width:2px}\
@media(max-width:40rem){.head{display:none}tr,td{display:block}td.share{width:auto;padding:0}tr{padding:.4rem 0}\
td.share::before{content:\"failures \";color:var(--soft);font-size:.8rem;display:inline-block;width:4.5rem}\
td.share:last-child::before{content:\"sessions \"}.track{width:calc(100% - 9rem)}}";

/// The diagnosis as one HTML file.
pub(crate) fn html(project: &str, findings: &[RankedFinding<'_>], days: &[DayCount]) -> String {
    let title = format!("What goes wrong in {}", escaped(project));
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <main>\n<h1>{title}</h1>\n"
    );
    if findings.is_empty() {
        text.push_str("<p>Nothing fails again and again.</p>\n");
    } else {
        text.push_str(&causes(findings));
    }
    if days.len() > 1 {
        text.push_str(&chart(days));
    }
    for (at, ranked) in findings.iter().enumerate() {
        text.push_str(&section(at + 1, ranked));
    }
    text.push_str("</main>\n</body>\n</html>\n");
    text
}

/// The share of failures and of sessions by finding, as bars.
fn causes(findings: &[RankedFinding<'_>]) -> String {
    let mut text = String::from(
        "<h2>Share of all failures and sessions by cause</h2>\n<table>\n<tr class=\"soft head\"><td>cause</td>\
         <td class=\"share\">failures</td><td class=\"share\">sessions</td></tr>\n",
    );
    for (at, ranked) in findings.iter().take(MAX_CAUSES).enumerate() {
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
            at + 1,
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
    let ends = [(0, days.first(), "start"), (width, days.last(), "end")];
    for (x, day, anchor) in ends {
        let day = day.map_or("", |day| day.day.as_str());
        let _ =
            writeln!(text, "<text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{day}</text>", CHART_HEIGHT + TOP + 12);
    }
    text.push_str("</svg>\n");
    text
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
        let _ = writeln!(text, "<p class=\"soft\">{}: {}</p>", escaped(&facet_head(facet)), escaped(&values));
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

    #[test]
    fn texts_from_outside_stay_texts() {
        assert_eq!(escaped("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
        assert_eq!(inline("[a](b) <i> *c*"), "\\[a\\](b) \\<i\\> \\*c\\*");
        assert_eq!(code("a`b"), "a'b");
        assert_eq!(quoted("run `a<b` and `c`"), "run <code>a&lt;b</code> and <code>c</code>");
        assert_eq!(quoted("`a` and `b"), "<code>a</code> and `b");
    }
}

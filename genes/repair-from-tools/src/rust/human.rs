//! Reads errors as rustc shows them on a terminal.
//!
//! A suggestion is shown in three ways: in a label (`^ help: remove this`), as a line with the new parts marked by `+` or
//! `~` below it, or as the old line (`-`) and the new one (`+`). Lines are shown with four spaces for a tab.

use super::report::{Part, Report, Shown, Suggestion};

/// The errors, in the order of the output.
pub(super) fn reports(output: &str) -> Vec<Report> {
    let mut reports = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for line in output.lines().chain([""]) {
        let ends = line.is_empty() || header(line).is_some();
        if ends {
            reports.extend(report(&block));
            block.clear();
        }
        if !line.is_empty() {
            block.push(line);
        }
    }
    reports
}

/// Level, code and message of a diagnostic's first line.
fn header(line: &str) -> Option<(&str, &str, &str)> {
    let (level, message) = line.split_once(": ")?;
    match level.split_once('[') {
        None if matches!(level, "error" | "warning") => Some((level, "", message)),
        Some((level, code)) if matches!(level, "error" | "warning") => Some((level, code.strip_suffix(']')?, message)),
        _ => None,
    }
}

/// A line with a gutter: the number if it has one, the sign, and the text after it.
struct Row<'a> {
    number: Option<usize>,
    sign: char,
    text: &'a str,
}

fn row(line: &str) -> Option<Row<'_>> {
    let rest = line.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest.get(..digits)?.parse().ok();
    let mut rest = rest.get(digits..)?.trim_start().chars();
    let sign = rest.next().filter(|c| "|+-~".contains(*c))?;
    let text = rest.as_str();
    if number.is_none() && sign != '|' {
        return None;
    }
    Some(Row { number, sign, text: text.strip_prefix(' ').unwrap_or(text) })
}

fn report(block: &[&str]) -> Option<Report> {
    let (_, code, message) = block.first().and_then(|line| header(line)).filter(|(level, ..)| *level == "error")?;
    let mut report = Report { message: message.to_owned(), code: code.to_owned(), ..Report::default() };
    let mut file = String::new();
    // The text of a help, while its rows are read.
    let mut help: Option<(String, Vec<Row<'_>>)> = None;
    let mut in_note = false;
    for line in block.iter().skip(1) {
        let text = line.trim_start();
        if let Some(place) = text.strip_prefix("--> ") {
            let path = place.rsplitn(3, ':').nth(2).unwrap_or_default().to_owned();
            if report.file.is_empty() && help.is_none() && !in_note {
                report.file.clone_from(&path);
            }
            file = path;
        } else if let Some(text) = line.strip_prefix("help: ") {
            finish(&mut help, &mut report, &file);
            in_note = false;
            file.clone_from(&report.file);
            help = Some((text.to_owned(), Vec::new()));
        } else if let Some(text) = line.strip_prefix("note: ") {
            finish(&mut help, &mut report, &file);
            in_note = true;
            lint(text, &mut report);
        } else if let Some(text) = text.strip_prefix("= ") {
            lint(text, &mut report);
        } else if let Some(row) = row(line) {
            match &mut help {
                Some((_, rows)) => rows.push(row),
                None if !in_note => shown(row, &mut report),
                None => {}
            }
        }
    }
    finish(&mut help, &mut report, &file);
    Some(report)
}

/// Takes the name of a clippy lint from a note.
fn lint(text: &str, report: &mut Report) {
    if let Some((_, rest)) = text.split_once("clippy::").or_else(|| text.split_once("/index.html#"))
        && report.code.is_empty()
    {
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        report.code = format!("clippy::{name}");
    } else if let Some((_, rest)) = text.split_once("-D clippy::")
        && report.code.is_empty()
    {
        report.code = format!("clippy::{}", rest.split('`').next().unwrap_or_default().replace('-', "_"));
    }
}

/// Takes a row of the error's own snippet: a line of the source, or marks and a label below one.
fn shown(row: Row<'_>, report: &mut Report) {
    if let Some(line) = row.number {
        if row.sign == '|' {
            report.shown.push(Shown { line, text: row.text.to_owned(), ..Shown::default() });
        }
        return;
    }
    let file = report.file.clone();
    if let Some((help, part)) = several(row.text, report) {
        report.suggestions.push(Suggestion { help, machine: false, file, parts: vec![part] });
        return;
    }
    if end_of_several(row.text, report).is_some() {
        return;
    }
    let Some(shown) = report.shown.last_mut() else { return };
    let start = row.text.len() - row.text.trim_start().len();
    let body = row.text.trim_start();
    if shown.marks.is_empty() && body.starts_with(['^', '-']) {
        shown.marks = runs(row.text, '^');
        shown.notes = runs(row.text, '-');
    }
    // The label of a suggestion stands beside its marks or below them.
    let Some((before, help)) = row.text.split_once("help: ") else { return };
    let marks = before.trim();
    let marked = match marks.rsplit(' ').next().unwrap_or_default() {
        "" => shown.marks.iter().chain(&shown.notes).copied().find(|(column, _)| *column == start + 1),
        // The marks of a part and of the whole may follow each other.
        last if last.chars().all(|c| c == '^' || c == '-') => {
            Some((before.trim_end().chars().count() - last.len() + 1, last.len()))
        }
        _ => None,
    };
    let Some((column, length)) = marked else { return };
    let new = if let Some((_, new)) = help.split_once(": `") {
        new.strip_suffix('`').map(str::to_owned)
    } else if help.starts_with("remove ") {
        Some(String::new())
    } else {
        // `add `;` here` marks the place after the end of a statement; `use `..=` for …` names what stands there instead.
        help.split('`').nth(1).map(str::to_owned)
    };
    let Some(new) = new.filter(|new| !new.contains('`')) else { return };
    let length = if help.starts_with("add `") { 0 } else { length };
    let old = &shown.text;
    let chars: Vec<char> = old.chars().collect();
    if column - 1 > chars.len() || column - 1 + length > chars.len() {
        return;
    }
    let changed: String = chars[..column - 1].iter().collect::<String>()
        + &new
        + &chars[column - 1 + length..].iter().collect::<String>();
    let part = Part::Line { number: shown.line, old: vec![old.clone()], new: changed };
    let help = help.split(": `").next().unwrap_or(help).to_owned();
    report.suggestions.push(Suggestion { help, machine: false, file, parts: vec![part] });
}

/// The suggestion of a label that ends a mark of several lines, which the compiler draws beside them:
///
/// ```text
/// 2 |       fn f() {          or  2 | /     if a {
///   |  ____________^              3 | |         b
/// 3 | |     b                     4 | |     }
/// 4 | | }                           | |_____^ help: try: `c`
///   | |_^ help: try: `c`
/// ```
///
/// The lines of the report then lose the two columns of the drawing. `None` if lines are left out.
fn several(text: &str, report: &mut Report) -> Option<(String, Part)> {
    let marks = text.trim_start();
    if marks.strip_suffix('^').is_some_and(|line| !line.is_empty() && line.bytes().all(|byte| byte == b'_')) {
        let shown = report.shown.last_mut()?;
        shown.marks = vec![(text.chars().count().checked_sub(2)?, 1)];
        shown.text = shown.text.strip_prefix("  ")?.to_owned();
        return None;
    }
    let (mark, help) = text.strip_prefix('|')?.split_once("^ help: ")?;
    if mark.is_empty() || !mark.bytes().all(|byte| byte == b'_') {
        return None;
    }
    let (help, new) = help.split_once(": `")?;
    let new = new.strip_suffix('`').filter(|new| !new.contains('`'))?;
    let first = report.shown.iter().rposition(|shown| !shown.text.starts_with("| "))?;
    for (place, shown) in report.shown.iter_mut().enumerate().skip(first) {
        if place > first {
            shown.text = shown.text.strip_prefix("| ")?.to_owned();
        } else if let Some(rest) = shown.text.strip_prefix("/ ") {
            shown.marks = vec![(rest.chars().take_while(|c| c.is_whitespace()).count() + 1, 1)];
            shown.text = rest.to_owned();
        }
    }
    let lines = report.shown.get(first..)?;
    let start = (lines.first()?.line, lines.first()?.marks.first()?.0);
    let end = (lines.last()?.line, mark.len() + 1);
    let whole = lines.iter().enumerate().all(|(place, shown)| shown.line == start.0 + place);
    let shown = lines.iter().map(|shown| shown.text.clone()).collect();
    (whole && lines.len() > 1).then(|| (help.to_owned(), Part::Span { start, end, shown, text: new.to_owned() }))
}

/// Notes the lines of a mark that ends here without a suggestion.
fn end_of_several(text: &str, report: &mut Report) -> Option<()> {
    let mark = text.strip_prefix("|_")?.trim_start_matches('_');
    let last = report.shown.last().filter(|_| mark.starts_with('^'))?.line;
    let first = report.shown.iter().rposition(|shown| !shown.text.starts_with("| "))?;
    let first = report.shown.get_mut(first)?;
    if let Some(rest) = first.text.strip_prefix("/ ") {
        first.marks = vec![(rest.chars().take_while(|c| c.is_whitespace()).count() + 1, 1)];
        first.text = rest.to_owned();
    }
    report.span = Some((first.line, last));
    Some(())
}

/// The runs of a mark: column from 1, and length.
fn runs(text: &str, mark: char) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (column, _) in text.chars().enumerate().filter(|(_, c)| *c == mark) {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == column + 1 => *length += 1,
            _ => runs.push((column + 1, 1)),
        }
    }
    runs
}

/// Turns the rows of a help into suggestions.
fn finish(help: &mut Option<(String, Vec<Row<'_>>)>, report: &mut Report, file: &str) {
    let Some((text, rows)) = help.take() else { return };
    let rows: Vec<Row<'_>> =
        rows.into_iter().filter(|row| row.number.is_some() || !row.text.trim().is_empty()).collect();
    let file = file.to_owned();
    // Alternatives are shown one below the other; each adds one line.
    let alternatives = text.contains(" one of ") || text.contains("candidate");
    let parts = if alternatives { None } else { parts(&rows, report) };
    match parts {
        Some(parts) => report.suggestions.push(Suggestion { help: text, machine: false, file, parts }),
        // What cannot be read is still a suggestion, so that another one is not taken for the only one.
        None if !rows.is_empty() => {
            report.suggestions.push(Suggestion { help: text, machine: false, file, parts: Vec::new() });
        }
        None => {}
    }
}

/// The line without what is added to it, and without this many spaces before and after each addition: the marks leave them
/// out.
fn without(line: &str, added: &[(usize, usize)], (before, after): (usize, usize)) -> String {
    let chars: Vec<char> = line.chars().collect();
    let is_new = |at: usize| {
        let column = at + 1;
        let is_space = chars.get(at) == Some(&' ');
        let around = |start: usize, end: usize| {
            (start.saturating_sub(before)..start).contains(&column) || (end..end + after).contains(&column)
        };
        added.iter().any(|(start, length)| {
            (*start..start + length).contains(&column) || is_space && around(*start, start + length)
        })
    };
    chars.iter().enumerate().filter(|(at, _)| !is_new(*at)).map(|(_, c)| c).collect()
}

/// Whether the numbers of rows follow each other.
fn is_consecutive(rows: &[Row<'_>]) -> bool {
    rows.windows(2).all(|pair| matches!(pair, [a, b] if a.number.map(|number| number + 1) == b.number))
}

fn texts(rows: &[Row<'_>]) -> Vec<String> {
    rows.iter().map(|row| row.text.to_owned()).collect()
}

/// Several removed lines, and below them those that take their place.
fn replaced(rows: &[Row<'_>]) -> Option<Part> {
    let count = rows.iter().take_while(|row| row.sign == '-').count();
    let (old, new) = rows.split_at(count);
    let start = old.first()?.number?;
    let is_whole = new.first()?.number == Some(start) && new.iter().all(|row| row.sign == '+');
    (count > 1 && is_whole && is_consecutive(old) && is_consecutive(new)).then(|| Part::Block {
        start,
        count,
        old: texts(old),
        new: texts(new),
    })
}

/// Several lines in their new form: those that the error marks, or each in the place of one line.
fn rewritten(rows: &[Row<'_>], report: &Report) -> Option<Part> {
    let start = rows.first()?.number?;
    let is_shown = |signs: &[char]| rows.iter().all(|row| row.number.is_some() && signs.contains(&row.sign));
    let last = rows.last()?;
    let span = report.span.filter(|(first, _)| *first == start);
    // A line beyond those that are replaced is added.
    let is_whole = span.is_some() && is_shown(&['~', '+']);
    if rows.len() < 2 || !(is_whole || is_shown(&['~', '|'])) || !is_consecutive(rows) || rows.first()?.sign != '~' {
        return None;
    }
    let marked = span.filter(|_| is_whole || last.sign == '~');
    let count = marked.map_or(rows.len(), |(first, last)| last - first + 1);
    Some(Part::Block { start, count, old: Vec::new(), new: texts(rows) })
}

fn parts(rows: &[Row<'_>], report: &Report) -> Option<Vec<Part>> {
    if let Some(block) = replaced(rows).or_else(|| rewritten(rows, report)) {
        return Some(vec![block]);
    }
    let mut parts = Vec::new();
    let mut rest = rows;
    while let Some((first, after)) = rest.split_first() {
        let number = first.number?;
        rest = after;
        match (first.sign, after.first()) {
            ('-', Some(next)) if next.sign == '+' && next.number == Some(number) => {
                parts.push(Part::Line { number, old: vec![first.text.to_owned()], new: next.text.to_owned() });
                rest = after.get(1..).unwrap_or_default();
            }
            ('-', _) => parts.push(Part::Line { number, old: vec![first.text.to_owned()], new: String::new() }),
            ('+', _) => {
                let text = first.text.trim();
                let is_line = text.starts_with("use ") || (text.starts_with("#[derive(") && text.ends_with(")]"));
                if !is_line || !parts.is_empty() {
                    return None;
                }
                parts.push(Part::Added { number, text: text.to_owned() });
                // What follows only shows where the line goes.
                return rest.iter().all(|row| row.sign == '|').then_some(parts);
            }
            ('|', Some(marks)) if marks.number.is_none() && marks.text.contains(['+', '~']) => {
                if marks.text.contains('~') {
                    let old = report.shown.iter().find(|shown| shown.line == number)?.text.clone();
                    parts.push(Part::Line { number, old: vec![old], new: first.text.to_owned() });
                } else {
                    let added = runs(marks.text, '+');
                    let old = [(0, 0), (0, 1), (1, 0)].map(|spaces| without(first.text, &added, spaces)).to_vec();
                    parts.push(Part::Line { number, old, new: first.text.to_owned() });
                }
                rest = after.get(1..).unwrap_or_default();
            }
            // Of several rows, one may replace more lines than it shows.
            ('~', _) if rows.len() == 1 => {
                let is_meant = |shown: &&Shown| shown.line == number && !shown.marks.is_empty();
                let old = report.shown.iter().find(is_meant)?.text.clone();
                parts.push(Part::Line { number, old: vec![old], new: first.text.to_owned() });
            }
            _ => return None,
        }
    }
    (!parts.is_empty()).then_some(parts)
}

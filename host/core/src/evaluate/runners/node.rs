//! `node --test`, as TAP and as its own report (`spec`), and other programs that write TAP.

use super::pieces::indent;
use super::script;
use super::suites::Suites;
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// Separator between the titles of suites and tests.
const SEPARATOR: &str = " > ";

/// `node --test …`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    argv.first() == Some(&"node") && argv.contains(&"--test")
}

pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    if lines.iter().any(|line| line.starts_with("TAP version ") || is_plan(line)) {
        read_tap(lines)
    } else {
        read_spec(lines)
    }
}

/// Whether a line starts the block that ends a run: `# tests 3`, `# pass 1`, `# fail 1` …, or the same after `ℹ`.
fn begins_block(line: &str, mark: &str) -> bool {
    matches!(block_line(line, mark), Some(("tests", _)))
}

fn block_line<'a>(line: &'a str, mark: &str) -> Option<(&'a str, u64)> {
    let (word, count) = line.strip_prefix(mark)?.trim_end().split_once(' ')?;
    Some((word, count.trim_start().parse().ok()?))
}

fn block(lines: &[&str], mark: &str) -> TestCounts {
    let mut counts = TestCounts::default();
    for (word, count) in lines.iter().skip(1).map_while(|line| block_line(line, mark)) {
        match word {
            "pass" => counts.passed = count,
            "fail" | "cancelled" => counts.failed = counts.failed.saturating_add(count),
            "skipped" | "skip" | "todo" => counts.skipped = counts.skipped.saturating_add(count),
            "tests" => break,
            _ => {}
        }
    }
    counts
}

/// `1..3`.
fn is_plan(line: &str) -> bool {
    line.strip_prefix("1..").is_some_and(|count| count.trim_end().parse::<u64>().is_ok())
}

/// TAP puts `# ` before what tests print, and escapes it. Only a test that bypasses the runner can imitate its lines.
fn read_tap(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::of_names();
    let mut suites = Suites::default();
    // Depth of a plan. The next result one level above it is that of the suite.
    let mut plan = None;
    for (at, line) in lines.iter().enumerate() {
        let depth = indent(line);
        let text = &line[depth..];
        if line.starts_with("TAP version ") || script::is_start(line) {
            tally.begin();
            suites.clear();
        } else if begins_block(line, "# ") {
            tally.summary(block(&lines[at..], "# "));
        } else if is_plan(text) {
            plan = Some(depth);
        } else if let Some(title) = text.strip_prefix("# Subtest: ") {
            suites.open(depth, title);
        } else if let Some((title, state)) = point(text) {
            let is_suite = plan.take().is_some_and(|inner| inner > depth);
            let path = suites.path(depth, SEPARATOR, title);
            if !is_suite {
                tally.note(&path, state);
            }
        }
    }
    tally.finish()
}

/// `not ok 2 - title # SKIP why`.
fn point(text: &str) -> Option<(&str, TestState)> {
    let (state, rest) = match text.strip_prefix("not ok ") {
        Some(rest) => (Failed, rest),
        None => (Passed, text.strip_prefix("ok ")?),
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let (title, directive) = rest.rsplit_once(" # ").unwrap_or((rest, ""));
    let is_skipped =
        ["SKIP", "TODO"].iter().any(|word| directive.get(..4).is_some_and(|it| it.eq_ignore_ascii_case(word)));
    Some(if is_skipped { (title.trim(), Skipped) } else { (rest.trim(), state) })
}

fn read_spec(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut suites = Suites::default();
    // The failures are listed again after the numbers, without their suites.
    let mut is_over = false;
    for (at, line) in lines.iter().enumerate() {
        if script::is_start(line) {
            tally.begin();
            suites.clear();
            is_over = false;
        } else if ["ℹ ", "# "].iter().any(|mark| begins_block(line, mark)) {
            let mark = if line.starts_with('#') { "# " } else { "ℹ " };
            tally.summary(block(&lines[at..], mark));
        } else if line.contains("failing tests:") && line.starts_with('✖') {
            is_over = true;
        } else if !is_over {
            spec_line(line, &mut suites, &mut tally);
        }
    }
    tally.finish()
}

/// `  ✔ title (0.1ms)`. `▶ suite` comes before the content of a suite, and again, or with its result, after it.
fn spec_line<'a>(line: &'a str, suites: &mut Suites<'a>, tally: &mut Tally) {
    let depth = indent(line);
    let text = &line[depth..];
    if let Some(title) = text.strip_prefix("▶ ") {
        return match timed(title) {
            Some(_) => suites.leave(depth),
            None => suites.open(depth, title.trim_end()),
        };
    }
    let marks = [("✔ ", Passed), ("✖ ", Failed), ("﹣ ", Skipped), ("⚠ ", Skipped)];
    let Some((rest, state)) = marks.iter().find_map(|(mark, state)| Some((text.strip_prefix(mark)?, *state))) else {
        return;
    };
    let (rest, is_directive) = match rest.rsplit_once(" # ") {
        Some((title, directive)) if directive.starts_with("SKIP") || directive.starts_with("TODO") => (title, true),
        _ => (rest, false),
    };
    let Some(title) = timed(rest) else { return };
    if suites.is_open(depth, title) {
        suites.leave(depth);
    } else {
        tally.note(&suites.path(depth, SEPARATOR, title), if is_directive { Skipped } else { state });
    }
}

/// The title before ` (12.3ms)`. Lines of other programs that use the same marks have no time.
fn timed(text: &str) -> Option<&str> {
    let (title, time) = text.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    let number = time.strip_suffix("ms").or_else(|| time.strip_suffix('s'))?;
    number.parse::<f64>().is_ok().then_some(title)
}

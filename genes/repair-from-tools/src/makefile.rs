//! `missing separator` of make: recipe lines that begin with spaces instead of a tab.

use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    failure.output.lines().filter_map(|line| fix(line, shelf)).take(4).collect()
}

fn fix(line: &str, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let (place, rest) = line.trim().split_once(": *** missing separator")?;
    if !rest.ends_with("Stop.") {
        return None;
    }
    let (path, number) = place.rsplit_once(':')?;
    let number: usize = number.parse().ok()?;
    let source = shelf.open(path)?;
    let lines = recipe_lines(&source);
    if !lines.contains(&number) {
        shelf.note(&format!("{}:{number}: this is not a line of a recipe that begins with spaces", source.path));
        return None;
    }
    let edits = lines.iter().filter_map(|number| {
        let text = source.line(*number)?;
        let start = source.range(*number)?.start;
        Some(Edit::replace(start..start + text.len() - text.trim_start().len(), "\t"))
    });
    let edits = edits.collect();
    let why = "make knows a recipe's lines by the tab that they begin with";
    Some(Fix::new(&source, number, edits, "begin the lines of the recipes with a tab").because(why, line.trim()))
}

/// The lines that follow a rule or a recipe's line and begin with spaces.
fn recipe_lines(source: &Source) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut in_rule = false;
    let mut continues = false;
    let mut in_define = false;
    for number in 1..=source.count() {
        let text = source.line(number).unwrap_or_default();
        let body = text.trim();
        let was_continued = continues;
        continues = text.ends_with('\\');
        if in_define || body.starts_with("define ") {
            in_define = body != "endef";
            continue;
        }
        if was_continued || body.is_empty() || body.starts_with('#') {
            continue;
        }
        if text.starts_with('\t') {
            continue;
        }
        if text.starts_with(' ') && in_rule && !is_directive(body) {
            lines.push(number);
            continue;
        }
        if !is_directive(body) {
            in_rule = is_rule(text);
        }
    }
    lines
}

/// Whether it is a line such as `target: sources`, and no variable.
fn is_rule(text: &str) -> bool {
    let plain = text.split(" #").next().unwrap_or(text);
    let Some((targets, rest)) = plain.split_once(':') else { return false };
    !text.starts_with(' ') && !targets.contains('=') && !rest.starts_with('=') && !rest.starts_with(":=")
}

/// Whether a line has a meaning of its own in a makefile: a condition, an inclusion, or a variable.
fn is_directive(body: &str) -> bool {
    let word = body.split([' ', '(', '\t']).next().unwrap_or_default();
    let known =
        ["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "include", "-include", "sinclude", "export", "unexport"];
    let mut words = body.split_whitespace();
    let name = words.next().unwrap_or_default();
    let sets = words.next().is_some_and(|word| matches!(word, "=" | ":=" | "?=" | "+=" | "::="));
    known.contains(&word) || (sets && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)))
}

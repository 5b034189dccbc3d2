//! The bounds that the contract states are those that the host enforces.

use gephost_core::model::{MAX_QUESTION_BYTES, MAX_QUESTIONS};

use super::corrections::MAX_PAIRS;
use super::explanation::MAX_EXPLANATIONS;
use super::history::MAX_ATTEMPTS;
use super::run_log::{MAX_BATCH, MAX_BATCH_BYTES, MAX_ROWS};
use super::search::{MAX_ANSWERS, MAX_LINE, MAX_PATTERN};
use super::workspace_import::{MAX_PATHS, MAX_READ_BYTES};
use super::{convert, printable};

const CONTRACT: &str = include_str!("../../../../wit/v0.1.2/gene.wit");

/// The comment above the item that begins with these words, in the part of the contract that begins with `part`.
fn comment(part: &str, item: &str) -> String {
    let (_, part) = CONTRACT.split_once(&format!("{part} {{\n")).unwrap_or_else(|| panic!("no {part}"));
    let lines: Vec<&str> = part.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| line.starts_with(item)).unwrap_or_else(|| panic!("{part}: no {item}"));
    let above = lines[..at].iter().rev().map_while(|line| line.strip_prefix("///"));
    above.collect::<Vec<_>>().into_iter().rev().collect::<String>()
}

/// A number with commas between thousands, as the contract writes it.
fn number(number: impl TryInto<u64>) -> String {
    let mut digits = number.try_into().unwrap_or_else(|_| panic!("it is no u64")).to_string();
    for at in (1..digits.len()).rev().filter(|at| (digits.len() - at).is_multiple_of(3)).collect::<Vec<_>>() {
        digits.insert(at, ',');
    }
    digits
}

#[test]
fn every_bound_of_an_answer_stands_at_its_item() {
    let clips = |characters: usize| format!("The host clips it at {} characters.", number(characters));
    let most = |count: usize| format!("At most {}.", number(count));
    let (finding, proposal) = ("record finding", "record proposal");
    for (part, item, expected) in [
        ("record evidence", "line:", clips(convert::MAX_EVIDENCE_LINE)),
        (finding, "id:", format!("At most {} characters", convert::MAX_ID)),
        (finding, "kind:", clips(convert::MAX_ID)),
        (finding, "title:", clips(convert::MAX_TITLE)),
        (finding, "hypothesis:", clips(convert::MAX_TEXT)),
        (finding, "evidence:", most(convert::MAX_EVIDENCE)),
        (finding, "direction:", clips(convert::MAX_TEXT)),
        (finding, "signals:", most(convert::MAX_SIGNALS)),
        (finding, "signals:", format!("clips each at {} characters", convert::MAX_EVIDENCE_LINE)),
        (proposal, "title:", clips(convert::MAX_TITLE)),
        (proposal, "objective:", clips(convert::MAX_TEXT)),
        (
            proposal,
            "evidence:",
            format!("keeps {}, each clipped at {} ", convert::MAX_EVIDENCE, convert::MAX_EVIDENCE_LINE),
        ),
        (proposal, "finding:", clips(convert::MAX_ID)),
        (proposal, "changes:", most(convert::MAX_CHANGES)),
        (proposal, "tests-to-run:", most(convert::MAX_COMMANDS)),
        (proposal, "rollback-plan:", clips(convert::MAX_TEXT)),
        (
            "record facet",
            "values:",
            format!("keeps {} of them, each clipped at {} ", convert::MAX_FACET_VALUES, convert::MAX_TITLE),
        ),
        ("record absorbed", "title:", clips(convert::MAX_TITLE)),
        ("record explanation", "facets:", most(convert::MAX_FACETS)),
        ("record explanation", "absorbed:", format!("The host keeps {}.", convert::MAX_ABSORBED)),
        ("interface explanation", "explain:", format!("The host keeps {}.", number(MAX_EXPLANATIONS))),
        ("interface logging", "log:", clips(printable::MAX_LINE)),
        ("interface diagnosis", "diagnose:", most(convert::MAX_ITEMS)),
        ("interface proposals", "propose:", most(convert::MAX_ITEMS)),
    ] {
        let said = comment(part, item);
        assert!(said.to_lowercase().contains(&expected.to_lowercase()), "{part}, {item} {expected:?}: {said}");
    }
}

#[test]
fn every_bound_of_a_host_function_stands_at_it() {
    for (part, item, expected) in [
        (
            "resource cursor",
            "next:",
            format!("at most {}, and those of {} MiB", number(MAX_BATCH), MAX_BATCH_BYTES >> 20),
        ),
        ("interface run-log", "usage:", format!("at most {}.", number(MAX_ROWS))),
        ("interface run-log", "corrections:", format!("at most {}.", number(MAX_PAIRS))),
        ("interface workspace", "read:", format!("first {}, ", number(MAX_PATHS))),
        ("interface workspace", "read:", format!("after {} MiB", MAX_READ_BYTES >> 20)),
        ("interface workspace", "glob:", format!("at most {}.", number(MAX_ANSWERS))),
        ("interface workspace", "glob:", format!("more than {} bytes", number(MAX_PATTERN))),
        ("interface workspace", "search:", format!("at most {}.", number(MAX_ANSWERS))),
        ("interface workspace", "search:", format!("more than {} bytes", number(MAX_PATTERN))),
        ("record found", "text:", format!("clipped at {MAX_LINE} bytes")),
        ("interface history", "attempts:", format!("at most {MAX_ATTEMPTS}.")),
        ("interface completion", "record request", format!("at most {} bytes", number(MAX_QUESTION_BYTES))),
    ] {
        let said = comment(part, item);
        assert!(said.contains(&expected), "{part}, {item} {expected:?}: {said}");
    }
    assert!(CONTRACT.contains(&format!("A call of a gene may ask {MAX_QUESTIONS} times.")));
}

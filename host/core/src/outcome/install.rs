//! What package managers print when they have installed what they were asked for. Warnings and errors of an attempt that
//! was replaced by another one may stand beside it.

use std::sync::LazyLock;

use regex::Regex;

use super::own_errors::name_of;

/// Programs that print their summary only if all was installed, with the summary.
const ALL_OR_NOTHING: &[(&[&str], &str)] = &[
    (&["uv"], r"(?:Installed|Uninstalled|Audited|Checked) \d+ packages? in \d"),
    (&["pip", "python", "py"], r"Successfully installed \S"),
    (
        &["npm"],
        r"(?:(?:added|removed|changed) \d+ packages?(?:,|$| in \d)|up to date(?:,|$| in \d)|found \d+ vulnerabilities$)",
    ),
    (&["pnpm"], r"Done in \d"),
    (&["yarn"], r"(?:✨ +)?Done in \d|➤ YN0000: ·? ?Done (?:in|with warnings)"),
    (&["bun"], r"\d+ packages? installed \["),
    (&["bundle"], r"Bundle (?:complete!|updated!)"),
    (&["composer"], r"No security vulnerability advisories found"),
];

/// Programs that install one package after another: what they print for one, or at the end.
const ONE_BY_ONE: &[(&[&str], &str)] = &[
    (&["apt", "apt-get", "aptitude"], r"Setting up \S+ \(|\S+ is already the newest version "),
    (&["brew"], r"🍺 "),
    (&["cargo"], r"\s+(?:Installed|Replaced) package "),
    (&["gem"], r"\d+ gems? installed$|Successfully installed \S"),
    (&["go"], r"go: (?:added|upgraded|downgraded) \S+ "),
];

/// How lines begin that are errors in any case.
const ERRORS: [&str; 6] = ["E: ", "ERROR", "Error: ", "dpkg: error", "error: ", "error["];

type Summaries = LazyLock<Vec<(&'static [&'static str], Regex)>>;

static ALL_SUMMARIES: Summaries = LazyLock::new(|| compiled(ALL_OR_NOTHING));
static ONE_SUMMARIES: Summaries = LazyLock::new(|| compiled(ONE_BY_ONE));

fn compiled(rows: &[(&'static [&'static str], &str)]) -> Vec<(&'static [&'static str], Regex)> {
    let compile = |summary| Regex::new(&format!("^(?:{summary})")).expect("the expression compiles, as the tests show");
    rows.iter().map(|(names, summary)| (*names, compile(summary))).collect()
}

/// Whether the words call a package manager to install something, and the output has its summary of success.
pub(super) fn succeeded(words: &[String], text: &str) -> bool {
    let Some((program, words)) = words.split_first() else { return false };
    let program = name_of(program);
    // `python3.12 -m pip`, `pip3.12`
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_module = program == "python" || program == "py";
    let asks = |word: &String| {
        matches!(word.as_str(), "install" | "add" | "sync" | "ci" | "i" | "get" | "update" | "upgrade" | "require")
    };
    if is_module && !words.iter().any(|word| word == "pip") || !(words.is_empty() || words.iter().any(asks)) {
        return false;
    }
    let summary = |rows: &Summaries| {
        let row = rows.iter().find(|(names, _)| names.contains(&program));
        row.is_some_and(|(_, summary)| text.lines().any(|line| summary.is_match(line)))
    };
    let has_error = || text.lines().any(|line| ERRORS.iter().any(|start| line.starts_with(start)));
    summary(&ALL_SUMMARIES) || summary(&ONE_SUMMARIES) && !has_error()
}

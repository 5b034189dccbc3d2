//! Configuration in place of words.

use gephost_gene::run_log::Difference as D;

use super::case::{Case, repeated};
use crate::plan::DraftKind;

const SETTINGS: (&str, &str) = (".claude/settings.json", "{\n  \"permissions\": { \"deny\": [\"Bash(rm:*)\"] }\n}\n");
const CLAUDE: (&str, &str) = ("CLAUDE.md", "# Rules\n");
const TOOL: &str = "Command timed out after 2m 0.0s";

fn slow(files: &[(&str, &str)], output: &str) -> Case {
    let calls = repeated(2, "{\"command\":\"bun test\"}", output);
    Case::new(files).finding("timeout", "t", &[], &calls).corrected(D::TimeLimit, "", "300s")
}

#[test]
fn a_time_limit_goes_into_the_settings_that_are_there() {
    let drafts = slow(&[SETTINGS, CLAUDE], TOOL).drafts();
    assert_eq!((drafts[0].path.as_str(), drafts[0].kind), (SETTINGS.0, DraftKind::Settings));
    assert!(drafts[0].content.contains("\"BASH_DEFAULT_TIMEOUT_MS\": \"300000\""), "{}", drafts[0].content);
    assert!(drafts[0].content.contains("\"deny\": [\"Bash(rm:*)\"]"));
    // If the policy or the operator refuses that, the words are next.
    assert_eq!((drafts[1].path.as_str(), drafts[1].kind), (CLAUDE.0, DraftKind::Instructions));
    // Once it stands there, neither is proposed.
    let done = drafts[0].content.clone();
    assert_eq!(slow(&[(SETTINGS.0, &done), CLAUDE], TOOL).drafts(), []);
}

#[test]
fn settings_that_do_not_fit_are_left_alone() {
    for (files, output) in [
        (&[CLAUDE][..], TOOL),
        (&[(SETTINGS.0, "{ // why\n}"), CLAUDE], TOOL),
        (&[(SETTINGS.0, "-> elsewhere"), CLAUDE], TOOL),
        // The limit is the command's own.
        (&[SETTINGS, CLAUDE], "timed out"),
    ] {
        let drafts = slow(files, output).drafts();
        assert_eq!(drafts.iter().map(|draft| draft.path.as_str()).collect::<Vec<_>>(), [CLAUDE.0], "{files:?}");
    }
    // Another agent has other settings.
    let mut codex = slow(&[SETTINGS, ("AGENTS.md", "# Rules\n")], TOOL);
    codex.tools(0..8, &["exec_command", "apply_patch"]);
    assert!(codex.drafts().iter().all(|draft| draft.kind == DraftKind::Instructions));
}

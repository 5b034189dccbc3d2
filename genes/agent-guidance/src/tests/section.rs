//! The file, its section, and what stands there already.

use super::case::{Case, repeated};
use crate::document::HEADING;
use crate::marker::Marker;

const LINE: &str = "Read a file before its first edit in a session, also after the context was compacted.";

fn unread(files: &[(&str, &str)]) -> Case {
    Case::new(files).finding("edit_unread", "t", &[], &repeated(3, "{}", "no"))
}

#[test]
fn the_file_is_the_one_that_the_agent_reads() {
    for (tools, files, path) in [
        (&["Bash", "Edit"][..], &[("CLAUDE.md", "x\n"), ("AGENTS.md", "x\n")][..], Some("CLAUDE.md")),
        (&["Bash", "Edit"], &[("AGENTS.md", "x\n")], Some("CLAUDE.md")),
        (&["Bash", "Edit"], &[(".claude/CLAUDE.md", "x\n")], Some(".claude/CLAUDE.md")),
        (&["Bash", "Edit"], &[("CLAUDE.md", "# C\n\n@AGENTS.md\n"), ("AGENTS.md", "x\n")], Some("AGENTS.md")),
        (&["Bash", "Edit"], &[("CLAUDE.md", "-> AGENTS.md"), ("AGENTS.md", "x\n")], None),
        (&["exec_command"], &[("CLAUDE.md", "x\n")], Some("AGENTS.md")),
        (&["run_shell_command"], &[], Some("GEMINI.md")),
        (
            &["run_shell_command"],
            &[(".gemini/settings.json", r#"{"context":{"fileName":"AGENTS.md"}}"#), ("AGENTS.md", "x\n")],
            Some("AGENTS.md"),
        ),
        (&["report_intent"], &[], Some(".github/copilot-instructions.md")),
        (&["unknown"], &[], None),
        (&["unknown"], &[("AGENTS.md", "x\n")], Some("AGENTS.md")),
        (&["Edit", "Bash"], &[("CLAUDE.md", "<!-- generated, do not edit -->\n")], None),
        (&["Edit", "Bash"], &[("CLAUDE.md", "a\r\nb\n")], None),
    ] {
        let mut case = unread(files);
        case.tools(0..8, tools);
        let found = case.drafts().into_iter().next().map(|draft| draft.path);
        assert_eq!(found.as_deref(), path, "{tools:?} {files:?} {:?}", case.files.notes);
        assert!(found.is_some() || !case.files.notes.is_empty(), "{files:?}: nothing is said");
    }
    let mut named = unread(&[("prompts/system.md", "x\n"), ("CLAUDE.md", "x\n")]);
    named.options.file = Some("prompts/system.md".to_owned());
    assert_eq!(named.drafts()[0].path, "prompts/system.md");
}

#[test]
fn nothing_is_said_twice_or_against_what_stands_there() {
    for (text, says) in [
        ("# Rules\n", false),
        ("- Always read a file before you edit it.\n", true),
        ("Never read files that you only write.\n", true),
        (LINE, true),
        ("Read the docs.\n", false),
    ] {
        let mut case = unread(&[("CLAUDE.md", text)]);
        assert_eq!(case.drafts().is_empty(), says, "{text}");
    }
    // Imported files and the instructions of folders count too.
    let import = [("CLAUDE.md", "See @docs/rules.md\n"), ("docs/rules.md", "Read before you edit.\n")];
    assert!(unread(&import).drafts().is_empty());
    let nested = [("CLAUDE.md", "x\n"), ("web/CLAUDE.md", "Read before you edit.\n")];
    assert!(unread(&nested).drafts().is_empty());
    // What was added once is not added again.
    let mut case = unread(&[("CLAUDE.md", "# Rules\n")]);
    let content = case.drafts()[0].content.clone();
    assert!(unread(&[("CLAUDE.md", &content)]).drafts().is_empty());
}

#[test]
fn at_most_five_lines_at_once_and_forty_in_all() {
    let kinds =
        ["edit_unread", "edit_text_missing", "edit_ambiguous", "input_too_large", "loop", "edit_changes_nothing"];
    let mut case = Case::new(&[("CLAUDE.md", "# Rules\n")]);
    for kind in kinds {
        case = case.finding(kind, "t", &[], &repeated(6, "{}", "no"));
    }
    assert_eq!(case.lines().len(), 5);
    assert!(case.files.notes.iter().any(|note| note.contains("1 further line")), "{:?}", case.files.notes);
    let marker = Marker { finding: "x".to_owned(), seen: 3, sessions: 1, day: Some(1), removed: false };
    let rule = |number: u32| format!("- Rule {number}. {}\n", marker.text());
    let many: String = (0..39).map(rule).collect::<Vec<_>>().concat();
    case.files.texts.insert("CLAUDE.md".to_owned(), format!("{HEADING}\n\n{many}"));
    assert_eq!(case.lines().len(), 40);
    case.files.texts.insert("CLAUDE.md".to_owned(), format!("{HEADING}\n\n{many}- Rule. {}\n", marker.text()));
    assert!(case.drafts().is_empty());
}

#[test]
fn a_line_that_did_not_help_is_taken_out_with_its_figures() {
    let marker =
        Marker { finding: "edit_unread:1".to_owned(), seen: 3, sessions: 2, day: Some(20_000), removed: false };
    let text = format!("# Rules\n\n{HEADING}\n\n- {LINE} {}\n", marker.text());
    let case = |since: u64, before: u64| {
        let mut case = unread(&[("CLAUDE.md", &text)]);
        for _ in 0..2 {
            case = case.finding("edit_unread", "t", &[], &repeated(3, "{}", "no"));
        }
        let all: Vec<u64> = case.log.failures.keys().copied().collect();
        case.findings.truncate(1);
        case.findings[0].events = all;
        case.log.calls.insert((20_513, 0), since);
        case.log.calls.insert((19_999, 0), before);
        // Two failures before.
        for (event, failure) in &mut case.log.failures {
            if *event < 2 {
                failure.time = Some(19_999 * 86_400_000_000);
            }
        }
        case
    };
    let drafts = case(400, 300).drafts();
    assert_eq!(drafts.len(), 1, "{drafts:?}");
    assert_eq!(drafts[0].title, "Take a lesson that did not help out of CLAUDE.md");
    let tombstone = Marker { removed: true, ..marker };
    assert_eq!(drafts[0].content, format!("# Rules\n\n{HEADING}\n\n{}\n", tombstone.text()));
    assert!(drafts[0].evidence[0].contains("(2 of 300)") && drafts[0].evidence[0].contains("(7 of 4"), "{drafts:?}");
    // It is not proposed again, few calls say nothing, and a rarer failure keeps the line.
    assert!(unread(&[("CLAUDE.md", &drafts[0].content)]).drafts().is_empty());
    assert!(case(100, 300).drafts().is_empty());
    assert!(case(4000, 300).drafts().is_empty());
}

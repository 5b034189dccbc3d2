//! Calls that are refused, and folders that the agent removes itself.

use gephost_gene::run_log::{Correction, Difference};

use super::Step;
use crate::analysis::Analysis;
use crate::call::Call;
use crate::report::Report;
use crate::thresholds::Thresholds;

fn of(steps: &[Step<'_>]) -> Vec<Report> {
    crate::findings::reports(&super::analysis(steps, |_| None))
}

const UNASKED: &str = "Permission denied and could not request permission from user";

#[test]
fn nobody_who_cannot_be_asked_is_to_be_asked() {
    let list = ("bash", "ls -la /h/a/b/", Some(UNASKED));
    let gone = "FileNotFoundError: [Errno 2] No such file or directory: '/h/a/b/'";
    for (others, says) in [
        (&[][..], "allow `ls` in the agent's permissions before it starts"),
        (&[("bash", "python3 -c 'x'", Some(gone))], "a later call shows that `/h/a/b/` does not exist"),
        (&[("bash", "ls /w/c && echo", None)], "`ls` worked elsewhere, and nobody can be asked"),
    ] {
        let steps: Vec<Step<'_>> = [list, list, list, list].into_iter().chain(others.iter().copied()).collect();
        let reports = of(&steps);
        let refused: Vec<_> = reports.iter().filter(|report| report.kind == "approval_needed").collect();
        assert_eq!(refused.len(), 1, "{reports:?}");
        assert!(
            refused[0].direction.contains(says) && !refused[0].direction.contains("to ask"),
            "{}",
            refused[0].direction
        );
        assert!(reports.iter().all(|report| report.kind != "loop"), "the refusal says it: {reports:?}");
    }
    let asked = of(&[("Bash", "rm -rf x", Some("This command requires approval"))]);
    assert!(asked[0].direction.contains("tell the agent to ask for the others"), "{asked:?}");
}

#[test]
fn refused_tools_are_one_finding() {
    let denied =
        |tool: &str| format!("Permission to use {tool} has been denied. IMPORTANT: {}", "You may go on. ".repeat(60));
    let (search, fetch) = (denied("WebSearch"), denied("WebFetch"));
    let reports = of(&[
        ("WebSearch", r#"{"query":"a"}"#, Some(&search)),
        ("WebFetch", r#"{"url":"https://a.example/x?y=1"}"#, Some(&fetch)),
    ]);
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!((reports[0].kind, reports[0].occurrences), ("permission_rule", 2));
    for tool in ["WebSearch", "WebFetch"] {
        assert!(reports[0].title.contains(tool) && reports[0].direction.contains(tool), "{reports:?}");
    }
}

#[test]
fn what_the_agent_removed_is_one_finding() {
    let gone = "Working directory \"/h/Desktop/p\" was deleted; shell cwd recovered to \"/h\". Re-issue your command";
    let removal = "rm /h/deskTOP/p/x && rm -rf /h/deskTOP 2>/dev/null; ls /h/Desktop/p/docs/C-* 2>&1";
    let reports = of(&[
        ("Bash", removal, Some("Exit code 1\n(eval):1: no matches found: /h/Desktop/p/docs/C-*")),
        ("Bash", "ls /h/Desktop/p/docs | grep C", Some(gone)),
        ("Bash", "cd /h/Desktop/p && ls | grep C", Some("(eval):cd:1: no such file or directory: /h/Desktop/p")),
    ]);
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!((reports[0].kind, reports[0].occurrences), ("removed_by_agent", 3));
    assert!(reports[0].title.contains("/h/deskTOP"), "{reports:?}");
}

#[test]
fn programs_of_one_environment_are_one_finding() {
    let calls = [
        ("pip install a", "error: externally-managed-environment"),
        ("django-admin startproject x", "bash: django-admin: command not found"),
    ];
    for (folders, is_one) in
        [([".venv/bin/", ".venv/bin/"], true), ([".venv/bin/", "/opt/bin/"], false), (["./", "./"], false)]
    {
        let mut corrections = Vec::new();
        let mut steps: Vec<(&str, String, Option<&str>)> = Vec::new();
        for ((input, output), folder) in calls.iter().zip(folders) {
            let (before, rest) = input.split_once(' ').unwrap();
            let (failed, after) = (steps.len() as u64, format!("{folder}{before}"));
            let (difference, before) = (Difference::Program, before.to_owned());
            steps.push(("Bash", (*input).to_owned(), Some(*output)));
            steps.push(("Bash", format!("{after} {rest}"), None));
            corrections.push(Correction { failed, worked: failed + 1, difference, before, after });
        }
        let mut analysis = Analysis::new(Thresholds::default(), corrections);
        for (event, (name, input, output)) in steps.iter().enumerate() {
            let (event, failed, output) = (event as u64, output.is_some(), output.unwrap_or("fine"));
            analysis.add(&Call { event, name, failed, input, output, ..Call::FAILED });
        }
        analysis.finish(Vec::new());
        let reports = crate::findings::reports(&analysis);
        let found = reports.iter().find(|report| report.kind == "environment_not_active");
        assert_eq!(found.is_some(), is_one, "{folders:?}: {reports:?}");
        if let Some(found) = found {
            assert_eq!(
                found.direction,
                "tell the agent to call the programs of this project in `.venv/bin/`: that worked next, twice"
            );
            assert!(found.title.contains("`pip`") && found.title.contains("`django-admin`"), "{}", found.title);
        }
    }
}

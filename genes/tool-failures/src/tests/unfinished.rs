//! Runs that did not end: one finding for each program, with what ended next.

use gephost_gene::run_log::FailureKind as K;

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::report::Report;

/// How a call ended.
#[derive(Clone, Copy)]
enum End {
    Never,
    GoesOn,
    Works,
    TimesOut,
}

fn found(calls: &[(&str, End)]) -> Vec<Report> {
    let mut analysis = Analysis::default();
    for ((input, end), event) in calls.iter().zip(0..) {
        let call = Call { event, failed: false, kind: K::None, input, output: "fine", ..Call::FAILED };
        let output = "Command timed out after 2m 0s";
        match end {
            End::Never => {
                let output = "Command did not complete within its 2m limit and was moved to the background";
                analysis.add_unfinished(&Call { output, ..call });
            }
            // The agent asks for it again.
            End::GoesOn => analysis.add_unfinished(&Call { output: "Process running with session ID 7", ..call }),
            End::Works => analysis.add(&Call { duration_ms: Some(180_000.0), ..call }),
            End::TimesOut => analysis.add(&Call { failed: true, kind: K::Timeout, output, ..call }),
        }
    }
    analysis.finish(Vec::new());
    reports(&analysis)
}

#[test]
fn runs_that_do_not_end_are_one_finding_with_what_ended() {
    use End::{Never, Works};
    let all = found(&[("cargo test", Never), ("cd a && cargo test", Never), ("cargo test 2>&1 | tail", Never)]);
    assert_eq!(all[0].title, "`cargo test` did not end: the agent stopped it, or no longer waited (3 times)");
    assert_eq!((all[0].occurrences, all[0].events.as_slice()), (3, &[0, 1, 2][..]));
    assert!(all[0].direction.starts_with("tell the agent to start it in the background"), "{}", all[0].direction);
    let runs = [("cargo test", Never), ("cargo test", Never), ("cargo test", Never)];
    let all = found(&[&runs[..], &[("cargo build", Works), ("cargo test -p a", Works)]].concat());
    let shown = "; the agent then ran `cargo test -p a`, which ended after 3 minutes";
    assert!(all[0].direction.ends_with(shown), "{}", all[0].direction);
    let all = found(&[&runs[..], &[("cargo test", Works)]].concat());
    assert_eq!(all[0].direction, "let it run longer: `cargo test` ended later after 3 minutes");
}

#[test]
fn they_belong_to_the_time_limit_of_the_same_program() {
    use End::{Never, TimesOut};
    let all = found(&[("npm run build", TimesOut), ("npm run build", Never), ("npm run build", TimesOut)]);
    assert_eq!(
        (all[0].kind, all[0].occurrences, all.iter().filter(|one| one.kind == "unfinished_runs").count()),
        ("timeout", 2, 0)
    );
    assert!(all[0].absorbed.iter().any(|(title, count)| title.ends_with("(once)") && *count == 1));
}

#[test]
fn what_is_meant_to_run_on_is_no_finding() {
    for command in
        ["tail -f a.log", "npm run dev", "sleep 600", "kubectl logs -f a", "python -m http.server", "make x &"]
    {
        assert!(found(&[(command, End::Never); 5]).is_empty(), "{command}");
    }
    assert!(found(&[("cargo test", End::GoesOn); 5]).is_empty(), "the agent asks for it again");
    assert!(found(&[("cargo test", End::Never), ("cargo test", End::Never)]).is_empty(), "two are no streak");
    let unlike = [("cargo test", End::Never), ("npm test", End::Never), ("go test ./...", End::Never)];
    assert!(found(&unlike).is_empty(), "of different programs");
}

#[test]
fn what_is_sent_to_a_shell_in_watch_mode_belongs_to_the_run_that_watches() {
    let refused = "[Your command is NOT executed. The previous command is still running - wait]";
    let titles = |hangs: &str, works: bool| {
        let mut analysis = Analysis::default();
        let call = Call { input: "npm run test", failed: false, kind: K::None, output: hangs, ..Call::FAILED };
        analysis.add_unfinished(&call);
        if works {
            analysis.add(&Call { event: 1, input: "ls", output: "a", ..call });
        }
        for (event, input) in [(2, "ls"), (3, "git status")] {
            analysis.add(&Call { event, input, output: refused, ..Call::FAILED });
        }
        analysis.finish(Vec::new());
        reports(&analysis)
            .into_iter()
            .map(|report| format!("{} ({})", report.title, report.occurrences))
            .collect::<Vec<_>>()
    };
    let watches = "1 failed\nWatching for file changes...\n press q to quit";
    let busy = "commands are sent to a shell in which another one still runs (2)";
    assert_eq!(titles(watches, false), ["`npm run test` waits for changes of files, and does not end (2)"]);
    assert_eq!(titles(watches, true), [busy], "the shell was free again");
    assert_eq!(titles("Compiling a v1.0", false), [busy]);
}

#[test]
fn a_run_in_watch_mode_that_was_ended_says_so() {
    for input in ["npx vitest src", "tsc --watch", "jest", "npm test", "nodemon a.js", "ng test"] {
        let mut analysis = Analysis::default();
        let output = "Command timed out after 2m 0s\n3 passed\n Waiting for file changes...\n       press q to quit";
        analysis.add(&Call { input, output, kind: K::Timeout, ..Call::FAILED });
        analysis.finish(Vec::new());
        assert_eq!(reports(&analysis)[0].kind, "watch_mode", "{input}");
    }
}

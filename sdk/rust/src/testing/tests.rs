//! What a gene sees of a scripted host.

use super::*;
use crate::run_log::{self, EventKind, Filter, Outcome};
use crate::workspace::{self, EntryKind, Found};
use crate::{completion, explain, explained, failures, history, log, settings};

/// The functions of a native test have the types of the imports.
#[test]
fn each_function_can_stand_for_its_import() {
    use crate::bindings::imports::gephost::gene as real;
    macro_rules! same {
        ($($interface:ident :: $function:ident : $kind:ty),* $(,)?) => {
            $(let _: [$kind; 2] = [real::$interface::$function, imports::$interface::$function];)*
        };
    }
    same! {
        completion::complete: fn(&Request) -> Result<String, HostError>,
        coverage::lines: fn() -> Result<Measured, HostError>,
        explanation::explain: fn(&Explanation),
        explanation::explained: fn(&str) -> Option<Explanation>,
        history::attempts: fn(&[String]) -> Result<Vec<Attempt>, HostError>,
        logging::log: fn(imports::logging::Level, &str),
        run_log::tool_names: fn() -> Result<run_log::Names, HostError>,
        run_log::models: fn() -> Result<Vec<String>, HostError>,
        run_log::usage: fn(u64, u32) -> Result<Option<run_log::UsageBatch>, HostError>,
        run_log::corrections: fn(u64, u32) -> Result<Vec<Correction>, HostError>,
        settings::all: fn() -> Vec<Setting>,
        workspace::read: fn(&[String]) -> Vec<Result<Vec<u8>, HostError>>,
        workspace::list_directory: fn(&str) -> Result<Vec<workspace::Entry>, HostError>,
        workspace::glob: fn(&str, u32) -> Result<Vec<workspace::Entry>, HostError>,
        workspace::search: fn(&str, &str, u32) -> Result<Vec<Found>, HostError>,
    }
}

#[test]
fn without_a_host_nothing_is_granted_and_nothing_aborts() {
    let Err(HostError::Denied(why)) = workspace::read_text("a") else { panic!("it is not denied") };
    assert!(why.contains("Host::run"), "{why}");
    log::info("nobody reads this");
    assert_eq!(settings::all(), []);
    assert_eq!(explained("a"), None);
}

#[test]
fn a_denied_capability_says_which_one_and_the_others_are_granted() {
    let ran = Host::new().deny(Capability::Workspace).run(|| (workspace::glob("**", 9), history::attempts(&[])));
    assert_eq!(ran.answer, (Err(HostError::Denied("workspace".to_owned())), Ok(Vec::new())));
}

#[test]
fn files_are_listed_and_read_as_the_host_does() {
    let host = Host::new().file("a/b.txt", "1").file("./a/c/d.txt", "22").file("e.txt", "333");
    host.run(|| {
        let list = |path| {
            let entries = workspace::list_directory(path).unwrap();
            entries.into_iter().map(|entry| (entry.path, entry.kind, entry.size)).collect::<Vec<_>>()
        };
        let entry = |path: &str, kind, size| (path.to_owned(), kind, size);
        assert_eq!(list("."), [entry("a", EntryKind::Directory, 0), entry("e.txt", EntryKind::File, 3)]);
        assert_eq!(list("a/"), [entry("a/b.txt", EntryKind::File, 1), entry("a/c", EntryKind::Directory, 0)]);
        for path in ["a/b.txt", "./a//b.txt", "a/c/../b.txt"] {
            assert_eq!(workspace::read_text(path), Ok("1".to_owned()), "{path}");
        }
        for path in ["", "a", "/a/b.txt", "../e.txt", "b.txt"] {
            assert_eq!(workspace::read_text(path), Err(HostError::NotFound), "{path}");
        }
        assert_eq!(workspace::list_directory("e.txt").err(), Some(HostError::NotFound));
        assert_eq!(workspace::glob("**/*.txt", 2).unwrap().len(), 2);
    });
}

#[test]
fn lines_are_found_by_their_own_ends() {
    let host = Host::new().file("a", "\u{feff}x\r\nyx\n\nx").file("b", "x\0").file("c", "").file("d", "ä".repeat(400));
    host.run(|| {
        let found = workspace::search("^x?$", "*", 10).unwrap();
        let found: Vec<_> = found.into_iter().map(|found| (found.path, found.line, found.text)).collect();
        let line = |line, text: &str| ("a".to_owned(), line, text.to_owned());
        assert_eq!(found, [line(1, "x"), line(3, ""), line(4, "x")]);
        assert_eq!(workspace::search("ä", "d", 10).unwrap()[0].text, "ä".repeat(250));
        assert!(matches!(workspace::search("(?=x)", "*", 10), Err(HostError::Invalid(_))));
        assert!(matches!(workspace::search("x", "[", 10), Err(HostError::Invalid(_))));
        assert_eq!(workspace::search("", "**", 3).unwrap().len(), 3);
    });
}

#[test]
fn the_run_log_is_filtered_and_comes_in_batches() {
    let other = LogEvent { session: "other".to_owned(), ..LogEvent::call("Read", "a", "b") };
    let mut host = Host::new().event(LogEvent::message("go")).event(other);
    for number in 0..5000 {
        host = host.event(LogEvent::failed_call("Bash", &format!("run {number}"), "no"));
    }
    host.run(|| {
        let mut seen = Vec::new();
        run_log::for_each(&run_log::everything(), |event| seen.push((event.index, event.session_number))).unwrap();
        assert_eq!((seen.len(), seen[1], seen[5001]), (5002, (1, 1), (5001, 0)));
        let filter = Filter {
            kinds: vec![EventKind::ToolEnd],
            outcomes: vec![Outcome::Failure],
            tools: vec!["Bash".to_owned()],
            since_us: None,
        };
        let mut inputs = Vec::new();
        run_log::for_each(&filter, |event| {
            assert_eq!((event.tool, event.output, event.signature), (Some("Bash"), "no", None));
            inputs.push(event.input.to_owned());
        })
        .unwrap();
        assert_eq!((inputs.len(), inputs[4999].as_str()), (5000, "run 4999"));
        let cursor = run_log::open(&filter).unwrap();
        assert!(matches!(cursor.next(0), Err(HostError::Invalid(_))));
        assert_eq!(cursor.next(2).unwrap().unwrap().index, [2, 3]);
        let failures = failures::read(&[], false).unwrap();
        assert_eq!((failures.len(), failures[0].event), (64, 5001));
    });
}

#[test]
fn usage_and_corrections_come_by_their_numbers() {
    let used = |index| Used { index, input: Some(index * 10), ..Used::default() };
    let correction = |failed| Correction {
        failed,
        worked: failed + 1,
        difference: run_log::Difference::Program,
        before: "python".to_owned(),
        after: "python3".to_owned(),
    };
    let host = Host::new().usage(used(4)).usage(used(1)).correction(correction(7)).correction(correction(2));
    host.run(|| {
        let mut usages = run_log::Usages::default();
        assert_eq!(usages.up_to(3).unwrap(), Some(used(1)));
        assert_eq!((usages.up_to(3).unwrap(), usages.up_to(4).unwrap()), (None, Some(used(4))));
        let failed: Vec<u64> = run_log::all_corrections().unwrap().iter().map(|one| one.failed).collect();
        assert_eq!(failed, [2, 7]);
        assert_eq!(run_log::corrections(3, 1).unwrap()[0].failed, 7);
    });
}

#[test]
fn the_model_answers_in_order_and_then_is_not_there() {
    let host = Host::new().model_answers(Ok("yes")).model_answers(Err(HostError::Exhausted("money".to_owned())));
    let ran = host.run(|| {
        assert_eq!(completion::text("s", "first", 5), Ok("yes".to_owned()));
        assert_eq!(completion::text("s", "second", 5), Err(HostError::Exhausted("money".to_owned())));
        assert!(matches!(completion::text("s", "third", 5), Err(HostError::Failed(_))));
        assert!(matches!(completion::text("s", "fourth", 0), Err(HostError::Invalid(_))));
        for _ in 3..16 {
            drop(completion::text("s", "more", 5));
        }
        assert!(matches!(completion::text("s", "too many", 5), Err(HostError::Exhausted(_))));
    });
    assert_eq!((ran.asked.len(), ran.asked[1].prompt.as_str()), (16, "second"));
}

#[test]
fn a_strategy_sees_what_its_findings_explain_and_a_heuristic_does_not() {
    struct Both;
    impl Gene for Both {
        fn diagnose() -> Result<Vec<Finding>, GeneError> {
            assert_eq!(explained("test:a"), None);
            let mut explanation = evidence(&finding("a", &[]));
            explain(&explanation);
            explanation.events = vec![3];
            explain(&explanation);
            Err(HostError::NotFound.into())
        }
        fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
            assert_eq!(diagnosis.signals, ["x", "y"]);
            assert_eq!(explained("test:a").unwrap().events, [2, 5]);
            assert_eq!(explained("test:b"), None);
            Ok(vec![Proposal::new(&diagnosis.findings[0], "T", "O").with_tests(vec!["pytest".to_owned()])])
        }
    }
    let ran = Host::new().diagnose::<Both>();
    assert_eq!(ran.answer.unwrap_err().code, "not-found");
    assert_eq!(ran.explained.iter().map(|one| one.events.clone()).collect::<Vec<_>>(), [[3]]);
    let line = |event| crate::Evidence { event, line: "why".to_owned() };
    let a = Finding { evidence: vec![line(5), line(2), line(5)], ..finding("a", &["y", "x"]) };
    let proposal = Host::new().propose::<Both>(diagnosis(vec![a])).answer.unwrap().remove(0);
    assert_eq!((proposal.finding.as_str(), proposal.evidence.len()), ("test:a", 3));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it writes as a gene does, below the folder of the test")]
fn files_written_below_the_root_are_the_change_and_leave_nothing() {
    let host = Host::new().file("a/b.txt", "1").file("gone.txt", "2").file("same.txt", "3");
    let mut folder = None;
    let ran = host.run(|| {
        let root = workspace::root();
        assert_eq!(std::fs::read_to_string(root.join("a/b.txt")).unwrap(), "1");
        std::fs::write(root.join("a/b.txt"), "11").unwrap();
        std::fs::write(root.join("new.txt"), "4").unwrap();
        std::fs::remove_file(root.join("gone.txt")).unwrap();
        assert_eq!(workspace::root(), root);
        folder = Some(root);
    });
    let changes =
        [Change::new_content("a/b.txt", "11"), Change::deletion("gone.txt"), Change::new_content("new.txt", "4")];
    assert_eq!(ran.written, changes);
    assert!(!folder.unwrap().exists());
    assert_eq!(Host::new().file("a", "1").run(|| ()).written, []);
}

#[test]
fn each_thread_has_its_own_host_and_a_panic_ends_it() {
    let outer = Host::new().file("a", "outer").run(|| {
        let other = std::thread::spawn(|| workspace::read_text("a").is_err());
        assert!(other.join().unwrap());
        let panicked = std::panic::catch_unwind(|| {
            Host::new().file("a", "inner").run(|| {
                log::info("inner");
                panic!("{}", workspace::read_text("a").unwrap())
            })
        });
        assert_eq!(*panicked.map(|_: Ran<()>| ()).unwrap_err().downcast::<String>().unwrap(), "inner");
        workspace::read_text("a").unwrap()
    });
    assert_eq!((outer.answer.as_str(), outer.log.len()), ("outer", 0));
}

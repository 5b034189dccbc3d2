//! Which logs a cycle reads, what of them counts, and what is reported beside the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gephost_app::cycle::CycleOptions;
use gephost_app::observe::{LogOptions, ReadingState};
use gephost_app::{Environment, ErrorKind, Note, Project, Sink};
use gephost_runner::observe::Meter;

use crate::scene::{Scene, failed, refusal};
use crate::trust::one_event;

const CONFIG: &str = "[observe]\nlogs = [\"logs/\"]\n";

fn scene(files: &[(&str, &str)]) -> Scene {
    let mut all = vec![("gephost.toml", CONFIG), ("logs/keep.txt", "no log\n")];
    all.extend(files);
    Scene::new(&all)
}

fn named(paths: &[&str]) -> LogOptions {
    LogOptions { logs: paths.iter().map(Into::into).collect(), ..LogOptions::default() }
}

/// The same log at another hour of the same day, in another session.
fn at_hour(hour: u8) -> String {
    let session = format!("\"s{hour}\"");
    let own = one_event().replace("T10:", &format!("T{hour:02}:")).replace("\"s1\"", &session);
    own.replace("\"a\"", &format!("\"a{hour}\""))
        .replace("\"b\"", &format!("\"b{hour}\""))
        .replace("t1", &format!("t{hour}"))
}

fn since(time: &str) -> LogOptions {
    LogOptions { since: Some(time.parse().expect("a time")), ..LogOptions::default() }
}

#[test]
fn the_reading_says_why_there_is_nothing_to_diagnose() {
    let reading = |scene: &Scene, logs: LogOptions| {
        let options = CycleOptions { logs, ..CycleOptions::default() };
        scene.project().diagnose(&options).expect("a diagnosis").reading
    };
    let empty = Scene::new(&[("a.txt", "a\n")]);
    assert_eq!(reading(&empty, LogOptions::default()).state, ReadingState::NoLogs);
    let blank = scene(&[("logs/a.jsonl", "")]);
    let state = reading(&blank, LogOptions::default()).state;
    assert!(matches!(state, ReadingState::NoEvents | ReadingState::NoLogs), "{state:?}");
    let full = scene(&[("logs/a.jsonl", one_event())]);
    let found = reading(&full, LogOptions::default());
    assert_eq!((found.state, found.logs, found.sessions, found.events), (ReadingState::Read, 1, 1, 2));
    let late = reading(&full, since("2026-01-02T00:00:00Z"));
    assert_eq!((late.state, late.events), (ReadingState::NothingSince, 0));
    assert_eq!(late.newest.map(|time| time.to_string()).as_deref(), Some("2026-01-01T10:00:01Z"));
}

#[test]
fn time_and_number_bound_what_counts_and_the_newest_stay() {
    let (one, two, three) = (at_hour(8), at_hour(9), at_hour(11));
    let scene = scene(&[("logs/c.jsonl", &one), ("logs/a.jsonl", &two), ("logs/b.jsonl", &three)]);
    let project = scene.project();
    let times = |options: &LogOptions| {
        let events = project.observe(options).expect("an observation").events;
        let mut hours: Vec<i8> = events
            .iter()
            .filter_map(|event| event.timestamp)
            .map(|time| time.to_zoned(jiff::tz::TimeZone::UTC).hour())
            .collect();
        hours.sort_unstable();
        hours
    };
    assert_eq!(times(&LogOptions::default()), [8, 8, 9, 9, 11, 11]);
    assert_eq!(times(&since("2026-01-01T09:00:00Z")), [9, 9, 11, 11]);
    assert_eq!(times(&LogOptions { max_events: Some(3), ..LogOptions::default() }), [9, 11, 11]);
    assert_eq!(times(&named(&["logs/c.jsonl"])), [8, 8]);
}

#[test]
fn a_named_log_is_found_from_where_the_operator_stands() {
    let scene = scene(&[("logs/a.jsonl", one_event()), ("deep/own.jsonl", one_event())]);
    let project = Project::open(&scene.below("deep")).expect("a project");
    assert_eq!(project.observe(&named(&["own.jsonl"])).expect("an observation").files.len(), 1);
    assert_eq!(project.observe(&named(&["../logs/a.jsonl"])).expect("an observation").files.len(), 1);
    let full = scene.environment.directory.join("logs/a.jsonl");
    assert_eq!(project.observe(&named(&[full.to_str().expect("UTF-8")])).expect("an observation").files.len(), 1);
    for missing in ["a.jsonl", "logs/none.jsonl", "none*"] {
        let error = failed(project.observe(&named(&[missing])));
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "observe"), "{missing}");
        assert!(error.message.contains(missing), "{error}");
    }
}

#[test]
fn the_logs_of_the_config_may_be_missing_or_not_but_never_silently() {
    let scene = Scene::new(&[("gephost.toml", "[observe]\nlogs = [\"none/\"]\n"), ("a.txt", "a\n")]);
    match scene.project().observe(&LogOptions::default()) {
        Ok(observation) => assert!(observation.files.is_empty(), "{:?}", observation.files),
        Err(error) => assert!(error.code == "observe" && error.message.contains("none"), "{error}"),
    }
}

#[test]
fn a_log_that_cannot_be_read_is_noted_and_the_others_count() {
    let scene = scene(&[("logs/a.jsonl", one_event())]);
    std::os::unix::fs::symlink("nowhere", scene.root().join("logs/b.jsonl")).expect("a link");
    let observation = scene.project().observe(&LogOptions::default()).expect("an observation");
    assert_eq!(observation.events.len(), 2);
    let noted = scene.noted("cannot be read") || observation.unreadable.is_empty();
    assert!(noted, "{:?} {:?}", observation.unreadable, scene.notes());
}

#[test]
fn a_finding_is_asked_for_by_its_number() {
    let scene = Scene::quickstart(&[]);
    let diagnose = |finding: usize, days: bool| {
        scene.project().diagnose(&CycleOptions { finding: Some(finding), days, ..CycleOptions::default() })
    };
    let found = diagnose(1, true).expect("a finding");
    let count = found.diagnosed.diagnosis.findings.len();
    assert!(!found.details.is_empty() && found.evidenced.len() == count);
    assert!(!found.evidenced[0].places.is_empty() && !found.evidenced[0].agents.is_empty());
    // The quickstart's log: two calls that went well, three that failed, and one that the user refused.
    let days: Vec<_> = found.days.iter().map(|day| (day.day.as_str(), day.calls, day.failures)).collect();
    assert_eq!(days, [("2026-03-02", 5, 3)]);
    for number in [0, count + 1, usize::MAX] {
        let error = failed(diagnose(number, false));
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "no_such_finding"), "{number}");
        assert!(error.message.contains(&format!("from 1 to {count}")), "{error}");
    }
    // Details and days are there only for whom they are wanted.
    let plain = scene.project().diagnose(&CycleOptions::default()).expect("findings");
    assert!(plain.details.is_empty() && plain.days.is_empty());
    let empty = Scene::new(&[("a.txt", "a\n")]);
    let options = CycleOptions { finding: Some(1), ..CycleOptions::default() };
    assert!(failed(empty.project().diagnose(&options)).message.contains("there are no findings"));
}

#[test]
fn an_audit_that_cannot_be_written_stops_the_run_before_a_gene_runs() {
    let scene = Scene::quickstart(&[]);
    for path in ["none/audit.jsonl", "inventory"] {
        let options = CycleOptions { audit: Some(path.into()), ..CycleOptions::default() };
        let refused = refusal(scene.project().diagnose(&options));
        assert_eq!(refused, (ErrorKind::Usage, "io"), "{path}");
    }
    assert!(!scene.project().state.recordings().path().exists(), "no gene was called");
}

/// What a sink does with the work of reading.
type Works = fn(&mut dyn FnMut(Option<&Meter>));

/// A sink that counts how often it is called, and does the work with a meter, without one, or not at all.
#[derive(Debug)]
struct Counting {
    readings: AtomicUsize,
    works: Works,
}

impl Sink for Counting {
    fn note(&self, _note: Note<'_>) {}

    fn reading(&self, work: &mut dyn FnMut(Option<&Meter>)) {
        self.readings.fetch_add(1, Ordering::Relaxed);
        (self.works)(work);
    }
}

#[test]
fn whatever_a_sink_does_with_the_reading_the_result_is_the_same() {
    let scene = scene(&[("logs/a.jsonl", one_event())]);
    let works: [Works; 4] = [
        |work| work(None),
        |work| work(Some(&Meter::default())),
        |_| {},
        |work| {
            work(None);
            work(None);
        },
    ];
    for works in works {
        let sink = Arc::new(Counting { readings: AtomicUsize::new(0), works });
        let environment = Environment { sink: Arc::clone(&sink) as Arc<dyn Sink>, ..scene.environment.clone() };
        let project = Project::open(&environment).expect("a project");
        let observation = project.observe(&LogOptions::default()).expect("an observation");
        assert_eq!((observation.events.len(), sink.readings.load(Ordering::Relaxed)), (2, 1));
    }
}

#[test]
fn a_run_notes_each_step_once_and_a_stage_alone_notes_none() {
    let scene = Scene::quickstart(&[]);
    scene.project().propose(&CycleOptions::default()).expect("proposals");
    assert_eq!(scene.notes(), Vec::<String>::new());
    // What is uncommitted is noted by a run only, because only a run could leave it out.
    scene.write("inventory/store.py", "edited = True\n");
    scene.project().propose(&CycleOptions::default()).expect("proposals");
    assert!(!scene.noted("uncommitted"));
}

#[test]
fn an_error_says_whether_the_config_names_the_log_that_is_missing() {
    let scene = Scene::new(&[("gephost.toml", CONFIG)]);
    let error = failed(scene.project().observe(&LogOptions::default()));
    assert!(error.message.contains("no log at"), "{error}");
    assert!(error.hint.is_some_and(|hint| hint.contains("`[observe] logs` of gephost.toml")));
    assert_eq!(failed(scene.project().observe(&named(&["none.jsonl"]))).hint, None);
}

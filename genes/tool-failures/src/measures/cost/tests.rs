//! Usage in, findings out.

use gephost_gene::run_log::FailureKind;

use super::*;

/// Adds requests and calls, and numbers them as events.
#[derive(Default)]
struct Log {
    cost: Cost,
    events: u64,
}

impl Log {
    fn request(&mut self, session: u32, input: u64, cache_read: Option<u64>) {
        self.events += 1;
        let used =
            Used { index: self.events, session_number: session, input: Some(input), cache_read, ..Used::default() };
        self.cost.add_usage(&used, &Thresholds::default());
    }

    fn call(&mut self, session: u32, input: &str, failed: bool, failures: u32) {
        self.events += 1;
        let call = Call {
            time: i64::MIN,
            event: self.events,
            exception: false,
            tool: Some(0),
            name: "Bash",
            session,
            failed,
            kind: if failed { FailureKind::Other } else { FailureKind::None },
            duration_ms: None,
            input,
            output: "",
        };
        self.cost.add(&call, failures, &Thresholds::default());
    }

    fn reports(mut self) -> Vec<Report> {
        let names = (0..10).map(|number| format!("s-{number}")).collect();
        self.cost.finish(names, &Thresholds::default());
        self.cost.reports(&Thresholds::default())
    }
}

#[test]
fn an_expensive_session_exceeds_the_median_and_a_minimum() {
    let found = |sessions: &[u64]| {
        let mut log = Log::default();
        for (number, tokens) in (0..).zip(sessions) {
            log.request(number, *tokens, None);
        }
        log.reports()
    };
    let reports = found(&[100_000, 100_000, 120_000, 90_000, 480_000]);
    assert_eq!(reports.len(), 1);
    assert_eq!(
        reports[0].title,
        "session s-4 used 480k tokens, 5 times the median of 5 sessions; 0% led to failed calls"
    );
    assert!(reports[0].id.starts_with("expensive-session:"), "{}", reports[0].id);
    assert_eq!((reports[0].severity, reports[0].confidence), (Severity::Info, 0.3));
    assert_eq!(found(&[100_000, 100_000, 100_000, 100_000, 399_999]), [], "not four times");
    assert_eq!(found(&[1000, 1000, 1000, 1000, 199_999]), [], "not large");
    assert_eq!(found(&[1000, 1000, 1000, 900_000]), [], "too few sessions for a median");
    assert_eq!(found(&[10_000, 10_000, 10_000, 10_000, 0, 0, 900_000])[0].severity, Severity::Low);
    assert_eq!(found(&[]), []);
}

#[test]
fn a_cached_token_counts_as_a_tenth() {
    let mut log = Log::default();
    for session in 0..4 {
        log.request(session, 100_000, None);
    }
    log.request(4, 0, Some(3_990_000));
    assert_eq!(log.reports(), [], "399 thousand weighted tokens");
}

#[test]
fn only_repetitions_count_as_retries() {
    let mut log = Log::default();
    for again in 1..=4 {
        log.request(0, 30_000, None);
        log.call(0, "make test\nx", true, again);
    }
    log.call(0, "make test\nx", true, 5);
    let reports = log.reports();
    let retries: Vec<_> = reports.iter().filter(|report| report.kind == "cost_retries").collect();
    assert_eq!(retries.len(), 1);
    assert_eq!(retries[0].title, "make test (failed again 3 times with nothing changed, for 90k tokens)");
    assert_eq!((retries[0].occurrences, retries[0].severity), (3, Severity::Low));
    assert_eq!(retries[0].evidence[0], (8, "make test".to_owned()), "the newest repetition with usage");
}

#[test]
fn a_stretch_ends_with_a_success_or_with_the_log() {
    let stretch = |log: &mut Log, calls: usize| {
        for call in 0..calls {
            log.request(0, 40_000, None);
            log.call(0, &format!("try {call}"), true, 1);
        }
    };
    let mut log = Log::default();
    stretch(&mut log, 3);
    log.request(0, 60_000, None);
    log.call(0, "other", false, 0);
    stretch(&mut log, 2);
    log.call(0, "other", false, 0);
    stretch(&mut log, 4);
    let reports = log.reports();
    assert_eq!(reports.len(), 1, "{reports:#?}");
    assert_eq!(reports[0].title, "280k tokens (67%) were spent on 2 stretches of consecutive failed calls");
    assert_eq!(reports[0].evidence[0].1, "4 consecutive failed calls, 160k tokens");
    let mut short = Log::default();
    stretch(&mut short, 2);
    assert_eq!(short.reports(), []);
}

#[test]
fn a_cache_miss_counts_what_the_cache_could_have_held() {
    let mut log = Log::default();
    log.request(0, 80_000, Some(0));
    log.request(0, 1000, Some(80_000));
    log.request(0, 82_000, Some(0));
    // After the context was compacted, the cache could have held no more than the new prompt.
    log.request(0, 30_000, Some(0));
    // None of these is a miss: the first prompt of a session, a log without cache figures, a small prompt.
    log.request(1, 900_000, Some(0));
    log.request(2, 900_000, None);
    log.request(2, 900_000, None);
    log.request(3, 19_000, Some(0));
    log.request(3, 19_000, Some(0));
    let reports: Vec<_> = log.reports().into_iter().filter(|report| report.kind == "cache_misses").collect();
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].title, "2 of 7 prompts missed the cache, which could have held 111k tokens more");
    assert_eq!(
        reports[0].evidence[0],
        (3, "0 of 82k prompt tokens came from the cache; it could have held 81k".to_owned())
    );
}

#[test]
fn memory_is_bounded() {
    let mut log = Log::default();
    for session in 0..u32::try_from(MAX_SESSIONS).unwrap() + 100 {
        log.request(session, u64::MAX - 1, Some(u64::MAX - 1));
        log.call(session, &session.to_string(), true, 9);
    }
    assert_eq!((log.cost.sessions.len(), log.cost.retries.len()), (MAX_SESSIONS, MAX_LOOPS));
    assert!(log.reports().iter().all(|report| report.title.chars().count() <= 200));
}

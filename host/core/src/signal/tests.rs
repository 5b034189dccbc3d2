use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::run_event::Outcome;

fn event(event_type: EventType, text: &str) -> RunEvent {
    RunEvent {
        tool_name: Some(Arc::from("Bash")),
        input: Some(text.to_owned()),
        output: Some(text.to_owned()),
        line: 1,
        ..RunEvent::bare(Arc::from("s"), event_type)
    }
}

fn ended(outcome: Outcome, text: &str) -> RunEvent {
    RunEvent { outcome: Some(outcome), ..event(EventType::ToolEnd, text) }
}

fn names(events: &[RunEvent]) -> Vec<String> {
    signals(events).into_iter().map(|signal| signal.name).collect()
}

/// The trigger of the first capsule in seed 001, and the three other vectors of the protocol facts.
#[test]
fn published_vectors() {
    let capsule = r#"errsig:**TOOLRESULT**: { "status": "error", "tool": "exec", "error": "error: unknown command 'process'\n\nCommand exited with code 1" }"#;
    for (signature, norm) in [
        (capsule, "870c3a82"),
        ("errsig:TypeError: x at /home/u/a.js:10:5", "ffae6ead"),
        ("errsig:TypeError: x at /srv/b.js:99:1", "ffae6ead"),
        (r"errsig:Error at C:\Users\x\a.js line 12 0xDEADBEEF", "103e08ec"),
    ] {
        assert_eq!(normal_signal(signature), format!("errsig_norm:{norm}"), "{signature}");
    }
}

#[test]
fn no_name_has_characters_that_act_on_a_terminal() {
    let text = "error: a\u{1b}[31mb\u{9b}c\u{7f}d\u{202e}e\u{2067}f\u{200f}\nI want a \u{1b}]0;x\u{7}\u{202d}feature";
    let mut said = event(EventType::InboundMsg, text);
    said.tool_name = None;
    let mut odd = event(EventType::ToolStart, "");
    odd.tool_name = Some(Arc::from("a\u{1b}c\u{202e}b"));
    let events: Vec<RunEvent> = [vec![ended(Outcome::Failure, text); 4], vec![said], vec![odd; 12]].concat();
    let names = names(&events);
    assert!(
        names.iter().any(|name| name.starts_with("recurring_errsig"))
            && names.iter().any(|name| name.starts_with("high_tool"))
    );
    for name in &names {
        let acts = name.contains(|c: char| c.is_control() || "\u{202d}\u{202e}\u{2067}\u{200f}".contains(c));
        assert!(!acts, "{name:?}");
    }
}

#[test]
fn normal_form_and_key() {
    assert_eq!(
        normalise_signature(r"errsig: Error  at C:\Users\x line 12 0xAB v2"),
        "error at <path> line <n> <hex> v2"
    );
    assert_eq!(normalise_signature(&"é😀".repeat(200)).encode_utf16().count(), 220);
    assert_eq!(signal_key(&["b", "a", "b", "errsig:TypeError: x at /srv/b.js:99:1"]), "a|b|errsig_norm:ffae6ead");
    assert_eq!(signal_key::<&str>(&[]), "(none)");
}

#[test]
fn the_cause_line_is_the_signature() {
    for (text, line) in [
        (
            "Exit code 1\nTraceback (most recent call last):\n  File \"a.py\"\nImportError:  cannot  import x",
            "ImportError: cannot import x",
        ),
        ("Exit code 2\nhm", "Exit code 2"),
        ("ok\nthread 'main' panicked at src/a.rs:1:2:\nboom", "thread 'main' panicked at src/a.rs:1:2:"),
        ("=== RUN\n--- FAIL: TestA (0.00s)", "--- FAIL: TestA (0.00s)"),
        ("HTTP 503 Service Unavailable", "HTTP 503 Service Unavailable"),
        ("error TS2304: x", "error TS2304: x"),
        ("发生错误", "发生错误"),
    ] {
        assert_eq!(error_signature(text), Some(format!("errsig:{line}")), "{text}");
    }
    assert_eq!(error_signature("all is well"), None);
    assert_eq!(error_signature(&format!("error: {}", "x".repeat(999))).unwrap().chars().count(), 267);
}

#[test]
fn failures_raise_errors_and_refusals_do_not() {
    let quiet = [
        ended(Outcome::Rejected, "Error: no"),
        ended(Outcome::Cascade, "Error: no"),
        ended(Outcome::Unfinished, "Error: no"),
        ended(Outcome::Success, "Error: no"),
        event(EventType::Exception, "turn aborted: interrupted"),
    ];
    assert_eq!(names(&quiet), ["stable_success_plateau"]);
    let failed =
        [RunEvent { kind: Some(FailureKind::Timeout), ..ended(Outcome::Failure, "Error: Command timed out after 2m") }];
    assert_eq!(names(&failed), ["error", "errsig:Error: Command timed out after 2m", "failed", "log_error", "timeout"]);
    assert_eq!(names(&[]), ["session_logs_missing"]);
}

#[test]
fn recurring_errors_are_counted_by_normal_form() {
    let failures: Vec<_> = (0..40).map(|n| ended(Outcome::Failure, &format!("Error: no /tmp/{n}"))).collect();
    let found = signals(&failures);
    let recurring = found.iter().find(|signal| signal.name == "recurring_errsig(40x):Error: no /tmp/0").unwrap();
    assert_eq!((recurring.count, recurring.events.len()), (40, MAX_EVENT_REFS));
    assert!(found.iter().any(|signal| signal.name == "recurring_error"));
    assert!(!names(&failures[..2]).iter().any(|name| name.starts_with("recurring")));
}

#[test]
fn requests_in_several_languages() {
    for text in ["Please add a --json flag", "I want a dark theme here", "帮我加个导出功能", "検索機能を追加して"]
    {
        let found = names(&[event(EventType::InboundMsg, text)]);
        assert!(found.contains(&"user_feature_request".to_owned()), "{text}: {found:?}");
        assert!(found.contains(&format!("user_feature_request:{text}")), "{text}: {found:?}");
    }
    let long = format!("please add {}", "x".repeat(500));
    let found = names(&[event(EventType::InboundMsg, &long)]);
    assert!(found.iter().all(|name| name.chars().count() <= 200 + "user_improvement_suggestion:".len()));
    let harness = RunEvent { channel: Some(Arc::from("harness")), ..event(EventType::InboundMsg, "please add a flag") };
    assert_eq!(names(&[harness]), ["stable_success_plateau"]);
}

#[test]
fn errors_of_the_api_in_a_row_are_one_incident() {
    let exception = |text| RunEvent { kind: Some(FailureKind::Network), ..event(EventType::Exception, text) };
    let run = [
        exception("API Error: 529"),
        exception("API Error: 529"),
        ended(Outcome::Success, "x"),
        exception("API Error: 529"),
    ];
    let found = signals(&run);
    let count = |name: &str| found.iter().find(|signal| signal.name == name).map(|signal| signal.count);
    assert_eq!((count("exception"), count("log_error"), count("unstable")), (Some(2), Some(2), Some(2)));
    let elsewhere = RunEvent { session_key: Arc::from("t"), ..exception("API Error: 529") };
    let found = signals(&[exception("API Error: 529"), elsewhere]);
    assert_eq!(found.iter().find(|signal| signal.name == "exception").unwrap().count, 2);
}

/// Failures without an error word or a flag: each raises an error, and its line becomes the signature.
#[test]
fn blind_spots_are_covered() {
    for (text, keyword, line) in [
        ("thread 'main' panicked at src/a.rs:1:2:\nboom", "crash", "panicked at"),
        ("make: child exited with code 3", "failed", "exited with code 3"),
        ("HTTP 429 Too Many Requests", "unstable", "429"),
        ("HTTP/1.1 503 Service Unavailable", "unstable", "503"),
        ("src/a.ts(3,7): error TS2322: no", "failed", "TS2322"),
        ("--- FAIL: TestA (0.00s)\nFAIL", "failed", "--- FAIL: TestA"),
        ("测试失败: 超时", "timeout", "失败"),
        ("テストに失敗しました", "failed", "失敗"),
        ("erreur : connexion", "failed", "erreur"),
        ("Fehler: nicht da", "failed", "Fehler"),
    ] {
        let hidden = RunEvent { flagged: false, ..ended(Outcome::Failure, text) };
        let found = names(&[hidden]);
        assert!(found.iter().any(|name| name == keyword), "{text}: {found:?}");
        assert!(found.iter().any(|name| name.starts_with("errsig:") && name.contains(line)), "{text}: {found:?}");
    }
}

#[test]
fn words_of_the_protocol_raise_signals() {
    for (text, name) in [
        ("tidy the system prompt", "prompt"),
        ("write an audit trail", "audit"),
        ("make it reusable", "reusable"),
        ("GEP assets", "gep"),
    ] {
        assert!(names(&[event(EventType::InboundMsg, text)]).contains(&name.to_owned()), "{text}");
    }
}

#[test]
fn tool_use() {
    let starts = |count| vec![event(EventType::ToolStart, "x"); count];
    assert_eq!(names(&starts(4)), ["stable_success_plateau"]);
    assert_eq!(names(&starts(5)), ["repeated_tool_usage:Bash"]);
    assert_eq!(names(&starts(10)), ["high_tool_usage:Bash", "repeated_tool_usage:Bash"]);
}

#[test]
fn times_are_first_and_last_whatever_the_order() {
    let at = |text: &str| RunEvent { timestamp: text.parse().ok(), ..ended(Outcome::Failure, "Error: x") };
    let found = signals(&[at("2026-01-02T00:00:00Z"), at("2026-01-01T00:00:00Z"), ended(Outcome::Failure, "Error: x")]);
    let signal = found.iter().find(|signal| signal.name == "log_error").unwrap();
    assert_eq!(signal.first, "2026-01-01T00:00:00Z".parse().ok());
    assert_eq!(signal.last, "2026-01-02T00:00:00Z".parse().ok());
    assert!(serde_json::to_string(signal).unwrap().contains(r#""first":"2026-01-01T00:00:00Z""#));
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,300}") {
        let events = [ended(Outcome::Failure, &text), event(EventType::InboundMsg, &text)];
        let found = signals(&events);
        prop_assert!(found.windows(2).all(|pair| pair[0].name < pair[1].name));
        prop_assert_eq!(signature_hash(&text), signature_hash(&text));
        let _ = pattern_matches(&text, &text);
    }
}

//! Calls that make several requests, of which some fail and some do not: each request is a call of its own.

use super::Transcript;
use super::envelope;
use super::reported::{End, Origin, Start};

impl Transcript<'_> {
    /// Reports the end of a call, or one end for each of its requests if these ended in different ways. That a result repeats the
    /// command shows that the harness wrote it, even if the command shows a file.
    pub(super) fn end_each(&mut self, origin: &Origin, end: End<'_>) {
        let (Some(id), Some(results)) = (end.call_id, envelope::each(&end.output)) else {
            return self.end(origin, &end);
        };
        let opened = envelope::together(results.iter().map(|(_, result)| result));
        let Some((tool, input, is_command)) = self.called(id) else {
            return self.end(origin, &End { opened, ..end });
        };
        let failures = results.iter().filter(|(_, result)| result.is_failure()).count();
        let is_one = is_command && results.len() == 1 && results.iter().all(|(asked, _)| input.contains(whole(asked)));
        if !is_one && (failures == 0 || failures == results.len()) {
            return self.end(origin, &End { opened, ..end });
        }
        let lines: Vec<&str> = input.lines().filter(|_| is_command).collect();
        let is_whole = lines.len() == results.len();
        for (at, (asked, result)) in results.iter().enumerate() {
            let asked = lines.get(at).filter(|_| is_whole).map_or(asked.as_str(), |line| *line);
            let own = format!("{id}#{at}");
            let call_id = if at == 0 { id } else { &own };
            if at > 0 {
                self.start(origin, &Start { call_id: Some(call_id), tool: &tool, input: asked.into(), is_command });
            } else if !is_one {
                self.asks_only(id, asked);
            }
            let end = End::as_stated(Some(call_id), result.text.as_str().into(), end.flagged && is_one);
            let text_exit_code = result.code;
            self.end(
                origin,
                &End { failed_by_event: result.failed, text_exit_code, no_exit_codes: text_exit_code.is_none(), ..end },
            );
        }
    }
}

/// A request without the note that it was cut short.
fn whole(asked: &str) -> &str {
    asked.split(" ... [command truncated").next().unwrap_or(asked)
}

#[cfg(test)]
mod tests {
    use crate::observe::tests::read;
    use crate::run_event::{EventType, Outcome};

    /// Input, outcome and output of each call of a conversation with one call.
    fn ends(tool: &str, input: &str, content: &str) -> Vec<(String, Outcome, String)> {
        let log = format!(
            r#"{{"messages": [
            {{"role": "user", "content": [{{"type": "text", "text": "go on"}}]}},
            {{"role": "assistant", "content": [{{"type": "tool_use", "id": "c", "name": "{tool}", "input": {input}}}]}},
            {{"role": "user", "content": [{{"type": "tool_result", "tool_use_id": "c", "name": "{tool}", "content": {content}}}]}}
            ]}}"#
        );
        let (events, summary) = read(log.as_bytes());
        assert_eq!(summary.events.tool_start, summary.events.tool_end, "{content}");
        let ends = events.into_iter().filter(|event| event.event_type == EventType::ToolEnd);
        ends.map(|end| (end.input.unwrap_or_default(), end.outcome.unwrap(), end.output.unwrap_or_default())).collect()
    }

    #[test]
    fn results_in_a_list_say_how_the_call_ended() {
        let commands = r#"{"commands": ["make"]}"#;
        for (tool, input, content, outcome) in [
            (
                "read_files",
                "{}",
                r#"[{"query":"a","result":"","error":"ENOENT: no such file","success":false}]"#,
                Outcome::Failure,
            ),
            ("read_files", "{}", r#"[{"query":"a","result":"text","success":true}]"#, Outcome::Success),
            (
                "run_commands",
                commands,
                r#"[{"query":"make","result":"[Command exited with code 1]\n\nno","success":true}]"#,
                Outcome::Failure,
            ),
            (
                "run_commands",
                commands,
                r#"[{"query":"make","result":"[Command exited with code 0]\n\nyes","success":true}]"#,
                Outcome::Success,
            ),
            (
                "run_commands",
                commands,
                r#"[{"query":"make","result":"","error":"Command exited with code 2","success":false}]"#,
                Outcome::Failure,
            ),
            (
                "run_commands",
                commands,
                r#"[{"query":"make","result":"built\nold log: [Command exited with code 1]","success":true}]"#,
                Outcome::Success,
            ),
            (
                "run_commands",
                r#"{"commands": ["cat b"]}"#,
                r#"[{"query":"cat b","result":"","error":"no such b","success":false}]"#,
                Outcome::Failure,
            ),
            (
                "run_commands",
                r#"{"commands": ["cat b"]}"#,
                r#"[{"query":"cat b","result":"no such b","success":true}]"#,
                Outcome::Success,
            ),
            ("see", "{}", r#"[{"type":"image","source":{"data":"success"}}]"#, Outcome::Success),
            ("see", "{}", r#"[{"type":"text","text":"\"success\": false"}]"#, Outcome::Success),
        ] {
            let found = ends(tool, input, content);
            assert_eq!(found.iter().map(|(_, outcome, _)| *outcome).collect::<Vec<_>>(), [outcome], "{content}");
        }
    }

    #[test]
    fn a_good_and_a_bad_command_of_one_call_are_two_outcomes() {
        let content = r#"[{"query":"ls","result":"a","success":true},{"query":"cat b … [truncated]","result":"","error":"no such b","success":false}]"#;
        let found = ends("run_commands", r#"{"commands": ["ls", "cat b"]}"#, content);
        let expected = [("ls", Outcome::Success, "a"), ("cat b", Outcome::Failure, "no such b")];
        assert_eq!(found, expected.map(|(input, outcome, said)| (input.to_owned(), outcome, said.to_owned())));
        let found = ends("read_files", r#"{"files": [1, 2]}"#, content);
        assert_eq!(found.iter().map(|(input, ..)| input.as_str()).collect::<Vec<_>>(), ["ls", "cat b … [truncated]"]);
    }

    #[test]
    fn a_log_of_codex_without_an_id_is_the_session_of_its_file() {
        let log = |id: &str| {
            format!(
                "OpenAI Codex v0.1\n--------\nworkdir: /w\n{id}--------\nuser\nsession id: none\nexec\nbash -lc 'ls' in /w\n succeeded in 5ms:\na\n"
            )
        };
        for (id, session) in [("", "log"), ("session id: s1\n", "s1"), ("model: m\n", "log")] {
            let (events, _) = read(log(id).as_bytes());
            assert!(!events.is_empty() && events.iter().all(|event| &*event.session_key == session), "{id}");
        }
    }

    #[test]
    fn an_old_file_of_specstory_is_one_session_with_its_messages() {
        let log = "## SpecStory\n\n## A title (04/03/2025, 05:40:15)\n\n_**User**_\n\nfix it\n\n---\n\n_**Assistant**_\n\nI run it.\n\n---\n\n_****_\n\n=== 1 failed in 0.1s ===\n";
        let (events, summary) = read(log.as_bytes());
        let said: Vec<_> =
            events.iter().map(|event| (event.event_type, event.input.as_deref().unwrap_or_default())).collect();
        let expected = [
            (EventType::InboundMsg, "fix it"),
            (EventType::OutboundMsg, "I run it."),
            (EventType::OutboundMsg, "=== 1 failed in 0.1s ==="),
        ];
        assert_eq!((summary.format, &*said), ("specstory", &expected[..]));
    }
}

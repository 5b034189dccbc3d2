//! Results that are JSON and say themselves how the call ended: `{"output": "…", "exit_code": 1}`, or a list with one such
//! object for each of several requests, as Cline's `[{"query": "…", "result": "…", "success": true}]`. Harnesses return them
//! in logs whose format has no place for a code or a flag.
//!
//! A command may print such an object, too: a file, an answer of a server, a report of tests. So what a command prints is
//! opened only if the log has no codes of its own, the command shows no file, and the object has what a harness knows.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::stated;

/// Longer results are read as they are.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most requests of one call that are told apart.
const MAX_REQUESTS: usize = 64;
/// Members with the code.
const CODES: [&str; 4] = ["exit_code", "exitCode", "returncode", "return_code"];
/// Members with a text, in the order in which they are shown.
const TEXTS: [&str; 5] = ["output", "stdout", "stderr", "result", "error"];
/// Members with a text that counts only if there is no other.
const REMARKS: [&str; 3] = ["message", "reason", "detail"];
/// Values of `status` of a call that failed.
const FAILED: [&str; 4] = ["error", "failed", "failure", "timeout"];
/// What an element of a list may have besides. Reports of tests have names and titles.
const OF_REQUESTS: [&str; 13] = [
    "command",
    "cmd",
    "duration",
    "durationMs",
    "duration_ms",
    "id",
    "is_error",
    "isError",
    "path",
    "query",
    "status",
    "success",
    "tool",
];

/// What such a result holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) text: String,
    /// `None` if it only says whether the call worked.
    pub(super) code: Option<i64>,
    pub(super) failed: bool,
}

/// What runs the call whose result may be such an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    /// A tool that runs no command.
    Tool,
    /// A command that only the harness can wrap.
    Command,
}

/// What a result says of itself; `None` if it is no such object or list.
pub(super) fn open(output: &str, caller: Caller) -> Option<Opened> {
    let text = output.trim();
    let is_object = text.starts_with('{') && text.ends_with('}');
    let is_list = text.starts_with('[') && text.ends_with(']') && text.get(1..)?.trim_start().starts_with('{');
    let names_one = |names: &[&str]| names.iter().any(|name| text.contains(&format!("\"{name}\"")));
    let may_be = (is_object || is_list) && text.len() <= MAX_BYTES;
    if !may_be || !(names_one(&CODES) || names_one(&["status", "success", "is_error", "isError", "error"])) {
        return None;
    }
    if is_object {
        return object(&serde_json::from_str(text).ok()?, caller);
    }
    let results: Vec<Map<String, Value>> = serde_json::from_str(text).ok()?;
    let results: Vec<Opened> = results.iter().map(element).collect::<Option<_>>()?;
    together(results.iter())
}

/// The results of the requests of one call, each with its request. `None` for anything else.
pub(super) fn each(output: &str) -> Option<Vec<(String, Opened)>> {
    let text = output.trim();
    if !text.starts_with('[') || !text.contains("\"success\"") || text.len() > MAX_BYTES {
        return None;
    }
    let results: Vec<Map<String, Value>> = serde_json::from_str(text).ok()?;
    let asked = |one: &Map<String, Value>| {
        let mut texts = ["query", "command", "cmd", "path"].iter();
        Some(texts.find_map(|name| one.get(*name)?.as_str())?.to_owned())
    };
    let each = results.iter().map(|one| Some((asked(one)?, element(one)?)));
    each.collect::<Option<Vec<_>>>().filter(|each| (1..=MAX_REQUESTS).contains(&each.len()))
}

/// What the results of several requests say as one; `None` if there are none. The first failure says how the call ended.
pub(super) fn together<'a>(results: impl Iterator<Item = &'a Opened> + Clone) -> Option<Opened> {
    results.clone().next()?;
    let failure = results.clone().find(|result| result.is_failure());
    let texts: Vec<&str> = results.map(|result| result.text.as_str()).filter(|text| !text.is_empty()).collect();
    let code = failure.map_or(Some(0), |result| result.code);
    Some(Opened { text: texts.join("\n"), code, failed: failure.is_some_and(|result| result.failed) })
}

impl Opened {
    /// Whether it says that the call failed.
    pub(super) fn is_failure(&self) -> bool {
        self.failed || self.code.is_some_and(|code| code != 0)
    }
}

fn object(members: &Map<String, Value>, caller: Caller) -> Option<Opened> {
    let code = code_of(members);
    let has = |name: &str| members.contains_key(name);
    // `{"success": false, "error": "…"}` is what a server answers, too.
    if caller == Caller::Command && (code.is_none() || !(has("output") || has("stdout"))) {
        return None;
    }
    let failed = says_failed(members);
    let is_of_call = failed || code.is_some() && (has("output") || has("stdout") || has("result"));
    let text = texts(members).filter(|_| is_of_call)?;
    Some(Opened { text, code, failed: failed && code.is_none_or(|code| code == 0) })
}

/// The result of one of several requests.
fn element(members: &Map<String, Value>) -> Option<Opened> {
    let is_known = |name: &String| {
        [CODES.as_slice(), &TEXTS, &REMARKS, &OF_REQUESTS].iter().any(|names| names.contains(&name.as_str()))
    };
    let is_result = |members: &Map<String, Value>| {
        let has = |names: &[&str]| names.iter().any(|name| members.contains_key(*name));
        members.keys().all(is_known)
            && (members.get("success").is_some_and(Value::is_boolean) || code_of(members).is_some())
            && has(&TEXTS)
            && TEXTS.iter().filter_map(|name| members.get(*name)).all(|value| shown(value).is_some())
    };
    if !is_result(members) {
        return None;
    }
    let of_code = code_of(members).or_else(|| heading_code(members)).is_some_and(|code| code != 0);
    let is_failure = says_failed(members) || of_code;
    let stated = || code_of(members).or_else(|| stated::exit_code(&joined(members))).filter(|code| *code != 0);
    let code = if is_failure { stated() } else { Some(0) };
    Some(Opened { text: texts(members).unwrap_or_default(), code, failed: is_failure && code.is_none() })
}

fn code_of(members: &Map<String, Value>) -> Option<i64> {
    CODES.iter().find_map(|name| members.get(*name)?.as_i64())
}

/// The code in a first line such as `[Command exited with code 1]`, which Cline also has above results of success.
fn heading_code(members: &Map<String, Value>) -> Option<i64> {
    let text = joined(members);
    text.lines().next().filter(|line| line.starts_with('[')).and_then(stated::code_of_line)
}

fn says_failed(members: &Map<String, Value>) -> bool {
    let is = |name: &str, expected: bool| members.get(name).and_then(Value::as_bool) == Some(expected);
    let status = members.get("status").and_then(Value::as_str);
    is("success", false)
        || is("is_error", true)
        || is("isError", true)
        || status.is_some_and(|status| FAILED.iter().any(|failed| status.eq_ignore_ascii_case(failed)))
}

/// The texts of a result, without lines that only state the code and headings. `None` if it has no member for a text.
fn texts(members: &Map<String, Value>) -> Option<String> {
    let has_text =
        TEXTS.iter().chain(&REMARKS).any(|name| members.get(*name).is_some_and(|value| shown(value).is_some()));
    let text = joined(members);
    let lines: Vec<&str> = text.lines().filter(|line| !matches!(line.trim(), "[stderr]" | "[stdout]")).collect();
    let is_code = |line: &&str| stated::code_of_line(line).is_some();
    let first = usize::from(lines.len() > 1 && lines.first().is_some_and(is_code));
    let last = lines.len() - usize::from(lines.len() > first + 1 && lines.last().is_some_and(is_code));
    has_text.then(|| lines.get(first..last).unwrap_or_default().join("\n").trim().to_owned())
}

fn joined(members: &Map<String, Value>) -> String {
    let of = |names: &[&str]| -> Vec<Cow<'_, str>> {
        let texts = names.iter().filter_map(|name| shown(members.get(*name)?));
        texts.filter(|text| !text.trim().is_empty()).collect()
    };
    let mut texts = of(&TEXTS);
    if texts.is_empty() {
        texts = of(&REMARKS);
    }
    texts.dedup();
    texts.join("\n")
}

/// A text, also one within an error object or a list of contents. A missing text is empty; anything else is none.
fn shown(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null => Some(Cow::Borrowed("")),
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
            texts.map(|texts| Cow::Owned(texts.join("\n")))
        }
        Value::Object(members) => members.get("message")?.as_str().map(Cow::Borrowed),
        Value::Bool(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(output: &str, caller: Caller) -> Option<(String, Option<i64>, bool)> {
        open(output, caller).map(|found| (found.text, found.code, found.failed))
    }

    #[test]
    fn a_result_with_a_code_of_its_own_is_its_text_and_that_code() {
        for (output, expected) in [
            (r#"{"output": "a\nb", "exit_code": 1, "error": null}"#, Some(("a\nb", Some(1), false))),
            (r#"{"stdout":"","stderr":"no","returncode":2}"#, Some(("no", Some(2), false))),
            (r#"{"output": "", "exit_code": 0, "error": null}"#, Some(("", Some(0), false))),
            (r#"{"success": false, "error": "no name"}"#, Some(("no name", None, true))),
            (r#"{"success": false, "message": "no name"}"#, Some(("no name", None, true))),
            (r#"{"success": false, "error": {"message": "no name", "code": 3}}"#, Some(("no name", None, true))),
            (r#"{"isError": true, "result": [{"type": "text", "text": "no"}]}"#, Some(("no", None, true))),
            (r#"{"status": "error", "output": "x"}"#, Some(("x", None, true))),
            (r#"{"status": "failed", "output": "x", "exitCode": 0}"#, Some(("x", Some(0), true))),
            (r#"{"result": "x", "exitCode": 3}"#, Some(("x", Some(3), false))),
            (r#"{"status": "ok", "output": "x"}"#, None),
            (r#"{"exit_code": 1, "name": "a test"}"#, None),
            (r#"{"error": "x"}"#, None),
            (r#"{"success": false}"#, None),
            (r#"{"success": false, "error": 3}"#, None),
            (r#"{"output": "x", "exit_code": 1"#, None),
            ("cat: {", None),
        ] {
            let found = opened(output, Caller::Tool);
            assert_eq!(found, expected.map(|(text, code, failed)| (text.to_owned(), code, failed)), "{output}");
        }
    }

    #[test]
    fn several_results_in_one_are_told_apart() {
        let failed = r#"[{"query":"a","result":"x\n1","success":true},{"query":"b","result":"","error":"no such b","success":false}]"#;
        let coded = r#"[{"query":"b","result":"[Command exited with code 127]\n\n[stderr]\nb: command not found","error":"Command exited with code 127","success":false}]"#;
        for caller in [Caller::Tool, Caller::Command] {
            assert_eq!(opened(failed, caller), Some(("x\n1\nno such b".to_owned(), None, true)));
            assert_eq!(opened(coded, caller), Some(("b: command not found".to_owned(), Some(127), false)));
            let fine = r#"[{"query": "a", "result": "x", "success": true}]"#;
            assert_eq!(opened(fine, caller), Some(("x".to_owned(), Some(0), false)));
        }
        for other in [
            r#"[{"name":"a"}]"#,
            r#"[{"success":"yes"}]"#,
            r#"[{"result":{"a":1},"success":false}]"#,
            r#"[{"test":"adds","success":false,"error":"1 is not 2"},{"test":"b","success":true}]"#,
            r#"[{"title":"adds","status":"failed","error":"1 is not 2"}]"#,
            "[]",
        ] {
            assert_eq!(opened(other, Caller::Tool), None, "{other}");
        }
    }

    #[test]
    fn the_results_of_one_call_are_told_apart() {
        let good = r#"{"query":"a","result":"x","success":true}"#;
        let bad = r#"{"query":"b","result":"","error":"no such b","success":false}"#;
        let coded = r#"{"query":"c","result":"[Command exited with code 1]\n\nno","success":true}"#;
        for (results, expected) in [
            (vec![good, bad], Some("a b!")),
            (vec![bad, good], Some("b! a")),
            (vec![good, coded, good], Some("a c! a")),
            (vec![good, r#"{"path":"d","error":"no","success":false}"#], Some("a d!")),
            (vec![good, r#"{"command":"e","stdout":"no","exit_code":1,"success":false}"#], Some("a e!")),
            (vec![good], Some("a")),
            (vec![good, r#"{"error":"of nothing","success":false}"#], None),
            (vec![good, r#"{"test":"adds","success":false,"error":"1 is not 2"}"#], None),
            (vec![], None),
        ] {
            let text = format!("[{}]", results.join(", "));
            let shown = |(asked, one): (String, Opened)| if one.is_failure() { asked + "!" } else { asked };
            let found = each(&text).map(|each| each.into_iter().map(shown).collect::<Vec<_>>().join(" "));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        assert!(each("[{\"success\": fal").is_none());
    }

    #[test]
    fn what_a_server_answers_a_command_is_no_result_of_the_harness() {
        for (output, is_opened) in [
            (r#"{"success": false, "error": "no name"}"#, false),
            (r#"{"status": "error", "output": "x"}"#, false),
            (r#"{"exit_code": 1, "error": "x"}"#, false),
            (r#"{"exit_code": 1, "output": "x"}"#, true),
            (r#"{"returncode": 1, "stdout": "", "stderr": "x"}"#, true),
        ] {
            assert_eq!(opened(output, Caller::Command).is_some(), is_opened, "{output}");
        }
    }
}

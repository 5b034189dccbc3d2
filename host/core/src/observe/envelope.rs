//! Results that are a JSON object with an exit code or a status of their own: `{"output": "…", "exit_code": 1}`. Several
//! harnesses return one from each tool, in logs whose format has no place for the code.

use serde_json::{Map, Value};

/// Longer results are read as they are.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Members with the code.
const CODES: [&str; 4] = ["exit_code", "exitCode", "returncode", "return_code"];
/// Members with a text, in the order in which they are shown.
const TEXTS: [&str; 4] = ["output", "stdout", "stderr", "error"];

/// What such a result holds: its text, and its exit code, which is `None` if it only says that it failed. `None` if the text
/// is no such object.
pub(super) fn open(output: &str) -> Option<(String, Option<i64>)> {
    let text = output.trim();
    let may_be = text.starts_with('{') && text.ends_with('}') && text.len() <= MAX_BYTES;
    let names_one = |names: &[&str]| names.iter().any(|name| text.contains(&format!("\"{name}\"")));
    if !may_be || !names_one(&TEXTS) || !(names_one(&CODES) || names_one(&["status", "success"])) {
        return None;
    }
    let members: Map<String, Value> = serde_json::from_str(text).ok()?;
    let code = CODES.iter().find_map(|name| members.get(*name)?.as_i64());
    let says_failed = members.get("status").and_then(Value::as_str) == Some("error")
        || members.get("success").and_then(Value::as_bool) == Some(false);
    if code.is_none() && !says_failed {
        return None;
    }
    let texts: Vec<&str> = TEXTS.iter().filter_map(|name| members.get(*name)?.as_str()).collect();
    // Without a text the object says more by its other members.
    let is_of_command = members.contains_key("output") || members.contains_key("stdout") || says_failed;
    (is_of_command && !texts.is_empty()).then(|| (texts.join("\n").trim().to_owned(), code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_a_code_of_its_own_is_its_text_and_that_code() {
        for (output, expected) in [
            (r#"{"output": "a\nb", "exit_code": 1, "error": null}"#, Some(("a\nb", Some(1)))),
            (r#"{"stdout":"","stderr":"no","returncode":2}"#, Some(("no", Some(2)))),
            (r#"{"output": "", "exit_code": 0, "error": null}"#, Some(("", Some(0)))),
            (r#"{"success": false, "error": "no name"}"#, Some(("no name", None))),
            (r#"{"status": "error", "output": "x"}"#, Some(("x", None))),
            (r#"{"status": "ok", "output": "x"}"#, None),
            (r#"{"exit_code": 1, "name": "a test"}"#, None),
            (r#"{"error": "x"}"#, None),
            (r#"{"output": "x", "exit_code": 1"#, None),
            ("cat: {", None),
        ] {
            let found = open(output);
            assert_eq!(found.as_ref().map(|(text, code)| (text.as_str(), *code)), expected, "{output}");
        }
    }
}

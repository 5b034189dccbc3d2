//! What a call's input says: a command, or a member of a document.
//!
//! Inputs come as the log has them: a command as text, a JSON object, or a JSON list of words. The host clips long ones, so
//! that a document may end in the middle.

use serde_json::Value;

/// Members in which tools take a command.
const COMMAND_KEYS: [&str; 4] = ["command", "cmd", "script", "CommandLine"];
/// Members in which tools take a file.
const PATH_KEYS: [&str; 7] =
    ["file_path", "path", "filePath", "absolute_path", "target_file", "filename", "notebook_path"];

/// The command line of a call, without the shell that it is handed to.
pub(crate) fn command(input: &str) -> Option<String> {
    let input = input.trim();
    let text = match input.bytes().next()? {
        b'{' => COMMAND_KEYS.iter().find_map(|key| member(input, key))?,
        b'[' => return list(&serde_json::from_str(input).ok()?),
        _ => input.to_owned(),
    };
    match text.strip_prefix('[') {
        Some(_) => serde_json::from_str(&text).ok().and_then(|value| list(&value)).or(Some(text)),
        None => Some(text),
    }
}

/// The command in `["bash", "-lc", "…"]`, or the words of a list.
fn list(value: &Value) -> Option<String> {
    let words: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [shell, option, command] if is_shell(shell) && option.starts_with('-') && option.ends_with('c') => {
            Some((*command).to_owned())
        }
        words => Some(words.join(" ")),
    }
}

fn is_shell(program: &str) -> bool {
    matches!(program.rsplit('/').next(), Some("bash" | "sh" | "zsh"))
}

/// The file of a call.
pub(crate) fn path(input: &str) -> Option<String> {
    PATH_KEYS.iter().find_map(|key| member(input, key))
}

/// Whether a document has one of these members.
pub(crate) fn has_member(input: &str, keys: &[&str]) -> bool {
    keys.iter().any(|key| input.contains(&format!("\"{key}\"")))
}

/// A text member of a document; a list becomes its text.
fn member(input: &str, key: &str) -> Option<String> {
    if let Ok(Value::Object(members)) = serde_json::from_str(input) {
        let value = members.get(key)?;
        return value.as_str().map(str::to_owned).or_else(|| list(value));
    }
    // The document is cut off: the value counts if it ended before.
    let (_, rest) = input.split_once(&format!("\"{key}\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_found_in_every_form() {
        for (input, expected) in [
            ("go test ./...", Some("go test ./...")),
            (r#"{"command":"ls -la","timeout":5}"#, Some("ls -la")),
            (r#"{"command":["bash","-lc","bun test"],"workdir":"/x"}"#, Some("bun test")),
            (r#"["bash","-lc","cargo test"]"#, Some("cargo test")),
            (r#"["git","status"]"#, Some("git status")),
            (r#"{"cmd":"pytest -q","text":"cut of"#, Some("pytest -q")),
            (r#"{"file_path":"a.rs"}"#, None),
            ("", None),
        ] {
            assert_eq!(command(input).as_deref(), expected, "{input}");
        }
        assert_eq!(path(r#"{"file_path":"src/a.rs","old_string":"cut"#).as_deref(), Some("src/a.rs"));
    }
}

//! The input of a call as one text: the command line if the call runs one, else the input as written.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::lenient;
use crate::permission;

/// The names under which agents pass a command line.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow, default, alias = "cmd", alias = "script")]
    command: Option<&'a RawValue>,
    /// Cline: several lines that run one after the other.
    #[serde(borrow, default)]
    commands: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    session_id: Option<u64>,
    #[serde(borrow, default)]
    sandbox_permissions: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    with_escalated_permissions: Option<bool>,
    #[serde(default, rename = "dangerouslyDisableSandbox", deserialize_with = "lenient")]
    disable_sandbox: Option<bool>,
    /// Editors pass a verb under the name of a command line, together with a file.
    #[serde(borrow, default)]
    path: Option<&'a RawValue>,
}

impl<'a> Fields<'a> {
    fn command(self) -> Option<Cow<'a, str>> {
        let permission = self.permission();
        let line = match self.command {
            Some(one) => command(one.get()),
            None => self.commands.and_then(|list| lines(list.get())).map(Cow::Owned),
        }?;
        Some(match permission {
            Some((name, value)) => permission::shown(&line, name, &value).into(),
            None => line,
        })
    }

    /// The wider permission that the call asks for.
    fn permission(&self) -> Option<(&'static str, String)> {
        let [of_codex, before, of_claude] = permission::ARGUMENTS;
        let value = self.sandbox_permissions.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        if let Some(value) = value.filter(|value| value != permission::DEFAULT) {
            return Some((of_codex, value));
        }
        let asks = |flag: Option<bool>, name| (flag == Some(true)).then(|| (name, "true".to_owned()));
        asks(self.with_escalated_permissions, before).or_else(|| asks(self.disable_sandbox, of_claude))
    }
}

/// The parsed input of a call.
pub(super) struct Input<'a> {
    pub text: Cow<'a, str>,
    pub is_command: bool,
    /// Codex: the running session that `write_stdin` writes to.
    pub session_id: Option<u64>,
}

/// Reads an input given as JSON text.
pub(super) fn read_input(json: &str) -> Input<'_> {
    let fields = json.starts_with('{').then(|| serde_json::from_str::<Fields<'_>>(json).ok()).flatten();
    let session_id = fields.as_ref().and_then(|fields| fields.session_id);
    match fields.filter(|fields| fields.path.is_none()).and_then(Fields::command) {
        Some(text) => Input { text, is_command: true, session_id },
        None => Input { text: Cow::Borrowed(json), is_command: false, session_id },
    }
}

/// A command line given as a string or as a list of words.
fn command(json: &str) -> Option<Cow<'_, str>> {
    if let Ok(line) = serde_json::from_str::<String>(json) {
        return Some(Cow::Owned(line));
    }
    command_of_words(&serde_json::from_str::<Vec<String>>(json).ok()?).map(Cow::Owned)
}

/// Command lines given as a list.
fn lines(json: &str) -> Option<String> {
    let lines = serde_json::from_str::<Vec<String>>(json).ok().filter(|lines| !lines.is_empty())?;
    Some(lines.join("\n"))
}

/// The script of `bash -lc SCRIPT`, else the words joined with spaces.
pub(super) fn command_of_words(words: &[String]) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    Some(script_of(words).cloned().unwrap_or_else(|| words.join(" ")))
}

/// The script of `bash -lc SCRIPT`, `pwsh.exe -Command SCRIPT` or `cmd.exe /c SCRIPT`.
pub(super) fn script_of(words: &[String]) -> Option<&String> {
    let (shell, [options @ .., flag, script]) = words.split_first()? else { return None };
    is_flag_of(shell, options, flag).then_some(script)
}

/// Whether a shell takes what follows the flag as its script. Only PowerShell's options stand before it.
fn is_flag_of(program: &str, options: &[String], flag: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    match name.strip_suffix(".exe").unwrap_or(&name) {
        "bash" | "sh" | "zsh" | "dash" | "fish" | "ksh" => {
            options.is_empty() && flag.starts_with('-') && flag.ends_with('c')
        }
        "pwsh" | "powershell" => flag.eq_ignore_ascii_case("-command") || flag.eq_ignore_ascii_case("-c"),
        "cmd" => flag.eq_ignore_ascii_case("/c"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, text: &str, is_command: bool) {
        let input = read_input(json);
        assert_eq!((&*input.text, input.is_command), (text, is_command), "{json}");
    }

    #[test]
    fn command_lines_are_found_under_their_names() {
        check(r#"{"command":"ls \"a\"","description":"x"}"#, "ls \"a\"", true);
        check(r#"{"cmd":"go test","workdir":"/r"}"#, "go test", true);
        check(r#"{"command":["bash","-lc","a && b"]}"#, "a && b", true);
        check(r#"{"command":["git","status"]}"#, "git status", true);
        check(r#"{"command":["C:\\Program Files\\pwsh.exe","-NoProfile","-Command","git add ."]}"#, "git add .", true);
        check(r#"{"command":["cmd.exe","/C","dir"]}"#, "dir", true);
        check(r#"{"command":["bash","x.sh","-c","y"]}"#, "bash x.sh -c y", true);
        check(r#"{"command":["git","-c","a=b"]}"#, "git -c a=b", true);
        check(r#"{"commands":["cd a","ls"]}"#, "cd a\nls", true);
    }

    #[test]
    fn a_wider_permission_stands_behind_the_command() {
        let with = |permission: &str| format!(r#"{{"cmd":"curl a",{permission}}}"#);
        check(
            &with(r#""sandbox_permissions":"require_escalated""#),
            "curl a  # sandbox_permissions=require_escalated",
            true,
        );
        check(&with(r#""with_escalated_permissions":true"#), "curl a  # with_escalated_permissions=true", true);
        check(&with(r#""dangerouslyDisableSandbox":true"#), "curl a  # dangerouslyDisableSandbox=true", true);
        for none in [
            r#""sandbox_permissions":"use_default""#,
            r#""dangerouslyDisableSandbox":false"#,
            r#""sandbox_permissions":3"#,
        ] {
            check(&with(none), "curl a", true);
        }
    }

    #[test]
    fn other_inputs_stand_as_they_are() {
        check(r#"{"file_path":"/a"}"#, r#"{"file_path":"/a"}"#, false);
        check(r#"{"command":"view","path":"/a"}"#, r#"{"command":"view","path":"/a"}"#, false);
        check("*** Begin Patch", "*** Begin Patch", false);
        check(r#"{"command":[]}"#, r#"{"command":[]}"#, false);
        check(r#"{"commands":[{"a":1}]}"#, r#"{"commands":[{"a":1}]}"#, false);
        check(r#"{"command":3"#, r#"{"command":3"#, false);
        assert_eq!(read_input(r#"{"session_id":7,"chars":""}"#).session_id, Some(7));
    }
}

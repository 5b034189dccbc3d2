//! The wider permission that a call asks for: to run outside of the agent's sandbox.
//!
//! Agents pass it beside the command. What is shown of the call has it as a comment behind the command, which shells ignore:
//! `curl https://a.example  # sandbox_permissions=require_escalated`.

/// What stands between the command and the permission.
const BEHIND: &str = "  # ";
const BELOW: &str = "\n# ";
/// The arguments by which agents ask: those of Codex, today and before, and that of Claude Code.
pub(crate) const ARGUMENTS: [&str; 3] =
    ["sandbox_permissions", "with_escalated_permissions", "dangerouslyDisableSandbox"];
/// The value of the first one that asks for nothing.
pub(crate) const DEFAULT: &str = "use_default";

/// The command line with the permission behind it. A here-document ends in a line of its own.
pub(crate) fn shown(command: &str, argument: &str, value: &str) -> String {
    let command = command.trim_end();
    let between = if command.contains('\n') { BELOW } else { BEHIND };
    format!("{command}{between}{argument}={value}")
}

/// The command line, and the permission behind it.
pub(crate) fn split_off(shown: &str) -> (&str, Option<&str>) {
    let Some((command, said)) = shown.rsplit_once("# ") else { return (shown, None) };
    let is_one = said.split_once('=').is_some_and(|(name, value)| {
        ARGUMENTS.contains(&name) && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    if is_one { (command.trim_end(), Some(said)) } else { (shown, None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_is_shown_and_found() {
        for command in ["curl -s https://a.example", "cat <<E\nx\nE", "ls # all of it"] {
            let text = shown(command, ARGUMENTS[0], "require_escalated");
            assert_eq!(split_off(&text), (command, Some("sandbox_permissions=require_escalated")));
            assert_eq!(split_off(command), (command, None));
        }
        assert_eq!(split_off("ls  # a=b"), ("ls  # a=b", None));
        assert_eq!(split_off("ls  # sandbox_permissions=a b"), ("ls  # sandbox_permissions=a b", None));
    }
}

//! The lines of what `codex exec` prints for a person: those that name a command, tell its end, or are of its own log.

use jiff::Timestamp;

use crate::observe::time::read_time;

/// The time in brackets at the start of a line, and what follows it.
pub(super) fn stamped(line: &str) -> Option<(Timestamp, &str)> {
    let (time, said) = line.strip_prefix('[')?.split_once("] ")?;
    Some((read_time(time)?, said))
}

/// Whether a line is one of Codex' own log, which repeats the error of a call.
pub(super) fn is_log(line: &str) -> bool {
    let told = line.split_once(' ').filter(|(time, _)| time.len() >= 20 && read_time(time).is_some());
    told.is_some_and(|(_, rest)| {
        ["ERROR codex_", "WARN codex_"].iter().any(|start| rest.trim_start().starts_with(start))
    })
}

/// What a line of that log says of a patch that was not applied. Of commands, the log only repeats the result.
pub(super) fn refused_patch(line: &str) -> Option<&str> {
    let (_, said) = line.split_once(" error=")?;
    ["patch rejected: ", "apply_patch verification failed"].iter().any(|start| said.starts_with(start)).then_some(said)
}

/// Whether a line is `COMMAND in FOLDER`, in some versions with the result behind it.
pub(super) fn is_command(line: &str) -> bool {
    let called = result(line).map_or(line, |(call, _)| call);
    let is_path = |folder: &str| folder.starts_with(['/', '\\']) || matches!(folder.get(1..3), Some(":\\" | ":/"));
    called.rsplit_once(" in ").is_some_and(|(command, folder)| !command.trim().is_empty() && is_path(folder))
}

/// Whether a line gives a shell a script whose quotes are still open.
pub(super) fn opens_a_script(line: &str) -> bool {
    let first = line.lines().next().unwrap_or_default();
    let gives_a_script = [" -lc ", " -c ", " -Command "].iter().any(|option| first.contains(option));
    gives_a_script && shlex::split(line).is_none()
}

/// The call and the code of a line `CALL succeeded in 5ms:` or `CALL exited 1 in 5ms:`. The call may be empty.
pub(super) fn result(line: &str) -> Option<(&str, Option<i64>)> {
    let line = line.strip_suffix(':')?;
    let (before, took) = line.rsplit_once(" in ")?;
    let is_span = took.ends_with('s') && took.starts_with(|c: char| c.is_ascii_digit());
    if !is_span {
        return None;
    }
    if let Some(call) = before.strip_suffix(" succeeded") {
        return Some((call.trim(), Some(0)));
    }
    let (call, code) = before.rsplit_once(" exited ")?;
    Some((call.trim(), Some(code.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_folder() {
        for (line, expected) in [
            ("bash -lc 'ls' in /work", true),
            ("bash -lc 'ls' in /work succeeded in 5ms:", true),
            ("powershell -Command ls in C:\\work", true),
            ("powershell -Command ls in C:/work/aexec", true),
            ("powershell -Command ls in \\\\host\\work", true),
            ("look in c:a", false),
            (" succeeded in 5ms:", false),
            ("it is in the log", false),
            (" in /work", false),
            ("", false),
        ] {
            assert_eq!(is_command(line), expected, "{line}");
        }
    }

    #[test]
    fn a_script_may_span_lines() {
        for (line, expected) in [
            ("/bin/zsh -lc \"python - <<'PY'", true),
            ("bash -lc 'a\nb' in /w", false),
            ("bash -lc 'ls' in /w", false),
            ("it's a text", false),
        ] {
            assert_eq!(opens_a_script(line), expected, "{line}");
        }
    }

    #[test]
    fn the_log_of_the_program_is_no_output() {
        for (line, expected) in [
            ("2026-04-14T06:27:23.510126Z ERROR codex_core::tools::router: error=Exit code: 124", true),
            ("2026-04-14T06:27:23.510126Z  WARN codex_core::x: y", true),
            ("2026-04-14T06:27:23.510126Z ERROR my_app: y", false),
            ("ERROR codex_core::x: y", false),
        ] {
            assert_eq!(is_log(line), expected, "{line}");
        }
    }

    #[test]
    fn a_result_says_how_a_call_ended() {
        for (line, expected) in [
            (" succeeded in 0ms:", Some(("", Some(0)))),
            (" exited 127 in 1.5s:", Some(("", Some(127)))),
            ("bash -lc 'x' in /w exited 1 in 50ms:", Some(("bash -lc 'x' in /w", Some(1)))),
            ("apply_patch(auto_approved=true) exited 0 in 18ms:", Some(("apply_patch(auto_approved=true)", Some(0)))),
            ("it exited 1 in a hurry:", None),
            ("succeeded in 5ms:", None),
            (" succeeded in 5ms", None),
            ("", None),
        ] {
            assert_eq!(result(line), expected, "{line}");
        }
    }
}

//! Programs that the operator adds in `[validation] programs`. Nothing is known of their options, so only what holds for
//! every program can be asked of their arguments: no code, no path outside, nothing that skips the tests.

use super::CommandError;
use super::check::not_skipping;
use super::place;

/// Programs that nobody can add: they run whatever they are told, reach the network, or change the machine.
const NEVER: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "bunx",
    "busybox",
    "chmod",
    "chown",
    "cmd",
    "csh",
    "curl",
    "dash",
    "dd",
    "docker",
    "doas",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "gdb",
    "ksh",
    "ld.so",
    "mkfs",
    "nc",
    "ncat",
    "nice",
    "nohup",
    "npx",
    "nsenter",
    "parallel",
    "perl",
    "pip",
    "pip3",
    "pipx",
    "pnpx",
    "podman",
    "powershell",
    "pwsh",
    "rm",
    "rsync",
    "ruby",
    "scp",
    "script",
    "sed",
    "setsid",
    "sh",
    "socat",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "tclsh",
    "tcsh",
    "tee",
    "telnet",
    "time",
    "timeout",
    "unshare",
    "uvx",
    "watch",
    "wget",
    "xargs",
    "zsh",
];

/// Options that many programs take code or a configuration after.
const CARRIES_CODE: &[&str] = &[
    "-c",
    "-e",
    "-p",
    "-r",
    "--eval",
    "--exec",
    "--command",
    "--print",
    "--require",
    "--import",
    "--loader",
    "--config",
    "--init",
    "--init-command",
    "--preload",
    "--shell",
    "--script-shell",
];

/// Whether a name is a program that an operator may vouch for: a bare name that the system looks up, and none that
/// would run anything it is told.
pub(super) fn may_be_added(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let lower = name.to_ascii_lowercase();
    let stem = lower.strip_suffix(".exe").unwrap_or(&lower);
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(plain) && !NEVER.contains(&stem)
}

/// Checks the words after such a program.
pub(super) fn check(words: &[String]) -> Result<(), CommandError> {
    words.iter().try_for_each(|word| {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if CARRIES_CODE.contains(&name) {
            return Err(CommandError::Option(name.to_owned()));
        }
        not_skipping(word)?;
        place::script_argument(word)
    })
}

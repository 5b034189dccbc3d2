//! Programs that the operator adds in `[validation] programs`. gephost does not know their options, so it checks only
//! what holds for every program: no code in arguments, no path outside the work copy, no option that skips the tests.

use super::CommandError;
use super::check::not_skipping;
use super::place;

/// Programs that cannot be added: they run other programs, reach the network, or change the machine.
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

/// Options that many programs follow with code or a configuration, and variables that `make` and similar tools read so.
const CARRIES_CODE: &[&str] = &[
    ".SHELLFLAGS",
    "BASH_ENV",
    "ENV",
    "LD_PRELOAD",
    "MAKEFILES",
    "MAKEFLAGS",
    "NODE_OPTIONS",
    "PATH",
    "PYTHONPATH",
    "SHELL",
    "-C",
    "-c",
    "-e",
    "-f",
    "-p",
    "-r",
    "--config-file",
    "--directory",
    "--file",
    "--formatter",
    "--justfile",
    "--makefile",
    "--plugin",
    "--plugins",
    "--rcfile",
    "--resolve-plugins-relative-to",
    "--rulesdir",
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

/// Options with which many programs do nothing.
const DOES_NOTHING: &[&str] = &["--dry-run", "--ignore-errors", "--just-print", "--question", "--recon", "--touch"];

/// Whether an operator may add this program: a bare name that the system looks up, and not a program that runs others.
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
        if CARRIES_CODE.contains(&name) || carries_code_joined(word) {
            return Err(CommandError::Option(name.to_owned()));
        }
        if DOES_NOTHING.contains(&name) {
            return Err(CommandError::SkipsTests(name.to_owned()));
        }
        not_skipping(word)?;
        place::script_argument(word)
    })
}

/// `-fother.mk`, `-r'code'`: a letter with its value. What is letters only is a word of its own, as `-pl` or `-race`.
fn carries_code_joined(word: &str) -> bool {
    let Some((option, value)) = word.split_at_checked(2) else { return false };
    CARRIES_CODE.contains(&option) && !value.is_empty() && !value.bytes().all(|b| b.is_ascii_lowercase())
}

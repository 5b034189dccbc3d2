//! Commands that are written for another shell than the one that runs them.

use crate::cause::Cause;
use crate::command::shell::steps;
use crate::output::sentences::Match;

/// Programs of Unix that agents call in PowerShell and cmd.
const OF_UNIX: [&str; 20] = [
    "head", "tail", "grep", "sed", "awk", "export", "touch", "which", "wc", "xargs", "chmod", "source", "cut", "tr",
    "uname", "true", "rm", "ls", "cat", "cp",
];

/// Words of a POSIX shell that are no programs of Windows either.
const OF_POSIX: [&str; 7] = ["test", "[", "{", "[[", ".", "local", "fi"];
/// Programs that give lines of a file to a shell.
const RUN_LINES: [&str; 10] = ["make", "gmake", "mingw32-make", "npm", "pnpm", "yarn", "bun", "npx", "just", "task"];

/// Whether cmd.exe runs a line for a POSIX shell that is not the agent's own, but that of a makefile or a script.
pub(crate) fn is_recipe(input: &str, line: &str, found: &Match<'_>) -> bool {
    let is_of_cmd = line.contains("as an internal or external command") || line.contains("was unexpected at this time");
    let name = found.name;
    let is_posix = name.is_empty() || OF_POSIX.contains(&name) || OF_UNIX.contains(&name);
    let steps = steps(input);
    let runs_lines = steps.iter().any(|step| RUN_LINES.contains(&step.program));
    let is_own = !name.is_empty() && steps.iter().any(|step| step.program == name);
    matches!(found.cause, Cause::Program | Cause::PosixRecipe) && is_of_cmd && is_posix && runs_lines && !is_own
}

/// The command of another shell that an error is about. `found` is what is known of the line.
pub(crate) fn command<'t>(input: &'t str, line: &str, found: &Match<'t>) -> Option<&'t str> {
    match found.cause {
        Cause::OtherShell => input.contains("&&").then_some("&&"),
        Cause::Program if is_cmdlet(found.name) => Some(found.name),
        Cause::Program if is_of_windows(line) && is_of_unix(found.name) => Some(found.name),
        Cause::Path | Cause::Folder | Cause::Shell => drive_option(input, line),
        _ => None,
    }
    .filter(|name| !name.is_empty())
}

/// Whether a program is one of Unix that agents call in PowerShell and cmd.
pub(crate) fn is_of_unix(name: &str) -> bool {
    OF_UNIX.contains(&name)
}

/// What serves in PowerShell in place of commands of other shells; `None` if that is not known of each. PowerShell itself has
/// `ls`, `cat`, `cp` and `rm`, so where these are missing, another shell runs.
pub(crate) fn in_powershell(names: &[&str]) -> Option<String> {
    const SERVES: [(&str, &str); 13] = [
        ("tail", "`Select-Object -Last N`"),
        ("head", "`Select-Object -First N`"),
        ("grep", "`Select-String`"),
        ("wc", "`Measure-Object -Line`"),
        ("xargs", "`ForEach-Object`"),
        ("which", "`Get-Command`"),
        ("touch", "`New-Item`"),
        ("export", "`$env:NAME = 'value'`"),
        ("sed", "`-replace`"),
        ("awk", "`ForEach-Object { $_.Split()[0] }`"),
        ("cut", "`ForEach-Object { $_.Split()[0] }`"),
        ("source", "`. .\\FILE.ps1`"),
        ("&&", "`;` or `if ($?) { … }`"),
    ];
    let serves = |name: &&str| {
        let (_, serves) = SERVES.iter().find(|(known, _)| known == name)?;
        Some(format!("{serves} instead of `{name}`"))
    };
    let all: Vec<String> = names.iter().map(serves).collect::<Option<_>>()?;
    let most = all.get(..all.len().min(3)).filter(|most| !most.is_empty())?;
    Some(format!("say in the agent's instructions that its shell is PowerShell, and to use {}", most.join(", ")))
}

/// What to say of commands of PowerShell that a POSIX shell runs; `None` if one of them is another command.
pub(crate) fn in_posix(names: &[&str]) -> Option<String> {
    let shown = names.iter().take(2).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    let verb = if names.len() == 1 { "is a command" } else { "are commands" };
    (!names.is_empty() && names.iter().all(|name| is_cmdlet(name))).then(|| {
        format!(
            "say in the agent's instructions that its shell is no PowerShell: {shown} {verb} of PowerShell, which `pwsh -Command` runs if \
             it is installed"
        )
    })
}

/// `Get-ChildItem`, `ConvertFrom-Json`: a verb and a noun.
fn is_cmdlet(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.len() > 1
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    name.split_once('-').is_some_and(|(verb, noun)| is_word(verb) && is_word(noun))
}

/// Whether PowerShell or cmd says that it does not know a name.
fn is_of_windows(line: &str) -> bool {
    line.contains("is not recognized as")
}

/// `cd /d C:\a`, which only cmd understands.
fn drive_option<'t>(input: &'t str, line: &str) -> Option<&'t str> {
    let at = input.find("cd /d")?;
    (line.contains("too many arguments") || line.contains("/d")).then(|| input.get(at..at + 5)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_for_a_posix_shell_are_told_from_commands_of_the_agent() {
        let of = |name: &'static str, input: &str, line: &str| {
            is_recipe(input, line, &Match { cause: Cause::Program, name, rank: 0 })
        };
        let cmd = |name: &str| format!("'{name}' is not recognized as an internal or external command,");
        assert!(of("test", "cd a && make learn", &cmd("test")));
        assert!(of("rm", "npm run clean", &cmd("rm")));
        assert!(!of("rm", "rm -rf dist && npm run build", &cmd("rm")), "the agent's own");
        assert!(!of("tsc", "npm run build", &cmd("tsc")), "no program of a POSIX shell");
        assert!(!of("test", "python a.py", &cmd("test")));
        assert!(!of("test", "make", "bash: test: command not found"));
    }

    #[test]
    fn what_serves_in_powershell_is_told_if_it_is_known_of_each_command() {
        let said = in_powershell(&["tail", "head"]).unwrap_or_default();
        assert!(
            said.ends_with("`Select-Object -Last N` instead of `tail`, `Select-Object -First N` instead of `head`"),
            "{said}"
        );
        for names in [&["&&"][..], &["grep"], &["wc", "xargs", "which", "touch"], &["export"], &["source"]] {
            assert!(in_powershell(names).is_some(), "{names:?}");
        }
        for names in [&[][..], &["rm"], &["tail", "ls"], &["Get-ChildItem"], &["cd /d"], &["uname"]] {
            assert_eq!(in_powershell(names), None, "{names:?}");
        }
    }

    #[test]
    fn commands_of_other_shells_are_known() {
        let of = |cause, name: &'static str, input: &'static str, line: &str| {
            command(input, line, &Match { cause, name, rank: 0 })
        };
        let powershell = "bash: line 1: Get-ChildItem: command not found";
        assert_eq!(of(Cause::Program, "Get-ChildItem", "Get-ChildItem .", powershell), Some("Get-ChildItem"));
        assert_eq!(
            of(Cause::Program, "docker-compose", "docker-compose up", "docker-compose: command not found"),
            None
        );
        let unix = "The term 'head' is not recognized as the name of a cmdlet";
        assert_eq!(of(Cause::Program, "head", "ls | head", unix), Some("head"));
        let drive = "/usr/bin/bash: line 1: cd: too many arguments";
        assert_eq!(of(Cause::Folder, "", "cd /d \"D:\\Data\" && ls", drive), Some("cd /d"));
        assert_eq!(of(Cause::Path, "", "cat a", "cat: a: No such file or directory"), None);
    }
}

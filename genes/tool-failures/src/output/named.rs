//! The names that a known sentence is about: files, hosts, programs, options.

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::cause::Cause;
use crate::command::shell::{Act, acts};
use crate::output::caches;
use crate::output::host::host;
use crate::output::line::{is_number, joined_names};
use crate::output::names;
use crate::output::refusals;
use crate::output::sentences::{Match, before_reason};
use crate::output::versions::versions;

/// Longest name of a call in code.
const MAX_CALL_BYTES: usize = 40;

/// Lines above a message about a connection that may name the server.
const HOST_LINES: usize = 4;

/// The names that a known sentence is about.
pub(crate) fn names_of(call: &Call<'_>, line: &str, found: &Match<'_>, program: &str) -> Vec<String> {
    let file = || names::file(call.input).map(str::to_owned);
    let one = |name: Option<String>| name.into_iter().collect::<Vec<_>>();
    let in_message = || (!found.name.is_empty()).then(|| found.name.to_owned());
    let names = match found.cause {
        cause if cause.is_about_edits() => one(refusals::file(call.input, call.output).map(str::to_owned)),
        Cause::TooLarge => one(file()),
        Cause::Path | Cause::Access => {
            // `File does not exist.` is about the path in the input; the rest of that line is advice.
            let in_line = || missing_path(line).or_else(|| names::path(line)).map(str::to_owned);
            // A place in a source is not what is denied.
            let is_place = |path: &str| {
                let parts = path.rsplit_once(':');
                parts.is_some_and(|(path, at)| path.contains('/') && is_number(at) && !at.is_empty())
            };
            if found.cause == Cause::Access && in_line().is_some_and(|path| is_place(&path)) {
                Vec::new()
            } else if let Some(act) = Some(call.output)
                .filter(|_| found.cause == Cause::Access && in_line().is_none())
                .and_then(|output| denied_in(output, line))
            {
                one(Some(lasting(act)))
            } else {
                one(if line.contains("File does not exist") {
                    file().or_else(in_line)
                } else {
                    in_line().map(|path| if found.cause == Cause::Access { lasting(&path) } else { path }).or_else(file)
                })
            }
        }
        Cause::Network | Cause::Reset | Cause::Certificate => {
            // A name says more than a number.
            // The name of an exception is no server's.
            let in_message =
                in_message().filter(|name| (!is_address(name) || host(line).is_none()) && !name.ends_with("Error"));
            let in_message = in_message.map(|name| host(&name).map_or_else(|| name.clone(), str::to_owned));
            let above = || {
                let (above, _) = call.output.split_once(line)?;
                above.lines().rev().take(HOST_LINES).find_map(host)
            };
            // PostgreSQL asks below whether the server runs on this host.
            let asked = || {
                let (_, below) = call.output.split_once("s the server running on host \"")?;
                below.split('"').next()
            };
            let other = || host(line).or_else(asked).or_else(|| host(call.input)).or_else(above);
            one(in_message.or_else(|| other().map(str::to_owned)))
        }
        Cause::Folder if changes_folder(line) => one(missing_path(line).map(|path| format!("cd {path}"))),
        // That git needs a repository is what the title says.
        Cause::Outside => one((!matches!(program, "" | "git")).then(|| program.to_owned())),
        Cause::Package => one(in_message().map(|name| name.trim_end_matches("@*").to_owned())),
        Cause::PortInUse => one(port(line).map(str::to_owned)),
        Cause::InUse => one(file_in_use(line).map(str::to_owned)),
        // Which of the programs a rule refuses is not known.
        Cause::Forbidden if call.kind != FailureKind::None => {
            let programs = acting(call.input);
            if programs.is_empty() {
                one(file().or_else(|| (!program.is_empty()).then(|| program.to_owned())))
            } else {
                programs
            }
        }
        // The agent does not say what it refused: what the command writes outside of the project.
        Cause::Denied if line.contains("could not request permission") => {
            one(written_outside(call.input).or(Some(program).filter(|name| !name.is_empty())).map(str::to_owned))
        }
        Cause::Timeout => one(time_limit(line).map(str::to_owned)),
        Cause::Folder | Cause::Denied => one((!program.is_empty()).then(|| program.to_owned())),
        // A text that a program takes for one argument too many is no option.
        Cause::OptionRefused => {
            one(in_message().filter(|name| name.starts_with('-') || !name.contains(char::is_whitespace)))
        }
        Cause::Versions => versions(line).into_iter().map(str::to_owned).collect(),
        // Together they are one name: the errors differ if any of them does.
        Cause::Error => one(joined_names(line)),
        Cause::Parameters => one(in_message().or_else(|| names::parameter(call.output).map(str::to_owned))),
        _ => one(in_message()),
    };
    names.iter().filter_map(|name| names::shown(name)).collect()
}

/// Whether a host is an address in numbers, with or without a port.
fn is_address(host: &str) -> bool {
    host.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':'))
}

/// The folder of a file that has another name each time: one of a cache, or with a time in its name. Else the path itself.
fn lasting(path: &str) -> String {
    const LEAST: usize = 10;
    if let Some(cache) = caches::folder(path) {
        return cache.to_owned();
    }
    let (folder, file) = path.rsplit_once('/').unwrap_or_default();
    let is_time = file.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() >= LEAST);
    if is_time && !folder.is_empty() { folder.to_owned() } else { path.to_owned() }
}

/// What was denied, if its line does not say it: the path that npm names below, or the call above it in Python's traceback.
fn denied_in<'a>(output: &'a str, line: &str) -> Option<&'a str> {
    let of_npm = |line: &'a str| line.strip_prefix("npm error path ").or_else(|| line.strip_prefix("npm ERR! path "));
    // npm may not write into this folder; the file has a new name each time.
    if let Some((folder, _)) = output.lines().find_map(of_npm).and_then(|path| path.rsplit_once('/')) {
        return Some(folder);
    }
    // `Caused by:` stands below what could not be opened.
    let opened =
        |line: &&'a str| line.contains("ailed to ") || line.contains("ould not ") || line.contains("nable to ");
    if let Some((above, _)) = output.split_once(line)
        && let Some(path) =
            above.lines().rev().take(6).find(opened).and_then(names::path).filter(|path| path.contains('/'))
    {
        return Some(path);
    }
    let (above, _) = output.split_once(line).filter(|_| line.starts_with("PermissionError: "))?;
    let code = above.lines().rev().map(str::trim).find(|line| line.contains(char::is_alphanumeric))?;
    let call = code.split('(').next().filter(|call| call.len() < code.len())?;
    let call = call.rsplit(['=', ' ']).next().unwrap_or(call);
    Some(call).filter(|call| call.contains(char::is_alphabetic) && call.len() <= MAX_CALL_BYTES)
}

/// The programs of a command with their first option, `git reset --soft`, without those that only show something if
/// there are others.
fn acting(input: &str) -> Vec<String> {
    const SHOW: [&str; 6] = ["git status", "git diff", "git log", "git show", "ls", "find"];
    let acts = acts(input);
    let shows = |act: &Act<'_>| SHOW.contains(&act.step.name().as_str());
    let only_shows = acts.iter().all(shows);
    let mut programs: Vec<String> = Vec::new();
    for act in acts.iter().filter(|act| only_shows || !shows(act)) {
        let mut name = act.step.name();
        let mut words = act.arguments().iter().skip_while(|word| name.ends_with(&format!(" {word}")));
        if let Some(option) = words.next().filter(|word| word.starts_with('-')) {
            name = format!("{name} {option}");
        }
        if !programs.contains(&name) {
            programs.push(name);
        }
    }
    programs
}

/// The port that is in use: `:::3000`, `0.0.0.0:8080`, `Port 5173 is`.
pub(crate) fn port(line: &str) -> Option<&str> {
    let number = |text: &'_ str| {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text.get(..end).map(str::len).filter(|digits| (2..=5).contains(digits))
    };
    let marks = || line.match_indices(':').chain(line.match_indices("ort ")).map(|(at, mark)| at + mark.len());
    let start = marks().filter(|start| line.get(*start..).is_some_and(|rest| number(rest).is_some())).max()?;
    let rest = line.get(start..)?;
    rest.get(..number(rest)?)
}

/// The name of the file that is in use: that of the last quoted path.
fn file_in_use(line: &str) -> Option<&str> {
    let path = line.split('\'').rfind(|part| part.contains(['/', '\\']))?;
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())
}

/// `2m 0s` in `Command timed out after 2m 0s`.
fn time_limit(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("timed out after ")?;
    let is_time = |c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | 'm' | 's' | 'h');
    let end = rest.find(|c| !is_time(c)).unwrap_or(rest.len());
    let text = rest.get(..end)?;
    // The first letter of a word behind it may look like a unit.
    let text = if end < rest.len() { text.get(..text.rfind(' ').unwrap_or(text.len()))? } else { text };
    let text = text.trim().trim_end_matches('.');
    (text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(['m', 's', 'h'])).then_some(text)
}

/// The path in `cat: a/b: No such file or directory` and `ls: cannot access 'a': No such file or directory`.
pub(crate) fn missing_path(line: &str) -> Option<&str> {
    if let Some((_, path)) = line.split_once("can't cd to ") {
        return path.split_whitespace().next();
    }
    if let Some((_, path)) = line.split_once("can't open file '") {
        return path.split('\'').next();
    }
    // zsh puts the path behind the message.
    if let Some((_, path)) = line.split_once(": no such file or directory: ") {
        return Some(path.trim());
    }
    let english = [": No such file or directory", ": Permission denied", ": permission denied"]
        .iter()
        .find_map(|says| line.split_once(says));
    let before = english.map(|(before, _)| before).or_else(|| before_reason(line))?;
    // `wc: a: open: No such file or directory` on macOS.
    let before = before.strip_suffix(": open").filter(|before| before.contains(": ")).unwrap_or(before);
    let last = before.rsplit(": ").next()?.trim();
    // `rg: a: IO error for operation on a: No such file or directory`
    let last = last.strip_prefix("IO error for operation on ").unwrap_or(last);
    // `Could not open /a - open (13: Permission denied)`
    if last.rsplit(' ').next().is_some_and(|word| word.starts_with('(')) {
        return names::path(last);
    }
    let word = last.rsplit(' ').next()?.trim_matches(['\'', '"', '\u{2018}', '\u{2019}', '`']);
    // `Failed to open stream: No such file or directory` says what failed, and not on what.
    let is_path = word == last || word.contains(['/', '.', '-', '_']) || last.ends_with(['\'', '"', '\u{2019}', '`']);
    (is_path && !word.is_empty() && before.contains(": ")).then_some(word)
}

/// The program that a message begins with: `sccache` of `sccache: error: Operation not permitted`.
pub(crate) fn speaker(line: &str) -> Option<&str> {
    const NONE: [&str; 9] = ["error", "fatal", "warning", "bash", "sh", "zsh", "dash", "note", "hint"];
    let (name, _) = line.trim_start().split_once(": ")?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let is_class = ["Error", "Exception"].iter().any(|end| name.ends_with(end));
    let is_program = name.len() > 1 && name.chars().all(is_plain) && name.contains(|c: char| c.is_ascii_lowercase());
    (is_program && !is_class && !NONE.iter().any(|none| name.eq_ignore_ascii_case(none))).then_some(name)
}

/// The path that a line says does not exist, as it is written there.
pub(crate) fn missing_in(line: &str) -> Option<&str> {
    if line.contains("File does not exist") { None } else { missing_path(line).or_else(|| names::path(line)) }
}

/// The folder of the first file that a command writes by an absolute path: `/tmp` of `make > /tmp/a.log`.
fn written_outside(input: &str) -> Option<&str> {
    input.split('>').skip(1).find_map(|rest| {
        let path = rest.trim_start().split([' ', ';', '&', '|', ')', '\n', '"', '\'']).next()?;
        let (folder, _) = path.rsplit_once('/')?;
        (folder.starts_with('/') && folder != "/dev").then_some(folder)
    })
}

/// Whether a shell says that it could not change to a folder.
pub(crate) fn changes_folder(line: &str) -> bool {
    line.contains("cd: ") || line.contains("cd:1: ") || line.contains("can't cd to ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_may_begin_with_the_program_that_says_it() {
        for (line, expected) in [
            ("sccache: error: Operation not permitted (os error 1)", Some("sccache")),
            ("docker-compose: permission denied", Some("docker-compose")),
            ("g++: Permission denied", Some("g++")),
            ("error: Operation not permitted", None),
            ("Error: EACCES", None),
            ("PermissionError: [Errno 1] Operation not permitted", None),
            ("bash: Operation not permitted", None),
            ("/usr/bin/x: Operation not permitted", None),
            ("the system says: no", None),
            ("EPERM: operation not permitted", None),
            ("Operation not permitted", None),
        ] {
            assert_eq!(speaker(line), expected, "{line}");
        }
    }
}

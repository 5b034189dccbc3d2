//! Finds the tools of a recipe: in the project's own folders first, then on the PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gephost_author::recipe::{OWN_TOOLS, Tool, version_in};
use gephost_runner::author_tool::{self, End, Start};

use super::built::in_words;
use super::folder::{Folder, is_program};
use super::versions::Versions;
use crate::environment::Environment;
use crate::error::{AppError, printable};

/// How long a tool may take to print its version. Python loads a large library first.
const MAX_VERSION_TIME: Duration = Duration::from_mins(1);

/// A tool that works.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The words that start it.
    pub(super) words: Vec<OsString>,
    /// The first line of what it says of its version.
    pub(super) version: String,
}

/// Finds a tool that is new enough. `named` is the folder of the project as the author wrote it.
pub(super) fn find(
    environment: &Environment,
    project: &Folder,
    named: &Path,
    tool: &Tool,
    versions: &mut Versions,
) -> Result<Found, AppError> {
    let (mut old, mut broken) = (None, None);
    for form in tool.forms {
        for words in places(environment, project, form) {
            let mut why = None;
            let asked = versions.ask(&words, || {
                ask_version(environment, project, &words, tool).map_err(|fault| why = Some(fault)).ok()
            });
            let Some(version) = asked else {
                // With more words, the program is an interpreter, which says that it has no such module.
                if let (Some(why), [program]) = (why, words.as_slice()) {
                    broken = broken.or_else(|| Some(format!("{} {why}", Path::new(program).display())));
                }
                continue;
            };
            match version_in(&version) {
                Some(found) if found < tool.least => old = Some(version),
                Some(_) => return Ok(Found { words, version }),
                None => return Ok(Found { words, version: "of an unknown version".to_owned() }),
            }
        }
    }
    let hint = format!("install it: {}", tool.install_from(&in_words(named)));
    Err(match (old, broken) {
        (Some(version), _) => {
            let (major, minor) = tool.least;
            let message =
                format!("{} is too old: it says {version:?}, and at least {major}.{minor} is needed", tool.name);
            AppError::usage("tool_old", message).hint(hint)
        }
        (None, Some(broken)) => {
            AppError::usage("tool_broken", format!("{} does not work: {broken}", tool.name)).hint(hint)
        }
        (None, None) => AppError::usage("tool_missing", format!("{} is not installed", tool.name)).hint(hint),
    })
}

/// The ways to start a form of a tool: with its first word as a path, wherever there is such a program.
fn places(environment: &Environment, project: &Folder, form: &[&str]) -> Vec<Vec<OsString>> {
    let Some((program, rest)) = form.split_first() else { return Vec::new() };
    let own = OWN_TOOLS.iter().map(|folder| project.join(folder));
    let path = environment.variable("PATH").cloned().unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let programs = own.chain(on_path).map(|folder| folder.join(program)).filter(|file| is_program(file));
    programs
        .map(|file| std::iter::once(file.into_os_string()).chain(rest.iter().map(OsString::from)).collect())
        .collect()
}

/// The first line of what a tool says of its version, or why it says nothing.
fn ask_version(environment: &Environment, project: &Folder, words: &[OsString], tool: &Tool) -> Result<String, String> {
    let words: Vec<OsString> = words.iter().cloned().chain(tool.version.iter().map(OsString::from)).collect();
    let ran = run(environment, project.path(), &words, &[], MAX_VERSION_TIME)
        .map_err(|error| format!("cannot be started: {error}"))?;
    let first = printable(ran.printed.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default());
    let said = if first.is_empty() { String::new() } else { format!(": {first}") };
    let asked = tool.version.join(" ");
    match ran.end {
        End::Exit(Some(0)) => Ok(first),
        End::Exit(Some(code)) => Err(format!("ended with exit code {code} when asked for `{asked}`{said}")),
        End::Exit(None) => Err(format!("was ended by a signal when asked for `{asked}`{said}")),
        End::Timeout => Err(format!("did not answer `{asked}` within {} s", MAX_VERSION_TIME.as_secs())),
        End::Interrupt => Err("was interrupted".to_owned()),
    }
}

/// Runs a tool with the author's environment and these variables.
pub(super) fn run(
    environment: &Environment,
    directory: &Path,
    words: &[OsString],
    variables: &[(&str, &str)],
    limit: Duration,
) -> std::io::Result<author_tool::Ran> {
    let more = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    // Of the tools, only cargo would use the network.
    let offline = environment.offline.then(|| (OsString::from("CARGO_NET_OFFLINE"), OsString::from("true")));
    let variables: Vec<_> = environment.variables.iter().cloned().chain(more).chain(offline).collect();
    let start = Start { words, directory, variables: &variables, limit };
    author_tool::run(start, &|| environment.is_interrupted())
}

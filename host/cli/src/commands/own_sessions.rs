//! The question whether gephost may read the project's own sessions: asked once, and answered for good.

use std::io::{IsTerminal as _, stderr, stdin};
use std::path::PathBuf;

use gephost_app::Project;
use gephost_app::sessions::Consent;

use crate::output::Output;
use crate::render::reading::{Unread, reasons};

/// Settles whether the project's own sessions are read, before anything is: by `--yes`, by the answer that is remembered,
/// or by a question on a terminal. Returns what is not read because nobody could be asked.
pub(super) fn settle(output: Output, project: &Project, named: &[PathBuf], yes: bool, command: &str) -> Option<Unread> {
    if !project.takes_own_sessions(named) {
        return None;
    }
    let consent = project.consent();
    if yes {
        if consent != Consent::Given {
            project.say_consent(true);
        }
        return None;
    }
    if consent == Consent::Given {
        return None;
    }
    let found = project.discover();
    for reason in reasons(found.iter().flat_map(|place| &place.unreadable)) {
        output.note(&format!("note: {reason}"));
    }
    let unread = Unread::of(&found, command)?;
    let what = unread.what();
    if consent == Consent::Refused {
        return Some(unread);
    }
    if !is_somebody_there(output) {
        output.note(&format!("note: gephost has not read {what}, of this project; to read: {command}"));
        return Some(unread);
    }
    let said = ask(output, &format!("Agents worked in this project: {what}."));
    if let Some(said) = said {
        project.say_consent(said);
    }
    if said == Some(true) { None } else { Some(unread) }
}

/// Whether there is somebody to be asked.
pub(super) fn is_somebody_there(output: Output) -> bool {
    !output.json() && stdin().is_terminal() && stderr().is_terminal()
}

/// Asks whether the project's own sessions may be read. `None` if the answer is neither yes nor no: asked again next time.
pub(super) fn ask(output: Output, what: &str) -> Option<bool> {
    output.ask(&format!("{what}\nMay gephost read the sessions of this project from now on? [y/n]"));
    let mut answer = String::new();
    stdin().read_line(&mut answer).ok()?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

/// What the user said, for a program: null if nothing.
pub(super) fn said(consent: Consent) -> Option<bool> {
    match consent {
        Consent::Unasked => None,
        Consent::Given => Some(true),
        Consent::Refused => Some(false),
    }
}

//! Reads the Rust compiler's errors in packages of a registry.

use super::traceback::{Fault, Frame, Language};

/// The first error of each code in each package, in the order of the output.
pub(super) fn faults(output: &str) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    let mut raised: Option<(String, String)> = None;
    for line in output.lines() {
        let text = line.trim();
        if let Some(error) = error(text) {
            raised = Some(error);
        } else if let Some(place) = text.strip_prefix("--> ")
            && let Some((kind, message)) = raised.take()
            && let Some(frame) = frame(place)
        {
            let known = |fault: &Fault| {
                fault.kind == kind && fault.frames.iter().any(|it| package(&it.path) == package(&frame.path))
            };
            if !faults.iter().any(known) {
                faults.push(Fault { language: Language::Cargo, kind, message, frames: vec![frame] });
            }
        }
    }
    faults
}

/// `error[E0282]: message`.
fn error(text: &str) -> Option<(String, String)> {
    let (code, message) = text.strip_prefix("error[")?.split_once("]: ")?;
    Some((code.to_owned(), message.to_owned()))
}

/// `path:83:9`, if the path belongs to a package of the registry.
fn frame(place: &str) -> Option<Frame> {
    let (rest, _column) = place.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let path = path.replace('\\', "/");
    package(&path)?;
    Some(Frame { path, line: line.parse().ok()?, ..Frame::default() })
}

/// Name and version of the package that a source file belongs to: `…/registry/src/INDEX/NAME-VERSION/…`.
pub(crate) fn package(path: &str) -> Option<(&str, &str)> {
    let (_, rest) = path.split_once("/registry/src/")?;
    let folder = rest.split('/').nth(1)?;
    let is_version = |text: &str| {
        let mut parts = text.splitn(3, '.');
        let number = |part: Option<&str>| part.is_some_and(|it| it.parse::<u64>().is_ok());
        number(parts.next())
            && number(parts.next())
            && parts.next().is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    };
    folder.match_indices('-').map(|(at, _)| (&folder[..at], &folder[at + 1..])).find(|(_, version)| is_version(version))
}

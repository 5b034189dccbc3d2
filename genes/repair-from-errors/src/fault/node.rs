//! Reads Node's errors: the excerpt above the message, and the `at` lines below it.

use super::line::{exception, marks, path};
use super::traceback::{Fault, Frame, Language, MAX_FRAMES};

/// The place in Node that throws every warning under `--throw-deprecation`. The excerpt above the message shows it.
const THROWS_WARNINGS: &str = "node:internal/process/warning";

/// All errors with a place, in the order of the output.
pub(super) fn faults(output: &str) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    let mut excerpt: Option<Frame> = None;
    let mut in_trace = false;
    for line in output.lines() {
        let text = line.trim();
        if let Some(frame) = text.strip_prefix("at ").and_then(at_line) {
            if let Some(fault) = faults.last_mut().filter(|fault| in_trace && fault.frames.len() < MAX_FRAMES) {
                push(fault, frame);
            }
        } else if let Some((kind, message)) =
            exception(text.strip_prefix("Uncaught ").unwrap_or(text)).or_else(|| warning(text))
        {
            let mut frames: Vec<Frame> =
                excerpt.take().filter(|frame| frame.path != THROWS_WARNINGS).into_iter().collect();
            frames.extend(importer(&message));
            faults.push(Fault { language: Language::Node, kind, message, frames });
            in_trace = true;
        } else if let Some(frame) = location(text).filter(|_| !line.starts_with(' ')) {
            excerpt = Some(frame);
            in_trace = false;
        } else if let (Some(frame), Some(_)) = (&mut excerpt, Some(text).filter(|text| !text.is_empty())) {
            match (&frame.shown, marks(line)) {
                (None, None) => frame.shown = Some(text.to_owned()),
                (Some(_), Some(at)) => frame.caret = Some(at),
                _ => {}
            }
        } else if !text.is_empty() && !text.starts_with("at ") {
            in_trace = false;
        }
    }
    // A deprecation warning has no place, unless Node runs with `--trace-deprecation`.
    faults.retain(|fault| !fault.frames.is_empty() || fault.kind == "DeprecationWarning");
    faults
}

/// The module that imports another one that is not found: `… imported from path`. The message names no line.
fn importer(message: &str) -> Option<Frame> {
    let (_, name) = message.rsplit_once(" imported from ")?;
    Some(Frame { path: path(name)?, line: 1, ..Frame::default() })
}

/// Adds a frame unless it is known: the excerpt and the trace name the same first place.
fn push(fault: &mut Fault, frame: Frame) {
    if !fault.frames.iter().any(|known| known.path == frame.path && known.line == frame.line) {
        fault.frames.push(frame);
    }
}

/// `(node:12) [DEP0005] DeprecationWarning: text`.
fn warning(text: &str) -> Option<(String, String)> {
    let rest = text.strip_prefix("(node:")?.split_once(") ")?.1;
    exception(rest.split_once("] ").map_or(rest, |(_, rest)| rest))
}

/// `name (path:1:2)`, `path:1:2`, `async path:1:2`.
fn at_line(text: &str) -> Option<Frame> {
    let inner = match text.rsplit_once('(') {
        Some((_, inner)) => inner.strip_suffix(')')?,
        None => text.strip_prefix("async ").unwrap_or(text),
    };
    let (rest, column) = inner.rsplit_once(':')?;
    column.parse::<usize>().ok()?;
    location(rest)
}

/// `path:3`.
fn location(text: &str) -> Option<Frame> {
    let (name, line) = text.rsplit_once(':')?;
    let line = line.parse().ok()?;
    if name.starts_with("node:") {
        return Some(Frame { path: name.to_owned(), line, ..Frame::default() });
    }
    let scripts = [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx"];
    let path = path(name).filter(|path| scripts.iter().any(|end| path.ends_with(end)))?;
    Some(Frame { path, line, ..Frame::default() })
}

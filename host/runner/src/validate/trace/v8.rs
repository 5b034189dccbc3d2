//! What Node's own coverage (`NODE_V8_COVERAGE`) says of one process.

use std::path::Path;

use gephost_core::path::RepoPath;
use serde::Deserialize;

use super::lines::{Lines, Traced};

#[derive(Deserialize)]
struct Document {
    result: Vec<Script>,
}

#[derive(Deserialize)]
struct Script {
    url: String,
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    ranges: Vec<Range>,
}

/// Offsets count UTF-16 units. Inner ranges come after the outer ones.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    start_offset: usize,
    end_offset: usize,
    count: u64,
}

/// Reads a document; nothing of one that has another form. `source` gives a file's text.
pub(super) fn read(bytes: &[u8], project: &Path, source: &dyn Fn(&RepoPath) -> Option<String>) -> Traced {
    let mut traced = Traced::default();
    let Ok(document) = serde_json::from_slice::<Document>(bytes) else { return traced };
    for script in document.result {
        let Some(path) = script.url.strip_prefix("file://").and_then(|url| within(url, project)) else { continue };
        let Some(text) = source(&path) else { continue };
        traced.outside.extend(executed(&path, &text, &script.functions));
    }
    traced
}

fn within(url: &str, project: &Path) -> Option<RepoPath> {
    let name = url.replace("%20", " ");
    RepoPath::new(Path::new(&name).strip_prefix(project).ok()?.to_str()?).ok()
}

/// The lines whose first character that is no space was executed.
fn executed(path: &RepoPath, text: &str, functions: &[Function]) -> Lines {
    let length = text.encode_utf16().count();
    let mut counts = vec![0_u64; length];
    for range in functions.iter().flat_map(|function| &function.ranges) {
        let end = range.end_offset.min(length);
        if let Some(part) = counts.get_mut(range.start_offset.min(end)..end) {
            part.fill(range.count);
        }
    }
    let mut lines = Lines::new();
    let mut at = 0;
    for (number, line) in (1_u32..).zip(text.split('\n')) {
        let indent: usize = line.chars().take_while(|c| c.is_whitespace()).map(char::len_utf16).sum();
        let units = line.encode_utf16().count();
        if indent < units && counts.get(at + indent).is_some_and(|count| *count > 0) {
            lines.insert((path.clone(), number));
        }
        at += units + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_runs_if_its_innermost_range_was_counted() {
        let text = "function a() {\n  return 1\n}\nif (a()) {\n  b()\n}\n";
        let at = |part: &str| text.find(part).unwrap();
        let ranges = format!(
            r#"{{"result":[{{"url":"file:///w/x.js","functions":[{{"ranges":[{{"startOffset":0,"endOffset":{},"count":1}},
            {{"startOffset":{},"endOffset":{},"count":0}}]}},{{"ranges":[{{"startOffset":0,"endOffset":28,"count":2}}]}}]}},
            {{"url":"node:fs","functions":[]}}]}}"#,
            text.len(),
            at("  b()"),
            at("  b()") + 6,
        );
        let source = |path: &RepoPath| (path.as_str() == "x.js").then(|| text.to_owned());
        let traced = read(ranges.as_bytes(), Path::new("/w"), &source);
        let lines: Vec<u32> = traced.outside.iter().map(|(_, line)| *line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 6]);
    }
}

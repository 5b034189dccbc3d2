//! A workspace in memory, and the functions that all cases use.

use std::collections::BTreeMap;

use gephost_gene::failures::{Cause, Failure};
use gephost_gene::handwritten;

use crate::input::Workspace;
use crate::plan::{Draft, drafts};

/// Files by path.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) files: BTreeMap<String, Vec<u8>>,
    pub(super) notes: Vec<String>,
}

impl Files {
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Self { files, notes: Vec::new() }
    }
}

/// Whether a path matches a glob; `{a,b}`, `*` and `**/` mean what they mean to the host.
fn matches(glob: &str, path: &str) -> bool {
    if let Some((start, rest)) = glob.split_once('{')
        && let Some((options, end)) = rest.split_once('}')
    {
        return options.split(',').any(|option| matches(&format!("{start}{option}{end}"), path));
    }
    if let Some(rest) = glob.strip_prefix("**/") {
        return matches(rest, path) || path.match_indices('/').any(|(at, _)| matches(rest, &path[at + 1..]));
    }
    match (glob.chars().next(), path.chars().next()) {
        (None, None) => true,
        (Some('*'), _) if glob.starts_with('*') => {
            matches(&glob[1..], path)
                || path.chars().next().is_some_and(|c| c != '/' && matches(glob, &path[c.len_utf8()..]))
        }
        (Some(a), Some(b)) if a == b => matches(&glob[a.len_utf8()..], &path[b.len_utf8()..]),
        _ => false,
    }
}

impl Workspace for Files {
    fn matching(&mut self, glob: &str) -> Vec<String> {
        self.files.keys().filter(|path| matches(glob, path)).cloned().collect()
    }

    fn has_word(&mut self, word: &str, glob: &str) -> bool {
        let has = |text: &[u8]| crate::text::has_word(&String::from_utf8_lossy(text), word);
        self.files.iter().any(|(path, text)| matches(glob, path) && has(text))
    }

    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.get(path).cloned()
    }

    fn is_marked(&mut self, path: &str) -> bool {
        let attributes = self.files.get(".gitattributes").cloned().unwrap_or_default();
        handwritten::is_marked(&String::from_utf8_lossy(&attributes), path)
    }

    fn note(&mut self, line: &str) {
        self.notes.push(line.to_owned());
    }
}

/// The candidates for one failing event.
pub(super) fn candidates(input: &str, output: &str, files: &[(&str, &str)]) -> Vec<Draft> {
    let failure = Failure { event: 7, input: input.to_owned(), output: crate::text::without_colours(output) };
    let cause = Cause { id: "tool-failures:Bash".to_owned(), events: vec![7] };
    drafts(&[cause], &[failure], &mut Files::of(files))
}

/// The content that the first candidate gives the first file; `None` if there is no candidate.
pub(super) fn repaired(input: &str, output: &str, files: &[(&str, &str)]) -> Option<String> {
    let first = candidates(input, output, files).into_iter().next()?;
    assert_eq!(first.files.len(), 1, "the case changes one file");
    assert!(first.title.chars().count() <= 200 && !first.title.contains('\n'));
    let (changed, content) = first.files.into_iter().next()?;
    assert_eq!(Some(changed.as_str()), files.first().map(|(path, _)| *path));
    Some(content)
}

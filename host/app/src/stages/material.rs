//! A model's part in a cycle: what it is shown of the source, and the gate's word on what it proposed.
//!
//! What must stay true: of files only those of the base commit are shown, and of those none that the policy denies.

use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::gate::FileMode;
use gephost_core::model::{FileIndex, Hypothesis, Material, cut, places};
use gephost_core::path::RepoPath;
use gephost_core::policy::Policy;
use gephost_core::proposal::Proposal;
use gephost_core::run_event::RunEvent;
use gephost_core::select::Selection;
use gephost_core::suggestion::suggestion;
use gephost_runner::worktree::{BaseTree, ReadError};

use super::propose::Proposed;
use super::stage::Stage;

/// The largest file of which an excerpt is shown, in bytes.
const MAX_SOURCE_BYTES: u64 = 1 << 20;
/// The most findings that are searched for a clue.
const MAX_CLUE_FINDINGS: usize = 5;

impl Stage<'_> {
    /// What a model is shown of these findings: themselves, and the few lines of the base that they and the output of
    /// their events point at. Outside of a repository there are no such lines. All of it is redacted.
    pub fn material(&self, base: Option<&BaseTree>, diagnosis: &Diagnosis, events: &[RunEvent]) -> Material {
        let policy = &self.config.policy;
        let mut redactor = policy.redactor();
        let mut excerpts = Vec::new();
        if let Some(base) = base {
            let index = file_index(base, policy);
            for place in places(diagnosis.findings.iter().flat_map(|finding| texts(finding, events)), &index) {
                // What cannot be read, or is too large, is not shown.
                let content = base.read(&place.path, MAX_SOURCE_BYTES).ok();
                excerpts.extend(content.and_then(|content| cut(&place, &content, &mut redactor)));
            }
        }
        Material::new(&diagnosis.findings, excerpts, &policy.table().allow, &mut redactor)
    }

    /// What a model proposed, put through the gate like any other candidate. `reason` is why there is what there is.
    pub fn judge_answer(
        &self,
        base: &BaseTree,
        diagnosis: &Diagnosis,
        author: &str,
        reason: &str,
        proposals: Vec<Proposal>,
    ) -> Result<Proposed, ReadError> {
        let judge = |proposal: Proposal| {
            let calls = self.recorded_calls(diagnosis, &proposal);
            self.judge(base, &self.config.policy, proposal, calls)
        };
        let judged = proposals.into_iter().map(judge);
        let candidates = judged.collect::<Result<Vec<_>, _>>()?;
        let texts = Vec::new();
        Ok(Proposed { selection: selection(author, reason), candidates, calls: Vec::new(), unasked: None, texts })
    }
}

/// The selection of a cycle in which a model is asked and no strategy gene.
pub fn selection(author: &str, reason: &str) -> Selection {
    Selection {
        selected: Some(author.to_owned()),
        reason: vec![reason.to_owned()],
        alternatives: Vec::new(),
        banned: Vec::new(),
        not_asked: Vec::new(),
        ranked: Vec::new(),
        reuse: Vec::new(),
    }
}

/// Puts a model's view of the findings in the place of that of the genes that found them.
pub fn adopt(diagnosis: &mut Diagnosis, hypotheses: &[Hypothesis]) {
    for said in hypotheses {
        if let Some(finding) = diagnosis.findings.iter_mut().find(|finding| finding.id == said.id) {
            finding.hypothesis.clone_from(&said.hypothesis);
            finding.direction.clone_from(&said.direction);
        }
    }
}

/// The files of the base that a text may name, without those that the policy denies.
fn file_index(base: &BaseTree, policy: &Policy) -> FileIndex {
    let shown = |(_, mode): &(_, FileMode)| *mode != FileMode::Symlink;
    let files = base.files().filter(shown).map(|(path, _)| path.clone());
    FileIndex::new(files.filter(|path| !policy.denies(path)))
}

/// What the texts of one finding say about where to begin, if no gene proposes anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clue {
    /// The number of the finding, from 1; `None` if no finding says anything.
    pub finding: Option<usize>,
    /// The file of the base that fails, with its line if that is known.
    pub place: Option<(RepoPath, Option<usize>)>,
    /// What the failing tool itself suggests, line by line.
    pub suggestion: Vec<String>,
}

impl Clue {
    /// Of the first of the first findings that says both, or else one of the two.
    pub(crate) fn of(base: &BaseTree, policy: &Policy, diagnosis: &Diagnosis, events: &[RunEvent]) -> Self {
        let index = file_index(base, policy);
        let clues = diagnosis.findings.iter().take(MAX_CLUE_FINDINGS).enumerate().map(|(at, finding)| {
            let named = places(texts(finding, events), &index);
            let place = named.iter().find(|place| place.line.is_some()).or(named.first()).cloned();
            // An output has all lines of a suggestion; what a gene made of it has not.
            let said = outputs(finding, events).map(suggestion).find(|said| !said.is_empty()).unwrap_or_default();
            let suggestion = said.into_iter().map(str::to_owned).collect();
            Self { finding: Some(at + 1), place: place.map(|place| (place.path, place.line)), suggestion }
        });
        Self::best(clues)
    }

    fn best(clues: impl Iterator<Item = Self>) -> Self {
        let mut best = Self::default();
        for clue in clues {
            if clue.says() > best.says() {
                best = clue;
            }
        }
        best
    }

    /// How many of the two it says.
    fn says(&self) -> usize {
        usize::from(self.place.is_some()) + usize::from(!self.suggestion.is_empty())
    }
}

/// The texts of a finding that may name a file, the most telling first.
fn texts<'t>(finding: &'t Finding, events: &'t [RunEvent]) -> impl Iterator<Item = &'t str> {
    let lines = finding.evidence.iter().map(|evidence| evidence.line.as_str());
    let own = [finding.title.as_str(), &finding.hypothesis, &finding.direction];
    own.into_iter().chain(lines).chain(outputs(finding, events))
}

/// What the calls of a finding printed.
fn outputs<'t>(finding: &'t Finding, events: &'t [RunEvent]) -> impl Iterator<Item = &'t str> {
    let event = |index: u64| events.get(usize::try_from(index).ok()?);
    finding.evidence.iter().filter_map(move |evidence| event(evidence.event)?.output.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clue(finding: usize, path: Option<&str>, suggestion: &[&str]) -> Clue {
        let place = path.map(|path| (RepoPath::new(path).expect("a path"), Some(3)));
        let suggestion = suggestion.iter().map(|line| (*line).to_owned()).collect();
        Clue { finding: Some(finding), place, suggestion }
    }

    #[test]
    fn place_and_suggestion_are_of_one_finding() {
        let of = |clues: &[&Clue]| Clue::best(clues.iter().copied().cloned());
        let (place, said) = (clue(1, Some("a.py"), &[]), clue(2, None, &["did you mean b?"]));
        let both = clue(3, Some("c.py"), &["did you mean d?"]);
        assert_eq!(of(&[&place, &said]), place, "the first one, and nothing of the second");
        assert_eq!(of(&[&said, &place]), said);
        assert_eq!(of(&[&place, &said, &both]), both);
        assert_eq!(of(&[&clue(1, None, &[]), &place]), place);
        assert_eq!(of(&[&clue(1, None, &[])]), Clue::default());
        assert_eq!(of(&[]), Clue::default());
    }
}

//! What should be corrected in a gene before it is given to anybody. Nothing of the gene runs, except on the fixtures of a
//! project.

use std::path::{Path, PathBuf};

use gephost_author::recipe::GENE;
use gephost_core::gene::{Capability, Manifest, TextGene, TextGeneError, World, is_text};
use gephost_core::manifest_review::{Remark, review};
use gephost_core::secret::find_keys;
use gephost_runner::sandbox::{Inspected, MAX_COMPONENT_BYTES, inspect, misfit};
use schemars::JsonSchema;
use serde::Serialize;

use super::built::{built, note_newer};
use super::folder::{Folder, is_folder};
use super::packing::read;
use super::test::{FixtureState, test};
use crate::environment::Environment;
use crate::error::{AppError, printable};

/// A gene that was checked.
#[derive(Debug)]
pub struct Checked {
    /// The file that was checked.
    pub file: PathBuf,
    /// The gene's id; `None` if the file is no gene.
    pub id: Option<String>,
    /// What to correct before others get the gene; empty if nothing is.
    pub faults: Vec<Fault>,
    /// What was not looked at, and why.
    pub unchecked: Vec<String>,
}

/// One thing to correct in a gene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// What was checked: `component`, `world`, `manifest`, `capabilities`, `secrets` or `determinism`.
    pub check: &'static str,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// Checks a gene's file, or the gene of a project.
pub fn check(environment: &Environment, what: &Path) -> Result<Checked, AppError> {
    let is_project = is_folder(&environment.resolve(what));
    let file = if is_project {
        built(&Folder::open(&environment.resolve(what))?, what)?;
        what.join(GENE)
    } else {
        what.to_owned()
    };
    let bytes = read(environment, &file, MAX_COMPONENT_BYTES)?;
    let mut checked = Checked { file, id: None, faults: Vec::new(), unchecked: Vec::new() };
    if is_text(&bytes) {
        checked.document(&bytes);
        return Ok(checked);
    }
    let inspected = match inspect(&bytes) {
        Ok(inspected) => inspected,
        Err(error) => {
            checked.add("component", printable(&error.to_string()));
            return Ok(checked);
        }
    };
    let manifest = &inspected.manifest;
    checked.id = Some(manifest.id().to_owned());
    if let Some(problem) = misfit(&bytes, manifest.world) {
        checked.add("world", printable(&problem));
    }
    checked.manifest(manifest);
    checked.capabilities(&inspected);
    checked.secrets(&bytes);
    let project = if is_project { Some(Folder::open(&environment.resolve(what))?) } else { None };
    if project.as_ref().is_some_and(|project| project.folders("fixtures").is_ok_and(|names| !names.is_empty())) {
        checked.determinism(environment, what)?;
    } else {
        if let Some(project) = &project {
            note_newer(environment, project, what)?;
        }
        checked.unchecked.push("determinism: there are no fixtures to run it on".to_owned());
    }
    Ok(checked)
}

impl Checked {
    fn add(&mut self, check: &'static str, problem: String) {
        self.faults.push(Fault { check, problem });
    }

    /// Checks a JSON file: the manifest of a component, or a gene that is only text.
    fn document(&mut self, bytes: &[u8]) {
        match Manifest::from_json(bytes) {
            Ok(manifest) => {
                self.id = Some(manifest.id().to_owned());
                self.manifest(&manifest);
                self.unchecked.push("the component: this is only its manifest".to_owned());
            }
            Err(error) => match TextGene::from_json(bytes) {
                Ok(text) => self.id = Some(text.id().to_owned()),
                Err(TextGeneError::Manifest) => self.add("manifest", printable(&error.to_string())),
                Err(error) => self.add("manifest", printable(&error.to_string())),
            },
        }
    }

    fn manifest(&mut self, manifest: &Manifest) {
        for Remark { member, problem } in review(manifest) {
            self.add("manifest", printable(&format!("`{member}` {problem}")));
        }
    }

    /// Compares the capabilities that are requested with those that are imported. Some tools import the whole world, so an
    /// import without a request is a fault only of a component that imports a part of it.
    fn capabilities(&mut self, inspected: &Inspected) {
        let manifest = &inspected.manifest;
        let is_imported = |capability: Capability| {
            inspected.imports_capability(capability)
                || (capability == Capability::Workspace && inspected.imports_files())
        };
        let imports_all = Capability::ALL.into_iter().all(|capability| inspected.imports_capability(capability));
        for capability in Capability::ALL {
            let is_requested = manifest.capabilities.contains(&capability);
            if is_requested && !is_imported(capability) {
                let why = format!("{capability} is requested and never imported: remove it from `capabilities`");
                self.add("capabilities", why);
            } else if !is_requested && !imports_all && inspected.imports_capability(capability) {
                let why = format!(
                    "{capability} is imported and not requested, so every call of it is denied: add it to `capabilities`"
                );
                self.add("capabilities", why);
            }
        }
        if manifest.world == World::Heuristic && manifest.capabilities.contains(&Capability::Coverage) {
            self.add("capabilities", "coverage is requested, and a heuristic is never asked for edits".to_owned());
        }
    }

    /// Looks for secrets in the texts of the component. Only keys with a known form count: machine code is full of text that
    /// looks random.
    fn secrets(&mut self, bytes: &[u8]) {
        let mut kinds: Vec<String> = Vec::new();
        for text in texts(bytes) {
            for secret in find_keys(&text) {
                if !kinds.iter().any(|kind| kind == secret.kind) {
                    kinds.push(secret.kind.to_owned());
                }
            }
        }
        for kind in kinds {
            self.add(
                "secrets",
                format!("the component holds what looks like a secret ({kind}): remove it and build again"),
            );
        }
    }

    fn determinism(&mut self, environment: &Environment, project: &Path) -> Result<(), AppError> {
        for fixture in test(environment, project, None, false)?.fixtures {
            let differs = fixture.problems.first().is_some_and(|problem| problem.starts_with("two runs"));
            match fixture.state {
                FixtureState::Failed if differs => {
                    let problem = fixture.problems.into_iter().take(3).collect::<Vec<_>>().join("; ");
                    self.add("determinism", format!("fixture {}: {problem}", fixture.name));
                }
                FixtureState::Broken => {
                    let why = fixture.problems.into_iter().next().unwrap_or_default();
                    self.unchecked.push(format!("determinism: fixture {} cannot be run: {why}", fixture.name));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Shortest run of printable bytes that counts as a text.
const MIN_TEXT: usize = 16;

/// The texts in a binary: runs of printable characters, of one byte each or, as in AssemblyScript, of two.
fn texts(bytes: &[u8]) -> impl Iterator<Item = String> {
    let wide = [0, 1].map(|begin| {
        let pairs = bytes.get(begin..).unwrap_or_default().as_chunks::<2>().0;
        runs(pairs.iter().map(|[low, high]| if *high == 0 { *low } else { 0 }))
    });
    runs(bytes.iter().copied()).chain(wide.into_iter().flatten())
}

/// The runs of printable characters that are long enough.
fn runs(bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = String> {
    let mut run = String::new();
    // A last byte that is not printable ends the last run.
    bytes.chain([0]).filter_map(move |byte| {
        if matches!(byte, b' '..=b'~' | b'\n' | b'\t') {
            run.push(char::from(byte));
            return None;
        }
        let text = std::mem::take(&mut run);
        (text.len() >= MIN_TEXT).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_and_of_two_bytes_a_character_are_found() {
        let text = "a text that is long enough";
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for before in [&b""[..], b"\0", b"\x01\xff\x02"] {
            let binary = |content: &[u8]| [before, content, b"\0\0short\0"].concat();
            assert_eq!(texts(&binary(text.as_bytes())).collect::<Vec<_>>(), [text]);
            assert_eq!(texts(&binary(&wide)).collect::<Vec<_>>(), [text]);
        }
        assert_eq!(texts(b"").count(), 0);
        assert_eq!(texts(text.as_bytes()).count(), 1, "it ends with the binary");
    }
}

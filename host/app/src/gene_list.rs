//! The genes of a project, in the order in which they run, and why some of them do not. Nothing is compiled or run.

use std::path::Path;

use gephost_core::attest::Signature;
use gephost_core::component::lock::Pin;
use gephost_core::gene::{TextGene, is_text};
use gephost_core::grant::GeneEntry;
use gephost_core::recording::Digest;
use gephost_runner::bundled::{BUNDLED, STRATEGIST};
use gephost_runner::sandbox::{Inspected, inspect};

use crate::components::{Installed, InstalledGene};
use crate::error::AppError;
use crate::gene_file::{GeneBytes, read_text, refused};
use crate::gene_ids::{Content, GeneIds, GeneSource};
use crate::genes::check_digest;
use crate::project::Project;
use crate::vouching::{GeneFile, Vouching};

/// One gene of a project.
#[derive(Debug)]
pub struct ListedGene {
    /// What stands in its file: a component, or text.
    pub body: ListedBody,
    /// Where it comes from.
    pub source: GeneSource,
    /// Digest of its file.
    pub digest: Digest,
    /// Who vouches for it.
    pub signature: Signature,
    /// Why it does not run; `None` if it does.
    pub why_not: Option<String>,
}

/// What a listed gene is.
#[derive(Debug)]
pub enum ListedBody {
    /// A component.
    Component(Box<Inspected>),
    /// Only text, which the strategist carries out.
    Text(Box<TextGene>),
}

impl ListedGene {
    /// The id of its manifest, or of its JSON.
    pub fn id(&self) -> &str {
        match &self.body {
            ListedBody::Component(inspected) => &inspected.manifest.gene.id,
            ListedBody::Text(text) => text.id(),
        }
    }
}

impl Project {
    /// The genes that run without `--gene`, in their order, and those that do not, with the reason. The second list has the
    /// pins for which this user has no component.
    pub fn listed_genes(&self) -> Result<(Vec<ListedGene>, Vec<Pin>), AppError> {
        let vouching = self.vouching()?;
        let mut list = Vec::new();
        for bundled in BUNDLED {
            let name = Path::new(bundled.id);
            let signature = vouching.judge(name, bundled.bytes, None)?;
            let why_not = if bundled.id == STRATEGIST {
                Some("it only carries out genes that are text".to_owned())
            } else {
                (!self.config.file.genes.bundled).then(|| "`[genes] bundled` is false".to_owned())
            };
            list.push(listed(name, GeneSource::Bundled, bundled.bytes, signature, why_not)?);
        }
        for entry in &self.config.file.genes.files {
            list.push(self.listed_file(&vouching, entry)?);
        }
        let mut missing = Vec::new();
        for pin in self.gene_lock()?.iter() {
            let Installed::Pinned(InstalledGene { bytes, envelope }) = self.installed(pin)? else {
                missing.push(pin.clone());
                continue;
            };
            let name = Path::new(&pin.id);
            let signature = vouching.judge(name, &bytes, envelope.as_deref())?;
            let why_not = vouching.admit(name, &signature).err().map(|error| error.message);
            list.push(listed(name, GeneSource::Added, &bytes, signature, why_not)?);
        }
        say_clashes(&mut list);
        Ok((list, missing))
    }

    /// The component that runs here under an id without being named; `None` if the id has none, or one that does not run.
    /// Of bundled genes it is that of this program, of others the file of the config, or what the user added.
    pub(crate) fn component_named(&self, id: &str) -> Result<Option<GeneBytes>, AppError> {
        if let Some(bundled) = BUNDLED.iter().find(|bundled| bundled.id == id) {
            return Ok(component(id, bundled.bytes.to_vec(), None));
        }
        let vouching = self.vouching()?;
        for entry in &self.config.file.genes.files {
            let path = self.root.join(&entry.path);
            // A file that is missing or not let in runs nowhere, and the commands that run genes say so.
            let Ok(file) = vouching.read(&self.environment, &path) else { continue };
            if check_digest(entry, Digest::of(&file.bytes)).is_err() {
                continue;
            }
            if let Some(found) = component(id, file.bytes, file.envelope) {
                return Ok(Some(found));
            }
        }
        let lock = self.gene_lock()?;
        let Some(pin) = lock.get(id) else { return Ok(None) };
        let Installed::Pinned(InstalledGene { bytes, envelope }) = self.installed(pin)? else { return Ok(None) };
        let name = Path::new(id);
        let signature = vouching.judge(name, &bytes, envelope.as_deref())?;
        if vouching.admit(name, &signature).is_err() {
            return Ok(None);
        }
        Ok(component(id, bytes, envelope))
    }

    fn listed_file(&self, vouching: &Vouching, entry: &GeneEntry) -> Result<ListedGene, AppError> {
        let path = self.root.join(&entry.path);
        let GeneFile { bytes, signature, .. } = vouching.look_at(&self.environment, &path)?;
        let checked = vouching.admit(&path, &signature).and_then(|()| check_digest(entry, Digest::of(&bytes)));
        let why_not = checked.err().map(|error| error.message);
        listed(&path, GeneSource::File(entry.path.clone()), &bytes, signature, why_not)
    }
}

/// The bytes, if they are a component with this id.
fn component(id: &str, bytes: Vec<u8>, envelope: Option<Vec<u8>>) -> Option<GeneBytes> {
    if is_text(&bytes) {
        return None;
    }
    let manifest = inspect(&bytes).ok()?.manifest;
    (manifest.gene.id == id).then_some(GeneBytes { world: manifest.world, gene: manifest.gene, bytes, envelope })
}

fn listed(
    name: &Path,
    source: GeneSource,
    bytes: &[u8],
    signature: Signature,
    why_not: Option<String>,
) -> Result<ListedGene, AppError> {
    let body = if is_text(bytes) {
        ListedBody::Text(Box::new(read_text(name, bytes)?))
    } else {
        ListedBody::Component(Box::new(inspect(bytes).map_err(|error| refused(name, &error.into()))?))
    };
    Ok(ListedGene { body, source, digest: Digest::of(bytes), signature, why_not })
}

/// Finds the genes that another one of the list keeps from running: it has the same id, or it is the same gene.
fn say_clashes(list: &mut [ListedGene]) {
    let mut ids = GeneIds::default();
    let is_strategist = |gene: &ListedGene| gene.id() == STRATEGIST && gene.source == GeneSource::Bundled;
    for gene in list.iter_mut() {
        if gene.why_not.is_some() && !is_strategist(gene) {
            continue;
        }
        match ids.take(gene.id(), &gene.source, Content::Digest(gene.digest)) {
            Ok(true) => {}
            Ok(false) => gene.why_not = Some("it is listed already".to_owned()),
            Err(error) => gene.why_not = Some(format!("{}: no command runs genes now", error.message)),
        }
    }
}

//! The components that the user added to this clone: one file for each gene in the state of the project, with its envelope.
//!
//! What must stay true: a component runs only if `gephost.lock` pins its digest and the user put exactly these bytes here.
//! There is one file for each id, so a lock cannot lead back to an earlier version.

use std::path::Path;

use gephost_core::attest::{ENVELOPE_SUFFIX, MAX_ENVELOPE_BYTES};
use gephost_core::component::lock::{LOCK_FILE, Lock, MAX_LOCK_BYTES, Pin};
use gephost_core::recording::Digest;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::place::Place;
use gephost_runner::sandbox::MAX_COMPONENT_BYTES;

use crate::error::{AppError, ErrorKind, printable};
use crate::project::Project;
use crate::vouching::{GeneFile, Vouching};

/// A component of the state.
#[derive(Debug)]
pub struct InstalledGene {
    /// The bytes that this user said yes to.
    pub bytes: Vec<u8>,
    /// The DSSE envelope that came with them; `None` for an unsigned gene.
    pub envelope: Option<Vec<u8>>,
}

/// What this user has of a pinned gene.
#[derive(Debug)]
pub enum Installed {
    /// Exactly the pinned component.
    Pinned(InstalledGene),
    /// Another component, which the user added before the pin changed.
    Another,
    /// Nothing: the user did not add it.
    Nothing,
}

impl Project {
    /// The pins of the repository; none if there is no lock.
    pub fn gene_lock(&self) -> Result<Lock, AppError> {
        let path = self.root.join(LOCK_FILE);
        let read = lock_place(self).read(MAX_LOCK_BYTES).map_err(|error| AppError::io(&path, "read", &error))?;
        let Some(bytes) = read else { return Ok(Lock::default()) };
        Lock::read(&bytes).map_err(|error| {
            AppError::usage("gene_lock", format!("{}: {error}", path.display())).hint(
                "take the file from an earlier commit, or remove it and add the genes again: gephost gene add REF",
            )
        })
    }

    /// Writes the pins. When this returns, they are on disk.
    pub(super) fn write_lock(&self, lock: &Lock) -> Result<(), AppError> {
        let path = self.root.join(LOCK_FILE);
        lock_place(self).replace(lock.text().as_bytes()).map_err(|error| AppError::io(&path, "write", &error))
    }

    /// What this user has of a pinned gene.
    pub fn installed(&self, pin: &Pin) -> Result<Installed, AppError> {
        Ok(match self.stored(&pin.id)? {
            Some(gene) if Digest::of(&gene.bytes) == pin.digest => Installed::Pinned(gene),
            Some(_) => Installed::Another,
            None => Installed::Nothing,
        })
    }

    /// The component that the user added under this id.
    pub(super) fn stored(&self, id: &str) -> Result<Option<InstalledGene>, AppError> {
        let (component, envelope) = self.places(id);
        let read = |place: &Place, limit| {
            place.read(limit).map_err(|error| {
                AppError::io(&place.path(), "read", &error)
                    .hint(format!("to add it again: gephost gene add REF ({id})"))
            })
        };
        let Some(bytes) = read(&component, MAX_COMPONENT_BYTES)? else { return Ok(None) };
        Ok(Some(InstalledGene { bytes, envelope: read(&envelope, MAX_ENVELOPE_BYTES as u64)? }))
    }

    /// The gene that the operator names: the component that was added under this id, else the file. Whatever its signature.
    pub fn gene_named(&self, vouching: &Vouching, name: &Path) -> Result<GeneFile, AppError> {
        let lock = self.gene_lock()?;
        let Some(pin) = name.to_str().and_then(|id| lock.get(id)) else {
            return vouching.look_at(&self.environment, name);
        };
        match self.installed(pin)? {
            Installed::Pinned(InstalledGene { bytes, envelope }) => {
                let signature = vouching.judge(name, &bytes, envelope.as_deref())?;
                Ok(GeneFile { bytes, envelope, signature })
            }
            Installed::Another | Installed::Nothing => Err(not_added(pin)),
        }
    }

    /// Stores a component. The envelope of an earlier one is removed first: without its envelope a component is unsigned, and
    /// with that of another one it would fail.
    pub(super) fn store(&self, id: &str, gene: &InstalledGene) -> Result<(), AppError> {
        self.create_state()?;
        let (component, envelope) = self.places(id);
        let failed = |error: std::io::Error| AppError::io(&component.path(), "write", &error);
        component.parent().create().map_err(failed)?;
        envelope.remove().map_err(failed)?;
        component.write(&gene.bytes).map_err(failed)?;
        match &gene.envelope {
            Some(bytes) => envelope.write(bytes).map_err(failed),
            None => Ok(()),
        }
    }

    /// Removes a component. Returns whether there was one.
    pub(super) fn unstore(&self, id: &str) -> Result<bool, AppError> {
        let (component, envelope) = self.places(id);
        let removed = component.remove().and_then(|was_there| envelope.remove().map(|_| was_there));
        removed.map_err(|error| AppError::io(&component.path(), "remove", &error))
    }

    fn places(&self, id: &str) -> (Place, Place) {
        let folder = self.state.genes();
        (folder.join(format!("{id}.wasm")), folder.join(format!("{id}.wasm{ENVELOPE_SUFFIX}")))
    }
}

/// Why a pinned gene does not run.
pub(crate) fn not_added(pin: &Pin) -> AppError {
    let message = format!("gene {}: gephost.lock pins it, and you did not add this version", pin.id);
    AppError::usage("gene_not_added", message)
        .hint(format!("to look at it and add it: gephost gene add {}", printable(&pin.source)))
}

/// Refuses a gene that would stand for a bundled one.
pub(super) fn refuse_bundled(id: &str) -> Result<(), AppError> {
    if BUNDLED.iter().any(|bundled| bundled.id == id) {
        return Err(AppError::new(ErrorKind::Usage, "gene_refused", format!("{id} is the id of a bundled gene")));
    }
    Ok(())
}

fn lock_place(project: &Project) -> Place {
    Place::shared(&project.root).join(LOCK_FILE)
}

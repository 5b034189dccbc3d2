//! `gene add` and `gene remove`: the user's yes to one component in this clone, and its pin.

use std::path::Path;

use gephost_core::attest::Signature;
use gephost_core::component::lock::{Asks, Pin};
use gephost_core::component::reference::Reference;
use gephost_core::gene::{Manifest, is_text};
use gephost_core::recording::Digest;
use gephost_runner::sandbox::inspect;

use super::exchange::Fetched;
use super::installed::{InstalledGene, refuse_bundled};
use crate::error::{AppError, ErrorKind};
use crate::gene_file::refused;
use crate::project::Project;
use crate::vouching::Vouching;

/// What `gene add` did, or would do.
#[derive(Debug)]
pub struct Added {
    /// What the component says of itself.
    pub manifest: Manifest,
    /// Digest of the component.
    pub digest: Digest,
    /// Bytes of the component.
    pub size: u64,
    /// Who vouches for it.
    pub signature: Signature,
    /// The reference that is pinned: it leads to exactly this component, if its source can promise that.
    pub source: String,
    /// What was there before.
    pub earlier: Option<Earlier>,
    /// In what it goes beyond what was there before.
    pub wider: Vec<String>,
    /// Whether it was added. If not, nothing was changed.
    pub added: bool,
}

/// What stood under the id before.
#[derive(Debug)]
pub struct Earlier {
    /// Digest of the component.
    pub digest: Digest,
    /// What it asks for. If this user never added it, this is what the lock says.
    pub asks: Asks,
    /// Whether this user had added it.
    pub was_added: bool,
}

impl Project {
    /// Adds a component to this clone, and pins it in `gephost.lock`. Grants nothing. An update that asks for more than what
    /// was there before is added only if `accept` is given.
    pub fn add_gene(&self, reference: &Reference, accept: bool) -> Result<Added, AppError> {
        let vouching = self.vouching()?;
        let Fetched { bytes, envelope, signature, source } = self.fetch(&vouching, reference)?;
        let name = reference.to_string();
        let name = Path::new(&name);
        if is_text(&bytes) {
            let message = format!("{reference} is a gene that is only text: it has no component to add");
            return Err(
                AppError::usage("gene_refused", message).hint("to take it in as an asset: gephost asset import FILE")
            );
        }
        let manifest = inspect(&bytes).map_err(|error| refused(name, &error.into()))?.manifest;
        refuse_bundled(manifest.id())?;
        if let Reference::HubGene(id) = reference
            && id != manifest.id()
        {
            let message = format!("{reference} has a component of another gene: {}", manifest.id());
            return Err(AppError::new(ErrorKind::Failed, "gene_refused", message));
        }
        vouching.admit(name, &signature)?;
        let (digest, size) = (Digest::of(&bytes), bytes.len() as u64);
        let asks = asks(&manifest, &signature);
        let mut lock = self.gene_lock()?;
        let earlier = self.earlier(&vouching, lock.get(manifest.id()), manifest.id())?;
        // The same bytes ask for nothing new, whatever a lock said of them.
        let before = earlier.as_ref().filter(|earlier| earlier.digest != digest);
        let wider = before.map(|earlier| earlier.asks.widened_by(&asks)).unwrap_or_default();
        let added = wider.is_empty() || accept;
        if added {
            let pin = Pin {
                id: manifest.id().to_owned(),
                digest,
                source: source.clone(),
                world: manifest.world,
                capabilities: manifest.capabilities.clone(),
            };
            lock.insert(pin).map_err(|error| AppError::usage("gene_lock", error.to_string()))?;
            // First the component, then its pin: a pin alone runs nothing, and neither does a component alone.
            self.store(manifest.id(), &InstalledGene { bytes, envelope })?;
            self.write_lock(&lock)?;
        }
        Ok(Added { manifest, digest, size, signature, source, earlier, wider, added })
    }

    /// Takes a gene out of this clone and out of `gephost.lock`. Returns whether either had it.
    pub fn remove_gene(&self, id: &str) -> Result<bool, AppError> {
        let mut lock = self.gene_lock()?;
        let was_pinned = lock.remove(id).is_some();
        if was_pinned {
            self.write_lock(&lock)?;
        }
        Ok(self.unstore(id)? || was_pinned)
    }

    fn earlier(&self, vouching: &Vouching, pin: Option<&Pin>, id: &str) -> Result<Option<Earlier>, AppError> {
        if let Some(stored) = self.stored(id)? {
            let name = Path::new(id);
            // What cannot be read any more is no measure of what comes after it.
            if let Ok(found) = inspect(&stored.bytes) {
                let signature = vouching.judge(name, &stored.bytes, stored.envelope.as_deref())?;
                let asks = asks(&found.manifest, &signature);
                return Ok(Some(Earlier { digest: Digest::of(&stored.bytes), asks, was_added: true }));
            }
        }
        Ok(pin.map(|pin| {
            let asks = Asks { world: pin.world, capabilities: pin.capabilities.clone(), is_verified: false };
            Earlier { digest: pin.digest, asks, was_added: false }
        }))
    }
}

fn asks(manifest: &Manifest, signature: &Signature) -> Asks {
    Asks { world: manifest.world, capabilities: manifest.capabilities.clone(), is_verified: signature.is_verified() }
}

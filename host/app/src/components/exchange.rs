//! `gene pull` and `gene push`: components between files, registries and hubs.

use std::path::Path;

use gephost_core::attest::Signature;
use gephost_core::component::reference::Reference;
use gephost_core::gene::is_text;
use gephost_core::recording::Digest;
use gephost_runner::sandbox::inspect;

use super::offer::{Found, Offered};
use super::source::{LIMIT, source_of};
use crate::error::AppError;
use crate::gene_file::{read_text, refused};
use crate::project::Project;
use crate::vouching::{GeneFile, Vouching};

/// A component that was fetched and judged. Nothing of it ran.
pub(super) struct Fetched {
    pub(super) bytes: Vec<u8>,
    pub(super) envelope: Option<Vec<u8>>,
    pub(super) signature: Signature,
    /// The reference that is pinned.
    pub(super) source: String,
}

/// A component that was pulled.
#[derive(Debug)]
pub struct PulledGene {
    /// The bytes of the component, which nobody has run.
    pub bytes: Vec<u8>,
    /// The SHA-256 of these bytes.
    pub digest: Digest,
    /// The envelope that counts most: one that verifies, if there is one.
    pub envelope: Option<Vec<u8>>,
    /// Who vouches for it.
    pub signature: Signature,
    /// The id in the component's manifest.
    pub gene: String,
    /// A reference that leads to exactly this component.
    pub source: String,
}

/// A component that was pushed.
#[derive(Debug)]
pub struct PushedGene {
    /// The id in the component's manifest.
    pub gene: String,
    /// Digest of the component.
    pub digest: Digest,
    /// A reference that leads to exactly this component.
    pub source: String,
    /// Who vouches for it, as seen by this user.
    pub signature: Signature,
    /// Whether the envelope beside the file was pushed too.
    pub with_envelope: bool,
}

impl Project {
    /// Gets a component, and judges its signature: one that failed is refused. Writes nothing.
    pub fn pull_gene(&self, reference: &Reference) -> Result<PulledGene, AppError> {
        let Fetched { bytes, envelope, signature, source } = self.fetch(&self.vouching()?, reference)?;
        let name = reference.to_string();
        Vouching::refuse_failed(Path::new(&name), &signature)?;
        let gene = id_of(Path::new(&name), &bytes)?;
        Ok(PulledGene { digest: Digest::of(&bytes), bytes, envelope, signature, gene, source })
    }

    /// Puts a component file, and the envelope beside it, into a registry or onto a hub. The bytes are checked as before a
    /// load, and nothing of them runs.
    pub fn push_gene(&self, file: &Path, reference: &Reference) -> Result<PushedGene, AppError> {
        let to = source_of(&self.environment, reference)?;
        let GeneFile { bytes, envelope, signature } = self.vouching()?.look_at(&self.environment, file)?;
        Vouching::refuse_failed(file, &signature)?;
        let inspected = inspect(&bytes).map_err(|error| refused(file, &error.into()))?;
        let digest = Digest::of(&bytes);
        let source = to.push(&Offered {
            bytes: &bytes,
            digest,
            envelope: envelope.as_deref(),
            imports: &inspected.imports,
            exports: &inspected.exports,
        })?;
        let (gene, with_envelope) = (inspected.manifest.id().to_owned(), envelope.is_some());
        Ok(PushedGene { gene, digest, source: source.to_string(), signature, with_envelope })
    }

    pub(super) fn fetch(&self, vouching: &Vouching, reference: &Reference) -> Result<Fetched, AppError> {
        if let Reference::File(name) = reference {
            let path = Path::new(name);
            let GeneFile { bytes, envelope, signature } = vouching.look_at(&self.environment, path)?;
            return Ok(Fetched { bytes, envelope, signature, source: self.name_in_lock(path) });
        }
        let Found { bytes, envelopes, source } = source_of(&self.environment, reference)?.pull(LIMIT)?;
        if let Reference::HubComponent(expected) = reference
            && Digest::of(&bytes) != *expected
        {
            let message = format!("{reference}: the component has another digest, {}", Digest::of(&bytes));
            return Err(AppError::failed("digest_mismatch", message));
        }
        let (envelope, signature) = best(vouching, reference, &bytes, envelopes)?;
        Ok(Fetched { bytes, envelope, signature, source: source.to_string() })
    }

    /// How the lock names a file: by its place in the project, else by its name, since nobody else has the folders of this
    /// machine.
    fn name_in_lock(&self, path: &Path) -> String {
        let full = self.environment.resolve(path);
        let name = || full.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.within(&full).unwrap_or_else(name)
    }
}

/// The envelope that counts most: one that verifies, else one of a stranger, else the first one. Anybody may have attached
/// the others.
fn best(
    vouching: &Vouching,
    reference: &Reference,
    bytes: &[u8],
    envelopes: Vec<Vec<u8>>,
) -> Result<(Option<Vec<u8>>, Signature), AppError> {
    let name = reference.to_string();
    let (mut stranger, mut first) = (None, None);
    for envelope in envelopes {
        let signature = vouching.judge(Path::new(&name), bytes, Some(&envelope))?;
        match signature {
            Signature::Verified { .. } => return Ok((Some(envelope), signature)),
            Signature::Stranger(_) => {
                stranger.get_or_insert((Some(envelope), signature));
            }
            Signature::Unsigned | Signature::Failed(_) => {
                first.get_or_insert((Some(envelope), signature));
            }
        }
    }
    match stranger.or(first) {
        Some(found) => Ok(found),
        None => Ok((None, vouching.judge(Path::new(&name), bytes, None)?)),
    }
}

fn id_of(name: &Path, bytes: &[u8]) -> Result<String, AppError> {
    if is_text(bytes) {
        return Ok(read_text(name, bytes)?.id().to_owned());
    }
    Ok(inspect(bytes).map_err(|error| refused(name, &error.into()))?.manifest.id().to_owned())
}

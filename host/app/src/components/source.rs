//! Where components come from and go to: files, OCI registries, hubs.

use std::path::Path;

use gephost_core::component::reference::{OciReference, Reference};
use gephost_core::recording::Digest;
use gephost_oci::{Component, Credentials, MAX_DOCKER_CONFIG_BYTES, OciError, Registry};
use gephost_runner::regular_file;
use gephost_runner::sandbox::MAX_COMPONENT_BYTES;

use super::hub::{HubSource, Wanted};
use super::offer::{ComponentSource, Found, Offered};
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::files::read_bounded;

/// The source on the network that a reference names. Refused for a file, and with `--offline`.
pub(super) fn source_of(
    environment: &Environment,
    reference: &Reference,
) -> Result<Box<dyn ComponentSource>, AppError> {
    if environment.offline && !matches!(reference, Reference::File(_)) {
        let message = format!("`--offline` is given, and {reference} is reached over the network");
        return Err(AppError::usage("offline", message));
    }
    match reference {
        Reference::File(_) => {
            let message = format!("{reference} is a file: a component is pushed to a registry or a hub");
            Err(AppError::usage("reference", message).hint("name it as oci://HOST/NAME:TAG"))
        }
        Reference::Oci(oci) => Ok(Box::new(OciSource::new(environment, oci)?)),
        Reference::HubComponent(digest) => Ok(Box::new(HubSource::new(environment, Wanted::Component(*digest)))),
        Reference::HubGene(id) => Ok(Box::new(HubSource::new(environment, Wanted::Gene(id.clone())))),
    }
}

struct OciSource {
    registry: Registry,
    reference: OciReference,
}

impl OciSource {
    fn new(environment: &Environment, reference: &OciReference) -> Result<Self, AppError> {
        let credentials = credentials(environment, &reference.registry)?;
        Ok(Self { registry: Registry::new(reference, credentials), reference: reference.clone() })
    }

    fn at(&self, manifest: Digest) -> Reference {
        Reference::Oci(self.reference.at(manifest))
    }

    fn failed(&self, error: &OciError) -> AppError {
        let (kind, code) = match error {
            OciError::Unauthenticated(_) => (ErrorKind::Unauthenticated, "registry_credentials"),
            OciError::NotFound(_) => (ErrorKind::Usage, "not_in_registry"),
            OciError::Digest { .. } => (ErrorKind::Failed, "digest_mismatch"),
            OciError::TooLarge { .. } => (ErrorKind::Failed, "too_large"),
            _ => (ErrorKind::Failed, "registry"),
        };
        let failed = AppError::new(kind, code, format!("{}: {error}", self.reference));
        if code == "registry_credentials" {
            return failed.hint(
                "set GEPHOST_OCI_USER and GEPHOST_OCI_PASSWORD, or GEPHOST_OCI_TOKEN, or log in with `docker login` \
                 without a credential helper",
            );
        }
        failed
    }
}

impl ComponentSource for OciSource {
    fn pull(&self, limit: u64) -> Result<Found, AppError> {
        let pulled = self.registry.pull(limit).map_err(|error| self.failed(&error))?;
        Ok(Found { bytes: pulled.bytes, envelopes: pulled.envelopes, source: self.at(pulled.manifest) })
    }

    fn push(&self, gene: &Offered<'_>) -> Result<Reference, AppError> {
        let Offered { bytes, envelope, imports, exports, .. } = *gene;
        let component = Component { bytes, imports, exports, envelope };
        self.registry.push(&component).map(|manifest| self.at(manifest)).map_err(|error| self.failed(&error))
    }
}

/// The operator's credentials for a registry: of the environment, else those that `docker login` keeps.
fn credentials(environment: &Environment, registry: &str) -> Result<Credentials, AppError> {
    let text = |name: &str| match environment.variable(name) {
        Some(value) if !value.is_empty() => {
            let text = value.to_str().ok_or_else(|| AppError::usage("not_utf8", format!("{name} is not UTF-8 text")));
            text.map(|text| Some(text.to_owned()))
        }
        _ => Ok(None),
    };
    if let Some(token) = text("GEPHOST_OCI_TOKEN")? {
        return Ok(Credentials::Token(token));
    }
    if let (Some(user), Some(password)) = (text("GEPHOST_OCI_USER")?, text("GEPHOST_OCI_PASSWORD")?) {
        return Ok(Credentials::Basic { user, password });
    }
    let folder = match environment.variable("DOCKER_CONFIG") {
        Some(folder) => Path::new(folder).to_owned(),
        None => environment.machine.home.join(".docker"),
    };
    let path = folder.join("config.json");
    match regular_file::open(&path) {
        Ok(file) => Ok(Credentials::of_docker_config(&read_bounded(&path, file, MAX_DOCKER_CONFIG_BYTES)?, registry)),
        Err(_) => Ok(Credentials::Anonymous),
    }
}

/// The largest component that is pulled, in bytes.
pub(super) const LIMIT: u64 = MAX_COMPONENT_BYTES;

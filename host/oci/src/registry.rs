//! A repository of a registry, as a place for one component at a time.

use gephost_core::attest::MAX_ENVELOPE_BYTES;
use gephost_core::component::reference::{OciReference, OciVersion};
use gephost_core::recording::Digest;
use ureq::http::Method;

use crate::MAX_ENVELOPES;
use crate::artifact::{
    Descriptor, EMPTY, INDEX_TYPE, MANIFEST_TYPE, MAX_MANIFEST_BYTES, component_of, config, envelope_of, listed,
    manifest, referrer, referrers,
};
use crate::auth::Credentials;
use crate::error::OciError;
use crate::http::{Ask, Session, read, verified};

/// The type of any blob.
const BLOB_TYPE: &str = "application/octet-stream";

/// A component to push.
#[derive(Debug, Clone, Copy)]
pub struct Component<'a> {
    /// The component.
    pub bytes: &'a [u8],
    /// Names of its imports, for whoever looks at the artifact.
    pub imports: &'a [String],
    /// Names of its exports.
    pub exports: &'a [String],
    /// The DSSE envelope of the component, if there is one.
    pub envelope: Option<&'a [u8]>,
}

/// A component that was pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulled {
    /// The digest of its manifest, which names this version for ever.
    pub manifest: Digest,
    /// The component. Its digest is that of the manifest.
    pub bytes: Vec<u8>,
    /// The envelopes that refer to it, unverified, at most [`MAX_ENVELOPES`].
    pub envelopes: Vec<Vec<u8>>,
}

/// A repository of a registry.
pub struct Registry {
    session: Session,
    version: OciVersion,
}

impl Registry {
    /// The repository of a reference. Contacts nobody yet.
    pub fn new(reference: &OciReference, credentials: Credentials) -> Self {
        Self { session: Session::new(reference, credentials), version: reference.version.clone() }
    }

    /// Pulls the component, of at most `limit` bytes, and its envelopes.
    pub fn pull(&self, limit: u64) -> Result<Pulled, OciError> {
        let manifest = match &self.version {
            OciVersion::Tag(tag) => self.manifest(tag)?,
            OciVersion::Manifest(digest) => self.manifest_at(*digest)?,
        };
        let subject = Digest::of(&manifest);
        let component = component_of(&manifest)?;
        let bytes = self.blob(component, limit, "the component")?;
        Ok(Pulled { manifest: subject, bytes, envelopes: self.envelopes(subject)? })
    }

    /// Pushes a component under the tag of the reference, and its envelope beside it. Returns the digest of the manifest.
    /// The tag is set last, after everything that it leads to is there.
    pub fn push(&self, component: &Component<'_>) -> Result<Digest, OciError> {
        let layer = Descriptor::of(component.bytes);
        let config = config(layer, component.imports, component.exports);
        let made = manifest(Descriptor::of(&config), layer);
        let subject = Descriptor::of(&made);
        if let OciVersion::Manifest(expected) = self.version {
            // The digest of a reference is a promise.
            verified(made.clone(), expected, "the manifest of this component")?;
        }
        self.put_blob(component.bytes, "the component")?;
        self.put_blob(&config, "the config")?;
        self.put_manifest(&subject.digest.to_string(), MANIFEST_TYPE, &made)?;
        if let Some(envelope) = component.envelope {
            self.push_envelope(envelope, subject)?;
        }
        if let OciVersion::Tag(tag) = &self.version {
            self.put_manifest(tag, MANIFEST_TYPE, &made)?;
        }
        Ok(subject.digest)
    }

    fn manifest(&self, name: &str) -> Result<Vec<u8>, OciError> {
        let what = format!("manifest {name}");
        let ask = Ask::new(Method::GET, self.session.url(&format!("manifests/{name}")), what.as_str());
        let mut response = self.session.expect(&ask.accept(MANIFEST_TYPE), &[200])?;
        read(&mut response, MAX_MANIFEST_BYTES, &what)
    }

    fn manifest_at(&self, digest: Digest) -> Result<Vec<u8>, OciError> {
        verified(self.manifest(&digest.to_string())?, digest, "the manifest")
    }

    /// A blob of a known digest and size.
    fn blob(&self, blob: Descriptor, limit: u64, what: &str) -> Result<Vec<u8>, OciError> {
        if blob.size > limit {
            return Err(OciError::TooLarge { what: what.to_owned(), limit });
        }
        let ask = Ask::new(Method::GET, self.session.url(&format!("blobs/{}", blob.digest)), what);
        let mut response = self.session.expect(&ask, &[200])?;
        verified(read(&mut response, blob.size, what)?, blob.digest, what)
    }

    /// The envelopes that refer to a manifest. One that cannot be read is an error: nobody can hide one by breaking it.
    fn envelopes(&self, subject: Digest) -> Result<Vec<Vec<u8>>, OciError> {
        let mut envelopes = Vec::new();
        let Some(list) = self.referrers(subject)? else { return Ok(envelopes) };
        for listed in referrers(&list)?.into_iter().take(MAX_ENVELOPES) {
            if let Some(envelope) = envelope_of(&self.manifest_at(listed.digest)?, subject)? {
                envelopes.push(self.blob(envelope, MAX_ENVELOPE_BYTES as u64, "an envelope")?);
            }
        }
        Ok(envelopes)
    }

    /// The list of what refers to a manifest: of the registry's API, or else of the fallback tag.
    fn referrers(&self, subject: Digest) -> Result<Option<Vec<u8>>, OciError> {
        match self.referrers_of_api(subject)? {
            Some(list) => Ok(Some(list)),
            None => self.referrers_of_tag(subject),
        }
    }

    fn referrers_of_api(&self, subject: Digest) -> Result<Option<Vec<u8>>, OciError> {
        let url = self.session.url(&format!("referrers/{subject}"));
        self.list(Ask::new(Method::GET, url, "the list of referrers"))
    }

    fn referrers_of_tag(&self, subject: Digest) -> Result<Option<Vec<u8>>, OciError> {
        let url = self.session.url(&format!("manifests/{}", fallback_tag(subject)));
        self.list(Ask::new(Method::GET, url, "the list of referrers"))
    }

    fn list(&self, ask: Ask<'_>) -> Result<Option<Vec<u8>>, OciError> {
        let mut response = match self.session.expect(&ask.accept(INDEX_TYPE), &[200]) {
            Err(OciError::NotFound(_)) => return Ok(None),
            response => response?,
        };
        read(&mut response, MAX_MANIFEST_BYTES, "the list of referrers").map(Some)
    }

    fn push_envelope(&self, envelope: &[u8], subject: Descriptor) -> Result<(), OciError> {
        self.put_blob(envelope, "the envelope")?;
        self.put_blob(EMPTY, "the config")?;
        let made = referrer(Descriptor::of(envelope), subject);
        let one = Descriptor::of(&made);
        let is_listed_by_registry = self.put_manifest(&one.digest.to_string(), MANIFEST_TYPE, &made)?;
        if is_listed_by_registry {
            return Ok(());
        }
        let earlier = self.referrers_of_tag(subject.digest)?;
        match listed(earlier.as_deref(), one)? {
            Some(list) => self.put_manifest(&fallback_tag(subject.digest), INDEX_TYPE, &list).map(drop),
            None => Ok(()),
        }
    }

    /// Puts a blob, unless it is there.
    fn put_blob(&self, bytes: &[u8], what: &str) -> Result<(), OciError> {
        let digest = Digest::of(bytes);
        let there = Ask::new(Method::HEAD, self.session.url(&format!("blobs/{digest}")), what);
        if self.session.ask(&there)?.status() == 200 {
            return Ok(());
        }
        let begin = Ask::new(Method::POST, self.session.url("blobs/uploads/"), what);
        let opened = self.session.expect(&begin, &[202])?;
        let location = self.session.location(&begin.url, &opened)?;
        let joint = if location.contains('?') { '&' } else { '?' };
        let put = Ask::new(Method::PUT, format!("{location}{joint}digest={digest}"), what).body(BLOB_TYPE, bytes);
        self.session.expect(&put, &[201]).map(drop)
    }

    /// Puts a manifest under a tag or its digest. Returns whether the registry lists it among the referrers of its subject.
    fn put_manifest(&self, name: &str, media_type: &str, bytes: &[u8]) -> Result<bool, OciError> {
        let url = self.session.url(&format!("manifests/{name}"));
        let put = Ask::new(Method::PUT, url, format!("manifest {name}")).body(media_type, bytes);
        let response = self.session.expect(&put, &[201])?;
        // A registry that stores something else than it was given would break every digest above.
        if let Some(stored) = response.headers().get("docker-content-digest").and_then(|value| value.to_str().ok()) {
            let expected = Digest::of(bytes).to_string();
            if stored != expected {
                let (what, found) = ("the manifest that the registry stored".to_owned(), stored.to_owned());
                return Err(OciError::Digest { what, expected, found });
            }
        }
        Ok(response.headers().contains_key("oci-subject"))
    }
}

/// The tag under which registries without the referrers API keep their list.
fn fallback_tag(subject: Digest) -> String {
    format!("sha256-{}", subject.hex())
}

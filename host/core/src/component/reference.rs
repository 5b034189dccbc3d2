//! Where a gene comes from, as `gephost gene add`, `pull` and `push` take it: a file, `oci://…` or `hub:…`.
//!
//! Sources: the OCI distribution specification 1.1 (names and tags), RFC 3986 (authorities).

use core::net::{Ipv4Addr, Ipv6Addr};
use std::fmt;

use crate::gene::is_id;
use crate::recording::Digest;

const OCI: &str = "oci://";
const HUB: &str = "hub:";
/// The tag that is meant if none is named.
const LATEST: &str = "latest";
/// The most characters of an OCI repository's name, and of a host's.
const MAX_NAME: usize = 255;
/// The most characters of a tag, and of a gene's id.
const MAX_TAG: usize = 128;

/// A reference that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A file.
    File(String),
    /// A component in an OCI registry.
    Oci(OciReference),
    /// A component on a hub, by its digest.
    HubComponent(Digest),
    /// The component of a gene on a hub, by the gene's id.
    HubGene(String),
}

/// A component in an OCI registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OciReference {
    /// Host, and port if one is named.
    pub registry: String,
    /// The repository's name.
    pub repository: String,
    /// Which version of it.
    pub version: OciVersion,
}

/// A version of an OCI repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OciVersion {
    /// A name, which may be given to something else later.
    Tag(String),
    /// The digest of a manifest.
    Manifest(Digest),
}

/// Why a text is no reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// There is nothing, or something that no name has.
    #[error("a reference is a file, `oci://HOST/NAME:TAG` or `hub:…`, without control characters")]
    Form,
    /// A scheme that gephost does not know.
    #[error("{0:?} is not a scheme of a reference: use a file, `oci://HOST/NAME:TAG` or `hub:…`")]
    Scheme(String),
    /// The host of a registry.
    #[error("{0:?} is not the host of a registry: write `HOST` or `HOST:PORT`, without a user's name")]
    Registry(String),
    /// The name of a repository.
    #[error(
        "{0:?} is not the name of an OCI repository: use lower-case letters and digits, joined by `.`, `_`, `-` and `/`"
    )]
    Repository(String),
    /// A tag.
    #[error("{0:?} is not a tag: use at most {MAX_TAG} letters, digits, `.`, `_` and `-`")]
    Tag(String),
    /// A tag that belongs to signatures.
    #[error("the tag {0:?} is where registries keep signatures: name another tag")]
    SignatureTag(String),
    /// A digest.
    #[error("{0:?} is not a digest: write `sha256:` and 64 hexadecimal digits")]
    Digest(String),
    /// A gene's id.
    #[error("{0:?} is not the id of a gene: use 1 to {MAX_TAG} of the characters a-z, 0-9, `_`, `.` and `-`")]
    GeneId(String),
}

impl Reference {
    /// Reads a reference. A text without a scheme is a file.
    pub fn read(text: &str) -> Result<Self, ReferenceError> {
        if text.is_empty() || text.contains(char::is_control) {
            return Err(ReferenceError::Form);
        }
        if let Some(rest) = text.strip_prefix(OCI) {
            return OciReference::read(rest).map(Self::Oci);
        }
        if let Some(rest) = text.strip_prefix(HUB) {
            return read_hub(rest);
        }
        match text.split_once("://") {
            Some((scheme, _)) => Err(ReferenceError::Scheme(scheme.to_owned())),
            None => Ok(Self::File(text.to_owned())),
        }
    }
}

/// The one spelling of a reference.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(path),
            Self::Oci(oci) => oci.fmt(f),
            Self::HubComponent(digest) => write!(f, "{HUB}{digest}"),
            Self::HubGene(id) => write!(f, "{HUB}{id}"),
        }
    }
}

impl fmt::Display for OciReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { registry, repository, version } = self;
        match version {
            OciVersion::Tag(tag) => write!(f, "{OCI}{registry}/{repository}:{tag}"),
            OciVersion::Manifest(digest) => write!(f, "{OCI}{registry}/{repository}@{digest}"),
        }
    }
}

impl OciReference {
    fn read(rest: &str) -> Result<Self, ReferenceError> {
        let (registry, path) = rest.split_once('/').ok_or_else(|| ReferenceError::Repository(String::new()))?;
        if !is_authority(registry) {
            return Err(ReferenceError::Registry(registry.to_owned()));
        }
        let (name, version) = match path.split_once('@') {
            Some((name, digest)) => (name, OciVersion::Manifest(digest_of(digest)?)),
            None => match path.split_once(':') {
                Some((name, tag)) => (name, OciVersion::Tag(tag_of(tag)?)),
                None => (path, OciVersion::Tag(LATEST.to_owned())),
            },
        };
        if !is_repository(name) {
            return Err(ReferenceError::Repository(name.to_owned()));
        }
        Ok(Self { registry: registry.to_owned(), repository: name.to_owned(), version })
    }

    /// The host without its port.
    pub fn host(&self) -> &str {
        split_port(&self.registry).0
    }

    /// Whether the registry is on this machine, by the spelling of its host.
    pub fn is_loopback(&self) -> bool {
        is_loopback(self.host())
    }

    /// The same repository at the manifest with this digest.
    #[must_use]
    pub fn at(&self, manifest: Digest) -> Self {
        Self { version: OciVersion::Manifest(manifest), ..self.clone() }
    }
}

/// Whether a host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. A name that only leads there is not.
pub fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match bare {
        Some(address) => address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
        None => host == "localhost" || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback()),
    }
}

fn read_hub(rest: &str) -> Result<Reference, ReferenceError> {
    // A digest is spelled in several ways: with a colon, with a hyphen, and without either.
    if let Some(hex) = rest.strip_prefix("sha256") {
        let hex = hex.strip_prefix([':', '-']).unwrap_or(hex).to_ascii_lowercase();
        let digest = Digest::from_hex(&hex).map_err(|_| ReferenceError::Digest(rest.to_owned()))?;
        return Ok(Reference::HubComponent(digest));
    }
    if is_id(rest) { Ok(Reference::HubGene(rest.to_owned())) } else { Err(ReferenceError::GeneId(rest.to_owned())) }
}

fn digest_of(text: &str) -> Result<Digest, ReferenceError> {
    let read = text.strip_prefix("sha256:").and_then(|hex| Digest::from_hex(hex).ok());
    read.ok_or_else(|| ReferenceError::Digest(text.to_owned()))
}

fn tag_of(text: &str) -> Result<String, ReferenceError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if text.is_empty() || text.len() > MAX_TAG || !text.chars().all(fits) || text.starts_with(['.', '-']) {
        return Err(ReferenceError::Tag(text.to_owned()));
    }
    if text.strip_prefix("sha256-").is_some_and(|hex| Digest::from_hex(hex).is_ok()) {
        return Err(ReferenceError::SignatureTag(text.to_owned()));
    }
    Ok(text.to_owned())
}

/// Host and port of an authority. The colons of an address in brackets belong to the host.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn is_authority(text: &str) -> bool {
    let (host, port) = split_port(text);
    let is_port = |port: &str| !port.starts_with('0') && port.parse::<u16>().is_ok() && !port.starts_with('+');
    let is_label = |label: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty() && label.chars().all(fits) && !label.starts_with('-') && !label.ends_with('-')
    };
    let is_host = match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').is_some_and(|address| address.parse::<Ipv6Addr>().is_ok()),
        None => host.len() <= MAX_NAME && host.split('.').all(is_label),
    };
    is_host && port.is_none_or(is_port)
}

/// Parts of lower-case letters and digits, joined within a part by `.`, `_`, `__` or hyphens.
fn is_repository(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part = |part: &str| {
        let ends_well = part.starts_with(is_plain) && part.ends_with(is_plain);
        let is_joint = |joint: &str| matches!(joint, "" | "." | "_" | "__") || joint.chars().all(|c| c == '-');
        ends_well && part.split(is_plain).all(is_joint)
    };
    text.len() <= MAX_NAME && text.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn good_references_have_one_spelling() {
        for (text, spelled) in [
            ("gene.wasm", "gene.wasm"),
            ("./a b/gene.wasm", "./a b/gene.wasm"),
            ("/abs/gene.json", "/abs/gene.json"),
            ("C:gene.wasm", "C:gene.wasm"),
            ("oci://ghcr.io/me/gene", "oci://ghcr.io/me/gene:latest"),
            ("oci://ghcr.io/me/gene:v1.2", "oci://ghcr.io/me/gene:v1.2"),
            ("oci://127.0.0.1:5000/g", "oci://127.0.0.1:5000/g:latest"),
            ("oci://localhost/a__b/c-d.e:X", "oci://localhost/a__b/c-d.e:X"),
            ("oci://[::1]:5000/g:t", "oci://[::1]:5000/g:t"),
            ("hub:gene_x.y-1", "hub:gene_x.y-1"),
        ] {
            let read = Reference::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.to_string(), spelled);
            assert_eq!(Reference::read(spelled), Ok(read), "{spelled}");
        }
        let at = format!("oci://ghcr.io/me/gene@sha256:{HEX}");
        assert_eq!(Reference::read(&at).unwrap().to_string(), at);
        for text in [
            format!("sha256:{HEX}"),
            format!("sha256-{HEX}"),
            format!("sha256{HEX}"),
            format!("sha256:{}", HEX.to_uppercase()),
        ] {
            let read = Reference::read(&format!("hub:{text}")).unwrap();
            assert_eq!(read.to_string(), format!("hub:sha256:{HEX}"));
        }
    }

    #[test]
    fn bad_references_are_refused_by_their_part() {
        let kind = |text: &str| match Reference::read(text) {
            Ok(read) => format!("{read:?}"),
            Err(error) => format!("{error:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
        };
        for (text, part) in [
            ("", "Form"),
            ("a\u{1b}[2J", "Form"),
            ("https://ghcr.io/me/gene", "Scheme"),
            ("OCI://ghcr.io/me/gene", "Scheme"),
            ("oci://ghcr.io", "Repository"),
            ("oci://ghcr.io/", "Repository"),
            ("oci:///gene", "Registry"),
            ("oci://user:secret@ghcr.io/gene", "Registry"),
            ("oci://ghcr.io:0/gene", "Registry"),
            ("oci://ghcr.io:65536/gene", "Registry"),
            ("oci://ghcr.io:/gene", "Registry"),
            ("oci://ghcr.io:+80/gene", "Registry"),
            ("oci://-a.io/gene", "Registry"),
            ("oci://a..io/gene", "Registry"),
            ("oci://a?b/gene", "Registry"),
            ("oci://[::1/gene", "Registry"),
            ("oci://::1/gene", "Registry"),
            ("oci://ghcr.io/Me/gene", "Repository"),
            ("oci://ghcr.io/me//gene", "Repository"),
            ("oci://ghcr.io/../gene", "Repository"),
            ("oci://ghcr.io/me/gene.", "Repository"),
            ("oci://ghcr.io/a..b", "Repository"),
            ("oci://ghcr.io/a___b", "Repository"),
            ("oci://ghcr.io/a?x=y", "Repository"),
            ("oci://ghcr.io/a%2fb", "Repository"),
            ("oci://ghcr.io/gene:", "Tag"),
            ("oci://ghcr.io/gene:.a", "Tag"),
            ("oci://ghcr.io/gene:a/b", "Tag"),
            ("oci://ghcr.io/gene:a:b", "Tag"),
            ("oci://ghcr.io/gene@sha256:00", "Digest"),
            ("oci://ghcr.io/gene@sha512:00", "Digest"),
            ("hub:", "GeneId"),
            ("hub:Gene", "GeneId"),
            ("hub:a/b", "GeneId"),
            ("hub://a", "GeneId"),
            ("hub:sha256:00", "Digest"),
            ("hub:sha256", "Digest"),
        ] {
            assert_eq!(kind(text), part, "{text}");
        }
        assert_eq!(kind(&format!("oci://ghcr.io/gene:{}", "t".repeat(129))), "Tag");
        assert_eq!(kind(&format!("oci://ghcr.io/{}", "n".repeat(256))), "Repository");
        assert_eq!(kind(&format!("oci://ghcr.io/gene:sha256-{HEX}")), "SignatureTag");
        assert_eq!(kind(&format!("oci://ghcr.io/gene:tag@sha256:{HEX}")), "Repository", "a tag or a digest, not both");
        assert_eq!(kind(&format!("oci://ghcr.io/gene@sha256:{}", HEX.to_uppercase())), "Digest");
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (registry, expected) in [
            ("localhost", true),
            ("localhost:5000", true),
            ("127.0.0.1", true),
            ("127.9.9.9:80", true),
            ("[::1]:80", true),
            ("[::2]:80", false),
            ("localhost.example.org", false),
            ("127.0.0.1.nip.io", false),
            ("0.0.0.0", false),
            ("2130706433", false),
            ("ghcr.io", false),
        ] {
            let Ok(Reference::Oci(oci)) = Reference::read(&format!("oci://{registry}/g")) else { panic!("{registry}") };
            assert_eq!(oci.is_loopback(), expected, "{registry}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_read_is_read_again_as_the_same(text in "(oci://|hub:|)[a-z0-9:/@._-]{0,40}") {
            if let Ok(read) = Reference::read(&text) {
                proptest::prop_assert_eq!(Reference::read(&read.to_string()), Ok(read));
            }
        }
    }
}

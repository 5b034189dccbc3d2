//! What one client pushes, the other one pulls.

use gephost_core::component::reference::{OciReference, OciVersion, Reference};
use gephost_core::recording::Digest;
use gephost_oci::{Component, Credentials, ENVELOPE_MEDIA_TYPE, OciError, Registry};
use oci_client::client::{ClientConfig, ClientProtocol};
use oci_client::manifest::{OciDescriptor, OciImageManifest, OciManifest};
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference as TheirReference, RegistryOperation};

use crate::server::DockerRegistry;

pub(crate) const LIMIT: u64 = 1 << 20;

pub(crate) fn reference(text: &str) -> OciReference {
    match Reference::read(text) {
        Ok(Reference::Oci(oci)) => oci,
        other => panic!("{text}: {other:?}"),
    }
}

pub(crate) fn registry(text: &str) -> Registry {
    Registry::new(&reference(text), Credentials::Anonymous)
}

fn component<'a>(bytes: &'a [u8], envelope: Option<&'a [u8]>) -> Component<'a> {
    Component { bytes, imports: &[], exports: &[], envelope }
}

fn bytes(seed: u8, length: usize) -> Vec<u8> {
    (0..length).map(|place| (place * 31 + usize::from(seed)).to_le_bytes()[0]).collect()
}

#[test]
fn what_is_pushed_is_pulled_by_tag_and_by_digest() {
    let Some(server) = DockerRegistry::start() else { return };
    let named = format!("oci://127.0.0.1:{}/me/gene:v1", server.port);
    let (first, second) = (bytes(1, 300_000), bytes(2, 10));
    let manifest = registry(&named).push(&component(&first, Some(b"{\"an\":\"envelope\"}"))).unwrap();
    let pulled = registry(&named).pull(LIMIT).unwrap();
    assert_eq!((pulled.manifest, &pulled.bytes), (manifest, &first));
    assert_eq!(pulled.envelopes, [b"{\"an\":\"envelope\"}"]);
    assert_eq!(registry(&named).push(&component(&first, None)), Ok(manifest), "the same bytes are the same artifact");

    registry(&named).push(&component(&second, None)).unwrap();
    assert_eq!(registry(&named).pull(LIMIT).unwrap().bytes, second, "the tag moved");
    let at = reference(&named).at(manifest);
    let old = Registry::new(&at, Credentials::Anonymous);
    assert_eq!(old.pull(LIMIT).unwrap(), pulled, "the digest did not");
    assert!(matches!(old.push(&component(&second, None)), Err(OciError::Digest { .. })), "nor can it be pushed over");
}

#[test]
fn envelopes_are_added_one_by_one_and_listed_once() {
    let Some(server) = DockerRegistry::start() else { return };
    let named = format!("oci://127.0.0.1:{}/gene", server.port);
    let gene = bytes(3, 100);
    for envelope in [b"one", b"two", b"one"] {
        registry(&named).push(&component(&gene, Some(envelope))).unwrap();
    }
    assert_eq!(registry(&named).pull(LIMIT).unwrap().envelopes, [b"one", b"two"]);
}

#[test]
fn what_is_missing_or_too_large_is_an_error() {
    let Some(server) = DockerRegistry::start() else { return };
    let named = format!("oci://127.0.0.1:{}/gene:v1", server.port);
    assert!(matches!(registry(&named).pull(LIMIT), Err(OciError::NotFound(_))));
    registry(&named).push(&component(&bytes(1, 1000), None)).unwrap();
    assert!(matches!(registry(&named).pull(999), Err(OciError::TooLarge { limit: 999, .. })));
    assert_eq!(registry(&named).pull(1000).unwrap().bytes.len(), 1000);
    let absent = OciReference { version: OciVersion::Manifest(Digest::of(b"absent")), ..reference(&named) };
    assert!(matches!(Registry::new(&absent, Credentials::Anonymous).pull(LIMIT), Err(OciError::NotFound(_))));
}

/// The other client, on a runtime of its own.
fn theirs(port: u16, work: impl AsyncFnOnce(Client, RegistryAuth)) {
    // Another test may have been first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let protocol = ClientProtocol::HttpsExcept(vec![format!("127.0.0.1:{port}")]);
    let client = Client::new(ClientConfig { protocol, ..ClientConfig::default() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work(client, RegistryAuth::Anonymous));
}

#[test]
fn another_client_reads_what_this_one_pushes() {
    let Some(server) = DockerRegistry::start() else { return };
    let (gene, envelope) = (bytes(4, 70_000), b"an envelope");
    let named = format!("127.0.0.1:{}/me/gene:v2", server.port);
    let pushed = registry(&format!("oci://{named}")).push(&component(&gene, Some(envelope))).unwrap();
    theirs(server.port, async |client, auth| {
        let image: TheirReference = named.parse().unwrap();
        let (manifest, digest) = client.pull_image_manifest(&image, &auth).await.unwrap();
        assert_eq!(digest, pushed.to_string());
        assert_eq!(manifest.config.media_type, "application/vnd.wasm.config.v0+json");
        let [layer] = manifest.layers.as_slice() else { panic!("{manifest:?}") };
        assert_eq!(layer.media_type, "application/wasm");
        let mut found = Vec::new();
        client.pull_blob(&image, layer, &mut found).await.unwrap();
        assert_eq!(found, gene);
        let mut config = Vec::new();
        client.pull_blob(&image, &manifest.config, &mut config).await.unwrap();
        let config: serde_json::Value = serde_json::from_slice(&config).unwrap();
        assert_eq!(config["layerDigests"][0], layer.digest.as_str());
        assert_eq!((&config["architecture"], &config["os"]), (&"wasm".into(), &"wasip2".into()));

        let at: TheirReference = named.replace(":v2", &format!("@{digest}")).parse().unwrap();
        let list = client.pull_referrers(&at, Some(ENVELOPE_MEDIA_TYPE)).await.unwrap();
        assert_eq!(list.manifests.len(), 1, "by the fallback tag, since this registry has no referrers API");
        let one = named.replace(":v2", &format!("@{}", list.manifests[0].digest));
        let one: TheirReference = one.parse().unwrap();
        let (referrer, _) = client.pull_image_manifest(&one, &auth).await.unwrap();
        assert_eq!(referrer.subject.unwrap().digest, digest);
        let mut found = Vec::new();
        client.pull_blob(&one, &referrer.layers[0], &mut found).await.unwrap();
        assert_eq!(found, envelope);
    });
}

#[test]
fn this_client_reads_what_another_one_pushes() {
    let Some(server) = DockerRegistry::start() else { return };
    let gene = bytes(5, 70_000);
    let named = format!("127.0.0.1:{}/their/gene:v3", server.port);
    theirs(server.port, async |client, auth| {
        let image: TheirReference = named.parse().unwrap();
        client.auth(&image, &auth, RegistryOperation::Push).await.unwrap();
        let described = |bytes: &[u8], media_type: &str| OciDescriptor {
            media_type: media_type.to_owned(),
            digest: Digest::of(bytes).to_string(),
            size: i64::try_from(bytes.len()).unwrap(),
            ..OciDescriptor::default()
        };
        for blob in [&gene[..], b"{}"] {
            client.push_blob(&image, blob.to_vec(), &Digest::of(blob).to_string()).await.unwrap();
        }
        let manifest = OciImageManifest {
            config: described(b"{}", "application/vnd.wasm.config.v0+json"),
            layers: vec![described(&gene, "application/wasm")],
            media_type: Some("application/vnd.oci.image.manifest.v1+json".to_owned()),
            ..OciImageManifest::default()
        };
        client.push_manifest(&image, &OciManifest::Image(manifest)).await.unwrap();
    });
    let pulled = registry(&format!("oci://{named}")).pull(LIMIT).unwrap();
    assert_eq!((pulled.bytes, pulled.envelopes), (gene, vec![]));
}

/// Reads any bytes as a manifest. What is one reads back as the same; what is none is refused in one line.
pub(crate) fn check_manifest(bytes: &[u8]) {
    match gephost_core::gene::Manifest::from_json(bytes) {
        Ok(manifest) => {
            assert!(bytes.len() <= gephost_core::gene::MAX_MANIFEST_BYTES);
            let written = serde_json::to_vec(manifest.gene.document()).expect("what was JSON is JSON");
            assert_eq!(gephost_core::gene::Manifest::from_json(&written).expect("it was a manifest"), manifest);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

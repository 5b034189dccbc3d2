//! What a gene file needs before it is loaded: the decision behind `[trust] require`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::attest::Signature;

/// `trust.require`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Requirement {
    /// Nothing: the sandbox alone limits what a gene can do. A signature that is there must verify.
    #[default]
    Nothing,
    /// A signature by a key that the user trusts.
    Signed,
}

impl Requirement {
    /// Whether a file with this signature may be loaded. A signature that failed never lets a file in: somebody changed the
    /// file or the envelope.
    pub fn admits(self, signature: &Signature) -> bool {
        match self {
            Self::Nothing => !matches!(signature, Signature::Failed(_)),
            Self::Signed => signature.is_verified(),
        }
    }

    /// What holds if both are asked for.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attest::{EnvelopeError, Failed};
    use crate::config::Config;

    #[test]
    fn only_a_verified_file_is_signed_and_a_failed_one_is_never_let_in() {
        let failed = Signature::Failed(Failed::Envelope(EnvelopeError::Signatures(0)));
        let verified = Signature::Verified { by: vec!["ann".to_owned()] };
        let stranger = Signature::Stranger(Vec::new());
        for (signature, is_let_in, is_signed) in [
            (&verified, true, true),
            (&Signature::Unsigned, true, false),
            (&stranger, true, false),
            (&failed, false, false),
        ] {
            assert_eq!(Requirement::Nothing.admits(signature), is_let_in, "{signature}");
            assert_eq!(Requirement::Signed.admits(signature), is_signed, "{signature}");
        }
    }

    #[test]
    fn a_repository_only_tightens() {
        let require = |text: &str| Config::from_toml(text).map(|config| config.file.trust.require);
        assert_eq!(require("").unwrap(), Requirement::Nothing);
        let signed = require("[trust]\nrequire = \"signed\"").unwrap();
        assert_eq!(signed.and(Requirement::Nothing), Requirement::Signed);
        let nothing = require("[trust]\nrequire = \"nothing\"").unwrap();
        assert_eq!(Requirement::Signed.and(nothing), Requirement::Signed);
        for key in ["keys = []", "folders = [\"/\"]", "key = \"x\""] {
            let error = require(&format!("[trust]\n{key}")).unwrap_err().to_string();
            assert!(error.contains("belongs to the user's own config") && error.contains("`trust."), "{error}");
        }
        assert!(require("[trust]\nrequire = \"sometimes\"").is_err());
    }
}

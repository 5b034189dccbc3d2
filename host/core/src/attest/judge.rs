//! An envelope beside a gene file and the keys that the user trusts.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use super::envelope::{Envelope, EnvelopeError, PAYLOAD_TYPE};
use super::key::PublicKey;
use super::statement::{GeneClaim, Statement, StatementError};
use crate::recording::Digest;

/// A key that the user trusts, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedKey {
    /// Who has the secret of it, 1 to 100 characters.
    pub name: String,
    /// The key, as `gephost gene key` prints it.
    pub key: PublicKey,
}

/// Who vouches for a gene file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signature {
    /// These do, by name.
    Verified {
        /// At least one name, in the order of the keys.
        by: Vec<String>,
    },
    /// Nobody: there is no envelope.
    Unsigned,
    /// Nobody whom the user trusts: others signed it, with these keys.
    Stranger(Vec<PublicKey>),
    /// There is an envelope, and it does not verify.
    Failed(Failed),
}

/// Why an envelope does not verify.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failed {
    /// It cannot be read.
    #[error("its envelope cannot be read: {0}")]
    Envelope(#[from] EnvelopeError),
    /// No trusted key signed it, and a signature is not by the key that it names.
    #[error("a signature is not by the key that it names, and no key that you trust signed it")]
    Forged,
    /// A key signed something that is no in-toto statement.
    #[error("what is signed has the type {0:?}, not {PAYLOAD_TYPE}")]
    PayloadType(String),
    /// A key signed a statement that cannot be read or is of another kind.
    #[error("the signed statement cannot be used: {0}")]
    Statement(#[from] StatementError),
    /// A key signed another file.
    #[error("it was signed for another file")]
    AnotherFile,
    /// The signed words are not those of the gene.
    #[error("the signed `{0}` is not that of the gene")]
    Claim(&'static str),
}

/// Keys that did sign and that the user does not trust.
struct Strangers<'a>(&'a [PublicKey]);

impl fmt::Display for Strangers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no key that you trust signed it")?;
        for (position, key) in self.0.iter().enumerate() {
            write!(f, "{}{key}", if position == 0 { "; it is signed with " } else { ", " })?;
        }
        Ok(())
    }
}

impl Signature {
    /// `verified`, `unsigned` or `failed`. The signature of a stranger says nothing, so it counts as none.
    pub fn state(&self) -> &'static str {
        match self {
            Self::Verified { .. } => "verified",
            Self::Unsigned | Self::Stranger(_) => "unsigned",
            Self::Failed(_) => "failed",
        }
    }

    /// Why the state is what it is, if there is an envelope that nobody whom the user trusts signed, or a damaged one.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Verified { .. } | Self::Unsigned => None,
            Self::Stranger(keys) => Some(Strangers(keys).to_string()),
            Self::Failed(failed) => Some(failed.to_string()),
        }
    }

    /// Whether somebody whom the user trusts vouches for the file.
    pub fn is_verified(&self) -> bool {
        matches!(self, Self::Verified { .. })
    }
}

/// `verified by NAME`, `unsigned`, `unsigned: REASON`, or `failed: REASON`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified { by } => write!(f, "verified by {}", by.join(", ")),
            Self::Unsigned => f.write_str("unsigned"),
            Self::Stranger(keys) => write!(f, "unsigned: {}", Strangers(keys)),
            Self::Failed(reason) => write!(f, "failed: {reason}"),
        }
    }
}

/// Judges the envelope of a file. `file` is the digest of the bytes that would be loaded, `claim` what they say.
pub fn judge(envelope: Option<&[u8]>, file: Digest, claim: &GeneClaim, keys: &[NamedKey]) -> Signature {
    let Some(bytes) = envelope else { return Signature::Unsigned };
    vouching(bytes, file, claim, keys).unwrap_or_else(Signature::Failed)
}

fn vouching(bytes: &[u8], file: Digest, claim: &GeneClaim, keys: &[NamedKey]) -> Result<Signature, Failed> {
    let envelope = Envelope::read(bytes)?;
    let mut by: Vec<String> = Vec::new();
    for key in keys.iter().filter(|key| envelope.is_signed_by(&key.key)) {
        if !by.contains(&key.name) {
            by.push(key.name.clone());
        }
    }
    // The payload is looked at only after this.
    let signature = if by.is_empty() {
        Signature::Stranger(envelope.signers().ok_or(Failed::Forged)?)
    } else {
        Signature::Verified { by }
    };
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(Failed::PayloadType(envelope.payload_type));
    }
    let statement = Statement::read(&envelope.payload)?;
    if !statement.is_about(file) {
        return Err(Failed::AnotherFile);
    }
    match statement.claim.difference(claim) {
        Some(member) => Err(Failed::Claim(member)),
        None => Ok(signature),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::key::Signer;
    use super::*;

    const FILE: &[u8] = b"a component";

    fn claim() -> GeneClaim {
        GeneClaim {
            gene: "gene_x".to_owned(),
            world: "strategy".to_owned(),
            capabilities: ["workspace".to_owned()].into(),
            asset_id: "sha256:00".to_owned(),
        }
    }

    fn statement() -> Statement {
        Statement::of("x.wasm", Digest::of(FILE), claim(), "gephost/0.1.0", "2026-01-01T00:00:00Z")
    }

    fn signer(seed: u8) -> Signer {
        Signer::new(&[seed; 32])
    }

    fn named(name: &str, seed: u8) -> NamedKey {
        NamedKey { name: name.to_owned(), key: signer(seed).public() }
    }

    /// The envelope of a payload, signed with each key.
    fn envelope(payload_type: &str, payload: &[u8], seeds: &[u8]) -> Value {
        let one = |seed: &u8| -> Value {
            let text = Envelope::sign(payload_type, payload.to_vec(), &signer(*seed)).to_json();
            serde_json::from_str(&text).unwrap()
        };
        let mut first = one(&seeds[0]);
        first["signatures"] = seeds.iter().map(|seed| one(seed)["signatures"][0].clone()).collect();
        first
    }

    fn judged(envelope: &Value, keys: &[NamedKey]) -> Signature {
        judge(Some(envelope.to_string().as_bytes()), Digest::of(FILE), &claim(), keys)
    }

    fn by(names: &[&str]) -> Signature {
        Signature::Verified { by: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    #[test]
    fn a_statement_of_a_trusted_key_vouches_for_its_file() {
        let signed = envelope(PAYLOAD_TYPE, &statement().to_json(), &[1]);
        assert_eq!(judged(&signed, &[named("ann", 1)]), by(&["ann"]));
        assert_eq!(judge(None, Digest::of(FILE), &claim(), &[named("ann", 1)]), Signature::Unsigned);
        let strange = judged(&signed, &[named("bob", 2)]);
        assert_eq!((&strange, strange.state()), (&Signature::Stranger(vec![signer(1).public()]), "unsigned"));
        assert!(strange.to_string().ends_with(&format!("it is signed with {}", signer(1).public())), "{strange}");
        assert_eq!(judged(&signed, &[]), strange, "without keys nothing is trusted");
    }

    #[test]
    fn one_good_signature_is_enough_and_every_signer_is_named_once() {
        let keys = [named("ann", 1), named("bob", 2), named("ann", 3)];
        let signed = envelope(PAYLOAD_TYPE, &statement().to_json(), &[9, 2, 1, 1, 3]);
        assert_eq!(judged(&signed, &keys), by(&["ann", "bob"]));
        let mut forged = signed.clone();
        forged["signatures"][2]["sig"] = json!("AAAA");
        assert_eq!(judged(&forged, &keys), by(&["ann", "bob"]), "the second signature of ann is good");
        for place in 0..5 {
            forged["signatures"][place]["sig"] = json!("AAAA");
        }
        assert_eq!(judged(&forged, &keys), Signature::Failed(Failed::Forged));
    }

    #[test]
    fn a_signature_that_does_not_verify_is_no_stranger_s() {
        let keys = [named("ann", 1)];
        let signed = envelope(PAYLOAD_TYPE, &statement().to_json(), &[8, 9]);
        assert_eq!(judged(&signed, &keys), Signature::Stranger(vec![signer(8).public(), signer(9).public()]));
        let mut forged = signed.clone();
        forged["signatures"][1]["keyid"] = json!(signer(1).public().to_string());
        assert_eq!(judged(&forged, &keys), Signature::Failed(Failed::Forged), "one of two is not by ann");
        let mut changed = signed.clone();
        changed["payload"] = envelope(PAYLOAD_TYPE, b"{}", &[8])["payload"].clone();
        assert_eq!(judged(&changed, &keys), Signature::Failed(Failed::Forged));
        let elsewhere = judge(Some(signed.to_string().as_bytes()), Digest::of(b"other"), &claim(), &keys);
        assert_eq!(elsewhere, Signature::Failed(Failed::AnotherFile), "also of a stranger");
    }

    #[test]
    fn a_claimed_key_id_gains_nothing() {
        let mut signed = envelope(PAYLOAD_TYPE, &statement().to_json(), &[9]);
        for key_id in [json!(signer(1).public().to_string()), json!("ann"), json!("")] {
            signed["signatures"][0]["keyid"] = key_id;
            assert_eq!(judged(&signed, &[named("ann", 1)]), Signature::Failed(Failed::Forged));
        }
    }

    #[test]
    fn what_a_trusted_key_signed_counts_for_that_alone() {
        let keys = [named("ann", 1)];
        let failed = |envelope: &Value| match judged(envelope, &keys) {
            Signature::Failed(failed) => failed,
            other => panic!("{other:?}"),
        };
        let document: Value = serde_json::from_slice(&statement().to_json()).unwrap();
        let with = |pointer: &str, value: Value| {
            let mut document = document.clone();
            *document.pointer_mut(pointer).expect("a member of the statement") = value;
            failed(&envelope(PAYLOAD_TYPE, document.to_string().as_bytes(), &[1]))
        };
        let other = Digest::of(b"another");
        assert_eq!(with("/subject/0/digest/sha256", json!(other.hex())), Failed::AnotherFile);
        assert_eq!(with("/subject", json!([])), Failed::AnotherFile);
        assert_eq!(with("/predicate/gene", json!("gene_y")), Failed::Claim("gene"));
        assert_eq!(with("/predicate/world", json!("gene")), Failed::Claim("world"));
        assert_eq!(with("/predicate/capabilities", json!([])), Failed::Claim("capabilities"));
        assert_eq!(with("/predicate/asset_id", json!("sha256:11")), Failed::Claim("asset_id"));
        for (pointer, value) in [
            ("/_type", json!("https://in-toto.io/Statement/v0.1")),
            ("/predicateType", json!("https://slsa.dev/provenance/v1")),
            ("/predicate", json!(null)),
            ("/predicate/tool", json!(7)),
            ("/subject/0/digest/sha256", json!(Digest::of(FILE).hex().to_uppercase())),
            ("/subject/0/digest", json!({ "sha1": "00" })),
            ("/subject", json!("x.wasm")),
        ] {
            assert!(matches!(with(pointer, value), Failed::Statement(_)), "{pointer}");
        }
        let note = envelope("text/plain", &statement().to_json(), &[1]);
        assert_eq!(failed(&note), Failed::PayloadType("text/plain".to_owned()));
        let twice = statement().to_json();
        let twice = String::from_utf8(twice).unwrap().replacen('{', "{\"_type\":\"x\",", 1);
        assert!(matches!(failed(&envelope(PAYLOAD_TYPE, twice.as_bytes(), &[1])), Failed::Statement(_)));
        assert!(matches!(failed(&json!({})), Failed::Envelope(_)));
    }

    #[test]
    fn a_statement_may_be_about_several_files_and_say_more() {
        let mut document: Value = serde_json::from_slice(&statement().to_json()).unwrap();
        let first = json!({ "name": "other", "digest": { "sha256": Digest::of(b"other").hex(), "sha512": "ff" } });
        document["subject"].as_array_mut().unwrap().insert(0, first);
        document["predicate"]["more"] = json!([1]);
        let signed = envelope(PAYLOAD_TYPE, document.to_string().as_bytes(), &[1]);
        assert_eq!(judged(&signed, &[named("ann", 1)]), by(&["ann"]));
        let read = Statement::read(document.to_string().as_bytes()).unwrap();
        assert_eq!(read.subjects.len(), 2);
        assert_eq!(Statement::read(&statement().to_json()).unwrap(), statement());
    }
}

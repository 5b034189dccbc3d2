//! Attestations: who vouches for a gene file.
//!
//! An attestation is a DSSE envelope ([`Envelope`]) around an in-toto Statement v1 ([`Statement`]). The statement names the
//! SHA-256 of one gene file and repeats what the gene says of itself ([`GeneClaim`]). The envelope is signed with Ed25519.
//! [`judge`] compares an envelope with a file and with the keys that the user trusts, and gives one of three states
//! ([`Signature`]). [`crate::trust_policy`] decides what follows from the state.
//!
//! Sources: the DSSE protocol (secure-systems-lab/dsse, `protocol.md`), the in-toto Attestation Framework, Statement v1.
//!
//! What must stay true: nothing in an envelope counts before a trusted key verifies it. A key id is only a hint and decides
//! nothing.

mod envelope;
mod judge;
mod key;
mod statement;

pub use envelope::{Envelope, EnvelopeError, MAX_ENVELOPE_BYTES, MAX_SIGNATURES, PAYLOAD_TYPE, pae};
pub use judge::{Failed, NamedKey, Signature, judge};
pub use key::{KeyError, PublicKey, Signer};
pub use statement::{GeneClaim, PREDICATE_TYPE, STATEMENT_TYPE, Statement, StatementError, TEXT_WORLD};

/// What is added to the name of a gene file for the name of the file with its envelope.
pub const ENVELOPE_SUFFIX: &str = ".dsse.json";

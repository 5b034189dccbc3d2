//! Who vouches for a gene, as every page shows it.

use std::fmt::Write as _;

use gephost_app::genes::VouchedGene;
use gephost_core::attest::Signature;
use gephost_core::recording::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::style::{bad, good, note, printable};

/// Who vouches for a gene file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SignatureRow {
    /// `verified`, `unsigned` or `failed`.
    pub(crate) state: &'static str,
    /// Who vouches for it: names of the keys that you trust, `you` for your own key, `gephost` for a bundled gene. Empty
    /// unless verified.
    pub(crate) by: Vec<String>,
    /// Why the signature does not count: it failed, or you trust none of its keys. Null if there is none, or if it is
    /// verified.
    pub(crate) reason: Option<String>,
}

impl SignatureRow {
    pub(crate) fn of(signature: &Signature) -> Self {
        let by = match signature {
            Signature::Verified { by } => by.clone(),
            Signature::Unsigned | Signature::Stranger(_) | Signature::Failed(_) => Vec::new(),
        };
        Self { state: signature.state(), by, reason: signature.reason() }
    }

    /// `verified by NAME`, `unsigned`, `unsigned: REASON`, or `failed: REASON`.
    pub(crate) fn text(&self) -> String {
        match (&self.reason, self.by.as_slice()) {
            (Some(reason), _) if self.state == "unsigned" => format!("{}: {}", note("unsigned"), printable(reason)),
            (Some(reason), _) => format!("{}: {}", bad("failed"), printable(reason)),
            (None, []) => note("unsigned"),
            (None, by) => format!("{} {}", good("verified by"), printable(&by.join(", "))),
        }
    }
}

/// A gene of a cycle that came as a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VouchedRow<'a> {
    /// The gene's id.
    id: &'a str,
    /// Digest of its file.
    digest: Digest,
    /// Who vouches for its file.
    signature: SignatureRow,
}

/// The genes of a cycle that came as files.
pub(crate) fn rows(vouched: &[VouchedGene]) -> Vec<VouchedRow<'_>> {
    let mut rows = Vec::new();
    for VouchedGene { id, digest, signature } in vouched {
        rows.push(VouchedRow { id, digest: *digest, signature: SignatureRow::of(signature) });
    }
    rows
}

/// A line for each of them.
pub(crate) fn lines(rows: &[VouchedRow<'_>]) -> String {
    rows.iter().fold(String::new(), |mut text, row| {
        let _ =
            writeln!(text, "Gene file {} (sha256:{}): {}", printable(row.id), row.digest.short(), row.signature.text());
        text
    })
}

//! `gephost gene sign|verify|key`: who vouches for a gene file.

use std::path::Path;

use gephost_app::Project;
use gephost_app::vouching::{GeneFile, SignedGene, envelope_path, own_key, sign_gene};
use gephost_core::attest::PREDICATE_TYPE;
use gephost_core::recording::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::SignArguments;
use crate::context::{write_new, write_over};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::signature::SignatureRow;
use crate::render::style::{bold, dim, good, printable};

/// The program as a statement names it.
const TOOL: &str = concat!("gephost/", env!("CARGO_PKG_VERSION"));

pub(super) fn sign(environment: &Environment, arguments: &SignArguments) -> Result<Report, Failure> {
    let SignArguments { file, replace } = arguments;
    let signed = sign_gene(environment, file, TOOL)?;
    let envelope = envelope_path(file);
    if !signed.is_signed {
        let write = if *replace { write_over } else { write_new };
        write(environment, &envelope, &signed.envelope).map_err(|failure| {
            if *replace {
                failure
            } else {
                let file = file.display();
                failure
                    .hint(format!("to replace the signature of an earlier build: gephost gene sign --replace {file}"))
            }
        })?;
    }
    Ok(Report::of(&SignPage::of(&signed, &envelope)))
}

pub(super) fn verify(environment: &Environment, file: &Path) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let vouching = project.vouching()?;
    let GeneFile { bytes, signature, .. } = project.gene_named(&vouching, file)?;
    Ok(Report::of(&VerifyPage {
        file: file.display().to_string(),
        digest: Digest::of(&bytes),
        signature: SignatureRow::of(&signature),
        loads: vouching.admit(file, &signature).is_ok(),
    }))
}

pub(super) fn key(environment: &Environment) -> Result<Report, Failure> {
    let config = environment.user_config.display().to_string();
    Ok(Report::of(&KeyPage { key: own_key(environment)?.to_string(), config }))
}

/// A gene file that was signed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SignPage {
    /// The gene's id.
    gene: String,
    /// The world that it exports; `text` for a gene that is only text.
    world: String,
    /// The capabilities that it requests.
    capabilities: Vec<String>,
    /// Content id of the asset.
    asset_id: String,
    /// Digest of the file.
    digest: Digest,
    /// The type of the signed predicate.
    predicate_type: &'static str,
    /// The public key of the signature.
    key: String,
    /// The file with the envelope.
    envelope: String,
    /// Whether it was there already and says the same, so that nothing was written.
    was_signed: bool,
}

impl SignPage {
    fn of(signed: &SignedGene, envelope: &Path) -> Self {
        let claim = &signed.statement.claim;
        Self {
            gene: claim.gene.clone(),
            world: claim.world.clone(),
            capabilities: claim.capabilities.iter().cloned().collect(),
            asset_id: claim.asset_id.clone(),
            digest: signed.digest,
            predicate_type: PREDICATE_TYPE,
            key: signed.key.to_string(),
            envelope: envelope.display().to_string(),
            was_signed: signed.is_signed,
        }
    }
}

impl Page for SignPage {
    const KIND: &'static str = "gene-sign";

    fn text(&self) -> String {
        let envelope = printable(&self.envelope);
        if self.was_signed {
            return format!("You signed {} before: {envelope}\n", self.gene);
        }
        let asks = if self.capabilities.is_empty() { "nothing".to_owned() } else { self.capabilities.join(", ") };
        let says = dim(format!("world {}, asks for {asks}, {}", self.world, self.digest));
        let undo = format!("Wrote {envelope}. Undo: rm {envelope}");
        format!("{} {}  {says}\nKey {}\n{undo}\n", good("Signed"), bold(&self.gene), self.key)
    }
}

/// A gene file, and who vouches for it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyPage {
    /// The file.
    file: String,
    /// Its digest.
    digest: Digest,
    /// Who vouches for it.
    signature: SignatureRow,
    /// Whether the policy of this project lets it be loaded.
    loads: bool,
}

impl Page for VerifyPage {
    const KIND: &'static str = "gene-verify";

    fn text(&self) -> String {
        let loads = match (self.loads, self.signature.state) {
            (true, _) => "",
            (false, "failed") => "; it is not loaded",
            (false, _) => "; it is not loaded here, because `trust.require` is \"signed\"",
        };
        let file = printable(&self.file);
        let mut text = format!("{file}  {}{loads}\n{}\n", self.signature.text(), dim(self.digest));
        if self.signature.state == "failed" {
            let hint = format!(
                "If you built this file: gephost gene sign --replace {file}. Otherwise ask its author for the file and its signature."
            );
            text.push_str(&dim(hint));
            text.push('\n');
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.signature.state == "verified" { Exit::Done } else { Exit::Failed }
    }
}

/// The user's own public key.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KeyPage {
    /// The key, as `[trust] keys` of a config takes it.
    key: String,
    /// This user's own config.
    config: String,
}

impl Page for KeyPage {
    const KIND: &'static str = "gene-key";

    fn text(&self) -> String {
        let line = dim("Others trust the genes that you sign with this line in their own config.toml:");
        format!("{}\n{line}\n[trust]\nkeys = [{{ name = \"NAME\", key = \"{}\" }}]\n", self.key, self.key)
    }
}

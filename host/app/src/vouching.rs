//! Who vouches for the gene files that this user loads, and whether the policy lets them in.
//!
//! The keys that count are those of the user's own config and the user's own key. A repository can only ask for more.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use gephost_core::attest::{
    ENVELOPE_SUFFIX, Envelope, GeneClaim, MAX_ENVELOPE_BYTES, NamedKey, PAYLOAD_TYPE, PublicKey, Signature, Signer,
    Statement, judge,
};
use gephost_core::gene::is_text;
use gephost_core::recording::Digest;
use gephost_core::trust_policy::Requirement;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::regular_file;
use gephost_runner::sandbox::inspect;
use gephost_runner::user_key::{KeyFile, UserKey};

use crate::environment::Environment;
use crate::error::AppError;
use crate::files::user_config;
use crate::gene_file::{read_gene, read_text, refused};
use crate::project::Project;

/// The name under which the user's own key vouches.
pub const OWN_NAME: &str = "you";
/// The name under which the bundled genes are vouched for: their bytes are part of the program.
const BUNDLED_NAME: &str = "gephost";

/// A gene file: its bytes, and who vouches for them.
#[derive(Debug)]
pub struct GeneFile {
    /// The bytes that were judged. Nothing else may be loaded.
    pub bytes: Vec<u8>,
    /// The envelope beside it, as it was read.
    pub envelope: Option<Vec<u8>>,
    /// Who vouches for the bytes.
    pub signature: Signature,
}

/// Whom this user trusts to sign genes, and whether a signature is required.
#[derive(Debug)]
pub struct Vouching {
    keys: Vec<NamedKey>,
    require: Requirement,
    user_config: PathBuf,
}

impl Vouching {
    /// What the user's own config says. The user's own key counts too, if there is one.
    pub fn of_user(environment: &Environment) -> Result<Self, AppError> {
        let table = user_config(environment)?.trust;
        let own =
            UserKey::find(&environment.user_folders().state, KeyFile::Genes).map_err(|error| key_failed(&error))?;
        let own = own.map(|key| NamedKey { name: OWN_NAME.to_owned(), key: key.signer().public() });
        let keys = own.into_iter().chain(table.keys).collect();
        Ok(Self { keys, require: table.require, user_config: environment.user_config.clone() })
    }

    /// Whether nothing is loaded without a signature.
    pub fn requires_signature(&self) -> bool {
        self.require == Requirement::Signed
    }

    /// Judges the bytes of a gene with its envelope. A bundled gene needs none: its bytes are those of the program.
    pub fn judge(&self, name: &Path, bytes: &[u8], envelope: Option<&[u8]>) -> Result<Signature, AppError> {
        if BUNDLED.iter().any(|bundled| bundled.bytes == bytes) {
            return Ok(Signature::Verified { by: vec![BUNDLED_NAME.to_owned()] });
        }
        if envelope.is_none() {
            return Ok(Signature::Unsigned);
        }
        Ok(judge(envelope, Digest::of(bytes), &claim(name, bytes)?, &self.keys))
    }

    /// Refuses a gene that the policy does not let in.
    pub fn admit(&self, name: &Path, signature: &Signature) -> Result<(), AppError> {
        if self.require.admits(signature) {
            return Ok(());
        }
        Self::refuse_failed(name, signature)?;
        let message = format!("gene {}: it is {signature}, and `trust.require` is \"signed\"", name.display());
        let config = self.user_config.display();
        Err(AppError::usage("gene_not_signed", message).hint(format!(
            "if the gene is yours: gephost gene sign FILE; else add the key of its author to `[trust] keys` in {config}"
        )))
    }

    /// Refuses a gene whose signature failed, which no policy lets in.
    pub fn refuse_failed(name: &Path, signature: &Signature) -> Result<(), AppError> {
        if !matches!(signature, Signature::Failed(_)) {
            return Ok(());
        }
        let message = format!("gene {}: its signature {signature}", name.display());
        Err(AppError::usage("gene_signature_failed", message).hint(format!(
            "if you changed the gene yourself: gephost gene sign --replace FILE; else get the gene and its {ENVELOPE_SUFFIX} \
             again from its author"
        )))
    }

    /// Reads a gene file and the envelope beside it, and judges them. Lets in whatever it is.
    pub fn look_at(&self, environment: &Environment, path: &Path) -> Result<GeneFile, AppError> {
        let bytes = read_gene(environment, path)?;
        let envelope = read_envelope(&environment.resolve(path))?;
        let signature = self.judge(path, &bytes, envelope.as_deref())?;
        Ok(GeneFile { bytes, envelope, signature })
    }

    /// The same for a gene that is to be loaded: the policy must let it in.
    pub fn read(&self, environment: &Environment, path: &Path) -> Result<GeneFile, AppError> {
        let file = self.look_at(environment, path)?;
        self.admit(path, &file.signature)?;
        Ok(file)
    }
}

impl Project {
    /// Whom the user trusts, with what this repository requires in addition.
    pub fn vouching(&self) -> Result<Vouching, AppError> {
        let user = Vouching::of_user(&self.environment)?;
        Ok(Vouching { require: user.require.and(self.config.file.trust.require), ..user })
    }
}

/// Where the envelope of a gene file lies.
pub fn envelope_path(gene: &Path) -> PathBuf {
    let mut name = gene.as_os_str().to_owned();
    name.push(ENVELOPE_SUFFIX);
    PathBuf::from(name)
}

fn read_envelope(gene: &Path) -> Result<Option<Vec<u8>>, AppError> {
    let path = envelope_path(gene);
    match regular_file::open(&path) {
        Ok(file) => {
            let mut bytes = Vec::new();
            // With one byte more than the limit, the reader of envelopes refuses it: its signature failed.
            let read = file.take(MAX_ENVELOPE_BYTES as u64 + 1).read_to_end(&mut bytes);
            read.map_err(|error| AppError::io(&path, "read", &error))?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AppError::io(&path, "open", &error)),
    }
}

/// What a gene file says of itself. Its bytes are read, and nothing of it runs.
pub(crate) fn claim(name: &Path, bytes: &[u8]) -> Result<GeneClaim, AppError> {
    let claim = if is_text(bytes) {
        GeneClaim::of_text(&read_text(name, bytes)?)
    } else {
        GeneClaim::of(&inspect(bytes).map_err(|error| refused(name, &error.into()))?.manifest)
    };
    claim.map_err(|error| AppError::usage("gene_refused", format!("gene {}: {error}", name.display())))
}

/// A gene file that was signed.
#[derive(Debug)]
pub struct SignedGene {
    /// The statement that is signed: which file, and what it says of itself.
    pub statement: Statement,
    /// The SHA-256 of the gene's file.
    pub digest: Digest,
    /// The key that signed it.
    pub key: PublicKey,
    /// The envelope, as JSON.
    pub envelope: String,
    /// Whether the envelope beside the file says so already.
    pub is_signed: bool,
}

/// Signs a gene file with the user's own key, which is made at first use. Writes nothing but that key.
pub fn sign_gene(environment: &Environment, path: &Path, tool: &str) -> Result<SignedGene, AppError> {
    let bytes = read_gene(environment, path)?;
    let signer = own_signer(environment)?;
    let (digest, claim) = (Digest::of(&bytes), claim(path, &bytes)?);
    let own = [NamedKey { name: OWN_NAME.to_owned(), key: signer.public() }];
    let earlier = read_envelope(&environment.resolve(path))?;
    let is_signed = judge(earlier.as_deref(), digest, &claim, &own).is_verified();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let statement = Statement::of(&name, digest, claim, tool, &environment.now().to_string());
    let envelope = Envelope::sign(PAYLOAD_TYPE, statement.to_json(), &signer).to_json();
    Ok(SignedGene { statement, digest, key: signer.public(), envelope, is_signed })
}

/// The user's own public key for genes, which is made at first use.
pub fn own_key(environment: &Environment) -> Result<PublicKey, AppError> {
    own_signer(environment).map(|signer| signer.public())
}

fn own_signer(environment: &Environment) -> Result<Signer, AppError> {
    let key = UserKey::open(&environment.user_folders().state, KeyFile::Genes);
    key.map(|key| key.signer()).map_err(|error| key_failed(&error))
}

fn key_failed(error: &std::io::Error) -> AppError {
    AppError::failed("gene_key", format!("failed to read the key that signs genes: {error}"))
}

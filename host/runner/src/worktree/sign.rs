//! Signs commits with the operator's own `ssh-keygen` or `gpg`, where `[apply] sign` names a key.
//!
//! Owns no file. git's own configuration (`gpg.program`, `user.signingKey`) is not read, so no program of a repository's
//! choosing runs: the program is one of these two, from the operator's search path, and the key is an argument after an
//! option, never an option itself.

use std::ffi::OsString;
use std::io::Write;
use std::process::Stdio;

use gephost_core::config::Signing;

use crate::spawn;

/// Most of what is reported of a program's complaint, in characters.
const MAX_COMPLAINT: usize = 300;

/// What signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    program: &'static str,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
}

/// Why there is no signature.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// It cannot be started.
    #[error("start {program}: {source}; install it, or take `sign` out of `[apply]`")]
    Start {
        /// The program.
        program: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// It failed.
    #[error("{program} refused: {complaint}")]
    Refused {
        /// The program.
        program: &'static str,
        /// What it said.
        complaint: String,
    },
}

impl Signer {
    /// A signer with a key; `environment` is all that its program sees of the operator's.
    pub fn new(signing: &Signing, environment: Vec<(OsString, OsString)>) -> Self {
        let (program, arguments) = match signing {
            Signing::Ssh { key_file } => {
                ("ssh-keygen", ["-Y", "sign", "-n", "git", "-f", key_file].map(OsString::from).to_vec())
            }
            Signing::Gpg { key } => {
                let key = format!("--local-user={key}");
                ("gpg", ["--batch", "--armor", "--detach-sign", &key].map(OsString::from).to_vec())
            }
        };
        Self { program, arguments, environment }
    }

    /// The armoured signature of a text.
    pub(super) fn sign(&self, text: &str) -> Result<String, SignError> {
        let start = |source| SignError::Start { program: self.program, source };
        let mut command = spawn::command(self.program);
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        spawn::keep_descriptors();
        let mut child = command.spawn().map_err(start)?;
        // A program that does not read to the end says why on its standard error.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
        let ended = child.wait_with_output().map_err(start)?;
        let signature = String::from_utf8(ended.stdout).unwrap_or_default();
        if ended.status.success() && signature.starts_with("-----BEGIN ") {
            return Ok(signature);
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let complaint = if said.is_empty() { ended.status.to_string() } else { said };
        Err(SignError::Refused { program: self.program, complaint: complaint.chars().take(MAX_COMPLAINT).collect() })
    }
}

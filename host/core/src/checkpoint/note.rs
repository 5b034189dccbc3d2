//! Signed notes (C2SP `signed-note`): a text, an empty line, and signatures by Ed25519.
//!
//! A note is read strictly, since whoever keeps it got it from somebody else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

/// The largest note that is read, in bytes.
pub const MAX_NOTE_BYTES: usize = 64 * 1024;
/// The most signatures of one note.
const MAX_SIGNATURES: usize = 100;
/// How a signature line begins.
const MARK: &str = "\u{2014} ";
/// The number of Ed25519 among the algorithms of notes.
const ED25519: u8 = 1;

/// Why a text is no note or no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Not UTF-8, too long, or with control characters.
    #[error("it is not a text of at most {MAX_NOTE_BYTES} bytes without control characters")]
    Text,
    /// There is no empty line with signatures after it.
    #[error("it has no signatures after an empty line")]
    NoSignatures,
    /// A signature line that cannot be read.
    #[error("its signature line {0} is not `— NAME BASE64`")]
    Signature(usize),
    /// Too many signatures.
    #[error("it has more than {MAX_SIGNATURES} signatures")]
    TooMany,
    /// The name of a key.
    #[error("the name of a key is not empty and has no spaces and no plus sign")]
    Name,
    /// A key that cannot be read.
    #[error("a key is `NAME+HASH+BASE64`: {0}")]
    Key(&'static str),
}

/// A key that signs notes.
pub struct NoteSigner {
    name: String,
    key: SigningKey,
}

/// The secret is nobody's to see.
impl std::fmt::Debug for NoteSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NoteSigner").field("name", &self.name).finish_non_exhaustive()
    }
}

impl NoteSigner {
    /// The key of a secret seed, under a name.
    pub fn new(name: &str, seed: &[u8; 32]) -> Result<Self, NoteError> {
        check_name(name)?;
        Ok(Self { name: name.to_owned(), key: SigningKey::from_bytes(seed) })
    }

    /// What others check its signatures with.
    pub fn verifier(&self) -> NoteKey {
        NoteKey { name: self.name.clone(), key: self.key.verifying_key() }
    }

    /// The signed note of a text. The text ends with a line end.
    pub fn sign(&self, text: &str) -> Result<String, NoteError> {
        if !text.ends_with('\n') || !is_text(text) {
            return Err(NoteError::Text);
        }
        let signed = [&self.verifier().id()[..], &self.key.sign(text.as_bytes()).to_bytes()].concat();
        Ok(format!("{text}\n{MARK}{} {}\n", self.name, STANDARD.encode(signed)))
    }
}

/// A public key and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteKey {
    name: String,
    key: VerifyingKey,
}

impl NoteKey {
    /// Reads `NAME+HASH+BASE64`.
    pub fn read(text: &str) -> Result<Self, NoteError> {
        let mut parts = text.trim().splitn(3, '+');
        let (Some(name), Some(hash), Some(encoded)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NoteError::Key("it has three parts"));
        };
        check_name(name)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| NoteError::Key("its third part is not base64"))?;
        let Some((&ED25519, public)) = bytes.split_first() else {
            return Err(NoteError::Key("it is not an Ed25519 key"));
        };
        let public = public.try_into().map_err(|_| NoteError::Key("an Ed25519 key has 32 bytes"))?;
        let key = VerifyingKey::from_bytes(public).map_err(|_| NoteError::Key("its bytes are not a point"))?;
        let read = Self { name: name.to_owned(), key };
        if crate::digest::hex(&read.id()) != hash {
            return Err(NoteError::Key("its hash is of another name or key"));
        }
        Ok(read)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first bytes of the hash over name and key. Signatures name it.
    fn id(&self) -> [u8; 4] {
        let hash = Sha256::new()
            .chain_update(&self.name)
            .chain_update([b'\n', ED25519])
            .chain_update(self.key.as_bytes())
            .finalize();
        let [a, b, c, d, ..] = hash.0;
        [a, b, c, d]
    }
}

/// `NAME+HASH+BASE64`.
impl std::fmt::Display for NoteKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let public = [&[ED25519], &self.key.as_bytes()[..]].concat();
        write!(f, "{}+{}+{}", self.name, crate::digest::hex(&self.id()), STANDARD.encode(public))
    }
}

/// A note that was read. Its signatures are not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedNote {
    /// What is signed, with its last line end.
    pub text: String,
    signatures: Vec<SignatureLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SignatureLine {
    name: String,
    /// Key id and signature.
    signed: Vec<u8>,
}

/// What a key says of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    /// The key signed the text.
    Yes,
    /// A signature names the key, and the key did not make it.
    Forged,
    /// No signature names the key.
    No,
}

impl SignedNote {
    /// Reads a note.
    pub fn read(bytes: &[u8]) -> Result<Self, NoteError> {
        let note = std::str::from_utf8(bytes).map_err(|_| NoteError::Text)?;
        if bytes.len() > MAX_NOTE_BYTES || !is_text(note) {
            return Err(NoteError::Text);
        }
        let (text, lines) = note.rsplit_once("\n\n").ok_or(NoteError::NoSignatures)?;
        let lines = lines.strip_suffix('\n').filter(|lines| !lines.is_empty()).ok_or(NoteError::NoSignatures)?;
        if lines.split('\n').count() > MAX_SIGNATURES {
            return Err(NoteError::TooMany);
        }
        let read = |(at, line): (usize, &str)| signature_line(line).ok_or(NoteError::Signature(at + 1));
        let signatures = lines.split('\n').enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Self { text: format!("{text}\n"), signatures })
    }

    /// Whether a key signed it. One false signature of the key is enough to refuse the note.
    pub fn signed_by(&self, key: &NoteKey) -> Signed {
        let id = key.id();
        let ours = |line: &&SignatureLine| line.name == key.name && line.signed.starts_with(&id);
        let mut found = Signed::No;
        for line in self.signatures.iter().filter(ours) {
            let signature = line.signed.get(id.len()..).and_then(|bytes| Signature::from_slice(bytes).ok());
            let is_good = signature.is_some_and(|it| key.key.verify_strict(self.text.as_bytes(), &it).is_ok());
            if !is_good {
                return Signed::Forged;
            }
            found = Signed::Yes;
        }
        found
    }
}

fn signature_line(line: &str) -> Option<SignatureLine> {
    let (name, encoded) = line.strip_prefix(MARK)?.split_once(' ')?;
    check_name(name).ok()?;
    let signed = STANDARD.decode(encoded).ok().filter(|bytes| bytes.len() > 4)?;
    Some(SignatureLine { name: name.to_owned(), signed })
}

fn check_name(name: &str) -> Result<(), NoteError> {
    let is_wrong = |c: char| c == '+' || c.is_whitespace() || c.is_control();
    if name.is_empty() || name.contains(is_wrong) { Err(NoteError::Name) } else { Ok(()) }
}

/// Whether a text has no control characters but line ends.
fn is_text(text: &str) -> bool {
    !text.contains(|c: char| c != '\n' && c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the package `golang.org/x/mod/sumdb/note`.
    const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const NOTE: &str = "If you think cryptography is the answer to your problem,\n\
        then you don't know what your problem is.\n\n\
        \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    #[test]
    fn a_note_of_another_program_is_read_and_its_signature_verifies() {
        let key = NoteKey::read(KEY).unwrap();
        assert_eq!(key.to_string(), KEY);
        assert_eq!(key.name(), "PeterNeumann");
        let note = SignedNote::read(NOTE.as_bytes()).unwrap();
        assert_eq!(note.signed_by(&key), Signed::Yes);
        let edited = SignedNote::read(NOTE.replace("cryptography", "Cryptography").as_bytes()).unwrap();
        assert_eq!(edited.signed_by(&key), Signed::Forged);
        let stranger = NoteSigner::new("PeterNeumann", &[1; 32]).unwrap().verifier();
        assert_eq!(note.signed_by(&stranger), Signed::No);
        let twice = NOTE.to_owned() + &NOTE.lines().last().unwrap().replace("x08go/Z", "x08go/Y") + "\n";
        assert_eq!(SignedNote::read(twice.as_bytes()).unwrap().signed_by(&key), Signed::Forged);
    }

    #[test]
    fn signatures_are_those_of_rfc_8032() {
        let bytes = |hex: &str| -> Vec<u8> {
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
        };
        // Tests 1 and 2 of section 7.1.
        for (secret, public, message, signature) in [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
        ] {
            let signer = NoteSigner::new("n", &bytes(secret).try_into().unwrap()).unwrap();
            assert_eq!(signer.key.verifying_key().as_bytes(), bytes(public).as_slice());
            assert_eq!(signer.key.sign(&bytes(message)).to_bytes(), bytes(signature).as_slice());
        }
    }

    #[test]
    fn what_is_signed_verifies_and_is_read_back() {
        let signer = NoteSigner::new("gephost-log/1", &[3; 32]).unwrap();
        let note = SignedNote::read(signer.sign("one\n\ntwo\n").unwrap().as_bytes()).unwrap();
        assert_eq!(note.text, "one\n\ntwo\n");
        assert_eq!(note.signed_by(&signer.verifier()), Signed::Yes);
        assert_eq!(NoteKey::read(&signer.verifier().to_string()).unwrap(), signer.verifier());
        assert!(!format!("{signer:?}").contains("key"), "the secret is not shown");
        assert_eq!(signer.sign("no line end"), Err(NoteError::Text));
        assert_eq!(signer.sign("a\u{1b}\n"), Err(NoteError::Text));
    }

    #[test]
    fn what_is_no_note_or_no_key_is_refused() {
        let check =
            |note: &str, expect: NoteError| assert_eq!(SignedNote::read(note.as_bytes()), Err(expect), "{note:?}");
        check("", NoteError::NoSignatures);
        check("text\n\n", NoteError::NoSignatures);
        check("text\n\u{2014} a AAAAAAA=\n", NoteError::NoSignatures);
        check("text\n\n\u{2014} a AAAAAAA=", NoteError::NoSignatures);
        check("text\n\n- a AAAAAAA=\n", NoteError::Signature(1));
        check("text\n\n\u{2014} a AAAAAAA=\n\u{2014} a AAA\n", NoteError::Signature(2));
        check("text\n\n\u{2014} a+b AAAAAAA=\n", NoteError::Signature(1));
        check("te\txt\n\n\u{2014} a AAAAAAA=\n", NoteError::Text);
        check(&format!("t\n\n{}", "\u{2014} a AAAAAAA=\n".repeat(101)), NoteError::TooMany);
        check(&format!("{}\n\n\u{2014} a AAAAAAA=\n", "x".repeat(MAX_NOTE_BYTES)), NoteError::Text);
        assert_eq!(SignedNote::read(b"\xff\n\n"), Err(NoteError::Text));
        for key in ["", "a", "a+b", "+c74f20a3+AR", "a+c74f20a3+AR", "a+c74f20a3+", &KEY.replace("Peter", "Pieter")] {
            assert!(NoteKey::read(key).is_err(), "{key}");
        }
        assert!(NoteKey::read(&KEY.replace("+AR", "+BR")).is_err(), "another algorithm");
        for name in ["", "a b", "a+b", "a\nb"] {
            assert_eq!(NoteSigner::new(name, &[0; 32]).unwrap_err(), NoteError::Name);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic_the_readers(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), text in ".{0,80}") {
            let _ = SignedNote::read(&bytes);
            let _ = SignedNote::read(text.as_bytes());
            let _ = NoteKey::read(&text);
        }
    }
}

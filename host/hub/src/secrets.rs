//! Secrets of nodes. The hub derives them from one secret of its own, which is in the database, so a hello whose answer got
//! lost can be answered again.

use std::hint::black_box;

use sha2::{Digest as _, Sha256};

/// The hub's own secret.
pub(crate) struct Secrets([u8; 32]);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

impl Secrets {
    pub(crate) fn new(own: [u8; 32]) -> Self {
        Self(own)
    }

    /// The secret of a node: 64 hexadecimal digits. `generation` counts how often it was replaced.
    pub(crate) fn of(&self, node: &str, generation: i64) -> String {
        // The hash around the hash makes it impossible to extend the text.
        let inner =
            Sha256::new().chain_update(self.0).chain_update(generation.to_be_bytes()).chain_update(node).finalize();
        gephost_core::digest::hex(&Sha256::new().chain_update(self.0).chain_update(inner).finalize())
    }

    /// Whether a text is the secret of a node, of this generation. Takes the same time for every text of the right length.
    pub(crate) fn is_of(&self, node: &str, generation: i64, shown: &str) -> bool {
        let secret = self.of(node, generation);
        let differences = secret.bytes().zip(shown.bytes()).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        secret.len() == shown.len() && differences == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_and_generation_has_a_secret_of_its_own() {
        let secrets = Secrets::new([1; 32]);
        let secret = secrets.of("node_e5f6a7b8c9d0e1f2", 1);
        assert_eq!(secret.len(), 64);
        assert_eq!(secret, secrets.of("node_e5f6a7b8c9d0e1f2", 1));
        assert_ne!(secret, secrets.of("node_e5f6a7b8c9d0e1f2", 2));
        assert_ne!(secret, secrets.of("node_e5f6a7b8c9d0e1f3", 1));
        assert_ne!(secret, Secrets::new([2; 32]).of("node_e5f6a7b8c9d0e1f2", 1));
    }
}

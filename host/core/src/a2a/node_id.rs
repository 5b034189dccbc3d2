//! The name of a node.

use std::fmt;

use super::signature::PublicKey;
use crate::digest;

/// `node_` and 12 or 16 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(String);

impl NodeId {
    /// Reads a name; `None` if it is none. Upper-case digits are refused, so that no two names look alike.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("node_")?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        (matches!(digits.len(), 12 | 16) && is_hex).then(|| Self(text.to_owned()))
    }

    /// The name of the node that has this key: the first 16 digits of the SHA-256 of the key. So nobody else can show the
    /// key that belongs to the name.
    pub fn of_key(key: &PublicKey) -> Self {
        let digits = digest::sha256_hex(&key.bytes());
        Self(format!("node_{}", digits.get(..16).unwrap_or_default()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_12_or_16_lower_case_digits() {
        for good in ["node_e5f6a7b8c9d0e1f2", "node_abc123def456"] {
            assert_eq!(NodeId::read(good).expect(good).as_str(), good);
        }
        for bad in [
            "",
            "node_",
            "node_e5f6a7b8c9d0e1f",
            "node_e5f6a7b8c9d0e1f2a",
            "node_E5F6A7B8C9D0E1F2",
            "Node_e5f6a7b8c9d0e1f2",
            "e5f6a7b8c9d0e1f2",
            "node_e5f6a7b8c9d0e1fg",
            " node_e5f6a7b8c9d0e1f2",
            "node_e5f6a7b8c9d0e1f2\n",
            "node_\u{ff11}2345678901",
        ] {
            assert_eq!(NodeId::read(bad), None, "{bad:?}");
        }
    }
}

//! Why a file of rules is refused.

/// What is wrong with a file of rules, where, and what to do. One line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error("{file}: {what}")]
    File {
        /// The file, as it was named.
        file: String,
        /// What and where.
        what: String,
    },
    /// A rule that cannot be enforced as it is written.
    #[error("{file}: rule `{rule}`: {what}")]
    Rule {
        /// The file, as it was named.
        file: String,
        /// The rule's id; its number where it has none.
        rule: String,
        /// What is wrong with it.
        what: String,
    },
}

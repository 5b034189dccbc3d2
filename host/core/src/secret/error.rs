//! Why a rule file is refused.

/// What is wrong with a rule file, where, and how to fix it. One line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The file is not TOML, has an unknown key, or a value of the wrong type.
    #[error("{file}: {what}")]
    File {
        /// The file, as it was named.
        file: String,
        /// What is wrong and where.
        what: String,
    },
    /// A rule cannot be used as it is written.
    #[error("{file}: rule `{rule}`: {what}")]
    Rule {
        /// The file, as it was named.
        file: String,
        /// Id of the rule, or its number if it has no id.
        rule: String,
        /// What is wrong with it.
        what: String,
    },
}

//! Actions of GitHub that the runner no longer accepts.

/// An action, the newest major version that fails or is deprecated, and the oldest one that works and takes the same inputs.
pub(super) struct Entry {
    pub(super) action: &'static str,
    /// The newest major version that is deprecated.
    pub(super) until: u32,
    /// The major version to use.
    pub(super) now: u32,
    /// Why, with the source.
    pub(super) source: &'static str,
}

const fn entry(action: &'static str, until: u32, now: u32, source: &'static str) -> Entry {
    Entry { action, until, now, source }
}

const NODE_16: &str = "github.blog/changelog/2023-09-22-github-actions-transitioning-from-node-16-to-node-20";
const ARTIFACT: &str = "github.blog/changelog/2024-04-16-deprecation-notice-v3-of-the-artifact-actions";
const CACHE: &str =
    "github.blog/changelog/2024-12-05-notice-of-upcoming-releases-and-breaking-changes-for-github-actions";
const CODEQL: &str = "github.blog/changelog/2025-01-10-code-scanning-codeql-action-v2-is-now-deprecated";

/// Rows whose newer version takes the inputs of the older one, by the release notes of each action. `upload-artifact` is only
/// safe if the workflow uploads each name once, which the code checks.
pub(super) const TABLE: &[Entry] = &[
    entry("actions/upload-artifact", 3, 4, ARTIFACT),
    entry("actions/download-artifact", 3, 4, ARTIFACT),
    entry("actions/cache", 3, 4, CACHE),
    entry("actions/cache/restore", 3, 4, CACHE),
    entry("actions/cache/save", 3, 4, CACHE),
    entry("actions/checkout", 3, 4, NODE_16),
    entry("actions/setup-node", 3, 4, NODE_16),
    entry("actions/setup-python", 4, 5, NODE_16),
    entry("actions/setup-go", 4, 5, NODE_16),
    entry("actions/setup-dotnet", 3, 4, NODE_16),
    entry("actions/labeler", 3, 4, NODE_16),
    entry("actions/stale", 8, 9, NODE_16),
    entry("actions/configure-pages", 3, 4, NODE_16),
    entry("actions/upload-pages-artifact", 2, 3, ARTIFACT),
    entry("actions/deploy-pages", 3, 4, ARTIFACT),
    entry("github/codeql-action/init", 2, 3, CODEQL),
    entry("github/codeql-action/analyze", 2, 3, CODEQL),
    entry("github/codeql-action/autobuild", 2, 3, CODEQL),
    entry("github/codeql-action/upload-sarif", 2, 3, CODEQL),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_leads_to_a_newer_version() {
        for entry in TABLE {
            assert!(entry.now > entry.until && entry.source.starts_with("github.blog/"), "{}", entry.action);
        }
    }
}

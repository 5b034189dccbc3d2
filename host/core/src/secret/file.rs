//! The form of a rule file. It is gitleaks' own (version 8), so that a file written for gitleaks can be used here, plus
//! five keys of gephost: `samples`, `not`, `value`, `atKeyword` and `fromLast`.
//!
//! Every key either has its effect or is refused. Keys of gitleaks that gephost does not support are parsed too, so
//! that the error can give the reason instead of "unknown field"; see `refused`.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A file of rules.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct RuleFile {
    /// A label. gitleaks ignores it too.
    pub(super) title: Option<IgnoredAny>,
    /// A label. gitleaks ignores it too.
    pub(super) description: Option<IgnoredAny>,
    pub(super) min_version: Option<IgnoredAny>,
    pub(super) extend: Extend,
    pub(super) rules: Vec<RawRule>,
    pub(super) allowlist: Option<RawAllowlist>,
    pub(super) allowlists: Vec<RawAllowlist>,
}

/// `[extend]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Extend {
    /// Whether the bundled rules are used too. They are unless this is `false`.
    pub(super) use_default: Option<bool>,
    /// Ids of bundled rules to disable.
    pub(super) disabled_rules: Vec<String>,
    pub(super) path: Option<IgnoredAny>,
    pub(super) url: Option<IgnoredAny>,
}

/// `[[rules]]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct RawRule {
    pub(super) id: String,
    /// A label. gitleaks ignores it too.
    pub(super) description: Option<IgnoredAny>,
    /// What a secret looks like, in Go's dialect (RE2).
    pub(super) regex: Option<String>,
    /// Which files are searched. Without a `regex`, the rule forbids adding files with such a name.
    pub(super) path: Option<String>,
    /// Shannon entropy that the secret must exceed, 0 to 8.
    pub(super) entropy: Option<f64>,
    /// Texts of which one occurs near every match, in any letter case.
    pub(super) keywords: Vec<String>,
    /// Number of the group that holds the secret. 0 means the first non-empty group, or the whole match if there is
    /// none.
    pub(super) secret_group: usize,
    /// A label. gitleaks ignores it too.
    pub(super) tags: Option<IgnoredAny>,
    pub(super) allowlist: Option<RawAllowlist>,
    pub(super) allowlists: Vec<RawAllowlist>,
    pub(super) skip_report: Option<IgnoredAny>,
    pub(super) required: Option<IgnoredAny>,
    /// gephost only: whether each match begins with a keyword, so that the expression need not name them.
    pub(super) at_keyword: bool,
    /// gephost only: whether a match that goes over a keyword has one from that keyword on in it, so that only the text up to
    /// the next keyword has to be read.
    pub(super) from_last: bool,
    /// gephost only: what else the secret must look like.
    pub(super) value: Value,
    /// gephost only: texts in which the rule must find a secret. Each is split into parts, so that no file holds a
    /// whole secret.
    pub(super) samples: Vec<Vec<String>>,
    /// gephost only: texts in which no rule may find a secret, split in the same way.
    pub(super) not: Vec<Vec<String>>,
}

/// What a match must look like to count as a secret.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Value {
    /// Any match counts, as in gitleaks.
    #[default]
    Match,
    /// The form belongs to one vendor: only fillers such as `xxxx` are ignored.
    Vendor,
    /// Placeholders, words and names are ignored.
    Password,
    /// As `password`, but a name followed by a number is ignored too. For values without quotes.
    Mixed,
    /// As `mixed`, and the kinds of characters must change as often as in a drawn password. For sentences.
    Strong,
    /// The context leaves no doubt that it is a password, so one of letters counts too. Placeholders, references, code and
    /// the usual stand-ins such as `secret` are ignored.
    Given,
    /// Letters and digits must be mixed as in a key. Placeholders are ignored.
    Random,
}

/// `[[allowlists]]`, `[[rules.allowlists]]` and their older forms.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct RawAllowlist {
    /// A label. gitleaks ignores it too.
    pub(super) description: Option<IgnoredAny>,
    /// `OR` (the default) or `AND`.
    pub(super) condition: Option<String>,
    pub(super) commits: Option<IgnoredAny>,
    pub(super) paths: Vec<String>,
    /// Which text `regexes` are applied to: `secret` (the default), `match` or `line`.
    pub(super) regex_target: Option<String>,
    pub(super) regexes: Vec<String>,
    pub(super) stopwords: Vec<String>,
    /// Ids of the rules that a global list applies to; all if absent.
    pub(super) target_rules: Vec<String>,
}

/// The first key of a file that gephost knows but does not support, with the reason.
pub(super) fn refused(file: &RuleFile) -> Option<&'static str> {
    let keys = [
        (file.min_version.is_some(), "`minVersion` is a version of gitleaks and does not apply to gephost: remove it"),
        (file.extend.path.is_some(), "`extend.path` is not supported: list that file in `secret_rules` instead"),
        (file.extend.url.is_some(), "`extend.url` is not supported: download the file and list it in `secret_rules`"),
    ];
    keys.into_iter().find_map(|(written, why)| written.then_some(why))
}

/// The same for a rule.
pub(super) fn refused_in_rule(rule: &RawRule) -> Option<&'static str> {
    let keys = [
        (rule.skip_report.is_some(), "`skipReport` is not supported: remove it"),
        (rule.required.is_some(), "`required` (a rule that combines others) is not supported: remove it"),
        (
            rule.allowlist.is_some() && !rule.allowlists.is_empty(),
            "it has both `allowlist` and `allowlists`: use only `allowlists`",
        ),
    ];
    keys.into_iter().find_map(|(written, why)| written.then_some(why))
}

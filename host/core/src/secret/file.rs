//! The shape of a file of rules: gitleaks' own (version 8), so that a file written for it can be used here, and three
//! keys of ours: `samples`, `not` and `value`.
//!
//! Every key either has its effect or is refused. What gitleaks knows and we cannot do is listed with its reason in
//! `refused`: it is read, so that the answer is better than "unknown field".

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A file of rules.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct RuleFile {
    /// A label, without effect in gitleaks too.
    pub(super) title: Option<IgnoredAny>,
    /// A label, without effect in gitleaks too.
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
    /// The bundled rules stand beside the file's own unless this is written and false.
    pub(super) use_default: Option<bool>,
    /// Ids of bundled rules that are left out.
    pub(super) disabled_rules: Vec<String>,
    pub(super) path: Option<IgnoredAny>,
    pub(super) url: Option<IgnoredAny>,
}

/// `[[rules]]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct RawRule {
    pub(super) id: String,
    /// A label, without effect in gitleaks too.
    pub(super) description: Option<IgnoredAny>,
    /// What a secret looks like. Go's dialect (RE2).
    pub(super) regex: Option<String>,
    /// Which files it is looked for in; without a `regex`, files that must not be added at all.
    pub(super) path: Option<String>,
    /// Shannon entropy that the secret must exceed, 0 to 8.
    pub(super) entropy: Option<f64>,
    /// Texts of which one stands near every match; letter case does not count.
    pub(super) keywords: Vec<String>,
    /// The group that is the secret; 0 is the first that is not empty, else the whole match.
    pub(super) secret_group: usize,
    /// A label, without effect in gitleaks too.
    pub(super) tags: Option<IgnoredAny>,
    pub(super) allowlist: Option<RawAllowlist>,
    pub(super) allowlists: Vec<RawAllowlist>,
    pub(super) skip_report: Option<IgnoredAny>,
    pub(super) required: Option<IgnoredAny>,
    /// Ours: what else the secret must be.
    pub(super) value: Value,
    /// Ours: texts that the rule must find, each cut in parts so that no file holds a secret whole.
    pub(super) samples: Vec<Vec<String>>,
    /// Ours: texts in which no rule may find anything, cut likewise.
    pub(super) not: Vec<Vec<String>>,
}

/// How sure the expression alone makes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Value {
    /// The expression decides, as in gitleaks.
    #[default]
    Match,
    /// The shape is a vendor's own: only fillers (`xxxx`) are let off.
    Vendor,
    /// Anything but a placeholder, a word or a name.
    Password,
    /// The same, and more than a name with a number behind it: for values without quotes.
    Mixed,
    /// Letters and digits mixed as in a key, and no placeholder.
    Random,
}

/// `[[allowlists]]`, `[[rules.allowlists]]` and their older forms.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct RawAllowlist {
    /// A label, without effect in gitleaks too.
    pub(super) description: Option<IgnoredAny>,
    /// `OR` (the default) or `AND`.
    pub(super) condition: Option<String>,
    pub(super) commits: Option<IgnoredAny>,
    pub(super) paths: Vec<String>,
    /// What `regexes` look at: `secret` (the default), `match` or `line`.
    pub(super) regex_target: Option<String>,
    pub(super) regexes: Vec<String>,
    pub(super) stopwords: Vec<String>,
    /// Global lists only: the rules that it holds for; all without it.
    pub(super) target_rules: Vec<String>,
}

/// Keys of a file that are known and cannot be enforced.
pub(super) fn refused(file: &RuleFile) -> Option<&'static str> {
    let keys = [
        (file.min_version.is_some(), "`minVersion` names a version of gitleaks, which this is not: take it out"),
        (file.extend.path.is_some(), "`extend.path` is not followed: list that file in `secret_rules` too"),
        (file.extend.url.is_some(), "`extend.url` is not fetched: store the file and list it in `secret_rules`"),
    ];
    keys.into_iter().find_map(|(written, why)| written.then_some(why))
}

/// The same for a rule.
pub(super) fn refused_in_rule(rule: &RawRule) -> Option<&'static str> {
    let keys = [
        (rule.skip_report.is_some(), "`skipReport` is for rules that others require: not supported, take it out"),
        (rule.required.is_some(), "`required` (rules made of several) is not supported"),
        (
            rule.allowlist.is_some() && !rule.allowlists.is_empty(),
            "`allowlist` and `allowlists`: write only the latter",
        ),
    ];
    keys.into_iter().find_map(|(written, why)| written.then_some(why))
}

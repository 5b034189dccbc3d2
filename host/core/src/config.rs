//! `gephost.toml`: what the operator allows in this repository.
//!
//! Every key has an effect. A key that is unknown, malformed or cannot be enforced stops the host (invariant 10), so
//! that nothing is read and then ignored. A missing key has the stricter default: no path may change, and nothing is
//! applied.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config_tables;
use crate::diagnosis;
use crate::diagnosis::DiagnoseTable;
use crate::gene::{Manifest, SettingValue, Settings, SettingsTable, invalid_reason};
pub use crate::grant::{BudgetsTable, GenesTable, Isolation, Reads};
use crate::grant::{GrantError, Grants};
use crate::policy::{Policy, PolicyError, PolicyTable, ValidationTable};
use crate::select::Strategy;
use crate::trust_policy::Requirement;

/// Name of the file, in the project's root.
pub const CONFIG_FILE: &str = "gephost.toml";

/// The largest config file that is read, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The file as it is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigFile {
    /// Blocks every apply, regardless of flags (seed 003).
    pub dry_run: bool,
    /// `[apply]`.
    pub apply: ApplyTable,
    /// `[policy]`.
    pub policy: PolicyTable,
    /// `[validation]`.
    pub validation: ValidationTable,
    /// `[observe]`.
    pub observe: ObserveTable,
    /// `[diagnose]`.
    pub diagnose: DiagnoseTable,
    /// `[genes]`.
    pub genes: GenesTable,
    /// `[budgets]`.
    pub budgets: BudgetsTable,
    /// `[recordings]`.
    pub recordings: RecordingsTable,
    /// `[autopilot]`.
    pub autopilot: AutopilotTable,
    /// `[layers]`.
    pub layers: LayersTable,
    /// `[search]`.
    pub search: SearchTable,
    /// `[select]`.
    pub select: SelectTable,
    /// `[model]`.
    pub model: ModelLimitsTable,
    /// `[trust]`.
    pub trust: TrustLimitsTable,
}

/// `[trust]`: how far this repository restricts what the user's own config trusts. The stricter value holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrustLimitsTable {
    /// What a gene file needs before it is loaded in this repository: `"nothing"`, or `"signed"` by a key that the user's
    /// own config names or with the user's own key.
    pub require: Requirement,
}

/// `[model]`: how far this repository restricts the model that the user's own config names. Of two limits, the stricter
/// one holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelLimitsTable {
    /// Whether gephost asks no model in this repository.
    pub offline: bool,
    /// The most tokens that one run of gephost sends and receives, 1 to 1,000,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most US dollars that one run of gephost spends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
}

/// `[apply]`: the second of two locks; the first is the flag `--apply`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ApplyTable {
    /// Whether `--apply` may publish a branch (seed 004: `allow_apply_default`).
    pub enabled: bool,
    /// Name of the commit's author and committer.
    pub author_name: String,
    /// E-mail address of the commit's author and committer.
    pub author_email: String,
    /// How commits are signed: `"ssh:/absolute/path/of/a/key"` or `"gpg:KEY"`. Without it, commits are not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<Signing>,
}

impl Default for ApplyTable {
    fn default() -> Self {
        Self {
            enabled: false,
            author_name: "gephost".to_owned(),
            author_email: "gephost@localhost".to_owned(),
            sign: None,
        }
    }
}

/// `apply.sign`: the key that signs commits. The operator's own program does the signing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum Signing {
    /// With `ssh-keygen -Y sign`.
    Ssh {
        /// The absolute path of the private key's file, or of the public one if an agent holds the private one.
        key_file: String,
    },
    /// With `gpg`.
    Gpg {
        /// A key's id, its fingerprint or an address.
        key: String,
    },
}

impl TryFrom<String> for Signing {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let plain = |key: &str| !key.is_empty() && !key.starts_with('-') && !key.chars().any(char::is_control);
        match text.split_once(':') {
            Some(("ssh", key_file)) if plain(key_file) && key_file.starts_with('/') => {
                Ok(Self::Ssh { key_file: key_file.to_owned() })
            }
            Some(("gpg", key)) if plain(key) => Ok(Self::Gpg { key: key.to_owned() }),
            _ => Err(format!("{text:?}: expected \"ssh:/absolute/path/of/a/key\" or \"gpg:KEY\"")),
        }
    }
}

impl From<Signing> for String {
    fn from(signing: Signing) -> Self {
        match signing {
            Signing::Ssh { key_file } => format!("ssh:{key_file}"),
            Signing::Gpg { key } => format!("gpg:{key}"),
        }
    }
}

/// `[observe]`: which logs gephost reads, and how much of them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ObserveTable {
    /// Files, folders or globs, relative to the project's root. gephost always reads what `gephost record` wrote.
    pub logs: Vec<String>,
    /// The most events of one cycle, 1 to 10,000,000; the newest are used.
    pub max_events: usize,
    /// The most characters of a stored preview or error (seed 004), 1 to 100,000.
    pub log_max_chars: usize,
    /// How many days of run events `gephost observe` keeps, including today, 0 to 36,500;
    /// 0 keeps all.
    pub keep_days: u32,
}

impl Default for ObserveTable {
    fn default() -> Self {
        Self { logs: Vec::new(), max_events: 100_000, log_max_chars: 500, keep_days: 0 }
    }
}

/// `[recordings]`: how many gene calls gephost keeps for `gephost replay`. It removes the oldest first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RecordingsTable {
    /// The most gene calls, 0 to 10,000; 0 keeps none.
    pub keep: u64,
    /// The most MiB of all recordings, 1 to 65,536.
    pub max_mib: u64,
}

impl Default for RecordingsTable {
    fn default() -> Self {
        Self { keep: 100, max_mib: 512 }
    }
}

/// `[autopilot]`: what `gephost autopilot` may do without a person (seed 003).
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AutopilotTable {
    /// The most cycles of one session, 1 to 1,000.
    pub max_cycles: u64,
    /// The highest computed risk that autopilot applies, 0 to 100; a change above it awaits approval.
    pub max_risk: u8,
    /// Seconds between a cycle that tried something and the next, 0 to 86,400.
    pub cycle_delay_s: u64,
    /// Whether a candidate that fails its validation ends the session.
    pub stop_on_failure: bool,
    /// Seconds of wall time of one run, 1 to 604,800. A cycle that still runs then is stopped.
    pub max_wall_s: u64,
}

impl Default for AutopilotTable {
    fn default() -> Self {
        Self { max_cycles: 5, max_risk: 30, cycle_delay_s: 60, stop_on_failure: true, max_wall_s: 3600 }
    }
}

/// `[layers]`: how far gephost continues a repair. If a change fixes one failure and another one shows, gephost observes
/// that failure, and looks for a further step that builds on the change. Only the sum of the steps is published.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LayersTable {
    /// The most steps of one repair, 1 to 20; with 1, no repair is continued.
    pub max_depth: u64,
    /// The most candidates that are validated for one further step, 1 to 100.
    pub max_candidates: u64,
    /// The most candidates that are validated for all further steps of one cycle, 1 to 1,000.
    pub max_validations: u64,
    /// Seconds after which no further step begins, 1 to 86,400. They count from the start of the cycle's validations.
    pub max_wall_s: u64,
}

impl Default for LayersTable {
    fn default() -> Self {
        Self { max_depth: 4, max_candidates: 3, max_validations: 12, max_wall_s: 900 }
    }
}

/// `[search]`: how long gephost tries the edits of a gene that searches. It does so only with `--apply`, and only if the
/// other genes propose nothing for a command that fails.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SearchTable {
    /// Seconds of wall time of one search, 0 to 3,600; with 0, there is none.
    pub max_wall_s: u64,
}

impl Default for SearchTable {
    fn default() -> Self {
        Self { max_wall_s: 60 }
    }
}

/// `[select]`: how gephost ranks genes. `--strategy` of a command says something else for one run.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SelectTable {
    /// How much each category of genes counts: `"balanced"`, `"innovate"`, `"harden"` or `"repair-only"`, which leaves
    /// other genes out.
    pub strategy: Strategy,
}

/// The checked file.
#[derive(Debug, Clone)]
pub struct Config {
    /// As written, with defaults filled in.
    pub file: ConfigFile,
    /// `[policy]` and `[validation]`, compiled.
    pub policy: Policy,
    /// `[genes] grant`, `[genes.grants]` and `[budgets]`, compiled.
    pub grants: Grants,
}

/// Why a config file stops the host.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, an unknown key, or a value of the wrong type. The text has line and column.
    #[error("{0}")]
    Toml(String),
    /// A value that cannot be enforced.
    #[error("{0}")]
    Policy(#[from] PolicyError),
    /// A grant that cannot be enforced.
    #[error("{0}")]
    Grant(#[from] GrantError),
    /// An empty `allow`, which allows nothing, beside a phase, which allows paths.
    #[error("`[policy] allow = []` and `phase` contradict each other; remove one")]
    NothingInPhase,
    /// A key of `[model]` or `[trust]` that only the user's own config may have.
    #[error("`{key}` belongs to the user's own config: a repository must not choose {what}")]
    NotTheRepositorys {
        /// The key, with its table.
        key: String,
        /// What it decides.
        what: &'static str,
    },
    /// A value of the user's `[model]` that cannot be enforced.
    #[error("{0}")]
    Model(String),
    /// A folder of the user's `[trust]` that is not a full path.
    #[error("`trust.folders` has {0:?}, which is not a full path, such as \"/home/me/projects\"")]
    Trust(String),
    /// Keys of the user's `[trust]` that cannot be distinguished.
    #[error("`trust.keys` {0}")]
    Keys(String),
    /// A threshold out of its range.
    #[error("{0}")]
    Threshold(String),
    /// A setting that cannot be passed to a gene.
    #[error("{0}")]
    Setting(String),
    /// A value out of its range.
    #[error("`{key}` is {value}: {rule}")]
    Range {
        /// The key, with its table.
        key: String,
        /// The value.
        value: u64,
        /// The rule that it breaks.
        rule: &'static str,
    },
}

impl Config {
    /// Reads the text of a config file. An empty text is the default.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        if let Some(message) = config_tables::misplaced(text, config_tables::OF_PROJECT) {
            return Err(ConfigError::Toml(message));
        }
        let file: ConfigFile = toml::from_str(text)
            .map_err(|error| users_key(text).unwrap_or_else(|| ConfigError::Toml(one_line(text, &error))))?;
        let bounds = [
            ("recordings.keep", file.recordings.keep, 0, 10_000, "it must be 0 to 10000"),
            ("recordings.max_mib", file.recordings.max_mib, 1, 65_536, "it must be 1 to 65536"),
            ("observe.max_events", file.observe.max_events as u64, 1, 10_000_000, "it must be 1 to 10000000"),
            ("observe.log_max_chars", file.observe.log_max_chars as u64, 1, 100_000, "it must be 1 to 100000"),
            ("observe.keep_days", file.observe.keep_days.into(), 0, 36_500, "it must be 0 to 36500"),
            ("autopilot.max_cycles", file.autopilot.max_cycles, 1, 1000, "it must be 1 to 1000"),
            ("autopilot.max_risk", file.autopilot.max_risk.into(), 0, 100, "it must be 0 to 100"),
            ("autopilot.cycle_delay_s", file.autopilot.cycle_delay_s, 0, 86_400, "it must be 0 to 86400"),
            ("autopilot.max_wall_s", file.autopilot.max_wall_s, 1, 604_800, "it must be 1 to 604800"),
            ("layers.max_depth", file.layers.max_depth, 1, 20, "it must be 1 to 20"),
            ("layers.max_candidates", file.layers.max_candidates, 1, 100, "it must be 1 to 100"),
            ("layers.max_validations", file.layers.max_validations, 1, 1000, "it must be 1 to 1000"),
            ("layers.max_wall_s", file.layers.max_wall_s, 1, 86_400, "it must be 1 to 86400"),
            ("search.max_wall_s", file.search.max_wall_s, 0, 3600, "it must be 0 to 3600"),
        ];
        for (key, value, least, most, rule) in bounds {
            range(key, value, least, most, rule)?;
        }
        if let Some(tokens) = file.model.max_tokens {
            range("model.max_tokens", tokens, 1, 1_000_000_000, "it must be 1 to 1000000000")?;
        }
        dollars("model.max_cost", file.model.max_cost)?;
        if let Some(rule) = file.diagnose.out_of_range() {
            return Err(ConfigError::Threshold(rule));
        }
        let invalid =
            |(id, settings)| invalid_reason(settings).map(|reason| format!("`[genes.settings.\"{id}\"]`: {reason}"));
        if let Some(rule) = file.genes.settings.iter().find_map(invalid) {
            return Err(ConfigError::Setting(rule));
        }
        file.check_own_settings(diagnosis::heuristic_id(), diagnosis::thresholds())?;
        if let Some((key, value, rule)) = file.budgets.out_of_range() {
            return Err(ConfigError::Range { key: format!("budgets.{key}"), value, rule });
        }
        if file.policy.phase.is_some() && file.policy.allow.is_empty() && says_allow(text) {
            return Err(ConfigError::NothingInPhase);
        }
        let policy = Policy::from_tables(file.policy.clone(), &file.validation, &[])?;
        let grants = Grants::from_tables(&file.genes, &file.budgets)?;
        Ok(Self { file, policy, grants })
    }
}

impl ConfigFile {
    /// The settings that a gene is handed. Each source overrides those before it: the defaults that the gene declares, the
    /// thresholds if it is a heuristic, and the settings for its id. A gene that declares settings gets no others by
    /// `[diagnose.thresholds]`; a heuristic that declares none gets every threshold.
    pub fn settings_of(&self, gene: &Manifest) -> Settings {
        let mut settings = match &gene.settings {
            Some(table) => {
                let mut settings = table.defaults();
                settings.extend(self.thresholds_for(gene, table));
                settings
            }
            None if gene.world.diagnoses() => self.diagnose.settings(),
            None => Settings::new(),
        };
        let own = self.genes.settings.get(gene.id()).into_iter().flatten();
        settings.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        settings
    }

    /// Refuses settings that the gene does not declare, or that are out of the bounds that it declares. A gene without a
    /// table takes any.
    pub fn check_settings(&self, gene: &Manifest) -> Result<(), ConfigError> {
        let Some(table) = &gene.settings else { return Ok(()) };
        for (name, value) in self.thresholds_for(gene, table) {
            if let Some(problem) = table.refusal(&name, &value) {
                let id = gene.id();
                return Err(ConfigError::Setting(format!("`diagnose.thresholds.{name}` {problem} for the gene {id}")));
            }
        }
        self.check_own_settings(gene.id(), table)
    }

    fn check_own_settings(&self, id: &str, table: &SettingsTable) -> Result<(), ConfigError> {
        let own = self.genes.settings.get(id).into_iter().flatten();
        let refused = own.into_iter().find_map(|(name, value)| {
            table.refusal(name, value).map(|problem| format!("`genes.settings.\"{id}\".{name}` {problem}"))
        });
        refused.map_or(Ok(()), |rule| Err(ConfigError::Setting(rule)))
    }

    /// The thresholds that this gene declares among its settings, if it is a heuristic.
    fn thresholds_for(&self, gene: &Manifest, table: &SettingsTable) -> Settings {
        let thresholds = self.diagnose.thresholds.iter().filter(|_| gene.world.diagnoses());
        let declared = thresholds.filter(|(name, _)| table.get(name).is_some());
        declared.map(|(name, value)| (name.clone(), SettingValue::Number(*value))).collect()
    }
}

/// Refuses a number that is out of its range.
pub(crate) fn range(key: &str, value: u64, least: u64, most: u64, rule: &'static str) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(ConfigError::Range { key: key.to_owned(), value, rule }) }
}

/// Refuses an amount of money that is not finite or out of range.
pub(crate) fn dollars(key: &str, amount: Option<f64>) -> Result<(), ConfigError> {
    match amount {
        Some(amount) if !(0.0..=1e6).contains(&amount) => {
            Err(ConfigError::Model(format!("`{key}` is {amount}: it must be 0 to 1000000 dollars")))
        }
        _ => Ok(()),
    }
}

/// What a repository may say in the tables that belong to the user's own config, and what the other keys decide.
const OWN_TABLES: &[(&str, &[&str], &str)] = &[
    ("model", &["offline", "max_tokens", "max_cost"], "where a key is sent"),
    ("trust", &["require"], "whom the user trusts"),
];

/// The first key of these tables that a repository may not set.
fn users_key(text: &str) -> Option<ConfigError> {
    let read = toml::from_str::<toml::Table>(text).ok()?;
    OWN_TABLES.iter().find_map(|(name, allowed, what)| {
        let table = read.get(*name)?.as_table()?;
        let key = table.keys().find(|key| !allowed.contains(&key.as_str()))?;
        Some(ConfigError::NotTheRepositorys { key: format!("{name}.{key}"), what })
    })
}

/// Whether the text has `[policy] allow`, with any value.
fn says_allow(text: &str) -> bool {
    let read = toml::from_str::<toml::Table>(text).ok();
    read.as_ref().and_then(|file| file.get("policy")?.get("allow")).is_some()
}

/// The parser's error on one line, with line and column. Its own text spans several lines.
pub(crate) fn one_line(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return message };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gene::Capability;

    #[test]
    fn silence_is_the_tighter_answer() {
        let config = Config::from_toml("").unwrap();
        assert!(!config.file.apply.enabled);
        assert!(!config.file.genes.grant.contains(&Capability::Completion));
    }

    #[test]
    fn an_unknown_key_stops_the_host_and_says_where() {
        for text in ["dry_runn = true", "[apply]\nenable = true", "[policy]\nallowed = []", "[polcy]\n"] {
            let message = Config::from_toml(text).unwrap_err().to_string();
            assert!(message.contains("unknown field") && message.starts_with("line "), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
    }

    #[test]
    fn a_list_or_a_value_in_place_of_a_table_is_named() {
        for (text, place) in [
            ("[[apply]]\nenabled = true", "apply"),
            ("dry_run = true\n\n[[policy]]\nallow = []", "policy"),
            ("apply = true", "apply"),
            ("apply = [true]", "apply"),
            ("search = []", "search"),
            ("[policy]\nphases = []", "policy.phases"),
            ("[policy.phases]\nfull = [[\"a\"]]", "policy.phases.full"),
            ("[genes.grants]\nx = [[]]", "genes.grants.x"),
        ] {
            let told = Config::from_toml(text).unwrap_err().to_string();
            assert_eq!(
                told,
                format!("`{place}` is one table: write `[{place}]` once, and its keys below it"),
                "{text}"
            );
        }
        assert!(Config::from_toml("apply.enabled = true\npolicy = { allow = [] }").is_ok());
    }

    #[test]
    fn an_empty_allow_opens_nothing_and_a_phase_does() {
        let read = |policy: &str| {
            let phases = "phase = \"bootstrap\"\nphases.bootstrap.allow = [\"docs/\"]\n";
            Config::from_toml(&format!("[policy]\n{phases}{policy}"))
        };
        assert!(read("").is_ok());
        assert!(read("allow = [\"docs/\"]").is_ok());
        let refused = read("allow = []").unwrap_err();
        assert!(matches!(refused, ConfigError::NothingInPhase));
    }

    #[test]
    fn a_signing_key_is_one_of_two_kinds_and_no_option() {
        let read =
            |sign: &str| Config::from_toml(&format!("[apply]\nsign = {sign:?}")).map(|read| read.file.apply.sign);
        for sign in ["ssh:/home/me/.ssh/id", "gpg:0xABCD", "gpg:me@example.org"] {
            assert_eq!(read(sign).unwrap().map(String::from).as_deref(), Some(sign));
        }
        for sign in ["", "ssh:", "ssh:id", "ssh:-f", "gpg:", "gpg:--output=x", "gpg:a\nb", "x509:/a", "/a"] {
            let message = read(sign).unwrap_err().to_string();
            assert!(message.contains("expected \"ssh:/absolute"), "{message}");
        }
    }

    #[test]
    fn a_cost_that_nothing_could_enforce_is_no_key() {
        // No model is asked, so nothing costs anything: a limit would be read and ignored (invariant 10).
        let message = Config::from_toml("[autopilot]\nmax_cost = 1").unwrap_err().to_string();
        assert!(message.contains("unknown field `max_cost`"), "{message}");
        for text in ["max_cycles = 0", "max_risk = 101", "max_wall_s = 0", "cycle_delay_s = 100000"] {
            let message = Config::from_toml(&format!("[autopilot]\n{text}")).unwrap_err().to_string();
            assert!(message.starts_with("`autopilot."), "{message}");
        }
    }

    #[test]
    fn thresholds_are_read_and_bounded() {
        let read = |keys: &str| Config::from_toml(&format!("[diagnose]\n{keys}")).map(|config| config.file.diagnose);
        let table = read("min_severity = \"low\"\nat_least = { loop = 5 }").unwrap();
        assert_eq!((table.at_least("loop"), table.at_least("failure_place"), table.at_least("x")), (5, 3, 1));
        for (keys, key) in [
            ("min_confidence = 1.5", "diagnose.min_confidence"),
            ("min_confidence = nan", "diagnose.min_confidence"),
            ("max_findings = 0", "diagnose.max_findings"),
            ("min_severity = \"bad\"", "unknown variant"),
            ("at_least = { loop = -1 }", "invalid value"),
        ] {
            let message = read(keys).unwrap_err().to_string();
            assert!(message.contains(key), "{message}");
        }
    }

    fn manifest(id: &str, world: &str, settings: &str) -> Manifest {
        let text = format!(
            r#"{{"type":"Gene","id":"{id}","category":"repair","signals_match":[],"world":"{world}"{settings}}}"#
        );
        Manifest::from_json(text.as_bytes()).unwrap()
    }

    /// A gene that declares one setting of its own, and one with the name of a threshold.
    fn declares(id: &str, world: &str) -> Manifest {
        let table = r#","settings":[{"name":"depth","default":3,"max":9,"description":"How deep"},
            {"name":"recurring","default":4,"max":50,"description":"From when on"}]"#;
        manifest(id, world, table)
    }

    #[test]
    fn a_gene_is_handed_what_it_declares() {
        let text = "[diagnose.thresholds]\nrecurring = 40\nslow_ms = 1\n[genes.settings.\"g\"]\ndepth = 7\n";
        let file = Config::from_toml(text).unwrap().file;
        let handed = |gene: &Manifest| file.settings_of(gene).into_iter().collect::<Vec<_>>();
        let of = |depth: f64, recurring: f64| {
            let number = |name: &str, number| (name.to_owned(), SettingValue::Number(number));
            vec![number("depth", depth), number("recurring", recurring)]
        };
        assert_eq!(handed(&declares("g", "heuristic")), of(7.0, 40.0));
        assert_eq!(handed(&declares("g", "strategy")), of(7.0, 4.0), "thresholds are for heuristics");
        assert_eq!(handed(&declares("other", "heuristic")), of(3.0, 40.0), "the settings of another gene");
    }

    #[test]
    fn a_gene_without_a_table_is_handed_what_it_always_was() {
        let text = "[diagnose.thresholds]\nslow_ms = 1\n[genes.settings.\"g\"]\nslow_ms = 2\nmade_up = \"x\"\n";
        let file = Config::from_toml(text).unwrap().file;
        let (heuristic, strategy) = (manifest("g", "heuristic", ""), manifest("g", "strategy", ""));
        let handed = file.settings_of(&heuristic);
        assert_eq!(handed["slow_ms"], SettingValue::Number(2.0));
        assert_eq!(handed["made_up"], SettingValue::Text("x".to_owned()));
        assert_eq!(handed.len(), diagnosis::thresholds().iter().count() + 1);
        assert_eq!(file.settings_of(&strategy).len(), 2);
        assert!(file.check_settings(&heuristic).is_ok() && file.check_settings(&strategy).is_ok());
    }

    #[test]
    fn settings_that_a_gene_does_not_declare_are_refused() {
        for (text, expected) in [
            (
                "[genes.settings.\"g\"]\ndeep = 1\n",
                "`genes.settings.\"g\".deep` is unknown: use one of depth, recurring",
            ),
            ("[genes.settings.\"g\"]\ndepth = 10\n", "`genes.settings.\"g\".depth` is 10: it must be at most 9"),
            ("[genes.settings.\"g\"]\ndepth = true\n", "`genes.settings.\"g\".depth` is true: it must be a number"),
            (
                "[diagnose.thresholds]\nrecurring = 60\n",
                "`diagnose.thresholds.recurring` is 60: it must be at most 50 for the gene g",
            ),
        ] {
            let file = Config::from_toml(text).unwrap().file;
            assert_eq!(file.check_settings(&declares("g", "heuristic")).unwrap_err().to_string(), expected);
        }
        let of_another = Config::from_toml("[genes.settings.\"x\"]\nanything = 1\n").unwrap().file;
        assert!(of_another.check_settings(&declares("g", "heuristic")).is_ok());
        let bundled = Config::from_toml("[genes.settings.\"gene_gephost_tool_failures\"]\ndeep = 1\n").unwrap_err();
        assert!(bundled.to_string().contains(".deep` is unknown"), "it is known before any gene is loaded: {bundled}");
    }

    #[test]
    fn a_value_out_of_range_names_its_key() {
        let message = Config::from_toml("[budgets]\nwall_ms = 0").unwrap_err().to_string();
        assert_eq!(message, "`budgets.wall_ms` is 0: it must be 1 to 600000");
    }
}

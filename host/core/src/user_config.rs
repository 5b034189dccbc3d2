//! The user's own config, `config.toml` in the user's config folder, with the decisions that no repository may make.
//!
//! It names the model's endpoint and key. A repository's `gephost.toml` may not, because its author would then choose
//! where the user's key is sent and which program prints it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::attest::NamedKey;
use crate::config::{ConfigError, ModelLimitsTable, dollars, one_line, range};
use crate::config_tables;
use crate::digest::sha256_hex;
use crate::model::Limits;
use crate::trust_policy::Requirement;

/// Name of the file.
pub const USER_CONFIG_FILE: &str = "config.toml";
/// Billionths of a dollar in one dollar.
const BILLION: f64 = 1e9;

/// The file, checked.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserConfig {
    /// `[model]`.
    pub model: Option<ModelTable>,
    /// `[trust]`.
    pub trust: TrustTable,
    /// `[hub]`.
    pub hub: HubTable,
}

/// `[hub]`: the hub that `gephost a2a` speaks with if none is named. A repository cannot name one, since its author would
/// then choose where the user's capsules go.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HubTable {
    /// Its address: `https://HOST`, or `http://127.0.0.1:PORT` for one on this machine.
    pub url: Option<String>,
}

/// `[trust]`: whom the user trusts: folders, in which all of a `gephost.toml` takes effect without `gephost trust`, and keys,
/// whose signatures on gene files count.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrustTable {
    /// Folders, by full path. A project in or below one of them is trusted.
    pub folders: Vec<String>,
    /// What a gene file needs before it is loaded: `"nothing"`, or `"signed"` by one of `keys` or with your own key.
    pub require: Requirement,
    /// Keys that you trust: `[{ name = "ann", key = "ed25519:…" }]`. Your own key counts without being listed.
    pub keys: Vec<NamedKey>,
}

/// The most keys.
const MAX_KEYS: usize = 100;
/// The most characters of the name of a key.
const MAX_KEY_NAME: usize = 100;

impl TrustTable {
    fn check(&self) -> Result<(), ConfigError> {
        let is_full = |folder: &&String| Path::new(folder).is_absolute();
        match self.folders.iter().find(|folder| !is_full(folder)) {
            Some(folder) => Err(ConfigError::Trust(folder.clone())),
            None => self.check_keys(),
        }
    }

    fn check_keys(&self) -> Result<(), ConfigError> {
        if self.keys.len() > MAX_KEYS {
            return Err(ConfigError::Keys(format!("has {} keys: the most are {MAX_KEYS}", self.keys.len())));
        }
        for (place, NamedKey { name, key }) in self.keys.iter().enumerate() {
            let length = name.chars().count();
            if !(1..=MAX_KEY_NAME).contains(&length) || name.chars().any(char::is_control) {
                return Err(ConfigError::Keys(format!(
                    "has the name {name:?}: a name is 1 to {MAX_KEY_NAME} characters"
                )));
            }
            let earlier = self.keys.get(..place).unwrap_or_default();
            if earlier.iter().any(|other| other.name == *name || other.key == *key) {
                return Err(ConfigError::Keys(format!("has {name:?} or its key twice: keep one of them")));
            }
        }
        Ok(())
    }
}

/// `[model] api`: the API of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelApi {
    /// OpenAI's chat completions, or a compatible server.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// `[model]`: the model that `--diagnose model` asks, and its limits.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelTable {
    /// The API.
    pub api: ModelApi,
    /// The server's address, without the API's own path.
    pub endpoint: String,
    /// The model's name.
    pub name: String,
    /// The environment variable that holds the key. The key itself is never written here.
    #[serde(default)]
    pub key_env: Option<String>,
    /// The program that prints the key, and its arguments; instead of `key_env`.
    #[serde(default)]
    pub key_command: Option<Vec<String>>,
    /// Whether gephost sends the server the schema of the answer.
    #[serde(default = "yes")]
    pub json_schema: bool,
    /// Seconds that one request may take, 1 to 3,600.
    #[serde(default = "default_timeout_s")]
    pub timeout_s: u64,
    /// The most tokens of one answer, 1 to 1,000,000.
    #[serde(default = "default_answer_tokens")]
    pub answer_tokens: u32,
    /// The most tokens that one run of gephost sends and receives, 1 to 1,000,000,000.
    #[serde(default = "default_max_tokens")]
    pub max_tokens: u64,
    /// US dollars for a million sent tokens.
    #[serde(default)]
    pub price_in: Option<f64>,
    /// US dollars for a million received tokens.
    #[serde(default)]
    pub price_out: Option<f64>,
    /// The most US dollars that one run of gephost spends. It needs both prices.
    #[serde(default)]
    pub max_cost: Option<f64>,
    /// Whether gephost asks no model.
    #[serde(default)]
    pub offline: bool,
}

fn yes() -> bool {
    true
}

fn default_timeout_s() -> u64 {
    120
}

fn default_answer_tokens() -> u32 {
    4096
}

fn default_max_tokens() -> u64 {
    200_000
}

impl UserConfig {
    /// Reads the text of the file. An empty text names no model.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        if let Some(message) = config_tables::misplaced(text, config_tables::OF_USER) {
            return Err(ConfigError::Toml(message));
        }
        let file: Self = toml::from_str(text).map_err(|error| ConfigError::Toml(one_line(text, &error)))?;
        if let Some(model) = &file.model {
            model.check()?;
        }
        file.trust.check()?;
        Ok(file)
    }
}

impl ModelTable {
    fn check(&self) -> Result<(), ConfigError> {
        range("model.timeout_s", self.timeout_s, 1, 3600, "it must be 1 to 3600")?;
        range("model.answer_tokens", self.answer_tokens.into(), 1, 1_000_000, "it must be 1 to 1000000")?;
        range("model.max_tokens", self.max_tokens, 1, 1_000_000_000, "it must be 1 to 1000000000")?;
        for (key, amount) in
            [("model.price_in", self.price_in), ("model.price_out", self.price_out), ("model.max_cost", self.max_cost)]
        {
            dollars(key, amount)?;
        }
        let says = |key: &'static str, problem: &str| ConfigError::Model(format!("`model.{key}` {problem}"));
        if self.name.is_empty() || self.name.len() > 200 || self.name.chars().any(char::is_control) {
            return Err(says("name", "must be 1 to 200 characters"));
        }
        let variable = |name: &String| {
            let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            !name.is_empty() && name.len() <= 100 && name.chars().all(fits)
        };
        match (&self.key_env, &self.key_command) {
            (Some(_), Some(_)) => Err(says("key_env", "and `model.key_command` name two keys: leave one out")),
            (Some(name), None) if !variable(name) => Err(says(
                "key_env",
                "is the name of an environment variable, such as \"OPENAI_API_KEY\", and not a key",
            )),
            (None, Some(words)) if words.first().is_none_or(String::is_empty) => {
                Err(says("key_command", "is a program and its arguments, such as [\"pass\", \"show\", \"openai\"]"))
            }
            _ if self.max_cost.is_some() && !self.has_prices() => Err(unpriced()),
            _ => Ok(()),
        }
    }

    /// A digest of what decides how the model answers, in hexadecimal: not the key, not the limits of one run.
    pub fn identity(&self) -> String {
        let api = match self.api {
            ModelApi::OpenAi => "openai",
            ModelApi::Anthropic => "anthropic",
        };
        let (schema, tokens) = (self.json_schema.to_string(), self.answer_tokens.to_string());
        sha256_hex([api, &self.endpoint, &self.name, &schema, &tokens].join("\0").as_bytes())
    }

    fn has_prices(&self) -> bool {
        self.price_in.is_some() && self.price_out.is_some()
    }

    /// The limits of both files; for each limit, the stricter value holds.
    pub fn limits(&self, repository: &ModelLimitsTable) -> Result<Limits, ConfigError> {
        let cost = |dollars: f64| billionths(dollars, BILLION);
        let max_cost = [self.max_cost, repository.max_cost].into_iter().flatten().map(cost).min();
        if max_cost.is_some() && !self.has_prices() {
            return Err(unpriced());
        }
        // Dollars for a million tokens are thousands of billionths for one.
        let price = |dollars: Option<f64>| dollars.map_or(0, |dollars| billionths(dollars, BILLION / 1e6));
        Ok(Limits {
            answer_tokens: self.answer_tokens,
            max_tokens: repository.max_tokens.map_or(self.max_tokens, |tokens| tokens.min(self.max_tokens)),
            price_in: price(self.price_in),
            price_out: price(self.price_out),
            max_cost,
        })
    }
}

fn unpriced() -> ConfigError {
    let problem = "`max_cost` needs `model.price_in` and `model.price_out`: without them nothing is counted";
    ConfigError::Model(problem.to_owned())
}

/// A checked amount in whole billionths, rounded up.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "amounts are 0 to a million dollars")]
fn billionths(dollars: f64, factor: f64) -> u64 {
    (dollars * factor).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_identity_of_a_model_is_what_decides_its_answers() {
        let identity = |text: &str| UserConfig::from_toml(text).unwrap().model.unwrap().identity();
        let same = ["key_env = \"A_KEY\"\n", "timeout_s = 5\n", "max_tokens = 7\n"];
        for more in same {
            assert_eq!(identity(&format!("{MODEL}{more}")), identity(MODEL), "{more}");
        }
        for more in ["json_schema = false\n", "answer_tokens = 9\n"] {
            assert_ne!(identity(&format!("{MODEL}{more}")), identity(MODEL), "{more}");
        }
        for (from, to) in [("openai", "anthropic"), ("localhost", "127.0.0.1"), ("\"m\"", "\"n\"")] {
            assert_ne!(identity(&MODEL.replace(from, to)), identity(MODEL), "{to}");
        }
    }

    const MODEL: &str = "[model]\napi = \"openai\"\nendpoint = \"http://localhost/v1\"\nname = \"m\"\n";

    fn model(more: &str) -> Result<ModelTable, String> {
        let read = UserConfig::from_toml(&format!("{MODEL}{more}")).map_err(|error| error.to_string())?;
        Ok(read.model.unwrap())
    }

    #[test]
    fn a_key_is_named_and_never_written() {
        assert!(model("key_env = \"OPENAI_API_KEY\"").is_ok());
        assert!(model("key_command = [\"pass\", \"show\", \"x\"]").is_ok());
        for (text, said) in [
            ("key = \"x\"", "unknown field `key`"),
            ("api_key = \"x\"", "unknown field `api_key`"),
            ("key_env = \"sk-abc\"", "name of an environment variable"),
            ("key_env = \"\"", "name of an environment variable"),
            ("key_command = []", "a program and its arguments"),
            ("key_env = \"A\"\nkey_command = [\"b\"]", "leave one out"),
        ] {
            let error = model(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn a_trusted_folder_is_named_by_its_full_path() {
        let read = |folders: &str| UserConfig::from_toml(&format!("[trust]\nfolders = {folders}"));
        assert_eq!(read("[\"/src/mine\"]").unwrap().trust.folders, ["/src/mine"]);
        for folder in ["mine", "~/mine", "", "./x"] {
            let error = read(&format!("[\"{folder}\"]")).unwrap_err().to_string();
            assert!(error.contains("full path"), "{folder}: {error}");
        }
    }

    #[test]
    fn keys_have_names_and_neither_comes_twice() {
        let key = |seed: u8| crate::attest::Signer::new(&[seed; 32]).public().to_string();
        let read = |keys: &[(&str, &str)]| {
            let list = keys.iter().map(|(name, key)| {
                let name = serde_json::to_string(name).unwrap();
                format!("{{ name = {name}, key = {key:?} }}")
            });
            UserConfig::from_toml(&format!("[trust]\nkeys = [{}]", list.collect::<Vec<_>>().join(", ")))
        };
        let (one, two) = (key(1), key(2));
        let both = read(&[("ann", &one), ("bob", &two)]).unwrap().trust.keys;
        assert_eq!((both[0].name.as_str(), both[1].key.to_string()), ("ann", two.clone()));
        for (keys, said) in [
            (vec![("ann", one.as_str()), ("ann", &two)], "twice"),
            (vec![("ann", &one), ("bob", &one)], "twice"),
            (vec![("", &one)], "1 to 100 characters"),
            (vec![("a\u{1b}b", &one)], "1 to 100 characters"),
            (vec![("ann", "ed25519:AAAA")], "as `gephost gene key` prints it"),
            (vec![("ann", "ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")], "not a usable Ed25519 key"),
        ] {
            let error = read(&keys).unwrap_err().to_string();
            assert!(error.contains(said), "{keys:?}: {error}");
        }
        let names: Vec<String> = (0..101).map(|number| number.to_string()).collect();
        let many: Vec<_> = names.iter().map(|name| (name.as_str(), one.as_str())).collect();
        assert!(read(&many).unwrap_err().to_string().contains("the most are 100"));
        assert!(UserConfig::from_toml("[trust]\nrequire = \"yes\"").is_err());
        assert!(UserConfig::from_toml("[trust]\nkeys = [{ name = \"a\", key = \"k\", more = 1 }]").is_err());
    }

    #[test]
    fn a_repository_tightens_the_limits_and_nothing_else() {
        let user = model("max_tokens = 1000\nprice_in = 0.25\nprice_out = 2.0\nmax_cost = 0.5").unwrap();
        let repository = |text: &str| Config::from_toml(text).map(|config| config.file.model);
        let limits = |text: &str| user.limits(&repository(text).unwrap()).unwrap();
        let own = limits("");
        assert_eq!((own.price_in, own.price_out, own.max_cost), (250, 2000, Some(500_000_000)));
        assert_eq!(limits("[model]\nmax_tokens = 5000\nmax_cost = 9.0"), own);
        let tighter = limits("[model]\nmax_tokens = 50\nmax_cost = 0.1");
        assert_eq!((tighter.max_tokens, tighter.max_cost), (50, Some(100_000_000)));
        for key in [
            "api = \"openai\"",
            "endpoint = \"https://evil.example\"",
            "name = \"m\"",
            "key = \"x\"",
            "key_env = \"AWS_SECRET\"",
            "key_command = [\"sh\"]",
        ] {
            let error = repository(&format!("[model]\n{key}")).unwrap_err().to_string();
            assert!(error.contains("belongs to the user's own config"), "{key}: {error}");
        }
    }

    #[test]
    fn a_cost_that_cannot_be_counted_is_refused() {
        let unpriced = model("").unwrap();
        let repository = Config::from_toml("[model]\nmax_cost = 1.0").unwrap().file.model;
        for error in [model("max_cost = 1.0").unwrap_err(), unpriced.limits(&repository).unwrap_err().to_string()] {
            assert!(error.contains("needs `model.price_in`"), "{error}");
        }
        for text in ["price_in = -1.0", "price_out = nan", "max_cost = inf", "timeout_s = 0", "answer_tokens = 0"] {
            let error = model(text).unwrap_err();
            assert!(error.starts_with("`model."), "{text}: {error}");
        }
    }
}

//! The credentials that `docker login` keeps: `auths` of its `config.json`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gephost_core::digest::read_object;
use serde_json::Value;

use crate::auth::Credentials;

/// The largest file that is read, in bytes.
pub const MAX_DOCKER_CONFIG_BYTES: u64 = 1 << 20;

impl Credentials {
    /// The credentials of one registry in the file of another program. Anonymous if the file has none that can be read,
    /// such as those that a program keeps for it (`credsStore`).
    pub fn of_docker_config(config: &[u8], registry: &str) -> Self {
        of(config, registry).unwrap_or_default()
    }
}

fn of(config: &[u8], registry: &str) -> Option<Credentials> {
    let limit = usize::try_from(MAX_DOCKER_CONFIG_BYTES).ok()?;
    let members = read_object(config, limit).ok()?;
    let auths = members.get("auths")?.as_object()?;
    // Older versions wrote addresses instead of hosts.
    let host = |key: &str| {
        let bare = key.strip_prefix("https://").unwrap_or(key);
        bare.split('/').next().unwrap_or_default() == registry
    };
    let entry = auths.get(registry).or_else(|| Some(auths.iter().find(|(key, _)| host(key))?.1))?;
    let text = |name: &str| entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(token) = text("registrytoken") {
        return Some(Credentials::Token(token.to_owned()));
    }
    let decoded = String::from_utf8(STANDARD.decode(text("auth")?).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    Some(Credentials::Basic { user: user.to_owned(), password: password.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_entry_of_the_registry_counts() {
        let config = br#"{"auths":{"ghcr.io":{"auth":"bWU6YTpi"},"https://r.example/v1/":{"auth":"eW91OnB3"},
            "t.example":{"registrytoken":"t"},"helped.example":{},"broken.example":{"auth":"?"}},"credsStore":"x"}"#;
        let basic = |user: &str, password: &str| Credentials::Basic { user: user.into(), password: password.into() };
        for (registry, expected) in [
            ("ghcr.io", basic("me", "a:b")),
            ("r.example", basic("you", "pw")),
            ("t.example", Credentials::Token("t".to_owned())),
            ("ghcr.io:443", Credentials::Anonymous),
            ("evil.ghcr.io", Credentials::Anonymous),
            ("helped.example", Credentials::Anonymous),
            ("broken.example", Credentials::Anonymous),
        ] {
            assert_eq!(Credentials::of_docker_config(config, registry), expected, "{registry}");
        }
        assert_eq!(Credentials::of_docker_config(b"[]", "ghcr.io"), Credentials::Anonymous);
    }
}

//! Credentials, and how a registry asks for them: RFC 9110 challenges, and the token protocol of the distribution project.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gephost_core::digest::{Fields, read_object};

use crate::error::OciError;

/// The largest answer of a token server, in bytes.
pub(crate) const MAX_TOKEN_BYTES: u64 = 64 * 1024;

/// Who asks.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum Credentials {
    /// Nobody in particular.
    #[default]
    Anonymous,
    /// A user and a password.
    Basic {
        /// The user's name.
        user: String,
        /// The password.
        password: String,
    },
    /// A token, which is sent as it is.
    Token(String),
}

/// The secrets are nobody's to see.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Basic { .. } => "Basic",
            Self::Token(_) => "Token",
        })
    }
}

impl Credentials {
    /// The header for the token server.
    pub(crate) fn basic(&self) -> Option<String> {
        match self {
            Self::Basic { user, password } => Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))),
            Self::Anonymous | Self::Token(_) => None,
        }
    }
}

/// What a registry wants before it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Challenge {
    /// User and password.
    Basic,
    /// A token of this server.
    Bearer { realm: String, service: Option<String> },
}

impl Challenge {
    /// Reads the header `WWW-Authenticate`. The registry's own idea of the scope is passed over.
    pub(crate) fn read(header: &str) -> Option<Self> {
        let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Self::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service) = (None, None);
        for (name, value) in parameters(rest)? {
            match name.to_ascii_lowercase().as_str() {
                "realm" => realm = Some(value),
                "service" => service = Some(value),
                _ => {}
            }
        }
        Some(Self::Bearer { realm: realm?, service })
    }
}

/// `name="value"`, joined by commas. `None` if it is anything else.
fn parameters(text: &str) -> Option<Vec<(String, String)>> {
    let (mut found, mut rest) = (Vec::new(), text.trim());
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => match after.find(',') {
                Some(end) => after.split_at(end),
                None => (after, ""),
            },
        };
        found.push((name.trim().to_owned(), value.trim().to_owned()));
        rest = after.trim_start().trim_start_matches(',').trim_start();
    }
    Some(found)
}

/// The token in the answer of a token server.
pub(crate) fn token_of(answer: &[u8]) -> Result<String, OciError> {
    let refused = |why: String| OciError::Unauthenticated(format!("the token server's answer cannot be used: {why}"));
    let limit = usize::try_from(MAX_TOKEN_BYTES).unwrap_or(usize::MAX);
    let members = read_object(answer, limit).map_err(|error| refused(error.to_string()))?;
    let fields = Fields::of(&members);
    for field in ["token", "access_token"] {
        let token = fields.optional_text(field).map_err(|error| refused(error.to_string()))?;
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            let is_plain = token.chars().all(|c| c.is_ascii_graphic());
            return if is_plain {
                Ok(token.to_owned())
            } else {
                Err(refused("its token is not a valid token".to_owned()))
            };
        }
    }
    Err(refused("it has no token".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let bearer = |realm: &str, service: Option<&str>| {
            Some(Challenge::Bearer { realm: realm.to_owned(), service: service.map(str::to_owned) })
        };
        for (header, expected) in [
            ("Basic realm=\"x\"", Some(Challenge::Basic)),
            ("basic", Some(Challenge::Basic)),
            (
                "Bearer realm=\"https://a.example/t?x=1,2\",service=\"r\",scope=\"repository:a:pull,push\"",
                bearer("https://a.example/t?x=1,2", Some("r")),
            ),
            ("bearer realm=https://a.example , service=r", bearer("https://a.example", Some("r"))),
            ("Bearer service=\"r\"", None),
            ("Bearer realm=\"open", None),
            ("Bearer realm", None),
            ("Negotiate", None),
            ("", None),
        ] {
            assert_eq!(Challenge::read(header), expected, "{header}");
        }
    }

    #[test]
    fn tokens_are_read_and_secrets_are_not_shown() {
        assert_eq!(token_of(br#"{"token":"a.b"}"#).as_deref(), Ok("a.b"));
        assert_eq!(token_of(br#"{"access_token":"c","token":""}"#).as_deref(), Ok("c"));
        for answer in ["{}", "[]", r#"{"token":7}"#, r#"{"token":"a\r\nX: y"}"#, r#"{"token":"a b"}"#] {
            assert!(token_of(answer.as_bytes()).is_err(), "{answer}");
        }
        let basic = Credentials::Basic { user: "me".to_owned(), password: "secret".to_owned() };
        assert_eq!(basic.basic().as_deref(), Some("Basic bWU6c2VjcmV0"));
        assert!(!format!("{basic:?} {:?}", Credentials::Token("secret".to_owned())).contains("secret"));
    }
}

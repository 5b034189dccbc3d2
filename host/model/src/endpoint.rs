//! Where the model's server is, and which API it uses.

use std::net::IpAddr;

use ureq::http::Uri;

/// An API for asking a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// `POST {endpoint}/chat/completions`: OpenAI and most servers that run locally.
    OpenAi,
    /// `POST {endpoint}/messages`: Anthropic.
    Anthropic,
}

/// An address that requests may be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The API.
    pub(crate) api: Api,
    /// URL of a request.
    pub(crate) url: String,
    /// Name of the model on that server.
    pub(crate) model: String,
    /// Whether the answer's schema is sent, so that the server enforces it.
    pub(crate) enforce_schema: bool,
    /// Whether the server is on this machine.
    pub(crate) is_local: bool,
}

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It is not an HTTP or HTTPS URL.
    #[error("{0:?} is not an address: write for example \"https://api.openai.com/v1\" or \"http://127.0.0.1:8080/v1\"")]
    NotAnAddress(String),
    /// It has a part that can hold a key.
    #[error(
        "the address has a user, a query or a fragment, which would be shown and recorded: use `key_env` or `key_command` for the key"
    )]
    WithSecrets,
    /// It is on another machine and does not use TLS.
    #[error("{0:?} would be contacted without TLS: `http://` is only allowed for this machine")]
    WithoutTls(String),
}

impl Endpoint {
    /// Reads an address such as `https://api.openai.com/v1`. The API's own path is appended.
    pub fn new(api: Api, address: &str, model: &str, enforce_schema: bool) -> Result<Self, EndpointError> {
        let not_an_address = || EndpointError::NotAnAddress(address.chars().take(200).collect());
        if address.contains(['@', '?', '#']) {
            return Err(EndpointError::WithSecrets);
        }
        let uri: Uri = address.parse().map_err(|_| not_an_address())?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(not_an_address)?;
        let is_local = is_loopback(host);
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_local => {}
            Some("http") => return Err(EndpointError::WithoutTls(host.to_owned())),
            _ => return Err(not_an_address()),
        }
        let path = match api {
            Api::OpenAi => "chat/completions",
            Api::Anthropic => "messages",
        };
        let url = format!("{}/{path}", address.trim_end_matches('/'));
        Ok(Self { api, url, model: model.to_owned(), enforce_schema, is_local })
    }

    /// Whether this is OpenAI itself, which no longer accepts `max_tokens`.
    pub(crate) fn is_openai(&self) -> bool {
        self.url.starts_with("https://api.openai.com/")
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(address: &str) -> Result<String, EndpointError> {
        Endpoint::new(Api::OpenAi, address, "m", true).map(|endpoint| endpoint.url)
    }

    #[test]
    fn the_path_of_the_api_is_appended() {
        assert_eq!(url("https://api.openai.com/v1").unwrap(), "https://api.openai.com/v1/chat/completions");
        assert_eq!(url("http://127.0.0.1:8080/v1/").unwrap(), "http://127.0.0.1:8080/v1/chat/completions");
        let anthropic = Endpoint::new(Api::Anthropic, "https://api.anthropic.com/v1", "m", true).unwrap();
        assert_eq!(anthropic.url, "https://api.anthropic.com/v1/messages");
    }

    #[test]
    fn only_this_machine_is_contacted_without_tls() {
        for local in ["http://localhost:1/v1", "http://127.9.9.9/v1", "http://[::1]:80/v1"] {
            assert!(url(local).is_ok(), "{local}");
        }
        for far in [
            "http://example.org/v1",
            "http://10.0.0.1/v1",
            "http://localhost.example.org/",
            "http://127.0.0.1.evil.org",
        ] {
            assert!(matches!(url(far), Err(EndpointError::WithoutTls(_))), "{far}");
        }
    }

    #[test]
    fn anything_but_a_plain_address_is_refused() {
        for none in ["", "api.openai.com", "ftp://x/", "https://", "file:///etc/passwd", "https:// x", "/v1"] {
            assert!(matches!(url(none), Err(EndpointError::NotAnAddress(_))), "{none}: {:?}", url(none));
        }
        for secret in ["https://key@host/v1", "https://u:p@host/v1", "https://host/v1?key=1", "https://host/v1#k"] {
            assert_eq!(url(secret), Err(EndpointError::WithSecrets), "{secret}");
        }
    }
}

//! Where a hub is.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

/// The address of a hub: a scheme and a host, perhaps a port and a path, and no `/` at the end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HubAddress {
    text: String,
    is_local: bool,
}

/// Why a text is no address of a hub.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not a URL.
    #[error("{0:?} is not the address of a hub: write it as https://HOST")]
    Url(String),
    /// Neither `https` nor `http`.
    #[error("{0:?} is not the address of a hub: a hub is reached over https")]
    Scheme(String),
    /// `http` to another machine, where everybody on the way reads the node's secret.
    #[error("{0:?} is refused: only a hub on this machine is reached over http, others over https")]
    Clear(String),
    /// A name, a password, a query or a fragment.
    #[error("{0:?} is refused: the address of a hub has no user name, password, query or fragment")]
    Extra(String),
    /// The prefix that every path of the protocol has already.
    #[error("{0:?} ends with /a2a: leave it out, because the paths of the protocol begin with it")]
    Doubled(String),
}

impl HubAddress {
    /// Reads an address. A `/` at its end does not count.
    pub fn read(text: &str) -> Result<Self, AddressError> {
        let shown = || text.chars().take(200).collect::<String>();
        let url = Url::parse(text.trim()).map_err(|_| AddressError::Url(shown()))?;
        let host = url.host().ok_or_else(|| AddressError::Url(shown()))?;
        let is_local = is_this_machine(&host);
        match url.scheme() {
            "https" => {}
            "http" if is_local => {}
            "http" => return Err(AddressError::Clear(shown())),
            _ => return Err(AddressError::Scheme(shown())),
        }
        let has_user = !url.username().is_empty() || url.password().is_some();
        if has_user || url.query().is_some() || url.fragment().is_some() {
            // What was written as a password is not repeated.
            let shown = if has_user { url.host_str().unwrap_or_default().to_owned() } else { shown() };
            return Err(AddressError::Extra(shown));
        }
        let text = url.as_str().trim_end_matches('/');
        if url.path().trim_end_matches('/').ends_with("/a2a") {
            return Err(AddressError::Doubled(shown()));
        }
        Ok(Self { text: text.to_owned(), is_local })
    }

    /// The text, without `/` at the end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the hub is on this machine.
    pub fn is_local(&self) -> bool {
        self.is_local
    }
}

impl fmt::Display for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => IpAddr::from(*address).is_loopback(),
        Host::Ipv6(address) => IpAddr::from(*address).is_loopback(),
        Host::Domain(name) => *name == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_https_or_this_machine() {
        let check = |text: &str, expect: &str| {
            let found = HubAddress::read(text).map_or_else(|error| error.to_string(), |address| address.text);
            assert!(found.contains(expect), "{text}: {found}");
            expect.starts_with("http").then(|| assert_eq!(found, expect));
        };
        check("https://hub.example", "https://hub.example");
        check("https://hub.example/", "https://hub.example");
        check(" https://hub.example:8443/team// ", "https://hub.example:8443/team");
        check("http://127.0.0.1:4000", "http://127.0.0.1:4000");
        check("http://localhost:4000/", "http://localhost:4000");
        check("http://[::1]:4000", "http://[::1]:4000");
        check("http://hub.example", "others over https");
        check("http://localhost.example", "others over https");
        check("http://10.0.0.1", "others over https");
        check("ftp://hub.example", "over https");
        check("hub.example", "not the address");
        check("", "not the address");
        check("https://user:pass@hub.example", "no user name");
        check("https://hub.example/?x=1", "no user name");
        check("https://hub.example/a2a", "ends with /a2a");
        check("https://hub.example/a2a/", "ends with /a2a");
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let error = HubAddress::read("https://user:hunter2@hub.example").expect_err("a password").to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}

//! Which queue a URL names. Passwords appear in no error.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use super::QueueError;

/// What a URL that names no queue is answered with.
pub(crate) const FORMS: &str = "a queue is named as postgres://USER:PASSWORD@HOST/DATABASE, nats://HOST or tls://HOST";

/// A URL, with the options that are ours taken out of it.
pub(crate) struct Address {
    pub(crate) scheme: String,
    /// The URL without our options.
    pub(crate) url: String,
    /// What the server's objects are called: `gephost_queue`, or `gephost_queue_NAME`.
    pub(crate) name: String,
    mode: Option<bool>,
    pub(crate) root: Option<PathBuf>,
}

impl Address {
    pub(crate) fn parse(url: &str) -> Result<Self, QueueError> {
        let (scheme, _) = url.split_once("://").ok_or_else(|| QueueError(FORMS.to_owned()))?;
        let (front, query) = url.split_once('?').unwrap_or((url, ""));
        let mut address = Self {
            scheme: scheme.to_owned(),
            url: front.to_owned(),
            name: "gephost_queue".to_owned(),
            mode: None,
            root: None,
        };
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (option, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy();
            match option {
                "queue" => address.name = format!("gephost_queue_{}", checked_name(&value)?),
                "sslmode" => address.mode = Some(encrypts(&value)?),
                "sslrootcert" => address.root = Some(PathBuf::from(value.as_ref())),
                _ => rest.push(pair),
            }
        }
        if !rest.is_empty() {
            address.url = format!("{front}?{}", rest.join("&"));
        }
        Ok(address)
    }

    /// Whether the connection is encrypted. Without a word of the operator it is, unless it stays on this machine.
    pub(crate) fn is_encrypted(&self, is_local: bool) -> bool {
        self.mode.unwrap_or(self.scheme == "tls" || !is_local)
    }
}

/// Whether a host name always means this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn checked_name(name: &str) -> Result<&str, QueueError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_plain) {
        return Err(QueueError("queue=NAME takes 1 to 40 lower-case letters, digits and underscores".to_owned()));
    }
    Ok(name)
}

fn encrypts(mode: &str) -> Result<bool, QueueError> {
    match mode {
        "disable" => Ok(false),
        "require" | "verify-full" => Ok(true),
        _ => Err(QueueError("sslmode is disable, require or verify-full".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_options_are_taken_out_and_the_others_stay() {
        let address =
            Address::parse("postgres://u@h/d?a=1&queue=x_1&sslmode=require&sslrootcert=%2Fca.pem&b=2").unwrap();
        assert_eq!(address.url, "postgres://u@h/d?a=1&b=2");
        assert_eq!((address.name.as_str(), address.mode), ("gephost_queue_x_1", Some(true)));
        assert_eq!(address.root, Some(PathBuf::from("/ca.pem")));
        for bad in ["queue=", "queue=A", "queue=a-b", "queue=a%22b", "sslmode=prefer", "sslmode=verify-ca", "sslmode"] {
            assert!(Address::parse(&format!("nats://h?{bad}")).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_this_machine_is_reached_in_plain_text_unless_asked_for() {
        for (url, is_local, expected) in [
            ("nats://h", true, false),
            ("nats://h", false, true),
            ("tls://h", true, true),
            ("nats://h?sslmode=disable", false, false),
            ("postgres://h?sslmode=require", true, true),
        ] {
            assert_eq!(Address::parse(url).unwrap().is_encrypted(is_local), expected, "{url}");
        }
        for (host, expected) in [
            ("localhost", true),
            ("127.9.0.1", true),
            ("[::1]", true),
            ("::1", true),
            ("127.0.0.1.example.org", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(is_loopback(host), expected, "{host}");
        }
    }
}

//! Opens the queue that an operator names.

use super::address::{Address, FORMS};
use super::nats::NatsQueue;
use super::postgres::PostgresQueue;
use super::{Bounds, JobQueue, QueueError};

/// Opens the queue that a URL names, and makes it if it is not there.
///
/// The forms are `postgres://` or `postgresql://` ([`PostgresQueue`]), and `nats://` or `tls://` ([`NatsQueue`]). All of them
/// take these options after `?`:
///
/// * `queue=NAME`: which queue of the server, of lower-case letters, digits and `_`; without it, the default one.
/// * `sslmode=disable|require|verify-full`: without it, TLS is used unless the server is on this machine. `require` verifies
///   the server's certificate and name as `verify-full` does.
/// * `sslrootcert=FILE`: trust only the certificate authorities of this PEM file, not those of the operating system.
///
/// Returns an error if the URL has another form, the server cannot be used, or the queue was made with other bounds.
pub fn open(url: &str, bounds: Bounds) -> Result<Box<dyn JobQueue>, QueueError> {
    let address = Address::parse(url)?;
    match address.scheme.as_str() {
        "postgres" | "postgresql" => Ok(Box::new(PostgresQueue::connect(&address, bounds)?)),
        "nats" | "tls" => Ok(Box::new(NatsQueue::connect(&address, bounds)?)),
        _ => Err(QueueError(FORMS.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_forms_are_refused_with_the_forms_that_there_are() {
        for url in ["", "redis://h", "host:5432", "postgres:/x", "http://postgres://x"] {
            let Err(error) = open(url, Bounds::default()) else { panic!("{url} was opened") };
            assert!(
                error.to_string().contains("postgres://USER") && error.to_string().contains("nats://HOST"),
                "{url}: {error}"
            );
        }
    }

    #[test]
    fn no_error_shows_a_password() {
        for url in [
            "postgres://u:s3cr%20et@127.0.0.1:1/d",
            "postgres://u:s3cr%20et@127.0.0.1:x/d",
            "postgres://:s3cr%20et@127.0.0.1:1/d",
            "postgres://u@127.0.0.1:1/d?password=s3cr%20et&what=1",
            "postgres://u:s3cr%20et@/d?port=s3cr%20et",
            "nats://u:s3cr%20et@127.0.0.1:1",
            "nats://u:s3cr%20et@127.0.0.1:x",
            "nats://u:s3cr%20et@",
            "tls://s3cr%20et@127.0.0.1:1/path",
            "tls://s3cr%20et@127.0.0.1:1?queue=s3cr%20et",
            "nats://s3cr%20et:x@127.0.0.1:1?sslmode=s3cr%20et",
        ] {
            let Err(error) = open(url, Bounds::default()) else { panic!("{url} was opened") };
            assert!(!format!("{error} {error:?}").contains("s3cr"), "{error}");
        }
    }
}

//! The hosts that addresses and commands name.

use crate::command::shell::acts;
use crate::output::line::is_number;

/// The host of the first address in a text, with its port, and without the user name and password that may stand before it.
pub(crate) fn host(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '\\');
    let authority = rest.split(ends).next()?;
    let rest = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | ':')).unwrap_or(rest.len());
    let host = rest.get(..end)?.trim_end_matches([':', '.']);
    (host.len() > 2).then_some(host)
}

/// The host that a command of curl names without a scheme: `localhost:3000` in `curl -s localhost:3000/a`.
pub(crate) fn of_command(input: &str) -> Option<&str> {
    let is_host =
        |host: &&str| host.starts_with("localhost") || host.split_once(':').is_some_and(|(_, port)| is_number(port));
    acts(input).last()?.arguments().iter().filter_map(|word| word.split('/').next()).find(is_host)
}

/// The last two names of the host of an address; `None` for a number, and for a host without a domain.
pub(crate) fn domain(url: &str) -> Option<&str> {
    let host = host(url)?.split(':').next().filter(|host| host.ends_with(|c: char| c.is_ascii_alphabetic()))?;
    let at = host.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at + 1);
    host.get(at..).filter(|domain| domain.contains('.'))
}

/// Whether a host is this machine.
pub(crate) fn is_local(host: &str) -> bool {
    // A path is that of a socket.
    ["localhost", "127.", "0.0.0.0", "[::1]", "::1", "/", "unix:"].iter().any(|local| host.starts_with(local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_in_addresses_and_commands() {
        for (text, expected) in [
            ("curl -s http://localhost:3000/x", Some("localhost:3000")),
            ("GET https://api.x.example?a=b failed", Some("api.x.example")),
            ("see https://x.example.", Some("x.example")),
            ("connect to postgres://me:pw@db.local:5432/app", Some("db.local:5432")),
            ("git clone ssh://git@h.example/a@b.git", Some("h.example")),
            ("fetching \"https://x.example\": a@b", Some("x.example")),
            ("file:///a", None),
            ("http://", None),
            ("no address", None),
        ] {
            assert_eq!(host(text), expected, "{text}");
        }
        assert_eq!(of_command("curl -s localhost:3000/a"), Some("localhost:3000"));
        assert_eq!(of_command("curl -s 10.0.0.1:80/a -o b"), Some("10.0.0.1:80"));
        assert_eq!(of_command("curl -s a/b"), None);
    }

    #[test]
    fn a_domain_is_the_last_two_names() {
        assert_eq!(domain("https://img.x.example:8080/a"), Some("x.example"));
        assert_eq!(domain("https://x.example"), Some("x.example"));
        assert_eq!(domain("http://localhost/a"), None);
        assert_eq!(domain("http://10.0.0.1/a"), None);
    }
}

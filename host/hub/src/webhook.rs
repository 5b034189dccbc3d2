//! Which webhook addresses are taken: `https` only, and no address of the hub's own network in any spelling.
//!
//! The hub stores the address and does not call it in this version. A name may point anywhere later, so whoever calls it
//! has to check the address that the name has then.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gephost_core::a2a::{Code, Problem};
use url::{Host, Url};

/// Most characters of an address.
const MAX_CHARS: usize = 2048;
/// Endings of names that are not on the internet: those of RFC 6761, 6762, 7686, 8375 and 9476, and those in use for networks
/// of one's own.
const PRIVATE_NAMES: [&str; 17] = [
    "alt",
    "arpa",
    "corp",
    "example",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "mail",
    "onion",
    "private",
    "svc",
    "test",
];
/// Ports from which on no service of the system is expected.
const FREE_PORTS: u16 = 1024;

/// Reads the address in a hello.
pub(crate) fn check(text: &str) -> Result<String, Problem> {
    let refuse = |message: &str| {
        let correction = "use an https:// address that the whole internet can reach, without user name and password";
        Problem::new(Code::ValidationError, message, correction).at("payload.webhook_url")
    };
    if text.len() > MAX_CHARS {
        return Err(refuse("`webhook_url` is too long"));
    }
    // The reader knows every spelling of an address: decimal, octal, hexadecimal, short, and full-width digits.
    let url = Url::parse(text).map_err(|_| refuse("`webhook_url` is not a URL"))?;
    if url.scheme() != "https" {
        return Err(refuse("`webhook_url` is not https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("`webhook_url` has a user name or a password"));
    }
    if url.port().is_some_and(|port| port < FREE_PORTS) {
        return Err(refuse("`webhook_url` has the port of another service"));
    }
    let public = match url.host() {
        None => false,
        Some(Host::Ipv4(address)) => is_public(address.into()),
        Some(Host::Ipv6(address)) => is_public(address.into()),
        Some(Host::Domain(name)) => is_public_name(name),
    };
    if !public {
        return Err(refuse("`webhook_url` is an address of a private network"));
    }
    Ok(url.into())
}

fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let private = |ending: &&str| name == **ending || name.ends_with(&format!(".{ending}"));
    name.contains('.') && !PRIVATE_NAMES.iter().any(private) && !spells_private(&name)
}

/// Whether a name spells an address of a private network: services exist that resolve `10.0.0.1.example.com`,
/// `10-0-0-1.example.com` or `0a000001.example.com` to the address within.
fn spells_private(name: &str) -> bool {
    let parts: Vec<&str> = name.split(['.', '-']).collect();
    let decimal = parts.windows(4).any(|four| {
        let octets: Vec<u8> = four.iter().map_while(|part| part.parse().ok()).collect();
        <[u8; 4]>::try_from(octets).is_ok_and(|octets| !is_public_v4(octets.into()))
    });
    // Many names have eight such digits that mean something else, so only what is surely private counts.
    let hexadecimal = parts.iter().filter(|part| part.len() == 8).any(|part| {
        let address = u32::from_str_radix(part, 16).map(Ipv4Addr::from);
        address.is_ok_and(|address| address.is_private() || address.is_loopback() || address.is_link_local())
    });
    decimal || hexadecimal
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// The ranges of RFC 6890 that are not public.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = matches!(
        (a, b, c),
        (0 | 127 | 224.., ..) | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _)
    );
    !(reserved || address.is_private() || address.is_link_local() || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // Addresses that carry an IPv4 address: mapped, compatible, NAT64, 6to4 and Teredo are refused or looked into.
    if let Some(inner) = address.to_ipv4() {
        return is_public_v4(inner);
    }
    // Only 2000::/3 is handed out. Of it, 6to4, Teredo, documentation and benchmarking are not hosts of their own.
    a & 0xe000 == 0x2000 && a != 0x2002 && !(a == 0x2001 && (b < 0x200 || b == 0xdb8)) && a != 0x3fff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_taken() {
        for good in [
            "https://agent.example.com/hook",
            "https://8.8.8.8/",
            "https://[2606:4700::1111]:8443/x?y=1",
            "https://agent.example.com:443/",
            "https://8-8-8-8.example.net/",
            "https://v1-2-3.example.net/",
            "https://deadbeef.example.net/",
            "https://ff00ff00.example.net/",
        ] {
            assert!(check(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn no_spelling_of_a_private_address_is_taken() {
        for bad in [
            "http://agent.example.com/hook",
            "ftp://agent.example.com/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "//agent.example.com",
            "",
            "https://",
            "https://user:pass@agent.example.com/",
            "https://localhost/",
            "https://LOCALHOST./",
            "https://a.localhost/",
            "https://metadata.google.internal/",
            "https://printer.local/",
            "https://intranet/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://017700000001/",
            "https://１２７.０.０.１/",
            "https://127。0。0。1/",
            "https://0/",
            "https://0.0.0.0/",
            "https://10.1.2.3/",
            "https://172.16.0.1/",
            "https://192.168.1.1/",
            "https://169.254.169.254/latest/meta-data",
            "https://100.64.0.1/",
            "https://198.18.0.1/",
            "https://192.0.2.1/",
            "https://224.0.0.1/",
            "https://255.255.255.255/",
            "https://[::1]/",
            "https://[::]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[::127.0.0.1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://[2001::1]/",
            "https://[fe80::1]/",
            "https://[fc00::1]/",
            "https://[fd12:3456::1]/",
            "https://[ff02::1]/",
            "https://[2001:db8::1]/",
            // A name that spells an address.
            "https://127.0.0.1.nip.io/",
            "https://10-0-0-1.nip.io/",
            "https://app.192-168-1-1.example.net/",
            "https://a.10.0.0.1.b.example.net/",
            "https://7f000001.nip.io/",
            // Names and ports that are no agent's on the internet.
            "https://kubernetes.default.svc/",
            "https://x.test/",
            "https://x.invalid./",
            "https://hidden.onion/",
            "https://1.0.0.127.in-addr.arpa/",
            "https://agent.example.com:22/",
            "https://agent.example.com:0/",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check(&format!("https://a.example.com/{}", "x".repeat(3000))).is_err());
    }
}

//! What to do about servers on other machines that were not reached, by what the messages say of the reason: no address, a refused
//! connection, no answer in time, or a network that reaches nothing.

use crate::causes::Group;
use crate::output::vocabulary::Words;
use crate::worked::machine::Machine;

/// What helps if the messages do not say why a server on another machine cannot be reached.
const REMOTE: &str = "check the name, the port and the scheme of the server, and whether the network of this machine lets the agent reach \
     it";
/// How programs say that a name has no address.
static NO_ADDRESS: Words = Words::of(&[
    "ould not resolve",
    "nable to resolve",
    "name resolution",
    "ENOTFOUND",
    "EAI_AGAIN",
    "Name or service not known",
    "nodename nor servname",
    "o such host",
    "getaddrinfo",
    "gaierror",
    "dns error",
    "lookup address information",
    "NameResolutionError",
    "UnknownHostException",
]);
static REFUSED: Words = Words::of(&["onnection refused", "ECONNREFUSED", "actively refused"]);
static LATE: Words = Words::of(&["timed out", "ETIMEDOUT", "TimeoutError", "Timeout"]);
/// Ends of the names of servers that are known to be there: registries of packages, forges and models.
const PUBLIC: [&str; 28] = [
    "npmjs.org",
    "yarnpkg.com",
    "pypi.org",
    "pythonhosted.org",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "golang.org",
    "crates.io",
    "rubygems.org",
    "maven.org",
    "maven.apache.org",
    "gradle.org",
    "debian.org",
    "ubuntu.com",
    "alpinelinux.org",
    "docker.io",
    "docker.com",
    "ghcr.io",
    "huggingface.co",
    "nuget.org",
    "packagist.org",
    "anaconda.org",
    "rust-lang.org",
    "nodejs.org",
    "google.com",
    "googleapis.com",
    "terraform.io",
];

/// Programs that fetch packages from a registry that is known to be there.
const FETCHES: [&str; 20] = [
    "npm", "npx", "pnpm", "yarn", "bun", "pip", "pip3", "pipx", "uv", "poetry", "cargo", "gem", "bundle", "composer",
    "dotnet", "apt", "apt-get", "apk", "dnf", "brew",
];

impl Group {
    /// What to do about servers on other machines.
    pub(super) fn of_remote_servers(&self, named: &[&str], machine: &Machine) -> String {
        let all =
            |words: &Words| !self.members.is_empty() && self.members.iter().all(|member| words.are_in(&member.line));
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let shown = named.get(..named.len().min(2)).unwrap_or_default();
        if let [host] = named
            && machine.reaches(host)
        {
            return format!(
                "look at the server itself and at how the program asks it (its time limit, its key, its load), or name another one: other \
                 calls of the log reached `{host}`, so the network is not the reason"
            );
        }
        let public: Vec<&str> = named.iter().copied().filter(|host| is_public(host)).collect();
        if !public.is_empty() {
            return format!(
                "look at the network of the agent's machine (proxy, firewall, sandbox), which does not let it reach {}, or provide what \
                 is fetched from there before the agent starts",
                quoted(public.get(..public.len().min(2)).unwrap_or_default())
            );
        }
        let program = self.program().split(' ').next().unwrap_or_default();
        if named.is_empty() && FETCHES.contains(&program) {
            return format!(
                "look at the network of the agent's machine (proxy, firewall, sandbox): `{program}` reached no registry; or provide what it \
                 fetches before the agent starts"
            );
        }
        match shown {
            [_, ..] if all(&NO_ADDRESS) => format!(
                "correct the name {}, or look at how this machine resolves names (DNS, proxy, sandbox): it has no address for it",
                quoted(shown)
            ),
            [_, ..] if all(&REFUSED) => {
                format!(
                    "look whether the server runs on {}, and on which port: the connection was refused",
                    quoted(shown)
                )
            }
            [_, ..] if all(&LATE) => format!(
                "look whether a firewall or a proxy stands in front of {}, and whether the port is right: there was no answer in time",
                quoted(shown)
            ),
            _ => REMOTE.to_owned(),
        }
    }
}

/// Whether a host is one of the servers that are known to be there.
fn is_public(host: &str) -> bool {
    let host = host.split([':', '/']).next().unwrap_or(host);
    PUBLIC.iter().any(|end| host.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_server_is_known_by_the_end_of_its_name() {
        for (host, expected) in [
            ("registry.npmjs.org", true),
            ("github.com", true),
            ("proxy.golang.org:443", true),
            ("notgithub.com", false),
            ("github.com.evil.example", false),
            ("db", false),
            ("xxx.xxx", false),
        ] {
            assert_eq!(is_public(host), expected, "{host}");
        }
    }
}

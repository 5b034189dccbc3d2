//! Commands that run another command on a host, in a container or in WSL.

use crate::command::shell::{Act, acts};

/// Programs that run a command in a container or a workspace: the command stands behind this many operands.
pub(crate) const INSIDE: [(&str, &str); 4] =
    [("docker", "exec"), ("podman", "exec"), ("kubectl", "exec"), ("docker", "compose")];
/// Options of `ssh` whose value is the next word.
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";

/// Programs that run the rest of their command with the settings of another machine, or on it, behind these words.
const RUNNERS: [(&str, &[&str]); 14] = [
    ("railway", &["run", "ssh", "shell"]),
    ("heroku", &["run", "ps:exec"]),
    ("fly", &["ssh", "console"]),
    ("flyctl", &["ssh", "console"]),
    ("doppler", &["run"]),
    ("render", &["ssh"]),
    ("gh", &["codespace", "cs"]),
    ("az", &["vm", "container", "webapp"]),
    ("aws", &["ssm", "ecs"]),
    ("oc", &["exec", "rsh"]),
    ("vagrant", &["ssh"]),
    ("lxc", &["exec"]),
    ("multipass", &["exec"]),
    ("devcontainer", &["exec"]),
];

/// How a command begins that runs another one on a host, in a container, or with the settings of another machine.
pub(crate) fn runs_elsewhere(input: &str) -> Option<String> {
    acts(input).iter().find_map(|act| {
        let (program, first) = (act.step.program, act.arguments().iter().find(|word| !word.starts_with('-')).copied());
        let of_runner = || {
            let (_, words) = RUNNERS.iter().find(|(name, _)| *name == program)?;
            first.filter(|word| words.contains(word)).map(|word| format!("{program} {word}"))
        };
        let of_host = || match program {
            "wsl" | "ssh" => Some(program.to_owned()),
            _ => Some([program, " ", first.unwrap_or_default()].concat()),
        };
        of_runner().or_else(|| elsewhere(act).and_then(|_| of_host()))
    })
}

/// The host of `ssh`, and the command that runs there; empty if there is none.
pub(crate) fn remote<'a>(act: &Act<'a>) -> Option<(&'a str, String)> {
    let mut words = act.arguments().iter().filter(|_| act.step.program == "ssh");
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            Some(option) if option.len() == 1 && SSH_VALUES.contains(option) => _ = words.next(),
            Some(_) => {}
            None => return Some((*word, words.copied().collect::<Vec<_>>().join(" "))),
        }
    }
    None
}

/// Another host, a container or WSL, and the command that a step runs there.
pub(crate) fn elsewhere<'a>(act: &Act<'a>) -> Option<(&'a str, String)> {
    const VALUES: [&str; 12] =
        ["-u", "-w", "-e", "-n", "-c", "-d", "--user", "--workdir", "--env", "--namespace", "--container", "--index"];
    if let Some(there) = remote(act) {
        return Some(there).filter(|(_, command)| !command.is_empty());
    }
    let is_wsl = act.step.program == "wsl";
    let is_inside = is_wsl || INSIDE.contains(&(act.step.program, act.step.task()));
    let mut words = act.arguments().iter().copied().filter(|_| is_inside);
    if !is_wsl {
        words.find(|word| *word == "exec")?;
    }
    let mut place = is_wsl.then_some("WSL");
    let program = loop {
        match (words.next()?, place) {
            (word, _) if VALUES.contains(&word) => _ = words.next(),
            (word, _) if word.starts_with('-') => {}
            (word, None) => place = Some(word),
            (word, Some(_)) => break word,
        }
    };
    // The words are those between the quotes.
    let quoted = |word: &str| if word.contains(' ') { format!("'{word}'") } else { word.to_owned() };
    let command = std::iter::once(program).chain(words).map(quoted).collect::<Vec<_>>().join(" ");
    Some((place?, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_elsewhere_is_known() {
        for (input, place) in [
            ("railway run sqlite3 /data/a.db 'select 1'", Some("railway run")),
            ("cd a && ssh -p 22 host 'sqlite3 /data/a.db'", Some("ssh")),
            ("kubectl exec -it pod -- sqlite3 /data/a.db", Some("kubectl exec")),
            ("docker exec db sqlite3 /data/a.db", Some("docker exec")),
            ("docker compose exec db sqlite3 a.db", Some("docker compose")),
            ("wsl -d Debian sqlite3 a.db", Some("wsl")),
            ("heroku run rails c", Some("heroku run")),
            ("vagrant ssh -c ls", Some("vagrant ssh")),
            ("sqlite3 /data/a.db", None),
            ("docker build .", None),
            ("railway up", None),
            ("ssh host", None),
            ("", None),
        ] {
            assert_eq!(runs_elsewhere(input).as_deref(), place, "{input}");
        }
    }
}

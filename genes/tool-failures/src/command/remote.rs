//! Commands that run another command on a host, in a container or in WSL.

use crate::command::shell::Act;

/// Programs that run a command in a container or a workspace: the command stands behind this many operands.
pub(crate) const INSIDE: [(&str, &str); 4] =
    [("docker", "exec"), ("podman", "exec"), ("kubectl", "exec"), ("docker", "compose")];
/// Options of `ssh` whose value is the next word.
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";

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

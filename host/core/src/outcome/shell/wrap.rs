//! Takes off what only starts another program: `docker exec web npm test`, `wsl -e bash -lc '…'`, `ssh host '…'`.

use super::super::own_errors::bare_name_of;

/// What a wrapper runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// A program and its arguments.
    Words(Vec<String>),
    /// A command line for a shell.
    Line(String),
}

/// Wrappers that are followed by a program, with the subcommand that says so.
const RUNS: &[(&str, &str)] = &[
    ("bundle", "exec"),
    ("conda", "run"),
    ("doppler", "run"),
    ("hatch", "run"),
    ("npm", "exec"),
    ("op", "run"),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("pixi", "run"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("poetry", "run"),
    ("rye", "run"),
    ("uv", "run"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
];

/// Options of these wrappers, and of containers and machines, that are followed by a value.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-F",
    "-L",
    "-R",
    "-b",
    "-c",
    "-d",
    "-e",
    "-f",
    "-i",
    "-l",
    "-m",
    "-n",
    "-o",
    "-p",
    "-u",
    "-v",
    "-w",
    "--cd",
    "--container",
    "--context",
    "--cpus",
    "--directory",
    "--distribution",
    "--entrypoint",
    "--env",
    "--env-file",
    "--extra",
    "--file",
    "--group",
    "--index",
    "--kubeconfig",
    "--memory",
    "--mount",
    "--name",
    "--namespace",
    "--network",
    "--package",
    "--platform",
    "--profile",
    "--project",
    "--project-name",
    "--publish",
    "--python",
    "--user",
    "--volume",
    "--with",
    "--workdir",
];

/// What the program runs, if it is a wrapper of another one.
pub(super) fn inner(words: &[String]) -> Option<Inner> {
    let (program, rest) = words.split_first()?;
    match bare_name_of(program) {
        "bash" | "sh" | "zsh" | "dash" | "ash" | "fish" | "ksh" => {
            script(rest, |option| option.starts_with('-') && !option.starts_with("--") && option.ends_with('c'))
        }
        "powershell" | "pwsh" => {
            script(rest, |option| ["-c", "-command"].iter().any(|known| option.eq_ignore_ascii_case(known)))
        }
        "cmd" => script(rest, |option| option.eq_ignore_ascii_case("/c")),
        "docker" | "podman" | "nerdctl" => container(rest),
        "docker-compose" | "podman-compose" => compose(rest),
        "kubectl" | "oc" => pod(rest),
        "wsl" => program_after(rest, &["-e", "--exec", "--"], 0),
        "ssh" => Some(Inner::Line(words_after(rest, &[], 1, &[])?.join(" "))),
        "adb" => after_option(rest, &["shell"]).map(|words| Inner::Line(words.join(" "))),
        "vagrant" if rest.first()? == "ssh" => script(rest, |option| matches!(option, "-c" | "--command")),
        "lxc" | "incus" | "multipass" if rest.first()? == "exec" => after_option(rest, &["--"]).map(Inner::Words),
        "direnv" if rest.first()? == "exec" => program_after(rest.get(1..)?, &[], 1),
        "nix" if matches!(rest.first()?.as_str(), "develop" | "shell") => {
            after_option(rest, &["-c", "--command"]).map(Inner::Words)
        }
        "nix-shell" => after_option(rest, &["--run", "--command"]).map(|words| Inner::Line(words.join(" "))),
        // The words before the two dashes are versions of tools: `mise x node@20 -- npm test`.
        "mise" if matches!(rest.first()?.as_str(), "x" | "exec") => after_option(rest, &["--"]).map(Inner::Words),
        name => {
            let subcommand = rest.first()?;
            RUNS.iter().any(|(wrapper, runs)| *wrapper == name && runs == subcommand).then_some(())?;
            program_after(rest.get(1..)?, &["--"], 0)
        }
    }
}

/// Whether the program works in a container or on another machine.
pub(super) fn runs_elsewhere(words: &[String]) -> bool {
    const ELSEWHERE: [&str; 16] = [
        "adb",
        "docker",
        "docker-compose",
        "incus",
        "kubectl",
        "lxc",
        "multipass",
        "nerdctl",
        "oc",
        "podman",
        "podman-compose",
        "ssh",
        "scp",
        "vagrant",
        "wsl",
        "wsl.exe",
    ];
    words.first().is_some_and(|program| ELSEWHERE.contains(&program.as_str()))
}

/// The words after the first of these options.
fn after_option(rest: &[String], options: &[&str]) -> Option<Vec<String>> {
    let at = rest.iter().position(|word| options.contains(&word.as_str()))?;
    rest.get(at + 1..).filter(|words| !words.is_empty()).map(<[String]>::to_vec)
}

/// Whether an unknown program is followed by a known one and its subcommand (`lean git commit`). Programs that take
/// names as arguments (`cp git add`) start nothing.
pub(super) fn passes_on(words: &[String]) -> bool {
    const PROGRAMS: &[(&str, &[&str])] = &[
        ("cargo", &["bench", "build", "check", "clippy", "fmt", "run", "test"]),
        ("gh", &["api", "issue", "pr", "release", "repo", "run", "workflow"]),
        ("git", &["add", "checkout", "commit", "diff", "fetch", "log", "merge", "pull", "push", "rebase", "status"]),
        ("go", &["build", "generate", "mod", "run", "test", "vet"]),
        ("npm", &["ci", "install", "run", "test"]),
        ("pnpm", &["install", "run", "test"]),
        ("yarn", &["install", "run", "test"]),
    ];
    const TAKE_NAMES: &[&str] = &[
        "alias", "chmod", "chown", "complete", "cp", "help", "install", "ln", "mv", "rm", "rmdir", "touch", "unalias",
        "whatis", "whereis",
    ];
    let [first, program, subcommand, ..] = words else { return false };
    let is_known = |name: &str| PROGRAMS.iter().any(|(known, _)| *known == name);
    let runs = |(known, subcommands): &(&str, &[&str])| known == program && subcommands.contains(&subcommand.as_str());
    !is_known(first) && !TAKE_NAMES.contains(&first.as_str()) && PROGRAMS.iter().any(runs)
}

/// The script after the option that says that a script follows.
fn script(rest: &[String], says_so: impl Fn(&str) -> bool) -> Option<Inner> {
    let at = rest.iter().position(|word| says_so(word))?;
    let line = rest.get(at + 1..)?;
    (!line.is_empty()).then(|| Inner::Line(line.join(" ")))
}

/// `exec CONTAINER …`, `run IMAGE …` or `compose …`.
fn container(rest: &[String]) -> Option<Inner> {
    match rest.first()?.as_str() {
        "exec" | "run" => program_in(rest.get(1..)?),
        "compose" => compose(rest.get(1..)?),
        _ => None,
    }
}

/// `exec SERVICE …` or `run SERVICE …`, after the options of the project.
fn compose(rest: &[String]) -> Option<Inner> {
    let at = rest.iter().position(|word| matches!(word.as_str(), "exec" | "run"))?;
    program_in(rest.get(at + 1..)?)
}

/// `exec POD -- …`.
fn pod(rest: &[String]) -> Option<Inner> {
    let at = rest.iter().position(|word| word == "exec")?;
    let rest = rest.get(at + 1..)?;
    match rest.iter().position(|word| word == "--") {
        Some(end) => program_after(rest.get(end + 1..)?, &[], 0),
        None => program_in(rest),
    }
}

fn program_after(rest: &[String], ends: &[&str], names: usize) -> Option<Inner> {
    words_after(rest, ends, names, &[]).map(|words| Inner::Words(words.to_vec()))
}

/// The program that runs in a container, after the options and the name of it.
fn program_in(rest: &[String]) -> Option<Inner> {
    // Other wrappers have options of these names that are followed by a value.
    words_after(rest, &[], 1, &["-d", "-i"]).map(|words| Inner::Words(words.to_vec()))
}

/// The words after the options and so many names. A word in `ends` ends the options, and one in `flags` has no value.
fn words_after<'w>(rest: &'w [String], ends: &[&str], names: usize, flags: &[&str]) -> Option<&'w [String]> {
    let (mut at, mut names) = (0, names);
    while let Some(word) = rest.get(at) {
        if ends.contains(&word.as_str()) {
            at += 1;
            break;
        }
        if word.starts_with('-') {
            let word = word.as_str();
            at += 1 + usize::from(WITH_VALUE.contains(&word) && !flags.contains(&word));
        } else if names > 0 {
            names -= 1;
            at += 1;
        } else {
            break;
        }
    }
    rest.get(at..).filter(|words| !words.is_empty() && names == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner_of(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        inner(&words).map(|inner| match inner {
            Inner::Words(words) => words.join(" "),
            Inner::Line(line) => line,
        })
    }

    #[test]
    fn unknown_programs_that_start_known_ones() {
        let passes = |line: &str| passes_on(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for line in ["lean git commit -m x", "tidy go test ./...", "short gh pr checks 3"] {
            assert!(passes(line), "{line}");
        }
        for line in
            ["cp git add", "brew install gh", "lean git", "lean git notes", "git push go test", "whereis git log"]
        {
            assert!(!passes(line), "{line}");
        }
    }

    #[test]
    fn what_wrappers_run() {
        for (line, runs) in [
            ("bash -lc npm test", Some("npm test")),
            ("bash run.sh", None),
            ("wsl -d Ubuntu -- bash -lc x", Some("bash -lc x")),
            ("wsl ls /srv", Some("ls /srv")),
            ("docker exec -it -e A=1 web npm test", Some("npm test")),
            ("docker compose -f a.yml exec -T web pytest -q", Some("pytest -q")),
            ("docker compose up -d", None),
            ("docker run --rm -v a:b img:1 go test", Some("go test")),
            ("docker exec -i db psql -U a", Some("psql -U a")),
            ("docker run -d img:1 npm start", Some("npm start")),
            ("kubectl exec -i pod ls", Some("ls")),
            ("docker logs web", None),
            ("kubectl exec -n a pod -- ls /", Some("ls /")),
            ("ssh -p 22 host make test", Some("make test")),
            ("ssh host", None),
            ("adb -s emulator-5554 shell am start x", Some("am start x")),
            ("adb devices", None),
            ("vagrant ssh -c make test", Some("make test")),
            ("vagrant up", None),
            ("multipass exec dev -- make test", Some("make test")),
            ("poetry run pytest -q", Some("pytest -q")),
            ("uv run --with a python x.py", Some("python x.py")),
            ("uv sync", None),
            ("uv run --group dev python -m pytest", Some("python -m pytest")),
            ("mise x -- go test", Some("go test")),
            ("mise exec node@20 -- npm test", Some("npm test")),
            ("mise install node", None),
            ("direnv exec . make test", Some("make test")),
            ("direnv allow .", None),
            ("nix develop .#ci -c cargo test", Some("cargo test")),
            ("nix develop", None),
            ("nix-shell -p jq --run make test", Some("make test")),
            ("pwsh -NoProfile -Command Get-Item a", Some("Get-Item a")),
        ] {
            assert_eq!(inner_of(line).as_deref(), runs, "{line}");
        }
    }
}

//! What serves in place of programs that agents often miss. To add one, add a row.

use crate::findings::agreed::{acts, lacks};
use crate::worked::machine::Machine;

/// Names of programs, and what to do if they are missing: the package that has them, or what does the same.
#[rustfmt::skip]
const SERVES: [(&[&str], &str); 45] = [
    (&[
        "apply_patch", "applypatch", "str_replace_editor", "str_replace_based_edit_tool", "str_replace", "search_replace", "edit_file",
        "write_file", "read_file", "create_file", "view_file", "open_file", "list_dir", "list_directory", "search_file", "search_dir",
        "find_file", "codebase_search", "grep_search", "file_search", "run_terminal_cmd", "execute_bash", "run_shell_command",
        "todo_write", "TodoWrite", "update_plan",
    ], "tell the agent that this is the name of a tool, and no program: it must call the tool itself if it has it, or else edit files with what its shell has, such as `git apply`, `sed` or a script"),
    (&["timeout"], "use the time limit of the agent's own tool, or `gtimeout` (coreutils): macOS has no `timeout`"),
    (&["python", "python3", "py"], PYTHON),
    (&["pip"], "tell the agent to run `python3 -m pip`, or `uv pip` in environments that uv made"),
    (&["pytest", "ruff", "mypy", "black", "flake8", "isort", "uvicorn"], "tell the agent to run it in the project's environment: `python3 -m NAME`, or `uv run NAME`"),
    (&["tsc", "eslint", "prettier", "vitest", "jest", "biome", "tsx", "vite", "next"], "install the packages of the project first (`npm install`, or that of its package manager), and have the agent run this from there, such as with `npx NAME`"),
    (&["docker-compose"], "tell the agent to run `docker compose`"),
    (&["pnpm", "yarn"], "run `corepack enable`, or install it with `npm install -g NAME`"),
    (&["cargo", "rustc", "rustup"], "put `~/.cargo/bin` on the PATH of the agent's shell, or install Rust"),
    (&["node", "npm", "npx"], "put the folder of Node on the PATH of the agent's shell: what `nvm` installs is there in shells of a user only"),
    (&["sudo"], "leave `sudo` out if the agent is root (`id -u` prints 0); if it is not, do what needs root when its environment is set up"),
    (&["sha256sum"], "use `shasum -a 256`, which macOS has, too"),
    (&["md5sum"], "use `md5`, as macOS calls it"),
    (&["tac"], "use `tail -r`, as macOS calls it"),
    (&["nproc"], "use `sysctl -n hw.ncpu`, as macOS calls it"),
    (&["xdg-open"], "use `open`, as macOS calls it"),
    (&["netstat", "ifconfig"], "use `ss` and `ip`, or install `net-tools`"),
    (&["rg"], "install `ripgrep`, or tell the agent to use `grep -rn`"),
    (&["fd"], "install `fd-find` (Debian calls the program `fdfind`), or tell the agent to use `find`"),
    (&["nc", "ncat", "netcat"], "install `netcat-openbsd`, or tell the agent to use `curl` with `telnet://HOST:PORT`"),
    (&["tree"], "tell the agent to use `find`"),
    (&["jq"], "install `jq`, or tell the agent to use `python3 -m json.tool`"),
    (&["xxd", "hexdump"], "tell the agent to use `od -A x -t x1z`"),
    (&["column"], "install `bsdextrautils`, or leave the alignment out"),
    (&["psql", "pg_dump", "pg_restore", "pg_isready"], "install `postgresql-client`, or run it in the container of the database"),
    (&["redis-cli"], "install `redis-tools`, or run it in the container of the server"),
    (&["pdftotext", "pdftoppm", "pdfinfo"], "install `poppler-utils`"),
    (&["ps", "pgrep", "pkill", "free", "top"], "install `procps`"),
    (&["dig", "nslookup"], "install `dnsutils`, or tell the agent to use `getent hosts`"),
    (&["open"], "use `xdg-open` on Linux; an agent without a desktop cannot show anything"),
    (&["pbcopy", "pbpaste"], "use `xclip` or `wl-copy` on Linux, or write to a file: an agent without a desktop has no clipboard"),
    (&["bat"], "install `bat`, which Debian calls `batcat`, or tell the agent to use `cat`"),
    (&["ag", "ack"], "tell the agent to use `rg` or `grep -rn`"),
    (&["yq"], "install `yq`, or tell the agent to use `python3 -c 'import yaml'`"),
    (&["file", "bc", "lsof", "zip", "unzip", "rsync", "sqlite3"], "install `NAME` with the package manager of the system when the agent's environment is set up"),
    (&["convert", "magick", "identify"], "install `imagemagick`; version 6 has `convert`, and version 7 `magick`"),
    (&["ffprobe"], "install `ffmpeg`, which brings it"),
    (&["telnet"], "install `netcat-openbsd`, or tell the agent to use `curl -v telnet://HOST:PORT`"),
    (&["mysql", "mysqldump"], "install `default-mysql-client`, or run it in the container of the database"),
    (&["java", "javac"], "install a JDK (Debian: `default-jdk`) and set JAVA_HOME"),
    (&["mvn", "gradle"], "use the wrapper of the project (`./mvnw`, `./gradlew`) if it has one, or install `NAME`"),
    (&["bundle", "rake", "rspec", "rails"], "run `bundle install` and `bundle exec`, with the folder of Ruby's gems on the PATH"),
    (&["uv"], "install it (`pip install uv`, or its installer), and put `~/.local/bin` on the PATH of the agent's shell"),
    (&["go", "gofmt"], "put `/usr/local/go/bin` and `~/go/bin` on the PATH of the agent's shell, or install Go"),
    (&["gcc", "g++", "cc", "make"], "install a compiler and `make` (Debian: `build-essential`)"),
];
const PYTHON: &str = "tell the agent to run `OTHER` or the `python` of the project's environment, if there is one; if not, install Python";
/// Languages in which agents write short scripts.
const INTERPRETERS: [&str; 6] = ["node", "deno", "bun", "perl", "ruby", "php"];

/// What is known of the calls that did not find a program.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Calls {
    /// The agent is not root.
    pub(crate) are_bound: bool,
    /// They run scripts that the agent wrote, and no code of the project.
    pub(crate) run_own: bool,
}

/// What to do if these programs are missing: first those that are known. Nothing if a path is missing, which is another matter.
pub(crate) fn advice(programs: &[&str], machine: &Machine, calls: Calls) -> Option<String> {
    let row = |program: &str| SERVES.iter().find(|(names, _)| names.contains(&program)).map(|(_, text)| *text);
    if programs.iter().any(|program| program.contains('/')) {
        return None;
    }
    let (known, unknown): (Vec<&str>, Vec<&str>) = programs.iter().partition(|program| row(program).is_some());
    let all: Vec<&str> = known.into_iter().chain(unknown).take(3).collect();
    if row(all.first()?).is_none() && !all.iter().any(|name| machine.is_package(name)) {
        return None;
    }
    let text = |name: &str| text(name, row(name), machine, calls);
    Some(match all.as_slice() {
        [] => return None,
        [only] => text(only),
        all => {
            // What is said of several is said once.
            let mut said: Vec<(String, Vec<&str>)> = Vec::new();
            for name in all {
                let text = text(name);
                // What is only an example with one name holds for the others of its row.
                let is_same = |known: &str, first: &str| {
                    known == text || row(first) == row(name) && row(name).is_some_and(|row| row.contains("such as"))
                };
                match said.iter_mut().find(|(known, names)| is_same(known, names.first().copied().unwrap_or_default()))
                {
                    Some((_, names)) => names.push(name),
                    None => said.push((text, vec![name])),
                }
            }
            let of = |(text, names): &(String, Vec<&str>)| format!("for `{}`, {text}", names.join("` and `"));
            said.iter().map(of).collect::<Vec<_>>().join("; ")
        }
    })
}

/// What to do if one program is missing, as far as the log does not contradict it.
fn text(name: &str, row: Option<&str>, machine: &Machine, calls: Calls) -> String {
    if let Some(text) = python(name, row, machine, calls) {
        return text;
    }
    if name == "sudo" && calls.are_bound {
        return "do what needs root when the agent's environment is set up: the agent is not root, and has no `sudo`"
            .to_owned();
    }
    let text = row.map(|text| text.replace("NAME", name));
    match text.filter(|text| !acts(text).iter().any(|act| lacks(act, machine))) {
        Some(text) => text,
        None if machine.is_package(name) => format!(
            "run `npx {name}` if this package of the project has a program; if it is only a library, leave it out of the commands"
        ),
        None => format!("install `{name}` where the agent works, or tell the agent that this machine has none"),
    }
}

/// What serves in place of a Python that was not found: one that other calls ran, or another language.
fn python(name: &str, row: Option<&str>, machine: &Machine, calls: Calls) -> Option<String> {
    if row != Some(PYTHON) {
        return None;
    }
    let others = ["python3", "python", "py"].into_iter().filter(|other| *other != name);
    if let Some(other) = others.clone().find(|other| machine.runs(other)) {
        return Some(format!("tell the agent to run `{other}` instead of `{name}`"));
    }
    if let Some(other) = INTERPRETERS.into_iter().find(|other| calls.run_own && machine.runs(other)) {
        return Some(format!("tell the agent to use `{other}` for such scripts, or install Python"));
    }
    if others.clone().any(|other| machine.lacks(other)) {
        return Some("install Python, or tell the agent that this machine has none".to_owned());
    }
    let other = if name == "python" { "python3" } else { "python" };
    Some(PYTHON.replace("OTHER", other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(programs: &[&str]) -> Option<String> {
        advice(programs, &Machine::default(), Calls::default())
    }

    #[test]
    fn known_programs_have_a_substitute() {
        assert!(told(&["timeout"]).unwrap().ends_with("macOS has no `timeout`"));
        assert!(told(&["eslint"]).unwrap().contains("`npx eslint`"));
        assert!(told(&["eslint", "tsc"]).unwrap().starts_with("for `eslint` and `tsc`, install the packages"));
        let both = told(&["xxd", "frobnicate"]).unwrap();
        assert_eq!(
            both,
            "for `xxd`, tell the agent to use `od -A x -t x1z`; for `frobnicate`, install `frobnicate` where the agent works, or tell the agent that this machine has none"
        );
        assert_eq!(told(&["frobnicate", "/opt/x/python"]), None, "a path is another matter");
        assert!(told(&["frobnicate", "pip"]).unwrap().contains("; for `frobnicate`, install `frobnicate`"));
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn no_program_stands_in_two_rows() {
        let mut names: Vec<&str> = SERVES.iter().flat_map(|(names, _)| *names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

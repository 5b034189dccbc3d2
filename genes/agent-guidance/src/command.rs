//! Commands that run tests, checks or builds, as far as a person would write them into instructions.
//!
//! Not every command that worked is worth keeping. A command counts if it begins with a row of [`RUNNERS`], and only that
//! beginning is kept, so that files and options of one occasion are left out. A script's name must be in the workspace.
//! So must a file of the repository that runs its tests or checks (`python tests/runtests.py`).

use std::collections::BTreeSet;

use crate::input::{Entry, Workspace};
use crate::log::Log;
use crate::word::{is_name, is_path, words};

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Tests,
    Checks,
    Types,
    Build,
}

impl Role {
    /// What a line says that the command does.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Tests => "Run the tests",
            Self::Checks => "Check the style",
            Self::Types => "Check the types",
            Self::Build => "Build",
        }
    }

    /// The role that a script's name tells.
    fn of_script(name: &str) -> Option<Self> {
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["test", "spec"]) {
            Some(Self::Tests)
        } else if has(&["typecheck", "type-check", "types", "tsc"]) {
            Some(Self::Types)
        } else if has(&["lint", "check", "format", "fmt"]) {
            Some(Self::Checks)
        } else if has(&["build", "compile"]) {
            Some(Self::Build)
        } else {
            None
        }
    }
}

/// Where the names of scripts are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scripts {
    /// `scripts` in package.json.
    Package,
    /// A line `name:` in one of these files.
    Targets(&'static [&'static str]),
    /// `[tasks.name]`, or a key of `[tasks]`.
    Mise,
    /// The script is a file.
    Files,
}

/// Programs that run a file of the repository.
const INTERPRETERS: [&str; 7] = ["python", "python3", "bash", "sh", "node", "ruby", "perl"];

/// Names of files that run tests, checks or a build, without ending and separators. A file `test.py` may be one that an
/// agent wrote to try something, so that the last ones count only for shells and without an ending.
const FILES: [(Role, &[&str]); 3] = [
    (Role::Tests, &["runtests", "runtest", "runalltests", "testall", "alltests", "testrunner"]),
    (Role::Checks, &["runlint", "runlinters", "runchecks", "lintall"]),
    (Role::Build, &["runbuild", "buildall"]),
];
const SHELL_FILES: [(Role, &[&str]); 3] =
    [(Role::Tests, &["test", "tests"]), (Role::Checks, &["lint", "check"]), (Role::Build, &["build"])];

/// How a command begins.
enum Runner {
    /// These words, which have this role.
    Words(Role, &'static [&'static str]),
    /// These words, and the name of a script.
    Script(&'static [&'static str], Scripts),
}

const MAKEFILES: Scripts = Scripts::Targets(&["Makefile", "makefile", "GNUmakefile"]);
const JUSTFILES: Scripts = Scripts::Targets(&["justfile", "Justfile", ".justfile"]);

/// Longer rows stand before the shorter ones that they begin with.
const RUNNERS: &[Runner] = &[
    Runner::Words(Role::Tests, &["uv", "run", "pytest"]),
    Runner::Words(Role::Tests, &["poetry", "run", "pytest"]),
    Runner::Words(Role::Tests, &["hatch", "test"]),
    Runner::Words(Role::Tests, &["python3", "-m", "pytest"]),
    Runner::Words(Role::Tests, &["python", "-m", "pytest"]),
    Runner::Words(Role::Tests, &["python3", "-m", "unittest"]),
    Runner::Words(Role::Tests, &["python", "-m", "unittest"]),
    Runner::Words(Role::Tests, &["python", "manage.py", "test"]),
    Runner::Words(Role::Tests, &["pytest"]),
    Runner::Words(Role::Tests, &["tox"]),
    Runner::Words(Role::Tests, &["nox"]),
    Runner::Words(Role::Tests, &["go", "test", "./..."]),
    Runner::Words(Role::Tests, &["go", "test"]),
    Runner::Words(Role::Tests, &["cargo", "nextest", "run"]),
    Runner::Words(Role::Tests, &["cargo", "test"]),
    Runner::Words(Role::Tests, &["npx", "vitest", "run"]),
    Runner::Words(Role::Tests, &["npx", "vitest"]),
    Runner::Words(Role::Tests, &["npx", "jest"]),
    Runner::Words(Role::Tests, &["npm", "test"]),
    Runner::Words(Role::Tests, &["pnpm", "test"]),
    Runner::Words(Role::Tests, &["yarn", "test"]),
    Runner::Words(Role::Tests, &["bun", "test"]),
    Runner::Words(Role::Tests, &["deno", "test"]),
    Runner::Words(Role::Tests, &["dotnet", "test"]),
    Runner::Words(Role::Tests, &["./mvnw", "test"]),
    Runner::Words(Role::Tests, &["mvn", "test"]),
    Runner::Words(Role::Tests, &["./gradlew", "test"]),
    Runner::Words(Role::Tests, &["gradle", "test"]),
    Runner::Words(Role::Tests, &["mix", "test"]),
    Runner::Words(Role::Tests, &["bundle", "exec", "rspec"]),
    Runner::Words(Role::Tests, &["bin/rails", "test"]),
    Runner::Words(Role::Tests, &["vendor/bin/phpunit"]),
    Runner::Words(Role::Tests, &["swift", "test"]),
    Runner::Words(Role::Tests, &["ctest"]),
    Runner::Words(Role::Checks, &["golangci-lint", "run"]),
    Runner::Words(Role::Checks, &["pre-commit", "run"]),
    Runner::Words(Role::Checks, &["ruff", "check"]),
    Runner::Words(Role::Checks, &["uv", "run", "ruff", "check"]),
    Runner::Words(Role::Checks, &["cargo", "clippy"]),
    Runner::Words(Role::Checks, &["go", "vet", "./..."]),
    Runner::Words(Role::Checks, &["npx", "eslint"]),
    Runner::Words(Role::Checks, &["biome", "check"]),
    Runner::Words(Role::Types, &["npx", "tsc", "--noEmit"]),
    Runner::Words(Role::Types, &["bunx", "tsc", "--noEmit"]),
    Runner::Words(Role::Types, &["tsc", "--noEmit"]),
    Runner::Words(Role::Types, &["uv", "run", "mypy"]),
    Runner::Words(Role::Types, &["mypy"]),
    Runner::Words(Role::Types, &["pyright"]),
    Runner::Words(Role::Build, &["cargo", "build"]),
    Runner::Words(Role::Build, &["cargo", "check"]),
    Runner::Words(Role::Build, &["go", "build", "./..."]),
    Runner::Words(Role::Build, &["go", "build"]),
    Runner::Words(Role::Build, &["dotnet", "build"]),
    Runner::Words(Role::Build, &["swift", "build"]),
    Runner::Script(&["npm", "run"], Scripts::Package),
    Runner::Script(&["pnpm", "run"], Scripts::Package),
    Runner::Script(&["yarn", "run"], Scripts::Package),
    Runner::Script(&["bun", "run"], Scripts::Package),
    Runner::Script(&["make"], MAKEFILES),
    Runner::Script(&["just"], JUSTFILES),
    Runner::Script(&["mise", "run"], Scripts::Mise),
    Runner::Script(&["pnpm"], Scripts::Package),
    Runner::Script(&["yarn"], Scripts::Package),
];

/// A command, reduced to how it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) role: Role,
    /// The words of the row, and the script.
    pub(crate) text: String,
    /// The name of the script, and where it must stand.
    script: Option<(String, Scripts)>,
}

/// The command of a line that begins with `cd` to an absolute folder, which may be the root or not.
pub(crate) fn elsewhere(line: &str) -> Option<Command> {
    let (folder, rest) = line.trim_start().strip_prefix("cd /")?.split_once("&&")?;
    (!folder.contains([';', '|', '&'])).then(|| runner(rest))?
}

/// The one command of a line that [`RUNNERS`] know, if nothing in the line runs elsewhere or chooses between commands.
pub(crate) fn runner(line: &str) -> Option<Command> {
    if line.len() > 400 || line.contains(['\n', '`', '$', '(', '{', '<']) || line.contains("||") {
        return None;
    }
    // What is behind a pipe only shortens the output.
    let first = line.split('|').next().unwrap_or_default();
    let mut steps = first.split("&&").flat_map(|part| part.split(';')).map(str::trim).filter(|step| !step.is_empty());
    let only = steps.next()?;
    if steps.next().is_some() || only.starts_with("cd ") {
        return None;
    }
    let plain: Vec<&str> = words(only).into_iter().filter(|word| *word != "2>&1").collect();
    RUNNERS.iter().find_map(|runner| runner.matches(&plain)).or_else(|| own_file(&plain))
}

/// A file of the repository that runs its tests, its checks or its build, maybe behind what executes it.
fn own_file(plain: &[&str]) -> Option<Command> {
    let (program, word) = match plain {
        [program, file, ..] if INTERPRETERS.contains(program) => (Some(*program), *file),
        [file, ..] => (None, *file),
        [] => return None,
    };
    let path = word.strip_prefix("./").unwrap_or(word);
    // Without a folder, the shell looks for a program.
    if !is_path(path) || program.is_none() && !word.contains('/') {
        return None;
    }
    let file = path.rsplit('/').next()?;
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let stem = stem.replace(['_', '-'], "");
    let is_shell = matches!(ending, "" | "sh") && program.is_none_or(|program| matches!(program, "bash" | "sh"));
    let shell: &[_] = if is_shell { &SHELL_FILES } else { &[] };
    let (role, _) = FILES.iter().chain(shell).find(|(_, names)| names.contains(&stem.as_str()))?;
    let text = program.map_or_else(|| word.to_owned(), |program| format!("{program} {word}"));
    Some(Command { role: *role, text, script: Some((path.to_owned(), Scripts::Files)) })
}

impl Runner {
    fn matches(&self, plain: &[&str]) -> Option<Command> {
        match self {
            Self::Words(role, row) => {
                plain.starts_with(row).then(|| Command { role: *role, text: row.join(" "), script: None })
            }
            Self::Script(row, scripts) => {
                let name = plain.strip_prefix(*row)?.first().filter(|name| is_name(name))?;
                let role = Role::of_script(name)?;
                let script = Some(((*name).to_owned(), *scripts));
                Some(Command { role, text: format!("{} {name}", row.join(" ")), script })
            }
        }
    }
}

/// Whether a command starts a script, a target or a task that the workspace has.
pub(crate) fn is_script(text: &str, workspace: &mut impl Workspace) -> bool {
    let words = words(text);
    let script = RUNNERS.iter().find_map(|runner| match runner {
        Runner::Script(row, scripts) => Some((words.strip_prefix(*row)?.first()?, *scripts)),
        Runner::Words(..) => None,
    });
    script.is_some_and(|(name, scripts)| scripts.have(name, workspace))
}

impl Scripts {
    /// Whether there is one of this name.
    fn have(self, name: &str, workspace: &mut impl Workspace) -> bool {
        let mut any_line = |files: &[&str], fits: &dyn Fn(&str) -> bool| {
            files.iter().any(|file| workspace.text(file).unwrap_or_default().lines().any(fits))
        };
        match self {
            Self::Package => package_scripts(workspace).iter().any(|script| script == name),
            Self::Targets(files) => {
                any_line(files, &|line| line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':')))
            }
            Self::Mise => {
                let heads = [format!("[tasks.{name}]"), format!("[tasks.\"{name}\"]"), format!("{name} =")];
                let fits = |line: &str| heads.iter().any(|head| line.trim_start().starts_with(head));
                any_line(&["mise.toml", ".mise.toml", "mise/config.toml"], &fits)
            }
            Self::Files => matches!(workspace.entry(name), Some(Entry::File { .. })),
        }
    }
}

impl Command {
    /// Whether the workspace has the script that this command names.
    pub(crate) fn is_in(&self, workspace: &mut impl Workspace) -> bool {
        self.script.as_ref().is_none_or(|(name, scripts)| scripts.have(name, workspace))
    }

    /// Whether it runs a file of the repository, so that the root is the only folder in which it works.
    pub(crate) fn is_file(&self) -> bool {
        self.script.as_ref().is_some_and(|(_, scripts)| *scripts == Scripts::Files)
    }
}

/// Successes that show that a command works here.
const LEAST_WORKED: u32 = 3;

/// The command that succeeded most often in these sessions, and how often.
pub(crate) fn best(
    log: &Log,
    sessions: &BTreeSet<u32>,
    workspace: &mut impl Workspace,
    fits: impl Fn(&Command) -> bool,
) -> Option<(Command, u32)> {
    let mut fitting: Vec<(Command, u32)> = log
        .worked_in(sessions)
        .into_iter()
        .filter(|(_, times)| *times >= LEAST_WORKED)
        .filter_map(|(text, times)| Some((runner(&text).filter(&fits)?, times)))
        .collect();
    fitting.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.text.cmp(&b.0.text)));
    fitting.into_iter().find(|(command, _)| command.is_in(workspace))
}

/// The names of the scripts in the root's package.json.
pub(crate) fn package_scripts(workspace: &mut impl Workspace) -> Vec<String> {
    let Some(text) = workspace.text("package.json") else { return Vec::new() };
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let scripts = manifest.get("scripts").and_then(serde_json::Value::as_object);
    scripts.map(|scripts| scripts.keys().filter(|name| is_name(name)).cloned().collect()).unwrap_or_default()
}

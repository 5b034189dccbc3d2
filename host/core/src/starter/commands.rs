//! The commands that run a project's tests, as its manifests say: of the whole project, or of its parts if it has no manifest
//! of its own, such as the packages of a workspace.

use std::collections::{BTreeMap, BTreeSet};

/// Most parts of one language whose commands are named.
const MAX_PARTS: usize = 8;

/// Folders of projects that are samples or what a test works on, and no parts of the project.
const SAMPLES: &[&str] = &[
    "example",
    "examples",
    "fixture",
    "fixtures",
    "__fixtures__",
    "sample",
    "samples",
    "template",
    "templates",
    "testdata",
];

/// A command that runs tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestCommand {
    /// The folder in which it runs; empty for the project's root.
    pub(super) folder: String,
    pub(super) line: String,
}

impl TestCommand {
    fn at_root(line: impl Into<String>) -> Self {
        Self::in_folder("", line)
    }

    fn in_folder(folder: &str, line: impl Into<String>) -> Self {
        Self { folder: folder.to_owned(), line: line.into() }
    }
}

/// The files of a project, and the texts of its manifests.
pub(super) struct Manifests<'a> {
    /// Relative paths of its own files, with `/`.
    pub(super) files: Vec<&'a str>,
    /// Some of their texts, by path.
    pub(super) texts: &'a BTreeMap<String, String>,
}

impl Manifests<'_> {
    /// The commands for these languages, each once. If no language has one, that of a Makefile or a justfile.
    pub(super) fn commands(&self, languages: &[&str]) -> Vec<TestCommand> {
        let mut found: Vec<TestCommand> = Vec::new();
        for command in languages.iter().flat_map(|language| self.of_language(language)) {
            if !found.contains(&command) {
                found.push(command);
            }
        }
        if found.is_empty() {
            found.extend(self.of_recipes());
        }
        found
    }

    fn of_language(&self, language: &str) -> Vec<TestCommand> {
        let root = |marker: &str, line: &str| self.root(&[marker], line);
        match language {
            "Rust" => self.rust(),
            "Go" => self.go(),
            "Python" => self.python(),
            "JavaScript or TypeScript" => self.javascript(),
            "Java" | "Kotlin" => self.jvm(),
            "C#" => self.dotnet(),
            "Ruby" => root("Rakefile", "rake test"),
            "PHP" => self.root(&["phpunit.xml", "phpunit.xml.dist"], "phpunit"),
            "Elixir" => root("mix.exs", "mix test"),
            "Swift" => root("Package.swift", "swift test"),
            "Dart" => root("pubspec.yaml", "dart test"),
            "Zig" => root("build.zig", "zig build test"),
            _ => Vec::new(),
        }
    }

    fn has(&self, path: &str) -> bool {
        self.files.contains(&path)
    }

    fn root(&self, markers: &[&str], line: &str) -> Vec<TestCommand> {
        let is_there = markers.iter().any(|marker| self.has(marker));
        is_there.then(|| TestCommand::at_root(line)).into_iter().collect()
    }

    /// The folders below the root that have one of these files, without those inside of another one of them.
    fn parts(&self, markers: &[&str]) -> Vec<&str> {
        let folders: BTreeSet<&str> = self
            .files
            .iter()
            .filter_map(|file| file.rsplit_once('/'))
            .filter(|(folder, name)| markers.contains(name) && is_part(folder))
            .map(|(folder, _)| folder)
            .collect();
        let is_outermost =
            |folder: &&&str| !folder.match_indices('/').any(|(at, _)| folders.contains(folder.get(..at).unwrap_or("")));
        folders.iter().filter(is_outermost).take(MAX_PARTS).copied().collect()
    }

    fn rust(&self) -> Vec<TestCommand> {
        if self.has("Cargo.toml") {
            return vec![TestCommand::at_root("cargo test")];
        }
        let line = |part: &&str| TestCommand::at_root(format!("cargo test --manifest-path {part}/Cargo.toml"));
        self.parts(&["Cargo.toml"]).iter().map(line).collect()
    }

    /// From the root, go finds the modules of a `go.work`, and no others.
    fn go(&self) -> Vec<TestCommand> {
        let mut commands = self.root(&["go.mod"], "go test ./...");
        if self.has("go.work") {
            let line = |part: &str| TestCommand::at_root(format!("go test ./{part}/..."));
            commands.extend(self.parts(&["go.mod"]).into_iter().map(line));
        } else if commands.is_empty() {
            let line = |part: &str| TestCommand::in_folder(part, "go test ./...");
            commands.extend(self.parts(&["go.mod"]).into_iter().map(line));
        }
        commands
    }

    fn python(&self) -> Vec<TestCommand> {
        const MANIFESTS: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"];
        let parts = self.parts(MANIFESTS);
        let is_in_part =
            |file: &str| parts.iter().any(|part| file.strip_prefix(part).is_some_and(|rest| rest.starts_with('/')));
        let is_test = |file: &&&str| is_python_test(name_of(file));
        let tests_elsewhere = self.files.iter().any(|file| is_python_test(name_of(file)) && !is_in_part(file));
        if MANIFESTS.iter().any(|name| self.has(name)) || tests_elsewhere || parts.is_empty() {
            if self.uses_pytest("") {
                return vec![TestCommand::at_root("python3 -m pytest")];
            }
            return unittest("", self.files.iter().filter(is_test).copied()).into_iter().collect();
        }
        let command = |part: &&str| {
            if self.uses_pytest(part) {
                return Some(TestCommand::at_root(format!("python3 -m pytest {part}")));
            }
            let own = self.files.iter().filter_map(|file| file.strip_prefix(*part)?.strip_prefix('/'));
            unittest(part, own.filter(|file| is_python_test(name_of(file))))
        };
        parts.iter().filter_map(command).collect()
    }

    /// Whether the files of a folder name pytest; of the whole project if the folder is empty.
    fn uses_pytest(&self, folder: &str) -> bool {
        let is_below =
            |path: &str| folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let names = |(path, text): (&String, &String)| {
            is_below(path) && name_of(path) != "package.json" && !is_recipes(name_of(path)) && text.contains("pytest")
        };
        let is_its = |file: &&str| is_below(file) && matches!(name_of(file), "pytest.ini" | "conftest.py");
        self.texts.iter().any(names) || self.files.iter().any(is_its)
    }

    fn javascript(&self) -> Vec<TestCommand> {
        if self.has_test_script("") {
            return vec![TestCommand::at_root(self.package_test(""))];
        }
        let has_script = |part: &&str| self.has_test_script(part);
        let members = self.npm_workspaces();
        let command = |part: &str| {
            let is_member = members.iter().any(|pattern| is_member(part, pattern));
            if is_member && self.package_test(part) == "npm test" {
                TestCommand::at_root(format!("npm test --workspace={part}"))
            } else {
                TestCommand::in_folder(part, self.package_test(part))
            }
        };
        self.parts_with_scripts().into_iter().filter(has_script).take(MAX_PARTS).map(command).collect()
    }

    /// A package may lie inside of another one.
    fn parts_with_scripts(&self) -> Vec<&str> {
        let packages = self.files.iter().filter_map(|file| file.strip_suffix("/package.json"));
        packages.filter(|folder| is_part(folder)).collect()
    }

    fn package(&self, folder: &str) -> Option<serde_json::Value> {
        serde_json::from_str(self.texts.get(&below(folder, "package.json"))?).ok()
    }

    fn has_test_script(&self, folder: &str) -> bool {
        let package = self.package(folder);
        let script = package.as_ref().and_then(|package| package.get("scripts")?.get("test")?.as_str());
        // What `npm init` writes.
        script.is_some_and(|script| !script.contains("no test specified"))
    }

    /// The patterns of the root's `workspaces`.
    fn npm_workspaces(&self) -> Vec<String> {
        let Some(package) = self.package("") else { return Vec::new() };
        let Some(workspaces) = package.get("workspaces") else { return Vec::new() };
        let list = workspaces.get("packages").unwrap_or(workspaces).as_array();
        list.into_iter().flatten().filter_map(|pattern| pattern.as_str().map(str::to_owned)).collect()
    }

    /// The command of the package manager whose lock file is in the folder or at the root.
    fn package_test(&self, folder: &str) -> &'static str {
        let managers = [
            ("pnpm-lock.yaml", "pnpm test"),
            ("pnpm-workspace.yaml", "pnpm test"),
            ("yarn.lock", "yarn test"),
            ("bun.lock", "bun run test"),
            ("bun.lockb", "bun run test"),
        ];
        let found = managers.iter().find(|(lock, _)| self.has(&below(folder, lock)) || self.has(lock));
        found.map_or("npm test", |(_, command)| *command)
    }

    /// Maven or Gradle, by way of the project's wrapper if it has one.
    fn jvm(&self) -> Vec<TestCommand> {
        const MAVEN: &[&str] = &["pom.xml"];
        const GRADLE: &[&str] = &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
        for (markers, wrapper, program) in [(MAVEN, "mvnw", "mvn"), (GRADLE, "gradlew", "gradle")] {
            let line = |folder: &str| {
                let has_wrapper = self.has(&below(folder, wrapper));
                if has_wrapper { format!("./{wrapper} test") } else { format!("{program} test") }
            };
            if markers.iter().any(|marker| self.has(marker)) {
                return vec![TestCommand::at_root(line(""))];
            }
            let parts = self.parts(markers);
            if !parts.is_empty() {
                return parts.into_iter().map(|part| TestCommand::in_folder(part, line(part))).collect();
            }
        }
        Vec::new()
    }

    fn dotnet(&self) -> Vec<TestCommand> {
        let is_project = |file: &&str| {
            let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
            !file.contains('/') && (*file == "global.json" || matches!(ending, "sln" | "slnx" | "csproj"))
        };
        let has_project = self.files.iter().any(is_project);
        has_project.then(|| TestCommand::at_root("dotnet test")).into_iter().collect()
    }

    /// The recipe `test`, or else `check`, of the root's Makefile or justfile.
    fn of_recipes(&self) -> Option<TestCommand> {
        let files = self.texts.iter().filter(|(path, _)| is_recipes(path));
        let mut known = files.flat_map(|(path, text)| {
            let program = if path.eq_ignore_ascii_case("justfile") { "just" } else { "make" };
            ["test", "check"]
                .into_iter()
                .filter(|name| has_recipe(text, name))
                .map(move |name| format!("{program} {name}"))
        });
        known.next().map(TestCommand::at_root)
    }
}

/// `tests` are paths from the folder.
fn unittest<'t>(folder: &str, tests: impl Iterator<Item = &'t str>) -> Option<TestCommand> {
    let mut tests = tests.peekable();
    tests.peek()?;
    let discover = "python3 -m unittest discover";
    let line =
        if tests.any(|file| file.starts_with("tests/")) { format!("{discover} -s tests") } else { discover.into() };
    Some(TestCommand::in_folder(folder, line))
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a name means itself, in a pattern, in TOML and as a word of a command.
pub(super) fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@'))
}

/// Whether a folder may be a part of the project, and can be named in a command.
fn is_part(folder: &str) -> bool {
    folder.split('/').all(|name| is_plain(name) && !SAMPLES.contains(&name))
}

fn is_python_test(name: &str) -> bool {
    name.strip_prefix("test_").is_some_and(|rest| rest.strip_suffix(".py").is_some())
}

/// Whether a file holds recipes of make or just.
fn is_recipes(name: &str) -> bool {
    matches!(name, "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile")
}

/// `test: build` is a recipe, `test := 1` is a variable.
fn has_recipe(text: &str, name: &str) -> bool {
    text.lines()
        .filter_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'))
        .any(|rest| !rest.starts_with('='))
}

/// Whether a folder is one of npm's workspaces by this pattern.
fn is_member(folder: &str, pattern: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
    match pattern.strip_suffix("/**") {
        Some(above) => folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/')),
        None => pattern
            .strip_suffix("/*")
            .map_or(pattern == folder || pattern == "*" && parent.is_empty(), |above| above == parent),
    }
}

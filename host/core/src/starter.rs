//! The first `gephost.toml` of a project: what a look at its files says, and the text that follows from it.
//!
//! What must stay true: the text is a config that is accepted and that widens nothing, so that it needs no trust; what it
//! cannot know is left as a comment.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::{CommandRules, ValidationCommand};

/// The files whose text says how a project is tested.
pub const READ_FILES: &[&str] = &["package.json", "pyproject.toml", "setup.cfg", "tox.ini"];

/// Folders in which package managers put what they fetch or build.
pub const ENVIRONMENTS: &[&str] = &[
    ".venv",
    "venv",
    "env",
    ".tox",
    "__pypackages__",
    "node_modules",
    ".yarn",
    "target",
    "vendor",
    ".gradle",
    ".bundle",
    "deps",
    "_build",
    "Pods",
];

/// Folders of source that is not the project's own, or that is made.
const NOT_OWN: &[&str] = &["vendor", "third_party", "node_modules", "dist", "build", "target", "out", "generated"];

/// The files of instructions that each agent reads. What its sessions teach goes to the first that is there, or else into a
/// new file with the first name. The agents' names are those of [`crate::observe::log_locations`].
pub const INSTRUCTIONS: &[(&str, &[&str])] = &[
    ("Claude Code", &["CLAUDE.md", ".claude/CLAUDE.md"]),
    ("Codex", &["AGENTS.md"]),
    ("Copilot CLI", &[".github/copilot-instructions.md", "AGENTS.md"]),
    ("pi", &["AGENTS.md", "CLAUDE.md"]),
    ("Gemini CLI", &["GEMINI.md"]),
    ("OpenCode", &["AGENTS.md", "CLAUDE.md"]),
    ("OpenHands", &["AGENTS.md", ".openhands/microagents/repo.md"]),
    ("Cline", &["AGENTS.md", ".clinerules"]),
];

/// Most folders in `allow`.
const MAX_FOLDERS: usize = 24;

/// What a look at a project gave.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The files that git tracks, or all of them without git: relative paths, with `/`.
    pub files: Vec<String>,
    /// The texts of those among [`READ_FILES`] that are there.
    pub texts: BTreeMap<&'static str, String>,
    /// The folders among [`ENVIRONMENTS`] that are there.
    pub environments: Vec<&'static str>,
    /// The agents that worked in the project.
    pub agents: Vec<&'static str>,
}

/// A first config, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// The languages of the project.
    pub languages: Vec<&'static str>,
    /// The commands that run its tests, as far as gephost has rules for their programs.
    pub commands: Vec<String>,
    /// Further ones, whose program the user must vouch for.
    pub other_commands: Vec<String>,
    /// What a proposal may change: patterns as in `.gitignore`.
    pub allow: Vec<String>,
    /// Folders of dependencies that git does not track.
    pub environments: Vec<&'static str>,
    /// The text of `gephost.toml`.
    pub text: String,
}

/// How the tests of a language are run.
enum Tests {
    /// By this command, if one of these files is at the project's root.
    Command(&'static [&'static str], &'static str),
    Python,
    JavaScript,
    /// Nobody knows.
    Unknown,
}

struct Language {
    name: &'static str,
    endings: &'static [&'static str],
    tests: Tests,
}

const LANGUAGES: &[Language] = &[
    Language { name: "Rust", endings: &["rs"], tests: Tests::Command(&["Cargo.toml"], "cargo test") },
    Language { name: "Go", endings: &["go"], tests: Tests::Command(&["go.mod"], "go test ./...") },
    Language { name: "Python", endings: &["py"], tests: Tests::Python },
    Language {
        name: "JavaScript or TypeScript",
        endings: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
        tests: Tests::JavaScript,
    },
    Language { name: "Java", endings: &["java"], tests: Tests::Command(&["pom.xml"], "mvn test") },
    Language {
        name: "Kotlin",
        endings: &["kt"],
        tests: Tests::Command(&["build.gradle", "build.gradle.kts"], "gradle test"),
    },
    Language { name: "C#", endings: &["cs"], tests: Tests::Command(&["global.json"], "dotnet test") },
    Language { name: "Ruby", endings: &["rb"], tests: Tests::Command(&["Rakefile"], "rake test") },
    Language { name: "PHP", endings: &["php"], tests: Tests::Command(&["phpunit.xml", "phpunit.xml.dist"], "phpunit") },
    Language { name: "Elixir", endings: &["ex", "exs"], tests: Tests::Command(&["mix.exs"], "mix test") },
    Language { name: "Swift", endings: &["swift"], tests: Tests::Command(&["Package.swift"], "swift test") },
    Language { name: "Dart", endings: &["dart"], tests: Tests::Command(&["pubspec.yaml"], "dart test") },
    Language { name: "Zig", endings: &["zig"], tests: Tests::Command(&["build.zig"], "zig build test") },
    Language { name: "C or C++", endings: &["c", "cc", "cpp", "cxx", "h", "hpp"], tests: Tests::Unknown },
    Language { name: "shell", endings: &["sh", "bash"], tests: Tests::Unknown },
];

/// The first config of a project.
pub fn starter(facts: &Facts) -> Starter {
    let sources: Vec<(&str, &Language)> =
        facts.files.iter().filter_map(|file| Some((file.as_str(), language(file)?))).collect();
    let used: BTreeSet<&str> = sources.iter().map(|(_, language)| language.name).collect();
    let languages: Vec<&Language> = LANGUAGES.iter().filter(|language| used.contains(language.name)).collect();
    let found = languages.iter().filter_map(|language| tests(language, facts));
    let rules = CommandRules::default();
    let (commands, others): (Vec<String>, Vec<String>) =
        found.partition(|command| ValidationCommand::parse(command, &rules).is_ok());
    let other_commands = others.into_iter().filter(|command| may_be_vouched_for(command)).collect();
    let mut allow = allow(&sources);
    let instructions = instructions(facts);
    allow.extend(instructions.iter().map(|file| format!("/{file}")));
    let mut starter = Starter {
        languages: languages.iter().map(|language| language.name).collect(),
        commands,
        other_commands,
        allow,
        environments: facts.environments.clone(),
        text: String::new(),
    };
    starter.text = text(&starter, &facts.agents, !instructions.is_empty());
    starter
}

/// Whether the user can let a command run by naming its program.
fn may_be_vouched_for(command: &str) -> bool {
    let program = command.split(' ').next().unwrap_or_default().to_owned();
    CommandRules::with_programs(&[program]).is_ok_and(|rules| ValidationCommand::parse(command, &rules).is_ok())
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The language of a source of the project's own.
fn language(path: &str) -> Option<&'static Language> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_own = |folder: &str| !folder.starts_with('.') && !NOT_OWN.contains(&folder);
    let ending = name.rsplit_once('.')?.1;
    let known = LANGUAGES.iter().find(|language| language.endings.contains(&ending));
    known.filter(|_| !name.starts_with('.') && (folders.is_empty() || folders.split('/').all(is_own)))
}

/// The folders with sources, and the endings of those at the project's root.
fn allow(sources: &[(&str, &Language)]) -> Vec<String> {
    let (mut folders, mut endings) = (BTreeSet::new(), BTreeSet::new());
    for (path, _) in sources {
        match path.split_once('/') {
            Some((folder, _)) if is_plain(folder) => drop(folders.insert(folder)),
            // A name that would have to be escaped is left to the user.
            Some(_) => {}
            None => drop(path.rsplit_once('.').map(|(_, ending)| endings.insert(ending))),
        }
    }
    let folders = folders.into_iter().take(MAX_FOLDERS).map(|folder| format!("/{folder}/"));
    folders.chain(endings.into_iter().map(|ending| format!("/*.{ending}"))).collect()
}

/// The files that what the agents' sessions teach goes to.
fn instructions(facts: &Facts) -> BTreeSet<&'static str> {
    let is_there = |name: &&&str| facts.files.iter().any(|file| file == **name);
    let read = INSTRUCTIONS.iter().filter(|(agent, _)| facts.agents.contains(agent));
    read.filter_map(|(_, files)| files.iter().find(is_there).or(files.first())).copied().collect()
}

/// Whether a name means itself, in a pattern and in TOML.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@'))
}

/// The command that runs the tests of a language.
fn tests(language: &Language, facts: &Facts) -> Option<String> {
    let is_there = |name: &str| facts.files.iter().any(|file| file == name);
    match language.tests {
        Tests::Command(markers, command) => markers.iter().any(|marker| is_there(marker)).then(|| command.to_owned()),
        Tests::Python => python(facts),
        Tests::JavaScript => javascript(facts, &is_there),
        Tests::Unknown => None,
    }
}

fn python(facts: &Facts) -> Option<String> {
    let is_test =
        |file: &&String| name_of(file).strip_prefix("test_").is_some_and(|rest| rest.rsplit('.').next() == Some("py"));
    let names_pytest = facts.texts.iter().any(|(name, text)| *name != "package.json" && text.contains("pytest"));
    let uses_pytest =
        names_pytest || facts.files.iter().any(|file| matches!(name_of(file), "pytest.ini" | "conftest.py"));
    let mut tests = facts.files.iter().filter(is_test).peekable();
    if uses_pytest {
        return Some("python3 -m pytest".to_owned());
    }
    tests.peek()?;
    let in_tests = tests.any(|file| file.starts_with("tests/"));
    Some(if in_tests { "python3 -m unittest discover -s tests" } else { "python3 -m unittest discover" }.to_owned())
}

fn javascript(facts: &Facts, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(facts.texts.get("package.json")?).ok()?;
    let script = manifest.get("scripts")?.get("test")?.as_str()?;
    // What `npm init` writes.
    if script.contains("no test specified") {
        return None;
    }
    let managers = [
        ("pnpm-lock.yaml", "pnpm test"),
        ("yarn.lock", "yarn test"),
        ("bun.lock", "bun run test"),
        ("bun.lockb", "bun run test"),
    ];
    let found = managers.iter().find(|(lock, _)| is_there(lock));
    Some(found.map_or("npm test", |(_, command)| *command).to_owned())
}

/// A list as TOML. The texts are plain.
fn list(texts: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("\"{}\"", text.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

fn text(starter: &Starter, agents: &[&str], has_instructions: bool) -> String {
    let Starter { commands, other_commands, allow, environments, .. } = starter;
    let mut text = String::from(
        "# What gephost may do in this project. What is not said here is refused.\n\
         # Change it as you like. To check it: gephost policy check\n\n[policy]\n",
    );
    let mut add = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match (allow.is_empty(), has_instructions) {
        (true, _) => add("# No source was found. Name what a proposal may change."),
        (false, false) => add("# What a proposal may change: the sources that were found."),
        (false, true) => {
            add("# What a proposal may change: the sources that were found,");
            add("# and the instructions of agents, for what sessions teach.");
        }
    }
    add("# Patterns are those of .gitignore.");
    add(&format!("allow = {}", list(allow)));
    add("# What it may never change, whatever is allowed above.");
    add("# deny = [\"src/generated/\"]");
    add("\n[validation]");
    add("# What must pass before a branch is published.");
    if commands.is_empty() {
        add("# No command was found that gephost has rules for. Without one, the");
        add("# failing command that you record counts: gephost record -- COMMAND");
    }
    add(&format!("commands = {}", list(commands)));
    for command in other_commands {
        let program = command.split(' ').next().unwrap_or_default();
        add(&format!("# gephost has no rules for {program}. If you vouch for it, put these"));
        add("# lines in place of the one above, then: gephost trust");
        add(&format!("# programs = [\"{program}\"]"));
        add(&format!("# commands = [\"{command}\"]"));
    }
    if !environments.is_empty() {
        add("# Found, and not tracked by git. Commands can read the dependencies");
        add("# among them, and never change them.");
        add(&format!("# {}", environments.join(", ")));
    }
    add("\n[observe]");
    if agents.is_empty() {
        add("# gephost reads what `gephost record` kept, and the sessions of agents");
        add("# that worked here, after you agreed once: gephost diagnose");
    } else {
        add(&format!("# Agents worked here: {}.", agents.join(", ")));
        add("# Their sessions are read after you agreed once: gephost diagnose");
    }
    add("# To read other logs instead, name files or folders.");
    add("# logs = [\"logs/\"]");
    add("\n[apply]");
    add("# Whether --apply may publish a branch. If so, write true, then:");
    add("# gephost trust");
    add("enabled = false");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn facts(files: &[&str], texts: &[(&'static str, &str)]) -> Facts {
        Facts {
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            texts: texts.iter().map(|(name, text)| (*name, (*text).to_owned())).collect(),
            ..Facts::default()
        }
    }

    /// The config that a first config is: accepted, and nothing in it waits for trust.
    fn config(starter: &Starter) -> Config {
        let config = Config::from_toml(&starter.text).unwrap_or_else(|error| panic!("{error}:\n{}", starter.text));
        assert_eq!(config.file.widenings(), [], "{}", starter.text);
        assert!(starter.text.lines().all(|line| line.len() <= 76 || !line.starts_with('#')), "{}", starter.text);
        config
    }

    #[test]
    fn the_test_command_follows_from_the_files() {
        let npm = |script: &str| format!("{{\"scripts\":{{\"test\":\"{script}\"}}}}");
        let jest = npm("jest");
        for (files, texts, commands) in [
            (&["Cargo.toml", "src/lib.rs"][..], &[][..], &["cargo test"][..]),
            (&["go.mod", "main.go"], &[], &["go test ./..."]),
            (&["app.py", "tests/test_a.py"], &[], &["python3 -m unittest discover -s tests"]),
            (&["app.py", "app/test_a.py"], &[], &["python3 -m unittest discover"]),
            (&["app.py", "tests/conftest.py"], &[], &["python3 -m pytest"]),
            (&["app.py"], &[("pyproject.toml", "[tool.pytest.ini_options]\n")], &["python3 -m pytest"]),
            (&["app.py"], &[], &[]),
            (&["index.js"], &[("package.json", &jest)], &["npm test"]),
            (&["index.ts", "pnpm-lock.yaml"], &[("package.json", &jest)], &["pnpm test"]),
            (&["index.ts", "yarn.lock"], &[("package.json", &jest)], &["yarn test"]),
            (
                &["index.js"],
                &[("package.json", "{\"scripts\":{\"test\":\"echo \\\"Error: no test specified\\\"\"}}")],
                &[],
            ),
            (&["index.js"], &[("package.json", "no JSON")], &[]),
            (&["index.js"], &[("package.json", "{\"scripts\":[]}")], &[]),
            (&["Cargo.toml", "src/lib.rs", "web/a.ts"], &[("package.json", &jest)], &["cargo test", "npm test"]),
            // A manifest of a part is no manifest of the project.
            (&["part/Cargo.toml", "part/src/lib.rs"], &[], &[]),
            (&["README.md"], &[], &[]),
            (&[], &[], &[]),
        ] {
            let starter = starter(&facts(files, texts));
            assert_eq!(starter.commands, commands, "{files:?}");
            assert_eq!(config(&starter).policy.commands().len(), commands.len());
        }
    }

    #[test]
    fn a_program_without_rules_is_left_to_the_user() {
        for (files, command) in [
            (["pom.xml", "src/A.java"], "mvn test"),
            (["build.gradle.kts", "src/A.kt"], "gradle test"),
            (["mix.exs", "lib/a.ex"], "mix test"),
        ] {
            let starter = starter(&facts(&files, &[]));
            assert_eq!((starter.commands.len(), starter.other_commands.as_slice()), (0, &[command.to_owned()][..]));
            config(&starter);
            // As the comment says: in place of the empty list.
            let vouched = starter
                .text
                .replace("commands = []\n", "")
                .replace("# programs", "programs")
                .replace("# commands", "commands");
            Config::from_toml(&vouched).unwrap_or_else(|error| panic!("{error}:\n{vouched}"));
        }
    }

    #[test]
    fn a_program_that_runs_others_is_not_suggested() {
        let starter = starter(&facts(&["Package.swift", "Sources/a.swift"], &[]));
        assert_eq!((starter.commands.len(), starter.other_commands.len()), (0, 0));
        config(&starter);
    }

    #[test]
    fn allow_covers_the_sources_and_nothing_foreign() {
        let starter = starter(&facts(
            &[
                "app.py",
                "src/a.py",
                "src/deep/b.py",
                "tests/test_a.py",
                "vendor/x/y.go",
                "src/vendor/z.py",
                ".github/scripts/a.py",
                "docs/index.md",
                "a [b]/c.py",
                "quo\"te/c.py",
                "Ünder/c.py",
                ".hidden.py",
            ],
            &[],
        ));
        assert_eq!(starter.allow, ["/src/", "/tests/", "/Ünder/", "/*.py"]);
        assert_eq!(starter.languages, ["Python"]);
        let policy = config(&starter).policy;
        let allows = |path: &str| policy.decide(&crate::path::RepoPath::new(path).unwrap()).allowed;
        for own in ["app.py", "src/a.py", "tests/test_a.py", "Ünder/c.py"] {
            assert!(allows(own), "{own}");
        }
        for foreign in
            ["vendor/x/y.go", "docs/index.md", "README.md", ".github/scripts/a.py", "other/src/a.py", "x/app.py"]
        {
            assert!(!allows(foreign), "{foreign}");
        }
    }

    #[test]
    fn lessons_may_go_to_the_instructions_of_the_agents_that_worked_here() {
        for (agents, files, allowed) in [
            (&["Claude Code"][..], &["src/a.py"][..], &["/src/", "/CLAUDE.md"][..]),
            (&["Claude Code"], &["src/a.py", ".claude/CLAUDE.md"], &["/src/", "/.claude/CLAUDE.md"]),
            (&["Codex", "OpenCode"], &["src/a.py"], &["/src/", "/AGENTS.md"]),
            (&["Codex", "OpenCode"], &["src/a.py", "CLAUDE.md"], &["/src/", "/AGENTS.md", "/CLAUDE.md"]),
            (&["Copilot CLI", "Gemini CLI"], &["AGENTS.md"], &["/AGENTS.md", "/GEMINI.md"]),
            (&["Cline"], &["src/a.py", ".clinerules"], &["/src/", "/.clinerules"]),
            // They read none, or none is known.
            (&["aider", "SWE-agent"], &["src/a.py", "CLAUDE.md"], &["/src/"]),
            (&[], &["src/a.py", "CLAUDE.md"], &["/src/"]),
        ] {
            let starter = starter(&Facts { agents: agents.to_vec(), ..facts(files, &[]) });
            assert_eq!(starter.allow, allowed, "{agents:?}, {files:?}");
            config(&starter);
        }
    }

    #[test]
    fn what_was_found_is_named() {
        let found =
            Facts { environments: vec![".venv"], agents: vec!["Claude Code", "Codex"], ..facts(&["a.py"], &[]) };
        let starter = starter(&found);
        assert!(starter.text.contains("# .venv\n") && starter.text.contains("Claude Code, Codex"));
        config(&starter);
        let cached = starter.text.replace("# caches", "caches");
        Config::from_toml(&cached).unwrap_or_else(|error| panic!("{error}:\n{cached}"));
    }
}

//! The first `gephost.toml` of a project: what a look at its files says, and the text that follows from it.
//!
//! What must stay true: the text is a config that is accepted and that widens nothing, so that it needs no trust; what it
//! cannot know is left as a comment.

mod commands;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use self::commands::{Manifests, TestCommand, is_plain, name_of};
use crate::command::{CommandRules, ValidationCommand};

/// The files whose text says how a project, or a part of it, is tested.
const READ_FILES: &[&str] = &["package.json", "pyproject.toml", "setup.cfg", "tox.ini"];

/// The same, of which only those at the project's root count.
const READ_AT_ROOT: &[&str] = &["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile"];

/// Most files that are read.
const MAX_READ: usize = 200;

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
    /// The texts of those among [`files_to_read`] that are there, by path.
    pub texts: BTreeMap<String, String>,
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
    /// Commands that record the others: they count once they were recorded.
    pub to_record: Vec<String>,
    /// What a proposal may change: patterns as in `.gitignore`.
    pub allow: Vec<String>,
    /// Folders of dependencies that git does not track.
    pub environments: Vec<&'static str>,
    /// The text of `gephost.toml`.
    pub text: String,
}

struct Language {
    name: &'static str,
    endings: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language { name: "Rust", endings: &["rs"] },
    Language { name: "Go", endings: &["go"] },
    Language { name: "Python", endings: &["py"] },
    Language {
        name: "JavaScript or TypeScript",
        endings: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
    },
    Language { name: "Java", endings: &["java"] },
    Language { name: "Kotlin", endings: &["kt"] },
    Language { name: "C#", endings: &["cs"] },
    Language { name: "Ruby", endings: &["rb"] },
    Language { name: "PHP", endings: &["php"] },
    Language { name: "Elixir", endings: &["ex", "exs"] },
    Language { name: "Swift", endings: &["swift"] },
    Language { name: "Dart", endings: &["dart"] },
    Language { name: "Zig", endings: &["zig"] },
    Language { name: "C or C++", endings: &["c", "cc", "cpp", "cxx", "h", "hpp"] },
    Language { name: "shell", endings: &["sh", "bash"] },
];

/// Which of these files are worth reading.
pub fn files_to_read(files: &[String]) -> impl Iterator<Item = &str> {
    let is_wanted =
        |file: &&str| READ_AT_ROOT.contains(file) || READ_FILES.contains(&name_of(file)) && is_own(folder_of(file));
    files.iter().map(String::as_str).filter(is_wanted).take(MAX_READ)
}

/// The first config of a project.
pub fn starter(facts: &Facts) -> Starter {
    let sources: Vec<(&str, &Language)> =
        facts.files.iter().filter_map(|file| Some((file.as_str(), language(file)?))).collect();
    let used: BTreeSet<&str> = sources.iter().map(|(_, language)| language.name).collect();
    let languages: Vec<&Language> = LANGUAGES.iter().filter(|language| used.contains(language.name)).collect();
    let names: Vec<&str> = languages.iter().map(|language| language.name).collect();
    let own = facts.files.iter().map(String::as_str).filter(|file| is_own(folder_of(file)));
    let found = Manifests { files: own.collect(), texts: &facts.texts }.commands(&names);
    let (commands, other_commands, to_record) = by_rules(found);
    let mut allow = allow(&sources);
    let instructions = instructions(facts);
    allow.extend(instructions.iter().map(|file| format!("/{file}")));
    let mut starter = Starter {
        languages: languages.iter().map(|language| language.name).collect(),
        commands,
        other_commands,
        to_record,
        allow,
        environments: facts.environments.clone(),
        text: String::new(),
    };
    starter.text = text(&starter, &facts.agents, !instructions.is_empty());
    starter
}

/// Those that gephost runs by itself, those that it runs once the user vouches for the program, and commands that record the
/// others. A program that runs others is only recorded.
fn by_rules(found: Vec<TestCommand>) -> (Vec<String>, Vec<String>, Vec<String>) {
    let rules = CommandRules::default();
    let (mut own, mut others, mut to_record) = (Vec::new(), Vec::new(), Vec::new());
    for TestCommand { folder, line } in found {
        if !folder.is_empty() {
            to_record.push(format!("cd {folder} && gephost record -- {line}"));
        } else if ValidationCommand::parse(&line, &rules).is_ok() {
            own.push(line);
        } else if may_be_vouched_for(&line) {
            others.push(line);
        } else {
            to_record.push(format!("gephost record -- {line}"));
        }
    }
    (own, others, to_record)
}

/// Whether the user can let a command run by naming its program.
fn may_be_vouched_for(command: &str) -> bool {
    let program = command.split(' ').next().unwrap_or_default().to_owned();
    CommandRules::with_programs(&[program]).is_ok_and(|rules| ValidationCommand::parse(command, &rules).is_ok())
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether the files of a folder are the project's own.
fn is_own(folders: &str) -> bool {
    let is_own = |folder: &str| !folder.starts_with('.') && !NOT_OWN.contains(&folder);
    folders.is_empty() || folders.split('/').all(is_own)
}

/// The language of a source of the project's own.
fn language(path: &str) -> Option<&'static Language> {
    let name = name_of(path);
    let ending = name.rsplit_once('.')?.1;
    let known = LANGUAGES.iter().find(|language| language.endings.contains(&ending));
    known.filter(|_| !name.starts_with('.') && is_own(folder_of(path)))
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

/// A list as TOML. The texts are plain.
fn list(texts: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("\"{}\"", text.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

fn text(starter: &Starter, agents: &[&str], has_instructions: bool) -> String {
    let Starter { commands, other_commands, to_record, allow, environments, .. } = starter;
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
    if commands.is_empty() && to_record.is_empty() {
        add("# No command was found that gephost has rules for. Without one, the");
        add("# failing command that you record counts: gephost record -- COMMAND");
    }
    add(&format!("commands = {}", list(commands)));
    if !to_record.is_empty() {
        add("# gephost does not run these by itself. Record one that fails, and it");
        add("# must pass before a branch is published that repairs it:");
        for line in to_record {
            add(&format!("# {line}"));
        }
    }
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

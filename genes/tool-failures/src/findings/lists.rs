//! What to say of a script or a file that a program did not find: how the program lists its scripts, and in which folder it runs.

use crate::causes::Group;
use crate::worked::machine::Machine;

/// Programs, and the command that lists their scripts or targets.
const LISTS: [(&str, &str); 13] = [
    ("npm", "npm run"),
    ("pnpm", "pnpm run"),
    ("yarn", "yarn run"),
    ("bun", "bun run"),
    ("composer", "composer run-script --list"),
    ("just", "just --list"),
    ("task", "task --list-all"),
    ("rake", "rake -T"),
    ("mise", "mise tasks"),
    ("gradle", "gradle tasks --all"),
    ("gradlew", "./gradlew tasks --all"),
    ("deno", "deno task"),
    ("make", "grep '^[a-z].*:' Makefile"),
];
/// The programs that run the scripts of a package.json.
const RUN_SCRIPTS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];
/// Most scripts that are shown.
const MAX_SHOWN: usize = 8;
/// The files that programs look for in their folder, as their messages name them.
const FILES: [&str; 17] = [
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pyproject.toml",
    "makefile",
    "Package.swift",
    "pubspec.yaml",
    "Gemfile",
    "composer.json",
    "Dockerfile",
    "Chart.yaml",
    "Podfile",
    "CMakeLists.txt",
    "Pulumi.yaml",
    "build.zig",
    "pom.xml",
    "mix.exs",
];

impl Group {
    /// How the agent finds out which scripts there are.
    pub(super) fn listing(&self, machine: &Machine) -> Option<String> {
        let program = self.program().split(' ').next().unwrap_or_default();
        let (_, command) = LISTS.iter().find(|(name, _)| *name == program)?;
        let scripts = machine.scripts();
        // If the one that was asked for is there, another folder is meant.
        let is_there = scripts.iter().any(|script| self.frequent_names().contains(&script.as_str()));
        if RUN_SCRIPTS.contains(&program) && !scripts.is_empty() && !is_there {
            let shown: Vec<String> = scripts.iter().take(MAX_SHOWN).map(|script| format!("`{script}`")).collect();
            let more = if scripts.len() > MAX_SHOWN { " and others" } else { "" };
            return Some(format!(
                "say in the agent's instructions which scripts there are: the package.json that it read last has {}{more}",
                shown.join(", ")
            ));
        }
        Some(format!("tell the agent to look which scripts there are (`{command}`) before it names one"))
    }

    /// In which folder the commands run: in that of the file that all messages name.
    pub(super) fn home(&self) -> Option<String> {
        let file = |line: &str| FILES.iter().find(|file| line.contains(**file));
        let one = file(&self.members.first()?.line)?;
        let shown = if *one == "makefile" { "Makefile" } else { one };
        self.members
            .iter()
            .all(|member| file(&member.line) == Some(one))
            .then(|| format!("tell the agent to run this in the folder that has the `{shown}`: it ran in another one"))
    }
}

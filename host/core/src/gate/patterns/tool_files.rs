//! Files that tools read or run because of their names: the table `rules/tool-files.txt`.
//!
//! The table says which file belongs to which tool, and why; [`KINDS`] says what follows from that. A name that it does not
//! know is judged by its shape.

use std::collections::HashMap;
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;

use super::super::{Severity, Violation};
use super::rules::{self, FileRule, Group};
use super::{manifest, tool_shapes};
use crate::path::RepoPath;
use crate::pattern::{Case, PatternSet, fold_case};

/// What follows from a rule of the table.
struct Kind {
    rule: &'static str,
    group: Group,
    severity: Severity,
    /// Whether a person must look at it even if it is only flagged.
    asks: bool,
}

const fn kind(rule: &'static str, group: Group, severity: Severity, asks: bool) -> Kind {
    Kind { rule, group, severity, asks }
}

const KINDS: &[Kind] = &[
    kind("startup-file", Group::ToolFiles, Severity::Reject, true),
    kind("hook-file", Group::ToolFiles, Severity::Reject, true),
    kind("opened-file", Group::ToolFiles, Severity::Flag, true),
    kind("ci-file", Group::ToolFiles, Severity::Reject, true),
    kind("agent-hooks", Group::ToolFiles, Severity::Flag, true),
    kind("agent-grant", Group::ToolFiles, Severity::Flag, true),
    kind("tool-config", Group::ToolFiles, Severity::Reject, true),
    kind("tool-setting", Group::ToolFiles, Severity::Flag, true),
    kind("test-config", Group::WeakenedTests, Severity::Flag, false),
    kind("test-runner", Group::WeakenedTests, Severity::Reject, false),
    kind("lock-file", Group::NewDependencies, Severity::Reject, false),
    kind("package-source", Group::NewDependencies, Severity::Reject, false),
    kind("build-script", Group::ToolFiles, Severity::Flag, false),
];

/// Whether a violation of this rule is for a person to judge, so that its risk is above autopilot's default.
pub(in super::super) fn asks_a_person(rule: &str) -> bool {
    KINDS.iter().any(|kind| kind.rule == rule && kind.asks)
}

/// One row of the table.
struct Row {
    kind: &'static Kind,
    tool: &'static str,
    why: &'static str,
}

/// The patterns by their shape, so that the table costs next to nothing to read and to look up. A number is the place of
/// the pattern in the table; the least one counts.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    /// The row of each pattern.
    row_of: Vec<usize>,
    /// Names, and paths of at most [`LONGEST`] names, at any depth.
    anywhere: Numbers,
    /// The same from the root.
    at_root: Numbers,
    /// `NAME.*`: what a name begins with.
    starts: Numbers,
    /// `*.NAME`: what a name ends with.
    ends: Numbers,
    /// Files of exactly this name.
    exact: Numbers,
    /// Every other pattern.
    wild: Option<PatternSet>,
    wild_of: Vec<usize>,
}

type Numbers = HashMap<String, usize, FxBuildHasher>;

/// Most names of a path in the table without wildcards.
const LONGEST: usize = 4;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    let mut wild = Vec::new();
    for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(listed) = line.strip_prefix(' ') {
            listed.split_ascii_whitespace().for_each(|pattern| wild.extend(table.add(pattern)));
        } else {
            table.rows.extend(row(line));
        }
    }
    let patterns = PatternSet::new(wild.iter().map(String::as_str), Case::Folded);
    table.wild = Some(patterns.expect("a test reads the table"));
    table
});

const TEXT: &str = include_str!("../../../rules/tool-files.txt");

impl Table {
    /// Adds a pattern to the map of its shape; gives it back as a glob if it has none.
    fn add(&mut self, pattern: &str) -> Option<String> {
        let number = self.row_of.len();
        self.row_of.push(self.rows.len().saturating_sub(1));
        let lower = pattern.to_ascii_lowercase();
        let bare = lower.trim_end_matches('/');
        let is_wild = |text: &str| text.contains(['*', '?', '[']);
        let (map, key) = if let Some(name) = pattern.strip_prefix('=') {
            (&mut self.exact, name)
        } else if let Some(path) = bare.strip_prefix('/').filter(|path| !is_wild(path)) {
            (&mut self.at_root, path)
        } else if !is_wild(bare) {
            (&mut self.anywhere, bare)
        } else if let Some(start) = bare.strip_suffix('*').filter(|text| is_whole_part(text, text.ends_with('.'))) {
            (&mut self.starts, start)
        } else if let Some(end) = bare.strip_prefix('*').filter(|text| is_whole_part(text, text.starts_with('.'))) {
            (&mut self.ends, end)
        } else {
            self.wild_of.push(number);
            return Some(at_any_depth(pattern));
        };
        map.entry(key.to_owned()).or_insert(number);
        None
    }

    /// The row of the first pattern that covers a path.
    fn find(&self, path: &str, name: &str) -> Option<&Row> {
        let folded = fold_case(path);
        let mut starts: Vec<usize> = vec![0];
        starts.extend(memchr::memchr_iter(b'/', folded.as_bytes()).map(|at| at + 1));
        let ends: Vec<usize> = starts.iter().skip(1).map(|at| at - 1).chain([folded.len()]).collect();
        let mut least = self.exact.get(name).copied();
        let mut take = |number: Option<&usize>| least = least.into_iter().chain(number.copied()).min();
        for (place, &start) in starts.iter().enumerate() {
            for &end in ends.iter().skip(place).take(LONGEST) {
                take(folded.get(start..end).and_then(|part| self.anywhere.get(part)));
            }
            let end = ends.get(place).copied().unwrap_or(folded.len());
            take(folded.get(..end).and_then(|part| self.at_root.get(part)));
            let part = folded.get(start..end).unwrap_or_default();
            for dot in memchr::memchr_iter(b'.', part.as_bytes()) {
                take(part.get(..=dot).and_then(|start| self.starts.get(start)));
                take(part.get(dot..).and_then(|end| self.ends.get(end)));
            }
        }
        let wild = self.wild.as_ref().and_then(|wild| wild.find_rule(path));
        take(wild.and_then(|wild| self.wild_of.get(wild)));
        least.and_then(|number| self.rows.get(*self.row_of.get(number)?))
    }
}

/// Whether a wildcard stands beside a dot, and is the only one in a single name.
fn is_whole_part(text: &str, beside_dot: bool) -> bool {
    beside_dot && text.len() > 1 && !text.contains(['*', '?', '[', '/'])
}

fn row(line: &'static str) -> Option<Row> {
    let mut cells = line.split(" | ");
    let (rule, tool, why) = (cells.next()?, cells.next()?, cells.next()?);
    let kind = KINDS.iter().find(|kind| kind.rule == rule)?;
    Some(Row { kind, tool, why })
}

/// A tool may be started in any folder, so its files may be anywhere.
fn at_any_depth(pattern: &str) -> String {
    let has_folders = pattern.trim_end_matches('/').contains('/');
    let anchored = pattern.starts_with('/') || pattern.starts_with("**/");
    if has_folders && !anchored { format!("**/{pattern}") } else { pattern.to_owned() }
}

/// The violation of a change to a file that a tool reads or runs because of its name.
pub(super) fn check(path: &RepoPath) -> Option<(Group, Violation)> {
    let Some(Row { kind, tool, why }) = TABLE.find(path.as_str(), path.file_name()) else { return unlisted(path) };
    // What an agent reads is a prompt, and prompts are what gephost repairs.
    if kind.rule == "agent-hooks" && is_prompt(path.file_name()) {
        return None;
    }
    let violation = Violation::reject(kind.rule, message(tool, why), "").at(path);
    Some((kind.group, Violation { severity: kind.severity, ..violation }))
}

/// The violation of a change to a file of no known tool, whose name has the shape of one. Manifests and lists of
/// dependencies have rules of their own, which say more.
fn unlisted(path: &RepoPath) -> Option<(Group, Violation)> {
    let why = tool_shapes::of_tool(path)?;
    let lists = |rule: &FileRule| rule.rule.id.starts_with("dependency-line") && rule.covers(path);
    if manifest::is_one(path) || rules::of_files().iter().any(lists) {
        return None;
    }
    let message = format!("{why}: tools read such files as their settings");
    let violation = Violation::reject("tool-setting", message, "").at(path);
    Some((Group::ToolFiles, Violation { severity: Severity::Flag, ..violation }))
}

fn is_prompt(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.rsplit_once('.').is_some_and(|(_, extension)| ["md", "mdc", "mdx"].contains(&extension))
}

fn message(tool: &str, why: &str) -> String {
    format!("the file belongs to {tool}: {why}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn rule(path: &str) -> Option<&'static str> {
        let path = RepoPath::new(path).expect("a path");
        let (_, violation) = check(&path)?;
        KINDS.iter().map(|kind| kind.rule).find(|rule| *rule == violation.rule)
    }

    #[test]
    fn every_row_is_read_and_no_pattern_stands_twice() {
        let lines = || TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let heads = lines().filter(|line| !line.starts_with(' ')).count();
        assert_eq!(TABLE.rows.len(), heads, "a row has no known rule");
        let patterns: Vec<&str> =
            lines().filter(|line| line.starts_with(' ')).flat_map(str::split_ascii_whitespace).collect();
        assert_eq!(patterns.iter().collect::<BTreeSet<_>>().len(), patterns.len(), "a pattern stands twice");
        assert!(patterns.len() > 1_000, "{}", patterns.len());
        for row in &TABLE.rows {
            assert!(!row.tool.is_empty() && row.why.contains(' '), "{}: {}", row.tool, row.why);
        }
    }

    /// Whatever a pattern spells out is found, below a folder too and in any letter case.
    #[test]
    fn every_pattern_covers_what_it_spells() {
        let mut kind = "";
        let mut silent = Vec::new();
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Some(listed) = line.strip_prefix(' ') else {
                kind = line.split(" | ").next().unwrap_or_default();
                continue;
            };
            for pattern in listed.split_ascii_whitespace() {
                let name = pattern.trim_start_matches(['/', '=']).replace("**/", "x/").replace('*', "x");
                let file = if name.ends_with('/') { format!("{name}a.json") } else { name };
                let below = format!("pkg/{file}");
                let places = if pattern.starts_with('/') { vec![file] } else { vec![file, below] };
                silent.extend(places.into_iter().filter(|place| rule(place).is_none()).map(|place| (kind, place)));
            }
        }
        assert!(silent.is_empty(), "{silent:?}");
    }

    #[test]
    fn names_that_only_look_like_it_are_not_covered() {
        for path in [
            "docs/envrc.md",
            "src/customize.py",
            "docs/ci.md",
            ".github/ISSUE_TEMPLATE/bug.md",
            "src/jenkins.py",
            "src/hooks/useX.ts",
            "husky.md",
            "CLAUDE.md",
            "AGENTS.md",
            ".claude/agents/x.md",
            ".claude/commands/review.md",
            ".cursor/rules/style.mdc",
            ".github/copilot-instructions.md",
            "mcp.json",
            "src/builder.rs",
            "src/setup.rs",
            "src/lock.py",
            "file.lock",
            "cargo/x.rs",
            "tests/test_config.py",
            "docs/pytest.md",
            "src/jest.ts",
            "config.py",
            "src/build/mod.rs",
            "workspace/a.py",
            "targets/a.py",
            "src/owners/model.py",
            "package.json",
            "Cargo.toml",
            "pyproject.toml",
            "README.md",
            "src/profile.py",
            "app.json",
            "LICENSE",
            ".gitignore",
            ".editorconfig",
            "src/index.html",
            "locales/en/auth.json",
            "src/app/user.clj",
            "src/dot_product.py",
            "src/keystone.ts",
            "static/ace.js",
            "lib/metadata.rb",
            "deps/a.c",
            "src/inventory.py",
            "library/book.py",
            "docs/_templates/layout.html",
            "src/container.ts",
            "models/singularity.py",
            "src/components.json",
            "docs/pre-push.md",
            "src/run_once_guard.py",
            "src/singularity.rs",
        ] {
            assert_eq!(rule(path), None, "{path}");
        }
    }

    /// The maps say the same as one set of all patterns.
    #[test]
    fn the_maps_agree_with_globs() {
        let table = &*TABLE;
        let lines = TEXT.lines().filter(|line| line.starts_with(' '));
        let patterns: Vec<&str> = lines.flat_map(str::split_ascii_whitespace).collect();
        let globs: Vec<String> = patterns.iter().map(|pattern| at_any_depth(pattern.trim_start_matches('='))).collect();
        let set = PatternSet::new(globs.iter().map(String::as_str), Case::Folded).unwrap();
        let row = |number: usize| &table.rows[table.row_of[number]];
        let (mut wrong, mut count) = (Vec::new(), 0);
        for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('=')) {
            let name = pattern.trim_matches('/').replace("**/", "x/").replace('*', "y");
            for path in
                [name.clone(), format!("a/{name}"), format!("{name}/b.txt"), format!("q{name}"), format!("{name}z")]
            {
                count += 1;
                let by_set = set.find_rule(&path).filter(|&number| !patterns[number].starts_with('=')).map(row);
                let by_maps = table.find(&path, "-");
                if by_set.map(|row| (row.kind.rule, row.tool)) != by_maps.map(|row| (row.kind.rule, row.tool)) {
                    wrong.push(path);
                }
            }
        }
        assert!(wrong.is_empty() && count > 5_000, "{count}: {wrong:?}");
    }

    #[test]
    fn hidden_files_of_unknown_tools_are_settings() {
        for path in [".newtool/hooks/start", ".newtoolrc", "pkg/.newtool.yaml", ".agentx/config.toml", "a/.b/c.lua"] {
            assert_eq!(rule(path), Some("tool-setting"), "{path}");
        }
        for path in [
            ".agentx/commands/review.md",
            ".newtoolignore",
            "Gemfile",
            "sub/Pipfile",
            ".cursorrules",
            ".github/FUNDING.yml",
            ".github/ISSUE_TEMPLATE/bug.yml",
            ".env.example",
            "docs/.gitkeep",
            ".well-known/security.txt",
            "src/a.b/c.lua",
        ] {
            assert_eq!(rule(path), None, "{path}");
        }
    }

    #[test]
    fn the_first_pattern_counts() {
        assert_eq!(rule(".vscode/mcp.json"), Some("hook-file"));
        assert_eq!(rule("a/b/.claude/settings.json"), Some("agent-hooks"));
        assert_eq!(rule("BUILD"), Some("build-script"));
        assert_eq!(rule(".NPMRC"), Some("tool-config"));
    }
}

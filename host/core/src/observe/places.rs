//! Where agents keep their logs: one table. Whether anything is there is for the caller to look at.

use std::path::{Path, PathBuf};

/// The folders that an agent's places are told from.
#[derive(Debug, Clone, Copy)]
pub struct Bases<'a> {
    /// The project's root.
    pub project: &'a Path,
    /// `$HOME`.
    pub home: &'a Path,
    /// `$XDG_CONFIG_HOME`, or what stands for it.
    pub config: &'a Path,
    /// `$XDG_DATA_HOME`, or what stands for it.
    pub data: &'a Path,
}

#[derive(Debug, Clone, Copy)]
enum Base {
    Project,
    Home,
    Config,
    Data,
}

/// A file or folder in which an agent keeps logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose.
    pub agent: &'static str,
    /// Where.
    pub path: PathBuf,
    /// Whether it lies in the project.
    pub is_inside: bool,
}

/// Agents by the name that people call them, and where each keeps its logs. Several have moved over time.
const PLACES: &[(&str, Base, &str)] = &[
    ("Claude Code", Base::Home, ".claude/projects"),
    ("Claude Code", Base::Config, "claude/projects"),
    ("Codex", Base::Home, ".codex/sessions"),
    ("Codex", Base::Home, ".codex/archived_sessions"),
    ("Copilot CLI", Base::Home, ".copilot/session-state"),
    ("Copilot CLI", Base::Home, ".copilot/history-session-state"),
    ("pi", Base::Home, ".pi/agent/sessions"),
    ("OpenClaw", Base::Home, ".openclaw/agents"),
    ("Gemini CLI", Base::Home, ".gemini/tmp"),
    ("OpenCode", Base::Data, "opencode/storage"),
    ("nanobot", Base::Home, ".nanobot/workspace/sessions"),
    ("Geneclaw", Base::Home, ".nanobot/workspace/geneclaw/runs"),
    ("OpenHands", Base::Home, ".openhands/sessions"),
    ("OpenHands", Base::Home, ".openhands-state/sessions"),
    ("mini-swe-agent", Base::Config, "mini-swe-agent"),
    ("SWE-agent", Base::Project, "trajectories"),
    ("nanobot", Base::Project, "sessions"),
    ("Geneclaw", Base::Project, "geneclaw/runs"),
    ("aider", Base::Project, ".aider.chat.history.md"),
];

/// Every place that is known, in the order of the table, each path once.
pub fn places(bases: &Bases<'_>) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for &(agent, base, name) in PLACES {
        let base = match base {
            Base::Project => bases.project,
            Base::Home => bases.home,
            Base::Config => bases.config,
            Base::Data => bases.data,
        };
        let path = base.join(name);
        if found.iter().all(|place| place.path != path) {
            let is_inside = path.starts_with(bases.project);
            found.push(Place { agent, path, is_inside });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_their_bases_and_know_whether_they_are_inside() {
        let [project, home] = ["/w/p", "/home/me"].map(Path::new);
        let [config, data] = ["/xdg/config", "/xdg/data"].map(Path::new);
        let found = places(&Bases { project, home, config, data });
        let of = |agent: &str| {
            let of_agent = found.iter().filter(|place| place.agent == agent);
            of_agent.map(|place| (place.path.to_str().unwrap(), place.is_inside)).collect::<Vec<_>>()
        };
        assert_eq!(of("Claude Code"), [("/home/me/.claude/projects", false), ("/xdg/config/claude/projects", false)]);
        assert_eq!(of("OpenCode"), [("/xdg/data/opencode/storage", false)]);
        assert_eq!(of("aider"), [("/w/p/.aider.chat.history.md", true)]);
        // A project that is the home: what lies there is the project's, and nothing is listed twice.
        let same = places(&Bases { project: home, home, config: home, data: home });
        assert!(same.iter().all(|place| place.is_inside));
        let mut paths: Vec<_> = same.iter().map(|place| &place.path).collect();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), same.len());
    }
}

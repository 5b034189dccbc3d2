//! Where agents keep their logs: one table. The caller checks whether anything is there.

use std::path::{Path, PathBuf};

/// The folders in which agents keep their files.
#[derive(Debug, Clone, Copy)]
pub struct BaseFolders<'a> {
    /// Root of the project.
    pub project: &'a Path,
    /// `$HOME`.
    pub home: &'a Path,
    /// `$XDG_CONFIG_HOME` or its default.
    pub config: &'a Path,
    /// `$XDG_DATA_HOME` or its default.
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
pub struct LogLocation {
    /// Name of the agent.
    pub agent: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// Whether it is inside the project.
    pub is_inside: bool,
}

/// The agents under their common names, and where each keeps its logs. Some agents have changed the folder over time.
const LOCATIONS: &[(&str, Base, &str)] = &[
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

/// Every known location, in the order of the table, without duplicates.
pub fn log_locations(bases: &BaseFolders<'_>) -> Vec<LogLocation> {
    let mut found: Vec<LogLocation> = Vec::new();
    for &(agent, base, name) in LOCATIONS {
        let base = match base {
            Base::Project => bases.project,
            Base::Home => bases.home,
            Base::Config => bases.config,
            Base::Data => bases.data,
        };
        let path = base.join(name);
        if found.iter().all(|location| location.path != path) {
            let is_inside = path.starts_with(bases.project);
            found.push(LogLocation { agent, path, is_inside });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_follow_their_base_folders_and_know_whether_they_are_inside() {
        let [project, home] = ["/w/p", "/home/me"].map(Path::new);
        let [config, data] = ["/xdg/config", "/xdg/data"].map(Path::new);
        let found = log_locations(&BaseFolders { project, home, config, data });
        let of = |agent: &str| {
            let of_agent = found.iter().filter(|location| location.agent == agent);
            of_agent.map(|location| (location.path.to_str().unwrap(), location.is_inside)).collect::<Vec<_>>()
        };
        assert_eq!(of("Claude Code"), [("/home/me/.claude/projects", false), ("/xdg/config/claude/projects", false)]);
        assert_eq!(of("OpenCode"), [("/xdg/data/opencode/storage", false)]);
        assert_eq!(of("aider"), [("/w/p/.aider.chat.history.md", true)]);
        // If the project is the home folder, what is there belongs to the project and is listed once.
        let same = log_locations(&BaseFolders { project: home, home, config: home, data: home });
        assert!(same.iter().all(|location| location.is_inside));
        let mut paths: Vec<_> = same.iter().map(|location| &location.path).collect();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), same.len());
    }
}

//! Where agents keep their logs: one table. The caller checks whether anything is there.

use std::path::{Path, PathBuf};

use super::working_folder::{FolderField, ListedSessions, SeparateFolders};

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
    /// How its sessions say in which folder they worked.
    pub folder: FolderField,
}

/// The field that Claude Code, pi, `OpenClaw` and Droid write.
const CWD: FolderField = FolderField::Path(&["cwd"]);
const CODEX: FolderField = FolderField::Path(&["payload", "cwd"]);
const COPILOT: FolderField = FolderField::Path(&["data", "context", "cwd"]);
const GEMINI: FolderField = FolderField::Digest("projectHash");
/// The agent SDK's conversation; sessions of version 0 do not say it.
const OPENHANDS: FolderField = FolderField::Above("base_state.json", &["workspace", "working_dir"]);
/// Only if a folder was configured.
const MINI: FolderField = FolderField::Path(&["info", "config", "environment", "cwd"]);
const OPENCODE: FolderField = FolderField::SeparateFolders(SeparateFolders {
    sessions: "session",
    path: &["directory"],
    messages: "message",
    parts: "part",
});

const CLINE: FolderField = FolderField::Listed(ListedSessions {
    list: "state/taskHistory.json",
    id: "id",
    path: "cwdOnTaskInitialization",
    sessions: "tasks",
    log: "api_conversation_history.json",
});
/// The header of a session; newer versions keep sessions in a database.
const GOOSE: FolderField = FolderField::Path(&["working_dir"]);
/// What Roo Code and Kilo Code keep about a task; older versions do not say it.
const ROO: FolderField = FolderField::Above("history_item.json", &["workspace"]);

/// The agents under their common names, where each keeps its logs, and how a log says in which folder the agent worked.
/// Some agents have changed the folder over time.
const LOCATIONS: &[(&str, Base, &str, FolderField)] = &[
    ("Claude Code", Base::Home, ".claude/projects", CWD),
    ("Claude Code", Base::Config, "claude/projects", CWD),
    ("Codex", Base::Home, ".codex/sessions", CODEX),
    ("Codex", Base::Home, ".codex/archived_sessions", CODEX),
    ("Copilot CLI", Base::Home, ".copilot/session-state", COPILOT),
    ("Copilot CLI", Base::Home, ".copilot/history-session-state", COPILOT),
    ("pi", Base::Home, ".pi/agent/sessions", CWD),
    ("OpenClaw", Base::Home, ".openclaw/agents", CWD),
    ("Droid", Base::Home, ".factory/sessions", CWD),
    ("Amp", Base::Data, "amp/threads", FolderField::Unsaid),
    ("Gemini CLI", Base::Home, ".gemini/tmp", GEMINI),
    ("Qwen Code", Base::Home, ".qwen/projects", CWD),
    ("OpenCode", Base::Data, "opencode/storage", OPENCODE),
    ("OpenCode", Base::Data, "opencode/opencode.db", FolderField::Unsaid),
    ("nanobot", Base::Home, ".nanobot/workspace/sessions", FolderField::Unsaid),
    ("Geneclaw", Base::Home, ".nanobot/workspace/geneclaw/runs", FolderField::Unsaid),
    ("OpenHands", Base::Home, ".openhands/conversations", OPENHANDS),
    ("OpenHands", Base::Home, ".openhands/sessions", FolderField::Unsaid),
    ("OpenHands", Base::Home, ".openhands-state/sessions", FolderField::Unsaid),
    ("mini-swe-agent", Base::Config, "mini-swe-agent", MINI),
    ("Hermes", Base::Home, ".hermes/sessions", FolderField::Unsaid),
    ("Hermes", Base::Home, ".hermes/state.db", FolderField::Unsaid),
    ("Goose", Base::Data, "goose/sessions", GOOSE),
    ("Cline", Base::Config, "Code/User/globalStorage/saoudrizwan.claude-dev", CLINE),
    ("Cline", Base::Home, ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev", CLINE),
    ("Cline", Base::Home, ".cline/data", CLINE),
    ("Cline", Base::Home, ".cline/data/sessions", FolderField::Unsaid),
    ("Roo Code", Base::Config, "Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks", ROO),
    ("Roo Code", Base::Home, ".vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks", ROO),
    ("Kilo Code", Base::Config, "Code/User/globalStorage/kilocode.kilo-code/tasks", ROO),
    ("Kilo Code", Base::Home, ".vscode-server/data/User/globalStorage/kilocode.kilo-code/tasks", ROO),
    ("SpecStory", Base::Project, ".specstory/history", FolderField::Inside),
    ("SWE-agent", Base::Project, "trajectories", FolderField::Inside),
    ("nanobot", Base::Project, "sessions", FolderField::Inside),
    ("Geneclaw", Base::Project, "geneclaw/runs", FolderField::Inside),
    ("aider", Base::Project, ".aider.chat.history.md", FolderField::Inside),
];

/// Every known location, in the order of the table, without duplicates.
pub fn log_locations(bases: &BaseFolders<'_>) -> Vec<LogLocation> {
    let mut found: Vec<LogLocation> = Vec::new();
    for &(agent, base, name, folder) in LOCATIONS {
        let base = match base {
            Base::Project => bases.project,
            Base::Home => bases.home,
            Base::Config => bases.config,
            Base::Data => bases.data,
        };
        let path = base.join(name);
        if found.iter().all(|location| location.path != path) {
            let is_inside = path.starts_with(bases.project);
            found.push(LogLocation { agent, path, is_inside, folder });
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
        let of_opencode = [("/xdg/data/opencode/storage", false), ("/xdg/data/opencode/opencode.db", false)];
        assert_eq!(of("OpenCode"), of_opencode);
        assert_eq!(of("Amp"), [("/xdg/data/amp/threads", false)]);
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

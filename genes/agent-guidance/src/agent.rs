//! Which agent wrote a session, and which file of instructions it reads.

use std::collections::BTreeSet;

/// An agent and its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Agent {
    pub(crate) name: &'static str,
    /// Names of its tools, as its logs have them.
    tools: &'static [&'static str],
    /// The files that it reads, the first that exists is amended. The first is created if none exists; `None` in front of
    /// them means that none is created.
    pub(crate) files: &'static [&'static str],
    /// Whether the first file is created if none exists.
    pub(crate) creates: bool,
}

/// The agents, by the documentation of each.
const AGENTS: [Agent; 12] = [
    Agent {
        name: "Claude Code",
        tools: &[
            "Bash",
            "Read",
            "Edit",
            "Write",
            "MultiEdit",
            "Glob",
            "Grep",
            "Task",
            "Agent",
            "TodoWrite",
            "NotebookEdit",
            "WebFetch",
            "WebSearch",
            "ExitPlanMode",
            "BashOutput",
            "KillShell",
            "AskUserQuestion",
            "Skill",
            "TaskCreate",
            "TaskUpdate",
            "LS",
        ],
        files: &["CLAUDE.md", ".claude/CLAUDE.md"],
        creates: true,
    },
    Agent {
        name: "Codex",
        tools: &[
            "shell",
            "shell_command",
            "exec_command",
            "write_stdin",
            "apply_patch",
            "update_plan",
            "local_shell",
            "container.exec",
            "view_image",
            "request_user_input",
            "spawn_agent",
            "wait_agent",
            "close_agent",
        ],
        files: &["AGENTS.md"],
        creates: true,
    },
    Agent {
        name: "Gemini CLI",
        tools: &[
            "run_shell_command",
            "read_file",
            "write_file",
            "replace",
            "search_file_content",
            "glob",
            "list_directory",
            "read_many_files",
            "google_web_search",
            "web_fetch",
            "save_memory",
            "grep_search",
            "cli_help",
        ],
        files: &["GEMINI.md"],
        creates: true,
    },
    Agent {
        name: "Copilot CLI",
        tools: &[
            "bash",
            "view",
            "edit",
            "create",
            "report_intent",
            "read_bash",
            "write_bash",
            "stop_bash",
            "ask_user",
            "task",
            "grep",
            "glob",
            "store_memory",
            "update_todo",
            "sql",
            "skill",
        ],
        files: &[".github/copilot-instructions.md", "AGENTS.md"],
        creates: true,
    },
    Agent {
        name: "Cursor",
        tools: &[
            "run_terminal_cmd",
            "edit_file",
            "codebase_search",
            "search_replace",
            "read_file",
            "list_dir",
            "grep_search",
            "file_search",
            "delete_file",
            "read_lints",
            "todo_write",
            "run_terminal_command_v2",
            "edit_file_v2",
        ],
        files: &["AGENTS.md", ".cursorrules"],
        creates: true,
    },
    Agent {
        name: "OpenCode",
        tools: &[
            "bash",
            "read",
            "edit",
            "write",
            "glob",
            "grep",
            "list",
            "patch",
            "todowrite",
            "todoread",
            "task",
            "webfetch",
            "multiedit",
            "lsp_hover",
            "question",
            "skill",
        ],
        files: &["AGENTS.md", "CLAUDE.md"],
        creates: true,
    },
    Agent { name: "Pi", tools: &["bash", "read", "edit", "write"], files: &["AGENTS.md", "CLAUDE.md"], creates: true },
    Agent {
        name: "OpenHands",
        tools: &[
            "execute_bash",
            "str_replace_editor",
            "execute_ipython_cell",
            "think",
            "finish",
            "task_tracker",
            "terminal",
            "file_editor",
            "browser",
            "run",
            "run_ipython",
        ],
        files: &["AGENTS.md", ".openhands/microagents/repo.md"],
        creates: true,
    },
    Agent {
        name: "Cline",
        tools: &[
            "execute_command",
            "write_to_file",
            "replace_in_file",
            "read_file",
            "apply_diff",
            "list_files",
            "search_files",
            "attempt_completion",
            "ask_followup_question",
            "use_mcp_tool",
            "insert_content",
            "update_todo_list",
        ],
        files: &["AGENTS.md", ".clinerules"],
        creates: true,
    },
    Agent {
        name: "aider",
        // Our reader of its chats gives these names.
        tools: &["edit", "run"],
        // It reads the files that its config names; by convention this one.
        files: &["CONVENTIONS.md"],
        creates: false,
    },
    Agent {
        name: "SWE-agent",
        tools: &[
            "open",
            "goto",
            "scroll_down",
            "scroll_up",
            "create",
            "edit",
            "search_dir",
            "search_file",
            "find_file",
            "submit",
            "str_replace_editor",
            "python",
            "ls",
            "cat",
            "cd",
        ],
        files: &[],
        creates: false,
    },
    // Nobody knows which agent it was; many read this file.
    Agent { name: "the agent", tools: &[], files: &["AGENTS.md", "CLAUDE.md", "GEMINI.md"], creates: false },
];

/// Whether this is the name of a tool of an agent in the table.
pub(crate) fn is_tool(name: &str) -> bool {
    AGENTS.iter().any(|agent| agent.tools.contains(&name))
}

impl Agent {
    /// The agent of a session with these tools. A tool that only one agent has says more than any number of common ones;
    /// otherwise at least two tools must be known, and of the agents with equally many the one with the fewest others is
    /// meant. The last row if nothing says which it was.
    pub(crate) fn of(tools: &BTreeSet<String>) -> &'static Self {
        let [known @ .., unknown] = &AGENTS;
        let has = |agent: &Self, tool: &String| agent.tools.contains(&tool.as_str());
        let is_unique = |tool: &String| known.iter().filter(|agent| has(agent, tool)).count() == 1;
        let score = |agent: &Self| {
            let own = || tools.iter().filter(|tool| has(agent, tool));
            (own().filter(|tool| is_unique(tool)).count(), own().count(), usize::MAX - agent.tools.len())
        };
        let best = known.iter().max_by_key(|agent| score(agent));
        best.filter(|agent| score(agent).0 > 0 || score(agent).1 > 1).unwrap_or(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_tell_the_agent() {
        for (tools, name) in [
            (&["Bash", "Read", "mcp__x__y"][..], "Claude Code"),
            (&["exec_command", "apply_patch"], "Codex"),
            (&["run_shell_command", "replace", "read_file"], "Gemini CLI"),
            (&["bash", "view", "report_intent"], "Copilot CLI"),
            (&["bash", "read", "edit", "write"], "Pi"),
            (&["bash", "read", "edit", "todowrite"], "OpenCode"),
            (&["execute_bash", "str_replace_editor"], "OpenHands"),
            (&["run_terminal_cmd", "read_file"], "Cursor"),
            (&["edit", "run"], "aider"),
            (&["edit"], "the agent"),
            (&["something"], "the agent"),
            (&[], "the agent"),
        ] {
            let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
            assert_eq!(Agent::of(&tools).name, name, "{tools:?}");
        }
    }

    #[test]
    fn the_files_are_those_that_init_allows() {
        for (name, files) in gephost_core::starter::INSTRUCTIONS {
            let agent = AGENTS.iter().find(|agent| agent.name.eq_ignore_ascii_case(name));
            assert_eq!(agent.map(|agent| (agent.files, agent.creates)), Some((*files, true)), "{name}");
        }
    }
}

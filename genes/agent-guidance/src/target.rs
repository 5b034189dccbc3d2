//! The file of instructions that an agent reads, if it can be amended.

use crate::agent::Agent;
use crate::document::Document;
use crate::input::{Entry, MAX_FILE, Workspace};

/// Most other files that are read for what they say already.
const MAX_OTHERS: usize = 24;

/// A file of instructions.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) path: String,
    /// Whether the file is there.
    pub(crate) exists: bool,
    pub(crate) document: Document,
    /// Lines of this file, of the files that it imports, and of the other instructions in the workspace.
    pub(crate) said: Vec<String>,
}

/// The file to amend for an agent. Notes why there is none.
pub(crate) fn target(agent: &Agent, named: Option<&str>, workspace: &mut impl Workspace) -> Option<Target> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => existing(agent, workspace).or_else(|| created(agent, workspace))?,
    };
    let mut target = read(path, workspace)?;
    if let Some(import) = target.document.only_import().map(|path| path.trim_start_matches("./").to_owned()) {
        target = read(import, workspace)?;
    }
    target.said = said(&target, agent, workspace);
    Some(target)
}

/// The first of the agent's files that is there.
fn existing(agent: &Agent, workspace: &mut impl Workspace) -> Option<String> {
    let gemini = if agent.name == "Gemini CLI" { gemini_files(workspace) } else { Vec::new() };
    let files = gemini.iter().map(String::as_str).chain(agent.files.iter().copied());
    files.map(str::to_owned).find(|file| matches!(workspace.entry(file), Some(Entry::File { .. } | Entry::Link)))
}

/// The file to create for an agent that has none.
fn created(agent: &Agent, workspace: &mut impl Workspace) -> Option<String> {
    let first = agent.files.first().filter(|_| agent.creates);
    if first.is_none() {
        workspace.note(&format!("no file of instructions is known that {} reads in this workspace", agent.name));
    }
    first.map(|file| (*file).to_owned())
}

/// The names that `.gemini/settings.json` gives the file of instructions.
fn gemini_files(workspace: &mut impl Workspace) -> Vec<String> {
    let text = workspace.text(".gemini/settings.json").unwrap_or_default();
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let names = settings.pointer("/context/fileName").or_else(|| settings.get("contextFileName"));
    match names {
        Some(serde_json::Value::String(name)) => vec![name.clone()],
        Some(serde_json::Value::Array(names)) => {
            names.iter().filter_map(serde_json::Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// The file at this path, unless it is to be left alone.
fn read(path: String, workspace: &mut impl Workspace) -> Option<Target> {
    let reason = match workspace.entry(&path) {
        None => {
            return Some(Target { path, exists: false, document: Document::of(""), said: Vec::new() });
        }
        Some(Entry::Link) => "it is a link",
        Some(Entry::Folder) => "it is a folder",
        Some(Entry::File { size }) if size > MAX_FILE => "it is too large",
        Some(Entry::File { .. }) => match workspace.text(&path) {
            None => "it is not UTF-8",
            Some(text) if has_mixed_ends(&text) => "its lines end in two different ways",
            Some(text) => {
                let document = Document::of(&text);
                if !document.is_generated() {
                    return Some(Target { path, exists: true, document, said: Vec::new() });
                }
                "it says that a program writes it"
            }
        },
    };
    workspace.note(&format!("{path} is left alone: {reason}"));
    None
}

fn has_mixed_ends(text: &str) -> bool {
    let all = text.matches('\n').count();
    let windows = text.matches("\r\n").count();
    windows != 0 && windows != all
}

/// What the agent is told already, here and in other files.
fn said(target: &Target, agent: &Agent, workspace: &mut impl Workspace) -> Vec<String> {
    let folder = target.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = |path: &str| {
        let path = path.trim_start_matches("./");
        if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
    };
    let mut files: Vec<String> = target.document.imports().into_iter().map(beside).collect();
    files.extend(agent.files.iter().map(|file| (*file).to_owned()));
    for name in ["AGENTS.md", "CLAUDE.md"] {
        files.extend(workspace.named(name));
    }
    files.sort();
    files.dedup();
    let mut said: Vec<String> = target.document.said().map(str::to_owned).collect();
    for file in files.iter().filter(|file| **file != target.path).take(MAX_OTHERS) {
        if let Some(text) = workspace.text(file) {
            said.extend(Document::of(&text).said().map(str::to_owned));
        }
    }
    said
}

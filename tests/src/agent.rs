//! A small agent: the three tools that every coding agent has, with the rules of the real ones, and the log that its session
//! leaves.
//!
//! Its commands run for real in one folder, with only the programs that it is given. So a call of a log can be made again,
//! and fails or works for the same reason.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::python;

/// Programs that the agent has, if the machine has them.
const PROGRAMS: [&str; 8] = ["bash", "cat", "find", "grep", "ls", "mkdir", "python3", "sed"];

/// A call of a tool, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// `Bash`, `Read` or `Edit`.
    pub tool: &'static str,
    /// What the agent asked for.
    pub input: Value,
    /// What it saw.
    pub output: String,
    /// Whether the tool says that it failed.
    pub failed: bool,
}

/// The tools in one folder. As in the real ones, `cd` lasts from one command to the next, and an edit needs a read.
#[derive(Debug)]
pub struct Agent {
    root: TempDir,
    programs: TempDir,
    /// Where the shell is.
    folder: PathBuf,
    read: BTreeSet<PathBuf>,
}

/// The programs of this machine, by name.
static FOUND: LazyLock<Vec<(&str, PathBuf)>> = LazyLock::new(|| {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        |program: &str| std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
    let itself =
        |program: &'static str| if program == "python3" { python().map(Path::to_owned) } else { found(program) };
    PROGRAMS.iter().filter_map(|program| Some((*program, itself(program)?))).collect()
});

impl Agent {
    /// In a folder with these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let (root, programs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        for (path, text) in files {
            let file = root.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        for (program, file) in FOUND.iter() {
            symlink(file, programs.path().join(program)).unwrap();
        }
        let folder = root.path().canonicalize().unwrap();
        Self { root, programs, folder, read: BTreeSet::new() }
    }

    /// Where the project is.
    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// Where the shell is, from the project's root.
    pub fn folder(&self) -> PathBuf {
        self.folder.strip_prefix(self.root()).unwrap().to_owned()
    }

    /// Makes a call. Paths of files are from the root; the log has them absolute, as real ones do.
    pub fn call(&mut self, tool: &'static str, input: Value) -> Call {
        let said = match tool {
            "Bash" => self.bash(input["command"].as_str().unwrap()),
            "Read" => self.read(input["file_path"].as_str().unwrap()),
            "Edit" => self.edit(&input),
            _ => panic!("no tool {tool}"),
        };
        let failed = said.is_err();
        Call { tool, input, output: said.unwrap_or_else(|output| output), failed }
    }

    fn bash(&mut self, command: &str) -> Result<String, String> {
        let place = self.programs.path().join("folder");
        let script = format!("{command}\ncode=$?\npwd > {}\nexit $code", place.display());
        let ran = Command::new(self.programs.path().join("bash"))
            .args(["-c", &script])
            .env_clear()
            .env("PATH", self.programs.path())
            .current_dir(&self.folder)
            .output()
            .unwrap();
        let text = [ran.stdout, ran.stderr].concat();
        let text = String::from_utf8_lossy(&text).replace(&*self.programs.path().to_string_lossy(), "/bin");
        if let Ok(folder) = fs::read_to_string(&place) {
            self.folder = PathBuf::from(folder.trim_end());
        }
        if ran.status.success() {
            return Ok(text);
        }
        Err(format!("Exit code {}\n{text}", ran.status.code().unwrap_or(1)))
    }

    fn read(&mut self, path: &str) -> Result<String, String> {
        let file = self.root().join(path);
        let text = fs::read_to_string(&file).map_err(|_| "File does not exist.".to_owned())?;
        self.read.insert(file);
        Ok((1..).zip(text.lines()).map(|(number, line)| format!("{number:>6}\u{2192}{line}\n")).collect())
    }

    fn edit(&mut self, input: &Value) -> Result<String, String> {
        let text = |key: &str| input[key].as_str().unwrap();
        let refused = |why: &str| Err(format!("<tool_use_error>{why}</tool_use_error>"));
        let file = self.root().join(text("file_path"));
        if !self.read.contains(&file) {
            return refused("File has not been read yet. Read it first before writing to it.");
        }
        let content = fs::read_to_string(&file).unwrap();
        let (old, new) = (text("old_string"), text("new_string"));
        match content.matches(old).count() {
            0 => refused(&format!("String to replace not found in file.\nString: {old}")),
            1 => {
                fs::write(&file, content.replace(old, new)).unwrap();
                Ok(format!("The file {} has been updated.", text("file_path")))
            }
            count => refused(&format!("Found {count} matches of the string to replace, but replace_all is false.")),
        }
    }
}

/// The log of a session, as Claude Code writes it.
pub fn log(session: &str, day: u32, root: &Path, calls: &[Call]) -> String {
    let time = |n: usize| format!("2026-03-{day:02}T10:{:02}:{:02}Z", n / 60, n % 60);
    let line = |n: usize, kind: &str, content: Value| {
        let role = if kind == "user" { "user" } else { "assistant" };
        json!({
            "type": kind, "uuid": format!("{session}-{n}"), "sessionId": session, "cwd": root, "timestamp": time(n),
            "message": { "role": role, "content": content },
        })
        .to_string()
            + "\n"
    };
    let mut text = line(0, "user", json!("go on"));
    for (n, call) in calls.iter().enumerate() {
        let id = format!("{session}-t{n}");
        let mut input = call.input.clone();
        if let Some(path) = input.get_mut("file_path") {
            *path = json!(root.join(path.as_str().unwrap()));
        }
        let made = json!([{ "type": "tool_use", "id": id, "name": call.tool, "input": input }]);
        let result =
            json!([{ "type": "tool_result", "tool_use_id": id, "is_error": call.failed, "content": call.output }]);
        text += &(line(2 * n + 1, "assistant", made) + &line(2 * n + 2, "user", result));
    }
    text
}

//! What a call does, as far as comparing it needs: edit or read a file, or run commands.

use std::borrow::Cow;

use super::kind::Difference;
use crate::outcome::shell::{Join, split, without_prefixes};

/// Most bytes of a command that are read.
const MAX_COMMAND_BYTES: usize = 4096;
/// Keys under which tools take the path of a file.
const PATH_KEYS: [&str; 7] =
    ["file_path", "path", "filePath", "target_file", "notebook_path", "absolute_path", "filename"];
/// Keys under which tools take a command.
const COMMAND_KEYS: [&str; 4] = ["command", "cmd", "script", "code"];
/// Words that start another program: they are part of how it is started.
const WRAPPERS: [&[&str]; 15] = [
    &["npx"],
    &["bunx"],
    &["uvx"],
    &["pipx", "run"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["hatch", "run"],
    &["pdm", "run"],
    &["bundle", "exec"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["yarn", "exec"],
    &["npm", "exec"],
    &["mise", "exec"],
];
/// Programs that only prepare the work of others.
const PREPARING: [&str; 14] =
    ["cd", "pushd", "popd", "echo", "printf", "export", "set", "unset", "source", ".", "sleep", "true", ":", "pwd"];
/// Programs that only shorten or search the output of others, behind a pipe.
const FILTERS: [&str; 16] = [
    "head", "tail", "grep", "egrep", "rg", "cat", "tee", "wc", "sort", "uniq", "sed", "awk", "jq", "cut", "tr", "less",
];

/// What a call does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action<'a> {
    /// Edits or writes this file.
    Edit(Cow<'a, str>),
    /// Reads this file or lists this folder.
    Read(Cow<'a, str>),
    /// Runs commands.
    Run(Vec<Step>),
    /// Anything else; the name of the tool.
    Other(&'a str),
}

/// One program of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Step {
    /// The folder of the last `cd` before it, as it was written; empty if there was none.
    pub(super) folder: String,
    /// Seconds of a `timeout` before it, as it was written; empty if there was none.
    pub(super) time_limit: String,
    /// What starts the program, for example `uv run` or `python -m`; empty if nothing does.
    pub(super) wrapper: String,
    /// The program as it was written.
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

impl Step {
    /// How the program is started: `python3`, `uv run mypy`.
    pub(super) fn start(&self) -> String {
        format!("{} {}", self.wrapper, self.program).trim().to_owned()
    }
}

impl<'a> Action<'a> {
    /// What a call of this tool with this input does.
    pub(super) fn of(tool: &'a str, input: &'a str) -> Self {
        let name = tool.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let is_object = input.trim_start().starts_with('{');
        if let Some(path) = patched(input) {
            return Self::Edit(Cow::Borrowed(path));
        }
        let path = || PATH_KEYS.iter().find_map(|key| field(input, key)).filter(|_| is_object);
        let bare = || {
            let line = input.trim();
            (!is_object && !line.is_empty() && !line.contains('\n')).then_some(Cow::Borrowed(line))
        };
        if has(&["edit", "write", "replace", "create_file", "patch"]) {
            return path().or_else(bare).map_or(Self::Other(tool), Self::Edit);
        }
        if has(&["read", "view", "open", "list", "cat"]) || name == "ls" {
            return path().or_else(bare).map_or(Self::Other(tool), Self::Read);
        }
        let command =
            if is_object { COMMAND_KEYS.iter().find_map(|key| field(input, key)) } else { Some(input.into()) };
        match command.map(|command| steps(&command)) {
            Some(steps) if !steps.is_empty() => Self::Run(steps),
            _ => path().map_or(Self::Other(tool), Self::Read),
        }
    }

    /// Whether this has what a correction of this kind puts in place of something else.
    pub(super) fn uses(&self, difference: Difference, after: &str) -> bool {
        let Self::Run(steps) = self else { return false };
        let has_words = |step: &Step| {
            let has = |word: &str| step.arguments.iter().any(|argument| argument == word);
            !after.is_empty() && after.split(' ').all(has)
        };
        steps.iter().any(|step| match difference {
            Difference::Program => step.start() == after,
            Difference::Directory => !after.is_empty() && step.folder == after,
            Difference::TimeLimit => !after.is_empty() && step.time_limit == after,
            Difference::Options | Difference::Path | Difference::Input => has_words(step),
            Difference::Subcommand => {
                let (program, name) = after.split_once(' ').unwrap_or((after, ""));
                step.program == program && step.arguments.iter().any(|argument| argument == name)
            }
            Difference::Repeated | Difference::Later | Difference::ReadBefore | Difference::Whitespace => false,
        })
    }

    /// Whether this is an edit.
    pub(super) fn edits(&self) -> bool {
        matches!(self, Self::Edit(_))
    }

    /// Whether this changes what later commands find: it edits a file, or installs or fetches something.
    pub(super) fn changes_something(&self) -> bool {
        const INSTALL: [&str; 9] = ["add", "ci", "fetch", "get", "i", "install", "restore", "sync", "update"];
        const INSTALLERS: [&str; 24] = [
            "apk", "apt", "apt-get", "brew", "bun", "bundle", "cargo", "choco", "composer", "conda", "dnf", "dotnet",
            "gem", "go", "mix", "npm", "pdm", "pip", "pip3", "pnpm", "poetry", "uv", "winget", "yarn",
        ];
        const WRITE: [&str; 7] = ["chmod", "cp", "ln", "mkdir", "mv", "patch", "rm"];
        match self {
            Self::Edit(_) => true,
            Self::Run(steps) => steps.iter().any(|step| {
                let program = step.program.as_str();
                let installs = || step.arguments.iter().take(2).any(|word| INSTALL.contains(&word.as_str()));
                let in_place = || program == "sed" && step.arguments.iter().any(|word| word.starts_with("-i"));
                WRITE.contains(&program) || INSTALLERS.contains(&program) && installs() || in_place()
            }),
            Self::Read(_) | Self::Other(_) => false,
        }
    }

    /// Whether each step of this is one of the other call, which has more of them: this is a part of it.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        let (Self::Run(steps), Self::Run(all)) = (self, other) else { return false };
        steps.len() < all.len() && steps.iter().all(|step| all.contains(step))
    }

    /// Whether this is an edit, and the other call reads its file.
    pub(super) fn is_read_by(&self, other: &Self) -> bool {
        let Self::Edit(path) = self else { return false };
        match other {
            Self::Read(read) => read == path,
            Self::Run(steps) => {
                let reads = |step: &Step| matches!(step.program.as_str(), "cat" | "sed" | "head" | "tail" | "nl");
                let names =
                    |word: &String| !word.is_empty() && (path.ends_with(word.as_str()) || word.ends_with(&**path));
                steps.iter().any(|step| reads(step) && step.arguments.iter().any(names))
            }
            Self::Edit(_) | Self::Other(_) => false,
        }
    }
}

/// The first file of a patch in the form of `apply_patch`.
fn patched(input: &str) -> Option<&str> {
    let (_, rest) = input.split_once("*** Update File: ")?;
    let end = rest.find(['\n', '\\']).unwrap_or(rest.len());
    rest.get(..end).map(str::trim).filter(|path| !path.is_empty())
}

/// The value of a text member of a JSON object that may be cut off. Only the usual escapes are resolved, because the
/// value is only compared.
fn field<'t>(input: &'t str, key: &str) -> Option<Cow<'t, str>> {
    let quoted = format!("\"{key}\"");
    let (_, rest) = input.split_once(quoted.as_str())?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = rest.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let raw = rest.get(..end.unwrap_or(rest.len()))?;
    if !raw.contains('\\') {
        return Some(Cow::Borrowed(raw));
    }
    Some(Cow::Owned(raw.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// The programs of a command line, without those that only prepare the work or shorten the output of others.
fn steps(command: &str) -> Vec<Step> {
    let command = command.get(..command.floor_char_boundary(MAX_COMMAND_BYTES)).unwrap_or_default();
    let mut folder = String::new();
    let mut activated = String::new();
    let mut steps = Vec::new();
    for (join, words) in split(inner(command).as_deref().unwrap_or(command)) {
        let time_limit = time_limit(&words);
        let words = without_prefixes(words);
        let Some(program) = words.first() else { continue };
        if program == "cd" {
            folder = words.get(1).cloned().unwrap_or_default();
        }
        if let Some(environment) = activates(&words) {
            activated = environment;
            continue;
        }
        let is_filter = join == Join::Pipe && FILTERS.contains(&program.as_str());
        if !is_filter && !PREPARING.contains(&program.as_str()) {
            let (wrapper, words) = unwrapped(&words);
            let (program, arguments) = words
                .split_first()
                .map_or((String::new(), Vec::new()), |(program, rest)| (program.clone(), rest.to_vec()));
            let wrapper = if wrapper.is_empty() { activated.clone() } else { wrapper };
            steps.push(Step { folder: folder.clone(), time_limit, wrapper, program, arguments });
        }
    }
    steps
}

/// What opens an environment for the programs behind it: `source .venv/bin/activate &&`.
fn activates(words: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["source" | ".", script] if script.ends_with("/activate") => Some(format!("source {script} &&")),
        ["conda", "activate", name] => Some(format!("conda activate {name} &&")),
        _ => None,
    }
}

/// The command in `bash -lc "…"`, or in the list `["bash","-lc","…"]` that some agents log.
fn inner(command: &str) -> Option<String> {
    let words = split(command.trim_start().trim_start_matches('[').trim_end_matches(']')).into_iter().next()?.1;
    let mut words = words.iter().map(|word| word.trim_matches(','));
    let shell = words.next()?.rsplit('/').next()?.to_owned();
    let option = words.next()?;
    let is_shell = matches!(shell.as_str(), "bash" | "sh" | "zsh" | "bash,-lc,") && option.starts_with('-');
    let rest = words.next().filter(|_| is_shell && option.ends_with('c'))?;
    Some(rest.to_owned())
}

fn time_limit(words: &[String]) -> String {
    let mut words = words.iter().skip_while(|word| !matches!(word.as_str(), "timeout" | "gtimeout")).skip(1);
    words.find(|word| !word.starts_with('-')).cloned().unwrap_or_default()
}

/// What starts the program, and the program with its arguments.
fn unwrapped(words: &[String]) -> (String, &[String]) {
    for wrapper in WRAPPERS {
        if words.len() > wrapper.len() && words.iter().zip(wrapper).all(|(word, part)| word == part) {
            let rest = words.get(wrapper.len()..).unwrap_or_default();
            // Options of the wrapper, such as `npx --yes`.
            let options = rest.iter().take_while(|word| word.starts_with('-')).count();
            if let Some(rest) = rest.get(options..).filter(|rest| !rest.is_empty()) {
                return (wrapper.join(" "), rest);
            }
        }
    }
    match words {
        [python, option, rest @ ..] if is_python(python) && option == "-m" && !rest.is_empty() => {
            (format!("{python} -m"), rest)
        }
        _ => (String::new(), words),
    }
}

fn is_python(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.strip_prefix("python").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

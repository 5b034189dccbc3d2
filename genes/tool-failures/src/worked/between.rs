//! What the agent changed between a failed call and the one that worked: files, packages, the repository, servers.

use crate::call::{Call, is_editor};
use crate::command::shell::acts;
use crate::output::names;
use crate::output::vocabulary::Words;
use crate::worked::added;
use crate::worked::cures::{MAX_CURES, cures, is_of_files};

/// Most edited files that are known.
const MAX_FILES: usize = 3;
/// What the commands that install something have in common.
pub(crate) static INSTALLS: Words =
    Words::of(&[" install ", " add ", " get ", "uv sync", " ci", "npx playwright", "npm install"]);
/// What programs print that had nothing to do.
static NOTHING_DONE: Words = Words::of(&[
    "already satisfied",
    "already installed",
    "lready up to date",
    "lready up-to-date",
    "already the newest version",
    "up to date, audited",
    "othing to do",
    "othing to be done",
]);
/// What they print that did something all the same.
static DONE: Words = Words::of(&["uccessfully installed", "Installed ", "added ", "Setting up "]);
/// Longest command that is shown, in bytes.
const MAX_COMMAND: usize = 100;
/// Only this many bytes of a command are read.
const READ_BYTES: usize = 2048;
/// Acts of git that change the repository or the files in it.
const GIT: [&str; 17] = [
    "commit", "stash", "add", "checkout", "switch", "merge", "pull", "rebase", "reset", "clean", "restore", "rm", "mv",
    "fetch", "clone", "init", "worktree",
];

/// What lies between two calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Between {
    /// The edited files, each with the number of its edits.
    pub(crate) edits: Vec<(String, u32)>,
    /// The line that the only edit put in the place of another one; empty if there are several.
    pub(crate) line: String,
    /// Whether there are more edited files, or such that no tool for edits wrote.
    has_others: bool,
    installs: bool,
    /// The newest act of git that changed something: `git commit`.
    pub(crate) git: String,
    pub(crate) serves: bool,
    /// Whether something was stopped or removed that may have been in the way.
    pub(crate) frees: bool,
    /// How many calls changed something, or prepared something for others.
    changes: u32,
    /// The first of them, if it is a short command that installs, prepares or starts something, and nothing else.
    command: String,
    /// The newest steps that may be a cure.
    pub(crate) cures: Vec<String>,
    /// Whether credentials were given.
    pub(crate) logs_in: bool,
    /// Whether the same call failed in another way in between.
    pub(crate) is_half: bool,
}

impl Between {
    /// What one call changed. `does` is what its words say.
    pub(crate) fn of(call: &Call<'_>, does: Does) -> Self {
        let mut seen = Self::default();
        if is_editor(call.name) {
            if call.failed {
                return seen;
            }
            match names::file(call.input).and_then(shown) {
                Some(file) => {
                    seen.edits.push((file, 1));
                    seen.line = added::changed_line(call.input).unwrap_or_default();
                }
                None => seen.has_others = true,
            }
            seen.changes = 1;
            return seen;
        }
        if !call.failed && frees_by_name(call.name) && acts(call.input).is_empty() {
            return Self { frees: true, changes: 1, command: call.name.to_owned(), ..seen };
        }
        seen.frees = !call.failed && does.free && frees(start(call.input));
        seen.has_others = does.write || does.free && !seen.frees || redirects(start(call.input));
        seen.logs_in = does.login;
        if call.failed {
            return seen;
        }
        seen.cures = cures(call.input);
        // What was there already cured nothing.
        let does_nothing = (does.install || !seen.cures.is_empty()) && had_nothing_to_do(call.output);
        if does_nothing {
            seen.cures.clear();
        }
        // A folder that is made and a file that is copied are written by the step itself.
        let is_only_cure = seen.cures.len() == 1
            && (!does.write || is_of_files(&seen.cures[0]))
            && !does.free
            && !redirects(start(call.input));
        seen.has_others &= !is_only_cure;
        seen.installs = !does_nothing && (does.install || is_only_cure && !does.serve);
        seen.serves = does.serve;
        if does.git {
            let mut git = acts(call.input).into_iter().map(|act| act.step);
            let git = git.rfind(|step| step.program == "git" && GIT.contains(&step.task()));
            seen.git = git.map(|step| format!("git {}", step.task())).unwrap_or_default();
        }
        let prepares = prepares(call.input);
        seen.changes = u32::from(prepares || !seen.is_empty());
        let is_one = (prepares || seen.installs || seen.serves || seen.frees)
            && !seen.has_others
            && (seen.git.is_empty() || seen.frees);
        let command = call.input.trim().trim_end_matches(" 2>&1");
        if is_one
            && command.len() <= MAX_COMMAND
            && !command.starts_with('{')
            && !command.contains(['\n', ';', '|', '`'])
        {
            command.clone_into(&mut seen.command);
        } else if is_only_cure && seen.git.is_empty() {
            seen.command.clone_from(&seen.cures[0]);
        }
        seen
    }

    pub(crate) fn add(&mut self, seen: &Self) {
        if !seen.edits.is_empty() {
            self.line = if self.edits.is_empty() { seen.line.clone() } else { String::new() };
        }
        for (file, count) in &seen.edits {
            let has_room = self.edits.len() < MAX_FILES;
            match self.edits.iter_mut().find(|(known, _)| known == file) {
                Some((_, known)) => *known = known.saturating_add(*count),
                None if has_room => self.edits.push((file.clone(), *count)),
                None => self.has_others = true,
            }
        }
        if self.changes == 0 {
            self.command.clone_from(&seen.command);
        }
        self.changes = self.changes.saturating_add(seen.changes);
        for step in &seen.cures {
            self.cures.retain(|known| known != step);
            self.cures.push(step.clone());
        }
        self.cures.drain(..self.cures.len().saturating_sub(MAX_CURES));
        self.has_others |= seen.has_others;
        self.installs |= seen.installs;
        self.serves |= seen.serves;
        self.frees |= seen.frees;
        self.logs_in |= seen.logs_in;
        let saves = |git: &str| matches!(git, "git commit" | "git stash");
        if !seen.git.is_empty() && (saves(&seen.git) || !saves(&self.git)) {
            self.git.clone_from(&seen.git);
        }
    }

    /// This, without what another call does as well.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let rest = Self {
            edits: self.edits.clone(),
            line: self.line.clone(),
            has_others: self.has_others && !other.has_others,
            installs: self.installs && !other.installs,
            git: if self.git == other.git { String::new() } else { self.git.clone() },
            serves: self.serves && !other.serves,
            frees: self.frees && !other.frees,
            changes: self.changes,
            command: self.command.clone(),
            cures: self.cures.iter().filter(|step| !other.cures.contains(step)).cloned().collect(),
            logs_in: self.logs_in,
            is_half: self.is_half,
        };
        let changes = if rest.is_empty() && other.changes > 0 { 0 } else { rest.changes };
        Self { changes, ..rest }
    }

    /// The steps that may be what helped.
    pub(crate) fn steps(&self) -> impl Iterator<Item = String> {
        let command = Some(&self.command).filter(|command| !command.is_empty() && !self.cures.contains(command));
        self.cures.iter().chain(command).cloned()
    }

    /// The only command that changed or prepared something, if there is one.
    pub(crate) fn only_command(&self) -> Option<&str> {
        let is_only = self.changes == 1 && !self.is_half && !self.logs_in && !self.has_others;
        Some(self.command.as_str()).filter(|command| is_only && !command.is_empty())
    }

    /// Whether nothing was seen that may explain why another call works.
    pub(crate) fn tells_nothing(&self) -> bool {
        self.is_empty() && !self.logs_in && self.changes == 0
    }

    /// Whether nothing was changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
            && !self.has_others
            && !self.installs
            && !self.serves
            && !self.frees
            && self.git.is_empty()
    }

    /// Whether packages were installed.
    pub(crate) fn has_installs(&self) -> bool {
        self.installs
    }

    /// Whether nothing but packages was changed.
    pub(crate) fn only_installs(&self) -> bool {
        self.installs && self.edits.is_empty() && !self.has_others && !self.frees && !self.serves && self.git.is_empty()
    }

    /// Whether nothing but the edits was changed.
    pub(crate) fn has_only_edits(&self) -> bool {
        !self.is_half
            && !self.edits.is_empty()
            && !self.has_others
            && !self.installs
            && !self.serves
            && !self.frees
            && self.git.is_empty()
    }
}

/// Subcommands and words in names of tools that stop or remove something.
const FREES: [&str; 14] = [
    "stop",
    "rm",
    "remove",
    "delete",
    "down",
    "prune",
    "kill",
    "unlock",
    "force-unlock",
    "close",
    "release",
    "terminate",
    "cancel",
    "-D",
];
/// Programs that do.
const FREEING: [&str; 6] = ["kill", "pkill", "killall", "rm", "rmdir", "fuser"];

/// Whether a tool stops or removes something, as its name says: `stop_app_preview`.
fn frees_by_name(tool: &str) -> bool {
    let is_free = |word: &str| FREES.iter().any(|name| word.eq_ignore_ascii_case(name));
    tool.split(|c: char| !c.is_ascii_alphanumeric()).any(is_free)
}

/// Whether a command stops or removes something.
fn frees(input: &str) -> bool {
    let is_free = |word: &&str| FREES.contains(word);
    acts(input).iter().any(|act| FREEING.contains(&act.step.program) || act.arguments().iter().take(3).any(is_free))
}

/// What a word of a command may do.
#[derive(Debug, Clone, Copy)]
enum Doing {
    Write,
    Install,
    Serve,
    Login,
    Free,
}

/// Words in the order of their bytes, each with the words behind which it does this; behind any word if there are none.
const DOES: [(&str, &str, Doing); 52] = [
    ("&", "", Doing::Serve),
    ("--fix", "", Doing::Write),
    ("--write", "", Doing::Write),
    ("-D", "branch", Doing::Free),
    ("-i", "sed perl", Doing::Write),
    ("-i", "ssh", Doing::Login),
    ("-pi", "sed perl", Doing::Write),
    ("-pi", "ssh", Doing::Login),
    ("-w", "gofmt", Doing::Write),
    ("apply_patch", "", Doing::Write),
    ("chmod", "", Doing::Write),
    ("ci", "npm", Doing::Install),
    ("configure", "", Doing::Login),
    ("cp", "", Doing::Write),
    ("credential", "", Doing::Login),
    ("delete", "", Doing::Free),
    ("dev", "run pnpm yarn bun next", Doing::Serve),
    ("down", "", Doing::Free),
    ("fmt", "cargo", Doing::Write),
    ("gunicorn", "", Doing::Serve),
    ("http.server", "", Doing::Serve),
    ("install", "", Doing::Install),
    ("kill", "", Doing::Free),
    ("killall", "", Doing::Free),
    ("kinit", "", Doing::Login),
    ("ln", "", Doing::Write),
    ("login", "", Doing::Login),
    ("mkdir", "", Doing::Write),
    ("mv", "", Doing::Write),
    ("nohup", "", Doing::Serve),
    ("patch", "", Doing::Write),
    ("pkill", "", Doing::Free),
    ("prune", "", Doing::Free),
    ("redis-server", "", Doing::Serve),
    ("remove", "", Doing::Free),
    ("restart", "docker npm pnpm yarn bun run systemctl pm2", Doing::Serve),
    ("rm", "", Doing::Free),
    ("rmdir", "", Doing::Free),
    ("run", "docker podman flask streamlit", Doing::Serve),
    ("runserver", "", Doing::Serve),
    ("serve", "", Doing::Serve),
    ("ssh-add", "", Doing::Login),
    ("ssh-copy-id", "", Doing::Login),
    ("ssh-keygen", "", Doing::Login),
    ("start", "docker npm pnpm yarn bun run systemctl pm2", Doing::Serve),
    ("stop", "", Doing::Free),
    ("sync", "uv", Doing::Install),
    ("tee", "", Doing::Write),
    ("touch", "", Doing::Write),
    ("up", "compose docker-compose", Doing::Serve),
    ("uvicorn", "", Doing::Serve),
    ("vite", "", Doing::Serve),
];

/// What a command may do, as its words say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Does {
    /// It writes files, in another way than by a redirection.
    write: bool,
    install: bool,
    /// It starts a server, or something else that goes on in the background.
    pub(crate) serve: bool,
    /// It stops or removes something.
    free: bool,
    git: bool,
    /// It gives credentials to a program, names a key, or brings one to where it is looked for.
    pub(crate) login: bool,
}

impl Does {
    /// What the words of a command say, which are read once.
    pub(crate) fn of(input: &str) -> Self {
        let input = start(input);
        let end = input.trim_end();
        let mut does = Self { serve: end.ends_with('&') && !end.ends_with("&&"), ..Self::default() };
        let mut before: &[u8] = b"";
        for word in input.as_bytes().split(|byte| byte.is_ascii_whitespace() || *byte == b';') {
            does.add(std::mem::replace(&mut before, word), word);
        }
        does
    }

    fn add(&mut self, before: &[u8], word: &[u8]) {
        self.git |= word.ends_with(b"git");
        self.login |= word.ends_with(b"authorized_keys");
        self.serve |= word.ends_with(b"-validator");
        self.serve |= word == b"up" && (before.ends_with(b".yml") || before.ends_with(b".yaml"));
        self.install |= matches!(word, b"add" | b"get") && before != b"git";
        if !may_be_listed(word) {
            return;
        }
        let words = DOES.get(DOES.partition_point(|(known, ..)| known.as_bytes() < word)..).unwrap_or_default();
        let is_behind = |(_, behind, _): &&(&str, &str, Doing)| {
            behind.is_empty() || behind.split(' ').any(|behind| behind.as_bytes() == before)
        };
        for (_, _, doing) in words.iter().take_while(|(known, ..)| known.as_bytes() == word).filter(is_behind) {
            match doing {
                Doing::Write => self.write = true,
                Doing::Install => self.install = true,
                Doing::Serve => self.serve = true,
                Doing::Login => self.login = true,
                Doing::Free => self.free = true,
            }
        }
    }
}

/// The length and the first byte of each word of [`DOES`], which few other words have: a bit for each byte.
static LISTED: [u64; MAX_LISTED + 1] = {
    let mut begins = [0; MAX_LISTED + 1];
    let mut at = 0;
    while at < DOES.len() {
        let word = DOES[at].0.as_bytes();
        begins[word.len()] |= 1 << (word[0] & 63);
        at += 1;
    }
    begins
};
/// Longest word of [`DOES`], in bytes.
const MAX_LISTED: usize = 24;

fn may_be_listed(word: &[u8]) -> bool {
    let begins = LISTED.get(word.len()).copied().unwrap_or_default();
    word.first().is_some_and(|first| begins & 1 << (first & 63) != 0)
}

/// Whether a program says that it had nothing to do.
pub(crate) fn had_nothing_to_do(output: &str) -> bool {
    NOTHING_DONE.are_in(output) && !DONE.are_in(output)
}

/// Whether a command installs something, or prepares what other commands need.
pub(crate) fn installs(command: &str) -> bool {
    Does::of(command).install || prepares(command)
}

/// Subcommands and scripts that make what other commands need.
const PREPARING: [&str; 14] = [
    "init",
    "migrate",
    "generate",
    "codegen",
    "setup",
    "build",
    "bootstrap",
    "sync",
    "seed",
    "upgrade",
    "configure",
    "restore",
    "compile",
    "login",
];
static PREPARES: Words = Words::of(&PREPARING);

/// Whether a step of a command has such a subcommand: `terraform init`, `npm run build`.
fn prepares(input: &str) -> bool {
    let input = start(input);
    let is_one = |name: &str| name.split([' ', ':']).skip(1).any(|word| PREPARING.contains(&word));
    PREPARES.are_in(input) && acts(input).iter().any(|act| act.step.program != "git" && is_one(&act.step.name()))
}

/// Whether a command writes into a file by a redirection.
fn redirects(input: &str) -> bool {
    input.match_indices('>').any(|(at, _)| {
        let (before, after) = (input.get(..at).unwrap_or_default(), input.get(at + 1..).unwrap_or_default());
        let target = after.trim_start_matches(['>', ' ']);
        !before.ends_with(['-', '=', '>']) && !target.starts_with(['&', '=']) && !target.starts_with("/dev/null")
    })
}

/// As much of a command as is read.
fn start(input: &str) -> &str {
    input.get(..input.floor_char_boundary(READ_BYTES)).unwrap_or_default()
}

/// A file as it is shown. JSON doubles the backslashes of Windows; of its paths the last two names say enough.
fn shown(file: &str) -> Option<String> {
    let last = file.rmatch_indices('\\').filter(|(at, _)| !file.get(..*at).unwrap_or_default().ends_with('\\')).nth(1);
    match last.and_then(|(at, _)| file.get(at..)) {
        Some(end) => Some(format!("…{}", end.replace("\\\\", "\\"))),
        None => names::shown(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_in_their_order() {
        assert!(DOES.is_sorted_by_key(|(word, ..)| word.as_bytes()));
    }

    fn seen(name: &str, input: &str) -> Between {
        Between::of(&Call { name, input, failed: false, ..Call::FAILED }, Does::of(input))
    }

    #[test]
    fn what_changes_something_is_told_from_what_only_looks() {
        for input in [
            "sed -i s/a/b/ x",
            "echo a > b.txt",
            "cat >> a <<'E'\nx\nE",
            "git commit -m x",
            "cd a && git stash",
            "pip install a",
            "npm run dev &",
            "docker compose up -d",
            "docker compose -f a/compose.yml up -d",
            "prettier --write .",
            "rm -rf build && make",
        ] {
            assert!(!seen("Bash", input).is_empty(), "{input}");
        }
        for input in [
            "git status",
            "cargo test 2>&1 | tail -5",
            "ls 2>/dev/null",
            "git log --oneline",
            "a -> b",
            "x >= 3",
            "make",
        ] {
            assert!(seen("Bash", input).is_empty(), "{input}");
        }
    }

    #[test]
    fn a_commit_is_seen_whatever_its_message_is() {
        for input in
            ["git commit -m \"$(cat <<'EOF'\nchore: a; b\n\nCo: 'c'\nEOF\n)\"", "git commit -m 'a && git add b'"]
        {
            assert_eq!(seen("Bash", input).git, "git commit", "{input}");
        }
        let mut all = Between::default();
        for input in ["git add a", "git commit -m x", "git add b"] {
            all.add(&seen("Bash", input));
        }
        assert_eq!(all.git, "git commit");
    }

    #[test]
    fn edits_are_counted_by_file() {
        let mut all = Between::default();
        for file in ["a.rs", "b.rs", "a.rs"] {
            all.add(&seen("Edit", &format!("{{\"file_path\":\"/w/{file}\"}}")));
        }
        assert_eq!(all.edits, [("/w/a.rs".to_owned(), 2), ("/w/b.rs".to_owned(), 1)]);
        assert!(all.has_only_edits());
        all.add(&seen("Bash", "git commit -am x"));
        assert!(!all.has_only_edits());
        assert_eq!(all.git, "git commit");
    }

    #[test]
    fn paths_of_windows_are_shown_as_they_are() {
        assert_eq!(shown(r"C:\\Users\\a\\web\\b.js").as_deref(), Some(r"…\web\b.js"));
        assert_eq!(shown(r"C:\Users\a\web\b.js").as_deref(), Some(r"…\web\b.js"));
        assert_eq!(shown("/w/b.js").as_deref(), Some("/w/b.js"));
    }
}

//! Looks into the folders where agents keep their logs: how many files are there, and which of them are sessions of a
//! project. Of a file only the head is read.

#![expect(clippy::disallowed_methods, reason = "agents keep their logs at known paths")]

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use gephost_core::observe::{
    FolderField, HEAD_BYTES, ListedSessions, LogLocation, SeparateFolders, listed_sessions, recognise, working_folder,
};
use jiff::Timestamp;

use super::expand::expand;
use super::project_folders::ProjectFolders;
use super::reading::head;
use super::{Unreadable, unreadable};
use crate::regular_file;

/// How much of a file is read at first, and then, as long as it does not say where the agent worked.
const HEADS: [usize; 3] = [8 << 10, 64 << 10, HEAD_BYTES];
/// How much of a list of sessions is read.
const MAX_LIST_BYTES: u64 = 16 << 20;

/// The logs in one location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The location.
    pub location: LogLocation,
    /// The files in it that are named like logs.
    pub all: Files,
    /// Those of the project's sessions.
    pub own: Files,
    /// The paths of those, sorted.
    pub paths: Vec<PathBuf>,
    /// How many files say that they are of another project.
    pub others: u64,
    /// How many do not say of which project they are.
    pub unsaid: u64,
    /// Files and folders that could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// Some files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Files {
    /// Number of them.
    pub count: u64,
    /// Their total size in bytes.
    pub bytes: u64,
    /// When the most recent of them was modified.
    pub newest: Option<Timestamp>,
}

impl Files {
    fn add(&mut self, file: &fs::Metadata) {
        self.count += 1;
        self.bytes += file.len();
        self.newest = self.newest.max(file.modified().ok().and_then(|time| Timestamp::try_from(time).ok()));
    }
}

/// Whose a file is.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Own,
    Other,
    Unsaid,
}

/// The locations that hold logs, in the given order. A location that is not there counts as empty.
pub fn discover(locations: Vec<LogLocation>, project: &ProjectFolders) -> Vec<Discovered> {
    locations.into_iter().map(|location| look(location, project)).filter(|found| !found.is_empty()).collect()
}

impl Discovered {
    fn is_empty(&self) -> bool {
        self.all.count == 0 && self.unreadable.is_empty()
    }
}

fn look(location: LogLocation, project: &ProjectFolders) -> Discovered {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    // A location that is not there holds nothing.
    let _ = expand(&location.path, false, &mut files, &mut failed);
    files.sort();
    let mut sessions = match location.folder {
        FolderField::SeparateFolders(folders) => Sessions::in_folders(&location.path, folders, &mut files, project),
        FolderField::Above(name, _) => {
            files.retain(|file| file.file_name().is_none_or(|own| own != name));
            Sessions::default()
        }
        FolderField::Listed(listed) => match Sessions::listed(&location.path, listed, &mut files, project) {
            Ok(sessions) => sessions,
            Err(error) => {
                failed.push(unreadable(&location.path.join(listed.list), &error));
                Sessions::default()
            }
        },
        _ => Sessions::default(),
    };
    let (all, own) = (Files::default(), Files::default());
    let mut found = Discovered { location, all, own, paths: Vec::new(), others: 0, unsaid: 0, unreadable: failed };
    for path in files {
        let looked = fs::metadata(&path).and_then(|metadata| {
            let whose = whose(&path, &found.location, project, &mut sessions)?;
            Ok((metadata, whose))
        });
        match looked {
            Ok((metadata, whose)) => {
                found.all.add(&metadata);
                match whose {
                    Whose::Own => {
                        found.own.add(&metadata);
                        found.paths.push(path);
                    }
                    Whose::Other => found.others += 1,
                    Whose::Unsaid => found.unsaid += 1,
                }
            }
            Err(error) => found.unreadable.push(unreadable(&path, &error)),
        }
    }
    found
}

/// Whose the sessions are that a file may belong to.
#[derive(Debug, Default)]
struct Sessions {
    /// By the name of the folder that the files of a session or a message lie in.
    by_name: HashMap<String, Whose>,
    /// By that folder.
    by_folder: HashMap<PathBuf, Whose>,
}

impl Sessions {
    /// Those of an agent that keeps the pieces of a session in separate folders. Only parts are left in `files`.
    fn in_folders(
        location: &Path,
        folders: SeparateFolders,
        files: &mut Vec<PathBuf>,
        project: &ProjectFolders,
    ) -> Self {
        let mut sessions = Self::default();
        let [of_sessions, of_messages, parts] =
            [folders.sessions, folders.messages, folders.parts].map(|name| location.join(name));
        for file in files.iter().filter(|file| file.starts_with(&of_sessions)) {
            let whose = said_in(file, FolderField::Path(folders.path), project).unwrap_or(Whose::Unsaid);
            sessions.by_name.insert(stem(file), whose);
        }
        for file in files.iter().filter(|file| file.starts_with(&of_messages)) {
            let session = file.parent().map(stem).and_then(|session| sessions.by_name.get(&session)).copied();
            sessions.by_name.insert(stem(file), session.unwrap_or(Whose::Unsaid));
        }
        files.retain(|file| file.starts_with(&parts));
        sessions
    }

    /// Those of an agent that lists them in a file. Only their logs are left in `files`.
    fn listed(
        location: &Path,
        listed: ListedSessions,
        files: &mut Vec<PathBuf>,
        project: &ProjectFolders,
    ) -> io::Result<Self> {
        let folders = location.join(listed.sessions);
        files.retain(|file| file.starts_with(&folders) && file.file_name().is_some_and(|name| name == listed.log));
        let mut sessions = Self::default();
        if files.is_empty() {
            return Ok(sessions);
        }
        let mut list = Vec::new();
        regular_file::open(&location.join(listed.list))?.take(MAX_LIST_BYTES).read_to_end(&mut list)?;
        for (id, folder) in listed_sessions(&list, listed) {
            sessions.by_name.insert(id, if project.hold(&folder) { Whose::Own } else { Whose::Other });
        }
        Ok(sessions)
    }

    /// Whose a part is: that of the session or message whose name a folder above it has.
    fn of_part(&self, part: &Path) -> Whose {
        let above = part.ancestors().skip(1).take(3);
        above.map(stem).find_map(|name| self.by_name.get(&name)).copied().unwrap_or(Whose::Unsaid)
    }

    /// Whose a log is: that of the session whose name its folder has.
    fn of_folder(&self, log: &Path) -> Whose {
        let name = log.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
        name.and_then(|name| self.by_name.get(&*name)).copied().unwrap_or(Whose::Unsaid)
    }

    /// What the file `name` in the nearest folder above says, as long as that is in `location`.
    fn above(
        &mut self,
        path: &Path,
        name: &str,
        keys: &'static [&'static str],
        location: &Path,
        project: &ProjectFolders,
    ) -> Whose {
        let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(location));
        let Some(folder) = above.into_iter().find(|folder| folder.join(name).is_file()) else { return Whose::Unsaid };
        if let Some(known) = self.by_folder.get(folder) {
            return *known;
        }
        let whose = said_in(&folder.join(name), FolderField::Path(keys), project).unwrap_or(Whose::Unsaid);
        self.by_folder.insert(folder.to_owned(), whose);
        whose
    }
}

/// The name of a file without its ending.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// What the head of a file says about itself.
fn said_in(path: &Path, field: FolderField, project: &ProjectFolders) -> io::Result<Whose> {
    let folder = head(path, &HEADS, |head| working_folder(head, field))?;
    Ok(folder.map_or(Whose::Unsaid, |folder| if project.hold(&folder) { Whose::Own } else { Whose::Other }))
}

fn whose(path: &Path, location: &LogLocation, project: &ProjectFolders, sessions: &mut Sessions) -> io::Result<Whose> {
    match location.folder {
        FolderField::Unsaid => Ok(Whose::Unsaid),
        // A file of the project that happens to lie there is no log.
        FolderField::Inside => {
            let is_log = head(path, &HEADS, |head| recognise(head).map(|_| ()))?.is_some();
            Ok(if is_log && project.hold_file(path) { Whose::Own } else { Whose::Unsaid })
        }
        FolderField::Above(name, keys) => Ok(sessions.above(path, name, keys, &location.path, project)),
        FolderField::SeparateFolders(_) => Ok(sessions.of_part(path)),
        FolderField::Listed(_) => Ok(sessions.of_folder(path)),
        field @ (FolderField::Path(_) | FolderField::Digest(_)) => said_in(path, field, project),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    struct Home {
        _folder: tempfile::TempDir,
        root: PathBuf,
        sessions: PathBuf,
    }

    impl Home {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let base = folder.path().canonicalize().expect("a folder");
            let (root, sessions) = (base.join("p"), base.join("home/sessions"));
            fs::create_dir_all(&root).expect("a folder");
            fs::create_dir_all(&sessions).expect("a folder");
            Self { _folder: folder, root, sessions }
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.sessions.join(name);
            fs::write(&path, text).expect("a file");
            path
        }

        fn look(&self) -> Discovered {
            let folder = FolderField::Path(&["cwd"]);
            let location = LogLocation { agent: "a", path: self.sessions.clone(), is_inside: false, folder };
            let project = ProjectFolders::new(vec![self.root.clone()], &self.root.with_file_name("home"));
            discover(vec![location], &project).pop().expect("files")
        }
    }

    #[test]
    fn only_sessions_that_worked_in_the_project_are_its_own() {
        let home = Home::new();
        let said = |folder: &str| format!("{{\"type\":\"x\"}}\n{{\"cwd\":\"{folder}\",\"message\":{{}}}}\n");
        let root = home.root.display().to_string();
        let own = home.write("own.jsonl", &said(&root));
        // The head of this one is a line longer than the first reading.
        let late = home.write("late.jsonl", &format!("{{\"x\":\"{}\"}}\n{}", "y".repeat(100_000), said(&root)));
        home.write("other.jsonl", &said(&format!("{root}2")));
        home.write("silent.jsonl", &format!("{{\"message\":{{\"cwd\":\"{root}\"}}}}\n"));
        home.write("empty.jsonl", "");
        home.write("note.txt", &said(&root));
        // Too late: beyond the head.
        home.write("far.jsonl", &format!("{{\"x\":\"{}\"}}\n{}", "y".repeat(HEAD_BYTES), said(&root)));
        symlink(home.sessions.join("other.jsonl"), home.sessions.join("link.jsonl")).expect("a link");
        symlink("nowhere", home.sessions.join("dangling.jsonl")).expect("a link");
        let found = home.look();
        assert_eq!(found.paths, [late, own]);
        assert_eq!((found.own.count, found.others, found.unsaid, found.all.count), (2, 2, 3, 7));
        assert_eq!(found.unreadable, []);
    }

    #[test]
    fn what_cannot_be_read_is_listed_and_stops_nothing() {
        let home = Home::new();
        home.write("own.jsonl", &format!("{{\"cwd\":\"{}\"}}\n", home.root.display()));
        let closed = home.write("closed.jsonl", "{}");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("ours");
        // Root reads everything.
        let is_closed = fs::read(&closed).is_err();
        let found = home.look();
        assert_eq!(found.own.count, 1);
        assert_eq!(found.unreadable.len(), usize::from(is_closed));
    }

    #[test]
    fn a_database_is_named_with_the_command_that_exports_a_session() {
        let home = Home::new();
        home.write("sessions.db", "SQLite format 3\0 (working_dir TEXT) (content_json TEXT)");
        home.write("other.db", "no database");
        let found = home.look();
        assert_eq!((found.all.count, found.unreadable.len()), (0, 1));
        let Unreadable { path, reason } = &found.unreadable[0];
        assert!(path.ends_with("sessions.db") && reason.contains("goose session export"), "{path}: {reason}");
    }

    fn look_in(home: &Home, folder: FolderField) -> Discovered {
        let location = LogLocation { agent: "a", path: home.sessions.clone(), is_inside: false, folder };
        let project = ProjectFolders::new(vec![home.root.clone()], &home.root.with_file_name("home"));
        discover(vec![location], &project).pop().expect("files")
    }

    fn write_below(home: &Home, name: &str, text: &str) -> PathBuf {
        let path = home.sessions.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    #[test]
    fn a_file_above_says_where_a_conversation_worked() {
        let home = Home::new();
        let state = |folder: &str| {
            format!("{{\"id\":\"c\",\"workspace\":{{\"kind\":\"Local\",\"working_dir\":\"{folder}\"}}}}")
        };
        let root = home.root.display().to_string();
        let write = |name: &str, text: &str| write_below(&home, name, text);
        let own = write("c1/events/e0.json", "{}");
        write("c1/base_state.json", &state(&root));
        write("c2/events/e0.json", "{}");
        write("c2/base_state.json", &state("/elsewhere"));
        // Nobody says it; and what an event says counts for nothing.
        write("c3/events/e0.json", &state(&root));
        // What lies above the agent's own folder is none of its files.
        fs::write(home.sessions.with_file_name("base_state.json"), state(&root)).expect("a file");
        let found = look_in(&home, FolderField::Above("base_state.json", &["workspace", "working_dir"]));
        assert_eq!((found.paths, found.others, found.unsaid), (vec![own], 1, 1));
    }

    #[test]
    fn the_parts_of_a_session_are_those_of_its_folder() {
        let home = Home::new();
        let root = home.root.display().to_string();
        let write = |name: &str, text: &str| write_below(&home, name, text);
        let said = |folder: &str| format!("{{\"id\":\"x\",\"directory\":\"{folder}\"}}");
        write("session/p1/ses_own.json", &said(&root));
        write("session/p2/ses_other.json", &said("/elsewhere"));
        write("message/ses_own/msg_1.json", "{}");
        write("message/ses_other/msg_2.json", "{}");
        write("message/ses_gone/msg_3.json", "{}");
        let own = write("part/msg_1/prt_1.json", "{}");
        let direct = write("part/ses_own/msg_9/prt_9.json", "{}");
        write("part/msg_2/prt_2.json", &said(&root));
        write("part/msg_3/prt_3.json", "{}");
        let folders = SeparateFolders { sessions: "session", path: &["directory"], messages: "message", parts: "part" };
        let found = look_in(&home, FolderField::SeparateFolders(folders));
        assert_eq!((found.paths, found.all.count), (vec![own, direct], 4));
        assert_eq!((found.others, found.unsaid), (1, 1));
    }

    #[test]
    fn a_list_says_where_each_session_worked() {
        let home = Home::new();
        let root = home.root.display().to_string();
        let write = |name: &str, text: &str| write_below(&home, name, text);
        let item = |id: &str, folder: &str| format!("{{\"id\":\"{id}\",\"cwd\":\"{folder}\"}}");
        write("state/list.json", &format!("[{},{}]", item("1", &root), item("2", "/elsewhere")));
        let own = write("tasks/1/log.json", "[]");
        write("tasks/1/other.json", "[]");
        write("tasks/2/log.json", "[]");
        write("tasks/3/log.json", &format!("[{}]", item("3", &root)));
        write("log.json", "[]");
        let listed =
            ListedSessions { list: "state/list.json", id: "id", path: "cwd", sessions: "tasks", log: "log.json" };
        let found = look_in(&home, FolderField::Listed(listed));
        assert_eq!((found.paths, found.all.count), (vec![own], 3));
        assert_eq!((found.others, found.unsaid, found.unreadable.len()), (1, 1, 0));
    }

    #[test]
    fn of_the_projects_own_folders_only_logs_in_the_project_are_read() {
        let home = Home::new();
        let folder = home.root.join("sessions");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("fixture.json"), "{\"name\":\"fixture\"}\n").expect("a file");
        let elsewhere = home.write("x.md", "# aider chat started at 2026-01-01 00:00:00\n\n#### hello\n");
        let log = folder.join("a.log");
        fs::copy(&elsewhere, &log).expect("a file");
        symlink(&elsewhere, folder.join("link.log")).expect("a link");
        let location = LogLocation { agent: "a", path: folder, is_inside: true, folder: FolderField::Inside };
        let project = ProjectFolders::new(vec![home.root.clone()], Path::new("/home/me"));
        let found = discover(vec![location], &project).pop().expect("files");
        assert_eq!((found.paths, found.unsaid), (vec![log], 2));
    }
}

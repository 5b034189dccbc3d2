//! In which folder an agent worked, from the start of a session's file.
//!
//! What must stay true: only the agent's own field counts. A path in a message or an output, which anybody can write, is
//! never taken for it.

use super::document::DocumentSplitter;
use super::peek::{fields, string_field, value_field};

/// The longest path that is read, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// How the sessions of an agent say in which folder they worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderField {
    /// The path is in the field that these keys lead to.
    Path(&'static [&'static str]),
    /// The SHA-256 of the path, in hexadecimal, is in the field of this name.
    Digest(&'static str),
    /// A file of this name, in a folder above the log's, has the path in the field that these keys lead to.
    Above(&'static str, &'static [&'static str]),
    /// A session, its messages and their parts are in separate folders: the log is the parts.
    SeparateFolders(SeparateFolders),
    /// They do not say it, but a file beside them lists all of them.
    Listed(ListedSessions),
    /// They do not say it, but lie in the folder itself.
    Inside,
    /// They do not say it.
    Unsaid,
}

/// Where an agent keeps a session whose pieces are in separate folders of its location. The folder of a piece has the name of
/// what the piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeparateFolders {
    /// One file for each session, named by its id, somewhere in this folder. It has the path in the field `path`.
    pub sessions: &'static str,
    /// The field of a session's file.
    pub path: &'static [&'static str],
    /// One folder for each session, with one file for each message, named by its id.
    pub messages: &'static str,
    /// One folder for each session or message, with its parts.
    pub parts: &'static str,
}

/// Where an agent keeps the list of its sessions. All names are below the agent's location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedSessions {
    /// A list of objects, one for each session.
    pub list: &'static str,
    /// The field of such an object with the session's id.
    pub id: &'static str,
    /// The field with the path.
    pub path: &'static str,
    /// The folder with one folder for each session, named by its id.
    pub sessions: &'static str,
    /// The name of the log in a session's folder.
    pub log: &'static str,
}

/// The folder in which a session worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkingFolder {
    /// Its path, as the agent wrote it.
    Path(String),
    /// The SHA-256 of its path, in hexadecimal.
    Digest(String),
}

/// The folder in which the session that begins with `head` worked at first: lines of JSON, or one JSON document. `None`
/// if the head does not say it.
pub fn working_folder(head: &[u8], field: FolderField) -> Option<WorkingFolder> {
    let of_object = |object: &[u8]| match field {
        FolderField::Path(keys) => path_at(object, keys).map(WorkingFolder::Path),
        FolderField::Digest(key) => text(string_field(object, key)?).map(WorkingFolder::Digest),
        FolderField::Above(..)
        | FolderField::SeparateFolders(_)
        | FolderField::Listed(_)
        | FolderField::Inside
        | FolderField::Unsaid => None,
    };
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    // A document may span lines. Its first object is read as a whole, every later one within its line.
    of_object(head).or_else(|| head.split(|byte| *byte == b'\n').skip(1).find_map(of_object))
}

/// The ids of the sessions in a list, each with the folder in which it worked at first.
pub fn listed_sessions(list: &[u8], fields: ListedSessions) -> Vec<(String, WorkingFolder)> {
    let mut found = Vec::new();
    DocumentSplitter::new(&[&["*"]]).feed(list, &mut |piece| {
        let object = piece.bytes.unwrap_or_default();
        let id = string_field(object, fields.id).and_then(text);
        let path = path_at(object, &[fields.path]).map(WorkingFolder::Path);
        found.extend(id.zip(path));
    });
    found
}

fn path_at(object: &[u8], keys: &[&str]) -> Option<String> {
    let (last, above) = keys.split_last()?;
    let mut object = object;
    for key in above {
        object = value_field(object, key)?;
    }
    // A key that is there twice is read by nobody in the same way.
    let is_unique = fields(object).filter(|(key, _)| *key == last.as_bytes()).count() == 1;
    if is_unique { text(string_field(object, last)?) } else { None }
}

/// The text of a JSON string, given without its quotes.
fn text(raw: &[u8]) -> Option<String> {
    if raw.is_empty() || raw.len() > MAX_PATH_BYTES {
        return None;
    }
    serde_json::from_slice(&[b"\"", raw, b"\""].concat()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CWD: FolderField = FolderField::Path(&["cwd"]);

    fn path(head: &str, field: FolderField) -> Option<String> {
        match working_folder(head.as_bytes(), field)? {
            WorkingFolder::Path(path) | WorkingFolder::Digest(path) => Some(path),
        }
    }

    #[test]
    fn each_agent_says_it_in_its_own_field() {
        let codex = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a","cwd":"/w/p","base":"x"}}"#;
        let copilot = r#"{"type":"session.start","data":{"sessionId":"s","context":{"cwd":"/w/p","gitRoot":"/w"}}}"#;
        let mini =
            r#"{"info":{"config":{"agent":{"cwd":"/x"},"environment":{"timeout":30,"cwd":"/w/p"}}},"messages":[]}"#;
        for (head, field) in [
            (r#"{"type":"user","cwd":"/w/p","message":{}}"#, CWD),
            (
                r#"{"type":"summary"}
{"type":"user","cwd":"/w/p"}"#,
                CWD,
            ),
            (codex, FolderField::Path(&["payload", "cwd"])),
            (mini, FolderField::Path(&["info", "config", "environment", "cwd"])),
            (copilot, FolderField::Path(&["data", "context", "cwd"])),
            ("{\n \"sessionId\": \"s\",\n \"projectHash\": \"/w/p\"", FolderField::Digest("projectHash")),
            (r#"{"cwd":"\/w\/p"}"#, CWD),
            ("\u{feff}{\"cwd\":\"/w/p\"}", CWD),
        ] {
            assert_eq!(path(head, field).as_deref(), Some("/w/p"), "{head}");
        }
    }

    #[test]
    fn a_line_that_is_cut_after_the_field_says_it() {
        let codex = FolderField::Path(&["payload", "cwd"]);
        let head = r#"{"type":"session_meta","payload":{"id":"a","cwd":"/w/p","base_instructions":"You are"#;
        assert_eq!(path(head, codex).as_deref(), Some("/w/p"));
    }

    #[test]
    fn a_list_says_it_of_each_session() {
        const LISTED: ListedSessions =
            ListedSessions { list: "list.json", id: "id", path: "cwd", sessions: "tasks", log: "log.json" };
        let of = |list: &str| listed_sessions(list.as_bytes(), LISTED);
        let pair = |id: &str, path: &str| (id.to_owned(), WorkingFolder::Path(path.to_owned()));
        let list = r#"[{"id":"1","task":"{\"cwd\":\"/x\"}","cwd":"/w/p"},{"id":"2"},{"cwd":"/w"},7,{"id":"3","cwd":"/a","cwd":"/b"},{"id":"4","cwd":"/w/q"}]"#;
        assert_eq!(of(list), [pair("1", "/w/p"), pair("4", "/w/q")]);
        for list in ["", "{}", r#"{"id":"1","cwd":"/w"}"#, "[[", r#"[{"id":"1","cwd":"/w"#] {
            assert_eq!(of(list), [], "{list}");
        }
    }

    #[test]
    fn the_first_folder_counts() {
        assert_eq!(path("{\"cwd\":\"/a\"}\n{\"cwd\":\"/b\"}", CWD).as_deref(), Some("/a"));
    }

    #[test]
    fn what_others_can_write_is_no_folder() {
        for head in [
            "",
            "no JSON",
            "{\"cwd\":",
            "{\"cwd\":\"/w/p",
            "{\"cwd\":7}",
            "{\"cwd\":\"\"}",
            // In a message, in an output, in a text that holds a line of JSON.
            r#"{"message":{"cwd":"/w/p"}}"#,
            r#"{"message":"{\"cwd\":\"/w/p\"}"}"#,
            r#"{"toolUseResult":[{"cwd":"/w/p"}]}"#,
            r#"{"cwd":"/w/q","cwd":"/w/p"}"#,
            "[{\"cwd\":\"/w/p\"}]",
        ] {
            assert_eq!(path(head, CWD), None, "{head}");
        }
        let long = format!("{{\"cwd\":\"/{}\"}}", "a".repeat(MAX_PATH_BYTES));
        assert_eq!(path(&long, CWD), None);
        assert_eq!(path("{\"cwd\":\"/w/p\"}", FolderField::Unsaid), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test measures time")]
    fn a_head_of_open_brackets_takes_no_time() {
        let began = std::time::Instant::now();
        for unit in ["{\"a\":", "{\n", "[", "{\"a\":{\n"] {
            assert_eq!(path(&unit.repeat(256 * 1024 / unit.len()), CWD), None);
        }
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }
}

//! Databases in which some agents keep their sessions. gephost does not read them: the newest sessions are in files beside
//! them that only the agent may merge, and a database holds the sessions of all projects. So it says how to get one session
//! out of them.

/// How every SQLite database begins.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// Extensions of databases.
const ENDINGS: [&str; 4] = ["db", "sqlite", "sqlite3", "vscdb"];

/// An agent, what only the tables of its database name, and the command that exports a session.
const AGENTS: [(&str, [&[u8]; 2], &str); 3] = [
    (
        "Goose",
        [b"content_json", b"working_dir"],
        "goose session export --session-id ID --format json --output FILE.json",
    ),
    ("Hermes", [b"tool_call_id", b"finish_reason"], "hermes sessions export FILE.jsonl --session-id ID"),
    ("OpenCode", [b"`message`", b"`part`"], "opencode export ID > FILE.json"),
];

/// Why a file with this start cannot be read, and what to do; `None` if it is no database.
pub fn database(head: &[u8]) -> Option<String> {
    if !head.starts_with(SQLITE) {
        return None;
    }
    let names = |word: &&[u8]| memchr::memmem::find(head, word).is_some();
    let known = AGENTS.iter().find(|(_, words, _)| words.iter().all(names));
    Some(match known {
        Some((agent, _, command)) => format!(
            "it is the SQLite database of {agent}, which gephost does not read; export a session with `{command}`, and read \
             that file"
        ),
        None => {
            "it is a SQLite database, which gephost does not read; export the sessions as JSON, and read those files"
                .to_owned()
        }
    })
}

/// Whether a file with this extension may be a database.
pub fn may_be_database(extension: &str) -> bool {
    ENDINGS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_told_by_its_start_and_its_tables() {
        let with = |tables: &str| [SQLITE, b"\x10\x00\x01\x01", tables.as_bytes()].concat();
        for (head, agent) in [
            (with("CREATE TABLE sessions (working_dir TEXT) CREATE TABLE messages (content_json TEXT)"), Some("Goose")),
            (with("CREATE TABLE messages (tool_call_id TEXT, finish_reason TEXT)"), Some("Hermes")),
            (with("CREATE TABLE `part` CREATE TABLE `message`"), Some("OpenCode")),
            (with("CREATE TABLE a (b)"), Some("a SQLite database")),
            (b"{\"content_json\": 1, \"working_dir\": 2}".to_vec(), None),
            (b"SQLite format 3 is a format".to_vec(), None),
            (Vec::new(), None),
        ] {
            let said = database(&head);
            assert_eq!(said.is_some(), agent.is_some(), "{said:?}");
            assert!(agent.is_none_or(|agent| said.is_some_and(|said| said.contains(agent))));
        }
    }
}

//! Another tool or another program that did the work on the same object, after one could not do it.

use crate::call::is_editor;
use crate::cause::Cause;
use crate::command::hidden::hides_errors;
use crate::command::paths::base;
use crate::output::names;
use crate::worked::act::{Worked, of_failure};
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Calls after a failure among which a script must come that names no object of it.
const NEXT: u32 = 3;
/// Programs, and the modules of Python that do their work.
const MODULES: [(&[&str], &[&str]); 10] = [
    (&["sqlite3"], &["sqlite3"]),
    (&["psql", "pg_isready", "pg_dump"], &["psycopg", "psycopg2", "asyncpg", "sqlalchemy"]),
    (&["mysql", "mysqldump"], &["pymysql", "MySQLdb", "mysql.connector", "sqlalchemy"]),
    (&["redis-cli"], &["redis"]),
    (&["mongo", "mongosh"], &["pymongo"]),
    (&["jq"], &["json"]),
    (&["yq"], &["yaml"]),
    (&["zip", "unzip"], &["zipfile"]),
    (&["convert", "magick", "identify"], &["PIL"]),
    (&["pdftotext", "pdfinfo"], &["pypdf", "PyPDF2", "pdfplumber", "fitz"]),
];

/// The tool that changed the file which another one was to make, and which is there.
pub(crate) fn by_tool(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if failed.cause != Cause::Exists || !is_editor(worked.call.name) {
        return None;
    }
    let (before, after) = (act_of(&failed.tool, &failed.input), act_of(worked.call.name, worked.call.input));
    let is_same_file = names::file(&failed.input)? == names::file(worked.call.input)?;
    let changes = before != after && !after.eq_ignore_ascii_case("view");
    (is_same_file && changes).then(|| Remedy {
        way: Way::Tool,
        text: format!("`{after}`"),
        before: format!("`{before}`"),
    })
}

/// What a tool is asked to do: one that does several things has a member that says which.
fn act_of<'a>(tool: &'a str, input: &'a str) -> &'a str {
    let rest = input.split_once("\"command\":").map(|(_, rest)| rest.trim_start());
    let named = rest.and_then(|rest| rest.strip_prefix('"')?.split('"').next());
    named
        .filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        .unwrap_or(tool)
}

/// The script of Python that did the work of a program that was not found, with a module for the same.
pub(crate) fn by_module(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let missing = failed.names.first().filter(|_| failed.cause == Cause::Program)?.as_str();
    let (_, modules) = MODULES.iter().find(|(programs, _)| programs.contains(&missing))?;
    let input = worked.call.input;
    let module = modules.iter().find(|module| imports(input, module))?;
    let python = worked.acts.iter().find(|act| act.step.program.starts_with("python"))?;
    let act = of_failure(failed)?;
    let mut objects = act.arguments().iter().filter(|word| !word.starts_with('-') && word.contains(['.', '/', ':']));
    // A file of the same name is the same object. Without one, it must be the next thing that was done.
    let is_same = objects.clone().any(|word| input.contains(base(word.trim_matches(['"', '\'']))))
        || objects.next().is_none() && failed.calls <= NEXT;
    (is_same && !hides_errors(input) && !worked.has_error()).then(|| Remedy {
        way: Way::Start,
        text: format!("`{}` with its module `{module}`", python.step.program),
        before: format!("`{missing}`"),
    })
}

/// Whether a script imports a module, or a part of it.
fn imports(input: &str, module: &str) -> bool {
    ["import ", "from "].iter().any(|words| {
        let mut rests = input.match_indices(words).filter_map(|(at, _)| input.get(at + words.len()..));
        rests.any(|rest| {
            let mut names = rest.split(['\n', ';', '"', '\'', '\\']).next().unwrap_or_default().split([',', ' ']);
            names.any(|name| name == module || name.strip_prefix(module).is_some_and(|rest| rest.starts_with('.')))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;

    #[test]
    fn the_tool_that_changes_a_file_serves_for_one_that_is_there() {
        const CREATE: &str = r#"{"path": "/w/a.py"}"#;
        let found = |tool: &str, input: &str, later: &str, with: &str| {
            let failed = Waiting { tool: tool.to_owned(), ..Waiting::of(Cause::Exists, input, "Path already exists") };
            let call = Call { name: later, input: with, failed: false, ..Call::FAILED };
            by_tool(&failed, &Worked::of(&call, false)).map(|remedy| remedy.text)
        };
        assert_eq!(found("create", CREATE, "edit", CREATE).as_deref(), Some("`edit`"));
        let command = |name: &str| format!(r#"{{"command":"{name}","path":"/w/a.py"}}"#);
        let by = |name: &str| found("str_replace_editor", &command("create"), "str_replace_editor", &command(name));
        assert_eq!(by("str_replace").as_deref(), Some("`str_replace`"));
        assert_eq!((by("view"), by("create")), (None, None));
        for (tool, with) in [("edit", r#"{"path": "/w/b.py"}"#), ("view", CREATE), ("edit", "{}"), ("edit", "")] {
            assert_eq!(found("create", CREATE, tool, with), None, "{tool}: {with}");
        }
    }

    #[test]
    fn a_module_of_python_serves_for_a_program() {
        let found = |program: &str, input: &str, later: &str, calls: u32| {
            let names = vec![program.to_owned()];
            let failed = Waiting { calls, names, ..Waiting::of(Cause::Program, input, "command not found") };
            let call = Call { input: later, output: "fine", failed: false, ..Call::FAILED };
            by_module(&failed, &Worked::of(&call, true)).map(|remedy| remedy.text)
        };
        let script = "cd /w && python -c \"\nimport sqlite3\nc = sqlite3.connect('db.sqlite3')\n\"";
        let told = Some("`python` with its module `sqlite3`");
        assert_eq!(found("sqlite3", "sqlite3 db.sqlite3 .tables", script, 9).as_deref(), told);
        assert_eq!(found("sqlite3", "sqlite3 other.db .tables", script, 1), None, "another database");
        for (program, failed, later) in [
            ("psql", "psql -c 'select 1'", "python3 - <<'E'\nimport psycopg\nE"),
            ("psql", "psql -l", "uv run python -c 'from sqlalchemy import text, create_engine'"),
            ("mysql", "mysql -e x", "python3 -c 'import os, pymysql'"),
            ("redis-cli", "redis-cli ping", "python3 -c 'import redis; print(1)'"),
            ("mongosh", "mongosh --eval x", "python3 -c 'from pymongo import MongoClient'"),
            ("jq", "jq .name a.json", "python3 -c 'import json; json.load(open(\"a.json\"))'"),
            ("unzip", "unzip /tmp/a.zip", "python3 -c 'import zipfile; zipfile.ZipFile(\"/tmp/a.zip\")'"),
            ("identify", "identify a.png", "python3 -c 'from PIL import Image; Image.open(\"a.png\")'"),
        ] {
            assert!(found(program, failed, later, 1).is_some(), "{program}: {later}");
        }
        for (program, failed, later, calls) in [
            ("psql", "psql -l", "python3 -c 'import psycopg'", 9),
            ("psql", "psql -l", "python3 -c 'import sqlite3'", 1),
            ("psql", "psql -l", "python3 -c 'import psycopg' || true", 1),
            ("psql", "psql -l", "cat import psycopg", 1),
            ("jq", "jq .name a.json", "python3 -c 'import jsonschema; a.json'", 1),
            ("tree", "tree", "python3 -c 'import os'", 1),
        ] {
            assert_eq!(found(program, failed, later, calls), None, "{program}: {later}");
        }
    }
}

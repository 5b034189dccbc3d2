//! `gephost state list|adopt|remove`: what gephost keeps of this user's projects, outside of them.

use std::fmt::Write as _;
use std::path::PathBuf;

use gephost_app::{Project, list_states, remove_state};
use gephost_runner::state::Known;
use serde::Serialize;
use serde_json::json;

use crate::args::StateCommand;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, dim, note, printable};

/// A state, as it is listed.
#[derive(Debug, Serialize)]
struct Row {
    id: String,
    folder: PathBuf,
    /// The clone's git folder, or the project's folder without git.
    clone: Option<PathBuf>,
    /// The project's folder in the clone; empty for its top.
    within: Option<PathBuf>,
    /// Whether the clone is still there.
    there: bool,
    created: Option<String>,
    problem: Option<String>,
}

impl Row {
    fn of(known: Known) -> Self {
        let Known { id, folder, whose } = known;
        match whose {
            Ok((clone, created)) => Self {
                id,
                folder,
                there: clone.is_there(),
                clone: Some(clone.path),
                within: Some(clone.within),
                created: Some(created),
                problem: None,
            },
            Err(problem) => {
                Self { id, folder, clone: None, within: None, there: false, created: None, problem: Some(problem) }
            }
        }
    }

    fn line(&self) -> String {
        let clone = self.clone.as_ref().map(|path| printable(&path.display().to_string())).unwrap_or_default();
        let rest = match &self.problem {
            Some(problem) => bad(printable(problem)),
            None if self.there => dim(clone),
            None => format!("{}  {}", dim(clone), note("not there any more")),
        };
        format!("{}  {rest}", self.id)
    }
}

pub(super) fn run(environment: &Environment, command: &StateCommand) -> Result<Report, Failure> {
    match command {
        StateCommand::List => list(environment),
        StateCommand::Adopt(arguments) => adopt(environment, arguments.id.as_deref()),
        StateCommand::Remove(arguments) => remove(environment, &arguments.id),
    }
}

fn list(environment: &Environment) -> Result<Report, Failure> {
    let rows: Vec<Row> = list_states(environment)?.into_iter().map(Row::of).collect();
    let mut text = String::new();
    for row in &rows {
        let _ = writeln!(text, "{}", row.line());
    }
    if rows.is_empty() {
        text.push_str("gephost keeps no state of any project.\n");
    }
    let document = json!({ "schema": "gephost.state-list/1", "folder": environment.state, "states": rows });
    Ok(Report { exit: Exit::Done, document, text })
}

fn adopt(environment: &Environment, id: Option<&str>) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let from = project.adopt_state(id)?;
    let text = format!("The state {from} is that of this project now, as {}.\n", project.state.id());
    let document = json!({ "schema": "gephost.state-adopt/1", "from": from, "id": project.state.id() });
    Ok(Report { exit: Exit::Done, document, text })
}

fn remove(environment: &Environment, id: &str) -> Result<Report, Failure> {
    remove_state(environment, id)?;
    let document = json!({ "schema": "gephost.state-remove/1", "id": id });
    Ok(Report { exit: Exit::Done, document, text: format!("Removed the state {id}.\n") })
}

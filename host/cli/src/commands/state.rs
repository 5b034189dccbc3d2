//! `gephost state list|adopt|remove`: what gephost keeps of this user's projects, outside of them.

use std::fmt::Write as _;
use std::path::Path;

use gephost_app::{Project, list_states, remove_state};
use gephost_runner::state::Known;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::StateCommand;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, dim, note, printable};

/// A state, as it is listed.
#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    /// Its name.
    id: String,
    /// Its folder.
    folder: String,
    /// The clone's git folder, or the project's folder without git.
    clone: Option<String>,
    /// The project's folder in the clone; empty for its top.
    within: Option<String>,
    /// Whether the clone is still there.
    there: bool,
    /// When it was made (RFC 3339).
    created: Option<String>,
    /// Why it cannot be read.
    problem: Option<String>,
}

impl Row {
    fn of(known: Known) -> Self {
        let Known { id, folder, whose } = known;
        let folder = shown(&folder);
        match whose {
            Ok((clone, created)) => Self {
                id,
                folder,
                there: clone.is_there(),
                clone: Some(shown(&clone.path)),
                within: Some(shown(&clone.within)),
                created: Some(created),
                problem: None,
            },
            Err(problem) => {
                Self { id, folder, clone: None, within: None, there: false, created: None, problem: Some(problem) }
            }
        }
    }

    fn line(&self) -> String {
        let clone = self.clone.as_ref().map(|path| printable(path)).unwrap_or_default();
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

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn list(environment: &Environment) -> Result<Report, Failure> {
    let states = list_states(environment)?.into_iter().map(Row::of).collect();
    Ok(Report::of(&StatesPage { folder: shown(&environment.state), states }))
}

fn adopt(environment: &Environment, id: Option<&str>) -> Result<Report, Failure> {
    let project = Project::open_quietly(environment)?;
    let from = project.adopt_state(id)?;
    Ok(Report::of(&AdoptPage { from, id: project.state.id().to_owned() }))
}

fn remove(environment: &Environment, id: &str) -> Result<Report, Failure> {
    remove_state(environment, id)?;
    Ok(Report::of(&RemovePage { id: id.to_owned() }))
}

/// What gephost keeps of this user's projects.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatesPage {
    /// The folder that holds all of it.
    folder: String,
    /// One state for each project.
    states: Vec<Row>,
}

impl Page for StatesPage {
    const KIND: &'static str = "state-list";

    fn text(&self) -> String {
        if self.states.is_empty() {
            return "gephost keeps no state of any project.\n".to_owned();
        }
        let mut text = String::new();
        for row in &self.states {
            let _ = writeln!(text, "{}", row.line());
        }
        text
    }
}

/// A state that a project took over.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdoptPage {
    /// The name that it had.
    from: String,
    /// The name that it has now.
    id: String,
}

impl Page for AdoptPage {
    const KIND: &'static str = "state-adopt";

    fn text(&self) -> String {
        format!("The state {} is that of this project now, as {}.\n", self.from, self.id)
    }
}

/// A state that was removed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovePage {
    /// Its name.
    id: String,
}

impl Page for RemovePage {
    const KIND: &'static str = "state-remove";

    fn text(&self) -> String {
        format!("Removed the state {}.\n", self.id)
    }
}

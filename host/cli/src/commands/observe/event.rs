//! One event whole: `gephost observe --event N`.

use gephost_app::Project;
use gephost_app::evidence::{EventDetail, detail};
use gephost_app::observe::LogOptions;
use schemars::JsonSchema;
use serde::Serialize;

use super::read::since;
use crate::args::ObserveArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::findings;

/// One event.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventPage {
    #[serde(flatten)]
    event: EventDetail,
}

impl Page for EventPage {
    const KIND: &'static str = "observe-event";

    fn text(&self) -> String {
        findings::event(&self.event)
    }
}

/// Reads the logs as a cycle does, so that the numbers are the same, and shows the event of this number.
pub(super) fn run(
    environment: &Environment,
    folder: &Project,
    arguments: &ObserveArguments,
    number: u64,
) -> Result<Report, Failure> {
    let since = since(environment, arguments.since.as_deref())?;
    let observation = folder.observe(&LogOptions { logs: arguments.files.clone(), since, max_events: None })?;
    let count = observation.events.len();
    let event = detail(&observation, number).ok_or_else(|| {
        let message = match count {
            0 => "there are no events".to_owned(),
            count => format!("there is no event {number}: they are numbered from 0 to {}", count - 1),
        };
        Failure::new(Exit::Usage, "no_such_event", message)
    })?;
    Ok(Report::of(&EventPage { event }))
}

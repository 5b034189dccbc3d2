//! `gephost hub serve`: a hub of one's own.

use gephost_app::hub::{HubAsk, serve_hub};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{HubCommand, ServeArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};
use crate::page::Page;

pub(super) fn run(environment: &Environment, output: Output, command: &HubCommand) -> Result<Report, Failure> {
    match command {
        HubCommand::Serve(arguments) => serve(environment, output, arguments),
    }
}

fn serve(environment: &Environment, output: Output, arguments: &ServeArguments) -> Result<Report, Failure> {
    let mut address = None;
    let ask = HubAsk {
        db: arguments.db.clone(),
        blobs: arguments.blobs.clone(),
        listen: arguments.listen,
        public_url: arguments.public_url.clone(),
        require_auth: arguments.require_auth,
        operators: arguments.operators.clone(),
        team: arguments.team,
    };
    let ready = |listening| {
        output.note(&format!("listening at http://{listening}; Ctrl-C stops it"));
        address = Some(listening);
    };
    serve_hub(environment, ask, ready, move |line| output.warn(line))?;
    let address = address.map(|address| address.to_string()).unwrap_or_default();
    Ok(Report::of(&HubStoppedPage { address }))
}

/// A hub that was stopped.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HubStoppedPage {
    /// Where it listened.
    address: String,
}

impl Page for HubStoppedPage {
    const KIND: &'static str = "hub-stopped";

    fn text(&self) -> String {
        "Stopped. Everything that was acknowledged is on disk.\n".to_owned()
    }
}

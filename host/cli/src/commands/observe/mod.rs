//! `gephost observe`: what is in the logs, file by file, and call by call with `--calls`.

mod calls;
mod discover;
mod event;
mod otlp;
mod page;
mod read;
mod spelled;
mod store;
mod watch;

pub(crate) use discover::DiscoverPage;
pub(crate) use event::EventPage;
pub(crate) use otlp::ReceivedPage;
pub(crate) use page::ObservePage;
pub(super) use read::since;
use read::{ReadLogs, read_logs};
pub(crate) use watch::{ChangePage, WatchPage};

use gephost_app::Project;

use super::own_sessions;
use crate::args::ObserveArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};

pub(super) fn run(environment: &Environment, output: Output, arguments: &ObserveArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    if let Some(address) = &arguments.otlp {
        return otlp::run(environment, output, &folder, address, arguments.beyond_loopback);
    }
    if arguments.discover {
        return discover::run(environment, output, &folder, arguments);
    }
    if let Some(number) = arguments.event {
        return event::run(environment, &folder, arguments, number);
    }
    if !arguments.watch {
        own_sessions::settle(output, &folder, &arguments.files, arguments.yes, "gephost observe --yes");
    }
    match read_logs(environment, output, &folder, arguments)? {
        ReadLogs::Page(page) => Ok(Report::of(&*page)),
        ReadLogs::Report(report) => Ok(report),
    }
}

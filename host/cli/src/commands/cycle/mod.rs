//! `gephost run`, `diagnose`, `select` and `propose`: the stages of a cycle, as far as each goes.

mod again;
mod diagnosis;
mod ending;
mod options;
mod proposals;
mod run;
mod selection;
mod view;

use std::path::Path;

use gephost_app::Project;

pub(crate) use diagnosis::DiagnosisPage;
pub(super) use ending::exit_of_ended;
pub(super) use options::{apply_options, running};
use options::{options, selecting, settle};
pub(crate) use proposals::ProposalsPage;
pub(crate) use run::{RunPage, run};
pub(crate) use selection::SelectionPage;
use view::View;

use crate::args::{DiagnoseArguments, DiagnosisForm, SelectArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};
use crate::render::{findings, signature};

pub(super) fn diagnose(
    environment: &Environment,
    output: Output,
    arguments: &DiagnoseArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let mut options = options(environment, &arguments.cycle)?;
    for what in &arguments.what {
        match number(what) {
            Some(number) => options.finding = Some(number),
            None => options.logs.logs.push(what.clone()),
        }
    }
    options.days = arguments.form != DiagnosisForm::Text;
    let unread = settle(output, &project, &options.logs.logs, &arguments.cycle, "gephost diagnose --yes");
    let found = project.diagnose(&options)?;
    let view = View::new(&project, Some(output), &arguments.cycle, unread.as_ref()).reading(&options.logs.logs);
    let shown = match (arguments.top, arguments.form) {
        (Some(top), _) => top,
        (None, DiagnosisForm::Text) if !arguments.all => findings::SHOWN,
        // A file has room for all.
        _ => usize::MAX,
    };
    let page = DiagnosisPage::of(&found, view).shown(shown, options.finding, arguments.form);
    Ok(Report::of(&page))
}

/// The number of a finding, if an argument is one. A log whose name is a number is given as `./3`.
fn number(argument: &Path) -> Option<usize> {
    argument.to_str()?.parse().ok()
}

pub(super) fn select(
    environment: &Environment,
    output: Output,
    arguments: &SelectArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let cycle = &arguments.cycle;
    let unread = settle(output, &project, &cycle.log, cycle, "gephost select --yes");
    let (found, selection) = project.select(&selecting(environment, arguments)?)?;
    let view = View::new(&project, None, cycle, unread.as_ref());
    let explain = view.audits(&found.diagnosed.calls);
    let genes = signature::rows(&found.vouched);
    Ok(Report::of(&SelectionPage { selection: &selection, genes, explain, found: &found, view }))
}

pub(super) fn propose(
    environment: &Environment,
    output: Output,
    arguments: &SelectArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let cycle = &arguments.cycle;
    let unread = settle(output, &project, &cycle.log, cycle, "gephost propose --yes");
    let proposals = project.propose(&selecting(environment, arguments)?)?;
    let view = View::new(&project, Some(output), cycle, unread.as_ref());
    Ok(Report::of(&ProposalsPage::of(&proposals, view)))
}

//! `gephost gene test`: runs a gene on the fixtures of its project.

use std::fmt::Write as _;

use gephost_app::authoring::{FixtureResult, FixtureState, Tested, build, test, watch};
use schemars::JsonSchema;
use serde::Serialize;

use super::junit;
use crate::args::TestArguments;
use crate::context::write_over;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render::style::{bad, dim, good, note, printable};

pub(crate) fn run(environment: &Environment, output: Output, arguments: &TestArguments) -> Result<Report, Failure> {
    if arguments.watch {
        watch(environment, &arguments.folder, || {
            let built = build(environment, &arguments.folder).map_err(Failure::from);
            // Each round tells its own result; the exit code is that of the whole command.
            let _ = match built.and_then(|_| once(environment, arguments)) {
                Ok(report) => output.report(&report),
                Err(failure) => output.failure(&failure),
            };
            output.note("waiting for a change; Ctrl-C ends");
        })?;
        return Ok(Report::printed());
    }
    once(environment, arguments)
}

fn once(environment: &Environment, arguments: &TestArguments) -> Result<Report, Failure> {
    let Tested { gene, id, fixtures } =
        test(environment, &arguments.folder, arguments.gene.as_deref(), arguments.bless)?;
    if let Some(file) = &arguments.junit {
        write_over(environment, file, &junit::document(&id, &fixtures))?;
    }
    Ok(Report::of(&GeneTestPage { gene: id, file: gene.display().to_string(), fixtures }))
}

/// The fixtures of a project, and how each ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GeneTestPage {
    /// The gene's id.
    gene: String,
    /// The gene's file.
    file: String,
    /// The fixtures, by name.
    fixtures: Vec<FixtureResult>,
}

impl Page for GeneTestPage {
    const KIND: &'static str = "gene-test";

    fn text(&self) -> String {
        let mut text = String::new();
        for fixture in &self.fixtures {
            let state = match fixture.state {
                FixtureState::Passed => good("passed"),
                FixtureState::Blessed => note("blessed"),
                FixtureState::Failed => bad("FAILED"),
                FixtureState::Broken => bad("BROKEN"),
            };
            let used = fixture.fullest.as_ref().map(|most| format!(", {}", most.text())).unwrap_or_default();
            let more = dim(format!("{} ms{used}", fixture.wall_ms));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{state} {}  {more}", printable(&fixture.name));
            for problem in &fixture.problems {
                let _ = writeln!(text, "  {problem}");
            }
        }
        let failed = self.fixtures.iter().filter(|fixture| !is_good(fixture)).count();
        let _ = writeln!(
            text,
            "{} {}: {} of {} passed",
            if failed == 0 { good("ok") } else { bad("failed") },
            self.gene,
            self.fixtures.len() - failed,
            self.fixtures.len()
        );
        if self.fixtures.iter().any(is_difference) {
            text.push_str(&format!(
                "{}\n",
                dim("lines with `-` were expected, lines with `+` were answered; `--bless` expects the answer")
            ));
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.fixtures.iter().all(is_good) { Exit::Done } else { Exit::Failed }
    }
}

/// Whether the problems of a fixture are lines of a difference.
fn is_difference(fixture: &FixtureResult) -> bool {
    fixture.state == FixtureState::Failed && fixture.problems.iter().any(|line| line.starts_with(['-', '+']))
}

fn is_good(fixture: &FixtureResult) -> bool {
    matches!(fixture.state, FixtureState::Passed | FixtureState::Blessed)
}

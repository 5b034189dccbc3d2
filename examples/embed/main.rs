//! A dry run of gephost from another program: `cargo run -p gephost-app --example embed -- PROJECT USER_FOLDER`.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program prints, and has a clock")]

use std::path::Path;

use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::{Environment, Project, serve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    // gephost may start this program again: to run a gene, or a validation command.
    if let Some(served) = serve(&arguments) {
        return Ok(served?);
    }
    let [project, user] = arguments.as_slice() else { return Err("usage: embed PROJECT USER_FOLDER".into()) };
    let environment = Environment::in_folders(Path::new(project), Path::new(user), jiff::Timestamp::now);
    let ran = Project::open(&environment)?.run(&CycleOptions::default(), &ApplyOptions::default())?;
    for finding in &ran.proposals.findings.diagnosed.diagnosis.findings {
        println!("finding: {}", finding.title);
    }
    if let Some(judged) = ran.proposals.proposed.passed() {
        println!("{}\n{}", judged.proposal.title, judged.verdict.diff());
    }
    println!("Nothing was changed.");
    Ok(())
}

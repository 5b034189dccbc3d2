//! `gephost gene check`: what should be corrected in a gene before it is given to anybody.

use std::fmt::Write as _;

use gephost_app::authoring::{Fault, check};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::CheckArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, dim, good, printable};
use crate::render::verdict::plural;

pub(crate) fn run(environment: &Environment, arguments: &CheckArguments) -> Result<Report, Failure> {
    let checked = check(environment, &arguments.what)?;
    let (file, id) = (checked.file.display().to_string(), checked.id);
    Ok(Report::of(&GeneCheckPage { file, id, faults: checked.faults, unchecked: checked.unchecked }))
}

/// A gene that was checked.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GeneCheckPage {
    /// The gene's file.
    file: String,
    /// The gene's id; null if the file is no gene.
    id: Option<String>,
    /// What to correct.
    faults: Vec<Fault>,
    /// What was not looked at, and why.
    unchecked: Vec<String>,
}

impl Page for GeneCheckPage {
    const KIND: &'static str = "gene-check";

    fn text(&self) -> String {
        let mut text = String::new();
        for Fault { check, problem } in &self.faults {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} {problem}", bad(format!("{check}:")));
        }
        for unchecked in &self.unchecked {
            let _ = writeln!(text, "{}", dim(format!("not checked: {}", printable(unchecked))));
        }
        let name = printable(self.id.as_deref().unwrap_or(&self.file));
        let count = self.faults.len() as u64;
        if count == 0 {
            let where_checked = if self.unchecked.is_empty() { "" } else { " in what was checked" };
            text + &format!("{} {name} has nothing to correct{where_checked}\n", good("ok"))
        } else {
            text + &format!("{name} has {count} {} to correct\n", plural(count, "fault"))
        }
    }

    fn exit(&self) -> Exit {
        if self.faults.is_empty() { Exit::Done } else { Exit::Failed }
    }
}

//! `gephost gene build`: builds a project with the tools of its language.

use std::fmt::Write as _;

use gephost_app::authoring::{UsedTool, build};
use schemars::JsonSchema;
use serde::Serialize;

use super::pack::PackedRow;
use crate::args::BuildArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, grouped};

pub(crate) fn run(environment: &Environment, arguments: &BuildArguments) -> Result<Report, Failure> {
    let built = build(environment, &arguments.folder)?;
    let (language, wall_ms) = (built.language.word(), built.wall_ms);
    Ok(Report::of(&GeneBuildPage { language, gene: PackedRow::of(&built.packed), tools: built.tools, wall_ms }))
}

/// A project that was built.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GeneBuildPage {
    /// The language.
    language: &'static str,
    gene: PackedRow,
    /// The tools that ran.
    tools: Vec<UsedTool>,
    /// How long it took, in milliseconds.
    wall_ms: u64,
}

impl Page for GeneBuildPage {
    const KIND: &'static str = "gene-build";

    fn text(&self) -> String {
        let mut text = String::new();
        for (position, UsedTool { name, version }) in self.tools.iter().enumerate() {
            let title = if position == 0 { "Built" } else { "     " };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}   with {name} ({version})", bold(title));
        }
        let _ = writeln!(text, "{}   in {} ms", bold("     "), grouped(self.wall_ms));
        text + &self.gene.text()
    }
}

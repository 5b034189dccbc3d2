//! `gephost memory show`: what selection remembers of genes.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::select::Remembered;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::MemoryCommand;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, bold, dim, printable};

pub(super) fn run(environment: &Environment, command: MemoryCommand) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    match command {
        MemoryCommand::Show => Ok(Report::of(&MemoryPage { genes: project.memory()? })),
    }
}

/// What selection remembers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryPage {
    /// By signals, then by gene.
    genes: Vec<Remembered>,
}

impl Page for MemoryPage {
    const KIND: &'static str = "memory";

    fn text(&self) -> String {
        if self.genes.is_empty() {
            return "Nothing is remembered: no cycle has validated a change yet (`gephost run --apply`).\n".to_owned();
        }
        let mut text = String::new();
        let mut key = None;
        for row in &self.genes {
            if key != Some(&row.signal_key) {
                let _ = writeln!(text, "{}", bold(printable(&row.signal_key.replace('|', " | "))));
                key = Some(&row.signal_key);
            }
            let banned = if row.is_banned { format!("  {}", bad("banned for these signals")) } else { String::new() };
            let last = row
                .last
                .as_deref()
                .and_then(|last| last.get(..10))
                .map_or(String::new(), |day| format!(", last on {day}"));
            let _ = writeln!(
                text,
                "  {}  {} of {} succeeded{last}  {}{banned}",
                printable(&row.gene),
                row.successes,
                row.tries,
                dim(format!("probability {:.2}", row.probability)),
            );
        }
        text.push_str(
            "Tries lose half of their weight in 30 days. Selection also counts tries with similar signals.\n",
        );
        text
    }
}

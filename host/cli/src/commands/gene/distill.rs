//! `gephost gene distill`: the draft of a gene from changes that held for the same signals, for a person to review.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::distill::{GroupRow, LookedAt, MAX_ASSETS};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::DistillArguments;
use crate::context::write_new;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Report, pretty};
use crate::page::Page;
use crate::render::style::{bold, dim, good, note, printable};
use crate::render::verdict::plural;

pub(super) fn run(environment: &Environment, arguments: &DistillArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let found = project.distill(usize::from(arguments.min), arguments.external, &arguments.signal)?;
    let file = match (&arguments.out, &found.draft) {
        (Some(file), Some(draft)) => Some(write_new(environment, file, &pretty(&Value::Object(draft.clone())))?),
        _ => None,
    };
    Ok(Report::of(&DistillPage { looked_at: found.looked_at, groups: found.groups, gene: found.draft, file }))
}

/// The draft of a gene, and what it rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DistillPage {
    /// The capsules that were looked at.
    looked_at: LookedAt,
    /// Capsules that similar signals triggered, the largest group first. The draft is of the first that is not refused.
    groups: Vec<GroupRow>,
    /// The draft: a GEP Gene with its `asset_id` and the member `evidence`; null if there is none.
    gene: Option<Map<String, Value>>,
    /// The file that it was written to.
    file: Option<String>,
}

impl DistillPage {
    fn looked_at(&self) -> String {
        let LookedAt { capsules, counted, failed, unverified, external, without_signal, repeated, .. } = self.looked_at;
        let mut text = format!("Looked at {capsules} {}: {counted} counted", plural(capsules, "capsule"));
        for (count, why) in [
            (failed, "failed"),
            (unverified, "without a valid asset id"),
            (external, "from elsewhere (--external counts them)"),
            (without_signal, "without a signal that was asked for"),
            (repeated, "there before under the same id"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {count} {why}");
            }
        }
        text.push('\n');
        let LookedAt { left_out, left_out_others, .. } = self.looked_at;
        if left_out > 0 {
            let _ = writeln!(
                text,
                "Left out {left_out} more {}: at most {MAX_ASSETS} are compared.",
                plural(left_out, "capsule")
            );
        }
        if left_out_others > 0 {
            let _ = writeln!(
                text,
                "Left out {left_out_others} genes, events and reports of these capsules: at most {MAX_ASSETS} of each are read."
            );
        }
        text
    }

    fn groups(&self) -> String {
        let mut text = String::new();
        for row in &self.groups {
            let signals =
                if row.signals.is_empty() { "no signal in common".to_owned() } else { row.signals.join(", ") };
            let refused =
                row.refused.as_ref().map_or_else(String::new, |why| format!("  {}", note(format!("({why})"))));
            let _ = writeln!(
                text,
                "  {} {}  {}{refused}",
                row.capsules,
                plural(row.capsules, "capsule"),
                printable(&signals)
            );
        }
        text
    }

    fn draft(&self, gene: &Map<String, Value>) -> String {
        let id = gene.get("id").and_then(Value::as_str).unwrap_or_default();
        let mut text = format!("{} {}\n\n", good("Draft:"), bold(printable(id)));
        match &self.file {
            Some(file) => {
                let _ = writeln!(text, "Wrote {file}. Undo: rm {file}");
                let _ = writeln!(text, "{}", dim(format!("To look at it: gephost gene inspect {file}")));
            }
            None => text.push_str(&pretty(&Value::Object(gene.clone()))),
        }
        text.push_str("\nReview every line: it was made of what the capsules have in common. It is in no registry.\n");
        text
    }
}

impl Page for DistillPage {
    const KIND: &'static str = "gene-distill";

    fn text(&self) -> String {
        let rest = match &self.gene {
            Some(gene) => self.draft(gene),
            None if self.groups.is_empty() => {
                "No capsule has a signal that is specific enough to select a gene.\n".to_owned()
            }
            None => "No group gives a draft.\n".to_owned(),
        };
        self.looked_at() + &self.groups() + "\n" + &rest
    }
}

//! `gephost log graph`: the evolution events as a tree.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::past::Lineage;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::lineage::{Flaw, Node};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::report_file::escaped;
use crate::render::style::{bad, dim, good, note, printable};
use crate::render::verdict::plural;

/// Lanes beyond this one are drawn in its place, so that a hostile tree stays readable.
const MAX_LANE: usize = 20;

pub(crate) fn run(project: &Project, is_svg: bool) -> Result<Report, Failure> {
    let Lineage { events, nodes, earlier } = project.lineage()?;
    let rows = nodes.iter().filter_map(|node| EventRow::of(&events, &nodes, node)).collect();
    Ok(Report::of(&GraphPage { events: rows, earlier, is_svg }))
}

/// The evolution events as a tree.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GraphPage {
    /// Each after the one that it follows; of the events that follow one event, the newest last.
    events: Vec<EventRow>,
    /// How many older events are not in the list, because there are very many.
    earlier: u64,
    #[serde(skip)]
    is_svg: bool,
}

/// An evolution event in the tree.
#[derive(Debug, Serialize, JsonSchema)]
struct EventRow {
    /// Its id.
    id: String,
    /// Id of the event that it follows in the tree; null at a root.
    parent: Option<String>,
    /// The place of that event in the list, from 0.
    parent_row: Option<usize>,
    /// How many branches lead to it.
    lane: usize,
    /// When it was recorded (RFC 3339).
    at: Option<String>,
    /// repair, optimize, innovate or another word.
    intent: String,
    /// Ids of the genes that were applied.
    genes: Vec<String>,
    /// Whether its change held.
    success: bool,
    /// From 0 to 1.
    score: f64,
    /// Files that it changed.
    files: Option<u64>,
    /// Lines that it changed.
    lines: Option<u64>,
    /// How many candidates were tried; null if the event does not say.
    candidates: Option<usize>,
    /// What is wrong with its place in the tree.
    flaw: Option<Flaw>,
}

impl EventRow {
    fn of(events: &[EvolutionEvent], nodes: &[Node], node: &Node) -> Option<Self> {
        let event = events.get(node.event)?;
        let parent = node.parent.and_then(|parent| events.get(nodes.get(parent)?.event));
        let candidates = event.document().get("meta").and_then(|meta| meta.get("candidates")?.as_array());
        Some(Self {
            id: event.id.clone(),
            parent: parent.map(|parent| parent.id.clone()),
            parent_row: node.parent,
            lane: node.lane,
            at: event.at.map(|at| at.to_string()),
            intent: event.intent.as_str().to_owned(),
            genes: event.genes_used.clone(),
            success: event.outcome.is_success(),
            score: event.outcome.score,
            files: event.blast_radius.map(|radius| radius.files),
            lines: event.blast_radius.map(|radius| radius.lines),
            candidates: candidates.map(Vec::len),
            flaw: node.flaw,
        })
    }

    /// What is said of it beside its id, without styles.
    fn facts(&self) -> String {
        let mut facts = format!("{} {:.2}", if self.success { "success" } else { "failed" }, self.score);
        if !self.genes.is_empty() {
            let _ = write!(facts, "  {}", self.genes.join(", "));
        }
        if let (Some(files), Some(lines)) = (self.files, self.lines) {
            let (file, line) = (plural(files, "file"), plural(lines, "line"));
            let _ = write!(facts, "  {files} {file}, {lines} {line}");
        }
        if let Some(candidates) = self.candidates {
            let _ = write!(facts, "  best of {candidates}");
        }
        printable(&facts)
    }

    fn day(&self) -> &str {
        self.at.as_deref().and_then(|at| at.get(..16)).unwrap_or("without a time  ")
    }

    fn flaw(&self) -> Option<&'static str> {
        Some(match self.flaw? {
            Flaw::MissingParent => "the event that it follows is missing",
            Flaw::EarlierParent => "it follows an older event, which is not shown",
            Flaw::Circle => "it follows itself, through other events",
            Flaw::SameId => "another event has its id",
        })
    }
}

impl GraphPage {
    fn text_tree(&self) -> String {
        if self.events.is_empty() {
            return "There are no evolution events yet. `gephost run --apply` records one for each cycle.\n".to_owned();
        }
        let mut text = String::new();
        for (place, row) in self.events.iter().enumerate() {
            if row.parent_row.is_none() && place > 0 {
                text.push('\n');
            }
            let lane = row.lane.min(MAX_LANE);
            let mark = if row.success { good("●") } else { bad("○") };
            let is_branch =
                row.parent_row.and_then(|parent| self.events.get(parent)).is_some_and(|it| it.lane < row.lane);
            let indent = match (lane, is_branch) {
                (0, _) => String::new(),
                (lane, true) => format!("{}├─", "│ ".repeat(lane - 1)),
                (lane, false) => "│ ".repeat(lane),
            };
            let day = dim(row.day().replace('T', " "));
            let _ = write!(
                text,
                "{}{mark} {}  {day}  {}  {}",
                dim(indent),
                printable(&row.id),
                printable(&row.intent),
                row.facts()
            );
            if let Some(flaw) = row.flaw() {
                let _ = write!(text, "  {}", note(format!("({flaw})")));
            }
            text.push('\n');
        }
        if let Some(left_out) = self.left_out() {
            let _ = writeln!(text, "\n{left_out}.");
        }
        text
    }

    fn left_out(&self) -> Option<String> {
        let Self { events, earlier, .. } = self;
        let shown = events.len();
        (*earlier > 0).then(|| format!("The newest {shown} events are shown, and {earlier} older ones are not"))
    }

    /// One row of 24 units for each event, lanes 18 units apart. Colours follow the reader's preference for dark or light.
    fn svg(&self) -> String {
        let x = |lane: usize| 16 + 18 * lane.min(MAX_LANE);
        let y = |row: usize| 20 + 24 * row;
        let lanes = self.events.iter().map(|row| row.lane).max().unwrap_or_default();
        let (left, height) = (x(lanes) + 18, y(self.events.len()));
        let longest = self.events.iter().map(|row| label(row).chars().count()).max().unwrap_or_default();
        let width = left + 8 * longest + 16;
        let title = self.left_out().map_or_else(String::new, |left_out| format!(". {left_out}"));
        let title = format!("Evolution events{title}");
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
             <title>{title}</title>\n<style>\n\
             svg {{ background: #fff }} text {{ font: 13px ui-monospace, monospace; fill: #1f2328 }}\n\
             path {{ stroke: #8c959f; fill: none; stroke-width: 2 }} .held {{ fill: #1a7f37 }} .failed {{ fill: #fff; stroke: #cf222e; stroke-width: 2 }}\n\
             @media (prefers-color-scheme: dark) {{ svg {{ background: #0d1117 }} text {{ fill: #e6edf3 }} .held {{ fill: #3fb950 }} .failed {{ fill: #0d1117; stroke: #f85149 }} }}\n\
             </style>\n"
        );
        for (place, row) in self.events.iter().enumerate() {
            if let Some((parent, above)) = row.parent_row.and_then(|above| Some((self.events.get(above)?, above))) {
                let (from, to) = (x(parent.lane), x(row.lane));
                let _ = writeln!(svg, "<path d=\"M{from} {} V{} L{to} {}\"/>", y(above), y(place) - 12, y(place));
            }
        }
        for (place, row) in self.events.iter().enumerate() {
            let class = if row.success { "held" } else { "failed" };
            let (x, y) = (x(row.lane), y(place));
            let _ = writeln!(svg, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"5\"/>");
            let _ = writeln!(svg, "<text x=\"{left}\" y=\"{}\">{}</text>", y + 4, escaped(&label(row)));
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// The text beside an event of the image.
fn label(row: &EventRow) -> String {
    let flaw = row.flaw().map_or(String::new(), |flaw| format!("  ({flaw})"));
    format!("{}  {}  {}  {}{flaw}", row.id, row.day().replace('T', " "), row.intent, row.facts())
}

impl Page for GraphPage {
    const KIND: &'static str = "log-graph";

    fn text(&self) -> String {
        if self.is_svg { self.svg() } else { self.text_tree() }
    }
}

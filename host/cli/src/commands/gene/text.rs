//! A component as `gene inspect` shows it.

use std::fmt::Write as _;

use gephost_core::gene::{Gene, unknown_members};
use gephost_runner::sandbox::{Budgets, Producers, Size};

use super::inspection::{CapabilityUse, Inspection, SettingHere};
use crate::render::style::{bad, bold, dim, good, grouped, note, printable};
use crate::render::verdict::plural;

/// Width of the left column.
const LEFT: usize = 10;
/// The most tools that are named.
const SHOWN_TOOLS: usize = 6;

/// All of it.
pub(crate) fn page(inspection: &Inspection) -> String {
    let inspected = &inspection.inspected;
    let gene = &inspected.manifest.gene;
    let mut text = String::new();
    let world = inspected.manifest.world;
    row(&mut text, "Gene", &format!("{}  {}", gene.id, dim(format!("{}, world {world}", gene.category))));
    if let Some(summary) = &gene.summary {
        row(&mut text, "", &printable(summary));
    }
    row(&mut text, "File", &format!("{}, {} bytes", printable(&inspection.name), grouped(inspected.size)));
    row(&mut text, "Digest", &inspection.digest.to_string());
    row(&mut text, "Asset id", &inspection.asset_id);
    row(&mut text, "Signature", &signature(inspection));
    row(&mut text, "Made with", &made_with(&inspected.producers));
    selection(&mut text, gene);
    capabilities(&mut text, inspection);
    settings(&mut text, &inspection.settings);
    budgets(&mut text, &inspection.budgets);
    names(&mut text, "Imports", &inspected.imports);
    names(&mut text, "Exports", &inspected.exports);
    parts(&mut text, &inspected.parts);
    if let Some(bytes) = inspected.input {
        row(
            &mut text,
            "Input",
            &format!("{} bytes, which the gene reads as its standard input", grouped(bytes as u64)),
        );
    }
    text
}

fn row(text: &mut String, title: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}  {value}", bold(format!("{title:<LEFT$}")));
}

fn signature(inspection: &Inspection) -> String {
    let section = if inspection.inspected.has_signature {
        "; it has a section for signatures, which this gephost does not check"
    } else {
        ""
    };
    let more = match inspection.signature.state {
        "unsigned" if inspection.signature.reason.is_none() => ": nobody vouches for it but whoever gave you the file",
        _ => "",
    };
    format!("{}{}", inspection.signature.text(), dim(format!("{section}{more}")))
}

fn made_with(producers: &Producers) -> String {
    let evidence: Vec<String> = producers.evidence().iter().take(SHOWN_TOOLS).map(|tool| printable(tool)).collect();
    let language = producers.language().unwrap_or("unknown: nothing in it tells the language");
    if evidence.is_empty() { language.to_owned() } else { format!("{language}  {}", dim(evidence.join(", "))) }
}

/// What the gene answers, what it forbids itself, and what must pass after its changes.
fn selection(text: &mut String, gene: &Gene) {
    let shown = |list: &[String]| list.iter().map(|entry| printable(entry)).collect::<Vec<_>>();
    let signals = shown(&gene.signals_match);
    row(
        text,
        "Signals",
        &if signals.is_empty() { "none, so it is never selected".to_owned() } else { signals.join(", ") },
    );
    let mut limits: Vec<String> = Vec::new();
    limits.extend(gene.constraints.max_files.map(|most| format!("at most {most} {}", plural(most, "file"))));
    limits.extend(shown(&gene.constraints.forbidden_paths).iter().map(|path| format!("not {path}")));
    row(text, "Limits", &if limits.is_empty() { "none of its own".to_owned() } else { limits.join(", ") });
    for (position, command) in shown(&gene.validation).iter().enumerate() {
        row(text, if position == 0 { "Validation" } else { "" }, command);
    }
    for (position, unknown) in unknown_members(gene.document()).iter().enumerate() {
        let why = format!("{}: an unknown member, which gephost ignores", printable(&unknown.path));
        row(text, if position == 0 { "Unknown" } else { "" }, &note(why));
    }
}

fn capabilities(text: &mut String, inspection: &Inspection) {
    if inspection.capabilities.is_empty() {
        row(text, "Asks for", "nothing");
    }
    for (position, asked) in inspection.capabilities.iter().enumerate() {
        row(text, if position == 0 { "Asks for" } else { "" }, &capability(asked));
        // What a toolchain imports without being asked is no news.
        if let Some(hint) = asked.hint(&inspection.grant).filter(|_| asked.asked) {
            row(text, "", &dim(format!("{:11}{hint}", "")));
        }
    }
    if let Some(read) = inspection.grant.read() {
        let read: Vec<String> = read.iter().map(|pattern| printable(pattern)).collect();
        row(text, "Reads", &if read.is_empty() { "no file".to_owned() } else { read.join(", ") });
    }
}

fn capability(asked: &CapabilityUse) -> String {
    let word = match (asked.asked, asked.granted) {
        (true, true) => good("granted here"),
        (true, false) => bad("not granted here"),
        (false, _) => note("imported and not asked for, so always denied"),
    };
    format!("{:<10} {word}", asked.capability.as_str())
}

/// Two lines for each setting: name, value and bounds, then what it does.
fn settings(text: &mut String, settings: &[SettingHere]) {
    for (position, setting) in settings.iter().enumerate() {
        let declared = &setting.declared;
        let value = match &setting.value {
            value if *value == declared.default => value.to_string(),
            value => format!("{} {}", good(value), dim(format!("(default {})", declared.default))),
        };
        let unit = declared.unit.as_deref().map(|unit| format!(" {}", printable(unit))).unwrap_or_default();
        let bounds = Some(declared.bounds()).filter(|bounds| !bounds.is_empty());
        let bounds = bounds.map(|bounds| format!("  {}", dim(bounds))).unwrap_or_default();
        let title = if position == 0 { "Settings" } else { "" };
        row(text, title, &format!("{:<20} {}{unit}{bounds}", declared.name, value));
        row(text, "", &dim(format!("  {}", printable(&declared.description))));
    }
}

fn budgets(text: &mut String, budgets: &Budgets) {
    let first = format!(
        "{} ms, {} fuel, {} MiB of memory, {} table elements",
        grouped(budgets.wall.as_millis()),
        grouped(budgets.fuel),
        budgets.memory >> 20,
        grouped(budgets.table_elements)
    );
    let second = format!(
        "{} MiB and {} lines of output, {} host calls, {} MiB handed over, {} handles",
        budgets.output >> 20,
        grouped(budgets.log_lines),
        grouped(budgets.host_calls),
        budgets.host_bytes >> 20,
        grouped(budgets.handles)
    );
    row(text, "Budgets", &first);
    row(text, "", &second);
}

fn names(text: &mut String, title: &str, names: &[String]) {
    for (position, name) in names.iter().enumerate() {
        row(text, if position == 0 { title } else { "" }, &printable(name));
    }
}

fn parts(text: &mut String, size: &Size) {
    let count = |count: u64, noun: &str| format!("{} {}", grouped(count), plural(count, noun));
    row(
        text,
        "Parts",
        &format!(
            "{}, {} within, {}, {}, {}",
            count(size.sections, "section"),
            count(size.components, "component"),
            count(size.modules, "core module"),
            count(size.functions, "function"),
            count(size.types, "type")
        ),
    );
    row(
        text,
        "",
        &format!(
            "code {} bytes, data {}, names and debug information {}, other custom sections {}",
            grouped(size.code_bytes),
            grouped(size.data_bytes),
            grouped(size.debug_bytes),
            grouped(size.custom_bytes)
        ),
    );
}

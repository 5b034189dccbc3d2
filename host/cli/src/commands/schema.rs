//! `gephost schema [KIND]`: the JSON Schema of a document, or the list of all kinds.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::args::SchemaArguments;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::kinds::KINDS;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::bold;

pub(super) fn run(arguments: &SchemaArguments) -> Result<Report, Failure> {
    let Some(asked) = &arguments.kind else {
        let kinds = KINDS.iter().map(|kind| KindRow { kind: kind.name, what: kind.what }).collect();
        return Ok(Report::of(&SchemasPage { kinds }));
    };
    let short = asked.strip_prefix("gephost.").and_then(|rest| rest.strip_suffix("/1")).unwrap_or(asked);
    let kind = KINDS.iter().find(|kind| kind.name == short).ok_or_else(|| {
        Failure::new(Exit::Usage, "unknown_kind", format!("there is no document of the kind `{asked}`"))
            .hint("`gephost schema` lists the kinds")
    })?;
    let document = (kind.schema)().to_value();
    Ok(Report { exit: Exit::Done, text: crate::output::pretty(&document), document })
}

/// The kinds of documents.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SchemasPage {
    /// Every kind, by name.
    kinds: Vec<KindRow>,
}

/// A kind of document.
#[derive(Debug, Serialize, JsonSchema)]
struct KindRow {
    /// Its name, an argument of `gephost schema`.
    kind: &'static str,
    /// What prints it.
    what: &'static str,
}

impl Page for SchemasPage {
    const KIND: &'static str = "schemas";

    fn text(&self) -> String {
        let mut text = String::new();
        for KindRow { kind, what } in &self.kinds {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}  {what}", bold(format!("{kind:<18}")));
        }
        text
    }
}

//! `gephost gene new`: a new project of a gene that builds and passes its test.

use std::fmt::Write as _;

use gephost_app::authoring::begin;
use gephost_author::language::Language;
use gephost_core::command::ValidationCommand;
use gephost_core::gene::World;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{LanguageWord, NewArguments, WorldWord};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, printable};

pub(crate) fn run(environment: &Environment, arguments: &NewArguments) -> Result<Report, Failure> {
    let language = match arguments.lang {
        LanguageWord::Rust => Language::Rust,
        LanguageWord::Python => Language::Python,
        LanguageWord::Js => Language::JavaScript,
        LanguageWord::Ts => Language::TypeScript,
        LanguageWord::Go => Language::Go,
        LanguageWord::C => Language::C,
        LanguageWord::Cpp => Language::Cpp,
        LanguageWord::Zig => Language::Zig,
        LanguageWord::Assemblyscript => Language::AssemblyScript,
    };
    let world = match arguments.world {
        WorldWord::Strategy => World::Strategy,
        WorldWord::Heuristic => World::Heuristic,
    };
    let begun = begin(environment, &arguments.folder, language, world)?;
    let folder = begun.folder.display().to_string();
    let command = |verb: &str| ValidationCommand::quote(&["gephost", "gene", verb, &folder].map(str::to_owned));
    let next = ["build", "test"].map(command).to_vec();
    Ok(Report::of(&GeneNewPage { language: language.word(), source: begun.source, folder, files: begun.files, next }))
}

/// A new project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GeneNewPage {
    /// The language.
    language: &'static str,
    /// The folder of the project.
    folder: String,
    /// The file to edit, from that folder.
    source: &'static str,
    /// All files, from that folder.
    files: Vec<String>,
    /// The commands to run next.
    next: Vec<String>,
}

impl Page for GeneNewPage {
    const KIND: &'static str = "gene-new";

    fn text(&self) -> String {
        let mut text = format!("{}    {} ({} files)\n", bold("Made"), printable(&self.folder), self.files.len());
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}    {}", bold("Edit"), self.source);
        for (position, command) in self.next.iter().enumerate() {
            let title = if position == 0 { "Next" } else { "    " };
            let _ = writeln!(text, "{}    {}", bold(title), printable(command));
        }
        text
    }
}

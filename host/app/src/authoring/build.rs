//! Builds a project: finds its tools, runs them, and packs what they write.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gephost_author::interpreter::Interpreter;
use gephost_author::language::Language;
use gephost_author::lines::Maps;
use gephost_author::pack::Packing;
use gephost_author::recipe::{BUILD, GENE, MapFiles, Output, Recipe, Step, Tool, argument};
use gephost_core::gene::World;
use gephost_runner::author_tool::End;
use gephost_runner::monotonic;
use gephost_runner::sandbox::MAX_COMPONENT_BYTES;
use schemars::JsonSchema;
use serde::Serialize;

use super::built::no_project;
use super::folder::{Folder, copy};
use super::packing::{Packed, pack_bytes, read_manifest};
use super::sources;
use super::tools::{Found, find, run};
use super::versions::Versions;
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind, printable};
use crate::sink::Note;

/// How long one step may take. zig builds the C library once, which takes a minute on a slow machine.
const MAX_STEP_TIME: Duration = Duration::from_mins(15);
/// Largest stamp of an interpreter that is read, in bytes.
const MAX_STAMP_BYTES: u64 = 64 << 10;
/// Most lines of a tool's messages that are shown.
const MAX_LINES: usize = 60;

/// A project that was built.
#[derive(Debug)]
pub struct Built {
    /// The language of the project, by the files that it has.
    pub language: Language,
    /// The tools that ran.
    pub tools: Vec<UsedTool>,
    /// The component, as it was written into the folder of the build.
    pub packed: Packed,
    /// How long it took, in milliseconds.
    pub wall_ms: u64,
}

/// A tool that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsedTool {
    /// The name of the program, as messages use it.
    pub name: &'static str,
    /// What it says of its version.
    pub version: String,
}

/// Builds the project in a folder. The gene is `build/gene.wasm`.
pub fn build(environment: &Environment, folder: &Path) -> Result<Built, AppError> {
    let begun = monotonic::now();
    let project = Folder::open(&environment.resolve(folder))?;
    let language = Language::of_files(|file| project.has(file)).ok_or_else(|| no_project(folder))?;
    // Before the tools run: a fault of the manifest is the quicker one to correct.
    let manifest = read_manifest(environment, &folder.join("gene.json"))?;
    let recipe = Recipe::of(language);
    if let Some(missing) = recipe.sdk.iter().find(|file| !project.has(file)) {
        return Err(AppError::usage("sdk", format!("{} has no {missing}, which is part of the SDK", folder.display()))
            .hint(format!("copy it from a new project: gephost gene new NAME --lang {language}")));
    }
    let mut versions = Versions::of(&project);
    let mut tools: Vec<(&Tool, Found)> = Vec::new();
    for step in recipe.steps {
        if let Step::Run { tool, .. } = step
            && !tools.iter().any(|(known, _)| *known == *tool)
        {
            tools.push((*tool, find(environment, &project, folder, tool, &mut versions)?));
        }
    }
    project.create_folder(BUILD)?;
    versions.keep(&project);
    let run_steps = || {
        recipe.steps.iter().try_for_each(|step| carry_out(environment, &project, &recipe, step, manifest.world, &tools))
    };
    let input = if let Some(interpreter) = recipe.interpreter {
        Some(interpreted(&project, language, interpreter, manifest.world, &tools, recipe.output, run_steps)?)
    } else {
        run_steps()?;
        None
    };
    let output = output(&project, recipe.output)?;
    let bytes = project.read(&output, MAX_COMPONENT_BYTES)?;
    let root = project.path().to_string_lossy();
    let maps = maps(&project, recipe.maps)?;
    let (encoding, input) = (recipe.encoding, input.as_deref());
    let with = Packing { manifest: &manifest, input, encoding, folder: &root, maps: &maps };
    let packed = pack_bytes(environment, Path::new(&output), &bytes, &with, &folder.join(GENE))?;
    let tools = tools.into_iter().map(|(tool, found)| UsedTool { name: tool.name, version: found.version }).collect();
    let wall_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Built { language, tools, packed, wall_ms })
}

/// The source maps that the steps wrote. A project may do without.
fn maps(project: &Folder, files: MapFiles) -> Result<Maps, AppError> {
    let text = |file: &str| {
        let bytes = project.read(file, MAX_COMPONENT_BYTES)?;
        Ok::<_, AppError>(String::from_utf8_lossy(&bytes).into_owned())
    };
    match files {
        MapFiles::Module(file) if project.has(file) => Ok(Maps::Module(text(file)?)),
        MapFiles::Scripts(place) => {
            let names = project.files(place)?.into_iter();
            let maps =
                names.filter_map(|name| Some((name.strip_suffix(".map")?.to_owned(), format!("{place}/{name}"))));
            let maps = maps.map(|(script, file)| Ok((script, text(&file)?)));
            Ok(Maps::Scripts(place, maps.collect::<Result<_, AppError>>()?))
        }
        MapFiles::Module(_) | MapFiles::None => Ok(Maps::None),
    }
}

/// Builds the interpreter of a project, unless the one that is there was built from the same. Returns its input.
fn interpreted(
    project: &Folder,
    language: Language,
    interpreter: &Interpreter,
    world: World,
    tools: &[(&Tool, Found)],
    output: Output,
    build: impl FnOnce() -> Result<(), AppError>,
) -> Result<Vec<u8>, AppError> {
    let sources = sources::sources(project, interpreter)?;
    sources::check(&sources, language.source())?;
    let loader = interpreter.loader_for(&sources);
    let versions = tools.iter().map(|(_, found)| found.version.as_str()).collect::<Vec<_>>().join(", ");
    let stamp = sources::stamp(project, interpreter, world, &versions, &loader)?;
    let is_same = project.has(interpreter.stamp)
        && project.read(interpreter.stamp, MAX_STAMP_BYTES).is_ok_and(|found| found == stamp.as_bytes());
    if !(is_same && matches!(output, Output::File(file) if project.has(file))) {
        project.write(interpreter.loader, loader.as_bytes())?;
        // A build that breaks off leaves no stamp, so the next one begins again.
        project.write(interpreter.stamp, b"")?;
        build()?;
        project.write(interpreter.stamp, stamp.as_bytes())?;
    }
    Ok(interpreter.input(&sources))
}

fn carry_out(
    environment: &Environment,
    project: &Folder,
    recipe: &Recipe,
    step: &Step,
    world: World,
    tools: &[(&Tool, Found)],
) -> Result<(), AppError> {
    match step {
        Step::Copy { from, to } => {
            copy(&project.join(from), &project.join(to)).map_err(|error| AppError::io(Path::new(from), "copy", &error))
        }
        Step::Run { tool, arguments, variables } => {
            let Some((_, found)) = tools.iter().find(|(known, _)| *known == *tool) else { return Ok(()) };
            let arguments: Vec<String> = arguments.iter().map(|text| argument(text, world)).collect();
            let words: Vec<OsString> =
                found.words.iter().cloned().chain(arguments.iter().map(OsString::from)).collect();
            environment.sink.note(Note::Step(&format!("{} {}", tool.name, arguments.join(" "))));
            let ran = run(environment, project.path(), &words, variables, MAX_STEP_TIME)
                .map_err(|error| AppError::io(Path::new(tool.name), "start", &error))?;
            match ran.end {
                End::Exit(Some(0)) => Ok(()),
                End::Interrupt => {
                    Err(AppError::new(ErrorKind::Interrupted, "interrupted", "the build was interrupted"))
                }
                End::Timeout => {
                    let message = format!("{} took longer than {} s", tool.name, MAX_STEP_TIME.as_secs());
                    Err(AppError::new(ErrorKind::Budget, "build_time", message))
                }
                End::Exit(code) => Err(failed(recipe, tool, code, &ran.printed)),
            }
        }
    }
}

/// A tool failed. Its own messages are the author's to read, so they are shown.
fn failed(recipe: &Recipe, tool: &Tool, code: Option<i32>, printed: &str) -> AppError {
    let how = code.map_or_else(|| "was ended by a signal".to_owned(), |code| format!("ended with exit code {code}"));
    let lines: Vec<String> = printed.lines().map(printable).collect();
    let shown = lines.iter().take(MAX_LINES).cloned().collect::<Vec<_>>().join("\n");
    let more = lines.len().saturating_sub(MAX_LINES);
    let more = if more > 0 { format!("\n… and {more} more lines") } else { String::new() };
    let error = AppError::new(ErrorKind::Failed, "build_failed", format!("{} {how}\n{shown}{more}", tool.name));
    match recipe.remedies.iter().find(|(message, _)| printed.contains(message)) {
        Some((_, remedy)) => error.hint(*remedy),
        None => error,
    }
}

/// The file that the steps wrote, from the folder of the project.
fn output(project: &Folder, output: Output) -> Result<String, AppError> {
    let missing = |what: &str| AppError::new(ErrorKind::Failed, "no_output", format!("the build wrote no {what}"));
    match output {
        Output::File(file) if project.has(file) => Ok(file.to_owned()),
        Output::File(file) => Err(missing(file)),
        Output::Only(folder) => {
            let files: Vec<String> = project
                .files(folder)?
                .into_iter()
                .filter(|name| PathBuf::from(name).extension().is_some_and(|end| end == "wasm"))
                .collect();
            match files.as_slice() {
                [one] => Ok(format!("{folder}/{one}")),
                [] => Err(missing(&format!(".wasm file in {folder}"))),
                _ => Err(AppError::usage("outputs", format!("{folder} has several .wasm files: {}", files.join(", ")))
                    .hint(format!("remove the folder {BUILD} and build again"))),
            }
        }
    }
}

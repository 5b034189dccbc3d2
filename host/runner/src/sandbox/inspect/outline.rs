//! Reads a component in one pass: its names, imports and exports, and what it consists of. Nothing is validated,
//! compiled or run.
//!
//! What must stay true: the limits of [`Size`](super::size::Size) and the few kept texts bound memory, whatever the
//! bytes are. A component that exceeds a limit is refused at that point.

use gephost_core::gene::{INPUT_SECTION, MANIFEST_SECTION};
use wasmparser::{
    BinaryReaderError, CanonicalFunction, CanonicalOption, Chunk, ComponentExternName, ComponentType, Encoding, Parser,
    Payload,
};

use super::core_module::CoreModule;
use super::error::{InspectError, MAX_EXTERNS};
use super::producers::Producers;
use super::size::Size;
use crate::sandbox::printable::printable;

/// The name of the section for signatures, as in the proposal for WebAssembly signatures.
const SIGNATURE_SECTION: &str = "signature";

/// The result of the pass.
#[derive(Debug, Default)]
pub(super) struct Outline<'a> {
    /// Names of the top level, sorted.
    pub(super) imports: Vec<String>,
    /// Names of the top level, sorted.
    pub(super) exports: Vec<String>,
    /// The manifest. It may be at any depth, because a linker leaves it in the core module.
    pub(super) manifest: Option<&'a [u8]>,
    /// Whether there is a second manifest, at any depth.
    pub(super) has_two_manifests: bool,
    /// What the gene reads as its standard input.
    pub(super) input: Option<&'a [u8]>,
    /// What is wrong with the place or the number of the inputs.
    pub(super) wrong_input: Option<&'static str>,
    /// Its parts, counted.
    pub(super) size: Size,
    /// The tools that made it.
    pub(super) producers: Producers,
    /// Whether it has a section for signatures. gephost does not check it.
    pub(super) has_signature: bool,
    /// The feature of the asynchronous ABI that it uses, if any.
    pub(super) is_async: Option<&'static str>,
    depth: usize,
}

impl<'a> Outline<'a> {
    /// Reads the component.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, InspectError> {
        let mut outline = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(|error| damaged(&error))?;
            if let (Payload::Version { encoding: Encoding::Module, .. }, 0) = (&payload, outline.depth) {
                return Err(InspectError::CoreModule { hint: CoreModule::read(bytes).hint() });
            }
            outline.size.count(&payload)?;
            outline.take(&payload).map_err(|error| damaged(&error))?;
            if outline.imports.len().max(outline.exports.len()) > MAX_EXTERNS {
                return Err(InspectError::TooManyExterns);
            }
        }
        outline.imports.sort();
        outline.exports.sort();
        Ok(outline)
    }

    fn take(&mut self, payload: &Payload<'a>) -> Result<(), BinaryReaderError> {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => self.depth += 1,
            Payload::End(_) => self.depth = self.depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if self.depth == 0 => {
                for import in section.clone() {
                    self.imports.push(name(import?.name));
                }
            }
            Payload::ComponentExportSection(section) if self.depth == 0 => {
                for export in section.clone() {
                    self.exports.push(name(export?.name));
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section.clone() {
                    self.is_async = self.is_async.or(of_async(&function?));
                }
            }
            Payload::ComponentTypeSection(section) => {
                for ty in section.clone() {
                    if let ComponentType::Func(function) = ty? {
                        self.is_async = self.is_async.or(function.async_.then_some("an `async` function"));
                    }
                }
            }
            Payload::CustomSection(section) => {
                match section.name() {
                    MANIFEST_SECTION => {
                        self.has_two_manifests |= self.manifest.is_some();
                        self.manifest = self.manifest.or(Some(section.data()));
                    }
                    INPUT_SECTION if self.depth > 0 => self.wrong_input = Some("an input inside a module of it"),
                    INPUT_SECTION if self.input.is_some() => self.wrong_input = Some("two inputs"),
                    INPUT_SECTION => self.input = Some(section.data()),
                    SIGNATURE_SECTION => self.has_signature = true,
                    _ => {}
                }
                self.producers.note(section);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The bytes of the first manifest in a component. Code is skipped: only the headers of sections are read.
pub(super) fn manifest(bytes: &[u8]) -> Result<Option<&[u8]>, InspectError> {
    // The parsers of the components and modules that are open, the innermost last.
    let mut open = vec![Parser::new(0)];
    let mut rest = bytes;
    while let Some(parser) = open.last_mut() {
        let (consumed, payload) = match parser.parse(rest, true).map_err(|error| damaged(&error))? {
            Chunk::Parsed { consumed, payload } => (consumed, payload),
            Chunk::NeedMoreData(_) => return Ok(None),
        };
        rest = rest.get(consumed..).unwrap_or_default();
        match payload {
            Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => return Ok(Some(section.data())),
            Payload::CodeSectionStart { size, .. } => {
                parser.skip_section();
                rest = rest.get(size as usize..).unwrap_or_default();
            }
            Payload::ModuleSection { parser: nested, .. } | Payload::ComponentSection { parser: nested, .. } => {
                open.push(nested);
            }
            Payload::End(_) => {
                open.pop();
            }
            _ => {}
        }
    }
    Ok(None)
}

/// A name that can be shown. Before validation it may contain anything.
fn name(name: ComponentExternName<'_>) -> String {
    printable(name.name)
}

fn damaged(error: &BinaryReaderError) -> InspectError {
    InspectError::Damaged { offset: error.offset(), message: printable(error.message()) }
}

/// The feature of the asynchronous ABI that a canonical function uses, if any.
fn of_async(function: &CanonicalFunction) -> Option<&'static str> {
    match function {
        CanonicalFunction::Lift { options, .. } if is_async(options) => Some("a function that it exports"),
        CanonicalFunction::Lower { options, .. } if is_async(options) => Some("a function that it imports"),
        CanonicalFunction::Lift { .. }
        | CanonicalFunction::Lower { .. }
        | CanonicalFunction::ResourceNew { .. }
        | CanonicalFunction::ResourceDrop { .. }
        | CanonicalFunction::ResourceRep { .. } => None,
        _ => Some("a task, stream, future or thread"),
    }
}

fn is_async(options: &[CanonicalOption]) -> bool {
    options.iter().any(|option| matches!(option, CanonicalOption::Async | CanonicalOption::Callback(_)))
}

//! The size of a component, and the limits that it must keep to before it is compiled.
//!
//! A component of a few kilobytes can declare millions of locals, or nest modules so that a compiler works for hours.
//! The limits are several times the size of the largest known genes, which are in Python (see [`CAPS`]). A component
//! within the limits can still be too much work: the compiler's process is bounded in time and memory.

use schemars::JsonSchema;
use serde::Serialize;
use wasmparser::{BinaryReaderError, FunctionBody, Payload};

use super::error::InspectError;

/// The parts of a component, summed over all levels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Size {
    /// Sections of any kind.
    pub sections: u64,
    /// Core modules.
    pub modules: u64,
    /// Components within it.
    pub components: u64,
    /// Functions with a body.
    pub functions: u64,
    /// Local variables of all functions, without parameters.
    pub locals: u64,
    /// Declared types, without those inside of other types.
    pub types: u64,
    /// Bytes of the longest function.
    pub longest_function: u64,
    /// Bytes of code.
    pub code_bytes: u64,
    /// Bytes of data for memories.
    pub data_bytes: u64,
    /// Bytes of names and debug information.
    pub debug_bytes: u64,
    /// Bytes of other custom sections.
    pub custom_bytes: u64,
    #[serde(skip)]
    depth: u64,
}

/// A limit: what is counted, and the largest number. The comment beside it has the number of a gene in Python, the
/// largest kind.
type Cap = (&'static str, u64, fn(&Size) -> u64);

const CAPS: &[Cap] = &[
    ("sections", 20_000, |size| size.sections),                       // 667
    ("core modules", 1_000, |size| size.modules),                     // 14
    ("components within it", 1_000, |size| size.components),          // 2
    ("levels of components", 16, |size| size.depth),                  // 2
    ("functions", 300_000, |size| size.functions),                    // 13,371
    ("types", 100_000, |size| size.types),                            // 1,254
    ("local variables", 5_000_000, |size| size.locals),               // 47,814
    ("bytes of one function", 2 << 20, |size| size.longest_function), // 426,843
];

impl Size {
    /// Counts a part, and refuses the component if it exceeds a limit.
    pub(super) fn count(&mut self, payload: &Payload<'_>) -> Result<(), InspectError> {
        self.add(payload)
            .map_err(|error| InspectError::Damaged { offset: error.offset(), message: error.message().to_owned() })?;
        match CAPS.iter().find(|(_, most, of)| of(self) > *most) {
            Some((what, most, _)) => Err(InspectError::TooMuch { what, most: *most }),
            None => Ok(()),
        }
    }

    fn add(&mut self, payload: &Payload<'_>) -> Result<(), BinaryReaderError> {
        if payload.as_section().is_some() {
            self.sections += 1;
        }
        match payload {
            Payload::ModuleSection { .. } => {
                self.modules += 1;
                self.depth += 1;
            }
            Payload::ComponentSection { .. } => {
                self.components += 1;
                self.depth += 1;
            }
            Payload::End(_) => self.depth = self.depth.saturating_sub(1),
            Payload::TypeSection(section) => self.types += u64::from(section.count()),
            Payload::CoreTypeSection(section) => self.types += u64::from(section.count()),
            Payload::ComponentTypeSection(section) => self.types += u64::from(section.count()),
            Payload::FunctionSection(section) => self.functions += u64::from(section.count()),
            Payload::CodeSectionStart { size, .. } => self.code_bytes += u64::from(*size),
            Payload::CodeSectionEntry(body) => self.add_function(body)?,
            Payload::DataSection(section) => self.data_bytes += section.range().len() as u64,
            Payload::CustomSection(section) => {
                let bytes = section.data().len() as u64;
                let is_debug = section.name().starts_with(".debug") || section.name().ends_with("name");
                *(if is_debug { &mut self.debug_bytes } else { &mut self.custom_bytes }) += bytes;
            }
            _ => {}
        }
        Ok(())
    }

    fn add_function(&mut self, body: &FunctionBody<'_>) -> Result<(), BinaryReaderError> {
        self.longest_function = self.longest_function.max(body.range().len() as u64);
        for locals in body.get_locals_reader()? {
            self.locals += u64::from(locals?.0);
        }
        Ok(())
    }
}

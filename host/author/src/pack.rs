//! Makes a gene of what a compiler wrote: a component with one manifest.
//!
//! A core module gets the world of its manifest, and the adapter if it uses WASI 0.1. A component stays as it is. In both,
//! every manifest that is already there is replaced, and debug information is removed. Of a module's, the lines of the author's
//! own files are kept. The same input gives the same bytes.

use gephost_core::digest::canonical_text;
use gephost_core::gene::{INPUT_SECTION, LINES_SECTION, MANIFEST_SECTION, MAX_INPUT_BYTES, Manifest, ManifestError};
use gephost_core::manifest_review::{Remark, review};
use serde_json::Value;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

use crate::contract;
use crate::lines::{Maps, lines_of};
use crate::rename::renamed;
use crate::sections::{Damaged, append_custom, is_module, sections, without_custom};

/// Largest file that is packed, in bytes. It is the largest component that a host loads.
pub const MAX_BYTES: usize = 64 << 20;
/// How the names of sections with debug information begin. No host reads them. The names of functions stay, because a trap
/// shows them.
const DEBUG: &[u8] = b".debug_";
/// The section that names a file beside the module.
const SOURCE_MAP: &[u8] = b"sourceMappingURL";
/// The module of WASI 0.1.
const WASI_0_1: &str = "wasi_snapshot_preview1";

/// How a module's strings are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// As every language but AssemblyScript does.
    #[default]
    Utf8,
    /// As AssemblyScript does.
    Utf16,
}

/// What a binary is packed with.
#[derive(Debug, Clone, Copy)]
pub struct Packing<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// What the gene reads as its standard input. Without, it keeps the input of the component.
    pub input: Option<&'a [u8]>,
    /// How the strings of a core module are encoded.
    pub encoding: Encoding,
    /// The folder of the author's files, absolute, as the compiler wrote it. A trap names lines of these files only.
    pub folder: &'a str,
    /// The source maps that the compiler wrote beside it.
    pub maps: &'a Maps,
}

/// Why a file cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// Over [`MAX_BYTES`].
    #[error("the file has {0} bytes, but the limit is {MAX_BYTES}: build it without debug information")]
    TooLarge(usize),
    /// An input over [`MAX_INPUT_BYTES`].
    #[error("the input has {0} bytes, but the limit is {MAX_INPUT_BYTES}")]
    LargeInput(usize),
    /// Not WebAssembly.
    #[error("the file is neither a WebAssembly module nor a component")]
    NotWasm,
    /// It ends early or is damaged.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// The manifest does not load.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The manifest loads, and has faults.
    #[error("the manifest has {} to correct: {}", count(.0), lines(.0))]
    Review(Vec<Remark>),
    /// The module does not fit the world.
    #[error("the module does not fit the world `{world}`: {problem}")]
    Misfit {
        /// The world.
        world: String,
        /// What the encoder says.
        problem: String,
    },
}

fn count(remarks: &[Remark]) -> String {
    if remarks.len() == 1 { "one thing".to_owned() } else { format!("{} things", remarks.len()) }
}

fn lines(remarks: &[Remark]) -> String {
    let line = |remark: &Remark| format!("`{}` {}", remark.member, remark.problem);
    remarks.iter().map(line).collect::<Vec<_>>().join("; ")
}

/// Reads a manifest that an author wrote. Unlike the host, it refuses everything that [`review`] names.
pub fn read_manifest(text: &[u8]) -> Result<Manifest, PackError> {
    let manifest = Manifest::from_json(text)?;
    let remarks = review(&manifest);
    if remarks.is_empty() { Ok(manifest) } else { Err(PackError::Review(remarks)) }
}

/// Makes a gene of a core module or a component.
pub fn pack(binary: &[u8], with: &Packing<'_>) -> Result<Vec<u8>, PackError> {
    let Packing { manifest, input, encoding, folder, maps } = *with;
    if binary.len() > MAX_BYTES {
        return Err(PackError::TooLarge(binary.len()));
    }
    if !binary.starts_with(b"\0asm") {
        return Err(PackError::NotWasm);
    }
    let lines = lines_of(binary, folder, maps).written();
    let is_replaced =
        |name: &[u8]| name == MANIFEST_SECTION.as_bytes() || (lines.is_some() && name == LINES_SECTION.as_bytes());
    let clean = without_custom(binary, |name| is_replaced(name) || name == SOURCE_MAP || name.starts_with(DEBUG))?;
    let mut packed = if is_module(&clean) { component(&clean, manifest, encoding)? } else { clean };
    if let Some(lines) = lines {
        append_custom(&mut packed, LINES_SECTION, &lines);
    }
    let text = canonical_text(&Value::Object(manifest.gene.document().clone())).map_err(ManifestError::Digest)?;
    append_custom(&mut packed, MANIFEST_SECTION, text.as_bytes());
    if let Some(input) = input {
        if input.len() > MAX_INPUT_BYTES {
            return Err(PackError::LargeInput(input.len()));
        }
        packed = without_custom(&packed, |name| name == INPUT_SECTION.as_bytes())?;
        append_custom(&mut packed, INPUT_SECTION, input);
    }
    Ok(packed)
}

fn component(module: &[u8], manifest: &Manifest, encoding: Encoding) -> Result<Vec<u8>, PackError> {
    let misfit = |problem: String| PackError::Misfit { world: manifest.world.to_string(), problem };
    let mut module = renamed(module)?;
    // Compilers with bindings of wit-bindgen write the world themselves.
    let is_typed = sections(&module)?
        .iter()
        .any(|section| section.custom().is_some_and(|(name, _)| name.starts_with(b"component-type")));
    if !is_typed {
        let (resolve, world) = contract::world(manifest.world).map_err(misfit)?;
        let encoding = match encoding {
            Encoding::Utf8 => StringEncoding::UTF8,
            Encoding::Utf16 => StringEncoding::UTF16,
        };
        embed_component_metadata(&mut module, &resolve, world, encoding).map_err(|error| misfit(chain(&error)))?;
    }
    let failed = |error| misfit(chain(&error));
    let mut encoder = ComponentEncoder::default().validate(true).module(&module).map_err(failed)?;
    if imports_wasi_0_1(&module) {
        let adapter = WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER;
        encoder = encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, adapter).map_err(failed)?;
    }
    encoder.encode().map_err(failed)
}

/// Everything that an error says, on one line.
fn chain(error: &impl std::fmt::Debug) -> String {
    let text = format!("{error:?}");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "Caused by:");
    lines.take_while(|line| !line.starts_with("Stack backtrace")).collect::<Vec<_>>().join(": ")
}

fn imports_wasi_0_1(module: &[u8]) -> bool {
    let payloads = Parser::new(0).parse_all(module).map_while(Result::ok);
    let sections = payloads.filter_map(|payload| match payload {
        Payload::ImportSection(section) => Some(section),
        _ => None,
    });
    sections.flat_map(|section| section.into_imports().map_while(Result::ok)).any(|import| import.module == WASI_0_1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::Section;

    const MANIFEST: &str = r#"{"type":"Gene","schema_version":"1.5.0","id":"gene_x","category":"repair",
        "summary":"Repairs x","signals_match":["error"],"strategy":["read"],"constraints":{"max_files":3},
        "validation":[],"world":"strategy","capabilities":[]}"#;

    const EXPORT: &str = "gephost:gene/proposals@0.1.2#propose";

    fn module(export: &str, more: &str) -> Vec<u8> {
        let text = format!(
            "(module {more} (memory (export \"memory\") 1)
               (func (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32) unreachable)
               (func (export \"{export}\") (param i32 i32 i32 i32) (result i32) unreachable))"
        );
        wat::parse_str(text).unwrap()
    }

    fn manifest() -> Manifest {
        read_manifest(MANIFEST.as_bytes()).unwrap()
    }

    fn packed(binary: &[u8]) -> Result<Vec<u8>, String> {
        pack(
            binary,
            &Packing { manifest: &manifest(), input: None, encoding: Encoding::Utf8, folder: "", maps: &Maps::None },
        )
        .map_err(|error| error.to_string())
    }

    /// The manifests of a binary, at any depth.
    fn manifests(binary: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for payload in Parser::new(0).parse_all(binary) {
            if let Payload::CustomSection(section) = payload.unwrap()
                && section.name() == MANIFEST_SECTION
            {
                found.push(String::from_utf8(section.data().to_vec()).unwrap());
            }
        }
        found
    }

    #[test]
    fn a_module_becomes_a_valid_component_with_one_manifest() {
        let gene = packed(&module(EXPORT, "")).unwrap();
        assert!(!is_module(&gene));
        wasmparser::validate(&gene).unwrap();
        let written = manifests(&gene);
        assert_eq!(written.len(), 1);
        assert_eq!(Manifest::from_json(written[0].as_bytes()).unwrap(), {
            let mut expected = manifest();
            expected.gene = Manifest::from_json(written[0].as_bytes()).unwrap().gene;
            expected
        });
        assert!(written[0].starts_with("{\"capabilities\":[],\"category\":\"repair\""), "{}", written[0]);
    }

    #[test]
    fn the_same_input_gives_the_same_bytes_and_packing_again_changes_nothing() {
        let gene = packed(&module(EXPORT, "")).unwrap();
        assert_eq!(packed(&module(EXPORT, "")).unwrap(), gene);
        assert_eq!(packed(&gene).unwrap(), gene);
    }

    #[test]
    fn debug_information_is_removed_and_names_stay() {
        let plain = packed(&module(EXPORT, "(func $named)")).unwrap();
        assert_eq!(packed(&module(EXPORT, "(func $named) (@custom \".debug_line\" \"x\")")).unwrap(), plain);
        assert!(plain.windows(5).any(|bytes| bytes == b"named"));
    }

    #[test]
    fn an_older_manifest_is_replaced_wherever_it_is() {
        let inside = module(EXPORT, "(@custom \"gephost:gene\" \"old\")");
        let gene = packed(&inside).unwrap();
        assert_eq!(gene, packed(&module(EXPORT, "")).unwrap());
        let mut twice = gene.clone();
        append_custom(&mut twice, MANIFEST_SECTION, b"another");
        assert_eq!(packed(&twice).unwrap(), gene);
    }

    #[test]
    fn an_input_is_written_once_and_kept_until_another_is_given() {
        let manifest = manifest();
        let with = |input: Option<&'static [u8]>| Packing {
            manifest: &manifest,
            input,
            encoding: Encoding::Utf8,
            folder: "",
            maps: &Maps::None,
        };
        let first = pack(&module(EXPORT, ""), &with(Some(b"one"))).unwrap();
        wasmparser::validate(&first).unwrap();
        assert_eq!(input_of(&first), [b"one"]);
        assert_eq!(input_of(&pack(&first, &with(None)).unwrap()), [b"one"]);
        assert_eq!(input_of(&pack(&first, &with(Some(b"two"))).unwrap()), [b"two"]);
        let large = vec![0; MAX_INPUT_BYTES + 1];
        let with = Packing {
            manifest: &manifest,
            input: Some(&large),
            encoding: Encoding::Utf8,
            folder: "",
            maps: &Maps::None,
        };
        assert!(matches!(pack(&first, &with), Err(PackError::LargeInput(_))));
    }

    /// What a component carries as input.
    fn input_of(binary: &[u8]) -> Vec<Vec<u8>> {
        let sections = sections(binary).unwrap();
        let inputs = sections.iter().filter_map(Section::custom).filter(|(name, _)| *name == INPUT_SECTION.as_bytes());
        inputs.map(|(_, data)| data.to_vec()).collect()
    }

    #[test]
    fn a_module_with_plain_names_and_utf16_is_packed() {
        let with =
            Packing { manifest: &manifest(), input: None, encoding: Encoding::Utf16, folder: "", maps: &Maps::None };
        let gene = pack(&module("gephost_export_propose", ""), &with).unwrap();
        wasmparser::validate(&gene).unwrap();
        assert_ne!(gene, packed(&module(EXPORT, "")).unwrap());
    }

    #[test]
    fn a_module_for_wasi_0_1_gets_the_adapter() {
        let import = "(import \"wasi_snapshot_preview1\" \"fd_write\" (func (param i32 i32 i32 i32) (result i32)))";
        let gene = packed(&module(EXPORT, import)).unwrap();
        wasmparser::validate(&gene).unwrap();
        let text = String::from_utf8_lossy(&gene).into_owned();
        assert!(text.contains("wasi:cli/stdout@0.2"), "the adapter imports WASI 0.2");
    }

    #[test]
    fn what_cannot_be_packed_says_why() {
        for (binary, expected) in [
            (b"hello".to_vec(), "neither a WebAssembly module nor a component"),
            (b"\0asm\x01\0\0\0\x01\x7f".to_vec(), "truncated or damaged near byte 8"),
            (module("other", ""), "does not fit the world `strategy`: failed to"),
            (module(EXPORT, "(import \"env\" \"abort\" (func))"), "env"),
        ] {
            let said = packed(&binary).unwrap_err();
            assert!(said.contains(expected), "{said}");
            assert!(!said.contains('\n'), "{said:?}");
        }
    }

    /// A module is the work of any compiler, and the packer of this one: a damaged one has an answer on one line.
    #[test]
    fn whatever_a_byte_of_a_module_becomes_there_is_an_answer() {
        let import = "(import \"wasi_snapshot_preview1\" \"fd_write\" (func (param i32 i32 i32 i32) (result i32)))";
        let mut binary = module(EXPORT, import);
        let mut refused = 0;
        for at in 8..binary.len() {
            for value in [0, 0xff] {
                let kept = std::mem::replace(&mut binary[at], value);
                if let Err(said) = packed(&binary) {
                    refused += 1;
                    assert!(!said.is_empty() && !said.contains('\n'), "{at}: {said:?}");
                }
                binary[at] = kept;
            }
        }
        assert!(refused > 50, "{refused}");
        for end in 0..binary.len() {
            let _ = packed(&binary[..end]);
        }
    }

    #[test]
    fn a_manifest_with_faults_is_not_packed() {
        for (from, to, expected) in [
            ("\"constraints\"", "\"constraint\"", "did you mean `constraints`?"),
            ("\"category\"", "\"homepage\":1,\"category\"", "one thing to correct: `homepage` is unknown"),
            ("[\"error\"]", "[\"/(/\"]", "`signals_match[0]`"),
        ] {
            let said = read_manifest(MANIFEST.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
            assert!(said.contains(expected), "{said}");
        }
    }
}

//! Makes the table of lines of what a compiler says of its output: debug information (DWARF 2 to 5) or source maps (ECMA-426).
//!
//! An address of DWARF in WebAssembly is an offset in the content of the code section; a column of a source map is an offset in
//! the module. Only the files of the author get into the table: not those of the SDK, of a library or of a compiler. A function
//! of theirs that was inlined has the line of the author's that called it.

use std::collections::{BTreeMap, BTreeSet};

use addr2line::Context;
use gephost_core::gene::Lines;
use gimli::{Dwarf, EndianSlice, LittleEndian};
use oxc_sourcemap::SourceMap;
use wasmparser::{CustomSectionReader, KnownCustom, Name, Parser, Payload, TypeRef};

use crate::sections::{Section, is_module, sections};

/// Most addresses that are looked up. A gene with all of a C library has 10,000.
const MAX_ADDRESSES: usize = 500_000;
/// Folders of a project with files that are not the author's: the SDK, what was built, and what npm installed.
const OTHERS: [&str; 3] = ["gephost", "build", "node_modules"];

/// The source maps that a compiler wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Maps {
    /// None.
    None,
    /// One of the core module, whose sources are named from the folder of the project.
    Module(String),
    /// One for each script: the folder of the scripts from that of the project, and the name and the map of each. Sources are
    /// named from the folder of the scripts.
    Scripts(&'static str, BTreeMap<String, String>),
}

/// The lines of a gene that are in files of this folder, which is absolute. Empty if the compiler says nothing; what it says
/// wrongly is left out.
pub(crate) fn lines_of(binary: &[u8], folder: &str, maps: &Maps) -> Lines {
    if let Maps::Scripts(place, maps) = maps {
        let mut lines = Lines::default();
        for (script, map) in maps {
            add_script(&mut lines, script, place, map);
        }
        return lines;
    }
    // A component is not read: that of an interpreter has 20 MB.
    let Some(code) = is_module(binary).then(|| Code::of(binary)).flatten() else { return Lines::default() };
    let mut lines = Lines::of_module(code.module.as_deref());
    if let Maps::Module(map) = maps {
        add_map(&mut lines, &code, map);
    } else if !folder.is_empty() {
        // What was read before a damage is right.
        let _ = add_dwarf(&mut lines, binary, &code, folder);
    }
    lines
}

/// Adds the first line of the author's that each line of a script was compiled from.
fn add_script(lines: &mut Lines, script: &str, place: &str, map: &str) {
    let Ok(map) = SourceMap::from_json_string(map) else { return };
    for token in map.get_tokens() {
        let source = token.get_source_id().and_then(|source| map.get_source(source));
        if let Some(file) = source.and_then(|source| joined(place, source)).filter(|file| is_own(file)) {
            lines.add_script(script, token.get_dst_line() + 1, (&file, token.get_src_line() + 1));
        }
    }
}

/// Adds the lines of a map whose columns are offsets in the module.
fn add_map(lines: &mut Lines, code: &Code, map: &str) {
    let Ok(map) = SourceMap::from_json_string(map) else { return };
    for token in map.get_tokens() {
        let Some((function, offset)) = code.at_position(u64::from(token.get_dst_col())) else { continue };
        let source = token.get_source_id().and_then(|source| map.get_source(source)).filter(|file| is_own(file));
        // What was inlined has its own line, and not that of the call: then the line before it stays.
        if let Some(file) = source {
            lines.add(function, offset, Some((file, token.get_src_line() + 1)));
        }
    }
}

/// The path of a source from the folder of the project; `None` if it is outside.
fn joined(place: &str, source: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in place.split('/').chain(source.split('/')) {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Adds what the debug information says.
fn add_dwarf(lines: &mut Lines, module: &[u8], code: &Code, folder: &str) -> Result<(), gimli::Error> {
    let sections = sections(module).unwrap_or_default();
    let section = |id: gimli::SectionId| {
        let found = sections.iter().filter_map(Section::custom).find(|(name, _)| *name == id.name().as_bytes());
        Ok::<_, gimli::Error>(EndianSlice::new(found.map_or(&[][..], |(_, data)| data), LittleEndian))
    };
    let context = Context::from_dwarf(Dwarf::load(section)?)?;
    let mut addresses = BTreeSet::new();
    for (begin, length, _) in context.find_location_range(0, u64::MAX)? {
        // The end of a range may be the beginning of what is not the author's.
        addresses.extend([begin, begin.saturating_add(length)]);
        if addresses.len() > MAX_ADDRESSES {
            return Ok(());
        }
    }
    for address in addresses {
        let Some((function, offset)) = code.at(address) else { continue };
        let mut frames = context.find_frames(address).skip_all_loads()?;
        let mut found = None;
        while let Some(frame) = frames.next()? {
            let place = frame.location.and_then(|location| Some((location.file?, location.line?)));
            found = place.and_then(|(file, line)| Some((own(file, folder)?, line))).filter(|(_, line)| *line > 0);
            if found.is_some() {
                break;
            }
        }
        lines.add(function, offset, found);
    }
    Ok(())
}

/// The path of one of the author's files from their folder; `None` for other files.
fn own<'a>(file: &'a str, folder: &str) -> Option<&'a str> {
    let below = file.strip_prefix(folder)?.strip_prefix('/')?;
    let below = below.strip_prefix("./").unwrap_or(below);
    is_own(below).then_some(below)
}

/// Whether a file, from the folder of the project, is one that the author writes.
fn is_own(file: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with(['.', '~']);
    file.split('/').all(is_plain) && !file.split('/').next().is_some_and(|first| OTHERS.contains(&first))
}

/// Where the functions of a module are in its code section.
struct Code {
    /// The module's name, from its section of names.
    module: Option<String>,
    /// Where the content of the section begins in the module.
    begin: u64,
    /// For each function with a body, in order: its index, and the offsets of the body's first byte and of its end.
    bodies: Vec<(u32, u64, u64)>,
}

impl Code {
    /// `None` if the module is damaged or has no code.
    fn of(module: &[u8]) -> Option<Self> {
        let (mut module_name, mut bodies) = (None, Vec::new());
        let (mut next, mut begin) = (0_u32, 0);
        for payload in Parser::new(0).parse_all(module) {
            match payload.ok()? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let is_function = matches!(import.ok()?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_));
                        next = next.checked_add(u32::from(is_function))?;
                    }
                }
                Payload::CodeSectionStart { range, .. } => begin = range.start,
                Payload::CodeSectionEntry(body) => {
                    let at = |position: usize| Some(position.checked_sub(begin)? as u64);
                    bodies.push((next, at(body.range().start)?, at(body.range().end)?));
                    next = next.checked_add(1)?;
                }
                Payload::CustomSection(section) => module_name = module_name.or_else(|| name(&section)),
                _ => {}
            }
        }
        (!bodies.is_empty()).then_some(Self { module: module_name, begin: begin as u64, bodies })
    }

    /// The function at an offset of the module, and the offset in its body.
    fn at_position(&self, position: u64) -> Option<(u32, u32)> {
        self.at(position.checked_sub(self.begin)?)
    }

    /// The function at an offset of the code section, and the offset in its body.
    fn at(&self, address: u64) -> Option<(u32, u32)> {
        let before = self.bodies.partition_point(|(_, begin, _)| *begin <= address);
        let (function, begin, end) = *self.bodies.get(before.checked_sub(1)?)?;
        (address < end).then_some((function, u32::try_from(address - begin).ok()?))
    }
}

/// The name of a module, if this is its section of names.
fn name(section: &CustomSectionReader<'_>) -> Option<String> {
    let KnownCustom::Name(names) = section.as_known() else { return None };
    names.into_iter().map_while(Result::ok).find_map(|name| match name {
        Name::Module { name, .. } => Some(name.to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_an_author_writes_are_theirs() {
        for (file, expected) in [
            ("/home/me/gene/gene.zig", Some("gene.zig")),
            ("/home/me/gene/./parts/a.c", Some("parts/a.c")),
            ("/home/me/gene/gephost/strategy.c", None),
            ("/home/me/gene/build/js/gene.js", None),
            ("/home/me/gene/.venv/lib/ziglang/lib/std/debug.zig", None),
            ("/home/me/gene/node_modules/a/b.c", None),
            ("/home/me/gene/../other/a.c", None),
            ("/home/me/gene2/gene.zig", None),
            ("/usr/include/stdio.h", None),
            ("gene.zig", None),
        ] {
            assert_eq!(own(file, "/home/me/gene"), expected, "{file}");
        }
    }

    #[test]
    fn an_address_is_in_the_function_whose_body_holds_it() {
        let module = wat::parse_str(
            r#"(module (import "a" "b" (func)) (import "a" "m" (memory 1)) (func nop nop) (func unreachable))"#,
        );
        let code = Code::of(&module.unwrap()).unwrap();
        // The count of bodies, the length of the first, its count of locals, two instructions and an end.
        let expected = [(0, None), (1, None), (2, Some((1, 0))), (5, Some((1, 3))), (6, None), (7, Some((2, 0)))];
        for (address, place) in expected {
            assert_eq!(code.at(address), place, "{address}");
        }
        assert_eq!(code.at(u64::MAX), None);
    }

    #[test]
    fn a_line_of_a_script_is_that_of_the_source_from_the_folder_of_the_project() {
        // Line 1 is of line 3, line 2 of line 5 of the same source; line 3 is of a file of the SDK.
        let map = r#"{"version":3,"file":"gene.js","sources":["../../gene.ts","../../gephost/x.ts"],"names":[],"mappings":"AAEA;AAEA;ACAA"}"#;
        let maps = BTreeMap::from([("gene.js".to_owned(), map.to_owned()), ("bad.js".to_owned(), "{".to_owned())]);
        let lines = lines_of(b"", "/gene", &Maps::Scripts("build/js", maps));
        assert_eq!(lines.of_script("gene.js", 1), Some(("gene.ts", 3)));
        assert_eq!(lines.of_script("gene.js", 2), Some(("gene.ts", 5)));
        assert_eq!(lines.of_script("gene.js", 3), None);
        assert_eq!(joined("build/js", "../../../out.ts"), None);
    }

    #[test]
    fn whatever_the_debug_information_is_there_is_an_answer() {
        let text = r#"(module $core (func nop) (@custom ".debug_info" "\ff\ff\ff\ff\ff") (@custom ".debug_line" "x"))"#;
        let module = wat::parse_str(text).unwrap();
        assert_eq!(lines_of(&module, "/gene", &Maps::None).written(), None);
        assert_eq!(Code::of(&module).unwrap().module.as_deref(), Some("core"));
        for end in 0..module.len() {
            drop(lines_of(&module[..end], "/gene", &Maps::None));
        }
    }
}

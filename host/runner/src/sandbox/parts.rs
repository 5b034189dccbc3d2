//! A component as its parts: what is compiled, what the gene reads as its standard input, and its table of lines.
//!
//! The machine code of a component depends on neither its manifest nor its input nor its lines. If a component carries an
//! input or lines, all three are cut out before it is compiled, so a change of them compiles nothing: the cache has the rest
//! already. A large interpreter is then compiled once, and the source that it interprets is data.

use std::sync::Arc;

use gephost_core::gene::{INPUT_SECTION, LINES_SECTION, MANIFEST_SECTION};
use gephost_core::recording::Blob;
use wasmparser::{Chunk, Parser, Payload};

/// The parts.
pub(super) struct Parts {
    /// What is compiled: the component itself if it carries neither an input nor lines.
    pub(super) compiled: Blob,
    /// What the gene reads as its standard input; empty if the component carries none.
    pub(super) input: Arc<[u8]>,
    /// Its table of lines, unread; empty if the component carries none.
    pub(super) lines: Box<[u8]>,
}

impl Parts {
    /// Cuts a component that passed the checks of loading. Anything else is not cut.
    pub(super) fn of(component: &Blob) -> Self {
        let bytes = component.bytes();
        let whole = || Self { compiled: component.clone(), input: Arc::default(), lines: Box::default() };
        let Some(sections) = ours(bytes) else { return whole() };
        let of = |name: &str| sections.iter().find(|section| section.name == name).map(|section| section.data);
        let (input, lines) = (of(INPUT_SECTION), of(LINES_SECTION));
        if input.or(lines).is_none() {
            return whole();
        }
        let mut compiled = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for section in &sections {
            compiled.extend_from_slice(bytes.get(at..section.begin).unwrap_or_default());
            at = section.end;
        }
        compiled.extend_from_slice(bytes.get(at..).unwrap_or_default());
        Self {
            compiled: Blob::from(compiled),
            input: input.unwrap_or_default().into(),
            lines: lines.unwrap_or_default().into(),
        }
    }
}

/// A section of ours at the top level of a component.
struct Section<'a> {
    name: &'static str,
    data: &'a [u8],
    /// Where it begins, with its head, and where it ends.
    begin: usize,
    end: usize,
}

/// Our sections at the top level, in order; `None` if the bytes are damaged. What is nested is skipped.
fn ours(bytes: &[u8]) -> Option<Vec<Section<'_>>> {
    let mut found = Vec::new();
    let mut parser = Parser::new(0);
    let mut at = 0;
    loop {
        let Chunk::Parsed { consumed, payload } = parser.parse(bytes.get(at..)?, true).ok()? else { return None };
        let begin = at;
        at += consumed;
        match payload {
            Payload::CustomSection(section) => {
                let name =
                    [INPUT_SECTION, LINES_SECTION, MANIFEST_SECTION].into_iter().find(|name| *name == section.name());
                found.extend(name.map(|name| Section { name, data: section.data(), begin, end: at }));
            }
            // The head of the nested binary was read, and its content comes next.
            Payload::ModuleSection { unchecked_range: nested, .. }
            | Payload::ComponentSection { unchecked_range: nested, .. } => {
                at = at.checked_add(nested.len())?;
            }
            Payload::End(_) => return Some(found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Parts, Vec<u8>) {
        let bytes = wat::parse_str(text).unwrap();
        (Parts::of(&Blob::from(&bytes[..])), bytes)
    }

    #[test]
    fn the_input_the_lines_and_the_manifest_are_cut_out_and_the_rest_stays() {
        let rest = r#"(core module (func) (@custom "gephost:input" "nested")) (@custom "other" "kept") (component)"#;
        let ours =
            r#"(@custom "gephost:gene" "{}") (@custom "gephost:input" "print(1)") (@custom "gephost:lines" "7")"#;
        let (cut, _) = parts(&format!("(component {rest} {ours})"));
        let (first, _) = parts(&format!("(component {ours} {rest})"));
        let plain = wat::parse_str(format!("(component {rest})")).unwrap();
        assert_eq!((&*cut.input, &*cut.lines), (&b"print(1)"[..], &b"7"[..]));
        assert_eq!(cut.compiled.bytes()[..], plain);
        assert_eq!(first.compiled.bytes()[..], plain);
        wasmparser::validate(cut.compiled.bytes()).unwrap();
    }

    #[test]
    fn a_component_with_lines_alone_is_cut_too() {
        let (parts, _) = parts(r#"(component (core module (func)) (@custom "gephost:lines" "7"))"#);
        assert!(parts.input.is_empty());
        assert_eq!(parts.compiled.bytes()[..], wat::parse_str("(component (core module (func)))").unwrap());
    }

    #[test]
    fn a_component_without_both_stays_whole() {
        let (parts, bytes) = parts(r#"(component (core module (func)) (@custom "gephost:gene" "{}"))"#);
        assert!(parts.input.is_empty());
        assert_eq!(parts.compiled.bytes()[..], bytes);
    }

    #[test]
    fn whatever_the_bytes_are_there_are_parts() {
        let (_, bytes) = parts(r#"(component (core module (func)) (@custom "gephost:input" "x"))"#);
        for end in 0..bytes.len() {
            let cut = bytes.get(..end).unwrap();
            assert_eq!(Parts::of(&Blob::from(cut)).compiled.bytes()[..], *cut);
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            drop(Parts::of(&Blob::from(&damaged[..])));
        }
    }
}

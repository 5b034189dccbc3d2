//! Reads a WebAssembly binary as sections, changes some of them, and writes it again. Lengths are written anew, so a section
//! may become longer or shorter at any depth.

/// First bytes of every binary, and the length of the header.
const MAGIC: &[u8] = b"\0asm";
const HEADER: usize = 8;
/// The version field of a core module; a component has another.
const MODULE_VERSION: &[u8] = &[1, 0, 0, 0];
/// Deepest nesting of components and modules that is read. Tools write two levels.
const MAX_DEPTH: usize = 16;

/// The bytes end early, or do not follow the format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the binary is truncated or damaged near byte {0}")]
pub struct Damaged(pub usize);

/// A section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section<'a> {
    pub(crate) id: u8,
    pub(crate) content: &'a [u8],
}

impl<'a> Section<'a> {
    /// The name of a custom section, and what follows it.
    pub(crate) fn custom(&self) -> Option<(&'a [u8], &'a [u8])> {
        if self.id != 0 {
            return None;
        }
        let mut at = 0;
        let length = read_number(self.content, &mut at)?;
        let end = at.checked_add(length)?;
        Some((self.content.get(at..end)?, self.content.get(end..)?))
    }
}

/// Whether these are the bytes of a core module.
pub(crate) fn is_module(binary: &[u8]) -> bool {
    binary.starts_with(MAGIC) && binary.get(4..HEADER) == Some(MODULE_VERSION)
}

/// The sections of a binary at its outermost level.
pub(crate) fn sections(binary: &[u8]) -> Result<Vec<Section<'_>>, Damaged> {
    if !binary.starts_with(MAGIC) || binary.len() < HEADER {
        return Err(Damaged(0));
    }
    let mut found = Vec::new();
    let mut at = HEADER;
    while let Some(id) = binary.get(at) {
        let begin = at;
        at += 1;
        let length = read_number(binary, &mut at).ok_or(Damaged(begin))?;
        let end = at.checked_add(length).ok_or(Damaged(begin))?;
        found.push(Section { id: *id, content: binary.get(at..end).ok_or(Damaged(begin))? });
        at = end;
    }
    Ok(found)
}

/// The same binary without the custom sections that are `unwanted`, at any depth.
pub(crate) fn without_custom(binary: &[u8], unwanted: impl Fn(&[u8]) -> bool + Copy) -> Result<Vec<u8>, Damaged> {
    stripped(binary, unwanted, 0)
}

fn stripped(binary: &[u8], unwanted: impl Fn(&[u8]) -> bool + Copy, depth: usize) -> Result<Vec<u8>, Damaged> {
    // In a component, section 1 is a core module and section 4 another component.
    let nests = !is_module(binary) && depth < MAX_DEPTH;
    let mut written = header(binary)?;
    for section in sections(binary)? {
        if section.custom().is_some_and(|(name, _)| unwanted(name)) {
            continue;
        }
        match section.id {
            1 | 4 if nests => append(&mut written, section.id, &stripped(section.content, unwanted, depth + 1)?),
            id => append(&mut written, id, section.content),
        }
    }
    Ok(written)
}

/// The header of a binary.
pub(crate) fn header(binary: &[u8]) -> Result<Vec<u8>, Damaged> {
    binary.get(..HEADER).map(<[u8]>::to_vec).ok_or(Damaged(0))
}

/// Appends a section.
pub(crate) fn append(binary: &mut Vec<u8>, id: u8, content: &[u8]) {
    binary.push(id);
    write_number(binary, content.len());
    binary.extend_from_slice(content);
}

/// Appends a custom section.
pub(crate) fn append_custom(binary: &mut Vec<u8>, name: &str, content: &[u8]) {
    let mut named = Vec::with_capacity(content.len() + name.len() + 2);
    write_number(&mut named, name.len());
    named.extend_from_slice(name.as_bytes());
    named.extend_from_slice(content);
    append(binary, 0, &named);
}

/// Reads a LEB128 number of at most 32 bits, and moves `at` behind it.
pub(crate) fn read_number(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok().map(|number| number as usize);
        }
    }
    None
}

/// Writes a LEB128 number.
pub(crate) fn write_number(bytes: &mut Vec<u8>, mut number: usize) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(binary: &[u8]) -> Vec<String> {
        let sections = sections(binary).unwrap();
        let names =
            sections.iter().filter_map(Section::custom).map(|(name, _)| String::from_utf8_lossy(name).into_owned());
        names.collect()
    }

    #[test]
    fn a_section_is_removed_at_every_depth_and_the_rest_stays() {
        let text = r#"(component
            (@custom "mine" "outer") (@custom "other" "kept")
            (core module (func (export "f")) (@custom "mine" "inner"))
            (component (@custom "mine" "nested") (core module (@custom "mine" "deep"))))"#;
        let clean = text.replace("(@custom \"mine\" \"outer\")", "").replace("(@custom \"mine\" \"inner\")", "");
        let clean = clean.replace("(@custom \"mine\" \"nested\")", "").replace("(@custom \"mine\" \"deep\")", "");
        let binary = wat::parse_str(text).unwrap();
        assert_eq!(without_custom(&binary, |name| name == b"mine").unwrap(), wat::parse_str(clean).unwrap());
        assert_eq!(without_custom(&binary, |name| name == b"absent").unwrap(), binary);
    }

    #[test]
    fn an_appended_section_is_read_back() {
        let mut binary = wat::parse_str("(module)").unwrap();
        append_custom(&mut binary, "a", &[7; 300]);
        assert_eq!(names(&binary), ["a"]);
        assert_eq!(sections(&binary).unwrap()[0].custom().unwrap().1, [7; 300]);
        assert!(wasmparser::validate(&binary).is_ok());
    }

    #[test]
    fn whatever_the_bytes_are_there_is_an_answer() {
        let mut binary = wat::parse_str("(component (core module (func)) (@custom \"mine\" \"x\"))").unwrap();
        for end in 0..binary.len() {
            // Only a cut between two sections leaves whole sections.
            let _ = without_custom(&binary[..end], |name| name == b"mine");
        }
        for at in 0..binary.len() {
            let kept = std::mem::replace(&mut binary[at], 0xff);
            let _ = without_custom(&binary, |name| name == b"mine");
            binary[at] = kept;
        }
        assert_eq!(without_custom(b"\0as", |name| name == b"mine"), Err(Damaged(0)));
        assert_eq!(without_custom(b"\0asm\x01\0\0\0\x01\xff\xff\xff\xff\x7f", |name| name == b"mine"), Err(Damaged(8)));
    }
}

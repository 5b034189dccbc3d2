//! Names for compilers that cannot spell the names of the contract. AssemblyScript, for example, exports only identifiers.

use crate::contract::VERSION;
use crate::sections::{Damaged, append, header, read_number, sections, write_number};

/// The number of the section of exports in a module.
const EXPORTS: u8 = 7;

/// What a plain name stands for.
fn meaning(name: &[u8]) -> Option<String> {
    Some(match name {
        b"gephost_export_diagnose" => format!("gephost:gene/diagnosis@{VERSION}#diagnose"),
        b"gephost_export_propose" => format!("gephost:gene/proposals@{VERSION}#propose"),
        b"gephost_export_after_diagnose" => format!("cabi_post_gephost:gene/diagnosis@{VERSION}#diagnose"),
        b"gephost_export_after_propose" => format!("cabi_post_gephost:gene/proposals@{VERSION}#propose"),
        _ => return None,
    })
}

/// The same module with the exports under the names of the contract.
pub(crate) fn renamed(module: &[u8]) -> Result<Vec<u8>, Damaged> {
    let mut written = header(module)?;
    for section in sections(module)? {
        if section.id == EXPORTS {
            append(&mut written, EXPORTS, &exports(section.content).ok_or(Damaged(0))?);
        } else {
            append(&mut written, section.id, section.content);
        }
    }
    Ok(written)
}

/// The section's content with the new names.
fn exports(content: &[u8]) -> Option<Vec<u8>> {
    let (mut at, mut written) = (0, Vec::with_capacity(content.len()));
    let count = read_number(content, &mut at)?;
    write_number(&mut written, count);
    for _ in 0..count {
        let length = read_number(content, &mut at)?;
        let end = at.checked_add(length)?;
        let name = content.get(at..end)?;
        at = end;
        let meant = meaning(name);
        let name = meant.as_deref().map_or(name, str::as_bytes);
        write_number(&mut written, name.len());
        written.extend_from_slice(name);
        written.push(*content.get(at)?);
        at += 1;
        let index = read_number(content, &mut at)?;
        write_number(&mut written, index);
    }
    (at == content.len()).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_become_those_of_the_contract_and_others_stay() {
        let text = "(module (func) (func) (memory 1) (export \"gephost_export_propose\" (func 1)) (export \"memory\" (memory 0)))";
        let wanted = text.replace("gephost_export_propose", "gephost:gene/proposals@0.1.2#propose");
        assert_eq!(renamed(&wat::parse_str(text).unwrap()).unwrap(), wat::parse_str(wanted).unwrap());
    }

    #[test]
    fn a_damaged_section_is_refused() {
        assert!(renamed(b"\0asm\x01\0\0\0\x07\x03\x01\x05a").is_err());
    }
}

//! Looks at a component without running it: that it is a component, that its manifest is valid, and that its exports are
//! those of its world.

use gephost_core::a2a::{Code, Problem};
use gephost_core::gene::{MANIFEST_SECTION, MAX_MANIFEST_BYTES, Manifest, World};
use wasmparser::{Encoding, Parser, Payload};

/// What the interfaces of the contract are called, without the version.
const DIAGNOSIS: &str = "gephost:gene/diagnosis@";
const STRATEGY: &str = "gephost:gene/proposals@";
/// Most sections of a component, at all depths. The bundled ones have a few hundred.
const MAX_SECTIONS: usize = 100_000;

/// What a component says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Looked {
    pub(crate) world: World,
    pub(crate) gene_id: String,
}

/// Checks a component.
pub(crate) fn check(bytes: &[u8]) -> Result<Looked, Problem> {
    let mut manifests: Vec<&[u8]> = Vec::new();
    let mut exports: Vec<String> = Vec::new();
    let mut depth = 0usize;
    for (place, payload) in Parser::new(0).parse_all(bytes).enumerate() {
        if place > MAX_SECTIONS {
            return Err(refuse("it has too many sections".to_owned()));
        }
        match payload.map_err(|error| refuse(format!("it is not valid WebAssembly: {}", error.message())))? {
            Payload::Version { encoding, .. } if depth == 0 && encoding != Encoding::Component => {
                return Err(refuse("it is a core module".to_owned()));
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            // The sandbox takes the first one at any depth. Others could only mislead.
            Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => {
                manifests.push(section.data());
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    let export =
                        export.map_err(|error| refuse(format!("its exports cannot be read: {}", error.message())))?;
                    exports.push(export.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    let [manifest, others @ ..] = manifests.as_slice() else {
        return Err(refuse(format!("it has no section `{MANIFEST_SECTION}`")));
    };
    if others.iter().any(|other| other != manifest) {
        return Err(refuse(format!("it has two different sections `{MANIFEST_SECTION}`")));
    }
    if manifest.len() > MAX_MANIFEST_BYTES {
        return Err(refuse("its manifest is too large".to_owned()));
    }
    let manifest = Manifest::from_json(manifest).map_err(|error| refuse(error.to_string()))?;
    let has = |name: &str| exports.iter().any(|export| export.starts_with(name));
    let world = manifest.world;
    if has(DIAGNOSIS) != world.diagnoses() || has(STRATEGY) != world.proposes() {
        return Err(refuse(format!(
            "its manifest names the world `{world}`, and its exports are others: {}",
            exports.join(", ")
        )));
    }
    Ok(Looked { world, gene_id: manifest.id().to_owned() })
}

fn refuse(why: String) -> Problem {
    let message = format!("the component is refused: {}", why.chars().take(400).collect::<String>());
    Problem::new(Code::ValidationError, message, "build it with `gephost gene build` or `gephost gene pack`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLED: &[u8] = include_bytes!("../../../genes/dist/tool_failures.wasm");

    #[test]
    fn a_bundled_component_is_recognised() {
        let looked = check(BUNDLED).expect("a component");
        assert!(looked.gene_id.starts_with("gene_gep"), "{}", looked.gene_id);
        assert!(looked.world.diagnoses());
    }

    #[test]
    fn what_is_no_gene_is_refused_and_says_why() {
        let expect = |bytes: &[u8], why: &str| {
            let problem = check(bytes).expect_err(why);
            assert!(problem.message.contains(why), "{problem}");
            assert_eq!(problem.code, Code::ValidationError);
        };
        expect(b"", "not valid WebAssembly");
        expect(b"hello", "not valid WebAssembly");
        expect(b"\0asm\x01\0\0\0", "core module");
        expect(b"\0asm\x0d\0\x01\0", "has no section");
        expect(&BUNDLED[..BUNDLED.len() / 2], "not valid WebAssembly");
        let twice = [BUNDLED, b"\0\x0e\x0cgephost:gene\x7b"].concat();
        expect(&twice, "two different sections");
        // The text is in the section, and in the component's data too.
        let mut other = BUNDLED.to_vec();
        while let Some(place) = other.windows(20).position(|bytes| bytes == b"\"world\": \"heuristic\"") {
            other[place + 10..place + 19].copy_from_slice(b"heuristix");
        }
        expect(&other, "heuristix");
    }

    #[test]
    fn no_damage_panics() {
        for place in (0..BUNDLED.len().min(4000)).chain((4000..BUNDLED.len()).step_by(997)) {
            let mut damaged = BUNDLED.to_vec();
            damaged[place] ^= 0x55;
            let _ = check(&damaged);
        }
    }
}

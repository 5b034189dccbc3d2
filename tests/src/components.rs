//! Turns core modules in WebAssembly text into components of a world of `wit/v0.1`.

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

use crate::repository;

/// A manifest for the gene of a test.
pub fn manifest(id: &str, world: &str, capabilities: &[&str]) -> String {
    serde_json::json!({
        "type": "Gene", "schema_version": "1.5.0", "id": id, "category": "repair",
        "signals_match": ["log_error"], "strategy": ["a test's gene"], "summary": "a gene of the test suite",
        "constraints": { "max_files": 1, "forbidden_paths": [".git"] }, "validation": [],
        "world": world, "capabilities": capabilities,
    })
    .to_string()
}

/// The core module in `wat` as a component of `world`, with `manifest` in its custom section.
pub fn component(world: &str, manifest: &str, wat: &str) -> Vec<u8> {
    let mut module = wat::parse_str(wat).unwrap();
    append_section(&mut module, "gephost:gene", manifest.as_bytes());
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(repository().join("wit/v0.1")).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    encode(module, &resolve, world)
}

/// A core module as a component of a world.
pub fn encode(mut module: Vec<u8>, resolve: &Resolve, world: WorldId) -> Vec<u8> {
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().validate(true).module(&module).unwrap().encode().unwrap()
}

/// Appends a custom section to a module or a component; the encoding is the same.
pub fn append_section(module: &mut Vec<u8>, name: &str, data: &[u8]) {
    let mut body = Vec::new();
    leb(&mut body, name.len());
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(data);
    module.push(0);
    leb(module, body.len());
    module.extend_from_slice(&body);
}

/// Appends a number in LEB128, as WebAssembly encodes it.
pub fn leb(out: &mut Vec<u8>, mut value: usize) {
    loop {
        let byte = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}

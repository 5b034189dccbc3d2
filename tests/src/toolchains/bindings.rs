//! Turns a core module into a component: bindings for its language, the types of its world, and the adapter for
//! libraries that use WASI 0.1.

use std::fs;
use std::path::Path;

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_bindgen_core::{Files, WorldGenerator};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

use crate::repository;

fn strategy() -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(repository().join("wit/v0.1")).unwrap();
    let world = resolve.select_world(&[package], Some("strategy")).unwrap();
    (resolve, world)
}

/// Writes the bindings of the world `strategy` into a folder.
pub(super) fn write(mut generator: Box<dyn WorldGenerator>, folder: &Path) {
    let (mut resolve, world) = strategy();
    let mut files = Files::default();
    generator.generate(&mut resolve, world, &mut files).unwrap();
    for (name, contents) in files.iter() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
}

/// Adds the types of the world `strategy` to a module whose compiler did not add them.
pub(super) fn with_types(mut module: Vec<u8>) -> Vec<u8> {
    let (resolve, world) = strategy();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    module
}

/// Turns a core module for WASI 0.1 that contains its types into a component for WASI 0.2.
pub(super) fn adapted(module: &[u8]) -> Vec<u8> {
    let encoder = ComponentEncoder::default().validate(true).module(module).unwrap();
    let adapter = (WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER);
    encoder.adapter(adapter.0, adapter.1).unwrap().encode().unwrap()
}

//! The one place that turns `host/runner/wit/filesystem.wit` into Rust.

wasmtime::component::bindgen!({
    path: "wit/filesystem.wit",
    world: "gephost:door/door",
    imports: { default: trappable },
    trappable_error_type: { "wasi:filesystem/types.error-code" => super::door::DoorError },
    with: {
        "wasi:io": wasmtime_wasi::p2::bindings::sync::io,
        "wasi:clocks": wasmtime_wasi::p2::bindings::clocks,
        "wasi:filesystem/types.descriptor": super::descriptor::Descriptor,
        "wasi:filesystem/types.directory-entry-stream": super::descriptor::Listing,
    },
    require_store_data_send: true,
});

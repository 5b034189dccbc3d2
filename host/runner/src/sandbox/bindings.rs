//! The one place that turns `wit/` into Rust. Everything else in the sandbox uses these types through
//! [`convert`](super::convert) or implements these traits.

wasmtime::component::bindgen!({
    path: "../../wit/v0.1.2",
    world: "gephost:gene/gene",
    imports: { default: trappable },
    // A worker sends a gene's answer in these types. The host converts it, as it does for a gene in its own process.
    additional_derives: [serde::Serialize, serde::Deserialize],
    with: {
        "gephost:gene/run-log.cursor": super::cursor::Cursor,
    },
});

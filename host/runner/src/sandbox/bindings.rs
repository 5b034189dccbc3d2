//! The one place that turns `wit/` into Rust. Everything else in the sandbox uses these types through
//! [`convert`](super::convert) or implements these traits.

wasmtime::component::bindgen!({
    path: "../../wit/v0.1",
    world: "gephost:gene/gene",
    imports: { default: trappable },
    with: {
        "gephost:gene/run-log.cursor": super::run_log::Cursor,
    },
});

//! Advice for a core module that was given instead of a component: what it lacks, and which tool adds it.

use wasmparser::{Parser, Payload};

use super::producers::Producers;

/// The command that makes a gene of a module.
const PACK: &str = "`gephost gene pack FILE --manifest gene.json`";
/// Most imports that are read.
const MAX_IMPORTS: usize = 10_000;

/// What a core module reveals about its toolchain.
#[derive(Debug, Default)]
pub(super) struct CoreModule {
    preview1: bool,
    unstable: bool,
    env: bool,
    /// It contains the description of a world, or functions that are named after ours.
    is_for_component: bool,
    producers: Producers,
}

impl CoreModule {
    /// Reads as much as possible. Damage ends it.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut module = Self::default();
        for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
            match payload {
                Payload::ImportSection(section) => {
                    for import in section.into_imports().take(MAX_IMPORTS).map_while(Result::ok) {
                        match import.module {
                            "wasi_snapshot_preview1" => module.preview1 = true,
                            "wasi_unstable" => module.unstable = true,
                            "env" => module.env = true,
                            _ => {}
                        }
                    }
                }
                Payload::ExportSection(section) => {
                    let mut exports = section.into_iter().take(MAX_IMPORTS).map_while(Result::ok);
                    module.is_for_component |= exports.any(|export| export.name.starts_with("gephost:gene/"));
                }
                Payload::CustomSection(section) => {
                    module.is_for_component |= section.name().starts_with("component-type");
                    module.producers.note(&section);
                }
                _ => {}
            }
        }
        module
    }

    /// What to do.
    pub(super) fn hint(&self) -> String {
        if self.env {
            return "it imports `env`, as Emscripten's output and C with undefined functions do, which no gene gets: \
                    build with wasi-sdk or `zig cc` for wasm32-wasip2, or with `-Wl,--no-allow-undefined` to see what \
                    is missing"
                .to_owned();
        }
        if self.unstable {
            return "it imports `wasi_unstable`, which is WASI of 2019: build it with a newer toolchain, for \
                    wasm32-wasip2"
                .to_owned();
        }
        if self.is_for_component {
            return format!("it was made for a component: {PACK} wraps it");
        }
        let wasi = if self.preview1 { "it imports `wasi_snapshot_preview1`, which is WASI 0.1; " } else { "" };
        let build = match self.producers.language() {
            Some("Rust") => {
                "build it with `cargo build --target wasm32-wasip2`, as a cdylib that uses the SDK".to_owned()
            }
            Some("Go (TinyGo)") => "build it with `tinygo build -target=wasip2 --wit-world strategy`".to_owned(),
            Some("Go") => {
                format!("build it with `-buildmode=c-shared` and the bindings of wit-bindgen; then {PACK} wraps it")
            }
            Some("C" | "C++" | "Zig") => format!(
                "build it as a reactor (`-mexec-model=reactor`) with the bindings of wit-bindgen; then {PACK} wraps it"
            ),
            Some("AssemblyScript") => {
                "`gephost gene pack FILE --manifest gene.json --strings utf16` wraps it".to_owned()
            }
            _ => format!("{PACK} wraps it, if it has the functions of the contract (`gephost gene wit`)"),
        };
        format!("{wasi}{build}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_module_is_told_what_to_do() {
        for (text, says) in [
            ("(module)", "gephost gene pack FILE"),
            ("(module (import \"env\" \"abort\" (func)))", "imports `env`"),
            ("(module (import \"wasi_unstable\" \"fd_write\" (func)))", "WASI of 2019"),
            ("(module (import \"wasi_snapshot_preview1\" \"fd_write\" (func)))", "which is WASI 0.1; "),
            (
                "(module (func (export \"gephost:gene/diagnosis@0.1.0#diagnose\")))",
                "gephost gene pack FILE --manifest gene.json` wraps it",
            ),
            (
                "(module (import \"wasi_snapshot_preview1\" \"f\" (func)) (@custom \"component-type:gene\" \"x\"))",
                "it was made for a component: `gephost gene pack",
            ),
            ("(module (@producers (language \"Go\" \"1.27\") (processed-by \"TinyGo\" \"0.39\")))", "-target=wasip2"),
            ("(module (@producers (language \"Rust\" \"\")))", "cargo build --target wasm32-wasip2"),
            ("(module (@producers (processed-by \"clang\" \"19\")))", "reactor"),
        ] {
            let hint = CoreModule::read(&wat::parse_str(text).unwrap()).hint();
            assert!(hint.contains(says), "{text}: {hint}");
        }
    }
}

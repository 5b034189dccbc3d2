//! Advice for the author of a component that does not fit the worlds of this host: which interface is not available,
//! which tool usually adds it, and which version would have it. Pure: nothing is compiled or run.

/// The minor version of this host's contract.
const HOST_MINOR: (u64, u64) = (0, 1);

/// Why a component has an import, and what to do, by the beginning of its name. The first match counts.
const ORIGINS: &[(&str, &str)] = &[
    ("wasi:http", "a gene has no network. jco and componentize-js add this import; `--disable http` leaves it out"),
    (
        "wasi:sockets",
        "a gene has no network. componentize-py and TinyGo add it with their standard library: build for the world \
         alone, and leave out what opens connections",
    ),
    ("wasi:tls", "a gene has no network: remove the code that opens connections"),
    ("wasi:keyvalue", "a gene keeps no state; the import `history` lists earlier attempts"),
    ("wasi:blobstore", "a gene keeps no state; the import `history` lists earlier attempts"),
    ("wasi:config", "a gene has no configuration: it sees `run-log`, `workspace` and its `settings`"),
    ("wasi:logging", "write through `gephost:gene/logging`, or print"),
    ("wasi:nn", "a gene has no model of its own: remove the code that uses it"),
    ("wasi:threads", "a gene has one thread: build without threads"),
    (
        "wasi:clocks/timezone",
        "time zones are an unstable part of WASI 0.2, and a gene's clock has none: leave them out",
    ),
    ("wasi:cli/run", "a gene has no `main` that others can call: remove the import"),
    (
        "wasi_snapshot_preview1",
        "this is the import of a core module for WASI 0.1: `gephost gene pack` adds the adapter to the module",
    ),
    ("env", "Emscripten and C code with undefined functions import `env`: build with wasi-sdk for wasm32-wasip2"),
];

/// Advice for the author of a component that exports neither interface of the contract.
pub(super) fn not_a_gene(exports: &[String]) -> &'static str {
    let exports_one = |start: &str| exports.iter().any(|export| export.starts_with(start));
    if exports_one("wasi:cli/run") {
        "it is a command with a `main`: build a library instead (Rust: `crate-type = [\"cdylib\"]`), with the SDK's \
         `gene!` macro"
    } else if exports_one("wasi:http/") {
        "it is the component of a web server, not a gene"
    } else if exports_one("diagnose") || exports_one("propose") {
        "the functions are there and not in their interfaces: target a world of wit/v0.1.2"
    } else {
        "use the SDK's `gene!` macro or target a world of wit/v0.1.2"
    }
}

/// Whether an import is of WASI 0.2, in any patch release. Patch releases only add, and what they add is checked when
/// it is linked.
pub(super) fn is_wasi_0_2(import: &str) -> bool {
    wasi_minor(import) == Some((0, 2))
}

/// Why a component has an import that genes do not get, and what to do. `import` includes its version. `language` is
/// the language of the component, as far as known.
pub(super) fn hint(import: &str, language: Option<&str>) -> String {
    let hint = hint_for(import);
    match language {
        Some(language) => format!("{hint} (it seems to be written in {language})"),
        None => hint,
    }
}

fn hint_for(import: &str) -> String {
    let origin = ORIGINS.iter().find(|(start, _)| import.starts_with(start)).map(|(_, hint)| *hint);
    match (origin, wasi_minor(import)) {
        (_, Some(minor)) if minor != (0, 2) => format!(
            "it is WASI {}.{}, but this host has WASI 0.2: build for wasm32-wasip2 with a toolchain of that version",
            minor.0, minor.1
        ),
        (Some(hint), _) => hint.to_owned(),
        (None, Some(_)) => "of WASI 0.2 only io, cli, clocks, random and filesystem are there".to_owned(),
        (None, None) if import.starts_with("gephost:gene/") => {
            "this host's contract has no such interface; `gephost gene inspect` shows what the component was built for"
                .to_owned()
        }
        (None, None) => "import only the interfaces of wit/v0.1.2".to_owned(),
    }
}

/// The version of the contract that a name belongs to, and what to do, if it is not the version of this host. `None` if
/// it is.
pub(super) fn other_version(name: &str) -> Option<(String, &'static str)> {
    let version = minor(name);
    match version {
        Some(version) if version == HOST_MINOR => None,
        Some((major, minor)) if (major, minor) > HOST_MINOR => Some((format!("{major}.{minor}"), "upgrade gephost")),
        Some((major, minor)) => Some((format!("{major}.{minor}"), "build it again with an SDK of 0.1")),
        None => Some(("no version".to_owned(), "build it again with an SDK of 0.1")),
    }
}

fn wasi_minor(import: &str) -> Option<(u64, u64)> {
    import.starts_with("wasi:").then(|| minor(import)).flatten()
}

/// Major and minor of the version behind the `@`.
fn minor(name: &str) -> Option<(u64, u64)> {
    let (_, version) = name.rsplit_once('@')?;
    let mut parts = version.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_import_has_a_hint_that_says_where_it_comes_from() {
        for (import, says) in [
            ("wasi:http/outgoing-handler@0.2.3", "--disable http"),
            ("wasi:sockets/tcp@0.2.0", "componentize-py"),
            ("wasi_snapshot_preview1", "gephost gene pack"),
            ("env", "wasi-sdk"),
            ("wasi:cli/environment@0.3.0", "WASI 0.3"),
            ("wasi:http/handler@0.3.0", "WASI 0.3"),
            ("wasi:clocks/timezone@0.2.4", "unstable"),
            ("wasi:made-up/thing@0.2.0", "of WASI 0.2 only"),
            ("gephost:gene/telepathy@0.1.0", "no such interface"),
            ("acme:tools/hammer", "wit/v0.1"),
        ] {
            assert!(hint(import, None).contains(says), "{import}: {}", hint(import, None));
        }
    }

    #[test]
    fn versions_are_numbers_and_not_texts() {
        for (name, other) in [
            ("gephost:gene/types@0.1.0", None),
            ("gephost:gene/types@0.1.99", None),
            ("gephost:gene/types@0.10.0", Some(("0.10", "upgrade gephost"))),
            ("gephost:gene/types@1.0.0", Some(("1.0", "upgrade gephost"))),
            ("gephost:gene/types@0.0.9", Some(("0.0", "build it again with an SDK of 0.1"))),
            ("gephost:gene/types", Some(("no version", "build it again with an SDK of 0.1"))),
            ("gephost:gene/types@x.y", Some(("no version", "build it again with an SDK of 0.1"))),
        ] {
            let other = other.map(|(version, remedy)| (version.to_owned(), remedy));
            assert_eq!(other_version(name), other, "{name}");
        }
    }
}

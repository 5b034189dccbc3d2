//! The guests of `tests/guests`. Each file has one behaviour, as WebAssembly text; tests turn it into a component.

use std::fs;

use gephost_tests::components::{self, append_section, manifest};
use gephost_tests::repository;
use wit_parser::Resolve;

/// All capabilities.
pub(crate) const EVERYTHING: &[&str] = &["run-log", "workspace", "history", "completion"];

/// The heuristic in this file of `tests/guests`. It requests every capability.
pub(crate) fn heuristic(name: &str) -> Vec<u8> {
    heuristic_that_asks_for(EVERYTHING, &text(name), name)
}

/// The same heuristic, with this table of settings in its manifest.
pub(crate) fn that_declares(name: &str, settings: &serde_json::Value) -> Vec<u8> {
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest(name, "heuristic", EVERYTHING)).unwrap();
    manifest["settings"] = settings.clone();
    encode("gephost:guests/heuristic", &manifest.to_string(), &text(name))
}

/// The same heuristic, in a world with resources of its own.
pub(crate) fn with_things(name: &str) -> Vec<u8> {
    encode("gephost:guests/with-things", &manifest(name, "heuristic", EVERYTHING), &text(name))
}

/// The strategy in this file of `tests/guests`.
pub(crate) fn strategy(name: &str) -> Vec<u8> {
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest(name, "strategy", EVERYTHING)).unwrap();
    manifest["signals_match"] = serde_json::json!(["error", "log_error", "tool_failure", "exit_nonzero"]);
    encode("gephost:gene/strategy@0.1.0", &manifest.to_string(), &text(name))
}

/// What the strategy `proposal` proposes.
pub(crate) struct Proposes<'a> {
    /// Its id, which is its title too.
    pub(crate) id: &'a str,
    /// The file.
    pub(crate) path: &'a str,
    /// The file's new content.
    pub(crate) content: &'a str,
    /// The finding; empty for the first one that it is asked about.
    pub(crate) finding: &'a str,
    /// The commands of its manifest.
    pub(crate) validation: &'a [&'a str],
}

impl Proposes<'_> {
    /// The component.
    pub(crate) fn component(&self) -> Vec<u8> {
        let mut manifest: serde_json::Value = serde_json::from_str(&manifest(self.id, "strategy", &[])).unwrap();
        manifest["signals_match"] = serde_json::json!(["error", "log_error", "tool_failure", "exit_nonzero"]);
        manifest["validation"] = serde_json::json!(self.validation);
        let mut filled = text("proposal");
        let texts = [("TITLE", self.id), ("PATH", self.path), ("FINDING", self.finding), ("CONTENT", self.content)];
        for (name, value) in texts {
            let bytes: String = value.bytes().map(|byte| format!("\\{byte:02x}")).collect();
            filled = filled.replace(&format!("@{name}@"), &bytes);
            filled = filled.replace(&format!("@{name}_BYTES@"), &value.len().to_string());
        }
        encode("gephost:gene/strategy@0.1.0", &manifest.to_string(), &filled)
    }
}

/// The strategy in this file of `tests/guests`, as a gene that searches.
pub(crate) fn searching(name: &str) -> Vec<u8> {
    encode("gephost:gene/strategy@0.1.0", &of_search(name), &text(name))
}

/// The strategy `search_edits`, which searches: `times` proposals of one title, each the new content of a file, in turn.
pub(crate) fn search_edits(edits: &[(&str, &str)], times: usize) -> Vec<u8> {
    /// Where the data is, and the sizes of a proposal and of a change.
    const START: usize = 4096;
    const PROPOSAL: usize = 60;
    const CHANGE: usize = 20;
    let title = "an edit";
    let mut texts = title.as_bytes().to_vec();
    let first = START + edits.len() * (PROPOSAL + CHANGE);
    let (mut proposals, mut changes) = (Vec::new(), Vec::new());
    for (number, (path, content)) in edits.iter().enumerate() {
        let mut at = |text: &str| {
            let start = first + texts.len();
            texts.extend_from_slice(text.as_bytes());
            [start, text.len()]
        };
        let change = START + edits.len() * PROPOSAL + number * CHANGE;
        // Title, objective, evidence, finding, level of risk, changes, tests and rollback plan.
        let words = [first, title.len(), 0, 0, 0, 0, 0, 0, 0, change, 1, 0, 0, 0, 0];
        proposals.extend(words);
        changes.push(1);
        changes.extend(at(path).into_iter().chain(at(content)));
    }
    let words = proposals.into_iter().chain(changes).flat_map(|word| u32::try_from(word).unwrap().to_le_bytes());
    let data: String = words.chain(texts).map(|byte| format!("\\{byte:02x}")).collect();
    assert!(data.len() / 3 < 12 << 10, "the allocator begins there");
    let filled = text("search_edits")
        .replace("@DATA@", &data)
        .replace("@PAGES@", &(((times * PROPOSAL) >> 16) + 1).to_string())
        .replace("@TIMES@", &times.to_string())
        .replace("@COUNT@", &edits.len().to_string());
    encode("gephost:gene/strategy@0.1.0", &of_search("search_edits"), &filled)
}

/// A manifest that requests `coverage`, which makes a gene one that searches.
fn of_search(id: &str) -> String {
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest(id, "strategy", &["coverage"])).unwrap();
    manifest["signals_match"] = serde_json::json!(["error", "log_error", "tool_failure", "exit_nonzero"]);
    manifest.to_string()
}

/// The heuristic `finding` with its placeholders filled in.
pub(crate) fn finding(title: &str, bytes: usize, confidence: &str, event: u64) -> Vec<u8> {
    let filled = text("finding")
        .replace("@TITLE@", title)
        .replace("@TITLE_BYTES@", &bytes.to_string())
        .replace("@CONFIDENCE@", confidence)
        .replace("@EVENT@", &event.to_string());
    heuristic_that_asks_for(EVERYTHING, &filled, "finding")
}

/// The heuristic `ask_model` with its placeholders filled in: it asks so many times, with a prompt of so many bytes, and
/// then runs `after`.
pub(crate) fn ask_model(times: usize, bytes: usize, after: &str) -> Vec<u8> {
    let filled = text("ask_model")
        .replace("@TIMES@", &times.to_string())
        .replace("@BYTES@", &bytes.to_string())
        .replace("@PAGES@", &((bytes >> 16) + 32).to_string())
        .replace("@AFTER@", after);
    heuristic_that_asks_for(EVERYTHING, &filled, "ask_model")
}

/// The heuristic `tell_history`, which asks for the attempts that share this signal; for all if it is empty.
pub(crate) fn tell_history(signal: &str) -> Vec<u8> {
    let filled = text("tell_history")
        .replace("@SIGNAL@", signal)
        .replace("@SIGNAL_BYTES@", &format!("\\{:02x}", signal.len()))
        .replace("@COUNT@", if signal.is_empty() { "0" } else { "1" });
    heuristic_that_asks_for(&["history"], &filled, "tell_history")
}

/// A heuristic from the text of a guest. It requests these capabilities.
pub(crate) fn heuristic_that_asks_for(capabilities: &[&str], guest: &str, id: &str) -> Vec<u8> {
    encode("gephost:guests/heuristic", &manifest(id, "heuristic", capabilities), guest)
}

/// The heuristic in this file, built for this patch release of WASI 0.2.
pub(crate) fn of_wasi(name: &str, version: &str) -> Vec<u8> {
    let here = |text: String| text.replace("@0.2.0", &format!("@{version}"));
    let wasi = fs::read_to_string(repository().join("tests/guests/wasi.wit")).unwrap();
    let mut resolve = Resolve::default();
    resolve.push_path(repository().join("wit/v0.1")).unwrap();
    let package = resolve.push_str("wasi.wit", &here(wasi)).unwrap();
    let world = resolve.select_world(&[package], Some("gephost:guests/heuristic")).unwrap();
    let mut module = wat::parse_str(here(format!("(module {}\n{})", text(name), text("runtime")))).unwrap();
    append_section(&mut module, "gephost:gene", manifest(name, "heuristic", EVERYTHING).as_bytes());
    components::encode(module, &resolve, world)
}

/// A heuristic that is built against a changed `wit/v0.1`.
pub(crate) fn of_contract(change: impl Fn(String) -> String, guest: &str) -> Vec<u8> {
    let contract = fs::read_to_string(repository().join("wit/v0.1/gene.wit")).unwrap();
    let changed = change(contract.clone());
    assert_ne!(changed, contract, "nothing was changed");
    let mut resolve = Resolve::default();
    let package = resolve.push_str("gene.wit", &changed).unwrap();
    let world = resolve.select_world(&[package], Some("heuristic")).unwrap();
    let mut module = wat::parse_str(format!("(module {guest}\n{})", text("runtime"))).unwrap();
    append_section(&mut module, "gephost:gene", manifest("changed", "heuristic", EVERYTHING).as_bytes());
    components::encode(module, &resolve, world)
}

/// A heuristic that imports forged interfaces of WASI.
pub(crate) fn of_forged_wasi(guest: &str) -> Vec<u8> {
    let forged = "package gephost:forged;
        world heuristic {
            import wasi:cli/stdout@0.2.0;
            import wasi:random/random@0.2.0;
            include gephost:gene/heuristic@0.1.0;
        }
        package wasi:cli@0.2.0 { interface stdout { get-stdout: func() -> u32; } }
        package wasi:random@0.2.0 {
            interface random { get-random-bytes: func(len: u32) -> list<u8>; get-luck: func(); }
        }";
    let mut resolve = Resolve::default();
    resolve.push_path(repository().join("wit/v0.1")).unwrap();
    let package = resolve.push_str("forged.wit", forged).unwrap();
    let world = resolve.select_world(&[package], Some("heuristic")).unwrap();
    let mut module = wat::parse_str(format!("(module {guest}\n{})", text("runtime"))).unwrap();
    append_section(&mut module, "gephost:gene", manifest("forged", "heuristic", EVERYTHING).as_bytes());
    components::encode(module, &resolve, world)
}

/// The WebAssembly text of a guest.
fn text(name: &str) -> String {
    let path = repository().join(format!("tests/guests/{name}.wat"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Encodes a guest, together with the runtime that all guests share, as a component of a world.
fn encode(world: &str, manifest: &str, guest: &str) -> Vec<u8> {
    let mut module = wat::parse_str(format!("(module {guest}\n{})", text("runtime"))).unwrap();
    append_section(&mut module, "gephost:gene", manifest.as_bytes());
    let mut resolve = Resolve::default();
    resolve.push_path(repository().join("wit/v0.1")).unwrap();
    let (package, _) = resolve.push_path(repository().join("tests/guests/wasi.wit")).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    components::encode(module, &resolve, world)
}

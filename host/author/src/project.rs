//! The files of a new project: a gene that works, its SDK, a fixture and what the fixture must give.

use gephost_core::gene::World;

use crate::contract;
use crate::language::Language;

/// Longest name of a project.
pub const MAX_NAME: usize = 64;

/// A file of a new project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path from the folder of the project.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// Why a project cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadProject {
    /// A name that cannot be a project's.
    #[error(
        "the name {:?} is refused: use 1 to {MAX_NAME} of the characters a-z, 0-9, `-` and `_`, and begin with a letter{}",
        .0, instead(.0)
    )]
    Name(String),
    /// There is no gene of this world to begin with.
    #[error("there is no template of a gene of the world `{world}` in {language}; there is one in {}", known(*.world))]
    Template {
        /// The world.
        world: World,
        /// The language.
        language: Language,
    },
}

fn known(world: World) -> String {
    let words = Language::ALL.into_iter().filter(|language| own(*language, world).is_some()).map(Language::word);
    words.collect::<Vec<_>>().join(", ")
}

/// All files of a project, by path. The gene's id is `gene_` and the name.
pub fn files(name: &str, language: Language, world: World) -> Result<Vec<File>, BadProject> {
    if !is_name(name) {
        return Err(BadProject::Name(shortened(name)));
    }
    let own = own(language, world).ok_or(BadProject::Template { world, language })?;
    let id = format!("gene_{}", name.replace('-', "_"));
    let file = |(path, text): &(&str, &str)| File {
        path: (*path).to_owned(),
        text: text.replace("@NAME@", name).replace("@ID@", &id).replace("@SOURCE@", language.source()),
    };
    let shared = if world == World::Strategy { SHARED_STRATEGY } else { SHARED_HEURISTIC };
    let mut files: Vec<File> = SHARED.iter().chain(shared).chain(own.into_iter().flatten()).map(file).collect();
    files.push(File { path: format!("wit/{}", contract::FILE), text: contract::TEXT.to_owned() });
    if language == Language::Rust {
        files.extend(rust_sdk());
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// A name for a message.
fn shortened(name: &str) -> String {
    let mut short: String = name.chars().take(MAX_NAME).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
}

/// A name that would do, if the one that was refused nearly is one.
fn instead(name: &str) -> String {
    let words = name.to_lowercase().replace([' ', '.'], "-");
    if is_name(&words) { format!("; `{words}` would do") } else { String::new() }
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
}

/// Texts of files in a folder of this repository, with their paths in the project.
macro_rules! texts {
    ($($path:literal: $source:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../", $source)))),*]
    };
}

const SHARED: &[Source] = texts! {
    ".gitignore": "templates/shared/gitignore",
    "README.md": "templates/shared/README.md",
    "fixtures/first/gephost.toml": "templates/shared/fixtures/first/gephost.toml",
    "fixtures/first/log.jsonl": "templates/shared/fixtures/first/log.jsonl",
    "fixtures/first/workspace/README.md": "templates/shared/fixtures/first/workspace/README.md",
    "fixtures/first/workspace/scripts/check.sh": "templates/shared/fixtures/first/workspace/scripts/check.sh",
};

const SHARED_STRATEGY: &[Source] = texts! {
    "gene.json": "templates/shared/gene.json",
    "fixtures/first/expected.json": "templates/shared/fixtures/first/expected.json",
};

const SHARED_HEURISTIC: &[Source] = texts! {
    "gene.json": "templates/heuristic/shared/gene.json",
    "fixtures/first/expected.json": "templates/heuristic/shared/fixtures/first/expected.json",
};

/// A file's path in the project, and its text.
type Source = (&'static str, &'static str);

/// The files of a language for a gene of this world: its SDK, and a gene to begin with. `None` if there is no such gene.
fn own(language: Language, world: World) -> Option<[&'static [Source]; 2]> {
    Some(match (language, world) {
        (Language::Rust, World::Strategy) => [RUST, texts! { "src/lib.rs": "templates/rust/src/lib.rs.txt" }],
        (Language::Rust, World::Heuristic) => [RUST, texts! { "src/lib.rs": "templates/heuristic/rust/lib.rs.txt" }],
        (Language::Python, World::Strategy) => [PYTHON, texts! { "gene.py": "templates/python/gene.py" }],
        (Language::Python, World::Heuristic) => [PYTHON, texts! { "gene.py": "templates/heuristic/python/gene.py" }],
        (Language::JavaScript, World::Strategy) => [JAVASCRIPT, texts! { "gene.js": "templates/js/gene.js" }],
        (Language::JavaScript, World::Heuristic) => {
            [JAVASCRIPT, texts! { "gene.js": "templates/heuristic/js/gene.js" }]
        }
        (Language::TypeScript, World::Strategy) => [TYPESCRIPT, texts! { "gene.ts": "templates/ts/gene.ts" }],
        (Language::TypeScript, World::Heuristic) => {
            [TYPESCRIPT, texts! { "gene.ts": "templates/heuristic/ts/gene.ts" }]
        }
        (Language::Go, World::Strategy) => [GO, GO_STRATEGY],
        (Language::Go, World::Heuristic) => [GO, GO_HEURISTIC],
        (Language::C, World::Strategy) => [C, &[]],
        (Language::Cpp, World::Strategy) => [CPP, &[]],
        (Language::Zig, World::Strategy) => [ZIG, &[]],
        (Language::AssemblyScript, World::Strategy) => [ASSEMBLYSCRIPT, &[]],
        _ => return None,
    })
}

const RUST: &[Source] = texts! {
    "Cargo.toml": "templates/rust/Cargo.toml.txt",
    "Cargo.lock": "templates/rust/Cargo.lock.txt",
    "gephost-gene/Cargo.toml": "templates/rust/gephost-gene/Cargo.toml.txt",
};

/// The SDK for Rust, as a crate beside the gene.
const RUST_SDK: &[Source] = texts! {
    "README.md": "../../sdk/rust/README.md",
    "examples/gene.json": "../../sdk/rust/examples/gene.json",
    "src/bindings.rs": "../../sdk/rust/src/bindings.rs",
    "src/candidate.rs": "../../sdk/rust/src/candidate.rs",
    "src/completion.rs": "../../sdk/rust/src/completion.rs",
    "src/coverage.rs": "../../sdk/rust/src/coverage.rs",
    "src/failures.rs": "../../sdk/rust/src/failures.rs",
    "src/history.rs": "../../sdk/rust/src/history.rs",
    "src/host.rs": "../../sdk/rust/src/host.rs",
    "src/lib.rs": "../../sdk/rust/src/lib.rs",
    "src/log.rs": "../../sdk/rust/src/log.rs",
    "src/run_log.rs": "../../sdk/rust/src/run_log.rs",
    "src/settings.rs": "../../sdk/rust/src/settings.rs",
    "src/testing/files.rs": "../../sdk/rust/src/testing/files.rs",
    "src/testing/folder.rs": "../../sdk/rust/src/testing/folder.rs",
    "src/testing/glob.rs": "../../sdk/rust/src/testing/glob.rs",
    "src/testing/imports.rs": "../../sdk/rust/src/testing/imports.rs",
    "src/testing/log_event.rs": "../../sdk/rust/src/testing/log_event.rs",
    "src/testing/mod.rs": "../../sdk/rust/src/testing/mod.rs",
    "src/testing/tests.rs": "../../sdk/rust/src/testing/tests.rs",
    "src/validation.rs": "../../sdk/rust/src/validation.rs",
    "src/workspace.rs": "../../sdk/rust/src/workspace.rs",
};

fn rust_sdk() -> impl Iterator<Item = File> {
    let source = |(name, text): &(&str, &str)| File {
        path: format!("gephost-gene/{name}"),
        text: text.replace("path: \"wit\"", "path: \"../wit\""),
    };
    RUST_SDK.iter().map(source)
}

const PYTHON: &[Source] = texts! {
    "gephost.py": "../../sdk/python/gephost.py",
    "pyproject.toml": "templates/python/pyproject.toml",
    "requirements.txt": "templates/python/requirements.txt",
    "typings/componentize_py_types.pyi": "../../sdk/python/typings/componentize_py_types.pyi",
    "typings/wit_world/__init__.pyi": "../../sdk/python/typings/wit_world/__init__.pyi",
    "typings/wit_world/exports/__init__.pyi": "../../sdk/python/typings/wit_world/exports/__init__.pyi",
    "typings/wit_world/exports/diagnosis.pyi": "../../sdk/python/typings/wit_world/exports/diagnosis.pyi",
    "typings/wit_world/exports/proposals.pyi": "../../sdk/python/typings/wit_world/exports/proposals.pyi",
    "typings/wit_world/imports/__init__.pyi": "../../sdk/python/typings/wit_world/imports/__init__.pyi",
    "typings/wit_world/imports/completion.pyi": "../../sdk/python/typings/wit_world/imports/completion.pyi",
    "typings/wit_world/imports/coverage.pyi": "../../sdk/python/typings/wit_world/imports/coverage.pyi",
    "typings/wit_world/imports/explanation.pyi": "../../sdk/python/typings/wit_world/imports/explanation.pyi",
    "typings/wit_world/imports/history.pyi": "../../sdk/python/typings/wit_world/imports/history.pyi",
    "typings/wit_world/imports/logging.pyi": "../../sdk/python/typings/wit_world/imports/logging.pyi",
    "typings/wit_world/imports/run_log.pyi": "../../sdk/python/typings/wit_world/imports/run_log.pyi",
    "typings/wit_world/imports/settings.pyi": "../../sdk/python/typings/wit_world/imports/settings.pyi",
    "typings/wit_world/imports/types.pyi": "../../sdk/python/typings/wit_world/imports/types.pyi",
    "typings/wit_world/imports/workspace.pyi": "../../sdk/python/typings/wit_world/imports/workspace.pyi",
};

const JAVASCRIPT: &[Source] = texts! {
    "gephost.js": "../../sdk/js/gephost.js",
    "gephost.d.ts": "../../sdk/js/gephost.d.ts",
    "fs.js": "../../sdk/js/fs.js",
    "fs.d.ts": "../../sdk/js/fs.d.ts",
    "wit/files.wit": "../../sdk/js/files.wit",
    "jsconfig.json": "templates/js/jsconfig.json",
    "package.json": "templates/js/package.json",
};

const TYPESCRIPT: &[Source] = texts! {
    "gephost.js": "../../sdk/js/gephost.js",
    "gephost.d.ts": "../../sdk/js/gephost.d.ts",
    "fs.js": "../../sdk/js/fs.js",
    "fs.d.ts": "../../sdk/js/fs.d.ts",
    "wit/files.wit": "../../sdk/js/files.wit",
    "package.json": "templates/ts/package.json",
    "tsconfig.json": "templates/ts/tsconfig.json",
};

const C: &[Source] = texts! {
    "gene.c": "templates/c/gene.c",
    "gephost/gephost.c": "../../sdk/c/gephost/gephost.c",
    "gephost/gephost.h": "../../sdk/c/gephost/gephost.h",
    "gephost/strategy.c": "../../sdk/c/gephost/strategy.c",
    "gephost/strategy.h": "../../sdk/c/gephost/strategy.h",
};

const CPP: &[Source] = texts! {
    "gene.cpp": "templates/cpp/gene.cpp",
    "gephost/gephost.hpp": "../../sdk/cpp/gephost.hpp",
    "gephost/files.cpp": "../../sdk/cpp/files.cpp",
    "gephost/gephost.c": "../../sdk/c/gephost/gephost.c",
    "gephost/gephost.h": "../../sdk/c/gephost/gephost.h",
    "gephost/strategy.c": "../../sdk/c/gephost/strategy.c",
    "gephost/strategy.h": "../../sdk/c/gephost/strategy.h",
};

const ZIG: &[Source] = texts! {
    "gene.zig": "templates/zig/gene.zig",
    "gephost/gephost.zig": "../../sdk/zig/gephost.zig",
    "gephost/gephost.c": "../../sdk/c/gephost/gephost.c",
    "gephost/gephost.h": "../../sdk/c/gephost/gephost.h",
    "gephost/strategy.c": "../../sdk/c/gephost/strategy.c",
    "gephost/strategy.h": "../../sdk/c/gephost/strategy.h",
};

const ASSEMBLYSCRIPT: &[Source] = texts! {
    "gene.ts": "templates/assemblyscript/gene.ts",
    "gephost/entry.ts": "../../sdk/assemblyscript/entry.ts",
    "gephost/fs.ts": "../../sdk/assemblyscript/fs.ts",
    "gephost/gephost.ts": "../../sdk/assemblyscript/gephost.ts",
    "package.json": "templates/assemblyscript/package.json",
};

const GO: &[Source] = texts! {
    "gephost/gephost.go": "../../sdk/go/gephost/gephost.go",
    "gephost/runlog.go": "../../sdk/go/gephost/runlog.go",
    "gephost_gene_completion/empty.s": "../../sdk/go/gephost_gene_completion/empty.s",
    "gephost_gene_completion/wit_bindings.go": "../../sdk/go/gephost_gene_completion/wit_bindings.go",
    "gephost_gene_coverage/empty.s": "../../sdk/go/gephost_gene_coverage/empty.s",
    "gephost_gene_coverage/wit_bindings.go": "../../sdk/go/gephost_gene_coverage/wit_bindings.go",
    "gephost_gene_explanation/empty.s": "../../sdk/go/gephost_gene_explanation/empty.s",
    "gephost_gene_explanation/wit_bindings.go": "../../sdk/go/gephost_gene_explanation/wit_bindings.go",
    "gephost_gene_history/empty.s": "../../sdk/go/gephost_gene_history/empty.s",
    "gephost_gene_history/wit_bindings.go": "../../sdk/go/gephost_gene_history/wit_bindings.go",
    "gephost_gene_logging/empty.s": "../../sdk/go/gephost_gene_logging/empty.s",
    "gephost_gene_logging/wit_bindings.go": "../../sdk/go/gephost_gene_logging/wit_bindings.go",
    "gephost_gene_run_log/empty.s": "../../sdk/go/gephost_gene_run_log/empty.s",
    "gephost_gene_run_log/wit_bindings.go": "../../sdk/go/gephost_gene_run_log/wit_bindings.go",
    "gephost_gene_settings/empty.s": "../../sdk/go/gephost_gene_settings/empty.s",
    "gephost_gene_settings/wit_bindings.go": "../../sdk/go/gephost_gene_settings/wit_bindings.go",
    "gephost_gene_types/empty.s": "../../sdk/go/gephost_gene_types/empty.s",
    "gephost_gene_types/wit_bindings.go": "../../sdk/go/gephost_gene_types/wit_bindings.go",
    "gephost_gene_workspace/empty.s": "../../sdk/go/gephost_gene_workspace/empty.s",
    "gephost_gene_workspace/wit_bindings.go": "../../sdk/go/gephost_gene_workspace/wit_bindings.go",
    "go.mod": "../../sdk/go/go.mod",
    "pkg/LICENSE": "../../sdk/go/pkg/LICENSE",
    "pkg/go.mod": "../../sdk/go/pkg/go.mod",
    "pkg/wit/async/async.go": "../../sdk/go/pkg/wit/async/async.go",
    "pkg/wit/async/empty.s": "../../sdk/go/pkg/wit/async/empty.s",
    "pkg/wit/runtime/runtime.go": "../../sdk/go/pkg/wit/runtime/runtime.go",
    "pkg/wit/types/future.go": "../../sdk/go/pkg/wit/types/future.go",
    "pkg/wit/types/option.go": "../../sdk/go/pkg/wit/types/option.go",
    "pkg/wit/types/result.go": "../../sdk/go/pkg/wit/types/result.go",
    "pkg/wit/types/stream.go": "../../sdk/go/pkg/wit/types/stream.go",
    "pkg/wit/types/tuple.go": "../../sdk/go/pkg/wit/types/tuple.go",
    "pkg/wit/types/unit.go": "../../sdk/go/pkg/wit/types/unit.go",
};

const GO_STRATEGY: &[Source] = texts! {
    "gene/gene.go": "templates/go/gene/gene.go",
    "export_gephost_gene_proposals/proposals.go": "../../sdk/go/export_gephost_gene_proposals/proposals.go",
    "gephost_gene_proposals/empty.s": "../../sdk/go/gephost_gene_proposals/empty.s",
    "gephost_gene_proposals/wit_bindings.go": "../../sdk/go/gephost_gene_proposals/wit_bindings.go",
    "wit_exports.go": "../../sdk/go/wit_exports.go",
};

const GO_HEURISTIC: &[Source] = texts! {
    "gene/gene.go": "templates/heuristic/go/gene/gene.go",
    "export_gephost_gene_diagnosis/diagnosis.go": "../../sdk/go/worlds/heuristic/export_gephost_gene_diagnosis/diagnosis.go",
    "gephost_gene_diagnosis/empty.s": "../../sdk/go/worlds/heuristic/gephost_gene_diagnosis/empty.s",
    "gephost_gene_diagnosis/wit_bindings.go": "../../sdk/go/worlds/heuristic/gephost_gene_diagnosis/wit_bindings.go",
    "wit_exports.go": "../../sdk/go/worlds/heuristic/wit_exports.go",
};

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gephost_core::gene::Manifest;
    use gephost_core::manifest_review::review;

    use super::*;

    #[test]
    fn each_project_has_a_good_manifest_its_source_and_no_placeholder() {
        let worlds = [World::Strategy, World::Heuristic];
        let all = Language::ALL.into_iter().flat_map(|language| worlds.map(|world| (language, world)));
        for (language, world) in all.filter(|(language, world)| own(*language, *world).is_some()) {
            let files = files("fix-python", language, world).unwrap();
            let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
            let manifest = Manifest::from_json(text("gene.json").unwrap().as_bytes()).unwrap();
            assert_eq!(manifest.id(), "gene_fix_python");
            assert_eq!(manifest.world, world);
            assert_eq!(review(&manifest), []);
            assert!(text(language.source()).is_some(), "{language}");
            for file in &files {
                for placeholder in ["@NAME@", "@ID@", "@SOURCE@"] {
                    assert!(!file.text.contains(placeholder), "{language}: {} has {placeholder}", file.path);
                }
            }
            let mut paths: Vec<_> = files.iter().map(|file| &file.path).collect();
            paths.dedup();
            assert_eq!(paths.len(), files.len(), "{language}");
            assert_eq!(Language::of_files(|path| text(path).is_some()), Some(language));
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "it compares this list with the folder of the SDK")]
    fn the_sdk_of_rust_is_whole_and_finds_the_contract() {
        let project = files("x", Language::Rust, World::Strategy).unwrap();
        let text = |path: &str| project.iter().find(|file| file.path == path).map(|file| file.text.as_str());
        let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/rust");
        let mut count = 0;
        let mut folders = vec![sdk.join("src"), sdk.join("examples")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&sdk).unwrap().to_str().unwrap();
                assert!(text(&format!("gephost-gene/{name}")).is_some(), "{name} is not in new projects");
                count += 1;
            }
        }
        assert!(count > 15, "{count}");
        let bindings = text("gephost-gene/src/bindings.rs").unwrap();
        assert_eq!(bindings.matches("path: \"../wit\"").count(), 3);
        assert_eq!(bindings.matches("path: ").count(), 3);
    }

    #[test]
    fn a_world_without_a_template_says_which_languages_have_one() {
        assert_eq!(
            files("x", Language::Zig, World::Heuristic).unwrap_err().to_string(),
            "there is no template of a gene of the world `heuristic` in zig; there is one in rust, python, js, ts, go"
        );
        assert!(files("x", Language::Go, World::Gene).is_err());
    }

    #[test]
    fn a_name_that_cannot_be_a_folder_a_package_and_an_id_is_refused() {
        for name in ["", "..", "-rf", "A", "a b", "a/b", "1a", "_a", "ä", "a\n", &"a".repeat(65)] {
            assert!(files(name, Language::C, World::Strategy).is_err(), "{name:?}");
        }
        for name in ["a", "fix-python", "a_1", &"a".repeat(64)] {
            assert!(files(name, Language::C, World::Strategy).is_ok(), "{name:?}");
        }
    }
}

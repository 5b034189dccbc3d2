//! The languages in which `gephost gene new` begins a gene.

use std::fmt;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// cargo, for wasm32-wasip2.
    Rust,
    /// componentize-py.
    Python,
    /// JavaScript on QuickJS, by componentize-qjs.
    JavaScript,
    /// TypeScript, which tsc turns into JavaScript.
    TypeScript,
    /// The stock compiler of Go.
    Go,
    /// `zig cc`.
    C,
    /// `zig c++`.
    Cpp,
    /// The compiler of Zig.
    Zig,
    /// asc.
    AssemblyScript,
}

impl Language {
    /// Every language. [`Self::of_files`] asks in this order.
    pub const ALL: [Self; 9] = [
        Self::Rust,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Go,
        Self::C,
        Self::Cpp,
        Self::Zig,
        Self::AssemblyScript,
    ];

    /// The word on the command line, and the name of its folder of templates.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "js",
            Self::TypeScript => "ts",
            Self::Go => "go",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Zig => "zig",
            Self::AssemblyScript => "assemblyscript",
        }
    }

    /// The language of this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }

    /// The file that an author edits.
    pub fn source(self) -> &'static str {
        match self {
            Self::Rust => "src/lib.rs",
            Self::Python => "gene.py",
            Self::JavaScript => "gene.js",
            Self::TypeScript | Self::AssemblyScript => "gene.ts",
            Self::Go => "gene/gene.go",
            Self::C => "gene.c",
            Self::Cpp => "gene.cpp",
            Self::Zig => "gene.zig",
        }
    }

    /// The files that only a project in this language has.
    fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["Cargo.toml", "src/lib.rs"],
            Self::TypeScript => &["gene.ts", "tsconfig.json"],
            Self::AssemblyScript => &["gene.ts", "gephost/entry.ts"],
            Self::Go => &["go.mod", "gene/gene.go"],
            Self::Python => &["gene.py"],
            Self::JavaScript => &["gene.js"],
            Self::C => &["gene.c"],
            Self::Cpp => &["gene.cpp"],
            Self::Zig => &["gene.zig"],
        }
    }

    /// The language of a project, by the files that it has.
    pub fn of_files(has: impl Fn(&str) -> bool) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.marks().iter().all(|file| has(file)))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

//! The tools that made a component, as they wrote it down, and the language that this suggests. It is only a guess with
//! evidence, because the maker of a component can write anything.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use wasmparser::{BinaryReader, CustomSectionReader, ProducersSectionReader};

use crate::sandbox::printable::printable;

/// Largest section that is read, in bytes.
const MAX_SECTION: usize = 64 << 10;
/// Most entries that are kept, and most characters of each.
const MAX_ENTRIES: usize = 64;
const MAX_TEXT: usize = 80;

/// The tools that made a component.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Producers {
    /// Tools and languages with their versions, as written in the component, sorted.
    pub entries: BTreeSet<Producer>,
    /// Names of libraries of interpreters that are linked in.
    #[serde(skip)]
    libraries: BTreeSet<&'static str>,
}

/// One entry of a section `producers`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub field: String,
    /// Its name.
    pub name: String,
    /// Its version; may be empty.
    pub version: String,
}

/// A language, and the text in the name of an entry that suggests it, without regard to case. More specific entries
/// come first: an interpreter itself contains C and Rust, and the Rust library contains C.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("Python", &["componentize-py", "python"]),
    ("JavaScript", &["componentizejs", "componentize-js", "componentize-qjs", "starlingmonkey", "javascript", "jco"]),
    ("Go (TinyGo)", &["tinygo"]),
    ("Go", &["go", "wit-bindgen-go"]),
    ("C#", &["c#", "csharp", "componentize-dotnet"]),
    ("AssemblyScript", &["assemblyscript"]),
    ("MoonBit", &["moonbit", "wit-bindgen-moonbit"]),
    ("Zig", &["zig"]),
    ("Rust", &["rust", "rustc", "wit-bindgen-rust"]),
    ("C++", &["c_plus_plus", "c++", "wit-bindgen-cpp"]),
    ("C", &["c11", "c99", "c17", "c23", "c", "wit-bindgen-c", "clang"]),
];

/// Libraries of interpreters, by a part of their file name.
const LIBRARIES: &[(&str, &str)] = &[("libpython", "Python"), ("libquickjs", "JavaScript")];

impl Producers {
    /// Reads a custom section, if it names tools. One that is damaged or too large is ignored.
    pub(super) fn note(&mut self, section: &CustomSectionReader<'_>) {
        match section.name() {
            "producers" if section.data().len() <= MAX_SECTION => {
                let _ = self.read(section);
            }
            "dylink.0" => {
                let data = &section.data()[..section.data().len().min(MAX_SECTION)];
                let has = |library: &str| memchr::memmem::find(data, library.as_bytes()).is_some();
                self.libraries.extend(LIBRARIES.iter().map(|(library, _)| *library).filter(|library| has(library)));
            }
            _ => {}
        }
    }

    fn read(&mut self, section: &CustomSectionReader<'_>) -> Result<(), wasmparser::BinaryReaderError> {
        let text = |text: &str| printable(text).chars().take(MAX_TEXT).collect::<String>();
        for field in ProducersSectionReader::new(BinaryReader::new(section.data(), section.data_offset()))? {
            let field = field?;
            for value in field.values {
                let value = value?;
                if self.entries.len() < MAX_ENTRIES {
                    let (name, version) = (text(value.name), text(value.version));
                    self.entries.insert(Producer { field: text(field.name), name, version });
                }
            }
        }
        Ok(())
    }

    /// The most likely language.
    pub fn language(&self) -> Option<&'static str> {
        let linked = LIBRARIES.iter().find(|(library, _)| self.libraries.contains(library));
        let named = || LANGUAGES.iter().find(|(_, words)| self.entries.iter().any(|entry| entry.is_one_of(words)));
        linked.map(|(_, language)| *language).or_else(|| named().map(|(language, _)| *language))
    }

    /// The evidence for the language, as texts.
    pub fn evidence(&self) -> Vec<String> {
        let libraries = self.libraries.iter().map(|library| format!("linked from {library}"));
        let entries = self.entries.iter().map(|entry| {
            let version = entry.version.split(' ').next().unwrap_or_default();
            format!("{} {version}", entry.name).trim_end().to_owned()
        });
        let mut evidence: Vec<String> = libraries.chain(entries).collect();
        evidence.dedup();
        evidence
    }
}

impl Producer {
    fn is_one_of(&self, words: &[&str]) -> bool {
        let name = self.name.to_ascii_lowercase();
        // `Go cmd/compile` is a tool's name too.
        words.iter().any(|word| name == *word || name.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: &[(&str, &str)]) -> Producers {
        let entry = |(name, version): &(&str, &str)| Producer {
            field: "processed-by".to_owned(),
            name: (*name).to_owned(),
            version: (*version).to_owned(),
        };
        Producers { entries: entries.iter().map(entry).collect(), libraries: BTreeSet::new() }
    }

    #[test]
    fn the_most_telling_entry_decides() {
        for (entries, language) in [
            (&[("wit-component", "0.244.0")][..], None),
            (&[("wit-bindgen-c", "0.51.0"), ("wit-bindgen-rust", "0.45.0")], Some("Rust")),
            (&[("Rust", ""), ("rustc", "1.95.0 (abc 2026)"), ("clang", "21")], Some("Rust")),
            (&[("Go cmd/compile", "go1.27.3"), ("wit-component", "")], Some("Go")),
            (&[("Go", ""), ("TinyGo", "0.39")], Some("Go (TinyGo)")),
            (&[("C11", ""), ("clang", "19.1.7")], Some("C")),
            (&[("C_plus_plus_14", "")], None),
            (&[("JavaScript", ""), ("ComponentizeJS", "0.23.0"), ("Rust", "")], Some("JavaScript")),
            (&[("gopher", "1")], None),
        ] {
            assert_eq!(of(entries).language(), language, "{entries:?}");
        }
    }

    #[test]
    fn an_interpreter_is_told_from_what_it_is_made_of() {
        let mut python = of(&[("rustc", "1.75.0")]);
        python.libraries.insert("libpython");
        assert_eq!(python.language(), Some("Python"));
        assert_eq!(python.evidence(), ["linked from libpython", "rustc 1.75.0"]);
    }
}

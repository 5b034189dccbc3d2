//! Whether a capsule of another environment may be reused here (seed 001, `env_fingerprint`).
//!
//! A fingerprint says on which platform, architecture and language versions a change held. Other tools write the names of
//! Node (`x64`, `win32`), gephost those of Rust (`x86_64`, `windows`); both mean the same. What a fingerprint does not say
//! is not held against it, and the answer says so. Members that name a host or a folder are never read.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::text::{clip, without_controls};

/// How the member of a language's version ends, as in `node_version`.
const VERSION: &str = "_version";
/// The versions of tools that write capsules, which say nothing of the code.
const TOOLS: [&str; 3] = ["gephost", "evolver", "schema"];
/// Language versions of which one minor version breaks code for another, so the two are compared to that part.
const MINOR_BREAKS: [&str; 1] = ["python"];
/// The most characters of a word of a fingerprint in a reason.
const MAX_SHOWN: usize = 40;
/// The most language versions of a fingerprint that are read.
const MAX_LANGUAGES: usize = 32;

/// An environment, in the words of this module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Such as `linux`; `None` if it is not known.
    pub platform: Option<String>,
    /// Such as `x86_64`.
    pub arch: Option<String>,
    /// The versions of languages, such as `node` to `22.22.0`.
    pub languages: BTreeMap<String, String>,
}

/// Whether a capsule may be reused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compatibility {
    /// The fingerprint says the same as is known of this environment, or enough of it.
    Same,
    /// It may be reused, and the validation here decides. The reason says what differs or is not known.
    Unproven(String),
    /// It must not be reused. The reason says why.
    Different(String),
}

impl Compatibility {
    /// Whether it may be reused.
    pub fn may_reuse(&self) -> bool {
        !matches!(self, Self::Different(_))
    }
}

impl Surroundings {
    /// What a fingerprint says. Only platform, architecture and versions of languages are read.
    pub fn of_fingerprint(fingerprint: &Map<String, Value>) -> Self {
        let word = |key: &str| fingerprint.get(key).and_then(Value::as_str).map(plain).filter(|word| !word.is_empty());
        let language = |(key, value): (&String, &Value)| {
            let name = plain(key.strip_suffix(VERSION)?);
            let version = plain(value.as_str()?).trim_start_matches('v').to_owned();
            let is_language = !name.is_empty() && !TOOLS.contains(&name.as_str());
            (is_language && version.starts_with(|c: char| c.is_ascii_digit())).then_some((name, version))
        };
        Self {
            platform: word("platform").map(|word| platform(&word).to_owned()),
            arch: word("arch").map(|word| arch(&word).to_owned()),
            languages: fingerprint.iter().filter_map(language).take(MAX_LANGUAGES).collect(),
        }
    }

    /// The members that a capsule's fingerprint has for it. They name no host and no folder.
    pub fn to_members(&self) -> Map<String, Value> {
        let known = [("platform", &self.platform), ("arch", &self.arch)];
        let known = known.into_iter().filter_map(|(key, word)| Some((key.to_owned(), Value::from(word.clone()?))));
        let versions =
            self.languages.iter().map(|(name, version)| (format!("{name}{VERSION}"), version.clone().into()));
        known.chain(versions).collect()
    }
}

/// Whether a capsule with this fingerprint may be reused here.
///
/// Another platform or architecture is different: paths, shells and binaries differ. Another major version of a language
/// that both know is different too, and for Python another minor version, since code that moved between them is what
/// repairs are about. A smaller difference is unproven, and so is what either side does not say.
pub fn compatibility(fingerprint: Option<&Map<String, Value>>, here: &Surroundings) -> Compatibility {
    let Some(fingerprint) = fingerprint.filter(|members| !members.is_empty()) else {
        return Compatibility::Unproven("the capsule does not say where it held".to_owned());
    };
    let there = Surroundings::of_fingerprint(fingerprint);
    let mut doubts = Vec::new();
    for (what, theirs, ours) in
        [("platform", &there.platform, &here.platform), ("architecture", &there.arch, &here.arch)]
    {
        match (theirs, ours) {
            (Some(theirs), Some(ours)) if theirs != ours => {
                return Compatibility::Different(format!("it held on the {what} {theirs}, and this one is {ours}"));
            }
            (Some(_), Some(_)) => {}
            _ => doubts.push(format!("the {what} is not known")),
        }
    }
    for (language, theirs) in &there.languages {
        let Some(ours) = here.languages.get(language) else {
            doubts.push(format!("it held with {language} {theirs}, and the version here is not known"));
            continue;
        };
        let parts = if MINOR_BREAKS.contains(&language.as_str()) { 2 } else { 1 };
        if numbers(theirs, parts) != numbers(ours, parts) {
            return Compatibility::Different(format!("it held with {language} {theirs}, and this one is {ours}"));
        }
        if numbers(theirs, usize::MAX) != numbers(ours, usize::MAX) {
            doubts.push(format!("it held with {language} {theirs}, and this one is {ours}"));
        }
    }
    if doubts.is_empty() { Compatibility::Same } else { Compatibility::Unproven(doubts.join("; ")) }
}

/// A word of a fingerprint: short, in lower case, without characters that act on a terminal, and never a path.
fn plain(word: &str) -> String {
    let word = without_controls(word.trim()).to_lowercase();
    if word.contains(['/', '\\', '@']) { String::new() } else { clip(&word, MAX_SHOWN).into_owned() }
}

/// The name that gephost writes for a platform.
fn platform(word: &str) -> &str {
    match word {
        "darwin" | "osx" => "macos",
        "win32" => "windows",
        other => other,
    }
}

/// The name that gephost writes for an architecture.
fn arch(word: &str) -> &str {
    match word {
        "x64" | "amd64" => "x86_64",
        "arm64" => "aarch64",
        "ia32" | "i386" | "i686" => "x86",
        other => other,
    }
}

/// The first numbers of a version. A missing one counts as 0.
fn numbers(version: &str, parts: usize) -> Vec<u64> {
    let is_number = |c: char| c.is_ascii_digit();
    let end = version.find(|c: char| !is_number(c) && c != '.').unwrap_or(version.len());
    let whole = version.get(..end).unwrap_or_default();
    let mut numbers: Vec<u64> = whole.split('.').take(parts).map(|part| part.parse().unwrap_or_default()).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn here() -> Surroundings {
        Surroundings::of_fingerprint(&members(json!({
            "platform": "linux", "arch": "x86_64", "node_version": "22.22.0", "python_version": "3.11.4",
        })))
    }

    fn check(fingerprint: Value, expect: &Compatibility) {
        assert_eq!(compatibility(Some(&members(fingerprint.clone())), &here()), *expect, "{fingerprint}");
    }

    #[test]
    fn the_fingerprint_of_the_seed_is_the_same_environment() {
        check(
            json!({ "node_version": "v22.22.0", "platform": "linux", "arch": "x64", "os_release": "6.1.0-42-cloud-amd64",
                "evolver_version": "1.7.0", "cwd": ".", "captured_at": "2026-02-07T15:20:54.155Z" }),
            &Compatibility::Same,
        );
        check(json!({ "platform": "linux", "arch": "amd64", "gephost_version": "0.1.0" }), &Compatibility::Same);
    }

    #[test]
    fn another_platform_architecture_or_language_version_is_different() {
        let different = |reason: &str| Compatibility::Different(reason.to_owned());
        let on = |platform: &str, arch: &str| json!({ "platform": platform, "arch": arch });
        check(on("darwin", "x64"), &different("it held on the platform macos, and this one is linux"));
        check(on("win32", "x64"), &different("it held on the platform windows, and this one is linux"));
        check(on("linux", "arm64"), &different("it held on the architecture aarch64, and this one is x86_64"));
        let with = |key: &str, version: &str| json!({ "platform": "linux", "arch": "x64", key: version });
        check(with("node_version", "v18.1.0"), &different("it held with node 18.1.0, and this one is 22.22.0"));
        check(with("python_version", "3.9.2"), &different("it held with python 3.9.2, and this one is 3.11.4"));
        check(with("python_version", "2.7"), &different("it held with python 2.7, and this one is 3.11.4"));
    }

    #[test]
    fn what_is_close_or_not_known_is_unproven_and_may_be_reused() {
        let unproven = |reason: &str| Compatibility::Unproven(reason.to_owned());
        let with = |key: &str, version: &str| json!({ "platform": "linux", "arch": "x64", key: version });
        check(with("node_version", "v22.1.0"), &unproven("it held with node 22.1.0, and this one is 22.22.0"));
        check(with("python_version", "3.11"), &unproven("it held with python 3.11, and this one is 3.11.4"));
        check(with("ruby_version", "3.2"), &unproven("it held with ruby 3.2, and the version here is not known"));
        check(json!({ "arch": "x64" }), &unproven("the platform is not known"));
        assert_eq!(compatibility(None, &here()), unproven("the capsule does not say where it held"));
        assert_eq!(compatibility(Some(&Map::new()), &here()), unproven("the capsule does not say where it held"));
        assert!(unproven("x").may_reuse() && Compatibility::Same.may_reuse());
        assert!(!Compatibility::Different(String::new()).may_reuse());
    }

    #[test]
    fn versions_are_numbers() {
        for (one, other, is_same) in [
            ("22.22.0", "22.22", true),
            ("3.10", "3.1", false),
            ("1.2.3-rc1", "1.2.3", true),
            ("99999999999999999999999", "0", true),
        ] {
            assert_eq!(numbers(one, usize::MAX) == numbers(other, usize::MAX), is_same, "{one} {other}");
        }
    }

    #[test]
    fn no_host_and_no_folder_is_read_or_written() {
        let fingerprint = members(json!({
            "platform": "linux", "arch": "/home/ada/bin", "hostname": "ada-laptop", "cwd": "/home/ada/secret",
            "user": "ada", "node_version": "/home/ada/.nvm/22", "go_version": "1.24", "c:\\x_version": "1", "ada@host_version": "1",
            "os_release": "ada-laptop", "rust_version": "1.95.0\u{1b}[31m",
        }));
        let read = Surroundings::of_fingerprint(&fingerprint);
        let written = Value::Object(read.to_members()).to_string();
        let reasons = format!("{:?}", compatibility(Some(&fingerprint), &here()));
        for text in [&written, &reasons] {
            for secret in ["ada", "/home", "laptop", "secret", "\\\\x", "\u{1b}", "\\u001b"] {
                assert!(!text.contains(secret), "{secret}: {text}");
            }
        }
        assert_eq!(read.languages.keys().map(String::as_str).collect::<Vec<_>>(), ["go", "rust"]);
        assert_eq!(Surroundings::of_fingerprint(&here().to_members()), here(), "what is written is read back");
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_the_same_environment(
            platform in "linux|macos|windows", arch in "x86_64|aarch64",
            node in proptest::option::of("[1-9][0-9]?\\.[0-9]{1,2}\\.[0-9]"),
        ) {
            let languages = node.into_iter().map(|version| ("node".to_owned(), version)).collect();
            let here = Surroundings { platform: Some(platform), arch: Some(arch), languages };
            proptest::prop_assert_eq!(compatibility(Some(&here.to_members()), &here), Compatibility::Same);
        }
    }
}

//! Tests whose passing shows nothing, because the change under test made them milder.

use serde::Serialize;

/// A test that checks less after a change than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WeakenedTest {
    /// The file that was changed, from the root of the repository.
    pub path: String,
    /// The test's own name, without its file, class and cases; `None` if it may be any test.
    pub name: Option<String>,
    /// What it lost, for a person.
    pub why: String,
}

impl WeakenedTest {
    /// Whether this is the test that a runner names. Runners put a file, a class or a package before the name of a
    /// test, and its case behind it.
    pub fn is(&self, name: &str) -> bool {
        let Some(own) = self.name.as_deref().filter(|own| !own.is_empty()) else { return true };
        let word = |c: char| c.is_alphanumeric() || c == '_';
        // A file may be called like a test.
        let name = name.split_once("::").filter(|(file, _)| file.contains(".py")).map_or(name, |(_, name)| name);
        name.match_indices(own).any(|(at, _)| {
            let before = name.get(..at).and_then(|before| before.chars().next_back());
            let after = name.get(at + own.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(word) && !after.is_some_and(word)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_every_runners_name_for_it() {
        let of = |name: Option<&str>| WeakenedTest {
            path: "tests/test_a.py".to_owned(),
            name: name.map(str::to_owned),
            why: "it is gone".to_owned(),
        };
        for name in
            ["tests/test_a.py::TestA::test_one[1-2]", "test_one (tests.test_a.A.test_one)", "a::tests::test_one"]
        {
            assert!(of(Some("test_one")).is(name), "{name}");
        }
        assert!(of(Some("adds two")).is("sum > adds two") && of(None).is("anything"));
        assert!(!of(Some("test_one")).is("tests/test_a.py::test_one_more"));
        assert!(!of(Some("test_one")).is("tests/test_one.py::test_two"));
    }
}

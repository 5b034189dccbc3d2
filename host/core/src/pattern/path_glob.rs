//! A pattern against whole paths, for lists of files: `[observe] logs`, `--log`, and the globs of genes.

use super::braces::expand;
use super::case::Case;
use super::error::PatternError;
use super::glob::Glob;

/// A pattern that a whole path must match, in exact letter case.
///
/// Its wildcards are those of every pattern ([`crate::pattern`]). Braces are expanded first, as a shell does:
/// `logs/{a,b}/*.jsonl` stands for `logs/a/*.jsonl` and `logs/b/*.jsonl`.
#[derive(Debug, Clone)]
pub struct PathGlob {
    alternatives: Vec<Alternative>,
}

#[derive(Debug, Clone)]
struct Alternative {
    glob: Glob,
    /// It ends in `**`, and so matches everything below.
    is_open: bool,
    is_absolute: bool,
}

impl PathGlob {
    /// Compiles a pattern. An error says what is malformed, or that its braces expand to too much.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let alternatives = expand(pattern)?.iter().map(|text| Alternative::new(text)).collect::<Result<_, _>>()?;
        Ok(Self { alternatives })
    }

    /// Whether the path matches. Paths of more than 127 segments match nothing.
    pub fn is_match(&self, path: &str) -> bool {
        let is_absolute = path.starts_with('/');
        let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
        self.alternatives.iter().filter(|one| one.is_absolute == is_absolute).any(|one| one.is_match(&segments))
    }
}

impl Alternative {
    fn new(pattern: &str) -> Result<Self, PatternError> {
        let body = pattern.strip_prefix('/').unwrap_or(pattern);
        let is_open = body == "**" || body.ends_with("/**");
        Ok(Self { glob: Glob::new(body, false, Case::Exact)?, is_open, is_absolute: body.len() < pattern.len() })
    }

    fn is_match(&self, path: &[&str]) -> bool {
        // Of an open pattern the last segment stands for one name, and what is below it is covered.
        let below = |end| path.get(..end).is_some_and(|folder| self.glob.is_match(folder, Case::Exact));
        if self.is_open { (1..=path.len()).any(below) } else { self.glob.is_match(path, Case::Exact) }
    }
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;
    use proptest::prelude::*;

    use super::*;

    fn is_match(pattern: &str, path: &str) -> bool {
        PathGlob::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}")).is_match(path)
    }

    #[test]
    fn a_pattern_is_for_the_whole_path() {
        for (pattern, path) in [
            ("a", "a"),
            ("**", "a/b"),
            ("**/b", "b"),
            ("**/b", "a/a/b"),
            ("a/**/b", "a/b"),
            ("a/**", "a/b/c"),
            ("logs/*.jsonl", "logs/x.jsonl"),
            ("../logs/?.log", "../logs/ä.log"),
            ("/var/{log,tmp/{a,b}}/*", "/var/tmp/b/x"),
            ("{a,}b", "b"),
            ("[{]\\{a\\}", "{{a}"),
            ("x[!0-9]", "xy"),
            ("[[:alpha:]]", "q"),
        ] {
            assert!(is_match(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("a", "b/a"),
            ("a", "a/b"),
            ("*", "a/b"),
            ("a/**", "a"),
            ("**/b", "/b"),
            ("/a", "a"),
            ("*.JSONL", "x.jsonl"),
            ("", "a"),
        ] {
            assert!(!is_match(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_malformed_or_too_much_is_refused() {
        let wide = format!("{{{}}}", "a,".repeat(9000));
        let deep = "{".repeat(20) + &"}".repeat(20);
        let doubling = "{a,b}".repeat(20);
        let long = format!("{{a,b,c}}{}", "x".repeat(4000));
        for pattern in ["{a,b", "a}", "[a", "a\\", "{a,[b}", &wide, &deep, &doubling, &long] {
            assert!(PathGlob::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_very_deep_path_matches_nothing() {
        assert!(is_match("**", &vec!["a"; 127].join("/")));
        assert!(!is_match("**/b", &vec!["a"; 500].join("/")));
    }

    proptest! {
        /// Lists of files that were matched by `globset` before match the same.
        #[test]
        fn it_agrees_with_globset(
            pattern in "(\\*\\*/)?[ab*?{},.\\[\\]!/-]{1,10}(/\\*\\*)?",
            paths in proptest::collection::vec("[ab.-]{1,4}(/[ab.-]{1,3}){0,3}", 1..8),
        ) {
            // With a slash at its end a pattern means the folder, which globset never matches.
            prop_assume!(!pattern.ends_with('/') && !pattern.contains("/,") && !pattern.contains("/}"));
            // Braces are expanded first, so stars on both sides of one may become `**`; in globset they stay two.
            let stars = |text: &str| text.matches("**").count();
            let joins = |all: Vec<String>| all.iter().any(|one| stars(one) > stars(&pattern));
            prop_assume!(!expand(&pattern).is_ok_and(joins));
            let theirs = GlobBuilder::new(&pattern).literal_separator(true).empty_alternates(true).build();
            let (Ok(theirs), Ok(ours)) = (theirs, PathGlob::new(&pattern)) else { return Ok(()) };
            let theirs = theirs.compile_matcher();
            for path in &paths {
                prop_assert_eq!(ours.is_match(path), theirs.is_match(path), "{} {}", pattern, path);
            }
        }
    }
}

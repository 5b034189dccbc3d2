//! Checks that leave out a part of what they compared before.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;

/// What leaves a part out, from the comma or the dot before it. Sources: the manuals of go-cmp, protocmp, `AssertJ`,
/// Fluent Assertions and deepdiff.
static OMITS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(concat!(
        r"\s*,\s*(?:cmpopts\s*\.\s*Ignore\w*|protocmp\s*\.\s*Ignore\w*|cmp\s*\.\s*(?:Ignore\s*\(|Filter\w+\s*\(.*\bcmp\s*\.\s*Ignore\s*\())",
        r"|\s*\.\s*(?:ignoring(?:\w*Fields\w*|\w*Types\w*)|comparingOnlyFields\w*)\s*\(",
        r"|\s*,\s*\(?\w+\)?\s*=>\s*\w+(?:\s*\.\s*\w+\([^()]*\))*\s*\.\s*Excluding\w*\s*\(",
        r"|\s*,\s*(?:exclude_(?:paths|regex_paths|types|obj_callback)|ignore_(?:numeric_type_changes|type_in_groups|private_variables))\s*=",
    ))
});

/// Shortest beginning of a check by which it is known again.
const SHORTEST: usize = 8;

/// A check that is the same as before up to where it leaves something out now.
pub(super) fn a_part(before: &[String], now: &[String]) -> Option<String> {
    let omitted = |said: &str| OMITS.find_iter(said.as_bytes()).count();
    let is_known = |said: &&String| {
        let Some(stem) = OMITS.find(said.as_bytes()).and_then(|found| said.get(..found.start())) else { return false };
        let stem = stem.trim_start();
        let was = |old: &String| old.trim_start().starts_with(stem) && omitted(old) < omitted(said);
        stem.len() >= SHORTEST && before.iter().any(was)
    };
    now.iter().find(is_known).map(|said| format!("`{}` leaves a part out of what it compares", said.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_left_out_of_a_check_that_was_there() {
        let omits = |before: &str, now: &str| a_part(&[before.to_owned()], &[now.to_owned()]).is_some();
        for (before, now) in [
            ("cmp.Diff(want, got)", "cmp.Diff(want, got, cmpopts.IgnoreFields(Cart{}, \"Total\"))"),
            ("cmp.Diff(want, got)", "cmp.Diff(want, got, protocmp.IgnoreDefaultScalars())"),
            ("assertThat(a).usingX().isEqualTo(b);", "assertThat(a).usingX().ignoringFields(\"id\").isEqualTo(b);"),
            ("a.Should().Be(b);", "a.Should().Be(b, o => o.Excluding(x => x.Id));"),
            ("assert not DeepDiff(a, b)", "assert not DeepDiff(a, b, exclude_paths=['x'])"),
        ] {
            assert!(omits(before, now), "{now}");
            assert!(!omits(now, before) && !omits(now, now) && !omits("other(1)", now), "{now}");
        }
        assert!(!omits("cmp.Diff(want, got)", "cmp.Diff(want, got, cmpopts.EquateEmpty())"));
    }
}

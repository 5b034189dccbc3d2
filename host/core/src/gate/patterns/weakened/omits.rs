//! Checks that leave out a part of what they compared before.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;

/// What leaves a part out, from the comma or the dot before it, and patterns that match anything. Sources: the manuals of
/// go-cmp, protocmp, `AssertJ`, Fluent Assertions, deepdiff, testthat, `Test::More` and Robot Framework.
static OMITS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(concat!(
        r"\s*,\s*(?:cmpopts\s*\.\s*Ignore\w*|protocmp\s*\.\s*Ignore\w*|cmp\s*\.\s*(?:Ignore\s*\(|Filter\w+\s*\(.*\bcmp\s*\.\s*Ignore\s*\())",
        r"|\s*\.\s*(?:ignoring(?:\w*Fields\w*|\w*Types\w*)|comparingOnlyFields\w*)\s*\(",
        r"|\s*,\s*\(?\w+\)?\s*=>\s*\w+(?:\s*\.\s*\w+\([^()]*\))*\s*\.\s*Excluding\w*\s*\(",
        r"|\s*,\s*(?:tolerance|atol|rtol)\s*=\s*(?:[1-9]\d*(?:\.\d*)?|Inf)\b",
        r"|\bqr\s*(?:/\^?\.?[*+]?\$?/|\{\^?\.?[*+]?\$?\})|\bmatch\s*=\s*r?[\x22']\^?\.?[*+]?\$?[\x22']",
        r"|[(,]\s*/\^?\.[*+]?\$?/|\bExpect Error\s+\*(?:\s|$)",
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

/// A check that something fails, of which the end that said how is gone.
static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"\b(?:assert\w*(?:Throws|Rejects)\w*|assert\s*\.\s*(?:throws|rejects|has_error\w*|error)|t\s*\.\s*(?:throws|rejects)\w*)\s*\(|->\s*throws\s*\(",
    )
});

/// A check that any failure satisfies now, and that asked for one kind or message before. What Java and Kotlin put last is
/// only the text of the report.
pub(super) fn how_it_fails(before: &[String], now: &[String]) -> Option<String> {
    let is_shorter = |said: &&String| {
        let stem = said.trim().trim_end_matches(';').strip_suffix(')').unwrap_or_default().trim_end();
        let was = |old: &String| {
            let rest = old.trim().strip_prefix(stem).map(str::trim_start).unwrap_or_default();
            // In Pest, it stands behind the body.
            rest.starts_with(',') && !old.trim().trim_start_matches("})->").contains("->")
        };
        FAILS.is_match(stem.as_bytes()) && before.iter().any(was)
    };
    now.iter().find(is_shorter).map(|said| format!("any failure satisfies `{}`", said.trim()))
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
            ("expect_equal(total(cart), 6)", "expect_equal(total(cart), 6, tolerance = 10)"),
            ("like($@, qr/negative/, 'refused');", "like($@, qr/./, 'refused');"),
            ("with pytest.raises(E, match=\"negative\"):", "with pytest.raises(E, match=\".*\"):"),
            ("expect(f).toThrow(/negative/);", "expect(f).toThrow(/.*/);"),
            ("Run Keyword And Expect Error    *negative*    Add", "Run Keyword And Expect Error    *    Add"),
        ] {
            assert!(omits(before, now), "{now}");
            assert!(!omits(now, before) && !omits(now, now) && !omits("other(1)", now), "{now}");
        }
        for (before, now) in [
            ("cmp.Diff(want, got)", "cmp.Diff(want, got, cmpopts.EquateEmpty())"),
            ("cmp.Diff(want, got)", "cmp.Diff(want, got, cmp.Comparer(func(a, b Cart) bool { return a.ID == b.ID }))"),
            ("expect_equal(total(cart), 6)", "expect_equal(total(cart), 6, tolerance = 1e-6)"),
            ("like($@, qr/negative/, 'refused');", "like($@, qr/must not be negative/, 'refused');"),
        ] {
            assert!(!omits(before, now), "{now}");
        }
    }

    #[test]
    fn any_failure_is_less_than_one_kind() {
        let less = |before: &str, now: &str| how_it_fails(&[before.to_owned()], &[now.to_owned()]).is_some();
        for (before, now) in [
            ("assertThrows(() => f(-1), RangeError, \"negative\");", "assertThrows(() => f(-1));"),
            ("await assertRejects(() => f(-1), Error);", "await assertRejects(() => f(-1));"),
            ("assert.throws(() => f(-1), /negative/);", "assert.throws(() => f(-1));"),
            ("assert.has_error(function() f(-1) end, \"negative\")", "assert.has_error(function() f(-1) end)"),
        ] {
            assert!(less(before, now), "{now}");
            assert!(!less(now, before) && !less(now, now) && !less("assertThrows(() => g(1), E);", now), "{now}");
        }
        for (before, now) in [
            ("assertThrows(E.class, () -> f(-1), \"it must fail\");", "assertThrows(E.class, () -> f(-1));"),
            ("assertEquals(f(1), 2, \"two\");", "assertEquals(f(1), 2);"),
        ] {
            assert!(!less(before, now), "{now}");
        }
    }
}

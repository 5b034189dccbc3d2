//! How far a value may be from the expected one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;

/// By how much a tolerance may grow before that is said.
const MOST: f64 = 10.0;

const NUMBER: &str = r"(\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+|[\w:.]*\b(?:INFINITY|inf|Infinity)\b|float\(.inf.\))";

/// Where a tolerance stands, as the last group, and the name that it goes by, if it has one.
static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
    ascii(&format!(
        r"\b(abs|abs_tol|atol|delta|eps|epsilon|max_relative|rel|rel_tol|rtol|tol|tolerance)\s*=\s*{NUMBER}|\babs\s*\(.*\)\s*<=?\s*{NUMBER}|^(?:if|unless)\b.*[aA]bs\w*\s*\(.*\)\s*>=?\s*{NUMBER}|\bEquateApprox\w*\s*\(.*,\s*{NUMBER}|\baccuracy\s*:\s*{NUMBER}|\b(?:be_within|[wW]ithin|offset|byLessThan|margin|epsilon|plusOrMinus)\s*\(?\s*{NUMBER}|\b(?:closeTo|Within(?:Abs|Rel))\s*\([^()]*,\s*{NUMBER}\s*\)|\b(?:EXPECT|ASSERT)_NEAR\b.*,\s*{NUMBER}\s*\)\s*;?$|\b(?:InDeltaf?|InEpsilonf?|assert_in_delta|assert_in_epsilon|assertEqualsWithDelta)\b.*,\s*{NUMBER}\s*\)?\s*;?$|\bTEST_ASSERT_\w*WITHIN\w*\s*\(\s*{NUMBER}|\bassertApproxEq\w*\s*\(.*,\s*{NUMBER}\s*\)\s*;?$|\bassertEquals\s*\(\s*-?[\d.]+\w?\s*,.*,\s*{NUMBER}\s*\)\s*;?$"
    ))
});

/// The same for a number of digits.
static DIGITS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"\b(?:places|precision|digits|decimals?|ndigits)\s*[=:]\s*(-?\d+)|\b(?:[rR]ound|toFixed|assert_(?:array_)?almost_equal)\s*\(.*,\s*(\d+)\s*\)|\.\s*(?:round|toFixed)\s*\(\s*(\d+)\s*\)|\.\s*toBeCloseTo\s*\(.*,\s*(-?\d+)\s*\)|\bAssert\s*\.\s*Equal\s*\(\s*-?\d+\.\d+\w?\s*,.*,\s*(\d+)\s*\)",
    )
});

/// A tolerance that grew more than a little, in the checks of a test before and after.
pub(super) fn grown(before: &[String], now: &[String]) -> Option<String> {
    let (old, new) = (tolerances(before), tolerances(now));
    let largest = old.values().copied().fold(0.0, f64::max);
    let grown = new.iter().find(|(name, value)| {
        let (known, value) = match old.get(*name) {
            Some(known) => (*known, **value),
            None => (largest, **value * scale(name, now)),
        };
        known > 0.0 && value > known * MOST * 1.001
    })?;
    let name = if grown.0.is_empty() { String::new() } else { format!(" `{}`", grown.0) };
    Some(format!("its tolerance{name} grew to {}", grown.1))
}

/// By how much a tolerance of this name is multiplied where it takes the place of an absolute one: a relative one by the value
/// that is expected.
fn scale(name: &str, checks: &[String]) -> f64 {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| ascii(r"(?:^|[^\w.=-])(\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)\b"));
    if !["max_relative", "rel", "rel_tol", "rtol"].contains(&name) {
        return 1.0;
    }
    let own = checks.iter().filter(|said| said.contains(name));
    let values = own.flat_map(|said| VALUE.captures_iter(said.as_bytes()));
    let values = values.filter_map(|found| number(found.get(1)?.as_bytes()));
    values.filter(|value| value.is_finite()).fold(1.0, f64::max)
}

/// The largest tolerances by their names.
fn tolerances(checks: &[String]) -> BTreeMap<String, f64> {
    let mut found: BTreeMap<String, f64> = BTreeMap::new();
    let mut add = |name: &str, value: f64| {
        let known = found.entry(name.to_owned()).or_insert(value);
        *known = known.max(value);
    };
    for said in checks {
        for given in GIVEN.captures_iter(said.as_bytes()) {
            let name = given.get(1).map(|name| String::from_utf8_lossy(name.as_bytes())).unwrap_or_default();
            if let Some(value) = given.iter().skip(2).flatten().last().and_then(|value| number(value.as_bytes())) {
                add(&name, value);
            }
        }
        for given in DIGITS.captures_iter(said.as_bytes()) {
            let digits = given.iter().skip(1).flatten().next();
            let digits = digits.and_then(|digits| std::str::from_utf8(digits.as_bytes()).ok()?.parse::<i32>().ok());
            if let Some(digits) = digits {
                add("", 10_f64.powi(digits.saturating_neg()));
            }
        }
    }
    found
}

fn number(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    if text.to_ascii_lowercase().contains("inf") {
        return Some(f64::INFINITY);
    }
    text.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_grown(before: &str, now: &str) -> bool {
        grown(&[before.to_owned()], &[now.to_owned()]).is_some()
    }

    #[test]
    fn tolerances_grow() {
        for (before, now) in [
            ("assert x == approx(2, abs=1e-6)", "assert x == approx(2, abs=10)"),
            ("assert x == approx(2, rel=1e-9)", "assert x == approx(2, abs=float(\"inf\"))"),
            ("assert!((x - 0.3).abs() < 1e-3)", "assert!((x - 0.3).abs() < f64::INFINITY)"),
            ("assert!((x - 0.3).abs() < 1e-3)", "assert!((x - 0.3).abs() < 1.0)"),
            ("self.assertAlmostEqual(x, 0.3, places=7)", "self.assertAlmostEqual(x, 0.3, places=0)"),
            ("self.assertAlmostEqual(x, 0.3, places=7)", "self.assertAlmostEqual(x, 0.3, delta=5)"),
            ("expect(x).toBeCloseTo(0.3, 4)", "expect(x).toBeCloseTo(0.3, -2)"),
            ("require.InDelta(t, 0.3, x(), 0.001)", "require.InDelta(t, 0.3, x(), 1000)"),
            ("assertEquals(0.3, x(), 0.001);", "assertEquals(0.3, x(), 1000);"),
            ("assert_in_delta 0.3, @x, 0.001", "assert_in_delta 0.3, @x, 5"),
            ("expect(x).to be_within(0.001).of(0.3)", "expect(x).to be_within(9).of(0.3)"),
            ("Assert.Equal(0.333, x.Ratio, 3);", "Assert.Equal(0.333, x.Ratio, 0);"),
            ("EXPECT_NEAR(x.mean(), 0.15, 1e-9);", "EXPECT_NEAR(x.mean(), 0.15, 2.0);"),
            ("XCTAssertEqual(x, 0.3, accuracy: 0.001)", "XCTAssertEqual(x, 0.3, accuracy: 1)"),
            ("expect(x, closeTo(0.3, 0.001));", "expect(x, closeTo(0.3, 1));"),
            ("Assert.That(x, Is.EqualTo(0.3).Within(0.001));", "Assert.That(x, Is.EqualTo(0.3).Within(5));"),
            ("x shouldBe (0.3 plusOrMinus 0.001)", "x shouldBe (0.3 plusOrMinus 3)"),
            ("REQUIRE(x == Approx(0.3).margin(0.001));", "REQUIRE(x == Approx(0.3).margin(3));"),
            ("Assert.Equal(total, Weigh(all), precision: 6);", "Assert.Equal(total, Weigh(all), precision: 0);"),
            ("if math.Abs(got-11) > 1e-9 {", "if math.Abs(got-11) > 100 {"),
            ("assert round(x(), 6) == 0.333333", "assert round(x(), 0) == 0"),
            ("assert_equal 0.3333, x.round(4)", "assert_equal 0, x.round(0)"),
            ("assert_almost_equal(x, y, decimal=7)", "assert_almost_equal(x, y, decimal=1)"),
            ("assert x == approx(5.0, abs=0.001)", "assert x == approx(5.0, rel=0.01)"),
            ("assert math.isclose(x, 800, abs_tol=1)", "assert math.isclose(x, 800, rel_tol=0.1)"),
        ] {
            assert!(is_grown(before, now), "{before} -> {now}");
            assert!(!is_grown(now, before), "{now} -> {before}");
        }
    }

    #[test]
    fn other_numbers_are_no_tolerances() {
        for (before, now) in [
            ("assertEquals(5, f(2, 3));", "assertEquals(60, f(2, 30));"),
            ("expect(x).toBeCloseTo(0.3, 4)", "expect(x).toBeCloseTo(30, 3)"),
            ("assert abs(x) == 5", "assert abs(x) == 500"),
            ("assert x == approx(2, abs=1e-6)", "assert x == approx(200, abs=2e-6)"),
            ("Assert.Equal(3, x.Count);", "Assert.Equal(0, x.Count);"),
            ("assert x == 2", "assert x == approx(2, abs=1e-3)"),
            ("assert x == approx(5.0, abs=0.001)", "assert x == approx(5.0, rel=1e-6)"),
            ("assert x == approx(800, rel=0.01)", "assert x == approx(80000, rel=0.01)"),
        ] {
            assert!(!is_grown(before, now), "{before} -> {now}");
        }
    }
}

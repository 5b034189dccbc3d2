//! Whether a check asks for one value, and not only for some property of it.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;
use super::truth::is_vain;

/// A line as code, and with strings.
type Line = (String, String);

/// A check against a value.
static EXACT: LazyLock<Regex> = LazyLock::new(|| {
    ascii(concat!(
        r"(?:^|[^\w])(?:assert\b.*(?:==|\bis\b|\bin\b)|assert(?:Equal|Set|List|Dict|Tuple|Sequence|MultiLine|Count|Is|In|Raises|Same|ArrayEq|IterableEq|LinesM|Throws)\w*\s*\(|isEqualTo\s*\(|is(?:Zero|One|Empty|Null)\s*\(\s*\)|Should\s*\(\s*\)\s*\.\s*(?:Be(?:Zero|One|Null|Empty)?|Equal)\s*\(|\bassert_(?:equal|same)\b|\bassert_(?:output|line)\s+[^-\s]|\.\s*to\s+(?:eq|eql|equal|match|contain_exactly|match_array|include|have_\w+|be_within|start_with|end_with)\b|\[\[?\s.*\s==?\s+[^*\s]|(?:debug_)?assert_eq!|pytest\.raises\b|to(?:Be|Equal|StrictEqual|Match\w*|Throw\w*|HaveLength|Contain\w*)\s*\(\s*[^)\s]|(?:deep|strict|deepStrict|partialDeepStrict)?[eE]qual\s*\(|toHave\w+\s*\(\s*[^)\s]|containsExactly\w*\s*\(|hasSize\s*\(|assert_(?:allclose|array_\w+|almost_equal|approx_equal)\s*\()",
        // unittest.mock, sinon; chai and Jasmine; Playwright; ava and tap; Cypress.
        r"|\bassert_(?:has_calls|any_call|called_once|(?:called|awaited)\w*_with|awaited_once)\b|\bcalled(?:Once|Twice|Thrice|\w*With\w*)\s*\(|\.\s*throws?\s*\(\s*[^)\s]|\.\s*toBeOK\b|\bt\s*\.\s*(?:is|deepEqual|like|throws\w*|regex|same|strictSame|snapshot)\s*\(|\.\s*should\s*\([^(),]*,",
        // Pester; testthat; clojure.test; Julia; Test::More; ExUnit; Deno; Robot Framework.
        r"|\|\s*Should\s+-(?:Be|BeExactly|HaveCount|Match\w*|Contain|Throw\s+\S+)(?:\s|$)|\ban?\s*\[\s*\w+\s*\]\s+should\s+be\s+thrownBy\b|\bassert_receive(?:d)?\s*\(?\s*[^_(\s]|^\s*expect_(?:equal|identical|length|named|match|setequal|mapequal|snapshot\w*)\s*\(|^\s*expect_(?:error|warning|message)\s*\(.*,|\(is\s+\((?:=|thrown)|^\s*@test\s.*(?:==|≈|isequal)|^\s*@test_throws\s+\w*Error\b|^\s*(?:is|like|is_deeply|cmp_ok|isa_ok)\s*\(|\bassert_raise\s*\(?\s*\w+\s*,\s*[\x22~]|\bassertStrictEqual\w*|\bShould (?:Be Equal|Match|Contain|Start With|End With)\b",
        // gocheck, GoConvey; Unity; Foundry; EUnit.
        r"|\bc\s*\.\s*(?:Assert|Check)\s*\(.*,\s*(?:Equals|DeepEquals|\w*Matches)\s*,|(?:^|[^\w.])So\s*\(.*,\s*Should(?:Equal|Resemble|Match\w*|AlmostEqual|HaveSameTypeAs|Contain\w*|BeNil|BeTrue|BeFalse|BeZeroValue|BeEmpty|HaveLength)\b|\bTEST_ASSERT_EQUAL\w*\s*\(|\bassertEq\s*\(|\?_?assert(?:Equal|Match)\s*\(",
        // AssertJ.
        r"|\bassertThatExceptionOfType\s*\(|\bassert\s*\.\s*(?:rejects|throws)\s*\(.*,|\bassert\w*Contains\w*\s*\(",
        // xUnit, MSTest, NUnit.
        r"|\bAssert\s*\.\s*(?:StartsWith|EndsWith|Contains|Matches|Same|StrictEqual|Equivalent|Collection|Throws\w*|Are(?:Equal|Same))\b|\b(?:Is|Has|Does|Throws)\s*\.\s*(?:\w+\s*\.\s*)*(?:EqualTo|SameAs|EquivalentTo|Exactly|StartWith|EndWith|Contain|Match|TypeOf|InstanceOf|Member|Count)\b",
        // GoogleTest, Catch2; XCTest, Swift Testing.
        r"|\b(?:EXPECT|ASSERT)_(?:\w*EQ|NEAR|THROW|THAT|DEATH)\s*\(|\b(?:REQUIRE|CHECK)_(?:THROWS_(?:AS|WITH|MATCHES)|THAT)\s*\(|\b(?:REQUIRE|CHECK)\s*\(.*==|\bXCTAssert(?:Equal\w*|Identical|ThrowsError)\s*\(|#(?:expect|require)\s*\(.*==",
        // Dart; Kotest; Gomega and testify; RSpec.
        r"|\b(?:equals|same|isA|throwsA|throws[A-Z]\w*|findsOneWidget|findsNothing|findsN\w+|findsExactly)\b|\bshould(?:Be|Equal|Contain|StartWith|EndWith|Have|Throw|Match)\w*[\s<(]|\b(?:To|Should)\s*\(\s*(?:Equal|Be(?:IdenticalTo|EquivalentTo|Numerically|Zero|Empty|True|False|Closed|ElementOf)|Contain\w*|ConsistOf|Have\w+|Match\w*)\b|\b(?:ErrorIs|ErrorAs|ErrorContains|EqualError)f?\s*\(|\braise_error\s*\(?\s*[A-Z/\x22']",
    ))
});

/// What `AssertJ` and Truth ask of a value, several of it in a row.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"\.\s*(?:is(?:Equal|Same)\w*|has[A-Z]\w*|with(?:Message|Cause|NoCause)\w*|contains\w*|startsWith|endsWith|matches|isInstanceOf|isExactlyInstanceOf|isIn|isThrownBy)\s*\(\s*[^)\s]",
    )
});

/// Whether a line checks something against a value.
pub(super) fn is_exact(line: &Line) -> bool {
    matches(line) > 0
}

/// The same for a line that is new: there, a negation may say that something is empty.
pub(super) fn is_exact_now(line: &Line) -> bool {
    let rest = line.0.trim().strip_prefix("assert not ").unwrap_or_default();
    // In Go, the condition is the check.
    let differs = line.0.trim_start().starts_with("if ") && line.0.contains("!=") && !line.0.contains("nil");
    is_exact(line) || differs || rest.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.starts_with("not ")
}

/// How many such checks stand in these lines.
pub(super) fn count(lines: &[Line]) -> usize {
    lines.iter().map(matches).sum()
}

fn matches((code, said): &Line) -> usize {
    const ANYTHING: &[&str] = &[
        "!== undefined",
        "!= undefined",
        "expect.any",
        "is not None",
        "IsNotNone",
        "mock.ANY",
        "assertIsArray",
        "assertIsBool",
        "assertIsCallable",
        "assertIsFloat",
        "assertIsInt",
        "assertIsIterable",
        "assertIsNumeric",
        "assertIsObject",
        "assertIsScalar",
        "assertIsString",
        "hasSizeGreaterThan",
        "isInstanceOf(Object.class",
    ];
    // `name.equals("x")` alone gives an answer, and checks nothing.
    let only_answers =
        code.contains(".equals(") && !["ssert", "expect", "should"].iter().any(|word| code.contains(word));
    if only_answers || ANYTHING.iter().any(|word| code.contains(word)) {
        return 0;
    }
    let is_asking = code.trim_start().starts_with('.') || code.contains("assertThat");
    let asked = if is_asking { ASKS.find_iter(code.as_bytes()).count() } else { 0 };
    // Such a check also says that there is nothing else.
    let found = EXACT.find_iter(code.as_bytes()).count().max(asked) + code.matches(".containsExactly").count();
    if found == 0 || is_vain(code.trim(), said.trim()) { 0 } else { found }
}

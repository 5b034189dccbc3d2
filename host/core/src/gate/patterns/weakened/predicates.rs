//! Functions handed to a check that give the same answer whatever they are asked.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;

/// A matcher that asks a function, and a function that always agrees. Between them there may be other arguments. Sources:
/// the manuals of go-cmp, testify, gomega, gomock, Jest, Sinon, Chai, `AssertJ`, Mockito, `MockK`, Moq, `NSubstitute`, xUnit.net,
/// `RSpec` and `PHPUnit`, and of the languages' own sequences.
static AGREES: LazyLock<Regex> = LazyLock::new(|| {
    const ASKS: &str = concat!(
        r"(?:\b(?:toSatisfy\w*|[sS]atisf(?:y|ies)\w*|[mM]atches|match|argThat|MatchedBy|Condition|Eventually\w*|Consistently",
        r"|callback|every|[aA]ll|all(?:Satisfy|Match)|anySatisfy|AllSatisfy|Comparer|Cond)|\b(?:It|Arg)\s*\.\s*Is)\s*(?:<[^<>]*>)?",
    );
    const FIRST: &str = r"(?:[^(){};|]*,)?\s*(?:map\s*\(\s*)?";
    const AGREEING: &str = concat!(
        r"(?:(?:\([^()]*\)|[\w$]+)\s*(?:=>|->)\s*(?:true\b|\{\s*return\s+true\b)",
        r"|\b(?:func|function|fn)\b\s*\([^()]*\)\s*(?::?\s*\w+\s*)?(?:=>\s*true\b|\{\s*return\s+true\b)",
        r"|\|[^|]*\|\s*\{?\s*true\b|\blambda\b[^:]*:\s*True\b)\s*;?\s*[)},]",
    );
    // In Ruby and Kotlin, the function is a block.
    const BLOCK: &str = r"\b(?:satisfy|match|all)\s*\{\s*(?:\|[^|]*\||\w+\s*->)?\s*true\s*\}";
    ascii(&format!(r"{ASKS}\s*[({{]{FIRST}{AGREEING}|{BLOCK}"))
});

/// A transformer of go-cmp that makes every value the same.
static LEVELS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"\bcmp\s*\.\s*Transformer\s*\([^,]*,\s*func\s*\([^()]*\)\s*[\w.*\[\]]+\s*\{\s*return\s+(?:true|false|nil|\d+)\b",
    )
});

/// A statement that was not there before, whose check asks a function that agrees with everything.
pub(super) fn agrees<'a>(mut new: impl Iterator<Item = &'a str>) -> Option<String> {
    let found = new.find(|said| AGREES.is_match(said.as_bytes()) || LEVELS.is_match(said.as_bytes()))?;
    Some(format!("`{}` asks a function that gives the same answer for everything", found.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_agree_with_everything() {
        for said in [
            "cmp.Diff(want, got, cmp.Comparer(func(a, b Cart) bool { return true }))",
            "opt := cmp.FilterPath(isTime, cmp.Comparer(func(_, _ time.Time) bool { return true }))",
            "cmp.Diff(a, b, cmp.Transformer(\"x\", func(c Cart) int { return 0 }))",
            "assert.Condition(t, func() bool { return true })",
            "require.Eventually(t, func() bool { return true }, time.Second, tick)",
            "m.On(\"Send\", mock.MatchedBy(func(m Mail) bool { return true }))",
            "Expect(got).To(Satisfy(func(n int) bool { return true }))",
            "expect(got).toSatisfy(() => true);",
            "expect(got).toSatisfy((n) => { return true })",
            "expect(list.every(x => true)).toBe(true);",
            "expect(n).to.satisfy(function (n) { return true; });",
            "assertThat(n).matches(v -> true);",
            "verify(mail).send(argThat(m -> true));",
            "mail.Verify(m => m.Send(It.Is<Mail>(x => true)));",
            "mail.Received().Send(Arg.Is<Mail>(x => true));",
            "expect(n).to satisfy { |x| true }",
            "verify { mail.send(match { true }) }",
            "->with($this->callback(fn($m) => true));",
            "assert!(list.iter().all(|_| true));",
            "assert all(map(lambda n: True, got))",
        ] {
            assert!(agrees([said].into_iter()).is_some(), "{said}");
        }
    }

    #[test]
    fn functions_that_look() {
        for said in [
            "cmp.Diff(want, got, cmp.Comparer(func(a, b Cart) bool { return a.ID == b.ID }))",
            "cmp.Diff(a, b, cmp.Transformer(\"lower\", func(s string) string { return strings.ToLower(s) }))",
            "assert.Condition(t, func() bool { return got.Ok })",
            "require.Eventually(t, func() bool { return done.Load() }, time.Second, tick)",
            "expect(got).toSatisfy((n) => n > 1);",
            "expect(got).toSatisfy((n) => trueish(n));",
            "const all = list.filter(() => true);",
            "expect(list.every(x => x === true)).toBe(true);",
            "assertThat(n).matches(v -> v.isOpen());",
            "when(mail.send(any())).thenReturn(true);",
            "expect(n).to satisfy { |x| true_value?(x) }",
            "jest.fn(() => true)",
            "assert!(list.iter().all(|n| *n == true));",
            "assert all(map(lambda n: True if n else False, got))",
        ] {
            assert_eq!(agrees([said].into_iter()), None, "{said}");
        }
    }
}

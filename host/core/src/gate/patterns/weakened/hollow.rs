//! Lines that leave a check where it stands, and take its effect: nobody calls it, waits for it or learns its answer.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::changed::Changed;
use super::expression::ascii;
use super::pairs::Pair;
use super::phrase::Phrase;
use super::tokens::{is_number, is_word};
use super::{loops, taken};

/// Why checks that are still there have no effect any more.
pub(super) fn why(
    file: &Changed<'_>,
    pairs: &[Pair<'_>],
    removed: &[Phrase<'_>],
    added: &[Phrase<'_>],
) -> Option<String> {
    let new = |is_hollow: fn(&str) -> bool| {
        let found = added.iter().find(|line| is_hollow(line.line));
        found.filter(|_| !removed.iter().any(|line| is_hollow(line.line))).map(|line| line.line)
    };
    taken::shadowed(file)
        .map(|name| format!("`{name}` is defined twice, so that the first one never runs"))
        .or_else(|| new(loops::goes_through_nothing).map(|line| format!("`{line}` goes through nothing")))
        .or_else(|| exits(file).map(|line| format!("`{line}` ends the run as if all tests had passed")))
        .or_else(|| forgets_error(removed, added).map(|name| format!("`{name}` no longer gets the error")))
        .or_else(|| pairs.iter().find_map(|pair| of_pair(file, pair)))
}

fn of_pair(file: &Changed<'_>, pair: &Pair<'_>) -> Option<String> {
    let (old, new) = (pair.old, pair.new);
    let about = |why: &str| Some(format!("`{}` {why}", new.line));
    if let Some(name) = loops::bounds_nothing(file, pair) {
        return Some(format!("a loop up to `{name}` goes through nothing"));
    }
    if no_longer_waits(old, new) {
        return about("checks something later, and nothing waits for it");
    }
    if is_thrown_away(new) && !is_thrown_away(old) && asks_or_waits(old) && share_a_call(old, new) {
        return about("throws away what it asked");
    }
    (asks_itself(new.line) && !asks_itself(old.line)).then(|| about("compares a thing with itself")).flatten()
}

/// A line that ends the whole run with success, where no check expects that.
fn exits<'a>(file: &'a Changed<'_>) -> Option<&'a str> {
    static EXIT: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"(?:\b(?:process|os|sys|System|Environment|posix|Foundation|std)\s*(?:\.|::)\s*(?:_exit|[eE]xit|quick_exit|_Exit)|(?:^|[\s;{(&|])(?:exitProcess|quick_exit|_?exit|_Exit))\s*\(\s*(?:0|EXIT_SUCCESS|code\s*:\s*0)?\s*\)",
        )
    });
    let is_exit = |code: &str| EXIT.is_match(code.as_bytes());
    if file.lines.removed.iter().any(|(code, _)| is_exit(code)) {
        return None;
    }
    let lines = file.lines.added.iter().zip(&file.lines.added_at);
    let mut found = lines.filter(|((code, _), place)| {
        let above = file.after.above(place.line);
        let expects = |line: &str| {
            ["xpect", "assert", "Assert", "raise", "hrow", "Exit", "DEATH", "EXIT", "__main__", "fork"]
                .iter()
                .any(|word| line.contains(word))
        };
        // The name of .NET's own function is `Exit`.
        is_exit(code) && !above.is_some_and(&expects) && !expects(&code.replace(".Exit", ""))
    });
    found.next().map(|((_, said), _)| said.trim())
}

/// The function that tells the runner of a test's end, if it got an error before, gets none now, and nothing else looks at
/// that error.
fn forgets_error<'a>(removed: &[Phrase<'a>], added: &[Phrase<'_>]) -> Option<&'a str> {
    const ENDS: &[&str] = &["callback", "cb", "done", "end", "finish", "next"];
    fn handed<'p, 'a>(lines: &'p [Phrase<'a>]) -> impl Iterator<Item = (&'a str, &'a str)> + use<'p, 'a> {
        lines.iter().flat_map(|line| {
            line.tokens.windows(4).filter_map(|four| match four {
                [name, "(", error, ")"] if ENDS.contains(name) && is_word(error) => Some((*name, *error)),
                _ => None,
            })
        })
    }
    let ends = |lines: &[Phrase<'_>], name: &str| {
        lines
            .iter()
            .flat_map(|line| line.tokens.windows(3))
            .filter(|three| matches!(three, [own, "(", ")"] if *own == name))
            .count()
    };
    let (name, _) = handed(removed).find(|(name, error)| {
        let looks = |line: &Phrase<'_>| {
            line.tokens.contains(error) && !line.tokens.iter().any(|token| ["function", "=>"].contains(token))
                || line.tokens.contains(&"await")
        };
        ends(added, name) > ends(removed, name) && handed(added).next().is_none() && !added.iter().any(looks)
    })?;
    Some(name)
}

/// Whether a check of something that comes later is no longer waited for.
fn no_longer_waits(old: &Phrase<'_>, new: &Phrase<'_>) -> bool {
    const WAITS: &[&str] = &[
        "GetAwaiter",
        "Result",
        "Wait",
        "WaitAll",
        "WhenAll",
        "all",
        "await",
        "block_on",
        "gather",
        "result",
        "return",
        "run",
        "runBlocking",
        "then",
        "wait",
        "yield",
    ];
    const LATER: &[&str] =
        &["doesNotReject", "eventually", "expectLater", "fulfillment", "poll", "rejects", "resolves", "assert_awaited"];
    let is_later = |token: &str| token.ends_with("Async") || LATER.contains(&token);
    let later: BTreeSet<&str> = old.tokens.iter().copied().filter(|token| is_later(token)).collect();
    let is_awaited = old.tokens.contains(&"await") && asks_or_waits(old);
    let is_whole = old.tokens.iter().take(3).any(|token| *token == "await");
    is_awaited
        && is_whole
        && new.tokens.iter().any(|token| later.contains(token))
        && !new.tokens.iter().any(|token| WAITS.contains(token))
}

/// Whether a line gives what it gets to no name: `_ = …`.
fn is_thrown_away(line: &Phrase<'_>) -> bool {
    matches!(line.tokens.as_slice(), ["_", "=", ..] | ["let" | "var" | "val" | "const", "_", "=", ..] | ["void", ..])
}

/// Whether a line checks something or waits for it, by its calls.
fn asks_or_waits(line: &Phrase<'_>) -> bool {
    let words = ["wait", "verify", "fulfill", "expect", "assert", "should", "check", "throws"];
    line.checks() || line.called().any(|name| words.iter().any(|word| name.to_ascii_lowercase().contains(word)))
}

fn share_a_call(old: &Phrase<'_>, new: &Phrase<'_>) -> bool {
    let calls: BTreeSet<&str> = old.called().collect();
    // In Go, the test itself is told of the failure.
    !new.tokens.windows(2).any(|two| matches!(two, ["(", "t"])) && new.called().any(|name| calls.contains(name))
}

/// Whether a check whose verb stands between two sides has the same thing on both.
fn asks_itself(line: &str) -> bool {
    static VERB: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(.+?)\s*(?:\s|\.\s*|->\s*)(?:shouldBe|shouldEqual|shouldBeExactly|must_equal|mustBe|mustEqual|ShouldBe|ShouldEqual|Should\s*\(\s*\)\s*\.\s*(?:Be|Equal|BeEquivalentTo|BeSameAs)|should(?:\s+|\s*\.\s*)(?:be|equal|eql|deep\s*\.\s*equal)|toBe|toEqual|toStrictEqual|isEqualTo|isSameAs|isSameInstanceAs|(?:to|To|Should)\s*[\s.(]\s*(?:be\s*\.\s*|deep\s*\.\s*)?(?:equal|eql|eq|Equal|BeIdenticalTo))\b\s*\(?\s*(.+)$",
        )
    });
    const OPENS: [&str; 8] = ["expect(", "Expect(", "assertThat(", "assert_that(", "value(", "_(", "that(", "#expect("];
    let Some(found) = VERB.captures(line.as_bytes()) else { return false };
    let part = |group| {
        found.get(group).and_then(|part: regex::bytes::Match<'_>| line.get(part.range())).unwrap_or_default().trim()
    };
    let (mut left, mut right) = (part(1), part(2).trim_end_matches([';', ' ']));
    let opened = OPENS.iter().find_map(|open| left.strip_prefix(open));
    if let Some(inner) = opened.and_then(|rest| rest.strip_suffix(')')) {
        left = inner.trim();
    }
    while right.matches(')').count() > right.matches('(').count() {
        match right.strip_suffix(')') {
            Some(rest) => right = rest.trim_end(),
            None => return false,
        }
    }
    left == right && !left.is_empty() && !is_number(left)
}

#[cfg(test)]
mod tests {
    use super::super::balance::Place;
    use super::*;

    #[test]
    fn things_compared_with_themselves() {
        for line in [
            "tax(5) shouldBe tax(5)",
            "_(cart.total).must_equal cart.total",
            "cart.Total.Should().Be(cart.Total);",
            "assertThat(cart.total()).isEqualTo(cart.total());",
            "expect($cart->total())->toBe($cart->total());",
            "expect(cart.total).to eq(cart.total)",
            "Expect(cart.Total()).To(Equal(cart.Total()))",
        ] {
            assert!(asks_itself(line), "{line}");
        }
        for line in [
            "tax(5) shouldBe tax(6)",
            "_(cart.total).must_equal 5",
            "cart.Total.Should().Be(other.Total);",
            "expect(cart.total).to eq(total)",
        ] {
            assert!(!asks_itself(line), "{line}");
        }
    }

    #[test]
    fn answers_that_nobody_gets() {
        let phrase = |line| Phrase::of(line, Place::default());
        let waits = |old, new| no_longer_waits(&phrase(old), &phrase(new));
        assert!(waits("await Assert.ThrowsAsync<E>(() => Load());", "_ = Assert.ThrowsAsync<E>(() => Load());"));
        assert!(waits("await expect(load()).rejects.toThrow()", "expect(load()).rejects.toThrow()"));
        assert!(!waits("await Assert.ThrowsAsync<E>(() => Load());", "Assert.Throws<E>(() => Load());"));
        assert!(!waits("await Assert.ThrowsAsync<E>(Load);", "return Assert.ThrowsAsync<E>(Load);"));
        let forgets = |old, new| forgets_error(&[phrase(old)], &[phrase(new)]).is_some();
        assert!(forgets("done(err)", "done()"));
        assert!(!forgets("done(err)", "assert.ifError(err); done()"));
        assert!(!forgets("done()", "done()"));
    }
}

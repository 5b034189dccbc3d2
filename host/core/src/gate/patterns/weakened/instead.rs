//! Values and operators of a changed line in the place of which others stand that more things satisfy.

use super::pairs::Pair;
use super::phrase::has;
use super::ranks::rank;
use super::tokens::{is_number, is_string, is_value, is_word, tokens};

/// An inequality in the place of an equality.
pub(super) fn bounds_instead(pair: &Pair<'_>, is_outlined: bool) -> bool {
    let equal = |token: &str| ["==", "==="].contains(&token) || token == "=" && !is_outlined;
    let bound = |token: &str| ["<", ">", "<=", ">=", "!=", "!=="].contains(&token);
    pair.gone().any(equal) && !pair.come().any(equal) && pair.come().any(bound)
}

/// A negation that has come with a value, in the place of a value.
pub(super) fn negates(pair: &Pair<'_>) -> bool {
    let is_not = |token: &str| is_word(token) && has(token, &["not"]) && !is_string(token);
    pair.come().any(is_not)
        && !pair.old.tokens.iter().any(|token| is_not(token))
        && pair.gone().any(is_value)
        && pair.come().any(is_value)
}

/// Whether the same stands on both sides of a comparison, or twice in a row as a call among arguments.
pub(super) fn repeats(tokens: &[&str]) -> bool {
    const BEGINS: &[&str] =
        &["$", "&&", ",", "->", "=", "=>", "assert", "check", "expect", "if", "require", "return", "test", "||"];
    const ENDS: &[&str] = &["&&", ",", "::", ";", "{", "||"];
    let bare: Vec<&str> = tokens.iter().copied().filter(|token| !["(", ")"].contains(token)).collect();
    let at = bare.iter().position(|token| ["==", "==="].contains(token));
    let is_same = at.is_some_and(|at| {
        let (left, right) = (bare.get(..at).unwrap_or_default(), bare.get(at + 1..).unwrap_or_default());
        let left = left.rsplit(|token| BEGINS.contains(token)).next().unwrap_or_default();
        let right = right.split(|token| ENDS.contains(token)).next().unwrap_or_default();
        left == right && right.iter().any(|token| is_word(token))
    });
    is_same
        || is_near_itself(&bare)
        || is_compared_twice(tokens)
        || tokens.iter().enumerate().filter(|(_, token)| **token == ",").any(|(at, _)| is_given_twice(tokens, at))
}

/// Whether a thing is compared with what is near to itself: `a.b == approx(a.b)`.
fn is_near_itself(bare: &[&str]) -> bool {
    let Some(at) = bare.iter().position(|token| *token == "==") else { return false };
    let (left, right) = (bare.get(..at).unwrap_or_default(), bare.get(at + 1..).unwrap_or_default());
    let left =
        left.split(|token| has(token, &["assert", "check", "expect", "require"])).next_back().unwrap_or_default();
    let near = right.iter().position(|token| has(token, &["almost", "approx", "close", "near"]));
    near.and_then(|near| right.get(near + 1..)).is_some_and(|rest| left.len() > 1 && rest.starts_with(left))
}

/// Whether a function that compares is given one name twice: `cmp.Diff(got, got)`, `assertEquals(a, a)`.
fn is_compared_twice(tokens: &[&str]) -> bool {
    let compares =
        |name: &str| is_word(name) && has(name, &["compare", "deeply", "diff", "eq", "equal", "equals", "is", "same"]);
    tokens.windows(5).enumerate().any(|(at, five)| {
        let [before, a, ",", b, end] = five else { return false };
        let named = tokens.get(..=at).unwrap_or_default().iter().rev().take(4).any(|token| compares(token));
        a == b && is_word(a) && ["(", ","].contains(before) && [",", ")"].contains(end) && named
    })
}

/// Whether the call behind a comma is the same as the one before it.
fn is_given_twice(tokens: &[&str], comma: usize) -> bool {
    /// Longest argument that is compared.
    const MOST: usize = 16;
    let ends = |at: usize| tokens.get(at).is_none_or(|token| [",", ")", ";"].contains(token));
    (3..=MOST.min(comma)).any(|length| {
        let (left, right) = (tokens.get(comma - length..comma), tokens.get(comma + 1..comma + 1 + length));
        let begins = (comma - length)
            .checked_sub(1)
            .and_then(|at| tokens.get(at))
            .is_some_and(|token| ["(", ","].contains(token));
        let is_call =
            |part: &[&str]| part.first().is_some_and(|name| is_word(name) || *name == "!") && part.last() == Some(&")");
        let is_closed = |part: &[&str]| {
            let count = |sign: &str| part.iter().filter(|token| **token == sign).count();
            count("(") == count(")")
        };
        let is_argument = |part: &[&str]| is_call(part) && is_closed(part);
        begins && ends(comma + 1 + length) && left == right && left.is_some_and(is_argument)
    })
}

/// A value in the place of another one that fewer things satisfy.
pub(super) fn looser_values(pair: &Pair<'_>, checks: bool, is_outlined: bool) -> Option<&'static str> {
    let strings = |tokens: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        tokens.filter(|token| is_string(token)).map(|token| token.trim_matches(['"', '\'', '`']).to_owned()).collect()
    };
    let (old, new) = (strings(&mut pair.gone()), strings(&mut pair.come()));
    for (old, new) in old.iter().zip(&new) {
        if !old.is_empty() && new.is_empty() && (checks || !is_outlined) {
            return Some("asks for an empty text");
        }
        if is_anything(new) && !is_anything(old) {
            return Some("is satisfied by any text");
        }
        if old.len() >= 6 && new.len() * 2 < old.len() && checks && old.contains(new.as_str()) && !asks_for_whole(pair)
        {
            return Some("asks for less of the text");
        }
        if bound_grows(&tokens(old), &tokens(new)) {
            return Some("has a bound that allows more");
        }
    }
    (checks && bound_grows(&pair.old.tokens, &pair.new.tokens)).then_some("has a bound that allows more")
}

/// Whether both lines ask that a text is another one, and not that it contains it.
fn asks_for_whole(pair: &Pair<'_>) -> bool {
    const PARTS: &[&str] = &[
        "contain",
        "containing",
        "contains",
        "end",
        "ends",
        "include",
        "includes",
        "like",
        "match",
        "matches",
        "matching",
        "partial",
        "start",
        "starts",
    ];
    let equals = |token: &str| ["==", "==="].contains(&token) || is_word(token) && rank(token) == Some(4);
    let asks = |tokens: &[&str]| {
        tokens.iter().any(|token| equals(token)) && !tokens.iter().any(|token| is_word(token) && has(token, PARTS))
    };
    asks(&pair.old.tokens) && asks(&pair.new.tokens)
}

/// Why a changed line is satisfied by more values than before, whatever its verb is.
pub(super) fn accepts_more(pair: &Pair<'_>) -> Option<&'static str> {
    if holds_for_any_size(&pair.new.tokens) && !holds_for_any_size(&pair.old.tokens) {
        return Some("holds for every number that is not negative");
    }
    if pair.come().any(is_placeholder)
        && !pair.gone().any(is_placeholder)
        && pair.gone().any(|token| is_value(token) || is_word(token))
    {
        return Some("is satisfied by any value");
    }
    lists_codes(pair).then_some("allows several codes, and allowed one")
}

/// Whether a line asks that something is at least zero: `len(x) >= 0`, `{gte: 0}`, `assertGreaterEqual(n, 0)`.
fn holds_for_any_size(tokens: &[&str]) -> bool {
    let at_least = |token: &str| {
        [">=", "ge", "gte"].contains(&token)
            || is_word(token)
                && (has(token, &["gte", "least"]) || has(token, &["greater"]) && has(token, &["equal", "equals"]))
    };
    let above = |token: &str| [">", "gt"].contains(&token) || is_word(token) && has(token, &["above", "greater"]);
    tokens.iter().enumerate().any(|(at, token)| {
        let behind = tokens.get(at + 1..).unwrap_or_default();
        let number =
            behind.iter().position(|token| is_number(token)).and_then(|place| Some((place, *behind.get(place)?)));
        let is_negative = |place: usize| place.checked_sub(1).and_then(|before| behind.get(before)) == Some(&"-");
        match number {
            Some((place, "0" | "0.0")) => at_least(token) && !is_negative(place),
            Some((place, "1")) => above(token) && is_negative(place),
            _ => false,
        }
    })
}

/// Whether a text stands for any value, in a format of tests that has such texts: `'#notnull'`, `"${json-unit.ignore}"`, `"<any>"`.
fn is_placeholder(token: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "any", "anything", "array", "boolean", "exists", "ignore", "ignored", "not", "notnull", "notpresent", "null", "number", "object",
        "optional", "present", "string", "uuid", "value",
    ];
    let text = token.trim_matches(['"', '\'', '`']);
    let text = text.strip_prefix("${json-unit.").unwrap_or(text);
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    let is_marked =
        text.starts_with(['#', '<', '[', '{', '$', '@']) || text.len() < token.trim_matches(['"', '\'', '`']).len();
    is_string(token) && is_marked && words.peek().is_some() && words.all(|word| WORDS.contains(&word))
}

/// A list of codes in the place of one code: `status_code: [200, 404]`.
fn lists_codes(pair: &Pair<'_>) -> bool {
    let names_code = |token: &&str| {
        is_word(token) && has(token, &["code", "codes", "exit", "rc", "returncode", "status", "statuscode", "statuses"])
    };
    let is_list = |tokens: &[&str]| tokens.iter().any(|token| ["[", "{"].contains(token));
    let come: Vec<&str> = pair.come().collect();
    let is_alternative =
        |token: &&str| is_number(token) || ["[", "]", "(", ")", "{", "}", ",", "|", "in", "or"].contains(token);
    pair.old.tokens.iter().any(names_code)
        && come.iter().filter(|token| is_number(token)).count() > 0
        && come.iter().all(is_alternative)
        && (is_list(&come) || come.iter().any(|token| ["|", "or", "("].contains(token)))
        && !pair.gone().any(|token| ["[", "{", "("].contains(&token))
}

/// Whether a text is a pattern that every text matches.
fn is_anything(text: &str) -> bool {
    let inner = text.trim_matches(|c| "/^${}()[]".contains(c));
    !inner.is_empty() && inner.chars().all(|c| ".*+?%".contains(c)) && inner.contains(['*', '+', '%'])
}

/// Whether the number behind a sign allows more, in two lines that differ in numbers only.
fn bound_grows(old: &[&str], new: &[&str]) -> bool {
    let number = |token: &str| token.replace('_', "").parse::<f64>().ok();
    old.len() == new.len()
        && old.windows(2).zip(new.windows(2)).any(|(old, new)| {
            let ([sign, was], [same, is]) = (old, new) else { return false };
            match (sign == same, number(was), number(is)) {
                (true, Some(was), Some(is)) => {
                    ["<", "<="].contains(sign) && is > was && (was >= 1.0 || is >= was * 10.0)
                        || [">", ">="].contains(sign) && is < was
                }
                _ => false,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_on_both_sides_is_no_check() {
        for line in [
            "assert f(a) == f(a)",
            "check(error, cells(10), cells(10))",
            "t.equal(!f(a), !f(a), 'x')",
            "is_deeply($a, $a, 'x');",
            "\\xs -> size (f xs) === size (f xs)",
        ] {
            assert!(repeats(&tokens(line)), "{line}");
        }
        for line in
            ["assert f(n) == n", "check(error, cells(10), 100)", "f(1, 1)", "assert a == b", "same(f(list()), list())"]
        {
            assert!(!repeats(&tokens(line)), "{line}");
        }
    }

    #[test]
    fn a_bound_that_moves_away_allows_more() {
        let grows = |old: &str, new: &str| bound_grows(&tokens(old), &tokens(new));
        assert!(grows("p(95)<300", "p(95)<30000") && grows("rate>0.99", "rate>0.01"));
        assert!(!grows("p(95)<300", "p(95)<250") && !grows("x < 1e-3", "x < 2e-3") && !grows("x == 1", "x == 2"));
    }
}

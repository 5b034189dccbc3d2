//! Checks that a change puts a weaker one in place of, which asks the same thing for less.

use std::collections::BTreeMap;

use super::cases::elements;
use super::tree::top_level;
use super::truth::sides;
use super::unit::Unit;

/// Why a check of a test asks for less, although there are as many as before.
pub(super) fn loosened(before: &Unit, now: &Unit) -> Option<String> {
    let gone: Vec<&str> =
        before.checks.keys().filter(|said| !now.checks.contains_key(*said)).map(String::as_str).collect();
    let new: Vec<&str> =
        now.checks.keys().filter(|said| !before.checks.contains_key(*said)).map(String::as_str).collect();
    either_is_enough(&gone, &new)
        .or_else(|| some_value(&gone, &new))
        .or_else(|| more_patterns(&gone, &new))
        .or_else(|| only_the_variant(&gone, &new))
}

/// A result of Rust of which only the variant is asked for, and of which a check that is gone asked for what is in it.
fn only_the_variant(gone: &[&str], new: &[&str]) -> Option<String> {
    const VARIANTS: &[(&str, &str)] = &[(".is_err()", "Err("), (".is_ok()", "Ok("), (".is_some()", "Some(")];
    let is_alone =
        |said: &&&str, asks: &str| said.starts_with("assert!(") && said.contains(asks) && !said.contains("&&");
    let value = |said: &str, variant: &str| {
        let inner = said.split_once(variant).map_or("", |(_, inner)| inner);
        said.contains(variant) && !["_)", "_ )", "..)", "())", ")"].iter().any(|any| inner.starts_with(any))
    };
    let of_failure =
        |said: &str| [".kind()", "unwrap_err()", "expect_err(", "downcast"].iter().any(|part| said.contains(part));
    let asks_more = |said: &&str| !VARIANTS.iter().any(|(asks, _)| is_alone(&said, asks));
    let (asks, variant) = VARIANTS.iter().find(|(asks, _)| new.iter().any(|said| is_alone(&said, asks)))?;
    let was = |said: &&&str| value(said, variant) || *asks == ".is_err()" && of_failure(said);
    let found = gone.iter().find(was).filter(|_| !new.iter().any(asks_more))?;
    Some(format!("only `{asks}` is asked, in the place of `{found}`"))
}

/// A check of two things that holds now if one of them does.
fn either_is_enough(gone: &[&str], new: &[&str]) -> Option<String> {
    let any = |said: &str| said.replace(" and ", " or ").replace("&&", "||");
    let ands = |said: &str| said.matches(" and ").count() + said.matches("&&").count();
    // In Go, the condition says when the test fails.
    let of_both = |said: &str| if said.starts_with("if ") { ors(said) } else { ands(said) };
    let old: BTreeMap<String, usize> = gone.iter().map(|said| (any(said), of_both(said))).collect();
    // A negation of both turns it around.
    let is_plain = |said: &str| !said.contains("not (") && !said.trim_start_matches("assert!(").contains("!(");
    let mut new = new.iter().filter(|said| is_plain(said));
    let found = new.find(|said| old.get(&any(said)).is_some_and(|both| of_both(said) < *both))?;
    Some(format!("one part of `{found}` is enough"))
}

fn ors(said: &str) -> usize {
    said.matches("||").count()
}

/// A value of which only the length is checked now, or that may be one of several; in Go, an error that may be any.
fn some_value(gone: &[&str], new: &[&str]) -> Option<String> {
    let old: BTreeMap<&str, &str> = gone.iter().filter_map(|said| sides(said, said)).collect();
    let asks = |what: &str, but: &str| new.iter().any(|said| *said != but && said.contains(what));
    new.iter().find_map(|said| {
        let (value, choices) = one_of(said).unzip();
        if let Some((value, choices)) = value.zip(choices) {
            let wanted = old.get(value)?;
            let among = elements(choices)? > 1 && list(choices).any(|choice| choice == *wanted);
            return among.then(|| format!("`{value}` may be one of several values now"));
        }
        if let Some(value) = measured(said) {
            let was = old
                .get(value)
                .filter(|wanted| elements(wanted).is_some_and(|all| all > 0) || wanted.starts_with(['"', '\'']));
            return was.filter(|_| !asks(value, said)).map(|_| format!("only the length of `{value}` is checked now"));
        }
        let error = any_error(said)?;
        let was = |old: &&&str| ["Is", "As"].iter().any(|name| old.contains(&format!("!errors.{name}({error},")));
        gone.iter().find(was).map(|_| format!("any `{error}` is enough now"))
    })
}

/// A value, and the list that it has to be in.
fn one_of(said: &str) -> Option<(&str, &str)> {
    if let Some(rest) = said.strip_prefix("assert ") {
        let (value, choices) = rest.split_once(" in ")?;
        return choices.starts_with(['(', '[', '{']).then_some((value, choices));
    }
    let (choices, value) = said.trim_end_matches(';').strip_prefix("expect(")?.split_once(").toContain(")?;
    Some((value.strip_suffix(')')?, choices))
}

/// The elements of a list that is written out.
fn list(text: &str) -> impl Iterator<Item = &str> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let commas = top_level(inner).filter(|(_, byte)| *byte == b',').map(|(at, _)| at).chain([inner.len()]);
    let mut start = 0;
    commas.collect::<Vec<_>>().into_iter().map(move |end| {
        let part = inner.get(start..end).unwrap_or_default();
        start = end + 1;
        part.trim()
    })
}

/// The value of which a check asks the length.
fn measured(said: &str) -> Option<&str> {
    if let Some(rest) = said.strip_prefix("expect(") {
        let (value, rest) = rest.rsplit_once(").to")?;
        return value.strip_suffix(".length").or_else(|| rest.starts_with("HaveLength(").then_some(value));
    }
    let (left, _) = sides(said, said)?;
    let inner = left.strip_prefix("len(").and_then(|rest| rest.strip_suffix(')'));
    inner.or_else(|| left.strip_suffix(".len()"))
}

/// The error that a condition of Go only asks for being there.
fn any_error(said: &str) -> Option<&str> {
    let condition = said.strip_prefix("if ")?.trim_end_matches("{}").trim();
    condition.rsplit(';').next()?.trim().strip_suffix(" == nil")
}

/// A value that may match more patterns than before.
fn more_patterns(gone: &[&str], new: &[&str]) -> Option<String> {
    let opened: BTreeMap<&str, usize> = gone.iter().filter_map(|said| open_places(said)).collect();
    let mut open = new.iter().filter_map(|said| open_places(said));
    if let Some((value, _)) = open.find(|(value, count)| opened.get(value).is_some_and(|old| count > old)) {
        return Some(format!("more of `{value}` may be anything now"));
    }
    let old: BTreeMap<&str, usize> = gone.iter().filter_map(|said| patterns(said)).collect();
    let mut all = new.iter().filter_map(|said| patterns(said));
    let (value, _) = all.find(|(value, count)| old.get(value).is_some_and(|old| count > old))?;
    Some(format!("`{value}` may match more patterns now"))
}

/// What has to match, and in how many places of the pattern anything may stand.
fn open_places(said: &str) -> Option<(&str, usize)> {
    let (value, _) = patterns(said)?;
    let inner = said.split_once("matches!(")?.1.get(value.len()..)?;
    let names = inner.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| *name == "_").count();
    Some((value, names + inner.matches("..").count()))
}

/// What has to match, and with how many patterns.
fn patterns(said: &str) -> Option<(&str, usize)> {
    let (_, inner) = said.split_once("matches!(")?;
    let (at, _) = top_level(inner).find(|(_, byte)| *byte == b',')?;
    let bars = top_level(inner).filter(|(place, byte)| *place > at && *byte == b'|').count();
    Some((inner.get(..at)?, bars + 1))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::unit::Body;
    use super::*;

    fn is_loosened(before: &str, now: &str) -> bool {
        let unit = |said: &str| {
            let checks = said.split(" ; ").map(|said| (said.to_owned(), 1)).collect();
            Unit { body: Arc::new(Body { checks, ..Body::default() }), ..Unit::default() }
        };
        loosened(&unit(before), &unit(now)).is_some()
    }

    #[test]
    fn weaker_checks_of_the_same_thing() {
        for (before, now) in [
            ("assert a and b", "assert a or b"),
            ("assert!(a && b);", "assert!(a || b);"),
            ("if !ok || got != 1 {}", "if !ok && got != 1 {}"),
            ("assert f(1) == 2", "assert f(1) in (2, 3)"),
            ("expect(f(1)).toBe(2);", "expect([1, 2]).toContain(f(1));"),
            ("assert f(1) == [1, 2]", "assert len(f(1)) == 2"),
            ("expect(f(1)).toEqual([1, 2])", "expect(f(1)).toHaveLength(2)"),
            ("assert_eq!(f(1), [1, 2]);", "assert_eq!(f(1).len(), 2);"),
            ("if !errors.Is(err, ErrGone) {}", "if err == nil {}"),
            ("assert!(matches!(e, A { at: 0 }))", "assert!(matches!(e, A { .. } | B))"),
            ("assert_eq!(e.kind(), Kind::Gone);", "assert!(f().is_err());"),
            ("assert!(matches!(f(), Err(Gone)));", "assert!(f().is_err());"),
            ("assert!(matches!(f(), Err(Gone)));", "assert!(matches!(f(), Err(_)));"),
            ("assert_eq!(f(), Ok(5));", "assert!(f().is_ok());"),
            ("assert_eq!(f(), Some(5));", "assert!(f().is_some());"),
        ] {
            assert!(is_loosened(before, now), "{before} -> {now}");
            assert!(!is_loosened(now, before), "{now} -> {before}");
        }
    }

    #[test]
    fn other_checks() {
        for (before, now) in [
            ("assert f(1) == 2", "assert f(1) in (3, 4)"),
            ("assert f(1) == 2", "assert f(1) == 3"),
            ("assert a and b", "assert a and c"),
            ("assert not (a and b)", "assert not (a or b)"),
            ("assert f(1) == [1, 2]", "assert len(f(1)) == 2 ; assert f(1)[0] == 1"),
            ("assert f(1) == 2", "assert len(f(1)) == 2"),
            ("if !errors.Is(err, ErrGone) {}", "if !errors.Is(err, ErrLost) {}"),
            ("if err != nil {}", "if err == nil {}"),
            ("assert!(matches!(e, A(0)))", "assert!(matches!(e, A(1)))"),
            ("assert!(matches!(f(), Err(_)));", "assert!(f().is_err());"),
            ("assert_eq!(f(), Ok(()));", "assert!(f().is_ok());"),
            ("assert_eq!(f(), Some(5));", "assert!(f().is_some()); ; assert_eq!(f().unwrap(), 5);"),
        ] {
            assert!(!is_loosened(before, now), "{before} -> {now}");
        }
    }
}

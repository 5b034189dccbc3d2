//! What a test tries: its cases and runs, its random values, and the bounds that it allows.

use super::pairs::Pair;
use super::phrase::{self, has};
use super::tokens::{is_number, is_string, is_value, is_word, parts};

/// Words of counts that say how often a test runs.
#[rustfmt::skip]
const RUNS: &[&str] = &[
    "cases", "count", "defspec", "examples", "iterations", "plan", "repeat", "repetitions", "runs", "samples", "successful", "trials",
];

/// Words of bounds: of time, of distance, of effort.
#[rustfmt::skip]
const ALLOWS: &[&str] = &[
    "absolute", "accuracy", "atol", "below", "close", "deadline", "delta", "eps", "epsilon", "less", "margin", "most", "pixels", "queries", "relative",
    "retries", "retry", "timeout", "tolerance", "under", "within",
];

/// Units of time, each longer than the one before it.
const UNITS: [&[&str]; 8] = [
    &["nanosecond", "nanoseconds", "nanos"],
    &["microsecond", "microseconds", "micros"],
    &["millisecond", "milliseconds", "millis"],
    &["second", "seconds", "secs"],
    &["minute", "minutes", "mins"],
    &["hour", "hours"],
    &["day", "days"],
    &["week", "weeks"],
];

/// Words that begin a loop, or hand cases to a test.
#[rustfmt::skip]
const GOES_THROUGH: &[&str] = &[
    "argnames", "arguments", "cases", "doseq", "dotimes", "each", "enumerate", "for", "foreach", "in", "map", "of", "parametrize",
    "range", "repeat", "times", "upto", "with", "zip",
];

/// Why a test tries less after the change of one line.
pub(super) fn less(pair: &Pair<'_>, others_have: &dyn Fn(&str) -> bool) -> Option<String> {
    if let Some(name) = emptied(pair) {
        return Some(format!("goes through nothing after `{name}`"));
    }
    if let Some(name) = runs_less(pair) {
        return Some(format!("asks for less by `{name}`"));
    }
    if generates_less(pair) {
        return Some("tries fewer or smaller values".to_owned());
    }
    if takes_nothing(pair) {
        return Some("no longer gets values to try".to_owned());
    }
    if lasts_longer(pair) {
        return Some("allows a longer time".to_owned());
    }
    if grows_far(pair) {
        return Some("allows a far larger distance".to_owned());
    }
    if tries_shorter(pair) {
        return Some("tries fewer values".to_owned());
    }
    if let Some(name) = goes_through_part(pair) {
        return Some(format!("goes through a part after `{name}`"));
    }
    if asks_all_of_nothing(pair) {
        return Some("asks something of all parts of nothing".to_owned());
    }
    if outlasts(pair) {
        return Some("allows a longer time".to_owned());
    }
    if let Some(name) = goes_through_less(pair, others_have) {
        return Some(format!("goes through less after `{name}`"));
    }
    if is_fixed(pair) {
        return Some("tries a fixed value, and tried random ones".to_owned());
    }
    forces(pair).then(|| "acts on what a user could not reach".to_owned())
}

pub(super) fn number(token: Option<&&str>) -> Option<f64> {
    let text = token?.replace('_', "");
    // A type may stand behind it: `100u64`.
    let end = text.find(['u', 'i', 'f']).unwrap_or(text.len());
    text.get(..end)?.parse::<f64>().ok()
}

/// Words that say how often a property is tried, wherever the number stands in the line.
const TRIES: &[&str] = &["examples", "iterations", "runs", "success", "successful", "trials"];

/// Fewer tries of a property, or smaller values for it.
fn generates_less(pair: &Pair<'_>) -> bool {
    let Some((gone, come)) = pair.single() else { return false };
    let (old, new) = (number(pair.old.tokens.get(gone)), number(pair.new.tokens.get(come)));
    let (Some(was), Some(is)) = (old, new) else { return false };
    let has_word = |list: &[&str]| pair.old.tokens.iter().any(|token| is_word(token) && has(token, list));
    let names_tries = has_word(TRIES) || has_word(&["max"]) && has_word(&["test", "tests"]);
    let generates = has_word(&["arbitrary", "fuzz", "gen", "generator", "strategies", "st"])
        || has_word(&["max"]) && pair.old.is_of_source();
    was >= 4.0
        && is * 2.0 <= was
        && (names_tries && !pair.old.checks() || generates && has_word(&["list", "lists", "max", "n", "size", "slice"]))
}

/// A loop or a list of cases that is empty now; the word before it.
fn emptied<'a>(pair: &Pair<'a>) -> Option<&'a str> {
    let through = pair.old.tokens.iter().copied().find(|token| has(token, GOES_THROUGH))?;
    let empty = |tokens: &[&str]| {
        let lists = tokens.windows(2).filter(|two| matches!(two, ["[", "]"] | ["{", "}"])).count();
        lists + tokens.windows(3).filter(|three| matches!(three, ["in", "(", ")"] | [":", "0", "]"])).count()
    };
    let is_less = empty(&pair.new.tokens) > empty(&pair.old.tokens) && pair.come().count() > 0;
    is_less.then_some(through)
}

/// A number of runs that is much smaller, or a time limit or a tolerance that is much larger; the name beside it.
fn runs_less<'a>(pair: &Pair<'a>) -> Option<&'a str> {
    let (gone, come) = pair.single()?;
    let (was, is) = (number(pair.old.tokens.get(gone))?, number(pair.new.tokens.get(come))?);
    let before = pair.new.tokens.get(come.saturating_sub(2)..come)?;
    let name = before.iter().rev().copied().find(|token| is_word(token))?;
    let set = before.last().is_some_and(|sign| ["=", ":", "("].contains(sign) || is_word(sign));
    let in_units =
        UNITS.iter().any(|unit| unit.contains(&name)) && pair.new.tokens.iter().any(|token| has(token, &["timeout"]));
    let ends = |list: &[&str]| set && (has(name, list) || in_units && list.contains(&"timeout"));
    let unlimited = is == 0.0 && was > 0.0 && has(name, &["timeout"]);
    // A control of `InSpec` that has no impact does not fail.
    if set && name == "impact" && is == 0.0
        || ends(RUNS) && is * 2.0 <= was
        || ends(ALLOWS) && (is >= was * 10.0 && was > 0.0 || unlimited)
    {
        return Some(name);
    }
    // `took < 50`: the bound stands behind its sign.
    let bounded = before.last().is_some_and(|sign| ["<", "<="].contains(sign));
    let raised = bounded && pair.new.checks() && is >= was * 10.0 && was > 0.0;
    let named = || pair.new.tokens.iter().copied().find(|token| is_word(token));
    raised.then(named).flatten().or_else(|| {
        // `(defspec name 200 …)` and `range(200)` of a generator.
        let begins = pair.new.tokens.iter().copied().take(2).find(|token| RUNS.contains(token));
        begins.filter(|_| is * 2.0 <= was)
    })
}

/// A test that tried whatever values it was given, and takes none now.
fn takes_nothing(pair: &Pair<'_>) -> bool {
    let takes = |tokens: &[&str]| {
        let mut found = tokens.windows(3).filter_map(|three| match three {
            [name, "(", next] if is_word(name) && has(name, &["fuzz", "prop", "property"]) => Some(*next != ")"),
            _ => None,
        });
        found.next()
    };
    takes(&pair.old.tokens) == Some(true) && takes(&pair.new.tokens) == Some(false)
}

/// A time that is ten times as long, in a line that bounds something.
fn lasts_longer(pair: &Pair<'_>) -> bool {
    const SECONDS: [f64; 8] = [1e-9, 1e-6, 1e-3, 1.0, 60.0, 3600.0, 86_400.0, 604_800.0];
    let unit = |token: &str| {
        let words = parts(token);
        let at = UNITS.iter().position(|unit| words.iter().any(|word| unit.contains(&word.as_str())))?;
        SECONDS.get(at).copied().filter(|_| is_word(token))
    };
    // The unit stands at most so many signs beside its number.
    let time = |tokens: &[&str]| -> Option<f64> {
        let (at, unit) = tokens.iter().enumerate().find_map(|(at, token)| Some((at, unit(token)?)))?;
        let near = tokens.get(at.saturating_sub(4)..(at + 4).min(tokens.len()))?;
        // Go's `time.Hour` is one.
        let one = tokens.get(at.saturating_sub(2)..at).is_some_and(|before| before == ["time", "."]).then_some(1.0);
        near.iter().find_map(|token| number(Some(token))).or(one).map(|count| count * unit)
    };
    let written = |tokens: Vec<&str>| tokens.into_iter().find_map(duration);
    let old = written(pair.gone().collect()).or_else(|| time(&pair.old.tokens));
    let new = written(pair.come().collect()).or_else(|| time(&pair.new.tokens));
    let bounds = |token: &&str| {
        [">", "<", ">=", "<="].contains(token)
            || is_word(token) && (has(token, ALLOWS) || has(token, &["eventually", "wait"]))
    };
    // What must stay so for a time is tried less in a shorter one.
    let stays = pair.new.tokens.iter().any(|token| is_word(token) && has(token, &["consistently", "never"]));
    let Some((old, new)) = old.zip(new).filter(|(old, new)| *old > 0.0 && *new > 0.0) else { return false };
    if stays { new * 10.0 <= old } else { new >= old * 10.0 && pair.new.tokens.iter().any(bounds) }
}

/// A time that is written as a text, in seconds: `"500ms"`, `"1m30s"`.
fn duration(token: &str) -> Option<f64> {
    const UNITS: &[(&str, f64)] = &[("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let mut rest = token.trim_matches(['"', '\'', '`']);
    let mut sum = 0.0;
    if !is_string(token) || rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (count, behind) = rest.split_at_checked(end)?;
        let (unit, seconds) = UNITS.iter().find(|(unit, _)| behind.starts_with(unit))?;
        sum += count.parse::<f64>().ok()? * seconds;
        rest = behind.get(unit.len()..)?;
    }
    Some(sum)
}

/// A small number beside another one, as a tolerance is, that is much larger now.
fn grows_far(pair: &Pair<'_>) -> bool {
    let numbers = |tokens: Vec<&str>| tokens.iter().map(|token| number(Some(token))).collect::<Option<Vec<f64>>>();
    let (Some(old), Some(new)) = (numbers(pair.gone().collect()), numbers(pair.come().collect())) else { return false };
    let others = pair.new.tokens.iter().filter(|token| is_number(token)).count() > 1;
    let is_far = |(was, is): (&f64, &f64)| *was > 0.0 && *was <= 0.01 && *is >= *was * 100.0;
    others && pair.old.checks() && !old.is_empty() && old.len() == new.len() && old.iter().zip(&new).all(is_far)
}

/// A pattern from which texts are made, as in `text in "…"`, that is much shorter now.
fn tries_shorter(pair: &Pair<'_>) -> bool {
    let pattern = |tokens: &[&str]| {
        let mut found = tokens.windows(2).filter_map(|two| match two {
            ["in", text] if is_string(text) => Some(text.len()),
            _ => None,
        });
        found.next()
    };
    let (old, new) = (pattern(&pair.old.tokens), pattern(&pair.new.tokens));
    // How often a part of the pattern may repeat: `.{0,256}`.
    let repeats = |tokens: Vec<&str>| {
        let text = tokens.into_iter().find(|token| is_string(token))?;
        let (_, most) = text.rsplit_once('{')?.1.split_once('}')?.0.rsplit_once(',')?;
        most.trim().parse::<f64>().ok()
    };
    let generates =
        pair.old.is_of_source() || pair.old.tokens.first() == Some(&"fn") || pair.old.tokens.contains(&"st");
    let fewer = || {
        repeats(pair.gone().collect()).zip(repeats(pair.come().collect())).is_some_and(|(old, new)| new * 2.0 <= old)
    };
    if generates && fewer() {
        return true;
    }
    pair.old.tokens.first() == Some(&"fn") && old.zip(new).is_some_and(|(old, new)| new * 3 <= old * 2)
}

/// A check of all parts of a thing that has none now: `all(f(8), ok)` and `all(f(0), ok)`.
fn asks_all_of_nothing(pair: &Pair<'_>) -> bool {
    let Some((gone, come)) = pair.single() else { return false };
    let asks_all = || pair.new.names().any(|(_, name)| has(name, &["all", "each", "every"]));
    pair.new.tokens.get(come) == Some(&"0")
        && pair.old.tokens.get(gone).is_some_and(|token| is_number(token))
        && pair.old.checks()
        && asks_all()
}

/// A loop that takes only some of its values now; the word that begins it.
fn goes_through_part<'a>(pair: &Pair<'a>) -> Option<&'a str> {
    #[rustfmt::skip]
    const TAKES: &[&str] = &[
        "dropWhile", "drop", "dropFirst", "dropLast", "filter", "filterNot", "find", "first", "grep", "head", "islice", "limit", "prefix", "reject", "sample", "skip", "slice", "splice",
        "step_by", "stepBy", "suffix", "take", "takeWhile", "where", "Skip", "Take", "Where", "where",
    ];
    let begins = |token: &str| ["for", "foreach", "each", "forEach", "parametrize", "doseq"].contains(&token);
    let through = pair.old.tokens.iter().copied().find(|token| begins(token))?;
    let takes =
        |tokens: &[&str]| tokens.windows(2).filter(|two| matches!(two, [name, "("] if TAKES.contains(name))).count();
    let cuts = |tokens: &[&str]| {
        tokens
            .windows(3)
            .filter(|three| matches!(three, ["[", ":", number] | ["[", number, ":"] if is_number(number)))
            .count()
    };
    let less = |count: &dyn Fn(&[&str]) -> usize| count(&pair.new.tokens) > count(&pair.old.tokens);
    (less(&takes) || less(&cuts)).then_some(through)
}

/// The time limit behind the body of a test: `}, 2000)`.
fn outlasts(pair: &Pair<'_>) -> bool {
    let limit = |tokens: &[&str]| -> Option<f64> {
        let ["}", ",", numbers @ .., ")"] = tokens.strip_suffix(&[";"]).unwrap_or(tokens) else { return None };
        let mut product = 1.0;
        for token in numbers.iter().filter(|token| **token != "*") {
            product *= number(Some(token))?;
        }
        (!numbers.is_empty()).then_some(product)
    };
    let (old, new) = (limit(&pair.old.tokens), limit(&pair.new.tokens));
    old.zip(new).is_some_and(|(old, new)| new >= old * 10.0)
}

/// A loop over fewer values, or over a smaller range; the word that begins it.
fn goes_through_less<'a>(pair: &Pair<'a>, others_have: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    let begins =
        |token: &str| ["for", "foreach", "doseq", "dotimes", "repeat", "each", "times", "while"].contains(&token);
    let through = pair.old.tokens.iter().copied().find(|token| begins(token))?;
    let lost = pair.gone().any(|token| is_value(token) && !others_have(token));
    let comes = pair.come().any(|token| is_word(token) || is_value(token));
    // One time is what is asked if nothing is said.
    let is_once = through == "times" && pair.gone().filter(|token| is_value(token)).all(|token| token == "1");
    if lost && !comes && !is_once && pair.gone().any(|token| token == ",") {
        return Some(through);
    }
    let one_time = |three: &[&str]| matches!(three, [_, "<" | "<=", "0" | "1"]);
    let once = |tokens: &[&str]| tokens.windows(3).filter(|three| one_time(three)).count();
    if once(&pair.new.tokens) > once(&pair.old.tokens) && pair.gone().any(is_word) {
        return Some(through);
    }
    let (gone, come) = pair.single()?;
    let is = number(pair.new.tokens.get(come))?;
    let smaller = match number(pair.old.tokens.get(gone)) {
        Some(was) => is * 2.0 <= was && (was >= 4.0 || is <= 1.0),
        None => is <= 1.0 && pair.old.tokens.get(gone).is_some_and(|token| is_word(token)),
    };
    // The first number of a range is where it begins.
    let is_bound = pair.new.tokens.get(come.wrapping_sub(1)).is_some_and(|sign| {
        ["<", "<=", ":", ".", ",", "(", "range", "to", "until", "upto"].contains(sign) || sign.ends_with("range")
    });
    let is_last = pair.new.tokens.get(come + 1).is_none_or(|sign| *sign != "," && *sign != ".");
    (smaller && is_bound && is_last).then_some(through)
}

/// A generator of random values that gives the same ones each time now.
fn is_fixed(pair: &Pair<'_>) -> bool {
    const RANDOM: &[&str] = &[
        "arbitrary",
        "choice",
        "fuzz",
        "rand",
        "randbytes",
        "randint",
        "randn",
        "random",
        "rng",
        "shuffle",
        "twister",
    ];
    let is_random = |token: &str| is_word(token) && has(token, RANDOM);
    let was = pair.gone().any(is_random) && !pair.new.tokens.iter().any(|token| is_random(token));
    let gets = pair.come().any(is_value) && !pair.come().any(|token| is_word(token) && token.len() > 1);
    // A number that the generator begins with.
    let given = |two: &[&str]| matches!(two, [name, "(", seed] if is_random(name) && is_number(seed));
    let seeds = |tokens: &[&str]| tokens.windows(3).filter(|three| given(three)).count();
    let seeded = seeds(&pair.new.tokens) > seeds(&pair.old.tokens)
        && !pair.gone().any(|token| is_word(token) || is_value(token));
    let names_seed = || {
        pair.come().any(|token| token == "seed")
            && !pair.old.tokens.contains(&"seed")
            && (pair.old.is_of_source() || phrase::runs(pair.old))
    };
    was && gets || seeded || names_seed()
}

/// An act on a page that no longer waits until a user could do the same.
fn forces(pair: &Pair<'_>) -> bool {
    const ACTS: &[&str] = &[
        "check", "clear", "click", "dblclick", "fill", "hover", "press", "select", "tap", "trigger", "type", "uncheck",
    ];
    let acts = pair.old.called().any(|name| ACTS.contains(&name));
    acts && pair.come().any(|token| token == "force") && pair.come().any(|token| ["true", "True"].contains(&token))
}

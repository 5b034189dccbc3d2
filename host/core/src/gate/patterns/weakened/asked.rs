//! How much a check asks for, before and after. One value is the most that it can ask for; then a bound or a part, a kind,
//! that there is something at all, and that nothing fails.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;
use super::pairs::Pair;
use super::phrase::has;
use super::tokens::{any_part, is_number, is_string, is_value, is_word, parts};

/// Words that only say how something is asked. Another word may name the expected value.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "a", "all", "always", "an", "any", "anything", "assert", "assertion", "asserts", "at", "be", "been", "called", "can", "check", "contain",
    "contains", "count", "deep", "defined", "dies", "does", "empty", "ensure", "eq", "equal", "equals", "err", "error", "errors",
    "exception", "exist", "exists", "expect", "fail", "failure", "failures", "fails", "false", "find", "finds", "greater", "has", "have",
    "in", "instance", "invoked", "is", "kind", "least", "length", "less", "like", "lives", "match", "matches", "most", "nil", "no", "non",
    "none", "not", "nothing", "nowarn", "null", "object", "occurred", "of", "ok", "once", "one", "or", "pass", "present", "raise",
    "raised", "raises", "receive", "received", "reject", "rejected", "rejects", "respond", "return", "returned", "should", "size",
    "some", "succeed", "success", "test", "testing", "than", "that", "throw", "thrown", "throws", "times", "to", "true", "truthy",
    "type", "undefined", "value", "verify", "was", "widget", "with",
];

/// Words that ask for one value.
const ONE: &[&str] = &["eq", "eql", "equal", "equals", "exactly", "identical", "same"];

/// Words that ask for a part, or for a bound.
#[rustfmt::skip]
const PART: &[&str] = &[
    "above", "below", "contain", "containing", "contains", "greater", "include", "includes", "including", "least", "less", "like",
    "most", "numerically", "partial", "subset", "superset",
];

/// Words of checks whose expected failure is told apart by its text.
#[rustfmt::skip]
const FAILURE: &[&str] = &[
    "death", "die", "dies", "error", "exception", "exn", "fail", "fails", "panic", "panics", "raise", "raised", "raises", "reject",
    "rejects", "stderr", "throw", "thrown", "throws",
];

/// Names that ask what kind of thing it is, in lower case and without their signs.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "a", "an", "assertisinstance", "assertkindof", "be_a", "be_an", "beassignableto", "checkpred", "instanceof", "isa", "isaninstanceof",
    "isaok", "isarray", "isbool", "isinstance", "isinteger", "islist", "ismap", "isnumber", "isobject", "isstring", "istype", "kindof",
    "oftype", "typeof",
];

/// Values that a verb may say instead: `assertNull(x)`, `isEmpty()`.
#[rustfmt::skip]
const SAID_BY_VERBS: &[&str] = &[
    "\"\"", "''", "0", "0.0", "1", "False", "None", "True", "false", "nil", "null", "true", "undefined",
];

/// Names that take any value.
#[rustfmt::skip]
const ANY: &[&str] = &[
    "any", "anyarray", "anyboolean", "anyint", "anylong", "anyobject", "anyof", "anystring", "anything", "anyargs", "anyargument",
    "anyvalue", "isany", "objectcontaining", "stringcontaining", "arraycontaining",
];

/// Words of names that say what a fake expects, or what happened to it.
const EXPECTS: &[&str] = &["called", "expect", "expects", "received", "receive", "verify"];

/// The same for whole names, in lower case.
const EXPECTS_AS: &[&str] = &["on", "setup", "with", "withargs"];

fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a word may name what is expected.
pub(super) fn may_be_expected(token: &str) -> bool {
    is_word(token) && token != "_" && any_part(token, |part| !ASKING.contains(&part))
}

/// Why the new check of a pair asks for less than the old one.
pub(super) fn less(pair: &Pair<'_>, others_have: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    if leaves_out(pair) {
        return Some("leaves a part out of what it compares");
    }
    if only_truth(pair) {
        return Some("asks whether it is true, and no longer for its value");
    }
    if only_kind(pair) {
        return Some("asks what kind of thing it is, and no longer for its value");
    }
    if only_size(pair) {
        return Some("asks for a size, and no longer for the values");
    }
    if only_part(pair) {
        return Some("asks for a part or a bound, and no longer for the value");
    }
    if shorter_text(pair) {
        return Some("searches for less text than before");
    }
    if loses_text_of_failure(pair, others_have) {
        return Some("accepts every text of the failure");
    }
    loses_values(pair, others_have).then_some("no longer says the value that it asked for")
}

/// A value that the check asked for is gone, and nothing has come but words that ask for less.
fn loses_values(pair: &Pair<'_>, others_have: &dyn Fn(&str) -> bool) -> bool {
    let values: Vec<&str> = pair.gone().filter(|token| is_value(token)).collect();
    let is_ok = pair.come().any(|token| is_word(token) && token.len() > 2 && has(token, &["ok"]));
    let is_trivial = |token: &str| SAID_BY_VERBS.contains(&token) || is_ok && token == "200";
    // A message may go, if the check stays what it was.
    let is_message =
        || pair.gone().filter(|token| is_word(token)).count() == 0 && values.iter().all(|token| is_string(token));
    // How long something is waited for is no value.
    let waits = || {
        pair.old
            .tokens
            .iter()
            .any(|name| is_word(name) && has(name, &["eventually", "receive", "timeout", "wait", "within"]))
    };
    !values.is_empty()
        && !values.iter().all(|token| is_trivial(token) || others_have(token))
        && !pair.come().any(|token| is_value(token) || may_be_expected(token))
        && !is_message()
        && !waits()
        && (pair.come().any(is_word) || values.iter().any(|token| is_number(token)))
}

/// A check of a failure that no longer says its text.
fn loses_text_of_failure(pair: &Pair<'_>, others_have: &dyn Fn(&str) -> bool) -> bool {
    let of_failure = pair.old.tokens.iter().any(|token| is_word(token) && has(token, FAILURE));
    let is_text = |token: &str| is_string(token) && token.len() > 2 && !others_have(token);
    let is_pattern = pair.gone().filter(|token| *token == "/").count() > 1;
    let is_kind = |token: &str| {
        is_word(token) && parts(token).len() > 1 && (token.ends_with("Exception") || token.ends_with("Error"))
    };
    let text = pair.gone().any(is_text)
        || is_pattern
        || pair.gone().any(is_kind) && !pair.come().any(|token| is_kind(token) || token == "/");
    let comes = pair
        .come()
        .any(|token| is_value(token) || is_word(token) && token != "_" && !has(token, ASKING) && !has(token, FAILURE));
    of_failure && text && !comes && !pair.is_reworded()
}

fn leaves_out(pair: &Pair<'_>) -> bool {
    const OUT: &[&str] = &["exclude", "excluded", "excluding", "omit", "omitting", "without"];
    const WORDS: &[&str] = &["matcher", "path_type"];
    let is_out = |token: &str| is_word(token) && (has(token, OUT) || WORDS.contains(&token));
    // More of what is left out, or a strictness that is turned off.
    let grows =
        pair.old.tokens.iter().any(|token| is_word(token) && has(token, &["exclude", "ignore", "ignored", "omit"]))
            && pair.come().any(is_value)
            && !pair.gone().any(is_value);
    let stricter = |token: &str| is_word(token) && has(token, &["check", "exact", "strict"]);
    let mut named = pair.old.tokens.windows(3).zip(1_usize..);
    let turned_off = named.any(|(three, _)| {
        let [name, sign, yes] = three else { return false };
        let no = |yes: &str| if yes == "True" { "False" } else { "false" };
        let off = [*name, *sign, no(yes)];
        stricter(name)
            && ["=", ":"].contains(sign)
            && ["True", "true"].contains(yes)
            && pair.new.tokens.windows(3).any(|now| now == off)
    });
    grows || turned_off || pair.come().any(is_out) && !pair.gone().any(is_out) && !pair.gone().any(is_value)
}

/// A name that takes any value in place of a value, where a fake or a check says what it expects.
pub(super) fn any_argument(pair: &Pair<'_>) -> bool {
    let is_any = |token: &str| {
        is_word(token)
            && (ANY.contains(&bare(token).as_str()) || has(token, &["any"]) && has(token, &["args", "arguments"]))
            || token == "_"
    };
    let names_fake = |token: &&str| has(token, EXPECTS) || EXPECTS_AS.contains(&bare(token).as_str());
    // Spock says what a fake gives by two signs.
    let expects = pair.old.called().any(|token| names_fake(&token)) || pair.old.line.contains(" >> ");
    let gives = || pair.gone().any(|token| is_value(token) || is_word(token));
    expects && pair.come().any(is_any) && !pair.gone().any(is_any) && gives()
}

/// A check whether something is true, in place of one that said a value.
fn only_truth(pair: &Pair<'_>) -> bool {
    let is_truth = |token: &str| is_word(token) && has(token, &["ok", "true", "truthy"]);
    let compares =
        |token: &&str| [",", "!=", "!==", "<", "<=", "==", "===", ">", ">=", "in", "is", "=~"].contains(token);
    // A status has a name of its own.
    let is_status = pair.gone().any(|token| token == "200");
    let values = pair.gone().any(|token| is_value(token) && !SAID_BY_VERBS.contains(&token));
    values
        && !is_status
        && pair.come().any(is_truth)
        && !pair.gone().any(is_truth)
        && !pair.new.tokens.iter().any(compares)
}

/// Whether the old check compared for equality, by an operator or by its verb.
fn compared(pair: &Pair<'_>) -> bool {
    let verb =
        |token: &&str| is_word(token) && (has(token, ONE) || ["toBe", "is_deeply", "strictSame"].contains(token));
    pair.gone().any(|token| ["==", "==="].contains(&token))
        || pair.old.tokens.iter().any(|token| ["==", "==="].contains(token) || verb(token))
}

fn only_kind(pair: &Pair<'_>) -> bool {
    let is_kind = |token: &str| is_word(token) && (KINDS.contains(&bare(token).as_str()) && token.len() > 2);
    let asked = |token: &str| is_kind(token) || has(token, &["class", "instance", "kind", "type"]);
    pair.come().any(is_kind)
        && !pair.gone().any(|token| is_word(token) && asked(token))
        && (compared(pair) || pair.gone().any(is_value))
}

fn only_size(pair: &Pair<'_>) -> bool {
    const SIZES: &[&str] = &["count", "len", "length", "ndim", "nrow", "shape", "size"];
    let is_size = |token: &str| is_word(token) && SIZES.contains(&token.to_ascii_lowercase().as_str());
    let is_none = pair.new.tokens.contains(&"0");
    let had = pair.old.tokens.iter().any(|token| is_size(token) || is_word(token) && has(token, SIZES));
    let several =
        pair.gone().filter(|token| is_value(token)).count() > 1 || pair.gone().any(|token| ["[", "{"].contains(&token));
    let both = pair.come().filter(|token| is_size(token)).count() > 1 && pair.gone().all(|token| !is_value(token));
    pair.come().any(is_size) && !had && !is_none && compared(pair) && (several || both)
}

/// A verb for a part in place of one for a value.
fn only_part(pair: &Pair<'_>) -> bool {
    let word = |token: &str, list: &[&str]| is_word(token) && has(token, list);
    let sign = |token: &str, signs: &[&str]| signs.contains(&token.trim_matches(['"', '\'']));
    let bound = |token: &str| sign(token, &[">=", "<=", ">", "<", "ge", "le", "gt", "lt", "ne"]);
    let is_equal = |token: &str| sign(token, &["==", "===", "eq"]);
    let in_text = |token: &str, list: &[&str]| {
        let text = token.trim_matches(['"', '\'', '`']);
        is_string(token) && text.split('.').any(|part| list.contains(&part))
    };
    let one = pair.gone().any(|token| word(token, ONE) || word(token, &["all", "have"]) || is_equal(token));
    // Chai's words stand in a text for Cypress.
    let chained = pair.old.tokens.contains(&"should")
        && pair.gone().any(is_string)
        && pair.come().any(|token| in_text(token, PART))
        && !pair.gone().any(|token| in_text(token, PART));
    let part = pair.come().any(|token| word(token, PART) || bound(token))
        && !pair.gone().any(|token| word(token, PART) || bound(token));
    let still = pair.come().any(|token| word(token, ONE) || is_equal(token));
    let is_partial = |token: &str| word(token, &["partial", "subset"]);
    let partial = pair.come().any(is_partial) && !pair.gone().any(is_partial);
    // What a value is not says little about what it is.
    let is_not = |token: &str| ["not", "never", "isnt"].contains(&token);
    let value = |token: &str| is_value(token) && !SAID_BY_VERBS.contains(&token);
    let negated =
        pair.come().any(is_not) && !pair.old.tokens.iter().any(|token| is_not(token)) && pair.gone().any(value);
    chained || partial || negated && pair.come().any(is_value) || one && part && !still
}

/// A text that is searched for, and of which little is left.
fn shorter_text(pair: &Pair<'_>) -> bool {
    static SEARCHES: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"(?i)match|regex|contain|includ|like|throw|raise|\bqr|search|starts?_?with|ends?_?with|~|%r|#rx|death|\br[\x22']|\(\s*/|,\s*/",
        )
    });
    /// A pattern that any text satisfies.
    static ANYTHING: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"^(?:\^?\(?(?:\.|\\[sSwW]|\[\\s\\S\])[*+]\??\)?\$?|\^|\$|\.)$"));
    if !SEARCHES.is_match(pair.old.line.as_bytes()) {
        return false;
    }
    let text = |tokens: Vec<&str>| {
        let is_pattern = |token: &&str| !["(", ")", ",", ";"].contains(token);
        tokens.into_iter().filter(is_pattern).collect::<String>()
    };
    let content = |token: &str| token.get(1..token.len() - 1).unwrap_or_default().to_owned();
    let texts = |tokens: &mut dyn Iterator<Item = &str>| {
        tokens.filter(|token| is_string(token)).map(content).collect::<Vec<_>>()
    };
    let (old, new) = (texts(&mut pair.gone()), texts(&mut pair.come()));
    let plain = |text: &str| text.trim_start_matches('^').trim_end_matches('$').to_owned();
    if let ([old], [new]) = (old.as_slice(), new.as_slice()) {
        let inner = plain(new);
        let is_half = inner.len() * 2 <= old.len() && plain(old).contains(inner.as_str());
        return is_half || ANYTHING.is_match(new.as_bytes()) && !ANYTHING.is_match(old.as_bytes());
    }
    // A pattern that stands between slashes is cut into its signs.
    let is_pattern = old.is_empty() && pair.old.tokens.contains(&"/");
    let (gone, come) = (text(pair.gone().collect()), text(pair.come().collect()));
    is_pattern && new.len() <= 1 && gone.len() >= 4 && come.len() <= 3
}

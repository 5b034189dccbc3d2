//! How much a word of a check asks for, in any framework.

use super::tokens::parts;

/// Words that ask for one value.
const ONE: &[&str] = &[
    "deep",
    "eq",
    "eql",
    "equal",
    "equals",
    "equivalent",
    "exact",
    "exactly",
    "identical",
    "once",
    "same",
    "strict",
    "strictly",
    "thrice",
    "twice",
];

/// Words that ask for a part, a bound, or a failure of some kind.
#[rustfmt::skip]
const PART: &[&str] = &[
    "above", "allclose", "almost", "approx", "below", "close", "contain", "contained", "containing", "contains", "dies", "ends", "fail", "fails",
    "ge", "greater", "gt", "gte", "include", "included", "includes", "including", "le", "less", "lt", "lte", "match", "matched", "matches", "matching", "near",
    "panics", "raise", "raised", "raises", "rejects", "revert", "reverts", "starts", "subset", "superset", "throw", "throws", "thrown",
    "within",
];

/// Words that ask for a kind, or that several things are allowed.
const KIND: &[&str] = &["instance", "instanceof", "isa", "isinstance", "kind", "least", "most", "some", "typeof"];

/// Words that ask for no value, or for anything.
#[rustfmt::skip]
const ANYTHING: &[&str] = &[
    "any", "anything", "defined", "exist", "exists", "non", "nonempty", "nonnull", "not", "notnull", "optional", "present", "truthy",
];

/// Words of predicates that say one value: `isEmpty`.
const VALUES: &[&str] = &["empty", "false", "nil", "none", "null", "ok", "one", "true", "undefined", "zero"];

/// Words of languages, which say nothing by themselves.
const KEYWORDS: &[&str] = &[
    "Has", "Is", "any", "be", "close", "exist", "is", "match", "not", "optional", "raise", "some", "strict", "throw",
    "throws",
];

/// How much a name asks for, from 1 to 4; `None` if it asks for nothing that is known.
pub(super) fn rank(name: &str) -> Option<u8> {
    if KEYWORDS.contains(&name) {
        return None;
    }
    let parts = parts(name);
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    let is_predicate = parts.first().is_some_and(|first| ["be", "is"].contains(&first.as_str()))
        || parts.iter().take(3).any(|part| part == "be");
    match () {
        // `containsExactlyInAnyOrder`.
        () if has(&["exactly"]) || has(&["match"]) && has(&["array"]) => Some(4),
        () if has(ANYTHING) => Some(1),
        () if has(KIND) => Some(2),
        () if has(PART) || has(&["assert"]) && has(&["exception"]) => Some(3),
        () if has(ONE) => Some(4),
        () if parts.iter().take(2).any(|part| ["has", "have"].contains(&part.as_str())) && parts.len() > 1 => Some(4),
        () if is_predicate => {
            Some(if parts.len() < 3 && parts.last().is_some_and(|last| last == "be") || has(VALUES) { 4 } else { 3 })
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ranked_by_what_they_ask_for() {
        for (name, expected) in [
            ("assertEquals", Some(4)),
            ("toBe", Some(4)),
            ("isNull", Some(4)),
            ("toBeVisible", Some(3)),
            ("verifyGreaterThan", Some(3)),
            ("containsAtLeast", Some(2)),
            ("be_an_instance_of", Some(2)),
            ("isNotNull", Some(1)),
            ("exists", Some(1)),
            ("total", None),
            ("not", None),
        ] {
            assert_eq!(rank(name), expected, "{name}");
        }
    }
}

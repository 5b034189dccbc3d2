//! What a line of a test says, by its words: whether it checks something, and how much it asks for.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::balance::Place;
use super::expression::ascii;
use super::tokens::{any_part, is_number, is_string, is_value, is_word, tokens, words_of};

#[rustfmt::skip]
pub(super) const CHECKS: &[&str] = &[
    "assert", "assertion", "asserts", "check", "checks", "ensure", "expect", "expects", "must", "refute", "refutes", "require",
    "requires", "should", "verifies", "verify",
];

/// Words that name a test.
#[rustfmt::skip]
pub(super) const TESTS: &[&str] = &[
    "context", "describe", "entry", "fact", "it", "prop", "property", "scenario", "spec", "specs", "suite", "test", "testcase", "tests", "theory",
];

/// Words that hand tests to a runner.
const REGISTERS: &[&str] = &["suite", "main", "testing"];

/// Words with which a test, a check or its failure no longer counts.
#[rustfmt::skip]
const OFF: &[&str] = &[
    "allowfail", "assume", "assuming", "broken", "disable", "disabled", "fixme", "flaky", "ignore", "ignored", "ignoring",
    "known", "manual", "mayfail", "nocheck", "nofail", "optional", "pending", "quarantine", "quarantined", "skip", "skipif",
    "skipped", "suppress", "suppressed", "swallow", "todo", "wip", "xfail",
];

/// Words of generators that give one value, or none.
const NARROW: &[&str] = &["always", "const", "constant", "empty", "just", "never", "nothing"];

#[rustfmt::skip]
const FAKES: &[&str] = &[
    "allow", "double", "fake", "intercept", "mock", "mocks", "override", "patch", "respond", "spy", "stub", "stubs",
];

/// Calls that may stand around a check: they wait for it, or group checks.
#[rustfmt::skip]
const GROUPS: &[&str] = &[
    "act", "aggregate", "all", "await", "eventually", "group", "in", "it", "run", "section", "step", "sub", "subtest",
    "subtests", "suite", "test", "wait", "within",
];

pub(super) fn has(name: &str, list: &[&str]) -> bool {
    any_part(name, |part| list.contains(&part))
}

pub(super) fn turns_off(word: &str) -> bool {
    OFF.contains(&word)
}

pub(super) fn is_narrow(word: &str) -> bool {
    NARROW.contains(&word)
}

pub(super) fn is_fake(word: &str) -> bool {
    FAKES.contains(&word)
}

pub(super) fn only_groups(name: &str) -> bool {
    has(name, GROUPS) || has(name, CHECKS)
}

/// Whether an alternative of a condition is settled: `true || …`, `… && false`.
pub(super) fn is_settled(tokens: &[&str]) -> bool {
    let or = |token: &str| ["||", "or", "orelse"].contains(&token);
    let yes = |token: &str| ["true", "True", "TRUE"].contains(&token);
    tokens.windows(2).any(|two| matches!(two, [a, b] if or(a) && yes(b) || yes(a) && or(b)))
        || tokens.windows(2).any(|two| matches!(two, [";", last] if yes(last)))
}

/// Whether a check compares a thing with itself, or two constants.
pub(super) fn compares_itself(line: &str) -> bool {
    static SHOULD: LazyLock<Regex> = LazyLock::new(|| ascii(r",\s*Should\w+\s*,"));
    let sides = compared(&String::from_utf8_lossy(&SHOULD.replace(line.as_bytes(), &b","[..])))
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let is_constant = |side: &String| {
        let tokens = tokens(side);
        matches!(tokens.as_slice(), [one] if is_number(one) || is_string(one))
    };
    match sides.as_slice() {
        // JUnit 3 and 4 say first why it fails.
        [why, left, right] if why.starts_with('"') && !is_constant(right) => left == right || why == left,
        [left, right, ..] => left == right && !left.is_empty() || is_constant(left) && is_constant(right),
        _ => false,
    }
}

/// The first two things that a check compares: the sides of its operator, the arguments of its call, or what stands in its
/// parentheses one after the other.
pub(super) fn compared(line: &str) -> Vec<&str> {
    let Some(verb) = CHECK_VERB.find(line.as_bytes()) else { return Vec::new() };
    let rest = line.get(verb.end()..).unwrap_or_default().trim_end_matches([';', ' ']);
    let inner = rest.trim_start().strip_prefix('(').and_then(|rest| enclosed(rest)).filter(|inner| !inner.is_empty());
    let whole = inner.unwrap_or(rest);
    for operator in ["===", "=="] {
        if let Some((left, right)) = whole.split_once(operator) {
            let message = |side: &'_ str| side.find(", ").unwrap_or(side.len());
            return vec![left.trim(), right.get(..message(right)).unwrap_or(right).trim()];
        }
    }
    let behind = inner.and_then(|inner| rest.trim_start().get(inner.len() + 2..)).unwrap_or_default().trim();
    // `Expect.equal (a) (b)`.
    if let Some(second) = behind.strip_prefix('(').and_then(enclosed) {
        return inner.into_iter().chain([second]).map(str::trim).collect();
    }
    let commas: Vec<usize> =
        super::tree::top_level(whole).filter(|(_, byte)| *byte == b',').map(|(at, _)| at).collect();
    let mut start = 0;
    let mut all = Vec::new();
    for end in commas.into_iter().chain([whole.len()]) {
        all.extend(whole.get(start..end).map(str::trim));
        start = end + 1;
    }
    all.truncate(2);
    all
}

static CHECK_VERB: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"(?i)\b(?:\w*assert\w*(?:\s*\.\s*\w*equal\w*)?!?|expect\s*\.\s*\w*equal\w*|so)\b|\b(?:EXPECT|REQUIRE|CHECK)_\w*EQ\w*",
    )
});

/// The text up to the parenthesis that closes one which opened before it.
fn enclosed(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return text.get(..at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A name, and the expression that it is given.
pub(super) fn given(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" = ").or_else(|| line.split_once(" := "))?;
    let name = name.split([':', ' ']).rfind(|word| !word.is_empty())?;
    let value = value.trim_end_matches([';', ' ']);
    (is_word(name) && value.contains(['.', '('])).then_some((name, value))
}

/// A line that catches failures of tests where they are reported.
pub(super) fn swallows(line: &str) -> bool {
    static HANDLES: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r#"\bXCTExpectFailure\b|\.isInverted = true|\.assertForOverFulfill = false|(?:_\s*=\s*|\bdefer\s+|\{\s*)recover\s*\(\s*\)|^(?:if|unless|when|while)\b\s*\(?\s*(?:false|False|0)\b|\bon\w*\s*\(\s*["'](?:fail\w*|error|uncaught:exception|uncaughtException|unhandledRejection)["']"#,
        )
    });
    HANDLES.is_match(line.as_bytes())
}

/// Whether the functions below a line are hidden from a runner of Ruby.
pub(super) fn hides(line: &str) -> bool {
    ["private", "protected"].contains(&line)
}

/// A row of values on a line of its own.
pub(super) fn is_row(line: &str) -> bool {
    let tokens = tokens(line.trim_end_matches([',', ';']));
    let is_list = |open: &str, close: &str| tokens.first() == Some(&open) && tokens.last() == Some(&close);
    let has_value = tokens.iter().any(|token| is_value(token));
    // A row of a table, and one of values and keywords as in Clojure.
    let is_of_table = tokens.iter().filter(|token| ["|", "||"].contains(token)).count() > 1 && has_value;
    let is_keyword = |two: &[&str]| matches!(two, [":", name] if is_word(name));
    let values = tokens.iter().rposition(|token| *token != ")").and_then(|end| tokens.get(..=end)).unwrap_or_default();
    let is_bare = values.first().is_some_and(|token| is_value(token)) && values.get(1..).is_some_and(is_keyword);
    // A row that has a name, and one that is a table of PowerShell.
    let named = match tokens.as_slice() {
        [_, "=>" | ":", rest @ ..] => rest,
        ["@", rest @ ..] if rest.first() == Some(&"{") => return has_value && rest.last() == Some(&"}"),
        _ => &[],
    };
    let is_named = matches!(named, ["[", .., "]"] | ["(", .., ")"]) && has_value;
    if is_of_table || is_bare || is_named {
        return true;
    }
    line.contains(',') && (is_list("[", "]") || is_list("(", ")") || is_list("{", "}")) && has_value
}

/// Whether a name asks for a failure.
pub(super) fn names_failure(name: &str) -> bool {
    has(name, &["panics", "raise", "raises", "rejects", "throws", "thrown"])
}

/// Whether a line says how often a test runs.
pub(super) fn runs(phrase: &Phrase<'_>) -> bool {
    phrase
        .tokens
        .iter()
        .any(|token| is_word(token) && has(token, &["cases", "examples", "iterations", "runs", "samples"]))
}

/// A line that leaves cases out of a test that tries many.
pub(super) fn narrows(line: &str) -> bool {
    static ASSUMES: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"^(?:\w+\s*(?:\.|::)\s*)*(?:(?:prop_)?assume\w*|assuming\w*|reject)!?\s*\("));
    ASSUMES.is_match(line.as_bytes())
}

/// A line, cut into its tokens.
pub(super) struct Phrase<'a> {
    pub(super) line: &'a str,
    pub(super) tokens: Vec<&'a str>,
    pub(super) place: Place,
}

impl<'a> Phrase<'a> {
    pub(super) fn of(line: &'a str, place: Place) -> Self {
        Self { line, tokens: tokens(line), place }
    }

    pub(super) fn words(&self) -> BTreeSet<String> {
        words_of(self.tokens.iter().copied())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.tokens.iter().copied().enumerate().filter(|(_, token)| is_word(token))
    }

    pub(super) fn checks(&self) -> bool {
        const COMPARES: &[&str] = &["equal", "equals", "exactly", "identical", "status"];
        const OF_TAP: &[&str] =
            &["cmp_ok", "is", "is_deeply", "is_empty", "isnt", "like", "ok", "results_eq", "throws_ok", "unlike"];
        let of_tap = |name: &str| {
            OF_TAP.contains(&name) || name.starts_with("has_") || name.ends_with("_are") || name.ends_with("_ok")
        };
        let opens = |at: usize| self.is_called(at) || self.tokens.get(at + 1) == Some(&"{");
        let compares = |(at, name): (usize, &str)| {
            self.is_called(at) && has(name, COMPARES)
                || of_tap(name) && opens(at) && self.tokens.iter().take(at).all(|token| ["SELECT", "("].contains(token))
        };
        if self.declares_function() {
            return false;
        }
        self.words_of_checks() > 0
            || !self.is_import() && (self.names().any(compares) || self.is_of_suite() || self.is_condition())
    }

    /// Whether it is the head of a function: its name may sound like a check.
    fn declares_function(&self) -> bool {
        let words: Vec<&str> = self.tokens.iter().copied().take_while(|token| is_word(token)).collect();
        words
            .split_last()
            .is_some_and(|(_, before)| before.last().is_some_and(|last| ["def", "fn", "func"].contains(last)))
    }

    /// Whether it calls a check of the test itself or of its suite: `s.IsType(…)`, `t.match(…)`.
    fn is_of_suite(&self) -> bool {
        #[rustfmt::skip]
        const ASKS: &[&str] = &[
            "contains", "delta", "empty", "equal", "error", "false", "has", "json", "len", "like", "match", "matches", "nil", "panics",
            "same", "throws", "true", "type", "zero",
        ];
        let [receiver, ".", name, "(", ..] = self.tokens.as_slice() else { return false };
        let asks = has(name, ASKS);
        let is_short = |name: &str| name.len() <= 2 || ["suite", "tap", "test"].contains(&name);
        is_short(receiver) && asks && is_word(receiver)
    }

    /// Whether it is a condition and nothing else: those of Spock, the last line of a property, the tests of a shell, the
    /// macros of Julia.
    fn is_condition(&self) -> bool {
        const OTHER: &[&str] = &["case", "elif", "else", "for", "if", "return", "unless", "until", "when", "while"];
        let first = self.tokens.first().copied().unwrap_or_default();
        let last = self.tokens.last().copied().unwrap_or_default();
        let is_whole = !OTHER.contains(&first) && !["{", ",", "(", "[", ":"].contains(&last);
        let has = |sign: &str| self.tokens.contains(&sign);
        let compares = (has("==") || has("!=")) && !has("=") && !has(":=") && !has("?") && is_word(first);
        let is_of_shell = first == "[" && last == "]" && self.line.starts_with("[ ") || self.line.starts_with("[[ ");
        let is_macro =
            first == "@" && self.tokens.len() > 2 && self.tokens.get(1).is_some_and(|name| name.starts_with("test"));
        is_whole && compares || is_of_shell || is_macro
    }

    /// How many of its names say that something is checked.
    pub(super) fn words_of_checks(&self) -> usize {
        if self.is_import() {
            return 0;
        }
        // Pest goes on with `->and(…)`.
        let goes_on = |at: usize, name: &str| name == "and" && at > 0 && self.tokens.get(at - 1) == Some(&"->");
        // `Assert.assertTrue` asks once.
        let owns = |at: usize| {
            self.tokens.get(at + 1).is_some_and(|sign| [".", "::"].contains(sign))
                && self.tokens.get(at + 2).is_some_and(|name| is_word(name) && has(name, CHECKS))
        };
        let asks = |at: usize, name: &str| has(name, CHECKS) && !owns(at) || goes_on(at, name);
        let found = self.names().filter(|(at, name)| asks(*at, name)).count();
        // A chain asks several things of what is thrown.
        let is_chain = found > 0 && self.names().any(|(_, name)| name.ends_with("ThrownBy"));
        let links =
            self.called().filter(|name| is_chain && (name.starts_with("has") || name.starts_with("isInstanceOf")));
        found + links.count().saturating_sub(1)
    }

    /// One if it checks something by a name that only TAP has.
    pub(super) fn checks_of_tap(&self) -> usize {
        usize::from(self.words_of_checks() == 0 && self.tokens.first() == Some(&"SELECT") && self.checks())
    }

    /// One if it is a step of a scenario.
    pub(super) fn steps(&self) -> usize {
        const STEPS: &[&str] = &["And", "But", "Given", "Then", "When"];
        usize::from(self.tokens.first().is_some_and(|first| STEPS.contains(first)))
    }

    /// The names that are called.
    pub(super) fn called(&self) -> impl Iterator<Item = &'a str> {
        self.names().filter(|(at, _)| self.tokens.get(at + 1) == Some(&"(")).map(|(_, name)| name)
    }

    /// The first name that says that something is checked.
    pub(super) fn head(&self) -> Option<&'a str> {
        self.names().map(|(_, name)| name).find(|name| has(name, CHECKS))
    }

    pub(super) fn is_mark(&self) -> bool {
        let is_basic = self.line.starts_with('<') && self.line.ends_with('>') && !self.line.contains("/>");
        self.line.starts_with(['@', '[']) || self.line.starts_with("#[") || is_basic
    }

    /// Whether it is followed by what it is called with.
    fn is_called(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_some_and(|next| *next == "(" || is_string(next))
    }

    fn is_declared(&self, at: usize) -> bool {
        const DECLARES: &[&str] = &["Task", "def", "fn", "fun", "func", "function", "method", "proc", "sub", "void"];
        at.checked_sub(1).and_then(|before| self.tokens.get(before)).is_some_and(|word| DECLARES.contains(word))
    }

    /// How many of its names mark a test for the runner; one that only this file sees does not.
    pub(super) fn names_of_tests(&self) -> usize {
        if self.is_import() {
            return 0;
        }
        let marks = |at: usize| self.is_mark() || self.is_declared(at) || self.is_called(at);
        let gives_row = |name: &str| {
            self.is_mark() && has(name, &["case", "example", "examples", "inline", "row", "source", "values"])
        };
        let found = self.names().filter(|(at, name)| has(name, TESTS) && marks(*at) || gives_row(name)).count();
        let is_exported = || self.tokens.first().is_some_and(|word| ["pub", "export"].contains(word));
        found + usize::from(found > 0 && is_exported())
    }

    /// How many of its calls hand tests to a runner.
    pub(super) fn registrations(&self) -> usize {
        if self.is_import() || self.line.starts_with(['@', '#']) {
            return 0;
        }
        let registers = |(at, name): &(usize, &str)| {
            has(name, REGISTERS) && self.tokens.get(at + 1) == Some(&"(") && !self.is_declared(*at)
        };
        self.names().filter(registers).count()
    }

    /// Whether a line is the head of a condition and nothing else. Without it, what it holds back always runs.
    pub(super) fn only_asks_whether_to_run(&self) -> bool {
        let is_directive =
            matches!(self.tokens.as_slice(), ["#", word, ..] if word.starts_with("if") || *word == "endif");
        let is_head = matches!(self.tokens.first(), Some(&("if" | "unless")))
            && self.line.ends_with(['{', ')']) | self.line.ends_with(" do")
            && !self.checks();
        is_directive || is_head
    }

    pub(super) fn is_import(&self) -> bool {
        const IMPORTS: &[&str] =
            &["#include", "from", "import", "include", "module", "open", "package", "use", "using"];
        let first = self.line.split([' ', '(']).next().unwrap_or_default();
        let is_clojure = self.line.contains(" :refer ") || self.line.contains(" :as ");
        let is_ruby =
            self.tokens.first() == Some(&"require") && self.tokens.get(1).is_some_and(|token| is_string(token));
        IMPORTS.contains(&first) || is_ruby || is_clojure || self.line.contains("= require(")
    }

    /// Whether it gives a test its values.
    pub(super) fn is_of_source(&self) -> bool {
        self.is_mark()
            || self.names().any(|(_, name)| has(name, &["arbitrary", "forall", "fuzz", "gen", "given", "property"]))
    }

    pub(super) fn expects_failure(&self) -> bool {
        self.names().any(|(_, name)| {
            has(name, &["panics", "raise", "raises", "reject", "rejects", "throw", "throws", "thrown"])
                || self.is_mark() && has(name, &["expected"])
        })
    }

    /// Whether a name or a title got a sign in front with which runners pass a test over.
    pub(super) fn is_renamed_off(&self, new: &Self) -> bool {
        const SIGNS: &[&str] = &["x", "p", "f", "_", "X", "P", "F"];
        let was = |name: &str| self.tokens.contains(&name);
        new.tokens.iter().any(|token| {
            let title = is_string(token).then(|| token.get(1..)).flatten().and_then(|rest| rest.strip_prefix('!'));
            let off = |sign: &&str| token.strip_prefix(*sign).is_some_and(|name| was(name) && has(name, TESTS));
            is_word(token) && SIGNS.iter().any(off)
                || title
                    .is_some_and(|title| self.tokens.iter().any(|old| is_string(old) && old.get(1..) == Some(title)))
        })
    }

    /// Whether it puts a fake in place of the module that the file is named after.
    pub(super) fn fakes_module(&self, stem: &str) -> bool {
        let is_fake = self.names().any(|(at, name)| has(name, &["mock"]) && self.tokens.get(at + 1) == Some(&"("));
        let of_stem = |token: &&str| {
            let path = token.trim_matches(['"', '\'', '`']);
            path.starts_with('.') && path.rsplit('/').next().is_some_and(|name| name.split('.').next() == Some(stem))
        };
        is_fake && self.tokens.iter().filter(|token| is_string(token)).any(of_stem)
    }

    /// The names in a line that puts a fake somewhere.
    pub(super) fn faked(&self) -> impl Iterator<Item = &'a str> {
        let puts =
            |name: &str| FAKES.contains(&name) || has(name, FAKES) && !has(name, &["allow", "override", "respond"]);
        let is_fake = self.names().any(|(at, name)| puts(name) && self.is_called(at))
            && !self.checks()
            && !self.line.starts_with("#[");
        let is_name = |name: &str| name.len() > 2 && !has(name, FAKES) && !has(name, TESTS);
        let behind = self.tokens.iter().position(|token| *token == "=").unwrap_or(0);
        self.names().filter(move |(at, name)| is_fake && *at >= behind && is_name(name)).map(|(_, name)| name)
    }

    /// Whether it checks what this thing gives, by its first name.
    pub(super) fn asks(&self, name: &str) -> bool {
        const CALLED: &[&str] = &["called", "call", "calls", "received", "receive", "times", "verify"];
        let begins = self.names().any(|(at, own)| {
            let before = at.checked_sub(1).and_then(|before| self.tokens.get(before)).copied().unwrap_or_default();
            own == name && ["(", ",", "@", ""].contains(&before)
        });
        self.checks() && begins && !self.names().any(|(_, name)| has(name, CALLED))
    }

    /// Whether a test has a mark, or a word in it, that does not only describe it.
    pub(super) fn marks_tests(&self) -> bool {
        self.is_mark() && self.names().any(|(_, name)| has(name, TESTS))
    }

    /// A thing's part that the line sets: `reply.status = 502`.
    pub(super) fn sets(&self) -> Option<String> {
        let at = self.tokens.iter().position(|token| *token == "=")?;
        let target = self.tokens.get(..at)?;
        let is_part = target.len() == 3 && target.get(1) == Some(&".");
        (is_part && !["self", "this"].contains(target.first()?)).then(|| target.concat())
    }
}

/// Words in the mark of a test that only describe it or give it values.
#[rustfmt::skip]
const DESCRIBES: &[&str] = &[
    "arguments", "args", "asyncio", "author", "category", "data", "description", "display", "displayname", "flavor", "fixtures", "group",
    "groups", "ids", "info", "multi", "name", "named", "order", "paused", "params", "parametrize", "priority", "provider", "reason",
    "scope", "start", "tag", "tags", "test", "thread", "threads", "timeout", "tokio", "traits", "use", "usefixtures", "worker",
];

/// Whether a word that came into the mark of a test says more than what it is about.
pub(super) fn changes_mark(word: &str) -> bool {
    !DESCRIBES.contains(&word)
}

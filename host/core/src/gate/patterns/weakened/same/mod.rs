//! What a check says, whatever library says it: `assertEquals(5, f())`, `assertThat(f()).isEqualTo(5)`, `assert f() == 5`.
//!
//! A check that gives way to one which says the same, or which implies it, is no loss. Only checks that are understood whole are
//! compared. What must stay true: two checks that could differ never have the same meaning here.

mod words;

use super::tokens::{is_number, is_string, is_word, tokens};
use words::{Asks, NAMES, VERBS};

/// A check: what it asks of which operands. Each operand is text without space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    asks: Asks,
    operands: Vec<String>,
}

/// Longest check that is read, in tokens.
const MOST: usize = 120;

impl Asks {
    fn by(names: &[(Self, &[&str])], name: &str) -> Option<Self> {
        names.iter().find(|(_, all)| all.contains(&name)).map(|(asks, _)| *asks)
    }

    fn takes_one(self) -> bool {
        matches!(self, Self::Null | Self::NotNull | Self::True | Self::False | Self::Empty)
    }
}

/// A name without signs and case.
fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Reads a check; `None` if the line is none, or not the whole of one.
pub(super) fn read(line: &str) -> Option<Check> {
    let all = tokens(line.trim());
    if all.len() > MOST {
        return None;
    }
    let mut said = all.as_slice();
    while let [rest @ .., ";" | ","] = said {
        said = rest;
    }
    while let ["await" | "return", rest @ ..] = said {
        said = rest;
    }
    of_keyword(said).or_else(|| of_subject(said)).or_else(|| of_call(said))
}

/// Whether a check is the statement of a language in which programs skip it unless told otherwise, as in Java.
pub(super) fn is_optional(said: &str) -> bool {
    let said = said.trim();
    said.starts_with("assert ") && said.ends_with(';')
}

/// `assert x == y`, `assert(x)`, `assert_equal a, b`.
fn of_keyword(said: &[&str]) -> Option<Check> {
    let (name, rest) = said.split_first()?;
    if rest.first().is_some_and(|sign| ["(", "!", ".", "::", "->", "="].contains(sign)) {
        return None;
    }
    if *name == "assert" {
        return of_condition(arguments(rest).first()?);
    }
    if let ("assert_predicate", [subject, [":", predicate @ ..]]) = (*name, arguments(rest).as_slice()) {
        return Check::of(Asks::True, vec![format!("{}.{}", text(subject), text(predicate))]);
    }
    let asks = Asks::by(NAMES, &bare(name)).filter(|_| name.contains('_'))?;
    of_operands(asks, &arguments(rest))
}

/// A call of a function with its operands: of the test, of a class, or of a library.
fn of_call(said: &[&str]) -> Option<Check> {
    let open = said.iter().position(|token| *token == "(")?;
    let inner = inside(said.get(open..)?)?;
    if said.len() != open + inner.len() + 2 {
        return None;
    }
    let name = said.get(..open)?;
    let name = name.strip_suffix(&["!"]).unwrap_or(name);
    let (last, receiver) = name.split_last()?;
    let is_plain = |token: &&str| is_word(token) || [".", "::", "->", "$"].contains(token);
    if receiver.len() > 4 || !receiver.iter().all(is_plain) {
        return None;
    }
    let is_short =
        matches!(receiver, [owner, _] if ["t", "assert", "Assert", "require", "test", "should"].contains(owner));
    // `x.equals(y)` gives an answer, and checks nothing.
    let lower = bare(last);
    let says = ["assert", "refute", "expect", "xctassert"].iter().any(|word| lower.starts_with(word));
    if !says && !is_short {
        return None;
    }
    let mut arguments = arguments(inner);
    // The test itself comes first in Go.
    if arguments.first().is_some_and(|first| *first == ["t"]) {
        arguments.remove(0);
    }
    if lower == "assertin" || lower == "assertcontains" && receiver.is_empty() {
        let [member, whole] = arguments.as_slice() else { return None };
        return Check::of(Asks::Contains, vec![text(whole), text(member)]);
    }
    if ["assertthat", "that", "expectthat"].contains(&lower.as_str()) && arguments.len() == 2 {
        let (subject, matcher) = (arguments.first()?, arguments.get(1)?);
        return of_verb(&text(subject), matcher);
    }
    let asks = Asks::by(NAMES, &lower)?;
    // PHPUnit says what is contained first.
    if asks == Asks::Contains && receiver.iter().any(|token| ["->", "::"].contains(token)) {
        arguments.truncate(2);
        arguments.reverse();
    }
    if asks == Asks::Size && receiver.iter().any(|token| ["->", "::"].contains(token)) {
        arguments.reverse();
    }
    of_operands(asks, &arguments)
}

/// A check of a function by its operands, behind which there may be a message.
fn of_operands(asks: Asks, arguments: &[&[&str]]) -> Option<Check> {
    let wanted = if asks.takes_one() { 1 } else { 2 };
    let is_message = |argument: &&[&str]| matches!(argument, [one] if is_string(one));
    // JUnit 3 and 4 say first why it fails.
    let arguments = match arguments {
        [why, rest @ .., last] if rest.len() + 1 == wanted && is_message(why) && !is_message(last) => {
            arguments.get(1..)?
        }
        _ => arguments,
    };
    if arguments.len() < wanted || !arguments.get(wanted..)?.iter().all(is_message) {
        return None;
    }
    if asks == Asks::True {
        return of_condition(arguments.first()?);
    }
    Check::of(asks, arguments.iter().take(wanted).map(|argument| text(argument)).collect())
}

/// `expect(x).toBe(5)`, `assertThat(x).isEqualTo(5)`, `x.Should().Be(5)`, `x shouldBe 5`, `_(x).must_equal 5`.
fn of_subject(said: &[&str]) -> Option<Check> {
    const HEADS: &[&str] = &["expect", "Expect", "assertThat", "assert_that", "expectThat", "_", "value"];
    let (first, rest) = said.split_first()?;
    if HEADS.contains(first) && rest.first() == Some(&"(") {
        let inner = inside(rest)?;
        let behind = rest.get(inner.len() + 2..)?;
        let [subject] = arguments(inner)[..] else { return None };
        return of_verb(&text(subject), behind);
    }
    let at = said.iter().position(|token| token.to_ascii_lowercase().starts_with("should"))?;
    let (subject, verb) = said.split_at(at);
    let subject = subject.strip_suffix(&["."]).unwrap_or(subject);
    let is_whole = !subject.is_empty()
        && is_balanced(subject)
        && !subject.iter().any(|token| ["=", "{", "=>", "if"].contains(token));
    // `x.Should().Be(5)`: the verb is the second call.
    let verb = verb.strip_prefix(&["Should", "(", ")", "."]).unwrap_or(verb);
    is_whole.then(|| of_verb(&text(subject), verb)).flatten()
}

/// A verb with what it asks for, behind a subject.
fn of_verb(subject: &str, said: &[&str]) -> Option<Check> {
    let said = said.strip_prefix(&["."]).unwrap_or(said);
    if let Some(check) = of_predicate(subject, said) {
        return Some(check);
    }
    let (mut name, mut rest) = (String::new(), said);
    while let Some((token, behind)) = rest.split_first() {
        let is_whole = name.starts_with("must") || name.starts_with("should");
        if is_word(token) && !is_whole && (name.is_empty() || is_asking(token)) {
            name.push_str(&bare(token));
        } else if [".", "(", "->"].contains(token) && behind.first().is_some_and(|next| is_asking(next)) {
            // `is(equalTo(5))`, `To(Equal(5))`.
        } else if *token != "." && *token != "->" {
            break;
        }
        rest = behind;
    }
    let asks = Asks::by(VERBS, &name)?;
    while let [inner @ .., ")"] = rest {
        if is_balanced(rest) {
            break;
        }
        rest = inner;
    }
    let argument = match rest {
        ["(", .., ")"] => inside(rest).filter(|inner| inner.len() + 2 == rest.len())?,
        ["("] => &[],
        _ => rest,
    };
    let all = arguments(argument);
    match (asks.takes_one(), all.as_slice()) {
        (true, []) => Check::of(asks, vec![subject.to_owned()]),
        (false, [one]) => Check::of(asks, vec![subject.to_owned(), text(one)]),
        _ => None,
    }
}

/// Whether a word belongs to a verb and not to what it asks for.
fn is_asking(token: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "is", "to", "be", "not", "equal", "equals", "equalto", "eq", "eql", "deep", "null", "true", "false", "empty", "exist", "nil",
        "toequal", "tobe", "isnull", "nullvalue", "notnullvalue", "hassize", "has", "have", "count", "length", "lengthof", "contain",
        "contains", "containsstring", "include", "does", "beempty", "benil", "ok", "isequalto",
    ];
    is_word(token) && WORDS.contains(&bare(token).as_str())
}

/// A condition that has to hold.
fn of_condition(said: &[&str]) -> Option<Check> {
    let said = match said {
        ["(", .., ")"] if inside(said).is_some_and(|inner| inner.len() + 2 == said.len()) => inside(said)?,
        _ => said,
    };
    let joins = |token: &str| ["&&", "||", "and", "or", "if", "=>", "for", "lambda"].contains(&token);
    if said.is_empty() || said.iter().any(|token| joins(token)) || chooses(said) || !is_balanced(said) {
        return None;
    }
    let mut depth = 0_usize;
    for (at, token) in said.iter().enumerate() {
        depth = depth_after(depth, token);
        if depth > 0 {
            continue;
        }
        let (left, right) = (said.get(..at)?, said.get(at + 1..)?);
        let both = |asks| Check::of(asks, vec![text(left), text(right)]);
        match *token {
            _ if at == 0 => {}
            "==" => return both(Asks::Equal),
            "!=" | "!==" => return both(Asks::NotEqual),
            "is" if right.first() == Some(&"not") => {
                return Check::of(Asks::NotEqual, vec![text(left), text(right.get(1..)?)]);
            }
            "===" | "is" => return both(Asks::Same),
            "not" => return None,
            "in" => return Check::of(Asks::Contains, vec![text(right), text(left)]),
            "<" | ">" | "<=" | ">=" => return Check::of(Asks::True, vec![text(said)]),
            _ => {}
        }
    }
    match said {
        ["!" | "not", rest @ ..] => Check::of(Asks::False, vec![text(rest)]).map(Check::simple),
        ["strings" | "bytes" | "slices", ".", "Contains", rest @ ..] => {
            let [whole, part] = arguments(inside(rest)?)[..] else { return None };
            Check::of(Asks::Contains, vec![text(whole), text(part)])
        }
        _ => Check::of(Asks::True, vec![text(said)]).map(Check::simple),
    }
}

/// Whether a question mark chooses between two things, and is not the end of a name of Ruby: `frozen?`, `include?(x)`.
fn chooses(said: &[&str]) -> bool {
    let of_name = |at: usize| {
        let is_name = at.checked_sub(1).and_then(|before| said.get(before)).is_some_and(|name| is_word(name));
        is_name && said.get(at + 1).is_none_or(|next| ["(", ")", ","].contains(next))
    };
    let mut marks = said.iter().enumerate().filter(|(_, token)| **token == "?");
    marks.any(|(at, _)| !of_name(at) || said.contains(&":"))
}

/// What a matcher of `RSpec` asks of a thing, which answers with yes or no: `be_frozen` asks `frozen?`.
fn of_predicate(subject: &str, said: &[&str]) -> Option<Check> {
    const OTHERS: &[&str] =
        &["a", "an", "between", "close", "empty", "falsey", "falsy", "instance", "kind", "nil", "truthy", "within"];
    let (asks, name, rest) = match said {
        ["to", name, rest @ ..] => (Asks::True, name, rest),
        ["to_not" | "not_to", name, rest @ ..] => (Asks::False, name, rest),
        _ => return None,
    };
    let predicate = name.strip_prefix("be_")?;
    let is_other = OTHERS.contains(&predicate.split('_').next().unwrap_or_default());
    let all = if rest.is_empty() { String::new() } else { text(rest) };
    let is_plain =
        all.is_empty() || all.starts_with('(') && inside(rest).is_some_and(|own| own.len() + 2 == rest.len());
    (!is_other && is_plain).then(|| Check::of(asks, vec![format!("{subject}.{predicate}?{all}")])).flatten()
}

impl Check {
    /// A check in its simplest form: that something equals nothing says that it is null.
    fn of(asks: Asks, mut operands: Vec<String>) -> Option<Self> {
        if operands.iter().any(String::is_empty) {
            return None;
        }
        if matches!(asks, Asks::Equal | Asks::Same) {
            if operands.first().is_some_and(|first| is_literal(first)) {
                operands.reverse();
            }
            let (value, one) = (operands.get(1)?.clone(), operands.first().cloned());
            let simpler = match value.as_str() {
                "null" | "nil" | "None" | "nullptr" | "NULL" => Some(Asks::Null),
                "true" | "True" | "TRUE" => Some(Asks::True),
                "false" | "False" | "FALSE" => Some(Asks::False),
                _ => None,
            };
            if let Some(asks) = simpler {
                return Some(Self { asks, operands: one.into_iter().collect() }.simple());
            }
            if let Some(whole) = measured(operands.first()?) {
                return Some(Self { asks: Asks::Size, operands: vec![whole, value] });
            }
            if !is_literal(&value) {
                operands.sort();
            }
        }
        if asks == Asks::NotEqual {
            if operands.first().is_some_and(|first| is_nothing(first)) {
                operands.reverse();
            }
            if operands.get(1).is_some_and(|second| is_nothing(second)) {
                operands.truncate(1);
                return Some(Self { asks: Asks::NotNull, operands });
            }
            operands.sort();
        }
        Some(Self { asks, operands })
    }

    /// That a thing is empty or nothing, where a function says so.
    fn simple(self) -> Self {
        const ENDS: &[(&str, Asks)] = &[
            (".isEmpty()", Asks::Empty),
            (".is_empty()", Asks::Empty),
            (".is_none()", Asks::Null),
            (".is_some()", Asks::NotNull),
            (".empty()", Asks::Empty),
        ];
        const DENIED: &[(&str, Asks)] = &[(".is_none()", Asks::NotNull), (".is_some()", Asks::Null)];
        let ends = match self.asks {
            Asks::True => ENDS,
            Asks::False => DENIED,
            _ => return self,
        };
        let own = self.operands.first();
        let found = own.and_then(|own| ends.iter().find_map(|(end, asks)| Some((own.strip_suffix(end)?, *asks))));
        match found {
            Some((whole, asks)) if !whole.is_empty() => Self { asks, operands: vec![whole.to_owned()] },
            _ => self,
        }
    }

    /// Whether another check of the same operands asks no more than this one.
    pub(super) fn is_as_much_as(&self, other: &Self) -> bool {
        self.operands == other.operands || self.asks == Asks::Equal && other.asks == Asks::Empty
    }

    /// Whether another check may imply it.
    pub(super) fn is_weak(&self) -> bool {
        matches!(self.asks, Asks::NotNull | Asks::True | Asks::Size | Asks::Empty | Asks::Contains)
    }

    /// Whether the other check holds whenever this one does.
    pub(super) fn implies(&self, other: &Self) -> bool {
        let is_as_strict = self.asks == other.asks || self.asks == Asks::Same && other.asks == Asks::Equal;
        if self.operands == other.operands && is_as_strict {
            return true;
        }
        let (Some(own), Some(its)) = (self.operands.first(), other.operands.first()) else { return false };
        let is_equal = matches!(self.asks, Asks::Equal | Asks::Same);
        let either_is = |what: &str| self.operands.iter().any(|operand| operand == what);
        match other.asks {
            // Whoever asks for a part of a thing fails if there is none.
            Asks::NotNull => {
                is_plain(its) && self.operands.iter().any(|operand| is_part_of(operand, its))
                    || is_equal
                        && either_is(its)
                        && self.operands.iter().any(|operand| is_literal(operand) && !is_nothing(operand))
                    || matches!(self.asks, Asks::True | Asks::Contains | Asks::Size) && own == its
            }
            // A thing that has parts is not nothing.
            Asks::True => is_plain(its) && self.operands.iter().any(|operand| is_part_of(operand, its)),
            // That it is empty says the value of an empty list.
            Asks::Equal => {
                self.asks == Asks::Empty && own == its && other.operands.get(1).is_some_and(|value| is_empty(value))
            }
            // A list that is written out has its size.
            Asks::Size => {
                is_equal && own == its && self.operands.get(1).is_some_and(|value| value.starts_with(['[', '{']))
            }
            Asks::Empty => is_equal && own == its && self.operands.get(1).is_some_and(|value| is_empty(value)),
            Asks::Contains => {
                let part = other.operands.get(1).map(|part| part.trim_matches(['"', '\'']));
                let whole = self.operands.get(1).filter(|whole| is_string(whole));
                is_equal
                    && own == its
                    && whole.zip(part).is_some_and(|(whole, part)| !part.is_empty() && whole.contains(part))
            }
            _ => false,
        }
    }
}

/// The thing whose size this is.
fn measured(operand: &str) -> Option<String> {
    const ENDS: &[&str] =
        &[".length", ".size()", ".len()", ".length()", ".Length", ".Count", ".size", ".Count()", ".count"];
    let inner = operand.strip_prefix("len(").or_else(|| operand.strip_prefix("count("));
    if let Some(inner) = inner
        .and_then(|rest| rest.strip_suffix(')'))
        .filter(|inner| is_balanced(&tokens(inner)) && !inner.contains(','))
    {
        return Some(inner.to_owned());
    }
    ENDS.iter().find_map(|end| operand.strip_suffix(end)).filter(|whole| !whole.is_empty()).map(str::to_owned)
}

fn is_nothing(operand: &str) -> bool {
    ["null", "nil", "None", "nullptr", "NULL", "undefined"].contains(&operand)
}

fn is_empty(value: &str) -> bool {
    ["[]", "{}", "\"\"", "''", "()", "List.of()", "Set.of()", "Map.of()", "emptyList()", "array()", "vec![]"]
        .contains(&value)
        || ["Collections.empty", "Array.Empty", "Enumerable.Empty"].iter().any(|start| value.starts_with(start))
            && value.ends_with("()")
}

/// Whether an operand is a value that is written out.
fn is_literal(operand: &str) -> bool {
    let rest = operand.strip_prefix('-').unwrap_or(operand);
    is_number(rest)
        || operand.starts_with(['"', '\'', '`', '[', '{'])
        || is_nothing(operand)
        || ["true", "false", "True", "False"].contains(&operand)
        || is_empty(operand)
}

/// Whether an operand is a name alone.
fn is_plain(operand: &str) -> bool {
    let name = operand.strip_prefix('$').unwrap_or(operand);
    is_word(name) && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') && !is_literal(operand)
}

/// Whether an operand asks a thing for a part of it: `order.total`, `$order->total`, `order[0]`.
fn is_part_of(operand: &str, whole: &str) -> bool {
    let rest = operand.strip_prefix(whole);
    rest.is_some_and(|rest| [".", "->", "["].iter().any(|sign| rest.starts_with(sign)))
}

/// Tokens as text without space, in which all strings have the same quotes and a number says no type.
fn text(said: &[&str]) -> String {
    let mut all = String::new();
    for (at, token) in said.iter().enumerate() {
        if *token == "," && said.get(at + 1).is_some_and(|next| [")", "]", "}"].contains(next)) {
            continue;
        }
        let number = is_number(token).then(|| token.trim_end_matches(['L', 'l', 'u', 'U']));
        let plain = number.filter(|number| number.contains('_')).map(|number| number.replace('_', ""));
        let token = plain.as_deref().or(number).unwrap_or(token);
        let inner = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).filter(|inner| inner.len() != 1);
        if let Some(inner) = inner.filter(|inner| !inner.contains(['"', '\\'])) {
            all.extend(["\"", inner, "\""]);
        } else {
            // Two words keep the space between them.
            if all.ends_with(|c: char| c.is_alphanumeric() || c == '_') && (is_word(token) || is_number(token)) {
                all.push(' ');
            }
            all.push_str(token);
        }
    }
    all
}

fn depth_after(depth: usize, token: &str) -> usize {
    match token {
        "(" | "[" | "{" => depth + 1,
        ")" | "]" | "}" => depth.saturating_sub(1),
        _ => depth,
    }
}

/// What stands in the parenthesis that begins here.
fn inside<'t, 's>(said: &'t [&'s str]) -> Option<&'t [&'s str]> {
    let mut depth = 0;
    for (at, token) in said.iter().enumerate() {
        depth = depth_after(depth, token);
        if depth == 0 {
            return said.get(1..at).filter(|_| at > 0 && said.first() == Some(&"("));
        }
    }
    None
}

fn is_balanced(said: &[&str]) -> bool {
    let mut depth = 0_usize;
    for token in said {
        if [")", "]", "}"].contains(token) && depth == 0 {
            return false;
        }
        depth = depth_after(depth, token);
    }
    depth == 0
}

/// Arguments between their commas.
fn arguments<'t, 's>(said: &'t [&'s str]) -> Vec<&'t [&'s str]> {
    let (mut all, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, token) in said.iter().enumerate() {
        depth = depth_after(depth, token);
        if *token == "," && depth == 0 {
            all.extend(said.get(start..at));
            start = at + 1;
        }
    }
    all.extend(said.get(start..).filter(|last| !last.is_empty()));
    all
}

#[cfg(test)]
mod tests;

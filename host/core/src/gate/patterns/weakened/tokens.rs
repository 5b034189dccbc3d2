//! A line of any language as words, numbers, strings and signs, and how two lines differ.

use std::collections::BTreeSet;

/// Signs of two or three letters that are one token.
const SIGNS: [&str; 16] =
    ["===", "!==", "==", "!=", "<=", ">=", "&&", "||", "->", "=>", "::", "|>", ":=", "~=", "=~", "<|"];

/// Longest line, in tokens, that is compared.
const MOST: usize = 200;

/// The tokens of a line. A string is one token, with its quotes.
pub(super) fn tokens(line: &str) -> Vec<&str> {
    let (mut found, mut at) = (Vec::new(), 0);
    let mut unclosed = Vec::new();
    while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
        let length = length(rest, line.get(..at).unwrap_or_default(), &mut unclosed);
        found.extend(rest.get(..length).filter(|token| !token.trim().is_empty()));
        at += length;
    }
    found
}

/// The length of the first token. A quote that nothing closes is closed nowhere behind it either, since all that follow are
/// escaped: `unclosed` has those that are known, so that each is looked for once.
fn length(rest: &str, before: &str, unclosed: &mut Vec<char>) -> usize {
    let Some(first) = rest.chars().next() else { return 0 };
    if first.is_ascii_digit() {
        let is_inside = |(at, c): &(usize, char)| {
            let next = || rest.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let is_sign = ['-', '+'].contains(c) && rest.get(..*at).is_some_and(|before| before.ends_with(['e', 'E']));
            is_of_word(*c) || (*c == '.' || is_sign) && next()
        };
        return rest.char_indices().find(|place| !is_inside(place)).map_or(rest.len(), |(at, _)| at);
    }
    if is_of_word(first) {
        return rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
    }
    let in_word = before.ends_with(is_of_word);
    // In OCaml, a backquote begins a variant.
    let is_variant = first == '`' && before.ends_with(' ') && rest.chars().nth(1).is_some_and(char::is_uppercase);
    // In Haskell, it stands around a function between its arguments.
    let is_infix = first == '`' && rest.get(1..).is_some_and(|name| name.starts_with("should"));
    let is_sign = first == '\'' && in_word || is_variant || is_infix;
    if ['"', '\'', '`'].contains(&first) && !is_sign && !unclosed.contains(&first) {
        let mut is_escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            if c == first && !is_escaped {
                return at + c.len_utf8();
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        unclosed.push(first);
    }
    SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len())
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
}

pub(super) fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn is_string(token: &str) -> bool {
    token.len() > 1 && token.starts_with(['"', '\'', '`'])
}

pub(super) fn is_value(token: &str) -> bool {
    is_number(token) || is_string(token)
}

/// The words of a name in lower case: `toBeNull`, `to_be_null` and `TO_BE_NULL` have three.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    any_part(name, |part| {
        parts.push(part.to_owned());
        false
    });
    parts
}

/// Whether this holds for one of the words of a name, which are asked for one after the other.
pub(super) fn any_part(name: &str, mut holds: impl FnMut(&str) -> bool) -> bool {
    let mut part = String::with_capacity(name.len());
    let (mut was_lower, mut rest) = (false, name.chars().peekable());
    while let Some(c) = rest.next() {
        let begins = c.is_uppercase() && (was_lower || rest.peek().is_some_and(|next| next.is_lowercase()));
        if (c == '_' || c == '$' || begins) && !part.is_empty() {
            if holds(&part) {
                return true;
            }
            part.clear();
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    !part.is_empty() && holds(&part)
}

/// Whether a token says something: a word, a number or a text.
pub(super) fn says(token: &str) -> bool {
    is_word(token) || is_number(token) || is_string(token)
}

/// The words of all names among tokens.
pub(super) fn words_of<'a>(tokens: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    tokens.filter(|token| is_word(token)).flat_map(parts).collect()
}

/// What one line has and the other has not, by place; `None` if the lines are too long.
pub(super) fn difference(old: &[&str], new: &[&str]) -> Option<(Vec<usize>, Vec<usize>)> {
    if old.len() > MOST || new.len() > MOST {
        return None;
    }
    let width = new.len() + 1;
    let mut longest = vec![0_u16; (old.len() + 1) * width];
    let at = |i: usize, j: usize| i * width + j;
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let value = if old.get(i) == new.get(j) {
                longest.get(at(i + 1, j + 1)).map_or(1, |rest| rest + 1)
            } else {
                longest.get(at(i + 1, j)).copied().max(longest.get(at(i, j + 1)).copied()).unwrap_or(0)
            };
            longest.get_mut(at(i, j)).into_iter().for_each(|place| *place = value);
        }
    }
    let (mut i, mut j, mut gone, mut come) = (0, 0, Vec::new(), Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old.get(i) == new.get(j) {
            (i, j) = (i + 1, j + 1);
        } else if j >= new.len() || i < old.len() && longest.get(at(i + 1, j)) >= longest.get(at(i, j + 1)) {
            gone.push(i);
            i += 1;
        } else {
            come.push(j);
            j += 1;
        }
    }
    Some((gone, come))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_into_words_strings_and_signs() {
        assert_eq!(tokens(r#"a.b("c d", 'e') === 10"#), ["a", ".", "b", "(", "\"c d\"", ",", "'e'", ")", "===", "10"]);
        assert_eq!(tokens("l' = f l"), ["l", "'", "=", "f", "l"]);
        assert_eq!(tokens("\"open"), ["\"", "open"]);
        assert_eq!(tokens("a `shouldBe` 1"), ["a", "`", "shouldBe", "`", "1"]);
        assert_eq!(tokens("f(1.5, 1e-9, 0..3)"), ["f", "(", "1.5", ",", "1e-9", ",", "0", ".", ".", "3", ")"]);
        assert_eq!(parts("toBeNull"), ["to", "be", "null"]);
        assert_eq!(parts("XCTAssertTrue"), ["xct", "assert", "true"]);
        assert_eq!(parts("TEST_ASSERT_EQUAL_UINT8"), ["test", "assert", "equal", "uint8"]);
    }

    #[test]
    fn lines_differ_by_what_is_gone_and_what_has_come() {
        let differ = |old: &str, new: &str| difference(&tokens(old), &tokens(new)).unwrap();
        assert_eq!(differ("a == 1", "a >= 0"), (vec![1, 2], vec![1, 2]));
        assert_eq!(differ("f(a)", "f(a, b)"), (vec![], vec![3, 4]));
        assert_eq!(differ("f(a, b)", "f(a)"), (vec![3, 4], vec![]));
        assert_eq!(differ("a", "a"), (vec![], vec![]));
    }
}

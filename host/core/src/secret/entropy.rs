//! Estimates how random a value is.

/// Shannon entropy in bits per byte, 0 to 8, as gitleaks computes it.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count = count.saturating_add(1);
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total);
    shares.map(|share| -share * share.log2()).sum()
}

/// Shortest run of letters and digits that can be a key by itself.
const SHORTEST_RUN: usize = 10;

/// Whether a value is random enough to be a key or a password. A key has a run in which letters and digits alternate,
/// unlike words followed by a number. A password has letters, digits and a special character.
pub(super) fn looks_random(value: &str) -> bool {
    let has_special = value.bytes().any(|byte| b"!@#$%^&*~?".contains(&byte));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let password = has_special && digits >= 1 && letters >= 2;
    password
        || is_uuid(value)
        || has_groups(value)
        || value
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|run| random_run(run) || is_spread(run) || is_unspoken(run))
        || joined_run(value)
}

/// Whether more different characters than words have are in one run of letters and digits. An alphabet is none.
fn is_spread(run: &str) -> bool {
    const SHORTEST: usize = 20;
    const ALPHABET: usize = 36;
    let mut seen = [false; 128];
    run.bytes().for_each(|byte| seen[usize::from(byte.to_ascii_lowercase() & 0x7f)] = true);
    let letters = run.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let is_alphabet = seen.iter().filter(|is_seen| **is_seen).count() >= ALPHABET;
    run.len() >= SHORTEST && letters && digits >= 2 && !is_alphabet && entropy(run.as_bytes()) >= 4.3
}

/// Whether the letters of a run have fewer vowels than words have, and change case more often than names do, or never.
fn is_unspoken(run: &str) -> bool {
    const SHORTEST: usize = 16;
    const SHORTEST_OF_ONE_CASE: usize = 20;
    let letters: String = run.chars().filter(char::is_ascii_alphabetic).collect();
    if letters.len() < SHORTEST || !run.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let vowels = letters.bytes().filter(|byte| b"aeiou".contains(&byte.to_ascii_lowercase())).count();
    let in_order = run.as_bytes().windows(2).filter(|pair| matches!(pair, [a, b] if a + 1 == *b)).count();
    let cases = match switches(&letters) {
        0 => letters.len() >= SHORTEST_OF_ONE_CASE && entropy(letters.as_bytes()) >= 3.3,
        often => often * 3 >= letters.len(),
    };
    cases && vowels * 5 <= letters.len() && in_order * 2 < run.len()
}

/// Whether letters of both cases and digits alternate if the signs of base64url between them are left out. Words with
/// versions do so too: in one of the parts a digit must come before a letter.
fn joined_run(value: &str) -> bool {
    const SHORTEST: usize = 16;
    let is_sign = |byte: &u8| matches!(byte, b'_' | b'-' | b'+');
    let bytes = value.as_bytes();
    if bytes.len() < SHORTEST || !bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte)) {
        return false;
    }
    let run: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let count = |is: fn(&u8) -> bool| run.bytes().filter(is).count();
    let digit_first = |part: &str| {
        let digit = part.bytes().position(|byte| byte.is_ascii_digit());
        digit.is_some_and(|digit| part.bytes().skip(digit).any(|byte| byte.is_ascii_alphabetic()))
    };
    let parts = value.split(['_', '-', '+']).filter(|part| digit_first(part)).count();
    count(u8::is_ascii_lowercase) >= 2
        && count(u8::is_ascii_uppercase) >= 2
        && count(u8::is_ascii_digit) >= 3
        && parts >= 1
        && run.len() >= SHORTEST - 3
        && switches(&run) * 2 >= run.len()
        && entropy(run.as_bytes()) >= 3.3
}

/// Whether a value is a UUID that could have been drawn.
fn is_uuid(value: &str) -> bool {
    let groups = value.split('-').map(str::len);
    let is_hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    groups.eq([8, 4, 4, 4, 12]) && value.bytes().all(is_hex) && entropy(value.as_bytes()) >= 2.7
}

/// Whether groups of hexadecimal digits make up most of a UUID, whatever its other groups are, or groups of capitals and
/// digits a license key. In each of them letters and digits meet, which neither dates nor words do.
fn has_groups(value: &str) -> bool {
    let is_group = |group: &&str| {
        let letters = group.bytes().filter(u8::is_ascii_alphabetic).count();
        let is_hex = group.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_capital = group.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        group.len() >= 4 && (is_hex || is_capital) && (1..group.len()).contains(&letters)
    };
    let groups: Vec<&str> = value.split('-').filter(is_group).collect();
    value.len() >= 24 && groups.len() >= 3 && entropy(value.as_bytes()) >= 3.3
}

/// Whether a value is more than a name followed by a number: it has letters, and a special character or a digit before
/// its last letter.
pub(super) fn is_mixed(value: &str) -> bool {
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let special = name.bytes().any(|byte| b"!@#$%^&*~+".contains(&byte));
    let words = name.split(['_', '-', '.', '/']).all(|word| word.len() < 2 || is_versioned_word(word));
    let plain = name.contains(['_', '-', '.', '/']) && words;
    letters && !plain && (special || name.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether a value has at least three of lower case, upper case, digits and signs, and changes between them in every
/// other place. Names in camel case with a number change less often.
pub(super) fn is_strong(value: &str) -> bool {
    let kinds: Vec<usize> = value.bytes().map(kind_of).collect();
    let changes = kinds.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    let has = |kind: usize| kinds.contains(&kind);
    let several = [0, 1, 2, 3].into_iter().filter(|kind| has(*kind)).count() >= 3;
    several && has(2) && changes * 2 >= kinds.len() && entropy(value.as_bytes()) >= 2.5
}

/// Digit, upper case, lower case or sign.
fn kind_of(byte: u8) -> usize {
    match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'=' | b'~' | b'?' | b'@' | b'\\' => 3,
        _ => 2,
    }
}

/// Whether a word has only letters, with at most a number at the end: `v2`, `utf8`, `alpha`.
fn is_versioned_word(word: &str) -> bool {
    word.trim_end_matches(|c: char| c.is_ascii_digit()).bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn random_run(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let often = switches(run) * if digits > 1 { 6 } else { 3 } >= run.len();
    run.len() >= SHORTEST_RUN && (often || is_long_number(run, digits)) && mixed(run) && entropy(run.as_bytes()) >= 2.7
}

/// Whether a run is as long as a key and has at least as many digits as a key of its length would: no word does.
fn is_long_number(run: &str, digits: usize) -> bool {
    const LONG: usize = 20;
    run.len() >= LONG && digits * 5 >= run.len()
}

/// Whether a run has letters with digits, or switches between upper and lower case too often for a name.
fn mixed(run: &str) -> bool {
    let letters = run.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = run.bytes().any(|byte| byte.is_ascii_digit());
    letters && (digits || switches(run) * 2 >= run.len())
}

/// How often the kind of character changes: lower case, upper case, digit.
fn switches(run: &str) -> usize {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => 0u8,
        b'A'..=b'Z' => 1,
        _ => 2,
    };
    let bytes = run.as_bytes();
    bytes.windows(2).filter(|pair| matches!(pair, [a, b] if kind(*a) != kind(*b))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_look_random_and_names_do_not() {
        for key in [
            "q8Zr2LmX0vTn4KwY",
            "abcd1234efgh5678",
            "aBcDeFgHiJkLmNoPqRs",
            "9f86d081884c7d659a2f",
            "xK9#mP2$vL5nQ8",
            "fedcbafedcba0987654321fedcba",
            "a1c2e3b4-d5f6-7891-abcd-ef1234567891",
            "23d968ff-10b9-4e6f-a33a-quietriver01",
            "QnTzVmKqWDsiaNRkwHcy",
            "zmgwsqnbbsdfxnmdzypj",
            "zmigewsqnbbsdf59xnmduzypjc",
            "A1B2C-D3E4F-G5H6J-K7L8M-N9P0Q",
        ] {
            assert!(looks_random(key), "{key}");
        }
        let names =
            ["cache-2024-01-01", "cl100k_base_2024_v1", "userAccessTokenName", "12345678901234", "a-plain-name"];
        for name in names.into_iter().chain([
            "x",
            "",
            "release-2024-01-01-of-cafe-1f2e",
            "MAX_TOKENS_2024",
            "getUserPassword2",
            "correct horse",
            "getHTMLStringBytes",
            "abstractfactorybeanprovider",
            "XMLHttpRequestTransport",
            "SpApplyControlTokenFn",
            "abcdefghijklmnopqrst",
        ]) {
            assert!(!looks_random(name), "{name}");
        }
    }

    #[test]
    fn entropy_is_that_of_shannon() {
        assert!(entropy(b"aaaa").abs() < 1e-9 && (entropy(b"abcd") - 2.0).abs() < 1e-9);
        assert!(entropy(b"").abs() < 1e-9);
    }
}

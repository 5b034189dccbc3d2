//! Signals as words, for the search: the whole signal in lower case, and each word in it. `TimeoutError` is found as
//! `timeouterror`, `timeout` and `error`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Most words of one asset.
const MAX_TERMS: usize = 32;
/// Most characters of a word that are kept.
const MAX_CHARS: usize = 64;
/// Fewest characters of a word within a signal.
const MIN_CHARS: usize = 3;

/// The words of the signals that an asset reacts to.
pub(crate) fn of_asset(document: &Map<String, Value>) -> Vec<String> {
    let lists = ["signals_match", "trigger"].into_iter().filter_map(|member| document.get(member)?.as_array());
    let signals = lists.flatten().filter_map(Value::as_str);
    let mut terms = BTreeSet::new();
    for signal in signals {
        for term in of_signal(signal) {
            if terms.len() < MAX_TERMS {
                terms.insert(term);
            }
        }
    }
    terms.into_iter().collect()
}

/// The whole signal first, then its words in their order.
pub(crate) fn of_signal(signal: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let term: String = text.to_lowercase().chars().take(MAX_CHARS).collect();
        if term.chars().count() >= MIN_CHARS && terms.len() < MAX_TERMS && !terms.contains(&term) {
            terms.push(term);
        }
    };
    add(signal.trim());
    let mut word = String::new();
    let mut before = ' ';
    for letter in signal.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if !letter.is_alphanumeric() || begins {
            add(&word);
            word.clear();
        }
        if letter.is_alphanumeric() {
            word.push(letter);
        }
        before = letter;
    }
    add(&word);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_found_as_a_whole_and_by_its_words() {
        assert_eq!(of_signal("TimeoutError"), ["timeouterror", "timeout", "error"]);
        assert_eq!(of_signal("log_error"), ["log_error", "log", "error"]);
        assert_eq!(of_signal(" ECONNREFUSED "), ["econnrefused"]);
        assert_eq!(of_signal("ab"), Vec::<String>::new());
        assert_eq!(of_signal("超时错误"), ["超时错误"]);
        assert_eq!(of_signal(&"x".repeat(1000))[0].len(), MAX_CHARS);
    }

    #[test]
    fn an_asset_has_a_bounded_number_of_words() {
        let signals: Vec<_> = (0..1000).map(|n| format!("signal{n}")).collect();
        let document = serde_json::json!({"trigger": signals, "signals_match": "no list"});
        assert_eq!(of_asset(document.as_object().expect("an object")).len(), MAX_TERMS);
    }
}

use proptest::prelude::*;

use super::escape::escape_at;
use super::terminal::sequence_at;
use super::*;

fn plain(text: &str) -> String {
    if Survey::of(text).terminal { Plain::of(text).text } else { text.to_owned() }
}

#[test]
fn sequences_are_left_out_however_they_are_spelled() {
    for intro in
        ["\u{1b}", "\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "\\e", "\\u{1b}", "\\x{1b}", "\\\\u001b", "%1B"]
    {
        for sequence in ["[31m", "[0m", "[m", "[1;31m", "[38;5;196m", "[38:2::255:0:0m", "[K", "[2J", "[12;1H", "[?25l"]
        {
            assert_eq!(plain(&format!("a{intro}{sequence}b")), "ab", "{intro}{sequence}");
        }
        assert_eq!(plain(&format!("{intro}]0;a title\u{7}b")), "b", "{intro}");
        assert_eq!(plain(&format!("{intro}]8;;https://host/{intro}\\a link{intro}]8;;{intro}\\")), "a link", "{intro}");
    }
    assert_eq!(plain("\u{9b}31ma\\u009b0m\u{1b}(Bb\u{1b}7c\u{1b}"), "abc");
    assert_eq!(plain("\u{1b}P1;2q#0\u{1b}\\a"), "a");
}

#[test]
fn code_that_handles_sequences_stays() {
    for code in [
        r#"print("\x1b[{}m")"#,
        r#""\033[%dm""#,
        r#"if byte == '\x1b' {"#,
        r#"ESC = "\u001b""#,
        r#"re.compile(r"\x1b\[[0-9;]*m")"#,
        r#""\x1b[" + code + "m""#,
        "echo -e \"\\e[${c}m\"",
        "100%1Bx",
        "C:\\e\\x1\\u00",
        "a\\\\\\b",
        "50%",
        "%",
        "\\",
    ] {
        assert_eq!(plain(code), code);
    }
}

#[test]
fn an_unfinished_title_hides_nothing() {
    assert_eq!(plain("\u{1b}]0;title\nnext"), ";title\nnext");
    assert_eq!(plain("\u{1b}[31"), "[31");
}

/// Pieces of which hostile texts are made.
fn pieces() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "\u{1b}",
        "\u{9b}",
        "[",
        "]",
        "m",
        "31",
        ";",
        "\\",
        "\\\\",
        "u001b",
        "x1b",
        "033",
        "\\e",
        "%1B",
        "%25",
        "%",
        "\u{7}",
        "0;",
        "\n",
        "a",
        "ä",
        "K",
        "[REDACTED:",
        "{1b}",
        "\\u00",
        "1b[",
        "\\x1b[",
        "b[0m",
    ]);
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn leaving_out_twice_changes_nothing(text in pieces()) {
        let once = plain(&text);
        prop_assert_eq!(plain(&once), once.as_str());
        let bytes_left = once.contains(['\u{1b}', '\u{9b}']);
        prop_assert!(!bytes_left);
        let bytes = once.as_bytes();
        prop_assert!((0..bytes.len()).all(|at| at > 0 && bytes[at - 1] == b'\\' || sequence_at(bytes, at).is_none()), "{:?}", once);
    }

    #[test]
    fn places_of_the_plain_text_are_those_of_the_text(text in pieces()) {
        let plain = Plain::of(&text);
        for (at, byte) in plain.text.bytes().enumerate() {
            let origin = plain.origin(at);
            prop_assert_eq!(text.as_bytes().get(origin), Some(&byte), "{} of {:?}", at, text);
            prop_assert_eq!(plain.place(origin), at);
        }
    }

    #[test]
    fn a_view_shows_what_the_text_spells(text in pieces()) {
        for view in views(&text, &Survey::of(&text)) {
            for (at, shown) in view.text.char_indices() {
                let origin = view.origin(&(at..at + shown.len_utf8()));
                prop_assert!(text.is_char_boundary(origin.start) && text.is_char_boundary(origin.end));
                let spelled = &text[origin.clone()];
                let same = spelled.starts_with(shown) || escape_at(text.as_bytes(), origin.start).is_some_and(|escape| escape.is == shown);
                prop_assert!(same || spelled.is_empty(), "{:?} of {:?}", shown, spelled);
            }
        }
    }
}

#[test]
fn a_text_without_escapes_has_no_view() {
    for text in [
        "",
        "def f(a):\n    return a % 2\n",
        r#"{"a":"one\ntwo \"three\"\t\\ 100%"}"#,
        "50 % 3, %s %d, C:\\Program Files",
    ] {
        let survey = Survey::of(text);
        assert!(survey.windows.is_empty() && !survey.terminal, "{text}");
    }
}

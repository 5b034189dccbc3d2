//! Tokens in every presentation in which logs and files show them, and ids in the same presentations.

use std::borrow::Cow;

use gephost_core::redact::{RedactStream, Redactor};
use gephost_core::secret::find_secrets;
use proptest::prelude::*;

/// Random-looking characters of an alphabet; the same for the same seed.
fn filling(alphabet: &str, length: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet.as_bytes()[(state >> 33) as usize % alphabet.len()])
    };
    (0..length).map(|_| next()).collect()
}

const B62: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX: &str = "0123456789abcdef";
const LOW: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UP: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// One token of each shape: what it begins with, cut in two, and its body.
fn tokens() -> Vec<String> {
    let shapes = [
        ("gh", "p_", B62, 36),
        ("gh", "s_", B62, 36),
        ("github", "_pat_", B62, 82),
        ("gl", "pat-", B62, 20),
        ("sk-", "ant-api03-", B62, 86),
        ("sk-", "proj-", B62, 48),
        ("AI", "za", B62, 35),
        ("AK", "IA", UP, 16),
        ("np", "m_", B62, 36),
        ("sk_", "live_", B62, 24),
        ("h", "f_", B62, 34),
        ("xo", "xb-", B62, 40),
        ("dop", "_v1_", HEX, 64),
        ("gs", "k_", B62, 52),
        ("xa", "i-", B62, 80),
        ("tv", "ly-", B62, 32),
        ("api", "fy_api_", B62, 36),
        ("na", "pi_", LOW, 64),
        ("hv", "s.", B62, 60),
        ("bk", "ua_", HEX, 40),
    ];
    let token = |(at, (one, two, alphabet, length)): (usize, (&str, &str, &str, usize))| {
        format!("{one}{two}{}", filling(alphabet, length, at as u64 + 7))
    };
    shapes.into_iter().enumerate().map(token).collect()
}

/// A text with each of its bytes spelled in some way.
fn spelled(text: &str, spell: &dyn Fn(u8) -> String) -> String {
    text.bytes().map(spell).collect()
}

/// Ways to write a text, each with its name.
fn presentations(text: &str) -> Vec<(String, String)> {
    let half = text.len() / 2;
    let (head, tail) = text.split_at(half);
    let (start, rest) = text.split_at(3);
    let mut ways: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, text: String| ways.push((name.to_owned(), text));
    add("plain", text.to_owned());
    for quote in ["\"", "'", "`", "\\\"", "\\\\\\\""] {
        add("quoted", format!("x = {quote}{text}{quote}"));
    }
    for before in [
        "KEY_",
        "MY_API_KEY_",
        "KEY=",
        "key: ",
        "key:",
        "<b>",
        "a>",
        "=",
        "(",
        "[",
        "{",
        ",",
        "|",
        "@",
        "/",
        "-",
        "%3D",
        "%22",
        "\\n",
        "\\\\n",
        "\\t",
        "\\u2014",
        "—",
        "\\u003d",
        "&quot;",
        "[31m",
        "word\u{1b}[2J",
        "word\\u001b[1m",
        "word\u{9b}1m",
    ] {
        add(&format!("after {before}"), format!("{before}{text}"));
    }
    for escape in [
        "\u{1b}",
        "\\u001b",
        "\\u001B",
        "\\x1b",
        "\\x1B",
        "\\033",
        "\\e",
        "\\\\u001b",
        "\\\\x1b",
        "\\\\033",
        "%1B",
        "%1b",
    ] {
        add(&format!("coloured by {escape:?}"), format!("{escape}[31m{text}{escape}[0m"));
        add(
            &format!("coloured twice by {escape:?}"),
            format!("{escape}[1m{escape}[38;5;196m{text}{escape}[0m and more"),
        );
        add(&format!("cut by {escape:?}"), format!("{head}{escape}[0m{tail}"));
        add(
            &format!("found by grep with {escape:?}"),
            format!("{escape}[01;31m{escape}[K{start}{escape}[m{escape}[K{rest}"),
        );
        add(&format!("after a title by {escape:?}"), format!("{escape}]0;title\u{7}{text}"));
    }
    add("with C1", format!("\u{9b}31m{text}\u{9b}0m"));
    let each = |spell: &dyn Fn(u8) -> String| spelled(text, spell);
    add(
        "percent-encoded signs",
        each(&|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }),
    );
    add("percent-encoded", each(&|byte| format!("%{byte:02x}")));
    add("percent-encoded twice", each(&|byte| format!("%25{byte:02X}")));
    add("in a query", format!("https://host/?q=%22{text}%22&next=%2F"));
    add("escaped in JSON", each(&|byte| format!("\\u{byte:04x}")));
    add("escaped in JSON twice", each(&|byte| format!("\\\\u{byte:04x}")));
    add("by \\x", each(&|byte| format!("\\x{byte:02x}")));
    add("in octal", each(&|byte| format!("\\{byte:03o}")));
    add("first letter escaped", format!("\\u{:04x}{}", text.as_bytes()[0], &text[1..]));
    let json = serde_json::json!({ "out": format!("one\n{text}\ttwo \"{text}\"") }).to_string();
    let twice = serde_json::json!({ "content": json }).to_string();
    add("in JSON", json.clone());
    add("in JSON in JSON", twice.clone());
    add("in JSON three times", serde_json::json!({ "content": twice }).to_string());
    add("coloured in JSON", serde_json::json!({ "out": format!("\u{1b}[32m+\u{1b}[m{text}") }).to_string());
    ways
}

/// Whether a text shows eight letters of a token's body in a row, plainly or by an escape.
fn shows(text: &str, token: &str) -> bool {
    let spelled = [
        token.to_owned(),
        spelled(token, &|byte| format!("%{byte:02x}")),
        spelled(token, &|byte| format!("\\u{byte:04x}")),
        spelled(token, &|byte| format!("\\x{byte:02x}")),
        spelled(token, &|byte| format!("\\{byte:03o}")),
    ];
    spelled.iter().any(|token| {
        let piece = 8 * token.len() / token.len().clamp(1, 200);
        let from = token.len() / 3;
        [&token[from..from + piece.min(16)], &token[token.len() - piece.min(16)..]]
            .iter()
            .any(|part| text.contains(*part))
    })
}

#[test]
fn every_shape_is_found_in_every_presentation() {
    let mut missed = Vec::new();
    for token in tokens() {
        for (way, text) in presentations(&token) {
            for text in [text.clone(), format!("some words\nbefore {text} after it\nand more")] {
                let clean = Redactor::default().redact(&text).into_owned();
                if shows(&clean, &token) || clean.contains('\u{1b}') || clean.contains('\u{9b}') {
                    missed.push(format!("{way}: {}… became {clean:?}", &token[..6]));
                }
                if find_secrets(&text).is_empty() {
                    missed.push(format!("{way}: the scan does not find {}…", &token[..6]));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn ids_stay_in_every_presentation() {
    let ids = [
        filling(HEX, 40, 1),
        filling(HEX, 64, 2),
        filling(HEX, 32, 3),
        format!("sha256:{}", filling(HEX, 64, 4)),
        "0190f5d2-7c4e-7b1a-9c3d-5e2f8a6b4c1d".to_owned(),
        "toolu_01AbCdEfGhIjKlMnOpQrStUv".to_owned(),
        "call_chUyOv8otGHGfpD3ecjuDGNc".to_owned(),
        "msg_013Zva2CMHLNnXjNJJKqJ2EF".to_owned(),
        "run-20240131-9f86d081".to_owned(),
        "host/core/src/secret/mod.rs:12:5".to_owned(),
        "v1.24.0-rc.3+build.20240131".to_owned(),
        "2024-01-31T12:00:00.000Z".to_owned(),
    ];
    let mut hidden = Vec::new();
    for id in ids {
        for (way, text) in presentations(&id) {
            let clean = Redactor::default().redact(&text).into_owned();
            if clean.contains("[REDACTED") {
                hidden.push(format!("{way}: {text:?} became {clean:?}"));
            }
        }
    }
    assert!(hidden.is_empty(), "{} hidden:\n{}", hidden.len(), hidden.join("\n"));
}

/// What the manuals of vendors print, in parts.
#[test]
fn documented_examples_are_no_secrets() {
    for parts in [
        ["aws_access_key_id = AKIA", "IOSFODNN7EXAMPLE"],
        ["AKIA", "I44QH8DHBEXAMPLE"],
        ["aws_secret_access_key = wJalrXUtnFEMI/K7MD", "ENG/bPxRfiCYEXAMPLEKEY"],
        ["AWS_SECRET_ACCESS_KEY=je7MtGbClwBF/2Zp9Utk/", "h3yCo8nvbEXAMPLEKEY"],
        ["sk_test_4eC39HqLyj", "WDarjtT1zdp7dc"],
        ["sk_test_BQokikJOvB", "iI2HlWgH4olfQ2"],
        ["AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFs", "uFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="],
        ["AccountKey=C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DEk2n", "Q9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="],
        ["xoxb-17653672481-19874698323-", "pdFZKVeTuE8sk7oOcHrzqqgy"],
        ["https://hooks.slack.com/services/T00000000/B00000000/", "XXXXXXXXXXXXXXXXXXXXXXXX"],
        ["api_key = \"123e4567-e89b-", "12d3-a456-426614174000\""],
        ["mysql://user:", "password@localhost/db"],
        ["ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
    ] {
        let text = parts.concat();
        assert!(find_secrets(&text).is_empty(), "{text}: {:?}", find_secrets(&text));
    }
}

/// Such a part does not let a key off that has more around it.
#[test]
fn a_documented_part_hides_no_key() {
    let token = format!("{}{}{}", concat!("gh", "p_"), filling(B62, 36, 9), concat!("EXA", "MPLE"));
    assert!(!find_secrets(&token).is_empty());
    let part = ["4eC39HqLyj", "WDarjtT1zdp7dc"].concat();
    assert!(!find_secrets(&format!("sk_{}{}{part}", "live_", filling(B62, 40, 10))).is_empty());
}

#[test]
fn redactions_say_where_they_are_in_the_text() {
    let token = &tokens()[0];
    let text = format!("\u{1b}[31ma\u{1b}[0m {token} \u{1b}[32mb {token}");
    let (clean, listed) = Redactor::default().redact_listed(&text);
    assert_eq!(clean, "a [REDACTED:github_token:1] b [REDACTED:github_token:1]");
    let places: Vec<usize> = text.match_indices(token.as_str()).map(|(at, _)| at).collect();
    assert_eq!(listed.iter().map(|redaction| redaction.at).collect::<Vec<_>>(), places);
}

#[test]
fn a_stream_gives_what_the_whole_text_gives() {
    let token = &tokens()[0];
    let mut text = String::new();
    for line in 0..40_000 {
        let (head, tail) = token.split_at(9);
        text.push_str(&format!(
            "\u{1b}[3{}m{line}\u{1b}[0m key={head}\u{1b}[0m{tail}%20\\u001b[1mx\\u001b[0m\n",
            line % 8
        ));
    }
    let whole = Redactor::default().redact(&text).into_owned();
    assert!(!whole.contains('\u{1b}') && !shows(&whole, token));
    for piece in [4093, 1 << 20] {
        let (mut stream, mut clean) = (RedactStream::default(), String::new());
        text.as_bytes().chunks(piece).for_each(|bytes| stream.push(bytes, &mut clean));
        stream.finish(&mut clean);
        assert!(clean == whole, "pieces of {piece}");
    }
}

/// Pieces of texts that a hostile or careless writer puts together.
fn text() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = [
        "\u{1b}",
        "\u{1b}[31m",
        "\\u001b[0m",
        "\\x1b",
        "\\033[1;32m",
        "[",
        "]0;",
        "\u{7}",
        "m",
        "%1B",
        "%5F",
        "%",
        "\\",
        "\\\"",
        "\"",
        "'",
        " ",
        "\n",
        "=",
        ":",
        "password",
        "token",
        "KEY_",
        "api_key",
        "://",
        "@",
        "[REDACTED:",
        ":1]",
        "1",
        "-p ",
        "mysql ",
        ";",
        "ä",
        "\u{9b}",
        "x",
        "hunter2!",
        "e1a08c5a7d15",
        "Bearer ",
        "eyJ",
        "Cookie: session",
    ]
    .map(str::to_owned)
    .to_vec();
    pieces.extend(tokens().into_iter().take(4));
    proptest::collection::vec(proptest::sample::select(pieces), 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn redacting_twice_changes_nothing_and_leaves_no_sequence(text in text()) {
        let mut redactor = Redactor::default();
        let once = redactor.redact(&text).into_owned();
        let left = once.contains(['\u{1b}', '\u{9b}']) || ["\\u001b[0m", "\\033[1;32m"].iter().any(|spelled| once.contains(spelled));
        prop_assert!(!left, "{:?} became {:?}", text, once);
        let twice = redactor.redact(&once);
        prop_assert_eq!(&twice, &Cow::Borrowed(once.as_str()), "{:?}", text);
    }
}

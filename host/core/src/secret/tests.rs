#![expect(clippy::disallowed_methods, reason = "a test measures how long scanning takes")]

use super::*;

fn secrets(text: &str) -> Vec<(&'static str, &str)> {
    find_secrets(text).into_iter().map(|secret| (secret.kind, &text[secret.range])).collect()
}

#[test]
fn every_bundled_rule_compiles_and_keeps_its_samples() {
    let mut wrong = Vec::new();
    for rule in &Ruleset::bundled().rules {
        let id = &rule.id;
        assert!(rule.compiles(), "{id}: an expression does not compile");
        assert!(!rule.samples.is_empty() && !rule.not.is_empty(), "{id}: samples of both kinds");
        for text in rule.samples.iter().map(|parts| parts.concat()) {
            if !secrets(&text).iter().any(|(kind, _)| kind == id) {
                wrong.push(format!("{id}: missed {text}: {:?}", secrets(&text)));
            }
        }
        for text in rule.not.iter().map(|parts| parts.concat()) {
            if !secrets(&text).is_empty() {
                wrong.push(format!("{id}: false alarm {:?} in {text}", secrets(&text)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} samples:\n{}", wrong.len(), wrong.join("\n"));
}

/// The bytes of a text, each spelled in some way.
fn spelled(text: &str, spell: impl Fn(u8) -> String) -> String {
    text.bytes().map(spell).collect()
}

/// A log shows a text in colours, as the difference of two files, in JSON, also in JSON within JSON, and by escapes.
#[test]
fn every_bundled_rule_sees_through_presentation() {
    let json = |text: &str| serde_json::json!({ "output": text }).to_string();
    let coloured = |text: &str, escape: &str| format!("{escape}[1m{escape}[32m{text}{escape}[0m");
    let difference = |text: &str| {
        let lines = text.split('\n').map(|line| format!("\u{1b}[32m+\u{1b}[m\u{1b}[32m{line}\u{1b}[m\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let mut wrong = Vec::new();
    for rule in &Ruleset::bundled().rules {
        let samples = rule.samples.iter().map(|parts| (parts.concat(), true));
        for (text, is_secret) in samples.chain(rule.not.iter().map(|parts| (parts.concat(), false))) {
            let mut ways = vec![
                ("coloured", coloured(&text, "\u{1b}")),
                ("coloured in JSON", json(&coloured(&text, "\u{1b}"))),
                ("difference", difference(&text)),
                ("JSON", json(&text)),
                ("coloured by \\x1b", coloured(&text, "\\x1b")),
                ("coloured by \\033", coloured(&text, "\\033")),
                ("coloured by \\u001b", coloured(&text, "\\u001b")),
            ];
            // What is an escape in the sample itself would be spelled once more, and mean itself.
            if text.is_ascii() && !text.contains(['\\', '%', '&']) {
                let sign = |byte: u8| {
                    if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
                };
                ways.extend([
                    ("percent-encoded", spelled(&text, sign)),
                    ("percent-encoded whole", spelled(&text, |byte| format!("%{byte:02x}"))),
                    ("by \\u", spelled(&text, |byte| format!("\\u{byte:04x}"))),
                    ("by \\x", spelled(&text, |byte| format!("\\x{byte:02x}"))),
                    ("in octal", spelled(&text, |byte| format!("\\{byte:03o}"))),
                    ("in HTML", text.replace('"', "&quot;").replace('\'', "&#39;")),
                    ("in HTML by numbers", spelled(&text, |byte| format!("&#{byte};"))),
                    ("in HTML by hexadecimal numbers", spelled(&text, |byte| format!("&#x{byte:X};"))),
                ]);
            }
            // A sample that is JSON in JSON itself would be so four times.
            if !text.contains("\\\"") {
                ways.push(("JSON in JSON", json(&json(&text))));
                ways.push(("coloured in JSON in JSON", json(&json(&coloured(&text, "\u{1b}")))));
            }
            for (way, shown) in ways {
                let found = find_secrets(&shown);
                if found.is_empty() == is_secret {
                    wrong.push(format!("{}, {way}: {shown:?}: {found:?}", rule.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Keeps the search cheap: only rules that rarely occur are searched in windows.
#[test]
fn bundled_rules_are_anchored_at_their_keywords() {
    let windowed: Vec<&str> = Ruleset::bundled()
        .rules
        .iter()
        .filter(|rule| !rule.form().is_some_and(|form| form.anchored_at_keyword))
        .map(|rule| rule.id.as_str())
        .collect();
    assert!(windowed.len() <= 16, "{windowed:?}");
}

#[test]
fn the_secret_is_the_value_alone() {
    let value = ["aB3dE5gH7", "jK9mN1p"].concat();
    assert_eq!(secrets(&format!("x\n  api_key = \"{value}\" # c")), [("api_key", &*value)]);
    assert_eq!(secrets(&format!("Authorization: Bearer {value}\n")), [("bearer", &*value)]);
    assert_eq!(secrets(&format!("https://u:{value}@h/")), [("url_password", &*value)]);
}

fn pem(label: &str, body: &str, end: bool) -> String {
    let dashes = "-".repeat(5);
    let tail = if end { format!("{dashes}END {label}{dashes}\nafter") } else { String::new() };
    format!("before\n{dashes}BEGIN {label}{dashes}\n{body}{tail}")
}

#[test]
fn private_key_blocks_of_every_kind() {
    let body = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5gH7j+/==\n".repeat(4);
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "] {
        let label = format!("{kind}PRIVATE KEY");
        for end in [true, false] {
            let text = pem(&label, &body, end);
            let found = find_secrets(&text);
            assert_eq!(found.len(), 1, "{label} {end}");
            assert_eq!(found[0].kind, "private_key");
            assert!(text[found[0].range.clone()].contains(body.trim()));
            assert_eq!(text[found[0].range.end..].contains("after"), end);
        }
        assert_eq!(find_secrets(&pem(&label, &body, true).replace('\n', "\\n")).len(), 1, "escaped line ends");
    }
    assert_eq!(secrets(&pem("PUBLIC KEY", &body, true)), []);
    assert_eq!(secrets(&pem("PRIVATE KEY", "...\n", true)), []);
}

#[test]
fn a_header_alone_begins_a_key_where_it_ends_its_line() {
    let header = format!("{0}BEGIN RSA PRIVATE KEY{0}", "-".repeat(5));
    let found = |text: String| find_secrets(&text).len();
    assert_eq!(found(format!("{header}\n")), 1);
    assert_eq!(found(format!("key = \"\"\"{header}\nshort\n")), 1);
    for benign in [
        format!("if \"{header}\" in text:\n"),
        format!("const HEADER: &str = \"{header}\";\n"),
        format!("It begins with `{header}`.\n"),
        format!("{header}\n<your key>\n"),
        format!("{header}\n...\n"),
        format!("{header}\n[REDACTED:private_key:1]\n"),
        format!("{header}\n{}\n", header.replace("BEGIN", "END")),
    ] {
        assert_eq!(found(benign.clone()), 0, "{benign}");
    }
}

/// The time of hostile texts grows with their length, not with its square: four times the text may take far less than
/// sixteen times the time.
#[test]
fn hostile_texts_take_linear_time() {
    let unterminated = format!("{}BEGIN PRIVATE KEY{}", "-".repeat(5), "-".repeat(5));
    let samples = [
        unterminated.clone(),
        format!("{unterminated}\n"),
        "token=".to_owned(),
        "password: \"".to_owned(),
        "https://a:b".to_owned(),
        "sk-".to_owned(),
        format!("{}hbGci.", concat!("ey", "J")),
        "a".to_owned(),
        "-----BEGIN ".to_owned(),
        "%41".to_owned(),
        "%25".to_owned(),
        "\\u0041".to_owned(),
        "\\".to_owned(),
        "\u{1b}".to_owned(),
        "\u{1b}[".to_owned(),
        "\u{1b}]0;a".to_owned(),
        "\\x1b]0;a".to_owned(),
        "\\x1b[31m".to_owned(),
        "\\x1\u{1b}[m".to_owned(),
        "a\\/".to_owned(),
        "server=a;".to_owned(),
        "mysql -".to_owned(),
        "cookie: a".to_owned(),
        "variable \"token\" {".to_owned(),
        "user=a ".to_owned(),
        "slack_".to_owned(),
    ];
    for sample in samples {
        let time = |bytes: usize| {
            let text = sample.repeat(bytes / sample.len());
            let start = std::time::Instant::now();
            std::hint::black_box(find_secrets(&text));
            std::hint::black_box(crate::redact::Redactor::default().redact(&text));
            start.elapsed()
        };
        time(1 << 12);
        // A machine that does other things may stop one measurement, but not each of three.
        let is_linear = || time(1 << 20) < time(1 << 18) * 12 + std::time::Duration::from_millis(400);
        assert!((0..3).any(|_| is_linear()), "{sample:.20}");
    }
}

#[test]
fn matches_are_sorted_and_disjoint() {
    let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
    let text = format!("token = \"{token}\" Bearer {token} https://u:{token}@h {token}");
    let found = find_secrets(&text);
    assert_eq!(found.len(), 4);
    assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
}

#[test]
fn secrets_in_mail_are_found() {
    let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
    for written in [format!("https://h/?t=3D{token}"), format!("key=3A=20{token}"), format!("=22{token}=22")] {
        assert_eq!(secrets(&written).len(), 1, "{written}");
    }
    assert!(secrets(&format!("a=3E4{token}")).is_empty(), "another letter goes on with the word");
}

#[test]
fn secrets_in_json_within_text_are_found() {
    let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
    for written in [format!(r#"{{"content":"one\n{token}\n"}}"#), format!(r#"{{\"t\":\"{token}\"}}"#)] {
        assert_eq!(secrets(&written), [("github_token", &*token)], "{written}");
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "index 83db48f84ec878fbfb30b46d16630e944e34f205..83db48f84ec878fbfb30b46d16630e944e34f206 100644",
        "def f(token: Optional[str] = None, password: str = ''):",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "const token = await getToken();",
        "token = self.tokens[self.position + 12]",
        "secret: ${{ secrets.GITHUB_TOKEN }}",
        "the password is asked for at the first start",
        "git@github.com:someone/project.git",
        "const key = `user:${id}:2024-01-01`;",
        "cache_key = \"src/components/button-2024-01-01.tsx\"",
        "id toolu_01AbCdEfGhIjKlMnOpQrStUv call_chUyOv8otGHGfpD3ecjuDGNc",
    ] {
        assert_eq!(secrets(text), [], "{text}");
    }
}

#[test]
fn a_rule_is_compiled_when_its_keyword_occurs() {
    let rules = super::ruleset::Ruleset::fresh();
    let compiled =
        || rules.rules.iter().filter(|rule| rule.is_compiled()).map(|rule| rule.id.as_str()).collect::<Vec<_>>();
    assert!(rules.secrets(Some("src/main.py"), "nothing of note\n").is_empty());
    assert_eq!(compiled(), [""; 0]);
    rules.secrets(None, "AIza and no more");
    assert_eq!(compiled(), ["google_api_key"]);
}

#[test]
fn only_keys_with_a_form_of_their_own_are_found_without_the_words_around_them() {
    let key = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let value = ["aB3dE5gH7", "jK9mN1p"].concat();
    let text = format!("at {key}\n  api_key = \"{value}\" # c");
    let kinds =
        |found: Vec<super::SecretMatch<'_>>| found.iter().map(|secret| secret.kind.to_owned()).collect::<Vec<_>>();
    assert_eq!(kinds(super::find_keys(&text)).len(), 1);
    assert_eq!(kinds(super::find_secrets(&text)).len(), 2);
}

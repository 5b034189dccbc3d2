//! Secret rules against the labelled texts, and rules of an operator's own in gitleaks' shape.

mod labelled;
mod presented;

use gephost_core::secret::{Class, Ruleset, find_secrets};

#[test]
fn labelled_texts_are_told_apart() {
    let (mut wrong, mut positives, mut negatives) = (Vec::new(), 0, 0);
    for case in labelled::all() {
        let found: Vec<&str> = find_secrets(&case.text).into_iter().map(|secret| secret.kind).collect();
        if let Some(rule) = &case.rule {
            positives += 1;
            if !found.contains(&rule.as_str()) {
                wrong.push(format!("missed {rule} in {}: {found:?} in {}", case.file, case.text));
            }
        } else {
            negatives += 1;
            if !found.is_empty() {
                wrong.push(format!("false alarm in {}: {found:?} in {}", case.file, case.text));
            }
        }
    }
    assert!(positives >= 150 && negatives >= 250, "{positives} and {negatives}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn with(text: &str) -> Result<Ruleset, String> {
    Ruleset::with_files(&[("own.toml".to_owned(), text.to_owned())]).map_err(|error| error.to_string())
}

/// Ids that a set finds in a text of a file.
fn kinds(rules: &Ruleset, file: Option<&str>, text: &str) -> Vec<String> {
    rules.secrets(file, text).into_iter().map(|secret| secret.kind.to_owned()).collect()
}

const ACME: &str = "[[rules]]\nid = 'acme'\nregex = '''(?i)acme[a-z_ .-]{0,8}[=:]\\s*[\"']?([a-z0-9]{10})\\b'''\n";

#[test]
fn a_rule_of_gitleaks_shape_finds_its_group() {
    for keywords in ["", "keywords = ['acme']\n"] {
        let rules =
            with(&format!("title = 'x'\n{ACME}{keywords}tags = ['a']\nentropy = 2.5\nsecretGroup = 1\n")).unwrap();
        let text = "a\nACME_KEY = 'q8zr2lmx0v' b";
        let found = rules.secrets(None, text);
        assert_eq!(
            found.iter().map(|s| (s.kind, &text[s.range.clone()])).collect::<Vec<_>>(),
            [("acme", "q8zr2lmx0v")]
        );
        assert_eq!(kinds(&rules, None, "acme_key = 'aaaaaaaaaa'"), [""; 0], "too little entropy");
        let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
        assert_eq!(kinds(&rules, None, &token), ["github_token"], "the bundled rules stay");
    }
}

/// Files of a repository that nobody vouches for: whatever they say, the bundled rules find what they find.
#[test]
fn files_that_nobody_vouches_for_only_add_rules() {
    let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
    for (text, takes_away) in [
        ("", false),
        ("[[rules.allowlists]]\nregexes = ['zzz']\n", false),
        ("[extend]\nuseDefault = false\n", true),
        ("[extend]\ndisabledRules = ['github_token']\n", true),
        ("[extend]\ndisabledRules = ['private_key', 'email']\n", true),
        ("[[rules]]\nid = 'github_token'\nregex = 'never'\n", true),
        ("[[rules]]\nid = 'github_token'\n[[rules.allowlists]]\nregexes = ['.']\n", true),
        ("[[rules]]\nid = 'github_token'\nentropy = 7.9\n", true),
        ("[[allowlists]]\nregexes = ['.']\n", true),
        ("[[allowlists]]\nstopwords = ['a']\ntargetRules = ['github_token']\n", true),
        ("[allowlist]\npaths = ['.*']\n", true),
    ] {
        // Tables of the whole file come first in TOML's order.
        let text = if text.starts_with("[extend]") { format!("{text}{ACME}") } else { format!("{ACME}{text}") };
        let files = [("own.toml".to_owned(), text.clone())];
        let (whole, added) = (Ruleset::with_files(&files).unwrap(), Ruleset::with_additions(&files).unwrap());
        assert_eq!(whole.takes_away(), takes_away, "{text}");
        assert_eq!(kinds(&added, Some("a.txt"), &token), ["github_token"], "{text}");
        let mail = format!("{}@{}.org", "jo", "firm-of-jo");
        assert_eq!(added.secrets_and_personal(None, &mail).len(), 1, "{text}");
        assert_eq!(kinds(&added, None, "acme = 'q8zr2lmx0v'"), ["acme"], "{text}");
    }
}

#[test]
fn allowlists_let_off_what_they_name() {
    let text = "x\nacme = 'q8zr2lmx0v' # public\n";
    for (list, let_off) in [
        ("[[rules.allowlists]]\nregexes = ['^q8']", true),
        ("[rules.allowlist]\nstopwords = ['LMX']", true),
        ("[[rules.allowlists]]\nregexTarget = 'line'\nregexes = ['# public']", true),
        ("[[rules.allowlists]]\nregexTarget = 'match'\nregexes = ['^acme']", true),
        ("[[rules.allowlists]]\npaths = ['docs/']", true),
        ("[[rules.allowlists]]\ncondition = 'AND'\npaths = ['docs/']\nstopwords = ['q8z']", true),
        ("[[rules.allowlists]]\ncondition = 'AND'\npaths = ['src/']\nstopwords = ['q8z']", false),
        ("[[rules.allowlists]]\nregexes = ['^acme']", false),
        ("[allowlist]\nstopwords = ['q8z']", true),
        ("[[allowlists]]\ntargetRules = ['acme']\nstopwords = ['q8z']", true),
        ("[[allowlists]]\ntargetRules = ['jwt']\nstopwords = ['q8z']", false),
    ] {
        let rules = with(&format!("{ACME}{list}\n")).unwrap();
        assert_eq!(kinds(&rules, Some("docs/a.md"), text).is_empty(), let_off, "{list}");
    }
}

#[test]
fn bundled_rules_can_be_amended_and_left_out() {
    let token = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
    for text in [
        "[extend]\ndisabledRules = ['github_token']",
        "[extend]\nuseDefault = false",
        "[[rules]]\nid = 'github_token'\n[[rules.allowlists]]\nstopwords = ['aB3dE5']",
        "[[rules]]\nid = 'github_token'\nregex = 'never'\nkeywords = ['never']",
    ] {
        assert_eq!(kinds(&with(text).unwrap(), None, &token), [""; 0], "{text}");
    }
    let rules = with("[extend]\nuseDefault = true\ndisabledRules = ['email']").unwrap();
    assert_eq!(kinds(&rules, None, &token), ["github_token"]);
    assert!(rules.secrets_and_personal(None, "jane@posteo.de").iter().all(|found| found.class != Class::Personal));
}

#[test]
fn rules_by_path() {
    let rules = with(&format!("{ACME}path = '\\.env$'\n[[rules]]\nid = 'keys'\npath = '\\.p12$'\n")).unwrap();
    assert_eq!(kinds(&rules, Some("a/.env"), "acme = q8zr2lmx0v"), ["acme"]);
    assert_eq!(kinds(&rules, Some("a/b.py"), "acme = q8zr2lmx0v"), [""; 0]);
    assert_eq!(kinds(&rules, None, "acme = q8zr2lmx0v"), [""; 0]);
    assert_eq!((rules.forbidden_name("a/x.p12"), rules.forbidden_name("a/x.py")), (Some("keys"), None));
}

#[test]
fn what_cannot_be_enforced_is_refused_with_rule_and_reason() {
    let rule = "[[rules]]\nid = 'r'\n";
    for (text, says) in [
        ("[[rules]]\nid = 'r'\nregexx = 'a'", "unknown field"),
        ("[[rules]\n", "line 1"),
        ("[[rules]]\nregex = 'a'", "number 1"),
        ("[[rules]]\nid = 'a b'\nregex = 'a'", "letters, digits"),
        (&format!("{rule}regex = '(?=a)'"), "rule `r`: `(?=a)`: look-around"),
        (&format!("{rule}regex = '(a)\\1'"), "backreferences"),
        (&format!("{rule}regex = '[a&&b]'"), "set operations"),
        (&format!("{rule}regex = 'a'\nentropy = 9.5"), "`entropy` is 9.5"),
        (&format!("{rule}regex = 'a'\nentropy = -1"), "`entropy` is -1"),
        (&format!("{rule}regex = '(a)'\nsecretGroup = 2"), "`secretGroup` is 2"),
        (&format!("{rule}regex = 'a'\nkeywords = ['']"), "empty keyword"),
        (&format!("{rule}regex = 'a'\n[[rules.allowlists]]\ncommits = ['x']"), "`commits`"),
        (&format!("{rule}regex = 'a'\n[[rules.allowlists]]\n"), "allows nothing"),
        (&format!("{rule}regex = 'a'\n[[rules.allowlists]]\nregexes = ['(']"), "unclosed"),
        (&format!("{rule}regex = 'a'\n[[rules.allowlists]]\nregexTarget = 'x'\nregexes = ['a']"), "regexTarget"),
        (&format!("{rule}regex = 'a'\n[[rules.allowlists]]\ncondition = 'XOR'\nregexes = ['a']"), "condition"),
        (&format!("{rule}regex = 'a'\n{rule}regex = 'b'"), "used twice"),
        (&format!("{rule}description = 'nothing to do'"), "neither `regex` nor `path`"),
        (&format!("{rule}regex = 'b'\nkeywords = ['b']\nsamples = [['a']]"), "number 1 of its `samples`"),
        (&format!("{rule}regex = 'b'\nkeywords = ['b']\nnot = [['b']]"), "number 1 of its `not`"),
        ("minVersion = 'v8.25.0'", "`minVersion`"),
        ("[extend]\npath = 'x'", "`extend.path`"),
        ("[extend]\ndisabledRules = ['nope']", "`nope`"),
        ("[[allowlists]]\ntargetRules = ['nope']\nregexes = ['a']", "`nope`"),
        (&format!("{rule}regex = 'a'\n[[rules.required]]\nid = 'x'"), "`required`"),
    ] {
        let error = with(text).map(|_| ()).unwrap_err();
        assert!(error.starts_with("own.toml: ") && error.contains(says) && !error.contains('\n'), "{text}\n{error}");
    }
}

//! What begins a test or a group of tests, and what says beside it that a runner passes it over.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;
use super::shape::{Tongue, function};
use super::tree::Node;

/// The name of the test that a statement defines.
pub(super) fn test_name(tongue: Tongue, node: &Node) -> Option<String> {
    match tongue {
        Tongue::Python => {
            let text = node.text.strip_prefix("async ").map_or(node.text.as_str(), str::trim_start);
            let name = text.strip_prefix("def ").and_then(|_| function(Tongue::Python, text))?;
            (name.starts_with("test") && !node.blocks.is_empty()).then(|| name.to_owned())
        }
        Tongue::JavaScript => {
            static CALL: LazyLock<Regex> = LazyLock::new(|| {
                ascii(
                    r"^(?:await\s+)?(?:x?it|x?test|fit|x?specify|Deno\s*\.\s*test|t\s*\.\s*test)\b(?:\s*\.\s*\w+)*\s*(?:\(|`)",
                )
            });
            CALL.is_match(node.text.as_bytes()).then(|| first_string(&node.said))
        }
        Tongue::Rust => {
            static MARK: LazyLock<Regex> = LazyLock::new(|| {
                ascii(r"#\s*\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b")
            });
            let name = function(Tongue::Rust, &node.text)?;
            MARK.is_match(node.text.as_bytes()).then(|| name.to_owned())
        }
        Tongue::Go => {
            static CALL: LazyLock<Regex> = LazyLock::new(|| ascii(r"^[FPX]?(?:It|Specify|DescribeTable)\s*\("));
            if CALL.is_match(node.text.as_bytes()) {
                return Some(first_string(&node.said));
            }
            let name = function(Tongue::Go, &node.text)?;
            let is_named = |word: &&str| {
                name.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
            };
            let named = ["Test", "Fuzz", "Example"].iter().any(is_named) && name != "TestMain";
            (named && !node.blocks.is_empty()).then(|| name.to_owned())
        }
    }
}

/// Whether a statement groups tests, and the name of the group.
pub(super) fn group(tongue: Tongue, node: &Node) -> Option<String> {
    let text = node.text.as_str();
    match tongue {
        Tongue::Python => text.starts_with("class ").then(|| function(Tongue::Python, text).unwrap_or("").to_owned()),
        Tongue::JavaScript => {
            static CALL: LazyLock<Regex> =
                LazyLock::new(|| ascii(r"^(?:x|f)?(?:describe|suite|context)\b(?:\s*\.\s*\w+)*\s*(?:\(|`)"));
            CALL.is_match(text.as_bytes()).then(|| first_string(&node.said))
        }
        Tongue::Rust => {
            static MOD: LazyLock<Regex> = LazyLock::new(|| ascii(r"\bmod\s+(\w+)\s*\{\}$|\bproptest\s*!\s*\{\}$"));
            let found = MOD.captures(text.as_bytes())?;
            Some(found.get(1).map_or_else(String::new, |name| String::from_utf8_lossy(name.as_bytes()).into_owned()))
        }
        Tongue::Go => {
            static CALL: LazyLock<Regex> =
                LazyLock::new(|| ascii(r"^(?:var\s+\w+\s*=\s*)?[FPX]?(?:Describe|Context|When)\s*\("));
            CALL.is_match(text.as_bytes()).then(|| first_string(&node.said))
        }
    }
}

/// What marks a test as skipped, in the text before its body.
pub(super) fn is_skipped(tongue: Tongue, header: &str) -> Option<&'static str> {
    static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
        ascii(r"^@(?:\w+\s*\.\s*)*(?:skip\w*|xfail|expectedFailure|expected_failure|disabled?|ignored?|property)\b")
    });
    static JAVASCRIPT: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:x(?:it|test|describe|context|specify|suite)\b|\w+(?:\s*\.\s*\w+)*?\s*\.\s*(?:skip\w*|todo\w*|ignore|fails|failing|fixme|fail|runIf)\b)|^\w+(?:\s*\.\s*\w+)*\s*\([^(]*\{\s*(?:skip|todo|ignore|fails|expectFailure)\s*:|=>\s*(?:async\s*)?\([^()]*\)\s*=>\s*\{\}\s*\)*;?$",
        )
    });
    static RUST: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"#\s*\[\s*(?:ignore\b|should_panic\b|cfg_attr\s*\([^\]]*\b(?:ignore|should_panic)\b)"));
    // Ginkgo.
    static GO: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:var\s+\w+\s*=\s*)?[PX](?:It|Specify|Entry|Describe|DescribeTable|Context|When)\s*\(|^(?:var\s+\w+\s*=\s*)?(?:It|Specify|Entry|Describe|DescribeTable|Context|When)\s*\(.*,\s*Pending\s*,",
        )
    });
    let regex: &Regex = match tongue {
        Tongue::Python => &PYTHON,
        Tongue::JavaScript => &JAVASCRIPT,
        Tongue::Rust => &RUST,
        Tongue::Go => &GO,
    };
    regex.is_match(header.as_bytes()).then_some("it is marked as skipped, or as failing")
}

/// A class whose tests pytest does not collect: neither its name nor a base says so, or it has a constructor.
pub(super) fn hidden_class(tongue: Tongue, node: &Node) -> Option<&'static str> {
    let rest = node.text.strip_prefix("class ").filter(|_| tongue == Tongue::Python)?;
    let has_base = rest.contains('(') && !rest.contains("()") && !rest.contains("(object)");
    let constructs = node.blocks.iter().flatten().any(|inner| inner.text.starts_with("def __init__"));
    let unlisted = node.blocks.iter().flatten().any(|inner| {
        inner
            .text
            .strip_prefix("__test__")
            .is_some_and(|rest| rest.trim_start().trim_start_matches('=').trim() == "False")
    });
    let runs_itself = rest.contains("TestCase")
        && node.blocks.iter().flatten().any(|inner| {
            let own = ["def run(self", "def __call__(self"].iter().any(|start| inner.text.starts_with(start));
            own && !inner.blocks.iter().flatten().any(|inner| inner.text.contains("super("))
        });
    if runs_itself {
        return Some("its class does not run its tests");
    }
    let named = rest.starts_with("Test");
    (unlisted || !has_base && (!named || constructs)).then_some("its class is not collected")
}

/// The first string of a statement.
pub(super) fn first_string(said: &str) -> String {
    let Some(at) = said.find(['"', '\'', '`']) else { return said.to_owned() };
    let rest = said.get(at + 1..).unwrap_or_default();
    let quote = said.as_bytes().get(at).copied().map(char::from).unwrap_or_default();
    let mut is_escaped = false;
    let end = rest.find(|c: char| {
        let ends = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_owned()
}

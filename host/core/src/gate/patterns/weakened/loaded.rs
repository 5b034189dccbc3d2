//! What a test file does to its own tests when it is loaded.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::begins::first_string;
use super::expression::ascii;
use super::shape::{Kind, Tongue, function, kind};
use super::tree::Node;

/// Why a file ends while it is loaded, before its tests run.
pub(super) fn left(tongue: Tongue, nodes: &[Node]) -> Option<&'static str> {
    const WHY: &str = "the file ends the process, or skips itself, when it is loaded";
    let leaves = |node: &Node| match kind(tongue, node) {
        Kind::Skip => true,
        Kind::Jump => node.text.contains("exit") || node.text.starts_with("quit"),
        Kind::Raise => node.text.contains("SystemExit") || node.text.contains("SkipTest"),
        _ => false,
    };
    let starts = |node: &&Node, word: &str| node.text.starts_with(word);
    match tongue {
        Tongue::Go => {
            let exits = |name: &str, spared: &str| {
                let mut found = nodes.iter().filter(|node| starts(node, &format!("func {name}(")));
                found.any(|node| {
                    let inner = || node.blocks.iter().flatten();
                    inner().any(|inner| {
                        ["os.Exit(", "syscall.Exit(", "flag.Set("].iter().any(|call| inner.text.contains(call))
                    }) && (spared.is_empty() || !inner().any(|inner| inner.text.contains(spared)))
                })
            };
            let runs = |node: &Node| node.blocks.iter().flatten().any(|inner| inner.text.contains(".Run("));
            let never_runs = nodes.iter().any(|node| starts(&node, "func TestMain(") && !runs(node));
            (exits("init", "") || exits("TestMain", ".Run(") || never_runs).then_some(WHY)
        }
        Tongue::Rust => None,
        Tongue::Python | Tongue::JavaScript => {
            let top = nodes.iter().filter(|node| {
                !(node.text.contains("__name__")
                    || node.text.contains("require.main")
                    || node.text.contains("import.meta"))
            });
            let any = top.flat_map(|node| {
                let is_open =
                    function(tongue, &node.text).is_none() && matches!(kind(tongue, node), Kind::If(_) | Kind::Try);
                let inner: Vec<&Node> = if is_open { node.blocks.iter().flatten().collect() } else { Vec::new() };
                inner.into_iter().chain([node])
            });
            any.into_iter().any(leaves).then_some(WHY)
        }
    }
}

/// Whether a file puts something else in place of the checks.
pub(super) fn replaced(tongue: Tongue, nodes: &[Node]) -> Option<&'static str> {
    static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
        ascii(concat!(
            r"\b(?:TestCase|unittest|builtins|pytest|np\s*\.\s*testing)\s*(?:\.\s*\w+)*\.\s*(?:assert\w*|fail\w*|raises|AssertionError)\s*=[^=]",
            r"|^def\s+assert[A-Z]\w*\s*\(\s*self[^)]*\)[^:]*:$|^(?:AssertionError|pytest)\s*=[^=]|\bsetattr\s*\([^,]*(?:TestCase|unittest|pytest)",
            r"|^(?:len|all|any|sorted|isinstance|str|repr|sum|set|list|abs|round)\s*=\s*lambda\b|\bdel\s+globals\s*\(|\bglobals\s*\(\s*\)\s*\.\s*(?:pop|clear)\b|\bpytest\s*\.\s*\w+\s*=[^=]|^failureException\s*=|\bself\s*\.\s*(?:assert|fail)\w*\s*=[^=]|\baddTypeEqualityFunc\s*\(",
            r"|\bTestReport\b[^=]*=[^=]|\bunittest\s*\.\s*main\s*=|\bTestCase\s*\.\s*run\s*=|^def\s+load_tests\s*\(",
        ))
    });
    static JAVASCRIPT: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:const|let|var|function)\s+(?:expect|assert|it|test|describe)\b\s*(?::[^=]*)?(?:=\s*(?:\(|\w+\s*=>|function|new\s+Proxy)|\()|\bObject\s*\.\s*assign\s*\(\s*(?:assert|expect)\b|^expect\s*\.\s*extend\s*\(\s*\{\s*(?:toBe|toEqual|toStrictEqual|toThrow)\b|\b(?:globalThis|global|window)\s*\.\s*(?:expect|assert|it|test)\s*=[^=]|\bassert\s*\.\s*\w+\s*=[^=]",
        )
    });
    static RUST: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\bmacro_rules\s*!\s*(?:assert|assert_eq|assert_ne|panic)\b|\buse\s+(?:crate|super|self)\s*::[^;]*\b(?:assert|assert_eq|assert_ne)\s*[;,}]",
        )
    });
    static GO: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"\bnew\s*\(\s*testing\s*\.\s*T\s*\)|&\s*testing\s*\.\s*T\s*\{"));
    let regex: &Regex = match tongue {
        Tongue::Python => &PYTHON,
        Tongue::JavaScript => &JAVASCRIPT,
        Tongue::Rust => &RUST,
        Tongue::Go => &GO,
    };
    let here = |node: &Node| {
        let own = regex.is_match(node.text.as_bytes());
        // A check of one's own may check something; one that does not is no check.
        own && !(node.text.starts_with("def ")
            && node
                .blocks
                .iter()
                .flatten()
                .any(|inner| inner.text.contains("assert") || inner.text.starts_with("raise")))
    };
    is_anywhere(nodes, &here, 0).then_some("its checks are replaced by something else")
}

/// Whether this holds for a statement of a group of tests, or of what stands in the group.
fn is_anywhere(nodes: &[Node], here: &dyn Fn(&Node) -> bool, depth: usize) -> bool {
    nodes
        .iter()
        .any(|node| here(node) || depth < 2 && node.blocks.iter().any(|block| is_anywhere(block, here, depth + 1)))
}

/// The names of tests, and of classes of tests, that a file gives to something else, or deletes, in its own statements.
pub(super) fn undone(tongue: Tongue, nodes: &[Node]) -> BTreeSet<String> {
    let all = nodes.iter().chain(nodes.iter().flat_map(|node| node.blocks.iter().flatten()));
    let names = all.filter_map(|node| {
        let deleted = node.text.strip_prefix("del ").map(|rest| rest.split(['.', ',']).next_back().unwrap_or(rest));
        if node.text.starts_with("delattr(") {
            return Some(first_string(&node.said));
        }
        let given = || node.text.split_once('=').filter(|(_, value)| !value.starts_with('=')).map(|(name, _)| name);
        deleted.or_else(given).map(|name| name.rsplit('.').next().unwrap_or(name).trim().to_owned())
    });
    // A class may go once another one has its tests.
    let bases: BTreeSet<&str> = nodes
        .iter()
        .filter_map(|node| node.text.strip_prefix("class ")?.split_once('('))
        .flat_map(|(_, bases)| bases.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .collect();
    let is_class = |name: &str| tongue == Tongue::Python && name.contains("Test") && !bases.contains(name);
    names.filter(|name| name.starts_with("test") || is_class(name)).collect()
}

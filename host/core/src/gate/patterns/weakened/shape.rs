//! What a statement is, by language.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;
use super::tree::Node;
use super::truth::{self, Truth};

/// A language whose tests are read as an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    Python,
    JavaScript,
    Rust,
    Go,
}

/// What a statement is for the checks in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// The first part of a choice.
    If(Truth),
    /// A further part that has a condition.
    ElseIf(Truth),
    Else,
    /// A choice among values.
    Switch,
    /// A loop over this.
    Loop(&'a str),
    Try,
    /// The part that handles errors; whether it takes those of a failed check.
    Catch {
        all: bool,
    },
    /// Errors within its block are lost.
    Loses,
    /// A definition: its body runs if it is called.
    Function(&'a str),
    /// What follows does not run.
    Jump,
    /// What follows does not run, and the test fails.
    Raise,
    /// The test ends as skipped.
    Skip,
    Other,
}

/// The regular expressions of a language.
struct Words {
    check: Regex,
    /// What leaves a block, or the process.
    jump: Regex,
    /// What ends a test as skipped.
    skip: Regex,
    /// The name of a function that is defined, as the first group that matches.
    function: Regex,
    /// Every text in which that matches has one of these: most statements define nothing, and looking for a name is slow.
    defines: &'static [&'static str],
}

fn words(tongue: Tongue) -> &'static Words {
    static PYTHON: LazyLock<Words> = LazyLock::new(|| Words {
        check: ascii(concat!(
            r"^assert\b|\bself\s*\.\s*(?:assert\w*|fail\w*)\s*\(|\b\w*assert\w*\s*\(|\bpytest\s*\.\s*(?:raises|warns|fail|deprecated_call)\b",
            r"|^raise\s+AssertionError\b|\.\s*should\b|^(?:await\s+)?(?:expect|verify|check|ensure)(?:_\w*|[A-Z]\w*)?\s*\(",
        )),
        jump: ascii(
            r"^(?:return|raise|continue|break)\b|^(?:sys\s*\.\s*exit|exit|quit|os\s*\.\s*_exit|os\s*\.\s*abort)\s*\(",
        ),
        skip: ascii(
            r"^(?:pytest\s*\.\s*(?:skip|xfail|exit)|self\s*\.\s*skipTest|unittest\s*\.\s*skip\w*)\s*\(|^raise\s+(?:unittest\s*\.\s*|pytest\s*\.\s*skip\s*\.\s*)?(?:SkipTest|Exception\b.*skip)",
        ),
        function: ascii(r"^(?:async\s+)?(?:def|class)\s+(\w+)|^(\w+)\s*=\s*lambda\b"),
        defines: &["def", "class", "lambda"],
    });
    static JAVASCRIPT: LazyLock<Words> = LazyLock::new(|| Words {
        check: ascii(concat!(
            r"(?:^|[^\w.])expect\w*\s*\(|(?:^|[^\w])\w*assert\w*\s*(?:\.\s*\w+\s*)*\(|\.\s*should\b",
            r"|(?:^|[^\w.])t\s*\.\s*(?:assert\s*\.\s*)?(?:is|isEqual|isEquivalent|isNot|not|like|same|deepEquals?|notDeepEqual|equals?|notEquals?|error|ifError|notOk|notok|strictEquals?|strictSame|true|false|truthy|falsy|throws\w*|rejects|ok|regex|match|fail|snapshot)\s*\(",
            r"|\.\s*expect\s*\(|^(?:await\s+)?(?:fail|(?:verify|check|ensure)(?:_\w*|[A-Z]\w*)?)\s*\(|\bthrow\s+new\s+(?:AssertionError|Error)\b",
        )),
        jump: ascii(r"^(?:return|throw|continue|break)\b|^(?:process|Deno)\s*\.\s*exit\s*\("),
        skip: ascii(
            r"^(?:return\s+)?(?:this|t|ctx|context)\s*\.\s*(?:skip|todo)\s*\(|^skip\s*\(\s*\)|^test\s*\.\s*(?:skip|fixme|fail)\s*\(",
        ),
        function: ascii(
            r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)|^(?:export\s+)?(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)",
        ),
        defines: &["function", "=>"],
    });
    static RUST: LazyLock<Words> = LazyLock::new(|| Words {
        check: ascii(
            r"\b\w*assert\w*\s*!\s*[({\[]|\bpanic\s*!|\bunreachable\s*!|\bverify\w*\s*\(|\b(?:assert|check|expect)_\w+\s*\(",
        ),
        jump: ascii(
            r"^(?:return|continue|break|panic\s*!|todo\s*!|unimplemented\s*!)(?:\b|\()|^(?:std\s*::\s*)?process\s*::\s*(?:exit|abort)\s*\(",
        ),
        skip: ascii(r"^\bNEVER\b"),
        function: ascii(r"\bfn\s+(\w+)|^let\s+(?:mut\s+)?(\w+)\s*=\s*(?:move\s*)?\|[^|]*\|"),
        defines: &["fn", "|"],
    });
    static GO: LazyLock<Words> = LazyLock::new(|| Words {
        check: ascii(
            r"\b[tbf]\s*\.\s*(?:Errorf?|Fatalf?|Fail|FailNow)\s*\(|\b(?:require|assert|qt)\s*\.\s*[A-Z]\w*\s*\(|\b(?:is|c|must|td|s|suite)\s*\.\s*(?:Assert|Check|Cmp|Condition|Contain|Dir|ElementsMatch|Empty|Equal|Err|Eventually|Exactly|Fail|False|File|Greater|HTTP|HasPrefix|HasSuffix|Implements|In|IsType|JSON|Len|Less|Matches|Negative|Never|Nil|No|Not|Panics|Positive|Regexp|Require|Same|String|Subset|True|Within|YAML|Zero)\w*\s*\(|\b(?:Expect|Eventually|Consistently)\w*\s*\(|\b(?:assert|check|verify|expect|must)[A-Z]\w*\s*\(|(?:^|[^\w.])So\s*\(",
        ),
        jump: ascii(r"^(?:return|continue|break|goto)\b|^(?:os\s*\.\s*Exit|runtime\s*\.\s*Goexit|panic)\s*\("),
        skip: ascii(r"^[tbfc]\s*\.\s*Skip(?:f|Now)?\s*\(|^(?:Skip|Focus)Convey\s*\("),
        function: ascii(r"^func\s+(?:\([^()]*\)\s*)?(\w+)|^(\w+)\s*:?=\s*func\b"),
        defines: &["func"],
    });
    match tongue {
        Tongue::Python => &PYTHON,
        Tongue::JavaScript => &JAVASCRIPT,
        Tongue::Rust => &RUST,
        Tongue::Go => &GO,
    }
}

/// How many checks stand in a statement.
pub(super) fn checks_in(tongue: Tongue, text: &str) -> u64 {
    words(tongue).check.find_iter(text.as_bytes()).count() as u64
}

/// What a statement is.
pub(super) fn kind(tongue: Tongue, node: &Node) -> Kind<'_> {
    let text = node.text.as_str();
    let words = words(tongue);
    if words.skip.is_match(text.as_bytes()) {
        return Kind::Skip;
    }
    let in_one = || ["lambda", "=>", "= |", "= move |"].iter().any(|mark| text.contains(mark));
    if let Some(name) = function(tongue, text).filter(|_| !node.blocks.is_empty() || in_one()) {
        return Kind::Function(name);
    }
    if words.jump.is_match(text.as_bytes()) {
        let raises = ["raise", "throw", "panic"].iter().any(|word| text.starts_with(word));
        return if raises { Kind::Raise } else { Kind::Jump };
    }
    let kind = if tongue == Tongue::Python { of_python(node) } else { of_braces(tongue, text) };
    kind.unwrap_or(Kind::Other)
}

fn of_python(node: &Node) -> Option<Kind<'_>> {
    let text = node.text.strip_prefix("async ").map_or(node.text.as_str(), str::trim_start);
    let head = text.strip_suffix(':')?;
    let (word, rest) = head.split_once([' ', '(']).unwrap_or((head, ""));
    let condition = head.get(word.len()..).unwrap_or_default();
    Some(match word {
        "if" => Kind::If(truth::of(condition)),
        "elif" => Kind::ElseIf(truth::of(condition)),
        "else" => Kind::Else,
        "while" => match truth::of(condition) {
            Truth::Never => Kind::If(Truth::Never),
            _ => Kind::Other,
        },
        "for" => Kind::Loop(rest.split_once(" in ").map_or("", |(_, subject)| subject.trim())),
        "match" => Kind::Switch,
        "try" => Kind::Try,
        "except" => {
            let named = condition.trim();
            let wide = ["AssertionError", "Exception", "BaseException"];
            let all = named.is_empty() || named.split(|c: char| !c.is_alphanumeric()).any(|name| wide.contains(&name));
            Kind::Catch { all }
        }
        "with" => {
            let suppresses = rest.contains("suppress(");
            let inverts = ["AssertionError", "Exception)", "BaseException"].iter().any(|name| rest.contains(name));
            if suppresses && inverts || rest.contains("raises(AssertionError") { Kind::Loses } else { Kind::Other }
        }
        _ => return None,
    })
}

fn of_braces(tongue: Tongue, text: &str) -> Option<Kind<'_>> {
    let head = text.strip_suffix("{}").unwrap_or(text).trim_end();
    let rest = |word: &str| {
        let rest = head.strip_prefix(word)?;
        rest.starts_with([' ', '(', '{']).then(|| rest.trim_start())
    };
    let truth = |rest: &str| truth::of(clause(tongue, rest));
    if let Some(rest) = rest("else") {
        return Some(match rest.strip_prefix("if").filter(|rest| rest.starts_with([' ', '('])) {
            Some(rest) => Kind::ElseIf(truth(rest.trim_start())),
            None => Kind::Else,
        });
    }
    if let Some(rest) = rest("if") {
        return Some(Kind::If(truth(rest)));
    }
    if let Some(rest) = rest("while") {
        return Some(if truth(rest) == Truth::Never { Kind::If(Truth::Never) } else { Kind::Other });
    }
    if let Some(rest) = rest("for") {
        let rest = if tongue == Tongue::JavaScript { clause(tongue, rest) } else { rest };
        let subject = [" of ", " in ", "range "].iter().find_map(|word| rest.split_once(word));
        return Some(Kind::Loop(subject.map_or("", |(_, subject)| subject.trim())));
    }
    if rest("switch").is_some() || rest("match").is_some() || rest("select").is_some() {
        return Some(Kind::Switch);
    }
    match tongue {
        _ if head == "else" => Some(Kind::Else),
        Tongue::JavaScript if head == "try" => Some(Kind::Try),
        Tongue::JavaScript if head.starts_with("catch") => Some(Kind::Catch { all: true }),
        Tongue::Rust if text.contains("catch_unwind") => Some(Kind::Loses),
        Tongue::Go if text.contains("defer func") => Some(Kind::Loses),
        _ => None,
    }
}

/// The condition in the text after its word: in parentheses in JavaScript, behind an assignment in Go.
fn clause(tongue: Tongue, rest: &str) -> &str {
    match tongue {
        Tongue::JavaScript => rest.get(1..clause_end(rest)).unwrap_or_default(),
        Tongue::Go => rest.rsplit(';').next().unwrap_or(rest),
        Tongue::Python | Tongue::Rust => rest,
    }
}

/// Where the parenthesis that opens at the start closes.
fn clause_end(rest: &str) -> usize {
    let mut depth = 0_usize;
    let closes = |(_, byte): &(usize, u8)| {
        depth += usize::from(*byte == b'(');
        depth = depth.saturating_sub(usize::from(*byte == b')'));
        *byte == b')' && depth == 0
    };
    rest.bytes().enumerate().find(closes).map_or(rest.len(), |(at, _)| at)
}

/// What stands behind the condition of a choice or a loop that has no block.
pub(super) fn behind_condition(tongue: Tongue, node: &Node) -> Option<Node> {
    if tongue != Tongue::JavaScript || node.blocks.len() > 1 || node.text.ends_with("{}") {
        return None;
    }
    let from = match node.text.find('(') {
        Some(at) if !node.text.starts_with("else ") || node.text.starts_with("else if") => {
            at + clause_end(node.text.get(at..)?) + 1
        }
        _ => "else".len(),
    };
    let (text, said) = (node.text.get(from..)?, node.said.get(from..)?);
    let indent = text.len() - text.trim_start().len();
    let text = text.trim().to_owned();
    let said = said.get(indent..indent + text.len())?.to_owned();
    (!text.is_empty()).then(|| Node { line: node.line, text, said, blocks: node.blocks.clone() })
}

/// The name that a statement defines as a function.
pub(super) fn function(tongue: Tongue, text: &str) -> Option<&str> {
    let Words { function, defines, .. } = words(tongue);
    let found = defines.iter().any(|word| text.contains(word)).then(|| function.captures(text.as_bytes()))??;
    let name = found.get(1).or_else(|| found.get(2))?;
    text.get(name.start()..name.end())
}

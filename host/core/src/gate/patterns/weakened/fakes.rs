//! What tests put a fake in place of: mocks, stubs and functions of their own that take the name of something else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use regex::bytes::{Captures, Regex};

use super::expression::ascii;
use super::shape::{Tongue, function};
use super::tree::Node;

/// Deepest block that is looked into.
const MAX_DEPTH: usize = 32;

/// What a stretch of a test file fakes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Fakes {
    /// The names that something else is put in place of.
    replaced: BTreeSet<String>,
    /// The functions and variables that it has, whatever they do.
    own: BTreeSet<String>,
    /// The variables that hold a mock.
    mocks: BTreeSet<String>,
    /// What the file around it fakes, which all of its tests share.
    around: Option<Arc<Fakes>>,
}

impl Fakes {
    /// The same and what another stretch fakes.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.replaced.extend(other.replaced);
        self.mocks.extend(other.mocks);
        self.own.extend(other.own);
        self
    }

    /// The same in a file that fakes something by itself.
    pub(super) fn within(self, file: &Arc<Self>) -> Self {
        Self { around: Some(Arc::clone(file)), ..self }
    }

    /// Whether something else is put in place of this name.
    pub(super) fn replaces(&self, name: &str) -> bool {
        self.replaced.contains(name) || self.around.as_ref().is_some_and(|around| around.replaces(name))
    }

    /// Whether it has a function or a variable of this name.
    pub(super) fn has_own(&self, name: &str) -> bool {
        self.own.contains(name) || self.around.as_ref().is_some_and(|around| around.has_own(name))
    }

    /// Whether this variable holds a mock.
    pub(super) fn has_mock(&self, name: &str) -> bool {
        self.mocks.contains(name) || self.around.as_ref().is_some_and(|around| around.has_mock(name))
    }
}

struct Forms {
    /// A name that is replaced, as the last part of the first group that matches.
    replaced: Regex,
    /// A variable that gets a mock.
    mock: Regex,
    /// A variable that gets a function without a call in it, as `name = () => 5`.
    constant: Regex,
}

/// A word that no language has.
const NEVER: &str = r"^\bNEVER\b";

fn forms(tongue: Tongue) -> &'static Forms {
    // unittest.mock, pytest-mock, pytest's monkeypatch, flexmock.
    static PYTHON: LazyLock<Forms> = LazyLock::new(|| Forms {
        replaced: ascii(concat!(
            r#"\bpatch\s*\(\s*(?:target\s*=\s*)?["']([\w.]+)["']|\b(?:setattr|setitem)\s*\(\s*["']([\w.]+)["']\s*,\s*[^"'\s)]"#,
            r#"|\b(?:patch\s*\.\s*object|setattr)\s*\(\s*[\w.]+\s*,\s*["'](\w+)["']|\b(?:mocker|mock)\s*\.\s*(?:spy|stub)\s*\(\s*[\w.]+\s*,\s*["'](\w+)["']"#,
        )),
        mock: ascii(
            r"^(?:\w+\s*\.\s*)*(\w+)\s*(?::[^=]*)?=\s*(?:\w+\s*\.\s*)*(?:Mock|MagicMock|AsyncMock|NonCallableMock|PropertyMock|create_autospec|flexmock|stub)\s*\(",
        ),
        constant: ascii(
            r"^(?:\w+\s*\.\s*)*(\w+)\s*=\s*lambda\b[^:]*:\s*[^()]*$|^(?:[A-Z]\w*|\w+\s*\.\s*[A-Z]\w*)\s*\.\s*(\w+)\s*=\s*lambda\b",
        ),
    });
    // jest, vitest, sinon, node:test, bun, testdouble.
    static JAVASCRIPT: LazyLock<Forms> = LazyLock::new(|| Forms {
        replaced: ascii(concat!(
            r#"\bspyOn\s*\(\s*[\w.]+\s*,\s*["'`](\w+)["'`]\s*\)\s*\.\s*(?:mock\w+|and\s*\.\s*(?:return\w*|callFake))\b"#,
            r#"|\b(?:stub|fake|replace|td\s*\.\s*replace|mock\s*\.\s*method|mock\s*\.\s*getter)\s*\(\s*[\w.]+\s*,\s*["'`](\w+)["'`]"#,
        )),
        mock: ascii(
            r"^(?:const\s+|let\s+|var\s+)?(?:\w+\s*\.\s*)*(\w+)\s*(?::[^=]*)?=\s*(?:(?:jest|vi|sinon|td|mock|t\s*\.\s*mock)\s*\.\s*(?:fn|stub|fake|func|function)|mock|fn)\s*(?:<[^()]*>)?\s*\(",
        ),
        constant: ascii(
            r"^(?:const\s+|let\s+|var\s+)?(?:\w+\s*\.\s*)*(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>\s*[^(){}]+;?$",
        ),
    });
    static RUST: LazyLock<Forms> = LazyLock::new(|| Forms {
        replaced: ascii(NEVER),
        mock: ascii(r"^let\s+(?:mut\s+)?(\w+)\s*(?::[^=]*)?=\s*(?:\w+\s*::\s*)*Mock\w*\s*::\s*(?:new|default)\s*\("),
        constant: ascii(r"^let\s+(\w+)\s*=\s*(?:move\s*)?\|[^|]*\|\s*[^(){}]+;?$"),
    });
    static GO: LazyLock<Forms> = LazyLock::new(|| Forms {
        replaced: ascii(r"\b(?:ApplyFunc\w*|Patch|StubFunc|Stub)\s*\(\s*&?(?:\w+\s*\.\s*)*(\w+)\s*,"),
        mock: ascii(r"^(\w+)\s*:?=\s*(?:&|new\s*\(\s*)?(?:\w+\s*\.\s*)*(?:Mock\w+|NewMock\w+|new\w*Mock\w*)\s*[({)]"),
        constant: ascii(NEVER),
    });
    match tongue {
        Tongue::Python => &PYTHON,
        Tongue::JavaScript => &JAVASCRIPT,
        Tongue::Rust => &RUST,
        Tongue::Go => &GO,
    }
}

/// What these statements fake, and those of their blocks. `skips` says which of them to leave out.
pub(super) fn of(tongue: Tongue, nodes: &[Node], skips: &dyn Fn(&Node) -> bool) -> Fakes {
    let mut fakes = Fakes::default();
    gather(tongue, nodes, skips, &mut fakes, 0);
    fakes
}

/// What a statement fakes by itself, as a decorator does.
pub(super) fn of_header(tongue: Tongue, header: &str) -> Fakes {
    let mut fakes = Fakes::default();
    named(&forms(tongue).replaced, header, &mut fakes.replaced);
    fakes
}

/// The names that come from modules that a file of JavaScript mocks as a whole.
pub(super) fn of_modules(nodes: &[Node]) -> Fakes {
    static MOCK: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r#"^(?:await\s+)?(?:jest|vi|vitest|mock|td|t\s*\.\s*mock)\s*\.\s*(?:mock|doMock|unstable_mockModule|module|replace|replaceEsm|setMock)\s*\(\s*(?:import\s*\(\s*)?["'`]([^"'`]+)["'`]"#,
        )
    });
    static FROM: LazyLock<Regex> = LazyLock::new(|| {
        ascii(r#"\bfrom\s*["'`]([^"'`]+)["'`]|(?:\brequire|\bimport)\s*\(\s*["'`]([^"'`]+)["'`]\s*\)"#)
    });
    let module = |expression: &Regex, node: &Node| {
        expression.captures(node.said.as_bytes()).and_then(|found| last_part(&found, |_| false))
    };
    let mut mocked: BTreeMap<String, Mocked> = BTreeMap::new();
    for mock in nodes {
        if let Some(name) = module(&MOCK, mock) {
            mocked.entry(name).or_default().add(mock);
        }
    }
    let mut fakes = Fakes::default();
    for (at, import) in nodes.iter().enumerate().filter(|_| !mocked.is_empty()) {
        let from = module(&FROM, import).and_then(|name| mocked.get(&name));
        let Some(mocked) = from.filter(|_| !MOCK.is_match(import.said.as_bytes())) else { continue };
        // The names in braces are a statement of their own.
        let braces =
            at.checked_sub(1).and_then(|before| nodes.get(before)).filter(|_| import.text.starts_with(['f', '=']));
        let names = braces.map(text_of).unwrap_or_default() + " " + import.said.as_str();
        let names = names.split(" from ").next().unwrap_or_default().split('=').next().unwrap_or_default();
        let is_name = |name: &&str| !matches!(*name, "import" | "const" | "let" | "var" | "as" | "type" | "from");
        let replaced = words(names).filter(is_name).filter(|name| mocked.wholly || mocked.named.contains(*name));
        fakes.replaced.extend(replaced.map(str::to_owned));
    }
    fakes
}

/// How a file mocks a module.
#[derive(Default)]
struct Mocked {
    /// Whether nothing of the module stays what it is.
    wholly: bool,
    /// Otherwise, the words in what takes its place.
    named: BTreeSet<String>,
}

impl Mocked {
    fn add(&mut self, mock: &Node) {
        let whole = text_of(mock);
        let is_partly = ["requireActual", "importActual", "importOriginal"].iter().any(|name| whole.contains(name));
        if is_partly {
            self.named.extend(words(&whole).map(str::to_owned));
        } else {
            self.wholly = true;
        }
    }
}

fn gather(tongue: Tongue, nodes: &[Node], skips: &dyn Fn(&Node) -> bool, fakes: &mut Fakes, depth: usize) {
    let forms = forms(tongue);
    let mut is_fixture = false;
    for node in nodes.iter().filter(|node| !skips(node)) {
        named(&forms.replaced, &node.said, &mut fakes.replaced);
        if let Some((name, _)) = node.text.split_once(" = ").filter(|(name, _)| words(name).eq([*name])) {
            fakes.own.insert(name.to_owned());
        }
        if node.text.contains('=') {
            named(&forms.mock, &node.text, &mut fakes.mocks);
            named(&forms.mock, &node.text, &mut fakes.replaced);
            named(&forms.constant, &node.text, &mut fakes.replaced);
        }
        let calls =
            || node.blocks.iter().flatten().any(|inner| inner.text.contains('(') || inner.text.contains("yield"));
        if let Some(name) = function(tongue, &node.text).filter(|_| !node.blocks.is_empty()) {
            fakes.own.insert(name.to_owned());
            if is_fixture || !calls() {
                fakes.replaced.insert(name.to_owned());
            }
        }
        is_fixture = node.text.starts_with('@') && (is_fixture || node.text.contains("fixture"));
        // A method of Rust takes the place of none: only one of that name can belong to its type.
        let has_methods = tongue == Tongue::Rust && (node.text.starts_with("impl ") || node.text.starts_with("impl<"));
        if depth < MAX_DEPTH && !has_methods {
            node.blocks.iter().for_each(|block| gather(tongue, block, skips, fakes, depth + 1));
        }
    }
}

/// Adds the names that an expression finds in a text.
fn named(regex: &Regex, text: &str, into: &mut BTreeSet<String>) {
    into.extend(regex.captures_iter(text.as_bytes()).filter_map(|found| last_part(&found, |byte| byte == '.')));
}

/// The last part of the first group that matches.
fn last_part(found: &Captures<'_>, splits: fn(char) -> bool) -> Option<String> {
    let group = found.iter().skip(1).flatten().next()?;
    let text = std::str::from_utf8(group.as_bytes()).ok()?;
    text.rsplit(splits).next().map(str::to_owned)
}

/// The whole text of a statement, with its blocks.
fn text_of(node: &Node) -> String {
    fn write(node: &Node, text: &mut String, depth: usize) {
        text.push_str(&node.said);
        text.push(' ');
        if depth < MAX_DEPTH {
            node.blocks.iter().flatten().for_each(|inner| write(inner, text, depth + 1));
        }
    }
    let mut text = String::new();
    write(node, &mut text, 0);
    text
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty())
}

/// Whether a check says only what happened to a mock.
pub(super) fn is_of_mock(said: &str, fakes: &Fakes) -> bool {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\bassert_(?:not_)?(?:any_)?(?:called|awaited)\w*|\bassert_(?:any_(?:call|await)|has_(?:calls|awaits))\b|\.\s*(?:toHaveBeen\w*Called\w*|toBeCalled\w*|toHaveReturned\w*|toHaveNthReturned\w*|lastCalledWith)\b|\.\s*(?:called(?:Once|With|\w*With)?|call_count|callCount|mock_calls|call_args\w*|await_count|mock\s*\.\s*(?:calls|results))\b|\bAssert(?:NotCalled|Called|Expectations|NumberOfCalls)\s*\(",
        )
    });
    ASKS.is_match(said.as_bytes()) || words(said).any(|word| fakes.has_mock(word))
}

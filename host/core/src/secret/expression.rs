//! Regular expressions as gitleaks writes them (Go's RE2), compiled when first needed, searched in bounded windows.
//!
//! Go and Rust share RE2's semantics and differ in spelling. Where the same text would mean something else here, it is
//! refused with what to write instead; nothing is read differently in silence. Classes such as `\w` and `\b` are
//! ASCII, as in Go.

use std::sync::{Arc, OnceLock};

use regex_automata::meta::{Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input, Span};
use regex_syntax::ast::{self, AssertionKind, Ast, ClassSetItem, Visitor};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::automaton::heads;

/// Bytes before a keyword that an expression without a bound of its own sees.
const BEFORE: usize = 256;
/// Bytes after it.
const AFTER: usize = 4096;
/// Longest match that is tried at each keyword by itself; longer ones are looked for over joined windows.
const LONGEST_TRY: usize = 512;
/// Most bytes that a compiled expression may take.
const SIZE: usize = 4 << 20;

/// An expression: its text, and its compiled form once it was needed. Clones share the form.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    source: String,
    keywords: Vec<String>,
    form: Arc<OnceLock<Option<Form>>>,
}

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Form {
    regex: Regex,
    /// Whether every match begins with one of the keywords, so that one try at each is enough.
    pub(super) tried_at_keyword: bool,
    /// Whether a match must begin where a word begins.
    pub(super) edge: bool,
    /// Bytes before the keyword that a match can begin at.
    pub(super) before: usize,
    /// Bytes from the keyword's start that a match can reach.
    pub(super) after: usize,
    /// Longest match, where there is a bound.
    pub(super) longest: Option<usize>,
}

impl Expression {
    /// An expression that a test has checked.
    pub(super) fn trusted(source: String, keywords: &[String]) -> Self {
        Self { source, keywords: keywords.to_vec(), form: Arc::default() }
    }

    /// The same, compiled now; the error is a fragment.
    pub(super) fn checked(source: String, keywords: &[String]) -> Result<Self, String> {
        let form = Form::new(&source, keywords).map_err(|why| format!("`{}`: {why}", shortened(&source)))?;
        let expression = Self::trusted(source, keywords);
        // Nobody else has it yet, so it is empty.
        let _ = expression.form.set(Some(form));
        Ok(expression)
    }

    /// The compiled form.
    pub(super) fn form(&self) -> Option<&Form> {
        self.form.get_or_init(|| Form::new(&self.source, &self.keywords).ok()).as_ref()
    }

    /// Whether it was compiled.
    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.form.get().is_some()
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.form().is_some_and(|form| form.regex.is_match(text))
    }

    /// How many groups it has, the whole match included.
    pub(super) fn groups(&self) -> usize {
        self.form().map_or(1, |form| form.regex.captures_len())
    }
}

impl Form {
    fn new(source: &str, keywords: &[String]) -> Result<Self, String> {
        let parsed = ast::parse::Parser::new().parse(source).map_err(|error| reason(error.kind()))?;
        ast::visit(&parsed, Dialect)?;
        let hir = translated(source, &parsed)?;
        let (edge, bare) = without_edge(&hir);
        let leads = !keywords.is_empty() && leads(&bare, keywords);
        let longest = hir.properties().maximum_len();
        let tried_at_keyword = leads && longest.is_some_and(|longest| longest <= LONGEST_TRY);
        let config = Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(SIZE))
            .hybrid_cache_capacity(1 << 20)
            // Built ahead of time, it costs more than it saves: most rules are asked a few times or never.
            .dfa(false)
            // One that is only tried where a keyword was found has nothing to skip.
            .auto_prefilter(!tried_at_keyword);
        let regex = Regex::builder()
            .configure(config)
            .build_from_hir(if tried_at_keyword { &bare } else { &hir })
            .map_err(|error| format!("it is too large: {error}"))?;
        let before = if leads { 0 } else { longest.unwrap_or(BEFORE) };
        Ok(Self { regex, tried_at_keyword, edge, before, after: longest.unwrap_or(AFTER), longest })
    }

    /// The match that begins at `at` and ends at `end` at the latest.
    pub(super) fn at(&self, text: &str, at: usize, end: usize) -> Option<Span> {
        let input = Input::new(text).span(at..end).anchored(Anchored::Yes);
        self.regex.search(&input).map(|found| found.span())
    }

    /// The leftmost match within `span`.
    pub(super) fn within(&self, text: &str, span: Span) -> Option<Span> {
        self.regex.search(&Input::new(text).span(span)).map(|found| found.span())
    }

    /// The group that is the secret of a match; 0 is the first that is not empty, else the whole.
    pub(super) fn secret(&self, text: &str, found: Span, group: usize) -> Span {
        if self.regex.captures_len() == 1 {
            return found;
        }
        let mut captures = Captures::all(self.regex.group_info().clone());
        let input = Input::new(text).span(found).anchored(Anchored::Yes);
        self.regex.search_captures(&input, &mut captures);
        let filled = |group: usize| captures.get_group(group).filter(|span| !span.is_empty());
        let secret = if group > 0 { filled(group) } else { (1..captures.group_len()).find_map(filled) };
        secret.unwrap_or(found)
    }
}

/// In Go's meaning: ASCII classes. An expression that names what only Unicode has keeps Unicode's.
fn translated(source: &str, parsed: &Ast) -> Result<Hir, String> {
    let translator =
        |unicode| regex_syntax::hir::translate::TranslatorBuilder::new().unicode(unicode).utf8(false).build();
    let ascii = translator(false).translate(source, parsed);
    let hir = ascii.or_else(|_| translator(true).translate(source, parsed));
    hir.map_err(|error| error.kind().to_string())
}

fn reason(kind: &ast::ErrorKind) -> String {
    match kind {
        ast::ErrorKind::UnsupportedLookAround => {
            "look-around is not supported (nor by gitleaks): name the context in the match, and the secret by a group"
                .to_owned()
        }
        ast::ErrorKind::UnsupportedBackreference => {
            "backreferences and octal escapes are not supported: write \\x and two digits for a character".to_owned()
        }
        ast::ErrorKind::EscapeUnrecognized => {
            "an escape that is not known here (Go's \\Q…\\E and \\C are not)".to_owned()
        }
        kind => kind.to_string(),
    }
}

fn shortened(source: &str) -> String {
    crate::text::clip(source, 60).into_owned()
}

/// The expression without the `\b` it begins with: the search looks at the edge itself, and knows that a word also
/// begins after a line end or tab that is written as two characters, as in JSON within text.
fn without_edge(hir: &Hir) -> (bool, Hir) {
    if let HirKind::Concat(parts) = hir.kind()
        && let Some((first, rest)) = parts.split_first()
        && matches!(first.kind(), HirKind::Look(Look::WordAscii | Look::WordUnicode))
    {
        return (true, Hir::concat(rest.to_vec()));
    }
    (false, hir.clone())
}

/// Whether every match begins with a keyword.
fn leads(hir: &Hir, keywords: &[String]) -> bool {
    let keywords: Vec<String> = keywords.iter().map(|word| word.to_ascii_lowercase()).collect();
    let heads = heads(hir);
    !heads.is_empty() && heads.iter().all(|head| keywords.iter().any(|word| head.starts_with(word.as_bytes())))
}

/// Refuses what Go reads in another way.
struct Dialect;

impl Visitor for Dialect {
    type Output = ();
    type Err = String;

    fn finish(self) -> Result<(), String> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), String> {
        let Ast::Assertion(assertion) = ast else { return Ok(()) };
        match assertion.kind {
            AssertionKind::WordBoundaryStartAngle | AssertionKind::WordBoundaryEndAngle => {
                Err("`\\<` and `\\>` are plain signs in Go and word edges here: write `<` and `>`".to_owned())
            }
            AssertionKind::WordBoundaryStart
            | AssertionKind::WordBoundaryEnd
            | AssertionKind::WordBoundaryStartHalf
            | AssertionKind::WordBoundaryEndHalf => Err("`\\b{…}` is not known to Go: write `\\b`".to_owned()),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), String> {
        match item {
            ClassSetItem::Bracketed(_) => {
                Err("`[` within a class is a plain sign in Go and opens a class here: write `\\[`".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ast::ClassSetBinaryOp) -> Result<(), String> {
        Err("`&&`, `--` and `~~` within a class are plain signs in Go and set operations here: write one sign, or \
             put a backslash before it"
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> String {
        Expression::checked(source.to_owned(), &[]).map_or_else(|error| error, |_| String::new())
    }

    #[test]
    fn what_go_reads_differently_is_refused_with_a_remedy() {
        for (source, says) in [
            (r"a(?=b)", "look-around"),
            (r"(?<!a)b", "look-around"),
            (r"(a)\1", "backreferences"),
            (r"\<a", "word edges"),
            (r"\b{start}a", "write `\\b`"),
            (r"[a[b]]", "write `\\[`"),
            (r"[a-z&&b]", "set operations"),
            (r"[a--b]", "set operations"),
            (r"\Qa\E", "\\Q"),
            (r"a{2", "repetition"),
            (r"(a", "unclosed"),
            (r"\w{1000}{1000}", "too large"),
        ] {
            assert!(error(source).contains(says), "{source}: {}", error(source));
        }
        for source in [r"(?i)a|B", r"(?P<x>a)", r"[[:alpha:]]", r"\x60[\x60'\s=]{0,5}", r"(?s).\z", r"[^&\s]", "é+"] {
            assert_eq!(error(source), "", "{source}");
        }
    }

    #[test]
    fn a_try_at_the_keyword_is_enough_where_all_matches_begin_with_one() {
        let leads = |source: &str, keywords: &[&str]| {
            let keywords: Vec<String> = keywords.iter().map(|word| (*word).to_owned()).collect();
            Form::new(source, &keywords).unwrap().tried_at_keyword
        };
        assert!(leads(r"\bgh[po]_\w{20,40}", &["ghp_", "gho_"]));
        assert!(!leads(r"\bgh[pou]_\w{20,40}", &["ghp_", "gho_"]));
        assert!(leads(r"(?i)api[_-]?key=x", &["api_key", "apikey", "api-key"]));
        assert!(!leads(r"\w{3}ghp_x", &["ghp_"]));
        assert!(!leads(r"ghp_\w+", &["ghp_"]), "a match without a bound");
        assert!(!leads(r"(?:ghp_)?x", &["ghp_"]));
    }

    #[test]
    fn classes_are_ascii_as_in_go() {
        assert!(!Expression::checked(r"^\w$".to_owned(), &[]).unwrap().is_match("é".as_bytes()));
    }
}

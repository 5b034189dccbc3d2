//! Regular expressions in the dialect of gitleaks (Go's RE2). They are compiled when first needed and searched in
//! bounded windows.
//!
//! Go and Rust share RE2's semantics but differ in syntax. An expression that would mean something else in Rust is
//! refused, with the syntax to use instead. Classes such as `\w` and `\b` are ASCII, as in Go.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use regex_automata::meta::{BuildError, Config, Regex};
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, Span};
use regex_syntax::ast::{self, AssertionKind, Ast, ClassSetItem, Visitor};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::automaton::prefixes;
use super::opening::Opening;
use crate::expressions::few_searches;

/// Bytes that are searched before a keyword if the expression has no maximum length.
const BEFORE: usize = 256;
/// Bytes that are searched after it.
const AFTER: usize = 4096;
/// Longest match that is tried at each keyword. Expressions with longer matches are searched in merged windows.
const LONGEST_ANCHORED: usize = 512;
/// Bytes that are searched before an expression is compiled to be fast. Searching them takes about as long as compiling it.
const FEW_BYTES: usize = 32 << 10;
/// Most bytes of a compiled expression.
const SIZE: usize = 4 << 20;

/// An expression: its text, and its compiled form once it has been needed. Clones share the compiled form.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    source: String,
    keywords: Arc<[String]>,
    /// Whether each match begins with a keyword, although the expression does not say so.
    at_keyword: bool,
    form: Arc<OnceLock<Option<Form>>>,
}

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Form {
    /// What is searched for.
    hir: Hir,
    /// What its matches begin with.
    opening: Opening,
    /// Compiled in half the time, and slower to search with.
    quick: Regex,
    /// Starts and ends of its groups.
    slots: usize,
    /// Compiled once so much was searched that it pays.
    fast: OnceLock<Regex>,
    /// Bytes that were searched with the quick one.
    searched: AtomicUsize,
    /// Whether every match starts with one of the keywords, so that the expression is only tried at keywords.
    pub(super) anchored_at_keyword: bool,
    /// Whether a match must start at the start of a word.
    pub(super) word_start: bool,
    /// How many bytes before the keyword a match can start.
    pub(super) before: usize,
    /// How many bytes after the keyword's start a match can end.
    pub(super) after: usize,
    /// Longest match, if there is a maximum.
    pub(super) longest: Option<usize>,
}

/// When expressions are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compile {
    /// At once: they are an operator's, who must hear what is wrong with them.
    Now,
    /// When they are first needed: they are bundled, and a test compiles them.
    WhenNeeded,
}

impl Expression {
    /// An expression of a rule with these keywords. If it is compiled now, the error is a message fragment.
    pub(super) fn new(source: String, keywords: Arc<[String]>, compile: Compile) -> Result<Self, String> {
        Self::beginning(source, keywords, false, compile)
    }

    /// The same for an expression whose matches begin with a keyword, if `at_keyword` says so, whatever the expression
    /// itself says.
    pub(super) fn beginning(
        source: String,
        keywords: Arc<[String]>,
        at_keyword: bool,
        compile: Compile,
    ) -> Result<Self, String> {
        let form = match compile {
            Compile::Now => {
                let form = Form::new(&source, &keywords, at_keyword)
                    .map_err(|why| format!("`{}`: {why}", shortened(&source)))?;
                OnceLock::from(Some(form))
            }
            Compile::WhenNeeded => OnceLock::new(),
        };
        Ok(Self { source, keywords, at_keyword, form: Arc::new(form) })
    }

    /// The compiled form.
    pub(super) fn form(&self) -> Option<&Form> {
        self.form.get_or_init(|| Form::new(&self.source, &self.keywords, self.at_keyword).ok()).as_ref()
    }

    /// Whether it was compiled.
    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.form.get().is_some()
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.form().is_some_and(|form| form.regex(text.len()).is_match(text))
    }

    /// Number of groups, including the whole match.
    pub(super) fn groups(&self) -> usize {
        self.form().map_or(1, |form| form.quick.captures_len())
    }
}

impl Form {
    fn new(source: &str, keywords: &[String], at_keyword: bool) -> Result<Self, String> {
        let parsed = ast::parse::Parser::new().parse(source).map_err(|error| reason(error.kind()))?;
        ast::visit(&parsed, Dialect)?;
        let hir = translated(source, &parsed)?;
        let (word_start, bare) = without_word_boundary(&hir);
        let longest = hir.properties().maximum_len();
        if at_keyword && longest.is_none_or(|longest| longest > LONGEST_ANCHORED) {
            return Err(format!(
                "`atKeyword` needs matches of at most {LONGEST_ANCHORED} bytes: bound the repetitions"
            ));
        }
        let at_keyword = at_keyword || !keywords.is_empty() && starts_with_keyword(&bare, keywords);
        let anchored_at_keyword = at_keyword && longest.is_some_and(|longest| longest <= LONGEST_ANCHORED);
        let hir = if anchored_at_keyword { bare } else { hir };
        let opening = Opening::of(&hir);
        let quick = built(few_searches(), &hir).map_err(|error| format!("it is too large: {error}"))?;
        let slots = quick.group_info().slot_len();
        let before = if at_keyword { 0 } else { longest.unwrap_or(BEFORE) };
        let after = longest.unwrap_or(AFTER);
        let (fast, searched) = Default::default();
        Ok(Self { hir, opening, quick, slots, fast, searched, anchored_at_keyword, word_start, before, after, longest })
    }

    /// The expression, to search this many bytes.
    fn regex(&self, bytes: usize) -> &Regex {
        if self.fast.get().is_none() && self.searched.fetch_add(bytes, Ordering::Relaxed) <= FEW_BYTES {
            return &self.quick;
        }
        self.fast.get_or_init(|| {
            let fast = Config::new()
                .hybrid_cache_capacity(1 << 20)
                // An expression that is only tried at keywords has nothing to skip.
                .auto_prefilter(!self.anchored_at_keyword);
            built(fast, &self.hir).unwrap_or_else(|_| self.quick.clone())
        })
    }

    /// The match that starts at `at` and ends at `end` at the latest.
    pub(super) fn at(&self, text: &str, at: usize, end: usize, groups: &mut Groups) -> Option<Span> {
        if !self.opening.fits(text.as_bytes().get(at..end).unwrap_or_default()) {
            return None;
        }
        self.search(&Input::new(text).span(at..end).anchored(Anchored::Yes), groups)
    }

    /// The leftmost match within `span`.
    pub(super) fn within(&self, text: &str, span: Span, groups: &mut Groups) -> Option<Span> {
        self.search(&Input::new(text).span(span), groups)
    }

    /// Searches for a match and its groups at once.
    fn search(&self, input: &Input<'_>, groups: &mut Groups) -> Option<Span> {
        groups.0.clear();
        groups.0.resize(self.slots, None);
        self.regex(input.get_span().len()).search_slots(input, &mut groups.0)?;
        groups.get(0)
    }
}

/// Where the groups of the last match are; group 0 is the match itself. It is used again for each search.
#[derive(Debug, Default)]
pub(super) struct Groups(Vec<Option<NonMaxUsize>>);

impl Groups {
    /// The span of the secret in a match: that of the group, if it is not empty. Group 0 means the first non-empty one.
    pub(super) fn secret(&self, group: usize) -> Option<Span> {
        let filled = |group: usize| self.get(group).filter(|span| !span.is_empty());
        if group > 0 { filled(group) } else { (1..self.0.len() / 2).find_map(filled) }
    }

    fn get(&self, group: usize) -> Option<Span> {
        let place = |slot: usize| self.0.get(slot).copied().flatten().map(NonMaxUsize::get);
        Some(Span { start: place(2 * group)?, end: place(2 * group + 1)? })
    }
}

fn built(config: Config, hir: &Hir) -> Result<Regex, Box<BuildError>> {
    // Compiling a full DFA costs more than it saves: most rules run a few times or never.
    let config = config.utf8_empty(false).nfa_size_limit(Some(SIZE)).dfa(false);
    Regex::builder().configure(config).build_from_hir(hir).map_err(Box::new)
}

/// Translates with ASCII classes, as in Go. An expression that needs Unicode keeps Unicode classes.
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
            "look-around is not supported (gitleaks does not support it either): match the context, and put the secret in a \
             group"
                .to_owned()
        }
        ast::ErrorKind::UnsupportedBackreference => {
            "backreferences and octal escapes are not supported: write \\x and two hexadecimal digits for a character".to_owned()
        }
        ast::ErrorKind::EscapeUnrecognized => {
            "it has an unknown escape (Go's \\Q…\\E and \\C are not supported)".to_owned()
        }
        kind => kind.to_string(),
    }
}

fn shortened(source: &str) -> String {
    crate::text::clip(source, 60).into_owned()
}

/// The expression without the `\b` it starts with. The search checks the word boundary itself, because a word also
/// starts after an escaped line end or tab, as in JSON within text.
fn without_word_boundary(hir: &Hir) -> (bool, Hir) {
    if let HirKind::Concat(parts) = hir.kind()
        && let Some((first, rest)) = parts.split_first()
        && matches!(first.kind(), HirKind::Look(Look::WordAscii | Look::WordUnicode))
    {
        return (true, Hir::concat(rest.to_vec()));
    }
    (false, hir.clone())
}

/// Whether every match starts with a keyword.
fn starts_with_keyword(hir: &Hir, keywords: &[String]) -> bool {
    let keywords: Vec<String> = keywords.iter().map(|word| word.to_ascii_lowercase()).collect();
    let prefixes = prefixes(hir);
    !prefixes.is_empty()
        && prefixes.iter().all(|prefix| keywords.iter().any(|word| prefix.starts_with(word.as_bytes())))
}

/// Refuses syntax that Go reads differently.
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
                Err("`\\<` and `\\>` are plain characters in Go but word boundaries here: write `<` and `>`".to_owned())
            }
            AssertionKind::WordBoundaryStart
            | AssertionKind::WordBoundaryEnd
            | AssertionKind::WordBoundaryStartHalf
            | AssertionKind::WordBoundaryEndHalf => Err("Go does not support `\\b{…}`: write `\\b`".to_owned()),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), String> {
        match item {
            ClassSetItem::Bracketed(_) => {
                Err("`[` within a class is a plain character in Go but opens a class here: write `\\[`".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ast::ClassSetBinaryOp) -> Result<(), String> {
        Err("`&&`, `--` and `~~` within a class are plain characters in Go but set operations here: write one \
             character, or put a backslash before it"
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> String {
        Expression::new(source.to_owned(), Arc::default(), Compile::Now).map_or_else(|error| error, |_| String::new())
    }

    #[test]
    fn syntax_that_go_reads_differently_is_refused_with_a_remedy() {
        for (source, says) in [
            (r"a(?=b)", "look-around"),
            (r"(?<!a)b", "look-around"),
            (r"(a)\1", "backreferences"),
            (r"\<a", "word boundaries"),
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
            Form::new(source, &keywords, false).unwrap().anchored_at_keyword
        };
        assert!(leads(r"\bgh[po]_\w{20,40}", &["ghp_", "gho_"]));
        assert!(!leads(r"\bgh[pou]_\w{20,40}", &["ghp_", "gho_"]));
        assert!(leads(r"(?i)api[_-]?key=x", &["api_key", "apikey", "api-key"]));
        assert!(!leads(r"\w{3}ghp_x", &["ghp_"]));
        assert!(!leads(r"ghp_\w+", &["ghp_"]), "a match without a bound");
        assert!(!leads(r"(?:ghp_)?x", &["ghp_"]));
    }

    #[test]
    fn both_forms_find_the_same() {
        let form = Form::new(r"(?i)\btoken[ =]{1,3}([a-z0-9]{4,20})", &["token".to_owned()], false).unwrap();
        let text = "a token = abc1; TOKEN=xyz99 token=";
        let found = |form: &Form| {
            let all = Span { start: 0, end: text.len() };
            let mut groups = Groups::default();
            let first = form.within(text, all, &mut groups).unwrap();
            let secret = groups.secret(0).unwrap();
            let mut at = |at| form.at(text, at, text.len(), &mut groups);
            (first, secret, at(16), at(3))
        };
        let quick = found(&form);
        assert!(form.fast.get().is_none());
        form.searched.store(FEW_BYTES + 1, Ordering::Relaxed);
        assert_eq!(found(&form), quick);
        assert!(form.fast.get().is_some());
        assert_eq!(&text[quick.1.range()], "abc1");
    }

    #[test]
    fn classes_are_ascii_as_in_go() {
        assert!(!Expression::new(r"^\w$".to_owned(), Arc::default(), Compile::Now).unwrap().is_match("é".as_bytes()));
    }
}

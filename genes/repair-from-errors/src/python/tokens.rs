//! The tokens of a Python source. Queries beyond the last token return nothing, so they need no checks.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Name,
    /// A number.
    Number,
    /// A string literal; an f-string has one for each end.
    Text,
    /// An operator, a bracket or a delimiter.
    Op,
    /// The end of a logical line that holds code.
    Newline,
}

/// A token and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// How many brackets are open around it; for a bracket, those around the pair.
    pub(crate) depth: usize,
}

/// Why a source does not lex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// A bracket that closes nothing, or the wrong one.
    Unmatched,
    /// A bracket that is never closed: the position of the innermost one.
    Unclosed(usize),
    /// A string that does not end.
    UnendedText,
    /// F-strings are nested too deeply.
    TooDeep,
}

/// A lexed source.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    /// The source.
    pub(crate) bytes: &'a [u8],
    /// Its tokens.
    pub(crate) list: Vec<Token>,
    /// Why it does not lex; the tokens up to that point are valid.
    pub(crate) flaw: Option<Flaw>,
}

impl<'a> Tokens<'a> {
    /// The bytes of a token; empty beyond the end.
    pub(crate) fn text(&self, index: usize) -> &'a [u8] {
        self.list.get(index).and_then(|token| self.bytes.get(token.start..token.end)).unwrap_or_default()
    }

    /// Whether the token at `index` is this name or operator.
    pub(crate) fn is(&self, index: usize, text: &str) -> bool {
        self.list.get(index).is_some_and(|token| matches!(token.kind, Kind::Name | Kind::Op))
            && self.text(index) == text.as_bytes()
    }

    /// Whether the token at `index` is of this kind.
    pub(crate) fn is_kind(&self, index: usize, kind: Kind) -> bool {
        self.list.get(index).is_some_and(|token| token.kind == kind)
    }

    /// Whether the token before `index` is this name or operator.
    pub(crate) fn follows(&self, index: usize, text: &str) -> bool {
        index.checked_sub(1).is_some_and(|before| self.is(before, text))
    }
}

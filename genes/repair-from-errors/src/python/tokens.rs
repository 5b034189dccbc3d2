//! The tokens of a Python source, and questions about them that never fail.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Name,
    /// A number.
    Number,
    /// A string literal; for an f-string, each of its two ends.
    Text,
    /// An operator, a bracket or a delimiter.
    Op,
    /// The end of a logical line that holds code.
    Newline,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Brackets open around it; a bracket itself counts those around the pair.
    pub(crate) depth: usize,
}

/// Why a source is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// A bracket that closes nothing, or the wrong one.
    Unmatched,
    /// A bracket that is never closed: the innermost one, by its position.
    Unclosed(usize),
    /// A string that does not end.
    UnendedText,
    /// F-strings within f-strings beyond the bound.
    TooDeep,
}

/// A lexed source.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    /// The source.
    pub(crate) bytes: &'a [u8],
    /// Its tokens.
    pub(crate) list: Vec<Token>,
    /// What is wrong with it; the tokens up to there are sound.
    pub(crate) flaw: Option<Flaw>,
}

impl<'a> Tokens<'a> {
    /// A token's bytes; empty beyond the end.
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

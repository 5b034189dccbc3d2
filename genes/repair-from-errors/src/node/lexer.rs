//! Splits a JavaScript source into tokens: what is code, and what is a string, a template, a regular expression or a comment.
//!
//! Time is linear in the input. The token before a slash decides whether it begins a regular expression or divides. A
//! source whose brackets or strings do not match afterwards is rejected.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Name,
    /// A number.
    Number,
    /// A string, or a template without substitutions.
    Text,
    /// A regular expression.
    Pattern,
    /// The text before, between or after the substitutions of a template. Their code has tokens of its own.
    Piece,
    /// One character of an operator or a bracket; `=>` and `?.` and `...` are one.
    Op,
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

/// A lexed source.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) list: Vec<Token>,
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

    /// Whether the token before `index` is this name or operator.
    pub(crate) fn follows(&self, index: usize, text: &str) -> bool {
        index.checked_sub(1).is_some_and(|before| self.is(before, text))
    }

    /// The bracket that closes the one at `open`.
    pub(crate) fn close(&self, open: usize) -> Option<usize> {
        let depth = self.list.get(open)?.depth;
        let closes = |index: &usize| {
            [")", "]", "}"].iter().any(|close| self.is(*index, close))
                && self.list.get(*index).is_some_and(|t| t.depth == depth)
        };
        (open + 1..self.list.len()).find(closes)
    }
}

/// Lexes a whole source; `None` if it does not lex.
pub(crate) fn lex(bytes: &[u8]) -> Option<Tokens<'_>> {
    let mut lexer = Lexer { bytes, at: 0, list: Vec::new(), open: Vec::new() };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        lexer.at = 3;
    }
    if lexer.rest().starts_with(b"#!") {
        lexer.skip_line();
    }
    while lexer.at < bytes.len() {
        lexer.token()?;
    }
    lexer.open.is_empty().then_some(Tokens { bytes, list: lexer.list })
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    list: Vec<Token>,
    /// Open brackets; a backquote means a substitution of a template.
    open: Vec<u8>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, end: usize) {
        self.list.push(Token { kind, start: self.at, end, depth: self.open.len() });
        self.at = end;
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    }

    fn token(&mut self) -> Option<()> {
        let byte = self.peek(0);
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.at += 1,
            b'/' if self.peek(1) == b'/' => self.skip_line(),
            b'/' if self.peek(1) == b'*' => {
                let body = self.bytes.get(self.at + 2..)?;
                self.at += 4 + body.windows(2).position(|pair| pair == b"*/")?;
            }
            b'"' | b'\'' => {
                let end = self.string_end(byte)?;
                self.push(Kind::Text, end);
            }
            b'`' => self.template(Kind::Text)?,
            b'/' if self.begins_pattern() => {
                let end = self.pattern_end()?;
                self.push(Kind::Pattern, end);
            }
            b'(' | b'[' | b'{' => {
                self.push(Kind::Op, self.at + 1);
                self.open.push(byte);
            }
            b'}' if self.open.last() == Some(&b'`') => {
                self.open.pop();
                self.template(Kind::Piece)?;
            }
            b')' | b']' | b'}' => {
                let opener = match byte {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if self.open.pop() != Some(opener) {
                    return None;
                }
                self.push(Kind::Op, self.at + 1);
            }
            b'0'..=b'9' => self.word(Kind::Number),
            _ if is_name_byte(byte) => self.word(Kind::Name),
            _ => {
                let wide: [&[u8]; 3] = [b"...", b"=>", b"?."];
                let length = wide.iter().find(|op| self.rest().starts_with(op)).map_or(1, |op| op.len());
                self.push(Kind::Op, self.at + length);
            }
        }
        Some(())
    }

    fn word(&mut self, kind: Kind) {
        let fits = |byte: &u8| is_name_byte(*byte) || (kind == Kind::Number && *byte == b'.');
        let rest = self.rest();
        let length = rest.iter().position(|byte| !fits(byte)).unwrap_or(rest.len());
        self.push(kind, self.at + length.max(1));
    }

    fn string_end(&self, quote: u8) -> Option<usize> {
        let mut at = self.at + 1;
        loop {
            match *self.bytes.get(at)? {
                b'\\' => at += 2,
                b'\n' => return None,
                byte if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    /// Lexes from a backquote, or from the end of a substitution, to the next substitution or the end of the template.
    fn template(&mut self, kind: Kind) -> Option<()> {
        let mut at = self.at + 1;
        loop {
            match *self.bytes.get(at)? {
                b'\\' => at += 2,
                b'`' => {
                    self.push(kind, at + 1);
                    return Some(());
                }
                b'$' if self.bytes.get(at + 1) == Some(&b'{') => {
                    self.push(Kind::Piece, at + 2);
                    self.open.push(b'`');
                    return Some(());
                }
                _ => at += 1,
            }
        }
    }

    /// Whether a slash here begins a regular expression, because the token before it is not a value.
    fn begins_pattern(&self) -> bool {
        let Some(last) = self.list.last() else {
            return true;
        };
        let text = self.bytes.get(last.start..last.end).unwrap_or_default();
        match last.kind {
            Kind::Number | Kind::Text | Kind::Pattern => false,
            Kind::Piece => text.ends_with(b"{"),
            Kind::Op => !matches!(text, b")" | b"]" | b"}"),
            Kind::Name => [
                "return",
                "typeof",
                "case",
                "in",
                "of",
                "delete",
                "void",
                "throw",
                "new",
                "instanceof",
                "do",
                "else",
                "yield",
                "await",
            ]
            .iter()
            .any(|word| word.as_bytes() == text),
        }
    }

    fn pattern_end(&self) -> Option<usize> {
        let (mut at, mut in_class) = (self.at + 1, false);
        loop {
            match *self.bytes.get(at)? {
                b'\\' => at += 1,
                b'\n' => return None,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                _ => {}
            }
            at += 1;
        }
        let flags = self.bytes.get(at + 1..).unwrap_or_default();
        Some(at + 1 + flags.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(flags.len()))
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

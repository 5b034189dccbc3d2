//! Splits a Python source into tokens: what is code, and what is a string or a comment.
//!
//! The lexer works on bytes, so it supports every encoding that extends ASCII. Expressions inside f-strings are code
//! (PEP 701). Time is linear in the input, and the nesting of f-strings is limited. A source that does not lex gives a
//! [`Flaw`].

use super::tokens::{Flaw, Kind, Token, Tokens};

/// Maximum nesting of f-strings.
const MAX_NESTING: usize = 8;
/// Operators of more than one character, longest first.
const OPERATORS: [&[u8]; 24] = [
    b"...", b"**=", b"//=", b">>=", b"<<=", b"==", b"!=", b"<=", b">=", b":=", b"->", b"**", b"//", b">>", b"<<",
    b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"@=",
];

/// Lexes a whole source.
pub(crate) fn lex(bytes: &[u8]) -> Tokens<'_> {
    let mut lexer = Lexer { bytes, at: 0, list: Vec::new(), open: Vec::new() };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        lexer.at = 3;
    }
    let mut flaw = lexer.code(None, 0).err();
    if flaw.is_none() {
        flaw = lexer.open.last().map(|(_, start)| Flaw::Unclosed(*start));
    }
    lexer.newline();
    Tokens { bytes, list: lexer.list, flaw }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    list: Vec<Token>,
    open: Vec<(u8, usize)>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let end = (self.at + length).min(self.bytes.len());
        self.list.push(Token { kind, start: self.at, end, depth: self.open.len() });
        self.at = end;
    }

    fn newline(&mut self) {
        if self.list.last().is_some_and(|token| token.kind != Kind::Newline) {
            self.list.push(Token { kind: Kind::Newline, start: self.at, end: self.at, depth: self.open.len() });
        }
    }

    /// Lexes code up to the end of the source or, within an f-string, up to the `}`, `:` or `!` that ends its field, which
    /// has `field` open brackets.
    fn code(&mut self, field: Option<usize>, nesting: usize) -> Result<(), Flaw> {
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            if field == Some(self.open.len()) && (matches!(byte, b'}' | b':') || (byte == b'!' && self.peek(1) != b'='))
            {
                return Ok(());
            }
            match byte {
                b'\n' | b'\r' => {
                    if self.open.is_empty() {
                        self.newline();
                    }
                    self.at += 1;
                }
                b' ' | b'\t' | 0x0c => self.at += 1,
                b'\\' => self.at += if self.peek(1) == b'\r' && self.peek(2) == b'\n' { 3 } else { 2 },
                b'#' => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                }
                b'"' | b'\'' => self.string(0, nesting)?,
                b'0'..=b'9' => self.number(),
                b'.' if self.peek(1).is_ascii_digit() => self.number(),
                b'(' | b'[' | b'{' => {
                    self.push(Kind::Op, 1);
                    self.open.push((byte, self.at - 1));
                }
                b')' | b']' | b'}' => self.close(byte, field)?,
                _ if is_name_byte(byte) => self.name(nesting)?,
                _ => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    let length = OPERATORS.iter().find(|op| rest.starts_with(op)).map_or(1, |op| op.len());
                    self.push(Kind::Op, length);
                }
            }
        }
        Ok(())
    }

    fn close(&mut self, byte: u8, field: Option<usize>) -> Result<(), Flaw> {
        if field == Some(self.open.len()) {
            return Err(Flaw::Unmatched);
        }
        let opener = match byte {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        if self.open.pop().map(|(open, _)| open) != Some(opener) {
            return Err(Flaw::Unmatched);
        }
        self.push(Kind::Op, 1);
        Ok(())
    }

    fn number(&mut self) {
        let mut length = 1;
        loop {
            let byte = self.peek(length);
            let exponent_sign = matches!(byte, b'+' | b'-')
                && matches!(self.peek(length - 1), b'e' | b'E')
                && !matches!(self.peek(1), b'x' | b'X');
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || exponent_sign) {
                break;
            }
            length += 1;
        }
        self.push(Kind::Number, length);
    }

    fn name(&mut self, nesting: usize) -> Result<(), Flaw> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(rest.len());
        let prefix = rest.get(..length).unwrap_or_default();
        let quoted = matches!(rest.get(length), Some(b'"' | b'\''));
        let is_prefix = length <= 2 && prefix.iter().all(|byte| b"rbuftRBUFT".contains(byte));
        if quoted && is_prefix {
            return self.string(length, nesting);
        }
        self.push(Kind::Name, length);
        Ok(())
    }

    fn string(&mut self, prefix: usize, nesting: usize) -> Result<(), Flaw> {
        let start = self.at;
        let letters = self.bytes.get(start..start + prefix).unwrap_or_default();
        let has = |letter: u8| letters.iter().any(|byte| byte.eq_ignore_ascii_case(&letter));
        let (formatted, raw) = (has(b'f') || has(b't'), has(b'r'));
        let quote = self.peek(prefix);
        let triple = self.peek(prefix + 1) == quote && self.peek(prefix + 2) == quote;
        let width = if triple { 3 } else { 1 };
        if formatted {
            self.push(Kind::Text, prefix + width);
        } else {
            self.at += prefix + width;
        }
        let literal = Literal { quote, triple, raw, formatted };
        while self.at < self.bytes.len() {
            if self.ends(&literal) {
                if formatted {
                    self.push(Kind::Text, width);
                } else {
                    let end = self.at + width;
                    self.at = start;
                    self.push(Kind::Text, end - start);
                }
                return Ok(());
            }
            match self.peek(0) {
                b'\n' | b'\r' if !triple => return Err(Flaw::UnendedText),
                b'\\' => self.escape(&literal),
                b'{' if formatted && self.peek(1) == b'{' => self.at += 2,
                b'{' if formatted => self.field(&literal, nesting)?,
                _ => self.at += 1,
            }
        }
        Err(Flaw::UnendedText)
    }

    fn ends(&self, literal: &Literal) -> bool {
        let quote = literal.quote;
        self.peek(0) == quote && (!literal.triple || (self.peek(1) == quote && self.peek(2) == quote))
    }

    fn escape(&mut self, literal: &Literal) {
        if literal.formatted && !literal.raw && self.peek(1) == b'N' && self.peek(2) == b'{' {
            self.at += 3;
        } else if literal.formatted && self.peek(1) == b'{' {
            self.at += 1;
        } else if self.peek(1) == b'\r' && self.peek(2) == b'\n' {
            self.at += 3;
        } else {
            self.at += 2;
        }
    }

    /// Lexes `{expression!r:format}`, beginning at the brace. The format may contain fields itself.
    fn field(&mut self, literal: &Literal, nesting: usize) -> Result<(), Flaw> {
        if nesting >= MAX_NESTING {
            return Err(Flaw::TooDeep);
        }
        self.push(Kind::Op, 1);
        self.open.push((b'{', self.at - 1));
        self.code(Some(self.open.len()), nesting + 1)?;
        if self.peek(0) == b'!' {
            self.at += 1;
            while is_name_byte(self.peek(0)) {
                self.at += 1;
            }
        }
        if self.peek(0) == b':' {
            self.at += 1;
            while self.at < self.bytes.len() && self.peek(0) != b'}' {
                match self.peek(0) {
                    b'{' => self.field(literal, nesting + 1)?,
                    b'\n' | b'\r' if !literal.triple => return Err(Flaw::UnendedText),
                    _ if self.ends(literal) => return Err(Flaw::UnendedText),
                    _ => self.at += 1,
                }
            }
        }
        if self.peek(0) != b'}' {
            return Err(Flaw::UnendedText);
        }
        self.open.pop();
        self.push(Kind::Op, 1);
        Ok(())
    }
}

struct Literal {
    quote: u8,
    triple: bool,
    raw: bool,
    formatted: bool,
}

/// Letters, digits, the underscore, and every byte that is not ASCII.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

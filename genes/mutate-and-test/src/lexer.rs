//! Tokens of Python and JavaScript, as far as edits need them: names, numbers, signs, and everything else as one piece.

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
}

impl Language {
    /// The language of a path; `None` for all others.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" => Some(Self::JavaScript),
            _ => None,
        }
    }

    fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Python => PYTHON,
            Self::JavaScript => JAVASCRIPT,
        }
    }
}

const PYTHON: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];
const JAVASCRIPT: &[&str] = &[
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "let",
    "new",
    "null",
    "of",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "yield",
];
/// The signs of more than one character, the longest first.
const SIGNS: &[&str] = &[
    ">>>=", "**=", "//=", ">>=", "<<=", "===", "!==", ">>>", "...", "&&=", "||=", "??=", "**", "//", ">>", "<<", "<=",
    ">=", "==", "!=", "->", "=>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "++", "--", "&&", "||",
    "??", "?.",
];

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Keyword,
    Number,
    /// A text, template or regular expression, which is left as it is.
    Text,
    Sign,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    /// Its first byte in the file.
    pub(crate) start: usize,
    /// Its line, from 1.
    pub(crate) line: usize,
}

impl Token<'_> {
    /// The byte behind it.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is this sign.
    pub(crate) fn is(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    /// Whether it is this keyword.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Keyword && self.text == word
    }
}

/// The tokens of a file, without comments. What cannot be read ends the list: nothing behind it is edited.
pub(crate) fn tokens(text: &str, language: Language) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let before = tokens.last().copied();
        let Some((length, kind)) = next(rest, language, before.as_ref()) else { break };
        let Some(piece) = rest.get(..length).filter(|piece| !piece.is_empty()) else { break };
        if let Some(kind) = kind {
            let is_keyword = kind == Kind::Name && language.keywords().contains(&piece);
            let kind = if is_keyword { Kind::Keyword } else { kind };
            tokens.push(Token { kind, text: piece, start: at, line });
        }
        line += piece.matches('\n').count();
        at += length;
    }
    tokens
}

/// The length of what comes next, and what it is; `None` as the kind of space and comments.
fn next(rest: &str, language: Language, before: Option<&Token<'_>>) -> Option<(usize, Option<Kind>)> {
    let first = rest.chars().next()?;
    let until = |end: fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
    if first.is_whitespace() {
        return Some((until(|c| !c.is_whitespace()), None));
    }
    match language {
        Language::Python if first == '#' => return Some((until(|c| c == '\n'), None)),
        Language::Python if first == '\\' => return Some((1, None)),
        Language::Python => {
            if let Some(length) = python_text(rest) {
                return length.map(|length| (length, Some(Kind::Text)));
            }
        }
        Language::JavaScript if rest.starts_with("//") => return Some((until(|c| c == '\n'), None)),
        Language::JavaScript if rest.starts_with("/*") => return Some((rest.find("*/")? + 2, None)),
        Language::JavaScript if matches!(first, '"' | '\'') => return Some((quoted(rest, first)?, Some(Kind::Text))),
        Language::JavaScript if first == '`' => return Some((template(rest)?, Some(Kind::Text))),
        Language::JavaScript if first == '/' && begins_expression(before) => {
            return Some((pattern(rest)?, Some(Kind::Text)));
        }
        Language::JavaScript => {}
    }
    if first.is_alphabetic() || matches!(first, '_' | '$') {
        return Some((until(|c| !(c.is_alphanumeric() || matches!(c, '_' | '$'))), Some(Kind::Name)));
    }
    if first.is_ascii_digit() {
        return Some((until(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))), Some(Kind::Number)));
    }
    let is_floor = |sign: &str| language == Language::JavaScript && sign.starts_with("//");
    let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign) && !is_floor(sign));
    Some((sign.map_or(first.len_utf8(), |sign| sign.len()), Some(Kind::Sign)))
}

/// The length of a Python text with its prefix; `None` if none begins here. One that does not end has no length.
#[expect(clippy::option_option, reason = "no text, and a text without an end, are two answers")]
fn python_text(rest: &str) -> Option<Option<usize>> {
    let prefix = rest.find(['"', '\'']).filter(|at| *at <= 2)?;
    let is_prefix = rest.get(..prefix)?.chars().all(|c| "rRbBfFuUtT".contains(c));
    let body = rest.get(prefix..).filter(|_| is_prefix)?;
    let quote = body.chars().next()?;
    let triple = if quote == '"' { "\"\"\"" } else { "'''" };
    if body.starts_with(triple) {
        let mut at = 3;
        return Some(loop {
            let Some(tail) = body.get(at..) else { break None };
            if tail.starts_with(triple) {
                break Some(prefix + at + 3);
            }
            match tail.chars().next() {
                Some('\\') => at += 1 + tail.chars().nth(1).map_or(0, char::len_utf8),
                Some(c) => at += c.len_utf8(),
                None => break None,
            }
        });
    }
    Some(quoted(body, quote).map(|length| prefix + length))
}

/// The length of a text in one line, with both quotes.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of a template, with the expressions in it.
fn template(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    let mut last = ' ';
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' if depth > 0 || last == '$' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '`' if depth == 0 => return Some(at + 1),
            _ => {}
        }
        last = c;
    }
    None
}

/// The length of a regular expression.
fn pattern(rest: &str) -> Option<usize> {
    let (mut escaped, mut in_class) = (false, false);
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => {
                let flags = rest.get(at + 1..)?;
                return Some(at + 1 + flags.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(flags.len()));
            }
            _ => {}
        }
    }
    None
}

/// Whether an expression can begin here, so that a slash begins a regular expression.
fn begins_expression(before: Option<&Token<'_>>) -> bool {
    before.is_none_or(|token| match token.kind {
        Kind::Name | Kind::Number | Kind::Text => false,
        Kind::Keyword => !matches!(token.text, "this" | "super" | "null" | "true" | "false"),
        Kind::Sign => !matches!(token.text, ")" | "]" | "}" | "++" | "--"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, language: Language) -> Vec<&str> {
        tokens(text, language).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_left_out_and_texts_are_one_piece() {
        let python = "x = f'a{b}' # n < 1\nif x //= 2:\n    '''a\n'b' ''' \\\n  rb\"\\\"\"\n";
        let expected = ["x", "=", "f'a{b}'", "if", "x", "//=", "2", ":", "'''a\n'b' '''", "rb\"\\\"\""];
        assert_eq!(texts(python, Language::Python), expected);
        let script = "a = b / c // d\n/* < */ x = /[/]\\/<1/g.test(`a${b + `c`}`) && y === 'it\\'s'";
        let expected = [
            "a",
            "=",
            "b",
            "/",
            "c",
            "x",
            "=",
            "/[/]\\/<1/g",
            ".",
            "test",
            "(",
            "`a${b + `c`}`",
            ")",
            "&&",
            "y",
            "===",
            "'it\\'s'",
        ];
        assert_eq!(texts(script, Language::JavaScript), expected);
    }

    #[test]
    fn lines_are_counted_and_nothing_is_read_behind_a_text_that_does_not_end() {
        let lines: Vec<usize> = tokens("a\n'''\n'''\nb\n", Language::Python).iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 4]);
        assert_eq!(texts("a = 'b\nc < d", Language::Python), ["a", "="]);
        assert_eq!(texts("a = `b\nc < d", Language::JavaScript), ["a", "="]);
    }
}

//! A file as edits see it: tokens, statements, and functions with the names that occur in them.

use std::ops::Range;

use crate::lexer::{Kind, Language, Token, tokens};

/// Most names of a function that are tried in the place of another.
const MAX_NAMES: usize = 14;

/// A file that may be edited.
pub(crate) struct File<'t> {
    pub(crate) text: &'t str,
    pub(crate) language: Language,
    pub(crate) tokens: Vec<Token<'t>>,
    /// Python statements, by their first tokens.
    pub(crate) statements: Vec<Statement>,
    functions: Vec<Function<'t>>,
}

/// A Python statement: for a compound one, its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) tokens: Range<usize>,
    /// Bytes before it in its line.
    pub(crate) indent: usize,
    /// The byte at which its line begins.
    pub(crate) line_start: usize,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function<'t> {
    pub(crate) name: Option<&'t str>,
    /// All of its tokens.
    pub(crate) tokens: Range<usize>,
}

impl<'t> File<'t> {
    pub(crate) fn new(text: &'t str, language: Language) -> Self {
        let tokens = tokens(text, language);
        let mut file = Self { text, language, tokens, statements: Vec::new(), functions: Vec::new() };
        match language {
            Language::Python => {
                file.statements = file.python_statements();
                file.functions = file.python_functions();
            }
            Language::JavaScript => file.functions = file.script_functions(),
        }
        file
    }

    /// A token, or nothing.
    pub(crate) fn get(&self, at: usize) -> Option<&Token<'t>> {
        self.tokens.get(at)
    }

    /// The token before, if there is one.
    pub(crate) fn before(&self, at: usize) -> Option<&Token<'t>> {
        self.tokens.get(at.checked_sub(1)?)
    }

    /// Whether the token at this place is this sign.
    pub(crate) fn is(&self, at: usize, sign: &str) -> bool {
        self.get(at).is_some_and(|token| token.is(sign))
    }

    /// The text of tokens, as it is written.
    pub(crate) fn slice(&self, tokens: &Range<usize>) -> Option<&'t str> {
        let (first, last) = (self.get(tokens.start)?, self.before(tokens.end)?);
        self.text.get(first.start..last.end())
    }

    /// The token that closes the bracket at `open`.
    pub(crate) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text {
                _ if token.kind != Kind::Sign => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The parts between the commas of a bracket; empty for an empty one.
    pub(crate) fn arguments(&self, open: usize) -> Option<Vec<Range<usize>>> {
        let close = self.closing(open)?;
        let mut parts = Vec::new();
        let (mut start, mut depth) = (open + 1, 0_usize);
        for at in open + 1..close {
            let token = self.get(at)?;
            match token.text {
                _ if token.kind != Kind::Sign => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                "," if depth == 0 => {
                    parts.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
        }
        if start < close {
            parts.push(start..close);
        }
        parts.retain(|part| !part.is_empty());
        Some(parts)
    }

    /// The innermost and the outermost function that hold a token.
    pub(crate) fn functions_at(&self, at: usize) -> Option<(&Function<'t>, &Function<'t>)> {
        let mut holding = self.functions.iter().filter(|function| function.tokens.contains(&at));
        let outer = holding.next()?;
        Some((holding.next_back().unwrap_or(outer), outer))
    }

    /// The functions of the file.
    pub(crate) fn functions(&self) -> &[Function<'t>] {
        &self.functions
    }

    /// The variables that occur in the function around a token, in their order; those of the inner function if the outer
    /// one has too many.
    pub(crate) fn variables(&self, at: usize) -> Vec<&'t str> {
        let Some((inner, outer)) = self.functions_at(at) else { return Vec::new() };
        let names = self.variables_in(&outer.tokens);
        let mut names = if names.len() > MAX_NAMES { self.variables_in(&inner.tokens) } else { names };
        names.truncate(MAX_NAMES);
        names
    }

    fn variables_in(&self, tokens: &Range<usize>) -> Vec<&'t str> {
        let mut names = Vec::new();
        for at in tokens.clone() {
            if let Some(token) = self.get(at).filter(|_| self.is_variable(at))
                && !names.contains(&token.text)
            {
                names.push(token.text);
            }
        }
        names
    }

    /// Whether a token is a variable: no attribute, function, class or name of an argument.
    pub(crate) fn is_variable(&self, at: usize) -> bool {
        let Some(token) = self.get(at).filter(|token| token.kind == Kind::Name) else { return false };
        let is_of_other = self.before(at).is_some_and(|before| {
            before.is(".") || before.is("?.") || matches!(before.text, "def" | "class" | "function" | "import" | "from")
        });
        let is_called = self.is(at + 1, "(");
        let is_named = self.is(at + 1, "=") && self.before(at).is_some_and(|before| before.is("(") || before.is(","));
        let is_key = self.language == Language::JavaScript
            && self.is(at + 1, ":")
            && self.before(at).is_some_and(|before| before.is("{") || before.is(","));
        let is_special =
            matches!(token.text, "self" | "cls" | "_" | "print" | "console" | "Math" | "module" | "require");
        let is_type = token.text.starts_with(char::is_uppercase);
        !(is_of_other || is_called || is_named || is_key || is_special || is_type)
    }

    fn python_statements(&self) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        let (mut depth, mut line) = (0_usize, 0);
        for (at, token) in self.tokens.iter().enumerate() {
            let line_start = self.text.get(..token.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            let is_first = self.text.get(line_start..token.start).is_some_and(|before| before.trim().is_empty());
            let continues =
                self.text.get(..line_start).is_some_and(|before| before.trim_end_matches(['\n', '\r']).ends_with('\\'));
            if depth == 0 && token.line != line && is_first && !continues {
                if let Some(last) = statements.last_mut() {
                    last.tokens.end = at;
                }
                statements.push(Statement {
                    tokens: at..self.tokens.len(),
                    indent: token.start - line_start,
                    line_start,
                });
            }
            line = token.line + token.text.matches('\n').count();
            match token.text {
                _ if token.kind != Kind::Sign => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        statements
    }

    fn python_functions(&self) -> Vec<Function<'t>> {
        let mut functions = Vec::new();
        for (number, statement) in self.statements.iter().enumerate() {
            let first = statement.tokens.start
                + usize::from(self.get(statement.tokens.start).is_some_and(|t| t.is_word("async")));
            if !self.get(first).is_some_and(|token| token.is_word("def")) {
                continue;
            }
            let later = self.statements.iter().skip(number + 1).find(|later| later.indent <= statement.indent);
            let end = later.map_or(self.tokens.len(), |later| later.tokens.start);
            functions.push(Function { name: self.get(first + 1).map(|token| token.text), tokens: first..end });
        }
        functions
    }

    fn script_functions(&self) -> Vec<Function<'t>> {
        let mut functions = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let (name, start, open) = if token.is_word("function") {
                let named = self.get(at + 1).filter(|token| token.kind == Kind::Name);
                let Some(open) = (at + 1..at + 4).find(|at| self.is(*at, "(")) else { continue };
                let Some(body) = self.closing(open).map(|close| close + 1) else { continue };
                (named.map(|token| token.text), at, body)
            } else if token.is("=>") && self.is(at + 1, "{") {
                let start = self.arrow_start(at);
                let named = start.checked_sub(2).filter(|_| self.before(start).is_some_and(|token| token.is("=")));
                (named.and_then(|at| self.get(at)).map(|token| token.text), start, at + 1)
            } else if token.kind == Kind::Name
                && self.is(at + 1, "(")
                && !self.before(at).is_some_and(|t| t.is_word("function"))
            {
                let Some(body) = self.closing(at + 1).map(|close| close + 1) else { continue };
                (Some(token.text), at, body)
            } else {
                continue;
            };
            if let Some(end) = Some(open).filter(|open| self.is(*open, "{")).and_then(|open| self.closing(open)) {
                functions.push(Function { name, tokens: start..end + 1 });
            }
        }
        functions.sort_by_key(|function| (function.tokens.start, usize::MAX - function.tokens.end));
        functions
    }

    /// The first token of the parameters of an arrow function.
    fn arrow_start(&self, arrow: usize) -> usize {
        if !self.before(arrow).is_some_and(|token| token.is(")")) {
            return arrow.saturating_sub(1);
        }
        let is_open = |at: &usize| self.is(*at, "(") && self.closing(*at) == arrow.checked_sub(1);
        (0..arrow).rev().find(is_open).unwrap_or(arrow)
    }

    /// The condition of an `if`, `elif` or `while` at a token.
    pub(crate) fn condition(&self, at: usize) -> Option<Range<usize>> {
        let head = self
            .get(at)
            .filter(|token| matches!(token.text, "if" | "elif" | "while") && token.kind == Kind::Keyword)?;
        match self.language {
            Language::JavaScript => {
                let close = Some(at + 1).filter(|open| self.is(*open, "(")).and_then(|open| self.closing(open))?;
                Some(at + 2..close)
            }
            Language::Python => {
                let mut depth = 0_usize;
                for end in at + 1..self.tokens.len() {
                    let token = self.get(end)?;
                    match token.text {
                        _ if token.kind != Kind::Sign => {}
                        "(" | "[" | "{" => depth += 1,
                        ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                        ":" if depth == 0 => return Some(at + 1..end),
                        _ => {}
                    }
                    if depth == 0 && token.line > head.line {
                        return None;
                    }
                }
                None
            }
        }
        .filter(|condition| !condition.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_their_names_and_variables() {
        let text = "def f(a, b=1):\n    def g(c):\n        return c + a\n    x = [\n1]\n    return g(key=x)\n\ny = 1\n";
        let file = File::new(text, Language::Python);
        let functions: Vec<_> =
            file.functions().iter().map(|f| (f.name.unwrap(), file.slice(&f.tokens).unwrap().len())).collect();
        assert_eq!(functions, [("f", text.len() - 8), ("g", 30)]);
        let at = file.tokens.iter().position(|token| token.text == "c" && token.line == 3).unwrap();
        assert_eq!(file.variables(at), ["a", "c", "x"]);
        assert_eq!(file.statements.len(), 6);

        let text =
            "const f = (a) => {\n  return a\n}\nfunction g(b) { if (b) { return c } }\nclass A { m(d) { let e } }\n";
        let file = File::new(text, Language::JavaScript);
        let names: Vec<_> = file.functions().iter().map(|function| function.name.unwrap_or("?")).collect();
        assert_eq!(names, ["f", "g", "m"]);
        let at = file.tokens.iter().position(|token| token.text == "c").unwrap();
        assert_eq!(file.variables(at), ["b", "c"]);
    }
}

//! The statements of a file, each with its blocks: by indentation, or by braces.

use std::borrow::Cow;

/// Deepest nesting that is distinguished. What is deeper belongs to the statement around it.
const MAX_DEPTH: usize = 48;

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Node {
    /// Its first line, from 1.
    pub(super) line: u64,
    /// Its text without strings, comments and blocks, on one line; a block in braces is left as `{}`.
    pub(super) text: String,
    /// The same with strings, equally long.
    pub(super) said: String,
    pub(super) blocks: Vec<Vec<Node>>,
}

impl Node {
    /// A part of its code, with the content of strings.
    pub(super) fn spelled<'a>(&'a self, code: &'a str) -> &'a str {
        let at = self.text.find(code);
        at.and_then(|at| self.said.get(at..at + code.len())).unwrap_or(code)
    }

    /// A node of these two views of the same stretch, equally long.
    fn new(line: u64, text: &str, said: &str) -> Self {
        let from = text.len() - text.trim_ascii_start().len();
        let to = text.trim_ascii_end().len().max(from);
        let flat = |view: &str| on_one_line(view.get(from..to).unwrap_or_default());
        Self { line, text: flat(text), said: flat(said), blocks: Vec::new() }
    }

    /// What it says, with its inner blocks written out that only return a constant: functions that it hands over.
    pub(super) fn with_constants(&self) -> Cow<'_, str> {
        if !self.blocks.iter().any(|block| constant(block).is_some()) {
            return Cow::Borrowed(&self.said);
        }
        let mut said = String::with_capacity(self.said.len());
        let mut from = 0;
        for ((at, braces), block) in self.text.match_indices("{}").zip(&self.blocks) {
            // A block at the end is a body.
            let is_inner = at + braces.len() < self.text.len();
            if let Some(constant) = constant(block).filter(|_| is_inner) {
                said.push_str(self.said.get(from..at).unwrap_or_default());
                said.push_str("{ ");
                said.push_str(constant);
                said.push_str(" }");
                from = at + braces.len();
            }
        }
        said.push_str(self.said.get(from..).unwrap_or_default());
        Cow::Owned(said)
    }
}

fn on_one_line(text: &str) -> String {
    const ENDS: [char; 3] = ['\n', '\r', '\t'];
    // Most statements are on one line.
    if text.bytes().any(|byte| ENDS.contains(&char::from(byte))) { text.replace(ENDS, " ") } else { text.to_owned() }
}

/// The one statement of a block, if it is a constant.
fn constant(block: &[Node]) -> Option<&str> {
    let [only] = block else { return None };
    let value = only.text.trim_start_matches("return ").trim_end_matches(';').trim();
    let is_constant = matches!(value, "true" | "false" | "nil" | "null" | "0" | "1");
    is_constant.then_some(only.text.as_str())
}

/// Statements of a language that nests by indentation, from the two views of its text.
pub(super) fn indented(code: &str, plain: &str) -> Vec<Node> {
    let mut lines = logical_lines(code, plain).into_iter().peekable();
    let mut nodes = Vec::new();
    while lines.peek().is_some() {
        nodes.extend(indented_block(&mut lines, 0, 0));
    }
    nodes
}

/// A statement that may go over lines, and its indentation.
struct Logical {
    indent: usize,
    nodes: Vec<Node>,
}

fn indented_block(
    lines: &mut std::iter::Peekable<std::vec::IntoIter<Logical>>,
    indent: usize,
    depth: usize,
) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    while let Some(next) = lines.peek() {
        if next.indent < indent {
            break;
        }
        if next.indent > indent && !nodes.is_empty() && depth < MAX_DEPTH {
            let inner = next.indent;
            let block = indented_block(lines, inner, depth + 1);
            if let Some(last) = nodes.last_mut() {
                last.blocks.push(block);
            }
            continue;
        }
        nodes.extend(lines.next().into_iter().flat_map(|line| line.nodes));
    }
    nodes
}

fn logical_lines(code: &str, plain: &str) -> Vec<Logical> {
    let bytes = code.as_bytes();
    let mut lines = Vec::new();
    let (mut start, mut line, mut first_line, mut depth, mut at) = (0, 1_u64, 1_u64, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' => {
                let triple = [byte; 3];
                let rest = bytes.get(at..).unwrap_or_default();
                let quotes: &[u8] = if rest.starts_with(&triple) { &triple } else { &triple[..1] };
                let inside = rest.get(quotes.len()..).unwrap_or_default();
                let length = memchr::memmem::find(inside, quotes).unwrap_or(inside.len());
                let whole = (length + 2 * quotes.len()).min(rest.len());
                line += newlines(rest.get(..whole).unwrap_or_default());
                at += whole;
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' => {
                let continued = code.get(start..at).is_some_and(|text| text.trim_end_matches('\r').ends_with('\\'));
                line += 1;
                // A bracket that nothing closes must not take the rest of the file along.
                if depth == 0 && !continued || begins_definition(code.get(at + 1..).unwrap_or_default()) {
                    lines.extend(logical(code, plain, start, at, first_line));
                    (start, first_line, depth) = (at + 1, line, 0);
                }
            }
            _ => {}
        }
        at += 1;
    }
    lines.extend(logical(code, plain, start, code.len(), first_line));
    lines
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn begins_definition(rest: &str) -> bool {
    ["def ", "class ", "async def "].iter().any(|word| rest.starts_with(word))
}

fn logical(code: &str, plain: &str, from: usize, to: usize, line: u64) -> Option<Logical> {
    let (text, said) = (code.get(from..to)?, plain.get(from..to)?);
    if text.trim().is_empty() {
        return None;
    }
    let indent = text.bytes().take_while(|b| matches!(b, b' ' | b'\t')).map(|b| if b == b'\t' { 8 } else { 1 }).sum();
    let (head, rest) = match header_end(text) {
        Some(end) => (end, text.get(end..).unwrap_or_default()),
        None => (0, text),
    };
    let statements = statements(rest, said.get(head..).unwrap_or_default(), line);
    let nodes = if head == 0 {
        statements
    } else {
        let mut header = Node::new(line, text.get(..head)?, said.get(..head)?);
        if !statements.is_empty() {
            header.blocks.push(statements);
        }
        vec![header]
    };
    Some(Logical { indent, nodes })
}

/// Where the header of a compound statement ends, behind its colon.
fn header_end(text: &str) -> Option<usize> {
    const HEADERS: &[&str] = &[
        "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def", "class", "async", "match",
        "case",
    ];
    let trimmed = text.trim_start();
    let word = trimmed.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    if !HEADERS.contains(&word) {
        return None;
    }
    let mut lambdas = 0_usize;
    for (at, byte) in top_level(text) {
        match byte {
            b'l' if text.get(at..).is_some_and(|rest| rest.starts_with("lambda")) => lambdas += 1,
            b':' if text.as_bytes().get(at + 1) == Some(&b'=') => {}
            b':' if lambdas > 0 => lambdas -= 1,
            b':' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn statements(text: &str, said: &str, line: u64) -> Vec<Node> {
    if memchr::memchr(b';', text.as_bytes()).is_none() {
        return if text.trim().is_empty() { Vec::new() } else { vec![Node::new(line, text, said)] };
    }
    let mut nodes = Vec::new();
    let mut start = 0;
    let ends = top_level(text).filter(|(_, byte)| *byte == b';').map(|(at, _)| at).chain([text.len()]);
    for end in ends.collect::<Vec<_>>() {
        let (text, said) = (text.get(start..end).unwrap_or_default(), said.get(start..end).unwrap_or_default());
        if !text.trim().is_empty() {
            nodes.push(Node::new(line, text, said));
        }
        start = end + 1;
    }
    nodes
}

/// The bytes outside of brackets and strings, of a text whose strings are blank, with their places.
pub(super) fn top_level(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut depth, mut quote) = (0_usize, None);
    text.bytes().enumerate().filter(move |(_, byte)| {
        match (quote, byte) {
            (Some(open), _) => {
                if open == *byte {
                    quote = None;
                }
                return false;
            }
            (None, b'"' | b'\'' | b'`') => quote = Some(*byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    })
}

/// Statements of a language that nests by braces, from the two views of its text. Where `lines_end` holds, the end of a
/// line can end a statement.
pub(super) fn braced(code: &str, plain: &str, lines_end: bool) -> Vec<Node> {
    let mut reader = Braces { code, plain, at: 0, line: 1, lines_end };
    let mut nodes = Vec::new();
    while reader.at < code.len() {
        nodes.extend(reader.block(0));
    }
    nodes
}

struct Braces<'a> {
    code: &'a str,
    plain: &'a str,
    at: usize,
    line: u64,
    lines_end: bool,
}

/// A statement as far as it is read.
#[derive(Default)]
struct Open {
    text: String,
    said: String,
    line: Option<u64>,
    brackets: usize,
    blocks: Vec<Vec<Node>>,
}

impl Open {
    fn close(&mut self, nodes: &mut Vec<Node>) {
        let open = std::mem::take(self);
        if let Some(line) = open.line {
            nodes.push(Node { blocks: open.blocks, ..Node::new(line, &open.text, &open.said) });
        }
    }
}

impl Braces<'_> {
    /// Reads up to the closing brace, or to the end.
    fn block(&mut self, depth: usize) -> Vec<Node> {
        let (mut nodes, mut open) = (Vec::new(), Open::default());
        let mut skipped = 0_usize;
        while let Some(&byte) = self.code.as_bytes().get(self.at) {
            self.line += u64::from(byte == b'\n');
            if !byte.is_ascii_whitespace() && byte != b'}' {
                open.line.get_or_insert(self.line);
            }
            match byte {
                b'{' if depth < MAX_DEPTH => {
                    self.at += 1;
                    open.blocks.push(self.block(depth + 1));
                    open.text.push_str("{}");
                    open.said.push_str("{}");
                    if open.brackets == 0 && !self.goes_on_with(b".,);?:") && !self.goes_on_with_block(&open.text) {
                        open.close(&mut nodes);
                    }
                    continue;
                }
                b'{' => skipped += 1,
                b'}' if skipped > 0 => skipped -= 1,
                b'}' => {
                    self.at += 1;
                    open.close(&mut nodes);
                    return nodes;
                }
                b'(' | b'[' => open.brackets += 1,
                b')' | b']' => open.brackets = open.brackets.saturating_sub(1),
                b';' if open.brackets == 0 && !has_clauses(&open.text) => {
                    self.at += 1;
                    open.close(&mut nodes);
                    continue;
                }
                b'\n' if self.lines_end && open.brackets == 0 && self.ends_here(&open.text) => {
                    open.close(&mut nodes);
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if byte.is_ascii_whitespace() {
                self.pass_blanks(&mut open);
            } else {
                self.keep(&mut open);
            }
        }
        open.close(&mut nodes);
        nodes
    }

    /// Passes white space up to the end of the line; behind a line that goes on, also that of the next lines. What is
    /// blank in one view only is a string.
    fn pass_blanks(&mut self, open: &mut Open) {
        let [code, plain] = [self.code, self.plain].map(|view| view.as_bytes().get(self.at..).unwrap_or_default());
        let over_lines = code.first() == Some(&b'\n');
        let is_blank = |(code, plain): &(&u8, &u8)| {
            code.is_ascii_whitespace() && plain.is_ascii_whitespace() && (over_lines || **code != b'\n')
        };
        let length = code.iter().zip(plain).take_while(is_blank).count();
        if length == 0 {
            return self.keep(open);
        }
        // The first line feed is counted already.
        self.line += newlines(code.get(1..length).unwrap_or_default());
        open.text.push(' ');
        open.said.push(' ');
        self.at += length;
    }

    /// Takes one character.
    fn keep(&mut self, open: &mut Open) {
        let mut end = self.at + 1;
        while !self.code.is_char_boundary(end) || !self.plain.is_char_boundary(end) {
            end += 1;
        }
        open.text.push_str(self.code.get(self.at..end).unwrap_or(" "));
        open.said.push_str(self.plain.get(self.at..end).unwrap_or(" "));
        self.at = end;
    }

    fn next(&self) -> Option<u8> {
        self.code.get(self.at..)?.bytes().find(|b| !b.is_ascii_whitespace())
    }

    fn goes_on_with(&self, marks: &[u8]) -> bool {
        self.next().is_some_and(|byte| marks.contains(&byte))
    }

    /// Whether one more block belongs to the statement: in Go, the elements behind a type, and the body behind them.
    fn goes_on_with_block(&self, text: &str) -> bool {
        let rest = self.code.get(self.at..).unwrap_or_default();
        rest.starts_with('{') || has_clauses(text) && rest.trim_start_matches(' ').starts_with('{')
    }

    fn ends_here(&self, text: &str) -> bool {
        let text = text.trim_end();
        let open = text.ends_with(['=', ',', '(', '&', '|', '+', '?', ':', '.', '<', '>', '-', '*', '/', '!']);
        !text.is_empty() && !open && !self.goes_on_with(b".?:&|+*/,)={")
    }
}

/// Whether semicolons may part the clauses of the statement.
fn has_clauses(text: &str) -> bool {
    ["if ", "for ", "switch ", "else if "].iter().any(|word| text.trim_start().starts_with(word))
}

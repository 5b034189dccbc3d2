//! Strings, templates, regular expressions and comments of JavaScript and TypeScript.
//!
//! A slash begins a regular expression where an operand is expected, and divides behind one. Where the grammar needs
//! more than the tokens before it, this gives up.

use super::scan::{Scan, Step, Unsure};

/// Words behind which an operand is expected.
const BEFORE_OPERAND: &[&[u8]] = &[
    b"case",
    b"default",
    b"delete",
    b"do",
    b"else",
    b"extends",
    b"in",
    b"instanceof",
    b"new",
    b"return",
    b"throw",
    b"typeof",
    b"void",
];
/// Words that can be names as well, or that end a statement.
const CONTEXTUAL: &[&[u8]] =
    &[b"async", b"await", b"break", b"continue", b"debugger", b"let", b"of", b"static", b"yield"];
/// Words whose parentheses are followed by a statement.
const HEADS: &[&[u8]] = &[b"for", b"if", b"while", b"with"];

/// What stands before the next token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing, or something that needs an operand.
    Operator,
    Operand,
    /// A word of [`HEADS`].
    Head,
    Either,
}

struct Reading {
    tags: bool,
    before: Before,
    /// For each open parenthesis, whether it is the head of a statement.
    heads: Vec<bool>,
    /// Whether nothing but white space and comments stands before it on its line.
    fresh: bool,
    /// Open braces.
    depth: usize,
    /// The templates and elements of JSX that go on behind the code in them, with the depth of braces at which they do,
    /// the innermost last.
    around: Vec<(usize, Around)>,
}

/// What code stands in.
#[derive(Debug, Clone, Copy)]
enum Around {
    Template,
    /// An element of JSX, and how many are open around the code. The code stands in a tag, or between tags.
    Element {
        open: usize,
        in_tag: bool,
    },
}

pub(super) fn run(scan: &mut Scan<'_>, tags: bool) -> usize {
    if scan.follows(b"\xef\xbb\xbf") {
        scan.at = 3;
        if scan.follows(b"#!") {
            return 0;
        }
    } else if scan.follows(b"#!") {
        scan.at = scan.line_end();
    }
    let mut reading =
        Reading { tags, before: Before::Operator, fresh: true, heads: Vec::new(), depth: 0, around: Vec::new() };
    scan.run(|scan, byte| reading.token(scan, byte))
}

impl Reading {
    fn token(&mut self, scan: &mut Scan<'_>, byte: u8) -> Step {
        match byte {
            b'/' if scan.follows(b"//") => {
                scan.line_comment();
                return Ok(());
            }
            b'/' if scan.follows(b"/*") => {
                let start = scan.at;
                scan.block_comment(false)?;
                self.fresh |= scan.text.get(start..scan.at).is_some_and(|comment| comment.contains(&b'\n'));
                return Ok(());
            }
            b'/' => self.slash(scan)?,
            b'"' | b'\'' => {
                scan.string(byte, false)?;
                self.before = Before::Operand;
            }
            b'`' => self.template(scan)?,
            b'\n' => {
                self.fresh = true;
                scan.at += 1;
                return Ok(());
            }
            b'}' if self.around.last().is_some_and(|(depth, _)| *depth == self.depth) => match self.around.pop() {
                Some((_, Around::Element { open, in_tag })) => {
                    scan.at += 1;
                    self.element(scan, open, in_tag)?;
                }
                _ => self.template(scan)?,
            },
            // Both can begin a comment in a script, and not in a module.
            b'-' if scan.follows(b"-->") => return Err(Unsure),
            b'<' if scan.follows(b"<!--") => return Err(Unsure),
            // No operator begins with it, so that it opens an element, or type parameters.
            b'<' if self.tags && self.before == Before::Operator => {
                let name = scan.rest().get(1..).unwrap_or_default();
                if !name.first().is_some_and(|&b| b == b'>' || is_word(b) && b != b'\\') {
                    return Err(Unsure);
                }
                scan.at += 1;
                self.element(scan, 0, true)?;
            }
            b'<' if self.begins_tag(scan) => return Err(Unsure),
            _ if is_word(byte) => self.word(scan)?,
            _ => {
                self.mark(scan, byte);
                scan.at += 1;
            }
        }
        self.fresh &= byte.is_ascii_whitespace();
        Ok(())
    }

    fn mark(&mut self, scan: &Scan<'_>, byte: u8) {
        self.before = match byte {
            _ if byte.is_ascii_whitespace() => self.before,
            b'(' => {
                self.heads.push(self.before == Before::Head);
                Before::Operator
            }
            b')' if self.heads.pop() == Some(true) => Before::Operator,
            b')' | b']' => Before::Operand,
            b'{' => {
                self.depth += 1;
                Before::Operator
            }
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                Before::Either
            }
            // `x++`, `x! / y` and `1. / y`, or the end of type arguments or of a tag.
            b'+' | b'-' if scan.before() == Some(byte) => Before::Either,
            b'>' if scan.before() == Some(b'=') => Before::Operator,
            b'!' | b'.' | b'>' => Before::Either,
            _ => Before::Operator,
        };
    }

    fn word(&mut self, scan: &mut Scan<'_>) -> Step {
        let length = scan.rest().iter().take_while(|&&b| is_word(b)).count();
        let word = scan.rest().get(..length).unwrap_or_default();
        // White space that is not ASCII ends a word.
        let text = std::str::from_utf8(word).map_err(|_| Unsure)?;
        if text.chars().any(|c| !c.is_ascii() && !c.is_alphanumeric()) {
            return Err(Unsure);
        }
        let is_member = matches!(scan.before(), Some(b'.' | b'#'))
            && !scan.text.get(..scan.at).is_some_and(|before| before.ends_with(b"..."));
        self.before = match word {
            _ if is_member => Before::Operand,
            _ if HEADS.contains(&word) => Before::Head,
            _ if BEFORE_OPERAND.contains(&word) => Before::Operator,
            // `for await (`.
            b"await" if self.before == Before::Head => Before::Head,
            _ if CONTEXTUAL.contains(&word) => Before::Either,
            _ => Before::Operand,
        };
        scan.at += length;
        Ok(())
    }

    fn slash(&mut self, scan: &mut Scan<'_>) -> Step {
        match self.before {
            // On a new line, the statement before may have ended.
            Before::Operand if !self.fresh => {
                scan.at += 1;
                self.before = Before::Operator;
            }
            Before::Operator => {
                let end = regex_end(scan)?;
                scan.hide(scan.at + 1, end);
                scan.at = end + 1;
                self.before = Before::Operand;
            }
            Before::Operand | Before::Head | Before::Either => return Err(Unsure),
        }
        Ok(())
    }

    /// Whether a tag could begin at the `<`.
    fn begins_tag(&self, scan: &Scan<'_>) -> bool {
        let after = scan.rest().get(1..).unwrap_or_default().trim_ascii_start().first();
        let opens = after.is_none_or(|b| is_word(*b) || matches!(b, b'>' | b'/' | b'!'));
        self.tags && self.before != Before::Operand && opens
    }

    /// Reads an element of JSX from within a tag, or from between tags, up to the end of the outermost element or to the
    /// next code in it. The text between tags is hidden, as the content of strings is.
    fn element(&mut self, scan: &mut Scan<'_>, mut open: usize, mut in_tag: bool) -> Step {
        let mut words = 0_usize;
        loop {
            if !in_tag {
                let length = memchr::memchr2(b'<', b'{', scan.rest()).ok_or(Unsure)?;
                if memchr::memchr2(b'>', b'}', scan.rest().get(..length).unwrap_or_default()).is_some() {
                    return Err(Unsure);
                }
                scan.hide(scan.at, scan.at + length);
                scan.at += length;
            }
            match scan.rest().first().ok_or(Unsure)? {
                b'{' => {
                    self.around.push((self.depth, Around::Element { open, in_tag }));
                    self.before = Before::Operator;
                    scan.at += 1;
                    return Ok(());
                }
                b'<' if in_tag => return Err(Unsure),
                b'<' if scan.follows(b"</") => {
                    let length = memchr::memchr(b'>', scan.rest()).ok_or(Unsure)?;
                    let name = scan.rest().get(2..length).unwrap_or_default();
                    if !name.iter().all(|&b| is_of_tag(b) || b.is_ascii_whitespace()) {
                        return Err(Unsure);
                    }
                    (scan.at, open) = (scan.at + length + 1, open.saturating_sub(1));
                    if open == 0 {
                        self.before = Before::Operand;
                        return Ok(());
                    }
                }
                b'<' => (scan.at, in_tag, words) = (scan.at + 1, true, 0),
                b'/' if scan.follows(b"/>") => {
                    (scan.at, in_tag) = (scan.at + 2, false);
                    if open == 0 {
                        self.before = Before::Operand;
                        return Ok(());
                    }
                }
                b'>' => (scan.at, in_tag, open) = (scan.at + 1, false, open + 1),
                &quote @ (b'"' | b'\'') => scan.until(scan.at, &[quote])?,
                &byte if is_of_tag(byte) => {
                    let length = scan.rest().iter().take_while(|&&b| is_of_tag(b)).count();
                    words += 1;
                    // `<T extends` begins type parameters.
                    if words == 2 && scan.rest().get(..length) == Some(b"extends") {
                        return Err(Unsure);
                    }
                    scan.at += length;
                }
                byte if byte.is_ascii_whitespace() || *byte == b'=' => scan.at += 1,
                _ => return Err(Unsure),
            }
        }
    }

    /// Hides a template from its opening, or from the end of code in it, up to its end or to the next code in it.
    fn template(&mut self, scan: &mut Scan<'_>) -> Step {
        let start = scan.at + 1;
        let mut at = start;
        loop {
            let rest = scan.text.get(at..).unwrap_or_default();
            at += memchr::memchr3(b'`', b'\\', b'$', rest).ok_or(Unsure)?;
            match (scan.text.get(at), scan.text.get(at + 1)) {
                (Some(b'`'), _) => {
                    self.before = Before::Operand;
                    scan.hide(start, at);
                    scan.at = at + 1;
                    return Ok(());
                }
                (Some(b'$'), Some(b'{')) => {
                    self.before = Before::Operator;
                    self.around.push((self.depth, Around::Template));
                    scan.hide(start, at);
                    scan.at = at + 2;
                    return Ok(());
                }
                (Some(b'\\'), _) => at += 2,
                _ => at += 1,
            }
        }
    }
}

/// Where the regular expression at `scan.at` ends.
fn regex_end(scan: &Scan<'_>) -> Result<usize, Unsure> {
    let line = scan.text.get(scan.at..scan.line_end()).unwrap_or_default();
    let (mut at, mut in_class) = (1, false);
    while let Some(&byte) = line.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Ok(scan.at + at),
            _ => {}
        }
        at += 1;
    }
    Err(Unsure)
}

/// Whether a byte can stand in the name of a tag or an attribute.
fn is_of_tag(byte: u8) -> bool {
    byte != b'\\' && is_word(byte) || matches!(byte, b'-' | b'.' | b':')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\') || !byte.is_ascii()
}

//! Splits a command line into steps and words. Handles quotes, redirections, comments and here-documents in one pass.

/// How a step is joined to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    First,
    And,
    Or,
    Then,
    Pipe,
}

/// Splits a line at `&&`, `||`, `;`, `|`, `&` and line ends outside quotes, and each step into words. Redirections,
/// here-documents and the parentheses of a group are left out. `$(…)` is part of its word.
pub(crate) fn split(line: &str) -> Vec<(Join, Vec<String>)> {
    let mut splitter = Splitter { pieces: Vec::new(), words: Vec::new(), word: String::new(), join: Join::First };
    let mut chars = line.chars().peekable();
    let mut heredoc: Option<String> = None;
    while let Some(c) = chars.next() {
        match c {
            '\\' => splitter.word.extend(chars.next().filter(|next| *next != '\n')),
            '\'' | '"' | '`' => quoted(c, &mut chars, &mut splitter.word),
            '(' if splitter.word.ends_with('$') => substitution(&mut chars, &mut splitter.word),
            '(' | ')' => {}
            '<' if chars.peek() == Some(&'<') => heredoc = here_word(&mut chars),
            '#' if splitter.word.is_empty() => while chars.next_if(|c| *c != '\n').is_some() {},
            '>' | '<' => {
                splitter.end_word();
                chars.next_if(|c| matches!(c, '>' | '&'));
                while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
                while chars.next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | ')')).is_some() {}
            }
            '&' if chars.peek() == Some(&'>') => {}
            '&' if chars.next_if_eq(&'&').is_some() => splitter.end_step(Join::And),
            '|' if chars.next_if_eq(&'|').is_some() => splitter.end_step(Join::Or),
            '|' => {
                chars.next_if_eq(&'&');
                splitter.end_step(Join::Pipe);
            }
            '\n' => {
                if let Some(end) = heredoc.take() {
                    skip_here_document(&mut chars, &end);
                }
                splitter.end_step(Join::Then);
            }
            ';' | '&' => splitter.end_step(Join::Then),
            c if c.is_whitespace() => splitter.end_word(),
            c => splitter.word.push(c),
        }
    }
    splitter.end_step(Join::Then);
    splitter.pieces
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

struct Splitter {
    pieces: Vec<(Join, Vec<String>)>,
    words: Vec<String>,
    word: String,
    join: Join,
}

impl Splitter {
    fn end_word(&mut self) {
        // The number in a redirection (`2>`) is not a word of the command.
        if !self.word.is_empty() && self.word != "2" {
            self.words.push(std::mem::take(&mut self.word));
        }
        self.word.clear();
    }

    fn end_step(&mut self, next: Join) {
        self.end_word();
        if !self.words.is_empty() {
            self.pieces.push((self.join, std::mem::take(&mut self.words)));
            self.join = next;
        }
    }
}

fn quoted(quote: char, chars: &mut Chars<'_>, word: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == '"' && chars.peek().is_some_and(|next| matches!(next, '"' | '$' | '`' | '\\' | '\n')) => {
                word.extend(chars.next().filter(|next| *next != '\n'));
            }
            c if c == quote => return,
            c => word.push(c),
        }
    }
}

/// The rest of `$(…)`, up to the parenthesis that closes it.
fn substitution(chars: &mut Chars<'_>, word: &mut String) {
    let mut depth = 1usize;
    word.push('(');
    while let Some(c) = chars.next() {
        word.push(c);
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\'' | '"' => {
                quoted(c, chars, word);
                word.push(c);
            }
            '\\' => word.extend(chars.next()),
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// The delimiter of a here-document, after `<<`; `None` for `<<<`.
fn here_word(chars: &mut Chars<'_>) -> Option<String> {
    chars.next();
    if chars.next_if_eq(&'<').is_some() {
        return None;
    }
    chars.next_if_eq(&'-');
    while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    let mut end = String::new();
    while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | ')')) {
        if !matches!(c, '\'' | '"' | '\\') {
            end.push(c);
        }
    }
    Some(end)
}

fn skip_here_document(chars: &mut Chars<'_>, end: &str) {
    loop {
        let mut line = String::new();
        let mut ended = false;
        for c in chars.by_ref() {
            if c == '\n' {
                ended = true;
                break;
            }
            line.push(c);
        }
        if !ended || line.trim() == end {
            return;
        }
    }
}

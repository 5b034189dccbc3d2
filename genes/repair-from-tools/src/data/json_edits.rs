//! JSON: comments, commas, quotes, keywords of Python, backslashes, and the byte order mark.

use super::attempt::{Attempt, doubled_backslashes};
use super::lexer::{Kind, Token, tokens};
use crate::fix::Edit;

/// Names of files that tools read as JSON with comments. Sources: TypeScript, `ESLint`, Babel, SWC, VS Code, Deno, Biome.
const WITH_COMMENTS: [&str; 20] = [
    "tsconfig",
    "jsconfig",
    ".eslintrc",
    ".babelrc",
    "babel.config",
    ".swcrc",
    "deno.json",
    "biome.json",
    "devcontainer",
    "api-extractor",
    "turbo.json",
    "nx.json",
    "wrangler.json",
    ".jshintrc",
    ".jscsrc",
    "tslint",
    "typedoc",
    "rush.json",
    "launch.json",
    "settings.json",
];

/// Whether a tool may read this file as JSON with comments.
pub(super) fn may_have_comments(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    WITH_COMMENTS.iter().any(|start| name.starts_with(start)) || path.split('/').any(|part| part == ".vscode")
}

/// A kind of edit, made wherever it applies.
type Edits = fn(&str, &[Token]) -> Vec<Edit>;

/// Kinds that leave no doubt about what the text means; two of them may be needed together.
const PLAIN: &[(Edits, &str)] = &[
    (mark, "remove the byte order mark"),
    (comments, "remove the comments, which JSON does not have"),
    (trailing_commas, "remove the comma after the last item"),
    (double_commas, "remove the second comma"),
    (single_quotes, "use double quotes"),
    (keywords, "write true, false and null"),
    (bare_keys, "put the keys in quotes"),
    (equals, "write a colon after the keys"),
    (backslashes, "escape the backslashes"),
    (control, "write the tab as `\\t`"),
];

/// Kinds of which only one may apply, in one place.
const SINGLE: &[(Edits, &str)] = &[
    (missing_commas, "add the missing comma"),
    (missing_colons, "add the missing colon"),
    (closing_quotes, "close the text in quotes"),
    (closing_quotes_before_comma, "close the text in quotes"),
    (opening_quotes, "open the text in quotes"),
    (closing_brace, "close the last brace"),
];

/// The attempts: each kind alone, and two plain kinds together.
pub(super) fn attempts(text: &str) -> Vec<Attempt> {
    let tokens = tokens(text);
    let plain: Vec<Attempt> = PLAIN.iter().map(|(edits, what)| (edits(text, &tokens), *what)).collect();
    let mut attempts: Vec<Attempt> = plain.iter().filter(|(edits, _)| !edits.is_empty()).cloned().collect();
    for (edits, what) in SINGLE {
        let made = edits(text, &tokens);
        if made.len() == 1 {
            attempts.push((made, what));
        }
    }
    for (at, (first, what)) in plain.iter().enumerate() {
        for (second, _) in plain.iter().skip(at + 1).filter(|(second, _)| !first.is_empty() && !second.is_empty()) {
            attempts.push((first.iter().chain(second).cloned().collect(), what));
        }
    }
    attempts
}

fn mark(text: &str, _: &[Token]) -> Vec<Edit> {
    if text.starts_with('\u{feff}') { vec![Edit::replace(0..3, "")] } else { Vec::new() }
}

fn comments(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let edit = |token: &Token| {
        let before = &text[..token.range.start];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let after = &text[token.range.end..];
        let ends = after.find('\n').filter(|end| after[..*end].trim().is_empty());
        let blank = before[line..].trim().is_empty();
        match ends {
            Some(end) if blank => Edit::replace(line..token.range.end + end + 1, ""),
            _ => Edit::replace(before.trim_end_matches([' ', '\t']).len()..token.range.end, ""),
        }
    };
    tokens.iter().filter(|token| token.kind == Kind::Comment).map(edit).collect()
}

fn code(tokens: &[Token]) -> Vec<&Token> {
    tokens.iter().filter(|token| token.kind != Kind::Comment).collect()
}

fn trailing_commas(_: &str, tokens: &[Token]) -> Vec<Edit> {
    let pairs = code(tokens);
    let trailing = |pair: &[&Token]| pair[0].kind == Kind::Mark(',') && matches!(pair[1].kind, Kind::Mark('}' | ']'));
    pairs.windows(2).filter(|pair| trailing(pair)).map(|pair| Edit::replace(pair[0].range.clone(), "")).collect()
}

/// In a list, a value may be missing between two commas.
fn double_commas(_: &str, tokens: &[Token]) -> Vec<Edit> {
    let code = code(tokens);
    let is_comma = |at: usize| code.get(at).is_some_and(|token| token.kind == Kind::Mark(','));
    let double = (1..code.len()).filter(|at| is_comma(*at - 1) && is_comma(*at) && !in_array(&code, *at));
    double.map(|at| Edit::replace(code[at].range.clone(), "")).collect()
}

fn single_quotes(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let edit = |token: &Token| {
        let inner = &text[token.range.start + 1..token.range.end - 1];
        let inner = inner.replace("\\'", "'").replace("\\\"", "\"").replace('"', "\\\"");
        Edit::replace(token.range.clone(), format!("\"{inner}\""))
    };
    tokens.iter().filter(|token| token.kind == Kind::Single).map(edit).collect()
}

fn keywords(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let edit = |token: &Token| {
        let new = match &text[token.range.clone()] {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            _ => return None,
        };
        Some(Edit::replace(token.range.clone(), new))
    };
    tokens.iter().filter(|token| token.kind == Kind::Word).filter_map(edit).collect()
}

fn bare_keys(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let pairs = code(tokens);
    let is_key = |pair: &[&Token]| {
        let name = &text[pair[0].range.clone()];
        let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !name.contains(['.', '+']);
        pair[0].kind == Kind::Word && pair[1].kind == Kind::Mark(':') && plain
    };
    let quoted =
        |pair: &[&Token]| Edit::replace(pair[0].range.clone(), format!("\"{}\"", &text[pair[0].range.clone()]));
    pairs.windows(2).filter(|pair| is_key(pair)).map(quoted).collect()
}

fn equals(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let code = code(tokens);
    let is_sign = |at: &usize| {
        let is_key = matches!(code[*at - 1].kind, Kind::Text | Kind::Single | Kind::Word);
        is_key && matches!(&text[code[*at].range.clone()], "=" | "=>") && !in_array(&code, *at)
    };
    (1..code.len()).filter(is_sign).map(|at| Edit::replace(code[at - 1].range.end..code[at].range.end, ":")).collect()
}

fn backslashes(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let texts = tokens.iter().filter(|token| token.kind == Kind::Text);
    texts.flat_map(|token| doubled_backslashes(&text[token.range.clone()], token.range.start, "\"\\/bfnrtu")).collect()
}

fn control(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let texts = tokens.iter().filter(|token| token.kind == Kind::Text);
    let tabs = |token: &Token| {
        let start = token.range.start;
        text[token.range.clone()]
            .match_indices('\t')
            .map(move |(at, _)| Edit::replace(start + at..start + at + 1, "\\t"))
    };
    texts.flat_map(|token| tabs(token).collect::<Vec<_>>()).collect()
}

/// Whether a token can end a value, or start one.
fn is_value(kind: Kind, opening: bool) -> bool {
    match kind {
        Kind::Text | Kind::Word | Kind::Single => true,
        Kind::Mark(mark) => if opening { "{[" } else { "}]" }.contains(mark),
        _ => false,
    }
}

fn missing_commas(_: &str, tokens: &[Token]) -> Vec<Edit> {
    let code = code(tokens);
    let fits = |at: &usize| {
        let (first, next) = (code[*at], code[at + 1]);
        // A text between a comma or brace and another value is a key that lacks its colon.
        let after_key = at.checked_sub(1).is_none_or(|before| matches!(code[before].kind, Kind::Mark('{' | ',')));
        let is_key = first.kind == Kind::Text && after_key && !in_array(&code, *at);
        is_value(first.kind, false) && is_value(next.kind, true) && !is_key
    };
    (0..code.len().saturating_sub(1)).filter(fits).map(|at| Edit::insert(code[at].range.end, ",")).collect()
}

fn missing_colons(_: &str, tokens: &[Token]) -> Vec<Edit> {
    let code = code(tokens);
    let fits = |at: &usize| {
        let before = at.checked_sub(1).map(|before| code[before].kind);
        let key = code[*at].kind == Kind::Text && matches!(before, Some(Kind::Mark('{' | ',')));
        key && !in_array(&code, *at) && is_value(code[at + 1].kind, true)
    };
    (0..code.len().saturating_sub(1)).filter(fits).map(|at| Edit::insert(code[at].range.end, ":")).collect()
}

/// Whether the innermost bracket that is open at a token is `[`.
fn in_array(code: &[&Token], at: usize) -> bool {
    let mut closed = 0_usize;
    for token in code.iter().take(at).rev() {
        match token.kind {
            Kind::Mark('}' | ']') => closed += 1,
            Kind::Mark(mark @ ('{' | '[')) => match closed.checked_sub(1) {
                Some(rest) => closed = rest,
                None => return mark == '[',
            },
            _ => {}
        }
    }
    false
}

fn closing_quotes(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let open = tokens.iter().filter(|token| token.kind == Kind::Open && text[token.range.clone()].starts_with('"'));
    open.map(|token| Edit::insert(token.range.start + text[token.range.clone()].trim_end().len(), "\"")).collect()
}

fn closing_quotes_before_comma(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let open = tokens.iter().filter(|token| token.kind == Kind::Open && text[token.range.clone()].starts_with('"'));
    let end = |token: &Token| {
        text[token.range.clone()].trim_end().strip_suffix(',').map(|part| token.range.start + part.len())
    };
    open.filter_map(end).map(|at| Edit::insert(at, "\"")).collect()
}

/// A word before the quote that should end it: `name": 1`.
fn opening_quotes(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let adjacent = |pair: &&[Token]| {
        pair[0].kind == Kind::Word
            && pair[0].range.end == pair[1].range.start
            && text[pair[1].range.clone()].starts_with('"')
    };
    tokens.windows(2).filter(adjacent).map(|pair| Edit::insert(pair[0].range.start, "\"")).collect()
}

/// The brace that opened first and is the only one that stays open, if the indentation of every line says so too.
fn closing_brace(text: &str, tokens: &[Token]) -> Vec<Edit> {
    let code = code(tokens);
    let (mut depth, mut unit, mut line) = (0_usize, 0, 0);
    for token in &code {
        let start = text[..token.range.start].rfind('\n').map_or(0, |at| at + 1);
        let closes = matches!(token.kind, Kind::Mark('}' | ']'));
        if start > line {
            line = start;
            let indent = token.range.start - start;
            unit = if unit == 0 { indent } else { unit };
            if indent != unit * (depth.saturating_sub(usize::from(closes))) || unit == 0 {
                return Vec::new();
            }
        }
        depth = if closes {
            depth.saturating_sub(1)
        } else {
            depth + usize::from(matches!(token.kind, Kind::Mark('{' | '[')))
        };
    }
    match (code.first(), code.last()) {
        (Some(first), Some(last))
            if depth == 1 && unit > 0 && first.kind == Kind::Mark('{') && is_value(last.kind, false) =>
        {
            vec![Edit::insert(last.range.end, "\n}")]
        }
        _ => Vec::new(),
    }
}

//! How a language reads a line that looks different: words cut by escapes, comments or quotes, letters that stand for
//! ASCII ones, and statements that continue on the next line.
//!
//! Each reading adds to what the rules see; they always see the line as written, too.

use unicode_normalization::UnicodeNormalization;

use super::super::added::AddedLine;
use super::language::Language;

/// Most lines that are read as one.
const MAX_JOINED: usize = 32;

/// The line as the language reads it, if that differs from the written line.
pub(super) fn unmasked(text: &str, languages: &[Language]) -> Option<String> {
    let shell = languages.iter().any(|language| matches!(language, Language::Shell | Language::Yaml));
    let plain = text.is_ascii() && !text.contains(['\\', '\'', '"', '$', '/']);
    if languages.is_empty() || plain {
        return None;
    }
    let mut read = text.to_owned();
    if read.contains('\\') {
        read = unescaped(&read);
    }
    if read.contains("/*") {
        read = without_comments(&read);
    }
    if shell {
        read = unquoted(&read);
    }
    if !read.is_ascii() {
        read = read.nfkc().collect();
    }
    (read != text).then_some(read)
}

/// `\x65`, `\u0065` and `\u{65}` as the ASCII letters they stand for.
fn unescaped(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        read.push_str(before);
        if let Some((letter, tail)) = escape(after) {
            read.push(letter);
            rest = tail;
        } else {
            read.push('\\');
            rest = after;
        }
    }
    read + rest
}

fn escape(text: &str) -> Option<(char, &str)> {
    let (digits, rest) = if let Some(braced) = text.strip_prefix("u{") {
        // The brace is looked for where it can be, so that a line of open braces costs no more than its length.
        let end = braced.bytes().take(7).position(|b| b == b'}')?;
        (braced.get(..end)?, braced.get(end + 1..)?)
    } else if let Some(four) = text.strip_prefix('u') {
        four.split_at_checked(4)?
    } else {
        text.strip_prefix('x')?.split_at_checked(2)?
    };
    let hex = digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let letter = hex.then(|| u8::from_str_radix(digits.trim_start_matches('0'), 16).ok()).flatten()?;
    letter.is_ascii_graphic().then(|| (char::from(letter), rest))
}

/// Replaces comments within a line by a space.
fn without_comments(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        let Some((_, tail)) = after.split_once("*/") else {
            break;
        };
        read.push_str(before);
        read.push(' ');
        rest = tail;
    }
    read + rest
}

/// What a shell makes of a word: empty quotes and backslashes before letters vanish, `$IFS` is a space.
fn unquoted(text: &str) -> String {
    let spaced = text.replace("${IFS}", " ").replace("$IFS", " ").replace("''", "").replace("\"\"", "");
    let mut read = String::with_capacity(spaced.len());
    let mut chars = spaced.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' || !chars.peek().is_some_and(char::is_ascii_alphanumeric) {
            read.push(c);
        }
    }
    read
}

/// Runs of added lines that are one statement, each as one line at the place of its first. Lines without anything but
/// white space, such as a comment that was blanked, do not end a statement.
pub(super) fn joined<'a>(lines: impl Iterator<Item = AddedLine<'a>>) -> Vec<(AddedLine<'a>, String)> {
    let mut runs: Vec<Vec<AddedLine<'a>>> = Vec::new();
    let mut blank = 0;
    for line in lines {
        if line.text.trim().is_empty() {
            blank += 1;
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.len() < MAX_JOINED && run.last().is_some_and(|last| goes_on(last, &line, blank)) => {
                run.push(line);
            }
            _ => runs.push(vec![line]),
        }
        blank = 0;
    }
    let long = runs.into_iter().filter(|run| run.len() > 1);
    long.filter_map(|run| Some((*run.first()?, run.iter().map(|line| bare(line.text)).collect()))).collect()
}

fn goes_on(line: &AddedLine<'_>, next: &AddedLine<'_>, blank: u64) -> bool {
    let (end, start) = (line.text.trim_end(), next.text.trim_start());
    next.number == line.number.saturating_add(1 + blank)
        && (end.ends_with(['\\', '.']) || end.ends_with("::") || start.starts_with('.') || start.starts_with("::"))
}

fn bare(text: &str) -> &str {
    let text = text.trim();
    text.strip_suffix('\\').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_taken_off() {
        let read = |text: &str, language| unmasked(text, &[Language::Any, language]);
        assert_eq!(read(r"ev\u0061l(x)", Language::JavaScript).as_deref(), Some("eval(x)"));
        assert_eq!(read(r"\u{65}val(x)", Language::JavaScript).as_deref(), Some("eval(x)"));
        assert_eq!(read(r"'\x65val'", Language::Python).as_deref(), Some("'eval'"));
        assert_eq!(read("eval/* */(x)", Language::JavaScript).as_deref(), Some("eval (x)"));
        assert_eq!(read("𝐞𝐯𝐚𝐥(x)", Language::Python).as_deref(), Some("eval(x)"));
        assert_eq!(read(r"c\url x|s''h", Language::Shell).as_deref(), Some("curl x|sh"));
        assert_eq!(read("eval(x)", Language::Python), None);
        for odd in [r"\", r"\u", r"\u{", r"\uzzzz", r"\xé", r"\u{110000}", "/*", r"\u0000"] {
            assert_eq!(read(odd, Language::JavaScript), None, "{odd}");
        }
    }

    #[test]
    fn statements_over_lines_are_joined() {
        let lines = ["os.\\", "  system('x')", "a", "process", "  .binding()", "    ", ".x"];
        let added = (1..).zip(lines).map(|(number, text)| AddedLine { number, text });
        let joined: Vec<_> = joined(added).into_iter().map(|(l, text)| (l.number, text)).collect();
        assert_eq!(joined, [(1, "os.system('x')".to_owned()), (4, "process.binding().x".to_owned())]);
    }
}

//! Error signatures: the line that names the cause of a failure, and its normal form. The normal form is the same for
//! the same error in another folder, at another line or on another machine (protocol facts, section 2).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::expressions::{Dialect, LazySet};
use crate::text::without_controls;

/// Most characters of the line that are kept in a signature.
const MAX_LINE_CHARS: usize = 260;
/// Most UTF-16 units of the normal form.
const MAX_NORMAL_UNITS: usize = 220;
/// Most bytes of a line that are searched.
const MAX_SEARCHED: usize = 4096;

const PREFIX: &str = "errsig:";
const NORMAL_PREFIX: &str = "errsig_norm:";

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the expressions of this file compile, as the tests show")
}

/// Lines that name a cause.
const CAUSE: &[&str] = &[
    r"(?i)(?:error|exception)(?:\[\w+\])?\s?:",
    r"(?i)\[error|(?-u:\b)panicked at|^(?:fatal|panic): |error TS\d",
    r#"(?i)"status"\s*:\s*"error"|"?iserror"?\s*:\s*true"#,
    r"(?i)--- fail: |^failed \S|^E   \w|command not found",
    r"(?i)no such file or directory|permission denied|timed out|npm err(?:or|!)|\(fail\) |file does not exist",
    r"(?i)string to replace not found|found \d+ matches of the string|file has not been read yet",
    r"(?i)verification failed|! \[(?:remote )?rejected\]|(?-u:\b)MD\d{3}/",
    r"(?i)\.\w+:\d+:\d+: ",
    r"(?i)错误|失败|異常|エラー|失敗|例外|오류|실패|ошибка|fehler:|erreur :",
];

/// Lines that report a failure without a cause. They are used if no line names a cause.
const GENERIC: &[&str] = &[
    r"(?i)exit(?:ed with)? (?:code|status):? -?[1-9]",
    r"(?i)(?-u:\b)(?:failed|failure|fatal|cannot|could not)(?-u:\b)",
    r"(?i)(?-u:\b)(?:429|5\d\d) \w",
];

static CAUSE_SET: LazyLock<LazySet> = LazyLock::new(|| LazySet::new(Dialect::Unicode, CAUSE.iter().copied()));
static GENERIC_SET: LazyLock<LazySet> = LazyLock::new(|| LazySet::new(Dialect::Unicode, GENERIC.iter().copied()));

/// `errsig:` and the first line that names the cause, with white space collapsed and without control characters, at most
/// 260 characters. `None` if the text has no such line.
pub fn error_signature(text: &str) -> Option<String> {
    let searched = || text.lines().map(|line| line.get(..line.floor_char_boundary(MAX_SEARCHED)).unwrap_or(line));
    let found = message_of_powershell(text)
        .or_else(|| searched().find(|line| CAUSE_SET.is_match(line)))
        .or_else(|| searched().find(|line| GENERIC_SET.is_match(line)))?;
    let collapsed = found.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(PREFIX.chars().chain(without_controls(&collapsed).chars().take(MAX_LINE_CHARS)).collect())
}

/// The lines that name a cause, each without white space around it.
pub fn cause_lines(text: &str) -> impl Iterator<Item = &str> {
    let searched = text.lines().filter(|line| {
        let searched = line.get(..line.floor_char_boundary(MAX_SEARCHED)).unwrap_or(line);
        CAUSE_SET.is_match(searched) && !is_record_of_powershell(line)
    });
    searched.map(str::trim)
}

/// The line with the message of a PowerShell error. Below it or above it stand the place (`At line:1 char:5`, `+ the command`),
/// and at the end the error's record (`+ CategoryInfo`), which names no cause.
fn message_of_powershell(text: &str) -> Option<&str> {
    const MAX_MESSAGE_LINES: usize = 4;
    let is_place = |line: &str| {
        line.starts_with('+') || line.starts_with("At line:") || line.starts_with("At ") && line.contains(" char:")
    };
    let at = memchr::memmem::find(text.as_bytes(), b"+ CategoryInfo")?;
    let above = text.get(..at)?.lines().rev().map(str::trim).skip_while(|line| line.is_empty() || is_place(line));
    let message: Vec<&str> =
        above.take_while(|line| !line.is_empty() && !is_place(line)).take(MAX_MESSAGE_LINES).collect();
    // `New-Item : Access is denied`; its further lines are below.
    let first = message.iter().find(|line| line.contains(" : ")).or(message.first());
    first.map(|line| line.get(..line.floor_char_boundary(MAX_SEARCHED)).unwrap_or(line))
}

fn is_record_of_powershell(line: &str) -> bool {
    let line = line.trim_start();
    ["+ CategoryInfo ", "+ FullyQualifiedErrorId "].iter().any(|start| line.starts_with(start))
}

static WINDOWS_PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"[a-z]:\\[^\s]+"));
static UNIX_PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"/[^\s]+"));
static HEX: LazyLock<Regex> = LazyLock::new(|| regex(r"(?-u:\b)0x[0-9a-f]+(?-u:\b)"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"(?-u:\b)[0-9]+(?-u:\b)"));

/// The normal form, before it is cut. An expression is compiled only if the text has what each of its matches needs.
fn normal(signature: &str) -> String {
    let text = signature.trim().strip_prefix(PREFIX).unwrap_or(signature).trim().to_lowercase();
    let text = replaced(text, &WINDOWS_PATH, |text| text.contains(":\\"), "<path>");
    let text = replaced(text, &UNIX_PATH, |text| text.contains('/'), "<path>");
    let text = replaced(text, &HEX, |text| text.contains("0x"), "<hex>");
    let text = replaced(text, &NUMBER, |text| text.contains(|c: char| c.is_ascii_digit()), "<n>");
    with_single_spaces(&text)
}

fn replaced(text: String, what: &LazyLock<Regex>, could: fn(&str) -> bool, by: &str) -> String {
    if could(&text) { what.replace_all(&text, by).into_owned() } else { text }
}

/// Each run of white space is one space.
fn with_single_spaces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_space = false;
    for c in text.chars() {
        let blank = c.is_whitespace();
        if !blank {
            out.push(c);
        } else if !in_space {
            out.push(' ');
        }
        in_space = blank;
    }
    out
}

/// The normal form of a signature: in lower case, with paths and numbers replaced, at most 220 UTF-16 units. A
/// surrogate pair is never split.
pub fn normalise_signature(signature: &str) -> String {
    let mut units = 0;
    normal(signature)
        .chars()
        .take_while(|c| {
            units += c.len_utf16();
            units <= MAX_NORMAL_UNITS
        })
        .collect()
}

/// FNV-1a, 32 bits, over the UTF-16 units of the signature's normal form.
pub fn signature_hash(signature: &str) -> u32 {
    normal(signature)
        .encode_utf16()
        .take(MAX_NORMAL_UNITS)
        .fold(0x811c_9dc5, |hash, unit| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193))
}

/// A signal in the form in which keys compare it: `errsig_norm:` and eight hexadecimal digits for an error signature,
/// any other signal as it is.
pub fn normal_signal(signal: &str) -> String {
    if signal.starts_with(PREFIX) {
        format!("{NORMAL_PREFIX}{:08x}", signature_hash(signal))
    } else {
        signal.to_owned()
    }
}

/// The key of a set of signals: their normal forms, sorted, without duplicates, joined with `|`; `(none)` if the set is
/// empty.
pub fn signal_key<S: AsRef<str>>(signals: &[S]) -> String {
    let normal: BTreeSet<String> = signals.iter().map(|signal| normal_signal(signal.as_ref())).collect();
    if normal.is_empty() {
        return "(none)".to_owned();
    }
    normal.into_iter().collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expressions::agrees_with_regex;

    #[test]
    fn the_expressions_answer_like_regex() {
        agrees_with_regex(Dialect::Unicode, CAUSE);
        agrees_with_regex(Dialect::Unicode, GENERIC);
    }

    #[test]
    fn an_error_of_powershell_is_its_message() {
        let record = "    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\n    + \
                      FullyQualifiedErrorId : UnexpectedToken";
        for (above, message) in [
            (
                "New-Item : Administrator privilege required for this operation.\nAt line:1 char:1\n+ New-Item a\n+ ~~~~",
                "New-Item : Administrator privilege required for this operation.",
            ),
            (
                "At line:1 char:9\n+ dir | where {extglob.Length}\n+         ~~~\nUnexpected token 'extglob.Length' in expression.",
                "Unexpected token 'extglob.Length' in expression.",
            ),
            (
                "before\n\ncopy : The file is in use by\nanother program.\nAt C:\\a.ps1:1 char:1\n+ copy a b",
                "copy : The file is in use by",
            ),
        ] {
            let text = format!("{above}\n{record}");
            assert_eq!(error_signature(&text), Some(format!("{PREFIX}{message}")), "{text}");
            assert!(!cause_lines(&text).any(|line| line.starts_with('+')), "{text}");
        }
        assert_eq!(error_signature("+ CategoryInfo"), None);
    }

    proptest! {
        #[test]
        fn the_normal_form_is_the_one_of_five_expressions(text in r"(?:\PC|[ \t\n\u{a0}\u{2028}\u{85}\x0b/]|0x|c:\\){0,40}") {
            let text_in = text.trim().to_lowercase();
            let expected = [r"[a-z]:\\[^\s]+", r"/[^\s]+", r"(?-u:\b)0x[0-9a-f]+(?-u:\b)", r"(?-u:\b)[0-9]+(?-u:\b)", r"\s+"]
                .into_iter()
                .zip(["<path>", "<path>", "<hex>", "<n>", " "])
                .fold(text_in, |text, (source, by)| regex(source).replace_all(&text, by).into_owned());
            prop_assert_eq!(normal(&text), expected);
        }
    }
}

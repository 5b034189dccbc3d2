//! Error signatures: the line that says what went wrong, and its normal form, by which the same error is the same
//! error in another folder, at another line, on another machine (protocol facts, section 2).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// Most characters of the line in a signature.
const MAX_LINE_CHARS: usize = 260;
/// Most UTF-16 units of the normal form.
const MAX_NORMAL_UNITS: usize = 220;
/// Most bytes of a line that are looked at.
const MAX_LOOKED_AT: usize = 4096;

const PREFIX: &str = "errsig:";
const NORMAL_PREFIX: &str = "errsig_norm:";

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the expressions of this file compile, as the tests show")
}

/// Lines that say what went wrong.
static TELLING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?:error|exception)(?:\[\w+\])?\s?:|\[error|(?-u:\b)panicked at|^(?:fatal|panic): |error TS\d",
        r#"|"status"\s*:\s*"error"|"?iserror"?\s*:\s*true|--- fail: |^failed \S|^E   \w|command not found"#,
        r"|no such file or directory|permission denied|timed out|npm err(?:or|!)|\(fail\) |file does not exist",
        r"|string to replace not found|found \d+ matches of the string|file has not been read yet|verification failed",
        r"|! \[(?:remote )?rejected\]|(?-u:\b)MD\d{3}/|\.\w+:\d+:\d+: |错误|失败|異常|エラー|失敗|例外|오류|실패|ошибка|fehler:|erreur :",
    ))
});

/// Lines that say no more than that it did: taken where there is no telling one.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)exit(?:ed with)? (?:code|status):? -?[1-9]|(?-u:\b)(?:failed|failure|fatal|cannot|could not)(?-u:\b)|(?-u:\b)(?:429|5\d\d) \w",
    )
});

/// `errsig:` and the first line that says what went wrong, white space collapsed, at most 260 characters; `None`
/// where no line does.
pub fn error_signature(text: &str) -> Option<String> {
    let looked_at = || text.lines().map(|line| line.get(..line.floor_char_boundary(MAX_LOOKED_AT)).unwrap_or(line));
    let found =
        looked_at().find(|line| TELLING.is_match(line)).or_else(|| looked_at().find(|line| BARE.is_match(line)))?;
    let collapsed = found.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(PREFIX.chars().chain(collapsed.chars().take(MAX_LINE_CHARS)).collect())
}

static WINDOWS_PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"[a-z]:\\[^\s]+"));
static UNIX_PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"/[^\s]+"));
static HEX: LazyLock<Regex> = LazyLock::new(|| regex(r"(?-u:\b)0x[0-9a-f]+(?-u:\b)"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"(?-u:\b)[0-9]+(?-u:\b)"));
static SPACE: LazyLock<Regex> = LazyLock::new(|| regex(r"\s+"));

/// The normal form, before it is cut.
fn normal(signature: &str) -> String {
    let text = signature.trim().strip_prefix(PREFIX).unwrap_or(signature).trim().to_lowercase();
    let text = WINDOWS_PATH.replace_all(&text, "<path>");
    let text = UNIX_PATH.replace_all(&text, "<path>");
    let text = HEX.replace_all(&text, "<hex>");
    let text = NUMBER.replace_all(&text, "<n>");
    SPACE.replace_all(&text, " ").into_owned()
}

/// The normal form of a signature: paths, hexadecimal and decimal numbers replaced, lower case, at most 220 UTF-16
/// units. A character of two units that the cut falls into is left out.
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

/// A signal as keys compare it: `errsig_norm:` and eight hexadecimal digits for an error signature, all else as it is.
pub fn normal_signal(signal: &str) -> String {
    if signal.starts_with(PREFIX) {
        format!("{NORMAL_PREFIX}{:08x}", signature_hash(signal))
    } else {
        signal.to_owned()
    }
}

/// The key of a set of signals: normal forms, each once, sorted, joined with `|`; `(none)` where there are none.
pub fn signal_key<S: AsRef<str>>(signals: &[S]) -> String {
    let normal: BTreeSet<String> = signals.iter().map(|signal| normal_signal(signal.as_ref())).collect();
    if normal.is_empty() {
        return "(none)".to_owned();
    }
    normal.into_iter().collect::<Vec<_>>().join("|")
}

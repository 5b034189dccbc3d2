//! Three forms of a line of output: for a signal, for a reader, and the normal form, which is the same for the same error in
//! another folder or at another line number.

use std::borrow::Cow;

use crate::output::progress::in_step;

/// Longest line in a signal, in characters. GEP's error signature has the same limit.
pub(crate) const LINE_CHARS: usize = 260;
/// A quotation in backticks that is not closed is left out if it is longer than this, in bytes.
const MAX_QUOTED: usize = 24;

/// Writes the form for a signal into `into`: white space is collapsed and the line cut at [`LINE_CHARS`] characters.
/// Everything else stays as it is in the log, so that the line can be searched for there.
pub(crate) fn collapsed(line: &str, into: &mut String) {
    into.clear();
    let mut room = LINE_CHARS;
    // What is drawn around a message is no part of it.
    let is_drawn = |word: &&str| word.chars().all(|c| matches!(c, '\u{2500}'..='\u{257f}' | '\u{25b6}'));
    for (number, word) in line.split_whitespace().filter(|word| !is_drawn(word)).enumerate() {
        for c in (number > 0).then_some(' ').into_iter().chain(word.chars()) {
            if room == 0 {
                return;
            }
            into.push(c);
            room -= 1;
        }
    }
}

/// The form for a reader: without colours, tags and bullets, and with long paths shortened.
pub(crate) fn readable(line: &str) -> String {
    let text = untagged(line);
    let text = in_step(&text).unwrap_or(&text);
    let bare = text.trim_start_matches(['-', '*', '>', '•', '|', '✗', '×', '✕', ' ']).trim_end();
    bare.split(' ').map(short_path).collect::<Vec<_>>().join(" ")
}

/// A line without colours and without the tag that Claude Code writes around an error.
pub(crate) fn untagged(line: &str) -> Cow<'_, str> {
    fn bare(text: &str) -> &str {
        text.trim().trim_start_matches("<tool_use_error>").trim_end_matches("</tool_use_error>")
    }
    match uncoloured(line) {
        Cow::Borrowed(text) => Cow::Borrowed(bare(text)),
        Cow::Owned(text) => Cow::Owned(bare(&text).to_owned()),
    }
}

/// Shortens a path of more than 36 bytes within a word to its last two names, and a URL to its server.
pub(crate) fn short_path(word: &str) -> Cow<'_, str> {
    const LONG: usize = 36;
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '@');
    let slash = word.find('/').filter(|_| word.len() > LONG && !word.contains("://"));
    if word.len() > LONG
        && let Some((scheme, rest)) = word.split_once("://")
        && let Some((host, _)) = rest.split_once('/')
    {
        return Cow::Owned(format!("{scheme}://{host}/…"));
    }
    let is_drive = |before: &str| before.ends_with(|c: char| c.is_ascii_alphabetic());
    let drive = Some(word).filter(|word| word.len() > LONG && !word.contains('/')).and_then(|word| word.find(":\\"));
    if let Some(drive) = drive.filter(|at| word.get(..*at).is_some_and(is_drive)) {
        let before = word.get(..drive - 1).unwrap_or_default();
        let names: Vec<&str> =
            word.get(drive..).unwrap_or_default().split('\\').filter(|name| !name.is_empty()).collect();
        if let [_, .., folder, file] = names[..] {
            return Cow::Owned(format!("{before}…\\{folder}\\{file}"));
        }
    }
    let start = slash.and_then(|at| word.get(..at)).map(|before| before.trim_end_matches(in_name).len());
    let end = word.rmatch_indices('/').nth(1);
    match (start, end) {
        (Some(start), Some((end, _))) if end > start => {
            Cow::Owned(format!("{}…{}", word.get(..start).unwrap_or_default(), word.get(end..).unwrap_or_default()))
        }
        _ => Cow::Borrowed(word),
    }
}

fn uncoloured(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, escape)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        rest = after_escape(escape);
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The text after a terminal escape sequence; `escape` begins after the escape character.
pub(crate) fn after_escape(escape: &str) -> &str {
    let Some(sequence) = escape.strip_prefix('[') else { return escape };
    let end = sequence.find(|c: char| !matches!(c, '0'..='9' | ';' | '?')).unwrap_or(sequence.len());
    sequence.get(end..).map_or("", |end| end.get(1..).unwrap_or(""))
}

/// A hash of the line's normal form, which ignores colours, case, the prefix of a structured log, and the values of quoted
/// and bracketed names, paths, numbers, hashes and times. An identifier such as `E0282` keeps its digits.
pub(crate) fn normal_hash(line: &str) -> u64 {
    let mut hash = Fnv::default();
    let line = uncoloured(line);
    for (text, is_name) in parts(message(&line)) {
        if is_name {
            hash.put(b'`');
            continue;
        }
        let mut before = "";
        for word in text.split_whitespace() {
            hash.put(b' ');
            // The status of an answer tells errors apart.
            if is_status(word) && STATUS.iter().any(|words| before.ends_with(words)) {
                word.bytes().take(3).for_each(|byte| hash.put(byte));
                continue;
            }
            before = word;
            // A drive letter belongs to the path.
            let path = word.find('/').or_else(|| word.find(":\\").map(|at| at.saturating_sub(1)));
            let (plain, is_path) = path.map_or((word, false), |at| (word.get(..at).unwrap_or_default(), true));
            hash_word(plain, &mut hash);
            if is_path {
                hash.put(b'/');
            }
        }
    }
    hash.0
}

/// The fewest words in a row that a message repeats from a call, and how many words must remain beside them.
const LEAST_REPEATED: usize = 2;
const LEAST_OWN: usize = 3;
/// Most bytes of a call that are compared with a message.
const MAX_CALL_BYTES: usize = 2048;

/// The hash of a message in which everything that it repeats from the call is left out: `Blocked: sleep 9 before: ls a` and
/// `Blocked: sleep 5 before: cat b` are one message. `None` if it repeats nothing, or consists of little else.
pub(crate) fn hash_beside_call(line: &str, call: &str) -> Option<u64> {
    let is_end = |c: char| c.is_whitespace() || "\"'`\\;&|(){},".contains(c);
    let call = call.get(..call.floor_char_boundary(MAX_CALL_BYTES)).unwrap_or_default();
    let of_call: Vec<&str> = call.split(is_end).filter(|word| !word.is_empty()).collect();
    let bare = |word: &str| word.trim_matches(|c: char| is_end(c) || matches!(c, '.' | ':')).to_owned();
    let line = untagged(line);
    let words: Vec<(&str, String)> = message(&line).split_whitespace().map(|word| (word, bare(word))).collect();
    let is_own = |(_, bare): &(&str, String)| bare.is_empty() || !of_call.contains(&bare.as_str());
    let (mut kept, mut own, mut repeats) = (String::new(), 0, false);
    for run in words.chunk_by(|a, b| is_own(a) == is_own(b)) {
        if run.len() >= LEAST_REPEATED && !run.iter().any(is_own) {
            repeats = true;
            kept.push_str(" ``");
            continue;
        }
        for (word, _) in run {
            own += 1;
            kept.extend([" ", word]);
        }
    }
    (repeats && own >= LEAST_OWN).then(|| normal_hash(&kept))
}

/// The quoted names of a line in one text; an id that the line has differs each time and names nothing.
pub(crate) fn joined_names(line: &str) -> Option<String> {
    let names: Vec<String> = quoted_names(line).into_iter().filter(|name| !has_id(name)).collect();
    Some(names.join(" / ")).filter(|names| !names.is_empty())
}

/// The quoted names of a line, each once.
pub(crate) fn quoted_names(line: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (text, is_name) in parts(message(&uncoloured(line))) {
        // `<stdin>:12` and `\t` are no names.
        let is_word = text.len() > 2 && text != "stdin" && text != "stdout" && text.contains(char::is_alphanumeric);
        if is_name && is_word && !names.iter().any(|known| known == text) {
            names.push(text.to_owned());
        }
    }
    names
}

/// How the lines of the causes begin that stand below a message.
const CAUSES: [&str; 4] = ["Caused by: ", "├─▶ ", "╰─▶ ", "> Caused by: "];

/// Whether a line is a cause of the message above it.
pub(crate) fn is_cause(line: &str) -> bool {
    CAUSES.iter().any(|start| line.trim_start().starts_with(start))
}

/// The shortest id of a request or a host.
const MIN_ID: usize = 16;

/// Whether a text holds the id of a request or a host: a long word of hexadecimal digits.
pub(crate) fn has_id(text: &str) -> bool {
    let is_id = |word: &str| {
        word.len() >= MIN_ID
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    };
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(is_id)
}

/// Whether a text is a number, which names nothing.
pub(crate) fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-'))
}

/// The line with `…` in place of its quoted names.
pub(crate) fn without_names(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for (part, is_name) in parts(line) {
        text.push_str(if is_name { "…" } else { part });
    }
    text
}

/// What two lines have in common: `…` stands for the words in which they differ, and for the rest if one is longer.
pub(crate) fn common(one: &str, other: &str) -> String {
    if one == other {
        return one.to_owned();
    }
    let (of_one, of_other): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), other.split(' ').collect());
    let is_longer = of_one.len() != of_other.len();
    let pairs = of_one.iter().zip(&of_other);
    let same = if is_longer { pairs.clone().take_while(|(a, b)| a == b).count() } else { of_one.len() };
    let words = pairs.take(same).map(|(a, b)| if a == b { *a } else { "…" });
    words.chain(is_longer.then_some("…")).collect::<Vec<_>>().join(" ")
}

/// The message of a line of a structured log: of `time="…" level=error msg="no lease"` and of
/// `{"level":"error","msg":"no lease"}` it is `no lease`. Without such a prefix it is the line.
pub(crate) fn message(line: &str) -> &str {
    let text = line.trim_start();
    let is_structured =
        text.starts_with('{') || text.starts_with("time=") || text.starts_with("level=") || text.starts_with("ts=");
    if !is_structured {
        return without_time(text);
    }
    let keys = ["msg=\"", "message=\"", "\"msg\":\"", "\"message\":\"", "err=\"", "error=\"", "\"error\":\""];
    let found = keys.iter().find_map(|key| text.split_once(key)).map(|(_, rest)| rest);
    let end = |rest: &str| rest.find('"').unwrap_or(rest.len());
    found.and_then(|rest| rest.get(..end(rest))).filter(|message| message.len() > 3).unwrap_or(text)
}

/// A line without the times and counters at its beginning: `2026-01-02T03:04:05Z`, `[12:03:04]`, `03:04:05.123`.
fn without_time(line: &str) -> &str {
    let mut rest = line;
    for _ in 0..3 {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let bare = word.trim_matches(['[', ']', '(', ')', ',']);
        let is_time = bare.len() >= 5
            && bare.contains(':')
            && bare
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-' | b'T' | b'Z' | b'+' | b','));
        let is_date = bare.len() == 10
            && bare.matches(['-', '/']).count() == 2
            && bare.bytes().filter(u8::is_ascii_digit).count() == 8;
        // `#12 61.22 `, which a container's build prints before each line, and the rest of `[12:03:04 ERR]`.
        let is_step = word.len() > 1 && word.starts_with('#') && word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let is_counter = rest.len() < line.len()
            && word.contains('.')
            && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let is_level = rest.len() < line.len()
            && word.strip_suffix(']').is_some_and(|level| matches!(level, "ERR" | "ERROR" | "FTL" | "FATAL" | "WRN"));
        if !is_time && !is_date && !is_step && !is_counter && !is_level {
            break;
        }
        rest = rest.get(word.len()..).unwrap_or_default().trim_start();
    }
    rest
}

/// The parts of a line: quoted or bracketed names, and the text around them. An apostrophe within a word quotes nothing. A
/// quotation that is not closed reaches to the end of the line if it is a long one in backticks.
fn parts(line: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let bytes = line.as_bytes();
    while let Some(byte) = bytes.get(at) {
        let close = match byte {
            b'"' | b'`' => Some(*byte),
            b'\'' if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => Some(b'\''),
            b'[' => Some(b']'),
            b'<' => Some(b'>'),
            _ => None,
        };
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let is_end = |(offset, byte): (usize, &u8)| {
            Some(*byte) == close && (*byte != b'\'' || !rest.get(offset + 1).is_some_and(u8::is_ascii_alphanumeric))
        };
        let len = close.and_then(|_| rest.iter().enumerate().position(is_end));
        let len = match len {
            None if *byte == b'`' && rest.len() > MAX_QUOTED => Some(rest.len()),
            len => len,
        };
        // A code such as `error[E0282]` tells errors apart.
        let is_code = *byte == b'[' && at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        if let Some(len) = len.filter(|_| !is_code) {
            parts.push((line.get(start..=at).unwrap_or_default(), false));
            parts.push((line.get(at + 1..at + 1 + len).unwrap_or_default(), true));
            start = at + 1 + len;
            at = start;
        }
        at += 1;
    }
    parts.push((line.get(start..).unwrap_or_default(), false));
    parts
}

/// Words before the status of an answer.
const STATUS: [&str; 6] = ["tatus", "ode", "HTTP", "HTTP/1.1", "HTTP/2", "error:"];

/// `404`, `503:`
fn is_status(word: &str) -> bool {
    let digits = word.trim_end_matches([':', ',', '.', ')']);
    digits.len() == 3 && digits.starts_with(['4', '5']) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line with nothing in the place of the status of an answer; `None` if it has none.
pub(crate) fn without_status(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let is_one = |pair: &[&str]| is_status(pair[1]) && STATUS.iter().any(|words| pair[0].ends_with(words));
    let at = words.windows(2).position(is_one)? + 1;
    let bare = words.iter().enumerate().map(|(place, word)| if place == at { "-" } else { word });
    Some(bare.collect::<Vec<_>>().join(" "))
}

fn hash_word(word: &str, hash: &mut Fnv) {
    let mut before = b' ';
    // The parts of an id are short and may begin with a letter: `0e3e6cb4-1e74-4d50-bd90-e81c66348c3d`.
    let is_of_id = word.len() >= MIN_ID && has_id(word);
    for run in word.as_bytes().chunk_by(|a, b| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric()) {
        let is_number = run[0].is_ascii_digit() && before != b'_';
        let is_hash =
            (is_of_id || run.len() >= 7 && run.iter().any(u8::is_ascii_digit)) && run.iter().all(u8::is_ascii_hexdigit);
        if is_number || is_hash {
            hash.put(b'#');
        } else {
            for byte in run {
                hash.put(byte.to_ascii_lowercase());
            }
        }
        before = *run.last().unwrap_or(&b' ');
    }
}

struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn put(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

/// The rule that a line of oxlint names: `x eslint(func-style): Expected a function expression.`
pub(crate) fn rule_of_oxlint(line: &str) -> Option<&str> {
    let said = ["x ", "× "].iter().find_map(|mark| line.strip_prefix(mark))?;
    let (plugin, rest) = said.split_once('(')?;
    let (rule, _) = rest.split_once("): ")?;
    let is_name = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'))
    };
    (is_name(plugin) && is_name(rule)).then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_form_ignores_where_an_error_occurred() {
        let same = |a: &str, b: &str| normal_hash(a) == normal_hash(b);
        assert!(same("--- FAIL: TestA (13.01s)", "--- FAIL: TestA (2.5s)"));
        assert!(same("error: 082c2c4495629bd585: bad /a/b", "error: 1f2e3d4c5b6a798: bad /c"));
        assert!(same(
            "bad ID: 18b63ad5-dc01-4ece-b0c2-1ba6d3bc2b99. Stop",
            "bad ID: fe3e6cb4-1e74-dd50-90bd-abcdefabcde1. Stop"
        ));
        assert!(!same("bad ID: dead-beef", "bad ID: face-feed"), "two words are no id");
        assert!(same("Error  in\tC:\\a\\b", "error in D:\\x"));
        assert!(same("old_str `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "old_str `bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"));
        assert!(same("no type `Foo`", "no type `Bar`"));
        assert!(same("no lease for queue 'alpha'", "no lease for queue 'beta-2'"));
        assert!(same("can't open \"a b\": it isn't there", "can't open \"c\": it isn't there"));
        assert!(same(
            "time=\"2026-01-02T03:04:05Z\" level=error msg=\"no lease\"",
            "time=\"2027\" level=error msg=\"no lease\""
        ));
        assert!(same("[Nest] 123 - x: no lease", "[Nest] 99 - x: no lease"));
        assert!(same("2026-01-02T03:04:05.1Z no lease", "[12:03:04] no lease"));
        assert!(!same("no lease for 'a'", "no queue for 'a'"));
        assert!(!same("error[E0282]: x", "error[E0599]: x"));
        assert!(!same("failed with status code 403", "failed with status code 503"));
        assert_eq!(without_status("status code 403: no").as_deref(), Some("status code - no"));
        assert_eq!(without_status("line 403 of a"), None);
        assert!(same("took 403 s", "took 503 s"));
        assert!(!same("test_1 failed", "test_2 failed"), "a name keeps its digits");
    }

    #[test]
    fn what_a_message_repeats_from_its_call_does_not_tell_it_apart() {
        let blocked = |rest: &str| {
            format!("Blocked: sleep 30 followed by: {rest}. Wait with a loop (`do sleep 2; done`) until it is done.")
        };
        let of = |rest: &str, call: &str| hash_beside_call(&blocked(rest), call);
        let known = of("cat /a/b.out", "sleep 30 && cat /a/b.out");
        assert!(known.is_some());
        assert_eq!(known, of("echo \"done waiting\"", "sleep 30; echo \"done waiting\""));
        assert_eq!(known, of("logs --tail tail -40", "sleep 30 && logs --tail 2>&1 | tail -40"));
        assert_eq!(
            hash_beside_call("error: no title", "gh pr create -t title"),
            None,
            "one word may be there by chance"
        );
        assert_eq!(hash_beside_call("no such host", "curl x"), None);
        assert_eq!(hash_beside_call("ls -l a", "ls -l a"), None, "nothing of its own remains");
    }

    #[test]
    fn what_lines_have_in_common_is_left() {
        for (one, other, expected) in [
            ("KeyError: 'a'", "KeyError: 'b'", "KeyError: …"),
            ("no 'a b' here", "no 'c' here", "no …"),
            ("at 1 of 2", "at 3 of 2", "at … of 2"),
            ("same", "same", "same"),
        ] {
            assert_eq!(common(one, other), expected);
        }
        assert_eq!(common(&common("a 1 b", "a 2 b"), "a 1 b"), "a … b");
    }

    #[test]
    fn readable_lines_have_no_colours_tags_and_long_paths() {
        assert_eq!(readable("\u{1b}[31m✗ \u{1b}[1mFAIL\u{1b}[0m: x"), "FAIL: x");
        assert_eq!(readable("<tool_use_error>No.</tool_use_error>"), "No.");
        assert_eq!(readable("no x in '/aaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbb/cccccccc/d.py'"), "no x in '…/cccccccc/d.py'");
        assert_eq!(readable("(packages/core/src/evaluation/grading.ts:4)"), "(…/evaluation/grading.ts:4)");
        assert_eq!(
            readable(r"no x in 'C:\aaaaaaaaaaaaaaaaaaaaaa\bbbbbbbbbbbbbbbbb\cccc\d.py'"),
            r"no x in '…\cccc\d.py'"
        );
        assert_eq!(
            readable(r"(?:\label\{eq:aaaaaaaaaaaa\}\bbbbbbbbbbbbbbbbbb)"),
            r"(?:\label\{eq:aaaaaaaaaaaa\}\bbbbbbbbbbbbbbbbbb)"
        );
        assert_eq!(readable(r"no x in C:\a\d.py"), r"no x in C:\a\d.py");
        assert_eq!(readable("no x in /a/d.py"), "no x in /a/d.py");
        assert_eq!(
            readable("see https://docs.x.example/en_us/articles/install-plugin"),
            "see https://docs.x.example/…"
        );
        assert_eq!(readable("see http://localhost:80/a"), "see http://localhost:80/a");
        assert_eq!(readable("\u{1b}"), "");
        assert_eq!(readable("\u{1b}[31"), "");
        assert_eq!(readable("a\u{1b}[é"), "a");
    }
}

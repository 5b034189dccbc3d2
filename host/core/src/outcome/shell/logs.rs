//! Files into which a command line writes what its programs print: `make > build.log 2>&1 &`, `nohup ./serve &> out.txt &`.

use super::Command;

/// A file that receives what a command prints.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Log<'l> {
    pub(crate) path: &'l str,
    /// The line up to the redirection.
    pub(crate) command: &'l str,
    /// Whether the command goes on in the background.
    pub(crate) in_background: bool,
}

/// Most logs of one line.
const MAX_LOGS: usize = 16;

/// The logs that a line writes, in order. A path that a variable names is unknown.
pub(crate) fn logs(line: &str) -> Vec<Log<'_>> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    let (mut at, mut quote) = (0, None);
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (_, b'\\') => at += 1,
            (Some(open), _) if byte == open => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'>') if found.len() < MAX_LOGS => {
                let (target, end) = target(line, at + 1);
                let command = line.get(..at).unwrap_or_default().trim_end_matches(['1', '2', '&', '>']).trim_end();
                if is_file(target) {
                    found.push(Log {
                        path: target,
                        command,
                        in_background: goes_on(line.get(end..).unwrap_or_default()),
                    });
                }
                at = end.saturating_sub(1).max(at);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The word behind a redirection, without quotes, and where it ends.
fn target(line: &str, from: usize) -> (&str, usize) {
    let rest = line.get(from..).unwrap_or_default();
    let start = from + rest.len() - rest.trim_start_matches(['>', ' ', '\t']).len();
    let rest = line.get(start..).unwrap_or_default();
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = rest.get(1..).unwrap_or_default();
        let length = inner.find(quote).unwrap_or(inner.len());
        return (inner.get(..length).unwrap_or_default(), (start + length + 2).min(line.len()));
    }
    let length = rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | ')')).unwrap_or(rest.len());
    let word = rest.get(..length).unwrap_or_default();
    // `> log&` goes on in the background, and `>&2` names no file.
    let word = if word.starts_with('&') { word } else { word.trim_end_matches('&') };
    (word, start + word.len())
}

fn is_file(target: &str) -> bool {
    !target.is_empty() && !target.contains(['$', '`', '&', '(', '*']) && !target.starts_with("/dev/")
}

/// Whether the step ends with `&`, which is neither `&&` nor part of `2>&1`.
fn goes_on(rest: &str) -> bool {
    let rest = rest.replace("2>&1", "").replace("< /dev/null", "").replace("</dev/null", "");
    let end = rest.trim_start_matches([' ', '\t', ')', '}']);
    end.starts_with('&') && !end.starts_with("&&") && !end.starts_with("&>")
}

impl Command {
    /// Whether all files that the arguments of a step name are logs of the same line.
    pub(super) fn shows_only_own_logs(&self, words: &[String]) -> bool {
        let is_own = |word: &&String| self.own_logs.contains(word);
        let names_another = |word: &&String| word.contains('/') || word.contains('.');
        let mut named = words
            .iter()
            .skip(1)
            .filter(|word| !word.starts_with('-'))
            .filter(|word| is_own(word) || names_another(word))
            .peekable();
        named.peek().is_some() && named.all(|word| is_own(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<(&str, &str, bool)> {
        logs(line).into_iter().map(|log| (log.path, log.command, log.in_background)).collect()
    }

    #[test]
    fn logs_and_what_writes_them() {
        for (line, expected) in [
            ("make > build.log 2>&1 &", vec![("build.log", "make", true)]),
            (
                "cd /r && nohup ./serve &> out.txt & sleep 2; tail out.txt",
                vec![("out.txt", "cd /r && nohup ./serve", true)],
            ),
            ("(make; make x) >> \"/tmp/a b.log\" 2>&1 &", vec![("/tmp/a b.log", "(make; make x)", true)]),
            ("nohup x > l 2>&1 < /dev/null & disown", vec![("l", "nohup x", true)]),
            ("x >l&", vec![("l", "x", true)]),
            ("pytest > out.txt 2>&1; tail -5 out.txt", vec![("out.txt", "pytest", false)]),
            ("pytest > out.txt && tail out.txt", vec![("out.txt", "pytest", false)]),
            ("a 2>/dev/null; b >&2; c > $LOG; echo 'x > y'", vec![]),
            ("", vec![]),
            (">", vec![]),
            ("a > 'é", vec![("é", "a", false)]),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }

    #[test]
    fn what_a_line_wrote_itself_is_no_other_file() {
        for (line, expected) in [
            ("make > b.log 2>&1; tail -20 b.log", false),
            ("make > b.log 2>&1; grep -n 'error' b.log | head -5", false),
            ("make > b.log 2>&1; tail -20 other.log", true),
            ("make > b.log 2>&1; cat b.log other.log", true),
            ("make; tail -20 b.log", true),
        ] {
            assert_eq!(Command::read(line).shows_a_file(), expected, "{line}");
        }
    }
}

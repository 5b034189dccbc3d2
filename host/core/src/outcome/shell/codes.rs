//! Exit codes that a command line prints itself: `…; echo "exit: $?"`, `rc=$?; echo rc=$rc`, `echo ${PIPESTATUS[0]}`.

/// The variables that hold an exit code, and whether it is that of the first program of a pipeline.
#[derive(Debug, Default)]
pub(super) struct Codes<'c> {
    kept: Vec<(&'c str, bool)>,
}

/// A word that keeps a code for later: the variable, and whether the code is that of the first program of a pipeline.
pub(super) fn kept(word: &str) -> Option<(&str, bool)> {
    let (name, value) = word.split_once('=')?;
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let of_first = FIXED.iter().find(|(code, _)| *code == value)?.1;
    plain.then_some((name, of_first))
}

/// How shells spell an exit code, and whether it is that of the first program of a pipeline.
const FIXED: [(&str, bool); 12] = [
    ("$?", false),
    ("${?}", false),
    ("${PIPESTATUS[0]}", true),
    ("${pipestatus[1]}", true),
    ("$pipestatus[1]", true),
    ("${PIPESTATUS[@]}", true),
    ("${PIPESTATUS[*]}", true),
    ("${pipestatus[@]}", true),
    ("${pipestatus[*]}", true),
    ("$PIPESTATUS", true),
    ("$LASTEXITCODE", false),
    ("%ERRORLEVEL%", false),
];

/// A printed exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Printed<'t> {
    pub(super) code: i64,
    pub(super) of_first: bool,
    /// The output before and after the line.
    pub(super) before: &'t str,
    pub(super) after: &'t str,
}

impl<'c> Codes<'c> {
    pub(super) fn keep(&mut self, name: &'c str, of_first: bool) {
        self.kept.push((name, of_first));
    }

    /// The code that a program printed if it was given this text: the first line of the output that fits it.
    pub(super) fn printed<'t>(&self, text: &str, output: &'t str) -> Option<Printed<'t>> {
        let (start, end, of_first) = self.place(text)?;
        let (before, whole) = literal_end(text.get(..start)?);
        let after = literal_start(text.get(end..)?);
        let code = text.get(start..end)?;
        let is_list = code.ends_with("[@]}") || code.ends_with("[*]}");
        let mut at = 0;
        for line in output.split_inclusive('\n') {
            let next = at + line.len();
            if let Some(code) = code_in(line.trim(), (before, after), whole, is_list) {
                return Some(Printed { code, of_first, before: output.get(..at)?, after: output.get(next..)? });
            }
            at = next;
        }
        None
    }

    /// Where the text has a code.
    fn place(&self, text: &str) -> Option<(usize, usize, bool)> {
        let fixed = FIXED.iter().find_map(|(code, first)| {
            let at = text.find(code)?;
            Some((at, at + code.len(), *first))
        });
        fixed.or_else(|| {
            self.kept.iter().find_map(|(name, first)| {
                [format!("${{{name}}}"), format!("${name}")].iter().find_map(|code| {
                    let at = text.find(code.as_str())?;
                    Some((at, at + code.len(), *first))
                })
            })
        })
    }
}

/// The plain text before a code, after the last other variable or line break, and whether a line begins with it.
fn literal_end(text: &str) -> (&str, bool) {
    let text = text.rsplit("\\n").next().unwrap_or(text);
    let Some(at) = text.rfind(['$', '`']) else { return (text.trim_start(), true) };
    let rest = text.get(at + 1..).unwrap_or_default();
    (rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '{' | '}')), false)
}

/// The plain text after a code, up to the next variable or line break.
fn literal_start(text: &str) -> &str {
    let text = text.split("\\n").next().unwrap_or(text);
    text.split(['$', '`']).next().unwrap_or(text).trim_end()
}

/// The code in a line: the first one, if the line has one for each program of a pipeline (`is_list`).
fn code_in(line: &str, (before, after): (&str, &str), whole: bool, is_list: bool) -> Option<i64> {
    let rest = if whole {
        line.strip_prefix(before)?
    } else if before.trim().is_empty() {
        return None;
    } else {
        line.split_once(before)?.1
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (code, end) = rest.split_at_checked(digits)?;
    let end = if is_list { behind_numbers(end) } else { end };
    let fits = if whole { end.trim_end() == after } else { end.starts_with(after) };
    if fits && digits <= 10 { code.parse().ok() } else { None }
}

/// The text behind numbers with a space before each.
fn behind_numbers(mut text: &str) -> &str {
    let digit = |c: char| c.is_ascii_digit();
    while let Some(number) = text.strip_prefix(' ').filter(|number| number.starts_with(digit)) {
        text = number.trim_start_matches(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str, output: &str) -> Option<i64> {
        let mut codes = Codes::default();
        codes.keep("rc", false);
        codes.printed(text, output).map(|printed| printed.code)
    }

    #[test]
    fn codes_in_outputs() {
        for (text, output, found) in [
            ("EXIT: $?", "x\nEXIT: 1\n", Some(1)),
            ("$?", "3\n0", Some(3)),
            ("exit=${PIPESTATUS[0]}", "exit=2", Some(2)),
            ("rc=$rc done", "rc=4 done", Some(4)),
            ("== $p exit: $?", "== api exit: 7", Some(7)),
            ("\\nexit $?", "exit 5", Some(5)),
            ("codes: ${PIPESTATUS[@]}", "x\ncodes: 2 0", Some(2)),
            ("codes: ${pipestatus[*]} of a", "codes: 0 1 of a", Some(0)),
            ("exit=${PIPESTATUS[0]}", "exit=2 0", None),
            ("EXIT: $?", "EXIT: none", None),
            ("exit", "exit", None),
            ("exit $?", "the exit 1 is closed", None),
        ] {
            assert_eq!(code(text, output), found, "{text}");
        }
        assert_eq!(kept("rc=$?"), Some(("rc", false)));
        assert_eq!(kept("s=${PIPESTATUS[0]}"), Some(("s", true)));
        assert_eq!(kept("a=b"), None);
    }
}

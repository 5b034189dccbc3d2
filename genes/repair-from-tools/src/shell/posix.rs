//! Syntax that only bash has, in a script that the failing command itself runs with `sh`: what POSIX writes in its place.

use super::error::Error;
use crate::fix::{Edit, Fix};
use crate::shelf::has_ending;
use crate::source::Source;

/// What POSIX writes for a line; `None` if it is not known.
type Rewrite = fn(&str) -> Option<String>;

/// The repair. `None` if the script says that it is for bash, or if one such place has no equivalent.
pub(super) fn fix(error: &Error<'_>, source: &Source) -> Option<Fix> {
    if source.line(1)?.contains("bash") {
        return None;
    }
    let (starts, rewrite, what): (&[&str], Rewrite, &str) = if error.message.starts_with("[[: not found") {
        (&["[[ "], brackets, "test with `[`")
    } else if error.message.starts_with("source: not found") {
        (&["source "], sourced, "read the file with `.`")
    } else if !["function: not found", "\"(\" unexpected", "\"}\" unexpected"]
        .iter()
        .any(|it| error.message.ends_with(it))
    {
        return None;
    } else {
        (&["function "], function, "define functions without the word `function`")
    };
    let mut edits = Vec::new();
    for number in 1..=source.count() {
        let (line, range) = (source.line(number)?, source.range(number)?);
        let body = line.trim_start();
        let has = starts.iter().any(|start| body.starts_with(start) || *start == "[[ " && body.contains(start));
        if has && !body.starts_with('#') {
            let space = range.start + line.len() - body.len();
            edits.push(Edit::replace(space..range.end, rewrite(body)?));
        }
    }
    let why = "the command runs the script with sh, which has no syntax of bash";
    let message = format!("{}: {}", error.path, error.message);
    (!edits.is_empty()).then(|| Fix::new(source, error.line, edits, what).because(why, message))
}

/// `name() {` for `function name {` and `function name() {`.
fn function(line: &str) -> Option<String> {
    let named = line.strip_prefix("function ")?.trim_start();
    let (name, rest) = named.split_at(named.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?);
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("()").unwrap_or(rest).trim_start();
    (!name.is_empty() && rest.starts_with('{')).then(|| format!("{name}() {rest}"))
}

/// `. path` for `source path`. A name without a slash is looked for in the path only, while bash looks here as well.
fn sourced(line: &str) -> Option<String> {
    let rest = line.strip_prefix("source ")?.trim_start();
    let word = rest.split([' ', ';', '&', '|']).next()?;
    let is_script = has_ending(word, &["sh", "env"]) && !word.contains(['$', '"', '\'']);
    let place = if word.contains('/') { "" } else { "./" };
    (word.contains('/') || is_script).then(|| format!(". {place}{rest}"))
}

/// `[ … ]` for the only `[[ … ]]` of a line, if it compares two words that are no pattern, or asks about one.
fn brackets(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("[[ ")?;
    let (inner, after) = rest.split_once(" ]]")?;
    if after.contains("[[") || inner.contains(['\\', '`', '(', '<', '>', '*', '?', '[']) {
        return None;
    }
    let words: Vec<&str> = inner.split(' ').collect();
    let quoted = |word: &str| {
        let is_quoted = word.len() >= 2
            && ['"', '\'']
                .iter()
                .any(|mark| word.starts_with(*mark) && word.ends_with(*mark) && word.matches(*mark).count() == 2);
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_./:-{}".contains(c));
        match word.strip_prefix('$') {
            _ if is_quoted => Some(word.to_owned()),
            Some(name) if is_plain(name) => Some(format!("\"{word}\"")),
            None if is_plain(word) && !word.contains(['{', '}']) && !word.is_empty() => Some(word.to_owned()),
            _ => None,
        }
    };
    let (not, words) = match words.as_slice() {
        ["!", rest @ ..] => ("! ", rest),
        all => ("", all),
    };
    let test = match words {
        [a, "==" | "=", b] => format!("{} = {}", quoted(a)?, quoted(b)?),
        [a, "!=", b] => format!("{} != {}", quoted(a)?, quoted(b)?),
        [a, sign @ ("-eq" | "-ne" | "-gt" | "-ge" | "-lt" | "-le"), b] => {
            format!("{} {sign} {}", quoted(a)?, quoted(b)?)
        }
        [sign @ ("-n" | "-z" | "-f" | "-d" | "-e" | "-r" | "-w" | "-x" | "-s" | "-L"), a] => {
            format!("{sign} {}", quoted(a)?)
        }
        _ => return None,
    };
    Some(format!("{before}[ {not}{test} ]{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_posix_writes_otherwise_is_rewritten() {
        for (line, expected) in [
            ("if [[ $a == b ]]; then", Some("if [ \"$a\" = b ]; then")),
            ("[[ -f \"$x y\" ]] && ls", None),
            ("[[ ! -d ${x} ]] || exit", Some("[ ! -d \"${x}\" ] || exit")),
            ("if [[ $a == b* ]]; then", None),
            ("if [[ $a =~ b ]]; then", None),
            ("if [[ $a == b && $c ]]; then", None),
            ("if [[ $a < b ]]; then", None),
        ] {
            assert_eq!(brackets(line).as_deref(), expected, "{line}");
        }
        assert_eq!(function("function f {").as_deref(), Some("f() {"));
        assert_eq!(function("function f () { x; }").as_deref(), Some("f() { x; }"));
        assert_eq!(function("function f-g {"), None);
        assert_eq!(sourced("source ./lib.sh; x").as_deref(), Some(". ./lib.sh; x"));
        assert_eq!(sourced("source lib.sh && x").as_deref(), Some(". ./lib.sh && x"));
        assert_eq!(sourced("source lib"), None);
        assert_eq!(sourced("source $lib.sh"), None);
    }
}

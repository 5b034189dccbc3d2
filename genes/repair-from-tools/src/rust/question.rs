//! The macro `try!`, which the compiler deprecates without a suggestion: `try!(call())` becomes `call()?`.

use super::report::{Report, rust_file};
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;

/// The repair of a use.
pub(super) fn fix(report: &Report, shelf: &mut Shelf<'_>) -> Option<Fix> {
    if report.message != "use of deprecated macro `try`: use the `?` operator instead" {
        return None;
    }
    // Further marked lines say which macro the use is in.
    let shown = report.shown.iter().find(|shown| !shown.marks.is_empty())?;
    let source = rust_file(&report.file, shelf)?;
    let line = source.line(shown.line)?;
    let indent = line.len() - line.trim_start().len();
    let moved = (shown.text.len() - shown.text.trim_start().len()).checked_sub(indent)?;
    let [(column, 3)] = shown.marks.as_slice() else { return None };
    let at = (column - 1).checked_sub(moved)?;
    if shown.text.trim() != line.trim() || !line.is_ascii() {
        return None;
    }
    let start = source.range(shown.line)?.start + at;
    let open = start + "try!(".len();
    let (inner, length) = argument(source.text.get(open..)?)?;
    // Two edits, so that one inside of the argument can be made as well.
    let (before, after) = if is_postfix(inner) { ("", "?") } else { ("(", ")?") };
    let blank = source.text.get(open..)?.find(inner)?;
    let edits = vec![
        Edit::replace(start..open + blank, before),
        Edit::replace(open + blank + inner.len()..open + length + 1, after),
    ];
    Some(Fix::new(&source, shown.line, edits, "use the `?` operator instead of `try!`"))
}

/// The argument up to the closing parenthesis, and the length of all that stands before it. `None` if a bracket or a text does
/// not end.
fn argument(rest: &str) -> Option<(&str, usize)> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = rest.get(at..)?.chars().next() {
        let after = at + c.len_utf8();
        at = match c {
            '(' | '[' | '{' => {
                depth += 1;
                after
            }
            ')' if depth == 0 => {
                let inner = rest.get(..at)?;
                let plain = inner.trim().trim_end_matches(',').trim_end();
                return Some((plain, at)).filter(|_| !plain.is_empty());
            }
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                after
            }
            '"' => after + text_end(rest.get(after..)?)?,
            // A character or a lifetime.
            '\'' => after + character(rest.get(after..)?)?,
            '/' if rest.get(after..)?.starts_with(['/', '*']) => return None,
            'r' if rest.get(after..)?.starts_with(['"', '#']) => return None,
            _ => after,
        };
    }
    None
}

/// The bytes up to the end of a string, which begins after its quote.
fn text_end(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The bytes of a character literal after its first quote, or none of a lifetime.
fn character(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices();
    let (_, first) = chars.next()?;
    if first == '\\' {
        return rest.get(2..)?.find('\'').map(|end| end + 3);
    }
    let (at, second) = chars.next()?;
    Some(if second == '\'' { at + 1 } else { 0 })
}

/// Whether `?` after an expression means all of it: names, paths, fields, calls and macros one after the other.
fn is_postfix(inner: &str) -> bool {
    let mut depth = 0_usize;
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '"' => match text_end(after).and_then(|end| after.get(end..)) {
                Some(after) => after,
                None => return false,
            },
            '\'' if depth > 0 => match character(after).and_then(|end| after.get(end..)) {
                Some(after) => after,
                None => return false,
            },
            '(' | '[' | '{' => {
                // A block is no postfix expression.
                if c == '{' && depth == 0 {
                    return false;
                }
                depth += 1;
                after
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                after
            }
            _ if depth == 0 && !(c.is_alphanumeric() || "_.:!$?".contains(c)) => {
                // A chain of calls may go on in the next line.
                if !(c.is_whitespace() && after.trim_start().starts_with('.')) {
                    return false;
                }
                after.trim_start()
            }
            _ => after,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_ends_at_its_own_bracket() {
        for (rest, expected) in [
            ("write!(f, \"{})\", x));", Some("write!(f, \"{})\", x)")),
            ("a.b::c(d)) + 1", Some("a.b::c(d)")),
            ("$e) {", Some("$e")),
            ("f('(', '\\'', 'a'),)", Some("f('(', '\\'', 'a')")),
            ("f::<'a>(x)\n    .g())", Some("f::<'a>(x)\n    .g()")),
            ("try!(x))", Some("try!(x)")),
            ("f(a,", None),
            ("f(a) // )\n)", None),
            (")", None),
        ] {
            assert_eq!(argument(rest).map(|found| found.0), expected, "{rest}");
        }
    }

    #[test]
    fn other_expressions_get_brackets() {
        for (inner, expected) in [
            ("write!(f, \"{})\", x)", true),
            ("a.b::c(d)[1]", true),
            ("a\n    .b(|x| x + 1)", true),
            ("a + b", false),
            ("match x { _ => y }", false),
            ("*x", false),
            ("|x| y", false),
            ("unsafe { f() }", false),
        ] {
            assert_eq!(is_postfix(inner), expected, "{inner}");
        }
    }
}

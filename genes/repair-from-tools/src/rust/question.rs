//! The macro `try!`, which the compiler deprecates without a suggestion: `try!(call())` becomes `call()?`.

use super::report::{Report, rust_file};
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;

/// The repair of a use whose argument ends in its line.
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
    let inner = argument(line.get(at..)?.strip_prefix("try!(")?)?;
    let start = source.range(shown.line)?.start + at;
    let edit = Edit::replace(start..start + "try!()".len() + inner.len(), format!("{inner}?"));
    Some(Fix::new(&source, shown.line, vec![edit], "use the `?` operator instead of `try!`"))
}

/// The text up to the closing parenthesis, if it is one call or name, so that `?` after it means all of it.
fn argument(rest: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            // A single quote may begin a character or a lifetime.
            '\'' => return None,
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return rest.get(..at).filter(|inner| !inner.is_empty()),
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ if depth == 0 && !(c.is_alphanumeric() || "_.:!$".contains(c)) => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_call_or_a_name_is_taken() {
        assert_eq!(argument("write!(f, \"{})\", x));"), Some("write!(f, \"{})\", x)"));
        assert_eq!(argument("a.b::c(d)) + 1"), Some("a.b::c(d)"));
        assert_eq!(argument("$e) {"), Some("$e"));
        assert_eq!(argument("a + b)"), None);
        assert_eq!(argument("match x { _ => y })"), None);
        assert_eq!(argument("f('(')"), None);
        assert_eq!(argument("f(a,"), None);
        assert_eq!(argument(")"), None);
    }
}

//! Special methods that have another name since Python 3.0. The class keeps the old one, and gets the new one beside it.

use super::file::File;
use super::lines::indentation;
use super::table;
use crate::edit::{Edit, apply, line_ending};

/// A class that lacks a special method under its new name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Special {
    /// The class.
    pub(crate) class: String,
    old: &'static str,
    new: &'static str,
}

impl Special {
    /// What a message says about a class.
    pub(crate) fn for_message(message: &str) -> Option<Self> {
        let of = |class: &str, new: &str| {
            let (old, new) = table::special_method(new)?;
            let plain = !class.is_empty() && class.chars().all(|c| c.is_alphanumeric() || c == '_');
            plain.then(|| Self { class: class.to_owned(), old, new })
        };
        let quoted = |start: &str| message.strip_prefix(start).and_then(|rest| rest.split('\'').next());
        if message.ends_with("' object is not an iterator") {
            return of(quoted("'")?, "__next__");
        }
        if let Some(class) = quoted("iter() returned non-iterator of type '") {
            return of(class, "__next__");
        }
        of(quoted("unsupported operand type(s) for /: '")?, "__truediv__")
    }

    /// The source with the new name added to the class; `None` unless exactly one class of this name has only the old one.
    pub(crate) fn repair(&self, file: &File<'_>) -> Option<Vec<u8>> {
        let tokens = &file.tokens;
        let is_class = |number: &usize| {
            file.lines.get(*number).is_some_and(|line| {
                tokens.is(line.tokens.start, "class") && tokens.is(line.tokens.start + 1, &self.class)
            })
        };
        let mut classes = (0..file.lines.len()).filter(is_class);
        let (number, None) = (classes.next()?, classes.next()) else { return None };
        let outer = file.lines.get(number)?.indent;
        let end =
            (number + 1..file.lines.len()).find(|it| file.lines.get(*it).is_some_and(|line| line.indent <= outer));
        let body = number + 1..end.unwrap_or(file.lines.len());
        let inner = file.lines.get(body.start).filter(|_| !body.is_empty())?.indent;
        let defines = |number: usize, name: &str| {
            file.lines.get(number).is_some_and(|line| {
                let first = line.tokens.start;
                let def = tokens.is(first, "def") && tokens.is(first + 1, name);
                line.indent == inner && (def || tokens.is(first, name) && tokens.is(first + 1, "="))
            })
        };
        if body.clone().any(|number| defines(number, self.new)) {
            return None;
        }
        let mut methods = body.clone().filter(|number| defines(*number, self.old));
        let (method, None) = (methods.next()?, methods.next()) else { return None };
        let after = (method + 1..body.end).find(|it| file.lines.get(*it).is_some_and(|line| line.indent <= inner));
        let last = file.lines.get(after.unwrap_or(body.end).checked_sub(1)?)?;
        let at = tokens.list.get(last.tokens.end.checked_sub(1)?)?.end;
        let rest = tokens.bytes.get(at..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let space = indentation(tokens, file.lines.get(method)?);
        let text = format!("{0}{space}{1} = {2}", line_ending(tokens.bytes, at), self.new, self.old);
        apply(tokens.bytes, vec![Edit::insert(at + length, text)])
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        let Self { class, old, new } = self;
        (
            format!("give the class {class} the method {new}"),
            format!("the special method {old} is called {new} since Python 3.0"),
        )
    }
}

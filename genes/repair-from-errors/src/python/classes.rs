//! What Python 3.0 no longer reads from a class: special methods under their old names, `__cmp__`, `__metaclass__`, and a
//! hash beside `__eq__`. A class keeps its old methods, and gets the new ones beside them.
//!
//! Source: "What's New In Python 3.0", sections "Ordering Comparisons" and "Operators And Special Methods", and PEP 3115.

use std::ops::Range;

use super::calls::{Call, is_plain, receiver};
use super::file::File;
use super::lines::indentation;
use super::table;
use super::tokens::Kind;
use crate::edit::{Edit, apply, line_ending};

/// What a class lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// A special method under its new name.
    Method { old: &'static str, new: &'static str },
    /// The comparisons that `__cmp__` made.
    Order,
    /// A hash beside its comparison.
    Hash,
    /// The metaclass in its header.
    Metaclass,
    /// A method for text that gives text.
    Text,
    /// An order of its bases: `object` before another one.
    Bases,
}

/// A class that lacks something, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Special {
    /// The class; empty if the message does not name it.
    class: String,
    lack: Lack,
}

/// The operators, and what `__cmp__` gives for each.
const ORDER: [(&str, &str); 6] =
    [("__eq__", "=="), ("__ne__", "!="), ("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")];

/// Words without which no class of a file lacks anything that a port gives it.
const WORDS: [&str; 11] = [
    "__cmp__",
    "__div__",
    "__idiv__",
    "__metaclass__",
    "__nonzero__",
    "__rdiv__",
    "__repr__",
    "__str__",
    "__unicode__",
    "next",
    "object",
];

/// Whether a class with one of these words may lack something.
pub(crate) fn is_word(word: &str) -> bool {
    WORDS.contains(&word)
}

impl Special {
    /// What a message says about a class.
    pub(crate) fn for_message(kind: &str, message: &str) -> Option<Self> {
        let of = |class: &str, lack: Lack| {
            let plain = !class.is_empty() && class.chars().all(|c| c.is_alphanumeric() || c == '_');
            plain.then(|| Self { class: class.to_owned(), lack })
        };
        let method = |class: &str, new: &str| {
            let (old, new) = table::special_method(new)?;
            of(class, Lack::Method { old, new })
        };
        let quoted = |start: &str| message.strip_prefix(start).and_then(|rest| rest.split('\'').next());
        if kind == "AttributeError" {
            let rest = message.strip_prefix("type object '").or_else(|| message.strip_prefix('\''))?;
            let (class, rest) = rest.split_once('\'')?;
            let is_lost = rest.starts_with(" has no attribute '") || rest.starts_with(" object has no attribute '");
            return of(class, Lack::Metaclass).filter(|_| is_lost);
        }
        if message == "__str__ returned non-string (type bytes)"
            || message == "__repr__ returned non-string (type bytes)"
        {
            return Some(Self { class: String::new(), lack: Lack::Text });
        }
        if message.starts_with("Cannot create a consistent method resolution") {
            return Some(Self { class: String::new(), lack: Lack::Bases });
        }
        if message.ends_with("' object is not an iterator") {
            return method(quoted("'")?, "__next__");
        }
        if let Some(class) = quoted("iter() returned non-iterator of type '") {
            return method(class, "__next__");
        }
        if let Some(class) = quoted("unhashable type: '") {
            return of(class, Lack::Hash);
        }
        if let Some((_, rest)) = message.split_once("' not supported between instances of '") {
            return of(rest.split('\'').next()?, Lack::Order);
        }
        method(quoted("unsupported operand type(s) for /: '")?, "__truediv__")
    }

    /// The source with what the class lacks; `None` unless exactly one class of this name lacks it.
    pub(crate) fn repair(&self, file: &File<'_>) -> Option<Vec<u8>> {
        if self.class.is_empty() {
            let edits: Vec<Edit> = classes(file).filter_map(|class| class.edits(self.lack)).flatten().collect();
            return apply(file.tokens.bytes, edits);
        }
        let classes: Vec<Class<'_>> = classes(file).filter(|class| class.is_named(&self.class)).collect();
        let [class] = classes.as_slice() else { return None };
        apply(file.tokens.bytes, class.edits(self.lack)?)
    }

    /// A word that every file with such a class contains.
    pub(crate) fn word(&self) -> &str {
        match self.lack {
            Lack::Text => "encode",
            Lack::Bases => "object",
            _ => &self.class,
        }
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        let class = &self.class;
        match self.lack {
            Lack::Method { old, new } => (
                format!("give the class {class} the method {new}"),
                format!("the special method {old} is called {new} since Python 3.0"),
            ),
            Lack::Order => (
                format!("give the class {class} a method for each comparison"),
                "Python 3.0 does not call __cmp__".to_owned(),
            ),
            Lack::Hash => (
                format!("give the class {class} the hash that it had"),
                "a class that defines __eq__ has no hash since Python 3.0".to_owned(),
            ),
            Lack::Bases => (
                "leave object out of the bases before others".to_owned(),
                "every class is an object since Python 3.0, and object comes last".to_owned(),
            ),
            Lack::Text => (
                "return text where text is asked for".to_owned(),
                "__str__ and __repr__ return text since Python 3.0, and __unicode__ is not called".to_owned(),
            ),
            Lack::Metaclass => (
                format!("name the metaclass of {class} in its header"),
                "__metaclass__ has no effect since Python 3.0".to_owned(),
            ),
        }
    }
}

/// The file with what its classes lack for certain.
pub(crate) fn modern(file: &File<'_>) -> Option<Vec<u8>> {
    let mut edits: Vec<Edit> = Vec::new();
    for class in classes(file).filter(|class| file.is_open(class.number)) {
        let renamed = table::special_methods().filter(|(old, _)| *old != "next" || class.defines("__iter__"));
        let lacks = renamed.map(|(old, new)| Lack::Method { old, new });
        let lacks = lacks.chain([Lack::Bases, Lack::Order, Lack::Metaclass, Lack::Text]);
        for more in lacks.filter_map(|lack| class.edits(lack)) {
            // What two classes end with together belongs to neither for certain.
            if !more.iter().any(|edit| edits.iter().any(|known| known.start == edit.start)) {
                edits.extend(more);
            }
        }
    }
    file.finish(edits)
}

/// A class and its body.
struct Class<'a> {
    file: &'a File<'a>,
    /// The line of its header.
    number: usize,
    /// The lines of its body.
    body: Range<usize>,
    /// The indentation of its body.
    inner: usize,
}

fn classes<'a>(file: &'a File<'a>) -> impl Iterator<Item = Class<'a>> {
    let is_class = |number: &usize| file.lines.get(*number).is_some_and(|it| file.tokens.is(it.tokens.start, "class"));
    (0..file.lines.len()).filter(is_class).filter_map(|number| {
        let outer = file.lines.get(number)?.indent;
        let ends = |it: &usize| file.lines.get(*it).is_some_and(|line| line.indent <= outer);
        let body = number + 1..(number + 1..file.lines.len()).find(ends).unwrap_or(file.lines.len());
        let inner = file.lines.get(body.start).filter(|_| !body.is_empty()).map_or(usize::MAX, |line| line.indent);
        Some(Class { file, number, body, inner })
    })
}

impl Class<'_> {
    /// The first token of a line.
    fn first(&self, number: usize) -> usize {
        self.file.lines.get(number).map_or(usize::MAX, |line| line.tokens.start)
    }

    fn is_named(&self, name: &str) -> bool {
        self.file.tokens.is(self.first(self.number) + 1, name)
    }

    /// The line in the body, and not deeper, that defines a method or assigns a name.
    fn definition(&self, name: &str, is_method: bool) -> Option<usize> {
        let tokens = &self.file.tokens;
        let defines = |number: &usize| {
            let first = self.first(*number);
            let def = tokens.is(first, "def") && tokens.is(first + 1, name);
            let assigned = !is_method && tokens.is(first, name) && tokens.is(first + 1, "=");
            self.file.lines.get(*number).is_some_and(|line| line.indent == self.inner) && (def || assigned)
        };
        let mut found = self.body.clone().filter(defines);
        let first = found.next()?;
        // Of two definitions of a method, a branch may choose.
        (!is_method || found.next().is_none()).then_some(first)
    }

    fn defines(&self, name: &str) -> bool {
        self.definition(name, false).is_some()
    }

    /// The edits that give the class what it lacks; `None` if it does not lack it for certain.
    fn edits(&self, lack: Lack) -> Option<Vec<Edit>> {
        match lack {
            Lack::Method { old, new } if !self.defines(new) => {
                Some(vec![self.after(self.definition(old, true)?, &[format!("{new} = {old}")])?])
            }
            Lack::Method { .. } => None,
            Lack::Order => self.order(),
            Lack::Hash => {
                let equal = self.definition("__eq__", true).or_else(|| self.definition("__cmp__", true))?;
                Some(vec![self.after(equal, &[self.hash()?])?])
            }
            Lack::Metaclass => self.metaclass(),
            Lack::Bases => self.bases(),
            Lack::Text => Some(self.texts()).filter(|edits| !edits.is_empty()),
        }
    }

    /// A method for each comparison that the class does not define, each by `__cmp__`.
    fn order(&self) -> Option<Vec<Edit>> {
        let place = self.definition("__cmp__", true)?;
        let missing = ORDER.iter().filter(|(name, _)| !self.defines(name));
        let mut lines: Vec<String> = Vec::new();
        for (name, operator) in missing {
            let body = format!("    return self.__cmp__(other) {operator} 0");
            lines.extend([String::new(), format!("def {name}(self, other):"), body]);
        }
        if lines.is_empty() {
            return None;
        }
        if let Some(hash) = self.hash().filter(|_| !self.defines("__eq__")) {
            lines.extend([String::new(), hash]);
        }
        Some(vec![self.after(place, &lines)?])
    }

    /// The hash that the class had in Python 2: that of its first base.
    fn hash(&self) -> Option<String> {
        let tokens = &self.file.tokens;
        let first = self.first(self.number);
        let end = (first + 3..self.file.lines.get(self.number)?.tokens.end)
            .find(|index| tokens.is(*index, ",") || tokens.is(*index, ")"));
        let base = match end.filter(|end| tokens.is(first + 2, "(") && *end > first + 3) {
            Some(end) => {
                let base = first + 3..end;
                let text = tokens.bytes.get(self.file.span(base.start, base.end - 1)?)?;
                is_plain(tokens, &base).then(|| std::str::from_utf8(text).ok())??
            }
            None => "object",
        };
        let has_none = ["bytearray", "dict", "list", "set"].contains(&base);
        (!has_none && !self.defines("__hash__")).then(|| format!("__hash__ = {base}.__hash__"))
    }

    /// `class A(B, metaclass=M):` for a class with `__metaclass__ = M`.
    fn metaclass(&self) -> Option<Vec<Edit>> {
        const NAME: &str = "__metaclass__";
        let (file, tokens) = (self.file, &self.file.tokens);
        let number = self.definition(NAME, false)?;
        let value = file.lines.get(number).map(|line| line.tokens.start + 2..line.tokens.end)?;
        let is_assigned = tokens.is(value.start.checked_sub(1)?, "=");
        let root = std::str::from_utf8(tokens.text(value.start)).ok()?;
        if !is_assigned || !is_plain(tokens, &value) || root == "type" || self.defines(root) {
            return None;
        }
        let header = file.lines.get(self.number)?;
        if header.tokens.clone().any(|index| tokens.is(index, "metaclass")) {
            return None;
        }
        let text = std::str::from_utf8(tokens.bytes.get(file.span(value.start, value.end - 1)?)?).ok()?;
        let colon = super::lines::header_colon(tokens, header)?;
        let last = colon.checked_sub(1)?;
        let (place, text) = if !tokens.is(last, ")") {
            (tokens.list.get(last)?.end, format!("(metaclass={text})"))
        } else if tokens.follows(last, "(") {
            (tokens.list.get(last)?.start, format!("metaclass={text}"))
        } else {
            (tokens.list.get(last - 1)?.end, format!(", metaclass={text}"))
        };
        let stays = tokens.follows(last, ",");
        let goes_on = file.lines.get(number + 1).is_some_and(|next| next.indent == self.inner);
        let line = &file.lines.get(number)?.tokens;
        let gone = if goes_on { Edit::replace(file.whole_lines(line)?, "") } else { file.without(number)? };
        (!stays).then(|| vec![Edit::insert(place, text), gone])
    }

    /// Takes `object` away from the bases before others.
    fn bases(&self) -> Option<Vec<Edit>> {
        let tokens = &self.file.tokens;
        let bases = Call::at(tokens, self.first(self.number) + 2)?.arguments;
        let is_object = |base: &Range<usize>| base.len() == 1 && tokens.is(base.start, "object");
        let (object, next) = bases.iter().zip(bases.get(1..)?).find(|(base, _)| is_object(base))?;
        let is_named = tokens.is(next.start + 1, "=") || tokens.is(next.start, "*");
        let span = tokens.list.get(object.start)?.start..tokens.list.get(next.start)?.start;
        (!is_named).then(|| vec![Edit::replace(span, "")])
    }

    /// The edits after which `__str__` and `__repr__` give text.
    fn texts(&self) -> Vec<Edit> {
        ["__str__", "__repr__"].iter().filter_map(|name| self.text(name)).flatten().collect()
    }

    /// A method that gives text encoded without its encoding. If it only encodes what `__unicode__` gives, it goes, and that
    /// one takes its place.
    fn text(&self, name: &str) -> Option<Vec<Edit>> {
        let (file, tokens) = (self.file, &self.file.tokens);
        let method = self.definition(name, true)?;
        let value = self.returned(method)?;
        let open = (value.start..value.end).rev().find(|index| {
            tokens.is(*index, "(") && Call::at(tokens, *index).is_some_and(|call| call.close + 1 == value.end)
        })?;
        let encode = open.checked_sub(1).filter(|it| tokens.is(*it, "encode") && tokens.follows(*it, "."))?;
        let owner = value.start..encode - 1;
        if receiver(tokens, owner.end.checked_sub(1)?) != Some(owner.start) {
            return None;
        }
        let says = |words: &[&str]| {
            owner.len() == words.len() && owner.clone().zip(words).all(|(index, word)| tokens.is(index, word))
        };
        let is_unicode = ["unicode", "str"].iter().any(|kind| says(&[kind, "(", "self", ")"]));
        let is_unicode = is_unicode || says(&["self", ".", "__unicode__", "(", ")"]);
        let Some(unicode) = self.definition("__unicode__", true).filter(|_| is_unicode && name == "__str__") else {
            let is_own = says(&["str", "(", "self", ")"]) || says(&["unicode", "(", "self", ")"]);
            let gone = Edit::replace(file.span(encode - 1, value.end - 1)?, "");
            return (!is_own).then(|| vec![gone]);
        };
        let name = self.first(unicode) + 1;
        let lines = self.first(method)..file.lines.get(self.end(method).checked_sub(1)?)?.tokens.end;
        let mut gone = file.whole_lines(&lines)?;
        let rest = tokens.bytes.get(gone.end..)?;
        gone.end += rest.iter().position(|byte| !byte.is_ascii_whitespace()).map_or(0, |at| {
            let blank = rest.get(..at).unwrap_or_default();
            blank.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1)
        });
        Some(vec![Edit::replace(gone, ""), Edit::replace(file.span(name, name)?, "__str__")])
    }

    /// What a method returns that does nothing else.
    fn returned(&self, method: usize) -> Option<Range<usize>> {
        let (file, tokens) = (self.file, &self.file.tokens);
        let header = file.lines.get(method)?;
        let colon = super::lines::header_colon(tokens, header)?;
        if tokens.is(colon + 1, "return") {
            return Some(colon + 2..header.tokens.end);
        }
        let mut body = method + 1..self.end(method);
        let first = file.lines.get(body.start)?;
        if first.tokens.len() == 1 && tokens.is_kind(first.tokens.start, Kind::Text) {
            body.start += 1;
        }
        let line = file.lines.get(body.start).filter(|_| body.len() == 1)?;
        tokens.is(line.tokens.start, "return").then(|| line.tokens.start + 1..line.tokens.end)
    }

    /// The line after a method.
    fn end(&self, method: usize) -> usize {
        let next = |it: &usize| self.file.lines.get(*it).is_some_and(|line| line.indent <= self.inner);
        (method + 1..self.body.end).find(next).unwrap_or(self.body.end)
    }

    /// Lines after a method, with its indentation.
    fn after(&self, method: usize, lines: &[String]) -> Option<Edit> {
        let (file, tokens) = (self.file, &self.file.tokens);
        let last = file.lines.get(self.end(method).checked_sub(1)?)?;
        let at = tokens.list.get(last.tokens.end.checked_sub(1)?)?.end;
        let rest = tokens.bytes.get(at..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let space = indentation(tokens, file.lines.get(method)?);
        let ending = line_ending(tokens.bytes, at);
        let mut text = String::new();
        for line in lines {
            text.push_str(ending);
            // In a body that tabs indent, a line of a method begins with one more.
            let deeper = line.strip_prefix("    ").filter(|_| space.ends_with('\t'));
            if !line.is_empty() {
                text.push_str(space);
            }
            if let Some(line) = deeper {
                text.push('\t');
                text.push_str(line);
            } else {
                text.push_str(line);
            }
        }
        Some(Edit::insert(at + length, text))
    }
}

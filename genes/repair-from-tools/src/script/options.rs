//! Options of the TypeScript compiler that its own errors ask for: a newer library of types, or a way to import.
//!
//! They change what the compiler knows, or how it reads an import. A newer `target` would change what it writes as well, so
//! that is left alone.

use std::rc::Rc;

use gephost_gene::failures::Failure;

use super::tsc::errors;
use super::tsconfig::is_config;
use crate::data::lexer::{Kind, Token, tokens};
use crate::fix::{Edit, Fix};
use crate::order::ordered;
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::{between, is_name};

/// The libraries of a compiler that is told of none, from the target ES2015 on.
const DEFAULT: &str = "\"dom\", \"dom.iterable\", \"scripthost\"";
/// Most files that are searched for imports.
const MAX_FILES: usize = 500;

/// What the errors in an output ask for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    /// The library of this edition of the language, such as `es2019`, or a later one.
    Edition(String),
    /// The library of browsers.
    Browser,
    /// This option.
    Flag(String),
    /// The option without which another one means nothing.
    Base(String),
    /// The module kind that belongs to the way of finding modules.
    Module(String),
    /// The global names of this package of types.
    Types(String),
}

/// Options without which the compiler refuses another one.
const BASES: [&str; 4] = ["allowJs", "declaration", "experimentalDecorators", "strictNullChecks"];

/// The repairs: one for each configuration.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut asked: Vec<(String, Vec<Wish>, String)> = Vec::new();
    for error in &errors(&failure.output) {
        let Some(wish) = wish(error.code, error.message) else { continue };
        let Some(source) = shelf.open(error.path) else { continue };
        let own = is_config(&source.path).then(|| source.path.clone());
        let Some(config) = own.or_else(|| shelf.nearest(&source.path, "tsconfig.json")) else { continue };
        match asked.iter_mut().find(|(path, ..)| *path == config) {
            Some((_, wishes, _)) => wishes.push(wish),
            None => asked.push((config, vec![wish], format!("error TS{}: {}", error.code, error.message))),
        }
    }
    asked.into_iter().filter_map(|(path, wishes, message)| fix(&path, wishes, message, shelf)).collect()
}

/// Source of codes and texts: TypeScript's `diagnosticMessages.json`.
fn wish(code: u32, message: &str) -> Option<Wish> {
    match code {
        2550 | 2583 | 2585 => {
            let (_, rest) = message.split_once("Try changing the 'lib' compiler option to ")?;
            let edition = rest.trim_start_matches('\'').split(['\'', ' ']).next()?.to_ascii_lowercase();
            rank(&edition).map(|_| Wish::Edition(edition))
        }
        2584 => message.contains("'lib' compiler option to include 'dom'").then_some(Wish::Browser),
        1259 => {
            let flag = between(message, "can only be default-imported using the '", "' flag")?;
            ["esModuleInterop", "allowSyntheticDefaultImports"].contains(&flag).then(|| Wish::Flag(flag.to_owned()))
        }
        2732 => {
            message.contains("Consider using '--resolveJsonModule'").then(|| Wish::Flag("resolveJsonModule".to_owned()))
        }
        2582 | 2591 | 2593 => {
            let (_, rest) = message.split_once("and then add '")?;
            let name = rest.split('\'').next()?;
            is_name(name).then(|| Wish::Types(name.to_owned()))
        }
        5052 => {
            let base = between(message, "without specifying option '", "'")?;
            BASES.contains(&base).then(|| Wish::Base(base.to_owned()))
        }
        5110 => {
            let module = between(message, "Option 'module' must be set to '", "'")?.to_ascii_lowercase();
            (module.starts_with("node") && is_name(&module)).then_some(Wish::Module(module))
        }
        _ => None,
    }
}

/// Orders the editions of the language: ES5 and ES6 before those that are named by their year.
fn rank(edition: &str) -> Option<u32> {
    match edition.strip_prefix("es")? {
        "next" => Some(u32::MAX),
        number => number.parse().ok(),
    }
}

fn fix(path: &str, wishes: Vec<Wish>, message: String, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let source = shelf.read(path)?;
    let wishes = ordered(wishes);
    let options = Options::read(&source)?;
    let edition = wishes.iter().filter_map(|wish| match wish {
        Wish::Edition(edition) => Some(edition.as_str()),
        _ => None,
    });
    let edition = edition.max_by_key(|edition| rank(edition));
    let mut edits = Vec::new();
    if edition.is_some() || wishes.contains(&Wish::Browser) {
        edits.push(options.library(edition, wishes.contains(&Wish::Browser))?);
    }
    for wish in &wishes {
        if let Wish::Flag(flag) = wish {
            // It changes what `import * as` gives, so a project that has such imports is left alone.
            if flag == "esModuleInterop" && imports_all(shelf) {
                shelf.note(&format!("{path}: `{flag}` would change what `import * as` means in this project"));
                return None;
            }
            edits.push(options.set(flag)?);
        }
        match wish {
            Wish::Base(base) if options.value(base).is_none() => edits.push(options.add(&format!("\"{base}\": true"))?),
            Wish::Module(module) => edits.push(options.module(module, shelf)?),
            // The message names two packages if it does not know which one the project has.
            Wish::Types(name) => edits.push(options.types(name, shelf)?),
            _ => {}
        }
    }
    let line = source.number_at(edits.first()?.start);
    let why = "the TypeScript compiler names the option";
    Some(Fix::new(&source, line, edits, "set the option that the compiler asks for").because(why, message))
}

/// Whether a file of the project imports all of a module, or if there are too many files to know.
fn imports_all(shelf: &mut Shelf<'_>) -> bool {
    let files = shelf.matching("**/*.{ts,tsx,mts,cts}");
    let has = |source: Rc<Source>| source.text.contains("import * as") || source.text.contains("= require(");
    files.len() > MAX_FILES || files.iter().any(|path| !path.ends_with(".d.ts") && shelf.read(path).is_some_and(has))
}

/// The options of a configuration.
struct Options<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    /// Each key of `compilerOptions` as a token, and the tokens of its value.
    entries: Vec<(usize, std::ops::Range<usize>)>,
    /// The token that opens them.
    open: usize,
    /// Whether it takes options of another configuration, which this gene does not follow.
    extends: bool,
}

impl<'a> Options<'a> {
    fn read(source: &'a Source) -> Option<Self> {
        let mut tokens = tokens(&source.text);
        tokens.retain(|token| token.kind != Kind::Comment);
        let mut this = Self { source, tokens, entries: Vec::new(), open: 0, extends: false };
        let top = this.members(0)?;
        this.extends = top.iter().any(|(key, _)| this.text(*key) == "\"extends\"");
        let (_, value) = top.into_iter().find(|(key, _)| this.text(*key) == "\"compilerOptions\"")?;
        this.open = value.start;
        this.entries = this.members(value.start)?;
        Some(this)
    }

    fn text(&self, token: usize) -> &'a str {
        self.tokens.get(token).and_then(|token| self.source.text.get(token.range.clone())).unwrap_or_default()
    }

    /// The members of the object that opens at a token.
    fn members(&self, open: usize) -> Option<Vec<(usize, std::ops::Range<usize>)>> {
        let kind = |at: usize| self.tokens.get(at).map(|token| token.kind);
        let mut members: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
        let (mut depth, mut start) = (1_usize, None);
        let mut at = Some(open).filter(|open| kind(*open) == Some(Kind::Mark('{')))?;
        while depth > 0 {
            at += 1;
            match kind(at)? {
                Kind::Mark('{' | '[') => depth += 1,
                Kind::Mark('}' | ']') => depth -= 1,
                Kind::Mark(':') if depth == 1 && kind(at - 1) == Some(Kind::Text) => start = Some(at + 1),
                _ => {}
            }
            let ends = depth == 0 || depth == 1 && kind(at) == Some(Kind::Mark(','));
            if let Some(value) = start.filter(|_| ends) {
                members.push((value - 2, value..at));
                start = None;
            }
        }
        Some(members)
    }

    fn value(&self, key: &str) -> Option<std::ops::Range<usize>> {
        let key = format!("\"{key}\"");
        self.entries.iter().find(|(at, _)| self.text(*at) == key).map(|(_, value)| value.clone())
    }

    /// Names a library in `lib`, in the place of an older edition.
    fn library(&self, edition: Option<&str>, browser: bool) -> Option<Edit> {
        let Some(value) = self.value("lib") else {
            // Without the option, the compiler takes what belongs to the target, browsers included.
            let edition = edition.filter(|_| !self.extends && self.value("noLib").is_none() && !browser)?;
            return self.add(&format!("\"lib\": [\"{edition}\", {DEFAULT}]"));
        };
        let items: Vec<usize> =
            value.clone().filter(|at| self.tokens.get(*at).is_some_and(|it| it.kind == Kind::Text)).collect();
        let (first, last) = (self.tokens.get(*items.first()?)?, self.tokens.get(*items.last()?)?);
        let name = |at: usize| self.text(at).trim_matches('"').to_ascii_lowercase();
        let mut names: Vec<String> = items.iter().map(|at| self.text(*at).to_owned()).collect();
        if let Some(edition) = edition {
            let old = items.iter().position(|at| rank(&name(*at)).is_some());
            if old.is_some_and(|old| rank(&name(items[old])) >= rank(edition)) {
                return None;
            }
            match old.and_then(|old| names.get_mut(old)) {
                Some(old) => *old = format!("\"{edition}\""),
                None => names.insert(0, format!("\"{edition}\"")),
            }
        }
        if browser && !items.iter().any(|at| name(*at) == "dom") {
            names.push("\"dom\"".to_owned());
        }
        let between = items
            .get(1)
            .and_then(|second| self.source.text.get(first.range.end..self.tokens.get(*second)?.range.start));
        Some(Edit::replace(first.range.start..last.range.end, names.join(between.unwrap_or(", "))))
    }

    /// Sets the kind of modules, if the compiler still writes `CommonJS` then.
    fn module(&self, kind: &str, files: &mut Shelf<'_>) -> Option<Edit> {
        let value = self.value("module")?;
        let old = self.text(value.start).trim_matches('"').to_ascii_lowercase();
        let manifest = files.nearest(&self.source.path, "package.json");
        let is_new = manifest.and_then(|path| files.read(&path)).is_some_and(|it| it.text.contains("\"type\""));
        let is_same = old.starts_with("node") || old == "commonjs" && !is_new;
        is_same
            .then(|| Some(Edit::replace(self.tokens.get(value.start)?.range.clone(), format!("\"{kind}\""))))
            .flatten()
    }

    /// Adds the names of a package of types that the project depends on.
    fn types(&self, name: &str, files: &mut Shelf<'_>) -> Option<Edit> {
        let manifest = files.nearest(&self.source.path, "package.json")?;
        let package = format!("\"@types/{name}\"");
        let value =
            self.value("types").filter(|_| files.read(&manifest).is_some_and(|it| it.text.contains(&package)))?;
        let close = self.tokens.get(value.end.checked_sub(1)?)?;
        let items = value.clone().filter(|at| self.tokens.get(*at).is_some_and(|it| it.kind == Kind::Text)).count();
        let is_list = close.kind == Kind::Mark(']') && !value.clone().any(|at| self.text(at) == format!("\"{name}\""));
        let last = self.tokens.get(value.end.checked_sub(2)?)?;
        let text = if items == 0 { format!("\"{name}\"") } else { format!(", \"{name}\"") };
        let is_open = last.kind == Kind::Text || items == 0;
        (is_list && is_open).then(|| Edit::insert(if items == 0 { close.range.start } else { last.range.end }, text))
    }

    /// Gives an option the value true.
    fn set(&self, flag: &str) -> Option<Edit> {
        match self.value(flag) {
            None => self.add(&format!("\"{flag}\": true")),
            Some(value) => {
                let range = self.tokens.get(value.start)?.range.clone();
                (self.text(value.start) == "false").then(|| Edit::replace(range, "true"))
            }
        }
    }

    /// Adds an option before the others, in a line of its own if they have such lines.
    fn add(&self, option: &str) -> Option<Edit> {
        let at = self.tokens.get(self.open)?.range.end;
        let next = self.tokens.get(self.open + 1)?.range.start;
        let space = self.source.text.get(at..next).filter(|space| space.trim().is_empty())?;
        let text = if self.entries.is_empty() { option.to_owned() } else { format!("{space}{option},") };
        Some(Edit::insert(at, text))
    }
}

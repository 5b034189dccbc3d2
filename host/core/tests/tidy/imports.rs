//! The paths that a source file names, and the names that it offers under `use`.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, Macro, UseTree, Visibility};

use crate::modules::{Crate, is_test};

/// A path that code names.
pub(crate) struct Import {
    /// As it is written, `super` of inline modules taken off.
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    /// A module that it names is used as a whole: `…::*`, or the functions that `#[serde(with = "…")]` finds in it.
    pub(crate) is_whole: bool,
    /// A `pub use` in any of its forms.
    pub(crate) is_re_export: bool,
}

/// A name that a `use` line brings into the file.
pub(crate) struct Alias {
    pub(crate) name: String,
    pub(crate) segments: Vec<String>,
}

/// What one file imports.
#[derive(Default)]
pub(crate) struct Imports {
    pub(crate) found: Vec<Import>,
    pub(crate) aliases: Vec<Alias>,
    /// The targets of `use …::*`.
    pub(crate) globs: Vec<Vec<String>>,
    /// Names of the items that the file itself defines.
    pub(crate) defined: BTreeSet<String>,
    /// How many inline modules surround the code that is visited.
    depth: usize,
}

impl Imports {
    /// A path in code or in tokens.
    fn add(&mut self, segments: Vec<String>, line: usize) {
        if let Some(segments) = self.outside_inline(segments) {
            self.found.push(Import { segments, line, is_whole: false, is_re_export: false });
        }
    }

    /// The path as the file itself would write it: without the `super`s that lead from an inline module to the file.
    /// `None` if the path stays inside the inline module.
    fn outside_inline(&self, mut segments: Vec<String>) -> Option<Vec<String>> {
        let ups = segments.iter().take_while(|segment| *segment == "super").count().min(self.depth);
        let leaves = ups == self.depth || segments.first().is_some_and(|first| first == "crate");
        segments.drain(..ups);
        (leaves && !segments.is_empty()).then_some(segments)
    }

    fn add_use(&mut self, tree: &UseTree, before: &mut Vec<String>, line: usize, is_re_export: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_use(&path.tree, before, line, is_re_export);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|item| self.add_use(item, before, line, is_re_export)),
            UseTree::Name(name) => self.add_leaf(before, &name.ident.to_string(), None, line, is_re_export),
            UseTree::Rename(rename) => {
                let (name, alias) = (rename.ident.to_string(), rename.rename.to_string());
                self.add_leaf(before, &name, Some(alias), line, is_re_export);
            }
            UseTree::Glob(_) => {
                if let Some(segments) = self.outside_inline(before.clone()) {
                    self.globs.push(segments.clone());
                    self.found.push(Import { segments, line, is_whole: true, is_re_export });
                }
            }
        }
    }

    fn add_leaf(&mut self, before: &[String], name: &str, alias: Option<String>, line: usize, is_re_export: bool) {
        let mut segments = before.to_vec();
        if name != "self" {
            segments.push(name.to_owned());
        }
        let Some(segments) = self.outside_inline(segments) else { return };
        let last = segments.last().cloned().unwrap_or_default();
        self.aliases.push(Alias { name: alias.unwrap_or(last), segments: segments.clone() });
        self.found.push(Import { segments, line, is_whole: false, is_re_export });
    }

    /// The paths in tokens that are not parsed, such as a macro's arguments.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut line) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end_path(&mut path, line);
                    }
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.end_path(&mut path, line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.end_path(&mut path, line);
    }

    fn end_path(&mut self, path: &mut Vec<String>, line: usize) {
        if !path.is_empty() {
            self.add(std::mem::take(path), line);
        }
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        if self.depth == 0
            && let Some(name) = name(item)
        {
            self.defined.insert(name);
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if is_test(&function.attrs) => {}
            _ => visit::visit_impl_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let line = item.use_token.span.start().line;
        let is_re_export = !matches!(item.vis, Visibility::Inherited);
        self.add_use(&item.tree, &mut Vec::new(), line, is_re_export);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |first| first.ident.span().start().line);
        self.add(segments, line);
        visit::visit_path(self, path);
    }

    /// `pub(in super::super)` says who may see, it imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.add_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    /// `#[serde(with = "super::summary::stored")]` names a module in a string.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if attribute.path().is_ident("doc") {
            return;
        }
        let syn::Meta::List(list) = &attribute.meta else { return };
        for token in list.tokens.clone() {
            let TokenTree::Literal(literal) = token else { continue };
            let line = literal.span().start().line;
            let text = literal.to_string();
            if let Ok(path) = syn::parse_str::<syn::Path>(text.trim_matches('"')) {
                let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                if let Some(segments) = self.outside_inline(segments) {
                    self.found.push(Import { segments, line, is_whole: true, is_re_export: false });
                }
            }
        }
    }
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) if item.content.is_some() => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Where the crate names one of `forbidden`: `file:line: path`.
pub(crate) fn forbidden(krate: &Crate, forbidden: &[&[&str]]) -> Vec<String> {
    let mut found = Vec::new();
    for (module, import) in krate.all_imports() {
        let module = &krate.modules[module];
        let full = written_out(&module.imports, &import.segments);
        if forbidden.iter().any(|path| begins_with(&full, path)) {
            found.push(format!("{}:{}: {}", module.file.display(), import.line, full.join("::")));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The path with its first name replaced by what a `use` line of the file says it is.
fn written_out(imports: &Imports, segments: &[String]) -> Vec<String> {
    let alias = imports.aliases.iter().find(|alias| segments.first() == Some(&alias.name));
    let Some(alias) = alias.filter(|alias| alias.segments.len() > 1) else { return segments.to_vec() };
    alias.segments.iter().chain(&segments[1..]).cloned().collect()
}

fn begins_with(path: &[String], forbidden: &[&str]) -> bool {
    path.len() >= forbidden.len() && path.iter().zip(forbidden).all(|(segment, name)| segment == name)
}

//! Import statements of TypeScript: removes names that nothing uses, and swaps default and named imports.

use crate::fix::Edit;
use crate::shelf::Shelf;
use crate::source::Source;
use crate::text::{has_word, is_name, positions};

/// An import statement on one line.
struct Import<'a> {
    /// The statement in its line, with the semicolon.
    text: &'a str,
    default: Option<&'a str>,
    star: Option<&'a str>,
    /// The items in braces.
    names: Option<Vec<&'a str>>,
    module: &'a str,
    type_only: bool,
}

/// Reads a statement that fills its line.
fn read(line: &str) -> Option<Import<'_>> {
    let text = line.trim_end();
    let (clause, module) = text.strip_prefix("import ")?.rsplit_once(" from ")?;
    let module = module.strip_suffix(';').unwrap_or(module).trim();
    let quoted = module.len() > 2 && module.starts_with(['"', '\'']) && module.ends_with(module.get(..1)?);
    let type_only = clause.starts_with("type ") && clause != "type";
    let clause = clause.strip_prefix("type ").unwrap_or(clause).trim();
    let (names, first) = match clause.split_once('{') {
        Some((first, rest)) => {
            let inner = rest.strip_suffix('}')?;
            let names = inner.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
            (Some(names), first.trim().trim_end_matches(',').trim())
        }
        None => (None, clause),
    };
    let (default, star) = match first.split_once("* as ") {
        Some((default, star)) => (default.trim().trim_end_matches(',').trim(), Some(star.trim())),
        None => (first, None),
    };
    let default = (!default.is_empty()).then_some(default);
    (quoted && default.is_none_or(is_name) && star.is_none_or(is_name)).then_some(Import {
        text,
        default,
        star,
        names,
        module,
        type_only,
    })
}

/// The name that an item binds: `b` for `a as b`, `type b` and `b`.
fn bound(item: &str) -> &str {
    item.rsplit(' ').next().unwrap_or(item)
}

/// Removes the import that starts at `at`, or the one name in it that stands there.
pub(super) fn unused(source: &Source, at: usize, line: usize, shelf: &mut Shelf<'_>) -> Option<(Vec<Edit>, String)> {
    let is_typed = [".ts", ".tsx", ".mts", ".cts"].iter().any(|end| source.path.ends_with(end));
    if !is_typed || keeps_imports(shelf) {
        return None;
    }
    let range = source.range(line)?;
    let text = source.line(line)?;
    let import = read(text)?;
    let is_used = |name: &str| positions(&source.text, name).any(|at| !range.contains(&at));
    let all: Vec<&str> =
        import.default.into_iter().chain(import.star).chain(import.names.iter().flatten().copied()).collect();
    // The compiler says that nothing uses them; the file is the witness.
    let unused = |item: &&str| !is_used(bound(item));
    let whole = || -> Option<(Vec<Edit>, String)> {
        let what = format!("remove the unused import of {}", import.module);
        Some((vec![Edit::replace(source.whole(line)?, "")], what))
    };
    if at == range.start {
        return all.iter().all(&unused).then(whole).flatten();
    }
    let name = source.word_at(at)?;
    let item = all.iter().find(|item| bound(item) == name || item.split(' ').next() == Some(name))?;
    let bound_name = bound(item);
    if !unused(item) {
        return None;
    }
    let left: Vec<&str> = all.iter().copied().filter(|other| bound(other) != bound_name).collect();
    if left.is_empty() {
        return whole();
    }
    let names: Vec<&str> = import.names.iter().flatten().copied().filter(|other| bound(other) != bound_name).collect();
    let mut clause: Vec<String> = Vec::new();
    clause.extend(import.default.filter(|name| *name != bound_name).map(str::to_owned));
    clause.extend(import.star.filter(|name| *name != bound_name).map(|name| format!("* as {name}")));
    if !names.is_empty() {
        clause.push(format!("{{ {} }}", names.join(", ")));
    }
    let semicolon = if import.text.ends_with(';') { ";" } else { "" };
    let kind = if import.type_only { "type " } else { "" };
    let new = format!("import {kind}{} from {}{semicolon}", clause.join(", "), import.module);
    let edit = Edit::replace(range.start..range.start + import.text.len(), new);
    Some((vec![edit], format!("remove the unused import `{bound_name}`")))
}

/// Removes `type` from the only import of a name, or from the name in it.
pub(super) fn as_value(source: &Source, name: &str) -> Option<(Vec<Edit>, String)> {
    let numbers = (1..=source.count()).filter(|number| {
        let import = source.line(*number).and_then(read);
        import.is_some_and(|import| {
            import.default.into_iter().chain(import.names.iter().flatten().copied()).any(|it| bound(it) == name)
        })
    });
    let [number] = numbers.collect::<Vec<_>>()[..] else { return None };
    let (line, start) = (source.line(number)?, source.range(number)?.start);
    let word = if line.starts_with("import type ") { "import ".len() } else { line.find(&format!("type {name}"))? };
    let edit = Edit::replace(start + word..start + word + "type ".len(), "");
    (is_name(name)).then(|| (vec![edit], format!("import `{name}` as a value")))
}

/// Whether the project's options keep an import that nothing uses, for the effects of its module.
fn keeps_imports(shelf: &mut Shelf<'_>) -> bool {
    ["verbatimModuleSyntax", "preserveValueImports", "importsNotUsedAsValues"]
        .iter()
        .any(|option| shelf.has_word(option, "**/tsconfig*.json"))
}

/// Replaces an import by the one that the compiler names: `import x from "m"` or `import { x } from "m"`.
pub(super) fn swapped(source: &Source, line: usize, at: usize, new: &str) -> Option<(Vec<Edit>, String)> {
    let range = source.range(line)?;
    let old = read(source.line(line)?)?;
    let meant = read(new)?;
    let (one, other) = match (old.default, old.names.as_deref(), meant.default, meant.names.as_deref()) {
        (Some(one), None, None, Some([other])) => (one, *other),
        (None, Some([one]), Some(other), None) => (*one, other),
        _ => return None,
    };
    let same = one == other && old.star.is_none() && !old.type_only && has_word(new, one);
    let module = old.module.trim_matches(['"', '\'']);
    if !same || meant.module.trim_matches(['"', '\'']) != module || source.word_at(at) != Some(one) {
        return None;
    }
    let clause = if old.default.is_some() { format!("{{ {one} }}") } else { one.to_owned() };
    let semicolon = if old.text.ends_with(';') { ";" } else { "" };
    let text = format!("import {clause} from {}{semicolon}", old.module);
    Some((vec![Edit::replace(range.start..range.start + old.text.len(), text.clone())], format!("write `{text}`")))
}

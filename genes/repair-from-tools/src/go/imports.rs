//! Import declarations of Go.

use crate::fix::Edit;
use crate::source::Source;

/// Removes an import of a path at a line.
pub(super) fn removed(source: &Source, line: usize, path: &str) -> Option<(Vec<Edit>, String)> {
    let text = source.line(line)?.trim();
    let quoted = format!("\"{path}\"");
    let spec = text.strip_prefix("import ").unwrap_or(text).trim();
    let comment = spec.split_once("//").map_or(spec, |(spec, _)| spec).trim();
    let fits = comment.strip_suffix(&quoted).is_some_and(|name| {
        name.trim().is_empty() || (name.trim().chars().all(|c| c.is_alphanumeric() || c == '_') && name.trim() != "_")
    });
    if !fits || path == "C" {
        return None;
    }
    let mut range = source.whole(line)?;
    let above = source.line(line.checked_sub(1)?).unwrap_or_default().trim();
    let below = source.line(line + 1).unwrap_or_default().trim();
    if above == "import (" && below == ")" {
        range = source.whole(line - 1)?.start..source.whole(line + 1)?.end;
    } else if (above.is_empty() || above == "import (") && below.is_empty() {
        // One of two blank lines, as gofmt leaves it.
        range.end = source.whole(line + 1).map_or(range.end, |blank| blank.end);
    } else if above.is_empty() && below == ")" {
        range.start = source.whole(line - 1)?.start;
    }
    Some((vec![Edit::replace(range, "")], format!("remove the unused import {quoted}")))
}

/// Adds the import of a package of the standard library.
pub(super) fn added(source: &Source, path: &str) -> Option<(Vec<Edit>, String)> {
    let quoted = format!("\"{path}\"");
    let what = format!("import {quoted}");
    let text = |number: usize| source.line(number).unwrap_or_default().trim();
    let numbers = 1..=source.count();
    if numbers.clone().any(|number| text(number).ends_with(&quoted) && !text(number).contains(":=")) {
        return None;
    }
    let ending = source.ending();
    if let Some(start) = numbers.clone().find(|number| text(*number) == "import (") {
        // The first group, in order; gofmt sorts within a group.
        let group = (start + 1..=source.count()).take_while(|number| !text(*number).is_empty() && text(*number) != ")");
        let next = group.clone().find(|number| text(*number).starts_with('"') && *text(*number) > *quoted);
        let at = next.or_else(|| group.last().map(|last| last + 1)).unwrap_or(start + 1);
        return Some((vec![Edit::insert(source.whole(at)?.start, format!("\t{quoted}{ending}"))], what));
    }
    if let Some(line) = numbers.clone().find(|number| text(*number).starts_with("import \"")) {
        let at = source.whole(line)?.end;
        return Some((vec![Edit::insert(at, format!("import {quoted}{ending}"))], what));
    }
    let package = numbers.clone().find(|number| text(*number).starts_with("package "))?;
    let at = source.whole(package)?.end;
    Some((vec![Edit::insert(at, format!("{ending}import {quoted}{ending}"))], what))
}

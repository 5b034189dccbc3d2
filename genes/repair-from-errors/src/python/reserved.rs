//! The name `async`, which is a keyword since Python 3.7.

use super::file::File;
use super::tokens::Kind;
use crate::edit::Edit;

/// The edits that rename every `async` that is no keyword to `async_`, the usual way out; in `asyncio` it has a new name. `None`
/// if someone else may have chosen the name: as an argument of a function that this file does not define, or in a string.
pub(super) fn edits(file: &File<'_>) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let is_keyword = |index: usize| ["def", "for", "with"].iter().any(|word| tokens.is(index + 1, word));
    let names = (0..tokens.list.len()).filter(|index| tokens.is(*index, "async") && !is_keyword(*index));
    let names: Vec<usize> = names.collect();
    let of_asyncio = |index: usize| {
        tokens.follows(index, ".") && index.checked_sub(2).is_some_and(|owner| tokens.is(owner, "asyncio"))
    };
    let own = names.iter().any(|index| {
        let line = file.lines.get(file.line_of(*index));
        let parameter = line.is_some_and(|line| tokens.is(line.tokens.start, "def"));
        let member = tokens.follows(*index, ".") && index.checked_sub(2).is_some_and(|owner| tokens.is(owner, "self"));
        let variable = tokens.is(index + 1, "=") && tokens.list.get(*index).is_some_and(|token| token.depth == 0);
        parameter || (member || variable) && !of_asyncio(*index)
    });
    let in_text = tokens
        .list
        .iter()
        .enumerate()
        .any(|(index, token)| token.kind == Kind::Text && matches!(tokens.text(index), b"'async'" | b"\"async\""));
    names
        .into_iter()
        .map(|index| {
            let now = if of_asyncio(index) {
                "ensure_future"
            } else if own && !in_text && !file.imports.iter().any(|import| import.tokens.contains(&index)) {
                "async_"
            } else {
                return None;
            };
            Some(Edit::replace(file.span(index, index)?, now))
        })
        .collect()
}

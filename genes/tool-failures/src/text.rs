//! Places in a text, whatever the text is.

/// What stands before and after each place where a text has a name.
pub(crate) fn around<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(name)
        .map(move |(at, _)| (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default()))
}

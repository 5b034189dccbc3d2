//! Terminal escapes: colours, cursor movements, titles and links.

/// Removes them. Linear in the length.
pub(crate) fn without_escapes(stream: &str) -> String {
    let mut text = String::with_capacity(stream.len());
    let mut pieces = stream.split('\u{1b}');
    text.extend(pieces.next());
    text.extend(pieces.map(after_escape));
    text
}

/// What follows an escape sequence whose first character has been removed (ECMA-48).
fn after_escape(rest: &str) -> &str {
    if let Some(control) = rest.strip_prefix('[') {
        let end = control.find(|c: char| !matches!(c, ' '..='?'));
        return end.map_or("", |end| without_first(&control[end..]));
    }
    if let Some(command) = rest.strip_prefix(']') {
        // The command ends at BEL. If an escape ends it, this piece ends there. It never continues past the line.
        let end = command.find(['\u{7}', '\n']).unwrap_or(command.len());
        return command[end..].trim_start_matches('\u{7}');
    }
    // `ESC \`, which ends a string, and other sequences of two characters.
    without_first(rest)
}

fn without_first(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_go_and_text_stays() {
        for (stream, plain) in [
            ("\u{1b}[32m\u{1b}[1m2 passed\u{1b}[0m", "2 passed"),
            ("\u{1b}[2K\u{1b}[1Gdone", "done"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}c1 failed\u{1b}[", "1 failed"),
            ("a\u{1b}", "a"),
            ("\u{1b}]0;never ends\nnext", "\nnext"),
            ("é\u{1b}[38;5;196mü", "éü"),
        ] {
            assert_eq!(without_escapes(stream), plain, "{stream:?}");
        }
    }
}

//! Scripts that a command line hands to a shell as a here-document: `bash <<'E'`, `sudo sh -s <<E`.

/// Most documents of a line that are read.
const MAX_DOCUMENTS: usize = 8;

/// The here-documents that a shell of the line runs.
pub(super) fn scripts(line: &str) -> Vec<&str> {
    let mut scripts = Vec::new();
    let mut rest = line;
    while let Some((above, below)) = rest.split_once("<<").filter(|_| scripts.len() < MAX_DOCUMENTS) {
        let (head, text) = below.split_once('\n').unwrap_or((below, ""));
        let end = end_of(head);
        let is_end = |line: &&str| line.trim() == end;
        let length = text.split_inclusive('\n').take_while(|line| !is_end(line)).map(str::len).sum();
        let (script, after) = text.split_at_checked(length).unwrap_or((text, ""));
        // `<<<` has a text in place of a document.
        let is_document = !end.is_empty() && !head.starts_with('<');
        if is_document && starts_a_shell(above) {
            scripts.push(script);
        }
        rest = if is_document { after } else { below.trim_start_matches('<') };
    }
    scripts
}

/// The word that ends the document: `'E' | tail` has `E`.
fn end_of(head: &str) -> &str {
    let word = head.trim_start_matches(['-', ' ']).split([' ', ';', '|', '&', ')', '>']).next().unwrap_or_default();
    word.trim().trim_matches(['\'', '"', '\\'])
}

/// Whether the last step of a text is a shell without a script: `cd a && sudo bash -e`.
fn starts_a_shell(above: &str) -> bool {
    let step = above.rsplit(['\n', ';', '&', '|', '(']).next().unwrap_or_default();
    let mut words = step.split_whitespace().skip_while(|word| *word == "sudo" || word.contains('='));
    words.next().is_some_and(|word| ["bash", "sh", "zsh"].contains(&word)) && words.all(|word| word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_a_shell_runs() {
        for (line, expected) in [
            ("bash <<'E'\ncd a\nmake | tail -1\nE", vec!["cd a\nmake | tail -1\n"]),
            ("cd r && sudo bash -e -s << EOF | tail\nls\nEOF\npwd", vec!["ls\n"]),
            ("cat > a.sh <<E\nmake\nE\nbash a.sh", vec![]),
            ("python3 - <<E\nmake\nE", vec![]),
            ("bash run.sh <<E\ny\nE", vec![]),
            ("bash <<E\na\nE\nsh <<F\nb\nF", vec!["a\n", "b\n"]),
            ("bash <<< 'make'", vec![]),
            ("bash <<E", vec![""]),
            ("bash <<", vec![]),
            ("<<<<\n<<", vec![]),
        ] {
            assert_eq!(scripts(line), expected, "{line}");
        }
    }
}

//! A unified diff of a file before and after an edit.

/// Lines around the change.
const CONTEXT: usize = 3;

/// The diff; `None` if nothing differs.
pub(crate) fn unified(path: &str, before: &str, after: &str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    if start == old.len() && start == new.len() {
        return None;
    }
    let first = start.saturating_sub(CONTEXT);
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let last = (old_end + CONTEXT).min(old.len());
    let tail = last - old_end;
    let at = |first: usize, count: usize| if count == 0 { first } else { first + 1 };
    let (old_count, new_count) = (last - first, new_end + tail - first);
    let mut text = format!(
        "--- a/{path}\n+++ b/{path}\n@@ -{},{old_count} +{},{new_count} @@\n",
        at(first, old_count),
        at(first, new_count)
    );
    let parts = [
        (' ', old.get(first..start)),
        ('-', old.get(start..old_end)),
        ('+', new.get(start..new_end)),
        (' ', old.get(old_end..last)),
    ];
    for (sign, lines) in parts {
        for line in lines.unwrap_or_default() {
            text.push(sign);
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_its_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let expected = "--- a/x\n+++ b/x\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+a\n+b\n 6\n 7\n 8\n";
        assert_eq!(unified("x", before, "1\n2\n3\n4\na\nb\n6\n7\n8\n").as_deref(), Some(expected));
        assert_eq!(unified("x", "a", "b").unwrap().matches("\\ No newline").count(), 2);
        assert_eq!(unified("x", "a\n", "a\n"), None);
    }
}

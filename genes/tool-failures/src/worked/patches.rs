//! Edits that a tool refused, and which later edit of the same file worked.

use crate::call::is_editor;
use crate::cause::Cause;
use crate::causes::replacing;
use crate::output::names;
use crate::output::refusals::file;
use crate::worked::waiting::{Remedy, Waiting, Way};

/// The marks of the sections of a patch.
const SECTIONS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
/// What to do if an edit of fewer lines worked.
pub(crate) const FEWER_LINES: &str = "have the agent match fewer lines in each edit";
/// An edit that expects fewer lines is easier to get right with a part of them only.
const LEAST_LINES: usize = 3;

/// The edit of the same file that worked, and what was different in it.
pub(crate) fn edited_otherwise(failed: &Waiting, tool: &str, input: &str) -> Option<Remedy> {
    if !failed.cause.is_about_edits() || !is_editor(tool) {
        return None;
    }
    let script = replacing::refused(&failed.input, &failed.output);
    let file = file(&failed.input, &failed.output).or(script.as_ref().map(|script| script.file))?;
    let is_same =
        |path: &str| path == file || path.ends_with(&format!("/{file}")) || file.ends_with(&format!("/{path}"));
    let section = section(input, &is_same);
    if section.is_none() && !names::file(input).is_some_and(is_same) {
        return None;
    }
    let writes_all = match section {
        Some((mark, _)) => mark == SECTIONS[1],
        None => {
            is_writer(tool) || input.contains("\"command\":\"create\"") || input.contains("\"command\": \"create\"")
        }
    };
    if writes_all {
        return Some(Remedy::of(Way::Rewritten, "have the agent write such a file as a whole".to_owned()));
    }
    if script.is_some() {
        let text = "have the agent change such a file with its tool for edits, and not with a script of its own";
        return Some(Remedy::of(Way::Rewritten, text.to_owned()));
    }
    if failed.cause == Cause::EditAmbiguous {
        let replaces_all = |input: &str| {
            ["replace_all", "replaceAll"].iter().any(|name| {
                input
                    .split_once(name)
                    .is_some_and(|(_, rest)| rest.trim_start_matches(['"', ':', ' ']).starts_with("true"))
            })
        };
        let is_new = replaces_all(input) && !replaces_all(&failed.input);
        return is_new.then(|| {
            Remedy::of(Way::Rewritten, "have the agent replace all places at once (`replace_all`)".to_owned())
        });
    }
    // What has nothing to change is not cured by fewer lines.
    if failed.cause == Cause::EditNothing {
        return None;
    }
    let (before, after) = (expected(&failed.input, &is_same)?, expected(input, &is_same)?);
    (before >= LEAST_LINES && after * 2 <= before).then(|| Remedy::of(Way::Rewritten, FEWER_LINES.to_owned()))
}

/// Whether a refused edit expects so few lines that no fewer would have helped.
pub(crate) fn is_short(input: &str) -> bool {
    let file = names::file(input);
    expected(input, &|path| Some(path) == file).is_some_and(|lines| lines < LEAST_LINES)
}

/// Whether a tool writes whole files.
fn is_writer(tool: &str) -> bool {
    let tool = tool.rsplit("__").next().unwrap_or(tool).to_ascii_lowercase();
    matches!(tool.as_str(), "write" | "write_file" | "writefile" | "create_file" | "write_to_file")
}

/// The mark and the text of the section of a patch that is about a file.
fn section<'p>(patch: &'p str, is_same: &dyn Fn(&str) -> bool) -> Option<(&'static str, &'p str)> {
    SECTIONS.iter().find_map(|mark| {
        let mut rests = patch.match_indices(mark).filter_map(|(at, _)| patch.get(at + mark.len()..));
        rests.find_map(|rest| {
            let end = rest.find(['\n', '\\', '"']).unwrap_or(rest.len());
            let text = rest.get(end..)?;
            let text = text.split("*** ").next().unwrap_or(text);
            is_same(rest.get(..end)?.trim()).then_some((*mark, text))
        })
    })
}

/// How many lines an edit expects in the file.
fn expected(input: &str, is_same: &dyn Fn(&str) -> bool) -> Option<usize> {
    const OLD: [&str; 6] =
        ["\"old_string\":", "\"oldString\":", "\"old_str\":", "\"oldText\":", "\"old_text\":", "\"search\":"];
    if let Some((_, text)) = section(input, is_same) {
        let lines = text.split('\n').flat_map(|line| line.split("\\n"));
        return Some(lines.filter(|line| line.starts_with([' ', '-'])).count());
    }
    let rest = OLD.iter().find_map(|key| input.split_once(key))?.1.trim_start().strip_prefix('"')?;
    let ends = |(at, _): &(usize, &str)| {
        let slashes = rest.get(..*at).unwrap_or_default().bytes().rev().take_while(|byte| *byte == b'\\').count();
        slashes % 2 == 0
    };
    let end = rest.match_indices('"').find(ends).map_or(rest.len(), |(at, _)| at);
    Some(rest.get(..end)?.matches("\\n").count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(cause: Cause, input: &str, output: &str) -> Waiting {
        Waiting::of(cause, input, output)
    }

    #[test]
    fn what_was_different_in_the_edit_that_worked_is_told() {
        let edit =
            |old: &str, all: &str| format!(r#"{{"file_path":"/w/a.rs","old_string":"{old}","new_string":"x"{all}}}"#);
        let long = edit(r#"a\n \"b\"\nc\nd"#, "");
        let text = failed(Cause::EditText, &long, "String to replace not found in file.");
        let said =
            |failed: &Waiting, tool: &str, input: &str| edited_otherwise(failed, tool, input).map(|remedy| remedy.text);
        assert!(said(&text, "Edit", &edit(r"a\nb", "")).is_some_and(|said| said.contains("fewer lines")));
        assert!(
            said(&text, "Write", r#"{"file_path":"/w/a.rs","content":"x"}"#)
                .is_some_and(|said| said.contains("as a whole"))
        );
        assert_eq!(said(&text, "Edit", &long), None, "nothing says what was wrong");
        assert_eq!(said(&text, "Edit", &edit(r"a\nb", "").replace("a.rs", "b.rs")), None, "another file");
        assert_eq!(said(&text, "Bash", "cat /w/a.rs"), None);
        let script = "python3 - <<'E'\ns = open('w/a.rs').read()\nassert 'x' in s\nopen('w/a.rs', 'w').write(s.replace('x', 'y'))\nE";
        let script = failed(Cause::EditText, script, "AssertionError");
        assert!(said(&script, "Edit", &long).is_some_and(|said| said.contains("not with a script")));
        assert_eq!(said(&script, "Edit", &long.replace("a.rs", "b.rs")), None, "another file");
        let twice = failed(Cause::EditAmbiguous, &edit("a", ""), "Found 2 matches of the string to replace");
        assert!(
            said(&twice, "Edit", &edit("a", r#","replace_all":true"#)).is_some_and(|said| said.contains("replace_all"))
        );
        assert_eq!(said(&twice, "Edit", &edit(r"a\nb", "")), None);
    }

    #[test]
    fn the_sections_of_patches_are_compared_by_their_file() {
        let patch = |lines: &str| format!("*** Begin Patch\n*** Update File: /w/b.md\n@@\n{lines}\n*** End Patch");
        let first = format!("*** Begin Patch\n*** Update File: a.md\n@@\n-z\n{}", patch(" a\n b\n c\n-d\n+e"));
        let lines = failed(Cause::PatchLines, &first, "Failed to find expected lines in /w/b.md:\na");
        let said = |input: &str| edited_otherwise(&lines, "apply_patch", input).map(|remedy| remedy.text);
        assert!(said(&patch(" c\n-d\n+e")).is_some_and(|said| said.contains("fewer lines")));
        assert!(
            said("*** Begin Patch\n*** Add File: /w/b.md\n+x\n*** End Patch")
                .is_some_and(|said| said.contains("as a whole"))
        );
        assert_eq!(said(&patch(" a\n b\n c\n-d\n+f")), None);
        assert_eq!(said("*** Begin Patch\n*** Update File: a.md\n@@\n-z\n*** End Patch"), None);
    }
}

//! Where a file is that was not found, as a later listing shows: the only one of this name, or one with other letters.

use crate::command::paths::base;
use crate::worked::act::Worked;
use crate::worked::elsewhere::MAX_PATH;
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Only this many bytes of an output are read.
const READ_BYTES: usize = 16_384;
/// Shortest name that says which file it is.
const MIN_NAME: usize = 5;
/// Names that many folders have.
const COMMON: [&str; 10] = [
    "index.ts",
    "index.js",
    "index.tsx",
    "index.html",
    "__init__.py",
    "main.py",
    "main.rs",
    "mod.rs",
    "package.json",
    "Makefile",
];
/// Programs that list paths, and what the names of tools have that do.
const LISTS: [&str; 6] = ["find", "fd", "fdfind", "rg", "ls", "git"];
const LISTING_TOOLS: [&str; 4] = ["glob", "list", "find", "search"];

/// The path of the file in a listing, if there is one only.
pub(crate) fn listed(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let missing = failed.missing.trim_start_matches("./");
    let name = base(missing);
    if name.len() < MIN_NAME || !name.contains('.') || missing.len() > MAX_PATH || COMMON.contains(&name) {
        return None;
    }
    let tool = || LISTING_TOOLS.iter().any(|word| worked.call.name.to_ascii_lowercase().contains(word));
    let lists = |worked: &Worked<'_>| match worked.acts.first() {
        Some(_) => worked.acts.iter().any(|act| LISTS.contains(&act.step.program)),
        None => tool(),
    };
    // A listing of another folder says its paths from there.
    if !lists(worked) || worked.call.input.contains("cd ") {
        return None;
    }
    let output = worked.call.output.get(..worked.call.output.floor_char_boundary(READ_BYTES))?;
    let is_path = |line: &&str| !line.contains([' ', '\t', ':', '"', '<', '(']) && line.len() <= MAX_PATH;
    let lines = output.lines().map(|line| line.trim().trim_start_matches("./")).filter(is_path);
    let mut found = lines.filter(|line| base(line).eq_ignore_ascii_case(name));
    let path = found.next().filter(|_| found.next().is_none())?;
    let is_end =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    // The same file may be named from another folder, and one that was written since was not there before. A name alone says
    // nothing of the folder that was listed.
    let is_other = path.contains('/') && !is_end(missing, path);
    let is_new = failed.between.edits.iter().any(|(file, _)| base(file) == base(path));
    (is_other && !is_new).then(|| Remedy { way: Way::Elsewhere, text: path.to_owned(), before: failed.missing.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::cause::Cause;

    fn found(missing: &str, tool: &str, input: &str, output: &str) -> Option<String> {
        let failed = Waiting { missing: missing.to_owned(), ..Waiting::of(Cause::Path, &format!("cat {missing}"), "") };
        let call = Call { name: tool, input, output, failed: false, ..Call::FAILED };
        listed(&failed, &Worked::of(&call, tool == "Bash")).map(|remedy| remedy.text)
    }

    #[test]
    fn the_only_file_of_the_name_in_a_listing_is_told() {
        for (missing, tool, input, output, path) in [
            (
                "app/a/Router.kt",
                "Bash",
                "rg --files | rg Router",
                "apps/x/app/a/b/Router.kt",
                "apps/x/app/a/b/Router.kt",
            ),
            ("/w/README.md", "glob", r#"{"pattern":"**/*.md"}"#, "/w/readme.md\n/w/b.md", "/w/readme.md"),
            ("src/editor.ts", "Bash", "find . -name editor.ts", "./src/parts/editor.ts", "src/parts/editor.ts"),
            ("editor.ts", "Bash", "git ls-files", "src/editor.ts\nsrc/b.ts", "src/editor.ts"),
            ("docs/usage.md", "Bash", "ls docs/*", "doc/usage.md", "doc/usage.md"),
            ("lib/tasks.rake", "Bash", "fd tasks", "engine/lib/jobs/tasks.rake", "engine/lib/jobs/tasks.rake"),
        ] {
            assert_eq!(found(missing, tool, input, output).as_deref(), Some(path), "{missing}: {input}");
        }
    }

    #[test]
    fn what_does_not_say_where_the_file_is_says_nothing() {
        for (missing, tool, input, output) in [
            ("src/editor.ts", "Bash", "find . -name editor.ts", "a/editor.ts\nb/editor.ts"),
            ("src/editor.ts", "Bash", "find . -name editor.ts", "./src/editor.ts"),
            ("/w/src/editor.ts", "Bash", "git ls-files", "src/editor.ts"),
            ("src/editor.ts", "Bash", "ls lib", "editor.ts"),
            ("src/editor.ts", "Bash", "cd lib && find . -name editor.ts", "./x/editor.ts"),
            ("src/editor.ts", "Bash", "cat list.txt", "lib/editor.ts"),
            ("src/editor.ts", "Bash", "rg -n editor", "lib/editor.ts: 1"),
            ("src/editor.ts", "read", "{}", "lib/editor.ts"),
            ("src/index.ts", "Bash", "find . -name index.ts", "lib/index.ts"),
            ("src/editor", "Bash", "find . -name editor", "lib/editor"),
            ("src/editor.ts", "Bash", "git ls-files", "lib/editors.ts"),
            ("", "Bash", "git ls-files", "lib/editors.ts"),
        ] {
            assert_eq!(found(missing, tool, input, output), None, "{missing}: {input}");
        }
    }
}

//! What is there in place of a file that was not found: a file of this name with another ending, or a folder of this name.

use crate::call::is_editor;
use crate::command::hidden::hides_errors;
use crate::command::paths::base;
use crate::worked::act::Worked;
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Only this many bytes of an input and of an output are read.
const READ_BYTES: usize = 4096;
/// Longest path.
const MAX_PATH: usize = 160;
/// Shortest name without its ending, and longest ending.
const MIN_NAME: usize = 3;
const MAX_ENDING: usize = 6;

/// Endings that one kind of file may have. A header is no source, and what a compiler writes is no other form of what it reads.
const ALIKE: [&[&str]; 9] = [
    &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
    &["yml", "yaml", "json", "jsonc", "json5", "toml", "ini", "cfg", "conf"],
    &["md", "mdx", "rst", "txt", "adoc"],
    &["css", "scss", "sass", "less"],
    &["png", "jpg", "jpeg", "webp", "svg", "gif"],
    &["cc", "cpp", "cxx", "c"],
    &["h", "hpp", "hh", "hxx"],
    &["kt", "kts", "java", "groovy", "gradle"],
    &["htm", "html", "xhtml"],
];

/// The path of what is there, as a later call names or lists it.
pub(crate) fn beside(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let missing = failed.missing.replace("\\\\", "\\");
    let (stem, ending) = missing.rsplit_once('.')?;
    let is_file = (1..=MAX_ENDING).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && base(stem).len() >= MIN_NAME
        && stem.contains(['/', '\\'])
        && missing.len() <= MAX_PATH;
    let stem = stem.trim_start_matches("./");
    if !is_file || stem.is_empty() || is_editor(worked.call.name) {
        return None;
    }
    // A command that hides its errors does not show that there is what it names; what it lists is there.
    let texts = [Some(worked.call.input).filter(|input| !hides_errors(input)), Some(worked.call.output)];
    let found = texts.into_iter().flatten().find_map(|text| named(stem, ending, text))?;
    Some(Remedy { way: Way::Elsewhere, text: found, before: failed.missing.clone() })
}

/// A path in a text that is the stem with another ending, or the folder of this name.
fn named(stem: &str, ending: &str, text: &str) -> Option<String> {
    let text = text.get(..text.floor_char_boundary(READ_BYTES)).unwrap_or_default();
    text.match_indices(stem).find_map(|(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at + stem.len()..)?);
        let begins = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
            || before.ends_with("./") && !before.ends_with("../");
        let next = after.chars().next()?;
        if !begins {
            return None;
        }
        if matches!(next, '/' | '\\') && after[1..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'))
        {
            return Some(format!("{stem}{next}"));
        }
        let other = after.strip_prefix('.')?;
        let end = other.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(other.len());
        let (other, rest) = other.split_at_checked(end)?;
        let is_whole = !rest.starts_with(['.', '_', '-', '/', '\\', '*'])
            || rest.starts_with('.') && rest.get(1..).is_none_or(|rest| !rest.starts_with(char::is_alphanumeric));
        let is_alike = ALIKE.iter().any(|row| row.contains(&ending) && row.contains(&other));
        (is_whole && other != ending && is_alike).then(|| format!("{stem}.{other}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::cause::Cause;

    fn found(missing: &str, input: &str, output: &str) -> Option<String> {
        let failed = Waiting { missing: missing.to_owned(), ..Waiting::of(Cause::Path, &format!("cat {missing}"), "") };
        let call = Call { input, output, failed: false, ..Call::FAILED };
        beside(&failed, &Worked::of(&call, true)).map(|remedy| remedy.text)
    }

    #[test]
    fn a_folder_or_another_ending_in_place_of_a_file_is_found() {
        for (missing, input, output, path) in [
            ("backend/config/settings.py", "cat backend/config/settings/base.py", "", "backend/config/settings/"),
            (
                "backend/config/settings.py",
                "rg --files",
                "a.py\nbackend/config/settings/base.py\n",
                "backend/config/settings/",
            ),
            ("src/app.js", "sed -n 1,9p src/app.tsx", "", "src/app.tsx"),
            ("./src/app.js", "ls -R .", "./src/app.ts", "src/app.ts"),
            ("src/utils.ts", "find src", "src/utils/index.ts", "src/utils/"),
            ("ci/build.yml", "cat ci/build.yaml", "", "ci/build.yaml"),
            ("docs/usage.md", "ls docs/*", "docs/usage.rst docs/a.md", "docs/usage.rst"),
            ("conf/app.json", r#"{"path": "conf/app.toml"}"#, "", "conf/app.toml"),
            ("/w/src/main.cc", "head /w/src/main.cpp", "", "/w/src/main.cpp"),
            ("app/build.gradle", "cat app/build.gradle.kts", "", ""),
            (r"src\app.js", r"type src\app.jsx", "", r"src\app.jsx"),
            ("web/theme.css", "git ls-files", "web/theme.scss", "web/theme.scss"),
        ] {
            assert_eq!(
                found(missing, input, output).as_deref().unwrap_or_default(),
                path,
                "{missing}: {input} {output}"
            );
        }
    }

    #[test]
    fn what_has_another_name_or_kind_is_nothing_in_its_place() {
        for (missing, input, output) in [
            ("src/app.js", "cat src/app.js", ""),
            ("src/app.js", "cat src/app.test.js", ""),
            ("src/app.js", "cat lib/src2/app.ts", ""),
            ("src/app.js", "cat other-src/app.ts", ""),
            ("src/app.js", "cat src/application.ts", ""),
            ("src/app.js", "cat src/app.ts || true", ""),
            ("src/app.js", "cat src/app.md", ""),
            ("src/foo.c", "cat src/foo.h", ""),
            ("src/foo.c", "ls src", "src/foo.o"),
            ("app.js", "cat app.ts", ""),
            ("src/a.js", "cat src/a.ts", ""),
            ("src/app.js", "rm -r src/app/", ""),
            ("", "cat src/app.ts", ""),
            ("src/app", "cat src/app.ts", ""),
            ("src/app.js", "cat src/app.ts.bak", ""),
        ] {
            assert_eq!(found(missing, input, output), None, "{missing}: {input} {output}");
        }
    }
}

//! What a later call made that a failed one did not find: a folder, a file or a program that is built.

use crate::command::paths::base;
use crate::worked::act::Worked;
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Options in front of the path that a program writes.
const WRITES_TO: [&str; 5] = ["-o", "--output", "-out", "--out", "--outfile"];
/// Programs that make what their last operand names.
const MAKES_LAST: [&str; 5] = ["cp", "mv", "ln", "touch", "install"];
/// Longest step that is shown, in bytes.
const MAX_STEP: usize = 120;
/// Only this many bytes of a command are read.
const READ_BYTES: usize = 2048;

/// The step of a later call that makes the path which was not found.
pub(crate) fn made(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let missing = bare(&failed.missing);
    let input = worked.call.input;
    if missing.len() < 3 || worked.acts.is_empty() && !input.contains("mkdir ") || input.contains("||") {
        return None;
    }
    let input = input.get(..input.floor_char_boundary(READ_BYTES)).unwrap_or_default();
    // What a here-document holds is no command.
    let commands = input.split("<<").next().unwrap_or_default();
    let steps = commands.split("&&").flat_map(|part| part.split([';', '\n', '|'])).map(str::trim);
    // What stood behind the step that failed did not run.
    let came_first = |step: &str| {
        let at = failed.input.find(step);
        at.is_some_and(|at| failed.input.find(missing).is_none_or(|missing| at < missing))
    };
    let is_new = |step: &&str| step.len() <= MAX_STEP && !came_first(step) && !step.contains(['$', '`']);
    // A folder that only a makefile or a script names is made by more than `mkdir`.
    let is_named = failed.input.contains(missing);
    let helps = |step: &&str| makes(step, missing) && (is_named || !step.contains("mkdir"));
    // The exit code says nothing of `a` in `a; b`.
    let shows = |step: &&str| commands.rsplit_once(*step).is_some_and(|(_, rest)| !rest.contains([';', '\n']));
    let step = steps.filter(is_new).filter(shows).find(helps).filter(|_| !worked.has_error())?;
    Some(Remedy::of(Way::Made, format!("`{step}`")))
}

/// Whether a step makes a path, or a folder in which it is.
fn makes(step: &str, path: &str) -> bool {
    let words: Vec<&str> = step.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let words = words.strip_prefix(&["sudo"]).or_else(|| words.strip_prefix(&["rtk"])).unwrap_or(&words);
    let Some((program, arguments)) = words.split_first() else { return false };
    let is_it = |word: &str| is_same(bare(word), path);
    let holds = |word: &&str| {
        let word = bare(word);
        is_same(word, path) || word.len() > 1 && path.strip_prefix(word).is_some_and(|rest| rest.starts_with('/'))
    };
    // The folders above are made, too.
    let makes_parents = arguments.iter().any(|word| word.starts_with("-p") || *word == "--parents");
    let lies_in = |word: &str| makes_parents && bare(word).strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    let mut operands = arguments.iter().filter(|word| !word.starts_with('-'));
    let is_written = arguments.windows(2).any(|pair| WRITES_TO.contains(&pair[0]) && is_it(pair[1]));
    let program_is_mkdir = base(program) == "mkdir";
    match (base(program), arguments) {
        ("mkdir" | "virtualenv", _) | ("uv", ["venv", ..]) | ("python" | "python3", ["-m", "venv", ..]) => {
            operands.copied().any(|word| holds(&word) || program_is_mkdir && lies_in(word))
        }
        ("git", ["clone" | "worktree", ..]) => operands.skip(1).copied().any(|word| holds(&word)),
        (program, _) if MAKES_LAST.contains(&program) => operands.next_back().is_some_and(|word| is_it(word)),
        _ => is_written,
    }
}

/// Whether two paths are the same, or one of them is the end of the other.
fn is_same(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    !one.is_empty() && (one == other || ends(one, other) || ends(other, one))
}

fn bare(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::cause::Cause;

    fn found(missing: &str, input: &str) -> Option<String> {
        let failed = Waiting { missing: missing.to_owned(), ..Waiting::of(Cause::Path, &format!("run {missing}"), "") };
        let call = Call { input, output: "fine", failed: false, ..Call::FAILED };
        made(&failed, &Worked::of(&call, true)).map(|remedy| remedy.text)
    }

    #[test]
    fn what_makes_the_missing_path_is_found() {
        for (missing, input, step) in [
            ("/tmp/w/.env", "mkdir -p /tmp/w && run it", "mkdir -p /tmp/w"),
            ("/tmp/bin", "go build -o /tmp/bin ./cmd && /tmp/bin", "go build -o /tmp/bin ./cmd"),
            ("./out/a", "gcc a.c -o out/a && ./out/a", "gcc a.c -o out/a"),
            ("/w/.venv/bin/pip", "python3 -m venv .venv", ""),
            (".venv/bin/pip", "python3 -m venv .venv && .venv/bin/pip list", "python3 -m venv .venv"),
            (".venv/bin/pip", "uv venv .venv", "uv venv .venv"),
            ("conf/a.json", "cp conf/b.json conf/a.json", "cp conf/b.json conf/a.json"),
            ("/w/conf/a.json", "touch conf/a.json", "touch conf/a.json"),
            ("/tmp/repo/a", "git clone https://x.example/r /tmp/repo", "git clone https://x.example/r /tmp/repo"),
            ("build", "mkdir build", "mkdir build"),
            ("outputs/repo/", "rtk mkdir -p outputs/repo && run it", "rtk mkdir -p outputs/repo"),
            ("outputs/", "mkdir -p outputs/repo", "mkdir -p outputs/repo"),
            ("/w/a/b", "mkdir -p /w/a/b/c/d && ls", "mkdir -p /w/a/b/c/d"),
            ("outputs", "mkdir --parents ./outputs/a", "mkdir --parents ./outputs/a"),
            ("outputs", "mkdir -pv outputs/a", "mkdir -pv outputs/a"),
        ] {
            let expected = Some(format!("`{step}`")).filter(|_| !step.is_empty());
            assert_eq!(found(missing, input), expected, "{missing}: {input}");
        }
    }

    #[test]
    fn a_folder_that_the_command_does_not_name_is_made_by_more_than_mkdir() {
        let failed = Waiting { missing: "/w/build".to_owned(), ..Waiting::of(Cause::Path, "make", "") };
        let by = |input: &str| {
            let call = Call { input, output: "fine", failed: false, ..Call::FAILED };
            made(&failed, &Worked::of(&call, true)).is_some()
        };
        assert!(!by("mkdir -p /w/build && make") && by("git clone r /w/build"));
    }

    #[test]
    fn what_only_names_the_path_makes_nothing() {
        for (missing, input) in [
            ("/tmp/bin", "ls /tmp/bin"),
            ("/tmp/bin", "grep -o /tmp a.txt"),
            ("/tmp/w/.env", "mkdir -p /tmp/other"),
            ("/tmp/w/.env", "mkdir -p /tmp/w || true"),
            ("./out/a", "gcc a.c -o out/a; ls"),
            ("/tmp/w/.env", "mkdir -p \"$DIR\""),
            ("conf/a.json", "cp conf/a.json /tmp/b.json"),
            ("conf/a.json", "cat > x <<'E'\nmkdir -p conf\nE"),
            ("conf/a.json", "rm conf/a.json"),
            ("/tmp/w", "run it /tmp/w"),
            ("/tmpx/a", "mkdir /tmp"),
            ("outputs", "mkdir outputs/a"),
            ("outputs", "mkdir -p outputs2/a"),
            ("outputs", "mkdir -p other/a"),
        ] {
            assert_eq!(found(missing, input), None, "{missing}: {input}");
        }
    }
}

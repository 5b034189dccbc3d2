//! What a call that worked had in place of a word that was wrong: a script with another name, or nothing.

use crate::cause::Cause;
use crate::command::paths::base;
use crate::command::shell::{Act, acts};
use crate::worked::act::{Worked, is_same, of_failure};
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Fewest parts that two names must have in common.
const MIN_PARTS: usize = 2;
/// Longest path and longest option that are shown, in bytes.
const MAX_SHOWN: usize = 120;

/// The script with nearly the same name that ran in place of one that was not found.
pub(crate) fn script(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let missing = failed.missing.as_str();
    let may_be = matches!(failed.cause, Cause::Path | Cause::Folder | Cause::Program);
    if !may_be || !base(missing).contains('.') || worked.acts.is_empty() {
        return None;
    }
    let act = of_failure(failed)?;
    run(&act).filter(|path| base(path) == base(missing))?;
    let other = worked.shown(|other| run(other).is_some_and(|path| is_alike(base(missing), base(path))))?;
    let path = run(other).filter(|path| path.len() <= MAX_SHOWN && !path.contains(['$', '`']))?;
    Some(Remedy { way: Way::Elsewhere, text: path.to_owned(), before: missing.to_owned() })
}

/// The script that a step runs: its program, or what an interpreter is given first.
fn run<'a>(act: &Act<'a>) -> Option<&'a str> {
    let program = act.program();
    let is_interpreter = matches!(base(program), "bash" | "sh" | "zsh" | "node" | "ruby" | "perl" | "php")
        || base(program).starts_with("python");
    let first = act.arguments().first().copied().filter(|_| is_interpreter);
    Some(first.unwrap_or(program)).filter(|path| base(path).contains('.') && !path.starts_with('-'))
}

/// Whether two names have the same ending, and one has all parts of the other: `run_tests.sh` and `run_all_tests.sh`.
fn is_alike(one: &str, other: &str) -> bool {
    let split = |name: &'_ str| name.rsplit_once('.').map(|(stem, end)| (stem.to_ascii_lowercase(), end.to_owned()));
    let (Some((one, end)), Some((other, other_end))) = (split(one), split(other)) else { return false };
    let parts = |stem: &'_ str| stem.split(['_', '-', '.']).map(str::to_owned).collect::<Vec<_>>();
    let is_other = one != other;
    let (one, other) = (parts(&one), parts(&other));
    let holds = |all: &[String], some: &[String]| some.len() >= MIN_PARTS && some.iter().all(|part| all.contains(part));
    is_other && end == other_end && (holds(&one, &other) || holds(&other, &one))
}

/// An option that the error names, and that the same call works without.
pub(crate) fn left_out(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    let may_be = matches!(failed.cause, Cause::Error | Cause::OptionRefused | Cause::Argument | Cause::Path);
    if !may_be || !["'-", "\"-", "`-"].iter().any(|start| failed.line.contains(start)) {
        return None;
    }
    let said = |word: &str| ["'", "\"", "`"].iter().any(|quote| failed.line.contains(&format!("{quote}{word}{quote}")));
    let is_option = |word: &&&str| word.len() > 1 && word.len() <= MAX_SHOWN && word.starts_with('-') && said(word);
    // The message may not say which step of the command it is from.
    acts(&failed.input).iter().find_map(|act| {
        let option = act.arguments().iter().find(is_option)?;
        let has_less = |other: &Act<'_>| {
            other.step.name() == act.step.name()
                && is_same(failed, act, other)
                && !other.arguments().contains(option)
                && other.arguments().iter().all(|word| act.arguments().contains(word))
        };
        worked.shown(has_less)?;
        Some(Remedy::of(Way::Word, format!("leave out `{option}`")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;

    #[test]
    fn a_script_with_nearly_the_same_name_is_told() {
        let found = |missing: &str, failed: &str, later: &str| {
            let failed = Waiting { missing: missing.to_owned(), ..Waiting::of(Cause::Path, failed, "") };
            let call = Call { input: later, output: "fine", failed: false, ..Call::FAILED };
            script(&failed, &Worked::of(&call, true)).map(|remedy| remedy.text)
        };
        for (missing, failed, later, path) in [
            ("./run_tests.sh", "./run_tests.sh | tail", "test/run_all_tests.sh | tail", "test/run_all_tests.sh"),
            ("test/run_tests.sh", "bash test/run_tests.sh a", "bash test/run_all_tests.sh a", "test/run_all_tests.sh"),
            ("ci/build-all.py", "python3 ci/build-all.py", "python3 tools/build.all.py", "tools/build.all.py"),
            ("lint-fix.js", "node lint-fix.js", "node scripts/lint-js-fix.js", "scripts/lint-js-fix.js"),
        ] {
            assert_eq!(found(missing, failed, later).as_deref(), Some(path), "{failed}");
        }
        for (missing, failed, later) in [
            ("./run_tests.sh", "./run_tests.sh", "./run_tests.py"),
            ("./run_tests.sh", "./run_tests.sh", "./build_tests.sh"),
            ("./run.sh", "./run.sh", "./run_all.sh"),
            ("./run_tests.sh", "./run_tests.sh", "cat test/run_all_tests.sh"),
            ("./run_tests.sh", "./run_tests.sh", "test/run_all_tests.sh || true"),
            ("run_tests.sh", "cat run_tests.sh", "test/run_all_tests.sh"),
            ("", "make", "test/run_all_tests.sh"),
        ] {
            assert_eq!(found(missing, failed, later), None, "{failed}: {later}");
        }
    }

    #[test]
    fn an_option_that_the_error_names_and_the_call_works_without_is_left_out() {
        let found = |failed: &str, line: &str, later: &str| {
            let line = line.to_owned();
            let failed = Waiting { line, ..Waiting::of(Cause::Error, failed, "") };
            let call = Call { input: later, output: "fine", failed: false, ..Call::FAILED };
            left_out(&failed, &Worked::of(&call, true)).map(|remedy| remedy.text)
        };
        let (failed, line) = ("./cc -O1 a.c -o a.asm", "error: could not open '-o'");
        assert_eq!(found(failed, line, "./cc -O1 a.c").as_deref(), Some("leave out `-o`"));
        assert_eq!(found(failed, line, "./cc -O1 a.c && nasm a.asm").as_deref(), Some("leave out `-o`"));
        let chain = "./cc -O1 a.c -o a.asm && nasm a.asm -o a.o && ./a";
        let told = found(chain, line, "./cc -O1 a.c && nasm a.asm -o a.o && ./a");
        assert_eq!(told.as_deref(), Some("leave out `-o`"), "of the first step");
        let tail = ("tail --retry a.log", "tail: unrecognized option `--retry`");
        assert_eq!(found(tail.0, tail.1, "tail a.log").as_deref(), Some("leave out `--retry`"));
        for (failed, line, later) in [
            (failed, "error: could not open it", "./cc -O1 a.c"),
            (failed, line, "./cc -O1 b.c"),
            (failed, line, "./cc -O1 a.c --out a.asm"),
            (failed, line, "./cc a.c || true"),
            (failed, line, "gcc a.c"),
            ("./cc a.c", line, "./cc a.c"),
        ] {
            assert_eq!(found(failed, line, later), None, "{line}: {later}");
        }
    }
}

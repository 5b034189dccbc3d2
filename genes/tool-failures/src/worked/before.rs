//! What stands in front of the step that failed, in its own command and in one that worked.

use crate::command::shell::{Act, acts, pieces};
use crate::worked::act::{Worked, has_same_words, of_failure, shown};
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Longest step that is shown, in bytes.
const MAX_SHOWN: usize = 120;

/// The steps in front of one; all of them if it is not there.
pub(crate) fn in_front<'i>(input: &'i str, act: &Act<'_>) -> Vec<Vec<&'i str>> {
    pieces(input).take_while(|words| !is_it(words, act)).collect()
}

/// The step that stood behind the one that failed, and in front of it in the chain that worked.
pub(crate) fn reordered(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if !failed.input.contains("&&") || !worked.repeats(failed) {
        return None;
    }
    let act = of_failure(failed)?;
    worked.shown(|other| has_same_words(&act, other))?;
    let is_it = |other: &&Act<'_>| has_same_words(&act, other);
    let own = acts(&failed.input);
    let behind: Vec<&Act<'_>> = own.iter().skip_while(|other| !is_it(other)).skip(1).collect();
    let in_front = worked.acts.iter().take_while(|other| !is_it(other));
    let mut moved = in_front.filter(|other| behind.iter().any(|own| has_same_words(own, other)));
    let step = shown(moved.next().filter(|_| moved.next().is_none())?, usize::MAX);
    let is_told = step.len() <= MAX_SHOWN && !step.contains(['`', '$']);
    is_told.then(|| Remedy::of(Way::Ran, format!("`{step}`")))
}

fn is_it(words: &[&str], act: &Act<'_>) -> bool {
    let at = words.iter().position(|word| *word == act.program());
    at.and_then(|at| words.get(at + 1..)).is_some_and(|rest| rest.starts_with(act.arguments()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::cause::Cause;

    #[test]
    fn a_step_that_came_first_in_the_chain_that_worked_is_the_remedy() {
        let found = |failed: &str, program: &str, later: &str| {
            let failed = Waiting { program: program.to_owned(), ..Waiting::of(Cause::Error, failed, "error: no") };
            let call = Call { input: later, output: "fine", failed: false, ..Call::FAILED };
            reordered(&failed, &Worked::of(&call, true)).map(|remedy| remedy.text)
        };
        for (failed, program, later, step) in [
            (
                "git branch -d a && git worktree remove /w/a",
                "git branch",
                "git worktree remove /w/a && git branch -d a",
                "`git worktree remove /w/a`",
            ),
            ("docker rm x && docker stop x", "docker rm", "docker stop x && docker rm x", "`docker stop x`"),
            ("make test && make gen", "make test", "make gen && make test 2>&1", "`make gen`"),
            ("cd a && npm test && npm ci", "npm test", "cd a && npm ci && npm test", "`npm ci`"),
        ] {
            assert_eq!(found(failed, program, later).as_deref(), Some(step), "{failed}");
        }
        for (failed, program, later) in [
            ("make test && make gen", "make test", "make test && make gen"),
            ("make test && make gen", "make test", "make other && make test"),
            ("make test && make gen", "make test", "make gen && make test-all"),
            ("make test && make gen", "make test", "make gen && make test || true"),
            ("make test && a && b", "make test", "a && b && make test"),
            ("make test && ls | head -3", "make test", "ls b | head -3 && make test"),
            ("make test; make gen", "make test", "make gen && make test"),
            ("", "", "make gen && make test"),
        ] {
            assert_eq!(found(failed, program, later), None, "{failed}: {later}");
        }
    }
}

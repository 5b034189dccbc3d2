//! The same work done in another way: a script by the project's runner, an address by another program, another address of the
//! same server.

use crate::cause::Cause;
use crate::command::paths::base;
use crate::command::script::versionless;
use crate::command::shell::{Act, acts};
use crate::output::host::{domain, host};
use crate::output::names::names_word;
use crate::output::vocabulary::Words;
use crate::worked::act::{Worked, has_same_words, of_failure, shown};
use crate::worked::waiting::{Remedy, Waiting, Way};

/// Longest command or address that is shown, in bytes.
const MAX_SHOWN: usize = 120;
/// Most words of a command that are shown.
const MAX_WORDS: usize = 4;
/// How interpreters say that a file cannot be run by itself.
static NO_SCRIPT: Words = Words::of(&[
    "ttempted relative import",
    "'__main__' is not a package",
    "se import statement outside a module",
    "nknown file extension",
    "cannot run *_test.go files",
    "cannot run non-main package",
]);
/// Folders whose names say nothing of what is in them.
const COMMON: [&str; 6] = ["tests", "test", "src", "lib", "scripts", "spec"];
/// Programs that read an address.
const FETCHES: [&str; 6] = ["curl", "wget", "http", "https", "xh", "lynx"];
/// How the answers of servers begin that are an error.
const ERROR_PAGES: [&str; 4] = ["<!DOCTYPE", "<html", "HTTP/1.1 4", "{\"error\""];

/// A file that cannot be run by itself, or another one of its folder, run by what the project runs its code with.
pub(crate) fn by_runner(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if worked.acts.is_empty() || failed.cause != Cause::Error || !NO_SCRIPT.are_in(&failed.line) {
        return None;
    }
    let act = of_failure(failed)?;
    let script = act.arguments().iter().copied().find(|word| word.contains('.') && !word.starts_with('-'))?;
    let (stem, end) = base(script).rsplit_once('.').filter(|(stem, _)| stem.len() > 2)?;
    let folder = script.rsplit('/').nth(1).filter(|folder| folder.len() > 2 && !COMMON.contains(folder));
    let is_again = |word: &str| word.ends_with(end) && base(word) == base(script);
    let place = |other: &Act<'_>| {
        let is_same_program = versionless(base(other.program())) == versionless(base(act.program()));
        let names = |word: &str| {
            let is_label = !is_again(word) || !is_same_program;
            is_label && (names_word(word, stem) || folder.is_some_and(|folder| names_word(word, folder)))
        };
        let is_runner = is_same_program || other.step.tests() || other.prefixes().ends_with(&["-m"]);
        let mut words = std::iter::once(other.program()).chain(other.arguments().iter().copied());
        words.position(names).filter(|at| is_runner && *at <= MAX_WORDS)
    };
    let other = worked.shown(|other| place(other).is_some())?;
    let before = other.prefixes().iter().filter(|word| !word.contains('=')).map(|word| format!("{word} "));
    let command = before.collect::<String>() + &shown(other, place(other)?);
    let is_short = command.len().max(script.len()) <= MAX_SHOWN;
    is_short.then(|| Remedy {
        way: Way::Start,
        text: format!("`{command}`"),
        before: format!("`{} {script}`", act.program()),
    })
}

/// An address of the same domain, read by a program after a tool for the web could not read it.
pub(crate) fn fetched(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if !failed.input.trim_start().starts_with('{') || failed.tool == worked.call.name {
        return None;
    }
    let (program, other) = answered(worked)?;
    let asked = address(&failed.input)?;
    // If the address is another one, too, it is not known which of the two helped.
    let way = if asked == other { Way::Start } else { Way::Whole };
    (domain(asked)? == domain(other)?).then(|| Remedy {
        way,
        text: format!("`{program} {other}`"),
        before: format!("`{}`", failed.tool),
    })
}

/// The program that read an address, and the address, if it got an answer.
pub(crate) fn answered<'a>(worked: &Worked<'a>) -> Option<(&'a str, &'a str)> {
    let read = fetch(&worked.acts)?;
    let output = worked.call.output.trim_start();
    let is_page = ERROR_PAGES.iter().any(|start| output.starts_with(start));
    (!output.is_empty() && !is_page && !worked.has_error()).then_some(read)
}

/// Another address of the same server with the same last name, after which the rest of the command worked.
pub(crate) fn readdressed(failed: &Waiting, worked: &Worked<'_>) -> Option<Remedy> {
    if !matches!(failed.cause, Cause::Error | Cause::Silent) || !failed.input.contains("://") {
        return None;
    }
    let (_, after) = fetch(&worked.acts)?;
    let own = acts(&failed.input);
    let (_, before) = fetch(&own)?;
    let last = |url: &'_ str| base(url.split('?').next().unwrap_or_default()).to_owned();
    let is_other = before != after && host(before) == host(after) && last(before) == last(after);
    let is_same_work = own.len() > 1
        && own.len() == worked.acts.len()
        && own
            .iter()
            .zip(&worked.acts)
            .all(|(one, other)| has_same_words(one, other) || fetches(one) && fetches(other));
    (is_other && is_same_work && !worked.has_error() && !worked.call.input.contains("||"))
        .then(|| Remedy::of(Way::Word, format!("ask `{after}` instead of `{before}`")))
}

fn fetches(act: &Act<'_>) -> bool {
    FETCHES.contains(&act.step.program)
}

/// The first program that reads an address, and the address.
fn fetch<'a>(acts: &[Act<'a>]) -> Option<(&'a str, &'a str)> {
    let act = acts.iter().find(|act| fetches(act))?;
    let word = act.arguments().iter().find(|word| word.contains("://"))?.trim_matches(['"', '\'']);
    (word.len() <= MAX_SHOWN && !word.contains('$')).then_some((act.step.program, word))
}

/// The first address in a text.
pub(crate) fn address(text: &str) -> Option<&str> {
    let at = text.find("://")?;
    let start = text.get(..at)?.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    text.get(start..)?.split(['"', '\'', ' ', '\\', '>']).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;

    fn found(
        rule: fn(&Waiting, &Worked<'_>) -> Option<Remedy>,
        (input, line): (&str, &str),
        later: &str,
        output: &str,
    ) -> Option<String> {
        let waiting = Waiting::of(Cause::Error, input, line);
        let failed = Waiting { line: line.to_owned(), tool: "WebFetch".to_owned(), ..waiting };
        let call = Call { input: later, output, failed: false, ..Call::FAILED };
        rule(&failed, &Worked::of(&call, true)).map(|remedy| remedy.text)
    }

    #[test]
    fn a_file_that_is_no_script_is_run_as_the_session_runs_its_code() {
        let python = (
            "python /w/tests/queries/test_query.py",
            "ImportError: attempted relative import with no known parent package",
        );
        let node = ("node src/mail/send.ts", "TypeError: Unknown file extension \".ts\"");
        for (failed, later, expected) in [
            (
                python,
                "cd /w && python tests/runtests.py queries.test_query -v 2 2>&1 | head -5",
                Some("`python tests/runtests.py queries.test_query`"),
            ),
            (python, "python tests/runtests.py queries", Some("`python tests/runtests.py queries`")),
            (python, "pytest tests/queries/test_query.py", Some("`pytest tests/queries/test_query.py`")),
            (python, "uv run pytest -x tests/queries", Some("`uv run pytest -x tests/queries`")),
            (python, "python3 -m tests.queries.test_query", Some("`python3 -m tests.queries.test_query`")),
            (python, "python /w/tests/queries/test_query.py", None),
            (python, "cat /w/tests/queries/test_query.py", None),
            (python, "python tests/runtests.py forms", None),
            (python, "pytest tests/queries || true", None),
            (node, "npx vitest run src/mail/send.test.ts", Some("`npx vitest run src/mail/send.test.ts`")),
            (("python a.py", "ValueError: a"), "pytest a.py", None),
        ] {
            assert_eq!(found(by_runner, failed, later, "fine").as_deref(), expected, "{later}");
        }
    }

    #[test]
    fn another_program_may_read_what_a_tool_for_the_web_cannot() {
        let failed =
            (r#"{"url": "https://images.x.example/photo-1", "prompt": "p"}"#, "Request failed with status code 404");
        let curl = "curl -s \"https://x.example/api/photos/1\" 2>/dev/null | python3 -c \"print(1)\"";
        assert_eq!(found(fetched, failed, curl, "URL").as_deref(), Some("`curl https://x.example/api/photos/1`"));
        for (later, output) in [
            (curl, ""),
            (curl, "<!DOCTYPE html>"),
            (curl, "error: not found"),
            ("curl https://y.example/photos", "a"),
            ("echo https://x.example/a", "a"),
        ] {
            assert_eq!(found(fetched, failed, later, output), None, "{later}: {output}");
        }
        let command = ("curl https://x.example/a", "404");
        assert_eq!(found(fetched, command, curl, "a"), None, "no tool for the web");
    }

    #[test]
    fn another_address_of_the_same_server_is_told() {
        let failed =
            ("curl -s http://localhost:3001/api/audio/status | python3 -m json.tool", "Expecting value: line 1");
        let found = |later: &str| found(readdressed, failed, later, "{}");
        let expected = "ask `http://localhost:3001/audio/status` instead of `http://localhost:3001/api/audio/status`";
        assert_eq!(
            found("curl -s http://localhost:3001/audio/status | python3 -m json.tool").as_deref(),
            Some(expected)
        );
        for other in [
            "curl -s http://localhost:3001/audio/start | python3 -m json.tool",
            "curl -s http://localhost:8000/audio/status | python3 -m json.tool",
            "curl -s http://localhost:3001/audio/status",
            "curl -s http://localhost:3001/api/audio/status | python3 -m json.tool",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}

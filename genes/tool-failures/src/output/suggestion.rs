//! What a failing tool itself suggests.

use crate::output::below::{ASKS_BELOW, below, is_source};
use crate::output::known::{MAX_LINE_BYTES, SEARCHED_LINES};
use crate::output::progress::FRAMES;
use crate::output::vocabulary::Words;

/// A shorter line is not wrapped.
const LEAST_WRAPPED: usize = 40;
/// Texts before what a tool suggests.
const SUGGESTIONS: [&str; 15] = [
    "help: ",
    "hint: ",
    "HINT: ",
    "Hint: ",
    "tip: ",
    "Did you mean ",
    "did you mean ",
    "Perhaps you meant ",
    "Maybe you meant ",
    "To fix this, run ",
    "Try: ",
    "Try running ",
    "Run `",
    "Please run ",
    "You need to run `",
];

/// What programs say of a value that they do not take.
const VALUES: [&str; 5] = [": invalid choice: ", " value: ", "invalid value ", "invalid argument ", "is not a valid "];

/// What the failing tool itself suggests, to the end of its sentence, or else how it says that it is used.
pub(crate) fn suggestion(output: &str) -> Option<&str> {
    let said = of_line(output)?;
    Some(continued(output, said).unwrap_or(said))
}

/// The suggestion with the next line, if the sentence goes on there: it has no end yet, and the line begins in lower case.
fn continued<'a>(output: &'a str, said: &str) -> Option<&'a str> {
    let start = output.find(said)?;
    let rest = output.get(start + said.len()..)?.strip_prefix(['\r']).unwrap_or(output.get(start + said.len()..)?);
    let next = rest.strip_prefix('\n')?.lines().next()?;
    let goes_on = said.ends_with(|c: char| c.is_alphanumeric() || c == ',')
        && said.len() > LEAST_WRAPPED
        && next.trim_start().starts_with(|c: char| c.is_ascii_lowercase())
        && next.len() <= MAX_LINE_BYTES
        && !next.contains(": ");
    let end = output.len() - rest.len() + 1 + next.trim_end().len();
    output.get(start..end).filter(|_| goes_on)
}

/// The line of an output that suggests something.
fn of_line(output: &str) -> Option<&str> {
    // What ends in a colon goes on below.
    let is_short = |text: &&str| text.len() <= 160 && text.len() > 12 && !text.ends_with(':');
    let all: Vec<&str> = output.lines().take(SEARCHED_LINES).filter(|line| !is_source(line)).map(unframed).collect();
    let lines = || all.iter().copied();
    // What pytest says of each module that it cannot import.
    let is_of_all = |text: &&str| text.ends_with("have valid Python names.");
    let suggests = |text: &&str| {
        let said = SUGGESTIONS.iter().find_map(|words| text.strip_prefix(words));
        said.is_some_and(|said| !is_pointer(said)) && !is_of_all(text)
    };
    let usage = |text: &'_ str| {
        let at = text.find("Usage: ").or_else(|| text.find("usage: "))?;
        let (before, said) = text.split_at_checked(at)?;
        (!is_complaint(before, said.get("Usage: ".len()..)?)).then_some(at..text.len())
    };
    // `Usage: x [COMMAND]` says nothing.
    let says_how = |text: &&str| {
        !text.contains("[COMMAND]") && !text.contains("<COMMAND>") && !text.contains("[OPTIONS]") && names_operand(text)
    };
    // How a program is called does not say which values it takes.
    let is_of_value = || lines().any(|text| VALUES.iter().any(|words| text.contains(words)));
    let used = || {
        let used = lines().find_map(|text| text.get(usage(text)?)).filter(|text| is_short(text) && says_how(text));
        used.filter(|_| !is_of_value())
    };
    // A warning is about another line than the one that failed.
    let is_warning = |text: &&str| text.contains("Warning: ");
    let meant = || lines().filter(|text| !is_warning(text)).find_map(|text| text.get(text.find("Did you mean ")?..));
    // What is meant stands below.
    let meant = || meant().filter(|text| is_short(text) && !ASKS_BELOW.iter().any(|words| text.starts_with(words)));
    let installs =
        || lines().find_map(|text| text.get(text.find("`pip install ")? + 1..)?.split('`').next()).filter(is_short);
    let again = || installs().or_else(meant).or_else(|| lines().find_map(asks_again).filter(is_short));
    // git wraps its hints, so that a line may begin within a sentence.
    let begun = lines().scan(false, |is_hinted, text| {
        let said = text.strip_prefix("hint: ");
        let is_within =
            *is_hinted && said.is_some_and(|said| said.starts_with(|c: char| c.is_lowercase() || c == '\''));
        *is_hinted = said.is_some();
        Some((text, is_within))
    });
    let mut begun = begun.filter(|(_, is_within)| !is_within).map(|(text, _)| text);
    let asked = begun.find(|text| is_short(text) && suggests(text)).or_else(again);
    asked.or_else(|| below(output)).or_else(used)
}

/// Whether a usage has more than options that may be left out: `usage: a.py [-h] [-c CONFIG]` says nothing.
fn names_operand(usage: &str) -> bool {
    let mut depth = 0_u32;
    let mut bare = String::new();
    for c in usage.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    // What is in brackets may hold the operand, too: `git worktree add [<options>] <path>`.
    !usage.contains('[') || bare.split_whitespace().skip(2).any(|word| word.contains(['<', '{']) || is_upper(word))
}

fn is_upper(word: &str) -> bool {
    word.len() > 1
        && word.bytes().all(|byte| !byte.is_ascii_lowercase())
        && word.contains(|c: char| c.is_ascii_uppercase())
}

/// A line without the frame that some tools draw around what they say.
fn unframed(line: &str) -> &str {
    line.trim_matches(|c| c == ' ' || FRAMES.contains(&c)).trim_start_matches(['=', '|', ' '])
}

/// Whether a call has what is suggested already: the option, or the word that was meant.
pub(crate) fn is_done(said: &str, input: &str) -> bool {
    let has =
        |word: &str| input.split(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'')).any(|own| own == word);
    let option = said
        .split(|c: char| c.is_whitespace() || matches!(c, '=' | '`' | '\'' | '"' | ','))
        .find(|word| word.starts_with("--"));
    let meant = said.split_once("id you mean ").map(|(_, rest)| rest);
    // Of a command that was meant, the first word is in the call already.
    let whole = |rest: &'_ str| {
        rest.split(['`', '\'', '"']).nth(1).filter(|text| text.contains(' ')).map(|text| input.contains(text))
    };
    let word = |rest: &'_ str| {
        let mut words = rest.split(|c: char| c.is_whitespace() || matches!(c, '?' | '`' | '\'' | '"'));
        words.find(|word| !word.is_empty()).is_some_and(has)
    };
    let has_meant = meant.is_some_and(|rest| whole(rest).unwrap_or_else(|| word(rest)));
    option.map(|option| option.trim_end_matches('.')).is_some_and(has) || has_meant
}

/// Whether a line with the word `usage` says what was wrong, not how the program is called: `Invalid usage: accepts 1 arg(s)`.
fn is_complaint(before: &str, said: &str) -> bool {
    const WRONG: [&str; 10] = [
        "accepts ",
        "requires ",
        "expected ",
        "expects ",
        "missing ",
        "unknown ",
        "unexpected ",
        "too many ",
        "too few ",
        "invalid ",
    ];
    let said = said.to_ascii_lowercase();
    // `Invalid usage:` is a verdict, `Correct usage:` is none.
    let is_verdict = ["nvalid ", "ncorrect ", "rong ", "mproper "].iter().any(|word| before.ends_with(word));
    is_verdict || WRONG.iter().any(|words| said.starts_with(words)) || said.contains(", received ")
}

/// Whether what is suggested is only to read something else.
fn is_pointer(said: &str) -> bool {
    let said = said.trim_start();
    let reads = ["See ", "see ", "Read ", "For ", "for "].iter().any(|start| said.starts_with(start));
    // What a compiler explains, or how its warnings are switched off.
    let explains = ["items from traits ", "the trait ", "the following ", "to override "]
        .iter()
        .any(|start| said.starts_with(start));
    // What git says of a push before it says what to do.
    let is_reason =
        ["Updates were rejected", "After resolving", "Using '", "will change to", "Names commonly", "Disable this"]
            .iter()
            .any(|start| said.starts_with(start));
    // Why uv installs a package and how git names a first branch, and not what to do.
    let is_origin = said.contains(" was included because ") || said.contains("init.defaultBranch");
    reads
        || explains
        || is_reason
        || is_origin
        || said.contains("for more information")
        || said.contains("or more details")
}

/// The sentence of a message that says how the command would work: `… make it explicit by running this command again with
/// -W`, `Please wait for it to complete`.
fn asks_again(text: &str) -> Option<&str> {
    const WORDS: &[&str] = &[
        "this command again with",
        "e-run with ",
        "erun with ",
        "ry again with ",
        "se --",
        "ass --",
        "equires --",
        "Use `",
        "use `",
        "Set `",
        "set `",
        "Consider ",
        "o download and install",
        "o install it, ",
        " until you ",
        "try running ",
        "hould run `",
        "nstall missing ",
    ];
    static ASKS: Words = Words::of(WORDS);
    // A warning is about another line than the one that failed.
    if text.len() > MAX_LINE_BYTES
        || text.contains("this warning")
        || text.contains("Warning: ")
        || text.contains("deprecated")
        || text.contains("obsolete")
    {
        return None;
    }
    let asked = if ASKS.are_in(text) { WORDS.iter().find_map(|words| begun(text, words)) } else { None };
    let at = asked.or_else(|| asks_politely(text)).or_else(|| serves(text))?;
    let before = text.get(..at)?;
    let start =
        [", ", ". ", ": ", "; ", " - "].iter().filter_map(|end| before.rfind(end).map(|at| at + end.len())).max();
    let said = text.get(start.unwrap_or_default()..)?;
    // What follows is about something else.
    let end = said.find(". ").filter(|end| at < start.unwrap_or_default() + end);
    said.get(..end.unwrap_or(said.len()))
}

/// Where a part of a sentence begins whose first letter may be missing: `se --` in `Use --x`, and not in `pre-use --x`.
fn begun(text: &str, words: &str) -> Option<usize> {
    let whole = !matches!(words, "se --" | "ass --");
    text.match_indices(words).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).unwrap_or_default().trim_end_matches(['U', 'u', 'P', 'p']);
        whole || !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    })
}

/// Where a message asks for something that can be done: `Please wait …`, not `Please report this`.
fn asks_politely(text: &str) -> Option<usize> {
    const VERBS: [&str; 14] = [
        "wait ", "use ", "set ", "install ", "specify ", "provide ", "add ", "enable ", "update ", "upgrade ", "run ",
        "remove ", "rename ", "pass ",
    ];
    let at = text.find("lease ")?;
    let asked = text.get(at + "lease ".len()..)?;
    // To name one of two heads is a way around them; what helps is to merge them.
    let is_way_around = asked.contains("target revision") || asked.contains("which branch");
    (VERBS.iter().any(|verb| asked.starts_with(verb)) && !is_way_around).then_some(at)
}

/// Where a message names what serves instead: `Use X directly.`, `Use X instead.`
fn serves(text: &str) -> Option<usize> {
    // `7z not found. Run: pixi install`
    if let Some(at) = text.find(". Run: ").or_else(|| text.find(". Run `")) {
        return Some(at + ". ".len());
    }
    let at = if text.starts_with("Use ") { 0 } else { text.find(". Use ")? + ". ".len() };
    let sentence = text.get(at..)?.split(". ").next()?;
    [" directly", " instead"].iter().any(|word| sentence.contains(word)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_has_already_is_no_suggestion_for_it() {
        for (said, input, is_known) in [
            ("Use --verbosity=3 to show executions.", "quint run a --verbosity 3", true),
            ("Use --verbosity=3 to show executions.", "quint run a", false),
            ("(Did you mean sessions?)", "tool sessions a", true),
            ("Did you mean \"pnpm run build\"?", "pnpm run buld", false),
            ("Did you mean \"pnpm run build\"?", "pnpm run build", true),
            ("Did you mean `sessions`?", "tool session a", false),
            ("rerun with --apply after reviewing it", "tool --apply-all", false),
        ] {
            assert_eq!(is_done(said, input), is_known, "{said} / {input}");
        }
    }

    #[test]
    fn what_a_message_asks_for_is_its_suggestion() {
        for (output, expected) in [
            (
                "The x plugin was not found. To download and install it, see https://x.example/plugin.",
                Some("To download and install it, see https://x.example/plugin."),
            ),
            ("Deployment in progress. Please wait for it to complete.", Some("Please wait for it to complete.")),
            (
                "Files are locked until you record a test. You can write tests first, such as a.py",
                Some("Files are locked until you record a test"),
            ),
            ("Error: cat is not allowed. Use Read directly.", Some("Use Read directly.")),
            ("RuntimeError: 7z not found. Run: tool install (or other)", Some("Run: tool install (or other)")),
            ("12 tests. Runs: 3", None),
            ("hint: Using 'master' as the name for the initial branch. This default branch name\nfatal: a", None),
            (
                "level=warning msg=\"the attribute `version` is obsolete, please remove it to avoid confusion\"\nerror: a",
                None,
            ),
            ("a: --all requires --force", Some("--all requires --force")),
            ("error: no x. Use --force-with-y.", Some("Use --force-with-y.")),
            ("shell 3 was stopped\n  command: tool pre-use --help 2>&1", None),
            (
                "error: x\nPlease set the HOME_OF_X variable in your environment to match the\nlocation of your installation.",
                Some(
                    "Please set the HOME_OF_X variable in your environment to match the\nlocation of your installation.",
                ),
            ),
            (
                "hint: Try it with the option that the other program has\nerror: no",
                Some("hint: Try it with the option that the other program has"),
            ),
            ("error: a\nCorrect usage: tool add NAME", Some("usage: tool add NAME")),
            ("error: a\nusage: tool add NAME", Some("usage: tool add NAME")),
            ("usage: tool [-n N]\ntool: error: argument -n: invalid int value: 'a'", None),
            ("usage: tool [-n {a,b}]\ntool: error: argument -n: invalid choice: 'c' (choose from 'a', 'b')", None),
            // A makefile or a script that was printed suggests nothing.
            ("\t@test -n \"$(G)\" || { echo \"usage: make play G=<id>\"; exit 1; }\nerror: a", None),
            ("    throw new Error('no. Please set the TOKEN variable first')\nerror: a", None),
            (
                "    echo \"usage: play NAME\"; exit 1; }\nerror: a\nhint: name one of the games",
                Some("hint: name one of the games"),
            ),
            // A count of what was wrong says nothing of what to do.
            ("Error: Invalid usage: accepts 1 arg(s), received 0", None),
            ("usage: requires at least 2 arg(s), only received 1", None),
            ("Incorrect usage: flag provided but not defined", None),
            // A pointer is no remedy, nor is a plea.
            ("error: x\nhint: See PEP 668 for the detailed specification.", None),
            ("hint: for more information, run it again", None),
            ("Internal error. Please report this to the authors.", None),
            ("Use of uninitialized value in a.pl", None),
            ("error: x\nhelp: items from traits can only be used if the trait is in scope", None),
            ("error: x\nhelp: to override `-D warnings` add `#[allow(rustdoc::private_intra_doc_links)]`", None),
            (
                "x.py:3: DeprecationWarning: these classes are deprecated. Use packaging.version instead.\nno tests ran",
                None,
            ),
            ("a.py:3: SyntaxWarning: \"is\" with a literal. Did you mean \"==\"?\nValueError: no", None),
            ("NameError: no q. Did you mean: 'p' or 'r'?", None),
            ("error: no command q. Did you mean `query`?", Some("Did you mean `query`?")),
        ] {
            assert_eq!(suggestion(output), expected, "{output}");
        }
    }
}

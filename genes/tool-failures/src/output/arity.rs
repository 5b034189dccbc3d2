//! How many arguments a program takes, by what it prints when it gets one more.

/// What a title says of a program that got more arguments than it takes. Empty if the output does not show it.
pub(crate) fn takes(output: &str, refused: &str, input: &str) -> &'static str {
    if !refused.is_empty()
        && ["'", "\"", ""].iter().any(|quote| output.contains(&format!("many arguments for {quote}{refused}")))
    {
        return OF_SUBCOMMAND;
    }
    match stated(output).or_else(|| of_usage(output)) {
        Some(0) => "takes no arguments",
        Some(1) if !is_first(refused, input) => "takes one argument, and gets more",
        Some(2) if !is_first(refused, input) => "takes two arguments, and gets more",
        Some(3) if !is_first(refused, input) => "takes three arguments, and gets more",
        Some(4..) if !is_first(refused, input) => MORE,
        None if says_more(output) => MORE,
        _ => "",
    }
}

/// Said of the subcommand that stands behind these words.
pub(crate) const OF_SUBCOMMAND: &str = "gets too many arguments for";
/// Said if the number is not known.
pub(crate) const MORE: &str = "gets more arguments than it takes";

/// Whether the words of the message alone say that there are too many.
fn says_more(output: &str) -> bool {
    ["oo many arguments", "oo many positional", "extra argument", "extra operand"]
        .iter()
        .any(|words| output.contains(words))
}

/// Whether no argument stands in front of the one that was refused: then it is the wrong one, and not one too many.
fn is_first(refused: &str, input: &str) -> bool {
    let Some((before, _)) = input.split_once(refused).filter(|_| !refused.is_empty()) else { return false };
    let step = before.rsplit(['|', ';', '&', '\n']).next().unwrap_or_default();
    let is_plain = |word: &&str| {
        !word.starts_with('-')
            && !word.contains('=')
            && word.trim_matches(['"', '\'']).chars().any(char::is_alphanumeric)
    };
    // The program and its subcommand.
    step.split_whitespace().filter(is_plain).count() < 3
}

/// The number that the message states: `accepts at most 1 arg(s)`, `Expected 1 argument but got 2`, `takes 0 positional`.
fn stated(output: &str) -> Option<u32> {
    const BEFORE: [&str; 6] =
        ["ccepts at most ", "ccepts ", "xpected at most ", "xpected ", "akes at most ", "akes exactly "];
    output.lines().take(60).find_map(|line| {
        BEFORE.iter().find_map(|words| {
            let (number, rest) = line.split_once(words)?.1.split_once(' ')?;
            let number = if number == "no" { 0 } else { number.parse().ok()? };
            ["arg", "positional arg"].iter().any(|what| rest.starts_with(what)).then_some(number)
        })
    })
}

/// The number of arguments in `Usage: cargo test [OPTIONS] [TESTNAME] [-- [ARGS]...]`. `None` if any number may be given, or a
/// subcommand, or if the line does not say it.
fn of_usage(output: &str) -> Option<u32> {
    let line = output.lines().take(60).find_map(|line| {
        let line = line.trim();
        line.strip_prefix("Usage: ").or_else(|| line.strip_prefix("usage: ")).or_else(|| line.strip_prefix("USAGE: "))
    })?;
    let said = line.split(" [-- ").next().and_then(|said| said.split(" -- ").next())?;
    let is_unlimited = said.contains("...") || said.contains('…') || said.contains('|') || said.contains('{');
    let lower = said.to_ascii_lowercase();
    if is_unlimited || ["command", "subcommand", "args]", "arguments]"].iter().any(|word| lower.contains(word)) {
        return None;
    }
    let mut count = 0;
    let mut is_begun = false;
    let mut is_value = false;
    for word in said.split_whitespace() {
        let bare = word.trim_matches(['[', ']', '<', '>']);
        let is_option = bare.starts_with('-');
        let is_marked = word.starts_with(['[', '<']);
        let is_name =
            bare.len() > 1 && bare.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'));
        is_begun |= is_marked || is_name;
        let is_options = matches!(&*bare.to_ascii_lowercase(), "options" | "flags" | "global options" | "option");
        if is_begun && !is_option && !is_options && !is_value {
            count += 1;
        }
        // `[--color WHEN]`: the word belongs to the option.
        is_value = is_option && word.starts_with('[') && !word.ends_with(']');
    }
    is_begun.then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_read_from_the_usage() {
        for (usage, expected) in [
            ("Usage: cargo test [OPTIONS] [TESTNAME] [-- [ARGS]...]", Some(1)),
            ("Usage: cargo check [OPTIONS]", Some(0)),
            ("Usage: tool mv [OPTIONS] <FROM> <TO>", Some(2)),
            ("usage: a.py [-h] [--color WHEN] file", Some(1)),
            ("usage: a.py [-h] [-v] source target", Some(2)),
            ("Usage: gh pr view [<number>] [flags]", Some(1)),
            ("Usage: tool [OPTIONS] [FILES]...", None),
            ("Usage: tool [OPTIONS] <COMMAND>", None),
            ("Usage: tool [options] [command]", None),
            ("usage: tool {a,b}", None),
            ("Usage: gh pr view [<number> | <url>] [flags]", None),
            ("Usage: tool", None),
            ("no usage", None),
        ] {
            assert_eq!(of_usage(usage), expected, "{usage}");
        }
    }

    #[test]
    fn what_a_program_takes_is_said_if_it_is_shown() {
        let cargo = "error: unexpected argument 'b::c' found\n\nUsage: cargo test [OPTIONS] [TESTNAME] [-- [ARGS]...]";
        for (output, refused, input, expected) in [
            (cargo, "b::c", "cargo test a b::c", "takes one argument, and gets more"),
            (cargo, "b::c", "cd x && cargo test --lib a b::c | tail", "takes one argument, and gets more"),
            // It is the first one.
            (cargo, "b::c", "cargo test b::c", ""),
            (
                "error: unexpected argument 'x' found\n\nUsage: cargo check [OPTIONS]",
                "x",
                "cargo check x",
                "takes no arguments",
            ),
            ("Error: accepts 1 arg(s), received 2", "", "t a b", "takes one argument, and gets more"),
            ("Error: accepts at most 2 arg(s), received 3", "", "t a b c", "takes two arguments, and gets more"),
            ("error: too many arguments for 'get'. Expected 1 argument but got 2.", "get", "t get a b", OF_SUBCOMMAND),
            ("error: too many arguments. Expected 0 arguments but got 1.", "", "t a", "takes no arguments"),
            ("Error: Got unexpected extra argument (b)", "b", "t run a b", MORE),
            ("cp: extra operand 'c'", "c", "t a b c", MORE),
            ("a.py: error: unrecognized arguments: c", "c", "a.py b c", ""),
            (
                "usage: a.py [-h] file\na.py: error: unrecognized arguments: c",
                "c",
                "python a.py b c",
                "takes one argument, and gets more",
            ),
            ("Unexpected argument: b", "b", "t run a b", ""),
            ("expected 5 items", "", "t", ""),
            ("", "", "", ""),
        ] {
            assert_eq!(takes(output, refused, input), expected, "{input}: {output}");
        }
    }
}

//! Messages that are the effect of another one in the same output.

use crate::call::Call;
use crate::cause::Cause;
use crate::output::cause_line::{Weight, is_summary, weight_of};
use crate::output::host::is_local;
use crate::output::known::MAX_LINE_BYTES;
use crate::output::named::missing_in;
use crate::output::sentences::Match;

/// Lines that are looked at.
const MAX_LINES: usize = 64;
/// The shortest path that a command names by more than chance.
const MIN_PATH: usize = 4;

/// Why a server on this machine was not there: `Error: failed to start validator: REASON`. That it does not answer is the effect.
pub(super) fn not_started<'a>(call: &Call<'a>, found: &Match<'_>) -> Option<&'a str> {
    const SAYS: [&str; 4] = ["ailed to start ", "nable to start ", "ould not start ", "annot start "];
    if !matches!(found.cause, Cause::Network | Cause::Reset)
        || !(call.output.contains("localhost") || is_local(found.name))
    {
        return None;
    }
    let says_why = |line: &&str| {
        let rest = SAYS.iter().find_map(|words| line.split_once(words)).map(|(_, rest)| rest);
        let reason = rest.and_then(|rest| rest.split_once(": ")).map(|(_, reason)| reason);
        line.len() <= MAX_LINE_BYTES
            && reason.is_some_and(|reason| !reason.contains("efused") && !reason.contains("onnect"))
    };
    call.output.lines().map(str::trim).rev().take(MAX_LINES).find(says_why)
}

/// The part of an output above the message that a file is missing which an earlier step of the command was to make, if an error of
/// that step stands there. The command names the file twice: where it is made, and where it is used.
pub(super) fn above<'a>(call: &Call<'a>, line: &str, found: &Match<'_>) -> Option<&'a str> {
    if found.cause != Cause::Path {
        return None;
    }
    let path = missing_in(line).filter(|path| path.len() >= MIN_PATH)?;
    // Of a command that the log cuts, it is not known.
    let may_make = call.input.matches(path).nth(1).is_some() || call.input.trim_end().ends_with('\u{2026}');
    let (above, _) = call.output.split_once(line).filter(|_| may_make)?;
    let is_error = |line: &&str| weight_of(line) >= Weight::Error && !is_summary(line) && !line.contains(path);
    above.lines().rev().take(MAX_LINES).find(is_error).map(|_| above)
}

/// Whether a shell got `\!`, as the line shows in which it quotes what it could not read: the agent's tool put the backslash there.
pub(super) fn is_escaped(output: &str) -> bool {
    output.lines().take(MAX_LINES).any(|line| line.contains(": `") && line.contains("\\! "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::classify::classify;

    fn line(input: &str, output: &str) -> String {
        classify(&Call { input, output, ..Call::FAILED }, true, &[]).line.to_owned()
    }

    #[test]
    fn a_server_that_did_not_start_does_not_answer() {
        for reason in [
            "Error: failed to start validator: Archive error: extra entry",
            "postgres: could not start server: data directory is empty",
            "ERROR unable to start redis: bad directive",
        ] {
            let output = format!(
                "Error: tcp connect error to http://localhost:8899: Connection refused (os error 61)\n\n{reason}\nConfig: a"
            );
            assert_eq!(line("run", &output), reason);
        }
        let refused = "Error: tcp connect error to http://localhost:8899: Connection refused (os error 61)";
        for output in [
            refused.to_owned(),
            format!("{refused}\nfailed to start session: Connection refused"),
            format!("{refused}\nfailed to start"),
        ] {
            assert_eq!(line("run", &output), refused, "{output}");
        }
    }

    #[test]
    fn what_a_step_did_not_make_is_missed_by_the_next() {
        let input = "cc -S a.c -o /tmp/a.asm; nasm -o a.o /tmp/a.asm";
        let missed = "nasm: fatal: unable to open input file `/tmp/a.asm': No such file or directory";
        assert_eq!(line(input, &format!("error: could not parse a.c\n{missed}")), "error: could not parse a.c");
        assert_eq!(line(input, &format!("compiled 1 file\n{missed}")), missed, "nothing else is said");
        assert_eq!(line("nasm -o a.o /tmp/a.asm", &format!("error: bad a.c\n{missed}")), missed, "no step makes it");
        assert_eq!(
            line("cc -S a.c; na\u{2026}", &format!("error: bad a.c\n{missed}")),
            "error: bad a.c",
            "the log cuts it"
        );
        let tar = "tar: a.tar: Cannot open: No such file or directory";
        let made = "python mk.py --out a.tar; tar xf a.tar";
        assert_eq!(line(made, &format!("ValueError: no rows\n{tar}")), "ValueError: no rows");
    }
}

//! Whether a command hides that a step of it failed.

/// Whether a command sends its messages to `/dev/null`: `>/dev/null` alone does so with what it prints, not with its messages.
pub(crate) fn hides_messages(input: &str) -> bool {
    // Few commands have it, which is quickly seen.
    if !input.contains("/dev/null") {
        return false;
    }
    let input = input.replace("> /dev/null", ">/dev/null").replace(">& /dev/null", ">&/dev/null");
    ["2>/dev/null", "2>>/dev/null", "&>/dev/null", "&>>/dev/null", ">/dev/null 2>&1", ">&/dev/null"]
        .iter()
        .any(|words| input.contains(words))
}

/// Whether neither the end nor the output of a command shows that one of its steps failed: `a || b`, `a 2>/dev/null`.
pub(crate) fn hides_errors(input: &str) -> bool {
    input.contains("||") || hides_messages(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_its_errors_is_known() {
        for (input, messages, errors) in [
            ("ls a 2>/dev/null", true, true),
            ("ls a 2> /dev/null", true, true),
            ("ls a 2>>/dev/null", true, true),
            ("ls a &> /dev/null", true, true),
            ("ls a >/dev/null 2>&1", true, true),
            ("ls a >& /dev/null", true, true),
            ("ls a || true", false, true),
            ("ls a > /dev/null", false, false),
            ("ls a && b", false, false),
            ("ls a 2>&1 | tail", false, false),
            ("cat /dev/null", false, false),
        ] {
            assert_eq!((hides_messages(input), hides_errors(input)), (messages, errors), "{input}");
        }
    }
}

//! Errors that PowerShell prints of a cmdlet. Most of them end neither the line nor the session, so the code is 0.

use std::sync::LazyLock;

use regex::Regex;

/// The first line of an error: `Get-Content : …` of Windows PowerShell, `Get-Content: …`, `ParserError: …` of later ones.
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    let kinds =
        "ParserError|InvalidOperation|InvalidArgument|InvalidData|InvalidResult|ObjectNotFound|OperationStopped";
    let verbs = "Add|Clear|Compress|Copy|Disable|Enable|Expand|Export|Get|Import|Install|Invoke|Join|Move|New|Out|Read|Register|Remove|Rename|Resolve|Restart|Save|Select|Set|Start|Stop|Test|Uninstall|Update|Wait|Write";
    Regex::new(&format!(
        r"^(?:(?:{verbs})-[A-Z]\w+ ?: ?|(?:{kinds}|(?:Method|Runtime|CommandNotFound)?Exception): ?$|(?:{kinds}): \S)"
    ))
    .expect("the expression compiles, as the tests show")
});

/// What is no error: what was asked for does not run.
const ANSWERS: [&str; 2] = ["Cannot find a process with the ", "Cannot find any service with "];

/// Whether all that was printed is an error of a cmdlet.
pub(super) fn is_only_an_error(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let Some(first) = lines.next().filter(|line| BEGINS.is_match(line)) else { return false };
    let last = lines.clone().next_back().unwrap_or(first);
    let ends = |line: &str| line.trim_start().starts_with("| ") || line.contains("+ FullyQualifiedErrorId");
    let is_all = ends(last) || lines.all(|line| BEGINS.is_match(line));
    is_all && !ANSWERS.iter().any(|answer| text.contains(answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_cmdlets() {
        for (text, expected) in [
            ("Get-Content: Cannot find path 'C:\\r\\a' because it does not exist.", true),
            (
                "Get-Content: \nLine |\n   1 |  Get-Content a\n     |  ~~~~~~~~~~~~~\n     | Cannot find path 'C:\\r\\a' because it does not exist.",
                true,
            ),
            (
                "Remove-Item : Cannot find path 'C:\\r\\a' because it does not exist.\nAt line:1 char:1\n+ Remove-Item a\n    + CategoryInfo          : ObjectNotFound: (a:String)\n    + FullyQualifiedErrorId : PathNotFound,x",
                true,
            ),
            (
                "ParserError: \nLine |\n   1 |  if (\n     |     ~\n     | Missing condition in if statement after 'if ('.",
                true,
            ),
            ("Invoke-WebRequest: No connection could be made.\nInvoke-WebRequest: No connection could be made.", true),
            ("Get-Process: Cannot find a process with the name \"a\". Verify the process name.", false),
            ("Get-Content: Cannot find path 'a' because it does not exist.\n12 rows", false),
            ("Copy-Item : the cmdlet that copies\nis described here", false),
            ("X-Y: header\nContent-Type: a", false),
            ("Name: a\nStatus: ok", false),
            ("", false),
        ] {
            assert_eq!(is_only_an_error(text), expected, "{text}");
        }
    }
}

//! Scripts and data in the arguments of a command, whose quotes PowerShell changes before the program sees them.

use crate::call::Call;
use crate::cause::Cause;

/// Options whose value is a script or data.
const OPTIONS: [&str; 10] = ["-c", "-e", "-p", "-d", "--eval", "--data", "--data-raw", "--command", "--execute", "-lc"];
/// What programs say of a text that was cut at a quote, or lost its quotes.
const SAYS: [&str; 16] = [
    "SyntaxError",
    "unterminated",
    "was never closed",
    "nexpected token",
    "nexpected end",
    "nexpected EOF",
    "nexpected string",
    "nvalid JSON",
    "not valid JSON",
    "JSON parse error",
    "json_invalid",
    "JSONDecodeError",
    "Failed to parse",
    "yntax error",
    "missing the terminator",
    "nvalid or unexpected",
];
/// Bytes of a command that are looked at.
const SEARCHED_BYTES: usize = 32 * 1024;

/// The program whose argument PowerShell broke at a quote, if that explains a failure with this cause and line.
pub(crate) fn broken<'t>(call: &Call<'t>, line: &str, cause: Cause) -> Option<&'t str> {
    let may_be = matches!(cause, Cause::Unparsed | Cause::Error | Cause::Silent | Cause::Shell | Cause::OtherShell);
    if !may_be || call.exception || !runs_in_powershell(call) || is_of_file(call.output) {
        return None;
    }
    let input = call.input.get(..call.input.floor_char_boundary(SEARCHED_BYTES))?;
    let (program, is_cut) = argument(input)?;
    let says = || SAYS.iter().any(|words| line.contains(words));
    // Without its quotes, a text becomes a name.
    let is_bare_name = || {
        let name = line.split_once("NameError: name '").and_then(|(_, rest)| rest.split('\'').next());
        name.is_some_and(|name| !name.is_empty() && input.contains(&format!("\"{name}\"")))
    };
    let is_silent = is_cut && cause == Cause::Silent;
    (is_silent || says() || !is_cut && is_bare_name()).then_some(program)
}

/// Whether PowerShell runs the command: by the name of the tool, or by the first word.
fn runs_in_powershell(call: &Call<'_>) -> bool {
    let is_named = |name: &str| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        name.ends_with("powershell") || name.ends_with("pwsh")
    };
    is_named(call.name)
        || call.input.split_whitespace().next().is_some_and(|word| is_named(word.trim_matches(['"', '\'', '['])))
}

/// Whether a file is at fault, and no text of the command: `File "a.py", line 3`. A text has a name in angle brackets.
fn is_of_file(output: &str) -> bool {
    output.rsplit_once("File \"").is_some_and(|(_, file)| !file.starts_with('<'))
}

/// The first program that gets a quoted argument with quotes in it, and whether these are `\"` within double quotes, at which
/// PowerShell ends the text. Quotes within single quotes get lost on the way to the program.
fn argument(input: &str) -> Option<(&str, bool)> {
    OPTIONS.iter().flat_map(|option| input.match_indices(option)).find_map(|(at, option)| {
        let (before, rest) = (input.get(..at)?, input.get(at + option.len()..)?);
        let rest = rest.strip_prefix('=').unwrap_or(rest.trim_start_matches(' '));
        let is_word = before.ends_with(' ') && rest.len() < input.len() - at - option.len();
        let program = program(before).filter(|_| is_word)?;
        let text = rest.get(1..)?;
        let quoted = match rest.as_bytes().first()? {
            b'"' => text.find('"').and_then(|end| text.get(..end)).is_some_and(|text| text.ends_with('\\')),
            // A here-string begins with `@'`, and is none of these.
            b'\'' => return text.split('\'').next()?.contains('"').then_some((program, false)),
            _ => false,
        };
        quoted.then_some((program, true))
    })
}

/// The program of the last command of a line. A cmdlet takes its arguments as they are.
fn program(before: &str) -> Option<&str> {
    let command = before.rsplit(['|', ';', '&', '\n', '(', '{']).next()?.trim();
    let word = command.split_whitespace().find(|word| !word.contains('='))?.trim_matches(['"', '\'']);
    let name = word.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let is_cmdlet = name.contains('-') && name.starts_with(|c: char| c.is_ascii_uppercase());
    (!name.is_empty() && !is_cmdlet && !name.starts_with(['-', '$', '@'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = "SyntaxError: '(' was never closed";

    fn found<'t>(name: &'t str, input: &'t str, output: &'t str, cause: Cause) -> Option<&'t str> {
        let line = output.lines().last().unwrap_or_default();
        broken(&Call { name, input, output, ..Call::FAILED }, line, cause)
    }

    #[test]
    fn quotes_that_powershell_breaks_are_the_cause() {
        for (input, output, cause, program) in [
            (r#"python -c "print(f(\"don't\"))" 2>&1"#, "", Cause::Silent, "python"),
            (r#"cd "C:\a b" && python -c "x = f(\"a\")""#, OPEN, Cause::Unparsed, "python"),
            (
                "Remove-Item a; python -c \"\nf('x \\\"GET\\\"')\n\"",
                "  File \"<string>\", line 2\nSyntaxError: unterminated string literal",
                Cause::Unparsed,
                "python",
            ),
            (
                r#"node -e "console.log(\"a\")""#,
                "[eval]:1\nSyntaxError: Invalid or unexpected token",
                Cause::Error,
                "node",
            ),
            (r#"python.exe -X utf8 -c "print(\"a b\")""#, OPEN, Cause::Unparsed, "python"),
            (
                r#"bash -c "echo \"a b\" | wc""#,
                "bash: -c: line 1: unexpected EOF while looking for matching `\"'",
                Cause::Shell,
                "bash",
            ),
            (
                r#"curl -X POST http://h/x -d "{\"a\": \"b\"}""#,
                "{\"error\": \"Invalid JSON\"} invalid JSON: nvalid JSON",
                Cause::Error,
                "curl",
            ),
            (
                r#"curl http://h/x --data '{"a": 1}'"#,
                "error: Expecting property name: not valid JSON",
                Cause::Error,
                "curl",
            ),
            (r#"python -c 'print("hello")'"#, "NameError: name 'hello' is not defined", Cause::Error, "python"),
            (r#"ruby -e "puts \"a\"""#, "-e:1: syntax error, unexpected end-of-input", Cause::Error, "ruby"),
            (
                r#"ssh host -t x; perl -e "print \"a b\"""#,
                "Can't find string terminator: syntax error",
                Cause::Error,
                "perl",
            ),
        ] {
            assert_eq!(found("powershell", input, output, cause), Some(program), "{input}");
        }
        assert_eq!(found("shell", r#"pwsh.exe -Command python -c "f(\"a\")""#, OPEN, Cause::Unparsed), Some("pwsh"));
    }

    #[test]
    fn other_failures_of_scripts_are_not_about_quotes() {
        for (name, input, output, cause) in [
            ("Bash", r#"python -c "print(\"a\")""#, OPEN, Cause::Unparsed),
            ("powershell", r#"python -c "print('a'""#, OPEN, Cause::Unparsed),
            ("powershell", "python -c \"print(`\"a`\"\"", OPEN, Cause::Unparsed),
            ("powershell", "@'\nprint(\"a\"\n'@ | python -", OPEN, Cause::Unparsed),
            ("powershell", r#"python a.py "say \"x\"""#, OPEN, Cause::Unparsed),
            (
                "powershell",
                r#"python -c "import a; f(\"x\")""#,
                "  File \"C:\\w\\a.py\", line 3\nSyntaxError: '(' was never closed",
                Cause::Unparsed,
            ),
            ("powershell", r#"python -c "f(\"a\")""#, "ModuleNotFoundError: No module named 'a'", Cause::Module),
            ("powershell", r#"python -c "f(\"a\")""#, "ValueError: no such thing", Cause::Error),
            ("powershell", r#"python -c 'print("a")'"#, "", Cause::Silent),
            ("powershell", r#"pytest -c "setup.cfg" -k "a""#, "", Cause::Silent),
            ("powershell", r#"Invoke-Thing -c "a \"b\"""#, "", Cause::Silent),
            ("powershell", r#"git diff -p "C:\a b" "x""#, "", Cause::Silent),
        ] {
            assert_eq!(found(name, input, output, cause), None, "{input}");
        }
    }
}

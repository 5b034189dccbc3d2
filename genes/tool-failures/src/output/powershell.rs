//! PowerShell's errors. The message is in the language of the machine; the category below it is not.

use crate::cause::Cause;
use crate::output::known::MAX_LINE_BYTES;

/// Lines that a message takes at most, broken at the width of the console.
const MESSAGE_LINES: usize = 8;

/// An error as PowerShell prints it since version 7: the place, with the part of the line that it is about, and the message.
///
/// ```text
/// tail:
/// Line |
///    2 |  make 2>&1 | tail -5
///      |              ~~~~
///      | The term 'tail' is not recognized as a name of a cmdlet, function, script file, or executable program.
/// ```
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// The command that failed.
    pub(crate) name: &'a str,
    pub(crate) message: &'a str,
    /// Whether PowerShell points at the name of the command alone, and the message quotes it: it does not know this command.
    is_unknown: bool,
}

impl<'a> Block<'a> {
    /// The command that failed; `None` if PowerShell names a kind of error or a script in its place.
    pub(crate) fn command(&self) -> Option<&'a str> {
        let is_command =
            !self.name.is_empty() && !self.name.contains([' ', '\\', '/']) && !self.name.ends_with("Error");
        Some(self.name).filter(|_| is_command)
    }
}

/// The first such error.
pub(crate) fn block(output: &str) -> Option<Block<'_>> {
    let mut above = "";
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "Line |" {
            return block_below(above.trim(), &mut lines);
        }
        above = line;
    }
    None
}

fn block_below<'a>(above: &'a str, lines: &mut std::str::Lines<'a>) -> Option<Block<'a>> {
    let name = above.split(':').next().unwrap_or_default().trim();
    let behind_bar = |line: &'a str| {
        line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().strip_prefix('|')
    };
    let (mut source, mut marked) = ("", None);
    for line in lines.take(MESSAGE_LINES) {
        let text = behind_bar(line)?.trim();
        if marked.is_none() && !text.is_empty() && text.chars().all(|c| c == '~') {
            let start = line.chars().position(|c| c == '~').unwrap_or_default();
            marked = Some(source.chars().skip(start).take(text.chars().count()).collect::<String>());
        } else if marked.is_some() && !text.is_empty() {
            let is_quoted = [('\'', '\''), ('"', '"'), ('\u{201c}', '\u{201d}'), ('\u{ab}', '\u{bb}')]
                .iter()
                .any(|(open, close)| text.contains(&format!("{open}{name}{close}")));
            let is_unknown = !name.is_empty() && is_quoted && marked.as_deref() == Some(name);
            return Some(Block { name, message: text, is_unknown }).filter(|_| text.len() <= MAX_LINE_BYTES);
        } else {
            source = line;
        }
    }
    None
}

/// The cause, the name that it is about, and the first line of the message of the first error that has a known category:
/// `+ CategoryInfo : ObjectNotFound: (uv:String) [], CommandNotFoundException`.
pub(crate) fn category(output: &str) -> Option<(Cause, &str, &str)> {
    let mut above = 0;
    for line in output.split_inclusive('\n') {
        let start = above;
        above += line.len();
        let Some(info) = line.trim_start().strip_prefix("+ CategoryInfo ") else { continue };
        let Some((kind, rest)) = info.trim_start_matches([' ', ':']).split_once(": (") else { continue };
        let Some((object, error)) = rest.split_once(") [").or_else(|| rest.split_once(") ")) else { continue };
        let object = object.rsplit_once(':').map_or(object, |(object, _)| object);
        let id = output.get(above..).and_then(|below| below.lines().next()).unwrap_or_default();
        let says = |text: &str| error.contains(text) || id.contains(text);
        let cause = match kind {
            // A mark such as `<` is no program, but stands where one is expected.
            "ObjectNotFound" if says("CommandNotFoundException") && !object.contains(char::is_alphanumeric) => {
                Cause::Shell
            }
            "ObjectNotFound" if says("CommandNotFoundException") => Cause::Program,
            "ObjectNotFound" if says("PathNotFound") || says("ItemNotFoundException") => Cause::Path,
            "PermissionDenied" if says("UnauthorizedAccess") || says("IOException") => Cause::Access,
            "InvalidArgument" if says("NamedParameterNotFound") => Cause::OptionRefused,
            _ => continue,
        };
        let line = message(output.get(..above)?).unwrap_or_default();
        // The message quotes the parameter.
        let name =
            if cause == Cause::OptionRefused { line.split(['\'', '"']).nth(1).unwrap_or_default() } else { object };
        // A long name is cut in the middle.
        if !name.is_empty() && !name.contains("...") && start > 0 {
            return Some((cause, name, line));
        }
    }
    let block = block(output).filter(|block| block.is_unknown)?;
    Some((Cause::Program, block.name, block.message))
}

/// The message of PowerShell, which prints where an error was beside it, and its category below. That of a command stands above
/// the place, and that of the parser below it.
pub(crate) fn message(output: &str) -> Option<&str> {
    let end = output.find("+ CategoryInfo ")?;
    let above: Vec<&str> = output.get(..end)?.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_source = |line: &&str| line.starts_with('+');
    let place = above.windows(2).position(|pair| is_source(&pair[1]) && !is_source(&pair[0]))?;
    let is_place = |at: usize| above.get(at + 1).is_some_and(is_source);
    let is_of_parser = output.get(end..)?.lines().next()?.contains("ParserError");
    let below = || {
        let mut messages = (place + 1..above.len())
            .filter(|at| !is_place(*at))
            .filter_map(|at| above.get(at))
            .filter(|line| !is_source(line));
        let first = messages.next()?;
        Some(if first.starts_with("Unexpected token") {
            first
        } else {
            messages.find(|line| line.starts_with("Unexpected token")).unwrap_or(first)
        })
    };
    let line = if is_of_parser { below() } else { first_line(&above, place.checked_sub(1)?) };
    line.copied().filter(|line| line.len() <= MAX_LINE_BYTES && !line.starts_with("Exit code"))
}

/// The line in which a message begins that ends at this position: with the name of what failed, `uv : `.
fn first_line<'l, 'a>(lines: &'l [&'a str], end: usize) -> Option<&'l &'a str> {
    let begins = |line: &&&str| line.split_once(" : ").is_some_and(|(name, _)| !name.contains(' ') && !name.is_empty());
    let message = lines.get(end.saturating_sub(MESSAGE_LINES - 1)..=end)?;
    message.iter().rev().find(begins).or(message.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str, category: &str, id: &str) -> String {
        format!(
            "fine\n{message}\nEn l\u{fffd}nea: 1 Car\u{fffd}cter: 1\n+ uv --version 2>&1\n+ ~~\n    + CategoryInfo          : {category}\n    \
             + FullyQualifiedErrorId : {id}\n \nTrue\n"
        )
    }

    #[test]
    fn the_category_tells_the_cause_in_any_language() {
        let spanish = "uv : El t\u{fffd}rmino 'uv' no se reconoce como nombre de un cmdlet.\nCompruebe si escribi\u{fffd} e \nint\u{fffd}ntelo de nuevo.";
        for (message, category, id, expected) in [
            (
                spanish,
                "ObjectNotFound: (uv:String) [], CommandNotFoundException",
                "CommandNotFoundException",
                Some((Cause::Program, "uv")),
            ),
            (
                "Get-Content : Der Pfad \"C:\\a.txt\" kann nicht gefunden werden.",
                "ObjectNotFound: (C:\\a.txt:String) [Get-Content], ItemNotFoundException",
                "PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand",
                Some((Cause::Path, "C:\\a.txt")),
            ),
            (
                "Get-ChildItem : Es wurde kein Parameter gefunden, der dem Parameternamen 'Foo' entspricht.",
                "InvalidArgument: (:) [Get-ChildItem], ParameterBindingException",
                "NamedParameterNotFound,Microsoft.PowerShell.Commands.GetChildItemCommand",
                Some((Cause::OptionRefused, "Foo")),
            ),
            (
                "Remove-Item : Acc\u{e8}s refus\u{e9}.",
                "PermissionDenied: (C:\\b:FileInfo) [Remove-Item], IOException",
                "RemoveFileSystemItemUnAuthorizedAccess,Microsoft",
                Some((Cause::Access, "C:\\b")),
            ),
            // What another program printed has no category of its own.
            ("docker : ERROR: x", "NotSpecified: (ERROR: x:String) [], RemoteException", "NativeCommandError", None),
        ] {
            let output = error(message, category, id);
            assert_eq!(super::category(&output).map(|(cause, name, _)| (cause, name)), expected, "{category}");
        }
        assert_eq!(super::category("uv: command not found"), None);
    }

    fn as_block(name: &str, source: &str, marked: &str, message: &str) -> String {
        let column = source.find(marked).map_or(0, |at| source.get(..at).unwrap_or_default().chars().count());
        let marks = "~".repeat(marked.chars().count());
        format!(
            "fine\n{name}: \nLine |\n   2 |  {source}\n     |  {}{marks}\n     | {message}\nmore\n",
            " ".repeat(column)
        )
    }

    #[test]
    fn a_block_tells_a_command_that_is_not_known_in_any_language() {
        for (name, source, message) in [
            (
                "tail",
                "make 2>&1 | tail -5",
                "The term 'tail' is not recognized as a name of a cmdlet, function or program.",
            ),
            (
                "head",
                "… g\" && python -m pytest --timeout=10 2>&1 | head -40",
                "\u{672f}\u{8bed} 'head' \u{4e0d}\u{4f1a}\u{88ab}",
            ),
            ("grep", "ls | grep a", "Die Benennung \"grep\" wurde nicht als Name eines Cmdlets erkannt."),
            ("uv", "uv --version", "Le terme \u{ab}uv\u{bb} n'est pas reconnu."),
            ("Get-Foo", "Get-Foo", "El t\u{e9}rmino 'Get-Foo' no se reconoce."),
        ] {
            let output = as_block(name, source, name, message);
            assert_eq!(category(&output), Some((Cause::Program, name, message)), "{output}");
        }
    }

    #[test]
    fn other_blocks_have_a_message_and_no_cause() {
        for (name, source, marked, message) in [
            (
                "mkdir",
                "mkdir C:\\a b",
                "mkdir C:\\a b",
                "A positional parameter cannot be found that accepts argument 'b'.",
            ),
            ("Remove-Item", "Remove-Item a", "Remove-Item a", "Cannot find path 'C:\\a' because it does not exist."),
            ("Get-Content", "Get-Content a", "Get-Content", "Access to the path 'a' is denied."),
            ("ParserError", "if (", "(", "Missing condition in if statement after 'if ('."),
        ] {
            let output = as_block(name, source, marked, message);
            assert_eq!(category(&output), None, "{output}");
            assert_eq!(block(&output).map(|block| (block.name, block.message)), Some((name, message)));
            let command = block(&output).and_then(|block| block.command());
            assert_eq!(command, Some(name).filter(|name| *name != "ParserError"));
        }
        for output in
            ["", "Line |", "a:\nLine |\nno block", "a:\nLine |\n   1 | x\n     | ~", "Line | Name\n---- | ----"]
        {
            assert_eq!(block(output), None, "{output}");
        }
    }

    #[test]
    fn a_message_begins_with_the_name_of_what_failed() {
        let long = "docker : ERROR: failed to connect; check if the path is \ncorrect: The system cannot find the file \nspecified.";
        let output = error(long, "NotSpecified: (ERROR: x:String) [], RemoteException", "NativeCommandError");
        assert_eq!(message(&output), Some("docker : ERROR: failed to connect; check if the path is"));
        let short = error("specified.", "NotSpecified: (x:String) [], RemoteException", "NativeCommandError");
        assert_eq!(message(&short), Some("specified."), "nothing else is known of it");
    }
}

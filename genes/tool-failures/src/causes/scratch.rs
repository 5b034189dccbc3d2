//! Scripts that the agent wrote for one use: in a command, in a folder for temporary files, or as a file that it runs in the
//! session in which it wrote it. A mistake in such a script says nothing of the project.

use crate::command::paths::base;

/// What stands at the place of a script that is no file.
const NO_FILES: [&str; 3] = ["<stdin>", "<string>", "[eval]"];
/// Folders for temporary files.
const TEMPORARY: [&str; 3] = ["/tmp/", "/private/tmp/", "/var/folders/"];
/// Parts of the paths of a language's own files and of installed packages.
const FOREIGN: [&str; 8] =
    ["site-packages", "dist-packages", "/lib/python", "\\Lib\\", "<frozen ", "node_modules", "node:", "\\lib\\"];
/// Exceptions that a mistake in a script raises. Others are about what is around it: files, modules, servers, encodings.
const MISTAKES: [&str; 20] = [
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "IndentationError",
    "IndexError",
    "KeyError",
    "NameError",
    "NotImplementedError",
    "OverflowError",
    "RangeError",
    "RecursionError",
    "ReferenceError",
    "StopIteration",
    "SyntaxError",
    "TabError",
    "TypeError",
    "UnboundLocalError",
    "ValueError",
    "ZeroDivisionError",
    "ImportError",
];
/// Most frames of a trace that are looked at.
const MAX_FRAMES: usize = 64;

/// Whether a line says that a script does not parse.
pub(crate) fn is_of_syntax(line: &str) -> bool {
    ["SyntaxError: ", "IndentationError: ", "TabError: "].iter().any(|error| line.starts_with(error))
}

/// The error of a script in the command that does not parse. Python names such a script `<stdin>` or `<string>`, Node
/// `[eval]` or `[stdin]`.
pub(crate) fn unparsed(output: &str) -> Option<&str> {
    let (mut is_own, mut found) = (false, None);
    for line in output.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("File \"") {
            is_own = path.starts_with('<') && !path.starts_with("<frozen");
        } else if line.contains("[eval") || line.starts_with("[stdin]:") {
            is_own = true;
        } else if is_own && is_of_syntax(line) {
            (found, is_own) = (Some(line), false);
        }
    }
    found
}

/// The path of the innermost frame of a trace that is neither the language's nor an installed package's.
pub(crate) fn innermost(output: &str) -> Option<&str> {
    let is_own = |path: &&str| !path.is_empty() && !FOREIGN.iter().any(|part| path.contains(part));
    let of_python = output.rsplit("File \"").take(MAX_FRAMES.min(output.matches("File \"").count()));
    if let Some(path) = of_python.filter_map(|rest| rest.split('"').next()).find(is_own) {
        return Some(path);
    }
    let of_node = output.lines().filter_map(|line| line.trim_start().strip_prefix("at ")).take(MAX_FRAMES);
    let path = |frame: &'_ str| {
        let place = frame.rfind('(').map_or(0, |at| at + 1);
        // The colon behind the letter of a drive ends no path.
        let end = frame.get(place + 2..)?.find(':')? + place + 2;
        Some((place, end))
    };
    of_node.filter_map(|frame| path(frame).and_then(|(start, end)| frame.get(start..end))).find(is_own)
}

/// Whether an installed package found something wrong within itself, which is no mistake of the script that uses it.
pub(crate) fn is_of_package(output: &str, line: &str) -> bool {
    mistake(line) == Some("AssertionError") && is_in_library(output)
}

/// Whether the innermost frame of a trace of Python is one of the language's own files or of an installed package.
pub(crate) fn is_in_library(output: &str) -> bool {
    let last = output.rsplit_once("File \"").and_then(|(_, rest)| rest.split('"').next());
    last.is_some_and(|path| FOREIGN.iter().any(|part| path.contains(part)))
}

/// Whether a frame's path is no file, or a file in a folder for temporary ones that the command runs by its name. A project
/// can be in such a folder, too, and what a script imports from it is no mistake of the script.
pub(crate) fn is_of_one_use(path: &str, input: &str) -> bool {
    NO_FILES.iter().any(|place| path.starts_with(place))
        || TEMPORARY.iter().any(|place| path.starts_with(place)) && runs(input, base(path))
}

/// Whether a command runs the script of this name, alone or behind an interpreter.
pub(crate) fn runs(input: &str, name: &str) -> bool {
    let words = input.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '"' | '\'' | '(' | ')'));
    let mut before = "";
    for word in words.filter(|word| !word.is_empty()) {
        let is_it = base(word) == name;
        let is_written = matches!(before, ">" | ">>" | "tee" | "cat" | "-o");
        if is_it && !is_written && !word.starts_with('>') {
            return true;
        }
        before = word;
    }
    false
}

/// The class of an exception that is a mistake in the script, without its module: `NameError` of `NameError: name 'x' …`.
pub(crate) fn mistake(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['E', ' ']);
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let own = name.rsplit('.').next().unwrap_or_default();
    // What is imported under a wrong name is there, and its name is wrong.
    let is_mistake = MISTAKES.contains(&own) && (own != "ImportError" || line.contains("cannot import name"));
    is_mistake.then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_frame_of_the_agent_is_found() {
        let frames = "Traceback (most recent call last):\n  File \"<stdin>\", line 3, in <module>\n  File \
                      \"/v/lib/python3.11/site-packages/sympy/a.py\", line 9\nTypeError: x";
        assert_eq!(innermost(frames), Some("<stdin>"));
        assert_eq!(innermost("  File \"/w/a.py\", line 3\n  File \"/w/b.py\", line 4\nNameError: x"), Some("/w/b.py"));
        let node = "/w/a.js:3\nx\n^\n\nReferenceError: x\n    at f (/w/a.js:3:1)\n    at node:internal/main:1:1";
        assert_eq!(innermost(node), Some("/w/a.js"));
        assert_eq!(innermost("    at Object.<anonymous> (C:\\w\\a.js:3:1)"), Some("C:\\w\\a.js"));
        assert_eq!(innermost("    at [eval]:1:1"), Some("[eval]"));
        assert_eq!(innermost("no trace"), None);
        let asserts = frames.replace("TypeError", "AssertionError");
        assert!(is_of_package(&asserts, "AssertionError: x") && !is_of_package(frames, "TypeError: x"));
        assert!(!is_of_package("  File \"<stdin>\", line 3\nAssertionError: x", "AssertionError: x"));
    }

    #[test]
    fn a_script_in_a_command_that_does_not_parse_is_known() {
        let python =
            "a.py:1:1: F401 x\n  File \"<stdin>\", line 4\n    x =\n       ^\nSyntaxError: invalid syntax\nrest";
        assert_eq!(unparsed(python), Some("SyntaxError: invalid syntax"));
        let node = "[eval]:1\nconst a = ;\n\nSyntaxError: Unexpected token ';'\n    at node:internal/vm:185:14";
        assert_eq!(unparsed(node), Some("SyntaxError: Unexpected token ';'"));
        let module = "file:///w/[eval1]:1\nimport a\n\nSyntaxError: Unexpected end of input";
        assert!(unparsed(module).is_some() && unparsed(&node.replace("[eval]", "[stdin]")).is_some());
        for other in [
            "  File \"/w/a.py\", line 4\nSyntaxError: invalid syntax",
            "  File \"<stdin>\", line 1\n  File \"/w/a.py\", line 4\nSyntaxError: invalid syntax",
            "/w/a.js:3\nSyntaxError: Unexpected token",
            "  File \"<stdin>\", line 4\nNameError: x",
            "SyntaxError: x",
        ] {
            assert_eq!(unparsed(other), None, "{other}");
        }
    }

    #[test]
    fn a_command_that_only_writes_a_script_does_not_run_it() {
        assert!(runs("cat > a.py <<'E'\nx\nE\npython3 a.py", "a.py"));
        assert!(runs("cd w && ./a.py", "a.py"));
        assert!(!runs("cat > a.py <<'E'\nx\nE", "a.py"));
        assert!(!runs("pytest tests", "a.py"));
    }

    #[test]
    fn a_file_of_a_project_among_temporary_files_is_no_script() {
        for (path, input, expected) in [
            ("<string>", "python3 -c 'import pkg'", true),
            ("/tmp/a.py", "python3 /tmp/a.py", true),
            ("/tmp/x/pkg/__init__.py", "python3 -c 'import pkg'", false),
            ("/w/a.py", "python3 a.py", false),
        ] {
            assert_eq!(is_of_one_use(path, input), expected, "{path}");
        }
    }

    #[test]
    fn mistakes_are_told_from_what_is_around_a_script() {
        assert_eq!(mistake("NameError: name 'x' is not defined"), Some("NameError"));
        assert_eq!(mistake("SyntaxError: invalid syntax"), Some("SyntaxError"));
        assert_eq!(mistake("ImportError: cannot import name 'a' from 'b'"), Some("ImportError"));
        assert_eq!(mistake("ImportError: libGL.so.1: cannot open shared object file"), None);
        assert_eq!(mistake("UnicodeEncodeError: 'ascii' codec"), None);
        assert_eq!(mistake("ConnectionError: refused"), None);
        assert_eq!(mistake("error: x"), None);
    }
}

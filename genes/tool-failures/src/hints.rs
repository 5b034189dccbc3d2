//! What helps against single errors that are known by their line, and have no cause of their own. To add one, add a row.

use crate::remedies::{PARSES, REMEDIES};

/// A part of a line, and what to do. The first row that fits wins.
const HINTS: &[(&str, &str)] = &[
    (
        "does not have any commits yet",
        "tell the agent that this repository has no commits yet: `git log` and `git diff HEAD` need one",
    ),
    ("lease tell me who you are", IDENTITY),
    ("uthor identity unknown", IDENTITY),
    ("unable to auto-detect email address", IDENTITY),
    (
        "codec can't encode character",
        "set `PYTHONUTF8=1` in the agent's environment, so that Python writes UTF-8 whatever the system's encoding is",
    ),
    (
        "codec can't decode byte",
        "say which encoding the file has: open it with `encoding=` or `errors=\"replace\"`, or as bytes",
    ),
    (
        "require is not defined in ES module scope",
        "write `import` instead of `require` in this project, or give the file the ending `.cjs`",
    ),
    (ESM_IN_SCRIPT, "give the file the ending `.mjs`, or set `\"type\": \"module\"` in package.json"),
    ("JSONDecodeError", "have the agent look at the text before it parses it: it is empty, cut off, or not only JSON"),
    ("Expecting value: line 1 column 1", NO_JSON),
    ("Unexpected token '<'", NO_JSON),
    ("Unexpected token < in JSON", NO_JSON),
    ("Unsupported Method", "unpack it with the program that made it: this one does not know the method of the archive"),
    ("is not running, so cannot be killed", "nothing needs to be done: it had ended before"),
    ("Cannot find name 'expect'", TEST_TYPES),
    ("Cannot find name 'describe'", TEST_TYPES),
    ("Cannot find name 'process'", NODE_TYPES),
    ("Cannot find name 'require'", NODE_TYPES),
    ("Cannot find name 'Buffer'", NODE_TYPES),
    (
        "ould not find a declaration file for module",
        "install the types of this module (`@types/…`), or declare the module in a `.d.ts` file",
    ),
    (
        "cannot be compiled under '--isolatedModules'",
        "add an import or `export {}` to the file, so that it is a module",
    ),
    ("Unexpected end of JSON input", "have the agent look at the text before it parses it: it is empty, or cut off"),
    (
        "here are no commands defined in the ",
        "install the package that brings these commands, or list those that exist with `php artisan list`",
    ),
    (
        "has no attribute ",
        "correct the name, or look up what took its place: the installed version has no such attribute",
    ),
    (
        "is not a function",
        "correct the name or the import: what is called here is no function in the installed version",
    ),
    ("Call to undefined ", "correct the name, or load the file that declares it"),
    ("undefined method ", METHOD),
    ("BadMethodCallException", METHOD),
    (
        "Cannot read properties of ",
        "find out why the value is missing before this line reads it: it was never set, or has another form",
    ),
    ("'NoneType' object ", "find out why the value is missing before this line uses it: a function returned nothing"),
    ("unexpected keyword argument ", "call it as its signature in the installed version says: the argument is unknown"),
    ("positional argument", "call it with the arguments that its signature in the installed version has"),
    ("cannot import name ", "correct the import: the installed version of the module has no such name"),
    ("does not provide an export named ", "correct the import: the module has no export of this name"),
    ("must be marked as required", "fill in the field that the message names"),
    ("cannot be used to initialize", "give the variable the type of the value, or call what returns one"),
    ("Don't know what to do with", "leave out the empty argument, such as a blank behind a `\\` at a line's end"),
    ("rontmatter must", "write the header of the file as the message says, and show one in the agent's instructions"),
    ("KeyError: ", "look at the keys that the data has before a line reads one: `.get()` or a test"),
    ("IndexError: ", "look at how many items the list has before a line reads one"),
    ("UnboundLocalError", "give the variable a value on each way through the function"),
    ("unsupported operand type", "look at the types of both values: one is missing or of another type than expected"),
    (
        "not supported between instances",
        "look at the types of both values: one is missing or of another type than expected",
    ),
    ("invalid literal for int()", "look at the text before it becomes a number: it is empty or holds something else"),
    ("object is not subscriptable", "look at what the value is: it is no list and no dictionary"),
    ("object is not callable", "look at what the name stands for: something else has taken the name of the function"),
    ("not enough values to unpack", "look at how many parts the value has before it is taken apart"),
    ("too many values to unpack", "look at how many parts the value has before it is taken apart"),
    ("IndentationError", PARSES),
    ("TabError", PARSES),
    ("SyntaxError: invalid syntax", PARSES),
    ("SyntaxError: invalid ", PARSES),
    ("does not exist on type", "correct the name, or add the property to the type"),
    ("is not assignable to ", "give the value the type that is wanted there, or widen the type"),
    ("implicitly has an 'any' type", "give it a type"),
    ("Cannot find name '", "import or declare the name"),
    ("does not exist in the current context", "import or declare the name"),
    ("cannot find '", "import or declare the name"),
    ("isn't defined for the ", "correct the name, or declare the method in the class"),
    (" is not defined", "import or declare this name in the file that the error points at"),
    ("event loop is already running", "await the coroutine instead of starting a second loop in the same thread"),
    ("insufficient funds", "put funds into this account first, or use one that has them"),
    ("No such process", "look at why the process had ended before: its own output or its log says so"),
    ("Text file busy", "stop the process that still runs this file before it is written"),
    ("Argument list too long", "pass the names through a file or `xargs`, in several parts"),
    (
        "externally-managed-environment",
        "make a virtual environment (`python3 -m venv .venv`) and install into that one",
    ),
    (
        "delimited by end-of-file",
        "end a here-document with its delimiter alone on a line: nothing may stand before or behind it",
    ),
    ("outside the allowed workspace", WORKSPACE),
    ("within one of the workspace directories", WORKSPACE),
    (
        "\" not found. Did you mean one of",
        "enable this tool for the agent, or name one that it has in its instructions",
    ),
    ("cannot read binary files", "have the agent read such a file with a program for its format"),
    ("max session turns", "allow the agent more turns, or give it smaller tasks"),
    ("model is not supported when using", "choose a model that this account may use"),
    ("detected dubious ownership", "run git as the owner of the folder, or add it to `safe.directory`"),
    ("refusing to merge unrelated histories", "fetch the branch that shares its history, or start again from a clone"),
    ("Host key verification failed", "add the host's key to `known_hosts` on this machine first"),
];

const NO_JSON: &str = "have the agent print the answer before it parses it: it is empty or no JSON, such as the page of an error (`curl -i`)";
const TEST_TYPES: &str =
    "install the types of the test runner (such as `@types/jest`), or name them in `types` of tsconfig.json";
const NODE_TYPES: &str = "install `@types/node`, or name it in `types` of tsconfig.json";
const ESM_IN_SCRIPT: &str = "Cannot use import statement outside a module";
const WORKSPACE: &str = "keep what the agent works with in its workspace, or add that folder to the workspace";
const METHOD: &str = "correct the name of the method, or look up what took its place in the installed version";
const IDENTITY: &str = "set `git config user.name` and `git config user.email` for the user that the agent runs as";

/// What helps against the error in a line.
pub(crate) fn hint(line: &str, is_typescript: bool) -> Option<&'static str> {
    // What runs TypeScript decides what a module is, and not the ending of the file.
    let fits = |part: &str| line.contains(part) && !(is_typescript && part == ESM_IN_SCRIPT);
    let known = REMEDIES.iter().chain(HINTS).find(|(part, _)| fits(part)).map(|(_, advice)| *advice);
    // `Method A::b does not exist.`
    known.or_else(|| (line.contains("ethod ") && line.contains(" does not exist")).then_some(METHOD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_errors_have_advice() {
        assert_eq!(hint("*** Please tell me who you are.", false), Some(IDENTITY));
        assert!(hint(ESM_IN_SCRIPT, false).is_some());
        assert_eq!(hint(ESM_IN_SCRIPT, true), None);
        assert!(hint("ReferenceError: chai is not defined", false).is_some());
        assert_eq!(hint("boom", false), None);
    }

    #[test]
    fn no_row_is_hidden_by_an_earlier_one() {
        for (at, (part, _)) in HINTS.iter().enumerate() {
            let earlier = || REMEDIES.iter().chain(HINTS.iter().take(at));
            assert!(!earlier().any(|(other, _)| part.contains(other)), "{part}");
        }
    }
}

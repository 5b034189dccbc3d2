//! The forms in which programs may be called.
//!
//! To add a program, add its [`Form`]s to [`FORMS`], its options to `options.rs`, and rows of both verdicts to
//! `tests/command_cases`.

use Args::{Nothing, Paths, Script, Sources, TestNames};

use super::options::{
    CARGO, CARGO_FIRST, COMPILEALL, FMT, GO, GO_BUILD, JS_RUNNER, LIBTEST, LINTS, NEXTEST, NODE, NODE_TEST, NPM, Opt,
    PYTEST, PYTHON, UNITTEST,
};

/// The kind of arguments that follow the options.
#[derive(Debug, Clone, Copy)]
pub(super) enum Args {
    /// None.
    Nothing,
    /// Any number of paths inside the work copy.
    Paths,
    /// Any number of paths or pytest's test ids.
    TestIds,
    /// Any number of paths or Python's modules, but not its own.
    TestModules,
    /// Any number of Go packages, but not Go's own.
    GoPackages,
    /// Any number of names of Rust tests, or parts of them.
    TestNames,
    /// One or more files with one of these extensions.
    Sources(&'static [&'static str]),
    /// One file with one of these extensions, and the script's own arguments.
    Script(&'static [&'static str]),
    /// The name of a script in `package.json`.
    ScriptName,
}

/// How a program reads its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As they are written.
    Whole,
    /// One-letter options may be joined, to each other and to a value: `-xvs`, `-n4`.
    Letters,
    /// One dash or two are the same.
    Dashes,
}

/// One way to call a program: the program, options, fixed words, more options and arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) program: &'static str,
    pub(super) style: Style,
    pub(super) before: &'static [Opt],
    pub(super) words: &'static [&'static str],
    pub(super) options: &'static [&'static [Opt]],
    pub(super) args: Args,
    /// Options and arguments that may follow `--`; `None` where it may not stand.
    pub(super) after_dashes: Option<(&'static [Opt], Args)>,
}

const JS: &[&str] = &["js", "mjs", "cjs", "ts", "mts", "cts"];
const PY: &[&str] = &["py"];

const fn form(words: &'static [&'static str], options: &'static [&'static [Opt]], args: Args) -> Form {
    Form { program: "", style: Style::Whole, before: &[], words, options, args, after_dashes: None }
}

const fn node(form: Form) -> Form {
    Form { program: "node", before: NODE, ..form }
}

const fn package(program: &'static str, words: &'static [&'static str], args: Args) -> Form {
    Form { program, before: NPM, after_dashes: Some((JS_RUNNER, Paths)), ..form(words, &[NPM], args) }
}

const fn python(program: &'static str, form: Form) -> Form {
    Form { program, style: Style::Letters, before: PYTHON, ..form }
}

const fn cargo(form: Form, after_dashes: Option<(&'static [Opt], Args)>) -> Form {
    Form { program: "cargo", style: Style::Letters, before: CARGO_FIRST, after_dashes, ..form }
}

const fn go(words: &'static [&'static str], options: &'static [&'static [Opt]]) -> Form {
    Form { program: "go", style: Style::Dashes, ..form(words, options, Args::GoPackages) }
}

/// Every form; within a program, those with more fixed words first.
pub(super) const FORMS: &[Form] = &[
    node(form(&["--test"], &[NODE_TEST, NODE], Paths)),
    node(form(&["--check"], &[], Sources(JS))),
    node(form(&[], &[NODE], Script(JS))),
    package("npm", &["test"], Nothing),
    package("npm", &["t"], Nothing),
    package("npm", &["run"], Args::ScriptName),
    package("npm", &["run-script"], Args::ScriptName),
    package("pnpm", &["test"], Nothing),
    package("yarn", &["test"], Nothing),
    Form { program: "pytest", style: Style::Letters, ..form(&[], &[PYTEST], Args::TestIds) },
    python("python", form(&["-m", "pytest"], &[PYTEST], Args::TestIds)),
    python("python", form(&["-m", "unittest"], &[UNITTEST], Args::TestModules)),
    python("python", form(&["-m", "py_compile"], &[], Sources(PY))),
    python("python", form(&["-m", "compileall"], &[COMPILEALL], Paths)),
    python("python", form(&[], &[PYTHON], Script(PY))),
    python("python3", form(&["-m", "pytest"], &[PYTEST], Args::TestIds)),
    python("python3", form(&["-m", "unittest"], &[UNITTEST], Args::TestModules)),
    python("python3", form(&["-m", "py_compile"], &[], Sources(PY))),
    python("python3", form(&["-m", "compileall"], &[COMPILEALL], Paths)),
    python("python3", form(&[], &[PYTHON], Script(PY))),
    cargo(form(&["nextest", "run"], &[CARGO, NEXTEST], TestNames), Some((LIBTEST, TestNames))),
    cargo(form(&["test"], &[CARGO], TestNames), Some((LIBTEST, TestNames))),
    cargo(form(&["check"], &[CARGO], Nothing), None),
    cargo(form(&["build"], &[CARGO], Nothing), None),
    cargo(form(&["clippy"], &[CARGO], Nothing), Some((LINTS, Nothing))),
    cargo(form(&["fmt", "--all", "--", "--check"], &[], Nothing), None),
    cargo(form(&["fmt", "--all", "--check"], &[FMT], Nothing), None),
    cargo(form(&["fmt", "--", "--check"], &[], Nothing), None),
    cargo(form(&["fmt", "--check"], &[FMT], Nothing), None),
    go(&["test"], &[GO]),
    go(&["vet"], &[GO_BUILD]),
    go(&["build"], &[GO_BUILD]),
];

/// Every program once for each of its forms.
pub(super) fn programs() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|form| form.program)
}

/// The forms of a program as a person would write them.
pub(super) fn spelled_forms(program: &str) -> String {
    FORMS.iter().filter(|form| form.program == program).map(spelled).collect::<Vec<_>>().join(", ")
}

fn spelled(form: &Form) -> String {
    let args = match form.args {
        Nothing => "",
        Paths | Args::TestIds | Args::TestModules => " [PATH…]",
        Args::GoPackages => " [PACKAGE…]",
        TestNames => " [NAME…]",
        Sources(_) | Script(_) => " FILE",
        Args::ScriptName => " NAME",
    };
    let words: String = form.words.iter().flat_map(|word| [" ", word]).collect();
    format!("`{}{words}{args}`", form.program)
}

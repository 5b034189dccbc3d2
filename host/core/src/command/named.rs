//! What the name of an option says about its value. gephost knows few options of the programs that an operator adds. It
//! refuses an option whose name says that its value is code, a configuration or another program.

/// Texts that make the name of an option suspicious wherever they stand in it.
#[rustfmt::skip]
const WITHIN: &[&str] = &[
    "agent", "argfile", "argument", "bootstrap", "browser", "command", "compiler", "config", "daemon", "debugger", "editor",
    "engine", "exec", "extension", "hook", "import", "instrument", "interpreter", "invoke", "launch", "linker", "listener",
    "loader", "middleware", "modifier", "override", "pager", "plugin", "preload", "preprocess", "processor", "proxy", "rcfile",
    "registry", "remote", "repositor", "require", "resolver", "runner", "script", "serve", "shell", "socket", "startup", "syntax",
    "template", "toolchain", "transform", "wrapper",
];

/// Words that make it suspicious only as a whole: `--run-under`, `--testEnv`, `--cc`.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "action", "after", "alias", "api", "arg", "args", "assembler", "backend", "before", "bin", "binary", "call", "callback", "cc", "classpath",
    "client", "cluster", "cmd", "cp", "custom", "cxx", "def", "define", "deploy", "driver", "edit", "emulator", "entry", "entrypoint", "env",
    "environment", "eval", "evaluate", "expr", "fetch", "fork", "gdb", "handler", "host", "init", "inject", "inspect", "install",
    "java", "javaagent", "jvm", "ld", "library", "lisp", "lldb", "load", "lua", "node", "opt", "option", "options", "opts", "param",
    "parser", "perl", "php", "post", "pp", "ppx", "pre", "prefork", "profiler", "program", "prover", "provider", "publish", "push", "python", "rc", "repl",
    "ruby", "rule", "rules", "rulesdir", "run", "sdk", "serve", "set", "setup", "simulator", "solver", "specs", "ssh", "start", "sysroot", "tracer", "upload", "uri",
    "url", "var", "visitor", "vpi", "webhook", "wrap",
];

/// Words in the names of options that take no value, before a path that is an argument.
#[rustfmt::skip]
const ALONE: &[&str] = &[
    "all", "bail", "cache", "check", "ci", "color", "colors", "coverage", "debug", "diff", "error", "errors", "exit", "fail", "failure",
    "fast", "fix", "force", "help", "lint", "list", "long", "no", "only", "parallel", "quiet", "recursive", "relative", "serial", "short",
    "silent", "sort", "strict", "summary", "validation", "verbose", "warn", "warning", "warnings", "watch",
];

/// Words in the names of options whose value is a place that the program reads or writes as data.
#[rustfmt::skip]
const PLACES: &[&str] = &[
    "baseline", "build", "coverage", "dir", "directory", "exclude", "file", "filename", "files", "folder", "ignore", "include", "input",
    "junit", "log", "out", "outdir", "outfile", "output", "path", "paths", "project", "report", "reports", "root", "source", "sources",
    "spec", "src", "target", "test", "tests", "xml",
];

/// Extensions of files that programs load and run.
#[rustfmt::skip]
const CODE: &[&str] = &[
    "bat", "cjs", "class", "cmd", "dll", "dylib", "exe", "jar", "js", "lua", "mjs", "php", "pl", "ps1", "py", "rb", "sh", "so", "tmpl",
    "tpl", "ts", "vpi", "wasm",
];

/// Options that only choose how a program tests, although their names hold such a word.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "--disallow-any-expr", "--follow-imports", "--ignore-missing-imports", "--java-version", "--load-average", "--node-version",
    "--python-version", "--run", "--runInBand", "--runTestsByPath", "--single-run",
];

/// Options that load a module, unless their value is one of the words that programs know.
#[rustfmt::skip]
const CHOICES: &[(&[&str], &[&str])] = &[
    (
        &["format", "formatter", "output-format", "printer", "reporter", "reporters", "standard", "style"],
        &[
            "PEAR", "PER", "PSR1", "PSR12", "PSR2", "Squiz", "azure", "basic", "brief", "checkstyle", "codeclimate", "colored",
            "compact", "concise", "csv", "default", "detailed", "doc", "documentation", "dot", "dots", "full", "gcc", "github",
            "github-actions", "gitlab", "grouped", "html", "json", "jsonl", "junit", "lcov", "line", "list", "long", "markdown", "min",
            "minimal", "nyan", "parsable", "pretty", "progress", "quiet", "sarif", "short", "simple", "spec", "stylish", "summary",
            "table", "tap", "teamcity", "testdox", "testname", "text", "tty", "unix", "verbose", "xml", "yaml",
        ],
    ),
    (
        &["browser", "browsers"],
        &["all", "chrome", "ChromeHeadless", "chromium", "edge", "electron", "firefox", "FirefoxHeadless", "safari", "webkit"],
    ),
    (&["env", "environment"], &["edge-runtime", "happy-dom", "jsdom", "node"]),
];

/// First words with which a program turns to something else than tests and checks.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "add", "apply", "as", "attach", "auth", "browse", "codegen", "config", "connect", "console", "create", "custom", "daemon", "debug",
    "deploy", "destroy", "dev", "dlx", "do", "download", "edit", "env", "eval", "exec", "execute", "export", "fetch", "gen",
    "generate", "gh-deploy", "import", "init", "install", "launch", "link", "login", "lsp", "migrate", "new", "open", "plugin", "plugins",
    "preview", "publish", "pull", "push", "register", "release", "remove", "repl", "repro", "run", "runMain", "script", "serve",
    "server", "shell", "start", "sync", "uninstall", "update", "upgrade", "upload", "watch",
];

/// Whether an option's value, in the same word or the next one, may be code, a configuration or another program.
pub(super) fn is_suspicious(option: &str, value: &str) -> bool {
    let bare = option.trim_start_matches('-');
    // `--no-plugins` turns something off.
    if bare.starts_with("no-") || HARMLESS.contains(&option) {
        return false;
    }
    let lower = bare.to_ascii_lowercase();
    if let Some((_, known)) = CHOICES.iter().find(|(names, _)| names.contains(&lower.as_str())) {
        let is_known = |value: &str| known.contains(&value);
        return !value.is_empty() && !value.starts_with('-') && !value.split(',').all(is_known);
    }
    // A debugger waits at a port.
    let waits = lower == "debug" && !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    waits
        || WITHIN.iter().any(|text| lower.contains(text))
        || words(bare).iter().any(|word| WHOLE.contains(&word.as_str()))
}

/// Whether an option of a program that gephost does not know has a file as its value that it may run. `joined` says that the value
/// stands in the same word; in the next one, a path may be an argument of the program.
pub(super) fn may_run(option: &str, value: &str, joined: bool) -> bool {
    let own = words(option.trim_start_matches('-'));
    let has = |list: &[&str]| own.iter().any(|word| list.contains(&word.as_str()));
    let extension =
        value.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, extension)| extension);
    let is_code = CODE.contains(&extension);
    // `--z3-path` names where a program is, `--report-path` where a report goes.
    let is_place =
        has(PLACES) && !(own.len() > 1 && own.last().is_some_and(|word| word == "path") && !names_data(&own));
    let is_path = value.starts_with("./");
    let is_letter = !option.starts_with("--") && option.len() == 2;
    match joined {
        true => {
            is_code && !has(&["exclude", "file", "files", "ignore", "spec", "test", "tests"]) || is_path && !is_place
        }
        false if is_letter => is_path && !["-v", "-q", "-x", "-h", "-V"].contains(&option),
        false => is_path && !is_place && !has(ALONE),
    }
}

/// Whether a word before the last one names data.
fn names_data(words: &[String]) -> bool {
    const DATA: &[&str] =
        &["cache", "config", "data", "doc", "docs", "result", "results", "schema", "snapshot", "snapshots"];
    words.split_last().is_some_and(|(_, before)| {
        before.iter().any(|word| PLACES.contains(&word.as_str()) || DATA.contains(&word.as_str()))
    })
}

/// Whether the first word after a program makes it do something else than test.
pub(super) fn is_other_work(word: &str) -> bool {
    let first = word.split([' ', ':', '.']).next().unwrap_or(word);
    VERBS.contains(&first) || first.split('-').next().is_some_and(|first| VERBS.contains(&first))
}

/// The words of a name: `testEnv`, `test-env` and `test_env` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && was_lower {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.push(c.to_ascii_lowercase()));
        }
        was_lower = c.is_ascii_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_its_value_is() {
        for (option, value) in [
            ("--pdf-engine", "./x"),
            ("--globalSetup", "x.js"),
            ("--testRunner", "x"),
            ("--gdb-path", "x"),
            ("--load_plugins", "x"),
            ("-ppx", "x"),
            ("--vpi", "x.so"),
            ("--reporter", "./x"),
            ("--reporters", "default,./x"),
            ("--npm-client", "x"),
            ("--debug", "5005"),
        ] {
            assert!(is_suspicious(option, value), "{option}");
        }
        for (option, value) in [
            ("--verbose", ""),
            ("--max-line-length", "100"),
            ("--reporter", "dot"),
            ("--reporters", "default,junit"),
            ("--format", ""),
            ("--environment", "jsdom"),
            ("--no-config", "src"),
            ("--no-plugins", "--quiet"),
            ("--python-version", "3.12"),
            ("--runInBand", ""),
            ("--output-on-failure", ""),
            ("--strict", "src"),
            ("--debug", "src"),
            ("--coverage", ""),
            ("--testNamePattern", "a b"),
            ("--parallel", "4"),
        ] {
            assert!(!is_suspicious(option, value), "{option}");
        }
    }

    #[test]
    fn a_value_that_is_a_file_may_be_run() {
        for (option, value, joined) in [
            ("--onSuccess", "./x", false),
            ("--with", "./x", true),
            ("--helper", "x.lua", true),
            ("--output", "x.tmpl", true),
            ("-t", "./x", false),
            ("-pyflakes", "./x", false),
            ("--z3-path", "./x", false),
            ("--solverPath", "./x", true),
        ] {
            assert!(may_run(option, value, joined), "{option}");
        }
        for (option, value, joined) in [
            ("--strict", "./src", false),
            ("-v", "./tests", false),
            ("--test-dir", "./build", true),
            ("--path", "./src", true),
            ("--report-path", "./out", true),
            ("--schema-path", "./a.json", false),
            ("--spec", "e2e/a.cy.ts", true),
            ("--project", "chromium", true),
            ("--spec", "e2e/a.cy.ts", false),
            ("--output", "./out.xml", true),
        ] {
            assert!(!may_run(option, value, joined), "{option}");
        }
    }

    #[test]
    fn other_work_is_told_by_the_first_word() {
        for word in ["exec", "run", "run-operation", "generate", "hex.publish", "runMain evil", "gh-deploy"] {
            assert_eq!(is_other_work(word), word != "hex.publish", "{word}");
        }
        assert!(["test", "check", "lint", "tests/run", "runner", "verify"].iter().all(|word| !is_other_work(word)));
    }
}

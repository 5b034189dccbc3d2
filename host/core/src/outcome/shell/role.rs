//! Which role a program has, by its name and, if it has several, by its subcommand.

use super::super::own_errors::bare_name_of;

/// What a program's exit code and output can prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Role {
    /// Searches; code 1 means that nothing was found.
    Search,
    /// Compares; code 1 means that there is a difference.
    Compare,
    /// Asks a question; code 1 means no.
    Question,
    /// Shows texts, logs or state. Failures in what it shows are not its own.
    Show,
    /// Prints, changes the directory or sets variables.
    Quiet,
    /// Tests, lints or builds; its output shows the result.
    Check,
    /// Anything else.
    Other,
}

/// Removes words before a program that do not change its role: assignments, `sudo`, `timeout 30`, `npx` …
pub(crate) fn without_prefixes(words: Vec<String>) -> Vec<String> {
    const PREFIXES: [&str; 18] = [
        "sudo", "time", "env", "nohup", "exec", "command", "nice", "stdbuf", "xargs", "npx", "bunx", "uvx", "then",
        "do", "if", "elif", "!", "xcrun",
    ];
    const WITH_OPTIONS: [&str; 7] = ["sudo", "time", "env", "nice", "stdbuf", "npx", "bunx"];
    const WITH_VALUE: [&str; 7] = ["-C", "-g", "-h", "-p", "-u", "--package", "--user"];
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.peek() {
        let prefix = PREFIXES.contains(&word.as_str());
        let assignment = word.split_once('=').is_some_and(|(name, _)| is_variable(name));
        if word == "timeout" || word == "gtimeout" {
            rest.next();
            while rest.next_if(|word| word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit())).is_some()
            {
            }
        } else if prefix || assignment || matches!(word.as_str(), "{" | "else" | "while" | "until") {
            let xargs = word == "xargs";
            let command = word == "command";
            let takes_options = WITH_OPTIONS.contains(&word.as_str());
            // For `time`, `-p` is a format. `nice -n 10` has a value, and `sudo -n` has none.
            let (is_time, is_nice) = (word == "time", word == "nice");
            let word = rest.next();
            while let Some(option) = rest.next_if(|word| takes_options && word.starts_with('-')) {
                if WITH_VALUE.contains(&option.as_str()) && !is_time || is_nice && option == "-n" {
                    rest.next();
                }
            }
            if command && rest.peek().is_some_and(|flag| matches!(flag.as_str(), "-v" | "-V")) {
                return word.into_iter().chain(rest).collect();
            }
            while xargs && rest.next_if(|word| word.starts_with('-') || word.len() < 3).is_some() {}
        } else {
            break;
        }
    }
    rest.collect()
}

/// Whether an option says that the code is the answer: `jq -e .a`, `nc -z host 80`.
fn asks_by_its_code(name: &str, words: &[String]) -> bool {
    let letter = if name == "jq" { 'e' } else { 'z' };
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
    words.iter().skip(1).any(|word| is_short(word) || word == "--exit-status")
}

/// Whether the words are `-z "$(gofmt -l .)"`: the test of a program that prints what is wrong and exits with code 0.
fn asserts_that_nothing_is_printed(words: &[String]) -> bool {
    const PRINT_WHAT_IS_WRONG: [&str; 5] = ["$(gofmt", "$(gofumpt", "$(goimports", "$(git diff", "$(git status"];
    words.iter().any(|word| word == "-z")
        && words.iter().any(|word| PRINT_WHAT_IS_WRONG.iter().any(|start| word.starts_with(start)))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The role of a program, by its name and, for programs with several roles, by its subcommand.
pub(super) fn role(words: &[String]) -> Role {
    let Some(program) = words.first() else {
        return Role::Quiet;
    };
    let name = bare_name_of(program);
    if let Some(role) = cmdlet_role(name) {
        return role;
    }
    match name {
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep" | "findstr" => Role::Search,
        "diff" | "cmp" | "colordiff" | "comm" => Role::Compare,
        "test" | "[" | "[[" if asserts_that_nothing_is_printed(words) => Role::Check,
        "test" | "[" | "[[" | "which" | "type" | "command" | "pgrep" | "ps" | "hash" | "lsof" | "pidof" | "pkill"
        | "killall" | "where" | "getent" => Role::Question,
        "kill" if words.get(1).is_some_and(|word| word == "-0") => Role::Question,
        "id" if words.len() > 1 => Role::Question,
        "jq" | "nc" | "ncat" if asks_by_its_code(name, words) => Role::Question,
        "tmux" if words.get(1).is_some_and(|word| word.starts_with("has")) => Role::Question,
        "echo" | "printf" | "cd" | "pushd" | "popd" | "export" | "set" | "unset" | "true" | "false" | ":"
        | "source" | "." | "sleep" | "pwd" | "fi" | "done" | "for" | "case" | "esac" | "wait" | "exit" | "mkdir"
        | "}" => Role::Quiet,
        "cat" | "bat" | "head" | "tail" | "less" | "more" | "ls" | "tree" | "nl" | "wc" | "sort" | "uniq" | "cut"
        | "tr" | "awk" | "jq" | "yq" | "strings" | "xxd" | "hexdump" | "od" | "file" | "stat" | "du" | "df"
        | "find" | "fd" | "column" | "tee" | "journalctl" | "dmesg" | "screen" | "date" | "basename" | "dirname"
        | "readlink" | "realpath" | "fold" | "rev" | "paste" | "zcat" | "xmllint" | "top" | "env" | "printenv"
        | "whoami" | "uname" | "id" | "curl" | "wget" | "md5" | "md5sum" | "sha256sum" | "man" | "tldr" | "pydoc"
        | "pydoc3" | "perldoc" | "ri" => Role::Show,
        "sed" if !words.iter().any(|word| word.starts_with("-i")) => Role::Show,
        "go" if words.get(1).is_some_and(|word| word == "doc") => Role::Show,
        "git" => git_role(words),
        "gh" | "glab" => gh_role(words),
        "systemctl" | "service" | "docker" | "kubectl" | "podman" | "tmux" | "pm2" | "heroku" | "fly" | "vercel"
        | "bd" => service_role(words),
        _ => check_role(name, words),
    }
}

/// The role of a cmdlet of PowerShell, which passes objects on, shows them, or asks for them.
fn cmdlet_role(name: &str) -> Option<Role> {
    Some(match name {
        "Select-String" => Role::Search,
        "Test-Path" | "Get-Command" => Role::Question,
        "Write-Output" | "Write-Host" | "Set-Location" | "Push-Location" | "Pop-Location" | "Start-Sleep" => {
            Role::Quiet
        }
        "Get-Content" | "Get-ChildItem" | "Get-Date" | "Get-Item" | "Get-Location" | "Get-Process"
        | "Select-Object" | "Where-Object" | "Sort-Object" | "Measure-Object" | "Group-Object" | "Out-String"
        | "Out-Host" | "Format-Table" | "Format-List" => Role::Show,
        _ => return None,
    })
}

/// The first word after the program that is not an option.
fn subcommand(words: &[String]) -> &str {
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-C" | "-c" | "--repo" | "-R" | "--filter" | "--cwd" | "--prefix" | "-F" => {
                rest.next();
            }
            word if word.starts_with('-') => {}
            word => return word,
        }
    }
    ""
}

fn git_role(words: &[String]) -> Role {
    match subcommand(words) {
        "grep" => Role::Search,
        "diff" if words.iter().any(|word| matches!(word.as_str(), "--check" | "--exit-code")) => Role::Check,
        // Without these options, code 1 does not mean that there is a difference.
        "diff" if words.iter().any(|word| matches!(word.as_str(), "--no-index" | "--quiet")) => Role::Compare,
        "config" | "merge-base" | "rev-parse" | "show-ref" | "check-ignore" | "ls-remote" => Role::Question,
        "diff" | "range-diff" | "log" | "show" | "status" | "blame" | "branch" | "reflog" | "shortlog" | "ls-files"
        | "ls-tree" | "describe" | "remote" | "tag" => Role::Show,
        _ => Role::Other,
    }
}

fn gh_role(words: &[String]) -> Role {
    let shows = ["view", "list", "diff", "status", "api", "checks", "watch"];
    if words.iter().skip(1).take(3).any(|word| shows.contains(&word.as_str())) { Role::Show } else { Role::Other }
}

fn service_role(words: &[String]) -> Role {
    const ASKS: [&str; 3] = ["is-active", "is-enabled", "is-failed"];
    if words.iter().skip(1).take(3).any(|word| ASKS.contains(&word.as_str())) {
        return Role::Question;
    }
    let shows = ["logs", "log", "ps", "inspect", "describe", "get", "capture-pane", "list", "ls", "show", "status"];
    if words.iter().skip(1).take(3).any(|word| shows.contains(&word.as_str())) { Role::Show } else { Role::Other }
}

/// Programs that look for faults in files, and print what they find.
const LINTERS: [&str; 92] = [
    "actionlint",
    "alex",
    "ansible-lint",
    "bandit",
    "basedpyright",
    "biome",
    "buf",
    "cfn-lint",
    "check-jsonschema",
    "checkstyle",
    "clang-tidy",
    "codespell",
    "commitlint",
    "cppcheck",
    "cpplint",
    "credo",
    "cspell",
    "csslint",
    "darglint",
    "depcheck",
    "deptry",
    "detekt",
    "djlint",
    "doc8",
    "dprint",
    "eradicate",
    "erb_lint",
    "errcheck",
    "eslint",
    "flake8",
    "gocritic",
    "gocyclo",
    "golangci-lint",
    "gosec",
    "hadolint",
    "haml-lint",
    "hlint",
    "htmlhint",
    "ineffassign",
    "interrogate",
    "isort",
    "jshint",
    "knip",
    "ktlint",
    "luacheck",
    "markdownlint",
    "markdownlint-cli2",
    "misspell",
    "mypy",
    "oclint",
    "oxlint",
    "perlcritic",
    "phpcs",
    "phpstan",
    "pmd",
    "prettier",
    "proselint",
    "protolint",
    "psalm",
    "puppet-lint",
    "pycodestyle",
    "pydoclint",
    "pydocstyle",
    "pyflakes",
    "pylint",
    "pyright",
    "reek",
    "refurb",
    "restructuredtext-lint",
    "revive",
    "rst-lint",
    "rstcheck",
    "rubocop",
    "ruff",
    "scalastyle",
    "shellcheck",
    "slim-lint",
    "sqlfluff",
    "standard",
    "standardrb",
    "staticcheck",
    "stylelint",
    "svelte-check",
    "swiftlint",
    "textlint",
    "tflint",
    "ty",
    "typos",
    "vale",
    "vulture",
    "xo",
    "yamllint",
];

/// Programs that test or build by their own name.
const CHECKS: [&str; 60] = [
    "pytest",
    "py.test",
    "tox",
    "nox",
    "nose2",
    "behave",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "tap",
    "cypress",
    "playwright",
    "karma",
    "tsc",
    "vue-tsc",
    "tsgo",
    "lint-staged",
    "black",
    "gotestsum",
    "ginkgo",
    "shfmt",
    "rustc",
    "rustfmt",
    "gcc",
    "clang",
    "g++",
    "clang++",
    "cc",
    "c++",
    "javac",
    "kotlinc",
    "scalac",
    "swiftformat",
    "xcodebuild",
    "ghc",
    "phpunit",
    "pest",
    "pint",
    "rspec",
    "ctest",
    "bats",
    "pre-commit",
    "lefthook",
    "husky",
    "tsup",
    "webpack",
    "rollup",
    "esbuild",
    "ninja",
    "babel",
    "erlc",
    "lessc",
    "nvcc",
    "parcel",
    "postcss",
    "protoc",
    "rspack",
    "sass",
    "swc",
];

/// Programs that do so if they are given a task.
const RUNNERS: [&str; 58] = [
    "cargo",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "node",
    "python",
    "python3",
    "py",
    "make",
    "gmake",
    "cmake",
    "just",
    "mise",
    "task",
    "gradle",
    "gradlew",
    "mvn",
    "mvnw",
    "dotnet",
    "mix",
    "bundle",
    "rake",
    "rails",
    "uv",
    "poetry",
    "pipenv",
    "hatch",
    "pdm",
    "turbo",
    "nx",
    "lerna",
    "rush",
    "moon",
    "swift",
    "zig",
    "sbt",
    "lein",
    "bazel",
    "flutter",
    "dart",
    "php",
    "artisan",
    "composer",
    "vite",
    "next",
    "nuxt",
    "astro",
    "forge",
    "hardhat",
    "terraform",
    "tofu",
    "helm",
    "meson",
    "stack",
    "cabal",
];

/// Tasks that test, lint or build.
const TASKS: [&str; 26] = [
    "test",
    "tests",
    "check",
    "lint",
    "build",
    "clippy",
    "vet",
    "typecheck",
    "type-check",
    "unit",
    "unittest",
    "pytest",
    "verify",
    "validate",
    "ci",
    "nextest",
    "fmt",
    "format",
    "compile",
    "tsc",
    "eval",
    "e2e",
    "spec",
    "coverage",
    "analyze",
    "phpunit",
];

/// Whether a program tests, lints or builds by its own name.
fn is_check(name: &str) -> bool {
    CHECKS.contains(&name) || is_linter(name)
}

/// Whether a program looks for faults in files by its own name: `eslint`, `graphql-schema-linter`.
fn is_linter(name: &str) -> bool {
    let ends = |end: &str| {
        let start = name.len().saturating_sub(end.len());
        name.get(start..).is_some_and(|last| last.eq_ignore_ascii_case(end))
    };
    LINTERS.contains(&name) || ends("lint") || ends("linter")
}

/// Whether the words run a linter, or another program that only says what is wrong (`--check`).
pub(in super::super) fn lints(words: &[String]) -> bool {
    let names: Vec<&str> = words.iter().map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word)).collect();
    match names.as_slice() {
        [python, "-m", module, ..] if python.starts_with("py") => is_linter(module),
        ["go", "build" | "install" | "vet", ..] | ["erlc" | "cython", ..] => true,
        [program, ..] => is_linter(program) || asks_what_is_wrong(words),
        [] => false,
    }
}

/// Whether a program is only to say what it would change.
fn asks_what_is_wrong(words: &[String]) -> bool {
    words.iter().skip(1).any(|word| matches!(word.as_str(), "--check" | "--lint"))
}

/// Programs that test, lint or build: by their own name, or by the task that they are given.
fn check_role(name: &str, words: &[String]) -> Role {
    let has_task = |words: &[String]| {
        words.iter().skip(1).take(8).any(|word| {
            let task = word.split([':', '.', '/']).next().unwrap_or(word);
            TASKS.contains(&task) || is_check(word)
        })
    };
    // `run-tests.sh`, and a wrapper whose first argument is the task.
    let named = name.split(['-', '_', '.']).any(|part| TASKS.contains(&part));
    let moves_files = matches!(
        name,
        "rm" | "cp" | "mv" | "ln" | "touch" | "chmod" | "chown" | "rmdir" | "install" | "tar" | "zip" | "unzip"
    );
    let wraps = !moves_files && words.get(1).is_some_and(|word| TASKS.contains(&word.as_str()) || is_check(word));
    if is_check(name) || named || wraps || asks_what_is_wrong(words) || (RUNNERS.contains(&name) && has_task(words)) {
        Role::Check
    } else {
        Role::Other
    }
}

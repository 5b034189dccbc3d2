//! Which program plays which role, by its name and, where it has many, by its verb.

/// What a program's code and output can prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Role {
    /// Looks for something; 1 means that nothing was found.
    Search,
    /// Compares; 1 means that there is a difference.
    Compare,
    /// Asks whether something is so; 1 means no.
    Question,
    /// Shows what is there: texts, logs, state. Failures in what it shows are not its own.
    Look,
    /// Prints, changes folder, sets variables.
    Quiet,
    /// Tests, lints, builds: its output says how it went.
    Judge,
    /// Anything else.
    Other,
}

/// Without what stands before a program and does not change what it is: assignments, `sudo`, `timeout 30`, `npx` …
pub(super) fn without_prefixes(words: Vec<String>) -> Vec<String> {
    const PREFIXES: [&str; 16] = [
        "sudo", "time", "env", "nohup", "exec", "command", "nice", "stdbuf", "xargs", "npx", "bunx", "uvx", "then",
        "do", "if", "!",
    ];
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
            let word = rest.next();
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

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The program's role, from its name and, for programs of many verbs, the verb.
pub(super) fn role(words: &[String]) -> Role {
    let Some(program) = words.first() else {
        return Role::Quiet;
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name {
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep" | "findstr" | "Select-String" => Role::Search,
        "diff" | "cmp" | "colordiff" | "comm" => Role::Compare,
        "test" | "[" | "[[" | "which" | "type" | "command" | "pgrep" | "ps" | "hash" | "lsof" | "pidof" => {
            Role::Question
        }
        "echo" | "printf" | "cd" | "pushd" | "popd" | "export" | "set" | "unset" | "true" | "false" | ":"
        | "source" | "." | "sleep" | "pwd" | "fi" | "done" | "for" | "case" | "esac" | "wait" | "exit" | "mkdir"
        | "}" => Role::Quiet,
        "cat" | "bat" | "head" | "tail" | "less" | "more" | "ls" | "tree" | "nl" | "wc" | "sort" | "uniq" | "cut"
        | "tr" | "awk" | "jq" | "yq" | "strings" | "xxd" | "hexdump" | "od" | "file" | "stat" | "du" | "df"
        | "find" | "fd" | "column" | "tee" | "journalctl" | "dmesg" | "Get-Content" | "Get-ChildItem" | "screen"
        | "date" | "basename" | "dirname" | "readlink" | "realpath" | "fold" | "rev" | "paste" | "zcat" | "xmllint"
        | "top" | "env" | "printenv" | "whoami" | "uname" | "id" | "curl" | "wget" | "md5" | "md5sum" | "sha256sum" => {
            Role::Look
        }
        "sed" if !words.iter().any(|word| word.starts_with("-i")) => Role::Look,
        "git" => git_role(words),
        "gh" | "glab" => gh_role(words),
        "docker" | "kubectl" | "podman" | "tmux" | "pm2" | "heroku" | "fly" | "vercel" | "bd" => watch_role(words),
        _ => judge_role(name, words),
    }
}

/// The first word that is no option, after the program.
fn verb(words: &[String]) -> &str {
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
    match verb(words) {
        "grep" => Role::Search,
        "diff" if words.iter().any(|word| word == "--check") => Role::Judge,
        "diff" | "range-diff" => Role::Compare,
        "config" | "merge-base" | "rev-parse" | "show-ref" | "check-ignore" | "ls-remote" => Role::Question,
        "log" | "show" | "status" | "blame" | "branch" | "reflog" | "shortlog" | "ls-files" | "ls-tree"
        | "describe" | "remote" | "tag" => Role::Look,
        _ => Role::Other,
    }
}

fn gh_role(words: &[String]) -> Role {
    let shows = ["view", "list", "diff", "status", "api", "checks", "watch"];
    if words.iter().skip(1).take(3).any(|word| shows.contains(&word.as_str())) { Role::Look } else { Role::Other }
}

fn watch_role(words: &[String]) -> Role {
    let shows = ["logs", "log", "ps", "inspect", "describe", "get", "capture-pane", "list", "ls", "show", "status"];
    if words.iter().skip(1).take(3).any(|word| shows.contains(&word.as_str())) { Role::Look } else { Role::Other }
}

/// Programs that test, lint or build, by name or by what they are told to run.
fn judge_role(name: &str, words: &[String]) -> Role {
    const JUDGES: [&str; 36] = [
        "pytest",
        "py.test",
        "tox",
        "nox",
        "jest",
        "vitest",
        "mocha",
        "ava",
        "tap",
        "tsc",
        "eslint",
        "prettier",
        "biome",
        "oxlint",
        "ruff",
        "mypy",
        "pyright",
        "flake8",
        "pylint",
        "black",
        "golangci-lint",
        "staticcheck",
        "shellcheck",
        "markdownlint",
        "markdownlint-cli2",
        "rustc",
        "gcc",
        "clang",
        "g++",
        "cc",
        "javac",
        "phpunit",
        "rspec",
        "rubocop",
        "ctest",
        "pre-commit",
    ];
    const RUNNERS: [&str; 27] = [
        "cargo", "go", "npm", "pnpm", "yarn", "bun", "deno", "node", "python", "python3", "py", "make", "just", "mise",
        "task", "gradle", "gradlew", "mvn", "dotnet", "mix", "bundle", "rake", "uv", "poetry", "turbo", "nx", "swift",
    ];
    const TASKS: [&str; 23] = [
        "test",
        "tests",
        "check",
        "lint",
        "build",
        "clippy",
        "vet",
        "typecheck",
        "type-check",
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
    ];
    let told = |words: &[String]| {
        words.iter().skip(1).take(8).any(|word| {
            let task = word.split([':', '.', '/']).next().unwrap_or(word);
            TASKS.contains(&task) || JUDGES.contains(&word.as_str())
        })
    };
    // `run-tests.sh`, and a wrapper that is told what to do in its first word.
    let named = name.split(['-', '_', '.']).any(|part| TASKS.contains(&part));
    let moves_files = matches!(
        name,
        "rm" | "cp" | "mv" | "ln" | "touch" | "chmod" | "chown" | "rmdir" | "install" | "tar" | "zip" | "unzip"
    );
    let wraps = !moves_files
        && words.get(1).is_some_and(|word| TASKS.contains(&word.as_str()) || JUDGES.contains(&word.as_str()));
    if JUDGES.contains(&name) || named || wraps || (RUNNERS.contains(&name) && told(words)) {
        Role::Judge
    } else {
        Role::Other
    }
}

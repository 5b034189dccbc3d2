//! Words of a log that may stand in a line of guidance.
//!
//! A log is not trusted: somebody may have planted a sentence in an output, or in a file that the agent read. So no text of
//! a log is copied. A line is a sentence of this gene with slots, and only what passes here goes into a slot: one word,
//! without quotes, spaces or addresses, which in addition is known to a table or exists in the workspace.

/// Programs that a line may name: tools of development that many people know. Not among them is what runs or fetches
/// whatever it is given, or raises rights. Sorted.
const PROGRAMS: [&str; 197] = [
    "actionlint",
    "alembic",
    "ansible",
    "ant",
    "apt",
    "apt-get",
    "aws",
    "az",
    "babel",
    "bandit",
    "bat",
    "bats",
    "bazel",
    "biome",
    "black",
    "brew",
    "buf",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "clang",
    "clang-format",
    "clang-tidy",
    "cmake",
    "cmp",
    "composer",
    "conda",
    "cp",
    "ctest",
    "cypress",
    "dart",
    "date",
    "deno",
    "detekt",
    "diff",
    "django-admin",
    "docker",
    "docker-compose",
    "dotnet",
    "du",
    "elixir",
    "esbuild",
    "eslint",
    "fd",
    "fd-find",
    "find",
    "firebase",
    "flake8",
    "flutter",
    "flyctl",
    "g++",
    "gcc",
    "gcloud",
    "gem",
    "gh",
    "git",
    "glab",
    "gmake",
    "go",
    "gofmt",
    "goimports",
    "golangci-lint",
    "gradle",
    "gradlew",
    "grep",
    "gsed",
    "gulp",
    "hatch",
    "head",
    "helm",
    "heroku",
    "hugo",
    "isort",
    "java",
    "javac",
    "jest",
    "jq",
    "julia",
    "just",
    "k3d",
    "kind",
    "kotlinc",
    "ktlint",
    "kubectl",
    "lake",
    "latexmk",
    "lefthook",
    "lerna",
    "ls",
    "lua",
    "make",
    "markdownlint",
    "mise",
    "mix",
    "mocha",
    "mvn",
    "mvnw",
    "mypy",
    "mysql",
    "next",
    "ninja",
    "node",
    "nox",
    "npm",
    "npx",
    "nvm",
    "nx",
    "ocaml",
    "opam",
    "pdm",
    "perl",
    "php",
    "phpstan",
    "phpunit",
    "pip",
    "pip3",
    "pipenv",
    "pipx",
    "playwright",
    "pnpm",
    "podman",
    "poetry",
    "pre-commit",
    "prettier",
    "prisma",
    "protoc",
    "psql",
    "pulumi",
    "py",
    "pylint",
    "pyright",
    "pytest",
    "python",
    "python2",
    "python3",
    "rails",
    "rake",
    "readlink",
    "redis-cli",
    "rg",
    "rspec",
    "rubocop",
    "ruby",
    "ruff",
    "rustc",
    "rustfmt",
    "rustup",
    "sbt",
    "scalac",
    "sed",
    "shellcheck",
    "shfmt",
    "sort",
    "sphinx-build",
    "sqlfluff",
    "sqlite3",
    "stack",
    "stat",
    "stylelint",
    "supabase",
    "svelte-check",
    "swc",
    "swift",
    "swiftlint",
    "systemctl",
    "tail",
    "tar",
    "task",
    "terraform",
    "timeout",
    "tox",
    "tree",
    "ts-node",
    "tsc",
    "tsup",
    "tsx",
    "turbo",
    "unzip",
    "uv",
    "uvicorn",
    "uvx",
    "valgrind",
    "vercel",
    "vite",
    "vitest",
    "vue-tsc",
    "wc",
    "webpack",
    "wrangler",
    "xargs",
    "xcodebuild",
    "yamllint",
    "yarn",
    "yq",
    "zig",
    "zip",
];

/// Subcommands that a line may name. Sorted.
const SUBCOMMANDS: [&str; 83] = [
    "add",
    "api",
    "apply",
    "audit",
    "bench",
    "bisect",
    "blame",
    "branch",
    "build",
    "bump",
    "check",
    "checkout",
    "cherry-pick",
    "ci",
    "clean",
    "clippy",
    "clone",
    "close",
    "commit",
    "compose",
    "config",
    "create",
    "describe",
    "dev",
    "diff",
    "doc",
    "down",
    "edit",
    "exec",
    "export",
    "fetch",
    "fmt",
    "format",
    "generate",
    "get",
    "images",
    "init",
    "install",
    "issue",
    "lint",
    "list",
    "lock",
    "log",
    "logs",
    "merge",
    "mod",
    "outdated",
    "plan",
    "pr",
    "ps",
    "publish",
    "pull",
    "push",
    "rebase",
    "release",
    "remote",
    "remove",
    "repo",
    "reset",
    "restore",
    "revert",
    "run",
    "shell",
    "show",
    "start",
    "stash",
    "status",
    "stop",
    "submodule",
    "switch",
    "sync",
    "tag",
    "test",
    "tree",
    "uninstall",
    "up",
    "update",
    "upgrade",
    "venv",
    "vet",
    "view",
    "workflow",
    "worktree",
];

/// Parts of options that switch a check off or widen what a program may do.
const WIDENING: [&str; 26] = [
    "force",
    "no-verify",
    "insecure",
    "unsafe",
    "skip",
    "ignore",
    "bypass",
    "disable",
    "dangerous",
    "privileged",
    "allow",
    "trust",
    "yes",
    "admin",
    "root",
    "sudo",
    "no-check",
    "no-ssl",
    "no-sandbox",
    "without",
    "hard",
    "delete",
    "remove",
    "prune",
    "exec",
    "eval",
];

/// Most bytes of a word, and of a path.
const MAX_WORD: usize = 40;
const MAX_PATH: usize = 120;

fn is_plain(word: &str, most: usize, further: &[u8]) -> bool {
    (1..=most).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || further.contains(&byte))
}

/// Whether a line may name this program.
pub(crate) fn is_program(word: &str) -> bool {
    PROGRAMS.binary_search(&word).is_ok()
}

/// Whether a line may name this subcommand of a program.
pub(crate) fn is_subcommand(word: &str) -> bool {
    SUBCOMMANDS.binary_search(&word).is_ok()
}

/// Whether this can be the name of a script, a task or a target.
pub(crate) fn is_name(word: &str) -> bool {
    is_plain(word, MAX_WORD, b"_-.:") && word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
}

/// Whether this can be an option that a line recommends: none that switches a check off, and no value but a short plain
/// one.
pub(crate) fn is_option(word: &str) -> bool {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let bare = name.strip_prefix("--").or_else(|| name.strip_prefix('-')).unwrap_or_default();
    let parts = bare.to_ascii_lowercase();
    // A single letter says too little about what it does: `-f` and `-k` widen in many programs.
    let is_known = name.starts_with("--") || is_harmless_letter(bare);
    is_known
        && is_plain(bare, MAX_WORD, b"-")
        && !bare.starts_with('-')
        && !WIDENING.iter().any(|widening| parts.contains(widening))
        && value.is_none_or(|value| is_plain(value, MAX_WORD, b"_-.:"))
}

/// Short options that only choose how much or what is shown in every common program that has them.
fn is_harmless_letter(letters: &str) -> bool {
    !letters.is_empty() && letters.len() <= 3 && letters.bytes().all(|letter| b"nElrvqPwciAB".contains(&letter))
}

/// Whether this can be a path from the workspace's root.
pub(crate) fn is_path(path: &str) -> bool {
    is_plain(path, MAX_PATH, b"_-./+@[]()")
        && !path.starts_with(['/', '-', '~'])
        && path.split('/').all(|part| !part.is_empty() && part != ".." && part != ".")
}

/// The words of a command that begins the way a person would type it: plain words, split at white space.
pub(crate) fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_words_pass() {
        assert!(PROGRAMS.is_sorted() && SUBCOMMANDS.is_sorted());
        for program in ["python3", "pytest", "golangci-lint", "g++", "ruff"] {
            assert!(is_program(program), "{program}");
        }
        for word in ["curl", "sudo", "rm", "sh", "a b", "`x`", "$(x)", "x;y", "-x", "../x", "", "http://x", "a\nb", "é"]
        {
            assert!(!is_program(word), "{word}");
        }
        for option in ["--short", "-n", "--max-count=5", "--reporter=dot", "-E"] {
            assert!(is_option(option), "{option}");
        }
        for word in [
            "--force",
            "-f",
            "--no-verify",
            "--dangerously-skip-permissions",
            "-k",
            "--",
            "---x",
            "--x=$(id)",
            "--yes",
            "x",
        ] {
            assert!(!is_option(word), "{word}");
        }
        for path in ["src/a.rs", "app/[id]/page.tsx", "packages/@scope/a"] {
            assert!(is_path(path), "{path}");
        }
        for word in ["/etc/passwd", "../a", "a/../b", "~/x", "a//b", "a b", "src/`x`"] {
            assert!(!is_path(word), "{word}");
        }
    }
}

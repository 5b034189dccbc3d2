//! What programs that an operator may add have of their own: options and first words that run something else, or nothing,
//! and those that are usual although another program means something else by them. Sources: each program's manual.
//!
//! The names of options are judged in `named`, for every program. An option that only names another file of the work copy stays
//! allowed. What must not pass is code, another program, or an
//! option of the interpreter below, since the gate does not read what a command says.

/// One row of the table.
pub(super) struct Own {
    programs: &'static [&'static str],
    /// Words that run something else. One that ends in `:`, `.` or `=` stands for all that begin so.
    pub(super) carries_code: &'static [&'static str],
    /// Words with which nothing is tested.
    pub(super) does_nothing: &'static [&'static str],
    /// Usual words that the lists for all programs would refuse.
    pub(super) usual: &'static [&'static str],
    /// Whether an option of one letter may be followed by its value, or by further letters, in the same word.
    pub(super) joins: bool,
}

impl Own {
    /// Of a program that the table does not know.
    pub(super) const NONE: Self = Self::of(&[]);

    const fn of(programs: &'static [&'static str]) -> Self {
        Self { programs, carries_code: &[], does_nothing: &[], usual: &[], joins: false }
    }

    const fn code(self, carries_code: &'static [&'static str]) -> Self {
        Self { carries_code, ..self }
    }

    const fn nothing(self, does_nothing: &'static [&'static str]) -> Self {
        Self { does_nothing, ..self }
    }

    const fn usual(self, usual: &'static [&'static str]) -> Self {
        Self { usual, ..self }
    }

    const fn joins(self) -> Self {
        Self { joins: true, ..self }
    }

    /// Whether the table has a row for the program.
    pub(super) const fn is_known(&self) -> bool {
        !self.programs.is_empty()
    }

    /// The row of a program.
    pub(super) fn find(program: &str) -> Option<&'static Self> {
        OWN.iter().find(|own| own.programs.contains(&program))
    }

    /// Whether a word that stands for something in the work copy is written in the program's own way: a label of Bazel, a task
    /// of a Gradle project, a line of a test file. Returns the part that could be a path.
    pub(super) fn place<'a>(&self, word: &'a str) -> &'a str {
        let is = |name: &str| self.programs.contains(&name);
        if is("gradle") && word.starts_with(':') {
            return word.rsplit_once(':').map_or(word, |(_, task)| task);
        }
        if is("golangci-lint") && word.ends_with("/...") {
            return word.trim_end_matches("/...");
        }
        if is("pants") && word == "::" {
            return "";
        }
        if (is("bazel") || is("buck2")) && word.starts_with("//") {
            let package = word.trim_start_matches('/').split(':').next().unwrap_or(word);
            return package.strip_suffix("...").map_or(package, |below| below.trim_end_matches('/'));
        }
        let has_lines = is("rspec") || is("mix") || is("rails");
        match word.rsplit_once(':') {
            Some((file, line)) if has_lines && line.bytes().all(|b| b.is_ascii_digit()) && !line.is_empty() => file,
            _ => word,
        }
    }
}

#[rustfmt::skip]
const OWN: &[Own] = &[
    Own::of(&["make", "gmake", "bmake", "remake"])
        .code(&["-E", "-I", "-W", "-o", "--assume-new", "--assume-old", "--environment-overrides", "--include-dir", "--new-file",
            "--old-file", "--what-if"])
        .nothing(&["-n", "-q", "-t", "-i", "-v", "-h", "--help", "--version"]).joins(),
    Own::of(&["ninja", "samu"]).code(&["-t", "-f"]).nothing(&["-n", "--version"]).usual(&["-C"]).joins(),
    Own::of(&["cmake"])
        .code(&["-P", "-E", "--debugger", "--install", "--open", "--toolchain", "--workflow"])
        .nothing(&["-N", "-L", "--help", "--version"]).usual(&["-D"])
        .joins(),
    Own::of(&["ctest"])
        .code(&["-S", "-SP", "-D", "-T", "-M", "--launch", "--script", "--build-and-test", "--test-command", "--overwrite"])
        .nothing(&["-N", "--show-only", "-E", "--exclude-regex", "--no-tests", "--print-labels", "-LE", "--version", "--help"])
        .usual(&["-C"]),
    Own::of(&["just"])
        .code(&["-d", "--working-directory", "--set", "--shell-arg", "--shell-command", "--chooser", "--edit", "-g",
            "--global-justfile", "-E", "--dotenv-path", "--dotenv-filename", "--cygpath", "--tempdir"])
        .nothing(&["-n", "-l", "--list", "-s", "--show", "--summary", "--evaluate", "--dump", "--choose", "--init", "--fmt"]),
    Own::of(&["task", "go-task"])
        .code(&["-t", "--taskfile", "-d", "--dir", "-g", "--global", "--remote-cache-dir"])
        .nothing(&["-n", "--dry", "-l", "--list", "-a", "--list-all", "--status", "--summary", "-i", "-w", "--watch"]),
    Own::of(&["mvn", "mvnd"])
        .code(&["-s", "-gs", "--settings", "--global-settings", "-t", "--toolchains", "-l", "--log-file", "exec:", "antrun:",
            "groovy:", "dependency:", "archetype:", "wrapper:", "deploy:", "release:", "scm:", "org.", "com.", "io.", "net.", "-D",
            "--define"])
        .nothing(&["-fn", "--fail-never", "-v", "-h", "--version", "--help", "help:"])
        .usual(&["-Dtest=", "-Dit.test=", "-Dstyle.color=", "-Dgroups="]),
    Own::of(&["gradle"])
        .code(&["-I", "--init-script", "-b", "--build-file", "--settings-file", "-g", "--include-build", "-P", "-D",
            "--project-dir", "--system-prop", "--project-prop", "--project-cache-dir", "--gradle-user-home", "init", "wrapper"])
        .nothing(&["-x", "--exclude-task", "-m", "tasks", "help", "properties", "-v", "--version", "--help"]).joins(),
    Own::of(&["ant"]).code(&["-f", "-buildfile", "-file", "-lib", "-D", "-propertyfile", "-listener", "-logger", "-main"])
        .nothing(&["-p", "-projecthelp", "-version", "-diagnostics"]),
    Own::of(&["tox"])
        .code(&["exec", "e", "devenv", "-x", "--override", "--workdir", "--root", "--toxinidir", "--discover"])
        .nothing(&["-n", "--notest", "-l", "l", "list", "config", "depends", "--listenvs", "--listenvs-all", "-a", "--showconfig"])
        .usual(&["run", "-e", "-r", "-p"]).joins(),
    Own::of(&["nox"])
        .code(&["--noxfile", "--extra-pythons", "--default-venv-backend", "--force-venv-backend", "-db", "-fb", "--envdir"])
        .nothing(&["-l", "--list", "--list-sessions", "--install-only", "--usage"]).usual(&["-e", "-r", "-p"]),
    Own::of(&["rake"])
        .code(&["-E", "--execute", "-R", "-g", "--rakefile", "-N", "-I", "--libdir", "--rakelibdir"])
        .nothing(&["-n", "-P", "-T", "-D", "-W", "--tasks", "--describe", "--prereqs", "--where"]).joins(),
    Own::of(&["phpunit"])
        .code(&["--bootstrap", "--configuration", "--prepend", "--printer", "--extension", "-d", "--include-path"])
        .nothing(&["--list-tests", "--list-groups", "--list-suites", "--list-tests-xml", "--list-test-files",
            "--generate-configuration", "--migrate-configuration", "--check-version", "--version", "--help", "-h",
            "--do-not-fail-on-empty-test-suite", "--generate-baseline"]).joins(),
    Own::of(&["dotnet"])
        .code(&["exec", "run", "tool", "fsi", "script", "msbuild", "new", "nuget", "watch", "add", "package", "dnx", "vstest",
            "publish", "pack", "workload", "store", "sdk", "dev-certs", "user-secrets", "sln", "ef"])
        .nothing(&["-t", "--list-tests", "help", "--info", "--version", "--help", "-h"]).usual(&["-c", "-f", "-r"]),
    Own::of(&["bazel", "bazelisk", "blaze"])
        .code(&["run", "mobile-install", "query", "cquery", "aquery", "fetch", "mod", "vendor", "sync", "clean", "shutdown",
            "--run_under", "--bazelrc", "--blazerc", "--workspace_rc", "--output_base", "--action_env", "--host_action_env",
            "--test_env", "--shell_executable", "--server_javabase", "--java_toolchain", "--override_repository",
            "--override_module", "--extra_toolchains", "--test_arg", "--script_path"])
        .nothing(&["--nobuild", "--build_tests_only", "--check_tests_up_to_date", "info", "help", "version"]),
    Own::of(&["mix"])
        .code(&["run", "do", "cmd", "eval", "archive.", "escript.", "local.", "hex.", "phx.", "ecto.", "profile.", "new",
            "release", "deps."])
        .nothing(&["help", "--exclude", "--no-start"]),
    Own::of(&["sbt"]).code(&["eval", "console", "run", "runMain", "set", "-D", "-J"]).nothing(&["tasks"]),
    Own::of(&["nx"]).code(&["exec", "run-commands", "migrate", "init", "add", "import", "release"]).nothing(&["graph", "show"]).usual(&["run", "run-many"]),
    Own::of(&["turbo"]).code(&["gen", "generate", "login", "link", "--cwd"]).nothing(&["--dry", "ls", "query"]).usual(&["run"]),
    Own::of(&["lerna"]).code(&["exec", "publish", "version", "create", "import"]).nothing(&["list", "ls"]).usual(&["run"]),
    Own::of(&["pre-commit", "prek"]).code(&["try-repo", "install", "autoupdate", "hook-impl", "migrate-config", "init-templatedir"])
        .nothing(&["help", "sample-config", "clean", "gc", "validate-config"]).usual(&["run", "-a"]),
    Own::of(&["meson"]).code(&["devenv", "--wrapper", "--gdb", "--gdb-path", "dist", "wrap", "subprojects", "rewrite", "init"])
        .nothing(&["--list", "introspect", "--help"]).usual(&["-C"]),
    Own::of(&["zig"])
        .code(&["run", "cc", "c++", "init", "build-exe", "build-lib", "build-obj", "fetch", "ar", "dlltool", "objcopy", "lib", "rc",
            "ranlib", "reduce", "translate-c", "std", "libc", "--test-cmd", "--test-cmd-bin", "--test-runner", "--build-runner",
            "--build-file", "--zig-lib-dir"])
        .nothing(&["env", "version", "targets", "ast-check", "--test-no-exec", "--list-steps", "--help", "-h"]),
    Own::of(&["coverage"]).code(&["--rcfile"]).nothing(&["--help", "help"]).usual(&["run", "-m"]),
    Own::of(&["prove"])
        .code(&["-e", "-M", "-P", "-I", "-a", "--source", "--formatter", "--harness", "--archive", "--rules"])
        .nothing(&["-D", "--dry", "-n", "-H", "-V", "--help", "--version", "--ignore-exit"]).joins(),
    Own::of(&["jest"])
        .nothing(&["-u", "--updateSnapshot", "--showConfig", "--clearCache", "--init", "--watch", "--watchAll"]),
    Own::of(&["vitest"])
        .code(&["--execArgv", "--execArgv.", "--poolOptions.", "--pool-options.", "--typecheck.checker", "--browser", "--browser.",
            "--inspect", "--inspectBrk", "--inspect-brk", "--api", "--ui"])
        .nothing(&["list", "init", "bench", "-u", "--update", "--standalone", "--watch", "-w", "--dangerouslyIgnoreUnhandledErrors",
            "--typecheck.only"])
        .usual(&["run"]),
    Own::of(&["mocha"])
        .code(&["-n", "--node-option", "--node-options", "--v8-options", "--inspect", "--inspect-brk", "--env-file", "--opts",
            "--package", "--experimental-loader", "--openssl-config", "--snapshot-blob", "--icu-data-dir", "-O", "init"])
        .nothing(&["--list-files", "--list-reporters", "--list-interfaces", "-i", "--invert", "--pass-on-failing-test-suite",
            "--exclude", "--ignore", "-w", "--watch", "--version", "--help"]),
    Own::of(&["rspec"])
        .code(&["-I", "-O", "-r", "--options", "-P", "--default-path", "--drb"])
        .nothing(&["--failure-exit-code", "--error-exit-code", "--bisect", "--init", "--exclude-pattern", "--version", "--help"])
        .usual(&["-f", "--format", "-fd", "-fp"]).joins(),
    Own::of(&["gcc", "g++", "cc", "c++", "clang", "clang++"])
        .code(&["-B", "-fplugin", "-load", "-specs", "--specs", "-wrapper", "-Xclang", "-fuse-ld", "--sysroot", "-no-integrated-as"])
        .nothing(&["-E", "-M", "-MM", "-fsyntax-only", "--help", "--version"]).usual(&["-c"]),
    // What these do beside their usual options is told by the names of the options.
    Own::of(&["golangci-lint"]).code(&["custom", "migrate"]).usual(&["run", "-E", "-D"]),
    Own::of(&["ginkgo"]).usual(&["run", "-r", "-p"]),
    Own::of(&["buck2"]),
    Own::of(&["pants"]),
    Own::of(&["mypy", "dmypy", "pyright", "basedpyright"]).code(&["run", "start", "daemon", "--pythonpath"]).usual(&["-p", "-m"]),
    Own::of(&["tsc", "vue-tsc", "tsgo"]).usual(&["-p", "-b", "--build"]),
    Own::of(&["bandit"]).usual(&["-r", "-f"]),
    Own::of(&["sphinx-build"]).code(&["-D", "-A", "-c", "-C"]).usual(&["-b", "-W", "-E", "-a", "-T", "-N", "-M"]),
    Own::of(&["pandoc"])
        .code(&["--filter", "-F", "-L", "-d", "--defaults", "--data-dir", "-H", "--citeproc-csl", "--extract-media", "--log"])
        .usual(&["-f", "-t", "-o", "-s"]),
    Own::of(&["clang-format"]).usual(&["--dry-run", "-n", "-i"]),
    Own::of(&["clang-tidy"]).usual(&["-p", "-checks=", "--checks="]),
    Own::of(&["cppcheck"]).code(&["--addon", "--rule", "--file-list"]).usual(&["-I", "-D", "-i"]),
    Own::of(&["javac"]).usual(&["-d", "-Xlint", "-Xlint:all", "-Werror"]),
    Own::of(&["prettier"]).usual(&["-c"]),
    Own::of(&["shellcheck"]).usual(&["-S", "-e", "-f", "-o", "-i"]),
    Own::of(&["phpcs"]).usual(&["-p"]),
    Own::of(&["pylint"]).usual(&["-E", "-d", "-e"]),
    Own::of(&["rubocop"]).usual(&["-a", "-A", "-L", "-f"]),
    Own::of(&["robot"]).code(&["-A", "-P", "-V", "--pythonpath", "--variablefile"]).usual(&["-i", "-e", "-d", "-L"]),
    Own::of(&["behave"]).usual(&["-i", "-e", "-f"]),
    Own::of(&["bats"]).usual(&["-r", "-f"]),
    Own::of(&["cypress", "stestr"]).usual(&["run"]),
    Own::of(&["karma"]).usual(&["start", "run"]),
    Own::of(&["conftest"]).usual(&["-p", "-d"]),
    Own::of(&["checkov"]).usual(&["-d"]),
    Own::of(&["detekt"]).usual(&["-i"]),
    Own::of(&["shfmt"]).usual(&["-d", "-i"]),
    Own::of(&["gcovr"]).usual(&["-r"]),
];

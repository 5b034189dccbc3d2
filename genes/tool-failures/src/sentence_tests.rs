//! Sentences that common tools print, each with the finding that it must give. To add one, add a row.

use gephost_gene::run_log::FailureKind as K;

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;

/// Tool, command or input, the host's kind of failure, output, and the kind and the title of the finding.
type Row = (&'static str, &'static str, K, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("Bash", "pip install x && python a.py", K::MissingModule, "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'", "missing_module", "the module `yaml` is missing when `python a.py` runs"),
    ("Bash", "node a.js", K::MissingModule, "Error: Cannot find module 'express'\nRequire stack:\n- /w/a.js", "missing_module", "the module `express` is missing when `node a.js` runs"),
    ("Bash", "go build ./...", K::CompileLint, "a.go:3:2: no required module provides package github.com/x/y; to add it:\n\tgo get github.com/x/y", "missing_module", "the module `github.com/x/y` is missing when `go build` runs"),
    ("Bash", "rg foo", K::MissingCommand, "zsh: command not found: rg", "missing_program", "the program `rg` is not installed, or not on the PATH"),
    ("Bash", "python a.py", K::MissingCommand, "/bin/bash: line 1: python: command not found", "missing_program", "the program `python` is not installed, or not on the PATH"),
    ("Bash", "foo", K::MissingCommand, "'foo' is not recognized as an internal or external command,\noperable program or batch file.", "missing_program", "the program `foo` is not installed, or not on the PATH"),
    ("Bash", "npm run lint", K::Other, "npm error Missing script: \"lint\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run", "missing_script", "`npm run lint` has no script or target `lint`"),
    ("Bash", "make deploy", K::Other, "make: *** No rule to make target 'deploy'.  Stop.", "missing_script", "`make deploy` has no script or target `deploy`"),
    ("Bash", "git psuh", K::Git, "git: 'psuh' is not a git command. See 'git --help'.", "unknown_subcommand", "`git psuh` has no subcommand `psuh`"),
    ("Bash", "gh pr foo", K::Other, "unknown command \"foo\" for \"gh pr\"", "unknown_subcommand", "`gh pr foo` has no subcommand `foo`"),
    ("Bash", "grep -P x a", K::ExitNonzero, "grep: invalid option -- P\nusage: grep [-abcd]", "option_refused", "`grep` refuses the option `P`"),
    ("Bash", "kubectl get --foo", K::Other, "error: unknown flag: --foo\nSee 'kubectl get --help' for usage.", "option_refused", "`kubectl get` refuses the option `--foo`"),
    ("Bash", "pytest --foo", K::Other, "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --foo", "option_refused", "`pytest` refuses the option `--foo`"),
    ("Bash", "cargo build --foo", K::Other, "error: unexpected argument '--foo' found\n\nUsage: cargo build [OPTIONS]", "option_refused", "`cargo build` refuses the option `--foo`"),
    ("Bash", "go vet ./...", K::Other, "go: go.mod requires go >= 1.25.0 (running go 1.24.4; GOTOOLCHAIN=local)", "wrong_version", "`go vet` complains about versions: `1.24.4`, `1.25.0`"),
    ("Bash", "cat src/a.rs", K::FileNotFound, "cat: src/a.rs: No such file or directory", "missing_path", "a path does not exist: `src/a.rs`"),
    ("Read", "{\"file_path\":\"/w/a.rs\"}", K::FileNotFound, "<tool_use_error>File does not exist.</tool_use_error>", "missing_path", "a path does not exist: `/w/a.rs`"),
    ("Bash", "cd src && ls", K::FileNotFound, "/usr/bin/bash: line 1: cd: src: No such file or directory", "wrong_folder", "commands do not find what they need in the folder where they run: `cd src`"),
    ("execute_bash", "ls -l", K::Other, "[Your command \"ls -l\" is NOT executed. The previous command is still running - You CANNOT send new commands until the previous command is completed.]", "shell_busy", "commands are sent to a shell in which another one still runs"),
    ("mcp__db__query", "{\"sq\":\"x\"}", K::Other, "Invalid parameters: sql is required", "tool_parameters", "`mcp__db__query` is called with wrong parameters"),
    ("Bash", "migrate up", K::Other, "Invalid parameters: no such step", "tool_parameters", "`migrate` is called with wrong parameters"),
    ("Bash", "./node_modules/.bin/ts-node a.ts", K::FileNotFound, "bash: ./node_modules/.bin/ts-node: No such file or directory", "missing_program", "the program `ts-node` is not installed, or not on the PATH"),
    ("Bash", "ls node_modules/.bin/jest", K::FileNotFound, "ls: cannot access 'node_modules/.bin/jest': No such file or directory", "missing_program", "the program `jest` is not installed, or not on the PATH"),
    ("Bash", "yarn add -D x", K::Network, "error An unexpected error occurred: \"https://r.example/x: tunneling socket could not be established, cause=getaddrinfo EAI_AGAIN proxy.example\".", "network", "a server cannot be reached: `proxy.example`"),
    ("Bash", "cd a && git", K::Git, "fatal: not a git repository (or any of the parent directories): .git", "no_git_repository", "git runs outside of a repository"),
    ("Bash", "npm run b", K::ExitNonzero, "> app@1.0.0 b\n> node b.js\n\nnpm error Lifecycle script `b` failed with error:\nnpm error code 1", "error_signature", "`npm run b`: npm error Lifecycle script `b` failed with error: npm error code 1"),
    ("Bash", "git status", K::Git, "fatal: not a git repository (or any of the parent directories): .git", "no_git_repository", "git runs outside of a repository: `git status`"),
    ("Bash", "go test ./...", K::Other, "go: go.mod file not found in current directory or any parent directory; see 'go help modules'", "wrong_folder", "commands do not find what they need in the folder where they run: `go test`"),
    ("Bash", "cargo test", K::Other, "error: could not find `Cargo.toml` in `/w` or any parent directory", "wrong_folder", "commands do not find what they need in the folder where they run: `cargo test`"),
    ("Bash", "curl -s http://localhost:3000/x", K::Network, "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server", "network", "a server cannot be reached: `localhost`"),
    ("Bash", "npm install", K::Network, "npm error code ENOTFOUND\nnpm error request to https://registry.example/x failed, reason: getaddrinfo ENOTFOUND registry.example", "network", "a server cannot be reached: `registry.example`"),
    ("Bash", "gh pr list", K::Other, "To get started with GitHub CLI, please run:  gh auth login", "login_missing", "not logged in, or credentials refused: `gh pr list`"),
    ("Bash", "aws s3 ls", K::Other, "Unable to locate credentials. You can configure credentials by running \"aws configure\".", "login_missing", "not logged in, or credentials refused: `aws s3`"),
    ("Bash", "git push", K::Git, "To github.com:x/y.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs", "git_push_rejected", "git push was rejected"),
    ("Bash", "git fsck", K::Git, "error: 082c2c44: invalid sha1 pointer in cache-tree of .git/index", "git_damaged", "a git repository is damaged: objects are missing or cannot be read"),
    ("Bash", "git pull", K::Git, "hint: Diverging branches can't be fast-forwarded, you need to either:\nfatal: Not possible to fast-forward, aborting.", "git_diverged", "git could not fast-forward"),
    ("Bash", "tool login", K::Other, "Error: could not open TTY: open /dev/tty: no such device or address", "terminal_missing", "`tool` asks for input or a terminal, and gets none"),
    ("Bash", "docker exec -it a sh", K::Other, "the input device is not a TTY", "terminal_missing", "`docker exec` asks for input or a terminal, and gets none"),
    ("Bash", "gh pr list --jq -r '.[] | .a + \" \"'", K::ExitNonzero, "unknown argument \".[] | .a + \\\" \\\"\"; please quote all values that have spaces\n\nUsage:  gh pr list [flags]", "argument_refused", "`gh pr list` does not take the argument `.[] | .a + \\`"),
    ("ExitPlanMode", r#"{"plan":"x"}"#, K::Other, "Exit plan mode?", "approval_needed", "calls need an approval that nobody gave: `ExitPlanMode`"),
    ("Bash", "cd a && pip3 install x -q && python3 b.py", K::Other, "error: externally-managed-environment\n\n\u{d7} This environment is externally managed", "error_signature", "`pip3 install`: error: externally-managed-environment"),
    ("Bash", "cat > a.c <<'E'\nint x\nE\ngcc -o a a.c && ./a", K::CompileLint, "a.c:1:6: error: expected ';' before 'int'", "error_signature", "`gcc`: a.c:1:6: error: expected ';' before 'int'"),
    ("Bash", "git gc --dry-run", K::Other, "error: unknown option `dry-run'", "option_refused", "`git gc` refuses the option `dry-run`"),
    ("Bash", "npm publish", K::Other, "npm error code ENEEDAUTH\nnpm error need auth This command requires you to be logged in", "login_missing", "not logged in, or credentials refused: `npm publish`"),
    ("Bash", "curl -s x | jq .a", K::Other, "jq: error (at <stdin>:3): Cannot index string with string \"a\"", "error_signature", "jq: error (at <stdin>:3): Cannot index string with string \"a\""),
    ("Bash", "npm run check", K::ExitNonzero, "npm error workspace a@1\nnpm error location /w/a\nnpm error command failed\nnpm error command sh -c tsgo --noEmit", "error_signature", "`npm run check` fails in the step `tsgo --noEmit`"),
    ("Bash", "git rebase main", K::Git, "CONFLICT (content): Merge conflict in a.rs\nerror: could not apply 1a2b3c4... x", "git_conflict", "git could not merge without conflicts"),
    ("Bash", "git checkout foo", K::Git, "error: pathspec 'foo' did not match any file(s) known to git", "git_name_unknown", "git does not know a name: `foo`"),
    ("Bash", "git checkout main", K::Git, "error: Your local changes to the following files would be overwritten by checkout:\n\ta.rs", "git_uncommitted", "git stopped because of changes that are not committed"),
    ("Bash", "git commit -m x", K::Git, "On branch main\nnothing to commit, working tree clean", "git_nothing_to_commit", "git had nothing to commit"),
    ("Bash", "npm start", K::Other, "Error: listen EADDRINUSE: address already in use :::3000", "port_in_use", "the port of a server is already in use"),
    ("Bash", "echo 'a", K::Other, "bash: -c: line 1: unexpected EOF while looking for matching `''", "shell_syntax", "the shell could not read the command"),
    ("Bash", "docker build .", K::Other, "ERROR: failed to solve: write /x: no space left on device", "disk_full", "the disk is full"),
    ("Bash", "node build.js", K::Other, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", "out_of_memory", "`node build.js` ran out of memory"),
    ("Bash", "cat /etc/shadow", K::Permission, "cat: /etc/shadow: Permission denied", "access_denied", "access is denied: `/etc/shadow`"),
    ("Bash", "rm -rf x", K::Permission, "This command requires approval", "approval_needed", "calls need an approval that nobody gave: `rm`"),
    ("Edit", "{\"file_path\":\"/w/a.rs\"}", K::EditMismatch, "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>", "edit_text_missing", "edits expect text that is not in the file"),
    ("Edit", "{\"file_path\":\"/w/a.rs\"}", K::EditMismatch, "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", "edit_unread", "files are edited before they are read"),
    ("Read", "{\"file_path\":\"/w/a.rs\"}", K::Other, "File content (29000 tokens) exceeds maximum allowed tokens (25000).", "input_too_large", "a file or an output is too large to be read at once"),
    ("Bash", "pytest tests/a.py", K::Other, "collected 0 items\n\n===== no tests ran in 0.01s =====", "no_tests_found", "`pytest` found no tests to run"),
    ("Bash", "go test ./...", K::TestFailure, "--- FAIL: TestA (0.01s)\n    a_test.go:5: no\nFAIL\tpkg 0.1s", "failing_tests", "`go test` fails in the test `TestA`"),
    ("Bash", "mise run lint 2>&1 | tail", K::CompileLint, "[lint] $ golangci-lint run\na/b.go:3:5: x is not checked (errcheck)\n[lint] ERROR task failed", "reported_problems", "`golangci-lint` reports problems: `errcheck`"),
    ("Bash", "cargo build", K::CompileLint, "error[E0308]: mismatched types\n --> src/a.rs:1:1\nerror: could not compile `a`", "reported_problems", "`rustc` reports problems: `E0308`"),
    ("Bash", "make test", K::Timeout, "Command timed out after 2m 0s", "timeout", "`make test` did not end within its time limit"),
    ("Bash", "solana deploy a.so", K::Other, "Error: RPC request error: error sending request for url (https://api.devnet.example/): operation timed out", "network", "a server cannot be reached: `api.devnet.example`"),
    ("get_node_tree", "{\"id\":\"1:2\"}", K::Network, "Figma API error: 429 - {\"status\":429,\"err\":\"Rate limit exceeded\"}", "rate_limited", "requests were refused because of a rate limit: `get_node_tree`"),
    ("Task", "{\"prompt\":\"x\"}", K::Network, "API Error: 529 overloaded_error: Overloaded", "provider_limits", "the model's provider refused requests: overloaded, or a limit was reached"),
    ("Bash", "solana airdrop 2", K::Network, "Error: airdrop request failed. This can happen when the rate limit is reached.", "rate_limited", "requests were refused because of a rate limit: `solana`"),
    ("Bash", "mysql -e 'SELECT name FROM home'", K::Other, "ERROR 1054 (42S22) at line 1: Unknown column 'name' in 'field list'", "unknown_column", "a query names `name`, which the database does not have"),
    ("Bash", "sqlite3 a.db 'SELECT * FROM b'", K::Other, "Error: in prepare, no such table: b", "unknown_column", "a query names `b`, which the database does not have"),
    ("Bash", "npm run build", K::MissingCommand, "sh: 1: tsc: not found\nnpm error command sh -c tsc --build", "missing_program", "the program `tsc` is not installed, or not on the PATH"),
    ("Bash", "Get-ChildItem . | Select-Object Name", K::MissingCommand, "/usr/bin/bash: line 1: Get-ChildItem: command not found", "other_shell", "commands are written for another shell than the one that runs them: `Get-ChildItem`"),
    ("Bash", "rg --files", K::Other, "error building bubblewrap command: cannot establish app-server socket mount isolation", "sandbox_failed", "the agent's sandbox could not start commands"),
    ("Bash", "git status", K::Other, "bwrap: No permissions to create new namespace", "sandbox_failed", "the agent's sandbox could not start commands"),
    ("Bash", "npx prisma generate", K::Permission, "Error:\nEPERM: operation not permitted, rename 'C:\\my app\\client\\engine.dll.node.tmp1' -> 'C:\\my app\\client\\engine.dll.node'", "file_in_use", "a file cannot be replaced, because another program has it open: `engine.dll.node`"),
    ("Bash", "npm run clean", K::Permission, "Error: EPERM: operation not permitted, unlink '/srv/a/b.js'", "access_denied", "access is denied: `/srv/a/b.js`"),
    ("Bash", "npm run dev", K::Timeout, "Command timed out after 10s\n  VITE v7  ready in 256 ms\n  ➜  Local:   http://localhost:5173/", "server_in_foreground", "`npm run dev` starts a server, which runs until it is stopped"),
    ("Bash", "apt-get install -y a | tail -3", K::Permission, "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?", "access_denied", "access is denied: `/var/lib/dpkg/lock-frontend`"),
    ("Bash", "sudo cp a b && c.service", K::MissingCommand, "sudo: A terminal is required to authenticate\n/bin/bash: line 2: c.service: command not found", "terminal_missing", "`sudo` asks for input or a terminal, and gets none"),
    ("Bash", "unrar x a.rar", K::ExitNonzero, "Extracting from a.rar\n\nEnter password (will not be echoed) for b.png:\nProgram aborted", "terminal_missing", "`unrar` asks for input or a terminal, and gets none"),
    ("Bash", "git diff --check main..HEAD", K::ExitNonzero, "docs/a.md:40: trailing whitespace.\n+x  \ndocs/a.md:90: new blank line at EOF.", "reported_problems", "`git diff` reports problems: `white space`"),
    ("Bash", "rm -rf a/*.png && node b.js", K::ExitNonzero, "(eval):1: no matches found: a/*.png", "shell_syntax", "zsh stops at a pattern that matches no file: `a/*.png`"),
    ("Bash", "cd /w\nrm -rf x\nunrar x a.rar x", K::Permission, "Permission to use Bash with command cd /w\nrm -rf x\nunrar x a.rar x has been denied.", "permission_rule", "the agent's permission rules refuse calls: `rm -rf`, `unrar`"),
    ("Bash", "git reset --soft HEAD~1 && git status --short", K::Permission, "Permission to use Bash with command git reset --soft HEAD~1 && git status --short has been denied.", "permission_rule", "the agent's permission rules refuse calls: `git reset --soft`"),
    ("Bash", "echo a && find .a/b -type f | head -50", K::Permission, "Permission to use Bash with command echo a && find .a/b -type f has been denied.", "permission_rule", "the agent's permission rules refuse calls: `find`"),
    ("Read", "{\"file_path\":\"/w/.env\"}", K::Permission, "File is in a directory that is denied by your permission settings.", "permission_rule", "the agent's permission rules refuse calls: `/w/.env`"),
    ("Bash", "rm -rf x", K::Permission, "Permission to use Bash has been denied because Claude Code is running in don't ask mode.", "approval_needed", "calls need an approval that nobody gave: `rm`"),
    ("PowerShell", "cd a && git status", K::Other, "+ cd a && git status\n+      ~~\n    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException", "other_shell", "commands are written for another shell than the one that runs them: `&&`"),
    ("Bash", "cd /d \"D:\\Data\" && git status", K::Other, "/usr/bin/bash: line 1: cd: too many arguments", "other_shell", "commands are written for another shell than the one that runs them: `cd /d`"),
    ("Bash", "npm install firecrawl-api", K::Other, "npm error code E404\nnpm error 404  'firecrawl-api@*' is not in this registry.", "unknown_package", "`npm install` finds no package `firecrawl-api@*`"),
    ("Bash", "pip install foo", K::Other, "ERROR: Could not find a version that satisfies the requirement foo\nERROR: No matching distribution found for foo", "unknown_package", "`pip install` finds no package `foo`"),
    ("Bash", "python \"$ROOT/tools/a.py\" x", K::FileNotFound, "python: can't open file '/tools/a.py': [Errno 2] No such file or directory", "empty_variable", "the shell variable `ROOT` is empty"),
    ("Bash", "npx mocha", K::TestFailure, "Error: tested\n  ok\n\n  1 passing\n  3 failing\n\n  1) A\n     ReferenceError: chai is not defined\n  2) B\n     ReferenceError: chai is not defined\n  3) C\n     TypeError: no", "failing_tests", "most failing tests of `mocha` say: ReferenceError: chai is not defined"),
    ("Bash", "cargo run", K::Traceback, "thread 'main' panicked at src/main.rs:2:5:\ncannot open the store\nnote: run with `RUST_BACKTRACE=1`", "error_signature", "`cargo run`: cannot open the store"),
    ("Bash", "php artisan route:list", K::Other, "\n   ReflectionException\n\n  Class \"A\" does not exist\n\n  at vendor/a.php:938", "error_signature", "`php`: Class \"A\" does not exist"),
    ("Bash", "curl -sI https://a.example/x", K::ExitNonzero, "Exit code 28", "network", "a server cannot be reached: `a.example`"),
    ("Bash", "head -5 a.json | jq .", K::ExitNonzero, "Exit code 5", "silent_failure", "`jq` fails without a message"),
    ("Bash", "pytest -k integration", K::ExitNonzero, "collected 14 items / 14 deselected / 0 selected\n\n==== 14 deselected in 0.45s ====", "no_tests_found", "`pytest` found no tests to run"),
    ("Bash", "railway service", K::Other, "Service name required in non-interactive mode. Usage: railway service <name>", "terminal_missing", "`railway` asks for input or a terminal, and gets none"),
    ("Bash", "docker build .", K::Other, "#12 61.21 > Task :compileJava FAILED\n#12 61.22 /app/src/A.java:41: error: cannot find symbol\n#12 ERROR: process did not complete", "error_signature", "`docker build`: /app/src/A.java:41: error: cannot find symbol"),
    ("Bash", "npx tsc --noEmit", K::CompileLint, "src/a.ts(1,2): error TS2307: Cannot find module '@/b' or its corresponding type declarations.", "missing_module", "the module `@/b` is missing when `tsc` runs"),
    ("Bash", "gofmt -l .", K::ExitNonzero, "Exit code 1", "silent_failure", "`gofmt` fails without a message"),
    ("Bash", "pytest -q", K::TestFailure, "ERROR: file or directory not found: tests/x.py\n\nno tests ran in 0.00s", "no_tests_found", "`pytest` found no tests to run: `tests/x.py`"),
    ("Bash", "python a.py", K::FileNotFound, "Traceback (most recent call last):\n  File \"/w/a.py\", line 3\n    import cv2\nImportError: libGL.so.1: cannot open shared object file: No such file or directory", "missing_module", "the module `libGL.so.1` is missing when `python a.py` runs"),
    ("Bash", "python -m web.cli", K::Traceback, "Traceback (most recent call last):\n  File \"/w/conf.py\", line 61\n    x\nweb.errors.Unconfigured: settings are not configured", "error_signature", "`web.cli`: web.errors.Unconfigured: settings are not configured"),
    ("Bash", "python3 a.py", K::CompileLint, "  File \"/w/b.py\", line 2\n    x\n    ^\nIndentationError: expected an indented block", "file_unparsable", "Python cannot parse `/w/b.py`"),
    ("Bash", "pip3 install x", K::FileNotFound, "bash: /a/bin/pip3: /b/python3: bad interpreter: No such file or directory", "error_signature", "`pip3 install`: bash: /a/bin/pip3: /b/python3: bad interpreter: No such file or directory"),
    ("Bash", "rg -n 'f(' src", K::ExitNonzero, "rg: regex parse error:\n    (?:f()\n       ^\nerror: unclosed group", "error_signature", "rg: regex parse error: (?:f()"),
    ("Bash", "npm run build", K::ExitNonzero, "> a@1 build\n> vite build\n\nerror during build:\n[vite]: Rollup failed to resolve import \"x\" from \"/w/a.ts\".", "error_signature", "`npm run build`: [vite]: Rollup failed to resolve import \"x\" from \"/w/a.ts\"."),
    ("Bash", "./mvnw test", K::TestFailure, "java.lang.IllegalStateException: Failed to load context @5b2f8ab6\nCaused by: java.lang.IllegalArgumentException: Could not resolve placeholder 'a.b'", "error_signature", "`mvnw test`: java.lang.IllegalArgumentException: Could not resolve placeholder 'a.b'"),
    ("Bash", "./mvnw spring-boot:run", K::Timeout, "Command timed out after 2m 0s", "server_in_foreground", "`mvnw spring-boot:run` starts a server, which runs until it is stopped"),
    ("Bash", "g++ a.cpp", K::ExitNonzero, "/usr/bin/ld: a.cpp:(.text+0x1): undefined reference to `f()'\ncollect2: error: ld returned 1 exit status", "error_signature", "`g++`: /usr/bin/ld: a.cpp:(.text+0x1): undefined reference to `f()'"),
    ("Bash", "psql a", K::ExitNonzero, "psql: error: connection to server on socket \"/s/.x\" failed: FATAL:  role \"root\" does not exist", "error_signature", "psql: error: connection to server on socket \"/s/.x\" failed: FATAL: role \"root\" does not exist"),
    ("Bash", "php artisan key", K::FileNotFound, "PHP Warning:  require(/w/vendor/autoload.php): Failed to open stream: No such file or directory", "error_signature", "`php`: PHP Warning: require(/w/vendor/autoload.php): Failed to open stream: No such file or directory"),
    ("Bash", "phpunit", K::TestFailure, "There was 1 failure:\n\n1) A\\BTest::testC\nFailed asserting that false is true.", "failing_tests", "`phpunit` fails in the test `A\\BTest::testC`"),
    ("Bash", "dotnet test", K::TestFailure, "  Failed A.B.C [12 ms]\n  Error Message:\n   Assert.Equal() Failure", "failing_tests", "`dotnet test` fails in the test `A.B.C`"),
    ("Bash", "rspec", K::TestFailure, "1 example, 1 failure\n\nrspec ./spec/a_spec.rb:4 # A is valid", "failing_tests", "`rspec` fails in the test `spec/a_spec.rb:4`"),
    ("Bash", "unzip a.zip", K::ExitNonzero, "replace a? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL", "terminal_missing", "`unzip` asks for input or a terminal, and gets none"),
    ("edit", "{\"path\":\"/w/a.md\",\"edits\":[]}", K::Other, "Could not find edits[1] in /w/a.md. The oldText must match exactly including all whitespace and newlines.", "edit_text_missing", "edits expect text that is not in the file"),
    ("edit", "{\"path\":\"/w/a.md\",\"edits\":\"[]\"}", K::Other, "Validation failed for tool \"edit\":\n  - edits.0: must be object", "tool_parameters", "`edit` is called with wrong parameters: `edits`"),
    ("MultiEdit", "{\"file_path\":\"/w/a\"}", K::Other, "<tool_use_error>InputValidationError: MultiEdit failed due to the following issue:\nThe required parameter `edits` is missing</tool_use_error>", "tool_parameters", "`MultiEdit` is called with wrong parameters: `edits`"),
    ("Bash", "kubectl apply -f a.yaml", K::Other, "error: error validating data: missing required field \"selector\" in Spec", "error_signature", "`kubectl apply`: error: error validating data: missing required field \"selector\" in Spec"),
    ("Bash", "./start & pid=$!; kill $pid", K::ExitNonzero, "bash: line 1: kill: (370) - No such process", "error_signature", "`kill`: bash: line 1: kill: (370) - No such process"),
    ("Bash", "docker compose up -d", K::ExitNonzero, "Bind for 0.0.0.0:5432 failed: port is already allocated", "port_in_use", "the port of a server is already in use"),
    ("Read", "{\"file_path\":\"/w/d\"}", K::Other, "EISDIR: illegal operation on a directory, read '/w/d'", "error_signature", "`Read`: EISDIR: illegal operation on a directory, read '/w/d'"),
    ("Bash", "pip install -e .", K::Other, "running build_ext\nerror: command 'clang' failed: No such file or directory\nERROR: Failed building wheel for a", "missing_program", "the program `clang` is not installed, or not on the PATH"),
    ("Bash", "pip install a", K::Other, "a.c:3:10: fatal error: Python.h: No such file or directory\nerror: command 'gcc' failed with exit code 1\nERROR: Failed building wheel for a", "error_signature", "`pip install`: a.c:3:10: fatal error: Python.h: No such file or directory"),
    ("Bash", "pg_restore --list a.dump", K::ExitNonzero, "pg_restore: error: unsupported version (1.16) in file header", "error_signature", "pg_restore: error: unsupported version (1.16) in file header"),
    ("Bash", "forge test --match-test a", K::TestFailure, "Ran 1 test for test/A.t.sol\n[FAIL: assertion failed: 1 != 2] test_A() (gas: 1)", "error_signature", "`forge test`: [FAIL: assertion failed: 1 != 2] test_A() (gas: 1)"),
    ("Bash", "python -c \"import django\nfrom django.conf import settings\nsettings.configure(INSTALLED_APPS=['shop'])\"", K::MissingModule, "ModuleNotFoundError: No module named 'shop'", "wrong_module_name", "`python` does not find the module `shop`, which the command names"),
    ("Bash", "DJANGO_SETTINGS_MODULE=conf.test python -c \"import django; django.setup()\"", K::MissingModule, "ModuleNotFoundError: No module named 'conf'", "wrong_module_name", "`python` does not find the module `conf`, which the command names"),
    ("Bash", "python -c \"for m in ['yaml']: __import__(m)\"", K::MissingModule, "ModuleNotFoundError: No module named 'yaml'", "missing_module", "the module `yaml` is missing when `python` runs"),
    ("Bash", "cargo test a b", K::Other, "error: unexpected argument 'b::tests' found\n\nUsage: cargo test [OPTIONS] [TESTNAME]", "argument_refused", "`cargo test` does not take the argument `b::tests`"),
    ("Bash", "docker exec gw openclaw sessions list", K::Other, "error: too many arguments for 'sessions'. Expected 0 arguments but got 1.", "argument_refused", "`docker exec` does not take the argument `sessions`"),
    ("Bash", "cp a b c d", K::Other, "mkdir: extra operand 'x'", "argument_refused", "`cp` does not take the argument `x`"),
    ("Bash", "cat > a <<'EOF'\nx\nEOF && ls", K::Other, "bash: -c: line 1: warning: here-document at line 0 delimited by end-of-file (wanted `EOF')\nbash: -c: line 2: syntax error: unexpected end of file", "here_document_open", "a here-document does not end: `EOF` does not stand alone on its line"),
    ("Bash", "pip install numpy==2.5.1", K::Other, "ERROR: Ignored the following versions that require a different python version: 1.2.0 Requires-Python >=3.7,<3.11; 2.5.1 Requires-Python >=3.12\nERROR: Could not find a version that satisfies the requirement numpy==2.5.1 (from versions: 1.3.0)\nERROR: No matching distribution found for numpy==2.5.1", "wrong_version", "`pip install` needs another version: `Requires-Python >=3.12`"),
    ("Bash", "pip install numpy==9.9.9", K::Other, "ERROR: Ignored the following versions that require a different python version: 2.5.1 Requires-Python >=3.12\nERROR: No matching distribution found for numpy==9.9.9", "unknown_package", "`pip install` finds no package `numpy==9.9.9`"),
    ("Bash", "docker build .", K::Other, "#14 0.462 Building a\n#14 3.046       error: error in 'egg_base' option: 'src' is no folder\n#14 ERROR: process \"/bin/sh -c make\" did not complete successfully: exit code: 1\nERROR: failed to build: failed to solve: process \"/bin/sh -c make\" did not complete successfully: exit code: 1", "error_signature", "`docker build`: error: error in 'egg_base' option: 'src' is no folder"),
    ("bash", "bunx playwright test e2e/a.spec.ts", K::TestFailure, "    > 77 |     await expect(row).toBeVisible();\n        at D:\\w\\e2e\\a.spec.ts:77:62\n\n    Error Context: test-results\\a\\error-context.md\n\n  1 failed\n    [chromium] › e2e\\a.spec.ts:10:5 › the row is shown ──────", "failing_tests", "`playwright` fails in the test `the row is shown`"),
    ("PowerShell", "uv --version", K::Other, "uv : El término 'uv' no se reconoce como nombre de un cmdlet. \nCompruebe la ruta e \ninténtelo de nuevo.\nEn línea: 1 Carácter: 1\n+ uv --version\n+ ~~\n    + CategoryInfo          : ObjectNotFound: (uv:String) [], CommandNotFoundException\n    + FullyQualifiedErrorId : CommandNotFoundException", "missing_program", "the program `uv` is not installed, or not on the PATH"),
    ("Bash", "rtk gh pr view 8 --stat", K::Other, "unknown flag: --stat", "option_refused", "`gh pr view` refuses the option `--stat`"),
    ("Bash", "sed -i 's/a/b\"/' f", K::Other, "sed: -e expression #1, char 1: unknown command: `\"'", "error_signature", "sed: -e expression #1, char 1: unknown command: `\"'"),
    ("bash", "make > /tmp/a.log 2>&1; tail /tmp/a.log", K::Permission, "Permission denied and could not request permission from user", "approval_needed", "calls need an approval that nobody gave: `/tmp`"),
    ("bash", "rm -rf build", K::Permission, "Permission denied and could not request permission from user", "approval_needed", "calls need an approval that nobody gave: `rm`"),
    ("Bash", "curl http://localhost:9/a", K::Network, "curl: (56) Recv failure: Connection reset by peer", "connection_closed", "a server closes the connection: `localhost:9`"),
    ("Bash", "curl http://localhost:9/a", K::Network, "curl: (52) Empty reply from server", "connection_closed", "a server closes the connection: `localhost:9`"),
    ("mcp__q__record_tests", "{\"a\":1}", K::TestFailure, "record_tests: the report has no test named 'a'\nFAILED tests/a.py::test_b\n1 failed", "error_signature", "`mcp__q__record_tests`: record_tests: the report has no test named 'a'"),
    ("PowerShell", "docker build . 2>&1 | Select-String error | Select-Object -First 3", K::Other, "error: error in 'egg_base' option: 'src' is wrong", "error_signature", "`docker build`: error: error in 'egg_base' option: 'src' is wrong"),
    ("run_commands", "[python3 << 'EOF'\nprint(1)\nEOF]", K::MissingCommand, "bash: line 3: EOF]: command not found", "here_document_open", "a here-document does not end: `EOF` does not stand alone on its line"),
    ("Bash", "cat <<'EOF' | EOS\nx\nEOF", K::MissingCommand, "bash: line 1: EOS: command not found", "missing_program", "the program `EOS` is not installed, or not on the PATH"),
    ("PowerShell", "<parameter name=\"a\">", K::Other, "< : The term '<' is not recognized as the name of a cmdlet, function, script file, or operable", "shell_syntax", "the shell could not read the command"),
    ("Bash", "pip3 install x", K::Other, "note: If you believe this is a mistake, please contact your Python installation or OS distribution provider.\nhint: See PEP 668 for the detailed specification.", "error_signature", "`pip3 install`: error: externally-managed-environment"),
    ("Bash", "python3 -c 'x ='", K::CompileLint, "  File \"<string>\", line 1\n    x =\n       ^\nSyntaxError: invalid syntax", "file_unparsable", "Python cannot parse a script in the agent's own command: SyntaxError: invalid syntax"),
    ("Bash", "./run", K::Permission, "/src/util/cpu_info.cc:239: IOError: sysctlbyname failed. Detail: [errno 1] Operation not permitted", "access_denied", "access is denied"),
];

#[test]
fn each_sentence_gives_its_cause() {
    let mut wrong = Vec::new();
    for (name, input, kind, output, finding, title) in ROWS {
        let mut analysis = Analysis::default();
        analysis.add(&Call { name, kind: *kind, input, output, ..Call::FAILED });
        let found = reports(&analysis);
        let first = found.iter().find(|report| report.kind == *finding).or(found.first());
        let given = first.map_or(("", ""), |report| (report.kind, report.title.as_str()));
        if given != (*finding, *title) {
            wrong.push(format!("{output:?}\n  expected {finding}: {title}\n  found    {}: {}", given.0, given.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn known_errors_have_advice() {
    for (input, output) in [
        (
            "npm ci",
            "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync",
        ),
        ("uv sync", "  × No solution found when resolving dependencies:"),
        ("cargo build", "error: linker `cc` not found"),
        ("go build", "go: updates to go.mod needed; to update it:\n\tgo mod tidy"),
        ("terraform plan", "│ Error: Backend initialization required, please run \"terraform init\""),
        ("docker ps", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."),
        ("git push", "fatal: The current branch x has no upstream branch."),
        ("git push", "remote: error: GH006: Protected branch update failed\n ! [remote rejected] main (hook declined)"),
        ("sed -i s/a f", "sed: -e expression #1, char 5: unterminated `s' command"),
        (
            "psql a",
            "ERROR:  duplicate key value violates unique constraint \"k\"\nDETAIL:  Key (id)=(1) already exists.",
        ),
    ] {
        let mut analysis = Analysis::default();
        analysis.add(&Call { input, output, ..Call::FAILED });
        let found = reports(&analysis);
        assert!(!found[0].direction.is_empty(), "{input}: {}", found[0].title);
    }
}

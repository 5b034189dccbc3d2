//! What builds, tests and package managers print behind a pipe that loses their exit code, and what only looks like it.

use super::{Call, judge};
use crate::run_event::Outcome;

pub(super) fn outcome(command: &str, output: &str) -> Outcome {
    judge(&Call { tool: "Bash", command: Some(command), output, exit_code: Some(0), ..Call::default() }).outcome
}

/// Commands that end with code 0, and what they print although they failed.
#[rustfmt::skip]
const FAILED: &[(&str, &str)] = &[
    ("cargo build 2>&1 | tail -5", "error: could not compile `a` (lib) due to 2 previous errors"),
    ("cargo build 2>&1 | grep -E '^(error|warning)'", "error[E0308]: mismatched types\nerror: could not compile `a` (lib) due to 1 previous error"),
    ("cargo build 2>&1 | grep -E '^error' | head", "error: linking with `cc` failed: exit status: 1"),
    ("cargo test 2>&1 | tail -3", "error: test failed, to rerun pass `--lib`"),
    ("cargo clippy --all 2>&1 | grep -c '^error'", "3"),
    ("cargo run | head", "thread 'main' panicked at src/main.rs:3:5:\nboom\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"),
    ("cargo fetch 2>&1 | tail -2", "error: failed to get `x` as a dependency of package `a v0.1.0 (/r)`"),
    ("cargo build 2>&1 | Select-Object -Last 5", "error: could not compile `a` (bin \"a\") due to 1 previous error"),
    ("cargo test 2>&1 | Out-String -Width 200 | Select-String FAILED; Get-Date", "test a::b ... FAILED\nFriday"),
    ("cargo build || echo failed", "error: could not compile `a` (lib) due to 2 previous errors\nfailed"),
    ("cargo build 2>&1 | tail -5; echo ${PIPESTATUS[0]}", "    Compiling a v0.1.0\n101"),
    ("go build ./... 2>&1 | head -20", "# example.com/a\n./a.go:3:5: undefined: x"),
    ("go vet ./... 2>&1 | tail", "# example.com/a\nvet: ./a.go:3:5: undefined: x"),
    ("go build ./...; echo $?", "a/a.go:3:5: undefined: x\n1"),
    ("go build ./... 2>&1 | tail -3 || echo failed", "cmd/a.go:9:2: \"os\" imported and not used"),
    ("go run . 2>&1 | head", "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:"),
    ("cargo test --message-format short | tail -3", "src/a.rs:3:5: error: expected one of `,` or `)`"),
    ("go test ./... 2>&1 | grep -v '^ok'", "--- FAIL: TestA (0.0s)\nFAIL"),
    ("npm run build 2>&1 | tail -5", "npm error code ELIFECYCLE\nnpm error errno 1"),
    ("npm ci 2>&1 | tail -5", "npm ERR! code EUSAGE\nnpm ERR! `npm ci` can only install packages with an existing package-lock.json"),
    ("npm run build 2>&1 | tail -20", "error during build:\nRollupError: Could not resolve \"./a\" from \"src/b.ts\""),
    ("npm install 2>&1 | Select-Object -Last 10", "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree"),
    ("npm run typecheck 2>&1 | Select-Object -First 20", "src/a.ts(1,2): error TS2304: Cannot find name 'x'."),
    ("pnpm build 2>&1 | tail -3", " ELIFECYCLE  Command failed with exit code 1."),
    ("yarn build | tail -3", "error Command failed with exit code 1."),
    ("npx next build 2>&1 | tail", "Failed to compile.\n\n./a.ts:1:1\nType error: Cannot find name 'x'."),
    ("npx vite build 2>&1 | tail -3", "✗ Build failed in 1.2s\nerror during build:"),
    ("dotnet build 2>&1 | tail -4", "Build FAILED.\n    0 Warning(s)\n    2 Error(s)\n\nTime Elapsed 00:00:01.2"),
    ("dotnet build 2>&1 | grep -E 'error|warn' | head", "/r/a.cs(3,5): error CS0103: The name 'x' does not exist in the current context [/r/a.csproj]"),
    ("dotnet build --nologo | Select-String error", "a.cs(14,13): error CS0117: 'A' does not contain a definition for 'B' [/r/a.csproj]"),
    ("dotnet restore | tail -2", "/r/a.csproj : error NU1101: Unable to find package x. No packages exist with this id in source(s): nuget.org"),
    ("dotnet test | Select-Object -Last 3", "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 1 s - a.dll (net8.0)"),
    ("./gradlew build 2>&1 | tail -5", "BUILD FAILED in 3s\n2 actionable tasks: 2 executed"),
    ("./gradlew build 2>&1 | grep -E '^e: '", "e: file:///r/a.kt:3:5 Unresolved reference: x"),
    ("gradle test 2>&1 | head -20", "FAILURE: Build failed with an exception.\n\n* What went wrong:"),
    ("./gradlew assembleDebug -q 2>&1 | head -5", "> Task :app:compileDebugJavaWithJavac FAILED"),
    ("mvn -q package 2>&1 | head -3", "[ERROR] COMPILATION ERROR : "),
    ("mvn package | tail -3", "[INFO] BUILD FAILURE\n[INFO] Total time:  1.2 s"),
    ("make 2>&1 | tail -3", "make: *** [Makefile:3: all] Error 2"),
    ("make -j8 2>&1 | tail -1", "make[1]: *** [a.o] Error 1"),
    ("make 2>&1 | grep error", "a.c:3:5: error: 'x' undeclared (first use in this function)"),
    ("make test || echo failed", "1 test broke\nfailed"),
    ("make; echo $?", "make: *** No rule to make target 'all'.  Stop.\n2"),
    ("cmake --build build 2>&1 | tail -2", "ninja: build stopped: subcommand failed."),
    ("ninja -C out | tail -2", "FAILED: a.o \ncc -c a.c -o a.o"),
    ("gcc -o a a.c 2>&1 | head", "a.c:3:5: error: expected ';' before 'return'"),
    ("pip install x 2>&1 | tail -2", "ERROR: No matching distribution found for x"),
    ("pip install x; pip install y 2>&1 | tail -3", "ERROR: No matching distribution found for x\nSuccessfully installed y-1.0"),
    ("uv pip install x 2>&1 | tail -3", "  × No solution found when resolving dependencies:\n  ╰─▶ Because x was not found"),
    ("uv pip install x 2>&1 | tail -3", "Resolved 3 packages in 9ms\nerror: Failed to fetch: `https://a.example/x`"),
    ("uv run app.py 2>&1 | tail -3", "Installed 3 packages in 9ms\nerror: the file is not readable"),
    ("sudo apt-get install -y a b 2>&1 | tail -3", "Setting up a (1.2) ...\nE: Sub-process /usr/bin/dpkg returned an error code (1)"),
    ("gem install a b 2>&1 | tail -3", "Successfully installed a-1.0\nERROR:  Could not find a valid gem 'b' (>= 0) in any repository\n1 gem installed"),
    ("cargo install a b 2>&1 | tail -3", "   Installed package `a v1.0.0` (executable `a`)\nerror: some crates failed to install"),
    ("brew install a b 2>&1 | tail -3", "🍺  /opt/a/1.0: 12 files, 3MB\nError: b: no bottle available!\nerror: b"),
    ("npm install 2>&1 | tail -3", "npm error code E404\nadded 3 packages in 2s"),
    ("npm install && node a.js 2>&1 | tail -3", "added 3 packages in 2s\nerror: no input"),
    ("docker build . 2>&1 | tail -5", "ERROR: failed to solve: process \"/bin/sh -c make\" did not complete successfully: exit code: 2"),
    ("bundle exec rake 2>&1 | tail -3", "rake aborted!\nNameError: undefined local variable"),
    ("swift build 2>&1 | grep error: | head", "/r/a.swift:3:5: error: cannot find 'x' in scope"),
    ("mix compile 2>&1 | tail", "== Compilation error in file lib/a.ex ==\n** (CompileError) lib/a.ex:3: undefined function x/0"),
    ("sbt compile 2>&1 | tail -2", "[error] (Compile / compileIncremental) Compilation failed\n[error] Total time: 1 s"),
    ("zig build 2>&1 | head", "src/a.zig:3:5: error: expected ';' after statement"),
    ("bazel build //... 2>&1 | tail -2", "ERROR: Build did NOT complete successfully"),
];

/// Commands that did what they should, and what they print.
#[rustfmt::skip]
const WORKED: &[(&str, &str)] = &[
    ("grep -rn 'error' docs | head", "docs/a.md:3:error[E0308]: mismatched types"),
    ("cat build.log | tail -5", "BUILD FAILED in 3s"),
    ("tail -100 ci.log | grep error", "a.c:3:5: error: 'x' undeclared"),
    ("rg -n 'BUILD FAILED' src", "src/a.kt:3:    println(\"BUILD FAILED in 3s\")"),
    ("sed -n 1,40p notes.md", "error: could not compile `a` (lib) due to 2 previous errors"),
    ("git log --oneline | grep -i fail", "1a2b3c4 Fix: the build failed on arm"),
    ("git diff | head", "+error: could not compile `a`"),
    ("gh run view 3 --log | grep -i error", "build\tmake: *** [Makefile:3: all] Error 2"),
    ("journalctl -u a | tail", "npm error code ELIFECYCLE"),
    ("cargo test 2>&1 | tail -5", "thread 'a' panicked at src/a.rs:3:5:\nexpected\ntest a ... ok\n\ntest result: ok. 3 passed; 0 failed"),
    ("cargo build 2>&1 | grep -E '^(warning|error)' | head", "warning: unused variable: `error`"),
    ("cargo build 2>&1 | tail -1", "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.2s"),
    ("cargo doc 2>&1 | tail -2", "   Generated /r/target/doc/error/index.html"),
    ("cargo clippy 2>&1 | grep -c '^error'; true", "0"),
    ("rustc --explain E0308 | head", "Expected type did not match the received type.\n\nErroneous code examples:"),
    ("npm test 2>&1 | tail", "console.error\n  Error: expected\n\nTests:       3 passed, 3 total"),
    ("npm run build 2>&1 | grep -i error; echo done", "dist/error-page.js  3.1 kB\ndone"),
    ("npm ls | grep -i error", "├── error-stack@1.0.0"),
    ("npm run build 2>&1 | tail -3", "dist/a.js  3 kB\n✓ built in 1.20s"),
    ("go test ./... 2>&1 | tail", "2026/01/02 ERROR something that a test logs\nok  \texample.com/a\t0.3s"),
    ("go build ./... 2>&1 | head", ""),
    ("go mod tidy 2>&1 | tail -3", "go: downloading example.com/b v1.0.0\ngo: finding module for package example.com/c\ngo: found example.com/c in example.com/c v1.2.0"),
    ("./fetch | tail -1", "fetch: reading https://a.example/b"),
    ("rg -n 'error:' src | head; date", "src/a.rs:3:5: error: \nFriday"),
    ("go doc errors | head", "package errors // import \"errors\"\n\nfunc New(text string) error"),
    ("make 2>&1 | tail -3", "cc -Werror -c error.c\ncc -o a error.o"),
    ("make -n | tail", "echo 'make: *** error'"),
    ("make || echo failed", "cc -o a a.c"),
    ("dotnet build | tail -3", "    0 Warning(s)\n    0 Error(s)\n\nTime Elapsed 00:00:01.2"),
    ("dotnet test | Select-Object -Last 3", "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 1 s - a.dll (net8.0)"),
    ("./gradlew test 2>&1 | tail -3", "ATest > b() STANDARD_ERR\n    error: expected\n\nBUILD SUCCESSFUL in 3s"),
    ("./gradlew tasks | grep -i fail", "failFast - Stops at the first failed test"),
    ("mvn test | tail -3", "[ERROR] a message that a test logs\n[INFO] BUILD SUCCESS"),
    ("pytest 2>&1 | tail -3", "ERROR:root:expected\n3 passed in 0.1s"),
    ("cmake --build build 2>&1 | tail -2", "[100%] Built target error_tests"),
    ("pip install x 2>&1 | tail -1", "Successfully installed error-x-1.0"),
    ("uv pip install x 2>&1 | tail", "warning: Failed to hardlink files; falling back to full copy. This may lead to degraded performance.\nInstalled 1 package in 5ms\n + x==1.2"),
    ("cd a && uv sync 2>&1 | tail -5", "warning: Failed to clone files; falling back to full copy.\nInstalled 11 packages in 2.83s\n + x==1.2"),
    ("python3 -m pip install x 2>&1 | tail -3", "ERROR: pip's dependency resolver does not take all installed packages into account.\nSuccessfully installed x-1.0"),
    (".venv/bin/pip install x 2>&1 | tail -3", "WARNING: Failed to write executable - trying to use .deleteme logic\nSuccessfully installed x-1.0"),
    ("npm install 2>&1 | tail -3", "warning: could not read the cache\nadded 12 packages, and audited 13 packages in 2s"),
    ("npm ci | tail -3", "warn: failed to remove some folders\n\nadded 1 package in 812ms"),
    ("pnpm install 2>&1 | tail -3", "WARN: Failed to create bin at /r/a\nDone in 1.2s using pnpm v10.1.0"),
    ("yarn install 2>&1 | tail -3", "warning: cannot find the integrity file\n✨  Done in 1.20s."),
    ("sudo apt-get install -y x 2>&1 | tail -4", "debconf: unable to initialize frontend: Dialog\nSetting up x (1.2-3) ..."),
    ("brew install x 2>&1 | tail -2", "Warning: could not link x\n🍺  /opt/x/1.0: 12 files, 3MB"),
    ("cargo install x 2>&1 | tail -2", "warning: unable to update the registry\n   Installed package `x v1.0.0` (executable `x`)"),
    ("gem install x 2>&1 | tail -2", "warning: unable to convert a string\nSuccessfully installed x-1.0\n1 gem installed"),
    ("bundle install 2>&1 | tail -2", "warning: could not open the cache\nBundle complete! 3 Gemfile dependencies, 9 gems now installed."),
    ("composer require a/b 2>&1 | tail -2", "Warning: failed to load the cache\nNo security vulnerability advisories found."),
    ("go get example.com/x 2>&1 | tail -2", "warning: cannot use the cache\ngo: added example.com/x v1.2.3"),
    ("kubectl logs a | tail -3", "panic: runtime error\n\ngoroutine 1 [running]:"),
    ("Get-Content build.log | Select-Object -Last 5", "Build FAILED.\n    2 Error(s)"),
    ("Get-Content build.log | Select-Object -Last 5; Get-Date", "npm error code ELIFECYCLE\nFriday"),
    ("Get-Content build.log -Tail 5 | Out-String; Write-Host done", "error: could not compile `a`\ndone"),
    ("git log --oneline | Select-Object -First 3; git status", "1a2b3c4 Fix: make: *** [all] Error 2\nnothing to commit"),
    ("Select-String -Path *.log -Pattern error | Select-Object -First 3; Get-Date", "a.log:3:error: could not compile `a`\nFriday"),
    ("Get-ChildItem -Recurse | Where-Object Name -like '*fail*' | Format-Table; Get-Date", "FAILED: a.txt\nFriday"),
    ("cargo build 2>&1 | tail -3; echo ${PIPESTATUS[0]}", "    Finished `dev` profile\n0"),
];

#[test]
fn a_failure_behind_a_pipe_is_seen() {
    let missed: Vec<_> =
        FAILED.iter().filter(|(command, output)| outcome(command, output) != Outcome::Failure).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_only_looks_like_a_failure_is_none() {
    let wrong: Vec<_> =
        WORKED.iter().filter(|(command, output)| outcome(command, output) != Outcome::Success).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

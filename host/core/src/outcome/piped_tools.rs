//! What more tools print behind a pipe that loses their exit code: of Go, infrastructure, packages and other languages. The outputs
//! of terraform, kubectl, pnpm and uv are those of faulty and of clean projects.

use super::piped::outcome;
use crate::run_event::Outcome;

/// Commands that end with code 0, and what they print although they failed.
#[rustfmt::skip]
const FAILED: &[(&str, &str)] = &[
    ("cargo check --message-format short 2>&1 | tail -3", "src/a.rs:3:5: error[E0425]: cannot find value `x` in this scope\nerror: could not compile `a` (lib) due to 1 previous error"),
    ("cargo check --message-format short 2>&1 | head -2", "src/a.rs:3:5: error[E0425]: cannot find value `x` in this scope"),
    ("cargo check --message-format=short 2>&1 | grep error", "src/a.rs:3:5: error[E0425]: cannot find value `x` in this scope: not found in this scope"),
    ("cargo test --no-run 2>&1 | head -3", "error: failed to parse manifest at `/w/Cargo.toml`"),
    ("go mod tidy 2>&1 | tail -3", "go: errors parsing go.mod:\n/w/go.mod:3: unknown directive: requir"),
    ("go mod tidy 2>&1 | tail -2", "go: example.com/a imports\n\texample.com/none: cannot find module providing package example.com/none"),
    ("go mod tidy | head", "go: go.mod file not found in current directory or any parent directory; see 'go help modules'"),
    ("go get example.com/none 2>&1 | tail -1", "go: module example.com/none: no matching versions for query \"upgrade\""),
    ("go vet ./... 2>&1 | head -5", "# example.com/a\n./a.go:5:2: fmt.Printf format %d has arg \"x\" of wrong type string"),
    ("golangci-lint run 2>&1 | tail -5", "a.go:3:5: Error return value of `f` is not checked (errcheck)\n\tf()\n\t^\n1 issues:\n* errcheck: 1"),
    ("golangci-lint run ./... 2>&1 | head -3", "a.go:3:5: Error return value of `f` is not checked (errcheck)"),
    ("golangci-lint run | tail -2", "level=error msg=\"[linters_context] typechecking error: pattern ./...: directory prefix . does not contain main module\""),
    ("terraform validate -no-color 2>&1 | grep -i error", "Error: Missing required provider"),
    ("terraform plan 2>&1 | head -4", "╷\n│ Error: Unsupported block type\n│ \n│   on a.tf line 3, in variable \"a\":"),
    ("terraform init -no-color 2>&1 | head -5", "\nError: Failed to query available provider packages\n\nCould not retrieve the list of available versions for provider"),
    ("terraform apply -auto-approve 2>&1 | tail -4", "│ Error: Unclosed configuration block\n│ \n│   on a.tf line 1, in variable \"a\":\n╵"),
    ("helm lint chart | tail -3", "[ERROR] templates/: parse error at (a/templates/b.yaml:3): unclosed action\n\nError: 1 chart(s) linted, 1 chart(s) failed"),
    ("helm template . 2>&1 | head -2", "Error: template: a/templates/b.yaml:3:5: executing \"b\" at <.Values.x.y>: nil pointer evaluating interface {}.y"),
    ("helm upgrade --install a ./a 2>&1 | tail -1", "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress"),
    ("kubectl get pods 2>&1 | tail -1", "The connection to the server localhost:8080 was refused - did you specify the right host or port?"),
    ("kubectl apply -f none.yaml 2>&1 | tail -2", "error: the path \"none.yaml\" does not exist"),
    ("kubectl apply -f bad.yaml 2>&1 | head", "error: error parsing bad.yaml: error converting YAML to JSON: yaml: line 3: mapping values are not allowed in this context"),
    ("kubectl get pods -n a 2>&1 | head -3", "Error from server (Forbidden): pods is forbidden: User \"a\" cannot list resource \"pods\""),
    ("kubectl frob 2>&1 | tail", "error: unknown command \"frob\" for \"kubectl\""),
    ("gradle -q build 2>&1 | tail -5", "* Try:\n> Run with --stacktrace option to get the stack trace.\n\nBUILD FAILED in 2s"),
    ("./gradlew -q test 2>&1 | head -3", "ATest > b() FAILED\n    org.opentest4j.AssertionFailedError at ATest.java:9"),
    ("./gradlew -q compileJava 2>&1 | head -2", "/w/src/A.java:3: error: cannot find symbol\n    x();"),
    ("dotnet build -v q 2>&1 | tail -2", "/w/A.cs(3,5): error CS0103: The name 'x' does not exist in the current context [/w/a.csproj]"),
    ("dotnet run | tail -2", "The build failed. Fix the build errors and run again."),
    ("dotnet test 2>&1 | grep -E 'Failed|error' | head", "  Failed A.Tests.Adds [12 ms]\nFailed!  - Failed:     1, Passed:     2"),
    ("swift build 2>&1 | tail -2", "/w/a.swift:3:5: error: cannot find 'x' in scope\nerror: fatalError"),
    ("swift test 2>&1 | tail -2", "error: Exited with unexpected signal code 11"),
    ("swift package resolve 2>&1 | tail -1", "error: no versions of 'x' match the requirement 1.0.0..<2.0.0"),
    ("mix test 2>&1 | tail -3", "Finished in 0.1 seconds\n2 tests, 1 failure"),
    ("mix compile --warnings-as-errors 2>&1 | tail -2", "Compilation failed due to warnings while using the --warnings-as-errors option"),
    ("mix deps.get 2>&1 | tail -2", "** (Mix) No package with name none (from: mix.exs) in registry"),
    ("bundle install 2>&1 | tail -2", "Could not find gem 'none' in rubygems repository https://rubygems.org/ or installed locally."),
    ("bundle exec rspec 2>&1 | tail -3", "3 examples, 1 failure\n\nFailed examples:"),
    ("bundle exec none 2>&1 | tail -1", "bundler: command not found: none"),
    ("composer install 2>&1 | tail -3", "Your lock file does not contain a compatible set of packages. Please run composer update."),
    ("composer require a/none 2>&1 | tail -2", "Could not find a matching version of package a/none. Check the package spelling."),
    ("composer update 2>&1 | head -3", "Your requirements could not be resolved to an installable set of packages."),
    ("pnpm run nope 2>&1 | tail -3", " ERR_PNPM_NO_SCRIPT  Missing script: nope\n\nCommand \"nope\" not found."),
    ("pnpm install --frozen-lockfile 2>&1 | head -1", " ERR_PNPM_NO_LOCKFILE  Cannot install with \"frozen-lockfile\" because pnpm-lock.yaml is absent"),
    ("pnpm -r build 2>&1 | tail -2", "/w/a:\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  a@1.0.0 build: `tsc`"),
    ("uv run b.py 2>&1 | tail -3", "    print(1/0)\n          ~^~\nZeroDivisionError: division by zero"),
    ("uv run frob 2>&1 | tail -2", "error: Failed to spawn: frob\n  cause: No such file or directory (os error 2)"),
    ("uv run --with none a.py 2>&1 | tail -3", "error: No solution found when resolving `--with` dependencies\n  cause: Because none was not found in the package registry and you require none"),
    ("uv sync 2>&1 | tail -1", "error: No `pyproject.toml` found in current directory or any parent directory"),
];

/// Commands that did what they should, and what they print.
#[rustfmt::skip]
const WORKED: &[(&str, &str)] = &[
    ("cargo check --message-format short 2>&1 | tail -2", "src/error.rs:3:5: warning: unused variable: `error`\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.2s"),
    ("cargo build 2>&1 | tail -2", "   Compiling error-chain v0.12.4\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.2s"),
    ("go mod tidy 2>&1 | tail", "go: downloading github.com/pkg/errors v0.9.1"),
    ("go vet ./... 2>&1 | head", ""),
    ("go mod graph | grep errors", "example.com/a github.com/pkg/errors@v0.9.1"),
    ("go list ./... | grep error", "example.com/a/errors"),
    ("golangci-lint run 2>&1 | tail -3", "0 issues."),
    ("golangci-lint linters | grep err", "errcheck: checks for unchecked errors in Go code [fast: false]"),
    ("golangci-lint run 2>&1 | tail -1", "level=warning msg=\"[config_reader] The configuration option `run.skip-errors` is deprecated\""),
    ("terraform validate 2>&1 | tail -2", "Success! The configuration is valid.\n"),
    ("terraform output 2>&1 | head", "error_b = \"error: no\""),
    ("terraform plan -no-color 2>&1 | tail -3", "  + error_b = \"error: no\"\n\nNote: You didn't use the -out option to save this plan, so Terraform can't"),
    ("terraform plan 2>&1 | grep -i error", "  + error_document = \"error.html\""),
    ("terraform state list | grep error", "aws_cloudwatch_metric_alarm.error_rate"),
    ("terraform init 2>&1 | tail -2", "commands will detect it and remind you to do so if necessary."),
    ("helm lint chart | tail -2", "[INFO] Chart.yaml: icon is recommended\n\n1 chart(s) linted, 0 chart(s) failed"),
    ("helm template . | grep -i error", "    - name: ERROR_PAGE\n      value: \"error: none\""),
    ("helm list | tail", "error-pages\tdefault\t1\t2026-01-02\tfailed\terror-pages-1.0\t1.0"),
    ("kubectl get pods | grep -i error", "a-1   0/1   Error   3   5m"),
    ("kubectl get events | tail -3", "2m   Warning   Failed   pod/a   Error: ErrImagePull"),
    ("kubectl describe pod a | tail -4", "  Warning  BackOff  2m  kubelet  Back-off restarting failed container"),
    ("kubectl logs a | grep -i error", "error: could not connect to server"),
    ("kubectl apply -f a.yaml 2>&1 | tail -1", "deployment.apps/error-page configured"),
    ("gradle -q dependencies | grep error", "+--- com.google.errorprone:error_prone_annotations:2.3.4"),
    ("./gradlew -q build 2>&1 | tail -2", "warning: [options] bootstrap class path not set in conjunction with -source 8\n1 warning"),
    ("dotnet test | tail -2", "  Passed Failed.Login.Adds [12 ms]\nPassed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 1 s - a.dll (net8.0)"),
    ("trybuild-report | tail -1", "a/src/b.rs:3:5: errors: 0"),
    ("dotnet build 2>&1 | tail -2", "Build succeeded.\n    0 Error(s)"),
    ("dotnet list package | grep -i error", "   > ErrorOr      1.2.1       1.2.1"),
    ("swift build 2>&1 | tail -1", "Build complete! (1.23s)"),
    ("swift build 2>&1 | tail -2", "warning: 'a': found 1 file(s) which are unhandled; /w/error.md\nBuild complete! (1.23s)"),
    ("mix test 2>&1 | tail -2", "[error] a message that a test logs\n3 tests, 0 failures"),
    ("mix compile 2>&1 | tail -2", "warning: variable \"error\" is unused\nGenerated a app"),
    ("bundle exec rspec 2>&1 | tail -2", "An error is raised for none\n3 examples, 0 failures"),
    ("bundle list | grep error", "  * error_highlight (0.5.1)"),
    ("composer install 2>&1 | tail -2", "Package a/error is abandoned, you should avoid using it.\nGenerating autoload files"),
    ("composer show | grep error", "sentry/error-sdk 1.0.0 An error tracker"),
    ("pnpm ls | grep error", "error-stack 1.0.0"),
    ("pnpm run build 2>&1 | tail -2", "dist/error-page.js  3.1 kB\n✓ built in 1.20s"),
    ("uv run a.py 2>&1 | tail -2", "checked 3 files\nerrors: 0"),
    ("uv pip list | grep error", "error-helper 1.0"),
    ("uv run pytest 2>&1 | tail -2", "ERROR    root:a.py:3 expected\n3 passed in 0.1s"),
];

#[test]
fn a_failure_of_more_tools_is_seen() {
    let missed: Vec<_> =
        FAILED.iter().filter(|(command, output)| outcome(command, output) != Outcome::Failure).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_word_error_is_no_failure() {
    let wrong: Vec<_> =
        WORKED.iter().filter(|(command, output)| outcome(command, output) != Outcome::Success).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

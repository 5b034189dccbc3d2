//! What programs, shells and test scripts print of themselves though the line ends with code 0, and what only looks like it.
//! Most of the outputs are those of real calls.

use super::piped::outcome;
use super::{Call, judge};
use crate::run_event::Outcome;

/// Commands that end with code 0, and what they print although they failed.
#[rustfmt::skip]
const FAILED: &[(&str, &str)] = &[
    ("cd C:\\a; git --no-pager diff --stat; git --no-pager diff -U0 -- a.py | Select-String -Pattern '^[+-]'", "warning: Not a git repository. Use --no-index to compare two paths outside a working tree\nusage: git diff --no-index [<options>] <path> <path> [<pathspec>...]\n\nDiff output format options\n    -p, --patch           generate patch"),
    ("Get-Content nope.txt", "Get-Content: Cannot find path 'C:\\r\\nope.txt' because it does not exist."),
    ("docker compose up 2>&1 | tail -3", "db-1   | ready\ntest-1  | 2 failed\ntest-1 exited with code 1"),
    ("ssh h 'cd /srv && ./deploy.sh' ; echo done", "bash: line 1: cd: /srv: No such file or directory\ndone"),
    ("psql -f schema.sql", "CREATE TABLE\npsql:schema.sql:3: ERROR:  relation \"b\" does not exist\nINSERT 0 1"),
    ("docker exec -i db psql -U a < a.sql", "BEGIN\nERROR:  column \"x\" does not exist\nLINE 1: select x;\nROLLBACK"),
    ("adb shell am start -n a/.B", "Starting: Intent { cmp=a/.B }\nError type 3\nError: Activity class {a/a.B} does not exist."),
    ("curl -s https://raw.githubusercontent.com/a/b/main/c | head", "404: Not Found"),
    ("curl -sL https://example.com/a.tgz | tar xz; ls", "gzip: stdin: not in gzip format\ntar: Child returned status 1\ntar: Error is not recoverable: exiting now\nREADME"),
    ("make -k check 2>&1 | grep -E 'FAIL|PASS' | tail -3", "PASS: a\nFAIL: b\n# FAIL:  1"),
    ("EXIT=0; pytest -q || EXIT=$?; echo \"EXIT=$EXIT\"", "1 failed, 3 passed in 0.2s\nEXIT=1"),
    ("wsl -e bash -lc 'npm test' 2>&1 | tail -2", "wsl: Failed to start the systemd user session for 'a'.\nnpm error Missing script: \"test\""),
    ("php artisan tinker --execute=\"A::b();\"", "\n   Error  Class \"A\" not found."),
    ("redis-cli FOO", "ERR unknown command 'FOO', with args beginning with: "),
    ("vim -es +Foo +qa a", "E492: Not an editor command: Foo"),
    ("ruby a.rb 2>&1 | tail -2", "a.rb:1:in `<main>': undefined local variable or method `x' for main:Object (NameError)"),
    ("node scripts/verify.js", "✓ a\n✗ b: missing\n\nResults: 1/2 passed"),
    ("bash test.sh", "PASS: a\nFAIL: b\n\n1 passed, 1 failed"),
    ("python tests/run_all.py", "test_a ... ok\ntest_b ... FAIL\n\nRESULT: FAIL"),
    ("python3 -c 'import a; a.check()'", "Check failed!"),
    ("cat a.txt; ./nope.sh", "text\nbash: line 1: ./nope.sh: No such file or directory"),
    ("source .venv/bin/activate; python -c 'print(1)'", "bash: line 1: .venv/bin/activate: No such file or directory\n1"),
    ("cd nope && ls; pwd", "bash: line 1: cd: nope: No such file or directory\n/r"),
    ("foo --x 2>&1 | head; git status --short", "zsh:1: command not found: foo\n M a"),
    ("xmllint --noout a.xml; ls", "a.xml:3: parser error : Opening and ending tag mismatch: a line 1 and b\na"),
    ("yq . a.yaml | head", "Error: bad file 'a.yaml': yaml: line 3: mapping values are not allowed in this context"),
    ("ffmpeg -i nope.mp4 a.gif 2>&1 | tail -1", "nope.mp4: No such file or directory"),
    ("kill nope; echo", "bash: line 1: kill: nope: arguments must be process or job IDs\n"),
    ("wget http://127.0.0.1:9/x 2>&1 | tail -2", "Connecting to 127.0.0.1:9... failed: Connection refused."),
    ("source nope.sh; echo sourced", "bash: line 1: nope.sh: No such file or directory\nsourced"),
    ("echo a > nope/b; ls", "bash: line 1: nope/b: No such file or directory\na.py"),
    ("cat < nope.txt | wc -l", "bash: line 1: nope.txt: No such file or directory\n0"),
    ("bash -c \"if\"; echo ok", "bash: -c: line 2: syntax error: unexpected end of file\nok"),
    ("find . -name a -exec dirname {} \\; | head -5", "bash: syntax error near unexpected token `|'"),
    ("diff nope a.py | head", "diff: nope: No such file or directory"),
    ("git pull 2>&1 | tail -3", "\n    git branch --set-upstream-to=<remote>/<branch> main\n"),
    ("git remote add origin; ls", "usage: git remote add [<options>] <name> <url>\n\n    -f, --[no-]fetch      fetch the remote branches"),
    ("openssl dgst nope.txt; ls", "nope.txt: No such file or directory\n40F79B28967F0000:error:80000002:system library:file_ctrl:No such file or directory:x.c:297:\na.py"),
    ("patch -p1 < a.sql 2>&1 | tail -2", "patch: **** Only garbage was found in the patch input."),
    ("patch -p1 < a.diff | tail -1", "1 out of 2 hunks FAILED -- saving rejects to file a.py.rej"),
    ("tar tf a.py | head", "tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors"),
    ("grep \"[\" a.py; ls", "grep: Invalid regular expression\na.py"),
    ("bc <<< '1 +'", "(standard_in) 2: syntax error"),
    ("systemctl restart a | tail -2; date", "Job for a.service failed because the control process exited with error code.\nSat"),
    ("Start-Process a.exe -ArgumentList '--wait' -Wait", "Installer 4.4\nERROR(S):\n  Option 'wait' is unknown."),
    ("cd /r\n# Try with another…", "/usr/bin/a\n/bin/bash: line 7: rar: command not found"),
    ("npx create-next-app@latest a --yes", "Using npm.\n\nAborting installation.\n  npm install has failed."),
    ("openclaw configure --model a 2>&1 | head -20", "OpenClaw does not recognize option \"--model\".\nTry: openclaw configure a --help"),
    ("python3 cli.py show /nope 2>&1 | tail -1", "Error: Invalid value for 'PATH': Path '/nope' does not exist."),
    ("python3 cli.py sail fast 2>&1 | head -3", "Usage:\n  boats new <name>\n  boats move <x> <y> [--speed=<kn>]"),
    ("bash cli.sh -x 2>&1 | tail -1", "usage: cli.sh [-n name] [-v]"),
    ("java Cli rn 2>&1 | head -1", "Unknown command: rn"),
    ("vim --no-such 2>&1 | tail -2", "Unknown option argument: \"--no-such\"\nMore info with: \"vim -h\""),
    ("./pipeline.sh", "step 1\n./pipeline.sh: line 3: ./missing-tool: No such file or directory\nstep 2"),
    ("bash <<'E'\ncd rs2\ncargo check 2>&1 | tail -1\nE", "error: could not compile `broken` (bin \"broken\") due to 1 previous error"),
    ("python3 migrate.py | cat", "Applying 0001... OK\nApplying 0002... FAILED"),
    ("eslint nope.js 2>&1 | tail -2", "Please check for typing mistakes in the pattern.\n"),
    ("prettier --check a.ts nope.js 2>&1 | tail -2", "[error] No files matching the pattern were found: \"nope.js\".\nAll matched files use Prettier code style!"),
    ("vitest rn 2>&1 | tail -2", "exclude:  **/node_modules/**, **/.git/**\n"),
    ("jest tests/nope 2>&1 | tail -2", "  testRegex:  - 0 matches\nPattern: tests/nope - 0 matches"),
    ("cmake -S . -B b 2>&1 | tail -1", "CMake Generate step failed.  Build files cannot be regenerated correctly."),
    ("shellcheck nope.sh 2>&1 | head -1; ls", "nope.sh: nope.sh: openBinaryFile: does not exist (No such file or directory)\nsrc"),
    ("tmux attach -t nope 2>&1 | cat", "no sessions"),
    ("docker run --rm alpine true 2>&1 | head -2", "docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?"),
    ("pip install ./nope 2>&1 | tail -1", "Hint: It looks like a path. File './nope' does not exist."),
    ("git push 2>&1 | tail -3", "\n    git push <name>\n"),
    ("npm test 2>&1 | tail -5", "✓ adds\n✗ subtracts: expected 1, got 2\n\nPassed: 1\nFailed: 1"),
    ("railway run migrate 2>&1 | tail -3", "No such file or directory (os error 2)"),
    ("./test/run_tests.sh 2>&1 | grep FAIL", "FAIL  test_limits__1  (compiler error)"),
    ("./build/cc -S a.c -o /tmp/a.s 2>&1 && grep…", "error: could not open '-S'"),
    ("zip -q out.zip nope; ls", "\nzip error: Nothing to do! (out.zip)\nsrc"),
    ("cargo run 2>&1 | tail -1", "tally: no input file given"),
    ("npm run unit 2>&1 | tail -3", "      AssertionError [ERR_ASSERTION]: 2 == 3\n      at Context.<anonymous> (t.spec.js:1:62)\n"),
    ("PROJECT_DIR=/r\nCOMPILER=\"$PROJECT_DIR/build/cc\"…", "error: operator '!' not supported on pointer operands\nexit: 1"),
    ("cat > /tmp/t.c << 'EOF'\nint main(void) {…", "error: could not open '-o'\ncompiled: /tmp/t.c -> t.asm\nexit=1"),
    ("set +H…", "/usr/bin/bash: line 87: !: command not found\n=== Phase 1 ==="),
];

/// Commands that did what they should, and what they print.
#[rustfmt::skip]
const WORKED: &[(&str, &str)] = &[
    ("Get-Process dotnet", "Get-Process: Cannot find a process with the name \"dotnet\". Verify the process name and call the cmdlet again."),
    ("pytest -q 2>&1 | tail -5", "ERROR:root:expected\nbash: line 1: foo: command not found\n3 passed in 0.1s"),
    ("source nope/activate 2>/dev/null; pytest -q | tail -1", "3 passed in 0.1s"),
    ("source .venv/bin/activate || true; ls", "bash: line 1: .venv/bin/activate: No such file or directory\na"),
    ("nope --version 2>&1 | head -1; node -v", "bash: line 1: nope: command not found\nv20"),
    ("kill 123; sleep 1; ./server &", "bash: line 1: kill: (123) - No such process\nlistening"),
    ("kill 123 2>&1; ls", "/bin/sh: 1: kill: No such process\n\na.py"),
    ("cat ci.log | tail -3", "bash: line 1: foo: command not found\nTest Result: FAILED"),
    ("tail -5 test.log; date", "RESULT: FAIL\nSat"),
    ("gh run view 1 --log | grep -i fail", "a\tFAIL: b\nTest failed!"),
    ("git log --oneline | head -2", "1a2b3c4 Test failed!\n2b3c4d5 usage: git diff"),
    ("git help stash 2>&1 | head -3", "usage: git stash list [<log-options>]\n   or: git stash show"),
    ("git stash -h | head -2", "usage: git stash list [<log-options>]\n   or: git stash show"),
    ("python3 check_links.py", "checked: 30\nbroken: 0, failed: 0\nResults: 30/30 passed"),
    ("node scripts/verify.js", "✓ a\n✓ b\n\n2/2 passed"),
    ("python report.py", "Test failures by month:\n  May: 3 failed\n  June: 0 failed"),
    ("python3 analyse.py", "Status: failed jobs are listed below\njob 3: FAILED\njob 4: ok"),
    ("psql -c 'select level from log'", " level \n-------\n ERROR\n FATAL\n(2 rows)"),
    ("docker logs web | tail -2", "ERROR:  relation \"a\" does not exist\nbash: line 1: x: command not found"),
    ("redis-cli lrange errors 0 1", "ERROR_ONE\nERR_TWO"),
    ("grep -rn 'FAIL:' tests; ls", "tests/a.sh:3:echo 'FAIL: x'\na"),
    ("diff a b | head; echo done", "1c1\n< a\n---\n> b\ndone"),
    ("cmp a b; ls", "a b differ: byte 1, line 1\na\nb"),
    ("docker compose down 2>&1 | tail -2", "web-1 exited with code 143\n Container web-1  Removed"),
    ("make test 2>&1 | tail -2", "testing that 'bash: line 1: x: command not found' is seen\nok"),
    ("Write-Output 'Get-Content: reads a file'", "Get-Content: reads a file"),
    ("bc <<< '1+1'", "2"),
    ("vim --version | head -1", "VIM - Vi IMproved 9.0"),
    ("./run.sh --help", "Usage: run.sh [test]\n  FAIL: shown if a test failed"),
    ("bash reproduce.sh", "FAIL: the bug is there"),
    ("python test_edge.py", "Test 1: bad input failed as expected\nAll tests passed"),
    ("./a.out", "result: 42\nfailed attempts: 3"),
    ("kill -0 999; echo", "bash: line 1: kill: (999) - No such process\n"),
    ("[ -f a ] && source a; ls", "a.py"),
    ("# Shows the log\nX=1…", "=== Log ===\n12 rows\nfine"),
    ("cat a.log…", "error: could not open '-o'"),
    ("docker compose | head -3", "Usage:  docker compose [OPTIONS] COMMAND"),
    ("grep -n Usage log/app.log README.md | head", "log/app.log:3:Usage: shop [options]"),
    ("head -3 log/app.log; ls", "error: unknown option --x\nUsage: shop [options]\nsrc"),
    ("python3 -c \"print('unknown option: none')\" | head -1", "unknown option: none"),
    ("node -e \"console.error('Error: handled'); console.log('ok')\" 2>&1 | tail -2", "Error: handled\nok"),
    ("python3 ok.py 2>&1 | head -3", "ERROR:root:boom\nTraceback expected\n."),
    ("python3 -m unittest --help | head -2", "usage: a\nTraceback (most recent call last):\n  File \"a\", line 1\nBrokenPipeError: [Errno 32] Broken pipe"),
    ("git rev-parse --verify feature 2>/dev/null; echo \"$?\"", "128"),
    ("gh pr list | tail -3", "12\tRefuse unknown options\tfix\n13\tToo many arguments\tfix2"),
    ("cat > notes.md <<'E'\nerror: unknown option\nE\ncat notes.md", "error: unknown option"),
    ("git remote -v; git stash list", "origin  https://a.example/b (fetch)"),
    ("tar czf a.tgz src | tail -1; ls", "tar: Removing leading `/' from member names\na.tgz"),
    ("patch -p1 < a.diff", "patching file a.py\nHunk #1 succeeded at 12 (offset 2 lines)."),
    ("diff -u a b | head -3", "--- a\n+++ b\n@@ -1 +1 @@"),
    ("wget -q https://a.example/b; ls", "b"),
    ("openssl version; ls", "OpenSSL 3.0.11\nerror.log"),
    ("systemctl status a | head -3", "● a.service - A\n     Active: active (running)"),
    ("curl -s https://a.example/b | head -2", "<html>\n<head><title>How to fix 404 Not Found</title></head>"),
];

/// Commands that end with another code, the code, what they print, and what that says.
#[rustfmt::skip]
const CODED: &[(&str, i64, &str, Outcome)] = &[
    ("where.exe a", 1, "INFO: Could not find files for the given pattern(s).", Outcome::Success),
    ("where.exe /x", 2, "ERROR: Invalid argument/option - '/x'.", Outcome::Failure),
    ("Get-ChildItem -Recurse -Filter a -ErrorAction SilentlyContinue", 1, "", Outcome::Success),
    ("Remove-Item a; npm test -ErrorAction SilentlyContinue", 1, "", Outcome::Failure),
    ("systemctl is-active a; systemctl is-enabled a", 1, "inactive\ndisabled", Outcome::Success),
    ("systemctl is-active a", 3, "inactive", Outcome::Success),
    ("systemctl start a", 1, "Failed to start a.service", Outcome::Failure),
    ("kill -0 123", 1, "bash: line 1: kill: (123) - No such process", Outcome::Success),
    ("kill 123", 1, "bash: line 1: kill: (123) - No such process", Outcome::Failure),
    ("kill 1", 1, "bash: line 1: kill: (1) - Operation not permitted", Outcome::Failure),
    ("ps | xargs -r kill", 1, "Command not executed. The 'kill' command must name a process.", Outcome::Failure),
    ("python3 -c \"import a\" 2>&1 | tail -1; which b", 1, "ModuleNotFoundError: No module named 'a'", Outcome::Success),
    ("git rev-parse --show-toplevel; cd a; git rev-parse HEAD", 128, "fatal: not a git repository", Outcome::Failure),
    ("git rev-parse --show-toplevel; cd a; git rev-parse HEAD", 1, "fatal: not a git repository", Outcome::Failure),
    ("rg a src", 1, "", Outcome::Success),
    ("rg a src", 1, "rg: src: The system cannot find the file specified. (os error 2)", Outcome::Failure),
    ("rg a src", 1, "b.py:3: a\nrg: ./c: Access is denied. (os error 5)", Outcome::Failure),
];

#[test]
fn what_they_say_of_themselves_is_seen() {
    let missed: Vec<_> =
        FAILED.iter().filter(|(command, output)| outcome(command, output) != Outcome::Failure).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_they_only_seem_to_say_is_no_failure() {
    let wrong: Vec<_> =
        WORKED.iter().filter(|(command, output)| outcome(command, output) != Outcome::Success).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn codes_that_answer_and_codes_that_do_not() {
    let judged = |command: &str, code: i64, output: &str| {
        let call = Call {
            tool: "Bash",
            command: Some(command),
            output,
            flagged: true,
            exit_code: Some(code),
            ..Call::default()
        };
        judge(&call).outcome
    };
    let wrong: Vec<_> =
        CODED.iter().filter(|(command, code, output, outcome)| judged(command, *code, output) != *outcome).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn questions_that_answer_no() {
    for (command, output, code, outcome) in [
        ("git rev-parse --verify feature", "fatal: Needed a single revision", 128, Outcome::Success),
        ("git show-ref --verify refs/heads/a", "fatal: 'refs/heads/a' - not a valid ref", 128, Outcome::Success),
        (
            "git rev-parse --verify feature",
            "fatal: not a git repository (or any of the parent directories): .git",
            128,
            Outcome::Failure,
        ),
        ("git rev-parse HEAD~9", "fatal: ambiguous argument 'HEAD~9'", 128, Outcome::Failure),
        ("test -f a && sed -n 1,9p a", "", 1, Outcome::Success),
        ("test -f a && make", "", 1, Outcome::Failure),
        ("test -f a && sed -n 1,9p a", "sed: -e expression #1, char 3: x", 1, Outcome::Failure),
        ("curl -s -o /dev/null -w '%{http_code}' http://localhost:9/", "000", 7, Outcome::Success),
        ("curl -s http://localhost:9/", "", 7, Outcome::Failure),
        ("a --version || true", "bash: line 1: a: command not found", 0, Outcome::Success),
        ("a run || true", "bash: line 1: a: command not found", 0, Outcome::Failure),
        ("pip show a", "WARNING: Package(s) not found: a", 1, Outcome::Success),
        ("pip install a", "WARNING: Package(s) not found: a", 1, Outcome::Failure),
        ("npm ls left-pad", "shop@1.0.0 /r\n└── (empty)", 1, Outcome::Success),
        ("npm ls", "npm error missing: a@^1, required by shop@1.0.0", 1, Outcome::Failure),
        ("nc -z localhost 5432", "", 1, Outcome::Success),
        ("nc localhost 5432", "", 1, Outcome::Failure),
        ("jq -e .a b.json", "null", 1, Outcome::Success),
        ("jq .a b.json", "jq: error: Could not open file b.json: No such file or directory", 2, Outcome::Failure),
        ("id a", "id: ‘a’: no such user", 1, Outcome::Success),
        ("tmux has-session -t a 2>/dev/null", "", 1, Outcome::Success),
        ("docker inspect a >/dev/null 2>&1", "", 1, Outcome::Success),
        ("make >/dev/null 2>&1", "", 1, Outcome::Failure),
        ("lsof -ti:3000 | xargs kill -9", "", 123, Outcome::Success),
        ("where.exe py", "INFO: Could not find files for the given pattern(s).", 1, Outcome::Success),
    ] {
        let call = Call { tool: "Bash", command: Some(command), output, exit_code: Some(code), ..Call::default() };
        assert_eq!(judge(&call).outcome, outcome, "{command}: {output}");
    }
}

//! One cause, one finding, whatever printed it.

use gephost_gene::run_log::FailureKind;

use super::found;
use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;

/// The titles of the findings that single failures of one session give.
fn titles(failures: &[(&str, &str)]) -> Vec<String> {
    let steps: Vec<_> = failures.iter().map(|(input, output)| ("Bash", *input, Some(*output))).collect();
    found(&steps).into_iter().map(|report| format!("{} ({})", report.title, report.occurrences)).collect()
}

/// The title of each family.
const EXPECTED: [&str; 14] = [
    "ES modules and CommonJS are mixed",
    "the module `requests` is missing",
    "the module `chalk` is missing",
    "servers cannot be reached: `localhost`, `127.0.0.1:5432`, `127.0.0.1:6379`",
    "not logged in, or credentials refused: `gh api user`, `gh issue list`, `gh pr list` and 1 more",
    "not logged in, or credentials refused: `npm publish`, `npm whoami`",
    "not logged in, or credentials refused: `aws s3`, `aws sts`",
    "the program `jq` is not installed, or not on the PATH",
    "programs need another version of Node.js: `18.19.0`, `20`, `20.9.0`",
    "the disk is full",
    "a lock is already taken",
    "a port is already in use: `3000`",
    "requests were refused because of a rate limit: `curl`, `gh api a`, `python a.py`",
    "`node` ran out of memory",
];

#[test]
fn errors_that_differ_in_the_value_at_their_end_are_one_finding() {
    let outputs = [
        "Error: FailoverError: Unknown model: a/b",
        "GatewayError: FailoverError: Unknown model: c/d-2",
        "Error: Unknown model: gpt-5.5",
    ];
    let inputs = ["claw agent one", "claw agent two", "claw agent three"];
    let calls: Vec<(&str, &str)> = inputs.into_iter().zip(outputs).collect();
    assert_eq!(titles(&calls), ["`claw`: Unknown model: … (3)"]);
    let others = [("claw agent", "Error: Unknown model: a/b"), ("paw agent", "Error: Unknown model: c/d")];
    assert_eq!(titles(&others).len(), 2, "another program has other models");
    let unlike = [("claw agent one", "Error: cannot open a.c"), ("claw agent two", "Error: cannot find a.c")];
    assert_eq!(titles(&unlike).len(), 2);
}

#[test]
fn one_fault_in_several_wordings_is_one_finding() {
    let families: &[&[(&str, &str)]] = &[
        &[
            ("node a.js", "SyntaxError: Cannot use import statement outside a module"),
            ("node b.js", "SyntaxError: Unexpected token 'export'"),
            ("node c.mjs", "ReferenceError: require is not defined in ES module scope, you can use import instead"),
            (
                "node d.js",
                "Error [ERR_REQUIRE_ESM]: require() of ES Module /w/node_modules/chalk/index.js from /w/d.js not supported.",
            ),
            ("npx jest", "    SyntaxError: Cannot use import statement outside a module"),
        ],
        &[
            ("python a.py", "ModuleNotFoundError: No module named 'requests'"),
            ("pytest", "E   ModuleNotFoundError: No module named 'requests'"),
            ("python -m requests", "/usr/bin/python: No module named requests"),
            ("python2 a.py", "ImportError: No module named requests"),
        ],
        &[
            ("node a.js", "Error: Cannot find module 'chalk'"),
            ("npx jest", "    Cannot find module 'chalk' from 'src/a.js'"),
            ("npx vite build", "error during build:\nRollup failed to resolve import \"chalk\" from \"src/a.js\"."),
            ("npx webpack", "Module not found: Error: Can't resolve 'chalk' in '/w/src'"),
            (
                "npx tsc",
                "src/a.ts(1,19): error TS2307: Cannot find module 'chalk' or its corresponding type declarations.",
            ),
            ("node a.mjs", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chalk' imported from /w/a.mjs"),
        ],
        &[
            (
                "curl http://localhost:5432",
                "curl: (7) Failed to connect to localhost port 5432 after 0 ms: Couldn't connect to server",
            ),
            ("node a.js", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
            ("python a.py", "ConnectionRefusedError: [Errno 111] Connection refused"),
            (
                "psql",
                "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused",
            ),
            ("redis-cli ping", "Could not connect to Redis at 127.0.0.1:6379: Connection refused"),
        ],
        &[
            ("gh pr list", "gh: Bad credentials (HTTP 401)"),
            ("gh issue list", "HTTP 401: Bad credentials (https://api.github.com/graphql)"),
            ("gh pr view", "To get started with GitHub CLI, please run:  gh auth login"),
            ("gh api user", "error: You are not logged into any GitHub hosts. To log in, run: gh auth login"),
        ],
        &[
            (
                "npm publish",
                "npm error code ENEEDAUTH\nnpm error need auth This command requires you to be logged in to https://registry.npmjs.org/",
            ),
            ("npm whoami", "npm error code E401\nnpm error 401 Unauthorized - GET https://registry.npmjs.org/-/whoami"),
        ],
        &[
            ("aws s3 ls", "Unable to locate credentials. You can configure credentials by running \"aws configure\"."),
            (
                "aws sts get-caller-identity",
                "An error occurred (ExpiredToken) when calling the GetCallerIdentity operation: The security token included in the request is expired",
            ),
        ],
        &[
            ("jq . a", "bash: line 1: jq: command not found"),
            ("sh a.sh", "a.sh: 3: jq: not found"),
            ("env jq", "env: 'jq': No such file or directory"),
            ("npm test", "sh: 1: jq: not found"),
            ("make", "make: jq: No such file or directory\nmake: *** [Makefile:2: a] Error 127"),
            (
                "python a.py",
                "  File \"/usr/lib/python3.12/subprocess.py\", line 1955, in _execute_child\n    raise child_exception_type(errno_num, err_msg, err_filename)\nFileNotFoundError: [Errno 2] No such file or directory: 'jq'",
            ),
            ("x", "'jq' is not recognized as an internal or external command,\noperable program or batch file."),
            (
                "pwsh a",
                "jq: The term 'jq' is not recognized as a name of a cmdlet, function, script file, or executable program.",
            ),
            ("node a.js", "Error: spawn jq ENOENT"),
            ("fish a", "fish: Unknown command: jq"),
        ],
        &[
            (
                "npm ci",
                "npm error code EBADENGINE\nnpm error engine Unsupported engine\nnpm error notsup Required: {\"node\":\">=20\"}\nnpm error notsup Actual:   {\"npm\":\"9.2.0\",\"node\":\"v18.19.0\"}",
            ),
            ("npm run build", "You are using Node.js 18.19.0. For Next.js, Node.js version \">=20.9.0\" is required."),
            (
                "yarn install",
                "error a@1.0.0: The engine \"node\" is incompatible with this module. Expected version \">=20\". Got \"18.19.0\"",
            ),
            (
                "pnpm install",
                "ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)\nExpected version: >=20\nGot: v18.19.0",
            ),
        ],
        &[
            ("cp a b", "cp: error writing 'b': No space left on device"),
            (
                "npm ci",
                "npm error code ENOSPC\nnpm error nospc There appears to be insufficient space on your system to finish.",
            ),
            ("python a.py", "OSError: [Errno 28] No space left on device"),
            ("git commit", "fatal: sha1 file '/w/.git/objects/a' write error. Out of diskspace"),
            ("docker build .", "write /var/lib/docker/tmp/a: no space left on device"),
            ("tar", "tar: a: Cannot write: Disk quota exceeded"),
        ],
        &[
            ("git commit", "fatal: Unable to create '/w/.git/index.lock': File exists."),
            (
                "git add",
                "error: Unable to create '/w/.git/index.lock': File exists.\nAnother git process seems to be running in this repository",
            ),
        ],
        &[
            ("node a.js", "Error: listen EADDRINUSE: address already in use :::3000"),
            ("python -m http.server 3000", "OSError: [Errno 98] Address already in use"),
            (
                "docker run -p 3000:3000 a",
                "Error response from daemon: driver failed: Bind for 0.0.0.0:3000 failed: port is already allocated",
            ),
            ("npm start", "Something is already running on port 3000."),
            ("go run .", "listen tcp :3000: bind: address already in use"),
            ("npx vite --strictPort", "Error: Port 3000 is already in use"),
        ],
        &[
            ("curl https://api.x.y/a", "curl: (22) The requested URL returned error: 429"),
            (
                "python a.py",
                "requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://api.x.y/a",
            ),
            ("gh api a", "gh: API rate limit exceeded for user ID 1. (HTTP 403)"),
        ],
        &[
            ("node a.js", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
            (
                "node b.js",
                "<--- Last few GCs --->\nFATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory",
            ),
        ],
    ];
    for (family, title) in families.iter().zip(EXPECTED) {
        let count = family.len();
        assert_eq!(titles(family), [format!("{title} ({count})")]);
    }
    assert_eq!(families.len(), EXPECTED.len());
}

#[test]
fn other_faults_and_other_things_stay_apart() {
    for pair in [
        [
            ("node a.js", "SyntaxError: Cannot use import statement outside a module"),
            ("node b.js", "SyntaxError: Unexpected token '}'"),
        ],
        [
            ("gh pr list", "gh: Bad credentials (HTTP 401)"),
            ("npm whoami", "npm error code E401\nnpm error 401 Unauthorized - GET https://registry.npmjs.org/-/whoami"),
        ],
        [
            ("git fetch a", "git@a.org: Permission denied (publickey)."),
            ("git fetch b", "fatal: Authentication failed for 'https://b.org/x.git/'"),
        ],
        [
            ("node a.js", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
            ("java A", "java.lang.OutOfMemoryError: Java heap space"),
        ],
        [
            ("npm ci", "npm error engine Unsupported engine"),
            ("pip install .", "ERROR: Package 'a' requires a different Python: 3.8.10 not in '>=3.10'"),
        ],
        [
            (
                "python a.py",
                "UnicodeEncodeError: 'ascii' codec can't encode character '\\u2713' in position 0: ordinal not in range(128)",
            ),
            (
                "python b.py",
                "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
            ),
        ],
    ] {
        assert_eq!(titles(&pair).len(), 2, "{:#?}", titles(&pair));
    }
}

/// The findings about paths: title, failures and advice.
fn paths(steps: &[(&str, &str, Option<&str>)]) -> Vec<(String, u32, String)> {
    let reports = found(steps).into_iter().filter(|report| report.kind.contains("path"));
    reports.map(|report| (report.title, report.occurrences, report.direction)).collect()
}

#[test]
fn a_wrong_folder_in_front_of_several_paths_is_one_finding() {
    let missing = |path: &str| format!("find: '{path}': No such file or directory");
    let (repo, folder, own) =
        (missing("/workspace/evals/envoy/src/log/"), missing("/workspace/evals/grafana"), missing("/workspace/evals/"));
    let found = paths(&[
        ("Bash", "find /workspace/evals/envoy/src/log/ -name x", Some(&repo)),
        ("Bash", "find /workspace/evals/grafana", Some(&folder)),
        ("Bash", "find /workspace/evals/", Some(&own)),
        ("str_replace_editor", r#"{"command": "view", "path": "/workspace/grafana"}"#, None),
        ("Bash", "ls /workspace/envoy/src/log", None),
    ]);
    let advice = "write `/workspace` instead of `/workspace/evals`: other calls show what follows it there, for 2 of 3 failures; \
                  correct what names them to the agent";
    assert_eq!(
        found,
        [("paths that are looked for in `/workspace/evals` are not there".to_owned(), 3, advice.to_owned())]
    );
}

#[test]
fn paths_without_the_folder_in_front_are_one_finding() {
    let (apps, models) =
        ("rg: apps: No such file or directory", "cat: apps/leave/models.py: No such file or directory");
    let found = paths(&[
        ("Bash", "rg -n x apps", Some(apps)),
        ("Bash", "cat apps/leave/models.py", Some(models)),
        ("Bash", "make test", None),
        ("Bash", "cat backend/apps/leave/models.py", None),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&*found[0].0, found[0].1), ("paths are given without `backend` in front of them", 2));
    assert!(
        found[0].2.starts_with("write `backend/` in front of these paths, or run the commands in `backend`"),
        "{found:?}"
    );
}

#[test]
fn paths_that_are_nowhere_or_each_elsewhere_have_no_front_in_common() {
    let (one, other) =
        ("cat: /w/src/alpha.rs: No such file or directory", "cat: /w/doc/beta.md: No such file or directory");
    for later in [&["ls /w"][..], &["cat /w/lib/alpha.rs /w/site/beta.md"], &["cat /w/src/alpha.rs /w/doc/beta.md"]] {
        let failed = [("Bash", "cat /w/src/alpha.rs", Some(one)), ("Bash", "cat /w/doc/beta.md", Some(other))];
        let steps: Vec<_> = failed.into_iter().chain(later.iter().map(|input| ("Bash", *input, None))).collect();
        assert!(found(&steps).iter().all(|report| !report.kind.ends_with("front")), "{later:?}");
    }
}

/// The findings about parameters: title, failures and advice.
fn parameters(steps: &[(&str, &str, Option<&str>)]) -> Vec<(String, u32, String)> {
    let reports = found(steps).into_iter().filter(|report| report.kind == "tool_parameters");
    reports.map(|report| (report.title, report.occurrences, report.direction)).collect()
}

#[test]
fn one_wrong_parameter_of_several_tools_is_one_finding() {
    let missing = |tool: &str, name: &str| {
        format!(
            "InputValidationError: {tool} failed due to the following issues:\nThe required parameter `{name}` is missing"
        )
    };
    let (write, edit, read) = (missing("Write", "file_path"), missing("Edit", "file_path"), missing("Read", "limit"));
    let found = parameters(&[
        ("Write", r#"{"path": "/w/a", "content": "x"}"#, Some(&write)),
        ("Edit", r#"{"path": "/w/b", "old_string": "x", "new_string": "y"}"#, Some(&edit)),
        ("Read", r#"{"file_path": "/w/c"}"#, Some(&read)),
    ]);
    assert_eq!(found.len(), 2, "{found:?}");
    let (title, count, advice) = &found[0];
    assert_eq!((&**title, *count), ("`Edit` and `Write` are called with wrong parameters: `file_path`", 2));
    assert_eq!(advice, "say in the agent's instructions how `Edit` and `Write` take `file_path`");
    assert_eq!(found[1].0, "`Read` is called with wrong parameters: `limit`");
}

#[test]
fn a_parameter_that_is_not_allowed_is_a_wrong_one() {
    let found = parameters(&[
        ("run", "x", Some("Parameter 'command\"' is not allowed for function 'run'. Allowed parameters: {'command'}")),
        ("run", "x", Some("Missing required parameters for function 'run': {'risk'}")),
    ]);
    assert_eq!(found.iter().map(|(_, count, _)| *count).collect::<Vec<_>>(), [2], "{found:?}");
}

#[test]
fn a_search_that_does_not_find_a_path_reports_no_problems() {
    let output = "## main\n src/a.kt | 2 +-\nrg: app/vault/Router.kt: No such file or directory (os error 2)\nsrc/a.kt:18: error: text\n";
    let mut analysis = Analysis::default();
    analysis.add(&Call {
        kind: FailureKind::CompileLint,
        input: "git status --short; rg -n 'a|b' app/vault/Router.kt src/a.kt",
        output,
        name: "exec",
        ..Call::FAILED
    });
    analysis.finish(Vec::new());
    let titles: Vec<String> = reports(&analysis).into_iter().map(|report| report.title).collect();
    assert_eq!(titles, ["a path does not exist: `app/vault/Router.kt`"]);
}

#[test]
fn a_path_is_named_by_what_is_missing() {
    for (output, expected) in [
        ("wc: src/alpha.py: open: No such file or directory", "a path does not exist: `src/alpha.py`"),
        ("open: No such file or directory", "open: No such file or directory"),
    ] {
        assert_eq!(titles(&[("wc -l src/alpha.py", output)]).len(), 1);
        assert!(
            titles(&[("wc -l src/alpha.py", output)])[0].contains(expected),
            "{:?}",
            titles(&[("wc -l src/alpha.py", output)])
        );
    }
}

#[test]
fn an_environment_that_is_not_there_is_made() {
    let output = "bash: venv/bin/activate: No such file or directory";
    let found = paths(&[("Bash", "source venv/bin/activate && python a.py", Some(output))]);
    assert!(found[0].2.starts_with("make the environment `venv` before the agent starts"), "{found:?}");
}

//! What helps against the errors of common tools: each output with the beginning of the advice that it must give. To add one, add
//! a row.

use gephost_gene::run_log::FailureKind as K;

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;

/// Command, output, and how the advice begins.
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str)] = &[
    ("git push origin main", "remote: error: GH006: Protected branch update failed for refs/heads/main.\nremote: error: Changes must be made through a pull request.\nTo github.com:a/b.git\n ! [remote rejected] main -> main (protected branch hook declined)\nerror: failed to push some refs to 'github.com:a/b.git'", "tell the agent to push to a"),
    ("cargo build", "error[E0502]: cannot borrow `v` as mutable because it is also borrowed as immutable\n --> src/main.rs:4:5\n  |\n3 |     let a = &v[0];\n  |              - immutable borrow occurs here\n4 |     v.push(1);\n  |     ^^^^^^^^^ mutable borrow occurs here\n\nerror: could not compile `p` (bin \"p\") due to 1 previous error", "have the agent run `cargo build`"),
    ("go build ./...", "main.go:5:2: no required module provides package github.com/x/y; to add it:\n\tgo get github.com/x/y", "fetch it with `go get"),
    ("go test ./...", "--- FAIL: TestAdd (0.00s)\n    add_test.go:9: Add(1,2) = 4; want 3\nFAIL\nFAIL\texample.com/p\t0.003s\nFAIL", "run `TestAdd` on a clean checkout"),
    ("dotnet build", "  App net10.0 failed with 1 error(s) (0.3s)\n    /w/p/B.cs(70,84): error CS1061: 'Playlist' does not contain a definition for 'SongCount' and no accessible extension method 'SongCount' accepting a first argument of type 'Playlist' could be found (are you missing a using directive or an assembly reference?)\n\nBuild failed with 1 error(s) in 1.5s", "correct the name of the member"),
    ("dotnet ef migrations add A", "Build started...\nBuild succeeded.\nYour startup project 'App' doesn't reference Microsoft.EntityFrameworkCore.Design. This package is required for the Entity Framework Core Tools to work. Ensure your startup project is correct, install the package, and try again.", "add the package that the message"),
    ("dotnet ef migrations add A", "/w/p/a.csproj : error NU1105: Unable to find project information for '/w/p/b.csproj'.", "run `dotnet restore` for"),
    ("python manage.py collectstatic", "django.core.exceptions.ImproperlyConfigured: You're using the staticfiles app without having set the STATIC_ROOT setting to a filesystem path.", "set `STATIC_ROOT` in"),
    ("flask run", "RuntimeError: The session is unavailable because no secret key was set.  Set the secret_key on the application to something unique and secret.", "set the application's"),
    ("pytest -n auto", "pytest: error: unrecognized arguments: -n", "install `pytest-xdist` where the"),
    ("python a.py", "Traceback (most recent call last):\n  File \"/w/a.py\", line 41, in <module>\n    vecsum.exe = 1\nNameError: name 'vecsum' is not defined", "look at the left side of this"),
    ("dotnet build", "/w/p/A.cs(3,7): error CS0246: The type or namespace name 'Newtonsoft' could not be found (are you missing a using directive or an assembly reference?) [/w/p/p.csproj]\n\nBuild FAILED.", "add the package (`dotnet add"),
    ("node src/a.js", "/w/src/a.js:1\nexport default x;\n^^^^^^\n\nSyntaxError: Unexpected token 'export'\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)", "run it with what runs the project's modules"),
    ("node src/a.js", "import x from './b.js';\n^^^^^^\n\nSyntaxError: Cannot use import statement outside a module\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)", "run it with what runs the project's modules"),
    ("patch -p1 < a.patch", "can't find file to patch at input line 3\nPerhaps you used the wrong -p or --strip option?\nThe text leading up to this was:\n|--- a/x\n|+++ b/x\nNo file to patch.  Skipping patch.", "apply the patch in the folder where its paths"),
    ("tool add", "tool: error: the following arguments are required: NAME\nusage: tool add NAME", "call it as the tool itself says: usage: tool add"),
    ("npx tsc --noEmit", "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.", "have the agent run `tsc` after"),
    ("python manage.py test", "django.db.utils.OperationalError: could not connect to server: Connection refused\n\tIs the server running on host \"db\" (172.18.0.2) and accepting\n\tTCP/IP connections on port 5432?", "check the name, the port and the"),
    ("pytest -q", "E   fixture 'client' not found\n>       available fixtures: cache, capfd, monkeypatch\n>       use 'pytest --fixtures [testpath]' for help on them.\n\n/w/p/tests/test_a.py:5\n=========================== short test summary info ============================\nERROR tests/test_a.py::test_a\n1 error in 0.05s", "define this fixture in the test's"),
    ("mypy src", "src/a.py:3: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\nFound 1 error in 1 file (checked 4 source files)", "have the agent run `mypy` after"),
    ("ruff check .", "src/a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n[*] 1 fixable with the `--fix` option.", "have the agent run `ruff` after"),
    ("make", "make: *** No rule to make target 'foo.o', needed by 'app'.  Stop.", "correct this name in the"),
    ("xcodebuild -scheme App", "xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory '/Library/Developer/CommandLineTools' is a command line tools instance", "install Xcode and choose it:"),
    ("curl https://x.internal/", "curl: (60) SSL certificate problem: self-signed certificate in certificate chain\nMore details here: https://curl.se/docs/sslcerts.html", "give the program the certificate"),
    ("python3 train.py", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 7.79 GiB total capacity; 6.00 GiB already allocated)", "use a smaller batch, a smaller"),
    ("apt-get install foo", "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?", "run it as root or with `sudo` if"),
    ("docker build -t a .", "ERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1", "run the failing command of the"),
    ("docker build -t a .", "#8 [4/5] RUN pip install -r requirements.txt\n#8 1.234 ERROR: Could not open requirements file: [Errno 2] No such file or directory: 'requirements.txt'\n------\nDockerfile:4\n--------------------\n   4 | >>> RUN pip install -r requirements.txt\n--------------------\nERROR: failed to solve: process \"/bin/sh -c pip install -r requirements.txt\" did not complete successfully: exit code: 1", "look for what names"),
    ("terraform apply", "Error: Inconsistent dependency lock file\n\nThe following dependency selections recorded in the lock file are inconsistent with the current configuration:\n  - provider registry.terraform.io/hashicorp/aws: required by this configuration but no version is selected\n\nTo make the initial dependency selections that will initialize the dependency lock file, run:\n  terraform init", "run `terraform init` after a"),
    ("terraform apply", "Error: creating S3 Bucket (x): BucketAlreadyExists: The requested bucket name is not available.", "choose another name for the"),
    ("gh run view 123", "could not find any workflow run with ID 123: HTTP 404: Not Found", "list what there is first (`gh run"),
    ("git submodule update --init", "fatal: No url found for submodule path 'lib/x' in .gitmodules", "add the submodule to"),
    ("conda activate x", "CondaError: Run 'conda init' before 'conda activate'", "use `conda run -n NAME COMMAND`,"),
    ("python app.py", "Traceback (most recent call last):\n  File \"/w/p/app.py\", line 7, in <module>\n    asyncio.run(main())\nRuntimeError: asyncio.run() cannot be called from a running event loop", "await the coroutine (`await"),
    ("flask run", "Error: Could not locate a Flask application. Use the 'flask --app' option, 'FLASK_APP' environment variable, or a 'wsgi.py' or 'app.py' file in the current directory.", "name the application (`flask"),
    ("python manage.py migrate", "django.db.migrations.exceptions.InconsistentMigrationHistory: Migration a.0002 is applied before its dependency a.0001 on database 'default'.", "make a fresh database, or bring"),
    ("celery -A app worker", "kombu.exceptions.OperationalError: [Errno 111] Connection refused", "check the name, the port and the"),
    ("npx jest", "\u{25cf} Validation Error:\n\n  Preset ts-jest not found relative to rootDir /w/p.\n\n  Configuration Documentation:\n  https://jestjs.io/docs/configuration", "install the package that jest's"),
    ("npx playwright test", "Error: Timed out 5000ms waiting for expect(locator).toBeVisible()\n\nLocator: getByText('Hello')\nExpected: visible\nReceived: <element(s) not found>", "look at the page at this moment"),
    ("deno run a.ts", "error: Requires net access to \"api.x.com:443\", run again with the --allow-net flag", "give deno the permission that the"),
    ("bun test", "error: Cannot find module \"@/lib/x\" from \"/w/p/src/a.test.ts\"", "correct the import, or the folder"),
    ("cargo test", "error[E0433]: failed to resolve: use of undeclared crate or module `tokio`\n --> src/main.rs:1:5\n\nerror: could not compile `p` (bin \"p\" test) due to 1 previous error", "have the agent run `cargo test`"),
    ("golangci-lint run", "level=error msg=\"Running error: context loading failed: no go files to analyze: running `go mod tidy` may solve the problem\"", "run the linter in the folder that"),
    ("./gradlew test", "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not determine java version from '17.0.1'.", "use a newer Gradle"),
    ("rails s", "A server is already running (pid: 123, file: /w/p/tmp/pids/server.pid).", "stop that server, or remove its"),
    ("dotnet ef database update", "Could not execute because the specified command or file was not found.\nPossible reasons for this include:\n  * You misspelled a built-in dotnet command.\n  * You intended to execute a .NET program, but dotnet-ef does not exist.", "install the tool: `dotnet tool"),
    ("make test", "bash: line 1: pytest: command not found\nmake: *** [Makefile:5: test] Error 127", "tell the agent to run it in the"),
    ("./run.sh", "bash: ./run.sh: Permission denied", "make it executable (`chmod +x"),
    ("source .venv/bin/activate", "bash: .venv/bin/activate: No such file or directory", "install `activate` in the"),
    ("sudo systemctl restart x", "sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required", "allow the agent's user to run"),
    ("wget https://a.b/c.zip", "--2026-11-20 10:00:00--  https://a.b/c.zip\nResolving a.b (a.b)... failed: Temporary failure in name resolution.\nwget: unable to resolve host address 'a.b'", "check the name, the port and the"),
    ("convert a.png b.pdf", "convert-im6.q16: attempt to perform an operation not allowed by the security policy `PDF' @ error/constitute.c/IsCoderAuthorized/426.", "allow this format in"),
    ("unzip a.zip", "unzip:  cannot find or open a.zip, a.zip.zip or a.zip.ZIP.", "look for what names `a.zip` to"),
    ("ls /nonexist", "ls: cannot access '/nonexist': No such file or directory", "look for what names `/nonexist`"),
    ("shellcheck a.sh", "In a.sh line 3:\nrm $x\n   ^-- SC2086 (info): Double quote to prevent globbing and word splitting.", "have the agent run `shellcheck`"),
    ("hadolint Dockerfile", "Dockerfile:3 DL3008 warning: Pin versions in apt get install.", "have the agent run `hadolint`"),
    ("actionlint", ".github/workflows/ci.yml:5:7: unexpected key \"foo\" for \"job\" section [syntax-check]", "have the agent run `actionlint`"),
    ("pytest --cov", "pytest: error: unrecognized arguments: --cov\n  inifile: /w/p/pyproject.toml\n  rootdir: /w/p", "install `pytest-cov` where the"),
    ("pytest", "==== ERRORS ====\n____ ERROR collecting tests/test_a.py ____\ntests/test_a.py:1: in <module>\n    from src.a import b\nE   ImportError: cannot import name 'b' from 'src.a' (/w/p/src/a.py)\n=== short test summary info ===\nERROR tests/test_a.py\n!!!! Interrupted: 1 error during collection !!!!", "correct the name, or define it in"),
    ("tox", "ERROR: could not find python interpreter matching any of the specs python3.8", "install this version of Python"),
    ("poetry run pytest", "Command not found: pytest", "tell the agent to run it in the"),
    ("python setup.py install", "error: can't create or remove files in install directory\n\n[Errno 13] Permission denied: '/usr/local/lib/python3.11/dist-packages/x.pth'", "install into a virtual"),
    ("streamlit run app.py", "Error: Invalid value: File does not exist: app.py", "look for what names `app.py` to"),
    ("python train.py", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x128 and 256x10)", "print both shapes before this"),
    ("python train.py", "ValueError: Found input variables with inconsistent numbers of samples: [100, 90]", "look at the lengths of both: each"),
    ("python a.py", "openai.NotFoundError: Error code: 404 - {'error': {'message': 'The model `gpt-9` does not exist or you do not have access to it.', 'type': 'invalid_request_error'}}", "name a model that this account"),
    ("python a.py", "selenium.common.exceptions.WebDriverException: Message: 'chromedriver' executable needs to be in PATH.", "install the driver that fits the"),
    ("python a.py", "Killed", "look at the memory first"),
    ("node --version", "node: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found (required by node)", "use a build for this system's"),
    ("npx cypress run", "The cypress npm package is installed, but the Cypress binary is missing.\n\nPlease reinstall Cypress by running: cypress install", "run `npx cypress install` when"),
    ("emulator -avd x", "PANIC: Unknown AVD name [x], use -list-avds to see valid list.", "take a name that `emulator"),
    ("cargo publish", "error: failed to publish to registry at https://crates.io\n\nCaused by:\n  the remote server responded with an error (status 403 Forbidden): must be logged in", "log in with the program itself"),
    ("rustup run nightly cargo build", "error: toolchain 'nightly-x86_64-unknown-linux-gnu' is not installed", "install the toolchain (`rustup"),
    ("go build", "./main.go:9:2: undefined: foo", "declare or import this name: the"),
    ("go mod tidy", "go: example.com/p imports\n\tgithub.com/a/b: github.com/a/b@v1.0.0: parsing go.mod:\n\tmodule declares its path as: github.com/c/b\n\t        but was required as: github.com/a/b", "require the module by the path"),
    ("ansible all -m ping", "[WARNING]: No inventory was parsed, only implicit localhost is available", "name the inventory (`-i"),
    ("vagrant up", "No usable default provider could be found for your system.", "install a provider for the"),
    ("packer build a.json", "Error: Failed to initialize build \"amazon-ebs\"", "run `packer init` before"),
    ("crontab -l", "no crontab for root", "nothing needs to be done: this"),
    ("ln -s a b", "ln: failed to create symbolic link 'b': File exists", "look at what is there first, or"),
    ("mv a b", "mv: cannot stat 'a': No such file or directory", "look for what names `a` to the"),
    ("screen -r", "There is no screen to be resumed.", "start the session first (`screen"),
    ("open a.html", "bash: open: command not found", "use `xdg-open` on Linux; an agent"),
    ("npm install", "npm warn EBADENGINE Unsupported engine {\nnpm warn EBADENGINE   package: 'x@1.2.3',\nnpm warn EBADENGINE   required: { node: '>=20' },\nnpm warn EBADENGINE   current: { node: 'v18.1.0', npm: '8.11.0' }\nnpm warn EBADENGINE }\nnpm error code EINTEGRITY\nnpm error sha512-abc integrity checksum failed when using sha512: wanted sha512-abc but got sha512-def. (123 bytes)", "clear the cache (`npm cache clean"),
    ("npm ci", "npm error code ETARGET\nnpm error notarget No matching version found for left-pad@9.9.9.\nnpm error notarget In most cases you or one of your dependencies are requesting\nnpm error notarget a package version that doesn't exist.", "look up the versions that exist"),
    ("npm install", "npm error code ENOTEMPTY\nnpm error syscall rename\nnpm error path /w/p/node_modules/x", "remove `node_modules` and install"),
    ("npx webpack", "ERROR in ./src/a.js 3:0-20\nModule not found: Error: Can't resolve './b' in '/w/p/src'", "correct the import, or the folder"),
    ("npx rollup -c", "[!] RollupError: Could not resolve \"./b\" from \"src/a.js\"", "correct the import, or the folder"),
    ("npx tailwindcss -i a.css", "npm error could not determine executable to run", "name the package that has the"),
    ("npx tsc", "tsconfig.json(5,5): error TS5023: Unknown compiler option 'foo'.", "have the agent run `tsc` after"),
    ("npx tsc", "error TS18003: No inputs were found in config file '/w/p/tsconfig.json'.", "have the agent run `tsc` after"),
    ("npx tsc -p .", "src/a.ts(1,19): error TS2307: Cannot find module './b' or its corresponding type declarations.", "correct the import, or the folder"),
    ("python a.py", "FileNotFoundError: [Errno 2] No such file or directory: 'data/x.csv'", "look for what names `data/x.csv`"),
    ("python a.py", "pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\napi_key\n  Field required [type=missing, input_value={}, input_type=dict]", "give this field a value: in the"),
    ("python a.py", "ImportError: cannot import name 'BaseSettings' from 'pydantic' (/w/.venv/lib/python3.11/site-packages/pydantic/__init__.py)", "install `pydantic-settings` and"),
    ("python a.py", "PydanticImportError: `BaseSettings` has been moved to the `pydantic-settings` package.", "install `pydantic-settings` and"),
    ("python a.py", "OSError: [E050] Can't find model 'en_core_web_sm'. It doesn't seem to be a Python package or a valid path to a data directory.", "download the model when the"),
    ("python a.py", "LookupError: \n**********************************************************************\n  Resource punkt not found.\n  Please use the NLTK Downloader to obtain the resource:\n\n  >>> import nltk\n  >>> nltk.download('punkt')", "download the data when the"),
    ("python a.py", "OSError: We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files and it looks like bert-base is not the path to a directory containing a file named config.json.", "download the model before the"),
    ("python a.py", "ImportError: libGL.so.1: cannot open shared object file: No such file or directory", "install the system's package that"),
    ("python a.py", "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject", "install both packages again so"),
    ("python a.py", "RuntimeError: CUDA error: no kernel image is available for execution on the device", "install the build for this GPU's"),
    ("python a.py", "httpx.ReadTimeout: The read operation timed out", "check the name, the port and the"),
    ("python a.py", "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate (_ssl.c:1006)", "give the program the certificate"),
    ("python a.py", "socket.gaierror: [Errno -3] Temporary failure in name resolution", "check the name, the port and the"),
    ("python a.py", "yaml.scanner.ScannerError: mapping values are not allowed here\n  in \"a.yml\", line 3, column 9", "look at this line of the YAML:"),
    ("python a.py", "tomllib.TOMLDecodeError: Invalid value (at line 3, column 7)", "correct the TOML at the line that"),
    ("python a.py", "jinja2.exceptions.TemplateNotFound: index.html", "look at where the templates are:"),
    ("composer require x/y", "Could not find a matching version of package x/y. Check the package spelling, your version constraint and that the package is available in a stability which matches your minimum-stability (stable).", "look up the name and the versions"),
    ("sqlite3 a.db", "Error: unable to open database \"a.db\": unable to open database file", "make the folder of the database"),
    ("docker compose up", "service \"web\" depends on undefined service \"db\": invalid compose project", "declare this service in the file,"),
    ("kubectl apply -f a.yaml", "error: error parsing a.yaml: error converting YAML to JSON: yaml: line 5: mapping values are not allowed in this context", "look at this line of the YAML:"),
    ("kubectl rollout status deploy/x", "error: deployment \"x\" exceeded its progress deadline", "look at why its pods do not start"),
    ("helm upgrade x .", "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress", "wait for the other operation, or"),
    ("terraform init", "Error: Failed to query available provider packages\n\nCould not retrieve the list of available versions for provider hashicorp/aws: could not connect to registry.terraform.io", "check the name, the port and the"),
    ("terraform plan", "Error: No value for required variable\n\n  on variables.tf line 1:\n   1: variable \"region\" {}", "pass the variable (`-var`,"),
    ("ansible-playbook a.yml", "ERROR! couldn't resolve module/action 'community.docker.docker_container'. This often indicates a misspelling, missing collection, or incorrect module path.", "install the collection that has"),
    ("git fetch", "fatal: unable to access 'https://github.com/a/b.git/': Could not resolve host: github.com", "check the name, the port and the"),
    ("git lfs pull", "Error downloading object: a.bin (abc): Smudge error: batch response: This repository is over its data quota.", "clone without these files"),
    ("gh workflow run a.yml", "could not create workflow dispatch event: HTTP 422: Workflow does not have 'workflow_dispatch' trigger", "add `workflow_dispatch` to the"),
    ("ssh a@b", "ssh: connect to host b port 22: Connection timed out", "check the name, the port and the"),
    ("pyenv local 3.12", "pyenv: version `3.12' not installed", "install this version (`pyenv"),
    ("cargo run", "error: a bin target must be available for `cargo run`", "run it in a crate that has a"),
    ("cargo test foo", "error: there are multiple `rand` packages in your project, and the specification `rand` is ambiguous.", "name the package with its version"),
];

#[test]
fn each_error_has_its_advice() {
    let mut wrong = Vec::new();
    for (input, output, advice) in ROWS {
        let mut analysis = Analysis::default();
        for event in 0..2 {
            let session = u32::from(event > 0);
            analysis.add(&Call { event, session, name: "Bash", kind: K::ExitNonzero, input, output, ..Call::FAILED });
        }
        let found = reports(&analysis);
        let given = found.first().map_or("", |report| report.direction.as_str());
        if !given.starts_with(advice) {
            let title = found.first().map_or("", |report| report.title.as_str());
            wrong.push(format!("{input}: {output:?}\n  expected {advice}\n  found    {given} ({title})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! What helps against errors that are known by their line and have no cause of their own. To add one, add a row.

use Reach::{Line, Output};

use crate::output::removed::successor;

/// Where a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The sentence explains a failure wherever it stands in the output.
    Output,
    /// The sentence says what helps only if its line is the one that explains the failure.
    Line,
}

/// A part of a line, and what to do. A part that begins a sentence lacks its first letter, so that it matches both cases.
/// The first row that fits a line wins.
#[rustfmt::skip]
pub(crate) const REMEDIES: &[(Reach, &str, &str)] = &[
    // Python: packages and environments.
    (Output, "ResolutionImpossible", CONFLICTING),
    (Output, "have conflicting dependencies", CONFLICTING),
    (Output, "o solution found when resolving dependencies", CONFLICTING),
    (Output, "ould not find a version that matches", CONFLICTING),
    (Output, "ersion solving failed", CONFLICTING),
    (Output, "pg_config executable not found", "install the development files of PostgreSQL (Debian: `libpq-dev`), or use `psycopg2-binary`, which is compiled already"),
    (Output, "pkg-config command could not be", "install pkg-config and the development package of the library that it asks for (Debian: `pkg-config`, `lib…-dev`)"),
    (Output, "ailed building wheel for ", COMPILED),
    (Output, "error: metadata-generation-failed", COMPILED),
    (Output, "rror: command 'gcc' failed", COMPILED),
    (Output, "rror: command 'x86_64-linux-gnu-gcc' failed", COMPILED),
    (Output, "icrosoft Visual C++ 14.0 or greater is required", COMPILED),
    (Output, "o virtual environment found; run `uv venv`", "make the environment first (`uv venv`), or have the agent use `uv run` and `uv add`, which make it themselves"),
    (Output, "ailed to deserialize cache entry", UV_CACHE),
    (Output, "ailed to read from the distribution cache", UV_CACHE),
    (Output, "ailed to parse `uv.lock`", "make the lock file again: delete uv.lock and run `uv lock`"),
    (Output, "ailed to parse lock file", "make the lock file again with the version of the tool that the project uses: it cannot be read"),
    (Output, "ResolvePackageNotFound", CONDA),
    (Output, "are not available from current channels", CONDA),
    (Output, "changed significantly since poetry.lock", "run `poetry lock` after a change of pyproject.toml, and commit both files"),
    (Output, "ensurepip is not", "install the package that Python's environments need (Debian: `python3-venv`), or use `uv venv`"),
    (Output, "does not appear to be a Python project", "run it in the folder that has the pyproject.toml"),
    (Output, "o such kernel named ", "install the kernel in the environment that runs the notebook: `python -m ipykernel install --user --name NAME`"),
    (Output, "Multiple top-level packages discovered", "name the packages in pyproject.toml (`[tool.setuptools] packages = […]`), or move the code into `src/`"),
    (Output, "do not currently have this command group installed", "install the component that the message names: `gcloud components install NAME`"),
    // Python: code.
    (Output, "'__main__' is not a package", "run it as a module from the project's root (`python -m package.module`), not as a file"),
    (Output, "' is not a package", "look which file Python takes for the package (`python -c \"import NAME; print(NAME.__file__)\"`): it found a module of that name"),
    (Output, "dministrator privilege required", "run it in a terminal that was started as administrator, or in another way that needs no such rights (a junction or a copy in place of a symbolic link)"),
    (Output, "There is no item named ", "look at what the archive holds before an entry is read (`python -m zipfile -l FILE`)"),
    (Output, "with encoding declaration are not supported", "give the parser bytes: open the file with `\"rb\"`"),
    (Output, "(most likely due to a circular import)", "move the shared names into a module of their own, or import inside the function: the two modules import each other"),
    (Output, "attempted relative import with no known parent package", "run it as a module from the project's root (`python -m package.module`), not as a file"),
    (Output, "attempted relative import beyond top-level package", "run it as a module from a folder above the package (`python -m package.module`)"),
    (Output, "odels aren't loaded yet", "call `django.setup()` before models are imported, or use the script with which the project runs its tests"),
    (Output, "settings are not configured", "call `settings.configure()` and `django.setup()` at the top of a script of one's own, set `DJANGO_SETTINGS_MODULE`, or use the script with which the project runs its tests"),
    (Output, "has no attribute '__file__'", "name the tests as the project's own test script does: the folder that was named is no package"),
    (Output, "doesn't declare an explicit app_label", "name the tests as the project's own test script does, and not by a path from the root: the module is imported under a name that INSTALLED_APPS does not have"),
    (Output, "SECRET_KEY setting must not be empty", "set the project's variables for the agent (such as SECRET_KEY, in an `.env` file or in the command)"),
    (Output, "[type=missing, ", "set this variable for the agent: the program's settings need it (`.env` or the environment)"),
    (Output, "async def functions are not natively supported", "install `pytest-asyncio` (or `anyio`) and mark the tests, or set `asyncio_mode = \"auto\"`"),
    (Output, "maximum recursion depth exceeded", "look for the function that calls itself without an end: the trace repeats it"),
    (Output, "ound no NVIDIA driver", NO_GPU),
    (Output, "orch not compiled with CUDA enabled", NO_GPU),
    (Output, "o CUDA GPUs are available", NO_GPU),
    (Output, "no CUDA-capable device", NO_GPU),
    (Output, "nvidia-container-cli: ", NO_GPU),
    (Output, "be on the same device, but found at least two devices", "move the model and its inputs to the same device (`.to(device)`)"),
    (Output, "an't locate revision identified by", "bring the migrations and the database to the same state: the database names a revision whose file is not in this branch"),
    (Output, "arget database is not up to date", "run `alembic upgrade head` before a new revision is made"),
    (Output, "ultiple head revisions are present", HEADS),
    (Output, "ultiple heads are present", HEADS),
    (Output, "an't pickle ", "give the other process plain data: what is passed here cannot be pickled"),
    (Output, "the current Numpy installation", "reinstall NumPy in this environment: its parts are from different versions"),
    (Output, "A module that was compiled using NumPy 1", "pin `numpy<2`, or update the module that was compiled against the older version"),
    // Databases.
    (Output, ") in file header", "use a `pg_restore` that is at least as new as the `pg_dump` that wrote the file"),
    // Shells of agents.
    (Output, "annot execute multiple commands at once", "have the agent chain its commands with `&&` or `;`, or send one at a time"),
    // Formatters and linters.
    (Output, "would be reformatted", FORMAT),
    (Output, "ould reformat", FORMAT),
    (Output, "Diff in /", FORMAT),
    (Output, "ode style issues found", FORMAT),
    (Output, "rettier to fix", FORMAT),
    (Output, "ormatter would have printed", FORMAT),
    (Output, "ot formatted", FORMAT),
    (Output, "brary stubs not installed for ", "install the stubs that mypy names (`types-…`), or allow `mypy --install-types`"),
    // JavaScript: package managers.
    (Output, "can only install packages when your package.json and", LOCK_FILE),
    (Output, "ERR_PNPM_OUTDATED_LOCKFILE", LOCK_FILE),
    (Output, "the lockfile is incompatible with this version of pnpm", PNPM_VERSION),
    (Output, "the lockfile is not compatible with this version of pnpm", PNPM_VERSION),
    (Output, "_WITH_OUTDATED_LOCKFILE", LOCK_FILE),
    (Output, "ERR_PNPM_LOCKFILE_CONFIG_MISMATCH", PNPM_VERSION),
    (Output, "lockfile would have been modified by this install", LOCK_FILE),
    (Output, "lockfile had changes, but lockfile is frozen", LOCK_FILE),
    (Output, "ERESOLVE ", "choose versions that fit each other (the lines below name the two), or install with `--legacy-peer-deps` and say so in the agent's instructions"),
    (Output, "peer dependencies conflict", "choose versions that fit each other (the lines above name the two)"),
    (Output, "gyp ERR! find Python", "install Python and a C compiler for packages that are compiled on installation, or use a version with a ready binary"),
    (Output, "npm error code EJSONPARSE", "repair package.json: it is no valid JSON"),
    (Output, "ERR_PNPM_PEER_DEP_ISSUES", "choose versions that fit each other, or list the exceptions in `pnpm.peerDependencyRules`"),
    (Output, "workspace not found", "name the workspace as its package.json does"),
    (Output, "o workspaces found", "name the workspace as its package.json does"),
    // JavaScript: tools and code.
    (Output, "ollup failed to resolve import", "install the package that the import names, or correct its path"),
    (Output, "ailed to resolve import ", "install the package that the import names, or correct its path and the alias in the configuration"),
    (Output, "couldn't find a configuration file", "add the configuration that the tool looks for, or run it in the folder that has one"),
    (Output, "encountered an unexpected token", "tell the test runner how to compile this file (`transform` in jest's configuration, or Babel or ts-jest)"),
    (Output, "xecutable doesn't exist at", BROWSERS),
    (Output, "lease run the following command to download new browsers", BROWSERS),
    (Output, "ould not find Chrome", BROWSERS),
    (Output, "ould not find browser", BROWSERS),
    (Output, "ost system is missing dependencies", "install the libraries that the browser needs: `npx playwright install-deps`"),
    (Output, "unning as root without --no-sandbox", "start the browser with `--no-sandbox` in this environment, or as another user than root"),
    (Output, "xceeded while waiting for", "look at the page (a snapshot or a screenshot) before the step: the element is not there, or has another name"),
    (Output, "rict mode violation", "name the element exactly, by its role and name: the locator fits several"),
    (Output, "waiting for locator(", "look at the page (a snapshot or a screenshot) before the step: the element is not there, or has another name"),
    (Output, "rror: P1000", "correct the user and the password in DATABASE_URL"),
    (Output, "OperationalError: (2059, ", MYSQL_PLUGIN),
    (Output, "uthentication plugin '", MYSQL_PLUGIN),
    (Output, "rror: P3009", "resolve the failed migration first (`prisma migrate resolve`)"),
    (Output, "rift detected", "do not change the database by hand: make a migration, or reset the development database with the user's consent"),
    (Output, "nvironment variable not found: ", "set this variable for the agent (in `.env`, or in the command)"),
    (Output, "did not initialize yet. Please run \"prisma generate\"", "run `prisma generate` after each installation and each change of the schema"),
    (Output, "contains files that could conflict", "use an empty folder, or move the files that the message lists"),
    (Output, "nknown file extension \".ts\"", "run TypeScript with a program that compiles it (`tsx`, `ts-node`, Node 22.18 or newer), or build it first"),
    (Output, "await is only valid in async functions", "put the code into an async function, or make the file a module (`.mjs`, `\"type\": \"module\"`)"),
    (Output, "issing parameter name at ", "write routes for the installed version of path-to-regexp: a wildcard has a name there (`/*path`, not `*`)"),
    (Output, "s another instance of next dev running", "stop the server of an earlier step: only one may run in this folder"),
    (Output, "odule did not self-register", "rebuild the compiled module for this version of Node (`npm rebuild`)"),
    (Output, "ERR_REQUIRE_ESM", "load this package with `import`, or use an older version of it: it is a module that `require` cannot load"),
    (Output, "xports is not defined in ES module scope", "write `export` in this project, or give the file the ending `.cjs`"),
    (Output, "ydration failed", "render the same on the server and in the browser: dates, random numbers and `window` differ"),
    (Output, "nvalid hook call", "keep one version of React (`npm ls react`), and call hooks only in components"),
    (Output, "it needs to be a Client Component", "begin the file with `\"use client\"`, or move the hook into a component that does"),
    (Output, "nsupported server component", "begin the file with `\"use client\"`"),
    (Output, "ENOSPC: System limit for number of file watchers", "raise `fs.inotify.max_user_watches`, or watch fewer folders"),
    (Output, "EMFILE: too many open files", "raise the limit of open files (`ulimit -n`), or watch fewer folders"),
    (Output, "ERR_OSSL_EVP_UNSUPPORTED", "update the bundler, or set `NODE_OPTIONS=--openssl-legacy-provider`"),
    // Rust.
    (Output, "inker `cc` not found", "install a C compiler, which Rust needs as its linker (Debian: `build-essential`)"),
    (Output, "inker `link.exe` not found", "install the C++ build tools of Visual Studio"),
    (Output, "ould not find directory of OpenSSL installation", "install the development files of OpenSSL (Debian: `libssl-dev pkg-config`), or use a feature of the crate without OpenSSL (such as rustls)"),
    (Output, "o signing certificate ", SIGNING),
    (Output, "o such module 'PackageDescription'", "let the tools use a whole toolchain of Swift (`sudo xcode-select --switch /Applications/Xcode.app/Contents/Developer`): this one cannot read Package.swift"),
    (Output, "requires a development team", SIGNING),
    (Output, "requires a provisioning profile", SIGNING),
    (Output, "he system library `", "install the development package of this library (Debian: `lib…-dev`), and `pkg-config`"),
    (Line, "ailed to run custom build command for ", "look at what the build script prints below: mostly it lacks a system library or a program"),
    (Line, "kind: NotFound, message: \"No such file", "find out which program or file is started or opened at this place: it is not there (a build script may need `make`, `cmake`, `perl` or `protoc`)"),
    (Output, "needs to be updated but --locked was passed", "run it once without `--locked` after a change of Cargo.toml, and commit Cargo.lock"),
    (Output, "target may not be installed", "install the target: `rustup target add TARGET`"),
    (Output, "s not installed for the toolchain", "install the component: `rustup component add NAME`"),
    (Output, "ould not be found in registry index", "look up the name of the crate (`cargo search NAME`): the registry has none of this name"),
    (Output, "ailed to select a version for", "choose versions that fit each other: the message names the packages and what they need"),
    (Output, "locking waiting for file lock", "wait for the other cargo, or give each its own target folder (`CARGO_TARGET_DIR`)"),
    (Output, "does not contain this feature: ", "name a feature that the crate's Cargo.toml has"),
    (Output, "package ID specification ", "name a package of this workspace (`cargo metadata --no-deps`)"),
    (Output, "o bin target named ", "name a binary that the package has (`cargo run --bin`, without a name, lists them)"),
    (Output, "o test target named ", "name a test that the package has (`cargo test --test`, without a name, lists them)"),
    // Go.
    (Output, "updates to go.mod needed", TIDY),
    (Output, "issing go.sum entry", TIDY),
    (Output, "nconsistent vendoring", "run `go mod vendor` after a change of go.mod"),
    (Output, "-race requires cgo", "set `CGO_ENABLED=1` and install a C compiler, or leave `-race` out"),
    (Output, "invalid memory address or nil pointer dereference", "check the value before it is used: the first line of the project below `goroutine` is where it is nil"),
    (Output, "race detected during execution of test", "guard what both goroutines use (a mutex, a channel): the report names the two places"),
    (Output, "all goroutines are asleep - deadlock", "look for a channel or a wait group that nothing completes"),
    (Output, "import cycle not allowed", "move what both packages need into a third one"),
    (Output, "se of internal package ", "do not import packages below `internal/` of another module"),
    (Output, "eclared and not used", "remove the variables that nothing uses, or use them: Go refuses to compile them"),
    (Output, "imported and not used", "remove the imports that nothing uses (`goimports -w`): Go refuses to compile them"),
    // Java, Kotlin and Android.
    (Output, "annot find symbol", "import or declare the symbol that the message names, at that line"),
    (Output, "ncompatible types: ", "convert the value to the type that is wanted at that line"),
    (Output, "ould not resolve placeholder", "set this property, for the tests as well: in `application.properties` or the environment"),
    (Output, "nreported exception ", "catch this exception, or declare it (`throws`)"),
    (Output, "JAVA_HOME environment variable is not defined", "install a JDK and set JAVA_HOME in the agent's environment"),
    (Output, "JAVA_HOME is set to an invalid directory", "set JAVA_HOME to a folder that has a JDK"),
    (Output, "JAVA_HOME is not set", "install a JDK and set JAVA_HOME in the agent's environment"),
    (Output, "SDK location not found", "install the Android SDK and set ANDROID_HOME, or `sdk.dir` in local.properties"),
    (Output, "nvalid target release", JDK),
    (Output, "nvalid source release", JDK),
    (Output, "UnsupportedClassVersionError", JDK),
    (Output, "nsupported class file major version", "run it with an older JDK (`JAVA_HOME`), or update Gradle: this version of the build tool cannot read the classes of this JDK (61 is Java 17, 65 is Java 21)"),
    (Line, "Source option ", SOURCE_LEVEL),
    (Line, "Target option ", SOURCE_LEVEL),
    (Output, "nable to access jarfile", "build the archive first, and name it as the build does: it is not there"),
    (Output, "ould not find artifact ", "correct the name or the version of the dependency, or add the repository that has it"),
    (Output, "ould not resolve all files for configuration", "look at the dependency below this line: no repository has it, or it cannot be reached"),
    (Output, "ould not find or load main class", "correct the class path and the name of the class, with its package"),
    (Line, "CUDA out of memory", "use a smaller batch, a smaller model or a lower precision: the memory of the GPU is full"),
    (Output, "OutOfMemoryError", "give the JVM more memory (`-Xmx`, `org.gradle.jvmargs`)"),
    (Output, "icenses have not been accepted", "accept the licences once: `sdkmanager --licenses`"),
    (Output, "ould not open settings generic class cache", "use a version of Gradle that knows this JDK"),
    // C and C++.
    (Output, ".h: No such file or directory", HEADER),
    (Output, ".hpp: No such file or directory", HEADER),
    (Output, "nclude file not found", HEADER),
    (Output, "undefined reference to ", "link what defines this name: add the source or the library to the command, or to the target in the build file"),
    (Output, "ld: cannot find -l", "install the development package of this library, or name its folder with `-L`"),
    (Output, "multiple definition of ", "define this name in one file only, and declare it elsewhere"),
    (Output, "ld: library not found for -l", "install this library, or name its folder with `-L`"),
    (Output, "y not providing \"Find", CMAKE_PACKAGE),
    (Output, "did not find one", CMAKE_PACKAGE),
    (Output, "ould NOT find ", CMAKE_PACKAGE),
    (Output, "ould not find a package configuration file provided by", CMAKE_PACKAGE),
    (Output, "ould not load cache", "configure the build folder first (`cmake -S . -B build`): it has no `CMakeCache.txt`"),
    (Output, "does not appear to contain CMakeLists.txt", "name the folder that has the CMakeLists.txt: `cmake -S FOLDER -B build`"),
    (Output, "does not match the source", "remove the old build folder: it was made for other sources"),
    (Output, "o CMAKE_CXX_COMPILER could be found", "install a C++ compiler (Debian: `build-essential`)"),
    (Output, "o CMAKE_C_COMPILER could be found", "install a C compiler (Debian: `build-essential`)"),
    (Output, "egmentation fault", "run it in a debugger or with `-fsanitize=address`, which names the line"),
    (Output, "free(): invalid", "build it with `-fsanitize=address`, which names the line"),
    (Output, "double free", "build it with `-fsanitize=address`, which names the line"),
    (Output, "tack smashing detected", "build it with `-fsanitize=address`, which names the line"),
    // Ruby, PHP, .NET, Swift, Dart, Elixir.
    (Output, "in locally installed gems", BUNDLE),
    (Output, "undler could not find compatible versions", "choose versions that fit each other, or run `bundle update` for the gem that the message names"),
    (Output, "igrations are pending", "run `bin/rails db:migrate` (with `RAILS_ENV=test` for tests) before this step"),
    (Output, "ailed to build gem native", "install a compiler and the development files that the gem asks for (Debian: `build-essential`, `ruby-dev`, and the `-dev` package of the library that the lines above name)"),
    (Output, "and Bundler cannot continue", "look at the error above: the gem is compiled on installation and lacks a library or a compiler"),
    (Output, "equirements could not be resolved to an installable set", "choose versions that exist and fit this PHP and each other: Composer lists what does not, from `Problem 1` on"),
    (Output, "vendor/autoload.php", "run `composer install` first"),
    (Output, "SQLSTATE[HY000] [2002]", "start the database before this step, or correct its host and port in `.env`"),
    (Output, "SQLSTATE[HY000] [1045]", "correct the user and the password of the database in `.env`"),
    (Output, "ould not find driver (", PHP_DRIVER),
    (Output, "xception: could not find driver", PHP_DRIVER),
    (Output, "driver: could not find driver", PHP_DRIVER),
    (Output, "llowed memory size of ", "raise `memory_limit` (`php -d memory_limit=-1`), or do less at once"),
    (Output, "the PHP extension ", "install this extension of PHP for the version that the agent uses"),
    (Output, "o application encryption key has been specified", "copy `.env.example` to `.env`, and run `php artisan key:generate`"),
    (Output, "compatible .NET SDK was not found", "install the version of the SDK that global.json names, or change it there"),
    (Output, "pecify a project or solution file", "run it in the folder that has the project file, or name that file"),
    (Output, "our startup project '", "add the package that the message names to the startup project: `dotnet add PROJECT package NAME`"),
    (Output, "error NU1105", RESTORE),
    (Output, "error NETSDK1004", RESTORE),
    (Output, "project.assets.json' not found", RESTORE),
    (Output, "without having set the STATIC_ROOT setting", "set `STATIC_ROOT` in the project's settings before `collectstatic` runs"),
    (Output, "must set settings.ALLOWED_HOSTS", "set `ALLOWED_HOSTS` in the project's settings, or `DEBUG` for development"),
    (Output, "no secret key was set", "set the application's `SECRET_KEY` before a session is used, from the environment or a configuration file"),
    (Output, "'SQLALCHEMY_DATABASE_URI' or", "set `SQLALCHEMY_DATABASE_URI` in the application's configuration before the database is initialised"),
    (Output, "error NU1101", "look up the name of the package, or add the source that has it"),
    (Output, "error NU1102", "name a version that the source has"),
    (Output, "error NU1100", "add the source that has the package (`dotnet nuget list source` shows those that are there), or name a version that exists for this framework"),
    (Output, "rror NETSDK1045", "install the version of the SDK that the project targets, or target an installed one"),
    (Output, "ould not find a Mix.Project", "run it in the folder that has the mix.exs"),
    (Output, "nchecked dependencies for environment", "run `mix deps.get` first"),
    (Output, "ould not compile dependency :", "use the versions of Elixir and Erlang that the project asks for, or update the dependency (`mix deps.update NAME`): it does not compile here"),
    (Output, "rlang error: :enoent", "install the program that the frame below starts (`System.cmd` names it, such as `make`): it was not found"),
    (Output, "o pubspec.yaml file found", "run it in the folder that has the pubspec.yaml"),
    (Output, "ry running \"flutter pub get\"", "run `flutter pub get` first"),
    // Containers.
    (Output, "docker daemon is not running", "start Docker on this machine, or tell the agent that it has none here"),
    (Output, "annot connect to the Docker daemon", "start Docker on this machine, or tell the agent that it has none here"),
    (Output, "ouldn't connect to Docker daemon", "start Docker on this machine, or tell the agent that it has none here"),
    (Output, "'WaitNamedPipe'", "start Docker on this machine, or tell the agent that it has none here"),
    (Output, ", which is an invalid type, it should be ", "give the value the type that the message names: put it in quotes if it must be a text"),
    (Output, "oes not have a Release file", "use an image of a newer release of the distribution, or its archive: this one is no longer served"),
    (Line, "is not valid yet", "set the clock of this machine: what it got is dated later than the clock"),
    (Line, "nable to fetch some archives", "run `apt-get update` in the same step before `apt-get install`: the list of packages is older than the server"),
    (Line, "ailed to query available provider packages", "correct the provider in `required_providers` of each module (`terraform providers` lists them): its source address, such as `hashicorp/aws`, or its version"),
    (Output, "(PermanentRedirect)", REGION),
    (Output, "<botocore.awsrequest.AWSRequest object", REGION),
    (Output, "failed to connect to the docker API", "start Docker on this machine, or tell the agent that it has none here"),
    (Output, "failed to calculate checksum of ref", BUILD_CONTEXT),
    (Output, "forbidden path outside the build context", BUILD_CONTEXT),
    (Output, "annot connect to the Podman socket", "start Podman's service, or tell the agent that it has none here"),
    (Output, "o such container: ", "list the containers first (`docker ps -a`): none has this name"),
    (Output, "\" is not running", "start the service first (`docker compose up -d`), and look at its log if it ends by itself"),
    (Output, "o such service: ", "name a service that the compose file has (`docker compose config --services`)"),
    (Output, "he container name \"", "remove the old container first (`docker rm -f NAME`), or start the one that exists"),
    (Output, "dditional property ", "correct the compose file: the key is unknown at this place, or is indented wrongly"),
    (Output, "manifest unknown", "name a tag that the registry has"),
    (Output, "o matching manifest for ", "use an image for this architecture, or set `--platform`"),
    (Output, "xec format error", "use a build for the architecture of this machine, and give a script a `#!` line"),
    (Output, "OCI runtime exec failed", "name a program that the image has"),
    (Output, "did you specify the right host or port", "set KUBECONFIG or choose the context (`kubectl config use-context`): kubectl knows no cluster"),
    (Output, "rror from server (NotFound)", "list what exists first (`kubectl get … -A`), or name the namespace"),
    (Output, "rror from server (Forbidden)", "give the agent's account the role that this needs, or leave the step to a person"),
    (Output, "rror from server (AlreadyExists)", "use `kubectl apply` instead of `create`"),
    (Output, "rror validating data", "correct the manifest at the field that the message names"),
    (Output, "o matches for kind ", "install the CRD first, or correct `apiVersion` and `kind`"),
    (Output, "annot re-use a name that is still in use", "use `helm upgrade --install`"),
    (Output, "epositories must be configured", "add the repository first: `helm repo add`"),
    // Clouds and services.
    (Output, "lease run \"terraform init\"", INIT),
    (Output, "ackend initialization required", INIT),
    (Output, "rovider requirements cannot be satisfied", INIT),
    (Output, "eference to undeclared ", "declare it, or correct its name, at the line that the message names"),
    (Output, "rror acquiring the state lock", "wait for the other run, or ask a person whether the lock is stale (`terraform force-unlock`)"),
    (Output, "nsupported argument", "look up the arguments of this resource in the installed version of the provider"),
    (Output, "is not authorized to perform: ", "give the agent's role the action that the message names, or leave the step to a person"),
    (Output, "AccessDenied", "give the agent's role the action that the message names, or leave the step to a person"),
    (Output, "ou must specify a region", "set AWS_REGION for the agent, or pass `--region`"),
    (Output, "o such bucket", "correct the name of the bucket, or make it first"),
    (Output, "NoSuchBucket", "correct the name of the bucket, or make it first"),
    (Output, "ResourceNotFoundException", "list what exists in this account and region first: nothing has this name"),
    (Output, "PERMISSION_DENIED", "give the agent's account the role that this needs, or leave the step to a person"),
    (Output, "roperty [project] is not currently set", "set the project: `gcloud config set project ID`, or pass `--project`"),
    (Output, "as not been used in project", "enable the API for the project, as the message says"),
    (Output, "CLOUDFLARE_API_TOKEN", "set CLOUDFLARE_API_TOKEN in the agent's environment"),
    (Output, "SUPABASE_ACCESS_TOKEN", "set SUPABASE_ACCESS_TOKEN in the agent's environment"),
    (Output, "ave you run supabase link", "link the folder with its project first: `supabase link --project-ref ID`"),
    (Output, "o linked project", "link the folder with its project first"),
    (Output, "esource not accessible by ", "give the token the permission that this needs, or leave the step to a person"),
    (Output, "running scripts is disabled on this system", SCRIPTS),
    (Line, "must be absolute, but was relative", "say in the agent's instructions that this tool takes absolute paths"),
    (Line, "is not a registered workspace directory", "leave out the directory, or have the agent change the folder in the command itself (`cd`)"),
    (Line, "odel tried to call unavailable tool ", "say in the agent's instructions which tools it has: the message lists them"),
    (Line, "Use dotnet build to see the errors", "have the agent run `dotnet build` first: it shows what does not compile"),
    (Line, "Default option is not allowed more than", "use the time limit of the agent's tool: `timeout` of Windows only waits, and starts no program"),
    (Line, "issing '=' operator after key in hash literal", REVISION),
    (Output, "o commits between ", "commit and push to the branch before the pull request is made"),
    (Output, "ou must first push the current branch", "push the branch first (`git push -u origin BRANCH`), or pass `--head`"),
    (Output, "base branch policy prohibits the merge", "leave the merge to a person, or wait for its reviews and checks (`gh pr merge --auto`)"),
    (Output, "s not mergeable", "bring the branch up to date and resolve its conflicts before the merge"),
    (Output, "o pull requests found for branch", "make the pull request first (`gh pr create`), or pass its number"),
    (Output, "pull request for branch \"", "update the pull request that exists (`gh pr edit`, `git push`)"),
    (Output, "ould not add label", "make the label first (`gh label create`), or use one that `gh label list` shows"),
    (Output, "(HTTP 404)", "correct the path or the number, and look whether the token may see this repository: GitHub answers 404 for both"),
    (Output, "equested URL returned error: 404", "correct the address: the server has nothing there"),
    (Output, "equested URL returned error: 40", "look at what the server wants (a login, another method, another form of the data): `curl -i` shows its answer"),
    (Output, "equested URL returned error: 5", "look at the log of the server: it failed itself"),
    (Output, "status code 404", "correct the address: the server has nothing there"),
    (Line, "403 Forbidden): must be logged in", "log in with the program itself (`cargo login`, `npm login`), or pass its token in the agent's environment"),
    (Output, "cannot publish over the previously published", "raise the version before the package is published (`npm version patch`): the registry has this one"),
    (Output, "status code 403", FORBIDDEN),
    (Output, "status code 401", "give the agent a login for this server, or another source"),
    (Output, "403 Forbidden", FORBIDDEN),
    (Output, "is safe to fetch", "let the agent fetch from this site with `curl`, or turn off the check of sites in its settings if the network blocks it"),
    (Output, "nrecognized service", "install the service first: this machine has none of this name"),
    (Output, "nvironment variable is required", ENVIRONMENT),
    (Output, "nvironment variable is not set", ENVIRONMENT),
    (Output, "equired environment variable", ENVIRONMENT),
    (Output, "nvironment variables are missing", ENVIRONMENT),
    (Output, "_URL is required", ENVIRONMENT),
    (Output, "_KEY is required", ENVIRONMENT),
    (Output, "_TOKEN is required", ENVIRONMENT),
    (Output, "_URL is not set", ENVIRONMENT),
    (Output, "_KEY is not set", ENVIRONMENT),
    (Output, "_TOKEN is not set", ENVIRONMENT),
    (Output, "_URL must be set", ENVIRONMENT),
    (Output, "_KEY must be set", ENVIRONMENT),
    // Databases.
    (Output, "password authentication failed for user", "correct the user and the password that the command or the project's settings use"),
    (Output, "ERROR 1045 ", "correct the user and the password of the database (`-p`), or use the account that the project is set up for"),
    (Output, "ERROR 2002 ", "start the database server first, or correct its host and socket"),
    (Output, "FATAL: role \"", DATABASE_USER),
    (Output, "FATAL: database \"", NO_DATABASE),
    (Output, "FATAL:  role \"", DATABASE_USER),
    (Output, "FATAL:  database \"", NO_DATABASE),
    (Output, "violates unique constraint", UNIQUE),
    (Output, "UNIQUE constraint failed", UNIQUE),
    (Output, "uplicate entry '", UNIQUE),
    (Output, "E11000 duplicate key", UNIQUE),
    (Output, "violates not-null constraint", "give this column a value, or a default in the schema"),
    (Output, "NOT NULL constraint failed", "give this column a value, or a default in the schema"),
    (Output, "violates foreign key constraint", "write the row that this one refers to first"),
    (Output, "FOREIGN KEY constraint failed", "write the row that this one refers to first"),
    (Output, "yntax error at or near", SQL),
    (Output, "ou have an error in your SQL syntax", SQL),
    (Output, "attempt to write a readonly database", "give the agent's user the right to write the file and its folder"),
    (Output, "MongoServerSelectionError", "start MongoDB before this step, or correct its address"),
    (Output, "MongooseServerSelectionError", "start MongoDB before this step, or correct its address"),
    // Git.
    (Output, "ignored by one of your .gitignore files", "leave ignored files out of `git add`; only what belongs to the repository is added with `-f`"),
    (Output, "has no upstream branch", "tell the agent to push a new branch with `git push -u origin HEAD`"),
    (Output, "no tracking information for the current branch", "tell the agent to name the branch (`git pull origin BRANCH`), or to set it once (`git branch --set-upstream-to=origin/BRANCH`)"),
    (Output, "o stash entries found", "look at `git stash list` before a stash is taken back: there is none"),
    (Output, "orrupt patch at line", "write patches with `git diff`, not by hand: its lines do not fit its header"),
    (Output, "o valid patches in input", "write patches with `git diff`, not by hand"),
    (Output, "s not fully merged", "merge or keep the branch; only a person should delete it with `-D`"),
    (Output, "ailed to sign the data", "give the agent's environment the signing key, or turn signing off for it (`git config commit.gpgsign false`)"),
    (Output, "roblem with the editor", "pass the text on the command line (`-m`), and set `GIT_EDITOR=true` for rebases: the agent has no editor"),
    (Output, "erminal is dumb, but EDITOR unset", "pass the text on the command line (`-m`), and set `GIT_EDITOR=true` for rebases: the agent has no editor"),
    (Output, "Projects (classic) is being deprecated", "use `gh api`, name the fields (`gh pr view --json`), or install a newer `gh`: this one asks for a part of the API that GitHub removed"),
    (Output, "emote: Repository not found", "correct the address of the repository, or give the agent a login that may see it"),
    (Output, "oes not appear to be a git repository", "set the remote first (`git remote -v` shows those that exist)"),
    (Output, "o such remote", "set the remote first (`git remote -v` shows those that exist)"),
    (Output, "ould not read from remote repository", "give the agent's environment a key that this remote accepts, or use its HTTPS address"),
    (Output, "remote contains work that you do", "tell the agent to fetch and rebase before it pushes"),
    (Output, "ou have not concluded your merge", "finish the merge first (`git commit`), or give it up (`git merge --abort`)"),
    (Output, "ou are in the middle of", "finish what was begun (`git status` names it), or give it up with `--abort`"),
    (Output, "rebase in progress", "finish the rebase (`git rebase --continue`), or give it up (`--abort`)"),
    (Output, "annot lock ref", "look at the reason that the message gives: a branch whose name is in the way is renamed, and two git commands must not run at once"),
    (Output, "mpty commit message", "pass the message with `-m` or `-F FILE`"),
    (Output, "efusing to fetch into", "check out another branch first: git does not write the one that is checked out"),
    (Output, "exceeds GitHub's file size limit", "take the large file out of the commit, or keep it in Git LFS"),
    (Output, "HTTP code = 413", TOO_MUCH),
    (Output, "RPC failed; HTTP 413", TOO_MUCH),
    (Line, "pre-receive hook declined", "look at what the server says in the lines that begin with `remote:`: its rules refuse this push, and a rebase does not help"),
    (Line, "annot spawn .git/hooks/", GIT_HOOK),
    (Line, "annot run .git/hooks/", GIT_HOOK),
    (Output, "omething went wrong while executing your query", "try it again later: GitHub's server failed, and not the command"),
    // Shells and systems.
    (Output, "regex parse error", PATTERN),
    (Output, "Unmatched [", PATTERN),
    (Output, "Unmatched ( or \\(", GREP),
    (Output, "Unmatched (", PATTERN),
    (Output, "nmatched ) or", PATTERN),
    (Output, "nvalid regular expression", PATTERN),
    (Output, "nvalid preceding regular expression", PATTERN),
    (Output, "nvalid content of \\{", PATTERN),
    (Output, "railing backslash", PATTERN),
    (Output, "parentheses not balanced", GREP),
    (Output, "rackets ([ ]) not balanced", PATTERN),
    (Output, "epetition-operator operand invalid", PATTERN),
    (Output, "can't read s/", "leave the `''` behind `sed -i` out: only the `sed` of macOS takes it"),
    (Output, "nterminated `s' command", SED),
    (Output, "unknown option to `s'", SED),
    (Output, "xtra characters after command", SED),
    (Output, "nterminated address regex", SED),
    (Output, "nvalid command code", SED),
    (Output, "nknown command: `", SED),
    (Output, "nterminated `", SED),
    (Output, "jq: 1 compile error", JQ),
    (Output, "jq: error: syntax error", JQ),
    (Output, "jq: error (at ", "look at the form of the data first (`jq 'keys'`, `jq type`): the filter expects another one"),
    (Output, "jq: parse error", "have the agent look at the text before it parses it: it is no valid JSON"),
    (Output, "annot iterate over null", "look at the form of the data first (`jq 'keys'`): what the filter names is not there"),
    (Output, "cannot execute: required file not found", "correct the first line of the script (`#!`): the program that it names is not there, or the line ends as on Windows"),
    (Output, "bad interpreter", "correct the first line of the script (`#!`): the program that it names is not there, or the line ends as on Windows"),
    (Output, "s a directory", "name a file: the path is that of a folder (list it with `ls`, remove it with `rm -r`)"),
    (Output, "are the same file", "leave the step out: source and target are the same"),
    (Output, "omitting directory", "copy folders with `cp -r`"),
    (Output, "ot in gzip format", "look at the file first (`file NAME`): it is no archive of this kind, perhaps the page of an error"),
    (Output, "nd-of-central-directory signature not found", "look at the file first (`file NAME`): it is no archive of this kind, perhaps the page of an error"),
    (Output, "his does not look like a tar archive", "look at the file first (`file NAME`): it is no archive of this kind, perhaps the page of an error"),
    (Output, "moov atom not found", "look at the file first (`file NAME`, `ffprobe`): it is cut off or no such video"),
    (Output, "nvalid data found when processing input", "look at the file first (`file NAME`, `ffprobe`): it is no medium of this kind"),
    (Output, "not been booted with systemd", "start the service without systemd (a container has none): run its program itself"),
    (Output, "ailed to connect to bus", "start the service without systemd (a container has none): run its program itself"),
    (Output, "XDG_RUNTIME_DIR not defined", "set `XDG_RUNTIME_DIR=/run/user/$(id -u)` in front of the command: the shell has no session of its user"),
    (Output, "no method available for opening", "tell the agent that it has no desktop here: it must not open windows"),
    (Output, "annot open display", NO_DISPLAY),
    (Output, "unable to open display", NO_DISPLAY),
    (Output, "ould not connect to display", NO_DISPLAY),
    (Output, "issing X server or $DISPLAY", NO_DISPLAY),
    (Output, "oo many levels of symbolic links", "look at where the links lead: they lead to each other"),
    (Output, "ile name too long", "use a shorter name"),
    (Output, "unbound variable", "set the variable before the script, or give it a default (`${NAME:-}`): the script stops at unset ones (`set -u`)"),
    (Output, "EISDIR", "name a file: the path is that of a folder, which the agent can list"),
    // Tools of agents.
    (Output, "gent type '", "name an agent that exists, or add a definition for this one"),
    (Output, "nknown skill", NO_SKILL),
    (Output, "nknown agent", "name an agent that exists, or add a definition for this one"),
    (Output, "o such tool available", NO_TOOL),
    (Output, "ool not found", NO_TOOL),
    (Output, "nknown tool", NO_TOOL),
    (Output, "ool names must be unique", "remove the server that is configured twice"),
    (Output, "is not enabled", "enable what the message names, or say in the agent's instructions what serves instead"),
    (Output, "o wait for a condition", "tell the agent to wait for the condition itself, and not for a time"),
    (Output, "did not conform to the edit format", "add the files to the chat before the request, and do not ask for code only: aider edits a file if its name stands above the code"),
    (Output, "hook error:", HOOK),
    (Output, "hook returned blocking error", HOOK),
    (Output, "hook blocked", HOOK),
    (Output, "not found in the current page snapshot", "tell the agent to take a new snapshot before each click: the references change with the page"),
    (Output, "MCP error -32000", MCP_DEAD),
    (Output, "MCP error -32001", "raise the time limit of this MCP server, or ask it for less"),
    (Output, "MCP server not connected", MCP_DEAD),
    (Output, "': Error: Not connected", MCP_DEAD),
    (Output, "ailed to reconnect to", MCP_DEAD),
    (Output, "o active project", "activate the project in this tool first, and say so in the agent's instructions"),
    (Output, "o shell found with ID", "nothing needs to be done: the shell had ended, its output is in its last answer"),
    (Output, "o task found with ID", "nothing needs to be done: the task had ended, its output is in its last answer"),
    (Output, "ell with ID", "tell the agent to read the notebook again before it edits a cell: the ids have changed"),
    (Output, "nvalid `view_range`", "tell the agent to look at how long the file is before it asks for lines"),
    (Output, "s shorter than the provided offset", "tell the agent to look at how long the file is before it asks for lines"),
    (Output, "is beyond end of file", "tell the agent to look at how long the file is before it asks for lines"),
    (Output, "ffset exceeds", "tell the agent to look at how long the file is before it asks for lines"),
    (Output, "ot in plan mode", "nothing needs to be done: the agent left a mode that it was not in"),
    (Output, "ontext length exceeded", "start a new session or compact the context before it grows this long"),
    (Output, "ontext_length_exceeded", "start a new session or compact the context before it grows this long"),
    (Output, "credit balance is too low", "add credit to the account, or use another one"),
    (Line, "does not exist or you do not have access", "name a model that this account has: the provider lists them"),
    (Output, "nvalid_request_error", REQUEST),
    (Output, "mage exceeds", "make images smaller before the agent reads them"),
    (Output, "ould not process image", "make images smaller, or convert them, before the agent reads them"),
    (Line, "temp file for here", "set `TMPDIR` to a folder that the agent may write: its shell keeps the text of a here-document there"),
    (Line, "ead-only sandbox", READ_ONLY),
    (Line, "sandbox is read-only", READ_ONLY),
    (Line, ".lock': Operation not permitted", SANDBOX),
    (Line, ".lock': Read-only file system", SANDBOX),
    (Line, "could not lock config file", SANDBOX),
    (Output, "MachPortRendezvousServer", "let the agent run this step outside of its sandbox, or leave it to a person: macOS starts no browser in there"),
    (Line, "Validation Error: Preset ", "install the project's dependencies where the agent runs the tests, and the package of this preset if they lack it"),
    (Line, "Errno 1] Operation not permitted", SANDBOX),
    (Line, "peration not permitted (os error 1)", SANDBOX),
    (Line, "ode: 1, kind: PermissionDenied", SANDBOX),
    (Line, "listen EPERM", SANDBOX),
    (Line, "bind EPERM", SANDBOX),
    (Line, "connect EPERM", SANDBOX),
    (Line, "npm error code EPERM", SANDBOX),
    (Line, "npm ERR! code EPERM", SANDBOX),
    (Output, "read-only variable: ", "use another name for this variable: the shell keeps it for itself"),
    (Output, "is already used by worktree", BRANCH_IN_USE),
    (Output, "is already checked out at", BRANCH_IN_USE),
    (Output, "signal: killed", "run a smaller part of it: something outside ended the program, such as a limit of memory or of time"),
    (Output, "[emerg] bind() to ", "let it listen on a port from 1024 on, or run it as root"),
    // Errors of which the line alone is known.
    (Output, "nconsistent dependency lock file", "run `terraform init` after a change of the providers (`-upgrade` for newer versions), and commit the lock file"),
    (Output, "nconsistentMigrationHistory", "make a fresh database, or bring the table `django_migrations` into the order of the branch: it has migrations that this order forbids"),
    (Output, "our lockfile needs to be updated", LOCK_FILE),
    (Output, " not found relative to rootDir", "install the package that jest's configuration names (`npm install --save-dev NAME`), or run jest in the project's folder"),
    (Output, "run again with the --allow-", "give deno the permission that the message names (`--allow-net`, `--allow-read`, …)"),
    (Output, "unning `go mod tidy` may solve", "run the linter in the folder that has the go.mod and Go files, and `go mod tidy` before it"),
    (Output, "ould not determine java version from", "use a newer Gradle (`distributionUrl` in `gradle-wrapper.properties`), or an older JDK: this Gradle does not know this one"),
    (Output, "server is already running (pid", "stop that server, or remove its file with the pid if it has ended"),
    (Output, "dotnet-ef does not exist", "install the tool: `dotnet tool install --global dotnet-ef`, or `dotnet tool restore` if the project lists it"),
    (Output, "ex dependency resolution failed", CONFLICTING),
    (Output, "ailed to construct a build plan", CONFLICTING),
    (Output, "not allowed by the security policy", "allow this format in ImageMagick's `policy.xml`, or use another program for it (`img2pdf`, `pdftoppm`)"),
    (Line, "failed to solve: process ", "run the failing command of the Dockerfile by itself and mend it: its own message stands above this line"),
    (Line, "BucketAlreadyExists", "choose another name for the bucket: all accounts share the names"),
    (Line, "ould not find any workflow run", "list what there is first (`gh run list`), and take a number from there"),
    (Line, "o url found for submodule path", "add the submodule to `.gitmodules`, or remove its entry (`git rm --cached PATH`)"),
    (Line, "un 'conda init' before", "use `conda run -n NAME COMMAND`, or load conda first (`source \"$(conda info --base)/etc/profile.d/conda.sh\"`)"),
    (Line, "asyncio.run() cannot be called from a running", "await the coroutine (`await main()`) instead: a loop runs already"),
    (Line, "ould not locate a Flask application", "name the application (`flask --app MODULE run`), or run it in the folder that has the `app.py`"),
    (Line, "waiting for expect(locator)", "look at the page at this moment (a trace or a screenshot): what the test waits for was not there in time"),
    (Line, "use of undeclared crate or module", CRATE),
    (Line, "use of unresolved module or unlinked crate", CRATE),
    (Output, "xpecting ',' delimiter", NOT_JSON),
    (Output, "xpecting property name enclosed", NOT_JSON),
    (Output, "ypress binary is missing", "run `npx cypress install` when the environment is set up"),
    (Output, "module declares its path as", "require the module by the path that it declares, or add a `replace` to go.mod"),
    (Output, "o acceptable C compiler found", "install a C compiler (Debian: `build-essential`)"),
    (Output, "o inventory was parsed", "name the inventory (`-i FILE`)"),
    (Output, "o usable default provider", "install a provider for the machines (libvirt, VirtualBox), or name one that is there (`--provider`)"),
    (Output, ": File exists", "look at what is there first, or let the command replace it (`mkdir -p`, `ln -sfn`)"),
    (Output, "nrecognized character after (?", PATTERN),
    (Output, "here is no screen to be resumed", "start the session first (`screen -dmS NAME`): there is none"),
    (Output, "o server running on /tmp/tmux", "start the session first (`tmux new-session -d`): there is none"),
    (Output, "annot autolaunch D-Bus", NO_DISPLAY),
    (Output, "executable needs to be in PATH", "install the driver that fits the browser (Debian: `chromium-driver`), or update Selenium, which fetches it"),
    (Output, " in current bundle", BUNDLE),
    (Line, "ould not find python interpreter", "install this version of Python (`uv python install`), or take it out of the list of environments"),
    (Line, "Permission denied: '/usr/local/lib/python", VENV),
    (Line, "Permission denied: '/usr/lib/python", VENV),
    (Line, "ould not import module \"", "run it in the folder that has this module, or name the module from there (`package.module:app`)"),
    (Line, "shapes cannot be multiplied", "print both shapes before this line: the layer expects another width than its input has"),
    (Line, "nconsistent numbers of samples", "look at the lengths of both: each needs as many rows as the other"),
    (Line, "403 Client Error", "look at what the server wants (the rights of the key, a header such as `User-Agent`), or take another source"),
    (Line, "404 Client Error", "look the address up first: the server has nothing there"),
    (Line, "`GLIBC_", OLD_SYSTEM),
    (Line, "`GLIBCXX_", OLD_SYSTEM),
    (Line, "nknown AVD name", "take a name that `emulator -list-avds` shows"),
    (Line, "an't find crate for `", "install the target for this toolchain (`rustup target add TARGET`)"),
    (Line, "error: toolchain '", "install the toolchain (`rustup toolchain install NAME`), or use the one that the project pins"),
    (Line, ": undefined: ", "declare or import this name: the package that is compiled has none, perhaps because of build tags or because one file was named"),
    (Line, "ailed to initialize build", "run `packer init` before this"),
    (Line, "no crontab for", "nothing needs to be done: this user has no crontab"),
    (Line, "Killed", "look at the memory first (`dmesg`): the system ended the program, mostly because it needed too much"),
    (Output, "code EINTEGRITY", "clear the cache (`npm cache clean --force`), and make the lock file again if the registry's package has changed"),
    (Output, "code ENOTEMPTY", "remove `node_modules` and install again: a former installation left files"),
    (Output, "o matching version found for ", "look up the versions that exist (`npm view NAME versions`)"),
    (Output, "not found in the pkg-config search path", "install the development package of this library (Debian: `lib…-dev`)"),
    (Output, "ould not determine executable to run", "name the package that has the command (`npx --package NAME COMMAND`), or install it first"),
    (Output, "couldn't find the plugin ", "install the plugin that the configuration of ESLint names (`npm install --save-dev NAME`)"),
    (Output, "Can't find model '", "download the model when the environment is set up (`python -m spacy download NAME`)"),
    (Output, "lease use the NLTK Downloader", "download the data when the environment is set up (`python -m nltk.downloader NAME`)"),
    (Output, "onnect to 'https://huggingface.co' to load this file", "download the model before the agent starts (`hf download NAME`), or correct its name: the machine does not reach the hub"),
    (Output, "no display name and no $DISPLAY", NO_DISPLAY),
    (Output, "umpy.dtype size changed", "install both packages again so that they fit: this one was compiled for another NumPy"),
    (Output, "o kernel image is available for execution", "install the build for this GPU's generation, or run it on the CPU"),
    (Output, "apping values are not allowed", "look at this line of the YAML: quote a value that has `: ` in it, and indent with spaces only"),
    (Output, "TOMLDecodeError", "correct the TOML at the line that the message names (texts are quoted, keys stand once)"),
    (Output, "TemplateNotFound", "look at where the templates are: the program looks in another folder, or the file has another name"),
    (Output, "ile is not a zip file", "look at the file first (`file NAME`): it is no archive of this kind, perhaps the page of an error"),
    (Output, "nvalid load key, '", "look at the file first (`file NAME`): it is no pickle, perhaps a pointer of Git LFS (`git lfs pull`)"),
    (Output, "PHP Parse error", "have the agent look whether a file parses right after it writes it (`php -l FILE`)"),
    (Output, "ould not find a matching version of package", "look up the name and the versions of the package (`composer show -a NAME`)"),
    (Output, "nable to locate Android SDK", "install the Android SDK and set ANDROID_HOME"),
    (Output, "depends on undefined service", "declare this service in the file, or correct `depends_on`"),
    (Output, "exceeded its progress deadline", "look at why its pods do not start (`kubectl describe pod`, `kubectl logs`)"),
    (Output, "another operation (install/upgrade/rollback) is in progress", "wait for the other operation, or take it back if it has ended (`helm rollback`)"),
    (Output, "o value for required variable", "pass the variable (`-var`, `TF_VAR_NAME`, a `.tfvars` file)"),
    (Output, "ouldn't resolve module/action", "install the collection that has this module (`ansible-galaxy collection install NAME`)"),
    (Output, "over its data quota", "clone without these files (`GIT_LFS_SKIP_SMUDGE=1`), or raise the quota of the repository"),
    (Output, "oes not have 'workflow_dispatch' trigger", "add `workflow_dispatch` to the workflow on the default branch, or start it by its own event"),
    (Output, "o git remotes found", "set the remote first (`git remote add origin URL`)"),
    (Output, "pyenv: version `", "install this version (`pyenv install`), or choose an installed one (`pyenv versions`)"),
    (Output, "bin target must be available", "run it in a crate that has a `src/main.rs`, or name one (`cargo run -p NAME`): this one is a library only"),
    (Output, "and the specification `", "name the package with its version (`NAME@VERSION`)"),
    (Output, "nable to open database file", DATABASE_FILE),
    (Output, "lease tell me who you are", IDENTITY),
    (Output, "uthor identity unknown", IDENTITY),
    (Line, "Field required", "give this field a value: in the environment or in `.env`, if these are settings"),
    (Output, "odule parse failed: ", "correct the syntax at this place, or name a loader for files of this kind in the bundler's configuration"),
    (Output, "annot link to a non running container", "look at why the other container ended (`docker compose logs NAME`): this one needs it"),
    (Output, "requires Xcode, but active developer", "install Xcode and choose it: `sudo xcode-select -s /Applications/Xcode.app`"),
    (Output, "ould not fetch environment variable", ENVIRONMENT),
    (Line, ", needed by ", "correct this name in the Makefile, add the rule or the file that makes it, or run the step that writes it first"),
    (Line, "fixture '", FIXTURE),
    (Line, "error CS1061", "correct the name of the member, or add it to the type or the `using` that has it: the type has no such member"),
    (Line, "error CS0234", "add the package (`dotnet add package`), the reference to the project, or correct the namespace"),
    (Line, "CS0246", "add the package (`dotnet add package`), the reference to the project, or the `using` that has this name"),
    (Line, "/var/lib/dpkg/lock", "run it as root or with `sudo` if the agent may do so, or install the packages before it starts"),
    (Line, "/var/lib/apt/lists", "run it as root or with `sudo` if the agent may do so, or install the packages before it starts"),
    (Line, "ermission denied (publickey", "add the public key of the user that runs `ssh` to `authorized_keys` of the account, or name the right key with `-i`"),
    (Line, "run ended with LimitsExceeded", "allow the run more steps or a higher cost, or give the agent smaller tasks"),
    (Line, "not found. Available ", "name one of those that the message lists, or install the one that is missing"),
    (Line, "LLM Provider NOT provided", "name the model with its provider in front, such as `openai/MODEL`"),
    (Line, "is not found for API version", "name a model that the provider has: this one is not, or no longer, offered"),
    (Line, "exceeded your current quota", "choose a model for which this account has a quota, or pay for one: waiting helps only if the limit is one per minute or day"),
    (Line, "does not have any commits yet", "tell the agent that this repository has no commits yet: `git log` and `git diff HEAD` need one"),
    (Line, "unable to auto-detect email address", IDENTITY),
    (Line, "codec can't encode character", "set `PYTHONIOENCODING=utf-8` in the agent's environment for what Python prints, and give `open` its `encoding` for what it writes into files"),
    (Line, "codec can't decode byte", "say which encoding the file has: open it with `encoding=` or `errors=\"replace\"`, or as bytes"),
    (Line, "require is not defined in ES module scope", "write `import` instead of `require` in this project, or give the file the ending `.cjs`"),
    (Line, ESM_IN_SCRIPT, ESM),
    (Line, "SyntaxError: Unexpected token 'export'", ESM),
    (Line, "SyntaxError: Cannot use 'import.meta' outside a module", ESM),
    (Line, " to patch at input line ", "apply the patch in the folder where its paths begin, with the option -p that leaves their first parts out (-p1 for a patch of git)"),
    (Line, "JSONDecodeError", "have the agent look at the text before it parses it: it is no valid JSON"),
    (Line, "Expecting value: line 1 column 1", NO_JSON),
    (Line, "Unexpected token '<'", NO_JSON),
    (Line, "Unexpected token < in JSON", NO_JSON),
    (Line, "Unsupported Method", "unpack it with the program that made it: this one does not know the method of the archive"),
    (Line, "is not running, so cannot be killed", "nothing needs to be done: it had ended before"),
    (Line, "Cannot find name 'expect'", TEST_TYPES),
    (Line, "Cannot find name 'describe'", TEST_TYPES),
    (Line, "Cannot find name 'process'", NODE_TYPES),
    (Line, "Cannot find name 'require'", NODE_TYPES),
    (Line, "Cannot find name 'Buffer'", NODE_TYPES),
    (Line, "ould not find a declaration file for module", "install the types of this module (`@types/…`), or declare the module in a `.d.ts` file"),
    (Line, "cannot be compiled under '--isolatedModules'", "add an import or `export {}` to the file, so that it is a module"),
    (Line, "Unexpected end of JSON input", "have the agent look at the text before it parses it: it is empty, or cut off"),
    (Line, "here are no commands defined in the ", "install the package that brings these commands, or list those that exist with `php artisan list`"),
    (Line, "'NoneType' object ", "find out why the value is missing before this line uses it: a function returned nothing"),
    (Line, "has no attribute ", "correct the name, look up what took its place, or restore it if a change has removed it"),
    (Line, "is not a function", "correct the name or the import, or find out why the value is missing: what is called here is no function"),
    (Line, "Class \"DOMDocument\" not found", PHP_XML),
    (Line, "Class \"SimpleXMLElement\" not found", PHP_XML),
    (Line, "Class \"XMLWriter\" not found", PHP_XML),
    (Line, "Class \"XMLReader\" not found", PHP_XML),
    (Line, "undefined function simplexml_", PHP_XML),
    (Line, "undefined function utf8_", PHP_XML),
    (Line, "Class \"ZipArchive\" not found", "enable PHP's extension zip (Debian: `php-zip`) where the agent works"),
    (Line, "Class \"SoapClient\" not found", "enable PHP's extension soap (Debian: `php-soap`) where the agent works"),
    (Line, "Class \"Redis\" not found", "enable PHP's extension redis (Debian: `php-redis`) where the agent works, or let the project use `predis`"),
    (Line, "Class \"Imagick\" not found", "enable PHP's extension imagick (Debian: `php-imagick`) where the agent works"),
    (Line, "Class \"PDO\" not found", PHP_PDO),
    (Line, "Class \"mysqli\" not found", PHP_PDO),
    (Line, "Class \"NumberFormatter\" not found", PHP_INTL),
    (Line, "Class \"IntlDateFormatter\" not found", PHP_INTL),
    (Line, "Class \"Collator\" not found", PHP_INTL),
    (Line, "undefined function mb_", "enable PHP's extension mbstring (Debian: `php-mbstring`) where the agent works"),
    (Line, "undefined function curl_", "enable PHP's extension curl (Debian: `php-curl`) where the agent works"),
    (Line, "undefined function bc", "enable PHP's extension bcmath (Debian: `php-bcmath`) where the agent works"),
    (Line, "undefined function imagecreate", "enable PHP's extension gd (Debian: `php-gd`) where the agent works"),
    (Line, "No module named '_", "install a Python that was built with this part of the standard library (Debian: `python3-tk` for `_tkinter`), or the headers it lacked before it is built again"),
    (Line, "was compiled against a different Node.js version", "run `npm rebuild` after a change of Node, or give the agent the version with which the packages were installed"),
    (Line, "gent is busy", BUSY),
    (Line, "esource busy", HELD),
    (Line, "peration already in progress", BUSY),
    (Line, "ry again later", BUSY),
    (Line, "cannot rebase: Your index contains uncommitted changes", "tell the agent to commit or stash its changes before it rebases"),
    (Line, "cannot rebase: You have unstaged changes", "tell the agent to commit or stash its changes before it rebases"),
    (Line, "Call to undefined ", "correct the name, or load the file that declares it"),
    (Line, "undefined method ", METHOD),
    (Line, "BadMethodCallException", METHOD),
    (Line, "Cannot read properties of ", "find out why the value is missing before this line reads it: it was never set, or has another form"),
    (Line, "unexpected keyword argument ", "call it as its signature in the installed version says: the argument is unknown"),
    (Line, "positional argument", "call it with the arguments that its signature in the installed version has"),
    (Line, " (unknown location)", NAMESPACE),
    (Line, "cannot import name ", "correct the import: the installed version of the module has no such name"),
    (Line, "does not provide an export named ", "correct the import: the module has no export of this name"),
    (Line, "must be marked as required", "fill in the field that the message names"),
    (Line, "cannot be used to initialize", "give the variable the type of the value, or call what returns one"),
    (Line, "Don't know what to do with", "leave out the empty argument, such as a blank behind a `\\` at a line's end"),
    (Line, "rontmatter must", "write the header of the file as the message says, and show one in the agent's instructions"),
    (Line, "KeyError: ", "look at the keys that the data has before a line reads one: `.get()` or a test"),
    (Line, "IndexError: ", "look at how many items the list has before a line reads one"),
    (Line, "UnboundLocalError", "give the variable a value on each way through the function"),
    (Line, "unsupported operand type", "look at the types of both values: one is missing or of another type than expected"),
    (Line, "not supported between instances", "look at the types of both values: one is missing or of another type than expected"),
    (Line, "invalid literal for int()", "look at the text before it becomes a number: it is empty or holds something else"),
    (Line, "object is not subscriptable", "look at what the value is: it is no list and no dictionary"),
    (Line, "object is not callable", "look at what the name stands for: something else has taken the name of the function"),
    (Line, "not enough values to unpack", "look at how many parts the value has before it is taken apart"),
    (Line, "too many values to unpack", "look at how many parts the value has before it is taken apart"),
    (Line, "IndentationError", PARSES),
    (Line, "TabError", PARSES),
    (Line, "SyntaxError: invalid syntax", PARSES),
    (Line, "SyntaxError: invalid ", PARSES),
    (Line, "are not available when targeting lower than", "raise `target` in tsconfig.json to the version that the message names"),
    (Line, "Try changing the 'lib' compiler option", "add the library that the message names to `lib` in tsconfig.json, or raise `target`"),
    (Line, "when using the '--downlevelIteration' flag", "raise `target` in tsconfig.json to the version that the message names"),
    (Line, "unless the '--jsx' flag is provided", "set `jsx` in tsconfig.json, such as to `react-jsx`"),
    (Line, "using the 'esModuleInterop' flag", "set `esModuleInterop` in tsconfig.json, or write `import * as NAME`"),
    (Line, "Consider using '--resolveJsonModule'", "set `resolveJsonModule` in tsconfig.json"),
    (Line, "when the 'module' option is set to", "set `module` in tsconfig.json to one of those that the message names"),
    (Line, "need explicit file extensions", "write the import with the ending of the file that will run, such as `./a.js`"),
    (Line, "must be imported using a type-only import", "write `import type` for what is only a type"),
    (Line, "does not exist on type", "correct the name, or add the property to the type"),
    (Line, "is not assignable to ", "give the value the type that is wanted there, or widen the type"),
    (Line, "implicitly has an 'any' type", "give it a type"),
    (Line, "Cannot find name '", "import or declare the name"),
    (Line, "does not exist in the current context", "import or declare the name"),
    (Line, "' in scope", "import or declare the name"),
    (Line, "isn't defined for the ", "correct the name, or declare the method in the class"),
    (Line, "ReferenceError: document is not defined", BROWSER),
    (Line, "ReferenceError: window is not defined", BROWSER),
    (Line, "ReferenceError: localStorage is not defined", BROWSER),
    (Line, "ReferenceError: sessionStorage is not defined", BROWSER),
    (Line, "ReferenceError: navigator is not defined", BROWSER),
    (Line, "ReferenceError: HTMLElement is not defined", BROWSER),
    (Line, "ReferenceError: Element is not defined", BROWSER),
    (Line, "ReferenceError: DOMParser is not defined", BROWSER),
    (Line, "ReferenceError: self is not defined", BROWSER),
    (Line, "ReferenceError: describe is not defined", RUNNER),
    (Line, "ReferenceError: it is not defined", RUNNER),
    (Line, "ReferenceError: test is not defined", RUNNER),
    (Line, "ReferenceError: expect is not defined", RUNNER),
    (Line, "ReferenceError: beforeEach is not defined", RUNNER),
    (Line, "__dirname is not defined in ES module scope", "use `import.meta.dirname`, or the folder of `import.meta.url`: a module has no `__dirname`"),
    (Line, " is not defined", DEFINE),
    (Line, "event loop is already running", "await the coroutine instead of starting a second loop in the same thread"),
    (Line, "insufficient funds", "put funds into this account first, or use one that has them"),
    (Line, "nknown process id", "have the agent look at what this process printed last: no process has this id any more, or it is another one"),
    (Line, "No such process", "look at why the process had ended before: its own output or its log says so"),
    (Line, "Text file busy", "stop the process that still runs this file before it is written"),
    (Line, "Argument list too long", "pass the names through a file or `xargs`, in several parts"),
    (Line, "externally-managed-environment", "make a virtual environment (`python3 -m venv .venv`) and install into that one"),
    (Line, "delimited by end-of-file", "end a here-document with its delimiter alone on a line: nothing may stand before or behind it"),
    (Line, "outside the allowed workspace", WORKSPACE),
    (Line, "within one of the workspace directories", WORKSPACE),
    (Line, "\" not found. Did you mean one of", "enable this tool for the agent, or name one that it has in its instructions"),
    (Line, "cannot read binary files", "have the agent read such a file with a program for its format"),
    (Line, "max session turns", "allow the agent more turns, or give it smaller tasks"),
    (Line, "model is not supported when using", "choose a model that this account may use"),
    (Line, "detected dubious ownership", "run git as the owner of the folder, or name it with `git -c safe.directory=FOLDER`, which needs no right to write the user's settings"),
    (Line, "refusing to merge unrelated histories", "fetch the branch that shares its history, or start again from a clone"),
    (Line, "Host key verification failed", "add the host's key to `known_hosts` on this machine first"),
];

const AUTOLOAD: &str = "run `composer install` before this; if it is there, require the package that has the class, or run `composer dump-autoload`";
const BROWSER: &str = "run this code where the browser's objects are: for tests, set the environment `jsdom` or `happy-dom` in the runner's \
     configuration, and start them in the folder whose configuration it is; code of a server must not read them";
const RUNNER: &str = "run the file with the project's test runner, and import this name from it or let it define its names (`globals` of vitest)";
pub(crate) const DEFINE: &str = "import or declare this name in the file that the error points at";
/// In place of [`DEFINE`], if the name stands on the left of an assignment: `a.b = 1`.
pub(crate) const ASSIGNED: &str = "look at the left side of this assignment: if a plain name is meant, it may have no dot in it; if not, make the object \
     before this line sets its attribute";
/// What helps if a test parses what the program printed.
pub(crate) const TESTED: &str = "correct what writes the text that this test parses, or correct the test: the text is not the JSON that the test expects";
const RESTORE: &str = "run `dotnet restore` for the whole solution first: a project was not restored";
const PHP_XML: &str = "enable PHP's extensions dom and xml (Debian: `php-xml`) where the agent works";
const PHP_PDO: &str =
    "enable PHP's extension for this database (Debian: `php-mysql`, `php-pgsql`, `php-sqlite3`) where the agent works";
const PHP_INTL: &str = "enable PHP's extension intl (Debian: `php-intl`) where the agent works";
const SCRIPTS: &str = "allow scripts for the agent's user (`Set-ExecutionPolicy -Scope CurrentUser RemoteSigned`), or have the agent call the \
     `.cmd` of the same name, such as `npm.cmd`";
const REVISION: &str =
    "put a name such as `@{u}` or `stash@{0}` into quotes: PowerShell reads `@{` as the beginning of a hash table";
const ONTO_ITSELF: &str =
    "make the pull request from a branch of its own: this one is the branch that it should go into";
const BUSY: &str = "have the agent wait until it is free, and repeat the call then";
const HELD: &str = "find what holds it (a program that has it open, a mount) and stop that first: it is in use";
/// What helps if a formatter that only checks found something. Once, the check has done its work.
pub(crate) const FORMAT: &str =
    "have the agent run the formatter after its changes, without the option that only checks";
const PARSES: &str = "have the agent look whether a file parses right after it writes it (`python -m py_compile FILE`)";
const CONFLICTING: &str =
    "choose versions that fit each other: the lines around the message name the packages and what they need";
const COMPILED: &str = "install a compiler and the system libraries that the package needs, or a version with a ready wheel for this Python";
const NO_GPU: &str = "run it on a machine with a GPU, or let the code use the CPU here (`device=\"cpu\"`)";
const LOCK_FILE: &str =
    "bring the lock file up to date with an ordinary install and commit it, whenever the list of dependencies changes";
const CMAKE_PACKAGE: &str = "install the development package of this library, or set `CMAKE_PREFIX_PATH`";
const VENV: &str =
    "install into a virtual environment (`python3 -m venv .venv`): the agent may not write to the system's Python";
const OLD_SYSTEM: &str =
    "use a build for this system's older C library, compile it here, or use a newer system or container";
const NOT_JSON: &str =
    "have the agent look at the text before it parses it: at the place that the message names, it is no valid JSON";
const CRATE: &str = "add the crate (`cargo add NAME`), or correct the path: the project does not have it";
const OWN_NAME: &str = "correct the name, or define it in the module that the message names: the module has none";
const FIXTURE: &str = "define this fixture in the test's file or in a `conftest.py` above it, or install the plugin that has it (such as pytest-mock)";
const BROWSERS: &str =
    "install the browser that the tests drive: `npx playwright install` (Python: `playwright install`)";
const UV_CACHE: &str = "run `uv cache clean`: an entry of uv's cache is damaged, or from another version of uv";
const CONDA: &str = "leave out the builds (`conda env export --no-builds` or `--from-history`) and versions that this platform lacks, or add the channel that has them";
const HEADS: &str = "run `alembic merge heads`, or let one of the new revisions follow the other (`down_revision`): two of them have the same parent";
const PNPM_VERSION: &str = "use the version of pnpm that wrote the lock file (`packageManager` in package.json), or write the lock file again with this one";
const SOURCE_LEVEL: &str =
    "set the level of the language to one that this JDK has (`maven.compiler.release`, or `source` and `target`)";
const TOO_MUCH: &str = "push over SSH or in smaller parts, or raise the limit of the server (nginx: `client_max_body_size`): the push is too large for one request";
const GIT_HOOK: &str = "correct the first line of this hook, or make its interpreter available: git could not start it";
const REGION: &str = "name the region of the bucket or the service (`--region`, AWS_REGION)";
const MYSQL_PLUGIN: &str = "use a newer driver of MySQL, or give the user a password plugin that this driver has: the server asks for one that it lacks";
const SIGNING: &str =
    "set `DEVELOPMENT_TEAM` in the project or in the command, or build without a signature (`CODE_SIGNING_ALLOWED=NO`)";
const PHP_DRIVER: &str = "install PHP's driver of this database where the agent works (Debian: `php-mysql`, `php-pgsql`, `php-sqlite3`; `php -m` lists those that are there)";
const TIDY: &str = "run `go mod tidy` after a change of the imports, and commit go.mod and go.sum";
const JDK: &str = "install the JDK that the project is built for and point JAVA_HOME at it: this one is older";
const HEADER: &str = "install the development package that has this header (Debian: `apt-file search NAME`), or name its folder with `-I`";
const BUNDLE: &str = "run `bundle install` first";
const ENVIRONMENT: &str = "set this variable for the agent: in its environment, in an `.env` file or in the command";
const DATABASE_USER: &str = "name a user that the database has (`-U postgres`), or make one with this name";
const NO_DATABASE: &str = "make the database first (`createdb NAME`), or name one that exists";
const BUILD_CONTEXT: &str =
    "copy only what is in the build context: the path is not there, or .dockerignore leaves it out";
const INIT: &str = "run `terraform init` first, and after each change of providers or backend";
const FORBIDDEN: &str =
    "use another source, or give the agent a login that may read it: the server refuses this request";
const UNIQUE: &str = "look up the row first, or insert it only if it is new (`ON CONFLICT`, `INSERT OR IGNORE`)";
const SQL: &str = "correct the statement at the word that the message names: it is written for another database, or a quote is missing";
const GREP: &str =
    "give `grep` the option `-E` for groups and alternatives, or `-F` for plain text: without them `\\(` opens a group";
const PATTERN: &str = "tell the agent to search for text with `-F`, and to put a pattern in single quotes with `(`, `[`, `{` and `\\` escaped";
const SED: &str = "tell the agent to edit files with its own tool, or to use another mark than `/` in `sed` (`s|a|b|`) and one `-e` for each step";
const REQUEST: &str =
    "look at the message: the agent's program sent a request that the provider refuses; update the agent";
const SANDBOX: &str = "allow it in the agent's sandbox, if there is one (the folder, the port, the network), or let the agent run this step \
     outside: it is not the mode of a file that forbids it";
const READ_ONLY: &str = "start the agent in a sandbox mode in which it may write (Codex: `--sandbox workspace-write`), or give it only tasks that \
     change nothing: its sandbox is read-only";
const JQ: &str = "put the filter of `jq` in single quotes, and try it on a small piece of the data first";
const NO_JSON: &str = "have the agent look at the text before it parses it: it is empty or no JSON, such as a log or the page of an error";
const BRANCH_IN_USE: &str =
    "work on this branch in the worktree that has it checked out: git checks a branch out only once at a time";
const NO_DISPLAY: &str = "run it without a window (`--headless`, `xvfb-run`): the agent has no screen";
const HOOK: &str = "look at what the hook prints: if it forbids this, say so in the agent's instructions; if it failed itself, repair it";
const MCP_DEAD: &str = "start this MCP server again and look at its log, and tell the agent to leave its tools until then: it has ended or did not start";

const TEST_TYPES: &str =
    "install the types of the test runner (such as `@types/jest`), or name them in `types` of tsconfig.json";
const NODE_TYPES: &str = "install `@types/node`, or name it in `types` of tsconfig.json";
const ESM_IN_SCRIPT: &str = "Cannot use import statement outside a module";
pub(crate) const ESM: &str = "run it with what runs the project's modules (its test runner, its scripts); a script of the agent's own gets the ending \
     `.mjs`, or `\"type\": \"module\"` in its package.json";
/// In place of [`ESM`], if the file is not one that the command names.
pub(crate) const ESM_OF_PROJECT: &str = "run it with what compiles the project's modules, such as its test runner or a script of its package.json: \
     `node` itself takes this file for no module";
const KEY_OF_FORGE: &str =
    "add the agent's public key to the account on this server, or use the HTTPS address of the repository with a token";
const KEY_OR_VARIABLE: &str = "set this variable for the agent, if the line reads it from the environment; if not, look at the keys that the data has";
const WORKSPACE: &str = "keep what the agent works with in its workspace, or add that folder to the workspace";
const METHOD: &str = "correct the name of the method, or look up what took its place in the installed version";
pub(crate) const NOTHING_AVAILABLE: &str = "install what has this name where the agent looks for it, where none is; if the agent's instructions name it, take it out there";
pub(crate) const NO_SKILL: &str =
    "install this skill for the agent; if its instructions name it without need, take the name out there";
pub(crate) const NO_TOOL: &str =
    "connect the server that has this tool; if the agent's instructions name it without need, take the name out there";
pub(crate) const NAMESPACE: &str =
    "install the package that this name belongs to: Python found only a folder of that name";
pub(crate) const DATABASE_FILE: &str = "make the folder of the database first, and look at who may write there";
const IDENTITY: &str = "set `git config user.name` and `git config user.email` for the user that the agent runs as";

/// What helps against the error in a line.
pub(crate) fn hint(line: &str, is_typescript: bool) -> Option<&'static str> {
    // The message ends where its list would begin.
    if line.contains("not found. Available ") && line.trim_end().ends_with(':') {
        return Some(NOTHING_AVAILABLE);
    }
    // The file in brackets is the project's own.
    if line.contains("cannot import name '")
        && line.contains(".py)")
        && !["site-packages", "dist-packages", "/lib/python"].iter().any(|folder| line.contains(folder))
    {
        return Some(OWN_NAME);
    }
    if is_onto_itself(line) {
        return Some(ONTO_ITSELF);
    }
    if line.contains("MCP server") && ["ot connected", "isconnected"].iter().any(|words| line.contains(words)) {
        return Some(MCP_DEAD);
    }
    // No user of a forge has a file of keys there.
    if line.contains("git@") && line.contains("ermission denied (publickey") {
        return Some(KEY_OF_FORGE);
    }
    if names_a_variable(line) {
        return Some(KEY_OR_VARIABLE);
    }
    if let Some(successor) = successor(line) {
        return Some(successor);
    }
    // What runs TypeScript decides what a module is, and not the ending of the file.
    // `The property "a" is not defined for this model`: no name is missing.
    let is_of_object = |part: &str| part == " is not defined" && line.contains(" is not defined for");
    let fits = |part: &str| line.contains(part) && !(is_typescript && part == ESM_IN_SCRIPT) && !is_of_object(part);
    let known = REMEDIES.iter().find(|(_, part, _)| fits(part)).map(|(_, _, advice)| *advice);
    // `Class "A\\B" not found`: PHP found no file for the name.
    let is_of_package = || {
        line.split_once("Class \"").is_some_and(|(_, rest)| {
            rest.split('"').next().is_some_and(|name| name.contains('\\')) && rest.contains("\" not found")
        })
    };
    let known = known.or_else(|| is_of_package().then_some(AUTOLOAD));
    // `error: release version 25 not supported`
    let is_newer = line.contains("release version ") && line.contains(" not supported");
    let known = known.or_else(|| is_newer.then_some(JDK));
    // `Method A::b does not exist.`
    known.or_else(|| (line.contains("ethod ") && line.contains(" does not exist")).then_some(METHOD))
}

/// Whether a key that is missing is named like a variable of the environment: `KeyError: 'API_KEY'`.
fn names_a_variable(line: &str) -> bool {
    line.split_once("KeyError: '").and_then(|(_, rest)| rest.split_once('\'')).is_some_and(|(key, _)| {
        key.contains('_') && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// Whether a pull request would go from a branch into itself: `No commits between main and main`.
fn is_onto_itself(line: &str) -> bool {
    line.split_once("o commits between ").is_some_and(|(_, rest)| {
        let mut words = rest.split([' ', ',', '(']);
        let (head, and, base) = (words.next(), words.next(), words.next());
        and == Some("and") && head.is_some_and(|name| !name.is_empty()) && head == base
    })
}

/// Whether what a hint takes for granted holds: `input` is the call, and `is_in_library` says that the error was raised in
/// code that is not the project's.
pub(crate) fn holds(hint: &str, input: &str, is_in_library: bool) -> bool {
    let is_of_this_line = hint.starts_with("correct the name") || hint.contains("before this line");
    // What a program sent is no request of the agent to its model.
    let is_of_model = hint == REQUEST && !input.is_empty();
    // A program may speak of tools of its own.
    let is_of_program = hint == NO_TOOL && !input.is_empty() && !input.starts_with('{');
    let is_other = is_of_program || hint == SED && !substitutes(input) || hint == REVISION && !names_a_revision(input);
    !(is_of_model || is_other || is_in_library && is_of_this_line)
}

/// Whether a command names a revision of git such as `@{u}` or `stash@{0}`.
fn names_a_revision(input: &str) -> bool {
    let is_name = |inner: &str| {
        !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
    };
    input.split("@{").skip(1).any(|rest| rest.split_once('}').is_some_and(|(inner, _)| is_name(inner)))
}

/// Whether a command has an `s` command of `sed`: an `s` that begins a word or stands behind an address, and a mark.
fn substitutes(input: &str) -> bool {
    let bytes = input.as_bytes();
    let begins =
        |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|byte| !byte.is_ascii_alphabetic());
    let has_mark = |at: usize| bytes.get(at + 1).is_some_and(|byte| byte.is_ascii_punctuation() && *byte != b'-');
    input.match_indices('s').any(|(at, _)| begins(at) && has_mark(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_errors_have_advice() {
        assert_eq!(hint("*** Please tell me who you are.", false), Some(IDENTITY));
        assert!(hint(ESM_IN_SCRIPT, false).is_some());
        assert_eq!(hint(ESM_IN_SCRIPT, true), None);
        assert!(hint("ReferenceError: chai is not defined", false).is_some());
        assert_eq!(hint("NotImplementedError: the property \"a\" is not defined for model B", false), None);
        assert_eq!(hint("Class \"DOMDocument\" not found", false), Some(PHP_XML));
        assert_eq!(hint(r#"Error: Class "A\B\C" not found in /w/a.php:3"#, false), Some(AUTOLOAD));
        assert_eq!(hint("Class \"Own\" not found", false), None);
        assert_eq!(hint("error: Agent is busy. Wait for the turn to finish.", false), Some(BUSY));
        assert_eq!(hint("boom", false), None);
        for (line, is_same) in [
            ("pull request create failed: GraphQL: No commits between main and main (createPullRequest)", true),
            ("GraphQL: Head sha can't be blank, No commits between main and a-b, Head ref must be a branch", false),
            ("No commits between main and main-2", false),
            ("No commits between releases", false),
        ] {
            assert_eq!(hint(line, false) == Some(ONTO_ITSELF), is_same, "{line}");
        }
        let skill = "Skill \"a\" not found. Available skills are: ";
        assert_eq!(hint(skill, false), Some(NOTHING_AVAILABLE));
        assert!(hint(&format!("{skill}b, c"), false).is_some_and(|hint| hint.contains("that the message lists")));
        let package = "ImportError: cannot import name 'a' from 'b' (unknown location)";
        assert!(hint(package, false).is_some_and(|hint| hint.starts_with("install the package")));
    }

    #[test]
    fn hints_are_given_only_where_their_premises_hold() {
        for (input, substitutes) in [
            ("sed 's/a/b/' x", true),
            ("sed -e \"3s|a|b|\" x", true),
            ("sed -n \",+30p\" x", false),
            ("sed -n '5,9p' files/classes/a.rs", false),
        ] {
            assert_eq!(holds(SED, input, false), substitutes, "{input}");
        }
        for (input, is_revision) in [
            ("git rev-parse @{u} | Out-Null", true),
            ("git stash show stash@{0}", true),
            ("git log HEAD@{1.day.ago}..@{push}", true),
            ("$a = @{ name \"x\" }", false),
            ("git rev-parse HEAD", false),
            ("$a = @{", false),
        ] {
            assert_eq!(holds(REVISION, input, false), is_revision, "{input}");
        }
        let name = hint("AttributeError: 'A' object has no attribute 'b'", false).unwrap();
        assert!(holds(name, "", false) && !holds(name, "", true));
        let keys = hint("KeyError: 'a'", false).unwrap();
        assert!(holds(keys, "", true), "what is said of the data holds anywhere");
    }

    #[test]
    fn no_row_is_hidden_by_an_earlier_one() {
        for (at, (_, part, _)) in REMEDIES.iter().enumerate() {
            let hides = REMEDIES.iter().take(at).find(|(_, other, _)| part.contains(other));
            assert_eq!(hides, None, "{part}");
        }
    }
}

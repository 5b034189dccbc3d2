//! Steps that change what later calls find: packages, folders, settings, rights, services, databases.
//!
//! Such a step between a failed call and its success is the cure if the error names what the step names, or if it is all that
//! was changed. This file says which steps there are, and which of them an error names.

use crate::command::paths::base;
use crate::command::shell::pieces;
use crate::output::names::names_word;
use crate::output::vocabulary::Words;
use crate::text::around;

/// Most steps that are known between two calls.
pub(crate) const MAX_CURES: usize = 4;
/// Longest step, in bytes.
const MAX_STEP: usize = 120;
/// Most words of a step that are looked at.
const MAX_WORDS: usize = 16;
/// Lines of an output in which the error is looked for.
const MAX_LINES: usize = 400;
/// Longest line of an output that is read, in bytes.
const MAX_LINE: usize = 2048;
/// Longest word of an act that says too little without the program in front of it: `add`, `get`, `init`.
const SHORT_VERB: usize = 5;

/// What all of these steps have in common, which is quickly seen.
static MAY_CURE: Words = Words::of(&[
    "install",
    "add ",
    "get",
    "sync",
    "restore",
    " ci",
    "require",
    "migrat",
    "upgrade",
    "init",
    "setup",
    "bootstrap",
    "generate",
    "seed",
    " up",
    "start",
    "enable",
    "create",
    "pull",
    "venv",
    "ensurepip",
    "use ",
    "default",
    "mkdir",
    "chmod",
    "cp ",
    "config",
    "submodule",
    "lfs",
    "deps",
    "ecto",
    "db",
]);
/// Programs that do nothing else.
const PROGRAMS: [&str; 10] =
    ["mkdir", "chmod", "chown", "cp", "createdb", "createuser", "initdb", "locale-gen", "ssh-keyscan", "direnv"];
/// Acts, each with the programs that must do it; any program if there are none.
const ACTS: [(&str, &str); 42] = [
    ("install", ""),
    (
        "add",
        "npm pnpm yarn bun uv poetry pdm pipenv cargo dotnet bundle flutter dart apk helm rustup deno conda pod swift nix gem",
    ),
    ("get", "go pub flutter dart mix deps apt apt-get"),
    ("sync", "uv pdm rye pipenv hatch pixi pip-sync gradle"),
    ("restore", "dotnet nuget msbuild"),
    ("ci", "npm"),
    ("require", "composer"),
    ("update", "composer cargo apt apt-get bundle submodule pod pub apk"),
    ("migrate", ""),
    ("migrate:fresh", ""),
    ("migration:run", ""),
    ("upgrade", "alembic db"),
    ("init", "terraform tofu submodule lfs pulumi"),
    ("setup", ""),
    ("bootstrap", ""),
    ("generate", "prisma go buf sqlc run"),
    ("codegen", ""),
    ("seed", ""),
    ("up", "compose docker-compose podman-compose vagrant supabase"),
    ("start", "docker podman systemctl service services pg_ctl docker-compose compose supabase minikube brew"),
    ("restart", "docker podman systemctl service services compose docker-compose"),
    ("enable", "corepack systemctl a2enmod"),
    ("create", "docker podman volume network kubectl conda mamba db namespace"),
    ("pull", "docker podman lfs ollama compose"),
    ("ensurepip", ""),
    ("venv", "-m uv"),
    ("use", "nvm fnm volta mise asdf pyenv rbenv"),
    ("default", "rustup"),
    ("config", "git npm pnpm yarn poetry bundle composer conda gcloud"),
    ("submodule", "git"),
    ("deps.get", "mix"),
    ("local.hex", "mix"),
    ("ecto.create", "mix"),
    ("ecto.migrate", "mix"),
    ("ecto.setup", "mix"),
    ("db:create", ""),
    ("db:migrate", ""),
    ("db:setup", ""),
    ("db:push", ""),
    ("push", "prisma db"),
    ("compile", "mix"),
    ("build", "docker compose docker-compose run"),
];
/// Programs that only show something, or write it elsewhere.
const QUIET: [&str; 7] = ["echo", "printf", "cat", "grep", "rg", "ls", "gh"];
/// The word that says what a step does is one of so many behind the program.
const MAX_BEFORE: usize = 4;
/// Words of these steps that are no name of what they bring.
const PLAIN: [&str; 16] = [
    "run",
    "exec",
    "package",
    "reference",
    "compose",
    "db",
    "dev",
    "global",
    "component",
    "target",
    "toolchain",
    "all",
    "latest",
    "test",
    "module",
    "file",
];
/// Acts that are done to a service.
const SERVES: [&str; 3] = ["up", "start", "restart"];
/// How files end that say what is installed, or into what: an error may name them, whatever it is about.
const MANIFESTS: [&str; 12] =
    [".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".json", ".toml", ".txt", ".lock", ".yml", ".yaml", ".xml"];

/// The steps of a command that may be a cure, as they are shown.
pub(crate) fn cures(input: &str) -> Vec<String> {
    if !MAY_CURE.are_in(input) || input.contains("||") {
        return Vec::new();
    }
    // In a path of Windows, `\n` is no line end.
    let whole = input.trim();
    let is_one = whole.len() <= MAX_STEP && !whole.contains([';', '|', '&', '\n', '"', '>', '$', '`']);
    if is_one && whole.contains('\\') && set_up(&whole.split(' ').collect::<Vec<_>>()).is_some() {
        return vec![whole.to_owned()];
    }
    let steps = pieces(input).filter(|words| is_cure(words)).filter_map(|words| shown(input, &words));
    steps.take(MAX_CURES).collect()
}

/// Whether a step makes or changes files, which is all that it does.
pub(crate) fn is_of_files(step: &str) -> bool {
    let words: Vec<&str> = step.split(' ').collect();
    from_program(&words).first().is_some_and(|word| PROGRAMS.contains(&base(word)))
}

/// A step as it is written in the input, without redirections. In a JSON text, quotes and backslashes have one before them.
fn shown(input: &str, words: &[&str]) -> Option<String> {
    let offset = |word: &str| (word.as_ptr() as usize).checked_sub(input.as_ptr() as usize);
    let last = words.get(..words.len().min(MAX_WORDS))?.last()?;
    let (start, end) = (offset(words.first()?)?, offset(last)? + last.len());
    let closing = input.get(end..)?.starts_with(['"', '\'']) && input.get(..end - last.len())?.ends_with(['"', '\'']);
    let text = input.get(start..end + usize::from(closing))?;
    let redirected = [" >", " 2>", " 1>", " &>", " <"].iter().filter_map(|sign| text.find(sign)).min();
    let step = text.get(..redirected.unwrap_or(text.len()))?;
    let is_plain = step.contains(' ') && step.len() <= MAX_STEP && !step.contains(['\n', '`', '$']);
    is_plain.then(|| step.replace("\\\\", "\\").replace("\\\"", "\""))
}

/// The words from the program on.
fn from_program<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    let is_before = |word: &&str| matches!(*word, "sudo" | "time" | "env" | "rtk" | "exec") || is_assigned(word);
    let before = words.iter().take_while(|word| is_before(word)).count();
    words.get(before..).unwrap_or_default()
}

fn is_assigned(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn is_cure(words: &[&str]) -> bool {
    let words = from_program(words);
    let Some(program) = words.first().map(|word| base(word)) else { return false };
    PROGRAMS.contains(&program) || verb(words).is_some() || set_up(words).is_some()
}

/// The folders of a script that sets up what it lies beside: `node node_modules/a/install.js`.
fn set_up<'a>(words: &[&'a str]) -> Option<Vec<&'a str>> {
    const RUNS: [&str; 8] = ["node", "bun", "deno", "python", "python3", "ruby", "bash", "sh"];
    const SETS_UP: [&str; 5] = ["install", "postinstall", "setup", "bootstrap", "build_ext"];
    let (_, path) = words.split_first().filter(|(program, _)| RUNS.contains(&base(program)))?;
    // The parts of a path of Windows are words of their own.
    let parts = path.iter().take(MAX_WORDS).flat_map(|word| word.split(['/', '\\'])).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.take_while(|part| !part.starts_with('-')).collect();
    let is_script = |part: &&str| part.split_once('.').is_some_and(|(stem, _)| SETS_UP.contains(&stem));
    let at = parts.iter().position(is_script)?;
    let folders = parts.get(..at)?.iter().copied().filter(|name| name.len() > 2 && *name != "node_modules");
    Some(folders.collect()).filter(|folders: &Vec<&str>| !folders.is_empty())
}

/// The word that says what a step does, with the one by which it is known: `compose up`, `npm install`.
fn verb<'a>(words: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let own = words.iter().take(MAX_WORDS).filter(|word| !is_option(word)).map(|word| base(word));
    let names: Vec<&str> = own.collect();
    if names.first().is_some_and(|first| QUIET.contains(first)) {
        return None;
    }
    names.iter().enumerate().skip(1).take(MAX_BEFORE).find_map(|(at, word)| {
        let before = names.get(..at).filter(|before| !before.contains(&"test"))?;
        let (_, by) = ACTS.iter().find(|(verb, _)| verb == word)?;
        let known = before.iter().rfind(|name| by.is_empty() || by.split(' ').any(|by| by == **name))?;
        Some((*known, *word))
    })
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word != "-m"
}

/// Whether an error names what a step brings, or the step itself: what it says is `line`, and the lines of its output that
/// tell of an error.
pub(crate) fn is_named(step: &str, line: &str, output: &str, program: &str) -> bool {
    let words: Vec<&str> = step.split(' ').collect();
    let words = from_program(&words);
    let told = || {
        let lines = output.lines().take(MAX_LINES).filter(|line| line.len() <= MAX_LINE);
        std::iter::once(line).chain(lines.filter(|line| tells(line)))
    };
    if let Some((before, verb)) = verb(words) {
        let first = program.split(' ').next().unwrap_or_default();
        let phrase = format!("{before} {verb}");
        let is_same_program = words.first().is_some_and(|word| base(word) == first) && verb.len() > SHORT_VERB;
        if told().any(|line| line.contains(&phrase) || is_same_program && names_word(line, verb)) {
            return true;
        }
    }
    if let Some(folders) = set_up(words) {
        return folders.iter().any(|name| has_name(line, name));
    }
    // A folder of the project stands in many messages that are about something else.
    let may_lack = |line: &&str| !is_of_files(step) || lacks(line);
    brings(words).any(|name| told().filter(may_lack).any(|line| has_name(line, name)))
}

/// Whether a line of an output tells of an error.
fn tells(line: &str) -> bool {
    static TELLS: Words = Words::of(&[
        "rror",
        "ENO",
        "ECONN",
        "ot found",
        "annot ",
        "an't ",
        "ould not ",
        "issing",
        "o such",
        "equire",
        "nable to",
        "oes not",
        "un ",
        "install",
        "no ",
        "efused",
        "enied",
        "ailed",
        "not ",
    ]);
    TELLS.are_in(line)
}

/// Whether a line says that something is not there, or may not be used.
fn lacks(line: &str) -> bool {
    static LACKS: Words = Words::of(&[
        "o such file",
        "ENOENT",
        "not exist",
        "ot found",
        "annot find",
        "an't find",
        "ould not find",
        "enied",
        "EACCES",
        "ot a directory",
        "issing",
        "nable to",
        "ot executable",
        "annot open",
        "annot create",
        "ot writable",
    ]);
    LACKS.are_in(line)
}

/// Whether a line has a name that is no part of a longer one: what lies in the package or the folder of this name may follow.
fn has_name(line: &str, name: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    around(line, name).any(|(before, after)| {
        // The task `db:migrate` is no service `db`.
        let is_task = after.strip_prefix(':').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        !before.ends_with(is_of_name) && !after.starts_with(is_of_name) && !is_task
    })
}

/// The names of what a step brings: packages, folders, services, settings.
fn brings<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let of_package = words.iter().position(|word| *word == "package" || *word == "reference").map_or(1, |at| at + 1);
    let act = verb(words).map(|(_, verb)| verb);
    let is_of_files = words.first().is_some_and(|word| PROGRAMS.contains(&base(word)));
    let names = words.get(of_package..).unwrap_or_default().to_vec();
    names.into_iter().filter(move |word| !word.starts_with(['-', '+']) && Some(*word) != act).filter_map(move |word| {
        let name = word.trim_matches(['"', '\'']).trim_start_matches("./").trim_end_matches('/');
        // A version, or what else is asked for.
        let end = name.get(1..).and_then(|rest| rest.find(['@', '=', '<', '>', '[', '~', '^']));
        let name = name.get(..end.map_or(name.len(), |end| end + 1))?;
        let is_manifest = !is_of_files && MANIFESTS.iter().any(|end| name.ends_with(end));
        let name = name.strip_prefix("@types/").unwrap_or(name);
        let is_plain = PLAIN.contains(&name) && !(name == "db" && act.is_some_and(|act| SERVES.contains(&act)));
        (name.len() > 1 && !is_plain && !is_manifest && !ACTS.iter().any(|(verb, _)| *verb == name)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_brings_something_may_be_a_cure() {
        for (input, steps) in [
            ("dotnet add a/b.csproj package Moq", &["dotnet add a/b.csproj package Moq"][..]),
            ("npm install 2>&1 | tail -5", &["npm install"]),
            ("node node_modules/esbuild/install.js", &["node node_modules/esbuild/install.js"]),
            (r"node .\node_modules\esbuild\install.js", &[r"node .\node_modules\esbuild\install.js"]),
            ("node src/index.js --setup", &[]),
            ("cd web && sudo npm ci --silent; npm test", &["sudo npm ci --silent"]),
            ("uv add httpx && uv run pytest", &["uv add httpx"]),
            ("go get github.com/a/b@v1.2.3", &["go get github.com/a/b@v1.2.3"]),
            ("composer require --dev phpunit/phpunit", &["composer require --dev phpunit/phpunit"]),
            ("mix deps.get", &["mix deps.get"]),
            ("flutter pub add http", &["flutter pub add http"]),
            ("pip install -r requirements.txt -q", &["pip install -r requirements.txt -q"]),
            ("npx playwright install chromium", &["npx playwright install chromium"]),
            ("rustup target add wasm32-wasip2", &["rustup target add wasm32-wasip2"]),
            ("git submodule update --init --recursive", &["git submodule update --init --recursive"]),
            ("docker compose -f a.yml up -d db", &["docker compose -f a.yml up -d db"]),
            ("createdb app_test", &["createdb app_test"]),
            ("python manage.py migrate", &["python manage.py migrate"]),
            ("bin/rails db:migrate RAILS_ENV=test", &["bin/rails db:migrate RAILS_ENV=test"]),
            ("mkdir -p a/b && chmod +x run.sh", &["mkdir -p a/b", "chmod +x run.sh"]),
            ("git config user.email \"a b@c\"", &["git config user.email \"a b@c\""]),
            (r"dotnet add a\b.csproj package Moq > x.log 2>&1", &[r"dotnet add a\b.csproj package Moq"]),
            ("pip install \"yaml>=6\" 'node@22'", &["pip install \"yaml>=6\" 'node@22'"]),
            (r#"{"command": "pip install \"yaml>=6\" a\\b 2>&1 | tail"}"#, &[r#"pip install "yaml>=6" a\b"#]),
            ("cp .env.example .env", &["cp .env.example .env"]),
            (r#"{"command": "terraform init", "description": "x"}"#, &["terraform init"]),
        ] {
            assert_eq!(cures(input), steps, "{input}");
        }
    }

    #[test]
    fn what_brings_nothing_is_no_cure() {
        for input in [
            "git add .",
            "git status && git pull",
            "npm test",
            "cargo build",
            "echo npm install",
            "grep -rn 'npm install' README.md",
            "gh pr create --title x",
            "cat migrate.py",
            "ls start",
            "npm install || true",
            "cat > a.sh <<'E'\nnpm install\nE",
            "mkdir \"$DIR\"",
            "python -c 'import setup'",
            "make",
            "",
        ] {
            assert_eq!(cures(input), [""; 0], "{input}");
        }
    }

    #[test]
    fn an_error_names_what_a_step_brings() {
        for (step, line, program) in [
            (
                "dotnet add a.csproj package Moq",
                "A.cs(1,7): error CS0246: The namespace name 'Moq' could not be found",
                "dotnet test",
            ),
            ("dotnet restore a.slnx", "a.csproj : error NU1105: run a restore from the command-line", "dotnet ef"),
            ("npm install --save-dev @types/node", "error TS2688: Cannot find type definition file for 'node'.", "tsc"),
            ("pip install 'zod>=3'", "ModuleNotFoundError: No module named 'zod'", "python a.py"),
            ("npm install zod@3", "Error: Cannot find module 'zod'", "node a.js"),
            ("go get github.com/a/b@v1", "a.go:3:2: no required module provides package github.com/a/b/c", "go test"),
            ("cargo add serde_json", "error[E0432]: unresolved import `serde_json`", "cargo build"),
            ("rustup target add wasm32-wasip2", "note: the `wasm32-wasip2` target may not be installed", "cargo build"),
            (
                "npx playwright install",
                "Looks like Playwright was just installed. Please run: npx playwright install",
                "npx playwright",
            ),
            ("docker compose up -d redis", "getaddrinfo ENOTFOUND redis", "npm test"),
            ("docker compose up -d db", "could not translate host name \"db\" to address: Name not known", "pytest"),
            ("cp .env.example .env", "Error: ENOENT: no such file or directory, open '.env'", "node"),
            ("createdb app_test", "FATAL:  database \"app_test\" does not exist", "rails test"),
            (
                "python manage.py migrate",
                "You have 3 unapplied migrations. Run 'python manage.py migrate'",
                "python manage.py",
            ),
            ("mkdir -p out/logs", "ENOENT: no such file or directory, open 'out/logs/a.txt'", "node a.js"),
            ("chmod +x ./gradlew", "bash: ./gradlew: Permission denied", "gradlew"),
            (
                "git config user.email a@b",
                "fatal: unable to auto-detect email address; git config user.email",
                "git commit",
            ),
            (
                "git submodule update --init vendor/lib",
                "CMake Error: vendor/lib does not contain a CMakeLists.txt",
                "cmake",
            ),
            ("bundle install", "Could not find rake-13.0 in locally installed gems. Run `bundle install`", "rake"),
            ("mix deps.get", "Unchecked dependencies. Run \"mix deps.get\"", "mix test"),
            (
                "terraform init",
                "Error: Backend initialization required, please run \"terraform init\"",
                "terraform plan",
            ),
        ] {
            assert!(is_named(step, line, "", program), "{step}: {line}");
            assert!(is_named(step, "it failed", &format!("a\n{line}\nb"), program), "{step}: {line} in an output");
        }
    }

    #[test]
    fn an_error_about_something_else_names_no_step() {
        for (step, line, program) in [
            ("dotnet add a.csproj package Moq", "a.csproj: error CS1513: } expected", "dotnet test"),
            ("npm install zod", "Error: Cannot find module 'left-pad'", "node a.js"),
            ("mkdir -p src", "src/a.ts(1,2): error TS2304: Cannot use name 'x'.", "tsc"),
            ("npm install react", "error: react-hooks/exhaustive-deps is not a rule", "eslint"),
            ("docker compose up -d db", "error: run rake db:migrate to resolve this", "rails test"),
            ("cp a.ts src/a.ts", "src/a.ts:3: error: expected ;", "tsc"),
            ("npm run db:seed", "AssertionError: expected 1 to equal 2", "npm test"),
            ("docker compose up -d db", "error: no lease for the queue", "work"),
            ("mkdir -p out", "error: about nothing else", "node"),
            ("cp .env.example .env", "TypeError: process.env.A is undefined", "node"),
            ("cargo add serde", "error[E0432]: unresolved import `serde_json`", "cargo build"),
            ("pip install -r requirements.txt", "requirements.txt: error: 3 failed", "pytest"),
            ("go get a.b/c", "error: cannot get the lock", "go test"),
            ("git config core.hooksPath x", "fatal: not a git repository", "git status"),
            ("uv sync", "error: could not sync the clock", "clock"),
            ("npm ci", "error: the ci job failed", "jobs"),
        ] {
            assert!(!is_named(step, line, line, program), "{step}: {line}");
        }
    }
}

//! Validation commands, both verdicts, from the lists in `command_cases`: what must run, and what must not and why.

use std::time::Duration;

use gephost_core::command::{CommandError, CommandRules, CommandRulesError, RecordedRun, ValidationCommand, words};
use proptest::prelude::*;

const ALLOWED: &str = include_str!("command_cases/allowed.txt");
const REFUSED: &str = include_str!("command_cases/refused.txt");

fn parse(text: &str) -> Result<ValidationCommand, CommandError> {
    ValidationCommand::parse(text, &CommandRules::default())
}

/// The name of the variant, as the sections of the list have it.
fn variant(error: &CommandError) -> String {
    format!("{error:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
}

#[test]
fn every_command_of_the_allowed_list_passes() {
    let wrong: Vec<_> = ALLOWED.lines().filter_map(|text| Some((text, parse(text).err()?.to_string()))).collect();
    assert!(wrong.is_empty(), "refused: {wrong:#?}");
    assert!(ALLOWED.lines().count() >= 140, "the list was read");
}

#[test]
fn every_command_of_the_refused_list_is_refused_for_the_stated_reason() {
    let (mut section, mut wrong, mut count) = ("", Vec::new(), 0);
    for line in REFUSED.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name;
            continue;
        }
        count += 1;
        let reason = parse(line).as_ref().map_or_else(variant, |_| "allowed".to_owned());
        if reason != section {
            wrong.push((section, line, reason));
        }
    }
    assert!(wrong.is_empty(), "expected, command, found: {wrong:#?}");
    assert!(count >= 300, "the list was read");
}

#[test]
fn characters_that_a_list_cannot_show_are_refused() {
    for text in [
        "pytest\nrm",
        "pytest\r",
        "pytest\t-q",
        "pytest \0",
        "pytest \u{1b}[2J",
        "pytest 'a\nb'",
        "pytest\u{a0}-q",
        "pytest \u{202e}x",
        "pytest a\u{200b}b",
        "pytest \u{feff}",
        "pytest \u{2028}x",
        "pytest\u{3000}-q",
    ] {
        assert!(matches!(parse(text), Err(CommandError::Hidden(_))), "{text:?}");
    }
    assert!(matches!(parse("pytest ．．/x"), Err(CommandError::Outside { .. })), "full-width dots");
    assert_eq!(parse(""), Err(CommandError::Empty));
    assert_eq!(parse("   "), Err(CommandError::Empty));
    assert_eq!(parse(&"pytest ".repeat(10_000)), Err(CommandError::TooLong(70_000)));
}

#[test]
fn what_runs_is_what_was_written_without_quotes() {
    let command = parse(r#"pytest -k "not slow" 'tests/a b.py'"#).unwrap();
    assert_eq!(command.text(), r#"pytest -k "not slow" 'tests/a b.py'"#);
    assert_eq!(command.argv(), ["pytest", "-k", "not slow", "tests/a b.py"]);
}

/// Programs that an operator may add, usual words after them, and words that would run something else or test nothing.
#[rustfmt::skip]
const OF_PROGRAMS: &[(&str, &[&str], &[&str])] = &[
    ("make", &["V=1 test", "-j4 check"], &["--old-file=x", "--what-if=x", "--help", "--environment-overrides", "--include-dir=o"]),
    ("cmake", &["-S . -B build -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=ON", "--build build"],
        &["-DCMAKE_C_COMPILER=sh", "-D CMAKE_C_COMPILER=sh", "-DCMAKE_TOOLCHAIN_FILE=o", "-DCMAKE_C_FLAGS=-fplugin=o",
          "-DCMAKE_C_COMPILER_LAUNCHER=sh", "-Po", "-Co", "--toolchain o"]),
    ("ctest", &["--output-on-failure", "-C Release"], &["--no-tests=ignore", "--launch"]),
    ("mvn", &["-q test", "-Dtest=FooTest test", "-B verify", "-pl core test"],
        &["-Djvm=sh test", "-Dmaven.ext.class.path=o test", "-DskipTests", "-Dmaven.test.skip=true", "--define x=y",
          "com.example:plugin:1:run", "dependency:get", "--toolchains=o", "--version"]),
    ("gradle", &["test", ":app:check --no-daemon"], &["-bo", "--system-prop=a=b", "--gradle-user-home=o", "wrapper", "-xtest"]),
    ("tox", &["-e py312", "run -e lint", "-r"], &["-qn", "--listenvs", "l", "--root o", "exec", "-co.ini"]),
    ("nox", &["-s tests", "-e lint"], &["--list-sessions", "--default-venv-backend=x", "-fo.py"]),
    ("rake", &["test"], &["-Io", "--describe", "-An"]),
    ("dotnet", &["test", "test -c Release", "build"], &["x exec", "publish", "vstest o", "test @o.rsp", "dnx x", "--info"]),
    ("bazel", &["test //...", "test //a:b --test_output=errors", "test //a/..."],
        &["test --action_env=PATH=o", "test --shell_executable=sh", "query x", "--blazerc=o", "test //../x:y", "test --test_env=X=y"]),
    ("mix", &["test", "test test/a_test.exs:12", "format --check-formatted"], &["hex.publish", "deps.get", "phx.new x", "test --exclude a"]),
    ("zig", &["build test", "test src/a.zig"], &["test --test-cmd sh", "fetch x", "objcopy x", "test --test-no-exec x", "targets"]),
    ("prove", &["-lr t/", "-l t"], &["-Po", "-Io", "--ignore-exit", "-ln"]),
    ("jest", &["--coverage", "src/a.test.ts", "--ci"], &["-u", "--updateSnapshot", "--clearCache"]),
    ("vitest", &["run", "run src/a.test.ts"], &["--execArgv=-r", "--poolOptions.forks.execArgv=-e", "--typecheck.checker=sh", "-u", "list"]),
    ("mocha", &["test/a.js", "--reporter dot"], &["-n require=o", "--node-option require=o", "--env-file=o", "-i", "--exclude x"]),
    ("rspec", &["spec/a_spec.rb:3", "--format documentation"], &["-Io", "-ro", "--failure-exit-code 0", "--bisect", "spec/a.rb:x/../../y"]),
    ("gcc", &["-Wall -c a.c", "-O2 -o build/a a.c"], &["-wrapper sh", "-fplugin=o", "@o"]),
    ("pre-commit", &["run --all-files"], &["try-repo x", "autoupdate"]),
];

#[test]
fn a_list_of_programs_replaces_the_table_and_keeps_its_rules() {
    let only = |names: &[&str]| CommandRules::with_programs(&names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>());
    let rules = only(&["pytest", "go"]).unwrap();
    assert!(ValidationCommand::parse("pytest -q", &rules).is_ok());
    assert!(ValidationCommand::parse("pytest -c x", &rules).is_err(), "the options' rules stay");
    let message = ValidationCommand::parse("cargo test", &rules).unwrap_err().to_string();
    assert_eq!(message, r#"program "cargo" is not allowed; allowed programs: go, pytest"#);
    assert!(ValidationCommand::parse("pytest", &only(&[]).unwrap()).is_err());
    for name in [
        "bash",
        "npx",
        "",
        "Env",
        "pytest ",
        "/usr/bin/pytest",
        "../x",
        "sh.exe",
        "git",
        "python2",
        "pypy3",
        "uv",
        "mise",
        "poetry",
        "deno",
        "nodejs",
        "ruby3.2",
        "flock",
        "direnv",
        "conda",
        "java",
        "rlwrap",
        "torchrun",
        "py-spy",
        "dotenvx",
        "rg",
        "pdflatex",
        "jupyter",
        "aws",
        "nlx",
        "gotestsum",
        "gpg-agent",
        "7z",
    ] {
        let error = only(&["pytest", name]).unwrap_err();
        assert!(matches!(&error, CommandRulesError::NeverAllowed { name: found } if found == name), "{error}");
    }
    let own = only(&["make", "false"]).unwrap();
    for allowed in [
        "make",
        "make test",
        "false",
        "make -j2 check V=1",
        "make -k test",
        "false -race -pl a",
        "make PYTHON=python3 test",
        "make 'ARGS=-k foo' test",
        "make CFLAGS+=-O2",
        "make -sj4 test",
        "make ENVIRONMENT=ci",
        "make --keep-going",
        "make --silent test",
        "make -B",
    ] {
        assert!(ValidationCommand::parse(allowed, &own).is_ok(), "{allowed}");
    }
    for refused in [
        "make SHELL=./evil",
        "make MAKEFLAGS=-n test",
        "make -f evil.mk",
        "make -fevil.mk",
        "make --file=evil.mk",
        "make -C sub",
        "make --dry-run test",
        "make test --just-print",
        "false -r'phpinfo()'",
        "make -C /etc",
        "make --eval=x",
        "make ../x",
        "make -f ~/m",
        "make x; rm y",
        "make X!=./evil",
        "make X!=evil test",
        "make SHELL?=./evil",
        "make SHELL:=./evil",
        "make SHELL::=./evil",
        "make SHELL+=-x",
        "make .SHELLFLAGS=-c",
        "make MAKEFLAGS+=-n",
        "make LD_PRELOAD=x.so",
        "make GIT_SSH_COMMAND=x",
        "make CC=sh",
        "make 'CC=sh -x'",
        "make CC=/bin/bash",
        "make PYTHON=perl",
        "make 'ARGS=; rm x'",
        "make 'ARGS=| sh'",
        "make 'ARGS=a && b'",
        "make 'ARGS=>x'",
        "make -kf evil.mk",
        "make -sC sub",
        "make -n test",
        "make -kn",
        "make -q",
        "make -i test",
        "make --fil=evil.mk",
        "make --file evil.mk",
        "make --makef=evil.mk",
        "make --ev=x",
        "make --direc=sub",
        "make --dry",
        "make --just",
        "make --tou test",
        "true",
        "make -c x",
    ] {
        assert!(ValidationCommand::parse(refused, &own).is_err(), "{refused}");
    }
    let versioned = only(&["python3.12", "py.test"]).unwrap();
    for (text, is_allowed) in [
        ("python3.12 -m pytest -q", true),
        ("python3.12 tests/run.py", true),
        ("python3.12 -c 1", false),
        ("python3.12 -m http.server", false),
        ("python3.12 manage.py shell", false),
        ("py.test -q tests", true),
        ("py.test -c evil.ini", false),
        ("python3.11 a.py", false),
    ] {
        assert_eq!(ValidationCommand::parse(text, &versioned).is_ok(), is_allowed, "{text}");
    }
    let others = only(&["gradle", "mvn", "ctest", "just", "tox", "dotnet", "cmake"]).unwrap();
    for (text, is_allowed) in [
        ("gradle test", true),
        ("gradle --init-script x.gradle test", false),
        ("gradle --init=x.gradle test", false),
        ("gradle -x test build", false),
        ("mvn test", true),
        ("mvn -Dtest=A test", true),
        ("mvn exec:exec", false),
        ("mvn -DskipTests install", false),
        ("ctest --output-on-failure", true),
        ("ctest -S x.cmake", false),
        ("just test", true),
        ("just --shell=x", false),
        ("tox", true),
        ("tox exec", false),
        ("dotnet test", true),
        ("dotnet run", false),
        ("cmake --build build", true),
        ("cmake -P x.cmake", false),
        ("cmake -E env", false),
        ("tox --collect-onl", false),
    ] {
        assert_eq!(ValidationCommand::parse(text, &others).is_ok(), is_allowed, "{text}");
    }
    for (program, allowed, refused) in OF_PROGRAMS {
        let rules = only(&[program]).unwrap();
        let passes = |words: &str| ValidationCommand::parse(&format!("{program} {words}"), &rules).is_ok();
        let wrong = allowed.iter().filter(|words| !passes(words)).chain(refused.iter().filter(|words| passes(words)));
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&&str>::new(), "{program}");
    }
    let every = ["cargo", "go", "node", "npm", "pnpm", "pytest", "python", "python3", "yarn"];
    assert_eq!(only(&every).unwrap(), CommandRules::default());
}

/// Programs that gephost knows little or nothing about: what the words themselves say decides.
#[test]
fn an_option_that_names_code_is_refused_for_every_program() {
    let passes = |line: &str| {
        let program = line.split(' ').next().unwrap_or_default().to_owned();
        ValidationCommand::parse(line, &CommandRules::with_programs(&[program]).unwrap()).is_ok()
    };
    let refused = [
        "newtool --pdf-engine=./x doc",
        "newtool --globalSetup x.js",
        "newtool --test-runner x",
        "newtool --load-plugins=x src",
        "newtool -ppx ./x a.ml",
        "newtool --vpi=x.so a",
        "newtool --reporter ./x",
        "newtool --reporter=x",
        "newtool --environment ./x",
        "newtool --python-executable x",
        "newtool --name=sh",
        "newtool -d defaults.yaml",
        "newtool -F filter",
        "newtool -I lib",
        "newtool exec x",
        "newtool -v serve",
        "newtool run x",
        "newtool -- sh",
        "golangci-lint custom",
        "golangci-lint run --plugin x",
        "pandoc -F x doc.md",
        "sphinx-build -D extensions=x docs out",
        "karma start --plugins x",
    ];
    let allowed = [
        "newtool",
        "newtool --strict src",
        "newtool -v -j4 -k 'not slow'",
        "newtool --max-line-length=100 --quiet src tests",
        "newtool --reporter dot",
        "newtool --reporters=default,junit",
        "newtool --environment jsdom",
        "newtool --no-config src",
        "newtool check -q",
        "newtool test -- name",
        "golangci-lint run ./...",
        "pants test ::",
        "buck2 test //a:b",
        "mypy -p pkg --python-version 3.12",
        "sphinx-build -W -b html docs out",
        "pandoc -f markdown -t html -o out.html README.md",
        "vitest run --reporter=verbose src/a.test.ts",
        "coverage run -m pytest",
        "karma start --single-run --browsers ChromeHeadless",
        "pre-commit run --all-files",
    ];
    let wrong = refused.iter().filter(|line| passes(line)).chain(allowed.iter().filter(|line| !passes(line)));
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn an_operators_own_command_is_taken_word_for_word() {
    let argv = ["sh", "-c", "make test && echo it's $(date)"].map(str::to_owned).to_vec();
    let command = ValidationCommand::from_operator(argv.clone()).unwrap();
    assert_eq!(command.argv(), argv);
    assert_eq!(command.text(), r#"sh -c 'make test && echo it'"'"'s $(date)'"#);
    for argv in [vec![], vec![""], vec!["", "a"], vec!["a", "b\0"], vec!["\0"]] {
        assert_eq!(ValidationCommand::from_operator(argv.iter().map(|&w| w.to_owned()).collect()), None, "{argv:?}");
    }
}

#[test]
fn a_command_that_passes_passes_again_when_it_is_quoted() {
    for text in ALLOWED.lines() {
        let command = parse(text).unwrap();
        let quoted = ValidationCommand::quote(command.argv());
        assert_eq!(words(&quoted).unwrap(), command.argv());
        assert!(parse(&quoted).is_ok(), "{quoted}");
    }
}

proptest! {
    #[test]
    fn no_words_make_it_panic_and_no_path_outside_passes(
        program in prop::sample::select(vec!["node", "npm test --", "pytest", "python -m unittest", "go test", "python a.py"]),
        tail in "[-a-z./:=@~' \"é]{0,24}",
    ) {
        if let Ok(command) = parse(&format!("{program} {tail}")) {
            for word in command.argv().iter().skip(1) {
                let option = word.strip_prefix('-').and_then(|option| option.split_once('='));
                let value = option.map_or(word.as_str(), |(_, value)| value);
                let path = value.split("::").next().unwrap_or_default();
                prop_assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."), "{}", word);
            }
        }
    }
}

#[test]
fn a_recorded_command_runs_no_longer_than_its_operator_let_it() {
    let recorded = |timeout_s| {
        let run = RecordedRun { exit_code: 124, error: None, folder: None, environment: None, timeout_s };
        parse("pytest").unwrap().with_recorded(Some(run))
    };
    let most = Duration::from_mins(2);
    assert_eq!(parse("pytest").unwrap().time(most), most);
    assert_eq!(recorded(None).time(most), most);
    assert_eq!(recorded(Some(10)).time(most), Duration::from_secs(10));
    assert_eq!(recorded(Some(600)).time(most), most, "the config bounds it too");
    // Entries of logs from before the limit was kept.
    let old: RecordedRun = serde_json::from_str(r#"{"exit_code": 1}"#).unwrap();
    assert_eq!(old.timeout_s, None);
}

//! Programs that the operator adds in `[validation] programs`. gephost knows few of their options, so it checks what
//! holds for every program: no code in arguments, no path outside the work copy, no option that skips the tests.

use super::CommandError;
use super::check::not_skipping;
use super::options::SKIPS_TESTS;
use super::place;
use super::runners::is_runner;

/// Variables that decide what runs; one that ends in `_` stands for all that begin so. Sources: the manuals of make, ld.so,
/// bash and the interpreters.
#[rustfmt::skip]
const VARIABLES: &[&str] = &[
    ".SHELLFLAGS", "BASH_ENV", "BASH_FUNC_", "BROWSER", "BUNDLE_", "CARGO_", "CDPATH", "COMPOSER_", "DOTNET_STARTUP_HOOKS",
    "DYLD_", "EDITOR", "ENV", "GCONV_PATH", "GEM_", "GIT_", "GNUMAKEFLAGS", "GOFLAGS", "GRADLE_OPTS", "IFS", "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "LD_", "MAKE", "MAKEFILES", "MAKEFLAGS", "MAVEN_OPTS", "MFLAGS", "NODE_OPTIONS",
    "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "NPM_CONFIG_", "PAGER", "PATH", "PERL5DB", "PERL5LIB", "PERL5OPT", "PERLLIB",
    "PHPRC", "PHP_INI_SCAN_DIR", "PIP_", "PROMPT_COMMAND", "PS4", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONBREAKPOINT",
    "PYTHONEXECUTABLE", "PYTHONHOME", "PYTHONINSPECT", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONWARNINGS",
    "RUBYLIB", "RUBYOPT", "RUSTC", "RUSTC_", "RUSTDOC", "RUSTFLAGS", "R_ENVIRON", "R_PROFILE", "SHELL", "SHELLOPTS", "UV_",
    "VISUAL", "ZDOTDIR", "_JAVA_OPTIONS", "npm_config_",
];

/// What a recipe's shell would act on in the value of a variable.
const SHELL_LETTERS: &[char] = &[';', '&', '|', '<', '>', '`', '$', '(', ')', '{', '}', '\\', '!'];

/// Options that many programs follow with code or a configuration.
const CARRIES_CODE: &[&str] = &[
    "-C",
    "-c",
    "-e",
    "-f",
    "-p",
    "-r",
    "--config-file",
    "--directory",
    "--file",
    "--formatter",
    "--justfile",
    "--makefile",
    "--plugin",
    "--plugins",
    "--rcfile",
    "--resolve-plugins-relative-to",
    "--rulesdir",
    "--eval",
    "--exec",
    "--command",
    "--print",
    "--require",
    "--import",
    "--loader",
    "--config",
    "--init",
    "--init-command",
    "--preload",
    "--shell",
    "--script-shell",
];

/// Options with which many programs do nothing.
const DOES_NOTHING: &[&str] = &["--dry-run", "--ignore-errors", "--just-print", "--question", "--recon", "--touch"];

/// What some programs have beside that: options and first words that run something else, or nothing.
struct Own {
    programs: &'static [&'static str],
    carries_code: &'static [&'static str],
    does_nothing: &'static [&'static str],
}

const fn own(
    programs: &'static [&'static str],
    carries_code: &'static [&'static str],
    does_nothing: &'static [&'static str],
) -> Own {
    Own { programs, carries_code, does_nothing }
}

/// Sources: each program's manual.
const OWN: &[Own] = &[
    own(&["make", "gmake", "bmake", "remake"], &["-E", "-I", "-W", "-o"], &["-n", "-q", "-t", "-i", "-v", "-h"]),
    own(&["ninja", "samu"], &["-t"], &["-n"]),
    own(&["cmake"], &["-P", "-E", "--install", "--open", "--workflow"], &["-N", "-L", "--help"]),
    own(
        &["ctest"],
        &["-S", "-SP", "-D", "-T", "-M", "--script", "--build-and-test", "--test-command", "--overwrite"],
        &["-N", "--show-only", "-E", "--exclude-regex", "--print-labels", "-LE"],
    ),
    own(
        &["just"],
        &["-d", "--working-directory", "--set", "--shell-arg", "--chooser", "--edit", "-g", "--global-justfile"],
        &["-n", "-l", "--list", "-s", "--show", "--summary", "--evaluate", "--dump", "--choose"],
    ),
    own(
        &["task", "go-task"],
        &["-t", "--taskfile", "-d", "--dir", "-g", "--global"],
        &["-n", "--dry", "-l", "--list", "--list-all", "--status", "--summary"],
    ),
    own(
        &["mvn", "mvnd"],
        &["-s", "-gs", "--settings", "--global-settings", "exec:", "org.codehaus.mojo:", "antrun:", "groovy:"],
        &["-DskipTests", "-Dmaven.test.skip", "-DskipITs", "-Dmaven.test.failure.ignore", "-fn", "--fail-never"],
    ),
    own(
        &["gradle"],
        &["-I", "--init-script", "-b", "--build-file", "--settings-file", "-g", "--include-build", "-P", "-D"],
        &["-x", "--exclude-task", "-m", "tasks", "help"],
    ),
    own(
        &["tox"],
        &["exec", "e", "devenv", "-x", "--override", "--workdir"],
        &["-n", "--notest", "-l", "list", "config"],
    ),
    own(&["nox"], &["--noxfile", "--extra-pythons"], &["-l", "--list", "--install-only"]),
    own(&["rake"], &["-E", "--execute", "-R", "-g", "--rakefile", "-N"], &["-n", "-P", "-T", "-D", "--tasks"]),
    own(
        &["phpunit"],
        &["--bootstrap", "--configuration", "--prepend", "--printer", "--extension", "-d", "--include-path"],
        &["--list-tests", "--list-groups", "--list-suites", "--list-tests-xml", "--generate-configuration"],
    ),
    own(
        &["dotnet"],
        &["exec", "run", "tool", "fsi", "script", "msbuild", "new", "nuget", "watch", "add"],
        &["-t", "--list-tests"],
    ),
    own(
        &["bazel", "bazelisk", "blaze"],
        &["run", "mobile-install", "--run_under", "--bazelrc"],
        &["--nobuild", "--build_tests_only"],
    ),
    own(&["mix"], &["run", "do", "cmd", "eval", "archive.install", "escript.install", "local.hex"], &["help"]),
    own(&["sbt"], &["eval", "console", "run", "runMain", "set", "-D", "-J"], &["tasks"]),
    own(&["nx"], &["exec", "run-commands", "migrate", "init", "add"], &["graph", "show"]),
    own(&["lerna"], &["exec", "publish", "version", "create", "import"], &["list", "ls"]),
    own(&["zig"], &["run", "cc", "c++", "init"], &["env", "version"]),
    own(&["coverage"], &["--rcfile"], &["--help", "help"]),
    own(&["prove"], &["-e", "-M", "-P", "--source", "--formatter", "-I"], &["-D", "--dry"]),
];

/// Whether an operator may add this program: a bare name that the system looks up, and not a program that runs others.
pub(super) fn may_be_added(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(plain) && !is_runner(name)
}

/// Checks the words after such a program.
pub(super) fn check(program: &str, words: &[String]) -> Result<(), CommandError> {
    let own = OWN.iter().find(|own| own.programs.contains(&program));
    words.iter().try_for_each(|word| check_word(word, own))
}

fn check_word(word: &str, own: Option<&Own>) -> Result<(), CommandError> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let (carries, nothing) = own.map_or((&[][..], &[][..]), |own| (own.carries_code, own.does_nothing));
    if !word.starts_with('-') && word.contains('=') {
        check_variable(word, name, value)?;
    }
    if is_one_of(word, CARRIES_CODE) || is_one_of(word, carries) || carries_code_joined(word) {
        return Err(CommandError::Option(name.to_owned()));
    }
    if is_one_of(word, DOES_NOTHING) || is_one_of(word, nothing) {
        return Err(CommandError::SkipsTests(name.to_owned()));
    }
    if own.is_some_and(|own| own.programs.contains(&"make")) {
        check_letters(word, carries, nothing)?;
    }
    not_skipping(word)?;
    if let Some(full) = SKIPS_TESTS.iter().find(|full| shortens_parts(name, full)) {
        return Err(CommandError::SkipsTests((*full).to_owned()));
    }
    place::script_argument(word)
}

/// Whether a word is an option of the list, or a shortened long one: many programs take any beginning that is enough to
/// tell. `exec:` stands for every word that begins so, and so does an option of one letter with its value.
fn is_one_of(word: &str, list: &[&str]) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    list.iter().any(|listed| {
        let shortened = name.len() > 2 && listed.starts_with("--") && listed.starts_with(name);
        let begins = (listed.ends_with(':') || ["-D", "-P", "-J", "-M"].contains(listed)) && word.starts_with(listed);
        name == *listed || shortened || begins
    })
}

/// `--collect-on` for `--collect-only`: cut within the last part, so that `--test` is not `--test-only`.
fn shortens_parts(name: &str, full: &str) -> bool {
    let parts = full.rfind('-').filter(|&at| at > 2);
    parts.is_some_and(|at| name.len() > at + 1 && name.len() < full.len() && full.starts_with(name))
}

/// `NAME=value`, as make and similar tools read it, with every sign that may stand before the `=`.
fn check_variable(word: &str, name: &str, value: &str) -> Result<(), CommandError> {
    let refused = || Err(CommandError::Option(name.to_owned()));
    // `X!=command` runs the command.
    let bare = name.trim_end_matches(['?', '+', ':']);
    if bare.ends_with('!') || VARIABLES.iter().any(|variable| is_variable(bare, variable)) {
        return refused();
    }
    let runs = |token: &str| is_runner(token.rsplit('/').next().unwrap_or_default());
    let is_name = bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name && (word.contains(SHELL_LETTERS) || value.split_whitespace().next().is_some_and(runs)) {
        return refused();
    }
    Ok(())
}

fn is_variable(name: &str, listed: &str) -> bool {
    name == listed || listed.ends_with('_') && name.starts_with(listed)
}

/// Letters of make that are joined: `-kf other.mk`.
fn check_letters(word: &str, carries: &[&str], nothing: &[&str]) -> Result<(), CommandError> {
    let letters = word.strip_prefix('-').filter(|letters| letters.bytes().all(|b| b.is_ascii_alphabetic()));
    for letter in letters.unwrap_or_default().chars() {
        let option = format!("-{letter}");
        if ["-f", "-C"].contains(&option.as_str()) || carries.contains(&option.as_str()) {
            return Err(CommandError::Option(word.to_owned()));
        }
        if nothing.contains(&option.as_str()) {
            return Err(CommandError::SkipsTests(word.to_owned()));
        }
    }
    Ok(())
}

/// `-fother.mk`, `-r'code'`: a letter with its value. What is letters only is a word of its own, as `-pl` or `-race`.
fn carries_code_joined(word: &str) -> bool {
    let Some((option, value)) = word.split_at_checked(2) else { return false };
    CARRIES_CODE.contains(&option) && !value.is_empty() && !value.bytes().all(|b| b.is_ascii_lowercase())
}

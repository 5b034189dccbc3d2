//! Programs that the operator adds in `[validation] programs`. gephost knows few of their options, so it checks what
//! holds for every program: no code in arguments, no path outside the work copy, no option that skips the tests.

use super::CommandError;
use super::check::not_skipping;
use super::named;
use super::options::SKIPS_TESTS;
use super::own::Own;
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

/// Whether an operator may add this program: a bare name that the system looks up, and not a program that runs others.
pub(super) fn may_be_added(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(plain) && !is_runner(name)
}

/// Checks the words after such a program.
pub(super) fn check(program: &str, words: &[String]) -> Result<(), CommandError> {
    let own = Own::find(program).unwrap_or(&Own::NONE);
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map_or("", String::as_str);
        check_word(word, own).and_then(|()| check_name(word, next, own))?;
    }
    check_first_word(words, own)?;
    if program == "cmake" { words.iter().try_for_each(|word| check_definition(word)) } else { Ok(()) }
}

fn check_word(word: &str, own: &Own) -> Result<(), CommandError> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    if own.usual.iter().any(|usual| word == *usual || usual.ends_with('=') && word.starts_with(usual)) {
        return not_skipping(word);
    }
    if !word.starts_with('-') && word.contains('=') {
        check_variable(word, name, value)?;
    }
    // Most programs read a file of further arguments.
    if let Some(file) = word.strip_prefix('@').filter(|file| !file.contains('/')) {
        return Err(CommandError::Expands { word: file.to_owned(), character: '@' });
    }
    if is_one_of(word, CARRIES_CODE) || is_one_of(word, own.carries_code) || carries_code_joined(word) {
        return Err(CommandError::Option(name.to_owned()));
    }
    if is_one_of(word, DOES_NOTHING) || is_one_of(word, own.does_nothing) {
        return Err(CommandError::SkipsTests(name.to_owned()));
    }
    if own.joins {
        check_letters(word, own)?;
    }
    not_skipping(word)?;
    if let Some(full) = SKIPS_TESTS.iter().find(|full| shortens_parts(name, full)) {
        return Err(CommandError::SkipsTests((*full).to_owned()));
    }
    place::script_argument(own.place(word))
}

/// Letters that programs in general use for a flag, a number, or a part of a test's name.
const FLAGS: &str = "hjklnqstvwxyV";

/// An option that no list has: its name must not say that it runs or loads something. Of a program that has no row, only
/// usual letters are allowed, since nothing is known about the others.
fn check_name(word: &str, next: &str, own: &Own) -> Result<(), CommandError> {
    let (name, value) = word.split_once('=').unwrap_or((word, next));
    let is_listed = own.usual.iter().any(|usual| word == *usual || usual.ends_with('=') && word.starts_with(usual));
    if !word.starts_with('-') || is_listed {
        return Ok(());
    }
    let refused = || Err(CommandError::Option(name.to_owned()));
    let letters = name.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let (flag, behind) = letters.split_at_checked(1).unwrap_or_default();
    let is_alone = !flag.is_empty() && !behind.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_flag = FLAGS.contains(flag) && behind.bytes().all(|b| b.is_ascii_digit());
    let is_unknown = !own.is_known() && is_alone && !is_flag;
    let runs = value.split_whitespace().next().is_some_and(|first| word.contains('=') && is_runner(first));
    // What comes from the network is no text that the gate has seen.
    let is_remote = value.contains("://");
    let may_run = !own.is_known() && named::may_run(name, value, word.contains('='));
    if is_unknown || runs || is_remote || may_run || named::is_suspicious(name, value) { refused() } else { Ok(()) }
}

/// The first word that is no option, and the first one after `--`: neither may be other work or another program.
fn check_first_word(words: &[String], own: &Own) -> Result<(), CommandError> {
    let refused = |word: &String| Err(CommandError::Option(word.clone()));
    let first = words.iter().find(|word| !word.starts_with('-'));
    if let Some(word) = first.filter(|word| !own.usual.contains(&word.as_str()) && named::is_other_work(word)) {
        return refused(word);
    }
    let behind = words.iter().position(|word| word == "--").and_then(|at| words.get(at + 1));
    behind.filter(|word| is_runner(word)).map_or(Ok(()), refused)
}

/// Values of `CMake`'s variables that name no program.
const PLAIN_VALUES: &[&str] = &[
    "ON",
    "OFF",
    "TRUE",
    "FALSE",
    "YES",
    "NO",
    "1",
    "0",
    "Debug",
    "Release",
    "RelWithDebInfo",
    "MinSizeRel",
    "11",
    "14",
    "17",
    "20",
    "23",
    "26",
    "99",
];

/// `-DNAME=value`, with which a variable of `CMake` can name the compiler, a script or flags.
fn check_definition(word: &str) -> Result<(), CommandError> {
    let value = word.strip_prefix("-D").and_then(|definition| definition.split_once('='));
    let is_plain = value.is_none_or(|(_, value)| PLAIN_VALUES.contains(&value)) && word != "-D";
    if is_plain { Ok(()) } else { Err(CommandError::Option(word.to_owned())) }
}

/// Whether a word is an option of the list, or a shortened long one: many programs take any beginning that is enough to
/// tell. `exec:` and `hex.` stand for every word that begins so, and so do some options of one letter with a value.
fn is_one_of(word: &str, list: &[&str]) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    list.iter().any(|listed| {
        let shortened = name.len() > 2 && listed.starts_with("--") && listed.starts_with(name);
        let is_start = listed.ends_with([':', '.']) || ["-D", "-P", "-J", "-M"].contains(listed);
        let begins = is_start && word.starts_with(listed);
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

/// Letters that are joined: `-kf other.mk`, `-Io`. What follows a letter with a value is that value.
fn check_letters(word: &str, own: &Own) -> Result<(), CommandError> {
    let letters = word.strip_prefix('-').filter(|letters| letters.starts_with(|c: char| c.is_ascii_alphabetic()));
    for letter in letters.unwrap_or_default().chars().take_while(char::is_ascii_alphabetic) {
        let option = format!("-{letter}");
        let is = |list: &[&str]| list.contains(&option.as_str());
        if is(own.carries_code) || ["-f", "-C"].contains(&option.as_str()) && !is(own.usual) {
            return Err(CommandError::Option(word.to_owned()));
        }
        if is(own.does_nothing) {
            return Err(CommandError::SkipsTests(word.to_owned()));
        }
        if is(own.usual) {
            break;
        }
    }
    Ok(())
}

/// `-fother.mk`, `-r'code'`: a letter with its value. What is letters only is a word of its own, as `-pl` or `-race`.
fn carries_code_joined(word: &str) -> bool {
    let Some((option, value)) = word.split_at_checked(2) else { return false };
    CARRIES_CODE.contains(&option) && !value.is_empty() && !value.bytes().all(|b| b.is_ascii_lowercase())
}
